//! Functions on whole columns of arguments instead of one after the other.
//!
//! A column is computed on trial: if any of its calls would fail, or the fuel would not do for all, there is
//! no column, nothing was spent, and the caller goes element by element to find the first failure. Bills add
//! up, so a column that comes to an end has cost what its calls would have cost one by one.

use std::cmp::Ordering;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use batt_dsl::{Cx, Kernel};
use batt_value::{Arena, Closure, Column, Fail, Op, Pair, Symbol, Value, order};

use super::{patch, scalar};

/// Shorter columns are not worth their buffers; longer ones would not stay near.
const LENGTHS: RangeInclusive<usize> = 2..=4096;

/// Columns lie in the arena of the values and stay there as long as these. Once it is so full, there are no
/// more.
const MAX_BYTES: usize = 16 << 20;

/// A column of functions that is spread over members of a container may be this long.
const MAX_SPREAD: usize = 1 << 15;

use Column::{Bools, Funcs, Ints, Pairs, Repeated, Same, Tiled, Values, Zipped};

/// The members of a container, if a column pays.
pub(super) fn members<'a>(cx: &mut Cx<'a>, container: Value<'a>) -> Option<Column<'a>> {
    if !LENGTHS.contains(&container.len()?) || cx.arena.bytes() > MAX_BYTES {
        return None;
    }
    let key = members_key(container);
    if let Some(column) = key.and_then(|key| cx.remembered(key)) {
        return Some(column);
    }
    let column = Column::of(cx.arena, container)?;
    // Those of other containers are theirs, or soon made.
    if let (Value::Patch(_), Some(key)) = (container, key) {
        cx.remember(key, column);
    }
    Some(column)
}

/// The name under which the members of a set are kept.
fn members_key(container: Value<'_>) -> Option<[usize; 3]> {
    match container {
        Value::Patch(patch) => Some([0, std::ptr::from_ref(patch).addr(), patch.count()]),
        Value::Set(set) => Some([0, std::ptr::from_ref(set).addr(), set.items().len()]),
        _ => None,
    }
}

/// Keeps the members of the product of two sets: what a function says of a part of them is the same many
/// times.
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
        cx.remember(members_key(product)?, column);
    }
    Some(())
}

/// The results of a function on every member of a container.
pub(super) fn results<'a>(cx: &mut Cx<'a>, function: Value<'a>, container: Value<'a>) -> Option<Column<'a>> {
    let column = members(cx, container)?;
    let n = container.len()?;
    cx.attempt(|cx| column1(cx, &Same(function), &column, n))
}

/// The same, and what it costs to keep them. Spends even if it comes to nothing.
pub(super) fn collected<'a>(
    cx: &mut Cx<'a>,
    function: Value<'a>,
    container: Value<'a>,
) -> Option<Column<'a>> {
    let column = members(cx, container)?;
    keys(cx, &Same(function), &column, container.len()?)
}

/// The results of functions on a column, and what it costs to keep them. Spends even if it comes to nothing.
pub(super) fn keys<'a>(
    cx: &mut Cx<'a>,
    functions: &Column<'a>,
    column: &Column<'a>,
    n: usize,
) -> Option<Column<'a>> {
    let results = column1(cx, functions, column, n)?;
    cx.spend(results.weight(n))?;
    Some(results)
}

/// The results of a function of two on two columns side by side, and what it costs to keep them.
pub(super) fn collected2<'a>(
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

/// Calls a column of functions of one on a column of arguments.
fn column1<'a>(cx: &mut Cx<'a>, functions: &Column<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    match (functions, x) {
        (Same(function), Same(x)) => once(cx, n, |cx| cx.call1(*function, *x).map(Same).ok()),
        (Same(_), Tiled(x, m)) => {
            let results = once(cx, n / m, |cx| column1(cx, functions, x, *m))?;
            Some(results.tiled(cx.arena, *m))
        }
        (Same(_), Repeated(x, times)) => {
            let results = once(cx, *times, |cx| column1(cx, functions, x, n / times))?;
            Some(results.repeated(cx.arena, *times))
        }
        (Same(Value::Prim(symbol)), _) => primitive1(cx, symbol, x, n),
        (Same(Value::Func(closure)), _) if closure.arity == 1 => match *closure.captured {
            // A single call is made sooner than looked up.
            [a @ Value::Prim(_), b] if closure.op != Op::Compose => {
                combinator(cx, closure.op, &[Same(a), Same(b)], x, n)
            }
            [a, b] => recalled(cx, closure, x, n, &[Same(a), Same(b)]),
            [a, b, c] => recalled(cx, closure, x, n, &[Same(a), Same(b), Same(c)]),
            _ => None,
        },
        (Funcs(op, captured), _) if functions.arity() == Some(1) => combinator(cx, *op, captured, x, n),
        _ => {
            let (functions, x) = (functions.list(cx.arena, n)?, x.list(cx.arena, n)?);
            each(cx.arena, n, |place| cx.call1(functions.at(place), x.at(place)).ok())
        }
    }
}

