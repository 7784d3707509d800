//! What is measured, and in which order.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use arcbatt::dsl::Limits;
use arcbatt::exec::{End, Input, Job, Options, Picture, Prepared, Run, Scratch};
use arcbatt::lang::{self, Program};
use arcbatt::plan::{Plan, ProgramId};
use arcbatt::task::{Dataset, Grid, Task};
use arcbatt::value::Arena;
use arcbatt::verify::task_of;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::json;

use crate::reference::Greeting;
use crate::{Machine, Reference, ReferenceError, Spread, peak_memory};

/// The task that takes CPython most of its time on arc-dsl's solvers; ratios are also given without it.
pub const HEAVY: &str = "a64e4611";

/// Why tasks could not be loaded.
pub type LoadFailed = Box<dyn Error + Send + Sync>;

/// What to measure.
pub struct Setup<'s> {
    /// Reads the tasks from disk, each time anew.
    pub load: &'s dyn Fn() -> Result<Dataset, LoadFailed>,
    /// The text of a program file.
    pub programs: &'s [u8],
    pub rounds: usize,
    /// Runs every program on every input in all-pairs, also after it was wrong on an input of the same task.
    pub go_on: bool,
    /// Is told what is measured next.
    pub progress: &'s dyn Fn(&str),
}

#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    #[error(transparent)]
    Load(#[from] LoadFailed),
    #[error("no program has the name of a task; a program is measured on the task whose id ends its name")]
    NothingToRun,
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error(transparent)]
    Reference(#[from] ReferenceError),
}

/// All that was measured.
#[derive(Debug, Serialize)]
pub struct Figures {
    pub machine: Machine,
    /// The version of batt.
    pub version: &'static str,
    pub rounds: usize,
    pub threads: usize,
    /// How many programs ran, each on all pairs of its task.
    pub programs: usize,
    pub pairs: usize,
    pub right: usize,
    /// The programs that are not right on all pairs whose output is known.
    pub wrong: Vec<String>,
    /// The programs that have no task here.
    pub without_task: Vec<String>,
    pub rows: Vec<Row>,
    /// In all-pairs: programs that are right on all demonstration pairs of a task, counted by program and task.
    pub all_pairs_right: usize,
    /// In bytes; `None` where the system does not tell.
    pub peak_memory: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<Comparison>,
}

