//! Runs of programs on tasks, from reading the input files to writing the results.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use batt_base::{TempFile, write_atomic_with};
use batt_dsl::Limits;
use batt_lang::Program;
use batt_plan::Counts;
use batt_record::profile::Repeat;
use batt_record::{self as record, Kind, Record, Setup};
use batt_task::submission::{Form, fallbacks};
use batt_task::{Index, Problem, Task};
use batt_trace::Spot;

use crate::battery::{self, Battery, Summary, TaskResult, Watch, WrongProgram};
use crate::clock::TaskClocks;
use crate::cluster::{self, Driven, PackageWork, Used};
use crate::control::Control;
use crate::description::{self, Job};
use crate::document;
use crate::error::JobError;
use crate::event::Event;
use crate::identity::identify;
use crate::pool::Pool;
use crate::programs::{ProgramErrors, Programs};
use crate::recording::Recording;
use crate::running::Context;
use crate::save::{Files, Saved, SubmissionState, Target};
use crate::tasks::Tasks;

/// The result of a run.
pub struct RunOutcome {
    pub programs: Vec<Program>,
    /// Errors in the program files.
    pub errors: Vec<ProgramErrors>,
    pub plan: Counts,
    pub summary: Summary,
    /// Names of programs that may be wrong.
    pub expect_wrong: BTreeSet<String>,
    /// Broken tasks that were skipped.
    pub skipped: Vec<Problem>,
    /// The slowest tasks, slowest first.
    pub slowest: Vec<(Duration, String)>,
    pub elapsed: Duration,
    pub threads: usize,
    /// Tasks that an earlier part of the same job finished.
    pub resumed: usize,
    pub saved: Saved,
}

impl RunOutcome {
    /// Returns the name of a wrong program.
    pub fn name(&self, wrong: &WrongProgram) -> &str {
        self.programs[wrong.program.index()].name()
    }

    /// Returns the programs that are wrong on their own tasks and not expected to be.
    pub fn unexpected(&self) -> impl Iterator<Item = &WrongProgram> {
        self.summary.wrong.iter().filter(|wrong| !self.expect_wrong.contains(self.name(wrong)))
    }

    /// Returns whether everything ran and is right.
    pub fn is_right(&self) -> bool {
        self.errors.is_empty() && self.summary.left == 0 && self.unexpected().next().is_none()
    }
}

pub(crate) fn run(context: &Context<'_>, work: &description::Run) -> Result<RunOutcome, JobError> {
    let mut repeats = Vec::new();
    for number in 1..work.repeat {
        once(context, work, number, &mut repeats)?;
    }
    once(context, work, work.repeat, &mut repeats)
}

