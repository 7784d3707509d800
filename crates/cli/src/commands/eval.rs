//! `batt eval`

use std::io::Write;

use anyhow::{Context, bail};
use arcbatt::dsl::{Cx, Limits};
use arcbatt::exec::{Outcome, Sample, run as run_program};
use arcbatt::lang::Program;
use arcbatt::score::Verdict;
use arcbatt::task::Grid;
use arcbatt::value::{Arena, Value, order, to_json};
use arcbatt::verify::task_of;
use arcbatt::{Stop, with_backstop};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::data::TaskData;
use crate::input::Input;
use crate::limits::RunLimits;
use crate::picture::Screen;
use crate::program::ProgramRef;
use crate::trace::{TracedCall, View};
use crate::watch::{self, Inputs};
use crate::{Answer, files, output, signal};

const EXAMPLES: &str = "\
Examples:
  batt eval gravity_down                                 a built-in program on its own task
  batt eval solvers.py --data arc1-training 007bbfb7     the program named after the task
  batt eval solvers.py:solve_007bbfb7 grid.json --trace  one program on one grid, line by line
  batt eval mine.py task.json --trace --watch            again after every change of a file";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Program: FILE:NAME; FILE if it contains one program or one named after the task; or the name or task of a
    /// built-in or stored program
    #[arg(value_name = "PROGRAM")]
    program: ProgramRef,
    /// Grid file, task file, task id in --data, or `-` for standard input [default: the task that the program is
    /// named after]
    #[arg(value_name = "INPUT")]
    argument: Option<String>,
    /// Same as INPUT, for the form `batt eval FILE NAME --input INPUT`
    #[arg(long, value_name = "INPUT")]
    input: Option<String>,
    #[command(flatten)]
    data: TaskData,
    /// Show the value of every line, as pictures if the terminal shows colours
    #[arg(long)]
    trace: bool,
    /// Run again when one of the input files changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    limits: RunLimits,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Returns the program and, if it is given, the input.
    fn parts(&self) -> anyhow::Result<(ProgramRef, Option<&String>)> {
        Ok(match (&self.argument, &self.input) {
            (Some(name), Some(input)) => (self.program.with_name(name)?, Some(input)),
            (argument, input) => (self.program.clone(), argument.as_ref().or(input.as_ref())),
        })
    }

    /// Returns the files that the command reads.
    fn inputs(&self) -> anyhow::Result<Inputs> {
        let mut inputs = Inputs::default();
        let (program, input) = self.parts()?;
        if let ProgramRef::File { path, .. } = &program {
            inputs.add_file(path)?;
        }
        match input.and_then(|input| Input::file(input)) {
            Some(path) => inputs.add_file(path)?,
            None => inputs.add_data(self.data.name())?,
        }
        files::aliases().iter().try_for_each(|path| inputs.add_file(path))?;
        Ok(inputs)
    }

    /// Loads the program and its input.
    fn load(&self) -> anyhow::Result<(Program, Input)> {
        let (program, input) = self.parts()?;
        if let Some(input) = input {
            let input = Input::find(input, &self.data)?;
            return Ok((program.load(input.id())?, input));
        }
        let program = program.load(None)?;
        let dataset = self.data.open()?;
        let task = task_of(program.name(), &dataset).with_context(|| {
            let (name, data) = (program.name(), &dataset.label);
            format!("{name} is not named after a task of {data}; add an input: a grid file, a task file or a task id")
        })?;
        Ok((program, Input::Task(task.clone())))
    }
}

pub(crate) fn run(args: &Args) -> Answer {
    if !args.watch {
        return run_once(args);
    }
    signal::exit_on_signal()?;
    watch::watch(&args.inputs()?, || run_once(args))
}

fn run_once(args: &Args) -> Answer {
    let (program, input) = args.load()?;
    let pairs = input.pairs();
    if pairs.is_empty() {
        bail!("task {} has no pairs to run on", input.id().unwrap_or_default());
    }
    let note = (matches!(input, Input::Grid(_)) && program.needs_samples()).then(|| {
        format!("{} reads the pairs of a task (S), but a grid has none; use a task instead", program.name())
    });
    let mut out = output::stdout();
    let mut entries = Vec::new();
    if let Some(note) = &note
        && !args.json
    {
        output::note(&mut out, format_args!("{note}\n"))?;
    }
    let grids = pairs.iter().flat_map(|(_, input, output)| std::iter::once(*input).chain(*output));
    let view = View::new(Screen::of_stdout(), grids);
    let mut right = 0;
    let limits = args.limits.limits();
    let mut arena = Arena::new(limits.caps);
    output::phase("run", || {
        with_backstop(args.limits.timeout, |stop| -> anyhow::Result<()> {
            for pair in &pairs {
                stop.restart();
                arena.reset();
                let run = Run::new(&program, &input, pair, limits, stop, &arena)?;
                right += usize::from(run.right());
                if args.json {
                    entries.push(entry(&program, &run, args.trace)?);
                } else {
                    print(&mut out, &program, &run, args.trace, view)?;
                }
            }
            Ok(())
        })
    })?;
    if args.json {
        document(&program, note, entries)?;
    } else if pairs.len() > 1 {
        writeln!(out, "{right} of {} pairs right", pairs.len())?;
    }
    out.flush()?;
    Ok(right == pairs.len())
}

struct Run<'a> {
    label: &'a str,
    input: Value<'a>,
    expected: Option<Value<'a>>,
    outcome: Outcome<'a>,
}

