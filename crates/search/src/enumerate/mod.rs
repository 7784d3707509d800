//! Search from the task: values of growing depth over all inputs at once, and what they come to.
//!
//! [`enumerate`] starts from the inputs and applies [operations](operation) to all values found so far; of values that
//! are the same on all inputs one is kept. A grid that is the output of all pairs, or becomes it by steps that can be
//! undone, is a program; so is a stack of [layers](layer) that draws all outputs.

mod explore;
mod findings;
mod goal;
mod identity;
mod kind;
mod layer;
mod operation;
mod pool;
mod size;
mod template;
mod view;
mod write;

use std::sync::atomic::{AtomicBool, Ordering};

use batt_task::Grid;
use batt_trace::{Lane, Spot};
use batt_value::{Arena, Caps};

use crate::check::Inspector;
use crate::{Answer, Folds, Mechanism, NEVER_STOP, Puzzle};
use explore::{Bounds, Explorer};
use goal::Goal;

pub use explore::Counts;
pub use view::View;
use write::Written;

/// A program that learns nothing is the same with any pair left out, so that says nothing.
const UNLEARNED: Option<Folds> = Some(Folds { right: 0, of: 0 });
/// The values of one task may take so many bytes.
const BYTES: usize = 96 << 20;
/// Larger values are no steps towards a picture of 30 × 30 cells.
const CAPS: Caps = Caps { weight: 1 << 13, depth: 16 };
/// Layers that are kept.
const LAYERS: usize = 20_000;
/// Pictures for learners.
const VIEWS: usize = 24;
/// How deep programs are at most, one search after the other.
const DEPTHS: [u8; 2] = [3, 4];
/// Of the fuel so much goes into making values; the rest is for stacking them.
const EXPLORE_PERCENT: u64 = 85;

/// After a stop, programs are verified until this much fuel is used: a fraction of a second, and more than a search
/// usually needs.
const FUEL_AFTER_STOP: u64 = 20_000_000;

/// The result of a search.
pub struct Enumerated {
    /// Programs that are right on all demonstration pairs.
    pub answers: Vec<Answer>,
    /// Pictures near the outputs, for learners to start from.
    pub views: Vec<View>,
    pub counts: Counts,
}

/// Searches programs for a task with about so much fuel. They are called `name`. Programs found before `stop` was set are
/// verified and kept, as far as `FUEL_AFTER_STOP` pays for it.
pub fn enumerate(puzzle: &Puzzle, name: &str, fuel: u64, stop: &AtomicBool) -> Enumerated {
    enumerate_traced(puzzle, name, fuel, stop, None)
}

/// The same; `lane` is told where the time goes.
pub fn enumerate_traced(
    puzzle: &Puzzle,
    name: &str,
    fuel: u64,
    stop: &AtomicBool,
    lane: Option<&Lane>,
) -> Enumerated {
    let Found { programs, views, mut counts } = programs(puzzle, name, fuel, stop, lane);
    // What was found is run as any program is; the colours of the recoloured task do not matter for that.
    let mut inspector = Inspector { puzzle, colors: &[0; 10], stop: &NEVER_STOP, fuel: 0 };
    let answer = |Written { text, cost, words }| {
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

/// Programs that fit, each only once.
struct Found {
    programs: Vec<Written>,
    views: Vec<View>,
    counts: Counts,
}

/// How the colours of a task are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Frame {
    /// As they are.
    Plain,
    /// The commonest colour of the input and black have changed places.
    Majority,
}

fn programs(puzzle: &Puzzle, name: &str, fuel: u64, stop: &AtomicBool, lane: Option<&Lane>) -> Found {
    let mut found = Found { programs: Vec::new(), views: Vec::new(), counts: Counts::default() };
    let pairs = puzzle.pairs();
    let swapped: Vec<_> =
        pairs.iter().map(|(input, output)| (on_black(input, input), on_black(output, input))).collect();
    let tests: Vec<Grid> = puzzle.inputs().cloned().collect();
    let same = swapped == pairs;
    let plain = Sight { pairs: &pairs, tests: &tests, name, stop, lane };
    found.search(&plain, Frame::Plain, if same { fuel } else { fuel / 2 });
    if !same {
        let tests: Vec<Grid> = tests.iter().map(|grid| on_black(grid, grid)).collect();
        let left = fuel.saturating_sub(found.counts.fuel);
        found.search(&Sight { pairs: &swapped, tests: &tests, ..plain }, Frame::Majority, left);
    }
    found
}

/// A task as a search sees it.
#[derive(Clone, Copy)]
struct Sight<'v> {
    pairs: &'v [(Grid, Grid)],
    tests: &'v [Grid],
    name: &'v str,
    stop: &'v AtomicBool,
    lane: Option<&'v Lane>,
}

