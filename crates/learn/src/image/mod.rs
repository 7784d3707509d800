//! The working form of a grid: bytes, colours 0 to 9.

mod color;
mod direction;
mod symmetry;

use batt_value::{Arena, Fail, Value};

pub(crate) use color::{ColorMap, color_constant, color_name, least_frequent, most_frequent};
pub(crate) use direction::Direction;
pub(crate) use symmetry::Symmetry;

/// Learners work on grids of at most this many rows and columns.
pub const MAX_SIDE: usize = 30;
/// The colour of cells beyond the border.
pub(crate) const OUTSIDE: u8 = 10;

/// A rectangle of colours.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Image {
    pub h: usize,
    pub w: usize,
    pub cells: Vec<u8>,
}

/// A rectangle inside an image: first row, first column, height, width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Area {
    pub y: usize,
    pub x: usize,
    pub h: usize,
    pub w: usize,
}

impl Image {
    /// A grid of the language, if it is a rectangle of colours that is not too large.
    pub fn from_value(value: Value<'_>) -> Option<Image> {
        let Value::Grid(grid) = value else { return None };
        let (h, w) = (grid.height(), grid.width());
        let cells = grid.cells();
        let fits = h <= MAX_SIDE && w <= MAX_SIDE && cells.iter().all(|color| (0..10).contains(color));
        fits.then(|| Image { h, w, cells: cells.iter().map(|&color| color as u8).collect() })
    }

    /// The image as a grid of the language.
    pub fn to_value<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Fail> {
        let cells: Vec<i8> = self.cells.iter().map(|&color| color as i8).collect();
        arena.grid(self.w, &cells)
    }

    pub(crate) fn new(h: usize, w: usize, color: u8) -> Image {
        Image { h, w, cells: vec![color; h * w] }
    }

    pub(crate) fn from_fn(h: usize, w: usize, color: impl Fn(usize, usize) -> u8) -> Image {
        let cells = (0..h).flat_map(|y| (0..w).map(move |x| (y, x))).map(|(y, x)| color(y, x)).collect();
        Image { h, w, cells }
    }

    /// Every cell through a function of its colour.
    pub(crate) fn map(&self, color: impl Fn(u8) -> u8) -> Image {
        Image { h: self.h, w: self.w, cells: self.cells.iter().map(|&c| color(c)).collect() }
    }

    pub(crate) fn recolored(&self, map: &ColorMap) -> Image {
        self.map(|color| map.of(color))
    }

    #[inline]
    pub(crate) fn at(&self, y: usize, x: usize) -> u8 {
        self.cells[y * self.w + x]
    }

    /// The colour, or [`OUTSIDE`].
    #[inline]
    pub(crate) fn get(&self, y: i32, x: i32) -> u8 {
        if y < 0 || x < 0 || y >= self.h as i32 || x >= self.w as i32 {
            OUTSIDE
        } else {
            self.cells[y as usize * self.w + x as usize]
        }
    }

    /// The colour one step away from a cell, or [`OUTSIDE`].
    #[inline]
    pub(crate) fn beside(&self, y: usize, x: usize, direction: Direction) -> u8 {
        let (y, x) = direction.from(y, x);
        self.get(y, x)
    }

    #[inline]
    pub(crate) fn set(&mut self, y: usize, x: usize, color: u8) {
        self.cells[y * self.w + x] = color;
    }

    /// Sets a cell if it is inside.
    pub(crate) fn put(&mut self, y: i32, x: i32, color: u8) {
        if self.get(y, x) != OUTSIDE {
            self.set(y as usize, x as usize, color);
        }
    }

    pub(crate) fn counts(&self) -> [usize; 10] {
        let mut counts = [0; 10];
        for &color in &self.cells {
            counts[usize::from(color)] += 1;
        }
        counts
    }

    /// The most frequent colour, the smaller one of equals.
    pub(crate) fn majority(&self) -> u8 {
        most_frequent(&self.counts(), |_| true).unwrap_or(0)
    }

    /// Black if there is any, else the most frequent colour. Frames give other readings.
    pub(crate) fn background(&self) -> u8 {
        if self.cells.contains(&0) { 0 } else { self.majority() }
    }

    pub(crate) fn same_size(&self, other: &Image) -> bool {
        (self.h, self.w) == (other.h, other.w)
    }

    pub(crate) fn area(&self) -> usize {
        self.cells.len()
    }

