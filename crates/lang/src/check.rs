//! Infers the types of nodes, and finds arguments that certainly do not fit.
//!
//! Declared types hold for well-typed programs only, and programs need not be well-typed, so an uncertain
//! type is `Any`. Types of nodes contain no variables and are bounded in size.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use batt_dsl::{Infer, Kinds, Primitive, Ty, registry};
use rustc_hash::FxHashSet;

use crate::keyed::{Keyed, KeyedMap};

/// Maximum number of parameters of a primitive.
pub(crate) const MAX_ARITY: usize = 4;

/// The types of a primitive, prepared for the checker.
pub(crate) struct PrimitiveTypes {
    params: Vec<Kinds>,
    /// The type of the result, if it does not depend on the arguments.
    result: Option<Arc<Ty>>,
    /// The type of the primitive as a value.
    pub(crate) func: Arc<Ty>,
}

impl PrimitiveTypes {
    /// Returns whether an argument of type `ty` is certainly of the wrong kind for parameter `index`.
    pub(crate) fn mismatch(&self, index: usize, ty: &Ty) -> bool {
        self.params.get(index).is_some_and(|kinds| kinds.disjoint(ty.kinds()))
    }
}

/// Types that do not depend on programs, created once.
pub(crate) struct TypeTable {
    /// By `Symbol::id`.
    primitives: Vec<PrimitiveTypes>,
    /// All types of the table, without duplicates.
    shared: FxHashSet<Arc<Ty>>,
    pub(crate) any: Arc<Ty>,
    pub(crate) none: Arc<Ty>,
    pub(crate) bool: Arc<Ty>,
    pub(crate) int: Arc<Ty>,
    pub(crate) grid: Arc<Ty>,
    pub(crate) samples: Arc<Ty>,
}

/// Returns the types that do not depend on programs.
pub(crate) fn type_table() -> &'static TypeTable {
    static TYPES: LazyLock<TypeTable> = LazyLock::new(TypeTable::new);
    &TYPES
}

impl TypeTable {
    fn new() -> TypeTable {
        let mut shared = FxHashSet::default();
        let mut share = |ty: Ty| match shared.get(&ty) {
            Some(ty) => Arc::clone(ty),
            None => {
                let ty = Arc::new(ty);
                shared.insert(ty.clone());
                ty
            }
        };
        let primitives = registry().iter().map(|primitive| {
            let fixed = primitive.infer == Infer::Declared && !has_vars(&primitive.result);
            PrimitiveTypes {
                params: primitive.types.iter().map(Ty::kinds).collect(),
                result: fixed.then(|| share(primitive.result.clone())),
                func: share(erase(&Ty::func(primitive.types.clone(), primitive.result.clone()))),
            }
        });
        let primitives = primitives.collect();
        let [any, none, bool, int, grid, samples] =
            [Ty::Any, Ty::None, Ty::Bool, Ty::Int, Ty::Grid, Ty::Samples].map(share);
        TypeTable { primitives, shared, any, none, bool, int, grid, samples }
    }

    pub(crate) fn of(&self, primitive: &Primitive) -> &PrimitiveTypes {
        &self.primitives[primitive.symbol.id as usize]
    }
}

/// Infers the types of nodes. Equal types share memory, and the results of calls are cached by the types of
/// arguments.
///
/// PERF: inferring the same few types repeatedly took a fifth of the parsing time.
#[derive(Default)]
pub(crate) struct Checker {
    shared: HashSet<Arc<Ty>, Keyed>,
    /// By primitive and addresses of the argument types. Types are never dropped, so their addresses are
    /// unique.
    calls: KeyedMap<(u16, [usize; MAX_ARITY]), Arc<Ty>>,
}

impl Checker {
    /// Returns the number of cached calls.
    pub(crate) fn n_cached(&self) -> usize {
        self.calls.len()
    }

