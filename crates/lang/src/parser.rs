//! A recursive-descent parser. Only brackets recurse, and the lexer limits their nesting.
//!
//! After an error the parser skips the statement, with everything indented below it, and continues with the
//! next one. It records the names in the skipped text, so that one error does not cause others.

use std::cmp::Ordering;

use crate::ast::{Arg, Expr, ExprId, ExprKind, Function, Head, Names, Param, SkippedName, Stmt, Target};
use crate::ir::At;
use crate::lexer::{self, Indent, Keyword, Kind, Lexer, MAX_NESTING, Token};
use crate::other_names::{by_other_name, did_you_mean};
use crate::problem::{Problem, Problems, Span};
use crate::unsupported::{self, Position};

/// Limits the memory for a function. Nobody writes such functions. Picked by feel.
const MAX_EXPRS: usize = 1_000_000;

/// Limit for `f()()()…`. CPython's compiler accepts 2,991 of them.
const MAX_CHAIN: usize = 3000;

/// Longer expressions are not repeated in a label. Picked by feel.
const MAX_REPEATED: usize = 12;

pub(crate) struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// The next token.
    tok: Token,
    /// End of the last token.
    end: u32,
    /// Indentation of the current statement.
    level: Indent,
    /// Open brackets of the current statement.
    open_brackets: Vec<Span>,
    /// Arguments of calls that are not closed yet.
    pending: Vec<Arg>,
    pub(crate) function: Function,
    pub(crate) names: Names<'t>,
    pub(crate) problems: Problems,
}

/// An error that was reported, or that the caller knows.
struct Reported;

type Parse<T> = Result<T, Reported>;

