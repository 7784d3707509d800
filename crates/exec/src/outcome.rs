use batt_dsl::registry;
use batt_lang::{NodeId, Program};
use batt_value::{Fail, Symbol, Value};

/// What a program came to on one sample.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    pub result: Result<Value<'a>, Failure>,
    /// The bill: fuel used until the value was there or the failure arose.
    pub fuel: u64,
    /// The value of every node that was computed, in the order of the program's nodes.
    pub values: Vec<Value<'a>>,
}

/// Where and why a program has no value.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    pub fail: Fail,
    pub node: NodeId,
    /// The primitive in which the failure arose: the node's own, or one called through a function value.
    pub primitive: Option<&'static Symbol>,
}

impl Failure {
    /// `empty container in first, called by apply at line 4 (x3)`
    pub fn describe(&self, program: &Program) -> String {
        let node = program.node(self.node);
        let mut text = self.fail.describe().to_owned();
        let own = node.primitive();
        match (self.primitive, own) {
            (Some(inner), Some(own)) if inner.id != own.id => {
                text.push_str(&format!(" in {}, called by {}", inner.name, own.name));
            }
            (Some(inner), _) => text.push_str(&format!(" in {}", inner.name)),
            (None, Some(own)) => text.push_str(&format!(" in {}", own.name)),
            (None, None) => {}
        }
        text.push_str(&format!(" at line {}", node.line));
        if let Some(name) = node.name() {
            text.push_str(&format!(" ({name})"));
        }
        let hint = match (self.fail, self.primitive) {
            (Fail::Kind, Some(inner)) => Some(format!("; it is {}", registry().by_symbol(inner).signature())),
            _ => None,
        };
        text + &hint.unwrap_or_default()
    }
}
