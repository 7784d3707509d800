//! Makes values from values, from shallow to deep, until the fuel is used up.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use batt_dsl::Cx;
use batt_exec::kernel;
use batt_task::Grid;
use batt_trace::{Lane, Spot};
use batt_value::{Arena, Fail, Value};
use smallvec::SmallVec;

use super::findings::Findings;
use super::goal::Goal;
use super::kind::{Kind, MAX_SIDE};
use super::layer::Layers;
use super::operation::{Operation, operations};
use super::pool::Origin;
use super::size::SizeRule;
use super::template::Hole;

/// The limits of a search.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'b> {
    pub(super) fuel: u64,
    pub(super) bytes: usize,
    pub(super) layers: usize,
    /// The greatest depth, not counting layers and last steps. At this depth, only nodes that may be useful
    /// at once are kept.
    pub(super) depth: u8,
    pub(super) stop: &'b AtomicBool,
    /// Records where the time goes.
    pub(super) lane: Option<&'b Lane>,
}

impl Bounds<'_> {
    /// Books the time since the last stamp to `spot`, if there is a lane.
    #[inline]
    pub(super) fn mark(&self, spot: Spot) {
        if let Some(lane) = self.lane {
            lane.mark(spot);
        }
    }
}

/// The amount of work done by searches.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// The number of programs tried. Each runs on the inputs up to the first on which it fails.
    pub candidates: u64,
    /// The number of calls of a primitive on one input. Calls that a primitive makes itself do not count.
    pub calls: u64,
    /// The number of programs with new values.
    pub kept: u64,
    pub fuel: u64,
    /// The number of searches that tried everything before the fuel was used up.
    pub complete: u64,
}

impl Counts {
    /// Adds the counts of another search.
    pub fn add(&mut self, other: Counts) {
        self.candidates += other.candidates;
        self.calls += other.calls;
        self.kept += other.kept;
        self.fuel += other.fuel;
        self.complete += other.complete;
    }
}

/// A search up to a depth, with all values that it made.
pub(super) struct Explorer<'a, 'b> {
    pub(super) findings: Findings<'a, 'b>,
    pub(super) operations: Vec<Operation<'a>>,
    pub(super) counts: Counts,
    /// The node of a black canvas with the size of the output.
    canvas: Option<u32>,
    bounds: Bounds<'b>,
    /// Holds the values of candidates until they are copied or dropped.
    scratch: Arena,
}

/// The most fuel for the calls of a candidate on one input.
const FUEL_PER_INPUT: u64 = 8_000;
/// The fuel of calls is divided by this, because kernels take less time for their fuel than programs on
/// average.
const FUEL_DIVISOR: u64 = 8;
/// The cost of a candidate besides its calls: hashing, comparing, drawing.
const FUEL_PER_CANDIDATE: u64 = 60;
/// The greatest depth of a second argument, and of a first argument that is combined with one.
const PARTNER_DEPTH: u8 = 1;
/// The most second arguments that are tried for a first.
const MAX_PARTNERS: usize = 40;
/// The values of candidates are dropped when they take more bytes than this.
const SCRATCH_BYTES: usize = 1 << 18;

impl<'a, 'b> Explorer<'a, 'b> {
    /// Starts with the inputs, those of the demonstration pairs first, and a canvas if its size follows from
    /// them.
    pub(super) fn new(
        arena: &'a Arena,
        inputs: &[Grid],
        goal: &'b Goal,
        colors: &[u8],
        bounds: Bounds<'b>,
    ) -> Result<Explorer<'a, 'b>, Fail> {
        let operations = operations(colors, &mut Cx::new(arena, u64::MAX, None))?;
        let mut findings = Findings::new(arena, goal, bounds);
        let values: Result<Vec<_>, Fail> =
            inputs.iter().map(|grid| arena.grid(grid.width(), grid.cells())).collect();
        findings.add(Origin::Input, Kind::Grid, 0, &values?, true);
        let scratch = Arena::new(arena.caps());
        let mut explorer =
            Explorer { findings, operations, counts: Counts::default(), canvas: None, bounds, scratch };
        explorer.add_canvas_by_rule();
        Ok(explorer)
    }

