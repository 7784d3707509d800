//! Rules learned from the demonstration pairs.
#![allow(non_snake_case, reason = "the parameter S is called as in programs")]

use batt_dsl_macros::primitive;
use batt_value::Value;

use crate::Cx;
use crate::lesson::{learned, learned_inside};
use crate::registry::family;

family! {
    /// Learners read the demonstration pairs and answer with a function from grid to grid that is right on all of
    /// them. `rank` chooses among the rules a learner finds, the simplest first; without such a rule the call fails
    /// as empty. Learners that take a learner, a function of S, work in a context: with other colours, on parts, in
    /// a box. Grids have at most 30 × 30 cells in the colours 0 to 9. `batt programs explain` says what was learned.
    learn: learn_transform, learn_cells, learn_recolor, learn_select, learn_complete, learn_forest, learn_stack, learn_move, learn_split, learn_repeat, learn_table, learn_count, learn_pool, learn_draw, learn_template, learn_fill_parts, learn_assemble, learn_in_frame, learn_in_parts, learn_in_box, learn_on_matrix, learn_after, learn_before, learn_on_canvas,
}

/// The input, transformed by one or two steps and a colour map.
///
/// `option`: `ONE_STEP`, `TWO_STEPS` or `SPECIAL_STEPS`.
///
/// ```arc
/// apply(learn_transform((([1 2 | 3 4], [2 1 | 4 3]),), 0, 0), ([5 6],)) = ([6 5],)
/// learn_transform((([1], [2 3]),), 0, 0) ! Empty
/// ```
#[primitive(cost = PerCell)]
fn learn_transform(cx: &mut Cx, S: Samples, option: Int, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_transform", option, rank, S)
}

/// Every cell by one rule: a small tree of tests that ends in a colour to take or to copy.
///
/// `option`: what the rule may speak of, from `NEAR` to `SPECIAL_BOXES`.
///
/// ```arc
/// apply(learn_cells((([1 0 2], [3 0 2]), ([0 1], [0 3])), 0, 0), ([1 4],)) = ([3 4],)
/// learn_cells((([1], [1]),), 0, 0) ! Empty
/// ```
#[primitive(cost = PerCell)]
fn learn_cells(cx: &mut Cx, S: Samples, option: Int, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_cells", option, rank, S)
}

/// Objects take other colours, by what they are (`PROPERTIES`) or by how they relate to others too
/// (`RELATIONS`).
///
/// ```arc
/// apply(learn_recolor((([1 1 0 1], [2 2 0 1]),), 0, 0), ([1 0 1 1 1],)) = ([1 0 2 2 2],)
/// ```
#[primitive(cost = PerCell)]
fn learn_recolor(cx: &mut Cx, S: Samples, option: Int, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_recolor", option, rank, S)
}

/// One piece of the input, chosen by one property (`PROPERTIES`) or by counting in it (`COUNTING`).
///
/// ```arc
/// apply(learn_select((([1 1 0 2], [1 1]), ([3 0 4 4], [4 4])), 0, 0), ([5 5 5 0 6],)) = ([5 5 5],)
/// ```
#[primitive(cost = PerCell)]
fn learn_select(cx: &mut Cx, S: Samples, option: Int, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_select", option, rank, S)
}

/// What one colour hides (`HIDDEN`), the background (`GROUND`), or a larger canvas (`BEYOND`) filled in by
/// symmetry and repetition.
///
/// ```arc
/// apply(learn_complete((([1 2 1 2 5 2], [1 2 1 2 1 2]),), 0, 0), ([3 4 3 4 5 4],)) = ([3 4 3 4 3 4],)
/// ```
#[primitive(cost = PerCell)]
fn learn_complete(cx: &mut Cx, S: Samples, option: Int, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_complete", option, rank, S)
}

/// Every cell by the vote of fifteen rules, each of which sees a part of the tests.
///
/// ```arc
/// apply(learn_forest((([1 0 2], [3 0 2]),), 0), ([0 1],)) = ([0 3],)
/// ```
#[primitive(cost = PerCell)]
fn learn_forest(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_forest", Value::None, rank, S)
}

/// Every cell by a small rule, then by a second one on the result.
///
/// ```arc
/// learn_stack((([1], [1]),), 0) ! Empty
/// ```
#[primitive(cost = PerCell)]
fn learn_stack(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_stack", Value::None, rank, S)
}

/// Objects slide, step, line up or go.
///
/// ```arc
/// apply(learn_move((([1 0 0], [0 0 1]), ([0 1 0], [0 0 1])), 0), ([0 2 0 0],)) = ([0 0 0 2],)
/// ```
#[primitive(cost = PerCell)]
fn learn_move(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_move", Value::None, rank, S)
}

/// Parts of the input laid over each other; each cell by one rule over the parts.
///
/// ```arc
/// apply(learn_split((([1 0 5 0 0], [1 0]), ([0 0 5 0 1], [0 1]), ([1 1 5 1 0], [1 1])), 0), ([0 0 5 1 0],)) = ([1 0],)
/// ```
#[primitive(cost = PerCell)]
fn learn_split(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_split", Value::None, rank, S)
}

/// The input repeated, enlarged or mirrored; each cell of the output by one rule.
///
/// ```arc
/// apply(learn_repeat((([1 2], [1 2 1 2]),), 0), ([3 4],)) = ([3 4 3 4],)
/// ```
#[primitive(cost = PerCell)]
fn learn_repeat(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_repeat", Value::None, rank, S)
}

