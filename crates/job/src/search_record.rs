//! The record of a search: the programs that came closer, how they were made, and their answers.

use std::collections::BTreeSet;

use batt_lang::{self as lang, Program};
use batt_plan::Plan;
use batt_record::{self as record, Made, OperatorCounts, Pair, Record, TaskSearch};
use batt_search::breed::{Operator, Tally};
use batt_store::{Origin, Store};
use batt_task::Task;
use batt_value::ContentHash;

use crate::battery::{Battery, Setup, Unwatched};
use crate::description::Mode;
use crate::document::{self, example};
use crate::error::JobError;
use crate::search::{Found, TaskResult};
use crate::solve_record::count;

/// Results of a search, intermediate or final.
pub(crate) struct Finds<'f> {
    pub(crate) tasks: &'f [Task],
    pub(crate) results: &'f [TaskResult],
    pub(crate) known: &'f [Program],
    pub(crate) store: &'f Store,
}

impl Finds<'_> {
    pub(crate) fn record(&self, head: Record, mode: Mode) -> Result<Record, JobError> {
        let mut record = head;
        let mut programs = Vec::new();
        for (task, result) in self.tasks.iter().zip(self.results) {
            let entry = entry(&mut record, task, result);
            record.tasks.push(entry);
            programs.extend(result.found.iter().map(|found| found.program.clone()));
        }
        record.right.all = record.right.programs > 0;
        record.plan = Plan::merge(&programs).counts().into();
        record.operators = match mode {
            Mode::Breed => self.operators(),
            Mode::Enumerate => Vec::new(),
        };
        record.ancestors = self.ancestors()?;
        Ok(record)
    }

    fn operators(&self) -> Vec<OperatorCounts> {
        let counts = |(place, operator): (usize, Operator)| {
            let mut sum = Tally::default();
            self.results.iter().for_each(|result| sum += result.tallies[place]);
            let Tally { tried, better, solved } = sum;
            OperatorCounts { name: operator.name().to_owned(), tried, better, solved }
        };
        Operator::ALL.into_iter().enumerate().map(counts).collect()
    }

    /// Returns the ancestors of the programs that were found, as far as the search, the store or the program files know
    /// them.
    fn ancestors(&self) -> Result<Vec<record::Program>, JobError> {
        let mut seen: BTreeSet<[u8; 32]> = BTreeSet::new();
        let mut ancestors = Vec::new();
        for result in self.results {
            let found = result.found.as_ref();
            let mut next: Vec<ContentHash> = found.map(|found| found.parents.clone()).unwrap_or_default();
            while let Some(hash) = next.pop() {
                if !seen.insert(*hash.bytes()) {
                    continue;
                }
                if let Some(ancestor) = self.ancestor(hash, result)? {
                    let parents = ancestor.made.iter().flat_map(|made| &made.parents);
                    next.extend(parents.filter_map(|parent| ContentHash::parse(parent)));
                    ancestors.push(ancestor);
                }
            }
        }
        Ok(ancestors)
    }

    fn ancestor(&self, hash: ContentHash, result: &TaskResult) -> Result<Option<record::Program>, JobError> {
        let stored = self.store.get(hash)?;
        let of_store = |origin: &Origin| match origin {
            Origin::Found { operator, parents, .. } => Some(made(operator, parents)),
            Origin::Imported { .. } | Origin::Written => None,
        };
        // Programs that the user provided were not made by this search.
        if let Some(given) = self.known.iter().find(|program| program.hash() == hash) {
            let made = stored.and_then(|stored| of_store(&stored.origin));
            return Ok(Some(record::Program { made, ..document::program(given) }));
        }
        if let Some(Found { program, operator, parents }) = result.lineage.get(hash.bytes()) {
            let (text, made) = (lang::print(program), Some(made(operator, parents)));
            return Ok(Some(record::Program { made, text, ..document::program(program) }));
        }
        Ok(stored.map(|stored| record::Program {
            name: stored.names.first().cloned().unwrap_or_default(),
            hash: hash.to_string(),
            made: of_store(&stored.origin),
            text: stored.text,
        }))
    }
}

fn made(operator: &str, parents: &[ContentHash]) -> Made {
    let parents = parents.iter().map(ToString::to_string).collect();
    Made { operator: operator.to_owned(), parents, words: None }
}

/// Returns the entry of a task. Runs the program that was found once, so that the record has its answers.
fn entry(record: &mut Record, task: &Task, result: &TaskResult) -> record::Task {
    let mut entry = record::Task {
        id: task.id.clone(),
        hash: task.content_hash().to_string(),
        train: task.train.iter().map(example).collect(),
        test: task.test.iter().map(example).collect(),
        attempts: Vec::new(),
        programs: Vec::new(),
        search: Some(TaskSearch {
            fuel: result.fuel,
            tried: result.tried,
            done: result.done,
            solved: result.solved,
            next_phase: None,
            score_before: Some(result.before),
            score: Some(result.score),
            attempts: Vec::new(),
        }),
        first_wrong_line: None,
    };
    let Some(Found { program, operator, parents }) = &result.found else { return entry };
    let setup = Setup { answers: true, all_pairs: true, ..Setup::new(&Unwatched) };
    let text = lang::print(program);
    let programs = lang::parse(&text).programs;
    let battery = Battery::new(&programs, [task.id.as_str()]);
    let ran = document::task(&battery, task, &battery.one(task, &setup));
    let place = record.programs.len() as u32;
    let listed = record::Program { text, made: Some(made(operator, parents)), ..document::program(program) };
    record.programs.push(listed);
    entry.first_wrong_line = ran.first_wrong_line.map(|it| record::FirstWrongLine { program: place, ..it });
    if let Some(outcome) = ran.programs.into_iter().next() {
        outcome.train.iter().chain(&outcome.test).for_each(|it| count(&mut record.verdicts, &it.verdict));
        if outcome.train.iter().all(Pair::is_right) {
            record.right.programs += 1;
            record.right.on_demos += 1;
            record.right.on_all += 1;
            record.right.on_tests += usize::from(outcome.test.iter().all(Pair::is_right));
        }
        entry.programs = vec![record::Outcome { program: place, own: true, ..outcome }];
    }
    entry
}