    /// Explores until everything is done, the fuel or the memory is used up, there are enough programs, or a
    /// stop.
    pub(super) fn run(&mut self) {
        self.counts.complete = u64::from(self.explore_levels().is_some());
    }

    /// Explores level by level. Returns `None` if it ended early.
    fn explore_levels(&mut self) -> Option<()> {
        let mut from = 0;
        for depth in 1..=self.bounds.depth {
            let to = self.findings.pool.nodes().len();
            for node in self.interleaved(from..to) {
                self.expand(node, |_| true)?;
            }
            if depth < self.bounds.depth && self.canvas.is_none() && self.add_canvas_like_node() {
                for node in 0..to {
                    self.expand(node as u32, Operation::needs_canvas)?;
                }
            }
            from = to;
        }
        Some(())
    }

    /// Returns nodes in the order in which they are expanded. The kinds take turns, so that every kind is
    /// covered when the fuel ends.
    fn interleaved(&self, nodes: Range<usize>) -> Vec<u32> {
        let mut turns = [0; Kind::COUNT];
        let turn = |node: usize| {
            let kind = self.findings.pool.nodes()[node].kind;
            turns[kind as usize] += 1;
            (turns[kind as usize], kind, node as u32)
        };
        let mut order: Vec<(u32, Kind, u32)> = nodes.map(turn).collect();
        order.sort_unstable();
        order.into_iter().map(|(.., node)| node).collect()
    }

