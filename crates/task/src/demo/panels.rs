//! Panels that are combined into one.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{BLACK, BLUE, CYAN, Drawn, GRAY, GREEN, MAGENTA, ORANGE, RED, Sketch, YELLOW, accept};

pub(super) fn panels_and(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(3, 6), rng.between(3, 6));
    let left = Sketch::mosaic(rng, height, width, &[BLACK, MAGENTA]);
    let right = Sketch::mosaic(rng, height, width, &[BLACK, CYAN]);
    let answer = Sketch::from_fn(height, width, |place| {
        if left[place] != BLACK && right[place] != BLACK { RED } else { BLACK }
    });
    accept(answer.drawn() >= 2)?;
    Some((left.beside(&Sketch::new(height, 1, YELLOW)).beside(&right), answer))
}

pub(super) fn panels_xor(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(3, 6), rng.between(3, 6));
    let top = Sketch::mosaic(rng, height, width, &[BLACK, ORANGE]);
    let bottom = Sketch::mosaic(rng, height, width, &[BLACK, BLUE]);
    let both = top.area().cells().filter(|&place| top[place] != BLACK && bottom[place] != BLACK);
    accept(both.count() >= 2)?;
    let answer = Sketch::from_fn(height, width, |place| {
        if (top[place] != BLACK) != (bottom[place] != BLACK) { GREEN } else { BLACK }
    });
    accept(answer.drawn() >= 2)?;
    Some((top.above(&Sketch::new(1, width, GRAY)).above(&bottom), answer))
}

pub(super) fn overlay(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(3, 5), rng.between(3, 5));
    let colors = [YELLOW, RED, BLUE];
    let panels: Vec<Sketch> =
        colors.iter().map(|&color| Sketch::mosaic(rng, height, width, &[BLACK, BLACK, color])).collect();
    let mut answer = panels[2].clone();
    answer.stamp(&panels[1], (0, 0));
    answer.stamp(&panels[0], (0, 0));
    // Each layer must be visible, and each lower one must be covered somewhere.
    let clash = |over: usize, under: usize| {
        answer.area().cells().any(|place| panels[over][place] != BLACK && panels[under][place] != BLACK)
    };
    accept(answer.n_colors() == 4 && clash(0, 1) && clash(1, 2))?;
    let divider = Sketch::new(height, 1, GRAY);
    let row = panels[0].beside(&divider).beside(&panels[1]).beside(&divider).beside(&panels[2]);
    Some((row, answer))
}

pub(super) fn agreement(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(3, 7), rng.between(3, 7));
    let colors = rng.colors(4, &[]);
    let top = Sketch::mosaic(rng, height, width, &colors);
    let bottom =
        Sketch::from_fn(height, width, |place| if rng.chance(45) { rng.pick(&colors) } else { top[place] });
    let answer =
        Sketch::from_fn(height, width, |place| if top[place] == bottom[place] { top[place] } else { BLACK });
    accept(answer.count(BLACK) >= 3)?;
    Some((top.above(&bottom), answer))
}
