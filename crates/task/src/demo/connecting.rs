//! Paths between objects.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{Area, BLACK, BLUE, Drawn, GRAY, GREEN, Place, RED, Sketch, accept};

pub(super) fn l_path(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(8, 14), rng.between(8, 14));
    let red = (rng.below(height), rng.below(width));
    let blue = (rng.below(height), rng.below(width));
    accept(red.0.abs_diff(blue.0) >= 3 && red.1.abs_diff(blue.1) >= 3)?;
    let mut scene = Sketch::new(height, width, BLACK);
    scene[red] = RED;
    scene[blue] = BLUE;
    let mut answer = scene.clone();
    let (rows, cols) = (span(red.0, blue.0), span(red.1, blue.1));
    answer.underfill(cols.map(|col| (red.0, col)), GREEN);
    answer.underfill(rows.map(|row| (row, blue.1)), GREEN);
    Some((scene, answer))
}

pub(super) fn bridges(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(12, 17), rng.between(12, 17), BLACK);
    let mut answer = scene.clone();
    let n_pairs = rng.between(1, 3);
    for color in rng.colors(n_pairs, &[]) {
        // Squares and bridges of different pairs do not touch.
        let line = (0..20).find_map(|_| bridge(rng, &answer))?;
        let squares = [line[0], line[line.len() - 1]].map(|(row, col)| Area::new(row - 1, col - 1, 3, 3));
        for square in squares {
            scene.fill(square.cells(), color);
            answer.fill(square.cells(), color);
        }
        answer.fill(line, color);
    }
    Some((scene, answer))
}

pub(super) fn branches(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(8, 14), rng.between(9, 15));
    let trunk = rng.between(3, width - 4);
    let mut scene = Sketch::new(height, width, BLACK);
    scene.fill((0..height).map(|row| (row, trunk)), GRAY);
    let mut answer = scene.clone();
    let n_dots = rng.between(2, height / 3 + 1);
    let rows = rng.choose(n_dots, height);
    accept(rows.windows(2).all(|pair| pair[0] + 1 < pair[1]))?;
    for row in rows {
        let (col, color) = (rng.below(width), rng.color(&[GRAY]));
        accept(col.abs_diff(trunk) >= 2)?;
        scene[(row, col)] = color;
        answer.underfill(span(col, trunk).map(|col| (row, col)), color);
    }
    let turn = rng.below(2);
    Some((scene.turned(turn), answer.turned(turn)))
}

/// Returns a straight line between the centres of two 3×3 squares, with nothing near it.
fn bridge(rng: &mut Rng, scene: &Sketch) -> Option<Vec<Place>> {
    let (down, right) = rng.pick(&[(0, 1), (1, 0), (1, 1)]);
    let (row, col) = (rng.between(1, scene.height() - 2), rng.between(1, scene.width() - 2));
    let line: Vec<Place> =
        (0..=rng.between(5, 10)).map(|step| (row + step * down, col + step * right)).collect();
    let inner = scene.area().inner();
    accept(line.iter().all(|&place| inner.contains(place)))?;
    // Two steps from the line: one for the square, one for the gap.
    let near =
        |place: Place| scene.around(place).flat_map(|next| scene.around(next)).any(|at| scene[at] != BLACK);
    accept(!line.iter().any(|&place| near(place)))?;
    Some(line)
}

/// Returns the range between two numbers, both included.
fn span(a: usize, b: usize) -> std::ops::RangeInclusive<usize> {
    a.min(b)..=a.max(b)
}
