//! Objects on a grid, and the way between grids, objects and places.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value, order};

use super::places::{height, mostcolor, normalize, places, width};
use crate::Cx;
use crate::registry::family;

family! {
    /// An object is a set of cells (color, (row, column)), indices are a set of places (row, column). The length
    /// of the first row is the width of a grid; whoever looks for a cell in a shorter row fails.
    object: objects, objects_t, o_g, o_g_t, partition, fgpartition, frontiers, occurrences, asobject, toobject,
    asindices, toindices,
}

/// The connected objects on a grid.
///
/// With `univalued` an object has one colour, else cells of all colours join. With `diagonal` cells that touch at
/// a corner are connected too. With `without_bg` the commonest colour (of several the smallest) is background and
/// belongs to no object; else only cells that hold None do not.
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
    let rule = Rule::new(univalued, diagonal, without_bg);
    cx.set(&components(cx, grid, rule)?)
}

/// The connected objects on a grid as a tuple, ordered by their first cell as one reads: by row, then by column.
///
/// The same objects as those of `objects`, each of them still a set of cells.
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
    let rule = Rule::new(univalued, diagonal, without_bg);
    cx.tuple(&components(cx, grid, rule)?)
}

/// The connected objects on a grid, with the three options of `objects` packed into one number.
///
/// 4 for univalued, 2 for diagonal and 1 for without_bg, added up; a number outside 0 to 7 fails.
///
/// ```arc
/// o_g([1 0 | 0 1], 5) = {{(1, (0, 0))}, {(1, (1, 1))}}
/// o_g([1 0 | 0 1], 7) = {{(1, (0, 0)), (1, (1, 1))}}
/// o_g([1 0 | 0 1], 8) ! Range
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn o_g(cx: &mut Cx, grid: Grid, r#type: Choice8) -> Partial<Set<Object>> {
    let rule = Rule::unpack(cx.int(r#type)?)?;
    cx.set(&components(cx, grid, rule)?)
}

/// The connected objects on a grid as a tuple: `objects_t` with its three options packed as for `o_g`.
///
/// ```arc
/// o_g_t([2 0 1], 5) = ({(2, (0, 0))}, {(1, (0, 2))})
/// o_g_t([2 0 1], -1) ! Range
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(o_g_tuple))]
fn o_g_t(cx: &mut Cx, grid: Grid, r#type: Choice8) -> Partial<Tuple<Object>> {
    let rule = Rule::unpack(cx.int(r#type)?)?;
    cx.tuple(&components(cx, grid, rule)?)
}

/// One object for each colour on the grid, of all its cells.
///
/// ```arc
/// partition([1 0 | 0 1]) = {{(0, (0, 1)), (0, (1, 0))}, {(1, (0, 0)), (1, (1, 1))}}
/// partition(()) = {}
/// ```
#[primitive(cost = PerCell)]
fn partition(cx: &mut Cx, grid: Grid) -> Total<Set<Object>> {
    color_classes(cx, grid, |_| true)
}

/// One object for each colour on the grid but the commonest; of several commonest the smallest is left out.
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

/// The rows and columns of one colour, each as an object.
///
/// ```arc
/// frontiers([1 1 | 0 1]) = {{(1, (0, 0)), (1, (0, 1))}, {(1, (0, 1)), (1, (1, 1))}}
/// frontiers([1 2 | 2 1]) = {}
/// ```
#[primitive(cost = PerCell)]
fn frontiers(cx: &mut Cx, grid: Grid) -> Partial<Set<Object>> {
    let lookup = Lookup::new(cx, grid)?;
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

/// The places where the upper left corner of the object's box can lie so that all its cells agree with the grid.
///
/// An empty object occurs everywhere, in the row below and the column beside the grid too.
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
    let lookup = Lookup::new(cx, grid)?;
    let (h, w) = (lookup.rows.len() as i64, lookup.width as i64);
    let (oh, ow) = (height(cx, obj)?, width(cx, obj)?);
    let (h2, w2) = ((h + 1).saturating_sub(oh), (w + 1).saturating_sub(ow));
    if h2 <= 0 || w2 <= 0 {
        return Ok(Value::EMPTY_SET);
    }
    let pattern = pattern(cx, normed)?;
    // The first cell decides how far it is worth going: beyond, it lies outside the grid and nothing else is
    // looked at. This also keeps the number of rounds within the cells that the grid really has.
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

/// The whole grid as an object.
///
/// ```arc
/// asobject([1 0]) = {(0, (0, 1)), (1, (0, 0))}
/// asobject(()) = {}
/// ```
#[primitive(cost = PerCell)]
fn asobject(cx: &mut Cx, grid: Grid) -> Total<Object> {
    let cells = numbered(cx, grid)?;
    let cells = cells.into_iter().map(|(color, i, j)| cx.cell(color, i, j)).collect::<Result<Vec<_>, _>>()?;
    cx.set(&cells)
}

/// The places of the patch that lie on the grid, with the colours of the grid.
///
/// ```arc
/// toobject({(0, 0), (9, 9)}, [1 0]) = {(1, (0, 0))}
/// toobject({(5, (0, 1))}, [1 0]) = {(0, (0, 1))}
/// ```
#[primitive(cost = PerCell)]
fn toobject(cx: &mut Cx, patch: Patch, grid: Grid) -> Partial<Object> {
    let lookup = Lookup::new(cx, grid)?;
    let mut cells = Vec::new();
    for [i, j] in places(cx, patch)? {
        // A column need not even be a number when the row is outside.
        if let Some(row) = cx.within(i, lookup.rows.len())?
            && let Some(col) = cx.within(j, lookup.width)?
        {
            let place = cx.tuple(&[i, j])?;
            cells.push(cx.tuple(&[lookup.cell(row, col)?, place])?);
        }
    }
    cx.set(&cells)
}

/// All places of a grid.
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

/// The places of a patch: an object loses its colours, indices stay.
///
/// Whether it is an object is seen at its first member, whose second component is then a tuple. A tuple of cells
/// gives a set, a tuple of places stays a tuple.
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

/// Which cells make an object.
#[derive(Clone, Copy)]
struct Rule {
    univalued: bool,
    diagonal: bool,
    without_bg: bool,
}

impl Rule {
    fn new(univalued: Value<'_>, diagonal: Value<'_>, without_bg: Value<'_>) -> Rule {
        Rule { univalued: univalued.truth(), diagonal: diagonal.truth(), without_bg: without_bg.truth() }
    }

    fn unpack(code: i64) -> Result<Rule, Fail> {
        if !(0..8).contains(&code) {
            return Err(Fail::Range);
        }
        Ok(Rule { univalued: code & 4 != 0, diagonal: code & 2 != 0, without_bg: code & 1 != 0 })
    }
}

/// The objects of a grid, each a set, in the order of their first cells.
fn components<'a>(cx: &Cx<'a>, grid: Value<'a>, rule: Rule) -> Result<Vec<Value<'a>>, Fail> {
    // Without a background colour the reference compares with None, so cells that hold None stay out.
    let background = if rule.without_bg { mostcolor(cx, grid)? } else { Value::None };
    let lookup = Lookup::new(cx, grid)?;
    let (height, width) = (lookup.rows.len(), lookup.width);
    let mut cells = Vec::new();
    for i in 0..height {
        for j in 0..width {
            cells.push(lookup.cell(i, j)?);
        }
    }
    let seen = cells.iter().map(|cell| order::equal(*cell, background)).collect();
    let mut flood = Flood { cells, height, width, seen, rule };
    let mut objects = Vec::new();
    for seed in 0..flood.cells.len() {
        if !flood.seen[seed] {
            let places = flood.from(seed);
            let cell = |at: usize| cx.cell(flood.cells[at], (at / width) as i64, (at % width) as i64);
            let cells = places.into_iter().map(cell).collect::<Result<Vec<_>, _>>()?;
            objects.push(cx.set(&cells)?);
        }
    }
    Ok(objects)
}

/// A grid whose objects are being found. Cells are numbered row after row.
struct Flood<'a> {
    cells: Vec<Value<'a>>,
    height: usize,
    width: usize,
    /// Background, or part of an object that was found.
    seen: Vec<bool>,
    rule: Rule,
}

impl Flood<'_> {
    /// All cells of the object that `seed` belongs to.
    fn from(&mut self, seed: usize) -> Vec<usize> {
        self.seen[seed] = true;
        let mut found = vec![seed];
        let mut done = 0;
        while let Some(&at) = found.get(done) {
            done += 1;
            for next in self.around(at) {
                if self.seen[next] || self.rule.univalued && !order::equal(self.cells[next], self.cells[seed])
                {
                    continue;
                }
                self.seen[next] = true;
                found.push(next);
            }
        }
        found
    }

    /// The neighbours on the grid.
    fn around(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        const STEPS: [(isize, isize); 8] =
            [(-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)];
        let n_steps = if self.rule.diagonal { 8 } else { 4 };
        let (height, width) = (self.height, self.width);
        let (i, j) = (at / width, at % width);
        STEPS[..n_steps].iter().filter_map(move |&(di, dj)| {
            let i = i.checked_add_signed(di).filter(|i| *i < height)?;
            let j = j.checked_add_signed(dj).filter(|j| *j < width)?;
            Some(i * width + j)
        })
    }
}

/// One object for each colour that `wanted` accepts.
fn color_classes<'a>(
    cx: &Cx<'a>,
    grid: Value<'a>,
    wanted: impl Fn(Value<'a>) -> bool,
) -> Result<Value<'a>, Fail> {
    // The palette of a set are the first components of its members, which must be pairs. The reference then
    // takes the members for rows, so that second components count as cells where they are in the palette.
    let is_set = !grid.is_tuple();
    if is_set {
        cx.iter(grid)?.try_for_each(|member| cx.two(member).map(drop))?;
    }
    let mut cells = numbered(cx, grid)?;
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

/// Every member of every member, with its place.
fn numbered<'a>(cx: &Cx<'a>, grid: Value<'a>) -> Result<Vec<(Value<'a>, i64, i64)>, Fail> {
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

/// The cells of a normalised object as (color, row, column).
fn pattern<'a>(cx: &Cx<'a>, normed: Value<'a>) -> Result<Vec<(Value<'a>, i64, i64)>, Fail> {
    let cell = |member| {
        let [color, place] = cx.two(member)?;
        let (a, b) = cx.two_ints(place)?;
        Ok((color, a, b))
    };
    cx.iter(normed)?.map(cell).collect()
}

