//! The body of a primitive does not depend on the form of a set: bit planes and lists of the same members
//! give the same value or failure.

mod common;

use batt_dsl::{Cx, registry, symbol};
use batt_value::{Arena, Caps, Fail, Owned, Value, parse};

use common::arguments;

/// Arguments of all kinds, with many sets of cells and places. Those that fit in bit planes have these by
/// default; the others are too sparse or too far apart, or have other colours.
const VALUES: &[&str] = &[
    "0",
    "1",
    "2",
    "-3",
    "True",
    "()",
    "{}",
    "(1, 2)",
    "(0, 0)",
    "(3, -1)",
    "{3, 1, 2}",
    "{(0, 0), (0, 1), (2, 1)}",
    "{(1, 3), (4, 0), (2, 2), (0, 5)}",
    "{(1, 1), (1, 2), (1, 3)}",
    "{(0, 0), (200, 70)}",
    "{(0, 0), (40000, 1)}",
    "{(3, (0, 0)), (3, (1, 1)), (5, (2, 0))}",
    "{(1, (4, 4)), (2, (3, 4)), (1, (4, 5))}",
    "{(2, (1, 1)), (7, (1, 1)), (7, (2, 3))}",
    "{(4, (0, 2)), (4, (1, 2)), (4, (2, 2))}",
    "{(3, (0, 0)), (30, (2, 1))}",
    SPARSE,
    "{(2, (0, 0)), (2, (1, 90))}",
    "{{(1, (0, 0))}, {(2, (1, 1)), (2, (1, 2))}, {(3, (5, 5))}}",
    "{{(0, 0), (1, 0)}, {(7, 7)}}",
    "({(1, 2), (2, 2)}, {(2, 5), (7, 1)})",
    "({(3, (1, 2))}, {(1, (2, 5)), (4, (7, 1))})",
    "((1, 2), (3, 4))",
    "(5, 3, 3, 9)",
    "[0 1 2 | 3 4 5]",
    "[0 0 3 | 0 3 0 | 3 0 5]",
    "[7]",
    "([1 2], [3 4])",
    "identity",
    "increment",
    "size",
    "first",
    "toindices",
    "height",
    "add",
    "combine",
];

