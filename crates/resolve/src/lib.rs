//! Writes learned rules out as ordinary programs.
//!
//! A program that a solve exports calls a learner: `rule = learn_transform(S, ONE_STEP, F0)`, `O = rule(I)`. [`resolve`]
//! learns the rule from a task and replaces the call by primitives and the learned constants: `O = hmirror(I)`. The new
//! program is accepted only if it gives the same answers on all inputs of the task. It is written in arc-dsl's own
//! primitives if possible, so that it runs in arc-dsl's Python unchanged.
//!
//! This crate does not know files, threads or the clock.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use batt_dsl::{Cx, Limits, is_arc_dsl, lesson};
use batt_exec::{Sample, run};
use batt_lang::{Op, Program, parse, print};
use batt_learn::{Code, Expr, Precision, Rule};
use batt_task::Task;
use batt_value::{Arena, Owned, Value};

/// The outcome for one program and one task.
#[derive(Clone, Debug)]
pub enum Resolution {
    /// The program learns nothing; it is an ordinary program already.
    Ordinary { is_arc_dsl: bool },
    /// The same answers from an ordinary program.
    Resolved { program: Program, is_arc_dsl: bool },
    /// The rule cannot be written out, and why.
    Kept(Reason),
}

/// Why a rule is kept as a call of a learner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The program does not run on the task, or finds no rule there.
    Fails,
    /// The language has no words for the rule.
    Unwritable,
    /// The written program gives another answer for some input of the task.
    Differs,
}

impl Reason {
    pub fn words(self) -> &'static str {
        match self {
            Reason::Fails => "the program fails on this task",
            Reason::Unwritable => "the language has no primitives for this rule",
            Reason::Differs => "the rule written with primitives gives other answers on this task",
        }
    }
}

/// Writes the learned rules of a program out for a task. Test outputs are not looked at.
pub fn resolve(program: &Program, task: &Task, limits: Limits, stop: Option<&AtomicBool>) -> Resolution {
    let inputs = Inputs { task, limits, stop };
    let Some(expected) = inputs.answers(program, false) else { return Resolution::Kept(Reason::Fails) };
    // arc-dsl's sets iterate in CPython's order, so a program whose answers depend on an order is not portable.
    let portable =
        |program: &Program| is_pure(program) && inputs.answers(program, true).as_ref() == Some(&expected);
    if !program.needs_samples() {
        return Resolution::Ordinary { is_arc_dsl: portable(program) };
    }
    let Some(rules) = rules(program, task, limits, stop) else { return Resolution::Kept(Reason::Fails) };
    let mut reason = Reason::Unwritable;
    for precision in Precision::ALL {
        let Some(written) = write(program, &rules, precision) else { continue };
        if inputs.answers(&written, false).as_ref() == Some(&expected) {
            let is_arc_dsl = portable(&written);
            return Resolution::Resolved { program: written, is_arc_dsl };
        }
        reason = Reason::Differs;
    }
    Resolution::Kept(reason)
}

/// Whether a program uses only primitives and constants that arc-dsl has too.
pub fn is_pure(program: &Program) -> bool {
    let names = program.iter().all(|(_, node)| match &node.op {
        Op::Call(symbol) | Op::Prim(symbol) => is_arc_dsl(symbol.name),
        Op::Samples => false,
        _ => true,
    });
    names && print(program).split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).all(is_arc_dsl_word)
}

/// Whether a word of a printed program is no constant of the dialect.
fn is_arc_dsl_word(word: &str) -> bool {
    batt_dsl::constant(word).is_none() || is_arc_dsl(word)
}

/// The inputs of a task, and the limits under which programs run on them.
struct Inputs<'a> {
    task: &'a Task,
    limits: Limits,
    stop: Option<&'a AtomicBool>,
}

