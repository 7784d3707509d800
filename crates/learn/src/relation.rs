//! What can be said of an object among the others.

use crate::feature::{Feature, code, color, count, flag};
use crate::image::{DIRECTIONS, Image, OUTSIDE, cap, least_frequent, most_frequent};
use crate::object::{OBJECT_FEATURES, Object, canonical, holes, object_features};
use crate::rows::named;
use crate::view::direction_to;

/// The value of a direction where there is none.
const NO_DIRECTION: u8 = 9;

pub(crate) const RELATIONS: [Feature; 24] = [
    color("the colour seen to the east of it", 0.85),
    color("the colour seen to the south of it", 0.85),
    color("the colour seen to the west of it", 0.85),
    color("the colour seen to the north of it", 0.85),
    color("the colour seen to the south-east of it", 0.85),
    color("the colour seen to the south-west of it", 0.85),
    color("the colour seen to the north-west of it", 0.85),
    color("the colour seen to the north-east of it", 0.85),
    count("the number of times it sees its own colour", 0.95),
    code("the nearest side of the image", 0.95),
    code("the farthest side of the image", 0.95),
    code("its open side", 0.95),
    code("the side of its rarest colour", 0.95),
    count("the number of objects inside its box", 0.95),
    count("the number of objects equal to it up to turning", 0.95),
    code("the direction of the nearest object of another colour", 0.95),
    code("the direction of the nearest object of its colour", 0.95),
    count("the number of objects in its rows or columns", 0.95),
    flag("it is a horizontal line", 0.95),
    flag("it is a vertical line", 0.95),
    flag("it is a single cell", 0.95),
    count("its number of ends", 0.95),
    count("its number of junctions", 0.95),
    count("its number of corners", 0.95),
];

/// The features of objects with their relations.
pub(crate) fn related_features() -> Vec<Feature<String>> {
    let mut features = named(&OBJECT_FEATURES);
    features.extend(named(&RELATIONS));
    features
}

/// The values of [`related_features`].
pub(crate) fn related(image: &Image, objects: &[Object]) -> Vec<Vec<u8>> {
    let ground = image.background();
    let mut values = object_features(image, objects, ground);
    let shapes: Vec<Image> =
        if objects.len() <= 30 { objects.iter().map(|o| canonical(&o.mask())).collect() } else { Vec::new() };
    for (i, row) in values.iter_mut().enumerate() {
        row.extend(relations(image, objects, i, ground, &shapes));
    }
    values
}

fn relations(image: &Image, objects: &[Object], i: usize, ground: u8, shapes: &[Image]) -> Vec<u8> {
    let o = &objects[i];
    let others = || objects.iter().enumerate().filter(move |(k, _)| *k != i).map(|(_, other)| other);
    let mut values: Vec<u8> = DIRECTIONS.iter().map(|&d| seen(image, o, d, ground, false)).collect();
    values.push(values.iter().filter(|&&c| c == o.color).count() as u8);
    let room = room(image, o);
    values.push((0..4).min_by_key(|&side| room[side]).unwrap_or(0) as u8);
    values.push((0..4).rev().max_by_key(|&side| room[side]).unwrap_or(0) as u8);
    let direction = |d: Option<usize>| d.map_or(NO_DIRECTION, |d| d as u8);
    values.push(direction(open_side(o)));
    values.push(direction(minor_side(image, o)));
    values.push(cap(others().filter(|p| o.box_holds(p)).count()));
    let twins = (0..shapes.len()).filter(|&k| k != i && shapes[k] == shapes[i]).count();
    values.push(cap(twins));
    values.push(direction(nearest_direction(objects, i, false)));
    values.push(direction(nearest_direction(objects, i, true)));
    values.push(cap(others().filter(|p| o.shares_rows(p) || o.shares_columns(p)).count()));
    values.push(u8::from(o.h() == 1 && o.w() > 1));
    values.push(u8::from(o.w() == 1 && o.h() > 1));
    values.push(u8::from(o.size() == 1));
    values.extend(ends_junctions_corners(&o.mask()));
    values
}

/// The first colour, or the last one, beyond an object's box on the line through its middle.
pub(crate) fn seen(image: &Image, o: &Object, (dy, dx): (i32, i32), ground: u8, last: bool) -> u8 {
    let (mut y, mut x) = (((o.y0 + o.y1) / 2) as i32, ((o.x0 + o.x1) / 2) as i32);
    let mut found = OUTSIDE;
    loop {
        y += dy;
        x += dx;
        let color = image.get(y, x);
        if color == OUTSIDE {
            return found;
        }
        let inside = y >= o.y0 as i32 && y <= o.y1 as i32 && x >= o.x0 as i32 && x <= o.x1 as i32;
        if !inside && color != ground {
            found = color;
            if !last {
                return found;
            }
        }
    }
}

