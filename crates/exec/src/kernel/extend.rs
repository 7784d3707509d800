//! Kernels for `foreground` and `enclosed`, by bit planes.

use batt_dsl::Cx;
use batt_value::{Grid, Patch, Planes, Value};

use super::Answer;

register! {
    P1: foreground, enclosed;
}

fn fits(grid: &Grid<'_>) -> bool {
    grid.width() as i64 <= Patch::MAX_WIDTH && grid.height() as i64 <= Patch::MAX_HEIGHT
}

fn foreground<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    if !fits(grid) || grid.cells().iter().any(|&cell| !Patch::COLORS.contains(&cell.into())) {
        return None;
    }
    // Bit 1 is black (see `Patch::colors`).
    let colors = grid.cells().iter().fold(0u16, |colors, cell| colors | 1 << (cell + 1)) & !2;
    let height = grid.height();
    let words = cx.arena.words(colors.count_ones() as usize * height, 0);
    for (row, cells) in grid.rows().enumerate() {
        for (col, &cell) in cells.iter().enumerate().filter(|(_, cell)| **cell != 0) {
            let plane = (colors & ((1 << (cell + 1)) - 1)).count_ones() as usize;
            words[plane * height + row] |= 1 << col;
        }
    }
    match words.is_empty() {
        true => Some(Ok(Value::EMPTY_SET)),
        false => cx.arena.patch(Planes { row: 0, col: 0, height, colors, words }),
    }
}

fn enclosed<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    if !fits(grid) {
        return None;
    }
    let (height, width) = (grid.height(), grid.width());
    let row = |cells: &[i8]| cells.iter().rev().fold(0u64, |word, cell| word << 1 | u64::from(*cell == 0));
    let black: Vec<u64> = grid.rows().map(row).collect();
    let mut outside: Vec<u64> = black.iter().map(|word| word & (1 | 1 << (width - 1))).collect();
    (outside[0], outside[height - 1]) = (black[0], black[height - 1]);
    loop {
        let mut changed = false;
        for row in (0..height).chain((0..height).rev()) {
            let neighbors =
                row.checked_sub(1).map_or(0, |above| outside[above]) | outside.get(row + 1).unwrap_or(&0);
            let mut word = (outside[row] | neighbors) & black[row];
            loop {
                let wider = (word | word << 1 | word >> 1) & black[row];
                if wider == word {
                    break;
                }
                word = wider;
            }
            changed |= word != outside[row];
            outside[row] = word;
        }
        if !changed {
            break;
        }
    }
    let words = cx.arena.words(height, 0);
    for (word, (black, outside)) in words.iter_mut().zip(black.iter().zip(&outside)) {
        *word = black & !outside;
    }
    cx.arena.patch_plane(0, 0, 0, words)
}