    /// Applies all operations that `filter` accepts to a node, if its values are kept. Returns `None` if the
    /// search is over.
    fn expand(&mut self, x: u32, filter: impl Fn(&Operation<'a>) -> bool) -> Option<()> {
        let node = &self.findings.pool.nodes()[x as usize];
        let (kind, depth) = (node.kind, node.depth);
        let leaf = depth + 1 >= self.bounds.depth;
        let Some(values) = node.values.clone() else { return Some(()) };
        for place in 0..self.operations.len() {
            let operation = &self.operations[place];
            if operation.takes != kind || !filter(operation) {
                continue;
            }
            if operation.needs_canvas() && self.canvas.is_none() || leaf && !operation.gives.can_be_drawn() {
                continue;
            }
            match operation.with {
                None => self.try_operation(place, x, &values, x, leaf)?,
                Some(kind) if depth <= PARTNER_DEPTH || kind == Kind::Color => {
                    for y in self.partners(kind, x) {
                        self.try_operation(place, x, &values, y, leaf)?;
                    }
                }
                Some(_) => {}
            }
        }
        Some(())
    }

    /// Returns the nodes of a kind that a node may be combined with.
    fn partners(&self, kind: Kind, x: u32) -> Vec<u32> {
        let nodes = self.findings.pool.nodes().iter().enumerate();
        let shallow = nodes.take_while(|(_, node)| node.depth <= PARTNER_DEPTH);
        let fit = shallow.filter(|(y, node)| node.kind == kind && *y as u32 != x && node.values.is_some());
        fit.map(|(y, _)| y as u32).take(MAX_PARTNERS).collect()
    }

    /// Tries an operation on all inputs, and keeps the result if it is new. Returns `None` if the search is
    /// over.
    fn try_operation(
        &mut self,
        place: usize,
        x: u32,
        values: &[Value<'a>],
        y: u32,
        leaf: bool,
    ) -> Option<()> {
        let Explorer { findings, operations, counts, canvas, bounds, scratch } = self;
        if counts.fuel >= bounds.fuel || bounds.stop.load(Ordering::Relaxed) || findings.is_full() {
            return None;
        }
        if scratch.used() > SCRATCH_BYTES {
            scratch.reset();
        }
        let scratch = &*scratch;
        let operation = &operations[place];
        let nodes = findings.pool.nodes();
        let canvas = canvas.and_then(|canvas| nodes[canvas as usize].values.as_deref());
        let (inputs, partners) = (nodes[0].values.as_deref()?, nodes[y as usize].values.as_deref());
        bounds.mark(Spot::PICK);
        let fuel = FUEL_PER_INPUT * values.len() as u64;
        let mut cx = Cx::new(scratch, fuel, Some(bounds.stop)).with_table(kernel::table());
        let mut results: SmallVec<[Value<'_>; 8]> = SmallVec::new();
        counts.candidates += 1;
        for (sample, value) in values.iter().enumerate() {
            counts.calls += operation.template.n_calls() as u64;
            let at = |values: Option<&[Value<'a>]>| values.map_or(Value::None, |values| values[sample]);
            let result = operation.template.run(&mut cx, |hole| match hole {
                Hole::First => *value,
                Hole::Second => at(partners),
                Hole::Input => inputs[sample],
                Hole::Canvas => at(canvas),
            });
            match result {
                Ok(value)
                    if operation.gives.admits(value)
                        && (!leaf || may_be_useful(findings.goal, sample, value)) =>
                {
                    results.push(value);
                }
                _ => break,
            }
        }
        bounds.mark(operation.template.spot());
        counts.fuel += cx.used() / FUEL_DIVISOR + FUEL_PER_CANDIDATE;
        if results.len() == values.len() {
            let partner = if operation.with.is_some() { nodes[y as usize].depth } else { 0 };
            let depth = 1 + nodes[x as usize].depth.max(partner);
            let origin = Origin::Made { operation: place as u16, x, y };
            counts.kept += u64::from(findings.add(origin, operation.gives, depth, &results, !leaf).is_some());
        }
        Some(())
    }

    /// Adds a canvas if its size can be computed from the size of the input.
    fn add_canvas_by_rule(&mut self) {
        let nodes = self.findings.pool.nodes();
        let inputs: Option<Vec<_>> =
            nodes[0].values.as_deref().unwrap_or_default().iter().map(|value| size(*value)).collect();
        let outputs: Vec<_> =
            self.findings.goal.outputs.iter().map(|output| (output.height, output.width)).collect();
        let Some(inputs) = inputs else { return };
        if let Some(rule) = SizeRule::find(&inputs, &outputs)
            && let Some(sizes) = inputs.iter().map(|input| rule.size(*input)).collect::<Option<Vec<_>>>()
        {
            self.add_canvas(Origin::Canvas(rule), &sizes, 0);
        }
    }

    /// Adds a canvas with the size of a node, if there is a node with the sizes of the outputs. Returns
    /// whether there is a canvas.
    fn add_canvas_like_node(&mut self) -> bool {
        let mut nodes = 0..self.findings.pool.nodes().len();
        let found = nodes.find_map(|node| Some((node, self.sizes_like_outputs(node)?)));
        if let Some((node, sizes)) = found {
            let depth = self.findings.pool.nodes()[node].depth;
            self.add_canvas(Origin::CanvasLike(node as u32), &sizes, depth);
        }
        self.canvas.is_some()
    }

    /// Returns the sizes of a node's values if they equal the sizes of the outputs on all pairs.
    fn sizes_like_outputs(&self, node: usize) -> Option<Vec<(usize, usize)>> {
        let values = self.findings.pool.nodes()[node].values.as_deref()?;
        let sizes: Vec<_> = values.iter().map(|value| size(*value)).collect::<Option<_>>()?;
        let outputs = self.findings.goal.outputs.iter().map(|output| (output.height, output.width));
        outputs.zip(&sizes).all(|(output, size)| output == *size).then_some(sizes)
    }

    fn add_canvas(&mut self, origin: Origin, sizes: &[(usize, usize)], depth: u8) {
        let scratch = &self.scratch;
        let blank: Option<Vec<_>> =
            sizes.iter().map(|&(height, width)| scratch.new_grid(height, width, |_| ()).ok()).collect();
        if let Some(blank) = blank {
            self.canvas = self.findings.add(origin, Kind::Grid, depth, &blank, true);
        }
    }

    /// Returns the node of a black canvas with the size of the output.
    pub(super) fn canvas(&self) -> Option<u32> {
        self.canvas
    }
}

/// Returns the size of a grid or of the bounding box of a patch.
fn size(value: Value<'_>) -> Option<(usize, usize)> {
    match value {
        Value::Grid(grid) => Some((grid.height(), grid.width())),
        Value::Patch(patch) => {
            let (_, _, height, width) = patch.bounds();
            (height.max(width) <= MAX_SIDE as i64).then_some((height as usize, width as usize))
        }
        _ => None,
    }
}

/// Returns whether a value can become the output of a pair, or a layer of it.
fn may_be_useful(goal: &Goal, sample: usize, value: Value<'_>) -> bool {
    let Some(output) = goal.outputs.get(sample) else { return true };
    match value {
        Value::Grid(grid) => goal.has_size(sample, grid.height(), grid.width()),
        other => Layers::may_be_layer(output, other),
    }
}

#[cfg(test)]
mod tests {
    use batt_value::Caps;

    use super::*;

    fn grid(width: usize, cells: &[i8]) -> Grid {
        Grid::new(width, cells.to_vec()).unwrap()
    }

    /// Explores from one input and one output, and returns what `read` takes from the explorer.
    fn explore<T>(
        input: &Grid,
        output: &Grid,
        fuel: u64,
        bytes: usize,
        read: impl Fn(&Explorer<'_, '_>) -> T,
    ) -> T {
        let arena = Arena::new(Caps::STANDARD);
        let goal = Goal::new(std::slice::from_ref(output)).unwrap();
        let stop = AtomicBool::new(false);
        let bounds = Bounds { fuel, bytes, layers: 1000, depth: 2, stop: &stop, lane: None };
        let mut explorer =
            Explorer::new(&arena, std::slice::from_ref(input), &goal, &[0, 1, 2, 3], bounds).unwrap();
        explorer.run();
        read(&explorer)
    }

    #[test]
    fn equal_values_are_one_node() {
        // All mirror images and rotations of a square grid of one colour are equal.
        let (plain, output) = (grid(2, &[1, 1, 1, 1]), grid(1, &[7]));
        let same = |explorer: &Explorer<'_, '_>| {
            let nodes = explorer.findings.pool.nodes();
            let grids = nodes.iter().filter_map(|node| node.values.as_deref()).map(|values| values[0]);
            let plain = grids.filter(|value| matches!(value, Value::Grid(grid) if grid.cells() == [1, 1, 1, 1] && grid.width() == 2));
            (plain.count(), explorer.counts.kept < explorer.counts.candidates / 2)
        };
        assert_eq!(explore(&plain, &output, u64::MAX, usize::MAX, same), (1, true));
    }

    #[test]
    fn the_last_level_keeps_only_values_that_can_be_drawn() {
        let (input, output) = (grid(3, &[1, 2, 3, 0, 2, 1]), grid(2, &[3, 3, 3, 3]));
        explore(&input, &output, u64::MAX, usize::MAX, |explorer| {
            let last = explorer.findings.pool.nodes().iter().filter(|node| node.depth == 2);
            let kinds: Vec<Kind> = last.map(|node| node.kind).collect();
            assert!(!kinds.is_empty() && kinds.iter().all(|kind| kind.can_be_drawn()), "{kinds:?}");
        });
    }

    #[test]
    fn memory_and_fuel_are_bounded() {
        let cells: Vec<i8> = (0..400).map(|i| (i * i % 7 % 4) as i8).collect();
        let (input, output) = (grid(20, &cells), grid(2, &[3, 2, 1, 3]));
        let bytes = 1 << 13;
        let used =
            |bytes| explore(&input, &output, u64::MAX, bytes, |explorer| explorer.findings.pool.bytes());
        let (bounded, free) = (used(bytes), used(usize::MAX));
        assert!(bounded > bytes && bounded < 3 * bytes && bounded < free, "{bounded} of {free}");
        let spent = |fuel| explore(&input, &output, fuel, usize::MAX, |explorer| explorer.counts);
        let (little, more) = (spent(100_000), spent(200_000));
        assert!(little.fuel >= 100_000 && little.fuel < 150_000 && little.complete == 0, "{little:?}");
        assert!(more.candidates > little.candidates && spent(100_000) == little);
    }
}
