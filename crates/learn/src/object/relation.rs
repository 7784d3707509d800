//! Relations of an object to the other objects and to the image.

use super::feature::{Crowd, ObjectFeature};
use super::{Object, canonical};
use crate::feature::{Feature, features};
use crate::image::{Direction, Image, OUTSIDE, cap, least_frequent};

/// The value of a direction if there is none.
const NO_DIRECTION: u8 = 9;
/// Above this number of objects, shapes are not compared up to turning.
const MAX_TURNED_SHAPES: usize = 30;

/// An object among others, with what several relations ask for.
pub(crate) struct Neighborhood<'a> {
    image: &'a Image,
    objects: &'a [Object],
    i: usize,
    background: u8,
    /// The shapes of all objects up to turning; empty if there are too many.
    shapes: &'a [Image],
    ends: [u8; 3],
}

impl<'a> Neighborhood<'a> {
    fn object(&self) -> &'a Object {
        &self.objects[self.i]
    }

    fn others(&self) -> impl Iterator<Item = &'a Object> {
        let i = self.i;
        self.objects.iter().enumerate().filter(move |(k, _)| *k != i).map(|(_, other)| other)
    }

    /// The first colour seen from the object.
    fn seen(&self, direction: Direction) -> u8 {
        seen(self.image, self.object(), direction, self.background, false)
    }
}

fn number_of(direction: Option<Direction>) -> u8 {
    direction.map_or(NO_DIRECTION, |direction| direction as u8)
}

features! {
    /// A relation of an object. Directions are numbered clockwise from the east: 0 to 3.
    Relation(near: &Neighborhood<'_>) {
        SeenEast: Color 0.85, "the colour seen to the east of it", near.seen(Direction::East);
        SeenSouth: Color 0.85, "the colour seen to the south of it", near.seen(Direction::South);
        SeenWest: Color 0.85, "the colour seen to the west of it", near.seen(Direction::West);
        SeenNorth: Color 0.85, "the colour seen to the north of it", near.seen(Direction::North);
        SeenSouthEast: Color 0.85, "the colour seen to the south-east of it", near.seen(Direction::SouthEast);
        SeenSouthWest: Color 0.85, "the colour seen to the south-west of it", near.seen(Direction::SouthWest);
        SeenNorthWest: Color 0.85, "the colour seen to the north-west of it", near.seen(Direction::NorthWest);
        SeenNorthEast: Color 0.85, "the colour seen to the north-east of it", near.seen(Direction::NorthEast);
        SeesOwnColor: Count 0.95, "the number of times it sees its own colour",
            Direction::ALL.iter().filter(|&&direction| near.seen(direction) == near.object().color).count() as u8;
        NearestSide: Code 0.95, "the nearest side of the image",
            number_of(closest_border(near.image, near.object()));
        FarthestSide: Code 0.95, "the farthest side of the image",
            number_of(Direction::STRAIGHT.into_iter().rev().max_by_key(|side| room(near.image, near.object(), *side)));
        OpenSide: Code 0.95, "its open side", number_of(open_side(near.object()));
        MinorSide: Code 0.95, "the side of its rarest colour", number_of(minor_side(near.image, near.object()));
        Holds: Count 0.95, "the number of objects inside its box",
            cap(near.others().filter(|other| near.object().box_holds(other)).count());
        Twins: Count 0.95, "the number of objects equal to it up to turning",
            cap((0..near.shapes.len()).filter(|&k| k != near.i && near.shapes[k] == near.shapes[near.i]).count());
        TowardsOther: Code 0.95, "the direction of the nearest object of another colour",
            number_of(nearest_direction(near.objects, near.i, false));
        TowardsAlike: Code 0.95, "the direction of the nearest object of its colour",
            number_of(nearest_direction(near.objects, near.i, true));
        InLine: Count 0.95, "the number of objects in its rows or columns",
            cap(near.others().filter(|p| near.object().shares_rows(p) || near.object().shares_columns(p)).count());
        HorizontalLine: Flag 0.95, "it is a horizontal line",
            u8::from(near.object().h() == 1 && near.object().w() > 1);
        VerticalLine: Flag 0.95, "it is a vertical line",
            u8::from(near.object().w() == 1 && near.object().h() > 1);
        SingleCell: Flag 0.95, "it is a single cell", u8::from(near.object().size() == 1);
        Ends: Count 0.95, "its number of ends", near.ends[0];
        Junctions: Count 0.95, "its number of junctions", near.ends[1];
        Corners: Count 0.95, "its number of corners", near.ends[2];
    }
}

/// A feature of an object, or one of its relations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectOrRelation {
    Object(ObjectFeature),
    Relation(Relation),
}

impl ObjectOrRelation {
    /// The place of its value in the rows of [`related`].
    pub(crate) fn index(self) -> usize {
        match self {
            ObjectOrRelation::Object(feature) => feature.index(),
            ObjectOrRelation::Relation(relation) => ObjectFeature::ALL.len() + relation.index(),
        }
    }
}

/// All features of objects and relations with their descriptions.
pub(crate) fn related_features() -> Vec<(ObjectOrRelation, Feature)> {
    let own = ObjectFeature::ALL.iter().map(|&f| (ObjectOrRelation::Object(f), f.feature()));
    let relations = Relation::ALL.iter().map(|&f| (ObjectOrRelation::Relation(f), f.feature()));
    own.chain(relations).collect()
}

