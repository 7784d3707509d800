//! Sorting objects and bars.

use batt_base::Rng;

use super::colors::DrawColors;
use super::objects::scene;
use super::sketch::{BLACK, Drawn, GRAY, Sketch, accept};

pub(super) fn sort_bars(rng: &mut Rng) -> Drawn {
    let n_bars = rng.between(5, 8);
    let mut lengths: Vec<usize> = rng.choose(n_bars, 9).into_iter().map(|n| n + 1).collect();
    let sorted = lengths.clone();
    rng.shuffle(&mut lengths);
    accept(lengths != sorted)?;
    let palette = rng.colors(4, &[]);
    let colors: Vec<i8> = (0..10).map(|_| rng.pick(&palette)).collect();
    let height = sorted[n_bars - 1] + rng.below(2);
    // The colour depends on the length, and no two bars have the same length.
    let bars = |lengths: &[usize]| {
        Sketch::from_fn(height, n_bars, |(row, col)| {
            if row + lengths[col] >= height { colors[lengths[col]] } else { BLACK }
        })
    };
    Some((bars(&lengths), bars(&sorted)))
}

pub(super) fn size_column(rng: &mut Rng) -> Drawn {
    let n_shapes = rng.between(3, 5);
    let colors = rng.colors(n_shapes, &[]);
    let sizes = [rng.between(11, 14), rng.between(8, 9), rng.between(5, 6), 3, 1];
    let blobs: Vec<Sketch> =
        colors.iter().zip(sizes).map(|(&color, size)| Sketch::blob(rng, 4, 4, size, color)).collect();
    let (scene, _) = scene(rng, (9, 14), &blobs, 1)?;
    Some((scene, Sketch::from_fn(n_shapes, 1, |(row, _)| colors[row])))
}

pub(super) fn legend_order(rng: &mut Rng) -> Drawn {
    let n_things = rng.between(3, 4);
    let legend = rng.colors(n_things, &[GRAY]);
    let things: Vec<Sketch> = (0..n_things)
        .map(|_| {
            let size = rng.between(3, 6);
            Sketch::blob(rng, 3, 3, size, GRAY)
        })
        .collect();
    // Objects follow each other from left to right without overlap, so that their order is unambiguous.
    let mut columns = Vec::new();
    let mut right = rng.below(2);
    for thing in &things {
        columns.push(right);
        right += thing.width() + rng.between(1, 2);
    }
    let (height, width) = (rng.between(8, 12), right);
    let mut scene = Sketch::new(height, width, BLACK);
    scene.fill((0..n_things).map(|col| (0, col)), GRAY);
    for (col, &color) in legend.iter().enumerate() {
        scene[(0, col)] = color;
    }
    let mut answer = scene.clone();
    for ((thing, left), color) in things.iter().zip(columns).zip(legend) {
        let top = rng.between(2, height - thing.height());
        scene.stamp(thing, (top, left));
        answer.stamp(&thing.in_color(color), (top, left));
    }
    Some((scene, answer))
}
