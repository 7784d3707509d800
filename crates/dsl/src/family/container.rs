//! Creating, joining, searching and filtering tuples and sets.

use batt_dsl_macros::primitive;
use batt_value::{Bool, Fail, Value, order};

use crate::Cx;
use crate::python::Lookup;
use crate::registry::family;

family! {
    /// Create, join, search and filter tuples and sets. Unless the signature says otherwise, a filtered tuple
    /// is a tuple and a filtered set is a set. Sets iterate in ascending order; of equal members they keep
    /// the first.
    container: size, contained, combine, intersection, difference, dedupe, repeat, merge, initset, insert, remove,
    other, first, second, last, totuple, interval, astuple, astriple, ascell, toij, product, pair, celltuple,
    mostcommon, leastcommon, mostcommon_f, leastcommon_f, sizefilter, sizefilter_t,
}

/// Returns the number of members of a container.
///
/// ```arc
/// size((4, 4, 4)) = 3
/// size({}) = 0
/// size(7) ! Kind
/// ```
#[primitive(cost = Constant, alias(size_t, size_f))]
fn size(cx: &mut Cx, container: Container<A>) -> Total<Int> {
    Ok(Value::Int(cx.len(container)? as i64))
}

/// Returns whether a value is a member of a container.
///
/// ```arc
/// contained(2, (1, 2)) = True
/// contained((0, 1), {(1, 0)}) = False
/// ```
#[primitive(cost = PerCell)]
fn contained(cx: &mut Cx, value: A, container: Container<A>) -> Total<Bool> {
    Ok(cx.contains(container, value)?.into())
}

/// Joins two tuples, or returns the union of two sets.
///
/// The result has the kind of `a`. The members of `a` come first.
///
/// ```arc
/// combine((1, 2), (2, 3)) = (1, 2, 2, 3)
/// combine({1, 2}, {2, 3}) = {1, 2, 3}
/// combine((3,), {2, 1}) = (3, 1, 2)
/// ```
#[primitive(cost = PerCell, order_sensitive, infer = SameAsFirst, alias(combine_t, combine_f))]
fn combine(cx: &mut Cx, a: Container<A>, b: Container<A>) -> Total<Container<A>> {
    let items: Vec<_> = cx.iter(a)?.chain(cx.iter(b)?).collect();
    cx.like(a, &items)
}

/// Returns the common members of two sets.
///
/// On integers this is Python's `&`: the common bits.
///
/// ```arc
/// intersection({1, 2, 3}, {2, 3, 4}) = {2, 3}
/// intersection(6, 3) = 2
/// intersection((1, 2), (2, 3)) ! Kind
/// ```
#[primitive(cost = PerCell, infer = SameAsFirst)]
fn intersection(cx: &mut Cx, a: Set<A>, b: Set<A>) -> Total<Set<A>> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Ok((a == Bool::True && b == Bool::True).into()),
        _ => match (a.as_int(), b.as_int()) {
            (Some(a), Some(b)) => Ok(Value::Int(a & b)),
            _ if a.is_set() && b.is_set() => common(cx, a, b),
            _ => Err(Fail::Kind),
        },
    }
}

/// Returns the members of `a` that are not in `b`.
///
/// The result has the kind of `a`; a tuple keeps its order.
///
/// ```arc
/// difference({1, 2, 3}, {2}) = {1, 3}
/// difference((3, 2, 3, 1), (2,)) = (3, 3, 1)
/// difference((), 7) = ()
/// ```
#[primitive(cost = PerCell, infer = SameAsFirst, alias(difference_tuple, difference_t))]
fn difference(cx: &mut Cx, a: Container<A>, b: Container<A>) -> Total<Container<A>> {
    match cx.len(a)? {
        // As in Python, `b` is not read.
        0 => Ok(a),
        _ => cx.without(a, b),
    }
}

/// Removes duplicates from a tuple, keeping the first of equal members.
///
/// ```arc
/// dedupe((3, 1, 3, 2, 1)) = (3, 1, 2)
/// dedupe({1}) ! Kind
/// ```
#[primitive(cost = PerCell)]
fn dedupe(cx: &mut Cx, tup: Tuple<A>) -> Total<Tuple<A>> {
    if !tup.is_tuple() {
        // Python notices that a set cannot be indexed only if it has members.
        return if cx.len(tup)? == 0 { Ok(Value::EMPTY_TUPLE) } else { Err(Fail::Kind) };
    }
    let items = cx.deduped(&cx.members(tup)?);
    cx.tuple(&items)
}

