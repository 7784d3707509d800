//! Calls functions on whole columns of arguments instead of one argument at a time.
//!
//! A column is an attempt: if one of its calls fails, or there is not enough fuel for all, there is no result
//! and no fuel is spent. The caller then calls the function on one member at a time, to find the first
//! failure. A column that succeeds costs as much fuel as its calls one by one.

use std::cmp::Ordering;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use batt_dsl::{Cx, Kernel};
use batt_value::{Arena, Closure, Column, Fail, Op, Pair, Symbol, Value, order};

use super::{patch, scalar};

/// Shorter columns are not worth their buffers; longer ones do not stay in the caches.
const LENGTHS: RangeInclusive<usize> = 2..=4096;

/// Columns stay in the arena as long as the values. Above this size of the arena no more are made.
const MAX_BYTES: usize = 16 << 20;

/// The maximum number of calls of all functions of a column on all members of a container.
const MAX_CROSS_CALLS: usize = 1 << 15;

use Column::{Bools, Funcs, Ints, Pairs, Repeated, Same, Tiled, Values, Zipped};

/// Returns the members of a container as a column, if that is worthwhile.
pub(super) fn members<'a>(cx: &mut Cx<'a>, container: Value<'a>) -> Option<Column<'a>> {
    if !LENGTHS.contains(&container.len()?) || cx.arena.bytes() > MAX_BYTES {
        return None;
    }
    let key = members_key(container);
    if let Some(column) = key.and_then(|key| cx.stored_column(key)) {
        return Some(column);
    }
    let column = Column::of(cx.arena, container)?;
    // For other containers the column is cheap to make.
    if let (Value::Patch(_), Some(key)) = (container, key) {
        cx.store_column(key, column);
    }
    Some(column)
}

/// Returns the cache key for the members of a set.
fn members_key(container: Value<'_>) -> Option<[usize; 3]> {
    match container {
        Value::Patch(patch) => Some([0, std::ptr::from_ref(patch).addr(), patch.count()]),
        Value::Set(set) => Some([0, std::ptr::from_ref(set).addr(), set.items().len()]),
        _ => None,
    }
}

/// Caches the members of the product of two sets as a column of repeated parts, so that a function of one
/// part is called once for each of its values.
pub(super) fn remember_product<'a>(
    cx: &mut Cx<'a>,
    product: Value<'a>,
    a: Value<'a>,
    b: Value<'a>,
) -> Option<()> {
    let (n, m) = (a.len()?, b.len()?);
    if LENGTHS.contains(&(n * m)) {
        let (a, b) = (Column::of(cx.arena, a)?, Column::of(cx.arena, b)?);
        let column = Column::zipped(cx.arena, a.repeated(cx.arena, m), b.tiled(cx.arena, m));
        cx.store_column(members_key(product)?, column);
    }
    Some(())
}

/// Calls a function on every member of a container.
pub(super) fn call_members<'a>(
    cx: &mut Cx<'a>,
    function: Value<'a>,
    container: Value<'a>,
) -> Option<Column<'a>> {
    let column = members(cx, container)?;
    let n = container.len()?;
    cx.attempt(|cx| column1(cx, &Same(function), &column, n))
}

/// Calls a function on every member of a container and charges for collecting the results. Spends fuel even
/// without a result.
pub(super) fn collect_members<'a>(
    cx: &mut Cx<'a>,
    function: Value<'a>,
    container: Value<'a>,
) -> Option<Column<'a>> {
    let column = members(cx, container)?;
    collect1(cx, &Same(function), &column, container.len()?)
}

/// Calls functions on a column and charges for collecting the results. Spends fuel even without a result.
pub(super) fn collect1<'a>(
    cx: &mut Cx<'a>,
    functions: &Column<'a>,
    column: &Column<'a>,
    n: usize,
) -> Option<Column<'a>> {
    let results = column1(cx, functions, column, n)?;
    cx.spend(results.weight(n))?;
    Some(results)
}