    /// Returns the result type of a call.
    pub(crate) fn call(&mut self, primitive: &Primitive, args: &[&Arc<Ty>]) -> Arc<Ty> {
        let types = type_table().of(primitive);
        // After a wrong argument nothing is certain.
        if args.iter().enumerate().any(|(index, ty)| types.mismatch(index, ty)) {
            return type_table().any.clone();
        }
        if let Some(result) = &types.result {
            return result.clone();
        }
        let mut addresses = [0; MAX_ARITY];
        args.iter().zip(&mut addresses).for_each(|(ty, address)| *address = Arc::as_ptr(ty).addr());
        let key = (primitive.symbol.id, addresses);
        if let Some(result) = self.calls.get(&key) {
            return result.clone();
        }
        let result = self.share(infer(primitive, args));
        self.calls.insert(key, result.clone());
        result
    }

    /// Returns the result type of a call of a function value.
    pub(crate) fn apply(&mut self, callee: &Ty, n_args: usize) -> Arc<Ty> {
        match callee {
            Ty::Func(params, result) if params.len() == n_args => self.share((**result).clone()),
            _ => type_table().any.clone(),
        }
    }

    pub(crate) fn tuple(&mut self, members: &[&Ty]) -> Arc<Ty> {
        let ty = match members {
            [a, b] if is_int(a) && is_int(b) => Ty::Pair,
            [a, Ty::Pair] if is_int(a) => Ty::Cell,
            [] => Ty::tuple(Ty::Any),
            [first, rest @ ..] => {
                let member = rest.iter().fold((*first).clone(), |all, ty| join(&all, ty));
                bounded(Ty::tuple(member))
            }
        };
        self.share(ty)
    }

    fn share(&mut self, ty: Ty) -> Arc<Ty> {
        if let Some(ty) = type_table().shared.get(&ty).or_else(|| self.shared.get(&ty)) {
            return ty.clone();
        }
        let ty = Arc::new(ty);
        self.shared.insert(ty.clone());
        ty
    }
}

fn infer(primitive: &Primitive, args: &[&Arc<Ty>]) -> Ty {
    match (primitive.infer, args.first().map(|first| &***first)) {
        (Infer::SameAsFirst, Some(first)) => return first.clone(),
        (Infer::BindFirst, Some(Ty::Func(params, result))) => {
            if let [_, rest @ ..] = &params[..]
                && (1..=3).contains(&rest.len())
            {
                return Ty::func(rest.to_vec(), (**result).clone());
            }
        }
        (Infer::BindLast, Some(Ty::Func(params, result))) => {
            if let [rest @ .., _] = &params[..]
                && (1..=3).contains(&rest.len())
            {
                return Ty::func(rest.to_vec(), (**result).clone());
            }
        }
        _ => {}
    }
    let mut bindings = Bindings::default();
    for (declared, actual) in primitive.types.iter().zip(args) {
        bindings.unify(declared, actual, Side::Result);
    }
    bounded(bindings.substitute(&primitive.result))
}

/// The side of a function type on which a variable occurs. Bindings from results win: the type that a
/// function accepts says less about its actual arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Result,
    Param,
}

/// The types that variables are bound to.
#[derive(Default)]
struct Bindings {
    results: Vec<(char, Ty)>,
    params: Vec<(char, Ty)>,
}

impl Bindings {
    fn unify(&mut self, declared: &Ty, actual: &Ty, side: Side) {
        match declared {
            Ty::Var(letter) => self.bind(*letter, actual, side),
            Ty::Tuple(of) | Ty::Set(of) | Ty::Container(of) => self.unify(of, actual.member(), side),
            Ty::Func(params, result) => {
                let other = if side == Side::Result { Side::Param } else { Side::Result };
                match actual {
                    Ty::Func(actual_params, actual_result) if actual_params.len() == params.len() => {
                        for (param, actual) in params.iter().zip(actual_params) {
                            self.unify(param, actual, other);
                        }
                        self.unify(result, actual_result, side);
                    }
                    _ => self.unify(result, &Ty::Any, side),
                }
            }
            _ => {}
        }
    }

    fn bind(&mut self, letter: char, ty: &Ty, side: Side) {
        let list = if side == Side::Result { &mut self.results } else { &mut self.params };
        match list.iter_mut().find(|(bound, _)| *bound == letter) {
            Some((_, bound)) => *bound = join(bound, ty),
            None => list.push((letter, ty.clone())),
        }
    }

    fn get(&self, letter: char) -> Ty {
        let bound = self.results.iter().chain(&self.params).find(|(bound, _)| *bound == letter);
        bound.map_or(Ty::Any, |(_, ty)| ty.clone())
    }

