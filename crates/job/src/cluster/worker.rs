//! The work on one machine.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use batt_dsl::Limits;
use batt_exec::{Options, Prepared, Scratch, catch_panic};
use batt_lang::{Aliases, Program, parse, print};
use batt_plan::{Plan, ProgramId};
use batt_record::TaskState;
use batt_search::breed::{Breeder, Capacity};
use batt_search::{Allowance, Known, Progress, Puzzle, Searcher};
use batt_task::Task;
use batt_trace::{Clock, Lane, Level, Trace};
use batt_value::Arena;

use crate::battery::{self, Battery, Watch};
use crate::breeding::TaskBreeding;
use crate::campaign::{Steps, state, step};
use crate::clock::with_backstop;
use crate::cluster::piece::{
    Answer, Package, PackageWork, Piece, PieceResult, PieceWork, Reply, Times, parse_with,
};
use crate::control::lock;
use crate::description::{Profiling, Run, Step};
use crate::document;
use crate::engine::continued;
use crate::enumeration::search_one;
use crate::profile::{self, on_lane};

/// Works on the pieces of one job. Several threads can work at a time.
pub struct Worker {
    package: Package,
    programs: Vec<Program>,
    stop: Arc<AtomicBool>,
    /// Which threads are at work.
    slots: Mutex<Vec<bool>>,
    /// Breeding that can continue, by the id and the hash of the task.
    broods: Mutex<BTreeMap<(String, String), Kept>>,
}

/// Breeding for a task, with the rounds that it has done.
type Kept = (Vec<Vec<String>>, TaskBreeding);

/// The reasons why a machine cannot work on a job.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct WorkerError(pub String);

impl Worker {
    /// Reads the package of a job.
    pub fn new(package: &[u8]) -> Result<Worker, WorkerError> {
        let package: Package = serde_json::from_slice(package)
            .map_err(|error| WorkerError(format!("cannot read the job: {error}")))?;
        let ours = (env!("CARGO_PKG_VERSION"), batt_dsl::version().to_string());
        if (package.version.as_str(), &package.dsl) != (ours.0, &ours.1) {
            let (theirs, dsl) = (&package.version, &package.dsl);
            return Err(WorkerError(format!(
                "the job is of arcbatt {theirs} with DSL {dsl}, this machine has {} with DSL {}",
                ours.0, ours.1
            )));
        }
        let aliases = package.aliases.as_deref().and_then(|text| Aliases::parse(text).ok());
        let programs: Vec<Program> =
            package.programs.iter().flat_map(|text| parse_with(text, aliases.as_ref())).collect();
        if programs.len() != package.programs.len() {
            return Err(WorkerError("the programs of the job cannot be read".to_owned()));
        }
        let (slots, broods) = (Mutex::default(), Mutex::default());
        Ok(Worker { package, programs, stop: Arc::default(), slots, broods })
    }

    /// Stops the current pieces. Their results so far are returned.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Works on a batch of pieces, on this thread, and returns the reply.
    pub fn work(&self, pieces: &[u8]) -> Result<Vec<u8>, WorkerError> {
        let pieces: Vec<Piece> = serde_json::from_slice(pieces)
            .map_err(|error| WorkerError(format!("cannot read the pieces: {error}")))?;
        let slot = Slot::take(&self.slots);
        let recorder = Recorder::new(self.package.profile, &self.package.work);
        let trace = recorder.as_ref().map(|it| &it.trace);
        let answers = batt_base::with_enough_stack(|| match &self.package.work {
            PackageWork::Solve { seed, without } => self.solve(&pieces, *seed, without, trace),
            PackageWork::Run { run, answers } => self.run(&pieces, run, *answers, trace),
            PackageWork::Enumerate => each(&pieces, |piece, task| self.enumerate(piece, task, trace)),
            PackageWork::Breed { seed, elites, tried } => {
                let capacity = Capacity { elites: *elites, tried: *tried };
                let breeder = Breeder { seed: *seed, capacity, devices: None };
                each(&pieces, |piece, task| self.breed(&breeder, piece, task, trace))
            }
        });
        let times = recorder.map(|recorder| recorder.times(slot.number));
        serde_json::to_vec(&Reply { answers, times }).map_err(|error| WorkerError(error.to_string()))
    }

