//! The actions of objects that draw, and the cells they paint.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::HashSet;

use crate::image::Direction::{self, East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};
use crate::image::{Image, MAX_SIDE, OUTSIDE};
use crate::object::{Object, closest_border, minor_side, nearest_direction, open_side};
use crate::option::choices;
use crate::view::shots;

/// The cells that an action paints.
pub(super) type Cells = Vec<(usize, usize)>;

/// A drawing of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    Nothing,
    Rays(Way, Reach),
    Figure(Figure),
}

/// The directions of rays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// One of [`SETS`].
    Set(usize),
    TowardsOther,
    AwayFromOther,
    TowardsBorder,
    AwayFromBorder,
    TowardsMinorSideOrOpening,
    AlongLongerSide,
    OutOfEmptyCorner,
}

/// Directions that rays take together.
const SETS: [(&str, &[Direction]); 15] = [
    ("east", &[East]),
    ("south", &[South]),
    ("west", &[West]),
    ("north", &[North]),
    ("south-east", &[SouthEast]),
    ("south-west", &[SouthWest]),
    ("north-west", &[NorthWest]),
    ("north-east", &[NorthEast]),
    ("east and west", &[East, West]),
    ("south and north", &[South, North]),
    ("in four directions", &Direction::STRAIGHT),
    ("along the falling diagonal", &[SouthEast, NorthWest]),
    ("along the rising diagonal", &[SouthWest, NorthEast]),
    ("along both diagonals", &Direction::DIAGONAL),
    ("in eight directions", &Direction::ALL),
];

choices! {
    /// How far rays go.
    Reach {
        Through: "through everything",
        ToObstacle: "up to an obstacle",
        OntoObstacle: "only onto an obstacle",
        /// Straight rays only onto the own colour; diagonal ones bounce.
        OntoOwnColor: "onto its own colour, or bouncing",
    }
}

choices! {
    /// A figure at an object.
    Figure {
        Ring: "a ring around its box",
        RingWithoutCorners: "a ring around its box without corners",
        RingCorners: "the corners around its box",
        Box: "its box filled",
        SecondRing: "a second ring around its box",
        Halo: "a halo",
        EdgeHalo: "a halo along edges",
        Inside: "the inside of its box",
        BoxWithTwin: "the box with the nearest object of its colour",
        OutlineWithTwin: "the outline of the box with the nearest object of its colour",
        PointToTwin: "a point midway to the nearest object of its colour",
        PlusToTwin: "a plus midway to the nearest object of its colour",
        SquareToTwin: "a square midway to the nearest object of its colour",
    }
}

impl Action {
    /// All actions; of equally good ones the first is learned.
    pub(super) fn all() -> Vec<Action> {
        let ways = || {
            (0..SETS.len()).map(Way::Set).chain([
                Way::TowardsOther,
                Way::AwayFromOther,
                Way::TowardsBorder,
                Way::AwayFromBorder,
                Way::TowardsMinorSideOrOpening,
                Way::AlongLongerSide,
                Way::OutOfEmptyCorner,
            ])
        };
        let mut all = vec![Action::Nothing];
        for &reach in Reach::ALL {
            all.extend(ways().map(|way| Action::Rays(way, reach)));
        }
        all.extend(Figure::ALL.iter().copied().map(Action::Figure));
        all
    }

    pub(super) fn words(self) -> String {
        match self {
            Action::Nothing => "nothing".to_owned(),
            Action::Rays(way, reach) => format!("rays {} {}", way.words(), reach.words()),
            Action::Figure(figure) => figure.words().to_owned(),
        }
    }

    /// The function from an object to the cells, in the language.
    pub(super) fn code(self) -> Option<String> {
        match self {
            Action::Rays(Way::Set(k), Reach::Through | Reach::ToObstacle) => {
                Some(format!("compose(lbind(mapply, {}), toindices)", shots(SETS[k].1)))
            }
            Action::Rays(..) | Action::Nothing => None,
            Action::Figure(figure) => figure.code(),
        }
    }
}

