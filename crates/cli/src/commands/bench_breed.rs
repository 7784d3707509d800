//! `batt bench breed`

use std::io::Write;

use arcbatt::base::number::percent;
use arcbatt::base::time;
use arcbatt::task::Dataset;
use batt_bench::{BreedFigures, Recovery, Throughput, measure_breed};

use crate::{Answer, output};

/// Measures and prints. The figures depend on the machine and its load, so the exit code is always 0.
pub(crate) fn run(dataset: &Dataset, programs: &[u8], json: bool) -> Answer {
    let figures = measure_breed(dataset, programs)?;
    if json {
        output::json(figures)?;
    } else {
        print(&figures)?;
    }
    Ok(true)
}

fn print(figures: &BreedFigures) -> anyhow::Result<()> {
    let mut out = output::stdout();
    let BreedFigures { seed, fuel_per_task, recovery, throughput } = figures;
    writeln!(out, "1 thread, seed {seed}, at most {fuel_per_task} fuel for each damaged program")?;
    writeln!(out, "damaged   programs  recovered  right on tests  candidates  median time  longest")?;
    for Recovery { damage, damaged, recovered, right_on_tests, time: spread, candidates } in recovery {
        let shown = |time_of: fn(&batt_bench::Spread) -> std::time::Duration| {
            spread.as_ref().map_or("-".to_owned(), |it| time::brief(time_of(it)))
        };
        let (median, longest) = (shown(|it| it.median), shown(|it| it.max));
        writeln!(
            out,
            "{damage:<9} {damaged:>8}  {recovered:>9}  {right_on_tests:>14}  {candidates:>10}  {median:>11}  {longest:>7}"
        )?;
    }
    let Throughput { candidates, seconds, per_second, calls_per_second, shares } = throughput;
    writeln!(
        out,
        "\n{candidates} candidates in {seconds:.1} s of CPU time: {per_second:.0} per second, each on all demonstration inputs; \
         {calls_per_second:.0} calls per second, most of them shared"
    )?;
    for share in shares {
        writeln!(out, "{:<22} {:>7}", share.category, percent(share.share))?;
    }
    Ok(out.flush()?)
}
