//! Mutations: small changes to a program, each with a name.

use batt_base::Rng;
use batt_dsl::{Constant, ConstantFamily, ConstantValue, Ty, registry, symbol};
use batt_lang::{Composer, Literal, Node, NodeId, Op, Program};
use batt_task::{Grid, Task};
use batt_value::Symbol;
use rustc_hash::FxHashMap;

use super::edit::{Change, Editor, To, needed};
use super::fits::fits;
use super::material::{constants_of, family_of, material};

/// A kind of change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Operator {
    /// A constant becomes another of its family.
    Constant,
    /// A colour becomes one that occurs in the demonstration pairs.
    Color,
    /// A number becomes what a function of the demonstration pairs says: a colour that appears or disappears, how the
    /// picture is turned.
    Derive,
    /// A function becomes another that takes and gives the like.
    Function,
    /// An argument becomes another value of the program, or a constant.
    Argument,
    /// Two arguments change places.
    Swap,
    /// A value becomes what a line of another program computes.
    Graft,
    /// A call is put around a value.
    Insert,
    /// A call goes; one of the values it was made from takes its place.
    Delete,
}

impl Operator {
    pub const ALL: [Operator; 9] = [
        Operator::Constant,
        Operator::Color,
        Operator::Derive,
        Operator::Function,
        Operator::Argument,
        Operator::Swap,
        Operator::Graft,
        Operator::Insert,
        Operator::Delete,
    ];

    /// As lineages have it.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Constant => "constant",
            Operator::Color => "colour",
            Operator::Derive => "derive",
            Operator::Function => "function",
            Operator::Argument => "argument",
            Operator::Swap => "swap",
            Operator::Graft => "graft",
            Operator::Insert => "insert",
            Operator::Delete => "delete",
        }
    }

    /// How often it is drawn, of a hundred. What has the most ways to go gets the most tries.
    fn weight(self) -> usize {
        match self {
            Operator::Constant => 15,
            Operator::Color => 7,
            Operator::Derive => 2,
            Operator::Function => 26,
            Operator::Argument => 16,
            Operator::Swap => 4,
            Operator::Graft => 10,
            Operator::Insert => 13,
            Operator::Delete => 7,
        }
    }

    fn draw(rng: &mut Rng) -> Operator {
        let mut left = rng.below(Operator::ALL.iter().map(|operator| operator.weight()).sum());
        for operator in Operator::ALL {
            match left.checked_sub(operator.weight()) {
                Some(rest) => left = rest,
                None => return operator,
            }
        }
        Operator::Function
    }
}

/// What may be taken from elsewhere.
#[derive(Clone, Copy)]
pub struct Sources<'s> {
    /// Programs to graft from.
    pub donors: &'s [Program],
    /// The colours of the demonstration pairs.
    pub palette: &'s [i64],
}

/// The colours of the demonstration pairs, ascending.
pub fn palette(task: &Task) -> Vec<i64> {
    let grids = task.train.iter().flat_map(|pair| std::iter::once(&pair.input).chain(&pair.output));
    let occurs = |color: &i64| grids.clone().any(|grid: &Grid| grid.cells().contains(&(*color as i8)));
    (0..10).filter(occurs).collect()
}

/// Makes mutants. All of them type-check.
#[derive(Default)]
pub struct Mutator {
    composer: Composer,
    wraps: Wraps,
}

