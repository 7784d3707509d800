//! Cropping to a part of the grid.

use batt_base::Rng;

use super::colors::DrawColors;
use super::objects::scene;
use super::sketch::{Area, BLACK, BLUE, Drawn, GRAY, Sketch, YELLOW, accept, recolor_background, scatter};

pub(super) fn inside_corners(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(10, 15), rng.between(10, 15));
    let colors = rng.colors(3, &[YELLOW]);
    let noise = [BLACK, BLACK, BLACK, colors[0], colors[1], colors[2]];
    let mut scene = Sketch::mosaic(rng, height, width, &noise);
    let size = (rng.between(5, 8), rng.between(5, 8));
    let frame = scatter(rng, scene.area(), &[size], 0)?[0];
    let (bottom, right) = (frame.bottom() - 1, frame.right() - 1);
    let corners = [(frame.top, frame.left), (frame.top, right), (bottom, frame.left), (bottom, right)];
    scene.fill(corners, YELLOW);
    let answer = scene.cut(frame.inner());
    Some((scene, answer))
}

pub(super) fn most_colors(rng: &mut Rng) -> Drawn {
    let most = rng.between(3, 5);
    let numbers = [most, rng.between(1, most - 1), rng.between(1, most - 1)];
    let mut patches = Vec::new();
    for number in numbers {
        let colors = rng.colors(number, &[]);
        let (height, width) = (rng.between(3, 4), rng.between(3, 4));
        let patch = Sketch::mosaic(rng, height, width, &colors);
        accept(patch.n_colors() == number)?;
        patches.push(patch);
    }
    let (scene, _) = scene(rng, (10, 14), &patches, 1)?;
    recolor_background(rng, (scene, patches[0].clone()))
}

pub(super) fn drop_dividers(rng: &mut Rng) -> Drawn {
    let colors = rng.colors(3, &[GRAY]);
    let (height, width) = (rng.between(5, 10), rng.between(5, 10));
    let answer = Sketch::mosaic(rng, height, width, &[BLACK, BLACK, colors[0], colors[1], colors[2]]);
    let (down, right) = (rng.between(1, 2), rng.between(1, 2));
    let (cut_rows, cut_cols) = (rng.choose(down, height - 1), rng.choose(right, width - 1));
    let mut scene = Sketch::new(height + down, width + right, GRAY);
    for (row, col) in answer.area().cells() {
        let above = cut_rows.iter().filter(|&&cut| cut < row).count();
        let before = cut_cols.iter().filter(|&&cut| cut < col).count();
        scene[(row + above, col + before)] = answer[(row, col)];
    }
    Some((scene, answer))
}

pub(super) fn emptiest_panel(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(3, 6), rng.between(3, 6));
    let color = rng.color(&[BLUE]);
    let panels: Vec<Sketch> =
        (0..4).map(|_| Sketch::mosaic(rng, height, width, &[BLACK, color, color])).collect();
    let mut counts: Vec<usize> = panels.iter().map(Sketch::drawn).collect();
    let emptiest = panels.iter().min_by_key(|panel| panel.drawn())?.clone();
    counts.sort_unstable();
    accept(counts[0] >= 2 && counts[1] >= counts[0] + 2)?;
    let (vertical, horizontal) = (Sketch::new(height, 1, BLUE), Sketch::new(1, 2 * width + 1, BLUE));
    let row = |left: &Sketch, right: &Sketch| left.beside(&vertical).beside(right);
    let scene = row(&panels[0], &panels[1]).above(&horizontal).above(&row(&panels[2], &panels[3]));
    Some((scene, emptiest))
}

pub(super) fn peel(rng: &mut Rng) -> Drawn {
    let rings = rng.between(3, 5);
    let colors = rng.colors(rings, &[]);
    let (height, width) = (2 * rings + rng.below(3), 2 * rings + rng.below(3));
    let mut scene = Sketch::new(height, width, BLACK);
    let mut area = scene.area();
    for color in colors {
        scene.fill(area.cells(), color);
        area = area.inner();
    }
    let answer = scene.cut(Area::new(2, 2, height - 4, width - 4));
    Some((scene, answer))
}
