//! The learners, one in a file.

mod assemble;
mod cell;
mod complete;
mod count;
mod draw;
mod fill_parts;
mod moves;
mod pool;
mod recolor;
mod repeat;
mod select;
mod split;
mod table;
mod template;
mod transform;

pub use cell::Vocabulary;
pub use complete::{Completion, Repetition};
pub use recolor::Criterion;
pub use select::Property;
pub use transform::Steps;

use crate::{Demos, Name, OptionDoc, OutOfWork, Rule, Work};

/// The pairs on which a learner has a chance: a cheap look at their sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fits {
    Any,
    /// Sizes stay and something changes.
    Edits,
    /// Some size changes.
    Resizes,
    /// No output is larger than its input.
    Shrinks,
}

impl Fits {
    fn holds(self, demos: &Demos) -> bool {
        match self {
            Fits::Any => true,
            Fits::Edits => demos.edits(),
            Fits::Resizes => !demos.same_size(),
            Fits::Shrinks => demos.pairs().iter().all(|(i, o)| o.area() <= i.area()),
        }
    }
}

/// Declares the learners: for each its option, the primitive that stands for it in programs, the pairs it fits, and the
/// function that learns.
macro_rules! learners {
    ($(
        $(#[doc = $doc:literal])*
        $id:ident$(($option:ident))?: $primitive:literal, $fits:expr, $learn:path;
    )*) => {
        /// A learner with its option.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Learner { $($(#[doc = $doc])* $id$(($option))?,)* }

        impl Learner {
            /// The primitive that stands for the learner in programs.
            pub fn primitive(self) -> &'static str {
                match self { $(learners!(@any $id $($option)?) => $primitive,)* }
            }

            /// The constant that names its option, if it has one.
            pub fn option(self) -> Option<Name> {
                match self { $(learners!(@pattern $id it $($option)?) => learners!(@name it $($option)?),)* }
            }

            /// The learner that a call of a primitive means: `option` is the value of its option, if it has one. `None`
            /// if there is no such learner or option.
            pub fn from_call(primitive: &str, option: Option<i64>) -> Option<Learner> {
                match (primitive, option) {
                    $(learners!(@call $primitive it $($option)?) => learners!(@parse $id it $($option)?),)*
                    _ => None,
                }
            }

            /// The options of a primitive, for the manual.
            pub(crate) fn options_of(primitive: &str) -> Vec<OptionDoc> {
                match primitive {
                    $($primitive => learners!(@docs $($option)?),)*
                    _ => Vec::new(),
                }
            }

            /// Every learner with every option.
            pub fn all() -> Vec<Learner> {
                let mut all = Vec::new();
                $(learners!(@push all $id $($option)?);)*
                all
            }

            fn fits_of(self) -> Fits {
                match self { $(learners!(@pattern $id it $($option)?) => learners!(@fits $fits, it $($option)?),)* }
            }

            /// The rules that are right on all pairs, the simplest first.
            pub fn learn(self, demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
                match self {
                    $(learners!(@pattern $id it $($option)?) => learners!(@learn $learn, demos, work, it $($option)?),)*
                }
            }
        }
    };
    (@any $id:ident) => { Learner::$id };
    (@any $id:ident $option:ident) => { Learner::$id(_) };
    (@pattern $id:ident $it:ident) => { Learner::$id };
    (@pattern $id:ident $it:ident $option:ident) => { Learner::$id($it) };
    (@name $it:ident) => { None };
    (@name $it:ident $option:ident) => { Some($it.name()) };
    (@call $primitive:literal $it:ident) => { ($primitive, None) };
    (@call $primitive:literal $it:ident $option:ident) => { ($primitive, Some($it)) };
    (@parse $id:ident $it:ident) => { Some(Learner::$id) };
    (@parse $id:ident $it:ident $option:ident) => { $option::from_value($it).map(Learner::$id) };
    (@docs) => { Vec::new() };
    (@docs $option:ident) => { $option::ALL.iter().map(|option| option.doc()).collect() };
    (@push $all:ident $id:ident) => { $all.extend([Learner::$id]) };
    (@push $all:ident $id:ident $option:ident) => { $all.extend($option::ALL.iter().copied().map(Learner::$id)) };
    (@fits $fits:expr, $it:ident) => { $fits };
    (@fits $fits:expr, $it:ident $option:ident) => { $fits($it) };
    (@learn $learn:path, $demos:ident, $work:ident, $it:ident) => { $learn($demos, $work) };
    (@learn $learn:path, $demos:ident, $work:ident, $it:ident $option:ident) => { $learn($demos, $it, $work) };
}

learners! {
    /// Views, one after the other, and a colour map.
    Transform(Steps): "learn_transform", |_| Fits::Any, transform::learn;
    /// One rule for every cell.
    Cells(Vocabulary): "learn_cells", |_| Fits::Edits, cell::learn;
    /// Objects take other colours.
    Recolor(Criterion): "learn_recolor", |_| Fits::Edits, recolor::learn;
    /// One piece of the input.
    Select(Property): "learn_select", |_| Fits::Shrinks, select::learn;
    /// Hidden cells, the background or a larger canvas are filled in by symmetry and repetition.
    Complete(Completion): "learn_complete", Completion::fits, complete::learn;
    /// Many rules for every cell that vote.
    Forest: "learn_forest", Fits::Edits, cell::learn_forest;
    /// Two rules for every cell, one after the other.
    Stack: "learn_stack", Fits::Edits, cell::learn_stack;
    /// Objects move.
    Move: "learn_move", Fits::Edits, moves::learn;
    /// Parts of the input laid over each other.
    Split: "learn_split", Fits::Shrinks, split::learn;
    /// The input repeated, enlarged, mirrored.
    Repeat: "learn_repeat", Fits::Resizes, repeat::learn;
    /// One of a few stored outputs.
    Table: "learn_table", Fits::Any, table::learn;
    /// A shape drawn from numbers.
    Count: "learn_count", Fits::Any, count::learn;
    /// Views laid over each other.
    Pool: "learn_pool", Fits::Any, pool::learn;
    /// Objects draw.
    Draw: "learn_draw", Fits::Edits, draw::learn;
    /// A template is completed or pasted at marks.
    Template: "learn_template", Fits::Edits, template::learn;
    /// Parts are filled, cleared or copied.
    FillParts: "learn_fill_parts", Fits::Edits, fill_parts::learn;
    /// Pieces are put together.
    Assemble: "learn_assemble", Fits::Resizes, assemble::learn;
}

impl Learner {
    /// Whether the learner has a chance on the pairs.
    pub(crate) fn fits(self, demos: &Demos) -> bool {
        self.fits_of().holds(demos)
    }
}
