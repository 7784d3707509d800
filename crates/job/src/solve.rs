//! Solving tasks: two attempts for every test output, in files that are complete at any moment.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use batt_base::write_atomic_with;
use batt_dsl::Limits;
use batt_exec::{Options, Prepared};
use batt_lang::{self as lang, Program};
use batt_plan::{Plan, ProgramId};
use batt_record::{self as record, CurvePoint, Kind, Record, Setup, State};
use batt_score::{Scores, Totals};
use batt_search::{Known, Mechanism, Progress, Propose, SURE, Searcher};
use batt_store::{Origin, Store};
use batt_task::submission::{Draft, Form};
use batt_task::{Grid, Problem, Task};
use batt_trace::Spot;
use batt_value::Arena;

use crate::campaign::{Campaign, Observer, final_outputs};
use crate::cluster::{self, Driven, PackageWork, Used};
use crate::control::{Control, lock};
use crate::description::{self, Job, Save};
use crate::document;
use crate::error::JobError;
use crate::event::Event;
use crate::identity::identify;
use crate::live_solve::LiveSolve;
use crate::pool::Pool;
use crate::programs::{ProgramErrors, Programs};
use crate::recording::Recording;
use crate::running::Context;
use crate::save::{Earlier, Files, Saved, SubmissionState, Target, is_plain};
use crate::solve_record;
use crate::store::{Find, StoreReader, file, recorded_path};
use crate::tasks::Tasks;

/// The result of a solve.
pub struct SolveOutcome {
    pub record: Record,
    pub totals: Totals,
    /// How reliable the confidence was; empty if no solution is known.
    pub reliability: Vec<Reliability>,
    /// Errors in the program files.
    pub errors: Vec<ProgramErrors>,
    /// Broken tasks that were skipped.
    pub skipped: Vec<Problem>,
    /// Tasks that continued from an earlier part of the same job.
    pub resumed: usize,
    /// Whether the user stopped it before its end.
    pub stopped: bool,
    pub elapsed: Duration,
    pub saved: Saved,
}

/// First attempts with similar confidence, and how many of them are right.
#[derive(Clone, PartialEq, Debug, schemars::JsonSchema, serde::Serialize)]
pub struct Reliability {
    /// Lower bound of the group's confidence, from 0 to 1.
    pub from: f64,
    /// Upper bound of the group's confidence, from 0 to 1.
    pub to: f64,
    /// Number of first attempts in the group.
    pub attempts: usize,
    /// Those that are right.
    pub right: usize,
    /// Mean confidence.
    pub said: f64,
}

pub(crate) fn solve(context: &Context<'_>, work: &description::Solve) -> Result<SolveOutcome, JobError> {
    let Context { job, control, .. } = *context;
    let recording = Recording::of_search(&job.save);
    context.open_devices(recording.trace())?;
    let span = recording.enter(Spot::PARSE);
    let programs = Programs::read(job)?;
    warn_of_errors(control, &programs.errors);
    drop(span);
    let span = recording.enter(Spot::LOAD);
    let pool = context.pool()?;
    let found = Tasks::select(context.index()?, job, &pool, control)?;
    let tasks = found.load()?;
    drop(span);
    let span = recording.enter(Spot::SET_UP);
    let mut setup = setup(context, work, &found, &programs.list);
    let identity = identify(Kind::Solve, &mut setup, &programs.list);
    let (files, earlier) = Files::claim(&job.save, control, &identity, &setup)?;
    // Opened before the work, so that an unwritable store is reported at once.
    let mut store = work.store.as_deref().map(Store::open).transpose()?;
    let mut campaign = Campaign::new(&tasks);
    let head = document::head(Kind::Solve, identity, setup, job, pool.threads());
    let results = Results::new(context, work.effort.fuel(), head, files, &mut campaign, earlier);
    // The first submission is written before any program runs.
    let campaign = Arc::new(campaign);
    results.keep_changed_submission(&campaign);
    results.save(&mut lock(&results.current), &campaign);
    control.share_solve(LiveSolve::new(Arc::clone(&campaign), work.effort.fuel()));
    drop(span);
    let known = KnownPrograms {
        general: &programs.list,
        stored: stored(store.as_ref(), &tasks, programs.list.len(), control)?,
        proposer: context.proposer(),
    };
    let used = match context.cluster() {
        None => {
            search(&results, work, &campaign, &pool, &recording, known);
            Ok(None)
        }
        Some(cluster) => {
            let driven = Driven { cluster, control, pool: &pool, trace: recording.trace() };
            search_on_cluster(&results, work, &campaign, &driven, known)
        }
    };
    let (used, lost) = match used {
        Ok(used) => (used, None),
        Err(error) => (None, Some(error)),
    };
    let span = recording.enter(Spot::WRITE);
    let mut outcome = results.finish(&campaign, &tasks, &found, &recording, used, lost.is_some())?;
    drop(span);
    // Files are written first, so that an error of the store does not affect them.
    if let Some(store) = &mut store {
        outcome.saved.failed.extend(file_answers(store, work.seed, &campaign, &tasks, &pool).err());
    }
    (outcome.errors, outcome.skipped) = (programs.errors, found.skipped);
    // Everything is saved by now, so the same job can continue.
    lost.map_or(Ok(outcome), Err)
}

