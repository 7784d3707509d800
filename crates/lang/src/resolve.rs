//! Resolves names and converts functions to graphs.
//!
//! Scopes are Python's: a name that is assigned anywhere in a function is local in all of it, and locals hide
//! constants and primitives.

use std::sync::{LazyLock, OnceLock};

use batt_dsl::{
    Constant, ConstantValue, Kinds, Primitive, constants, learn_constant, plain_constants, registry,
};
use rustc_hash::FxHashMap;

use crate::ast::{Arg, ExprId, ExprKind, Function, Head, NameId, Names, Stmt, Target};
use crate::check::{Checker, MAX_ARITY, type_table};
use crate::ir::{At, Builder, NodeId, Param, Program, Role, Source, Use};
use crate::other_names::{by_other_name, did_you_mean};
use crate::problem::{Problem, Problems, Span};
use crate::suggest::suggest;
use crate::unsupported::shorten;

/// The meaning of a name outside functions.
#[derive(Clone, Copy)]
pub(crate) enum Global {
    Prim(&'static Primitive),
    Constant(&'static Constant),
}

impl std::fmt::Debug for Global {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Global::Prim(primitive) => primitive.name,
            Global::Constant(constant) => constant.name,
        })
    }
}

impl Global {
    pub(crate) fn find(name: &str) -> Option<Global> {
        static GLOBALS: LazyLock<FxHashMap<&'static str, Global>> = LazyLock::new(|| {
            let primitives =
                registry().names().filter_map(|name| Some((name, Global::Prim(registry().get(name)?))));
            // Constants come last and win, because programs import them after the primitives.
            let constants = plain_constants().iter().map(|it| (it.name, Global::Constant(it)));
            primitives.chain(constants).collect()
        });
        GLOBALS.get(name).copied().or_else(|| learn_constant(name).map(Global::Constant))
    }

    fn names() -> impl Iterator<Item = &'static str> + Clone {
        registry().names().chain(constants().iter().map(|constant| constant.name))
    }
}

/// Converts functions to programs, reusing its memory.
#[derive(Default)]
pub(crate) struct Resolver {
    builder: Builder,
    checker: Checker,
    /// By name. Those of earlier functions have an older generation.
    locals: Vec<Local>,
    generation: u32,
    /// Values of the function's expressions.
    vals: Vec<Val>,
}

#[derive(Clone, Copy, Default)]
struct Local {
    generation: u32,
    /// Line of the first assignment; 0 if there is none.
    line: u32,
    param: bool,
    /// Whether only skipped statements assign it, so that nothing is known about it.
    skipped: bool,
    /// Its current value.
    val: Option<Val>,
}

/// The value of an expression. Constants and primitives become nodes only when they are used.
#[derive(Clone, Copy)]
enum Val {
    /// An expression with an error that was reported.
    Broken,
    Prim(&'static Primitive),
    Constant(&'static Constant),
    Node(NodeId),
}

impl Resolver {
    /// Returns the program, or `None` if it has errors. `every_line` is [`Options::every_line`](crate::Options).
    pub(crate) fn resolve<'t>(
        &mut self,
        text: &'t str,
        function: &Function,
        names: &mut Names<'t>,
        problems: &mut Problems,
        every_line: bool,
    ) -> Option<Program> {
        let head = function.head?;
        let n_errors = problems.n_errors();
        self.generation += 1;
        self.builder.clear();
        self.vals.clear();
        self.locals.resize(names.len(), Local::default());
        let mut scope = Scope { resolver: self, text, function, names, problems };
        let params = scope.params(head);
        scope.declare();
        let mut lines = every_line.then(Vec::new);
        let mut result = scope.run(head, lines.as_mut());
        if let Some(mut lines) = lines {
            lines.extend(result);
            result = Some(Use { node: scope.tuple_of(&lines, head.name_at), constant: None });
        } else if function.failed || problems.n_errors() > n_errors {
            return None;
        }
        let result = result?;
        let source = Source { text: text[head.span.range()].into(), span: head.span, line: head.line };
        let nodes = self.builder.finish(result.node, &source);
        let (name, params) = (names[head.name].text.into(), params.into());
        let hash = OnceLock::new();
        Some(Program { name, params, nodes, result_constant: result.constant, source, hash })
    }
}

struct Scope<'s, 't> {
    resolver: &'s mut Resolver,
    text: &'t str,
    function: &'s Function,
    names: &'s mut Names<'t>,
    problems: &'s mut Problems,
}

impl<'t> Scope<'_, 't> {
    fn params(&mut self, head: Head) -> Vec<Param> {
        let roles = self.roles(head);
        let mut list = Vec::with_capacity(self.function.params.len());
        for (index, param) in self.function.params.iter().enumerate() {
            let name = self.names[param.name].text;
            let val = match &roles {
                Some(roles) => {
                    list.push(Param { name: name.to_owned(), role: roles[index] });
                    self.param(roles[index], param.at)
                }
                None => Val::Broken,
            };
            let generation = self.resolver.generation;
            let local = &mut self.resolver.locals[param.name.0 as usize];
            if local.generation == generation {
                let message = format!("two parameters are called `{}`", shorten(name));
                self.problems.add(Problem::error(param.at.span, message));
            }
            *local = Local { generation, line: head.line, param: true, skipped: false, val: Some(val) };
        }
        list
    }

