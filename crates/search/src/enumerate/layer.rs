//! Layers: values that draw a part of the outputs, and stacks of layers that draw all of them.

use batt_value::{Patch, Value};
use rustc_hash::FxHashSet;

use super::goal::{Goal, Output};
use super::kind::Kind;
use batt_value::mix;

/// How a value is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// All cells of a grid.
    Whole,
    /// The cells of a grid that are not black.
    Foreground,
    /// The black cells of a grid.
    Black,
    /// An object in its own colours.
    Painted,
    /// Places in one colour.
    Filled(u8),
    /// Places in the colour of a node.
    FilledBy(u32),
}

/// A node that draws a part of the outputs.
///
/// Cells are bits: one word for each row, pair after pair.
pub(super) struct Layer {
    pub(super) node: u32,
    pub(super) mode: Mode,
    pub(super) depth: u8,
    /// The cells it draws.
    cover: Box<[u32]>,
    /// The cells it draws in the wrong colour.
    wrong: Box<[u32]>,
}

/// A node that is a colour.
pub(super) struct ColorNode {
    pub(super) node: u32,
    /// The colour on each pair.
    pub(super) colors: Vec<u8>,
}

/// The layers found so far.
pub(super) struct Layers {
    list: Vec<Layer>,
    /// The hashes of their cells.
    hashes: FxHashSet<u64>,
    /// All cells of all outputs.
    all_cells: Box<[u32]>,
    /// The index of the first row of each pair.
    starts: Vec<usize>,
    /// The most layers.
    limit: usize,
    scratch: Scratch,
}

/// Buffers for the layer that is being drawn.
#[derive(Default)]
struct Scratch {
    cover: Vec<u32>,
    wrong: Vec<u32>,
    places: Vec<u32>,
}

/// The most layers in a stack. A larger stack hardly explains the outputs.
const MAX_STACK: usize = 8;

impl Layers {
    /// Creates an empty list for at most `limit` layers.
    pub(super) fn new(goal: &Goal, limit: usize) -> Layers {
        let row = |output: &Output| std::iter::repeat_n(mask(output.width), output.height);
        let all_cells: Box<[u32]> = goal.outputs.iter().flat_map(row).collect();
        let starts = goal.outputs.iter().scan(0, |next, output| {
            let start = *next;
            *next += output.height;
            Some(start)
        });
        Layers {
            list: Vec::new(),
            hashes: FxHashSet::default(),
            starts: starts.collect(),
            limit,
            scratch: Scratch::default(),
            all_cells,
        }
    }

    pub(super) fn list(&self) -> &[Layer] {
        &self.list
    }

    /// Returns the number of words in a layer.
    pub(super) fn words(&self) -> usize {
        self.all_cells.len()
    }

