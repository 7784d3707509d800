//! The nearest object, and how far away things are.

use super::region::NO_OBJECT;
use super::{Sheet, Written, cells, write_grid};
use crate::code::{direction, number};
use crate::feature::Kind;
use crate::image::{Direction, Image, OUTSIDE, color_name};
use crate::object::{Crowd, Object, ObjectFeature, Segmentation};

/// Among more objects than this, none is called the nearest.
const MAX_NEAR: usize = 80;

pub(super) fn nearest(g: &Image, sheet: &mut Sheet) {
    let ground = g.background();
    let mut objects = Segmentation::Mono8.objects(g);
    if objects.len() > MAX_NEAR {
        objects.clear();
    }
    let features = Crowd::new(g, &objects, ground).values();
    for (what, single) in [("nearest object", false), ("nearest single cell", true)] {
        near_object(g, &objects, &features, what, single, sheet);
    }
    for direction in Direction::ALL {
        let distance = cells(g, |y, x| match g.look((y, x), direction, ground) {
            (OUTSIDE, _) => 99,
            (_, distance) => distance,
        });
        let words = || format!("the distance to what is seen to the {}", direction.words());
        sheet.count(0.9, words, distance);
    }
    for direction in Direction::ALL {
        let parity = cells(g, |y, x| match g.look((y, x), direction, ground) {
            (OUTSIDE, _) => 9,
            (_, distance) => distance % 2,
        });
        let words = || format!("the parity of the distance to what is seen to the {}", direction.words());
        sheet.column(Kind::Code, 1.0, words, parity);
    }
    for color in 1..10 {
        for (directions, how) in [(Direction::STRAIGHT, "straight"), (Direction::DIAGONAL, "diagonal")] {
            let words = || format!("the number of {how} directions that hold {}", color_name(color));
            sheet.count(1.0, words, seen_through(g, color, &directions)).code(|| {
                let cells = format!("ofcolor(I, {})", number(color.into()));
                Written::Masks(
                    directions
                        .map(|d| {
                            let shot = format!("rbind(shoot, {})", direction(d.opposite()));
                            write_grid(format!("difference(mapply({shot}, {cells}), {cells})"))
                        })
                        .to_vec(),
                )
            });
        }
    }
}

/// The number of directions in which a colour lies, whatever is in between.
fn seen_through(g: &Image, color: u8, directions: &[Direction]) -> Vec<u8> {
    let mut seen = vec![0u8; g.area()];
    if !g.cells.contains(&color) {
        return seen;
    }
    for direction in directions {
        let (dy, dx) = direction.step();
        let mut mark = vec![false; g.area()];
        for y in 0..g.h as i32 {
            for x in 0..g.w as i32 {
                if g.get(y, x) == color {
                    let (mut ny, mut nx) = (y - dy, x - dx);
                    while g.get(ny, nx) != OUTSIDE {
                        mark[ny as usize * g.w + nx as usize] = true;
                        ny -= dy;
                        nx -= dx;
                    }
                }
            }
        }
        seen.iter_mut().zip(mark).for_each(|(seen, mark)| *seen += u8::from(mark));
    }
    seen
}

fn near_object(
    g: &Image,
    objects: &[Object],
    features: &[Vec<u8>],
    what: &str,
    single: bool,
    sheet: &mut Sheet,
) {
    let offset = |o: &Object, y: i32, x: i32| {
        let beyond = |v: i32, low: usize, high: usize| {
            if v < low as i32 { v - low as i32 } else { (v - high as i32).max(0) }
        };
        (beyond(y, o.y0, o.y1), beyond(x, o.x0, o.x1))
    };
    let candidates: Vec<usize> = (0..objects.len()).filter(|&i| !single || objects[i].size() == 1).collect();
    let mut near: Vec<(Option<usize>, i32, i32)> = Vec::with_capacity(g.area());
    for y in 0..g.h as i32 {
        for x in 0..g.w as i32 {
            let distance = |&i: &usize| {
                let (dy, dx) = offset(&objects[i], y, x);
                dy.abs().max(dx.abs()) * 100 + dy.abs() + dx.abs()
            };
            let best = candidates.iter().copied().min_by_key(distance);
            let (dy, dx) = best.map_or((0, 0), |i| offset(&objects[i], y, x));
            near.push((best, dy, dx));
        }
    }
    let column = |value: &dyn Fn(Option<usize>, i32, i32) -> i32| {
        near.iter().map(|&(o, dy, dx)| value(o, dy, dx).clamp(0, 255) as u8).collect::<Vec<u8>>()
    };
    let signed = |v: i32| v.clamp(-9, 9) + 10;
    sheet.count(1.0, || format!("10 + how far below the {what} it lies"), column(&|_, dy, _| signed(dy)));
    sheet.count(1.0, || format!("10 + how far right of the {what} it lies"), column(&|_, _, dx| signed(dx)));
    sheet.count(1.0, || format!("its distance to the {what}"), column(&|_, dy, dx| dy.abs().max(dx.abs())));
    sheet.count(
        1.0,
        || format!("the number of steps to the {what}"),
        column(&|_, dy, dx| dy.abs() + dx.abs()),
    );
    let aligned = |_: Option<usize>, dy: i32, dx: i32| match (dy, dx) {
        (0, _) => 1,
        (_, 0) => 2,
        _ if dy.abs() == dx.abs() => 3,
        _ => 0,
    };
    sheet.column(
        Kind::Code,
        1.0,
        || format!("how it is aligned with the {what} (1 row, 2 column, 3 diagonal)"),
        column(&aligned),
    );
    let odd = |_: Option<usize>, dy: i32, dx: i32| dy.abs().max(dx.abs()) % 2;
    sheet.flag(1.0, || format!("its distance to the {what} is odd"), column(&odd));
    sheet.count(1.0, || format!("the number of columns to the {what}"), column(&|_, _, dx| dx.abs()));
    sheet.count(1.0, || format!("the number of rows to the {what}"), column(&|_, dy, _| dy.abs()));
    let ground = i32::from(g.background());
    let color = column(&|o, _, _| o.map_or(ground, |o| objects[o].color.into()));
    sheet.color(1.0, || format!("the colour of the {what}"), color);
    for id in [
        ObjectFeature::Size,
        ObjectFeature::Largest,
        ObjectFeature::Smallest,
        ObjectFeature::Holes,
        ObjectFeature::FillsBox,
        ObjectFeature::Square,
    ] {
        let feature = id.feature();
        let values = column(&|o, _, _| o.map_or(NO_OBJECT, |o| features[o][id.index()]).into());
        let words = || format!("of the {what}: {}", feature.words);
        sheet.column(feature.kind, feature.weight, words, values);
    }
}
