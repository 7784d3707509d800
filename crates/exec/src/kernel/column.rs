//! Functions on whole columns of arguments instead of one after the other.
//!
//! A column is computed on trial: if any of its calls would fail, or the fuel would not do for all, there is no
//! column, nothing was spent, and the caller goes element by element to find the first failure. Bills add up, so a
//! column that comes to an end has cost what its calls would have cost one by one.

use std::cmp::Ordering;
use std::sync::LazyLock;

use batt_dsl::{Cx, Entry, Kernel};
use batt_value::{Closure, Op, Pair, Patch, Symbol, Value, order};

use super::scalar;

/// Shorter columns are not worth their buffers; longer ones would not stay near.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=4096;

/// Values side by side, by what they are.
pub(super) enum Column<'a> {
    /// All the same.
    Same(Value<'a>),
    Bools(Vec<bool>),
    Ints(Vec<i64>),
    Pairs(Vec<Pair>),
    Values(Vec<Value<'a>>),
}

use Column::{Bools, Ints, Pairs, Same, Values};

impl<'a> Column<'a> {
    /// The members of a container, if a column pays.
    pub(super) fn of(cx: &Cx<'a>, container: Value<'a>) -> Option<Column<'a>> {
        if !LENGTHS.contains(&container.len()?) {
            return None;
        }
        Some(match container {
            Value::Row(row) => Ints(row.cells().iter().map(|&cell| cell.into()).collect()),
            Value::Patch(patch) if !patch.is_object() => Pairs(places(patch)),
            _ => Column::collect(container.items(cx.arena)?.map(Some))?,
        })
    }

    /// The values one after the other, each kept as what the first one is, as long as all are.
    fn collect(values: impl ExactSizeIterator<Item = Option<Value<'a>>>) -> Option<Column<'a>> {
        let n = values.len();
        let mut column = Values(Vec::new());
        for (place, value) in values.enumerate() {
            let value = value?;
            match (&mut column, value) {
                (Ints(ints), Value::Int(int)) => ints.push(int),
                (Pairs(pairs), Value::Pair(pair)) => pairs.push(pair),
                (Bools(bools), Value::Bool(_)) => bools.push(value.truth()),
                (Values(values), _) if place > 0 => values.push(value),
                _ if place == 0 => {
                    column = match value {
                        Value::Int(int) => Ints(started(n, int)),
                        Value::Pair(pair) => Pairs(started(n, pair)),
                        Value::Bool(_) => Bools(started(n, value.truth())),
                        _ => Values(started(n, value)),
                    }
                }
                _ => {
                    let mut values = column.into_values(place);
                    values.reserve(n - place);
                    values.push(value);
                    column = Values(values);
                }
            }
        }
        Some(column)
    }

    pub(super) fn get(&self, place: usize) -> Value<'a> {
        match self {
            Same(value) => *value,
            Bools(bools) => bools[place].into(),
            Ints(ints) => Value::Int(ints[place]),
            Pairs(pairs) => Value::Pair(pairs[place]),
            Values(values) => values[place],
        }
    }

    pub(super) fn into_values(self, n: usize) -> Vec<Value<'a>> {
        match self {
            Values(values) => values,
            Same(value) => vec![value; n],
            Bools(bools) => bools.into_iter().map(Value::from).collect(),
            Ints(ints) => ints.into_iter().map(Value::Int).collect(),
            Pairs(pairs) => pairs.into_iter().map(Value::Pair).collect(),
        }
    }

    /// What all values weigh together.
    pub(super) fn weight(&self, n: usize) -> u64 {
        match self {
            Same(value) => n as u64 * u64::from(value.weight()),
            Bools(_) | Ints(_) => n as u64,
            Pairs(_) => 3 * n as u64,
            Values(values) => values.iter().map(|value| u64::from(value.weight())).sum(),
        }
    }

    /// What each value weighs, if all weigh the same.
    fn unit(&self) -> Option<u64> {
        match self {
            Same(value) => Some(value.weight().into()),
            Bools(_) | Ints(_) => Some(1),
            Pairs(_) => Some(3),
            Values(_) => None,
        }
    }

    pub(super) fn into_truths(self, n: usize) -> Vec<bool> {
        match self {
            Bools(bools) => bools,
            _ => (0..n).map(|place| self.get(place).truth()).collect(),
        }
    }

    /// Where the greatest or the least value comes first. Numbers and pairs only: others may not compare.
    pub(super) fn best(&self, n: usize, wanted: Ordering) -> Option<usize> {
        fn first<T: Copy>(values: &[T], beats: impl Fn(T, T) -> bool) -> Option<usize> {
            let beaten =
                |best: usize, place: usize| if beats(values[place], values[best]) { place } else { best };
            (0..values.len()).reduce(beaten)
        }
        match self {
            Ints(ints) => first(ints, |a, b| a.cmp(&b) == wanted),
            Pairs(pairs) => first(pairs, |a, b| (a.row(), a.col()).cmp(&(b.row(), b.col())) == wanted),
            Same(Value::Int(_) | Value::Pair(_)) if n > 0 => Some(0),
            _ => None,
        }
    }

    /// The values `times` over, all of them each time.
    pub(super) fn repeated(values: &[Value<'a>], times: usize) -> Option<Column<'a>> {
        Column::collect((0..values.len() * times).map(|place| Some(values[place % values.len()])))
    }

    /// Each value `times` over.
    pub(super) fn stretched(values: &[Value<'a>], times: usize) -> Option<Column<'a>> {
        Column::collect((0..values.len() * times).map(|place| Some(values[place / times])))
    }
}

/// The results of a function on every member of a container.
pub(super) fn results<'a>(cx: &mut Cx<'a>, function: Value<'a>, container: Value<'a>) -> Option<Column<'a>> {
    let column = Column::of(cx, container)?;
    let n = container.len()?;
    cx.attempt(|cx| column1(cx, function, &column, n))
}

/// The same, and what it costs to keep them.
pub(super) fn collected<'a>(
    cx: &mut Cx<'a>,
    function: Value<'a>,
    container: Value<'a>,
) -> Option<Column<'a>> {
    let column = Column::of(cx, container)?;
    let n = container.len()?;
    cx.attempt(|cx| keys(cx, function, &column, n))
}