pub(crate) fn warn_of_errors(control: &Control, errors: &[ProgramErrors]) {
    for ProgramErrors { file, errors } in errors {
        let file = file.as_deref().unwrap_or("the text");
        let n = batt_base::number::count(*errors, "error");
        control.warn(format!("{n} in {file} (see `batt programs check {file}`); using the other programs"));
    }
}

fn setup(context: &Context<'_>, work: &description::Solve, tasks: &Tasks, programs: &[Program]) -> Setup {
    let options = record::Options {
        fuel_per_task: work.effort.fuel(),
        budget: work.effort.budget().map(|it| it.as_secs_f64()),
        seed: Some(work.seed),
        given: programs.iter().map(|program| program.hash().to_string()).collect(),
        without: work.without.iter().map(|step| step.phase().to_string()).collect(),
        store: work.store.as_deref().map(recorded_path),
        proposed: context.proposer().is_some(),
        ..record::Options::default()
    };
    document::setup(&context.job.tasks.data, tasks, options)
}

/// Programs of a store, and the programs to try on each task.
struct Stored {
    programs: Vec<Program>,
    of_task: BTreeMap<String, Vec<ProgramId>>,
}

/// Returns the programs of a store that are ranked for these tasks. Their ids start at `first`.
fn stored(
    store: Option<&Store>,
    tasks: &[Task],
    first: usize,
    control: &Control,
) -> Result<Stored, JobError> {
    let mut stored = Stored { programs: Vec::new(), of_task: BTreeMap::new() };
    let Some(store) = store else { return Ok(stored) };
    let mut reader = StoreReader::new(store);
    for task in tasks {
        let mut ids = Vec::new();
        for ranked in store.best_for(task.sealed_hash())? {
            let Some(program) = reader.read(&ranked.stored) else { continue };
            ids.push(ProgramId((first + stored.programs.len()) as u32));
            stored.programs.push(program);
        }
        stored.of_task.insert(task.id.clone(), ids);
    }
    if let Some(warning) = reader.warning() {
        control.warn(warning);
    }
    Ok(stored)
}

/// The programs that are known before the search.
struct KnownPrograms<'g> {
    /// Programs to try on every task.
    general: &'g [Program],
    stored: Stored,
    /// Suggests more programs for each task.
    proposer: Option<&'g dyn Propose>,
}

