//! Lines, boxes and neighbourhoods.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value};

use super::places::{leftmost, lowermost, lrcorner, rightmost, toindices, ulcorner, uppermost};
use crate::Cx;
use crate::registry::family;

family! {
    /// Lines, boxes and neighbours, as sets of locations. They are computed without a grid, so locations may
    /// be negative or outside any grid.
    line: connect, shoot, vfrontier, hfrontier, backdrop, delta, inbox, outbox, r#box, dneighbors, ineighbors,
    neighbors,
}

/// Returns the locations on the straight line between two locations, both ends included.
///
/// If the line is not horizontal, vertical or exactly diagonal, the result is empty.
///
/// ```arc
/// connect((0, 0), (0, 2)) = {(0, 0), (0, 1), (0, 2)}
/// connect((2, 0), (0, 2)) = {(0, 2), (1, 1), (2, 0)}
/// connect((0, 0), (1, 2)) = {}
/// connect((0, 0), (0, 4000000)) ! TooLarge
/// ```
#[primitive(cost = PerCell)]
fn connect(cx: &mut Cx, a: Pair, b: Pair) -> Total<Indices> {
    straight_line(cx, cx.two(a)?, cx.two(b)?)
}

/// Returns the line from `start` to `start` plus 42 times `direction`.
///
/// ```arc
/// shoot((3, 3), (0, 0)) = {(3, 3)}
/// equality(shoot((0, 0), (-1, 1)), connect((0, 0), (-42, 42))) = True
/// shoot((0, 0), (1, 2)) = {}
/// ```
#[primitive(cost = PerCell)]
fn shoot(cx: &mut Cx, start: Pair, direction: Pair) -> Total<Indices> {
    let end = |k| cx.add(cx.at(start, k)?, cx.mul(Value::Int(42), cx.at(direction, k)?)?);
    let end = [end(0)?, end(1)?];
    straight_line(cx, cx.two(start)?, end)
}

/// Returns the column of a location, from row 0 to row 29.
///
/// ```arc
/// equality(vfrontier((7, 2)), connect((0, 2), (29, 2))) = True
/// ```
#[primitive(cost = PerCell)]
fn vfrontier(cx: &mut Cx, location: Pair) -> Total<Indices> {
    let col = cx.at(location, 1)?;
    let places = (0..30).map(|i| cx.tuple(&[Value::Int(i), col])).collect::<Result<Vec<_>, _>>()?;
    cx.set(&places)
}

/// Returns the row of a location, from column 0 to column 29.
///
/// ```arc
/// equality(hfrontier((7, 2)), connect((7, 0), (7, 29))) = True
/// ```
#[primitive(cost = PerCell)]
fn hfrontier(cx: &mut Cx, location: Pair) -> Total<Indices> {
    let row = cx.at(location, 0)?;
    let places = (0..30).map(|j| cx.tuple(&[row, Value::Int(j)])).collect::<Result<Vec<_>, _>>()?;
    cx.set(&places)
}

/// Returns all locations in the bounding box of a patch.
///
/// ```arc
/// backdrop({(0, 0), (1, 1)}) = {(0, 0), (0, 1), (1, 0), (1, 1)}
/// backdrop({(3, (2, 2))}) = {(2, 2)}
/// backdrop({}) = {}
/// backdrop({(0, 0), (1000000, 1000000)}) ! TooLarge
/// ```
#[primitive(cost = PerCell)]
fn backdrop(cx: &mut Cx, patch: Patch) -> Total<Indices> {
    bounding_box(cx, patch)
}

/// Returns the locations in the bounding box of a patch that are not in the patch.
///
/// ```arc
/// delta({(0, 0), (1, 1)}) = {(0, 1), (1, 0)}
/// delta({}) = {}
/// ```
#[primitive(cost = PerCell)]
fn delta(cx: &mut Cx, patch: Patch) -> Total<Indices> {
    if cx.len(patch)? == 0 {
        return Ok(Value::EMPTY_SET);
    }
    cx.sub(bounding_box(cx, patch)?, toindices(cx, patch)?)
}

