//! A solve or a search as the record of a run: what it found are programs, so whatever shows a run shows it too.

use std::path::Path;

use batt_lang::{Program, parse};
use batt_plan::Plan;
use batt_record::{
    Document, Example, Machine, Made, Means, Options, Outcome, Pair, Record, RecordError, Right, Rows,
    Search, SearchFound, SearchedTask, Solve, SolveRun, SolvedTask, Task, VerdictCount, What,
};
use batt_score::Verdict;

use crate::battery::{Battery, Setup, Unwatched};
use crate::document::{self, task_of};

/// Reads the document of a run, a solve or a search.
pub fn read(path: &Path) -> Result<Record, RecordError> {
    Ok(match Document::read(path)? {
        Document::Run(record) => *record,
        Document::Solve(solve) => of_solve(*solve),
        Document::Search(search) => of_search(*search),
    })
}

/// The programs that give the attempts.
pub fn of_solve(solve: Solve) -> Record {
    let Solve { run, means, scores, tasks, profile } = solve;
    let mut found = Found::default();
    let tasks = tasks.into_iter().map(|task| found.solved(task)).collect();
    let record = found.record(run, means.threads, means.machine, tasks);
    Record { search: Some("solve".to_owned()), scores, profile, curve: means.curve, ..record }
}

/// The programs that are better than what was known before.
pub fn of_search(search: Search) -> Record {
    let Search { mode, run, means, tasks, ancestors, profile, .. } = search;
    let mut found = Found::default();
    let tasks = tasks.into_iter().map(|task| found.searched(task)).collect();
    let record = found.record(run, means.threads, means.machine, tasks);
    Record { search: Some(mode), ancestors, profile, ..record }
}

/// Programs that were found, and how they did.
#[derive(Default)]
struct Found {
    programs: Vec<(Program, Made)>,
    right: Right,
    /// How often each verdict was given.
    verdicts: Vec<VerdictCount>,
}

impl Found {
    fn solved(&mut self, task: SolvedTask) -> Task {
        let SolvedTask { id, hash, train, test, attempts, answers, .. } = task;
        let mut leaders: Vec<usize> = attempts.iter().flatten().map(|attempt| attempt.answer).collect();
        leaders.sort_unstable();
        leaders.dedup();
        let output = |answer: usize, k: usize| {
            answers.get(answer).and_then(|answer| answer.outputs.get(k)).and_then(Option::as_deref).map(rows)
        };
        let both = |(k, attempts): (usize, &Vec<batt_record::SolvedAttempt>)| {
            let mut grids = attempts.iter().filter_map(|attempt| output(attempt.answer, k));
            let first = grids.next()?;
            let second = grids.next().unwrap_or_else(|| first.clone());
            Some([first, second])
        };
        let both = attempts.iter().enumerate().map(both).collect::<Option<Vec<_>>>().unwrap_or_default();
        let mut programs = Vec::new();
        for leader in leaders {
            let outputs = (0..attempts.len()).map(|k| output(leader, k)).collect();
            let Some(answer) = answers.get(leader) else { continue };
            let made = Made { operator: answer.mechanism.clone(), parents: Vec::new() };
            programs.extend(self.outcome(&answer.program, made, &train, &test, outputs));
        }
        Task { id, hash, train, test, attempts: both, programs }
    }

    /// A search looks at demonstration pairs only and says how close it came; what its finds come to is seen by
    /// running them.
    fn searched(&mut self, task: SearchedTask) -> Task {
        let SearchedTask { id, hash, train, test, found, .. } = task;
        let mut task = Task { id, hash, train, test, attempts: Vec::new(), programs: Vec::new() };
        task.programs = found.and_then(|found| self.replayed(&task, found)).into_iter().collect();
        task
    }

