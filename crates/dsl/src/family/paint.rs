//! Drawing on a grid.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value, order};

use super::places::{mostcolor, shift, toindices};
use crate::Cx;
use crate::registry::family;

family! {
    /// Draw on a grid. Locations outside the grid are ignored. The first row determines the width of the
    /// grid; drawing on a missing cell of a shorter row fails.
    paint: fill, paint, underfill, underpaint, cover, r#move,
}

/// Fills the locations of a patch with one colour.
///
/// ```arc
/// fill([0 0 | 0 0], 3, {(0, 1), (1, 0), (5, 5)}) = [0 3 | 3 0]
/// fill([0 0 | 0 0], 3, {(7, (1, 1))}) = [0 0 | 0 3]
/// fill((), 3, {}) ! Range
/// ```
#[primitive(cost = PerCell, keyword(color = value))]
fn fill(cx: &mut Cx, grid: Grid, value: Color, patch: Patch) -> Partial<Grid> {
    filled(cx, grid, value, patch)
}

/// Draws an object on a grid in the object's own colours.
///
/// If the object has several colours at one location, the last one counts: the largest, unless the object is
/// a tuple of cells.
///
/// ```arc
/// paint([0 0 | 0 0], {(3, (0, 1)), (4, (1, 1)), (5, (2, 0))}) = [0 3 | 0 4]
/// paint([0 0 | 0 0], {(3, (0, 0)), (2, (0, 0))}) = [3 0 | 0 0]
/// paint([0], {(0, 0)}) ! Kind
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn paint(cx: &mut Cx, grid: Grid, obj: Object) -> Partial<Grid> {
    painted(cx, grid, obj)
}

/// Fills the locations of a patch with one colour where the grid has the background colour.
///
/// The background is the most common colour; of several, the smallest.
///
/// ```arc
/// underfill([0 1 | 0 0], 3, {(0, 0), (0, 1)}) = [3 1 | 0 0]
/// ```
#[primitive(cost = PerCell, order_sensitive, keyword(color = value))]
fn underfill(cx: &mut Cx, grid: Grid, value: Color, patch: Patch) -> Partial<Grid> {
    let background = mostcolor(cx, grid)?;
    let mut canvas = Canvas::new(cx, grid)?;
    for place in cx.iter(toindices(cx, patch)?)? {
        if let Some(cell) = canvas.cell(cx, place)?
            && order::equal(*cell, background)
        {
            *cell = value;
        }
    }
    canvas.grid(cx)
}

/// Draws an object on a grid where the grid has the background colour.
///
/// The background is the most common colour; of several, the smallest. If the object has several colours at
/// one location, the first one that is not the background counts.
///
/// ```arc
/// underpaint([0 1 | 0 0], {(3, (0, 0)), (4, (0, 1))}) = [3 1 | 0 0]
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn underpaint(cx: &mut Cx, grid: Grid, obj: Object) -> Partial<Grid> {
    let background = mostcolor(cx, grid)?;
    let mut canvas = Canvas::new(cx, grid)?;
    for member in cx.iter(obj)? {
        let [value, place] = cx.two(member)?;
        if let Some(cell) = canvas.cell(cx, place)?
            && order::equal(*cell, background)
        {
            *cell = value;
        }
    }
    canvas.grid(cx)
}

/// Erases a patch: fills its locations with the most common colour (of several, the smallest).
///
/// ```arc
/// cover([0 1 | 0 0], {(1, (0, 1))}) = [0 0 | 0 0]
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn cover(cx: &mut Cx, grid: Grid, patch: Patch) -> Partial<Grid> {
    covered(cx, grid, patch)
}

/// Moves an object on a grid: erases it and draws it again, shifted by `offset`.
///
/// ```arc
/// move([0 1 | 0 0], {(1, (0, 1))}, (1, 0)) = [0 0 | 0 1]
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn r#move(cx: &mut Cx, grid: Grid, obj: Object, offset: Pair) -> Partial<Grid> {
    let rest = covered(cx, grid, obj)?;
    painted(cx, rest, shift(cx, obj, offset)?)
}

fn filled<'a>(cx: &Cx<'a>, grid: Value<'a>, value: Value<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    let mut canvas = Canvas::new(cx, grid)?;
    for place in cx.iter(toindices(cx, patch)?)? {
        if let Some(cell) = canvas.cell(cx, place)? {
            *cell = value;
        }
    }
    canvas.grid(cx)
}

fn painted<'a>(cx: &Cx<'a>, grid: Value<'a>, obj: Value<'a>) -> Result<Value<'a>, Fail> {
    let mut canvas = Canvas::new(cx, grid)?;
    for member in cx.iter(obj)? {
        let [value, place] = cx.two(member)?;
        if let Some(cell) = canvas.cell(cx, place)? {
            *cell = value;
        }
    }
    canvas.grid(cx)
}

fn covered<'a>(cx: &Cx<'a>, grid: Value<'a>, patch: Value<'a>) -> Result<Value<'a>, Fail> {
    // The reference calls `toindices` here and again in `fill`, which matters for oddly nested cells.
    filled(cx, grid, mostcolor(cx, grid)?, toindices(cx, patch)?)
}

/// A grid that is being drawn on.
struct Canvas<'a> {
    rows: Vec<Vec<Value<'a>>>,
    width: usize,
}

impl<'a> Canvas<'a> {
    fn new(cx: &Cx<'a>, grid: Value<'a>) -> Result<Canvas<'a>, Fail> {
        let width = cx.len(cx.at(grid, 0)?)?;
        let rows = cx.iter(grid)?.map(|row| cx.members(row)).collect::<Result<_, _>>()?;
        Ok(Canvas { rows, width })
    }

    /// Returns the cell at a location, or `None` outside the grid.
    fn cell(&mut self, cx: &Cx<'a>, place: Value<'a>) -> Result<Option<&mut Value<'a>>, Fail> {
        let [i, j] = cx.two(place)?;
        // As in Python, the column is not read if the row is outside.
        let Some(i) = cx.within(i, self.rows.len())? else {
            return Ok(None);
        };
        let Some(j) = cx.within(j, self.width)? else {
            return Ok(None);
        };
        self.rows[i].get_mut(j).map(Some).ok_or(Fail::Range)
    }

    fn grid(self, cx: &Cx<'a>) -> Result<Value<'a>, Fail> {
        let rows = self.rows.iter().map(|row| cx.tuple(row)).collect::<Result<Vec<_>, _>>()?;
        cx.tuple(&rows)
    }
}
