//! Finding objects, and converting between grids, objects and indices.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value, order};

use super::places::{height, mostcolor, normalize, places, width};
use crate::Cx;
use crate::registry::family;

family! {
    /// Find objects, and convert between grids, objects and indices. An object is a set of cells
    /// `(color, (row, column))`; indices are a set of locations `(row, column)`. The first row determines the
    /// width of a grid; a call that needs a missing cell of a shorter row fails.
    object: objects, objects_t, o_g, o_g_t, partition, fgpartition, frontiers, occurrences, asobject, toobject,
    asindices, toindices,
}

/// Returns the set of connected objects on a grid.
///
/// With `univalued`, all cells of an object have the same colour; otherwise colours can mix. With `diagonal`,
/// cells that touch only at a corner are connected. With `without_bg`, the most common colour (of several,
/// the smallest) is background and belongs to no object; otherwise only cells that hold `None` belong to no
/// object.
///
/// ```arc
/// objects([1 0 | 0 1], True, False, True) = {{(1, (0, 0))}, {(1, (1, 1))}}
/// objects([1 0 | 0 1], True, True, True) = {{(1, (0, 0)), (1, (1, 1))}}
/// objects([1 2 0 0], False, False, True) = {{(1, (0, 0)), (2, (0, 1))}}
/// objects([1 2 2], True, False, False) = {{(1, (0, 0))}, {(2, (0, 1)), (2, (0, 2))}}
/// objects([0 0 | 0 0], True, False, True) = {}
/// objects((), True, False, False) ! Range
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn objects(
    cx: &mut Cx,
    grid: Grid,
    univalued: Bool,
    diagonal: Bool,
    without_bg: Bool,
) -> Partial<Set<Object>> {
    let options = ObjectOptions::new(univalued, diagonal, without_bg);
    cx.set(&components(cx, grid, options)?)
}

/// Returns the connected objects on a grid as a tuple, ordered by their first cell in reading order.
///
/// They are the objects of `objects`; each is still a set of cells.
///
/// ```arc
/// objects_t([2 0 1 | 0 0 1], True, False, True) = ({(2, (0, 0))}, {(1, (0, 2)), (1, (1, 2))})
/// objects_t([0 0], True, False, True) = ()
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(objects_g))]
fn objects_t(
    cx: &mut Cx,
    grid: Grid,
    univalued: Bool,
    diagonal: Bool,
    without_bg: Bool,
) -> Partial<Tuple<Object>> {
    let options = ObjectOptions::new(univalued, diagonal, without_bg);
    cx.tuple(&components(cx, grid, options)?)
}