    /// Returns the roles of the parameters: one or three are assigned by position, two by name.
    fn roles(&mut self, head: Head) -> Option<Vec<Role>> {
        let params = &self.function.params;
        let by_name = |name: NameId| match self.names[name].text {
            "I" => Some(Role::Input),
            "S" => Some(Role::Samples),
            "C" => Some(Role::Context),
            _ => None,
        };
        let roles = match params[..] {
            [_] => Some(vec![Role::Input]),
            [a, b] => by_name(a.name).zip(by_name(b.name)).map(|(a, b)| vec![a, b]),
            [_, _, _] => Some(vec![Role::Samples, Role::Input, Role::Context]),
            _ => None,
        };
        // After an error in the head nothing is known about the parameters.
        let read = !self.function.failed || !self.function.stmts.is_empty();
        if roles.is_none() && read {
            let span = match params[..] {
                [first, .., last] => first.at.span.to(last.at.span),
                _ => head.name_at.span,
            };
            let problem = Problem::error(span, "the parameters of a program are `(I)` or `(S, I, C)`");
            self.problems.add(problem.label(match params.len() {
                2 => "two parameters must be named `S`, `I` or `C`",
                _ => "",
            }));
        }
        roles
    }

    fn param(&mut self, role: Role, at: At) -> Val {
        let builder = &mut self.resolver.builder;
        Val::Node(match role {
            Role::Input => builder.input(at),
            Role::Samples => builder.samples(at),
            Role::Context => builder.none(at),
        })
    }

    /// Marks every assigned name as local.
    fn declare(&mut self) {
        let Resolver { locals, generation, .. } = &mut *self.resolver;
        let mut mark = |name: NameId, line, skipped| {
            let local = &mut locals[name.0 as usize];
            if local.generation != *generation {
                *local = Local { generation: *generation, line, param: false, skipped, val: None };
            } else if local.line == 0 {
                local.line = line;
            }
        };
        for stmt in &self.function.stmts {
            match stmt {
                Stmt::Assign { target, .. } => mark(target.name, target.at.line, false),
                Stmt::Declare(target) => mark(target.name, 0, false),
                Stmt::Skipped(range) => {
                    for skipped in &self.function.skipped_names[range.start as usize..range.end as usize] {
                        let name = &self.names[skipped.name];
                        if skipped.assigned || (name.global.is_none() && !name.function) {
                            mark(skipped.name, skipped.line, true);
                        }
                    }
                }
                Stmt::Expr(_) | Stmt::Return(_) => {}
            }
        }
    }

    /// Evaluates all statements. Returns the result of the function, or `None` if it has an error. Adds the values
    /// of assignments without errors to `lines`.
    fn run(&mut self, head: Head, mut lines: Option<&mut Vec<Use>>) -> Option<Use> {
        let function = self.function;
        let mut result = None;
        for stmt in &function.stmts {
            match stmt {
                Stmt::Assign { target, value } => {
                    let val = self.eval(*value);
                    let assigned = self.assign(target, val, function.expr(*value).at);
                    if let Some(lines) = &mut lines {
                        lines.extend(assigned);
                    }
                }
                Stmt::Expr(value) => {
                    self.eval(*value);
                }
                Stmt::Return(value) => {
                    let at = value.map_or(head.name_at, |value| function.expr(value).at);
                    let val = match value {
                        Some(value) => self.eval(*value),
                        None => self.none(at),
                    };
                    // Statements after the first `return` are checked, but have no effect.
                    result.get_or_insert((val, at));
                }
                Stmt::Declare(_) | Stmt::Skipped(_) => {}
            }
        }
        let (val, at) = match result {
            Some(result) => result,
            None if function.failed => return None,
            None => {
                let problem = Problem::warning(head.name_at.span, "the function has no `return`");
                self.problems.add(problem.label("its result is None"));
                (self.none(head.name_at), head.name_at)
            }
        };
        self.use_of(val, at)
    }

