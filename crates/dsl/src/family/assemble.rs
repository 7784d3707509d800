//! Creating, cutting, joining and scaling grids.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value, order};

use super::places::{self, TotalWeight, tuples};
use crate::Cx;
use crate::registry::family;

family! {
    /// Create, cut, join and scale grids. Cutting follows Python's slices: a negative start counts from the
    /// end, and the part outside the grid is dropped.
    assemble: canvas, crop, subgrid, hconcat, vconcat, hsplit, vsplit, tophalf, bottomhalf, lefthalf,
    righthalf, trim, hupscale, vupscale, upscale, downscale, compress, cellwise,
}

/// Returns a grid of one colour with the given number of rows and columns.
///
/// ```arc
/// canvas(3, (2, 3)) = [3 3 3 | 3 3 3]
/// canvas(3, (-1, 3)) = ()
/// canvas(3, (9999999, 9999999)) ! TooLarge
/// ```
#[primitive(cost = PerCell, keyword(color = value))]
fn canvas(cx: &mut Cx, value: Color, dimensions: Pair) -> Total<Grid> {
    let height = cx.count(cx.at(dimensions, 0)?)?;
    if height == 0 {
        return Ok(Value::EMPTY_TUPLE);
    }
    let width = cx.count(cx.at(dimensions, 1)?)?;
    cx.arena.admit(width.saturating_add(1).saturating_mul(height))?;
    let row = cx.tuple(&vec![value; width])?;
    cx.tuple(&vec![row; height])
}

/// Cuts out the part of a grid that starts at `start` and has the size `dims`.
///
/// ```arc
/// crop([1 2 3 | 4 5 6 | 7 8 9], (1, 0), (2, 2)) = [4 5 | 7 8]
/// crop([1 2 3 | 4 5 6 | 7 8 9], (2, 2), (5, 5)) = ((9,),)
/// crop([1 2 3 | 4 5 6 | 7 8 9], (-2, 0), (1, 2)) = ((4, 5),)
/// crop([1 2 3 | 4 5 6 | 7 8 9], (-1, 0), (1, 2)) = ()
/// ```
#[primitive(cost = PerCell)]
fn crop(cx: &mut Cx, grid: Grid, start: Pair, dims: Pair) -> Total<Grid> {
    cut(cx, grid, start, dims)
}

/// Cuts out the part of a grid in the bounding box of a patch.
///
/// ```arc
/// subgrid({(0, 1), (1, 2)}, [1 2 3 | 4 5 6 | 7 8 9]) = [2 3 | 5 6]
/// subgrid({}, [1 2 3 | 4 5 6 | 7 8 9]) ! Range
/// ```
#[primitive(cost = PerCell)]
fn subgrid(cx: &mut Cx, patch: Patch, grid: Grid) -> Partial<Grid> {
    let start = places::ulcorner(cx, patch)?;
    let dims = cx.pair(places::height(cx, patch)?, places::width(cx, patch)?)?;
    cut(cx, grid, start, dims)
}

/// Joins two grids side by side.
///
/// The result has as many rows as the grid with fewer rows.
///
/// ```arc
/// hconcat([1 2 | 3 4], [5 | 6]) = [1 2 5 | 3 4 6]
/// hconcat([1 2 | 3 4], [5 6]) = [1 2 5 6]
/// ```
#[primitive(cost = PerCell)]
fn hconcat(cx: &mut Cx, a: Grid, b: Grid) -> Total<Grid> {
    let pairs = cx.iter(a)?.zip(cx.iter(b)?);
    let rows = pairs.map(|(left, right)| cx.add(left, right)).collect::<Result<Vec<_>, _>>()?;
    cx.tuple(&rows)
}

/// Stacks the first grid on top of the second.
///
/// ```arc
/// vconcat([1 2 | 3 4], [5 6]) = [1 2 | 3 4 | 5 6]
/// ```
#[primitive(cost = PerCell)]
fn vconcat(cx: &mut Cx, a: Grid, b: Grid) -> Total<Grid> {
    cx.add(a, b)
}

