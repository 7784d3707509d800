//! Size and location of grids and patches.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value};

use super::places;
use crate::Cx;
use crate::registry::family;

family! {
    /// Size and location of grids and patches. The size of a patch is that of its bounding box. An empty
    /// patch has size 0, its corners and its centre of mass are the empty tuple, and asking for its first or
    /// last row or column fails.
    shape: height, width, shape, portrait, square, vline, hline, uppermost, lowermost, leftmost, rightmost,
    col_row, ulcorner, urcorner, llcorner, lrcorner, corner, corners, center, centerofmass, is_no_grid,
}

/// Returns the number of rows of a grid, or of the bounding box of a patch.
///
/// ```arc
/// height([1 2 3 | 4 5 6]) = 2
/// height({(2, 0), (5, 1)}) = 4
/// height({}) = 0
/// ```
#[primitive(cost = PerCell, alias(height_t, height_f, height_i, height_o))]
fn height(cx: &mut Cx, piece: Piece) -> Total<Int> {
    places::height(cx, piece).map(Value::Int)
}

/// Returns the number of columns of a grid's first row, or of the bounding box of a patch.
///
/// ```arc
/// width([1 2 3 | 4 5 6]) = 3
/// width({(2, 0), (5, 1)}) = 2
/// width(()) = 0
/// ```
#[primitive(cost = PerCell, alias(width_t, width_f, width_i, width_o))]
fn width(cx: &mut Cx, piece: Piece) -> Total<Int> {
    places::width(cx, piece).map(Value::Int)
}

/// Returns the number of rows and the number of columns.
///
/// ```arc
/// shape([1 2 3 | 4 5 6]) = (2, 3)
/// shape({(2, 0), (5, 1)}) = (4, 2)
/// ```
#[primitive(cost = PerCell, alias(shape_t, shape_f))]
fn shape(cx: &mut Cx, piece: Piece) -> Total<Pair> {
    cx.pair(places::height(cx, piece)?, places::width(cx, piece)?)
}

/// Returns whether there are more rows than columns.
///
/// ```arc
/// portrait([1 2 3 | 4 5 6]) = False
/// portrait({(2, 0), (5, 1)}) = True
/// ```
#[primitive(cost = PerCell, alias(portrait_t, portrait_f))]
fn portrait(cx: &mut Cx, piece: Piece) -> Total<Bool> {
    Ok((places::height(cx, piece)? > places::width(cx, piece)?).into())
}

/// Returns whether a grid is square, or a patch fills a square bounding box.
///
/// The empty patch counts as square.
///
/// ```arc
/// square([1 2 | 3 4]) = True
/// square({(2, 0), (2, 1), (3, 0)}) = False
/// square(()) ! Range
/// ```
#[primitive(cost = PerCell, alias(square_t, square_f))]
fn square(cx: &mut Cx, piece: Piece) -> Partial<Bool> {
    if piece.is_tuple() {
        return Ok((cx.len(piece)? == cx.len(cx.at(piece, 0)?)?).into());
    }
    let (height, width) = (places::height(cx, piece)?, places::width(cx, piece)?);
    // No patch has more cells than 64 bits can count.
    let full = height.checked_mul(width) == Some(cx.len(piece)? as i64);
    Ok((full && height == width).into())
}

/// Returns whether a patch is a vertical line without gaps.
///
/// ```arc
/// vline({(2, 0), (3, 0), (4, 0)}) = True
/// vline({(2, 0), (4, 0)}) = False
/// vline({}) = False
/// ```
#[primitive(cost = PerCell, alias(vline_i, vline_o))]
fn vline(cx: &mut Cx, patch: Patch) -> Total<Bool> {
    let long = places::height(cx, patch)? == cx.len(patch)? as i64;
    Ok((long && places::width(cx, patch)? == 1).into())
}

/// Returns whether a patch is a horizontal line without gaps.
///
/// ```arc
/// hline({(5, (0, 2)), (5, (0, 3))}) = True
/// hline({(5, (0, 2)), (5, (1, 3))}) = False
/// ```
#[primitive(cost = PerCell, alias(hline_i, hline_o))]
fn hline(cx: &mut Cx, patch: Patch) -> Total<Bool> {
    let long = places::width(cx, patch)? == cx.len(patch)? as i64;
    Ok((long && places::height(cx, patch)? == 1).into())
}