    /// Assigns a value to a variable. Returns its node, or `None` if it has an error.
    fn assign(&mut self, target: &Target, val: Val, at: At) -> Option<Use> {
        let local = &mut self.resolver.locals[target.name.0 as usize];
        let Local { line, param, .. } = *local;
        let again = local.val.replace(val).is_some();
        if again {
            let name = self.names[target.name].text;
            let problem = Problem::warning(target.at.span, format!("`{}` is assigned again", shorten(name)));
            self.problems.add(problem.label(match param {
                true => "it is a parameter".to_owned(),
                false => format!("first assigned on line {line}"),
            }));
        }
        let assigned = self.use_of(val, at)?;
        self.resolver.builder.bind(assigned.node, target.at);
        Some(assigned)
    }

    /// Evaluates all expressions up to `id`; children come before their parents.
    fn eval(&mut self, id: ExprId) -> Val {
        while self.resolver.vals.len() <= id.0 as usize {
            let next = ExprId(self.resolver.vals.len() as u32);
            let val = self.expr(next);
            self.resolver.vals.push(val);
        }
        self.val(id)
    }

    fn val(&self, id: ExprId) -> Val {
        self.resolver.vals[id.0 as usize]
    }

    fn expr(&mut self, id: ExprId) -> Val {
        let function = self.function;
        let expr = function.expr(id);
        let at = expr.at;
        let builder = &mut self.resolver.builder;
        Val::Node(match &expr.kind {
            ExprKind::Name(name) => return self.lookup(*name, at.span, false),
            ExprKind::Callee(name) => return self.lookup(*name, at.span, true),
            ExprKind::Tuple(range) => return self.tuple(function.args(range), at),
            ExprKind::Call(callee, range) => {
                let args = function.args(range);
                return match self.val(*callee) {
                    Val::Broken => Val::Broken,
                    Val::Prim(primitive) => self.call(primitive, *callee, args, at),
                    val => self.apply(val, *callee, args, at),
                };
            }
            ExprKind::None => builder.none(at),
            ExprKind::Bool(bool) => builder.bool(*bool, at),
            ExprKind::Int(int) => builder.int(*int, at),
        })
    }

    fn none(&mut self, at: At) -> Val {
        Val::Node(self.resolver.builder.none(at))
    }

    fn lookup(&mut self, name: NameId, span: Span, called: bool) -> Val {
        let local = self.resolver.locals[name.0 as usize];
        let shown = || shorten(self.names[name].text);
        let problem = if local.generation == self.resolver.generation {
            match local.val {
                Some(val) => return val,
                None if local.skipped => return Val::Broken,
                None => {
                    let problem =
                        Problem::error(span, format!("`{}` is used before it is assigned", shown()));
                    problem.label(match local.line {
                        0 => "it is never assigned".to_owned(),
                        line => format!("assigned on line {line}"),
                    })
                }
            }
        } else if self.names[name].function {
            Problem::error(span, format!("`{}` is a function of this file", shown()))
                .label("programs cannot call other functions of the file")
        } else {
            match self.names[name].global {
                Some(Global::Prim(primitive)) => return Val::Prim(primitive),
                Some(Global::Constant(constant)) => return Val::Constant(constant),
                None => self.unknown(name, span, called),
            }
        };
        self.problems.add(problem);
        Val::Broken
    }

    fn unknown(&mut self, name: NameId, span: Span, called: bool) -> Problem {
        self.names[name].unknown = true;
        let text = self.names[name].text;
        let shown = shorten(text);
        let problem = match called {
            true => Problem::error(span, format!("`{shown}` is not a primitive")),
            false => Problem::error(span, format!("`{shown}` is not defined")),
        };
        if self.problems.is_full() {
            return problem;
        }
        /// Nobody writes functions with more lines than this.
        const MAX_LOCALS: usize = 1000;
        let locals = self.function.stmts.iter().take(MAX_LOCALS).filter_map(|stmt| match stmt {
            Stmt::Assign { target, .. } => Some(self.names[target.name].text),
            _ => None,
        });
        // `x12` is not a misspelling of `x13`.
        let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let locals = locals.filter(|local| local[..stem(local)] != text[..stem(text)]);
        match suggestion(text, locals) {
            Some(label) => problem.label(label),
            None => problem,
        }
    }

