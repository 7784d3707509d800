//! `batt score`

use std::io::Write;
use std::path::PathBuf;

use arcbatt::base::number::count;
use arcbatt::score::{OutputScore, Ratio, Rule, Scores, TaskScore};
use arcbatt::task::submission::Submission;
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

/// The most attempts that any output has, at least the two of Kaggle's form.
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
                    n if n > 0 && attempt > 0 => writeln!(out, ", {n} of them by no earlier attempt")?,
                    _ => writeln!(out)?,
                }
            }
        }
        self.print_notes(&mut out)?;
        Ok(out.flush()?)
    }

    /// A score before it is made a percentage.
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
            output::note(out, format_args!("the submission has {defects}, see `{check}`"))?;
        }
        Ok(())
    }

    fn unanswered(&self) -> Vec<&str> {
        let tasks = self.scores.tasks.iter().filter(|task| !task.answered);
        tasks.map(|task| task.id.as_str()).collect()
    }

    fn document(&self, verbose: bool) -> anyhow::Result<impl Serialize> {
        #[derive(Serialize)]
        struct Document {
            submission: String,
            form: &'static str,
            tasks: usize,
            outputs: usize,
            rules: Vec<RuleEntry>,
            attempts: Vec<AttemptEntry>,
            unsolved: Vec<String>,
            unanswered: Vec<String>,
            defects: usize,
            #[serde(skip_serializing_if = "Option::is_none")]
            per_task: Option<Vec<TaskEntry>>,
        }
        #[derive(Serialize)]
        struct RuleEntry {
            rule: &'static str,
            label: &'static str,
            numerator: Option<u64>,
            denominator: Option<u64>,
            percent: Option<Box<RawValue>>,
        }
        #[derive(Serialize)]
        struct AttemptEntry {
            attempt: String,
            right: usize,
            new: usize,
        }
        let Report { scores, .. } = self;
        let rule = |rule: Rule| {
            let score = scores.under(rule);
            Ok(RuleEntry {
                rule: rule.name(),
                label: rule.label(),
                numerator: score.map(Ratio::numerator),
                denominator: score.map(Ratio::denominator),
                percent: score.map(|score| RawValue::from_string(score.percent())).transpose()?,
            })
        };
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
            rules: Rule::ALL.into_iter().map(rule).collect::<anyhow::Result<_>>()?,
            attempts: (0..self.n_attempts).map(attempt).collect(),
            unsolved: scores.unsolved.clone(),
            unanswered: self.unanswered().into_iter().map(str::to_owned).collect(),
            defects: self.defects,
            per_task: verbose.then(per_task).transpose()?,
        })
    }
}

#[derive(Serialize)]
struct TaskEntry {
    id: String,
    right: usize,
    of: usize,
    outputs: Vec<Vec<Option<Attempt>>>,
}

#[derive(Serialize)]
struct Attempt {
    verdict: &'static str,
    score: Box<RawValue>,
    closeness: Box<RawValue>,
    shape: Box<RawValue>,
    palette: Box<RawValue>,
    cells: Box<RawValue>,
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

/// `right; attempt_1 wrong (0.8125), attempt_2 ok`
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
        text += "; no attempt";
    }
    text
}

/// The first few of many ids.
fn some(ids: &[&str]) -> String {
    const SHOWN: usize = 8;
    let shown = ids[..ids.len().min(SHOWN)].join(", ");
    if ids.len() > SHOWN { format!("{shown} and {} more", ids.len() - SHOWN) } else { shown }
}