/// Calls a function of two arguments on two columns and charges for collecting the results.
pub(super) fn collect2<'a>(
    cx: &mut Cx<'a>,
    function: Value<'a>,
    a: &Column<'a>,
    b: &Column<'a>,
    n: usize,
) -> Option<&'a [Value<'a>]> {
    cx.attempt(|cx| {
        let results = column2(cx, &Same(function), a, b, n)?;
        cx.spend(results.weight(n))?;
        results.values(cx.arena, n)
    })
}

/// Calls a column of functions of one argument on a column.
fn column1<'a>(cx: &mut Cx<'a>, functions: &Column<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    match (functions, x) {
        (Same(function), Same(x)) => call_once(cx, n, |cx| cx.call1(*function, *x).map(Same).ok()),
        (Same(_), Tiled(x, m)) => {
            let results = call_once(cx, n / m, |cx| column1(cx, functions, x, *m))?;
            Some(results.tiled(cx.arena, *m))
        }
        (Same(_), Repeated(x, times)) => {
            let results = call_once(cx, *times, |cx| column1(cx, functions, x, n / times))?;
            Some(results.repeated(cx.arena, *times))
        }
        (Same(Value::Prim(symbol)), _) => primitive1(cx, symbol, x, n),
        (Same(Value::Func(closure)), _) if closure.arity == 1 => match *closure.captured {
            // A single call is faster than a lookup in the cache.
            [a @ Value::Prim(_), b] if closure.op != Op::Compose => {
                call_combinator(cx, closure.op, &[Same(a), Same(b)], x, n)
            }
            [a, b] => call_cached(cx, closure, x, n, &[Same(a), Same(b)]),
            [a, b, c] => call_cached(cx, closure, x, n, &[Same(a), Same(b), Same(c)]),
            _ => None,
        },
        (Funcs(op, captured), _) if functions.arity() == Some(1) => call_combinator(cx, *op, captured, x, n),
        _ => {
            let (functions, x) = (functions.list(cx.arena, n)?, x.list(cx.arena, n)?);
            collect_each(cx.arena, n, |index| cx.call1(functions.at(index), x.at(index)).ok())
        }
    }
}

/// Calls a column of functions of two arguments on two columns.
fn column2<'a>(
    cx: &mut Cx<'a>,
    functions: &Column<'a>,
    a: &Column<'a>,
    b: &Column<'a>,
    n: usize,
) -> Option<Column<'a>> {
    match (functions, a, b) {
        (Same(function), Same(a), Same(b)) => {
            call_once(cx, n, |cx| cx.call2(*function, *a, *b).map(Same).ok())
        }
        // `astuple` does not need its arguments flattened.
        (Same(Value::Prim(symbol)), Tiled(..) | Repeated(..), _)
        | (Same(Value::Prim(symbol)), _, Tiled(..) | Repeated(..))
            if symbol.name != "astuple" =>
        {
            primitive2(cx, symbol, &a.flatten(cx.arena, n), &b.flatten(cx.arena, n), n)
        }
        (Same(Value::Prim(symbol)), _, _) => primitive2(cx, symbol, a, b, n),
        (
            Same(Value::Func(Closure {
                op: Op::Lbind,
                arity: 2,
                captured: [Value::Prim(symbol), fixed],
                ..
            })),
            _,
            _,
        ) if let Some(op) = combinator_of(symbol) => {
            cx.enter_many(n)?;
            cx.leave();
            make_closures(cx, op, [Same(*fixed), *a, *b], n)
        }
        _ => {
            let (a, b) = (a.list(cx.arena, n)?, b.list(cx.arena, n)?);
            let functions = functions.list(cx.arena, n)?;
            collect_each(cx.arena, n, |index| cx.call2(functions.at(index), a.at(index), b.at(index)).ok())
        }
    }
}

/// Calls a closure on a column, or returns the cached results if it was called on this column before.
fn call_cached<'a>(
    cx: &mut Cx<'a>,
    closure: &'a Closure<'a>,
    x: &Column<'a>,
    n: usize,
    captured: &[Column<'a>],
) -> Option<Column<'a>> {
    let key = [std::ptr::from_ref(closure).addr(), x.address(), n];
    cx.cached_column(key, |cx| call_combinator(cx, closure.op, captured, x, n))
}