    /// Adds the layers of a node: each way of drawing it that gets at least half of its cells right. `values`
    /// has one value for each pair.
    pub(super) fn add(
        &mut self,
        goal: &Goal,
        node: u32,
        kind: Kind,
        depth: u8,
        values: &[Value<'_>],
        color_nodes: &[ColorNode],
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
                        &mut self.scratch.wrong[start..],
                    );
                }
                self.keep(node, Mode::Painted, depth);
            }
            Kind::Indices => self.add_places(goal, node, depth, values, color_nodes),
            _ => {}
        }
    }

    /// Adds the layers of places, in each colour and in the colours of `color_nodes`.
    fn add_places(
        &mut self,
        goal: &Goal,
        node: u32,
        depth: u8,
        values: &[Value<'_>],
        color_nodes: &[ColorNode],
    ) {
        self.clear();
        for (pair, value) in values.iter().enumerate() {
            let Value::Patch(patch) = value else { return };
            let start = self.starts[pair];
            let words = &mut self.scratch.cover[start..];
            draw_rows(patch, &goal.outputs[pair], |row, word| words[row] |= word, patch.rows());
        }
        self.scratch.places.clone_from(&self.scratch.cover);
        let n = count(&self.scratch.places);
        if n == 0 {
            return;
        }
        for color in 0..10 {
            if self.color_places(goal, |_| color) * 2 >= n {
                self.keep(node, Mode::Filled(color), depth);
            }
        }
        for color in color_nodes {
            if self.color_places(goal, |pair| color.colors[pair]) * 2 >= n {
                self.keep(node, Mode::FilledBy(color.node), depth + 1);
            }
        }
    }

    /// Draws the places in one colour for each pair. Returns the number of right cells.
    fn color_places(&mut self, goal: &Goal, color: impl Fn(usize) -> u8) -> u32 {
        let Scratch { wrong, places, .. } = &mut self.scratch;
        let mut right = 0;
        for (pair, output) in goal.outputs.iter().enumerate() {
            let plane = &output.planes[usize::from(color(pair))];
            for (row, wanted) in plane.iter().enumerate() {
                let at = self.starts[pair] + row;
                right += (places[at] & wanted).count_ones();
                wrong[at] = places[at] & !wanted;
            }
        }
        right
    }

    /// Clears the layer that is being drawn.
    fn clear(&mut self) {
        let n = self.all_cells.len();
        for words in [&mut self.scratch.cover, &mut self.scratch.wrong] {
            words.clear();
            words.resize(n, 0);
        }
    }

    /// Draws grids. Returns whether they have the sizes of the outputs.
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
                } & self.all_cells[at];
                self.scratch.cover[at] = cover;
                self.scratch.wrong[at] = cover & !right;
            }
        }
        true
    }

    /// Keeps the drawn layer if it is new and at least half of it is right.
    fn keep(&mut self, node: u32, mode: Mode, depth: u8) {
        let Scratch { cover, wrong, .. } = &self.scratch;
        let (n, n_wrong) = (count(cover), count(wrong));
        if n == 0 || n_wrong * 2 > n || self.list.len() >= self.limit {
            return;
        }
        let words = cover.iter().zip(wrong);
        let hash =
            words.fold(n.into(), |sum, (cover, wrong)| mix(sum, u64::from(*cover) << 32 | u64::from(*wrong)));
        if self.hashes.insert(hash) {
            self.list.push(Layer { node, mode, depth, cover: cover[..].into(), wrong: wrong[..].into() });
        }
    }

    /// Returns a stack of layers that draws all outputs, the uppermost layer first, by their indices.
    ///
    /// The layers above must hide all wrong cells of a layer. Of the layers for which they do, the one that
    /// covers the most of the remaining cells comes next. Cells are counted on the pair `gain_on`, or on all
    /// pairs if it is `None`. Layers deeper than `depth` are skipped.
    pub(super) fn stack(&self, gain_on: Option<usize>, depth: u8) -> Option<Vec<usize>> {
        let mut left = self.all_cells.clone();
        let rows = match gain_on {
            None => 0..self.all_cells.len(),
            Some(pair) => {
                self.starts[pair]..self.starts.get(pair + 1).copied().unwrap_or(self.all_cells.len())
            }
        };
        let mut stack = Vec::new();
        while left.iter().any(|word| *word != 0) {
            if stack.len() == MAX_STACK {
                return None;
            }
            // Once all cells of the pair are drawn, the others decide.
            let open = left[rows.clone()].iter().any(|word| *word != 0);
            let rows = if open { rows.clone() } else { 0..left.len() };
            let mut best: Option<(u32, usize)> = None;
            for (place, layer) in self.list.iter().enumerate() {
                if layer.depth > depth || layer.wrong.iter().zip(&left).any(|(wrong, left)| wrong & left != 0)
                {
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
        self.remove_unneeded(&mut stack);
        Some(stack)
    }

    /// Removes layers that are not needed to draw all outputs, the uppermost first.
    fn remove_unneeded(&self, stack: &mut Vec<usize>) {
        let mut place = 0;
        while place < stack.len() {
            let layer = stack.remove(place);
            if !self.draws_all(stack) {
                stack.insert(place, layer);
                place += 1;
            }
        }
    }

    /// Returns whether a stack draws all outputs.
    fn draws_all(&self, stack: &[usize]) -> bool {
        let mut left = self.all_cells.clone();
        for layer in stack.iter().map(|&place| &self.list[place]) {
            if layer.wrong.iter().zip(&left).any(|(wrong, left)| wrong & left != 0) {
                return false;
            }
            left.iter_mut().zip(&layer.cover).for_each(|(left, cover)| *left &= !cover);
        }
        left.iter().all(|word| *word == 0)
    }

    /// Returns whether an object or places can be a layer, judged by one pair: some cells are inside the
    /// output and, for an object, at least half of these are right.
    pub(super) fn may_be_layer(output: &Output, value: Value<'_>) -> bool {
        let Value::Patch(patch) = value else { return false };
        let (mut cover, mut wrong) = ([0; 32], [0; 32]);
        if patch.is_object() {
            paint(patch, output, &mut cover, &mut wrong);
        } else {
            draw_rows(patch, output, |row, word| cover[row] |= word, patch.rows());
        }
        let n = count(&cover);
        n > 0 && count(&wrong) * 2 <= n
    }
}

/// Returns the number of set bits.
fn count(words: &[u32]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

/// Returns a word with the first `width` bits set.
fn mask(width: usize) -> u32 {
    if width >= 32 { u32::MAX } else { (1 << width) - 1 }
}

/// Draws an object in its own colours.
fn paint(patch: &Patch<'_>, output: &Output, cover: &mut [u32], wrong: &mut [u32]) {
    for (color, plane) in patch.planes() {
        let wanted = usize::try_from(color).ok().and_then(|color| output.planes.get(color));
        let draw = |row: usize, word: u32| {
            cover[row] |= word;
            wrong[row] |= word & !wanted.map_or(0, |plane| plane[row]);
        };
        draw_rows(patch, output, draw, plane);
    }
}

/// Calls `draw` with each row of a plane, clipped to the output.
fn draw_rows(patch: &Patch<'_>, output: &Output, mut draw: impl FnMut(usize, u32), plane: &[u64]) {
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

    /// Returns the nodes and modes of the stack for these outputs and values. Each value has one text for
    /// each pair.
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
    fn upper_layers_hide_wrong_cells_below() {
        let object: &[&str] = &["{(3, (0, 1)), (3, (0, 9))}"];
        let background: &[&str] = &["[1 1 1 | 2 0 2]"];
        let values = [(Kind::Grid, background), (Kind::Object, object)];
        // The object hides the only wrong cell of the grid.
        let found = stack(&["[1 3 1 | 2 0 2]"], &values, None);
        assert_eq!(found, Some(vec![(1, Mode::Painted), (0, Mode::Whole)]));
        assert_eq!(stack(&["[1 3 1 | 2 0 5]"], &values, None), None);
    }

    #[test]
    fn places_are_filled_with_the_right_colour() {
        let places: &[&str] = &["{(0, 0), (1, 1), (-1, 0)}"];
        let background: &[&str] = &["[0 0 | 0 0]"];
        let found =
            stack(&["[4 0 | 0 4]"], &[(Kind::Indices, places), (Kind::Grid, background)], None).unwrap();
        assert!(found.contains(&(0, Mode::Filled(4))), "{found:?}");
    }

    #[test]
    fn gain_on_one_pair_and_on_all_choose_differently() {
        let outputs = ["[1 1 1 1]", "[2 2 2 2 2 2]"];
        // The first object is best on the first pair, the second on both together.
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
    fn values_mostly_wrong_or_outside_are_no_layers() {
        let goal = Goal::new(&[Grid::new(2, vec![1, 2]).unwrap()]).unwrap();
        let arena = Arena::new(Caps::STANDARD);
        let may_be_layer = |text: &str| {
            Layers::may_be_layer(&goal.outputs[0], batt_value::parse(text, &arena, &|_| None).unwrap())
        };
        assert!(
            may_be_layer("{(1, (0, 0))}")
                && may_be_layer("{(1, (0, 0)), (1, (0, 1))}")
                && may_be_layer("{(0, 1)}")
        );
        assert!(
            !may_be_layer("{(3, (0, 0))}") && !may_be_layer("{(1, (5, 5))}") && !may_be_layer("{(7, 7)}")
        );
    }
}
