//! Learned rules written out: text in, text out.

use batt_dsl::Limits;
use batt_lang::{parse, print};
use batt_resolve::{Reason, Resolution, resolve};
use batt_task::{Grid, Pair, Task};
use expect_test::{Expect, expect};

/// `[1 2 | 3 4]`
fn grid(text: &str) -> Grid {
    let rows: Vec<&str> = text.trim_matches(['[', ']']).split('|').collect();
    let cells: Vec<i8> =
        rows.iter().flat_map(|row| row.split_whitespace()).map(|n| n.parse().unwrap()).collect();
    Grid::new(cells.len() / rows.len(), cells).unwrap()
}

fn task(train: &[(&str, &str)], test: &[&str]) -> Task {
    Task {
        id: "t".to_owned(),
        train: train
            .iter()
            .map(|(input, output)| Pair { input: grid(input), output: Some(grid(output)) })
            .collect(),
        test: test.iter().map(|input| Pair { input: grid(input), output: None }).collect(),
        extra: Vec::new(),
    }
}

#[track_caller]
fn check(call: &str, train: &[(&str, &str)], test: &str, expected: Expect) {
    let text = format!("def solve_t(S, I, C):\n    rule = {call}\n    return rule(I)\n");
    let program = parse(&text).programs.remove(0);
    let task = task(train, &[test]);
    let resolution = resolve(&program, &task, Limits::STANDARD, None);
    let comment = resolution.comment(&task);
    let text = match &resolution {
        Resolution::Resolved { program, .. } => print(program),
        _ => String::new(),
    };
    expected.assert_eq(&format!("# {comment}\n{text}"));
}

