//! A plan over the samples of a task, every shared node once.

use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use batt_dsl::{Cx, Limits, Table, registry, traced};
use batt_lang::Op;
use batt_plan::{Entry, Needs, Node, NodeId, Plan, ProgramId};
use batt_trace::{Lane, NodeRuns, Open, Spot};
use batt_value::{Arena, Caps, Fail, Owned, Symbol, Value, order};

use super::fold::{Folded, fold};
use crate::kernel;

/// How to run. Nothing here changes an answer or a bill, except the limits, and `all_demos` what is skipped.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    pub limits: Limits,
    /// Runs a program on the later samples too when it was not right on a demonstration pair.
    pub all_demos: bool,
    /// Computes a node once for all programs that need it.
    pub sharing: bool,
    /// Uses kernels beside the bodies.
    pub kernels: bool,
    /// Ends everything with [`Fail::Deadline`] once it is set.
    pub stop: Option<&'o AtomicBool>,
}

impl<'o> Options<'o> {
    fn table(&self) -> &'static Table {
        if self.kernels { kernel::table() } else { registry().table() }
    }

    /// What a node runs with.
    pub(super) fn cx<'a>(&self, arena: &'a Arena, fuel: u64, lane: Option<&'a Lane>) -> Cx<'a>
    where
        'o: 'a,
    {
        let cx = Cx::new(arena, fuel, self.stop);
        match lane {
            Some(lane) => cx.with_table(self.traced_table()).with_lane(lane),
            None => cx.with_table(self.table()),
        }
    }

    /// The same, with a recorder told of every call.
    fn traced_table(&self) -> &'static Table {
        static KERNELS: LazyLock<Vec<batt_dsl::Entry>> = LazyLock::new(|| traced(kernel::table()));
        static BODIES: LazyLock<Vec<batt_dsl::Entry>> = LazyLock::new(|| traced(registry().table()));
        if self.kernels { &KERNELS } else { &BODIES }
    }
}

/// A grid as the caller holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture<'j> {
    pub width: usize,
    pub cells: &'j [i8],
}

/// The work on one task: `S`, and the inputs in order.
#[derive(Clone, Debug)]
pub struct Job<'j> {
    /// `S`: the demonstration pairs.
    pub samples: Vec<(Picture<'j>, Picture<'j>)>,
    pub inputs: Vec<Input<'j>>,
    /// Which programs run.
    pub programs: Vec<ProgramId>,
}

/// One input of a job.
#[derive(Clone, Copy, Debug)]
pub struct Input<'j> {
    pub input: Picture<'j>,
    /// The output of a demonstration pair: a program that does not give it is not run on the later inputs.
    pub must_give: Option<Picture<'j>>,
}

/// What a program came to on one input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub end: End,
    /// The bill until the end.
    pub fuel: u64,
}

impl Run {
    const SKIPPED: Run = Run { end: End::Skipped, fuel: 0 };
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A grid of small integers.
    Grid {
        width: usize,
        cells: Box<[i8]>,
    },
    /// Any other value.
    Other(Owned),
    Failed(Failed),
    /// Not run: the program was not right on an earlier demonstration pair.
    Skipped,
}

impl End {
    /// The end of a run that came to a value.
    pub fn new(value: Value<'_>) -> End {
        match value {
            Value::Grid(grid) => End::Grid { width: grid.width(), cells: grid.cells().into() },
            other => End::Other(Owned::new(other)),
        }
    }
}

/// Where and why there is no value.
#[derive(Clone, Copy, Debug)]
pub struct Failed {
    pub fail: Fail,
    /// The place of the node in the program's own order.
    pub place: u32,
    pub primitive: Option<&'static Symbol>,
}

impl PartialEq for Failed {
    fn eq(&self, other: &Failed) -> bool {
        let name = |failed: &Failed| failed.primitive.map(|symbol| symbol.id);
        (self.fail, self.place, name(self)) == (other.fail, other.place, name(other))
    }
}

impl Eq for Failed {}

/// A plan whose cheap input-free nodes are computed. Holds for all tasks and threads.
pub struct Prepared<'p> {
    plan: &'p Plan,
    /// For each node, how often it is computed. A constant that is too expensive to fold is computed like a node that
    /// depends on the input: under the limits and the stop flag of a run.
    needs: Vec<Needs>,
    folded: Vec<Option<Memo<'p>>>,
}

