//! Warnings about values whose types certainly do not fit.
//!
//! The type of a node is a promise about well-typed calls only, so it is certain where all arguments that it depends
//! on are certain and fit their parameters. Many primitives accept an empty container of anything, so a container that
//! may be empty is reported only to primitives that refuse it then too, or have no use for it.
//!
//! Only what the answer needs is looked at.

use batt_dsl::{Infer, Kinds, Primitive, Ty, registry};

use crate::check::{is_int, is_num, is_patch, is_piece};
use crate::ir::{Literal, Node, NodeId, Op, Program};
use crate::lexer::{Kind, Lexer, Token};
use crate::problem::{Problem, Problems, Span};

/// Primitives that fail on every set without tuples in it, also on the empty set.
const REFUSE: &[&str] = &[
    "adjacent",
    "bordering",
    "center",
    "cmirror",
    "col_row",
    "color",
    "dmirror",
    "gravitate",
    "hmirror",
    "inbox",
    "leftmost",
    "lowermost",
    "manhattan",
    "mir_rot",
    "mirrortile",
    "outbox",
    "position",
    "rightmost",
    "subgrid",
    "tile",
    "uppermost",
    "vmirror",
];

/// Primitives that take the members of a set apart, and so may take sets of two members for cells.
const UNPACK: &[&str] = &[
    "colorcount",
    "get_color_rank",
    "leastcolor",
    "mostcolor",
    "numcolors",
    "p_o",
    "paint",
    "palette",
    "underpaint",
];

/// Primitives that draw on a grid, and change nothing where there is nothing to draw.
const DRAW: &[&str] = &["cover", "fill", "move", "paint", "underfill", "underpaint"];

/// Primitives that give all objects of a grid.
const ALL_OBJECTS: &[&str] = &["fgpartition", "o_g", "o_g_t", "objects", "objects_t", "partition"];

/// Primitives that give no empty container if the first argument is not empty.
const KEEP_MEMBERS: &[&str] = &[
    "asindices",
    "asobject",
    "cmirror",
    "dmirror",
    "hmirror",
    "identity",
    "palette",
    "partition",
    "rot180",
    "rot270",
    "rot90",
    "totuple",
    "vmirror",
];

/// Longer arguments are not repeated in a remedy. Picked by feel.
const MAX_REPEATED: usize = 12;

/// Adds the warnings about a program of `text`.
pub(crate) fn lint(program: &Program, text: &str, problems: &mut Problems) {
    let n_before = problems.total();
    let mut certain: Vec<bool> = Vec::with_capacity(program.nodes().len());
    for (_, node) in program.iter() {
        let arg_certain = |arg: &NodeId| certain[arg.index()];
        let is_certain = match node.op {
            Op::Input | Op::Samples | Op::Const(_) => true,
            Op::Tuple => node.args.iter().all(arg_certain),
            Op::Prim(_) | Op::Apply => false,
            Op::Call(symbol) => {
                let call = Call { program, node, primitive: registry().by_symbol(symbol), certain: &certain };
                let n_problems = problems.total();
                call.mismatches(text, problems);
                problems.total() == n_problems && call.is_certain()
            }
        };
        certain.push(is_certain);
    }
    let result = program.node(program.result());
    let is_certain = certain[program.result().index()];
    // After a warning nothing follows from the kind alone.
    let of_other_kind = problems.total() == n_before && result.ty.kinds().disjoint(Kinds::TUPLE);
    if of_other_kind || (is_certain && !may_be_grid(&result.ty)) {
        let written = &text[result.span.range()];
        // A function without `return` has a warning already.
        if result.ty != Ty::None.into() || written == "None" {
            let problem = Problem::warning(result.span, format!("the answer is {}, not a grid", result.ty));
            problems.add(problem.label(grid_remedy(&result.ty)));
        }
    }
}

/// A call of a primitive, after all nodes that it depends on.
struct Call<'p> {
    program: &'p Program,
    node: &'p Node,
    primitive: &'static Primitive,
    certain: &'p [bool],
}

impl<'p> Call<'p> {
    /// The declared types of the parameters with the arguments for them.
    fn args(&self) -> impl Iterator<Item = (&'static Ty, NodeId, &'p Ty)> {
        let program = self.program;
        let types = self.primitive.types.iter().zip(self.node.args.iter());
        types.map(move |(declared, arg)| (declared, *arg, &*program.node(*arg).ty))
    }

