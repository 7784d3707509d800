//! A primitive that is not declared order-sensitive has the same result in both orders of iterating over
//! sets. This holds for arguments of the declared types only: a set in place of a tuple shows its order in
//! any primitive.

mod common;

use batt_dsl::{Cx, registry, symbol};
use batt_value::{Arena, Caps, Fail, Value, order, parse};

use common::arguments;

/// Arguments of all kinds, with many sets. The functions among them do not depend on the order of sets.
const VALUES: &[&str] = &[
    "0",
    "1",
    "2",
    "-3",
    "True",
    "None",
    "()",
    "{}",
    "(1, 2)",
    "(0, 0)",
    "(3, -1)",
    "{1}",
    "{3, 1, 2}",
    "{(0, 0), (0, 1), (2, 1)}",
    "{(1, 3), (4, 0), (2, 2), (0, 5)}",
    "{(3, (0, 0)), (3, (1, 1)), (5, (2, 0))}",
    "{(1, (4, 4)), (2, (3, 4)), (1, (4, 5))}",
    "{{(1, (0, 0))}, {(2, (1, 1)), (2, (1, 2))}, {(3, (5, 5))}}",
    "{{(0, 0), (1, 0)}, {(7, 7)}}",
    "({1, 2}, {2, 5, 7})",
    "((1, 2), (3, 4))",
    "(5, 3, 3, 9)",
    "[0 1 2 | 3 4 5]",
    "[0 0 3 | 0 3 0 | 3 0 5]",
    "[7]",
    "{[1 2], [3 4], [5]}",
    "identity",
    "increment",
    "size",
    "even",
    "positive",
    "height",
    "width",
    "add",
    "hmirror",
    "{(1, 2), (2, 1), (3, 3)}",
];

#[test]
fn undeclared_primitives_do_not_depend_on_set_order() {
    let arena = Arena::new(Caps::STANDARD);
    let values: Vec<Value<'_>> = VALUES
        .iter()
        .map(|text| parse(text, &arena, &symbol).unwrap_or_else(|e| panic!("{text}: {e}")))
        .collect();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for primitive in registry().iter().filter(|primitive| !primitive.order_sensitive) {
        let function = Value::Prim(symbol(primitive.name).unwrap());
        for args in arguments(primitive, &values, &arena) {
            let call = |descending: bool| -> Result<Value<'_>, Fail> {
                let cx = Cx::new(&arena, 100_000, None);
                if descending { cx.descending() } else { cx }.call(function, &args)
            };
            match (call(false), call(true)) {
                (Ok(one), Ok(other)) if order::identical(one, other) => compared += 1,
                (Err(_), Err(_)) => {}
                (one, other) => {
                    let args: Vec<_> = args.iter().map(ToString::to_string).collect();
                    wrong.push(format!("{}({}): {one:?}, {other:?}", primitive.name, args.join(", ")));
                    break;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} primitives:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 10_000, "only {compared} calls have a value");
}
