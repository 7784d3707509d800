//! `batt search`

use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use arcbatt::Due;
use arcbatt::battery::{Battery, Pool};
use arcbatt::breed::{Breeding, Keeper, Stock};
use arcbatt::document::{self, example};
use arcbatt::dsl;
use arcbatt::enumerate::{self, Enumeration};
use arcbatt::found::of_search;
use arcbatt::lang::{self, Program};
use arcbatt::record::live::Now;
use arcbatt::record::{
    self, Data, Made, Search, SearchFound, SearchMeans, SearchOperator, SearchedTask, SolveRun,
};
use arcbatt::search::Puzzle;
use arcbatt::search::breed::{Bred, Breeder, Brood, Operator, Room, Tally};
use arcbatt::store::{Added, Origin, Store};
use arcbatt::task::Task;
use arcbatt::trace::{Spot, Trace};
use arcbatt::value::ContentHash;
use indicatif::{ProgressBar, ProgressStyle};

use super::programs_store::{self, Find, Reader, StoreArgs};
use super::solve::known;
use crate::data::Which;
use crate::files;
use crate::live::{Pulse, SAVE_EVERY};
use crate::means::{Means, time};
use crate::output::count;
use crate::recording::{Keep, Recording};
use crate::{Answer, output, signal};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// How to search
    #[arg(long, value_enum, default_value = "breed")]
    mode: Mode,
    /// Program files to start from, beside the programs of the store
    #[arg(long, value_name = "FILE", num_args = 1..)]
    programs: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    means: Means,
    #[command(flatten)]
    keep: Keep,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    /// Change known programs a little, again and again; what comes closer to a task lives on
    Breed,
    /// Build programs from the task: values of growing depth on all inputs at once
    Enumerate,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Mode::Breed => "breed",
            Mode::Enumerate => "enumerate",
        }
    }
}

pub(crate) fn run(args: &Args) -> Answer {
    signal::note()?;
    let started = Instant::now();
    let recording = Recording::of_search(&args.keep);
    let span = recording.enter(Spot::PARSE);
    let given = known(&args.programs)?;
    drop(span);
    let span = recording.enter(Spot::LOAD);
    let pool = Pool::new(args.means.threads())?;
    let (index, _) = args.which.readable(args.which.index()?, &pool)?;
    let tasks: Vec<Task> = index.tasks(0).collect::<Result<_, _>>()?;
    // Not before there is something to search for: it may make the file.
    let mut store = Store::open(&args.store.path()?)?;
    let mut reader = Reader::new(&store);
    let known = with_stored(given, &store, &mut reader)?;
    let placed = placed(&tasks, &store, &mut reader)?;
    reader.tell();
    let own = own(&tasks, &known, &placed);
    let outcomes = placed.iter().map(|placed| Outcome::before(placed)).collect();
    drop(span);
    let desk = Desk::new(args, &tasks, &known, outcomes, &pool, &mut store, started);
    match args.mode {
        Mode::Breed => desk.breed(&own, recording.trace()),
        Mode::Enumerate => desk.enumerate(recording.trace()),
    }
    let _span = recording.enter(Spot::WRITE);
    let (outcomes, filed, failed) = desk.finish();
    let (elapsed, threads) = (started.elapsed(), pool.threads());
    let (tasks, outcomes, known, store, filed) = (&tasks, &outcomes, &known, &store, &filed);
    let finds = Finds { args, tasks, outcomes, known, store, elapsed, threads };
    let told = Report { finds, filed, recording: &recording }.tell();
    programs_store::after(told, failed.map_or(Ok(()), Err))
}

/// The graded score of what is right on all pairs, in millionths.
const SOLVED: u32 = 1_000_000;

/// What is known of a task.
#[derive(Clone)]
struct Outcome {
    fuel: u64,
    tried: u64,
    /// The best score before the search, in millionths.
    before: u32,
    /// The best by now.
    score: u32,
    solved: bool,
    /// What is better than before.
    found: Option<Found>,
    /// What that was made from on this task, by hash.
    line: BTreeMap<[u8; 32], Found>,
    tallies: [Tally; Operator::ALL.len()],
}

