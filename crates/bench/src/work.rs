//! Measures loading, parsing, merging and running, and compares running with CPython.
//!
//! Runs on all threads go through [`Battery::run`], as in `batt run`. Runs on one thread are compared with
//! CPython program by program, so they call [`Prepared::run`] directly: a battery runs all programs of a task
//! together and scores them, which CPython does not do.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use batt_dsl::Limits;
use batt_exec::{Job, Options, Prepared, Scratch};
use batt_job::battery::{self, Battery, ProgramResult, Unwatched, job};
use batt_job::{Pool, PoolError};
use batt_lang::{self as lang, Program};
use batt_plan::{Plan, ProgramId};
use batt_score::{Verdict, all_right, judge};
use batt_task::{Dataset, Grid, Task};
use batt_value::Arena;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::reference::Checked;
use crate::{Machine, Reference, ReferenceError, Spread, peak_memory};

/// The task that takes most of CPython's time on arc-dsl's solvers. Ratios are also given without it.
pub const HEAVY: &str = "a64e4611";

/// The reason why tasks could not be loaded.
pub type LoadFailed = Box<dyn Error + Send + Sync>;

/// Input and options of [`measure`].
pub struct Setup<'s> {
    /// Reads the tasks from disk, every time it is called.
    pub load: &'s dyn Fn() -> Result<Dataset, LoadFailed>,
    /// The text of a program file.
    pub programs: &'s [u8],
    /// Number of rounds, at least 1.
    pub rounds: usize,
    /// In all-pairs, runs a program on all inputs of a task even after it was wrong on one of them.
    pub all_demos: bool,
    /// Receives the name of each measurement before it starts.
    pub progress: &'s dyn Fn(&str),
}

#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    #[error(transparent)]
    Load(#[from] LoadFailed),
    #[error("no program has the name of a task; a program is measured on the task whose id ends its name")]
    NothingToRun,
    #[error(transparent)]
    Threads(#[from] PoolError),
    #[error(transparent)]
    Reference(#[from] ReferenceError),
}

/// How long load, parse, merge and run take.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Figures {
    pub machine: Machine,
    /// Version of batt.
    pub version: &'static str,
    /// Number of rounds.
    pub rounds: usize,
    /// Number of threads of the parallel measurements.
    pub threads: usize,
    /// Programs that ran, each on all pairs of its task.
    pub programs: usize,
    /// Number of pairs.
    pub pairs: usize,
    /// Programs that are right on all pairs whose output is known.
    pub right: usize,
    /// Names of the other programs.
    pub wrong: Vec<String>,
    /// Names of the programs that have no task in this data set.
    pub without_task: Vec<String>,
    /// The measurements.
    pub rows: Vec<Row>,
    /// In all-pairs: pairs of a program and a task where the program is right on all demonstration pairs.
    pub all_pairs_right: usize,
    /// Peak memory in bytes. Null if the system does not report it.
    pub peak_memory: Option<u64>,
    /// The same work in CPython. Absent without `--reference`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<Comparison>,
}

impl Figures {
    /// Whether the answers were right. Programs that are wrong in CPython too do not count.
    pub fn valid(&self) -> bool {
        match &self.reference {
            Some(reference) => {
                reference.lost.is_empty() && !self.wrong.iter().any(|name| reference.left_out.contains(name))
            }
            None => self.wrong.is_empty(),
        }
    }
}

/// One measurement.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "BenchRow")]
pub struct Row {
    /// Name of the measurement.
    pub name: &'static str,
    /// The amount of work, in words.
    pub of: String,
    #[serde(flatten)]
    pub time: Spread,
}

/// The same work in CPython, with one thread on either side.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Comparison {
    /// Version of Python.
    pub version: String,
    /// Number of programs compared.
    pub programs: usize,
    /// Programs that are right in CPython.
    pub right: usize,
    /// Names of programs that do not run in CPython; both sides skip them.
    pub left_out: Vec<String>,
    /// Names of programs that are right in CPython and wrong in batt.
    pub lost: Vec<String>,
    /// Time of a round in CPython.
    pub time: Spread,
    /// Ratios of the times.
    pub ratios: Vec<Ratio>,
}

