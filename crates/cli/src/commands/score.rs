//! `batt score`

use std::io::Write;
use std::path::PathBuf;

use arcbatt::base::number::count;
use arcbatt::record;
use arcbatt::score::{OutputScore, Ratio, Rule, Scores, TaskScore};
use arcbatt::task::submission::Submission;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::data::DataArgs;
use crate::{Answer, files, output};

const EXAMPLES: &str = "\
Examples:
  batt score submission.json arc2-evaluation
  batt score submission.json arc2-evaluation --verbose";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Submission: Kaggle's submission.json or the CSV format of 2020; `-` is standard input
    submission: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// List the result of every attempt
    #[arg(long, short)]
    verbose: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Answer {
    let submission = files::submission(&args.submission)?;
    let dataset = args.data.open()?;
    let problems = submission.check(dataset.tasks.iter().map(|task| (task.id.as_str(), task.test.len())));
    let report = Report {
        file: files::label(&args.submission),
        data: args.data.data.clone(),
        scores: output::phase("score", || Scores::open(&submission, &dataset.tasks)),
        n_attempts: n_attempts(&submission),
        defects: problems.len(),
        submission,
    };
    if args.json {
        output::json(report.document(args.verbose)?)?;
    } else {
        report.print(args.verbose)?;
    }
    Ok(true)
}

/// Returns the largest number of attempts for an output, at least two as in Kaggle's format.
fn n_attempts(submission: &Submission) -> usize {
    submission.iter().flat_map(|(_, outputs)| outputs).map(Vec::len).max().unwrap_or(0).max(2)
}

struct Report {
    file: String,
    data: String,
    submission: Submission,
    scores: Scores,
    n_attempts: usize,
    defects: usize,
}

impl Report {
    fn print(&self, verbose: bool) -> anyhow::Result<()> {
        let mut out = output::stdout();
        if verbose {
            for task in &self.scores.tasks {
                for (k, score) in task.outputs.iter().enumerate() {
                    writeln!(out, "{}, output {k}: {}", task.id, describe(score))?;
                }
            }
            writeln!(out)?;
        }
        let Report { scores, .. } = self;
        if scores.tasks.is_empty() {
            writeln!(out, "nothing to score: no task of {} has solutions", self.data)?;
        } else {
            for rule in Rule::ALL {
                let score = scores.under(rule).unwrap_or(Ratio::ZERO);
                let exact = self.exact(rule, score);
                writeln!(out, "{:<33} {:>6} %   {exact}", rule.label(), score.percent())?;
            }
            writeln!(out)?;
            for attempt in 0..self.n_attempts {
                let right = count(scores.right_by(attempt), "output");
                write!(out, "attempt_{} is right for {right}", attempt + 1)?;
                match scores.first_right_by(attempt) {
                    n if n > 0 && attempt > 0 => writeln!(out, ", {n} that no earlier attempt got right")?,
                    _ => writeln!(out)?,
                }
            }
        }
        self.print_notes(&mut out)?;
        Ok(out.flush()?)
    }

    /// Formats a score as a fraction.
    fn exact(&self, rule: Rule, score: Ratio) -> String {
        let scores = &self.scores;
        match rule {
            Rule::Outputs => format!("{} of {}", scores.right_outputs(), scores.outputs()),
            Rule::Fractions => format!("{}/{}", score.numerator(), score.denominator()),
            Rule::Tasks => format!("{} of {}", scores.right_tasks(), scores.tasks.len()),
        }
    }

    fn print_notes(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let mut note = |ids: &[&str], what: &str| -> anyhow::Result<()> {
            if !ids.is_empty() {
                let tasks = count(ids.len(), "task");
                output::note(out, format_args!("{tasks} {what}: {}", some(ids)))?;
            }
            Ok(())
        };
        let unsolved: Vec<_> = self.scores.unsolved.iter().map(String::as_str).collect();
        note(&unsolved, "without solutions, not counted")?;
        note(&self.unanswered(), "not in the submission, counted as wrong")?;
        if self.defects > 0 {
            let defects = count(self.defects, "defect");
            let check = format_args!("batt check {} {}", self.file, self.data);
            output::note(out, format_args!("the submission has {defects}; see `{check}`"))?;
        }
        Ok(())
    }

    fn unanswered(&self) -> Vec<&str> {
        let tasks = self.scores.tasks.iter().filter(|task| !task.answered);
        tasks.map(|task| task.id.as_str()).collect()
    }

    fn document(&self, verbose: bool) -> anyhow::Result<Document> {
        let Report { scores, .. } = self;
        let rule = |(rule, score): (Rule, record::Score)| {
            let percent =
                scores.under(rule).map(|score| RawValue::from_string(score.percent())).transpose()?;
            Ok(RuleEntry { score, percent })
        };
        let rules = Rule::ALL.into_iter().zip(record::scores(&scores.totals()));
        let attempt = |attempt: usize| AttemptEntry {
            attempt: format!("attempt_{}", attempt + 1),
            right: scores.right_by(attempt),
            new: scores.first_right_by(attempt),
        };
        let per_task = || scores.tasks.iter().map(task_entry).collect::<anyhow::Result<Vec<_>>>();
        Ok(Document {
            submission: self.file.clone(),
            form: self.submission.form.name(),
            tasks: scores.tasks.len(),
            outputs: scores.outputs(),
            rules: rules.map(rule).collect::<anyhow::Result<_>>()?,
            attempts: (0..self.n_attempts).map(attempt).collect(),
            unsolved: scores.unsolved.clone(),
            unanswered: self.unanswered().into_iter().map(str::to_owned).collect(),
            defects: self.defects,
            per_task: verbose.then(per_task).transpose()?,
        })
    }
}