    fn solve(&self, pieces: &[Piece], seed: u64, without: &[Step], trace: Option<&Trace>) -> Vec<Answer> {
        // Programs for single tasks come after those for all tasks.
        let mut programs = self.programs.clone();
        let mut of_task: BTreeMap<String, Vec<ProgramId>> = BTreeMap::new();
        for piece in pieces {
            let PieceWork::Solve { programs: own, .. } = &piece.work else { continue };
            let first = programs.len();
            programs.extend(own.iter().flat_map(|text| parse(text).programs));
            of_task.insert(piece.id.clone(), (first..programs.len()).map(|i| ProgramId(i as u32)).collect());
        }
        let limits = Limits::STANDARD;
        let (plan, arena) = (Plan::merge(&programs), Arena::new(limits.caps));
        let options =
            Options { limits, all_demos: false, sharing: true, kernels: true, stop: Some(&self.stop) };
        let prepared = Prepared::new(&plan, &arena, &options);
        let known = (!programs.is_empty()).then_some(Known {
            programs: &programs,
            prepared: &prepared,
            n_general: self.programs.len(),
            of_task: &of_task,
        });
        let without = without.iter().map(|step| step.phase()).collect();
        let searcher = Searcher::new(known, seed).without(without);
        each(pieces, |piece, task| {
            let PieceWork::Solve { state, fuel, steps, .. } = &piece.work else { return wrong_kind() };
            let result = on_lane(trace, task, |lane| {
                self.advance(&searcher, task, state.as_ref(), *fuel, *steps, lane)
            });
            result.unwrap_or_else(|why| PieceResult::Failed { why })
        })
    }

    fn advance(
        &self,
        searcher: &Searcher<'_>,
        task: &Task,
        from: Option<&TaskState>,
        fuel: Option<u64>,
        max: Option<usize>,
        lane: Option<&Lane>,
    ) -> Result<PieceResult, String> {
        let progress = from.map_or_else(|| Ok(Progress::default()), |state| continued(task, state));
        let progress = progress.map_err(|error| error.to_string())?;
        let steps = Steps { fuel, max, stop: &self.stop, lane };
        let (progress, taken) = step(searcher, &Puzzle::new(task), progress, &steps);
        match taken {
            0 if self.stop.load(Ordering::Relaxed) => Ok(PieceResult::Stopped),
            _ => Ok(PieceResult::Solve { state: state(&task.id, &progress) }),
        }
    }

    fn run(&self, pieces: &[Piece], run: &Run, answers: bool, trace: Option<&Trace>) -> Vec<Answer> {
        let own = |piece: &Piece| match &piece.work {
            PieceWork::Run { own } => own.iter().map(|program| ProgramId(*program)).collect(),
            _ => Vec::new(),
        };
        let own = pieces.iter().map(|piece| (piece.id.clone(), own(piece))).collect();
        let battery = Battery::assigned(&self.programs, own);
        let limits = Limits { fuel: run.fuel, ..Limits::STANDARD };
        let arena = Arena::new(limits.caps);
        let mut scratch = Scratch::new(limits);
        with_backstop(Duration::from_secs_f64(run.timeout), |backstop| {
            let watch = PieceWatch { stop: &self.stop, deadline: backstop.flag() };
            let setup = battery::Setup {
                limits,
                all_pairs: run.all_pairs,
                all_demos: run.all_demos,
                sharing: run.sharing,
                kernels: run.kernels,
                answers: true,
                trace,
                ..battery::Setup::new(&watch)
            };
            let prepared = battery.prepared(&arena, &setup);
            each(pieces, |_, task| {
                backstop.restart();
                let result = battery.task(&prepared, task, &setup, &mut scratch);
                if !result.finished {
                    return PieceResult::Stopped;
                }
                let mut entry = document::task(&battery, task, &result);
                if !answers {
                    shorten(&mut entry);
                }
                PieceResult::Run { entry: Box::new(entry) }
            })
        })
    }

    fn enumerate(&self, piece: &Piece, task: &Task, trace: Option<&Trace>) -> PieceResult {
        let PieceWork::Enumerate { fuel, known } = &piece.work else { return wrong_kind() };
        let known = if *known { &self.programs[..] } else { &[] };
        let puzzle = Puzzle::new(task);
        let found = on_lane(trace, task, |lane| {
            let allowance = Allowance { fuel: *fuel, stop: &self.stop, lane };
            search_one(&puzzle, known, allowance, None)
        });
        match found {
            Some(found) => PieceResult::Enumerate {
                before: found.before,
                fuel: found.fuel,
                tried: found.tried,
                ended: found.is_ended(),
                solution: found.solution.map(|(program, _)| print(&program)),
            },
            None => PieceResult::Stopped,
        }
    }