/// Runs everything for the given time, counted from 1, and adds the times to `repeats`.
fn once(
    context: &Context<'_>,
    work: &description::Run,
    number: u32,
    repeats: &mut Vec<Repeat>,
) -> Result<RunOutcome, JobError> {
    let Context { job, control, .. } = *context;
    let recording = Recording::of_run(&job.save)?;
    if number == 1 {
        // Devices stay open for all repetitions, so the recording of one cannot include them.
        context.open_devices(recording.trace().filter(|_| work.repeat == 1))?;
    }
    let span = recording.enter(Spot::PARSE);
    let programs = Programs::read(job)?;
    let expect_wrong = expected(work, &programs.list)?;
    drop(span);
    let span = recording.enter(Spot::START);
    let pool = context.pool()?;
    if let Some(trace) = recording.trace().filter(|_| context.cluster().is_none()) {
        trace.start_workers(pool.threads());
    }
    drop(span);
    let span = recording.enter(Spot::LOAD);
    let index = context.index()?;
    drop(span);
    let span = recording.enter(Spot::MERGE);
    let battery = Battery::new(&programs.list, index.ids());
    drop(span);
    let span = recording.enter(Spot::LOAD);
    let tasks = Tasks::select(index, job, &pool, control)?;
    drop(span);
    let span = recording.enter(Spot::WRITE);
    let mut results = Results::new(context, work, &tasks, &battery, pool.threads())?;
    drop(span);
    let executed = match context.cluster() {
        None => execute(context, work, &pool, &recording, &mut results)
            .map(|(slowest, elapsed)| (slowest, elapsed, None)),
        Some(cluster) => {
            let driven = Driven { cluster, control, pool: &pool, trace: recording.trace() };
            let used = execute_on_cluster(&driven, work, &recording, &mut results);
            used.map(|used| (Vec::new(), control.elapsed(), Some(used)))
        }
    };
    let ((slowest, elapsed, used), lost) = match executed {
        Ok(executed) => (executed, None),
        Err(error @ JobError::Cluster(_)) => ((Vec::new(), control.elapsed(), None), Some(error)),
        Err(error) => return Err(error),
    };
    results.head.environment.cluster = used.as_ref().map(Used::account);
    if number == work.repeat {
        control.finish_devices();
        control.add_devices(&mut results.head);
    }
    let excused = results
        .summary
        .wrong
        .iter()
        .filter(|wrong| expect_wrong.contains(programs.list[wrong.program.index()].name()));
    let excused = excused.count();
    let (mut disturbed, cores) = (None, results.head.environment.machine.cores);
    let span = recording.enter(Spot::WRITE);
    let (summary, resumed, mut saved) = results.finish(&tasks, || {
        drop(span);
        let mut profile = recording.profile(&battery, excused, repeats);
        if let (Some(profile), Some(used)) = (&mut profile, used) {
            used.add_times(profile);
        }
        if let Some(profile) = &mut profile {
            control.describe_devices(profile);
            disturbed = batt_report::disturbance_warning(profile, Kind::Run, cores);
        }
        profile
    })?;
    saved.disturbed = disturbed;
    match recording.close() {
        Ok(events) => saved.events = events,
        Err(error) => saved.failed.push(error),
    }
    let plan = battery.plan().counts();
    let threads = pool.threads();
    let Programs { list, errors } = programs;
    let skipped = tasks.skipped;
    if let Some(error) = lost {
        // The finished tasks are saved by now, so the same job can continue.
        return Err(error);
    }
    Ok(RunOutcome {
        programs: list,
        errors,
        plan,
        summary,
        expect_wrong,
        skipped,
        slowest,
        elapsed,
        threads,
        resumed,
        saved,
    })
}

fn expected(work: &description::Run, programs: &[Program]) -> Result<BTreeSet<String>, JobError> {
    let known: BTreeSet<&str> = programs.iter().map(Program::name).collect();
    match work.expect_wrong.iter().find(|name| !known.contains(name.as_str())) {
        Some(name) => Err(JobError::Expected(name.clone())),
        None => Ok(work.expect_wrong.iter().cloned().collect()),
    }
}

/// Runs the tasks that an earlier part of the job has not run.
fn execute(
    context: &Context<'_>,
    work: &description::Run,
    pool: &Pool,
    recording: &Recording,
    results: &mut Results<'_>,
) -> Result<(Vec<(Duration, String)>, Duration), JobError> {
    let control = context.control;
    let Results { index, battery, resumed, .. } = *results;
    let total = index.len();
    control.update(|status| (status.done, status.total) = (resumed, total));
    let programs = battery.programs().len();
    control.emit(Event::Started { tasks: total, resumed, programs, threads: pool.threads() });
    let mut broken = None;
    let loaded = index.tasks(resumed).map_while(|task| task.map_err(|error| broken = Some(error)).ok());
    // Covers starting and stopping threads; the work inside has its own spots.
    let span = recording.enter(Spot::START);
    let time = Duration::from_secs_f64(work.timeout);
    let watch = Progress { control, total };
    let done = TaskClocks::watch(pool, time, &watch, |clocks| {
        let setup = battery::Setup {
            limits: Limits { fuel: work.fuel, ..Limits::STANDARD },
            all_pairs: work.all_pairs,
            all_demos: work.all_demos,
            sharing: work.sharing,
            kernels: work.kernels,
            answers: results.tasks.is_some(),
            trace: recording.trace(),
            devices: control.devices(),
            chunk: CHUNK,
            ..battery::Setup::new(clocks)
        };
        battery.run(pool, loaded, &setup, |task, result| {
            let span = recording.enter(Spot::SUM_UP);
            // Results after an unfinished task do not count, so that the record keeps the order of the data set.
            let counts = result.finished && results.summary.left == 0;
            match counts {
                true => results.summary.add(task, &result),
                false => results.summary.left += 1,
            }
            drop(span);
            let _span = recording.enter(Spot::WRITE);
            if counts {
                results.take(task, &result, None);
            }
        });
        (clocks.slowest(), clocks.elapsed())
    });
    drop(span);
    match broken {
        // The task was readable when it was checked.
        Some(error) => Err(JobError::load(error, true)),
        None => Ok(done),
    }
}

