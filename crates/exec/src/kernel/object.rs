//! Kernels that find objects in grids.

use batt_dsl::Cx;
use batt_value::{Arena, Grid, Patch, Planes, Value};
use smallvec::{SmallVec, smallvec};

use super::Answer;
use super::grid::{Bits, Histogram, fits, has_patch_colors, histogram, most_common};
use super::patch::{Words, flatten, n_planes, ones, plane_index, plane_starts};

register! {
    P1: partition, fgpartition;
    P2: toobject, o_g;
    K2: occurrences;
    K4: objects;
}

/// A run of cells of one colour in a row.
#[derive(Clone, Copy)]
struct Run {
    row: u8,
    start: u8,
    /// One past the last column.
    end: u8,
    color: i8,
    /// An earlier run of the same object, or the run itself; at the end the number of its object.
    parent: u16,
}

impl Run {
    const NONE: Run = Run { row: 0, start: 0, end: 0, color: 0, parent: 0 };
}

/// The rule for which neighbouring cells belong to the same object.
#[derive(Clone, Copy)]
struct Connectivity {
    univalued: bool,
    diagonal: bool,
}

fn objects<'a>(
    cx: &mut Cx<'a>,
    grid: Value<'a>,
    univalued: Value<'a>,
    diagonal: Value<'a>,
    without_bg: Value<'a>,
) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    find_objects(cx, grid, univalued.truth(), diagonal.truth(), without_bg.truth())
}

fn o_g<'a>(cx: &mut Cx<'a>, grid: Value<'a>, code: Value<'a>) -> Answer<'a> {
    let (Value::Grid(grid), Value::Int(code @ 0..8)) = (grid, code) else { return None };
    find_objects(cx, grid, code & 4 != 0, code & 2 != 0, code & 1 != 0)
}

/// Finds runs along the rows and joins them from row to row by union-find. ARC objects are short and wide.
fn find_objects<'a>(
    cx: &mut Cx<'a>,
    grid: &Grid<'a>,
    univalued: bool,
    diagonal: bool,
    without_bg: bool,
) -> Answer<'a> {
    if !fits(grid) {
        return None;
    }
    if !has_patch_colors(grid.cells()) {
        return None;
    }
    let background = if without_bg { Some(most_common(grid.cells())?) } else { None };
    let rule = Connectivity { univalued, diagonal };
    let changes = Bits::changes(grid);
    let runs = cx.arena.repeat(changes.count() + grid.height(), Run::NONE);
    let (mut before, mut this) = (0, 0);
    for (i, row) in grid.rows().enumerate() {
        let row = Row { index: i as u8, cells: row, changes: changes.row(i) };
        let next = add_runs(runs, this, row, rule, background);
        join_rows(&mut runs[..next], before, this, rule);
        (before, this) = (this, next);
    }
    make_objects(cx, &mut runs[..this], univalued)
}

/// A row of a grid.
struct Row<'g> {
    index: u8,
    cells: &'g [i8],
    /// A bit for every cell that differs from the one before it.
    changes: u64,
}

/// Writes the runs of a row from index `at` on, and returns the index after the last one.
fn add_runs(
    runs: &mut [Run],
    mut at: usize,
    row: Row<'_>,
    rule: Connectivity,
    background: Option<i8>,
) -> usize {
    // The column where a run must start to touch the previous one, and the parent of that one.
    let (mut touching, mut parent) = (usize::MAX, 0);
    // The first cell always starts a run.
    let mut starts = row.changes & !1;
    let mut start = 0;
    loop {
        let end = if starts == 0 { row.cells.len() } else { starts.trailing_zeros() as usize };
        let color = row.cells[start];
        if Some(color) != background {
            if rule.univalued || start != touching {
                parent = at as u16;
            }
            touching = end;
            runs[at] = Run { row: row.index, start: start as u8, end: end as u8, color, parent };
            at += 1;
        }
        if starts == 0 {
            return at;
        }
        starts &= starts - 1;
        start = end;
    }
}

/// Joins the runs of a row (from `this` on) with the touching runs of the previous row (from `before` on).
fn join_rows(runs: &mut [Run], before: usize, this: usize, rule: Connectivity) {
    let reach = u8::from(rule.diagonal);
    let (mut a, mut b) = (before, this);
    while a < this && b < runs.len() {
        let (up, down) = (runs[a], runs[b]);
        if up.start < down.end + reach && down.start < up.end + reach {
            join(runs, a, b, rule);
        }
        if up.end < down.end {
            a += 1;
        } else if down.end < up.end {
            b += 1;
        } else {
            if rule.diagonal {
                join_corners(runs, a, b, this, rule);
            }
            a += 1;
            b += 1;
        }
    }
}

