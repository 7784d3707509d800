//! Mutations: small random changes to a program, each by a named operator.

use batt_base::Rng;
use batt_dsl::{Constant, ConstantFamily, ConstantValue, Ty, registry, symbol};
use batt_lang::{Composer, Literal, Node, NodeId, Op, Program};
use batt_task::{Grid, Task};
use batt_value::Symbol;
use rustc_hash::FxHashMap;

use super::edit::{Change, Editor, Replacement, needed};
use super::fits::fits;
use super::material::{constants_of, family_of, material};

/// A kind of mutation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Operator {
    /// A constant becomes another of its family.
    Constant,
    /// A colour becomes one that occurs in the demonstration pairs.
    Color,
    /// A number becomes the result of a function of the demonstration pairs, such as a colour that appears or
    /// disappears, or how the picture is turned.
    Derive,
    /// A primitive, called or passed as a value, becomes another with compatible types.
    Function,
    /// An argument becomes another value of the program, a constant or a primitive.
    Argument,
    /// Two arguments are exchanged.
    Swap,
    /// A value becomes the result of a line of another program.
    Graft,
    /// A call is put around a value.
    Insert,
    /// A call is replaced by one of the values that it depends on.
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

    /// Returns the name in lineages.
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

    /// Returns how often it is drawn, in percent. Operators with more possible changes have larger weights.
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

    /// Draws an operator by weight.
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

/// Material for mutations besides the parent itself.
#[derive(Clone, Copy)]
pub struct Sources<'s> {
    /// Programs to graft from.
    pub donors: &'s [Program],
    /// The colours of the demonstration pairs.
    pub palette: &'s [i64],
}

/// Returns the colours of the demonstration pairs in ascending order.
pub fn palette(task: &Task) -> Vec<i64> {
    let grids = task.train.iter().flat_map(|pair| std::iter::once(&pair.input).chain(&pair.output));
    let occurs = |color: &i64| grids.clone().any(|grid: &Grid| grid.cells().contains(&(*color as i8)));
    (0..10).filter(occurs).collect()
}

/// Makes mutants. All of them type-check.
#[derive(Default)]
pub struct Mutator {
    composer: Composer,
    wrappers: Wrappers,
}

/// A cache of [`Material::wrappers`](super::material::Material::wrappers) by type.
///
/// PERF: looking through all primitives each time took a tenth of the time of breeding.
#[derive(Default)]
struct Wrappers(FxHashMap<Ty, Vec<(&'static Symbol, usize)>>);

impl Wrappers {
    /// The most types in the cache. Real programs have few types, but nothing limits them.
    const MAX: usize = 1 << 12;

    fn get(&mut self, ty: &Ty) -> &[(&'static Symbol, usize)] {
        if self.0.len() > Wrappers::MAX {
            self.0.clear();
        }
        if !self.0.contains_key(ty) {
            self.0.insert(ty.clone(), material().wrappers(ty));
        }
        &self.0[ty]
    }
}

/// One mutant in this many is changed twice, to get past programs that no single change improves.
const CHANGED_TWICE: usize = 5;

impl Mutator {
    /// Prepares a program for mutation. Returns `None` if it is ill-typed.
    pub fn parent<'m>(&'m mut self, parent: &'m Program) -> Option<Parent<'m>> {
        let Mutator { composer, wrappers } = self;
        Some(Parent { program: parent, editor: Editor::new(composer, parent)?, wrappers })
    }
}

/// A program from which mutants are made.
pub struct Parent<'m> {
    program: &'m Program,
    editor: Editor<'m>,
    wrappers: &'m mut Wrappers,
}

impl Parent<'_> {
    /// Returns a random mutant and its operators, or `None` if the drawn change is impossible.
    pub fn mutate(&mut self, sources: Sources<'_>, rng: &mut Rng) -> Option<(Program, Vec<Operator>)> {
        let first = Operator::draw(rng);
        let mutant = self.apply(first, sources, rng)?;
        if rng.below(CHANGED_TWICE) > 0 {
            return Some((mutant, vec![first]));
        }
        let second = Operator::draw(rng);
        let change = Draw { parent: &mutant, sources, rng }.change(second, self.wrappers);
        match change.and_then(|change| self.editor.continue_from(&mutant).edit(&change)) {
            Some(mutant) => Some((mutant, vec![first, second])),
            None => Some((mutant, vec![first])),
        }
    }

    /// Returns a random mutant by one operator, or `None` if the drawn change is impossible.
    pub fn apply(&mut self, operator: Operator, sources: Sources<'_>, rng: &mut Rng) -> Option<Program> {
        let change = Draw { parent: self.program, sources, rng }.change(operator, self.wrappers)?;
        self.editor.edit(&change)
    }
}

/// Draws random changes to a program.
struct Draw<'d, 's> {
    parent: &'d Program,
    sources: Sources<'s>,
    rng: &'d mut Rng,
}

/// One use of a constant.
struct Site<'d> {
    user: &'d Node,
    /// The id of the user.
    node: NodeId,
    /// The position of the argument.
    place: usize,
    /// The id of the constant.
    arg: NodeId,
    literal: &'d Literal,
}

