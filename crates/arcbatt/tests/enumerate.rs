//! Enumeration for many tasks under a time limit: every task has its turn before any has a second one.

use std::sync::atomic::{AtomicBool, Ordering};

use batt_job::Pool;
use batt_job::enumeration::{self, Effort};
use batt_search::Puzzle;
use batt_task::demo;

/// Enumerates until `until` results were reported. Returns the tasks in order of report, and whether they are solved.
fn reported(ids: &[&str], until: usize) -> Vec<(usize, bool)> {
    let dataset = demo::dataset();
    let puzzles: Vec<Puzzle> = ids.iter().map(|id| Puzzle::new(dataset.get(id).unwrap())).collect();
    let (pool, stop) = (Pool::new(1).unwrap(), AtomicBool::new(false));
    let mut reports = Vec::new();
    let effort = Effort { fuel: None, stop: &stop, proceed: &|| true, trace: None, devices: None };
    enumeration::run(&pool, puzzles.iter().enumerate(), &[], &effort, |task, enumeration| {
        reports.push((task, enumeration.solution.is_some()));
        if reports.len() >= until {
            stop.store(true, Ordering::Relaxed);
        }
    });
    reports
}

#[test]
fn every_task_has_its_turn_before_any_has_a_second() {
    // The second task is solved in the first round.
    let reports = reported(&["histogram", "kaleidoscope", "infected"], 4);
    assert_eq!(reports[..4].iter().map(|(task, _)| *task).collect::<Vec<_>>(), [0, 1, 2, 0], "{reports:?}");
    assert!(reports[1].1 && !reports[0].1, "{reports:?}");
}
