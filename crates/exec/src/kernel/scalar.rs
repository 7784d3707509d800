//! Quick kernels for numbers, pairs, members of tuples and bounds of patches. They make up three quarters of
//! all calls.

use batt_dsl::Cx;
use batt_value::{Pair, Patch, Value, order};

use super::QuickAnswer;
use super::patch::{as_patch, listed_places};

register! {
    Q1: invert, double, halve, increment, decrement, crement, sign, even, positive, flip, identity, first, last, size,
        maximum, minimum, uppermost, lowermost, leftmost, rightmost, ulcorner, urcorner, llcorner, lrcorner, center,
        height, width, shape, portrait, square, vline, hline, normalize, toindices, color, numcolors, initset;
    Q2: add, subtract, multiply, greater, equality, astuple, contained, both, either, shift, recolor, index;
}

/// Charges 1 + the weights of the arguments + the weight of the value, and returns the value.
#[inline(always)]
fn charge_weights<'a>(cx: &mut Cx<'a>, arguments: u64, value: Value<'a>) -> QuickAnswer<'a> {
    cx.spend(1 + arguments + u64::from(value.weight()))?;
    Some(value)
}

#[inline(always)]
fn charge_one<'a>(cx: &mut Cx<'a>, value: Value<'a>) -> QuickAnswer<'a> {
    cx.spend(1)?;
    Some(value)
}

/// The weight of an integer.
pub(super) const INT: u64 = 1;
/// The weight of a pair.
pub(super) const PAIR: u64 = 3;

fn add<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> QuickAnswer<'a> {
    map2(cx, a, b, i64::checked_add)
}

fn subtract<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> QuickAnswer<'a> {
    map2(cx, a, b, i64::checked_sub)
}

fn multiply<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> QuickAnswer<'a> {
    map2(cx, a, b, i64::checked_mul)
}

fn invert<'a>(cx: &mut Cx<'a>, n: Value<'a>) -> QuickAnswer<'a> {
    map1(cx, n, i64::checked_neg)
}

fn double<'a>(cx: &mut Cx<'a>, n: Value<'a>) -> QuickAnswer<'a> {
    map1(cx, n, |n| n.checked_mul(2))
}

fn halve<'a>(cx: &mut Cx<'a>, n: Value<'a>) -> QuickAnswer<'a> {
    map1(cx, n, |n| Some(n >> 1))
}

fn increment<'a>(cx: &mut Cx<'a>, n: Value<'a>) -> QuickAnswer<'a> {
    map1(cx, n, |n| n.checked_add(1))
}

fn decrement<'a>(cx: &mut Cx<'a>, n: Value<'a>) -> QuickAnswer<'a> {
    map1(cx, n, |n| n.checked_sub(1))
}

fn crement<'a>(cx: &mut Cx<'a>, n: Value<'a>) -> QuickAnswer<'a> {
    map1(cx, n, |n| n.checked_add(n.signum()))
}

fn sign<'a>(cx: &mut Cx<'a>, n: Value<'a>) -> QuickAnswer<'a> {
    map1(cx, n, |n| Some(n.signum()))
}

fn even<'a>(cx: &mut Cx<'a>, n: Value<'a>) -> QuickAnswer<'a> {
    let Value::Int(n) = n else { return None };
    charge_one(cx, (n % 2 == 0).into())
}

fn positive<'a>(cx: &mut Cx<'a>, x: Value<'a>) -> QuickAnswer<'a> {
    let Value::Int(x) = x else { return None };
    charge_one(cx, (x > 0).into())
}

fn flip<'a>(cx: &mut Cx<'a>, b: Value<'a>) -> QuickAnswer<'a> {
    charge_one(cx, (!b.truth()).into())
}

fn identity<'a>(cx: &mut Cx<'a>, x: Value<'a>) -> QuickAnswer<'a> {
    charge_one(cx, x)
}

fn both<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> QuickAnswer<'a> {
    charge_one(cx, if a.truth() { b } else { a })
}

fn either<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> QuickAnswer<'a> {
    charge_one(cx, if a.truth() { a } else { b })
}

fn size<'a>(cx: &mut Cx<'a>, container: Value<'a>) -> QuickAnswer<'a> {
    let n = container.len()? as i64;
    charge_one(cx, Value::Int(n))
}