/// Returns the top row of a patch (the smallest row number).
///
/// ```arc
/// uppermost({(2, 0), (5, 1)}) = 2
/// uppermost({}) ! Empty
/// ```
#[primitive(cost = PerCell, alias(uppermost_i, uppermost_o))]
fn uppermost(cx: &mut Cx, patch: Patch) -> Partial<Int> {
    places::uppermost(cx, patch)
}

/// Returns the bottom row of a patch (the largest row number).
///
/// ```arc
/// lowermost({(7, (2, 0)), (7, (5, 1))}) = 5
/// lowermost({}) ! Empty
/// ```
#[primitive(cost = PerCell, alias(lowermost_i, lowermost_o))]
fn lowermost(cx: &mut Cx, patch: Patch) -> Partial<Int> {
    places::lowermost(cx, patch)
}

/// Returns the leftmost column of a patch (the smallest column number).
///
/// ```arc
/// leftmost({(2, 0), (5, 1)}) = 0
/// leftmost({}) ! Empty
/// ```
#[primitive(cost = PerCell, alias(leftmost_i, leftmost_o))]
fn leftmost(cx: &mut Cx, patch: Patch) -> Partial<Int> {
    places::leftmost(cx, patch)
}

/// Returns the rightmost column of a patch (the largest column number).
///
/// ```arc
/// rightmost({(7, (2, 0)), (7, (5, 1))}) = 1
/// rightmost({}) ! Empty
/// ```
#[primitive(cost = PerCell, alias(rightmost_i, rightmost_o))]
fn rightmost(cx: &mut Cx, patch: Patch) -> Partial<Int> {
    places::rightmost(cx, patch)
}

/// Returns the bottom row, top row, leftmost or rightmost column of a patch, chosen by a code.
///
/// `R0` is `lowermost`, `R1` `uppermost`, `R2` `leftmost` and `R3` `rightmost`.
///
/// ```arc
/// col_row({(2, 0), (5, 1)}, 0) = 5
/// col_row({(2, 0), (5, 1)}, 1) = 2
/// col_row({(2, 0), (5, 1)}, 2) = 0
/// col_row({(2, 0), (5, 1)}, 3) = 1
/// col_row({(2, 0), (5, 1)}, 4) ! Range
/// ```
#[primitive(cost = PerCell, keyword(type = code))]
fn col_row(cx: &mut Cx, patch: Patch, code: Choice4) -> Partial<Int> {
    match cx.int(code)? {
        0 => places::lowermost(cx, patch),
        1 => places::uppermost(cx, patch),
        2 => places::leftmost(cx, patch),
        3 => places::rightmost(cx, patch),
        _ => Err(Fail::Range),
    }
}

/// Returns the top-left corner of the bounding box.
///
/// ```arc
/// ulcorner({(2, 1), (5, 0)}) = (2, 0)
/// ulcorner({}) = ()
/// ```
#[primitive(cost = PerCell, alias(ulcorner_i, ulcorner_o))]
fn ulcorner(cx: &mut Cx, patch: Patch) -> Total<Pair> {
    places::ulcorner(cx, patch)
}

/// Returns the top-right corner of the bounding box.
///
/// ```arc
/// urcorner({(2, 1), (5, 0)}) = (2, 1)
/// ```
#[primitive(cost = PerCell, alias(urcorner_i, urcorner_o))]
fn urcorner(cx: &mut Cx, patch: Patch) -> Total<Pair> {
    places::corner(cx, patch, |which, column| match which {
        0 => cx.min(column),
        1 => cx.max(column),
        _ => Err(Fail::Range),
    })
}

/// Returns the bottom-left corner of the bounding box.
///
/// ```arc
/// llcorner({(2, 1), (5, 0)}) = (5, 0)
/// ```
#[primitive(cost = PerCell, alias(llcorner_i, llcorner_o))]
fn llcorner(cx: &mut Cx, patch: Patch) -> Total<Pair> {
    places::corner(cx, patch, |which, column| match which {
        0 => cx.max(column),
        1 => cx.min(column),
        _ => Err(Fail::Range),
    })
}