impl Figures {
    /// Whether the figures are of right answers. What the reference gets wrong too is no fault of the run.
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
#[derive(Debug, Serialize)]
pub struct Row {
    pub name: &'static str,
    /// How much work it is.
    pub of: String,
    #[serde(flatten)]
    pub time: Spread,
}

/// The same work in CPython, one thread on either side.
#[derive(Debug, Serialize)]
pub struct Comparison {
    pub version: String,
    pub programs: usize,
    /// How many of these programs are right there.
    pub right: usize,
    /// Programs that do not run there and are left out on both sides.
    pub left_out: Vec<String>,
    /// Programs that are right there and wrong here.
    pub lost: Vec<String>,
    pub time: Spread,
    pub ratios: Vec<Ratio>,
}

#[derive(Debug, Serialize)]
pub struct Ratio {
    /// `all tasks`
    pub tasks: String,
    /// `sum of each task's fastest round`
    pub clock: &'static str,
    pub ours_ns: u64,
    pub theirs_ns: u64,
    /// How many times faster we are.
    pub ratio: f64,
}

/// Measures load, parse, merge and run round by round, alternating with the reference, and all-pairs at the end.
pub fn measure(setup: &Setup<'_>, mut reference: Option<Reference>) -> Result<Figures, BenchError> {
    let rounds = setup.rounds.max(1);
    (setup.progress)("the first run, to see what is right");
    let dataset = (setup.load)()?;
    let programs = lang::parse_bytes(setup.programs).programs;
    let (mut battery, without_task) = Battery::new(&programs, &dataset);
    if battery.items.is_empty() {
        return Err(BenchError::NothingToRun);
    }
    let greeting = match &mut reference {
        Some(reference) => {
            let greeting = reference.greet(&battery.json(setup.programs))?;
            battery.comparable_first(&greeting);
            Some(greeting)
        }
        None => None,
    };

    // Programs can nest function calls deeply, hence the stack.
    let pool = rayon::ThreadPoolBuilder::new().stack_size(256 << 20).build()?;
    let options = Options { limits: Limits::STANDARD, go_on: true, sharing: true, kernels: true, stop: None };
    let plan = Plan::merge(&programs);
    let arena = Arena::new(options.limits.caps);
    let prepared = Prepared::new(&plan, &arena, &options);
    let jobs = battery.jobs();
    // The first run is not timed: it fills the caches, and its answers show what is right.
    let mut wrong = battery.wrong(&pool.install(|| prepared.run_all(&jobs, &options)));

    let mut times = Times::default();
    let mut theirs = Vec::new();
    for round in 1..=rounds {
        (setup.progress)(&format!("load, parse, merge and run, round {round} of {rounds}"));
        times.load.push(timed(|| (setup.load)().map(black_box).map(drop))?);
        times.parse.push(clocked(|| drop(black_box(lang::parse_bytes(setup.programs)))));
        times.merge.push(clocked(|| drop(black_box(Plan::merge(&programs)))));
        let arena = Arena::new(options.limits.caps);
        times.fold.push(clocked(|| drop(black_box(Prepared::new(&plan, &arena, &options)))));
        let (single, answers) = single_thread(&prepared, &jobs, &options);
        wrong.extend(battery.wrong(&answers));
        drop(answers);
        times.single.push(single);
        if let Some(reference) = &mut reference {
            (setup.progress)(&format!("CPython, round {round} of {rounds}"));
            theirs.push(reference.round(&battery.comparable_places())?);
        }
        let mut answers = Vec::new();
        times.threads.push(clocked(|| answers = pool.install(|| prepared.run_all(&jobs, &options))));
        wrong.extend(battery.wrong(&answers));
    }
    drop(reference);

    let all_jobs = all_pairs(&dataset, programs.len());
    let all_options = Options { go_on: setup.go_on, ..options };
    let mut all_pairs_right = 0;
    for round in 1..=rounds {
        (setup.progress)(&format!("all pairs, round {round} of {rounds}"));
        let all = || all_pairs_right = pool.install(|| right_on_demos(&prepared, &all_jobs, &all_options));
        times.all_pairs.push(clocked(all));
    }

    wrong.sort_unstable();
    wrong.dedup();
    let reference = greeting.map(|greeting| compare(&battery, &greeting, &wrong, &times.single, &theirs));
    let wrong: Vec<_> = wrong.iter().map(|item| battery.name(*item)).collect();
    let n_inputs: usize = all_jobs.iter().map(|job| job.inputs.len()).sum();
    Ok(Figures {
        machine: Machine::this(),
        version: env!("CARGO_PKG_VERSION"),
        rounds,
        threads: pool.current_num_threads(),
        programs: jobs.len(),
        pairs: jobs.iter().map(|job| job.inputs.len()).sum(),
        right: jobs.len() - wrong.len(),
        wrong,
        without_task,
        rows: times.rows(&dataset, setup.programs, &plan, n_inputs, pool.current_num_threads()),
        all_pairs_right,
        peak_memory: peak_memory(),
        reference,
    })
}

/// The programs that have a task, with it. The heaviest task comes last, so that a clock can be read before it.
struct Battery<'b> {
    items: Vec<Item<'b>>,
}

struct Item<'b> {
    id: ProgramId,
    program: &'b Program,
    task: &'b Task,
    /// Where the reference knows it; `None` if it does not run there.
    place: Option<usize>,
}

impl Item<'_> {
    fn is_heavy(&self) -> bool {
        self.task.id == HEAVY
    }
}

impl<'b> Battery<'b> {
    fn new(programs: &'b [Program], dataset: &'b Dataset) -> (Battery<'b>, Vec<String>) {
        let mut without_task = Vec::new();
        let mut items = Vec::new();
        for (index, program) in programs.iter().enumerate() {
            match task_of(program.name(), dataset) {
                Some(task) => {
                    items.push(Item { id: ProgramId(index as u32), program, task, place: None });
                }
                None => without_task.push(program.name().to_owned()),
            }
        }
        items.sort_by_key(Item::is_heavy);
        for (place, item) in items.iter_mut().enumerate() {
            item.place = Some(place);
        }
        (Battery { items }, without_task)
    }

    /// The work as the reference takes it.
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

    /// Forgets the places of programs that do not run there, and moves these behind the others.
    fn comparable_first(&mut self, greeting: &Greeting) {
        for (item, runs) in self.items.iter_mut().zip(&greeting.runs) {
            item.place = item.place.filter(|_| *runs);
        }
        self.items.sort_by_key(|item| item.place.is_none());
    }

