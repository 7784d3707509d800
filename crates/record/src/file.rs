//! Records on disk.

use std::io::{self, Write};
use std::path::Path;

use batt_task::write_aside;
use serde::{Deserialize, Serialize};

use crate::Record;

/// The version of the document.
pub const SCHEMA: u32 = 1;

/// Why a record cannot be read. The mistake of whoever made or named the file.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The message carries line and column.
    #[error("not a record: {0}")]
    Json(#[from] serde_json::Error),
    #[error(
        "the record has schema {found}, this version reads schema {SCHEMA}; make it again with `batt run --record`"
    )]
    Schema { found: u32 },
}

impl Record {
    /// Writes the document aside, then renames it: a reader never sees half of it.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut text = Vec::new();
        self.print(&mut text)?;
        write_aside(path, &text)
    }

    /// The document, one member a line, and one program and one task a line.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let Record { right, run, means, plan, scores, verdicts, programs, tasks } = self;
        write!(out, "{{\"schema\":{SCHEMA},\"right\":")?;
        json(out, right)?;
        member(out, "run", run)?;
        member(out, "means", means)?;
        member(out, "plan", plan)?;
        member(out, "scores", scores)?;
        member(out, "verdicts", verdicts)?;
        list(out, "programs", programs)?;
        list(out, "tasks", tasks)?;
        writeln!(out, "}}")
    }

    pub fn read(path: &Path) -> Result<Record, RecordError> {
        Record::parse(&std::fs::read(path)?)
    }

    pub fn parse(text: &[u8]) -> Result<Record, RecordError> {
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let Version { schema } = serde_json::from_slice(text)?;
        if schema != SCHEMA {
            return Err(RecordError::Schema { found: schema });
        }
        Ok(serde_json::from_slice(text)?)
    }
}

fn json(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(out, value).map_err(io::Error::from)
}

fn member(out: &mut impl Write, name: &str, value: &impl Serialize) -> io::Result<()> {
    write!(out, ",\n\"{name}\":")?;
    json(out, value)
}

fn list(out: &mut impl Write, name: &str, items: &[impl Serialize]) -> io::Result<()> {
    write!(out, ",\n\"{name}\":[")?;
    for (i, item) in items.iter().enumerate() {
        out.write_all(if i == 0 { b"\n" } else { b",\n" })?;
        json(out, item)?;
    }
    write!(out, "]")
}
