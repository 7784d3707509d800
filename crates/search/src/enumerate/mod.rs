//! Enumeration: builds programs from the task's own values, from small to large.
//!
//! [`enumerate`] starts from the inputs and applies [operations](operation) to all values found so far, on
//! all inputs at once. Values that are the same on all inputs count as one. A grid is a program if it equals
//! the output on all pairs, or becomes it by [steps](goal) that can be undone. A stack of [layers](layer)
//! that draws all outputs is a program too.
//!
//! Operations and parameters were chosen on ARC-AGI-1 training tasks.

mod device;
mod explore;
mod findings;
mod goal;
mod kind;
mod layer;
mod lookahead;
mod operation;
mod pool;
mod size;
mod view;
mod write;

use std::sync::atomic::Ordering;

use batt_exec::devices::Devices;
use batt_task::Grid;
use batt_trace::Spot;
use batt_value::{Arena, Caps};

use crate::check::Inspector;
use crate::{Allowance, Answer, Folds, Mechanism, NEVER_STOP, Puzzle};
use explore::{Bounds, Explorer};
use goal::Goal;

pub use device::{OperationCheck, OperationInfo, Workload, check_operations, enumerated_operations};
pub use explore::Counts;
pub use lookahead::WINDOW_JOBS;
pub use view::View;
use write::WrittenProgram;

/// Leave-one-out tests mean nothing here: a program that does not learn is the same without a pair.
const UNLEARNED: Option<Folds> = Some(Folds { right: 0, of: 0 });
/// The most bytes that the values of one task may take.
const MAX_BYTES: usize = 96 << 20;
/// The largest values. Larger ones do not lead to a picture of 30 × 30 cells.
const CAPS: Caps = Caps { weight: 1 << 13, depth: 16 };
/// The most layers that are kept.
const MAX_LAYERS: usize = 20_000;
/// The most views that are returned for learners.
const MAX_VIEWS: usize = 24;
/// The depth limits of consecutive searches.
const DEPTHS: [u8; 2] = [3, 4];
/// The share of the fuel that goes into making values. The rest is for stacking layers.
const EXPLORE_PERCENT: u64 = 85;

/// After a stop, programs are verified until this much fuel is used. It lasts a fraction of a second and
/// usually suffices.
const FUEL_AFTER_STOP: u64 = 20_000_000;

/// The result of an enumeration.
pub struct Enumerated {
    /// Programs that are right on all demonstration pairs.
    pub answers: Vec<Answer>,
    /// Pictures close to the outputs, for learners to start from.
    pub views: Vec<View>,
    pub counts: Counts,
}

/// Searches for programs that solve a task, with about the allowed fuel. They are called `name`. Programs found
/// before the stop was set are verified and kept, as far as a small amount of fuel allows. Devices
/// make it faster and do not change the result.
pub fn enumerate(
    puzzle: &Puzzle,
    name: &str,
    allowance: Allowance<'_>,
    devices: Option<&Devices>,
) -> Enumerated {
    let Found { programs, views, mut counts } = programs(puzzle, name, allowance, devices);
    let stop = allowance.stop;
    // Verification does not use the recoloured task, so its colours do not matter.
    let mut inspector = Inspector { puzzle, colors: &[0; 10], stop: &NEVER_STOP, fuel: 0 };
    let answer = |WrittenProgram { text, cost, words }| {
        if inspector.fuel > FUEL_AFTER_STOP && stop.load(Ordering::Relaxed) {
            return None;
        }
        let outputs = inspector.outputs(&text)?;
        Some(Answer {
            program: text,
            mechanism: Mechanism::Enumerate,
            words: words.into(),
            cost,
            fixed: true,
            outputs,
            checks: None,
            folds: UNLEARNED,
        })
    };
    let answers = programs.into_iter().filter_map(answer).collect();
    counts.fuel += inspector.fuel;
    Enumerated { answers, views, counts }
}

/// The results of all searches for one task.
struct Found {
    /// The programs that fit, each only once.
    programs: Vec<WrittenProgram>,
    views: Vec<View>,
    counts: Counts,
}

/// The colour that operations see as the background, which is black for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Background {
    /// The task as it is.
    Black,
    /// The task with black and the most common colour of each input exchanged.
    MostCommon,
}

