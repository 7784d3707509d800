//! Grids and rows of small integers.

/// A non-empty tuple of non-empty rows of one width whose cells are integers that fit in an `i8`.
#[derive(Debug)]
pub struct Grid<'a> {
    pub(crate) height: u32,
    pub(crate) width: u32,
    pub(crate) cells: &'a [i8],
}

impl<'a> Grid<'a> {
    pub(crate) fn new(height: usize, width: usize, cells: &'a [i8]) -> Grid<'a> {
        Grid { height: height as u32, width: width as u32, cells }
    }

    #[inline]
    pub fn height(&self) -> usize {
        self.height as usize
    }

    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// Returns all cells, row by row.
    pub fn cells(&self) -> &'a [i8] {
        self.cells
    }

    #[inline]
    pub fn row(&self, row: usize) -> &'a [i8] {
        &self.cells[row * self.width as usize..][..self.width as usize]
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = &'a [i8]> + use<'a> {
        self.cells.chunks_exact(self.width as usize)
    }
}

impl std::ops::Index<(usize, usize)> for Grid<'_> {
    type Output = i8;

    fn index(&self, (row, col): (usize, usize)) -> &i8 {
        &self.row(row)[col]
    }
}

/// A tuple of integers that fit in an `i8`, of any length except 0 and 2 (pairs have their own form).
#[derive(Debug)]
pub struct Row<'a> {
    pub(crate) cells: &'a [i8],
}

impl<'a> Row<'a> {
    pub fn cells(&self) -> &'a [i8] {
        self.cells
    }
}
