//! `batt programs resolve`

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use arcbatt::Stop;
use arcbatt::base::number::count;
use arcbatt::dsl::Limits;
use arcbatt::lang::{self, Program};
use arcbatt::resolve::{Resolution, resolve};
use arcbatt::task::Task;
use arcbatt::verify::task_of;
use schemars::JsonSchema;
use serde::Serialize;

use crate::data::DataArgs;
use crate::files::{self, Source};
use crate::{Answer, output};

const EXAMPLES: &str = "\
Examples:
  batt solve arc1-training -o submission.json --export found.py
  batt programs resolve found.py arc1-training -o resolved.py";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Program file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// Write the programs to FILE; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Programs with their learned rules written out.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document {
    /// Number of programs that are ordinary programs now.
    resolved: usize,
    /// Number of those that use only arc-dsl's primitives and constants.
    arc_dsl: usize,
    /// The programs.
    programs: Vec<Entry>,
}

/// A program after resolving.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ResolvedProgram")]
struct Entry {
    /// Name of the program.
    name: String,
    /// Id of the task that it is named after; null if there is none.
    task: Option<String>,
    /// True if the program learns nothing.
    resolved: bool,
    /// True if it uses only arc-dsl's primitives and constants.
    arc_dsl: bool,
    /// How the rule was written out, or why not.
    comment: String,
    /// Source text.
    text: String,
}

pub(crate) fn run(args: &Args) -> Answer {
    let source = Source::read(&args.file)?;
    if source.errors() > 0 {
        bail!("{} has errors:\n\n{}", files::label(&args.file), source.render_problems(false).trim_end());
    }
    let dataset = args.data.open()?;
    let programs = source.parsed.programs.iter();
    let entries: Vec<Entry> = output::phase("resolve", || {
        programs.map(|program| entry(program, task_of(program.name(), &dataset))).collect()
    });
    if entries.iter().all(|entry| entry.task.is_none()) {
        let file = files::label(&args.file);
        bail!("no program of {file} is named after a task of {}; use `def solve_ID(…)`", dataset.label);
    }
    let resolved = entries.iter().filter(|entry| entry.resolved).count();
    let arc_dsl = entries.iter().filter(|entry| entry.arc_dsl).count();
    let comments = source.parsed.programs.iter().map(|program| comment_above(&source.text, program));
    let text: String = entries
        .iter()
        .zip(comments)
        .map(|(entry, above)| format!("{above}# {}\n{}\n\n", entry.comment, entry.text))
        .collect();
    let summary = format!(
        "{resolved} of {} written out, {arc_dsl} of them in arc-dsl",
        count(entries.len(), "program")
    );
    let to_file = !files::is_standard(&args.output);
    if to_file {
        files::write(&args.output, text.as_bytes())?;
    }
    if args.json {
        output::json(Document { resolved, arc_dsl, programs: entries })?;
        return Ok(true);
    }
    let mut out = output::stdout();
    if to_file {
        writeln!(out, "{summary}")?;
        output::wrote(&mut out, args.output.display())?;
    } else {
        writeln!(out, "{text}# {summary}")?;
    }
    out.flush()?;
    Ok(true)
}

/// The text of a program as it is in its file.
fn own_text(program: &Program) -> String {
    format!("{}\n", program.source().trim_end())
}

/// The lines of comment directly above a program.
fn comment_above(text: &str, program: &Program) -> String {
    let before: Vec<&str> = text.lines().take((program.line() as usize).saturating_sub(1)).collect();
    let n = before.iter().rev().take_while(|line| line.starts_with('#')).count();
    before[before.len() - n..].iter().map(|line| format!("{line}\n")).collect()
}

fn entry(program: &Program, task: Option<&Task>) -> Entry {
    let name = program.name().to_owned();
    let Some(task) = task else {
        let comment = "not written out: the program is not named after a task".to_owned();
        return Entry {
            name,
            task: None,
            resolved: false,
            arc_dsl: false,
            comment,
            text: lang::print(program),
        };
    };
    let resolution = resolve(program, task, Limits::STANDARD, Stop::NEVER.flag());
    let (resolved, arc_dsl, text) = match &resolution {
        Resolution::Ordinary { is_arc_dsl } => (true, *is_arc_dsl, own_text(program)),
        Resolution::Resolved { program, is_arc_dsl } => (true, *is_arc_dsl, lang::print(program)),
        Resolution::Kept(_) => (false, false, own_text(program)),
    };
    Entry { name, task: Some(task.id.clone()), resolved, arc_dsl, comment: resolution.comment(task), text }
}
