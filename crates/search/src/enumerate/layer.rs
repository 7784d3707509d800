//! Partial answers: what a value draws of the outputs, and stacks of such layers that draw all of them.

use batt_value::{Patch, Value};
use rustc_hash::FxHashSet;

use super::goal::{Goal, Output};
use super::identity::mix;
use super::kind::Kind;

/// How a value is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// A grid, all cells.
    Whole,
    /// The cells of a grid that are not black.
    Foreground,
    /// The black cells of a grid.
    Black,
    /// An object in its own colours.
    Painted,
    /// Places in one colour.
    Filled(u8),
    /// Places in the colour that a node says.
    FilledBy(u32),
}

/// A value as a part of the outputs: one bit a cell, row after row, pair after pair.
pub(super) struct Layer {
    pub(super) node: u32,
    pub(super) mode: Mode,
    pub(super) depth: u8,
    cover: Box<[u32]>,
    /// Those it covers and has wrong.
    bad: Box<[u32]>,
}

/// A colour that may differ from pair to pair, and the node that says it.
pub(super) struct Tint {
    pub(super) node: u32,
    pub(super) colors: Vec<u8>,
}

/// The layers found so far.
pub(super) struct Layers {
    list: Vec<Layer>,
    seen: FxHashSet<u64>,
    /// All cells of all outputs.
    full: Box<[u32]>,
    /// Where the rows of each pair start.
    starts: Vec<usize>,
    limit: usize,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    cover: Vec<u32>,
    bad: Vec<u32>,
    places: Vec<u32>,
}

/// A stack of more layers is no explanation.
const MAX_STACK: usize = 8;

impl Layers {
    /// Keeps at most so many layers.
    pub(super) fn new(goal: &Goal, limit: usize) -> Layers {
        let row = |output: &Output| std::iter::repeat_n(mask(output.width), output.height);
        let full: Box<[u32]> = goal.outputs.iter().flat_map(row).collect();
        let starts = goal.outputs.iter().scan(0, |next, output| {
            let start = *next;
            *next += output.height;
            Some(start)
        });
        Layers {
            list: Vec::new(),
            seen: FxHashSet::default(),
            starts: starts.collect(),
            limit,
            scratch: Scratch::default(),
            full,
        }
    }

    pub(super) fn list(&self) -> &[Layer] {
        &self.list
    }

    pub(super) fn words(&self) -> usize {
        self.full.len()
    }