/// The free cells to the four sides: east, south, west, north.
pub(crate) fn room(image: &Image, o: &Object) -> [usize; 4] {
    [image.w - 1 - o.x1, image.h - 1 - o.y1, o.x0, o.y0]
}

/// The direction of the nearest object in the same rows or columns, of the same colour or of another.
pub(crate) fn nearest_direction(objects: &[Object], i: usize, same_color: bool) -> Option<usize> {
    let o = &objects[i];
    let others = objects.iter().enumerate().filter(|(k, p)| *k != i && (p.color == o.color) == same_color);
    let gaps = others.filter_map(|(_, p)| {
        let direction = direction_to(o, p)?;
        let gap = match direction {
            0 => p.x0 - o.x1,
            1 => p.y0 - o.y1,
            2 => o.x0 - p.x1,
            _ => o.y0 - p.y1,
        };
        Some((gap, direction))
    });
    gaps.min_by_key(|&(gap, _)| gap).map(|(_, direction)| direction)
}

/// The only side of its box that an object leaves open but for its ends, or for one cell.
pub(crate) fn open_side(o: &Object) -> Option<usize> {
    let mask = o.mask();
    let empty = |cells: &mut dyn Iterator<Item = u8>| cells.filter(|&c| c == 0).count();
    let sides = [
        empty(&mut (0..mask.h).map(|y| mask.at(y, mask.w - 1))),
        empty(&mut (0..mask.w).map(|x| mask.at(mask.h - 1, x))),
        empty(&mut (0..mask.h).map(|y| mask.at(y, 0))),
        empty(&mut (0..mask.w).map(|x| mask.at(0, x))),
    ];
    let open = |&side: &usize| {
        let length = if side % 2 == 0 { mask.h } else { mask.w };
        length > 2 && (sides[side] == length - 2 || sides[side] == 1)
    };
    let mut found = (0..4).filter(open);
    found.next().filter(|_| found.next().is_none())
}

/// The side of an object on which its rarest colour lies.
pub(crate) fn minor_side(image: &Image, o: &Object) -> Option<usize> {
    let minor = least_frequent(&o.counts(image), |c| c != o.color)?;
    let cells: Vec<_> = o.cells.iter().filter(|&&(y, x)| image.at(y, x) == minor).collect();
    let n = cells.len() as i32;
    let dy = cells.iter().map(|c| 2 * c.0 as i32).sum::<i32>() / n - (o.y0 + o.y1) as i32;
    let dx = cells.iter().map(|c| 2 * c.1 as i32).sum::<i32>() / n - (o.x0 + o.x1) as i32;
    match (dy, dx) {
        (0, 0) => None,
        _ if dx.abs() > dy.abs() => Some(if dx > 0 { 0 } else { 2 }),
        _ => Some(if dy > 0 { 1 } else { 3 }),
    }
}

fn ends_junctions_corners(mask: &Image) -> [u8; 3] {
    let mut found = [0usize; 3];
    let on = |y: i32, x: i32| mask.get(y, x) == 1;
    for y in 0..mask.h as i32 {
        for x in (0..mask.w as i32).filter(|&x| on(y, x)) {
            let straight = (on(y - 1, x) && on(y + 1, x)) || (on(y, x - 1) && on(y, x + 1));
            match DIRECTIONS[..4].iter().filter(|d| on(y + d.0, x + d.1)).count() {
                1 => found[0] += 1,
                2 if !straight => found[2] += 1,
                3 | 4 => found[1] += 1,
                _ => {}
            }
        }
    }
    found.map(cap)
}

/// The colours an object may copy, with their names.
pub(crate) const COPIES: [&str; 12] = [
    "the commonest colour",
    "the rarest colour",
    "the colour of the largest object",
    "the colour of the smallest object",
    "the colour of the nearest object of another colour",
    "the colour of the nearest single cell",
    "the colour of the other object of its shape",
    "the other colour in its rows",
    "the other colour in its columns",
    "the colour of the object inside it",
    "its rarest colour",
    "its main colour",
];

