//! Alias files: the names that other dialects use for primitives and constants.

use std::collections::BTreeMap;

use crate::lexer::{Kind, Lexer};
use crate::problem::{Problem, Span};
use crate::resolve::{Global, suggestion};
use crate::unsupported::shorten;

/// The names of another dialect. They hide primitives and constants of the same name.
#[derive(Clone, Default, Debug)]
pub struct Aliases {
    /// Meaning of each name, and the line that defines it.
    names: BTreeMap<String, (Global, u32)>,
}

impl Aliases {
    /// Parses lines of the form `their_name = our_name`; `#` starts a comment. Returns all problems if there
    /// are any.
    ///
    /// ```
    /// # use batt_lang::{Aliases, Options, parse_bytes_with};
    /// let aliases = Aliases::parse("# mirrors\nflip_rows = hmirror\n").unwrap();
    /// let options = Options { aliases: Some(&aliases), ..Options::default() };
    /// let parsed = parse_bytes_with(b"def f(I): return flip_rows(I)", options);
    /// assert_eq!(parsed.programs[0].to_string(), "%0 = input\n%1 = hmirror %0\n");
    /// ```
    pub fn parse(text: &str) -> Result<Aliases, Vec<Problem>> {
        let (mut aliases, mut problems) = (Aliases::default(), Vec::new());
        let mut start = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            if let Err(problem) = aliases.line(line, start, index as u32 + 1) {
                problems.push(problem);
            }
            start += line.len();
        }
        if problems.is_empty() { Ok(aliases) } else { Err(problems) }
    }

    /// Parses the line that starts at `start`.
    fn line(&mut self, line: &str, start: usize, number: u32) -> Result<(), Problem> {
        let code = line.split('#').next().unwrap_or_default().trim();
        if code.is_empty() {
            return Ok(());
        }
        let span_of = |part: &str| {
            let at = start + (part.as_ptr().addr() - line.as_ptr().addr());
            Span::new(at, at + part.len())
        };
        let sides = code.split_once('=').map(|(theirs, ours)| (theirs.trim(), ours.trim()));
        let Some((theirs, ours)) = sides.filter(|(theirs, ours)| !theirs.is_empty() && !ours.is_empty())
        else {
            return Err(Problem::error(span_of(code), "expected `their_name = our_name`"));
        };
        if !is_name(theirs) {
            return Err(Problem::error(span_of(theirs), format!("`{}` is not a name", shorten(theirs))));
        }
        let Some(global) = Global::find(ours) else {
            let message = format!("`{}` is neither a primitive nor a constant", shorten(ours));
            let label = suggestion(ours, std::iter::empty()).unwrap_or_default();
            return Err(Problem::error(span_of(ours), message).label(label));
        };
        match self.names.get(theirs) {
            Some((_, first)) => {
                let message = format!("`{}` is defined again", shorten(theirs));
                Err(Problem::error(span_of(theirs), message).label(format!("first defined on line {first}")))
            }
            None => {
                self.names.insert(theirs.to_owned(), (global, number));
                Ok(())
            }
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<Global> {
        self.names.get(name).map(|(global, _)| *global)
    }
}

/// Returns whether a program can use the word as a name.
fn is_name(word: &str) -> bool {
    let token = Lexer::new(word, false).next();
    token.kind == Kind::Name && token.span.range() == (0..word.len())
}