    fn replayed(&mut self, entry: &Task, found: SearchFound) -> Option<Outcome> {
        let task = task_of(entry)?;
        let program = parse(&found.program).programs.into_iter().next()?;
        let setup = Setup { answers: true, all_pairs: true, ..Setup::new(&Unwatched) };
        let programs = [program];
        let battery = Battery::new(&programs, [task.id.as_str()]);
        let result = battery.one(&task, &setup);
        let outcome = document::task(&battery, &task, &result).programs.into_iter().next()?;
        let [program] = programs;
        let made = Made { operator: found.operator, parents: found.parents };
        for pair in outcome.train.iter().chain(&outcome.test) {
            self.count(&pair.verdict);
        }
        let on_demos = outcome.train.iter().all(Pair::is_right);
        if on_demos {
            self.right.programs += 1;
            self.right.on_demos += 1;
            self.right.on_all += 1;
            self.right.on_tests += usize::from(outcome.test.iter().all(Pair::is_right));
        }
        self.programs.push((program, made));
        Some(Outcome { program: self.programs.len() as u32 - 1, own: true, ..outcome })
    }

    /// What came of a program that is right on all demonstration pairs, with its answers to the test inputs.
    fn outcome(
        &mut self,
        text: &str,
        made: Made,
        train: &[Example],
        test: &[Example],
        answers: Vec<Option<Rows>>,
    ) -> Option<Outcome> {
        let program = parse(text).programs.into_iter().next()?;
        self.programs.push((program, made));
        let train: Vec<Pair> = train.iter().map(|_| self.pair(Verdict::Right, None)).collect();
        let judged = test.iter().zip(answers).map(|(example, answer)| {
            let verdict = match (&answer, &example.output) {
                (None, _) => Verdict::NotAGrid,
                (Some(_), None) => Verdict::Unjudged,
                (Some(answer), Some(output)) if answer == output => Verdict::Right,
                (Some(answer), Some(output)) if shape(answer) != shape(output) => Verdict::WrongShape,
                _ => Verdict::Wrong,
            };
            self.pair(verdict, answer.filter(|_| verdict != Verdict::Right))
        });
        let test: Vec<Pair> = judged.collect();
        let tests_right = test.iter().all(Pair::is_right);
        self.right.programs += 1;
        self.right.on_demos += 1;
        self.right.on_tests += usize::from(tests_right);
        // A program that was found is right if it does what it was found for: test outputs are nobody's to know.
        self.right.on_all += 1;
        Some(Outcome { program: self.programs.len() as u32 - 1, own: true, train, test })
    }

    fn pair(&mut self, verdict: Verdict, answer: Option<Rows>) -> Pair {
        self.count(verdict.name());
        Pair { verdict: verdict.name().to_owned(), fuel: 0, why: None, answer }
    }

    fn count(&mut self, verdict: &str) {
        match self.verdicts.iter_mut().find(|it| it.verdict == verdict) {
            Some(known) => known.count += 1,
            None => self.verdicts.push(VerdictCount { verdict: verdict.to_owned(), count: 1 }),
        }
    }

    fn record(self, run: SolveRun, threads: usize, machine: Machine, tasks: Vec<Task>) -> Record {
        let Found { programs, mut right, verdicts } = self;
        right.all = right.programs > 0;
        let (programs, made): (Vec<Program>, Vec<Made>) = programs.into_iter().unzip();
        let listed = programs.iter().zip(made);
        let listed =
            listed.map(|(it, made)| batt_record::Program { made: Some(made), ..document::program(it) });
        let SolveRun { version, dsl, data, fuel_per_task, seed, .. } = run;
        // For each task; nothing if only time limited it.
        let options =
            Options { fuel: fuel_per_task.unwrap_or(0), seconds: 0, all_pairs: false, go_on: false };
        Record {
            right,
            run: What { version, dsl, data, options, seed: Some(seed) },
            means: Means { threads, sharing: true, kernels: true, machine },
            plan: Plan::merge(&programs).counts().into(),
            scores: Vec::new(),
            verdicts,
            programs: listed.collect(),
            tasks,
            search: None,
            ancestors: Vec::new(),
            curve: Vec::new(),
            profile: None,
        }
    }
}

fn shape(rows: &Rows) -> (usize, usize) {
    (rows.len(), rows.first().map_or(0, Vec::len))
}

/// Rows of digits, `012/345`.
fn rows(digits: &str) -> Rows {
    let cell = |c: char| c.to_digit(10).map(|color| color as i8);
    digits.split('/').map(|row| row.chars().filter_map(cell).collect()).collect()
}
