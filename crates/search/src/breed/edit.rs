//! Applies changes to a program. The program is built once. Each change builds only the nodes that it
//! affects, and they are removed before the next change.

use batt_dsl::{Constant, Ty, registry};
use batt_lang::{Composer, Literal, Mark, Node, NodeId, Op, Program, Use};
use batt_value::Symbol;
use smallvec::SmallVec;

use super::fits::fits;

/// A change to a program.
#[derive(Clone, Debug)]
pub(crate) enum Change<'c> {
    /// Replaces one argument of a node.
    Arg { node: NodeId, place: usize, to: Replacement<'c> },
    /// Replaces a node in all its uses.
    Node { node: NodeId, to: Replacement<'c> },
    /// Replaces the operation of a node. Its arguments stay.
    Op { node: NodeId, op: Op },
    /// Exchanges two arguments of a node.
    Swap { node: NodeId, places: (usize, usize) },
}

impl Change<'_> {
    /// Returns the node that it changes.
    fn node(&self) -> NodeId {
        match self {
            Change::Arg { node, .. }
            | Change::Node { node, .. }
            | Change::Op { node, .. }
            | Change::Swap { node, .. } => *node,
        }
    }
}

/// A value that replaces another.
#[derive(Clone, Debug)]
pub(crate) enum Replacement<'c> {
    /// A node of the program with everything it depends on, as it was before the change.
    Own(NodeId),
    /// A node of another program with everything it depends on.
    Graft(&'c Program, NodeId),
    /// The demonstration pairs, `S`.
    Samples,
    Constant(&'static Constant),
    Literal(Literal),
    Prim(&'static Symbol),
    Call(&'static Symbol, Vec<Replacement<'c>>),
}

/// The most nodes of a changed program. Most nodes of longer programs have no effect.
const MAX_NODES: usize = 120;

/// Makes changed copies of one program.
pub(crate) struct Editor<'e> {
    composer: &'e mut Composer,
    program: &'e Program,
    /// The nodes of the program before the change.
    original: Vec<Use>,
    /// The state of the composer after the last of them.
    unchanged: Mark,
    /// The nodes that the change has built again.
    rebuilt: Vec<Option<Use>>,
}

/// Arguments of a call. No primitive takes more than four.
type Args = SmallVec<[Use; 4]>;

impl<'e> Editor<'e> {
    /// Builds the program. Returns `None` if it is ill-typed.
    pub(crate) fn new(composer: &'e mut Composer, program: &'e Program) -> Option<Editor<'e>> {
        composer.begin();
        let mut original: Vec<Use> = Vec::with_capacity(program.nodes().len());
        for node in program.nodes() {
            original.push(copy(composer, node, |arg| Some(original[arg.index()]))?);
        }
        let unchanged = composer.mark();
        Some(Editor { composer, program, original, unchanged, rebuilt: Vec::new() })
    }

    /// Returns an editor for `edited`, which must be the program that this one made last.
    pub(crate) fn continue_from<'a>(&'a mut self, edited: &'a Program) -> Editor<'a> {
        let (original, unchanged) = (self.composer.finished(), self.composer.mark());
        Editor { composer: self.composer, program: edited, original, unchanged, rebuilt: Vec::new() }
    }

    /// Returns the changed program, or `None` if it is ill-typed, does not return a grid or is too long.
    pub(crate) fn edit(&mut self, change: &Change<'_>) -> Option<Program> {
        self.composer.rewind(self.unchanged);
        let result = self.apply(change)?;
        if !fits(&Ty::Grid, self.composer.ty(result)) {
            return None;
        }
        let edited = self.composer.finish(self.program.name(), result);
        (edited.nodes().len() <= MAX_NODES).then_some(edited)
    }

    /// Builds the changed nodes and returns the result of the program.
    fn apply(&mut self, change: &Change<'_>) -> Option<Use> {
        let program = self.program;
        self.rebuilt.clear();
        self.rebuilt.resize(self.original.len(), None);
        let changed = change.node();
        self.rebuilt[changed.index()] = Some(self.build_changed(changed, change)?);
        // Build each node again if one of its arguments has changed.
        for (id, node) in program.iter().skip(changed.index() + 1) {
            if node.args.iter().any(|arg| self.rebuilt[arg.index()].is_some()) {
                let args = self.args(node);
                self.rebuilt[id.index()] = Some(self.build_node(node, &node.op, args)?);
            }
        }
        *self.rebuilt.last()?
    }

    /// Builds the changed node.
    fn build_changed(&mut self, id: NodeId, change: &Change<'_>) -> Option<Use> {
        let node = self.program.node(id);
        let mut args = self.args(node);
        match change {
            Change::Node { to, .. } => self.build_replacement(to),
            Change::Arg { place, to, .. } => {
                *args.get_mut(*place)? = self.build_replacement(to)?;
                self.build_node(node, &node.op, args)
            }
            Change::Op { op, .. } => self.build_node(node, op, args),
            Change::Swap { places: (a, b), .. } => {
                args.swap(*a, *b);
                self.build_node(node, &node.op, args)
            }
        }
    }

    /// Returns the arguments of a node after the change.
    fn args(&self, node: &Node) -> Args {
        node.args.iter().map(|arg| self.rebuilt[arg.index()].unwrap_or(self.original[arg.index()])).collect()
    }

    /// Builds a node with other arguments or another operation, if that is worth trying.
    fn build_node(&mut self, node: &Node, op: &Op, mut args: Args) -> Option<Use> {
        self.check_types(node, op, &args)?;
        // Unchanged arguments keep the names of their constants; a new argument brings its own.
        match *op == node.op {
            true => self.composer.copy(node, &mut args),
            false => self.composer.node(op, &args),
        }
    }

    /// Returns `Some` if all arguments whose types have changed are worth trying here.
    fn check_types(&self, node: &Node, op: &Op, args: &[Use]) -> Option<()> {
        let Op::Call(symbol) = op else { return Some(()) };
        let types = &registry().by_symbol(symbol).types;
        let fit = |((old, new), need): ((&NodeId, &Use), &Ty)| {
            let (old, new) = (self.composer.ty(self.original[old.index()]), self.composer.ty(*new));
            old == new || fits(need, new)
        };
        node.args.iter().zip(args).zip(types).all(fit).then_some(())
    }

    fn build_replacement(&mut self, to: &Replacement<'_>) -> Option<Use> {
        match to {
            Replacement::Own(id) => self.original.get(id.index()).copied(),
            Replacement::Samples => Some(self.composer.samples()),
            Replacement::Constant(constant) => Some(self.composer.constant(constant)),
            Replacement::Literal(literal) => Some(self.composer.literal(literal)),
            Replacement::Prim(symbol) => Some(self.composer.prim(symbol)),
            Replacement::Call(symbol, args) => {
                let args = args.iter().map(|arg| self.build_replacement(arg)).collect::<Option<Args>>()?;
                self.composer.call(symbol, &args)
            }
            Replacement::Graft(program, id) => self.graft(program, *id),
        }
    }

    /// Copies a node of another program with everything it depends on.
    fn graft(&mut self, program: &Program, id: NodeId) -> Option<Use> {
        let mut copies: Vec<Option<Use>> = vec![None; id.index() + 1];
        for (place, _) in needed(program, id).iter().enumerate().filter(|(_, needed)| **needed) {
            copies[place] = Some(copy(self.composer, &program.nodes()[place], |arg| copies[arg.index()])?);
        }
        copies.pop()?
    }
}

/// Returns, for each node up to this one, whether this one depends on it.
pub(crate) fn needed(program: &Program, node: NodeId) -> Vec<bool> {
    let mut needed = vec![false; node.index() + 1];
    needed[node.index()] = true;
    // Arguments come before their calls, so one backward pass finds all.
    for id in (0..=node.index()).rev() {
        if needed[id] {
            program.nodes()[id].args.iter().for_each(|arg| needed[arg.index()] = true);
        }
    }
    needed
}

/// Copies a node whose arguments have been copied.
fn copy(composer: &mut Composer, node: &Node, arg: impl Fn(&NodeId) -> Option<Use>) -> Option<Use> {
    let mut args = node.args.iter().map(arg).collect::<Option<Args>>()?;
    composer.copy(node, &mut args)
}