impl Way {
    fn words(self) -> &'static str {
        match self {
            Way::Set(k) => SETS[k].0,
            Way::TowardsOther => "towards the nearest object of another colour",
            Way::AwayFromOther => "away from the nearest object of another colour",
            Way::TowardsBorder => "towards the nearest border",
            Way::AwayFromBorder => "away from the nearest border",
            Way::TowardsMinorSideOrOpening => "towards the side of its rarest colour or its opening",
            Way::AlongLongerSide => "along its longer side",
            Way::OutOfEmptyCorner => "out of the only empty corner of its box",
        }
    }
}

impl Figure {
    fn code(self) -> Option<String> {
        Some(match self {
            Figure::Ring => "outbox".to_owned(),
            Figure::RingWithoutCorners => "fork(difference, outbox, compose(corners, outbox))".to_owned(),
            Figure::RingCorners => "compose(corners, outbox)".to_owned(),
            Figure::Box => "backdrop".to_owned(),
            Figure::SecondRing => "compose(outbox, outbox)".to_owned(),
            Figure::Halo => "compose(lbind(mapply, neighbors), toindices)".to_owned(),
            Figure::EdgeHalo => "compose(lbind(mapply, dneighbors), toindices)".to_owned(),
            Figure::Inside => "compose(backdrop, inbox)".to_owned(),
            _ => return None,
        })
    }
}

/// An object that draws.
pub(super) struct Pen<'a> {
    g: &'a Image,
    objects: &'a [Object],
    i: usize,
    own: HashSet<(usize, usize)>,
    background: u8,
    from_middle: bool,
    /// The rays in each direction, made when they are needed.
    rays: [OnceCell<Rays>; 8],
}

/// The rays in one direction by how far they go.
#[derive(Default)]
struct Rays {
    through: Cells,
    to_obstacle: Cells,
    onto_obstacle: Cells,
    onto_own_color: Cells,
}

impl Rays {
    fn reaching(&self, reach: Reach) -> &Cells {
        match reach {
            Reach::Through => &self.through,
            Reach::ToObstacle => &self.to_obstacle,
            Reach::OntoObstacle => &self.onto_obstacle,
            Reach::OntoOwnColor => &self.onto_own_color,
        }
    }
}

