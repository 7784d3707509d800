//! Tables for mutations: which primitives may replace each other, which may be called on a value, and which
//! constants belong together. All of them are derived from the declarations of primitives and constants.

use std::sync::LazyLock;

use batt_dsl::{Constant, ConstantFamily, ConstantValue, Primitive, Ty, constants, registry};
use batt_lang::Literal;
use batt_value::Symbol;
use rustc_hash::FxHashMap;

use super::fits::fits;

/// The tables. They are built once in a process.
pub(crate) struct Material {
    /// For each `Symbol::id`, the primitives with as many arguments, whose types and result fit.
    alternatives: Vec<Vec<&'static Symbol>>,
    /// The primitives that may be added anywhere: all except learners.
    common: Vec<&'static Primitive>,
    /// For each function type that a primitive takes, the common primitives that may be passed.
    functions: FxHashMap<&'static Ty, Vec<&'static Symbol>>,
    /// The constants by the expected type.
    constants: Vec<(Ty, Vec<&'static Constant>)>,
    families: Vec<(ConstantFamily, Vec<&'static Constant>)>,
}

/// Returns the tables.
pub(crate) fn material() -> &'static Material {
    static MATERIAL: LazyLock<Material> = LazyLock::new(Material::new);
    &MATERIAL
}

impl Material {
    fn new() -> Material {
        let alternatives = registry().iter().map(|a| {
            let others = registry().iter().filter(|b| a.symbol.id != b.symbol.id && replaces(a, b));
            others.map(|b| &b.symbol).collect()
        });
        let common: Vec<_> = registry().iter().filter(|primitive| !is_learner(primitive)).collect();
        let taken = registry().iter().flat_map(|primitive| &primitive.types);
        let functions = taken.filter_map(|need| Some((need, functions(&common, need)?))).collect();
        Material {
            alternatives: alternatives.collect(),
            common,
            functions,
            constants: constants_by_type(),
            families: families(),
        }
    }

    /// Returns the primitives that may be called or passed instead of another.
    pub(crate) fn alternatives(&self, symbol: &Symbol) -> &[&'static Symbol] {
        &self.alternatives[usize::from(symbol.id)]
    }

    /// Returns the primitives that can be called on a value of this type and whose result fits in its place,
    /// each with the position of the argument.
    pub(crate) fn wrappers(&self, ty: &Ty) -> Vec<(&'static Symbol, usize)> {
        let gives =
            |primitive: &&&'static Primitive| is_specific(&primitive.result) && fits(ty, &primitive.result);
        let places = |primitive: &&'static Primitive| {
            let (types, symbol) = (primitive.types.iter(), &primitive.symbol);
            let taken = types.enumerate().filter(|(_, need)| is_specific(need) && fits(need, ty));
            taken.map(move |(place, _)| (symbol, place))
        };
        self.common.iter().filter(gives).flat_map(places).collect()
    }

    /// Returns the primitives that may be passed where a primitive takes a function of this type.
    pub(crate) fn functions(&self, need: &Ty) -> &[&'static Symbol] {
        self.functions.get(need).map_or(&[], |functions| functions)
    }
}

