//! Kernels for grids.

use batt_dsl::Cx;
use batt_value::{Arena, Grid, Planes, Value};
use smallvec::{SmallVec, smallvec};

use super::Answer;
use super::patch::{Words, ones, plane_starts};

register! {
    P1: rot90, rot180, rot270, cmirror, mostcolor, leastcolor, asindices, asobject, tophalf, bottomhalf, lefthalf,
        righthalf, trim, frontiers, compress;
    P2: ofcolor, hconcat, vconcat, hupscale, vupscale, upscale, downscale, colorcount, canvas, subgrid, hsplit,
        vsplit;
    K3: crop, replace, switch, cellwise;
}

/// Makes a grid whose cell at (row, col) is `cell(row, col)`.
fn build<'a>(arena: &'a Arena, height: usize, width: usize, cell: impl Fn(usize, usize) -> i8) -> Answer<'a> {
    if height == 0 || width == 0 {
        return None;
    }
    Some(arena.new_grid(height, width, |cells| {
        for (row, cells) in cells.chunks_exact_mut(width).enumerate() {
            for (col, to) in cells.iter_mut().enumerate() {
                *to = cell(row, col);
            }
        }
    }))
}

pub(super) fn hmirror<'a>(arena: &'a Arena, grid: &Grid<'a>) -> Answer<'a> {
    Some(arena.new_grid(grid.height(), grid.width(), |cells| {
        let rows = cells.chunks_exact_mut(grid.width()).rev();
        rows.zip(grid.rows()).for_each(|(to, from)| to.copy_from_slice(from));
    }))
}

pub(super) fn vmirror<'a>(arena: &'a Arena, grid: &Grid<'a>) -> Answer<'a> {
    let last = grid.width() - 1;
    build(arena, grid.height(), grid.width(), |row, col| grid[(row, last - col)])
}

pub(super) fn dmirror<'a>(arena: &'a Arena, grid: &Grid<'a>) -> Answer<'a> {
    build(arena, grid.width(), grid.height(), |row, col| grid[(col, row)])
}

fn cmirror<'a>(cx: &mut Cx<'a>, piece: Value<'a>) -> Answer<'a> {
    let grid = match piece {
        Value::Grid(grid) => grid,
        Value::Patch(_) => {
            let Some(Ok(piece)) = super::patch::vmirror(cx, piece) else { return None };
            let Some(Ok(piece)) = super::patch::dmirror(cx, piece) else { return None };
            return super::patch::vmirror(cx, piece);
        }
        _ => return None,
    };
    let (bottom, right) = (grid.height() - 1, grid.width() - 1);
    build(cx.arena, grid.width(), grid.height(), |row, col| grid[(bottom - col, right - row)])
}

fn rot90<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    let bottom = grid.height() - 1;
    build(cx.arena, grid.width(), grid.height(), |row, col| grid[(bottom - col, row)])
}

fn rot180<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    Some(cx.arena.new_grid(grid.height(), grid.width(), |cells| {
        cells.iter_mut().zip(grid.cells().iter().rev()).for_each(|(to, from)| *to = *from);
    }))
}

fn rot270<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    let right = grid.width() - 1;
    build(cx.arena, grid.width(), grid.height(), |row, col| grid[(col, right - row)])
}

/// Returns whether a patch can have the colours of all cells.
pub(super) fn has_patch_colors(cells: &[i8]) -> bool {
    cells.iter().fold(0, |all, cell| all | (*cell as u8).wrapping_add(1)) < 16
}

/// Returns the most frequent colour; of several, the smallest. `None` if a cell has a colour that no patch
/// can have.
pub(super) fn most_common(cells: &[i8]) -> Option<i8> {
    // Most grids are more than half black, and counting one colour is fast.
    if has_patch_colors(cells) && 2 * count_of(cells, 0) > cells.len() {
        return Some(0);
    }
    Some(histogram(cells)?.most_common())
}

/// Counts the cells of this colour. The inner loop is vectorised.
fn count_of(cells: &[i8], color: i8) -> usize {
    let count = |part: &[i8]| part.iter().map(|cell| u8::from(*cell == color)).sum::<u8>();
    cells.chunks(128).map(|part| usize::from(count(part))).sum()
}

/// The number of cells of each colour that a patch can have, from -1 on.
pub(super) struct Histogram([u32; 16]);