fn call_combinator<'a>(
    cx: &mut Cx<'a>,
    op: Op,
    captured: &[Column<'a>],
    x: &Column<'a>,
    n: usize,
) -> Option<Column<'a>> {
    cx.enter_many(n)?;
    let results = match (op, captured) {
        (Op::Compose, [outer, inner]) => {
            let x = column1(cx, inner, x, n)?;
            column1(cx, outer, &x, n)?
        }
        (Op::Chain, [h, g, f]) => {
            let x = column1(cx, f, x, n)?;
            let x = column1(cx, g, &x, n)?;
            column1(cx, h, &x, n)?
        }
        (Op::Fork, [outer, a, b]) => {
            let a = column1(cx, a, x, n)?;
            let b = column1(cx, b, x, n)?;
            column2(cx, outer, &a, &b, n)?
        }
        (Op::Matcher, [function, target]) => {
            let x = column1(cx, function, x, n)?;
            let cost = match (x.uniform_weight(), target.uniform_weight()) {
                (Some(x), Some(target)) => n as u64 * x.min(target),
                _ => {
                    let lighter = |index| {
                        Some(u64::from(
                            x.get(cx.arena, index)?.weight().min(target.get(cx.arena, index)?.weight()),
                        ))
                    };
                    (0..n).map(lighter).sum::<Option<u64>>()?
                }
            };
            cx.spend(cost)?;
            equal(cx, &x.flatten(cx.arena, n), &target.flatten(cx.arena, n), n)?
        }
        (Op::Lbind, [function, fixed]) => column2(cx, function, fixed, x, n)?,
        (Op::Rbind, [function, fixed]) => column2(cx, function, x, fixed, n)?,
        _ => return None,
    };
    cx.leave();
    Some(results)
}

/// Makes a column of closures; they are built only when needed.
fn make_closures<'a, const N: usize>(
    cx: &mut Cx<'a>,
    op: Op,
    captured: [Column<'a>; N],
    n: usize,
) -> Option<Column<'a>> {
    let column = Funcs(op, cx.arena.alloc(captured)).within_caps(cx.arena)?;
    column.arity()?;
    pay(cx, n, 4)?;
    Some(column)
}

fn combinator_of(symbol: &Symbol) -> Option<Op> {
    [Op::Compose, Op::Chain, Op::Fork, Op::Matcher, Op::Lbind, Op::Rbind]
        .into_iter()
        .find(|op| op.name() == symbol.name)
}

/// Makes a call once and charges for it `n` times, because its arguments are always the same.
fn call_once<'a>(
    cx: &mut Cx<'a>,
    n: usize,
    call: impl FnOnce(&mut Cx<'a>) -> Option<Column<'a>>,
) -> Option<Column<'a>> {
    let before = cx.used();
    let column = call(cx)?;
    let cost = cx.used() - before;
    cx.spend(cost.checked_mul(n as u64 - 1)?)?;
    Some(column)
}

fn collect_each<'a>(
    arena: &'a Arena,
    n: usize,
    call: impl FnMut(usize) -> Option<Value<'a>>,
) -> Option<Column<'a>> {
    Column::collect(arena, (0..n).map(call))
}

fn primitive1<'a>(cx: &mut Cx<'a>, symbol: &'static Symbol, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    if let Some(ColumnKernel::One(kernel)) = COLUMN_KERNELS[usize::from(symbol.id)]
        && let Some(results) = cx.count_calls(symbol, n, |cx| kernel(cx, x, n))
    {
        return Some(results);
    }
    let x = x.list(cx.arena, n)?;
    let entry = cx.entry(symbol);
    cx.count_calls(symbol, n, |cx| match entry.kernel {
        Some(Kernel::Q1(quick)) => collect_each(cx.arena, n, |index| {
            let x = x.at(index);
            quick(cx, x).or_else(|| cx.primitive_by(symbol, entry, [x]).ok())
        }),
        _ => collect_each(cx.arena, n, |index| cx.primitive_by(symbol, entry, [x.at(index)]).ok()),
    })
}

