//! Searching for new programs, which are added to a store as they are found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use batt_lang::{self as lang, Program};
use batt_record::{self as record, Kind, OperatorCounts, Record, Setup};
use batt_search::Puzzle;
use batt_search::breed::{Breeder, Capacity, Operator, Tally};
use batt_store::{Added, Origin, Store};
use batt_task::{Problem, Task};
use batt_trace::{Spot, Trace};
use batt_value::ContentHash;

use crate::battery::Battery;
use crate::breeding::{self, BredProgram, Breeding, BroodReport, Observer, PoolRounds};
use crate::cluster::{ClusterRounds, Driven, PackageWork, Used, distribute_enumeration};
use crate::control::{Control, lock};
use crate::description::{self, Job, Mode};
use crate::document;
use crate::enumeration::{self, Enumeration};
use crate::error::JobError;
use crate::event::Event;
use crate::identity::identify;
use crate::pool::Pool;
use crate::programs::{ProgramErrors, Programs};
use crate::recording::Recording;
use crate::running::Context;
use crate::save::{Files, Saved, Target};
use crate::search_record::Finds;
use crate::solve::warn_of_errors;
use crate::store::{Find, StoreReader, file, recorded_path};
use crate::tasks::Tasks;

/// The result of a search.
pub struct SearchOutcome {
    pub record: Record,
    /// Number of programs that the store did not have before.
    pub filed: usize,
    pub store: PathBuf,
    /// Number of programs that were known before.
    pub known: usize,
    /// Errors in the program files.
    pub errors: Vec<ProgramErrors>,
    /// Broken tasks that were skipped.
    pub skipped: Vec<Problem>,
    /// Tasks that an earlier part of the same job finished.
    pub resumed: usize,
    /// Whether the user stopped it before its end.
    pub stopped: bool,
    pub elapsed: Duration,
    pub saved: Saved,
}

/// The graded score of a program that is right on all pairs, in millionths.
pub(crate) const SOLVED: u32 = 1_000_000;

pub(crate) fn search(context: &Context<'_>, work: &description::Search) -> Result<SearchOutcome, JobError> {
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
    let mut setup = setup(job, work, &found, &programs.list);
    let identity = identify(Kind::Search, &mut setup, &programs.list);
    let (files, earlier) = Files::claim(&job.save, control, &identity, &setup)?;
    // Opened only now, because this can create the file, and an invalid job must not.
    let mut store = Store::open(&work.store)?;
    let mut reader = StoreReader::new(&store);
    let known = with_stored(programs.list, &store, &mut reader)?;
    let ranked = ranked(&tasks, &store, &mut reader)?;
    if let Some(warning) = reader.warning() {
        control.warn(warning);
    }
    let mut results: Vec<TaskResult> = ranked.iter().map(|ranked| TaskResult::before(ranked)).collect();
    let earlier = earlier.record.map(|record| EarlierPart::new(&tasks, &record));
    let resumed = earlier.as_ref().map_or(0, |earlier| earlier.continue_with(&mut results, work, control));
    let head = document::head(Kind::Search, identity, setup, job, pool.threads());
    drop(span);
    let own = own(&tasks, &known, &ranked);
    let filing = Mutex::new(Filing { store: &mut store, new: 0, failed: None });
    let files = Mutex::new(files);
    let results = Mutex::new(results);
    let searching = Searching {
        job,
        work,
        control,
        tasks: &tasks,
        known: &known,
        pool: &pool,
        head,
        files,
        results,
        filing,
        earlier,
    };
    searching.update_status();
    let (n, programs_known, threads) = (tasks.len(), known.len(), pool.threads());
    control.emit(Event::Started { tasks: n, resumed, programs: programs_known, threads });
    let trace = recording.trace();
    let driven = context.cluster().map(|cluster| Driven { cluster, control, pool: &pool, trace });
    let used = match work.mode {
        Mode::Breed => searching.breed(&own, trace, driven.as_ref()),
        Mode::Enumerate => searching.enumerate(trace, driven.as_ref()),
    };
    let (used, lost) = match used {
        Ok(used) => (used, None),
        Err(error) => (None, Some(error)),
    };
    let _span = recording.enter(Spot::WRITE);
    let mut outcome = searching.finish(&recording, used, lost.is_some())?;
    (outcome.resumed, outcome.errors, outcome.skipped) = (resumed, programs.errors, found.skipped);
    lost.map_or(Ok(outcome), Err)
}

