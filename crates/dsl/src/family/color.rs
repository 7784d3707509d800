//! Counting, selecting and changing colours.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value, order};

use super::places::{self, cells_of_rows, colors, colors_of_cells, toindices, tuples};
use crate::Cx;
use crate::registry::family;

family! {
    /// Count, select and change the colours of grids and objects. A tuple is treated as a grid (a tuple of
    /// rows), anything else as an object (a set of cells). The colour of an object is that of its first cell.
    color: mostcolor, leastcolor, palette, numcolors, p_g, p_o, color, colorcount, colorfilter, colorfilter_t,
    ofcolor, recolor, replace, switch,
}

/// Returns the most frequent colour; of several, the smallest.
///
/// ```arc
/// mostcolor([1 2 | 2 3]) = 2
/// mostcolor({(7, (0, 0)), (4, (0, 1))}) = 4
/// mostcolor({}) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(mostcolor_t, mostcolor_f))]
fn mostcolor(cx: &mut Cx, element: Element) -> Partial<Color> {
    places::mostcolor(cx, element)
}

/// Returns the least frequent of the colours that occur; of several, the smallest.
///
/// ```arc
/// leastcolor([1 2 | 2 3]) = 1
/// leastcolor({(7, (0, 0)), (4, (0, 1))}) = 4
/// leastcolor(()) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive, alias(leastcolor_t, leastcolor_f))]
fn leastcolor(cx: &mut Cx, element: Element) -> Partial<Color> {
    let colors = colors(cx, element)?;
    let least = cx.distinct(&colors).into_iter().min_by_key(|&(_, n)| n);
    least.map(|(place, _)| colors[place]).ok_or(Fail::Empty)
}

/// Returns the set of colours that occur.
///
/// ```arc
/// palette([1 2 | 2 3]) = {1, 2, 3}
/// palette({(7, (0, 0)), (4, (0, 1))}) = {4, 7}
/// p_f({(7, (0, 0)), (7, (0, 1))}) = {7}
/// ```
#[primitive(cost = PerCell, alias(palette_t, palette_f, p_f))]
fn palette(cx: &mut Cx, element: Element) -> Total<Set<Color>> {
    let colors = colors(cx, element)?;
    cx.set(&colors)
}

/// Returns the number of different colours.
///
/// ```arc
/// numcolors([1 2 | 2 3]) = 3
/// numcolors({}) = 0
/// ```
#[primitive(cost = PerCell, alias(numcolors_t, numcolors_f))]
fn numcolors(cx: &mut Cx, element: Element) -> Total<Int> {
    let colors = colors(cx, element)?;
    Ok(Value::Int(cx.distinct(&colors).len() as i64))
}

/// Returns the colours of a grid as a tuple, ascending.
///
/// ```arc
/// p_g([3 2 | 2 1]) = (1, 2, 3)
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn p_g(cx: &mut Cx, grid: Grid) -> Total<Tuple<Color>> {
    let colors = cells_of_rows(cx, grid)?;
    distinct_colors(cx, colors)
}

/// Returns the colours of an object as a tuple, ascending.
///
/// A tuple of cells counts as an object.
///
/// ```arc
/// p_o({(7, (0, 0)), (4, (0, 1)), (7, (0, 2))}) = (4, 7)
/// p_o(((7, (0, 0)), (4, (0, 1)))) = (4, 7)
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn p_o(cx: &mut Cx, obj: Object) -> Total<Tuple<Color>> {
    let colors = colors_of_cells(cx, obj)?;
    distinct_colors(cx, colors)
}

/// Returns the colour of the first cell of an object.
///
/// For a set of cells with several colours, this is the smallest.
///
/// ```arc
/// color({(7, (0, 0)), (4, (0, 1))}) = 4
/// color({}) ! Empty
/// ```
#[primitive(cost = Constant, order_sensitive)]
fn color(cx: &mut Cx, obj: Object) -> Partial<Color> {
    first_color(cx, obj)
}

/// Returns the number of cells of a colour.
///
/// ```arc
/// colorcount([1 2 | 2 3], 2) = 2
/// colorcount({(7, (0, 0)), (4, (0, 1))}, 7) = 1
/// ```
#[primitive(cost = PerCell, alias(colorcount_t, colorcount_f), keyword(color = value))]
fn colorcount(cx: &mut Cx, element: Element, value: Color) -> Total<Int> {
    // The reference calls `count`, which only tuples have, so the rows of a grid must not be sets.
    if element.is_tuple() && !cx.iter(element)?.all(Value::is_tuple) {
        return Err(Fail::Kind);
    }
    let colors = colors(cx, element)?;
    Ok(Value::Int(colors.into_iter().filter(|color| order::equal(*color, value)).count() as i64))
}

/// Returns the set of those objects whose first cell has a colour.
///
/// ```arc
/// colorfilter({{(1, (0, 0))}, {(2, (0, 1))}, {(1, (5, 5))}}, 1) = {{(1, (0, 0))}, {(1, (5, 5))}}
/// colorfilter({{}}, 1) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive, keyword(color = value))]
fn colorfilter(cx: &mut Cx, objs: Container<Object>, value: Color) -> Partial<Set<Object>> {
    let objects = with_first_color(cx, objs, value)?;
    cx.set(&objects)
}

