//! Programs to text, the way arc-dsl's own solvers are written.

use batt_dsl::{ConstantFamily, ConstantValue, Ty, constants};

use crate::ir::{Literal, NodeId, Op, Program};

/// The canonical text of a program: one call a line, results called x1, x2, … and O.
///
/// ```text
/// def solve_9172f3a0(I):
///     O = upscale(I, THREE)
///     return O
/// ```
///
/// Parsing it gives a program with the same [hash](Program::hash), and printing that gives the same text.
pub fn print(program: &Program) -> String {
    let mut printer = Printer { program, names: Vec::with_capacity(program.nodes.len()), n_lines: 0 };
    let params = if program.needs_samples() { "S, I, C" } else { "I" };
    let mut out = format!("def {}({params}):\n", program.name);
    for (id, _) in program.iter() {
        let (name, line) = printer.node(id);
        if let Some(line) = line {
            out.push_str(&format!("    {name} = {line}\n"));
        }
        printer.names.push(name);
    }
    out.push_str(&format!("    return {}\n", printer.used(program.result(), program.result_spelled)));
    out
}

/// The type of what each line of [`print`] computes; `None` for lines that compute nothing.
pub fn line_types(program: &Program) -> Vec<Option<&Ty>> {
    let mut types = vec![None];
    types.extend(program.nodes.iter().filter(|node| has_line(&node.op)).map(|node| Some(&node.ty)));
    let result = program.node(program.result());
    types.push((!has_line(&result.op)).then_some(&result.ty));
    types
}

fn has_line(op: &Op) -> bool {
    matches!(op, Op::Call(_) | Op::Apply | Op::Tuple)
}

struct Printer<'p> {
    program: &'p Program,
    /// How each node is written where it is used.
    names: Vec<String>,
    n_lines: usize,
}

impl Printer<'_> {
    /// How the node is written where it is used, and what its line says if it has one.
    fn node(&mut self, id: NodeId) -> (String, Option<String>) {
        let node = self.program.node(id);
        let arg = |place: usize| {
            let spelled = node.spelled.get(place).copied().flatten();
            self.used(node.args[place], spelled)
        };
        let args = |from: usize| {
            let args: Vec<_> = (from..node.args.len()).map(arg).collect();
            args.join(", ")
        };
        let line = match &node.op {
            Op::Input => return ("I".into(), None),
            Op::Samples => return ("S".into(), None),
            Op::Const(literal) => return (constant(literal), None),
            Op::Prim(symbol) => return (symbol.name.into(), None),
            Op::Call(symbol) => format!("{}({})", symbol.name, args(0)),
            Op::Apply => {
                let callee = arg(0);
                // A minus binds less than a call.
                let callee = if callee.starts_with('-') { format!("({callee})") } else { callee };
                format!("{callee}({})", args(1))
            }
            Op::Tuple if node.args.len() == 1 => format!("({},)", args(0)),
            Op::Tuple => format!("({})", args(0)),
        };
        if id == self.program.result() {
            return ("O".into(), Some(line));
        }
        self.n_lines += 1;
        (format!("x{}", self.n_lines), Some(line))
    }

    fn used(&self, id: NodeId, spelled: Option<&str>) -> String {
        spelled.unwrap_or(&self.names[id.index()]).to_owned()
    }
}

/// A constant that was not written by name. arc-dsl has names for the booleans, −2 to 10 and some pairs.
fn constant(literal: &Literal) -> String {
    let named = match literal {
        Literal::Bool(bool) => find(ConstantFamily::Bool, ConstantValue::Bool(*bool)),
        Literal::Int(int @ -2..=10) => find(ConstantFamily::Int, ConstantValue::Int(*int)),
        Literal::Tuple(items) => match items[..] {
            [Literal::Int(row), Literal::Int(col)] => {
                find(ConstantFamily::Pair, ConstantValue::Pair(row, col))
            }
            _ => None,
        },
        _ => None,
    };
    named.map_or_else(|| literal.to_string(), str::to_owned)
}

fn find(family: ConstantFamily, value: ConstantValue) -> Option<&'static str> {
    let same = constants().iter().find(|constant| constant.family == family && constant.value == value);
    same.map(|constant| constant.name)
}