/// How much faster batt is.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "SpeedRatio")]
pub struct Ratio {
    /// Which tasks, such as `all tasks`.
    pub tasks: String,
    /// Which times, such as `sum of each task's fastest round`.
    pub clock: &'static str,
    /// Time of batt.
    pub ours_ns: u64,
    /// Time of CPython.
    pub theirs_ns: u64,
    /// `theirs_ns / ours_ns`.
    pub ratio: f64,
}

/// Measures load, parse, merge and run round by round, alternating with the reference, and all-pairs at the
/// end.
pub fn measure(setup: &Setup<'_>, mut reference: Option<Reference>) -> Result<Figures, BenchError> {
    let rounds = setup.rounds.max(1);
    (setup.progress)("an untimed run that checks the answers");
    let dataset = (setup.load)()?;
    let programs = lang::parse_bytes(setup.programs).programs;
    let battery = Battery::new(&programs, dataset.tasks.iter().map(|task| task.id.as_str()));
    let mut corpus = Corpus::new(&battery, &dataset);
    if corpus.items.is_empty() {
        return Err(BenchError::NothingToRun);
    }
    let checked = match &mut reference {
        Some(reference) => {
            let checked = reference.check(&corpus.json(setup.programs))?;
            corpus.comparable_first(&checked);
            Some(checked)
        }
        None => None,
    };

    let pool = Pool::new(0)?;
    let all_threads = battery::Setup { all_demos: true, ..battery::Setup::new(&Unwatched) };
    let one_thread =
        Options { limits: Limits::STANDARD, all_demos: true, sharing: true, kernels: true, stop: None };
    // The first run is not timed: it fills the caches and checks the answers.
    let mut wrong = corpus.run(&battery, &pool, &all_threads);

    let mut times = Times::default();
    let mut theirs = Vec::new();
    for round in 1..=rounds {
        (setup.progress)(&format!("load, parse, merge and run, round {round} of {rounds}"));
        times.load.push(try_timed(|| (setup.load)().map(black_box).map(drop))?);
        times.parse.push(timed(|| drop(black_box(lang::parse_bytes(setup.programs)))));
        times.merge.push(timed(|| drop(black_box(Plan::merge(&programs)))));
        let arena = Arena::new(one_thread.limits.caps);
        let start = Instant::now();
        let prepared = Prepared::new(battery.plan(), &arena, &one_thread);
        times.fold.push(start.elapsed());
        let (single, more_wrong) = corpus.single_thread(&prepared, &one_thread);
        times.single.push(single);
        wrong.extend(more_wrong);
        if let Some(reference) = &mut reference {
            (setup.progress)(&format!("CPython, round {round} of {rounds}"));
            theirs.push(reference.round(&corpus.comparable_places())?);
        }
        times.threads.push(timed(|| wrong.extend(corpus.run(&battery, &pool, &all_threads))));
    }
    drop(reference);

    let all_pairs = battery::Setup { all_pairs: true, all_demos: setup.all_demos, ..all_threads };
    let mut all_pairs_right = 0;
    for round in 1..=rounds {
        (setup.progress)(&format!("all pairs, round {round} of {rounds}"));
        let run = || all_pairs_right = right_on_demos(&battery, &pool, &dataset, &all_pairs);
        times.all_pairs.push(timed(run));
    }

    wrong.sort_unstable();
    wrong.dedup();
    let reference = checked.map(|checked| compare(&corpus, &checked, &wrong, &times.single, &theirs));
    let wrong: Vec<_> = wrong.iter().map(|item| corpus.name(*item)).collect();
    Ok(Figures {
        machine: Machine::this(),
        version: env!("CARGO_PKG_VERSION"),
        rounds,
        threads: pool.threads(),
        programs: corpus.items.len(),
        pairs: corpus.items.iter().map(|item| item.task.pairs().count()).sum(),
        right: corpus.items.len() - wrong.len(),
        wrong,
        without_task: corpus.without_task,
        rows: times.rows(&dataset, setup.programs, battery.plan(), pool.threads()),
        all_pairs_right,
        peak_memory: peak_memory(),
        reference,
    })
}

