//! `batt conformance`

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use arcbatt::base::number::count;
use arcbatt::base::time;
use arcbatt::conformance::{Mismatch, Tally, check};
use arcbatt::dsl::Limits;
use arcbatt::with_backstop;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Answer, files, output, picture};

#[derive(clap::Args)]
#[command(after_help = "Example:\n  batt conformance crates/testkit/vectors/*.gz")]
pub(crate) struct Args {
    /// Files of recorded answers (JSON lines, plain or .gz); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// List at most N failures
    #[arg(long, value_name = "N", default_value_t = 10)]
    list: usize,
    /// Fail a case after this time (90s, 1m30s; plain numbers are seconds)
    #[arg(short = 't', long, value_name = "TIME", default_value = "60s", value_parser = time::parse)]
    timeout: Duration,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Answer {
    let mut total = Tally::default();
    for path in &args.files {
        let keep = args.list - total.failures.len();
        let lines = files::lines(path)?;
        let tally = with_backstop(args.timeout, |stop| check(lines, Limits::STANDARD, stop, keep))
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("{} is not a file of recorded answers", files::label(path)))?;
        total.passed += tally.passed;
        total.order_dependent += tally.order_dependent;
        total.failed += tally.failed;
        total.failures.extend(tally.failures);
    }
    if args.json {
        output::json(document(&total))?;
    } else {
        print(&total)?;
    }
    Ok(total.failed == 0)
}

fn print(tally: &Tally) -> anyhow::Result<()> {
    let mut out = output::stdout();
    for Mismatch { id, program, input, expected, got } in &tally.failures {
        let line = |text: &str| picture::cut(text, 400);
        writeln!(out, "{id}\n{}\n  input     {}", program.trim_end(), line(input))?;
        writeln!(out, "  expected  {}\n  got       {}\n", line(expected), line(got))?;
    }
    if tally.order_dependent > 0 {
        let cases = count(tally.order_dependent, "case");
        writeln!(out, "{cases} passed only with sets in descending order")?;
    }
    writeln!(out, "{} passed, {} failed", tally.passed, tally.failed)?;
    Ok(out.flush()?)
}

/// The results of conformance vectors.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Document {
    /// Cases with the recorded answer.
    passed: usize,
    /// Cases that passed only with sets in descending order.
    order_dependent: usize,
    /// Cases with a different answer.
    failed: usize,
    /// The first failures, at most `--list`.
    failures: Vec<Failure>,
}

/// A case whose answer differs from the recorded one.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Mismatch")]
struct Failure {
    /// Id of the case.
    id: String,
    /// Text of the program.
    program: String,
    /// The input value.
    input: String,
    /// The recorded answer.
    expected: String,
    /// The answer of batt.
    got: String,
}

fn document(tally: &Tally) -> Document {
    let failures = tally.failures.iter().map(|mismatch| Failure {
        id: mismatch.id.clone(),
        program: mismatch.program.clone(),
        input: mismatch.input.clone(),
        expected: mismatch.expected.clone(),
        got: mismatch.got.clone(),
    });
    Document {
        passed: tally.passed,
        order_dependent: tally.order_dependent,
        failed: tally.failed,
        failures: failures.collect(),
    }
}
