//! `batt report`

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use arcbatt::page;
use arcbatt::record::Record;
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::profile;
use crate::{Answer, files, output};

const EXAMPLES: &str = "\
Examples:
  batt report run.json     writes run.html
  batt report before.json after.json -o both.html";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Record of a run, solve or search (--record FILE), or two to compare; `-` is standard input
    #[arg(required = true, num_args = 1..=2, value_name = "RECORD")]
    records: Vec<PathBuf>,
    /// Write to FILE; `-` is standard output [default: next to the record]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The page that was written.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document {
    /// Path of the page.
    file: String,
    /// Its size.
    bytes: u64,
}

pub(crate) fn run(args: &Args) -> Answer {
    let runs = args.records.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let first = &args.records[0];
    let default = || if files::is_standard(first) { first.clone() } else { first.with_extension("html") };
    let path = args.output.clone().unwrap_or_else(default);
    // A report of the same records can be replaced.
    let jobs: Vec<&str> = runs.iter().map(|(_, record)| record.job.as_str()).collect();
    if !page::is_of(&path, &jobs.join(" ")) {
        files::keep_existing(&path)?;
    }
    let bytes = write(&path, &runs)?;
    if files::is_standard(&path) {
        return Ok(true);
    }
    if args.json {
        output::json(Document { file: path.display().to_string(), bytes })?;
    } else {
        let mut out = output::stdout();
        output::wrote(&mut out, format_args!("{}, {:.1} MB", path.display(), bytes as f64 / 1e6))?;
        out.flush()?;
    }
    Ok(true)
}

fn read(path: &Path) -> anyhow::Result<(String, Record)> {
    let name = Path::new(&files::label(path)).file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name, profile::record(path)?))
}

/// Writes the page. Returns the number of bytes.
fn write(path: &Path, runs: &[(String, Record)]) -> anyhow::Result<u64> {
    let written = output::phase("report", || files::write_with(path, |mut out| page::write(runs, &mut out)));
    written.with_context(|| format!("cannot write {}", path.display()))
}