/// Runs all tasks. Returns the number of (program, task) pairs where the program is right on all
/// demonstration pairs.
fn right_on_demos(
    battery: &Battery<'_>,
    pool: &Pool,
    dataset: &Dataset,
    setup: &battery::Setup<'_>,
) -> usize {
    let is_right = |result: &&ProgramResult| all_right(&result.demos);
    let mut right = 0;
    battery.run(pool, &dataset.tasks, setup, |_, result| {
        right += result.programs.iter().filter(is_right).count();
    });
    right
}

/// The programs that have a task, each with its task. The heaviest task comes last, so that the time without
/// it can be read off the clock.
struct Corpus<'b> {
    items: Vec<Item<'b>>,
    /// Names of the programs without a task.
    without_task: Vec<String>,
}

struct Item<'b> {
    id: ProgramId,
    program: &'b Program,
    task: &'b Task,
    /// Index into the work of the reference. `None` if the program does not run there.
    place: Option<usize>,
}

impl Item<'_> {
    fn is_heavy(&self) -> bool {
        self.task.id == HEAVY
    }
}

impl<'b> Corpus<'b> {
    fn new(battery: &Battery<'b>, dataset: &'b Dataset) -> Corpus<'b> {
        let item = |task: &'b Task, id: ProgramId| Item {
            id,
            program: &battery.programs()[id.index()],
            task,
            place: None,
        };
        let of_task = |task: &'b Task| battery.own(&task.id).iter().map(move |id| item(task, *id));
        let mut items: Vec<Item<'b>> = dataset.tasks.iter().flat_map(of_task).collect();
        items.sort_by_key(|item| (item.is_heavy(), item.id));
        for (place, item) in items.iter_mut().enumerate() {
            item.place = Some(place);
        }
        let has_task: BTreeSet<usize> = items.iter().map(|item| item.id.index()).collect();
        let others = battery.programs().iter().enumerate().filter(|(index, _)| !has_task.contains(index));
        let without_task = others.map(|(_, program)| program.name().to_owned()).collect();
        Corpus { items, without_task }
    }

    /// Runs all items on the pool. Returns the indices of those that are not right.
    fn run(&self, battery: &Battery<'_>, pool: &Pool, setup: &battery::Setup<'_>) -> Vec<usize> {
        let tasks: BTreeMap<&str, &Task> =
            self.items.iter().map(|item| (item.task.id.as_str(), item.task)).collect();
        let mut right = BTreeSet::new();
        battery.run(pool, tasks.into_values(), setup, |task, result| {
            let programs = result.programs.iter().filter(|result| result.is_right());
            right.extend(programs.map(|result| (task.id.clone(), result.program)));
        });
        let is_wrong = |item: &Item<'_>| !right.contains(&(item.task.id.clone(), item.id));
        (0..self.items.len()).filter(|index| is_wrong(&self.items[*index])).collect()
    }

    /// Runs one round on one thread. Returns its times and the indices of the items that are not right.
    fn single_thread(&self, prepared: &Prepared<'_>, options: &Options<'_>) -> (Single, Vec<usize>) {
        let jobs: Vec<Job<'_>> = self.items.iter().map(|item| job(item.task, vec![item.id])).collect();
        let mut scratch = Scratch::new(options.limits);
        let (mut times, mut clocks) = (Vec::new(), Vec::new());
        for _ in 0..PASSES {
            let (mut each, mut clock) = (Vec::with_capacity(jobs.len()), Vec::with_capacity(jobs.len()));
            let start = Instant::now();
            for job in &jobs {
                let begin = Instant::now();
                drop(black_box(prepared.run(job, options, &mut scratch)));
                each.push(begin.elapsed());
                clock.push(start.elapsed());
            }
            times.push(each);
            clocks.push(clock);
        }
        let mut right = |item: &Item<'_>, job: &Job<'_>| {
            let runs = prepared.run(job, options, &mut scratch).concat();
            let outputs = item.task.pairs().map(|(_, _, pair)| pair.output.as_ref());
            let mut verdicts = runs.iter().zip(outputs).map(|(run, output)| judge(run, output));
            verdicts.all(|verdict| matches!(verdict, Verdict::Right | Verdict::Unjudged))
        };
        let wrong = (0..jobs.len()).filter(|index| !right(&self.items[*index], &jobs[*index])).collect();
        (Single { times: medians(&times), clock: medians(&clocks) }, wrong)
    }

    /// Returns the work in the form that the reference reads.
    fn json(&self, text: &[u8]) -> String {
        let rows = |grid: &Grid| grid.rows().map(<[i8]>::to_vec).collect::<Vec<_>>();
        let item = |item: &Item<'_>| {
            let pairs =
                item.task.pairs().map(|(_, _, pair)| (rows(&pair.input), pair.output.as_ref().map(rows)));
            json!({ "program": item.program.name(), "pairs": pairs.collect::<Vec<_>>() })
        };
        let work: Vec<_> = self.items.iter().map(item).collect();
        json!({ "text": String::from_utf8_lossy(text), "work": work }).to_string()
    }

    /// Moves programs that do not run in CPython behind the others and clears their places.
    fn comparable_first(&mut self, checked: &Checked) {
        for (item, runs) in self.items.iter_mut().zip(&checked.runs) {
            item.place = item.place.filter(|_| *runs);
        }
        self.items.sort_by_key(|item| item.place.is_none());
    }

    /// Returns the places of the programs that run on both sides, in our order.
    fn comparable_places(&self) -> Vec<usize> {
        self.items.iter().map_while(|item| item.place).collect()
    }

    fn name(&self, item: usize) -> String {
        self.items[item].program.name().to_owned()
    }
}

