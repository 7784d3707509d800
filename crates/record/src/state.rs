//! The state of a solve: the progress of every task, written next to the submission for resuming.

use std::io::{self, Write};
use std::path::Path;

use batt_base::write_atomic_with;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::file::{begin, items, list, member, parse};
use crate::{CurvePoint, RecordError, SCHEMA, Setup};

/// The progress of a solve, from which it resumes. The file is complete at any moment.
#[derive(Clone, PartialEq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct State {
    /// Version of the document, 2.
    pub schema: u32,
    /// Always `state`.
    pub kind: String,
    /// Hash of everything that identifies the job, as in its record.
    pub job: String,
    /// Everything that the results depend on.
    pub setup: Setup,
    /// Time used so far, in seconds.
    pub seconds: f64,
    /// Progress over time.
    pub curve: Vec<CurvePoint>,
    /// The progress of every task.
    pub tasks: Vec<TaskState>,
}

/// The progress of one task.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct TaskState {
    /// Id of the task.
    pub id: String,
    /// The next phase of the search: `cheap`, `middle`, `expensive`, `enumerate`, `breed` or `deeper N`.
    pub phase: String,
    /// Fuel used so far.
    pub fuel: u64,
    /// Number of candidates tried so far.
    pub tried: u64,
    /// True if nothing is left to try.
    pub ended: bool,
    /// The programs found so far.
    pub answers: Vec<AnswerState>,
}

/// A program that is right on all demonstration pairs.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct AnswerState {
    /// Source text.
    pub program: String,
    /// The mechanism that found it.
    pub mechanism: String,
    /// Description of the program in words.
    pub words: String,
    /// How complicated its rule is; lower is simpler.
    pub cost: f64,
    /// True if the program contains fixed colours or directions.
    pub fixed: bool,
    /// Its answers to the test inputs as rows of digits, `012/345`; null if the program has no answer.
    pub outputs: Vec<Option<String>>,
    /// `[same, turned, recolored]`: whether it passed each check. Null if it was not checked.
    pub checks: Option<[bool; 3]>,
    /// `[right, of]`: right pairs among those that it was not learned from. Null if not measured.
    pub folds: Option<[u32; 2]>,
}

impl State {
    pub const KIND: &str = "state";

    /// Writes the file atomically, one line for each task.
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
            (SCHEMA, _) => Err(RecordError::Json("this is not the state of a solve".to_owned())),
            (found, _) => Err(RecordError::Schema { found }),
        }
    }
}
