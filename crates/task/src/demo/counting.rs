//! Counting objects and cells.

use batt_base::Rng;

use super::colors::DrawColors;
use super::objects::scene;
use super::sketch::{BLACK, BLUE, Drawn, GRAY, RED, Sketch, accept};

pub(super) fn count_staircase(rng: &mut Rng) -> Drawn {
    let count = rng.between(2, 7);
    let color = rng.color(&[]);
    let blobs: Vec<Sketch> = (0..count)
        .map(|_| {
            let size = rng.between(2, 5);
            Sketch::blob(rng, 3, 3, size, color)
        })
        .collect();
    let (scene, _) = scene(rng, (9, 14), &blobs, 1)?;
    let stairs = Sketch::from_fn(count, count, |(row, col)| if col <= row { color } else { BLACK });
    Some((scene, stairs))
}

pub(super) fn histogram(rng: &mut Rng) -> Drawn {
    let n_colors = rng.between(3, 5);
    let colors = rng.colors(n_colors, &[]);
    let mut counts: Vec<usize> = rng.choose(n_colors, 8).into_iter().map(|n| n + 1).collect();
    counts.reverse();
    let mut scene = Sketch::new(rng.between(8, 10), rng.between(8, 10), BLACK);
    let mut places = scene.places(BLACK);
    rng.shuffle(&mut places);
    for (&color, &count) in colors.iter().zip(&counts) {
        scene.fill(places.split_off(places.len() - count), color);
    }
    let bars = Sketch::from_fn(
        n_colors,
        counts[0],
        |(row, col)| {
            if col < counts[row] { colors[row] } else { BLACK }
        },
    );
    Some((scene, bars))
}

pub(super) fn even_odd(rng: &mut Rng) -> Drawn {
    let blobs: Vec<Sketch> = (0..rng.between(4, 5))
        .map(|_| {
            let size = rng.between(1, 6);
            Sketch::blob(rng, 3, 3, size, GRAY)
        })
        .collect();
    let even = |blob: &Sketch| blob.drawn().is_multiple_of(2);
    accept(blobs.iter().any(even) && !blobs.iter().all(even))?;
    let (scene, areas) = scene(rng, (9, 13), &blobs, 1)?;
    let mut answer = scene.clone();
    for (blob, area) in blobs.iter().zip(areas) {
        answer.stamp(&blob.in_color(if even(blob) { BLUE } else { RED }), (area.top, area.left));
    }
    Some((scene, answer))
}

pub(super) fn podium(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(6, 9), rng.between(6, 9));
    let colors = rng.colors(4, &[]);
    // About 45, 28, 17 and 10 per cent: different enough to see without counting.
    let total = height * width;
    let counts = [total * 28 / 100, total * 17 / 100, total * 10 / 100];
    let mut scene = Sketch::new(height, width, colors[0]);
    let mut places = scene.places(colors[0]);
    rng.shuffle(&mut places);
    for (&color, count) in colors[1..].iter().zip(counts) {
        scene.fill(places.split_off(places.len() - count), color);
    }
    Some((scene, Sketch::from_fn(1, 3, |(_, rank)| colors[rank])))
}
