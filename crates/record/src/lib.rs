//! The documents that jobs write.
//!
//! [`Record`] describes one run, solve or search: [`Record::write`] writes it to a file, [`Record::read`] reads it in one
//! pass. Its first line has the schema, the kind and whether the programs are right; the second the setup, on which the
//! results depend; the third the environment, the only line that may differ between two runs of the same job. Then come
//! counts, a line for each program and a line for each task, so that two records can be compared with `diff`. [`Tasks`]
//! gathers the tasks of a run that is too long for memory.
//!
//! [`State`] is what a solve continues from, and [`live`] shows the status of a job that is still running.
//!
//! This crate and the front ends are the only ones that derive serialization; the types here are the schema. It knows
//! nothing of how programs are run.

pub mod events;
mod file;
pub mod live;
pub mod profile;
mod rank;
mod state;

pub use file::{Header, RecordError, SCHEMA, Tasks};
pub use profile::Profile;
pub use rank::differing_cells;
pub use state::{AnswerState, State, TaskState};

use crate::live::Status;
use batt_plan::Counts;
use batt_score::{Ratio, Rule, Tally, Totals};
use batt_task::Grid;
use serde::{Deserialize, Serialize};

/// What kind of job a document describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Programs were run.
    #[default]
    Run,
    /// Attempts were found for every test output.
    Solve,
    /// New programs were searched for.
    Search,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Run => "run",
            Kind::Solve => "solve",
            Kind::Search => "search",
        }
    }
}

/// One job: a run, a solve or a search.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    pub schema: u32,
    pub kind: Kind,
    /// A hash of all that identifies the job: the same job can continue from this document.
    pub job: String,
    /// The job came to its end; false while it works and after it was stopped.
    pub finished: bool,
    pub right: Right,
    pub setup: Setup,
    pub environment: Environment,
    pub plan: PlanCounts,
    pub scores: Vec<Score>,
    pub verdicts: Vec<VerdictCount>,
    /// The programs that were run or found.
    pub programs: Vec<Program>,
    pub tasks: Vec<Task>,
    /// How each way to make programs did in a search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<OperatorCounts>,
    /// The programs from which the found ones were made, as far as they are known. They were not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<Program>,
    /// How a solve improved over time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// Where the time went, if that was asked for. It differs from run to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Box<Profile>>,
}

impl Record {
    /// How far the job is.
    pub fn status(&self) -> Status {
        let searches = || self.tasks.iter().filter_map(|task| task.search.as_ref());
        let total = self.setup.data.tasks;
        let done = match self.kind {
            _ if self.finished => total,
            Kind::Run => self.tasks.len(),
            Kind::Solve | Kind::Search => searches().filter(|search| search.done).count(),
        };
        let solved = match self.kind {
            Kind::Run => self.tasks.iter().filter(|task| task.is_solved()).count(),
            Kind::Solve | Kind::Search => searches().filter(|search| search.solved).count(),
        };
        let tried = searches().map(|search| search.tried).sum();
        let (kind, data) = (self.kind, self.setup.data.name.clone());
        Status { kind, data, seconds: self.environment.seconds, done, total, solved, tried, left: None }
    }

    /// Whether the programs were searched for: then their demonstration pairs are all that they are known to fit.
    pub fn is_search(&self) -> bool {
        self.kind != Kind::Run
    }
}

/// Whether the programs are right on the tasks they are named after, or were found for.
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
    /// Those that are right on all pairs whose output is known. A found program counts if it is right on all
    /// demonstration pairs.
    pub on_all: usize,
    /// Tasks that were not run because the run was stopped; they are not in the record.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left: usize,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// All that the results depend on.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Setup {
    /// Version of arcbatt.
    pub version: String,
    /// Hash of the DSL's names, signatures and meanings.
    pub dsl: String,
    pub data: Data,
    pub options: Options,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Data {
    /// A name or a path.
    pub name: String,
    /// Content hash of the selected tasks; for a whole data set the one that `batt data list` shows.
    pub hash: String,
    /// Number of selected tasks.
    pub tasks: usize,
}

/// The options of a job. Each kind has those that it uses.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Options {
    /// Fuel for each program and sample of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// Wall-clock backstop for each task of a run, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// Every program ran on every task.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_pairs: bool,
    /// Programs ran on all pairs, also after a wrong demonstration pair.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_demos: bool,
    /// Fuel for each task of a solve or a search; absent if only time limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel_per_task: Option<u64>,
    /// Seconds for everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
    /// Absent for a run, in which nothing is random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How a search made programs: `breed` or `enumerate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Hashes of the programs that a solve or a search was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
    /// Steps of a solve that were skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
}