/// Joins two runs that end in the same column with each other's successors, if these touch at a corner.
fn join_corners(runs: &mut [Run], a: usize, b: usize, this: usize, rule: Connectivity) {
    if a + 1 < this && runs[a + 1].start <= runs[b].end {
        join(runs, a + 1, b, rule);
    }
    if b + 1 < runs.len() && runs[b + 1].start <= runs[a].end {
        join(runs, a, b + 1, rule);
    }
}

/// Joins two runs that touch, if they belong to the same object.
fn join(runs: &mut [Run], a: usize, b: usize, rule: Connectivity) {
    if rule.univalued && runs[a].color != runs[b].color {
        return;
    }
    // The earlier run becomes the root, so a root comes before all other runs of its object.
    let (a, b) = (root(runs, a), root(runs, b));
    runs[a.max(b)].parent = a.min(b) as u16;
}

fn root(runs: &mut [Run], mut at: usize) -> usize {
    loop {
        let parent = usize::from(runs[at].parent);
        if parent == at {
            return at;
        }
        let up = runs[parent].parent;
        runs[at].parent = up;
        at = up.into();
    }
}

/// Box, colours and size of an object, before its cells are written.
#[derive(Clone, Copy)]
struct Extent {
    top: u8,
    bottom: u8,
    left: u8,
    right: u8,
    colors: u16,
    count: u16,
    /// The index of its first word.
    start: u32,
}

impl Extent {
    const NONE: Extent = Extent { top: 0, bottom: 0, left: 0, right: 0, colors: 0, count: 0, start: 0 };

    fn height(&self) -> usize {
        usize::from(self.bottom - self.top) + 1
    }

    fn n_words(&self) -> usize {
        // Most objects have one colour.
        let n_planes = if self.colors.is_power_of_two() { 1 } else { self.colors.count_ones() };
        self.height() * n_planes as usize
    }
}

fn make_objects<'a>(cx: &mut Cx<'a>, runs: &mut [Run], univalued: bool) -> Answer<'a> {
    let extents = measure_objects(cx.arena, runs);
    let mut total = 0;
    for extent in &mut *extents {
        extent.start = total as u32;
        total += extent.n_words();
    }
    let words = cx.arena.words(total, 0);
    for run in &*runs {
        let extent = &extents[usize::from(run.parent)];
        let mut line = extent.start as usize + usize::from(run.row - extent.top);
        if !univalued {
            line += plane_index(extent.colors, run.color.into()) * extent.height();
        }
        words[line] |= ones((run.end - run.start).into()) << (run.start - extent.left);
    }
    let words = &*words;
    let order = cx.arena.repeat(extents.len(), 0);
    for ((key, extent), at) in order.iter_mut().zip(&*extents).zip(0..) {
        *key = sort_key(extent, at, words);
    }
    order.sort_unstable();
    let objects = cx.arena.repeat(extents.len(), Value::None);
    for (to, at) in objects.iter_mut().zip(order) {
        let extent = &extents[(*at & 0xffff) as usize];
        let planes = Planes {
            row: extent.top.into(),
            col: extent.left.into(),
            height: extent.height(),
            colors: extent.colors,
            words: &words[extent.start as usize..][..extent.n_words()],
        };
        match cx.arena.patch_tight(planes, (extent.right - extent.left).into(), extent.count.into())? {
            Ok(object) => *to = object,
            Err(fail) => return Some(Err(fail)),
        }
    }
    Some(if objects.is_empty() { Ok(Value::EMPTY_SET) } else { cx.arena.list_set(objects) })
}