fn first<'a>(cx: &mut Cx<'a>, container: Value<'a>) -> QuickAnswer<'a> {
    let first = match container {
        Value::Pair(pair) => Value::Int(pair.row()),
        Value::Cell(cell) => Value::Int(cell.color()),
        Value::Row(row) => Value::Int(row.cells()[0].into()),
        Value::Grid(grid) => cx.arena.row(grid.row(0)),
        Value::Tuple(tuple) => *tuple.items().first()?,
        Value::Set(set) => *set.items().first()?,
        Value::Patch(patch) => patch.first(),
        _ => return None,
    };
    charge_one(cx, first)
}

fn last<'a>(cx: &mut Cx<'a>, container: Value<'a>) -> QuickAnswer<'a> {
    let last = match container {
        Value::Pair(pair) => Value::Int(pair.col()),
        Value::Cell(cell) => Value::Pair(cell.place()),
        Value::Row(row) => Value::Int((*row.cells().last()?).into()),
        Value::Grid(grid) => cx.arena.row(grid.row(grid.height() - 1)),
        Value::Tuple(tuple) => *tuple.items().last()?,
        Value::Set(set) => *set.items().last()?,
        _ => return None,
    };
    charge_weights(cx, container.weight().into(), last)
}

fn maximum<'a>(cx: &mut Cx<'a>, container: Value<'a>) -> QuickAnswer<'a> {
    extreme(cx, container, i64::max)
}

fn minimum<'a>(cx: &mut Cx<'a>, container: Value<'a>) -> QuickAnswer<'a> {
    extreme(cx, container, i64::min)
}

fn greater<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> QuickAnswer<'a> {
    let (Value::Int(a), Value::Int(b)) = (a, b) else { return None };
    charge_weights(cx, INT + INT, (a > b).into())
}

fn equality<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> QuickAnswer<'a> {
    let weights = u64::from(a.weight()) + u64::from(b.weight());
    cx.spend(1 + weights + INT)?;
    Some(order::equal(a, b).into())
}

fn astuple<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> QuickAnswer<'a> {
    let (Value::Int(first), Value::Int(second)) = (a, b) else {
        let tuple = cx.arena.tuple(&[a, b]).ok()?;
        return charge_weights(cx, u64::from(a.weight()) + u64::from(b.weight()), tuple);
    };
    charge_weights(cx, INT + INT, pair(first, second)?)
}

fn initset<'a>(cx: &mut Cx<'a>, value: Value<'a>) -> QuickAnswer<'a> {
    let set = cx.arena.set_ascending(&[value]).ok()?;
    charge_weights(cx, value.weight().into(), set)
}

fn contained<'a>(cx: &mut Cx<'a>, value: Value<'a>, container: Value<'a>) -> QuickAnswer<'a> {
    let contained = match (value, container) {
        (Value::Pair(place), Value::Patch(patch)) if !patch.is_object() => {
            patch.covers(place.row(), place.col())
        }
        (Value::Int(value), Value::Pair(pair)) => pair.row() == value || pair.col() == value,
        (Value::Int(value), Value::Row(row)) => {
            i8::try_from(value).is_ok_and(|value| row.cells().contains(&value))
        }
        (_, Value::Set(set)) => set.items().iter().any(|item| order::equal(*item, value)),
        (_, Value::Tuple(tuple)) => tuple.items().iter().any(|item| order::equal(*item, value)),
        _ => return None,
    };
    charge_weights(cx, u64::from(value.weight()) + u64::from(container.weight()), contained.into())
}

#[inline(always)]
fn map1<'a>(cx: &mut Cx<'a>, n: Value<'a>, op: impl Fn(i64) -> Option<i64>) -> QuickAnswer<'a> {
    match n {
        Value::Int(n) => charge_weights(cx, INT, Value::Int(op(n)?)),
        Value::Pair(p) => charge_weights(cx, PAIR, pair(op(p.row())?, op(p.col())?)?),
        _ => None,
    }
}

