//! One run, as the page shows it.

use std::collections::BTreeMap;

use batt_base::number::count;
use batt_record::{Environment, Kind, Made, PlanCounts, Record, Right, Score, Setup, VerdictCount};
use serde::Serialize;

use crate::facts::{Facts, Selection};
use crate::html::cost::Cost;
use crate::html::task::Task;
use crate::html::{Graph, Source, Subject};
use crate::validity::{ProgramSummary, Validity, wrong_programs};
use crate::view::ProgramRuns;

#[derive(Serialize)]
pub(super) struct Run<'r> {
    name: &'r str,
    right: &'r Right,
    /// The subject of the page: `run`, `solve`, `search` or `submission`.
    subject: &'static str,
    /// How the programs were found, in a solve or a search.
    search: Option<&'r str>,
    /// Whether the figures can be trusted.
    valid: bool,
    /// The first line, in words.
    stamp: String,
    /// Programs that are wrong on their own tasks: index and task.
    wrong: Vec<(u32, &'r str)>,
    setup: &'r Setup,
    environment: &'r Environment,
    plan: &'r PlanCounts,
    scores: &'r [Score],
    verdicts: &'r [VerdictCount],
    /// Progress of a solve: seconds, tasks solved on their demonstration pairs, expected right outputs.
    curve: Vec<(f64, usize, f64)>,
    graph: &'r Result<Graph, String>,
    tasks: Vec<Task<'r>>,
    programs: Vec<Program<'r>>,
    /// Programs that others were made from: hash, name, text, and how they were made.
    ancestors: Vec<(&'r str, &'r str, &'r str, Option<&'r Made>)>,
    /// The profile, or the reason why there is none.
    cost: Result<Cost, String>,
}

#[derive(Serialize)]
struct Program<'r> {
    /// Its name; programs of the same name are told apart by their hashes.
    name: String,
    hash: &'r str,
    text: &'r str,
    /// Number of tasks it ran on.
    ran: usize,
    /// Indices of the tasks that it solves.
    solves: Vec<u32>,
    made: Option<&'r Made>,
    lines: Vec<Line>,
}

/// Line number from 1, hits, time if it ran alone, time that no other program needs, fair share.
type Line = (usize, u64, u64, u64, f64);

impl<'r> Run<'r> {
    pub(super) fn new(source: &'r Source<'r>) -> Run<'r> {
        let record = source.record;
        let facts = Facts::new(record, &Selection::default());
        let cost = match &facts {
            Ok(facts) => Cost::new(facts).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let Record { right, setup, environment, plan, scores, verdicts, curve, .. } = record;
        let times: BTreeMap<&str, u64> = facts
            .as_ref()
            .map(|facts| facts.tasks.iter().map(|task| (task.id.as_str(), task.end - task.start)).collect())
            .unwrap_or_default();
        let task = |task: &'r batt_record::Task| Task::new(task, times.get(task.id.as_str()).copied());
        let validity = facts.as_ref().ok().map(Validity::new);
        let (valid, stamp) = match (&source.subject, &validity) {
            (Subject::Submission { defects, hidden }, _) => {
                (defects.is_empty(), submission_stamp(record, defects, *hidden))
            }
            (Subject::Job, Some(validity)) => (validity.valid, validity.to_string()),
            (Subject::Job, None) => ProgramSummary::new(record, 0).stamp(),
        };
        let ancestor = |it: &'r batt_record::Program| {
            (it.hash.as_str(), it.name.as_str(), it.text.as_str(), it.made.as_ref())
        };
        Run {
            name: &source.name,
            right,
            subject: match source.subject {
                Subject::Submission { .. } => "submission",
                Subject::Job => record.kind.name(),
            },
            search: match record.kind {
                Kind::Run => None,
                Kind::Solve => Some("solve"),
                Kind::Search => Some(setup.options.mode.as_deref().unwrap_or("search")),
            },
            valid,
            stamp,
            wrong: wrong_programs(record),
            setup,
            environment,
            plan,
            scores,
            verdicts,
            curve: curve.iter().map(|it| (it.seconds, it.solved_on_demos, it.expected_outputs)).collect(),
            graph: &source.graph,
            tasks: record.tasks.iter().map(task).collect(),
            programs: programs(record, facts.as_ref().ok()),
            ancestors: record.ancestors.iter().map(ancestor).collect(),
            cost,
        }
    }
}

fn programs<'r>(record: &'r Record, facts: Option<&Facts<'r>>) -> Vec<Program<'r>> {
    let mut results: Vec<(usize, Vec<u32>)> = vec![(0, Vec::new()); record.programs.len()];
    for (place, task) in record.tasks.iter().enumerate() {
        for outcome in &task.programs {
            if let Some((ran, solved)) = results.get_mut(outcome.program as usize) {
                *ran += 1;
                if outcome.is_right() {
                    solved.push(place as u32);
                }
            }
        }
    }
    let runs = facts.and_then(|facts| ProgramRuns::new(facts).ok());
    let lines = |program: usize| {
        let lines = runs.as_ref().map(|runs| runs.lines(program as u32).lines).unwrap_or_default();
        let computed = lines.into_iter().filter(|line| line.hits > 0);
        computed.map(|line| (line.number, line.hits, line.alone.0, line.exclusive.0, line.fair)).collect()
    };
    let listed = record.programs.iter().zip(results).zip(labels(record)).enumerate();
    let program = listed.map(|(place, ((program, (ran, solves)), name))| {
        let batt_record::Program { hash, text, made, .. } = program;
        Program { name, hash, text, ran, solves, made: made.as_ref(), lines: lines(place) }
    });
    program.collect()
}

/// Returns a name for each program that no other program has.
fn labels(record: &Record) -> Vec<String> {
    let mut named: BTreeMap<&str, usize> = BTreeMap::new();
    for program in &record.programs {
        *named.entry(&program.name).or_default() += 1;
    }
    let mut labelled: BTreeMap<String, usize> = BTreeMap::new();
    let label = |program: &batt_record::Program| {
        let hash: String = program.hash.chars().take(HASH_DIGITS).collect();
        let label = match named[program.name.as_str()] {
            1 => program.name.clone(),
            _ => format!("{} ({hash})", program.name),
        };
        let n = labelled.entry(label.clone()).or_default();
        *n += 1;
        if *n == 1 { label } else { format!("{label} #{n}") }
    };
    record.programs.iter().map(label).collect()
}

/// Number of digits of a hash that tell programs of the same name apart.
const HASH_DIGITS: usize = 8;

/// Returns the first line of the page of a submission.
fn submission_stamp(record: &Record, defects: &[String], hidden: usize) -> String {
    let outputs = record.tasks.iter().map(|task| task.attempts.len()).sum();
    let text = format!("a submission: {}, {}", count(record.tasks.len(), "task"), count(outputs, "output"));
    let hidden = match hidden {
        0 => String::new(),
        n => format!("; third attempts, of {}, count for the scores and are not shown", count(n, "output")),
    };
    match defects {
        [] => format!("{text}, complete and well formed{hidden}"),
        [first, ..] => format!("{text}, {}, the first: {first}{hidden}", count(defects.len(), "defect")),
    }
}
