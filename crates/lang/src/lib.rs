//! Parses, checks, formats and prints programs.
//!
//! The language is the subset of Python that arc-dsl's solvers use: functions of straight-line calls of
//! primitives. [`parse`] never fails. It returns the valid programs of a text, and everything that is wrong
//! with the others as [`Problem`]s with a place in the text. A [`Program`] is a graph of exactly the calls
//! that its result needs, in which equal calls are one node; [`print()`] converts it back to text.
//!
//! ```
//! let parsed = batt_lang::parse("def double_it(I): return double(I)");
//! assert!(parsed.problems.is_empty());
//! assert_eq!(parsed.programs[0].to_string(), "%0 = input\n%1 = double %0\n");
//! ```
//!
//! This crate does not know files, tasks or how programs run.

mod alias;
mod ast;
mod check;
mod compose;
mod format;
mod ir;
mod keyed;
mod learning;
mod lexer;
mod lint;
mod other_names;
mod parser;
mod print;
mod problem;
mod resolve;
mod small_list;
mod suggest;
mod unsupported;

use std::collections::HashSet;

pub use alias::Aliases;
pub use compose::Composer;
pub use format::format;
pub use ir::{Binding, Literal, Mark, Node, NodeId, Op, Param, Program, Role, Use};
pub use learning::{learning_program, learning_program_after};
pub use print::{line_types, print};
pub use problem::{Problem, Severity, Span};
pub use small_list::SmallList;
pub use suggest::suggest;

use ast::{NameId, Names};
use keyed::KeyedMap;
use parser::Parser;
use resolve::Resolver;

/// The programs and problems of a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The programs without errors, in the order of the text.
    pub programs: Vec<Program>,
    /// The first hundred problems in the order of the text, then one that says how many more there are.
    pub problems: Vec<Problem>,
    /// Total number of errors.
    pub n_errors: usize,
    /// Total number of warnings.
    pub n_warnings: usize,
}

/// Options for parsing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Options<'a> {
    /// Names of another dialect.
    pub aliases: Option<&'a Aliases>,
    /// Whether to warn about values whose types certainly do not fit, although the program can be run. Only
    /// lines that the result needs are checked.
    pub lint: bool,
    /// Whether to return every function, also those with errors, as a program that computes all its lines: its
    /// result is a tuple of the assigned values without errors, in the order of the text, and of its result at
    /// the end. Editors use it to show values while a program is incomplete.
    pub every_line: bool,
}

/// Maximum length of a text in bytes. Longer texts are rejected.
pub const MAX_TEXT: usize = 32 << 20;

/// Parses a text. Never fails, and takes time proportional to the length of the text.
pub fn parse(text: &str) -> Parsed {
    if text.len() > MAX_TEXT {
        return too_long();
    }
    parse_text(text, None, Options::default())
}

/// Parses bytes that should be UTF-8, up to the first invalid byte.
pub fn parse_bytes(bytes: &[u8]) -> Parsed {
    parse_bytes_with(bytes, Options::default())
}

/// Parses bytes like [`parse_bytes`], with options.
pub fn parse_bytes_with(bytes: &[u8], options: Options<'_>) -> Parsed {
    if bytes.len() > MAX_TEXT {
        return too_long();
    }
    let (text, truncated) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let (start, n) = (error.valid_up_to(), error.error_len().unwrap_or(1));
            let problem = Problem::error(Span::new(start, start + n), "the text is not UTF-8");
            let problem = problem.label("invalid byte").help("the text after this byte was not read");
            (std::str::from_utf8(&bytes[..start]).unwrap_or_default(), Some(problem))
        }
    };
    parse_text(text, truncated, options)
}

fn too_long() -> Parsed {
    let message = format!("the text is longer than {} MiB", MAX_TEXT >> 20);
    let problems = vec![Problem::error(Span { start: 0, end: 0 }, message)];
    Parsed { programs: Vec::new(), problems, n_errors: 1, n_warnings: 0 }
}

/// Parses a text. `truncated` is the problem of the bytes after it, if they are not UTF-8.
fn parse_text<'t>(text: &'t str, truncated: Option<Problem>, options: Options<'t>) -> Parsed {
    let mut pass = Pass::new(text, truncated.is_some(), HashSet::new(), options);
    // A function of the text hides a primitive of the same name, even in functions above it. This is rare, so
    // the text is parsed a second time only if it happens.
    let functions = pass.hidden_names();
    if !functions.is_empty() {
        pass = Pass::new(text, truncated.is_some(), functions, options);
    }
    let mut problems = pass.parser.problems;
    if let Some(problem) = truncated {
        problems.add(problem);
    }
    let programs = pass.programs.into_iter().flatten().collect();
    let (n_errors, n_warnings) = (problems.n_errors(), problems.n_warnings());
    Parsed { programs, problems: problems.finish(), n_errors, n_warnings }
}

/// Returns the problems of a text that do not depend on the meaning of names.
fn syntax_problems(text: &str) -> Vec<Problem> {
    if text.len() > MAX_TEXT {
        return too_long().problems;
    }
    let mut parser = Parser::new(text, false, Names::new(HashSet::new(), None));
    while parser.next_function() {}
    parser.problems.finish()
}

/// One pass over a text.
struct Pass<'t> {
    parser: Parser<'t>,
    programs: Vec<Option<Program>>,
}

impl<'t> Pass<'t> {
    fn new(text: &'t str, truncated: bool, functions: HashSet<&'t str>, options: Options<'t>) -> Pass<'t> {
        let mut parser = Parser::new(text, truncated, Names::new(functions, options.aliases));
        let mut resolver = Resolver::default();
        let mut programs: Vec<Option<Program>> = Vec::new();
        let mut definitions: KeyedMap<NameId, (usize, u32)> = KeyedMap::default();
        let mut n_problems = 0;
        while parser.next_function() {
            let Parser { function, names, problems, .. } = &mut parser;
            let program = resolver.resolve(text, function, names, problems, options.every_line);
            if let Some(program) = program.as_ref().filter(|_| options.lint) {
                lint::lint(program, text, problems);
            }
            if let Some(head) = function.head {
                // As in Python, the last definition of a name counts, even if it is not a valid program.
                if let Some((index, line)) = definitions.insert(head.name, (programs.len(), head.line)) {
                    programs[index] = None;
                    let name = unsupported::shorten(names[head.name].text);
                    let problem = Problem::warning(head.name_at.span, format!("`{name}` is defined again"));
                    problems.add(problem.label(format!("this definition replaces the one on line {line}")));
                }
                programs.push(program);
            }
            problems.sort_from(n_problems);
            n_problems = problems.len();
        }
        Pass { parser, programs }
    }

    /// Returns the functions of the text if one of them hides a name that was used. Then the text must be
    /// parsed again.
    fn hidden_names(&self) -> HashSet<&'t str> {
        let functions = || self.parser.names.iter().filter(|name| name.function);
        match functions().any(|name| name.global.is_some() || name.unknown) {
            true => functions().map(|name| name.text).collect(),
            false => HashSet::new(),
        }
    }
}