    /// Continues from the last rounds of the task if they were done here, and repeats them all otherwise.
    fn breed(&self, breeder: &Breeder<'_>, piece: &Piece, task: &Task, trace: Option<&Trace>) -> PieceResult {
        let PieceWork::Breed { fuel, own, rounds } = &piece.work else { return wrong_kind() };
        let texts = |texts: &[String]| -> Vec<Program> {
            texts.iter().flat_map(|text| parse(text).programs).collect()
        };
        let (puzzle, stop) = (Puzzle::new(task), &*self.stop);
        let key = (piece.id.clone(), piece.hash.clone());
        let kept = lock(&self.broods).remove(&key);
        let kept = kept.filter(|(done, _)| rounds.starts_with(done));
        let started = || {
            let started = TaskBreeding::start(breeder, &puzzle, &self.programs, &texts(own), stop)?;
            Some((Vec::new(), started))
        };
        let work = |lane: Option<&Lane>| {
            let (done, mut breeding) = kept.or_else(started)?;
            let mut donors = self.programs.clone();
            done.iter().for_each(|new| donors.extend(texts(new)));
            for new in &rounds[done.len()..] {
                let new = texts(new);
                donors.extend(new.iter().cloned());
                let allowance = Allowance { fuel: fuel.unwrap_or(u64::MAX), stop, lane };
                breeding.round(breeder, &puzzle, &new, &donors, allowance);
            }
            Some(breeding)
        };
        let Some(breeding) = on_lane(trace, task, work) else { return PieceResult::Stopped };
        let report = breeding.report();
        lock(&self.broods).insert(key, (rounds.clone(), breeding));
        PieceResult::Breed(Box::new(report))
    }
}

/// Answers each piece. A bug in the engine is the answer of its piece only.
fn each(pieces: &[Piece], mut work: impl FnMut(&Piece, &Task) -> PieceResult) -> Vec<Answer> {
    let mut one = |piece: &Piece| {
        let start = Instant::now();
        let result = match piece.task() {
            Ok(task) => catch_panic(|| Ok(work(piece, &task))).unwrap_or_else(|_| PieceResult::Failed {
                why: "the engine failed; this is a bug".to_owned(),
            }),
            Err(why) => PieceResult::Failed { why },
        };
        Answer { id: piece.id.clone(), seconds: start.elapsed().as_secs_f64(), result }
    };
    pieces.iter().map(&mut one).collect()
}

fn wrong_kind() -> PieceResult {
    PieceResult::Failed { why: "the piece belongs to another kind of job".to_owned() }
}

/// Removes the answers of an entry that no attempt uses and that no record will show.
fn shorten(entry: &mut batt_record::Task) {
    let attempts = &entry.attempts;
    for outcome in &mut entry.programs {
        outcome.train.iter_mut().for_each(|pair| pair.answer = None);
        for (pair, both) in outcome.test.iter_mut().zip(attempts) {
            pair.answer = pair.answer.take().filter(|answer| both.contains(answer));
        }
    }
}

/// Stops a run when the machine is asked to stop, and a task at its deadline.
struct PieceWatch<'w> {
    stop: &'w AtomicBool,
    deadline: Option<&'w AtomicBool>,
}

impl Watch for PieceWatch<'_> {
    fn begin(&self, _: usize) -> Option<&AtomicBool> {
        self.deadline
    }

    fn done(&self, _: usize, _: &str) {}

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The number of a thread on its machine, as long as it works.
struct Slot<'s> {
    slots: &'s Mutex<Vec<bool>>,
    number: usize,
}

impl Slot<'_> {
    fn take(slots: &Mutex<Vec<bool>>) -> Slot<'_> {
        let mut taken = lock(slots);
        let number = taken.iter().position(|taken| !taken).unwrap_or(taken.len());
        if number == taken.len() {
            taken.push(true);
        }
        taken[number] = true;
        Slot { slots, number }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        lock(self.slots)[self.number] = false;
    }
}

/// Records the times of a batch.
struct Recorder {
    trace: Trace,
    began: u64,
}

impl Recorder {
    fn new(profile: Profiling, work: &PackageWork) -> Option<Recorder> {
        let level = match profile {
            Profiling::Off => return None,
            Profiling::Nodes => Level::Nodes,
            Profiling::Calls => Level::Deep,
        };
        let clock = Clock::real();
        let trace = match work {
            PackageWork::Run { .. } => profile::trace(clock, level, None),
            _ => profile::trace_of_search(clock, level, None),
        };
        trace.start_workers(1);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
        let passed = trace.now();
        Some(Recorder { trace, began: now.saturating_sub(passed) })
    }

    fn times(self, slot: usize) -> Times {
        let (lane, tasks) = profile::worker_times(self.trace.finish());
        Times { slot, began: self.began, lane, tasks }
    }
}
