//! Drawings of values, as text: a digit for a colour, `#` for a place, `.` for the rest of the frame, `~` outside it.

use arcbatt::drawing::{Canvas, Drawing, Spot};
use arcbatt::dsl::Limits;
use arcbatt::value::Arena;
use expect_test::{Expect, expect};

/// Draws a value in a frame of two rows and four columns.
fn check(value: &str, expected: Expect) {
    let arena = Arena::new(Limits::STANDARD.caps);
    let value = batt_value::parse(value, &arena, &|_| None).unwrap();
    let text = match Drawing::new(value, (2, 4)) {
        Some(Drawing { words, canvases }) => {
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
fn objects_and_places_are_drawn_in_the_frame() {
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
            2 places
            #...
            ...#
        "##]],
    );
    check(
        "{(-1, 0), (1, 5)}",
        expect![[r#"
            2 places
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
            2 sets of places
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
            2 places, partly outside
            #...
            ....
        "##]],
    );
    // Too wide for the compact form of patches.
    check(
        "{(1, 1), (0, 99)}",
        expect![[r##"
            2 places, partly outside
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
    let drawing = Drawing::new(value, (2, 2)).unwrap();
    assert_eq!((drawing.words.as_str(), drawing.canvases.len()), ("20 grids, the first 12 drawn", 12));
}
