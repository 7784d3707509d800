//! The document of one run: what was run, and what came of it.
//!
//! The door is [`Record`]: [`Record::write`] to a file, [`Record::read`] from it; [`Tasks`] gathers the tasks of a run
//! too long for the memory. The first line says whether the
//! run is right, the second what was run, the third by which means (threads, optimisations, machine): the only one
//! that may differ between two runs with the same programs, tasks and limits. Then come plan, scores and verdicts,
//! a line for each program and a line for each task, so that two records can be compared with `diff`.
//!
//! This room and the front doors are the only ones that derive serialization; the types here are the schema. It
//! knows nothing of how programs are run.

pub mod events;
mod file;
pub mod live;
pub mod profile;
mod search;
mod solve;

pub use file::{Document, RecordError, SCHEMA, Tasks};
pub use profile::Profile;
pub use search::{Search, SearchFound, SearchMeans, SearchOperator, SearchedTask};
pub use solve::{CurvePoint, Solve, SolveMeans, SolveRun, SolvedAnswer, SolvedAttempt, SolvedTask};

use batt_plan::Counts;
use batt_score::{Ratio, Rule, Tally, Totals, Verdict};
use batt_task::Grid;
use serde::{Deserialize, Serialize};

/// One run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    pub right: Right,
    pub run: What,
    pub means: Means,
    pub plan: PlanCounts,
    pub scores: Vec<Score>,
    pub verdicts: Vec<VerdictCount>,
    pub programs: Vec<Program>,
    pub tasks: Vec<Task>,
    /// How the programs were searched for, if they were: `solve`, `breed`, `enumerate`. Then nobody claims that a
    /// task is solved, only that what was found is right on its demonstration pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// What these programs were made from, as far as it is known; it was not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<Program>,
    /// What was there after so many seconds, if programs were searched for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// Where the time went, if that was asked for. It differs from run to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Box<Profile>>,
}

/// Whether the run is right: the programs on the tasks they are named after.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Right {
    /// Every program that was run on its own task is right there.
    pub all: bool,
    /// Programs that were run on their own task.
    pub programs: usize,
    /// Those that are right on all its demonstration pairs.
    pub on_demos: usize,
    /// Those that are right on all its test pairs.
    pub on_tests: usize,
    /// Those that are right on all pairs whose output is known.
    pub on_all: usize,
    /// Tasks that were not run, for the run was stopped before; they are not in the record.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left: usize,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// What was run: all that the results depend on.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct What {
    /// Of arcbatt.
    pub version: String,
    /// The hash of the DSL's names, signatures and meanings.
    pub dsl: String,
    pub data: Data,
    pub options: Options,
    /// `null`: nothing in a run is drawn by lot.
    pub seed: Option<u64>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Data {
    /// A name or a path.
    pub name: String,
    /// Of the ids and the content of the tasks that were run.
    pub hash: String,
    pub tasks: usize,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Options {
    /// For each program and sample.
    pub fuel: u64,
    /// The wall-clock backstop for each task.
    pub seconds: u64,
    pub all_pairs: bool,
    pub go_on: bool,
}

/// How it was run: nothing here changes a result.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Means {
    pub threads: usize,
    pub sharing: bool,
    pub kernels: bool,
    pub machine: Machine,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    pub os: String,
    pub arch: String,
    pub cores: usize,
}

/// How much the programs share.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PlanCounts {
    pub programs: usize,
    pub calls: usize,
    pub distinct: usize,
    pub shared: usize,
    pub folded: usize,
    pub per_task: usize,
}

impl From<Counts> for PlanCounts {
    fn from(counts: Counts) -> PlanCounts {
        let Counts { programs, calls, distinct, shared, folded, per_task } = counts;
        PlanCounts { programs, calls, distinct, shared, folded, per_task }
    }
}

/// What the attempts are worth under one rule, an exact fraction; nothing where no solution is known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Score {
    pub rule: String,
    pub label: String,
    pub numerator: Option<u64>,
    pub denominator: Option<u64>,
}

/// The scores under all rules.
pub fn scores(totals: &Totals) -> Vec<Score> {
    let score = |rule: Rule| {
        let score = totals.under(rule);
        Score {
            rule: rule.name().to_owned(),
            label: rule.label().to_owned(),
            numerator: score.map(Ratio::numerator),
            denominator: score.map(Ratio::denominator),
        }
    };
    Rule::ALL.into_iter().map(score).collect()
}

/// How often a verdict was given, over all programs and pairs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VerdictCount {
    pub verdict: String,
    pub count: u64,
}

pub fn verdict_counts(tally: &Tally) -> Vec<VerdictCount> {
    tally.iter().map(|(verdict, count)| VerdictCount { verdict: verdict.name().to_owned(), count }).collect()
}

/// A program that was run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Program {
    pub name: String,
    pub hash: String,
    /// As it was given.
    pub text: String,
    /// How it was made, if a search made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Made>,
}

/// How a search came to a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Made {
    /// The operator or the mechanism.
    pub operator: String,
    /// Hashes of the programs that it was made from.
    pub parents: Vec<String>,
}

/// What came of one task.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    pub id: String,
    /// Of its pairs.
    pub hash: String,
    /// Its pairs, so that a record can be looked at where the data is not. Older records have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub train: Vec<Example>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test: Vec<Example>,
    /// The two attempts at each test output.
    pub attempts: Vec<[Rows; 2]>,
    pub programs: Vec<Outcome>,
}

/// An input of a task and, where it is known, the output.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Example {
    pub input: Rows,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Rows>,
}

/// What came of one program on one task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Its place in the list of programs.
    pub program: u32,
    /// Whether the program is named after the task.
    pub own: bool,
    pub train: Vec<Pair>,
    pub test: Vec<Pair>,
}

/// What came of one program on one pair.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pair {
    /// The one-word name of a verdict.
    pub verdict: String,
    pub fuel: u64,
    /// What is wrong, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The answer where it is a grid; a right one is the expected output and left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Rows>,
}

impl Pair {
    pub fn is_right(&self) -> bool {
        self.verdict == Verdict::Right.name()
    }
}

/// A grid as lists of colours.
pub type Rows = Vec<Vec<i8>>;

pub fn rows(grid: &Grid) -> Rows {
    grid.rows().map(<[i8]>::to_vec).collect()
}
