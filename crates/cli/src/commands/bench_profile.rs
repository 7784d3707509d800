//! `batt bench profile`

use std::io::Write;
use std::time::{Duration, Instant};

use arcbatt::base::number::{count, percent};
use arcbatt::base::time::brief_ns;
use arcbatt::task::Dataset;
use batt_bench::{ProfileFigures, measure_profile};

use crate::{Answer, output};

/// Measures and prints. The figures depend on the machine and its load, so the exit code is always 0.
pub(crate) fn run(
    load: impl Fn() -> anyhow::Result<Dataset>,
    programs: &[u8],
    rounds: usize,
    json: bool,
) -> Answer {
    let dataset = load()?;
    let mut fastest = Duration::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        load()?;
        fastest = fastest.min(start.elapsed());
    }
    let figures = measure_profile(&dataset, programs, fastest, rounds)?;
    if json {
        output::json(figures)?;
    } else {
        print(&figures)?;
    }
    Ok(true)
}

fn print(figures: &ProfileFigures) -> anyhow::Result<()> {
    let mut out = output::stdout();
    let ns = |ns: u64| brief_ns(ns as f64);
    let ProfileFigures {
        tasks,
        rounds,
        plain_ns,
        before_ns,
        recorded,
        deep,
        whole,
        once_ns,
        what_if,
        logging,
    } = figures;
    let tasks = count(*tasks, "task");
    writeln!(out, "{tasks}, 1 thread, fastest of {rounds} rounds of each task, alternating")?;
    writeln!(
        out,
        "without recorder     {} to run and score, {} to load and parse before that",
        ns(*plain_ns),
        ns(*before_ns)
    )?;
    writeln!(
        out,
        "recorder on          ×{whole:.3} of the whole run, ×{recorded:.3} of run and score; {} once, to start and end it",
        ns(*once_ns)
    )?;
    writeln!(out, "recorder on, --deep  ×{deep:.3} of run and score")?;
    writeln!(
        out,
        "what-if              {} made {} times slower: {} → {} predicted, {} measured; off by {} of the time, {} of the change",
        what_if.primitive,
        what_if.factor,
        ns(what_if.before_ns),
        ns(what_if.predicted_ns),
        ns(what_if.measured_ns),
        percent(what_if.error),
        percent(what_if.change_error)
    )?;
    writeln!(
        out,
        "logging off          ×{:.4} of compiled out ({} against {}); {:.2} ns per event",
        logging.ratio,
        ns(logging.compiled_in_ns),
        ns(logging.compiled_out_ns),
        logging.event_ns
    )?;
    Ok(out.flush()?)
}