    /// Where the reference knows the programs that run on both sides, in our order.
    fn comparable_places(&self) -> Vec<usize> {
        self.items.iter().map_while(|item| item.place).collect()
    }

    fn jobs(&self) -> Vec<Job<'b>> {
        let job = |item: &Item<'b>| Job {
            samples: if item.program.needs_samples() { demos(item.task) } else { Vec::new() },
            inputs: item.task.pairs().map(|(_, _, pair)| input(pair.input_and_output())).collect(),
            programs: vec![item.id],
        };
        self.items.iter().map(job).collect()
    }

    /// The places of the items whose answers are not right.
    fn wrong(&self, answers: &[Vec<Vec<Run>>]) -> Vec<usize> {
        let right = |(item, answers): (&Item<'_>, &Vec<Vec<Run>>)| {
            let pairs = item.task.pairs().map(|(_, _, pair)| pair.output.as_ref());
            answers[0].iter().zip(pairs).all(|(run, expected)| gives(run, expected.map(picture)))
        };
        let rights = self.items.iter().zip(answers).map(right);
        rights.enumerate().filter(|(_, right)| !right).map(|(item, _)| item).collect()
    }

    fn name(&self, item: usize) -> String {
        self.items[item].program.name().to_owned()
    }
}

/// An input and its output as pictures.
trait Pictures {
    fn input_and_output(&self) -> (Picture<'_>, Option<Picture<'_>>);
}

impl Pictures for arcbatt::task::Pair {
    fn input_and_output(&self) -> (Picture<'_>, Option<Picture<'_>>) {
        (picture(&self.input), self.output.as_ref().map(picture))
    }
}

fn picture(grid: &Grid) -> Picture<'_> {
    Picture { width: grid.width(), cells: grid.cells() }
}

fn input<'j>((input, must_give): (Picture<'j>, Option<Picture<'j>>)) -> Input<'j> {
    Input { input, must_give }
}

fn demos(task: &Task) -> Vec<(Picture<'_>, Picture<'_>)> {
    let pairs = task.train.iter().map(Pictures::input_and_output);
    pairs.filter_map(|(input, output)| Some((input, output?))).collect()
}

/// Whether a run gave the expected grid, or any value where nothing is expected.
fn gives(run: &Run, expected: Option<Picture<'_>>) -> bool {
    match (&run.end, expected) {
        (End::Grid { width, cells }, Some(expected)) => {
            *width == expected.width && cells[..] == *expected.cells
        }
        (End::Grid { .. } | End::Other(_), None) => true,
        _ => false,
    }
}

/// Every program on the demonstration inputs of every task.
fn all_pairs(dataset: &Dataset, n_programs: usize) -> Vec<Job<'_>> {
    let job = |task| Job {
        samples: demos(task),
        inputs: task.train.iter().map(|pair| input(pair.input_and_output())).collect(),
        programs: (0..n_programs as u32).map(ProgramId).collect(),
    };
    dataset.tasks.iter().map(job).collect()
}

/// Counts as it goes: to keep the answers of all programs on all tasks would take hundreds of megabytes.
fn right_on_demos(prepared: &Prepared<'_>, jobs: &[Job<'_>], options: &Options<'_>) -> usize {
    let on_task = |scratch: &mut Scratch, job: &Job<'_>| {
        let right =
            |runs: &&Vec<Run>| runs.iter().zip(&job.inputs).all(|(run, input)| gives(run, input.must_give));
        prepared.run(job, options, scratch).iter().filter(right).count()
    };
    jobs.par_iter().map_init(|| Scratch::new(options.limits), on_task).sum()
}

/// One round on one thread: the middle one of several passes.
struct Single {
    /// Each program on all its pairs.
    times: Vec<Duration>,
    /// The clock around the corpus when each program was done.
    clock: Vec<Duration>,
}

/// A pass takes us milliseconds where CPython takes seconds. After its turn our code and data are out of the caches;
/// CPython loses nothing by ours. So a round is many passes, and counts as much as the middle one of them.
pub const PASSES: usize = 15;

