//! Making, joining, searching and thinning out tuples and sets.

use batt_dsl_macros::primitive;
use batt_value::{Bool, Fail, Value, order};

use crate::Cx;
use crate::python::Lookup;
use crate::registry::family;

family! {
    /// Tuples and sets. What keeps members keeps the kind of container too: of a tuple a tuple remains, of a set a
    /// set. Sets iterate in canonical order, and of equal members the first to arrive stays.
    container: size, contained, combine, intersection, difference, dedupe, repeat, merge, initset, insert, remove,
    other, first, second, last, totuple, interval, astuple, astriple, ascell, toij, product, pair, celltuple,
    mostcommon, leastcommon, mostcommon_f, leastcommon_f, sizefilter, sizefilter_t,
}

/// How many members a container has.
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

/// Whether the value is a member of the container.
///
/// ```arc
/// contained(2, (1, 2)) = True
/// contained((0, 1), {(1, 0)}) = False
/// ```
#[primitive(cost = PerCell)]
fn contained(cx: &mut Cx, value: A, container: Container<A>) -> Total<Bool> {
    Ok(cx.contains(container, value)?.into())
}

/// The members of `a` and then those of `b`. The result is of `a`'s kind: joined tuples, or the union of sets.
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

/// The common members of two sets. On integers this is Python's `&`: the common bits.
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

/// The members of `a` that are not in `b`. The result is of `a`'s kind, and a tuple keeps its order.
///
/// ```arc
/// difference({1, 2, 3}, {2}) = {1, 3}
/// difference((3, 2, 3, 1), (2,)) = (3, 3, 1)
/// difference((), 7) = ()
/// ```
#[primitive(cost = PerCell, infer = SameAsFirst, alias(difference_tuple, difference_t))]
fn difference(cx: &mut Cx, a: Container<A>, b: Container<A>) -> Total<Container<A>> {
    match cx.len(a)? {
        // Nobody asks what `b` is.
        0 => Ok(a),
        _ => cx.without(a, b),
    }
}

/// The tuple without repetitions: of equal members the first stays.
///
/// ```arc
/// dedupe((3, 1, 3, 2, 1)) = (3, 1, 2)
/// dedupe({1}) ! Kind
/// ```
#[primitive(cost = PerCell)]
fn dedupe(cx: &mut Cx, tup: Tuple<A>) -> Total<Tuple<A>> {
    if !tup.is_tuple() {
        // Python only notices that sets have no places when there is a member to look for.
        return if cx.len(tup)? == 0 { Ok(Value::EMPTY_TUPLE) } else { Err(Fail::Kind) };
    }
    let items = cx.deduped(&cx.members(tup)?);
    cx.tuple(&items)
}

/// A tuple that holds the item `num` times.
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

/// The members of the members, one level flatter, in the outer kind of container.
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

/// The set with one member.
///
/// ```arc
/// initset((1, 2)) = {(1, 2)}
/// ```
#[primitive(cost = PerCell)]
fn initset(cx: &mut Cx, value: A) -> Total<Set<A>> {
    cx.set(&[value])
}

/// The set with the value added.
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

/// The container without the members equal to the value.
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

/// The first member that differs from the value.
///
/// ```arc
/// other((0, 4), 0) = 4
/// other({3}, 3) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(other_t, other_f))]
fn other(cx: &mut Cx, container: Container<A>, value: A) -> Partial<A> {
    cx.iter(container)?.find(|item| !order::equal(*item, value)).ok_or(Fail::Empty)
}

/// The first member.
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

/// The second member.
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

/// The last member.
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

/// The members as a tuple. A set gives them in canonical order, a tuple stays as it is.
///
/// ```arc
/// totuple({3, 1, 2}) = (1, 2, 3)
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn totuple(cx: &mut Cx, container: Container<A>) -> Total<Tuple<A>> {
    let items = cx.members(container)?;
    cx.tuple(&items)
}

/// The integers from `start` in steps of `step`, as long as they do not reach `stop`.
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
    // The wide integers hold any distance; the members themselves lie between `start` and `stop`.
    let (start, stop, step) = (i128::from(start), i128::from(stop), i128::from(step));
    let n = ((stop - start) * step.signum() + step.abs() - 1).max(0) / step.abs();
    let n = usize::try_from(n).map_err(|_| Fail::TooLarge)?;
    cx.arena.admit(n)?;
    let items: Vec<_> = (0..n as i128).map(|k| Value::Int((start + k * step) as i64)).collect();
    cx.tuple(&items)
}

/// The two values as a tuple.
///
/// ```arc
/// astuple(3, 4) = (3, 4)
/// astuple({}, 1) = ({}, 1)
/// ```
#[primitive(cost = PerCell)]
fn astuple(cx: &mut Cx, a: A, b: A) -> Total<Tuple<A>> {
    cx.tuple(&[a, b])
}

/// The three values as a tuple. (A cell is made with `ascell`.)
///
/// ```arc
/// astriple(1, 2, 5) = (1, 2, 5)
/// ```
#[primitive(cost = PerCell)]
fn astriple(cx: &mut Cx, i: Int, j: Int, c: Color) -> Total<Tuple<Int>> {
    cx.tuple(&[i, j, c])
}