/// The results of a function on a column, and what it costs to keep them. Spends even if it comes to nothing.
pub(super) fn keys<'a>(
    cx: &mut Cx<'a>,
    function: Value<'a>,
    column: &Column<'a>,
    n: usize,
) -> Option<Column<'a>> {
    let results = column1(cx, function, column, n)?;
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
) -> Option<Column<'a>> {
    cx.attempt(|cx| {
        let results = column2(cx, function, a, b, n)?;
        cx.spend(results.weight(n))?;
        Some(results)
    })
}

fn column1<'a>(cx: &mut Cx<'a>, function: Value<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    if let Same(x) = x {
        return once(cx, n, |cx| cx.call1(function, *x).ok());
    }
    match function {
        Value::Prim(symbol) => primitive1(cx, symbol, x, n),
        Value::Func(closure) if closure.arity == 1 => {
            cx.enter_many(n)?;
            let results = combinator(cx, closure, x, n);
            cx.leave();
            results
        }
        _ => None,
    }
}

fn combinator<'a>(cx: &mut Cx<'a>, closure: &'a Closure<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    match (closure.op, closure.held) {
        (Op::Compose, &[outer, inner]) => {
            let x = column1(cx, inner, x, n)?;
            column1(cx, outer, &x, n)
        }
        (Op::Chain, &[h, g, f]) => {
            let x = column1(cx, f, x, n)?;
            let x = column1(cx, g, &x, n)?;
            column1(cx, h, &x, n)
        }
        (Op::Fork, &[outer, a, b]) => {
            let a = column1(cx, a, x, n)?;
            let b = column1(cx, b, x, n)?;
            column2(cx, outer, &a, &b, n)
        }
        (Op::Matcher, &[function, target]) => {
            let x = column1(cx, function, x, n)?;
            let target_weight = u64::from(target.weight());
            let price = match x.unit() {
                Some(unit) => n as u64 * unit.min(target_weight),
                None => (0..n).map(|place| u64::from(x.get(place).weight()).min(target_weight)).sum(),
            };
            cx.spend(price)?;
            Some(equal(&x, &Same(target), n))
        }
        (Op::Lbind, &[function, fixed]) => column2(cx, function, &Same(fixed), x, n),
        (Op::Rbind, &[function, fixed]) => column2(cx, function, x, &Same(fixed), n),
        _ => None,
    }
}

