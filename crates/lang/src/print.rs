//! Prints programs in the style of arc-dsl's solvers.

use std::borrow::Cow;

use batt_dsl::{ConstantFamily, ConstantValue, Ty, plain_constants};

use crate::ir::{Literal, NamedConstant, Node, NodeId, Op, Program};

/// Returns the canonical text of a program: one call per line, with results named `x1`, `x2`, … and `O`.
///
/// ```text
/// def solve_9172f3a0(I):
///     O = upscale(I, THREE)
///     return O
/// ```
///
/// Parsing it gives a program with the same [hash](Program::hash), and printing that gives the same text.
pub fn print(program: &Program) -> String {
    let mut printer = Printer { names: Vec::with_capacity(program.nodes.len()), out: String::new() };
    let params = if program.needs_samples() { "S, I, C" } else { "I" };
    printer.push_all(&["def ", &program.name, "(", params, "):\n"]);
    let mut n_lines = 0;
    for (id, node) in program.iter() {
        let name = match &node.op {
            Op::Input => "I".into(),
            Op::Samples => "S".into(),
            Op::Const(literal) => constant(literal),
            Op::Prim(symbol) => symbol.name.into(),
            Op::Call(_) | Op::Apply | Op::Tuple if id == program.result() => "O".into(),
            Op::Call(_) | Op::Apply | Op::Tuple => {
                n_lines += 1;
                format!("x{n_lines}").into()
            }
        };
        if has_line(&node.op) {
            printer.push_all(&["    ", &name, " = "]);
            printer.call(node);
            printer.out.push('\n');
        }
        printer.names.push(name);
    }
    printer.out.push_str("    return ");
    printer.value(program.result(), program.result_constant);
    printer.out.push('\n');
    printer.out
}

/// Returns the result type of each line of [`print()`]; `None` for lines that compute nothing.
pub fn line_types(program: &Program) -> Vec<Option<&Ty>> {
    let mut types = vec![None];
    types.extend(program.nodes.iter().filter(|node| has_line(&node.op)).map(|node| Some(&*node.ty)));
    let result = program.node(program.result());
    types.push((!has_line(&result.op)).then_some(&*result.ty));
    types
}

fn has_line(op: &Op) -> bool {
    matches!(op, Op::Call(_) | Op::Apply | Op::Tuple)
}

struct Printer {
    /// The text of each node so far where it is used.
    names: Vec<Cow<'static, str>>,
    out: String,
}

impl Printer {
    fn push_all(&mut self, parts: &[&str]) {
        parts.iter().for_each(|part| self.out.push_str(part));
    }

    /// Prints `name(arguments)` or a tuple.
    fn call(&mut self, node: &Node) {
        let mut first = 0;
        match node.op {
            Op::Call(symbol) => self.out.push_str(symbol.name),
            Op::Apply => {
                first = 1;
                // A call binds tighter than a minus.
                let minus =
                    self.names[node.args[0].index()].starts_with('-') && node.named_constant(0).is_none();
                self.out.push_str(if minus { "(" } else { "" });
                self.value(node.args[0], node.named_constant(0));
                self.out.push_str(if minus { ")" } else { "" });
            }
            _ => {}
        }
        self.out.push('(');
        for (index, arg) in node.args.iter().enumerate().skip(first) {
            if index > first {
                self.out.push_str(", ");
            }
            self.value(*arg, node.named_constant(index));
        }
        if node.op == Op::Tuple && node.args.len() == 1 {
            self.out.push(',');
        }
        self.out.push(')');
    }

    fn value(&mut self, id: NodeId, constant: NamedConstant) {
        self.out.push_str(constant.map_or(&*self.names[id.index()], |constant| constant.name));
    }
}

/// Returns the text of a constant that was not written by name. arc-dsl has names for the booleans, −2 to 10
/// and some pairs.
fn constant(literal: &Literal) -> Cow<'static, str> {
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
    named.map_or_else(|| literal.to_string().into(), Cow::Borrowed)
}

fn find(family: ConstantFamily, value: ConstantValue) -> Option<&'static str> {
    let same = plain_constants().iter().find(|constant| constant.family == family && constant.value == value);
    same.map(|constant| constant.name)
}