fn search(
    results: &Results<'_>,
    work: &description::Solve,
    campaign: &Campaign,
    pool: &Pool,
    recording: &Recording,
    known: KnownPrograms<'_>,
) {
    let KnownPrograms { general, stored: Stored { programs, of_task }, proposer } = known;
    let programs: Vec<Program> = general.iter().cloned().chain(programs).collect();
    let plan = Plan::merge(&programs);
    let arena = Arena::new(Limits::STANDARD.caps);
    let stop = Some(&**results.control.stop_flag());
    let options = Options { limits: Limits::STANDARD, all_demos: false, sharing: true, kernels: true, stop };
    let devices = results.control.devices();
    let prepared = Prepared::new(&plan, &arena, &options).helped_by(devices, options.limits.caps);
    let known = (!programs.is_empty()).then_some(Known {
        programs: &programs,
        prepared: &prepared,
        n_general: general.len(),
        of_task: &of_task,
    });
    let without = work.without.iter().map(|step| step.phase()).collect();
    let searcher = Searcher::new(known, work.seed).without(without).proposing(proposer);
    let searcher = searcher.helped_by(devices);
    let (tasks, programs, threads) = (campaign.len(), programs.len(), pool.threads());
    results.control.emit(Event::Started { tasks, resumed: results.resumed, programs, threads });
    let progress = CampaignProgress { results, campaign, rounds: AtomicUsize::new(0) };
    campaign.run(pool, &searcher, work.effort.fuel(), recording.trace(), &progress);
}

/// Solves on the machines of a cluster.
fn search_on_cluster(
    results: &Results<'_>,
    work: &description::Solve,
    campaign: &Campaign,
    driven: &Driven<'_>,
    known: KnownPrograms<'_>,
) -> Result<Option<Used>, JobError> {
    let KnownPrograms { general, stored: Stored { programs, of_task }, .. } = known;
    let packaged = PackageWork::Solve { seed: work.seed, without: work.without.clone() };
    let mut driver = driven.start(results.job, general, packaged)?;
    let (tasks, n_programs, threads) = (campaign.len(), general.len() + programs.len(), driver.cores());
    results.control.emit(Event::Started { tasks, resumed: results.resumed, programs: n_programs, threads });
    let stored = |id: &str| {
        let ids = of_task.get(id).into_iter().flatten();
        ids.filter_map(|id| programs.get(id.index().checked_sub(general.len())?).cloned()).collect()
    };
    let observer = CampaignProgress { results, campaign, rounds: AtomicUsize::new(0) };
    let (fuel, steps) = (work.effort.fuel(), driven.cluster.steps());
    let solving = cluster::Solving { campaign, observer: &observer, fuel, steps, stored: &stored };
    cluster::solve(&mut driver, &solving)?;
    Ok(Some(driver.finish()))
}

/// Adds the programs behind the attempts to the store, except those known before.
fn file_answers(
    store: &mut Store,
    seed: u64,
    campaign: &Campaign,
    tasks: &[Task],
    pool: &Pool,
) -> Result<(), JobError> {
    let mut finds = Vec::new();
    for (place, task) in tasks.iter().enumerate() {
        let progress = campaign.progress(place);
        let attempts = progress.attempts(task.test.len());
        let places: BTreeSet<usize> =
            attempts.iter().flat_map(|output| &output.attempts).map(|attempt| attempt.answer).collect();
        let answers = places.into_iter().map(|place| &progress.answers[place]);
        for answer in answers.filter(|answer| answer.mechanism != Mechanism::Known) {
            let origin = Origin::Found {
                seed,
                operator: answer.mechanism.name().to_owned(),
                parents: Vec::new(),
                saw: vec![task.sealed_hash()],
            };
            let programs = lang::parse(&answer.program).programs.into_iter();
            finds.extend(programs.map(|program| Find { task, program, origin: origin.clone() }));
        }
    }
    file(store, finds, pool).map(drop)
}

/// The results of a solve, and its files.
struct Results<'s> {
    job: &'s Job,
    control: &'s Control,
    /// Fuel for each task; `None` if only time limits it.
    fuel: Option<u64>,
    /// The record as far as it is known before the work.
    head: Record,
    /// Tasks that continue from an earlier part of the job.
    resumed: usize,
    current: Mutex<CurrentResults<'s>>,
}

/// Current results of all tasks, and the files.
struct CurrentResults<'l> {
    tasks: Vec<TaskResult>,
    curve: Vec<CurvePoint>,
    files: Files<'l>,
}

