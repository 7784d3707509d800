//! A solve or a search as the record of a run: what it found are programs, so whatever shows a run shows it too.

use std::path::Path;

use batt_lang::{Program, parse};
use batt_plan::Plan;
use batt_record::{
    Document, Example, Machine, Means, Options, Outcome, Pair, Record, RecordError, Right, Rows, Search,
    SearchedTask, Solve, SolveRun, SolvedTask, Task, VerdictCount, What,
};
use batt_score::Verdict;

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
    Record { scores, profile, curve: means.curve, ..record }
}

/// The programs that are right on all demonstration pairs of a task.
pub fn of_search(search: Search) -> Record {
    let Search { run, means, tasks, profile, .. } = search;
    let mut found = Found::default();
    let tasks = tasks.into_iter().map(|task| found.searched(task)).collect();
    Record { profile, ..found.record(run, means.threads, means.machine, tasks) }
}

/// Programs that were found, and how they did.
#[derive(Default)]
struct Found {
    programs: Vec<Program>,
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
            let text = answers.get(leader).map_or("", |answer| &answer.program);
            programs.extend(self.outcome(text, &train, &test, outputs));
        }
        Task { id, hash, train, test, attempts: both, programs }
    }

    fn searched(&mut self, task: SearchedTask) -> Task {
        let SearchedTask { id, hash, train, test, solved, found, .. } = task;
        let text = found.filter(|_| solved).map(|found| found.program).unwrap_or_default();
        let programs = self.outcome(&text, &train, &[], Vec::new()).into_iter().collect();
        Task { id, hash, train, test, attempts: Vec::new(), programs }
    }

    /// What came of a program that is right on all demonstration pairs, with its answers to the test inputs.
    fn outcome(
        &mut self,
        text: &str,
        train: &[Example],
        test: &[Example],
        answers: Vec<Option<Rows>>,
    ) -> Option<Outcome> {
        let program = parse(text).programs.into_iter().next()?;
        self.programs.push(program);
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
        let verdict = verdict.name().to_owned();
        match self.verdicts.iter_mut().find(|it| it.verdict == verdict) {
            Some(known) => known.count += 1,
            None => self.verdicts.push(VerdictCount { verdict: verdict.clone(), count: 1 }),
        }
        Pair { verdict, fuel: 0, why: None, answer }
    }

    fn record(self, run: SolveRun, threads: usize, machine: Machine, tasks: Vec<Task>) -> Record {
        let Found { programs, mut right, verdicts } = self;
        right.all = right.programs > 0;
        let program = |program: &Program| batt_record::Program {
            name: program.name().to_owned(),
            hash: program.hash().to_string(),
            text: program.source().to_owned(),
        };
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
            programs: programs.iter().map(program).collect(),
            tasks,
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
