//! A primitive that is not declared order-sensitive has the same result in both orders of iterating over
//! sets. This holds for arguments of the declared types only: a set in place of a tuple shows its order in
//! any primitive.

use batt_dsl::{Cx, Ty, registry, symbol};
use batt_value::{Arena, Caps, Fail, Kind, Value, order, parse};

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
        let fit = |ty: &Ty| values.iter().copied().filter(|value| fits(ty, *value, &arena)).collect();
        let fitting: Vec<Vec<Value<'_>>> = primitive.types.iter().map(fit).collect();
        for args in arguments(&fitting) {
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

/// Iterates over argument lists with one of `values[i]` at position i; if there are many, over a few thousand
/// of them.
fn arguments<'a>(values: &[Vec<Value<'a>>]) -> impl Iterator<Item = Vec<Value<'a>>> {
    let all: usize = values.iter().map(Vec::len).product();
    let pick = |k: &mut usize, values: &Vec<Value<'a>>| {
        let value = values[*k % values.len()];
        *k /= values.len();
        value
    };
    let list = move |mut k: usize| values.iter().map(|values| pick(&mut k, values)).collect();
    (0..all).step_by((all / 4000).max(1) | 1).map(list)
}

/// Returns whether a value is of a type.
fn fits<'a>(ty: &Ty, value: Value<'a>, arena: &'a Arena) -> bool {
    let items = || value.items(arena).into_iter().flatten();
    let int = || matches!(value.kind(), Kind::Int | Kind::Bool);
    let set = |of: &Ty| value.kind() == Kind::Set && items().all(|item| fits(of, item, arena));
    let tuple = |of: &Ty| value.kind() == Kind::Tuple && items().all(|item| fits(of, item, arena));
    let any = |of: &[Ty]| of.iter().any(|ty| fits(ty, value, arena));
    match ty {
        Ty::Any | Ty::Var(_) => true,
        Ty::None => value.kind() == Kind::None,
        Ty::Bool => value.kind() == Kind::Bool,
        Ty::Int | Ty::Color | Ty::Rank | Ty::Choice4 | Ty::Choice8 => int(),
        Ty::Pair => tuple(&Ty::Int) && items().count() == 2,
        Ty::Num => any(&[Ty::Int, Ty::Pair]),
        Ty::Grid => matches!(value, Value::Grid(_)),
        Ty::Cell => {
            let parts: Vec<_> = items().collect();
            matches!(parts[..], [color, place] if fits(&Ty::Int, color, arena) && fits(&Ty::Pair, place, arena))
        }
        Ty::Indices => set(&Ty::Pair),
        Ty::Object => set(&Ty::Cell),
        Ty::Patch => any(&[Ty::Indices, Ty::Object]),
        Ty::Element => any(&[Ty::Object, Ty::Grid]),
        Ty::Piece => any(&[Ty::Indices, Ty::Object, Ty::Grid]),
        Ty::Samples => false,
        Ty::Tuple(of) => tuple(of),
        Ty::Set(of) => set(of),
        Ty::Container(of) => set(of) || tuple(of),
        Ty::Func(..) => value.kind() == Kind::Func,
    }
}
