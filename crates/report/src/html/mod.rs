//! The report: one file that a browser opens, with nothing to fetch.
//!
//! The page's sources lie in `web`: a shell, a style sheet and ES modules, which are put into one script here. What
//! the page shows is a JSON document inside the page; its figures are those of the [views](crate::view). The script
//! writes all text as text, and the policy in the page's head lets nothing run but that script.

mod cost;
mod run;
mod task;

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use batt_record::Record;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::facts::{Facts, Selection};
use crate::html::run::Run;
use crate::view::Compare;

/// A run to show.
pub struct Source<'r> {
    /// What to call it.
    pub name: String,
    pub record: &'r Record,
    /// The merged programs, or why there is no picture of them.
    pub graph: Result<Graph, String>,
}

/// The plan of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Graph {
    /// The calls that most programs need: how many, and which call.
    pub most: Vec<(u32, String)>,
    /// All nodes, if they are few enough for a picture: what it is, how many programs need it, its arguments.
    pub nodes: Vec<(String, u32, Vec<u32>)>,
}

/// A look for the ten colours.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Look {
    pub name: &'static str,
    pub colors: Vec<String>,
    /// What can be read on each colour.
    pub inks: Vec<String>,
    pub line: String,
}

/// What the page shows.
#[derive(Serialize)]
struct Document<'d> {
    schema: u32,
    looks: &'d [Look],
    runs: Vec<Run<'d>>,
    compare: Option<Result<Compare, String>>,
    /// The page follows its run.
    follow: Option<Follow<'d>>,
}

/// Whom to ask for news, and what to show with every request.
#[derive(Serialize)]
struct Follow<'d> {
    path: &'d str,
    token: &'d str,
}

impl<'d> Document<'d> {
    fn new(sources: &'d [Source<'d>], looks: &'d [Look], follow: Option<Follow<'d>>) -> Document<'d> {
        let runs = sources.iter().map(Run::new).collect();
        Document { schema: SCHEMA, looks, runs, compare: compare(sources), follow }
    }
}

/// Writes the page of one run, or of two side by side.
pub fn write(sources: &[Source<'_>], looks: &[Look], out: &mut impl Write) -> io::Result<()> {
    let jobs: Vec<&str> = sources.iter().map(|source| source.record.job.as_str()).collect();
    let page = Page { modules: &MODULES, head: job_tag(&jobs.join(" ")), allowed: "" };
    page.write(&Document::new(sources, looks, None), out)
}

/// As [`write()`], for a page that a server gives out: it asks there, at `path`, for news of its run.
pub fn write_followed(
    sources: &[Source<'_>],
    looks: &[Look],
    path: &str,
    token: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let follow = Some(Follow { path, token });
    let page = Page { modules: &MODULES, head: String::new(), allowed: " connect-src 'self';" };
    page.write(&Document::new(sources, looks, follow), out)
}

/// What the page shows, by itself.
pub fn write_data(sources: &[Source<'_>], looks: &[Look], out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(out, &Document::new(sources, looks, None)).map_err(io::Error::from)
}

/// Writes the page that the local server shows. It may talk to whom it comes from, and to nobody else. `token`: what
/// it shows with every request.
pub fn write_live(token: &str, looks: &[Look], out: &mut impl Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Document<'d> {
        token: &'d str,
        looks: &'d [Look],
    }
    let allowed = " connect-src 'self'; img-src data:;";
    Page { modules: &LIVE, head: String::new(), allowed }.write(&Document { token, looks }, out)
}

/// The tag that shows which job a report belongs to.
pub fn job_tag(job: &str) -> String {
    // A record that somebody changed could hold anything.
    let hash: String = job.chars().filter(|c| c.is_ascii_hexdigit() || *c == ' ').collect();
    format!("<meta name=\"job\" content=\"{hash}\">\n")
}

/// The shell with style, data and script.
struct Page<'p> {
    modules: &'p [&'p str],
    /// More tags for the head.
    head: String,
    /// Sources that the policy allows besides the parts of the page.
    allowed: &'p str,
}

impl Page<'_> {
    fn write(&self, document: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
        let script = script(self.modules);
        let parts = SHELL.split_once("<!-- policy -->").and_then(|(start, rest)| {
            let (middle, end) = rest.split_once("<!-- parts -->")?;
            Some((start, middle, end))
        });
        let (start, middle, end) = parts.ok_or_else(|| io::Error::other("the shell has lost its marks"))?;
        write!(
            out,
            "{start}{}<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<style>{STYLE}</style>{middle}",
            self.head,
            policy(&script, self.allowed)
        )?;
        write!(out, "<script type=\"application/json\" id=\"data\">")?;
        serde_json::to_writer(Harmless(&mut *out), document)?;
        write!(out, "</script>\n<script type=\"module\">{script}</script>{end}")
    }
}

/// The version of the document inside the page.
const SCHEMA: u32 = 1;

const SHELL: &str = include_str!("../../web/shell.html");
const STYLE: &str = include_str!("../../web/style.css");

/// The modules, each after those that it imports from.
const MODULES: [&str; 13] = [
    DOM,
    DATA,
    GRID,
    SETTINGS,
    include_str!("../../web/list.js"),
    include_str!("../../web/overview.js"),
    include_str!("../../web/tasks.js"),
    include_str!("../../web/programs.js"),
    include_str!("../../web/plan.js"),
    include_str!("../../web/whatif.js"),
    include_str!("../../web/profile.js"),
    include_str!("../../web/compare.js"),
    include_str!("../../web/main.js"),
];

/// Those of the local page.
const LIVE: [&str; 5] = [DOM, DATA, GRID, SETTINGS, include_str!("../../web/live.js")];

const DOM: &str = include_str!("../../web/dom.js");
const DATA: &str = include_str!("../../web/data.js");
const GRID: &str = include_str!("../../web/grid.js");
const SETTINGS: &str = include_str!("../../web/settings.js");

/// The modules as one: a file opened from a disk cannot import others.
fn script(modules: &[&str]) -> String {
    let own = |line: &&str| !line.starts_with("import ");
    let lines = modules.iter().flat_map(|module| module.lines().filter(own));
    let lines = lines.map(|line| line.strip_prefix("export ").unwrap_or(line));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

/// Nothing may run or be loaded but this script and this style.
fn policy(script: &str, more: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; script-src {}; style-src {};{more} base-uri 'none'; form-action 'none'",
        hash(script),
        hash(STYLE)
    )
}

fn compare(sources: &[Source<'_>]) -> Option<Result<Compare, String>> {
    let [a, b] = sources else { return None };
    let all = Selection::default();
    let both = Facts::new(a.record, &all).and_then(|a| Ok((a, Facts::new(b.record, &all)?)));
    let view = both.and_then(|(a, b)| Compare::new(&a, &b, None));
    Some(view.map_err(|error| error.to_string()))
}

/// JSON that may stand in a page: no text in it can end the element it stands in.
struct Harmless<W>(W);

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
            self.0.write_all(&rest[..at])?;
            self.0.write_all(b"\\u003c")?;
            rest = &rest[at + 1..];
        }
        self.0.write_all(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
