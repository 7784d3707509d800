//! `batt eval`

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{anyhow, bail};
use arcbatt::Stop;
use arcbatt::dsl::{Cx, Limits};
use arcbatt::exec::{Outcome, Sample, run as run_program};
use arcbatt::lang::{Node, Program};
use arcbatt::task::{Grid, Task, parse_grid, parse_task};
use arcbatt::value::{Arena, Value, order, to_json};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::files::{Source, read};
use crate::watchdog::Watchdog;
use crate::{Answer, output, picture};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program file
    file: PathBuf,
    /// Which program of the file; not needed if it holds only one
    name: Option<String>,
    /// A grid, or a task file: then the program runs on all its pairs
    #[arg(long, value_name = "GRID.json|TASK.json")]
    input: PathBuf,
    /// Show the value of every line
    #[arg(long)]
    trace: bool,
    /// Fuel for each run
    #[arg(long, default_value_t = Limits::STANDARD.fuel)]
    fuel: u64,
    /// Seconds after which a pair is stopped, a backstop for slow machines
    #[arg(short = 't', long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Answer {
    let source = Source::read(&args.file)?;
    let program = source.program(args.name.as_deref())?;
    let input = Input::read(&args.input)?;
    let pairs = input.pairs();
    if pairs.is_empty() {
        bail!("{} holds no pair to run on", args.input.display());
    }
    let note = (matches!(input, Input::Grid(_)) && program.needs_samples()).then(|| {
        format!("{} reads S, and S is empty on a bare grid; give a task file instead", program.name())
    });
    let mut out = output::stdout();
    let mut entries = Vec::new();
    if let Some(note) = &note
        && !args.json
    {
        writeln!(out, "note: {note}\n")?;
    }
    let mut right = 0;
    let mut arena = Arena::new(Limits::STANDARD.caps);
    Watchdog::watch(Duration::from_secs(args.timeout), |stop| -> anyhow::Result<()> {
        for (label, grid, expected) in &pairs {
            stop.restart();
            arena.reset();
            let run = Run::new(program, &input, (label, grid, *expected), args.fuel, stop, &arena)?;
            right += usize::from(run.right());
            if args.json {
                entries.push(entry(program, &run, args.trace)?);
            } else {
                print(&mut out, program, &run, args.trace)?;
            }
        }
        Ok(())
    })?;
    if args.json {
        document(program, note, entries)?;
    } else if pairs.len() > 1 {
        writeln!(out, "{right} of {} pairs right", pairs.len())?;
    }
    out.flush()?;
    Ok(right == pairs.len())
}

enum Input {
    Grid(Grid),
    Task(Task),
}

impl Input {
    fn read(path: &std::path::Path) -> anyhow::Result<Input> {
        let bytes = read(path)?;
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        let file = path.display().to_string();
        let input = match first {
            Some(b'[') => parse_grid(&bytes).map(Input::Grid),
            Some(b'{') => parse_task(&id, &bytes).map(Input::Task),
            _ => bail!("{file} is neither a grid ([[0, 1], …]) nor a task ({{\"train\": …}})"),
        };
        input.map_err(|problem| anyhow!("{}", problem.in_file(file)))
    }

    fn samples<'a>(&self, arena: &'a Arena) -> anyhow::Result<Value<'a>> {
        match self {
            Input::Grid(_) => Ok(Value::EMPTY_TUPLE),
            Input::Task(task) => task.samples(arena).map_err(anyhow::Error::msg),
        }
    }

    fn pairs(&self) -> Vec<(String, &Grid, Option<&Grid>)> {
        match self {
            Input::Grid(grid) => vec![("input".to_owned(), grid, None)],
            Input::Task(task) => {
                let pairs = task.pairs();
                pairs
                    .map(|(part, i, pair)| (format!("{part} {i}"), &pair.input, pair.output.as_ref()))
                    .collect()
            }
        }
    }
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
        (label, grid, expected): (&'a str, &Grid, Option<&Grid>),
        fuel: u64,
        stop: Stop<'a>,
        arena: &'a Arena,
    ) -> anyhow::Result<Run<'a>> {
        let samples = input.samples(arena)?;
        let value = |grid: &Grid| grid.value(arena).map_err(anyhow::Error::msg);
        let (input, expected) = (value(grid)?, expected.map(value).transpose()?);
        let outcome = run_program(program, Sample { input, samples }, Cx::new(arena, fuel, stop.flag()));
        Ok(Run { label, input, expected, outcome })
    }

    fn right(&self) -> bool {
        match (&self.outcome.result, self.expected) {
            (Ok(value), Some(expected)) => order::equal(*value, expected),
            (Ok(_), None) => true,
            (Err(_), _) => false,
        }
    }
}

