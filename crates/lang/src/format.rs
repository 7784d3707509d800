//! The formatter. It keeps comments, names and unneeded lines.
//!
//! It works on tokens: [`scan`] splits the text into comments and statements, [`Tree`] groups the tokens of a
//! statement by brackets, and [`Writer`] prints them.

use crate::lexer::{Keyword, Kind, Lexer, Token};
use crate::problem::{Problem, Severity};
use crate::syntax_problems;

/// Maximum width of a line. Longer lines are broken inside brackets.
const MAX_WIDTH: usize = 100;

const INDENT: usize = 4;

/// Formats a text: one statement per line, four spaces of indentation, two blank lines around functions. The
/// result holds the same programs and the same comments, and formatting it again changes nothing.
///
/// A text with syntax errors is not formatted; the errors are returned instead.
///
/// ```
/// let text = "def f( I ):return hmirror(I) # upside down";
/// let formatted = "def f(I):\n    return hmirror(I)  # upside down\n";
/// assert_eq!(batt_lang::format(text).unwrap(), formatted);
/// ```
pub fn format(text: &str) -> Result<String, Vec<Problem>> {
    let problems = syntax_problems(text);
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(problems);
    }
    let entries = scan(text);
    let blank_lines = blank_lines(&entries);
    let mut writer = Writer { out: String::with_capacity(text.len()), column: 0 };
    for (entry, blank_lines) in entries.iter().zip(blank_lines) {
        writer.out.push_str(&"\n".repeat(blank_lines));
        writer.entry(entry);
    }
    // The file keeps its kind of line breaks.
    let windows = text.find(['\n', '\r']).is_some_and(|at| text[at..].starts_with("\r\n"));
    Ok(if windows { writer.out.replace('\n', "\r\n") } else { writer.out })
}

/// A comment on a line of its own, or a statement.
struct Entry<'t> {
    /// Number of blank lines before it.
    blanks: usize,
    /// Whether it belongs to the body of a function.
    inside: bool,
    content: Content<'t>,
}

enum Content<'t> {
    Comment(&'t str),
    Statement {
        pieces: Vec<Piece<'t>>,
        /// The comment at the end of its line.
        comment: Option<&'t str>,
        /// Whether it is the head of a function.
        head: bool,
    },
}

impl Entry<'_> {
    fn is_comment(&self) -> bool {
        matches!(self.content, Content::Comment(_))
    }

    fn is_head(&self) -> bool {
        matches!(self.content, Content::Statement { head: true, .. })
    }
}

/// A token with the comments before it, which occur only inside brackets.
struct Piece<'t> {
    kind: Kind,
    text: &'t str,
    comments: Vec<InnerComment<'t>>,
}

/// A comment between two tokens.
struct InnerComment<'t> {
    text: &'t str,
    /// Whether nothing else is on its line.
    own_line: bool,
    indented: bool,
    /// Number of blank lines before it.
    blanks: usize,
}

/// Returns the comments in the gap between two tokens, and the number of blank lines after the last comment.
/// `at_line_start`: the gap begins a line.
fn comments_in(gap: &str, at_line_start: bool) -> (Vec<InnerComment<'_>>, usize) {
    let is_break = |c: char| c == '\n' || c == '\r';
    let (mut comments, mut rest) = (Vec::new(), gap);
    let (mut own_line, mut empty, mut indented, mut blanks) = (at_line_start, true, false, 0);
    while let Some(c) = rest.chars().next() {
        let break_at = |at: usize| if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        let n = match c {
            '#' => {
                let end = rest.find(is_break).unwrap_or(rest.len());
                let text = rest[..end].trim_end();
                comments.push(InnerComment { text, own_line, indented, blanks: std::mem::take(&mut blanks) });
                empty = false;
                end
            }
            '\\' if rest[1..].starts_with(is_break) => 1 + break_at(1),
            c if is_break(c) => {
                blanks += usize::from(own_line && empty);
                (own_line, empty, indented) = (true, true, false);
                break_at(0)
            }
            c => {
                indented = true;
                c.len_utf8()
            }
        };
        rest = &rest[n..];
    }
    (comments, blanks)
}

