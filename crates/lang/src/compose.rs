//! Builds programs without text, for search.

use std::sync::{Arc, LazyLock, OnceLock};

use batt_dsl::{Constant, ConstantValue, Kinds, Ty, registry};
use batt_value::Symbol;

use crate::check::{Checker, MAX_ARITY, type_table};
use crate::ir::{At, Builder, Literal, Mark, Node, Op, Param, Program, Role, Source, Use};
use crate::problem::Span;

/// Builds programs node by node. It refuses calls that [`parse`](crate::parse) would warn about, so the
/// [text](crate::print()) of a program parses without problems, to a program with the same hash. It does not
/// apply [lints](crate::Options::lint), because a suspicious program may lead to a better one.
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
    /// Name of the last program.
    name: Arc<str>,
}

/// Size of the checker's cache at which it is cleared, so that a long search does not fill the memory.
const MAX_CACHED: usize = 1 << 16;

/// The parameters of programs that do not need the demonstration pairs, and of those that do.
static PARAMS: LazyLock<[Arc<[Param]>; 2]> = LazyLock::new(|| {
    let param = |name: &str, role| Param { name: name.to_owned(), role };
    let with = [param("S", Role::Samples), param("I", Role::Input), param("C", Role::Context)];
    [[param("I", Role::Input)].into(), with.into()]
});

/// The place of a node without text.
const NO_PLACE: At = At { span: Span { start: 0, end: 0 }, line: 0 };

impl Composer {
    /// Starts a program. A [`Use`] from an earlier program must not be used in it.
    pub fn begin(&mut self) {
        self.builder.clear();
        if self.checker.n_cached() > MAX_CACHED {
            self.checker = Checker::default();
        }
    }

    /// Returns the current state, for [`rewind`](Composer::rewind).
    pub fn mark(&self) -> Mark {
        self.builder.mark()
    }

    /// Removes all nodes that were added since `mark`, so that another program can continue from there.
    pub fn rewind(&mut self, mark: Mark) {
        self.builder.rewind(mark);
    }

    /// Adds the input grid.
    pub fn input(&mut self) -> Use {
        plain(self.builder.input(NO_PLACE))
    }

    /// Adds the demonstration pairs.
    pub fn samples(&mut self) -> Use {
        plain(self.builder.samples(NO_PLACE))
    }

    /// Adds a primitive as a value.
    pub fn prim(&mut self, symbol: &'static Symbol) -> Use {
        let primitive = registry().by_symbol(symbol);
        plain(self.builder.prim(symbol, &type_table().of(primitive).func, NO_PLACE))
    }

    /// Adds a constant by its value.
    pub fn literal(&mut self, literal: &Literal) -> Use {
        match literal {
            Literal::None => plain(self.builder.none(NO_PLACE)),
            Literal::Bool(bool) => plain(self.builder.bool(*bool, NO_PLACE)),
            Literal::Int(int) => plain(self.builder.int(*int, NO_PLACE)),
            Literal::Tuple(items) => {
                let items: Vec<Use> = items.iter().map(|item| self.literal(item)).collect();
                self.tuple(&items)
            }
        }
    }

    /// Adds a constant by its name.
    pub fn constant(&mut self, constant: &'static Constant) -> Use {
        let int = |composer: &mut Composer, int| plain(composer.builder.int(int, NO_PLACE));
        let used = match constant.value {
            ConstantValue::Bool(bool) => plain(self.builder.bool(bool, NO_PLACE)),
            ConstantValue::Int(it) => int(self, it),
            ConstantValue::Pair(row, col) => {
                let pair = [row, col].map(|it| int(self, it));
                self.tuple(&pair)
            }
        };
        Use { constant: Some(constant), ..used }
    }