fn primitive2<'a>(
    cx: &mut Cx<'a>,
    symbol: &'static Symbol,
    a: &Column<'a>,
    b: &Column<'a>,
    n: usize,
) -> Option<Column<'a>> {
    if let Some(ColumnKernel::Two(kernel)) = COLUMN_KERNELS[usize::from(symbol.id)]
        && let Some(results) = cx.count_calls(symbol, n, |cx| kernel(cx, a, b, n))
    {
        return Some(results);
    }
    let (a, b) = (a.list(cx.arena, n)?, b.list(cx.arena, n)?);
    let entry = cx.entry(symbol);
    cx.count_calls(symbol, n, |cx| match entry.kernel {
        Some(Kernel::Q2(quick)) => collect_each(cx.arena, n, |index| {
            let (a, b) = (a.at(index), b.at(index));
            quick(cx, a, b).or_else(|| cx.primitive_by(symbol, entry, [a, b]).ok())
        }),
        _ => {
            collect_each(cx.arena, n, |index| cx.primitive_by(symbol, entry, [a.at(index), b.at(index)]).ok())
        }
    })
}

/// A loop without calls, for columns of some kinds. It spends fuel only if it returns a result.
#[derive(Clone, Copy)]
enum ColumnKernel {
    One(for<'c, 'a> fn(&mut Cx<'a>, &'c Column<'a>, usize) -> Option<Column<'a>>),
    Two(for<'c, 'a> fn(&mut Cx<'a>, &'c Column<'a>, &'c Column<'a>, usize) -> Option<Column<'a>>),
}

/// Indexed by the ids of primitives.
static COLUMN_KERNELS: LazyLock<Vec<Option<ColumnKernel>>> = LazyLock::new(|| {
    let mut all = vec![None; batt_dsl::registry().table().len()];
    let kernels: &[(&str, ColumnKernel)] = &[
        ("identity", ColumnKernel::One(identity)),
        ("first", ColumnKernel::One(first)),
        ("last", ColumnKernel::One(last)),
        ("flip", ColumnKernel::One(flip)),
        ("even", ColumnKernel::One(even)),
        ("positive", ColumnKernel::One(positive)),
        ("sign", ColumnKernel::One(|cx, x, n| numbers1(cx, x, n, |x| (x.signum(), false)))),
        ("double", ColumnKernel::One(|cx, x, n| numbers1(cx, x, n, |x| x.overflowing_mul(2)))),
        ("maximum", ColumnKernel::One(|cx, x, n| map_pairs(cx, x, n, |pair| pair.row().max(pair.col())))),
        ("minimum", ColumnKernel::One(|cx, x, n| map_pairs(cx, x, n, |pair| pair.row().min(pair.col())))),
        ("add", ColumnKernel::Two(|cx, a, b, n| numbers2(cx, a, b, n, i64::overflowing_add))),
        ("subtract", ColumnKernel::Two(|cx, a, b, n| numbers2(cx, a, b, n, i64::overflowing_sub))),
        ("multiply", ColumnKernel::Two(|cx, a, b, n| numbers2(cx, a, b, n, i64::overflowing_mul))),
        ("size", ColumnKernel::One(size)),
        ("center", ColumnKernel::One(center)),
        ("shift", ColumnKernel::Two(shift)),
        ("both", ColumnKernel::Two(|cx, a, b, n| logical(cx, a, b, n, |a, b| a & b))),
        ("either", ColumnKernel::Two(|cx, a, b, n| logical(cx, a, b, n, |a, b| a | b))),
        ("combine", ColumnKernel::Two(|cx, a, b, n| call_kernel(cx, a, b, n, patch::combine))),
        ("difference", ColumnKernel::Two(|cx, a, b, n| call_kernel(cx, a, b, n, patch::difference))),
        ("intersection", ColumnKernel::Two(|cx, a, b, n| call_kernel(cx, a, b, n, patch::intersection))),
        ("connect", ColumnKernel::Two(|cx, a, b, n| call_kernel(cx, a, b, n, patch::connect))),
        ("equality", ColumnKernel::Two(equality)),
        ("greater", ColumnKernel::Two(greater)),
        ("astuple", ColumnKernel::Two(astuple)),
        ("contained", ColumnKernel::Two(contained)),
        ("apply", ColumnKernel::Two(apply)),
        (
            "argmax",
            ColumnKernel::Two(|cx, container, keys, n| {
                best_members(cx, container, keys, n, Ordering::Greater)
            }),
        ),
        (
            "argmin",
            ColumnKernel::Two(|cx, container, keys, n| best_members(cx, container, keys, n, Ordering::Less)),
        ),
        (
            "valmax",
            ColumnKernel::Two(|cx, container, keys, n| best_keys(cx, container, keys, n, Ordering::Greater)),
        ),
        (
            "valmin",
            ColumnKernel::Two(|cx, container, keys, n| best_keys(cx, container, keys, n, Ordering::Less)),
        ),
        ("compose", ColumnKernel::Two(|cx, a, b, n| make_closures(cx, Op::Compose, [*a, *b], n))),
        ("matcher", ColumnKernel::Two(|cx, a, b, n| make_closures(cx, Op::Matcher, [*a, *b], n))),
        ("lbind", ColumnKernel::Two(|cx, a, b, n| make_closures(cx, Op::Lbind, [*a, *b], n))),
        ("rbind", ColumnKernel::Two(|cx, a, b, n| make_closures(cx, Op::Rbind, [*a, *b], n))),
    ];
    for (name, kernel) in kernels {
        let symbol = batt_dsl::symbol(name).unwrap_or_else(|| panic!("there is no primitive `{name}`"));
        all[usize::from(symbol.id)] = Some(*kernel);
    }
    all
});

/// Charges `cost` for each of `n` calls.
fn pay(cx: &mut Cx<'_>, n: usize, cost: u64) -> Option<()> {
    cx.spend(n as u64 * cost)
}

fn identity<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    pay(cx, n, 1)?;
    Some(*x)
}

fn first<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let firsts = match x {
        Pairs(pairs) => Ints(cx.arena.gather(pairs.iter().map(|pair| pair.row()))),
        Zipped(parts) => parts[0],
        Values(values) => Column::collect(
            cx.arena,
            values.iter().map(|value| match value {
                Value::Cell(cell) => Some(Value::Int(cell.color())),
                Value::Patch(patch) => Some(patch.first()),
                Value::Tuple(tuple) => tuple.items().first().copied(),
                _ => None,
            }),
        )?,
        _ => return None,
    };
    pay(cx, n, 1)?;
    Some(firsts)
}

