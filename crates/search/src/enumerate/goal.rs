//! The goal of a search: the outputs of the demonstration pairs, also with possible last steps undone.

use std::collections::HashMap;

use batt_dsl::Cx;
use batt_task::Grid;
use batt_value::{Arena, Fail, Value};
use rustc_hash::FxHashMap;

use batt_dsl::template::Template;
use batt_value::{fingerprint, mix};

/// The outputs of the demonstration pairs, and the grids that become them.
pub(super) struct Goal {
    pub(super) outputs: Vec<Output>,
    /// The finishes, by the hash of the grids that they turn into the outputs.
    finishes: FxHashMap<u64, Finish>,
    /// The same by a hash that ignores a change of colours, each with the colours of its grids.
    recolored: FxHashMap<u64, (Finish, Vec<u8>)>,
    /// For each pair, the sizes of the grids that a finish turns into the output.
    sizes: Vec<Vec<(usize, usize)>>,
}

/// The output of one pair.
pub(super) struct Output {
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) cells: Vec<i8>,
    /// For each colour, the rows as bits.
    pub(super) planes: [Vec<u32>; 10],
}

/// The last steps of a program, as texts of templates over `x`, in the order in which they are applied.
pub(super) type Finish = Vec<&'static str>;

/// The possible last steps, each with the operation that undoes it.
const LAST_STEPS: [(&str, &str); 14] = [
    ("hmirror(x)", "hmirror(x)"),
    ("vmirror(x)", "vmirror(x)"),
    ("dmirror(x)", "dmirror(x)"),
    ("cmirror(x)", "cmirror(x)"),
    ("rot90(x)", "rot270(x)"),
    ("rot180(x)", "rot180(x)"),
    ("rot270(x)", "rot90(x)"),
    ("hconcat(x, x)", "lefthalf(x)"),
    ("vconcat(x, x)", "tophalf(x)"),
    ("hconcat(x, vmirror(x))", "lefthalf(x)"),
    ("vconcat(x, hmirror(x))", "tophalf(x)"),
    ("hconcat(vmirror(x), x)", "righthalf(x)"),
    ("upscale(x, TWO)", "downscale(x, TWO)"),
    ("upscale(x, THREE)", "downscale(x, THREE)"),
];

/// The largest side of an output: a row must fit into a word.
const MAX_WIDTH: usize = 32;

impl Goal {
    /// Returns `None` if there is no output or one is too large.
    pub(super) fn new(outputs: &[Grid]) -> Option<Goal> {
        if outputs.is_empty()
            || outputs.iter().any(|grid| grid.width() > MAX_WIDTH || grid.height() > MAX_WIDTH)
        {
            return None;
        }
        let mut goal = Goal {
            outputs: outputs.iter().map(Output::new).collect(),
            finishes: HashMap::default(),
            recolored: HashMap::default(),
            sizes: vec![Vec::new(); outputs.len()],
        };
        let arena = Arena::new(batt_value::Caps::STANDARD);
        let whole: Option<Vec<Value<'_>>> =
            outputs.iter().map(|grid| arena.grid(grid.width(), grid.cells()).ok()).collect();
        let mut cx = Cx::new(&arena, u64::MAX, None);
        let last: Result<Vec<_>, Fail> = LAST_STEPS
            .iter()
            .map(|&(text, undo)| Ok((text, Template::parse(text, &mut cx)?, Template::parse(undo, &mut cx)?)))
            .collect();
        let (whole, last) = (whole?, last.ok()?);
        goal.add(&whole, Vec::new());
        let mut open = vec![(whole, Finish::new())];
        // At most two last steps: three rarely give anything that two others do not.
        for _ in 0..2 {
            for (grids, finish) in std::mem::take(&mut open) {
                for (text, step, undo) in &last {
                    let undone: Result<Vec<_>, Fail> =
                        grids.iter().map(|grid| undo.run(&mut cx, |_| *grid)).collect();
                    let Ok(undone) = undone else { continue };
                    let redone = grids.iter().zip(&undone).all(|(grid, undone)| {
                        step.run(&mut cx, |_| *undone)
                            .is_ok_and(|again| fingerprint(again) == fingerprint(*grid))
                    });
                    if !redone {
                        continue;
                    }
                    let finish: Finish = std::iter::once(*text).chain(finish.iter().copied()).collect();
                    if goal.add(&undone, finish.clone()) {
                        open.push((undone, finish));
                    }
                }
            }
        }
        Some(goal)
    }

