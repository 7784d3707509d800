//! What the search from the task finds, and how fast: `enumerate DATA FUEL [ID…]`.
#![expect(clippy::print_stdout, reason = "it is a measurement")]

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use batt_search::{Counts, Progress, Puzzle, enumerate, name};

fn main() {
    let mut args = std::env::args().skip(1);
    let (Some(data), Some(fuel)) = (args.next(), args.next().and_then(|fuel| fuel.parse().ok())) else {
        println!("enumerate DATA FUEL [ID…]");
        return;
    };
    let wanted: Vec<String> = args.collect();
    let dataset = batt_task::load(Path::new(&data)).expect("tasks");
    let mut sum = Counts::default();
    let (mut time, mut tasks, mut fits, mut right, mut any) = (Duration::ZERO, 0, 0, 0, 0);
    for task in &dataset.tasks {
        if !wanted.is_empty() && !wanted.contains(&task.id) {
            continue;
        }
        let puzzle = Puzzle::new(task);
        let start = Instant::now();
        let found = enumerate(&puzzle, &name(&task.id), fuel, &AtomicBool::new(false));
        let took = start.elapsed();
        time += took;
        tasks += 1;
        sum.add(found.counts);
        let progress = Progress { answers: found.answers, ..Progress::default() };
        let expected: Vec<_> = task.test.iter().filter_map(|pair| pair.output.clone()).collect();
        let attempts = progress.attempts(expected.len());
        let solved = attempts
            .iter()
            .zip(&expected)
            .filter(|(attempts, output)| attempts.attempts.iter().any(|attempt| attempt.grid == **output))
            .count();
        let possible = expected
            .iter()
            .enumerate()
            .filter(|(i, output)| {
                progress
                    .answers
                    .iter()
                    .any(|answer| answer.outputs.get(*i).and_then(Option::as_ref) == Some(output))
            })
            .count();
        fits += usize::from(!progress.answers.is_empty());
        right += solved;
        any += possible;
        if let Some(first) = attempts.first().and_then(|attempts| attempts.attempts.first()) {
            let answer = &progress.answers[first.answer];
            println!(
                "{} {solved}/{} any {possible} cost {:.1} {} ({} answers)",
                task.id,
                expected.len(),
                answer.cost,
                answer.words,
                progress.answers.len()
            );
        }
    }
    let seconds = time.as_secs_f64();
    println!(
        "{tasks} tasks, {fits} with a program, {right} outputs right, {any} with a right candidate; {:.2} s a task; a second: {:.0} candidates, {:.0} calls of a primitive on one input, {:.0} kept, {:.1} M fuel; {} complete",
        seconds / f64::from(tasks.max(1)),
        sum.candidates as f64 / seconds,
        sum.calls as f64 / seconds,
        sum.kept as f64 / seconds,
        sum.fuel as f64 / seconds / 1e6,
        sum.complete,
    );
}
