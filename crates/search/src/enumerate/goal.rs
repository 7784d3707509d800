//! What is sought: the outputs of the demonstration pairs, seen through operations that can be undone.

use std::collections::HashMap;

use batt_dsl::Cx;
use batt_task::Grid;
use batt_value::{Arena, Fail, Value};
use rustc_hash::FxHashMap;

use super::identity::{hash, mix};
use super::template::Template;

/// The demonstrated outputs.
pub(super) struct Goal {
    pub(super) outputs: Vec<Output>,
    /// Ways to finish, by the hash of the grids that they finish.
    finishes: FxHashMap<u64, Finish>,
    /// The same up to a change of colours.
    recolored: FxHashMap<u64, (Finish, Vec<u8>)>,
    /// The sizes of the grids that some way finishes, one list a pair.
    sizes: Vec<Vec<(usize, usize)>>,
}

/// The output of one pair.
pub(super) struct Output {
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) cells: Vec<i8>,
    /// A plane of rows for each colour.
    pub(super) planes: [Vec<u32>; 10],
}

/// Texts of templates over `x`, applied one after the other.
pub(super) type Finish = Vec<&'static str>;

/// A last step, and what undoes it.
const LAST: [(&str, &str); 14] = [
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

/// The largest side of an output for which planes are kept in one word a row.
const WORD: usize = 32;

impl Goal {
    /// `None` if an output is too wide to be drawn in planes.
    pub(super) fn new(outputs: &[Grid]) -> Option<Goal> {
        if outputs.is_empty() || outputs.iter().any(|grid| grid.width() > WORD || grid.height() > WORD) {
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
        let last: Result<Vec<_>, Fail> = LAST
            .iter()
            .map(|&(text, undo)| Ok((text, Template::read(text, &mut cx)?, Template::read(undo, &mut cx)?)))
            .collect();
        let (whole, last) = (whole?, last.ok()?);
        goal.add(&whole, Vec::new());
        let mut open = vec![(whole, Finish::new())];
        // Two last steps: what three of them give is seldom anything but what two others give.
        for _ in 0..2 {
            for (grids, finish) in std::mem::take(&mut open) {
                for (text, step, undo) in &last {
                    let undone: Result<Vec<_>, Fail> =
                        grids.iter().map(|grid| undo.run(&mut cx, |_| *grid)).collect();
                    let Ok(undone) = undone else { continue };
                    let redone = grids.iter().zip(&undone).all(|(grid, undone)| {
                        step.run(&mut cx, |_| *undone).is_ok_and(|again| hash(again) == hash(*grid))
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

    /// Whether this is a new way.
    fn add(&mut self, grids: &[Value<'_>], finish: Finish) -> bool {
        let key = together(grids);
        if self.finishes.contains_key(&key) {
            return false;
        }
        for (sizes, grid) in self.sizes.iter_mut().zip(grids) {
            let Value::Grid(grid) = grid else { return false };
            if !sizes.contains(&(grid.height(), grid.width())) {
                sizes.push((grid.height(), grid.width()));
            }
        }
        if let Some((key, colors)) = up_to_colors(grids) {
            self.recolored.entry(key).or_insert_with(|| (finish.clone(), colors));
        }
        self.finishes.insert(key, finish);
        true
    }

    /// Whether a grid of this size can be finished on a pair.
    pub(super) fn has_size(&self, pair: usize, height: usize, width: usize) -> bool {
        self.sizes[pair].contains(&(height, width))
    }

    /// How grids, one a pair, become the outputs.
    pub(super) fn finish(&self, grids: &[Value<'_>]) -> Option<&Finish> {
        self.finishes.get(&together(grids))
    }

    /// How grids, one a pair, become the outputs after a change of colours that is the same for all pairs: from
    /// which to which.
    pub(super) fn finish_recolored(&self, grids: &[Value<'_>]) -> Option<(&Finish, Vec<(u8, u8)>)> {
        let (key, from) = up_to_colors(grids)?;
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

fn together(grids: &[Value<'_>]) -> u64 {
    grids.iter().fold(grids.len() as u64, |sum, grid| mix(sum, hash(*grid)))
}

/// The same for grids that differ by a bijection of colours: colours are numbered as they come. And these colours.
fn up_to_colors(grids: &[Value<'_>]) -> Option<(u64, Vec<u8>)> {
    let mut names = [u8::MAX; 10];
    let mut colors = Vec::new();
    let mut sum = 1;
    for grid in grids {
        let Value::Grid(grid) = grid else { return None };
        sum = mix(sum, (grid.width() as u64) << 32 ^ grid.cells().len() as u64);
        for cells in grid.cells().chunks(8) {
            let mut word = 0;
            for &cell in cells {
                let name = names.get_mut(usize::try_from(cell).ok()?)?;
                if *name == u8::MAX {
                    *name = colors.len() as u8;
                    colors.push(cell as u8);
                }
                word = word << 8 | u64::from(*name);
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
    fn what_can_be_finished_is_recognised() {
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
        // One change of colours for both.
        assert_eq!(finish(&goal, &["[5 2 | 3 4]", "[5 2 | 3 3]"]), Some(vec![]));
        assert_eq!(finish(&goal, &["[5 2 | 3 4]", "[6 2 | 3 3]"]), None);
    }
}
