//! Reading what the user names, with errors that say what to do.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arcbatt::lang::{self, Parsed, Program, Severity};
use arcbatt::task::submission::Submission;
use arcbatt::task::write_aside;

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

    /// The errors between the head of the function `name` and the next head.
    fn errors_of(&self, name: &str) -> String {
        let heads = self.text.match_indices("def ").map(|(at, _)| at);
        let starts: Vec<_> = heads.filter(|at| *at == 0 || self.text.as_bytes()[at - 1] == b'\n').collect();
        let called = |at: &usize| {
            let rest = self.text[at + 4..].trim_start();
            rest.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('('))
        };
        let Some(place) = starts.iter().rposition(called) else { return String::new() };
        let end = starts.get(place + 1).copied().unwrap_or(self.text.len());
        let inside = |at: u32| (starts[place]..end).contains(&(at as usize));
        let errors = self.parsed.problems.iter().filter(|problem| problem.severity == Severity::Error);
        let file = self.path.display().to_string();
        let errors = errors.filter(|problem| inside(problem.span.start));
        errors
            .map(|problem| problem.render(&file, &self.text, false).trim_end().to_owned() + "\n\n")
            .collect()
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
        let errors = self.errors_of(name);
        if !errors.is_empty() {
            bail!("{path} holds no usable program called {name}:\n\n{}", errors.trim_end());
        }
        match lang::suggest(name, programs.iter().map(Program::name)) {
            Some(near) => bail!("{path} holds no program called {name}; did you mean {near}?"),
            None => bail!(
                "{path} holds no program called {name}; `batt programs check {path}` lists what it holds"
            ),
        }
    }
}

/// Far beyond any program, task or grid; a larger file is a mistake and is not read into memory.
const MAX_FILE: u64 = 256 << 20;

/// A whole file.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = open(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {}", path.display()))?;
    if bytes.len() as u64 > MAX_FILE {
        bail!("{} has more than {} MiB", path.display(), MAX_FILE >> 20);
    }
    Ok(bytes)
}

/// The lines of a file, unpacked if its name ends in `.gz`. What is larger than any sensible file ends early.
pub(crate) fn lines(path: &Path) -> anyhow::Result<impl BufRead> {
    let file = open(path)?;
    let bytes: Box<dyn Read> = if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(flate2::read::MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    Ok(BufReader::new(bytes.take(MAX_FILE)))
}

fn open(path: &Path) -> anyhow::Result<std::fs::File> {
    std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Whether a file can be written there and written again; what is not there yet can.
pub(crate) fn is_plain(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |there| there.is_file())
}

/// Whether a path means standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Writes a whole file, aside first; `-` is standard output.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let written = if is_stdout(path) {
        let mut out = std::io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush())
    } else {
        write_aside(path, bytes)
    };
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// A submission file of either form.
pub(crate) fn submission(path: &Path) -> anyhow::Result<Submission> {
    Submission::parse(&read(path)?).with_context(|| format!("cannot use {}", path.display()))
}