/// Calls a column of functions of two on two columns of arguments.
fn column2<'a>(
    cx: &mut Cx<'a>,
    functions: &Column<'a>,
    a: &Column<'a>,
    b: &Column<'a>,
    n: usize,
) -> Option<Column<'a>> {
    match (functions, a, b) {
        (Same(function), Same(a), Same(b)) => once(cx, n, |cx| cx.call2(*function, *a, *b).map(Same).ok()),
        // A tuple of two does not look at what it holds.
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
            closures(cx, op, [Same(*fixed), *a, *b], n)
        }
        _ => {
            let (a, b) = (a.list(cx.arena, n)?, b.list(cx.arena, n)?);
            let functions = functions.list(cx.arena, n)?;
            each(cx.arena, n, |place| cx.call2(functions.at(place), a.at(place), b.at(place)).ok())
        }
    }
}

/// A closure over what it holds, unless it was called on this column before.
fn recalled<'a>(
    cx: &mut Cx<'a>,
    closure: &'a Closure<'a>,
    x: &Column<'a>,
    n: usize,
    captured: &[Column<'a>],
) -> Option<Column<'a>> {
    let key = [std::ptr::from_ref(closure).addr(), x.address(), n];
    cx.recalled(key, |cx| combinator(cx, closure.op, captured, x, n))
}

fn combinator<'a>(
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
            let price = match (x.uniform_weight(), target.uniform_weight()) {
                (Some(x), Some(target)) => n as u64 * x.min(target),
                _ => {
                    let lighter = |place| {
                        Some(u64::from(
                            x.get(cx.arena, place)?.weight().min(target.get(cx.arena, place)?.weight()),
                        ))
                    };
                    (0..n).map(lighter).sum::<Option<u64>>()?
                }
            };
            cx.spend(price)?;
            equal(cx, &x.flatten(cx.arena, n), &target.flatten(cx.arena, n), n)?
        }
        (Op::Lbind, [function, fixed]) => column2(cx, function, fixed, x, n)?,
        (Op::Rbind, [function, fixed]) => column2(cx, function, x, fixed, n)?,
        _ => return None,
    };
    cx.leave();
    Some(results)
}

/// A column of closures, not made yet.
fn closures<'a, const N: usize>(
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

/// A call whose arguments are the same every time: made once, paid for every time.
fn once<'a>(
    cx: &mut Cx<'a>,
    n: usize,
    call: impl FnOnce(&mut Cx<'a>) -> Option<Column<'a>>,
) -> Option<Column<'a>> {
    let before = cx.used();
    let column = call(cx)?;
    let price = cx.used() - before;
    cx.spend(price.checked_mul(n as u64 - 1)?)?;
    Some(column)
}

fn each<'a>(arena: &'a Arena, n: usize, call: impl FnMut(usize) -> Option<Value<'a>>) -> Option<Column<'a>> {
    Column::collect(arena, (0..n).map(call))
}

fn primitive1<'a>(cx: &mut Cx<'a>, symbol: &'static Symbol, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    if let Some(Tight::One(tight)) = TIGHT[usize::from(symbol.id)]
        && let Some(results) = cx.counted(symbol, n, |cx| tight(cx, x, n))
    {
        return Some(results);
    }
    let x = x.list(cx.arena, n)?;
    let entry = cx.entry(symbol);
    cx.counted(symbol, n, |cx| match entry.kernel {
        Some(Kernel::Q1(quick)) => each(cx.arena, n, |place| {
            let x = x.at(place);
            quick(cx, x).or_else(|| cx.primitive_by(symbol, entry, [x]).ok())
        }),
        _ => each(cx.arena, n, |place| cx.primitive_by(symbol, entry, [x.at(place)]).ok()),
    })
}

