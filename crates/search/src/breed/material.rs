//! What mutations are made of: which primitives may stand for each other, which may be put around a value, and which
//! constants belong together. All of it is read off the declarations.

use std::sync::LazyLock;

use batt_dsl::{Constant, ConstantFamily, ConstantValue, Primitive, Ty, constants, registry};
use batt_lang::Literal;
use batt_value::Symbol;
use rustc_hash::FxHashMap;

use super::fits::fits;

/// The tables of this process.
pub(crate) struct Material {
    /// By `Symbol::id`: the primitives that take as many arguments, of types that fit, and give something that fits.
    alternatives: Vec<Vec<&'static Symbol>>,
    /// Primitives that may be put into a program that has none like it.
    common: Vec<&'static Primitive>,
    /// For each type of function that a primitive takes: the common primitives that may be handed over.
    functions: FxHashMap<&'static Ty, Vec<&'static Symbol>>,
    /// By the type that is wanted.
    constants: Vec<(Ty, Vec<&'static Constant>)>,
    families: Vec<(ConstantFamily, Vec<&'static Constant>)>,
}

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

    /// The primitives that may be called, or handed over, instead of another.
    pub(crate) fn alternatives(&self, symbol: &Symbol) -> &[&'static Symbol] {
        &self.alternatives[usize::from(symbol.id)]
    }

    /// The primitives that take something of this type at some place and give something that fits where it stood.
    pub(crate) fn around(&self, ty: &Ty) -> Vec<(&'static Symbol, usize)> {
        let gives =
            |primitive: &&&'static Primitive| specific(&primitive.result) && fits(ty, &primitive.result);
        let places = |primitive: &&'static Primitive| {
            let (types, symbol) = (primitive.types.iter(), &primitive.symbol);
            let taken = types.enumerate().filter(|(_, need)| specific(need) && fits(need, ty));
            taken.map(move |(place, _)| (symbol, place))
        };
        self.common.iter().filter(gives).flat_map(places).collect()
    }

    /// The primitives that may be handed over where a primitive takes a function of this type.
    pub(crate) fn functions(&self, need: &Ty) -> &[&'static Symbol] {
        self.functions.get(need).map_or(&[], |functions| functions)
    }
}

/// The primitives that may be handed over where this type is wanted; `None` if it is no function.
fn functions(common: &[&'static Primitive], need: &Ty) -> Option<Vec<&'static Symbol>> {
    let Ty::Func(params, result) = need else { return None };
    let suits = |primitive: &&&'static Primitive| {
        primitive.types.len() == params.len()
            && fits(result, &primitive.result)
            && primitive.types.iter().zip(params).all(|(takes, given)| fits(takes, given))
    };
    Some(common.iter().filter(suits).map(|primitive| &primitive.symbol).collect())
}

/// A learner costs a thousand times what others do, so it only takes the place of a learner.
fn is_learner(primitive: &Primitive) -> bool {
    primitive.family.name == "learn"
}

/// Whether the type says anything.
fn specific(ty: &Ty) -> bool {
    !matches!(ty, Ty::Any | Ty::Var(_))
}

fn replaces(a: &Primitive, b: &Primitive) -> bool {
    let either = |a: &Ty, b: &Ty| fits(a, b) || fits(b, a);
    a.types.len() == b.types.len()
        && is_learner(a) == is_learner(b)
        && either(&a.result, &b.result)
        && a.types.iter().zip(&b.types).all(|(a, b)| either(a, b))
}

/// For each type that says something of constants: the named ones that may stand where it is wanted.
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

/// All named constants, each with its family.
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

/// The named constants that may stand where this type is wanted; none if the type says nothing of constants.
pub(crate) fn constants_of(need: &Ty) -> &'static [&'static Constant] {
    let found = material().constants.iter().find(|(ty, _)| ty == need);
    found.map_or(&[], |(_, constants)| constants)
}

fn constants_in(family: ConstantFamily) -> &'static [&'static Constant] {
    let found = material().families.iter().find(|(it, _)| *it == family);
    found.map_or(&[], |(_, constants)| constants)
}

/// The constants of the family that a constant belongs to: by the name it was written with if there is one, else by
/// what is wanted in its place, else by its value.
pub(crate) fn family_of(
    spelled: Option<&'static Constant>,
    need: &Ty,
    literal: &Literal,
) -> &'static [&'static Constant] {
    // A colour by any other name is a colour.
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
    fn what_turns_a_grid_may_stand_for_each_other() {
        let symbol = batt_dsl::symbol("rot90").unwrap();
        let others = names(material().alternatives(symbol));
        assert!(["rot180", "hmirror", "trim"].iter().all(|name| others.contains(name)), "{others:?}");
        assert!(!others.contains(&"objects") && !others.contains(&"size"), "{others:?}");
    }

    #[test]
    fn constants_stay_in_their_family() {
        let red = batt_dsl::constant("RED");
        let colors = family_of(red, &Ty::Any, &Literal::Int(2));
        assert!(colors.iter().all(|it| it.family == ConstantFamily::Color) && colors.len() == 10);
        assert!(
            family_of(None, &Ty::Rank, &Literal::Int(2)).iter().all(|it| it.family == ConstantFamily::Rank)
        );
    }
}
