//! What sorts of values the pool holds.

use batt_value::Value;

/// The sort of a value: which operations take it.
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

/// A larger grid is no picture of a task.
pub(super) const MAX_SIDE: usize = 30;
/// Longer lists are seldom what a task is about, and dear.
const MAX_LIST: usize = 120;

impl Kind {
    pub(super) const COUNT: usize = 6;

    /// Whether a value of this sort can be the output or a layer of it.
    pub(super) fn can_be_drawn(self) -> bool {
        matches!(self, Kind::Grid | Kind::Object | Kind::Indices)
    }

    /// Whether a value is worth keeping as one of this sort: not empty, not larger than pictures are.
    pub(super) fn admits(self, value: Value<'_>) -> bool {
        match (self, value) {
            (Kind::Grid, Value::Grid(grid)) => grid.width() <= MAX_SIDE && grid.height() <= MAX_SIDE,
            (Kind::Object, Value::Patch(patch)) => patch.is_object(),
            (Kind::Indices, Value::Patch(patch)) => !patch.is_object(),
            (Kind::Objects, Value::Set(set)) => {
                let object = |item: &Value<'_>| matches!(item, Value::Patch(patch) if patch.is_object());
                (1..=MAX_LIST).contains(&set.items().len()) && set.items().iter().all(object)
            }
            (Kind::Grids, Value::Set(set)) => grids(set.items()),
            (Kind::Grids, Value::Tuple(tuple)) => grids(tuple.items()),
            (Kind::Color, Value::Int(color)) => (0..10).contains(&color),
            _ => false,
        }
    }
}

fn grids(items: &[Value<'_>]) -> bool {
    (1..=MAX_LIST).contains(&items.len()) && items.iter().all(|item| Kind::Grid.admits(*item))
}