fn column2<'a>(
    cx: &mut Cx<'a>,
    function: Value<'a>,
    a: &Column<'a>,
    b: &Column<'a>,
    n: usize,
) -> Option<Column<'a>> {
    if let (Same(a), Same(b)) = (a, b) {
        return once(cx, n, |cx| cx.call2(function, *a, *b).ok());
    }
    match function {
        Value::Prim(symbol) => primitive2(cx, symbol, a, b, n),
        _ => Column::collect((0..n).map(|place| cx.call2(function, a.get(place), b.get(place)).ok())),
    }
}

/// A call whose arguments are the same every time: made once, paid for every time.
fn once<'a>(
    cx: &mut Cx<'a>,
    n: usize,
    call: impl FnOnce(&mut Cx<'a>) -> Option<Value<'a>>,
) -> Option<Column<'a>> {
    let before = cx.used();
    let value = call(cx)?;
    let price = cx.used() - before;
    cx.spend(price.checked_mul(n as u64 - 1)?)?;
    Some(Same(value))
}

fn primitive1<'a>(cx: &mut Cx<'a>, symbol: &'static Symbol, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    if let Some(Tight::One(tight)) = TIGHT[usize::from(symbol.id)]
        && let Some(results) = cx.counted(symbol, n, |cx| tight(cx, x, n))
    {
        return Some(results);
    }
    let function = Value::Prim(symbol);
    match cx.entry(symbol) {
        Entry { kernel: Some(Kernel::Q1(quick)), .. } => cx.counted(symbol, n, |cx| {
            Column::collect((0..n).map(|place| {
                let x = x.get(place);
                quick(cx, x).or_else(|| cx.call1(function, x).ok())
            }))
        }),
        _ => Column::collect((0..n).map(|place| cx.call1(function, x.get(place)).ok())),
    }
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
    let function = Value::Prim(symbol);
    match cx.entry(symbol) {
        Entry { kernel: Some(Kernel::Q2(quick)), .. } => cx.counted(symbol, n, |cx| {
            Column::collect((0..n).map(|place| {
                let (a, b) = (a.get(place), b.get(place));
                quick(cx, a, b).or_else(|| cx.call2(function, a, b).ok())
            }))
        }),
        _ => Column::collect((0..n).map(|place| cx.call2(function, a.get(place), b.get(place)).ok())),
    }
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
    let loops: [(&str, Tight); 18] = [
        ("identity", Tight::One(identity)),
        ("first", Tight::One(first)),
        ("last", Tight::One(last)),
        ("flip", Tight::One(flip)),
        ("even", Tight::One(even)),
        ("positive", Tight::One(positive)),
        ("sign", Tight::One(|cx, x, n| numbers1(cx, x, n, |x| Some(x.signum())))),
        ("double", Tight::One(|cx, x, n| numbers1(cx, x, n, |x| x.checked_mul(2)))),
        ("maximum", Tight::One(|cx, x, n| of_pairs(cx, x, n, |pair| pair.row().max(pair.col())))),
        ("minimum", Tight::One(|cx, x, n| of_pairs(cx, x, n, |pair| pair.row().min(pair.col())))),
        ("add", Tight::Two(|cx, a, b, n| numbers2(cx, a, b, n, i64::checked_add))),
        ("subtract", Tight::Two(|cx, a, b, n| numbers2(cx, a, b, n, i64::checked_sub))),
        ("multiply", Tight::Two(|cx, a, b, n| numbers2(cx, a, b, n, i64::checked_mul))),
        ("equality", Tight::Two(equality)),
        ("greater", Tight::Two(greater)),
        ("astuple", Tight::Two(astuple)),
        ("contained", Tight::Two(contained)),
        ("apply", Tight::Two(apply)),
    ];
    for (name, tight) in loops {
        let symbol = batt_dsl::symbol(name).unwrap_or_else(|| panic!("no primitive is called {name}"));
        all[usize::from(symbol.id)] = Some(tight);
    }
    all
});

