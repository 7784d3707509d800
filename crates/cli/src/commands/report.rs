//! `batt report`

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use arcbatt::page::{self, SubmissionPage};
use arcbatt::record::Record;
use arcbatt::task::submission::Submission;
use arcbatt::task::{Options, Select};
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::profile;
use crate::{Answer, data, files, output};

const EXAMPLES: &str = "\
Examples:
  batt report run.json     writes run.html
  batt report before.json after.json -o both.html
  batt report submission.json --data arc2-evaluation
  batt report old.json new.json --data demo -o gained.html";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Record of a run, solve or search (--record FILE), or with --data a submission; two are compared; `-` is
    /// standard input
    #[arg(required = true, num_args = 1..=2, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The files are submissions for this data set: a name from `batt data list`, a folder or a file
    #[arg(long, value_name = "DATA")]
    data: Option<String>,
    /// Skip broken tasks of DATA, with a warning for each
    #[arg(long, requires = "data")]
    skip_bad: bool,
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
    let content = Content::read(args)?;
    let first = &args.files[0];
    let default = || if files::is_standard(first) { first.clone() } else { first.with_extension("html") };
    let path = args.output.clone().unwrap_or_else(default);
    // A report of the same files can be replaced.
    if !page::is_of(&path, &content.jobs()) {
        files::keep_existing(&path)?;
    }
    let bytes = content.write(&path)?;
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

/// The content of the page.
enum Content {
    Records(Vec<(String, Record)>),
    Submissions(Vec<SubmissionPage>),
}

impl Content {
    fn read(args: &Args) -> anyhow::Result<Content> {
        let Some(data) = &args.data else {
            let read = |path: &PathBuf| Ok((name(path), record(path)?));
            return Ok(Content::Records(args.files.iter().map(read).collect::<anyhow::Result<_>>()?));
        };
        let dataset = data::open(data, &Options { skip_bad: args.skip_bad, select: Select::ALL })?;
        let read =
            |path: &PathBuf| Ok(SubmissionPage::new(name(path), &files::submission(path)?, data, &dataset));
        Ok(Content::Submissions(args.files.iter().map(read).collect::<anyhow::Result<_>>()?))
    }

    /// Returns the hashes that identify the page.
    fn jobs(&self) -> String {
        let jobs: Vec<&str> = match self {
            Content::Records(runs) => runs.iter().map(|(_, record)| record.job.as_str()).collect(),
            Content::Submissions(submissions) => submissions.iter().map(SubmissionPage::job).collect(),
        };
        jobs.join(" ")
    }

    /// Writes the page. Returns the number of bytes.
    fn write(&self, path: &Path) -> anyhow::Result<u64> {
        let written = output::phase("report", || {
            files::write_with(path, |mut out| match self {
                Content::Records(runs) => page::write(runs, &mut out),
                Content::Submissions(submissions) => page::write_submissions(submissions, &mut out),
            })
        });
        written.with_context(|| format!("cannot write {}", path.display()))
    }
}

fn name(path: &Path) -> String {
    Path::new(&files::label(path)).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads a record. The error for a submission names the option that shows it.
fn record(path: &Path) -> anyhow::Result<Record> {
    profile::record(path).map_err(|error| {
        let has_attempts = |submission: Submission| {
            submission.iter().flat_map(|(_, outputs)| outputs).flatten().any(Option::is_some)
        };
        match !files::is_standard(path) && files::submission(path).is_ok_and(has_attempts) {
            true => anyhow::anyhow!(
                "{}: this is a submission, not a record; add --data DATA to show it with its tasks",
                files::label(path)
            ),
            false => error,
        }
    })
}
