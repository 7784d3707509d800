//! Finding objects in grids.

use batt_dsl::Cx;
use batt_value::{Fail, Grid, Planes, Value};
use smallvec::{SmallVec, smallvec};

use super::grid::{Histogram, color_bits, fits, histogram, row_bits};
use super::patch::{Words, ones, place_of};

serve! {
    K1: partition, fgpartition;
    K2: toobject, occurrences, o_g;
    K4: objects;
}

type Known<'a> = Option<Result<Value<'a>, Fail>>;

/// A stretch of a row whose cells belong together.
struct Run {
    row: u16,
    start: u8,
    /// One past the last column.
    end: u8,
    color: i8,
    /// The run it hangs on; itself at the root.
    parent: u32,
}

fn objects<'a>(
    cx: &mut Cx<'a>,
    grid: Value<'a>,
    univalued: Value<'a>,
    diagonal: Value<'a>,
    without_bg: Value<'a>,
) -> Known<'a> {
    let Value::Grid(grid) = grid else { return None };
    found(cx, grid, univalued.truth(), diagonal.truth(), without_bg.truth())
}

fn o_g<'a>(cx: &mut Cx<'a>, grid: Value<'a>, code: Value<'a>) -> Known<'a> {
    let (Value::Grid(grid), Value::Int(code @ 0..8)) = (grid, code) else { return None };
    found(cx, grid, code & 4 != 0, code & 2 != 0, code & 1 != 0)
}

/// Runs along the rows, joined from row to row by union-find. ARC objects are short and wide.
fn found<'a>(
    cx: &mut Cx<'a>,
    grid: &Grid<'a>,
    univalued: bool,
    diagonal: bool,
    without_bg: bool,
) -> Known<'a> {
    let counts = histogram(grid.cells());
    if !fits(grid) || color_bits(&counts).is_none() {
        return None;
    }
    let background = without_bg.then(|| counts.most());
    let mut runs: Vec<Run> = Vec::with_capacity(grid.height() * 4);
    let mut before = 0;
    for (i, row) in grid.rows().enumerate() {
        let this = runs.len();
        add_runs(&mut runs, i, row, univalued, background);
        join_rows(&mut runs, before, this, univalued, diagonal);
        before = this;
    }
    let found = collect(cx, grid, &mut runs, univalued);
    Some(found?.and_then(|objects| cx.arena.set(&objects)))
}

fn add_runs(runs: &mut Vec<Run>, i: usize, row: &[i8], univalued: bool, background: Option<i8>) {
    let mut col = 0;
    while col < row.len() {
        let color = row[col];
        if Some(color) == background {
            col += 1;
            continue;
        }
        let start = col;
        let belongs = |cell: i8| if univalued { cell == color } else { Some(cell) != background };
        while col < row.len() && belongs(row[col]) {
            col += 1;
        }
        let parent = runs.len() as u32;
        runs.push(Run { row: i as u16, start: start as u8, end: col as u8, color, parent });
    }
}

/// Joins the runs of one row (from `this` on) with those of the row before (from `before` on) that they touch. In
/// univalued grids neighbouring runs of one row differ in colour; otherwise they are apart.
fn join_rows(runs: &mut [Run], before: usize, this: usize, univalued: bool, diagonal: bool) {
    let reach = u8::from(diagonal);
    let (mut a, mut b) = (before, this);
    while a < this && b < runs.len() {
        let (up, down) = (&runs[a], &runs[b]);
        let touch = up.start < down.end + reach && down.start < up.end + reach;
        if touch {
            join(runs, a, b, univalued);
        }
        let (up_end, down_end) = (runs[a].end, runs[b].end);
        // With diagonals a run may also touch the one that starts where the other ends.
        if up_end < down_end {
            a += 1;
        } else if down_end < up_end {
            b += 1;
        } else if diagonal {
            touch_across(runs, a, b, this, univalued);
            a += 1;
            b += 1;
        } else {
            a += 1;
            b += 1;
        }
    }
}

/// Two runs that end together may touch each other's successors at the corner.
fn touch_across(runs: &mut [Run], a: usize, b: usize, this: usize, univalued: bool) {
    if a + 1 < this && runs[a + 1].start <= runs[b].end {
        join(runs, a + 1, b, univalued);
    }
    if b + 1 < runs.len() && runs[b + 1].start <= runs[a].end {
        join(runs, a, b + 1, univalued);
    }
}

