//! One run, as the page shows it.

use std::collections::BTreeMap;

use batt_record::{Environment, Kind, Made, PlanCounts, Record, Right, Score, Setup, VerdictCount};
use serde::Serialize;

use crate::facts::{Facts, Selection};
use crate::html::cost::Cost;
use crate::html::task::Task;
use crate::html::{Graph, Source};
use crate::validity::{Claim, Validity, wrong_programs};
use crate::view::Ran;

#[derive(Serialize)]
pub(super) struct Run<'r> {
    name: &'r str,
    right: &'r Right,
    /// How the programs were searched for, if they were.
    search: Option<&'r str>,
    /// Whether the figures mean something, and what is said of that.
    valid: bool,
    stamp: String,
    /// Programs that are wrong on their own tasks: place in the list, and task.
    wrong: Vec<(u32, &'r str)>,
    setup: &'r Setup,
    environment: &'r Environment,
    plan: &'r PlanCounts,
    scores: &'r [Score],
    verdicts: &'r [VerdictCount],
    /// Of a search: seconds, tasks solved on their demonstration pairs, right outputs to expect.
    curve: Vec<(f64, usize, f64)>,
    graph: &'r Result<Graph, String>,
    tasks: Vec<Task<'r>>,
    programs: Vec<Program<'r>>,
    /// What the programs were made from: hash, name, text, how it was made itself.
    ancestors: Vec<(&'r str, &'r str, &'r str, Option<&'r Made>)>,
    /// Where the time went, or why that is not known.
    cost: Result<Cost, String>,
}

#[derive(Serialize)]
struct Program<'r> {
    name: &'r str,
    hash: &'r str,
    text: &'r str,
    /// Places of the tasks it ran on, and of those that it solves.
    ran: usize,
    solves: Vec<u32>,
    made: Option<&'r Made>,
    lines: Vec<Line>,
}

/// Number from 1, hits, the time it would take alone, what no other program needs, and its fair share.
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
        let (valid, stamp) = match &validity {
            Some(validity) => (validity.valid, validity.to_string()),
            None => Claim::new(record, 0).told(),
        };
        let ancestor = |it: &'r batt_record::Program| {
            (it.hash.as_str(), it.name.as_str(), it.text.as_str(), it.made.as_ref())
        };
        Run {
            name: &source.name,
            right,
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
    let mut seen: Vec<(usize, Vec<u32>)> = vec![(0, Vec::new()); record.programs.len()];
    for (place, task) in record.tasks.iter().enumerate() {
        for outcome in &task.programs {
            if let Some((ran, solved)) = seen.get_mut(outcome.program as usize) {
                *ran += 1;
                if outcome.is_right() {
                    solved.push(place as u32);
                }
            }
        }
    }
    let ran = facts.and_then(|facts| Ran::new(facts).ok());
    let lines = |program: usize| {
        let lines = ran.as_ref().map(|ran| ran.lines(program as u32).lines).unwrap_or_default();
        let seen = lines.into_iter().filter(|line| line.hits > 0);
        seen.map(|line| (line.number, line.hits, line.alone.0, line.exclusive.0, line.fair)).collect()
    };
    let listed = record.programs.iter().zip(seen).enumerate();
    let program = listed.map(|(place, (batt_record::Program { name, hash, text, made }, (ran, solves)))| {
        Program { name, hash, text, ran, solves, made: made.as_ref(), lines: lines(place) }
    });
    program.collect()
}
