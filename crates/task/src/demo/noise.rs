//! Noise and damage.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{Area, BLACK, Drawn, Place, Sketch, accept, recolor_background, scatter};

pub(super) fn remove_specks(rng: &mut Rng) -> Drawn {
    let (mut scene, _) = rectangles(rng, (2, 5))?;
    let answer = scene.clone();
    let colors = rng.colors(3, &[]);
    let mut specks = 0;
    for _ in 0..30 {
        let place = (rng.below(scene.height()), rng.below(scene.width()));
        if scene[place] == BLACK && scene.around(place).all(|next| scene[next] == BLACK) {
            scene[place] = rng.pick(&colors);
            specks += 1;
        }
    }
    accept(specks >= 4)?;
    recolor_background(rng, (scene, answer))
}

pub(super) fn repair_rectangles(rng: &mut Rng) -> Drawn {
    let (answer, areas) = rectangles(rng, (3, 6))?;
    let mut scene = answer.clone();
    for area in areas {
        // Corners stay, so that the box is known. No two holes touch, so that it stays connected.
        let mut holes: Vec<Place> = Vec::new();
        for _ in 0..rng.between(2, 5) {
            let (row, col) =
                (rng.between(area.top, area.bottom() - 1), rng.between(area.left, area.right() - 1));
            let corner = (row == area.top || row + 1 == area.bottom())
                && (col == area.left || col + 1 == area.right());
            if !corner && holes.iter().all(|hole| hole.0.abs_diff(row).max(hole.1.abs_diff(col)) > 1) {
                holes.push((row, col));
            }
        }
        scene.fill(holes, BLACK);
    }
    recolor_background(rng, (scene, answer))
}

pub(super) fn row_majority(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(4, 9), rng.between(6, 11));
    let colors = rng.colors(4, &[]);
    let mut answer = Sketch::new(height, width, BLACK);
    let mut scene = answer.clone();
    let mut before = BLACK;
    for row in 0..height {
        let color = rng.pick(&colors);
        accept(color != before)?;
        before = color;
        answer.fill((0..width).map(|col| (row, col)), color);
        scene.fill((0..width).map(|col| (row, col)), color);
        let n_spoiled = rng.between(1, width / 3);
        for col in rng.choose(n_spoiled, width) {
            scene[(row, col)] = rng.pick(&colors);
        }
    }
    Some((scene, answer))
}

/// Draws two to four solid rectangles on black that do not touch.
fn rectangles(rng: &mut Rng, (least, most): (usize, usize)) -> Option<(Sketch, Vec<Area>)> {
    let mut scene = Sketch::new(rng.between(11, 16), rng.between(11, 16), BLACK);
    let sizes: Vec<_> =
        (0..rng.between(2, 4)).map(|_| (rng.between(least, most), rng.between(least, most))).collect();
    let areas = scatter(rng, scene.area(), &sizes, 1)?;
    for area in &areas {
        let color = rng.color(&[]);
        scene.fill(area.cells(), color);
    }
    accept(2 * scene.drawn() < scene.height() * scene.width())?;
    Some((scene, areas))
}