impl<'a> Pen<'a> {
    pub(super) fn new(g: &'a Image, objects: &'a [Object], i: usize, from_middle: bool) -> Pen<'a> {
        let own = objects[i].cells.iter().copied().collect();
        Pen { g, objects, i, own, background: g.background(), from_middle, rays: Default::default() }
    }

    fn object(&self) -> &'a Object {
        &self.objects[self.i]
    }

    fn owns(&self, y: i32, x: i32) -> bool {
        y >= 0 && x >= 0 && self.own.contains(&(y as usize, x as usize))
    }

    pub(super) fn cells(&self, action: Action) -> Cells {
        match action {
            Action::Nothing => Vec::new(),
            Action::Rays(way, reach) => {
                let directions = self.directions(way);
                let rays = directions.iter().map(|&direction| self.rays(direction).reaching(reach));
                rays.flatten().copied().collect()
            }
            Action::Figure(figure) => self.figure(figure),
        }
    }

    fn directions(&self, way: Way) -> Vec<Direction> {
        let o = self.object();
        let one = |direction: Option<Direction>| direction.into_iter().collect::<Vec<_>>();
        let other = || nearest_direction(self.objects, self.i, false);
        let border = || closest_border(self.g, o);
        match way {
            Way::Set(k) => SETS[k].1.to_vec(),
            Way::TowardsOther => one(other()),
            Way::AwayFromOther => one(other().map(Direction::opposite)),
            Way::TowardsBorder => one(border()),
            Way::AwayFromBorder => one(border().map(Direction::opposite)),
            Way::TowardsMinorSideOrOpening => one(minor_side(self.g, o).or_else(|| open_side(o))),
            Way::AlongLongerSide => match o.h().cmp(&o.w()) {
                Ordering::Greater => vec![South, North],
                Ordering::Less => vec![East, West],
                Ordering::Equal => Vec::new(),
            },
            Way::OutOfEmptyCorner => {
                let empty = |direction: &Direction| !self.own.contains(&self.corner(*direction));
                let corners: Vec<Direction> = Direction::DIAGONAL.into_iter().filter(empty).collect();
                if corners.len() == 1 { corners } else { Vec::new() }
            }
        }
    }

    /// The corner of the box in a diagonal direction.
    fn corner(&self, direction: Direction) -> (usize, usize) {
        let ((dy, dx), o) = (direction.step(), self.object());
        (if dy > 0 { o.y1 } else { o.y0 }, if dx > 0 { o.x1 } else { o.x0 })
    }

    /// The rays of the object in one direction.
    fn rays(&self, direction: Direction) -> &Rays {
        self.rays[direction as usize].get_or_init(|| self.make_rays(direction))
    }

    fn make_rays(&self, direction: Direction) -> Rays {
        let ((dy, dx), o) = (direction.step(), self.object());
        let starts: Vec<(usize, usize)> = if direction.is_diagonal() {
            vec![self.corner(direction)]
        } else {
            let sideways = matches!(direction, East | West);
            let boundary = o.cells.iter().copied().filter(|&(y, x)| !self.owns(y as i32 + dy, x as i32 + dx));
            let middle = |&(y, x): &(usize, usize)| {
                !self.from_middle || if sideways { 2 * y == o.y0 + o.y1 } else { 2 * x == o.x0 + o.x1 }
            };
            boundary.filter(middle).collect()
        };
        let mut rays = Rays::default();
        for (y, x) in starts {
            let start = (y as i32, x as i32);
            let (path, stop) = self.path(start, (dy, dx));
            let near = &path[..stop.map_or(path.len(), |stop| stop.after)];
            rays.to_obstacle.extend_from_slice(near);
            if stop.is_some_and(|stop| stop.color.is_some()) {
                rays.onto_obstacle.extend_from_slice(near);
            }
            if direction.is_diagonal() {
                rays.onto_own_color.extend(self.bouncing(start, (dy, dx)));
            } else if stop.is_some_and(|stop| stop.color.is_none_or(|color| color == o.color)) {
                rays.onto_own_color.extend_from_slice(near);
            }
            rays.through.extend(path);
        }
        rays
    }

    /// The background cells from a place to the border, and the first obstacle.
    fn path(&self, (y, x): (i32, i32), (dy, dx): (i32, i32)) -> (Cells, Option<Stop>) {
        let mut path = Vec::new();
        let mut stop = None;
        let (mut ny, mut nx) = (y + dy, x + dx);
        loop {
            let color = self.g.get(ny, nx);
            if color == OUTSIDE {
                return (path, stop);
            }
            if self.owns(ny, nx) || color != self.background {
                let color = (!self.owns(ny, nx)).then_some(color);
                stop = stop.or(Some(Stop { after: path.len(), color }));
            } else {
                path.push((ny as usize, nx as usize));
            }
            ny += dy;
            nx += dx;
        }
    }

    /// A diagonal ray that bounces off the side walls.
    fn bouncing(&self, (mut y, mut x): (i32, i32), (dy, mut dx): (i32, i32)) -> Cells {
        let mut path = Vec::new();
        for _ in 0..2 * MAX_SIDE {
            if self.g.get(y + dy, x) == OUTSIDE {
                break;
            }
            if self.g.get(y, x + dx) == OUTSIDE {
                dx = -dx;
            }
            y += dy;
            x += dx;
            if self.g.get(y, x) != self.background {
                break;
            }
            path.push((y as usize, x as usize));
        }
        path
    }

    fn figure(&self, figure: Figure) -> Cells {
        let o = self.object();
        let (y0, x0, y1, x1) = (o.y0 as i32, o.x0 as i32, o.y1 as i32, o.x1 as i32);
        let pick = |reach: i32, wanted: &dyn Fn(i32, i32) -> bool| -> Cells {
            let places =
                (y0 - reach..=y1 + reach).flat_map(|y| (x0 - reach..=x1 + reach).map(move |x| (y, x)));
            let free = places.filter(|&(y, x)| self.g.get(y, x) == self.background && wanted(y, x));
            free.map(|(y, x)| (y as usize, x as usize)).collect()
        };
        let beyond = |y: i32, x: i32| (y0 - y).max(y - y1).max(x0 - x).max(x - x1).max(0);
        let beside = |y: i32, x: i32| (y0..=y1).contains(&y) || (x0..=x1).contains(&x);
        let near = |y: i32, x: i32, directions: &[Direction]| {
            directions.iter().map(|d| d.step()).any(|(dy, dx)| self.owns(y + dy, x + dx))
        };
        match figure {
            Figure::Ring => pick(1, &|y, x| beyond(y, x) == 1),
            Figure::RingWithoutCorners => pick(1, &|y, x| beyond(y, x) == 1 && beside(y, x)),
            Figure::RingCorners => pick(1, &|y, x| beyond(y, x) == 1 && !beside(y, x)),
            Figure::Box => pick(0, &|_, _| true),
            Figure::SecondRing => pick(2, &|y, x| beyond(y, x) == 2),
            Figure::Halo => pick(1, &|y, x| near(y, x, &Direction::ALL)),
            Figure::EdgeHalo => pick(1, &|y, x| near(y, x, &Direction::STRAIGHT)),
            Figure::Inside => pick(0, &|y, x| y > y0 && y < y1 && x > x0 && x < x1),
            Figure::BoxWithTwin => self.spanned(false),
            Figure::OutlineWithTwin => self.spanned(true),
            Figure::PointToTwin => self.midway(|dy, dx| (dy, dx) == (0, 0)),
            Figure::PlusToTwin => self.midway(|dy, dx| dy * dx == 0),
            Figure::SquareToTwin => self.midway(|_, _| true),
        }
    }

    /// The nearest other object of its colour.
    fn twin(&self) -> Option<&'a Object> {
        let o = self.object();
        let alike = self.objects.iter().enumerate().filter(|(k, p)| *k != self.i && p.color == o.color);
        alike.min_by_key(|(_, p)| p.y0.abs_diff(o.y0) + p.x0.abs_diff(o.x0)).map(|(_, p)| p)
    }

    /// The box that holds the object and its twin, or the outline of that box.
    fn spanned(&self, edge_only: bool) -> Cells {
        let (o, Some(p)) = (self.object(), self.twin()) else { return Vec::new() };
        let (a, b, c, d) = (o.y0.min(p.y0), o.x0.min(p.x0), o.y1.max(p.y1), o.x1.max(p.x1));
        let places = (a..=c).flat_map(|y| (b..=d).map(move |x| (y, x)));
        let on_edge = |y: usize, x: usize| y == a || y == c || x == b || x == d;
        places.filter(|&(y, x)| self.g.at(y, x) == self.background && (!edge_only || on_edge(y, x))).collect()
    }

    /// A figure of up to 3×3 cells midway between the object and its twin.
    fn midway(&self, inside: impl Fn(i32, i32) -> bool) -> Cells {
        let (o, Some(p)) = (self.object(), self.twin()) else { return Vec::new() };
        if !(o.y0 + p.y0).is_multiple_of(2) || !(o.x0 + p.x0).is_multiple_of(2) {
            return Vec::new();
        }
        let (y, x) = (((o.y0 + p.y0) / 2) as i32, ((o.x0 + p.x0) / 2) as i32);
        let around = (-1i32..=1).flat_map(|dy| (-1i32..=1).map(move |dx| (dy, dx)));
        let free = around.filter(|&(dy, dx)| inside(dy, dx) && self.g.get(y + dy, x + dx) == self.background);
        free.map(|(dy, dx)| ((y + dy) as usize, (x + dx) as usize)).collect()
    }
}

/// The first obstacle of a ray: the number of cells before it, and its colour, none for the object itself.
#[derive(Clone, Copy)]
struct Stop {
    after: usize,
    color: Option<u8>,
}
