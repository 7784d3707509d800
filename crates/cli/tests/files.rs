//! Files that commands write, and files that they must not touch.

mod batt;

use batt::Batt;
use serde_json::Value;

const MINE: &str = "a file of the user\n";

fn names(batt: &Batt) -> Vec<String> {
    let entries = std::fs::read_dir(batt.path("")).unwrap();
    let mut names: Vec<String> =
        entries.map(|it| it.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_report_leaves_no_other_file() {
    let batt = Batt::new("files-report").file("r.record.json", MINE);
    for command in [
        "run -n 3",
        "solve -n 2 --fuel-per-task 100000",
        "search -n 2 --mode enumerate --fuel-per-task 1000 --store {dir}/s.sqlite",
    ] {
        let output = batt.run(&format!("{command} --report {{dir}}/r.html --overwrite"));
        assert!(output.ends_with("exit 0\n"), "{output}");
        let store: &[&str] = if command.starts_with("search") { &["s.sqlite"] } else { &[] };
        assert_eq!(names(&batt), [&["r.html", "r.record.json"], store].concat(), "{command}");
    }
    assert_eq!(batt.read("r.record.json"), MINE);
}

#[test]
fn only_its_own_job_replaces_a_report() {
    let batt = Batt::new("files-own").file("mine.txt", MINE);
    let first = "run -n 3 --report {dir}/r.html";
    assert!(batt.run(first).ends_with("exit 0\n"));
    assert!(batt.run(first).ends_with("exit 0\n"), "the same job replaces it");
    let output = batt.run("run -n 4 --report {dir}/r.html");
    assert!(output.contains("r.html already exists") && output.ends_with("exit 2\n"), "{output}");
    batt.run("run -n 3 --record {dir}/a.json --profile");
    batt.run("run -n 4 --record {dir}/b.json");
    for (command, replaces) in [
        ("report {dir}/a.json -o {dir}/r.html", true),
        ("report {dir}/b.json -o {dir}/r.html", false),
        ("report {dir}/a.json -o {dir}/mine.txt", false),
        ("profile export {dir}/a.json --format csv -o {dir}/mine.txt", false),
        ("plan programs/examples.py --dot {dir}/mine.txt", false),
        ("show kaleidoscope --svg {dir}/mine.txt", false),
    ] {
        let output = batt.run(command);
        match replaces {
            true => assert!(output.ends_with("exit 0\n"), "{command}: {output}"),
            false => assert!(
                output.contains("already exists; use --overwrite to replace it")
                    && output.ends_with("exit 2\n"),
                "{command}: {output}"
            ),
        }
    }
    assert_eq!(batt.read("mine.txt"), MINE);
    assert!(batt.run("show kaleidoscope --svg {dir}/mine.txt --overwrite").ends_with("exit 0\n"));
}

#[test]
fn two_outputs_cannot_share_a_file() {
    let batt = Batt::new("files-twice");
    for outputs in [
        "-o {dir}/x.json --record {dir}/./x.json",
        "-o {dir}/x.json --record {dir}/x.json.state",
        "-o {dir}/x.json --export {dir}/../files-twice/x.json",
    ] {
        let outputs = outputs.replace("files-twice", batt.path("").file_name().unwrap().to_str().unwrap());
        let output = batt.run(&format!("solve -n 2 --fuel-per-task 1000 {outputs}"));
        assert!(
            output.contains("is used for two outputs") && output.ends_with("exit 2\n"),
            "{outputs}: {output}"
        );
        assert!(names(&batt).is_empty(), "{:?}", names(&batt));
    }
    let output = batt.run("solve -n 2 --fuel-per-task 1000 -o -");
    assert!(output.contains("`-` cannot be an output here") && output.ends_with("exit 2\n"), "{output}");
}

#[test]
fn other_event_files_are_not_replaced() {
    let batt = Batt::new("files-events").file("r.events.jsonl", MINE);
    let run = "run -n 3 --record {dir}/r.json --profile --events";
    let output = batt.run(run);
    assert!(output.contains("r.events.jsonl already exists") && output.ends_with("exit 2\n"), "{output}");
    assert_eq!((batt.read("r.events.jsonl").as_str(), names(&batt).len()), (MINE, 1));
    for options in ["--overwrite", ""] {
        let output = batt.run(&format!("{run} {options}"));
        assert!(output.contains("note: wrote {dir}/r.events.jsonl\n"), "{output}");
        assert!(output.ends_with("exit 0\n"), "{output}");
    }
}

#[test]
fn an_edited_export_is_backed_up() {
    let batt = Batt::new("files-export");
    let solve = "solve -n 3 --fuel-per-task 2000000 -o {dir}/s.json --export {dir}/p.py";
    batt.run(solve);
    let exported = batt.read("p.py");
    assert!(!batt.run(solve).contains("p.py was changed"));
    std::fs::write(batt.path("p.py"), format!("# mine\n{exported}")).unwrap();
    let output = batt.run(solve);
    assert!(
        output.contains("p.py was changed since the last export; the changed file is now {dir}/p.py.1.old"),
        "{output}"
    );
    assert_eq!(
        (batt.read("p.py"), batt.read("p.py.1.old")),
        (exported.clone(), format!("# mine\n{exported}"))
    );
}

#[cfg(target_os = "linux")]
#[test]
fn one_failed_file_does_not_affect_others() {
    let batt = Batt::new("files-failed");
    let rescued = || {
        std::fs::read_dir(std::env::temp_dir()).unwrap().flatten().filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.starts_with("rescued-") && name.ends_with("full")
        })
    };
    // Files of an earlier test run must not count.
    rescued().for_each(|entry| std::fs::remove_file(entry.path()).unwrap());
    let others = "--report {dir}/r.html --export {dir}/p.py --record {dir}/r.json";
    for _ in 0..3 {
        let output =
            batt.run(&format!("solve -n 2 --fuel-per-task 100000 -o /dev/full {others} --overwrite"));
        assert!(
            output.contains("cannot write /dev/full") && output.contains("the result was saved to "),
            "{output}"
        );
        assert!(
            output.contains("solved on demos") && output.contains("note: wrote {dir}/r.html"),
            "{output}"
        );
        assert!(output.ends_with("exit 2\n"), "{output}");
        assert_eq!(names(&batt), ["p.py", "r.html", "r.json"]);
    }
    assert!(rescued().count() >= 3, "every result was rescued");
    rescued().for_each(|entry| std::fs::remove_file(entry.path()).unwrap());
}

