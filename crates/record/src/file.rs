//! Records on disk.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use batt_task::{Spool, write_aside_with};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::profile::{Profile, VERSION};
use crate::{Record, Search, Solve, Task};

/// The version of the document.
pub const SCHEMA: u32 = 1;

/// Why a record cannot be read. The mistake of whoever made or named the file.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The message carries line and column; it is no source as well, or whoever prints all causes prints it twice.
    #[error("not a record: {0}")]
    Json(String),
    #[error(
        "the record has schema {found}, this version reads schema {SCHEMA}; make it again with `--record`"
    )]
    Schema { found: u32 },
    #[error(
        "the file ends in the middle: it is cut off after {lines} lines; make it again with `batt run --record`"
    )]
    CutOff { lines: usize },
    #[error(
        "the profile has version {found}, this version of batt reads version {}; make it again with `batt run --profile`",
        crate::profile::VERSION
    )]
    ProfileVersion { found: u32 },
    #[error("{0}")]
    Events(String),
}

impl From<serde_json::Error> for RecordError {
    fn from(error: serde_json::Error) -> RecordError {
        RecordError::Json(error.to_string())
    }
}

/// The tasks of a record in the making. They go to a file of their own as they come, for the record begins with what
/// is known only at the end, and a long run must not fill the memory.
pub struct Tasks {
    path: PathBuf,
    spool: Spool,
    hasher: blake3::Hasher,
    count: usize,
}

impl Tasks {
    /// For a record that will be written to `path`.
    pub fn new(path: &Path) -> io::Result<Tasks> {
        let (path, spool) = (path.to_owned(), Spool::for_file(path)?);
        Ok(Tasks { path, spool, hasher: blake3::Hasher::new(), count: 0 })
    }

    pub fn add(&mut self, task: &Task) -> io::Result<()> {
        item(&mut self.spool, self.count, task)?;
        self.hasher.update(format!("{} {}\n", task.id, task.hash).as_bytes());
        self.count += 1;
        Ok(())
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Of the ids and the content of all tasks so far.
    pub fn hash(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }

    /// Writes `record` with these tasks in the place of its own. The profile is asked for last, when all else is
    /// written, so that it can tell how long that took.
    pub fn write(
        &mut self,
        record: &Record,
        profile: impl FnOnce() -> Option<Box<Profile>>,
    ) -> io::Result<()> {
        let Tasks { path, spool, .. } = self;
        write_aside_with(path, |out| record.print_with(out, |out| spool.copy_to(out), profile))
    }
}

impl Record {
    /// Writes the document aside, then renames it: a reader never sees half of it.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_aside_with(path, |out| self.print(out))
    }

    /// The document, one member a line, and one program and one task a line.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        self.print_with(out, |out| items(out, &self.tasks), || self.profile.clone())
    }

    fn print_with<W: Write>(
        &self,
        out: &mut W,
        tasks: impl FnOnce(&mut W) -> io::Result<()>,
        profile: impl FnOnce() -> Option<Box<Profile>>,
    ) -> io::Result<()> {
        let Record { right, run, means, plan, scores, verdicts, programs, search, ancestors, curve, .. } =
            self;
        write!(out, "{{\"schema\":{SCHEMA},\"right\":")?;
        json(out, right)?;
        member(out, "run", run)?;
        member(out, "means", means)?;
        member(out, "plan", plan)?;
        member(out, "scores", scores)?;
        member(out, "verdicts", verdicts)?;
        list(out, "programs", |out| items(out, programs))?;
        list(out, "tasks", tasks)?;
        if let Some(search) = search {
            member(out, "search", search)?;
        }
        if !ancestors.is_empty() {
            list(out, "ancestors", |out| items(out, ancestors))?;
        }
        if !curve.is_empty() {
            member(out, "curve", curve)?;
        }
        if let Some(profile) = profile() {
            member(out, "profile", &profile)?;
        }
        writeln!(out, "}}")
    }

    pub fn read(path: &Path) -> Result<Record, RecordError> {
        Record::parse(&std::fs::read(path)?)
    }

    pub fn parse(text: &[u8]) -> Result<Record, RecordError> {
        parse(text)
    }
}

/// A document of any kind.
pub enum Document {
    Run(Box<Record>),
    Solve(Box<Solve>),
    Search(Box<Search>),
}

impl Document {
    pub fn read(path: &Path) -> Result<Document, RecordError> {
        /// What tells the kinds apart.
        #[derive(Deserialize)]
        struct Marks {
            mode: Option<IgnoredAny>,
            means: Option<MeansMarks>,
        }
        #[derive(Deserialize)]
        struct MeansMarks {
            curve: Option<IgnoredAny>,
        }
        let text = std::fs::read(path)?;
        let marks = serde_json::from_slice::<Marks>(&text);
        Ok(
            match marks.map(|marks| (marks.mode.is_some(), marks.means.is_some_and(|it| it.curve.is_some())))
            {
                Ok((true, _)) => Document::Search(Box::new(parse(&text)?)),
                Ok((_, true)) => Document::Solve(Box::new(parse(&text)?)),
                // What is no record at all is best told by the reader of runs.
                _ => Document::Run(Box::new(parse(&text)?)),
            },
        )
    }
}

fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, RecordError> {
    version(text)?;
    let document = serde_json::from_slice(text);
    // A profile of another version may look any way; then its version is the better news.
    profile_version(text)?;
    Ok(document?)
}

fn profile_version(text: &[u8]) -> Result<(), RecordError> {
    #[derive(Deserialize)]
    struct Outer {
        profile: Option<Inner>,
    }
    #[derive(Deserialize)]
    struct Inner {
        version: u32,
    }
    match serde_json::from_slice(text)? {
        Outer { profile: Some(Inner { version }) } if version != VERSION => {
            Err(RecordError::ProfileVersion { found: version })
        }
        _ => Ok(()),
    }
}

/// Whether this version reads the document.
pub(crate) fn version(text: &[u8]) -> Result<(), RecordError> {
    #[derive(Deserialize)]
    struct Version {
        schema: u32,
    }
    let cut_off = |error: serde_json::Error| match error.is_eof() && text.starts_with(b"{\"schema\":") {
        true => RecordError::CutOff { lines: text.iter().filter(|byte| **byte == b'\n').count() },
        false => error.into(),
    };
    let Version { schema } = serde_json::from_slice(text).map_err(cut_off)?;
    if schema == SCHEMA { Ok(()) } else { Err(RecordError::Schema { found: schema }) }
}

pub(crate) fn json(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(out, value).map_err(io::Error::from)
}

pub(crate) fn member(out: &mut impl Write, name: &str, value: &impl Serialize) -> io::Result<()> {
    write!(out, ",\n\"{name}\":")?;
    json(out, value)
}

pub(crate) fn list<W: Write>(
    out: &mut W,
    name: &str,
    items: impl FnOnce(&mut W) -> io::Result<()>,
) -> io::Result<()> {
    write!(out, ",\n\"{name}\":[")?;
    items(out)?;
    write!(out, "]")
}

pub(crate) fn items(out: &mut impl Write, items: &[impl Serialize]) -> io::Result<()> {
    items.iter().enumerate().try_for_each(|(i, it)| item(out, i, it))
}

/// The `i`-th item of a list, on a line of its own.
pub(crate) fn item(out: &mut impl Write, i: usize, item: &impl Serialize) -> io::Result<()> {
    out.write_all(if i == 0 { b"\n" } else { b",\n" })?;
    json(out, item)
}