/// Counts the cells of each colour. Returns `None` if a cell has a colour that no patch can have.
pub(super) fn histogram(cells: &[i8]) -> Option<Histogram> {
    // Four tables, so that counting equal neighbours does not stall the CPU.
    let mut tables = [[0u32; 16]; 4];
    let mut all = 0;
    let mut add = |table: usize, cell: i8| {
        let at = (cell as u8).wrapping_add(1);
        all |= at;
        tables[table][usize::from(at & 15)] += 1;
    };
    let (fours, rest) = cells.as_chunks::<4>();
    for four in fours {
        (0..4).for_each(|table| add(table, four[table]));
    }
    rest.iter().for_each(|cell| add(0, *cell));
    (all < 16).then(|| Histogram(std::array::from_fn(|at| tables.iter().map(|table| table[at]).sum())))
}

impl Histogram {
    /// Returns the colours that occur, ascending, with their counts.
    pub(super) fn colors(&self) -> impl Iterator<Item = (i8, u32)> {
        let counts = self.0.iter().enumerate().filter(|(_, n)| **n > 0);
        counts.map(|(at, n)| (at as i8 - 1, *n))
    }

    /// Returns the most frequent colour; of several, the smallest.
    pub(super) fn most_common(&self) -> i8 {
        let mut best = (0, 0);
        for (at, n) in self.0.iter().enumerate() {
            if *n > best.1 {
                best = (at as i8 - 1, *n);
            }
        }
        best.0
    }

    /// Returns the colours that occur, as the bits of a patch.
    fn bits(&self) -> u16 {
        self.colors().fold(0, |bits, (color, _)| bits | 1 << (color + 1))
    }
}

fn mostcolor<'a>(_: &mut Cx<'a>, element: Value<'a>) -> Answer<'a> {
    match element {
        Value::Grid(grid) => Some(Ok(Value::Int(most_common(grid.cells())?.into()))),
        Value::Patch(patch) if patch.is_object() => {
            let mut best = (0, 0);
            for (color, plane) in patch.planes() {
                let n: u32 = plane.iter().map(|word| word.count_ones()).sum();
                if n > best.1 {
                    best = (color, n);
                }
            }
            Some(Ok(Value::Int(best.0)))
        }
        _ => None,
    }
}

fn leastcolor<'a>(_: &mut Cx<'a>, element: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = element else { return None };
    let histogram = histogram(grid.cells())?;
    let least = histogram.colors().reduce(|best, it| if it.1 < best.1 { it } else { best })?;
    Some(Ok(Value::Int(least.0.into())))
}

fn colorcount<'a>(_: &mut Cx<'a>, element: Value<'a>, value: Value<'a>) -> Answer<'a> {
    let Value::Int(color) = value else { return None };
    let n = match element {
        Value::Grid(grid) => match i8::try_from(color) {
            Ok(color) => count_of(grid.cells(), color) as i64,
            Err(_) => 0,
        },
        Value::Patch(patch) if patch.is_object() => {
            let plane = patch.planes().find(|(other, _)| *other == color);
            plane.map_or(0, |(_, plane)| plane.iter().map(|word| i64::from(word.count_ones())).sum())
        }
        _ => return None,
    };
    Some(Ok(Value::Int(n)))
}

/// Returns whether a grid fits in a bit plane.
pub(super) fn fits(grid: &Grid<'_>) -> bool {
    grid.width() <= 64 && grid.height() <= 255
}

/// One bit for each cell of a grid, row by row.
pub(super) struct Bits {
    /// One word more than the cells need, which simplifies `row`.
    words: SmallVec<[u64; 17]>,
    height: usize,
    width: usize,
}

impl Bits {
    /// Marks the cells of a colour.
    pub(super) fn of_color(grid: &Grid<'_>, color: i8) -> Bits {
        let all = u64::from(color as u8) * EVERY_BYTE;
        let many =
            |_: usize, cells: &[i8; 64]| compare_cells(cells, &[color; 64], |cell, color| cell == color);
        let bits = |_: usize, eight: &[i8; 8]| nonzero_bytes(bytes(eight) ^ all) ^ 0xff;
        Bits::new(grid, many, bits, |at| grid.cells()[at] == color)
    }

