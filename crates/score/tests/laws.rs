//! Properties that hold for all answers.

use batt_score::{
    Answer, Candidate, Closeness, Demos, Graded, Ratio, Rule, Scores, Tally, Target, Verdict, all_right,
    judge, rank, test_verdicts,
};
use batt_task::submission::Draft;
use batt_task::{Grid, Pair, Task};
use batt_value::{Arena, Caps, Fail, Owned, Value, order};
use proptest::prelude::*;

fn grid_of(height: usize, width: usize, colors: std::ops::Range<i8>) -> impl Strategy<Value = Grid> {
    prop::collection::vec(colors, height * width).prop_map(move |cells| Grid::new(width, cells).unwrap())
}

/// Mostly small grids of few colours, so that some are equal; sometimes any grid.
fn grids() -> impl Strategy<Value = Grid> {
    prop_oneof![
        8 => (1usize..5, 1usize..5).prop_flat_map(|(height, width)| grid_of(height, width, 0..3)),
        1 => (1usize..=30, 1usize..=30).prop_flat_map(|(height, width)| grid_of(height, width, 0..10)),
    ]
}

/// Two grids of one shape.
fn grids_of_one_shape() -> impl Strategy<Value = (Grid, Grid)> {
    (1usize..7, 1usize..7)
        .prop_flat_map(|(height, width)| (grid_of(height, width, 0..4), grid_of(height, width, 0..4)))
}

/// Cells of a row: mostly colours, sometimes integers that are not.
fn cells() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(prop_oneof![8 => 0i64..3, 1 => -200i64..200], 0..4)
}

fn closeness(a: &Grid, b: &Grid) -> Closeness {
    Target::new(a, b).grade(a).answer
}

fn with_cell(grid: &Grid, at: usize, color: i8) -> Grid {
    let mut cells = grid.cells().to_vec();
    cells[at] = color;
    Grid::new(grid.width(), cells).unwrap()
}

