//! Programs without text: the door for whoever makes programs instead of writing them.

use std::sync::{Arc, LazyLock, OnceLock};

use batt_dsl::{Constant, ConstantValue, Kinds, Ty, registry};
use batt_value::Symbol;

use crate::check::{Checker, MAX_ARITY, known};
use crate::ir::{At, Builder, Literal, Mark, Node, Op, Param, Program, Role, Source, Use};
use crate::problem::Span;

/// Makes programs node by node. What [`parse`](crate::parse) would warn of is not made, so whatever comes out parses
/// again from its [text](crate::print()) without a problem, and with the same hash. [Lints](crate::Options::lint) do not
/// count: a program on the way to a better one may be odd.
///
/// ```
/// # use batt_lang::Composer;
/// let mut composer = Composer::default();
/// composer.begin();
/// let input = composer.input();
/// let rot90 = batt_dsl::symbol("rot90").unwrap();
/// let turned = composer.call(rot90, &[input]).unwrap();
/// let color = composer.constant(batt_dsl::constant("RED").unwrap());
/// assert!(composer.call(rot90, &[color]).is_none());
/// assert_eq!(composer.finish("solve", turned).to_string(), "%0 = input\n%1 = rot90 %0\n");
/// ```
#[derive(Default)]
pub struct Composer {
    builder: Builder,
    checker: Checker,
    /// Of the last program.
    name: Arc<str>,
}

/// After so many inferred calls the checker forgets, so that no search fills the memory.
const MAX_REMEMBERED: usize = 1 << 16;

/// The parameters of programs that do not need the demonstration pairs, and of those that do.
static PARAMS: LazyLock<[Arc<[Param]>; 2]> = LazyLock::new(|| {
    let param = |name: &str, role| Param { name: name.to_owned(), role };
    let with = [param("S", Role::Samples), param("I", Role::Input), param("C", Role::Context)];
    [[param("I", Role::Input)].into(), with.into()]
});

/// A made node stands nowhere.
const NOWHERE: At = At { span: Span { start: 0, end: 0 }, line: 0 };

impl Composer {
    /// Starts a program. What [`Use`]s there are from earlier ones mean nothing in it.
    pub fn begin(&mut self) {
        self.builder.clear();
        if self.checker.remembered() > MAX_REMEMBERED {
            self.checker = Checker::default();
        }
    }

    /// How far it has come, to [`rewind`](Composer::rewind) to.
    pub fn mark(&self) -> Mark {
        self.builder.mark()
    }

    /// Forgets all nodes that were made since, so that another program can go on from there.
    pub fn rewind(&mut self, mark: Mark) {
        self.builder.rewind(mark);
    }

    pub fn input(&mut self) -> Use {
        plain(self.builder.input(NOWHERE))
    }

    pub fn samples(&mut self) -> Use {
        plain(self.builder.samples(NOWHERE))
    }

    /// A primitive as a value.
    pub fn prim(&mut self, symbol: &'static Symbol) -> Use {
        let primitive = registry().by_symbol(symbol);
        plain(self.builder.prim(symbol, &known().facts(primitive).func, NOWHERE))
    }

    pub fn literal(&mut self, literal: &Literal) -> Use {
        match literal {
            Literal::None => plain(self.builder.none(NOWHERE)),
            Literal::Bool(bool) => plain(self.builder.bool(*bool, NOWHERE)),
            Literal::Int(int) => plain(self.builder.int(*int, NOWHERE)),
            Literal::Tuple(items) => {
                let items: Vec<Use> = items.iter().map(|item| self.literal(item)).collect();
                self.tuple(&items)
            }
        }
    }

    /// A constant by its name.
    pub fn constant(&mut self, constant: &'static Constant) -> Use {
        let int = |composer: &mut Composer, int| plain(composer.builder.int(int, NOWHERE));
        let used = match constant.value {
            ConstantValue::Bool(bool) => plain(self.builder.bool(bool, NOWHERE)),
            ConstantValue::Int(it) => int(self, it),
            ConstantValue::Pair(row, col) => {
                let pair = [row, col].map(|it| int(self, it));
                self.tuple(&pair)
            }
        };
        Use { spelled: Some(constant), ..used }
    }

