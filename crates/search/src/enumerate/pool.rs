//! The values made so far: one representative for each vector of values over all inputs.

use batt_dsl::symbol;
use batt_value::{Arena, Owned, Value};
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
        values.iter().map(|value| Owned::new(*value).load(self.arena, &symbol).ok()).collect()
    }
}