fn setup(job: &Job, work: &description::Search, tasks: &Tasks, programs: &[Program]) -> Setup {
    let options = record::Options {
        fuel_per_task: work.effort.fuel(),
        budget: work.effort.budget().map(|it| it.as_secs_f64()),
        seed: Some(work.seed),
        mode: Some(work.mode.name().to_owned()),
        given: programs.iter().map(|program| program.hash().to_string()).collect(),
        store: Some(recorded_path(&work.store)),
        ..record::Options::default()
    };
    document::setup(&job.tasks.data, tasks, options)
}

/// The current result for a task.
#[derive(Clone)]
pub(crate) struct TaskResult {
    pub(crate) fuel: u64,
    pub(crate) tried: u64,
    /// The best score before the search, in millionths.
    pub(crate) before: u32,
    /// The best score so far.
    pub(crate) score: u32,
    pub(crate) solved: bool,
    /// Nothing more will be tried.
    pub(crate) done: bool,
    /// The best new program, if it beats those known before.
    pub(crate) found: Option<Found>,
    /// The ancestors of `found` that were made for this task, by hash.
    pub(crate) lineage: BTreeMap<[u8; 32], Found>,
    pub(crate) tallies: [Tally; Operator::ALL.len()],
}

/// A program that was found, and how.
#[derive(Clone)]
pub(crate) struct Found {
    pub(crate) program: Program,
    pub(crate) operator: String,
    pub(crate) parents: Vec<ContentHash>,
}

impl Found {
    fn bred(bred: &BredProgram) -> Option<Found> {
        let program = lang::parse(&bred.program).programs.into_iter().next()?;
        let parents = bred.parents.iter().filter_map(|parent| ContentHash::parse(parent)).collect();
        Some(Found { program, operator: bred.operator.clone(), parents })
    }
}

impl TaskResult {
    fn before(ranked: &[RankedProgram]) -> TaskResult {
        let best = ranked.first().map_or(0, |ranked| ranked.score);
        TaskResult {
            fuel: 0,
            tried: 0,
            before: best,
            score: best,
            solved: best == SOLVED,
            done: best == SOLVED,
            found: None,
            lineage: BTreeMap::new(),
            tallies: [Tally::default(); Operator::ALL.len()],
        }
    }

    fn bred(report: &BroodReport, limit: Option<u64>) -> TaskResult {
        let solved = report.solution.is_some();
        let lineage = report.lineage.iter().filter_map(Found::bred);
        TaskResult {
            fuel: report.fuel + report.overhead_fuel,
            tried: report.tried,
            before: report.start_score,
            score: report.score,
            solved,
            done: solved || limit.is_some_and(|limit| report.fuel >= limit),
            found: report.found.as_ref().and_then(Found::bred),
            lineage: lineage.map(|found| (*found.program.hash().bytes(), found)).collect(),
            tallies: report.tallies(),
        }
    }

    /// Adds the result of an earlier part of the search.
    fn after(mut self, earlier: Option<&TaskResult>) -> TaskResult {
        let Some(earlier) = earlier else { return self };
        self.fuel += earlier.fuel;
        self.tried += earlier.tried;
        self.before = earlier.before;
        if self.found.is_none() {
            self.found = earlier.found.clone();
        }
        for (hash, found) in &earlier.lineage {
            self.lineage.entry(*hash).or_insert_with(|| found.clone());
        }
        self
    }

    fn enumerated(&mut self, enumeration: Enumeration, limit: Option<u64>) {
        self.fuel += enumeration.fuel;
        self.tried += enumeration.tried;
        self.done |= limit.is_some() || enumeration.is_ended();
        if enumeration.before > self.before {
            (self.before, self.score) = (enumeration.before, enumeration.before);
            self.solved = self.before == SOLVED;
        }
        if let Some((program, trial)) = enumeration.solution {
            (self.score, self.solved) = (trial.score, true);
            self.found = Some(Found { program, operator: "enumerate".to_owned(), parents: Vec::new() });
        }
        self.done |= self.solved;
    }
}

