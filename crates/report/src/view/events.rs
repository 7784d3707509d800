//! The sums of a file of events.

use std::collections::BTreeMap;
use std::fmt;
use std::io::BufRead;

use batt_base::number::{grouped, percent};
use batt_record::events::{Line, Reader};
use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::ReportError;
use crate::figure::Measured;
use crate::table::Table;

/// The sums of a file of events.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct EventSums {
    /// Number of events.
    pub events: u64,
    /// Number of tasks.
    pub tasks: u64,
    /// Time of all threads.
    pub total: Measured,
    /// `[function, events, self time]`, slowest first.
    pub functions: Vec<(String, u64, Measured)>,
}

impl EventSums {
    /// Adds up a file of any length; memory does not grow with it. On each lane events must follow each other
    /// without gaps or overlaps.
    pub fn new<R: BufRead>(reader: Reader<R>) -> Result<EventSums, ReportError> {
        let names = reader.functions.clone();
        let mut sums = vec![(0u64, 0u64); names.len()];
        let mut ends: BTreeMap<u32, u64> = BTreeMap::new();
        let (mut events, mut tasks) = (0, 0);
        for line in reader {
            match line? {
                Line::TaskStart(_) => tasks += 1,
                Line::Event(event) => {
                    let end = ends.entry(event.lane).or_insert(event.start);
                    if *end != event.start {
                        return Err(ReportError::Damaged(format!(
                            "on lane {} an event ends at {end} ns and the next begins at {} ns",
                            event.lane, event.start
                        )));
                    }
                    *end = event.start.saturating_add(event.ns);
                    events += 1;
                    let sum = &mut sums[event.function as usize];
                    *sum = (sum.0 + 1, sum.1.saturating_add(event.ns));
                }
            }
        }
        if events == 0 {
            return Err(ReportError::Empty);
        }
        let mut functions: Vec<(String, u64, Measured)> = names
            .into_iter()
            .zip(&sums)
            .filter(|(_, (n, _))| *n > 0)
            .map(|(name, (n, ns))| (name, *n, Measured(*ns)))
            .collect();
        functions.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
        Ok(EventSums { events, tasks, total: Measured(sums.iter().map(|(_, ns)| ns).sum()), functions })
    }
}

impl fmt::Display for EventSums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} events, {} tasks, {} of lane time", grouped(self.events), self.tasks, self.total)?;
        let mut table = Table::new(&["function", "events", "self", "share"], 4);
        for (name, n, ns) in &self.functions {
            let share = ns.0 as f64 / self.total.0.max(1) as f64;
            table.row([name.clone(), grouped(*n), ns.to_string(), percent(share)]);
        }
        write!(f, "{table}")
    }
}
