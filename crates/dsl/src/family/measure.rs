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
    /// How patches lie to each other and on the grid.
    measure: manhattan, adjacent, bordering, hmatching, vmatching, position, gravitate, hperiod, vperiod, index,
}

/// The smallest distance between a cell of `a` and a cell of `b`, in steps along rows and columns.
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

/// Whether the distance of two patches is one: they touch along an edge and share no cell.
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

/// Whether the patch reaches the border of the grid.
///
/// ```arc
/// bordering({(1, 1), (2, 1)}, [0 0 0 | 0 0 0 | 0 0 0]) = True
/// bordering({(1, 1)}, [0 0 0 | 0 0 0 | 0 0 0]) = False
/// ```
#[primitive(cost = PerCell)]
fn bordering(cx: &mut Cx, patch: Patch, grid: Grid) -> Partial<Bool> {
    let is = |side, line| order::equal(side, Value::Int(line));
    // Each side is asked only if those before it do not touch.
    let touches = is(uppermost(cx, patch)?, 0)
        || is(leftmost(cx, patch)?, 0)
        || is(lowermost(cx, patch)?, cx.len(grid)? as i64 - 1)
        || is(rightmost(cx, patch)?, cx.len(cx.at(grid, 0)?)? as i64 - 1);
    Ok(touches.into())
}

/// Whether both patches have cells in some row.
///
/// ```arc
/// hmatching({(0, 0), (1, 0)}, {(1, 5)}) = True
/// hmatching({(0, 0)}, {(1, 0)}) = False
/// ```
#[primitive(cost = PerCell)]
fn hmatching(cx: &mut Cx, a: Patch, b: Patch) -> Total<Bool> {
    Ok(shares(cx, a, b, |[i, _]| i)?.into())
}

/// Whether both patches have cells in some column.
///
/// ```arc
/// vmatching({(0, 0), (0, 1)}, {(5, 1)}) = True
/// vmatching({(0, 0)}, {(0, 1)}) = False
/// ```
#[primitive(cost = PerCell)]
fn vmatching(cx: &mut Cx, a: Patch, b: Patch) -> Total<Bool> {
    Ok(shares(cx, a, b, |[_, j]| j)?.into())
}

/// The direction from the centre of `a` to the centre of `b`: −1, 0 or 1 for rows and for columns.
///
/// For equal centres the direction is (0, −1).
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
        (true, _) => cx.pair(0, ahead(ja, jb)),
        (false, true) => cx.pair(ahead(ia, ib), 0),
        (false, false) => cx.pair(ahead(ia, ib), ahead(ja, jb)),
    }
}

/// How far `source` has to move until it is adjacent to `destination`.
///
/// It moves vertically if they share a column, else horizontally, towards the centre of the destination, at most
/// 42 steps; if it never becomes adjacent the answer is those 42 steps.
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
    let (i, j) =
        if shares(cx, source, destination, |[_, j]| j)? { (ahead(si, di), 0) } else { (0, ahead(sj, dj)) };
    let source = int_places(cx, source)?;
    let destination = int_places(cx, destination)?;
    let steps = steps_until_adjacent(&source, &destination, (i.into(), j.into()));
    cx.pair(i * steps, j * steps)
}

/// The smallest number of columns by which the object, moved left, falls on itself; cells that leave its box do
/// not count. The width, if there is no smaller one.
///
/// On top of the cost by cells it costs a 64th of the cells times the width.
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

/// The smallest number of rows by which the object, moved up, falls on itself; cells that leave its box do not
/// count. The height, if there is no smaller one.
///
/// On top of the cost by cells it costs a 64th of the cells times the height.
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

/// The colour at a place of the grid; None for a place outside.
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
    // Two members of a set can be unpacked above, but a set has no places.
    let (i, j) = (cx.int(cx.at(loc, 0)?)?, cx.int(cx.at(loc, 1)?)?);
    cx.at(cx.at(grid, i)?, j)
}

/// Not 64 bits, so that the difference of any two coordinates is exact.
type Places = Vec<(i128, i128)>;

fn int_places<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Places, Fail> {
    let int = |value| cx.int(value).map(i128::from);
    places(cx, patch)?.into_iter().map(|[i, j]| Ok((int(i)?, int(j)?))).collect()
}

fn distance<'a>(cx: &Cx<'a>, a: Value<'a>, b: Value<'a>) -> Result<i128, Fail> {
    let (a, b) = (int_places(cx, a)?, int_places(cx, b)?);
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

/// Whether some coordinate occurs in both patches.
fn shares<'a>(
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

/// 1 if `to` lies ahead of `from`, else −1.
fn ahead(from: i64, to: i64) -> i64 {
    if from < to { 1 } else { -1 }
}

/// After how many steps the distance is one, at most 42.
///
/// The reference takes the distance anew after every step. Here each pair of cells says once at which steps it is
/// 0 and at which it is 1: the distance is one where some pair is 1 and none is 0.
fn steps_until_adjacent(source: &Places, destination: &Places, (i, j): (i128, i128)) -> i64 {
    const MOST: i128 = 42;
    let step = |k: i128| if (0..=MOST).contains(&k) { 1u64 << k } else { 0 };
    let (mut zero, mut one) = (0, 0);
    for (si, sj) in source {
        for (di, dj) in destination {
            // So many steps on they are level, with so much beside.
            let level = (di - si) * i + (dj - sj) * j;
            let beside = ((di - si) * j).abs() + ((dj - sj) * i).abs();
            match beside {
                0 => {
                    zero |= step(level);
                    one |= step(level - 1) | step(level + 1);
                }
                1 => one |= step(level),
                _ => {}
            }
        }
    }
    i64::from((one & !zero).trailing_zeros()).min(MOST as i64)
}

/// The smallest step at which the cells of a normalised object fall on cells of the same colour, else `extent`.
/// `turn` makes (across, along) of (row, column).
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
    let cells = strands(cx, normed, turn)?;
    // A cell at the far end has to fall on a cell of its strand, so only those steps need a try. That bounds the
    // tries by the cells, however far apart they are.
    let far = *cells.iter().find(|cell| cell.2 == extent - 1).ok_or(Fail::Empty)?;
    let strand = cells.iter().filter(|cell| (cell.0, cell.1) == (far.0, far.1));
    for &(_, _, along) in strand.rev().skip(1) {
        let step = extent - 1 - along;
        if falls_on_itself(&cells, step) {
            return Ok(Value::Int(step));
        }
    }
    Ok(Value::Int(extent))
}

/// A cell as (number of its colour, across, along).
type Strand = (usize, i64, i64);

/// The cells of an object, sorted; equal colours have equal numbers.
fn strands<'a>(
    cx: &Cx<'a>,
    normed: Value<'a>,
    turn: impl Fn(i64, i64) -> (i64, i64),
) -> Result<Vec<Strand>, Fail> {
    let mut cells = Vec::with_capacity(cx.len(normed)?);
    let mut current = None;
    let mut number = 0;
    for member in cx.iter(normed)? {
        let [color, place] = cx.two(member)?;
        let (i, j) = cx.two_ints(place)?;
        // A set ascends by colour first.
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

/// Whether every cell that stays in the box after `step` falls on a cell.
fn falls_on_itself(cells: &[Strand], step: i64) -> bool {
    // Cells and targets ascend alike, so one walk finds all targets.
    let mut walk = cells.iter();
    cells.iter().filter(|cell| cell.2 >= step).all(|&(number, across, along)| {
        let target = (number, across, along - step);
        walk.find(|cell| **cell >= target) == Some(&target)
    })
}