/// Splits a text without syntax errors.
fn scan(text: &str) -> Vec<Entry<'_>> {
    let mut scanner = Scanner::default();
    let mut lexer = Lexer::new(text, false);
    let mut end = None;
    loop {
        let in_brackets = lexer.depth > 0;
        let token = lexer.next();
        let gap_start = end.unwrap_or(text.len() - text.trim_start_matches('\u{feff}').len());
        let (comments, blanks) = comments_in(&text[gap_start..token.span.start as usize], end.is_none());
        end = Some(token.span.end as usize);
        let piece = Piece { kind: token.kind, text: &text[token.span.range()], comments };
        if in_brackets && token.kind != Kind::End {
            scanner.pieces.push(piece);
            continue;
        }
        let inside = token.kind != Kind::End && lexer.indent.wide > 0;
        scanner.token(token, piece, inside, blanks);
        if token.kind == Kind::End {
            return scanner.entries;
        }
    }
}

#[derive(Default)]
struct Scanner<'t> {
    entries: Vec<Entry<'t>>,
    /// Tokens of the current statement.
    pieces: Vec<Piece<'t>>,
    /// Number of blank lines before the current statement.
    blanks: usize,
    /// Whether the current statement belongs to a function.
    inside: bool,
    /// The comment at the end of the current statement's line.
    comment: Option<&'t str>,
}

impl<'t> Scanner<'t> {
    /// Adds a token outside brackets. `inside`: its line is indented.
    fn token(&mut self, token: Token, mut piece: Piece<'t>, inside: bool, blanks: usize) {
        self.comments(std::mem::take(&mut piece.comments), inside);
        if token.first {
            self.inside = inside;
        }
        match token.kind {
            Kind::Newline | Kind::Semicolon | Kind::End => self.finish(false),
            kind => {
                if self.pieces.is_empty() {
                    self.blanks = blanks;
                }
                let is_def = |first: &Piece<'_>| first.kind == Kind::Keyword(Keyword::Def);
                let ends_head = kind == Kind::Colon && self.pieces.first().is_some_and(is_def);
                self.pieces.push(piece);
                if ends_head {
                    self.finish(true);
                    // The rest of the line is the body.
                    self.inside = true;
                }
            }
        }
    }

    /// Adds the comments before a token. `inside`: whether the token belongs to a function.
    fn comments(&mut self, comments: Vec<InnerComment<'t>>, inside: bool) {
        let mut in_body = self.inside;
        for InnerComment { text, own_line, indented, blanks } in comments {
            if own_line {
                // After the last line of a function, only indented comments belong to it.
                in_body &= inside || indented;
                self.entries.push(Entry { blanks, inside: in_body, content: Content::Comment(text) });
            } else if !self.pieces.is_empty() {
                self.comment = Some(text);
            } else if let Some(Entry { content: Content::Statement { comment, .. }, .. }) =
                self.entries.last_mut()
            {
                *comment = Some(text);
            }
        }
    }

    fn finish(&mut self, head: bool) {
        let comment = self.comment.take();
        if !self.pieces.is_empty() {
            let pieces = std::mem::take(&mut self.pieces);
            let content = Content::Statement { pieces, comment, head };
            self.entries.push(Entry {
                blanks: std::mem::take(&mut self.blanks),
                inside: self.inside,
                content,
            });
        }
    }
}