#[derive(Clone)]
struct Found {
    program: Program,
    operator: String,
    parents: Vec<ContentHash>,
}

impl Outcome {
    fn before(placed: &[Placed]) -> Outcome {
        let best = placed.first().map_or(0, |placed| placed.score);
        let (solved, found, tallies) = (best == SOLVED, None, [Tally::default(); Operator::ALL.len()]);
        Outcome {
            fuel: 0,
            tried: 0,
            before: best,
            score: best,
            solved,
            found,
            line: BTreeMap::new(),
            tallies,
        }
    }

    /// `before`: what was known of the line; a program that others took the place of is known only from there.
    fn bred(brood: &Brood, before: &BTreeMap<[u8; 32], Found>) -> Outcome {
        let found = |best: &Bred| Found {
            program: best.program.clone(),
            operator: best.operator(),
            parents: best.parents.clone(),
        };
        let mut line = BTreeMap::new();
        let best = brood.find_of_breeding().or(brood.best());
        let mut next: Vec<ContentHash> = best.map(|best| best.parents.clone()).unwrap_or_default();
        while let Some(hash) = next.pop() {
            let known = brood.find(hash).map(found).or_else(|| before.get(hash.bytes()).cloned());
            if let Some(known) = known.filter(|_| !line.contains_key(hash.bytes())) {
                next.extend(&known.parents);
                line.insert(*hash.bytes(), known);
            }
        }
        Outcome {
            line,
            fuel: brood.fuel + brood.beside,
            tried: brood.tried,
            before: brood.at_start,
            score: brood.best().map_or(0, |best| best.trial.score),
            solved: brood.solution.is_some(),
            found: brood.find_of_breeding().map(found),
            tallies: brood.tallies,
        }
    }

    fn enumerated(&mut self, enumeration: Enumeration) {
        self.fuel += enumeration.fuel;
        self.tried += enumeration.tried;
        if enumeration.before > self.before {
            (self.before, self.score) = (enumeration.before, enumeration.before);
            self.solved = self.before == SOLVED;
        }
        if let Some((program, trial)) = enumeration.solution {
            (self.score, self.solved) = (trial.score, true);
            self.found = Some(Found { program, operator: "enumerate".to_owned(), parents: Vec::new() });
        }
    }
}

/// The programs of the files and of the store, each once.
fn with_stored(
    mut programs: Vec<Program>,
    store: &Store,
    reader: &mut Reader<'_>,
) -> anyhow::Result<Vec<Program>> {
    let mut seen: BTreeSet<[u8; 32]> = BTreeSet::new();
    programs.retain(|program| seen.insert(*program.hash().bytes()));
    for stored in store.list()? {
        if seen.insert(*stored.hash.bytes()) {
            programs.extend(reader.read(&stored));
        }
    }
    Ok(programs)
}

/// A program that has a place on a task, and its score there in millionths.
struct Placed {
    program: Program,
    score: u32,
}

/// For each task the programs that have a place on it, the best first.
fn placed(tasks: &[Task], store: &Store, reader: &mut Reader<'_>) -> anyhow::Result<Vec<Vec<Placed>>> {
    let mut placed = Vec::with_capacity(tasks.len());
    for task in tasks {
        let ranked = store.best_for(task.sealed_hash())?;
        let readable = ranked.iter().filter_map(|ranked| {
            Some(Placed { program: reader.read(&ranked.stored)?, score: ranked.measure.score })
        });
        placed.push(readable.collect());
    }
    Ok(placed)
}

/// For each task the programs that are named after it, and those that have a place on it.
fn own(tasks: &[Task], known: &[Program], placed: &[Vec<Placed>]) -> Vec<Vec<Program>> {
    let battery = Battery::new(known, tasks.iter().map(|task| task.id.as_str()));
    let of = |(task, placed): (&Task, &Vec<Placed>)| {
        let named = battery.own(&task.id).iter().map(|id| known[id.index()].clone());
        named.chain(placed.iter().map(|placed| placed.program.clone())).collect()
    };
    tasks.iter().zip(placed).map(of).collect()
}

