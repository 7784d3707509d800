//! Numbers, pairs, and looking into tuples.

use batt_dsl::Cx;
use batt_value::{Fail, Pair, Value};

serve! {
    K1: invert, double, halve, increment, decrement, crement, sign, first, last, maximum, minimum;
    K2: add, subtract, multiply, astuple, contained;
}

type Known<'a> = Option<Result<Value<'a>, Fail>>;

fn add<'a>(_: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Known<'a> {
    two(a, b, i64::checked_add)
}

fn subtract<'a>(_: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Known<'a> {
    two(a, b, i64::checked_sub)
}

fn multiply<'a>(_: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Known<'a> {
    two(a, b, i64::checked_mul)
}

fn invert<'a>(_: &mut Cx<'a>, n: Value<'a>) -> Known<'a> {
    one(n, i64::checked_neg)
}

fn double<'a>(_: &mut Cx<'a>, n: Value<'a>) -> Known<'a> {
    one(n, |n| n.checked_mul(2))
}

fn halve<'a>(_: &mut Cx<'a>, n: Value<'a>) -> Known<'a> {
    one(n, |n| Some(n >> 1))
}

fn increment<'a>(_: &mut Cx<'a>, n: Value<'a>) -> Known<'a> {
    one(n, |n| n.checked_add(1))
}

fn decrement<'a>(_: &mut Cx<'a>, n: Value<'a>) -> Known<'a> {
    one(n, |n| n.checked_sub(1))
}

fn crement<'a>(_: &mut Cx<'a>, n: Value<'a>) -> Known<'a> {
    one(n, |n| n.checked_add(n.signum()))
}

fn sign<'a>(_: &mut Cx<'a>, n: Value<'a>) -> Known<'a> {
    one(n, |n| Some(n.signum()))
}

fn first<'a>(cx: &mut Cx<'a>, container: Value<'a>) -> Known<'a> {
    match container {
        Value::Pair(pair) => Some(Ok(Value::Int(pair.row()))),
        Value::Cell(cell) => Some(Ok(Value::Int(cell.color()))),
        Value::Row(row) => Some(Ok(Value::Int(row.cells()[0].into()))),
        Value::Grid(grid) => Some(Ok(cx.arena.row(grid.row(0)))),
        Value::Tuple(tuple) => tuple.items().first().map(|item| Ok(*item)),
        Value::Set(set) => set.items().first().map(|item| Ok(*item)),
        Value::Patch(patch) => Some(Ok(patch.first())),
        _ => None,
    }
}

fn last<'a>(cx: &mut Cx<'a>, container: Value<'a>) -> Known<'a> {
    match container {
        Value::Pair(pair) => Some(Ok(Value::Int(pair.col()))),
        Value::Cell(cell) => Some(Ok(Value::Pair(cell.place()))),
        Value::Row(row) => row.cells().last().map(|&cell| Ok(Value::Int(cell.into()))),
        Value::Grid(grid) => Some(Ok(cx.arena.row(grid.row(grid.height() - 1)))),
        Value::Tuple(tuple) => tuple.items().last().map(|item| Ok(*item)),
        Value::Set(set) => set.items().last().map(|item| Ok(*item)),
        _ => None,
    }
}

fn maximum<'a>(_: &mut Cx<'a>, container: Value<'a>) -> Known<'a> {
    extreme(container, i64::max)
}

fn minimum<'a>(_: &mut Cx<'a>, container: Value<'a>) -> Known<'a> {
    extreme(container, i64::min)
}

fn astuple<'a>(_: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Known<'a> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => pair(a, b),
        _ => None,
    }
}

fn contained<'a>(_: &mut Cx<'a>, value: Value<'a>, container: Value<'a>) -> Known<'a> {
    match (value, container) {
        (Value::Pair(place), Value::Patch(patch)) if !patch.is_object() => {
            Some(Ok(patch.covers(place.row(), place.col()).into()))
        }
        (Value::Int(value), Value::Pair(pair)) => {
            Some(Ok((pair.row() == value || pair.col() == value).into()))
        }
        (Value::Int(value), Value::Row(row)) => {
            Some(Ok(i8::try_from(value).is_ok_and(|value| row.cells().contains(&value)).into()))
        }
        _ => None,
    }
}

fn one<'a>(n: Value<'a>, op: impl Fn(i64) -> Option<i64>) -> Known<'a> {
    match n {
        Value::Int(n) => op(n).map(|n| Ok(Value::Int(n))),
        Value::Pair(p) => pair(op(p.row())?, op(p.col())?),
        _ => None,
    }
}

fn two<'a>(a: Value<'a>, b: Value<'a>, op: impl Fn(i64, i64) -> Option<i64>) -> Known<'a> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => op(a, b).map(|n| Ok(Value::Int(n))),
        (Value::Pair(a), Value::Pair(b)) => pair(op(a.row(), b.row())?, op(a.col(), b.col())?),
        (Value::Int(a), Value::Pair(b)) => pair(op(a, b.row())?, op(a, b.col())?),
        (Value::Pair(a), Value::Int(b)) => pair(op(a.row(), b)?, op(a.col(), b)?),
        _ => None,
    }
}

fn pair<'a>(row: i64, col: i64) -> Known<'a> {
    Pair::new(row, col).map(|pair| Ok(Value::Pair(pair)))
}

fn extreme<'a>(container: Value<'a>, better: impl Fn(i64, i64) -> i64) -> Known<'a> {
    let best = match container {
        Value::Pair(pair) => better(pair.row(), pair.col()),
        Value::Row(row) => row.cells().iter().map(|&cell| i64::from(cell)).reduce(better)?,
        Value::Set(set) => {
            let mut best = None;
            for item in set.items() {
                let Value::Int(int) = *item else { return None };
                best = Some(best.map_or(int, |best| better(best, int)));
            }
            best?
        }
        _ => return None,
    };
    Some(Ok(Value::Int(best)))
}