/// Returns a tuple with `num` copies of an item.
///
/// ```arc
/// repeat(5, 3) = (5, 5, 5)
/// repeat(5, -1) = ()
/// repeat(0, 1000000000000) ! TooLarge
/// ```
#[primitive(cost = PerCell)]
fn repeat(cx: &mut Cx, item: A, num: Int) -> Total<Tuple<A>> {
    let n = cx.count(num)?;
    cx.arena.admit(n.saturating_mul(item.weight() as usize))?;
    cx.tuple(&vec![item; n])
}

/// Flattens a container of containers by one level.
///
/// The result has the kind of the outer container.
///
/// ```arc
/// merge(((1, 2), (2, 3))) = (1, 2, 2, 3)
/// merge({{1, 2}, {2, 3}}) = {1, 2, 3}
/// merge(({2, 1}, (1,))) = (1, 2, 1)
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(merge_t, merge_f))]
fn merge(cx: &mut Cx, containers: Container<Container<A>>) -> Total<Container<A>> {
    cx.merged(containers)
}

/// Returns the set with one member.
///
/// ```arc
/// initset((1, 2)) = {(1, 2)}
/// ```
#[primitive(cost = PerCell)]
fn initset(cx: &mut Cx, value: A) -> Total<Set<A>> {
    cx.set(&[value])
}

/// Adds a value to a set.
///
/// ```arc
/// insert(3, {1, 2}) = {1, 2, 3}
/// insert(1, {True}) = {True}
/// ```
#[primitive(cost = PerCell)]
fn insert(cx: &mut Cx, value: A, container: Set<A>) -> Total<Set<A>> {
    if !container.is_set() {
        return Err(Fail::Kind);
    }
    let mut items = cx.members(container)?;
    items.push(value);
    cx.set(&items)
}

/// Removes all members equal to a value.
///
/// ```arc
/// remove(1, (1, 2, 1, 3)) = (2, 3)
/// remove(5, {1, 2}) = {1, 2}
/// ```
#[primitive(cost = PerCell, alias(remove_t, remove_f))]
fn remove(cx: &mut Cx, value: A, container: Container<A>) -> Total<Container<A>> {
    let items: Vec<_> = cx.iter(container)?.filter(|item| !order::equal(*item, value)).collect();
    cx.like(container, &items)
}

/// Returns the first member that differs from a value.
///
/// ```arc
/// other((0, 4), 0) = 4
/// other({3}, 3) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(other_t, other_f))]
fn other(cx: &mut Cx, container: Container<A>, value: A) -> Partial<A> {
    cx.iter(container)?.find(|item| !order::equal(*item, value)).ok_or(Fail::Empty)
}

/// Returns the first member.
///
/// ```arc
/// first((7, 8)) = 7
/// first({8, 7}) = 7
/// first(()) ! Empty
/// ```
#[primitive(cost = Constant, order_sensitive, alias(first_t, first_f))]
fn first(cx: &mut Cx, container: Container<A>) -> Partial<A> {
    cx.first(container)
}

/// Returns the second member.
///
/// ```arc
/// second((7, 8, 9)) = 8
/// second({7}) ! Range
/// second({}) ! Empty
/// ```
#[primitive(cost = Constant, order_sensitive)]
fn second(cx: &mut Cx, container: Container<A>) -> Partial<A> {
    cx.first(container)?;
    cx.iter(container)?.nth(1).ok_or(Fail::Range)
}

/// Returns the last member.
///
/// ```arc
/// last((7, 8)) = 8
/// last({(0, 1), (0, 0)}) = (0, 1)
/// last({}) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(last_t, last_f))]
fn last(cx: &mut Cx, container: Container<A>) -> Partial<A> {
    match cx.len(container)? {
        0 => Err(Fail::Empty),
        n if container.is_tuple() => cx.at(container, n as i64 - 1),
        _ => cx.iter(container)?.last().ok_or(Fail::Empty),
    }
}

/// Converts a container to a tuple.
///
/// The members of a set are in ascending order; a tuple is returned unchanged.
///
/// ```arc
/// totuple({3, 1, 2}) = (1, 2, 3)
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn totuple(cx: &mut Cx, container: Container<A>) -> Total<Tuple<A>> {
    let items = cx.members(container)?;
    cx.tuple(&items)
}

/// Returns the integers from `start` up to, but not including, `stop`, in steps of `step`.
///
/// ```arc
/// interval(0, 5, 2) = (0, 2, 4)
/// interval(2, -1, -1) = (2, 1, 0)
/// interval(1, 4, 0) ! Range
/// ```
#[primitive(cost = PerCell)]
fn interval(cx: &mut Cx, start: Int, stop: Int, step: Int) -> Partial<Tuple<Int>> {
    let (start, stop, step) = (cx.int(start)?, cx.int(stop)?, cx.int(step)?);
    if step == 0 {
        return Err(Fail::Range);
    }
    // 128 bits hold any distance; the members themselves are between `start` and `stop`.
    let (start, stop, step) = (i128::from(start), i128::from(stop), i128::from(step));
    let n = ((stop - start) * step.signum() + step.abs() - 1).max(0) / step.abs();
    let n = usize::try_from(n).map_err(|_| Fail::TooLarge)?;
    cx.arena.admit(n)?;
    let items: Vec<_> = (0..n as i128).map(|k| Value::Int((start + k * step) as i64)).collect();
    cx.tuple(&items)
}

