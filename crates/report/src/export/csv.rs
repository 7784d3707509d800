//! A CSV table with a row for each task and function.

use std::io::Write;

use crate::facts::{Facts, ReportError};

pub(super) fn write(facts: &Facts<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    writeln!(
        out,
        "task,lane,function,category,phase,nodes,calls,fails,measured_ns,apportioned_ns,fuel,bytes"
    )?;
    let mut row = |task: &str, lane: &str, function: u32, rest: String| {
        let function = facts.function(function);
        let fields = [task, lane, &function.name, &function.category, &function.phase].map(quoted);
        writeln!(out, "{},{rest}", fields.join(","))
    };
    for (number, lane) in facts.profile.lanes.iter().enumerate() {
        for (function, ns, _) in &lane.between {
            row("", &facts.lane_name(number), *function, format!(",,,{ns},0,,"))?;
        }
    }
    for task in &facts.profile.tasks {
        let lane = facts.lane_name(task.lane as usize);
        for (function, it) in &facts.task_functions(task) {
            let (hits, calls, fails, fuel, bytes) = (it.hits, it.calls, it.fails, it.fuel, it.bytes);
            let (measured, apportioned) = (it.measured, it.apportioned);
            row(
                &task.id,
                &lane,
                *function,
                format!("{hits},{calls},{fails},{measured},{apportioned},{fuel},{bytes}"),
            )?;
        }
    }
    Ok(())
}

/// Quotes a field if necessary.
fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}