/// Where everything comes together: store, screen, clock.
struct Desk<'d> {
    args: &'d Args,
    tasks: &'d [Task],
    known: &'d [Program],
    pool: &'d Pool,
    started: Instant,
    bar: Option<ProgressBar>,
    pulse: Pulse,
    due: Mutex<Due>,
    outcomes: Mutex<Vec<Outcome>>,
    filing: Mutex<Filing<'d>>,
}

struct Filing<'d> {
    store: &'d mut Store,
    /// What was acknowledged.
    filed: Vec<Added>,
    failed: Option<anyhow::Error>,
}

impl<'d> Desk<'d> {
    fn new(
        args: &'d Args,
        tasks: &'d [Task],
        known: &'d [Program],
        outcomes: Vec<Outcome>,
        pool: &'d Pool,
        store: &'d mut Store,
        started: Instant,
    ) -> Desk<'d> {
        let style = ProgressStyle::with_template("{wide_bar} {msg}").ok();
        let bar = style.filter(|_| std::io::stderr().is_terminal());
        let bar = bar.map(|style| ProgressBar::new(tasks.len() as u64).with_style(style));
        let filing = Mutex::new(Filing { store, filed: Vec::new(), failed: None });
        let (pulse, due) =
            (Pulse::new(args.keep.record.as_deref()), Mutex::new(Due::new(Instant::now(), SAVE_EVERY)));
        Desk { args, tasks, known, pool, started, bar, pulse, due, outcomes: Mutex::new(outcomes), filing }
    }

    fn breed(&self, own: &[Vec<Program>], trace: Option<&Trace>) {
        let breeding = Breeding::new(self.tasks);
        let room = Room::within(self.args.means.to_remember(), self.tasks.len());
        let breeder = Breeder { seed: self.args.means.seed, room };
        // What the store has measured counts as it stands.
        let settled: Vec<bool> = lock(&self.outcomes).iter().map(|outcome| outcome.solved).collect();
        let fuel = self.args.means.fuel();
        let stock = Stock { breeder, known: self.known, own, settled: &settled, fuel, trace };
        self.watched(|stop| breeding.run(self.pool, &stock, stop, self));
    }

    fn enumerate(&self, trace: Option<&Trace>) {
        let puzzles: Vec<Puzzle> = self.tasks.iter().map(Puzzle::new).collect();
        let open: Vec<usize> =
            (0..puzzles.len()).filter(|task| !lock(&self.outcomes)[*task].solved).collect();
        let open = open.into_iter().map(|task| (task, &puzzles[task]));
        self.watched(|stop| {
            let fuel = self.args.means.fuel();
            enumerate::run(self.pool, open, self.known, fuel, stop, trace, |task, enumeration| {
                lock(&self.outcomes)[task].enumerated(enumeration);
                self.file(&[task]);
                self.bring_up_to_date();
            });
        });
    }

    /// Searches until everything is through or the time is over.
    fn watched(&self, search: impl FnOnce(&AtomicBool)) {
        let stop = AtomicBool::new(false);
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    // What cannot be filed need not be searched for.
                    let failed = self.filing.try_lock().is_ok_and(|filing| filing.failed.is_some());
                    if signal::stopped() || failed || self.args.means.late(self.started.elapsed()) {
                        stop.store(true, Ordering::Relaxed);
                    }
                    self.show();
                    std::thread::park_timeout(Duration::from_millis(50));
                }
            });
            let end = signal::Ender::new(&over, watcher.thread().clone());
            search(&stop);
            drop(end);
        });
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn show(&self) {
        let outcomes = lock(&self.outcomes);
        let tried: u64 = outcomes.iter().map(|outcome| outcome.tried).sum();
        let solved = outcomes.iter().filter(|outcome| outcome.solved).count();
        drop(outcomes);
        self.pulse.tell(|| Now {
            what: "search".to_owned(),
            data: self.args.which.data.clone(),
            seconds: self.started.elapsed().as_secs_f64(),
            done: solved,
            total: self.tasks.len(),
            solved,
            tried,
        });
        let Some(bar) = &self.bar else { return };
        let per_second = tried as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let left = self
            .args
            .means
            .budget
            .map(|budget| format!(", {} left", time(budget.saturating_sub(self.started.elapsed()))));
        bar.set_position(solved as u64);
        bar.set_message(format!(
            "{solved} of {} solved on demos, {per_second:.0} candidates/s{}",
            self.tasks.len(),
            left.unwrap_or_default()
        ));
    }

    /// Files what was found for these tasks.
    fn file(&self, tasks: &[usize]) {
        let find = |task: &usize| {
            let Found { program, operator, parents } = lock(&self.outcomes)[*task].found.clone()?;
            let task = &self.tasks[*task];
            let saw = vec![task.sealed_hash()];
            let origin = Origin::Found { seed: self.args.means.seed, operator, parents, saw };
            Some(Find { task, program, origin })
        };
        let finds: Vec<Find<'_>> = tasks.iter().filter_map(find).collect();
        if finds.is_empty() {
            return;
        }
        let filing = &mut *lock(&self.filing);
        match programs_store::file(filing.store, finds, self.pool) {
            Ok(added) => filing.filed.extend(added),
            Err(error) => filing.failed = Some(error),
        }
    }

    /// Writes the record of what is known by now, from time to time.
    fn bring_up_to_date(&self) {
        let Some(path) = self.args.keep.record.as_deref().filter(|path| files::is_plain(path)) else {
            return;
        };
        let mut due = lock(&self.due);
        if !due.is_now(Instant::now()) {
            return;
        }
        let filing = &mut *lock(&self.filing);
        let begun = Instant::now();
        let outcomes = lock(&self.outcomes).clone();
        let Desk { args, tasks, known, pool, started, .. } = *self;
        let (elapsed, threads, store) = (started.elapsed(), pool.threads(), &*filing.store);
        let finds = Finds { args, tasks, outcomes: &outcomes, known, store, elapsed, threads };
        let saved = finds.document().and_then(|document| {
            document.write(path).with_context(|| format!("cannot write {}", path.display()))
        });
        due.done(begun, Instant::now());
        filing.failed = filing.failed.take().or(saved.err());
    }

    /// What is known, what was filed, and what went wrong with that.
    fn finish(self) -> (Vec<Outcome>, Vec<Added>, Option<anyhow::Error>) {
        let filing = self.filing.into_inner().unwrap_or_else(PoisonError::into_inner);
        let outcomes = self.outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
        (outcomes, filing.filed, filing.failed)
    }
}