/// Results of an earlier part of the same search.
struct EarlierPart {
    seconds: f64,
    tasks: Vec<Option<TaskResult>>,
    operators: Vec<OperatorCounts>,
}

impl EarlierPart {
    fn new(tasks: &[Task], record: &Record) -> EarlierPart {
        let found = |program: &record::Program| {
            let made = program.made.as_ref()?;
            let program = lang::parse(&program.text).programs.into_iter().next()?;
            let parents = made.parents.iter().filter_map(|parent| ContentHash::parse(parent)).collect();
            Some(Found { program, operator: made.operator.clone(), parents })
        };
        let ancestors = record.ancestors.iter().filter_map(found);
        let lineage: BTreeMap<_, _> = ancestors.map(|it| (*it.program.hash().bytes(), it)).collect();
        let task = |task: &Task| {
            let entry = record.tasks.iter().find(|entry| entry.id == task.id)?;
            let search = entry.search.as_ref()?;
            let program = entry.programs.first().and_then(|it| record.programs.get(it.program as usize));
            let found = program.and_then(found);
            Some(TaskResult {
                fuel: search.fuel,
                tried: search.tried,
                before: search.score_before.unwrap_or(0),
                score: search.score.unwrap_or(0),
                solved: search.solved,
                done: search.done,
                lineage: if found.is_some() { lineage.clone() } else { BTreeMap::new() },
                found,
                tallies: [Tally::default(); Operator::ALL.len()],
            })
        };
        let (seconds, operators) = (record.environment.seconds, record.operators.clone());
        EarlierPart { seconds, tasks: tasks.iter().map(task).collect(), operators }
    }

    /// Takes over the results. Unfinished tasks start again from the programs in the store. Returns the number of
    /// finished tasks.
    fn continue_with(
        &self,
        results: &mut [TaskResult],
        work: &description::Search,
        control: &Control,
    ) -> usize {
        control.add_earlier_time(self.seconds);
        for (result, earlier) in results.iter_mut().zip(&self.tasks) {
            let Some(earlier) = earlier else { continue };
            let spent = work.effort.fuel().is_some_and(|limit| earlier.fuel >= limit);
            let done = earlier.done && (earlier.solved || spent) || result.solved;
            let score = result.score.max(earlier.score);
            *result = TaskResult { done, score, solved: score == SOLVED, ..earlier.clone() };
        }
        results.iter().filter(|result| result.done).count()
    }
}

/// Returns the programs of the files and of the store, without duplicates.
fn with_stored(
    mut programs: Vec<Program>,
    store: &Store,
    reader: &mut StoreReader<'_>,
) -> Result<Vec<Program>, JobError> {
    let mut seen: BTreeSet<[u8; 32]> = BTreeSet::new();
    programs.retain(|program| seen.insert(*program.hash().bytes()));
    for stored in store.list()? {
        if seen.insert(*stored.hash.bytes()) {
            programs.extend(reader.read(&stored));
        }
    }
    Ok(programs)
}

/// A stored program that is ranked for a task, with its score in millionths.
struct RankedProgram {
    program: Program,
    score: u32,
}

/// Returns the stored programs that are ranked for each task, best first.
fn ranked(
    tasks: &[Task],
    store: &Store,
    reader: &mut StoreReader<'_>,
) -> Result<Vec<Vec<RankedProgram>>, JobError> {
    let mut all = Vec::with_capacity(tasks.len());
    for task in tasks {
        let ranked = store.best_for(task.sealed_hash())?;
        let readable = ranked.iter().filter_map(|ranked| {
            Some(RankedProgram { program: reader.read(&ranked.stored)?, score: ranked.measure.score })
        });
        all.push(readable.collect());
    }
    Ok(all)
}

/// Returns the programs of each task: those named after it, and those ranked for it.
fn own(tasks: &[Task], known: &[Program], ranked: &[Vec<RankedProgram>]) -> Vec<Vec<Program>> {
    let battery = Battery::new(known, tasks.iter().map(|task| task.id.as_str()));
    let of_task = |(task, ranked): (&Task, &Vec<RankedProgram>)| {
        let named = battery.own(&task.id).iter().map(|id| known[id.index()].clone());
        named.chain(ranked.iter().map(|ranked| ranked.program.clone())).collect()
    };
    tasks.iter().zip(ranked).map(of_task).collect()
}

