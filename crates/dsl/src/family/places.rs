//! Where the cells of a patch lie, how to move them, and what colours there are: what several families ask.
//!
//! These say what the primitives of the same names say, which only pass the question on.

use batt_value::{Fail, Value};

use crate::Cx;

/// The smallest row.
pub(super) fn uppermost<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    cx.min(coordinates(cx, patch, 0)?)
}

/// The largest row.
pub(super) fn lowermost<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    cx.max(coordinates(cx, patch, 0)?)
}

/// The smallest column.
pub(super) fn leftmost<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    cx.min(coordinates(cx, patch, 1)?)
}

/// The largest column.
pub(super) fn rightmost<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    cx.max(coordinates(cx, patch, 1)?)
}

/// The smallest row and the smallest column; of places with more coordinates, or fewer, just as many.
pub(super) fn ulcorner<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    corner(cx, patch, |_, column| cx.min(column))
}

/// The largest row and the largest column; of places with more coordinates, or fewer, just as many.
pub(super) fn lrcorner<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    corner(cx, patch, |_, column| cx.max(column))
}

/// A tuple of what `pick` takes from each coordinate, by its number: from all rows, from all columns.
///
/// An empty patch has no coordinates, so its corners are empty tuples.
pub(super) fn corner<'a>(
    cx: &Cx<'a>,
    patch: Value<'a>,
    pick: impl Fn(usize, Vec<Value<'a>>) -> Result<Value<'a>, Fail>,
) -> Result<Value<'a>, Fail> {
    let columns = by_coordinate(cx, patch)?.into_iter().enumerate();
    let picked = columns.map(|(which, column)| pick(which, column)).collect::<Result<Vec<_>, _>>()?;
    cx.tuple(&picked)
}

/// Rows of a grid, or of the box around a patch; 0 if it is empty.
pub(super) fn height<'a>(cx: &Cx<'a>, piece: Value<'a>) -> Result<i64, Fail> {
    match cx.len(piece)? {
        0 => Ok(0),
        n if piece.is_tuple() => Ok(n as i64),
        _ => extent(cx, uppermost(cx, piece)?, lowermost(cx, piece)?),
    }
}

/// Columns of a grid's first row, or of the box around a patch; 0 if it is empty.
pub(super) fn width<'a>(cx: &Cx<'a>, piece: Value<'a>) -> Result<i64, Fail> {
    match cx.len(piece)? {
        0 => Ok(0),
        _ if piece.is_tuple() => Ok(cx.len(cx.at(piece, 0)?)? as i64),
        _ => extent(cx, leftmost(cx, piece)?, rightmost(cx, piece)?),
    }
}

/// The middle of the box around a patch; of an even size, the place after the middle.
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

/// The patch moved so that its box starts at row 0 and column 0.
pub(super) fn normalize<'a>(cx: &Cx<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    if cx.len(patch)? == 0 {
        return Ok(patch);
    }
    let negative = |int: Value<'a>| cx.int(int)?.checked_neg().ok_or(Fail::Overflow);
    let (up, left) = (negative(uppermost(cx, patch)?)?, negative(leftmost(cx, patch)?)?);
    shift(cx, patch, cx.pair(up, left)?)
}

/// The colours of all cells of a grid (a tuple) or of an object (anything else).
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

/// The most frequent colour; of several the smallest.
pub(super) fn mostcolor<'a>(cx: &Cx<'a>, element: Value<'a>) -> Result<Value<'a>, Fail> {
    let colors = colors(cx, element)?;
    // Of equals `max_by_key` keeps the last, so the smallest colour has to come last.
    let most = cx.distinct(&colors).into_iter().rev().max_by_key(|&(_, n)| n);
    most.map(|(place, _)| colors[place]).ok_or(Fail::Empty)
}

/// The patch moved by `(rows, columns)`; an empty one is returned as it is.
pub(super) fn shift<'a>(cx: &Cx<'a>, patch: Value<'a>, by: Value<'a>) -> Result<Value<'a>, Fail> {
    if cx.len(patch)? == 0 {
        return Ok(patch);
    }
    let [down, right] = cx.two(by)?;
    // Python also "adds" tuples, and each sum is a new one.
    let weight = down.weight() as usize + right.weight() as usize;
    cx.arena.admit(cx.len(patch)?.saturating_mul(weight))?;
    relocate(cx, patch, |row, col| Ok([cx.add(row, down)?, cx.add(col, right)?]))
}

/// Swaps rows and columns: of a grid, or of a patch around its upper left corner.
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

/// The set of the patch's members with each place replaced by `to(row, col)`. Cells keep their colours; whether
/// the members are cells or places is read off the first, so an empty patch fails.
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

/// A tuple of tuples.
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

/// Total weight of the members made so far. A row of heavy cells may be a copy of them, so a tuple of rows is checked
/// while it is made, not after.
#[derive(Default)]
pub(super) struct TotalWeight(usize);

impl TotalWeight {
    /// Adds `times` more members like `member`, if that can be part of a value.
    pub(super) fn add(&mut self, cx: &Cx<'_>, member: Value<'_>, times: usize) -> Result<(), Fail> {
        self.0 = self.0.saturating_add((member.weight() as usize).saturating_mul(times));
        cx.arena.admit(self.0)
    }
}

/// Coordinate 0 (the row) or 1 (the column) of every place.
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

/// The places of a patch: of an object without its colours, of indices the indices themselves.
///
/// The first member decides which of the two it is, so a tuple of pairs comes back as the tuple it is.
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
