//! Recolouring objects by their properties.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{Area, BLACK, BLUE, Drawn, GRAY, GREEN, RED, Sketch, YELLOW, accept, scatter};

pub(super) fn tall_wide_square(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(11, 15), rng.between(11, 15), BLACK);
    let side = rng.between(2, 4);
    let mut sizes = vec![(side, side), (rng.between(4, 5), rng.between(1, 3))];
    sizes.push((rng.between(1, 3), rng.between(4, 5)));
    if rng.chance(50) {
        sizes.push((rng.between(2, 4), rng.between(2, 4)));
    }
    let areas = scatter(rng, scene.area(), &sizes, 1)?;
    let mut answer = scene.clone();
    for area in areas {
        scene.fill(area.cells(), GRAY);
        let color = match area.height.cmp(&area.width) {
            std::cmp::Ordering::Greater => RED,
            std::cmp::Ordering::Less => BLUE,
            std::cmp::Ordering::Equal => GREEN,
        };
        answer.fill(area.cells(), color);
    }
    Some((scene, answer))
}

pub(super) fn swap_legend(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(4, 8), rng.between(5, 9));
    let colors = rng.colors(3, &[GRAY]);
    let (one, two) = (colors[0], colors[1]);
    let field = Sketch::mosaic(rng, height, width, &[BLACK, BLACK, one, two, colors[2]]);
    accept(field.count(one) >= 3 && field.count(two) >= 3 && field.count(colors[2]) >= 2)?;
    let mut legend = Sketch::new(2, width, GRAY);
    legend[(0, 0)] = one;
    legend[(0, 1)] = two;
    let answer = Sketch::from_fn(height, width, |place| match field[place] {
        color if color == one => two,
        color if color == two => one,
        color => color,
    });
    Some((legend.above(&field), answer))
}

pub(super) fn border_touchers(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(9, 13), rng.between(9, 13), BLACK);
    let sizes: Vec<_> = (0..rng.between(4, 6)).map(|_| (rng.between(1, 4), rng.between(1, 4))).collect();
    let areas = scatter(rng, scene.area(), &sizes, 1)?;
    let color = rng.color(&[RED]);
    let grid = scene.area();
    let touches = |area: &Area| area.cells().any(|place| !grid.inner().contains(place));
    let touching = areas.iter().filter(|area| touches(area)).count();
    accept((2..areas.len()).contains(&touching))?;
    let mut answer = scene.clone();
    for area in &areas {
        scene.fill(area.cells(), color);
        answer.fill(area.cells(), if touches(area) { RED } else { color });
    }
    accept(2 * scene.drawn() < scene.height() * scene.width())?;
    Some((scene, answer))
}

pub(super) fn headers(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(6, 10), rng.between(6, 10));
    let mut scene =
        Sketch::from_fn(height, width, |(row, _)| if row >= 2 && rng.chance(40) { GRAY } else { BLACK });
    let n_headers = rng.between(3, width - 2);
    let mut answer = scene.clone();
    for col in rng.choose(n_headers, width) {
        let color = rng.color(&[GRAY]);
        scene[(0, col)] = color;
        answer[(0, col)] = color;
        let below: Vec<_> = (2..height).map(|row| (row, col)).filter(|&place| scene[place] == GRAY).collect();
        answer.fill(below, color);
    }
    // Columns without a header must show that they stay gray.
    accept(answer.count(GRAY) >= 2)?;
    Some((scene, answer))
}

pub(super) fn in_line(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(10, 15), rng.between(10, 15), BLACK);
    let mut sizes = vec![(1, 1)];
    (0..rng.between(4, 6)).for_each(|_| sizes.push((rng.between(2, 3), rng.between(2, 3))));
    let areas = scatter(rng, scene.area(), &sizes, 1)?;
    let dot = areas[0];
    scene[(dot.top, dot.left)] = YELLOW;
    let mut answer = scene.clone();
    let (mut in_row, mut in_column) = (0, 0);
    for block in &areas[1..] {
        let color = if (block.top..block.bottom()).contains(&dot.top) {
            in_row += 1;
            RED
        } else if (block.left..block.right()).contains(&dot.left) {
            in_column += 1;
            BLUE
        } else {
            GRAY
        };
        scene.fill(block.cells(), GRAY);
        answer.fill(block.cells(), color);
    }
    accept(in_row > 0 && in_column > 0 && answer.count(GRAY) > 0)?;
    Some((scene, answer))
}

pub(super) fn blue_then_red(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(8, 13), rng.between(8, 13), BLACK);
    // Pairs that match the rule, pairs that do not, and single cells.
    let kinds =
        [(BLUE, RED, 1), (RED, BLUE, 1), (BLUE, RED, 2), (RED, BLUE, 2), (BLUE, BLACK, 1), (RED, BLACK, 1)];
    let mut chosen = vec![0, 0, 1, 2 + rng.below(2)];
    (0..rng.between(2, 5)).for_each(|_| chosen.push(rng.below(kinds.len())));
    let sizes: Vec<_> = chosen.iter().map(|&i| if kinds[i].2 == 1 { (1, 2) } else { (2, 1) }).collect();
    let areas = scatter(rng, scene.area(), &sizes, 1)?;
    let mut answer = scene.clone();
    for (i, area) in chosen.into_iter().zip(areas) {
        let (one, two, _) = kinds[i];
        for (place, color) in area.cells().zip([one, two]) {
            scene[place] = color;
            answer[place] = if i == 0 { GREEN } else { color };
        }
    }
    Some((scene, answer))
}

pub(super) fn replaced(choice: u64, rng: &mut Rng) -> Drawn {
    let from = 1 + (choice % 9) as i8;
    let to = 1 + ((choice % 9 + 1 + choice / 9 % 8) % 9) as i8;
    let others = rng.colors(2, &[from, to]);
    let (height, width) = (rng.between(4, 8), rng.between(4, 8));
    let scene = Sketch::mosaic(rng, height, width, &[BLACK, BLACK, from, others[0], others[1]]);
    accept(scene.count(from) >= 3 && scene.n_colors() == 4)?;
    let answer = scene.recolored(from, to);
    Some((scene, answer))
}
