//! Rules written out in the language.
//!
//! A rule that is more than a table of numbers can often be said with the primitives of the language. [`Code`] collects
//! the lines of such a program. It is text: this crate does not know how programs are read or run. The
//! caller runs the program on all inputs of the task and discards it if it differs from the rule, so a line need not be
//! right on every input there is.

use std::fmt;

use crate::image::Direction;

/// An expression of the language: a name or a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr(String);

impl Expr {
    pub fn new(text: impl Into<String>) -> Expr {
        Expr(text.into())
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How exactly code says what a rule does where the language has a simpler way for most inputs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Precision {
    /// The background is black, objects are those of arc-dsl.
    Simple,
    /// The background is computed; objects are everything that is not background.
    Exact,
    /// The same, and what arc-dsl has no words for is left to the language's own additions.
    Extended,
}

impl Precision {
    /// From the shortest code to the most faithful.
    pub const ALL: [Precision; 3] = [Precision::Simple, Precision::Exact, Precision::Extended];
}

/// The lines of a program under construction.
pub struct Code {
    lines: Vec<(String, Expr)>,
    precision: Precision,
}

impl Code {
    pub fn new(precision: Precision) -> Code {
        Code { lines: Vec::new(), precision }
    }

    /// The lines so far: the name of each result, and the expression.
    pub fn lines(&self) -> &[(String, Expr)] {
        &self.lines
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.precision >= Precision::Exact
    }

    pub(crate) fn is_extended(&self) -> bool {
        self.precision == Precision::Extended
    }

    /// Adds a line and returns the name of its result; a line that is there already is used again.
    pub(crate) fn line(&mut self, text: impl Into<String>) -> Expr {
        let expr = Expr(text.into());
        if expr.0.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return expr;
        }
        if let Some((name, _)) = self.lines.iter().find(|(_, known)| *known == expr) {
            return Expr(name.clone());
        }
        let name = format!("v{}", self.lines.len() + 1);
        self.lines.push((name.clone(), expr));
        Expr(name)
    }

    /// Adds a line written with `I` for a grid and `B` for its background.
    pub(crate) fn template(&mut self, template: &str, grid: &Expr) -> Expr {
        let mut text = String::new();
        let mut rest = template;
        while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic()) {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = rest[start..].find(|c: char| !word(c)).map_or(rest.len(), |n| start + n);
            text += &rest[..start];
            match &rest[start..end] {
                "I" => text += &grid.0,
                "B" => text += &self.background(grid).0,
                other => text += other,
            }
            rest = &rest[end..];
        }
        text += rest;
        self.line(text)
    }

    /// The background of a grid: black if there is any, else its commonest colour.
    pub(crate) fn background(&mut self, grid: &Expr) -> Expr {
        if !self.is_exact() {
            return Expr("ZERO".to_owned());
        }
        self.line(format!("branch(contained(ZERO, palette({grid})), ZERO, mostcolor({grid}))"))
    }

    /// All places of a grid at which a function of the place is true.
    pub(crate) fn places(&mut self, grid: &Expr, predicate: &Expr) -> Expr {
        let all = self.line(format!("asindices({grid})"));
        self.line(format!("sfilter({all}, {predicate})"))
    }
}

/// A number, or a colour, as arc-dsl's constant or a literal.
pub(crate) fn number(n: i64) -> String {
    const NAMES: [&str; 13] = [
        "NEG_TWO", "NEG_ONE", "ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE",
        "TEN",
    ];
    usize::try_from(n + 2)
        .ok()
        .and_then(|i| NAMES.get(i))
        .map_or_else(|| n.to_string(), |&name| name.to_owned())
}

/// A step as the language's constant or literal.
pub(crate) fn vector((down, right): (i32, i32)) -> String {
    match (down, right) {
        (1, 0) => "DOWN".to_owned(),
        (0, 1) => "RIGHT".to_owned(),
        (-1, 0) => "UP".to_owned(),
        (0, -1) => "LEFT".to_owned(),
        (0, 0) => "ORIGIN".to_owned(),
        (1, 1) => "UNITY".to_owned(),
        (-1, -1) => "NEG_UNITY".to_owned(),
        (-1, 1) => "UP_RIGHT".to_owned(),
        (1, -1) => "DOWN_LEFT".to_owned(),
        _ => format!("({down}, {right})"),
    }
}

/// A direction as the language's constant.
pub(crate) fn direction(direction: Direction) -> String {
    vector(direction.step())
}

/// A predicate on numbers: equal to a value, or at least as large.
pub(crate) fn compare(value: u8, at_least: bool, of: &str) -> String {
    if at_least {
        format!("compose(rbind(greater, {}), {of})", number(i64::from(value) - 1))
    } else {
        format!("matcher({of}, {})", number(value.into()))
    }
}