/// The values of [`related_features`] for every object.
pub(crate) fn related(image: &Image, objects: &[Object]) -> Vec<Vec<u8>> {
    let background = image.background();
    let mut values = Crowd::new(image, objects, background).values();
    let shapes: Vec<Image> = if objects.len() <= MAX_TURNED_SHAPES {
        objects.iter().map(|object| canonical(&object.mask())).collect()
    } else {
        Vec::new()
    };
    for (i, row) in values.iter_mut().enumerate() {
        let ends = ends_junctions_corners(&objects[i].mask());
        let near = Neighborhood { image, objects, i, background, shapes: &shapes, ends };
        row.extend(Relation::ALL.iter().map(|relation| relation.value(&near)));
    }
    values
}

/// The first colour, or the last one, beyond an object's box on the line through its middle.
pub(crate) fn seen(image: &Image, o: &Object, direction: Direction, ground: u8, last: bool) -> u8 {
    let (dy, dx) = direction.step();
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

/// The number of free cells between an object and a side of the image.
pub(crate) fn room(image: &Image, o: &Object, side: Direction) -> usize {
    match side {
        Direction::East => image.w - 1 - o.x1,
        Direction::South => image.h - 1 - o.y1,
        Direction::West => o.x0,
        _ => o.y0,
    }
}

/// The side of the image that is closest to an object.
pub(crate) fn closest_border(image: &Image, o: &Object) -> Option<Direction> {
    Direction::STRAIGHT.into_iter().min_by_key(|side| room(image, o, *side))
}

/// The direction straight from one object to another, if they share rows or columns.
pub(crate) fn direction_to(from: &Object, to: &Object) -> Option<Direction> {
    if from.shares_rows(to) {
        if to.x0 > from.x1 {
            return Some(Direction::East);
        } else if to.x1 < from.x0 {
            return Some(Direction::West);
        }
    }
    if from.shares_columns(to) {
        if to.y0 > from.y1 {
            return Some(Direction::South);
        } else if to.y1 < from.y0 {
            return Some(Direction::North);
        }
    }
    None
}

/// The direction of the nearest object in the same rows or columns, of the same colour or of another.
pub(crate) fn nearest_direction(objects: &[Object], i: usize, same_color: bool) -> Option<Direction> {
    let o = &objects[i];
    let others = objects.iter().enumerate().filter(|(k, p)| *k != i && (p.color == o.color) == same_color);
    let gaps = others.filter_map(|(_, p)| {
        let direction = direction_to(o, p)?;
        let gap = match direction {
            Direction::East => p.x0 - o.x1,
            Direction::South => p.y0 - o.y1,
            Direction::West => o.x0 - p.x1,
            _ => o.y0 - p.y1,
        };
        Some((gap, direction))
    });
    gaps.min_by_key(|&(gap, _)| gap).map(|(_, direction)| direction)
}

/// The only side of its box that an object leaves open but for its ends, or for one cell.
pub(crate) fn open_side(o: &Object) -> Option<Direction> {
    let mask = o.mask();
    let empty = |cells: &mut dyn Iterator<Item = u8>| cells.filter(|&c| c == 0).count();
    let missing = |side: Direction| match side {
        Direction::East => empty(&mut (0..mask.h).map(|y| mask.at(y, mask.w - 1))),
        Direction::South => empty(&mut (0..mask.w).map(|x| mask.at(mask.h - 1, x))),
        Direction::West => empty(&mut (0..mask.h).map(|y| mask.at(y, 0))),
        _ => empty(&mut (0..mask.w).map(|x| mask.at(0, x))),
    };
    let open = |&side: &Direction| {
        let vertical = matches!(side, Direction::East | Direction::West);
        let length = if vertical { mask.h } else { mask.w };
        length > 2 && (missing(side) == length - 2 || missing(side) == 1)
    };
    let mut found = Direction::STRAIGHT.into_iter().filter(open);
    found.next().filter(|_| found.next().is_none())
}

/// The side of an object on which its rarest colour lies.
pub(crate) fn minor_side(image: &Image, o: &Object) -> Option<Direction> {
    let minor = least_frequent(&o.counts(image), |c| c != o.color)?;
    let cells: Vec<_> = o.cells.iter().filter(|&&(y, x)| image.at(y, x) == minor).collect();
    let n = cells.len() as i32;
    let dy = cells.iter().map(|c| 2 * c.0 as i32).sum::<i32>() / n - (o.y0 + o.y1) as i32;
    let dx = cells.iter().map(|c| 2 * c.1 as i32).sum::<i32>() / n - (o.x0 + o.x1) as i32;
    match (dy, dx) {
        (0, 0) => None,
        _ if dx.abs() > dy.abs() => Some(if dx > 0 { Direction::East } else { Direction::West }),
        _ => Some(if dy > 0 { Direction::South } else { Direction::North }),
    }
}

fn ends_junctions_corners(mask: &Image) -> [u8; 3] {
    let mut found = [0usize; 3];
    let on = |y: i32, x: i32| mask.get(y, x) == 1;
    for y in 0..mask.h as i32 {
        for x in (0..mask.w as i32).filter(|&x| on(y, x)) {
            let straight = (on(y - 1, x) && on(y + 1, x)) || (on(y, x - 1) && on(y, x + 1));
            match Direction::STRAIGHT.iter().map(|d| d.step()).filter(|d| on(y + d.0, x + d.1)).count() {
                1 => found[0] += 1,
                2 if !straight => found[2] += 1,
                3 | 4 => found[1] += 1,
                _ => {}
            }
        }
    }
    found.map(cap)
}
