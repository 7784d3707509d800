//! The CPU backend: runs a plan on the samples of a task and computes every shared node once.

mod ahead;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use batt_base::with_enough_stack;
use batt_dsl::{Cx, Limits, Table, registry, traced};
use batt_lang::Op;
use batt_plan::{Entry, Needs, Node, NodeId, Plan, ProgramId};
use batt_trace::{Lane, NodeRuns, Open, Spot};
use batt_value::{Arena, Caps, Fail, Owned, Symbol, Value, order};

use super::fold::{Folded, fold};
use crate::kernel;
use ahead::{Ahead, DeviceNodes};

/// Options of a run. Only the limits affect results and fuel; `all_demos` affects which runs are skipped.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    pub limits: Limits,
    /// Runs a program on the later samples even if it was wrong on a demonstration pair.
    pub all_demos: bool,
    /// Computes a node once for all programs that need it.
    pub sharing: bool,
    /// Uses kernels where they exist.
    pub kernels: bool,
    /// Once set, everything fails with [`Fail::Deadline`].
    pub stop: Option<&'o AtomicBool>,
}

impl<'o> Options<'o> {
    fn table(&self) -> &'static Table {
        if self.kernels { kernel::table() } else { registry().table() }
    }

    /// Returns the context in which a node runs.
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

    /// Returns the table whose entries also record every call.
    fn traced_table(&self) -> &'static Table {
        static KERNELS: LazyLock<Vec<batt_dsl::Entry>> = LazyLock::new(|| traced(kernel::table()));
        static BODIES: LazyLock<Vec<batt_dsl::Entry>> = LazyLock::new(|| traced(registry().table()));
        if self.kernels { &KERNELS } else { &BODIES }
    }
}

/// A grid borrowed from the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture<'j> {
    pub width: usize,
    pub cells: &'j [i8],
}

/// The work on one task.
#[derive(Clone, Debug)]
pub struct Job<'j> {
    /// `S`: the demonstration pairs.
    pub samples: Vec<(Picture<'j>, Picture<'j>)>,
    pub inputs: Vec<Input<'j>>,
    /// The programs to run.
    pub programs: Vec<ProgramId>,
}

/// One input of a job.
#[derive(Clone, Copy, Debug)]
pub struct Input<'j> {
    pub input: Picture<'j>,
    /// The output of a demonstration pair. A program that gives another one is not run on the later inputs.
    pub must_give: Option<Picture<'j>>,
}

/// The result of a program on one input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub end: End,
    /// The fuel used.
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
    /// Not run: the program was wrong on an earlier demonstration pair.
    Skipped,
}

impl End {
    /// Converts the value of a run.
    pub fn new(value: Value<'_>) -> End {
        match value {
            Value::Grid(grid) => End::Grid { width: grid.width(), cells: grid.cells().into() },
            other => End::Other(Owned::new(other)),
        }
    }

    /// Returns the width and the cells, if the value is a rectangle of small integers. `True` counts as 1, as
    /// in Python, so this can be a value without the form of a grid.
    pub fn rectangle(&self) -> Option<(usize, Cow<'_, [i8]>)> {
        match self {
            End::Grid { width, cells } => Some((*width, Cow::Borrowed(cells))),
            End::Other(owned) => owned.rectangle().map(|(width, cells)| (width, Cow::Owned(cells))),
            End::Failed(_) | End::Skipped => None,
        }
    }
}

/// The reason and the place of a failure.
#[derive(Clone, Copy, Debug)]
pub struct Failed {
    pub fail: Fail,
    /// The index of the node in the program's own order.
    pub node: u32,
    pub primitive: Option<&'static Symbol>,
}

impl PartialEq for Failed {
    fn eq(&self, other: &Failed) -> bool {
        let primitive = |failed: &Failed| failed.primitive.map(|symbol| symbol.id);
        (self.fail, self.node, primitive(self)) == (other.fail, other.node, primitive(other))
    }
}