fn last<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let lasts = match x {
        Pairs(pairs) => Ints(cx.arena.gather(pairs.iter().map(|pair| pair.col()))),
        Zipped(parts) => parts[1],
        Values(values) => Column::collect(
            cx.arena,
            values.iter().map(|value| match value {
                Value::Cell(cell) => Some(Value::Pair(cell.place())),
                Value::Tuple(tuple) => tuple.items().last().copied(),
                _ => None,
            }),
        )?,
        _ => return None,
    };
    cx.spend(n as u64 + x.weight(n) + lasts.weight(n))?;
    Some(lasts)
}

/// Maps each pair to a number, and charges the weights.
fn map_pairs<'a>(
    cx: &mut Cx<'a>,
    x: &Column<'a>,
    n: usize,
    map: impl Fn(&Pair) -> i64,
) -> Option<Column<'a>> {
    let Pairs(pairs) = x else { return None };
    pay(cx, n, 1 + scalar::PAIR + scalar::INT)?;
    Some(Ints(cx.arena.gather(pairs.iter().map(map))))
}

fn flip<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let Bools(bools) = x else { return None };
    pay(cx, n, 1)?;
    Some(Bools(cx.arena.gather(bools.iter().map(|bool| !bool))))
}

fn even<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let Ints(ints) = x else { return None };
    pay(cx, n, 1)?;
    Some(Bools(cx.arena.gather(ints.iter().map(|int| int & 1 == 0))))
}

fn positive<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let Ints(ints) = x else { return None };
    pay(cx, n, 1)?;
    Some(Bools(cx.arena.gather(ints.iter().map(|int| *int > 0))))
}

