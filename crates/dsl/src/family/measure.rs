//! Distances, directions and periods.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value, order};

use super::places::{
    center, height, leftmost, lowermost, normalize, places, rightmost, toindices, uppermost, width,
};
use crate::Cx;
use crate::python::Lookup;
use crate::registry::family;

family! {
    /// Distances, directions and periods of patches, and reading a cell of a grid.
    measure: manhattan, adjacent, bordering, hmatching, vmatching, position, gravitate, hperiod, vperiod, index,
}

/// Returns the smallest Manhattan distance between a cell of `a` and a cell of `b`.
///
/// ```arc
/// manhattan({(0, 0), (0, 1)}, {(2, 2)}) = 3
/// manhattan({(0, 0)}, {(5, (0, 0))}) = 0
/// manhattan({(0, 0)}, {}) ! Empty
/// ```
#[primitive(cost = PerPair)]
fn manhattan(cx: &mut Cx, a: Patch, b: Patch) -> Partial<Int> {
    i64::try_from(distance(cx, a, b)?).map(Value::Int).map_err(|_| Fail::Overflow)
}

/// Returns whether two patches touch along an edge and share no cell (their distance is 1).
///
/// ```arc
/// adjacent({(0, 0)}, {(0, 1), (0, 2)}) = True
/// adjacent({(0, 0)}, {(1, 1)}) = False
/// adjacent({(0, 0)}, {(0, 0), (0, 1)}) = False
/// ```
#[primitive(cost = PerPair)]
fn adjacent(cx: &mut Cx, a: Patch, b: Patch) -> Partial<Bool> {
    Ok((distance(cx, a, b)? == 1).into())
}

/// Returns whether a patch touches the border of the grid.
///
/// ```arc
/// bordering({(1, 1), (2, 1)}, [0 0 0 | 0 0 0 | 0 0 0]) = True
/// bordering({(1, 1)}, [0 0 0 | 0 0 0 | 0 0 0]) = False
/// ```
#[primitive(cost = PerCell)]
fn bordering(cx: &mut Cx, patch: Patch, grid: Grid) -> Partial<Bool> {
    let is = |side, line| order::equal(side, Value::Int(line));
    // As in the reference, a side is computed only if those before it do not touch.
    let touches = is(uppermost(cx, patch)?, 0)
        || is(leftmost(cx, patch)?, 0)
        || is(lowermost(cx, patch)?, cx.len(grid)? as i64 - 1)
        || is(rightmost(cx, patch)?, cx.len(cx.at(grid, 0)?)? as i64 - 1);
    Ok(touches.into())
}

/// Returns whether some row contains cells of both patches.
///
/// ```arc
/// hmatching({(0, 0), (1, 0)}, {(1, 5)}) = True
/// hmatching({(0, 0)}, {(1, 0)}) = False
/// ```
#[primitive(cost = PerCell)]
fn hmatching(cx: &mut Cx, a: Patch, b: Patch) -> Total<Bool> {
    Ok(share_coordinate(cx, a, b, |[i, _]| i)?.into())
}

/// Returns whether some column contains cells of both patches.
///
/// ```arc
/// vmatching({(0, 0), (0, 1)}, {(5, 1)}) = True
/// vmatching({(0, 0)}, {(0, 1)}) = False
/// ```
#[primitive(cost = PerCell)]
fn vmatching(cx: &mut Cx, a: Patch, b: Patch) -> Total<Bool> {
    Ok(share_coordinate(cx, a, b, |[_, j]| j)?.into())
}

/// Returns the direction from the centre of `a` to the centre of `b`.
///
/// Both components are `-1`, `0` or `1`. For equal centres the result is `(0, -1)`.
///
/// ```arc
/// position({(0, 0)}, {(3, 5)}) = (1, 1)
/// position({(3, 0)}, {(0, 0)}) = (-1, 0)
/// position({(0, 0)}, {(0, 0)}) = (0, -1)
/// position({(0, 0)}, {}) ! Empty
/// ```
#[primitive(cost = PerCell)]
fn position(cx: &mut Cx, a: Patch, b: Patch) -> Partial<Pair> {
    let (ia, ja) = cx.two_ints(center(cx, toindices(cx, a)?)?)?;
    let (ib, jb) = cx.two_ints(center(cx, toindices(cx, b)?)?)?;
    match (ia == ib, ja == jb) {
        (true, _) => cx.pair(0, direction(ja, jb)),
        (false, true) => cx.pair(direction(ia, ib), 0),
        (false, false) => cx.pair(direction(ia, ib), direction(ja, jb)),
    }
}