/// Returns the set of connected objects on a grid, with the options of `objects` packed into a number.
///
/// The number is the sum of 4 for `univalued`, 2 for `diagonal` and 1 for `without_bg`. A number outside 0 to
/// 7 fails.
///
/// ```arc
/// o_g([1 0 | 0 1], 5) = {{(1, (0, 0))}, {(1, (1, 1))}}
/// o_g([1 0 | 0 1], 7) = {{(1, (0, 0)), (1, (1, 1))}}
/// o_g([1 0 | 0 1], 8) ! Range
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn o_g(cx: &mut Cx, grid: Grid, r#type: Choice8) -> Partial<Set<Object>> {
    let options = ObjectOptions::unpack(cx.int(r#type)?)?;
    cx.set(&components(cx, grid, options)?)
}

/// Returns the objects of `objects_t`, with the options packed into a number as for `o_g`.
///
/// ```arc
/// o_g_t([2 0 1], 5) = ({(2, (0, 0))}, {(1, (0, 2))})
/// o_g_t([2 0 1], -1) ! Range
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(o_g_tuple))]
fn o_g_t(cx: &mut Cx, grid: Grid, r#type: Choice8) -> Partial<Tuple<Object>> {
    let options = ObjectOptions::unpack(cx.int(r#type)?)?;
    cx.tuple(&components(cx, grid, options)?)
}

/// Returns one object for each colour on a grid, with all cells of that colour.
///
/// ```arc
/// partition([1 0 | 0 1]) = {{(0, (0, 1)), (0, (1, 0))}, {(1, (0, 0)), (1, (1, 1))}}
/// partition(()) = {}
/// ```
#[primitive(cost = PerCell)]
fn partition(cx: &mut Cx, grid: Grid) -> Total<Set<Object>> {
    color_classes(cx, grid, |_| true)
}

/// Returns one object for each colour on a grid except the most common (of several, the smallest).
///
/// ```arc
/// fgpartition([1 0 | 0 0]) = {{(1, (0, 0))}}
/// fgpartition(()) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn fgpartition(cx: &mut Cx, grid: Grid) -> Partial<Set<Object>> {
    let background = mostcolor(cx, grid)?;
    color_classes(cx, grid, |color| !order::equal(color, background))
}

/// Returns the rows and columns of a single colour, each as an object.
///
/// ```arc
/// frontiers([1 1 | 0 1]) = {{(1, (0, 0)), (1, (0, 1))}, {(1, (0, 1)), (1, (1, 1))}}
/// frontiers([1 2 | 2 1]) = {}
/// ```
#[primitive(cost = PerCell)]
fn frontiers(cx: &mut Cx, grid: Grid) -> Partial<Set<Object>> {
    let lookup = RowLookup::new(cx, grid)?;
    let rows = cx.iter(grid)?.map(|row| cx.members(row)).collect::<Result<Vec<_>, _>>()?;
    let columns = cx.zip_all(&cx.members(grid)?)?;
    let cell = |i, j| cx.cell(lookup.cell(i, j)?, i as i64, j as i64);
    let mut objects = Vec::new();
    for i in (0..rows.len()).filter(|&i| is_uniform(&rows[i])) {
        let cells = (0..lookup.width).map(|j| cell(i, j)).collect::<Result<Vec<_>, _>>()?;
        objects.push(cx.set(&cells)?);
    }
    for j in (0..columns.len()).filter(|&j| is_uniform(&columns[j])) {
        let cells = (0..rows.len()).map(|i| cell(i, j)).collect::<Result<Vec<_>, _>>()?;
        objects.push(cx.set(&cells)?);
    }
    cx.set(&objects)
}

/// Returns the locations in a grid at which an object occurs, given by the top-left corner of its box.
///
/// An empty object occurs everywhere, including one row below and one column to the right of the grid.
///
/// ```arc
/// occurrences([1 2 | 2 1], {(2, (7, 7))}) = {(0, 1), (1, 0)}
/// occurrences([1 2 1 2], {(1, (0, 0)), (2, (0, 1))}) = {(0, 0), (0, 2)}
/// occurrences([1], {}) = {(0, 0), (0, 1), (1, 0), (1, 1)}
/// occurrences([1], {(0, 0)}) ! Kind
/// ```
#[primitive(cost = PerPair)]
fn occurrences(cx: &mut Cx, grid: Grid, obj: Object) -> Partial<Indices> {
    let normed = normalize(cx, obj)?;
    let lookup = RowLookup::new(cx, grid)?;
    let (h, w) = (lookup.rows.len() as i64, lookup.width as i64);
    let (oh, ow) = (height(cx, obj)?, width(cx, obj)?);
    let (h2, w2) = ((h + 1).saturating_sub(oh), (w + 1).saturating_sub(ow));
    if h2 <= 0 || w2 <= 0 {
        return Ok(Value::EMPTY_SET);
    }
    let pattern = pattern(cx, normed)?;
    // Offsets that put the first cell outside the grid cannot match. Skipping them also bounds the number of
    // rounds by the number of cells of the grid.
    let (rows, cols) = match pattern.first() {
        Some(&(_, a, b)) => (h2.min(h - a), w2.min(w - b)),
        None => {
            cx.admit_places(h2 as usize, w2 as usize)?;
            (h2, w2)
        }
    };
    let mut found = Vec::new();
    for i in 0..rows {
        for j in 0..cols {
            if lookup.matches(&pattern, i, j)? {
                found.push(cx.pair(i, j)?);
            }
        }
    }
    cx.set(&found)
}

/// Converts a whole grid to an object.
///
/// ```arc
/// asobject([1 0]) = {(0, (0, 1)), (1, (0, 0))}
/// asobject(()) = {}
/// ```
#[primitive(cost = PerCell)]
fn asobject(cx: &mut Cx, grid: Grid) -> Total<Object> {
    let cells = located_cells(cx, grid)?;
    let cells = cells.into_iter().map(|(color, i, j)| cx.cell(color, i, j)).collect::<Result<Vec<_>, _>>()?;
    cx.set(&cells)
}

/// Returns the cells of a grid at the locations of a patch.
///
/// Locations outside the grid are skipped.
///
/// ```arc
/// toobject({(0, 0), (9, 9)}, [1 0]) = {(1, (0, 0))}
/// toobject({(5, (0, 1))}, [1 0]) = {(0, (0, 1))}
/// ```
#[primitive(cost = PerCell)]
fn toobject(cx: &mut Cx, patch: Patch, grid: Grid) -> Partial<Object> {
    let lookup = RowLookup::new(cx, grid)?;
    let mut cells = Vec::new();
    for [i, j] in places(cx, patch)? {
        // As in Python, the column is not read if the row is outside.
        if let Some(row) = cx.within(i, lookup.rows.len())?
            && let Some(col) = cx.within(j, lookup.width)?
        {
            let place = cx.tuple(&[i, j])?;
            cells.push(cx.tuple(&[lookup.cell(row, col)?, place])?);
        }
    }
    cx.set(&cells)
}

/// Returns all locations of a grid.
///
/// ```arc
/// asindices([5 5 | 5 5]) = {(0, 0), (0, 1), (1, 0), (1, 1)}
/// asindices(()) = {}
/// ```
#[primitive(cost = PerCell)]
fn asindices(cx: &mut Cx, grid: Grid) -> Total<Indices> {
    let height = cx.len(grid)?;
    if height == 0 {
        return Ok(Value::EMPTY_SET);
    }
    let width = cx.len(cx.at(grid, 0)?)?;
    cx.admit_places(height, width)?;
    let places = (0..height).flat_map(|i| (0..width).map(move |j| (i as i64, j as i64)));
    let places = places.map(|(i, j)| cx.pair(i, j)).collect::<Result<Vec<_>, _>>()?;
    cx.set(&places)
}

/// Returns the locations of a patch, without colours.
///
/// A patch is an object if the second component of its first member is a tuple. A tuple of cells gives a set,
/// a tuple of locations stays a tuple.
///
/// ```arc
/// toindices({(3, (0, 1)), (4, (1, 1))}) = {(0, 1), (1, 1)}
/// toindices({(0, 1)}) = {(0, 1)}
/// toindices(()) = {}
/// ```
#[primitive(cost = PerCell, alias(toindices_i, toindices_o), keyword(indices = patch, obj = patch))]
fn toindices(cx: &mut Cx, patch: Patch) -> Total<Indices> {
    super::places::toindices(cx, patch)
}

/// The options of `objects`.
#[derive(Clone, Copy)]
struct ObjectOptions {
    univalued: bool,
    diagonal: bool,
    without_bg: bool,
}

impl ObjectOptions {
    fn new(univalued: Value<'_>, diagonal: Value<'_>, without_bg: Value<'_>) -> ObjectOptions {
        ObjectOptions {
            univalued: univalued.truth(),
            diagonal: diagonal.truth(),
            without_bg: without_bg.truth(),
        }
    }

    fn unpack(code: i64) -> Result<ObjectOptions, Fail> {
        if !(0..8).contains(&code) {
            return Err(Fail::Range);
        }
        Ok(ObjectOptions { univalued: code & 4 != 0, diagonal: code & 2 != 0, without_bg: code & 1 != 0 })
    }
}

/// Returns the objects of a grid, each a set, in the order of their first cells.
fn components<'a>(cx: &Cx<'a>, grid: Value<'a>, options: ObjectOptions) -> Result<Vec<Value<'a>>, Fail> {
    // Without a background colour the reference compares with None, so cells that hold None are skipped.
    let background = if options.without_bg { mostcolor(cx, grid)? } else { Value::None };
    let lookup = RowLookup::new(cx, grid)?;
    let (height, width) = (lookup.rows.len(), lookup.width);
    let mut cells = Vec::new();
    for i in 0..height {
        for j in 0..width {
            cells.push(lookup.cell(i, j)?);
        }
    }
    let visited = cells.iter().map(|cell| order::equal(*cell, background)).collect();
    let mut flood = FloodFill { cells, height, width, visited, options };
    let mut objects = Vec::new();
    for seed in 0..flood.cells.len() {
        if !flood.visited[seed] {
            let places = flood.fill_from(seed);
            let cell = |at: usize| cx.cell(flood.cells[at], (at / width) as i64, (at % width) as i64);
            let cells = places.into_iter().map(cell).collect::<Result<Vec<_>, _>>()?;
            objects.push(cx.set(&cells)?);
        }
    }
    Ok(objects)
}

/// A grid whose objects are being found. Cells are numbered row by row.
struct FloodFill<'a> {
    cells: Vec<Value<'a>>,
    height: usize,
    width: usize,
    /// Whether a cell is background or part of an object that was found.
    visited: Vec<bool>,
    options: ObjectOptions,
}

