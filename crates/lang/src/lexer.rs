//! Splits text into tokens, one at a time and in one pass. Never fails: invalid input becomes a token that no
//! rule of the grammar accepts.

use crate::ir::At;
use crate::problem::Span;

/// Maximum nesting of brackets, as in CPython.
pub(crate) const MAX_NESTING: u32 = 200;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Whether it is the first token on its line, and the line does not continue another one after a
    /// backslash.
    pub(crate) first: bool,
    pub(crate) line: u32,
    pub(crate) span: Span,
}

impl Token {
    pub(crate) fn at(&self) -> At {
        At { span: self.span, line: self.line }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    End,
    /// The end of a logical line.
    Newline,
    Name,
    Int,
    Float,
    /// `12abc`, `0x`, `1__0`.
    BadNumber,
    /// A string that can be a docstring.
    Text,
    /// A bytes or format string.
    OtherString,
    UnclosedString,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Comma,
    Colon,
    Semicolon,
    Assign,
    Arrow,
    Dot,
    At,
    Walrus,
    Star,
    StarStar,
    Minus,
    /// Any other operator.
    Operator,
    /// `+=` and similar.
    Augmented,
    Keyword(Keyword),
    BadChar,
    /// A backslash that is not at the end of its line.
    BadBackslash,
    /// A bracket that is nested too deep.
    TooDeep,
    /// The end of the readable text, before a byte that is not UTF-8.
    NotUtf8,
}

macro_rules! keywords {
    ($($name:ident $text:literal),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Keyword { $($name),* }

        impl Keyword {
            fn find(name: &[u8]) -> Option<Keyword> {
                match name {
                    $($text => Some(Keyword::$name),)*
                    _ => None,
                }
            }
        }
    };
}

keywords! {
    And b"and", As b"as", Assert b"assert", Async b"async", Await b"await", Break b"break", Class b"class",
    Continue b"continue", Def b"def", Del b"del", Elif b"elif", Else b"else", Except b"except",
    False b"False", Finally b"finally", For b"for", From b"from", Global b"global", If b"if",
    Import b"import", In b"in", Is b"is", Lambda b"lambda", None b"None", Nonlocal b"nonlocal", Not b"not",
    Or b"or", Pass b"pass", Raise b"raise", Return b"return", True b"True", Try b"try", While b"while",
    With b"with", Yield b"yield",
}

/// The indentation of a line, measured with tabs to multiples of eight and with tabs of width one. Two lines
/// have the same indentation if both measures agree, as in CPython.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Indent {
    pub(crate) wide: u32,
    pub(crate) narrow: u32,
}

impl Indent {
    /// Compares two indentations. Returns `None` if the result depends on the width of a tab.
    pub(crate) fn compare(self, other: Indent) -> Option<std::cmp::Ordering> {
        let wide = self.wide.cmp(&other.wide);
        (wide == self.narrow.cmp(&other.narrow)).then_some(wide)
    }
}

