//! Tokens to functions, by recursive descent. Only brackets recurse, and the lexer limits those.
//!
//! After a mistake the parser gives up the statement, with whatever is indented below it, and goes on with the
//! next one. Names in what was given up are remembered, so that one mistake does not make others.

use std::cmp::Ordering;

use crate::ast::{Arg, Expr, ExprId, ExprKind, Function, Head, Lost, Names, Param, Stmt, Target};
use crate::foreign::{self, Position};
use crate::ir::At;
use crate::lexer::{self, Indent, Keyword, Kind, Lexer, MAX_NESTING, Token};
use crate::other_names::{by_other_name, did_you_mean};
use crate::problem::{Problem, Problems, Span};

/// The memory for a function grows with it, and nobody writes such functions. Picked by feel.
const MAX_EXPRS: usize = 1_000_000;

/// `f()()()…`: CPython's compiler gives up after 2,991 of them.
const MAX_CHAIN: usize = 3000;

/// Longer expressions are not repeated in a label. Picked by feel.
const MAX_REPEATED: usize = 12;

pub(crate) struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    /// The next token.
    tok: Token,
    /// Where the last token ended.
    end: u32,
    /// Of the statement at hand.
    level: Indent,
    /// The open brackets of the statement at hand.
    opens: Vec<Span>,
    /// Arguments of calls that are not closed yet.
    pending: Vec<Arg>,
    pub(crate) function: Function,
    pub(crate) names: Names<'t>,
    pub(crate) problems: Problems,
}

/// A problem was reported, or is known to the caller.
struct Reported;

type Parse<T> = Result<T, Reported>;