    /// Marks the cells that differ from the previous cell in row order, but never the first cell of the grid.
    pub(super) fn changes(grid: &Grid<'_>) -> Bits {
        let cells = grid.cells();
        let many = |at: usize, now: &[i8; 64]| {
            let mut before = [cells[0]; 64];
            match at.checked_sub(1) {
                Some(start) => before.copy_from_slice(&cells[start..start + 64]),
                None => before[1..].copy_from_slice(&now[..63]),
            }
            compare_cells(now, &before, |now, before| now != before)
        };
        let bits = |at: usize, eight: &[i8; 8]| {
            let before = cells[at.saturating_sub(1)];
            nonzero_bytes(bytes(eight) ^ (bytes(eight) << 8 | u64::from(before as u8)))
        };
        Bits::new(grid, many, bits, |at| at > 0 && cells[at] != cells[at - 1])
    }

    /// Marks cells. `many` and `eights` return the bits of 64 and of eight cells from an index on, `one` that
    /// of a single cell.
    fn new(
        grid: &Grid<'_>,
        many: impl Fn(usize, &[i8; 64]) -> u64,
        eights: impl Fn(usize, &[i8; 8]) -> u64,
        one: impl Fn(usize) -> bool,
    ) -> Bits {
        let cells = grid.cells();
        let mut words: SmallVec<[u64; 17]> = SmallVec::with_capacity(cells.len() / 64 + 2);
        let (chunks, rest) = cells.as_chunks::<64>();
        words.extend(chunks.iter().enumerate().map(|(k, chunk)| many(64 * k, chunk)));
        let at = 64 * chunks.len();
        let (chunks, single) = rest.as_chunks::<8>();
        let mut word = 0;
        for (k, eight) in chunks.iter().enumerate() {
            word |= eights(at + 8 * k, eight) << (8 * k);
        }
        for k in rest.len() - single.len()..rest.len() {
            word |= u64::from(one(at + k)) << k;
        }
        words.push(word);
        words.push(0);
        Bits { words, height: grid.height(), width: grid.width() }
    }

    pub(super) fn row(&self, row: usize) -> u64 {
        let start = row * self.width;
        let (word, skip) = (start / 64, start % 64);
        (self.words[word] >> skip | self.words[word + 1] << 1 << (63 - skip)) & ones(self.width as i64)
    }

    /// Returns the number of set bits.
    pub(super) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the rows as a plane in the arena.
    pub(super) fn rows_in<'a>(&self, arena: &'a Arena) -> &'a mut [u64] {
        let words = arena.words(self.height, 0);
        let (from, ones) = (&self.words[..], ones(self.width as i64));
        let mut start = 0;
        for word in &mut *words {
            let (at, skip) = (start / 64, start % 64);
            *word = (from[at] >> skip | from[at + 1] << 1 << (63 - skip)) & ones;
            start += self.width;
        }
        words
    }
}

const EVERY_BYTE: u64 = 0x0101_0101_0101_0101;

/// Returns one bit for each two cells at the same index for which `holds` is true. The first loop is
/// vectorised: each byte gets its bit, and a product combines the bits of eight bytes.
fn compare_cells(a: &[i8; 64], b: &[i8; 64], holds: impl Fn(i8, i8) -> bool) -> u64 {
    const BITS: [u8; 64] = {
        let mut bits = [1; 64];
        let mut at = 0;
        while at < 64 {
            bits[at] = 1 << (at % 8);
            at += 1;
        }
        bits
    };
    let mut marks = [0u8; 64];
    for (((mark, bit), a), b) in marks.iter_mut().zip(&BITS).zip(a).zip(b) {
        *mark = if holds(*a, *b) { *bit } else { 0 };
    }
    let (eights, _) = marks.as_chunks::<8>();
    let byte = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(EVERY_BYTE) >> 56;
    eights.iter().rev().fold(0, |word, eight| word << 8 | byte(eight))
}

fn bytes(eight: &[i8; 8]) -> u64 {
    u64::from_le_bytes(eight.map(|cell| cell as u8))
}

