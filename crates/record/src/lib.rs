//! The documents that jobs write.
//!
//! [`Record`] describes one run, solve or search: [`Record::write`] writes it to a file, [`Record::read`]
//! reads it. Its first line has the schema, the kind and whether the programs are right. The second line is
//! the setup, on which the results depend. The third is the environment, the only line that may differ
//! between two runs of the same job. Then come counts, a line for each program and a line for each task, so
//! that `diff` can compare two records. [`Tasks`] collects the tasks of a run that is too long for memory.
//!
//! [`State`] is the progress of a solve, from which it resumes. [`live`] has the status of a job that is
//! still running.
//!
//! The types here define the JSON schemas. The crate does not know how programs are run.

mod device;
pub mod events;
mod file;
pub mod live;
pub mod profile;
mod rank;
mod state;

pub use device::Device;
pub use file::{Header, RecordError, SCHEMA, Tasks};
pub use profile::Profile;
pub use rank::differing_cells;
pub use state::{AnswerState, State, TaskState};

use crate::live::Status;
use batt_plan::Counts;
use batt_score::{Ratio, Rule, Tally, Totals};
use batt_task::Grid;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of job that a document describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, JsonSchema, Serialize, Deserialize)]
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
#[derive(Clone, PartialEq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct Record {
    /// Version of the document, 2.
    pub schema: u32,
    /// The kind of job.
    pub kind: Kind,
    /// Hash of everything that identifies the job. The same job can continue from this document.
    pub job: String,
    /// True if the job reached its end; false while it runs and after it was stopped.
    pub finished: bool,
    /// Whether the programs are right.
    pub right: Right,
    /// Everything that the results depend on.
    pub setup: Setup,
    /// How the job was run. Nothing here changes a result.
    pub environment: Environment,
    /// How much the programs share.
    pub plan: PlanCounts,
    /// The scores of the attempts, one for each rule.
    pub scores: Vec<Score>,
    /// Counts of the verdicts over all programs and pairs; verdicts that did not occur are absent.
    pub verdicts: Vec<VerdictCount>,
    /// The programs that were run or found.
    pub programs: Vec<Program>,
    /// The tasks of the job. In a run that was stopped or is still running, only the finished ones.
    pub tasks: Vec<Task>,
    /// Counts for each way of making programs in a search. Absent if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<OperatorCounts>,
    /// The known programs from which the found ones were made; they were not run. Absent if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<Program>,
    /// Progress of a solve over time. Absent if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// The profile: where the time went. Absent without `--profile`. Differs from run to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Box<Profile>>,
}

impl Record {
    /// Returns how far the job has got.
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
        Status {
            kind,
            data,
            seconds: self.environment.seconds,
            done,
            total,
            solved,
            tried,
            left: None,
            machines: None,
        }
    }

    /// Whether the programs were found by a search. Then they are only known to fit their demonstration
    /// pairs.
    pub fn is_search(&self) -> bool {
        self.kind != Kind::Run
    }
}

/// Whether the programs are right on the tasks that they are named after or were found for.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct Right {
    /// True if every program that was run on its own task is right there.
    pub all: bool,
    /// Programs that were run on their own task.
    pub programs: usize,
    /// Programs that are right on all demonstration pairs of their task.
    pub on_demos: usize,
    /// Programs that are right on all test pairs of their task.
    pub on_tests: usize,
    /// Programs that are right on all pairs whose output is known. A found program counts if it is right on all
    /// demonstration pairs.
    pub on_all: usize,
    /// Tasks that were not run because the run was stopped. Absent if 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left: usize,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// Everything that the results depend on.
#[derive(Clone, PartialEq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct Setup {
    /// Version of batt.
    pub version: String,
    /// Hash of the DSL's names, signatures and meanings.
    pub dsl: String,
    /// The tasks.
    pub data: Data,
    /// The options of the job.
    pub options: Options,
}

/// The tasks of a job.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct Data {
    /// Name or path of the data set.
    pub name: String,
    /// Content hash of the selected tasks; for a whole data set the one that `batt data list` shows.
    pub hash: String,
    /// Number of selected tasks.
    pub tasks: usize,
    /// The shard that these tasks are. Absent unless `--shard` was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// One of several parts of a job, each of which runs by itself.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct Shard {
    /// Number of the shard, from 1.
    pub index: usize,
    /// Number of shards.
    pub of: usize,
    /// Hash that identifies the whole job, without its store.
    pub job: String,
    /// Content hash of the tasks of the whole job.
    pub hash: String,
    /// Number of tasks of the whole job. Task `p` of them, from 0, belongs to shard `p % of + 1`.
    pub tasks: usize,
}

