//! The Trace Event Format for chrome://tracing and Perfetto: a timeline for each thread and device, and a process
//! for each machine of a cluster.

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
    for (number, machine) in facts.profile.machines.iter().enumerate() {
        let (pid, args) = (machine_pid(number as u32), json!({ "name": machine.name }));
        list.add(&json!({ "ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": args }))?;
    }
    let row =
        |lane: u32| Row { pid: facts.profile.lanes[lane as usize].machine.map_or(1, machine_pid), lane };
    for (number, lane) in facts.profile.lanes.iter().enumerate() {
        let Row { pid, lane: tid } = row(number as u32);
        let name = lane.device.map_or_else(|| lane.name.clone(), |_| facts.lane_name(number));
        let args = json!({ "name": name });
        list.add(&json!({ "ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": args }))?;
    }
    for task in &facts.profile.tasks {
        let args = json!({ "cells": task.cells, "cold": task.cold });
        let (start, ns) = (task.start, task.end - task.start);
        list.add(&complete(&task.id, "task", row(task.lane), start, ns, Some(args)))?;
    }
    match events {
        Some(path) => write_events(facts, Reader::open(path)?, row, &mut list)?,
        None => {
            for (from, to) in &facts.profile.lanes[0].waits {
                list.add(&complete("waiting for tasks", "idle", row(0), *from, to - from, None))?;
            }
            for (number, lane) in facts.profile.lanes.iter().enumerate().filter(|it| it.1.device.is_some()) {
                for (from, to) in &lane.waits {
                    let row = row(number as u32);
                    list.add(&complete("waiting for a batch", "idle", row, *from, to - from, None))?;
                }
                for (from, to) in Facts::device_work(lane) {
                    list.add(&complete("batches", "device", row(number as u32), from, to - from, None))?;
                }
            }
        }
    }
    Ok(list.out.write_all(b"\n]}\n")?)
}

/// A row of the timeline: a lane of a process.
struct Row {
    pid: u32,
    lane: u32,
}

/// Returns the number of a machine's process. Process 1 is the one that started the job.
fn machine_pid(machine: u32) -> u32 {
    machine + 2
}

/// Writes all events in the order of the file, one at a time.
fn write_events<R: std::io::BufRead>(
    facts: &Facts<'_>,
    reader: Reader<R>,
    row: impl Fn(u32) -> Row,
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
            list.add(&complete(name, category, row(event.lane), event.start, event.ns, args))?;
        }
    }
    if left.iter().all(|ns| *ns == 0) { Ok(()) } else { Err(mismatch()) }
}

/// Returns an event with start and duration in microseconds. Readers add the two to find the end, so both are
/// rounded to fractions that floating point represents exactly: one event ends where the next begins.
fn complete(name: &str, category: &str, row: Row, start: u64, ns: u64, args: Option<Value>) -> Value {
    let micros = |ns: u64| (ns as f64 * 1.024).round() / 1024.0;
    let (ts, dur) = (micros(start), micros(start + ns) - micros(start));
    let mut event = json!({
        "ph": "X", "name": name, "cat": category, "pid": row.pid, "tid": row.lane, "ts": ts, "dur": dur,
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
