//! The document of a search: what came closer, task by task, and how it was made.

use std::io::{self, Write};
use std::path::Path;

use batt_task::write_aside_with;
use serde::{Deserialize, Serialize};

use crate::file::{item, items, json, list, member};
use crate::{Example, Machine, Profile, Program, SCHEMA, SolveRun};

/// One search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Search {
    /// `breed`, …
    pub mode: String,
    pub run: SolveRun,
    /// How it was run: with the same fuel nothing here changes a result.
    pub means: SearchMeans,
    pub operators: Vec<SearchOperator>,
    pub tasks: Vec<SearchedTask>,
    /// What the finds were made from, as far as it is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<Program>,
    /// Where the time went, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Box<Profile>>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchMeans {
    pub threads: usize,
    pub machine: Machine,
    pub seconds: f64,
    /// The store that finds were filed in.
    pub store: String,
}

/// A way to make programs, and what became of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SearchOperator {
    pub name: String,
    pub tried: u64,
    /// Closer than everything before.
    pub better: u64,
    /// Right on all demonstration pairs.
    pub solved: u64,
}

/// What was found for one task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SearchedTask {
    pub id: String,
    /// Of its demonstration pairs and test inputs.
    pub hash: String,
    /// Its pairs, so that a record can be looked at where the data is not; not there while the search goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub train: Vec<Example>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test: Vec<Example>,
    pub fuel: u64,
    pub tried: u64,
    /// The best graded score before the search, in millionths.
    pub score_before: u32,
    /// The best after it.
    pub score: u32,
    /// A program is right on all demonstration pairs.
    pub solved: bool,
    /// What is better than before; nothing if nothing is.
    pub found: Option<SearchFound>,
}

/// A program that was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SearchFound {
    pub program: String,
    pub hash: String,
    pub operator: String,
    pub parents: Vec<String>,
}

impl Search {
    /// Writes the document aside, then renames it; one task a line.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_aside_with(path, |out| self.print(out))
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let Search { mode, run, means, operators, tasks, ancestors, profile } = self;
        write!(out, "{{\"schema\":{SCHEMA},\"mode\":")?;
        json(out, mode)?;
        member(out, "run", run)?;
        member(out, "means", means)?;
        member(out, "operators", operators)?;
        list(out, "tasks", |out| tasks.iter().enumerate().try_for_each(|(i, task)| item(out, i, task)))?;
        if !ancestors.is_empty() {
            list(out, "ancestors", |out| items(out, ancestors))?;
        }
        if let Some(profile) = profile {
            member(out, "profile", profile)?;
        }
        writeln!(out, "}}")
    }
}