/// Runs the tasks on the machines of a cluster.
fn execute_on_cluster(
    driven: &Driven<'_>,
    work: &description::Run,
    recording: &Recording,
    results: &mut Results<'_>,
) -> Result<Used, JobError> {
    let (control, index) = (driven.control, results.index);
    let (battery, resumed) = (results.battery, results.resumed);
    let packaged = PackageWork::Run { run: work.clone(), answers: results.tasks.is_some() };
    let total = index.len();
    control.update(|status| (status.done, status.total) = (resumed, total));
    let programs = battery.programs();
    let mut driver = driven.start(results.job, programs, packaged)?;
    control.emit(Event::Started { tasks: total, resumed, programs: programs.len(), threads: driver.cores() });
    let each = |task: &Task, result: TaskResult, entry: record::Task| {
        let _span = recording.enter(Spot::WRITE);
        results.summary.add(task, &result);
        control.update(|status| status.done += 1);
        control.expect_end(control.status().done as f64 / total as f64);
        results.take(task, &result, Some(&entry));
    };
    cluster::run(&mut driver, battery, work, index.tasks(resumed), total - resumed, each)?;
    Ok(driver.finish())
}

/// Number of tasks that are reported together. A run that is stopped loses at most that many.
const CHUNK: usize = 64;

/// Counts tasks, and waits while the job is paused.
struct Progress<'p> {
    control: &'p Control,
    total: usize,
}

impl Watch for Progress<'_> {
    fn begin(&self, _: usize) -> Option<&AtomicBool> {
        self.control.proceed();
        None
    }

    fn done(&self, _: usize, _: &str) {
        let mut done = 0;
        self.control.update(|status| {
            status.done += 1;
            done = status.done;
        });
        self.control.expect_end(done as f64 / self.total as f64);
    }

    fn stopped(&self) -> bool {
        self.control.is_stopped()
    }
}

/// Current results of the run, and its files.
struct Results<'r> {
    job: &'r Job,
    control: &'r Control,
    battery: &'r Battery<'r>,
    head: Record,
    summary: Summary,
    resumed: usize,
    index: &'r Index,
    files: Files<'r>,
    submission: Option<SubmissionWriter<'r>>,
    /// Entries of the record.
    tasks: Option<record::Tasks>,
}