/// A computed node.
// PERF: Copying a freshly written `Result` stalls the CPU (store-to-load forwarding fails), so the parts are separate
// words.
#[derive(Clone, Copy)]
pub(super) struct Memo<'a> {
    value: Value<'a>,
    /// Why there is no value.
    pub(super) fail: Option<Fail>,
    bill: u64,
    primitive: Option<&'static Symbol>,
}

impl<'a> Memo<'a> {
    pub(super) fn new(
        result: Result<Value<'a>, Fail>,
        bill: u64,
        primitive: Option<&'static Symbol>,
    ) -> Memo<'a> {
        let (value, fail) = match result {
            Ok(value) => (value, None),
            Err(fail) => (Value::None, Some(fail)),
        };
        Memo { value, fail, bill, primitive }
    }

    pub(super) fn ok(&self) -> Option<Value<'a>> {
        if self.fail.is_none() { Some(self.value) } else { None }
    }
}

impl<'p> Prepared<'p> {
    /// Folds the plan: computes what needs no input and is cheap, in `arena`. The rest is computed when a program runs
    /// and needs it.
    pub fn new(plan: &'p Plan, arena: &'p Arena, options: &Options<'p>) -> Prepared<'p> {
        let Folded { needs, memos: folded } = fold(plan, arena, options);
        Prepared { plan, needs, folded }
    }

    /// Runs one job.
    pub fn run(&self, job: &Job<'_>, options: &Options<'_>, scratch: &mut Scratch) -> Vec<Vec<Run>> {
        self.run_traced(job, options, scratch, None)
    }

    /// Runs one job and tells `lane` where the time goes.
    pub fn run_traced<'o>(
        &self,
        job: &Job<'_>,
        options: &Options<'o>,
        scratch: &mut Scratch,
        lane: Option<&'o Lane>,
    ) -> Vec<Vec<Run>> {
        if options.sharing || job.programs.len() == 1 {
            return self.run_together(job, &job.programs, options, scratch, lane);
        }
        let alone = |program: &ProgramId| {
            self.run_together(job, std::slice::from_ref(program), options, scratch, lane)
        };
        job.programs.iter().flat_map(alone).collect()
    }

    fn run_together<'o>(
        &self,
        job: &Job<'_>,
        programs: &[ProgramId],
        options: &Options<'o>,
        scratch: &mut Scratch,
        lane: Option<&'o Lane>,
    ) -> Vec<Vec<Run>> {
        let Scratch { task, sample, slots } = scratch;
        let n_slots = self.slots(programs, slots);
        let mut results: Vec<Vec<Run>> =
            programs.iter().map(|_| Vec::with_capacity(job.inputs.len())).collect();
        task.reset();
        let arena = &*task;
        let active = arena.repeat(programs.len(), true);
        let per_task = PerTask { value: samples(job, arena), arena, memos: arena.repeat(n_slots, None) };
        let round_bytes = ROUND_BYTES / threads();
        let mut run =
            TaskRun { prepared: self, options, slots: &*slots, n_slots, per_task, round_bytes, lane };
        for batch in batches(job.inputs.len(), options.all_demos) {
            let inputs = &job.inputs[batch.clone()];
            let mut next = 0;
            // Several rounds only if the programs fill the memory; then what was shared is computed again.
            while next < programs.len() {
                let first = next;
                let mut on = run.batch(sample, inputs);
                while next < programs.len() && on.cx.arena.bytes() <= run.round_bytes {
                    let results = &mut results[next];
                    if active[next] {
                        let entry = self.plan.program(programs[next]);
                        let Some(still) = run.program(entry, &mut on, inputs, results) else { break };
                        active[next] = still;
                    } else {
                        run.mark_lazily(Spot::PICK);
                        results.extend(inputs.iter().map(|_| Run::SKIPPED));
                    }
                    next += 1;
                }
                drop(on);
                if next == first {
                    // The values of this program fill the memory if all inputs run together.
                    let entry = self.plan.program(programs[next]);
                    for input in inputs {
                        let run = match active[next] {
                            true => run.alone(entry, sample, input, &mut active[next]),
                            false => Run::SKIPPED,
                        };
                        results[next].push(run);
                    }
                    next += 1;
                }
                if sample.bytes() > run.round_bytes {
                    *sample = Arena::new(options.limits.caps);
                    run.mark(Spot::MEMORY);
                }
            }
            if let Some(lane) = lane {
                let fuel = |i: usize| results.iter().map(|runs| runs[i].fuel).sum();
                lane.end_batch(batch.map(fuel));
            }
        }
        if task.bytes() > round_bytes {
            *task = Arena::new(options.limits.caps);
        }
        self.free(programs, slots);
        results
    }

    /// Gives each node that the programs need a slot. All are free before.
    fn slots(&self, programs: &[ProgramId], slots: &mut Vec<u32>) -> usize {
        slots.resize(self.plan.nodes().len(), u32::MAX);
        let mut next = 0;
        for node in programs.iter().flat_map(|program| &self.plan.program(*program).nodes) {
            let slot = &mut slots[node.index()];
            if *slot == u32::MAX {
                *slot = next;
                next += 1;
            }
        }
        next as usize
    }

    /// Frees the slots again: those in use are few among the nodes of a plan.
    fn free(&self, programs: &[ProgramId], slots: &mut [u32]) {
        for node in programs.iter().flat_map(|program| &self.plan.program(*program).nodes) {
            slots[node.index()] = u32::MAX;
        }
    }
}

