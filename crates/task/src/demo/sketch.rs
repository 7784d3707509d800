//! A grid under construction, with drawing operations.

use std::ops::{Index, IndexMut};

use batt_base::Rng;

use super::colors::DrawColors;

pub(super) const BLACK: i8 = 0;
pub(super) const BLUE: i8 = 1;
pub(super) const RED: i8 = 2;
pub(super) const GREEN: i8 = 3;
pub(super) const YELLOW: i8 = 4;
pub(super) const GRAY: i8 = 5;
pub(super) const MAGENTA: i8 = 6;
pub(super) const ORANGE: i8 = 7;
pub(super) const CYAN: i8 = 8;

/// Row and column.
pub(super) type Place = (usize, usize);

/// A pair of input and output, or `None` if the sample is degenerate.
pub(super) type Drawn = Option<(Sketch, Sketch)>;

/// Returns `None` unless the condition holds, to reject unsuitable samples with `?`.
pub(super) fn accept(condition: bool) -> Option<()> {
    condition.then_some(())
}

/// Replaces the black background by an unused colour, in half of the samples.
pub(super) fn recolor_background(rng: &mut Rng, (input, output): (Sketch, Sketch)) -> Drawn {
    if rng.chance(50) {
        return Some((input, output));
    }
    let used: Vec<i8> = (1..=9).filter(|&color| input.count(color) + output.count(color) > 0).collect();
    let background = rng.colors(1, &used).pop()?;
    Some((input.recolored(BLACK, background), output.recolored(BLACK, background)))
}

/// A rectangle on a grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Area {
    pub(super) top: usize,
    pub(super) left: usize,
    pub(super) height: usize,
    pub(super) width: usize,
}

impl Area {
    pub(super) fn new(top: usize, left: usize, height: usize, width: usize) -> Area {
        Area { top, left, height, width }
    }

    /// Returns the row after the last.
    pub(super) fn bottom(self) -> usize {
        self.top + self.height
    }

    /// Returns the column after the last.
    pub(super) fn right(self) -> usize {
        self.left + self.width
    }

    pub(super) fn cells(self) -> impl Iterator<Item = Place> {
        (self.top..self.bottom()).flat_map(move |row| (self.left..self.right()).map(move |col| (row, col)))
    }

    /// Returns the outermost cells.
    pub(super) fn edge(self) -> impl Iterator<Item = Place> {
        self.cells().filter(move |&place| !self.inner().contains(place))
    }

    pub(super) fn contains(self, (row, col): Place) -> bool {
        (self.top..self.bottom()).contains(&row) && (self.left..self.right()).contains(&col)
    }

    /// Returns the area without its edge; empty if nothing remains.
    pub(super) fn inner(self) -> Area {
        let (height, width) = (self.height.saturating_sub(2), self.width.saturating_sub(2));
        Area::new(self.top + 1, self.left + 1, height, width)
    }

    pub(super) fn center(self) -> Place {
        (self.top + self.height / 2, self.left + self.width / 2)
    }

    /// Whether at least `gap` rows or columns are between two areas.
    fn apart(self, other: Area, gap: usize) -> bool {
        self.bottom() + gap <= other.top
            || other.bottom() + gap <= self.top
            || self.right() + gap <= other.left
            || other.right() + gap <= self.left
    }
}

/// Places areas of the given sizes (height, width) at random, with a gap between any two. Returns `None` if
/// they do not fit.
pub(super) fn scatter(
    rng: &mut Rng,
    ground: Area,
    sizes: &[(usize, usize)],
    gap: usize,
) -> Option<Vec<Area>> {
    // Picked by feel: if an area needs more attempts, the grid is crowded, and a new sample is cheap.
    const ATTEMPTS: usize = 40;
    let mut areas: Vec<Area> = Vec::with_capacity(sizes.len());
    for &(height, width) in sizes {
        accept(height <= ground.height && width <= ground.width)?;
        let area = (0..ATTEMPTS).find_map(|_| {
            let top = rng.between(ground.top, ground.bottom() - height);
            let left = rng.between(ground.left, ground.right() - width);
            let area = Area::new(top, left, height, width);
            areas.iter().all(|other| area.apart(*other, gap)).then_some(area)
        })?;
        areas.push(area);
    }
    Some(areas)
}