/// The rows of a grid, listed once for many questions.
struct Lookup<'a> {
    /// `None` for what is no tuple and has no places.
    rows: Vec<Option<Vec<Value<'a>>>>,
    /// The length of the first row.
    width: usize,
}

impl<'a> Lookup<'a> {
    fn new(cx: &Cx<'a>, grid: Value<'a>) -> Result<Lookup<'a>, Fail> {
        let width = cx.len(cx.at(grid, 0)?)?;
        let listed = |row: Value<'a>| row.is_tuple().then(|| cx.members(row)).transpose();
        let rows = cx.iter(grid)?.map(listed).collect::<Result<_, _>>()?;
        Ok(Lookup { rows, width })
    }

    /// `grid[i][j]`, for an `i` that is a row.
    fn cell(&self, i: usize, j: usize) -> Result<Value<'a>, Fail> {
        self.rows[i].as_ref().ok_or(Fail::Kind)?.get(j).copied().ok_or(Fail::Range)
    }

    /// Whether the pattern, moved by `i` and `j`, lies on the grid and agrees with it. Nothing is looked at after
    /// the first cell that does not.
    fn matches(&self, pattern: &[(Value<'a>, i64, i64)], i: i64, j: i64) -> Result<bool, Fail> {
        for &(color, a, b) in pattern {
            // A normalised pattern starts at zero, so that nothing is negative.
            let (a, b) = (a.saturating_add(i) as usize, b.saturating_add(j) as usize);
            if a >= self.rows.len() || b >= self.width || !order::equal(self.cell(a, b)?, color) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
