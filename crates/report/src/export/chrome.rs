//! The Trace Event Format for chrome://tracing and Perfetto: a timeline for each lane.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use batt_record::events::{Line, Reader};
use serde_json::{Value, json};

use crate::facts::{Facts, ReportError};

pub(super) fn write(
    facts: &Facts<'_>,
    events: Option<&Path>,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let mut list = List { out, first: true };
    list.out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
    let process = json!({ "name": format!("batt {}", facts.record.setup.version) });
    list.add(&json!({ "ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": process }))?;
    for (number, lane) in facts.profile.lanes.iter().enumerate() {
        let args = json!({ "name": lane.name });
        list.add(&json!({ "ph": "M", "name": "thread_name", "pid": 1, "tid": number, "args": args }))?;
    }
    for task in &facts.profile.tasks {
        let args = json!({ "cells": task.cells, "cold": task.cold });
        let event = complete(&task.id, "task", task.lane, task.start, task.end - task.start, Some(args));
        list.add(&event)?;
    }
    match events {
        Some(path) => write_events(facts, Reader::open(path)?, &mut list)?,
        None => {
            for (from, to) in &facts.profile.lanes[0].waits {
                list.add(&complete("waiting for tasks", "idle", 0, *from, to - from, None))?;
            }
        }
    }
    Ok(list.out.write_all(b"\n]}\n")?)
}

/// Writes all events in the order of the file, one at a time.
fn write_events<R: std::io::BufRead>(
    facts: &Facts<'_>,
    reader: Reader<R>,
    list: &mut List<'_>,
) -> Result<(), ReportError> {
    let names = reader.functions.clone();
    let categories: BTreeMap<&str, &str> =
        facts.profile.functions.iter().map(|it| (it.name.as_str(), it.category.as_str())).collect();
    let mut left: Vec<u64> = facts.profile.lanes.iter().map(|lane| lane.end - lane.start).collect();
    let mismatch =
        || ReportError::Damaged("the file of events belongs to another record or is incomplete".to_owned());
    for line in reader {
        if let Line::Event(event) = line? {
            let lane = left.get_mut(event.lane as usize).ok_or_else(mismatch)?;
            *lane = lane.checked_sub(event.ns).ok_or_else(mismatch)?;
            let name = &names[event.function as usize];
            let category = categories.get(name.as_str()).copied().unwrap_or("unknown");
            // Readers cannot nest an event without length at the border of two others.
            if event.ns == 0 {
                continue;
            }
            let args = event.node.map(|node| json!({ "node": node }));
            list.add(&complete(name, category, event.lane, event.start, event.ns, args))?;
        }
    }
    if left.iter().all(|ns| *ns == 0) { Ok(()) } else { Err(mismatch()) }
}

/// Returns an event with start and duration in microseconds. Readers add the two to find the end, so both are
/// rounded to fractions that floating point represents exactly: one event ends where the next begins.
fn complete(name: &str, category: &str, lane: u32, start: u64, ns: u64, args: Option<Value>) -> Value {
    let micros = |ns: u64| (ns as f64 * 1.024).round() / 1024.0;
    let (ts, dur) = (micros(start), micros(start + ns) - micros(start));
    let mut event = json!({
        "ph": "X", "name": name, "cat": category, "pid": 1, "tid": lane, "ts": ts, "dur": dur,
    });
    if let Some(args) = args {
        event["args"] = args;
    }
    event
}

struct List<'o> {
    out: &'o mut dyn Write,
    first: bool,
}

impl List<'_> {
    fn add(&mut self, event: &Value) -> std::io::Result<()> {
        if !std::mem::take(&mut self.first) {
            self.out.write_all(b",\n")?;
        }
        Ok(serde_json::to_writer(&mut *self.out, event)?)
    }
}