impl Keeper for Desk<'_> {
    fn step(&self, task: usize, brood: &Brood) {
        let outcomes = &mut *lock(&self.outcomes);
        outcomes[task] = Outcome::bred(brood, &outcomes[task].line);
    }

    fn round(&self, better: &[usize]) {
        self.file(better);
        self.bring_up_to_date();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is known of a search, now or at its end.
struct Finds<'f> {
    args: &'f Args,
    tasks: &'f [Task],
    outcomes: &'f [Outcome],
    known: &'f [Program],
    store: &'f Store,
    elapsed: Duration,
    threads: usize,
}

impl Finds<'_> {
    fn document(&self) -> anyhow::Result<Search> {
        let Finds { args, tasks, outcomes, .. } = self;
        let lines = tasks.iter().map(|task| format!("{} {}\n", task.id, task.sealed_hash()));
        let data_hash = ContentHash::of(lines.collect::<String>().as_bytes()).to_string();
        let operator = |(place, operator): (usize, Operator)| {
            let mut sum = Tally::default();
            outcomes.iter().for_each(|outcome| sum += outcome.tallies[place]);
            let Tally { tried, better, solved } = sum;
            SearchOperator { name: operator.name().to_owned(), tried, better, solved }
        };
        let operators = match args.mode {
            Mode::Breed => Operator::ALL.into_iter().enumerate().map(operator).collect(),
            Mode::Enumerate => Vec::new(),
        };
        Ok(Search {
            mode: args.mode.name().to_owned(),
            run: SolveRun {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                dsl: dsl::version().to_string(),
                data: Data { name: args.which.data.clone(), hash: data_hash, tasks: tasks.len() },
                fuel_per_task: args.means.fuel(),
                seed: args.means.seed,
                programs: self.known.iter().map(|program| program.hash().to_string()).collect(),
                without: Vec::new(),
            },
            means: SearchMeans {
                threads: self.threads,
                machine: document::machine(),
                seconds: self.elapsed.as_secs_f64(),
                store: self.store.path().display().to_string(),
            },
            operators,
            tasks: tasks.iter().zip(*outcomes).map(|(task, outcome)| searched(task, outcome)).collect(),
            ancestors: self.ancestors()?,
            profile: None,
        })
    }

    /// What the finds were made from, and that in turn, as far as the search, the store or whoever gave programs
    /// knows it.
    fn ancestors(&self) -> anyhow::Result<Vec<record::Program>> {
        let mut seen: BTreeSet<[u8; 32]> = BTreeSet::new();
        let mut ancestors = Vec::new();
        for outcome in self.outcomes {
            let found = outcome.found.as_ref();
            let mut next: Vec<ContentHash> = found.map(|found| found.parents.clone()).unwrap_or_default();
            while let Some(hash) = next.pop() {
                if !seen.insert(*hash.bytes()) {
                    continue;
                }
                if let Some(ancestor) = self.ancestor(hash, &outcome.line)? {
                    let parents = ancestor.made.iter().flat_map(|made| &made.parents);
                    next.extend(parents.filter_map(|parent| ContentHash::parse(parent)));
                    ancestors.push(ancestor);
                }
            }
        }
        Ok(ancestors)
    }

    fn ancestor(
        &self,
        hash: ContentHash,
        line: &BTreeMap<[u8; 32], Found>,
    ) -> anyhow::Result<Option<record::Program>> {
        let made = |operator: &String, parents: &[ContentHash]| Made {
            operator: operator.clone(),
            parents: parents.iter().map(ToString::to_string).collect(),
        };
        // Who gave a program knows it best; a program that was given was not made here.
        if let Some(given) = self.known.iter().find(|program| program.hash() == hash) {
            let stored = self.store.get(hash)?.map(|stored| stored.origin);
            let made = match &stored {
                Some(Origin::Found { operator, parents, .. }) => Some(made(operator, parents)),
                _ => None,
            };
            return Ok(Some(record::Program { made, ..document::program(given) }));
        }
        if let Some(Found { program, operator, parents }) = line.get(hash.bytes()) {
            let text = lang::print(program);
            let made = Some(made(operator, parents));
            return Ok(Some(record::Program { made, text, ..document::program(program) }));
        }
        Ok(self.store.get(hash)?.map(|stored| record::Program {
            name: stored.names.first().cloned().unwrap_or_default(),
            hash: hash.to_string(),
            made: match &stored.origin {
                Origin::Found { operator, parents, .. } => Some(made(operator, parents)),
                Origin::Imported { .. } | Origin::Written => None,
            },
            text: stored.text,
        }))
    }
}

