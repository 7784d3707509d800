//! The learners.

mod assemble;
mod cells;
mod combine;
mod complete;
mod draw;
mod fill_parts;
mod lookup;
mod moves;
mod recolor;
mod select;
mod template;
mod transform;

pub use cells::Vocabulary;
pub use select::Property;
pub use transform::Steps;

use crate::{Demos, Rule, Work};

/// A learner with its options.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Learner {
    /// Views, one after the other, and a colour map.
    Transform(Steps),
    /// A rule for every cell.
    Cells(Vocabulary),
    /// Many rules for every cell that vote.
    Forest,
    /// Two rules for every cell, one after the other.
    Stack,
    /// Objects take other colours; by their relations to others too, if true.
    Recolor(bool),
    /// Objects move.
    Move,
    /// One piece of the input.
    Select(Property),
    /// Parts of the input laid over each other.
    Split,
    /// The input repeated, enlarged, mirrored.
    Repeat,
    /// What is hidden or beyond the border is filled in by symmetry.
    Complete,
    /// The background is filled in by symmetry.
    CompleteSoft,
    /// One of a few stored outputs.
    Table,
    /// A shape drawn from numbers.
    Count,
    /// Views laid over each other.
    Pool,
    /// Objects draw.
    Draw,
    /// A template is completed or pasted at marks.
    Template,
    /// Parts are filled, cleared or copied.
    FillParts,
    /// Pieces are put together.
    Assemble,
    /// A pattern is continued on a larger canvas.
    Continue,
}

impl Learner {
    /// The rules that are right on all pairs, the simplest first. `None`: out of work.
    pub fn learn(self, demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
        let rules = match self {
            Learner::Transform(steps) => transform::learn(demos, steps, work),
            Learner::Cells(vocabulary) => cells::learn(demos, vocabulary, work),
            Learner::Forest => cells::learn_forest(demos, work),
            Learner::Stack => cells::learn_stack(demos, work),
            Learner::Recolor(by_relations) => recolor::learn(demos, by_relations, work),
            Learner::Move => moves::learn(demos, work),
            Learner::Select(property) => select::learn(demos, property, work),
            Learner::Split => combine::learn_split(demos, work),
            Learner::Repeat => combine::learn_repeat(demos, work),
            Learner::Complete => complete::learn(demos, work),
            Learner::CompleteSoft => complete::learn_soft(demos, work),
            Learner::Table => lookup::learn_table(demos, work),
            Learner::Count => lookup::learn_count(demos, work),
            Learner::Pool => combine::learn_pool(demos, work),
            Learner::Draw => draw::learn(demos, work),
            Learner::Template => template::learn(demos, work),
            Learner::FillParts => fill_parts::learn(demos, work),
            Learner::Assemble => assemble::learn(demos, work),
            Learner::Continue => complete::learn_continuation(demos, work),
        };
        rules.filter(|_| !work.is_exhausted())
    }
}
