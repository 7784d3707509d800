//! Python constructs that the language does not have, and the primitives to use instead.

use crate::lexer::{Keyword, Kind};
use crate::problem::{Problem, Span};

/// The position of an unexpected token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// At the start of a value.
    Operand,
    /// After a value.
    After,
}

/// A problem without a span.
pub(crate) struct Unsupported {
    message: String,
    hint: &'static str,
}

impl Unsupported {
    pub(crate) fn at(self, span: Span) -> Problem {
        Problem::error(span, self.message).label(self.hint)
    }
}

/// Returns the problem of a token that starts an unsupported statement.
pub(crate) fn statement(kind: Kind, text: &str) -> Option<Unsupported> {
    let hint = match kind {
        Kind::At => return Some(construct("a decorator", "")),
        Kind::Keyword(Keyword::Def) => return Some(construct("a function inside a function", "")),
        Kind::Keyword(keyword) => match keyword {
            Keyword::If | Keyword::Elif | Keyword::Else => "use `branch(condition, a, b)`",
            Keyword::For => "use `apply(function, container)`",
            Keyword::While => "use `power(function, n)`",
            Keyword::Assert
            | Keyword::Async
            | Keyword::Await
            | Keyword::Break
            | Keyword::Class
            | Keyword::Continue
            | Keyword::Del
            | Keyword::Except
            | Keyword::Finally
            | Keyword::Global
            | Keyword::Nonlocal
            | Keyword::Raise
            | Keyword::Try
            | Keyword::With
            | Keyword::Yield => "",
            _ => return None,
        },
        _ => return None,
    };
    Some(construct(&format!("`{text}`"), hint))
}

/// Returns the problem of a token in place of a parameter.
pub(crate) fn parameter(kind: Kind, text: &str) -> Option<Unsupported> {
    match kind {
        Kind::Star | Kind::StarStar => Some(construct("a starred parameter", "")),
        Kind::Operator if text == "/" => Some(construct("`/` among the parameters", "")),
        _ => None,
    }
}

/// Returns the problem of a token inside an expression. `rest` is the text after it.
pub(crate) fn token(kind: Kind, text: &str, position: Position, rest: &str) -> Option<Unsupported> {
    let operand = position == Position::Operand;
    let (what, hint) = match kind {
        Kind::Float => ("a float", "use an integer"),
        Kind::Text | Kind::OtherString => ("a string", ""),
        Kind::LBracket if operand => ("a list", "use a tuple: `(…)`"),
        Kind::LBracket => ("a subscript", subscript(rest)),
        Kind::LBrace if operand => ("`{…}`", "use `initset(value)` and `insert(value, container)`"),
        Kind::Dot => ("an attribute", ""),
        Kind::Star | Kind::StarStar if operand => ("a starred argument", ""),
        Kind::Keyword(Keyword::For | Keyword::Async) if !operand => {
            ("a comprehension", "use `apply(function, container)` or `sfilter(container, condition)`")
        }
        Kind::Star
        | Kind::StarStar
        | Kind::Minus
        | Kind::At
        | Kind::Operator
        | Kind::Augmented
        | Kind::Walrus
        | Kind::Keyword(_) => return operator(kind, text, operand),
        _ => return None,
    };
    Some(construct(what, hint))
}

/// Returns the problem of a character that no token contains.
pub(crate) fn bad_char(text: &str) -> Unsupported {
    let hint = match text.chars().next() {
        Some('“' | '”' | '‘' | '’') => "a typographic quotation mark",
        Some(c) if c.is_alphanumeric() => "names consist of ASCII letters, digits and `_`",
        _ => "",
    };
    let shown = text.chars().next().map_or(String::new(), |c| match c {
        c if c.is_control() || c.is_whitespace() => format!("U+{:04X}", u32::from(c)),
        c => format!("`{c}`"),
    });
    Unsupported { message: format!("unexpected character {shown}"), hint }
}

/// Shortens a piece of the text for a message.
pub(crate) fn shorten(text: &str) -> String {
    /// Picked by feel.
    const MAX: usize = 40;
    let first = text.lines().next().unwrap_or_default();
    match first.char_indices().nth(MAX) {
        Some((at, _)) => format!("{}…", &first[..at]),
        None => first.to_owned(),
    }
}

fn construct(what: &str, hint: &'static str) -> Unsupported {
    Unsupported { message: format!("{what} is not part of the language"), hint }
}

fn operator(kind: Kind, text: &str, operand: bool) -> Option<Unsupported> {
    let hint = match text {
        "~" => "",
        "not" if operand => "use `flip(b)`",
        "lambda" if operand => "use `compose`, `lbind` or `rbind`",
        "await" | "yield" if operand => "",
        "+" if operand => "remove it",
        _ if operand => return None,
        "+" => "use `add(a, b)`",
        "-" => "use `subtract(a, b)`",
        "*" => "use `multiply(a, b)`",
        "/" | "//" => "use `divide(a, b)`",
        "==" | "is" => "use `equality(a, b)`",
        "!=" => "use `flip(equality(a, b))`",
        ">" => "use `greater(a, b)`",
        "<" => "use `greater(b, a)`",
        ">=" => "use `flip(greater(b, a))`",
        "<=" => "use `flip(greater(a, b))`",
        "and" => "use `both(a, b)`",
        "or" => "use `either(a, b)`",
        "in" => "use `contained(value, container)`",
        "not" => "use `flip(contained(value, container))`",
        "&" => "use `intersection(a, b)`",
        "|" => "use `combine(a, b)`",
        "if" => "use `branch(condition, a, b)`",
        "+=" => "use `add(a, b)`",
        "-=" => "use `subtract(a, b)`",
        "*=" => "use `multiply(a, b)`",
        "/=" | "//=" => "use `divide(a, b)`",
        _ if matches!(kind, Kind::Keyword(_)) => return None,
        _ => "",
    };
    Some(construct(&format!("`{text}`"), hint))
}

fn subscript(rest: &str) -> &'static str {
    let is = |index: &str| {
        let after = rest.trim_start().strip_prefix(index);
        after.is_some_and(|after| after.trim_start().starts_with(']'))
    };
    if is("0") {
        "use `first(container)`"
    } else if is("-1") {
        "use `last(container)`"
    } else {
        ""
    }
}