/// Splits a grid into `n` parts of equal width, side by side.
///
/// If the width is not a multiple of `n`, one column after each part is skipped.
///
/// ```arc
/// hsplit([1 2 3 4], 2) = ([1 2], [3 4])
/// hsplit([1 2 9 3 4], 2) = ([1 2], [3 4])
/// hsplit([1 2 3 4], 0) ! Range
/// ```
#[primitive(cost = PerCell)]
fn hsplit(cx: &mut Cx, grid: Grid, n: Int) -> Partial<Tuple<Grid>> {
    let height = cx.len(grid)?;
    let width = cx.len(cx.at(grid, 0)?)?;
    let Some(parts) = Parts::new(cx, width, n)? else {
        return Ok(Value::EMPTY_TUPLE);
    };
    cx.arena.admit(parts.n.saturating_mul(height + 1))?;
    // Each row is listed once: slicing it again for each part would take quadratic time.
    let rows = cx.iter(grid)?.map(|row| tuple_members(cx, row)).collect::<Result<Vec<_>, _>>()?;
    let grids = (0..parts.n).map(|i| {
        let cells = rows.iter().map(|row| parts.of(row, i).to_vec());
        tuples(cx, &cells.collect::<Vec<_>>())
    });
    cx.tuple(&grids.collect::<Result<Vec<_>, _>>()?)
}

/// Splits a grid into `n` parts of equal height, from top to bottom.
///
/// If the height is not a multiple of `n`, one row after each part is skipped.
///
/// ```arc
/// vsplit([1 | 2 | 3 | 4], 2) = ([1 | 2], [3 | 4])
/// vsplit([1 | 2 | 9 | 3 | 4], 2) = ([1 | 2], [3 | 4])
/// vsplit((), 2) ! Range
/// ```
#[primitive(cost = PerCell)]
fn vsplit(cx: &mut Cx, grid: Grid, n: Int) -> Partial<Tuple<Grid>> {
    let height = cx.len(grid)?;
    let width = cx.len(cx.at(grid, 0)?)?;
    let Some(parts) = Parts::new(cx, height, n)? else {
        return Ok(Value::EMPTY_TUPLE);
    };
    let rows = cx.members(grid)?;
    let grids = (0..parts.n).map(|i| {
        let rows = parts.of(&rows, i).iter().map(|row| cx.slice(*row, 0, width as i64));
        cx.tuple(&rows.collect::<Result<Vec<_>, _>>()?)
    });
    cx.tuple(&grids.collect::<Result<Vec<_>, _>>()?)
}

/// Returns the top half, without the middle row if there is one.
///
/// ```arc
/// tophalf([1 2 | 3 4 | 5 6]) = [1 2]
/// ```
#[primitive(cost = PerCell)]
fn tophalf(cx: &mut Cx, grid: Grid) -> Total<Grid> {
    cx.slice(grid, 0, cx.len(grid)? as i64 / 2)
}

/// Returns the bottom half, without the middle row if there is one.
///
/// ```arc
/// bottomhalf([1 2 | 3 4 | 5 6]) = [5 6]
/// ```
#[primitive(cost = PerCell)]
fn bottomhalf(cx: &mut Cx, grid: Grid) -> Total<Grid> {
    let n = cx.len(grid)? as i64;
    cx.slice(grid, n - n / 2, n)
}

/// Returns the left half, without the middle column if there is one.
///
/// The shortest row determines the width. A grid one column wide has no left half.
///
/// ```arc
/// lefthalf([1 2 3 | 4 5 6]) = [1 | 4]
/// lefthalf([1 2 3 4 5 | 6 7]) = [1 | 6]
/// lefthalf([1 | 4]) = ()
/// ```
#[primitive(cost = PerCell)]
fn lefthalf(cx: &mut Cx, grid: Grid) -> Total<Grid> {
    half_columns(cx, grid, |width| 0..width / 2)
}