/// Returns one bit for each of the eight bytes that is not 0.
fn nonzero_bytes(bytes: u64) -> u64 {
    const LOW: u64 = 0x7f * EVERY_BYTE;
    let high = (((bytes & LOW) + LOW) | bytes) & !LOW;
    // The product moves bit 8k to bit 56 + k.
    (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

fn ofcolor<'a>(cx: &mut Cx<'a>, grid: Value<'a>, value: Value<'a>) -> Answer<'a> {
    let (Value::Grid(grid), Value::Int(color)) = (grid, value) else { return None };
    if !fits(grid) {
        return None;
    }
    let Ok(color) = i8::try_from(color) else { return Some(Ok(Value::EMPTY_SET)) };
    cx.arena.patch_plane(0, 0, 0, Bits::of_color(grid, color).rows_in(cx.arena))
}

fn asindices<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    if !fits(grid) {
        return None;
    }
    let (height, width) = (grid.height(), grid.width());
    let words = cx.arena.words(height, ones(width as i64));
    let planes = Planes { row: 0, col: 0, height, colors: 0, words };
    cx.arena.patch_tight(planes, width as u32, (height * width) as u32)
}

fn asobject<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    if !fits(grid) {
        return None;
    }
    let (height, width) = (grid.height(), grid.width());
    let (colors, words) = match uniform(grid.cells()) {
        Some(color) => {
            let color = u32::try_from(color + 1).ok().filter(|color| *color < 16)?;
            (1 << color, cx.arena.words(height, ones(width as i64)))
        }
        None => {
            let colors = histogram(grid.cells())?.bits();
            let starts = plane_starts(colors, height);
            let n_words = colors.count_ones() as usize * height;
            if !Arena::fits_planes(n_words, height * width) {
                return None;
            }
            let words = cx.arena.words(n_words, 0);
            for (i, row) in grid.rows().enumerate() {
                for (j, cell) in row.iter().enumerate() {
                    words[starts[(cell + 1) as usize & 15] + i] |= 1 << j;
                }
            }
            (colors, words)
        }
    };
    let planes = Planes { row: 0, col: 0, height, colors, words };
    cx.arena.patch_tight(planes, width as u32, (height * width) as u32)
}

/// Returns the colour of all cells, if they have the same.
fn uniform(cells: &[i8]) -> Option<i8> {
    cells.iter().all(|cell| *cell == cells[0]).then_some(cells[0])
}

/// Copies a part of a grid, which must be inside the grid.
fn part<'a>(
    arena: &'a Arena,
    grid: &Grid<'_>,
    row: usize,
    col: usize,
    height: usize,
    width: usize,
) -> Answer<'a> {
    if height == 0 || width == 0 {
        return None;
    }
    Some(arena.new_grid(height, width, |cells| {
        for (i, to) in cells.chunks_exact_mut(width).enumerate() {
            to.copy_from_slice(&grid.row(row + i)[col..col + width]);
        }
    }))
}

fn crop<'a>(cx: &mut Cx<'a>, grid: Value<'a>, start: Value<'a>, dims: Value<'a>) -> Answer<'a> {
    let (Value::Grid(grid), Value::Pair(start), Value::Pair(dims)) = (grid, start, dims) else { return None };
    crop_inside(cx.arena, grid, (start.row(), start.col()), (dims.row(), dims.col()))
}

/// Crops a grid, if the start is inside the grid and the dimensions are positive. Other slices are left to
/// the body.
fn crop_inside<'a>(arena: &'a Arena, grid: &Grid<'_>, start: (i64, i64), dims: (i64, i64)) -> Answer<'a> {
    let (height, width) = (grid.height() as i64, grid.width() as i64);
    let inside = (0..height).contains(&start.0) && (0..width).contains(&start.1);
    if !inside || dims.0 <= 0 || dims.1 <= 0 {
        return None;
    }
    let (rows, cols) = (dims.0.min(height - start.0), dims.1.min(width - start.1));
    part(arena, grid, start.0 as usize, start.1 as usize, rows as usize, cols as usize)
}

fn subgrid<'a>(cx: &mut Cx<'a>, patch: Value<'a>, grid: Value<'a>) -> Answer<'a> {
    let (Value::Patch(patch), Value::Grid(grid)) = (patch, grid) else { return None };
    let (row, col, height, width) = patch.bounds();
    crop_inside(cx.arena, grid, (row, col), (height, width))
}

fn hsplit<'a>(cx: &mut Cx<'a>, grid: Value<'a>, n: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    parts(cx.arena, grid.width(), n, |start, size| part(cx.arena, grid, 0, start, grid.height(), size))
}

fn vsplit<'a>(cx: &mut Cx<'a>, grid: Value<'a>, n: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    parts(cx.arena, grid.height(), n, |start, size| part(cx.arena, grid, start, 0, size, grid.width()))
}

