//! `batt programs`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{anyhow, bail};
use arcbatt::Stop;
use arcbatt::battery::Pool;
use arcbatt::dsl::Limits;
use arcbatt::explain::{LearnedRule, explain};
use arcbatt::lang::{self, Program, Severity};
use arcbatt::verify::{Verdict, task_of, verify};
use serde::Serialize;

use crate::Answer;
use crate::commands::programs_store::{self, StoreArgs};
use crate::data::{DataArgs, Skipped, skipped};
use crate::files::Source;
use crate::output::{self, count};
use crate::watchdog::Clocks;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Report every mistake in program files
    Check {
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Take warnings for errors
        #[arg(long)]
        strict: bool,
        /// Print a JSON document
        #[arg(long)]
        json: bool,
    },
    /// Print programs in canonical form (comments and unneeded lines are left out)
    Fmt {
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print a JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show one program: its lines with their types, and its content hash; of a stored one also where it came from
    /// and what it is worth
    Show {
        /// A program file; or, for a stored program, the first digits of its hash, or its name
        #[arg(value_name = "FILE|HASH|NAME")]
        file: PathBuf,
        /// Which program of the file; not needed if it holds only one
        name: Option<String>,
        #[command(flatten)]
        store: StoreArgs,
        /// Show the test results of a stored program too
        #[arg(long)]
        tests: bool,
        /// Print a JSON document
        #[arg(long)]
        json: bool,
    },
    /// Say in words what a program learns from a task's demonstration pairs
    Explain {
        file: PathBuf,
        #[command(flatten)]
        data: DataArgs,
        /// Which program of the file; not needed if it holds only one
        #[arg(long)]
        name: Option<String>,
        /// The task; without it the one that the program is named after
        #[arg(short = 'i', long, value_name = "ID")]
        id: Option<String>,
        /// Print a JSON document
        #[arg(long)]
        json: bool,
    },
    /// Run programs on the tasks they are named after (`solve_00d62c1b`). Without --programs: read every program of
    /// the store again from its text, and measure those again that have a place on a task of DATA
    Verify {
        /// As for `batt run`; not needed to verify the texts of a store
        data: Option<String>,
        /// Go on without the tasks that are broken, and say which
        #[arg(long)]
        skip_bad: bool,
        #[arg(long, num_args = 1.., conflicts_with = "store", requires = "data")]
        programs: Vec<PathBuf>,
        #[command(flatten)]
        store: StoreArgs,
        /// Fuel for each run
        #[arg(long, default_value_t = Limits::STANDARD.fuel)]
        fuel: u64,
        /// Seconds after which the programs of a task are stopped, a backstop for slow machines
        #[arg(short = 't', long, value_name = "SECONDS", default_value_t = 60)]
        timeout: u64,
        /// Print a JSON document
        #[arg(long)]
        json: bool,
    },
    #[command(flatten)]
    Store(programs_store::Command),
}

pub(crate) fn run(command: &Command) -> Answer {
    match command {
        Command::Check { files, strict, json } => check(files, *strict, *json),
        Command::Fmt { files, json } => fmt(files, *json),
        Command::Show { file, name: None, store, tests, json } if !file.exists() => {
            programs_store::show(&file.to_string_lossy(), store, *tests, *json)
        }
        Command::Show { file, name, json, .. } => show(file, name.as_deref(), *json),
        Command::Explain { file, data, name, id, json } => {
            explain_program(file, data, name.as_deref(), id.as_deref(), *json)
        }
        Command::Verify { data, skip_bad, programs, store, fuel, timeout, json } => {
            let time = Duration::from_secs(*timeout);
            let data = data.clone().map(|data| DataArgs { data, skip_bad: *skip_bad });
            match &data {
                Some(data) if !programs.is_empty() => verify_programs(data, programs, *fuel, time, *json),
                data => programs_store::verify(data.as_ref(), store, *fuel, time, *json),
            }
        }
        Command::Store(command) => programs_store::run(command),
    }
}

