//! Rules learned from the demonstration pairs.
#![allow(non_snake_case, reason = "the parameter S is called as in programs")]

use batt_dsl_macros::primitive;
use batt_value::Value;

use crate::Cx;
use crate::lesson::{completed, learned, learned_inside, transformed};
use crate::registry::family;

family! {
    /// Learners read the demonstration pairs `S` and return a function from grid to grid that is right on all of
    /// them. `rank` chooses among the rules that a learner finds, the simplest first; if there is no such rule, the
    /// call fails as `Empty`. `option` is one of the constants listed with each learner; any other value fails as
    /// `Range`. Learners that take a learner (a function of `S`) work in a context: with other colours, on parts, in
    /// a box. Grids have at most 30 × 30 cells in the colours 0 to 9. `batt programs explain` describes the learned
    /// rules, and `batt programs resolve` writes them out with ordinary primitives.
    learn: learn_transform, learn_cells, learn_recolor, learn_select, learn_complete, learn_forest, learn_stack, learn_move, learn_split, learn_repeat, learn_table, learn_count, learn_pool, learn_draw, learn_template, learn_fill_parts, learn_assemble, learn_in_frame, learn_in_parts, learn_in_box, learn_on_matrix, learn_after, learn_before, learn_on_canvas, view, complete,
}

/// Transforms the input by one or two views and a colour map.
///
/// ```arc
/// apply(learn_transform((([1 2 | 3 4], [2 1 | 4 3]),), ONE_STEP, 0), ([5 6],)) = ([6 5],)
/// learn_transform((([1], [2 3]),), ONE_STEP, 0) ! Empty
/// ```
#[primitive(cost = PerCell)]
fn learn_transform(cx: &mut Cx, S: Samples, option: Int, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_transform", option, rank, S)
}

/// Gives every cell its colour by one rule: a small tree of tests that ends in a colour to take or to copy.
///
/// ```arc
/// apply(learn_cells((([1 0 2], [3 0 2]), ([0 1], [0 3])), NEAR, 0), ([1 4],)) = ([3 4],)
/// learn_cells((([1], [1]),), NEAR, 0) ! Empty
/// learn_cells((([1], [2]),), HIDDEN, 0) ! Range
/// ```
#[primitive(cost = PerCell)]
fn learn_cells(cx: &mut Cx, S: Samples, option: Int, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_cells", option, rank, S)
}

/// Gives objects other colours, by their properties or also by their relations to others.
///
/// ```arc
/// apply(learn_recolor((([1 1 0 1], [2 2 0 1]),), PROPERTIES, 0), ([1 0 1 1 1],)) = ([1 0 2 2 2],)
/// ```
#[primitive(cost = PerCell)]
fn learn_recolor(cx: &mut Cx, S: Samples, option: Int, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_recolor", option, rank, S)
}

/// Selects one piece of the input by one property, or by counting in it.
///
/// ```arc
/// apply(learn_select((([1 1 0 2], [1 1]), ([3 0 4 4], [4 4])), PROPERTIES, 0), ([5 5 5 0 6],)) = ([5 5 5],)
/// ```
#[primitive(cost = PerCell)]
fn learn_select(cx: &mut Cx, S: Samples, option: Int, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_select", option, rank, S)
}

/// Fills in the cells of one colour, the background, or a larger canvas by symmetry and repetition.
///
/// ```arc
/// apply(learn_complete((([1 2 1 2 5 2], [1 2 1 2 1 2]),), HIDDEN, 0), ([3 4 3 4 5 4],)) = ([3 4 3 4 3 4],)
/// ```
#[primitive(cost = PerCell)]
fn learn_complete(cx: &mut Cx, S: Samples, option: Int, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_complete", option, rank, S)
}

/// Gives every cell its colour by the vote of fifteen rules, each learned from a part of the tests.
///
/// ```arc
/// apply(learn_forest((([1 0 2], [3 0 2]),), 0), ([0 1],)) = ([0 3],)
/// ```
#[primitive(cost = PerCell)]
fn learn_forest(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_forest", Value::None, rank, S)
}

/// Gives every cell its colour by a small rule, then by a second one on the result.
///
/// ```arc
/// learn_stack((([1], [1]),), 0) ! Empty
/// ```
#[primitive(cost = PerCell)]
fn learn_stack(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_stack", Value::None, rank, S)
}

/// Moves objects: they slide, step, line up or are removed.
///
/// ```arc
/// apply(learn_move((([1 0 0], [0 0 1]), ([0 1 0], [0 0 1])), 0), ([0 2 0 0],)) = ([0 0 0 2],)
/// ```
#[primitive(cost = PerCell)]
fn learn_move(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_move", Value::None, rank, S)
}