impl Eq for Failed {}

/// A plan with its cheap constants computed. It can be used for all tasks and threads.
pub struct Prepared<'p> {
    plan: &'p Plan,
    /// For each node, what it depends on. A constant that is too expensive to fold counts as depending on the
    /// input, so that it runs under the limits and the stop flag of a run.
    needs: Vec<Needs>,
    folded: Vec<Option<Memo<'p>>>,
    /// The nodes that devices can compute.
    on_devices: Option<DeviceNodes<'p>>,
}

/// A computed node.
// PERF: Copying a freshly written `Result` stalls the CPU (store-to-load forwarding fails), so the parts are
// separate words.
#[derive(Clone, Copy)]
pub(super) struct Memo<'a> {
    value: Value<'a>,
    /// The reason if there is no value.
    pub(super) fail: Option<Fail>,
    fuel: u64,
    primitive: Option<&'static Symbol>,
}

impl<'a> Memo<'a> {
    pub(super) fn new(
        result: Result<Value<'a>, Fail>,
        fuel: u64,
        primitive: Option<&'static Symbol>,
    ) -> Memo<'a> {
        let (value, fail) = match result {
            Ok(value) => (value, None),
            Err(fail) => (Value::None, Some(fail)),
        };
        Memo { value, fail, fuel, primitive }
    }

    pub(super) fn ok(&self) -> Option<Value<'a>> {
        if self.fail.is_none() { Some(self.value) } else { None }
    }
}

