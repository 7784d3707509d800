//! Problems of a text: their place, their message and how they are printed.

/// A range of bytes in a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Span {
        // Texts are at most `MAX_TEXT` bytes long, so offsets fit.
        Span { start: start as u32, end: end as u32 }
    }

    pub(crate) fn to(self, end: Span) -> Span {
        Span { start: self.start, end: end.end }
    }

    /// Returns the bytes as an index range.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns whether `inner` is within this span.
    pub fn contains(self, inner: Span) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }
}

/// Severity of a problem.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Severity {
    /// The program is suspicious, but valid.
    Warning,
    /// The program is not valid.
    Error,
}

/// A problem in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub severity: Severity,
    pub span: Span,
    pub message: String,
    /// Text next to the carets; may be empty.
    pub label: String,
    pub help: Option<String>,
}

impl Problem {
    pub(crate) fn error(span: Span, message: impl Into<String>) -> Problem {
        let (message, label) = (message.into(), String::new());
        Problem { severity: Severity::Error, span, message, label, help: None }
    }

    pub(crate) fn warning(span: Span, message: impl Into<String>) -> Problem {
        Problem { severity: Severity::Warning, ..Problem::error(span, message) }
    }

    pub(crate) fn label(self, label: impl Into<String>) -> Problem {
        Problem { label: label.into(), ..self }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Problem {
        Problem { help: Some(help.into()), ..self }
    }

    /// Returns line and column of the problem in `text`, both from 1. Columns count characters.
    pub fn place(&self, text: &str) -> (usize, usize) {
        let place = Place::new(text, self.span);
        (place.line, place.column())
    }

    /// Formats the problem for people. `text` is the parsed text.
    ///
    /// ```text
    /// error: `objcts` is not a primitive
    ///   ╭─ solvers.py:3:10
    /// 3 │     x1 = objcts(I, T, F, T)
    ///   │          ^^^^^^ did you mean `objects`?
    /// ```
    pub fn render(&self, file: &str, text: &str, color: bool) -> String {
        let place = Place::new(text, self.span);
        let paint = Paint { color };
        let (name, accent) = match self.severity {
            Severity::Error => ("error", RED),
            Severity::Warning => ("warning", YELLOW),
        };
        let number = place.line.to_string();
        let gutter = " ".repeat(number.len());
        let (shown, indent, carets) = place.window();
        let carets = "^".repeat(carets);
        let marked =
            if self.label.is_empty() { carets } else { format!("{carets} {}", sanitize(&self.label)) };

        let mut out = String::new();
        let title = paint.with(BOLD, &format!(": {}", sanitize(&self.message)));
        out.push_str(&format!("{}{title}\n", paint.with(accent, name)));
        let at = format!("{}:{}:{}", sanitize(file), place.line, place.column());
        out.push_str(&format!("{gutter} {} {at}\n", paint.with(BLUE, "╭─")));
        let line = format!("{} {shown}", paint.with(BLUE, &format!("{number} │")));
        out.push_str(line.trim_end());
        out.push('\n');
        let bar = paint.with(BLUE, &format!("{gutter} │"));
        out.push_str(&format!("{bar} {}{}\n", " ".repeat(indent), paint.with(accent, &marked)));
        if let Some(help) = &self.help {
            let corner = paint.with(BLUE, &format!("{gutter} ╰─"));
            out.push_str(&format!("{corner} {}\n", sanitize(help)));
        }
        out
    }
}

/// The problems of one text: the first hundred, and the number of others.
pub(crate) struct Problems {
    list: Vec<Problem>,
    n_errors: usize,
    n_warnings: usize,
    others: Option<Others>,
}

/// Problems after the first hundred.
struct Others {
    n: usize,
    severity: Severity,
    first: Span,
}

/// Maximum number of problems to report. Nobody reads more. Picked by feel.
const MAX_PROBLEMS: usize = 100;

impl Problems {
    pub(crate) fn new() -> Problems {
        Problems { list: Vec::new(), n_errors: 0, n_warnings: 0, others: None }
    }

    pub(crate) fn add(&mut self, problem: Problem) {
        match problem.severity {
            Severity::Error => self.n_errors += 1,
            Severity::Warning => self.n_warnings += 1,
        }
        if self.list.len() < MAX_PROBLEMS {
            self.list.push(problem);
            return;
        }
        let others =
            self.others.get_or_insert(Others { n: 0, severity: problem.severity, first: problem.span });
        others.n += 1;
        others.severity = others.severity.max(problem.severity);
    }

