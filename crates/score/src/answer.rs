//! Answers to be scored: a value, a grid, or the reason why there is neither.

use std::borrow::Cow;

use batt_exec::{End, Outcome, Run};
use batt_task::Grid;
use batt_value::{Fail, Owned, Value};

/// The answer of a program to one input.
#[derive(Clone, Copy, Debug)]
pub enum Answer<'a> {
    Value(Value<'a>),
    Owned(&'a Owned),
    Grid(&'a Grid),
    /// Rows of small integers, all of width `width`; at least one cell.
    Cells {
        width: usize,
        cells: &'a [i8],
    },
    Failed(Fail),
    /// The program was not run on this input.
    Skipped,
}

impl Answer<'_> {
    /// Returns the answer as a grid that can be submitted, or `None` if it is not one.
    pub fn grid(&self) -> Option<Grid> {
        let Rectangle { width, cells } = self.rectangle()?;
        Grid::new(width, cells).ok()
    }

    /// Returns the answer as a rectangle of small integers. It may still be too large for a grid, or have
    /// cells that are not colours.
    pub(crate) fn rectangle(&self) -> Option<Rectangle<'_>> {
        match *self {
            Answer::Value(value) => rectangle(value),
            Answer::Grid(grid) => Some(Rectangle { width: grid.width(), cells: grid.cells().into() }),
            Answer::Cells { width, cells } => Some(Rectangle { width, cells: cells.into() }),
            Answer::Owned(owned) => {
                let (width, cells) = owned.rectangle()?;
                Some(Rectangle { width, cells: cells.into() })
            }
            Answer::Failed(_) | Answer::Skipped => None,
        }
    }
}

impl<'a> From<Value<'a>> for Answer<'a> {
    fn from(value: Value<'a>) -> Self {
        Answer::Value(value)
    }
}

impl<'a> From<&'a Owned> for Answer<'a> {
    fn from(owned: &'a Owned) -> Self {
        Answer::Owned(owned)
    }
}

impl<'a> From<&'a Grid> for Answer<'a> {
    fn from(grid: &'a Grid) -> Self {
        Answer::Grid(grid)
    }
}

impl From<Fail> for Answer<'_> {
    fn from(fail: Fail) -> Self {
        Answer::Failed(fail)
    }
}

impl<'a> From<&Outcome<'a>> for Answer<'a> {
    fn from(outcome: &Outcome<'a>) -> Self {
        match outcome.result {
            Ok(value) => Answer::Value(value),
            Err(failure) => Answer::Failed(failure.fail),
        }
    }
}

impl<'a> From<&'a Run> for Answer<'a> {
    fn from(run: &'a Run) -> Self {
        match &run.end {
            End::Grid { width, cells } => Answer::Cells { width: *width, cells },
            End::Other(owned) => Answer::Owned(owned),
            End::Failed(failed) => Answer::Failed(failed.fail),
            End::Skipped => Answer::Skipped,
        }
    }
}

/// Rows of small integers, all of one width; at least one cell.
pub(crate) struct Rectangle<'v> {
    pub(crate) width: usize,
    pub(crate) cells: Cow<'v, [i8]>,
}

impl Rectangle<'_> {
    pub(crate) fn height(&self) -> usize {
        self.cells.len() / self.width
    }
}

fn rectangle(value: Value<'_>) -> Option<Rectangle<'_>> {
    match value {
        Value::Grid(grid) => Some(Rectangle { width: grid.width(), cells: grid.cells().into() }),
        // In Python `True` equals 1, so a grid may have booleans as cells. It then has no compact form.
        Value::Tuple(rows) => {
            let mut cells = Vec::new();
            let mut width = None;
            for row in rows.items() {
                let before = cells.len();
                append(*row, &mut cells)?;
                let n = cells.len() - before;
                if n == 0 || *width.get_or_insert(n) != n {
                    return None;
                }
            }
            Some(Rectangle { width: width?, cells: cells.into() })
        }
        _ => None,
    }
}

fn append(row: Value<'_>, cells: &mut Vec<i8>) -> Option<()> {
    match row {
        Value::Row(row) => cells.extend(row.cells()),
        Value::Pair(pair) => {
            cells.push(i8::try_from(pair.row()).ok()?);
            cells.push(i8::try_from(pair.col()).ok()?);
        }
        Value::Tuple(tuple) => {
            for item in tuple.items() {
                cells.push(i8::try_from(item.as_int()?).ok()?);
            }
        }
        _ => return None,
    }
    Some(())
}
