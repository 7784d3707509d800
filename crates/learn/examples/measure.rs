//! Measures the learners on a data set: what they solve with two attempts, by mechanism, and what it costs.
//!
//! ```text
//! cargo run --release -p batt-learn --example measure -- DATA [--without DATA] [--half A|B] [--work N] [--tasks OUT.tsv]
//! ```
//!
//! Every candidate of the catalogue is learned from the demonstration pairs alone; rules that are right on all of them
//! answer the test inputs; the four cheapest different answers of each mechanism count. Equal answers are merged,
//! ranked by cost − 0.5 · votes, and the first two are the attempts. Only then are the test
//! outputs compared. The halves are every second task in the order of ids.
#![allow(clippy::print_stdout, reason = "it is a report")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use batt_learn::{Demos, Image, Work, catalogue};
use batt_task::{Dataset, Task};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| args.iter().position(|arg| arg == name).and_then(|i| args.get(i + 1));
    let data = args.first().ok_or("which data?")?;
    let mut tasks = batt_task::load(Path::new(data))?.tasks;
    if let Some(other) = option("--without") {
        let known: Dataset = batt_task::load(Path::new(other))?;
        tasks.retain(|task| known.get(&task.id).is_none());
    }
    if let Some(half) = option("--half") {
        let odd = usize::from(half == "B");
        tasks = tasks.into_iter().enumerate().filter(|(i, _)| i % 2 == odd).map(|(_, task)| task).collect();
    }
    if let Some(ids) = option("--ids") {
        tasks.retain(|task| ids.split(',').any(|id| id == task.id));
    }
    let limit: u64 = option("--work").map_or(Ok(u64::MAX), |n| n.parse())?;
    let verbose = args.iter().any(|arg| arg == "--explain");
    let results = run_all(&tasks, limit);
    let scores: Vec<Score> =
        tasks.iter().zip(&results).map(|(task, result)| open_sealed(task, result)).collect();
    print!("{}", report(&tasks, &results, &scores));
    if verbose {
        print!("{}", explain(&tasks, &results, &scores));
    }
    if let Some(path) = option("--tasks") {
        std::fs::write(path, table(&tasks, &results, &scores))?;
    }
    Ok(())
}

/// One rule that is right on all pairs.
struct Answer {
    mechanism: &'static str,
    cost: f64,
    text: String,
    outputs: Vec<Option<Image>>,
}

struct TaskResult {
    answers: Vec<Answer>,
    /// Seconds of processor time, in all and by mechanism.
    seconds: f64,
    by_mechanism: BTreeMap<&'static str, f64>,
    work: u64,
}

fn run_all(tasks: &[Task], limit: u64) -> Vec<TaskResult> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut all: Vec<(usize, TaskResult)> = std::thread::scope(|scope| {
        let worker = || {
            let mut done = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = tasks.get(i) else { return done };
                done.push((i, run(task, limit)));
            }
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap_or_default()).collect()
    });
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, result)| result).collect()
}

fn image(grid: &batt_task::Grid) -> Option<Image> {
    let cells = grid.cells().iter().map(|&c| u8::try_from(c).ok()).collect::<Option<Vec<u8>>>()?;
    Some(Image { h: grid.height(), w: grid.width(), cells })
}

fn run(task: &Task, limit: u64) -> TaskResult {
    let mut result = TaskResult { answers: Vec::new(), seconds: 0.0, by_mechanism: BTreeMap::new(), work: 0 };
    let pairs: Option<Vec<_>> =
        task.train.iter().map(|pair| Some((image(&pair.input)?, image(pair.output.as_ref()?)?))).collect();
    let inputs: Option<Vec<Image>> = task.test.iter().map(|pair| image(&pair.input)).collect();
    let (Some(demos), Some(inputs)) = (pairs.and_then(Demos::new), inputs) else { return result };
    let start = cpu_seconds();
    let work = Work::new(limit);
    for candidate in catalogue(&demos, &work) {
        let before = cpu_seconds();
        for rule in candidate.spec.learn(&demos, &work).unwrap_or_default() {
            let outputs: Vec<Option<Image>> = inputs.iter().map(|input| rule.apply(input)).collect();
            if outputs.iter().any(Option::is_some) {
                let (mechanism, cost, text) =
                    (candidate.mechanism.name(), rule.cost(), rule.words().to_string());
                result.answers.push(Answer { mechanism, cost, text, outputs });
            }
        }
        *result.by_mechanism.entry(candidate.mechanism.name()).or_default() += cpu_seconds() - before;
    }
    result.seconds = cpu_seconds() - start;
    result.work = work.used();
    result
}

/// The processor time of this thread where the system tells it, else the time that passed.
fn cpu_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    told.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |nanos| nanos / 1e9)
}

/// The right and wrong answers of a task.
struct Score {
    /// Per test output.
    at_two: Vec<bool>,
    any: Vec<bool>,
    /// Mechanisms with a rule that is right on all tests, and those whose rules are all wrong.
    right: BTreeSet<&'static str>,
    wrong: BTreeSet<&'static str>,
}

