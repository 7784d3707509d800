//! A JSON reader that keeps track of its byte position.
//!
//! Tasks are almost entirely digits and commas. Reading those by hand is several times faster than a general
//! parser, and errors can name the pair and the task. Rare cases (escapes in strings, values under unknown
//! keys) are left to `serde_json`.

use std::borrow::Cow;

use memchr::{memchr2, memchr3};
use serde::de::IgnoredAny;

use crate::grid::{Grid, GridError};
use crate::problem::Flaw;

/// A position in a text. Cheap to copy, so a copy can serve as a bookmark.
#[derive(Clone, Copy)]
pub(crate) struct Json<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Json<'a> {
    /// Reads `bytes` from position `at`. To read only a part, truncate `bytes` at the end, so that positions
    /// stay positions in the file.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Json<'a> {
        Json { bytes, at }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Returns the next byte that is not white space, without consuming it.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// Reads `{"key": …, …}`; `each` reads the values.
    pub(crate) fn object(
        &mut self,
        what: &str,
        mut each: impl FnMut(&mut Self, Cow<'a, str>, usize) -> Result<(), Flaw>,
    ) -> Result<(), Flaw> {
        self.token(b'{', what)?;
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            self.peek();
            let key_at = self.at;
            let key = self.string("a key in double quotes")?;
            self.token(b':', "`:`")?;
            each(self, key, key_at)?;
            if self.take(b'}') {
                return Ok(());
            }
            self.token(b',', "`,` or `}`")?;
        }
    }

    /// Reads `[…, …]`; `each` reads the items.
    pub(crate) fn array(
        &mut self,
        what: &str,
        mut each: impl FnMut(&mut Self) -> Result<(), Flaw>,
    ) -> Result<(), Flaw> {
        self.token(b'[', what)?;
        if self.take(b']') {
            return Ok(());
        }
        loop {
            each(self)?;
            if self.take(b']') {
                return Ok(());
            }
            self.token(b',', "`,` or `]`")?;
        }
    }

    /// Reads `[[0, 1], [2, 3]]`, using `scratch` for the cells.
    pub(crate) fn grid(&mut self, scratch: &mut Vec<i8>) -> Result<Grid, Flaw> {
        scratch.clear();
        self.peek();
        let start = self.at;
        let (mut width, mut rows) = (0, 0);
        self.array("a grid: a list of rows", |json| {
            json.peek();
            let (at, before) = (json.at, scratch.len());
            json.row(rows, scratch)?;
            let cells = scratch.len() - before;
            let error = match cells {
                0 => GridError::EmptyRow { row: rows },
                _ if cells > Grid::MAX_SIDE => GridError::TooWide { row: rows, cells },
                _ if rows > 0 && cells != width => GridError::Ragged { row: rows, cells, before: width },
                _ => {
                    (width, rows) = (cells, rows + 1);
                    return Ok(());
                }
            };
            Err(Flaw::new(at, error.to_string()))
        })?;
        Grid::from_checked(width, scratch).map_err(|error| Flaw::new(start, error.to_string()))
    }

    /// Appends the colours of one row.
    fn row(&mut self, row: usize, cells: &mut Vec<i8>) -> Result<(), Flaw> {
        self.token(b'[', "a row: a list of colours")?;
        if self.take(b']') {
            return Ok(());
        }
        let start = cells.len();
        loop {
            // Fast path: a digit and a comma, possibly followed by a space.
            match self.bytes.get(self.at..) {
                Some([digit @ b'0'..=b'9', b',', b' ', ..]) => {
                    cells.push((digit - b'0') as i8);
                    self.at += 3;
                }
                Some([digit @ b'0'..=b'9', b',', ..]) => {
                    cells.push((digit - b'0') as i8);
                    self.at += 2;
                }
                Some([digit @ b'0'..=b'9', b']', ..]) => {
                    cells.push((digit - b'0') as i8);
                    self.at += 2;
                    return Ok(());
                }
                _ => {
                    cells.push(self.color(row, cells.len() - start)?);
                    if self.take(b']') {
                        return Ok(());
                    }
                    self.token(b',', "`,` or `]`")?;
                }
            }
        }
    }

    fn color(&mut self, row: usize, col: usize) -> Result<i8, Flaw> {
        let Some(first) = self.peek() else { return Err(self.unexpected("a colour")) };
        let rest = &self.bytes[self.at..];
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
        let word = &rest[..rest.iter().take(24).take_while(|byte| is_word(byte)).count()];
        if let [digit @ b'0'..=b'9'] = word {
            self.at += 1;
            return Ok((digit - b'0') as i8);
        }
        let found = match first {
            b'"' => "a string".to_owned(),
            b'[' => "a list".to_owned(),
            b'{' => "an object".to_owned(),
            _ if word.is_empty() => return Err(self.unexpected("a colour")),
            _ => String::from_utf8_lossy(word).into_owned(),
        };
        Err(Flaw::new(self.at, GridError::Color { row, col, found }.to_string()))
    }

    /// Reads `"text"`.
    fn string(&mut self, what: &str) -> Result<Cow<'a, str>, Flaw> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(what));
        }
        let start = self.at;
        let escaped = self.skim_string()?;
        let flaw = |error: &dyn std::fmt::Display| {
            let text = error.to_string();
            Flaw::new(start, format!("not a string: {}", text.split(" at line ").next().unwrap_or_default()))
        };
        let quoted = &self.bytes[start..self.at];
        if escaped || quoted.iter().any(|byte| *byte < b' ') {
            return serde_json::from_slice(quoted).map(Cow::Owned).map_err(|error| flaw(&error));
        }
        let inside = std::str::from_utf8(&quoted[1..quoted.len() - 1]);
        inside.map(Cow::Borrowed).map_err(|error| flaw(&error))
    }

    /// Skips a value of any kind, and checks it.
    pub(crate) fn skip(&mut self) -> Result<(), Flaw> {
        if self.peek().is_none() {
            return Err(self.unexpected("a value"));
        }
        let rest = &self.bytes[self.at..];
        let mut stream = serde_json::Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
        match stream.next() {
            Some(Err(error)) => {
                let lines = rest.split_inclusive(|byte| *byte == b'\n');
                let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
                let at = (before + error.column().saturating_sub(1)).min(rest.len());
                self.at += if error.is_eof() { rest.len() } else { at };
                Err(if error.is_eof() {
                    self.unexpected("the end of a value")
                } else {
                    self.unexpected("JSON")
                })
            }
            _ => {
                self.at += stream.byte_offset();
                Ok(())
            }
        }
    }

    /// Skips a value quickly: only brackets are matched. Errors inside it are found when it is read later.
    pub(crate) fn skim(&mut self) -> Result<(), Flaw> {
        let bookmark = *self;
        let (open, close) = match self.peek() {
            Some(b'{') => (b'{', b'}'),
            Some(b'[') => (b'[', b']'),
            _ => return self.skip(),
        };
        let mut depth = 0_usize;
        while let Some(found) = memchr3(open, close, b'"', &self.bytes[self.at..]) {
            self.at += found;
            match self.bytes[self.at] {
                b'"' => {
                    self.skim_string()?;
                    continue;
                }
                byte if byte == open => depth += 1,
                _ => depth -= 1,
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
        // The text ends inside the value. The strict reader finds an earlier error, if there is one.
        *self = bookmark;
        self.skip()?;
        Err(self.unexpected("the end of a value"))
    }

    /// Skips a string, from quote to quote, and returns whether it has escapes.
    fn skim_string(&mut self) -> Result<bool, Flaw> {
        let mut escaped = false;
        self.at += 1;
        while let Some(found) = memchr2(b'"', b'\\', &self.bytes[self.at.min(self.bytes.len())..]) {
            self.at += found + 1;
            if self.bytes[self.at - 1] == b'"' {
                return Ok(escaped);
            }
            escaped = true;
            self.at += 1;
        }
        self.at = self.bytes.len();
        Err(self.unexpected("the closing `\"` of a string"))
    }

    /// Fails if anything but white space is left.
    pub(crate) fn end(&mut self) -> Result<(), Flaw> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the text")),
        }
    }

    /// Consumes `byte` if it comes next.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn token(&mut self, byte: u8, what: &str) -> Result<(), Flaw> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    pub(crate) fn unexpected(&self, what: &str) -> Flaw {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let text = String::from_utf8_lossy(&rest[..rest.len().min(4)]);
        let what = match text.chars().next() {
            None => format!("the text ends before {what}; is it cut off?"),
            Some(char) if char.is_control() || char == char::REPLACEMENT_CHARACTER => {
                format!("expected {what}, not the byte {:#04x}", rest[0])
            }
            Some(char) => format!("expected {what}, not `{char}`"),
        };
        Flaw::new(self.at, what)
    }
}