/// The score of a submission.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document {
    /// Path of the submission.
    submission: String,
    /// `json` (Kaggle) or `csv` (the format of 2020).
    form: &'static str,
    /// Tasks that count: all their test outputs are known.
    tasks: usize,
    /// Test outputs of these tasks.
    outputs: usize,
    /// The score under each rule.
    rules: Vec<RuleEntry>,
    /// Right outputs by attempt.
    attempts: Vec<AttemptEntry>,
    /// Ids of tasks without solutions; they do not count.
    unsolved: Vec<String>,
    /// Ids of tasks that are not in the submission; they count as wrong.
    unanswered: Vec<String>,
    /// Number of defects that `batt check` reports.
    defects: usize,
    /// The result of every attempt. Absent without `--verbose`.
    #[serde(skip_serializing_if = "Option::is_none")]
    per_task: Option<Vec<TaskEntry>>,
}

/// The score under one rule.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "RuleScore")]
struct RuleEntry {
    #[serde(flatten)]
    score: record::Score,
    /// The score in percent, rounded down. Null if no solution is known.
    #[schemars(with = "Option<f64>")]
    percent: Option<Box<RawValue>>,
}

/// Right outputs of one attempt.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "AttemptCounts")]
struct AttemptEntry {
    /// `attempt_1`, `attempt_2`, …
    attempt: String,
    /// Outputs that it gets right.
    right: usize,
    /// Outputs that it gets right and no earlier attempt does.
    new: usize,
}

/// The attempts at one task.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ScoredTask")]
struct TaskEntry {
    /// Id of the task.
    id: String,
    /// Outputs with a right attempt.
    right: usize,
    /// Number of test outputs.
    of: usize,
    /// The attempts for each output; null for a missing attempt.
    outputs: Vec<Vec<Option<Attempt>>>,
}

/// An attempt, and how close it is to the solution. Numbers are from 0 to 1.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ScoredAttempt")]
struct Attempt {
    /// `ok`, `wrong` or `wrong_shape`.
    verdict: &'static str,
    /// Graded score: 1 is the solution, 0 is no closer than the input.
    #[schemars(with = "f64")]
    score: Box<RawValue>,
    /// Closeness to the solution: the weighted mean of the four numbers below.
    #[schemars(with = "f64")]
    closeness: Box<RawValue>,
    /// Overlap of the shapes.
    #[schemars(with = "f64")]
    shape: Box<RawValue>,
    /// Overlap of the colours.
    #[schemars(with = "f64")]
    palette: Box<RawValue>,
    /// Share of equal cells.
    #[schemars(with = "f64")]
    cells: Box<RawValue>,
    /// Share of the solution's objects that are in the attempt.
    #[schemars(with = "f64")]
    objects: Box<RawValue>,
}

fn task_entry(task: &TaskScore) -> anyhow::Result<TaskEntry> {
    let number = |ratio: Ratio| RawValue::from_string(ratio.to_string());
    let output = |output: &OutputScore| {
        let attempts = output.attempts.iter().map(|attempt| {
            let Some((verdict, graded)) = attempt else { return Ok(None) };
            Ok(Some(Attempt {
                verdict: verdict.name(),
                score: number(graded.score())?,
                closeness: number(graded.answer.total())?,
                shape: number(graded.answer.shape())?,
                palette: number(graded.answer.palette())?,
                cells: number(graded.answer.cells())?,
                objects: number(graded.answer.objects())?,
            }))
        });
        attempts.collect::<anyhow::Result<Vec<_>>>()
    };
    Ok(TaskEntry {
        id: task.id.clone(),
        right: task.right(),
        of: task.outputs.len(),
        outputs: task.outputs.iter().map(output).collect::<anyhow::Result<_>>()?,
    })
}

/// Formats the result of an output: `right; attempt_1 wrong (0.8125), attempt_2 ok`.
fn describe(score: &OutputScore) -> String {
    let mut text = if score.right_attempt().is_some() { "right" } else { "wrong" }.to_owned();
    for (n, attempt) in score.attempts.iter().enumerate() {
        text += &format!("{} attempt_{} ", if n == 0 { ";" } else { "," }, n + 1);
        text += &match attempt {
            None => "missing".to_owned(),
            Some((verdict, _)) if verdict.is_right() => verdict.to_string(),
            Some((verdict, graded)) => format!("{verdict} ({})", graded.score()),
        };
    }
    if score.attempts.is_empty() {
        text += "; no attempts";
    }
    text
}

/// Lists the first few ids.
fn some(ids: &[&str]) -> String {
    const SHOWN: usize = 8;
    let shown = ids[..ids.len().min(SHOWN)].join(", ");
    if ids.len() > SHOWN { format!("{shown} and {} more", ids.len() - SHOWN) } else { shown }
}
