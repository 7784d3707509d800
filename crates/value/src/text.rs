//! The text form of values, for people, docs and tests. Parsing the text of a value gives the same value.
//!
//! ```text
//! None  True  -7  (1, 2)  (1,)  {1, 2}  {}      as in Python, with {} for the empty set
//! [1 0 | 0 1]                                    a grid, short for ((1, 0), (0, 1))
//! rot90   compose(rot90, first)                  functions
//! ```

use std::fmt;

use crate::{Arena, Fail, Op, Symbol, Value};

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::None => f.write_str("None"),
            Value::Bool(_) => f.write_str(if self.truth() { "True" } else { "False" }),
            Value::Int(int) => write!(f, "{int}"),
            Value::Pair(pair) => write!(f, "({}, {})", pair.row(), pair.col()),
            Value::Cell(cell) => write!(f, "({}, ({}, {}))", cell.color(), cell.row(), cell.col()),
            Value::Row(row) if row.cells.len() == 1 => write!(f, "({},)", row.cells[0]),
            Value::Row(row) => separated(f, "(", row.cells.iter(), ")"),
            Value::Grid(grid) => {
                for (i, row) in grid.rows().enumerate() {
                    f.write_str(if i == 0 { "[" } else { " | " })?;
                    for (j, cell) in row.iter().enumerate() {
                        write!(f, "{}{cell}", if j == 0 { "" } else { " " })?;
                    }
                }
                f.write_str("]")
            }
            Value::Tuple(tuple) if tuple.items.len() == 1 => write!(f, "({},)", tuple.items[0]),
            Value::Tuple(tuple) => separated(f, "(", tuple.items.iter(), ")"),
            Value::Patch(patch) => separated(f, "{", patch.iter(), "}"),
            Value::Set(set) => separated(f, "{", set.items.iter(), "}"),
            Value::Prim(symbol) => f.write_str(symbol.name),
            Value::Func(closure) => {
                f.write_str(closure.op.name())?;
                separated(f, "(", closure.captured.iter(), ")")
            }
        }
    }
}

fn separated<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    open: &str,
    items: impl Iterator<Item = T>,
    close: &str,
) -> fmt::Result {
    f.write_str(open)?;
    for (i, item) in items.enumerate() {
        write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
    }
    f.write_str(close)
}

/// A name in a text: alone, or called with arguments.
pub enum Name<'n, 'a> {
    Alone(&'n str),
    Called(&'n str, Vec<Value<'a>>),
}

/// A syntax error or a failed call in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextError {
    /// In bytes.
    pub offset: usize,
    pub message: String,
    /// Set if a call in the text failed.
    pub fail: Option<Fail>,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for TextError {}

/// Parses a value from its text form. `symbol` finds primitives.
pub fn parse<'a>(
    text: &str,
    arena: &'a Arena,
    symbol: &dyn Fn(&str) -> Option<&'static Symbol>,
) -> Result<Value<'a>, TextError> {
    let mut names = |name: Name<'_, 'a>| match name {
        Name::Alone(name) => match symbol(name) {
            Some(symbol) => Ok(Value::Prim(symbol)),
            None => Err(Err(format!("`{name}` is not a primitive"))),
        },
        Name::Called(name, captured) => match Op::from_name(name) {
            Some(op) if captured.len() == op.n_captured() => arena.closure(op, &captured).map_err(Ok),
            _ => Err(Err(format!("`{name}` with {} arguments does not make a function", captured.len()))),
        },
    };
    let (value, rest) = parse_prefix(text, arena, &mut names)?;
    match rest.trim_start() {
        "" => Ok(value),
        _ => Err(TextError {
            offset: text.len() - rest.len(),
            message: "expected the end of the text".into(),
            fail: None,
        }),
    }
}

/// Looks up names for [`parse_prefix`]. Returns a value, a failure (`Err(Ok)`) or an error message
/// (`Err(Err)`).
type Names<'f, 'a> = dyn FnMut(Name<'_, 'a>) -> Result<Value<'a>, Result<Fail, String>> + 'f;

/// Parses a value at the start of `text`, and returns it with the rest of the text. `names` looks up names.
pub fn parse_prefix<'t, 'a>(
    text: &'t str,
    arena: &'a Arena,
    names: &mut Names<'_, 'a>,
) -> Result<(Value<'a>, &'t str), TextError> {
    let mut parser = Parser { text, at: 0, depth: 0, arena, names };
    let value = parser.value()?;
    Ok((value, &text[parser.at..]))
}