    /// Returns whether further problems are only counted, so that they need no suggestion.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() == MAX_PROBLEMS
    }

    pub(crate) fn n_errors(&self) -> usize {
        self.n_errors
    }

    pub(crate) fn n_warnings(&self) -> usize {
        self.n_warnings
    }

    pub(crate) fn total(&self) -> usize {
        self.n_errors + self.n_warnings
    }

    /// Returns the number of problems in the list.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Sorts the problems from index `from` on by their place in the text.
    pub(crate) fn sort_from(&mut self, from: usize) {
        self.list[from..].sort_by_key(|problem| problem.span.start);
    }

    pub(crate) fn finish(mut self) -> Vec<Problem> {
        if let Some(Others { n, severity, first }) = self.others {
            let message = if n == 1 { "1 more problem".into() } else { format!("{n} more problems") };
            let others = Problem::error(first, message).label("the first one is here");
            self.list.push(Problem { severity, ..others });
        }
        self.list
    }
}

/// A span within its line.
struct Place<'t> {
    line: usize,
    before: &'t str,
    marked: &'t str,
    after: &'t str,
}

/// Maximum width of a printed line. Longer lines are cut around the carets.
const MAX_WIDTH: usize = 120;

impl<'t> Place<'t> {
    fn new(text: &'t str, span: Span) -> Place<'t> {
        let text_start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let start = floor_boundary(text, span.start as usize).max(text_start);
        let end = floor_boundary(text, span.end as usize).max(start);
        let is_break = |c: char| c == '\n' || c == '\r';
        let line_start = text[..start].rfind(is_break).map_or(text_start, |at| at + 1);
        let line_end = text[start..].find(is_break).map_or(text.len(), |at| start + at);
        let end = end.min(line_end);
        let bytes = text.as_bytes();
        let breaks = (0..line_start).filter(|&at| match bytes[at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        Place {
            line: 1 + breaks.count(),
            before: &text[line_start..start],
            marked: &text[start..end],
            after: &text[end..line_end],
        }
    }

    fn column(&self) -> usize {
        1 + self.before.chars().count()
    }

    /// Returns the line, cut if it is long, and the column and number of the carets below it.
    fn window(&self) -> (String, usize, usize) {
        let (before, marked, after) = (self.before, self.marked, self.after);
        let all = width(before) + width(marked) + width(after);
        let (marked, right, left) = if all <= MAX_WIDTH {
            (marked, after, before)
        } else {
            let marked = prefix(marked, MAX_WIDTH / 2);
            let room = MAX_WIDTH - width(marked);
            let right = prefix(after, room / 4);
            let left = suffix(before, room - width(right));
            (marked, prefix(after, room - width(left)), left)
        };
        let cut_left = if left.len() < before.len() { "…" } else { "" };
        let cut_right = if marked.len() + right.len() < self.marked.len() + after.len() { "…" } else { "" };
        // If the marked text is cut, the text after it is not adjacent, so it is dropped.
        let right = if marked.len() < self.marked.len() { "" } else { right };
        let shown = format!("{cut_left}{}{}{}{cut_right}", sanitize(left), sanitize(marked), sanitize(right));
        (shown, width(cut_left) + width(left), width(marked).max(1))
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the longest prefix of `text` that fits into `columns`.
fn prefix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|&(_, c)| {
        used += char_width(c);
        used > columns
    });
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// Returns the longest suffix of `text` that fits into `columns`.
fn suffix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let start = text.char_indices().rev().find(|&(_, c)| {
        used += char_width(c);
        used > columns
    });
    &text[start.map_or(0, |(at, c)| at + c.len_utf8())..]
}

fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

const TAB: &str = "    ";

/// Returns the width of a character on a terminal. The ranges are the large blocks of wide East Asian
/// characters and of combining marks, which is enough to put carets under a word.
fn char_width(c: char) -> usize {
    match c {
        '\t' => TAB.len(),
        ' '..='~' => 1,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// Replaces tabs by spaces, and control characters and changes of the reading direction by a placeholder.
fn sanitize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push_str(TAB),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

const BOLD: &str = "1";
const RED: &str = "1;31";
const YELLOW: &str = "1;33";
const BLUE: &str = "1;34";

struct Paint {
    color: bool,
}

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
