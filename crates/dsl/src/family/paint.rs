//! Drawing on a grid.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value, order};

use super::places::{mostcolor, shift, toindices};
use crate::Cx;
use crate::registry::family;

family! {
    /// A grid with some cells changed. What lies outside the grid is not drawn; the length of the first row is
    /// the width of the grid, and a row that is too short for what is drawn in it is an error.
    paint: fill, paint, underfill, underpaint, cover, r#move,
}

/// The grid with the places of the patch in one colour.
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

/// The grid with the object drawn on it in the object's own colours.
///
/// Where the object has several colours at one place, the last in order stays: the largest, unless the object is
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

/// The grid with the places of the patch in one colour, where it has the background colour.
///
/// The background is the commonest colour; of several the smallest.
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

/// The grid with the object drawn on it where the grid has the background colour.
///
/// The background is the commonest colour; of several the smallest. Where the object has several colours at one
/// place, the first that is not the background stays.
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

/// The grid with the patch removed: its places get the commonest colour; of several the smallest.
///
/// ```arc
/// cover([0 1 | 0 0], {(1, (0, 1))}) = [0 0 | 0 0]
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn cover(cx: &mut Cx, grid: Grid, patch: Patch) -> Partial<Grid> {
    covered(cx, grid, patch)
}

/// The grid with the object removed from its place and drawn again, moved by `offset`.
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
    // The reference takes the indices here and `fill` takes them again, which tells for oddly nested cells.
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

    /// The cell at a place, if that is on the grid.
    fn cell(&mut self, cx: &Cx<'a>, place: Value<'a>) -> Result<Option<&mut Value<'a>>, Fail> {
        let [i, j] = cx.two(place)?;
        // A column need not even be a number when the row is outside.
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