#[inline(always)]
fn map2<'a>(
    cx: &mut Cx<'a>,
    a: Value<'a>,
    b: Value<'a>,
    op: impl Fn(i64, i64) -> Option<i64>,
) -> QuickAnswer<'a> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => charge_weights(cx, INT + INT, Value::Int(op(a, b)?)),
        (Value::Pair(a), Value::Pair(b)) => {
            charge_weights(cx, PAIR + PAIR, pair(op(a.row(), b.row())?, op(a.col(), b.col())?)?)
        }
        (Value::Bool(a), Value::Int(b)) => charge_weights(cx, INT + INT, Value::Int(op(a as i64, b)?)),
        (Value::Int(a), Value::Pair(b)) => {
            charge_weights(cx, INT + PAIR, pair(op(a, b.row())?, op(a, b.col())?)?)
        }
        (Value::Pair(a), Value::Int(b)) => {
            charge_weights(cx, PAIR + INT, pair(op(a.row(), b)?, op(a.col(), b)?)?)
        }
        _ => None,
    }
}

#[inline(always)]
fn pair<'a>(row: i64, col: i64) -> QuickAnswer<'a> {
    Pair::new(row, col).map(Value::Pair)
}

fn extreme<'a>(cx: &mut Cx<'a>, container: Value<'a>, better: impl Fn(i64, i64) -> i64) -> QuickAnswer<'a> {
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
    charge_weights(cx, container.weight().into(), Value::Int(best))
}

/// Calls `get` on a patch, and charges the weights.
#[inline(always)]
fn of_patch<'a>(
    cx: &mut Cx<'a>,
    patch: Value<'a>,
    get: impl Fn(&mut Cx<'a>, &'a Patch<'a>) -> QuickAnswer<'a>,
) -> QuickAnswer<'a> {
    let Value::Patch(it) = patch else { return None };
    let value = get(cx, it)?;
    charge_weights(cx, patch.weight().into(), value)
}

fn uppermost<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |_, patch| Some(Value::Int(patch.bounds().0)))
}

fn leftmost<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |_, patch| Some(Value::Int(patch.bounds().1)))
}

fn lowermost<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |_, patch| Some(Value::Int(patch.bounds().0 + patch.bounds().2 - 1)))
}

fn rightmost<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |_, patch| Some(Value::Int(patch.bounds().1 + patch.bounds().3 - 1)))
}

fn ulcorner<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |_, patch| {
        let (row, col, _, _) = patch.bounds();
        pair(row, col)
    })
}

fn urcorner<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |_, patch| {
        let (row, col, _, width) = patch.bounds();
        pair(row, col + width - 1)
    })
}

fn llcorner<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |_, patch| {
        let (row, col, height, _) = patch.bounds();
        pair(row + height - 1, col)
    })
}

fn lrcorner<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |_, patch| {
        let (row, col, height, width) = patch.bounds();
        pair(row + height - 1, col + width - 1)
    })
}

fn center<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |_, patch| {
        let (row, col, height, width) = patch.bounds();
        pair(row + height / 2, col + width / 2)
    })
}

/// Calls `get` with the height and width of a grid or patch, and charges the weights.
#[inline(always)]
fn of_size<'a>(
    cx: &mut Cx<'a>,
    piece: Value<'a>,
    get: impl Fn(i64, i64) -> QuickAnswer<'a>,
) -> QuickAnswer<'a> {
    let value = match piece {
        Value::Grid(grid) => get(grid.height() as i64, grid.width() as i64)?,
        Value::Patch(patch) => get(patch.bounds().2, patch.bounds().3)?,
        _ => return None,
    };
    charge_weights(cx, piece.weight().into(), value)
}

fn height<'a>(cx: &mut Cx<'a>, piece: Value<'a>) -> QuickAnswer<'a> {
    of_size(cx, piece, |height, _| Some(Value::Int(height)))
}

fn width<'a>(cx: &mut Cx<'a>, piece: Value<'a>) -> QuickAnswer<'a> {
    of_size(cx, piece, |_, width| Some(Value::Int(width)))
}

fn shape<'a>(cx: &mut Cx<'a>, piece: Value<'a>) -> QuickAnswer<'a> {
    of_size(cx, piece, pair)
}

fn portrait<'a>(cx: &mut Cx<'a>, piece: Value<'a>) -> QuickAnswer<'a> {
    of_size(cx, piece, |height, width| Some((height > width).into()))
}