/// Makes two runs that touch one, if they belong together.
fn join(runs: &mut [Run], a: usize, b: usize, univalued: bool) {
    if univalued && runs[a].color != runs[b].color {
        return;
    }
    // The earlier run becomes the root, so a root comes before all that hang on it.
    let (a, b) = (root(runs, a), root(runs, b));
    runs[a.max(b)].parent = a.min(b) as u32;
}

fn root(runs: &mut [Run], mut at: usize) -> usize {
    while runs[at].parent as usize != at {
        let up = runs[runs[at].parent as usize].parent;
        runs[at].parent = up;
        at = up as usize;
    }
    at
}

/// What is known of an object before its cells are written.
#[derive(Clone, Copy)]
struct Extent {
    top: u16,
    bottom: u16,
    left: u8,
    right: u8,
    colors: u16,
    start: u32,
}

fn collect<'a>(
    cx: &mut Cx<'a>,
    grid: &Grid<'a>,
    runs: &mut [Run],
    univalued: bool,
) -> Option<Result<Vec<Value<'a>>, Fail>> {
    // Where the extent of each root is; roots come before what hangs on them.
    let mut which: Vec<u32> = vec![0; runs.len()];
    let mut extents: Vec<Extent> = Vec::with_capacity(runs.len());
    for at in 0..runs.len() {
        let top = root(runs, at);
        let Run { row, start, end, color, .. } = runs[at];
        let mut colors = 1u16 << (color + 1);
        if !univalued {
            colors = grid.row(row.into())[start.into()..end.into()]
                .iter()
                .fold(0, |bits, cell| bits | 1 << (cell + 1));
        }
        if top == at {
            which[at] = extents.len() as u32;
            extents.push(Extent { top: row, bottom: row, left: start, right: end, colors, start: 0 });
            continue;
        }
        which[at] = which[top];
        let extent = &mut extents[which[top] as usize];
        extent.bottom = extent.bottom.max(row);
        extent.left = extent.left.min(start);
        extent.right = extent.right.max(end);
        extent.colors |= colors;
    }
    let mut total = 0;
    for extent in &mut extents {
        extent.start = total;
        total += u32::from(extent.bottom - extent.top + 1) * extent.colors.count_ones();
    }
    let mut words: Vec<u64> = vec![0; total as usize];
    for (at, run) in runs.iter().enumerate() {
        let extent = extents[which[at] as usize];
        let height = usize::from(extent.bottom - extent.top + 1);
        let line = extent.start as usize + usize::from(run.row - extent.top);
        if univalued {
            let bits = ones(i64::from(run.end - run.start)) << (run.start - extent.left);
            words[line] |= bits;
            continue;
        }
        for (col, cell) in grid.row(run.row.into())[run.start.into()..run.end.into()].iter().enumerate() {
            let plane = place_of(extent.colors, i64::from(*cell));
            words[line + plane * height] |= 1 << (usize::from(run.start - extent.left) + col);
        }
    }
    let mut objects = Vec::with_capacity(extents.len());
    for extent in extents {
        let height = usize::from(extent.bottom - extent.top + 1);
        let n_words = height * extent.colors.count_ones() as usize;
        let planes = Planes {
            row: extent.top.into(),
            col: extent.left.into(),
            height,
            colors: extent.colors,
            words: &words[extent.start as usize..][..n_words],
        };
        match cx.arena.patch(planes)? {
            Ok(object) => objects.push(object),
            Err(fail) => return Some(Err(fail)),
        }
    }
    Some(Ok(objects))
}

/// All cells of each colour, as objects.
fn by_color<'a>(cx: &mut Cx<'a>, grid: &Grid<'a>, counts: &Histogram, except: Option<i8>) -> Known<'a> {
    if !fits(grid) || color_bits(counts).is_none() {
        return None;
    }
    let mut objects = Vec::new();
    for (color, _) in counts.colors().filter(|(color, _)| Some(*color) != except) {
        let words: Words = grid.rows().map(|row| row_bits(row, color)).collect();
        let planes =
            Planes { row: 0, col: 0, height: grid.height(), colors: 1 << (color + 1), words: &words };
        match cx.arena.patch(planes)? {
            Ok(object) => objects.push(object),
            Err(fail) => return Some(Err(fail)),
        }
    }
    Some(cx.arena.set(&objects))
}