/// A grid under construction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sketch {
    width: usize,
    cells: Vec<i8>,
}

impl Sketch {
    pub(super) fn new(height: usize, width: usize, color: i8) -> Sketch {
        Sketch { width, cells: vec![color; height * width] }
    }

    pub(super) fn from_fn(height: usize, width: usize, mut color: impl FnMut(Place) -> i8) -> Sketch {
        Sketch { width, cells: Area::new(0, 0, height, width).cells().map(&mut color).collect() }
    }

    /// Picks every cell at random. A colour that is listed twice is twice as likely.
    pub(super) fn mosaic(rng: &mut Rng, height: usize, width: usize, colors: &[i8]) -> Sketch {
        Sketch::from_fn(height, width, |_| rng.pick(colors))
    }

    /// Draws a connected shape of `size` cells on black, within the given box, and crops it.
    pub(super) fn blob(rng: &mut Rng, height: usize, width: usize, size: usize, color: i8) -> Sketch {
        let mut sketch = Sketch::new(height, width, BLACK);
        let mut open = vec![(rng.below(height), rng.below(width))];
        for _ in 0..size.min(height * width) {
            let place = open.swap_remove(rng.below(open.len()));
            sketch[place] = color;
            for next in sketch.adjacent(place) {
                if sketch[next] == BLACK && !open.contains(&next) {
                    open.push(next);
                }
            }
        }
        sketch.tight()
    }