/// One of a few stored outputs, told by one number of the input.
///
/// ```arc
/// apply(learn_table((([1], [7 7]), ([2], [7 7])), 0), ([3],)) = ([7 7],)
/// ```
#[primitive(cost = PerCell)]
fn learn_table(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_table", Value::None, rank, S)
}

/// A shape drawn from numbers of the input.
///
/// ```arc
/// apply(learn_count((([1 0 0], [3]), ([1 0 1], [3 3])), 0), ([1 0 1 0 1],)) = ([3 3 3],)
/// ```
#[primitive(cost = PerCell)]
fn learn_count(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_count", Value::None, rank, S)
}

/// Views of the input laid over each other: where one is black take another, and the like.
///
/// ```arc
/// apply(learn_pool((([1 0 2 | 0 3 0], [1 1 2 | 0 3 0]),), 0), ([1 0 2 | 0 3 0],)) = ([1 1 2 | 0 3 0],)
/// ```
#[primitive(cost = PerCell)]
fn learn_pool(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_pool", Value::None, rank, S)
}

/// Objects draw rays, rings and fillings.
///
/// ```arc
/// apply(learn_draw((([0 0 0 | 0 1 0 | 0 0 0], [0 0 0 | 1 1 1 | 0 0 0]), ([2 0 0 | 0 0 0], [2 2 2 | 0 0 0])), 0), ([0 0 | 0 3],)) = ([0 0 | 3 3],)
/// ```
#[primitive(cost = PerCell)]
fn learn_draw(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_draw", Value::None, rank, S)
}

/// A template in the input is completed or pasted where marks ask for it.
///
/// ```arc
/// apply(learn_template((([1 2 1 0 0 2 0], [1 2 1 0 1 2 1]),), 0), ([0 2 0 0 3 2 3],)) = ([3 2 3 0 3 2 3],)
/// ```
#[primitive(cost = PerCell)]
fn learn_template(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_template", Value::None, rank, S)
}

/// Parts are kept, filled, cleared, mirrored or replaced by another part.
///
/// ```arc
/// apply(learn_fill_parts((([1 0 5 1 0 | 0 0 5 0 1], [0 0 5 1 0 | 0 0 5 0 1]), ([2 2 5 2 0 | 0 2 5 0 0], [2 2 5 0 0 | 0 2 5 0 0])), 0), ([0 3 5 3 3 | 0 0 5 0 3],)) = ([0 0 5 3 3 | 0 0 5 0 3],)
/// ```
#[primitive(cost = PerCell)]
fn learn_fill_parts(cx: &mut Cx, S: Samples, rank: Rank) -> Partial<Func<Grid, Grid>> {
    learned(cx, "learn_fill_parts", Value::None, rank, S)
}

/// Pieces put together in a line, a grid or over each other.
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
/// `option`: `MAJORITY` (the commonest colour becomes the background), `FREQUENCY`, `FREQUENCY_BUT_BLACK`,
/// `RARITY`.
///
/// ```arc
/// apply(learn_in_frame((([5 5 0], [5 5 1]), ([4 4 4 0], [4 4 4 1])), 0, rbind(rbind(learn_cells, 0), 0)), ([5 5 0 5],)) = ([5 5 1 5],)
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
/// `option`: from `EACH_OBJECT` to `EACH_COLUMN`.
///
/// ```arc
/// apply(learn_in_parts((([1 2 | 3 3], [2 1 | 3 3]),), 4, rbind(rbind(learn_transform, 0), 0)), ([5 6 | 7 8],)) = ([6 5 | 8 7],)
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

/// Learns what happens in one box, the only place that changes.
///
/// `option`: a colour, `LARGEST_OBJECT`, `NOT_GROUND` or `LARGEST_BOX`.
///
/// ```arc
/// apply(learn_in_box((([0 1 2 0], [0 2 1 0]),), 11, rbind(rbind(learn_transform, 0), 0)), ([0 0 3 4],)) = ([0 0 4 3],)
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

/// Learns on one cell for many.
///
/// `option`: `LINE_CELLS` or `BLOCKS`.
///
/// ```arc
/// apply(learn_on_matrix((([1 1 2 2 | 1 1 2 2], [2 2 1 1 | 2 2 1 1]),), 1, rbind(rbind(learn_transform, 0), 0)), ([3 3 4 4 | 3 3 4 4],)) = ([4 4 3 3 | 4 4 3 3],)
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

/// Learns on the result of a transform, given by its number.
///
/// ```arc
/// apply(learn_after((([1 2], [2 5]), ([3 1], [5 3])), 1, rbind(rbind(learn_cells, 0), 0)), ([1 4],)) = ([4 5],)
/// learn_after((), 9999, first) ! Range
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

/// Learns what is finished by one step that all outputs show.
///
/// `option`: from `ENLARGED` to `FRAMED`.
///
/// ```arc
/// apply(learn_before((([1 2], [2 1 1 2]),), 1, rbind(rbind(learn_transform, 0), 0)), ([3 4],)) = ([4 3 3 4],)
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
/// `option`: from `AT_TOP_LEFT` to `SPREAD_TOP_LEFT`.
///
/// ```arc
/// apply(learn_on_canvas((([1 0 | 0 0], [1 1 1 1 | 0 0 0 0]),), 0, rbind(rbind(learn_transform, 0), 0)), ([0 0 | 0 2],)) = ([0 0 0 0 | 0 2 2 2],)
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