impl<'r> Results<'r> {
    fn new(
        context: &Context<'r>,
        work: &description::Run,
        tasks: &'r Tasks,
        battery: &'r Battery<'r>,
        threads: usize,
    ) -> Result<Results<'r>, JobError> {
        let Context { job, control, .. } = *context;
        // A run that writes no file skips the record, because it may take only milliseconds.
        let head = match job.save.is_empty() {
            true => Record::default(),
            false => head(job, work, tasks, battery, threads),
        };
        let (files, earlier) = Files::claim(&job.save, control, &head.job, &head.setup)?;
        let entries = files.record.as_deref();
        let entries =
            entries.map(|path| record::Tasks::new(path).map_err(JobError::write(path))).transpose()?;
        let submission =
            files.submission().map(|path| SubmissionWriter::new(path, &tasks.index)).transpose()?;
        let mut results = Results {
            job,
            control,
            battery,
            head,
            summary: Summary::new(),
            resumed: 0,
            index: &tasks.index,
            files,
            submission,
            tasks: entries,
        };
        if let Some(earlier) = earlier.record.filter(|it| !it.finished) {
            results.continue_from(earlier)?;
        }
        if !control.is_stopped() {
            results.save();
        }
        Ok(results)
    }

    /// Adds the finished tasks of an earlier part of the job.
    fn continue_from(&mut self, earlier: Record) -> Result<(), JobError> {
        self.control.add_earlier_time(earlier.environment.seconds);
        for (task, entry) in self.index.tasks(0).zip(earlier.tasks) {
            let task = task.map_err(|error| JobError::load(error, true))?;
            let Some(result) = document::result(&task, &entry) else { break };
            self.summary.add(&task, &result);
            self.add_entry(&task, &result, &entry);
            self.resumed += 1;
        }
        Ok(())
    }

    /// Adds the result of a task. The entry is made from the result, unless it is given.
    fn take(&mut self, task: &Task, result: &TaskResult, entry: Option<&record::Task>) {
        if self.tasks.is_some() {
            let made = || Cow::Owned(document::task(self.battery, task, result));
            let entry = entry.map_or_else(made, Cow::Borrowed);
            self.add_entry(task, result, &entry);
        } else if let Some(submission) = &mut self.submission {
            let added = submission.add(&task.id, result);
            self.files.report(submission.path, added);
        }
        let solved = self.summary.scores.right_tasks();
        self.control.update(|status| status.solved = solved);
        let right = result.scores.right_tasks() > 0;
        self.control.emit(Event::TaskDone { task: task.id.clone(), solved: right });
        if self.files.is_due() {
            self.save();
        }
    }

    fn add_entry(&mut self, task: &Task, result: &TaskResult, entry: &record::Task) {
        if let Some(submission) = &mut self.submission {
            let added = submission.add(&task.id, result);
            if added.is_err() {
                self.files.report(submission.path, added);
            }
        }
        if let Some(tasks) = &mut self.tasks
            && let Err(error) = tasks.add(entry)
        {
            let path = self.files.record.clone().unwrap_or_default();
            self.files.report(&path, Err(error));
        }
    }

    /// Returns the record without its tasks, which are written separately.
    fn record(&self) -> Record {
        let summary = &self.summary;
        let mut record = Record {
            right: document::right(summary),
            scores: record::scores(&summary.scores),
            verdicts: record::verdict_counts(&summary.tally),
            ..self.head.clone()
        };
        record.right.left = self.index.len() - summary.tasks;
        record.finished = record.right.left == 0;
        record.environment.seconds = self.control.elapsed().as_secs_f64();
        record
    }

    /// Saves the current results.
    fn save(&mut self) {
        let record = self.record();
        let Results { files, submission, tasks, .. } = self;
        files.update(|target| match target {
            Target::Submission(path) => submission.as_mut().map_or(Ok(()), |it| it.write(path)),
            Target::Record(_) => tasks.as_mut().map_or(Ok(()), |it| it.write(&record, || None)),
        });
    }

    fn finish(
        mut self,
        tasks: &Tasks,
        profile: impl FnOnce() -> Option<Box<record::Profile>>,
    ) -> Result<(Summary, usize, Saved), JobError> {
        let record = self.record();
        self.summary.left = record.right.left;
        let mut saved = Saved::default();
        if let Some(submission) = &mut self.submission {
            let path = submission.path;
            if self.files.finish(path, |path| submission.write(path)).is_some() {
                let inputs = submission.inputs()?;
                let inputs = inputs.iter().map(|(id, n)| (id.as_str(), *n));
                saved.submission = SubmissionState::check(path, inputs, submission.n_answered, tasks.of());
            }
        }
        if let Some(path) = self.finish_record(&record, profile) {
            saved.record = self.job.save.record.clone();
            if self.job.save.report.is_some() {
                let record = Record::read(&path);
                let record = record.map_err(|error| JobError::Record { path: path.clone(), error })?;
                saved.report = self.files.finish_report(&record);
            }
        }
        saved.failed = self.files.take_failed();
        Ok((self.summary, self.resumed, saved))
    }

    /// Writes the record. Returns its path.
    fn finish_record(
        &mut self,
        record: &Record,
        profile: impl FnOnce() -> Option<Box<record::Profile>>,
    ) -> Option<PathBuf> {
        let (Some(entries), Some(path)) = (&mut self.tasks, self.files.record.clone()) else { return None };
        if self.resumed > 0 {
            self.control.warn_of_missing_profile(&self.job.save);
        }
        // The profile includes the time of writing, so it is made once, at the end of the first attempt to write.
        let (mut make_profile, mut profile) = (Some(profile).filter(|_| self.resumed == 0), None);
        self.files.finish(&path, |path| {
            entries.write_to(path, record, || {
                if let Some(make_profile) = make_profile.take() {
                    profile = make_profile();
                }
                profile.clone()
            })
        })
    }
}

