//! Holes, halos, boxes and enclosed regions filled.

use std::collections::BTreeSet;

use super::{List, draw_cells, each};
use crate::code::number;
use crate::image::{Direction, Image, OUTSIDE};
use crate::object::Segmentation;

/// The regions of background that do not reach the border, in the language.
pub(crate) const HOLES: &str =
    "sfilter(colorfilter(objects(I, T, F, F), B), compose(flip, rbind(bordering, I)))";

pub(super) fn holes(list: &mut List) {
    list.add("HOLES_FILLED", "holes filled", |g| Some(filled_holes(g, None)))
        .step()
        .feature()
        .before_cells()
        .code(format!(
            "paint(I, mapply(fork(recolor, compose(lbind(index, I), compose(rbind(add, UP), ulcorner)), \
             identity), {HOLES}))"
        ));
}

pub(super) fn holes_with_color(list: &mut List, color: u8, constant: &str, words: &str) {
    list.add(format!("HOLES_FILLED_WITH_{constant}"), format!("holes filled with {words}"), move |g| {
        Some(filled_holes(g, Some(color)))
    })
    .code(format!("fill(I, {}, merge({HOLES}))", number(color.into())));
}

fn filled_holes(g: &Image, with: Option<u8>) -> Image {
    let ground = g.background();
    let mut filled = g.clone();
    for region in Segmentation::Everything4.objects(g) {
        if region.color != ground || region.touches_border(g) {
            continue;
        }
        let (y, x) = region.cells[0];
        let color = with.unwrap_or_else(|| g.at(y - 1, x));
        draw_cells(&mut filled, &region.cells, color);
    }
    filled
}

pub(super) fn halos(list: &mut List) {
    let outlines = |around: &str| {
        let colored = "sfilter(asobject(I), compose(flip, matcher(first, B)))";
        format!("underpaint(I, mapply(fork(recolor, first, compose({around}, last)), {colored}))")
    };
    for (name, words, directions, alone, code) in [
        ("HALO", "a halo", &Direction::ALL[..], false, Some(outlines("neighbors"))),
        ("EDGE_HALO", "a halo along edges", &Direction::STRAIGHT[..], false, Some(outlines("dneighbors"))),
        ("CORNER_HALO", "a halo at corners", &Direction::DIAGONAL[..], false, Some(outlines("ineighbors"))),
        ("HALO_ALONE", "the halo alone", &Direction::ALL[..], true, None),
    ] {
        let view = list.add(name, words, move |g| {
            let ground = g.background();
            Some(Image::from_fn(g.h, g.w, |y, x| {
                let own = g.at(y, x);
                if own != ground {
                    return if alone { ground } else { own };
                }
                let near = directions.iter().map(|&direction| g.beside(y, x, direction));
                near.into_iter().find(|&c| c != OUTSIDE && c != ground).unwrap_or(ground)
            }))
        });
        if let Some(code) = code {
            view.code(code);
        }
    }
}

pub(super) fn boxes(list: &mut List) {
    for (segmentation, name, words, objects) in [
        (Segmentation::ByColor, "COLOR", "colour", "fgpartition(I)"),
        (Segmentation::Mono8, "OBJECT", "object", "objects(I, T, T, T)"),
    ] {
        for (filled, how, how_words, shape) in
            [(true, "FILLED", "filled", "backdrop"), (false, "OUTLINED", "outlined", "box")]
        {
            list.add(
                format!("{name}_BOXES_{how}"),
                format!("the box of each {words} {how_words}"),
                move |g| {
                    let ground = g.background();
                    let mut objects = segmentation.objects(g);
                    objects.sort_by_key(|o| std::cmp::Reverse(o.h() * o.w()));
                    let mut view = g.clone();
                    for o in objects {
                        each(o.area(), |y, x| {
                            let edge = y == o.y0 || y == o.y1 || x == o.x0 || x == o.x1;
                            if view.at(y, x) == ground && (filled || edge) {
                                view.set(y, x, o.color);
                            }
                        });
                    }
                    Some(view)
                },
            )
            .code(format!("underpaint(I, mapply(fork(recolor, color, {shape}), {objects}))"));
        }
    }
}

/// More single cells than this are a texture.
const MAX_SEEDS: usize = 30;

pub(super) fn enclosed_regions(list: &mut List) {
    list.add("FILLED_FROM_SINGLE_CELLS", "enclosed regions filled from their single cells", |g| {
        let ground = g.background();
        let seeds: Vec<_> = Segmentation::Mono4.objects(g).into_iter().filter(|o| o.size() == 1).collect();
        if seeds.is_empty() || seeds.len() > MAX_SEEDS {
            return None;
        }
        let mut view = g.clone();
        for seed in seeds {
            let mut reached = BTreeSet::from([seed.cells[0]]);
            let mut stack = vec![seed.cells[0]];
            let mut escaped = false;
            while let Some((y, x)) = stack.pop() {
                for direction in Direction::STRAIGHT {
                    let (ny, nx) = direction.from(y, x);
                    let color = g.get(ny, nx);
                    escaped |= color == OUTSIDE;
                    if color == ground && reached.insert((ny as usize, nx as usize)) {
                        stack.push((ny as usize, nx as usize));
                    }
                }
            }
            if !escaped {
                for (y, x) in reached {
                    view.set(y, x, seed.color);
                }
            }
        }
        Some(view)
    });
}
