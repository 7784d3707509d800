//! One change to a program, made by building the program anew.

use batt_dsl::{Constant, Ty, registry};
use batt_lang::{Composer, Literal, NodeId, Op, Program, Use};
use batt_value::Symbol;

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

/// The changed program; `None` if it would be ill-typed, gives no grid or is too long.
pub(crate) fn edit(composer: &mut Composer, program: &Program, change: &Change<'_>) -> Option<Program> {
    composer.begin();
    let own = copies(composer, program)?;
    let mut edit = Edit { composer, own };
    let result = edit.apply(program, change)?;
    if !fits(&Ty::Grid, edit.composer.ty(result)) {
        return None;
    }
    let edited = composer.finish(program.name(), result);
    (edited.nodes().len() <= MAX_NODES).then_some(edited)
}

/// The nodes of a program, as they are.
fn copies(composer: &mut Composer, program: &Program) -> Option<Vec<Use>> {
    let mut copies: Vec<Use> = Vec::with_capacity(program.nodes().len());
    for node in program.nodes() {
        let args: Vec<Use> = node.args.iter().map(|arg| copies[arg.index()]).collect();
        copies.push(composer.copy(node, &args)?);
    }
    Some(copies)
}

struct Edit<'e> {
    composer: &'e mut Composer,
    /// The nodes of the program before the change.
    own: Vec<Use>,
}

impl Edit<'_> {
    /// The result of the program after the change.
    fn apply(&mut self, program: &Program, change: &Change<'_>) -> Option<Use> {
        // Each node anew where something below it has changed.
        let mut new: Vec<Option<Use>> = vec![None; self.own.len()];
        for (id, node) in program.iter() {
            let mut args: Vec<Use> =
                node.args.iter().map(|arg| new[arg.index()].unwrap_or(self.own[arg.index()])).collect();
            let mut touched = node.args.iter().any(|arg| new[arg.index()].is_some());
            let mut op = &node.op;
            match change {
                Change::Arg { node, place, to } if *node == id => {
                    *args.get_mut(*place)? = self.part(to)?;
                    touched = true;
                }
                Change::Node { node, to } if *node == id => {
                    new[id.index()] = Some(self.part(to)?);
                    continue;
                }
                Change::Op { node, op: other } if *node == id => {
                    op = other;
                    touched = true;
                }
                Change::Swap { node, places: (a, b) } if *node == id && args.len() > *a.max(b) => {
                    args.swap(*a, *b);
                    touched = true;
                }
                _ => {}
            }
            if touched {
                let others = node.args.iter().zip(&args).map(|(old, new)| (self.own[old.index()], *new));
                let others: Vec<(Use, Use)> = others.collect();
                self.suit(op, &others)?;
                // Arguments that stayed keep their names; a new one brings its own.
                let same_op = *op == node.op;
                let made =
                    if same_op { self.composer.copy(node, &args) } else { self.composer.node(op, &args) };
                new[id.index()] = Some(made?);
            }
        }
        new.pop().flatten()
    }

    /// Whether arguments whose types have changed, or all if the function has, are worth trying here.
    fn suit(&self, op: &Op, args: &[(Use, Use)]) -> Option<()> {
        let Op::Call(symbol) = op else { return Some(()) };
        let types = &registry().by_symbol(symbol).types;
        let suits = |((old, new), need): (&(Use, Use), &Ty)| {
            self.composer.ty(*old) == self.composer.ty(*new) || fits(need, self.composer.ty(*new))
        };
        args.iter().zip(types).all(suits).then_some(())
    }

    fn part(&mut self, to: &To<'_>) -> Option<Use> {
        match to {
            To::Own(id) => self.own.get(id.index()).copied(),
            To::Samples => Some(self.composer.samples()),
            To::Constant(constant) => Some(self.composer.constant(constant)),
            To::Literal(literal) => Some(self.composer.literal(literal)),
            To::Prim(symbol) => Some(self.composer.prim(symbol)),
            To::Call(symbol, args) => {
                let args = args.iter().map(|arg| self.part(arg)).collect::<Option<Vec<Use>>>()?;
                self.composer.call(symbol, &args)
            }
            To::Graft(program, id) => {
                // Only what the node needs is left in the end.
                let mut copies: Vec<Use> = Vec::with_capacity(id.index() + 1);
                for node in &program.nodes()[..=id.index()] {
                    let args: Vec<Use> = node.args.iter().map(|arg| copies[arg.index()]).collect();
                    copies.push(self.composer.copy(node, &args)?);
                }
                copies.pop()
            }
        }
    }
}
