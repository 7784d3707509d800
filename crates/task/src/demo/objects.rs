//! Objects that differ by size, shape and contact.

use batt_base::Rng;

use super::colors::DrawColors;
use super::sketch::{
    Area, BLACK, BLUE, CYAN, Drawn, GRAY, GREEN, RED, Sketch, accept, recolor_background, scatter,
};

pub(super) fn largest_shape(rng: &mut Rng) -> Drawn {
    let large = rng.between(8, 12);
    let mut sizes = vec![large];
    (0..rng.between(2, 4)).for_each(|_| sizes.push(rng.between(3, large - 3)));
    let colors = rng.colors(sizes.len(), &[]);
    let blobs: Vec<Sketch> =
        sizes.iter().zip(colors).map(|(&size, color)| Sketch::blob(rng, 4, 5, size, color)).collect();
    let (scene, _) = scene(rng, (10, 16), &blobs, 1)?;
    recolor_background(rng, (scene, blobs[0].clone()))
}

pub(super) fn odd_shape(rng: &mut Rng) -> Drawn {
    let size = rng.between(4, 6);
    let usual = Sketch::blob(rng, 3, 3, size, GRAY);
    let size = rng.between(4, 6);
    let odd = Sketch::blob(rng, 3, 3, size, GRAY);
    accept(usual != odd)?;
    let colors = rng.colors(3, &[]);
    let mut blobs = vec![odd.in_color(rng.pick(&colors))];
    (0..rng.between(3, 4)).for_each(|_| blobs.push(usual.in_color(rng.pick(&colors))));
    // The odd shape must not be the only one of its colour: that would be another rule.
    let color = |blob: &Sketch| (1..=9).find(|&color| blob.count(color) > 0);
    accept(blobs[1..].iter().any(|blob| color(blob) == color(&blobs[0])))?;
    let (scene, _) = scene(rng, (9, 14), &blobs, 1)?;
    Some((scene, blobs[0].clone()))
}

pub(super) fn size_ranks(rng: &mut Rng) -> Drawn {
    let mut sizes = vec![rng.between(8, 10), rng.between(1, 3)];
    (0..rng.between(2, 3)).for_each(|_| sizes.push(rng.between(4, 7)));
    let blobs: Vec<Sketch> = sizes.iter().map(|&size| Sketch::blob(rng, 4, 4, size, GRAY)).collect();
    let (scene, areas) = scene(rng, (10, 15), &blobs, 1)?;
    let mut answer = scene.clone();
    for (i, (blob, area)) in blobs.iter().zip(areas).enumerate() {
        let color = [RED, BLUE].get(i).copied().unwrap_or(GREEN);
        answer.stamp(&blob.in_color(color), (area.top, area.left));
    }
    Some((scene, answer))
}

pub(super) fn contact(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(11, 15), rng.between(11, 15), BLACK);
    let sizes: Vec<_> = (0..rng.between(4, 5)).map(|_| (rng.between(2, 3), rng.between(2, 3))).collect();
    // Leave space for a cell on each side of each block, and for one more between them.
    let blocks = scatter(rng, scene.area().inner(), &sizes, 3)?;
    blocks.iter().for_each(|block| scene.fill(block.cells(), CYAN));
    let touched = rng.between(1, blocks.len() - 2);
    let mut answer = scene.clone();
    for block in &blocks[..touched] {
        let ring = Area::new(block.top - 1, block.left - 1, block.height + 2, block.width + 2);
        let sides: Vec<_> =
            ring.edge().filter(|&place| scene.adjacent(place).any(|next| scene[next] == CYAN)).collect();
        let dot = rng.pick(&sides);
        scene[dot] = RED;
        answer.fill(block.cells().chain([dot]), RED);
    }
    for _ in 0..rng.between(1, 3) {
        let dot = (rng.below(scene.height()), rng.below(scene.width()));
        accept(scene[dot] == BLACK && scene.around(dot).all(|next| scene[next] == BLACK))?;
        scene[dot] = RED;
        answer[dot] = RED;
    }
    Some((scene, answer))
}

pub(super) fn infected(rng: &mut Rng) -> Drawn {
    let colors = rng.colors(2, &[RED]);
    let n_shapes = rng.between(3, 5);
    let n_infected = rng.between(1, n_shapes - 1);
    let mut shapes = Vec::new();
    for i in 0..n_shapes {
        let (size, color) = (rng.between(4, 8), rng.pick(&colors));
        let mut shape = Sketch::blob(rng, 3, 4, size, color);
        let cells = shape.places(color);
        let cell = rng.pick(&cells);
        // Other shapes have a spot too, of another colour, so that its colour matters.
        let other = if colors[0] == color { colors[1] } else { colors[0] };
        shape[cell] = if i < n_infected { RED } else { other };
        shapes.push(shape);
    }
    let (scene, areas) = scene(rng, (10, 14), &shapes, 1)?;
    let mut answer = scene.clone();
    for (shape, area) in shapes.iter().zip(areas).take(n_infected) {
        answer.stamp(&shape.in_color(RED), (area.top, area.left));
    }
    Some((scene, answer))
}

/// Draws shapes at random positions on black, with a gap between their boxes. Returns the areas too.
pub(super) fn scene(
    rng: &mut Rng,
    (least, most): (usize, usize),
    shapes: &[Sketch],
    gap: usize,
) -> Option<(Sketch, Vec<Area>)> {
    let mut scene = Sketch::new(rng.between(least, most), rng.between(least, most), BLACK);
    let sizes: Vec<_> = shapes.iter().map(Sketch::size).collect();
    let areas = scatter(rng, scene.area(), &sizes, gap)?;
    for (shape, area) in shapes.iter().zip(&areas) {
        scene.stamp(shape, (area.top, area.left));
    }
    Some((scene, areas))
}
