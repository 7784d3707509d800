//! Selecting members and values by rank.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value};

use super::places::colors;
use crate::Cx;
use crate::registry::family;

family! {
    /// Select members and values by rank. A rank counts from the front (`F0`, `F1`, …) or from the back
    /// (`L1`, `L2`, …). By position, `F0` is the first and `L1` the last. By value or frequency, `F0` is the
    /// largest or most frequent, `L1` the smallest or least frequent. Equal members rank in the order of the
    /// container: of two largest, `F0` is the one that comes first and `F1` the other. A rank beyond the last
    /// member fails, and so does every rank of an empty container.
    rank: get_nth, get_nth_by_key, get_arg_rank, get_val_rank, get_rank, get_common_rank, get_color_rank,
}

/// Returns the member at a position.
///
/// ```arc
/// get_nth((7, 8, 9), 0) = 7
/// get_nth({7, 9, 8}, -1) = 9
/// get_nth((7, 8), 2) ! Range
/// get_nth((), 0) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(get_nth_t, get_nth_f))]
fn get_nth(cx: &mut Cx, container: Container<A>, rank: Rank) -> Partial<A> {
    let index = rank_index(cx, cx.len(container)?, rank)?;
    cx.iter(container)?.nth(index).ok_or(Fail::Range)
}

/// Returns the member at a position of the container, sorted by `key` in ascending order.
///
/// The sort is that of `order`, so `F0` has the smallest key.
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
    Ok(items[sorted[rank_index(cx, sorted.len(), rank)?]])
}

/// Returns the member whose function result has the given rank.
///
/// `F0` has the largest result, `F1` the second largest, `L1` the smallest.
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
    Ok(items[index_by_rank(cx, &keys, rank)?])
}

/// Returns the function result of the given rank.
///
/// `F0` is the largest result, `F1` the second largest, `L1` the smallest. Two members with the same result
/// take two ranks.
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
    Ok(keys[index_by_rank(cx, &keys, rank)?])
}

/// Returns the member of the given rank.
///
/// `F0` is the largest member, `F1` the second largest, `L1` the smallest.
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
    Ok(items[index_by_rank(cx, &items, rank)?])
}

/// Returns the member of the given rank by frequency.
///
/// `F0` is the most frequent member, `F1` the second most frequent, `L1` the least frequent. Each value has
/// one rank. Equally frequent values are in ascending order, so `F0` is the result of `mostcommon`.
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

/// Returns the colour of the given rank by frequency in an object or grid.
///
/// `F0` is the most frequent colour, `F1` the second most frequent, `L1` the least frequent. Equally frequent
/// colours are in ascending order, so `F0` is the result of `mostcolor`.
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

/// Returns the index of a rank in a list of length `n`.
fn rank_index<'a>(cx: &Cx<'a>, n: usize, rank: Value<'a>) -> Result<usize, Fail> {
    let rank = cx.int(rank)?;
    if n == 0 {
        return Err(Fail::Empty);
    }
    let index = if rank < 0 { rank.checked_add(n as i64).ok_or(Fail::Range)? } else { rank };
    usize::try_from(index).ok().filter(|index| *index < n).ok_or(Fail::Range)
}

/// Returns the index of the key with a rank in descending order; equal keys keep their order.
fn index_by_rank<'a>(cx: &Cx<'a>, keys: &[Value<'a>], rank: Value<'a>) -> Result<usize, Fail> {
    let rank = rank_index(cx, keys.len(), rank)?;
    // A stable ascending sort of the reversed keys, read from the back, is descending with equals in order.
    let backwards: Vec<_> = keys.iter().rev().copied().collect();
    let sorted = cx.sorted(&backwards)?;
    Ok(keys.len() - 1 - sorted[keys.len() - 1 - rank])
}

/// Returns the item with a rank in descending order of frequency.
fn common_rank<'a>(cx: &Cx<'a>, items: &[Value<'a>], rank: Value<'a>) -> Result<Value<'a>, Fail> {
    let mut counts = cx.distinct(items);
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let (first, _) = counts[rank_index(cx, counts.len(), rank)?];
    Ok(items[first])
}