/// For each type what can be put around it. PERF: to go through all primitives took a tenth of the time of breeding.
#[derive(Default)]
struct Wraps(FxHashMap<Ty, Vec<(&'static Symbol, usize)>>);

impl Wraps {
    /// Types are few, but programs may be anything.
    const MAX: usize = 1 << 12;

    fn of(&mut self, ty: &Ty) -> &[(&'static Symbol, usize)] {
        if self.0.len() > Wraps::MAX {
            self.0.clear();
        }
        if !self.0.contains_key(ty) {
            self.0.insert(ty.clone(), material().around(ty));
        }
        &self.0[ty]
    }
}

/// One in so many mutants is changed twice, which gets over valleys that one change cannot cross.
const TWICE: usize = 5;

impl Mutator {
    /// A program to make mutants of; `None` if it is ill-typed itself.
    pub fn of<'m>(&'m mut self, parent: &'m Program) -> Option<Parent<'m>> {
        let Mutator { composer, wraps } = self;
        Some(Parent { program: parent, editor: Editor::new(composer, parent)?, wraps })
    }
}

/// What mutants are made of.
pub struct Parent<'m> {
    program: &'m Program,
    editor: Editor<'m>,
    wraps: &'m mut Wraps,
}

impl Parent<'_> {
    /// A mutant, and how it was made; `None` where the draw leads nowhere.
    pub fn mutate(&mut self, sources: Sources<'_>, rng: &mut Rng) -> Option<(Program, Vec<Operator>)> {
        let first = Operator::draw(rng);
        let mutant = self.apply(first, sources, rng)?;
        if rng.below(TWICE) > 0 {
            return Some((mutant, vec![first]));
        }
        let second = Operator::draw(rng);
        let change = Draw { parent: &mutant, sources, rng }.change(second, self.wraps);
        match change.and_then(|change| self.editor.again(&mutant).edit(&change)) {
            Some(mutant) => Some((mutant, vec![first, second])),
            None => Some((mutant, vec![first])),
        }
    }

    /// A mutant by one operator; `None` where the draw leads nowhere.
    pub fn apply(&mut self, operator: Operator, sources: Sources<'_>, rng: &mut Rng) -> Option<Program> {
        let change = Draw { parent: self.program, sources, rng }.change(operator, self.wraps)?;
        self.editor.edit(&change)
    }
}

/// Draws a change.
struct Draw<'d, 's> {
    parent: &'d Program,
    sources: Sources<'s>,
    rng: &'d mut Rng,
}

/// Where a constant is used.
struct Site<'d> {
    user: &'d Node,
    node: NodeId,
    place: usize,
    arg: NodeId,
    literal: &'d Literal,
}

impl Site<'_> {
    fn need(&self) -> &'static Ty {
        need(self.user, self.place)
    }

    fn family(&self) -> &'static [&'static Constant] {
        family_of(self.user.named_constant(self.place), self.need(), self.literal)
    }
}

