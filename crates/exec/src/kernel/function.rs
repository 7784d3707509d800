//! Functions over containers.

use batt_dsl::Cx;
use batt_value::{Fail, Planes, Value};
use smallvec::SmallVec;

use super::patch::{Words, union};

serve! {
    K2: apply, mapply, sfilter, mfilter, product;
}

type Known<'a> = Option<Result<Value<'a>, Fail>>;
type Values<'a> = SmallVec<[Value<'a>; 12]>;

fn apply<'a>(cx: &mut Cx<'a>, function: Value<'a>, container: Value<'a>) -> Known<'a> {
    if let Value::Pair(pair) = container {
        let results = cx.collect(function, Value::Int(pair.row())).and_then(|first| {
            let second = cx.collect(function, Value::Int(pair.col()))?;
            cx.arena.tuple(&[first, second])
        });
        return Some(results);
    }
    let mut results = Values::new();
    for item in container.items(cx.arena)? {
        match cx.collect(function, item) {
            Ok(result) => results.push(result),
            Err(fail) => return Some(Err(fail)),
        }
    }
    Some(cx.like(container, &results))
}

/// The union of the results at once, without the set of results in between.
fn mapply<'a>(cx: &mut Cx<'a>, function: Value<'a>, container: Value<'a>) -> Known<'a> {
    if !container.is_set() {
        return None;
    }
    Some(mapped(cx, function, container))
}

fn mapped<'a>(cx: &mut Cx<'a>, function: Value<'a>, container: Value<'a>) -> Result<Value<'a>, Fail> {
    let mut results = Values::new();
    let mut weight = 1;
    for item in container.items(cx.arena).ok_or(Fail::Kind)? {
        let result = cx.collect(function, item)?;
        weight += u64::from(result.weight());
        results.push(result);
    }
    // The set in between would have to keep within the caps.
    if weight <= u64::from(cx.arena.caps().weight)
        && results.iter().all(|result| matches!(result, Value::Patch(_) | Value::Set(_)))
        && let Some(union) = union(cx.arena, &results)
    {
        return union;
    }
    let results = cx.like(container, &results)?;
    cx.merged(results)
}

fn sfilter<'a>(cx: &mut Cx<'a>, container: Value<'a>, condition: Value<'a>) -> Known<'a> {
    match container {
        Value::Patch(_) | Value::Set(_) => Some(filtered(cx, container, condition)),
        _ => None,
    }
}

fn mfilter<'a>(cx: &mut Cx<'a>, container: Value<'a>, function: Value<'a>) -> Known<'a> {
    let Value::Set(_) = container else { return None };
    Some(filtered(cx, container, function).and_then(|kept| match kept {
        Value::Set(set) => match union(cx.arena, set.items()) {
            Some(union) => union,
            None => cx.merged(kept),
        },
        _ => cx.merged(kept),
    }))
}

/// Filters a set in place: bits go out, members keep their order.
fn filtered<'a>(cx: &mut Cx<'a>, container: Value<'a>, condition: Value<'a>) -> Result<Value<'a>, Fail> {
    match container {
        Value::Patch(patch) => {
            let (row, col, height, _) = patch.bounds();
            let mut words: Words = Words::from_slice(patch.rows());
            let mut cells = patch.iter();
            let mut changed = false;
            for word in &mut words {
                let mut bits = *word;
                while bits != 0 {
                    let bit = bits & bits.wrapping_neg();
                    bits &= !bit;
                    let Some(cell) = cells.next() else { return Err(Fail::Bug) };
                    if !cx.call1(condition, cell)?.truth() {
                        *word &= !bit;
                        changed = true;
                    }
                }
            }
            if !changed {
                return Ok(container);
            }
            let planes = Planes { row, col, height: height as usize, colors: patch.colors(), words: &words };
            match cx.arena.patch(planes) {
                Some(result) => result,
                None => {
                    let kept = |(place, cell): (usize, Value<'a>)| {
                        is_set(patch.rows(), &words, place).then_some(cell)
                    };
                    let kept: Values<'a> = patch.iter().enumerate().filter_map(kept).collect();
                    cx.like(container, &kept)
                }
            }
        }
        Value::Set(set) => {
            let mut kept = Values::new();
            for item in set.items() {
                if cx.call1(condition, *item)?.truth() {
                    kept.push(*item);
                }
            }
            if kept.len() == set.items().len() { Ok(container) } else { cx.arena.set_ascending(&kept) }
        }
        _ => Err(Fail::Kind),
    }
}

/// Whether the cell at `place` in the order of `all` is still there in `kept`.
fn is_set(all: &[u64], kept: &[u64], mut place: usize) -> bool {
    for (all, kept) in all.iter().zip(kept) {
        let here = all.count_ones() as usize;
        if place < here {
            let mut bits = *all;
            for _ in 0..place {
                bits &= bits - 1;
            }
            return kept & bits & bits.wrapping_neg() != 0;
        }
        place -= here;
    }
    false
}

/// Pairs of ascending members ascend themselves.
fn product<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Known<'a> {
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