/// Returns the primitives that may be passed where this type is expected, or `None` if it is not a function
/// type.
fn functions(common: &[&'static Primitive], need: &Ty) -> Option<Vec<&'static Symbol>> {
    let Ty::Func(params, result) = need else { return None };
    let fit = |primitive: &&&'static Primitive| {
        primitive.types.len() == params.len()
            && fits(result, &primitive.result)
            && primitive.types.iter().zip(params).all(|(takes, given)| fits(takes, given))
    };
    Some(common.iter().filter(fit).map(|primitive| &primitive.symbol).collect())
}

/// Returns whether a primitive is a learner. Learners cost about a thousand times as much as other
/// primitives, so they only replace learners.
fn is_learner(primitive: &Primitive) -> bool {
    primitive.family.name == "learn"
}

/// Returns whether the type restricts its values.
fn is_specific(ty: &Ty) -> bool {
    !matches!(ty, Ty::Any | Ty::Var(_))
}

/// Returns whether two primitives may replace each other.
fn replaces(a: &Primitive, b: &Primitive) -> bool {
    let either = |a: &Ty, b: &Ty| fits(a, b) || fits(b, a);
    a.types.len() == b.types.len()
        && is_learner(a) == is_learner(b)
        && either(&a.result, &b.result)
        && a.types.iter().zip(&b.types).all(|(a, b)| either(a, b))
}

/// Returns, for each type with constants of its own, the named constants that may be used where it is
/// expected.
fn constants_by_type() -> Vec<(Ty, Vec<&'static Constant>)> {
    let family = |family: ConstantFamily| constants().iter().filter(move |it| it.family == family);
    let small = || family(ConstantFamily::Int).filter(|it| matches!(it.value, ConstantValue::Int(-2..=10)));
    let below = |limit: i64| {
        family(ConstantFamily::Angle)
            .filter(move |it| matches!(it.value, ConstantValue::Int(int) if int < limit))
    };
    vec![
        (Ty::Bool, family(ConstantFamily::Bool).collect()),
        (Ty::Color, family(ConstantFamily::Color).collect()),
        (Ty::Rank, family(ConstantFamily::Rank).collect()),
        (Ty::Choice4, below(4).collect()),
        (Ty::Choice8, below(8).collect()),
        (Ty::Int, small().collect()),
        (Ty::Pair, family(ConstantFamily::Pair).collect()),
        (Ty::Num, small().chain(family(ConstantFamily::Pair)).collect()),
    ]
}

/// Returns all named constants by their family.
fn families() -> Vec<(ConstantFamily, Vec<&'static Constant>)> {
    let mut families: Vec<(ConstantFamily, Vec<&Constant>)> = Vec::new();
    for constant in constants() {
        match families.iter_mut().find(|(family, _)| *family == constant.family) {
            Some((_, members)) => members.push(constant),
            None => families.push((constant.family, vec![constant])),
        }
    }
    families
}

/// Returns the named constants that may be used where this type is expected; empty if it has none of its own.
pub(crate) fn constants_of(need: &Ty) -> &'static [&'static Constant] {
    let found = material().constants.iter().find(|(ty, _)| ty == need);
    found.map_or(&[], |(_, constants)| constants)
}

fn constants_in(family: ConstantFamily) -> &'static [&'static Constant] {
    let found = material().families.iter().find(|(it, _)| *it == family);
    found.map_or(&[], |(_, constants)| constants)
}

/// Returns the constants that may replace a constant: by the expected type, if it is more specific than a
/// number, else by the family of the name it was written with, else by its value.
pub(crate) fn family_of(
    spelled: Option<&'static Constant>,
    need: &Ty,
    literal: &Literal,
) -> &'static [&'static Constant] {
    // A colour may be written as any number, so the expected type comes first.
    if !matches!(need, Ty::Int | Ty::Num) {
        let wanted = constants_of(need);
        if !wanted.is_empty() {
            return wanted;
        }
    }
    match (spelled.map(|constant| constant.family), literal) {
        (Some(ConstantFamily::Int), _) | (None, Literal::Int(_)) => constants_of(&Ty::Int),
        (Some(family), _) => constants_in(family),
        (None, Literal::Bool(_)) => constants_of(&Ty::Bool),
        (None, Literal::Tuple(items)) if items.len() == 2 => constants_of(&Ty::Pair),
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(symbols: &[&'static Symbol]) -> Vec<&'static str> {
        symbols.iter().map(|symbol| symbol.name).collect()
    }

    #[test]
    fn grid_transforms_may_replace_each_other() {
        let symbol = batt_dsl::symbol("rot90").unwrap();
        let others = names(material().alternatives(symbol));
        assert!(["rot180", "hmirror", "trim"].iter().all(|name| others.contains(name)), "{others:?}");
        assert!(!others.contains(&"objects") && !others.contains(&"size"), "{others:?}");
    }

    #[test]
    fn constants_are_replaced_within_their_family() {
        let red = batt_dsl::constant("RED");
        let colors = family_of(red, &Ty::Any, &Literal::Int(2));
        assert!(colors.iter().all(|it| it.family == ConstantFamily::Color) && colors.len() == 10);
        assert!(
            family_of(None, &Ty::Rank, &Literal::Int(2)).iter().all(|it| it.family == ConstantFamily::Rank)
        );
    }
}