fn primitive2<'a>(
    cx: &mut Cx<'a>,
    symbol: &'static Symbol,
    a: &Column<'a>,
    b: &Column<'a>,
    n: usize,
) -> Option<Column<'a>> {
    if let Some(Tight::Two(tight)) = TIGHT[usize::from(symbol.id)]
        && let Some(results) = cx.counted(symbol, n, |cx| tight(cx, a, b, n))
    {
        return Some(results);
    }
    let (a, b) = (a.list(cx.arena, n)?, b.list(cx.arena, n)?);
    let entry = cx.entry(symbol);
    cx.counted(symbol, n, |cx| match entry.kernel {
        Some(Kernel::Q2(quick)) => each(cx.arena, n, |place| {
            let (a, b) = (a.at(place), b.at(place));
            quick(cx, a, b).or_else(|| cx.primitive_by(symbol, entry, [a, b]).ok())
        }),
        _ => each(cx.arena, n, |place| cx.primitive_by(symbol, entry, [a.at(place), b.at(place)]).ok()),
    })
}

/// A loop without calls for columns of one kind. It spends only if it knows the answer.
#[derive(Clone, Copy)]
enum Tight {
    One(for<'c, 'a> fn(&mut Cx<'a>, &'c Column<'a>, usize) -> Option<Column<'a>>),
    Two(for<'c, 'a> fn(&mut Cx<'a>, &'c Column<'a>, &'c Column<'a>, usize) -> Option<Column<'a>>),
}

/// By the number of the primitive.
static TIGHT: LazyLock<Vec<Option<Tight>>> = LazyLock::new(|| {
    let mut all = vec![None; batt_dsl::registry().table().len()];
    let loops: &[(&str, Tight)] = &[
        ("identity", Tight::One(identity)),
        ("first", Tight::One(first)),
        ("last", Tight::One(last)),
        ("flip", Tight::One(flip)),
        ("even", Tight::One(even)),
        ("positive", Tight::One(positive)),
        ("sign", Tight::One(|cx, x, n| numbers1(cx, x, n, |x| (x.signum(), false)))),
        ("double", Tight::One(|cx, x, n| numbers1(cx, x, n, |x| x.overflowing_mul(2)))),
        ("maximum", Tight::One(|cx, x, n| of_pairs(cx, x, n, |pair| pair.row().max(pair.col())))),
        ("minimum", Tight::One(|cx, x, n| of_pairs(cx, x, n, |pair| pair.row().min(pair.col())))),
        ("add", Tight::Two(|cx, a, b, n| numbers2(cx, a, b, n, i64::overflowing_add))),
        ("subtract", Tight::Two(|cx, a, b, n| numbers2(cx, a, b, n, i64::overflowing_sub))),
        ("multiply", Tight::Two(|cx, a, b, n| numbers2(cx, a, b, n, i64::overflowing_mul))),
        ("size", Tight::One(size)),
        ("center", Tight::One(center)),
        ("shift", Tight::Two(shift)),
        ("both", Tight::Two(|cx, a, b, n| truths(cx, a, b, n, |a, b| a & b))),
        ("either", Tight::Two(|cx, a, b, n| truths(cx, a, b, n, |a, b| a | b))),
        ("combine", Tight::Two(|cx, a, b, n| per_cell(cx, a, b, n, patch::combine))),
        ("difference", Tight::Two(|cx, a, b, n| per_cell(cx, a, b, n, patch::difference))),
        ("intersection", Tight::Two(|cx, a, b, n| per_cell(cx, a, b, n, patch::intersection))),
        ("connect", Tight::Two(|cx, a, b, n| per_cell(cx, a, b, n, patch::connect))),
        ("equality", Tight::Two(equality)),
        ("greater", Tight::Two(greater)),
        ("astuple", Tight::Two(astuple)),
        ("contained", Tight::Two(contained)),
        ("apply", Tight::Two(apply)),
        ("argmax", Tight::Two(|cx, container, keys, n| bests(cx, container, keys, n, Ordering::Greater))),
        ("argmin", Tight::Two(|cx, container, keys, n| bests(cx, container, keys, n, Ordering::Less))),
        ("valmax", Tight::Two(|cx, container, keys, n| peaks(cx, container, keys, n, Ordering::Greater))),
        ("valmin", Tight::Two(|cx, container, keys, n| peaks(cx, container, keys, n, Ordering::Less))),
        ("compose", Tight::Two(|cx, a, b, n| closures(cx, Op::Compose, [*a, *b], n))),
        ("matcher", Tight::Two(|cx, a, b, n| closures(cx, Op::Matcher, [*a, *b], n))),
        ("lbind", Tight::Two(|cx, a, b, n| closures(cx, Op::Lbind, [*a, *b], n))),
        ("rbind", Tight::Two(|cx, a, b, n| closures(cx, Op::Rbind, [*a, *b], n))),
    ];
    for (name, tight) in loops {
        let symbol = batt_dsl::symbol(name).unwrap_or_else(|| panic!("no primitive is called {name}"));
        all[usize::from(symbol.id)] = Some(*tight);
    }
    all
});

/// Pays `price` for each of `n` calls.
fn pay(cx: &mut Cx<'_>, n: usize, price: u64) -> Option<()> {
    cx.spend(n as u64 * price)
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

/// A number of each pair, at the price of a look at all of it.
fn of_pairs<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize, ask: impl Fn(&Pair) -> i64) -> Option<Column<'a>> {
    let Pairs(pairs) = x else { return None };
    pay(cx, n, 1 + scalar::PAIR + scalar::INT)?;
    Some(Ints(cx.arena.gather(pairs.iter().map(ask))))
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
            let both = |pair: &Pair| paired(op(pair.row()), op(pair.col()));
            Pairs(cx.arena.gather_checked(pairs.iter().map(both))?)
        }
        _ => return None,
    };
    pay(cx, n, 1 + x.uniform_weight()? + results.uniform_weight()?)?;
    Some(results)
}

