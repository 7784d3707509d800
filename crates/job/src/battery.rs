//! Runs many programs on many tasks, checks their answers, and chooses two attempts for each test output.
//!
//! [`Battery::run`] takes tasks from an iterator and returns their results in order, independent of the number of
//! threads. It holds a few hundred tasks in memory at a time, so the number of tasks is unlimited. Callers keep the
//! results they need; [`Summary`] keeps enough for a report.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use batt_dsl::{Limits, symbol};
use batt_exec::devices::Devices;
use batt_exec::{End, Input, Job, Options, Picture, Prepared, Run, Scratch};
use batt_lang::Program;
use batt_plan::{Plan, ProgramId};
use batt_score::{Candidate, Demos, Tally, Totals, Verdict, all_right, judge, rank, test_verdicts};
use batt_task::submission::{Draft, fallbacks};
use batt_task::{Grid, Pair, Task, demo};
use batt_trace::{Lane, Spot, Trace};
use batt_value::{Arena, Caps, Kind};
use rayon::prelude::*;

use crate::pool::Pool;
use crate::profile::on_lane;

/// Watches the tasks of a run, for example to stop them after a time.
pub trait Watch: Sync {
    /// Called when a worker of the pool begins a task. Setting the returned flag stops the task.
    fn begin(&self, worker: usize) -> Option<&AtomicBool>;

    /// Called when the worker has finished the task.
    fn done(&self, worker: usize, id: &str);

    /// Returns whether the whole run should end. Tasks that are unfinished then do not count, because their flags may
    /// have cut them short.
    fn stopped(&self) -> bool {
        false
    }
}

/// A [`Watch`] without deadlines.
pub struct Unwatched;

impl Watch for Unwatched {
    fn begin(&self, _: usize) -> Option<&AtomicBool> {
        None
    }

    fn done(&self, _: usize, _: &str) {}
}

/// Options of a run.
#[derive(Clone, Copy)]
pub struct Setup<'s> {
    pub limits: Limits,
    /// Runs every program on every task, not only on its own.
    pub all_pairs: bool,
    /// Runs a program on later pairs even after it was wrong on a demonstration pair.
    pub all_demos: bool,
    pub sharing: bool,
    pub kernels: bool,
    /// Keeps the answers, not only the verdicts.
    pub answers: bool,
    pub watch: &'s dyn Watch,
    /// Records where the time goes.
    pub trace: Option<&'s Trace>,
    /// Devices that help. They do not change the results.
    pub devices: Option<&'s Devices>,
    /// Number of tasks that are in memory at a time and reported together.
    pub chunk: usize,
}

impl<'s> Setup<'s> {
    /// Large enough that threads seldom wait for each other at the end of a chunk.
    pub const CHUNK: usize = 256;

    /// Returns the default options: standard limits, each program on its own task, all optimisations on.
    pub fn new(watch: &'s dyn Watch) -> Setup<'s> {
        Setup {
            limits: Limits::STANDARD,
            all_pairs: false,
            all_demos: false,
            sharing: true,
            kernels: true,
            answers: false,
            watch,
            trace: None,
            devices: None,
            chunk: Setup::CHUNK,
        }
    }

    /// Books the time of the main lane to `spot` until the returned span is dropped.
    fn enter(&self, spot: Spot) -> Option<batt_trace::MainSpan<'_>> {
        self.trace.map(|trace| trace.enter(spot))
    }
}

/// Programs that are ready to run.
pub struct Battery<'p> {
    programs: &'p [Program],
    plan: Plan,
    own: ProgramsByTask,
}

/// The result of one task.
#[derive(Debug)]
pub struct TaskResult {
    /// False if the run was stopped first. Then the attempts are fallbacks, and everything else is empty.
    pub finished: bool,
    /// In the order of the programs.
    pub programs: Vec<ProgramResult>,
    /// Two for each test input, chosen by the demonstration pairs only.
    pub attempts: Vec<[Grid; 2]>,
    /// Whether a program has an answer to a test input; otherwise all attempts are fallbacks.
    pub answered: bool,
    /// The scores of the attempts.
    pub scores: Totals,
}

