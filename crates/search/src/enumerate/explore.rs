//! Makes values from values, from shallow to deep, until the fuel is gone.

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

/// What a search may use.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'b> {
    pub(super) fuel: u64,
    pub(super) bytes: usize,
    pub(super) layers: usize,
    /// The deepest programs, layers and last steps not counted. So deep only what may serve at once is kept.
    pub(super) depth: u8,
    pub(super) stop: &'b AtomicBool,
    /// Told where the time goes.
    pub(super) lane: Option<&'b Lane>,
}

impl Bounds<'_> {
    /// Books the time since the last mark.
    #[inline]
    pub(super) fn mark(&self, spot: Spot) {
        if let Some(lane) = self.lane {
            lane.mark(spot);
        }
    }
}

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Programs that were tried on the inputs, as far as the first on which they fail.
    pub candidates: u64,
    /// Calls of a primitive on one input; those that a primitive makes itself do not count.
    pub calls: u64,
    /// Programs with values that no other has.
    pub kept: u64,
    pub fuel: u64,
    /// Searches that came to their end before the fuel did.
    pub complete: u64,
}

impl Counts {
    pub fn add(&mut self, other: Counts) {
        self.candidates += other.candidates;
        self.calls += other.calls;
        self.kept += other.kept;
        self.fuel += other.fuel;
        self.complete += other.complete;
    }
}

pub(super) struct Explorer<'a, 'b> {
    pub(super) findings: Findings<'a, 'b>,
    pub(super) operations: Vec<Operation<'a>>,
    pub(super) counts: Counts,
    canvas: Option<u32>,
    bounds: Bounds<'b>,
    scratch: Arena,
}

/// The calls on one input may use so much fuel.
const FUEL_AN_INPUT: u64 = 8_000;
/// Kernels take less time for their fuel than programs do on the average.
const CHEAP: u64 = 8;
/// What a candidate costs besides its calls: hashing, comparing, drawing.
const FUEL_A_CANDIDATE: u64 = 60;
/// Partners of a value are at most so deep, and so many.
const PARTNER_DEPTH: u8 = 1;
const MAX_PARTNERS: usize = 40;
/// Values of candidates are forgotten when they take so many bytes.
const SCRATCH_BYTES: usize = 1 << 18;

