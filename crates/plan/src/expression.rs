//! Writes nodes as program text.

use batt_lang::{Literal, Op};

use crate::plan::{NodeId, Plan};

/// Deeper calls are omitted, even if the text is still short.
const MAX_DEPTH: usize = 40;

impl Plan {
    /// Returns what a node computes as program text: `objects(I, T, F, T)`. It is cut after `max` characters,
    /// because the full text of a graph with shared nodes may not fit in memory.
    pub fn expression(&self, id: NodeId, max: usize) -> String {
        let mut writer = Writer { plan: self, text: String::new(), max };
        writer.node(id, 0);
        truncate(&writer.text, max)
    }

    /// Returns a node with a dot for every computed argument, `paint(I, ·)`, cut after `max` characters.
    pub fn outline(&self, id: NodeId, max: usize) -> String {
        let node = self.node(id);
        let args = node.args.iter().map(|arg| match self.node(*arg) {
            arg if arg.is_computed() => "·".to_owned(),
            arg => leaf(&arg.op),
        });
        let args: Vec<_> = args.collect();
        let text = match &node.op {
            Op::Apply => format!("{}({})", args[0], args[1..].join(", ")),
            Op::Tuple => format!("({})", args.join(", ")),
            Op::Call(symbol) => format!("{}({})", symbol.name, args.join(", ")),
            op => leaf(op),
        };
        truncate(&text, max)
    }
}

struct Writer<'p> {
    plan: &'p Plan,
    text: String,
    max: usize,
}

impl Writer<'_> {
    fn node(&mut self, id: NodeId, depth: usize) {
        if self.text.len() > self.max * 4 || depth > MAX_DEPTH {
            return self.text.push('…');
        }
        let node = self.plan.node(id);
        match &node.op {
            Op::Call(symbol) => {
                self.text.push_str(symbol.name);
                self.list(&node.args, depth);
            }
            Op::Apply => {
                self.node(node.args[0], depth + 1);
                self.list(&node.args[1..], depth);
            }
            Op::Tuple => self.list(&node.args, depth),
            op => self.text.push_str(&leaf(op)),
        }
    }

    fn list(&mut self, args: &[NodeId], depth: usize) {
        self.text.push('(');
        for (i, arg) in args.iter().enumerate() {
            self.text.push_str(if i == 0 { "" } else { ", " });
            if self.text.len() > self.max * 4 {
                break;
            }
            self.node(*arg, depth + 1);
        }
        self.text.push(')');
    }
}

fn leaf(op: &Op) -> String {
    match op {
        Op::Input => "I".to_owned(),
        Op::Samples => "S".to_owned(),
        Op::Const(Literal::Bool(bool)) => if *bool { "T" } else { "F" }.to_owned(),
        Op::Const(literal) => literal.to_string(),
        Op::Prim(symbol) | Op::Call(symbol) => symbol.name.to_owned(),
        Op::Apply | Op::Tuple => "(…)".to_owned(),
    }
}

/// Shortens a text to at most `max` characters.
fn truncate(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max.saturating_sub(1)).chain(['…']).collect()
}