    pub fn tuple(&mut self, members: &[Use]) -> Use {
        let (node, new) = self.builder.tuple(members, NOWHERE);
        if new {
            let types: Vec<_> = members.iter().map(|member| &**self.builder.ty(member.node)).collect();
            let ty = self.checker.tuple(&types);
            self.builder.set_ty(node, ty);
        }
        plain(node)
    }

    /// `None` if the number of arguments is wrong, or one of them is certainly of the wrong kind.
    pub fn call(&mut self, symbol: &'static Symbol, args: &[Use]) -> Option<Use> {
        let primitive = registry().by_symbol(symbol);
        if args.len() != primitive.params.len() {
            return None;
        }
        let facts = known().facts(primitive);
        let wrong = |(place, arg): (usize, &Use)| facts.mismatch(place, self.builder.ty(arg.node));
        if args.iter().enumerate().any(wrong) {
            return None;
        }
        let (node, new) = self.builder.call(symbol, args, NOWHERE);
        if new {
            let mut types = [&known().any; MAX_ARITY];
            args.iter().zip(&mut types).for_each(|(arg, ty)| *ty = self.builder.ty(arg.node));
            let ty = self.checker.call(primitive, &types[..args.len()]);
            self.builder.set_ty(node, ty);
        }
        Some(plain(node))
    }

    /// Calls a function value, the first of `args`, with the others. `None` if it is certainly no function, or a primitive
    /// that does not take them.
    pub fn apply(&mut self, args: &[Use]) -> Option<Use> {
        let (callee, rest) = args.split_first()?;
        // As in text: whoever calls a primitive by its name calls the primitive.
        if let Op::Prim(symbol) = *self.builder.op(callee.node) {
            return self.call(symbol, rest);
        }
        let callee = self.builder.ty(callee.node);
        if callee.kinds().disjoint(Kinds::FUNC) {
            return None;
        }
        let callee = callee.clone();
        let (node, new) = self.builder.apply(args, NOWHERE);
        if new {
            let ty = self.checker.apply(&callee, rest.len());
            self.builder.set_ty(node, ty);
        }
        Some(plain(node))
    }

    /// What `op` makes of the arguments.
    pub fn node(&mut self, op: &Op, args: &[Use]) -> Option<Use> {
        match op {
            Op::Input => Some(self.input()),
            Op::Samples => Some(self.samples()),
            Op::Const(literal) => Some(self.literal(literal)),
            Op::Prim(symbol) => Some(self.prim(symbol)),
            Op::Call(symbol) => self.call(symbol, args),
            Op::Apply => self.apply(args),
            Op::Tuple => Some(self.tuple(args)),
        }
    }

    /// A node of another program with arguments of this one. Constants among them get the names that they have there.
    pub fn copy(&mut self, node: &Node, args: &mut [Use]) -> Option<Use> {
        for (place, arg) in args.iter_mut().enumerate() {
            *arg = self.named(*arg, node.spelled(place));
        }
        self.node(&node.op, args)
    }

    pub fn ty(&self, used: Use) -> &Ty {
        self.builder.ty(used.node)
    }

    pub fn finish(&mut self, name: &str, result: Use) -> Program {
        if *self.name != *name {
            self.name = name.into();
        }
        let source = Source { text: Arc::default(), span: NOWHERE.span, line: NOWHERE.line };
        let nodes = self.builder.finish(result.node, &source);
        let samples = nodes.iter().any(|node| node.op == Op::Samples);
        let (name, params) = (self.name.clone(), PARAMS[usize::from(samples)].clone());
        Program { name, params, nodes, result_spelled: result.spelled, source, hash: OnceLock::new() }
    }

    /// The nodes of the program that was finished last, to go on from.
    pub fn finished(&self) -> Vec<Use> {
        self.builder.finished().into_iter().map(plain).collect()
    }

    /// The use under the name of a constant, if it has no name yet and is what the name says.
    fn named(&self, used: Use, spelled: Option<&'static Constant>) -> Use {
        let same = |constant: &&Constant| matches!(self.builder.op(used.node), Op::Const(it) if it.is(constant.value));
        Use { spelled: used.spelled.or(spelled.filter(same)), ..used }
    }
}

fn plain(node: crate::NodeId) -> Use {
    Use { node, spelled: None }
}