impl FloodFill<'_> {
    /// Returns all cells of the object that `seed` belongs to.
    fn fill_from(&mut self, seed: usize) -> Vec<usize> {
        self.visited[seed] = true;
        let mut found = vec![seed];
        let mut done = 0;
        while let Some(&at) = found.get(done) {
            done += 1;
            for next in self.neighbors(at) {
                if self.visited[next]
                    || self.options.univalued && !order::equal(self.cells[next], self.cells[seed])
                {
                    continue;
                }
                self.visited[next] = true;
                found.push(next);
            }
        }
        found
    }

    /// Returns the neighbours on the grid.
    fn neighbors(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        const STEPS: [(isize, isize); 8] =
            [(-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)];
        let n_steps = if self.options.diagonal { 8 } else { 4 };
        let (height, width) = (self.height, self.width);
        let (i, j) = (at / width, at % width);
        STEPS[..n_steps].iter().filter_map(move |&(di, dj)| {
            let i = i.checked_add_signed(di).filter(|i| *i < height)?;
            let j = j.checked_add_signed(dj).filter(|j| *j < width)?;
            Some(i * width + j)
        })
    }
}

/// Returns one object for each colour that `wanted` accepts.
fn color_classes<'a>(
    cx: &Cx<'a>,
    grid: Value<'a>,
    wanted: impl Fn(Value<'a>) -> bool,
) -> Result<Value<'a>, Fail> {
    // The palette of a set is the set of first components of its members, which must be pairs. The reference
    // then treats the members as rows, so second components count as cells if they are in the palette.
    let is_set = !grid.is_tuple();
    if is_set {
        cx.iter(grid)?.try_for_each(|member| cx.two(member).map(drop))?;
    }
    let mut cells = located_cells(cx, grid)?;
    cells.sort_by(|a, b| order::cmp(a.0, b.0));
    let mut objects = Vec::new();
    for class in cells.chunk_by(|a, b| order::equal(a.0, b.0)) {
        if wanted(class[0].0) && (!is_set || class.iter().any(|&(_, _, j)| j == 0)) {
            let cells =
                class.iter().map(|&(color, i, j)| cx.cell(color, i, j)).collect::<Result<Vec<_>, _>>()?;
            objects.push(cx.set(&cells)?);
        }
    }
    cx.set(&objects)
}