#[test]
fn a_transform_is_its_primitives() {
    check(
        "learn_transform(S, ONE_STEP, F0)",
        &[("[1 2]", "[2 1]"), ("[3 1 | 2 2]", "[1 3 | 2 2]")],
        "[5 6 7]",
        expect![[r#"
            # written out in arc-dsl; the same answers on all 3 inputs of t
            def solve_t(I):
                O = vmirror(I)
                return O
        "#]],
    );
}

#[test]
fn a_cell_rule_is_a_set_of_places_for_each_leaf() {
    check(
        "learn_cells(S, NEAR, F0)",
        &[("[0 1 0 0]", "[2 1 2 0]"), ("[0 0 1 0 0]", "[0 2 1 2 0]")],
        "[0 0 0 1 0]",
        expect![[r#"
            # written out in arc-dsl; the same answers on all 3 inputs of t
            def solve_t(I):
                x1 = asindices(I)
                x2 = ofcolor(I, ZERO)
                x3 = difference(x1, x2)
                x4 = lbind(intersection, x3)
                x5 = compose(x4, dneighbors)
                x6 = compose(size, x5)
                x7 = matcher(x6, ZERO)
                x8 = sfilter(x1, x7)
                x9 = difference(x1, x8)
                O = fill(I, TWO, x9)
                return O
        "#]],
    );
}

#[test]
fn objects_are_filtered_and_filled() {
    check(
        "learn_recolor(S, PROPERTIES, F0)",
        &[("[1 1 0 1]", "[2 2 0 1]"), ("[1 0 1 1 1]", "[1 0 2 2 2]")],
        "[1 1 0 0 1]",
        expect![[r#"
            # written out in arc-dsl; the same answers on all 3 inputs of t
            def solve_t(I):
                x1 = objects(I, T, F, F)
                x2 = palette(I)
                x3 = contained(ZERO, x2)
                x4 = mostcolor(I)
                x5 = branch(x3, ZERO, x4)
                x6 = matcher(color, x5)
                x7 = compose(flip, x6)
                x8 = sfilter(x1, x7)
                x9 = rbind(greater, ONE)
                x10 = compose(x9, size)
                x11 = sfilter(x8, x10)
                x12 = merge(x11)
                O = fill(I, TWO, x12)
                return O
        "#]],
    );
}

#[test]
fn parts_are_compared_cell_by_cell() {
    check(
        "learn_split(S, F0)",
        &[("[1 0 5 0 0]", "[1 0]"), ("[0 0 5 0 1]", "[0 1]"), ("[1 1 5 1 0]", "[1 1]")],
        "[0 0 5 1 0]",
        expect![[r#"
            # written out in arc-dsl; the same answers on all 4 inputs of t
            def solve_t(I):
                x1 = hsplit(I, TWO)
                x2 = last(x1)
                x3 = first(x1)
                x4 = asobject(x3)
                x5 = matcher(first, ZERO)
                x6 = compose(flip, x5)
                x7 = sfilter(x4, x6)
                O = paint(x2, x7)
                return O
        "#]],
    );
}

#[test]
fn contexts_wrap_the_rule_inside() {
    check(
        "learn_in_box(S, NOT_GROUND, rbind(rbind(learn_transform, F0), ONE_STEP))",
        &[("[0 1 2 0]", "[0 2 1 0]"), ("[3 4 0 0]", "[4 3 0 0]")],
        "[0 0 3 4]",
        expect![[r#"
            # written out in arc-dsl; the same answers on all 3 inputs of t
            def solve_t(I):
                x1 = asindices(I)
                x2 = ofcolor(I, ZERO)
                x3 = difference(x1, x2)
                x4 = subgrid(x3, I)
                x5 = vmirror(x4)
                x6 = asobject(x5)
                x7 = ulcorner(x3)
                x8 = shift(x6, x7)
                O = paint(I, x8)
                return O
        "#]],
    );
}

#[test]
fn completions_need_an_addition_of_the_language() {
    check(
        "learn_complete(S, HIDDEN, F0)",
        &[("[1 2 1 2 5 2]", "[1 2 1 2 1 2]"), ("[3 1 3 5 3 1]", "[3 1 3 1 3 1]")],
        "[3 4 3 4 5 4]",
        expect![[r#"
            # written out; the same answers on all 3 inputs of t
            def solve_t(I):
                O = complete(I, FIVE, BY_SHIFTS)
                return O
        "#]],
    );
}

#[test]
fn rules_without_words_are_kept() {
    let text = "def solve_t(S, I, C):\n    rule = learn_forest(S, F0)\n    return rule(I)\n";
    let program = parse(text).programs.remove(0);
    let task = task(&[("[1 0 2]", "[3 0 2]")], &["[0 1]"]);
    let kept = resolve(&program, &task, Limits::STANDARD, None);
    assert!(matches!(kept, Resolution::Kept(Reason::Unwritable)), "{kept:?}");
}

#[test]
fn a_program_that_fails_is_kept() {
    let text = "def solve_t(S, I, C):\n    rule = learn_transform(S, ONE_STEP, F0)\n    return rule(I)\n";
    let program = parse(text).programs.remove(0);
    let task = task(&[("[1 0 2]", "[3 0 2 2]")], &["[0 1]"]);
    let kept = resolve(&program, &task, Limits::STANDARD, None);
    assert!(matches!(kept, Resolution::Kept(Reason::Fails)), "{kept:?}");
}

#[test]
fn ordinary_programs_stay() {
    let task = task(&[("[1 2]", "[2 1]")], &["[0 1]"]);
    for (text, arc_dsl) in [
        ("def solve_t(I):\n    return vmirror(I)\n", true),
        ("def solve_t(I):\n    return view(I, MIRRORED_LEFT_RIGHT)\n", false),
        ("def solve_t(I):\n    return canvas(BLUE, shape(I))\n", false),
    ] {
        let program = parse(text).programs.remove(0);
        match resolve(&program, &task, Limits::STANDARD, None) {
            Resolution::Ordinary { is_arc_dsl } => assert_eq!(is_arc_dsl, arc_dsl, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

/// Every text that a view gives for itself parses, and agrees with the view on at least one image. Texts may be simpler
/// than their views; a written program is accepted only if it agrees on all inputs of its task.
#[test]
fn views_agree_with_their_texts() {
    use batt_learn::{Image, ViewId};
    let mut state = 1u64;
    let mut next = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let images: Vec<Image> = (0..24)
        .map(|_| {
            let (h, w) = (2 + next(5) as usize, 2 + next(5) as usize);
            let colors = 2 + next(3);
            let cells = (0..h * w).map(|_| if next(2) == 0 { 0 } else { next(colors) as u8 }).collect();
            Image { h, w, cells }
        })
        .collect();
    for view in ViewId::all() {
        for template in view.templates() {
            let background = "branch(contained(ZERO, palette(I)), ZERO, mostcolor(I))";
            let text = format!("def f(I):\n    B = {background}\n    return {template}\n");
            let parsed = parse(&text);
            assert!(parsed.problems.is_empty(), "{}: {:?}\n{text}", view.name(), parsed.problems);
            let program = &parsed.programs[0];
            let (mut same, mut other) = (0, 0);
            for image in &images {
                let Some(expected) = view.apply(image) else { continue };
                let arena = batt_value::Arena::new(Limits::STANDARD.caps);
                let (input, expected) = (image.to_value(&arena).unwrap(), expected.to_value(&arena).unwrap());
                let samples = arena.tuple(&[]).unwrap();
                let cx = batt_dsl::Cx::new(&arena, Limits::STANDARD.fuel, None);
                let outcome = batt_exec::run(program, batt_exec::Sample { input, samples }, cx);
                match outcome.result {
                    Ok(value) if batt_value::order::equal(value, expected) => same += 1,
                    _ => other += 1,
                }
            }
            assert!(same > 0 || other == 0, "{} never agrees with {template}", view.name());
        }
    }
}