/// Searches the task as it is and, if that is different, with black and the most common colour exchanged.
fn programs(puzzle: &Puzzle, name: &str, allowance: Allowance<'_>, devices: Option<&Devices>) -> Found {
    let fuel = allowance.fuel;
    let mut found = Found { programs: Vec::new(), views: Vec::new(), counts: Counts::default() };
    let pairs = puzzle.pairs();
    let swapped: Vec<_> = pairs
        .iter()
        .map(|(input, output)| (exchange_background(input, input), exchange_background(output, input)))
        .collect();
    let tests: Vec<Grid> = puzzle.inputs().cloned().collect();
    let same = swapped == pairs;
    let plain = Problem { pairs: &pairs, tests: &tests, name, allowance, devices };
    found.search(&plain, Background::Black, if same { fuel } else { fuel / 2 });
    if !same {
        let tests: Vec<Grid> = tests.iter().map(|grid| exchange_background(grid, grid)).collect();
        let left = fuel.saturating_sub(found.counts.fuel);
        found.search(&Problem { pairs: &swapped, tests: &tests, ..plain }, Background::MostCommon, left);
    }
    found
}

/// The task of a search, after any exchange of colours.
#[derive(Clone, Copy)]
struct Problem<'v> {
    pairs: &'v [(Grid, Grid)],
    tests: &'v [Grid],
    name: &'v str,
    /// Its fuel is that of both searches.
    allowance: Allowance<'v>,
    devices: Option<&'v Devices>,
}

impl Found {
    /// Searches for programs, deeper as long as there is enough fuel.
    fn search(&mut self, problem: &Problem<'_>, background: Background, fuel: u64) {
        let outputs: Vec<Grid> = problem.pairs.iter().map(|(_, output)| output.clone()).collect();
        let Some(goal) = Goal::new(&outputs) else { return };
        let mut left = fuel;
        for depth in DEPTHS {
            let counts = self.search_to(depth, problem, &goal, background, left);
            self.counts.add(counts);
            left = left.saturating_sub(counts.fuel);
            // Another level takes many times as much fuel, so it is not worth starting without half of it.
            if counts.complete == 0 || left < fuel / 2 {
                return;
            }
        }
    }

    /// Searches for programs up to a depth.
    fn search_to(
        &mut self,
        depth: u8,
        problem: &Problem<'_>,
        goal: &Goal,
        background: Background,
        fuel: u64,
    ) -> Counts {
        let inputs: Vec<Grid> =
            problem.pairs.iter().map(|(input, _)| input).chain(problem.tests).cloned().collect();
        let arena = Arena::new(CAPS);
        let explore = fuel / 100 * EXPLORE_PERCENT;
        let bounds = Bounds {
            fuel: explore,
            bytes: MAX_BYTES,
            layers: MAX_LAYERS,
            depth,
            stop: problem.allowance.stop,
            lane: problem.allowance.lane,
            devices: problem.devices,
        };
        let Ok(mut explorer) = Explorer::new(&arena, &inputs, goal, &colors(&inputs), bounds) else {
            return Counts::default();
        };
        explorer.run();
        for hit in &explorer.findings.hits {
            self.add(write::write_hit(&explorer, hit, background, problem.name));
        }
        if background == Background::Black {
            self.views = view::views(&explorer, MAX_VIEWS);
        }
        let layers = &explorer.findings.layers;
        let fuel_per_stack = (layers.list().len() * layers.words()) as u64 / 8;
        let mut counts = explorer.counts;
        let pairs = || std::iter::once(None).chain((0..problem.pairs.len()).map(Some));
        for (depth, gain_on) in (0..=depth).flat_map(|depth| pairs().map(move |gain_on| (depth, gain_on))) {
            counts.fuel += fuel_per_stack;
            if counts.fuel > fuel {
                break;
            }
            let stack = layers.stack(gain_on, depth);
            if let Some(written) =
                stack.and_then(|stack| write::write_stack(&explorer, &stack, background, problem.name))
            {
                self.add(written);
            }
        }
        bounds.mark(Spot::SCORE);
        counts
    }

    /// Adds a program unless it is already there.
    fn add(&mut self, written: WrittenProgram) {
        if self.programs.iter().all(|other| other.text != written.text) {
            self.programs.push(written);
        }
    }
}

/// Returns a grid with black and the most common colour of the input exchanged. On a tie, the smallest colour
/// counts.
fn exchange_background(grid: &Grid, input: &Grid) -> Grid {
    let count = |color: i8| input.cells().iter().filter(|cell| **cell == color).count();
    let most_common = (0..10).rev().max_by_key(|color| count(*color)).unwrap_or(0);
    let swap = |cell: i8| match cell {
        0 => most_common,
        cell if cell == most_common => 0,
        cell => cell,
    };
    let cells: Vec<i8> = grid.cells().iter().map(|cell| swap(*cell)).collect();
    Grid::new(grid.width(), cells).unwrap_or_else(|_| grid.clone())
}

/// Returns the colours that occur in the inputs.
fn colors(inputs: &[Grid]) -> Vec<u8> {
    (0..10).filter(|color| inputs.iter().any(|grid| grid.cells().contains(&(*color as i8)))).collect()
}
