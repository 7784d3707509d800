//! Functions on locations, patches and colours that several families share.
//!
//! Primitives of the same names only call these functions.

use batt_value::{Fail, Value};

use crate::Cx;

/// Returns the smallest row.
pub(super) fn uppermost<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    cx.min(coordinates(cx, patch, 0)?)
}

/// Returns the largest row.
pub(super) fn lowermost<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    cx.max(coordinates(cx, patch, 0)?)
}

/// Returns the smallest column.
pub(super) fn leftmost<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    cx.min(coordinates(cx, patch, 1)?)
}

/// Returns the largest column.
pub(super) fn rightmost<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    cx.max(coordinates(cx, patch, 1)?)
}

/// Returns the smallest row and column; for locations with another number of coordinates, the smallest of
/// each.
pub(super) fn ulcorner<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    corner(cx, patch, |_, column| cx.min(column))
}

/// Returns the largest row and column; for locations with another number of coordinates, the largest of each.
pub(super) fn lrcorner<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    corner(cx, patch, |_, column| cx.max(column))
}

/// Returns a tuple of the results of `pick` on each coordinate: on 0 and all rows, on 1 and all columns.
///
/// An empty patch has no coordinates, so the result is an empty tuple.
pub(super) fn corner<'a>(
    cx: &Cx<'a>,
    patch: Value<'a>,
    pick: impl Fn(usize, Vec<Value<'a>>) -> Result<Value<'a>, Fail>,
) -> Result<Value<'a>, Fail> {
    let columns = by_coordinate(cx, patch)?.into_iter().enumerate();
    let picked = columns.map(|(which, column)| pick(which, column)).collect::<Result<Vec<_>, _>>()?;
    cx.tuple(&picked)
}

/// Returns the number of rows of a grid, or of the bounding box of a patch; 0 if it is empty.
pub(super) fn height<'a>(cx: &Cx<'a>, piece: Value<'a>) -> Result<i64, Fail> {
    match cx.len(piece)? {
        0 => Ok(0),
        n if piece.is_tuple() => Ok(n as i64),
        _ => extent(cx, uppermost(cx, piece)?, lowermost(cx, piece)?),
    }
}

/// Returns the number of columns of a grid's first row, or of the bounding box of a patch; 0 if it is empty.
pub(super) fn width<'a>(cx: &Cx<'a>, piece: Value<'a>) -> Result<i64, Fail> {
    match cx.len(piece)? {
        0 => Ok(0),
        _ if piece.is_tuple() => Ok(cx.len(cx.at(piece, 0)?)? as i64),
        _ => extent(cx, leftmost(cx, piece)?, rightmost(cx, piece)?),
    }
}

/// Returns the centre of the bounding box of a patch; if a side is even, the location after the middle.
pub(super) fn center<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    let half = |size: i64| Value::Int(size.div_euclid(2));
    let row = cx.add(uppermost(cx, patch)?, half(height(cx, patch)?))?;
    let col = cx.add(leftmost(cx, patch)?, half(width(cx, patch)?))?;
    cx.tuple(&[row, col])
}

/// `list((i, j) for i, j in toindices(patch))`
pub(super) fn places<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Vec<[Value<'a>; 2]>, Fail> {
    cx.iter(toindices(cx, patch)?)?.map(|place| cx.two(place)).collect()
}

/// Moves a patch so that its bounding box starts at row 0 and column 0.
pub(super) fn normalize<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    if cx.len(patch)? == 0 {
        return Ok(patch);
    }
    let negative = |int: Value<'a>| cx.int(int)?.checked_neg().ok_or(Fail::Overflow);
    let (up, left) = (negative(uppermost(cx, patch)?)?, negative(leftmost(cx, patch)?)?);
    shift(cx, patch, cx.pair(up, left)?)
}

/// Returns the colours of all cells of a grid (a tuple) or of an object (anything else).
pub(super) fn colors<'a>(cx: &Cx<'a>, element: Value<'a>) -> Result<Vec<Value<'a>>, Fail> {
    if element.is_tuple() { cells_of_rows(cx, element) } else { colors_of_cells(cx, element) }
}

pub(super) fn cells_of_rows<'a>(cx: &Cx<'a>, grid: Value<'a>) -> Result<Vec<Value<'a>>, Fail> {
    let mut cells = Vec::new();
    for row in cx.iter(grid)? {
        cells.extend(cx.iter(row)?);
    }
    Ok(cells)
}

pub(super) fn colors_of_cells<'a>(cx: &Cx<'a>, object: Value<'a>) -> Result<Vec<Value<'a>>, Fail> {
    cx.iter(object)?.map(|cell| Ok(cx.two(cell)?[0])).collect()
}

/// Returns the most frequent colour; of several, the smallest.
pub(super) fn mostcolor<'a>(cx: &Cx<'a>, element: Value<'a>) -> Result<Value<'a>, Fail> {
    let colors = colors(cx, element)?;
    // `max_by_key` keeps the last of equals, so the smallest colour has to come last.
    let most = cx.distinct(&colors).into_iter().rev().max_by_key(|&(_, n)| n);
    most.map(|(place, _)| colors[place]).ok_or(Fail::Empty)
}

