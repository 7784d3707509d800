//! Colours: which there are, how many cells have them, and changing them.

use batt_dsl_macros::primitive;
use batt_value::{Fail, Value, order};

use super::places::{self, cells_of_rows, colors, colors_of_cells, toindices, tuples};
use crate::Cx;
use crate::registry::family;

family! {
    /// The colours of grids and objects. A tuple is read as a grid, its members as rows; anything else as an
    /// object, its members as pairs of a colour and a place. Of equally frequent colours the smallest counts, and
    /// the colour of an object is that of its first cell.
    color: mostcolor, leastcolor, palette, numcolors, p_g, p_o, color, colorcount, colorfilter, colorfilter_t,
    ofcolor, recolor, replace, switch,
}

/// The most frequent colour; of several the smallest.
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

/// The least frequent of the colours that occur; of several the smallest.
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

/// The set of colours that occur.
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

/// How many different colours occur.
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

/// The colours of a grid as a tuple, ascending.
///
/// ```arc
/// p_g([3 2 | 2 1]) = (1, 2, 3)
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn p_g(cx: &mut Cx, grid: Grid) -> Total<Tuple<Color>> {
    let colors = cells_of_rows(cx, grid)?;
    ascending(cx, colors)
}

/// The colours of an object as a tuple, ascending. A tuple of cells is an object, too.
///
/// ```arc
/// p_o({(7, (0, 0)), (4, (0, 1)), (7, (0, 2))}) = (4, 7)
/// p_o(((7, (0, 0)), (4, (0, 1)))) = (4, 7)
/// ```
#[primitive(cost = PerCell, order_sensitive)]
fn p_o(cx: &mut Cx, obj: Object) -> Total<Tuple<Color>> {
    let colors = colors_of_cells(cx, obj)?;
    ascending(cx, colors)
}

/// The colour of the first cell: of an object with several colours the smallest.
///
/// ```arc
/// color({(7, (0, 0)), (4, (0, 1))}) = 4
/// color({}) ! Empty
/// ```
#[primitive(cost = Constant, order_sensitive)]
fn color(cx: &mut Cx, obj: Object) -> Partial<Color> {
    first_color(cx, obj)
}

/// How many cells have the colour.
///
/// ```arc
/// colorcount([1 2 | 2 3], 2) = 2
/// colorcount({(7, (0, 0)), (4, (0, 1))}, 7) = 1
/// ```
#[primitive(cost = PerCell, alias(colorcount_t, colorcount_f), keyword(color = value))]
fn colorcount(cx: &mut Cx, element: Element, value: Color) -> Total<Int> {
    // Only tuples know how to count, so the rows of a grid must not be sets.
    if element.is_tuple() && !cx.iter(element)?.all(Value::is_tuple) {
        return Err(Fail::Kind);
    }
    let colors = colors(cx, element)?;
    Ok(Value::Int(colors.into_iter().filter(|color| order::equal(*color, value)).count() as i64))
}

/// The set of those objects whose first cell has the colour.
///
/// ```arc
/// colorfilter({{(1, (0, 0))}, {(2, (0, 1))}, {(1, (5, 5))}}, 1) = {{(1, (0, 0))}, {(1, (5, 5))}}
/// colorfilter({{}}, 1) ! Empty
/// ```
#[primitive(cost = PerCell, order_sensitive, keyword(color = value))]
fn colorfilter(cx: &mut Cx, objs: Container<Object>, value: Color) -> Partial<Set<Object>> {
    let objects = of_first_color(cx, objs, value)?;
    cx.set(&objects)
}

/// The tuple of those objects whose first cell has the colour, in their order.
///
/// ```arc
/// colorfilter_t((((2, (0, 1)),), ((1, (5, 5)),), ((1, (0, 0)),)), 1) = (((1, (5, 5)),), ((1, (0, 0)),))
/// colorfilter_t(({(1, (5, 5))}, {(1, (0, 0))}), 1) = ({(1, (5, 5))}, {(1, (0, 0))})
/// ```
#[primitive(cost = PerCell, order_sensitive, keyword(color = value), infer = SameAsFirst)]
fn colorfilter_t(cx: &mut Cx, objs: Tuple<Object>, value: Color) -> Partial<Tuple<Object>> {
    let objects = of_first_color(cx, objs, value)?;
    cx.tuple(&objects)
}

/// The places of all cells of a grid that have the colour.
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

/// The places of a patch, all in one colour.
///
/// ```arc
/// recolor(5, {(1, (0, 0)), (2, (0, 1))}) = {(5, (0, 0)), (5, (0, 1))}
/// recolor(5, {(3, 4)}) = {(5, (3, 4))}
/// ```
#[primitive(cost = PerCell, alias(recolor_i, recolor_o), keyword(color = value))]
fn recolor(cx: &mut Cx, value: Color, patch: Patch) -> Total<Object> {
    // Without duplicates, so that what is asked of the arena is what the result will hold.
    let places = cx.set(&cx.members(toindices(cx, patch)?)?)?;
    cx.arena.admit(cx.len(places)?.saturating_mul(value.weight() as usize))?;
    let cells = cx.iter(places)?.map(|place| cx.tuple(&[value, place])).collect::<Result<Vec<_>, _>>()?;
    cx.set(&cells)
}

/// The grid with every cell of the first colour in the second.
///
/// ```arc
/// replace([1 2 | 2 3], 2, 0) = [1 0 | 0 3]
/// ```
#[primitive(cost = PerCell)]
fn replace(cx: &mut Cx, grid: Grid, replacee: Color, replacer: Color) -> Total<Grid> {
    map_cells(cx, grid, |cell| if order::equal(cell, replacee) { replacer } else { cell })
}

/// The grid with two colours swapped.
///
/// ```arc
/// switch([1 2 | 2 3], 1, 2) = [2 1 | 1 3]
/// ```
#[primitive(cost = PerCell)]
fn switch(cx: &mut Cx, grid: Grid, a: Color, b: Color) -> Total<Grid> {
    // If `a` equals `b` without being the same (True and 1), both become `a`: so `b` is asked for first.
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

/// The distinct colours as a tuple.
fn ascending<'a>(cx: &Cx<'a>, colors: Vec<Value<'a>>) -> Result<Value<'a>, Fail> {
    let distinct: Vec<_> = cx.distinct(&colors).into_iter().map(|(place, _)| colors[place]).collect();
    cx.tuple(&distinct)
}

fn first_color<'a>(cx: &Cx<'a>, object: Value<'a>) -> Result<Value<'a>, Fail> {
    cx.at(cx.first(object)?, 0)
}

fn of_first_color<'a>(cx: &Cx<'a>, objects: Value<'a>, color: Value<'a>) -> Result<Vec<Value<'a>>, Fail> {
    let mut kept = Vec::new();
    for object in cx.iter(objects)? {
        if order::equal(first_color(cx, object)?, color) {
            kept.push(object);
        }
    }
    Ok(kept)
}

/// The grid with every cell replaced by `to(cell)`; its rows may be of any kind and become tuples.
fn map_cells<'a>(
    cx: &Cx<'a>,
    grid: Value<'a>,
    to: impl Fn(Value<'a>) -> Value<'a>,
) -> Result<Value<'a>, Fail> {
    let rows = cx.iter(grid)?.map(|row| Ok(cx.iter(row)?.map(&to).collect()));
    tuples(cx, &rows.collect::<Result<Vec<Vec<_>>, Fail>>()?)
}
