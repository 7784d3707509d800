//! Measures whole commands: the processor time of their processes, from start to end.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use batt_task::{Dataset, series};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::machine::{Machine, time_of_children};
use crate::reference::{ReferenceError, check_checkout};
use crate::spread::Spread;
use crate::work::HEAVY;

/// The script that does the same in CPython.
const SCRIPT: &str = include_str!("whole.py");

/// Whole commands and their processor times.
#[derive(Debug, JsonSchema, Serialize)]
pub struct WholeFigures {
    /// The machine.
    pub machine: Machine,
    /// Version of batt.
    pub version: &'static str,
    /// Number of rounds. The commands of a round run one after the other, in the order of the rows.
    pub rounds: usize,
    /// Number of times that a round runs each command of batt.
    pub passes: usize,
    /// Programs of batt that are right on all pairs of their task.
    pub right: usize,
    /// Programs that are named after a task.
    pub programs: usize,
    /// The same in CPython. Absent without `--reference`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<WholeReference>,
    /// The commands.
    pub rows: Vec<WholeRow>,
}

impl WholeFigures {
    /// Returns whether batt has as many right programs as CPython, or only right ones without a reference.
    pub fn valid(&self) -> bool {
        self.right >= self.reference.as_ref().map_or(self.programs, |reference| reference.right)
    }
}

/// The run in CPython.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
pub struct WholeReference {
    /// Version of CPython.
    pub version: String,
    /// Programs that are right on all pairs of their task.
    pub right: usize,
    /// Programs that are named after a task.
    pub programs: usize,
}

/// A command and its processor time.
#[derive(Debug, JsonSchema, Serialize)]
pub struct WholeRow {
    /// The command, or what it does.
    pub command: String,
    /// Processor time of batt for one command, over the rounds.
    pub batt: Spread,
    /// Processor time of CPython for the same. Absent if there is no counterpart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpython: Option<Spread>,
    /// The time of CPython as a multiple of that of batt: the median over the rounds, each with its own ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

/// Why whole commands cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum WholeError {
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    #[error("cannot write the tasks to {}: {error}", .folder.display())]
    Write { folder: PathBuf, error: series::WriteError },
    #[error("cannot run {command}: {error}")]
    Run { command: String, error: io::Error },
    #[error("{command} failed: {message}")]
    Failed { command: String, message: String },
    #[error("this system does not report the processor time of other processes")]
    NoClock,
}

/// The commands to measure, and their inputs.
pub struct WholeSetup<'s> {
    /// The program `batt`.
    pub batt: &'s Path,
    pub dataset: &'s Dataset,
    pub programs: &'s Path,
    /// An empty or missing folder for files of the measurement.
    pub folder: &'s Path,
    pub rounds: usize,
    /// CPython and the checkout of arc-dsl.
    pub reference: Option<(&'s str, &'s Path)>,
    /// Called before each command.
    pub progress: &'s dyn Fn(&str),
}

/// Number of times that a round runs each command of batt. One run takes only milliseconds.
const PASSES: usize = 10;

