//! Joining records.

use std::collections::{BTreeMap, BTreeSet};

use batt_base::number::count;
use batt_lang::parse;
use batt_plan::Plan;
use batt_record::{
    self as record, Cluster, CurvePoint, Device, Environment, Kind, OperatorCounts, PlanCounts, Program,
    Record, Right, Task, VerdictCount,
};
use batt_score::{Scores, Totals, Verdict};
use batt_task::Pair;
use batt_task::submission::Draft;

use super::parts::{Parts, join_curves};
use super::profile;
use crate::document::grid;
use crate::solve_record;

/// Joins the records of shards to the record of the whole job.
pub(super) fn join(mut parts: Parts<Record>, warnings: &mut Vec<String>) -> Record {
    let kind = parts.list.first().map_or(Kind::Run, |part| part.kind);
    let profile = profile::join(&parts, warnings);
    let lists = parts.list.iter_mut().map(|part| std::mem::take(&mut part.document.tasks)).collect();
    let tasks = parts.in_order(lists);
    let records: Vec<&Record> = parts.list.iter().map(|part| &part.document).collect();
    let ancestors = ancestors(&records, &tasks);
    let (tasks, programs) = match kind {
        Kind::Run => (tasks.into_iter().map(|(_, task)| task).collect(), records[0].programs.clone()),
        Kind::Solve | Kind::Search => Reindex::new(&records).apply(tasks),
    };
    let left = parts.setup.data.tasks - tasks.len().min(parts.setup.data.tasks);
    let curves: Vec<(f64, &[CurvePoint])> =
        records.iter().map(|it| (it.environment.seconds, &it.curve[..])).collect();
    let scored = records.iter().all(|record| !record.scores.is_empty());
    Record {
        schema: record::SCHEMA,
        kind,
        job: parts.job.clone(),
        finished: parts.missing.is_empty() && records.iter().all(|record| record.finished),
        right: right(&records, kind, left),
        environment: environment(&records),
        plan: plan(&records, kind, &programs),
        // While a solve runs, its record has no scores, because the test outputs are sealed.
        scores: if scored { scores(&tasks, warnings) } else { Vec::new() },
        verdicts: verdicts(&tasks, kind),
        operators: operators(&records),
        ancestors,
        curve: join_curves(&curves),
        profile,
        setup: parts.setup.clone(),
        programs,
        tasks,
    }
}

fn right(records: &[&Record], kind: Kind, left: usize) -> Right {
    let sum = |count: fn(&Right) -> usize| records.iter().map(|record| count(&record.right)).sum();
    let (programs, on_all): (usize, usize) = (sum(|it| it.programs), sum(|it| it.on_all));
    Right {
        all: programs > 0 && (kind != Kind::Run || on_all == programs),
        programs,
        on_demos: sum(|it| it.on_demos),
        on_tests: sum(|it| it.on_tests),
        on_all,
        left: if kind == Kind::Run { left } else { 0 },
    }
}

/// Returns the environment as if the shards had run one after the other: `seconds` is the sum and `threads` the maximum.
/// The machine and the program files are those of the first shard, and the date is that of the earliest.
fn environment(records: &[&Record]) -> Environment {
    let all = || records.iter().map(|record| &record.environment);
    Environment {
        threads: all().map(|it| it.threads).max().unwrap_or(0),
        sharing: all().all(|it| it.sharing),
        kernels: all().all(|it| it.kernels),
        seconds: all().map(|it| it.seconds).sum(),
        started: all().filter_map(|it| it.started.clone()).min(),
        command: None,
        program_files: all().next().map(|it| it.program_files.clone()).unwrap_or_default(),
        machine: all().next().map(|it| it.machine.clone()).unwrap_or_default(),
        cluster: cluster(all().filter_map(|it| it.cluster.as_ref())),
        devices: devices(all().flat_map(|it| &it.devices)),
    }
}

/// Adds up the work of clusters. Machines of the same name are one.
fn cluster<'c>(clusters: impl Iterator<Item = &'c Cluster>) -> Option<Cluster> {
    let mut joined: Option<Cluster> = None;
    for cluster in clusters {
        let sum = joined.get_or_insert_default();
        sum.pieces += cluster.pieces;
        sum.executions += cluster.executions;
        for machine in &cluster.machines {
            match sum.machines.iter_mut().find(|it| it.name == machine.name) {
                Some(known) => {
                    known.cores = known.cores.max(machine.cores);
                    known.pieces += machine.pieces;
                    known.stayed &= machine.stayed;
                }
                None => sum.machines.push(machine.clone()),
            }
        }
    }
    joined
}

/// Adds up the work of devices. Those of the same name are one.
fn devices<'d>(devices: impl Iterator<Item = &'d Device>) -> Vec<Device> {
    let mut joined: Vec<Device> = Vec::new();
    for device in devices {
        match joined.iter_mut().find(|it| it.name == device.name) {
            Some(known) => known.join(device),
            None => joined.push(device.clone()),
        }
    }
    joined
}

/// A run merges all its programs in every shard; a solve and a search merge those that they found.
fn plan(records: &[&Record], kind: Kind, programs: &[Program]) -> PlanCounts {
    match kind {
        Kind::Run => records[0].plan,
        Kind::Solve | Kind::Search => {
            let programs: Vec<_> = programs.iter().flat_map(|it| parse(&it.text).programs).collect();
            Plan::merge(&programs).counts().into()
        }
    }
}

