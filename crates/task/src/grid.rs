//! Grids: colours 0 to 9, from 1×1 to 30×30.

use batt_value::{Arena, Fail, Value};

/// A rectangle of colours.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Grid {
    // Kept small, because a set of 100,000 tasks has a million grids.
    width: u8,
    cells: Box<[i8]>,
}

/// The reasons why something is not a grid. Rows and columns count from 0.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GridError {
    #[error("the grid is empty; a grid has at least one row")]
    Empty,
    #[error("row {row} is empty")]
    EmptyRow { row: usize },
    #[error("the grid has {rows} rows; a grid has at most {max}", max = Grid::MAX_SIDE)]
    TooTall { rows: usize },
    #[error("row {row} has {cells} cells; a row has at most {max}", max = Grid::MAX_SIDE)]
    TooWide { row: usize, cells: usize },
    #[error("row {row} has {cells} cells, expected {before}")]
    Ragged { row: usize, cells: usize, before: usize },
    /// `found` is the text in place of a colour.
    #[error("row {row}, column {col} is {found}; colours are 0 to 9")]
    Color { row: usize, col: usize, found: String },
}

impl Grid {
    pub const MAX_SIDE: usize = 30;

    /// Creates a grid from its cells, row by row.
    ///
    /// ```
    /// # use batt_task::Grid;
    /// assert_eq!(Grid::new(2, vec![1, 2, 3, 4])?.to_string(), "[1 2 | 3 4]");
    /// assert_eq!(Grid::new(2, vec![1, 2, 3]).unwrap_err().to_string(), "row 1 has 1 cells, expected 2");
    /// # Ok::<(), batt_task::GridError>(())
    /// ```
    pub fn new(width: usize, cells: impl Into<Box<[i8]>>) -> Result<Grid, GridError> {
        let cells = cells.into();
        if width == 0 || cells.is_empty() {
            return Err(if width == 0 && !cells.is_empty() {
                GridError::EmptyRow { row: 0 }
            } else {
                GridError::Empty
            });
        }
        let height = cells.len() / width;
        if width > Grid::MAX_SIDE {
            return Err(GridError::TooWide { row: 0, cells: width });
        }
        if !cells.len().is_multiple_of(width) {
            return Err(GridError::Ragged { row: height, cells: cells.len() % width, before: width });
        }
        if height > Grid::MAX_SIDE {
            return Err(GridError::TooTall { rows: height });
        }
        if let Some(at) = cells.iter().position(|cell| !(0..=9).contains(cell)) {
            let found = cells[at].to_string();
            return Err(GridError::Color { row: at / width, col: at % width, found });
        }
        Ok(Grid { width: width as u8, cells })
    }

    /// Creates a grid whose rows and colours are known to be valid. Only the height is checked.
    pub(crate) fn from_checked(width: usize, cells: &[i8]) -> Result<Grid, GridError> {
        debug_assert!(Grid::new(width, cells).is_ok() || width == 0 || cells.len() > width * Grid::MAX_SIDE);
        match cells.len().checked_div(width) {
            None => Err(GridError::Empty),
            Some(rows) if rows > Grid::MAX_SIDE => Err(GridError::TooTall { rows }),
            Some(_) => Ok(Grid { width: width as u8, cells: cells.into() }),
        }
    }

    pub fn height(&self) -> usize {
        self.cells.len() / self.width()
    }

    pub fn width(&self) -> usize {
        self.width.into()
    }

    /// Returns all cells, row by row.
    pub fn cells(&self) -> &[i8] {
        &self.cells
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[i8]> {
        self.cells.chunks_exact(self.width())
    }

    pub fn value<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Fail> {
        arena.grid(self.width(), &self.cells)
    }
}

impl std::fmt::Display for Grid {
    /// Prints the grid like a value of a program: `[1 2 | 3 4]`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, row) in self.rows().enumerate() {
            f.write_str(if i == 0 { "[" } else { " | " })?;
            for (j, cell) in row.iter().enumerate() {
                write!(f, "{}{cell}", if j == 0 { "" } else { " " })?;
            }
        }
        f.write_str("]")
    }
}

impl std::fmt::Debug for Grid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}
