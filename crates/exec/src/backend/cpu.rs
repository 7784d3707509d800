//! A plan over the samples of a task, every shared node once.

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use batt_dsl::{Cx, Limits, Table, registry, traced};
use batt_lang::Op;
use batt_plan::{Entry, Needs, Node, NodeId, Plan, ProgramId};
use batt_trace::{Lane, Open, Spot};
use batt_value::{Arena, Fail, Owned, Symbol, Value, order};
use rayon::prelude::*;

use crate::kernel;

/// How to run. Nothing here changes an answer or a bill, except the limits, and `go_on` what is skipped.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    pub limits: Limits,
    /// Runs a program on the later samples too when it was not right on a demonstration pair.
    pub go_on: bool,
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
    fn cx<'a>(&self, arena: &'a Arena, fuel: u64, lane: Option<&'a Lane>) -> Cx<'a>
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

/// A plan whose input-free nodes are computed. Holds for all tasks and threads.
pub struct Prepared<'p> {
    plan: &'p Plan,
    /// For each node.
    needs: Vec<Needs>,
    folded: Vec<Option<Memo<'p>>>,
}

/// A computed node. PERF: its parts are words of their own, for to copy a `Result` that was just written word by word
/// makes the processor wait.
#[derive(Clone, Copy)]
struct Memo<'a> {
    value: Value<'a>,
    /// Why there is no value.
    fail: Option<Fail>,
    bill: u64,
    primitive: Option<&'static Symbol>,
}

impl<'a> Memo<'a> {
    fn new(result: Result<Value<'a>, Fail>, bill: u64, primitive: Option<&'static Symbol>) -> Memo<'a> {
        let (value, fail) = match result {
            Ok(value) => (value, None),
            Err(fail) => (Value::None, Some(fail)),
        };
        Memo { value, fail, bill, primitive }
    }

    fn ok(&self) -> Option<Value<'a>> {
        if self.fail.is_none() { Some(self.value) } else { None }
    }
}

