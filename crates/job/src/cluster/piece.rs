//! The messages between the driver and the machines.
//!
//! Everything travels as content: programs as text, tasks as JSON with their hash. Nothing refers to a path.

use batt_lang::{Aliases, Options, Program, parse_bytes_with, print};
use batt_record::profile::{Lane, Task as TaskTimes};
use batt_record::{self as record, TaskState};
use batt_task::{Task, parse_task, task_json};
use serde::{Deserialize, Serialize};

use crate::breeding::BroodReport;
use crate::description::{Profiling, Run, Step};

/// The part that all pieces of a job have in common. A machine reads it once.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Package {
    /// Versions of arcbatt and of its DSL. Other versions refuse the package.
    pub(crate) version: String,
    pub(crate) dsl: String,
    /// The programs of the job, one text each.
    pub(crate) programs: Vec<String>,
    /// Names of another dialect, as in a file of aliases.
    pub(crate) aliases: Option<String>,
    pub(crate) profile: Profiling,
    pub(crate) work: PackageWork,
}

/// The kind of work, with the options that results depend on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PackageWork {
    Solve {
        seed: u64,
        without: Vec<Step>,
    },
    Run {
        run: Run,
        /// Whether the answers of all programs are needed, for a record.
        answers: bool,
    },
    Enumerate,
    Breed {
        seed: u64,
        elites: usize,
        tried: usize,
    },
}

impl Package {
    pub(crate) fn new(
        programs: &[Program],
        aliases: Option<String>,
        profile: Profiling,
        work: PackageWork,
    ) -> Package {
        let names = aliases.as_deref().and_then(|text| Aliases::parse(text).ok());
        let names = names.as_ref();
        Package {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            dsl: batt_dsl::version().to_string(),
            programs: programs.iter().map(|program| shipped(program, names)).collect(),
            aliases,
            profile,
            work,
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// Returns a text from which another machine parses the same program, on the same lines.
pub(crate) fn shipped(program: &Program, aliases: Option<&Aliases>) -> String {
    let lines = "\n".repeat(program.line().saturating_sub(1) as usize);
    let text = lines + program.source();
    let parsed = parse_with(&text, aliases);
    let same =
        matches!(&parsed[..], [only] if only.hash() == program.hash() && only.name() == program.name());
    if same { text } else { print(program) }
}

pub(crate) fn parse_with(text: &str, aliases: Option<&Aliases>) -> Vec<Program> {
    parse_bytes_with(text.as_bytes(), Options { aliases, ..Options::default() }).programs
}

/// A piece of work: one task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) id: String,
    /// Content hash of the task.
    pub(crate) hash: String,
    /// The task as JSON. Only a run includes test outputs.
    pub(crate) task: String,
    pub(crate) work: PieceWork,
}

/// The work on the task of a piece.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PieceWork {
    Solve {
        state: Option<TaskState>,
        fuel: Option<u64>,
        steps: Option<usize>,
        /// Programs to try on this task only.
        programs: Vec<String>,
    },
    Run {
        /// The programs that are named after the task.
        own: Vec<u32>,
    },
    Enumerate {
        fuel: u64,
        /// Whether the programs of the package run first.
        known: bool,
    },
    Breed {
        fuel: Option<u64>,
        /// Programs to breed from whatever their score.
        own: Vec<String>,
        /// The solutions of other tasks that became known before each round. The number of rounds is its length.
        rounds: Vec<Vec<String>>,
    },
}

impl Piece {
    pub(crate) fn new(task: &Task, work: PieceWork) -> Piece {
        let (id, hash) = (task.id.clone(), task.content_hash().to_string());
        Piece { id, hash, task: task_json(task), work }
    }

    /// Returns the task, if it arrived unchanged.
    pub(crate) fn task(&self) -> Result<Task, String> {
        let task = parse_task(&self.id, self.task.as_bytes()).map_err(|problem| problem.to_string())?;
        match task.content_hash().to_string() == self.hash {
            true => Ok(task),
            false => Err(format!("the task {} was changed on its way", self.id)),
        }
    }
}

/// The reply to a batch.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Reply {
    /// In the order of the pieces.
    pub(crate) answers: Vec<Answer>,
    /// The times of the batch. Absent without a profile.
    pub(crate) times: Option<Times>,
}

/// The answer to a piece.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) id: String,
    pub(crate) seconds: f64,
    pub(crate) result: PieceResult,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PieceResult {
    Solve {
        state: TaskState,
    },
    Run {
        entry: Box<record::Task>,
    },
    Enumerate {
        before: u32,
        fuel: u64,
        tried: u64,
        solution: Option<String>,
        ended: bool,
    },
    Breed(Box<BroodReport>),
    /// The piece was stopped before it had a result.
    Stopped,
    /// The machine could not work on the piece.
    Failed {
        why: String,
    },
}

/// The times of a batch on one thread of a machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Times {
    /// Index of the thread on its machine.
    pub(crate) slot: usize,
    /// The time at which the recording began, on the machine's clock, in nanoseconds since 1970.
    pub(crate) began: u64,
    pub(crate) lane: Lane,
    pub(crate) tasks: Vec<TaskTimes>,
}
