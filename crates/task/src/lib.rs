//! ARC tasks from disk.
//!
//! The door is [`load`]: a path to a [`Dataset`]. A task file is the public per-task format, one
//! `{"train": [{"input", "output"}…], "test": […]}` a file, named after its id; a data set is a folder of them.
//!
//! This room knows nothing of programs or of how tasks are solved.

mod grid;
mod load;
mod aside;
pub mod demo;
pub mod series;
pub mod submission;

use batt_value::{Arena, Fail, Value};

pub use aside::write_aside;
pub use grid::{Grid, GridError};
pub use load::{LoadError, load, load_task, parse_grid, parse_task};

/// Tasks in the order of their ids.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub tasks: Vec<Task>,
}

impl Dataset {
    pub fn get(&self, id: &str) -> Option<&Task> {
        self.tasks.binary_search_by(|task| task.id.as_str().cmp(id)).ok().map(|i| &self.tasks[i])
    }
}

/// One task: demonstration pairs, and test inputs whose outputs may be unknown.
#[derive(Clone, Debug)]
pub struct Task {
    pub id: String,
    pub train: Vec<Pair>,
    pub test: Vec<Pair>,
}

/// An input and, where it is known, its output.
#[derive(Clone, Debug)]
pub struct Pair {
    pub input: Grid,
    pub output: Option<Grid>,
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

    /// All pairs with a word for each: `train 0`, `test 1`.
    pub fn pairs(&self) -> impl Iterator<Item = (&'static str, usize, &Pair)> {
        let part = |name, pairs: &'_ [Pair]| -> Vec<(&'static str, usize)> {
            (0..pairs.len()).map(|i| (name, i)).collect()
        };
        part("train", &self.train)
            .into_iter()
            .chain(part("test", &self.test))
            .zip(self.train.iter().chain(&self.test))
            .map(|((name, i), pair)| (name, i, pair))
    }
}