/// The places of a patch without colours, ascending.
fn places(patch: &Patch<'_>) -> Vec<Pair> {
    let (top, left, _, _) = patch.bounds();
    let mut places = Vec::with_capacity(patch.count());
    for (row, word) in (top..).zip(patch.rows()) {
        let mut bits = *word;
        while bits != 0 {
            places.extend(Pair::new(row, left + i64::from(bits.trailing_zeros())));
            bits &= bits - 1;
        }
    }
    places
}

fn started<T>(n: usize, first: T) -> Vec<T> {
    let mut vec = Vec::with_capacity(n);
    vec.push(first);
    vec
}

/// Pays `price` for each of `n` calls.
fn pay(cx: &mut Cx<'_>, n: usize, price: u64) -> Option<()> {
    cx.spend(n as u64 * price)
}

fn identity<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    pay(cx, n, 1)?;
    Some(match x {
        Same(value) => Same(*value),
        Bools(bools) => Bools(bools.clone()),
        Ints(ints) => Ints(ints.clone()),
        Pairs(pairs) => Pairs(pairs.clone()),
        Values(values) => Values(values.clone()),
    })
}

fn first<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let Pairs(pairs) = x else { return None };
    pay(cx, n, 1)?;
    Some(Ints(pairs.iter().map(|pair| pair.row()).collect()))
}

fn last<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    of_pairs(cx, x, n, |pair| pair.col())
}

/// A number of each pair, at the price of a look at all of it.
fn of_pairs<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize, ask: impl Fn(&Pair) -> i64) -> Option<Column<'a>> {
    let Pairs(pairs) = x else { return None };
    pay(cx, n, 1 + scalar::PAIR + scalar::INT)?;
    Some(Ints(pairs.iter().map(ask).collect()))
}

fn flip<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let Bools(bools) = x else { return None };
    pay(cx, n, 1)?;
    Some(Bools(bools.iter().map(|bool| !bool).collect()))
}

fn even<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let Ints(ints) = x else { return None };
    pay(cx, n, 1)?;
    Some(Bools(ints.iter().map(|int| int & 1 == 0).collect()))
}

fn positive<'a>(cx: &mut Cx<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let Ints(ints) = x else { return None };
    pay(cx, n, 1)?;
    Some(Bools(ints.iter().map(|int| *int > 0).collect()))
}

fn numbers1<'a>(
    cx: &mut Cx<'a>,
    x: &Column<'a>,
    n: usize,
    op: impl Fn(i64) -> Option<i64>,
) -> Option<Column<'a>> {
    let results = match x {
        Ints(ints) => Ints(ints.iter().map(|int| op(*int)).collect::<Option<_>>()?),
        Pairs(pairs) => {
            let both = |pair: &Pair| Pair::new(op(pair.row())?, op(pair.col())?);
            Pairs(pairs.iter().map(both).collect::<Option<_>>()?)
        }
        _ => return None,
    };
    pay(cx, n, 1 + x.unit()? + results.unit()?)?;
    Some(results)
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
        (pair.row(), pair.col())
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
    op: impl Fn(i64, i64) -> Option<i64>,
) -> Option<Column<'a>> {
    let (left, right) = (Side::of(a)?, Side::of(b)?);
    let results = match (left, right) {
        (Side::Ints(a), Side::Ints(b)) => {
            Ints(a.iter().zip(b).map(|(a, b)| op(*a, *b)).collect::<Option<_>>()?)
        }
        (Side::Ints(a), Side::Int(b)) => Ints(a.iter().map(|a| op(*a, b)).collect::<Option<_>>()?),
        (Side::Int(a), Side::Ints(b)) => Ints(b.iter().map(|b| op(a, *b)).collect::<Option<_>>()?),
        _ => {
            let both = |place: usize| {
                let (a, b) = (left.pair(place), right.pair(place));
                Pair::new(op(a.0, b.0)?, op(a.1, b.1)?)
            };
            Pairs((0..n).map(both).collect::<Option<_>>()?)
        }
    };
    pay(cx, n, 1 + a.unit()? + b.unit()? + results.unit()?)?;
    Some(results)
}