/// Returns the bottom-right corner of the bounding box.
///
/// ```arc
/// lrcorner({(7, (2, 1)), (7, (5, 0))}) = (5, 1)
/// ```
#[primitive(cost = PerCell, alias(lrcorner_i, lrcorner_o))]
fn lrcorner(cx: &mut Cx, patch: Patch) -> Total<Pair> {
    places::lrcorner(cx, patch)
}

/// Returns a corner of the bounding box, chosen by a code.
///
/// `R0` is top left, `R1` top right, `R2` bottom left and `R3` bottom right.
///
/// ```arc
/// corner({(2, 1), (5, 0)}, 0) = (2, 0)
/// corner({(2, 1), (5, 0)}, 1) = (2, 1)
/// corner({(2, 1), (5, 0)}, 2) = (5, 0)
/// corner({(2, 1), (5, 0)}, 3) = (5, 1)
/// corner({(2, 1), (5, 0)}, -1) ! Range
/// ```
#[primitive(cost = PerCell, keyword(type = code))]
fn corner(cx: &mut Cx, patch: Patch, code: Choice4) -> Total<Pair> {
    match cx.int(code)? {
        0 => ulcorner(cx, patch),
        1 => urcorner(cx, patch),
        2 => llcorner(cx, patch),
        3 => lrcorner(cx, patch),
        _ => Err(Fail::Range),
    }
}

/// Returns the set of the four corners of the bounding box.
///
/// ```arc
/// corners({(2, 1), (5, 0)}) = {(2, 0), (2, 1), (5, 0), (5, 1)}
/// corners({(2, 1)}) = {(2, 1)}
/// corners({}) = {()}
/// ```
#[primitive(cost = PerCell)]
fn corners(cx: &mut Cx, patch: Patch) -> Total<Indices> {
    let corners = [ulcorner(cx, patch)?, urcorner(cx, patch)?, llcorner(cx, patch)?, lrcorner(cx, patch)?];
    cx.set(&corners)
}

/// Returns the centre of the bounding box.
///
/// If a side is even, it is the location after the middle.
///
/// ```arc
/// center({(0, 0), (2, 3)}) = (1, 2)
/// center({}) ! Empty
/// ```
#[primitive(cost = PerCell)]
fn center(cx: &mut Cx, patch: Patch) -> Partial<Pair> {
    places::center(cx, patch)
}

/// Returns the mean row and the mean column, rounded down.
///
/// ```arc
/// centerofmass({(0, 0), (0, 1), (4, 4)}) = (1, 1)
/// centerofmass({(-1, 0), (0, 0)}) = (-1, 0)
/// centerofmass({}) = ()
/// ```
#[primitive(cost = PerCell)]
fn centerofmass(cx: &mut Cx, patch: Patch) -> Total<Pair> {
    let n = cx.len(patch)? as i128;
    places::corner(cx, patch, |_, column| {
        // The sum may exceed 64 bits; the mean does not.
        let mut sum = 0i128;
        for coordinate in column {
            sum += i128::from(cx.int(coordinate)?);
        }
        i64::try_from(sum.div_euclid(n)).map(Value::Int).map_err(|_| Fail::Overflow)
    })
}

/// Returns whether a value is anything other than a tuple of tuples of integers.
///
/// Rows may be empty and of unequal length, and there may be none.
///
/// ```arc
/// is_no_grid([1 2 | 3 4]) = False
/// is_no_grid(((1,), (2, 3))) = False
/// is_no_grid({(1, 2)}) = True
/// is_no_grid(((1, None),)) = True
/// ```
#[primitive(cost = PerCell)]
fn is_no_grid(cx: &mut Cx, x: Any) -> Total<Bool> {
    if !x.is_tuple() {
        return Ok(Value::TRUE);
    }
    for row in cx.iter(x)? {
        if !row.is_tuple() || !cx.iter(row)?.all(|cell| cell.as_int().is_some()) {
            return Ok(Value::TRUE);
        }
    }
    Ok(Value::FALSE)
}
