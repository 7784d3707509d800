//! Differences between two versions of a data set.

use std::fmt;

use crate::problem::Side;
use crate::{Dataset, Grid, Pair, Part, Task};

/// The differences from A to B.
#[derive(Debug, PartialEq, Eq)]
pub struct Diff {
    /// Ids of tasks that B does not have.
    pub only_a: Vec<String>,
    /// Ids of tasks that A does not have.
    pub only_b: Vec<String>,
    pub changed: Vec<TaskDiff>,
    /// Number of tasks that are the same.
    pub same: usize,
}

impl Diff {
    pub fn is_empty(&self) -> bool {
        self.only_a.is_empty() && self.only_b.is_empty() && self.changed.is_empty()
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct TaskDiff {
    pub id: String,
    pub changes: Vec<Change>,
}

/// One change of a task. A pair is identified by its index in A, or in B if only B has it.
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum Change {
    /// Pairs that both have are in another order.
    Reordered {
        part: Part,
    },
    /// A pair moved to another list, for example from demonstrations to tests.
    Moved {
        part: Part,
        pair: usize,
        to: Part,
        to_pair: usize,
    },
    /// Some cells of a grid changed.
    Cells {
        part: Part,
        pair: usize,
        side: Side,
        cells: usize,
        of: usize,
    },
    /// The grid has another size.
    Size {
        part: Part,
        pair: usize,
        side: Side,
        from: (usize, usize),
        to: (usize, usize),
    },
    /// The output is known in only one of the two.
    Output {
        part: Part,
        pair: usize,
        known_in_b: bool,
    },
    Removed {
        part: Part,
        pair: usize,
    },
    Added {
        part: Part,
        pair: usize,
    },
}

impl Change {
    /// Returns the kind in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Change::Reordered { .. } => "reordered",
            Change::Moved { .. } => "moved",
            Change::Cells { .. } => "cells",
            Change::Size { .. } => "size",
            Change::Output { .. } => "output",
            Change::Removed { .. } => "removed",
            Change::Added { .. } => "added",
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Change::Reordered { part } => write!(f, "{} pairs reordered", part.name()),
            Change::Moved { part, pair, to, to_pair } => {
                write!(f, "{} {pair} is now {} {to_pair}", part.name(), to.name())
            }
            Change::Cells { part, pair, side, cells, of } => {
                write!(f, "{} {pair} {}: {cells} of {of} cells", part.name(), side.name())
            }
            Change::Size { part, pair, side, from, to } => {
                let ((h, w), (new_h, new_w)) = (from, to);
                write!(f, "{} {pair} {}: {h}×{w} became {new_h}×{new_w}", part.name(), side.name())
            }
            Change::Output { part, pair, known_in_b } => {
                let word = if known_in_b { "now known" } else { "no longer known" };
                write!(f, "{} {pair} output {word}", part.name())
            }
            Change::Removed { part, pair } => write!(f, "{} {pair} removed", part.name()),
            Change::Added { part, pair } => write!(f, "{} {pair} added", part.name()),
        }
    }
}

/// Compares two data sets task by task.
pub fn diff(a: &Dataset, b: &Dataset) -> Diff {
    let mut diff = Diff { only_a: Vec::new(), only_b: Vec::new(), changed: Vec::new(), same: 0 };
    for task in &a.tasks {
        match b.get(&task.id) {
            None => diff.only_a.push(task.id.clone()),
            Some(other) if other == task => diff.same += 1,
            Some(other) => {
                diff.changed.push(TaskDiff { id: task.id.clone(), changes: changes(task, other) });
            }
        }
    }
    let only_b = b.tasks.iter().filter(|task| a.get(&task.id).is_none());
    diff.only_b = only_b.map(|task| task.id.clone()).collect();
    diff
}

/// Matches the pairs of A with those of B.
struct Matching<'t> {
    a: &'t Task,
    b: &'t Task,
    /// For each pair of A, its pair in B.
    to: Vec<(Place, Option<Place>)>,
    /// The pairs of B that are not matched.
    free: Vec<Place>,
}

type Place = (Part, usize);

