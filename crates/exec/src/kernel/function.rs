//! Kernels that call functions on containers.

use std::cmp::Ordering;

use batt_dsl::Cx;
use batt_value::{Column, Fail, Planes, Value};
use smallvec::SmallVec;

use super::Answer;
use super::column;
use super::container::small_ints;
use super::patch::{Words, union};

register! {
    K2: apply, mapply, sfilter, mfilter, product, argmax, argmin, valmax, valmin,
        order;
    K3: papply, mpapply, prapply;
}

type Values<'a> = SmallVec<[Value<'a>; 12]>;

fn apply<'a>(cx: &mut Cx<'a>, function: Value<'a>, container: Value<'a>) -> Answer<'a> {
    if let Value::Pair(pair) = container {
        let results = cx.collect(function, Value::Int(pair.row())).and_then(|first| {
            let second = cx.collect(function, Value::Int(pair.col()))?;
            cx.arena.tuple(&[first, second])
        });
        return Some(results);
    }
    let n = container.len()?;
    let as_column = cx.attempt(|cx| {
        let results = column::collect_members(cx, function, container)?;
        let row = match results {
            Column::Ints(ints) if container.is_tuple() => cx.arena.row_of_ints(ints),
            _ => None,
        };
        Some(match row {
            Some(row) => Ok(row),
            None => cx.like_in(container, results.values(cx.arena, n)?),
        })
    });
    if as_column.is_some() {
        return as_column;
    }
    Some(one_by_one(cx, function, container)?.and_then(|results| cx.like_in(container, results)))
}

/// Calls a function on every member and charges for collecting the results.
fn call_all<'a>(
    cx: &mut Cx<'a>,
    function: Value<'a>,
    container: Value<'a>,
) -> Option<Result<&'a [Value<'a>], Fail>> {
    let n = container.len()?;
    match cx.attempt(|cx| column::collect_members(cx, function, container)?.values(cx.arena, n)) {
        Some(results) => Some(Ok(results)),
        None => one_by_one(cx, function, container),
    }
}

fn one_by_one<'a>(
    cx: &mut Cx<'a>,
    function: Value<'a>,
    container: Value<'a>,
) -> Option<Result<&'a [Value<'a>], Fail>> {
    let results = cx.arena.repeat(container.len()?, Value::None);
    for (to, item) in results.iter_mut().zip(container.items(cx.arena)?) {
        match cx.collect(function, item) {
            Ok(result) => *to = result,
            Err(fail) => return Some(Err(fail)),
        }
    }
    Some(Ok(results))
}

/// Makes the union of the results directly, without the set of results.
fn mapply<'a>(cx: &mut Cx<'a>, function: Value<'a>, container: Value<'a>) -> Answer<'a> {
    if !container.is_set() {
        return Some(match call_all(cx, function, container)? {
            Ok(results) => cx.like_in(container, results).and_then(|results| cx.merged(results)),
            Err(fail) => Err(fail),
        });
    }
    Some(match call_all(cx, function, container)? {
        Ok(results) => union_results(cx, container, results),
        Err(fail) => Err(fail),
    })
}

fn union_results<'a>(
    cx: &mut Cx<'a>,
    container: Value<'a>,
    results: &'a [Value<'a>],
) -> Result<Value<'a>, Fail> {
    let weight = 1 + results.iter().map(|result| u64::from(result.weight())).sum::<u64>();
    // The body makes the set of results, which would have to be within the caps.
    if weight <= u64::from(cx.arena.caps().weight)
        && results.iter().all(|result| matches!(result, Value::Patch(_) | Value::Set(_)))
        && let Some(union) = union(cx.arena, results)
    {
        return union;
    }
    let results = cx.like_in(container, results)?;
    cx.merged(results)
}

fn papply<'a>(cx: &mut Cx<'a>, function: Value<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let results = call_pairwise(cx, function, a, b)?;
    Some(cx.arena.tuple_in(results))
}

fn mpapply<'a>(cx: &mut Cx<'a>, function: Value<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let results = call_pairwise(cx, function, a, b)?;
    Some(cx.arena.tuple_in(results).and_then(|results| cx.merged(results)))
}