/// Makes a task from its pairs.
fn task(id: &str, train: &[(Grid, Grid)], test: &[(Grid, Option<Grid>)]) -> Task {
    let train = train.iter().cloned();
    Task {
        id: id.to_owned(),
        train: train.map(|(input, output)| Pair { input, output: Some(output) }).collect(),
        test: test.iter().cloned().map(|(input, output)| Pair { input, output }).collect(),
        extra: Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn an_answer_is_right_exactly_if_it_is_equal(a in grids(), b in grids()) {
        let arena = Arena::new(Caps::STANDARD);
        let value = a.value(&arena).unwrap();
        let owned = Owned::new(value);
        let verdict = judge(&a, Some(&b));
        prop_assert_eq!(verdict == Verdict::Right, a == b);
        prop_assert_eq!(verdict == Verdict::WrongShape, (a.height(), a.width()) != (b.height(), b.width()));
        prop_assert_eq!(judge(value, Some(&b)), verdict);
        prop_assert_eq!(judge(&owned, Some(&b)), verdict);
        prop_assert_eq!(Answer::from(value).grid(), Some(a.clone()));
        prop_assert_eq!(Answer::from(&owned).grid(), Some(a));
    }

    /// Rows that contain booleans have another form but are equal in Python.
    #[test]
    fn values_are_judged_as_python_compares(rows in prop::collection::vec(cells(), 0..4), truths in any::<u16>(), expected in grids()) {
        let arena = Arena::new(Caps::STANDARD);
        let cell = |(i, int): (usize, &i64)| match int {
            0 | 1 if truths >> (i % 16) & 1 == 1 => Value::from(*int == 1),
            int => Value::Int(*int),
        };
        let rows: Vec<_> = rows.iter().map(|row| arena.tuple(&row.iter().enumerate().map(cell).collect::<Vec<_>>()).unwrap()).collect();
        let value = arena.tuple(&rows).unwrap();
        let right = order::equal(value, expected.value(&arena).unwrap());
        prop_assert_eq!(judge(value, Some(&expected)) == Verdict::Right, right);
        prop_assert_eq!(judge(&Owned::new(value), Some(&expected)), judge(value, Some(&expected)));
        let graded = Target::new(&expected, &expected).grade(value);
        prop_assert_eq!(graded.score() == Ratio::ONE, right);
        // A grid equals the value that it was made from.
        if let Some(grid) = Answer::from(value).grid() {
            prop_assert!(order::equal(value, grid.value(&arena).unwrap()));
        }
    }

    #[test]
    fn the_score_is_one_exactly_for_the_right_answer(input in grids(), answer in grids(), expected in grids()) {
        let target = Target::new(&input, &expected);
        let graded = target.grade(&answer);
        prop_assert_eq!(graded.score() == Ratio::ONE, answer == expected);
        prop_assert_eq!(graded.answer.total() == Ratio::ONE, answer == expected);
        prop_assert_eq!(graded.answer.cells() == Ratio::ONE, answer == expected);
        prop_assert_eq!(target.grade(&expected).score(), Ratio::ONE);
        for (name, _, component) in graded.answer.components() {
            prop_assert!(component <= Ratio::ONE, "{}", name);
        }
        prop_assert_eq!(target.grade(&input).answer, target.baseline());
    }

    /// An answer that is no closer than the input scores no more than the input.
    #[test]
    fn the_input_is_the_baseline(input in grids(), a in grids(), b in grids(), expected in grids()) {
        let target = Target::new(&input, &expected);
        let of_input = target.grade(&input).score();
        prop_assert_eq!(of_input, if input == expected { Ratio::ONE } else { Ratio::ZERO });
        let (a, b) = (target.grade(&a), target.grade(&b));
        for graded in [a, b] {
            prop_assert_eq!(graded.score() <= of_input, graded.answer.total() <= target.baseline().total());
        }
        // The score keeps the order of closeness.
        if a.score() < b.score() {
            prop_assert!(a.answer.total() < b.answer.total());
        }
    }

    #[test]
    fn shape_palette_and_cells_are_symmetric(a in grids(), b in grids()) {
        let (one, other) = (closeness(&a, &b), closeness(&b, &a));
        prop_assert_eq!(one.shape(), other.shape());
        prop_assert_eq!(one.palette(), other.palette());
        prop_assert_eq!(one.cells(), other.cells());
    }

    /// Correcting a cell counts, breaks no object, and raises the total unless it removes the last cell of a
    /// colour that is still needed.
    #[test]
    fn correcting_a_cell_raises_the_score((answer, expected) in grids_of_one_shape(), at in any::<prop::sample::Index>()) {
        let wrong: Vec<_> = (0..answer.cells().len()).filter(|at| answer.cells()[*at] != expected.cells()[*at]).collect();
        prop_assume!(!wrong.is_empty());
        let at = *at.get(&wrong);
        let better = with_cell(&answer, at, expected.cells()[at]);
        let target = Target::new(&answer, &expected);
        let (before, after) = (target.grade(&answer).answer, target.grade(&better).answer);
        prop_assert!(after.cells() > before.cells());
        prop_assert!(after.objects() >= before.objects());
        let lost = answer.cells()[at];
        if better.cells().contains(&lost) || !expected.cells().contains(&lost) {
            prop_assert!(after.palette() >= before.palette());
            prop_assert!(after.total() > before.total());
        }
    }

    /// `grade` does not compute the objects of the answer; this test does.
    #[test]
    fn objects_are_counted_if_both_grids_have_them(a in grids(), b in grids()) {
        let (ours, theirs) = (pieces(&a), pieces(&b));
        let both = theirs.iter().filter(|piece| ours.contains(piece)).count();
        prop_assert_eq!(closeness(&a, &b).objects(), Ratio::new(both as u64, theirs.len() as u64));
    }

    #[test]
    fn fits_see_demonstrations_only(pairs in prop::collection::vec((grids(), grids()), 1..4), answers in prop::collection::vec(grids(), 0..5), other in grids()) {
        let test = |output| [(other.clone(), output)];
        let (without_output, with_output) = (task("t", &pairs, &test(None)), task("t", &pairs, &test(Some(other.clone()))));
        let fit = |task: &Task| Demos::new(task).fit(answers.iter().map(Answer::from));
        let fit_without = fit(&without_output);
        prop_assert_eq!(&fit_without, &fit(&with_output));
        prop_assert_eq!(fit_without.verdicts.len(), pairs.len());
        prop_assert_eq!(fit_without.solves(), fit_without.right() == pairs.len());
        prop_assert_eq!(fit_without.score() == 1_000_000, fit_without.solves());
        let skipped = fit_without.verdicts.iter().filter(|verdict| **verdict == Verdict::Skipped).count();
        prop_assert_eq!(skipped, pairs.len().saturating_sub(answers.len()));
    }

    #[test]
    fn rules_agree_on_zero_and_full_scores(
        tests in prop::collection::vec(prop::collection::vec((grids(), grids(), any::<bool>()), 1..4), 1..6),
    ) {
        let tasks: Vec<_> = tests.iter().enumerate().map(|(i, test)| {
            let test: Vec<_> = test.iter().map(|(input, output, _)| (input.clone(), Some(output.clone()))).collect();
            task(&format!("t{i}"), &[], &test)
        }).collect();
        let mut draft = Draft::new(&tasks);
        for (i, test) in tests.iter().enumerate() {
            for (k, (_, output, answered)) in test.iter().enumerate() {
                if *answered {
                    draft.answer(&format!("t{i}"), k, [output.clone()]);
                }
            }
        }
        let scores = Scores::open(&draft.submission(), &tasks);
        let [outputs, fractions, entire] = Rule::ALL.map(|rule| scores.under(rule).unwrap());
        prop_assert!(entire <= fractions);
        prop_assert_eq!(outputs == Ratio::ONE, entire == Ratio::ONE);
        prop_assert_eq!(outputs == Ratio::ONE, fractions == Ratio::ONE);
        prop_assert_eq!(outputs == Ratio::ZERO, fractions == Ratio::ZERO);
        // Fallbacks can be right by luck, so at least the answered outputs are right.
        let answered = tests.iter().flatten().filter(|(.., answered)| *answered).count();
        prop_assert!(scores.right_outputs() >= answered);
        prop_assert_eq!(scores.first_right_by(0) + scores.first_right_by(1), scores.right_outputs());
        prop_assert!(scores.right_by(1) >= scores.first_right_by(1));
    }

    #[test]
    fn the_first_grid_belongs_to_a_best_candidate(raw in prop::collection::vec((0i8..4, 0usize..3, 0u32..3, 0usize..3), 0..12)) {
        let dot = |color: i8| Grid::new(1, [color]).unwrap();
        let candidates: Vec<_> = raw.iter().map(|&(color, right, score, size)| Candidate { grid: dot(color), right, score, size }).collect();
        let ranked = rank(&candidates);
        let different: std::collections::BTreeSet<_> = raw.iter().map(|(color, ..)| *color).collect();
        prop_assert_eq!(ranked.len(), different.len());
        prop_assert!(ranked.iter().all(|grid| different.contains(&grid.cells()[0])));
        if let Some(best) = candidates.iter().map(|candidate| (candidate.right, candidate.score)).max() {
            let of_first = candidates.iter().filter(|candidate| &candidate.grid == ranked[0]);
            prop_assert!(of_first.map(|candidate| (candidate.right, candidate.score)).any(|fit| fit == best));
        }
    }
}

/// Returns the connected cells of one colour, each with its colour and coordinates.
fn pieces(grid: &Grid) -> Vec<(i8, Vec<(usize, usize)>)> {
    let color = |(row, col): (usize, usize)| grid.cells()[row * grid.width() + col];
    let mut seen = std::collections::BTreeSet::new();
    let mut pieces = Vec::new();
    for start in (0..grid.height()).flat_map(|row| (0..grid.width()).map(move |col| (row, col))) {
        let mut open = vec![start];
        let mut places = Vec::new();
        while let Some((row, col)) = open.pop() {
            let inside = row < grid.height() && col < grid.width();
            if inside && color((row, col)) == color(start) && seen.insert((row, col)) {
                places.push((row, col));
                open.extend([
                    (row + 1, col),
                    (row.wrapping_sub(1), col),
                    (row, col + 1),
                    (row, col.wrapping_sub(1)),
                ]);
            }
        }
        if !places.is_empty() {
            places.sort();
            pieces.push((color(start), places));
        }
    }
    pieces
}

#[test]
fn verdicts_tell_kinds_of_failure_apart() {
    let arena = Arena::new(Caps::STANDARD);
    let expected = Grid::new(2, [1, 0, 0, 1]).unwrap();
    let text = |text: &str| batt_value::parse(text, &arena, &|_| None).unwrap();
    let mut tally = Tally::default();
    let mut check = |answer: Answer<'_>, verdict: Verdict| {
        assert_eq!(judge(answer, Some(&expected)), verdict, "{answer:?}");
        if let Answer::Value(value) = answer {
            assert_eq!(judge(&Owned::new(value), Some(&expected)), verdict, "{answer:?}");
        }
        tally.add(verdict);
    };
    check(text("[1 0 | 0 1]").into(), Verdict::Right);
    check(text("((True, False), (0, 1))").into(), Verdict::Right);
    check(text("[1 0 | 0 2]").into(), Verdict::Wrong);
    check(text("[1 0 | 0 -1]").into(), Verdict::Wrong);
    check(text("[1 0 0 | 0 1 0]").into(), Verdict::WrongShape);
    check(text("((1, 0), (0,))").into(), Verdict::NotAGrid);
    check(text("((1, False), (0, -100))").into(), Verdict::Wrong);
    check(text("((1, 0), (0, 1000))").into(), Verdict::NotAGrid);
    check(text("()").into(), Verdict::NotAGrid);
    check(text("((), ())").into(), Verdict::NotAGrid);
    check(text("(1, 0)").into(), Verdict::NotAGrid);
    check(text("{(1, 0)}").into(), Verdict::NotAGrid);
    check(Value::None.into(), Verdict::NotAGrid);
    check(Answer::Skipped, Verdict::Skipped);
    for fail in Fail::ALL {
        check(fail.into(), Verdict::Failed(fail));
    }
    assert_eq!(judge(&expected, None), Verdict::Unjudged);
    assert_eq!(judge(Fail::Fuel, None), Verdict::Failed(Fail::Fuel));
    assert_eq!(tally.total(), 22);
    assert_eq!(tally.failed(), 8);
    assert_eq!(
        tally.to_string(),
        "2 ok, 3 wrong, 1 wrong shape, 7 not a grid, 1 wrong kind of argument, 1 empty container, 1 out of range, \
         1 integer overflow, 1 too large, 1 out of fuel, 1 deadline passed, 1 bug in the engine, 1 skipped"
    );
    tally += tally;
    assert_eq!(tally.count(Verdict::Wrong), 6);
}