/// Returns the right half, without the middle column if there is one.
///
/// The shortest row determines the width. A grid one column wide has no right half.
///
/// ```arc
/// righthalf([1 2 3 | 4 5 6]) = [3 | 6]
/// righthalf([1 2 3 4 5 | 6 7]) = [2 | 7]
/// righthalf([1 | 4]) = ()
/// ```
#[primitive(cost = PerCell)]
fn righthalf(cx: &mut Cx, grid: Grid) -> Total<Grid> {
    half_columns(cx, grid, |width| width - width / 2..width)
}

/// Removes the first and last row and the first and last column.
///
/// ```arc
/// trim([1 2 3 | 4 5 6 | 7 8 9]) = ((5,),)
/// trim([1 2 3]) = ()
/// ```
#[primitive(cost = PerCell)]
fn trim(cx: &mut Cx, grid: Grid) -> Total<Grid> {
    let inner = cx.slice(grid, 1, -1)?;
    let rows = cx.iter(inner)?.map(|row| cx.slice(row, 1, -1)).collect::<Result<Vec<_>, _>>()?;
    cx.tuple(&rows)
}

/// Repeats every column `factor` times.
///
/// ```arc
/// hupscale([1 2 | 3 4], 2) = [1 1 2 2 | 3 3 4 4]
/// hupscale([1 2 | 3 4], 0) = ((), ())
/// ```
#[primitive(cost = PerCell)]
fn hupscale(cx: &mut Cx, grid: Grid, factor: Int) -> Total<Grid> {
    let mut rows = Vec::new();
    let mut weight = TotalWeight::default();
    for row in cx.iter(grid)? {
        let row = repeated_members(cx, row, factor)?;
        weight.add(cx, row, 1)?;
        rows.push(row);
    }
    cx.tuple(&rows)
}

/// Repeats every row `factor` times.
///
/// ```arc
/// vupscale([1 2 | 3 4], 2) = [1 2 | 1 2 | 3 4 | 3 4]
/// ```
#[primitive(cost = PerCell)]
fn vupscale(cx: &mut Cx, grid: Grid, factor: Int) -> Total<Grid> {
    repeated_members(cx, grid, factor)
}

/// Repeats every row and every column `factor` times.
///
/// Every cell of an object becomes a square; the object's top-left corner stays.
///
/// ```arc
/// upscale([1 2], 2) = [1 1 2 2 | 1 1 2 2]
/// upscale({(5, (1, 1))}, 2) = {(5, (1, 1)), (5, (1, 2)), (5, (2, 1)), (5, (2, 2))}
/// upscale([1 2], 9999999) ! TooLarge
/// ```
#[primitive(cost = PerCell, alias(upscale_t, upscale_f), infer = SameAsFirst)]
fn upscale(cx: &mut Cx, element: Element, factor: Int) -> Total<Element> {
    if !element.is_tuple() {
        return upscale_object(cx, element, factor);
    }
    let mut rows = Vec::new();
    let mut weight = TotalWeight::default();
    for row in cx.iter(element)? {
        let row = repeated_members(cx, row, factor)?;
        let n = cx.count(factor)?;
        weight.add(cx, row, n)?;
        rows.extend(std::iter::repeat_n(row, n));
    }
    cx.tuple(&rows)
}

/// Keeps every `factor`-th row and column, starting with the first.
///
/// The first row determines the number of columns.
///
/// ```arc
/// downscale([1 2 3 | 4 5 6 | 7 8 9], 2) = [1 3 | 7 9]
/// downscale([1 2 3 | 4 5 6 | 7 8 9], 0) ! Range
/// downscale([1 2 3 | 4 5 6 | 7 8], 2) ! Range
/// ```
#[primitive(cost = PerCell)]
fn downscale(cx: &mut Cx, grid: Grid, factor: Int) -> Partial<Grid> {
    let width = cx.len(cx.at(grid, 0)?)?;
    let step = usize::try_from(cx.int(factor)?.unsigned_abs()).map_err(|_| Fail::Overflow)?;
    if step == 0 {
        return Err(Fail::Range);
    }
    // Skipped rows must have all columns, too.
    let rows =
        cx.iter(grid)?.map(|row| every_nth_cell(cx, row, width, step)).collect::<Result<Vec<_>, _>>()?;
    tuples(cx, &rows.into_iter().step_by(step).collect::<Vec<_>>())
}

