//! `batt`: the command line. Thin: it reads arguments and files, calls the facade, and prints.
//!
//! Exit codes: 0 did it; 1 ran, but the answer is no (a wrong program, a failed check); 2 usage or input error.

mod commands;
mod data;
mod files;
mod live;
mod means;
mod output;
mod picture;
mod recording;
mod signal;
mod watchdog;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "batt",
    version,
    about = "Solves ARC tasks with small programs, and runs batteries of them",
    max_term_width = 100
)]
struct Cli {
    /// Say on standard error what is going on
    #[arg(long, global = true, value_enum, value_name = "LEVEL")]
    log: Option<LogLevel>,
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
    /// Without this call nothing is logged, and an event costs a glance at a number.
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
    /// Solve tasks: two attempts at every test output, each a readable program; without arguments, the built-in set
    Solve(commands::solve::Args),
    /// Find new programs for tasks, into the store: bred from known ones, or built from the task
    Search(commands::search::Args),
    /// Run programs on tasks and say what is right; without arguments, on the built-in set
    Run(commands::run::Args),
    /// Run one program on one grid, or on all pairs of a task
    Eval(commands::eval::Args),
    /// Show a task, and what a program makes of it
    Show(commands::show::Args),
    /// Merge programs and say how much they share
    #[command(visible_alias = "card")]
    Plan(commands::plan::Args),
    /// Is a submission complete and well made? Names each defect
    Check(commands::check::Args),
    /// What a submission is worth, under the three rules in use
    Score(commands::score::Args),
    /// Where the time of a recorded run went, and what it would bring to change it
    #[command(subcommand)]
    Profile(commands::profile::Command),
    /// A recorded run as one page for the browser, or two runs side by side
    Report(commands::report::Args),
    /// A local page for the browser: start runs and watch them, data sets, the manual, an editor
    Serve(commands::serve::Args),
    /// Measure load, parse, merge and run, alone or beside arc-dsl in CPython
    Bench(commands::bench::Args),
    /// Check, format, show and verify program files
    #[command(subcommand)]
    Programs(commands::programs::Command),
    /// The primitives of the language
    #[command(subcommand)]
    Dsl(commands::dsl::Command),
    /// Data sets: list, install, generate, verify and compare them
    #[command(subcommand)]
    Data(commands::data::Command),
    /// Run conformance vectors: what arc-dsl answers against what batt answers
    Conformance(commands::conformance::Args),
}

/// Whether the answer is yes.
type Answer = anyhow::Result<bool>;

fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Some(level) = cli.log {
        level.start();
    }
    // Programs can nest function calls deeply; the stack of the main thread is not ours to size.
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(move || dispatch(cli.command));
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
            ExitCode::from(2)
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
        Command::Profile(command) => commands::profile::run(&command),
        Command::Report(args) => commands::report::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Programs(command) => commands::programs::run(&command),
        Command::Dsl(command) => commands::dsl::run(&command),
        Command::Data(command) => commands::data::run(&command),
        Command::Conformance(args) => commands::conformance::run(&args),
    }
}