#[derive(Clone, Default)]
struct TaskResult {
    outputs: Vec<[Grid; 2]>,
    answered: bool,
    /// Nothing more will be tried.
    done: bool,
    /// Expected right outputs.
    expected: f64,
    tried: u64,
    fuel: u64,
    /// Fuel that it may still use.
    left: u64,
}

impl TaskResult {
    fn new(task: &Task, progress: &Progress, limit: Option<u64>) -> TaskResult {
        let attempts = progress.attempts(task.test.len());
        let least = attempts.iter().map(|output| output.sure()).min().unwrap_or(0);
        let open = !progress.ended && least < SURE;
        let left = limit.filter(|_| open).map_or(0, |limit| limit.saturating_sub(progress.fuel));
        TaskResult {
            outputs: final_outputs(task, &attempts),
            answered: attempts.iter().any(|output| !output.attempts.is_empty()),
            // Without a fuel limit, sure tasks continue when all others are done.
            done: progress.ended || (limit.is_some() && left == 0),
            expected: attempts.iter().map(|output| f64::from(output.sure()) / 1000.0).sum(),
            tried: progress.tried,
            fuel: progress.fuel,
            left,
        }
    }
}

impl<'s> Results<'s> {
    fn new(
        context: &Context<'s>,
        fuel: Option<u64>,
        mut head: Record,
        files: Files<'s>,
        campaign: &mut Campaign,
        earlier: Earlier,
    ) -> Results<'s> {
        let Context { job, control, .. } = *context;
        let (mut resumed, mut curve) = (0, Vec::new());
        if let Some(state) = earlier.state {
            control.add_earlier_time(state.seconds);
            // An earlier part may have had more fuel.
            let limit = &mut head.setup.options.fuel_per_task;
            *limit = limit.zip(state.setup.options.fuel_per_task).map(|(a, b)| a.max(b)).or(*limit);
            resumed = campaign.continue_from(&state.tasks);
            curve = state.curve;
        }
        let tasks = campaign.puzzles().iter().enumerate();
        let tasks = tasks.map(|(i, puzzle)| TaskResult::new(puzzle.task(), &campaign.progress(i), fuel));
        let current = Mutex::new(CurrentResults { tasks: tasks.collect(), curve, files });
        let results = Results { job, control, fuel, head, resumed, current };
        results.update_status(&lock(&results.current));
        results
    }

    /// Updates the status.
    fn update_status(&self, current: &CurrentResults<'_>) {
        let tasks = &current.tasks;
        let count = |holds: fn(&TaskResult) -> bool| tasks.iter().filter(|task| holds(task)).count();
        self.control.update(|status| {
            status.total = tasks.len();
            status.done = count(|task| task.done);
            status.solved = count(|task| task.answered);
            status.tried = tasks.iter().map(|task| task.tried).sum();
        });
        if self.fuel.is_some() {
            let (used, left): (u64, u64) = tasks
                .iter()
                .fold((0, 0), |(used, left), task| (used + task.fuel, u64::saturating_add(left, task.left)));
            self.control.expect_end(used as f64 / (used as f64 + left as f64).max(1.0));
        }
    }

    /// Updates the result of a task.
    fn update(&self, campaign: &Campaign, place: usize, progress: &Progress) {
        let task = campaign.puzzles()[place].task();
        let now = TaskResult::new(task, progress, self.fuel);
        let current = &mut *lock(&self.current);
        let before = std::mem::replace(&mut current.tasks[place], now);
        let now = &current.tasks[place];
        if now.answered && (!before.answered || before.outputs != now.outputs) {
            let sure = now.expected / task.test.len().max(1) as f64;
            self.control.emit(Event::Improved { task: task.id.clone(), sure });
        }
        if now.done && !before.done {
            self.control.emit(Event::TaskDone { task: task.id.clone(), solved: now.answered });
        }
        self.update_status(current);
        self.extend_curve(current);
        if current.files.is_due() {
            self.save(current, campaign);
        }
    }

    /// Adds a point to the curve. The distance between points grows, so that the curve of a long solve stays short.
    fn extend_curve(&self, current: &mut CurrentResults<'_>) {
        let seconds = self.control.elapsed().as_secs_f64();
        if current.curve.last().is_none_or(|last| seconds >= last.seconds * 1.1 + 0.1) {
            current.curve.push(CurvePoint {
                seconds,
                solved_on_demos: current.tasks.iter().filter(|task| task.answered).count(),
                expected_outputs: current.tasks.iter().map(|task| task.expected).sum(),
                tried: current.tasks.iter().map(|task| task.tried).sum(),
            });
        }
    }

    /// Saves the submission, the state to continue from, and the record.
    fn save(&self, current: &mut CurrentResults<'_>, campaign: &Campaign) {
        let CurrentResults { tasks, curve, files } = current;
        files.update(|target| match target {
            Target::Submission(path) => {
                // The state is written first, because it shows that the submission belongs to this job.
                self.state(curve, campaign).write(&Save::state_of(path))?;
                write_submission(path, campaign, tasks)
            }
            // Test outputs stay sealed until the end.
            Target::Record(path) => {
                let sealed = campaign.puzzles().iter().map(|puzzle| puzzle.task());
                self.record(curve, campaign, sealed, Vec::new()).write(path)
            }
        });
    }

    /// Keeps a copy of the submission of an earlier part of the job, if somebody edited it.
    fn keep_changed_submission(&self, campaign: &Campaign) {
        let files = &lock(&self.current).files;
        if let Some(path) = files.submission().filter(|_| self.resumed > 0) {
            let expected = campaign.submission_text(Form::of(path));
            files.keep_changed(path, expected.as_bytes(), "was changed since the job wrote it");
        }
    }

    fn state(&self, curve: &[CurvePoint], campaign: &Campaign) -> State {
        State {
            job: self.head.job.clone(),
            setup: self.head.setup.clone(),
            seconds: self.control.elapsed().as_secs_f64(),
            curve: curve.to_vec(),
            tasks: campaign.states(),
            ..State::default()
        }
    }

    fn record<'t>(
        &self,
        curve: &[CurvePoint],
        campaign: &Campaign,
        tasks: impl IntoIterator<Item = &'t Task>,
        scores: Vec<record::Score>,
    ) -> Record {
        let mut head = Record { scores, curve: curve.to_vec(), ..self.head.clone() };
        head.environment.seconds = self.control.elapsed().as_secs_f64();
        let solved = tasks.into_iter().enumerate().map(|(i, task)| (task, campaign.progress(i)));
        solve_record::fill(head, solved, self.fuel)
    }

    fn finish(
        self,
        campaign: &Campaign,
        tasks: &[Task],
        found: &Tasks,
        recording: &Recording,
        used: Option<Used>,
        lost: bool,
    ) -> Result<SolveOutcome, JobError> {
        for place in 0..campaign.len() {
            self.update(campaign, place, &campaign.progress(place));
        }
        let mut current = lock(&self.current);
        let CurrentResults { tasks: results, curve, files } = &mut *current;
        let mut saved = Saved::default();
        if let Some(path) = files.submission() {
            let written = files.finish(path, |path| write_submission(path, campaign, results));
            if is_plain(path) {
                let state = self.state(curve, campaign);
                files.finish(&Save::state_of(path), |path| state.write(path));
            }
            if written.is_some() {
                let inputs = tasks.iter().map(|task| (task.id.as_str(), task.test.len()));
                let answered = results.iter().filter(|task| task.answered).count();
                saved.submission = SubmissionState::check(path, inputs, answered, found.of());
            }
        }
        // All attempts are chosen, so test outputs can be opened.
        let scores = open(campaign, results, tasks);
        let mut totals = Totals::default();
        totals.add(&scores);
        let mut record = self.record(curve, campaign, tasks, record::scores(&totals));
        record.finished = !self.control.stop_requested() && !lost;
        self.control.finish_devices();
        let reliability = reliability(&record.tasks, &scores);
        match self.resumed {
            0 => record.profile = recording.profile_of_search(),
            _ => self.control.warn_of_missing_profile(&self.job.save),
        }
        if let Some(used) = used {
            used.add_to(&mut record);
        }
        self.control.add_devices(&mut record);
        saved.note_disturbance(&record);
        if let Some(path) = &self.job.save.record {
            saved.record = files.finish(path, |path| record.write(path));
        }
        saved.report = files.finish_report(&record);
        if self.job.save.programs.is_some() {
            // After a stop there is no time to learn the rules again.
            let text = if self.job.save.resolved && !self.control.stop_requested() {
                solve_record::exported_resolved(&record, tasks, self.control.stop_flag())
            } else {
                solve_record::exported(&record)
            };
            saved.programs = files.finish_programs(&text);
        }
        saved.failed = files.take_failed();
        Ok(SolveOutcome {
            record,
            totals,
            reliability,
            errors: Vec::new(),
            skipped: Vec::new(),
            resumed: self.resumed,
            stopped: self.control.stop_requested(),
            elapsed: self.control.elapsed(),
            saved,
        })
    }
}