pub(crate) struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    line: u32,
    /// Whether the next token is the first on its line.
    at_line_start: bool,
    /// Indentation of the current line.
    pub(crate) indent: Indent,
    /// Number of open brackets.
    pub(crate) depth: u32,
    /// Whether bytes that are not UTF-8 follow the text.
    truncated: bool,
    /// Whether an unclosed `'''` or `"""` was found. Without this, a text full of them would be read many
    /// times.
    unclosed_triple: [bool; 2],
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str, truncated: bool) -> Lexer<'t> {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer {
            text,
            bytes: text.as_bytes(),
            at,
            line: 1,
            at_line_start: true,
            indent: Indent::default(),
            depth: 0,
            truncated,
            unclosed_triple: [false; 2],
        }
    }

    /// Creates a lexer that reads a part of the text again, from `start` to `end`.
    pub(crate) fn between(text: &'t str, start: Token, end: u32) -> Lexer<'t> {
        let text = &text[..end as usize];
        Lexer { at: start.span.start as usize, line: start.line, ..Lexer::new(text, false) }
    }

    pub(crate) fn next(&mut self) -> Token {
        if let Some(token) = self.skip_blanks() {
            return token;
        }
        let (first, line, start) = (self.at_line_start, self.line, self.at);
        self.at_line_start = false;
        let kind = self.token();
        Token { kind, first, line, span: Span::new(start, self.at) }
    }

    /// Returns whether `=` follows, and not `==`.
    pub(crate) fn assignment_follows(&self) -> bool {
        let rest = &self.bytes[self.at..];
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        rest.get(blanks) == Some(&b'=') && rest.get(blanks + 1) != Some(&b'=')
    }

    fn peek(&self, ahead: usize) -> u8 {
        // No token contains a NUL, so it can represent the end.
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips blanks and comments. Returns a token if the line or the text ends.
    fn skip_blanks(&mut self) -> Option<Token> {
        if self.at_line_start {
            self.indent = Indent::default();
        } else {
            while self.bytes.get(self.at) == Some(&b' ') {
                self.at += 1;
            }
        }
        // If the indentation itself continues after a backslash, its first part counts.
        let mut first_part = Indent::default();
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | 0x0c => self.blank(byte),
                b'#' => self.comment(),
                b'\n' | b'\r' if self.at_line_start || self.depth > 0 => {
                    self.line_break();
                    self.at_line_start = true;
                    self.indent = Indent::default();
                    first_part = Indent::default();
                }
                b'\n' | b'\r' => {
                    let token = self.empty_token(Kind::Newline);
                    self.line_break();
                    self.at_line_start = true;
                    return Some(token);
                }
                b'\\' if matches!(self.peek(1), b'\n' | b'\r') => {
                    let token = self.empty_token(Kind::BadBackslash);
                    self.at += 1;
                    self.line_break();
                    // A line cannot continue after the end of the text.
                    if self.at == self.bytes.len() {
                        return Some(token);
                    }
                    if self.at_line_start {
                        first_part = if first_part.wide > 0 { first_part } else { self.indent };
                        self.indent = Indent::default();
                    }
                }
                _ => {
                    self.indent = if first_part.wide > 0 { first_part } else { self.indent };
                    return None;
                }
            }
        }
        let kind = if self.truncated { Kind::NotUtf8 } else { Kind::End };
        self.truncated = false;
        Some(self.empty_token(kind))
    }

    /// Returns a token without text at the current position.
    fn empty_token(&self, kind: Kind) -> Token {
        Token { kind, first: self.at_line_start, line: self.line, span: Span::new(self.at, self.at) }
    }

    fn blank(&mut self, byte: u8) {
        self.at += 1;
        if self.at_line_start {
            let Indent { wide, narrow } = self.indent;
            self.indent = match byte {
                b' ' => Indent { wide: wide + 1, narrow: narrow + 1 },
                b'\t' => Indent { wide: (wide / 8 + 1) * 8, narrow: narrow + 1 },
                _ => Indent::default(),
            };
        }
    }

    fn comment(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    }

    fn line_break(&mut self) {
        self.at += if self.bytes[self.at..].starts_with(b"\r\n") { 2 } else { 1 };
        self.line += 1;
    }

    fn token(&mut self) -> Kind {
        match self.bytes[self.at] {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'\'' | b'"' => self.string(Kind::Text),
            b'(' => self.open(Kind::LParen),
            b'[' => self.open(Kind::LBracket),
            b'{' => self.open(Kind::LBrace),
            b')' => self.close(Kind::RParen),
            b']' => self.close(Kind::RBracket),
            b'}' => self.close(Kind::RBrace),
            b',' => self.take(1, Kind::Comma),
            b';' => self.take(1, Kind::Semicolon),
            b'.' => self.take(1, Kind::Dot),
            b'\\' => self.take(1, Kind::BadBackslash),
            _ => self.operator(),
        }
    }

    fn take(&mut self, n: usize, kind: Kind) -> Kind {
        self.at += n;
        kind
    }

    fn open(&mut self, kind: Kind) -> Kind {
        self.depth += 1;
        self.take(1, if self.depth > MAX_NESTING { Kind::TooDeep } else { kind })
    }

    fn close(&mut self, kind: Kind) -> Kind {
        self.depth = self.depth.saturating_sub(1);
        self.take(1, kind)
    }

    fn operator(&mut self) -> Kind {
        let (first, second, third) = (self.peek(0), self.peek(1), self.peek(2));
        match (first, second) {
            (b'=', b'=') | (b'!', b'=') | (b'<', b'=') | (b'>', b'=') => self.take(2, Kind::Operator),
            (b'*', b'*') | (b'/', b'/') | (b'<', b'<') | (b'>', b'>') if third == b'=' => {
                self.take(3, Kind::Augmented)
            }
            (b'*', b'*') => self.take(2, Kind::StarStar),
            (b'/', b'/') | (b'<', b'<') | (b'>', b'>') => self.take(2, Kind::Operator),
            (b'-', b'>') => self.take(2, Kind::Arrow),
            (b':', b'=') => self.take(2, Kind::Walrus),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^', b'=') => {
                self.take(2, Kind::Augmented)
            }
            (b'=', _) => self.take(1, Kind::Assign),
            (b':', _) => self.take(1, Kind::Colon),
            (b'@', _) => self.take(1, Kind::At),
            (b'*', _) => self.take(1, Kind::Star),
            (b'-', _) => self.take(1, Kind::Minus),
            (b'+' | b'/' | b'%' | b'&' | b'|' | b'^' | b'~' | b'<' | b'>', _) => self.take(1, Kind::Operator),
            _ => {
                let n = self.text[self.at..].chars().next().map_or(1, char::len_utf8);
                self.take(n, Kind::BadChar)
            }
        }
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|&byte| WORD[usize::from(byte)]) {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        if word.len() <= 2 && matches!(self.peek(0), b'\'' | b'"') {
            let has = |letters: &[u8]| word.iter().any(|byte| letters.contains(&byte.to_ascii_lowercase()));
            if word.iter().all(|byte| b"rbuft".contains(&byte.to_ascii_lowercase())) {
                return self.string(if has(b"bft") { Kind::OtherString } else { Kind::Text });
            }
        }
        Keyword::find(word).map_or(Kind::Name, Kind::Keyword)
    }

    /// Reads everything that could belong to a number. [`int`] parses the value of an integer.
    fn number(&mut self) -> Kind {
        let start = self.at;
        let radix = self.peek(0) == b'0' && matches!(self.peek(1) | 0x20, b'x' | b'o' | b'b');
        let mut float = false;
        loop {
            let byte = self.peek(0);
            let exponent = matches!(self.bytes[self.at.max(start + 1) - 1], b'e' | b'E') && !radix;
            match byte {
                b'.' if !radix => float = true,
                b'+' | b'-' if exponent && self.at > start => float = true,
                byte if WORD[usize::from(byte)] => {}
                _ => break,
            }
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
        if float || (!radix && text.ends_with(['j', 'J'])) {
            return Kind::Float;
        }
        match text.split_once(['e', 'E']) {
            Some((whole, exponent))
                if !radix && digits(whole) && digits(exponent) && !exponent.is_empty() =>
            {
                Kind::Float
            }
            _ if is_int(text) => Kind::Int,
            _ => Kind::BadNumber,
        }
    }

    fn string(&mut self, kind: Kind) -> Kind {
        let quote = self.peek(0);
        let triple = self.peek(1) == quote && self.peek(2) == quote;
        if !triple {
            return self.short_string(quote, kind);
        }
        let which = usize::from(quote == b'"');
        let (at, line) = (self.at + 3, self.line);
        if !self.unclosed_triple[which] && self.long_string(quote) {
            return kind;
        }
        if self.truncated {
            return self.unclosed();
        }
        // The rest of the text may be valid, so only this line is skipped.
        self.unclosed_triple[which] = true;
        (self.at, self.line) = (at, line);
        self.comment();
        Kind::UnclosedString
    }

    fn short_string(&mut self, quote: u8, kind: Kind) -> Kind {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' | b'\r' => return Kind::UnclosedString,
                b'\\' => self.escape(),
                _ => self.at += 1,
            }
            if byte == quote {
                return kind;
            }
        }
        self.unclosed()
    }

    /// Returns the token for a string that reaches the end of the text. It may continue after bytes that are
    /// not UTF-8.
    fn unclosed(&mut self) -> Kind {
        let kind = if self.truncated { Kind::NotUtf8 } else { Kind::UnclosedString };
        self.truncated = false;
        kind
    }

    fn long_string(&mut self, quote: u8) -> bool {
        self.at += 3;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' | b'\r' => self.line_break(),
                b'\\' => self.escape(),
                _ if byte == quote && self.peek(1) == quote && self.peek(2) == quote => {
                    self.at += 3;
                    return true;
                }
                _ => self.at += 1,
            }
        }
        false
    }

    /// Skips a backslash and the character after it.
    fn escape(&mut self) {
        self.at += 1;
        match self.bytes.get(self.at) {
            Some(b'\n' | b'\r') => self.line_break(),
            // This skips only the first byte of a longer character; its other bytes never end a string.
            Some(_) => self.at += 1,
            None => {}
        }
    }
}

