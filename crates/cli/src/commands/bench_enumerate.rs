//! `batt bench enumerate`

use std::io::Write;

use arcbatt::base::number::percent;
use arcbatt::task::Dataset;
use batt_bench::{EnumerateFigures, measure_enumerate};

use crate::{Answer, output};

/// Measures and prints. The figures depend on the machine and its load, so the exit code is always 0.
pub(crate) fn run(dataset: &Dataset, json: bool) -> Answer {
    let figures = measure_enumerate(dataset);
    if json {
        output::json(figures)?;
    } else {
        print(&figures)?;
    }
    Ok(true)
}

fn print(figures: &EnumerateFigures) -> anyhow::Result<()> {
    let mut out = output::stdout();
    let EnumerateFigures { tasks, fuel_per_task, outputs, right, with_right_candidate, seconds, .. } =
        figures;
    writeln!(out, "{tasks} tasks, 1 thread, {fuel_per_task} fuel for each: {seconds:.1} s of CPU time")?;
    writeln!(
        out,
        "{right} of {outputs} outputs right with two attempts, {with_right_candidate} with a right candidate"
    )?;
    let rate = |n: u64| n as f64 / seconds;
    writeln!(
        out,
        "{:.0} candidates per second, each on all inputs; {:.0} calls of a primitive on one input per second",
        rate(figures.candidates),
        rate(figures.calls)
    )?;
    let new = figures.new as f64 / figures.candidates.max(1) as f64;
    writeln!(out, "{} of the candidates had new values", percent(new))?;
    for share in &figures.shares {
        writeln!(out, "{:<22} {:>7}", share.category, percent(share.share))?;
    }
    Ok(out.flush()?)
}
