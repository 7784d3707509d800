//! Makes values from values, from shallow to deep, until the fuel is used up.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use batt_device::{Answer, Code};
use batt_dsl::Cx;
use batt_exec::devices::Devices;
use batt_exec::kernel;
use batt_task::Grid;
use batt_trace::{Lane, Spot};
use batt_value::{Arena, Fail, Value, fingerprint};
use smallvec::SmallVec;

use super::findings::Findings;
use super::goal::Goal;
use super::kind::{Kind, MAX_SIDE};
use super::layer::Layers;
use super::lookahead::{Candidate, Holes, Lookahead};
use super::operation::{Operation, operations};
use super::pool::Origin;
use super::size::SizeRule;

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
    /// Devices that help.
    pub(super) devices: Option<&'b Devices>,
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
    /// The places of the operations that take each kind.
    places: [Vec<u16>; Kind::COUNT],
    pub(super) counts: Counts,
    /// The node of a black canvas with the size of the output.
    canvas: Option<u32>,
    bounds: Bounds<'b>,
    /// Values that devices compute in advance.
    ahead: Option<Lookahead<'b>>,
    /// Holds the values of candidates until they are copied or dropped.
    scratch: Arena,
}

/// The result of a candidate on one input.
enum Made<'s> {
    Value(Value<'s>),
    /// A grid that a device gave, and that is not made yet.
    Answer(Answer<'s>),
}

impl<'s> Made<'s> {
    /// Returns whether the result is worth keeping; on the last level, whether it may be useful on the input
    /// `leaf`.
    fn is_admitted(&self, kind: Kind, goal: &Goal, leaf: Option<usize>) -> bool {
        match *self {
            Made::Value(value) => {
                kind.admits(value) && leaf.is_none_or(|sample| may_be_useful(goal, sample, value))
            }
            Made::Answer(Answer { height, width, .. }) => {
                let fits = |sample| sample >= goal.outputs.len() || goal.has_size(sample, height, width);
                height.max(width) <= MAX_SIDE && leaf.is_none_or(fits)
            }
        }
    }

    fn fingerprint(&self, arena: &Arena) -> u64 {
        match self {
            Made::Value(value) => fingerprint(*value),
            // Grids are never made for their fingerprint.
            Made::Answer(answer) => answer.fingerprint(arena, Value::None).unwrap_or(0),
        }
    }

    fn value(self, arena: &'s Arena) -> Result<Value<'s>, Fail> {
        match self {
            Made::Value(value) => Ok(value),
            Made::Answer(answer) => answer.value(arena, Value::None),
        }
    }
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
        let ahead = bounds.devices.map(|devices| Lookahead::new(devices, &operations));
        let mut places: [Vec<u16>; Kind::COUNT] = Default::default();
        for (place, operation) in (0..).zip(&operations) {
            places[operation.takes as usize].push(place);
        }
        let counts = Counts::default();
        let mut explorer =
            Explorer { findings, operations, places, counts, canvas: None, bounds, ahead, scratch };
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
            self.expand_all(&self.interleaved(from..to), |_| true)?;
            if depth < self.bounds.depth && self.canvas.is_none() && self.add_canvas_like_node() {
                let all: Vec<u32> = (0..to as u32).collect();
                self.expand_all(&all, |operation| operation.needs_canvas)?;
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

    /// Applies all operations that `filter` accepts to nodes. Returns `None` if the search is over.
    fn expand_all(&mut self, order: &[u32], filter: impl Fn(&Operation<'a>) -> bool) -> Option<()> {
        if let Some(ahead) = &mut self.ahead {
            ahead.restart();
        }
        for (at, &node) in order.iter().enumerate() {
            if let Some(mut ahead) = self.ahead.take() {
                let program = ahead.program();
                let visit = |x: u32, add: &mut dyn FnMut(Candidate)| {
                    // Reading labels takes longer than finding the objects, so they are not asked for.
                    let known =
                        |place: &&u16| matches!(program.code(usize::from(**place)), Some(Code::Answer(_)));
                    for &place in self.places_for(x).iter().filter(known) {
                        if filter(&self.operations[usize::from(place)]) {
                            self.second_arguments(place, x).into_iter().for_each(|y| add((place, x, y)));
                        }
                    }
                };
                ahead.advance(at, order, self.holes(), &self.operations, visit);
                self.ahead = Some(ahead);
                self.bounds.mark(Spot::PICK);
            }
            self.expand(node, &filter)?;
        }
        Some(())
    }

    /// Applies all operations that `filter` accepts to a node, if its values are kept. Returns `None` if the
    /// search is over.
    fn expand(&mut self, x: u32, filter: impl Fn(&Operation<'a>) -> bool) -> Option<()> {
        let leaf = self.is_leaf(x);
        let Some(values) = self.findings.pool.nodes()[x as usize].values.clone() else { return Some(()) };
        for at in 0..self.places_for(x).len() {
            let place = self.places_for(x)[at];
            if filter(&self.operations[usize::from(place)]) {
                // Partners are listed now, because results of the operations before may be among them.
                for y in self.second_arguments(place, x) {
                    self.try_operation(usize::from(place), x, &values, y, leaf)?;
                }
            }
        }
        Some(())
    }

    /// Returns the places of the operations that take a node of this kind; none if its values are not kept.
    fn places_for(&self, x: u32) -> &[u16] {
        let node = &self.findings.pool.nodes()[x as usize];
        if node.values.is_some() { &self.places[node.kind as usize] } else { &[] }
    }

    /// Returns whether results of operations on a node are not used again.
    fn is_leaf(&self, x: u32) -> bool {
        self.findings.pool.nodes()[x as usize].depth + 1 >= self.bounds.depth
    }

    /// Returns the second arguments with which an operation is tried on a node; the node itself if the operation
    /// has only one argument.
    fn second_arguments(&self, place: u16, x: u32) -> SmallVec<[u32; 4]> {
        let operation = &self.operations[usize::from(place)];
        let node = &self.findings.pool.nodes()[x as usize];
        if operation.needs_canvas && self.canvas.is_none()
            || self.is_leaf(x) && !operation.gives.can_be_drawn()
        {
            return SmallVec::new();
        }
        match operation.with {
            None => SmallVec::from_slice(&[x]),
            Some(kind) if node.depth <= PARTNER_DEPTH || kind == Kind::Color => self.partners(kind, x),
            Some(_) => SmallVec::new(),
        }
    }

    /// Returns the values that operations are applied to.
    fn holes(&self) -> Holes<'_, 'a> {
        Holes { nodes: self.findings.pool.nodes(), canvas: self.canvas }
    }

    /// Returns the nodes of a kind that a node may be combined with.
    fn partners(&self, kind: Kind, x: u32) -> SmallVec<[u32; 4]> {
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
        let Explorer { findings, operations, counts, canvas, bounds, ahead, scratch, .. } = self;
        if counts.fuel >= bounds.fuel || bounds.stop.load(Ordering::Relaxed) || findings.is_full() {
            return None;
        }
        if scratch.used() > SCRATCH_BYTES {
            scratch.reset();
        }
        let scratch = &*scratch;
        let operation = &operations[place];
        let nodes = findings.pool.nodes();
        let holes = Holes { nodes, canvas: *canvas };
        let candidate = (place as u16, x, y);
        let memo = ahead.as_mut().and_then(|ahead| ahead.find(candidate, holes, operations));
        bounds.mark(Spot::PICK);
        let fuel = FUEL_PER_INPUT * values.len() as u64;
        let mut cx = Cx::new(scratch, fuel, Some(bounds.stop)).with_table(kernel::table());
        let mut results: SmallVec<[Made<'_>; 8]> = SmallVec::new();
        counts.candidates += 1;
        for (sample, value) in values.iter().enumerate() {
            counts.calls += operation.template.n_calls() as u64;
            // Without enough fuel, the primitives decide where it ends.
            let answer =
                memo.and_then(|memo| memo.get(sample)).filter(|answer| cx.spend(answer.bill).is_some());
            let made = match answer {
                Some(answer) if answer.kind == batt_device::Kind::Grid => Ok(Made::Answer(answer)),
                Some(answer) => answer.value(scratch, *value).map(Made::Value),
                None => {
                    let fill = holes.fill(x, y, sample);
                    operation.template.run(&mut cx, |hole| fill[hole as usize]).map(Made::Value)
                }
            };
            match made {
                Ok(made) if made.is_admitted(operation.gives, findings.goal, leaf.then_some(sample)) => {
                    results.push(made);
                }
                _ => break,
            }
        }
        bounds.mark(operation.template.spot());
        counts.fuel += cx.used() / FUEL_DIVISOR + FUEL_PER_CANDIDATE;
        if results.len() < values.len() {
            return Some(());
        }
        // Values of devices are made only if they are new.
        let has_answers = results.iter().any(|made| matches!(made, Made::Answer(_)));
        let fingerprints = results.iter().map(|made| made.fingerprint(scratch));
        if has_answers && findings.pool.has_values(operation.gives, fingerprints) {
            bounds.mark(Spot::NOVEL);
            return Some(());
        }
        let results: Result<SmallVec<[Value<'_>; 8]>, Fail> =
            results.into_iter().map(|made| made.value(scratch)).collect();
        let Ok(results) = results else { return Some(()) };
        let partner = if operation.with.is_some() { nodes[y as usize].depth } else { 0 };
        let depth = 1 + nodes[x as usize].depth.max(partner);
        let origin = Origin::Made { operation: place as u16, x, y };
        counts.kept += u64::from(findings.add(origin, operation.gives, depth, &results, !leaf).is_some());
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
        let bounds = Bounds { fuel, bytes, layers: 1000, depth: 2, stop: &stop, lane: None, devices: None };
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