    /// Adds a tuple.
    pub fn tuple(&mut self, members: &[Use]) -> Use {
        let (node, new) = self.builder.tuple(members, NO_PLACE);
        if new {
            let types: Vec<_> = members.iter().map(|member| &**self.builder.ty(member.node)).collect();
            let ty = self.checker.tuple(&types);
            self.builder.set_ty(node, ty);
        }
        plain(node)
    }

    /// Adds a call of a primitive. Returns `None` if the number of arguments is wrong, or one of them is
    /// certainly of the wrong kind.
    pub fn call(&mut self, symbol: &'static Symbol, args: &[Use]) -> Option<Use> {
        let primitive = registry().by_symbol(symbol);
        if args.len() != primitive.params.len() {
            return None;
        }
        let declared = type_table().of(primitive);
        let wrong = |(index, arg): (usize, &Use)| declared.mismatch(index, self.builder.ty(arg.node));
        if args.iter().enumerate().any(wrong) {
            return None;
        }
        let (node, new) = self.builder.call(symbol, args, NO_PLACE);
        if new {
            let mut types = [&type_table().any; MAX_ARITY];
            args.iter().zip(&mut types).for_each(|(arg, ty)| *ty = self.builder.ty(arg.node));
            let ty = self.checker.call(primitive, &types[..args.len()]);
            self.builder.set_ty(node, ty);
        }
        Some(plain(node))
    }

    /// Adds a call of a function value, the first of `args`, with the others as arguments. Returns `None` if
    /// it certainly is not a function, or if it is a primitive that does not accept them.
    pub fn apply(&mut self, args: &[Use]) -> Option<Use> {
        let (callee, rest) = args.split_first()?;
        // As in text, a primitive as callee is called directly.
        if let Op::Prim(symbol) = *self.builder.op(callee.node) {
            return self.call(symbol, rest);
        }
        let callee = self.builder.ty(callee.node);
        if callee.kinds().disjoint(Kinds::FUNC) {
            return None;
        }
        let callee = callee.clone();
        let (node, new) = self.builder.apply(args, NO_PLACE);
        if new {
            let ty = self.checker.apply(&callee, rest.len());
            self.builder.set_ty(node, ty);
        }
        Some(plain(node))
    }

    /// Adds a node that applies `op` to the arguments.
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

    /// Copies a node of another program, with arguments of this program. Constants among them get the names
    /// that they have in the other program.
    pub fn copy(&mut self, node: &Node, args: &mut [Use]) -> Option<Use> {
        for (index, arg) in args.iter_mut().enumerate() {
            *arg = self.named(*arg, node.named_constant(index));
        }
        self.node(&node.op, args)
    }

    /// Returns the type of a node.
    pub fn ty(&self, used: Use) -> &Ty {
        self.builder.ty(used.node)
    }

    /// Returns the program with the given name and result.
    pub fn finish(&mut self, name: &str, result: Use) -> Program {
        if *self.name != *name {
            self.name = name.into();
        }
        let source = Source { text: Arc::default(), span: NO_PLACE.span, line: NO_PLACE.line };
        let nodes = self.builder.finish(result.node, &source);
        let samples = nodes.iter().any(|node| node.op == Op::Samples);
        let (name, params) = (self.name.clone(), PARAMS[usize::from(samples)].clone());
        Program { name, params, nodes, result_constant: result.constant, source, hash: OnceLock::new() }
    }

    /// Returns the nodes of the last finished program, so that another program can continue from them.
    pub fn finished(&self) -> Vec<Use> {
        self.builder.finished().into_iter().map(plain).collect()
    }

    /// Names a use after a constant, if it has no name yet and has the constant's value.
    fn named(&self, used: Use, constant: Option<&'static Constant>) -> Use {
        let same = |constant: &&Constant| matches!(self.builder.op(used.node), Op::Const(it) if it.is(constant.value));
        Use { constant: used.constant.or(constant.filter(same)), ..used }
    }
}

/// Returns a use without a constant's name.
fn plain(node: crate::NodeId) -> Use {
    Use { node, constant: None }
}
