//! `batt merge`

use std::io::Write;
use std::path::PathBuf;

use arcbatt::base::number::count;
use arcbatt::{Merge, Merged, TaskSelection};
use schemars::JsonSchema;
use serde::Serialize;

use crate::job::SelectArgs;
use crate::{Answer, files, output};

const EXAMPLES: &str = "\
All files are of one kind: submissions, states, records or stores. Their order does not matter.

Shards of `solve` and `run`, and of `search --mode enumerate`, give the results of one job on all tasks.
Breeding passes solutions only between the tasks of a shard, so it finds other programs than one search.

Examples:
  batt solve arc2-evaluation --shard 1/3 -o part1.json    one of three machines
  batt merge part1.json part2.json part3.json -o submission.json
  batt merge run1.json run2.json run3.json -o run.json    records
  batt merge a.json b.json -o all.json --data DATA        submissions of any origin";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files of the shards: submissions (shards are recognised by FILE.state next to each), states, records or stores
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the joined file; a submission that is joined from shards also gets OUT.state, from which the job continues
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Data set of submissions: no task of it may be missing, and with --partial missing tasks get fallbacks
    #[arg(long, value_name = "DATA")]
    data: Option<String>,
    #[command(flatten)]
    select: SelectArgs,
    /// Skip broken tasks of DATA
    #[arg(long, requires = "data")]
    skip_bad: bool,
    /// Join the files even if shards or tasks are missing
    #[arg(long)]
    partial: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    fn merge(&self) -> anyhow::Result<Merge> {
        if self.files.iter().chain([&self.output]).any(|path| files::is_standard(path)) {
            anyhow::bail!("`-` cannot be used here; use files");
        }
        let SelectArgs { id, n, start } = &self.select;
        if self.data.is_none() && (!id.is_empty() || n.is_some() || *start > 0) {
            anyhow::bail!("-i, -n and --start select tasks of a data set; use them with --data");
        }
        let data = self.data.as_ref().map(|data| TaskSelection {
            ids: id.clone(),
            start: *start,
            limit: *n,
            skip_bad: self.skip_bad,
            ..TaskSelection::all(data)
        });
        Ok(Merge {
            files: self.files.clone(),
            output: self.output.clone(),
            data,
            partial: self.partial,
            overwrite: files::overwrite(),
        })
    }
}

pub(crate) fn run(args: &Args) -> Answer {
    let merged = args.merge()?.run()?;
    merged.warnings.iter().for_each(|warning| output::warning(warning));
    if args.json {
        output::json(Document::new(merged))?;
        return Ok(true);
    }
    let Merged { parts, tasks, outputs, programs, files, .. } = merged;
    let outputs = outputs.map(|n| count(n, "output"));
    let programs = programs.map(|n| count(n, "program"));
    let counts: Vec<String> = [Some(count(tasks, "task")), outputs, programs].into_iter().flatten().collect();
    let mut out = output::stdout();
    writeln!(out, "Merged {parts}: {} → {}", counts.join(", "), args.output.display())?;
    for file in files.iter().skip(1) {
        output::note(&mut out, format_args!("wrote {}", file.display()))?;
    }
    out.flush()?;
    Ok(true)
}

/// Files that were joined.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document {
    /// The joined files in words, such as `3 shards of solve of demo`.
    parts: String,
    /// Number of tasks.
    tasks: usize,
    /// Number of test outputs of a submission. Null for other files.
    outputs: Option<usize>,
    /// Number of programs of a record or a store. Null for other files.
    programs: Option<usize>,
    /// Paths of the files that were written, the output first.
    files: Vec<String>,
    /// Problems that did not prevent joining, such as missing shards with `--partial`.
    warnings: Vec<String>,
}

impl Document {
    fn new(merged: Merged) -> Document {
        let Merged { parts, tasks, outputs, programs, files, warnings } = merged;
        let files = files.iter().map(|path| path.display().to_string()).collect();
        Document { parts, tasks, outputs, programs, files, warnings }
    }
}
