//! The plan, its nodes and its programs.

use batt_lang::{Op, Program};
use batt_value::{ContentHash, Symbol};
use smallvec::SmallVec;

use crate::intern::Interner;

/// Programs merged into one graph. Nodes are in the order in which the programs first need them, so arguments
/// come before calls, and the same programs in the same order always give the same plan.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) nodes: Vec<Node>,
    pub(crate) entries: Vec<Entry>,
}

/// The index of a node in a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct NodeId(pub u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The index of a program in a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct ProgramId(pub u32);

impl ProgramId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One computation, shared by all programs that need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub op: Op,
    pub args: SmallVec<[NodeId; 4]>,
    pub needs: Needs,
}

impl Node {
    /// Returns whether the node is a call or a tuple, not an input or a constant.
    pub fn is_computed(&self) -> bool {
        self.op.is_computed()
    }

    /// Returns the primitive that the node calls.
    pub fn primitive(&self) -> Option<&'static Symbol> {
        match self.op {
            Op::Call(symbol) => Some(symbol),
            _ => None,
        }
    }
}

/// The inputs that the value of a node depends on, which decide how often it is computed. Expensive constants
/// are computed once per sample, under its limits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Needs {
    /// Computed once for the plan.
    Nothing,
    /// Depends on the demonstration pairs: computed once per task.
    Samples,
    /// Depends on the input: computed once per sample.
    Input,
}

/// A program in a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub hash: ContentHash,
    /// The nodes that the result needs, in the program's own order; the last one is the result.
    pub nodes: Vec<NodeId>,
}

impl Entry {
    pub fn result(&self) -> NodeId {
        *self.nodes.last().expect("a program has a result")
    }
}

/// The size of a plan, and how much of it is shared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    pub programs: usize,
    /// Calls in all programs; a shared call counts once per program.
    pub calls: usize,
    /// Calls in the plan.
    pub distinct: usize,
    /// Calls in the plan that several programs need.
    pub shared: usize,
    /// Calls that need neither input nor demonstration pairs: computed once per plan if they are cheap.
    pub folded: usize,
    /// Calls that need only the demonstration pairs: computed once per task.
    pub per_task: usize,
}

impl Plan {
    /// Merges programs, in their order.
    pub fn merge<'p>(programs: impl IntoIterator<Item = &'p Program>) -> Plan {
        let mut interner = Interner::default();
        let entries = programs.into_iter().map(|program| interner.add(program)).collect();
        let plan = Plan { nodes: interner.into_nodes(), entries };
        debug_assert_eq!(plan.verify(), Ok(()));
        plan
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub fn programs(&self) -> &[Entry] {
        &self.entries
    }

    pub fn program(&self, id: ProgramId) -> &Entry {
        &self.entries[id.index()]
    }

    /// Returns the number of programs that need each node.
    pub fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0; self.nodes.len()];
        for node in self.entries.iter().flat_map(|entry| &entry.nodes) {
            uses[node.index()] += 1;
        }
        uses
    }

    pub fn counts(&self) -> Counts {
        let uses = self.uses();
        let calls = || self.nodes.iter().zip(&uses).filter(|(node, _)| node.is_computed());
        Counts {
            programs: self.entries.len(),
            calls: calls().map(|(_, uses)| *uses as usize).sum(),
            distinct: calls().count(),
            shared: calls().filter(|(_, uses)| **uses > 1).count(),
            folded: calls().filter(|(node, _)| node.needs == Needs::Nothing).count(),
            per_task: calls().filter(|(node, _)| node.needs == Needs::Samples).count(),
        }
    }

    /// Returns a hash of the nodes, the programs and their names.
    pub fn hash(&self) -> ContentHash {
        ContentHash::of(self.to_string().as_bytes())
    }
}