/// Returns the outline of the box one cell inside the bounding box of a patch.
///
/// If the patch is a single line or cell, opposite sides cross, and the result is the outline of the box
/// between them.
///
/// ```arc
/// inbox({(0, 0), (2, 2)}) = {(1, 1)}
/// inbox({(0, 0), (0, 1)}) = {(-1, 0), (-1, 1), (0, 0), (0, 1), (1, 0), (1, 1)}
/// inbox({}) ! Empty
/// ```
#[primitive(cost = PerCell)]
fn inbox(cx: &mut Cx, patch: Patch) -> Partial<Indices> {
    inset_outline(cx, patch, 1)
}

/// Returns the outline of the box one cell outside the bounding box of a patch.
///
/// ```arc
/// outbox({(1, 1)}) = {(0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)}
/// outbox({}) ! Empty
/// ```
#[primitive(cost = PerCell)]
fn outbox(cx: &mut Cx, patch: Patch) -> Partial<Indices> {
    inset_outline(cx, patch, -1)
}

/// Returns the outline of the bounding box of a patch.
///
/// ```arc
/// box({(0, 0), (2, 2)}) = {(0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)}
/// box({(0, 0), (0, 2)}) = {(0, 0), (0, 1), (0, 2)}
/// box({}) = {}
/// ```
#[primitive(cost = PerCell)]
fn r#box(cx: &mut Cx, patch: Patch) -> Total<Indices> {
    if cx.len(patch)? == 0 {
        return Ok(patch);
    }
    let a = cx.two(ulcorner(cx, patch)?)?;
    let b = cx.two(lrcorner(cx, patch)?)?;
    outline(cx, a, b)
}

/// Returns the four locations above, below, left and right of a location.
///
/// ```arc
/// dneighbors((1, 1)) = {(0, 1), (1, 0), (1, 2), (2, 1)}
/// ```
#[primitive(cost = PerCell)]
fn dneighbors(cx: &mut Cx, loc: Pair) -> Total<Indices> {
    cx.set(&edge_neighbors(cx, loc)?)
}

/// Returns the four diagonal neighbours of a location.
///
/// ```arc
/// ineighbors((1, 1)) = {(0, 0), (0, 2), (2, 0), (2, 2)}
/// ```
#[primitive(cost = PerCell)]
fn ineighbors(cx: &mut Cx, loc: Pair) -> Total<Indices> {
    cx.set(&diagonal_neighbors(cx, loc)?)
}

/// Returns the eight neighbours of a location.
///
/// ```arc
/// neighbors((0, 0)) = {(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)}
/// ```
#[primitive(cost = PerCell)]
fn neighbors(cx: &mut Cx, loc: Pair) -> Total<Indices> {
    let places = [edge_neighbors(cx, loc)?, diagonal_neighbors(cx, loc)?].concat();
    cx.set(&places)
}

fn straight_line<'a>(cx: &Cx<'a>, a: [Value<'a>; 2], b: [Value<'a>; 2]) -> Result<Value<'a>, Fail> {
    let (ai, aj) = (cx.int(a[0])?, cx.int(a[1])?);
    let (bi, bj) = (cx.int(b[0])?, cx.int(b[1])?);
    let (rows, cols) = (between(ai, bi), between(aj, bj));
    let (n_rows, n_cols) = (length(&rows), length(&cols));
    if n_rows != n_cols && n_rows != 1 && n_cols != 1 {
        return Ok(Value::EMPTY_SET);
    }
    cx.admit_places(n_rows.max(n_cols), 1)?;
    // The shared coordinate is that of `a`, unchanged: True stays True.
    let places: Result<Vec<_>, _> = if ai == bi {
        cols.map(|j| cx.tuple(&[a[0], Value::Int(j)])).collect()
    } else if aj == bj {
        rows.map(|i| cx.tuple(&[Value::Int(i), a[1]])).collect()
    } else if (ai < bi) == (aj < bj) {
        rows.zip(cols).map(|(i, j)| cx.pair(i, j)).collect()
    } else {
        rows.zip(cols.rev()).map(|(i, j)| cx.pair(i, j)).collect()
    };
    cx.set(&places?)
}