/// Returns the tuple `(a, b)`.
///
/// ```arc
/// astuple(3, 4) = (3, 4)
/// astuple({}, 1) = ({}, 1)
/// ```
#[primitive(cost = PerCell)]
fn astuple(cx: &mut Cx, a: A, b: A) -> Total<Tuple<A>> {
    cx.tuple(&[a, b])
}

/// Returns the tuple `(i, j, c)`.
///
/// Use `ascell` to make a cell.
///
/// ```arc
/// astriple(1, 2, 5) = (1, 2, 5)
/// ```
#[primitive(cost = PerCell)]
fn astriple(cx: &mut Cx, i: Int, j: Int, c: Color) -> Total<Tuple<Int>> {
    cx.tuple(&[i, j, c])
}

/// Returns the cell of colour `c` at location `ij`.
///
/// ```arc
/// ascell((1, 2), 5) = (5, (1, 2))
/// ascell((1, 2, 3), 5) ! Kind
/// ```
#[primitive(cost = PerCell)]
fn ascell(cx: &mut Cx, ij: Pair, c: Color) -> Total<Cell> {
    let ij = location(ij)?;
    cx.tuple(&[c, ij])
}

/// Returns the location of a cell.
///
/// ```arc
/// toij((5, (1, 2))) = (1, 2)
/// toij((1, 2)) ! Kind
/// ```
#[primitive(cost = Constant)]
fn toij(cx: &mut Cx, c: Cell) -> Total<Pair> {
    match cx.len(c)? {
        2 => location(cx.at(c, 1)?),
        _ => Err(Fail::Kind),
    }
}

/// Returns the set of all pairs of a member of `a` and a member of `b`.
///
/// ```arc
/// product({0, 1}, (5, 6)) = {(0, 5), (0, 6), (1, 5), (1, 6)}
/// product(7, ()) = {}
/// ```
#[primitive(cost = PerCell)]
fn product(cx: &mut Cx, a: Container<A>, b: Container<A>) -> Total<Set<Tuple<A>>> {
    if cx.len(b)? == 0 {
        // As in Python, `a` is not read.
        return Ok(Value::EMPTY_SET);
    }
    let (a, b) = (cx.members(a)?, cx.members(b)?);
    // Pairs are equal exactly when both components are, so duplicates can be removed first.
    let (a, b) = (cx.set(&a)?, cx.set(&b)?);
    let (n_a, n_b) = (cx.len(a)?, cx.len(b)?);
    // The weight of all pairs: one for each, and each member of one side once for every member of the other.
    let of_members = |set: Value<'_>| set.weight() as usize - 1;
    let weight = n_a * n_b + n_b * of_members(a) + n_a * of_members(b);
    cx.arena.admit(weight)?;
    let mut pairs = Vec::with_capacity(n_a * n_b);
    for j in cx.iter(b)? {
        for i in cx.iter(a)? {
            pairs.push(cx.tuple(&[i, j])?);
        }
    }
    cx.set(&pairs)
}

/// Pairs the members of two tuples by position.
///
/// The result is as long as the shorter tuple.
///
/// ```arc
/// pair((1, 2), (5, 6)) = ((1, 5), (2, 6))
/// pair((1, 2, 3), (7,)) = ((1, 7),)
/// ```
#[primitive(cost = PerCell)]
fn pair(cx: &mut Cx, a: Tuple<A>, b: Tuple<B>) -> Total<Tuple<Tuple<Any>>> {
    let pairs = cx.iter(a)?.zip(cx.iter(b)?).map(|(a, b)| cx.tuple(&[a, b]));
    let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
    cx.tuple(&pairs)
}

/// Makes cells from the locations in `a` and the colours in `b`, paired by position.
///
/// The result is as long as the shorter tuple.
///
/// ```arc
/// celltuple(((0, 0), (1, 2)), (3, 4)) = ((3, (0, 0)), (4, (1, 2)))
/// celltuple(((0, 0),), ()) = ()
/// ```
#[primitive(cost = PerCell)]
fn celltuple(cx: &mut Cx, a: Tuple<Pair>, b: Tuple<Color>) -> Total<Tuple<Cell>> {
    let cells = cx.iter(a)?.zip(cx.iter(b)?).map(|(ij, c)| cx.tuple(&[c, location(ij)?]));
    let cells = cells.collect::<Result<Vec<_>, _>>()?;
    cx.tuple(&cells)
}

