//! Which drawings of an object agree with an output.

use std::collections::{BTreeMap, HashSet};

use super::{Ink, Scene};
use crate::image::Image;

/// The cells that the actions of one scene get right.
pub(super) struct Judged {
    /// By object and action: the right cells of an action that paints no background wrongly.
    right: Vec<Vec<Option<Vec<usize>>>>,
    /// By object: all cells that some valid action paints.
    union: Vec<Vec<usize>>,
    /// The number of objects that can paint a cell.
    painters: BTreeMap<usize, usize>,
    /// The number of cells that change from background.
    pub n_wanted: usize,
    /// The number of those that some action paints.
    pub n_covered: usize,
}

/// An action may paint one wrong cell in five: another object may paint over it.
const MAX_WRONG: usize = 5;

impl Judged {
    pub(super) fn new(input: &Image, output: &Image, scene: &Scene, ink: Ink) -> Judged {
        let background = input.background();
        let mut judged = Judged {
            right: Vec::new(),
            union: Vec::new(),
            painters: BTreeMap::new(),
            n_wanted: 0,
            n_covered: 0,
        };
        for (object, strokes) in scene.objects.iter().zip(&scene.strokes) {
            let color = ink.color(input, object);
            let valid = strokes.iter().enumerate().map(|(action, cells)| {
                // The first action draws nothing.
                if action == 0 {
                    return Some(Vec::new());
                }
                let hits: Vec<usize> = cells
                    .iter()
                    .filter(|&&(y, x)| output.at(y, x) == color)
                    .map(|&(y, x)| y * input.w + x)
                    .collect();
                let untouched =
                    cells.iter().any(|&(y, x)| output.at(y, x) != color && output.at(y, x) == background);
                let wrong = cells.len() - hits.len();
                (!untouched && !hits.is_empty() && wrong * MAX_WRONG <= cells.len()).then_some(hits)
            });
            let valid: Vec<Option<Vec<usize>>> = valid.collect();
            let mut union: Vec<usize> = valid.iter().flatten().flatten().copied().collect();
            union.sort_unstable();
            union.dedup();
            for &cell in &union {
                *judged.painters.entry(cell).or_default() += 1;
            }
            judged.right.push(valid);
            judged.union.push(union);
        }
        for i in 0..input.area() {
            if input.cells[i] == background && output.cells[i] != background {
                judged.n_wanted += 1;
                judged.n_covered += usize::from(judged.painters.contains_key(&i));
            }
        }
        judged
    }

    /// The actions that paint all that an object can paint; the largest, if there is none.
    pub(super) fn accepted(&self, i: usize, lenient: bool) -> Vec<bool> {
        let covers = |cells: &Vec<usize>| {
            let own: HashSet<usize> = cells.iter().copied().collect();
            self.union[i].iter().all(|cell| own.contains(cell) || (lenient && self.painters[cell] > 1))
        };
        let accepted: Vec<bool> =
            self.right[i].iter().map(|cells| cells.as_ref().is_some_and(covers)).collect();
        if accepted.contains(&true) {
            return accepted;
        }
        let most = self.right[i].iter().flatten().map(Vec::len).max();
        self.right[i].iter().map(|cells| cells.as_ref().map(Vec::len) == most && most.is_some()).collect()
    }
}
