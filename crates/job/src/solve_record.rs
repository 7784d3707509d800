//! The record of a solve: the programs behind its attempts, with their answers.

use std::sync::atomic::AtomicBool;

use batt_dsl::Limits;
use batt_lang::{parse, print};
use batt_plan::Plan;
use batt_record::{
    self as record, Attempt, Made, Outcome, Pair, Program, Record, Right, Rows, TaskSearch, VerdictCount,
};
use batt_resolve::{Resolution, resolve};
use batt_score::Verdict;
use batt_search::{Answer, Progress};
use batt_task::{Grid, Task};

use crate::campaign::{final_outputs, is_done};
use crate::document::example;

/// Fills in tasks, programs and verdicts. Test pairs without a known output are not judged.
pub(crate) fn fill<'t>(
    head: Record,
    tasks: impl IntoIterator<Item = (&'t Task, Progress)>,
    fuel: Option<u64>,
) -> Record {
    let mut builder = RecordBuilder { record: head, fuel };
    for (task, progress) in tasks {
        let entry = builder.task(task, &progress);
        builder.record.tasks.push(entry);
    }
    let mut record = builder.record;
    let programs: Vec<_> = record.programs.iter().flat_map(|it| parse(&it.text).programs).collect();
    record.plan = Plan::merge(&programs).counts().into();
    record.right.all = record.right.programs > 0;
    record
}

/// Returns the entry of one task and its programs. The entry refers to programs by their index. Unlike in a record, a task
/// without programs has attempts too: fallbacks.
pub(crate) fn entry_of(task: &Task, progress: &Progress, fuel: Option<u64>) -> (record::Task, Vec<Program>) {
    let mut builder = RecordBuilder { record: Record::default(), fuel };
    let mut entry = builder.task(task, progress);
    entry.attempts = attempt_rows(&final_outputs(task, &progress.attempts(task.test.len())));
    (entry, builder.record.programs)
}

fn attempt_rows(outputs: &[[Grid; 2]]) -> Vec<[Rows; 2]> {
    outputs.iter().map(|both| [record::rows(&both[0]), record::rows(&both[1])]).collect()
}

/// Returns the text of a file with the programs behind the attempts.
pub(crate) fn exported(record: &Record) -> String {
    record.programs.iter().map(|program| entry(program, None, &program.text)).collect()
}

/// The same with learned rules written out, where that is possible, and a comment on each program.
pub(crate) fn exported_resolved(record: &Record, tasks: &[Task], stop: &AtomicBool) -> String {
    let mut text = String::new();
    for (found, task) in record.tasks.iter().zip(tasks) {
        for outcome in &found.programs {
            let program = &record.programs[outcome.program as usize];
            let Some(parsed) = parse(&program.text).programs.into_iter().next() else { continue };
            let resolution = resolve(&parsed, task, Limits::STANDARD, Some(stop));
            let comment = resolution.comment(task);
            match &resolution {
                Resolution::Resolved { program: written, .. } => {
                    text += &entry(program, Some(&comment), &print(written));
                }
                _ => text += &entry(program, Some(&comment), &program.text),
            }
        }
    }
    text
}

/// A program of the file: its rule in words, a comment, its text.
fn entry(program: &Program, comment: Option<&str>, text: &str) -> String {
    let words = program.made.as_ref().and_then(|made| made.words.as_deref()).unwrap_or_default();
    let comment = comment.map_or_else(String::new, |comment| format!("# {comment}\n"));
    format!("# {words}\n{comment}{text}\n\n")
}

struct RecordBuilder {
    record: Record,
    fuel: Option<u64>,
}