#[test]
fn answers_that_cannot_be_submitted_have_closeness_zero() {
    let arena = Arena::new(Caps::STANDARD);
    let expected = Grid::new(2, [1, 0, 0, 1]).unwrap();
    let target = Target::new(&expected, &expected);
    for text in ["[1 0 | 0 10]", "[1 0 | 0 -1]", "(1, 2)", "{}"] {
        let value = batt_value::parse(text, &arena, &|_| None).unwrap();
        let graded = target.grade(value);
        assert_eq!((graded.answer, graded.score()), (Closeness::NONE, Ratio::ZERO), "{text}");
        assert_eq!(Answer::from(value).grid(), None, "{text}");
    }
    let large = arena.grid(31, &[1; 31]).unwrap();
    assert_eq!(judge(large, Some(&expected)), Verdict::WrongShape);
    assert_eq!(target.grade(large).answer, Closeness::NONE);
    assert_eq!(target.grade(Fail::Deadline).score(), Ratio::ZERO);
}

#[test]
fn components_and_scores_of_examples() {
    let show = |input: &str, answer: &str, expected: &str| {
        let arena = Arena::new(Caps::STANDARD);
        let grid =
            |text: &str| Answer::from(batt_value::parse(text, &arena, &|_| None).unwrap()).grid().unwrap();
        let target = Target::new(&grid(input), &grid(expected));
        let graded: Graded = target.grade(&grid(answer));
        let components = graded
            .answer
            .components()
            .map(|(name, weight, it)| format!("{name} {}/{} x{weight}", it.numerator(), it.denominator()));
        let (total, baseline) = (graded.answer.total(), target.baseline().total());
        format!("{}: {total}, input {baseline}, score {}", components.join(", "), graded.score())
    };
    expect_test::expect![[r#"
        shape 1/1 x2, palette 1/1 x2, cells 8/9 x4, objects 0/1 x2: 0.7555, input 0.6555, score 0.2903
        shape 1/1 x2, palette 1/3 x2, cells 8/9 x4, objects 1/2 x2: 0.7222, input 0.7222, score 0.0000
        shape 1/1 x2, palette 1/1 x2, cells 7/9 x4, objects 0/1 x2: 0.7111, input 0.7222, score 0.0000
        shape 1/2 x2, palette 1/1 x2, cells 1/2 x4, objects 1/2 x2: 0.6000, input 0.6000, score 0.0000"#]]
    .assert_eq(
        &[
            // One extra cell.
            show("[0 0 0 | 0 0 0 | 0 0 0]", "[1 1 0 | 0 0 0 | 0 0 0]", "[1 0 0 | 0 0 0 | 0 0 0]"),
            // The input, unchanged.
            show("[0 0 0 | 0 1 0 | 0 0 0]", "[0 0 0 | 0 1 0 | 0 0 0]", "[0 0 0 | 0 2 0 | 0 0 0]"),
            // The right colour in the wrong place.
            show("[0 0 0 | 0 1 0 | 0 0 0]", "[2 0 0 | 0 0 0 | 0 0 0]", "[0 0 0 | 0 2 0 | 0 0 0]"),
            // Half of the output.
            show("[1 2]", "[1 2]", "[1 2 | 2 1]"),
        ]
        .join("\n"),
    );
}

#[test]
fn attempts_are_chosen_by_fit_then_agreement_then_size() {
    let dot = |color: i8| Grid::new(1, [color]).unwrap();
    let candidate = |color, right, score, size| Candidate { grid: dot(color), right, score, size };
    let order = |candidates: &[Candidate]| -> Vec<i8> {
        rank(candidates).into_iter().map(|grid| grid.cells()[0]).collect()
    };
    assert!(order(&[]).is_empty());
    // Right pairs count more than closeness, and closeness more than votes.
    let fit = [candidate(1, 2, 900_000, 1), candidate(2, 3, 1_000_000, 9), candidate(3, 2, 950_000, 5)];
    assert_eq!(order(&fit), [2, 3, 1]);
    // Among equal fits: more votes, then the shorter program, then the earlier one.
    let equal = [candidate(1, 3, 7, 1), candidate(2, 3, 7, 9), candidate(2, 3, 7, 8), candidate(3, 3, 7, 1)];
    assert_eq!(order(&equal), [2, 1, 3]);
    // Programs that fit worse do not vote.
    let crowd = [candidate(1, 3, 7, 2), candidate(1, 0, 0, 1), candidate(1, 0, 0, 1), candidate(2, 3, 7, 1)];
    assert_eq!(order(&crowd), [2, 1]);
}

#[test]
fn test_verdicts_judges_answers_in_order() {
    let dot = |color: i8| Grid::new(1, [color]).unwrap();
    let task = task("t", &[], &[(dot(0), Some(dot(1))), (dot(0), None), (dot(0), Some(dot(3)))]);
    let (one, two) = (dot(1), dot(2));
    let verdicts = test_verdicts(&task, [Answer::from(&one), Answer::from(&two)]);
    assert_eq!(verdicts, [Verdict::Right, Verdict::Unjudged, Verdict::Skipped]);
    assert!(!all_right(&verdicts) && !all_right(&[]) && all_right(&verdicts[..1]));
}

#[test]
fn tasks_without_solutions_do_not_count() {
    let dot = |color: i8| Grid::new(1, [color]).unwrap();
    let known = |color| (dot(0), Some(dot(color)));
    let tasks = [
        task("all", &[], &[known(1), known(2)]),
        task("half", &[], &[known(1), (dot(0), None)]),
        task("left out", &[], &[known(5)]),
        task("no tests", &[], &[]),
    ];
    let mut draft = Draft::new(&tasks[..2]);
    draft.answer("all", 0, [dot(1)]);
    draft.answer("all", 1, [dot(3), dot(2)]);
    let scores = Scores::open(&draft.submission(), &tasks);
    assert_eq!(scores.unsolved, ["half", "no tests"]);
    assert_eq!((scores.tasks.len(), scores.outputs(), scores.right_outputs()), (2, 3, 2));
    assert!(scores.tasks[0].answered && !scores.tasks[1].answered);
    let under = Rule::ALL.map(|rule| scores.under(rule).unwrap());
    assert_eq!(under, [Ratio::new(2, 3), Ratio::new(1, 2), Ratio::new(1, 2)]);
    assert_eq!((scores.right_by(0), scores.right_by(1), scores.first_right_by(1)), (1, 1, 1));
    let nothing = Scores::open(&draft.submission(), &tasks[3..]);
    assert_eq!(Rule::ALL.map(|rule| nothing.under(rule)), [None; 3]);
}