fn numbers1<'a>(
    cx: &mut Cx<'a>,
    x: &Column<'a>,
    n: usize,
    op: impl Fn(i64) -> (i64, bool),
) -> Option<Column<'a>> {
    let results = match x {
        Ints(ints) => Ints(cx.arena.gather_checked(ints.iter().map(|int| op(*int)))?),
        Pairs(pairs) => {
            let both = |pair: &Pair| checked_pair(op(pair.row()), op(pair.col()));
            Pairs(cx.arena.gather_checked(pairs.iter().map(both))?)
        }
        _ => return None,
    };
    pay(cx, n, 1 + x.uniform_weight()? + results.uniform_weight()?)?;
    Some(results)
}

/// Returns a pair of numbers, and whether one of them overflowed or does not fit.
fn checked_pair((row, row_over): (i64, bool), (col, col_over): (i64, bool)) -> (Pair, bool) {
    let (small_row, small_col) = (row as i32, col as i32);
    let too_large = i64::from(small_row) != row || i64::from(small_col) != col;
    (Pair::from_i32(small_row, small_col), row_over | col_over | too_large)
}

/// An operand of a loop over numbers.
#[derive(Clone, Copy)]
enum Operand<'c> {
    Int(i64),
    Ints(&'c [i64]),
    Pair(Pair),
    Pairs(&'c [Pair]),
}

impl<'c> Operand<'c> {
    fn of(column: &'c Column<'_>) -> Option<Operand<'c>> {
        match column {
            Same(Value::Int(int)) => Some(Operand::Int(*int)),
            Same(Value::Pair(pair)) => Some(Operand::Pair(*pair)),
            Ints(ints) => Some(Operand::Ints(ints)),
            Pairs(pairs) => Some(Operand::Pairs(pairs)),
            _ => None,
        }
    }

    fn int(self, index: usize) -> i64 {
        match self {
            Operand::Int(int) => int,
            Operand::Ints(ints) => ints[index],
            Operand::Pair(_) | Operand::Pairs(_) => 0,
        }
    }

    /// Returns a pair; a single number is used for both members.
    fn pair(self, index: usize) -> (i64, i64) {
        let pair = match self {
            Operand::Pair(pair) => pair,
            Operand::Pairs(pairs) => pairs[index],
            _ => return (self.int(index), self.int(index)),
        };
        pair.parts()
    }

    fn is_int(self) -> bool {
        matches!(self, Operand::Int(_) | Operand::Ints(_))
    }
}

#[inline(always)]
fn numbers2<'a>(
    cx: &mut Cx<'a>,
    a: &Column<'a>,
    b: &Column<'a>,
    n: usize,
    op: impl Fn(i64, i64) -> (i64, bool),
) -> Option<Column<'a>> {
    let (left, right) = (Operand::of(a)?, Operand::of(b)?);
    let results = match (left, right) {
        (Operand::Ints(a), Operand::Ints(b)) => {
            Ints(cx.arena.gather_checked(a.iter().zip(b).map(|(a, b)| op(*a, *b)))?)
        }
        (Operand::Ints(a), Operand::Int(b)) => Ints(cx.arena.gather_checked(a.iter().map(|a| op(*a, b)))?),
        (Operand::Int(a), Operand::Ints(b)) => Ints(cx.arena.gather_checked(b.iter().map(|b| op(a, *b)))?),
        _ => {
            let both = |a: (i64, i64), b: (i64, i64)| checked_pair(op(a.0, b.0), op(a.1, b.1));
            Pairs(match (left, right) {
                (Operand::Pairs(a), Operand::Pairs(b)) => {
                    cx.arena.gather_checked(a.iter().zip(b).map(|(a, b)| both(a.parts(), b.parts())))?
                }
                (Operand::Pairs(a), Operand::Pair(b)) => {
                    cx.arena.gather_checked(a.iter().map(|a| both(a.parts(), b.parts())))?
                }
                _ => {
                    cx.arena.gather_checked((0..n).map(|index| both(left.pair(index), right.pair(index))))?
                }
            })
        }
    };
    pay(cx, n, 1 + a.uniform_weight()? + b.uniform_weight()? + results.uniform_weight()?)?;
    Some(results)
}

