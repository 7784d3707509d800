//! Frames and outlines.

use batt_base::Rng;

use super::colors::DrawColors;
use super::objects::scene;
use super::sketch::{
    Area, BLACK, Drawn, GREEN, MAGENTA, RED, Sketch, YELLOW, accept, recolor_background, scatter,
};

pub(super) fn rare_frame(rng: &mut Rng) -> Drawn {
    let colors = rng.colors(3, &[]);
    let mut scene = Sketch::new(rng.between(7, 11), rng.between(7, 11), BLACK);
    let rare = rng.between(1, 3);
    let mut places: Vec<_> = scene.area().inner().cells().collect();
    rng.shuffle(&mut places);
    for (i, &color) in colors.iter().enumerate() {
        let count = if i == 0 { rare } else { rare + rng.between(2, 4) };
        scene.fill(places.split_off(places.len() - count), color);
    }
    let mut answer = scene.clone();
    answer.fill(scene.area().edge(), colors[0]);
    Some((scene, answer))
}

pub(super) fn outline_blocks(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(10, 15), rng.between(10, 15), BLACK);
    let sizes: Vec<_> = (0..rng.between(2, 4)).map(|_| (rng.between(1, 3), rng.between(1, 4))).collect();
    let blocks = scatter(rng, scene.area().inner(), &sizes, 3)?;
    let mut answer = scene.clone();
    for block in blocks {
        let color = rng.color(&[GREEN]);
        answer
            .fill(Area::new(block.top - 1, block.left - 1, block.height + 2, block.width + 2).edge(), GREEN);
        scene.fill(block.cells(), color);
        answer.fill(block.cells(), color);
    }
    recolor_background(rng, (scene, answer))
}

pub(super) fn inner_ring(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(10, 16), rng.between(10, 16), BLACK);
    let sizes: Vec<_> = (0..rng.between(1, 3)).map(|_| (rng.between(4, 8), rng.between(4, 8))).collect();
    let blocks = scatter(rng, scene.area(), &sizes, 1)?;
    blocks.iter().for_each(|block| {
        let color = rng.color(&[YELLOW]);
        scene.fill(block.cells(), color);
    });
    accept(2 * scene.drawn() < scene.height() * scene.width())?;
    let mut answer = scene.clone();
    blocks.iter().for_each(|block| answer.fill(block.inner().edge(), YELLOW));
    recolor_background(rng, (scene, answer))
}

pub(super) fn corners_and_center(rng: &mut Rng) -> Drawn {
    let mut scene = Sketch::new(rng.between(10, 15), rng.between(10, 15), BLACK);
    let sizes: Vec<_> = (0..rng.between(2, 3)).map(|_| (rng.pick(&[3, 5]), rng.pick(&[3, 5, 7]))).collect();
    let blocks = scatter(rng, scene.area(), &sizes, 1)?;
    let mut answer = scene.clone();
    for block in blocks {
        let color = rng.color(&[RED, YELLOW]);
        scene.fill(block.cells(), color);
        answer.fill(block.cells(), color);
        let (bottom, right) = (block.bottom() - 1, block.right() - 1);
        let corners = [(block.top, block.left), (block.top, right), (bottom, block.left), (bottom, right)];
        answer.fill(corners, RED);
        answer[block.center()] = YELLOW;
    }
    accept(2 * scene.drawn() < scene.height() * scene.width())?;
    Some((scene, answer))
}

pub(super) fn halo(rng: &mut Rng) -> Drawn {
    let shapes: Vec<Sketch> = (0..rng.between(1, 3))
        .map(|_| {
            let size = rng.between(2, 6);
            Sketch::blob(rng, 3, 4, size, MAGENTA)
        })
        .collect();
    let (scene, _) = scene(rng, (9, 13), &shapes, 3)?;
    let answer = Sketch::from_fn(scene.height(), scene.width(), |place| match scene[place] {
        BLACK if scene.around(place).any(|next| scene[next] == MAGENTA) => YELLOW,
        color => color,
    });
    accept(answer.count(BLACK) > answer.drawn())?;
    Some((scene, answer))
}
