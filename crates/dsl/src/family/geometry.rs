//! Rotating, mirroring and moving.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value};

use super::places::{self, relocate, tuples};
use crate::Cx;
use crate::registry::family;

family! {
    /// Rotate and mirror grids and patches, and move patches. A patch is mirrored within its bounding box;
    /// mirroring an empty patch fails. Rotations accept only grids. If rows have unequal lengths, they are
    /// cut to the shortest where rows become columns.
    geometry: rot90, rot180, rot270, hmirror, vmirror, dmirror, cmirror, mir_rot, shift, normalize, normalize_t,
}

/// Rotates a grid 90 degrees clockwise.
///
/// ```arc
/// rot90([1 0 | 0 1 | 1 2]) = [1 0 1 | 2 1 0]
/// rot90([1 2 3 | 4 5]) = [4 1 | 5 2]
/// rot90({(0, 1)}) ! Kind
/// ```
#[primitive(cost = PerCell)]
fn rot90(cx: &mut Cx, grid: Grid) -> Total<Grid> {
    let columns = columns_upwards(cx, grid)?;
    tuples(cx, &columns)
}

/// Rotates a grid 180 degrees.
///
/// ```arc
/// rot180([1 2 | 3 4]) = [4 3 | 2 1]
/// rot180([1 2 3 | 4 5]) = ((5, 4), (3, 2, 1))
/// ```
#[primitive(cost = PerCell)]
fn rot180(cx: &mut Cx, grid: Grid) -> Total<Grid> {
    reversed_rows(cx, cx.reversed(grid)?)
}

/// Rotates a grid 90 degrees counterclockwise.
///
/// ```arc
/// rot270([1 0 | 0 1 | 1 2]) = [0 1 2 | 1 0 1]
/// ```
#[primitive(cost = PerCell)]
fn rot270(cx: &mut Cx, grid: Grid) -> Total<Grid> {
    let mut columns = columns_upwards(cx, grid)?;
    columns.iter_mut().for_each(|column| column.reverse());
    columns.reverse();
    tuples(cx, &columns)
}

/// Swaps top and bottom.
///
/// ```arc
/// hmirror([1 2 | 3 4]) = [3 4 | 1 2]
/// hmirror({(5, (1, 0)), (6, (3, 1))}) = {(6, (1, 1)), (5, (3, 0))}
/// hmirror({(1, 0), (3, 1)}) = {(1, 1), (3, 0)}
/// hmirror({}) ! Range
/// ```
#[primitive(
    cost = PerCell,
    alias(hmirror_t, hmirror_f, hmirror_i, hmirror_o),
    infer = SameAsFirst
)]
fn hmirror(cx: &mut Cx, piece: Piece) -> Partial<Piece> {
    if piece.is_tuple() {
        return cx.reversed(piece);
    }
    let sum = opposite_sum(cx, piece, 0)?;
    relocate(cx, piece, |row, col| Ok([cx.sub(sum, row)?, col]))
}

/// Swaps left and right.
///
/// ```arc
/// vmirror([1 2 | 3 4]) = [2 1 | 4 3]
/// vmirror({(5, (1, 0)), (6, (3, 1))}) = {(5, (1, 1)), (6, (3, 0))}
/// vmirror({}) ! Range
/// ```
#[primitive(
    cost = PerCell,
    alias(vmirror_t, vmirror_f, vmirror_i, vmirror_o),
    infer = SameAsFirst
)]
fn vmirror(cx: &mut Cx, piece: Piece) -> Partial<Piece> {
    if piece.is_tuple() {
        return reversed_rows(cx, piece);
    }
    let sum = opposite_sum(cx, piece, 1)?;
    relocate(cx, piece, |row, col| Ok([row, cx.sub(sum, col)?]))
}

/// Mirrors along the main diagonal (top left to bottom right): rows become columns.
///
/// The top-left corner of a patch's bounding box stays.
///
/// ```arc
/// dmirror([1 2 | 3 4 | 5 6]) = [1 3 5 | 2 4 6]
/// dmirror({(5, (1, 0)), (6, (3, 1))}) = {(5, (1, 0)), (6, (2, 2))}
/// dmirror({}) ! Kind
/// ```
#[primitive(
    cost = PerCell,
    alias(dmirror_t, dmirror_f, dmirror_i, dmirror_o),
    infer = SameAsFirst
)]
fn dmirror(cx: &mut Cx, piece: Piece) -> Partial<Piece> {
    places::dmirror(cx, piece)
}

/// Mirrors along the other diagonal (top right to bottom left).
///
/// The top-left corner of a patch's bounding box stays.
///
/// ```arc
/// cmirror([1 2 | 3 4 | 5 6]) = [6 4 2 | 5 3 1]
/// cmirror({(5, (1, 0)), (6, (3, 1))}) = {(6, (1, 0)), (5, (2, 2))}
/// cmirror({}) ! Range
/// ```
#[primitive(
    cost = PerCell,
    alias(cmirror_t, cmirror_f, cmirror_i, cmirror_o),
    infer = SameAsFirst
)]
fn cmirror(cx: &mut Cx, piece: Piece) -> Partial<Piece> {
    if piece.is_tuple() {
        return places::dmirror(cx, reversed_rows(cx, cx.reversed(piece)?)?);
    }
    let piece = vmirror(cx, piece)?;
    let piece = places::dmirror(cx, piece)?;
    vmirror(cx, piece)
}