impl<'a> Run<'a> {
    fn new(
        program: &Program,
        input: &Input,
        (label, grid, expected): &'a (String, &Grid, Option<&Grid>),
        limits: Limits,
        stop: Stop<'a>,
        arena: &'a Arena,
    ) -> anyhow::Result<Run<'a>> {
        let samples = input.samples(arena)?;
        let value = |grid: &Grid| grid.value(arena).map_err(anyhow::Error::msg);
        let (input, expected) = (value(grid)?, expected.map(value).transpose()?);
        let context = Cx::new(arena, limits.fuel, stop.flag());
        let outcome = run_program(program, Sample { input, samples }, context);
        Ok(Run { label, input, expected, outcome })
    }

    fn right(&self) -> bool {
        match (&self.outcome.result, self.expected) {
            (Ok(value), Some(expected)) => order::equal(*value, expected),
            (Ok(_), None) => true,
            (Err(_), _) => false,
        }
    }

    /// Returns height and width of the input, the frame for drawings of objects.
    fn frame(&self) -> (usize, usize) {
        match self.input {
            Value::Grid(grid) => (grid.height(), grid.width()),
            _ => (0, 0),
        }
    }
}

fn print(
    out: &mut impl Write,
    program: &Program,
    run: &Run<'_>,
    trace: bool,
    view: View,
) -> anyhow::Result<()> {
    let verdict = match (&run.outcome.result, run.expected) {
        (Ok(_), Some(_)) if run.right() => ": right",
        (Ok(_), Some(_)) => ": wrong",
        (Err(_), _) => ": failed",
        (Ok(_), None) => "",
    };
    writeln!(out, "{}{verdict} (fuel {})", run.label, run.outcome.fuel)?;
    if trace {
        let calls = run.outcome.calls(program).map(|(node, value)| {
            let unnamed = || node.primitive().map_or("…", |symbol| symbol.name);
            TracedCall { line: node.line, name: node.name().unwrap_or_else(unnamed), value }
        });
        view.print(out, &calls.collect::<Vec<_>>(), run.frame())?;
    }
    match &run.outcome.result {
        Ok(value) => {
            let mut values = Vec::new();
            if run.expected.is_some() || matches!(value, Value::Grid(_)) {
                values.push(("input", run.input));
            }
            values.push(("answer", *value));
            values.extend(run.expected.filter(|_| !run.right()).map(|expected| ("expected", expected)));
            for line in view.side_by_side(&values, run.frame()) {
                writeln!(out, "{line}")?;
            }
        }
        Err(failure) => writeln!(out, "{}", failure.describe(program))?,
    }
    Ok(writeln!(out)?)
}

/// Larger traced values are replaced by their weight in JSON.
const MAX_TRACED: u32 = 100_000;

/// The result on one pair.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "PairResult")]
struct Entry {
    /// The pair, such as `train 0`.
    pair: String,
    /// The answer: a DSL value. Tuples and grids are lists, a set is `{"set": […]}`, a function `{"function": "…"}`.
    /// Absent if the program failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "serde_json::Value")]
    output: Option<Box<RawValue>>,
    /// Why the program failed. Absent if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
    /// True if the answer is the expected output. Absent if that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<bool>,
    /// Fuel used.
    fuel: u64,
    /// The value of every call, in the order of computation. Absent without `--trace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<Line>>,
}

/// Why a program failed.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "RunFailure")]
struct Failure {
    /// Kind of failure, such as `empty`, `kind` or `fuel`.
    kind: &'static str,
    /// The primitive that failed. Null if it was none.
    primitive: Option<&'static str>,
    /// Line of the program, from 1.
    line: u32,
    /// The failure in words.
    text: String,
}

/// The value of a call.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "TracedLine")]
struct Line {
    /// Line of the program, from 1.
    line: u32,
    /// Name of the variable. Null for a nested call.
    name: Option<String>,
    /// A DSL value, or `{"weight": N}` for a value of more than 100,000 nodes.
    #[schemars(with = "serde_json::Value")]
    value: Box<RawValue>,
}

fn entry(program: &Program, run: &Run<'_>, trace: bool) -> anyhow::Result<Entry> {
    let lines = run.outcome.calls(program).map(|(node, value)| {
        let value = match value.weight() {
            weight if weight > MAX_TRACED => RawValue::from_string(format!("{{\"weight\":{weight}}}"))?,
            _ => raw(value)?,
        };
        Ok(Line { line: node.line, name: node.name().map(str::to_owned), value })
    });
    Ok(Entry {
        pair: run.label.to_owned(),
        output: run.outcome.result.as_ref().ok().map(|value| raw(*value)).transpose()?,
        failure: run.outcome.result.as_ref().err().map(|failure| Failure {
            kind: Verdict::Failed(failure.fail).name(),
            primitive: failure.primitive.map(|symbol| symbol.name),
            line: program.node(failure.node).line,
            text: failure.describe(program),
        }),
        right: run.expected.map(|_| run.right()),
        fuel: run.outcome.fuel,
        trace: if trace { Some(lines.collect::<anyhow::Result<_>>()?) } else { None },
    })
}

fn raw(value: Value<'_>) -> anyhow::Result<Box<RawValue>> {
    let mut json = String::new();
    to_json(value, &mut json);
    Ok(RawValue::from_string(json)?)
}

/// The results of one program.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document {
    /// Name of the program.
    program: String,
    /// Content hash of the program.
    hash: String,
    /// A remark on the input. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// The results on each pair, or on the grid.
    runs: Vec<Entry>,
}

fn document(program: &Program, note: Option<String>, runs: Vec<Entry>) -> anyhow::Result<()> {
    output::json(Document {
        program: program.name().to_owned(),
        hash: program.hash().to_string(),
        note,
        runs,
    })
}