/// The options of a job. Each kind has those that it uses.
#[derive(Clone, PartialEq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct Options {
    /// Run: fuel for each program and sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// Run: time limit for each task, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// Run: every program ran on every task. Absent if false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_pairs: bool,
    /// Run: programs ran on all pairs even after a wrong demonstration pair. Absent if false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_demos: bool,
    /// Solve and search: fuel for each task; absent if only time limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel_per_task: Option<u64>,
    /// Solve and search: time limit for the whole job, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
    /// Solve and search: seed of the random numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Search: how programs are made, `breed` or `enumerate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Solve and search: hashes of the programs that were given. Absent if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
    /// Solve: steps that were skipped. Absent if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// Path of the store of a solve or a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// Solve: a function of the caller suggested programs. Absent if false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proposed: bool,
}

/// How the job was run. Nothing here changes a result.
#[derive(Clone, PartialEq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct Environment {
    /// Number of threads.
    pub threads: usize,
    /// False with `--no-sharing`.
    pub sharing: bool,
    /// False with `--no-kernels`.
    pub kernels: bool,
    /// Wall time so far, in seconds.
    pub seconds: f64,
    /// When the job was started or last continued, in UTC: `2026-11-18T14:20:05Z`. Absent in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// The command that started the job. Absent if it was not started on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The files of programs that were given. Absent if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub program_files: Vec<String>,
    /// The machine that the job ran on; for a job on a cluster, the one that drove it.
    pub machine: Machine,
    /// The cluster that did the work. Absent if one machine did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<Cluster>,
    /// The devices that answered jobs. Absent if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<Device>,
}

/// The work of a cluster.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct Cluster {
    /// Pieces of work that were handed out.
    pub pieces: usize,
    /// Number of times that a machine was given a piece. Lost and slow pieces run more than once.
    pub executions: usize,
    /// The machines.
    pub machines: Vec<ClusterMachine>,
}

/// A machine of a cluster.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "MachineOfCluster")]
pub struct ClusterMachine {
    /// Name of the machine.
    pub name: String,
    /// Number of pieces that it works on at a time.
    pub cores: usize,
    /// Number of pieces whose answer was taken from it.
    pub pieces: usize,
    /// False if it was lost or dropped before the end.
    pub stayed: bool,
}

/// A machine.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct Machine {
    /// Operating system, such as `linux`.
    pub os: String,
    /// Processor architecture, such as `x86_64`.
    pub arch: String,
    /// Number of cores.
    pub cores: usize,
}

/// A point of a solve's curve.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Time since the start, in seconds.
    pub seconds: f64,
    /// Tasks with a program that is right on all demonstration pairs.
    pub solved_on_demos: usize,
    /// Number of right outputs that the solver expects.
    pub expected_outputs: f64,
    /// Number of candidates tried.
    pub tried: u64,
}

/// Counts for one way of making candidates.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct OperatorCounts {
    /// Name of the operator.
    pub name: String,
    /// Number of candidates tried.
    pub tried: u64,
    /// Candidates that were closer than all earlier ones.
    pub better: u64,
    /// Candidates that are right on all demonstration pairs.
    pub solved: u64,
}

/// How much the programs share when they are merged into one plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct PlanCounts {
    /// Number of programs.
    pub programs: usize,
    /// Calls, each counted for every program that needs it.
    pub calls: usize,
    /// Distinct calls: equal calls count once.
    pub distinct: usize,
    /// Distinct calls that several programs need.
    pub shared: usize,
    /// Distinct calls that need no input.
    pub folded: usize,
    /// Distinct calls that need only the demonstration pairs.
    pub per_task: usize,
}

impl From<Counts> for PlanCounts {
    fn from(counts: Counts) -> PlanCounts {
        let Counts { programs, calls, distinct, shared, folded, per_task } = counts;
        PlanCounts { programs, calls, distinct, shared, folded, per_task }
    }
}

