//! Places, cells, and sets of them as bit planes.

use crate::Value;

/// A tuple of two integers that fit in an `i32`, often the row and column of a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Pair(u64);

impl Pair {
    pub fn new(row: i64, col: i64) -> Option<Pair> {
        Some(Pair::from_i32(i32::try_from(row).ok()?, i32::try_from(col).ok()?))
    }

    /// Makes a pair of integers that are known to fit.
    pub fn from_i32(row: i32, col: i32) -> Pair {
        Pair((row as u32 as u64) << 32 | col as u32 as u64)
    }

    pub fn row(self) -> i64 {
        i64::from((self.0 >> 32) as u32 as i32)
    }

    pub fn col(self) -> i64 {
        i64::from(self.0 as u32 as i32)
    }

    pub fn parts(self) -> (i64, i64) {
        (self.row(), self.col())
    }

    /// Returns top, left, height and width of the box around places; `None` if there are no places, or if one
    /// of them is `None`.
    pub fn bounds(places: impl IntoIterator<Item = Option<Pair>>) -> Option<(i64, i64, i64, i64)> {
        let (mut top, mut left, mut bottom, mut right) = (i64::MAX, i64::MAX, i64::MIN, i64::MIN);
        for place in places {
            let (row, col) = place?.parts();
            (top, left) = (top.min(row), left.min(col));
            (bottom, right) = (bottom.max(row), right.max(col));
        }
        (top <= bottom).then(|| (top, left, bottom - top + 1, right - left + 1))
    }

    /// Returns an integer that compares as the pair does.
    pub(crate) fn key(self) -> u64 {
        self.0 ^ 0x8000_0000_8000_0000
    }
}

impl std::fmt::Debug for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {})", self.row(), self.col())
    }
}

/// A tuple `(color, (row, col))`; the packed integers compare as the tuples do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Cell(u64);

impl Cell {
    const COLOR_BIAS: i64 = 1 << 15;
    const PLACE_BIAS: i64 = 1 << 23;

    pub fn new(color: i64, row: i64, col: i64) -> Option<Cell> {
        let fit = |x: i64, bias: i64| (-bias..bias).contains(&x).then_some((x + bias) as u64);
        let (color, row, col) =
            (fit(color, Self::COLOR_BIAS)?, fit(row, Self::PLACE_BIAS)?, fit(col, Self::PLACE_BIAS)?);
        Some(Cell(color << 48 | row << 24 | col))
    }

    pub fn color(self) -> i64 {
        (self.0 >> 48) as i64 - Self::COLOR_BIAS
    }

    pub fn row(self) -> i64 {
        (self.0 >> 24 & 0xff_ffff) as i64 - Self::PLACE_BIAS
    }

    pub fn col(self) -> i64 {
        (self.0 & 0xff_ffff) as i64 - Self::PLACE_BIAS
    }

    /// Returns an integer that compares as the cell does.
    pub(crate) fn key(self) -> u64 {
        self.0
    }

    pub fn place(self) -> Pair {
        Pair::from_i32(self.row() as i32, self.col() as i32)
    }
}

impl std::fmt::Debug for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {:?})", self.color(), self.place())
    }
}

/// A non-empty set of pairs ("indices") or of cells ("an object"), as bit planes over its bounding box.
///
/// Indices have one plane of `height` words; an object has one plane per colour, ascending. Bit `k` of a word
/// is column `col + k`. The box is tight. Planes, rows and bits in ascending order give the canonical order.
#[derive(Debug)]
pub struct Patch<'a> {
    pub(crate) row: i16,
    pub(crate) col: i16,
    pub(crate) height: u8,
    pub(crate) width: u8,
    /// Bit `c + 1` for colour `c`; 0 for indices.
    pub(crate) colors: u16,
    pub(crate) count: u32,
    pub(crate) rows: &'a [u64],
}

impl<'a> Patch<'a> {
    /// The colours a plane can have.
    pub const COLORS: std::ops::RangeInclusive<i64> = -1..=14;
    pub const MAX_WIDTH: i64 = 64;
    pub const MAX_HEIGHT: i64 = 255;

    /// Returns the bits that a word of a patch of this width can have.
    pub(crate) fn mask(width: u8) -> u64 {
        u64::MAX >> (64 - u32::from(width))
    }

    /// Returns weight and depth of the value.
    #[inline]
    pub(crate) fn extent(&self) -> (u32, u16) {
        if self.is_object() { (1 + 5 * self.count, 3) } else { (1 + 3 * self.count, 2) }
    }

