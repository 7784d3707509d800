//! Ways to divide an image into objects.

use super::Object;
use crate::code::{Code, Expr};
use crate::image::{Direction, Image, most_frequent};

/// Which cells belong to one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reading {
    /// The colour that belongs to no object.
    pub ground: Option<u8>,
    pub diagonal: bool,
    /// Whether an object has one colour only.
    pub one_color: bool,
}

/// The objects of an image in reading order, and for every cell the object that holds it.
pub(crate) fn components(image: &Image, reading: Reading) -> (Vec<Object>, Vec<Option<u32>>) {
    let mut owner = vec![None; image.area()];
    let mut objects = Vec::new();
    let directions = if reading.diagonal { &Direction::ALL[..] } else { &Direction::STRAIGHT[..] };
    let mut stack = Vec::new();
    for start in 0..image.area() {
        if owner[start].is_some() || Some(image.cells[start]) == reading.ground {
            continue;
        }
        let name = Some(objects.len() as u32);
        owner[start] = name;
        stack.push(start);
        let mut cells = Vec::new();
        while let Some(place) = stack.pop() {
            let (y, x) = (place / image.w, place % image.w);
            cells.push((y, x));
            for direction in directions {
                let (ny, nx) = direction.from(y, x);
                let color = image.get(ny, nx);
                if color > 9 {
                    continue;
                }
                let next = ny as usize * image.w + nx as usize;
                let joins = !reading.one_color || color == image.cells[start];
                if owner[next].is_none() && Some(color) != reading.ground && joins {
                    owner[next] = name;
                    stack.push(next);
                }
            }
        }
        objects.push(object_of(image, cells));
    }
    (objects, owner)
}

fn object_of(image: &Image, mut cells: Vec<(usize, usize)>) -> Object {
    cells.sort_unstable();
    let (y0, y1) = (cells[0].0, cells[cells.len() - 1].0);
    let (x0, x1) = cells.iter().fold((usize::MAX, 0), |(x0, x1), &(_, x)| (x0.min(x), x1.max(x)));
    let mut object = Object { cells, y0, x0, y1, x1, color: 0 };
    object.color = most_frequent(&object.counts(image), |_| true).unwrap_or(0);
    object
}

/// A way to divide an image into objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) enum Segmentation {
    /// One colour, connected by edges.
    Mono4,
    /// One colour, corners connect too.
    Mono8,
    /// Many colours, corners connect.
    Multi8,
    /// One colour, connected by edges, the background in pieces too.
    Everything4,
    /// Many colours, connected by edges.
    Multi4,
    /// All cells of a colour.
    ByColor,
    /// One colour on the most frequent one.
    MonoOnMajority,
    /// Many colours on the most frequent one.
    MultiOnMajority,
}

impl Segmentation {
    pub(crate) fn objects(self, image: &Image) -> Vec<Object> {
        let ground = image.background();
        let find = |ground: Option<u8>, diagonal: bool, one_color: bool| {
            components(image, Reading { ground, diagonal, one_color }).0
        };
        match self {
            Segmentation::Mono4 => find(Some(ground), false, true),
            Segmentation::Mono8 => find(Some(ground), true, true),
            Segmentation::Multi8 => find(Some(ground), true, false),
            Segmentation::Everything4 => find(None, false, true),
            Segmentation::Multi4 => find(Some(ground), false, false),
            Segmentation::MonoOnMajority => find(Some(image.majority()), true, true),
            Segmentation::MultiOnMajority => find(Some(image.majority()), true, false),
            Segmentation::ByColor => {
                image.colors_but(ground).into_iter().filter_map(|c| Object::of_color(image, c)).collect()
            }
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Segmentation::Mono4 => "one-colour objects joined by edges",
            Segmentation::Mono8 => "one-colour objects",
            Segmentation::Multi8 => "objects of many colours",
            Segmentation::Everything4 => "regions, the background's too",
            Segmentation::Multi4 => "objects of many colours joined by edges",
            Segmentation::ByColor => "all cells of a colour taken together",
            Segmentation::MonoOnMajority => "one-colour objects on the commonest colour",
            Segmentation::MultiOnMajority => "objects of many colours on the commonest colour",
        }
    }
}

impl Segmentation {
    /// The objects of a grid in the language.
    pub(crate) fn code(self, code: &mut Code, grid: &Expr) -> Option<Expr> {
        let (one_color, diagonal) = match self {
            Segmentation::Mono4 => ("T", "F"),
            Segmentation::Mono8 => ("T", "T"),
            Segmentation::Multi8 => ("F", "T"),
            Segmentation::Multi4 => ("F", "F"),
            Segmentation::Everything4 => return Some(code.line(format!("objects({grid}, T, F, F)"))),
            Segmentation::MonoOnMajority => return Some(code.line(format!("objects({grid}, T, T, T)"))),
            Segmentation::MultiOnMajority => return Some(code.line(format!("objects({grid}, F, T, T)"))),
            Segmentation::ByColor if code.is_exact() => {
                let background = code.background(grid);
                let all = code.line(format!("partition({grid})"));
                return Some(
                    code.line(format!("sfilter({all}, compose(flip, matcher(color, {background})))")),
                );
            }
            Segmentation::ByColor => return Some(code.line(format!("fgpartition({grid})"))),
        };
        if !code.is_exact() {
            return Some(code.line(format!("objects({grid}, {one_color}, {diagonal}, T)")));
        }
        let background = code.background(grid);
        if one_color == "T" {
            let all = code.line(format!("objects({grid}, T, {diagonal}, F)"));
            return Some(code.line(format!("sfilter({all}, compose(flip, matcher(color, {background})))")));
        }
        // Objects of many colours need arc-dsl's background, the commonest colour.
        Some(code.line(format!("objects({grid}, F, {diagonal}, T)")))
    }
}

/// The regions of an image, joined at corners too; see [`components`].
pub(crate) fn regions8(image: &Image) -> (Vec<Object>, Vec<Option<u32>>) {
    components(image, Reading { ground: None, diagonal: true, one_color: true })
}