/// The result of one program on one task. Pairs are in the order of [`Task::pairs`].
#[derive(Debug)]
pub struct ProgramResult {
    pub program: ProgramId,
    /// Whether the program is named after the task.
    pub own: bool,
    pub demos: Vec<Verdict>,
    pub tests: Vec<Verdict>,
    pub fuel: Vec<u64>,
    /// For a program on its own task: the pairs on which it is wrong, with the reason.
    pub wrong: Vec<(usize, String)>,
    /// Empty unless [`Setup::answers`] is set.
    pub answers: Vec<Run>,
}

impl TaskResult {
    fn unfinished(task: &Task) -> TaskResult {
        TaskResult {
            finished: false,
            programs: Vec::new(),
            attempts: fallbacks(task),
            answered: false,
            scores: Totals::default(),
        }
    }
}

impl ProgramResult {
    /// Returns whether the program is right on all pairs whose output is known, and gives a grid for the others.
    pub fn is_right(&self) -> bool {
        right(&self.demos) && (right(&self.tests) || self.tests.is_empty())
    }

    pub fn verdicts(&self) -> impl Iterator<Item = Verdict> {
        self.demos.iter().chain(&self.tests).copied()
    }
}

fn right(verdicts: &[Verdict]) -> bool {
    !verdicts.is_empty() && verdicts.iter().all(|it| matches!(it, Verdict::Right | Verdict::Unjudged))
}

impl<'p> Battery<'p> {
    /// Merges the programs and assigns them to the tasks, among `ids`, that they are named after.
    pub fn new<'i>(programs: &'p [Program], ids: impl IntoIterator<Item = &'i str>) -> Battery<'p> {
        Battery { programs, plan: Plan::merge(programs), own: ProgramsByTask::new(programs, ids) }
    }