pub(crate) fn copies(image: &Image, objects: &[Object], i: usize, ground: u8) -> Vec<u8> {
    let counts = image.counts();
    let o = &objects[i];
    let others = || objects.iter().enumerate().filter(move |(k, _)| *k != i).map(|(_, other)| other);
    let distance = |p: &&Object| {
        let gap = |a0: usize, a1: usize, b0: usize, b1: usize| {
            (b0 as i32 - a1 as i32).max(a0 as i32 - b1 as i32).max(0)
        };
        gap(o.y0, o.y1, p.y0, p.y1) + gap(o.x0, o.x1, p.x0, p.x1)
    };
    let color = |p: Option<&Object>| p.map_or(o.color, |p| p.color);
    let mask = o.mask();
    let differs = |p: &&Object| p.color != o.color;
    vec![
        most_frequent(&counts, |c| c != ground).unwrap_or(ground),
        least_frequent(&counts, |c| c != ground).unwrap_or(0),
        objects.iter().max_by_key(|p| p.size()).map_or(0, |p| p.color),
        objects.iter().min_by_key(|p| p.size()).map_or(0, |p| p.color),
        color(others().filter(differs).min_by_key(distance)),
        color(others().filter(|p| p.size() == 1).min_by_key(distance)),
        color(others().filter(differs).find(|p| p.size() == o.size() && p.mask() == mask)),
        color(others().filter(differs).find(|p| o.shares_rows(p))),
        color(others().filter(differs).find(|p| o.shares_columns(p))),
        color(others().find(|p| o.box_holds(p))),
        least_frequent(&o.counts(image), |_| true).unwrap_or(o.color),
        o.color,
    ]
}

pub(crate) const RELATED_COPIES: [&str; 18] = [
    "the colour of the object equal to it up to turning",
    "the colour of the object equal to it up to scale",
    "the colour of the object equal to it up to scale and turning",
    "the colour of the object with as many holes",
    "the colour of the object of its size",
    "the colour of the object with a box of its size",
    "the colour of the object of its height",
    "the colour of the object of its width",
    "the colour seen to the east",
    "the colour seen to the south",
    "the colour seen to the west",
    "the colour seen to the north",
    "the last colour to the east",
    "the last colour to the south",
    "the last colour to the west",
    "the last colour to the north",
    "the colour that touches it",
    "the colour of the smallest box around it",
];

/// The shapes of objects in the forms in which they are compared.
pub(crate) struct Shapes {
    turned: Vec<Image>,
    scaled: Vec<Image>,
    both: Vec<Image>,
    holes: Vec<usize>,
}

impl Shapes {
    pub(crate) fn new(objects: &[Object]) -> Shapes {
        let masks: Vec<Image> = objects.iter().map(Object::mask).collect();
        let scaled: Vec<Image> =
            masks.iter().map(|m| m.scale().map_or_else(|| m.clone(), |k| m.shrunk(k))).collect();
        Shapes {
            turned: masks.iter().map(canonical).collect(),
            both: scaled.iter().map(canonical).collect(),
            scaled,
            holes: masks.iter().map(holes).collect(),
        }
    }
}

pub(crate) fn related_copies(
    image: &Image,
    objects: &[Object],
    i: usize,
    ground: u8,
    shapes: &Shapes,
) -> Vec<u8> {
    let o = &objects[i];
    // Two different candidates are none.
    let only = |alike: &dyn Fn(usize) -> bool| {
        let mut colors = (0..objects.len())
            .filter(|&k| k != i && objects[k].color != o.color && alike(k))
            .map(|k| objects[k].color);
        let first = colors.next();
        first.filter(|first| colors.all(|c| c == *first)).unwrap_or(o.color)
    };
    let mut values = vec![
        only(&|k| shapes.turned[k] == shapes.turned[i]),
        only(&|k| shapes.scaled[k] == shapes.scaled[i]),
        only(&|k| shapes.both[k] == shapes.both[i]),
        only(&|k| shapes.holes[k] == shapes.holes[i] && shapes.holes[i] > 0),
        only(&|k| objects[k].size() == o.size()),
        only(&|k| objects[k].h() == o.h() && objects[k].w() == o.w()),
        only(&|k| objects[k].h() == o.h()),
        only(&|k| objects[k].w() == o.w()),
    ];
    for last in [false, true] {
        for &d in &DIRECTIONS[..4] {
            values.push(match seen(image, o, d, ground, last) {
                OUTSIDE => o.color,
                color => color,
            });
        }
    }
    let mut touching = [0usize; 10];
    for &(y, x) in &o.cells {
        for d in DIRECTIONS {
            let color = image.get(y as i32 + d.0, x as i32 + d.1);
            if color != OUTSIDE && color != ground && color != o.color {
                touching[usize::from(color)] += 1;
            }
        }
    }
    values.push(most_frequent(&touching, |_| true).unwrap_or(o.color));
    let around = objects.iter().enumerate().filter(|(k, p)| *k != i && p.box_holds(o));
    values.push(around.min_by_key(|(_, p)| p.h() * p.w()).map_or(o.color, |(_, p)| p.color));
    values
}
