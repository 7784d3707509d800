//! Asks devices for nodes of a plan in advance.
//!
//! A device can compute a node if all calls that lead to it from the input are operations that it knows. It computes
//! them again for each node, which is cheap for it. When the CPU comes to the node and the answer is there, it takes
//! the value; otherwise it computes the node as usual. The bill of an answer covers all calls that lead to the node, so
//! the node's own is the rest after the bills of the others, which the CPU knows by then.

use std::cell::Cell;
use std::sync::Arc;

use batt_device::{self as device, Answer, Answers, Code, Job, Kind, Program};
use batt_dsl::template::{Arg, Call, Hole, Template};
use batt_lang::Op;
use batt_plan::{Needs, Node, NodeId, Plan, ProgramId};
use batt_trace::{NodeRuns, Spot};
use batt_value::{Arena, Caps, Fail, Symbol, Value};

use super::{Batch, Input, MAX_BATCH, Memo, Prepared, TaskRun};
use crate::devices::{Devices, Ticket, contradiction};

/// The nodes of a plan that devices can compute.
pub(super) struct DeviceNodes<'p> {
    devices: &'p Devices,
    plan: &'p Plan,
    program: Arc<Program>,
    /// For each operation of the program, the calls that lead to its node, and the node's own.
    calls: Vec<Box<[NodeId]>>,
    /// The operation of each node of the plan, or [`NONE`].
    operations: Vec<u32>,
    caps: Caps,
}

const NONE: u32 = u32::MAX;
/// The most calls that lead to a node. Devices have room for few values, so longer chains are rare.
const MAX_CALLS: usize = 8;
/// Any value that a device gives is lighter. With smaller caps the CPU may fail.
const MIN_CAP: u32 = 1 << 13;
/// Constants of programs can be any numbers. Devices are tested with colours and with places in and near a grid.
const MAX_NUMBER: i64 = 9;
const MAX_PLACE: i64 = 100;
/// One of this number of answers is compared with the CPU, at least one and at most [`MAX_CHECKED`].
const CHECKED_PART: usize = 128;
const MAX_CHECKED: usize = 8;

