//! Programs: graphs of exactly the calls that the result needs, in which equal calls are one node.

use std::collections::hash_map::Entry;
use std::fmt;
use std::mem::take;
use std::sync::{Arc, OnceLock};

use batt_dsl::{Constant, ConstantValue, Ty};
use batt_value::{Arena, ContentHash, Fail, Symbol, Value};

use crate::check::type_table;
use crate::keyed::KeyedMap;
use crate::problem::Span;
use crate::small_list::SmallList;

/// A checked program.
///
/// The nodes are in depth-first order from the result, arguments before calls and left to right. They do not
/// depend on names of variables, on the order of independent lines, or on repeated and unneeded lines.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) name: Arc<str>,
    pub(crate) params: Arc<[Param]>,
    pub(crate) nodes: Vec<Node>,
    /// The named constant that the result was written as.
    pub(crate) result_constant: NamedConstant,
    pub(crate) source: Source,
    /// Computed on first use.
    pub(crate) hash: OnceLock<ContentHash>,
}

/// A parameter of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    pub name: String,
    pub role: Role,
}

/// The argument that a parameter receives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The grid.
    Input,
    /// The demonstration pairs.
    Samples,
    /// Always `None`. The old dialect passes a context that no program uses.
    Context,
}

/// The index of a node in [`Program::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// A node of a program: an input, a constant, a call or a tuple.
#[derive(Clone, Debug)]
pub struct Node {
    pub op: Op,
    pub args: SmallList<NodeId>,
    pub ty: Arc<Ty>,
    /// Place where the node was first written.
    pub span: Span,
    /// Line where the node was first written.
    pub line: u32,
    /// The first variable it was assigned to. Most nodes have at most one.
    first_binding: Option<Binding>,
    /// Further variables it was assigned to, in the order of the text.
    other_bindings: Vec<Binding>,
    /// The named constants that the arguments were written as. Empty if there are none.
    named_constants: SmallList<NamedConstant>,
}

/// The named constant that a value was written as.
pub(crate) type NamedConstant = Option<&'static Constant>;

/// An assignment to a variable, with its line.
#[derive(Clone, Debug)]
pub struct Binding {
    source: Arc<str>,
    name: std::ops::Range<u32>,
    pub line: u32,
}

impl Binding {
    /// Returns the name of the variable.
    pub fn name(&self) -> &str {
        &self.source[self.name.start as usize..self.name.end as usize]
    }
}

impl Node {
    /// Returns the primitive that the node calls.
    pub fn primitive(&self) -> Option<&'static Symbol> {
        match self.op {
            Op::Call(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Returns whether the node calls a primitive or a function value.
    #[inline]
    pub fn is_call(&self) -> bool {
        self.op.is_call()
    }

    /// Returns the first variable that it was assigned to.
    pub fn name(&self) -> Option<&str> {
        self.first_binding.as_ref().map(Binding::name)
    }

    /// Returns the named constant that an argument was written as.
    pub fn named_constant(&self, arg: usize) -> Option<&'static Constant> {
        self.named_constants.get(arg).copied().flatten()
    }

    /// Iterates over the assignments to variables, in the order of the text.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.first_binding.iter().chain(&self.other_bindings)
    }
}

/// The operation of a node.
#[derive(Clone, Debug)]
pub enum Op {
    /// The grid.
    Input,
    /// The demonstration pairs.
    Samples,
    Const(Literal),
    /// A primitive as a value.
    Prim(&'static Symbol),
    /// A primitive called with its arguments.
    Call(&'static Symbol),
    /// A function value, the first argument, called with the others.
    Apply,
    /// A tuple whose members are not all constant, or that is too large for a constant.
    Tuple,
}

impl Op {
    /// Returns whether this calls a primitive or a function value.
    #[inline]
    pub fn is_call(&self) -> bool {
        matches!(self, Op::Call(_) | Op::Apply)
    }

    /// Returns whether this is a call or a tuple, not an input or a constant.
    #[inline]
    pub fn is_computed(&self) -> bool {
        self.is_call() || matches!(self, Op::Tuple)
    }
}

impl PartialEq for Op {
    fn eq(&self, other: &Op) -> bool {
        match (self, other) {
            (Op::Input, Op::Input)
            | (Op::Samples, Op::Samples)
            | (Op::Apply, Op::Apply)
            | (Op::Tuple, Op::Tuple) => true,
            (Op::Const(a), Op::Const(b)) => a == b,
            (Op::Prim(a), Op::Prim(b)) | (Op::Call(a), Op::Call(b)) => a.id == b.id,
            _ => false,
        }
    }
}

impl Eq for Op {}

/// A constant value. Named constants are stored as their values. `True` and `1` are different.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    None,
    Bool(bool),
    Int(i64),
    Tuple(Arc<[Literal]>),
}

impl Literal {
    /// Returns whether it equals the value of a named constant.
    pub fn is(&self, value: ConstantValue) -> bool {
        match (self, value) {
            (Literal::Bool(a), ConstantValue::Bool(b)) => *a == b,
            (Literal::Int(a), ConstantValue::Int(b)) => *a == b,
            (Literal::Tuple(items), ConstantValue::Pair(row, col)) => {
                items[..] == [Literal::Int(row), Literal::Int(col)]
            }
            _ => false,
        }
    }

