//! `batt programs`

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use arcbatt::base::number::count;
use arcbatt::battery::Unwatched;
use arcbatt::lang::{self, Program, Severity};
use arcbatt::verify::{Verdict, verify};
use arcbatt::{Pool, TaskClocks};
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::programs_store::{self, StoreArgs};
use crate::commands::{programs_explain, programs_resolve};
use crate::data::{DataArgs, Skipped, skipped};
use crate::files::{self, Source};
use crate::limits::RunLimits;
use crate::program::{ProgramRef, built_in};
use crate::{Answer, output};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Check program files and report every problem
    #[command(after_help = "Example:\n  batt programs check solvers.py --strict")]
    Check {
        /// Program files; `-` is standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Treat warnings as errors
        #[arg(long)]
        strict: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Format program files; keeps comments and unneeded lines
    #[command(after_help = "Examples:
  batt programs fmt solvers.py      print the formatted file
  batt programs fmt *.py --write    rewrite files that are not formatted
  batt programs fmt *.py --check    exit with 1 if a file is not formatted")]
    Fmt(FmtArgs),
    /// Show a program with types and hash, and its results if it is stored
    #[command(after_help = "Examples:
  batt programs show solvers.py:solve_007bbfb7
  batt programs show 3f0f4eda --tests    a stored program, by its hash")]
    Show {
        /// Program: FILE:NAME; FILE if it contains one program; the name or task of a built-in or stored program; or
        /// the first digits of a stored program's hash
        #[arg(value_name = "PROGRAM")]
        program: ProgramRef,
        /// Name of the program, if it is not in PROGRAM
        #[arg(value_name = "NAME", hide = true)]
        name: Option<String>,
        #[command(flatten)]
        store: StoreArgs,
        /// Also show the test results of a stored program
        #[arg(long)]
        tests: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Explain in words the rules that a program learns from a task
    Explain(programs_explain::Args),
    /// Write the learned rules of programs out as ordinary programs
    ///
    /// Each program is resolved for the task it is named after. A written program gives the same answers on all inputs
    /// of the task; it uses only arc-dsl's primitives if possible.
    Resolve(programs_resolve::Args),
    /// Check programs on the tasks they are named after, or check the store
    ///
    /// With --programs, runs each program on the task it is named after (`solve_00d62c1b`). Without, parses every
    /// stored program again and repeats the stored results for tasks of DATA.
    #[command(after_help = "Examples:
  batt programs verify arc1-training --programs solvers.py
  batt programs verify --store programs.sqlite")]
    Verify {
        /// Data set, as for `batt run`; optional when checking the store
        #[arg(value_name = "DATA")]
        data: Option<String>,
        /// Skip broken tasks, with a warning for each
        #[arg(long)]
        skip_bad: bool,
        /// Program files; `-` is standard input
        #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "store", requires = "data")]
        programs: Vec<PathBuf>,
        #[command(flatten)]
        store: StoreArgs,
        #[command(flatten)]
        limits: RunLimits,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    #[command(flatten)]
    Store(programs_store::Command),
}

#[derive(clap::Args)]
pub(crate) struct FmtArgs {
    /// Program files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// List files that are not formatted, and exit with 1 if there are any
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Rewrite files that are not formatted; writes nothing if a file has errors
    #[arg(long)]
    write: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(command: &Command) -> Answer {
    match command {
        Command::Check { files, strict, json } => check(files, *strict, *json),
        Command::Fmt(args) => fmt(args),
        Command::Show { program, name, store, tests, json } => {
            let program = match name {
                Some(name) => program.with_name(name)?,
                None => program.clone(),
            };
            match &program {
                ProgramRef::Known(name) if store.is_given() || *tests || built_in(name).is_none() => {
                    programs_store::show(name, store, *tests, *json)
                }
                program => show(&program.load(None)?, *json),
            }
        }
        Command::Explain(args) => programs_explain::run(args),
        Command::Resolve(args) => programs_resolve::run(args),
        Command::Verify { data, skip_bad, programs, store, limits, json } => {
            let data = data.clone().map(|data| DataArgs { data, skip_bad: *skip_bad });
            match &data {
                Some(data) if !programs.is_empty() => verify_programs(data, programs, limits, *json),
                data => programs_store::verify(data.as_ref(), store, limits, *json),
            }
        }
        Command::Store(command) => programs_store::run(command),
    }
}

fn check(paths: &[PathBuf], strict: bool, json: bool) -> Answer {
    let sources = paths.iter().map(|path| Source::lint(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let sources = &sources[..];
    let errors = sources.iter().map(Source::errors).sum();
    let warnings = sources.iter().map(Source::warnings).sum();
    let fine = errors == 0 && !(strict && warnings > 0);
    if json {
        output::json(CheckDocument { files: sources.iter().map(file_entry).collect(), errors, warnings })?;
        return Ok(fine);
    }
    let mut out = output::stdout();
    for source in sources {
        write!(out, "{}", source.render_problems(output::colored()))?;
    }
    let line = |programs, errors, warnings| match (errors, warnings) {
        (0, 0) => format!("{}, no problems", count(programs, "program")),
        (errors, warnings) => {
            let problems = [count(programs, "program"), count(errors, "error"), count(warnings, "warning")];
            problems.join(", ")
        }
    };
    for source in sources {
        let found = line(source.parsed.programs.len(), source.errors(), source.warnings());
        writeln!(out, "{}: {found}", source.path.display())?;
    }
    if sources.len() > 1 {
        let programs = sources.iter().map(|source| source.parsed.programs.len()).sum();
        let found = line(programs, errors, warnings);
        writeln!(out, "{} in total: {found}", count(sources.len(), "file"))?;
    }
    out.flush()?;
    Ok(fine)
}

/// The problems in program files.
#[derive(JsonSchema, Serialize)]
pub(crate) struct CheckDocument {
    /// The files.
    files: Vec<FileEntry>,
    /// Number of errors in all files.
    errors: usize,
    /// Number of warnings in all files.
    warnings: usize,
}

/// A program file and its problems.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "CheckedFile")]
pub(crate) struct FileEntry {
    /// Path of the file.
    file: String,
    /// The programs that can be parsed.
    programs: Vec<ProgramName>,
    /// Number of errors.
    errors: usize,
    /// Number of warnings.
    warnings: usize,
    /// Errors and warnings, in the order of the file.
    pub(crate) problems: Vec<ProblemEntry>,
}

/// A program by name and hash.
#[derive(JsonSchema, Serialize)]
pub(crate) struct ProgramName {
    /// Name of the function.
    name: String,
    /// Content hash; equal programs have equal hashes.
    hash: String,
}

impl ProgramName {
    pub(crate) fn of(program: &Program) -> ProgramName {
        ProgramName { name: program.name().to_owned(), hash: program.hash().to_string() }
    }
}

/// An error or a warning.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "SourceProblem")]
pub(crate) struct ProblemEntry {
    /// `error` or `warning`.
    severity: &'static str,
    /// Line, from 1.
    line: usize,
    /// Column, from 1.
    column: usize,
    /// Byte offset where the marked text starts.
    start: u32,
    /// Byte offset where the marked text ends.
    end: u32,
    /// The problem in words.
    message: String,
    /// Short remark on the marked text; may be empty.
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
        programs: programs.map(ProgramName::of).collect(),
        errors: source.errors(),
        warnings: source.warnings(),
        problems: problems.collect(),
    }
}

/// Refuses files with errors, because formatting would lose the programs that cannot be parsed.
fn require_no_errors(sources: &[Source]) -> anyhow::Result<()> {
    for source in sources {
        if source.errors() > 0 {
            let problems = source.render_problems(false);
            bail!("{} has errors:\n\n{}", source.path.display(), problems.trim_end());
        }
    }
    Ok(())
}

fn fmt(args: &FmtArgs) -> Answer {
    if args.write && args.files.iter().any(|path| files::is_standard(path)) {
        bail!("--write cannot rewrite standard input; omit it to print the result");
    }
    let sources = Source::read_all(&args.files)?;
    require_no_errors(&sources)?;
    let formatted: Vec<_> = sources.iter().map(Formatted::new).collect();
    let fine = !(args.check && formatted.iter().any(|file| file.changed));
    if args.write {
        for (path, file) in args.files.iter().zip(&formatted).filter(|(_, file)| file.changed) {
            files::rewrite(path, file.text.as_bytes())?;
        }
    }
    if args.json {
        let programs = sources.iter().flat_map(|source| &source.parsed.programs).map(show_document).collect();
        output::json(FmtDocument { files: formatted, programs })?;
        return Ok(fine);
    }
    let mut out = output::stdout();
    if args.check || args.write {
        let changed = formatted.iter().filter(|file| file.changed);
        let verb = if args.write { "formatted" } else { "would change" };
        for file in changed.clone() {
            writeln!(out, "{verb}: {}", file.file)?;
        }
        writeln!(out, "{} of {} {verb}", changed.count(), count(formatted.len(), "file"))?;
    } else {
        let texts: Vec<_> = formatted.iter().map(|file| &*file.text).collect();
        write!(out, "{}", texts.join("\n\n"))?;
    }
    out.flush()?;
    Ok(fine)
}

/// Formatted program files.
#[derive(JsonSchema, Serialize)]
pub(crate) struct FmtDocument {
    /// The files.
    files: Vec<Formatted>,
    /// Their programs, in canonical form.
    programs: Vec<ShowDocument>,
}

/// A program file after formatting.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "FormattedFile")]
struct Formatted {
    /// Path of the file.
    file: String,
    /// True if formatting changes the file.
    changed: bool,
    /// The formatted text.
    text: String,
}

impl Formatted {
    /// Formats a file; one with syntax errors stays unchanged.
    fn new(source: &Source) -> Formatted {
        let text = lang::format(&source.text).unwrap_or_else(|_| source.text.clone());
        Formatted { file: source.path.display().to_string(), changed: text != source.text, text }
    }
}

fn show(program: &Program, json: bool) -> Answer {
    if json {
        output::json(show_document(program))?;
        return Ok(true);
    }
    let mut out = output::stdout();
    write_program(&mut out, program)?;
    out.flush()?;
    Ok(true)
}

/// Writes the lines with their types, then a summary.
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

/// A program.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ProgramText")]
pub(crate) struct ShowDocument {
    /// Name of the function.
    name: String,
    /// Content hash; equal programs have equal hashes.
    hash: String,
    /// True if the program reads the demonstration pairs.
    needs_samples: bool,
    /// DSL type of the result.
    result_type: String,
    /// Number of calls.
    calls: usize,
    /// Canonical text.
    text: String,
}

pub(crate) fn show_document(program: &Program) -> ShowDocument {
    ShowDocument {
        name: program.name().to_owned(),
        hash: program.hash().to_string(),
        needs_samples: program.needs_samples(),
        result_type: program.node(program.result()).ty.to_string(),
        calls: n_calls(program),
        text: lang::print(program),
    }
}

fn verify_programs(data: &DataArgs, paths: &[PathBuf], limits: &RunLimits, json: bool) -> Answer {
    let sources = paths.iter().map(|path| Source::read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let errors: usize = sources.iter().map(Source::errors).sum();
    let dataset = data.open()?;
    let programs: Vec<_> = sources.into_iter().flat_map(|source| source.parsed.programs).collect();
    if programs.is_empty() && errors == 0 {
        bail!("these files contain no programs");
    }
    let pool = Pool::new(0)?;
    let verdicts = output::phase("run", || {
        TaskClocks::watch(&pool, limits.timeout, &Unwatched, |clocks| {
            verify(&programs, &dataset, limits.limits(), &pool, clocks)
        })
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
        let (errors, files) = (count(errors, "error"), files.join(" "));
        writeln!(out, "{errors} (see `batt programs check {files}`); results of the other programs:")?;
    }
    for verdict in verdicts.iter().filter(|verdict| !verdict.right()) {
        match &verdict.task {
            None => writeln!(out, "{}: not named after a task of this data set", verdict.program)?,
            Some(_) if verdict.pairs == 0 => {
                writeln!(out, "{}: the outputs of its task are unknown", verdict.program)?
            }
            Some(_) => {
                writeln!(
                    out,
                    "{}: wrong on {} of {}",
                    verdict.program,
                    verdict.wrong.len(),
                    count(verdict.pairs, "pair")
                )?;
                for wrong in &verdict.wrong {
                    writeln!(out, "  {}: {}", wrong.pair, wrong.why)?;
                }
            }
        }
    }
    writeln!(out, "{right} of {} right on all pairs", count(verdicts.len(), "program"))?;
    out.flush()?;
    Ok(fine)
}

/// The results of programs on the tasks they are named after.
#[derive(JsonSchema, Serialize)]
pub(crate) struct VerifyDocument {
    /// Number of programs.
    programs: usize,
    /// Programs that are right on all pairs.
    right: usize,
    /// Number of errors in the program files.
    errors: usize,
    /// Problems that were skipped. Absent if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Skipped>,
    /// The programs.
    verdicts: Vec<VerdictEntry>,
}

/// The results of one program on its task.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "VerifiedProgram")]
struct VerdictEntry {
    /// Name of the program.
    program: String,
    /// Id of the task that the program is named after. Null if the data set has none.
    task: Option<String>,
    /// True if it is right on all pairs.
    right: bool,
    /// Pairs whose output is known.
    pairs: usize,
    /// Most fuel used on a pair.
    max_fuel: u64,
    /// The pairs on which it is wrong.
    wrong: Vec<WrongPair>,
}

/// A pair on which a program is wrong.
#[derive(JsonSchema, Serialize)]
pub(crate) struct WrongPair {
    /// The pair, such as `train 0`.
    pub(crate) pair: String,
    /// The reason in words.
    pub(crate) why: String,
}

fn verify_document(
    verdicts: &[Verdict],
    right: usize,
    errors: usize,
    skipped: Vec<Skipped>,
) -> VerifyDocument {
    let entry = |verdict: &Verdict| VerdictEntry {
        program: verdict.program.clone(),
        task: verdict.task.clone(),
        right: verdict.right(),
        pairs: verdict.pairs,
        max_fuel: verdict.max_fuel,
        wrong: verdict
            .wrong
            .iter()
            .map(|wrong| WrongPair { pair: wrong.pair.clone(), why: wrong.why.clone() })
            .collect(),
    };
    let programs = verdicts.len();
    VerifyDocument { programs, right, errors, skipped, verdicts: verdicts.iter().map(entry).collect() }
}