/// Passes the progress of the campaign to the results.
struct CampaignProgress<'w, 's> {
    results: &'w Results<'s>,
    campaign: &'w Campaign,
    rounds: AtomicUsize,
}

impl Observer for CampaignProgress<'_, '_> {
    fn stop(&self) -> &Arc<AtomicBool> {
        self.results.control.stop_flag()
    }

    fn proceed(&self) -> bool {
        self.results.control.proceed()
    }

    fn round(&self, open: usize) {
        let number = self.rounds.fetch_add(1, Ordering::Relaxed) + 1;
        self.results.control.emit(Event::Round { number, open });
    }

    fn step(&self, task: usize, progress: &Progress) {
        self.results.update(self.campaign, task, progress);
    }
}

fn write_submission(path: &Path, campaign: &Campaign, results: &[TaskResult]) -> io::Result<()> {
    let form = Form::of(path);
    write_atomic_with(path, |out| {
        out.write_all(form.start().as_bytes())?;
        for (i, (puzzle, task)) in campaign.puzzles().iter().zip(results).enumerate() {
            out.write_all(form.entry(i, puzzle.id(), &task.outputs).as_bytes())?;
        }
        out.write_all(form.end().as_bytes())
    })
}

/// Scores the attempts.
fn open(campaign: &Campaign, results: &[TaskResult], tasks: &[Task]) -> Scores {
    let mut draft = Draft::new(tasks);
    for (puzzle, task) in campaign.puzzles().iter().zip(results) {
        for (output, both) in task.outputs.iter().enumerate() {
            draft.answer(puzzle.id(), output, both.iter().cloned());
        }
    }
    Scores::open(&draft.submission(), tasks)
}