fn setup(job: &Job, work: &description::Run, tasks: &Tasks) -> Setup {
    let options = record::Options {
        fuel: Some(work.fuel),
        timeout: Some(work.timeout),
        all_pairs: work.all_pairs,
        all_demos: work.all_demos,
        ..record::Options::default()
    };
    document::setup(&job.tasks.data, tasks, options)
}

/// Returns the record as far as it is known before the work.
fn head(job: &Job, work: &description::Run, tasks: &Tasks, battery: &Battery<'_>, threads: usize) -> Record {
    let mut setup = setup(job, work, tasks);
    let identity = identify(Kind::Run, &mut setup, battery.programs());
    let mut head = document::head(Kind::Run, identity, setup, job, threads);
    head.environment.sharing = work.sharing;
    head.environment.kernels = work.kernels;
    Record { plan: battery.plan().counts().into(), programs: document::programs(battery), ..head }
}

/// Writes the submission of a run. Finished tasks are appended to a temporary file, in order; the others get fallbacks.
struct SubmissionWriter<'g> {
    path: &'g Path,
    form: Form,
    index: &'g Index,
    /// Entries of the finished tasks.
    finished: TempFile,
    n_finished: usize,
    /// Finished tasks with an answer; the others have fallbacks.
    n_answered: usize,
}

impl<'g> SubmissionWriter<'g> {
    fn new(path: &'g Path, index: &'g Index) -> Result<SubmissionWriter<'g>, JobError> {
        let finished = TempFile::beside(path).map_err(JobError::write(path))?;
        Ok(SubmissionWriter { path, form: Form::of(path), index, finished, n_finished: 0, n_answered: 0 })
    }

    fn add(&mut self, id: &str, result: &TaskResult) -> io::Result<()> {
        let entry = self.form.entry(self.n_finished, id, &result.attempts);
        self.n_answered += usize::from(result.answered);
        self.n_finished += 1;
        self.finished.append(entry.as_bytes())
    }

    fn write(&mut self, path: &Path) -> io::Result<()> {
        let SubmissionWriter { form, index, ref mut finished, n_finished, .. } = *self;
        write_atomic_with(path, |out| {
            out.write_all(form.start().as_bytes())?;
            finished.copy_to(out)?;
            for (i, task) in (n_finished..).zip(index.tasks(n_finished)) {
                let task = task.map_err(io::Error::other)?;
                out.write_all(form.entry(i, &task.id, &fallbacks(&task)).as_bytes())?;
            }
            out.write_all(form.end().as_bytes())
        })
    }

    /// Returns ids and numbers of test inputs.
    fn inputs(&self) -> Result<Vec<(String, usize)>, JobError> {
        let tasks = self.index.tasks(0).map(|task| task.map(|task| (task.id, task.test.len())));
        tasks.collect::<Result<_, _>>().map_err(|error| JobError::load(error, true))
    }
}
