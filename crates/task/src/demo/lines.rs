//! Lines that start at dots.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{Area, BLACK, BLUE, CYAN, Drawn, GREEN, Place, RED, Sketch, YELLOW, accept, scatter};

pub(super) fn crosshair(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(8, 14), rng.between(8, 14));
    let mut scene = Sketch::new(height, width, BLACK);
    let count = rng.between(2, 4);
    let (mut rows, cols) = (rng.choose(count, height), rng.choose(count, width));
    rng.shuffle(&mut rows);
    // No two dots share a row or column, so no dot is on another's line.
    let reds = rng.between(1, count - 1);
    let dots: Vec<Place> = rows.into_iter().zip(cols).collect();
    let (red, blue) = dots.split_at(reds);
    scene.fill(red.iter().copied(), RED);
    scene.fill(blue.iter().copied(), BLUE);
    let answer = Sketch::from_fn(height, width, |(row, col)| {
        match (red.iter().any(|dot| dot.0 == row), blue.iter().any(|dot| dot.1 == col)) {
            (true, true) => YELLOW,
            (true, false) => RED,
            (false, true) => BLUE,
            (false, false) => BLACK,
        }
    });
    Some((scene, answer))
}

pub(super) fn join_dots(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(9, 14), rng.between(9, 14), BLACK);
    let (height, width) = scene.size();
    for _ in 0..rng.between(2, 3) {
        let (row, col) = (rng.below(height), rng.below(width));
        let far = rng.between(3, 7);
        let end = if rng.chance(50) { (row + far, col) } else { (row, col + far) };
        accept(scene.area().contains(end))?;
        scene.fill([(row, col), end], CYAN);
    }
    for _ in 0..rng.between(1, 2) {
        let alone = (rng.below(height), rng.below(width));
        accept((0..height).all(|row| scene[(row, alone.1)] == BLACK))?;
        accept((0..width).all(|col| scene[(alone.0, col)] == BLACK))?;
        scene[alone] = CYAN;
    }
    let dots = scene.places(CYAN);
    accept(dots.iter().all(|&dot| scene.around(dot).all(|next| scene[next] == BLACK)))?;
    let between = |places: &[usize], at: usize| {
        places.iter().any(|&place| place < at) && places.iter().any(|&place| place > at)
    };
    let answer = Sketch::from_fn(height, width, |(row, col)| {
        let in_row: Vec<_> = dots.iter().filter(|dot| dot.0 == row).map(|dot| dot.1).collect();
        let in_col: Vec<_> = dots.iter().filter(|dot| dot.1 == col).map(|dot| dot.0).collect();
        match scene[(row, col)] {
            BLACK if between(&in_row, col) || between(&in_col, row) => GREEN,
            color => color,
        }
    });
    Some((scene, answer))
}

pub(super) fn diagonal_rays(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(8, 14), rng.between(8, 14), BLACK);
    let color = rng.color(&[]);
    let sizes = vec![(1, 1); rng.between(1, 2)];
    let dots = scatter(rng, scene.area(), &sizes, 3)?;
    dots.iter().for_each(|dot| scene.fill(dot.cells(), color));
    let diagonal = |(row, col): Place| dots.iter().any(|dot| row.abs_diff(dot.top) == col.abs_diff(dot.left));
    let answer =
        Sketch::from_fn(scene.height(), scene.width(), |place| if diagonal(place) { color } else { BLACK });
    Some((scene, answer))
}

pub(super) fn full_lines(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(8, 13), rng.between(8, 13));
    let color = rng.color(&[]);
    let mut scene = Sketch::new(height, width, BLACK);
    let (n_rows, n_cols) = (rng.between(1, 2), rng.between(1, 2));
    for row in rng.choose(n_rows, height) {
        scene.fill((0..width).map(|col| (row, col)), color);
    }
    for col in rng.choose(n_cols, width) {
        scene.fill((0..height).map(|row| (row, col)), color);
    }
    let answer = scene.clone();
    for _ in 0..rng.between(3, 5) {
        let (row, col, length) = (rng.below(height), rng.below(width), rng.between(2, 5));
        let line =
            if rng.chance(50) { Area::new(row, col, 1, length) } else { Area::new(row, col, length, 1) };
        scene.fill(line.cells().filter(|&place| answer.area().contains(place)).collect::<Vec<_>>(), color);
    }
    // Short lines must not add up to a full one, and must not all be on full ones.
    let full = |sketch: &Sketch| sketch.rows().filter(|row| row.iter().all(|&cell| cell == color)).count();
    accept(full(&scene) == n_rows && full(&scene.transposed()) == n_cols)?;
    accept(scene.drawn() >= answer.drawn() + 5)?;
    Some((scene, answer))
}

pub(super) fn leak(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(12, 17), rng.between(12, 17), BLACK);
    let sides: Vec<usize> = (0..rng.between(1, 2)).map(|_| rng.pick(&[3, 5, 7])).collect();
    let sizes: Vec<_> = sides.iter().map(|&side| (side, side)).collect();
    let boxes = scatter(rng, scene.area().inner(), &sizes, 2)?;
    let gaps: Vec<Area> = boxes.iter().map(|area| leak_of(rng, scene.area(), *area)).collect();
    let mut answer = scene.clone();
    for area in &boxes {
        let color = rng.color(&[YELLOW]);
        scene.fill(area.edge(), color);
        answer.fill(area.edge(), color);
    }
    for (i, (area, gap)) in boxes.iter().zip(&gaps).enumerate() {
        let crossed = (0..boxes.len()).any(|j| j != i && gap.cells().any(|place| boxes[j].contains(place)));
        accept(!crossed)?;
        scene.fill(area.cells().filter(|&place| gap.contains(place)), BLACK);
        answer.fill(area.inner().cells().chain(gap.cells()), YELLOW);
    }
    Some((scene, answer))
}

/// Returns the cells from the middle of one side of the box to the border of the grid.
fn leak_of(rng: &mut Rng, grid: Area, area: Area) -> Area {
    let (row, col) = area.center();
    match rng.below(4) {
        0 => Area::new(0, col, area.top + 1, 1),
        1 => Area::new(area.bottom() - 1, col, grid.height - area.bottom() + 1, 1),
        2 => Area::new(row, 0, 1, area.left + 1),
        _ => Area::new(row, area.right() - 1, 1, grid.width - area.right() + 1),
    }
}