    /// Returns the node of a value, or `None` if it has an error.
    fn use_of(&mut self, val: Val, at: At) -> Option<Use> {
        let builder = &mut self.resolver.builder;
        let node = match val {
            Val::Broken => return None,
            Val::Node(node) => node,
            Val::Prim(primitive) => builder.prim(&primitive.symbol, &type_table().of(primitive).func, at),
            Val::Constant(constant) => {
                let node = match constant.value {
                    ConstantValue::Bool(bool) => builder.bool(bool, at),
                    ConstantValue::Int(int) => builder.int(int, at),
                    ConstantValue::Pair(row, col) => {
                        let pair = [row, col].map(|int| Use { node: builder.int(int, at), constant: None });
                        self.tuple_of(&pair, at)
                    }
                };
                return Some(Use { node, constant: Some(constant) });
            }
        };
        Some(Use { node, constant: None })
    }

    /// Returns the nodes of arguments, or `None` if one has an error.
    fn uses_of(&mut self, args: impl Iterator<Item = ExprId>) -> Option<Vec<Use>> {
        let function = self.function;
        args.map(|arg| self.use_of(self.val(arg), function.expr(arg).at)).collect()
    }

    fn tuple(&mut self, members: &[Arg], at: At) -> Val {
        let Some(uses) = self.uses_of(members.iter().map(|member| member.value)) else {
            return Val::Broken;
        };
        Val::Node(self.tuple_of(&uses, at))
    }

    fn tuple_of(&mut self, members: &[Use], at: At) -> NodeId {
        let Resolver { builder, checker, .. } = &mut *self.resolver;
        let (node, new) = builder.tuple(members, at);
        if new {
            let types: Vec<_> = members.iter().map(|member| &**builder.ty(member.node)).collect();
            let ty = checker.tuple(&types);
            builder.set_ty(node, ty);
        }
        node
    }

    /// Adds the call of a function value.
    fn apply(&mut self, callee_val: Val, callee: ExprId, args: &[Arg], at: At) -> Val {
        if let Some(keyword) = args.iter().find_map(|arg| arg.keyword) {
            let what = "a keyword argument in a call of a function value";
            self.problems.add(Problem::error(keyword, format!("{what} is not part of the language")));
            return Val::Broken;
        }
        let callee_at = self.function.expr(callee).at;
        let callee_span = callee_at.span;
        let Some(callee) = self.use_of(callee_val, callee_at) else {
            return Val::Broken;
        };
        let Some(args) = self.uses_of(args.iter().map(|arg| arg.value)) else {
            return Val::Broken;
        };
        let mut uses = vec![callee];
        uses.extend(args);
        let Resolver { builder, checker, .. } = &mut *self.resolver;
        let (node, new) = builder.apply(&uses, at);
        if new {
            let callee = builder.ty(callee.node);
            if callee.kinds().disjoint(Kinds::FUNC) {
                let name = shorten(&self.text[callee_span.range()]);
                let problem = Problem::warning(callee_span, format!("`{name}` is not a function"));
                self.problems.add(problem.label(format!("this is {callee}")));
            }
            let ty = checker.apply(callee, uses.len() - 1);
            builder.set_ty(node, ty);
        }
        Val::Node(node)
    }

    fn call(&mut self, primitive: &'static Primitive, callee: ExprId, args: &[Arg], at: At) -> Val {
        let Some(slots) = self.slots(primitive, callee, args) else {
            return Val::Broken;
        };
        let arity = primitive.params.len();
        let mut uses = [Use { node: NodeId(0), constant: None }; MAX_ARITY];
        for (&slot, arg) in slots[..arity].iter().zip(&mut uses) {
            match self.use_of(self.val(slot), self.function.expr(slot).at) {
                Some(used) => *arg = used,
                None => return Val::Broken,
            }
        }
        let uses = &uses[..arity];
        let Resolver { builder, checker, .. } = &mut *self.resolver;
        let (node, new) = builder.call(&primitive.symbol, uses, at);
        if new {
            let mut types = [&type_table().any; MAX_ARITY];
            uses.iter().zip(&mut types).for_each(|(arg, ty)| *ty = builder.ty(arg.node));
            let types = &types[..arity];
            for (index, ty) in types.iter().enumerate() {
                if type_table().of(primitive).mismatch(index, ty) {
                    let (name, param, declared) =
                        (primitive.name, primitive.params[index], &primitive.types[index]);
                    let message = format!("`{name}` expects {declared} for `{param}`, not {ty}");
                    let problem = Problem::warning(self.function.span(slots[index]), message);
                    self.problems.add(problem.label(format!("this is {ty}")));
                }
            }
            let ty = checker.call(primitive, types);
            builder.set_ty(node, ty);
        }
        Val::Node(node)
    }