fn equality<'a>(cx: &mut Cx<'a>, a: &Column<'a>, b: &Column<'a>, n: usize) -> Option<Column<'a>> {
    cx.spend(2 * n as u64 + a.weight(n) + b.weight(n))?;
    Some(equal(a, b, n))
}

fn equal<'a>(a: &Column<'a>, b: &Column<'a>, n: usize) -> Column<'a> {
    Bools(match (a, b) {
        (Ints(a), Same(Value::Int(b))) => a.iter().map(|a| a == b).collect(),
        (Ints(a), Ints(b)) => a.iter().zip(b).map(|(a, b)| a == b).collect(),
        (Pairs(a), Pairs(b)) => a.iter().zip(b).map(|(a, b)| a == b).collect(),
        _ => (0..n).map(|place| order::equal(a.get(place), b.get(place))).collect(),
    })
}

fn greater<'a>(cx: &mut Cx<'a>, a: &Column<'a>, b: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let (a, b) = (Side::of(a)?, Side::of(b)?);
    if !a.is_int() || !b.is_int() {
        return None;
    }
    pay(cx, n, 4)?;
    Some(Bools((0..n).map(|place| a.int(place) > b.int(place)).collect()))
}

fn astuple<'a>(cx: &mut Cx<'a>, a: &Column<'a>, b: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let (a, b) = (Side::of(a)?, Side::of(b)?);
    if !a.is_int() || !b.is_int() {
        return None;
    }
    let pairs = (0..n).map(|place| Pair::new(a.int(place), b.int(place))).collect::<Option<_>>()?;
    pay(cx, n, 1 + 2 * scalar::INT + scalar::PAIR)?;
    Some(Pairs(pairs))
}

fn contained<'a>(cx: &mut Cx<'a>, a: &Column<'a>, b: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let (Pairs(places), Same(container @ Value::Patch(patch))) = (a, b) else { return None };
    if patch.is_object() {
        return None;
    }
    pay(cx, n, 1 + scalar::PAIR + u64::from(container.weight()) + 1)?;
    Some(Bools(places.iter().map(|place| patch.covers(place.row(), place.col())).collect()))
}

/// `apply` of one function to pairs of numbers: twice a column of numbers.
fn apply<'a>(cx: &mut Cx<'a>, functions: &Column<'a>, x: &Column<'a>, n: usize) -> Option<Column<'a>> {
    let (Same(function), Pairs(pairs)) = (functions, x) else { return None };
    cx.attempt(|cx| {
        pay(cx, n, 1 + u64::from(function.weight()) + scalar::PAIR)?;
        let rows = column1(cx, *function, &Ints(pairs.iter().map(|pair| pair.row()).collect()), n)?;
        let cols = column1(cx, *function, &Ints(pairs.iter().map(|pair| pair.col()).collect()), n)?;
        cx.spend(rows.weight(n) + cols.weight(n))?;
        if let (Ints(rows), Ints(cols)) = (&rows, &cols) {
            let pairs = rows.iter().zip(cols).map(|(row, col)| Pair::new(*row, *col));
            if let Some(pairs) = pairs.collect() {
                return Some(Pairs(pairs));
            }
        }
        Column::collect((0..n).map(|place| cx.arena.tuple(&[rows.get(place), cols.get(place)]).ok()))
    })
}
