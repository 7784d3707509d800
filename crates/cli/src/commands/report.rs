//! `batt report`

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use arcbatt::record::Record;
use arcbatt::task::write_aside_with;
use arcbatt::{found, page};
use serde::Serialize;

use crate::{Answer, files, output};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The record of a run, a solve or a search (`--record FILE --profile`); with a second one both side by side
    #[arg(required = true, num_args = 1..=2, value_name = "RECORD")]
    records: Vec<PathBuf>,
    /// Where to; beside the record if left out, `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Answer {
    let runs = args.records.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let path = args.output.clone().unwrap_or_else(|| args.records[0].with_extension("html"));
    if files::is_stdout(&path) {
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        page::write(&runs, &mut out)?;
        out.flush()?;
        return Ok(true);
    }
    let bytes = write(&path, &runs)?;
    if args.json {
        #[derive(Serialize)]
        struct Document {
            file: String,
            bytes: u64,
        }
        output::json(Document { file: path.display().to_string(), bytes })?;
    } else {
        writeln!(output::stdout(), "wrote {}, {:.1} MB", path.display(), bytes as f64 / 1e6)?;
    }
    Ok(true)
}

/// Writes the report of a record that was just written.
pub(crate) fn of_file(record: &Path, report: &Path) -> anyhow::Result<()> {
    write(report, &[read(record)?]).map(drop)
}

/// Writes the report of one record.
pub(crate) fn of_record(name: &str, record: Record, report: &Path) -> anyhow::Result<()> {
    write(report, &[(name.to_owned(), record)]).map(drop)
}

fn read(path: &Path) -> anyhow::Result<(String, Record)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let record = found::read(path).with_context(|| path.display().to_string())?;
    Ok((name, record))
}

/// How many bytes were written.
fn write(path: &Path, runs: &[(String, Record)]) -> anyhow::Result<u64> {
    let cannot = || format!("cannot write {}", path.display());
    write_aside_with(path, |mut out| page::write(runs, &mut out)).with_context(cannot)?;
    Ok(std::fs::metadata(path).with_context(cannot)?.len())
}
