//! The document of a solve: what was found for each task, and all that is needed to go on.

use std::io::{self, Write};
use std::path::Path;

use batt_task::write_aside_with;
use serde::{Deserialize, Serialize};

use crate::file::{item, json, list, member};
use crate::{Data, Example, Machine, Profile, RecordError, SCHEMA, Score};

/// One solve. It is complete at any moment, also in the middle of the search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Solve {
    pub run: SolveRun,
    /// How it was run: with the same fuel nothing here changes a result.
    pub means: SolveMeans,
    /// Empty until the search is over and the test outputs are opened.
    pub scores: Vec<Score>,
    pub tasks: Vec<SolvedTask>,
    /// Where the time went, if that was asked for and the search is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Box<Profile>>,
}

/// What the results depend on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SolveRun {
    /// Of arcbatt.
    pub version: String,
    /// The hash of the DSL's names, signatures and meanings.
    pub dsl: String,
    pub data: Data,
    /// For each task; `null` if only time limits it.
    pub fuel_per_task: Option<u64>,
    pub seed: u64,
    /// Hashes of the programs that were given.
    pub programs: Vec<String>,
    /// Steps that were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SolveMeans {
    pub threads: usize,
    pub machine: Machine,
    pub seconds: f64,
    /// What was there after so many seconds.
    pub curve: Vec<CurvePoint>,
}

/// A point of the anytime curve.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CurvePoint {
    pub seconds: f64,
    /// Tasks with a program that is right on all demonstration pairs.
    pub solved_on_demos: usize,
    /// Right outputs, as far as the solver can tell.
    pub expected_outputs: f64,
    pub tried: u64,
}

/// What was found for one task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SolvedTask {
    pub id: String,
    /// Of its demonstration pairs and test inputs.
    pub hash: String,
    /// Its pairs, so that a record can be looked at where the data is not; not there while the search goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub train: Vec<Example>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test: Vec<Example>,
    pub step: usize,
    pub fuel: u64,
    pub tried: u64,
    pub ended: bool,
    /// For each test output the attempts; the better one first.
    pub attempts: Vec<Vec<SolvedAttempt>>,
    pub answers: Vec<SolvedAnswer>,
}

/// One attempt at an output.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SolvedAttempt {
    /// The place of its program among the answers.
    pub answer: usize,
    pub votes: usize,
    pub score: f64,
    /// How likely it is right.
    pub sure: f64,
}

/// A program that is right on all demonstration pairs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SolvedAnswer {
    pub program: String,
    pub mechanism: String,
    pub words: String,
    pub cost: f64,
    pub fixed: bool,
    /// Rows of digits: `012/345`; nothing where the program has no answer.
    pub outputs: Vec<Option<String>>,
    /// `[same, turned, recolored]`; nothing if nobody looked.
    pub checks: Option<[bool; 3]>,
    /// `[right, of]`, learned without one pair.
    pub folds: Option<[u32; 2]>,
}

impl Solve {
    /// Writes the document aside, then renames it; one task a line.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_aside_with(path, |out| self.print(out))
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let Solve { run, means, scores, tasks, profile } = self;
        write!(out, "{{\"schema\":{SCHEMA},\"run\":")?;
        json(out, run)?;
        member(out, "means", means)?;
        member(out, "scores", scores)?;
        list(out, "tasks", |out| tasks.iter().enumerate().try_for_each(|(i, task)| item(out, i, task)))?;
        if let Some(profile) = profile {
            member(out, "profile", profile)?;
        }
        writeln!(out, "}}")
    }

    pub fn read(path: &Path) -> Result<Solve, RecordError> {
        let text = std::fs::read(path)?;
        crate::file::version(&text)?;
        Ok(serde_json::from_slice(&text)?)
    }
}
