//! Turns equal computations into one node.

use batt_lang::{Literal, Op, Program};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::plan::{Entry, Needs, Node, NodeId};

/// The nodes so far, indexed by what they compute.
#[derive(Default)]
pub(crate) struct Interner {
    nodes: Vec<Node>,
    known: FxHashMap<Key, NodeId>,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Input,
    Samples,
    Const(Literal),
    Prim(u16),
    Call(u16, SmallVec<[NodeId; 4]>),
    Apply(SmallVec<[NodeId; 4]>),
    Tuple(SmallVec<[NodeId; 4]>),
}

impl Interner {
    pub(crate) fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }

    /// Adds the new nodes of a program.
    pub(crate) fn add(&mut self, program: &Program) -> Entry {
        let mut ids: Vec<NodeId> = Vec::with_capacity(program.nodes().len());
        for node in program.nodes() {
            let args: SmallVec<[NodeId; 4]> = node.args.iter().map(|arg| ids[arg.index()]).collect();
            ids.push(self.node(&node.op, args));
        }
        Entry { name: program.name().to_owned(), hash: program.hash(), nodes: ids }
    }

    fn node(&mut self, op: &Op, args: SmallVec<[NodeId; 4]>) -> NodeId {
        let next = NodeId(self.nodes.len() as u32);
        let id = *self.known.entry(key(op, &args)).or_insert(next);
        if id == next {
            let needs = match op {
                Op::Input => Needs::Input,
                Op::Samples => Needs::Samples,
                _ => args.iter().map(|arg| self.nodes[arg.index()].needs).max().unwrap_or(Needs::Nothing),
            };
            self.nodes.push(Node { op: op.clone(), args, needs });
        }
        id
    }
}

fn key(op: &Op, args: &[NodeId]) -> Key {
    let args = || SmallVec::from_slice(args);
    match op {
        Op::Input => Key::Input,
        Op::Samples => Key::Samples,
        Op::Const(literal) => Key::Const(literal.clone()),
        Op::Prim(symbol) => Key::Prim(symbol.id),
        Op::Call(symbol) => Key::Call(symbol.id, args()),
        Op::Apply => Key::Apply(args()),
        Op::Tuple => Key::Tuple(args()),
    }
}