/// Removes the rows and columns that have only one colour.
///
/// ```arc
/// compress([1 0 2 | 0 0 0 | 3 0 4]) = [1 2 | 3 4]
/// compress([0 0]) = ()
/// ```
#[primitive(cost = PerCell)]
fn compress(cx: &mut Cx, grid: Grid) -> Total<Grid> {
    let uniform_columns = match grid.is_tuple() {
        true => cx.zip_all(&cx.members(grid)?)?.iter().map(|column| is_uniform(column)).collect(),
        false => uniform_members(cx, places::dmirror(cx, grid)?)?,
    };
    let uniform_rows = uniform_members(cx, grid)?;
    let mut rows = Vec::new();
    for (row, uniform) in cx.iter(grid)?.zip(uniform_rows) {
        if !uniform {
            let cells = cx.iter(row)?.enumerate();
            // Cells beyond the shortest row belong to no column and stay.
            let kept = cells.filter(|(j, _)| uniform_columns.get(*j) != Some(&true));
            rows.push(kept.map(|(_, cell)| cell).collect());
        }
    }
    tuples(cx, &rows)
}

/// Keeps the cells on which two grids agree and sets all others to `fallback`.
///
/// The result has the size of `a`; `b` may be larger.
///
/// ```arc
/// cellwise([1 2 | 3 4], [1 0 | 3 0], 9) = [1 9 | 3 9]
/// cellwise([1 2 | 3 4], [1 2], 9) ! Range
/// ```
#[primitive(cost = PerCell)]
fn cellwise(cx: &mut Cx, a: Grid, b: Grid, fallback: Color) -> Partial<Grid> {
    let width = cx.len(cx.at(a, 0)?)?;
    let mut rows = Vec::new();
    for (i, row) in cx.iter(a)?.enumerate() {
        let mut cells = Vec::new();
        if width > 0 {
            let other = every_nth_cell(cx, cx.at(b, i as i64)?, width, 1)?;
            let pairs = every_nth_cell(cx, row, width, 1)?.into_iter().zip(other);
            cells.extend(pairs.map(|(a, b)| if order::equal(a, b) { a } else { fallback }));
        }
        rows.push(cells);
    }
    tuples(cx, &rows)
}

/// `tuple(r[start[1]:start[1] + dims[1]] for r in grid[start[0]:start[0] + dims[0]])`
fn cut<'a>(cx: &Cx<'a>, grid: Value<'a>, start: Value<'a>, dims: Value<'a>) -> Result<Value<'a>, Fail> {
    // An end beyond 64 bits is also beyond the grid, so saturating is exact.
    let slice = |value: Value<'a>, which: i64| {
        let (start, size) = (cx.int(cx.at(start, which)?)?, cx.int(cx.at(dims, which)?)?);
        cx.slice(value, start, start.saturating_add(size))
    };
    // Like Python, the columns are not read if no row is left.
    let rows = cx.iter(slice(grid, 0)?)?.map(|row| slice(row, 1)).collect::<Result<Vec<_>, _>>()?;
    cx.tuple(&rows)
}

/// Division of `whole` members into `n` parts of equal size.
struct Parts {
    n: usize,
    size: usize,
    /// Distance between the starts of two parts: one more than the size if `n` does not divide the whole.
    stride: usize,
}

impl Parts {
    /// Returns `None` if `n` is negative, because there are no parts then.
    fn new<'a>(cx: &Cx<'a>, whole: usize, n: Value<'a>) -> Result<Option<Parts>, Fail> {
        if cx.int(n)? == 0 {
            return Err(Fail::Range);
        }
        let n = cx.count(n)?;
        cx.arena.admit(n)?;
        Ok((n > 0).then(|| Parts { n, size: whole / n, stride: whole.div_ceil(n) }))
    }

    /// Returns part `i` of the members, cut off at their end.
    fn of<'m, T>(&self, members: &'m [T], i: usize) -> &'m [T] {
        let start = (self.stride * i).min(members.len());
        let end = (start + self.size).min(members.len());
        &members[start..end]
    }
}