/// The score of the attempts under one rule.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct Score {
    /// `outputs`, `fractions` or `tasks`.
    pub rule: String,
    /// The rule in words.
    pub label: String,
    /// Number of right outputs or tasks; for `fractions` the numerator of the exact mean. Null if no solution is
    /// known.
    pub numerator: Option<u64>,
    /// Number of outputs or tasks; for `fractions` the denominator of the exact mean. Null if no solution is known.
    pub denominator: Option<u64>,
}

/// Returns the scores under all rules.
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

/// The number of times that a verdict was given, over all programs and pairs.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct VerdictCount {
    /// Name of the verdict, such as `ok`, `wrong`, `wrong_shape` or `fuel`.
    pub verdict: String,
    /// Number of times.
    pub count: u64,
}

pub fn verdict_counts(tally: &Tally) -> Vec<VerdictCount> {
    tally.iter().map(|(verdict, count)| VerdictCount { verdict: verdict.name().to_owned(), count }).collect()
}

/// A program that was run or found.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct Program {
    /// Name of the function.
    pub name: String,
    /// Content hash; equal programs have equal hashes.
    pub hash: String,
    /// Source text, as it was given.
    pub text: String,
    /// How a search made it. Absent for given programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Made>,
}

/// How a search made a program.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct Made {
    /// Name of the operator or the mechanism.
    pub operator: String,
    /// Hashes of the programs that it was made from. Absent if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// Description of the program in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// The results for one task.
#[derive(Clone, PartialEq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct Task {
    /// Id of the task.
    pub id: String,
    /// Content hash of its pairs.
    pub hash: String,
    /// The demonstration pairs.
    pub train: Vec<Example>,
    /// The test pairs. Outputs are added when the job ends.
    pub test: Vec<Example>,
    /// Two attempts at each test output. Absent if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<[Rows; 2]>,
    /// The results of the programs that ran on this task.
    pub programs: Vec<Outcome>,
    /// How the search for programs went; absent in a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<TaskSearch>,
    /// The first wrong line of the closest program that is not right. Absent in a solve, and if all programs
    /// are right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_wrong_line: Option<FirstWrongLine>,
}

/// The first line at which a program departs from the expected outputs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FirstWrongLine {
    /// Index into the list of programs.
    pub program: u32,
    /// Line in the text of the program, from 1. Absent if no line is wrong and the program ends too early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// How this was determined.
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
#[derive(Clone, PartialEq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct TaskSearch {
    /// Fuel used.
    pub fuel: u64,
    /// Number of candidates tried.
    pub tried: u64,
    /// True if nothing more will be tried.
    pub done: bool,
    /// True if a program is right on all demonstration pairs.
    pub solved: bool,
    /// Solve: the phase that would come next: `cheap`, `middle`, `expensive`, `enumerate`, `breed` or `deeper N`. Absent
    /// if nothing is left to try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_phase: Option<String>,
    /// Search: graded score of the best program before the search, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_before: Option<u32>,
    /// Search: graded score of the best program, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<u32>,
    /// Solve: the attempts for each test output, the better one first. Absent if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<Vec<Attempt>>,
}

/// One attempt of a solve at a test output.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct Attempt {
    /// Index into the list of programs.
    pub program: u32,
    /// Number of mechanisms that led to this output.
    pub votes: usize,
    /// Estimated probability that it is right, from 0 to 1.
    pub sure: f64,
}

/// An input grid and, if it is known, the output grid.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct Example {
    /// Rows of colours.
    pub input: Rows,
    /// Rows of colours. Absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Rows>,
}

/// The results of one program on one task.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct Outcome {
    /// Index into the list of programs.
    pub program: u32,
    /// True if the program is named after the task.
    pub own: bool,
    /// The results on the demonstration pairs.
    pub train: Vec<Pair>,
    /// The results on the test pairs.
    pub test: Vec<Pair>,
}

/// The result of one program on one pair.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
pub struct Pair {
    /// Name of the verdict, such as `ok`, `wrong`, `wrong_shape` or `fuel`.
    pub verdict: String,
    /// Fuel used. Absent if the program was not run by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// The problem in words. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The answer as rows of colours, if it is a grid. Absent if it is the expected output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Rows>,
}

/// A grid as lists of colours.
pub type Rows = Vec<Vec<i8>>;

pub fn rows(grid: &Grid) -> Rows {
    grid.rows().map(<[i8]>::to_vec).collect()
}
