//! Programs: hash-consed graphs of exactly the calls that the result needs.

use std::collections::hash_map::Entry;
use std::fmt;
use std::mem::take;
use std::sync::{Arc, OnceLock};

use batt_dsl::{Constant, ConstantValue, Ty};
use batt_value::{Arena, ContentHash, Fail, Symbol, Value};

use crate::check::known;
use crate::few::Few;
use crate::keyed::KeyedMap;
use crate::problem::Span;

/// A checked program.
///
/// The nodes stand in depth-first order from the result, arguments before calls and left to right. So the names
/// of variables, the order of independent lines, lines that are written twice and lines that the result does not
/// need cannot be seen in them.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) name: Arc<str>,
    pub(crate) params: Arc<[Param]>,
    pub(crate) nodes: Vec<Node>,
    /// The constant that the result was written as.
    pub(crate) result_spelled: Spelled,
    pub(crate) source: Source,
    /// Once somebody has asked for it.
    pub(crate) hash: OnceLock<ContentHash>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    pub name: String,
    pub role: Role,
}

/// What is passed for a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The grid.
    Input,
    /// The demonstration pairs.
    Samples,
    /// Always `None`. The old dialect passes a context here that no program looks at.
    Context,
}

/// The place of a node in [`Program::nodes`].
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

#[derive(Clone, Debug)]
pub struct Node {
    pub op: Op,
    pub args: Few<NodeId>,
    pub ty: Arc<Ty>,
    /// Where the node was first written.
    pub span: Span,
    /// The line where the node was first written.
    pub line: u32,
    /// The variables it was assigned to, in the order of the text. There is mostly one.
    first: Option<Binding>,
    more: Vec<Binding>,
    /// By which named constants the arguments were written, if by any.
    spelled: Few<Spelled>,
}

/// The named constant that a value was written as.
pub(crate) type Spelled = Option<&'static Constant>;

/// An assignment: the name on the left, and its line.
#[derive(Clone, Debug)]
pub struct Binding {
    source: Arc<str>,
    name: std::ops::Range<u32>,
    pub line: u32,
}

impl Binding {
    pub fn name(&self) -> &str {
        &self.source[self.name.start as usize..self.name.end as usize]
    }
}

impl Node {
    /// The primitive that the node calls.
    pub fn primitive(&self) -> Option<&'static Symbol> {
        match self.op {
            Op::Call(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Whether the node calls a primitive or a function value.
    #[inline]
    pub fn is_call(&self) -> bool {
        self.op.is_call()
    }

    /// The first variable that it was assigned to.
    pub fn name(&self) -> Option<&str> {
        self.first.as_ref().map(Binding::name)
    }

    /// The named constant that an argument was written as.
    pub fn spelled(&self, arg: usize) -> Option<&'static Constant> {
        self.spelled.get(arg).copied().flatten()
    }

    /// The assignments to variables, in the order of the text.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.first.iter().chain(&self.more)
    }
}

/// What a node computes from its arguments.
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
    /// A tuple of members that are not all constant (or of too many for a constant).
    Tuple,
}

impl Op {
    /// Whether this calls a primitive or a function value.
    #[inline]
    pub fn is_call(&self) -> bool {
        matches!(self, Op::Call(_) | Op::Apply)
    }

    /// Whether this computes something: a call or a tuple, not an input or a constant.
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

/// A constant. Named constants are their values. `True` and `1` are different constants.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    None,
    Bool(bool),
    Int(i64),
    Tuple(Arc<[Literal]>),
}

impl Literal {
    /// Whether it is what a name stands for.
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

    /// The constant inside a run.
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

    /// Appends bytes that tell constants apart.
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
    /// A constant as [`Display`](fmt::Display) writes it.
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
    /// As Python writes it.
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

/// The text of one function, and where it stood.
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

    /// The same program under another name.
    pub fn renamed(self, name: &str) -> Program {
        Program { name: name.into(), ..self }
    }