/// The cell of colour `c` at place `ij`.
///
/// ```arc
/// ascell((1, 2), 5) = (5, (1, 2))
/// ascell((1, 2, 3), 5) ! Kind
/// ```
#[primitive(cost = PerCell)]
fn ascell(cx: &mut Cx, ij: Pair, c: Color) -> Total<Cell> {
    let ij = place(ij)?;
    cx.tuple(&[c, ij])
}

/// The place of a cell.
///
/// ```arc
/// toij((5, (1, 2))) = (1, 2)
/// toij((1, 2)) ! Kind
/// ```
#[primitive(cost = Constant)]
fn toij(cx: &mut Cx, c: Cell) -> Total<Pair> {
    match cx.len(c)? {
        2 => place(cx.at(c, 1)?),
        _ => Err(Fail::Kind),
    }
}

/// The set of all pairs of a member of `a` and a member of `b`.
///
/// ```arc
/// product({0, 1}, (5, 6)) = {(0, 5), (0, 6), (1, 5), (1, 6)}
/// product(7, ()) = {}
/// ```
#[primitive(cost = PerCell)]
fn product(cx: &mut Cx, a: Container<A>, b: Container<A>) -> Total<Set<Tuple<A>>> {
    if cx.len(b)? == 0 {
        // Nobody asks what `a` is.
        return Ok(Value::EMPTY_SET);
    }
    let (a, b) = (cx.members(a)?, cx.members(b)?);
    // Pairs are equal exactly when both halves are, so repetitions can go first.
    let (a, b) = (cx.set(&a)?, cx.set(&b)?);
    let (n_a, n_b) = (cx.len(a)?, cx.len(b)?);
    // What the pairs will weigh: each itself, and each member of one side once for every member of the other.
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

/// The first members as a tuple of two, then the second ones, as long as both sides last.
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

/// Cells from the places in `a` and the colours in `b`, side by side, as long as both last.
///
/// ```arc
/// celltuple(((0, 0), (1, 2)), (3, 4)) = ((3, (0, 0)), (4, (1, 2)))
/// celltuple(((0, 0),), ()) = ()
/// ```
#[primitive(cost = PerCell)]
fn celltuple(cx: &mut Cx, a: Tuple<Pair>, b: Tuple<Color>) -> Total<Tuple<Cell>> {
    let cells = cx.iter(a)?.zip(cx.iter(b)?).map(|(ij, c)| cx.tuple(&[c, place(ij)?]));
    let cells = cells.collect::<Result<Vec<_>, _>>()?;
    cx.tuple(&cells)
}

/// The most frequent member of a tuple. Of equally frequent ones the smallest, in canonical order.
///
/// ```arc
/// mostcommon((3, 1, 3, 2)) = 3
/// mostcommon((2, 1)) = 1
/// mostcommon(()) ! Empty
/// mostcommon({1}) ! Kind
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(mostcommon_t))]
fn mostcommon(cx: &mut Cx, container: Tuple<A>) -> Partial<A> {
    // Python's sets cannot count their members.
    if !container.is_tuple() {
        return Err(Fail::Kind);
    }
    most_frequent(cx, container)
}

/// The least frequent member of a tuple. Of equally frequent ones the smallest, in canonical order.
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

/// The most frequent member of any container. All members of a set occur once, so of a set it is the first.
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

/// The least frequent member of any container. All members of a set occur once, so of a set it is the first.
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

/// The set of the members that have exactly `n` members themselves.
///
/// ```arc
/// sizefilter(((1, 2), (3,), (1, 2)), 2) = {(1, 2)}
/// sizefilter({1}, 1) ! Kind
/// ```
#[primitive(cost = PerCell)]
fn sizefilter(cx: &mut Cx, container: Container<A>, n: Int) -> Partial<Set<A>> {
    let items = of_size(cx, container, n)?;
    cx.set(&items)
}

/// The tuple of the members that have exactly `n` members themselves, in their order, repetitions included.
///
/// ```arc
/// sizefilter_t(((1, 2), (3,), (1, 2)), 2) = [1 2 | 1 2]
/// sizefilter_t({{5}, {4, 6}}, 1) = ({5},)
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn sizefilter_t(cx: &mut Cx, container: Container<A>, n: Int) -> Partial<Tuple<A>> {
    let items = of_size(cx, container, n)?;
    cx.tuple(&items)
}

/// The common members of two sets. Which of two equal members stays shows when they are `True` and `1`: Python
/// goes through the smaller set, through `b` if they are of one size, and keeps what it meets.
fn common<'a>(cx: &Cx<'a>, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>, Fail> {
    let (smaller, larger) = if cx.len(a)? < cx.len(b)? { (a, b) } else { (b, a) };
    let larger = Lookup::new(cx.members(larger)?);
    let items: Vec<_> = cx.iter(smaller)?.filter(|item| larger.has(*item)).collect();
    cx.set(&items)
}

/// A tuple of two: what a place looks like.
fn place(value: Value<'_>) -> Result<Value<'_>, Fail> {
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

/// The members whose size equals `n`, which need not be an integer.
fn of_size<'a>(cx: &Cx<'a>, container: Value<'a>, n: Value<'a>) -> Result<Vec<Value<'a>>, Fail> {
    let mut items = Vec::new();
    for item in cx.iter(container)? {
        if order::equal(Value::Int(cx.len(item)? as i64), n) {
            items.push(item);
        }
    }
    Ok(items)
}