    fn substitute(&self, ty: &Ty) -> Ty {
        map_vars(ty, &|letter| self.get(letter))
    }
}

/// Returns a type that admits all values of both types.
fn join(a: &Ty, b: &Ty) -> Ty {
    if a == b {
        return a.clone();
    }
    if is_int(a) && is_int(b) {
        return Ty::Int;
    }
    if is_num(a) && is_num(b) {
        return Ty::Num;
    }
    if is_patch(a) && is_patch(b) {
        return Ty::Patch;
    }
    if is_piece(a) && is_piece(b) {
        let element = |ty: &Ty| matches!(ty, Ty::Grid | Ty::Object | Ty::Element);
        return if element(a) && element(b) { Ty::Element } else { Ty::Piece };
    }
    let both_only = |kinds: &[Kinds]| only(a, kinds) && only(b, kinds);
    let member = || join(a.member(), b.member());
    if both_only(&[Kinds::TUPLE]) {
        bounded(Ty::tuple(member()))
    } else if both_only(&[Kinds::SET]) {
        bounded(Ty::set(member()))
    } else if both_only(&[Kinds::TUPLE, Kinds::SET]) {
        bounded(Ty::container(member()))
    } else {
        Ty::Any
    }
}

/// Returns whether all values of the type are of these kinds.
fn only(ty: &Ty, kinds: &[Kinds]) -> bool {
    let all = [Kinds::NONE, Kinds::INT, Kinds::TUPLE, Kinds::SET, Kinds::FUNC];
    all.iter().all(|kind| kinds.contains(kind) || kind.disjoint(ty.kinds()))
}

pub(crate) fn is_int(ty: &Ty) -> bool {
    matches!(ty, Ty::Bool | Ty::Int | Ty::Color | Ty::Rank | Ty::Choice4 | Ty::Choice8)
}

pub(crate) fn is_num(ty: &Ty) -> bool {
    is_int(ty) || matches!(ty, Ty::Pair | Ty::Num)
}

pub(crate) fn is_patch(ty: &Ty) -> bool {
    matches!(ty, Ty::Indices | Ty::Object | Ty::Patch)
}

pub(crate) fn is_piece(ty: &Ty) -> bool {
    is_patch(ty) || matches!(ty, Ty::Grid | Ty::Element | Ty::Piece)
}

fn has_vars(ty: &Ty) -> bool {
    match ty {
        Ty::Var(_) => true,
        Ty::Tuple(of) | Ty::Set(of) | Ty::Container(of) => has_vars(of),
        Ty::Func(params, result) => has_vars(result) || params.iter().any(has_vars),
        _ => false,
    }
}

/// Replaces variables by `Any`, because they have no meaning outside their function.
fn erase(ty: &Ty) -> Ty {
    map_vars(ty, &|_| Ty::Any)
}

fn map_vars(ty: &Ty, var: &dyn Fn(char) -> Ty) -> Ty {
    match ty {
        Ty::Var(letter) => var(*letter),
        Ty::Tuple(of) => Ty::tuple(map_vars(of, var)),
        Ty::Set(of) => Ty::set(map_vars(of, var)),
        Ty::Container(of) => Ty::container(map_vars(of, var)),
        Ty::Func(params, result) => {
            Ty::func(params.iter().map(|param| map_vars(param, var)).collect(), map_vars(result, var))
        }
        plain => plain.clone(),
    }
}

/// Maximum size of a type. Types grow with the program, and larger ones are of no use.
const MAX_SIZE: usize = 32;

/// Returns the type, simplified if it is too large.
fn bounded(ty: Ty) -> Ty {
    match ty {
        ty if size(&ty) <= MAX_SIZE => ty,
        Ty::Tuple(_) => Ty::tuple(Ty::Any),
        Ty::Set(_) => Ty::set(Ty::Any),
        Ty::Container(_) => Ty::container(Ty::Any),
        Ty::Func(params, _) => Ty::func(vec![Ty::Any; params.len()], Ty::Any),
        _ => Ty::Any,
    }
}

fn size(ty: &Ty) -> usize {
    match ty {
        Ty::Tuple(of) | Ty::Set(of) | Ty::Container(of) => 1 + size(of),
        Ty::Func(params, result) => 1 + size(result) + params.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}