fn changes(a: &Task, b: &Task) -> Vec<Change> {
    let mut matching =
        Matching { a, b, to: places(a).map(|place| (place, None)).collect(), free: places(b).collect() };
    // The surest matches come first; the later passes are less strict.
    matching.pass(true, |a, b| (a == b).then_some(0));
    matching.pass(false, |a, b| (a == b).then_some(0));
    matching.pass(true, |a, b| (a.input == b.input).then_some(0));
    matching.pass(true, |a, b| (a.output.is_some() && a.output == b.output).then_some(0));
    matching.pass(true, cell_distance);
    matching.report()
}

fn places(task: &Task) -> impl Iterator<Item = Place> {
    Part::ALL.into_iter().flat_map(|part| (0..task.part(part).len()).map(move |i| (part, i)))
}

fn pair(task: &Task, (part, i): Place) -> &Pair {
    &task.part(part)[i]
}

/// Returns the number of differing cells, or `None` if it is more than a fifth of all cells or the sizes
/// differ. The limit was picked by feel.
fn cell_distance(a: &Pair, b: &Pair) -> Option<usize> {
    let (cells, of) = difference(&a.input, &b.input)?;
    let (output_cells, output_of) = match (&a.output, &b.output) {
        (Some(a), Some(b)) => difference(a, b)?,
        _ => (0, 0),
    };
    let (cells, of) = (cells + output_cells, of + output_of);
    (cells * 5 <= of).then_some(cells)
}

/// Returns the number of differing cells and of all cells, or `None` if the sizes differ.
fn difference(a: &Grid, b: &Grid) -> Option<(usize, usize)> {
    let same = a.width() == b.width() && a.height() == b.height();
    let differ = || a.cells().iter().zip(b.cells()).filter(|(a, b)| a != b).count();
    same.then(|| (differ(), a.cells().len()))
}

impl Matching<'_> {
    /// Matches each unmatched pair of A with the free pair of B at the least `distance`, the first of
    /// several.
    fn pass(&mut self, same_part: bool, distance: impl Fn(&Pair, &Pair) -> Option<usize>) {
        for (from, to) in self.to.iter_mut().filter(|(_, to)| to.is_none()) {
            let candidates =
                self.free.iter().enumerate().filter(|(_, place)| !same_part || place.0 == from.0);
            let measured = candidates
                .filter_map(|(i, place)| Some((distance(pair(self.a, *from), pair(self.b, *place))?, i)));
            if let Some((_, i)) = measured.min() {
                *to = Some(self.free.remove(i));
            }
        }
    }

    fn report(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        for part in Part::ALL {
            let kept = self.to.iter().filter(|(from, _)| from.0 == part);
            let kept = kept.filter_map(|(_, to)| to.filter(|to| to.0 == part)).map(|to| to.1);
            if !kept.is_sorted() {
                changes.push(Change::Reordered { part });
            }
        }
        for &((part, i), to) in &self.to {
            match to {
                None => changes.push(Change::Removed { part, pair: i }),
                Some((to, to_pair)) if to != part => {
                    changes.push(Change::Moved { part, pair: i, to, to_pair });
                }
                Some(to) => self.compare((part, i), to, &mut changes),
            }
        }
        changes.extend(self.free.iter().map(|&(part, pair)| Change::Added { part, pair }));
        changes
    }

    fn compare(&self, from: Place, to: Place, changes: &mut Vec<Change>) {
        let (a, b) = (pair(self.a, from), pair(self.b, to));
        let (part, pair) = from;
        changes.extend(grid_change(from, Side::Input, &a.input, &b.input));
        match (&a.output, &b.output) {
            (Some(a), Some(b)) => changes.extend(grid_change(from, Side::Output, a, b)),
            (None, None) => {}
            (_, b) => changes.push(Change::Output { part, pair, known_in_b: b.is_some() }),
        }
    }
}

fn grid_change((part, pair): Place, side: Side, a: &Grid, b: &Grid) -> Option<Change> {
    match difference(a, b) {
        Some((0, _)) => None,
        Some((cells, of)) => Some(Change::Cells { part, pair, side, cells, of }),
        None => {
            let size = |grid: &Grid| (grid.height(), grid.width());
            Some(Change::Size { part, pair, side, from: size(a), to: size(b) })
        }
    }
}
