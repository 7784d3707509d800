//! The memory that holds values. Values are made only here: the arena picks the form and enforces the caps.

use bumpalo::Bump;

use crate::func::Closure;
use crate::{Cell, Fail, Grid, Op, Pair, Patch, Row, Set, Tuple, Value, order};

/// Upper bounds for one value. They are counted on the value, not on its form, so a program fails at the same
/// point whatever the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// The number of nodes of the value as a tree (see [`Value::weight`]).
    pub weight: u32,
    /// The nesting depth (see [`Value::depth`]).
    pub depth: u16,
}

impl Caps {
    /// Large enough for the product of all places of a 30×30 grid with themselves.
    pub const STANDARD: Caps = Caps { weight: 1 << 23, depth: 900 };
}

/// Bit planes, from which [`Arena::patch`] makes a set.
#[derive(Clone, Copy, Debug)]
pub struct Planes<'w> {
    pub row: i64,
    pub col: i64,
    pub height: usize,
    /// One bit for each plane (see [`Patch::colors`]); 0 for indices, which have one plane.
    pub colors: u16,
    pub words: &'w [u64],
}

/// Returns whether `count` cells justify `n_words` words. For a few cells far apart, the empty words in
/// between would take more memory than the program pays for.
pub(crate) fn is_dense(n_words: usize, count: usize) -> bool {
    n_words <= 16 + 4 * count
}

/// Returns the number of set bits in `words`; `used` includes the bits of all of them. Several narrow words
/// are counted at once, because the CPU may have no instruction that counts bits.
fn count_ones(words: &[u64], used: u64) -> u32 {
    if used >> 16 == 0 {
        let (fours, rest) = words.as_chunks::<4>();
        let four = |[a, b, c, d]: &[u64; 4]| (a | b << 16 | c << 32 | d << 48).count_ones();
        let rest = rest.iter().fold(0, |rest, word| rest << 16 | word);
        fours.iter().map(four).sum::<u32>() + rest.count_ones()
    } else if used >> 32 == 0 {
        let (twos, rest) = words.as_chunks::<2>();
        let two = |[a, b]: &[u64; 2]| (a | b << 32).count_ones();
        twos.iter().map(two).sum::<u32>() + rest.first().map_or(0, |word| word.count_ones())
    } else {
        words.iter().map(|word| word.count_ones()).sum()
    }
}

/// Bump allocator for the values of one run; dropped or reset as a whole.
pub struct Arena {
    bump: Bump,
    caps: std::cell::Cell<Caps>,
}

impl Arena {
    pub fn new(caps: Caps) -> Arena {
        Arena { bump: Bump::new(), caps: std::cell::Cell::new(caps) }
    }

    pub fn caps(&self) -> Caps {
        self.caps.get()
    }

    /// Changes the caps for values that are made from now on.
    pub fn set_caps(&self, caps: Caps) {
        self.caps.set(caps);
    }

    /// Drops all values and keeps the memory.
    pub fn reset(&mut self) {
        self.bump.reset();
    }

    /// Returns the number of bytes allocated since the last reset, rounded up to whole chunks.
    pub fn bytes(&self) -> usize {
        self.bump.allocated_bytes()
    }

    /// Returns the number of bytes allocated since the last reset.
    pub fn used(&self) -> usize {
        self.bump.allocated_bytes() - self.bump.chunk_capacity()
    }

    /// Fails if a container of `n` members would exceed the caps. Call it before making many members.
    pub fn admit(&self, n: usize) -> Result<(), Fail> {
        if n < self.caps().weight as usize { Ok(()) } else { Err(Fail::TooLarge) }
    }

