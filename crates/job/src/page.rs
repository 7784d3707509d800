//! Reports: HTML pages of records, with colours and the plan of the programs.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use batt_base::write_atomic_with;
use batt_lang as lang;
use batt_plan::{NodeId, Plan};
use batt_record::Record;
use batt_report::html::{self, Graph, Look, Source};

use crate::palette::{self, Palette, Rgb};

pub use batt_report::html::Server;

/// Writes the page of runs to a file, see [`write()`].
pub fn write_file(runs: &[(String, Record)], path: &Path) -> io::Result<()> {
    write_atomic_with(path, |out| write(runs, out))
}

/// Returns whether a file is the report of a job and so can be replaced. `job` is the `job` field of the record, or of
/// both records of a comparison, separated by a space.
pub fn is_of(path: &Path, job: &str) -> bool {
    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(4096).read_to_end(&mut start));
    read.is_ok() && String::from_utf8_lossy(&start).contains(&html::job_tag(job))
}

/// Writes the page of one record, or of two side by side. Each has a name, usually that of its file.
pub fn write(runs: &[(String, Record)], out: &mut impl Write) -> io::Result<()> {
    html::write(&sources(runs), &palette::ALL.map(look), out)
}

/// Like [`write()`], for a page of a server: it links to the server's other pages, and updates itself if the server
/// names an address to follow.
pub fn write_served(runs: &[(String, Record)], server: &Server<'_>, out: &mut impl Write) -> io::Result<()> {
    html::write_served(&sources(runs), &palette::ALL.map(look), server, out)
}

/// Writes the content of such a page as JSON.
pub fn write_data(runs: &[(String, Record)], out: &mut impl Write) -> io::Result<()> {
    html::write_data(&sources(runs), &palette::ALL.map(look), out)
}

fn sources(runs: &[(String, Record)]) -> Vec<Source<'_>> {
    runs.iter().map(|(name, record)| Source { name: name.clone(), record, graph: graph(record) }).collect()
}

/// Writes the page of the local server. The page sends `token` with every request. Scripts may add styles that have
/// `nonce`, which must be random.
pub fn write_live(token: &str, nonce: &str, out: &mut impl Write) -> io::Result<()> {
    html::write_live(token, nonce, &palette::ALL.map(look), out)
}

/// Larger plans are not drawn.
const MAX_NODES: usize = 400;
/// Number of shared expressions to list.
const MAX_SHARED: usize = 50;
/// Maximum length of an expression, in characters.
const MAX_EXPRESSION: usize = 120;

/// Merges the programs of the record again, because the record does not contain the plan.
fn graph(record: &Record) -> Result<Graph, String> {
    let mut programs = Vec::with_capacity(record.programs.len());
    for entry in &record.programs {
        let parsed = lang::parse(&entry.text).programs;
        match parsed.into_iter().find(|program| program.name() == entry.name) {
            Some(program) if program.hash().to_string() == entry.hash => programs.push(program),
            _ => {
                return Err(format!(
                    "this version of batt parses {} differently from the version that ran it",
                    entry.name
                ));
            }
        }
    }
    let plan = Plan::merge(&programs);
    let uses = plan.uses();
    let mut shared: Vec<usize> =
        (0..uses.len()).filter(|i| uses[*i] > 1 && plan.nodes()[*i].is_computed()).collect();
    shared.sort_by_key(|i| (std::cmp::Reverse(uses[*i]), *i));
    let most = shared
        .iter()
        .take(MAX_SHARED)
        .map(|i| (uses[*i], plan.expression(NodeId(*i as u32), MAX_EXPRESSION)));
    let node = |(i, node): (usize, &batt_plan::Node)| {
        // Calls are shown by name; other nodes are short.
        let name = node.primitive().map(|symbol| symbol.name.to_owned());
        let name = name.unwrap_or_else(|| plan.expression(NodeId(i as u32), 20));
        (name, uses[i], node.args.iter().map(|NodeId(id)| *id).collect())
    };
    let drawable = plan.nodes().len() <= MAX_NODES;
    let nodes = if drawable { plan.nodes().iter().enumerate().map(node).collect() } else { Vec::new() };
    Ok(Graph { most: most.collect(), nodes })
}

fn look(palette: Palette) -> Look {
    let hex = |(r, g, b): Rgb| format!("#{r:02x}{g:02x}{b:02x}");
    Look {
        name: palette.name,
        colors: palette.colors.map(hex).to_vec(),
        inks: palette.colors.map(|color| hex(palette::ink(color))).to_vec(),
        line: hex(palette.line),
    }
}