fn square<'a>(cx: &mut Cx<'a>, piece: Value<'a>) -> QuickAnswer<'a> {
    let full = |height: i64, width: i64| match piece {
        Value::Patch(patch) => height * width == patch.count() as i64,
        _ => true,
    };
    of_size(cx, piece, |height, width| Some((height == width && full(height, width)).into()))
}

fn vline<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |_, patch| {
        Some((patch.bounds().3 == 1 && patch.bounds().2 == patch.count() as i64).into())
    })
}

fn hline<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |_, patch| {
        Some((patch.bounds().2 == 1 && patch.bounds().3 == patch.count() as i64).into())
    })
}

fn normalize<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |cx, patch| cx.arena.moved(patch, -patch.bounds().0, -patch.bounds().1))
}

fn toindices<'a>(cx: &mut Cx<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    of_patch(cx, patch, |cx, patch| match patch.is_object() {
        true => cx.arena.recolored(patch, None),
        false => Some(Value::Patch(patch)),
    })
}

fn color<'a>(cx: &mut Cx<'a>, obj: Value<'a>) -> QuickAnswer<'a> {
    match obj {
        Value::Patch(patch) if patch.is_object() => {
            charge_one(cx, Value::Int(i64::from(patch.colors().trailing_zeros()) - 1))
        }
        Value::Tuple(tuple) => match tuple.items().first()? {
            Value::Cell(cell) => charge_one(cx, Value::Int(cell.color())),
            _ => None,
        },
        _ => None,
    }
}

fn numcolors<'a>(cx: &mut Cx<'a>, element: Value<'a>) -> QuickAnswer<'a> {
    let n = match element {
        Value::Patch(patch) if patch.is_object() => i64::from(patch.colors().count_ones()),
        Value::Grid(grid) => super::grid::histogram(grid.cells())?.colors().count() as i64,
        _ => return None,
    };
    charge_weights(cx, element.weight().into(), Value::Int(n))
}

fn shift<'a>(cx: &mut Cx<'a>, patch: Value<'a>, directions: Value<'a>) -> QuickAnswer<'a> {
    let Value::Pair(by) = directions else { return None };
    let moved = match patch {
        Value::Patch(patch) => cx.arena.moved(patch, by.row(), by.col())?,
        _ => match moved_places(cx, patch, by) {
            Some(moved) => moved,
            None => cx.arena.moved(as_patch(cx.arena, patch)?, by.row(), by.col())?,
        },
    };
    charge_weights(cx, u64::from(patch.weight()) + PAIR, moved)
}

/// Moves places that are not in bit planes.
fn moved_places<'a>(cx: &mut Cx<'a>, patch: Value<'a>, by: Pair) -> QuickAnswer<'a> {
    let places = listed_places(patch)?;
    let shifted = |place: &Pair| pair(place.row() + by.row(), place.col() + by.col());
    let moved = cx.arena.try_gather(places.iter().map(shifted)).filter(|moved| !moved.is_empty())?;
    // Moving a set keeps its order.
    if patch.is_set() { cx.arena.set_ascending(moved).ok() } else { cx.arena.set_in(moved).ok() }
}

fn recolor<'a>(cx: &mut Cx<'a>, value: Value<'a>, patch: Value<'a>) -> QuickAnswer<'a> {
    let Value::Int(color) = value else { return None };
    let recolored = cx.arena.recolored(as_patch(cx.arena, patch)?, Some(color))?;
    // The object is heavier than the set of places, so it may exceed the cap.
    if recolored.weight() > cx.arena.caps().weight {
        return None;
    }
    charge_weights(cx, INT + u64::from(patch.weight()), recolored)
}

fn index<'a>(cx: &mut Cx<'a>, grid: Value<'a>, loc: Value<'a>) -> QuickAnswer<'a> {
    let (Value::Grid(grid), Value::Pair(loc)) = (grid, loc) else { return None };
    let (row, col) = (loc.row(), loc.col());
    let inside = (0..grid.height() as i64).contains(&row) && (0..grid.width() as i64).contains(&col);
    charge_one(cx, if inside { Value::Int(grid[(row as usize, col as usize)].into()) } else { Value::None })
}
