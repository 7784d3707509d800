//! Writing patches into grids.

use batt_dsl::Cx;
use batt_value::{Fail, Grid, Patch, Value};

use super::grid::histogram;

serve! {
    K2: paint, underpaint, cover;
    K3: fill, underfill, move = move_object;
}

type Known<'a> = Option<Result<Value<'a>, Fail>>;

/// Calls `write` with every cell of `cells` (a grid `width` wide) that the patch covers, and the patch's colour
/// there; in canonical order, so that of two colours at one place the larger is written last.
fn each_cell(cells: &mut [i8], width: usize, patch: &Patch<'_>, mut write: impl FnMut(&mut i8, i8)) {
    let (row, col, _, patch_width) = patch.bounds();
    let height = (cells.len() / width) as i64;
    // Which bits of a word lie within the grid.
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

fn changed<'a>(cx: &mut Cx<'a>, grid: &Grid<'_>, change: impl FnOnce(&mut [i8])) -> Known<'a> {
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

fn fill<'a>(cx: &mut Cx<'a>, grid: Value<'a>, value: Value<'a>, patch: Value<'a>) -> Known<'a> {
    let Value::Grid(it) = grid else { return None };
    let color = small(value)?;
    match patch {
        Value::Patch(patch) => {
            changed(cx, it, |cells| each_cell(cells, it.width(), patch, |cell, _| *cell = color))
        }
        Value::Set(set) if set.items().is_empty() => Some(Ok(grid)),
        _ => None,
    }
}

fn underfill<'a>(cx: &mut Cx<'a>, grid: Value<'a>, value: Value<'a>, patch: Value<'a>) -> Known<'a> {
    let Value::Grid(it) = grid else { return None };
    let color = small(value)?;
    let Value::Patch(patch) = patch else { return None };
    let background = histogram(it.cells()).most();
    changed(cx, it, |cells| {
        each_cell(cells, it.width(), patch, |cell, _| {
            if *cell == background {
                *cell = color;
            }
        });
    })
}

fn paint<'a>(cx: &mut Cx<'a>, grid: Value<'a>, obj: Value<'a>) -> Known<'a> {
    let Value::Grid(it) = grid else { return None };
    match obj {
        Value::Patch(patch) if patch.is_object() => {
            changed(cx, it, |cells| each_cell(cells, it.width(), patch, |cell, color| *cell = color))
        }
        Value::Set(set) if set.items().is_empty() => Some(Ok(grid)),
        _ => None,
    }
}

fn underpaint<'a>(cx: &mut Cx<'a>, grid: Value<'a>, obj: Value<'a>) -> Known<'a> {
    let (Value::Grid(it), Value::Patch(patch)) = (grid, obj) else { return None };
    if !patch.is_object() {
        return None;
    }
    let background = histogram(it.cells()).most();
    changed(cx, it, |cells| {
        each_cell(cells, it.width(), patch, |cell, color| {
            if *cell == background {
                *cell = color;
            }
        });
    })
}

fn cover<'a>(cx: &mut Cx<'a>, grid: Value<'a>, patch: Value<'a>) -> Known<'a> {
    let Value::Grid(it) = grid else { return None };
    fill(cx, grid, Value::Int(histogram(it.cells()).most().into()), patch)
}

fn move_object<'a>(cx: &mut Cx<'a>, grid: Value<'a>, obj: Value<'a>, offset: Value<'a>) -> Known<'a> {
    let (Value::Grid(it), Value::Patch(patch), Value::Pair(offset)) = (grid, obj, offset) else {
        return None;
    };
    if !patch.is_object() {
        return None;
    }
    let background = histogram(it.cells()).most();
    let Some(Value::Patch(moved)) = cx.arena.moved(patch, offset.row(), offset.col()) else { return None };
    changed(cx, it, |cells| {
        each_cell(cells, it.width(), patch, |cell, _| *cell = background);
        each_cell(cells, it.width(), moved, |cell, color| *cell = color);
    })
}
