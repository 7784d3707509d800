//! Changes to a program. The program is built once; each change builds only what it touches, on top of that, and is
//! forgotten before the next.

use batt_dsl::{Constant, Ty, registry};
use batt_lang::{Composer, Literal, Mark, Node, NodeId, Op, Program, Use};
use batt_value::Symbol;
use smallvec::SmallVec;

use super::fits::fits;

/// What is to be changed.
#[derive(Clone, Debug)]
pub(crate) enum Change<'c> {
    /// Something else as an argument of one node.
    Arg { node: NodeId, place: usize, to: To<'c> },
    /// Something else instead of a node, wherever it is used.
    Node { node: NodeId, to: To<'c> },
    /// A node that does something else with its arguments.
    Op { node: NodeId, op: Op },
    /// Two arguments of a node change places.
    Swap { node: NodeId, places: (usize, usize) },
}

impl Change<'_> {
    /// Where it begins.
    fn node(&self) -> NodeId {
        match self {
            Change::Arg { node, .. }
            | Change::Node { node, .. }
            | Change::Op { node, .. }
            | Change::Swap { node, .. } => *node,
        }
    }
}

/// What comes instead.
#[derive(Clone, Debug)]
pub(crate) enum To<'c> {
    /// A node of the program, with what it needs, as it was before the change.
    Own(NodeId),
    /// A node of another program, with what it needs.
    Graft(&'c Program, NodeId),
    Samples,
    Constant(&'static Constant),
    Literal(Literal),
    Prim(&'static Symbol),
    Call(&'static Symbol, Vec<To<'c>>),
}

/// Longer programs are not made: most of what they do would be for nothing.
const MAX_NODES: usize = 120;

/// Makes changed programs from one.
pub(crate) struct Editor<'e> {
    composer: &'e mut Composer,
    program: &'e Program,
    /// The nodes of the program before the change.
    own: Vec<Use>,
    /// After the last of them.
    mark: Mark,
    /// The nodes that the change has made anew.
    new: Vec<Option<Use>>,
}

/// No primitive takes more than four.
type Args = SmallVec<[Use; 4]>;

impl<'e> Editor<'e> {
    /// `None` if the program is ill-typed itself.
    pub(crate) fn new(composer: &'e mut Composer, program: &'e Program) -> Option<Editor<'e>> {
        composer.begin();
        let mut own: Vec<Use> = Vec::with_capacity(program.nodes().len());
        for node in program.nodes() {
            own.push(copy(composer, node, |arg| Some(own[arg.index()]))?);
        }
        let mark = composer.mark();
        Some(Editor { composer, program, own, mark, new: Vec::new() })
    }

    /// Makes programs from `edited`, which must be the one that was made last.
    pub(crate) fn again<'a>(&'a mut self, edited: &'a Program) -> Editor<'a> {
        let (own, mark) = (self.composer.finished(), self.composer.mark());
        Editor { composer: self.composer, program: edited, own, mark, new: Vec::new() }
    }

    /// The changed program; `None` if it would be ill-typed, gives no grid or is too long.
    pub(crate) fn edit(&mut self, change: &Change<'_>) -> Option<Program> {
        self.composer.rewind(self.mark);
        let result = self.apply(change)?;
        if !fits(&Ty::Grid, self.composer.ty(result)) {
            return None;
        }
        let edited = self.composer.finish(self.program.name(), result);
        (edited.nodes().len() <= MAX_NODES).then_some(edited)
    }

    /// The result of the program after the change.
    fn apply(&mut self, change: &Change<'_>) -> Option<Use> {
        let program = self.program;
        self.new.clear();
        self.new.resize(self.own.len(), None);
        let changed = change.node();
        self.new[changed.index()] = Some(self.changed(changed, change)?);
        // Each node anew where something below it has changed.
        for (id, node) in program.iter().skip(changed.index() + 1) {
            if node.args.iter().any(|arg| self.new[arg.index()].is_some()) {
                let args = self.args(node);
                self.new[id.index()] = Some(self.made(node, &node.op, args)?);
            }
        }
        *self.new.last()?
    }

    /// What the changed node becomes.
    fn changed(&mut self, id: NodeId, change: &Change<'_>) -> Option<Use> {
        let node = self.program.node(id);
        let mut args = self.args(node);
        match change {
            Change::Node { to, .. } => self.part(to),
            Change::Arg { place, to, .. } => {
                *args.get_mut(*place)? = self.part(to)?;
                self.made(node, &node.op, args)
            }
            Change::Op { op, .. } => self.made(node, op, args),
            Change::Swap { places: (a, b), .. } => {
                args.swap(*a, *b);
                self.made(node, &node.op, args)
            }
        }
    }

    /// The arguments of a node, after the change where it concerns them.
    fn args(&self, node: &Node) -> Args {
        node.args.iter().map(|arg| self.new[arg.index()].unwrap_or(self.own[arg.index()])).collect()
    }

    /// A node with other arguments, or another function, if that is worth trying.
    fn made(&mut self, node: &Node, op: &Op, mut args: Args) -> Option<Use> {
        self.suit(node, op, &args)?;
        // Arguments that stayed keep their names; a new one brings its own.
        match *op == node.op {
            true => self.composer.copy(node, &mut args),
            false => self.composer.node(op, &args),
        }
    }

    /// Whether arguments whose types have changed, or all if the function has, are worth trying here.
    fn suit(&self, node: &Node, op: &Op, args: &[Use]) -> Option<()> {
        let Op::Call(symbol) = op else { return Some(()) };
        let types = &registry().by_symbol(symbol).types;
        let suits = |((old, new), need): ((&NodeId, &Use), &Ty)| {
            let (old, new) = (self.composer.ty(self.own[old.index()]), self.composer.ty(*new));
            old == new || fits(need, new)
        };
        node.args.iter().zip(args).zip(types).all(suits).then_some(())
    }

    fn part(&mut self, to: &To<'_>) -> Option<Use> {
        match to {
            To::Own(id) => self.own.get(id.index()).copied(),
            To::Samples => Some(self.composer.samples()),
            To::Constant(constant) => Some(self.composer.constant(constant)),
            To::Literal(literal) => Some(self.composer.literal(literal)),
            To::Prim(symbol) => Some(self.composer.prim(symbol)),
            To::Call(symbol, args) => {
                let args = args.iter().map(|arg| self.part(arg)).collect::<Option<Args>>()?;
                self.composer.call(symbol, &args)
            }
            To::Graft(program, id) => self.graft(program, *id),
        }
    }

    /// A node of another program, with what it needs.
    fn graft(&mut self, program: &Program, id: NodeId) -> Option<Use> {
        let mut copies: Vec<Option<Use>> = vec![None; id.index() + 1];
        for (place, _) in needed(program, id).iter().enumerate().filter(|(_, needed)| **needed) {
            copies[place] = Some(copy(self.composer, &program.nodes()[place], |arg| copies[arg.index()])?);
        }
        copies.pop()?
    }
}

/// For each node up to this one whether it is needed for it.
pub(crate) fn needed(program: &Program, node: NodeId) -> Vec<bool> {
    let mut needed = vec![false; node.index() + 1];
    needed[node.index()] = true;
    // Arguments stand before their calls, so one walk backwards sees all.
    for id in (0..=node.index()).rev() {
        if needed[id] {
            program.nodes()[id].args.iter().for_each(|arg| needed[arg.index()] = true);
        }
    }
    needed
}

/// A node of a program whose arguments have been copied.
fn copy(composer: &mut Composer, node: &Node, arg: impl Fn(&NodeId) -> Option<Use>) -> Option<Use> {
    let mut args = node.args.iter().map(arg).collect::<Option<Args>>()?;
    composer.copy(node, &mut args)
}
