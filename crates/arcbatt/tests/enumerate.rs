//! The search from the task for many tasks: none waits for another to be through when only time limits it.

use std::sync::atomic::{AtomicBool, Ordering};

use batt_job::Pool;
use batt_job::enumeration::{self, Effort};
use batt_search::Puzzle;
use batt_task::demo;

/// Which tasks were told of, in turn, and whether they were solved, until so many were.
fn told(ids: &[&str], until: usize) -> Vec<(usize, bool)> {
    let dataset = demo::dataset();
    let puzzles: Vec<Puzzle> = ids.iter().map(|id| Puzzle::new(dataset.get(id).unwrap())).collect();
    let (pool, stop) = (Pool::new(1).unwrap(), AtomicBool::new(false));
    let mut told = Vec::new();
    let effort = Effort { fuel: None, stop: &stop, proceed: &|| true, trace: None };
    enumeration::run(&pool, puzzles.iter().enumerate(), &[], &effort, |task, enumeration| {
        told.push((task, enumeration.solution.is_some()));
        if told.len() >= until {
            stop.store(true, Ordering::Relaxed);
        }
    });
    told
}

#[test]
fn every_task_has_its_turn_before_any_has_a_second() {
    // The second is solved in the first round and needs no other.
    let told = told(&["histogram", "kaleidoscope", "infected"], 4);
    assert_eq!(told[..4].iter().map(|(task, _)| *task).collect::<Vec<_>>(), [0, 1, 2, 0], "{told:?}");
    assert!(told[1].1 && !told[0].1, "{told:?}");
}
