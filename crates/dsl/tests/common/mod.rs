//! Arguments of the declared types, for tests of all primitives.

use batt_dsl::{Primitive, Ty};
use batt_value::{Arena, Kind, Value};

/// Returns lists of arguments for a primitive, made of those `values` that have the declared types; if there
/// are many, a few thousand of them.
pub(crate) fn arguments<'a>(
    primitive: &Primitive,
    values: &[Value<'a>],
    arena: &'a Arena,
) -> impl Iterator<Item = Vec<Value<'a>>> {
    let fit = |ty: &Ty| values.iter().copied().filter(|value| fits(ty, *value, arena)).collect();
    let fitting: Vec<Vec<Value<'a>>> = primitive.types.iter().map(fit).collect();
    let all: usize = fitting.iter().map(Vec::len).product();
    let pick = |k: &mut usize, values: &Vec<Value<'a>>| {
        let value = values[*k % values.len()];
        *k /= values.len();
        value
    };
    let list = move |mut k: usize| fitting.iter().map(|values| pick(&mut k, values)).collect();
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
