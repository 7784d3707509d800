//! Program text to checked programs.
//!
//! The language is the part of Python that arc-dsl's solvers are written in: functions of straight lines, each a
//! call of primitives. [`parse`] reads a text of such functions and never fails; what is wrong with the text comes
//! back as [`Problem`]s with places, beside the programs that are sound. A [`Program`] is a hash-consed graph of
//! the calls its result needs; [`print()`] writes it down again.
//!
//! ```
//! let parsed = batt_lang::parse("def double_it(I): return double(I)");
//! assert!(parsed.problems.is_empty());
//! assert_eq!(parsed.programs[0].to_string(), "%0 = input\n%1 = double %0\n");
//! ```
//!
//! This room knows nothing of tasks, of running programs, or of files.

mod alias;
mod ast;
mod check;
mod compose;
mod foreign;
mod format;
mod ir;
mod few;
mod keyed;
mod learning;
mod lexer;
mod lint;
mod other_names;
mod parser;
mod print;
mod problem;
mod resolve;
mod suggest;

use std::collections::HashSet;

pub use alias::Aliases;
pub use compose::Composer;
pub use few::Few;
pub use format::format;
pub use ir::{Binding, Literal, Mark, Node, NodeId, Op, Param, Program, Role, Use};
pub use learning::{learning_program, learning_program_after};
pub use print::{line_types, print};
pub use problem::{Problem, Severity, Span};
pub use suggest::suggest;

use ast::{NameId, Names};
use keyed::KeyedMap;
use parser::Parser;
use resolve::Resolver;

/// What a text holds.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The programs without errors, in the order of the text.
    pub programs: Vec<Program>,
    /// In the order of the text: the first hundred, and then one that says how many more there are.
    pub problems: Vec<Problem>,
    /// How many errors there are in all.
    pub n_errors: usize,
    /// How many warnings there are in all.
    pub n_warnings: usize,
}

/// How to read a text.
#[derive(Clone, Copy, Default, Debug)]
pub struct Options<'a> {
    /// What names of another dialect mean.
    pub aliases: Option<&'a Aliases>,
    /// Warn also where the types of values certainly do not fit, although the program can be run. Only what the
    /// answer needs is looked at.
    pub lint: bool,
}

/// Longer texts are refused.
pub const MAX_TEXT: usize = 32 << 20;

/// Reads programs. Never fails, and takes time in proportion to the text.
pub fn parse(text: &str) -> Parsed {
    if text.len() > MAX_TEXT {
        return refused();
    }
    read(text, None, Options::default())
}

/// Reads programs from bytes that should be UTF-8. If they are not, it reads up to the first byte that is wrong.
pub fn parse_bytes(bytes: &[u8]) -> Parsed {
    parse_bytes_with(bytes, Options::default())
}

/// As [`parse_bytes`], with options.
pub fn parse_bytes_with(bytes: &[u8], options: Options<'_>) -> Parsed {
    if bytes.len() > MAX_TEXT {
        return refused();
    }
    let (text, cut) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let (start, n) = (error.valid_up_to(), error.error_len().unwrap_or(1));
            let problem = Problem::error(Span::new(start, start + n), "the text is not UTF-8");
            let problem = problem.label("from here on").help("nothing after this place was read");
            (std::str::from_utf8(&bytes[..start]).unwrap_or_default(), Some(problem))
        }
    };
    read(text, cut, options)
}

fn refused() -> Parsed {
    let message = format!("the text is longer than {} MiB", MAX_TEXT >> 20);
    let problems = vec![Problem::error(Span { start: 0, end: 0 }, message)];
    Parsed { programs: Vec::new(), problems, n_errors: 1, n_warnings: 0 }
}

/// `cut`: what is wrong with what follows the text.
fn read<'t>(text: &'t str, cut: Option<Problem>, options: Options<'t>) -> Parsed {
    let mut pass = Pass::new(text, cut.is_some(), HashSet::new(), options);
    // A function of the text hides a primitive of that name, even in functions before it. That is rare, so it is
    // found out only when the text has been read.
    let functions = pass.functions_to_know();
    if !functions.is_empty() {
        pass = Pass::new(text, cut.is_some(), functions, options);
    }
    let mut problems = pass.parser.problems;
    if let Some(problem) = cut {
        problems.add(problem);
    }
    let programs = pass.programs.into_iter().flatten().collect();
    let (n_errors, n_warnings) = (problems.n_errors(), problems.n_warnings());
    Parsed { programs, problems: problems.finish(), n_errors, n_warnings }
}

/// What is wrong with a text before its names mean anything.
fn syntax_problems(text: &str) -> Vec<Problem> {
    if text.len() > MAX_TEXT {
        return refused().problems;
    }
    let mut parser = Parser::new(text, false, Names::new(HashSet::new(), None));
    while parser.next_function() {}
    parser.problems.finish()
}

/// One reading of a text.
struct Pass<'t> {
    parser: Parser<'t>,
    programs: Vec<Option<Program>>,
}

impl<'t> Pass<'t> {
    fn new(text: &'t str, cut: bool, functions: HashSet<&'t str>, options: Options<'t>) -> Pass<'t> {
        let mut parser = Parser::new(text, cut, Names::new(functions, options.aliases));
        let mut resolver = Resolver::default();
        let mut programs: Vec<Option<Program>> = Vec::new();
        let mut places: KeyedMap<NameId, (usize, u32)> = KeyedMap::default();
        let mut n_problems = 0;
        while parser.next_function() {
            let Parser { function, names, problems, .. } = &mut parser;
            let program = resolver.resolve(text, function, names, problems);
            if let Some(program) = program.as_ref().filter(|_| options.lint) {
                lint::lint(program, text, problems);
            }
            if let Some(head) = function.head {
                // The last function of a name counts, as in Python, even if it is no program.
                if let Some((place, line)) = places.insert(head.name, (programs.len(), head.line)) {
                    programs[place] = None;
                    let name = foreign::shorten(names[head.name].text);
                    let problem = Problem::warning(head.name_at.span, format!("`{name}` is defined again"));
                    problems.add(problem.label(format!("this one counts, not that of line {line}")));
                }
                programs.push(program);
            }
            problems.sort_from(n_problems);
            n_problems = problems.len();
        }
        Pass { parser, programs }
    }

    /// The functions of the text, if it must be read again with knowledge of them.
    fn functions_to_know(&self) -> HashSet<&'t str> {
        let functions = || self.parser.names.iter().filter(|name| name.function);
        match functions().any(|name| name.global.is_some() || name.unknown) {
            true => functions().map(|name| name.text).collect(),
            false => HashSet::new(),
        }
    }
}