impl<'p> Prepared<'p> {
    /// Computes what needs no input, in `arena`, which lives as long as the plan.
    pub fn new(plan: &'p Plan, arena: &'p Arena, options: &Options<'p>) -> Prepared<'p> {
        let mut folded: Vec<Option<Memo<'p>>> = Vec::with_capacity(plan.nodes().len());
        let given = Err(Fail::Bug);
        for node in plan.nodes() {
            let memo = (node.needs == Needs::Nothing).then(|| {
                // An argument that failed stops every program before this node.
                let args: Option<Vec<_>> =
                    node.args.iter().map(|arg| folded[arg.index()].as_ref()?.ok()).collect();
                match args {
                    Some(args) => {
                        compute(node, given, &args, &mut options.cx(arena, options.limits.fuel, None))
                    }
                    None => Memo::new(Err(Fail::Bug), 0, None),
                }
            });
            folded.push(memo);
        }
        Prepared { plan, needs: plan.nodes().iter().map(|node| node.needs).collect(), folded }
    }

    /// Runs all jobs on the current pool; the results are in the order of the jobs and of their programs, one
    /// list of results a program, whatever the number of threads.
    pub fn run_all(&self, jobs: &[Job<'_>], options: &Options<'_>) -> Vec<Vec<Vec<Run>>> {
        let scratch = || Scratch::new(options.limits);
        jobs.par_iter().map_init(scratch, |scratch, job| self.run(job, options, scratch)).collect()
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
        let mut active = vec![true; programs.len()];
        task.reset();
        let per_task = PerTask { value: samples(job, task), arena: task, memos: vec![None; n_slots] };
        let mut run = TaskRun { prepared: self, options, slots: &*slots, per_task, lane };
        let round_bytes = ROUND_BYTES / threads();
        for (number, input) in job.inputs.iter().enumerate() {
            let mut next = 0;
            if let Some(lane) = lane {
                lane.begin_sample(number as u32);
            }
            // Several rounds only if the programs fill the memory; then what was shared is computed again.
            while next < programs.len() {
                sample.reset();
                let mut on_sample = OnSample {
                    input: sample.grid(input.input.width, input.input.cells),
                    cx: options.cx(sample, options.limits.fuel, lane),
                    memos: vec![None; n_slots],
                };
                run.mark(Spot::MEMORY);
                while next < programs.len() && on_sample.cx.arena.bytes() <= round_bytes {
                    let result = match active[next] {
                        true => run.program(
                            self.plan.program(programs[next]),
                            &mut on_sample,
                            input,
                            &mut active[next],
                        ),
                        false => {
                            run.owe(Spot::PICK);
                            Run { end: End::Skipped, fuel: 0 }
                        }
                    };
                    results[next].push(result);
                    next += 1;
                }
                run.owe(Spot::MEMORY);
                let used = on_sample.cx.arena.bytes();
                drop(on_sample);
                if used > round_bytes {
                    *sample = Arena::new(options.limits.caps);
                }
            }
        }
        if let Some(lane) = lane {
            lane.end_samples();
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

/// When the values of the samples that are being run take this much on all threads together, they go, and what is
/// needed again is computed again. An arena grows by doubling, so it may hold twice that.
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
    memos: Vec<Option<Memo<'t>>>,
}

struct OnSample<'s> {
    input: Result<Value<'s>, Fail>,
    cx: Cx<'s>,
    /// All nodes that a program has come past.
    memos: Vec<Option<Memo<'s>>>,
}

struct TaskRun<'r, 'o, 'p, 't> {
    prepared: &'r Prepared<'p>,
    options: &'r Options<'o>,
    slots: &'r [u32],
    per_task: PerTask<'t>,
    lane: Option<&'o Lane>,
}

impl<'o: 't, 'p: 't, 't> TaskRun<'_, 'o, 'p, 't> {
    /// Runs a program on a sample. Clears `active` if it is out.
    fn program<'s>(
        &mut self,
        entry: &Entry,
        on: &mut OnSample<'s>,
        input: &Input<'_>,
        active: &mut bool,
    ) -> Run
    where
        't: 's,
    {
        let (result, fuel) = self.value(entry, on);
        let right = match (&result, input.must_give) {
            (Ok(value), Some(expected)) => gives(*value, expected),
            (Ok(_), None) => true,
            (Err(_), _) => false,
        };
        *active = right || self.options.go_on || input.must_give.is_none();
        let end = match result {
            Ok(value) => End::new(value),
            Err(failed) => End::Failed(failed),
        };
        self.mark(Spot::COLLECT);
        Run { end, fuel }
    }

    /// The time since the last stamp was `spot`'s, if anybody wants to know.
    fn mark(&self, spot: Spot) {
        if let Some(lane) = self.lane {
            lane.mark(spot);
        }
    }

    /// The time until the next stamp is `spot`'s.
    fn owe(&self, spot: Spot) {
        if let Some(lane) = self.lane {
            lane.owe(spot);
        }
    }

    /// The value of a program and its bill: node after node in its own order, billed in full for each.
    fn value<'s>(&mut self, entry: &Entry, on: &mut OnSample<'s>) -> (Result<Value<'s>, Failed>, u64)
    where
        't: 's,
    {
        let limit = self.options.limits.fuel;
        let mut bill = 0;
        let mut last = Err(Fail::Bug);
        for (place, id) in entry.nodes.iter().enumerate() {
            let memo = self.memo(*id, on);
            let failed = |fail, primitive| Err(Failed { fail, place: place as u32, primitive });
            if memo.bill > limit - bill || memo.fail == Some(Fail::Fuel) {
                // Out of fuel here; which primitive it was shows when the node runs on what is left.
                let _span = self.lane.map(|lane| lane.enter(Spot::FAIL));
                let short = self.again(*id, on, limit - bill);
                return (failed(Fail::Fuel, short.primitive), limit);
            }
            bill += memo.bill;
            if let Some(fail) = memo.fail {
                return (failed(fail, memo.primitive), bill);
            }
            last = Ok(memo.value);
        }
        let place = entry.nodes.len() as u32 - 1;
        (last.map_err(|fail| Failed { fail, place, primitive: None }), bill)
    }

    /// A node's value: from the plan, the task or the sample, computed if it is not there yet.
    fn memo<'s, 'm>(&mut self, id: NodeId, on: &'m mut OnSample<'s>) -> &'m Memo<'s>
    where
        't: 's,
    {
        let slot = self.slots[id.index()] as usize;
        if on.memos[slot].is_some() {
            self.owe(Spot::SHARE);
        } else {
            let fuel = self.options.limits.fuel;
            match self.prepared.needs[id.index()] {
                Needs::Nothing => on.memos[slot] = self.prepared.folded[id.index()],
                Needs::Samples => {
                    if self.per_task.memos[slot].is_none() {
                        let open = self.open(id, self.per_task.arena);
                        let memo = self.per_task(id, fuel, self.lane);
                        self.close(open, id, self.per_task.arena, &memo);
                        self.per_task.memos[slot] = Some(memo);
                    }
                    on.memos[slot] = self.per_task.memos[slot];
                }
                Needs::Input => {
                    let open = self.open(id, on.cx.arena);
                    self.on_sample(id, on, fuel);
                    if let Some(memo) = &on.memos[slot] {
                        self.close(open, id, on.cx.arena, memo);
                    }
                }
            }
        }
        on.memos[slot].as_ref().expect("all that need nothing are folded, and the others just computed")
    }

    /// Tells the lane, if there is one, that a node is about to be computed. An input is there already; to say so is
    /// not worth a stamp.
    #[inline]
    fn open(&self, id: NodeId, arena: &Arena) -> Option<(&'o Lane, Open, usize)> {
        let lane = self.lane?;
        let node = self.prepared.plan.node(id);
        node.is_call().then(|| (lane, lane.open_node(spot(&node.op)), arena.used()))
    }

    #[inline]
    fn close(&self, open: Option<(&'o Lane, Open, usize)>, id: NodeId, arena: &Arena, memo: &Memo<'_>) {
        if let Some((lane, open, used)) = open {
            let bytes = arena.used().saturating_sub(used) as u64;
            lane.close_node(open, id.0, memo.bill, bytes, memo.fail.is_some());
        }
    }

    /// A node once more with less fuel.
    fn again<'s>(&self, id: NodeId, on: &mut OnSample<'s>, fuel: u64) -> Memo<'s>
    where
        't: 's,
    {
        match self.prepared.needs[id.index()] {
            Needs::Input | Needs::Nothing => {
                let silent = self.options.cx(on.cx.arena, fuel, None);
                let traced = std::mem::replace(&mut on.cx, silent);
                let memo = on.memos[self.slots[id.index()] as usize];
                self.on_sample(id, on, fuel);
                on.cx = traced;
                std::mem::replace(&mut on.memos[self.slots[id.index()] as usize], memo)
                    .expect("just computed")
            }
            Needs::Samples => self.per_task(id, fuel, None),
        }
    }

    fn per_task(&self, id: NodeId, fuel: u64, lane: Option<&'t Lane>) -> Memo<'t> {
        let node = self.prepared.plan.node(id);
        let arg = |arg: &NodeId| -> Option<Value<'t>> {
            let memo = match self.prepared.needs[arg.index()] {
                Needs::Nothing => self.prepared.folded[arg.index()].as_ref(),
                _ => self.per_task.memos[self.slots[arg.index()] as usize].as_ref(),
            };
            memo?.ok()
        };
        // A program that gets here has the values of all arguments.
        let args: Vec<_> = node.args.iter().filter_map(arg).collect();
        let mut cx = self.options.cx(self.per_task.arena, fuel, lane);
        compute(node, self.per_task.value, &args, &mut cx)
    }

    /// Computes a node into its slot.
    fn on_sample<'s>(&self, id: NodeId, on: &mut OnSample<'s>, fuel: u64)
    where
        't: 's,
    {
        let node = self.prepared.plan.node(id);
        // A program that gets here has the values of all arguments.
        let arg = |id: &NodeId| match &on.memos[self.slots[id.index()] as usize] {
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
        let memo = compute(node, on.input, args, &mut on.cx);
        on.memos[self.slots[id.index()] as usize] = Some(memo);
    }
}

/// Computes a node on its arguments; `given` is `I` or `S`.
#[inline(always)]
fn compute<'a>(node: &Node, given: Result<Value<'a>, Fail>, args: &[Value<'a>], cx: &mut Cx<'a>) -> Memo<'a> {
    let result = match &node.op {
        Op::Input | Op::Samples => given,
        op => super::caught(|| super::node(op, args, cx)),
    };
    Memo::new(result, cx.used(), cx.failed())
}

/// Where the time of a node goes.
fn spot(op: &Op) -> Spot {
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
            let arena = Arena::new(batt_value::Caps::STANDARD);
            arena.grid(expected.width, expected.cells).is_ok_and(|expected| order::equal(other, expected))
        }
    }
}