    pub fn params(&self) -> &[Param] {
        &self.params
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The last node.
    pub fn result(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Nodes with their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (NodeId, &Node)> + Clone {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index as u32), node))
    }

    /// A key for what the program computes: it does not depend on the program's name, on the names and number of
    /// its parameters, or on how it is written.
    pub fn hash(&self) -> ContentHash {
        *self.hash.get_or_init(|| {
            // A node takes some ten bytes.
            let mut bytes = Vec::with_capacity(16 * self.nodes.len() + 16);
            bytes.extend(b"batt program 1\n");
            self.nodes.iter().for_each(|node| node.encode(&mut bytes));
            ContentHash::of(&bytes)
        })
    }

    /// Whether the result depends on the demonstration pairs.
    pub fn needs_samples(&self) -> bool {
        self.nodes.iter().any(|node| node.op == Op::Samples)
    }

    /// The program as it was written, from `def` to its last line.
    pub fn source(&self) -> &str {
        &self.source.text
    }

    /// Where [`source`](Program::source) stands in the parsed text. The spans of nodes are within it.
    pub fn span(&self) -> Span {
        self.source.span
    }

    /// The line of `def`, from 1.
    pub fn line(&self) -> u32 {
        self.source.line
    }

    /// The whole line on which `span` starts, and its number in the parsed text.
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

    /// The graph as text, one node a line (`{program}` without the types, `{program:#}` with them).
    pub fn to_text_ir(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Where the names of variables are written.
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

/// Seven bits a byte, lowest first.
fn encode_number(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A tuple of constants is one constant up to this many nodes, which is enough for any grid. Without a limit
/// `x = (x, x)`, line after line, would make a constant of exponential size.
const MAX_WEIGHT: u32 = 1024;

/// And up to this nesting, so that it can be printed and read again.
const MAX_DEPTH: u32 = 32;

/// The place of what the result does not need.
const NOWHERE: NodeId = NodeId(u32::MAX);

/// Collects the nodes of one function, each once, and then keeps those that the result needs.
#[derive(Default)]
pub(crate) struct Builder {
    nodes: Vec<Draft>,
    /// The arguments of all nodes.
    args: Vec<Use>,
    ids: KeyedMap<Key, u32>,
    n_lists: u32,
    bindings: Vec<(NodeId, At)>,
    places: Vec<NodeId>,
    stack: Vec<(NodeId, usize)>,
}

/// How far a builder has come.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    nodes: usize,
    args: usize,
    n_lists: u32,
}

/// A node as it is used by another.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    pub(crate) node: NodeId,
    pub(crate) spelled: Spelled,
}

/// Where something is written.
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
    /// Of a constant as a tree; 0 for what is no constant.
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
    /// A list and one more node.
    List(u32, NodeId),
    Tuple(u32),
    Call(u16, u32),
    /// PERF: calls are the bulk, so those of a few arguments do without lists.
    Call1(u16, NodeId),
    Call2(u16, NodeId, NodeId),
    Call3(u16, NodeId, NodeId, NodeId),
    Call4(u16, NodeId, NodeId, NodeId, NodeId),
    Apply(u32),
}

/// A node, and whether it is new and still needs its type.
pub(crate) type Made = (NodeId, bool);

impl Builder {
    pub(crate) fn clear(&mut self) {
        let Builder { nodes, args, ids, n_lists, bindings, .. } = self;
        nodes.clear();
        args.clear();
        // Clearing takes as long as the map is large, so one huge function must not burden all later ones.
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

    /// Forgets all nodes that were made since.
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
        self.make(Key::Input, Op::Input, &[], &known().grid, at).0
    }

    pub(crate) fn samples(&mut self, at: At) -> NodeId {
        self.make(Key::Samples, Op::Samples, &[], &known().samples, at).0
    }

    pub(crate) fn none(&mut self, at: At) -> NodeId {
        self.scalar(Key::None, Literal::None, &known().none, at)
    }

    pub(crate) fn bool(&mut self, bool: bool, at: At) -> NodeId {
        self.scalar(Key::Bool(bool), Literal::Bool(bool), &known().bool, at)
    }

    pub(crate) fn int(&mut self, int: i64, at: At) -> NodeId {
        self.scalar(Key::Int(int), Literal::Int(int), &known().int, at)
    }

    pub(crate) fn prim(&mut self, symbol: &'static Symbol, ty: &Arc<Ty>, at: At) -> NodeId {
        self.make(Key::Prim(symbol.id), Op::Prim(symbol), &[], ty, at).0
    }

    pub(crate) fn call(&mut self, symbol: &'static Symbol, args: &[Use], at: At) -> Made {
        let key = match *args {
            [a] => Key::Call1(symbol.id, a.node),
            [a, b] => Key::Call2(symbol.id, a.node, b.node),
            [a, b, c] => Key::Call3(symbol.id, a.node, b.node, c.node),
            [a, b, c, d] => Key::Call4(symbol.id, a.node, b.node, c.node, d.node),
            _ => Key::Call(symbol.id, self.list(args)),
        };
        self.make(key, Op::Call(symbol), args, &known().any, at)
    }