/// Returns the number of blank lines to print before each entry.
fn blank_lines(entries: &[Entry<'_>]) -> Vec<usize> {
    // A comment directly above a function belongs to it.
    let mut with_function = vec![false; entries.len()];
    for (i, entry) in entries.iter().enumerate().rev() {
        let above = |next: &Entry<'_>| next.blanks == 0 && !next.inside && with_function[i + 1];
        with_function[i] = entry.is_head() || (entry.is_comment() && entries.get(i + 1).is_some_and(above));
    }
    let before = |(i, entry): (usize, &Entry<'_>)| {
        let Some(above) = i.checked_sub(1).map(|above| &entries[above]) else { return 0 };
        match entry.inside {
            true if above.is_head() => 0,
            true => entry.blanks.min(1),
            false if above.inside || above.is_head() => 2,
            false if above.is_comment() && entry.blanks == 0 => 0,
            false if with_function[i] => 2,
            false => entry.blanks.min(2),
        }
    };
    entries.iter().enumerate().map(before).collect()
}

/// A token, or brackets with their content.
enum Tree<'t> {
    Token { spaced: bool, text: &'t str },
    Group { spaced: bool, group: Group<'t> },
}

impl Tree<'_> {
    /// Returns its width on one line.
    fn width(&self) -> usize {
        let (spaced, width) = match self {
            Tree::Token { spaced, text } => (spaced, text.chars().count()),
            Tree::Group { spaced, group } => (spaced, group.width),
        };
        usize::from(*spaced) + width
    }

    /// Returns its width up to the first possible line break.
    fn unbreakable_width(&self) -> usize {
        match self {
            Tree::Token { .. } => self.width(),
            Tree::Group { spaced, .. } => usize::from(*spaced) + 1,
        }
    }
}

#[derive(Default)]
struct Group<'t> {
    open: &'t str,
    close: &'t str,
    /// The comment on the line of the opening bracket.
    open_comment: Option<&'t str>,
    items: Vec<Item<'t>>,
    /// Comments between the last item and the closing bracket.
    close_comments: Vec<&'t str>,
    /// Whether a comma follows the last item if all items are on one line.
    comma_flat: bool,
    /// Whether a comma follows the last item if each item is on its own line.
    comma_broken: bool,
    /// Width on one line.
    width: usize,
    /// Whether it contains a comment and cannot be on one line.
    commented: bool,
}

/// An item between two commas.
#[derive(Default)]
struct Item<'t> {
    /// Comments on lines of their own.
    above: Vec<&'t str>,
    trees: Vec<Tree<'t>>,
    /// The comment at the end of its line.
    comment: Option<&'t str>,
    /// Whether it is a comprehension, which must not be followed by a comma.
    comprehension: bool,
}

impl<'t> Item<'t> {
    fn is_empty(&self) -> bool {
        self.trees.is_empty() && self.above.is_empty() && self.comment.is_none()
    }

    /// Adds a comment at the end of the line. A line ends with one comment at most, so an earlier one moves
    /// above it.
    fn add_end_comment(&mut self, comment: &'t str) {
        self.above.extend(self.comment.replace(comment));
    }
}

/// Builds trees from the tokens of one statement.
struct TreeBuilder<'p, 't> {
    pieces: &'p [Piece<'t>],
    spaced: Vec<bool>,
    at: usize,
}

impl<'t> TreeBuilder<'_, 't> {
    fn build(pieces: &[Piece<'t>]) -> Vec<Tree<'t>> {
        let mut builder = TreeBuilder { pieces, spaced: spaces(pieces), at: 0 };
        let mut trees = Vec::new();
        while builder.at < pieces.len() {
            trees.push(builder.tree());
        }
        trees
    }

    fn tree(&mut self) -> Tree<'t> {
        let (piece, spaced) = (&self.pieces[self.at], self.spaced[self.at]);
        self.at += 1;
        match is_open(piece.kind) {
            true => Tree::Group { spaced, group: self.group() },
            false => Tree::Token { spaced, text: piece.text },
        }
    }

    /// Builds the group after an opening bracket, up to the closing one.
    fn group(&mut self) -> Group<'t> {
        let pieces = self.pieces;
        let call = self.at > 1 && ends_operand(pieces[self.at - 2].kind);
        let mut group = Group { open: pieces[self.at - 1].text, ..Group::default() };
        let (mut item, mut trailing_comma) = (Item::default(), false);
        while let Some(piece) = pieces.get(self.at) {
            let closes = is_close(piece.kind);
            for comment in &piece.comments {
                group.commented = true;
                match (comment.own_line, closes) {
                    (true, true) => group.close_comments.push(comment.text),
                    (true, false) => item.above.push(comment.text),
                    (false, _) if !item.trees.is_empty() => item.add_end_comment(comment.text),
                    (false, _) => match group.items.last_mut() {
                        Some(last) => last.add_end_comment(comment.text),
                        None => group.open_comment = Some(comment.text),
                    },
                }
            }
            if closes {
                break;
            }
            trailing_comma = piece.kind == Kind::Comma;
            if trailing_comma {
                self.at += 1;
                group.items.push(std::mem::take(&mut item));
                continue;
            }
            // The space before an item is printed with the comma.
            self.spaced[self.at] &= !item.trees.is_empty();
            item.comprehension |= piece.kind == Kind::Keyword(Keyword::For);
            let tree = self.tree();
            group.commented |= matches!(&tree, Tree::Group { group, .. } if group.commented);
            item.trees.push(tree);
        }
        if !item.is_empty() {
            group.items.push(item);
        }
        group.close = pieces.get(self.at).map_or("", |piece| piece.text);
        self.at += 1;
        group.finish(call, trailing_comma);
        group
    }
}

