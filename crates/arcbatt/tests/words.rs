//! No answer depends on wording. This test is alone in its process, because it changes all texts.

use std::sync::atomic::AtomicBool;

use batt_search::{Allowance, Progress, Puzzle, Searcher};
use batt_task::demo;

fn solve(id: &str) -> Progress {
    let dataset = demo::dataset();
    let puzzle = Puzzle::new(dataset.get(id).unwrap());
    let (searcher, stop) = (Searcher::new(None, 0), AtomicBool::new(false));
    let mut progress = Progress::default();
    for _ in 0..3 {
        let allowance = Allowance { fuel: 60_000_000, stop: &stop, lane: None };
        searcher.advance(&puzzle, &mut progress, allowance);
    }
    progress
}

#[test]
fn answers_stay_when_all_texts_change() {
    let ids = [
        "across_the_wall",
        "agreement",
        "border_touchers",
        "tile_by_colors",
        "water_reflection",
        "zoom_by_colors",
    ];
    let before: Vec<Progress> = ids.iter().map(|id| solve(id)).collect();
    let words = |progress: &[Progress]| -> Vec<String> {
        let answers = progress.iter().flat_map(|progress| &progress.answers);
        answers.map(|answer| answer.words.to_string()).collect()
    };
    let words_before = words(&before);
    batt_learn::scramble_words();
    let after: Vec<Progress> = ids.iter().map(|id| solve(id)).collect();
    assert!(words_before.len() > 10);
    assert_ne!(words_before, words(&after), "the texts did not change");
    for ((id, before), after) in ids.iter().zip(&before).zip(&after) {
        let n = demo::dataset().get(id).unwrap().test.len();
        assert_eq!(before.attempts(n), after.attempts(n), "{id}");
        assert_eq!((before.fuel, before.tried), (after.fuel, after.tried), "{id}");
        let programs = |progress: &Progress| -> Vec<String> {
            progress.answers.iter().map(|answer| answer.program.clone()).collect()
        };
        assert_eq!(programs(before), programs(after), "{id}");
    }
}
