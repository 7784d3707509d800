//! `batt show`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use arcbatt::dsl::Limits;
use arcbatt::lang::{Program, suggest};
use arcbatt::palette::{self, Palette};
use arcbatt::sheet::{Field, Look, PairSheet, Panel, Sheet};
use arcbatt::task::{Dataset, Options, Part, Select, Task};
use arcbatt::verify::task_of;
use clap::builder::PossibleValuesParser;
use serde::Serialize;

use crate::files::{self, Source};
use crate::watchdog::Watchdog;
use crate::{Answer, data, output, picture};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The task
    id: String,
    /// The data set, as other commands take it: a name, a folder, a file
    #[arg(long, value_name = "DATA", default_value = "demo")]
    data: String,
    /// Go on without the tasks that are broken, and say which
    #[arg(long)]
    skip_bad: bool,
    /// Show what a program answers; without a name, the one that is named after the task
    #[arg(long, value_name = "FILE[:NAME]")]
    program: Option<String>,
    /// Show the first N extra pairs too (NeuroGolf's `arc-gen`)
    #[arg(long, value_name = "N", default_value_t = 0)]
    extra: usize,
    /// Write a picture
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a picture
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// How the colours look
    #[arg(long, default_value = "classic",
        value_parser = PossibleValuesParser::new(palette::ALL.map(|palette| palette.name)))]
    palette: String,
    /// Write the number of its colour on every cell
    #[arg(long)]
    digits: bool,
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
    let options = Options { skip_bad: args.skip_bad, select: Select::ALL };
    let dataset = data::open(&args.data, &options)?;
    let task = find(&dataset, args)?;
    let source = args.program.as_deref().map(named_program).transpose()?;
    let program = source.as_ref().map(|(source, name)| choose(source, name.as_deref(), task)).transpose()?;
    let limits = Limits { fuel: args.fuel, ..Limits::STANDARD };
    let time = Duration::from_secs(args.timeout);
    let sheet = Watchdog::watch(time, |stop| Sheet::new(task, args.extra, program, limits, stop));
    let palette = Palette::named(&args.palette).unwrap_or(palette::CLASSIC);
    let look = Look { palette, digits: args.digits };
    let written = write_pictures(args, &sheet, look)?;
    if args.json {
        output::json(document(&sheet, written))?;
    } else if written.is_empty() {
        print(&sheet, look, task.extra.len().saturating_sub(args.extra))?;
    } else if ![&args.svg, &args.png].into_iter().flatten().any(|path| files::is_stdout(path)) {
        let mut out = output::stdout();
        written.iter().try_for_each(|path| writeln!(out, "wrote {path}"))?;
        out.flush()?;
    }
    let (right, all) = sheet.right();
    Ok(right == all)
}

fn find<'d>(dataset: &'d Dataset, args: &Args) -> anyhow::Result<&'d Task> {
    let (id, data) = (&args.id, &args.data);
    if let Some(task) = dataset.get(id) {
        return Ok(task);
    }
    match suggest(id, dataset.tasks.iter().map(|task| task.id.as_str())) {
        Some(near) => bail!("{data} holds no task {id}; did you mean {near}?"),
        None => bail!("{data} holds no task {id}; --data names another data set"),
    }
}

/// `FILE` or `FILE:NAME`; a colon can also be part of a file's name.
fn named_program(text: &str) -> anyhow::Result<(Source, Option<String>)> {
    match text.rsplit_once(':') {
        Some((file, name)) if !Path::new(text).exists() && !file.is_empty() => {
            Ok((Source::read(Path::new(file))?, Some(name.to_owned())))
        }
        _ => Ok((Source::read(Path::new(text))?, None)),
    }
}