impl<'t> Parser<'t> {
    /// `cut`: something unreadable follows the text.
    pub(crate) fn new(text: &'t str, cut: bool, names: Names<'t>) -> Parser<'t> {
        let mut lexer = Lexer::new(text, cut);
        let tok = lexer.next();
        Parser {
            text,
            lexer,
            tok,
            end: 0,
            level: Indent::default(),
            opens: Vec::new(),
            pending: Vec::new(),
            function: Function::default(),
            names,
            problems: Problems::new(),
        }
    }

    /// Reads on to the end of the next function and leaves it in `self.function`.
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
                    self.outside();
                }
            }
        }
    }

    /// A line outside all functions.
    fn outside(&mut self) {
        let start = self.tok;
        let result = match start.kind {
            Kind::Keyword(Keyword::Import | Keyword::From | Keyword::Pass) | Kind::Text => self.statement(),
            _ => match foreign::statement(start.kind, self.token_text()) {
                Some(problem) => Err(self.report(problem.at(start.span))),
                None => Err(self.outside_statement()),
            },
        };
        match result.and_then(|()| self.statement_end()) {
            // Another statement may follow on the line.
            Ok(()) => {}
            Err(Reported) => self.lose(start),
        }
    }

    fn outside_statement(&mut self) -> Reported {
        match self.tok.kind {
            Kind::Name | Kind::Keyword(Keyword::Return) => {
                let problem =
                    Problem::error(self.tok.span, "a top-level statement is not part of the language");
                self.report(problem.label("only functions and imports stand here"))
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
                self.opens.clear();
                self.skip_block();
            }
        }
        if let Some(head) = &mut self.function.head {
            head.span.end = self.end;
        }
    }

    /// `def name(params) -> annotation:`
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
            if let Some(problem) = foreign::parameter(self.tok.kind, self.token_text()) {
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
                // A colon or an arrow tells that the bracket was forgotten.
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
            self.error(problem.label("indented lines should follow"));
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
                    self.lose(self.tok);
                    continue;
                }
                Some(Ordering::Greater) => "unexpected indentation",
                Some(Ordering::Less) => "the line is indented less than those above it",
                None => "tabs and spaces are mixed",
            };
            self.error(Problem::error(self.tok.span, message));
            self.lose(self.tok);
        }
    }

    /// The statements of one line.
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
                    return self.lose(start);
                }
            }
        }
    }

    /// Passes `;` or the end of the line. The next token is first on its line if the line ended.
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
            kind => match foreign::statement(kind, self.token_text()) {
                Some(problem) => Err(self.report(problem.at(self.tok.span))),
                None => self.assignment(),
            },
        }
    }

    /// Passes an import. All names are known already.
    fn import(&mut self) -> Parse<()> {
        loop {
            let inside = !self.opens.is_empty();
            match self.tok.kind {
                Kind::Newline | Kind::End | Kind::Semicolon if !inside => return Ok(()),
                _ if inside && self.resumes() => return Err(self.unexpected("a name", Position::Operand)),
                Kind::LParen if !inside => self.opens.push(self.tok.span),
                Kind::RParen if inside => self.opens.clear(),
                Kind::Name | Kind::Dot | Kind::Comma | Kind::Star => {}
                Kind::Keyword(Keyword::Import | Keyword::From | Keyword::As) => {}
                _ => return Err(self.unexpected("a name", Position::Operand)),
            }
            self.advance();
        }
    }

    /// `name = value`, `name: annotation = value`, `name: annotation`, or a value alone.
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
                // It was the last expression, and it is none.
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

    /// `= value`
    fn assigned(&mut self) -> Parse<ExprId> {
        self.advance();
        let value = self.expr_list()?;
        if self.tok.kind == Kind::Assign {
            let problem = Problem::error(self.tok.span, "a chained assignment is not part of the language");
            return Err(self.report(problem.label("write one line for each name")));
        }
        Ok(value)
    }

    /// One expression, or a tuple without brackets.
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
                let message = format!("more than {MAX_CHAIN} calls of results of calls");
                return Err(self.report(Problem::error(self.tok.span, message)));
            }
            expr = self.call(expr)?;
        }
        match self.tok.kind {
            Kind::Dot => Err(self.attribute(expr)),
            _ => Ok(expr),
        }
    }

    /// Reports `np.rot90` or `I.shape`, and what to write instead.
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
        let message = format!("`{}`: an attribute is not part of the language", foreign::shorten(dotted));
        let problem = Problem::error(span, message);
        // Nobody reads the remedy of a problem that is only counted.
        if self.problems.is_full() {
            return self.report(problem);
        }
        let remedy = self.instead_of_attribute(base, name, dotted);
        self.report(problem.label(remedy))
    }

    /// What to write for an attribute of a value, or of a module that there is not.
    fn instead_of_attribute(&self, base: ExprId, name: &str, dotted: &str) -> String {
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
        // At the level of `def`, the rest of the function belongs to the statement that is given up.
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

    /// `-7`. Any other minus is an operator.
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
            self.error(problem.label(format!("at most {} and at least {}", i64::MAX, i64::MIN)));
            self.function.failed = true;
            0
        })
    }

    /// `(value)` or a tuple.
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

    /// `value` or `keyword=value`, after those from `base` on.
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
                let problem =
                    Problem::error(span, "an argument without a keyword follows one with a keyword");
                Err(self.report(problem))
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

    /// Passes anything up to one of `stop` outside the brackets that open here.
    fn skip_balanced(&mut self, stop: &[Kind]) -> Parse<()> {
        let base = self.opens.len();
        loop {
            let outside = self.opens.len() == base;
            match self.tok.kind {
                kind if outside && stop.contains(&kind) => return Ok(()),
                Kind::LParen | Kind::LBracket | Kind::LBrace => self.opens.push(self.tok.span),
                Kind::RParen | Kind::RBracket | Kind::RBrace if !outside => {
                    self.opens.pop();
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
                _ if !outside && self.resumes() => return Err(self.unexpected("a name", Position::Operand)),
                _ => {}
            }
            self.advance();
        }
    }

    fn open(&mut self, kind: Kind, name: &str) -> Parse<()> {
        let span = self.tok.span;
        self.expect(kind, name)?;
        self.opens.push(span);
        Ok(())
    }

    fn close(&mut self, kind: Kind, expected: &str) -> Parse<()> {
        if self.tok.kind != kind {
            return Err(self.unexpected(expected, Position::After));
        }
        self.opens.pop();
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

    /// An expression that began at `start` and ends here.
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

    /// Reports the next token, where something else was `expected`.
    fn unexpected(&mut self, expected: &str, position: Position) -> Reported {
        let Token { kind, span, .. } = self.tok;
        if let Some(&open) = self.opens.last()
            && (kind == Kind::End || self.resumes())
        {
            let bracket = &self.text[open.range()];
            return self.report(Problem::error(open, format!("`{bracket}` is never closed")));
        }
        let text = self.token_text();
        let problem = match kind {
            // Whoever cut the text reports it.
            Kind::NotUtf8 => return Reported,
            Kind::TooDeep => Problem::error(span, format!("brackets are nested deeper than {MAX_NESTING}")),
            Kind::UnclosedString => Problem::error(span, "the string is never closed"),
            Kind::BadBackslash => Problem::error(span, "a backslash must be the last character of its line"),
            Kind::BadNumber => Problem::error(span, format!("`{}` is not a number", foreign::shorten(text))),
            Kind::BadChar => foreign::bad_char(text).at(span),
            _ => match foreign::token(kind, text, position, &self.text[span.end as usize..]) {
                Some(problem) => problem.at(span),
                None => Problem::error(span, format!("expected {expected}")).label(found(kind, text)),
            },
        };
        self.report(problem)
    }

    /// Whether the next token starts a line that looks like a statement of this level or further out. Inside
    /// brackets that means that one of them was forgotten.
    fn resumes(&self) -> bool {
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

    /// Gives up what began at `start`, and remembers its names.
    fn lose(&mut self, start: Token) {
        self.function.failed = true;
        self.opens.clear();
        self.pending.clear();
        self.skip_block();
        while self.tok.first
            && self.lexer.indent.compare(self.level) == Some(Ordering::Equal)
            && self.belongs_to(start.kind)
        {
            self.skip_block();
        }
        let first = self.function.lost.len() as u32;
        let mut lexer = Lexer::between(self.text, start, self.tok.span.start);
        loop {
            let token = lexer.next();
            match token.kind {
                Kind::End => break,
                Kind::Name => {
                    let name = self.names.id(&self.text[token.span.range()]);
                    let assigned = lexer.assignment_follows();
                    self.function.lost.push(Lost { name, assigned, line: token.line });
                }
                _ => {}
            }
        }
        self.function.stmts.push(Stmt::Lost(first..self.function.lost.len() as u32));
    }

    /// Whether the next line is no mistake of its own after a statement that was given up: a branch without its
    /// `if`, a function inside a function without its decorator.
    fn belongs_to(&self, lost: Kind) -> bool {
        match self.tok.kind {
            Kind::Keyword(Keyword::Elif | Keyword::Else | Keyword::Except | Keyword::Finally) => true,
            Kind::Keyword(Keyword::Def) => lost == Kind::At && self.level != Indent::default(),
            _ => false,
        }
    }

    /// Skips the rest of the line and the lines that are indented deeper.
    fn skip_block(&mut self) {
        self.skip_line();
        while self.tok.kind != Kind::End && self.lexer.indent.wide > self.level.wide {
            self.skip_line();
        }
    }

    fn skip_line(&mut self) {
        while !self.at_line_end() {
            if self.lexer.depth > 0 && self.resumes() {
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
        _ => format!("found `{}`", foreign::shorten(text)),
    }
}
