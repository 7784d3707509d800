//! `batt bench enumerate`

use std::io::Write;

use arcbatt::base::number::percent;
use arcbatt::devices::{Answerer, Helper, Session, device_folder, find_devices};
use arcbatt::task::Dataset;
use batt_bench::{DeviceFigures, EnumerateFigures, measure_enumerate};

use crate::{Answer, output};

/// Measures and prints. The figures depend on the machine and its load, so the exit code is always 0.
pub(crate) fn run(dataset: &Dataset, device: Option<&str>, json: bool) -> Answer {
    let device = device.map(helper).transpose()?;
    let figures = measure_enumerate(dataset, device).map_err(anyhow::Error::msg)?;
    if json {
        output::json(figures)?;
    } else {
        print(&figures)?;
    }
    Ok(true)
}

/// Opens the first device with this name, before anything is measured.
fn helper(name: &str) -> anyhow::Result<Helper> {
    let device = find_devices(name)?.into_iter().next();
    let device = device.ok_or_else(|| anyhow::anyhow!("there is no device {name}"))?;
    let named = device.name().to_owned();
    let session = Session::open(&device, device_folder().as_deref());
    let session = session.map_err(|error| anyhow::anyhow!("{named}: {error}"))?;
    let open = move || Ok(Box::new(session) as Box<dyn Answerer>);
    Ok(Helper { name: named, min_jobs: 1, open: Box::new(open), lane: None })
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
    if let Some(DeviceFigures { name, seconds: with, asked, answered, used }) = &figures.device {
        let share = |n: u64, of: u64| percent(n as f64 / of.max(1) as f64);
        writeln!(
            out,
            "with {name}, waiting for every answer: {with:.1} s of CPU time of the searching thread"
        )?;
        writeln!(
            out,
            "so a device that takes no time makes enumeration {:.2} times as fast (measured)",
            seconds / with
        )?;
        writeln!(
            out,
            "{asked} jobs asked, {} answered; the search used {} of the answers",
            share(*answered, *asked),
            share(*used, *answered)
        )?;
    }
    Ok(out.flush()?)
}
