//! The values made so far: one node for each combination of values on all inputs.

use batt_dsl::symbol;
use batt_value::{Arena, Owned, Planes, Value};
use rustc_hash::FxHashSet;

use super::kind::Kind;
use super::size::SizeRule;
use batt_value::{fingerprint, mix};

/// The origin of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    Input,
    /// A black canvas, its size computed from the size of the input.
    Canvas(SizeRule),
    /// A black canvas with the size of a node.
    CanvasLike(u32),
    /// The result of an operation, by its index, on one node or two.
    Made {
        operation: u16,
        x: u32,
        y: u32,
    },
}

/// A value for each input, those of the demonstration pairs first.
pub(super) struct Node<'a> {
    pub(super) origin: Origin,
    pub(super) kind: Kind,
    /// The longest chain of operations that makes it.
    pub(super) depth: u8,
    /// The values; not kept for the deepest nodes.
    pub(super) values: Option<Box<[Value<'a>]>>,
}

/// The nodes made so far.
pub(super) struct Pool<'a> {
    arena: &'a Arena,
    nodes: Vec<Node<'a>>,
    /// The hash of each kind and its values.
    hashes: FxHashSet<u64>,
    /// The pool is full above this number of bytes.
    max_bytes: usize,
}

impl<'a> Pool<'a> {
    pub(super) fn new(arena: &'a Arena, max_bytes: usize) -> Pool<'a> {
        Pool { arena, nodes: Vec::new(), hashes: FxHashSet::default(), max_bytes }
    }

    pub(super) fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes() > self.max_bytes
    }

    /// Returns the number of bytes in use.
    pub(super) fn bytes(&self) -> usize {
        let values = self.nodes.first().and_then(|node| node.values.as_deref()).map_or(0, size_of_val);
        let nodes = self.nodes.capacity() * size_of::<Node<'_>>() + self.nodes.len() * values;
        self.arena.bytes() + nodes + table_bytes(self.hashes.len())
    }

    /// Records the values of a node. Returns whether no node had them before.
    pub(super) fn insert_values(&mut self, kind: Kind, values: &[Value<'_>]) -> bool {
        self.hashes.insert(hash(kind, values.iter().map(|value| fingerprint(*value))))
    }

    /// Returns whether a node has values with these fingerprints.
    pub(super) fn has_values(&self, kind: Kind, fingerprints: impl Iterator<Item = u64>) -> bool {
        self.hashes.contains(&hash(kind, fingerprints))
    }

    /// Adds a node and returns its index. Its values are copied into the arena if `keep_values` is set.
    pub(super) fn push(
        &mut self,
        origin: Origin,
        kind: Kind,
        depth: u8,
        values: &[Value<'_>],
        keep_values: bool,
    ) -> u32 {
        let values = if keep_values { self.copied(values) } else { None };
        self.nodes.push(Node { origin, kind, depth, values });
        self.nodes.len() as u32 - 1
    }

    fn copied(&self, values: &[Value<'_>]) -> Option<Box<[Value<'a>]>> {
        values.iter().map(|value| copy(*value, self.arena)).collect()
    }
}

/// Returns the number of bytes of a hash table with this number of hashes.
///
/// The capacity of the table itself must not count: it also grows when a duplicate is inserted into a full table, which
/// is skipped if a device has answered.
fn table_bytes(len: usize) -> usize {
    // One byte in nine is for control, and a table is at most seven eighths full.
    (len * 8).div_ceil(7).next_power_of_two() * 7 / 8 * 9
}

fn hash(kind: Kind, fingerprints: impl Iterator<Item = u64>) -> u64 {
    fingerprints.fold(kind as u64, mix)
}

/// Copies a value into another arena.
pub(super) fn copy<'a>(value: Value<'_>, arena: &'a Arena) -> Option<Value<'a>> {
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
    fn duplicates_do_not_change_the_size() {
        let arena = Arena::new(Caps::STANDARD);
        let mut pool = Pool::new(&arena, usize::MAX);
        for number in 0..1000 {
            assert!(pool.insert_values(Kind::Color, &[Value::Int(number)]));
            let bytes = pool.bytes();
            assert!(!pool.insert_values(Kind::Color, &[Value::Int(number)]));
            assert_eq!(pool.bytes(), bytes, "after {number}");
        }
    }

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