/// Applies one of the eight symmetries of the square, chosen by a code.
///
/// `A0` is `hmirror`, `A1` `dmirror`, `A2` `vmirror`, `A3` `cmirror`, `A4` `rot90`, `A5` `rot180` and `A6`
/// `rot270`; `A7` returns the piece unchanged. Rotations accept only grids.
///
/// ```arc
/// mir_rot([1 2 | 3 4], 0) = [3 4 | 1 2]
/// mir_rot([1 2 | 3 4], 4) = [3 1 | 4 2]
/// mir_rot({(1, 0), (3, 1)}, 2) = {(1, 1), (3, 0)}
/// mir_rot({(1, 0), (3, 1)}, 5) ! Kind
/// mir_rot({(1, 0), (3, 1)}, 7) = {(1, 0), (3, 1)}
/// mir_rot([1 2 | 3 4], 8) ! Range
/// ```
#[primitive(
    cost = PerCell,
    alias(mir_rot_t, mir_rot_f),
    keyword(type = code, grid = piece, patch = piece),
    infer = SameAsFirst
)]
fn mir_rot(cx: &mut Cx, piece: Piece, code: Choice8) -> Partial<Piece> {
    apply_symmetry(cx, piece, cx.int(code)?)
}

/// Moves a patch by a number of rows down and of columns to the right.
///
/// The result is a set, except that an empty patch is returned unchanged.
///
/// ```arc
/// shift({(5, (1, 0)), (6, (3, 1))}, (1, -2)) = {(5, (2, -2)), (6, (4, -1))}
/// shift(((1, 0), (3, 1)), (0, 1)) = {(1, 1), (3, 2)}
/// shift((), (0, 1)) = ()
/// ```
#[primitive(cost = PerCell, infer = SameAsFirst)]
fn shift(cx: &mut Cx, patch: Patch, directions: Pair) -> Total<Patch> {
    places::shift(cx, patch, directions)
}

/// Moves a patch so that its bounding box starts at `(0, 0)`.
///
/// ```arc
/// normalize({(5, (1, 2)), (6, (3, 1))}) = {(5, (0, 1)), (6, (2, 0))}
/// normalize({(1, 2), (3, 1)}) = {(0, 1), (2, 0)}
/// normalize({}) = {}
/// ```
#[primitive(cost = PerCell, alias(normalize_i, normalize_o), infer = SameAsFirst)]
fn normalize(cx: &mut Cx, patch: Patch) -> Total<Patch> {
    places::normalize(cx, patch)
}

/// Returns the grid itself, which starts at `(0, 0)` already.
///
/// `normalize` would treat its rows as locations.
///
/// ```arc
/// normalize_t([1 2 | 3 4]) = [1 2 | 3 4]
/// ```
#[primitive(cost = Constant, infer = SameAsFirst)]
fn normalize_t(cx: &mut Cx, piece: Grid) -> Total<Grid> {
    Ok(piece)
}

/// Applies the symmetry with this code.
pub(super) fn apply_symmetry<'a>(cx: &mut Cx<'a>, piece: Value<'a>, code: i64) -> Result<Value<'a>, Fail> {
    match code {
        0 => hmirror(cx, piece),
        1 => dmirror(cx, piece),
        2 => vmirror(cx, piece),
        3 => cmirror(cx, piece),
        4 => rot90(cx, piece),
        5 => rot180(cx, piece),
        6 => rot270(cx, piece),
        7 => Ok(piece),
        _ => Err(Fail::Range),
    }
}

/// `zip(*grid[::-1])`: the columns, each from bottom to top.
fn columns_upwards<'a>(cx: &Cx<'a>, grid: Value<'a>) -> Result<Vec<Vec<Value<'a>>>, Fail> {
    cx.zip_all(&cx.members(cx.reversed(grid)?)?)
}

fn reversed_rows<'a>(cx: &Cx<'a>, grid: Value<'a>) -> Result<Value<'a>, Fail> {
    let rows = cx.iter(grid)?.map(|row| cx.reversed(row)).collect::<Result<Vec<_>, _>>()?;
    cx.tuple(&rows)
}

/// Returns the sum of the first and last row (`which` 0) or column (1). Every row and its mirror image have
/// this sum.
fn opposite_sum<'a>(cx: &Cx<'a>, patch: Value<'a>, which: i64) -> Result<Value<'a>, Fail> {
    let first = cx.at(places::ulcorner(cx, patch)?, which)?;
    cx.add(first, cx.at(places::lrcorner(cx, patch)?, which)?)
}