impl<'p> Prepared<'p> {
    /// Computes the cheap constants of the plan in `arena`.
    pub fn new(plan: &'p Plan, arena: &'p Arena, options: &Options<'p>) -> Prepared<'p> {
        let Folded { needs, memos: folded } = with_enough_stack(|| fold(plan, arena, options));
        Prepared { plan, needs, folded, on_devices: None }
    }

    /// Runs one job.
    pub fn run(&self, job: &Job<'_>, options: &Options<'_>, scratch: &mut Scratch) -> Vec<Vec<Run>> {
        self.run_traced(job, options, scratch, None)
    }

    /// Runs one job and records its time in `lane`.
    pub fn run_traced<'o>(
        &self,
        job: &Job<'_>,
        options: &Options<'o>,
        scratch: &mut Scratch,
        lane: Option<&'o Lane>,
    ) -> Vec<Vec<Run>> {
        with_enough_stack(|| {
            if options.sharing || job.programs.len() == 1 {
                return self.run_together(job, &job.programs, options, scratch, lane);
            }
            let alone = |program: &ProgramId| {
                self.run_together(job, std::slice::from_ref(program), options, scratch, lane)
            };
            job.programs.iter().flat_map(alone).collect()
        })
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
        let n_slots = self.assign_slots(programs, slots);
        let mut results: Vec<Vec<Run>> =
            programs.iter().map(|_| Vec::with_capacity(job.inputs.len())).collect();
        task.reset();
        let arena = &*task;
        let active = arena.repeat(programs.len(), true);
        let per_task = PerTask { samples: samples(job, arena), arena, memos: arena.repeat(n_slots, None) };
        let round_bytes = ROUND_BYTES / threads();
        let prepared = self;
        let mut run =
            TaskRun { prepared, options, slots: &*slots, n_slots, per_task, round_bytes, lane, ahead: None };
        for range in batches(job.inputs.len(), options.all_demos) {
            let inputs = &job.inputs[range.clone()];
            run.ask_devices(programs, active, inputs);
            let mut next = 0;
            // Usually one round. If the values fill the memory, the next round computes shared values again.
            while next < programs.len() {
                let first = next;
                let mut batch = run.batch(sample, inputs);
                while next < programs.len() && batch.cx.arena.bytes() <= run.round_bytes {
                    let results = &mut results[next];
                    if active[next] {
                        let entry = self.plan.program(programs[next]);
                        let Some(still_active) = run.program(entry, &mut batch, inputs, results) else {
                            break;
                        };
                        active[next] = still_active;
                    } else {
                        run.mark_lazily(Spot::PICK);
                        results.extend(inputs.iter().map(|_| Run::SKIPPED));
                    }
                    next += 1;
                }
                drop(batch);
                if next == first {
                    // This program needs too much memory for all inputs at once.
                    let entry = self.plan.program(programs[next]);
                    run.ahead = None;
                    for input in inputs {
                        let run = match active[next] {
                            true => run.program_on_input(entry, sample, input, &mut active[next]),
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
                lane.end_batch(range.map(fuel));
            }
        }
        drop(run);
        if task.bytes() > round_bytes {
            *task = Arena::new(options.limits.caps);
        }
        self.free_slots(programs, slots);
        results
    }

    /// Gives a slot to each node that the programs need, and returns their number. All slots must be free.
    fn assign_slots(&self, programs: &[ProgramId], slots: &mut Vec<u32>) -> usize {
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

    /// Frees the slots. The programs use few of the nodes of a plan, so the rest is not touched.
    fn free_slots(&self, programs: &[ProgramId], slots: &mut [u32]) {
        for node in programs.iter().flat_map(|program| &self.plan.program(*program).nodes) {
            slots[node.index()] = u32::MAX;
        }
    }
}

/// Returns ranges of inputs that run together, node by node. This makes good use of the caches, and each node
/// takes only one stamp. Without `all_demos` the first input runs alone, because most candidates fail on it.
fn batches(n_inputs: usize, all_demos: bool) -> impl Iterator<Item = Range<usize>> {
    let first = if all_demos { 0 } else { n_inputs.min(1) };
    let rest = (first..n_inputs).step_by(MAX_BATCH).map(move |start| start..n_inputs.min(start + MAX_BATCH));
    (0..first).map(|_| 0..1).chain(rest)
}

/// The maximum number of inputs that run together. Most tasks have fewer.
const MAX_BATCH: usize = 16;

/// The memory for the values of running samples, on all threads together. When it is full, values are dropped
/// and computed again if needed. Values for a whole task may take the same amount; beyond it they are
/// computed once per sample. An arena grows by doubling, so it may take twice as much.
const ROUND_BYTES: usize = 64 << 20;

/// Returns the number of threads that run jobs, including this one.
fn threads() -> usize {
    rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads())
}

/// Memory that a thread reuses for its jobs.
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

/// The values that are the same for all samples of a task.
struct PerTask<'t> {
    /// `S`.
    samples: Result<Value<'t>, Fail>,
    arena: &'t Arena,
    memos: &'t mut [Option<Memo<'t>>],
}

/// The state of inputs that run together.
struct Batch<'s> {
    inputs: &'s mut [Result<Value<'s>, Fail>],
    cx: Cx<'s>,
    /// The computed nodes, by slot and then by input.
    memos: &'s mut [Option<Memo<'s>>],
    /// The progress of the running program on each input.
    states: &'s mut [State],
}

/// The progress of a program on an input.
#[derive(Clone, Copy)]
struct State {
    fuel: u64,
    failed: Option<Failed>,
}

impl State {
    const START: State = State { fuel: 0, failed: None };
}

impl<'s> Batch<'s> {
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
    /// Nodes of the current batch that devices were asked for.
    ahead: Option<Ahead<'r>>,
}