    pub(crate) fn crop(&self, area: Area) -> Image {
        Image::from_fn(area.h, area.w, |y, x| self.at(area.y + y, area.x + x))
    }

    pub(crate) fn paste(&mut self, area: Area, piece: &Image) {
        for y in 0..piece.h.min(self.h - area.y) {
            for x in 0..piece.w.min(self.w - area.x) {
                self.set(area.y + y, area.x + x, piece.at(y, x));
            }
        }
    }

    /// The smallest rectangle that holds every cell of such a colour.
    pub(crate) fn bounds(&self, wanted: impl Fn(u8) -> bool) -> Option<Area> {
        let mut found: Option<(usize, usize, usize, usize)> = None;
        for y in 0..self.h {
            for x in 0..self.w {
                if wanted(self.at(y, x)) {
                    let (y0, x0, y1, x1) = found.unwrap_or((y, x, y, x));
                    found = Some((y0.min(y), x0.min(x), y1.max(y), x1.max(x)));
                }
            }
        }
        found.map(|(y0, x0, y1, x1)| Area { y: y0, x: x0, h: y1 - y0 + 1, w: x1 - x0 + 1 })
    }

    /// How many cells differ from an image of the same size.
    pub(crate) fn distance(&self, other: &Image) -> usize {
        self.cells.iter().zip(&other.cells).filter(|(a, b)| a != b).count()
    }

    /// This image where it is not black, elsewhere the one behind it.
    pub(crate) fn over(&self, behind: &Image) -> Image {
        let cells =
            self.cells.iter().zip(&behind.cells).map(|(&top, &below)| if top != 0 { top } else { below });
        Image { h: self.h, w: self.w, cells: cells.collect() }
    }

    /// The factor by which the image is an enlargement, the largest one.
    pub(crate) fn scale(&self) -> Option<usize> {
        (2..=self.h.min(self.w)).rev().find(|&k| self.is_scaled_by(k))
    }

    pub(crate) fn is_scaled_by(&self, k: usize) -> bool {
        self.h.is_multiple_of(k)
            && self.w.is_multiple_of(k)
            && (0..self.h).all(|y| (0..self.w).all(|x| self.at(y, x) == self.at(y / k * k, x / k * k)))
    }

    pub(crate) fn shrunk(&self, k: usize) -> Image {
        Image::from_fn(self.h / k, self.w / k, |y, x| self.at(y * k, x * k))
    }

    pub(crate) fn enlarged(&self, k: usize) -> Option<Image> {
        let fits = k > 0 && self.h * k <= MAX_SIDE && self.w * k <= MAX_SIDE;
        fits.then(|| Image::from_fn(self.h * k, self.w * k, |y, x| self.at(y / k, x / k)))
    }

    /// Copies side by side; every second one mirrored if asked for.
    pub(crate) fn tiled(&self, rows: usize, cols: usize, mirrored: bool) -> Option<Image> {
        let (h, w) = (self.h, self.w);
        let fits = h * rows <= MAX_SIDE && w * cols <= MAX_SIDE;
        fits.then(|| {
            Image::from_fn(h * rows, w * cols, |y, x| {
                let (py, px) = (y % h, x % w);
                let py = if mirrored && (y / h) % 2 == 1 { h - 1 - py } else { py };
                let px = if mirrored && (x / w) % 2 == 1 { w - 1 - px } else { px };
                self.at(py, px)
            })
        })
    }

    /// The cells of all positions of which `keep` holds, else the colour given.
    pub(crate) fn masked(&self, keep: impl Fn(u8) -> bool, else_: u8) -> Image {
        self.map(|color| if keep(color) { color } else { else_ })
    }

    /// The colours that occur, other than one.
    pub(crate) fn colors_but(&self, not: u8) -> Vec<u8> {
        let counts = self.counts();
        (0..10).filter(|&color| color != not && counts[usize::from(color)] > 0).collect()
    }

    /// The first colour other than `empty` that is seen from a place, not counting the place itself.
    pub(crate) fn look(&self, (mut y, mut x): (i32, i32), direction: Direction, empty: u8) -> (u8, u8) {
        let (dy, dx) = direction.step();
        let mut distance = 0;
        loop {
            y += dy;
            x += dx;
            distance += 1;
            let color = self.get(y, x);
            if color == OUTSIDE || color != empty {
                return (color, distance);
            }
        }
    }
}

/// A number as a feature value.
pub(crate) fn cap(number: usize) -> u8 {
    number.min(250) as u8
}
