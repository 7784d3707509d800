//! Warnings about values whose types certainly do not fit.
//!
//! Declared types hold for well-typed calls only, so the type of a node is certain if all arguments that it
//! depends on are certain and fit their parameters. Many primitives accept an empty container of anything. A
//! container that may be empty is therefore reported only as an argument of primitives that fail on it even
//! then, or do nothing with it.
//!
//! Only nodes that the result needs are checked.

use batt_dsl::{Infer, Kinds, Primitive, Ty, registry};

use crate::check::{is_int, is_num, is_patch, is_piece};
use crate::ir::{Literal, Node, NodeId, Op, Program};
use crate::lexer::{Kind, Lexer, Token};
use crate::problem::{Problem, Problems, Span};

/// Primitives that fail on every set without tuples in it, including the empty set.
const REJECT_SETS: &[&str] = &[
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

/// Primitives that unpack the members of a set, and therefore may accept sets of two members as cells.
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

/// Primitives that draw on a grid, and change nothing if there is nothing to draw.
const DRAW: &[&str] = &["cover", "fill", "move", "paint", "underfill", "underpaint"];

/// Primitives that return all objects of a grid.
const ALL_OBJECTS: &[&str] = &["fgpartition", "o_g", "o_g_t", "objects", "objects_t", "partition"];

/// Primitives that return a non-empty container if the first argument is not empty.
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

/// Parameters that take an option of the primitive.
const OPTION_PARAMETERS: &[&str] = &["option", "view", "by"];

/// Maximum length of an argument that is repeated in a remedy. Picked by feel.
const MAX_REPEATED: usize = 12;

/// Adds warnings about a program of `text`.
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
                call.unknown_option(text, problems);
                problems.total() == n_problems && call.is_certain()
            }
        };
        certain.push(is_certain);
    }
    let result = program.node(program.result());
    let is_certain = certain[program.result().index()];
    // After a warning the kind of the result is not certain.
    let is_other_kind = problems.total() == n_before && result.ty.kinds().disjoint(Kinds::TUPLE);
    if is_other_kind || (is_certain && !may_be_grid(&result.ty)) {
        let written = &text[result.span.range()];
        // A function without `return` has a warning already.
        if result.ty != Ty::None.into() || written == "None" {
            let problem = Problem::warning(result.span, format!("the answer is {}, not a grid", result.ty));
            problems.add(problem.label(grid_remedy(&result.ty)));
        }
    }
}

/// A call of a primitive, when all nodes that it depends on are checked.
struct Call<'p> {
    program: &'p Program,
    node: &'p Node,
    primitive: &'static Primitive,
    certain: &'p [bool],
}

impl<'p> Call<'p> {
    /// Iterates over the declared type of each parameter, its argument, and the argument's type.
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
            let span = argument_span(text, self.node.span, self.primitive, place).unwrap_or(self.node.span);
            let message = format!("`{name}` expects {declared} for `{param}`, not {ty}");
            let label = remedy(declared, ty, &text[span.range()]);
            problems.add(Problem {
                help: help.map(str::to_owned),
                ..Problem::warning(span, message).label(label)
            });
        }
    }

    /// Warns about a number or constant that is no option of a learner: the call certainly fails.
    fn unknown_option(&self, text: &str, problems: &mut Problems) {
        let takes_option = |param: &&str| OPTION_PARAMETERS.contains(param);
        let Some(place) = self.primitive.params.iter().position(takes_option) else { return };
        let options = self.primitive.options();
        let value = match self.node.args.get(place).map(|arg| &self.program.node(*arg).op) {
            Some(Op::Const(Literal::Int(value))) if !options.is_empty() => *value,
            _ => return,
        };
        // The box of a colour is named by the colour.
        let is_color = self.primitive.name == "learn_in_box" && (0..10).contains(&value);
        if !is_color && options.iter().all(|option| option.name.value() != value) {
            let name = self.primitive.name;
            let span = argument_span(text, self.node.span, self.primitive, place).unwrap_or(self.node.span);
            let message = format!("`{}` is not an option of `{name}`", &text[span.range()]);
            let label = format!("`batt dsl show {name}` lists the options");
            problems.add(Problem::warning(span, message).label(label));
        }
    }

    /// Returns the certain effect of an argument of the wrong type: `Some(None)` if the call fails,
    /// `Some(text)` for another effect, `None` if the call may succeed.
    fn consequence(&self, arg: NodeId) -> Option<Option<&'static str>> {
        let name = self.primitive.name;
        let source = self.program.node(arg);
        let is_all_objects = source.primitive().is_some_and(|symbol| ALL_OBJECTS.contains(&symbol.name));
        if REJECT_SETS.contains(&name) {
            Some(None)
        } else if DRAW.contains(&name) && is_all_objects {
            Some(Some("the call fails, or has no effect if there are no objects"))
        } else {
            let filters = self.primitive.types.iter().any(has_func);
            let fails = !filters && !UNPACK.contains(&name) && kinds(&source.ty) == Kinds::SET;
            (fails && is_nonempty(self.program, arg)).then_some(None)
        }
    }

    /// Returns whether the type of the result is certain.
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
        let same_type = || data().all(|(declared, _, ty)| !has_any_var(declared) || fits(first, ty));
        fits_all
            && !has_func(&self.primitive.result)
            && (if same_as_first { same_type() } else { all_vars(&self.primitive.result, &known) })
    }
}

/// Returns whether a container certainly has members. Inputs do.
fn is_nonempty(program: &Program, mut id: NodeId) -> bool {
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

/// Returns whether a parameter accepts every value of type `actual`.
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

/// Returns whether a parameter accepts no value of type `actual`, except for empty containers. The resolver
/// finds differences of [kind](Ty::kinds).
fn clashes(declared: &Ty, actual: &Ty) -> bool {
    match declared {
        // Locations and cells are tuples.
        Ty::Indices | Ty::Object | Ty::Patch => kinds(actual.member()).disjoint(Kinds::TUPLE),
        // A tuple is treated as a grid.
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

/// Returns whether a value of a certain type can be a grid: a tuple of tuples of integers.
fn may_be_grid(ty: &Ty) -> bool {
    let may_be = |ty: &Ty, kind: Kinds| !kinds(ty).disjoint(kind);
    let (row, cell) = (ty.member(), ty.member().member());
    let scalar = matches!(ty, Ty::Cell | Ty::Samples);
    !scalar && may_be(ty, Kinds::TUPLE) && may_be(row, Kinds::TUPLE) && may_be(cell, Kinds::INT)
}

/// Returns the kinds of the values of a certain type. Parameters accept more: a tuple of cells as an object.
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

/// Returns whether a condition holds for all variables of a type without functions.
fn all_vars(ty: &Ty, holds: &dyn Fn(char) -> bool) -> bool {
    match ty {
        Ty::Var(letter) => holds(*letter),
        Ty::Tuple(of) | Ty::Set(of) | Ty::Container(of) => all_vars(of, holds),
        _ => true,
    }
}

/// Returns how to make a value of the expected type; empty if nothing is obvious.
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

/// Returns how to make a grid from a value of this type.
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

/// Returns the place of the argument for a parameter in a call.
fn argument_span(text: &str, call: Span, primitive: &Primitive, place: usize) -> Option<Span> {
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