fn choose<'s>(source: &'s Source, name: Option<&str>, task: &Task) -> anyhow::Result<&'s Program> {
    let programs = &source.parsed.programs;
    if name.is_some() || programs.len() == 1 {
        return source.program(name);
    }
    let only = Dataset::new("", vec![task.clone()]);
    match programs.iter().find(|program| task_of(program.name(), &only).is_some()) {
        Some(program) => Ok(program),
        None => bail!(
            "{path} holds no program named after {}; name one of its {} programs: --program {path}:NAME",
            task.id,
            programs.len(),
            path = source.path.display()
        ),
    }
}

fn write_pictures(args: &Args, sheet: &Sheet, look: Look) -> anyhow::Result<Vec<String>> {
    let targets = || [&args.svg, &args.png].into_iter().flatten();
    let taken = targets().filter(|path| files::is_stdout(path)).count();
    if taken > 1 || (taken == 1 && args.json) {
        bail!("only one thing can be written to standard output; give --svg or --png a file");
    }
    if let Some(path) = &args.svg {
        files::write(path, sheet.svg(look).as_bytes())?;
    }
    if let Some(path) = &args.png {
        files::write(path, &sheet.png(look))?;
    }
    Ok(targets().map(|path| path.display().to_string()).collect())
}

/// As many pairs beside each other as the line takes; the grids of a pair that is too wide stand one below the other.
fn print(sheet: &Sheet, look: Look, left_out: usize) -> anyhow::Result<()> {
    const GAP: usize = 6;
    let colored = output::colored();
    let width = output::width();
    let mut out = output::stdout();
    writeln!(out, "{}\n", sheet.title())?;
    let mut row: Vec<(String, Vec<String>)> = Vec::new();
    let mut used = 0;
    let mut part = Part::Train;
    for pair in &sheet.pairs {
        let block = (pair.title(), lines(pair, look, colored, width));
        let wide = picture::block_width(&block);
        if !row.is_empty() && (used + GAP + wide > width || pair.part != part) {
            flush(&mut out, &row, GAP)?;
            row.clear();
            used = 0;
        }
        part = pair.part;
        used += wide + if row.is_empty() { 0 } else { GAP };
        row.push(block);
    }
    flush(&mut out, &row, GAP)?;
    if sheet.pairs.iter().filter_map(|pair| pair.answer.as_ref()).any(|answer| !answer.differing.is_empty()) {
        writeln!(out, "{} marks a cell that differs", if colored { "><" } else { "*" })?;
    }
    if left_out > 0 {
        writeln!(out, "{} not shown, see --extra", output::count(left_out, "extra pair"))?;
    }
    Ok(out.flush()?)
}

fn flush(out: &mut impl Write, row: &[(String, Vec<String>)], gap: usize) -> anyhow::Result<()> {
    for line in picture::beside_with(row, gap) {
        writeln!(out, "{line}")?;
    }
    Ok(writeln!(out)?)
}

fn lines(pair: &PairSheet, look: Look, colored: bool, width: usize) -> Vec<String> {
    let block = |panel: Panel<'_>| {
        (panel.word.to_owned(), picture::field(panel.field, panel.marks, colored.then_some(look)))
    };
    let blocks: Vec<_> = pair.panels().into_iter().map(block).collect();
    let across: usize = blocks.iter().map(|block| picture::block_width(block) + 3).sum();
    if across <= width + 3 {
        return picture::beside(&blocks);
    }
    blocks.into_iter().flat_map(|(word, lines)| std::iter::once(word).chain(lines)).collect()
}

fn document(sheet: &Sheet, written: Vec<String>) -> impl Serialize {
    #[derive(Serialize)]
    struct Document {
        id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        program: Option<String>,
        pairs: Vec<PairEntry>,
        written: Vec<String>,
    }
    #[derive(Serialize)]
    struct PairEntry {
        pair: String,
        input: Vec<Vec<i8>>,
        expected: Option<Vec<Vec<i8>>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        answer: Option<AnswerEntry>,
    }
    #[derive(Serialize)]
    struct AnswerEntry {
        right: Option<bool>,
        grid: Option<Vec<Vec<i8>>>,
        note: Option<String>,
        differing: Vec<(usize, usize)>,
        fuel: u64,
    }
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
