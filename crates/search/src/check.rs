//! Looks into an answer by running its program: as it is, on the turned and the recoloured task, and without one pair.

use std::sync::atomic::AtomicBool;

use batt_dsl::Limits;
use batt_exec::{Input, Job, Options, Picture, Prepared, Scratch};
use batt_lang::{Program, parse};
use batt_plan::{Plan, ProgramId};
use batt_task::Grid;
use batt_value::Arena;

use crate::{Answer, Checks, Folds, Puzzle};

/// At most so many pairs are left out in turn.
const MAX_FOLDS: usize = 5;

pub(crate) struct Inspector<'i> {
    pub(crate) puzzle: &'i Puzzle,
    /// Where each colour goes on the recoloured task.
    pub(crate) colors: &'i [i8; 10],
    pub(crate) stop: &'i AtomicBool,
    /// Used so far.
    pub(crate) fuel: u64,
}

impl Inspector<'_> {
    pub(crate) fn checks(&mut self, answer: &Answer) -> Checks {
        let Some(program) = parse(&answer.program).programs.into_iter().next() else {
            return Checks { same: false, turned: false, recolored: false };
        };
        let same = self.gives(&program, &answer.outputs, Grid::clone);
        if !same || answer.fixed {
            return Checks { same, turned: false, recolored: false };
        }
        let turned = self.gives(&program, &answer.outputs, transposed);
        let colors = self.colors;
        let recolored = self.gives(&program, &answer.outputs, |grid| recolored(grid, colors));
        Checks { same, turned, recolored }
    }

    /// What a program says of the test inputs; `None` if it is not right on the demonstration pairs.
    pub(crate) fn outputs(&mut self, text: &str) -> Option<Vec<Option<Grid>>> {
        let program = parse(text).programs.into_iter().next()?;
        let pairs = self.puzzle.pairs();
        let inputs: Vec<Grid> = self.puzzle.inputs().cloned().collect();
        let outputs = self.run(&program, &pairs, &pairs, &inputs);
        outputs.iter().any(Option::is_some).then_some(outputs)
    }

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

    /// Whether the program, learned on the task as `seen`, is right on its pairs and gives the outputs as seen.
    fn gives(&mut self, program: &Program, outputs: &[Option<Grid>], seen: impl Fn(&Grid) -> Grid) -> bool {
        let pairs: Vec<(Grid, Grid)> =
            self.puzzle.pairs().iter().map(|(input, output)| (seen(input), seen(output))).collect();
        let inputs: Vec<Grid> = self.puzzle.inputs().map(&seen).collect();
        let expected: Vec<Option<Grid>> = outputs.iter().map(|grid| grid.as_ref().map(&seen)).collect();
        self.run(program, &pairs, &pairs, &inputs) == expected
    }

    /// The answers to `inputs` of a program that sees `pairs` as S. It must be right on the pairs of `must` before.
    fn run(
        &mut self,
        program: &Program,
        pairs: &[(Grid, Grid)],
        must: &[(Grid, Grid)],
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
        let demos = must.iter().map(|(input, output)| demo((input, output)));
        let asked = inputs.iter().map(|input| Input { input: picture(input), must_give: None });
        let job = Job { samples, inputs: demos.chain(asked).collect(), programs: vec![ProgramId(0)] };
        let runs = prepared.run(&job, &options, &mut Scratch::new(limits)).pop().unwrap_or_default();
        // What depends on S alone is done once and stands on the bill of every input.
        self.fuel += runs.iter().map(|run| run.fuel).max().unwrap_or(0);
        runs.iter().skip(must.len()).map(|run| batt_score::Answer::from(run).grid()).collect()
    }
}

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