impl Group<'_> {
    /// Decides about trailing commas and computes the width. `call`: the group holds the arguments of a call.
    fn finish(&mut self, call: bool, trailing_comma: bool) {
        let single = self.items.len() == 1;
        let parenthesis = self.open == "(";
        let optional = parenthesis && (call || !single);
        self.comma_flat = trailing_comma && !optional;
        let comprehension = single && self.items[0].comprehension;
        self.comma_broken = trailing_comma || (optional && !comprehension);
        let items: usize = self.items.iter().flat_map(|item| &item.trees).map(Tree::width).sum();
        let commas = 2 * self.items.len().saturating_sub(1) + usize::from(self.comma_flat);
        self.width = self.open.len() + items + commas + self.close.len();
    }
}

/// The formatted text so far.
struct Writer {
    out: String,
    column: usize,
}

impl Writer {
    fn entry(&mut self, entry: &Entry<'_>) {
        let indent = if entry.inside { INDENT } else { 0 };
        self.indent(indent);
        match &entry.content {
            Content::Comment(text) => self.comment(text),
            Content::Statement { pieces, comment, .. } => {
                self.trees(&TreeBuilder::build(pieces), indent, 0);
                self.end_comment(*comment);
            }
        }
        self.out.push('\n');
        self.column = 0;
    }