impl<'a, 'b> Explorer<'a, 'b> {
    /// `inputs`: those of the demonstration pairs first.
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
        findings.take(Origin::Input, Kind::Grid, 0, &values?, true);
        let scratch = Arena::new(arena.caps());
        let mut explorer =
            Explorer { findings, operations, counts: Counts::default(), canvas: None, bounds, scratch };
        explorer.plain_canvas();
        Ok(explorer)
    }

    /// Explores until everything is done, or the fuel, the memory or the wish for more programs ends.
    pub(super) fn run(&mut self) {
        self.counts.complete = u64::from(self.levels().is_some());
    }

    fn levels(&mut self) -> Option<()> {
        let mut from = 0;
        for depth in 1..=self.bounds.depth {
            let to = self.findings.pool.nodes().len();
            for node in self.in_turn(from..to) {
                self.expand(node, |_| true)?;
            }
            if depth < self.bounds.depth && self.canvas.is_none() && self.canvas_like_a_node() {
                for node in 0..to {
                    self.expand(node as u32, Operation::needs_canvas)?;
                }
            }
            from = to;
        }
        Some(())
    }

    /// Nodes in the order in which they are expanded: one of each kind in turn, so that when the fuel ends no kind has
    /// been left out.
    fn in_turn(&self, nodes: Range<usize>) -> Vec<u32> {
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

    /// Applies all operations that are wanted to a node whose values are kept.
    fn expand(&mut self, x: u32, wanted: impl Fn(&Operation<'a>) -> bool) -> Option<()> {
        let node = &self.findings.pool.nodes()[x as usize];
        let (kind, depth) = (node.kind, node.depth);
        let leaf = depth + 1 >= self.bounds.depth;
        let Some(values) = node.values.clone() else { return Some(()) };
        for place in 0..self.operations.len() {
            let operation = &self.operations[place];
            if operation.takes != kind || !wanted(operation) {
                continue;
            }
            if operation.needs_canvas() && self.canvas.is_none() || leaf && !operation.gives.can_be_drawn() {
                continue;
            }
            match operation.with {
                None => self.attempt(place, x, &values, x, leaf)?,
                Some(kind) if depth <= PARTNER_DEPTH || kind == Kind::Color => {
                    for y in self.partners(kind, x) {
                        self.attempt(place, x, &values, y, leaf)?;
                    }
                }
                Some(_) => {}
            }
        }
        Some(())
    }

    /// Nodes that a node may be combined with.
    fn partners(&self, kind: Kind, x: u32) -> Vec<u32> {
        let nodes = self.findings.pool.nodes().iter().enumerate();
        let shallow = nodes.take_while(|(_, node)| node.depth <= PARTNER_DEPTH);
        let fit = shallow.filter(|(y, node)| node.kind == kind && *y as u32 != x && node.values.is_some());
        fit.map(|(y, _)| y as u32).take(MAX_PARTNERS).collect()
    }

    /// Tries an operation on all inputs.
    fn attempt(&mut self, place: usize, x: u32, values: &[Value<'a>], y: u32, leaf: bool) -> Option<()> {
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
        let fuel = FUEL_AN_INPUT * values.len() as u64;
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
                        && (!leaf || may_serve(findings.goal, sample, value)) =>
                {
                    results.push(value);
                }
                _ => break,
            }
        }
        bounds.mark(operation.template.spot());
        counts.fuel += cx.used() / CHEAP + FUEL_A_CANDIDATE;
        if results.len() == values.len() {
            let partner = if operation.with.is_some() { nodes[y as usize].depth } else { 0 };
            let depth = 1 + nodes[x as usize].depth.max(partner);
            let origin = Origin::Made { operation: place as u16, x, y };
            counts.kept +=
                u64::from(findings.take(origin, operation.gives, depth, &results, !leaf).is_some());
        }
        Some(())
    }

    /// A canvas whose size follows from the input's.
    fn plain_canvas(&mut self) {
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

    /// A canvas as large as some node, if there is one as large as the outputs. Whether there is.
    fn canvas_like_a_node(&mut self) -> bool {
        let mut nodes = 0..self.findings.pool.nodes().len();
        let found = nodes.find_map(|node| Some((node, self.sizes_like_outputs(node)?)));
        if let Some((node, sizes)) = found {
            let depth = self.findings.pool.nodes()[node].depth;
            self.add_canvas(Origin::CanvasLike(node as u32), &sizes, depth);
        }
        self.canvas.is_some()
    }

    /// The sizes of the values of a node, if on all pairs they are those of the outputs.
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
            self.canvas = self.findings.take(origin, Kind::Grid, depth, &blank, true);
        }
    }

    pub(super) fn canvas(&self) -> Option<u32> {
        self.canvas
    }
}

/// The size of a picture or of the box of a patch.
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

fn may_serve(goal: &Goal, sample: usize, value: Value<'_>) -> bool {
    let Some(output) = goal.outputs.get(sample) else { return true };
    match value {
        Value::Grid(grid) => goal.has_size(sample, grid.height(), grid.width()),
        other => Layers::may_serve(output, other),
    }
}

#[cfg(test)]
mod tests {
    use batt_value::Caps;

    use super::*;

    fn grid(width: usize, cells: &[i8]) -> Grid {
        Grid::new(width, cells.to_vec()).unwrap()
    }

    /// Explores from one input to one output.
    fn explore<T>(
        input: &Grid,
        output: &Grid,
        fuel: u64,
        bytes: usize,
        look: impl Fn(&Explorer<'_, '_>) -> T,
    ) -> T {
        let arena = Arena::new(Caps::STANDARD);
        let goal = Goal::new(std::slice::from_ref(output)).unwrap();
        let stop = AtomicBool::new(false);
        let bounds = Bounds { fuel, bytes, layers: 1000, depth: 2, stop: &stop, lane: None };
        let mut explorer =
            Explorer::new(&arena, std::slice::from_ref(input), &goal, &[0, 1, 2, 3], bounds).unwrap();
        explorer.run();
        look(&explorer)
    }

    #[test]
    fn values_that_are_the_same_are_one_node() {
        // All mirrors and turns of a grid of one colour are the grid itself.
        let (plain, sought) = (grid(2, &[1, 1, 1, 1]), grid(1, &[7]));
        let same = |explorer: &Explorer<'_, '_>| {
            let nodes = explorer.findings.pool.nodes();
            let grids = nodes.iter().filter_map(|node| node.values.as_deref()).map(|values| values[0]);
            let plain = grids.filter(|value| matches!(value, Value::Grid(grid) if grid.cells() == [1, 1, 1, 1] && grid.width() == 2));
            (plain.count(), explorer.counts.kept < explorer.counts.candidates / 2)
        };
        assert_eq!(explore(&plain, &sought, u64::MAX, usize::MAX, same), (1, true));
    }

    #[test]
    fn at_the_last_level_only_what_may_serve_is_kept() {
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
