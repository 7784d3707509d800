//! `batt profile`, on records of `batt run --profile`.

mod batt;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use batt::Batt;

/// Records a run of the built-in set.
fn recorded(test: &str, options: &str) -> Batt {
    let batt = Batt::new(test);
    let text = batt.run(&format!("run demo --record {{dir}}/run.json --profile {options}"));
    assert!(text.ends_with("exit 0\n"), "{text}");
    batt
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text.lines().next().unwrap()).unwrap()
}

#[test]
fn every_view_first_shows_whether_the_run_is_right() {
    let batt = recorded("profile-views", "--threads 1");
    for view in [
        "dsl",
        "dsl -i rooms wallpaper_hole",
        "dsl -n 10 --start 5",
        "framework",
        "phases",
        "phases --tasks 79",
        "tasks",
        "tasks -k 3",
        "lines -i rooms",
    ] {
        let (name, rest) = view.split_once(' ').unwrap_or((view, ""));
        let text = batt.run(&format!("profile {name} {{dir}}/run.json {rest} --allow-invalid"));
        let lines: Vec<&str> = text.lines().collect();
        let document =
            json(&batt.run(&format!("profile {name} {{dir}}/run.json {rest} --allow-invalid --json")));
        // The machine may be busy, which the line before says.
        let noise = &document["validity"][0]["noise"];
        let first = usize::from(noise["disturbed"] == true);
        assert_eq!((first == 1).then_some(lines[0]), noise["warning"].as_str());
        assert!(lines[first].contains("79 of 79 programs right · unaccounted "), "{text}");
        assert!(text.ends_with("exit 0\n"), "{text}");
        assert_eq!((&document["schema"], &document["validity"][0]["programs"]), (&1.into(), &79.into()));
    }
    let what_if = json(&batt.run("profile what-if {dir}/run.json objects=3x --json --allow-invalid"));
    assert_eq!((&what_if["workers"], &what_if["error"]), (&1.into(), &0.0.into()), "exact with one worker");
    let budget =
        batt.run("profile budget 8h {dir}/run.json --what-if objects=3x --quota 0.5 --allow-invalid");
    assert!(budget.contains("as recorded") && budget.contains("objects=3x"), "{budget}");
    let lines = batt.run("profile lines {dir}/run.json -i rooms --allow-invalid");
    assert!(lines.contains("def solve_rooms(I):"), "{lines}");
}

/// Records that were disturbed say so first, in every view and in the summary of the run.
#[test]
fn every_view_first_shows_a_disturbance() {
    let batt = recorded("profile-disturbed", "--threads 2");
    let mut record: serde_json::Value = serde_json::from_str(&batt.read("run.json")).unwrap();
    // As if the workers had not run for half of the time.
    for task in record["profile"]["tasks"].as_array_mut().unwrap() {
        let wall = task["end"].as_u64().unwrap() - task["start"].as_u64().unwrap();
        task["cpu"] = (wall / 2).into();
    }
    for lane in record["profile"]["lanes"].as_array_mut().unwrap() {
        for (field, value) in [("cpu", 0), ("queued", 0), ("preemptions", 206)] {
            lane[field] = value.into();
        }
    }
    let batt = batt.file("half.json", record.to_string());
    let views = [
        "dsl half.json",
        "framework half.json",
        "phases half.json",
        "tasks half.json",
        "lines half.json -i rooms",
        "what-if half.json",
        "what-if half.json objects=2x",
        "budget 8h half.json",
        "budget half.json --nodes 2",
        "compare half.json half.json",
    ];
    for view in views {
        let text = batt.run(&format!("profile {} --allow-invalid", view.replace("half", "{dir}/half")));
        // The replay of a disturbed schedule may be off.
        if text.contains("cannot predict anything") {
            continue;
        }
        let first = text.lines().next().unwrap();
        let start = if view.starts_with("compare") { "record 1, disturbed: " } else { "disturbed: " };
        assert!(first.starts_with(&format!("{start}other work had the CPU for ")), "{view}: {text}");
        assert!(first.contains(" (618 preemptions); figures are uncertain by that much; "), "{view}: {text}");
    }
}

