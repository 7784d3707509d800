//! The report: one self-contained HTML file.
//!
//! The page's sources are in `web`: a shell, a style sheet and ES modules, which are joined into one script
//! here. The data is a JSON document inside the page; its figures are those of the [views](crate::view). The
//! script sets all text as text, and the content-security policy allows only that script to run.

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
    /// Name to show.
    pub name: String,
    pub record: &'r Record,
    pub subject: Subject,
    /// The merged programs, or the reason why there is no graph of them.
    pub graph: Result<Graph, String>,
}

/// What a record describes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A run, a solve or a search.
    Job,
    /// A submission, whose record has tasks and attempts only.
    Submission {
        /// The defects of the file, in words.
        defects: Vec<String>,
        /// Number of outputs with more than two attempts, of which two are shown.
        hidden: usize,
    },
}

/// The plan of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Graph {
    /// The calls that most programs need: number of programs, and the call.
    pub most: Vec<(u32, String)>,
    /// All nodes, if they are few enough to draw: name, number of programs that need it, inputs.
    pub nodes: Vec<(String, u32, Vec<u32>)>,
}

/// A palette for the ten colours.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Look {
    pub name: &'static str,
    pub colors: Vec<String>,
    /// Text colours that are readable on each colour.
    pub inks: Vec<String>,
    pub line: String,
}

/// The data of the page.
#[derive(Serialize)]
struct Document<'d> {
    schema: u32,
    looks: &'d [Look],
    runs: Vec<Run<'d>>,
    compare: Option<Result<Compare, String>>,
    /// Set if the page updates itself while the run continues.
    follow: Option<Follow<'d>>,
}

/// The address for updates, and the token to send with every request.
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

/// Writes the page of one run, or of two runs side by side.
pub fn write(sources: &[Source<'_>], looks: &[Look], out: &mut impl Write) -> io::Result<()> {
    let jobs: Vec<&str> = sources.iter().map(|source| source.record.job.as_str()).collect();
    let page = Page { modules: &MODULES, head: job_tag(&jobs.join(" ")), allowed: "" };
    page.write(&Document::new(sources, looks, None), out)
}

/// Writes the page for a server, like [`write()`]. The page asks for updates at `path`.
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

/// Writes only the data of the page.
pub fn write_data(sources: &[Source<'_>], looks: &[Look], out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(out, &Document::new(sources, looks, None)).map_err(io::Error::from)
}

/// Writes the page of the local server. It may connect only to that server, and sends `token` with every
/// request.
pub fn write_live(token: &str, looks: &[Look], out: &mut impl Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Document<'d> {
        token: &'d str,
        looks: &'d [Look],
    }
    let allowed = " connect-src 'self'; img-src data:;";
    Page { modules: &LIVE, head: String::new(), allowed }.write(&Document { token, looks }, out)
}

/// Returns the tag that identifies the job of a report.
pub fn job_tag(job: &str) -> String {
    // A record can be edited by hand, so the hash may contain anything.
    let hash: String = job.chars().filter(|c| c.is_ascii_hexdigit() || *c == ' ').collect();
    format!("<meta name=\"job\" content=\"{hash}\">\n")
}

/// The page: the shell with style, data and script.
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
        let (start, middle, end) =
            parts.ok_or_else(|| io::Error::other("shell.html has no marks for policy and parts"))?;
        write!(
            out,
            "{start}{}<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<style>{STYLE}</style>{middle}",
            self.head,
            policy(&script, self.allowed)
        )?;
        write!(out, "<script type=\"application/json\" id=\"data\">")?;
        serde_json::to_writer(EscapeLessThan(&mut *out), document)?;
        write!(out, "</script>\n<script type=\"module\">{script}</script>{end}")
    }
}

/// Version of the data inside the page.
const SCHEMA: u32 = 1;

const SHELL: &str = include_str!("../../web/shell.html");
const STYLE: &str = include_str!("../../web/style.css");

/// The modules of a report, each after those that it imports.
const MODULES: [&str; 15] = [
    DOM,
    DATA,
    GRID,
    SETTINGS,
    include_str!("../../web/chart.js"),
    include_str!("../../web/list.js"),
    include_str!("../../web/tasks.js"),
    include_str!("../../web/compare.js"),
    include_str!("../../web/overview.js"),
    include_str!("../../web/programs.js"),
    include_str!("../../web/plan.js"),
    include_str!("../../web/whatif.js"),
    include_str!("../../web/flame.js"),
    include_str!("../../web/profile.js"),
    include_str!("../../web/main.js"),
];

/// The modules of the local page.
const LIVE: [&str; 5] = [DOM, DATA, GRID, SETTINGS, include_str!("../../web/live.js")];

const DOM: &str = include_str!("../../web/dom.js");
const DATA: &str = include_str!("../../web/data.js");
const GRID: &str = include_str!("../../web/grid.js");
const SETTINGS: &str = include_str!("../../web/settings.js");

/// Joins the modules into one script, because a page opened from disk cannot import others.
fn script(modules: &[&str]) -> String {
    let own = |line: &&str| !line.starts_with("import ");
    let lines = modules.iter().flat_map(|module| module.lines().filter(own));
    let lines = lines.map(|line| line.strip_prefix("export ").unwrap_or(line));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

/// Returns a content-security policy that allows only this script and this style.
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
    if sources.iter().any(|source| source.subject != Subject::Job) {
        return None;
    }
    let all = Selection::default();
    let both = Facts::new(a.record, &all).and_then(|a| Ok((a, Facts::new(b.record, &all)?)));
    let view = both.and_then(|(a, b)| Compare::new(&a, &b, None));
    Some(view.map_err(|error| error.to_string()))
}

/// Escapes `<` in JSON, so that no text in it can end the element that contains it.
struct EscapeLessThan<W>(W);

impl<W: Write> Write for EscapeLessThan<W> {
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