    /// Makes a tuple of any members.
    pub fn tuple<'a>(&'a self, items: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        self.tuple_with(items, || self.copy(items))
    }

    /// [`Arena::tuple`] for members that are in the arena.
    pub fn tuple_in<'a>(&'a self, items: &'a [Value<'a>]) -> Result<Value<'a>, Fail> {
        self.tuple_with(items, || items)
    }

    fn tuple_with<'a>(
        &'a self,
        items: &[Value<'a>],
        in_arena: impl FnOnce() -> &'a [Value<'a>],
    ) -> Result<Value<'a>, Fail> {
        match *items {
            [] => return Ok(Value::EMPTY_TUPLE),
            [Value::Int(row), Value::Int(col)] => {
                if let Some(pair) = Pair::new(row, col) {
                    return Ok(Value::Pair(pair));
                }
            }
            [Value::Int(color), Value::Pair(place)] => {
                if let Some(cell) = Cell::new(color, place.row(), place.col()) {
                    return Ok(Value::Cell(cell));
                }
            }
            [Value::Int(_), ..] => {
                self.admit(items.len())?;
                if let Some(cells) = self.small_ints(items) {
                    return Ok(Value::Row(self.bump.alloc(Row { cells })));
                }
            }
            // These cannot be the rows of a grid.
            [Value::Pair(_), Value::Patch(_)] => {}
            [Value::Row(_) | Value::Pair(_), ..] => {
                if let Some(grid) = self.rectangle(items)? {
                    return Ok(grid);
                }
            }
            _ => {}
        }
        let (weight, depth) = self.measure(items)?;
        let items = in_arena();
        Ok(Value::Tuple(self.bump.alloc(Tuple { items, weight, depth })))
    }

    /// Makes a tuple of small integers.
    pub fn row<'a>(&'a self, cells: &'a [i8]) -> Value<'a> {
        match *cells {
            [] => Value::EMPTY_TUPLE,
            [row, col] => Value::Pair(Pair::new(row.into(), col.into()).expect("small")),
            _ => Value::Row(self.bump.alloc(Row { cells })),
        }
    }

    /// Makes a tuple of integers that fit in an `i8`. Returns `None` if one does not fit, or if there are two
    /// or fewer.
    pub fn row_of_ints<'a>(&'a self, ints: &[i64]) -> Option<Value<'a>> {
        if ints.len() <= 2 || self.admit(ints.len()).is_err() {
            return None;
        }
        let cells =
            self.gather_checked(ints.iter().map(|int| (*int as i8, i64::from(*int as i8) != *int)))?;
        Some(Value::Row(self.bump.alloc(Row { cells })))
    }

    /// Makes a grid of small integers, `width` per row.
    pub fn grid<'a>(&'a self, width: usize, cells: &[i8]) -> Result<Value<'a>, Fail> {
        self.grid_in(width, self.copy(cells))
    }

    /// [`Arena::grid`] for cells that live as long as the arena.
    pub fn grid_in<'a>(&'a self, width: usize, cells: &'a [i8]) -> Result<Value<'a>, Fail> {
        if cells.is_empty() {
            return Ok(Value::EMPTY_TUPLE);
        }
        assert!(width > 0 && cells.len().is_multiple_of(width), "a grid is a rectangle");
        let height = cells.len() / width;
        self.admit(cells.len() + height)?;
        Ok(Value::Grid(self.bump.alloc(Grid::new(height, width, cells))))
    }

    /// Makes a grid whose cells `fill` writes; they start as 0.
    pub fn new_grid(
        &self,
        height: usize,
        width: usize,
        fill: impl FnOnce(&mut [i8]),
    ) -> Result<Value<'_>, Fail> {
        if height == 0 {
            return Ok(Value::EMPTY_TUPLE);
        }
        assert!(width > 0, "the rows of a grid have cells");
        self.admit(height.saturating_mul(width.saturating_add(1)))?;
        let cells = self.bump.alloc_slice_fill_copy(height * width, 0i8);
        fill(cells);
        Ok(Value::Grid(self.bump.alloc(Grid::new(height, width, cells))))
    }

    /// Makes a set of any members, in any order. Of equal members the first is kept.
    pub fn set<'a>(&'a self, items: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        self.set_with(items, || self.copy(items))
    }

    /// [`Arena::set`] for members that are in the arena.
    pub fn set_in<'a>(&'a self, items: &'a [Value<'a>]) -> Result<Value<'a>, Fail> {
        self.set_with(items, || items)
    }

    fn set_with<'a>(
        &'a self,
        items: &[Value<'a>],
        in_arena: impl FnOnce() -> &'a [Value<'a>],
    ) -> Result<Value<'a>, Fail> {
        if items.is_empty() {
            return Ok(Value::EMPTY_SET);
        }
        if let Some(patch) = self.to_planes(items) {
            return self.check_caps(patch);
        }
        let Some(sorted) = order::sort(self, items) else { return self.list_set(in_arena()) };
        // Once duplicates of another kind (True and 1) are removed, the set may fit in bit planes.
        if sorted.len() < items.len()
            && let Some(patch) = self.to_planes(sorted)
        {
            return self.check_caps(patch);
        }
        self.list_set(sorted)
    }

    /// Makes a set of members that are ascending and distinct, such as a part of another set.
    pub fn set_ascending<'a>(&'a self, items: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        if items.is_empty() {
            return Ok(Value::EMPTY_SET);
        }
        if let Some(patch) = self.to_planes(items) {
            return self.check_caps(patch);
        }
        debug_assert!(items.is_sorted_by(|a, b| order::cmp(*a, *b).is_lt()), "ascending");
        self.list_set(self.bump.alloc_slice_copy(items))
    }

    /// Makes bit planes of places or cells in any order, if they fit.
    pub fn patch_of<'a>(&'a self, items: &[Value<'a>]) -> Option<&'a Patch<'a>> {
        match self.check_caps(self.to_planes(items)?) {
            Ok(Value::Patch(patch)) => Some(patch),
            _ => None,
        }
    }

    /// Makes the set of all tuples of a member of `a` and a member of `b`. Returns `None` unless both hold
    /// cells or both hold small places, or if the result exceeds the caps.
    pub fn product<'a>(&'a self, a: &Patch<'a>, b: &Patch<'a>) -> Option<Value<'a>> {
        let small = |patch: &Patch<'a>| {
            let (row, col, height, width) = patch.bounds();
            let fits = |first: i64, n: i64| first >= i8::MIN.into() && first + n - 1 <= i8::MAX.into();
            fits(row, height) && fits(col, width)
        };
        let n = a.count().checked_mul(b.count())?;
        let (each, depth) = match (a.is_object(), b.is_object()) {
            (true, true) => (11, 4),
            (false, false) if small(a) && small(b) => (7, 3),
            _ => return None,
        };
        let weight = u32::try_from(each * n + 1).ok()?;
        if weight > self.caps().weight || depth > self.caps().depth {
            return None;
        }
        let items =
            if a.is_object() { self.tuples_of_cells(a, b, n) } else { self.tuples_of_places(a, b, n) };
        Some(Value::Set(self.bump.alloc(Set { items, weight, depth })))
    }

    fn tuples_of_cells<'a>(&'a self, a: &Patch<'a>, b: &Patch<'a>, n: usize) -> &'a [Value<'a>] {
        let twos = self.bump.alloc_slice_fill_copy(n, [Value::None; 2]);
        for (twos, first) in twos.chunks_exact_mut(b.count()).zip(a.iter()) {
            twos.iter_mut().zip(b.iter()).for_each(|(two, second)| *two = [first, second]);
        }
        let tuple = |two: &'a [Value<'a>; 2]| Tuple { items: two, weight: 11, depth: 3 };
        let tuples: &[Tuple<'a>] = self.bump.alloc_slice_fill_iter(twos.iter().map(tuple));
        self.bump.alloc_slice_fill_iter(tuples.iter().map(Value::Tuple))
    }

    /// A tuple of two small places has the form of a grid of two rows.
    fn tuples_of_places<'a>(&'a self, a: &Patch<'a>, b: &Patch<'a>, n: usize) -> &'a [Value<'a>] {
        let place = |value: Value<'_>| match value {
            Value::Pair(pair) => [pair.row() as i8, pair.col() as i8],
            _ => unreachable!("indices hold pairs"),
        };
        let twos = self.bump.alloc_slice_fill_copy(n, [0i8; 4]);
        for (twos, [i, j]) in twos.chunks_exact_mut(b.count()).zip(a.iter().map(place)) {
            twos.iter_mut().zip(b.iter().map(place)).for_each(|(two, [k, l])| *two = [i, j, k, l]);
        }
        let grid = |two: &'a [i8; 4]| Grid { height: 2, width: 2, cells: two };
        let grids: &[Grid<'a>] = self.bump.alloc_slice_fill_iter(twos.iter().map(grid));
        self.bump.alloc_slice_fill_iter(grids.iter().map(Value::Grid))
    }

    /// Makes a set of places or cells from bit planes: bit `k` of a word is column `col + k`, and each colour
    /// has a plane of `height` words, ascending (see [`Patch`]). The box need not be tight and planes may be
    /// empty. Returns `None` if the set does not fit in bit planes.
    pub fn patch<'a>(&'a self, planes: Planes<'_>) -> Option<Result<Value<'a>, Fail>> {
        let Planes { row, col, height, mut colors, words } = planes;
        if words.len() == height {
            let Some(first) = words.iter().position(|word| *word != 0) else {
                return Some(Ok(Value::EMPTY_SET));
            };
            let last = words.iter().rposition(|word| *word != 0).unwrap_or(first);
            let words = &words[first..=last];
            // Check before allocating: a few cells far apart do not fit.
            if !is_dense(words.len(), 1) && !is_dense(words.len(), count_ones(words, u64::MAX) as usize) {
                return None;
            }
            return self.patch_plane(row + first as i64, col, colors, self.copy_words(words));
        }
        let mut used_rows = (usize::MAX, 0);
        let mut used_cols = 0u64;
        let (mut kept, mut n_kept) = (0u32, 0);
        for (p, plane) in words.chunks_exact(height.max(1)).enumerate() {
            let Some(first) = plane.iter().position(|word| *word != 0) else { continue };
            let last = plane.iter().rposition(|word| *word != 0).unwrap_or(first);
            used_rows = (used_rows.0.min(first), used_rows.1.max(last));
            used_cols |= plane[first..=last].iter().fold(0, |used, word| used | word);
            kept |= 1 << p;
            n_kept += 1;
        }
        if kept == 0 {
            return Some(Ok(Value::EMPTY_SET));
        }
        let (skip_rows, skip_cols) = (used_rows.0, used_cols.trailing_zeros());
        let tight_height = used_rows.1 + 1 - skip_rows;
        let width = 64 - used_cols.leading_zeros() - skip_cols;
        let count = count_ones(words, used_cols);
        if !is_dense(n_kept * tight_height, count as usize) {
            return None;
        }
        let rows = self.bump.alloc_slice_fill_copy(n_kept * tight_height, 0u64);
        let mut to = rows.chunks_exact_mut(tight_height);
        let mut rest = colors;
        for (p, plane) in words.chunks_exact(height).enumerate() {
            let color = rest & rest.wrapping_neg();
            rest &= !color;
            if kept >> p & 1 == 0 {
                colors &= !color;
                continue;
            }
            let plane = &plane[skip_rows..][..tight_height];
            for (to, from) in to.next().expect("one for each plane that is kept").iter_mut().zip(plane) {
                *to = from >> skip_cols;
            }
        }
        let (row, col) = (row + skip_rows as i64, col + i64::from(skip_cols));
        self.patch_tight(Planes { row, col, height: tight_height, colors, words: rows }, width, count)
    }

    /// [`Arena::patch`] for a single plane in the arena.
    pub fn patch_plane<'a>(
        &'a self,
        row: i64,
        col: i64,
        colors: u16,
        words: &'a mut [u64],
    ) -> Option<Result<Value<'a>, Fail>> {
        let Some(first) = words.iter().position(|word| *word != 0) else {
            return Some(Ok(Value::EMPTY_SET));
        };
        let last = words.iter().rposition(|word| *word != 0).unwrap_or(first);
        let words = &mut words[first..=last];
        let used = words.iter().fold(0, |used, word| used | *word);
        let skip = used.trailing_zeros();
        let width = 64 - used.leading_zeros() - skip;
        if skip > 0 {
            words.iter_mut().for_each(|word| *word >>= skip);
        }
        let (row, col) = (row + first as i64, col + i64::from(skip));
        self.patch_counted(Planes { row, col, height: words.len(), colors, words }, width)
    }

    /// Copies words into the arena, to be changed and passed to [`Arena::patch_plane`].
    pub fn copy_words(&self, words: &[u64]) -> &mut [u64] {
        self.copy(words)
    }

    pub(crate) fn copy<T: Copy>(&self, items: &[T]) -> &mut [T] {
        self.bump.alloc_slice_copy(items)
    }

    /// Allocates words for planes, to be passed to [`Arena::patch_tight`].
    pub fn words(&self, n: usize, word: u64) -> &mut [u64] {
        self.repeat(n, word)
    }

    /// Allocates something other than a value, which lives as long as the values.
    pub fn alloc<T: Copy>(&self, item: T) -> &T {
        self.bump.alloc(item)
    }

    /// Allocates `n` copies of an item.
    pub fn repeat<T: Copy>(&self, n: usize, item: T) -> &mut [T] {
        self.bump.alloc_slice_fill_copy(n, item)
    }

    /// Allocates a slice of items.
    pub fn gather<T: Copy>(&self, items: impl ExactSizeIterator<Item = T>) -> &[T] {
        self.bump.alloc_slice_fill_iter(items)
    }

    /// Allocates a slice of items, unless one is flagged as invalid.
    pub fn gather_checked<T: Copy>(&self, items: impl ExactSizeIterator<Item = (T, bool)>) -> Option<&[T]> {
        let mut any_invalid = false;
        // PERF: a loop without an early exit can be vectorised.
        let items = self.gather(items.map(|(item, is_invalid)| {
            any_invalid |= is_invalid;
            item
        }));
        (!any_invalid).then_some(items)
    }

    /// Allocates a slice of items, unless one is missing.
    pub fn try_gather<T: Copy>(&self, items: impl ExactSizeIterator<Item = Option<T>>) -> Option<&[T]> {
        self.bump.alloc_slice_try_fill_iter(items.map(|item| item.ok_or(()))).ok().map(|items| &*items)
    }

    /// [`Arena::patch_tight`] for planes whose cells have not been counted.
    pub fn patch_counted<'a>(&'a self, planes: Planes<'a>, width: u32) -> Option<Result<Value<'a>, Fail>> {
        self.patch_tight(planes, width, count_ones(planes.words, Patch::mask(width as u8)))
    }

    /// Returns whether planes of `n_words` words may hold `count` cells; if not, the set is in list form.
    pub fn fits_planes(n_words: usize, count: usize) -> bool {
        is_dense(n_words, count)
    }

    /// [`Arena::patch`] for planes in the arena that the caller has measured: no plane is empty, the box is
    /// tight and `width` wide, and `count` bits are set.
    pub fn patch_tight<'a>(
        &'a self,
        planes: Planes<'a>,
        width: u32,
        count: u32,
    ) -> Option<Result<Value<'a>, Fail>> {
        let Planes { row, col, height, colors, words: rows } = planes;
        debug_assert_eq!(rows.iter().map(|word| word.count_ones()).sum::<u32>(), count, "counted");
        debug_assert_eq!(rows.iter().fold(0, |used, word| used | word).leading_zeros(), 64 - width, "tight");
        let (row, col) = (i16::try_from(row).ok()?, i16::try_from(col).ok()?);
        if height as i64 > Patch::MAX_HEIGHT || !is_dense(rows.len(), count as usize) {
            return None;
        }
        let patch = Patch { row, col, height: height as u8, width: width as u8, colors, count, rows };
        Some(self.check_caps(Value::Patch(self.bump.alloc(patch))))
    }

    /// Returns the patch moved by `rows` and `cols`, sharing its bits; `None` if it does not fit there.
    pub fn moved<'a>(&'a self, patch: &Patch<'a>, rows: i64, cols: i64) -> Option<Value<'a>> {
        let row = i16::try_from(i64::from(patch.row).checked_add(rows)?).ok()?;
        let col = i16::try_from(i64::from(patch.col).checked_add(cols)?).ok()?;
        Some(Value::Patch(self.bump.alloc(Patch { row, col, ..*patch })))
    }

    /// Returns the places of a patch in one colour, or without colours, sharing the bits of a single plane.
    pub fn recolored<'a>(&'a self, patch: &Patch<'a>, color: Option<i64>) -> Option<Value<'a>> {
        let colors = match color {
            Some(color) if Patch::COLORS.contains(&color) => 1 << (color + 1),
            Some(_) => return None,
            None => 0,
        };
        let height = patch.height as usize;
        if patch.rows.len() == height {
            return Some(Value::Patch(self.bump.alloc(Patch { colors, ..*patch })));
        }
        let rows = self.bump.alloc_slice_copy(&patch.rows[..height]);
        for plane in patch.rows[height..].chunks_exact(height) {
            rows.iter_mut().zip(plane).for_each(|(to, from)| *to |= from);
        }
        let count = count_ones(rows, Patch::mask(patch.width));
        is_dense(height, count as usize)
            .then(|| Value::Patch(self.bump.alloc(Patch { colors, count, rows, ..*patch })))
    }

    /// Makes a function from a combinator and the values it captures.
    pub fn closure<'a>(&'a self, op: Op, captured: &[Value<'a>]) -> Result<Value<'a>, Fail> {
        assert_eq!(captured.len(), op.n_captured(), "{} captures {} values", op.name(), op.n_captured());
        let arity = Closure::arity_of(op, captured).ok_or(Fail::Kind)?;
        let (weight, depth) = self.measure(captured)?;
        let captured = self.bump.alloc_slice_copy(captured);
        Ok(Value::Func(self.bump.alloc(Closure { op, arity, depth, weight, captured })))
    }

    /// Makes a set in list form, of ascending members in the arena that do not fit in bit planes.
    pub fn list_set<'a>(&'a self, items: &'a [Value<'a>]) -> Result<Value<'a>, Fail> {
        let (weight, depth) = self.measure(items)?;
        Ok(Value::Set(self.bump.alloc(Set { items, weight, depth })))
    }

    fn check_caps<'a>(&self, value: Value<'a>) -> Result<Value<'a>, Fail> {
        if value.weight() > self.caps().weight || value.depth() > self.caps().depth {
            return Err(Fail::TooLarge);
        }
        Ok(value)
    }

    /// Returns weight and depth of a container of `items`, if they are within the caps.
    fn measure(&self, items: &[Value<'_>]) -> Result<(u32, u16), Fail> {
        self.admit(items.len())?;
        let mut weight = 1u64;
        let mut depth = 0;
        for item in items {
            let extent = item.extent();
            weight += u64::from(extent.0);
            depth = depth.max(extent.1);
        }
        if weight > u64::from(self.caps().weight) || depth >= self.caps().depth {
            return Err(Fail::TooLarge);
        }
        Ok((weight as u32, depth + 1))
    }

    fn small_ints<'a>(&'a self, items: &[Value<'a>]) -> Option<&'a [i8]> {
        let small = |item: &Value<'_>| match item {
            Value::Int(int) => i8::try_from(*int).ok(),
            _ => None,
        };
        if !items.iter().all(|item| small(item).is_some()) {
            return None;
        }
        Some(self.bump.alloc_slice_fill_iter(items.iter().map(|item| small(item).expect("checked above"))))
    }

    /// Makes a grid of `items`, if they are rows of one width.
    fn rectangle<'a>(&'a self, items: &[Value<'a>]) -> Result<Option<Value<'a>>, Fail> {
        let width = items[0].len().expect("a row is a tuple");
        for item in items {
            let fits = match item {
                Value::Row(row) => row.cells.len() == width,
                Value::Pair(pair) => {
                    width == 2 && i8::try_from(pair.row()).is_ok() && i8::try_from(pair.col()).is_ok()
                }
                _ => false,
            };
            if !fits {
                return Ok(None);
            }
        }
        self.admit(items.len() * (width + 1))?;
        let cells = self.bump.alloc_slice_fill_copy(items.len() * width, 0i8);
        for (cells, item) in cells.chunks_exact_mut(width).zip(items) {
            match item {
                Value::Row(row) => cells.copy_from_slice(row.cells),
                Value::Pair(pair) => cells.copy_from_slice(&[pair.row() as i8, pair.col() as i8]),
                _ => unreachable!("checked above"),
            }
        }
        Ok(Some(Value::Grid(self.bump.alloc(Grid::new(items.len(), width, cells)))))
    }

    /// Makes a patch of one place or cell.
    pub fn singleton<'a>(&'a self, item: Value<'a>) -> Option<Value<'a>> {
        let (colors, row, col) = match item {
            Value::Pair(pair) => (0, pair.row(), pair.col()),
            Value::Cell(cell) if Patch::COLORS.contains(&cell.color()) => {
                (1 << (cell.color() + 1), cell.row(), cell.col())
            }
            _ => return None,
        };
        let (row, col) = (i16::try_from(row).ok()?, i16::try_from(col).ok()?);
        let patch = Patch { row, col, height: 1, width: 1, colors, count: 1, rows: &[1] };
        Some(Value::Patch(self.bump.alloc(patch)))
    }

    /// Makes bit planes of `items`, if they are all pairs or all cells and fit.
    fn to_planes<'a>(&'a self, items: &[Value<'a>]) -> Option<Value<'a>> {
        fn place(item: Value<'_>, object: bool) -> Option<(i64, i64, i64)> {
            match item {
                Value::Pair(pair) if !object => Some((0, pair.row(), pair.col())),
                Value::Cell(cell) if object => Some((cell.color(), cell.row(), cell.col())),
                _ => None,
            }
        }
        if let [item] = *items {
            return self.singleton(item);
        }
        let object = matches!(items[0], Value::Cell(_));
        let (_, row, col) = place(items[0], object)?;
        let (mut top, mut bottom, mut left, mut right) = (row, row, col, col);
        let mut colors = 0u16;
        for &item in items {
            let (color, row, col) = place(item, object)?;
            if object {
                if !Patch::COLORS.contains(&color) {
                    return None;
                }
                colors |= 1 << (color + 1);
            }
            (top, bottom) = (top.min(row), bottom.max(row));
            (left, right) = (left.min(col), right.max(col));
        }
        let (height, width) = (bottom - top + 1, right - left + 1);
        let (row, col) = (i16::try_from(top).ok()?, i16::try_from(left).ok()?);
        if height > Patch::MAX_HEIGHT || width > Patch::MAX_WIDTH {
            return None;
        }
        let n_planes = colors.count_ones().max(1) as usize;
        let n_words = n_planes * height as usize;
        if !is_dense(n_words, items.len()) {
            return None;
        }
        let rows = self.bump.alloc_slice_fill_copy(n_planes * height as usize, 0u64);
        for &item in items {
            let (color, row, col) = place(item, object)?;
            let plane = if object { (colors & ((1u16 << (color + 1)) - 1)).count_ones() as usize } else { 0 };
            rows[plane * height as usize + (row - top) as usize] |= 1 << (col - left);
        }
        let count = count_ones(rows, Patch::mask(width as u8));
        // Repeated items can make a sparse set look dense.
        if !is_dense(n_words, count as usize) {
            return None;
        }
        let patch = Patch { row, col, height: height as u8, width: width as u8, colors, count, rows };
        Some(Value::Patch(self.bump.alloc(patch)))
    }
}