/// The times of one round on one thread: medians over several passes.
struct Single {
    /// For each program, the time on all its pairs.
    times: Vec<Duration>,
    /// For each program, the time from the start of the pass to its end.
    clock: Vec<Duration>,
}

/// Number of passes of one of our rounds, whose median counts.
///
/// A pass takes batt milliseconds where CPython takes seconds. CPython's round evicts our code and data from
/// the caches but ours hardly touches CPython's, so a single pass would be unfair.
pub const PASSES: usize = 15;

/// Returns the median over the rounds for each item.
fn medians(rounds: &[Vec<Duration>]) -> Vec<Duration> {
    let median = |rounds: &Vec<Duration>| Spread::of(rounds).map(|spread| spread.median);
    columns(rounds.iter()).iter().filter_map(median).collect()
}

/// The times of all rounds.
#[derive(Default)]
struct Times {
    load: Vec<Duration>,
    parse: Vec<Duration>,
    merge: Vec<Duration>,
    fold: Vec<Duration>,
    single: Vec<Single>,
    threads: Vec<Duration>,
    all_pairs: Vec<Duration>,
}

impl Times {
    fn rows(&self, dataset: &Dataset, text: &[u8], plan: &Plan, n_threads: usize) -> Vec<Row> {
        let single: Vec<_> = self.single.iter().filter_map(|round| round.clock.last().copied()).collect();
        let counts = plan.counts();
        let (n_programs, n_tasks) = (plan.programs().len(), dataset.tasks.len());
        let n_inputs: usize = dataset.tasks.iter().map(|task| task.pairs().count()).sum();
        let parse_merge: Vec<_> = self.parse.iter().zip(&self.merge).map(|(a, b)| *a + *b).collect();
        let rows = [
            ("load", format!("{n_tasks} tasks from disk"), &self.load),
            ("parse", format!("{n_programs} programs, {} KiB", text.len() >> 10), &self.parse),
            ("merge", format!("into {} nodes", plan.nodes().len()), &self.merge),
            ("parse + merge", "1 thread, text in memory".to_owned(), &parse_merge),
            ("fold", format!("{} nodes that need no input", counts.folded), &self.fold),
            ("run", format!("1 thread, each the median of {PASSES} passes"), &single),
            ("run, all threads", format!("{n_threads} threads"), &self.threads),
            ("all pairs", format!("{n_programs} programs × {n_inputs} inputs"), &self.all_pairs),
        ];
        let row = |(name, of, times): (_, _, &Vec<_>)| Some(Row { name, of, time: Spread::of(times)? });
        rows.into_iter().filter_map(row).collect()
    }
}