/// Returns the offset that moves `source` next to `destination`.
///
/// It moves vertically if the patches share a column, otherwise horizontally, towards the centre of
/// `destination`. If it is not adjacent within 42 steps, the result is 42 steps.
///
/// ```arc
/// gravitate({(0, 0)}, {(4, 0)}) = (3, 0)
/// gravitate({(2, 7)}, {(2, 1), (2, 2)}) = (0, -4)
/// gravitate({(0, 0)}, {(0, 1)}) = (0, 0)
/// gravitate({(0, 0)}, {(9, 9)}) = (0, 42)
/// gravitate({}, {(0, 0)}) ! Empty
/// ```
#[primitive(cost = PerPair)]
fn gravitate(cx: &mut Cx, source: Patch, destination: Patch) -> Partial<Pair> {
    let (si, sj) = cx.two_ints(center(cx, source)?)?;
    let (di, dj) = cx.two_ints(center(cx, destination)?)?;
    let (i, j) = if share_coordinate(cx, source, destination, |[_, j]| j)? {
        (direction(si, di), 0)
    } else {
        (0, direction(sj, dj))
    };
    let source = wide_locations(cx, source)?;
    let destination = wide_locations(cx, destination)?;
    let steps = steps_until_adjacent(&source, &destination, (i.into(), j.into()));
    cx.pair(i * steps, j * steps)
}

/// Returns the horizontal period of an object: how far left it moves to coincide with itself.
///
/// Cells that leave the bounding box are ignored. Without a smaller period, the result is the width. The call
/// costs an extra 64th of the number of cells times the width.
///
/// ```arc
/// hperiod({(1, (0, 0)), (2, (0, 1)), (1, (0, 2)), (2, (0, 3))}) = 2
/// hperiod({(1, (5, 5)), (2, (5, 6))}) = 2
/// hperiod({}) = 0
/// hperiod({(0, 0), (0, 1)}) ! Kind
/// ```
#[primitive(cost = PerCell)]
fn hperiod(cx: &mut Cx, obj: Object) -> Total<Int> {
    let normed = normalize(cx, obj)?;
    let extent = width(cx, normed)?;
    period(cx, normed, extent, |i, j| (i, j))
}

/// Returns the vertical period of an object: how far up it moves to coincide with itself.
///
/// Cells that leave the bounding box are ignored. Without a smaller period, the result is the height. The
/// call costs an extra 64th of the number of cells times the height.
///
/// ```arc
/// vperiod({(1, (0, 0)), (1, (1, 0)), (1, (2, 0))}) = 1
/// vperiod({(1, (0, 0)), (2, (1, 0)), (1, (2, 0))}) = 2
/// vperiod({}) = 0
/// ```
#[primitive(cost = PerCell)]
fn vperiod(cx: &mut Cx, obj: Object) -> Total<Int> {
    let normed = normalize(cx, obj)?;
    let extent = height(cx, normed)?;
    period(cx, normed, extent, |i, j| (j, i))
}

/// Returns the colour at a location of a grid, or `None` outside the grid.
///
/// ```arc
/// index([1 2 | 3 4], (1, 0)) = 3
/// index([1 2 | 3 4], (-1, 0)) = None
/// index((), (0, 0)) ! Range
/// ```
#[primitive(cost = Constant)]
fn index(cx: &mut Cx, grid: Grid, loc: Pair) -> Partial<Color> {
    let [i, j] = cx.two(loc)?;
    let height = cx.len(grid)?;
    let width = cx.len(cx.at(grid, 0)?)?;
    if cx.within(i, height)?.is_none() || cx.within(j, width)?.is_none() {
        return Ok(Value::None);
    }
    // A set of two members can be unpacked above, but not indexed.
    let (i, j) = (cx.int(cx.at(loc, 0)?)?, cx.int(cx.at(loc, 1)?)?);
    cx.at(cx.at(grid, i)?, j)
}

/// Locations in 128 bits, so that the difference of any two coordinates is exact.
type WideLocations = Vec<(i128, i128)>;

fn wide_locations<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<WideLocations, Fail> {
    let int = |value| cx.int(value).map(i128::from);
    places(cx, patch)?.into_iter().map(|[i, j]| Ok((int(i)?, int(j)?))).collect()
}

/// Returns the smallest Manhattan distance between two patches.
fn distance<'a>(cx: &Cx<'a>, a: Value<'a>, b: Value<'a>) -> Result<i128, Fail> {
    let (a, b) = (wide_locations(cx, a)?, wide_locations(cx, b)?);
    let mut smallest = None;
    for (ai, aj) in a {
        for (bi, bj) in &b {
            let distance = (ai - bi).abs() + (aj - bj).abs();
            if smallest.is_none_or(|smallest| distance < smallest) {
                smallest = Some(distance);
            }
        }
        if smallest == Some(0) {
            return Ok(0);
        }
    }
    smallest.ok_or(Fail::Empty)
}