/// Lays parts of the input over each other; each output cell follows from the cells of the parts.
///
/// ```arc
/// apply(learn_split((([1 0 5 0 0], [1 0]), ([0 0 5 0 1], [0 1]), ([1 1 5 1 0], [1 1])), 0), ([0 0 5 1 0],)) = ([1 0],)
/// ```
#[primitive(cost = PerCell)]
fn learn_split(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_split", Value::None, rank, S)
}

/// Repeats, enlarges or mirrors the input; each output cell follows from the cells of the copies.
///
/// ```arc
/// apply(learn_repeat((([1 2], [1 2 1 2]),), 0), ([3 4],)) = ([3 4 3 4],)
/// ```
#[primitive(cost = PerCell)]
fn learn_repeat(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_repeat", Value::None, rank, S)
}

/// Returns one of a few stored outputs, chosen by one number of the input.
///
/// ```arc
/// apply(learn_table((([1], [7 7]), ([2], [7 7])), 0), ([3],)) = ([7 7],)
/// ```
#[primitive(cost = PerCell)]
fn learn_table(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_table", Value::None, rank, S)
}

/// Draws a shape from numbers of the input.
///
/// ```arc
/// apply(learn_count((([1 0 0], [3]), ([1 0 1], [3 3])), 0), ([1 0 1 0 1],)) = ([3 3 3],)
/// ```
#[primitive(cost = PerCell)]
fn learn_count(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_count", Value::None, rank, S)
}

/// Lays views of the input over each other: the cell of one where another is black, and the like.
///
/// ```arc
/// apply(learn_pool((([1 0 2 | 0 3 0], [1 1 2 | 0 3 0]),), 0), ([1 0 2 | 0 3 0],)) = ([1 1 2 | 0 3 0],)
/// ```
#[primitive(cost = PerCell)]
fn learn_pool(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_pool", Value::None, rank, S)
}

/// Lets objects draw rays, rings and fillings.
///
/// ```arc
/// apply(learn_draw((([0 0 0 | 0 1 0 | 0 0 0], [0 0 0 | 1 1 1 | 0 0 0]), ([2 0 0 | 0 0 0], [2 2 2 | 0 0 0])), 0), ([0 0 | 0 3],)) = ([0 0 | 3 3],)
/// ```
#[primitive(cost = PerCell)]
fn learn_draw(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_draw", Value::None, rank, S)
}

/// Completes or pastes a template of the input at marks.
///
/// ```arc
/// apply(learn_template((([1 2 1 0 0 2 0], [1 2 1 0 1 2 1]),), 0), ([0 2 0 0 3 2 3],)) = ([3 2 3 0 3 2 3],)
/// ```
#[primitive(cost = PerCell)]
fn learn_template(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_template", Value::None, rank, S)
}

/// Keeps, fills, clears, mirrors or replaces parts.
///
/// ```arc
/// apply(learn_fill_parts((([1 0 5 1 0 | 0 0 5 0 1], [0 0 5 1 0 | 0 0 5 0 1]), ([2 2 5 2 0 | 0 2 5 0 0], [2 2 5 0 0 | 0 2 5 0 0])), 0), ([0 3 5 3 3 | 0 0 5 0 3],)) = ([0 0 5 3 3 | 0 0 5 0 3],)
/// ```
#[primitive(cost = PerCell)]
fn learn_fill_parts(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_fill_parts", Value::None, rank, S)
}

/// Puts pieces together in a line, in a grid or over each other.
///
/// ```arc
/// apply(learn_assemble((([1 0 0 2], [1 2]), ([3 0 4 0], [3 4])), 0), ([0 0 5 0 6],)) = ([5 6],)
/// ```
#[primitive(cost = PerCell)]
fn learn_assemble(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_assemble", Value::None, rank, S)
}

/// Learns with other colours, chosen by each input.
///
/// ```arc
/// apply(learn_in_frame((([5 5 0], [5 5 1]), ([4 4 4 0], [4 4 4 1])), MAJORITY, rbind(rbind(learn_cells, 0), NEAR)), ([5 5 0 5],)) = ([5 5 1 5],)
/// ```
#[primitive(cost = PerCell)]
fn learn_in_frame(
    cx: &mut Cx,
    S: Samples,
    option: Int,
    learner: Func<Samples, Func<Grid, Grid>>,
) -> Partial<Func<Grid, Grid>> {
    learned_inside(cx, "learn_in_frame", option, learner, S)
}

/// Learns one rule for all parts.
///
/// ```arc
/// apply(learn_in_parts((([1 2 | 3 3], [2 1 | 3 3]),), EACH_ROW, rbind(rbind(learn_transform, 0), ONE_STEP)), ([5 6 | 7 8],)) = ([6 5 | 8 7],)
/// ```
#[primitive(cost = PerCell)]
fn learn_in_parts(
    cx: &mut Cx,
    S: Samples,
    option: Int,
    learner: Func<Samples, Func<Grid, Grid>>,
) -> Partial<Func<Grid, Grid>> {
    learned_inside(cx, "learn_in_parts", option, learner, S)
}

