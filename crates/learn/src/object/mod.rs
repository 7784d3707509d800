//! Objects: connected cells, what they look like and how they relate to each other.

mod feature;
mod lines;
mod relation;
mod segmentation;
mod source;
mod written;

use crate::image::{Area, Image, Symmetry};

pub(crate) use feature::{Crowd, ObjectFeature};
pub(crate) use lines::{Lines, equal_parts};
pub(crate) use relation::{
    ObjectOrRelation, closest_border, direction_to, minor_side, nearest_direction, open_side, related,
    related_features,
};
pub(crate) use segmentation::{Reading, Segmentation, components, regions8};
pub(crate) use source::{Chosen, ColorSource, Shapes};

/// Cells that belong together, in reading order.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub cells: Vec<(usize, usize)>,
    pub y0: usize,
    pub x0: usize,
    pub y1: usize,
    pub x1: usize,
    /// Its most frequent colour.
    pub color: u8,
}

impl Object {
    pub(crate) fn h(&self) -> usize {
        self.y1 - self.y0 + 1
    }

    pub(crate) fn w(&self) -> usize {
        self.x1 - self.x0 + 1
    }

    pub(crate) fn size(&self) -> usize {
        self.cells.len()
    }

    pub(crate) fn area(&self) -> Area {
        Area { y: self.y0, x: self.x0, h: self.h(), w: self.w() }
    }

    /// Its cells alone, on a plain background.
    pub(crate) fn alone(&self, image: &Image, ground: u8) -> Image {
        let mut alone = Image::new(self.h(), self.w(), ground);
        for &(y, x) in &self.cells {
            alone.set(y - self.y0, x - self.x0, image.at(y, x));
        }
        alone
    }

    /// Its shape: 1 on its cells, 0 elsewhere in its box.
    pub(crate) fn mask(&self) -> Image {
        let mut mask = Image::new(self.h(), self.w(), 0);
        for &(y, x) in &self.cells {
            mask.set(y - self.y0, x - self.x0, 1);
        }
        mask
    }

    pub(crate) fn touches_border(&self, image: &Image) -> bool {
        self.y0 == 0 || self.x0 == 0 || self.y1 + 1 == image.h || self.x1 + 1 == image.w
    }

    pub(crate) fn box_holds(&self, other: &Object) -> bool {
        other.y0 >= self.y0 && other.y1 <= self.y1 && other.x0 >= self.x0 && other.x1 <= self.x1
    }

    pub(crate) fn shares_rows(&self, other: &Object) -> bool {
        other.y0 <= self.y1 && other.y1 >= self.y0
    }

    pub(crate) fn shares_columns(&self, other: &Object) -> bool {
        other.x0 <= self.x1 && other.x1 >= self.x0
    }

    pub(crate) fn counts(&self, image: &Image) -> [usize; 10] {
        let mut counts = [0; 10];
        for &(y, x) in &self.cells {
            counts[usize::from(image.at(y, x))] += 1;
        }
        counts
    }

    /// All cells of one colour as one object.
    pub(crate) fn of_color(image: &Image, color: u8) -> Option<Object> {
        let area = image.bounds(|c| c == color)?;
        let places = (0..image.area()).filter(|&i| image.cells[i] == color);
        let cells = places.map(|i| (i / image.w, i % image.w)).collect();
        Some(Object {
            cells,
            y0: area.y,
            x0: area.x,
            y1: area.y + area.h - 1,
            x1: area.x + area.w - 1,
            color,
        })
    }
}

/// How many separate regions a shape encloses.
pub(crate) fn holes(mask: &Image) -> usize {
    let padded = Image::from_fn(mask.h + 2, mask.w + 2, |y, x| {
        if y == 0 || x == 0 || y > mask.h || x > mask.w { 0 } else { mask.at(y - 1, x - 1) }
    });
    let reading = Reading { ground: Some(1), diagonal: false, one_color: true };
    components(&padded, reading).0.len() - 1
}

/// The same for all images that are equal up to rotation and mirroring.
pub(crate) fn canonical(image: &Image) -> Image {
    let turned = Symmetry::ALL.iter().map(|&symmetry| image.turned(symmetry));
    turned.min_by(|a, b| (a.h, &a.cells).cmp(&(b.h, &b.cells))).unwrap_or_else(|| image.clone())
}
