//! A matrix with one cell for many.

use super::{Inside, Passage, surcharge};
use crate::image::Area;
use crate::object::Lines;
use crate::option::options;
use crate::view::grid_cells;
use crate::{Demos, Image};

options! {
    /// A matrix with one cell for many.
    Matrix {
        /// One cell for each cell between the lines.
        LineCells = "LINE_CELLS",
        /// One cell for each block of an enlarged image.
        Blocks = "BLOCKS",
    }
}

impl Matrix {
    const fn words(self) -> &'static str {
        match self {
            Matrix::LineCells => "on the matrix of the line grid's cells",
            Matrix::Blocks => "on the matrix of blocks",
        }
    }

    fn shrink(self, input: &Image) -> Option<Image> {
        match self {
            Matrix::LineCells => grid_cells(input),
            Matrix::Blocks => Some(input.shrunk(block(input)?)),
        }
    }

    /// The matrix of an output, laid out as its input is.
    fn shrink_output(self, input: &Image, output: &Image) -> Option<Image> {
        match self {
            Matrix::LineCells => {
                let lines = Lines::find(input)?;
                let plain = |area: &Area| {
                    let cell = output.crop(*area);
                    cell.cells.iter().all(|c| *c == cell.cells[0])
                };
                let (h, w) = (lines.rows.len(), lines.cols.len());
                lines
                    .areas()
                    .iter()
                    .all(plain)
                    .then(|| Image::from_fn(h, w, |i, j| output.at(lines.rows[i].0, lines.cols[j].0)))
            }
            Matrix::Blocks => {
                let k = block(input)?;
                output.is_scaled_by(k).then(|| output.shrunk(k))
            }
        }
    }

    fn grow(self, input: &Image, matrix: &Image) -> Option<Image> {
        match self {
            Matrix::LineCells => {
                let lines = Lines::find(input)?;
                if (matrix.h, matrix.w) != (lines.rows.len(), lines.cols.len()) {
                    return None;
                }
                let mut output = input.clone();
                for (area, &color) in lines.areas().into_iter().zip(&matrix.cells) {
                    output.paste(area, &Image::new(area.h, area.w, color));
                }
                Some(output)
            }
            Matrix::Blocks => matrix.enlarged(block(input)?),
        }
    }

    pub(super) fn fit(self, demos: &Demos) -> Option<Inside> {
        if !demos.edits() {
            return None;
        }
        let mut pairs = Vec::new();
        for (input, output) in demos.pairs() {
            let pair = (self.shrink(input)?, self.shrink_output(input, output)?);
            if self.grow(input, &pair.1).as_ref() != Some(output) {
                return None;
            }
            pairs.push(pair);
        }
        Inside::new(pairs, surcharge::MATRIX, self.words(), self)
    }
}

impl Passage for Matrix {
    fn enter(&self, input: &Image) -> Option<Vec<Image>> {
        Some(vec![self.shrink(input)?])
    }

    fn leave(&self, input: &Image, answers: Vec<Image>) -> Option<Image> {
        self.grow(input, answers.first()?)
    }
}

/// The side of the blocks of an enlarged image, the largest one up to 10.
fn block(image: &Image) -> Option<usize> {
    (2..=10).rev().find(|&k| image.is_scaled_by(k))
}