impl<'p> Prepared<'p> {
    /// Lets devices help with runs whose values have these caps. They do not change the results.
    pub fn helped_by(self, devices: Option<&'p Devices>, caps: Caps) -> Prepared<'p> {
        let Prepared { plan, ref needs, ref folded, .. } = self;
        // No batch can be larger.
        let devices = devices
            .filter(|devices| devices.help_plans() && devices.may_take(plan.nodes().len() * MAX_BATCH));
        let on_devices = devices.and_then(|devices| DeviceNodes::find(devices, plan, needs, folded, caps));
        Prepared { on_devices, ..self }
    }
}

impl<'o: 't, 'p: 't, 't> TaskRun<'_, 'o, 'p, 't> {
    /// Asks devices for the nodes of the active programs on the inputs of the next batch.
    #[inline]
    pub(super) fn ask_devices(&mut self, programs: &[ProgramId], active: &[bool], inputs: &[Input<'_>]) {
        let Some(nodes) = &self.prepared.on_devices else { return };
        let running = programs.iter().zip(active).filter(|(_, active)| **active);
        let needed = running.flat_map(|(program, _)| &self.prepared.plan.program(*program).nodes);
        let needed = needed.map(|id| (*id, self.slots[id.index()]));
        self.ahead = nodes.ask(inputs, self.n_slots, &self.prepared.folded, needed);
        self.mark(Spot::SET_UP);
    }

    /// Takes the values of a node from the answers of devices, where there are any.
    #[cold]
    pub(super) fn take_answers<'s>(&self, ahead: &Ahead<'_>, id: NodeId, slot: usize, batch: &mut Batch<'s>)
    where
        't: 's,
    {
        let n = batch.inputs.len();
        let states = batch.states.iter().zip(&batch.memos[slot * n..][..n]);
        let n_missing = states.filter(|(state, memo)| state.failed.is_none() && memo.is_none()).count();
        if n_missing == 0 {
            return;
        }
        let Some(answers) = ahead.find(id, slot, batch.inputs, n_missing) else { return };
        let (before, open) = (batch.cx.arena.used(), self.open(id));
        let mut runs = NodeRuns::default();
        for i in 0..n {
            if batch.states[i].failed.is_some() || batch.memos[slot * n + i].is_some() {
                continue;
            }
            let (Some(answer), Ok(input)) = (answers.get(i), batch.inputs[i]) else { continue };
            let known = |id: &NodeId| Some(batch.memos[self.slots[id.index()] as usize * n + i]?.fuel);
            let known: Option<u64> = answers.others.iter().map(known).sum();
            let own = known.and_then(|known| answer.bill.checked_sub(known));
            if let (Some(own), Ok(value)) = (own, answer.value(batch.cx.arena, input)) {
                batch.memos[slot * n + i] = Some(Memo::new(Ok(value), own, None));
                runs.add(own, false);
            }
        }
        if runs.hits > 0 {
            ahead.n_used.set(ahead.n_used.get() + u64::from(runs.hits));
            self.close(open, runs, batch.cx.arena.used().saturating_sub(before));
        }
    }
}

impl<'p> DeviceNodes<'p> {
    /// Finds the nodes of a plan that devices can compute. Returns `None` if there are none.
    pub(super) fn find(
        devices: &'p Devices,
        plan: &'p Plan,
        needs: &[Needs],
        folded: &[Option<Memo<'p>>],
        caps: Caps,
    ) -> Option<DeviceNodes<'p>> {
        let mut finder = Finder { plan, folded, calls: Vec::with_capacity(needs.len()) };
        let (mut codes, mut calls) = (Vec::new(), Vec::new());
        let mut operations = vec![NONE; needs.len()];
        for (at, (node, needs)) in plan.nodes().iter().zip(needs).enumerate() {
            let id = NodeId(at as u32);
            let mut found = Some(id).filter(|_| *needs == Needs::Input).and_then(|id| finder.calls(id, node));
            if let Some(leading) = found.as_ref().filter(|_| is_worth_asking(node)) {
                let template = template(plan, folded, leading);
                match template.and_then(|it| Code::new(&it, [Kind::Grid; 4], caps.weight)) {
                    Some(code) => {
                        operations[at] = codes.len() as u32;
                        codes.push(Some(code));
                        calls.push(leading[..].into());
                    }
                    None => found = None,
                }
            }
            finder.calls.push(found);
        }
        let is_useful = !codes.is_empty() && caps.weight >= MIN_CAP;
        let program = Arc::new(Program::new(codes));
        is_useful.then_some(DeviceNodes { devices, plan, program, calls, operations, caps })
    }

    /// Asks for nodes on some inputs. `needed` lists nodes with their slots, some of them more than once.
    pub(super) fn ask<'n>(
        &'n self,
        inputs: &[Input<'_>],
        n_slots: usize,
        folded: &'n [Option<Memo<'n>>],
        needed: impl Iterator<Item = (NodeId, u32)>,
    ) -> Option<Ahead<'n>> {
        // The number of jobs is not known yet, but it cannot be larger.
        if !self.devices.may_take(self.calls.len().min(n_slots) * inputs.len()) {
            return None;
        }
        let mut batch = device::Batch { program: self.program.clone(), ..device::Batch::default() };
        let arena = Arena::new(self.caps);
        let mut held = Vec::with_capacity(inputs.len());
        for Input { input, .. } in inputs {
            let added = arena.grid(input.width, input.cells).ok().and_then(|it| batch.pictures.add(it));
            held.push(added.unwrap_or(NONE));
        }
        let mut first_jobs = vec![NONE; n_slots];
        for (node, slot) in needed {
            let (operation, first_job) = (self.operations[node.index()], &mut first_jobs[slot as usize]);
            if operation != NONE && *first_job == NONE {
                *first_job = batch.jobs.len() as u32;
                let pictures = held.iter().filter(|picture| **picture != NONE);
                batch.jobs.extend(pictures.map(|picture| Job { operation, holes: [*picture; 4] }));
            }
        }
        let ticket = self.devices.ask(batch)?;
        let is_trusted = Cell::new(None);
        let (n_used, n_late) = (Cell::new(0), Cell::new(0));
        Some(Ahead { nodes: self, folded, ticket, first_jobs, held, is_trusted, n_used, n_late })
    }
}

