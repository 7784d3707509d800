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

/// The subject of a record.
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
    /// Set if a server shows the page.
    server: Option<&'d Server<'d>>,
}

/// The server that shows a report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Server<'d> {
    /// The page sends it with every request.
    pub token: &'d str,
    /// The address for updates while the run continues; `None` if there are none.
    pub follow: Option<&'d str>,
    /// The name of each run at the server.
    pub names: Vec<String>,
    /// The data set of each run, if the server can open it.
    pub sets: Vec<Option<String>>,
}

impl<'d> Document<'d> {
    fn new(sources: &'d [Source<'d>], looks: &'d [Look], server: Option<&'d Server<'d>>) -> Document<'d> {
        let runs = sources.iter().map(Run::new).collect();
        Document { schema: SCHEMA, looks, runs, compare: compare(sources), server }
    }
}

/// Writes the page of one run, or of two runs side by side.
pub fn write(sources: &[Source<'_>], looks: &[Look], out: &mut impl Write) -> io::Result<()> {
    let jobs: Vec<&str> = sources.iter().map(|source| source.record.job.as_str()).collect();
    let page = Page { head: job_tag(&jobs.join(" ")), ..Page::report() };
    page.write(&Document::new(sources, looks, None), out)
}

/// Writes the page for a server, like [`write()`].
pub fn write_served(
    sources: &[Source<'_>],
    looks: &[Look],
    server: &Server<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let page = Page { allowed: " connect-src 'self';", ..Page::report() };
    page.write(&Document::new(sources, looks, Some(server)), out)
}

/// Writes only the data of the page.
pub fn write_data(sources: &[Source<'_>], looks: &[Look], out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(out, &Document::new(sources, looks, None)).map_err(io::Error::from)
}

/// Writes the page of the local server. It may connect only to that server, and sends `token` with every
/// request. The editor component adds its styles with `nonce`.
pub fn write_live(token: &str, nonce: &str, looks: &[Look], out: &mut impl Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Document<'d> {
        token: &'d str,
        nonce: &'d str,
        looks: &'d [Look],
    }
    let page = Page {
        modules: &LIVE,
        style: concat!(include_str!("../../web/style.css"), include_str!("../../web/live.css")),
        head: String::new(),
        allowed: " connect-src 'self';",
        nonce: Some(nonce),
    };
    page.write(&Document { token, nonce, looks }, out)
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
    style: &'p str,
    /// More tags for the head.
    head: String,
    /// Sources that the policy allows besides the parts of the page.
    allowed: &'p str,
    /// Identifies other styles that are allowed.
    nonce: Option<&'p str>,
}

impl Page<'_> {
    /// Returns the page of a report, which needs nothing else.
    fn report() -> Page<'static> {
        Page { modules: &MODULES, style: STYLE, head: String::new(), allowed: "", nonce: None }
    }

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
            "{start}{}<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<style>{}</style>{middle}",
            self.head,
            self.policy(&script),
            self.style,
        )?;
        write!(out, "<script type=\"application/json\" id=\"data\">")?;
        serde_json::to_writer(EscapeLessThan(&mut *out), document)?;
        write!(out, "</script>\n<script type=\"module\">{script}</script>{end}")
    }

    /// Returns a content-security policy that allows only this script and this style.
    fn policy(&self, script: &str) -> String {
        let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
        let nonce = self.nonce.map(|nonce| format!(" 'nonce-{nonce}'")).unwrap_or_default();
        format!(
            "default-src 'none'; script-src {}; style-src {}{nonce};{} base-uri 'none'; form-action 'none'",
            hash(script),
            hash(self.style),
            self.allowed
        )
    }
}

/// Version of the data inside the page.
const SCHEMA: u32 = 1;

const SHELL: &str = include_str!("../../web/shell.html");
const STYLE: &str = include_str!("../../web/style.css");

/// The modules of a report, each after those that it imports.
const MODULES: [&str; 16] = [
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
    include_str!("../../web/served.js"),
    include_str!("../../web/main.js"),
];

/// The modules of the local page.
const LIVE: [&str; 13] = [
    include_str!("../../web/vendor/codemirror.js"),
    DOM,
    DATA,
    GRID,
    SETTINGS,
    include_str!("../../web/drawing.js"),
    include_str!("../../web/server.js"),
    include_str!("../../web/runs.js"),
    include_str!("../../web/store.js"),
    include_str!("../../web/sets.js"),
    include_str!("../../web/manual.js"),
    include_str!("../../web/editor.js"),
    include_str!("../../web/live.js"),
];

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