/// Returns whether some coordinate occurs in both patches.
fn share_coordinate<'a>(
    cx: &Cx<'a>,
    a: Value<'a>,
    b: Value<'a>,
    coordinate: impl Fn([Value<'a>; 2]) -> Value<'a>,
) -> Result<bool, Fail> {
    let coordinates =
        |patch| -> Result<Vec<_>, Fail> { Ok(places(cx, patch)?.into_iter().map(&coordinate).collect()) };
    let (a, b) = (coordinates(a)?, Lookup::new(coordinates(b)?));
    Ok(a.into_iter().any(|coordinate| b.has(coordinate)))
}

/// Returns 1 if `to` is greater than `from`, otherwise −1.
fn direction(from: i64, to: i64) -> i64 {
    if from < to { 1 } else { -1 }
}

/// Returns the number of steps after which the distance is 1, at most 42.
///
/// The reference computes the distance again after every step. Here each pair of cells contributes once the
/// steps at which its distance is 0 or 1; the patches are adjacent when some pair is at 1 and none at 0.
fn steps_until_adjacent(source: &WideLocations, destination: &WideLocations, (i, j): (i128, i128)) -> i64 {
    const MAX_STEPS: i128 = 42;
    let bit = |step: i128| if (0..=MAX_STEPS).contains(&step) { 1u64 << step } else { 0 };
    // Bit k is set if some pair of cells is at distance 0 (or 1) after k steps.
    let (mut zero, mut one) = (0, 0);
    for (si, sj) in source {
        for (di, dj) in destination {
            // After `closest` steps the cells are nearest to each other, `across` apart.
            let closest = (di - si) * i + (dj - sj) * j;
            let across = ((di - si) * j).abs() + ((dj - sj) * i).abs();
            match across {
                0 => {
                    zero |= bit(closest);
                    one |= bit(closest - 1) | bit(closest + 1);
                }
                1 => one |= bit(closest),
                _ => {}
            }
        }
    }
    i64::from((one & !zero).trailing_zeros()).min(MAX_STEPS as i64)
}

/// Returns the smallest step at which the cells of a normalised object fall on cells of the same colour, or
/// `extent` if there is none. `turn` converts (row, column) to (across, along).
fn period<'a>(
    cx: &mut Cx<'a>,
    normed: Value<'a>,
    extent: i64,
    turn: impl Fn(i64, i64) -> (i64, i64),
) -> Result<Value<'a>, Fail> {
    if extent < 2 {
        return Ok(Value::Int(extent));
    }
    cx.charge((cx.len(normed)? as u64).saturating_mul(extent as u64) / 64)?;
    let cells = numbered_cells(cx, normed, turn)?;
    // A cell at the far end has to fall on a cell of its own line and colour, so only those steps are tried.
    // The number of tries is thus bounded by the number of cells, however far apart they are.
    let far = *cells.iter().find(|cell| cell.2 == extent - 1).ok_or(Fail::Empty)?;
    let line = cells.iter().filter(|cell| (cell.0, cell.1) == (far.0, far.1));
    for &(_, _, along) in line.rev().skip(1) {
        let step = extent - 1 - along;
        if falls_on_itself(&cells, step) {
            return Ok(Value::Int(step));
        }
    }
    Ok(Value::Int(extent))
}

/// A cell as (number of its colour, across, along).
type NumberedCell = (usize, i64, i64);

/// Returns the cells of an object, sorted; equal colours have equal numbers.
fn numbered_cells<'a>(
    cx: &Cx<'a>,
    normed: Value<'a>,
    turn: impl Fn(i64, i64) -> (i64, i64),
) -> Result<Vec<NumberedCell>, Fail> {
    let mut cells = Vec::with_capacity(cx.len(normed)?);
    let mut current = None;
    let mut number = 0;
    for member in cx.iter(normed)? {
        let [color, place] = cx.two(member)?;
        let (i, j) = cx.two_ints(place)?;
        // Cells are sorted by colour first.
        if current.is_some_and(|current| !order::equal(current, color)) {
            number += 1;
        }
        current = Some(color);
        let (across, along) = turn(i, j);
        cells.push((number, across, along));
    }
    cells.sort_unstable();
    Ok(cells)
}

/// Returns whether every cell that stays in the box after a move by `step` falls on a cell of its colour.
fn falls_on_itself(cells: &[NumberedCell], step: i64) -> bool {
    // Cells and targets are in the same order, so one pass finds all targets.
    let mut walk = cells.iter();
    cells.iter().filter(|cell| cell.2 >= step).all(|&(number, across, along)| {
        let target = (number, across, along - step);
        walk.find(|cell| **cell >= target) == Some(&target)
    })
}
