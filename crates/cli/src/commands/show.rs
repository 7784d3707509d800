//! `batt show`

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use arcbatt::base::number::count;
use arcbatt::palette::{self, Palette};
use arcbatt::sheet::{Field, PairSheet, Panel, Sheet, Style};
use arcbatt::with_backstop;
use clap::builder::PossibleValuesParser;
use schemars::JsonSchema;
use serde::Serialize;

use crate::data::TaskData;
use crate::input::Input;
use crate::limits::RunLimits;
use crate::picture::{Block, Screen};
use crate::program::ProgramRef;
use crate::{Answer, files, output, picture};

const EXAMPLES: &str = "\
Examples:
  batt show 007bbfb7 --data arc1-training
  batt show 007bbfb7 --data arc1-training --program solvers.py --png task.png";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Task id in --data, task file, or `-` for standard input
    #[arg(value_name = "TASK")]
    task: String,
    #[command(flatten)]
    data: TaskData,
    /// Show the answers of a program: FILE:NAME; FILE if it contains one program or one named after the task; or the
    /// name or task of a built-in or stored program
    #[arg(long, value_name = "PROGRAM")]
    program: Option<ProgramRef>,
    /// Also show the first N extra pairs (NeuroGolf's `arc-gen`)
    #[arg(long, value_name = "N", default_value_t = 0)]
    extra: usize,
    /// Write an SVG picture; `-` is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a PNG picture; `-` is standard output
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Colours to draw with; `safe` is for colour-blind readers
    #[arg(long, default_value = "classic",
        value_parser = PossibleValuesParser::new(palette::ALL.map(|palette| palette.name)))]
    palette: String,
    /// Print the colour number on every cell
    #[arg(long)]
    digits: bool,
    #[command(flatten)]
    limits: RunLimits,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Answer {
    let Input::Task(task) = Input::find(&args.task, &args.data)? else {
        bail!(
            "{} is a grid; `batt show` shows tasks, `batt eval PROGRAM {0}` runs a program on a grid",
            args.task
        );
    };
    let program = args.program.as_ref().map(|program| program.load(Some(&task.id))).transpose()?;
    let sheet = output::phase("run", || {
        with_backstop(args.limits.timeout, |stop| {
            Sheet::new(&task, args.extra, program.as_ref(), args.limits.limits(), stop)
        })
    });
    let palette = Palette::named(&args.palette).unwrap_or(palette::CLASSIC);
    let style = Style { palette, digits: args.digits };
    let written = write_pictures(args, &sheet, style)?;
    if args.json {
        output::json(document(&sheet, written))?;
    } else if written.is_empty() {
        print(&sheet, style, task.extra.len().saturating_sub(args.extra))?;
    } else if ![&args.svg, &args.png].into_iter().flatten().any(|path| files::is_standard(path)) {
        let mut out = output::stdout();
        written.iter().try_for_each(|path| output::wrote(&mut out, path))?;
        out.flush()?;
    }
    let (right, all) = sheet.right();
    Ok(right == all)
}

fn write_pictures(args: &Args, sheet: &Sheet, style: Style) -> anyhow::Result<Vec<String>> {
    let targets = || [&args.svg, &args.png].into_iter().flatten();
    let to_stdout = targets().filter(|path| files::is_standard(path)).count();
    if to_stdout > 1 || (to_stdout == 1 && args.json) {
        bail!("only one output can go to standard output; use a file for --svg or --png");
    }
    if let Some(path) = &args.svg {
        files::write(path, sheet.svg(style).as_bytes())?;
    }
    if let Some(path) = &args.png {
        files::write(path, &sheet.png(style))?;
    }
    Ok(targets().map(|path| path.display().to_string()).collect())
}

/// Prints as many pairs side by side as fit. If a pair is too wide, its grids are printed below each other.
fn print(sheet: &Sheet, style: Style, not_shown: usize) -> anyhow::Result<()> {
    let screen = Screen::of_stdout();
    let mut out = output::stdout();
    writeln!(out, "{}\n", sheet.title())?;
    for pairs in sheet.pairs.chunk_by(|one, next| one.part == next.part) {
        let blocks = pairs.iter().map(|pair| block(pair, style, screen)).collect();
        for row in picture::flow(blocks, screen.width, 6) {
            row.iter().try_for_each(|line| writeln!(out, "{line}"))?;
            writeln!(out)?;
        }
    }
    if sheet.pairs.iter().filter_map(|pair| pair.answer.as_ref()).any(|answer| !answer.differing.is_empty()) {
        writeln!(out, "{} marks a cell that differs", if screen.is_colored() { "><" } else { "*" })?;
    }
    if not_shown > 0 {
        writeln!(out, "{} not shown; see --extra", count(not_shown, "extra pair"))?;
    }
    Ok(out.flush()?)
}

fn block(pair: &PairSheet, style: Style, screen: Screen) -> Block {
    let panel = |panel: Panel<'_>| {
        let field = picture::field(panel.field, panel.marks, style, screen.colors);
        [vec![panel.label.to_owned()], field].concat()
    };
    let panels: Vec<Block> = pair.panels().into_iter().map(panel).collect();
    let lines = picture::side_by_side(&panels, 3);
    let lines = if picture::block_width(&lines) <= screen.width { lines } else { panels.concat() };
    [vec![pair.title()], lines].concat()
}

/// A task, and the answers of a program.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document {
    /// Id of the task.
    id: String,
    /// Name of the program. Absent without `--program`.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    /// The pairs.
    pairs: Vec<PairEntry>,
    /// Pictures that were written.
    written: Vec<String>,
}

/// A pair of a task.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ShownPair")]
struct PairEntry {
    /// The pair, such as `train 0`.
    pair: String,
    /// Rows of colours.
    input: Vec<Vec<i8>>,
    /// The output as rows of colours. Null if unknown.
    expected: Option<Vec<Vec<i8>>>,
    /// The answer of the program. Absent without `--program`.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<AnswerEntry>,
}

/// The answer of a program.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ShownAnswer")]
struct AnswerEntry {
    /// True if it is the expected output. Null if that is unknown.
    right: Option<bool>,
    /// Rows of integers. Null if the answer is not a grid.
    grid: Option<Vec<Vec<i8>>>,
    /// The problem in words. Null if there is none.
    note: Option<String>,
    /// `[row, column]` of the cells that differ, if the shape is right.
    differing: Vec<(usize, usize)>,
    /// Fuel used.
    fuel: u64,
}

fn document(sheet: &Sheet, written: Vec<String>) -> Document {
    let rows = |field: &Field| field.rows().map(<[i8]>::to_vec).collect::<Vec<_>>();
    let pair = |pair: &PairSheet| PairEntry {
        pair: pair.label.clone(),
        input: rows(&pair.input),
        expected: pair.expected.as_ref().map(rows),
        answer: pair.answer.as_ref().map(|answer| AnswerEntry {
            right: answer.right,
            grid: answer.field.as_ref().map(rows),
            note: answer.note.clone(),
            differing: answer.differing.clone(),
            fuel: answer.fuel,
        }),
    };
    Document {
        id: sheet.id.clone(),
        program: sheet.program.clone(),
        pairs: sheet.pairs.iter().map(pair).collect(),
        written,
    }
}