impl<'d, 's> Draw<'d, 's> {
    fn change(&mut self, operator: Operator, wraps: &mut Wraps) -> Option<Change<'s>> {
        match operator {
            Operator::Constant => self.constant(),
            Operator::Color => self.color(),
            Operator::Derive => self.derive(),
            Operator::Function => self.function(),
            Operator::Argument => self.argument(),
            Operator::Swap => self.swap(),
            Operator::Graft => self.graft(),
            Operator::Insert => self.insert(wraps),
            Operator::Delete => self.delete(),
        }
    }

    fn pick<T>(&mut self, items: &[T]) -> Option<usize> {
        (!items.is_empty()).then(|| self.rng.below(items.len()))
    }

    /// One of the items, each as likely as any. PERF: to go through them twice is cheaper than to collect them.
    fn one_of<I: IntoIterator + Clone>(&mut self, items: I) -> Option<I::Item> {
        match items.clone().into_iter().count() {
            0 => None,
            n => items.into_iter().nth(self.rng.below(n)),
        }
    }

    fn node(&mut self) -> NodeId {
        NodeId(self.rng.below(self.parent.nodes().len()) as u32)
    }

    fn calls(&self) -> impl Iterator<Item = (NodeId, &'d Node)> + Clone + use<'d> {
        self.parent.iter().filter(|(_, node)| node.is_call())
    }

    /// All places of all nodes, and what stands there.
    fn uses(&self) -> impl Iterator<Item = (NodeId, &'d Node, usize, NodeId)> + Clone + use<'d> {
        self.parent.iter().flat_map(|(id, node)| {
            node.args.iter().enumerate().map(move |(place, arg)| (id, node, place, *arg))
        })
    }

    /// The places at which constants are used.
    fn sites(&self) -> impl Iterator<Item = Site<'d>> + Clone + use<'d> {
        let parent = self.parent;
        self.uses().filter_map(move |(node, user, place, arg)| match &parent.node(arg).op {
            Op::Const(literal) => Some(Site { user, node, place, arg, literal }),
            _ => None,
        })
    }

    /// A new value for one use of a constant or, one time in four, for all.
    fn at(&mut self, site: &Site<'_>, to: To<'s>) -> Change<'s> {
        match self.rng.below(4) {
            0 => Change::Node { node: site.arg, to },
            _ => Change::Arg { node: site.node, place: site.place, to },
        }
    }

    fn constant(&mut self) -> Option<Change<'s>> {
        let site = self.one_of(self.sites())?;
        let others = site.family().iter().filter(|it| !site.literal.is(it.value));
        let to = match (self.one_of(others), site.literal) {
            // A number that has no name among the small ones has its neighbours.
            (_, Literal::Int(int)) if !(-2..=10).contains(int) => {
                To::Literal(Literal::Int(int.saturating_add([-1, 1][self.rng.below(2)])))
            }
            (Some(other), _) => To::Constant(other),
            (None, Literal::Tuple(items)) => To::Literal(self.other_member(items)?),
            (None, _) => return None,
        };
        Some(self.at(&site, to))
    }

    /// A constant tuple with another number somewhere.
    fn other_member(&mut self, items: &[Literal]) -> Option<Literal> {
        let place = self.pick(items)?;
        let mut items = items.to_vec();
        items[place] = match &items[place] {
            Literal::Bool(bool) => Literal::Bool(!bool),
            Literal::Int(_) => Literal::Int(self.rng.below(10) as i64),
            Literal::Tuple(inner) => self.other_member(&inner.clone())?,
            Literal::None => return None,
        };
        Some(Literal::Tuple(items.into()))
    }

    fn color(&mut self) -> Option<Change<'s>> {
        let is_color = |site: &Site<'_>| {
            site.family().first().is_some_and(|first| first.family == ConstantFamily::Color)
        };
        let site = self.one_of(self.sites().filter(is_color))?;
        let palette = self.sources.palette;
        let occurs =
            |it: &&&Constant| matches!(it.value, ConstantValue::Int(color) if palette.contains(&color));
        let others = constants_of(&Ty::Color).iter().filter(occurs).filter(|it| !site.literal.is(it.value));
        let to = To::Constant(self.one_of(others)?);
        Some(self.at(&site, to))
    }

    fn derive(&mut self) -> Option<Change<'s>> {
        let number = |site: &Site<'_>| {
            matches!(site.literal, Literal::Int(_))
                && [Ty::Color, Ty::Choice8, Ty::Choice4].iter().any(|ty| fits(site.need(), ty))
        };
        let site = self.one_of(self.sites().filter(number))?;
        let to = if matches!(site.need(), Ty::Choice4 | Ty::Choice8) {
            To::Call(symbol("a_mr")?, vec![To::Samples])
        } else {
            let which = symbol(["c_iz_n", "c_zo_n"][self.rng.below(2)])?;
            let colors = symbol(["p_g", "palette"][self.rng.below(2)])?;
            let pick = symbol(["first", "last"][self.rng.below(2)])?;
            To::Call(which, vec![To::Samples, To::Prim(colors), To::Prim(pick)])
        };
        Some(self.at(&site, to))
    }

    fn function(&mut self) -> Option<Change<'s>> {
        let named = |(id, node): (NodeId, &Node)| match node.op {
            Op::Call(symbol) | Op::Prim(symbol) => Some((id, symbol)),
            _ => None,
        };
        let (node, symbol) = self.one_of(self.parent.iter().filter_map(named))?;
        let other = *self.one_of(material().alternatives(symbol))?;
        Some(match self.parent.node(node).op {
            Op::Call(_) => Change::Op { node, op: Op::Call(other) },
            // A primitive that is handed over several times may change in one place only.
            _ => match self.use_of(node) {
                Some((user, place)) if self.rng.below(2) == 0 => {
                    Change::Arg { node: user, place, to: To::Prim(other) }
                }
                _ => Change::Node { node, to: To::Prim(other) },
            },
        })
    }

    /// One of the places where a node is an argument.
    fn use_of(&mut self, node: NodeId) -> Option<(NodeId, usize)> {
        let (user, _, place, _) = self.one_of(self.uses().filter(|(.., arg)| *arg == node))?;
        Some((user, place))
    }

    fn argument(&mut self) -> Option<Change<'s>> {
        let (node, call) = self.one_of(self.calls())?;
        let place = self.pick(&call.args)?;
        let to = self.value(need(call, place), Some(call.args[place]))?;
        Some(Change::Arg { node, place, to })
    }

    fn swap(&mut self) -> Option<Change<'s>> {
        let (node, call) = self.one_of(self.calls().filter(|(_, call)| call.args.len() > 1))?;
        let n = call.args.len();
        let first = self.rng.below(n);
        let second = (first + 1 + self.rng.below(n - 1)) % n;
        Some(Change::Swap { node, places: (first, second) })
    }

    fn graft(&mut self) -> Option<Change<'s>> {
        /// Draws from the donors before giving up.
        const TRIES: usize = 6;
        let node = self.node();
        let ty = &self.parent.node(node).ty;
        let donors = self.sources.donors;
        for _ in 0..TRIES {
            let donor = &donors[self.pick(donors)?];
            let line = NodeId(self.rng.below(donor.nodes().len()) as u32);
            let given = donor.node(line);
            if given.op.is_computed() && fits(ty, &given.ty) {
                return Some(self.instead(node, To::Graft(donor, line)));
            }
        }
        None
    }

    fn insert(&mut self, wraps: &mut Wraps) -> Option<Change<'s>> {
        let node = self.node();
        let (symbol, own) = *self.one_of(wraps.of(&self.parent.node(node).ty))?;
        let types = &registry().by_symbol(symbol).types;
        let arg = |(place, need): (usize, &Ty)| match place == own {
            true => Some(To::Own(node)),
            false => self.value(need, None),
        };
        let args = types.iter().enumerate().map(arg).collect::<Option<Vec<_>>>()?;
        Some(self.instead(node, To::Call(symbol, args)))
    }

    fn delete(&mut self) -> Option<Change<'s>> {
        let (node, call) = self.one_of(self.calls())?;
        let needed = needed(self.parent, node);
        let below = self.parent.iter().zip(&needed).take(node.index()).filter(|(_, needed)| **needed);
        let same = below.filter(|((_, other), _)| fits(&call.ty, &other.ty));
        let ((other, _), _) = self.one_of(same)?;
        Some(Change::Node { node, to: To::Own(other) })
    }

    /// Instead of a node everywhere, or in one of its uses.
    fn instead(&mut self, node: NodeId, to: To<'s>) -> Change<'s> {
        match self.use_of(node) {
            Some((user, place)) if self.rng.below(2) == 0 => Change::Arg { node: user, place, to },
            _ => Change::Node { node, to },
        }
    }

    /// Something for a place where this type is wanted: a value of the program, a constant or a primitive.
    fn value(&mut self, need: &Ty, but: Option<NodeId>) -> Option<To<'s>> {
        let constants = constants_of(need);
        if !constants.is_empty() && self.rng.below(2) == 0 {
            return self.one_of(constants).copied().map(To::Constant);
        }
        if matches!(need, Ty::Func(..)) && self.rng.below(2) == 0 {
            return self.one_of(material().functions(need)).copied().map(To::Prim);
        }
        let own = self.parent.iter().filter(|(id, node)| Some(*id) != but && fits(need, &node.ty));
        match self.one_of(own) {
            Some((id, _)) => Some(To::Own(id)),
            None => self.one_of(constants).copied().map(To::Constant),
        }
    }
}

/// The type that a node wants as an argument.
fn need(node: &Node, place: usize) -> &'static Ty {
    let declared = node.primitive().and_then(|symbol| registry().by_symbol(symbol).types.get(place));
    declared.unwrap_or(&Ty::Any)
}