/// Everything that is told at the end.
struct Report<'r> {
    finds: Finds<'r>,
    filed: &'r [Added],
    recording: &'r Recording,
}

impl Report<'_> {
    fn tell(&self) -> Answer {
        let args = self.finds.args;
        let document = Search { profile: self.recording.profile_of_search(), ..self.finds.document()? };
        if let Some(path) = &args.keep.record {
            document.write(path).with_context(|| format!("cannot write {}", path.display()))?;
        }
        if let Some(path) = &args.keep.report {
            super::report::of_record("search", of_search(document.clone()), path)?;
        }
        if args.json {
            output::json(&document)?;
        } else {
            self.print(&document)?;
        }
        Ok(!signal::stopped())
    }

    fn print(&self, document: &Search) -> anyhow::Result<()> {
        let mut out = output::stdout();
        let found: Vec<_> =
            document.tasks.iter().filter_map(|task| Some((task, task.found.as_ref()?))).collect();
        let wide = found.iter().map(|(task, _)| task.id.chars().count()).max().unwrap_or(4).max(4);
        if !found.is_empty() {
            writeln!(out, "{:<wide$}  before  after   program       made by", "task")?;
        }
        let score =
            |millionths: u32| format!("{}.{:04}", millionths / 1_000_000, millionths % 1_000_000 / 100);
        for (task, found) in found.iter().take(SHOWN) {
            let (before, after) = (score(task.score_before), score(task.score));
            writeln!(out, "{:<wide$}  {before}  {after}  {:.12}  {}", task.id, found.hash, found.operator)?;
        }
        if found.len() > SHOWN {
            writeln!(out, "and {} more; --record FILE has all", found.len() - SHOWN)?;
        }
        if !found.is_empty() {
            writeln!(out)?;
        }
        if !document.operators.is_empty() {
            writeln!(out, "operator    candidates  closer  solved")?;
        }
        for SearchOperator { name, tried, better, solved } in &document.operators {
            writeln!(out, "{name:<10} {tried:>11} {better:>7} {solved:>7}")?;
        }
        if !document.operators.is_empty() {
            writeln!(out)?;
        }
        let mut row = |label: &str, text: String| writeln!(out, "{label:<17} {text}");
        let n = document.tasks.len();
        let before = document.tasks.iter().filter(|task| task.score_before == SOLVED).count();
        let solved = document.tasks.iter().filter(|task| task.solved).count();
        row("solved on demos", format!("{solved} of {}, {before} before the search", count(n, "task")))?;
        row("improved", count(found.len(), "task"))?;
        let new = self.filed.iter().filter(|added| **added == Added::New).count();
        row("filed", format!("{} in {}", count(new, "new program"), document.means.store))?;
        let tried: u64 = document.tasks.iter().map(|task| task.tried).sum();
        let per_second = tried as f64 / self.finds.elapsed.as_secs_f64().max(1e-3);
        let threads = count(document.means.threads, "thread");
        row(
            "throughput",
            format!(
                "{tried} candidates in {}, {per_second:.0} a second on {threads}",
                time(self.finds.elapsed)
            ),
        )?;
        row("ill-typed", "0: only what type-checks is made".to_owned())?;
        if self.finds.known.is_empty() && self.finds.args.mode == Mode::Breed {
            writeln!(
                out,
                "note: no programs were known; --programs FILE or `batt programs import` gives some to start from"
            )?;
        }
        if signal::stopped() {
            writeln!(out, "note: stopped before the end")?;
        }
        for bug in arcbatt::exec::bugs() {
            writeln!(out, "note: a bug of batt, please report it: {bug}")?;
        }
        Ok(out.flush()?)
    }
}

fn searched(task: &Task, outcome: &Outcome) -> SearchedTask {
    let found = outcome.found.as_ref().map(|found| SearchFound {
        program: lang::print(&found.program),
        hash: found.program.hash().to_string(),
        operator: found.operator.clone(),
        parents: found.parents.iter().map(ToString::to_string).collect(),
    });
    SearchedTask {
        id: task.id.clone(),
        hash: task.sealed_hash().to_string(),
        train: task.train.iter().map(example).collect(),
        test: task.test.iter().map(example).collect(),
        fuel: outcome.fuel,
        tried: outcome.tried,
        score_before: outcome.before,
        score: outcome.score,
        solved: outcome.solved,
        found,
    }
}

/// How many lines of the table are shown.
const SHOWN: usize = 100;