impl<'o: 't, 'p: 't, 't> TaskRun<'_, 'o, 'p, 't> {
    /// Starts a batch of inputs in an arena, which is reset.
    fn batch<'s>(&self, arena: &'s mut Arena, inputs: &[Input<'s>]) -> Batch<'s>
    where
        'o: 's,
    {
        arena.reset();
        let arena = &*arena;
        let grids = arena.repeat(inputs.len(), Err(Fail::Bug));
        for (grid, input) in grids.iter_mut().zip(inputs) {
            *grid = arena.grid_in(input.input.width, input.input.cells);
        }
        let batch = Batch {
            inputs: grids,
            cx: self.options.cx(arena, self.options.limits.fuel, self.lane),
            memos: arena.repeat(self.n_slots * inputs.len(), None),
            states: arena.repeat(inputs.len(), State::START),
        };
        self.mark(Spot::MEMORY);
        batch
    }

    /// Runs a program on one input.
    fn program_on_input(
        &mut self,
        entry: &Entry,
        arena: &mut Arena,
        input: &Input<'_>,
        active: &mut bool,
    ) -> Run {
        let mut results = Vec::with_capacity(1);
        let inputs = std::slice::from_ref(input);
        let still_active = self.program(entry, &mut self.batch(arena, inputs), inputs, &mut results);
        *active = still_active.unwrap_or(true);
        results.pop().unwrap_or(Run::SKIPPED)
    }

    /// Runs a program on a batch. Returns whether to run it on later inputs, or `None` if the values of
    /// several inputs take too much memory.
    fn program<'s>(
        &mut self,
        entry: &Entry,
        batch: &mut Batch<'s>,
        inputs: &[Input<'_>],
        results: &mut Vec<Run>,
    ) -> Option<bool>
    where
        't: 's,
    {
        self.compute_nodes(entry, batch)?;
        let Some(last) = entry.nodes.last() else { return Some(true) };
        let last = self.slots[last.index()] as usize;
        let mut active = true;
        for (i, input) in inputs.iter().enumerate() {
            if !active {
                results.push(Run::SKIPPED);
                continue;
            }
            let State { fuel, failed } = batch.states[i];
            let value = batch.memos(last)[i].map_or(Value::None, |memo| memo.value);
            let right = |expected| failed.is_none() && equals(value, expected);
            active = self.options.all_demos || input.must_give.is_none_or(right);
            let end = failed.map_or_else(|| End::new(value), End::Failed);
            results.push(Run { end, fuel });
        }
        self.mark(Spot::COLLECT);
        Some(active)
    }

    /// See [`Lane::mark`].
    fn mark(&self, spot: Spot) {
        if let Some(lane) = self.lane {
            lane.mark(spot);
        }
    }

    /// See [`Lane::mark_lazily`].
    fn mark_lazily(&self, spot: Spot) {
        if let Some(lane) = self.lane {
            lane.mark_lazily(spot);
        }
    }

    /// Computes the nodes of a program in its own order, and charges it for each, even if another program
    /// computed it.
    fn compute_nodes<'s>(&mut self, entry: &Entry, batch: &mut Batch<'s>) -> Option<()>
    where
        't: 's,
    {
        let limit = self.options.limits.fuel;
        batch.states.fill(State::START);
        for (index, id) in entry.nodes.iter().enumerate() {
            let slot = self.slots[id.index()] as usize;
            self.ensure_computed(*id, slot, batch);
            if self.is_full(batch) {
                return None;
            }
            let mut runs = false;
            for i in 0..batch.inputs.len() {
                let State { fuel, failed: None } = batch.states[i] else { continue };
                let Some(memo) = &batch.memos(slot)[i] else { continue };
                if memo.fail.is_none() && memo.fuel <= limit - fuel {
                    batch.states[i].fuel = fuel + memo.fuel;
                    runs = true;
                } else {
                    let memo = *memo;
                    batch.states[i] = self.failure(*id, index, i, memo, batch);
                    if self.is_full(batch) {
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

    /// Returns whether the values of several inputs together take too much memory.
    fn is_full(&self, batch: &Batch<'_>) -> bool {
        batch.inputs.len() > 1 && batch.cx.arena.bytes() > self.round_bytes
    }

    /// Returns the final state of a program whose node fails on input `i` or costs more fuel than is left.
    #[cold]
    fn failure<'s>(&self, id: NodeId, index: usize, i: usize, memo: Memo<'s>, batch: &mut Batch<'s>) -> State
    where
        't: 's,
    {
        let limit = self.options.limits.fuel;
        let State { fuel, .. } = batch.states[i];
        let node = index as u32;
        match memo.fail {
            Some(fail) if fail != Fail::Fuel && memo.fuel <= limit - fuel => State {
                fuel: fuel + memo.fuel,
                failed: Some(Failed { fail, node, primitive: memo.primitive }),
            },
            // Run the node again with the fuel that is left, to find the primitive that runs out of it.
            _ => {
                let _span = self.lane.map(|lane| lane.enter(Spot::FAIL));
                let rerun = self.rerun(id, i, batch, limit - fuel);
                State {
                    fuel: limit,
                    failed: Some(Failed { fail: Fail::Fuel, node, primitive: rerun.primitive }),
                }
            }
        }
    }

    /// Makes sure that a node has a value for each input on which the program is still running. Values come
    /// from the plan, the task or the sample, or are computed.
    fn ensure_computed<'s>(&mut self, id: NodeId, slot: usize, batch: &mut Batch<'s>)
    where
        't: 's,
    {
        let common = match self.prepared.needs[id.index()] {
            Needs::Nothing => self.prepared.folded[id.index()],
            Needs::Samples => self.compute_on_task(id, slot),
            Needs::Input => None,
        };
        match common {
            Some(memo) => batch.memos(slot).fill(Some(memo)),
            None => {
                if let Some(ahead) = &self.ahead {
                    self.take_answers(ahead, id, slot, batch);
                }
                self.compute_on_inputs(id, slot, batch);
            }
        }
    }

    /// Returns a node's value for the whole task, and computes it the first time. Returns `None` if the
    /// values of the task take too much memory; then the node is computed once per sample.
    fn compute_on_task(&mut self, id: NodeId, slot: usize) -> Option<Memo<'t>> {
        if self.per_task.memos[slot].is_none() {
            let node = self.prepared.plan.node(id);
            let full = self.per_task.arena.bytes() > self.round_bytes;
            if full && node.is_computed() {
                return None;
            }
            // If an argument has no value for the task, it is computed per sample, and so is this node.
            let args = node.args.iter().map(|arg| self.task_memo(*arg).map(|memo| memo.value));
            let args: Vec<Value<'t>> = args.collect::<Option<_>>()?;
            let open = self.open(id);
            let before = self.per_task.arena.used();
            let mut cx = self.options.cx(self.per_task.arena, self.options.limits.fuel, self.lane);
            let memo = compute_guarded(node, self.per_task.samples, &args, &mut cx);
            let mut runs = NodeRuns::default();
            runs.add(memo.fuel, memo.fail.is_some());
            self.close(open, runs, self.per_task.arena.used().saturating_sub(before));
            self.per_task.memos[slot] = Some(memo);
        }
        self.per_task.memos[slot]
    }

    /// Returns the value of a node for the whole task, if it has been computed.
    fn task_memo(&self, id: NodeId) -> Option<Memo<'t>> {
        self.prepared.folded[id.index()].or(self.per_task.memos[self.slots[id.index()] as usize])
    }

    /// Computes a node on the inputs for which it has no value yet.
    fn compute_on_inputs<'s>(&self, id: NodeId, slot: usize, batch: &mut Batch<'s>)
    where
        't: 's,
    {
        let fuel = self.options.limits.fuel;
        let node = self.prepared.plan.node(id);
        let n = batch.inputs.len();
        let before = batch.cx.arena.used();
        let mut open = None;
        let mut runs = NodeRuns::default();
        let mut i = 0;
        // One guard for all inputs; after a panic the loop continues with the next input.
        while i < n && !self.is_full(batch) {
            let guarded = super::catch_panic(|| {
                while i < n && !self.is_full(batch) {
                    if batch.states[i].failed.is_none() && batch.memos[slot * n + i].is_none() {
                        if runs.hits == 0 {
                            open = self.open(id);
                        }
                        let result = self.compute_on_input(node, i, batch, fuel);
                        let memo = Memo::new(result, batch.cx.used(), batch.cx.failed());
                        runs.add(memo.fuel, memo.fail.is_some());
                        batch.memos[slot * n + i] = Some(memo);
                    }
                    i += 1;
                }
                Ok(())
            });
            if let Err(bug) = guarded {
                let memo = Memo::new(Err(bug), batch.cx.used(), batch.cx.failed());
                runs.add(memo.fuel, true);
                batch.memos[slot * n + i] = Some(memo);
                i += 1;
            }
        }
        if runs.hits == 0 {
            self.mark_lazily(Spot::SHARE);
        } else {
            self.close(open, runs, batch.cx.arena.used().saturating_sub(before));
        }
    }

    /// Tells the lane, if there is one, that a node is about to be computed. Inputs and constants are not
    /// worth a stamp.
    #[inline]
    fn open(&self, id: NodeId) -> Option<Open> {
        let lane = self.lane?;
        let node = self.prepared.plan.node(id);
        node.is_computed().then(|| lane.open_node(id.0, spot(&node.op)))
    }

    #[inline]
    fn close(&self, open: Option<Open>, runs: NodeRuns, bytes: usize) {
        if let (Some(lane), Some(open)) = (self.lane, open) {
            lane.close_node(open, NodeRuns { bytes: bytes.try_into().unwrap_or(u32::MAX), ..runs });
        }
    }

    /// Computes a node again with less fuel and without recording. The value goes to the arena of the sample,
    /// as it is not needed later.
    fn rerun<'s>(&self, id: NodeId, i: usize, batch: &mut Batch<'s>, fuel: u64) -> Memo<'s>
    where
        't: 's,
    {
        let unrecorded = self.options.cx(batch.cx.arena, fuel, None);
        let recorded = std::mem::replace(&mut batch.cx, unrecorded);
        let result =
            super::catch_panic(|| self.compute_on_input(self.prepared.plan.node(id), i, batch, fuel));
        let memo = Memo::new(result, batch.cx.used(), batch.cx.failed());
        batch.cx = recorded;
        memo
    }

    /// Computes a node on input `i` of the batch.
    #[inline(always)]
    fn compute_on_input<'s>(
        &self,
        node: &Node,
        i: usize,
        batch: &mut Batch<'s>,
        fuel: u64,
    ) -> Result<Value<'s>, Fail>
    where
        't: 's,
    {
        let n = batch.inputs.len();
        // All arguments have values, or the program would have failed before.
        let arg = |id: &NodeId| match &batch.memos[self.slots[id.index()] as usize * n + i] {
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
        batch.cx.start(fuel);
        compute(node, batch.inputs[i], args, &mut batch.cx)
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
        op => super::compute(op, args, cx),
    }
}

/// [`compute`], with panics caught.
pub(super) fn compute_guarded<'a>(
    node: &Node,
    given: Result<Value<'a>, Fail>,
    args: &[Value<'a>],
    cx: &mut Cx<'a>,
) -> Memo<'a> {
    let result = super::catch_panic(|| compute(node, given, args, cx));
    Memo::new(result, cx.used(), cx.failed())
}

/// Returns the spot to which the time of a node is booked.
pub fn spot(op: &Op) -> Spot {
    match op {
        Op::Call(symbol) => Spot::primitive(symbol.id),
        Op::Apply => Spot::APPLY,
        Op::Tuple => Spot::TUPLE,
        Op::Input | Op::Samples | Op::Const(_) | Op::Prim(_) => Spot::OTHER,
    }
}

fn equals(value: Value<'_>, expected: Picture<'_>) -> bool {
    match value {
        Value::Grid(grid) => grid.width() == expected.width && grid.cells() == expected.cells,
        // True equals 1, so a value without the form of a grid may still be right.
        other => {
            let arena = Arena::new(Caps::STANDARD);
            arena.grid(expected.width, expected.cells).is_ok_and(|expected| order::equal(other, expected))
        }
    }
}
