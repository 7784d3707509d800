//! Reading what the user names, with errors that say what to do.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arcbatt::lang::{self, Parsed, Program, Severity};
use arcbatt::task::submission::Submission;
use arcbatt::task::{Dataset, load};

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

pub(crate) fn dataset(path: &Path) -> anyhow::Result<Dataset> {
    load(path).context("cannot load the data set (a folder of task files, or one task file)")
}

/// A submission file of either form.
pub(crate) fn submission(path: &Path) -> anyhow::Result<Submission> {
    Submission::parse(&read(path)?).with_context(|| format!("cannot use {}", path.display()))
}
