//! Members and values by their rank.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value};

use super::places::colors;
use crate::Cx;
use crate::registry::family;

family! {
    /// A rank counts from the front (F0, F1, …) or from the back (L1, L2, …). By position, F0 is the first and L1
    /// the last. By value or by frequency, F0 is the largest or most frequent and L1 the smallest or rarest. Equal
    /// ones are listed in the order of the container, sets in canonical order: of two largest F0 is the one that
    /// comes first and F1 the other. A rank that is not there fails, and so does any rank in an empty container.
    rank: get_nth, get_nth_by_key, get_arg_rank, get_val_rank, get_rank, get_common_rank, get_color_rank,
}

/// The member at a position.
///
/// ```arc
/// get_nth((7, 8, 9), 0) = 7
/// get_nth({7, 9, 8}, -1) = 9
/// get_nth((7, 8), 2) ! Range
/// get_nth((), 0) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(get_nth_t, get_nth_f))]
fn get_nth(cx: &mut Cx, container: Container<A>, rank: Rank) -> Partial<A> {
    let place = place(cx, cx.len(container)?, rank)?;
    cx.iter(container)?.nth(place).ok_or(Fail::Range)
}

/// The member at a position of the container sorted by `key`, ascending as in `order`: F0 has the least key.
///
/// ```arc
/// get_nth_by_key((5, -7, 6), 0, identity) = -7
/// get_nth_by_key(((1, 2), (0,), (3, 4)), -1, size) = (3, 4)
/// get_nth_by_key((5,), 1, identity) ! Range
/// ```
#[primitive(cost = PerCall, order_sensitive, alias(get_nth_by_key_t, get_nth_by_key_f))]
fn get_nth_by_key(cx: &mut Cx, container: Container<A>, rank: Rank, key: Func<A, B>) -> Partial<A> {
    let items = cx.members(container)?;
    let keys = cx.keys(key, &items)?;
    let sorted = cx.sorted(&keys)?;
    Ok(items[sorted[place(cx, sorted.len(), rank)?]])
}

/// The member of which the function says the most (F0), the second most (F1), …, the least (L1).
///
/// ```arc
/// get_arg_rank(((1,), (2, 3), (4, 5)), size, 0) = (2, 3)
/// get_arg_rank(((1,), (2, 3), (4, 5)), size, -1) = (1,)
/// get_arg_rank((), size, 0) ! Empty
/// ```
#[primitive(cost = PerCall, order_sensitive, alias(get_arg_rank_t, get_arg_rank_f))]
fn get_arg_rank(cx: &mut Cx, container: Container<A>, compfunc: Func<A, B>, rank: Rank) -> Partial<A> {
    let items = cx.members(container)?;
    let keys = cx.keys(compfunc, &items)?;
    Ok(items[ranked(cx, &keys, rank)?])
}

/// The most that the function says of a member (F0), the second most (F1), …, the least (L1). Two members with the
/// same value take two ranks.
///
/// ```arc
/// get_val_rank(((1,), (2, 3), (4, 5)), size, 0) = 2
/// get_val_rank(((1,), (2, 3), (4, 5)), size, 1) = 2
/// get_val_rank(((1,), (2, 3), (4, 5)), size, -1) = 1
/// ```
#[primitive(cost = PerCall, order_sensitive, alias(get_val_rank_t, get_val_rank_f))]
fn get_val_rank(cx: &mut Cx, container: Container<A>, compfunc: Func<A, B>, rank: Rank) -> Partial<B> {
    let items = cx.members(container)?;
    let keys = cx.keys(compfunc, &items)?;
    Ok(keys[ranked(cx, &keys, rank)?])
}

/// The largest member (F0), the second largest (F1), …, the smallest (L1).
///
/// ```arc
/// get_rank({3, 5, 4}, 0) = 5
/// get_rank((3, 5, 5, 4), 2) = 4
/// get_rank({3, 5, 4}, -1) = 3
/// get_rank({3}, -2) ! Range
/// ```
#[primitive(cost = PerCell)]
fn get_rank(cx: &mut Cx, container: Container<Int>, rank: Rank) -> Partial<Int> {
    let items = cx.members(container)?;
    Ok(items[ranked(cx, &items, rank)?])
}

/// The most frequent member (F0), the second most frequent (F1), …, the rarest (L1). Each value has one rank;
/// equally frequent ones are listed in canonical order, so that F0 is `mostcommon`.
///
/// ```arc
/// get_common_rank((3, 1, 3, 2), 0) = 3
/// get_common_rank((3, 1, 3, 2), 1) = 1
/// get_common_rank((3, 1, 3, 2), -1) = 2
/// get_common_rank({5, 4}, 0) = 4
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(get_common_rank_t, get_common_rank_f))]
fn get_common_rank(cx: &mut Cx, container: Container<A>, rank: Rank) -> Partial<A> {
    let items = cx.members(container)?;
    common_rank(cx, &items, rank)
}

/// The most frequent colour of an object or grid (F0), the second most frequent (F1), …, the rarest (L1). Equally
/// frequent ones are listed in ascending order, so that F0 is `mostcolor`.
///
/// ```arc
/// get_color_rank([3 1 | 3 2], 0) = 3
/// get_color_rank([3 1 | 3 2], -1) = 2
/// get_color_rank({(4, (0, 0)), (7, (0, 1)), (7, (1, 0))}, 0) = 7
/// get_color_rank({}, 0) ! Empty
/// ```
#[primitive(
    cost = PerCell,
    order_sensitive,
    alias(get_color_rank_t, get_color_rank_f),
    keyword(grid = element, obj = element)
)]
fn get_color_rank(cx: &mut Cx, element: Element, rank: Rank) -> Partial<Color> {
    let colors = colors(cx, element)?;
    common_rank(cx, &colors, rank)
}

/// Where in a list of `n` the rank points.
fn place<'a>(cx: &Cx<'a>, n: usize, rank: Value<'a>) -> Result<usize, Fail> {
    let rank = cx.int(rank)?;
    if n == 0 {
        return Err(Fail::Empty);
    }
    let place = if rank < 0 { rank.checked_add(n as i64).ok_or(Fail::Range)? } else { rank };
    usize::try_from(place).ok().filter(|place| *place < n).ok_or(Fail::Range)
}

/// The place of the key with a rank among descending keys; of equal keys the front one comes first.
fn ranked<'a>(cx: &Cx<'a>, keys: &[Value<'a>], rank: Value<'a>) -> Result<usize, Fail> {
    let rank = place(cx, keys.len(), rank)?;
    // Ascending from back to front is descending from front to back, with equals in their order.
    let backwards: Vec<_> = keys.iter().rev().copied().collect();
    let sorted = cx.sorted(&backwards)?;
    Ok(keys.len() - 1 - sorted[keys.len() - 1 - rank])
}

/// The item with a rank among descending frequencies.
fn common_rank<'a>(cx: &Cx<'a>, items: &[Value<'a>], rank: Value<'a>) -> Result<Value<'a>, Fail> {
    let mut counts = cx.distinct(items);
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let (first, _) = counts[place(cx, counts.len(), rank)?];
    Ok(items[first])
}