/// Returns the value of an integer token, or `None` if it has more than 64 bits.
pub(crate) fn int(text: &str) -> Option<u64> {
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (&text[2..], 16),
        Some("0o" | "0O") => (&text[2..], 8),
        Some("0b" | "0B") => (&text[2..], 2),
        _ => (text, 10),
    };
    digits.bytes().filter(|byte| *byte != b'_').try_fold(0u64, |value, byte| {
        let digit = (byte as char).to_digit(radix)?;
        value.checked_mul(radix.into())?.checked_add(digit.into())
    })
}

/// The bytes that can be part of a word.
static WORD: [bool; 256] = {
    let mut word = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        word[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    word
};

/// Returns whether a number is an integer by Python's rules: underscores only between digits or after the
/// prefix, no leading zeros.
fn is_int(text: &str) -> bool {
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (&text[2..], 16),
        Some("0o" | "0O") => (&text[2..], 8),
        Some("0b" | "0B") => (&text[2..], 2),
        _ => (text, 10),
    };
    let digits = if radix == 10 { digits } else { digits.strip_prefix('_').unwrap_or(digits) };
    let grouped = digits
        .split('_')
        .all(|group| !group.is_empty() && group.bytes().all(|byte| (byte as char).is_digit(radix)));
    let leading_zero =
        radix == 10 && digits.starts_with('0') && digits.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    grouped && !leading_zero
}
