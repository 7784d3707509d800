//! The values made so far: one representative for each vector of values over all inputs.

use batt_dsl::symbol;
use batt_value::{Arena, Owned, Planes, Value};
use rustc_hash::FxHashSet;

use super::identity::{hash, mix};
use super::kind::Kind;
use super::size::SizeRule;

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    Input,
    /// A black canvas of a size that follows from the input's.
    Canvas(SizeRule),
    /// A black canvas of the size of a node.
    CanvasLike(u32),
    /// An operation by its place in the table, on one node or two.
    Made {
        operation: u16,
        x: u32,
        y: u32,
    },
}

/// A value for each input: demonstration pairs first, then tests.
pub(super) struct Node<'a> {
    pub(super) origin: Origin,
    pub(super) kind: Kind,
    /// How many operations it takes.
    pub(super) depth: u8,
    /// Not kept for the deepest nodes.
    pub(super) values: Option<Box<[Value<'a>]>>,
}

pub(super) struct Pool<'a> {
    arena: &'a Arena,
    nodes: Vec<Node<'a>>,
    /// Hashes of kinds and vectors.
    seen: FxHashSet<u64>,
    /// Values beyond so many bytes are not kept.
    limit: usize,
}

impl<'a> Pool<'a> {
    pub(super) fn new(arena: &'a Arena, limit: usize) -> Pool<'a> {
        Pool { arena, nodes: Vec::new(), seen: FxHashSet::default(), limit }
    }

    pub(super) fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes() > self.limit
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        let values = self.nodes.first().and_then(|node| node.values.as_deref()).map_or(0, size_of_val);
        let nodes = self.nodes.capacity() * size_of::<Node<'_>>() + self.nodes.len() * values;
        self.arena.bytes() + nodes + self.seen.capacity() * 9
    }

    /// Whether no node has these values yet; from now on one has.
    pub(super) fn is_new(&mut self, kind: Kind, values: &[Value<'_>]) -> bool {
        self.seen.insert(values.iter().fold(kind as u64, |sum, value| mix(sum, hash(*value))))
    }

    /// Takes in a node, with its values if they are `kept`. They are copied: they may come from anywhere.
    pub(super) fn push(
        &mut self,
        origin: Origin,
        kind: Kind,
        depth: u8,
        values: &[Value<'_>],
        kept: bool,
    ) -> u32 {
        let values = if kept { self.copied(values) } else { None };
        self.nodes.push(Node { origin, kind, depth, values });
        self.nodes.len() as u32 - 1
    }

    fn copied(&self, values: &[Value<'_>]) -> Option<Box<[Value<'a>]>> {
        values.iter().map(|value| copy(*value, self.arena)).collect()
    }
}

/// The value again, in another arena.
fn copy<'a>(value: Value<'_>, arena: &'a Arena) -> Option<Value<'a>> {
    let all = |items: &[Value<'_>]| items.iter().map(|item| copy(*item, arena)).collect::<Option<Vec<_>>>();
    match value {
        Value::Int(int) => Some(Value::Int(int)),
        Value::Grid(grid) => arena.grid(grid.width(), grid.cells()).ok(),
        Value::Patch(patch) => {
            let (row, col, height, _) = patch.bounds();
            let planes =
                Planes { row, col, height: height as usize, colors: patch.colors(), words: patch.rows() };
            arena.patch(planes)?.ok()
        }
        Value::Set(set) => arena.set_ascending(&all(set.items())?).ok(),
        Value::Tuple(tuple) => arena.tuple(&all(tuple.items())?).ok(),
        other => Owned::new(other).load(arena, &symbol).ok(),
    }
}

#[cfg(test)]
mod tests {
    use batt_value::{Caps, order};

    use super::*;

    #[test]
    fn copies_are_identical() {
        let (one, two) = (Arena::new(Caps::STANDARD), Arena::new(Caps::STANDARD));
        for text in [
            "3",
            "[1 2 | 3 4]",
            "{(1, (2, 3)), (4, (-1, 5))}",
            "{(0, 7), (9, 9)}",
            "{{(1, (0, 0))}, {(1, (0, 1)), (2, (4, 4))}}",
            "([1 2 | 3 4], [5])",
            "{(0, 0), (20, 0)}",
        ] {
            let value = batt_value::parse(text, &one, &|_| None).unwrap();
            assert!(order::identical(value, copy(value, &two).unwrap()), "{text}");
        }
    }
}