    /// Takes in what a node draws, in each way that gets more cells right than wrong. `values`: one a pair.
    pub(super) fn add(
        &mut self,
        goal: &Goal,
        node: u32,
        kind: Kind,
        depth: u8,
        values: &[Value<'_>],
        tints: &[Tint],
    ) {
        if self.list.len() >= self.limit {
            return;
        }
        match kind {
            Kind::Grid => {
                for mode in [Mode::Whole, Mode::Foreground, Mode::Black] {
                    if self.draw_grids(goal, values, mode) {
                        self.keep(node, mode, depth);
                    }
                }
            }
            Kind::Object => {
                self.clear();
                for (pair, value) in values.iter().enumerate() {
                    let Value::Patch(patch) = value else { return };
                    let start = self.starts[pair];
                    paint(
                        patch,
                        &goal.outputs[pair],
                        &mut self.scratch.cover[start..],
                        &mut self.scratch.bad[start..],
                    );
                }
                self.keep(node, Mode::Painted, depth);
            }
            Kind::Indices => self.add_places(goal, node, depth, values, tints),
            _ => {}
        }
    }

    fn add_places(&mut self, goal: &Goal, node: u32, depth: u8, values: &[Value<'_>], tints: &[Tint]) {
        self.clear();
        for (pair, value) in values.iter().enumerate() {
            let Value::Patch(patch) = value else { return };
            let start = self.starts[pair];
            let words = &mut self.scratch.cover[start..];
            rows(patch, &goal.outputs[pair], |row, word| words[row] |= word, patch.rows());
        }
        self.scratch.places.clone_from(&self.scratch.cover);
        let n = count(&self.scratch.places);
        if n == 0 {
            return;
        }
        for color in 0..10 {
            if self.tint(goal, |_| color) * 2 >= n {
                self.keep(node, Mode::Filled(color), depth);
            }
        }
        for tint in tints {
            if self.tint(goal, |pair| tint.colors[pair]) * 2 >= n {
                self.keep(node, Mode::FilledBy(tint.node), depth + 1);
            }
        }
    }

    /// Draws the places in colours; how many are right.
    fn tint(&mut self, goal: &Goal, color: impl Fn(usize) -> u8) -> u32 {
        let Scratch { bad, places, .. } = &mut self.scratch;
        let mut right = 0;
        for (pair, output) in goal.outputs.iter().enumerate() {
            let plane = &output.planes[usize::from(color(pair))];
            for (row, wanted) in plane.iter().enumerate() {
                let at = self.starts[pair] + row;
                right += (places[at] & wanted).count_ones();
                bad[at] = places[at] & !wanted;
            }
        }
        right
    }

    fn clear(&mut self) {
        let n = self.full.len();
        for words in [&mut self.scratch.cover, &mut self.scratch.bad] {
            words.clear();
            words.resize(n, 0);
        }
    }

    /// Whether the grids have the outputs' sizes.
    fn draw_grids(&mut self, goal: &Goal, values: &[Value<'_>], mode: Mode) -> bool {
        self.clear();
        for (pair, value) in values.iter().enumerate() {
            let (Value::Grid(grid), output) = (value, &goal.outputs[pair]) else { return false };
            if (grid.height(), grid.width()) != (output.height, output.width) {
                return false;
            }
            let wanted = output.cells.chunks_exact(output.width);
            for (row, (cells, wanted)) in grid.rows().zip(wanted).enumerate() {
                let at = self.starts[pair] + row;
                let (mut right, mut black) = (0u32, 0u32);
                for (col, (cell, wanted)) in cells.iter().zip(wanted).enumerate() {
                    right |= u32::from(cell == wanted) << col;
                    black |= u32::from(*cell == 0) << col;
                }
                let cover = match mode {
                    Mode::Foreground => !black,
                    Mode::Black => black,
                    _ => u32::MAX,
                } & self.full[at];
                self.scratch.cover[at] = cover;
                self.scratch.bad[at] = cover & !right;
            }
        }
        true
    }

    /// Keeps what was drawn if it is new and at least half right.
    fn keep(&mut self, node: u32, mode: Mode, depth: u8) {
        let Scratch { cover, bad, .. } = &self.scratch;
        let (n, wrong) = (count(cover), count(bad));
        if n == 0 || wrong * 2 > n || self.list.len() >= self.limit {
            return;
        }
        let words = cover.iter().zip(bad);
        let key =
            words.fold(n.into(), |sum, (cover, bad)| mix(sum, u64::from(*cover) << 32 | u64::from(*bad)));
        if self.seen.insert(key) {
            self.list.push(Layer { node, mode, depth, cover: cover[..].into(), bad: bad[..].into() });
        }
    }

    /// A stack of layers, the uppermost first, that draws all outputs: every layer has nothing wrong that is not
    /// covered by those above it, and covers most of what is left, on one pair or on all of them. `depth`: deeper
    /// layers are left out.
    pub(super) fn stack(&self, gain_on: Option<usize>, depth: u8) -> Option<Vec<usize>> {
        let mut left = self.full.clone();
        let rows = match gain_on {
            None => 0..self.full.len(),
            Some(pair) => self.starts[pair]..self.starts.get(pair + 1).copied().unwrap_or(self.full.len()),
        };
        let mut stack = Vec::new();
        while left.iter().any(|word| *word != 0) {
            if stack.len() == MAX_STACK {
                return None;
            }
            // When the pair that is looked at is complete, the others decide.
            let open = left[rows.clone()].iter().any(|word| *word != 0);
            let rows = if open { rows.clone() } else { 0..left.len() };
            let mut best: Option<(u32, usize)> = None;
            for (place, layer) in self.list.iter().enumerate() {
                if layer.depth > depth || layer.bad.iter().zip(&left).any(|(bad, left)| bad & left != 0) {
                    continue;
                }
                let gain = rows.clone().map(|row| (layer.cover[row] & left[row]).count_ones()).sum();
                let better = best.is_none_or(|(most, other)| {
                    (gain, std::cmp::Reverse(layer.depth)) > (most, std::cmp::Reverse(self.list[other].depth))
                });
                if gain > 0 && better {
                    best = Some((gain, place));
                }
            }
            let (_, place) = best?;
            stack.push(place);
            left.iter_mut().zip(&self.list[place].cover).for_each(|(left, cover)| *left &= !cover);
        }
        self.drop_needless(&mut stack);
        Some(stack)
    }

    /// Takes out layers without which the others still draw everything, the uppermost first.
    fn drop_needless(&self, stack: &mut Vec<usize>) {
        let mut place = 0;
        while place < stack.len() {
            let layer = stack.remove(place);
            if !self.draws_all(stack) {
                stack.insert(place, layer);
                place += 1;
            }
        }
    }

    fn draws_all(&self, stack: &[usize]) -> bool {
        let mut left = self.full.clone();
        for layer in stack.iter().map(|&place| &self.list[place]) {
            if layer.bad.iter().zip(&left).any(|(bad, left)| bad & left != 0) {
                return false;
            }
            left.iter_mut().zip(&layer.cover).for_each(|(left, cover)| *left &= !cover);
        }
        left.iter().all(|word| *word == 0)
    }

    /// Whether what an object or places draw on one pair can be a layer at all: something, half of it right where
    /// colours are known.
    pub(super) fn may_serve(output: &Output, value: Value<'_>) -> bool {
        let Value::Patch(patch) = value else { return false };
        let (mut cover, mut bad) = ([0; 32], [0; 32]);
        if patch.is_object() {
            paint(patch, output, &mut cover, &mut bad);
        } else {
            rows(patch, output, |row, word| cover[row] |= word, patch.rows());
        }
        let n = count(&cover);
        n > 0 && count(&bad) * 2 <= n
    }
}

fn count(words: &[u32]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

fn mask(width: usize) -> u32 {
    if width >= 32 { u32::MAX } else { (1 << width) - 1 }
}

/// Draws an object.
fn paint(patch: &Patch<'_>, output: &Output, cover: &mut [u32], bad: &mut [u32]) {
    for (color, plane) in patch.planes() {
        let wanted = usize::try_from(color).ok().and_then(|color| output.planes.get(color));
        let draw = |row: usize, word: u32| {
            cover[row] |= word;
            bad[row] |= word & !wanted.map_or(0, |plane| plane[row]);
        };
        rows(patch, output, draw, plane);
    }
}

/// The words of a plane as far as they lie within the output.
fn rows(patch: &Patch<'_>, output: &Output, mut draw: impl FnMut(usize, u32), plane: &[u64]) {
    let (top, left, _, _) = patch.bounds();
    let mask = u64::from(mask(output.width));
    for (i, &word) in plane.iter().enumerate() {
        let row = top + i as i64;
        if (0..output.height as i64).contains(&row) {
            let moved = match left {
                0..32 => word << left,
                -63..0 => word >> -left,
                _ => 0,
            };
            draw(row as usize, (moved & mask) as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use batt_task::Grid;
    use batt_value::{Arena, Caps};

    use super::*;

    /// The layers of values, one line a value, one text a pair; then the stack: nodes and modes.
    fn stack(
        outputs: &[&str],
        values: &[(Kind, &[&str])],
        gain_on: Option<usize>,
    ) -> Option<Vec<(u32, Mode)>> {
        let arena = Arena::new(Caps::STANDARD);
        let read = |text: &str| batt_value::parse(text, &arena, &|_| None).unwrap();
        let grid = |text: &&str| match read(text) {
            Value::Grid(grid) => Grid::new(grid.width(), grid.cells().to_vec()).unwrap(),
            other => panic!("{other:?}"),
        };
        let goal = Goal::new(&outputs.iter().map(grid).collect::<Vec<_>>()).unwrap();
        let mut layers = Layers::new(&goal, 100);
        for (node, (kind, texts)) in values.iter().enumerate() {
            let values: Vec<_> = texts.iter().map(|text| read(text)).collect();
            layers.add(&goal, node as u32, *kind, 1, &values, &[]);
        }
        let stack = layers.stack(gain_on, 1)?;
        Some(stack.into_iter().map(|place| (layers.list()[place].node, layers.list()[place].mode)).collect())
    }

    #[test]
    fn upper_layers_hide_what_is_wrong_below() {
        let object: &[&str] = &["{(3, (0, 1)), (3, (0, 9))}"];
        let ground: &[&str] = &["[1 1 1 | 2 0 2]"];
        let values = [(Kind::Grid, ground), (Kind::Object, object)];
        // Only when the object is there the whole grid has nothing wrong that shows.
        let found = stack(&["[1 3 1 | 2 0 2]"], &values, None);
        assert_eq!(found, Some(vec![(1, Mode::Painted), (0, Mode::Whole)]));
        assert_eq!(stack(&["[1 3 1 | 2 0 5]"], &values, None), None);
    }

    #[test]
    fn places_take_the_colour_that_is_right() {
        let places: &[&str] = &["{(0, 0), (1, 1), (-1, 0)}"];
        let ground: &[&str] = &["[0 0 | 0 0]"];
        let found = stack(&["[4 0 | 0 4]"], &[(Kind::Indices, places), (Kind::Grid, ground)], None).unwrap();
        assert!(found.contains(&(0, Mode::Filled(4))), "{found:?}");
    }

    #[test]
    fn gain_on_one_pair_and_on_all_choose_differently() {
        let outputs = ["[1 1 1 1]", "[2 2 2 2 2 2]"];
        // The first is best on the first pair, the second on both together.
        let first: &[&str] = &["{(1, (0, 0)), (1, (0, 1)), (1, (0, 2)), (1, (0, 3))}", "{(2, (0, 0))}"];
        let second: &[&str] = &[
            "{(1, (0, 0))}",
            "{(2, (0, 0)), (2, (0, 1)), (2, (0, 2)), (2, (0, 3)), (2, (0, 4)), (2, (0, 5))}",
        ];
        let values = [(Kind::Object, first), (Kind::Object, second)];
        let top = |gain_on| stack(&outputs, &values, gain_on).unwrap()[0].0;
        assert_eq!((top(Some(0)), top(Some(1)), top(None)), (0, 1, 1));
    }

    #[test]
    fn what_is_mostly_wrong_or_outside_serves_nothing() {
        let goal = Goal::new(&[Grid::new(2, vec![1, 2]).unwrap()]).unwrap();
        let arena = Arena::new(Caps::STANDARD);
        let serves = |text: &str| {
            Layers::may_serve(&goal.outputs[0], batt_value::parse(text, &arena, &|_| None).unwrap())
        };
        assert!(serves("{(1, (0, 0))}") && serves("{(1, (0, 0)), (1, (0, 1))}") && serves("{(0, 1)}"));
        assert!(!serves("{(3, (0, 0))}") && !serves("{(1, (5, 5))}") && !serves("{(7, 7)}"));
    }
}
