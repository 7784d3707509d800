//! Kernels for tuples and sets in general.

use std::cmp::Ordering;

use batt_dsl::Cx;
use batt_value::{Arena, Value, order};
use smallvec::SmallVec;

use super::Answer;
use super::grid::most_common;

register! {
    P1: totuple, dedupe, mostcommon;
    P2: pair;
}

type Values<'a> = SmallVec<[Value<'a>; 32]>;

/// Makes the union of two sets in list form. Of equal members, that of `a` is kept.
pub(super) fn union_lists<'a>(arena: &'a Arena, a: &[Value<'a>], b: &[Value<'a>]) -> Answer<'a> {
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

/// For two sets in list form, returns the members of `a` that are in `b`, or if `keep` is false those that
/// are not.
pub(super) fn filter_list<'a>(arena: &'a Arena, a: Value<'a>, b: &[Value<'a>], keep: bool) -> Answer<'a> {
    let Value::Set(set) = a else { return None };
    let mut kept = Values::new();
    let mut rest = b;
    for item in set.items() {
        // Both are ascending, so members of `b` that are smaller than this one are not needed any more.
        let smaller = rest.iter().take_while(|other| order::cmp(**other, *item) == Ordering::Less).count();
        rest = &rest[smaller..];
        let is_in_b = rest.first().is_some_and(|other| order::equal(*other, *item));
        if is_in_b == keep {
            kept.push(*item);
        }
    }
    Some(if kept.len() == set.items().len() { Ok(a) } else { arena.set_ascending(&kept) })
}

/// Inserts a member into a set in list form.
pub(super) fn insert_into_list<'a>(arena: &'a Arena, set: Value<'a>, value: Value<'a>) -> Answer<'a> {
    let Value::Set(it) = set else { return None };
    match it.items().binary_search_by(|item| order::cmp(*item, value)) {
        Ok(_) => Some(Ok(set)),
        Err(index) => {
            let mut items = Values::from_slice(it.items());
            items.insert(index, value);
            Some(arena.set_ascending(&items))
        }
    }
}

fn totuple<'a>(cx: &mut Cx<'a>, container: Value<'a>) -> Answer<'a> {
    match container {
        Value::Set(set) => Some(cx.arena.tuple(set.items())),
        _ if container.is_tuple() => Some(Ok(container)),
        _ => None,
    }
}

fn dedupe<'a>(cx: &mut Cx<'a>, tup: Value<'a>) -> Answer<'a> {
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
                // The time is quadratic in the number of distinct rows, so limit it.
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

fn mostcommon<'a>(_: &mut Cx<'a>, container: Value<'a>) -> Answer<'a> {
    let Value::Row(row) = container else { return None };
    Some(Ok(Value::Int(most_common(row.cells())?.into())))
}

/// Returns the members of a tuple of small integers.
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

/// A tuple of pairs of small integers has the form of a grid.
fn pair<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let (a, b) = (small_ints(a)?, small_ints(b)?);
    Some(cx.arena.new_grid(a.len().min(b.len()), 2, |cells| {
        for (to, (a, b)) in cells.chunks_exact_mut(2).zip(a.iter().zip(&b)) {
            to.copy_from_slice(&[*a, *b]);
        }
    }))
}