/// Inputs that are run together, node by node: what a node needs is in the caches then, and a recorder stamps it once.
/// Unless a run goes on in any case, the first input is alone: most candidates fail on it.
fn batches(n_inputs: usize, all_demos: bool) -> impl Iterator<Item = Range<usize>> {
    let first = if all_demos { 0 } else { n_inputs.min(1) };
    let rest = (first..n_inputs).step_by(BATCH).map(move |start| start..n_inputs.min(start + BATCH));
    (0..first).map(|_| 0..1).chain(rest)
}

/// Most tasks have fewer inputs.
const BATCH: usize = 16;

/// When the values of the samples that are being run take this much on all threads together, they go, and what is
/// needed again is computed again. The values that are kept for a whole task may take as much; the others are then
/// computed once a sample. An arena grows by doubling, so it may hold twice that.
const ROUND_BYTES: usize = 64 << 20;

/// How many threads run jobs beside this one, itself included.
fn threads() -> usize {
    rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads())
}

/// Memory that a thread lends to its jobs.
pub struct Scratch {
    task: Arena,
    sample: Arena,
    slots: Vec<u32>,
}

impl Scratch {
    pub fn new(limits: Limits) -> Scratch {
        Scratch { task: Arena::new(limits.caps), sample: Arena::new(limits.caps), slots: Vec::new() }
    }
}

fn samples<'a>(job: &Job<'_>, arena: &'a Arena) -> Result<Value<'a>, Fail> {
    let mut pairs = Vec::with_capacity(job.samples.len());
    for (input, output) in &job.samples {
        pairs.push(
            arena.tuple(&[arena.grid(input.width, input.cells)?, arena.grid(output.width, output.cells)?])?,
        );
    }
    arena.tuple(&pairs)
}

/// What is known for all samples of a task.
struct PerTask<'t> {
    value: Result<Value<'t>, Fail>,
    arena: &'t Arena,
    memos: &'t mut [Option<Memo<'t>>],
}

/// Inputs that are being run together.
struct OnBatch<'s> {
    inputs: &'s mut [Result<Value<'s>, Fail>],
    cx: Cx<'s>,
    /// All nodes that a program has come past: by slot, and in it by input.
    memos: &'s mut [Option<Memo<'s>>],
    /// How far the running program has come on each input.
    states: &'s mut [State],
}

/// A program on its way through an input.
#[derive(Clone, Copy)]
struct State {
    bill: u64,
    failed: Option<Failed>,
}

impl State {
    const START: State = State { bill: 0, failed: None };
}

impl<'s> OnBatch<'s> {
    fn memos(&mut self, slot: usize) -> &mut [Option<Memo<'s>>] {
        let n = self.inputs.len();
        &mut self.memos[slot * n..][..n]
    }
}

struct TaskRun<'r, 'o, 'p, 't> {
    prepared: &'r Prepared<'p>,
    options: &'r Options<'o>,
    slots: &'r [u32],
    n_slots: usize,
    per_task: PerTask<'t>,
    /// See [`ROUND_BYTES`].
    round_bytes: usize,
    lane: Option<&'o Lane>,
}