    /// Prints trees. `tail`: the number of columns that must follow on the last line.
    fn trees(&mut self, trees: &[Tree<'_>], indent: usize, tail: usize) {
        for (i, tree) in trees.iter().enumerate() {
            match tree {
                Tree::Token { spaced, text } => {
                    self.space(*spaced);
                    self.push(text);
                }
                Tree::Group { spaced, group } => {
                    self.space(*spaced);
                    // Text after the group, up to the next possible line break, must fit on the same line.
                    let rest = &trees[i + 1..];
                    let next = rest.iter().position(|tree| matches!(tree, Tree::Group { .. }));
                    let (rest, tail) = next.map_or((rest, tail), |next| (&rest[..=next], 0));
                    let after: usize = rest.iter().map(Tree::unbreakable_width).sum();
                    let fits = self.column + group.width + after + tail <= MAX_WIDTH;
                    match group.commented || !(fits || group.items.is_empty()) {
                        true => self.broken(group, indent),
                        false => self.flat(group),
                    }
                }
            }
        }
    }

    fn flat(&mut self, group: &Group<'_>) {
        self.push(group.open);
        for (i, item) in group.items.iter().enumerate() {
            self.push(if i == 0 { "" } else { ", " });
            for tree in &item.trees {
                match tree {
                    Tree::Token { spaced, text } => {
                        self.space(*spaced);
                        self.push(text);
                    }
                    Tree::Group { spaced, group } => {
                        self.space(*spaced);
                        self.flat(group);
                    }
                }
            }
        }
        self.push(if group.comma_flat { "," } else { "" });
        self.push(group.close);
    }

    /// Prints a group with one item per line.
    fn broken(&mut self, group: &Group<'_>, indent: usize) {
        let inner = indent + INDENT;
        self.push(group.open);
        self.end_comment(group.open_comment);
        for (i, item) in group.items.iter().enumerate() {
            for comment in &item.above {
                self.line(inner);
                self.comment(comment);
            }
            self.line(inner);
            self.trees(&item.trees, inner, 1);
            let last = i + 1 == group.items.len();
            self.push(if last && !group.comma_broken { "" } else { "," });
            self.end_comment(item.comment);
        }
        for comment in &group.close_comments {
            self.line(inner);
            self.comment(comment);
        }
        self.line(indent);
        self.push(group.close);
    }

    fn push(&mut self, text: &str) {
        if !text.contains(['\n', '\r']) {
            self.column += text.chars().count();
            return self.out.push_str(text);
        }
        // A string with line breaks, which become those of the file.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.column = text.rsplit('\n').next().map_or(0, |line| line.chars().count());
        self.out.push_str(&text);
    }

    fn space(&mut self, spaced: bool) {
        self.push(if spaced { " " } else { "" });
    }

    fn line(&mut self, indent: usize) {
        self.out.push('\n');
        self.indent(indent);
    }

    fn indent(&mut self, indent: usize) {
        self.out.push_str(&" ".repeat(indent));
        self.column = indent;
    }

    fn end_comment(&mut self, comment: Option<&str>) {
        if let Some(comment) = comment {
            self.push("  ");
            self.comment(comment);
        }
    }

    /// Prints a comment. `#text` becomes `# text`, but `#!` and `#:` have a meaning for other programs.
    fn comment(&mut self, comment: &str) {
        let text = comment.trim_start_matches('#');
        let marks = &comment[..comment.len() - text.len()];
        self.push(marks);
        self.space(!text.is_empty() && !text.starts_with([' ', '\t', '!', ':']));
        self.push(text);
    }
}

/// Returns for each token whether a space comes before it.
fn spaces(pieces: &[Piece<'_>]) -> Vec<bool> {
    let mut depth = 0usize;
    let mut spaced = vec![false; pieces.len()];
    for (i, pair) in pieces.windows(2).enumerate() {
        let (left, right) = (pair[0].kind, pair[1].kind);
        depth = if is_open(left) { depth + 1 } else { depth.saturating_sub(usize::from(is_close(left))) };
        let operand_before = i > 0 && ends_operand(pieces[i - 1].kind);
        // Whether the left token is a unary operator.
        let prefix = is_operator(left) && !operand_before;
        spaced[i + 1] = is_spaced(left, right, depth > 0, prefix);
    }
    spaced
}

fn is_spaced(left: Kind, right: Kind, in_brackets: bool, prefix: bool) -> bool {
    let starts_operand =
        matches!(right, Kind::Name | Kind::Int | Kind::Float | Kind::LParen | Kind::LBracket);
    match (left, right) {
        (left, right) if is_open(left) || is_close(right) => false,
        (_, Kind::Comma | Kind::Colon) => false,
        (Kind::Comma | Kind::Colon, _) => true,
        (Kind::Name, Kind::Assign) => !in_brackets,
        (Kind::Assign, _) if in_brackets => !(starts_operand || right == Kind::Minus || is_value(right)),
        (Kind::Dot, right) => !matches!(right, Kind::Name | Kind::Dot | Kind::LParen | Kind::LBracket),
        (Kind::Int | Kind::Float, Kind::Dot) => true,
        (left, Kind::Dot | Kind::LParen | Kind::LBracket) if ends_operand(left) => false,
        _ => !(prefix && starts_operand),
    }
}

fn is_open(kind: Kind) -> bool {
    matches!(kind, Kind::LParen | Kind::LBracket | Kind::LBrace)
}

fn is_close(kind: Kind) -> bool {
    matches!(kind, Kind::RParen | Kind::RBracket | Kind::RBrace)
}

fn is_operator(kind: Kind) -> bool {
    matches!(kind, Kind::Minus | Kind::Star | Kind::StarStar | Kind::Operator)
}

/// Returns whether this is `True`, `False` or `None`.
fn is_value(kind: Kind) -> bool {
    matches!(kind, Kind::Keyword(Keyword::True | Keyword::False | Keyword::None))
}

/// Returns whether a bracket after this token is a call or a subscript.
fn ends_operand(kind: Kind) -> bool {
    let ends = matches!(kind, Kind::Name | Kind::Int | Kind::Float | Kind::Text | Kind::OtherString);
    ends || is_close(kind) || is_value(kind)
}