fn equality<'a>(cx: &mut Cx<'a>, a: &Column<'a>, b: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let equal = equal(cx, a, b, n)?;
    cx.spend(2 * n as u64 + a.weight(n) + b.weight(n))?;
    Some(equal)
}

fn equal<'a>(cx: &Cx<'a>, a: &Column<'a>, b: &Column<'a>, n: usize) -> Option<Column<'a>> {
    Some(Bools(match (a, b) {
        (Ints(a), Same(Value::Int(b))) => cx.arena.gather(a.iter().map(|a| a == b)),
        (Ints(a), Ints(b)) => cx.arena.gather(a.iter().zip(*b).map(|(a, b)| a == b)),
        (Pairs(a), Pairs(b)) => cx.arena.gather(a.iter().zip(*b).map(|(a, b)| a == b)),
        _ => {
            let same = |index| Some(order::equal(a.get(cx.arena, index)?, b.get(cx.arena, index)?));
            cx.arena.try_gather((0..n).map(same))?
        }
    }))
}

fn greater<'a>(cx: &mut Cx<'a>, a: &Column<'a>, b: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let (a, b) = (Operand::of(a)?, Operand::of(b)?);
    if !a.is_int() || !b.is_int() {
        return None;
    }
    pay(cx, n, 4)?;
    Some(Bools(cx.arena.gather((0..n).map(|index| a.int(index) > b.int(index)))))
}

fn astuple<'a>(cx: &mut Cx<'a>, a: &Column<'a>, b: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let pairs = match (Operand::of(a), Operand::of(b)) {
        (Some(a), Some(b)) if a.is_int() && b.is_int() => {
            Pairs(cx.arena.try_gather((0..n).map(|index| Pair::new(a.int(index), b.int(index))))?)
        }
        _ => Column::zipped(cx.arena, *a, *b).within_caps(cx.arena)?,
    };
    cx.spend(n as u64 + a.weight(n) + b.weight(n) + pairs.weight(n))?;
    Some(pairs)
}

fn contained<'a>(cx: &mut Cx<'a>, a: &Column<'a>, b: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let (Pairs(places), Same(container @ Value::Patch(patch))) = (a, b) else { return None };
    if patch.is_object() {
        return None;
    }
    pay(cx, n, 1 + scalar::PAIR + u64::from(container.weight()) + 1)?;
    Some(Bools(cx.arena.gather(places.iter().map(|place| patch.covers(place.row(), place.col())))))
}

fn logical<'a>(
    cx: &mut Cx<'a>,
    a: &Column<'a>,
    b: &Column<'a>,
    n: usize,
    op: impl Fn(bool, bool) -> bool,
) -> Option<Column<'a>> {
    let (Bools(a), Bools(b)) = (a, b) else { return None };
    pay(cx, n, 1)?;
    Some(Bools(cx.arena.gather(a.iter().zip(*b).map(|(a, b)| op(*a, *b)))))
}

fn size<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let Values(values) = x else { return None };
    let sizes = cx.arena.try_gather(values.iter().map(|value| value.len().map(|n| n as i64)))?;
    pay(cx, n, 1)?;
    Some(Ints(sizes))
}

fn center<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let Values(values) = x else { return None };
    let middle = |value: &Value<'a>| match value {
        Value::Patch(patch) => {
            let (row, col, height, width) = patch.bounds();
            Pair::new(row + height / 2, col + width / 2)
        }
        _ => None,
    };
    let centers = cx.arena.try_gather(values.iter().map(middle))?;
    cx.spend(n as u64 * (1 + scalar::PAIR) + x.weight(n))?;
    Some(Pairs(centers))
}

/// Moves one patch to many places.
fn shift<'a>(cx: &mut Cx<'a>, patches: &Column<'a>, by: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let (Same(value @ Value::Patch(patch)), Pairs(by)) = (patches, by) else { return None };
    let moved = cx.arena.try_gather(by.iter().map(|by| cx.arena.moved(patch, by.row(), by.col())))?;
    pay(cx, n, 1 + scalar::PAIR + 2 * u64::from(value.weight()))?;
    Some(Values(moved))
}

