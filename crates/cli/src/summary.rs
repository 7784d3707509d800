//! The closing lines that `run`, `solve` and `search` share.

use std::io::Write;
use std::time::Duration;

use arcbatt::base::number::count;
use arcbatt::base::time;
use arcbatt::record::Record;
use arcbatt::score::{Rule, Totals};
use arcbatt::{Job, Saved, SubmissionState, Work};

use crate::job::resume_command;
use crate::{Answer, output};

/// The scores under all rules: label and text.
pub(crate) fn scores(totals: &Totals) -> impl Iterator<Item = (&'static str, String)> {
    let text = |rule: Rule| {
        let Some(score) = totals.under(rule) else { return "no solutions known".to_owned() };
        let counts = match rule {
            Rule::Outputs => format!("{} of {} outputs", totals.right_outputs(), totals.outputs()),
            Rule::Fractions => format!("over {}", count(totals.tasks(), "task")),
            Rule::Tasks => format!("{} of {}", totals.right_tasks(), count(totals.tasks(), "task")),
        };
        format!("{} %, {counts}", score.percent())
    };
    Rule::ALL.into_iter().map(move |rule| (rule.label(), text(rule)))
}

/// Number of candidates that a solve or a search tried.
pub(crate) fn tried(record: &Record) -> u64 {
    record.tasks.iter().filter_map(|task| task.search.as_ref()).map(|search| search.tried).sum()
}

/// The candidates of a solve or a search, and how fast they were.
pub(crate) fn throughput(record: &Record, elapsed: Duration) -> String {
    let tried = tried(record);
    let per_second = tried as f64 / elapsed.as_secs_f64().max(1e-3);
    let threads = count(record.environment.threads, "thread");
    format!("{tried} candidates in {}, {per_second:.0} a second on {threads}", time::long(elapsed))
}

/// Prints the written files, how to continue, and bugs.
pub(crate) fn write_notes(
    out: &mut impl Write,
    job: &Job,
    saved: &Saved,
    stopped: bool,
) -> anyhow::Result<()> {
    for bug in arcbatt::exec::bugs() {
        writeln!(out, "note: a bug of batt, please report it: {bug}")?;
    }
    if output::quiet() {
        return Ok(());
    }
    if let Some(submission) = &saved.submission {
        writeln!(out, "note: {}", submission_note(submission, &job.tasks.data))?;
    }
    for path in saved.others() {
        writeln!(out, "note: wrote {}", path.display())?;
    }
    if matches!(job.work, Work::Solve(_)) && job.save.is_empty() {
        writeln!(out, "note: no file was written; -o submission.json writes one")?;
    }
    if stopped {
        writeln!(out, "note: {}", stopped_note(job))?;
    }
    Ok(())
}

/// How to continue a job that was stopped.
fn stopped_note(job: &Job) -> String {
    let option = if matches!(job.work, Work::Solve(_)) { "-o FILE" } else { "--record FILE" };
    match resume_command(job) {
        Some(command) => format!("stopped; to continue: {command}"),
        None => format!("stopped before the end; with {option} it could be continued"),
    }
}

fn submission_note(submission: &SubmissionState, data: &str) -> String {
    let SubmissionState { path, tasks, answered, of, defects } = submission;
    let path = path.display();
    let answers = match tasks - answered {
        0 => "all with answers".to_owned(),
        fallbacks => format!("{answered} with answers, {fallbacks} with fallbacks"),
    };
    match defects {
        0 if submission.is_complete() => {
            format!("{path} can be handed in: it has all {of} tasks of {data}, {answers}")
        }
        0 => format!("{path} is incomplete: it has {tasks} of the {of} tasks of {data}, {answers}"),
        n => format!("{path} has {}, see `batt check {path} {data}`", count(*n, "defect")),
    }
}

/// The answer of a command whose results were `printed`: an error if a file was not written, or programs were not filed.
pub(crate) fn conclude(printed: Answer, saved: Saved) -> Answer {
    let mut failed: Vec<anyhow::Error> = saved.failed.into_iter().map(Into::into).collect();
    match printed {
        Ok(answer) if failed.is_empty() => return Ok(answer),
        Err(error) if !output::is_broken_pipe(&error) => failed.push(error),
        _ => {}
    }
    let mut failed = failed.into_iter();
    let Some(first) = failed.next() else { return Ok(true) };
    failed.for_each(|further| output::error(&format!("{further:#}")));
    Err(first)
}

/// Says on standard error that a job was stopped, where standard output has a JSON document.
pub(crate) fn warn_if_stopped(job: &Job, stopped: bool) {
    if stopped {
        output::warning(&stopped_note(job));
    }
}