impl Found {
    /// Searches programs for pairs that are seen in a frame, deeper as long as there is fuel.
    fn search(&mut self, sight: &Sight<'_>, frame: Frame, fuel: u64) {
        let outputs: Vec<Grid> = sight.pairs.iter().map(|(_, output)| output.clone()).collect();
        let Some(goal) = Goal::new(&outputs) else { return };
        let mut left = fuel;
        for depth in DEPTHS {
            let counts = self.search_to(depth, sight, &goal, frame, left);
            self.counts.add(counts);
            left = left.saturating_sub(counts.fuel);
            // Another level takes many times as much; without half of the fuel it is not worth its beginning.
            if counts.complete == 0 || left < fuel / 2 {
                return;
            }
        }
    }

    fn search_to(&mut self, depth: u8, sight: &Sight<'_>, goal: &Goal, frame: Frame, fuel: u64) -> Counts {
        let inputs: Vec<Grid> =
            sight.pairs.iter().map(|(input, _)| input).chain(sight.tests).cloned().collect();
        let arena = Arena::new(CAPS);
        let explore = fuel / 100 * EXPLORE_PERCENT;
        let bounds =
            Bounds { fuel: explore, bytes: BYTES, layers: LAYERS, depth, stop: sight.stop, lane: sight.lane };
        let Ok(mut explorer) = Explorer::new(&arena, &inputs, goal, &colors(&inputs), bounds) else {
            return Counts::default();
        };
        explorer.run();
        for hit in &explorer.findings.hits {
            self.take(write::whole(&explorer, hit, frame, sight.name));
        }
        if frame == Frame::Plain {
            self.views = view::views(&explorer, VIEWS);
        }
        let layers = &explorer.findings.layers;
        let a_step = (layers.list().len() * layers.words()) as u64 / 8;
        let mut counts = explorer.counts;
        let pairs = || std::iter::once(None).chain((0..sight.pairs.len()).map(Some));
        for (depth, gain_on) in (0..=depth).flat_map(|depth| pairs().map(move |gain_on| (depth, gain_on))) {
            counts.fuel += a_step;
            if counts.fuel > fuel {
                break;
            }
            let stack = layers.stack(gain_on, depth);
            if let Some(written) =
                stack.and_then(|stack| write::stacked(&explorer, &stack, frame, sight.name))
            {
                self.take(written);
            }
        }
        bounds.mark(Spot::SCORE);
        counts
    }

    fn take(&mut self, written: Written) {
        if self.programs.iter().all(|other| other.text != written.text) {
            self.programs.push(written);
        }
    }
}

/// A grid in which black and the commonest colour of the input have changed places; of several the smallest.
fn on_black(grid: &Grid, input: &Grid) -> Grid {
    let count = |color: i8| input.cells().iter().filter(|cell| **cell == color).count();
    let common = (0..10).rev().max_by_key(|color| count(*color)).unwrap_or(0);
    let swap = |cell: i8| match cell {
        0 => common,
        cell if cell == common => 0,
        cell => cell,
    };
    let cells: Vec<i8> = grid.cells().iter().map(|cell| swap(*cell)).collect();
    Grid::new(grid.width(), cells).unwrap_or_else(|_| grid.clone())
}

/// The colours of the inputs.
fn colors(inputs: &[Grid]) -> Vec<u8> {
    (0..10).filter(|color| inputs.iter().any(|grid| grid.cells().contains(&(*color as i8)))).collect()
}