/// The only place that reads test outputs.
fn open_sealed(task: &Task, result: &TaskResult) -> Score {
    let expected: Vec<Option<Image>> =
        task.test.iter().map(|pair| pair.output.as_ref().and_then(image)).collect();
    let (mut at_two, mut any) = (Vec::new(), Vec::new());
    for (k, expected) in expected.iter().enumerate() {
        let attempts = attempts(result, k);
        at_two.push(
            expected.is_some() && attempts.iter().take(2).any(|(_, image)| Some(*image) == expected.as_ref()),
        );
        any.push(expected.is_some() && attempts.iter().any(|(_, image)| Some(*image) == expected.as_ref()));
    }
    let (right, wrong): (Vec<&Answer>, Vec<&Answer>) =
        result.answers.iter().partition(|answer| answer.outputs == expected);
    let right: BTreeSet<_> = right.into_iter().map(|answer| answer.mechanism).collect();
    let wrong =
        wrong.into_iter().map(|answer| answer.mechanism).filter(|name| !right.contains(name)).collect();
    Score { at_two, any, right, wrong }
}

/// The number of different answers that count for each mechanism.
const PER_MECHANISM: usize = 4;

/// The cheapest answers of every mechanism, each output once.
fn counted(result: &TaskResult) -> Vec<&Answer> {
    let mut sorted: Vec<&Answer> = result.answers.iter().collect();
    sorted.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut counted: Vec<&Answer> = Vec::new();
    for answer in sorted {
        let mut own = counted.iter().filter(|other| other.mechanism == answer.mechanism);
        if own.clone().count() < PER_MECHANISM && own.all(|other| other.outputs != answer.outputs) {
            counted.push(answer);
        }
    }
    counted
}

/// The different answers for a test input, the best first.
fn attempts(result: &TaskResult, test: usize) -> Vec<(f64, &Image)> {
    let mut merged: Vec<(f64, BTreeSet<&str>, &Image)> = Vec::new();
    for answer in counted(result) {
        let Some(image) = &answer.outputs[test] else { continue };
        match merged.iter_mut().find(|(_, _, known)| *known == image) {
            Some((cost, votes, _)) => {
                *cost = cost.min(answer.cost);
                votes.insert(answer.mechanism);
            }
            None => merged.push((answer.cost, BTreeSet::from([answer.mechanism]), image)),
        }
    }
    let mut ranked: Vec<(f64, &Image)> =
        merged.into_iter().map(|(cost, votes, image)| (cost - 0.5 * votes.len() as f64, image)).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked
}

fn report(tasks: &[Task], results: &[TaskResult], scores: &[Score]) -> String {
    let mut text = String::new();
    let outputs: usize = tasks.iter().map(|task| task.test.len()).sum();
    let count =
        |of: &dyn Fn(&Score) -> &Vec<bool>| scores.iter().flat_map(of).filter(|right| **right).count();
    let solved = scores.iter().filter(|score| score.at_two.iter().all(|right| *right)).count();
    let n = tasks.len().max(1) as f64;
    let seconds: f64 = results.iter().map(|result| result.seconds).sum();
    let work: u64 = results.iter().map(|result| result.work).sum();
    let slowest = results.iter().zip(tasks).max_by(|a, b| a.0.seconds.total_cmp(&b.0.seconds));
    let _ = writeln!(
        text,
        "{} of {} tasks; outputs: {} of {outputs} @2, {} @any; {:.3} s of processor a task (slowest {:.2} s: {}), {:.0} ns a unit of work",
        solved,
        tasks.len(),
        count(&|s| &s.at_two),
        count(&|s| &s.any),
        seconds / n,
        slowest.map_or(0.0, |s| s.0.seconds),
        slowest.map_or("", |s| s.1.id.as_str()),
        seconds * 1e9 / work.max(1) as f64,
    );
    let names: BTreeSet<&str> =
        results.iter().flat_map(|result| result.by_mechanism.keys().copied()).collect();
    let _ =
        writeln!(text, "{:<28} {:>5} {:>5} {:>6} {:>8}", "mechanism", "fits", "right", "alone", "ms/task");
    for name in names {
        let right = scores.iter().filter(|score| score.right.contains(name)).count();
        let wrong = scores.iter().filter(|score| score.wrong.contains(name)).count();
        let alone =
            scores.iter().filter(|score| score.right.contains(name) && score.right.len() == 1).count();
        let ms = results.iter().filter_map(|result| result.by_mechanism.get(name)).sum::<f64>() * 1e3 / n;
        let _ = writeln!(text, "{name:<28} {:>5} {right:>5} {alone:>6} {ms:>8.2}", right + wrong);
    }
    text
}

fn table(tasks: &[Task], results: &[TaskResult], scores: &[Score]) -> String {
    let mut text = String::new();
    for ((task, result), score) in tasks.iter().zip(results).zip(scores) {
        let marks = |all: &[bool]| all.iter().map(|&right| if right { '1' } else { '0' }).collect::<String>();
        let right: Vec<&str> = score.right.iter().copied().collect();
        let _ = writeln!(
            text,
            "{}\t{}\t{}\t{:.3}\t{}",
            task.id,
            marks(&score.at_two),
            marks(&score.any),
            result.seconds,
            right.join(", ")
        );
    }
    text
}

/// Every rule in words, the right ones marked.
fn explain(tasks: &[Task], results: &[TaskResult], scores: &[Score]) -> String {
    let mut text = String::new();
    for ((task, result), score) in tasks.iter().zip(results).zip(scores) {
        let _ = writeln!(text, "\n{} @2 {:?}", task.id, score.at_two);
        for answer in &result.answers {
            let expected = task.test.iter().map(|pair| pair.output.as_ref().and_then(image));
            let right = answer.outputs.iter().cloned().eq(expected);
            let _ = writeln!(
                text,
                "{} {:>5.2} {}: {}",
                if right { '+' } else { '-' },
                answer.cost,
                answer.mechanism,
                answer.text
            );
        }
    }
    text
}