    /// Adds a finish for these grids. Returns whether they had none yet.
    fn add(&mut self, grids: &[Value<'_>], finish: Finish) -> bool {
        let key = hash_all(grids);
        if self.finishes.contains_key(&key) {
            return false;
        }
        for (sizes, grid) in self.sizes.iter_mut().zip(grids) {
            let Value::Grid(grid) = grid else { return false };
            if !sizes.contains(&(grid.height(), grid.width())) {
                sizes.push((grid.height(), grid.width()));
            }
        }
        if let Some((key, colors)) = hash_up_to_colors(grids) {
            self.recolored.entry(key).or_insert_with(|| (finish.clone(), colors));
        }
        self.finishes.insert(key, finish);
        true
    }

    /// Returns whether a finish can turn a grid of this size into the output of a pair.
    pub(super) fn has_size(&self, pair: usize, height: usize, width: usize) -> bool {
        self.sizes[pair].contains(&(height, width))
    }

    /// Returns the finish that turns these grids, one for each pair, into the outputs.
    pub(super) fn finish(&self, grids: &[Value<'_>]) -> Option<&Finish> {
        self.finishes.get(&hash_all(grids))
    }

    /// Returns the finish that turns these grids, one for each pair, into the outputs after a change of
    /// colours that is the same for all pairs. Also returns the old and new colours.
    pub(super) fn finish_recolored(&self, grids: &[Value<'_>]) -> Option<(&Finish, Vec<(u8, u8)>)> {
        let (key, from) = hash_up_to_colors(grids)?;
        let (finish, to) = self.recolored.get(&key)?;
        Some((finish, from.into_iter().zip(to.iter().copied()).filter(|(from, to)| from != to).collect()))
    }
}

impl Output {
    fn new(grid: &Grid) -> Output {
        let (height, width) = (grid.height(), grid.width());
        let planes = std::array::from_fn(|color| {
            let row = |row: &[i8]| {
                row.iter()
                    .enumerate()
                    .fold(0, |word, (col, &cell)| word | u32::from(cell == color as i8) << col)
            };
            grid.rows().map(row).collect()
        });
        Output { height, width, cells: grid.cells().to_vec(), planes }
    }
}

/// Returns a hash of all grids.
fn hash_all(grids: &[Value<'_>]) -> u64 {
    grids.iter().fold(grids.len() as u64, |sum, grid| mix(sum, fingerprint(*grid)))
}

/// Returns a hash that is the same for grids that differ by a bijection of colours: colours are numbered in
/// order of appearance. Also returns the colours in that order.
fn hash_up_to_colors(grids: &[Value<'_>]) -> Option<(u64, Vec<u8>)> {
    let mut numbers = [u8::MAX; 10];
    let mut colors = Vec::new();
    let mut sum = 1;
    for grid in grids {
        let Value::Grid(grid) = grid else { return None };
        sum = mix(sum, (grid.width() as u64) << 32 ^ grid.cells().len() as u64);
        for cells in grid.cells().chunks(8) {
            let mut word = 0;
            for &cell in cells {
                let number = numbers.get_mut(usize::try_from(cell).ok()?)?;
                if *number == u8::MAX {
                    *number = colors.len() as u8;
                    colors.push(cell as u8);
                }
                word = word << 8 | u64::from(*number);
            }
            sum = mix(sum, word);
        }
    }
    Some((sum, colors))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(outputs: &[&str]) -> Goal {
        let arena = Arena::new(batt_value::Caps::STANDARD);
        let grid = |text: &&str| match batt_value::parse(text, &arena, &|_| None).unwrap() {
            Value::Grid(grid) => Grid::new(grid.width(), grid.cells().to_vec()).unwrap(),
            other => panic!("{other:?}"),
        };
        Goal::new(&outputs.iter().map(grid).collect::<Vec<_>>()).unwrap()
    }

    fn finish(goal: &Goal, grids: &[&str]) -> Option<Finish> {
        let arena = Arena::new(batt_value::Caps::STANDARD);
        let grids: Vec<_> =
            grids.iter().map(|text| batt_value::parse(text, &arena, &|_| None).unwrap()).collect();
        goal.finish(&grids).or_else(|| Some(goal.finish_recolored(&grids)?.0)).cloned()
    }

    #[test]
    fn grids_that_become_the_outputs_are_recognised() {
        let goal = goal(&["[1 2 2 1 | 3 4 4 3]"]);
        assert_eq!(finish(&goal, &["[1 2 2 1 | 3 4 4 3]"]), Some(vec![]));
        assert_eq!(finish(&goal, &["[1 2 | 3 4]"]), Some(vec!["hconcat(x, vmirror(x))"]));
        assert_eq!(finish(&goal, &["[3 4 | 1 2]"]), Some(vec!["hconcat(x, vmirror(x))", "hmirror(x)"]));
        assert_eq!(finish(&goal, &["[5 6 | 7 8]"]), Some(vec!["hconcat(x, vmirror(x))"]));
        assert_eq!(finish(&goal, &["[5 5 | 7 8]"]), None);
        assert!(goal.has_size(0, 2, 2) && goal.has_size(0, 4, 2) && !goal.has_size(0, 3, 3));
    }

    #[test]
    fn all_pairs_must_agree() {
        let goal = goal(&["[1 2 | 3 4]", "[1 2 | 3 3]"]);
        assert_eq!(finish(&goal, &["[1 2 | 3 4]", "[1 2 | 3 3]"]), Some(vec![]));
        assert_eq!(finish(&goal, &["[3 4 | 1 2]", "[3 3 | 1 2]"]), Some(vec!["hmirror(x)"]));
        assert_eq!(finish(&goal, &["[1 2 | 3 4]", "[3 3 | 1 2]"]), None);
        // The change of colours must be the same for both pairs.
        assert_eq!(finish(&goal, &["[5 2 | 3 4]", "[5 2 | 3 3]"]), Some(vec![]));
        assert_eq!(finish(&goal, &["[5 2 | 3 4]", "[6 2 | 3 3]"]), None);
    }
}
