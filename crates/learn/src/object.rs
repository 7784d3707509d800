//! Connected things, and what can be said of them.

use std::collections::BTreeMap;

use crate::feature::{Feature, code, color, count, flag};
use crate::image::{Area, DIRECTIONS, Image, cap, least_frequent, most_frequent};

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

    /// Its cells on an empty ground.
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

/// What connects cells to an object.
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
    let directions = if reading.diagonal { &DIRECTIONS[..] } else { &DIRECTIONS[..4] };
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
            for &(dy, dx) in directions {
                let (ny, nx) = (y as i32 + dy, x as i32 + dx);
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

/// The ways of seeing objects that learners choose from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) enum Seg {
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

impl Seg {
    pub(crate) fn objects(self, image: &Image) -> Vec<Object> {
        let ground = image.background();
        let find = |ground: Option<u8>, diagonal: bool, one_color: bool| {
            components(image, Reading { ground, diagonal, one_color }).0
        };
        match self {
            Seg::Mono4 => find(Some(ground), false, true),
            Seg::Mono8 => find(Some(ground), true, true),
            Seg::Multi8 => find(Some(ground), true, false),
            Seg::Everything4 => find(None, false, true),
            Seg::Multi4 => find(Some(ground), false, false),
            Seg::MonoOnMajority => find(Some(image.majority()), true, true),
            Seg::MultiOnMajority => find(Some(image.majority()), true, false),
            Seg::ByColor => {
                image.colors_but(ground).into_iter().filter_map(|c| Object::of_color(image, c)).collect()
            }
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Seg::Mono4 => "one-colour objects joined by edges",
            Seg::Mono8 => "one-colour objects",
            Seg::Multi8 => "objects of many colours",
            Seg::Everything4 => "regions, the background's too",
            Seg::Multi4 => "objects of many colours joined by edges",
            Seg::ByColor => "all cells of a colour taken together",
            Seg::MonoOnMajority => "one-colour objects on the commonest colour",
            Seg::MultiOnMajority => "objects of many colours on the commonest colour",
        }
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
    let turned = (0..8).map(|symmetry| image.turned(symmetry));
    turned.min_by(|a, b| (a.h, &a.cells).cmp(&(b.h, &b.cells))).unwrap_or_else(|| image.clone())
}

pub(crate) const N_OBJECT_FEATURES: usize = 36;

/// The places in [`OBJECT_FEATURES`] that learners name.
pub(crate) mod place {
    pub(crate) const COLOR: usize = 0;
    pub(crate) const SIZE: usize = 1;
    pub(crate) const N_COLORS: usize = 8;
    pub(crate) const HOLES: usize = 10;
    pub(crate) const MIRRORED: usize = 13;
    pub(crate) const AT_BORDER: usize = 16;
    pub(crate) const SAME_SHAPE: usize = 17;
    pub(crate) const SAME_COLOR: usize = 19;
    pub(crate) const ONLY_OF_COLOR: usize = 20;
    pub(crate) const MINOR_COLOR: usize = 30;
    pub(crate) const N_MINOR: usize = 31;
}

/// What is said of every object, in this order. The weight says how far a feature is trusted.
pub(crate) const OBJECT_FEATURES: [Feature; N_OBJECT_FEATURES] = [
    color("its colour", 1.0),
    count("its size", 0.9),
    flag("it is the largest", 1.0),
    flag("it is the smallest", 1.0),
    count("its height", 0.8),
    count("its width", 0.8),
    flag("its box is square", 1.0),
    flag("it is taller than wide", 1.0),
    count("its number of colours", 1.0),
    flag("it has the most colours", 1.0),
    count("its number of holes", 1.0),
    flag("it has the most holes", 1.0),
    flag("it fills its box", 1.0),
    flag("it is left-right symmetric", 1.0),
    flag("it is up-down symmetric", 1.0),
    flag("it is diagonally symmetric", 1.0),
    flag("it touches the border", 1.03),
    count("the number of objects of its shape", 0.9),
    flag("its shape is unique", 1.0),
    count("the number of objects of its colour", 0.8),
    flag("its colour is unique", 1.0),
    flag("it is topmost", 1.0),
    flag("it is bottommost", 1.0),
    flag("it is leftmost", 1.0),
    flag("it is rightmost", 1.0),
    flag("its size is odd", 1.0),
    flag("its size is unique", 1.0),
    code("its rank by size", 0.8),
    code("its rank from the top", 0.6),
    code("its rank from the left", 0.6),
    color("its rarest colour", 0.8),
    count("the number of its cells of the rarest colour", 0.8),
    flag("it has the most cells of its rarest colour", 1.0),
    flag("it touches another colour", 1.0),
    flag("its shape is the commonest", 1.0),
    count("tenths of its box filled", 0.8),
];

/// The values of [`OBJECT_FEATURES`] for every object.
pub(crate) fn object_features(image: &Image, objects: &[Object], ground: u8) -> Vec<Vec<u8>> {
    let n = objects.len();
    let masks: Vec<Image> = objects.iter().map(Object::mask).collect();
    let mut n_of_shape: BTreeMap<(usize, &[u8]), usize> = BTreeMap::new();
    for mask in &masks {
        *n_of_shape.entry((mask.w, &mask.cells)).or_default() += 1;
    }
    let mut n_of_color = [0usize; 10];
    let mut n_of_size: BTreeMap<usize, usize> = BTreeMap::new();
    for object in objects {
        n_of_color[usize::from(object.color)] += 1;
        *n_of_size.entry(object.size()).or_default() += 1;
    }
    let colors: Vec<(usize, u8, usize)> = objects
        .iter()
        .map(|object| {
            let counts = object.counts(image);
            let n_colors = counts.iter().filter(|&&n| n > 0).count();
            let minor = least_frequent(&counts, |_| true).unwrap_or(0);
            (n_colors, minor, if n_colors > 1 { counts[usize::from(minor)] } else { 0 })
        })
        .collect();
    // Holes of tiny objects are not worth their time where there are many.
    let n_holes: Vec<usize> = masks
        .iter()
        .zip(objects)
        .map(|(mask, object)| if object.size() < 4 { 0 } else { holes(mask) })
        .collect();
    let largest = objects.iter().map(Object::size).max().unwrap_or(0);
    let smallest = objects.iter().map(Object::size).min().unwrap_or(0);
    let most_colors = colors.iter().map(|c| c.0).max().unwrap_or(0);
    let most_holes = n_holes.iter().copied().max().unwrap_or(0);
    let most_minor = colors.iter().map(|c| c.2).max().unwrap_or(0);
    let commonest = n_of_shape.values().copied().max().unwrap_or(0);
    let top = objects.iter().map(|o| o.y0).min().unwrap_or(0);
    let bottom = objects.iter().map(|o| o.y1).max().unwrap_or(0);
    let left = objects.iter().map(|o| o.x0).min().unwrap_or(0);
    let right = objects.iter().map(|o| o.x1).max().unwrap_or(0);
    let touches_other = |object: &Object| {
        n <= 80
            && object.cells.iter().any(|&(y, x)| {
                DIRECTIONS.iter().any(|&(dy, dx)| {
                    let color = image.get(y as i32 + dy, x as i32 + dx);
                    color < 10 && color != ground && color != image.at(y, x)
                })
            })
    };
    let features = objects.iter().enumerate().map(|(i, o)| {
        let (mask, size) = (&masks[i], o.size());
        let (n_colors, minor, n_minor) = colors[i];
        let same_shape = n_of_shape[&(mask.w, &mask.cells[..])];
        let same_color = n_of_color[usize::from(o.color)];
        let square = mask.h == mask.w;
        let rank_by_size = n_of_size.keys().rev().position(|&s| s == size).unwrap_or(0);
        let from_top = objects.iter().filter(|p| (p.y0, p.x0) < (o.y0, o.x0)).count();
        let from_left = objects.iter().filter(|p| (p.x0, p.y0) < (o.x0, o.y0)).count();
        vec![
            o.color,
            cap(size),
            u8::from(size == largest),
            u8::from(size == smallest),
            cap(mask.h),
            cap(mask.w),
            u8::from(square),
            u8::from(mask.h > mask.w),
            cap(n_colors),
            u8::from(n_colors == most_colors),
            cap(n_holes[i]),
            u8::from(n_holes[i] == most_holes && most_holes > 0),
            u8::from(size == mask.area()),
            u8::from(*mask == mask.turned(1)),
            u8::from(*mask == mask.turned(2)),
            u8::from(square && (*mask == mask.turned(4) || *mask == mask.turned(5))),
            u8::from(o.touches_border(image)),
            cap(same_shape),
            u8::from(same_shape == 1),
            cap(same_color),
            u8::from(same_color == 1),
            u8::from(o.y0 == top),
            u8::from(o.y1 == bottom),
            u8::from(o.x0 == left),
            u8::from(o.x1 == right),
            (size % 2) as u8,
            u8::from(n_of_size[&size] == 1),
            cap(rank_by_size),
            cap(from_top),
            cap(from_left),
            minor,
            cap(n_minor),
            u8::from(n_minor == most_minor && most_minor > 0),
            u8::from(touches_other(o)),
            u8::from(same_shape == commonest && same_shape > 1),
            cap(size * 10 / mask.area()),
        ]
    });
    features.collect()
}

/// Full lines of one colour that cut an image into cells.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    pub color: u8,
    /// First row and height of each band.
    pub rows: Vec<(usize, usize)>,
    /// First column and width of each band.
    pub cols: Vec<(usize, usize)>,
}

impl Lines {
    /// The colour whose lines cut most evenly, black last.
    pub(crate) fn find(image: &Image) -> Option<Lines> {
        let mut best: Option<(usize, Lines)> = None;
        for color in 0..10u8 {
            let rows: Vec<usize> =
                (0..image.h).filter(|&y| (0..image.w).all(|x| image.at(y, x) == color)).collect();
            let cols: Vec<usize> =
                (0..image.w).filter(|&x| (0..image.h).all(|y| image.at(y, x) == color)).collect();
            if rows.len() + cols.len() == 0 || rows.len() == image.h {
                continue;
            }
            let (rows, cols) = (bands(&rows, image.h), bands(&cols, image.w));
            if rows.len() * cols.len() < 2 {
                continue;
            }
            let even = usize::from(rows.iter().all(|b| b.1 == rows[0].1))
                + usize::from(cols.iter().all(|b| b.1 == cols[0].1));
            let score = even * 1000 + if color == 0 { 0 } else { 500 } + rows.len() * cols.len();
            if best.as_ref().is_none_or(|(top, _)| score > *top) {
                best = Some((score, Lines { color, rows, cols }));
            }
        }
        best.map(|(_, lines)| lines)
    }

    /// The cells between the lines, in reading order.
    pub(crate) fn areas(&self) -> Vec<Area> {
        let all = self.rows.iter().flat_map(|r| self.cols.iter().map(move |c| (r, c)));
        all.map(|(r, c)| Area { y: r.0, x: c.0, h: r.1, w: c.1 }).collect()
    }
}

fn bands(lines: &[usize], n: usize) -> Vec<(usize, usize)> {
    let mut bands = Vec::new();
    let mut start = 0;
    for i in 0..=n {
        if i == n || lines.contains(&i) {
            if i > start {
                bands.push((start, i - start));
            }
            start = i + 1;
        }
    }
    bands
}

/// Equal parts, one-cell separators allowed.
pub(crate) fn equal_parts(image: &Image, rows: usize, cols: usize) -> Option<Vec<Image>> {
    let step = |n: usize, k: usize| {
        if k > 0 && n >= k && n.is_multiple_of(k) {
            Some((n / k, n / k))
        } else if k > 1 && (n + 1).is_multiple_of(k) && (n + 1) / k > 1 {
            Some(((n + 1) / k - 1, (n + 1) / k))
        } else {
            None
        }
    };
    let ((h, dy), (w, dx)) = (step(image.h, rows)?, step(image.w, cols)?);
    let places = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
    Some(places.map(|(i, j)| image.crop(Area { y: i * dy, x: j * dx, h, w })).collect())
}
