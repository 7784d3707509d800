//! Extending cells and objects over a grid, and enclosed cells.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Grid, Value};

use crate::Cx;
use crate::registry::family;

family! {
    /// Extend cells and objects over a grid, and find enclosed cells. Black (colour 0) counts as empty. Grids
    /// with cells outside -128 to 127, and other values, fail with `Kind`.
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
/// Locations of the box that are not in the object are black.
///
/// ```arc
/// tile({(1, (0, 1)), (2, (0, 2))}, [0 0 0 0 0]) = [2 1 2 1 2]
/// tile({}, [0 0]) ! Empty
/// ```
#[primitive(cost = PerCell)]
fn tile(cx: &mut Cx, obj: Object, canvas: Grid) -> Partial<Grid> {
    tiled(cx, obj, canvas, false)
}

/// Repeats the bounding box of an object over a canvas like `tile`, but mirrors every other copy.
///
/// ```arc
/// mirrortile({(1, (0, 0)), (2, (0, 1))}, [0 0 0 0 0]) = [1 2 2 1 1]
/// ```
#[primitive(cost = PerCell)]
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
    let patch = match obj {
        Value::Patch(patch) if patch.is_object() => patch,
        _ if obj.len() == Some(0) => return Err(Fail::Empty),
        _ => return Err(Fail::Kind),
    };
    let (top, left, height, width) = patch.bounds();
    let mut pattern = vec![0i8; (height * width) as usize];
    for (color, plane) in patch.planes() {
        for (row, word) in plane.iter().enumerate() {
            for col in (0..width).filter(|col| word >> col & 1 == 1) {
                pattern[row * width as usize + col as usize] = color as i8;
            }
        }
    }
    let coordinate_in_tile = |at: i64, start: i64, side: i64| {
        let (turn, place) = ((at - start).div_euclid(side), (at - start).rem_euclid(side));
        if mirrored && turn.rem_euclid(2) == 1 { side - 1 - place } else { place }
    };
    cx.arena.new_grid(canvas.height(), canvas.width(), |cells| {
        for (at, cell) in cells.iter_mut().enumerate() {
            let row = coordinate_in_tile((at / canvas.width()) as i64, top, height);
            let col = coordinate_in_tile((at % canvas.width()) as i64, left, width);
            *cell = pattern[(row * width + col) as usize];
        }
    })
}