impl RecordBuilder {
    fn task(&mut self, task: &Task, progress: &Progress) -> record::Task {
        let attempts = progress.attempts(task.test.len());
        // Answers behind the attempts, in the order of the attempts.
        let mut leaders: Vec<usize> = Vec::new();
        for attempt in attempts.iter().flat_map(|output| &output.attempts) {
            if !leaders.contains(&attempt.answer) {
                leaders.push(attempt.answer);
            }
        }
        let first = self.record.programs.len();
        let place = |answer: usize| leaders.iter().position(|it| *it == answer).unwrap_or(0);
        let stated = attempts.iter().map(|output| {
            let attempts = output.attempts.iter().map(|attempt| Attempt {
                program: (first + place(attempt.answer)) as u32,
                votes: attempt.votes,
                sure: f64::from(attempt.sure) / 1000.0,
            });
            attempts.collect()
        });
        let search = TaskSearch {
            fuel: progress.fuel,
            tried: progress.tried,
            done: is_done(progress, task.test.len(), self.fuel),
            solved: !leaders.is_empty(),
            next_phase: (!progress.ended).then(|| progress.phase.to_string()),
            score_before: None,
            score: None,
            attempts: stated.collect(),
        };
        let outputs = final_outputs(task, &attempts);
        let programs = leaders.iter().enumerate();
        let programs =
            programs.map(|(n, leader)| self.program(task, n, &progress.answers[*leader])).collect();
        record::Task {
            id: task.id.clone(),
            hash: task.content_hash().to_string(),
            train: task.train.iter().map(example).collect(),
            test: task.test.iter().map(example).collect(),
            attempts: if search.solved { attempt_rows(&outputs) } else { Vec::new() },
            programs,
            search: Some(search),
            first_wrong_line: None,
        }
    }

    /// Adds the `n`-th program of a task, which is right on all demonstration pairs.
    fn program(&mut self, task: &Task, n: usize, answer: &Answer) -> Outcome {
        let (name, text) = named(&task.id, n, &answer.program);
        let hash = parse(&text).programs.first().map(|it| it.hash().to_string()).unwrap_or_default();
        let words = Some(answer.words.to_string().replace('\n', " "));
        let made = Some(Made { operator: answer.mechanism.name().to_owned(), parents: Vec::new(), words });
        self.record.programs.push(Program { name, hash, text, made });
        let train: Vec<Pair> = task.train.iter().map(|_| self.pair(Verdict::Right, None)).collect();
        let mut test = Vec::with_capacity(task.test.len());
        for (pair, output) in task.test.iter().zip(&answer.outputs) {
            let verdict = match (output, &pair.output) {
                (None, _) => Verdict::NotAGrid,
                (Some(_), None) => Verdict::Unjudged,
                (Some(output), Some(expected)) if output == expected => Verdict::Right,
                (Some(output), Some(expected)) if shape(output) != shape(expected) => Verdict::WrongShape,
                _ => Verdict::Wrong,
            };
            let answer = output.as_ref().filter(|_| verdict != Verdict::Right).map(record::rows);
            test.push(self.pair(verdict, answer));
        }
        let Right { programs, on_demos, on_tests, on_all, .. } = &mut self.record.right;
        *programs += 1;
        *on_demos += 1;
        *on_tests += usize::from(test.iter().all(Pair::is_right));
        // A found program counts as right if it is right on the demonstration pairs, because test outputs were sealed.
        *on_all += 1;
        Outcome { program: self.record.programs.len() as u32 - 1, own: true, train, test }
    }

    fn pair(&mut self, verdict: Verdict, answer: Option<Rows>) -> Pair {
        count(&mut self.record.verdicts, verdict.name());
        Pair { verdict: verdict.name().to_owned(), fuel: None, why: None, answer }
    }
}

/// Counts a verdict.
pub(crate) fn count(verdicts: &mut Vec<VerdictCount>, verdict: &str) {
    match verdicts.iter_mut().find(|it| it.verdict == verdict) {
        Some(known) => known.count += 1,
        None => verdicts.push(VerdictCount { verdict: verdict.to_owned(), count: 1 }),
    }
}

/// Returns name and text of the `n`-th program of a task. Names are unique and end with the id of the task.
fn named(id: &str, n: usize, text: &str) -> (String, String) {
    let own = batt_search::program_name(id);
    let name = if n == 0 { own } else { own.replacen("solve", &format!("attempt_{}", n + 1), 1) };
    let head = text.find('(').unwrap_or(0);
    let text = format!("def {name}{}", &text[head..]);
    (name, text)
}

fn shape(grid: &Grid) -> (usize, usize) {
    (grid.height(), grid.width())
}