/// Groups first attempts by confidence. Returns nothing if no solution is known.
fn reliability(tasks: &[record::Task], scores: &Scores) -> Vec<Reliability> {
    let mut first: Vec<(f64, bool)> = Vec::new();
    for scored in &scores.tasks {
        let search = tasks.iter().find(|task| task.id == scored.id).and_then(|task| task.search.as_ref());
        for (attempts, output) in search.iter().flat_map(|it| &it.attempts).zip(&scored.outputs) {
            let Some(attempt) = attempts.first() else { continue };
            first.push((attempt.sure, output.right_attempt() == Some(0)));
        }
    }
    let group = |(from, to): (f64, f64)| {
        let inside = first.iter().filter(|(sure, _)| (from..to).contains(sure));
        let (attempts, said) = inside.clone().fold((0, 0.0), |(n, sum), (sure, _)| (n + 1, sum + sure));
        let right = inside.filter(|(_, right)| *right).count();
        Reliability { from, to: to.min(1.0), attempts, right, said: said / f64::max(attempts as f64, 1.0) }
    };
    let groups = [(0.95, 2.0), (0.8, 0.95), (0.5, 0.8), (0.2, 0.5), (0.0, 0.2)].map(group);
    groups.into_iter().filter(|group| group.attempts > 0).collect()
}