#[test]
fn bodies_do_not_depend_on_the_form_of_sets() {
    let arena = Arena::new(Caps::STANDARD);
    let values: Vec<Value<'_>> = VALUES
        .iter()
        .map(|text| parse(text, &arena, &symbol).unwrap_or_else(|e| panic!("{text}: {e}")))
        .collect();
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for primitive in registry().iter() {
        for args in arguments(primitive, &values, &arena) {
            let expected = call(primitive.name, &args, &arena);
            for changed in (0..args.len()).filter(|&place| has_planes(args[place], &arena)) {
                let mut args = args.clone();
                args[changed] = as_lists(args[changed], &arena);
                let result = call(primitive.name, &args, &arena);
                compared += usize::from(result.is_ok());
                if result != expected {
                    let args: Vec<_> = args.iter().map(ToString::to_string).collect();
                    wrong.push(format!("{}({}): {expected:?}, {result:?}", primitive.name, args.join(", ")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} calls:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 10_000, "only {compared} calls have a value");
}

fn call<'a>(name: &str, args: &[Value<'a>], arena: &'a Arena) -> Result<Owned, Fail> {
    Cx::new(arena, 100_000, None).call(Value::Prim(symbol(name).unwrap()), args).map(Owned::new)
}

/// Returns whether a set of the value has bit planes.
fn has_planes<'a>(value: Value<'a>, arena: &'a Arena) -> bool {
    let mut members = value.items(arena).into_iter().flatten();
    matches!(value, Value::Patch(_)) || members.any(|member| has_planes(member, arena))
}

/// Returns the value with all its sets as lists, even those that fit in bit planes.
fn as_lists<'a>(value: Value<'a>, arena: &'a Arena) -> Value<'a> {
    let Some(members) = value.items(arena) else { return value };
    let members: Vec<_> = members.map(|member| as_lists(member, arena)).collect();
    let in_arena = arena.gather(members.into_iter());
    if value.is_set() { arena.list_set(in_arena) } else { arena.tuple(in_arena) }.unwrap()
}

/// Eight cells of eight colours, which need fewer words as a list than as bit planes.
const SPARSE: &str = "{(1, (0, 0)), (2, (27, 1)), (3, (9, 7)), (4, (18, 0)), (5, (22, 5)), (6, (4, 6)), (7, (13, 3)), (8, (7, 2))}";

#[test]
fn objects_in_every_form_are_tiled() {
    let arena = Arena::new(Caps::STANDARD);
    let objects = [
        "{(3, (0, 0)), (3, (1, 1)), (5, (2, 0))}",
        "{(2, (1, 1)), (7, (1, 1)), (-1, (2, 3))}",
        "{(4, (-5, 60))}",
        "{(3, (0, 0)), (30, (2, 1)), (True, (1, 0))}",
        "{(2, (0, 0)), (2, (1, 90))}",
        "{(9, (1, 1)), (2, (5, 2000000000)), (3, (-3000000000, 2))}",
        "{(1, (-9223372036854775808, 1)), (2, (9223372036854775807, 0)), (3, (0, 1))}",
        SPARSE,
    ];
    for text in objects {
        let object = parse(text, &arena, &symbol).unwrap();
        for (height, width) in [(1, 1), (3, 5), (28, 8), (30, 30)] {
            let canvas = arena.new_grid(height, width, |_| ()).unwrap();
            for mirrored in [false, true] {
                let name = if mirrored { "mirrortile" } else { "tile" };
                let expected = Owned::new(tiled(object, (height, width), mirrored, &arena));
                for object in [object, as_lists(object, &arena)] {
                    let result = call(name, &[object, canvas], &arena);
                    assert_eq!(result, Ok(expected.clone()), "{name}({text}, {height}×{width})");
                }
            }
        }
    }
    let fails = |object: &str| {
        let args = [object, "[0 0]"].map(|text| parse(text, &arena, &symbol).unwrap());
        call("tile", &args, &arena).unwrap_err()
    };
    assert_eq!(fails("{}"), Fail::Empty);
    for object in
        ["1", "((1, (0, 0)),)", "{(0, 0)}", "{(1, 2), (300, 4)}", "{(300, (0, 0))}", "{1, (1, (0, 0))}"]
    {
        assert_eq!(fails(object), Fail::Kind, "{object}");
    }
}

/// The definition of `tile` and `mirrortile`, cell by cell.
fn tiled<'a>(
    object: Value<'a>,
    (height, width): (usize, usize),
    mirrored: bool,
    arena: &'a Arena,
) -> Value<'a> {
    let int = |value: Value<'_>| i128::from(value.as_int().unwrap());
    let part = |value: Value<'a>, place: usize| value.get(arena, place).unwrap();
    let cell = |cell| (int(part(cell, 0)), int(part(part(cell, 1), 0)), int(part(part(cell, 1), 1)));
    let cells: Vec<_> = object.items(arena).unwrap().map(cell).collect();
    let shown = |at: usize, coordinate: fn(&(i128, i128, i128)) -> i128| {
        let first = cells.iter().map(coordinate).min().unwrap();
        let side = cells.iter().map(coordinate).max().unwrap() - first + 1;
        let (turn, place) = ((at as i128 - first).div_euclid(side), (at as i128 - first).rem_euclid(side));
        first + if mirrored && turn.rem_euclid(2) == 1 { side - 1 - place } else { place }
    };
    let color = |at: usize| {
        let (row, col) = (shown(at / width, |cell| cell.1), shown(at % width, |cell| cell.2));
        let colors = cells.iter().filter(|cell| (cell.1, cell.2) == (row, col)).map(|cell| cell.0 as i8);
        colors.max().unwrap_or(0)
    };
    let colors: Vec<_> = (0..height * width).map(color).collect();
    arena.grid(width, &colors).unwrap()
}