/// Recordings of the same run on a busy machine may be unsure, but they do not contradict each other.
#[test]
fn recordings_on_a_busy_machine_do_not_contradict_each_other() {
    let batt = Batt::new("profile-busy");
    let stop = AtomicBool::new(false);
    let busy = || {
        while !stop.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let recordings: Vec<(serde_json::Value, serde_json::Value)> = std::thread::scope(|scope| {
        (0..2 * cores).for_each(|_| drop(scope.spawn(busy)));
        let record = |_| {
            let summary = batt.run("run demo --record {dir}/run.json --profile --overwrite");
            let view = |name: &str| {
                json(&batt.run(&format!("profile {name} {{dir}}/run.json --json --allow-invalid")))
            };
            let (dsl, framework) = (view("dsl"), view("framework"));
            let first = summary.lines().next().filter(|line| line.starts_with("disturbed: "));
            assert_eq!(first, dsl["validity"][0]["noise"]["warning"].as_str(), "{summary}");
            (dsl, framework)
        };
        let recordings = (0..5).map(record).collect();
        stop.store(true, Ordering::Relaxed);
        recordings
    });
    let mut priorities = BTreeMap::<String, BTreeSet<String>>::new();
    let mut slowest = BTreeSet::new();
    let mut largest = BTreeSet::new();
    for (dsl, framework) in &recordings {
        let noise = &dsl["validity"][0]["noise"];
        // The warning is there if, and only if, the disturbance is measured and large.
        let is_large = noise["share"].as_f64().is_some_and(|share| share > 0.02);
        assert_eq!((noise["disturbed"].as_bool(), noise["warning"].is_string()), (Some(is_large), is_large));
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        for row in dsl["rows"].as_array().unwrap().iter().filter(|row| row["priority"] != "UNCLEAR") {
            priorities.entry(text(&row["name"])).or_default().insert(text(&row["priority"]));
        }
        if dsl["tied"].as_array().unwrap().is_empty() {
            slowest.insert(text(&dsl["rows"][0]["name"]));
        }
        let sentence = &framework["advice"]["sentences"][0];
        if sentence["sure"] == true {
            largest.insert(text(&sentence["text"]).split(" is ").nth(1).unwrap().to_owned());
        }
    }
    let contradictions: Vec<_> = priorities.iter().filter(|(_, priorities)| priorities.len() > 1).collect();
    assert!(contradictions.is_empty(), "{contradictions:?}");
    assert!(slowest.len() <= 1, "{slowest:?}");
    assert!(largest.len() <= 1, "{largest:?}");
}

#[test]
fn everything_that_could_be_faster_is_listed() {
    let batt = recorded("profile-levers", "--threads 1");
    let text = batt.run("profile what-if {dir}/run.json --allow-invalid");
    assert!(text.contains("\ncategory:primitives  ") && text.ends_with("exit 0\n"), "{text}");
    let list = json(&batt.run("profile what-if {dir}/run.json --json --allow-invalid"));
    let levers = list["levers"].as_array().unwrap();
    let brings = |lever: &serde_json::Value| lever["twice"]["middle"].as_f64().unwrap();
    // Those that bring little are only counted, and their number depends on the time that files took.
    let n_levers = levers.len() + list["others"].as_u64().unwrap() as usize;
    assert!(n_levers > 20 && levers.is_sorted_by(|a, b| brings(a) >= brings(b)), "{list}");
    // A lever is the what-if of its name.
    for lever in levers.iter().filter(|it| !it["what"].as_str().unwrap().contains(' ')).step_by(4) {
        let what = format!("profile what-if {{dir}}/run.json {}=2x", lever["what"].as_str().unwrap());
        let what_if = json(&batt.run(&format!("{what} --json --allow-invalid")));
        let saved = what_if["wall"].as_f64().unwrap() - what_if["predicted"]["middle"].as_f64().unwrap();
        assert!((saved - brings(lever)).abs() < 1.0, "{lever}: {saved}");
    }
}

/// On every lane of the record, the parts add up to the wall time.
#[test]
fn the_recording_adds_up() {
    for options in ["", "--deep", "--threads 3 --all-pairs --fuel 3000", "--no-sharing --all-demos"] {
        let batt = recorded_any("profile-sums", options);
        let record: serde_json::Value = serde_json::from_str(&batt.read("run.json")).unwrap();
        let profile = &record["profile"];
        let sum = |booked: &serde_json::Value| -> u64 {
            booked.as_array().unwrap().iter().map(|it| it[1].as_u64().unwrap()).sum()
        };
        for (number, lane) in profile["lanes"].as_array().unwrap().iter().enumerate() {
            let tasks = profile["tasks"].as_array().unwrap().iter().filter(|task| task["lane"] == number);
            let within: u64 = tasks.map(|task| sum(&task["booked"])).sum();
            let wall = lane["end"].as_u64().unwrap() - lane["start"].as_u64().unwrap();
            assert_eq!(sum(&lane["between"]) + within, wall);
        }
        assert_eq!(profile["tasks"].as_array().unwrap().len(), 79);
    }
}

/// Like [`recorded`], for runs that may have wrong programs.
fn recorded_any(test: &str, options: &str) -> Batt {
    let batt = Batt::new(test);
    batt.run(&format!("run demo --record {{dir}}/run.json --profile {options}"));
    batt
}

/// Fuel, calls and hits do not depend on whether and how closely a run is recorded.
#[test]
fn recording_does_not_change_results() {
    let batt = Batt::new("profile-same");
    for (file, options) in [("plain", ""), ("nodes", "--profile"), ("deep", "--profile --deep")] {
        batt.run(&format!("run demo --threads 1 --record {{dir}}/{file}.json {options}"));
    }
    let without = |file: &str| {
        let text = batt.read(file);
        let text = text.split(",\n\"profile\":").next().unwrap().trim_end_matches(['}', '\n']);
        // The environment contains the elapsed time.
        text.lines().filter(|line| !line.starts_with("\"environment\":")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(without("plain.json"), without("nodes.json"));
    assert_eq!(without("plain.json"), without("deep.json"));
    let counts = |file: &str| {
        let record: serde_json::Value = serde_json::from_str(&batt.read(file)).unwrap();
        let mut counts = Vec::new();
        for task in record["profile"]["tasks"].as_array().unwrap() {
            let nodes = task["nodes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| (it[0].clone(), it[1].clone(), it[4].clone()));
            let inner = task["inner"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| (it[0].clone(), it[1].clone(), it[2].clone()));
            counts.push((task["id"].clone(), nodes.collect::<Vec<_>>(), inner.collect::<Vec<_>>()));
        }
        counts
    };
    assert_eq!(counts("nodes.json").len(), 79);
    assert_eq!(counts("nodes.json"), counts("deep.json"));
}

#[test]
fn a_run_that_does_not_start_leaves_no_files() {
    let batt = Batt::new("profile-none");
    let output =
        batt.run("run {dir}/nowhere --programs programs/demo.py --record {dir}/run.json --profile --events");
    assert!(output.ends_with("exit 2\n"), "{output}");
    assert_eq!(std::fs::read_dir(batt.path("")).unwrap().count(), 0);
}

#[test]
fn an_invalid_record_is_reported_once() {
    let batt = Batt::new("profile-no-record").file("no.json", "{\"a\":1}");
    let error = "error: {dir}/no.json: not a record: missing field `schema` at line 1 column 7\nexit 2\n";
    assert_eq!(batt.run("report {dir}/no.json"), error);
}

#[test]
fn events_are_written_next_to_the_record() {
    let batt = recorded("profile-events", "--events --threads 2");
    let sums = json(&batt.run("profile events {dir}/run.events.jsonl --json"));
    let record: serde_json::Value = serde_json::from_str(&batt.read("run.json")).unwrap();
    let lanes = record["profile"]["lanes"].as_array().unwrap().iter();
    let lanes: u64 = lanes.map(|it| it["end"].as_u64().unwrap() - it["start"].as_u64().unwrap()).sum();
    assert_eq!((sums["total"].as_u64(), sums["tasks"].as_u64()), (Some(lanes), Some(79)));
    let chrome = batt.run("profile export {dir}/run.json --format chrome -o {dir}/trace.json");
    assert_eq!(chrome, "exit 0\n");
    let trace: serde_json::Value = serde_json::from_str(&batt.read("trace.json")).unwrap();
    assert!(trace["traceEvents"].as_array().unwrap().len() as u64 > sums["events"].as_u64().unwrap());
    // Cut off, of another format, of a future version.
    let events = batt.read("run.events.jsonl");
    let batt = batt
        .file("cut.jsonl", &events[..events.len() / 2])
        .file("foreign.jsonl", "{\"a\":1}\n")
        .file("future.jsonl", events.replacen("\"batt-events\":1", "\"batt-events\":9", 1))
        .file("few.jsonl", events.lines().take(4).map(|line| format!("{line}\n")).collect::<String>());
    for (file, message) in [
        ("cut", "cut off"),
        ("foreign", "not a file of events"),
        ("future", "version 9"),
        ("few", "cut off after"),
        ("none", "No such file"),
    ] {
        let text = batt.run(&format!("profile events {{dir}}/{file}.jsonl"));
        assert!(text.contains(message) && text.ends_with("exit 2\n"), "{text}");
    }
    // An export that fails halfway keeps the existing file.
    let batt = batt.file("run.events.jsonl", &events[..events.len() / 2]).file("trace.json", "before");
    let text = batt.run("profile export {dir}/run.json --format chrome -o {dir}/trace.json --overwrite");
    assert!(text.contains("run.events.jsonl: ") && text.contains("cut off"), "{text}");
    assert!(text.ends_with("exit 2\n"), "{text}");
    assert_eq!(batt.read("trace.json"), "before");
    // It prints nothing, either.
    let text = batt.run("profile export {dir}/run.json --format chrome");
    assert!(text.starts_with("error: ") && text.ends_with("exit 2\n"), "{text}");
    // Events of another recording are refused.
    batt.run("run demo --record {dir}/other.json --profile --events --threads 2");
    let other = batt.read("other.events.jsonl");
    let batt = batt.file("run.events.jsonl", other);
    let text = batt.run("profile export {dir}/run.json --format chrome");
    assert!(text.contains("belongs to another record") && text.ends_with("exit 2\n"), "{text}");
    std::fs::remove_file(batt.path("run.events.jsonl")).unwrap();
    let text = batt.run("profile export {dir}/run.json --format chrome");
    assert!(text.contains("run.events.jsonl: No such file"), "{text}");
}

#[test]
fn invalid_records_and_arguments_are_explained() {
    let batt = recorded("profile-errors", "--threads 1");
    let text = batt.read("run.json");
    let batt = batt
        .file("cut.json", &text[..text.len() / 3])
        .file("foreign.json", "{\"tasks\":[]}")
        .file("future.json", text.replacen("{\"schema\":2", "{\"schema\":7", 1))
        .file(
            "later.json",
            text.replacen("\"profile\":{\"version\":1", "\"profile\":{\"version\":7,\"x\":[", 1)
                .replacen(",\"x\":[", "", 1),
        )
        .file(
            "damaged.json",
            text.replacen("\"name\":\"main\",\"start\":", "\"name\":\"main\",\"start\":1", 1),
        );
    batt.run("run demo --record {dir}/plain.json");
    for (args, message) in [
        ("dsl {dir}/cut.json", "cut off after"),
        ("dsl {dir}/foreign.json", "not a record: missing field"),
        ("dsl {dir}/future.json", "schema 7"),
        ("dsl {dir}/later.json", "the profile has version 7"),
        ("dsl {dir}/damaged.json", "damaged"),
        ("dsl {dir}/plain.json", "no profile; make one with"),
        ("dsl {dir}/run.json -i nothing", "no task nothing"),
        ("dsl {dir}/run.json --start 100", "none of the 79 recorded tasks"),
        ("framework {dir}/run.json -i rooms", "unexpected argument"),
        ("phases {dir}/run.json --tasks 0", "0 is not in"),
        ("what-if {dir}/run.json objets=2x", "nothing is called `objets`"),
        ("what-if {dir}/run.json objects", "write one like `objects=3x`"),
        ("budget 8x {dir}/run.json", "`8x` is not a duration; write 90s"),
        ("budget {dir}/run.json", "give a time budget (`batt profile budget 12h RECORD`), or"),
        ("budget 8h", "give a time budget"),
        ("budget", "required arguments were not provided"),
        ("budget {dir}/run.json --nodes 0", "0 is not in"),
        ("budget {dir}/run.json --cores 0", "0 is not in"),
        ("budget {dir}/run.json --tasks 0", "0 is not in"),
        ("budget {dir}/run.json --nodes 2000000", "at most 1,000,000 cores"),
        ("budget {dir}/run.json --nodes 2 --speed 0", "speed must be above 0"),
        ("budget 8h {dir}/run.json --nodes 2 --quota 2", "--quota must be above 0 and at most 1"),
        ("budget {dir}/run.json --nodes 2 --quota 0.5", "<TIME>"),
        ("budget 8h {dir}/run.json --nodes 2 --what-if objects=2x", "cannot be used with"),
        ("budget {dir}/plain.json --nodes 2", "no profile; make one with"),
        ("budget {dir}/none.json --nodes 2", "none.json"),
        ("lines {dir}/run.json", "79 programs ran"),
        ("tasks {dir}/run.json -k 0", "above 0"),
    ] {
        let text = batt.run(&format!("profile {args}"));
        assert!(text.contains(message) && text.ends_with("exit 2\n"), "{args}: {text}");
    }
    assert!(batt.run("run demo --profile").ends_with("exit 2\n"), "a profile needs a record");
}

#[test]
fn a_job_is_projected_to_a_cluster() {
    let batt = recorded("profile-scale", "--threads 2");
    let text = batt.run("profile budget {dir}/run.json --nodes 100 --tasks 1000000 --allow-invalid");
    let head = "\nprojected: 1,000,000 tasks on 100 nodes of 2 cores, from 79 tasks recorded\n";
    assert!(text.contains(head) && text.ends_with("exit 0\n"), "{text}");
    assert!(text.contains("no cluster was recorded") && !text.contains("\nin 12.0 h: "), "{text}");
    // The options can come first, and the same record gives the same bytes.
    let same = batt.run("profile budget --nodes 100 --allow-invalid --tasks 1000000 {dir}/run.json");
    assert_eq!(same, text);
    let json = |args: &str| json(&batt.run(&format!("profile budget {args} --json --allow-invalid")));
    let budget = json("12h {dir}/run.json --nodes 100 --tasks 1000000");
    let (wall, fitting) = (&budget["projected"]["wall"]["middle"], &budget["budget"]["tasks"]["middle"]);
    let ratio = fitting.as_f64().unwrap() / 1e6 * wall.as_f64().unwrap() / (12.0 * 3600e9);
    // The tail weighs more in the shorter job.
    assert!((0.95..2.0).contains(&ratio), "{budget}");
    let half = json("12h {dir}/run.json --nodes 100 --tasks 1000000 --quota 0.5");
    assert_eq!(half["budget"]["time_ns"].as_f64(), Some(6.0 * 3600e9));
    let small = json("{dir}/run.json --cores 4");
    assert_eq!((&small["tasks"], &small["cores_per_node"]), (&79.into(), &4.into()));
    assert_eq!((&small["projected"]["nodes"], &small["budget"]), (&1.into(), &serde_json::Value::Null));
    // Without a size, it is the budget of the recorded run.
    assert!(json("12h {dir}/run.json")["rows"][0]["runs_warm"].is_u64());
}

#[test]
fn a_wrong_program_is_named() {
    let batt = Batt::new("profile-wrong")
        .file("p.py", "def solve_rooms(I): return I\n")
        .file("expect", "solve_rooms\n");
    batt.run("run demo --programs {dir}/p.py -i rooms --record {dir}/run.json --profile --threads 1");
    let text = batt.run("profile framework {dir}/run.json");
    let first = "0 of 1 programs right; wrong: solve_rooms · ";
    assert!(text.contains(first) && !text.contains("of 1 programs are wrong"), "{text}");
    batt.run(
        "run demo --programs {dir}/p.py -i rooms --expect {dir}/expect --record {dir}/ok.json --profile",
    );
    let text = batt.run("profile framework {dir}/ok.json --allow-invalid");
    assert!(text.contains("0 of 1 programs right, 1 expected to be wrong; wrong: solve_rooms"), "{text}");
}

#[test]
fn records_can_be_compared() {
    let batt = recorded("profile-compare", "--threads 1 --repeat 4");
    let same = json(
        &batt.run("profile compare {dir}/run.json {dir}/run.json --json --allow-invalid --fail-above 0"),
    );
    assert_eq!((&same["regression"], &same["wall"]["ratio"]), (&false.into(), &0.0.into()));
    assert_eq!(same["repeats"], serde_json::json!([3, 3]));
    // Half of the tasks is less work, not faster work.
    batt.run("run demo -n 40 --threads 1 --record {dir}/half.json --profile --repeat 4");
    let text = batt.run("profile compare {dir}/half.json {dir}/run.json --allow-invalid");
    assert!(text.contains("note: the tasks differ"), "{text}");
}

#[test]
fn the_log_is_off_by_default() {
    let batt = Batt::new("profile-log");
    assert!(!batt.run("run demo -i rooms").contains("ran programs"));
    let text = batt.run("--log debug run demo --record {dir}/run.json --profile --threads 1");
    assert!(text.contains("ran programs"), "{text}");
    let framework = json(&batt.run("profile framework {dir}/run.json --json --allow-invalid"));
    let categories = framework["categories"].as_array().unwrap();
    let logging = categories.iter().find(|it| it["name"] == "logging").unwrap();
    // Writing a line takes more than 100 ns on any machine.
    assert!(logging["time"].as_u64() > Some(79 * 100), "{logging}");
}

/// Checks that the exported table contains the time of each lane exactly once.
fn check_table(batt: &Batt, record: &str) {
    batt.run(&format!(
        "profile export {{dir}}/{record}.json --format csv -o {{dir}}/{record}.csv --overwrite"
    ));
    let mut sums = std::collections::BTreeMap::<String, u64>::new();
    for line in batt.read(&format!("{record}.csv")).lines().skip(1) {
        let fields: Vec<_> = line.split(',').collect();
        let number = |i: usize| fields[i].parse::<u64>().unwrap();
        *sums.entry(fields[1].to_owned()).or_default() += number(8) + number(9);
    }
    let document: serde_json::Value = serde_json::from_str(&batt.read(&format!("{record}.json"))).unwrap();
    for lane in document["profile"]["lanes"].as_array().unwrap() {
        let wall = lane["end"].as_u64().unwrap() - lane["start"].as_u64().unwrap();
        assert_eq!(sums[lane["name"].as_str().unwrap()], wall, "{lane}");
    }
}

#[test]
fn tables_contain_all_time_at_every_level() {
    for level in ["", "--deep"] {
        check_table(&recorded("profile-table", level), "run");
    }
}

#[test]
fn searches_are_recorded_like_runs() {
    let batt = Batt::new("profile-search");
    let _ = std::fs::remove_file(batt.path("store.sqlite"));
    let few = "-n 4 --fuel-per-task 4000000 --threads 2 --profile";
    for (command, busy) in [
        ("solve demo", "primitives: learn"),
        ("search demo --store {dir}/store.sqlite", "candidate management"),
        ("search demo --store {dir}/store.sqlite --mode enumerate", "primitives: geometry"),
    ] {
        let output =
            batt.run(&format!("{command} {few} --record {{dir}}/s.json --report {{dir}}/s.html --overwrite"));
        assert!(output.ends_with("exit 0\n"), "{output}");
        let framework = json(&batt.run("profile framework {dir}/s.json --allow-invalid --json"));
        let categories = framework["categories"].as_array().unwrap();
        let time = |name: &str| categories.iter().find(|it| it["name"] == name).unwrap()["time"].as_u64();
        assert!(time(busy) > Some(0), "{command}: {framework}");
        let sum: u64 = categories.iter().map(|it| it["time"].as_u64().unwrap()).sum();
        assert_eq!(Some(sum), framework["lane_time"].as_u64());
        check_table(&batt, "s");
        assert!(batt.run("profile lines {dir}/s.json").contains("a solve or a search records no lines"));
        // A task that takes many steps counts as one task.
        let phases = json(&batt.run("profile phases {dir}/s.json --allow-invalid --json"));
        assert!(phases["tasks"].as_u64() <= Some(4), "{command}: {phases}");
        assert!(batt.read("s.html").contains("Solved over time"));
    }
    let text = batt.run("solve demo -n 1 --profile");
    assert!(text.contains("--record") && text.ends_with("exit 2\n"), "{text}");
}
