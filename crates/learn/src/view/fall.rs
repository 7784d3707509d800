//! Cells and objects that fall or slide.

use super::{List, draw_cells};
use crate::image::{Image, MAX_SIDE, Symmetry};
use crate::object::{Segmentation, direction_to};

/// A side that things fall to.
#[derive(Clone, Copy)]
struct Side {
    name: &'static str,
    words: &'static str,
    /// The symmetry that brings the side to the left; each is its own inverse.
    to_left: Symmetry,
    /// Cells fallen to this side, in the language.
    code: &'static str,
}

const SIDES: [Side; 4] = [
    Side {
        name: "LEFT",
        words: "left",
        to_left: Symmetry::Identity,
        code: "apply(rbind(order, matcher(identity, ZERO)), I)",
    },
    Side {
        name: "RIGHT",
        words: "right",
        to_left: Symmetry::LeftRight,
        code: "apply(rbind(order, compose(flip, matcher(identity, ZERO))), I)",
    },
    Side {
        name: "UP",
        words: "up",
        to_left: Symmetry::Transpose,
        code: "dmirror(apply(rbind(order, matcher(identity, ZERO)), dmirror(I)))",
    },
    Side {
        name: "DOWN",
        words: "down",
        to_left: Symmetry::Antitranspose,
        code: "dmirror(apply(rbind(order, compose(flip, matcher(identity, ZERO))), dmirror(I)))",
    },
];

pub(super) fn cells(list: &mut List) {
    for side in SIDES {
        list.add(format!("CELLS_FALLEN_{}", side.name), format!("cells fallen {}", side.words), move |g| {
            Some(fallen(g, side.to_left))
        })
        .step()
        .feature()
        .before_cells()
        .code(side.code);
    }
}

pub(super) fn objects(list: &mut List) {
    for side in SIDES {
        list.add(
            format!("COLOR_OBJECTS_FALLEN_{}", side.name),
            format!("one-colour objects fallen {}", side.words),
            move |g| objects_fallen(g, side.to_left, Segmentation::Mono8),
        )
        .feature();
        list.add(
            format!("OBJECTS_FALLEN_{}", side.name),
            format!("objects fallen {}", side.words),
            move |g| objects_fallen(g, side.to_left, Segmentation::Multi8),
        )
        .feature();
    }
}

fn fallen(g: &Image, to_left: Symmetry) -> Image {
    let turned = g.turned(to_left);
    let mut fallen = Image::new(turned.h, turned.w, 0);
    for y in 0..turned.h {
        let colored = (0..turned.w).map(|x| turned.at(y, x)).filter(|&c| c != 0);
        for (x, color) in colored.enumerate() {
            fallen.set(y, x, color);
        }
    }
    fallen.turned(to_left)
}

/// More objects than this are a texture.
const MAX_OBJECTS: usize = 40;

fn objects_fallen(g: &Image, to_left: Symmetry, segmentation: Segmentation) -> Option<Image> {
    let turned = g.turned(to_left);
    let ground = turned.background();
    let mut objects = segmentation.objects(&turned);
    if objects.is_empty() || objects.len() > MAX_OBJECTS {
        return None;
    }
    objects.sort_by_key(|o| o.x0);
    let mut fallen = Image::new(turned.h, turned.w, ground);
    for object in &objects {
        let free =
            |shift: usize| object.cells.iter().all(|&(y, x)| x >= shift && fallen.at(y, x - shift) == ground);
        let shift = (1..=turned.w).take_while(|&shift| free(shift)).last().unwrap_or(0);
        for &(y, x) in &object.cells {
            fallen.set(y, x - shift, turned.at(y, x));
        }
    }
    Some(fallen.turned(to_left))
}

pub(super) fn slid_to_largest(list: &mut List) {
    list.add("SLID_TO_LARGEST", "objects slid against the largest", |g| {
        let ground = g.background();
        let mut objects = Segmentation::Mono8.objects(g);
        if objects.len() < 2 || objects.len() > MAX_OBJECTS {
            return None;
        }
        let largest = (0..objects.len()).max_by_key(|&i| objects[i].size())?;
        let target = objects.remove(largest);
        let mut view = Image::new(g.h, g.w, ground);
        draw_cells(&mut view, &target.cells, target.color);
        objects.sort_by_key(|o| o.y0.abs_diff(target.y0) + o.x0.abs_diff(target.x0));
        for o in &objects {
            let (dy, dx) = direction_to(o, &target).map_or((0, 0), |direction| direction.step());
            let free = |k: i32| {
                o.cells.iter().all(|&(y, x)| view.get(y as i32 + dy * k, x as i32 + dx * k) == ground)
            };
            let shift =
                (1..MAX_SIDE as i32).take_while(|&k| (dy, dx) != (0, 0) && free(k)).last().unwrap_or(0);
            for &(y, x) in &o.cells {
                view.put(y as i32 + dy * shift, x as i32 + dx * shift, o.color);
            }
        }
        Some(view)
    });
}
