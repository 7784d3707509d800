//! The syntax tree of one function, in flat lists with children before parents, so that neither traversing
//! nor dropping it recurses.

use std::collections::HashSet;
use std::ops::Range;

use crate::alias::Aliases;
use crate::ir::At;
use crate::keyed::KeyedMap;
use crate::problem::Span;
use crate::resolve::Global;

/// A parsed function. The parser fills it and the resolver reads it; its memory is reused for all functions
/// of a text.
#[derive(Default)]
pub(crate) struct Function {
    pub(crate) head: Option<Head>,
    pub(crate) params: Vec<Param>,
    pub(crate) stmts: Vec<Stmt>,
    /// In the order of evaluation.
    pub(crate) exprs: Vec<Expr>,
    /// Arguments of calls and members of tuples.
    pub(crate) args: Vec<Arg>,
    /// Names in statements that were skipped after an error.
    pub(crate) skipped_names: Vec<SkippedName>,
    /// Whether an error was reported, so that the function is not a valid program.
    pub(crate) failed: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Head {
    pub(crate) name: NameId,
    pub(crate) name_at: At,
    /// From `def` to the end of the last line.
    pub(crate) span: Span,
    pub(crate) line: u32,
}

#[derive(Clone, Copy)]
pub(crate) struct Param {
    pub(crate) name: NameId,
    pub(crate) at: At,
}

pub(crate) enum Stmt {
    Assign {
        target: Target,
        value: ExprId,
    },
    /// An annotation without a value, which makes the name local.
    Declare(Target),
    Expr(ExprId),
    Return(Option<ExprId>),
    /// A statement that was skipped after an error. From here on, its names may mean anything; they are this
    /// range of [`Function::skipped_names`].
    Skipped(Range<u32>),
}

#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) name: NameId,
    pub(crate) at: At,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ExprId(pub(crate) u32);

pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) at: At,
}

pub(crate) enum ExprKind {
    Name(NameId),
    /// A name that is called.
    Callee(NameId),
    None,
    Bool(bool),
    Int(i64),
    Tuple(Range<u32>),
    Call(ExprId, Range<u32>),
}

#[derive(Clone, Copy)]
pub(crate) struct Arg {
    pub(crate) value: ExprId,
    pub(crate) keyword: Option<Span>,
}

pub(crate) struct SkippedName {
    pub(crate) name: NameId,
    /// Whether `=` follows it.
    pub(crate) assigned: bool,
    pub(crate) line: u32,
}

impl Function {
    pub(crate) fn clear(&mut self) {
        let Function { head, params, stmts, exprs, args, skipped_names, failed } = self;
        *head = None;
        params.clear();
        stmts.clear();
        exprs.clear();
        args.clear();
        skipped_names.clear();
        *failed = false;
    }

    /// Returns whether the name is a parameter or was assigned so far.
    pub(crate) fn assigns(&self, name: NameId) -> bool {
        let assigned = |stmt: &Stmt| matches!(stmt, Stmt::Assign { target, .. } if target.name == name);
        self.params.iter().any(|param| param.name == name) || self.stmts.iter().any(assigned)
    }

    pub(crate) fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    pub(crate) fn span(&self, id: ExprId) -> Span {
        self.expr(id).at.span
    }

    pub(crate) fn args(&self, range: &Range<u32>) -> &[Arg] {
        &self.args[range.start as usize..range.end as usize]
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(crate) struct NameId(pub(crate) u32);

/// All names of a text, without duplicates.
pub(crate) struct Names<'t> {
    ids: KeyedMap<&'t str, NameId>,
    list: Vec<Name<'t>>,
    /// Names that are known to be functions of the text before it is parsed.
    functions: HashSet<&'t str>,
    aliases: Option<&'t Aliases>,
}

pub(crate) struct Name<'t> {
    pub(crate) text: &'t str,
    pub(crate) global: Option<Global>,
    /// Whether the text defines a function of that name.
    pub(crate) function: bool,
    /// Whether it was reported as unknown.
    pub(crate) unknown: bool,
}

impl<'t> Names<'t> {
    pub(crate) fn new(functions: HashSet<&'t str>, aliases: Option<&'t Aliases>) -> Names<'t> {
        Names { ids: KeyedMap::default(), list: Vec::new(), functions, aliases }
    }

    pub(crate) fn id(&mut self, text: &'t str) -> NameId {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = NameId(self.list.len() as u32);
        self.ids.insert(text, id);
        let function = self.functions.contains(text);
        let global = self.aliases.and_then(|aliases| aliases.get(text)).or_else(|| Global::find(text));
        self.list.push(Name { text, global, function, unknown: false });
        id
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Name<'t>> {
        self.list.iter()
    }
}

impl<'t> std::ops::Index<NameId> for Names<'t> {
    type Output = Name<'t>;

    fn index(&self, id: NameId) -> &Name<'t> {
        &self.list[id.0 as usize]
    }
}

impl std::ops::IndexMut<NameId> for Names<'_> {
    fn index_mut(&mut self, id: NameId) -> &mut Self::Output {
        &mut self.list[id.0 as usize]
    }
}