/// Moves a patch by `(rows, columns)`; an empty patch is returned unchanged.
pub(super) fn shift<'a>(cx: &Cx<'a>, patch: Value<'a>, by: Value<'a>) -> Result<Value<'a>, Fail> {
    if cx.len(patch)? == 0 {
        return Ok(patch);
    }
    let [down, right] = cx.two(by)?;
    // Python's `+` also joins tuples, so the sums can be large.
    let weight = down.weight() as usize + right.weight() as usize;
    cx.arena.admit(cx.len(patch)?.saturating_mul(weight))?;
    relocate(cx, patch, |row, col| Ok([cx.add(row, down)?, cx.add(col, right)?]))
}

/// Swaps rows and columns of a grid, or of a patch, whose top-left corner stays.
pub(super) fn dmirror<'a>(cx: &Cx<'a>, piece: Value<'a>) -> Result<Value<'a>, Fail> {
    if piece.is_tuple() {
        let columns = cx.zip_all(&cx.members(piece)?)?;
        return tuples(cx, &columns);
    }
    let [top, left] = cx.two(ulcorner(cx, piece)?)?;
    relocate(cx, piece, |row, col| {
        let new_row = cx.add(cx.sub(col, left)?, top)?;
        let new_col = cx.add(cx.sub(row, top)?, left)?;
        Ok([new_row, new_col])
    })
}

/// Returns the set of the patch's members with each location replaced by `to(row, col)`. Cells keep their
/// colours. The first member decides whether the patch has cells or locations, so an empty patch fails.
pub(super) fn relocate<'a>(
    cx: &Cx<'a>,
    patch: Value<'a>,
    to: impl Fn(Value<'a>, Value<'a>) -> Result<[Value<'a>; 2], Fail>,
) -> Result<Value<'a>, Fail> {
    let cells = cx.at(cx.first(patch)?, 1)?.is_tuple();
    let move_place = |place: Value<'a>| {
        let [row, col] = cx.two(place)?;
        cx.tuple(&to(row, col)?)
    };
    let move_member = |member: Value<'a>| {
        if !cells {
            return move_place(member);
        }
        let [color, place] = cx.two(member)?;
        cx.tuple(&[color, move_place(place)?])
    };
    let moved = cx.iter(patch)?.map(move_member).collect::<Result<Vec<_>, _>>()?;
    cx.set(&moved)
}

/// Makes a tuple of tuples.
pub(super) fn tuples<'a>(cx: &Cx<'a>, rows: &[Vec<Value<'a>>]) -> Result<Value<'a>, Fail> {
    let mut weight = TotalWeight::default();
    let mut made = Vec::with_capacity(rows.len());
    for row in rows {
        let row = cx.tuple(row)?;
        weight.add(cx, row, 1)?;
        made.push(row);
    }
    cx.tuple(&made)
}

/// Total weight of the members made so far. Rows may share heavy cells, so the weight of a tuple of rows is
/// checked while the rows are made, not after.
#[derive(Default)]
pub(super) struct TotalWeight(usize);

impl TotalWeight {
    /// Adds `times` members like `member`; fails if no value can hold them.
    pub(super) fn add(&mut self, cx: &Cx<'_>, member: Value<'_>, times: usize) -> Result<(), Fail> {
        self.0 = self.0.saturating_add((member.weight() as usize).saturating_mul(times));
        cx.arena.admit(self.0)
    }
}

/// Returns coordinate 0 (the row) or 1 (the column) of every location.
fn coordinates<'a>(cx: &Cx<'a>, patch: Value<'a>, which: usize) -> Result<Vec<Value<'a>>, Fail> {
    cx.iter(toindices(cx, patch)?)?.map(|place| Ok(cx.two(place)?[which])).collect()
}

/// `last - first + 1`
fn extent<'a>(cx: &Cx<'a>, first: Value<'a>, last: Value<'a>) -> Result<i64, Fail> {
    let steps = cx.int(last)?.checked_sub(cx.int(first)?);
    steps.and_then(|steps| steps.checked_add(1)).ok_or(Fail::Overflow)
}

/// `zip(*toindices(patch))`: all rows, then all columns.
fn by_coordinate<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Vec<Vec<Value<'a>>>, Fail> {
    cx.zip_all(&cx.members(toindices(cx, patch)?)?)
}

/// Returns the locations of a patch: an object loses its colours, indices are returned unchanged.
///
/// The first member decides which of the two it is. A tuple of pairs stays a tuple.
pub(super) fn toindices<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    if cx.len(patch)? == 0 {
        return Ok(Value::EMPTY_SET);
    }
    if !cx.at(cx.first(patch)?, 1)?.is_tuple() {
        return Ok(patch);
    }
    let places = cx.iter(patch)?.map(|cell| Ok(cx.two(cell)?[1]));
    cx.set(&places.collect::<Result<Vec<_>, Fail>>()?)
}
