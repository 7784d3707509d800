//! Checks an answer by running its program: on the task, on the transposed and the recoloured task, and with
//! one pair left out.

use std::sync::atomic::AtomicBool;

use batt_dsl::Limits;
use batt_exec::{Input, Job, Options, Picture, Prepared, Scratch};
use batt_lang::{Program, parse};
use batt_plan::{Plan, ProgramId};
use batt_task::Grid;
use batt_value::Arena;

use crate::{Answer, Checks, Folds, Puzzle};

/// The most pairs that are left out in turn.
const MAX_FOLDS: usize = 5;

/// Runs programs on a puzzle within the usual limits.
pub(crate) struct Inspector<'i> {
    pub(crate) puzzle: &'i Puzzle,
    /// The new colour of each colour on the recoloured task.
    pub(crate) colors: &'i [i8; 10],
    pub(crate) stop: &'i AtomicBool,
    /// The fuel used so far.
    pub(crate) fuel: u64,
}

/// Returns whether the program of an answer is right on all demonstration pairs and gives the outputs of the answer. It
/// runs within the usual limits.
pub fn is_reproducible(puzzle: &Puzzle, answer: &Answer, stop: &AtomicBool) -> bool {
    let mut inspector = Inspector { puzzle, colors: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], stop, fuel: 0 };
    let program = parse(&answer.program).programs.into_iter().next();
    program.is_some_and(|program| inspector.gives(&program, &answer.outputs, Grid::clone))
}

impl Inspector<'_> {
    /// Runs the program of an answer on the task. If it is a learned rule, also learns and runs it on the
    /// transposed and the recoloured task.
    pub(crate) fn checks(&mut self, answer: &Answer) -> Checks {
        let Some(program) = parse(&answer.program).programs.into_iter().next() else {
            return Checks { reproducible: false, transposed: false, recolored: false };
        };
        let reproducible = self.gives(&program, &answer.outputs, Grid::clone);
        if !reproducible || answer.fixed {
            return Checks { reproducible, transposed: false, recolored: false };
        }
        let transposed = self.gives(&program, &answer.outputs, transposed);
        let colors = self.colors;
        let recolored = self.gives(&program, &answer.outputs, |grid| recolored(grid, colors));
        Checks { reproducible, transposed, recolored }
    }

    /// Returns the outputs of a program for the test inputs, or `None` if it is wrong on a
    /// demonstration pair or fails on all test inputs.
    pub(crate) fn outputs(&mut self, text: &str) -> Option<Vec<Option<Grid>>> {
        let program = parse(text).programs.into_iter().next()?;
        let pairs = self.puzzle.pairs();
        let inputs: Vec<Grid> = self.puzzle.inputs().cloned().collect();
        let outputs = self.run(&program, &pairs, &pairs, &inputs);
        outputs.iter().any(Option::is_some).then_some(outputs)
    }

    /// Runs the leave-one-out tests of an answer.
    pub(crate) fn folds(&mut self, answer: &Answer) -> Folds {
        let pairs = self.puzzle.pairs();
        let mut folds = Folds { right: 0, of: 0 };
        let Some(program) = parse(&answer.program).programs.into_iter().next() else { return folds };
        if pairs.len() < 2 {
            return folds;
        }
        for left_out in 0..pairs.len().min(MAX_FOLDS) {
            let mut rest = pairs.clone();
            let (input, output) = rest.remove(left_out);
            let given = self.run(&program, &rest, &[], std::slice::from_ref(&input));
            folds.of += 1;
            folds.right += u32::from(given.first() == Some(&Some(output)));
        }
        folds
    }

    /// Returns whether the program, learned on the changed task, is right on its pairs and gives the changed
    /// outputs.
    fn gives(&mut self, program: &Program, outputs: &[Option<Grid>], change: impl Fn(&Grid) -> Grid) -> bool {
        let pairs: Vec<(Grid, Grid)> =
            self.puzzle.pairs().iter().map(|(input, output)| (change(input), change(output))).collect();
        let inputs: Vec<Grid> = self.puzzle.inputs().map(&change).collect();
        let expected: Vec<Option<Grid>> = outputs.iter().map(|grid| grid.as_ref().map(&change)).collect();
        self.run(program, &pairs, &pairs, &inputs) == expected
    }

    /// Runs a program on `inputs`, with `pairs` as `S`, and returns its outputs. They are `None` if the
    /// program is wrong on a pair of `required`.
    fn run(
        &mut self,
        program: &Program,
        pairs: &[(Grid, Grid)],
        required: &[(Grid, Grid)],
        inputs: &[Grid],
    ) -> Vec<Option<Grid>> {
        let limits = Limits::STANDARD;
        let options =
            Options { limits, all_demos: false, sharing: true, kernels: true, stop: Some(self.stop) };
        let plan = Plan::merge([program]);
        let arena = Arena::new(limits.caps);
        let prepared = Prepared::new(&plan, &arena, &options);
        let samples = pairs.iter().map(|(input, output)| (picture(input), picture(output))).collect();
        let demo = |(input, output)| Input { input: picture(input), must_give: Some(picture(output)) };
        let demos = required.iter().map(|(input, output)| demo((input, output)));
        let others = inputs.iter().map(|input| Input { input: picture(input), must_give: None });
        let job = Job { samples, inputs: demos.chain(others).collect(), programs: vec![ProgramId(0)] };
        let runs = prepared.run(&job, &options, &mut Scratch::new(limits)).pop().unwrap_or_default();
        // Calls that depend on S alone are made once but charged to every input, so take the maximum.
        self.fuel += runs.iter().map(|run| run.fuel).max().unwrap_or(0);
        runs.iter().skip(required.len()).map(|run| batt_score::Answer::from(run).grid()).collect()
    }
}

/// Returns a grid in the form that exec takes.
pub(crate) fn picture(grid: &Grid) -> Picture<'_> {
    Picture { width: grid.width(), cells: grid.cells() }
}

fn transposed(grid: &Grid) -> Grid {
    let (height, width) = (grid.height(), grid.width());
    let cells: Vec<i8> = (0..width * height).map(|i| grid.cells()[i % height * width + i / height]).collect();
    Grid::new(height, cells).unwrap_or_else(|_| grid.clone())
}

fn recolored(grid: &Grid, colors: &[i8; 10]) -> Grid {
    let cells: Vec<i8> = grid.cells().iter().map(|&color| colors[color as usize]).collect();
    Grid::new(grid.width(), cells).unwrap_or_else(|_| grid.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_swaps_rows_and_columns() {
        let grid = Grid::new(3, vec![1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(transposed(&grid).to_string(), "[1 4 | 2 5 | 3 6]");
    }
}
