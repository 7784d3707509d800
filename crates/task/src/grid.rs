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

impl Grid {
    pub const MAX_SIDE: usize = 30;

    pub fn height(&self) -> usize {
        self.cells.len() / self.width
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[i8]> {
        self.cells.chunks_exact(self.width)
    }

    pub fn value<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Fail> {
        arena.grid(self.width, &self.cells)
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