    /// Merges the programs, which are assigned to tasks already. Every task must be there.
    pub(crate) fn assigned(programs: &'p [Program], tasks: BTreeMap<String, Vec<ProgramId>>) -> Battery<'p> {
        let own = ProgramsByTask { tasks, rules: BTreeMap::new() };
        Battery { programs, plan: Plan::merge(programs), own }
    }

    pub fn programs(&self) -> &'p [Program] {
        self.programs
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the programs that are named after a task.
    pub fn own(&self, id: &str) -> &[ProgramId] {
        self.own.programs(id)
    }

    /// Runs the programs on the tasks and calls `each` for every task, in order. When the run is stopped, the tasks in
    /// memory are reported as unfinished, and no more are taken.
    pub fn run<T: Borrow<Task> + Sync + Send>(
        &self,
        pool: &Pool,
        tasks: impl IntoIterator<Item = T, IntoIter: Send>,
        setup: &Setup<'_>,
        mut each: impl FnMut(&Task, TaskResult),
    ) {
        let arena = Arena::new(setup.limits.caps);
        let prepared = {
            let _span = setup.enter(Spot::FOLD);
            self.prepared(&arena, setup)
        };
        let mut tasks = tasks.into_iter();
        loop {
            let chunk: Vec<T> = {
                let _span = setup.enter(Spot::LOAD);
                pool.install(|| tasks.by_ref().take(setup.chunk.max(1)).collect())
            };
            if chunk.is_empty() {
                return;
            }
            let scratch = || Scratch::new(setup.limits);
            let one = |scratch: &mut Scratch, task: &T| self.task(&prepared, task.borrow(), setup, scratch);
            let results: Vec<TaskResult> = {
                let _span = setup.enter(Spot::IDLE);
                pool.install(|| chunk.par_iter().map_init(scratch, one).collect())
            };
            for (task, result) in chunk.iter().zip(results) {
                each(task.borrow(), result);
            }
            if setup.watch.stopped() {
                return;
            }
        }
    }

    /// Runs the programs on one task, on this thread.
    pub fn one(&self, task: &Task, setup: &Setup<'_>) -> TaskResult {
        let arena = Arena::new(setup.limits.caps);
        let prepared = self.prepared(&arena, setup);
        self.task(&prepared, task, setup, &mut Scratch::new(setup.limits))
    }

    /// Prepares the programs to run. Their constants live in the arena.
    pub(crate) fn prepared<'a>(&'a self, arena: &'a Arena, setup: &Setup<'a>) -> Prepared<'a> {
        let prepared = Prepared::new(&self.plan, arena, &options(setup, None));
        prepared.helped_by(setup.devices, setup.limits.caps)
    }

    /// Runs prepared programs on one task, on this thread.
    pub(crate) fn task(
        &self,
        prepared: &Prepared<'_>,
        task: &Task,
        setup: &Setup<'_>,
        scratch: &mut Scratch,
    ) -> TaskResult {
        if setup.watch.stopped() {
            return TaskResult::unfinished(task);
        }
        on_lane(setup.trace, task, |lane| self.task_on(lane, prepared, task, setup, scratch))
    }

    fn task_on(
        &self,
        lane: Option<&Lane>,
        prepared: &Prepared<'_>,
        task: &Task,
        setup: &Setup<'_>,
        scratch: &mut Scratch,
    ) -> TaskResult {
        let mark = |spot| lane.into_iter().for_each(|lane| lane.mark(spot));
        let worker = rayon::current_thread_index().unwrap_or(0);
        let own = self.own(&task.id);
        let programs = match setup.all_pairs {
            true => (0..self.programs.len() as u32).map(ProgramId).collect(),
            false => own.to_vec(),
        };
        let job = job(task, programs);
        let stop = setup.watch.begin(worker);
        mark(Spot::SET_UP);
        let runs = prepared.run_traced(&job, &options(setup, stop), scratch, lane);
        if setup.watch.stopped() {
            return TaskResult::unfinished(task);
        }
        // The attempts are chosen before any test output is read.
        let draft = self.choose(task, &job.programs, &runs);
        let answered = runs.iter().flat_map(|runs| &runs[task.train.len()..]).any(has_answer);
        mark(Spot::RANK);
        let attempts: Vec<_> =
            (0..task.test.len()).filter_map(|k| draft.attempts(&task.id, k).cloned()).collect();
        let scores = Totals::open(task, &attempts);
        let results = job.programs.iter().zip(runs).map(|(program, runs)| {
            let own = own.contains(program);
            self.judge(task, *program, own, runs, setup.answers)
        });
        let programs: Vec<ProgramResult> = results.collect();
        mark(Spot::SCORE);
        setup.watch.done(worker, &task.id);
        if tracing::enabled!(tracing::Level::DEBUG) {
            mark(Spot::PROGRESS);
            let right = programs.iter().filter(|program| program.is_right()).count();
            tracing::debug!(task = %task.id, programs = programs.len(), right, "ran programs");
            mark(Spot::LOG);
        } else if let Some(lane) = lane {
            lane.mark_lazily(Spot::PROGRESS);
        }
        TaskResult { finished: true, programs, attempts, answered, scores }
    }

    /// Chooses two attempts for each test input: the answers of the programs that fit the demonstration pairs best.
    fn choose(&self, task: &Task, programs: &[ProgramId], runs: &[Vec<Run>]) -> Draft {
        let mut draft = Draft::new([task]);
        let mut candidates: Vec<Vec<Candidate>> = vec![Vec::new(); task.test.len()];
        let mut demos = None;
        for (program, runs) in programs.iter().zip(runs) {
            let (on_demos, on_tests) = runs.split_at(task.train.len());
            // Grading costs more than running, so programs without an answer to submit are not graded.
            if !on_tests.iter().any(has_answer) {
                continue;
            }
            let fit = demos.get_or_insert_with(|| Demos::new(task)).fit(on_demos.iter().map(Into::into));
            let size = self.programs[program.index()].nodes().len();
            for (run, candidates) in on_tests.iter().zip(&mut candidates) {
                candidates.extend(Candidate::new(run, &fit, size));
            }
        }
        for (k, candidates) in candidates.iter().enumerate() {
            draft.answer(&task.id, k, rank(candidates).into_iter().cloned());
        }
        draft
    }

    fn judge(
        &self,
        task: &Task,
        program: ProgramId,
        own: bool,
        runs: Vec<Run>,
        answers: bool,
    ) -> ProgramResult {
        let (on_demos, on_tests) = runs.split_at(task.train.len());
        let demos: Vec<_> =
            task.train.iter().zip(on_demos).map(|(pair, run)| judge(run, pair.output.as_ref())).collect();
        let tests = test_verdicts(task, on_tests.iter().map(Into::into));
        let fuel = runs.iter().map(|run| run.fuel).collect();
        let mut result =
            ProgramResult { program, own, demos, tests, fuel, wrong: Vec::new(), answers: Vec::new() };
        if own {
            let wrong = |(i, verdict): (usize, Verdict)| {
                let fine = matches!(verdict, Verdict::Right | Verdict::Unjudged | Verdict::Skipped);
                let pair = task.train.iter().chain(&task.test).nth(i)?;
                (!fine).then(|| (i, why(&runs[i], pair.output.as_ref(), &self.programs[program.index()])))
            };
            result.wrong = result.verdicts().enumerate().filter_map(wrong).collect();
        }
        if answers {
            result.answers = runs;
        }
        result
    }
}

