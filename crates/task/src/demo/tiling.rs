//! Tilings.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{BLACK, Drawn, Sketch, accept};

pub(super) fn flipped_tiles(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(2, 3), rng.between(2, 4));
    let colors = rng.colors(2, &[]);
    let tile = Sketch::mosaic(rng, height, width, &[BLACK, colors[0], colors[1]]);
    accept(tile != tile.flipped() && tile != tile.upside_down() && tile.drawn() >= 2)?;
    let row = |tile: &Sketch| tile.beside(tile).beside(tile);
    let (plain, flipped) = (row(&tile), row(&tile.flipped()));
    Some((tile, plain.above(&flipped).above(&plain)))
}

pub(super) fn tile_by_colors(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(2, 4), rng.between(2, 4));
    let n_colors = rng.between(2, 4);
    let colors = rng.colors(n_colors, &[]);
    let tile = Sketch::mosaic(rng, height, width, &colors);
    accept(tile.n_colors() == n_colors)?;
    let answer =
        Sketch::from_fn(height * n_colors, width * n_colors, |(row, col)| tile[(row % height, col % width)]);
    Some((tile, answer))
}

pub(super) fn interleave(rng: &mut Rng) -> Drawn {
    let (half, width) = (rng.between(2, 5), rng.between(4, 8));
    let colors = rng.colors(2, &[]);
    let top = Sketch::mosaic(rng, half, width, &[BLACK, colors[0], colors[0]]);
    let bottom = Sketch::mosaic(rng, half, width, &[BLACK, colors[1], colors[1]]);
    let drawn = |sketch: &Sketch| sketch.rows().all(|row| row.iter().any(|&color| color != BLACK));
    accept(drawn(&top) && drawn(&bottom))?;
    let answer = Sketch::from_fn(2 * half, width, |(row, col)| {
        if row % 2 == 0 { top[(row / 2, col)] } else { bottom[(row / 2, col)] }
    });
    Some((top.above(&bottom), answer))
}

pub(super) fn rotating_row(rng: &mut Rng) -> Drawn {
    let width = rng.between(4, 8);
    let colors = rng.colors(3, &[]);
    let row = Sketch::mosaic(rng, 1, width, &[BLACK, colors[0], colors[1], colors[2]]);
    accept(row.n_colors() >= 3)?;
    let answer = Sketch::from_fn(width, width, |(i, col)| row[(0, (i + col) % width)]);
    Some((row, answer))
}