    pub(super) fn height(&self) -> usize {
        self.cells.len() / self.width
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn size(&self) -> (usize, usize) {
        (self.height(), self.width)
    }

    pub(super) fn area(&self) -> Area {
        Area::new(0, 0, self.height(), self.width)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[i8]> {
        self.cells.chunks_exact(self.width)
    }

    pub(super) fn into_cells(self) -> Vec<i8> {
        self.cells
    }

    pub(super) fn count(&self, color: i8) -> usize {
        self.cells.iter().filter(|&&cell| cell == color).count()
    }

    /// Returns the number of cells that are not black.
    pub(super) fn drawn(&self) -> usize {
        self.cells.len() - self.count(BLACK)
    }

    /// Returns the number of different colours.
    pub(super) fn n_colors(&self) -> usize {
        (0..=9).filter(|&color| self.cells.contains(&color)).count()
    }

    pub(super) fn places(&self, color: i8) -> Vec<Place> {
        self.area().cells().filter(|&place| self[place] == color).collect()
    }

    /// Returns the four adjacent places inside the grid.
    pub(super) fn adjacent(&self, (row, col): Place) -> impl Iterator<Item = Place> + use<> {
        let area = self.area();
        let places = [(row.wrapping_sub(1), col), (row, col.wrapping_sub(1)), (row, col + 1), (row + 1, col)];
        places.into_iter().filter(move |&place| area.contains(place))
    }

    /// Returns the eight surrounding places inside the grid.
    pub(super) fn around(&self, (row, col): Place) -> impl Iterator<Item = Place> + use<> {
        let area = self.area();
        let steps = [usize::MAX, 0, 1];
        let places = steps.into_iter().flat_map(move |down| {
            steps.into_iter().map(move |right| (row.wrapping_add(down), col.wrapping_add(right)))
        });
        places.filter(move |&place| area.contains(place) && place != (row, col))
    }

    /// Returns the connected regions of one colour.
    pub(super) fn regions(&self, color: i8) -> Vec<Vec<Place>> {
        let mut seen = vec![false; self.cells.len()];
        let mut regions = Vec::new();
        for start in self.places(color) {
            let mut region = Vec::new();
            let mut open = vec![start];
            while let Some(place) = open.pop() {
                if self[place] == color && !std::mem::replace(&mut seen[place.0 * self.width + place.1], true)
                {
                    region.push(place);
                    open.extend(self.adjacent(place));
                }
            }
            if !region.is_empty() {
                regions.push(region);
            }
        }
        regions
    }

    pub(super) fn fill(&mut self, places: impl IntoIterator<Item = Place>, color: i8) {
        places.into_iter().for_each(|place| self[place] = color);
    }

    /// Fills only the cells that are black.
    pub(super) fn underfill(&mut self, places: impl IntoIterator<Item = Place>, color: i8) {
        for place in places {
            if self[place] == BLACK {
                self[place] = color;
            }
        }
    }

    /// Draws the cells of another sketch that are not black.
    pub(super) fn stamp(&mut self, other: &Sketch, (top, left): Place) {
        for (row, col) in other.area().cells().filter(|&place| other[place] != BLACK) {
            self[(top + row, left + col)] = other[(row, col)];
        }
    }

    pub(super) fn cut(&self, area: Area) -> Sketch {
        Sketch::from_fn(area.height, area.width, |(row, col)| self[(area.top + row, area.left + col)])
    }

    /// Crops to the cells that are not black.
    pub(super) fn tight(&self) -> Sketch {
        let drawn: Vec<Place> = self.area().cells().filter(|&place| self[place] != BLACK).collect();
        let span = |of: fn(&Place) -> usize| {
            let (low, high) = (drawn.iter().map(of).min(), drawn.iter().map(of).max());
            low.zip(high).map_or((0, 1), |(low, high)| (low, high - low + 1))
        };
        let ((top, height), (left, width)) = (span(|place| place.0), span(|place| place.1));
        self.cut(Area::new(top, left, height, width))
    }

    pub(super) fn recolored(&self, from: i8, to: i8) -> Sketch {
        Sketch::from_fn(self.height(), self.width, |place| if self[place] == from { to } else { self[place] })
    }

    /// Gives all cells that are not black one colour.
    pub(super) fn in_color(&self, color: i8) -> Sketch {
        Sketch::from_fn(self.height(), self.width, |place| if self[place] == BLACK { BLACK } else { color })
    }

    /// Swaps left and right.
    pub(super) fn flipped(&self) -> Sketch {
        Sketch::from_fn(self.height(), self.width, |(row, col)| self[(row, self.width - 1 - col)])
    }

    /// Swaps top and bottom.
    pub(super) fn upside_down(&self) -> Sketch {
        Sketch::from_fn(self.height(), self.width, |(row, col)| self[(self.height() - 1 - row, col)])
    }

    /// Swaps rows and columns.
    pub(super) fn transposed(&self) -> Sketch {
        Sketch::from_fn(self.width, self.height(), |(row, col)| self[(col, row)])
    }

    /// Rotates clockwise by quarter turns.
    pub(super) fn turned(&self, quarters: usize) -> Sketch {
        (0..quarters % 4).fold(self.clone(), |sketch, _| sketch.transposed().flipped())
    }

    /// Appends a sketch of the same height on the right.
    pub(super) fn beside(&self, right: &Sketch) -> Sketch {
        self.transposed().above(&right.transposed()).transposed()
    }

    /// Appends a sketch of the same width below.
    pub(super) fn above(&self, below: &Sketch) -> Sketch {
        Sketch { width: self.width, cells: [self.cells.as_slice(), &below.cells].concat() }
    }

    /// Replaces each cell by a rectangle of cells.
    pub(super) fn scaled(&self, down: usize, right: usize) -> Sketch {
        Sketch::from_fn(self.height() * down, self.width * right, |(row, col)| {
            self[(row / down, col / right)]
        })
    }
}

impl Index<Place> for Sketch {
    type Output = i8;

    fn index(&self, (row, col): Place) -> &i8 {
        debug_assert!(col < self.width);
        &self.cells[row * self.width + col]
    }
}

impl IndexMut<Place> for Sketch {
    fn index_mut(&mut self, (row, col): Place) -> &mut i8 {
        debug_assert!(col < self.width);
        &mut self.cells[row * self.width + col]
    }
}
