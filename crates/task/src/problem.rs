//! Problems of data, with their place.

use std::fmt;
use std::path::PathBuf;

use batt_value::ContentHash;

use crate::Part;

/// A problem of the data, with file and place. The mistake is always in the data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The file; for a member of an archive `archive.zip/member.json`. Empty for a text that is not a file.
    pub file: String,
    /// Line and column, both from 1. The column counts bytes.
    pub line: Option<(usize, usize)>,
    pub task: Option<String>,
    pub spot: Spot,
    pub what: String,
}

/// A place in a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    pub part: Option<Part>,
    /// Index of the pair, from 0.
    pub pair: Option<usize>,
    pub side: Option<Side>,
}

impl Spot {
    pub(crate) const NONE: Spot = Spot { part: None, pair: None, side: None };
}

/// One of the two grids of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Side {
    Input,
    Output,
}

impl Side {
    pub fn name(self) -> &'static str {
        match self {
            Side::Input => "input",
            Side::Output => "output",
        }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part.map(Part::name);
        let pair = self.pair.map(|pair| pair.to_string());
        let words = [part, pair.as_deref(), self.side.map(Side::name)];
        f.write_str(&words.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

impl Problem {
    /// Returns the same problem with the name of its file.
    pub fn in_file(self, file: impl Into<String>) -> Problem {
        Problem { file: file.into(), ..self }
    }

    /// Creates a problem of a task as a whole.
    pub(crate) fn of_task(file: &str, task: &str, what: impl fmt::Display) -> Problem {
        let (file, task) = (file.to_owned(), Some(task.to_owned()));
        Problem { file, line: None, task, spot: Spot::NONE, what: what.to_string() }
    }
}

impl fmt::Display for Problem {
    /// Prints `file:line:column: task ID, train 0 input: what`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map_or(String::new(), |(line, column)| format!("{line}:{column}"));
        for place in [&self.file, &line].into_iter().filter(|place| !place.is_empty()) {
            write!(f, "{place}:")?;
        }
        f.write_str(if self.file.is_empty() && line.is_empty() { "" } else { " " })?;
        if let Some(task) = &self.task {
            write!(f, "task {task}")?;
            let spot = self.spot.to_string();
            write!(f, "{}{spot}: ", if spot.is_empty() { "" } else { ", " })?;
        }
        f.write_str(&self.what)
    }
}

/// The reasons why a data set cannot be loaded. All but `Io` are mistakes of the data or of the caller.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file or folder cannot be read.
    #[error("cannot read {path}: {error}")]
    Io { path: PathBuf, error: std::io::Error },
    /// Neither a known name nor a path.
    #[error(
        "there is no data set, file or folder called {data}{}",
        hint_or(near, "; `batt data list` shows the names")
    )]
    Unknown { data: String, near: Option<String> },
    /// A known set that is not installed.
    #[error("{name} is not installed; `batt data install` fetches it")]
    NotInstalled { name: &'static str },
    /// An installed set whose content has changed: damaged on disk, or edited.
    #[error(
        "{path} is not {name}: its content hash is {found:.12}, not {pinned:.12}; `batt data install` repairs it"
    )]
    Changed { name: &'static str, path: PathBuf, found: ContentHash, pinned: &'static str },
    /// The part after `#` does not exist.
    #[error("{data} has no part {part}; {}", if parts.is_empty() { "it has no parts".to_owned() } else { format!("its parts are {}", parts.join(", ")) })]
    NoPart { data: String, part: String, parts: Vec<String> },
    /// There are several data sets, and only one can be read.
    #[error("{data} has several data sets: {}; pick one, such as {data}#{}", parts.join(", "), parts[0])]
    PickPart { data: String, parts: Vec<String> },
    /// No tasks were found.
    #[error("{path} has no tasks (*.json)")]
    NoTasks { path: PathBuf },
    /// A requested id does not exist.
    #[error("{data} has no task {id}{}", hint(near))]
    NoTask { data: String, id: String, near: Option<String> },
    /// The data is invalid.
    #[error("{}", listed(problems))]
    Bad { problems: Vec<Problem> },
}

fn hint(near: &Option<String>) -> String {
    hint_or(near, "")
}

fn hint_or(near: &Option<String>, otherwise: &str) -> String {
    near.as_ref().map_or(otherwise.to_owned(), |near| format!("; did you mean {near}?"))
}

fn listed(problems: &[Problem]) -> String {
    const SHOWN: usize = 20; // A screenful.
    let mut lines: Vec<_> = problems.iter().take(SHOWN).map(Problem::to_string).collect();
    if problems.len() > SHOWN {
        lines.push(format!("… and {} more problems", problems.len() - SHOWN));
    }
    lines.join("\n")
}

/// Returns the candidate that `name` is most likely a misspelling of.
pub(crate) fn near<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<String> {
    // A third of the letters may be wrong. Picked by feel, as in `lang`.
    let limit = if name.len() < 3 || name.len() > 40 { 0 } else { (name.len() / 3).max(1) };
    let close = candidates.filter(|candidate| candidate.len().abs_diff(name.len()) <= limit);
    let ranked = close.map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate));
    let best = ranked.min_by_key(|(distance, _)| *distance);
    best.filter(|(distance, _)| *distance <= limit).map(|(_, candidate)| candidate.to_owned())
}

/// A problem in a text, with its byte position. It becomes a [`Problem`] once file and task are known.
#[derive(Debug)]
pub(crate) struct Flaw {
    pub(crate) at: usize,
    pub(crate) spot: Spot,
    pub(crate) what: String,
}

impl Flaw {
    pub(crate) fn new(at: usize, what: impl Into<String>) -> Flaw {
        Flaw { at, spot: Spot::NONE, what: what.into() }
    }

    /// Converts the flaw to a problem of `file`, whose text is `bytes`.
    pub(crate) fn problem(self, file: &str, bytes: &[u8], task: Option<&str>) -> Problem {
        Problem {
            file: file.to_owned(),
            line: Some(line_and_column(bytes, self.at)),
            task: task.map(str::to_owned),
            spot: self.spot,
            what: self.what,
        }
    }
}

pub(crate) fn line_and_column(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = &bytes[..at.min(bytes.len())];
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    (line, before.len() - start + 1)
}