/// Returns the tuple of those objects whose first cell has a colour, in order.
///
/// ```arc
/// colorfilter_t((((2, (0, 1)),), ((1, (5, 5)),), ((1, (0, 0)),)), 1) = (((1, (5, 5)),), ((1, (0, 0)),))
/// colorfilter_t(({(1, (5, 5))}, {(1, (0, 0))}), 1) = ({(1, (5, 5))}, {(1, (0, 0))})
/// ```
#[primitive(cost = PerCell, order_sensitive, keyword(color = value), infer = SameAsFirst)]
fn colorfilter_t(cx: &mut Cx, objs: Tuple<Object>, value: Color) -> Partial<Tuple<Object>> {
    let objects = with_first_color(cx, objs, value)?;
    cx.tuple(&objects)
}

/// Returns the locations of all cells of a colour in a grid.
///
/// ```arc
/// ofcolor([1 2 | 2 3], 2) = {(0, 1), (1, 0)}
/// ```
#[primitive(cost = PerCell, alias(f_ofcolor), keyword(color = value))]
fn ofcolor(cx: &mut Cx, grid: Grid, value: Color) -> Total<Indices> {
    let mut places = Vec::new();
    for (i, row) in cx.iter(grid)?.enumerate() {
        for (j, cell) in cx.iter(row)?.enumerate() {
            if order::equal(cell, value) {
                places.push(cx.pair(i as i64, j as i64)?);
            }
        }
    }
    cx.set(&places)
}

/// Returns an object with the locations of a patch, all in one colour.
///
/// ```arc
/// recolor(5, {(1, (0, 0)), (2, (0, 1))}) = {(5, (0, 0)), (5, (0, 1))}
/// recolor(5, {(3, 4)}) = {(5, (3, 4))}
/// ```
#[primitive(cost = PerCell, alias(recolor_i, recolor_o), keyword(color = value))]
fn recolor(cx: &mut Cx, value: Color, patch: Patch) -> Total<Object> {
    // Duplicates are removed first, so that the size check is exact.
    let places = cx.set(&cx.members(toindices(cx, patch)?)?)?;
    cx.arena.admit(cx.len(places)?.saturating_mul(value.weight() as usize))?;
    let cells = cx.iter(places)?.map(|place| cx.tuple(&[value, place])).collect::<Result<Vec<_>, _>>()?;
    cx.set(&cells)
}

/// Replaces one colour of a grid with another.
///
/// ```arc
/// replace([1 2 | 2 3], 2, 0) = [1 0 | 0 3]
/// ```
#[primitive(cost = PerCell)]
fn replace(cx: &mut Cx, grid: Grid, replacee: Color, replacer: Color) -> Total<Grid> {
    map_cells(cx, grid, |cell| if order::equal(cell, replacee) { replacer } else { cell })
}

/// Swaps two colours of a grid.
///
/// ```arc
/// switch([1 2 | 2 3], 1, 2) = [2 1 | 1 3]
/// ```
#[primitive(cost = PerCell)]
fn switch(cx: &mut Cx, grid: Grid, a: Color, b: Color) -> Total<Grid> {
    // If `a` equals `b` without being identical (True and 1), both become `a`, so `b` is compared first.
    map_cells(cx, grid, |cell| {
        if order::equal(cell, b) {
            a
        } else if order::equal(cell, a) {
            b
        } else {
            cell
        }
    })
}

/// Returns the distinct colours as an ascending tuple.
fn distinct_colors<'a>(cx: &Cx<'a>, colors: Vec<Value<'a>>) -> Result<Value<'a>, Fail> {
    let distinct: Vec<_> = cx.distinct(&colors).into_iter().map(|(place, _)| colors[place]).collect();
    cx.tuple(&distinct)
}

fn first_color<'a>(cx: &Cx<'a>, object: Value<'a>) -> Result<Value<'a>, Fail> {
    cx.at(cx.first(object)?, 0)
}

fn with_first_color<'a>(cx: &Cx<'a>, objects: Value<'a>, color: Value<'a>) -> Result<Vec<Value<'a>>, Fail> {
    let mut kept = Vec::new();
    for object in cx.iter(objects)? {
        if order::equal(first_color(cx, object)?, color) {
            kept.push(object);
        }
    }
    Ok(kept)
}

/// Replaces every cell by `to(cell)`. Rows may be any kind of container and become tuples.
fn map_cells<'a>(
    cx: &Cx<'a>,
    grid: Value<'a>,
    to: impl Fn(Value<'a>) -> Value<'a>,
) -> Result<Value<'a>, Fail> {
    let rows = cx.iter(grid)?.map(|row| Ok(cx.iter(row)?.map(&to).collect()));
    tuples(cx, &rows.collect::<Result<Vec<Vec<_>>, Fail>>()?)
}