impl<'t> Parser<'t> {
    /// Creates a parser. `truncated`: bytes that are not UTF-8 follow the text.
    pub(crate) fn new(text: &'t str, truncated: bool, names: Names<'t>) -> Parser<'t> {
        let mut lexer = Lexer::new(text, truncated);
        let tok = lexer.next();
        Parser {
            text,
            lexer,
            tok,
            end: 0,
            level: Indent::default(),
            open_brackets: Vec::new(),
            pending: Vec::new(),
            function: Function::default(),
            names,
            problems: Problems::new(),
        }
    }

    /// Parses the next function into `self.function`. Returns false at the end of the text.
    pub(crate) fn next_function(&mut self) -> bool {
        let mut decorated = false;
        loop {
            self.level = Indent::default();
            match self.tok.kind {
                Kind::End => return false,
                Kind::Newline => self.advance(),
                kind if kind != Kind::NotUtf8 && self.lexer.indent != Indent::default() => {
                    self.error(Problem::error(self.tok.span, "unexpected indentation"));
                    self.skip_block();
                }
                Kind::Keyword(Keyword::Def) => {
                    self.function.clear();
                    self.def();
                    self.function.failed |= decorated;
                    return true;
                }
                kind => {
                    decorated = kind == Kind::At;
                    self.top_level_line();
                }
            }
        }
    }

    /// Parses a line outside functions.
    fn top_level_line(&mut self) {
        let start = self.tok;
        let result = match start.kind {
            Kind::Keyword(Keyword::Import | Keyword::From | Keyword::Pass) | Kind::Text => self.statement(),
            _ => match unsupported::statement(start.kind, self.token_text()) {
                Some(problem) => Err(self.report(problem.at(start.span))),
                None => Err(self.report_top_level()),
            },
        };
        match result.and_then(|()| self.statement_end()) {
            // Another statement may follow on the line.
            Ok(()) => {}
            Err(Reported) => self.skip_statement(start),
        }
    }

    fn report_top_level(&mut self) -> Reported {
        match self.tok.kind {
            Kind::Name | Kind::Keyword(Keyword::Return) => {
                let problem =
                    Problem::error(self.tok.span, "a top-level statement is not part of the language");
                self.report(problem.label("only functions and imports are allowed here"))
            }
            _ => self.unexpected("a function", Position::Operand),
        }
    }

    fn def(&mut self) {
        let start = self.tok;
        match self.head(start) {
            Ok(()) => self.body(),
            Err(Reported) => {
                self.function.failed = true;
                self.open_brackets.clear();
                self.skip_block();
            }
        }
        if let Some(head) = &mut self.function.head {
            head.span.end = self.end;
        }
    }

    /// Parses `def name(params) -> annotation:`.
    fn head(&mut self, start: Token) -> Parse<()> {
        self.advance();
        if self.tok.kind != Kind::Name {
            return Err(self.unexpected("the name of the function", Position::Operand));
        }
        let name = self.names.id(self.token_text());
        self.names[name].function = true;
        let head = Head { name, name_at: self.tok.at(), span: start.span, line: start.line };
        self.function.head = Some(head);
        self.advance();
        self.open(Kind::LParen, "`(`")?;
        self.params()?;
        self.close(Kind::RParen, "`,` or `)`")?;
        if self.tok.kind == Kind::Arrow {
            self.advance();
            self.annotation(&[Kind::Colon])?;
        }
        self.expect(Kind::Colon, "`:`")
    }

    fn params(&mut self) -> Parse<()> {
        while self.tok.kind != Kind::RParen {
            if let Some(problem) = unsupported::parameter(self.tok.kind, self.token_text()) {
                return Err(self.report(problem.at(self.tok.span)));
            }
            if self.tok.kind != Kind::Name {
                return Err(self.unexpected("a parameter", Position::Operand));
            }
            let param = Param { name: self.names.id(self.token_text()), at: self.tok.at() };
            self.function.params.push(param);
            self.advance();
            if self.tok.kind == Kind::Colon {
                self.advance();
                // A colon or an arrow means that the closing bracket is missing.
                let stop = [Kind::Comma, Kind::RParen, Kind::Assign, Kind::Colon, Kind::Arrow];
                self.annotation(&stop)?;
            }
            if self.tok.kind == Kind::Assign {
                let problem = Problem::error(self.tok.span, "a default value is not part of the language");
                return Err(self.report(problem));
            }
            if self.tok.kind != Kind::Comma {
                break;
            }
            self.advance();
        }
        Ok(())
    }

    fn body(&mut self) {
        if !self.at_line_end() {
            return self.line();
        }
        self.advance();
        let body = self.lexer.indent;
        if self.tok.kind == Kind::End || body == Indent::default() {
            let name = self.function.head.map_or(self.tok.span, |head| head.name_at.span);
            let problem = Problem::error(name, "the function has no body");
            self.error(problem.label("expected indented lines below"));
            self.function.failed = true;
            return;
        }
        while self.tok.kind != Kind::End && self.lexer.indent != Indent::default() {
            let indent = self.lexer.indent;
            self.level = body;
            let message = match indent.compare(body) {
                Some(Ordering::Equal) => {
                    self.line();
                    continue;
                }
                _ if self.tok.kind == Kind::NotUtf8 => {
                    self.skip_statement(self.tok);
                    continue;
                }
                Some(Ordering::Greater) => "unexpected indentation",
                Some(Ordering::Less) => "the line is indented less than the lines above it",
                None => "tabs and spaces are mixed",
            };
            self.error(Problem::error(self.tok.span, message));
            self.skip_statement(self.tok);
        }
    }

    /// Parses the statements of one line.
    fn line(&mut self) {
        let start = self.tok;
        loop {
            let Function { stmts, exprs, args, .. } = &self.function;
            let (n_stmts, n_exprs, n_args) = (stmts.len(), exprs.len(), args.len());
            match self.statement().and_then(|()| self.statement_end()) {
                Ok(()) if self.tok.first || self.tok.kind == Kind::End => return,
                Ok(()) => {}
                Err(Reported) => {
                    self.function.stmts.truncate(n_stmts);
                    self.function.exprs.truncate(n_exprs);
                    self.function.args.truncate(n_args);
                    return self.skip_statement(start);
                }
            }
        }
    }

    /// Consumes `;` or the end of the line. If the line ended, the next token is the first on its line.
    fn statement_end(&mut self) -> Parse<()> {
        match self.tok.kind {
            Kind::End => Ok(()),
            Kind::Newline => {
                self.advance();
                Ok(())
            }
            Kind::Semicolon => {
                self.advance();
                if self.tok.kind == Kind::Newline {
                    self.advance();
                }
                Ok(())
            }
            _ => Err(self.unexpected("the end of the line", Position::After)),
        }
    }

    fn statement(&mut self) -> Parse<()> {
        match self.tok.kind {
            Kind::Keyword(Keyword::Return) => {
                self.advance();
                let ends = self.at_line_end() || self.tok.kind == Kind::Semicolon;
                let value = if ends { None } else { Some(self.expr_list()?) };
                self.function.stmts.push(Stmt::Return(value));
                Ok(())
            }
            Kind::Keyword(Keyword::Pass) => {
                self.advance();
                Ok(())
            }
            Kind::Keyword(Keyword::Import | Keyword::From) => self.import(),
            Kind::Text => {
                while self.tok.kind == Kind::Text {
                    self.advance();
                }
                Ok(())
            }
            kind => match unsupported::statement(kind, self.token_text()) {
                Some(problem) => Err(self.report(problem.at(self.tok.span))),
                None => self.assignment(),
            },
        }
    }

    /// Skips an import. All names are known already.
    fn import(&mut self) -> Parse<()> {
        loop {
            let inside = !self.open_brackets.is_empty();
            match self.tok.kind {
                Kind::Newline | Kind::End | Kind::Semicolon if !inside => return Ok(()),
                _ if inside && self.starts_statement() => {
                    return Err(self.unexpected("a name", Position::Operand));
                }
                Kind::LParen if !inside => self.open_brackets.push(self.tok.span),
                Kind::RParen if inside => self.open_brackets.clear(),
                Kind::Name | Kind::Dot | Kind::Comma | Kind::Star => {}
                Kind::Keyword(Keyword::Import | Keyword::From | Keyword::As) => {}
                _ => return Err(self.unexpected("a name", Position::Operand)),
            }
            self.advance();
        }
    }

    /// Parses `name = value`, `name: annotation = value`, `name: annotation`, or a value alone.
    fn assignment(&mut self) -> Parse<()> {
        let first = self.expr_list()?;
        let stmt = match self.tok.kind {
            Kind::Assign => {
                let target = self.target(first)?;
                Stmt::Assign { target, value: self.assigned()? }
            }
            Kind::Colon => {
                let target = self.target(first)?;
                self.advance();
                self.annotation(&[Kind::Assign, Kind::Newline, Kind::End, Kind::Semicolon])?;
                match self.tok.kind {
                    Kind::Assign => Stmt::Assign { target, value: self.assigned()? },
                    _ => Stmt::Declare(target),
                }
            }
            _ => Stmt::Expr(first),
        };
        self.function.stmts.push(stmt);
        Ok(())
    }

    fn target(&mut self, expr: ExprId) -> Parse<Target> {
        let &Expr { ref kind, at } = self.function.expr(expr);
        let message = match *kind {
            ExprKind::Name(name) => {
                // The target was parsed as the last expression, but it is none.
                self.function.exprs.truncate(expr.0 as usize);
                return Ok(Target { name, at });
            }
            ExprKind::Tuple(_) => {
                let problem = Problem::error(at.span, "unpacking is not part of the language");
                return Err(self.report(problem.label("use `first` and `last`")));
            }
            ExprKind::Call(..) | ExprKind::Callee(_) => "cannot assign to a call",
            ExprKind::None | ExprKind::Bool(_) | ExprKind::Int(_) => "cannot assign to a constant",
        };
        Err(self.report(Problem::error(at.span, message)))
    }

    /// Parses `= value`.
    fn assigned(&mut self) -> Parse<ExprId> {
        self.advance();
        let value = self.expr_list()?;
        if self.tok.kind == Kind::Assign {
            let problem = Problem::error(self.tok.span, "a chained assignment is not part of the language");
            return Err(self.report(problem.label("write one line for each name")));
        }
        Ok(value)
    }

    /// Parses an expression, or a tuple without brackets.
    fn expr_list(&mut self) -> Parse<ExprId> {
        let first = self.expr()?;
        if self.tok.kind != Kind::Comma {
            return Ok(first);
        }
        let base = self.pending.len();
        let start = self.function.expr(first).at;
        self.pending.push(Arg { value: first, keyword: None });
        while self.tok.kind == Kind::Comma {
            self.advance();
            if matches!(self.tok.kind, Kind::Newline | Kind::End | Kind::Semicolon | Kind::Assign) {
                break;
            }
            let value = self.expr()?;
            self.pending.push(Arg { value, keyword: None });
        }
        let args = self.take_pending(base);
        Ok(self.push(ExprKind::Tuple(args), start))
    }

    fn expr(&mut self) -> Parse<ExprId> {
        if self.function.exprs.len() >= MAX_EXPRS {
            return Err(self.too_long());
        }
        let mut expr = self.operand()?;
        let mut n_calls = 0;
        while self.tok.kind == Kind::LParen {
            n_calls += 1;
            if n_calls > MAX_CHAIN {
                let message = format!("more than {MAX_CHAIN} chained calls");
                return Err(self.report(Problem::error(self.tok.span, message)));
            }
            expr = self.call(expr)?;
        }
        match self.tok.kind {
            Kind::Dot => Err(self.attribute(expr)),
            _ => Ok(expr),
        }
    }

    /// Reports `np.rot90` or `I.shape`, with the primitive to use instead.
    fn attribute(&mut self, base: ExprId) -> Reported {
        let at = self.function.expr(base).at;
        let mut name = "";
        while self.tok.kind == Kind::Dot {
            self.advance();
            if self.tok.kind != Kind::Name {
                break;
            }
            name = self.token_text();
            self.advance();
        }
        let span = Span { start: at.span.start, end: self.end };
        let dotted = &self.text[span.range()];
        let message = format!("`{}`: an attribute is not part of the language", unsupported::shorten(dotted));
        let problem = Problem::error(span, message);
        // A problem that is only counted needs no remedy.
        if self.problems.is_full() {
            return self.report(problem);
        }
        let remedy = self.attribute_remedy(base, name, dotted);
        self.report(problem.label(remedy))
    }

    /// Returns the replacement for an attribute of a value or of an unknown module.
    fn attribute_remedy(&self, base: ExprId, name: &str, dotted: &str) -> String {
        let Expr { kind, at } = self.function.expr(base);
        let is_value = match *kind {
            ExprKind::Name(name) => self.function.assigns(name),
            _ => true,
        };
        if !is_value {
            return by_other_name(dotted).or_else(|| by_other_name(name)).map_or(String::new(), did_you_mean);
        }
        let base = &self.text[at.span.range()];
        let base = if base.len() <= MAX_REPEATED { base } else { "…" };
        by_other_name(name).map_or(String::new(), |ours| format!("use `{ours}({base})`"))
    }

    fn too_long(&mut self) -> Reported {
        // At the level of `def`, the rest of the function is skipped with the statement.
        self.level = Indent::default();
        let message = format!("the function has more than {MAX_EXPRS} values and calls");
        self.report(Problem::error(self.tok.span, message))
    }

    fn operand(&mut self) -> Parse<ExprId> {
        let start = self.tok.at();
        let expr = match self.tok.kind {
            Kind::Name => ExprKind::Name(self.names.id(self.token_text())),
            Kind::Int => ExprKind::Int(self.int(start.span, false)),
            Kind::Minus => return self.negative(),
            Kind::LParen => return self.parenthesis(),
            Kind::Keyword(Keyword::True) => ExprKind::Bool(true),
            Kind::Keyword(Keyword::False) => ExprKind::Bool(false),
            Kind::Keyword(Keyword::None) => ExprKind::None,
            _ => return Err(self.unexpected("a value", Position::Operand)),
        };
        self.advance();
        Ok(self.push(expr, start))
    }

    /// Parses `-7`. Any other minus is an operator.
    fn negative(&mut self) -> Parse<ExprId> {
        let minus = self.tok.at();
        self.advance();
        let Token { kind, span, .. } = self.tok;
        if kind == Kind::Int {
            let value = self.int(minus.span.to(span), true);
            self.advance();
            if self.tok.kind != Kind::LParen {
                return Ok(self.push(ExprKind::Int(value), minus));
            }
        }
        let problem = Problem::error(minus.span, "`-` is not part of the language");
        Err(self.report(problem.label("use `invert(n)`")))
    }

    fn int(&mut self, span: Span, negative: bool) -> i64 {
        let magnitude = lexer::int(self.token_text()).map(i128::from);
        let value = magnitude.map(|value| if negative { -value } else { value });
        value.and_then(|value| i64::try_from(value).ok()).unwrap_or_else(|| {
            let problem = Problem::error(span, "the integer does not fit into 64 bits");
            self.error(problem.label(format!("integers range from {} to {}", i64::MIN, i64::MAX)));
            self.function.failed = true;
            0
        })
    }

    /// Parses `(value)` or a tuple.
    fn parenthesis(&mut self) -> Parse<ExprId> {
        let start = self.tok.at();
        self.open(Kind::LParen, "`(`")?;
        let base = self.pending.len();
        let mut comma = false;
        while self.tok.kind != Kind::RParen {
            let value = self.expr()?;
            self.pending.push(Arg { value, keyword: None });
            if self.tok.kind != Kind::Comma {
                break;
            }
            self.advance();
            comma = true;
        }
        self.close(Kind::RParen, "`,` or `)`")?;
        if let [only] = self.pending[base..]
            && !comma
        {
            self.pending.truncate(base);
            return Ok(only.value);
        }
        let args = self.take_pending(base);
        Ok(self.push(ExprKind::Tuple(args), start))
    }

    fn call(&mut self, callee: ExprId) -> Parse<ExprId> {
        let Expr { kind, at: start } = &mut self.function.exprs[callee.0 as usize];
        let start = *start;
        if let ExprKind::Name(name) = *kind {
            *kind = ExprKind::Callee(name);
        }
        self.open(Kind::LParen, "`(`")?;
        let base = self.pending.len();
        while self.tok.kind != Kind::RParen {
            let arg = self.arg(base)?;
            self.pending.push(arg);
            if self.tok.kind != Kind::Comma {
                break;
            }
            self.advance();
        }
        self.close(Kind::RParen, "`,` or `)`")?;
        let args = self.take_pending(base);
        Ok(self.push(ExprKind::Call(callee, args), start))
    }

    /// Parses `value` or `keyword=value`. The call's earlier arguments are pending from `base` on.
    fn arg(&mut self, base: usize) -> Parse<Arg> {
        let value = self.expr()?;
        let Expr { kind, at: At { span, .. } } = self.function.expr(value);
        let span = *span;
        match kind {
            ExprKind::Name(_) if self.tok.kind == Kind::Assign => {
                self.function.exprs.truncate(value.0 as usize);
                self.advance();
                Ok(Arg { value: self.expr()?, keyword: Some(span) })
            }
            _ if self.pending[base..].last().is_some_and(|last| last.keyword.is_some()) => {
                Err(self.report(Problem::error(span, "positional argument follows keyword argument")))
            }
            _ => Ok(Arg { value, keyword: None }),
        }
    }

    fn annotation(&mut self, stop: &[Kind]) -> Parse<()> {
        if stop.contains(&self.tok.kind) {
            return Err(self.unexpected("an annotation", Position::Operand));
        }
        self.skip_balanced(stop)
    }

    /// Skips tokens up to one of `stop` outside brackets.
    fn skip_balanced(&mut self, stop: &[Kind]) -> Parse<()> {
        let base = self.open_brackets.len();
        loop {
            let outside = self.open_brackets.len() == base;
            match self.tok.kind {
                kind if outside && stop.contains(&kind) => return Ok(()),
                Kind::LParen | Kind::LBracket | Kind::LBrace => self.open_brackets.push(self.tok.span),
                Kind::RParen | Kind::RBracket | Kind::RBrace if !outside => {
                    self.open_brackets.pop();
                }
                Kind::End
                | Kind::Newline
                | Kind::RParen
                | Kind::RBracket
                | Kind::RBrace
                | Kind::TooDeep
                | Kind::NotUtf8
                | Kind::BadChar
                | Kind::BadBackslash
                | Kind::BadNumber
                | Kind::UnclosedString => return Err(self.unexpected("a name", Position::Operand)),
                _ if !outside && self.starts_statement() => {
                    return Err(self.unexpected("a name", Position::Operand));
                }
                _ => {}
            }
            self.advance();
        }
    }

    fn open(&mut self, kind: Kind, name: &str) -> Parse<()> {
        let span = self.tok.span;
        self.expect(kind, name)?;
        self.open_brackets.push(span);
        Ok(())
    }

    fn close(&mut self, kind: Kind, expected: &str) -> Parse<()> {
        if self.tok.kind != kind {
            return Err(self.unexpected(expected, Position::After));
        }
        self.open_brackets.pop();
        self.advance();
        Ok(())
    }

    fn expect(&mut self, kind: Kind, name: &str) -> Parse<()> {
        if self.tok.kind != kind {
            return Err(self.unexpected(name, Position::After));
        }
        self.advance();
        Ok(())
    }

    fn advance(&mut self) {
        self.end = self.tok.span.end;
        self.tok = self.lexer.next();
    }

    fn token_text(&self) -> &'t str {
        &self.text[self.tok.span.range()]
    }

    fn at_line_end(&self) -> bool {
        matches!(self.tok.kind, Kind::Newline | Kind::End)
    }

    /// Adds an expression that starts at `start` and ends with the last token.
    fn push(&mut self, kind: ExprKind, start: At) -> ExprId {
        let span = Span { start: start.span.start, end: self.end };
        self.function.exprs.push(Expr { kind, at: At { span, line: start.line } });
        ExprId(self.function.exprs.len() as u32 - 1)
    }

    fn take_pending(&mut self, base: usize) -> std::ops::Range<u32> {
        let args = &mut self.function.args;
        let start = args.len() as u32;
        args.extend(self.pending.drain(base..));
        start..args.len() as u32
    }

    fn error(&mut self, problem: Problem) {
        self.problems.add(problem);
    }

    fn report(&mut self, problem: Problem) -> Reported {
        self.error(problem);
        Reported
    }

    /// Reports the next token, in place of which something else was `expected`.
    fn unexpected(&mut self, expected: &str, position: Position) -> Reported {
        let Token { kind, span, .. } = self.tok;
        if let Some(&open) = self.open_brackets.last()
            && (kind == Kind::End || self.starts_statement())
        {
            let bracket = &self.text[open.range()];
            return self.report(Problem::error(open, format!("`{bracket}` is never closed")));
        }
        let text = self.token_text();
        let problem = match kind {
            // The caller that truncated the text reports it.
            Kind::NotUtf8 => return Reported,
            Kind::TooDeep => Problem::error(span, format!("brackets are nested deeper than {MAX_NESTING}")),
            Kind::UnclosedString => Problem::error(span, "the string is never closed"),
            Kind::BadBackslash => Problem::error(span, "a backslash must be the last character of its line"),
            Kind::BadNumber => {
                Problem::error(span, format!("`{}` is not a number", unsupported::shorten(text)))
            }
            Kind::BadChar => unsupported::bad_char(text).at(span),
            _ => match unsupported::token(kind, text, position, &self.text[span.end as usize..]) {
                Some(problem) => problem.at(span),
                None => Problem::error(span, format!("expected {expected}")).label(found(kind, text)),
            },
        };
        self.report(problem)
    }

    /// Returns whether the next token starts a line that looks like a statement of this level or further out.
    /// Inside brackets this means that a closing bracket is missing.
    fn starts_statement(&self) -> bool {
        if !self.tok.first || self.lexer.indent.wide > self.level.wide {
            return false;
        }
        match self.tok.kind {
            Kind::Name => self.lexer.assignment_follows(),
            Kind::Keyword(keyword) => matches!(
                keyword,
                Keyword::Def
                    | Keyword::Return
                    | Keyword::Import
                    | Keyword::From
                    | Keyword::Class
                    | Keyword::Pass
                    | Keyword::While
                    | Keyword::With
                    | Keyword::Try
            ),
            _ => false,
        }
    }

    /// Skips the statement that begins at `start`, and records its names.
    fn skip_statement(&mut self, start: Token) {
        self.function.failed = true;
        self.open_brackets.clear();
        self.pending.clear();
        self.skip_block();
        while self.tok.first
            && self.lexer.indent.compare(self.level) == Some(Ordering::Equal)
            && self.continues_skipped(start.kind)
        {
            self.skip_block();
        }
        let first = self.function.skipped_names.len() as u32;
        let mut lexer = Lexer::between(self.text, start, self.tok.span.start);
        loop {
            let token = lexer.next();
            match token.kind {
                Kind::End => break,
                Kind::Name => {
                    let name = self.names.id(&self.text[token.span.range()]);
                    let assigned = lexer.assignment_follows();
                    self.function.skipped_names.push(SkippedName { name, assigned, line: token.line });
                }
                _ => {}
            }
        }
        let end = self.function.skipped_names.len() as u32;
        self.function.stmts.push(Stmt::Skipped(first..end));
    }

    /// Returns whether the next line belongs to a skipped statement, such as `else` to its `if`, or an inner
    /// function to its decorator.
    fn continues_skipped(&self, skipped: Kind) -> bool {
        match self.tok.kind {
            Kind::Keyword(Keyword::Elif | Keyword::Else | Keyword::Except | Keyword::Finally) => true,
            Kind::Keyword(Keyword::Def) => skipped == Kind::At && self.level != Indent::default(),
            _ => false,
        }
    }

    /// Skips the rest of the line and all lines below that are indented deeper.
    fn skip_block(&mut self) {
        self.skip_line();
        while self.tok.kind != Kind::End && self.lexer.indent.wide > self.level.wide {
            self.skip_line();
        }
    }

    fn skip_line(&mut self) {
        while !self.at_line_end() {
            if self.lexer.depth > 0 && self.starts_statement() {
                self.lexer.depth = 0;
                return;
            }
            self.advance();
        }
        if self.tok.kind == Kind::Newline {
            self.advance();
        }
    }
}

fn found(kind: Kind, text: &str) -> String {
    match kind {
        Kind::End => "the text ends here".into(),
        Kind::Newline => "the line ends here".into(),
        _ => format!("found `{}`", unsupported::shorten(text)),
    }
}
