//! Conversion between results and the entries of a record.

use std::time::{SystemTime, UNIX_EPOCH};

use batt_base::time;
use batt_plan::ProgramId;
use batt_record as record;
use batt_score::{Totals, Verdict};
use batt_task::{Grid, Task};

use crate::battery::{Battery, ProgramResult, Summary, TaskResult, why};
use crate::description::{Job, ProgramSource};
use crate::first_wrong_line::first_wrong_line;

/// Returns the counts of right programs, the first part of a record.
pub fn right(summary: &Summary) -> record::Right {
    let Summary { own, left, .. } = summary;
    record::Right {
        all: own.right == own.runs && own.right > 0,
        programs: own.runs,
        on_demos: own.on_demos,
        on_tests: own.on_tests,
        on_all: own.right,
        left: *left,
    }
}

/// Returns the setup of a job on these tasks.
pub(crate) fn setup(data: &str, tasks: &crate::tasks::Tasks, options: record::Options) -> record::Setup {
    record::Setup {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        dsl: batt_dsl::version().to_string(),
        data: record::Data {
            name: data.to_owned(),
            hash: tasks.hash.clone(),
            tasks: tasks.index.len(),
            shard: tasks.shard.clone(),
        },
        options,
    }
}

/// Returns the record of a job as far as it is known before the work.
pub(crate) fn head(
    kind: record::Kind,
    identity: String,
    setup: record::Setup,
    job: &Job,
    threads: usize,
) -> record::Record {
    let environment = environment(job, threads);
    record::Record {
        schema: record::SCHEMA,
        kind,
        job: identity,
        setup,
        environment,
        ..record::Record::default()
    }
}

/// Returns the environment of a job that starts now.
fn environment(job: &Job, threads: usize) -> record::Environment {
    let file = |source: &ProgramSource| match source {
        ProgramSource::File(path) => Some(path.display().to_string()),
        ProgramSource::Text(_) => None,
    };
    record::Environment {
        threads,
        sharing: true,
        kernels: true,
        seconds: 0.0,
        started: SystemTime::now().duration_since(UNIX_EPOCH).ok().map(time::utc),
        command: job.command.clone(),
        program_files: job.programs.iter().filter_map(file).collect(),
        machine: machine(),
        cluster: None,
        devices: Vec::new(),
    }
}

/// Describes the machine that this process runs on.
pub fn machine() -> record::Machine {
    record::Machine {
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
    }
}

/// Returns the entries of a battery's programs.
pub fn programs(battery: &Battery<'_>) -> Vec<record::Program> {
    battery.programs().iter().map(program).collect()
}

/// Returns the entry of a program that the user provided.
pub fn program(program: &batt_lang::Program) -> record::Program {
    record::Program {
        name: program.name().to_owned(),
        hash: program.hash().to_string(),
        text: program.source().to_owned(),
        made: None,
    }
}

/// Returns the entry of one task. The result must contain the answers.
pub fn task(battery: &Battery<'_>, task: &Task, result: &TaskResult) -> record::Task {
    let outcome = |result: &ProgramResult| {
        let n_train = task.train.len();
        let pair = |i: usize, verdict: &Verdict| pair(battery, task, result, i, *verdict);
        record::Outcome {
            program: result.program.0,
            own: result.own,
            train: result.demos.iter().enumerate().map(|(i, verdict)| pair(i, verdict)).collect(),
            test: result.tests.iter().enumerate().map(|(i, verdict)| pair(n_train + i, verdict)).collect(),
        }
    };
    let attempts = result.attempts.iter().map(|pair| [record::rows(&pair[0]), record::rows(&pair[1])]);
    let mut entry = record::Task {
        id: task.id.clone(),
        hash: task.content_hash().to_string(),
        train: task.train.iter().map(example).collect(),
        test: task.test.iter().map(example).collect(),
        attempts: attempts.collect(),
        programs: result.programs.iter().map(outcome).collect(),
        search: None,
        first_wrong_line: None,
    };
    entry.first_wrong_line = first_wrong_line(task, &entry, battery.programs());
    entry
}

/// Returns the entry of a pair.
pub fn example(pair: &batt_task::Pair) -> record::Example {
    record::Example { input: record::rows(&pair.input), output: pair.output.as_ref().map(record::rows) }
}

/// Restores the result of a task from its entry. Returns `None` if the entry is of another task or was edited.
pub fn result(task: &Task, entry: &record::Task) -> Option<TaskResult> {
    if entry.id != task.id || entry.hash != task.content_hash().to_string() {
        return None;
    }
    let verdicts =
        |pairs: &[record::Pair]| pairs.iter().map(|it| verdict(&it.verdict)).collect::<Option<Vec<_>>>();
    let program = |outcome: &record::Outcome| {
        let pairs = || outcome.train.iter().chain(&outcome.test);
        let wrong = pairs().enumerate().filter_map(|(i, pair)| Some((i, pair.why.clone()?)));
        Some(ProgramResult {
            program: ProgramId(outcome.program),
            own: outcome.own,
            demos: verdicts(&outcome.train)?,
            tests: verdicts(&outcome.test)?,
            fuel: pairs().map(|pair| pair.fuel.unwrap_or(0)).collect(),
            wrong: if outcome.own { wrong.collect() } else { Vec::new() },
            answers: Vec::new(),
        })
    };
    let programs = entry.programs.iter().map(program).collect::<Option<Vec<_>>>()?;
    let both = |both: &[record::Rows; 2]| Some([grid(&both[0])?, grid(&both[1])?]);
    let attempts = entry.attempts.iter().map(both).collect::<Option<Vec<_>>>()?;
    let scores = Totals::open(task, &attempts);
    let answers = entry.programs.iter().flat_map(|outcome| &outcome.test);
    let answered = answers.into_iter().any(|pair| pair.is_right() || pair.answer.is_some());
    Some(TaskResult { finished: true, programs, attempts, answered, scores })
}

fn verdict(name: &str) -> Option<Verdict> {
    Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
}

/// Returns a grid of a record; `None` if its rows differ in length, as in an edited record.
pub fn grid(rows: &record::Rows) -> Option<Grid> {
    let width = rows.first()?.len();
    let even = rows.iter().all(|row| row.len() == width);
    even.then(|| Grid::new(width, rows.concat()).ok()).flatten()
}

fn pair(
    battery: &Battery<'_>,
    task: &Task,
    result: &ProgramResult,
    i: usize,
    verdict: Verdict,
) -> record::Pair {
    let run = &result.answers[i];
    let wrong = !matches!(verdict, Verdict::Right | Verdict::Unjudged | Verdict::Skipped);
    let expected = task.train.iter().chain(&task.test).nth(i).and_then(|pair| pair.output.as_ref());
    let ProgramId(program) = result.program;
    let answer = if verdict == Verdict::Right { None } else { run.end.rectangle() };
    let answer = answer.map(|(width, cells)| cells.chunks_exact(width).map(<[i8]>::to_vec).collect());
    record::Pair {
        verdict: verdict.name().to_owned(),
        fuel: Some(run.fuel),
        why: wrong.then(|| why(run, expected, &battery.programs()[program as usize])),
        answer,
    }
}
