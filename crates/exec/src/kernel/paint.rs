//! Kernels that write patches into grids.

use batt_dsl::Cx;
use batt_value::{Grid, Patch, Value};

use super::Answer;
use super::grid::most_common;

register! {
    P2: paint, underpaint, cover;
    K3: fill, underfill, move = move_object;
}

/// Cells or places that are written into a grid: a patch, a set that does not fit in bit planes, or a tuple.
enum Brush<'a> {
    Patch(&'a Patch<'a>),
    Cells(&'a [Value<'a>]),
    /// A tuple of small places, which has the form of a grid of width 2.
    Places(&'a Grid<'a>),
}

impl<'a> Brush<'a> {
    /// Makes a brush of a value. If `colored`, its members must be cells, not places.
    fn new(value: Value<'a>, colored: bool) -> Option<Brush<'a>> {
        match value {
            Value::Patch(patch) if patch.is_object() || !colored => Some(Brush::Patch(patch)),
            Value::Grid(grid) if grid.width() == 2 && !colored => Some(Brush::Places(grid)),
            Value::Set(_) | Value::Tuple(_) => {
                let items = match value {
                    Value::Set(set) => set.items(),
                    Value::Tuple(tuple) => tuple.items(),
                    _ => return None,
                };
                let small = |item: &Value<'_>| match item {
                    Value::Cell(cell) => i8::try_from(cell.color()).is_ok(),
                    _ => false,
                };
                // The members must be all cells or all places.
                let uniform = match items.first() {
                    Some(Value::Pair(_)) => {
                        !colored && items.iter().all(|item| matches!(item, Value::Pair(_)))
                    }
                    Some(_) => items.iter().all(small),
                    None => true,
                };
                uniform.then_some(Brush::Cells(items))
            }
            _ => None,
        }
    }

    /// Calls `write` with every cell of `cells` (a grid of this width) that the brush covers, and with the
    /// brush's colour there. The order is canonical, so the larger of two colours at one place is written
    /// last.
    fn each_cell(&self, cells: &mut [i8], width: usize, mut write: impl FnMut(&mut i8, i8)) {
        let patch = match self {
            Brush::Patch(patch) => patch,
            Brush::Places(places) => {
                let height = cells.len() / width;
                for place in places.rows() {
                    let (Ok(row), Ok(col)) = (usize::try_from(place[0]), usize::try_from(place[1])) else {
                        continue;
                    };
                    if row < height && col < width {
                        write(&mut cells[row * width + col], 0);
                    }
                }
                return;
            }
            Brush::Cells(items) => {
                let height = (cells.len() / width) as i64;
                for item in *items {
                    let (color, row, col) = match item {
                        Value::Cell(cell) => (cell.color(), cell.row(), cell.col()),
                        Value::Pair(place) => (0, place.row(), place.col()),
                        _ => continue,
                    };
                    if (0..height).contains(&row) && (0..width as i64).contains(&col) {
                        write(&mut cells[row as usize * width + col as usize], color as i8);
                    }
                }
                return;
            }
        };
        let (row, col, _, patch_width) = patch.bounds();
        let height = (cells.len() / width) as i64;
        // The bits of a word that are on the grid.
        let first = (-col).clamp(0, 64);
        let last = (width as i64 - col).clamp(0, patch_width);
        if first >= last {
            return;
        }
        let within = super::patch::ones(last) & !super::patch::ones(first);
        for (color, plane) in patch.planes() {
            for (i, word) in plane.iter().enumerate() {
                let i = row + i as i64;
                if !(0..height).contains(&i) {
                    continue;
                }
                let start = i * width as i64 + col;
                let mut bits = word & within;
                while bits != 0 {
                    write(&mut cells[(start + i64::from(bits.trailing_zeros())) as usize], color as i8);
                    bits &= bits - 1;
                }
            }
        }
    }
}

fn with_changes<'a>(cx: &mut Cx<'a>, grid: &Grid<'_>, change: impl FnOnce(&mut [i8])) -> Answer<'a> {
    Some(cx.arena.new_grid(grid.height(), grid.width(), |cells| {
        cells.copy_from_slice(grid.cells());
        change(cells);
    }))
}

fn small(value: Value<'_>) -> Option<i8> {
    match value {
        Value::Int(int) => i8::try_from(int).ok(),
        _ => None,
    }
}

fn fill<'a>(cx: &mut Cx<'a>, grid: Value<'a>, value: Value<'a>, patch: Value<'a>) -> Answer<'a> {
    let Value::Grid(it) = grid else { return None };
    let (color, brush) = (small(value)?, Brush::new(patch, false)?);
    with_changes(cx, it, |cells| brush.each_cell(cells, it.width(), |cell, _| *cell = color))
}

fn underfill<'a>(cx: &mut Cx<'a>, grid: Value<'a>, value: Value<'a>, patch: Value<'a>) -> Answer<'a> {
    let Value::Grid(it) = grid else { return None };
    let (color, brush) = (small(value)?, Brush::new(patch, false)?);
    let background = most_common(it.cells())?;
    with_changes(cx, it, |cells| {
        brush.each_cell(cells, it.width(), |cell, _| {
            if *cell == background {
                *cell = color;
            }
        });
    })
}

fn paint<'a>(cx: &mut Cx<'a>, grid: Value<'a>, obj: Value<'a>) -> Answer<'a> {
    let Value::Grid(it) = grid else { return None };
    let brush = Brush::new(obj, true)?;
    with_changes(cx, it, |cells| brush.each_cell(cells, it.width(), |cell, color| *cell = color))
}

fn underpaint<'a>(cx: &mut Cx<'a>, grid: Value<'a>, obj: Value<'a>) -> Answer<'a> {
    let Value::Grid(it) = grid else { return None };
    let brush = Brush::new(obj, true)?;
    let background = most_common(it.cells())?;
    with_changes(cx, it, |cells| {
        brush.each_cell(cells, it.width(), |cell, color| {
            if *cell == background {
                *cell = color;
            }
        });
    })
}

fn cover<'a>(cx: &mut Cx<'a>, grid: Value<'a>, patch: Value<'a>) -> Answer<'a> {
    let Value::Grid(it) = grid else { return None };
    fill(cx, grid, Value::Int(most_common(it.cells())?.into()), patch)
}

fn move_object<'a>(cx: &mut Cx<'a>, grid: Value<'a>, obj: Value<'a>, offset: Value<'a>) -> Answer<'a> {
    let (Value::Grid(it), Value::Patch(patch), Value::Pair(offset)) = (grid, obj, offset) else {
        return None;
    };
    if !patch.is_object() {
        return None;
    }
    let background = most_common(it.cells())?;
    let Some(Value::Patch(moved)) = cx.arena.moved(patch, offset.row(), offset.col()) else { return None };
    with_changes(cx, it, |cells| {
        Brush::Patch(patch).each_cell(cells, it.width(), |cell, _| *cell = background);
        Brush::Patch(moved).each_cell(cells, it.width(), |cell, color| *cell = color);
    })
}