impl<'o: 't, 'p: 't, 't> TaskRun<'_, 'o, 'p, 't> {
    /// Inputs to run together, in memory that is free.
    fn batch<'s>(&self, arena: &'s mut Arena, inputs: &[Input<'s>]) -> OnBatch<'s>
    where
        'o: 's,
    {
        arena.reset();
        let arena = &*arena;
        let grids = arena.repeat(inputs.len(), Err(Fail::Bug));
        for (grid, input) in grids.iter_mut().zip(inputs) {
            *grid = arena.grid_in(input.input.width, input.input.cells);
        }
        let on = OnBatch {
            inputs: grids,
            cx: self.options.cx(arena, self.options.limits.fuel, self.lane),
            memos: arena.repeat(self.n_slots * inputs.len(), None),
            states: arena.repeat(inputs.len(), State::START),
        };
        self.mark(Spot::MEMORY);
        on
    }

    /// Runs a program on one input.
    fn alone(&mut self, entry: &Entry, arena: &mut Arena, input: &Input<'_>, active: &mut bool) -> Run {
        let mut results = Vec::with_capacity(1);
        let inputs = std::slice::from_ref(input);
        let still = self.program(entry, &mut self.batch(arena, inputs), inputs, &mut results);
        *active = still.unwrap_or(true);
        results.pop().unwrap_or(Run::SKIPPED)
    }

    /// Runs a program on a batch. Says whether it is still in; nothing if the values of several inputs together take
    /// too much memory.
    fn program<'s>(
        &mut self,
        entry: &Entry,
        on: &mut OnBatch<'s>,
        inputs: &[Input<'_>],
        results: &mut Vec<Run>,
    ) -> Option<bool>
    where
        't: 's,
    {
        self.values(entry, on)?;
        let Some(last) = entry.nodes.last() else { return Some(true) };
        let last = self.slots[last.index()] as usize;
        let mut active = true;
        for (i, input) in inputs.iter().enumerate() {
            if !active {
                results.push(Run::SKIPPED);
                continue;
            }
            let State { bill, failed } = on.states[i];
            let value = on.memos(last)[i].map_or(Value::None, |memo| memo.value);
            let right = |expected| failed.is_none() && gives(value, expected);
            active = self.options.all_demos || input.must_give.is_none_or(right);
            let end = failed.map_or_else(|| End::new(value), End::Failed);
            results.push(Run { end, fuel: bill });
        }
        self.mark(Spot::COLLECT);
        Some(active)
    }

    /// The time since the last stamp was `spot`'s, if anybody wants to know.
    fn mark(&self, spot: Spot) {
        if let Some(lane) = self.lane {
            lane.mark(spot);
        }
    }

    /// The time until the next stamp is `spot`'s.
    fn mark_lazily(&self, spot: Spot) {
        if let Some(lane) = self.lane {
            lane.mark_lazily(spot);
        }
    }

    /// The values of a program and its bills: node after node in its own order, billed in full for each.
    fn values<'s>(&mut self, entry: &Entry, on: &mut OnBatch<'s>) -> Option<()>
    where
        't: 's,
    {
        let limit = self.options.limits.fuel;
        on.states.fill(State::START);
        for (place, id) in entry.nodes.iter().enumerate() {
            let slot = self.slots[id.index()] as usize;
            self.known(*id, slot, on);
            if self.is_full(on) {
                return None;
            }
            let mut runs = false;
            for i in 0..on.inputs.len() {
                let State { bill, failed: None } = on.states[i] else { continue };
                let Some(memo) = &on.memos(slot)[i] else { continue };
                if memo.fail.is_none() && memo.bill <= limit - bill {
                    on.states[i].bill = bill + memo.bill;
                    runs = true;
                } else {
                    let memo = *memo;
                    on.states[i] = self.failed(*id, place, i, memo, on);
                    if self.is_full(on) {
                        return None;
                    }
                }
            }
            if !runs {
                break;
            }
        }
        Some(())
    }

    /// Whether the values of several inputs together take too much memory.
    fn is_full(&self, on: &OnBatch<'_>) -> bool {
        on.inputs.len() > 1 && on.cx.arena.bytes() > self.round_bytes
    }

    /// The end of a program at a node that has no value on input number `i`, or none that it can pay.
    #[cold]
    fn failed<'s>(&self, id: NodeId, place: usize, i: usize, memo: Memo<'s>, on: &mut OnBatch<'s>) -> State
    where
        't: 's,
    {
        let limit = self.options.limits.fuel;
        let State { bill, .. } = on.states[i];
        let place = place as u32;
        match memo.fail {
            Some(fail) if fail != Fail::Fuel && memo.bill <= limit - bill => State {
                bill: bill + memo.bill,
                failed: Some(Failed { fail, place, primitive: memo.primitive }),
            },
            // Which primitive it was shows when the node runs on what is left.
            _ => {
                let _span = self.lane.map(|lane| lane.enter(Spot::FAIL));
                let short = self.again(id, i, on, limit - bill);
                State {
                    bill: limit,
                    failed: Some(Failed { fail: Fail::Fuel, place, primitive: short.primitive }),
                }
            }
        }
    }

    /// Sees to it that a node's values are there wherever the program has come so far: from the plan, the task or the
    /// sample, computed if they are not there yet.
    fn known<'s>(&mut self, id: NodeId, slot: usize, on: &mut OnBatch<'s>)
    where
        't: 's,
    {
        let common = match self.prepared.needs[id.index()] {
            Needs::Nothing => self.prepared.folded[id.index()],
            Needs::Samples => self.on_task(id, slot),
            Needs::Input => None,
        };
        match common {
            Some(memo) => on.memos(slot).fill(Some(memo)),
            None => self.on_inputs(id, slot, on),
        }
    }

    /// A node's value for all samples of the task, computed if it is not there yet. `None` if the values of the task
    /// take too much memory: then it is computed once a sample.
    fn on_task(&mut self, id: NodeId, slot: usize) -> Option<Memo<'t>> {
        if self.per_task.memos[slot].is_none() {
            let node = self.prepared.plan.node(id);
            let full = self.per_task.arena.bytes() > self.round_bytes;
            if full && node.is_computed() {
                return None;
            }
            // An argument that has no value for the task has one for each sample.
            let args = node.args.iter().map(|arg| self.task_memo(*arg).map(|memo| memo.value));
            let args: Vec<Value<'t>> = args.collect::<Option<_>>()?;
            let open = self.open(id);
            let before = self.per_task.arena.used();
            let mut cx = self.options.cx(self.per_task.arena, self.options.limits.fuel, self.lane);
            let memo = guarded(node, self.per_task.value, &args, &mut cx);
            let mut seen = NodeRuns::default();
            seen.add(memo.bill, memo.fail.is_some());
            self.close(open, seen, self.per_task.arena.used().saturating_sub(before));
            self.per_task.memos[slot] = Some(memo);
        }
        self.per_task.memos[slot]
    }

    /// What is known of a node for the whole task.
    fn task_memo(&self, id: NodeId) -> Option<Memo<'t>> {
        self.prepared.folded[id.index()].or(self.per_task.memos[self.slots[id.index()] as usize])
    }

    /// Computes a node on the inputs where it is not known.
    fn on_inputs<'s>(&self, id: NodeId, slot: usize, on: &mut OnBatch<'s>)
    where
        't: 's,
    {
        let fuel = self.options.limits.fuel;
        let node = self.prepared.plan.node(id);
        let n = on.inputs.len();
        let before = on.cx.arena.used();
        let mut open = None;
        let mut seen = NodeRuns::default();
        let mut i = 0;
        // One guard for all inputs; a panic ends the one it came from.
        while i < n && !self.is_full(on) {
            let guarded = super::caught(|| {
                while i < n && !self.is_full(on) {
                    if on.states[i].failed.is_none() && on.memos[slot * n + i].is_none() {
                        if seen.hits == 0 {
                            open = self.open(id);
                        }
                        let result = self.on_input(node, i, on, fuel);
                        let memo = Memo::new(result, on.cx.used(), on.cx.failed());
                        seen.add(memo.bill, memo.fail.is_some());
                        on.memos[slot * n + i] = Some(memo);
                    }
                    i += 1;
                }
                Ok(())
            });
            if let Err(bug) = guarded {
                let memo = Memo::new(Err(bug), on.cx.used(), on.cx.failed());
                seen.add(memo.bill, true);
                on.memos[slot * n + i] = Some(memo);
                i += 1;
            }
        }
        if seen.hits == 0 {
            self.mark_lazily(Spot::SHARE);
        } else {
            self.close(open, seen, on.cx.arena.used().saturating_sub(before));
        }
    }

    /// Tells the lane, if there is one, that a node is about to be computed. An input is there already; to say so is
    /// not worth a stamp.
    #[inline]
    fn open(&self, id: NodeId) -> Option<Open> {
        let lane = self.lane?;
        let node = self.prepared.plan.node(id);
        node.is_computed().then(|| lane.open_node(id.0, spot(&node.op)))
    }

    #[inline]
    fn close(&self, open: Option<Open>, seen: NodeRuns, bytes: usize) {
        if let (Some(lane), Some(open)) = (self.lane, open) {
            lane.close_node(open, NodeRuns { bytes: bytes.try_into().unwrap_or(u32::MAX), ..seen });
        }
    }

    /// A node once more with less fuel. In the memory of the sample, whatever the node needs: it is of no use later.
    fn again<'s>(&self, id: NodeId, i: usize, on: &mut OnBatch<'s>, fuel: u64) -> Memo<'s>
    where
        't: 's,
    {
        let silent = self.options.cx(on.cx.arena, fuel, None);
        let traced = std::mem::replace(&mut on.cx, silent);
        let result = super::caught(|| self.on_input(self.prepared.plan.node(id), i, on, fuel));
        let memo = Memo::new(result, on.cx.used(), on.cx.failed());
        on.cx = traced;
        memo
    }

    /// Computes a node on input number `i` of the batch.
    #[inline(always)]
    fn on_input<'s>(&self, node: &Node, i: usize, on: &mut OnBatch<'s>, fuel: u64) -> Result<Value<'s>, Fail>
    where
        't: 's,
    {
        let n = on.inputs.len();
        // A program that gets here has the values of all arguments.
        let arg = |id: &NodeId| match &on.memos[self.slots[id.index()] as usize * n + i] {
            Some(memo) => memo.value,
            None => Value::None,
        };
        let mut few = [Value::None; 4];
        let many: Vec<Value<'s>>;
        let args = match few.get_mut(..node.args.len()) {
            Some(few) => {
                few.iter_mut().zip(&node.args).for_each(|(to, id)| *to = arg(id));
                &*few
            }
            None => {
                many = node.args.iter().map(arg).collect();
                &many
            }
        };
        on.cx.start(fuel);
        compute(node, on.inputs[i], args, &mut on.cx)
    }
}