    /// Returns the argument for each parameter, or `None` if there is an error.
    fn slots(&mut self, primitive: &Primitive, callee: ExprId, args: &[Arg]) -> Option<[ExprId; MAX_ARITY]> {
        let arity = primitive.params.len();
        if args.len() == arity && args.iter().all(|arg| arg.keyword.is_none()) {
            let mut slots = [callee; MAX_ARITY];
            args.iter().zip(&mut slots).for_each(|(arg, slot)| *slot = arg.value);
            return Some(slots);
        }
        let mut slots = [None; MAX_ARITY];
        let mut valid = true;
        for (index, arg) in args.iter().enumerate() {
            let slot = match arg.keyword {
                Some(keyword) => primitive.param(&self.text[keyword.range()]),
                None => Some(index),
            };
            let span = arg.keyword.unwrap_or(self.function.span(arg.value));
            let problem = match slot {
                None => Some(self.unknown_keyword(primitive, span)),
                Some(slot) if slot >= arity => {
                    let last = args[args.len() - 1].value;
                    let extra = span.to(self.function.span(last));
                    let params = primitive.params.join(", ");
                    let label = format!("it is `{}({params})`", primitive.name);
                    self.problems
                        .add(Problem::error(extra, arity_message(primitive, args.len())).label(label));
                    return None;
                }
                Some(slot) if slots[slot].is_some() => {
                    let param = primitive.params[slot];
                    Some(Problem::error(span, format!("`{param}` is given twice")))
                }
                Some(slot) => {
                    slots[slot] = Some(arg.value);
                    None
                }
            };
            if let Some(problem) = problem {
                self.problems.add(problem);
                valid = false;
            }
        }
        if !valid {
            return None;
        }
        let missing: Vec<_> = (0..arity).filter(|&slot| slots[slot].is_none()).collect();
        if !missing.is_empty() {
            let missing: Vec<_> =
                missing.iter().map(|&slot| format!("`{}`", primitive.params[slot])).collect();
            let problem = Problem::error(self.function.span(callee), arity_message(primitive, args.len()));
            self.problems.add(problem.label(format!("missing: {}", missing.join(", "))));
            return None;
        }
        Some(slots.map(|slot| slot.unwrap_or(callee)))
    }

    fn unknown_keyword(&self, primitive: &Primitive, span: Span) -> Problem {
        let text = &self.text[span.range()];
        let problem =
            Problem::error(span, format!("`{}` has no parameter `{}`", primitive.name, shorten(text)));
        let known = primitive.params.iter().chain(primitive.keywords.iter().map(|(other, _)| other));
        match suggest(text, known.copied()) {
            Some(other) => problem.label(format!("did you mean `{other}`?")),
            None => problem.label(format!("it is `{}({})`", primitive.name, primitive.params.join(", "))),
        }
    }
}

/// Returns `did you mean …?` if there is a similar name, or our name for what `name` means elsewhere.
pub(crate) fn suggestion<'n>(name: &str, locals: impl Iterator<Item = &'n str> + Clone) -> Option<String> {
    let globals = Global::names().chain(["True", "False", "None"]).map(|name| -> &str { name });
    let known = globals.chain(locals);
    let in_other_case = known.clone().find(|known| known.eq_ignore_ascii_case(name));
    match (in_other_case, by_other_name(name)) {
        (None, Some(ours)) => Some(did_you_mean(ours)),
        (in_other_case, _) => {
            let near = in_other_case.or_else(|| suggest(name, known))?;
            Some(format!("did you mean `{near}`?"))
        }
    }
}

fn arity_message(primitive: &Primitive, given: usize) -> String {
    let arity = primitive.params.len();
    let arguments = if arity == 1 { "argument" } else { "arguments" };
    format!("`{}` takes {arity} {arguments}, not {given}", primitive.name)
}