fn check(paths: &[PathBuf], strict: bool, json: bool) -> Answer {
    let sources = paths.iter().map(|path| Source::read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let accepted = |source: &Source| source.errors() == 0 && !(strict && source.warnings() > 0);
    if json {
        output::json(CheckDocument { files: sources.iter().map(file_entry).collect() })?;
        return Ok(sources.iter().all(accepted));
    }
    let mut out = output::stdout();
    for source in &sources {
        write!(out, "{}", source.render_problems(output::colored()))?;
    }
    for source in &sources {
        let problems = match (source.errors(), source.warnings()) {
            (0, 0) => "no problem".to_owned(),
            (errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
        };
        let programs = count(source.parsed.programs.len(), "program");
        writeln!(out, "{}: {programs}, {problems}", source.path.display())?;
    }
    out.flush()?;
    Ok(sources.iter().all(accepted))
}

#[derive(Serialize)]
struct CheckDocument {
    files: Vec<FileEntry>,
}

#[derive(Serialize)]
pub(crate) struct FileEntry {
    file: String,
    programs: Vec<ProgramEntry>,
    pub(crate) problems: Vec<ProblemEntry>,
}

#[derive(Serialize)]
struct ProgramEntry {
    name: String,
    hash: String,
}

#[derive(Serialize)]
pub(crate) struct ProblemEntry {
    severity: &'static str,
    line: usize,
    column: usize,
    start: u32,
    end: u32,
    message: String,
    label: String,
}

pub(crate) fn file_entry(source: &Source) -> FileEntry {
    let programs = source.parsed.programs.iter();
    let problems = source.parsed.problems.iter().map(|problem| {
        let (line, column) = problem.place(&source.text);
        ProblemEntry {
            severity: match problem.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            line,
            column,
            start: problem.span.start,
            end: problem.span.end,
            message: problem.message.clone(),
            label: problem.label.clone(),
        }
    });
    FileEntry {
        file: source.path.display().to_string(),
        programs: programs
            .map(|program| ProgramEntry { name: program.name().to_owned(), hash: program.hash().to_string() })
            .collect(),
        problems: problems.collect(),
    }
}

/// Refuses files with errors: what cannot be read cannot be carried over, and nothing may be lost.
fn usable(sources: &[Source]) -> anyhow::Result<()> {
    for source in sources {
        if source.errors() > 0 {
            let problems = source.render_problems(false);
            bail!("{} has errors:\n\n{}", source.path.display(), problems.trim_end());
        }
    }
    Ok(())
}

fn fmt(paths: &[PathBuf], json: bool) -> Answer {
    let sources = paths.iter().map(|path| Source::read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    usable(&sources)?;
    let programs = sources.iter().flat_map(|source| &source.parsed.programs);
    if json {
        #[derive(Serialize)]
        struct Document<P> {
            programs: Vec<P>,
        }
        output::json(Document { programs: programs.map(show_document).collect() })?;
        return Ok(true);
    }
    let mut out = output::stdout();
    for (i, program) in programs.enumerate() {
        write!(out, "{}{}", if i == 0 { "" } else { "\n\n" }, lang::print(program))?;
    }
    out.flush()?;
    Ok(true)
}

fn show(path: &Path, name: Option<&str>, json: bool) -> Answer {
    let source = Source::read(path)?;
    let program = source.program(name)?;
    if json {
        output::json(show_document(program))?;
        return Ok(true);
    }
    let mut out = output::stdout();
    write_program(&mut out, program)?;
    out.flush()?;
    Ok(true)
}

/// The lines with their types, and below what there is to say of the whole.
pub(crate) fn write_program(out: &mut impl Write, program: &Program) -> anyhow::Result<()> {
    let (dim, reset) = if output::colored() { ("\x1b[2m", "\x1b[0m") } else { ("", "") };
    let text = lang::print(program);
    let width = text.lines().map(|line| line.chars().count()).max().unwrap_or(0).min(70);
    for (line, ty) in text.lines().zip(lang::line_types(program)) {
        match ty {
            Some(ty) => writeln!(out, "{line:<width$}  {dim}# {ty}{reset}")?,
            None => writeln!(out, "{line}")?,
        }
    }
    let calls = n_calls(program);
    let reads = if program.needs_samples() { "the demonstration pairs and the input" } else { "the input" };
    writeln!(out, "\n{}, reads {reads}, hash {}", count(calls, "call"), program.hash())?;
    Ok(())
}

fn n_calls(program: &Program) -> usize {
    program.nodes().iter().filter(|node| node.is_call()).count()
}

pub(crate) fn show_document(program: &Program) -> impl Serialize + use<> {
    #[derive(Serialize)]
    struct Document {
        name: String,
        hash: String,
        needs_samples: bool,
        result_type: String,
        calls: usize,
        text: String,
    }
    Document {
        name: program.name().to_owned(),
        hash: program.hash().to_string(),
        needs_samples: program.needs_samples(),
        result_type: program.node(program.result()).ty.to_string(),
        calls: n_calls(program),
        text: lang::print(program),
    }
}

fn explain_program(path: &Path, data: &DataArgs, name: Option<&str>, id: Option<&str>, json: bool) -> Answer {
    let source = Source::read(path)?;
    let program = source.program(name)?;
    let dataset = data.open()?;
    let task = match id {
        Some(id) => dataset.get(id).ok_or_else(|| anyhow!("{} has no task {id}", dataset.label))?,
        None => task_of(program.name(), &dataset).ok_or_else(|| {
            anyhow!("no task of {} ends the name {}; `-i ID` names one", dataset.label, program.name())
        })?,
    };
    let learned = explain(program, task, Limits::STANDARD, Stop::NEVER);
    let rules = match learned {
        Ok(rules) => rules,
        Err(why) => bail!("{} fails on the demonstration pairs of {}: {why}", program.name(), task.id),
    };
    if json {
        #[derive(Serialize)]
        struct Document<'a> {
            program: &'a str,
            task: &'a str,
            rules: Vec<Entry>,
        }
        #[derive(Serialize)]
        struct Entry {
            learner: &'static str,
            cost: f64,
            words: String,
        }
        let entry = |rule: &LearnedRule| {
            let explanation = rule.explanation.clone();
            Entry { learner: rule.learner, cost: explanation.cost, words: explanation.words }
        };
        let rules = rules.iter().map(entry).collect();
        output::json(Document { program: program.name(), task: &task.id, rules })?;
        return Ok(true);
    }
    let mut out = output::stdout();
    write!(out, "{}", lang::print(program))?;
    if rules.is_empty() {
        writeln!(out, "\n{} learns nothing: it does the same on every task", program.name())?;
    }
    for rule in &rules {
        writeln!(
            out,
            "\n{} (cost {:.1})\n  {}",
            rule.learner, rule.explanation.cost, rule.explanation.words
        )?;
    }
    out.flush()?;
    Ok(true)
}

fn verify_programs(data: &DataArgs, paths: &[PathBuf], fuel: u64, time: Duration, json: bool) -> Answer {
    let sources = paths.iter().map(|path| Source::read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let errors: usize = sources.iter().map(Source::errors).sum();
    let dataset = data.open()?;
    let programs: Vec<_> = sources.into_iter().flat_map(|source| source.parsed.programs).collect();
    if programs.is_empty() && errors == 0 {
        bail!("there is no program in these files");
    }
    let limits = Limits { fuel, ..Limits::STANDARD };
    let pool = Pool::new(0)?;
    let verdicts = Clocks::watch(&pool, time, None, &|_, _| {}, |clocks| {
        verify(&programs, &dataset, limits, &pool, clocks)
    });
    let right = verdicts.iter().filter(|verdict| verdict.right()).count();
    let fine = right == verdicts.len() && errors == 0;
    if json {
        output::json(verify_document(&verdicts, right, errors, skipped(&dataset.skipped)))?;
        return Ok(fine);
    }
    let mut out = output::stdout();
    if errors > 0 {
        let files: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        let see = format!("batt programs check {}", files.join(" "));
        writeln!(out, "{} in the program files, see `{see}`; the other programs:", count(errors, "error"))?;
    }
    for verdict in verdicts.iter().filter(|verdict| !verdict.right()) {
        match &verdict.task {
            None => writeln!(out, "{}: no task of this data set ends its name", verdict.program)?,
            Some(_) if verdict.pairs == 0 => {
                writeln!(out, "{}: no output of its task is known", verdict.program)?
            }
            Some(_) => {
                writeln!(
                    out,
                    "{}: wrong on {} of {} pairs",
                    verdict.program,
                    verdict.wrong.len(),
                    verdict.pairs
                )?;
                for wrong in &verdict.wrong {
                    writeln!(out, "  {}: {}", wrong.pair, wrong.why)?;
                }
            }
        }
    }
    writeln!(out, "{right} of {} programs right on all pairs", verdicts.len())?;
    out.flush()?;
    Ok(fine)
}

fn verify_document(
    verdicts: &[Verdict],
    right: usize,
    errors: usize,
    skipped: Vec<Skipped>,
) -> impl Serialize {
    #[derive(Serialize)]
    struct Document {
        programs: usize,
        right: usize,
        errors: usize,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        skipped: Vec<Skipped>,
        verdicts: Vec<Entry>,
    }
    #[derive(Serialize)]
    struct Entry {
        program: String,
        task: Option<String>,
        right: bool,
        pairs: usize,
        max_fuel: u64,
        wrong: Vec<Wrong>,
    }
    #[derive(Serialize)]
    struct Wrong {
        pair: String,
        why: String,
    }
    let entry = |verdict: &Verdict| Entry {
        program: verdict.program.clone(),
        task: verdict.task.clone(),
        right: verdict.right(),
        pairs: verdict.pairs,
        max_fuel: verdict.max_fuel,
        wrong: verdict
            .wrong
            .iter()
            .map(|wrong| Wrong { pair: wrong.pair.clone(), why: wrong.why.clone() })
            .collect(),
    };
    let programs = verdicts.len();
    Document { programs, right, errors, skipped, verdicts: verdicts.iter().map(entry).collect() }
}
