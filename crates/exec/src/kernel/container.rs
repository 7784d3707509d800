//! Tuples and sets as such.

use std::cmp::Ordering;

use batt_dsl::Cx;
use batt_value::{Arena, Fail, Value, order};
use smallvec::SmallVec;

use super::grid::most;

serve! {
    P1: totuple, dedupe, mostcommon;
    P2: pair;
}

type Known<'a> = Option<Result<Value<'a>, Fail>>;
type Values<'a> = SmallVec<[Value<'a>; 32]>;

/// Of two sets in list form the members of both, each once; of equal members that of `a`.
pub(super) fn combined<'a>(arena: &'a Arena, a: &[Value<'a>], b: &[Value<'a>]) -> Known<'a> {
    let mut all = Values::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let first = order::cmp(*x, *y);
        all.push(if first.is_gt() { *y } else { *x });
        i += usize::from(first.is_le());
        j += usize::from(first.is_ge());
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    Some(arena.set_ascending(&all))
}

/// Of two sets in list form the members of `a` that are in `b` (`keep`), or that are not.
pub(super) fn selected<'a>(arena: &'a Arena, a: Value<'a>, b: &[Value<'a>], keep: bool) -> Known<'a> {
    let Value::Set(set) = a else { return None };
    let mut kept = Values::new();
    let mut rest = b;
    for item in set.items() {
        // Both ascend, so what is smaller than this member is smaller than all that follow.
        let smaller = rest.iter().take_while(|other| order::cmp(**other, *item) == Ordering::Less).count();
        rest = &rest[smaller..];
        let there = rest.first().is_some_and(|other| order::equal(*other, *item));
        if there == keep {
            kept.push(*item);
        }
    }
    Some(if kept.len() == set.items().len() { Ok(a) } else { arena.set_ascending(&kept) })
}

/// A set in list form with one more member, if it is not there yet.
pub(super) fn inserted<'a>(arena: &'a Arena, set: Value<'a>, value: Value<'a>) -> Known<'a> {
    let Value::Set(it) = set else { return None };
    match it.items().binary_search_by(|item| order::cmp(*item, value)) {
        Ok(_) => Some(Ok(set)),
        Err(place) => {
            let mut items = Values::from_slice(it.items());
            items.insert(place, value);
            Some(arena.set_ascending(&items))
        }
    }
}

fn totuple<'a>(cx: &mut Cx<'a>, container: Value<'a>) -> Known<'a> {
    match container {
        Value::Set(set) => Some(cx.arena.tuple(set.items())),
        _ if container.is_tuple() => Some(Ok(container)),
        _ => None,
    }
}

fn dedupe<'a>(cx: &mut Cx<'a>, tup: Value<'a>) -> Known<'a> {
    match tup {
        Value::Row(row) => {
            let mut seen = [false; 256];
            let mut kept = Values::new();
            for cell in row.cells() {
                if !std::mem::replace(&mut seen[usize::from(*cell as u8)], true) {
                    kept.push(Value::Int((*cell).into()));
                }
            }
            Some(cx.arena.tuple(&kept))
        }
        Value::Grid(grid) => {
            let mut kept: SmallVec<[&[i8]; 32]> = SmallVec::new();
            for row in grid.rows() {
                // Beyond a few hundred rows looking at all of them would take the square of their number.
                if kept.len() > 255 {
                    return None;
                }
                if !kept.contains(&row) {
                    kept.push(row);
                }
            }
            Some(cx.arena.new_grid(kept.len(), grid.width(), |cells| {
                cells.chunks_exact_mut(grid.width()).zip(&kept).for_each(|(to, row)| to.copy_from_slice(row));
            }))
        }
        _ => None,
    }
}

fn mostcommon<'a>(_: &mut Cx<'a>, container: Value<'a>) -> Known<'a> {
    let Value::Row(row) = container else { return None };
    Some(Ok(Value::Int(most(row.cells())?.into())))
}

/// The members of a tuple of small integers.
pub(super) fn small_ints(value: Value<'_>) -> Option<SmallVec<[i8; 32]>> {
    match value {
        Value::Row(row) => Some(SmallVec::from_slice(row.cells())),
        Value::Pair(pair) => {
            let ints = [i8::try_from(pair.row()).ok()?, i8::try_from(pair.col()).ok()?];
            Some(SmallVec::from_slice(&ints))
        }
        _ => None,
    }
}

/// Pairs of small integers are the rows of a grid.
fn pair<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Known<'a> {
    let (a, b) = (small_ints(a)?, small_ints(b)?);
    Some(cx.arena.new_grid(a.len().min(b.len()), 2, |cells| {
        for (to, (a, b)) in cells.chunks_exact_mut(2).zip(a.iter().zip(&b)) {
            to.copy_from_slice(&[*a, *b]);
        }
    }))
}
