//! Asks devices for values that the explorer will need soon.
//!
//! The nodes of a level are expanded in windows. While the explorer works on one window, devices answer the
//! next ones. The explorer then takes the same steps as without devices, but uses an answer in place of a call
//! where there is one. So devices cannot change the result.

use std::cell::Cell;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use batt_device::{Answer, Answers, Batch, Job, Pictures, Program};
use batt_exec::devices::{self, Devices, Ticket};
use batt_value::{Arena, Value};
use rustc_hash::FxHashMap;

use super::device::program;
use super::kind::Kind;
use super::operation::Operation;
use super::pool::Node;

/// The values that operations are applied to.
#[derive(Clone, Copy)]
pub(super) struct Holes<'w, 'a> {
    pub(super) nodes: &'w [Node<'a>],
    pub(super) canvas: Option<u32>,
}

impl<'a> Holes<'_, 'a> {
    /// Returns the value of a node on an input; `None` (Python's) if there is none.
    pub(super) fn value(&self, node: Option<u32>, sample: usize) -> Value<'a> {
        let values = node.and_then(|node| self.nodes[node as usize].values.as_deref());
        values.map_or(Value::None, |values| values[sample])
    }

    /// Adds the values of a node on the first inputs to pictures. Returns `None` if devices cannot hold one of them.
    fn pictures(&self, node: u32, n_samples: usize, pictures: &mut Pictures) -> Option<Vec<u32>> {
        let values = self.nodes[node as usize].values.as_deref()?;
        values[..n_samples].iter().map(|value| pictures.add(*value)).collect()
    }

    /// Returns the values for the holes `x`, `y`, `I` and `W`.
    pub(super) fn fill(&self, x: u32, y: u32, sample: usize) -> [Value<'a>; 4] {
        [Some(x), Some(y), Some(0), self.canvas].map(|node| self.value(node, sample))
    }
}

/// A call of an operation on nodes: its place in the list of operations, `x` and `y`.
pub(super) type Candidate = (u16, u32, u32);

/// Batches that were asked in advance.
pub(super) struct Lookahead<'b> {
    devices: &'b Devices,
    program: Arc<Program>,
    /// In the order in which the explorer comes to them.
    windows: VecDeque<Window>,
    /// The number of nodes of the level that are in windows so far.
    next: usize,
}

/// Some consecutive nodes of a level.
struct Window {
    /// Their places in the order of the level.
    nodes: Range<usize>,
    ticket: Ticket,
    /// The candidates that were asked, in the order in which the explorer comes to them. Each has a job for each
    /// input that was asked for.
    candidates: Vec<Candidate>,
    /// The number of candidates that the explorer has come to.
    passed: usize,
    /// The number of inputs that were asked for.
    n_samples: usize,
    /// Whether a sample of the answers was compared with the CPU.
    is_trusted: bool,
    /// The number of answers that were used.
    n_used: Cell<u64>,
    /// The number of jobs whose answers came too late.
    n_late: u64,
}

impl Drop for Window {
    fn drop(&mut self) {
        self.ticket.count(self.n_used.get(), self.n_late);
    }
}

/// The answers for one candidate.
#[derive(Clone, Copy)]
pub(super) struct Memo<'w> {
    answers: &'w Answers,
    first: usize,
    n_samples: usize,
    n_used: &'w Cell<u64>,
}

impl<'w> Memo<'w> {
    /// Returns the answer on an input; `None` if a device did not answer.
    pub(super) fn get(&self, sample: usize) -> Option<Answer<'w>> {
        if sample >= self.n_samples {
            return None;
        }
        let answer = self.answers.get(self.first + sample)?;
        self.n_used.set(self.n_used.get() + 1);
        Some(answer)
    }
}

/// A window is complete with this number of jobs. A device that needs more to be faster than the CPU is of no use.
pub const WINDOW_JOBS: usize = 1 << 13;
/// The number of windows that devices may be ahead.
const MAX_WINDOWS: usize = 3;
/// The number of answers of a window that are compared with the CPU.
const N_CHECKED: usize = 8;

