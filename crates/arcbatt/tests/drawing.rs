//! Drawings of values, as text: a digit for a colour, `#` for an index, `.` for the rest of the frame, `~` outside it.

use arcbatt::drawing::{Canvas, Canvases, Drawing, Shape, Spot, cut};
use arcbatt::dsl::Limits;
use arcbatt::value::Arena;
use expect_test::{Expect, expect};

/// Draws a value in a frame of two rows and four columns.
fn check(value: &str, expected: Expect) {
    let arena = Arena::new(Limits::STANDARD.caps);
    let value = batt_value::parse(value, &arena, &|_| None).unwrap();
    let text = match Drawing::new(value).canvases((2, 4)) {
        Some(Canvases { words, canvases }) => {
            words + "\n" + &canvases.iter().map(text).collect::<Vec<_>>().join("\n")
        }
        None => "not drawn\n".to_owned(),
    };
    expected.assert_eq(&text);
}

fn text(canvas: &Canvas) -> String {
    let spot = |spot: &Spot| match spot {
        Spot::Color(cell) => cell.to_string(),
        Spot::Place => "#".to_owned(),
        Spot::Empty => ".".to_owned(),
        Spot::Outside => "~".to_owned(),
    };
    canvas.rows().map(|row| row.iter().map(spot).collect::<String>() + "\n").collect()
}

