//! Measures how long loading takes: `cargo run --release -p batt-task --example load_time -- DATA…`

use std::time::Instant;

use batt_task::{Options, index, open};

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() -> Result<(), batt_task::LoadError> {
    for data in std::env::args().skip(1) {
        let dataset = open(&data, &Options::STRICT)?;
        let hash = dataset.content_hash();
        println!("{data}: {} tasks, hash {hash}", dataset.tasks.len());
        println!("  open   {}", median(|| drop(open(&data, &Options::STRICT))));
        println!("  index  {}", median(|| drop(index(&data, &Options::STRICT))));
        println!("  hash   {}", median(|| assert!(dataset.content_hash() == hash)));
    }
    Ok(())
}

/// Returns the median and the extremes of 31 runs.
fn median(run: impl Fn()) -> String {
    let time = |()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    let mut times: Vec<_> = [(); 31].map(time).into();
    times.sort();
    format!("{:.2?} (min {:.2?}, max {:.2?})", times[15], times[0], times[30])
}