/// Returns the wall time of `work`, or its error.
fn try_timed<E>(work: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

/// Returns the wall time of `work`.
pub(crate) fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn compare(
    corpus: &Corpus<'_>,
    checked: &Checked,
    wrong: &[usize],
    ours: &[Single],
    theirs: &[crate::reference::Round],
) -> Comparison {
    let items = &corpus.items;
    let n = items.iter().filter(|item| item.place.is_some()).count();
    let n_light = items[..n].iter().filter(|item| !item.is_heavy()).count();
    let right_in_cpython = |item: &Item<'_>| item.place.is_some_and(|place| checked.right[place]);
    let whole: Vec<_> = theirs.iter().filter_map(|round| round.clock.last().copied()).collect();

    let times =
        (columns(ours.iter().map(|round| &round.times)), columns(theirs.iter().map(|round| &round.times)));
    let clocks =
        (columns(ours.iter().map(|round| &round.clock)), columns(theirs.iter().map(|round| &round.clock)));
    let fastest = |times: &[Vec<Duration>], n: usize| -> Duration {
        times.iter().take(n).filter_map(|rounds| rounds.iter().min()).sum()
    };
    let median = |clocks: &[Vec<Duration>], n: usize| -> Duration {
        let at = n.checked_sub(1).and_then(|last| clocks.get(last));
        at.and_then(|rounds| Spread::of(rounds)).map_or(Duration::ZERO, |spread| spread.median)
    };
    let mut ratios = Vec::new();
    let mut over = |tasks: String, n: usize| {
        let each = (fastest(&times.0, n), fastest(&times.1, n));
        let whole = (median(&clocks.0, n), median(&clocks.1, n));
        for (clock, (ours, theirs)) in
            [("fastest round of each task, summed", each), ("one clock, median", whole)]
        {
            ratios.push(Ratio {
                tasks: tasks.clone(),
                clock,
                ours_ns: ours.as_nanos() as u64,
                theirs_ns: theirs.as_nanos() as u64,
                ratio: theirs.as_secs_f64() / ours.as_secs_f64(),
            });
        }
    };
    over(format!("all {n} programs"), n);
    if n_light < n {
        over(format!("without {HEAVY}"), n_light);
    }
    Comparison {
        version: checked.version.clone(),
        programs: n,
        right: items.iter().filter(|item| right_in_cpython(item)).count(),
        left_out: items[n..].iter().map(|item| item.program.name().to_owned()).collect(),
        lost: wrong
            .iter()
            .filter(|item| right_in_cpython(&items[**item]))
            .map(|item| corpus.name(*item))
            .collect(),
        time: Spread::of(&whole).unwrap_or(Spread {
            min: Duration::ZERO,
            median: Duration::ZERO,
            max: Duration::ZERO,
        }),
        ratios,
    }
}

/// Transposes times: from one list for each round to one list for each item.
fn columns<'r>(rounds: impl Iterator<Item = &'r Vec<Duration>>) -> Vec<Vec<Duration>> {
    let mut columns: Vec<Vec<Duration>> = Vec::new();
    for round in rounds {
        columns.resize_with(columns.len().max(round.len()), Vec::new);
        for (column, time) in columns.iter_mut().zip(round) {
            column.push(*time);
        }
    }
    columns
}