fn has_answer(run: &Run) -> bool {
    matches!(run.end, End::Grid { .. } | End::Other(_))
}

/// The programs that are named after each task: the id is the program's name, or the end of it after an underscore.
/// Generated tasks ([`demo::generate`]) have the programs of their rule.
struct ProgramsByTask {
    tasks: BTreeMap<String, Vec<ProgramId>>,
    rules: BTreeMap<&'static str, Vec<ProgramId>>,
}

impl ProgramsByTask {
    fn new<'i>(programs: &[Program], ids: impl IntoIterator<Item = &'i str>) -> ProgramsByTask {
        let ids: BTreeSet<&str> = ids.into_iter().collect();
        let mut by_task = ProgramsByTask { tasks: BTreeMap::new(), rules: BTreeMap::new() };
        for (i, program) in programs.iter().enumerate() {
            let id = ProgramId(i as u32);
            if let Some(task) = endings(program.name()).find(|name| ids.contains(name)) {
                by_task.tasks.entry(task.to_owned()).or_default().push(id);
            } else if let Some(rule) = endings(program.name()).find_map(rule) {
                by_task.rules.entry(rule).or_default().push(id);
            }
        }
        by_task
    }

    fn programs(&self, task: &str) -> &[ProgramId] {
        let of_rule = || self.rules.get(demo::rule_of(task).filter(|rule| rule.name != task)?.name);
        self.tasks.get(task).or_else(of_rule).map_or(&[], |programs| &programs[..])
    }
}

/// Returns the rule with exactly this name.
fn rule(name: &str) -> Option<&'static str> {
    demo::rule_of(name).map(|rule| rule.name).filter(|rule| *rule == name)
}

/// Returns a name, and the part after each of its underscores.
pub fn endings(name: &str) -> impl Iterator<Item = &str> {
    std::iter::once(name).chain(name.match_indices('_').map(|(at, _)| &name[at + 1..]))
}

/// Counts the cells of all inputs of a task.
pub(crate) fn cells(task: &Task) -> u64 {
    task.train.iter().chain(&task.test).map(|pair| pair.input.cells().len() as u64).sum()
}

fn options<'o>(setup: &Setup<'_>, stop: Option<&'o AtomicBool>) -> Options<'o> {
    let Setup { limits, all_demos, sharing, kernels, .. } = *setup;
    Options { limits, all_demos, sharing, kernels, stop }
}

/// Returns the job of running programs on all inputs of a task.
pub fn job<'t>(task: &'t Task, programs: Vec<ProgramId>) -> Job<'t> {
    let shown = |pair: &'t Pair| Some((picture(&pair.input), picture(pair.output.as_ref()?)));
    let demo =
        |pair: &'t Pair| Input { input: picture(&pair.input), must_give: pair.output.as_ref().map(picture) };
    let test = |pair: &'t Pair| Input { input: picture(&pair.input), must_give: None };
    let inputs = task.train.iter().map(demo).chain(task.test.iter().map(test)).collect();
    Job { samples: task.train.iter().filter_map(shown).collect(), inputs, programs }
}

fn picture(grid: &Grid) -> Picture<'_> {
    Picture { width: grid.width(), cells: grid.cells() }
}

/// Describes what is wrong with an answer.
pub fn why(run: &Run, expected: Option<&Grid>, program: &Program) -> String {
    match &run.end {
        End::Failed(failed) => failed.describe(program),
        End::Skipped => "skipped, because an earlier pair is wrong".to_owned(),
        End::Grid { width, cells } => why_wrong(*width, cells, expected),
        End::Other(owned) => {
            if let Some((width, cells)) = owned.rectangle() {
                return why_wrong(width, &cells, expected);
            }
            let arena = Arena::new(Caps::STANDARD);
            let value = owned.load(&arena, &symbol);
            let kind = value.map_or("a value", |value| kind(value.kind()));
            format!("the answer is {kind}, not a grid of small integers")
        }
    }
}