/// Returns whether an answer can save more time than it takes to read.
fn is_worth_asking(node: &Node) -> bool {
    !node.primitive().is_some_and(|symbol| NUMBERS.contains(&symbol.name) || CHEAP.contains(&symbol.name))
}

/// Calls that give numbers and pairs. The CPU makes them in no time, but they can lead to other nodes.
const NUMBERS: [&str; 10] =
    ["shape", "height", "width", "center", "subtract", "halve", "divide", "invert", "toivec", "tojvec"];

/// Calls that take the CPU less time than reading their answers, from 0.2 to 0.8 of it in arc-dsl's solvers on 60
/// training tasks. They can lead to other nodes.
const CHEAP: [&str; 12] = [
    "objects",
    "asobject",
    "canvas",
    "fill",
    "recolor",
    "replace",
    "shift",
    "normalize",
    "vconcat",
    "box",
    "hfrontier",
    "vfrontier",
];

struct Finder<'f, 'p> {
    plan: &'f Plan,
    folded: &'f [Option<Memo<'p>>],
    /// For each node so far, the calls that lead to it and its own, ascending; `None` if a device cannot make them.
    calls: Vec<Option<Vec<NodeId>>>,
}

impl<'p> Finder<'_, 'p> {
    /// Returns the calls that lead to the next node, and its own.
    fn calls(&self, id: NodeId, node: &Node) -> Option<Vec<NodeId>> {
        let symbol = node.primitive()?;
        let mut calls = Vec::new();
        for arg in &node.args {
            match (&self.plan.node(*arg).op, self.folded[arg.index()]) {
                (Op::Input, _) => {}
                (_, Some(memo)) => memo.ok().filter(|value| is_plain(*value, symbol)).map(|_| ())?,
                (op, None) => {
                    let leading = self.calls[arg.index()].as_ref()?;
                    // The CPU can paint with any number.
                    if paints(symbol)
                        && matches!(op, Op::Call(of) if NUMBERS.contains(&of.name) && of.name != "shape")
                    {
                        return None;
                    }
                    calls.extend(leading);
                }
            }
        }
        calls.sort_unstable();
        calls.dedup();
        calls.push(id);
        (calls.len() <= MAX_CALLS).then_some(calls)
    }
}

/// Returns the template of the calls that lead to a node; the input is in its first hole.
fn template<'p>(plan: &Plan, folded: &[Option<Memo<'p>>], calls: &[NodeId]) -> Option<Template<'p>> {
    let arg = |arg: &NodeId| match folded[arg.index()] {
        Some(memo) => memo.ok().map(Arg::Value),
        None => calls.binary_search(arg).ok().map(Arg::Result).or(Some(Arg::Hole(Hole::First))),
    };
    let call = |id: &NodeId| {
        let node = plan.node(*id);
        let args = node.args.iter().map(arg).collect::<Option<_>>()?;
        Some(Call { function: node.primitive()?, args })
    };
    Some(Template::from_calls(calls.iter().map(call).collect::<Option<_>>()?))
}

/// Returns whether a constant is like those that devices are tested with.
fn is_plain(value: Value<'_>, function: &Symbol) -> bool {
    match value {
        Value::Int(number) => (0..=MAX_NUMBER).contains(&number),
        Value::Pair(pair) => pair.row().abs().max(pair.col().abs()) <= MAX_PLACE,
        Value::Prim(_) => function.name == "mapply",
        _ => false,
    }
}