fn bounding_box<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    if cx.len(patch)? == 0 {
        return Ok(Value::EMPTY_SET);
    }
    // The reference applies `toindices` twice for the upper corner, but not for the lower one.
    let [si, sj] = cx.two(ulcorner(cx, toindices(cx, patch)?)?)?;
    let [ei, ej] = cx.two(lrcorner(cx, patch)?)?;
    let rows = cx.int(si)?..=cx.int(ei)?;
    if rows.is_empty() {
        return Ok(Value::EMPTY_SET);
    }
    let cols = cx.int(sj)?..=cx.int(ej)?;
    cx.admit_places(length(&rows), length(&cols))?;
    let places = rows.flat_map(|i| cols.clone().map(move |j| (i, j)));
    let places = places.map(|(i, j)| cx.pair(i, j)).collect::<Result<Vec<_>, _>>()?;
    cx.set(&places)
}

/// Returns the outline of the bounding box with every side moved inwards by `n`.
fn inset_outline<'a>(cx: &Cx<'a>, patch: Value<'a>, n: i64) -> Result<Value<'a>, Fail> {
    let n = Value::Int(n);
    let a = [cx.add(uppermost(cx, patch)?, n)?, cx.add(leftmost(cx, patch)?, n)?];
    let b = [cx.sub(lowermost(cx, patch)?, n)?, cx.sub(rightmost(cx, patch)?, n)?];
    outline(cx, a, b)
}

/// Returns the outline of the box with corners `a` and `b`.
fn outline<'a>(cx: &Cx<'a>, a: [Value<'a>; 2], b: [Value<'a>; 2]) -> Result<Value<'a>, Fail> {
    let [si, sj] = [cx.min([a[0], b[0]])?, cx.min([a[1], b[1]])?];
    let [ei, ej] = [cx.max([a[0], b[0]])?, cx.max([a[1], b[1]])?];
    let (rows, cols) = (cx.int(si)?..=cx.int(ei)?, cx.int(sj)?..=cx.int(ej)?);
    let (n_rows, n_cols) = (length(&rows), length(&cols));
    // The sides share the four corners; a box of one row or column is all outline.
    let n_outline = n_rows.saturating_add(n_cols).saturating_mul(2) - 4;
    cx.admit_places(n_rows.saturating_mul(n_cols).min(n_outline), 1)?;
    let mut places = Vec::new();
    // Vertical sides come first: if corners are equal but not identical (True and 1), a set keeps the first.
    for j in [sj, ej] {
        for i in rows.clone() {
            places.push(cx.tuple(&[Value::Int(i), j])?);
        }
    }
    for i in [si, ei] {
        for j in cols.clone() {
            places.push(cx.tuple(&[i, Value::Int(j)])?);
        }
    }
    cx.set(&places)
}

fn edge_neighbors<'a>(cx: &Cx<'a>, loc: Value<'a>) -> Result<[Value<'a>; 4], Fail> {
    let [i, j] = [cx.at(loc, 0)?, cx.at(loc, 1)?];
    let step = |n, by| cx.add(n, Value::Int(by));
    Ok([
        cx.tuple(&[step(i, -1)?, j])?,
        cx.tuple(&[step(i, 1)?, j])?,
        cx.tuple(&[i, step(j, -1)?])?,
        cx.tuple(&[i, step(j, 1)?])?,
    ])
}

fn diagonal_neighbors<'a>(cx: &Cx<'a>, loc: Value<'a>) -> Result<[Value<'a>; 4], Fail> {
    let [i, j] = [cx.at(loc, 0)?, cx.at(loc, 1)?];
    let step = |n, by| cx.add(n, Value::Int(by));
    Ok([
        cx.tuple(&[step(i, -1)?, step(j, -1)?])?,
        cx.tuple(&[step(i, -1)?, step(j, 1)?])?,
        cx.tuple(&[step(i, 1)?, step(j, -1)?])?,
        cx.tuple(&[step(i, 1)?, step(j, 1)?])?,
    ])
}

/// Returns the range from the smaller to the larger number.
fn between(a: i64, b: i64) -> std::ops::RangeInclusive<i64> {
    a.min(b)..=a.max(b)
}

fn length(range: &std::ops::RangeInclusive<i64>) -> usize {
    if range.is_empty() {
        return 0;
    }
    usize::try_from(range.end().abs_diff(*range.start())).map_or(usize::MAX, |n| n.saturating_add(1))
}