/// Deeper nesting is an error, so that no text can exhaust the stack.
const MAX_NESTING: usize = 1000;

struct Parser<'t, 'f, 'g, 'a> {
    text: &'t str,
    at: usize,
    depth: usize,
    arena: &'a Arena,
    names: &'f mut Names<'g, 'a>,
}

impl<'t, 'a> Parser<'t, '_, '_, 'a> {
    fn value(&mut self) -> Result<Value<'a>, TextError> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return self.error(format!("nested deeper than {MAX_NESTING}"));
        }
        let value = match self.peek() {
            Some('(') => {
                let (items, comma) = self.list('(', ')')?;
                match *items {
                    [item] if !comma => item,
                    _ => self.check(self.arena.tuple(&items))?,
                }
            }
            Some('{') => {
                let (items, _) = self.list('{', '}')?;
                self.check(self.arena.set(&items))?
            }
            Some('[') => self.grid()?,
            Some('-' | '0'..='9') => self.int()?,
            Some('a'..='z' | 'A'..='Z' | '_') => self.name()?,
            _ => return self.error("expected a value".into()),
        };
        self.depth -= 1;
        Ok(value)
    }

    fn list(&mut self, open: char, close: char) -> Result<(Vec<Value<'a>>, bool), TextError> {
        self.expect(open)?;
        let mut items = Vec::new();
        let mut comma = false;
        while self.peek() != Some(close) {
            if !items.is_empty() && !comma {
                return self.error(format!("expected `,` or `{close}`"));
            }
            items.push(self.value()?);
            comma = self.peek() == Some(',');
            if comma {
                self.at += 1;
            }
        }
        self.expect(close)?;
        Ok((items, comma))
    }

    fn grid(&mut self) -> Result<Value<'a>, TextError> {
        self.expect('[')?;
        let mut rows = Vec::new();
        let mut row = Vec::new();
        loop {
            match self.peek() {
                Some('-' | '0'..='9') => row.push(self.int()?),
                Some(end @ ('|' | ']')) => {
                    self.at += 1;
                    rows.push(self.check(self.arena.tuple(&row))?);
                    row.clear();
                    if end == ']' {
                        return self.check(self.arena.tuple(&rows));
                    }
                }
                _ => return self.error("expected a colour, `|` or `]`".into()),
            }
        }
    }

    fn int(&mut self) -> Result<Value<'a>, TextError> {
        let digits = self.take_while(|i, c| c.is_ascii_digit() || (i == 0 && c == '-'));
        match digits.parse() {
            Ok(int) => Ok(Value::Int(int)),
            Err(_) => self.error(format!("`{digits}` is not a 64-bit integer")),
        }
    }

    fn name(&mut self) -> Result<Value<'a>, TextError> {
        let name = self.take_while(|_, c| c.is_ascii_alphanumeric() || c == '_');
        match name {
            "None" => return Ok(Value::None),
            "True" => return Ok(Value::TRUE),
            "False" => return Ok(Value::FALSE),
            _ => {}
        }
        let name = if self.peek() == Some('(') {
            Name::Called(name, self.list('(', ')')?.0)
        } else {
            Name::Alone(name)
        };
        match (self.names)(name) {
            Ok(value) => Ok(value),
            Err(Ok(fail)) => self.check(Err(fail)),
            Err(Err(message)) => self.error(message),
        }
    }

    fn peek(&mut self) -> Option<char> {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest.chars().next()
    }

    fn expect(&mut self, wanted: char) -> Result<(), TextError> {
        if self.peek() != Some(wanted) {
            return self.error(format!("expected `{wanted}`"));
        }
        self.at += wanted.len_utf8();
        Ok(())
    }

    fn take_while(&mut self, keep: impl Fn(usize, char) -> bool) -> &'t str {
        let rest = &self.text[self.at..];
        let n = rest.char_indices().find(|&(i, c)| !keep(i, c)).map_or(rest.len(), |(i, _)| i);
        self.at += n;
        &rest[..n]
    }

    fn check(&self, value: Result<Value<'a>, Fail>) -> Result<Value<'a>, TextError> {
        value.map_err(|fail| TextError { offset: self.at, message: fail.to_string(), fail: Some(fail) })
    }

    fn error<T>(&self, message: String) -> Result<T, TextError> {
        Err(TextError { offset: self.at, message, fail: None })
    }
}
