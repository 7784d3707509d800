//! Enclosed areas.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{Area, BLACK, BLUE, Drawn, GRAY, GREEN, Place, RED, Sketch, YELLOW, accept, scatter};

pub(super) fn fill_enclosed(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(10, 15), rng.between(10, 15), BLACK);
    let mut opened = 0;
    for _ in 0..rng.between(3, 5) {
        let size = (rng.between(3, 6), rng.between(3, 7));
        let frame = scatter(rng, scene.area(), &[size], 0)?[0];
        scene.fill(frame.edge(), GREEN);
        if rng.chance(40) {
            let gap = (frame.top, rng.between(frame.left + 1, frame.right() - 2));
            scene[gap] = BLACK;
            opened += 1;
        }
    }
    let border =
        |&(row, col): &Place| row == 0 || col == 0 || row + 1 == scene.height() || col + 1 == scene.width();
    let inside: Vec<_> =
        scene.regions(BLACK).into_iter().filter(|region| !region.iter().any(border)).collect();
    accept(opened > 0 && !inside.is_empty() && scene.count(BLACK) > scene.count(GREEN))?;
    let mut answer = scene.clone();
    answer.fill(inside.into_iter().flatten(), YELLOW);
    Some((scene, answer))
}

pub(super) fn rooms(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(10, 16), rng.between(10, 16));
    let (wall_rows, wall_cols) = (walls(rng, height)?, walls(rng, width)?);
    let mut scene = Sketch::new(height, width, BLACK);
    for (row, col) in scene.area().cells() {
        if wall_rows.contains(&row) || wall_cols.contains(&col) {
            scene[(row, col)] = GRAY;
        }
    }
    let mut rooms = scene.regions(BLACK);
    rooms.sort_by_key(Vec::len);
    let last = rooms.len() - 1;
    accept(rooms[0].len() + 2 <= rooms[1].len() && rooms[last - 1].len() + 2 <= rooms[last].len())?;
    let mut answer = scene.clone();
    answer.fill(rooms.swap_remove(last), RED);
    answer.fill(rooms.swap_remove(0), BLUE);
    Some((scene, answer))
}

pub(super) fn closed_frames(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(10, 15), rng.between(10, 15), BLACK);
    let sizes: Vec<_> = (0..rng.between(3, 4)).map(|_| (rng.between(3, 6), rng.between(3, 6))).collect();
    let frames = scatter(rng, scene.area(), &sizes, 1)?;
    let n_open = rng.between(1, frames.len() - 1);
    let mut answer = scene.clone();
    for (i, frame) in frames.iter().enumerate() {
        scene.fill(frame.edge(), BLUE);
        answer.fill(frame.edge(), if i < n_open { RED } else { GREEN });
        if i < n_open {
            let gap = gap_of(rng, *frame);
            scene[gap] = BLACK;
            answer[gap] = BLACK;
        }
    }
    Some((scene, answer))
}

pub(super) fn seeded_boxes(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(10, 16), rng.between(10, 16), BLACK);
    let sizes: Vec<_> = (0..rng.between(2, 4)).map(|_| (rng.between(4, 7), rng.between(4, 7))).collect();
    let boxes = scatter(rng, scene.area(), &sizes, 1)?;
    let mut answer = scene.clone();
    for area in boxes {
        scene.fill(area.edge(), GRAY);
        answer.fill(area.edge(), GRAY);
        let color = rng.color(&[GRAY]);
        let inside: Vec<_> = area.inner().cells().collect();
        scene[rng.pick(&inside)] = color;
        answer.fill(inside, color);
    }
    Some((scene, answer))
}

/// Returns one or two wall positions along a side, with at least two cells before, between and after them.
fn walls(rng: &mut Rng, length: usize) -> Option<Vec<usize>> {
    let count = rng.between(1, 2);
    let walls = rng.choose(count, length);
    let (first, last) = (*walls.first()?, *walls.last()?);
    accept(first >= 2 && last + 3 <= length && walls.windows(2).all(|pair| pair[0] + 3 <= pair[1]))?;
    Some(walls)
}

/// Returns a cell of the edge that is not a corner.
fn gap_of(rng: &mut Rng, frame: Area) -> Place {
    let inner = frame.inner();
    let rows = inner.top..inner.bottom();
    let cols = inner.left..inner.right();
    let sides: Vec<Place> =
        frame.edge().filter(|(row, col)| rows.contains(row) || cols.contains(col)).collect();
    rng.pick(&sides)
}