/// Makes a tuple of `n` parts, each from its start and its size. If the division is uneven, there are gaps
/// between parts.
fn parts<'a>(
    arena: &'a Arena,
    whole: usize,
    n: Value<'a>,
    part: impl Fn(usize, usize) -> Answer<'a>,
) -> Answer<'a> {
    let Value::Int(n) = n else { return None };
    let n = usize::try_from(n).ok().filter(|n| (1..=whole).contains(n))?;
    let (size, stride) = (whole / n, whole.div_ceil(n));
    let mut grids: SmallVec<[Value<'a>; 12]> = SmallVec::new();
    for start in (0..n).map(|i| i * stride) {
        // The last parts may be outside.
        if start + size > whole {
            return None;
        }
        match part(start, size)? {
            Ok(grid) => grids.push(grid),
            Err(fail) => return Some(Err(fail)),
        }
    }
    Some(arena.tuple(&grids))
}

fn tophalf<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    part(cx.arena, grid, 0, 0, grid.height() / 2, grid.width())
}

fn bottomhalf<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    part(cx.arena, grid, grid.height().div_ceil(2), 0, grid.height() / 2, grid.width())
}

fn lefthalf<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    part(cx.arena, grid, 0, 0, grid.height(), grid.width() / 2)
}

fn righthalf<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    part(cx.arena, grid, 0, grid.width().div_ceil(2), grid.height(), grid.width() / 2)
}

fn trim<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    let (height, width) = (grid.height().checked_sub(2)?, grid.width().checked_sub(2)?);
    part(cx.arena, grid, 1, 1, height, width)
}

fn hconcat<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let (Value::Grid(a), Value::Grid(b)) = (a, b) else { return None };
    let (height, width) = (a.height().min(b.height()), a.width() + b.width());
    Some(cx.arena.new_grid(height, width, |cells| {
        for ((to, a_row), b_row) in cells.chunks_exact_mut(width).zip(a.rows()).zip(b.rows()) {
            to[..a_row.len()].copy_from_slice(a_row);
            to[a_row.len()..].copy_from_slice(b_row);
        }
    }))
}

fn vconcat<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let (Value::Grid(a), Value::Grid(b)) = (a, b) else { return None };
    if a.width() != b.width() {
        return None;
    }
    Some(cx.arena.new_grid(a.height() + b.height(), a.width(), |cells| {
        cells[..a.cells().len()].copy_from_slice(a.cells());
        cells[a.cells().len()..].copy_from_slice(b.cells());
    }))
}

/// Returns a scale factor from 1 to 30; larger ones are left to the body.
fn factor(value: Value<'_>) -> Option<usize> {
    match value {
        Value::Int(factor @ 1..=30) => Some(factor as usize),
        _ => None,
    }
}

fn hupscale<'a>(cx: &mut Cx<'a>, grid: Value<'a>, by: Value<'a>) -> Answer<'a> {
    let (Value::Grid(grid), by) = (grid, factor(by)?) else { return None };
    scale(cx.arena, grid, 1, by)
}

fn vupscale<'a>(cx: &mut Cx<'a>, grid: Value<'a>, by: Value<'a>) -> Answer<'a> {
    let (Value::Grid(grid), by) = (grid, factor(by)?) else { return None };
    scale(cx.arena, grid, by, 1)
}

fn upscale<'a>(cx: &mut Cx<'a>, element: Value<'a>, by: Value<'a>) -> Answer<'a> {
    let by = factor(by)?;
    match element {
        Value::Grid(grid) => scale(cx.arena, grid, by, by),
        Value::Patch(patch) => super::patch::upscale_object(cx.arena, patch, by),
        _ => None,
    }
}

fn scale<'a>(arena: &'a Arena, grid: &Grid<'_>, down: usize, right: usize) -> Answer<'a> {
    let width = grid.width() * right;
    Some(arena.new_grid(grid.height() * down, width, |cells| {
        for (block, row) in cells.chunks_exact_mut(width * down).zip(grid.rows()) {
            let (first, others) = block.split_at_mut(width);
            first.chunks_exact_mut(right).zip(row).for_each(|(to, cell)| to.fill(*cell));
            others.chunks_exact_mut(width).for_each(|to| to.copy_from_slice(first));
        }
    }))
}

