//! Extremes: the largest, the second largest, the farthest.

use batt_base::Rng;

use super::colors::DrawColors;
use super::objects::scene;
use super::sketch::{BLACK, BLUE, Drawn, GRAY, RED, Sketch, YELLOW, accept};

pub(super) fn highest_lowest(rng: &mut Rng) -> Drawn {
    let blobs: Vec<Sketch> = (0..rng.between(3, 5))
        .map(|_| {
            let size = rng.between(3, 6);
            Sketch::blob(rng, 3, 3, size, GRAY)
        })
        .collect();
    let (scene, areas) = scene(rng, (10, 14), &blobs, 1)?;
    let ends = |of: fn(&super::sketch::Area) -> usize| {
        let mut order: Vec<usize> = (0..areas.len()).collect();
        order.sort_by_key(|&i| of(&areas[i]));
        order
    };
    let (tops, bottoms) = (ends(|area| area.top), ends(|area| area.bottom()));
    let (high, low) = (tops[0], bottoms[areas.len() - 1]);
    let unambiguous = areas[high].top < areas[tops[1]].top
        && areas[low].bottom() > areas[bottoms[areas.len() - 2]].bottom();
    accept(unambiguous && high != low)?;
    let mut answer = scene.clone();
    answer.stamp(&blobs[high].in_color(RED), (areas[high].top, areas[high].left));
    answer.stamp(&blobs[low].in_color(BLUE), (areas[low].top, areas[low].left));
    Some((scene, answer))
}

pub(super) fn level_bars(rng: &mut Rng) -> Drawn {
    let (n_bars, height) = (rng.between(3, 7), rng.between(7, 11));
    let colors = rng.colors(3, &[]);
    let bars: Vec<(usize, i8)> =
        (0..n_bars).map(|_| (rng.between(2, height - 1), rng.pick(&colors))).collect();
    let shortest = bars.iter().map(|bar| bar.0).min()?;
    accept(bars.iter().filter(|bar| bar.0 > shortest + 1).count() >= 2)?;
    let drawing = |length: &dyn Fn(usize) -> usize| {
        Sketch::from_fn(height, 2 * n_bars + 1, |(row, col)| {
            let bar = bars.get(col / 2).filter(|bar| col % 2 == 1 && row + length(bar.0) >= height);
            bar.map_or(BLACK, |bar| bar.1)
        })
    };
    Some((drawing(&|own| own), drawing(&|_| shortest)))
}

pub(super) fn second_largest(rng: &mut Rng) -> Drawn {
    let mut sizes = vec![rng.between(6, 8), rng.between(10, 13)];
    (0..rng.between(1, 3)).for_each(|_| sizes.push(rng.between(1, 4)));
    let colors = rng.colors(sizes.len(), &[]);
    let blobs: Vec<Sketch> =
        sizes.iter().zip(colors).map(|(&size, color)| Sketch::blob(rng, 4, 4, size, color)).collect();
    let (scene, areas) = scene(rng, (9, 14), &blobs, 1)?;
    let mut answer = Sketch::new(scene.height(), scene.width(), BLACK);
    answer.stamp(&blobs[0], (areas[0].top, areas[0].left));
    Some((scene, answer))
}

pub(super) fn farthest(rng: &mut Rng) -> Drawn {
    let mut things = vec![Sketch::new(1, 1, RED)];
    (0..rng.between(3, 5)).for_each(|_| things.push(Sketch::new(2, 2, GRAY)));
    let (scene, areas) = scene(rng, (10, 15), &things, 1)?;
    let dot = (areas[0].top, areas[0].left);
    let steps = |i: usize| {
        areas[i].cells().map(|(row, col)| row.abs_diff(dot.0) + col.abs_diff(dot.1)).min().unwrap_or(0)
    };
    let squared = |i: usize| {
        areas[i].cells().map(|(row, col)| row.abs_diff(dot.0).pow(2) + col.abs_diff(dot.1).pow(2)).min()
    };
    let far = (1..areas.len()).max_by_key(|&i| steps(i))?;
    // The farthest by steps and by straight distance must be the same square.
    let unambiguous =
        (1..areas.len()).all(|i| i == far || (steps(i) + 2 <= steps(far) && squared(i) < squared(far)));
    accept(unambiguous)?;
    let mut answer = scene.clone();
    answer.fill(areas[far].cells(), YELLOW);
    Some((scene, answer))
}