/// Describes what is wrong with a rectangle of small integers.
fn why_wrong(width: usize, cells: &[i8], expected: Option<&Grid>) -> String {
    let Some(expected) = expected else { return "no known solution to compare with".to_owned() };
    if (width, cells.len()) == (expected.width(), expected.cells().len()) {
        let differ = cells.iter().zip(expected.cells()).filter(|(got, expected)| got != expected).count();
        return format!("{differ} of {} cells differ", cells.len());
    }
    let got = format!("{}×{width}", cells.len() / width);
    format!("the answer is {got}, expected {}×{}", expected.height(), expected.width())
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::None => "None",
        Kind::Bool => "a boolean",
        Kind::Int => "a number",
        Kind::Tuple => "a tuple",
        Kind::Set => "a set",
        Kind::Func => "a function",
    }
}

/// The summary of a run. Its size depends on the number of wrong programs, not on the number of tasks.
#[derive(Debug, Default)]
pub struct Summary {
    /// Number of finished tasks.
    pub tasks: usize,
    /// Number of unfinished tasks, if the run was stopped.
    pub left: usize,
    /// Number of tasks on which a program ran.
    pub attempted: usize,
    /// Number of runs of a program on a pair, without skipped ones.
    pub runs: u64,
    pub fuel: u64,
    pub tally: Tally,
    pub scores: Totals,
    pub own: OwnCounts,
    /// The programs that are wrong on their own tasks.
    pub wrong: Vec<WrongProgram>,
    /// The tasks that used the most fuel, most first.
    pub most_fuel: Vec<(u64, String)>,
    /// Programs that are right on tasks other than their own.
    pub on_other_tasks: Vec<(ProgramId, String)>,
}

/// Counts of programs on their own tasks. A program with several tasks counts once for each.
#[derive(Debug, Default)]
pub struct OwnCounts {
    pub runs: usize,
    pub on_demos: usize,
    /// Right on all test pairs, whose outputs are all known.
    pub on_tests: usize,
    /// Right on all pairs whose output is known.
    pub right: usize,
    /// The programs that were counted.
    pub programs: BTreeSet<ProgramId>,
}

/// A program that is wrong on its own task.
#[derive(Debug)]
pub struct WrongProgram {
    pub program: ProgramId,
    pub task: String,
    pub pairs: usize,
    pub skipped: usize,
    /// The wrong pairs, such as `train 0`, with the reasons.
    pub wrong: Vec<(String, String)>,
}

impl Summary {
    const MOST_FUEL: usize = 5;

    pub fn new() -> Summary {
        Summary::default()
    }

    /// Adds the next task.
    pub fn add(&mut self, task: &Task, result: &TaskResult) {
        if !result.finished {
            self.left += 1;
            return;
        }
        self.tasks += 1;
        self.attempted += usize::from(!result.programs.is_empty());
        self.scores.join(&result.scores);
        let mut fuel = 0;
        for program in &result.programs {
            fuel += program.fuel.iter().sum::<u64>();
            for verdict in program.verdicts() {
                self.tally.add(verdict);
                self.runs += u64::from(verdict != Verdict::Skipped);
            }
            if program.own {
                self.own.add(program);
            }
            match (program.own, program.is_right()) {
                (true, false) => self.wrong.push(WrongProgram::new(task, program)),
                (false, true) => self.on_other_tasks.push((program.program, task.id.clone())),
                _ => {}
            }
        }
        self.fuel += fuel;
        if fuel > 0 {
            let place = self.most_fuel.partition_point(|(other, _)| *other >= fuel);
            self.most_fuel.insert(place, (fuel, task.id.clone()));
            self.most_fuel.truncate(Summary::MOST_FUEL);
        }
    }
}

impl OwnCounts {
    fn add(&mut self, result: &ProgramResult) {
        self.runs += 1;
        self.on_demos += usize::from(right(&result.demos));
        self.on_tests += usize::from(all_right(&result.tests));
        self.right += usize::from(result.is_right());
        self.programs.insert(result.program);
    }
}

impl WrongProgram {
    fn new(task: &Task, result: &ProgramResult) -> WrongProgram {
        let name = |i: usize| match i.checked_sub(task.train.len()) {
            None => format!("train {i}"),
            Some(i) => format!("test {i}"),
        };
        WrongProgram {
            program: result.program,
            task: task.id.clone(),
            pairs: task.train.len() + task.test.len(),
            skipped: result.verdicts().filter(|verdict| *verdict == Verdict::Skipped).count(),
            wrong: result.wrong.iter().map(|(i, why)| (name(*i), why.clone())).collect(),
        }
    }
}
