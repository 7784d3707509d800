//! What a search sees of a task.

use batt_learn::{Demos, Image};
use batt_task::{Grid, Pair, Task};

/// A task without its test outputs: whatever is done with it, they stay sealed.
#[derive(Clone, Debug)]
pub struct Puzzle {
    task: Task,
}

impl Puzzle {
    pub fn new(task: &Task) -> Puzzle {
        let sealed = |pair: &Pair| Pair { input: pair.input.clone(), output: None };
        let test = task.test.iter().map(sealed).collect();
        Puzzle { task: Task { id: task.id.clone(), train: task.train.clone(), test, extra: Vec::new() } }
    }

    pub fn id(&self) -> &str {
        &self.task.id
    }

    /// The demonstration pairs, and the test inputs without outputs.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// The demonstration pairs.
    pub(crate) fn pairs(&self) -> Vec<(Grid, Grid)> {
        let known = self.task.train.iter();
        known.filter_map(|pair| Some((pair.input.clone(), pair.output.clone()?))).collect()
    }

    pub(crate) fn inputs(&self) -> impl ExactSizeIterator<Item = &Grid> {
        self.task.test.iter().map(|pair| &pair.input)
    }

    /// The pairs in the working form of learners; `None` if there are none.
    pub(crate) fn demos(&self) -> Option<Demos> {
        let known = self.task.train.iter();
        Demos::new(
            known.filter_map(|pair| Some((image(&pair.input), image(pair.output.as_ref()?)))).collect(),
        )
    }
}

pub(crate) fn image(grid: &Grid) -> Image {
    let cells = grid.cells().iter().map(|&color| color as u8).collect();
    Image { h: grid.height(), w: grid.width(), cells }
}

pub(crate) fn grid(image: &Image) -> Option<Grid> {
    let cells: Vec<i8> = image.cells.iter().map(|&color| color as i8).collect();
    Grid::new(image.w, cells).ok()
}