/// Learns in one box, the only place that changes; `option` may also be a colour, for the box of that colour.
///
/// ```arc
/// apply(learn_in_box((([0 1 2 0], [0 2 1 0]),), NOT_GROUND, rbind(rbind(learn_transform, 0), ONE_STEP)), ([0 0 3 4],)) = ([0 0 4 3],)
/// ```
#[primitive(cost = PerCell)]
fn learn_in_box(
    cx: &mut Cx,
    S: Samples,
    option: Int,
    learner: Func<Samples, Func<Grid, Grid>>,
) -> Partial<Func<Grid, Grid>> {
    learned_inside(cx, "learn_in_box", option, learner, S)
}

/// Learns on a matrix with one cell for many.
///
/// ```arc
/// apply(learn_on_matrix((([1 1 2 2 | 1 1 2 2], [2 2 1 1 | 2 2 1 1]),), BLOCKS, rbind(rbind(learn_transform, 0), ONE_STEP)), ([3 3 4 4 | 3 3 4 4],)) = ([4 4 3 3 | 4 4 3 3],)
/// ```
#[primitive(cost = PerCell)]
fn learn_on_matrix(
    cx: &mut Cx,
    S: Samples,
    option: Int,
    learner: Func<Samples, Func<Grid, Grid>>,
) -> Partial<Func<Grid, Grid>> {
    learned_inside(cx, "learn_on_matrix", option, learner, S)
}

/// Learns on the result of a view; the views are listed with `view`.
///
/// ```arc
/// apply(learn_after((([1 2], [2 5]), ([3 1], [5 3])), MIRRORED_LEFT_RIGHT, rbind(rbind(learn_cells, 0), NEAR)), ([1 4],)) = ([4 5],)
/// learn_after((), 17, first) ! Range
/// ```
#[primitive(cost = PerCell)]
fn learn_after(
    cx: &mut Cx,
    S: Samples,
    option: Int,
    learner: Func<Samples, Func<Grid, Grid>>,
) -> Partial<Func<Grid, Grid>> {
    learned_inside(cx, "learn_after", option, learner, S)
}

/// Learns before a last step that all outputs show.
///
/// ```arc
/// apply(learn_before((([1 2], [2 1 1 2]),), MIRRORED_RIGHT, rbind(rbind(learn_transform, 0), ONE_STEP)), ([3 4],)) = ([4 3 3 4],)
/// ```
#[primitive(cost = PerCell)]
fn learn_before(
    cx: &mut Cx,
    S: Samples,
    option: Int,
    learner: Func<Samples, Func<Grid, Grid>>,
) -> Partial<Func<Grid, Grid>> {
    learned_inside(cx, "learn_before", option, learner, S)
}

/// Learns on the input placed on a canvas of the output's size.
///
/// ```arc
/// apply(learn_on_canvas((([1 0 | 0 0], [1 1 1 1 | 0 0 0 0]),), AT_TOP_LEFT, rbind(rbind(learn_transform, 0), ONE_STEP)), ([0 0 | 0 2],)) = ([0 0 0 0 | 0 2 2 2],)
/// ```
#[primitive(cost = PerCell)]
fn learn_on_canvas(
    cx: &mut Cx,
    S: Samples,
    option: Int,
    learner: Func<Samples, Func<Grid, Grid>>,
) -> Partial<Func<Grid, Grid>> {
    learned_inside(cx, "learn_on_canvas", option, learner, S)
}

/// Transforms a grid by a view.
///
/// ```arc
/// view([1 2 | 0 3], CELLS_FALLEN_RIGHT) = [1 2 | 0 3]
/// view([1 0 | 0 3], CELLS_FALLEN_RIGHT) = [0 1 | 0 3]
/// view([1], 17) ! Range
/// ```
#[primitive(cost = PerCell)]
fn view(cx: &mut Cx, grid: Grid, view: Int) -> Partial<Grid> {
    transformed(cx, grid, view)
}

/// Fills the cells of a colour by the symmetry or repetition of the others; fails as `Empty` if that does not reach
/// all of them. The colour may be above 9, for cells that are not part of the picture.
///
/// ```arc
/// complete([1 2 3 | 5 4 5], 5, BY_SHIFTS) ! Empty
/// complete([3 4 3 4 | 3 4 5 4], 5, BY_SHIFTS) = [3 4 3 4 | 3 4 3 4]
/// ```
#[primitive(cost = PerCell)]
fn complete(cx: &mut Cx, grid: Grid, color: Int, by: Int) -> Partial<Grid> {
    completed(cx, grid, color, by)
}