    fn mismatches(&self, text: &str, problems: &mut Problems) {
        for (place, (declared, arg, ty)) in self.args().enumerate() {
            if !self.certain[arg.index()] || !clashes(declared, ty) {
                continue;
            }
            let Some(help) = self.consequence(arg) else { continue };
            let (name, param) = (self.primitive.name, self.primitive.params[place]);
            let span = argument(text, self.node.span, self.primitive, place).unwrap_or(self.node.span);
            let message = format!("`{name}` expects {declared} for `{param}`, not {ty}");
            let label = remedy(declared, ty, &text[span.range()]);
            problems.add(Problem {
                help: help.map(str::to_owned),
                ..Problem::warning(span, message).label(label)
            });
        }
    }

    /// What is certain about an argument of the wrong type, in words where it is not just failure; `None` if the call
    /// may be of use.
    fn consequence(&self, arg: NodeId) -> Option<Option<&'static str>> {
        let name = self.primitive.name;
        let source = self.program.node(arg);
        let of_all = source.primitive().is_some_and(|symbol| ALL_OBJECTS.contains(&symbol.name));
        if REFUSE.contains(&name) {
            Some(None)
        } else if DRAW.contains(&name) && of_all {
            Some(Some("the call fails, or has no effect if there are no objects"))
        } else {
            let filters = self.primitive.types.iter().any(has_func);
            let fails = !filters && !UNPACK.contains(&name) && kinds(&source.ty) == Kinds::SET;
            (fails && is_filled(self.program, arg)).then_some(None)
        }
    }

    /// Whether the type of the result is certain.
    fn is_certain(&self) -> bool {
        let same_as_first = match self.primitive.infer {
            Infer::Declared => false,
            Infer::SameAsFirst => true,
            Infer::BindFirst | Infer::BindLast => return false,
        };
        let data = || self.args().filter(|(declared, ..)| !has_func(declared));
        let fits_all = data().all(|(declared, arg, ty)| self.certain[arg.index()] && fits(declared, ty));
        let known = |letter: char| data().any(|(declared, ..)| has_var(declared, letter));
        let first = self.args().next().map_or(&Ty::Any, |(.., ty)| ty);
        let alike = || data().all(|(declared, _, ty)| !has_any_var(declared) || fits(first, ty));
        fits_all
            && !has_func(&self.primitive.result)
            && (if same_as_first { alike() } else { all_vars(&self.primitive.result, &known) })
    }
}

/// Whether a container certainly has members. Inputs have.
fn is_filled(program: &Program, mut id: NodeId) -> bool {
    loop {
        let node = program.node(id);
        match node.op {
            Op::Input => return true,
            Op::Call(symbol) if symbol.name == "initset" => return true,
            Op::Call(symbol)
                if KEEP_MEMBERS.contains(&symbol.name) || is_objects_with_background(program, node) =>
            {
                id = node.args[0];
            }
            _ => return false,
        }
    }
}

fn is_objects_with_background(program: &Program, node: &Node) -> bool {
    let is_false = |arg: &NodeId| program.node(*arg).op == Op::Const(Literal::Bool(false));
    node.primitive().is_some_and(|symbol| symbol.name == "objects") && node.args.get(3).is_some_and(is_false)
}

/// Whether every value of type `actual` is what a parameter promises to take.
fn fits(declared: &Ty, actual: &Ty) -> bool {
    match declared {
        Ty::Any | Ty::Var(_) => true,
        Ty::Bool | Ty::Int | Ty::Color | Ty::Rank | Ty::Choice4 | Ty::Choice8 => is_int(actual),
        Ty::Num => is_num(actual),
        Ty::Patch => is_patch(actual),
        Ty::Element => matches!(actual, Ty::Object | Ty::Grid | Ty::Element),
        Ty::Piece => is_piece(actual),
        Ty::Tuple(of) => kinds(actual) == Kinds::TUPLE && fits(of, actual.member()),
        Ty::Set(of) => kinds(actual) == Kinds::SET && fits(of, actual.member()),
        Ty::Container(of) => {
            kinds(actual).disjoint(Kinds::NONE | Kinds::INT | Kinds::FUNC) && fits(of, actual.member())
        }
        Ty::Func(..) => false,
        plain => plain == actual,
    }
}

/// Whether no value of type `actual` is what a parameter takes, empty containers aside. Differences of
/// [kind](Ty::kinds) are found by the resolver.
fn clashes(declared: &Ty, actual: &Ty) -> bool {
    match declared {
        // A place or a cell is a tuple.
        Ty::Indices | Ty::Object | Ty::Patch => kinds(actual.member()).disjoint(Kinds::TUPLE),
        // A tuple is taken for a grid.
        Ty::Element | Ty::Piece => {
            kinds(actual) == Kinds::SET && kinds(actual.member()).disjoint(Kinds::TUPLE)
        }
        Ty::Tuple(of) | Ty::Set(of) | Ty::Container(of) => {
            let containers = Kinds::TUPLE | Kinds::SET;
            let is_container = !containers.disjoint(of.kinds()) && of.kinds() != Kinds::ALL;
            is_container && (containers.disjoint(kinds(actual.member())) || clashes(of, actual.member()))
        }
        _ => false,
    }
}