/// Calls a kernel on each two values, and charges the weights of arguments and results.
#[inline(always)]
fn call_kernel<'a>(
    cx: &mut Cx<'a>,
    a: &Column<'a>,
    b: &Column<'a>,
    n: usize,
    kernel: impl Fn(&mut Cx<'a>, Value<'a>, Value<'a>) -> Option<Result<Value<'a>, Fail>>,
) -> Option<Column<'a>> {
    let arena = cx.arena;
    let (left, right) = (a.list(arena, n)?, b.list(arena, n)?);
    let mut weight = 0;
    let one = |index| {
        let (x, y) = (left.at(index), right.at(index));
        let result = kernel(cx, x, y)?.ok()?;
        weight += u64::from(x.weight()) + u64::from(y.weight()) + u64::from(result.weight());
        Some(result)
    };
    let results = Values(arena.try_gather((0..n).map(one))?);
    cx.spend(n as u64 + weight)?;
    Some(results)
}

/// `apply` of one function to pairs of numbers, as two columns of numbers.
fn apply<'a>(cx: &mut Cx<'a>, functions: &Column<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let (Same(function), Pairs(pairs)) = (functions, x) else { return None };
    cx.attempt(|cx| {
        pay(cx, n, 1 + u64::from(function.weight()) + scalar::PAIR)?;
        let rows = column1(cx, functions, &Ints(cx.arena.gather(pairs.iter().map(|pair| pair.row()))), n)?;
        let cols = column1(cx, functions, &Ints(cx.arena.gather(pairs.iter().map(|pair| pair.col()))), n)?;
        cx.spend(rows.weight(n) + cols.weight(n))?;
        if let (Ints(rows), Ints(cols)) = (&rows, &cols) {
            let pairs = rows.iter().zip(*cols).map(|(row, col)| Pair::new(*row, *col));
            if let Some(pairs) = cx.arena.try_gather(pairs) {
                return Some(Pairs(pairs));
            }
        }
        collect_each(cx.arena, n, |index| {
            let both = [rows.get(cx.arena, index)?, cols.get(cx.arena, index)?];
            cx.arena.tuple(&both).ok()
        })
    })
}

/// Returns the best member of one container for each key function.
fn best_members<'a>(
    cx: &mut Cx<'a>,
    container: &Column<'a>,
    functions: &Column<'a>,
    n: usize,
    wanted: Ordering,
) -> Option<Column<'a>> {
    cx.attempt(|cx| {
        let (items, indices) = rank_members(cx, container, functions, n, wanted)?;
        Some(items.pick(cx.arena, indices.iter().copied()))
    })
}

/// Returns the best key for each key function.
fn best_keys<'a>(
    cx: &mut Cx<'a>,
    container: &Column<'a>,
    functions: &Column<'a>,
    n: usize,
    wanted: Ordering,
) -> Option<Column<'a>> {
    cx.attempt(|cx| {
        let (items, indices) = rank_members(cx, container, functions, n, wanted)?;
        column1(cx, functions, &items.pick(cx.arena, indices.iter().copied()), n)
    })
}

/// Returns the members of the container, and for each function the index of the best one. All functions are
/// called on all members as one long column.
fn rank_members<'a>(
    cx: &mut Cx<'a>,
    container: &Column<'a>,
    functions: &Column<'a>,
    n: usize,
    wanted: Ordering,
) -> Option<(Column<'a>, &'a [usize])> {
    let (Same(container), Funcs(..)) = (container, functions) else { return None };
    let m = container.len().filter(|m| (1..=MAX_CROSS_CALLS / n).contains(m))?;
    let items = Column::collect(cx.arena, container.items(cx.arena)?.map(Some))?;
    cx.spend(n as u64 * (1 + u64::from(container.weight())) + functions.weight(n))?;
    let (functions, all) = (functions.repeated(cx.arena, m), items.tiled(cx.arena, m));
    let keys = collect1(cx, &functions, &all, n * m)?.flatten(cx.arena, n * m);
    let best = |index: usize| Some(keys.best(index * m..(index + 1) * m, wanted)? - index * m);
    let indices = cx.arena.try_gather((0..n).map(best))?;
    Some((items, indices))
}