fn print(out: &mut impl Write, program: &Program, run: &Run<'_>, trace: bool) -> anyhow::Result<()> {
    let colored = output::colored();
    let verdict = match (&run.outcome.result, run.expected) {
        (Ok(_), Some(_)) if run.right() => ": right",
        (Ok(_), Some(_)) => ": wrong",
        (Err(_), _) => ": failed",
        (Ok(_), None) => "",
    };
    writeln!(out, "{}{verdict} (fuel {})", run.label, run.outcome.fuel)?;
    if trace {
        write_trace(out, program, &run.outcome)?;
    }
    match &run.outcome.result {
        Ok(value) => {
            let mut blocks = Vec::new();
            if run.expected.is_some() || matches!(value, Value::Grid(_)) {
                blocks.push(("input".to_owned(), picture::render(run.input, colored)));
            }
            blocks.push(("answer".to_owned(), picture::render(*value, colored)));
            if let Some(expected) = run.expected
                && !run.right()
            {
                blocks.push(("expected".to_owned(), picture::render(expected, colored)));
            }
            for line in picture::beside(&blocks) {
                writeln!(out, "{line}")?;
            }
        }
        Err(failure) => writeln!(out, "{}", failure.describe(program))?,
    }
    Ok(writeln!(out)?)
}

fn write_trace(out: &mut impl Write, program: &Program, outcome: &Outcome<'_>) -> anyhow::Result<()> {
    let width = if output::terminal() { 100 } else { 2000 };
    for (node, value) in calls(program, outcome) {
        let unnamed = || node.primitive().map_or("…", |symbol| symbol.name);
        let name = node.name().unwrap_or_else(unnamed);
        writeln!(out, "  {:>4} │ {name} = {}", node.line, picture::cut_value(value, width))?;
    }
    Ok(())
}

/// The calls of a program with their values, as far as it came.
fn calls<'p, 'a>(
    program: &'p Program,
    outcome: &'p Outcome<'a>,
) -> impl Iterator<Item = (&'p Node, Value<'a>)> {
    let computed = program.nodes().iter().zip(outcome.values.iter().copied());
    computed.filter(|(node, _)| node.is_call())
}

/// A traced value that weighs more than this is only weighed in JSON.
const MAX_TRACED: u32 = 100_000;

#[derive(Serialize)]
struct Entry {
    pair: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<bool>,
    fuel: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<Line>>,
}

#[derive(Serialize)]
struct Failure {
    kind: &'static str,
    primitive: Option<&'static str>,
    line: u32,
    text: String,
}

#[derive(Serialize)]
struct Line {
    line: u32,
    name: Option<String>,
    value: Box<RawValue>,
}

fn entry(program: &Program, run: &Run<'_>, trace: bool) -> anyhow::Result<Entry> {
    let lines = calls(program, &run.outcome).map(|(node, value)| {
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
            kind: failure.fail.name(),
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

fn document(program: &Program, note: Option<String>, runs: Vec<Entry>) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Document {
        program: String,
        hash: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        runs: Vec<Entry>,
    }
    output::json(Document {
        program: program.name().to_owned(),
        hash: program.hash().to_string(),
        note,
        runs,
    })
}