    /// Returns the constant as a value of a run.
    pub fn value<'a>(&self, arena: &'a Arena) -> Result<Value<'a>, Fail> {
        Ok(match self {
            Literal::None => Value::None,
            Literal::Bool(bool) => (*bool).into(),
            Literal::Int(int) => Value::Int(*int),
            Literal::Tuple(items) => {
                let items = items.iter().map(|item| item.value(arena)).collect::<Result<Vec<_>, _>>()?;
                arena.tuple(&items)?
            }
        })
    }

    /// Appends an encoding that is unique to the constant.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Literal::None => out.push(0),
            Literal::Bool(bool) => out.push(1 + u8::from(*bool)),
            Literal::Int(int) => {
                out.push(3);
                out.extend(int.to_le_bytes());
            }
            Literal::Tuple(items) => {
                out.push(4);
                encode_number(items.len(), out);
                items.iter().for_each(|item| item.encode(out));
            }
        }
    }
}

impl Literal {
    /// Parses a constant as [`Display`](fmt::Display) prints it.
    pub fn parse(text: &str) -> Option<Literal> {
        let parsed = crate::parse(&format!("def constant(I): return {text}"));
        let [program] = &parsed.programs[..] else { return None };
        match &program.node(program.result()).op {
            Op::Const(literal) if program.nodes().len() == 1 => Some(literal.clone()),
            _ => None,
        }
    }
}

impl fmt::Display for Literal {
    /// Prints the constant as Python does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::None => f.write_str("None"),
            Literal::Bool(bool) => f.write_str(if *bool { "True" } else { "False" }),
            Literal::Int(int) => write!(f, "{int}"),
            Literal::Tuple(items) => {
                f.write_str("(")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
        }
    }
}

/// The text of one function, with its place.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) text: Arc<str>,
    pub(crate) span: Span,
    pub(crate) line: u32,
}

impl Program {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the program under another name.
    pub fn renamed(self, name: &str) -> Program {
        Program { name: name.into(), ..self }
    }