/// A pair of numbers, and whether one of them overflowed or does not fit.
fn paired((row, row_over): (i64, bool), (col, col_over): (i64, bool)) -> (Pair, bool) {
    let (near_row, near_col) = (row as i32, col as i32);
    let far = i64::from(near_row) != row || i64::from(near_col) != col;
    (Pair::from_i32(near_row, near_col), row_over | col_over | far)
}

/// One side of a loop over numbers.
#[derive(Clone, Copy)]
enum Side<'c> {
    Int(i64),
    Ints(&'c [i64]),
    Pair(Pair),
    Pairs(&'c [Pair]),
}

impl<'c> Side<'c> {
    fn of(column: &'c Column<'_>) -> Option<Side<'c>> {
        match column {
            Same(Value::Int(int)) => Some(Side::Int(*int)),
            Same(Value::Pair(pair)) => Some(Side::Pair(*pair)),
            Ints(ints) => Some(Side::Ints(ints)),
            Pairs(pairs) => Some(Side::Pairs(pairs)),
            _ => None,
        }
    }

    fn int(self, place: usize) -> i64 {
        match self {
            Side::Int(int) => int,
            Side::Ints(ints) => ints[place],
            Side::Pair(_) | Side::Pairs(_) => 0,
        }
    }

    /// As a pair; a single number counts for both.
    fn pair(self, place: usize) -> (i64, i64) {
        let pair = match self {
            Side::Pair(pair) => pair,
            Side::Pairs(pairs) => pairs[place],
            _ => return (self.int(place), self.int(place)),
        };
        pair.parts()
    }

    fn is_int(self) -> bool {
        matches!(self, Side::Int(_) | Side::Ints(_))
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
    let (left, right) = (Side::of(a)?, Side::of(b)?);
    let results = match (left, right) {
        (Side::Ints(a), Side::Ints(b)) => {
            Ints(cx.arena.gather_checked(a.iter().zip(b).map(|(a, b)| op(*a, *b)))?)
        }
        (Side::Ints(a), Side::Int(b)) => Ints(cx.arena.gather_checked(a.iter().map(|a| op(*a, b)))?),
        (Side::Int(a), Side::Ints(b)) => Ints(cx.arena.gather_checked(b.iter().map(|b| op(a, *b)))?),
        _ => {
            let both = |a: (i64, i64), b: (i64, i64)| paired(op(a.0, b.0), op(a.1, b.1));
            Pairs(match (left, right) {
                (Side::Pairs(a), Side::Pairs(b)) => {
                    cx.arena.gather_checked(a.iter().zip(b).map(|(a, b)| both(a.parts(), b.parts())))?
                }
                (Side::Pairs(a), Side::Pair(b)) => {
                    cx.arena.gather_checked(a.iter().map(|a| both(a.parts(), b.parts())))?
                }
                _ => {
                    cx.arena.gather_checked((0..n).map(|place| both(left.pair(place), right.pair(place))))?
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
            let same = |place| Some(order::equal(a.get(cx.arena, place)?, b.get(cx.arena, place)?));
            cx.arena.try_gather((0..n).map(same))?
        }
    }))
}

fn greater<'a>(cx: &mut Cx<'a>, a: &Column<'a>, b: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let (a, b) = (Side::of(a)?, Side::of(b)?);
    if !a.is_int() || !b.is_int() {
        return None;
    }
    pay(cx, n, 4)?;
    Some(Bools(cx.arena.gather((0..n).map(|place| a.int(place) > b.int(place)))))
}

fn astuple<'a>(cx: &mut Cx<'a>, a: &Column<'a>, b: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let pairs = match (Side::of(a), Side::of(b)) {
        (Some(a), Some(b)) if a.is_int() && b.is_int() => {
            Pairs(cx.arena.try_gather((0..n).map(|place| Pair::new(a.int(place), b.int(place))))?)
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

fn truths<'a>(
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

/// One patch to many places.
fn shift<'a>(cx: &mut Cx<'a>, patches: &Column<'a>, by: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let (Same(value @ Value::Patch(patch)), Pairs(by)) = (patches, by) else { return None };
    let moved = cx.arena.try_gather(by.iter().map(|by| cx.arena.moved(patch, by.row(), by.col())))?;
    pay(cx, n, 1 + scalar::PAIR + 2 * u64::from(value.weight()))?;
    Some(Values(moved))
}

/// What a kernel knows of each two values, at the price of their weights and its own.
#[inline(always)]
fn per_cell<'a>(
    cx: &mut Cx<'a>,
    a: &Column<'a>,
    b: &Column<'a>,
    n: usize,
    kernel: impl Fn(&mut Cx<'a>, Value<'a>, Value<'a>) -> Option<Result<Value<'a>, Fail>>,
) -> Option<Column<'a>> {
    let arena = cx.arena;
    let (left, right) = (a.list(arena, n)?, b.list(arena, n)?);
    let mut weight = 0;
    let one = |place| {
        let (x, y) = (left.at(place), right.at(place));
        let result = kernel(cx, x, y)?.ok()?;
        weight += u64::from(x.weight()) + u64::from(y.weight()) + u64::from(result.weight());
        Some(result)
    };
    let results = Values(arena.try_gather((0..n).map(one))?);
    cx.spend(n as u64 + weight)?;
    Some(results)
}