/// Numbers the objects in the order of their first runs, and measures them.
fn measure_objects<'a>(arena: &'a Arena, runs: &mut [Run]) -> &'a mut [Extent] {
    let roots = runs.iter().zip(0..).filter(|(run, at)| run.parent == *at);
    let extents = arena.repeat(roots.count(), Extent::NONE);
    let mut n = 0;
    for at in 0..runs.len() {
        let Run { row, start, end, color, parent } = runs[at];
        let (colors, count) = (1 << (color + 1), u16::from(end - start));
        if usize::from(parent) == at {
            runs[at].parent = n as u16;
            extents[n] = Extent { top: row, bottom: row, left: start, right: end, colors, count, start: 0 };
            n += 1;
            continue;
        }
        // The parent comes before its run, so it already holds the number of the object.
        let number = runs[usize::from(parent)].parent;
        runs[at].parent = number;
        let extent = &mut extents[usize::from(number)];
        extent.bottom = row;
        extent.left = extent.left.min(start);
        extent.right = extent.right.max(end);
        extent.colors |= colors;
        extent.count += count;
    }
    extents
}

/// Returns a key that orders objects by their first members: by colour, then by place. Objects are disjoint,
/// so first members differ. The lowest bits are the number of the object.
fn sort_key(extent: &Extent, number: u64, words: &[u64]) -> u64 {
    let plane = &words[extent.start as usize..];
    let row = plane.iter().position(|word| *word != 0).unwrap_or(0);
    let col = u64::from(extent.left) + u64::from(plane[row].trailing_zeros());
    let color = u64::from(extent.colors.trailing_zeros());
    color << 40 | (u64::from(extent.top) + row as u64) << 32 | col << 16 | number
}

/// Makes an object of all cells of each colour.
fn by_color<'a>(cx: &mut Cx<'a>, grid: &Grid<'a>, counts: &Histogram, except: Option<i8>) -> Answer<'a> {
    if !fits(grid) {
        return None;
    }
    let mut objects: SmallVec<[Value<'a>; 12]> = SmallVec::new();
    for (color, _) in counts.colors().filter(|(color, _)| Some(*color) != except) {
        let words = Bits::of_color(grid, color).rows_in(cx.arena);
        match cx.arena.patch_plane(0, 0, 1 << (color + 1), words)? {
            Ok(object) => objects.push(object),
            Err(fail) => return Some(Err(fail)),
        }
    }
    Some(cx.arena.set_ascending(&objects))
}

fn partition<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    by_color(cx, grid, &histogram(grid.cells())?, None)
}

fn fgpartition<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    let counts = histogram(grid.cells())?;
    let background = counts.most_common();
    by_color(cx, grid, &counts, Some(background))
}

fn toobject<'a>(cx: &mut Cx<'a>, patch: Value<'a>, grid: Value<'a>) -> Answer<'a> {
    let (Value::Patch(patch), Value::Grid(grid)) = (patch, grid) else { return None };
    let (row, col, height, width) = patch.bounds();
    let (below, right) = (grid.height() as i64 - row - height, grid.width() as i64 - col - width);
    let inside = row >= 0 && col >= 0 && below >= 0 && right >= 0;
    if inside && patch.rows().len() == height as usize {
        return toobject_inside(cx, patch, grid);
    }
    let places = cx.arena.copy_words(flatten(cx.arena, patch));
    // The bits of each word that are on the grid.
    let within = ones((grid.width() as i64 - col).max(0)) & !ones((-col).max(0));
    for (i, word) in places.iter_mut().enumerate() {
        let inside = (0..grid.height() as i64).contains(&(row + i as i64));
        *word = if inside { *word & within } else { 0 };
    }
    let colors = colors_at(grid, places, row, col)?;
    if colors == 0 {
        return Some(Ok(Value::EMPTY_SET));
    }
    let starts = plane_starts(colors, height as usize);
    let mut words: Words = smallvec![0; colors.count_ones() as usize * height as usize];
    each_cell(grid, places, row, col, |i, bit, color| words[starts[(color + 1) as usize & 15] + i] |= bit);
    cx.arena.patch(Planes { row, col, height: height as usize, colors, words: &words })
}

/// [`toobject`] for a patch of one plane inside the grid, whose box and places stay the same.
fn toobject_inside<'a>(cx: &mut Cx<'a>, patch: &Patch<'a>, grid: &Grid<'a>) -> Answer<'a> {
    let (row, col, height, width) = patch.bounds();
    let colors = colors_at(grid, patch.rows(), row, col)?;
    let n_words = height as usize * n_planes(colors);
    if !Arena::fits_planes(n_words, patch.count()) {
        return None;
    }
    let planes = Planes { row, col, height: height as usize, colors, words: patch.rows() };
    if n_words == height as usize {
        return cx.arena.patch_tight(planes, width as u32, patch.count() as u32);
    }
    let starts = plane_starts(colors, height as usize);
    let words = cx.arena.words(n_words, 0);
    each_cell(grid, patch.rows(), row, col, |i, bit, color| {
        words[starts[(color + 1) as usize & 15] + i] |= bit;
    });
    cx.arena.patch_tight(Planes { words, ..planes }, width as u32, patch.count() as u32)
}

