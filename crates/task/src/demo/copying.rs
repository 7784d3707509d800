//! Objects that are copied to other places.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{Area, BLACK, BLUE, Drawn, GRAY, Sketch, accept, scatter};

pub(super) fn stamp(rng: &mut Rng) -> Drawn {
    let colors = rng.colors(2, &[GRAY]);
    let template = Sketch::mosaic(rng, 3, 3, &[BLACK, colors[0], colors[0], colors[1]]);
    // The template fills its box, is connected and has both colours.
    let whole = template.in_color(GRAY);
    accept(template.tight() == template && whole.regions(GRAY).len() == 1 && template.n_colors() == 3)?;
    let mut scene = Sketch::new(rng.between(10, 14), rng.between(10, 14), BLACK);
    let sizes = vec![(3, 3); rng.between(2, 4)];
    let areas = scatter(rng, scene.area(), &sizes, 1)?;
    let mut answer = scene.clone();
    for (i, area) in areas.iter().enumerate() {
        answer.stamp(&template, (area.top, area.left));
        if i == 0 {
            scene.stamp(&template, (area.top, area.left));
        } else {
            scene[area.center()] = GRAY;
            // A hole in the template would not cover the gray mark.
            accept(template[(1, 1)] != BLACK)?;
        }
    }
    Some((scene, answer))
}

pub(super) fn repeat_right(rng: &mut Rng) -> Drawn {
    let (size, colors) = (rng.between(3, 7), rng.colors(2, &[]));
    let mut shape = Sketch::blob(rng, 4, 3, size, colors[0]);
    let drawn = shape.places(colors[0]);
    shape[rng.pick(&drawn)] = colors[1];
    let (height, width) = (shape.height() + rng.between(2, 5), rng.between(10, 18));
    let (top, step) = (rng.below(height - shape.height()), shape.width() + 1);
    let mut scene = Sketch::new(height, width, BLACK);
    scene.stamp(&shape, (top, 0));
    // Copies are cut at the border: draw beyond it, then crop.
    let mut strip = Sketch::new(height, width + step, BLACK);
    (0..width).step_by(step).for_each(|left| strip.stamp(&shape, (top, left)));
    Some((scene, strip.cut(Area::new(0, 0, height, width))))
}

pub(super) fn water_reflection(rng: &mut Rng) -> Drawn {
    let (half, width) = (rng.between(4, 7), rng.between(7, 13));
    let colors = rng.colors(3, &[BLUE]);
    let mut land = Sketch::new(half, width, BLACK);
    let sizes: Vec<_> =
        (0..rng.between(2, 4)).map(|_| (rng.between(1, half - 1), rng.between(1, 3))).collect();
    for area in scatter(rng, land.area(), &sizes, 1)? {
        let color = rng.pick(&colors);
        land.fill(area.cells(), color);
    }
    accept(land.drawn() >= 6)?;
    let scene = land.above(&Sketch::new(half, width, BLUE));
    let answer = land.above(&land.upside_down().recolored(BLACK, BLUE));
    Some((scene, answer))
}
