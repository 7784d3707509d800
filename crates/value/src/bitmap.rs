//! Temporary bitmaps for sets that are too wide for a [`Patch`].

use crate::arena::is_dense;
use crate::{Arena, Cell, Pair, Patch, Value};

/// One bit for each place, in one plane for each colour. Its members are ascending and distinct.
pub struct Bitmap<'a> {
    top: i64,
    left: i64,
    height: usize,
    /// Words per row.
    stride: usize,
    colors: u16,
    words: &'a mut [u64],
}

impl<'a> Bitmap<'a> {
    /// Creates an empty bitmap for about `count` cells of these colours (see [`Patch::colors`]). The box
    /// includes `(top, left)` and excludes row `bottom` and column `right`. Returns `None` if the bitmap
    /// would be mostly empty.
    pub fn new(
        arena: &'a Arena,
        (top, left): (i64, i64),
        (bottom, right): (i64, i64),
        colors: u16,
        count: usize,
    ) -> Option<Bitmap<'a>> {
        let (height, stride) = ((bottom - top) as usize, ((right - left) as usize).div_ceil(64));
        let n_words = height.checked_mul(stride)?.checked_mul(colors.count_ones().max(1) as usize)?;
        is_dense(n_words, count).then(|| Bitmap {
            top,
            left,
            height,
            stride,
            colors,
            words: arena.repeat(n_words, 0),
        })
    }

    /// Adds a place without a colour.
    pub fn add(&mut self, place: Pair) {
        let (row, col) = ((place.row() - self.top) as usize, (place.col() - self.left) as usize);
        self.words[row * self.stride + col / 64] |= 1 << (col % 64);
    }

    /// Adds all members of a patch.
    pub fn add_patch(&mut self, patch: &Patch<'_>) {
        let (row, col, _, _) = patch.bounds();
        let (row, col) = ((row - self.top) as usize, (col - self.left) as usize);
        let (word, shift) = (col / 64, col % 64);
        for (color, plane) in patch.planes() {
            // A patch without colours has one plane, as does the bitmap.
            let before = if self.colors == 0 { 0 } else { self.colors & ((1 << (color + 1)) - 1) };
            let start = before.count_ones() as usize * self.height + row;
            for (i, from) in plane.iter().enumerate() {
                let at = (start + i) * self.stride + word;
                self.words[at] |= from << shift;
                if shift > 0 && from >> (64 - shift) != 0 {
                    self.words[at + 1] |= from >> (64 - shift);
                }
            }
        }
    }

    /// Returns all members in order: cells if there are colours, else places. Returns `None` if a number is
    /// too large for the form.
    pub fn values(self, arena: &'a Arena) -> Option<&'a [Value<'a>]> {
        let n = self.words.iter().map(|word| word.count_ones() as usize).sum();
        let values = arena.repeat(n, Value::None);
        let mut next = 0;
        let mut rest = self.colors;
        for plane in self.words.chunks_exact(self.height * self.stride) {
            let color = i64::from(rest.trailing_zeros()) - 1;
            rest &= rest.wrapping_sub(1);
            for (row, words) in (self.top..).zip(plane.chunks_exact(self.stride)) {
                for (left, word) in (self.left..).step_by(64).zip(words) {
                    let mut bits = *word;
                    while bits != 0 {
                        let col = left + i64::from(bits.trailing_zeros());
                        bits &= bits - 1;
                        values[next] = match self.colors {
                            0 => Value::Pair(Pair::new(row, col)?),
                            _ => Value::Cell(Cell::new(color, row, col)?),
                        };
                        next += 1;
                    }
                }
            }
        }
        Some(values)
    }
}