/// Calls a function on the members of two containers of the same length, as a column.
fn call_pairwise<'a>(
    cx: &mut Cx<'a>,
    function: Value<'a>,
    a: Value<'a>,
    b: Value<'a>,
) -> Option<&'a [Value<'a>]> {
    let n = a.len().filter(|n| b.len() == Some(*n))?;
    let (a, b) = (column::members(cx, a)?, column::members(cx, b)?);
    column::collect2(cx, function, &a, &b, n)
}

fn prapply<'a>(cx: &mut Cx<'a>, function: Value<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let (n, m) = (a.len()?, b.len()?);
    if n == 0 || m == 0 || n.checked_mul(m)? > 4096 {
        return None;
    }
    let (a, b) = (column::members(cx, a)?, column::members(cx, b)?);
    let (a, b) = (a.tiled(cx.arena, n), b.repeated(cx.arena, n));
    let results =
        column::collect2(cx, function, &a.flatten(cx.arena, n * m), &b.flatten(cx.arena, n * m), n * m)?;
    Some(cx.arena.set_in(results))
}

fn argmax<'a>(cx: &mut Cx<'a>, container: Value<'a>, key: Value<'a>) -> Answer<'a> {
    best(cx, container, key, Ordering::Greater).map(Ok)
}

fn argmin<'a>(cx: &mut Cx<'a>, container: Value<'a>, key: Value<'a>) -> Answer<'a> {
    best(cx, container, key, Ordering::Less).map(Ok)
}

fn valmax<'a>(cx: &mut Cx<'a>, container: Value<'a>, key: Value<'a>) -> Answer<'a> {
    best(cx, container, key, Ordering::Greater).map(|item| cx.call1(key, item))
}

fn valmin<'a>(cx: &mut Cx<'a>, container: Value<'a>, key: Value<'a>) -> Answer<'a> {
    best(cx, container, key, Ordering::Less).map(|item| cx.call1(key, item))
}

/// Returns the first member with the greatest or the least key, for keys that are numbers or pairs.
fn best<'a>(cx: &mut Cx<'a>, container: Value<'a>, key: Value<'a>, wanted: Ordering) -> Option<Value<'a>> {
    let n = container.len()?;
    let items = column::members(cx, container)?;
    cx.attempt(|cx| {
        let index = column::collect1(cx, &Column::Same(key), &items, n)?.best(0..n, wanted)?;
        items.get(cx.arena, index)
    })
}

/// Sorts the members by keys that are numbers or pairs.
fn order<'a>(cx: &mut Cx<'a>, container: Value<'a>, key: Value<'a>) -> Answer<'a> {
    let n = container.len()?;
    let items = column::members(cx, container)?;
    let indices =
        cx.attempt(|cx| column::collect1(cx, &Column::Same(key), &items, n)?.sorted_indices(cx.arena, n))?;
    let ordered = items.pick(cx.arena, indices.iter().copied()).values(cx.arena, n)?;
    Some(cx.arena.tuple_in(ordered))
}

fn sfilter<'a>(cx: &mut Cx<'a>, container: Value<'a>, condition: Value<'a>) -> Answer<'a> {
    match container {
        Value::Patch(_) | Value::Set(_) => Some(filter_set(cx, container, condition)),
        _ => None,
    }
}

fn mfilter<'a>(cx: &mut Cx<'a>, container: Value<'a>, function: Value<'a>) -> Answer<'a> {
    let Value::Set(_) = container else { return None };
    Some(filter_set(cx, container, function).and_then(|kept| match kept {
        Value::Set(set) => match union(cx.arena, set.items()) {
            Some(union) => union,
            None => cx.merged(kept),
        },
        _ => cx.merged(kept),
    }))
}