impl<'b> Lookahead<'b> {
    pub(super) fn new(devices: &'b Devices, operations: &[Operation<'_>]) -> Lookahead<'b> {
        let program = Arc::new(program(operations));
        Lookahead { devices, program, windows: VecDeque::new(), next: 0 }
    }

    /// Starts another level.
    pub(super) fn restart(&mut self) {
        self.windows.clear();
        self.next = 0;
    }

    /// Returns the code of the operations.
    pub(super) fn program(&self) -> Arc<Program> {
        self.program.clone()
    }

    /// Asks for the nodes that come after the one at `at`. `visit` lists the candidates of a node that devices know,
    /// in the order in which the explorer comes to them; it may come to others in between.
    pub(super) fn advance<'w, 'a>(
        &mut self,
        at: usize,
        order: &[u32],
        holes: Holes<'w, 'a>,
        operations: &'w [Operation<'a>],
        visit: impl Fn(u32, &mut dyn FnMut(Candidate)),
    ) {
        while self.windows.front().is_some_and(|window| window.nodes.end <= at) {
            self.windows.pop_front();
        }
        self.next = self.next.max(at);
        let is_wanted = || self.devices.may_take(WINDOW_JOBS) && !self.devices.is_full();
        while self.windows.len() < MAX_WINDOWS && self.next < order.len() && is_wanted() {
            let n_samples = holes.nodes[0].values.as_deref().map_or(0, <[_]>::len);
            let mut request = Request::new(self.program.clone(), holes, operations, n_samples);
            let start = self.next;
            while self.next < order.len() && request.batch.jobs.len() < WINDOW_JOBS {
                let x = order[self.next];
                request.start_node(x);
                visit(x, &mut |candidate| request.add(candidate));
                self.next += 1;
            }
            let Request { batch, candidates, .. } = request;
            let Some(ticket) = self.devices.ask(batch) else { continue };
            let nodes = start..self.next;
            let (passed, n_used, n_late) = (0, Cell::new(0), 0);
            let window =
                Window { nodes, ticket, candidates, passed, n_samples, is_trusted: false, n_used, n_late };
            self.windows.push_back(window);
        }
    }

    /// Returns the answers for a candidate, if they are there. The first time that a window has answers, a sample
    /// of them is compared with the CPU; if one is wrong, the device is dropped.
    pub(super) fn find(
        &mut self,
        candidate: Candidate,
        holes: Holes<'_, '_>,
        operations: &[Operation<'_>],
    ) -> Option<Memo<'_>> {
        let window = self.windows.front_mut()?;
        if window.candidates.get(window.passed) != Some(&candidate) {
            return None;
        }
        let first = window.passed * window.n_samples;
        window.passed += 1;
        let Some(answers) = window.ticket.answers() else {
            window.n_late += window.n_samples as u64;
            return None;
        };
        if !window.is_trusted {
            if let Some(reason) =
                contradiction(&window.candidates, window.n_samples, answers, holes, operations)
            {
                window.ticket.distrust(&reason);
                return None;
            }
            window.is_trusted = true;
        }
        Some(Memo { answers, first, n_samples: window.n_samples, n_used: &window.n_used })
    }
}

/// Compares a sample of the answers with the CPU. Returns the first contradiction.
fn contradiction(
    candidates: &[Candidate],
    n_samples: usize,
    answers: &Answers,
    holes: Holes<'_, '_>,
    operations: &[Operation<'_>],
) -> Option<String> {
    let mut arena = Arena::new(super::CAPS);
    // The sample is spread over the jobs. It does not affect the results of the search.
    let step = (candidates.len() / N_CHECKED).max(1);
    for start in (0..candidates.len()).step_by(step) {
        // The next candidate with an answer.
        let answered = |at: &usize| answers.get(at * n_samples).is_some();
        let Some(at) = (start..candidates.len().min(start + step)).find(answered) else { continue };
        arena.reset();
        let (place, x, y) = candidates[at];
        let template = &operations[usize::from(place)].template;
        let (answer, fill) = (answers.get(at * n_samples)?, holes.fill(x, y, 0));
        let wrong = devices::contradiction(&answer, template, fill, &arena);
        if wrong.is_some() {
            return wrong;
        }
    }
    None
}

/// A batch that is being put together.
struct Request<'w, 'a> {
    batch: Batch,
    candidates: Vec<Candidate>,
    holes: Holes<'w, 'a>,
    operations: &'w [Operation<'a>],
    n_samples: usize,
    /// The pictures of the inputs, of the canvas and of the current node, on each input; `None` if devices cannot hold
    /// one of them.
    inputs: Option<Vec<u32>>,
    canvas: Option<Vec<u32>>,
    first: Option<Vec<u32>>,
    /// The pictures of second arguments.
    partners: FxHashMap<u32, Option<Vec<u32>>>,
}

impl<'w, 'a> Request<'w, 'a> {
    fn new(
        program: Arc<Program>,
        holes: Holes<'w, 'a>,
        operations: &'w [Operation<'a>],
        n_samples: usize,
    ) -> Request<'w, 'a> {
        let mut pictures = Pictures::default();
        let inputs = holes.pictures(0, n_samples, &mut pictures);
        let canvas = holes.canvas.and_then(|canvas| holes.pictures(canvas, n_samples, &mut pictures));
        let batch = Batch { program, pictures, jobs: Vec::with_capacity(WINDOW_JOBS + WINDOW_JOBS / 8) };
        Request {
            batch,
            candidates: Vec::new(),
            holes,
            operations,
            n_samples,
            inputs,
            canvas,
            first: None,
            partners: FxHashMap::default(),
        }
    }

    /// Starts with the candidates of another node.
    fn start_node(&mut self, x: u32) {
        self.first = self.holes.pictures(x, self.n_samples, &mut self.batch.pictures);
    }

    /// Adds the jobs of a candidate, unless devices cannot hold an argument.
    fn add(&mut self, candidate: Candidate) {
        let Request { batch, candidates, holes, operations, n_samples, inputs, canvas, first, partners } =
            self;
        let (place, _, y) = candidate;
        let operation = &operations[usize::from(place)];
        let (Some(first), Some(inputs)) = (first, inputs) else { return };
        if operation.needs_canvas && canvas.is_none() {
            return;
        }
        let second = match operation.with {
            None | Some(Kind::Color) => None,
            Some(_) => {
                let made =
                    partners.entry(y).or_insert_with(|| holes.pictures(y, *n_samples, &mut batch.pictures));
                let Some(made) = made else { return };
                Some(&*made)
            }
        };
        for sample in 0..*n_samples {
            let second = match (operation.with, second) {
                (Some(Kind::Color), _) => holes.value(Some(y), sample).as_int().unwrap_or(0) as u32,
                (_, Some(second)) => second[sample],
                (_, None) => 0,
            };
            let canvas = canvas.as_ref().map_or(0, |canvas| canvas[sample]);
            batch.jobs.push(Job {
                operation: place.into(),
                holes: [first[sample], second, inputs[sample], canvas],
            });
        }
        candidates.push(candidate);
    }
}