    pub fn params(&self) -> &[Param] {
        &self.params
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the node of the result, which is the last one.
    pub fn result(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Iterates over the nodes with their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (NodeId, &Node)> + Clone {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index as u32), node))
    }

    /// Returns the content hash of the program. It does not depend on the program's name, on the names and
    /// number of its parameters, or on how it is written.
    pub fn hash(&self) -> ContentHash {
        *self.hash.get_or_init(|| {
            // A node takes about ten bytes.
            let mut bytes = Vec::with_capacity(16 * self.nodes.len() + 16);
            bytes.extend(b"batt program 1\n");
            self.nodes.iter().for_each(|node| node.encode(&mut bytes));
            ContentHash::of(&bytes)
        })
    }

    /// Returns whether the result depends on the demonstration pairs.
    pub fn needs_samples(&self) -> bool {
        self.nodes.iter().any(|node| node.op == Op::Samples)
    }

    /// Returns the text of the program, from `def` to its last line.
    pub fn source(&self) -> &str {
        &self.source.text
    }

    /// Returns the place of [`source`](Program::source) in the parsed text. The spans of nodes are within it.
    pub fn span(&self) -> Span {
        self.source.span
    }

    /// Returns the line of `def`, counted from 1.
    pub fn line(&self) -> u32 {
        self.source.line
    }

    /// Returns the line on which `span` starts: its number in the parsed text, and its content.
    pub fn source_line(&self, span: Span) -> (u32, &str) {
        let text = self.source();
        let at = (span.start.saturating_sub(self.source.span.start) as usize).min(text.len());
        let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let (before, after) = text.as_bytes().split_at(at);
        let start = before.iter().rposition(is_break).map_or(0, |at| at + 1);
        let end = after.iter().position(is_break).map_or(text.len(), |n| at + n);
        let breaks = (0..start).filter(|&at| match before[at] {
            b'\r' => before.get(at + 1) != Some(&b'\n'),
            byte => byte == b'\n',
        });
        (self.source.line + breaks.count() as u32, text.get(start..end).unwrap_or_default())
    }

    /// Returns the graph as text, one node per line. `{program}` prints it without types, `{program:#}` with
    /// them.
    pub fn to_text_ir(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Column of the names of variables.
        const COMMENT: usize = 24;
        for (id, node) in self.iter() {
            let mut line = id.to_string();
            if f.alternate() {
                line += &format!(": {}", node.ty);
            }
            line += " = ";
            line += &match &node.op {
                Op::Input => "input".into(),
                Op::Samples => "samples".into(),
                Op::Const(literal) => format!("const {literal}"),
                Op::Prim(symbol) => format!("prim {}", symbol.name),
                Op::Call(symbol) => symbol.name.to_owned(),
                Op::Apply => "apply".into(),
                Op::Tuple => "tuple".into(),
            };
            for arg in &node.args {
                line += &format!(" {arg}");
            }
            let names: Vec<_> = node.bindings().map(Binding::name).collect();
            match names[..] {
                [] => writeln!(f, "{line}")?,
                _ => writeln!(f, "{line:<COMMENT$} ; {}", names.join(" "))?,
            }
        }
        Ok(())
    }
}

impl Node {
    fn encode(&self, out: &mut Vec<u8>) {
        match &self.op {
            Op::Input => out.push(0),
            Op::Samples => out.push(1),
            Op::Const(literal) => {
                out.push(2);
                literal.encode(out);
            }
            Op::Prim(symbol) => encode_name(3, symbol.name, out),
            Op::Call(symbol) => encode_name(4, symbol.name, out),
            Op::Apply => out.push(5),
            Op::Tuple => out.push(6),
        }
        encode_number(self.args.len(), out);
        for arg in &self.args {
            encode_number(arg.index(), out);
        }
    }
}

fn encode_name(tag: u8, name: &str, out: &mut Vec<u8>) {
    out.push(tag);
    encode_number(name.len(), out);
    out.extend(name.as_bytes());
}

/// Appends a number, seven bits per byte, lowest first.
fn encode_number(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Maximum number of parts of a constant tuple, enough for any grid. Without a limit, repeating `x = (x, x)`
/// would make a constant of exponential size.
const MAX_WEIGHT: u32 = 1024;

/// Maximum nesting of a constant tuple, so that it can be printed and parsed again.
const MAX_DEPTH: u32 = 32;

/// The index of a node that the result does not need.
const NOT_NEEDED: NodeId = NodeId(u32::MAX);

/// Collects the nodes of one function without duplicates, then keeps those that the result needs.
#[derive(Default)]
pub(crate) struct Builder {
    nodes: Vec<Draft>,
    /// The arguments of all nodes.
    args: Vec<Use>,
    ids: KeyedMap<Key, u32>,
    n_lists: u32,
    bindings: Vec<(NodeId, At)>,
    /// Index of each node in the finished program.
    final_ids: Vec<NodeId>,
    stack: Vec<(NodeId, usize)>,
}

/// A state of a builder, to return to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    nodes: usize,
    args: usize,
    n_lists: u32,
}

/// A node as an argument of another, with the named constant that it was written as.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    pub(crate) node: NodeId,
    pub(crate) constant: NamedConstant,
}

/// The place of something in the text.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub(crate) span: Span,
    pub(crate) line: u32,
}

struct Draft {
    op: Op,
    args: std::ops::Range<u32>,
    ty: Arc<Ty>,
    at: At,
    /// Number of parts of a constant; 0 for other nodes.
    weight: u32,
    depth: u32,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Input,
    Samples,
    None,
    Bool(bool),
    Int(i64),
    Prim(u16),
    /// A list and the node that extends it.
    List(u32, NodeId),
    Tuple(u32),
    Call(u16, u32),
    /// PERF: most nodes are calls, so calls with few arguments do not use lists.
    Call1(u16, NodeId),
    Call2(u16, NodeId, NodeId),
    Call3(u16, NodeId, NodeId, NodeId),
    Call4(u16, NodeId, NodeId, NodeId, NodeId),
    Apply(u32),
}

