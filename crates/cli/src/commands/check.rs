//! `batt check`

use std::io::Write;
use std::path::PathBuf;

use arcbatt::base::number::count;
use arcbatt::task::submission::{Problem, Submission};
use schemars::JsonSchema;
use serde::Serialize;

use crate::data::DataArgs;
use crate::{Answer, files, output};

const EXAMPLES: &str = "\
Examples:
  batt check submission.json arc2-evaluation
  batt check - arc2-evaluation < submission.json";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Submission: Kaggle's submission.json or the CSV format of 2020; `-` is standard input
    submission: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Answer {
    let submission = files::submission(&args.submission)?;
    let dataset = args.data.open()?;
    let tasks = || dataset.tasks.iter().map(|task| (task.id.as_str(), task.test.len()));
    let report = Report {
        file: files::label(&args.submission),
        problems: submission.check(tasks()),
        tasks: dataset.tasks.len(),
        outputs: tasks().map(|(_, outputs)| outputs).sum(),
        submission,
    };
    if args.json {
        output::json(report.document())?;
    } else {
        report.print()?;
    }
    Ok(report.problems.is_empty())
}

/// The defects of a submission.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document {
    /// Path of the submission.
    submission: String,
    /// `json` (Kaggle) or `csv` (the format of 2020).
    form: &'static str,
    /// True if there are no defects.
    valid: bool,
    /// Number of tasks of the data set.
    tasks: usize,
    /// Number of test outputs of the data set.
    outputs: usize,
    /// Outputs with two equal attempts.
    equal_attempts: usize,
    /// The defects.
    defects: Vec<Defect>,
}

/// A defect of a submission.
#[derive(JsonSchema, Serialize)]
struct Defect {
    /// Kind of defect, such as `missing_id`, `output_count` or `bad_grid`.
    kind: &'static str,
    /// Id of the task.
    id: String,
    /// Number of the output, from 0. Absent if the defect concerns the whole task.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<usize>,
    /// `attempt_1`, `attempt_2`, … Absent if the defect concerns the whole output.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<String>,
    /// The defect in words.
    text: String,
}

struct Report {
    file: String,
    submission: Submission,
    problems: Vec<Problem>,
    tasks: usize,
    outputs: usize,
}

impl Report {
    fn print(&self) -> anyhow::Result<()> {
        let mut out = output::stdout();
        for problem in &self.problems {
            writeln!(out, "{problem}")?;
        }
        let Report { file, tasks, outputs, .. } = self;
        match self.problems.len() {
            0 => writeln!(
                out,
                "{file}: no defects; {} with {}",
                count(*tasks, "task"),
                count(*outputs, "test input")
            )?,
            n => writeln!(out, "{file}: {}", count(n, "defect"))?,
        }
        match self.submission.equal_attempts() {
            0 => {}
            n => {
                let outputs = count(n, "output");
                output::note(
                    &mut out,
                    format_args!(
                        "both attempts are equal for {outputs}; a different second attempt costs nothing"
                    ),
                )?;
            }
        }
        Ok(out.flush()?)
    }

    fn document(&self) -> Document {
        let defect = |problem: &Problem| Defect {
            kind: problem.defect.name(),
            id: problem.place.id.clone(),
            output: problem.place.output,
            attempt: problem.place.attempt.map(|attempt| format!("attempt_{}", attempt + 1)),
            text: problem.defect.to_string(),
        };
        Document {
            submission: self.file.clone(),
            form: self.submission.form.name(),
            valid: self.problems.is_empty(),
            tasks: self.tasks,
            outputs: self.outputs,
            equal_attempts: self.submission.equal_attempts(),
            defects: self.problems.iter().map(defect).collect(),
        }
    }
}
