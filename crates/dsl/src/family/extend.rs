//! Extending cells and objects over a grid, and enclosed cells.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Grid, Value};

use crate::Cx;
use crate::registry::family;

family! {
    /// Extend cells and objects over a grid, and find enclosed cells. Black (colour 0) counts as empty. Grids
    /// with cells outside -128 to 127, objects with such colours, and other values, fail with `Kind`.
    extend: smear, tile, mirrortile, foreground, enclosed,
}

/// Extends every coloured cell in a direction, through black cells, until it meets another coloured cell.
///
/// ```arc
/// smear([1 0 0 2 0], (0, 1)) = [1 1 1 2 2]
/// smear([1 0 | 0 0 | 3 0], (1, 1)) = [1 0 | 0 1 | 3 0]
/// smear([1 0], (0, 0)) = [1 0]
/// ```
#[primitive(cost = PerCell)]
fn smear(cx: &mut Cx, grid: Grid, direction: Pair) -> Total<Grid> {
    let grid = byte_grid(grid)?;
    let (down, right) = cx.two_ints(direction)?;
    let (height, width) = (grid.height() as i64, grid.width() as i64);
    let mut cells = grid.cells().to_vec();
    // A cell copies the cell before it, so cells further along the direction come later.
    let backwards = down < 0 || (down == 0 && right < 0);
    for step in 0..cells.len() {
        let at = if backwards { cells.len() - 1 - step } else { step };
        let (row, col) = (at as i64 / width - down, at as i64 % width - right);
        if cells[at] == 0 && (0..height).contains(&row) && (0..width).contains(&col) {
            cells[at] = cells[(row * width + col) as usize];
        }
    }
    cx.arena.grid(grid.width(), &cells)
}

/// Repeats the bounding box of an object over a canvas, starting where the object is.
///
/// Locations of the box that are not in the object are black. Of several cells at one location, the one with
/// the largest colour is used.
///
/// ```arc
/// tile({(1, (0, 1)), (2, (0, 2))}, [0 0 0 0 0]) = [2 1 2 1 2]
/// tile({(1, (0, 0)), (20, (0, 2))}, [0 0 0 0 0]) = [1 0 20 1 0]
/// tile({}, [0 0]) ! Empty
/// ```
#[primitive(cost = PerCell, meaning = 2)]
fn tile(cx: &mut Cx, obj: Object, canvas: Grid) -> Partial<Grid> {
    tiled(cx, obj, canvas, false)
}

/// Repeats the bounding box of an object over a canvas like `tile`, but mirrors every other copy.
///
/// ```arc
/// mirrortile({(1, (0, 0)), (2, (0, 1))}, [0 0 0 0 0]) = [1 2 2 1 1]
/// ```
#[primitive(cost = PerCell, meaning = 2)]
fn mirrortile(cx: &mut Cx, obj: Object, canvas: Grid) -> Partial<Grid> {
    tiled(cx, obj, canvas, true)
}

/// Returns the cells that are not black.
///
/// ```arc
/// foreground([0 1 | 2 0]) = {(1, (0, 1)), (2, (1, 0))}
/// foreground([0]) = {}
/// ```
#[primitive(cost = PerCell)]
fn foreground(cx: &mut Cx, grid: Grid) -> Total<Object> {
    let grid = byte_grid(grid)?;
    let width = grid.width();
    let colored = grid.cells().iter().enumerate().filter(|(_, color)| **color != 0);
    let cells = colored
        .map(|(at, &color)| cx.cell(Value::Int(color.into()), (at / width) as i64, (at % width) as i64));
    let cells = cells.collect::<Result<Vec<_>, _>>()?;
    cx.set(&cells)
}

