//! Tasks without their test outputs.

use batt_learn::{Demos, Image};
use batt_task::{Grid, Pair, Task};

/// A task without its test outputs, so that a search cannot use them.
#[derive(Clone, Debug)]
pub struct Puzzle {
    task: Task,
}

impl Puzzle {
    /// Copies a task without its test outputs.
    pub fn new(task: &Task) -> Puzzle {
        let without_output = |pair: &Pair| Pair { input: pair.input.clone(), output: None };
        let test = task.test.iter().map(without_output).collect();
        Puzzle { task: Task { id: task.id.clone(), train: task.train.clone(), test, extra: Vec::new() } }
    }

    /// Returns the id of the task.
    pub fn id(&self) -> &str {
        &self.task.id
    }

    /// Returns the task: its demonstration pairs, and its test inputs without outputs.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Returns the demonstration pairs.
    pub(crate) fn pairs(&self) -> Vec<(Grid, Grid)> {
        let known = self.task.train.iter();
        known.filter_map(|pair| Some((pair.input.clone(), pair.output.clone()?))).collect()
    }

    /// Returns the test inputs.
    pub(crate) fn inputs(&self) -> impl ExactSizeIterator<Item = &Grid> {
        self.task.test.iter().map(|pair| &pair.input)
    }

    /// Returns the demonstration pairs in the form that learners use, or `None` if there are none.
    pub(crate) fn demos(&self) -> Option<Demos> {
        let known = self.task.train.iter();
        Demos::new(
            known.filter_map(|pair| Some((image(&pair.input), image(pair.output.as_ref()?)))).collect(),
        )
    }
}

/// Converts a grid to the form that learners use.
pub(crate) fn image(grid: &Grid) -> Image {
    let cells = grid.cells().iter().map(|&color| color as u8).collect();
    Image { h: grid.height(), w: grid.width(), cells }
}

/// Converts an image to a grid. Returns `None` if it is not a valid one.
pub(crate) fn grid(image: &Image) -> Option<Grid> {
    let cells: Vec<i8> = image.cells.iter().map(|&color| color as i8).collect();
    Grid::new(image.w, cells).ok()
}