/// Returns the colours of the grid at some places, as the bits of a patch.
fn colors_at(grid: &Grid<'_>, places: &[u64], row: i64, col: i64) -> Option<u16> {
    let mut colors = 0u32;
    each_cell(grid, places, row, col, |_, _, color| colors |= color_bit(color));
    u16::try_from(colors).ok()
}

/// Calls `visit` with the row, the bit and the colour of every place; all places are on the grid.
fn each_cell(grid: &Grid<'_>, places: &[u64], row: i64, col: i64, mut visit: impl FnMut(usize, u64, i8)) {
    for (i, &word) in places.iter().enumerate().filter(|(_, word)| **word != 0) {
        let cells = grid.row((row + i as i64) as usize);
        let mut bits = word;
        while bits != 0 {
            let bit = bits & bits.wrapping_neg();
            visit(i, bit, cells[(col + i64::from(bits.trailing_zeros())) as usize]);
            bits ^= bit;
        }
    }
}

/// Returns the bit of a colour in a patch, or a bit above the lowest 16 if no patch can have the colour.
fn color_bit(color: i8) -> u32 {
    1 << (color as u8).wrapping_add(1).min(31)
}

/// Finds the places where each cell of the object matches, for all rows at once, and intersects them.
fn occurrences<'a>(cx: &mut Cx<'a>, grid: Value<'a>, obj: Value<'a>) -> Answer<'a> {
    let (Value::Grid(grid), Value::Patch(object)) = (grid, obj) else { return None };
    if !object.is_object() || !fits(grid) {
        return None;
    }
    let (_, _, height, width) = object.bounds();
    let (rows, cols) = (grid.height() as i64 - height + 1, grid.width() as i64 - width + 1);
    if rows <= 0 || cols <= 0 {
        return Some(Ok(Value::EMPTY_SET));
    }
    let candidates = cx.arena.words(rows as usize, ones(cols));
    for (color, plane) in object.planes() {
        let bits = Bits::of_color(grid, color as i8).rows_in(cx.arena);
        let mut first = 0;
        for same in plane.chunk_by(|a, b| a == b) {
            if same[0] != 0 {
                // Only rows in which the object still fits into the grid.
                let mut places: Words =
                    Words::from_slice(&bits[first..first + rows as usize + same.len() - 1]);
                erode(&mut places, same[0]);
                intersect_following(&mut places, same.len());
                let mut any = 0;
                for (candidate, place) in candidates.iter_mut().zip(&places) {
                    *candidate &= place;
                    any |= *candidate;
                }
                if any == 0 {
                    return Some(Ok(Value::EMPTY_SET));
                }
            }
            first += same.len();
        }
    }
    cx.arena.patch_plane(0, 0, 0, candidates)
}

/// Keeps in every row the columns for which all bits of `word`, shifted there, are set.
fn erode(rows: &mut [u64], word: u64) {
    let start = word.trailing_zeros();
    let length = (!(word >> start)).trailing_zeros();
    let rest = if start + length >= 64 { 0 } else { word & !0 << (start + length) };
    if rest == 0 {
        return erode_run(rows, start, length);
    }
    let mut others: Words = Words::from_slice(rows);
    erode_run(rows, start, length);
    erode(&mut others, rest);
    rows.iter_mut().zip(&others).for_each(|(row, other)| *row &= other);
}

/// [`erode`] for a run of bits, by doubling: eight cells take three steps.
fn erode_run(rows: &mut [u64], start: u32, length: u32) {
    rows.iter_mut().for_each(|row| *row >>= start);
    let mut done = 1;
    while done < length {
        let step = done.min(length - done);
        rows.iter_mut().for_each(|row| *row &= *row >> step);
        done += step;
    }
}

/// Intersects every row with the `n - 1` rows after it, by doubling.
fn intersect_following(rows: &mut [u64], n: usize) {
    let rows = std::cell::Cell::from_mut(rows).as_slice_of_cells();
    let mut done = 1;
    while done < n {
        let step = done.min(n - done);
        for (row, later) in rows.iter().zip(&rows[step..]) {
            row.set(row.get() & later.get());
        }
        done += step;
    }
}
