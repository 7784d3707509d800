//! `batt data generate`

use std::io::Write;
use std::path::{Path, PathBuf};

use arcbatt::base::number;
use arcbatt::task::demo::{generate, rules};
use arcbatt::task::series::{write_challenges, write_folder, write_task};
use arcbatt::task::{Pair, Task};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::{Answer, files, output};

const EXAMPLES: &str = "\
Examples:
  batt data generate --seed 7 --count 1000 -o tasks
  batt data generate --count 10 > tasks.jsonl";

/// Generate new tasks from the rules of the built-in set
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Seed; the same seed gives the same tasks
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of tasks; the default is one for each rule
    #[arg(long, value_name = "N", default_value_t = rules().len() as u64)]
    count: u64,
    /// Write a new folder of task files, or NAME_challenges.json and NAME_solutions.json; `-` prints one task per
    /// line
    #[arg(short, long, value_name = "FOLDER|FILE.json", default_value = "-")]
    output: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Answer {
    let series = Series { seed: args.seed, count: args.count };
    if !files::is_standard(&args.output) {
        write(args, &args.output, series.tasks())?;
    } else if args.json {
        output::json(TasksDocument { seed: args.seed, tasks: series })?;
    } else {
        print(series.tasks())?;
    }
    Ok(true)
}

fn write(args: &Args, path: &Path, tasks: impl Iterator<Item = Task>) -> anyhow::Result<()> {
    let (count, solutions) = if path.extension().is_some_and(|extension| extension == "json") {
        let (count, solutions) = write_challenges(path, tasks)?;
        (count, Some(solutions))
    } else {
        (write_folder(path, tasks)?, None)
    };
    let solutions = solutions.map(|path| path.display().to_string());
    let written = path.display().to_string();
    if args.json {
        return output::json(WrittenDocument { seed: args.seed, tasks: count, written, solutions });
    }
    let mut out = output::stdout();
    let solutions = solutions.map_or(String::new(), |path| format!(", solutions to {path}"));
    writeln!(out, "wrote {} to {written}{solutions}", number::count(count as usize, "task"))?;
    Ok(out.flush()?)
}

/// Prints one task per line, so that a pipe can read the first before the last is generated.
fn print(tasks: impl Iterator<Item = Task>) -> anyhow::Result<()> {
    let mut out = output::stdout();
    for task in tasks {
        let mut text = Vec::new();
        write_task(&mut text, &task)?;
        // The id is inserted before the first field, after the opening brace.
        write!(out, "{{\"id\":{},", serde_json::to_string(&task.id)?)?;
        out.write_all(&text[1..])?;
        writeln!(out)?;
    }
    Ok(out.flush()?)
}

/// Generated tasks that were written to files.
#[derive(JsonSchema, Serialize)]
pub(crate) struct WrittenDocument {
    /// The seed.
    seed: u64,
    /// Number of tasks.
    tasks: u64,
    /// Folder or file of the tasks.
    written: String,
    /// File of the solutions. Absent for a folder, which holds them.
    #[serde(skip_serializing_if = "Option::is_none")]
    solutions: Option<String>,
}

/// Generated tasks.
#[derive(JsonSchema, Serialize)]
pub(crate) struct TasksDocument {
    /// The seed.
    seed: u64,
    /// The tasks.
    #[schemars(with = "Vec<TaskEntry>")]
    tasks: Series,
}

/// Tasks that are generated while they are written.
struct Series {
    seed: u64,
    count: u64,
}

impl Series {
    fn tasks(&self) -> impl Iterator<Item = Task> + use<> {
        generate(self.seed, self.count)
    }
}

impl Serialize for Series {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.tasks().map(TaskEntry::from))
    }
}

/// A task.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "GeneratedTask")]
struct TaskEntry {
    /// Id of the task.
    id: String,
    /// The demonstration pairs.
    train: Vec<PairEntry>,
    /// The test pairs.
    test: Vec<PairEntry>,
}

/// An input grid and its output grid.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "GeneratedPair")]
struct PairEntry {
    /// Rows of colours.
    input: Vec<Vec<i8>>,
    /// Rows of colours.
    output: Option<Vec<Vec<i8>>>,
}

impl From<Task> for TaskEntry {
    fn from(task: Task) -> TaskEntry {
        let entries = |pairs: Vec<Pair>| pairs.iter().map(PairEntry::from).collect();
        TaskEntry { id: task.id, train: entries(task.train), test: entries(task.test) }
    }
}

impl From<&Pair> for PairEntry {
    fn from(pair: &Pair) -> PairEntry {
        let rows = |grid: &arcbatt::task::Grid| grid.rows().map(<[i8]>::to_vec).collect();
        PairEntry { input: rows(&pair.input), output: pair.output.as_ref().map(rows) }
    }
}
