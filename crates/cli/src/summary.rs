//! What `run`, `solve` and `search` print alike at their end.

use std::io::Write;
use std::time::Duration;

use arcbatt::base::number::count;
use arcbatt::base::time;
use arcbatt::record::Record;
use arcbatt::score::{Rule, Totals};
use arcbatt::{Job, Saved, SubmissionState};

use crate::job::resume_command;
use crate::output;

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

/// What was written, how to continue, and bugs.
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
    for path in [&saved.record, &saved.report, &saved.programs].into_iter().flatten() {
        writeln!(out, "note: wrote {}", path.display())?;
    }
    if saved.files().is_empty() && matches!(job.work, arcbatt::Work::Solve(_)) {
        writeln!(out, "note: no file was written; -o submission.json writes one")?;
    }
    if stopped {
        match resume_command(job) {
            Some(command) => writeln!(out, "note: stopped; to continue: {command}")?,
            None => writeln!(
                out,
                "note: stopped before the end; --record FILE keeps what is done, to continue later"
            )?,
        }
    }
    Ok(())
}

fn submission_note(submission: &SubmissionState, data: &str) -> String {
    let SubmissionState { path, tasks, of, defects } = submission;
    let path = path.display();
    match defects {
        0 if submission.is_complete() => {
            format!("{path} can be handed in: it answers all {of} tasks of {data}")
        }
        0 => format!("{path} is a part: it answers {tasks} of the {of} tasks of {data}"),
        n => format!("{path} has {}, see `batt check {path} {data}`", count(*n, "defect")),
    }
}
