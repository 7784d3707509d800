//! What the search from the task finds, how fast it is and where its time goes.
//!
//! ```text
//! cargo run --release -p batt-search --example enumerate -- DATA FUEL [ID…]
//! ```
//!
//! Everything runs on one thread. Times are processor time where the system tells it, and wall time elsewhere.
#![allow(clippy::print_stdout, reason = "it is a report")]

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use batt_search::{Counts, Enumerated, Progress, Puzzle, enumerate, enumerate_traced, name};
use batt_task::{Grid, Task};
use batt_trace::{Category, Clock, Level, Trace};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let data = args.first().ok_or("which data?")?;
    let fuel: u64 = args.get(1).ok_or("how much fuel for each task?")?.parse()?;
    let mut tasks = batt_task::load(Path::new(data))?.tasks;
    let wanted = args.get(2..).unwrap_or_default();
    tasks.retain(|task| wanted.is_empty() || wanted.contains(&task.id));
    let start = Watch::start();
    let found: Vec<Enumerated> = tasks.iter().map(|task| search(task, fuel, None)).collect();
    let seconds = start.seconds();
    let mut sum = Counts::default();
    let (mut right, mut possible) = (0, 0);
    for (task, found) in tasks.iter().zip(found) {
        sum.add(found.counts);
        let progress = Progress { answers: found.answers, ..Progress::default() };
        let (solved, known) = score(task, &progress);
        right += solved;
        possible += known;
        if let Some(best) = progress.answers.iter().min_by(|a, b| a.cost.total_cmp(&b.cost)) {
            println!("{}  {solved} right, {known} known  {:.1}  {}", task.id, best.cost, best.words);
        }
    }
    println!("{} tasks: {right} outputs right, {possible} with a right candidate", tasks.len());
    println!(
        "{:.2} s a task, {:.0} million fuel a second",
        seconds / tasks.len() as f64,
        sum.fuel as f64 / seconds / 1e6
    );
    println!("{:.0} candidates a second, each on all inputs", sum.candidates as f64 / seconds);
    println!("{:.0} calls of a primitive on one input a second", sum.calls as f64 / seconds);
    println!(
        "{} of {} candidates had new values; {} searches were complete",
        sum.kept, sum.candidates, sum.complete
    );
    for (category, share) in shares(&tasks, fuel) {
        println!("{:<22} {:5.1} %", category.name(), 100.0 * share);
    }
    Ok(())
}

fn search(task: &Task, fuel: u64, trace: Option<&Trace>) -> Enumerated {
    let (puzzle, stop) = (Puzzle::new(task), AtomicBool::new(false));
    match trace {
        None => enumerate(&puzzle, &name(&task.id), fuel, &stop),
        Some(trace) => enumerate_traced(&puzzle, &name(&task.id), fuel, &stop, Some(&trace.main())),
    }
}

/// Outputs that two attempts get right, and outputs that some program gets right.
fn score(task: &Task, progress: &Progress) -> (usize, usize) {
    let outputs: Vec<&Grid> = task.test.iter().filter_map(|pair| pair.output.as_ref()).collect();
    let attempts = progress.attempts(outputs.len());
    let right =
        |place: &usize| attempts[*place].attempts.iter().any(|attempt| attempt.grid == *outputs[*place]);
    let known = |place: &usize| {
        progress.answers.iter().any(|answer| answer.outputs[*place].as_ref() == Some(outputs[*place]))
    };
    let places = || 0..outputs.len();
    (places().filter(right).count(), places().filter(known).count())
}

/// Where the time of a second run goes, with a recorder on.
fn shares(tasks: &[Task], fuel: u64) -> Vec<(Category, f64)> {
    let trace = Trace::new(Clock::real(), Level::Nodes, batt_dsl::registry().iter().len(), None);
    for task in tasks {
        search(task, fuel, Some(&trace));
    }
    trace.finish().shares()
}

/// Processor time of this thread.
struct Watch {
    wall: Instant,
    busy: Option<u64>,
}

impl Watch {
    fn start() -> Watch {
        Watch { wall: Instant::now(), busy: busy() }
    }

    fn seconds(&self) -> f64 {
        match (self.busy, busy()) {
            (Some(before), Some(now)) => (now - before) as f64 / 1e9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Nanoseconds that this thread has been running, where Linux says so.
fn busy() -> Option<u64> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    line.split_whitespace().next()?.parse().ok()
}