#[test]
fn grids_are_drawn_as_they_are() {
    check(
        "[1 2 | 3 4 | 5 6]",
        expect![[r#"
            3×2 grid
            12
            34
            56
        "#]],
    );
    check(
        "([1 2 3 | 4 5 6], [7 7 7])",
        expect![[r#"
            2 grids
            123
            456

            777
        "#]],
    );
}

#[test]
fn objects_and_indices_are_drawn_in_the_frame() {
    check(
        "{(3, (0, 1)), (4, (1, 2))}",
        expect![[r#"
            object of 2 cells
            .3..
            ..4.
        "#]],
    );
    check(
        "{(0, 0), (1, 3)}",
        expect![[r##"
            2 indices
            #...
            ...#
        "##]],
    );
    check(
        "{(-1, 0), (1, 5)}",
        expect![[r#"
            2 indices
            #~~~~~
            ....~~
            ....~#
        "#]],
    );
}

#[test]
fn objects_of_a_set_share_a_canvas_unless_they_overlap() {
    check(
        "{{(3, (0, 1))}, {(4, (1, 2))}}",
        expect![[r#"
            2 objects
            .3..
            ..4.
        "#]],
    );
    check(
        "{{(0, 1)}, {(0, 1), (1, 1)}}",
        expect![[r##"
            2 sets of indices
            .#..
            ....

            .#..
            .#..
        "##]],
    );
    // The order of a tuple matters.
    check(
        "({(3, (0, 1))}, {(4, (1, 2))})",
        expect![[r#"
            2 objects
            .3..
            ....

            ....
            ..4.
        "#]],
    );
}

#[test]
fn far_places_do_not_enlarge_the_canvas() {
    check(
        "{(0, 0), (40, 40)}",
        expect![[r##"
            2 indices, partly outside
            #...
            ....
        "##]],
    );
    // Too wide for the compact form of patches.
    check(
        "{(1, 1), (0, 99)}",
        expect![[r##"
            2 indices, partly outside
            ....
            .#..
        "##]],
    );
    check(
        "{(2, (99, 99))}",
        expect![[r#"
            object of 1 cell, outside
            ....
            ....
        "#]],
    );
}

#[test]
fn other_values_are_not_drawn() {
    for value in ["7", "(1, 2)", "{}", "()", "(3, (0, 1))", "{1, 2}", "([1 2 | 3 4], {(0, 0)})", "None"] {
        check(value, expect![["not drawn\n"]]);
    }
    // One place has two colours.
    check("{(3, (0, 1)), (4, (0, 1))}", expect![["not drawn\n"]]);
}

#[test]
fn many_canvases_are_counted() {
    let arena = Arena::new(Limits::STANDARD.caps);
    let grids = "[1 1 | 1 1], ".repeat(20);
    let value = batt_value::parse(&format!("({grids})"), &arena, &|_| None).unwrap();
    let drawn = Drawing::new(value).canvases((2, 2)).unwrap();
    assert_eq!((drawn.words.as_str(), drawn.canvases.len()), ("20 grids, the first 12 drawn", 12));
}

/// Checks the words of a value, and its shape as text: `+3` for members that are left out.
fn check_shape(value: &str, words: &str, expected: &str) {
    fn print(shape: &Shape<'_>) -> String {
        match shape {
            Shape::Grid(_) => "grid".to_owned(),
            Shape::Patches { patches, more, is_ordered } => {
                let sizes = patches.iter().map(|patch| patch.len().to_string()).collect::<Vec<_>>().join(" ");
                format!("{} {sizes} +{more}", if *is_ordered { "ordered" } else { "patches" })
            }
            Shape::List { items, more } => {
                let items = items.iter().map(|item| format!("{}: {}", item.words, print(&item.shape)));
                format!("[{}] +{more}", items.collect::<Vec<_>>().join(", "))
            }
            Shape::Number(number) => format!("number {number}"),
            Shape::Text(text) => format!("text {text}"),
        }
    }
    let arena = Arena::new(Limits::STANDARD.caps);
    let drawing = Drawing::new(batt_value::parse(value, &arena, &arcbatt::dsl::symbol).unwrap());
    assert_eq!((drawing.words.as_str(), print(&drawing.shape).as_str()), (words, expected), "{value}");
}

#[test]
fn words_and_shapes_follow_the_form_of_a_value() {
    check_shape("[1 2 | 3 4 | 5 6]", "3×2 grid", "grid");
    check_shape("{(3, (0, 1))}", "object of 1 cell", "patches 1 +0");
    check_shape("{(0, 1)}", "1 index", "patches 1 +0");
    check_shape("{(0, 1), (0, 99)}", "2 indices", "patches 2 +0");
    check_shape("{{(3, (0, 1))}, {(4, (1, 2)), (4, (1, 3))}}", "2 objects", "patches 1 2 +0");
    check_shape("({(0, 1)}, {(0, 1)})", "2 sets of indices", "ordered 1 1 +0");
    check_shape("({(0, 1)},)", "1 set of indices", "ordered 1 +0");
    let mixed = "[object of 1 cell: patches 1 +0, 1 index: patches 1 +0] +0";
    check_shape("({(3, (0, 1))}, {(0, 1)})", "tuple of 2", mixed);
    let pairs = "[2 grids: [1×1 grid: grid, 1×1 grid: grid] +0] +0";
    check_shape("(([1], [2]),)", "tuple of 1", pairs);
    check_shape("((([1], [2]),),)", "tuple of 1", "text ((([1], [2]),),)");
    check_shape("7", "7", "number 7");
    check_shape("(1, 2)", "(1, 2)", "text (1, 2)");
    check_shape("(1, 2, 3)", "tuple of 3", "text (1, 2, 3)");
    check_shape("{1, 2}", "set of 2", "text {1, 2}");
    check_shape("{}", "empty set", "text {}");
    check_shape("()", "empty tuple", "text ()");
    check_shape("([1], 7)", "tuple of 2", "text ([1], 7)");
    check_shape("rot90", "function", "text rot90");
    let bound = "text rbind(compose(paint, 1×2 grid), object of 1 cell)";
    check_shape("rbind(compose(paint, [1 2]), {(3, (0, 1))})", "function", bound);
    // Grids have no such colour.
    check_shape("{(300, (0, 1))}", "object of 1 cell", "text {(300, (0, 1))}");
}

#[test]
fn large_values_are_cut() {
    let grids = ["1×1 grid: grid"; 12].join(", ");
    check_shape(&format!("({})", "[1], ".repeat(15)), "15 grids", &format!("[{grids}] +3"));
    let square = |at: usize, side: usize| {
        let places = (0..side * side).map(|i| format!("({}, {})", at + i / side, i % side));
        format!("{{{}}}", places.collect::<Vec<_>>().join(", "))
    };
    check_shape(&square(0, 60), "3600 indices", "patches 3600 +0");
    let arena = Arena::new(Limits::STANDARD.caps);
    let text = square(0, 61);
    let value = batt_value::parse(&text, &arena, &|_| None).unwrap();
    let Drawing { words, shape: Shape::Text(cut) } = Drawing::new(value) else { panic!("not a text") };
    assert_eq!(words, "3721 indices");
    assert!(cut.len() <= 240 + "…".len() && cut.len() > 230 && text.starts_with(cut.trim_end_matches('…')));
    let squares: Vec<String> = (0..5).map(|at| square(at, 30)).collect();
    check_shape(&format!("({})", squares.join(", ")), "5 sets of indices", "ordered 900 900 900 900 +1");
}

#[test]
fn texts_are_cut_between_numbers() {
    let arena = Arena::new(Limits::STANDARD.caps);
    let value = batt_value::parse("(1000, 2000, 3000)", &arena, &|_| None).unwrap();
    assert_eq!(cut(&value, 100), "(1000, 2000, 3000)");
    assert_eq!(cut(&value, 9), "(1000, …");
}
