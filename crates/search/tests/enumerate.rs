//! Tests of enumeration: it finds compositions that learners miss, its programs parse without problems, and
//! the same fuel gives the same programs on any number of threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use batt_base::Rng;
use batt_dsl::{Cx, Limits};
use batt_exec::{Sample, run};
use batt_lang::parse;
use batt_score::Answer;
use batt_search::{Allowance, Enumerated, Progress, Puzzle, SearchPhase, Searcher, enumerate};
use batt_task::demo;
use batt_task::{Grid, Pair, Task};
use batt_value::{Arena, Value};

const FUEL: u64 = 40_000_000;

fn enumerated(puzzle: &Puzzle, name: &str, fuel: u64, stop: &AtomicBool) -> Enumerated {
    enumerate(puzzle, name, Allowance { fuel, stop, lane: None }, None)
}

/// Tiles the grid with the rightmost object and its mirror images.
const TILING: &str = "def f(I):
    x1 = objects(I, F, T, T)
    x2 = argmax(x1, rightmost)
    return mirrortile(x2, I)
";

/// Appends the mirror image of the upper half, without repeating the row at the edge, and rotates the result.
const BOUNCE: &str = "def f(I):
    x1 = tophalf(I)
    x2 = hmirror(x1)
    x3 = shape(x1)
    x4 = crop(x2, DOWN, x3)
    x5 = vconcat(x1, x4)
    return rot90(x5)
";

/// Returns a grid with three separate objects of several colours and sizes.
fn input(rng: &mut Rng) -> Grid {
    let mut cells = vec![0i8; 144];
    let turn = rng.below(3);
    for (number, (top, left)) in [(0, 1), (5, 4), (9, 8)].into_iter().enumerate() {
        let (height, width) = [(2, 2), (2, 3), (3, 4)][(number + turn) % 3];
        for (row, col) in (0..height).flat_map(|row| (0..width).map(move |col| (row, col))) {
            cells[(top + row) * 12 + left + col] = 1 + rng.below(8) as i8;
        }
    }
    Grid::new(12, cells).unwrap()
}

fn output(program: &str, input: &Grid) -> Grid {
    let arena = Arena::new(Limits::STANDARD.caps);
    let sample = Sample { input: input.value(&arena).unwrap(), samples: Value::EMPTY_TUPLE };
    let program = &parse(program).programs[0];
    let outcome = run(program, sample, Cx::new(&arena, u64::MAX, None));
    Answer::from(outcome.result.unwrap()).grid().unwrap()
}

/// Returns a task whose outputs are made by a program.
fn task(program: &str) -> Task {
    let mut rng = Rng::of(7, "made", 0);
    let mut pair = || {
        let input = input(&mut rng);
        Pair { output: Some(output(program, &input)), input }
    };
    let train = vec![pair(), pair(), pair()];
    Task { id: "made".to_owned(), train, test: vec![pair()], extra: Vec::new() }
}

fn is_right(progress: &Progress, task: &Task) -> bool {
    let expected = task.test[0].output.as_ref();
    progress.attempts(1)[0].attempts.iter().any(|attempt| Some(&attempt.grid) == expected)
}

#[test]
fn finds_compositions_that_learners_miss() {
    for program in [TILING, BOUNCE] {
        let task = task(program);
        let puzzle = Puzzle::new(&task);
        let searcher = Searcher::new(None, 0);
        let mut progress = Progress::default();
        let stop = Arc::new(AtomicBool::new(false));
        while progress.phase < SearchPhase::Enumerate {
            searcher.advance(&puzzle, &mut progress, Allowance { fuel: u64::MAX, stop: &stop, lane: None });
        }
        assert!(!is_right(&progress, &task), "a learner finds\n{program}");
        let found = enumerated(&puzzle, "solve_made", FUEL, &stop);
        let found = Progress { answers: found.answers, ..Progress::default() };
        assert!(is_right(&found, &task), "{program}");
    }
}

#[test]
fn programs_parse_without_problems() {
    let mut n = 0;
    let tasks = demo::dataset().tasks;
    for task in tasks.iter().step_by(7).chain([&task(TILING), &task(BOUNCE)]) {
        let found = enumerated(&Puzzle::new(task), "f", FUEL / 8, &AtomicBool::new(false));
        for answer in &found.answers {
            let parsed = parse(&answer.program);
            assert!(parsed.problems.is_empty(), "{}{:?}", answer.program, parsed.problems);
            for pair in &task.train {
                assert_eq!(
                    pair.output.as_ref(),
                    Some(&output(&answer.program, &pair.input)),
                    "{}",
                    answer.program
                );
            }
            n += 1;
        }
        for view in &found.views {
            let text = format!("def f(I):\n    view = {}\n    return view(I)\n", view.function);
            let parsed = parse(&text);
            assert!(parsed.problems.is_empty(), "{text}{:?}", parsed.problems);
            let (image, given) = (&view.images[0], output(&text, &task.train[0].input));
            assert_eq!((image.w, image.h), (given.width(), given.height()), "{text}");
            assert!(
                image.cells.iter().zip(given.cells()).all(|(a, b)| i32::from(*a) == i32::from(*b)),
                "{text}"
            );
            n += 1;
        }
    }
    assert!(n > 50, "only {n}");
}

#[test]
fn the_same_fuel_gives_the_same_programs_on_any_thread() {
    let tasks = [task(TILING), task(BOUNCE)];
    let search = |task: &Task| {
        let found = enumerated(&Puzzle::new(task), "f", FUEL / 8, &AtomicBool::new(false));
        (found.answers, found.counts)
    };
    let alone: Vec<_> = tasks.iter().map(search).collect();
    let threads: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = tasks.iter().map(|task| scope.spawn(|| search(task))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(format!("{alone:?}"), format!("{threads:?}"));
}

#[test]
fn programs_found_before_a_stop_are_kept() {
    let dataset = demo::dataset();
    let puzzle = Puzzle::new(dataset.get("bridges").unwrap());
    let (stop, start) = (AtomicBool::new(false), Instant::now());
    let enough = enumerated(&puzzle, "f", FUEL / 8, &stop);
    assert!(!enough.answers.is_empty());
    let time = start.elapsed();
    let found = std::thread::scope(|scope| {
        let search = scope.spawn(|| enumerated(&puzzle, "f", FUEL * 1000, &stop));
        std::thread::sleep(8 * time);
        assert!(!search.is_finished(), "there was nothing to stop");
        stop.store(true, Ordering::Relaxed);
        search.join().unwrap()
    });
    assert!(!found.answers.is_empty());
}

#[test]
fn a_stopped_search_ends_at_once() {
    let found = enumerated(&Puzzle::new(&task(TILING)), "f", u64::MAX, &AtomicBool::new(true));
    assert_eq!((found.answers.len(), found.counts.candidates), (0, 0));
}