fn single_thread(
    prepared: &Prepared<'_>,
    jobs: &[Job<'_>],
    options: &Options<'_>,
) -> (Single, Vec<Vec<Vec<Run>>>) {
    let mut scratch = Scratch::new(options.limits);
    let (mut times, mut clocks) = (Vec::new(), Vec::new());
    for _ in 0..PASSES {
        let (mut each, mut clock) = (Vec::with_capacity(jobs.len()), Vec::with_capacity(jobs.len()));
        let start = Instant::now();
        for job in jobs {
            let begin = Instant::now();
            drop(black_box(prepared.run(job, options, &mut scratch)));
            each.push(begin.elapsed());
            clock.push(start.elapsed());
        }
        times.push(each);
        clocks.push(clock);
    }
    let answers = jobs.iter().map(|job| prepared.run(job, options, &mut scratch)).collect();
    (Single { times: medians(&times), clock: medians(&clocks) }, answers)
}

/// The middle one of all rounds, for each place.
fn medians(rounds: &[Vec<Duration>]) -> Vec<Duration> {
    let middle = |rounds: &Vec<Duration>| Spread::of(rounds).map(|spread| spread.median);
    columns(rounds.iter()).iter().filter_map(middle).collect()
}

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
    fn rows(
        &self,
        dataset: &Dataset,
        text: &[u8],
        plan: &Plan,
        n_inputs: usize,
        n_threads: usize,
    ) -> Vec<Row> {
        let single: Vec<_> = self.single.iter().filter_map(|round| round.clock.last().copied()).collect();
        let counts = plan.counts();
        let (n_programs, n_tasks) = (plan.programs().len(), dataset.tasks.len());
        let parse_merge: Vec<_> = self.parse.iter().zip(&self.merge).map(|(a, b)| *a + *b).collect();
        let rows = [
            ("load", format!("{n_tasks} tasks from disk"), &self.load),
            ("parse", format!("{n_programs} programs, {} KiB", text.len() >> 10), &self.parse),
            ("merge", format!("into {} nodes", plan.nodes().len()), &self.merge),
            ("parse + merge", "1 thread, text in memory".to_owned(), &parse_merge),
            ("fold", format!("{} nodes that need no input", counts.folded), &self.fold),
            ("run", format!("1 thread, each the middle of {PASSES} passes"), &single),
            ("run, all threads", format!("{n_threads} threads"), &self.threads),
            ("all pairs", format!("{n_programs} programs × {n_inputs} demo inputs"), &self.all_pairs),
        ];
        let row = |(name, of, times): (_, _, &Vec<_>)| Some(Row { name, of, time: Spread::of(times)? });
        rows.into_iter().filter_map(row).collect()
    }
}

fn timed<E>(work: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

pub(crate) fn clocked(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn compare(
    battery: &Battery<'_>,
    greeting: &Greeting,
    wrong: &[usize],
    ours: &[Single],
    theirs: &[crate::reference::Round],
) -> Comparison {
    let items = &battery.items;
    let n = items.iter().filter(|item| item.place.is_some()).count();
    let n_light = items[..n].iter().filter(|item| !item.is_heavy()).count();
    let right_there = |item: &Item<'_>| item.place.is_some_and(|place| greeting.right[place]);
    let whole: Vec<_> = theirs.iter().filter_map(|round| round.clock.last().copied()).collect();

    let times =
        (columns(ours.iter().map(|round| &round.times)), columns(theirs.iter().map(|round| &round.times)));
    let clocks =
        (columns(ours.iter().map(|round| &round.clock)), columns(theirs.iter().map(|round| &round.clock)));
    let fastest = |times: &[Vec<Duration>], n: usize| -> Duration {
        times.iter().take(n).filter_map(|rounds| rounds.iter().min()).sum()
    };
    let middle = |clocks: &[Vec<Duration>], n: usize| -> Duration {
        let at = n.checked_sub(1).and_then(|last| clocks.get(last));
        at.and_then(|rounds| Spread::of(rounds)).map_or(Duration::ZERO, |spread| spread.median)
    };
    let mut ratios = Vec::new();
    let mut over = |tasks: String, n: usize| {
        let each = (fastest(&times.0, n), fastest(&times.1, n));
        let whole = (middle(&clocks.0, n), middle(&clocks.1, n));
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
        version: greeting.version.clone(),
        programs: n,
        right: items.iter().filter(|item| right_there(item)).count(),
        left_out: items[n..].iter().map(|item| item.program.name().to_owned()).collect(),
        lost: wrong
            .iter()
            .filter(|item| right_there(&items[**item]))
            .map(|item| battery.name(*item))
            .collect(),
        time: Spread::of(&whole).unwrap_or(Spread {
            min: Duration::ZERO,
            median: Duration::ZERO,
            max: Duration::ZERO,
        }),
        ratios,
    }
}

/// Rounds of places to places of rounds.
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
