//! Reads and writes records.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use batt_base::{TempFile, write_atomic_with};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::profile::{Profile, VERSION};
use crate::{Record, Task};

/// Version of the documents.
pub const SCHEMA: u32 = 2;

/// The reasons why a document cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The message includes line and column. The cause is not also the source, or it would be printed twice.
    #[error("not a record: {0}")]
    Json(String),
    #[error(
        "the file has schema {found}, this version of batt reads schema {SCHEMA}; run the command again to make a new one"
    )]
    Schema { found: u32 },
    #[error("the file is cut off after {lines} lines; run the command again to make a new one")]
    CutOff { lines: usize },
    #[error(
        "the profile has version {found}, this version of batt reads version {VERSION}; run the command again to make a new one"
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

/// Collects the tasks of a record in a temporary file. A record begins with figures that are known only at
/// the end, and a long run must not keep all its tasks in memory.
pub struct Tasks {
    path: PathBuf,
    file: TempFile,
    count: usize,
}

impl Tasks {
    /// Starts the list for a record that will be written to `path`.
    pub fn new(path: &Path) -> io::Result<Tasks> {
        let (path, file) = (path.to_owned(), TempFile::beside(path)?);
        Ok(Tasks { path, file, count: 0 })
    }

    /// Adds a task. After an error the task is still kept in memory.
    pub fn add(&mut self, task: &Task) -> io::Result<()> {
        let mut piece = Vec::new();
        item(&mut piece, self.count, task)?;
        self.count += 1;
        self.file.append(&piece)
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Writes `record` with these tasks in place of its own. `profile` is called when all else is written, so
    /// that the profile can include the time for writing.
    pub fn write(
        &mut self,
        record: &Record,
        profile: impl FnOnce() -> Option<Box<Profile>>,
    ) -> io::Result<()> {
        let path = self.path.clone();
        self.write_to(&path, record, profile)
    }

    /// Writes the record to another file, as [`Tasks::write`] does.
    pub fn write_to(
        &mut self,
        path: &Path,
        record: &Record,
        profile: impl FnOnce() -> Option<Box<Profile>>,
    ) -> io::Result<()> {
        let file = &mut self.file;
        write_atomic_with(path, |out| record.print_with(out, |out| file.copy_to(out), profile))
    }
}

impl Record {
    /// Writes the document to a file atomically: a reader never sees half of it.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_atomic_with(path, |out| self.print(out))
    }

    /// Writes the document with one line for each field, program and task.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        self.print_with(out, |out| items(out, &self.tasks), || self.profile.clone())
    }

    fn print_with<W: Write>(
        &self,
        out: &mut W,
        tasks: impl FnOnce(&mut W) -> io::Result<()>,
        profile: impl FnOnce() -> Option<Box<Profile>>,
    ) -> io::Result<()> {
        let Record {
            kind, job, finished, right, setup, environment, plan, scores, verdicts, programs, ..
        } = self;
        begin(out, kind.name(), job)?;
        write!(out, ",\"finished\":{finished},\"right\":")?;
        json(out, right)?;
        member(out, "setup", setup)?;
        member(out, "environment", environment)?;
        member(out, "plan", plan)?;
        member(out, "scores", scores)?;
        member(out, "verdicts", verdicts)?;
        list(out, "programs", |out| items(out, programs))?;
        list(out, "tasks", tasks)?;
        if !self.operators.is_empty() {
            member(out, "operators", &self.operators)?;
        }
        if !self.ancestors.is_empty() {
            list(out, "ancestors", |out| items(out, &self.ancestors))?;
        }
        if !self.curve.is_empty() {
            member(out, "curve", &self.curve)?;
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
        let record: Record = parse(text)?;
        if record.schema != SCHEMA {
            return Err(RecordError::Schema { found: record.schema });
        }
        match &record.profile {
            Some(profile) if profile.version != VERSION => {
                Err(RecordError::ProfileVersion { found: profile.version })
            }
            _ => Ok(record),
        }
    }
}

/// The start of a document: enough to identify it without reading it all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    pub schema: u32,
    /// `run`, `solve`, `search` or `state`; empty in documents of schema 1.
    pub kind: String,
    pub job: String,
}

impl Header {
    /// Reads the header of a file. Returns `None` if the file is not a document of batt.
    pub fn read(path: &Path) -> io::Result<Option<Header>> {
        let mut start = Vec::new();
        File::open(path)?.take(MAX_HEADER).read_to_end(&mut start)?;
        Ok(Header::parse(&String::from_utf8_lossy(&start)))
    }

    fn parse(start: &str) -> Option<Header> {
        let rest = start.strip_prefix("{\"schema\":")?;
        let (schema, rest) = rest.split_once(',')?;
        let text = |rest: &str, name: &str| {
            let rest = rest.strip_prefix(&format!("\"{name}\":\""))?;
            rest.split_once('"').map(|(text, rest)| (text.to_owned(), rest.to_owned()))
        };
        let (kind, rest) = text(rest, "kind").unwrap_or_default();
        let (job, _) = text(rest.trim_start_matches(','), "job").unwrap_or_default();
        Some(Header { schema: schema.trim().parse().ok()?, kind, job })
    }
}

/// Maximum length of a header in bytes.
const MAX_HEADER: u64 = 256;

/// Parses a document in one pass. Only if that fails is it examined again, for a better error message.
pub(crate) fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, RecordError> {
    serde_json::from_slice(text).map_err(|error| explain(text, error))
}

fn explain(text: &[u8], error: serde_json::Error) -> RecordError {
    #[derive(Deserialize)]
    struct Outer {
        schema: u32,
        profile: Option<Inner>,
    }
    #[derive(Deserialize)]
    struct Inner {
        version: u32,
    }
    if error.is_eof() && text.starts_with(b"{\"schema\":") {
        return RecordError::CutOff { lines: text.iter().filter(|byte| **byte == b'\n').count() };
    }
    match serde_json::from_slice(text) {
        Ok(Outer { schema, .. }) if schema != SCHEMA => RecordError::Schema { found: schema },
        Ok(Outer { profile: Some(Inner { version }), .. }) if version != VERSION => {
            RecordError::ProfileVersion { found: version }
        }
        _ => error.into(),
    }
}

/// Writes the start of a document.
pub(crate) fn begin(out: &mut impl Write, kind: &str, job: &str) -> io::Result<()> {
    write!(out, "{{\"schema\":{SCHEMA},\"kind\":\"{kind}\",\"job\":\"{job}\"")
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

/// Writes the `i`-th item of a list on its own line.
pub(crate) fn item(out: &mut impl Write, i: usize, item: &impl Serialize) -> io::Result<()> {
    out.write_all(if i == 0 { b"\n" } else { b",\n" })?;
    json(out, item)
}