    /// The callee is the first of `args`.
    pub(crate) fn apply(&mut self, args: &[Use], at: At) -> Made {
        let key = Key::Apply(self.list(args));
        self.make(key, Op::Apply, args, &known().any, at)
    }

    pub(crate) fn tuple(&mut self, args: &[Use], at: At) -> Made {
        let key = Key::Tuple(self.list(args));
        let members = || args.iter().map(|arg| &self.nodes[arg.node.index()]);
        let constant = members().all(|member| member.weight > 0);
        let weight = members().fold(1u32, |sum, member| sum.saturating_add(member.weight));
        let depth = 1 + members().map(|member| member.depth).max().unwrap_or(0);
        if !constant || weight > MAX_WEIGHT || depth > MAX_DEPTH {
            return self.make(key, Op::Tuple, args, &known().any, at);
        }
        let literals = members().filter_map(|member| match &member.op {
            Op::Const(literal) => Some(literal.clone()),
            _ => None,
        });
        let literal = Literal::Tuple(literals.collect());
        let made = self.make(key, Op::Const(literal), &[], &known().any, at);
        let draft = &mut self.nodes[made.0.index()];
        (draft.weight, draft.depth) = (weight, depth);
        made
    }

    fn scalar(&mut self, key: Key, literal: Literal, ty: &Arc<Ty>, at: At) -> NodeId {
        let (node, _) = self.make(key, Op::Const(literal), &[], ty, at);
        self.nodes[node.index()].weight = 1;
        node
    }

    /// A number for the list of nodes, the same for the same list.
    fn list(&mut self, args: &[Use]) -> u32 {
        args.iter().fold(u32::MAX, |list, arg| {
            *self.ids.entry(Key::List(list, arg.node)).or_insert_with(|| {
                self.n_lists += 1;
                self.n_lists
            })
        })
    }

    fn make(&mut self, key: Key, op: Op, args: &[Use], ty: &Arc<Ty>, at: At) -> Made {
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

    /// The nodes that `result` needs, in depth-first order.
    pub(crate) fn finish(&mut self, result: NodeId, source: &Source) -> Vec<Node> {
        let (mut places, mut stack) = (take(&mut self.places), take(&mut self.stack));
        places.clear();
        places.resize(self.nodes.len(), NOWHERE);
        let mut nodes = Vec::with_capacity(self.nodes.len());
        // Programs are as deep as they are long, so the stack is our own: nodes, and how many of their
        // arguments are done.
        stack.push((result, 0));
        while let Some((id, n_done)) = stack.pop() {
            if places[id.index()] != NOWHERE {
                continue;
            }
            let args = self.args_of(id);
            let missing = args[n_done..].iter().position(|arg| places[arg.node.index()] == NOWHERE);
            if let Some(n) = missing {
                stack.push((id, n_done + n + 1));
                stack.push((args[n_done + n].node, 0));
                continue;
            }
            let spelled = match args.iter().any(|arg| arg.spelled.is_some()) {
                true => Few::new(args.iter().map(|arg| arg.spelled)),
                false => Few::new(std::iter::empty()),
            };
            let args = Few::new(args.iter().map(|arg| places[arg.node.index()]));
            places[id.index()] = NodeId(nodes.len() as u32);
            let draft = &mut self.nodes[id.index()];
            let (op, ty) = (draft.op.clone(), draft.ty.clone());
            let At { span, line } = draft.at;
            nodes.push(Node { op, args, ty, span, line, first: None, more: Vec::new(), spelled });
        }
        for (id, At { span, line }) in self.bindings.drain(..) {
            if let Some(node) = nodes.get_mut(places[id.index()].index()) {
                let start = source.span.start;
                let name = span.start - start..span.end - start;
                let binding = Binding { source: source.text.clone(), name, line };
                match node.first {
                    None => node.first = Some(binding),
                    Some(_) => node.more.push(binding),
                }
            }
        }
        (self.places, self.stack) = (places, stack);
        nodes
    }

    /// The nodes that the last result needed, in their order.
    pub(crate) fn finished(&self) -> Vec<NodeId> {
        let placed = self.places.iter().enumerate().filter(|(_, place)| **place != NOWHERE);
        let mut nodes = vec![NOWHERE; placed.clone().count()];
        placed.for_each(|(id, place)| nodes[place.index()] = NodeId(id as u32));
        nodes
    }

    fn args_of(&self, id: NodeId) -> &[Use] {
        let range = &self.nodes[id.index()].args;
        &self.args[range.start as usize..range.end as usize]
    }
}
