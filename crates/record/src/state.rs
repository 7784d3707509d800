//! What a solve continues from: the progress of every task, written beside its submission.

use std::io::{self, Write};
use std::path::Path;

use batt_base::write_atomic_with;
use serde::{Deserialize, Serialize};

use crate::file::{begin, items, list, member, parse};
use crate::{CurvePoint, RecordError, SCHEMA, Setup};

/// The progress of a solve. It is complete at any moment, also in the middle of the search.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct State {
    pub schema: u32,
    /// Always `state`.
    pub kind: String,
    /// The job that it belongs to, as in its record.
    pub job: String,
    pub setup: Setup,
    /// Seconds used so far.
    pub seconds: f64,
    pub curve: Vec<CurvePoint>,
    pub tasks: Vec<TaskState>,
}

/// The progress of one task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TaskState {
    pub id: String,
    /// The next step of the search.
    pub step: usize,
    pub fuel: u64,
    pub tried: u64,
    /// Nothing is left to try.
    pub ended: bool,
    pub answers: Vec<AnswerState>,
}

/// A program that is right on all demonstration pairs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AnswerState {
    pub program: String,
    pub mechanism: String,
    pub words: String,
    pub cost: f64,
    pub fixed: bool,
    /// Rows of digits, `012/345`; `null` where the program has no answer.
    pub outputs: Vec<Option<String>>,
    /// `[same, turned, recolored]`; `null` if they were not checked.
    pub checks: Option<[bool; 3]>,
    /// `[right, of]`: right on pairs that it was not learned from.
    pub folds: Option<[u32; 2]>,
}

impl State {
    pub const KIND: &str = "state";

    /// Writes the file atomically, one task a line.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_atomic_with(path, |out| self.print(out))
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let State { job, setup, seconds, curve, tasks, .. } = self;
        begin(out, State::KIND, job)?;
        member(out, "setup", setup)?;
        member(out, "seconds", seconds)?;
        member(out, "curve", curve)?;
        list(out, "tasks", |out| items(out, tasks))?;
        writeln!(out, "}}")
    }

    pub fn read(path: &Path) -> Result<State, RecordError> {
        let text = std::fs::read(path)?;
        let state: State = parse(&text)?;
        match (state.schema, state.kind.as_str()) {
            (SCHEMA, State::KIND) => Ok(state),
            (SCHEMA, _) => Err(RecordError::Json("it is not the state of a solve".to_owned())),
            (found, _) => Err(RecordError::Schema { found }),
        }
    }
}