/// Filters a set without sorting: clears bits of a patch, or keeps the order of a list.
fn filter_set<'a>(cx: &mut Cx<'a>, container: Value<'a>, condition: Value<'a>) -> Result<Value<'a>, Fail> {
    match container {
        Value::Patch(patch) => {
            let holds = conditions(cx, container, condition)?;
            if holds.iter().all(|holds| *holds) {
                return Ok(container);
            }
            let (row, col, height, _) = patch.bounds();
            let mut words: Words = Words::from_slice(patch.rows());
            let mut holds_next = holds.iter();
            for word in &mut words {
                let mut bits = *word;
                while bits != 0 {
                    let bit = bits & bits.wrapping_neg();
                    bits &= !bit;
                    if holds_next.next() == Some(&false) {
                        *word &= !bit;
                    }
                }
            }
            let planes = Planes { row, col, height: height as usize, colors: patch.colors(), words: &words };
            match cx.arena.patch(planes) {
                Some(result) => result,
                None => {
                    let kept: Values<'a> = filter_by(patch.iter(), holds).collect();
                    cx.like(container, &kept)
                }
            }
        }
        Value::Set(set) => {
            let holds = conditions(cx, container, condition)?;
            if holds.iter().all(|holds| *holds) {
                return Ok(container);
            }
            let kept: Values<'a> = filter_by(set.items().iter().copied(), holds).collect();
            cx.arena.set_ascending(&kept)
        }
        _ => Err(Fail::Kind),
    }
}

/// Returns for every member whether the condition holds.
fn conditions<'a>(cx: &mut Cx<'a>, container: Value<'a>, condition: Value<'a>) -> Result<&'a [bool], Fail> {
    let n = container.len().ok_or(Fail::Kind)?;
    if let Some(column) = column::call_members(cx, condition, container) {
        return Ok(column.truth_values(cx.arena, n));
    }
    let holds = cx.arena.repeat(n, false);
    for (holds, item) in holds.iter_mut().zip(container.items(cx.arena).ok_or(Fail::Kind)?) {
        *holds = cx.call1(condition, item)?.truth();
    }
    Ok(holds)
}

/// Returns the items for which the condition holds.
fn filter_by<'a>(items: impl Iterator<Item = Value<'a>>, holds: &[bool]) -> impl Iterator<Item = Value<'a>> {
    items.zip(holds).filter_map(|(item, holds)| holds.then_some(item))
}

/// The pairs of ascending members are ascending, so nothing needs to be sorted.
fn product<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    match (a, b) {
        (Value::Patch(p), Value::Patch(q)) if p.count().saturating_mul(q.count()) <= 100_000 => {
            if let Some(product) = cx.arena.product(p, q) {
                column::remember_product(cx, product, a, b);
                return Some(Ok(product));
            }
        }
        (Value::Row(_) | Value::Pair(_), Value::Row(_) | Value::Pair(_)) => {
            return cross(cx, &small_ints(a)?, &small_ints(b)?);
        }
        _ => {}
    }
    let (Value::Set(_) | Value::Patch(_), Value::Set(_) | Value::Patch(_)) = (a, b) else { return None };
    let (n, m) = (a.len()?, b.len()?);
    if n == 0 || m == 0 || n.saturating_mul(m) > 100_000 {
        return None;
    }
    let weight = 1
        + n as u64 * m as u64
        + (u64::from(a.weight()) - 1) * m as u64
        + (u64::from(b.weight()) - 1) * n as u64;
    if weight > u64::from(cx.arena.caps().weight) {
        return None;
    }
    let second: Values<'a> = b.items(cx.arena)?.collect();
    let mut pairs: SmallVec<[Value<'a>; 64]> = SmallVec::with_capacity(n * m);
    for i in a.items(cx.arena)? {
        for j in &second {
            match cx.arena.tuple(&[i, *j]) {
                Ok(pair) => pairs.push(pair),
                Err(_) => return None,
            }
        }
    }
    Some(cx.arena.set_ascending(&pairs))
}

/// Makes the set of places in some rows and columns.
fn cross<'a>(cx: &mut Cx<'a>, rows: &[i8], cols: &[i8]) -> Answer<'a> {
    let (top, left) = (i64::from(*rows.iter().min()?), i64::from(*cols.iter().min()?));
    let height = i64::from(*rows.iter().max()?) - top + 1;
    if i64::from(*cols.iter().max()?) - left >= 64 {
        return None;
    }
    let word = cols.iter().fold(0, |word, col| word | 1 << (i64::from(*col) - left));
    let words = cx.arena.words(height as usize, 0);
    for row in rows {
        words[(i64::from(*row) - top) as usize] = word;
    }
    cx.arena.patch_plane(top, left, 0, words)
}
