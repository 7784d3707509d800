//! The text form of plans. Parsing the text of a plan gives the same plan.
//!
//! ```text
//! plan 1
//! %0 = input
//! %1 = hmirror %0          ; a b
//! program a 3f0f4eda… = %0 %1
//! ```

use std::fmt;

use batt_lang::{Literal, Op};
use batt_value::ContentHash;

use crate::plan::{Entry, Needs, Node, NodeId, Plan};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut users: Vec<Vec<&str>> = vec![Vec::new(); self.nodes.len()];
        for entry in &self.entries {
            entry.nodes.iter().for_each(|node| users[node.index()].push(&entry.name));
        }
        writeln!(f, "plan 1")?;
        for (i, node) in self.nodes.iter().enumerate() {
            let mut line = format!("%{i} = {}", name(&node.op));
            node.args.iter().for_each(|arg| line.push_str(&format!(" %{}", arg.0)));
            match &users[i][..] {
                users if node.is_computed() && users.len() <= 4 => {
                    writeln!(f, "{line:<30} ; {}", users.join(" "))?
                }
                users if node.is_computed() => writeln!(f, "{line:<30} ; {} programs", users.len())?,
                _ => writeln!(f, "{line}")?,
            }
        }
        for entry in &self.entries {
            write!(f, "program {} {} =", entry.name, entry.hash)?;
            entry.nodes.iter().try_for_each(|node| write!(f, " %{}", node.0))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

fn name(op: &Op) -> String {
    match op {
        Op::Input => "input".into(),
        Op::Samples => "samples".into(),
        Op::Const(literal) => format!("const {literal}"),
        Op::Prim(symbol) => format!("prim {}", symbol.name),
        Op::Call(symbol) => symbol.name.into(),
        Op::Apply => "apply_value".into(),
        Op::Tuple => "make_tuple".into(),
    }
}

/// An error in the text of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanTextError {
    /// From 1.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for PlanTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for PlanTextError {}

impl std::str::FromStr for Plan {
    type Err = PlanTextError;

    fn from_str(text: &str) -> Result<Plan, PlanTextError> {
        let mut plan = Plan { nodes: Vec::new(), entries: Vec::new() };
        for (i, line) in text.lines().enumerate() {
            let error = |message: String| PlanTextError { line: i + 1, message };
            let line = line.split(';').next().unwrap_or_default().trim();
            if i == 0 {
                if line != "plan 1" {
                    return Err(error("expected `plan 1`".into()));
                }
            } else if line.starts_with('%') {
                let node = plan.parse_node(line).map_err(error)?;
                plan.nodes.push(node);
            } else if let Some(rest) = line.strip_prefix("program ") {
                plan.entries.push(parse_entry(rest).map_err(error)?);
            } else if !line.is_empty() {
                return Err(error("expected a node or a program".into()));
            }
        }
        let last = text.lines().count();
        plan.verify().map_err(|message| PlanTextError { line: last, message })?;
        Ok(plan)
    }
}

impl Plan {
    fn parse_node(&self, line: &str) -> Result<Node, String> {
        let (id, rest) = line.split_once(" = ").ok_or("expected ` = `")?;
        if parse_id(id)?.index() != self.nodes.len() {
            return Err(format!("expected %{}", self.nodes.len()));
        }
        if let Some(literal) = rest.strip_prefix("const ") {
            let op =
                Op::Const(Literal::parse(literal).ok_or_else(|| format!("`{literal}` is not a constant"))?);
            return Ok(Node { op, args: Default::default(), needs: Needs::Nothing });
        }
        let mut words = rest.split_whitespace();
        let word = words.next().ok_or("expected an operation")?;
        let primitive = |name: &str| {
            let known = batt_dsl::symbol(name);
            known.ok_or_else(|| format!("`{name}` is not a primitive"))
        };
        let op = match word {
            "input" => Op::Input,
            "samples" => Op::Samples,
            "prim" => Op::Prim(primitive(words.next().unwrap_or_default())?),
            "apply_value" => Op::Apply,
            "make_tuple" => Op::Tuple,
            name => Op::Call(primitive(name)?),
        };
        let args = words.map(parse_id).collect::<Result<smallvec::SmallVec<[NodeId; 4]>, _>>()?;
        let mut needs = match op {
            Op::Input => Needs::Input,
            Op::Samples => Needs::Samples,
            _ => Needs::Nothing,
        };
        for arg in &args {
            let node = self.nodes.get(arg.index()).ok_or_else(|| format!("%{} is not defined yet", arg.0))?;
            needs = needs.max(node.needs);
        }
        Ok(Node { op, args, needs })
    }
}

fn parse_entry(rest: &str) -> Result<Entry, String> {
    let (head, nodes) = rest.split_once(" =").ok_or("expected ` =`")?;
    let (name, hash) = head.split_once(' ').ok_or("expected a name and a hash")?;
    let hash = ContentHash::parse(hash).ok_or_else(|| format!("`{hash}` is not a hash"))?;
    let nodes = nodes.split_whitespace().map(parse_id).collect::<Result<_, _>>()?;
    Ok(Entry { name: name.to_owned(), hash, nodes })
}

fn parse_id(word: &str) -> Result<NodeId, String> {
    let digits = word.strip_prefix('%').and_then(|digits| digits.parse().ok());
    digits.map(NodeId).ok_or_else(|| format!("`{word}` is not a node"))
}