/// Scores the attempts; tasks without any have fallbacks.
fn scores(tasks: &[Task], warnings: &mut Vec<String>) -> Vec<record::Score> {
    let mut totals = Totals::default();
    let mut damaged = 0;
    for entry in tasks {
        let Some((task, draft)) = draft(entry) else {
            damaged += 1;
            continue;
        };
        totals.add(&Scores::open(&draft.submission(), [&task]));
    }
    if damaged > 0 {
        warnings.push(format!("{} with damaged grids, not counted in the scores", count(damaged, "task")));
    }
    record::scores(&totals)
}

fn draft(entry: &Task) -> Option<(batt_task::Task, Draft)> {
    let pair = |example: &record::Example| {
        let output = match &example.output {
            Some(rows) => Some(grid(rows)?),
            None => None,
        };
        Some(Pair { input: grid(&example.input)?, output })
    };
    let task = batt_task::Task {
        id: entry.id.clone(),
        train: entry.train.iter().map(pair).collect::<Option<_>>()?,
        test: entry.test.iter().map(pair).collect::<Option<_>>()?,
        extra: Vec::new(),
    };
    let mut draft = Draft::new([&task]);
    for (output, [first, second]) in entry.attempts.iter().enumerate() {
        draft.answer(&task.id, output, [grid(first)?, grid(second)?]);
    }
    Some((task, draft))
}

/// Counts the verdicts. A run lists them in a fixed order, a solve and a search in the order of their occurrence.
fn verdicts(tasks: &[Task], kind: Kind) -> Vec<VerdictCount> {
    let mut counts = Vec::new();
    for outcome in tasks.iter().flat_map(|task| &task.programs) {
        outcome
            .train
            .iter()
            .chain(&outcome.test)
            .for_each(|it| solve_record::count(&mut counts, &it.verdict));
    }
    if kind == Kind::Run {
        counts.sort_by_key(|it| Verdict::ALL.iter().position(|verdict| verdict.name() == it.verdict));
    }
    counts
}

fn operators(records: &[&Record]) -> Vec<OperatorCounts> {
    let mut sums: Vec<OperatorCounts> = Vec::new();
    for operator in records.iter().flat_map(|record| &record.operators) {
        match sums.iter_mut().find(|sum| sum.name == operator.name) {
            Some(sum) => {
                sum.tried += operator.tried;
                sum.better += operator.better;
                sum.solved += operator.solved;
            }
            None => sums.push(operator.clone()),
        }
    }
    sums
}

/// Lists the ancestors of the found programs in the order of a search of all tasks: those of each task in turn, unless
/// they were listed before.
fn ancestors(records: &[&Record], tasks: &[(usize, Task)]) -> Vec<Program> {
    let by_hash = |record: &&Record| -> BTreeMap<String, Program> {
        record.ancestors.iter().map(|it| (it.hash.clone(), it.clone())).collect()
    };
    let known: Vec<BTreeMap<String, Program>> = records.iter().map(by_hash).collect();
    let parents = |program: &Program| program.made.iter().flat_map(|made| made.parents.clone()).collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut ancestors = Vec::new();
    for (part, task) in tasks {
        let found = task.programs.first().and_then(|it| records[*part].programs.get(it.program as usize));
        let mut next: Vec<String> = found.map(parents).unwrap_or_default();
        while let Some(hash) = next.pop() {
            if !seen.insert(hash.clone()) {
                continue;
            }
            if let Some(ancestor) = known[*part].get(&hash) {
                next.extend::<Vec<String>>(parents(ancestor));
                ancestors.push(ancestor.clone());
            }
        }
    }
    ancestors
}

/// Lists the programs of shards in the order of the tasks.
struct Reindex<'r> {
    records: &'r [&'r Record],
    /// For each part, the new numbers of its programs.
    numbers: Vec<BTreeMap<u32, u32>>,
    programs: Vec<Program>,
}

impl<'r> Reindex<'r> {
    fn new(records: &'r [&'r Record]) -> Reindex<'r> {
        Reindex { records, numbers: vec![BTreeMap::new(); records.len()], programs: Vec::new() }
    }

    fn apply(mut self, tasks: Vec<(usize, Task)>) -> (Vec<Task>, Vec<Program>) {
        let tasks = tasks.into_iter().map(|(part, task)| self.task(part, task)).collect();
        // Programs without a task, which a search does not write today.
        for (part, record) in self.records.iter().enumerate() {
            (0..record.programs.len() as u32).for_each(|number| {
                self.number(part, number);
            });
        }
        (tasks, self.programs)
    }

    fn task(&mut self, part: usize, mut task: Task) -> Task {
        for outcome in &mut task.programs {
            outcome.program = self.number(part, outcome.program);
        }
        for attempt in task.search.iter_mut().flat_map(|search| &mut search.attempts).flatten() {
            attempt.program = self.number(part, attempt.program);
        }
        if let Some(line) = &mut task.first_wrong_line {
            line.program = self.number(part, line.program);
        }
        task
    }

    /// Returns the new number of a program, and lists it if it is new.
    fn number(&mut self, part: usize, number: u32) -> u32 {
        let next = self.programs.len() as u32;
        let programs = &mut self.programs;
        *self.numbers[part].entry(number).or_insert_with(|| {
            programs.extend(self.records[part].programs.get(number as usize).cloned());
            next
        })
    }
}