/// A node, and whether it is new and still needs a type.
pub(crate) type Interned = (NodeId, bool);

impl Builder {
    pub(crate) fn clear(&mut self) {
        let Builder { nodes, args, ids, n_lists, bindings, .. } = self;
        nodes.clear();
        args.clear();
        // Clearing takes time proportional to the capacity, so one huge function must not slow down all later
        // ones.
        if ids.capacity() > 4096 {
            *ids = KeyedMap::default();
        } else {
            ids.clear();
        }
        *n_lists = 0;
        bindings.clear();
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { nodes: self.nodes.len(), args: self.args.len(), n_lists: self.n_lists }
    }

    /// Removes all nodes that were added since `mark`.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.nodes.truncate(mark.nodes);
        self.args.truncate(mark.args);
        self.n_lists = mark.n_lists;
        self.ids.retain(|key, id| match key {
            Key::List(..) => *id <= mark.n_lists,
            _ => (*id as usize) < mark.nodes,
        });
    }

    pub(crate) fn ty(&self, id: NodeId) -> &Arc<Ty> {
        &self.nodes[id.index()].ty
    }

    pub(crate) fn op(&self, id: NodeId) -> &Op {
        &self.nodes[id.index()].op
    }

    pub(crate) fn set_ty(&mut self, id: NodeId, ty: Arc<Ty>) {
        self.nodes[id.index()].ty = ty;
    }

    pub(crate) fn bind(&mut self, id: NodeId, name: At) {
        self.bindings.push((id, name));
    }

    pub(crate) fn input(&mut self, at: At) -> NodeId {
        self.make(Key::Input, Op::Input, &[], &type_table().grid, at).0
    }

    pub(crate) fn samples(&mut self, at: At) -> NodeId {
        self.make(Key::Samples, Op::Samples, &[], &type_table().samples, at).0
    }

    pub(crate) fn none(&mut self, at: At) -> NodeId {
        self.scalar(Key::None, Literal::None, &type_table().none, at)
    }

    pub(crate) fn bool(&mut self, bool: bool, at: At) -> NodeId {
        self.scalar(Key::Bool(bool), Literal::Bool(bool), &type_table().bool, at)
    }

    pub(crate) fn int(&mut self, int: i64, at: At) -> NodeId {
        self.scalar(Key::Int(int), Literal::Int(int), &type_table().int, at)
    }

    pub(crate) fn prim(&mut self, symbol: &'static Symbol, ty: &Arc<Ty>, at: At) -> NodeId {
        self.make(Key::Prim(symbol.id), Op::Prim(symbol), &[], ty, at).0
    }

    pub(crate) fn call(&mut self, symbol: &'static Symbol, args: &[Use], at: At) -> Interned {
        let key = match *args {
            [a] => Key::Call1(symbol.id, a.node),
            [a, b] => Key::Call2(symbol.id, a.node, b.node),
            [a, b, c] => Key::Call3(symbol.id, a.node, b.node, c.node),
            [a, b, c, d] => Key::Call4(symbol.id, a.node, b.node, c.node, d.node),
            _ => Key::Call(symbol.id, self.list(args)),
        };
        self.make(key, Op::Call(symbol), args, &type_table().any, at)
    }

    /// Adds a call of a function value, the first of `args`.
    pub(crate) fn apply(&mut self, args: &[Use], at: At) -> Interned {
        let key = Key::Apply(self.list(args));
        self.make(key, Op::Apply, args, &type_table().any, at)
    }

    pub(crate) fn tuple(&mut self, args: &[Use], at: At) -> Interned {
        let key = Key::Tuple(self.list(args));
        let members = || args.iter().map(|arg| &self.nodes[arg.node.index()]);
        let constant = members().all(|member| member.weight > 0);
        let weight = members().fold(1u32, |sum, member| sum.saturating_add(member.weight));
        let depth = 1 + members().map(|member| member.depth).max().unwrap_or(0);
        if !constant || weight > MAX_WEIGHT || depth > MAX_DEPTH {
            return self.make(key, Op::Tuple, args, &type_table().any, at);
        }
        let literals = members().filter_map(|member| match &member.op {
            Op::Const(literal) => Some(literal.clone()),
            _ => None,
        });
        let literal = Literal::Tuple(literals.collect());
        let made = self.make(key, Op::Const(literal), &[], &type_table().any, at);
        let draft = &mut self.nodes[made.0.index()];
        (draft.weight, draft.depth) = (weight, depth);
        made
    }

    fn scalar(&mut self, key: Key, literal: Literal, ty: &Arc<Ty>, at: At) -> NodeId {
        let (node, _) = self.make(key, Op::Const(literal), &[], ty, at);
        self.nodes[node.index()].weight = 1;
        node
    }

    /// Returns a number for a list of nodes; equal lists have equal numbers.
    fn list(&mut self, args: &[Use]) -> u32 {
        args.iter().fold(u32::MAX, |list, arg| {
            *self.ids.entry(Key::List(list, arg.node)).or_insert_with(|| {
                self.n_lists += 1;
                self.n_lists
            })
        })
    }

    fn make(&mut self, key: Key, op: Op, args: &[Use], ty: &Arc<Ty>, at: At) -> Interned {
        let next = self.nodes.len() as u32;
        match self.ids.entry(key) {
            Entry::Occupied(entry) => (NodeId(*entry.get()), false),
            Entry::Vacant(entry) => {
                entry.insert(next);
                let start = self.args.len() as u32;
                self.args.extend_from_slice(args);
                let args = start..self.args.len() as u32;
                self.nodes.push(Draft { op, args, ty: ty.clone(), at, weight: 0, depth: 0 });
                (NodeId(next), true)
            }
        }
    }

    /// Returns the nodes that `result` needs, in depth-first order.
    pub(crate) fn finish(&mut self, result: NodeId, source: &Source) -> Vec<Node> {
        let (mut final_ids, mut stack) = (take(&mut self.final_ids), take(&mut self.stack));
        final_ids.clear();
        final_ids.resize(self.nodes.len(), NOT_NEEDED);
        let mut nodes = Vec::with_capacity(self.nodes.len());
        // Programs can be as deep as they are long, so this uses its own stack: nodes with the number of
        // arguments that are done.
        stack.push((result, 0));
        while let Some((id, n_done)) = stack.pop() {
            if final_ids[id.index()] != NOT_NEEDED {
                continue;
            }
            let args = self.args_of(id);
            let missing = args[n_done..].iter().position(|arg| final_ids[arg.node.index()] == NOT_NEEDED);
            if let Some(n) = missing {
                stack.push((id, n_done + n + 1));
                stack.push((args[n_done + n].node, 0));
                continue;
            }
            let named_constants = match args.iter().any(|arg| arg.constant.is_some()) {
                true => SmallList::new(args.iter().map(|arg| arg.constant)),
                false => SmallList::new(std::iter::empty()),
            };
            let args = SmallList::new(args.iter().map(|arg| final_ids[arg.node.index()]));
            final_ids[id.index()] = NodeId(nodes.len() as u32);
            let draft = &mut self.nodes[id.index()];
            let (op, ty) = (draft.op.clone(), draft.ty.clone());
            let At { span, line } = draft.at;
            nodes.push(Node {
                op,
                args,
                ty,
                span,
                line,
                first_binding: None,
                other_bindings: Vec::new(),
                named_constants,
            });
        }
        for (id, At { span, line }) in self.bindings.drain(..) {
            if let Some(node) = nodes.get_mut(final_ids[id.index()].index()) {
                let start = source.span.start;
                let name = span.start - start..span.end - start;
                let binding = Binding { source: source.text.clone(), name, line };
                match node.first_binding {
                    None => node.first_binding = Some(binding),
                    Some(_) => node.other_bindings.push(binding),
                }
            }
        }
        (self.final_ids, self.stack) = (final_ids, stack);
        nodes
    }

    /// Returns the nodes that the last result needed, in their order.
    pub(crate) fn finished(&self) -> Vec<NodeId> {
        let needed = self.final_ids.iter().enumerate().filter(|(_, final_id)| **final_id != NOT_NEEDED);
        let mut nodes = vec![NOT_NEEDED; needed.clone().count()];
        needed.for_each(|(id, final_id)| nodes[final_id.index()] = NodeId(id as u32));
        nodes
    }

    fn args_of(&self, id: NodeId) -> &[Use] {
        let range = &self.nodes[id.index()].args;
        &self.args[range.start as usize..range.end as usize]
    }
}