/// A running search.
struct Searching<'s> {
    job: &'s Job,
    work: &'s description::Search,
    control: &'s Control,
    tasks: &'s [Task],
    known: &'s [Program],
    pool: &'s Pool,
    head: Record,
    files: Mutex<Files<'s>>,
    results: Mutex<Vec<TaskResult>>,
    filing: Mutex<Filing<'s>>,
    earlier: Option<EarlierPart>,
}

struct Filing<'f> {
    store: &'f mut Store,
    /// Programs that the store acknowledged as new.
    new: usize,
    failed: Option<JobError>,
}

impl Searching<'_> {
    fn breed(
        &self,
        own: &[Vec<Program>],
        trace: Option<&Trace>,
        driven: Option<&Driven<'_>>,
    ) -> Result<Option<Used>, JobError> {
        let puzzles: Vec<Puzzle> = self.tasks.iter().map(Puzzle::new).collect();
        let capacity = Capacity::within(self.job.search_memory(), self.tasks.len());
        let breeder = Breeder { seed: self.work.seed, capacity, devices: self.control.devices() };
        // Tasks that are done are skipped: their results in the store are not measured again.
        let skip: Vec<bool> = lock(&self.results).iter().map(|result| result.done).collect();
        let fuel = self.work.effort.fuel();
        let setup = breeding::Setup { breeder, known: self.known, own, fuel, trace };
        let (stop, proceed) = (&**self.control.stop_flag(), || self.control.proceed());
        let breeding = Breeding::new(puzzles.len());
        let Some(driven) = driven else {
            let mut rounds = PoolRounds::new(self.pool, &puzzles, &setup, stop, &proceed);
            breeding.run(&mut rounds, &setup, &skip, stop, self);
            return Ok(None);
        };
        let packaged =
            PackageWork::Breed { seed: self.work.seed, elites: capacity.elites, tried: capacity.tried };
        let mut driver = driven.start(self.job, self.known, packaged)?;
        let mut rounds = ClusterRounds::new(&mut driver, &puzzles, &setup);
        breeding.run(&mut rounds, &setup, &skip, stop, self);
        match rounds.failed {
            Some(error) => Err(error),
            None => Ok(Some(driver.finish())),
        }
    }

    fn enumerate(
        &self,
        trace: Option<&Trace>,
        driven: Option<&Driven<'_>>,
    ) -> Result<Option<Used>, JobError> {
        let puzzles: Vec<Puzzle> = self.tasks.iter().map(Puzzle::new).collect();
        let open: Vec<usize> = (0..puzzles.len()).filter(|task| !lock(&self.results)[*task].done).collect();
        let (fuel, stop) = (self.work.effort.fuel(), self.control.stop_flag());
        let each = |task: usize, enumeration: Enumeration| {
            lock(&self.results)[task].enumerated(enumeration, fuel);
            self.announce(task);
            self.file(&[task]);
            self.save();
        };
        let Some(driven) = driven else {
            let open = open.into_iter().map(|task| (task, &puzzles[task]));
            let proceed = || self.control.proceed();
            let devices = self.control.devices();
            let effort = enumeration::Effort { fuel, stop, proceed: &proceed, trace, devices };
            enumeration::run(self.pool, open, self.known, &effort, each);
            return Ok(None);
        };
        let mut driver = driven.start(self.job, self.known, PackageWork::Enumerate)?;
        let stopped = || self.control.is_stopped();
        distribute_enumeration(&mut driver, &puzzles, open, fuel, &stopped, each)?;
        Ok(Some(driver.finish()))
    }

    /// Updates the status.
    fn update_status(&self) {
        let results = lock(&self.results);
        self.control.update(|status| {
            status.total = results.len();
            status.done = results.iter().filter(|result| result.done).count();
            status.solved = results.iter().filter(|result| result.solved).count();
            status.tried = results.iter().map(|result| result.tried).sum();
        });
        if let Some(limit) = self.work.effort.fuel() {
            let part = |it: &TaskResult| if it.done { limit } else { it.fuel.min(limit) };
            let used: f64 = results.iter().map(|it| part(it) as f64).sum();
            self.control.expect_end(used / (limit as f64 * results.len() as f64).max(1.0));
        }
    }

    /// Emits the events of a task that changed.
    fn announce(&self, task: usize) {
        let result = lock(&self.results)[task].clone();
        let id = || self.tasks[task].id.clone();
        if result.found.is_some() {
            self.control.emit(Event::Improved { task: id(), sure: f64::from(result.score) / 1e6 });
        }
        if result.done {
            self.control.emit(Event::TaskDone { task: id(), solved: result.solved });
        }
        self.update_status();
    }

    /// Adds the programs that were found for these tasks to the store.
    fn file(&self, tasks: &[usize]) {
        let find = |task: &usize| {
            let Found { program, operator, parents } = lock(&self.results)[*task].found.clone()?;
            let task = &self.tasks[*task];
            let saw = vec![task.sealed_hash()];
            let origin = Origin::Found { seed: self.work.seed, operator, parents, saw };
            Some(Find { task, program, origin })
        };
        let finds: Vec<Find<'_>> = tasks.iter().filter_map(find).collect();
        if finds.is_empty() {
            return;
        }
        let filing = &mut *lock(&self.filing);
        match file(filing.store, finds, self.pool) {
            Ok(added) => filing.new += added.iter().filter(|added| **added == Added::New).count(),
            Err(error) => {
                // There is no point in searching for programs that cannot be stored.
                filing.failed = Some(error);
                self.control.give_up();
            }
        }
    }

    /// Writes the record, if it is due.
    fn save(&self) {
        let mut files = lock(&self.files);
        if !files.is_due() {
            return;
        }
        let record = self.record();
        files.update(|target| match target {
            Target::Record(path) => match &record {
                Ok(record) => record.write(path),
                Err(error) => Err(std::io::Error::other(error.to_string())),
            },
            Target::Submission(_) => Ok(()),
        });
    }

    fn record(&self) -> Result<Record, JobError> {
        let results = lock(&self.results).clone();
        let filing = lock(&self.filing);
        let finds = Finds { tasks: self.tasks, results: &results, known: self.known, store: filing.store };
        let mut head = self.head.clone();
        head.environment.seconds = self.control.elapsed().as_secs_f64();
        let mut record = finds.record(head, self.work.mode)?;
        // Every part lists the operators in the same order.
        for (ours, earlier) in
            record.operators.iter_mut().zip(self.earlier.iter().flat_map(|it| &it.operators))
        {
            ours.tried += earlier.tried;
            ours.better += earlier.better;
            ours.solved += earlier.solved;
        }
        Ok(record)
    }

    fn finish(
        self,
        recording: &Recording,
        used: Option<Used>,
        lost: bool,
    ) -> Result<SearchOutcome, JobError> {
        let finished = !self.control.stop_requested() && !lost;
        self.control.finish_devices();
        let mut record = Record { finished, ..self.record()? };
        match self.earlier.is_some() {
            false => record.profile = recording.profile_of_search(),
            true => self.control.warn_of_missing_profile(&self.job.save),
        }
        if let Some(used) = used {
            used.add_to(&mut record);
        }
        self.control.add_devices(&mut record);
        let mut files = lock(&self.files);
        let mut saved = Saved::default();
        saved.note_disturbance(&record);
        if let Some(path) = &self.job.save.record {
            saved.record = files.finish(path, |path| record.write(path));
        }
        saved.report = files.finish_report(&record);
        saved.failed = files.take_failed();
        let mut filing = lock(&self.filing);
        saved.failed.extend(filing.failed.take());
        Ok(SearchOutcome {
            record,
            filed: filing.new,
            store: filing.store.path().to_owned(),
            known: self.known.len(),
            errors: Vec::new(),
            skipped: Vec::new(),
            resumed: 0,
            stopped: self.control.stop_requested(),
            elapsed: self.control.elapsed(),
            saved,
        })
    }
}

impl Observer for Searching<'_> {
    fn step(&self, task: usize, report: &BroodReport) {
        let bred = TaskResult::bred(report, self.work.effort.fuel());
        let earlier = self.earlier.as_ref().and_then(|earlier| earlier.tasks[task].as_ref());
        lock(&self.results)[task] = bred.after(earlier);
        self.update_status();
    }

    fn round(&self, number: usize, open: usize, better: &[usize]) {
        better.iter().for_each(|task| self.announce(*task));
        self.control.emit(Event::Round { number, open });
        self.file(better);
        self.save();
    }
}