/// Measures whole commands.
pub fn measure_whole(setup: &WholeSetup<'_>) -> Result<WholeFigures, WholeError> {
    let WholeSetup { dataset, programs, folder, rounds, .. } = *setup;
    setup.reference.map_or(Ok(()), |(_, checkout)| check_checkout(checkout))?;
    let write = |name: &str, heavy: bool| {
        let path = folder.join(name);
        let tasks = dataset.tasks.iter().filter(|task| heavy || task.id != HEAVY).cloned();
        series::write_folder(&path, tasks)
            .map_err(|error| WholeError::Write { folder: path.clone(), error })?;
        Ok::<PathBuf, WholeError>(path)
    };
    let all = write("all", true)?;
    let light =
        dataset.tasks.iter().any(|task| task.id == HEAVY).then(|| write("light", false)).transpose()?;
    let batt = |args: &[&str], files: &[&Path]| {
        let mut command = Command::new(setup.batt);
        command.args(args).args(files);
        // Neither calibrations nor other files of the user take part.
        command.env("ARCBATT_DATA", folder.join("data"));
        command
    };
    let run = |tasks: &Path, options: &[&str]| {
        let mut command = batt(&["run"], &[tasks]);
        command.args(["--threads", "1"]).args(options).arg("--programs").arg(programs);
        command
    };
    let python = |tasks: &Path| {
        setup.reference.map(|(python, checkout)| {
            let mut command = Command::new(python);
            command.args(["-c", SCRIPT]).args([checkout, programs, tasks]);
            // Leave no __pycache__ in the user's checkout.
            command.env("PYTHONDONTWRITEBYTECODE", "1");
            command
        })
    };
    let record = folder.join("record.json").display().to_string();
    let recorded = ["--record", &record, "--overwrite"];
    let profiled = ["--record", &record, "--overwrite", "--profile"];
    let (program, grid) = (folder.join("one.py"), folder.join("one.json"));
    for (path, text) in [(&program, "def one(I): return hmirror(I)\n"), (&grid, "[[1]]\n")] {
        std::fs::write(path, text)
            .map_err(|error| WholeError::Run { command: format!("a write to {}", path.display()), error })?;
    }
    let mut rows = vec![Row::new("run", || run(&all, &[]), || python(&all))];
    if let Some(light) = &light {
        rows.push(Row::new(&format!("run, without {HEAVY}"), || run(light, &[]), || python(light)));
    }
    rows.push(Row::new("run --record", || run(&all, &recorded), || None));
    rows.push(Row::new("run --record --profile", || run(&all, &profiled), || None));
    rows.push(Row::new("eval of one line", || batt(&["eval"], &[&program, &grid]), || None));
    rows.push(Row::new("--version", || batt(&["--version"], &[]), || None));

    #[derive(Deserialize)]
    struct Summary {
        right: RightCounts,
    }
    #[derive(Deserialize)]
    struct RightCounts {
        programs: usize,
        on_all: usize,
    }
    (setup.progress)("checking the answers");
    let Summary { right } = document(&mut run(&all, &["--json"]))?;
    let reference = python(&all).map(|mut command| document(&mut command)).transpose()?;
    // The first time, files and code come from disk.
    rows.iter().try_for_each(|row| timed(&mut (row.batt)()).map(drop))?;
    for round in 1..=rounds {
        for row in &mut rows {
            (setup.progress)(&format!("round {round} of {rounds}: {}", row.command));
            let mut sum = Duration::ZERO;
            for _ in 0..PASSES {
                sum += timed(&mut (row.batt)())?;
            }
            row.ours.push(sum / PASSES as u32);
            if let Some(mut command) = (row.cpython)() {
                row.theirs.push(timed(&mut command)?);
            }
        }
    }
    Ok(WholeFigures {
        machine: Machine::this(),
        version: env!("CARGO_PKG_VERSION"),
        rounds,
        passes: PASSES,
        right: right.on_all,
        programs: right.programs,
        reference,
        rows: rows.iter().filter_map(Row::figures).collect(),
    })
}

/// A command that is measured, and its counterpart.
struct Row<'r> {
    command: String,
    batt: Box<dyn Fn() -> Command + 'r>,
    cpython: Box<dyn Fn() -> Option<Command> + 'r>,
    ours: Vec<Duration>,
    theirs: Vec<Duration>,
}

impl<'r> Row<'r> {
    fn new(
        command: &str,
        batt: impl Fn() -> Command + 'r,
        cpython: impl Fn() -> Option<Command> + 'r,
    ) -> Row<'r> {
        let (batt, cpython) = (Box::new(batt), Box::new(cpython));
        Row { command: command.to_owned(), batt, cpython, ours: Vec::new(), theirs: Vec::new() }
    }

    fn figures(&self) -> Option<WholeRow> {
        let rounds = self.ours.iter().zip(&self.theirs);
        let mut ratios: Vec<f64> =
            rounds.map(|(ours, theirs)| theirs.as_secs_f64() / ours.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        Some(WholeRow {
            command: self.command.clone(),
            batt: Spread::of(&self.ours)?,
            cpython: Spread::of(&self.theirs),
            ratio: ratios.get(ratios.len() / 2).copied(),
        })
    }
}

/// Runs a command to its end. Returns its processor time.
fn timed(command: &mut Command) -> Result<Duration, WholeError> {
    let before = time_of_children().ok_or(WholeError::NoClock)?;
    run_quietly(command)?;
    Ok(time_of_children().ok_or(WholeError::NoClock)?.saturating_sub(before))
}

/// Runs a command and reads the JSON document that it prints.
fn document<T: serde::de::DeserializeOwned>(command: &mut Command) -> Result<T, WholeError> {
    let text = run_quietly(command)?;
    let failed =
        |error: serde_json::Error| WholeError::Failed { command: name(command), message: error.to_string() };
    serde_json::from_slice(&text).map_err(failed)
}

/// Runs a command and returns its output. Exit code 1 means that an answer is wrong, which is checked elsewhere.
fn run_quietly(command: &mut Command) -> Result<Vec<u8>, WholeError> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| WholeError::Run { command: name(command), error })?;
    match output.status.code() {
        Some(0 | 1) => Ok(output.stdout),
        _ => {
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Err(WholeError::Failed { command: name(command), message })
        }
    }
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}
