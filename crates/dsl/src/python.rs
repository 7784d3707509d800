//! Python's protocols: `len`, `for`, `[]`, `+`, `<`, `max` and unpacking, on any value.
//!
//! The bodies of primitives use these, so that they agree with the reference on every value, even ill-typed
//! ones.

use batt_value::{Fail, Items, Kind, Value, order};

use crate::Cx;

impl<'a> Cx<'a> {
    /// `len(value)`
    pub(crate) fn len(&self, value: Value<'a>) -> Result<usize, Fail> {
        value.len().ok_or(Fail::Kind)
    }

    /// `list(value)`
    pub(crate) fn members(&self, value: Value<'a>) -> Result<Vec<Value<'a>>, Fail> {
        let items = self.iter(value)?;
        let mut members = Vec::with_capacity(items.len());
        items.for_each(|item| members.push(item));
        Ok(members)
    }

    /// `next(iter(value))`
    pub(crate) fn first(&self, value: Value<'a>) -> Result<Value<'a>, Fail> {
        self.iter(value)?.next().ok_or(Fail::Empty)
    }

    /// `value[index]`; a negative index counts from the end. Sets cannot be indexed.
    pub(crate) fn at(&self, value: Value<'a>, index: i64) -> Result<Value<'a>, Fail> {
        if !value.is_tuple() {
            return Err(Fail::Kind);
        }
        let n = self.len(value)? as i64;
        let index = if index < 0 { index + n } else { index };
        usize::try_from(index).ok().and_then(|index| value.get(self.arena, index)).ok_or(Fail::Range)
    }

    /// `a, b = value`
    pub(crate) fn two(&self, value: Value<'a>) -> Result<[Value<'a>; 2], Fail> {
        match value {
            Value::Pair(pair) => return Ok([Value::Int(pair.row()), Value::Int(pair.col())]),
            Value::Cell(cell) => return Ok([Value::Int(cell.color()), Value::Pair(cell.place())]),
            _ => {}
        }
        let mut items = self.iter(value)?;
        match (items.next(), items.next(), items.next()) {
            (Some(a), Some(b), None) => Ok([a, b]),
            _ => Err(Fail::Kind),
        }
    }

    /// `i, j = value`, both integers.
    pub(crate) fn two_ints(&self, value: Value<'a>) -> Result<(i64, i64), Fail> {
        if let Value::Pair(pair) = value {
            return Ok((pair.row(), pair.col()));
        }
        let [a, b] = self.two(value)?;
        Ok((self.int(a)?, self.int(b)?))
    }

    /// Returns an integer or a boolean as `i64`; fails on other values.
    pub(crate) fn int(&self, value: Value<'a>) -> Result<i64, Fail> {
        value.as_int().ok_or(Fail::Kind)
    }

    /// Returns `value` as an index if `0 <= value < n`, otherwise `None`.
    pub(crate) fn within(&self, value: Value<'a>, n: usize) -> Result<Option<usize>, Fail> {
        Ok(usize::try_from(self.int(value)?).ok().filter(|index| *index < n))
    }

    /// Fails if a set of `rows` times `cols` locations is too large. Call this before making them.
    pub(crate) fn admit_places(&self, rows: usize, cols: usize) -> Result<(), Fail> {
        // A location weighs three: the pair and its two numbers.
        self.arena.admit(rows.saturating_mul(cols).saturating_mul(3))
    }

    /// `len(range(value))`: 0 for a negative number.
    pub(crate) fn count(&self, value: Value<'a>) -> Result<usize, Fail> {
        let n = self.int(value)?.max(0);
        usize::try_from(n).map_err(|_| Fail::TooLarge)
    }

    pub(crate) fn tuple(&self, items: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        self.arena.tuple(items)
    }

    /// `frozenset(items)`, keeping the first of equal members.
    pub(crate) fn set(&self, items: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        self.arena.set(items)
    }

    pub(crate) fn pair(&self, row: i64, col: i64) -> Result<Value<'a>, Fail> {
        self.arena.tuple(&[Value::Int(row), Value::Int(col)])
    }

    /// `(color, (row, col))`
    pub(crate) fn cell(&self, color: Value<'a>, row: i64, col: i64) -> Result<Value<'a>, Fail> {
        let place = self.pair(row, col)?;
        self.arena.tuple(&[color, place])
    }

    /// `type(container)(items)`
    pub fn like(&self, container: Value<'a>, items: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        match container.kind() {
            Kind::Tuple => self.tuple(items),
            Kind::Set => self.set(items),
            _ => Err(Fail::Kind),
        }
    }

    /// `type(container)(items)` for items that are already in the arena.
    pub fn like_in(&self, container: Value<'a>, items: &'a [Value<'a>]) -> Result<Value<'a>, Fail> {
        match container.kind() {
            Kind::Tuple => self.arena.tuple_in(items),
            Kind::Set => self.arena.set_in(items),
            _ => Err(Fail::Kind),
        }
    }

    /// `value[start:stop]` of a tuple, with Python's rules for negative and out-of-range ends.
    pub(crate) fn slice(&self, value: Value<'a>, start: i64, stop: i64) -> Result<Value<'a>, Fail> {
        if !value.is_tuple() {
            return Err(Fail::Kind);
        }
        let n = self.len(value)? as i64;
        let end = |x: i64| if x < 0 { (x + n).max(0) } else { x.min(n) };
        let (start, stop) = (end(start), end(stop));
        if start >= stop {
            return Ok(Value::EMPTY_TUPLE);
        }
        let items: Vec<_> = self.iter(value)?.skip(start as usize).take((stop - start) as usize).collect();
        self.tuple(&items)
    }

    /// `value[::-1]` of a tuple.
    pub(crate) fn reversed(&self, value: Value<'a>) -> Result<Value<'a>, Fail> {
        if !value.is_tuple() {
            return Err(Fail::Kind);
        }
        let mut items = self.members(value)?;
        items.reverse();
        self.tuple(&items)
    }

    /// `zip(*values)`: the columns, as many as the shortest value has.
    pub(crate) fn zip_all(&self, values: &[Value<'a>]) -> Result<Vec<Vec<Value<'a>>>, Fail> {
        let mut rows = values.iter().map(|value| self.iter(*value)).collect::<Result<Vec<_>, _>>()?;
        let n = rows.iter().map(Items::len).min().unwrap_or(0);
        Ok((0..n).map(|_| rows.iter_mut().map(|row| row.next().expect("counted")).collect()).collect())
    }

    /// `value in container`
    pub(crate) fn contains(&self, container: Value<'a>, value: Value<'a>) -> Result<bool, Fail> {
        Ok(self.iter(container)?.any(|item| order::equal(item, value)))
    }

    /// `a < b`
    pub(crate) fn less(&self, a: Value<'a>, b: Value<'a>) -> Result<bool, Fail> {
        order::less(a, b).ok_or(Fail::Kind)
    }

    /// `max(items)`; of equals, the first.
    pub(crate) fn max(&self, items: impl IntoIterator<Item = Value<'a>>) -> Result<Value<'a>, Fail> {
        self.best(items, |a, b| self.less(b, a))
    }

    /// `min(items)`; of equals, the first.
    pub(crate) fn min(&self, items: impl IntoIterator<Item = Value<'a>>) -> Result<Value<'a>, Fail> {
        self.best(items, |a, b| self.less(a, b))
    }

    fn best(
        &self,
        items: impl IntoIterator<Item = Value<'a>>,
        beats: impl Fn(Value<'a>, Value<'a>) -> Result<bool, Fail>,
    ) -> Result<Value<'a>, Fail> {
        let mut items = items.into_iter();
        let mut best = items.next().ok_or(Fail::Empty)?;
        for item in items {
            if beats(item, best)? {
                best = item;
            }
        }
        Ok(best)
    }

    /// `a + b`: adds integers, joins tuples.
    pub(crate) fn add(&self, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>, Fail> {
        match (a.as_int(), b.as_int()) {
            (Some(a), Some(b)) => a.checked_add(b).map(Value::Int).ok_or(Fail::Overflow),
            (None, None) if a.is_tuple() && b.is_tuple() => {
                let items: Vec<_> = self.iter(a)?.chain(self.iter(b)?).collect();
                self.tuple(&items)
            }
            _ => Err(Fail::Kind),
        }
    }

    /// `a - b`: subtracts integers, or the members of one set from another.
    pub(crate) fn sub(&self, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>, Fail> {
        match (a.as_int(), b.as_int()) {
            (Some(a), Some(b)) => a.checked_sub(b).map(Value::Int).ok_or(Fail::Overflow),
            (None, None) if a.is_set() && b.is_set() => self.without(a, b),
            _ => Err(Fail::Kind),
        }
    }

    /// `a * b`: multiplies integers, repeats a tuple.
    pub(crate) fn mul(&self, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>, Fail> {
        match (a.as_int(), b.as_int()) {
            (Some(a), Some(b)) => a.checked_mul(b).map(Value::Int).ok_or(Fail::Overflow),
            (None, Some(_)) if a.is_tuple() => {
                let n = self.count(b)?;
                self.arena.admit(self.len(a)?.saturating_mul(n))?;
                let items = self.members(a)?.repeat(n);
                self.tuple(&items)
            }
            (Some(_), None) => self.mul(b, a),
            _ => Err(Fail::Kind),
        }
    }

    /// `a // b`, rounded down.
    pub(crate) fn floor_div(&self, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>, Fail> {
        floor_div(self.int(a)?, self.int(b)?).map(Value::Int)
    }

    /// Returns the members of set or tuple `a` that are not in `b`, in the same kind of container.
    pub(crate) fn without(&self, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>, Fail> {
        let removed = Lookup::new(self.members(b)?);
        let kept: Vec<_> = self.iter(a)?.filter(|item| !removed.has(*item)).collect();
        self.like(a, &kept)
    }

    /// Flattens a container of containers by one level, keeping the outer kind.
    pub fn merged(&self, containers: Value<'a>) -> Result<Value<'a>, Fail> {
        let mut n = 0;
        for container in self.iter(containers)? {
            n += self.iter(container)?.len();
        }
        let items = self.arena.repeat(n, Value::None);
        let mut next = 0;
        for container in self.iter(containers)? {
            self.iter(container)?.for_each(|item| {
                items[next] = item;
                next += 1;
            });
        }
        self.like_in(containers, items)
    }

    /// Returns the distinct items in ascending order: the index of the first occurrence, and the number of
    /// occurrences.
    pub(crate) fn distinct(&self, items: &[Value<'a>]) -> Vec<(usize, usize)> {
        let mut places: Vec<usize> = (0..items.len()).collect();
        places.sort_by(|&a, &b| order::cmp(items[a], items[b]));
        let runs = places.chunk_by(|&a, &b| order::equal(items[a], items[b]));
        runs.map(|run| (run[0], run.len())).collect()
    }

    /// Removes duplicates, keeping the first of equal items.
    pub(crate) fn deduped(&self, items: &[Value<'a>]) -> Vec<Value<'a>> {
        let mut places: Vec<_> = self.distinct(items).into_iter().map(|(place, _)| place).collect();
        places.sort_unstable();
        places.into_iter().map(|place| items[place]).collect()
    }

    /// Calls a `key=` function on an item and charges for the result. `None` as function returns the item
    /// itself.
    pub(crate) fn key(&mut self, function: Value<'a>, item: Value<'a>) -> Result<Value<'a>, Fail> {
        match function {
            Value::None => self.charge(item.weight().into()).map(|()| item),
            _ => self.collect(function, item),
        }
    }

    /// Returns the keys of all items.
    pub(crate) fn keys(&mut self, function: Value<'a>, items: &[Value<'a>]) -> Result<Vec<Value<'a>>, Fail> {
        items.iter().map(|item| self.key(function, *item)).collect()
    }

    /// `sorted(items, key=…)` for keys in the order of the items; returns the indices of the items.
    ///
    /// Python's `<` is only a partial order on sets, so the result depends on the algorithm. Below 64 items
    /// this is CPython's (a run, then binary insertion), above it a merge sort.
    pub(crate) fn sorted(&self, keys: &[Value<'a>]) -> Result<Vec<usize>, Fail> {
        let mut places: Vec<usize> = (0..keys.len()).collect();
        let less = |a: usize, b: usize| self.less(keys[a], keys[b]);
        if keys.iter().all(|key| matches!(key, Value::Int(_) | Value::Pair(_))) {
            // As in Python, integers and pairs cannot be compared with each other.
            if let [first, rest @ ..] = keys
                && rest.iter().any(|key| key.kind() != first.kind())
            {
                return Err(Fail::Kind);
            }
            places.sort_by(|&a, &b| order::cmp(keys[a], keys[b]));
        } else if keys.len() < 64 {
            binary_insertion_sort(&mut places, less)?;
        } else {
            merge_sort(&mut places, &mut Vec::new(), &less)?;
        }
        Ok(places)
    }
}

/// A sorted list of values, for lookups by equality.
pub(crate) struct Lookup<'a> {
    ascending: Vec<Value<'a>>,
}

impl<'a> Lookup<'a> {
    pub(crate) fn new(mut items: Vec<Value<'a>>) -> Lookup<'a> {
        items.sort_by(|a, b| order::cmp(*a, *b));
        Lookup { ascending: items }
    }

    pub(crate) fn has(&self, value: Value<'a>) -> bool {
        self.ascending.binary_search_by(|item| order::cmp(*item, value)).is_ok()
    }
}

/// `a // b` on integers.
pub(crate) fn floor_div(a: i64, b: i64) -> Result<i64, Fail> {
    if b == 0 {
        return Err(Fail::Range);
    }
    let quotient = a.checked_div(b).ok_or(Fail::Overflow)?;
    Ok(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// Sorts like CPython sorts a short list: finds the ascending run at the front (or reverses a descending
/// one), then inserts the other items one by one.
fn binary_insertion_sort(
    places: &mut [usize],
    less: impl Fn(usize, usize) -> Result<bool, Fail>,
) -> Result<(), Fail> {
    if places.len() < 2 {
        return Ok(());
    }
    let descending = less(places[1], places[0])?;
    let mut run = 2;
    while run < places.len() && less(places[run], places[run - 1])? == descending {
        run += 1;
    }
    if descending {
        places[..run].reverse();
    }
    for start in run..places.len() {
        let pivot = places[start];
        let (mut left, mut right) = (0, start);
        while left < right {
            let middle = left + (right - left) / 2;
            if less(pivot, places[middle])? {
                right = middle;
            } else {
                left = middle + 1;
            }
        }
        places[left..=start].rotate_right(1);
    }
    Ok(())
}

fn merge_sort(
    places: &mut [usize],
    scratch: &mut Vec<usize>,
    less: &impl Fn(usize, usize) -> Result<bool, Fail>,
) -> Result<(), Fail> {
    if places.len() < 2 {
        return Ok(());
    }
    let middle = places.len() / 2;
    merge_sort(&mut places[..middle], scratch, less)?;
    merge_sort(&mut places[middle..], scratch, less)?;
    scratch.clear();
    scratch.extend_from_slice(&places[..middle]);
    let (mut left, mut right) = (0, middle);
    for slot in 0..places.len() {
        if left == scratch.len() {
            break;
        }
        if right < places.len() && less(places[right], scratch[left])? {
            places[slot] = places[right];
            right += 1;
        } else {
            places[slot] = scratch[left];
            left += 1;
        }
    }
    Ok(())
}