/// Computes a node on its arguments; `given` is `I` or `S`.
#[inline(always)]
fn compute<'a>(
    node: &Node,
    given: Result<Value<'a>, Fail>,
    args: &[Value<'a>],
    cx: &mut Cx<'a>,
) -> Result<Value<'a>, Fail> {
    match &node.op {
        Op::Input | Op::Samples => given,
        op => super::node(op, args, cx),
    }
}

/// The same with a guard of its own.
pub(super) fn guarded<'a>(
    node: &Node,
    given: Result<Value<'a>, Fail>,
    args: &[Value<'a>],
    cx: &mut Cx<'a>,
) -> Memo<'a> {
    let result = super::caught(|| compute(node, given, args, cx));
    Memo::new(result, cx.used(), cx.failed())
}

/// Where the time of a node goes.
pub fn spot(op: &Op) -> Spot {
    match op {
        Op::Call(symbol) => Spot::primitive(symbol.id),
        Op::Apply => Spot::APPLY,
        Op::Tuple => Spot::TUPLE,
        Op::Input | Op::Samples | Op::Const(_) | Op::Prim(_) => Spot::OTHER,
    }
}

fn gives(value: Value<'_>, expected: Picture<'_>) -> bool {
    match value {
        Value::Grid(grid) => grid.width() == expected.width && grid.cells() == expected.cells,
        // True equals 1, so a grid that is not of small integers may still be right.
        other => {
            let arena = Arena::new(Caps::STANDARD);
            arena.grid(expected.width, expected.cells).is_ok_and(|expected| order::equal(other, expected))
        }
    }
}
