use batt_dsl::registry;
use batt_lang::{Node, NodeId, Op, Program};
use batt_value::{Fail, Symbol, Value};

use crate::Failed;

/// The outcome of a program on one sample.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    pub result: Result<Value<'a>, Failure>,
    /// The fuel used until the result or the failure.
    pub fuel: u64,
    /// The value of every computed node, in the order of the program's nodes.
    pub values: Vec<Value<'a>>,
}

impl<'a> Outcome<'a> {
    /// Iterates over the calls of the program with their values, up to the failure.
    pub fn calls<'p>(&self, program: &'p Program) -> impl Iterator<Item = (&'p Node, Value<'a>)> {
        let computed = program.nodes().iter().zip(self.values.iter().copied());
        computed.filter(|(node, _)| node.is_call())
    }
}

/// The reason and the place of a failure.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    pub fail: Fail,
    pub node: NodeId,
    /// The primitive that failed: the node's own, or one called through a function value.
    pub primitive: Option<&'static Symbol>,
}

impl Failure {
    /// Describes the failure: `empty container in first, called by apply at line 4 (x3)`.
    pub fn describe(&self, program: &Program) -> String {
        let node = program.node(self.node);
        let mut text = self.fail.describe().to_owned();
        match (self.primitive, &node.op) {
            (Some(inner), Op::Call(own)) if inner.id != own.id => {
                text.push_str(&format!(" in {}, called by {}", inner.name, own.name));
            }
            (Some(inner), _) => text.push_str(&format!(" in {}", inner.name)),
            (None, Op::Call(own)) => text.push_str(&format!(" in {}", own.name)),
            (None, Op::Apply) => text.push_str(" in a call of a function value"),
            (None, _) => {}
        }
        text.push_str(&format!(" at line {}", node.line));
        if let Some(name) = node.name() {
            text.push_str(&format!(" ({name})"));
        }
        if let (Fail::Kind, Some(inner)) = (self.fail, self.primitive) {
            text.push_str(&format!("; it is {}", registry().by_symbol(inner).signature()));
        }
        text
    }
}

impl Failed {
    /// Describes the failure like [`Failure::describe`].
    pub fn describe(&self, program: &Program) -> String {
        let Failed { fail, node, primitive } = *self;
        Failure { fail, node: NodeId(node), primitive }.describe(program)
    }
}
