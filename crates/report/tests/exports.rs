//! Exports match the published descriptions of their formats.

mod common;
mod schema;

use batt_record::Record;
use batt_report::export::{self, Format};
use batt_report::{Facts, Selection};
use batt_trace::{Level, Spot};
use common::{OBJECTS, SHIFT, World};
use schema::check;
use serde_json::Value;

fn record(level: Level) -> Record {
    let world = World::new(level);
    world.main(Spot::LOAD, 5_000);
    world.task("a", &[(OBJECTS, 3_000), (SHIFT, 2_000)]);
    world.task_of("b", |world, lane| world.mapply(lane, 4_000, 3, 2_000));
    world.hand.advance(1_000);
    world.finish()
}

fn text(record: &Record, format: Format) -> String {
    let facts = Facts::new(record, &Selection::default()).unwrap();
    let mut out = Vec::new();
    export::write(&facts, format, None, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns the time of all lanes.
fn lane_time(record: &Record) -> u64 {
    record.profile.as_ref().unwrap().lanes.iter().map(|lane| lane.end - lane.start).sum()
}

const LEVELS: [Level; 2] = [Level::Nodes, Level::Deep];

#[test]
fn folded_stacks_contain_all_time_once() {
    for level in LEVELS {
        let record = record(level);
        let mut sum = 0;
        for line in text(&record, Format::Folded).lines() {
            let (stack, ns) = line.rsplit_once(' ').unwrap();
            assert!(
                stack.split(';').count() >= 4 && stack.split(';').all(|frame| !frame.is_empty()),
                "{line}"
            );
            sum += ns.parse::<u64>().unwrap();
        }
        assert_eq!(sum, lane_time(&record));
    }
}

#[test]
fn speedscope_files_match_the_schema() {
    for level in LEVELS {
        let record = record(level);
        let file: Value = serde_json::from_str(&text(&record, Format::Speedscope)).unwrap();
        check(include_str!("schemas/speedscope.json"), &file);
        let n_frames = file["shared"]["frames"].as_array().unwrap().len() as u64;
        let mut sum = 0;
        for profile in file["profiles"].as_array().unwrap() {
            let weights = profile["weights"].as_array().unwrap();
            let samples = profile["samples"].as_array().unwrap();
            assert_eq!(samples.len(), weights.len());
            for frame in samples.iter().flat_map(|sample| sample.as_array().unwrap()) {
                assert!(frame.as_u64().unwrap() < n_frames);
            }
            let total: u64 = weights.iter().map(|it| it.as_u64().unwrap()).sum();
            assert_eq!(profile["endValue"], total);
            sum += total;
        }
        assert_eq!(sum, lane_time(&record));
    }
}

#[test]
fn chrome_files_match_the_schema() {
    let record = record(Level::Nodes);
    let file: Value = serde_json::from_str(&text(&record, Format::Chrome)).unwrap();
    check(include_str!("schemas/chrome.json"), &file);
    let events = file["traceEvents"].as_array().unwrap();
    let tasks: Vec<_> = events.iter().filter(|event| event["cat"] == "task").collect();
    assert_eq!(tasks.len(), 2);
    assert_eq!((tasks[0]["ts"].as_f64(), tasks[0]["dur"].as_f64()), (Some(5.0), Some(5.0)));
}

#[test]
fn machines_are_processes_of_a_timeline() {
    let file: Value = serde_json::from_str(&text(&common::cluster(), Format::Chrome)).unwrap();
    check(include_str!("schemas/chrome.json"), &file);
    let events = file["traceEvents"].as_array().unwrap();
    let named = |kind: &str| {
        let named = events.iter().filter(|event| event["name"] == kind);
        let named = named.map(|it| (it["pid"].as_u64().unwrap(), it["args"]["name"].as_str().unwrap()));
        named.collect::<Vec<_>>()
    };
    assert_eq!(named("process_name"), [(1, "batt 0"), (2, "alpha"), (3, "<b>beta</b>")]);
    assert_eq!(named("thread_name"), [(1, "main"), (2, "core 1"), (3, "core 1"), (2, "core 2")]);
    let row = |event: &Value| (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
    let rows =
        |category: &str| events.iter().filter(|event| event["cat"] == category).map(row).collect::<Vec<_>>();
    assert_eq!(rows("task"), [(2, 1), (2, 3), (3, 2), (2, 1)]);
    assert_eq!(rows("idle"), [(1, 0); 3]);
}

#[test]
fn lanes_of_different_machines_are_kept_apart() {
    let record = common::cluster();
    for (format, lane) in [
        (Format::Folded, "\n<b>beta</b> core 1;"),
        (Format::Csv, ",<b>beta</b> core 1,"),
        (Format::Speedscope, "\"<b>beta</b> core 1\""),
        (Format::Firefox, "\"<b>beta</b> core 1\""),
        (Format::Svg, "&lt;b&gt;beta&lt;/b&gt; core 1: "),
    ] {
        let text = text(&record, format);
        assert!(text.contains(lane), "{text}");
    }
}

#[test]
fn firefox_files_match_the_schema() {
    let record = record(Level::Nodes);
    let file: Value = serde_json::from_str(&text(&record, Format::Firefox)).unwrap();
    check(include_str!("schemas/firefox.json"), &file);
    let mut micros = 0;
    for thread in file["threads"].as_array().unwrap() {
        let samples = &thread["samples"];
        let weights = samples["weight"].as_array().unwrap();
        micros += weights.iter().map(|it| it.as_u64().unwrap()).sum::<u64>();
        let n_stacks = thread["stackTable"]["length"].as_u64().unwrap();
        for stack in samples["stack"].as_array().unwrap() {
            assert!(stack.as_u64().unwrap() < n_stacks);
        }
    }
    assert_eq!(micros * 1_000, lane_time(&record));
}

#[test]
fn a_flame_graph_is_well_formed() {
    let svg = text(&record(Level::Nodes), Format::Svg);
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && svg.ends_with("</svg>\n"));
    // Every tag is closed, in order.
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap()),
        }
    }
    assert_eq!(open, Vec::<&str>::new());
    assert!(svg.contains(">objects</text>") && svg.contains("~shift: "));
}

#[test]
fn csv_adds_up_to_all_time() {
    for level in LEVELS {
        let record = record(level);
        let text = text(&record, Format::Csv);
        let mut lines = text.lines();
        let head: Vec<_> = lines.next().unwrap().split(',').collect();
        let column = |name: &str| head.iter().position(|it| *it == name).unwrap();
        let mut sum = 0;
        for line in lines {
            let fields: Vec<_> = line.split(',').collect();
            assert_eq!(fields.len(), head.len(), "{line}");
            for name in ["measured_ns", "apportioned_ns"] {
                sum += fields[column(name)].parse::<u64>().unwrap();
            }
        }
        assert_eq!(sum, lane_time(&record));
    }
}