/// Returns every member of every member, with its location.
fn located_cells<'a>(cx: &Cx<'a>, grid: Value<'a>) -> Result<Vec<(Value<'a>, i64, i64)>, Fail> {
    let mut cells = Vec::new();
    for (i, row) in cx.iter(grid)?.enumerate() {
        cells.extend(cx.iter(row)?.enumerate().map(|(j, color)| (color, i as i64, j as i64)));
    }
    Ok(cells)
}

/// `len(set(line)) == 1`
fn is_uniform(line: &[Value<'_>]) -> bool {
    line.first().is_some_and(|first| line.iter().all(|cell| order::equal(*cell, *first)))
}

/// Returns the cells of a normalised object as (color, row, column).
fn pattern<'a>(cx: &Cx<'a>, normed: Value<'a>) -> Result<Vec<(Value<'a>, i64, i64)>, Fail> {
    let cell = |member| {
        let [color, place] = cx.two(member)?;
        let (a, b) = cx.two_ints(place)?;
        Ok((color, a, b))
    };
    cx.iter(normed)?.map(cell).collect()
}

/// The rows of a grid, listed once for many lookups.
struct RowLookup<'a> {
    /// `None` for a row that is not a tuple and cannot be indexed.
    rows: Vec<Option<Vec<Value<'a>>>>,
    /// The length of the first row.
    width: usize,
}

impl<'a> RowLookup<'a> {
    fn new(cx: &Cx<'a>, grid: Value<'a>) -> Result<RowLookup<'a>, Fail> {
        let width = cx.len(cx.at(grid, 0)?)?;
        let listed = |row: Value<'a>| row.is_tuple().then(|| cx.members(row)).transpose();
        let rows = cx.iter(grid)?.map(listed).collect::<Result<_, _>>()?;
        Ok(RowLookup { rows, width })
    }

    /// `grid[i][j]`; `i` must be a row of the grid.
    fn cell(&self, i: usize, j: usize) -> Result<Value<'a>, Fail> {
        self.rows[i].as_ref().ok_or(Fail::Kind)?.get(j).copied().ok_or(Fail::Range)
    }

    /// Returns whether the pattern, moved by `i` and `j`, is on the grid and agrees with it. As in the
    /// reference, no cell is read after the first mismatch.
    fn matches(&self, pattern: &[(Value<'a>, i64, i64)], i: i64, j: i64) -> Result<bool, Fail> {
        for &(color, a, b) in pattern {
            // A normalised pattern starts at zero, so no coordinate is negative.
            let (a, b) = (a.saturating_add(i) as usize, b.saturating_add(j) as usize);
            if a >= self.rows.len() || b >= self.width || !order::equal(self.cell(a, b)?, color) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
