//! Mirror images and rotations.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{Area, BLACK, Drawn, GRAY, Sketch, accept, scatter};

pub(super) fn kaleidoscope(rng: &mut Rng) -> Drawn {
    let colors = rng.colors(2, &[]);
    let (height, width) = (rng.between(3, 5), rng.between(3, 5));
    let quarter = Sketch::mosaic(rng, height, width, &[BLACK, BLACK, colors[0], colors[1]]);
    accept(quarter != quarter.flipped() && quarter != quarter.upside_down())?;
    let whole = mirrored(&quarter);
    Some((quarter, whole))
}

pub(super) fn pinwheel(rng: &mut Rng) -> Drawn {
    let colors = rng.colors(3, &[]);
    let side = rng.between(3, 5);
    let quarter = Sketch::mosaic(rng, side, side, &[BLACK, colors[0], colors[1], colors[2]]);
    // A quarter that equals its transpose would give a kaleidoscope.
    accept(quarter != quarter.transposed())?;
    let top = quarter.beside(&quarter.turned(1));
    let whole = top.above(&quarter.turned(3).beside(&quarter.turned(2)));
    Some((quarter, whole))
}

pub(super) fn mirror_repair(rng: &mut Rng) -> Drawn {
    let colors = rng.colors(4, &[GRAY]);
    let (height, width) = (rng.between(4, 7), rng.between(4, 7));
    let whole = mirrored(&Sketch::mosaic(rng, height, width, &colors));
    let (tall, wide) = (rng.between(2, 4), rng.between(2, 4));
    // The patch is in one half, so that the other half shows all of it.
    let left = rng.between(0, width - wide) + if rng.chance(50) { width } else { 0 };
    let hole = Area::new(rng.between(0, 2 * height - tall), left, tall, wide);
    let mut damaged = whole.clone();
    damaged.fill(hole.cells(), GRAY);
    Some((damaged, whole))
}

pub(super) fn hidden_patch(rng: &mut Rng) -> Drawn {
    let side = rng.between(9, 15);
    let colors = rng.colors(4, &[]);
    let half = Sketch::mosaic(rng, side, side, &colors);
    let whole = Sketch::from_fn(side, side, |(row, col)| half[(row.min(col), row.max(col))]);
    let (height, width) = (rng.between(3, 4), rng.between(3, 4));
    let top = rng.between(0, side - height - width);
    let left = rng.between(top + height, side - width);
    let hole = if rng.chance(50) {
        Area::new(top, left, height, width)
    } else {
        Area::new(left, top, width, height)
    };
    let hidden = whole.cut(hole);
    let mut covered = whole;
    covered.fill(hole.cells(), BLACK);
    Some((covered, hidden))
}

pub(super) fn turned(choice: u64, rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(3, 6), rng.between(3, 6));
    // A square could give the same picture when mirrored and when rotated.
    accept(height != width)?;
    let colors = rng.colors(3, &[]);
    let picture = Sketch::mosaic(rng, height, width, &[BLACK, BLACK, colors[0], colors[1], colors[2]]);
    let symmetric =
        picture == picture.flipped() || picture == picture.upside_down() || picture == picture.turned(2);
    accept(!symmetric)?;
    let answer = match choice % 7 {
        0 => picture.upside_down(),
        1 => picture.transposed(),
        2 => picture.flipped(),
        3 => picture.transposed().turned(2),
        quarters => picture.turned(quarters as usize - 3),
    };
    Some((picture, answer))
}

pub(super) fn asymmetric_panel(rng: &mut Rng) -> Drawn {
    let (height, width) = (rng.between(4, 7), rng.pick(&[5, 7]));
    let colors = rng.colors(3, &[GRAY]);
    let odd = rng.below(3);
    let panels: Vec<Sketch> = (0..3)
        .map(|i| {
            let picture = Sketch::mosaic(rng, height, width, &[BLACK, colors[i]]);
            let fold = |col: usize| if i == odd { col } else { col.min(width - 1 - col) };
            Sketch::from_fn(height, width, |(row, col)| picture[(row, fold(col))])
        })
        .collect();
    let strange = &panels[odd];
    let differing = strange.area().cells().filter(|&place| strange[place] != strange.flipped()[place]);
    accept(differing.count() >= 6 && panels.iter().all(|panel| panel.drawn() >= height))?;
    let divider = Sketch::new(height, 1, GRAY);
    let row = panels[0].beside(&divider).beside(&panels[1]).beside(&divider).beside(&panels[2]);
    Some((row, strange.clone()))
}

pub(super) fn across_the_wall(rng: &mut Rng) -> Drawn {
    let (height, half) = (rng.between(6, 11), rng.between(4, 7));
    let mut left = Sketch::new(height, half, BLACK);
    let mut right = left.clone();
    let shapes: Vec<Sketch> = (0..rng.between(2, 3))
        .map(|_| {
            let (size, color) = (rng.between(3, 6), rng.color(&[GRAY]));
            Sketch::blob(rng, 3, 3, size, color)
        })
        .collect();
    let sizes: Vec<_> = shapes.iter().map(Sketch::size).collect();
    for (i, (shape, area)) in shapes.iter().zip(scatter(rng, left.area(), &sizes, 1)?).enumerate() {
        let side = if i % 2 == 0 { &mut left } else { &mut right };
        side.stamp(shape, (area.top, area.left));
    }
    // Both sides are laid out on one grid, so that no mirror image covers a shape.
    let wall = Sketch::new(height, 1, GRAY);
    let scene = left.beside(&wall).beside(&right.flipped());
    let mut both = left;
    both.stamp(&right, (0, 0));
    let answer = both.beside(&wall).beside(&both.flipped());
    let quarters = rng.below(2);
    Some((scene.turned(quarters), answer.turned(quarters)))
}

/// Mirrors a quarter left to right and top to bottom.
fn mirrored(quarter: &Sketch) -> Sketch {
    let top = quarter.beside(&quarter.flipped());
    top.above(&top.upside_down())
}