#[test]
fn fallbacks_are_not_called_answers() {
    let batt = Batt::new("files-fallbacks");
    let output = batt.run("solve demo -o {dir}/s.json --fuel-per-task 0");
    assert!(
        output.contains("is ready to submit: all 79 tasks of demo, 0 with answers, 79 with fallbacks\n"),
        "{output}"
    );
}

#[test]
fn a_search_can_be_repeated() {
    let batt = Batt::new("files-search");
    let search = |store: &str| {
        format!(
            "search demo -n 20 --programs programs/examples.py --fuel-per-task 3000000 \
             --store {{dir}}/{store}.sqlite --record {{dir}}/r.json"
        )
    };
    let record = || {
        let mut record: Value = serde_json::from_str(&batt.read("r.json")).unwrap();
        record["environment"] = Value::Null;
        record
    };
    assert!(batt.run(&search("a")).ends_with("exit 0\n"));
    let first = record();
    assert!(!first["programs"].as_array().unwrap().is_empty(), "no program was found");
    let output = batt.run(&search("a"));
    assert!(
        output.contains("note: resumed, with 20 tasks finished before\n") && output.ends_with("exit 0\n")
    );
    assert_eq!(record(), first);
    let output = batt.run(&search("b"));
    assert!(output.contains("another store") && output.ends_with("exit 2\n"), "{output}");
    assert_eq!(record(), first);
}

#[cfg(unix)]
#[test]
fn two_jobs_do_not_share_a_file() {
    use std::process::{Command, Stdio};
    let batt = Batt::new("files-locked");
    let submission = batt.path("s.json");
    let mut child = Command::new(env!("CARGO_BIN_EXE_batt"))
        .args(["solve", "demo", "--budget", "10m", "--threads", "1", "-o", submission.to_str().unwrap()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !submission.exists() {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    for options in ["", "--seed 7 --overwrite"] {
        let output = batt.run(&format!("solve demo --fuel-per-task 1000 -o {{dir}}/s.json {options}"));
        assert!(output.contains("another job is writing to it") && output.ends_with("exit 2\n"), "{output}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let output = batt.run("solve demo --fuel-per-task 1000 -o {dir}/s.json");
    assert!(output.ends_with("exit 0\n"), "{output}");
    assert_eq!(names(&batt), ["s.json", "s.json.state"], "nothing of the killed job is left");
}

#[cfg(unix)]
#[test]
fn jobs_read_standard_input() {
    let batt = Batt::new("files-stdin");
    let output = batt.run_with_input(
        "run - --programs programs/examples.py --all-pairs",
        include_str!("../../../examples/kaleidoscope.json"),
    );
    assert!(output.contains("1 with programs") && output.ends_with("exit 0\n"), "{output}");
    let output =
        batt.run_with_input("run -i kaleidoscope --programs -", "def solve_kaleidoscope(I):\n    return I\n");
    assert!(output.contains("solve_kaleidoscope: wrong on") && output.ends_with("exit 1\n"), "{output}");
}