/// How the job was carried out. Nothing here changes a result.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Environment {
    pub threads: usize,
    pub sharing: bool,
    pub kernels: bool,
    /// Wall time so far.
    pub seconds: f64,
    /// The store of a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    pub machine: Machine,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    pub os: String,
    pub arch: String,
    pub cores: usize,
}

/// A point of a solve's curve.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CurvePoint {
    pub seconds: f64,
    /// Tasks with a program that is right on all demonstration pairs.
    pub solved_on_demos: usize,
    /// Right outputs that the solver expects.
    pub expected_outputs: f64,
    pub tried: u64,
}

/// A way to make programs, and what became of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OperatorCounts {
    pub name: String,
    pub tried: u64,
    /// Closer than everything before.
    pub better: u64,
    /// Right on all demonstration pairs.
    pub solved: u64,
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

/// What the attempts are worth under one rule; no numbers where no solution is known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Score {
    pub rule: String,
    pub label: String,
    /// Right outputs or tasks; for the mean of fractions the numerator of the exact mean.
    pub numerator: Option<u64>,
    /// All outputs or tasks; for the mean of fractions the denominator of the exact mean.
    pub denominator: Option<u64>,
}

/// The scores under all rules.
pub fn scores(totals: &Totals) -> Vec<Score> {
    let score = |rule: Rule| {
        let counts = totals.under(rule).map(|mean: Ratio| match rule {
            Rule::Outputs => (totals.right_outputs() as u64, totals.outputs() as u64),
            Rule::Tasks => (totals.right_tasks() as u64, totals.tasks() as u64),
            Rule::Fractions => (mean.numerator(), mean.denominator()),
        });
        Score {
            rule: rule.name().to_owned(),
            label: rule.label().to_owned(),
            numerator: counts.map(|it| it.0),
            denominator: counts.map(|it| it.1),
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// What the program does, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// What came of one task.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    pub id: String,
    /// Content hash of its pairs.
    pub hash: String,
    /// Its pairs, so that the record can be shown without the data set. Test outputs are added when the job ends.
    pub train: Vec<Example>,
    pub test: Vec<Example>,
    /// The two attempts at each test output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<[Rows; 2]>,
    pub programs: Vec<Outcome>,
    /// How the search for programs went; absent in a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<TaskSearch>,
    /// Where the closest program that is not right goes wrong; absent in a solve, and where all programs are right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_wrong_line: Option<FirstWrongLine>,
}

/// The first line of a program that leads away from the expected outputs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FirstWrongLine {
    /// The program, by its place in the list of programs.
    pub program: u32,
    /// From 1, in the text of the program; absent if no line leads away and the program ends too early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// How that is known.
    pub reason: String,
}

impl Task {
    /// Whether one of the two attempts at each test output is right.
    pub fn is_solved(&self) -> bool {
        let mut right = self
            .test
            .iter()
            .zip(&self.attempts)
            .map(|(example, both)| example.output.as_ref().is_some_and(|output| both.contains(output)));
        !self.test.is_empty() && right.all(|it| it)
    }
}

/// How the search for a task's programs went.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TaskSearch {
    pub fuel: u64,
    /// Number of candidates tried.
    pub tried: u64,
    /// Nothing more will be tried.
    pub done: bool,
    /// A program is right on all demonstration pairs.
    pub solved: bool,
    /// Graded score of the best program known before a search, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_before: Option<u32>,
    /// Graded score of the best program after a search, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<u32>,
    /// For each test output the attempts of a solve, the better one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<Vec<Attempt>>,
}

/// One attempt of a solve at a test output.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Attempt {
    /// The program, by its place in the list of programs.
    pub program: u32,
    /// How many independent ways led to this output.
    pub votes: usize,
    /// How likely it is right, from 0 to 1.
    pub sure: f64,
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
    /// Absent where the program was not run by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// What is wrong, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The answer where it is a grid; a right one is the expected output and left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Rows>,
}

/// A grid as lists of colours.
pub type Rows = Vec<Vec<i8>>;

pub fn rows(grid: &Grid) -> Rows {
    grid.rows().map(<[i8]>::to_vec).collect()
}