/// Returns the most frequent member of a tuple; of several, the smallest.
///
/// ```arc
/// mostcommon((3, 1, 3, 2)) = 3
/// mostcommon((2, 1)) = 1
/// mostcommon(()) ! Empty
/// mostcommon({1}) ! Kind
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(mostcommon_t))]
fn mostcommon(cx: &mut Cx, container: Tuple<A>) -> Partial<A> {
    // Python's sets have no `count`.
    if !container.is_tuple() {
        return Err(Fail::Kind);
    }
    most_frequent(cx, container)
}

/// Returns the least frequent member of a tuple; of several, the smallest.
///
/// ```arc
/// leastcommon((3, 1, 3, 2)) = 1
/// leastcommon(()) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(leastcommon_t))]
fn leastcommon(cx: &mut Cx, container: Tuple<A>) -> Partial<A> {
    if !container.is_tuple() {
        return Err(Fail::Kind);
    }
    least_frequent(cx, container)
}

/// Returns the most frequent member of any container; of several, the smallest.
///
/// All members of a set occur once, so the result is its smallest member.
///
/// ```arc
/// mostcommon_f({3, 2}) = 2
/// mostcommon_f((3, 2, 3)) = 3
/// mostcommon_f({}) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn mostcommon_f(cx: &mut Cx, container: Container<A>) -> Partial<A> {
    most_frequent(cx, container)
}

/// Returns the least frequent member of any container; of several, the smallest.
///
/// All members of a set occur once, so the result is its smallest member.
///
/// ```arc
/// leastcommon_f({3, 2}) = 2
/// leastcommon_f((2, 3, 2)) = 3
/// leastcommon_f({}) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn leastcommon_f(cx: &mut Cx, container: Container<A>) -> Partial<A> {
    least_frequent(cx, container)
}

/// Returns the set of those members that have exactly `n` members themselves.
///
/// ```arc
/// sizefilter(((1, 2), (3,), (1, 2)), 2) = {(1, 2)}
/// sizefilter({1}, 1) ! Kind
/// ```
#[primitive(cost = PerCell)]
fn sizefilter(cx: &mut Cx, container: Container<A>, n: Int) -> Partial<Set<A>> {
    let items = with_size(cx, container, n)?;
    cx.set(&items)
}

/// Returns the tuple of those members that have exactly `n` members themselves.
///
/// Order and duplicates are kept.
///
/// ```arc
/// sizefilter_t(((1, 2), (3,), (1, 2)), 2) = [1 2 | 1 2]
/// sizefilter_t({{5}, {4, 6}}, 1) = ({5},)
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn sizefilter_t(cx: &mut Cx, container: Container<A>, n: Int) -> Partial<Tuple<A>> {
    let items = with_size(cx, container, n)?;
    cx.tuple(&items)
}

/// Returns the common members of two sets. Of `True` and `1`, which are equal, the result holds the one from
/// the set that Python iterates over: the smaller one, or `b` if both have the same size.
fn common<'a>(cx: &Cx<'a>, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>, Fail> {
    let (smaller, larger) = if cx.len(a)? < cx.len(b)? { (a, b) } else { (b, a) };
    let larger = Lookup::new(cx.members(larger)?);
    let items: Vec<_> = cx.iter(smaller)?.filter(|item| larger.has(*item)).collect();
    cx.set(&items)
}

/// Checks that a value has the form of a location, a tuple of two.
fn location(value: Value<'_>) -> Result<Value<'_>, Fail> {
    if value.is_tuple() && value.len() == Some(2) { Ok(value) } else { Err(Fail::Kind) }
}

fn most_frequent<'a>(cx: &Cx<'a>, container: Value<'a>) -> Result<Value<'a>, Fail> {
    let items = cx.members(container)?;
    let counts = cx.distinct(&items);
    // `min_by_key` keeps the first of equals, as Python's `max` does.
    let best = counts.into_iter().min_by_key(|&(_, count)| std::cmp::Reverse(count));
    best.map(|(place, _)| items[place]).ok_or(Fail::Empty)
}

fn least_frequent<'a>(cx: &Cx<'a>, container: Value<'a>) -> Result<Value<'a>, Fail> {
    let items = cx.members(container)?;
    let best = cx.distinct(&items).into_iter().min_by_key(|&(_, count)| count);
    best.map(|(place, _)| items[place]).ok_or(Fail::Empty)
}

/// Returns the members whose size equals `n`, which need not be an integer.
fn with_size<'a>(cx: &Cx<'a>, container: Value<'a>, n: Value<'a>) -> Result<Vec<Value<'a>>, Fail> {
    let mut items = Vec::new();
    for item in cx.iter(container)? {
        if order::equal(Value::Int(cx.len(item)? as i64), n) {
            items.push(item);
        }
    }
    Ok(items)
}