    /// Returns the number of members.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    pub fn is_object(&self) -> bool {
        self.colors != 0
    }

    /// Returns one bit for each colour: bit `c + 1` for colour `c`; 0 for indices.
    pub fn colors(&self) -> u16 {
        self.colors
    }

    /// Returns all planes one after the other, `height` words each.
    pub fn rows(&self) -> &'a [u64] {
        self.rows
    }

    /// Returns the planes with their colours; the one plane of indices has colour 0.
    pub fn planes(&self) -> impl Iterator<Item = (i64, &'a [u64])> + use<'a> {
        let mut colors = if self.colors == 0 { 2 } else { self.colors };
        let (mut rest, height) = (self.rows, usize::from(self.height));
        std::iter::from_fn(move || {
            // Counting colours avoids a division by the height.
            let color = i64::from(colors.trailing_zeros()) - 1;
            let (plane, others) = rest.split_at_checked(height).filter(|_| colors != 0)?;
            colors &= colors - 1;
            rest = others;
            Some((color, plane))
        })
    }

    /// Returns the plane of the colour with this bit, or the only plane of indices; empty if there is none.
    pub(crate) fn plane(&self, color: u16) -> &'a [u64] {
        let height = usize::from(self.height);
        if self.colors == color || self.colors == 0 {
            self.rows
        } else if self.colors & color == 0 {
            &[]
        } else {
            &self.rows[height * (self.colors & (color - 1)).count_ones() as usize..][..height]
        }
    }

    /// Returns whether the patch has this place in any colour.
    pub fn covers(&self, row: i64, col: i64) -> bool {
        let (i, j) = (row - i64::from(self.row), col - i64::from(self.col));
        (0..i64::from(self.height)).contains(&i)
            && (0..i64::from(self.width)).contains(&j)
            && self.rows.iter().skip(i as usize).step_by(self.height as usize).any(|word| word >> j & 1 == 1)
    }

    /// Returns top row, left column, height and width of the bounding box.
    pub fn bounds(&self) -> (i64, i64, i64, i64) {
        (self.row.into(), self.col.into(), self.height.into(), self.width.into())
    }

    /// Returns the members in canonical order, as pairs or cells.
    pub fn iter(&self) -> PatchIter<'a> {
        let mut iter = PatchIter {
            rows: self.rows,
            next: 0,
            word: 0,
            colors: self.colors,
            color: 0,
            height: self.height,
            row_in_plane: 0,
            left: self.count,
            top: self.row,
            left_col: self.col,
        };
        if iter.colors != 0 {
            iter.color = iter.colors.trailing_zeros() as i16 - 1;
        }
        iter.load();
        iter
    }

    /// Returns colour (0 for indices), row and column of the first member.
    pub(crate) fn first_key(&self) -> (i64, i64, i64) {
        let color = if self.colors == 0 { 0 } else { i64::from(self.colors.trailing_zeros()) - 1 };
        let row = self.rows.iter().position(|word| *word != 0).expect("a patch is never empty");
        let col = i64::from(self.col) + i64::from(self.rows[row].trailing_zeros());
        (color, i64::from(self.row) + row as i64, col)
    }

    pub fn first(&self) -> Value<'a> {
        let (color, row, col) = self.first_key();
        if self.colors == 0 {
            Value::Pair(Pair::from_i32(row as i32, col as i32))
        } else {
            Value::Cell(Cell::new(color, row, col).expect("i16 + u8 fits"))
        }
    }
}

/// Iterator over the members of a patch; see [`Patch::iter`].
#[derive(Clone, Debug)]
pub struct PatchIter<'a> {
    rows: &'a [u64],
    /// Index of the word after the loaded one.
    next: usize,
    word: u64,
    colors: u16,
    color: i16,
    height: u8,
    row_in_plane: u8,
    left: u32,
    top: i16,
    left_col: i16,
}

impl PatchIter<'_> {
    fn load(&mut self) {
        self.word = self.rows[self.next];
        self.next += 1;
    }

    /// Moves on to the next word.
    fn advance(&mut self) {
        self.load();
        self.row_in_plane += 1;
        if self.row_in_plane == self.height {
            self.row_in_plane = 0;
            self.colors &= self.colors - 1;
            self.color = self.colors.trailing_zeros() as i16 - 1;
        }
    }

    fn member<'a>(&self, row: i64, col: i64) -> Value<'a> {
        if self.colors == 0 {
            Value::Pair(Pair::from_i32(row as i32, col as i32))
        } else {
            Value::Cell(Cell::new(self.color.into(), row, col).expect("i16 + u8 fits"))
        }
    }
}

impl<'a> Iterator for PatchIter<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.left = self.left.checked_sub(1)?;
        while self.word == 0 {
            self.advance();
        }
        let row = i64::from(self.top) + i64::from(self.row_in_plane);
        let col = i64::from(self.left_col) + i64::from(self.word.trailing_zeros());
        self.word &= self.word - 1;
        Some(self.member(row, col))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }

    /// Works word by word, which saves a check after each member.
    fn fold<B, F: FnMut(B, Value<'a>) -> B>(mut self, start: B, mut add: F) -> B {
        let mut sum = start;
        while self.left > 0 {
            let row = i64::from(self.top) + i64::from(self.row_in_plane);
            while self.word != 0 {
                let col = i64::from(self.left_col) + i64::from(self.word.trailing_zeros());
                self.word &= self.word - 1;
                self.left -= 1;
                sum = add(sum, self.member(row, col));
            }
            if self.left > 0 {
                self.advance();
            }
        }
        sum
    }
}

impl ExactSizeIterator for PatchIter<'_> {}