/// Whether a value of a certain type can be a grid: a tuple of tuples of integers.
fn may_be_grid(ty: &Ty) -> bool {
    let may_be = |ty: &Ty, kind: Kinds| !kinds(ty).disjoint(kind);
    let (row, cell) = (ty.member(), ty.member().member());
    let scalar = matches!(ty, Ty::Cell | Ty::Samples);
    !scalar && may_be(ty, Kinds::TUPLE) && may_be(row, Kinds::TUPLE) && may_be(cell, Kinds::INT)
}

/// The kinds of the values of a certain type. A parameter takes more: a tuple of cells serves as an object.
fn kinds(ty: &Ty) -> Kinds {
    if is_patch(ty) { Kinds::SET } else { ty.kinds() }
}

fn has_func(ty: &Ty) -> bool {
    match ty {
        Ty::Func(..) => true,
        Ty::Tuple(of) | Ty::Set(of) | Ty::Container(of) => has_func(of),
        _ => false,
    }
}

fn has_var(ty: &Ty, letter: char) -> bool {
    !all_vars(ty, &|other| other != letter)
}

fn has_any_var(ty: &Ty) -> bool {
    !all_vars(ty, &|_| false)
}

/// Whether something holds for all variables of a type without functions.
fn all_vars(ty: &Ty, holds: &dyn Fn(char) -> bool) -> bool {
    match ty {
        Ty::Var(letter) => holds(*letter),
        Ty::Tuple(of) | Ty::Set(of) | Ty::Container(of) => all_vars(of, holds),
        _ => true,
    }
}

/// How to make what is expected; empty where nothing is obvious.
fn remedy(declared: &Ty, actual: &Ty, arg: &str) -> String {
    let arg = if arg.len() <= MAX_REPEATED { arg } else { "…" };
    let of_piece = matches!(actual, Ty::Tuple(of) | Ty::Set(of) | Ty::Container(of) if is_piece(of));
    match declared {
        Ty::Indices | Ty::Object | Ty::Patch | Ty::Element | Ty::Piece if of_piece => {
            format!("use `merge({arg})` for all of them, `first({arg})` for one")
        }
        Ty::Container(_) | Ty::Set(_) if *actual == Ty::Object => format!("use `initset({arg})`"),
        _ => String::new(),
    }
}

/// How to make a grid.
fn grid_remedy(ty: &Ty) -> &'static str {
    let member = ty.member();
    match ty {
        Ty::Indices => "`fill(I, color, indices)` draws it on the input",
        Ty::Object | Ty::Patch => {
            "`paint(I, object)` draws it on the input, `subgrid(object, I)` cuts it out"
        }
        Ty::Func(..) => "call it",
        ty if is_int(ty) => "`canvas(color, UNITY)` makes a grid of one cell",
        Ty::Set(_) | Ty::Tuple(_) | Ty::Container(_) if is_patch(member) => {
            "`paint(I, merge(objects))` draws them on the input, `first` takes one"
        }
        Ty::Tuple(_) if *member == Ty::Grid => "`first` takes one of them, `hconcat` and `vconcat` join them",
        _ => "",
    }
}

/// Where the argument for a parameter is written in a call.
fn argument(text: &str, call: Span, primitive: &Primitive, place: usize) -> Option<Span> {
    let start = Token { kind: Kind::Name, first: false, line: 1, span: call };
    let mut lexer = Lexer::between(text, start, call.end);
    let (mut depth, mut args, mut arg) = (0, Vec::new(), Vec::new());
    loop {
        let token = lexer.next();
        let (opens, closes) = match token.kind {
            Kind::End => break,
            Kind::LParen => (true, false),
            Kind::RParen => (false, true),
            _ => (false, false),
        };
        match depth {
            // The arguments are in the last brackets.
            0 if opens => args.clear(),
            1 if closes || token.kind == Kind::Comma => args.push(std::mem::take(&mut arg)),
            0 => {}
            _ => arg.push(token),
        }
        depth = depth + usize::from(opens) - usize::from(closes);
    }
    args.iter().enumerate().find_map(|(index, arg): (usize, &Vec<Token>)| {
        let (slot, value) = match arg[..] {
            [name, Token { kind: Kind::Assign, .. }, ref value @ ..] => {
                (primitive.param(&text[name.span.range()]), value)
            }
            ref value => (Some(index), value),
        };
        let (first, last) = (value.first()?, value.last()?);
        (slot == Some(place)).then(|| first.span.to(last.span))
    })
}