/// Returns whether an argument of a primitive is a colour.
fn paints(function: &Symbol) -> bool {
    ["replace", "switch", "cellwise", "fill", "recolor", "canvas", "ofcolor"].contains(&function.name)
}

/// Nodes that were asked for, on the inputs of a batch.
pub(super) struct Ahead<'n> {
    nodes: &'n DeviceNodes<'n>,
    folded: &'n [Option<Memo<'n>>],
    ticket: Ticket,
    /// For each slot the first job of its node, or [`NONE`].
    first_jobs: Vec<u32>,
    /// For each input its number among the pictures, or [`NONE`] if devices cannot hold it.
    held: Vec<u32>,
    /// Whether a sample of the answers is the same as on the CPU; `None` before it was compared.
    is_trusted: Cell<Option<bool>>,
    n_used: Cell<u64>,
    n_late: Cell<u64>,
}

impl Drop for Ahead<'_> {
    fn drop(&mut self) {
        self.ticket.count(self.n_used.get(), self.n_late.get());
    }
}

impl Ahead<'_> {
    /// Returns the answers for a node, if they are there; `n_missing` of them are needed. The first time, a sample of
    /// the answers is compared with the CPU; if one is wrong, the device is dropped.
    pub(super) fn find(
        &self,
        id: NodeId,
        slot: usize,
        inputs: &[Result<Value<'_>, Fail>],
        n_missing: usize,
    ) -> Option<NodeAnswers<'_>> {
        let first = self.first_jobs[slot];
        if first == NONE {
            return None;
        }
        let Some(answers) = self.ticket.answers() else {
            self.n_late.set(self.n_late.get() + n_missing as u64);
            return None;
        };
        let is_trusted = self.is_trusted.get().unwrap_or_else(|| self.check(answers, inputs));
        self.is_trusted.set(Some(is_trusted));
        let calls = &self.nodes.calls[self.nodes.operations[id.index()] as usize];
        let (_, others) = calls.split_last()?;
        is_trusted.then_some(NodeAnswers { ahead: self, answers, first, others })
    }

    /// Compares a sample of the answers with the CPU. It does not affect results.
    #[cold]
    fn check(&self, answers: &Answers, inputs: &[Result<Value<'_>, Fail>]) -> bool {
        let n_checked = (answers.len() / CHECKED_PART).clamp(1, MAX_CHECKED);
        let jobs = self.ticket.batch().jobs.iter().enumerate();
        let answered = jobs.filter_map(|(at, job)| Some((job, answers.get(at)?)));
        let mut arena = Arena::new(self.nodes.caps);
        for (job, answer) in answered.step_by((answers.n_answered() / n_checked).max(1)) {
            arena.reset();
            let input = self.held.iter().position(|picture| *picture == job.holes[0]);
            let Some(Ok(input)) = input.and_then(|input| inputs.get(input)) else { continue };
            let calls = &self.nodes.calls[job.operation as usize];
            let Some(template) = template(self.nodes.plan, self.folded, calls) else { continue };
            if let Some(reason) = contradiction(&answer, &template, [*input; 4], &arena) {
                self.ticket.distrust(&reason);
                return false;
            }
        }
        true
    }
}

/// The answers for a node.
pub(super) struct NodeAnswers<'a> {
    ahead: &'a Ahead<'a>,
    answers: &'a Answers,
    first: u32,
    /// The nodes whose bills are in the answer, besides the node's own.
    pub(super) others: &'a [NodeId],
}

impl<'a> NodeAnswers<'a> {
    /// Returns the answer on an input; `None` if a device did not answer.
    pub(super) fn get(&self, input: usize) -> Option<Answer<'a>> {
        let held = *self.ahead.held.get(input)?;
        // The jobs of a node are in the order of the pictures.
        if held == NONE { None } else { self.answers.get((self.first + held) as usize) }
    }
}
