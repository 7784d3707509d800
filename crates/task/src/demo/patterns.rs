//! Repeating patterns.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{Area, BLACK, Drawn, Sketch, accept, recolor_background, scatter};

pub(super) fn wallpaper_hole(rng: &mut Rng) -> Drawn {
    let colors = rng.colors(4, &[]);
    let (down, right) = (rng.between(2, 4), rng.between(2, 4));
    let tile = Sketch::mosaic(rng, down, right, &colors);
    let striped = (0..down).all(|row| tile[(row, 0)] == tile[(row, 1)])
        || (0..right).all(|col| tile[(0, col)] == tile[(1, col)]);
    accept(tile.n_colors() >= 3 && !striped)?;
    let (height, width) = (rng.between(10, 17), rng.between(10, 17));
    let whole = Sketch::from_fn(height, width, |(row, col)| tile[(row % down, col % right)]);
    // The pattern is complete at the top and on the left, so that its periods can be read off.
    let (top, left) = (height.div_ceil(2), width.div_ceil(2));
    let ground = Area::new(top, left, height - top, width - left);
    let size = (rng.between(2, ground.height), rng.between(2, ground.width));
    let mut damaged = whole.clone();
    for hole in scatter(rng, ground, &[size], 0)? {
        damaged.fill(hole.cells(), BLACK);
    }
    Some((damaged, whole))
}

pub(super) fn diagonal_stripes(rng: &mut Rng) -> Drawn {
    let period = rng.between(2, 4);
    let colors = rng.colors(period, &[]);
    let (height, width) = (rng.between(6, 12), rng.between(6, 12));
    let answer = Sketch::from_fn(height, width, |(row, col)| colors[(row + col) % period]);
    let mut start = Sketch::new(height, width, BLACK);
    start.stamp(&answer.cut(Area::new(0, 0, 1, period)), (0, 0));
    Some((start, answer))
}

pub(super) fn checker_fill(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(10, 15), rng.between(10, 15), BLACK);
    let sizes: Vec<_> = (0..rng.between(2, 3)).map(|_| (rng.between(3, 6), rng.between(3, 6))).collect();
    let colors = rng.colors(sizes.len(), &[]);
    let areas = scatter(rng, scene.area(), &sizes, 1)?;
    let mut answer = scene.clone();
    for (area, color) in areas.into_iter().zip(colors) {
        scene.fill(area.cells(), color);
        let even = |&(row, col): &(usize, usize)| (row - area.top + col - area.left) % 2 == 0;
        answer.fill(area.cells().filter(even), color);
    }
    accept(2 * scene.drawn() < scene.height() * scene.width())?;
    recolor_background(rng, (scene, answer))
}

pub(super) fn self_similar(rng: &mut Rng) -> Drawn {
    let color = rng.color(&[]);
    let seed = Sketch::mosaic(rng, 3, 3, &[BLACK, color]);
    accept(seed.tight() == seed && (4..=7).contains(&seed.drawn()))?;
    let answer = Sketch::from_fn(9, 9, |(row, col)| {
        if seed[(row / 3, col / 3)] == BLACK { BLACK } else { seed[(row % 3, col % 3)] }
    });
    Some((seed, answer))
}