impl Site<'_> {
    /// Returns the expected type.
    fn need(&self) -> &'static Ty {
        need(self.user, self.place)
    }

    /// Returns the constants that may replace it.
    fn family(&self) -> &'static [&'static Constant] {
        family_of(self.user.named_constant(self.place), self.need(), self.literal)
    }
}

impl<'d, 's> Draw<'d, 's> {
    fn change(&mut self, operator: Operator, wrappers: &mut Wrappers) -> Option<Change<'s>> {
        match operator {
            Operator::Constant => self.constant(),
            Operator::Color => self.color(),
            Operator::Derive => self.derive(),
            Operator::Function => self.function(),
            Operator::Argument => self.argument(),
            Operator::Swap => self.swap(),
            Operator::Graft => self.graft(),
            Operator::Insert => self.insert(wrappers),
            Operator::Delete => self.delete(),
        }
    }

    /// Returns the index of a random item.
    fn pick<T>(&mut self, items: &[T]) -> Option<usize> {
        (!items.is_empty()).then(|| self.rng.below(items.len()))
    }

    /// Returns a random item; all are equally likely. PERF: iterating twice is cheaper than collecting.
    fn one_of<I: IntoIterator + Clone>(&mut self, items: I) -> Option<I::Item> {
        match items.clone().into_iter().count() {
            0 => None,
            n => items.into_iter().nth(self.rng.below(n)),
        }
    }

    /// Returns a random node.
    fn node(&mut self) -> NodeId {
        NodeId(self.rng.below(self.parent.nodes().len()) as u32)
    }

    fn calls(&self) -> impl Iterator<Item = (NodeId, &'d Node)> + Clone + use<'d> {
        self.parent.iter().filter(|(_, node)| node.is_call())
    }

    /// Returns all arguments of all nodes, each with its user and position.
    fn uses(&self) -> impl Iterator<Item = (NodeId, &'d Node, usize, NodeId)> + Clone + use<'d> {
        self.parent.iter().flat_map(|(id, node)| {
            node.args.iter().enumerate().map(move |(place, arg)| (id, node, place, *arg))
        })
    }

    /// Returns all uses of constants.
    fn sites(&self) -> impl Iterator<Item = Site<'d>> + Clone + use<'d> {
        let parent = self.parent;
        self.uses().filter_map(move |(node, user, place, arg)| match &parent.node(arg).op {
            Op::Const(literal) => Some(Site { user, node, place, arg, literal }),
            _ => None,
        })
    }

    /// Replaces a constant in one use or, one time in four, in all.
    fn replace_constant(&mut self, site: &Site<'_>, to: Replacement<'s>) -> Change<'s> {
        match self.rng.below(4) {
            0 => Change::Node { node: site.arg, to },
            _ => Change::Arg { node: site.node, place: site.place, to },
        }
    }

    fn constant(&mut self) -> Option<Change<'s>> {
        let site = self.one_of(self.sites())?;
        let others = site.family().iter().filter(|it| !site.literal.is(it.value));
        let to = match (self.one_of(others), site.literal) {
            // A number outside the small named ones becomes one of its neighbours.
            (_, Literal::Int(int)) if !(-2..=10).contains(int) => {
                Replacement::Literal(Literal::Int(int.saturating_add([-1, 1][self.rng.below(2)])))
            }
            (Some(other), _) => Replacement::Constant(other),
            (None, Literal::Tuple(items)) => Replacement::Literal(self.change_member(items)?),
            (None, _) => return None,
        };
        Some(self.replace_constant(&site, to))
    }

    /// Returns a constant tuple with one member changed.
    fn change_member(&mut self, items: &[Literal]) -> Option<Literal> {
        let place = self.pick(items)?;
        let mut items = items.to_vec();
        items[place] = match &items[place] {
            Literal::Bool(bool) => Literal::Bool(!bool),
            Literal::Int(_) => Literal::Int(self.rng.below(10) as i64),
            Literal::Tuple(inner) => self.change_member(&inner.clone())?,
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
        let to = Replacement::Constant(self.one_of(others)?);
        Some(self.replace_constant(&site, to))
    }

    fn derive(&mut self) -> Option<Change<'s>> {
        let number = |site: &Site<'_>| {
            matches!(site.literal, Literal::Int(_))
                && [Ty::Color, Ty::Choice8, Ty::Choice4].iter().any(|ty| fits(site.need(), ty))
        };
        let site = self.one_of(self.sites().filter(number))?;
        let to = if matches!(site.need(), Ty::Choice4 | Ty::Choice8) {
            Replacement::Call(symbol("a_mr")?, vec![Replacement::Samples])
        } else {
            let which = symbol(["c_iz_n", "c_zo_n"][self.rng.below(2)])?;
            let colors = symbol(["p_g", "palette"][self.rng.below(2)])?;
            let pick = symbol(["first", "last"][self.rng.below(2)])?;
            Replacement::Call(
                which,
                vec![Replacement::Samples, Replacement::Prim(colors), Replacement::Prim(pick)],
            )
        };
        Some(self.replace_constant(&site, to))
    }

    fn function(&mut self) -> Option<Change<'s>> {
        let primitive = |(id, node): (NodeId, &Node)| match node.op {
            Op::Call(symbol) | Op::Prim(symbol) => Some((id, symbol)),
            _ => None,
        };
        let (node, symbol) = self.one_of(self.parent.iter().filter_map(primitive))?;
        let other = *self.one_of(material().alternatives(symbol))?;
        Some(match self.parent.node(node).op {
            Op::Call(_) => Change::Op { node, op: Op::Call(other) },
            // A primitive that is passed several times may change in one use only.
            _ => match self.use_of(node) {
                Some((user, place)) if self.rng.below(2) == 0 => {
                    Change::Arg { node: user, place, to: Replacement::Prim(other) }
                }
                _ => Change::Node { node, to: Replacement::Prim(other) },
            },
        })
    }

    /// Returns a random use of a node as an argument: the user and the position.
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
        /// The number of random lines to try.
        const TRIES: usize = 6;
        let node = self.node();
        let ty = &self.parent.node(node).ty;
        let donors = self.sources.donors;
        for _ in 0..TRIES {
            let donor = &donors[self.pick(donors)?];
            let line = NodeId(self.rng.below(donor.nodes().len()) as u32);
            let given = donor.node(line);
            if given.op.is_computed() && fits(ty, &given.ty) {
                return Some(self.replace_node(node, Replacement::Graft(donor, line)));
            }
        }
        None
    }

    fn insert(&mut self, wrappers: &mut Wrappers) -> Option<Change<'s>> {
        let node = self.node();
        let (symbol, own) = *self.one_of(wrappers.get(&self.parent.node(node).ty))?;
        let types = &registry().by_symbol(symbol).types;
        let arg = |(place, need): (usize, &Ty)| match place == own {
            true => Some(Replacement::Own(node)),
            false => self.value(need, None),
        };
        let args = types.iter().enumerate().map(arg).collect::<Option<Vec<_>>>()?;
        Some(self.replace_node(node, Replacement::Call(symbol, args)))
    }

    fn delete(&mut self) -> Option<Change<'s>> {
        let (node, call) = self.one_of(self.calls())?;
        let needed = needed(self.parent, node);
        let below = self.parent.iter().zip(&needed).take(node.index()).filter(|(_, needed)| **needed);
        let same = below.filter(|((_, other), _)| fits(&call.ty, &other.ty));
        let ((other, _), _) = self.one_of(same)?;
        Some(Change::Node { node, to: Replacement::Own(other) })
    }

    /// Replaces a node in all its uses or in one of them.
    fn replace_node(&mut self, node: NodeId, to: Replacement<'s>) -> Change<'s> {
        match self.use_of(node) {
            Some((user, place)) if self.rng.below(2) == 0 => Change::Arg { node: user, place, to },
            _ => Change::Node { node, to },
        }
    }

    /// Returns a random value of this type, except `excluded`: a value of the program, a constant or a
    /// primitive.
    fn value(&mut self, need: &Ty, excluded: Option<NodeId>) -> Option<Replacement<'s>> {
        let constants = constants_of(need);
        if !constants.is_empty() && self.rng.below(2) == 0 {
            return self.one_of(constants).copied().map(Replacement::Constant);
        }
        if matches!(need, Ty::Func(..)) && self.rng.below(2) == 0 {
            return self.one_of(material().functions(need)).copied().map(Replacement::Prim);
        }
        let own = self.parent.iter().filter(|(id, node)| Some(*id) != excluded && fits(need, &node.ty));
        match self.one_of(own) {
            Some((id, _)) => Some(Replacement::Own(id)),
            None => self.one_of(constants).copied().map(Replacement::Constant),
        }
    }
}

/// Returns the type that a node expects as an argument.
fn need(node: &Node, place: usize) -> &'static Ty {
    let declared = node.primitive().and_then(|symbol| registry().by_symbol(symbol).types.get(place));
    declared.unwrap_or(&Ty::Any)
}
