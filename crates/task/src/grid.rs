//! Grids as files hold them: colours 0 to 9, 1×1 to 30×30.

use std::fmt;

use batt_value::{Arena, Fail, Value};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};

/// A rectangle of colours.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Grid {
    width: usize,
    cells: Vec<i8>,
}

/// Why something is no grid. Rows and columns count from 0.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GridError {
    #[error("an empty grid; a grid has at least one row")]
    Empty,
    #[error("row {row} is empty")]
    EmptyRow { row: usize },
    #[error("{rows} rows; a grid has at most {max}", max = Grid::MAX_SIDE)]
    TooTall { rows: usize },
    #[error("row {row} has {cells} cells; a row has at most {max}", max = Grid::MAX_SIDE)]
    TooWide { row: usize, cells: usize },
    #[error("row {row} has {cells} cells, the rows before have {before}")]
    Ragged { row: usize, cells: usize, before: usize },
    /// `found` is what stands there, as text.
    #[error("row {row}, column {col} is {found}; colours are 0 to 9")]
    Color { row: usize, col: usize, found: String },
}

impl Grid {
    pub const MAX_SIDE: usize = 30;

    /// A grid from its cells, row after row.
    ///
    /// ```
    /// # use batt_task::Grid;
    /// assert_eq!(Grid::new(2, vec![1, 2, 3, 4])?.to_string(), "[1 2 | 3 4]");
    /// assert_eq!(Grid::new(2, vec![1, 2, 3]).unwrap_err().to_string(), "row 1 has 1 cells, the rows before have 2");
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
        Ok(Grid { width, cells: cells.into() })
    }

    pub fn height(&self) -> usize {
        self.cells.len() / self.width
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// All cells, row after row.
    pub fn cells(&self) -> &[i8] {
        &self.cells
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[i8]> {
        self.cells.chunks_exact(self.width)
    }

    pub fn value<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Fail> {
        arena.grid(self.width, &self.cells)
    }
}

impl fmt::Display for Grid {
    /// As programs' values are printed: `[1 2 | 3 4]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, row) in self.rows().enumerate() {
            f.write_str(if i == 0 { "[" } else { " | " })?;
            for (j, cell) in row.iter().enumerate() {
                write!(f, "{}{cell}", if j == 0 { "" } else { " " })?;
            }
        }
        f.write_str("]")
    }
}

impl<'de> Deserialize<'de> for Grid {
    /// Reads rows straight into one buffer: no vector of vectors in between.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Grid, D::Error> {
        struct Rows;
        impl<'de> Visitor<'de> for Rows {
            type Value = Grid;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a grid: a list of rows of colours")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Grid, A::Error> {
                let mut grid = Grid { width: 0, cells: Vec::with_capacity(128) };
                let mut height = 0;
                while let Some(()) = rows.next_element_seed(Row { grid: &mut grid, row: height })? {
                    height += 1;
                    if height > Grid::MAX_SIDE {
                        return Err(de::Error::custom("a grid has at most 30 rows"));
                    }
                }
                if height == 0 {
                    return Err(de::Error::custom("a grid has at least one row"));
                }
                Ok(grid)
            }
        }
        deserializer.deserialize_seq(Rows)
    }
}

/// Appends one row to the grid.
struct Row<'g> {
    grid: &'g mut Grid,
    row: usize,
}

impl<'de> de::DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row: a list of colours")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> Result<(), A::Error> {
        let Row { grid, row } = self;
        let start = grid.cells.len();
        while let Some(color) = cells.next_element::<i64>()? {
            let col = grid.cells.len() - start;
            if !(0..=9).contains(&color) {
                return Err(de::Error::custom(format!(
                    "row {row}, column {col} is {color}; colours are 0 to 9"
                )));
            }
            if col == Grid::MAX_SIDE {
                return Err(de::Error::custom(format!("row {row} has more than 30 cells")));
            }
            grid.cells.push(color as i8);
        }
        let width = grid.cells.len() - start;
        if width == 0 {
            return Err(de::Error::custom(format!("row {row} is empty")));
        }
        if row > 0 && width != grid.width {
            let before = grid.width;
            return Err(de::Error::custom(format!(
                "row {row} has {width} cells, the rows before have {before}"
            )));
        }
        grid.width = width;
        Ok(())
    }
}