/// `apply` of one function to pairs of numbers: twice a column of numbers.
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
        each(cx.arena, n, |place| {
            let both = [rows.get(cx.arena, place)?, cols.get(cx.arena, place)?];
            cx.arena.tuple(&both).ok()
        })
    })
}

/// For each key function the best member of one container.
fn bests<'a>(
    cx: &mut Cx<'a>,
    container: &Column<'a>,
    functions: &Column<'a>,
    n: usize,
    wanted: Ordering,
) -> Option<Column<'a>> {
    cx.attempt(|cx| {
        let (items, places) = ranked(cx, container, functions, n, wanted)?;
        Some(items.pick(cx.arena, places.iter().copied()))
    })
}

/// For each key function what it says of the best member.
fn peaks<'a>(
    cx: &mut Cx<'a>,
    container: &Column<'a>,
    functions: &Column<'a>,
    n: usize,
    wanted: Ordering,
) -> Option<Column<'a>> {
    cx.attempt(|cx| {
        let (items, places) = ranked(cx, container, functions, n, wanted)?;
        column1(cx, functions, &items.pick(cx.arena, places.iter().copied()), n)
    })
}

/// The members of the container, and for each function the place of the best of them: all functions on all
/// members as one long column.
fn ranked<'a>(
    cx: &mut Cx<'a>,
    container: &Column<'a>,
    functions: &Column<'a>,
    n: usize,
    wanted: Ordering,
) -> Option<(Column<'a>, &'a [usize])> {
    let (Same(container), Funcs(..)) = (container, functions) else { return None };
    let m = container.len().filter(|m| (1..=MAX_SPREAD / n).contains(m))?;
    let items = Column::collect(cx.arena, container.items(cx.arena)?.map(Some))?;
    cx.spend(n as u64 * (1 + u64::from(container.weight())) + functions.weight(n))?;
    let (functions, all) = (functions.repeated(cx.arena, m), items.tiled(cx.arena, m));
    let keys = keys(cx, &functions, &all, n * m)?.flatten(cx.arena, n * m);
    let best = |place: usize| Some(keys.best(place * m..(place + 1) * m, wanted)? - place * m);
    let places = cx.arena.try_gather((0..n).map(best))?;
    Some((items, places))
}