fn downscale<'a>(cx: &mut Cx<'a>, grid: Value<'a>, by: Value<'a>) -> Answer<'a> {
    let (Value::Grid(grid), by) = (grid, factor(by)?) else { return None };
    let (height, width) = (grid.height().div_ceil(by), grid.width().div_ceil(by));
    build(cx.arena, height, width, |row, col| grid[(row * by, col * by)])
}

fn canvas<'a>(cx: &mut Cx<'a>, value: Value<'a>, dimensions: Value<'a>) -> Answer<'a> {
    let (Value::Int(color), Value::Pair(dimensions)) = (value, dimensions) else { return None };
    let color = i8::try_from(color).ok()?;
    let (height, width) = (usize::try_from(dimensions.row()).ok()?, usize::try_from(dimensions.col()).ok()?);
    if !(1..=1000).contains(&height) || !(1..=1000).contains(&width) {
        return None;
    }
    Some(cx.arena.new_grid(height, width, |cells| cells.fill(color)))
}

fn map_cells<'a>(arena: &'a Arena, grid: &Grid<'_>, to: impl Fn(i8) -> i8) -> Answer<'a> {
    Some(arena.new_grid(grid.height(), grid.width(), |cells| {
        cells.iter_mut().zip(grid.cells()).for_each(|(cell, from)| *cell = to(*from));
    }))
}

fn small(value: Value<'_>) -> Option<i8> {
    match value {
        Value::Int(int) => i8::try_from(int).ok(),
        _ => None,
    }
}

fn replace<'a>(cx: &mut Cx<'a>, grid: Value<'a>, replacee: Value<'a>, replacer: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    let (old, new) = (small(replacee)?, small(replacer)?);
    map_cells(cx.arena, grid, |cell| if cell == old { new } else { cell })
}

fn switch<'a>(cx: &mut Cx<'a>, grid: Value<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    let (a, b) = (small(a)?, small(b)?);
    let swap = |cell| match cell {
        cell if cell == a => b,
        cell if cell == b => a,
        cell => cell,
    };
    map_cells(cx.arena, grid, swap)
}

fn cellwise<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>, fallback: Value<'a>) -> Answer<'a> {
    let (Value::Grid(a), Value::Grid(b)) = (a, b) else { return None };
    let fallback = small(fallback)?;
    if b.height() < a.height() || b.width() < a.width() {
        return None;
    }
    build(cx.arena, a.height(), a.width(), |row, col| {
        let cell = a[(row, col)];
        if cell == b[(row, col)] { cell } else { fallback }
    })
}

fn uniform_row(grid: &Grid<'_>, row: usize) -> bool {
    let cells = grid.row(row);
    cells.iter().all(|cell| *cell == cells[0])
}

fn uniform_col(grid: &Grid<'_>, col: usize) -> bool {
    (1..grid.height()).all(|row| grid[(row, col)] == grid[(0, col)])
}

fn compress<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    let rows: Vec<_> = (0..grid.height()).filter(|row| !uniform_row(grid, *row)).collect();
    let cols: Vec<_> = (0..grid.width()).filter(|col| !uniform_col(grid, *col)).collect();
    build(cx.arena, rows.len(), cols.len(), |row, col| grid[(rows[row], cols[col])])
}

fn frontiers<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    if !fits(grid) {
        return None;
    }
    let mut lines = Vec::new();
    let colors = |cell: i8| (-1..=14).contains(&cell).then(|| 1u16 << (cell + 1));
    for row in (0..grid.height()).filter(|row| uniform_row(grid, *row)) {
        let words = [ones(grid.width() as i64)];
        let planes =
            Planes { row: row as i64, col: 0, height: 1, colors: colors(grid[(row, 0)])?, words: &words };
        lines.push(cx.arena.patch(planes)?);
    }
    for col in (0..grid.width()).filter(|col| uniform_col(grid, *col)) {
        let words: Words = smallvec![1; grid.height()];
        let planes = Planes {
            row: 0,
            col: col as i64,
            height: grid.height(),
            colors: colors(grid[(0, col)])?,
            words: &words,
        };
        lines.push(cx.arena.patch(planes)?);
    }
    let lines = lines.into_iter().collect::<Result<Vec<_>, _>>();
    Some(lines.and_then(|lines| cx.arena.set(&lines)))
}