impl Inputs<'_> {
    /// The answers of a program to all inputs; `None` if one fails. If `descending`, sets iterate in reverse order.
    fn answers(&self, program: &Program, descending: bool) -> Option<Vec<Owned>> {
        let arena = Arena::new(self.limits.caps);
        let samples = self.task.samples(&arena).ok()?;
        let inputs = self.task.train.iter().chain(&self.task.test);
        inputs
            .map(|pair| {
                let input = pair.input.value(&arena).ok()?;
                let mut cx = Cx::new(&arena, self.limits.fuel, self.stop);
                if descending {
                    cx = cx.descending();
                }
                run(program, Sample { input, samples }, cx).result.ok().map(Owned::new)
            })
            .collect()
    }
}

/// For each node that applies a learned rule, the rule.
fn rules(
    program: &Program,
    task: &Task,
    limits: Limits,
    stop: Option<&AtomicBool>,
) -> Option<Vec<Option<Rule>>> {
    let arena = Arena::new(limits.caps);
    let samples = task.samples(&arena).ok()?;
    let input = task.train.first()?.input.value(&arena).ok()?;
    let values = run(program, Sample { input, samples }, Cx::new(&arena, limits.fuel, stop)).values;
    let mut cx = Cx::new(&arena, limits.fuel, stop);
    let rule = |node: &batt_lang::Node| match node.op {
        Op::Apply if node.args.len() == 2 => {
            let function: Value<'_> = *values.get(node.args[0].index())?;
            lesson::rule_of(&mut cx, function).ok()?
        }
        _ => None,
    };
    Some(program.nodes().iter().map(rule).collect())
}

/// The program with its rules written out; `None` if one cannot be written or if it still learns.
fn write(program: &Program, rules: &[Option<Rule>], precision: Precision) -> Option<Program> {
    let printed = print(program);
    let mut lines = printed.lines();
    let mut text = format!("def {}(I):\n", program.name());
    let mut code = Code::new(precision);
    lines.next()?;
    for (node, rule) in program.nodes().iter().zip(rules) {
        if !matches!(node.op, Op::Call(_) | Op::Apply | Op::Tuple) {
            continue;
        }
        let line = lines.next()?;
        let Some(rule) = rule else {
            writeln!(text, "{line}").ok()?;
            continue;
        };
        // `name = rule(argument)`
        let (name, call) = line.trim().split_once(" = ")?;
        let argument = call.strip_suffix(')')?.split_once('(')?.1;
        let known = code.lines().len();
        let answer = rule.code(&mut code, &Expr::new(argument))?;
        for (name, expr) in &code.lines()[known..] {
            writeln!(text, "    {name} = {expr}").ok()?;
        }
        writeln!(text, "    {name} = {answer}").ok()?;
    }
    writeln!(text, "{}", lines.next()?).ok()?;
    // The parser drops the lines that the result does not need, among them the learners.
    let text = text.replacen("(I):", "(S, I, C):", 1);
    let parsed = parse(&text);
    let written = parsed.programs.into_iter().next().filter(|written| !written.needs_samples())?;
    // Printed again, so that names and lines are those of an ordinary program.
    parse(&print(&written)).programs.into_iter().next()
}

impl Resolution {
    /// One line for a comment above the program: how it was resolved, or why not.
    pub fn comment(&self, task: &Task) -> String {
        let inputs = task.train.len() + task.test.len();
        let checked = format!("the same answers on all {inputs} inputs of {}", task.id);
        match self {
            Resolution::Ordinary { is_arc_dsl: true } => "ordinary program in arc-dsl".to_owned(),
            Resolution::Ordinary { is_arc_dsl: false } => "ordinary program".to_owned(),
            Resolution::Resolved { is_arc_dsl: true, .. } => format!("written out in arc-dsl; {checked}"),
            Resolution::Resolved { is_arc_dsl: false, .. } => format!("written out; {checked}"),
            Resolution::Kept(reason) => format!("not written out: {}", reason.words()),
        }
    }
}