/// Returns the black cells that no path of black cells, edge to edge, connects with the border.
///
/// ```arc
/// enclosed([1 1 1 | 1 0 1 | 1 1 1]) = {(1, 1)}
/// enclosed([1 1 1 | 1 0 0 | 1 1 1]) = {}
/// ```
#[primitive(cost = PerCell)]
fn enclosed(cx: &mut Cx, grid: Grid) -> Total<Indices> {
    let grid = byte_grid(grid)?;
    let (height, width) = (grid.height(), grid.width());
    let mut outside = vec![false; height * width];
    let border = |at: &usize| {
        let (row, col) = (at / width, at % width);
        row == 0 || col == 0 || row + 1 == height || col + 1 == width
    };
    let mut open: Vec<usize> = (0..height * width).filter(border).collect();
    while let Some(at) = open.pop() {
        if grid.cells()[at] != 0 || std::mem::replace(&mut outside[at], true) {
            continue;
        }
        let (row, col) = (at / width, at % width);
        open.extend((row > 0).then(|| at - width));
        open.extend((row + 1 < height).then(|| at + width));
        open.extend((col > 0).then(|| at - 1));
        open.extend((col + 1 < width).then(|| at + 1));
    }
    let places = (0..height * width).filter(|&at| grid.cells()[at] == 0 && !outside[at]);
    let places = places.map(|at| cx.pair((at / width) as i64, (at % width) as i64));
    let places = places.collect::<Result<Vec<_>, _>>()?;
    cx.set(&places)
}

/// Returns the grid if its cells are stored as bytes, which they are from -128 to 127.
fn byte_grid<'a>(grid: Value<'a>) -> Result<&'a Grid<'a>, Fail> {
    match grid {
        Value::Grid(grid) => Ok(grid),
        _ => Err(Fail::Kind),
    }
}

fn tiled<'a>(cx: &Cx<'a>, obj: Value<'a>, canvas: Value<'a>, mirrored: bool) -> Result<Value<'a>, Fail> {
    let canvas = byte_grid(canvas)?;
    let object = cells_of(cx, obj)?;
    let (top, height) = extent(object.iter().map(|cell| cell.row))?;
    let (left, width) = extent(object.iter().map(|cell| cell.col))?;
    // The first row or column, from 0 on, that shows the same row or column of the object as `at` does.
    // Coordinates can be any integers, so the sums need more than 64 bits.
    let first = |at: i128, start: i128, side: i128| {
        let first = if mirrored {
            let mirror_image = 2 * (start + side) - 1 - at;
            at.rem_euclid(2 * side).min(mirror_image.rem_euclid(2 * side))
        } else {
            at.rem_euclid(side)
        };
        usize::try_from(first).unwrap_or(usize::MAX)
    };
    let columns: Vec<_> = (0..canvas.width()).map(|col| first(col as i128, left, width)).collect();
    cx.arena.new_grid(canvas.height(), canvas.width(), |cells| {
        for cell in &object {
            let (row, col) = (first(cell.row, top, height), first(cell.col, left, width));
            if row < canvas.height() && col < canvas.width() {
                cells[row * canvas.width() + col] = cell.color;
            }
        }
        for row in 0..canvas.height() {
            let from = first(row as i128, top, height) * canvas.width();
            for (col, first_col) in columns.iter().enumerate() {
                cells[row * canvas.width() + col] = cells[from + first_col];
            }
        }
    })
}

struct ByteCell {
    color: i8,
    row: i128,
    col: i128,
}

/// Returns the cells of an object in ascending order, so that of several cells at one location the one with
/// the largest colour comes last.
fn cells_of<'a>(cx: &Cx<'a>, obj: Value<'a>) -> Result<Vec<ByteCell>, Fail> {
    match obj.len() {
        Some(0) => return Err(Fail::Empty),
        Some(_) if obj.is_set() => {}
        _ => return Err(Fail::Kind),
    }
    let cell = |cell: Value<'a>| {
        let [color, place] = cx.two(cell)?;
        let (row, col) = cx.two_ints(place)?;
        let color = i8::try_from(cx.int(color)?).map_err(|_| Fail::Kind)?;
        Ok(ByteCell { color, row: row.into(), col: col.into() })
    };
    obj.items(cx.arena).ok_or(Fail::Kind)?.map(cell).collect()
}

/// Returns the smallest coordinate and the number of coordinates from it to the largest.
fn extent(coordinates: impl Iterator<Item = i128> + Clone) -> Result<(i128, i128), Fail> {
    let (first, last) = coordinates.clone().min().zip(coordinates.max()).ok_or(Fail::Empty)?;
    Ok((first, last - first + 1))
}
