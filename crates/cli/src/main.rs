//! The command line `batt`. It reads arguments and files, calls the library `arcbatt`, and prints results.
//!
//! Exit codes: 0 for success; 1 if the command ran but the answer is no (a wrong program, a failed check); 2 for usage
//! and input errors.

mod color;
mod commands;
mod data;
mod files;
mod input;
mod job;
mod limits;
mod output;
mod picture;
mod program;
mod progress;
mod schema;
mod signal;
mod summary;
mod trace;
mod watch;

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "batt",
    version,
    about = "Solve ARC-AGI tasks with small programs, and run, check and measure programs",
    max_term_width = 100
)]
struct Cli {
    /// Print a log to standard error: files, timings and events
    #[arg(long, global = true, value_enum, value_name = "LEVEL", display_order = 900)]
    log: Option<LogLevel>,
    /// Print only results and errors: no progress, warnings or notes
    #[arg(short, long, global = true, display_order = 901)]
    quiet: bool,
    /// Translate names of another dialect; each line of FILE is `their_name = our_name`
    #[arg(long, global = true, value_name = "FILE", display_order = 902)]
    alias: Option<PathBuf>,
    /// Replace existing files, even those of other jobs
    #[arg(long, global = true, display_order = 903)]
    overwrite: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum LogLevel {
    Warn,
    Info,
    Debug,
}

impl LogLevel {
    /// Turns on logging. Without this call nothing is logged, and an event costs one comparison.
    fn start(self) {
        let level = match self {
            LogLevel::Warn => tracing::Level::WARN,
            LogLevel::Info => tracing::Level::INFO,
            LogLevel::Debug => tracing::Level::DEBUG,
        };
        tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).with_ansi(false).init();
    }
}

#[derive(Subcommand)]
enum Command {
    /// Solve tasks from their demonstration pairs
    Solve(commands::solve::Args),
    /// Search for new programs and add them to the store
    Search(commands::search::Args),
    /// Run programs on tasks and report which are right
    Run(commands::run::Args),
    /// Run one program on a grid or on all pairs of a task
    Eval(commands::eval::Args),
    /// Draw a task, and a program's answers to it
    Show(commands::show::Args),
    /// Merge programs and report how much they share
    #[command(visible_alias = "card")]
    Plan(commands::plan::Args),
    /// Check, format, explain, verify and store programs
    #[command(subcommand)]
    Programs(commands::programs::Command),
    /// Check that a submission is complete and well formed
    Check(commands::check::Args),
    /// Score a submission by output, task fraction and whole task
    Score(commands::score::Args),
    /// Join the submissions, records or stores of shards
    Merge(commands::merge::Args),
    /// Show where the time went in a recorded run
    #[command(subcommand)]
    Profile(commands::profile::Command),
    /// Turn a record into an HTML report
    Report(commands::report::Args),
    /// Serve a local web page to start and watch jobs
    Serve(commands::serve::Args),
    /// Benchmark loading, parsing, merging and running, alone or against CPython
    Bench(commands::bench::Args),
    /// List, test and measure OpenCL devices, such as GPUs
    Device(commands::device::Args),
    /// List, install, generate, verify and compare data sets
    #[command(subcommand)]
    Data(commands::data::Command),
    /// Show the language manual
    #[command(subcommand)]
    Dsl(commands::dsl::Command),
    /// Compare answers with those recorded from arc-dsl
    Conformance(commands::conformance::Args),
    /// Describe the JSON documents that batt writes
    Schema(commands::schema::Args),
    /// Print a completion script for a shell
    Completions(commands::completions::Args),
    /// Print or write manual pages
    Man(commands::man::Args),
}

/// The groups of commands in `batt --help`.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Find programs", &["solve", "search"]),
    ("Use programs", &["run", "eval", "show", "plan", "programs"]),
    ("Submissions", &["check", "score", "merge"]),
    ("Measure", &["profile", "report", "serve", "bench", "device"]),
    ("Data, language and setup", &["data", "dsl", "conformance", "schema", "completions", "man"]),
];

const EXAMPLES: &str = "\
Examples:
  batt solve                                    solve the built-in tasks
  batt solve arc2-evaluation -o submission.json --budget 2h
  batt eval solvers.py --data arc1-training 007bbfb7

Run `batt COMMAND --help` for details. Most files can be `-` for standard input or output.";

/// Returns the command line with its commands in groups, which clap itself does not support.
fn command_line() -> clap::Command {
    let command = Cli::command();
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let mut listed = String::new();
    for (title, names) in GROUPS {
        writeln!(listed, "{header}{title}:{header:#}").expect("writing to a string cannot fail");
        for name in names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            writeln!(listed, "  {literal}{name:<12}{literal:#} {about}")
                .expect("writing to a string cannot fail");
        }
        listed.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listed}{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    command.help_template(template).after_help(EXAMPLES)
}

/// True if the answer is yes: exit code 0.
type Answer = anyhow::Result<bool>;

fn main() -> ExitCode {
    let matches = command_line().get_matches();
    let name = matches.subcommand_name().unwrap_or_default().to_owned();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Some(level) = cli.log {
        level.start();
    }
    if cli.quiet {
        output::set_quiet();
    }
    if cli.overwrite {
        files::set_overwrite();
    }
    if let Some(path) = cli.alias {
        files::set_aliases(path);
    }
    // Programs can nest function calls deeply, and the stack of the main thread cannot be enlarged.
    let worker = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(move || output::phase(&name, || dispatch(cli.command)));
    let answer = match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(answer)) => answer,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => Err(anyhow::Error::new(error).context("cannot start a thread")),
    };
    match answer {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&format!("{error:#}"));
            // A job that the user stops exits with 1 at any moment, also while it loads.
            let stopped = matches!(error.downcast_ref(), Some(arcbatt::JobError::Stopped));
            ExitCode::from(if stopped { 1 } else { 2 })
        }
    }
}

fn dispatch(command: Command) -> Answer {
    match command {
        Command::Solve(args) => commands::solve::run(&args),
        Command::Search(args) => commands::search::run(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Eval(args) => commands::eval::run(&args),
        Command::Show(args) => commands::show::run(&args),
        Command::Plan(args) => commands::plan::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Score(args) => commands::score::run(&args),
        Command::Merge(args) => commands::merge::run(&args),
        Command::Profile(command) => commands::profile::run(&command),
        Command::Report(args) => commands::report::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Device(args) => commands::device::run(&args),
        Command::Programs(command) => commands::programs::run(&command),
        Command::Dsl(command) => commands::dsl::run(&command),
        Command::Data(command) => commands::data::run(&command),
        Command::Conformance(args) => commands::conformance::run(&args),
        Command::Schema(args) => commands::schema::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let command = Cli::command();
        let mut all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        listed.sort_unstable();
        all.sort_unstable();
        assert_eq!(listed, all);
    }

    #[test]
    fn the_command_line_is_consistent() {
        command_line().debug_assert();
    }
}
