//! The last lines that `run`, `solve` and `search` print.

use std::io::Write;
use std::time::Duration;

use arcbatt::base::number::count;
use arcbatt::base::time;
use arcbatt::record::Record;
use arcbatt::score::{Rule, Totals};
use arcbatt::{Job, Saved, SubmissionState, Work};

use crate::job::resume_command;
use crate::{Answer, output};

/// Returns the scores under all rules: label and text.
pub(crate) fn scores(totals: &Totals) -> impl Iterator<Item = (&'static str, String)> {
    let text = |rule: Rule| {
        let Some(score) = totals.under(rule) else { return "no solutions known".to_owned() };
        let counts = match rule {
            Rule::Outputs => format!("{} of {}", totals.right_outputs(), count(totals.outputs(), "output")),
            Rule::Fractions => format!("over {}", count(totals.tasks(), "task")),
            Rule::Tasks => format!("{} of {}", totals.right_tasks(), count(totals.tasks(), "task")),
        };
        format!("{} %, {counts}", score.percent())
    };
    Rule::ALL.into_iter().map(move |rule| (rule.label(), text(rule)))
}

/// Returns the number of candidates that a solve or a search tried.
pub(crate) fn tried(record: &Record) -> u64 {
    record.tasks.iter().filter_map(|task| task.search.as_ref()).map(|search| search.tried).sum()
}

/// Formats the number of candidates of a solve or a search, and their rate.
pub(crate) fn throughput(record: &Record, elapsed: Duration) -> String {
    let tried = tried(record);
    let per_second = tried as f64 / elapsed.as_secs_f64().max(1e-3);
    let threads = count(record.environment.threads, "thread");
    let candidates = count(tried as usize, "candidate");
    format!("{candidates} in {}, {per_second:.0} per second on {threads}", time::long(elapsed))
}

/// Prints the first line of a summary, if other work disturbed the recording.
pub(crate) fn write_disturbance(out: &mut impl Write, saved: &Saved) -> anyhow::Result<()> {
    match &saved.disturbed {
        Some(warning) if !output::quiet() => Ok(writeln!(out, "{warning}")?),
        _ => Ok(()),
    }
}

/// Prints bugs, the files that were written, and how to continue.
pub(crate) fn write_notes(
    out: &mut impl Write,
    job: &Job,
    saved: &Saved,
    stopped: bool,
) -> anyhow::Result<()> {
    for bug in arcbatt::exec::bugs() {
        writeln!(out, "note: bug in batt, please report it: {bug}")?;
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
        writeln!(out, "note: no file was written; use -o submission.json to write a submission")?;
    }
    if stopped {
        writeln!(out, "note: {}", stopped_note(job))?;
    }
    Ok(())
}

/// Describes how to continue a job that was stopped.
fn stopped_note(job: &Job) -> String {
    let option = if matches!(job.work, Work::Solve(_)) { "-o FILE" } else { "--record FILE" };
    match resume_command(job) {
        Some(command) => format!("stopped; to continue: {command}"),
        None => format!("stopped early; use {option} to be able to resume"),
    }
}

fn submission_note(submission: &SubmissionState, data: &str) -> String {
    let SubmissionState { path, tasks, answered, of, shard, defects } = submission;
    let path = path.display();
    let answers = match tasks - answered {
        0 if *tasks == 0 => "no answers".to_owned(),
        0 => "all with answers".to_owned(),
        fallbacks => format!("{answered} with answers, {fallbacks} with fallbacks"),
    };
    if let (Some(shard), 0) = (shard, defects) {
        let tasks = count(*tasks, "task");
        return format!("{path} is {shard}: {tasks} of {data}, {answers}; `batt merge` joins the shards");
    }
    match defects {
        0 if submission.is_complete() => {
            format!("{path} is ready to submit: all {} of {data}, {answers}", count(*of, "task"))
        }
        0 => format!("{path} is incomplete: {tasks} of {} of {data}, {answers}", count(*of, "task")),
        n => format!("{path} has {}; see `batt check {path} {data}`", count(*n, "defect")),
    }
}

/// Returns the answer of a command after its results were `printed`: an error if a file could not be written, or
/// programs could not be stored.
pub(crate) fn conclude(printed: Answer, saved: Saved) -> Answer {
    let mut failed: Vec<anyhow::Error> = saved.failed.into_iter().map(Into::into).collect();
    match printed {
        Ok(answer) if failed.is_empty() => return Ok(answer),
        Err(error) if !output::is_broken_pipe(&error) => failed.push(error),
        _ => {}
    }
    let mut failed = failed.into_iter();
    let Some(first) = failed.next() else { return Ok(true) };
    failed.for_each(|other| output::error(&format!("{other:#}")));
    Err(first)
}

/// Warns on standard error that a job was stopped, for commands that print JSON on standard output.
pub(crate) fn warn_if_stopped(job: &Job, stopped: bool) {
    if stopped {
        output::warning(&stopped_note(job));
    }
}