fn partition<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Known<'a> {
    let Value::Grid(grid) = grid else { return None };
    by_color(cx, grid, &histogram(grid.cells()), None)
}

fn fgpartition<'a>(cx: &mut Cx<'a>, grid: Value<'a>) -> Known<'a> {
    let Value::Grid(grid) = grid else { return None };
    let counts = histogram(grid.cells());
    let background = counts.most();
    by_color(cx, grid, &counts, Some(background))
}

fn toobject<'a>(cx: &mut Cx<'a>, patch: Value<'a>, grid: Value<'a>) -> Known<'a> {
    let (Value::Patch(patch), Value::Grid(grid)) = (patch, grid) else { return None };
    let (row, col, height, _) = patch.bounds();
    let mut places: Words = smallvec![0; height as usize];
    for (_, plane) in patch.planes() {
        places.iter_mut().zip(plane).for_each(|(to, from)| *to |= from);
    }
    // First the colours, then the planes.
    let mut cells: SmallVec<[(u8, u8, i8); 64]> = SmallVec::new();
    let mut colors = 0u16;
    for (i, word) in places.iter().enumerate() {
        let grid_row = row + i as i64;
        if !(0..grid.height() as i64).contains(&grid_row) {
            continue;
        }
        let cells_of_row = grid.row(grid_row as usize);
        let mut bits = *word;
        while bits != 0 {
            let bit = bits.trailing_zeros();
            bits &= bits - 1;
            let Some(&color) =
                usize::try_from(col + i64::from(bit)).ok().and_then(|col| cells_of_row.get(col))
            else {
                continue;
            };
            if !(-1..=14).contains(&color) {
                return None;
            }
            colors |= 1 << (color + 1);
            cells.push((i as u8, bit as u8, color));
        }
    }
    if cells.is_empty() {
        return Some(Ok(Value::EMPTY_SET));
    }
    let mut words: Words = smallvec![0; colors.count_ones() as usize * height as usize];
    for (i, bit, color) in cells {
        words[place_of(colors, color.into()) * height as usize + usize::from(i)] |= 1 << bit;
    }
    cx.arena.patch(Planes { row, col, height: height as usize, colors, words: &words })
}

/// For every cell of the object the places where it would fit, all rows at once; what is left at the end is where
/// all of them do.
fn occurrences<'a>(cx: &mut Cx<'a>, grid: Value<'a>, obj: Value<'a>) -> Known<'a> {
    let (Value::Grid(grid), Value::Patch(object)) = (grid, obj) else { return None };
    if !object.is_object() || !fits(grid) {
        return None;
    }
    let (_, _, height, width) = object.bounds();
    let (rows, cols) = (grid.height() as i64 - height + 1, grid.width() as i64 - width + 1);
    if rows <= 0 || cols <= 0 {
        return Some(Ok(Value::EMPTY_SET));
    }
    let mut left: Words = smallvec![ones(cols); rows as usize];
    for (color, plane) in object.planes() {
        let color = color as i8;
        let bits: Words = grid.rows().map(|row| row_bits(row, color)).collect();
        for (i, word) in plane.iter().enumerate() {
            if !strip(&mut left, &bits[i..], *word) {
                return Some(Ok(Value::EMPTY_SET));
            }
        }
    }
    cx.arena.patch(Planes { row: 0, col: 0, height: rows as usize, colors: 0, words: &left })
}

/// Strikes out the places where not all bits of `word` have a bit in their row. Runs of bits by doubling: three
/// shifts and ands for eight cells in a row.
fn strip(left: &mut [u64], rows: &[u64], mut word: u64) -> bool {
    while word != 0 {
        let start = word.trailing_zeros();
        let length = (!(word >> start)).trailing_zeros().min(64 - start);
        word &= if start + length >= 64 { 0 } else { !0 << (start + length) };
        for (left, row) in left.iter_mut().zip(rows) {
            let mut run = *row >> start;
            let mut done = 1;
            while done < length {
                let step = done.min(length - done);
                run &= run >> step;
                done += step;
            }
            *left &= run;
        }
        if left.iter().all(|left| *left == 0) {
            return false;
        }
    }
    true
}
