//! The kinds of values in the pool.

use batt_value::Value;

/// The kind of a value. It decides which operations take the value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    Grid,
    Object,
    Indices,
    /// A list of objects.
    Objects,
    /// A list of grids.
    Grids,
    Color,
}

/// The largest side of a grid in a task.
pub(super) const MAX_SIDE: usize = 30;
/// The longest list. Longer ones are rarely useful and expensive.
const MAX_LIST: usize = 120;

impl Kind {
    pub(super) const COUNT: usize = 6;

    /// Returns whether a value of this kind can be the output or a layer of it.
    pub(super) fn can_be_drawn(self) -> bool {
        matches!(self, Kind::Grid | Kind::Object | Kind::Indices)
    }

    /// Returns whether a value has this kind and is worth keeping: lists are not empty, and nothing is too
    /// large.
    pub(super) fn admits(self, value: Value<'_>) -> bool {
        match (self, value) {
            (Kind::Grid, Value::Grid(grid)) => grid.width() <= MAX_SIDE && grid.height() <= MAX_SIDE,
            (Kind::Object, Value::Patch(patch)) => patch.is_object(),
            (Kind::Indices, Value::Patch(patch)) => !patch.is_object(),
            (Kind::Objects, Value::Set(set)) => {
                let object = |item: &Value<'_>| matches!(item, Value::Patch(patch) if patch.is_object());
                (1..=MAX_LIST).contains(&set.items().len()) && set.items().iter().all(object)
            }
            (Kind::Grids, Value::Set(set)) => are_grids(set.items()),
            (Kind::Grids, Value::Tuple(tuple)) => are_grids(tuple.items()),
            (Kind::Color, Value::Int(color)) => (0..10).contains(&color),
            _ => false,
        }
    }
}

/// Returns whether a list of values is a list of grids.
fn are_grids(items: &[Value<'_>]) -> bool {
    (1..=MAX_LIST).contains(&items.len()) && items.iter().all(|item| Kind::Grid.admits(*item))
}
