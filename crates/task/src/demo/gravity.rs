//! Objects that fall, slide and step.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{Area, BLACK, BLUE, CYAN, Drawn, GREEN, RED, Sketch, accept};

pub(super) fn gravity_down(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(6, 10), rng.between(6, 10));
    let colors = rng.colors(3, &[]);
    let scene = Sketch::from_fn(height, width, |_| if rng.chance(28) { rng.pick(&colors) } else { BLACK });
    let mut answer = Sketch::new(height, width, BLACK);
    for col in 0..width {
        let falling = (0..height).rev().map(|row| scene[(row, col)]).filter(|&color| color != BLACK);
        for (up, color) in falling.enumerate() {
            answer[(height - 1 - up, col)] = color;
        }
    }
    Some((scene, answer))
}

pub(super) fn pull_to_wall(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(9, 13), rng.between(9, 14));
    let mut scene = Sketch::new(height, width, BLACK);
    scene.fill(Area::new(height - 1, 0, 1, width).cells(), RED);
    let mut answer = scene.clone();
    // Drawn with the wall at the bottom, then rotated. Each object has its own columns.
    let mut left = rng.below(3);
    let mut things = 0;
    while left + 3 <= width {
        let (size, color) = (rng.between(3, 6), rng.color(&[RED]));
        let thing = Sketch::blob(rng, 3, 3, size, color);
        let top = rng.below(height - 2 - thing.height());
        scene.stamp(&thing, (top, left));
        answer.stamp(&thing, (height - 1 - thing.height(), left));
        left += thing.width() + rng.between(1, 3);
        things += 1;
    }
    accept(things >= 2)?;
    let quarters = rng.below(4);
    Some((scene.turned(quarters), answer.turned(quarters)))
}

pub(super) fn step_closer(rng: &mut Rng) -> Drawn {
    const THINGS: [[i8; 9]; 4] = [
        [8, 8, 8, 8, 8, 8, 8, 8, 8],
        [8, 8, 8, 8, 0, 8, 8, 8, 8],
        [0, 8, 0, 8, 8, 8, 0, 8, 0],
        [8, 0, 8, 0, 8, 0, 8, 0, 8],
    ];
    debug_assert_eq!(THINGS[0][0], CYAN);
    let pattern = rng.pick(&THINGS);
    let thing = Sketch::from_fn(3, 3, |(row, col)| pattern[3 * row + col]);
    let (height, width) = (rng.between(10, 14), rng.between(10, 14));
    let (down, right) = (rng.below(3) as isize - 1, rng.below(3) as isize - 1);
    accept((down, right) != (0, 0))?;
    let (row, col) = (rng.between(1, height - 2), rng.between(1, width - 2));
    let far = rng.between(4, 7) as isize;
    let dot = (row.checked_add_signed(far * down)?, col.checked_add_signed(far * right)?);
    let mut scene = Sketch::new(height, width, BLACK);
    accept(scene.area().contains(dot))?;
    scene[dot] = RED;
    let mut answer = scene.clone();
    scene.stamp(&thing, (row - 1, col - 1));
    answer.stamp(&thing, ((row - 1).checked_add_signed(down)?, (col - 1).checked_add_signed(right)?));
    Some((scene, answer))
}

pub(super) fn to_their_sides(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(5, 9), rng.between(8, 13));
    let mut scene = Sketch::new(height, width, BLACK);
    let mut answer = scene.clone();
    for row in 0..height {
        let (greens, blues) = (rng.below(3), rng.below(3));
        let mut movable = vec![BLACK; width - 2];
        movable[..greens].fill(GREEN);
        movable[greens..greens + blues].fill(BLUE);
        rng.shuffle(&mut movable);
        for (i, color) in movable.into_iter().enumerate() {
            scene[(row, i + 1)] = color;
        }
        scene[(row, 0)] = GREEN;
        scene[(row, width - 1)] = BLUE;
        answer.fill((0..=greens).map(|col| (row, col)), GREEN);
        answer.fill((width - 1 - blues..width).map(|col| (row, col)), BLUE);
    }
    Some((scene, answer))
}
