//! Counts the instructions of calls of hot primitives under valgrind, and compares them with a table.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use batt_bench::hot::CASES;

/// The table: one case with its instructions per call on each line.
const TABLE: &str = "docs/instructions.tsv";

/// The largest difference from the table that is accepted, in percent. Counts on one machine repeat to a few
/// instructions; another version of the compiler or of the standard library changes them by a few percent.
pub(crate) const TOLERANCE: f64 = 5.0;

/// The numbers of calls of a short and a long run. Their difference does not contain the cost of starting up.
const CALLS: (u64, u64) = (50, 250);

/// Counts instructions and compares them with the table.
pub(crate) fn check(root: &Path) -> Result<()> {
    let counts = count()?;
    let text = std::fs::read_to_string(root.join(TABLE)).with_context(|| format!("cannot read {TABLE}"))?;
    let table: BTreeMap<&str, f64> = text
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(name, count)| Some((name, count.parse().ok()?)))
        .collect();
    let mut changed = Vec::new();
    for (name, count) in &counts {
        let Some(before) = table.get(name) else {
            changed.push(format!("{name}: {count:.1}, not in the table"));
            continue;
        };
        let percent = (count / before - 1.0) * 100.0;
        crate::log(&format!("{name:<30}{count:>12.1}{before:>12.1}{percent:>+8.2} %"));
        if percent.abs() > TOLERANCE {
            changed.push(format!("{name}: {before:.1} → {count:.1} ({percent:+.1} %)"));
        }
    }
    if !changed.is_empty() {
        bail!(
            "instructions per call differ from {TABLE} by more than {TOLERANCE} %:\n- {}\nif this is intended, \
             run `cargo xtask instructions --write` and give the reason in the commit",
            changed.join("\n- ")
        );
    }
    Ok(())
}

/// Counts instructions and writes the table.
pub(crate) fn write(root: &Path) -> Result<()> {
    let mut text = "case\tinstructions a call\n".to_owned();
    for (name, count) in count()? {
        writeln!(text, "{name}\t{count:.1}")?;
    }
    std::fs::write(root.join(TABLE), text).with_context(|| format!("cannot write {TABLE}"))
}

fn count() -> Result<Vec<(&'static str, f64)>> {
    crate::step("cargo build --release --locked --package batt-bench --bin instructions")?;
    let program = crate::binary("release", "instructions");
    let per_call = |name: &'static str| {
        let (few, many) = (total(&program, name, CALLS.0)?, total(&program, name, CALLS.1)?);
        Ok((name, many.saturating_sub(few) as f64 / (CALLS.1 - CALLS.0) as f64))
    };
    CASES.iter().map(|case| per_call(case.name)).collect()
}

/// Returns the number of instructions of a run with a number of calls.
fn total(program: &Path, name: &str, calls: u64) -> Result<u64> {
    let mut command = Command::new("valgrind");
    // Library paths and the size of the environment would change the counts.
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.arg(program).arg(name).arg(calls.to_string());
    let output = command.output().context("cannot run valgrind; is it installed?")?;
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("{name} failed under valgrind: {messages}");
    }
    let collected =
        messages.lines().find_map(|line| line.split_once("Collected :")).map(|(_, count)| count.trim());
    let collected = collected.with_context(|| format!("valgrind printed no count: {messages}"))?;
    collected.parse().with_context(|| format!("valgrind's count {collected} is not a number"))
}
