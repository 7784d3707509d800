//! Scaling up and down.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{Area, BLACK, Drawn, Sketch, accept, scatter};

pub(super) fn shrink_pixel_art(rng: &mut Rng) -> Drawn {
    let colors = rng.colors(3, &[]);
    let (height, width) = (rng.between(2, 5), rng.between(2, 5));
    let art = Sketch::mosaic(rng, height, width, &[BLACK, colors[0], colors[1], colors[2]]);
    accept(art.tight() == art && art.n_colors() >= 3)?;
    let large = art.scaled(3, 3);
    let mut scene = Sketch::new(large.height() + rng.between(2, 6), large.width() + rng.between(2, 6), BLACK);
    let place = (rng.below(scene.height() - large.height()), rng.below(scene.width() - large.width()));
    scene.stamp(&large, place);
    Some((scene, art))
}

pub(super) fn zoom_by_colors(rng: &mut Rng) -> Drawn {
    let n_colors = rng.between(2, 4);
    let colors = rng.colors(n_colors, &[]);
    let (height, width) = (rng.between(2, 4), rng.between(2, 4));
    let picture = Sketch::mosaic(rng, height, width, &colors);
    accept(picture.n_colors() == n_colors)?;
    let answer = picture.scaled(n_colors, n_colors);
    Some((picture, answer))
}

pub(super) fn double_shape(rng: &mut Rng) -> Drawn {
    let (size, colors) = (rng.between(4, 8), rng.colors(2, &[]));
    let mut shape = Sketch::blob(rng, 4, 4, size, colors[0]);
    let drawn = shape.places(colors[0]);
    shape[rng.pick(&drawn)] = colors[1];
    let scene = Sketch::new(rng.between(9, 13), rng.between(9, 13), BLACK);
    let size = (2 * shape.height(), 2 * shape.width());
    let Area { top, left, .. } = scatter(rng, scene.area(), &[size], 0)?[0];
    let (mut input, mut output) = (scene.clone(), scene);
    input.stamp(&shape, (top, left));
    output.stamp(&shape.scaled(2, 2), (top, left));
    Some((input, output))
}

pub(super) fn unstretch(rng: &mut Rng) -> Drawn {
    let colors = rng.colors(3, &[]);
    let (height, width) = (rng.between(2, 4), rng.between(2, 4));
    let picture = Sketch::mosaic(rng, height, width, &colors);
    // All rows and all columns of the picture differ, so that repetitions come from stretching.
    let differ = |sketch: &Sketch| {
        let rows: std::collections::BTreeSet<&[i8]> = sketch.rows().collect();
        rows.len() == sketch.height()
    };
    accept(differ(&picture) && differ(&picture.transposed()))?;
    let mut sources = |length: usize| -> Vec<usize> {
        (0..length).flat_map(|i| std::iter::repeat_n(i, rng.between(1, 4))).collect()
    };
    let (rows, cols) = (sources(height), sources(width));
    let scene = Sketch::from_fn(rows.len(), cols.len(), |(row, col)| picture[(rows[row], cols[col])]);
    accept(rows.len() >= height + 2 && cols.len() >= width + 2)?;
    Some((scene, picture))
}

pub(super) fn stretch(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(2, 5), rng.between(2, 7));
    let colors = rng.colors(2, &[]);
    let picture = Sketch::mosaic(rng, height, width, &[BLACK, BLACK, colors[0], colors[1]]);
    accept(picture.drawn() >= 3)?;
    let answer = picture.scaled(3, 2);
    Some((picture, answer))
}