/// Returns the members of a tuple; fails on anything else.
fn tuple_members<'a>(cx: &Cx<'a>, value: Value<'a>) -> Result<Vec<Value<'a>>, Fail> {
    if value.is_tuple() { cx.members(value) } else { Err(Fail::Kind) }
}

/// Returns the columns that `keep` selects, given the width of the shortest row.
fn half_columns<'a>(
    cx: &Cx<'a>,
    grid: Value<'a>,
    keep: impl Fn(usize) -> std::ops::Range<usize>,
) -> Result<Value<'a>, Fail> {
    let rows = tuple_members(cx, grid)?;
    let rows = rows.into_iter().map(|row| cx.members(row)).collect::<Result<Vec<_>, _>>()?;
    let width = rows.iter().map(Vec::len).min().unwrap_or(0);
    let keep = keep(width);
    // The reference transposes twice, so a grid without columns has no rows either.
    if keep.is_empty() {
        return Ok(Value::EMPTY_TUPLE);
    }
    let halves = rows.iter().map(|row| row[keep.clone()].to_vec());
    tuples(cx, &halves.collect::<Vec<_>>())
}

/// Returns a tuple with each member `factor` times. As in Python, the factor is not read if there are no
/// members.
fn repeated_members<'a>(cx: &Cx<'a>, container: Value<'a>, factor: Value<'a>) -> Result<Value<'a>, Fail> {
    let members = cx.iter(container)?;
    if members.len() == 0 {
        return Ok(Value::EMPTY_TUPLE);
    }
    let n = cx.count(factor)?;
    cx.arena.admit(members.len().saturating_mul(n))?;
    let repeated: Vec<_> = members.flat_map(|member| std::iter::repeat_n(member, n)).collect();
    cx.tuple(&repeated)
}

/// Turns every cell of an object into a square of `factor` × `factor` cells.
fn upscale_object<'a>(cx: &Cx<'a>, object: Value<'a>, factor: Value<'a>) -> Result<Value<'a>, Fail> {
    if cx.len(object)? == 0 {
        return Ok(Value::EMPTY_SET);
    }
    let (top, left) = cx.two_ints(places::ulcorner(cx, object)?)?;
    let negative = |x: i64| x.checked_neg().ok_or(Fail::Overflow);
    let object = places::shift(cx, object, cx.pair(negative(top)?, negative(left)?)?)?;
    let n = cx.count(factor)?;
    cx.arena.admit((object.weight() as usize - 1).saturating_mul(n).saturating_mul(n))?;
    let mut cells = Vec::new();
    for cell in cx.iter(object)? {
        let [color, place] = cx.two(cell)?;
        let (row, col) = cx.two_ints(place)?;
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            cells.push(cx.cell(color, scaled(row, n, i)?, scaled(col, n, j)?)?);
        }
    }
    places::shift(cx, cx.set(&cells)?, cx.pair(top, left)?)
}

/// `x * factor + offset`
fn scaled(x: i64, factor: usize, offset: usize) -> Result<i64, Fail> {
    let start = x.checked_mul(factor as i64).ok_or(Fail::Overflow)?;
    start.checked_add(offset as i64).ok_or(Fail::Overflow)
}

/// Returns every `step`-th cell of the first `width` cells of a row; fails if one of them is missing.
fn every_nth_cell<'a>(
    cx: &Cx<'a>,
    row: Value<'a>,
    width: usize,
    step: usize,
) -> Result<Vec<Value<'a>>, Fail> {
    (0..width).step_by(step).map(|j| cx.at(row, j as i64)).collect()
}

/// Returns for each member of a container whether it is a non-empty container of equal members.
fn uniform_members<'a>(cx: &Cx<'a>, container: Value<'a>) -> Result<Vec<bool>, Fail> {
    cx.iter(container)?.map(|line| Ok(is_uniform(&cx.members(line)?))).collect()
}

fn is_uniform(line: &[Value<'_>]) -> bool {
    line.first().is_some_and(|first| line.iter().all(|other| order::equal(*first, *other)))
}
