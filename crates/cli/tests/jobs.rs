//! `run`, `solve` and `search` with existing files, with unwritable folders, and when they are stopped: no file of the
//! user is lost, and messages are true.

mod batt;

use batt::Batt;
use serde_json::Value;

const SOLVE: &str = "solve -n 4 --fuel-per-task 2000000 -o {dir}/submission.json";

fn json(text: &str) -> Value {
    serde_json::from_str(text.lines().next().unwrap()).unwrap()
}

#[test]
fn the_same_command_continues_and_another_job_is_refused() {
    let batt = Batt::new("jobs-same");
    assert!(batt.run(SOLVE).ends_with("exit 0\n"));
    let submission = batt.read("submission.json");
    let output = batt.run(SOLVE);
    assert!(output.contains("note: resumed 4 tasks of an earlier part of this job\n"), "{output}");
    assert_eq!(batt.read("submission.json"), submission);
    let state = batt.read("submission.json.state");
    // Another seed, other tasks, other programs: other jobs.
    for (other, differs) in [
        ("--seed 7", "another seed"),
        ("--without breed", "other steps"),
        ("--programs programs/examples.py", "other programs"),
        ("--start 1", "other tasks"),
    ] {
        for options in [other.to_owned(), format!("{other} --resume")] {
            let output = batt.run(&format!("{SOLVE} {options}"));
            assert!(output.contains(differs) && output.ends_with("exit 2\n"), "{options}: {output}");
            assert!(output.contains("solve of demo (4 tasks, seed 0)"), "{options}: {output}");
            let (now, then) = (batt.read("submission.json"), batt.read("submission.json.state"));
            assert!(now == submission && then == state, "{options}: the files were touched");
        }
        assert!(
            batt.run(&format!("{SOLVE} {other}"))
                .contains("and --resume; otherwise use --overwrite to replace it")
        );
    }
    // More effort is the same job; --overwrite starts another.
    let output = batt.run(&SOLVE.replace("2000000", "2500000"));
    assert!(output.contains("resumed 4 tasks") && output.ends_with("exit 0\n"), "{output}");
    let output = batt.run(&format!("{SOLVE} --seed 7 --overwrite"));
    assert!(!output.contains("resumed") && output.ends_with("exit 0\n"), "{output}");
    assert!(batt.read("submission.json.state").contains("\"seed\":7"));
}

#[test]
fn other_files_are_not_replaced() {
    let batt = Batt::new("jobs-foreign")
        .file("mine.json", "{\"my\": \"answers\"}")
        .file("mine.py", "def f(I): return I\n")
        .file("mine.html", "<p>my page</p>");
    let run = "run -n 3";
    let solve = "solve -n 2 --fuel-per-task 100000";
    for (command, option) in [
        (run, "-o {dir}/mine.json"),
        (run, "--record {dir}/mine.json"),
        (run, "--report {dir}/mine.html"),
        (solve, "-o {dir}/mine.json"),
        (solve, "--record {dir}/mine.json"),
        (solve, "--export {dir}/mine.py"),
        (solve, "--report {dir}/mine.html"),
        ("search -n 2 --fuel-per-task 1000 --store {dir}/s.sqlite", "--record {dir}/mine.json"),
    ] {
        let output = batt.run(&format!("{command} {option}"));
        assert!(
            output.contains(" already exists: ") && output.ends_with("exit 2\n"),
            "{command} {option}: {output}"
        );
        assert!(output.contains("--overwrite"), "{output}");
    }
    assert_eq!(batt.read("mine.json"), "{\"my\": \"answers\"}");
    assert_eq!(batt.read("mine.py"), "def f(I): return I\n");
    assert_eq!(batt.read("mine.html"), "<p>my page</p>");
    // Reports and records of the same run are replaced.
    for _ in 0..2 {
        let output = batt.run("run -n 3 --record {dir}/run.json --report {dir}/run.html");
        assert!(output.ends_with("exit 0\n"), "{output}");
    }
    let output = batt.run("run -n 4 --record {dir}/run.json");
    assert!(
        output.contains("it belongs to another job, run of demo (3 tasks), with other tasks"),
        "{output}"
    );
    assert!(batt.run("run -n 4 --record {dir}/run.json --overwrite").ends_with("exit 0\n"));
}

#[test]
fn a_partial_submission_is_called_incomplete() {
    let batt = Batt::new("jobs-part");
    let output = batt.run(SOLVE);
    let part = "note: {dir}/submission.json is incomplete: 4 of 79 tasks of demo, all with answers\n";
    assert!(output.contains(part) && !output.contains("ready to submit"), "{output}");
    assert!(batt.run("check {dir}/submission.json demo").ends_with("exit 1\n"));
    let output = batt.run("run -o {dir}/whole.json");
    assert!(
        output
            .contains("note: {dir}/whole.json is ready to submit: all 79 tasks of demo, all with answers\n"),
        "{output}"
    );
    assert!(batt.run("check {dir}/whole.json demo").ends_with("exit 0\n"));
    let output = batt.run("solve -n 2 --fuel-per-task 100000 --export {dir}/x.py");
    assert!(
        output.contains("note: wrote {dir}/x.py\n") && !output.contains("no file was written"),
        "{output}"
    );
    let output = batt.run("solve -n 2 --fuel-per-task 100000");
    assert!(
        output.contains("note: no file was written; use -o submission.json to write a submission\n"),
        "{output}"
    );
}

#[test]
fn unwritable_files_are_reported_before_the_work() {
    let batt = Batt::new("jobs-unwritable").file("folder/x", "");
    for option in ["-o", "--record", "--report", "--export"] {
        for target in ["nowhere/x", "folder"] {
            let output = batt.run(&format!("solve --budget 10m {option} {{dir}}/{target}"));
            assert!(output.contains(&format!("cannot write {{dir}}/{target}: ")), "{output}");
            assert!(output.ends_with("exit 2\n"), "{output}");
        }
    }
    assert_eq!(std::fs::read_dir(batt.path("")).unwrap().count(), 1, "a file was left behind");
}

#[cfg(target_os = "linux")]
#[test]
fn answers_survive_a_full_disk() {
    let batt = Batt::new("jobs-full");
    let rescued = std::env::temp_dir().join("rescued-full");
    let _ = std::fs::remove_file(&rescued);
    let output = batt.run("run -n 79 -o /dev/full");
    let place = format!("the result was saved to {} instead\nexit 2\n", rescued.display());
    assert!(
        output.contains("cannot write /dev/full: No space left on device") && output.ends_with(&place),
        "{output}"
    );
    let output = batt.run(&format!("check {} demo", rescued.display()));
    assert!(output.ends_with("exit 0\n"), "{output}");
    std::fs::remove_file(rescued).unwrap();
}

#[test]
fn the_hash_of_a_data_set_is_the_same_everywhere() {
    let batt = Batt::new("jobs-hash");
    let listed = json(&batt.run("data list --json"));
    let sets = listed["sets"].as_array().unwrap();
    let demo = sets.iter().find(|set| set["name"] == "demo").unwrap()["hash"].as_str().unwrap().to_owned();
    batt.run("run --record {dir}/run.json");
    batt.run("solve --fuel-per-task 1000 --record {dir}/solve.json");
    batt.run(
        "search --mode enumerate --fuel-per-task 1000 --store {dir}/s.sqlite --record {dir}/search.json",
    );
    let mut tasks = Vec::new();
    for kind in ["run", "solve", "search"] {
        let record: Value = serde_json::from_str(&batt.read(&format!("{kind}.json"))).unwrap();
        assert_eq!(record["kind"], kind);
        assert!(demo.starts_with(record["setup"]["data"]["hash"].as_str().unwrap()), "{kind}");
        assert_eq!(record["finished"], true);
        let hashes = record["tasks"].as_array().unwrap().iter().map(|task| task["hash"].clone());
        tasks.push(hashes.collect::<Vec<_>>());
        assert!(batt.run(&format!("report {{dir}}/{kind}.json")).ends_with("exit 0\n"));
        assert!(batt.read(&format!("{kind}.html")).contains(&demo[..16]), "{kind}");
    }
    assert!(tasks[0] == tasks[1] && tasks[1] == tasks[2], "hashes of tasks differ");
}

#[test]
fn older_records_get_a_clear_error() {
    let old = "{\"schema\":1,\"right\":{\"all\":true},\n\"run\":{}}\n";
    let batt = Batt::new("jobs-old").file("old.json", old).file("x.json", "").file("x.json.state", old);
    for command in
        ["report {dir}/old.json", "profile dsl {dir}/old.json", "run --record {dir}/old.json", SOLVE]
    {
        let command = command.replace("submission.json", "x.json");
        let output = batt.run(&command);
        assert!(output.contains("has schema 1, this version of batt reads schema 2"), "{command}: {output}");
        assert!(output.ends_with("exit 2\n"), "{output}");
    }
    assert_eq!(batt.read("old.json"), old);
}

#[test]
fn a_wrong_program_is_named_and_the_profile_stays_valid() {
    let wrong = "def solve_largest(I): return I\ndef solve_enclosed(I):\n    return I\n";
    let batt = Batt::new("jobs-wrong").file("p.py", wrong);
    let output = batt.run("run examples --programs {dir}/p.py --record {dir}/run.json --profile");
    assert!(output.ends_with("exit 1\n"), "{output}");
    let output = batt.run("profile phases {dir}/run.json --allow-invalid");
    // If the machine is busy, the line before says so.
    let first = output.lines().find(|line| !line.starts_with("disturbed: ")).unwrap();
    let (reason, programs) =
        first.split_once(" · ").filter(|it| it.0.starts_with("INVALID")).unwrap_or(("", first));
    let expected = "0 of 2 programs right; wrong: solve_enclosed, solve_largest · unaccounted ";
    assert!(programs.starts_with(expected) && output.ends_with("exit 0\n"), "{output}");
    // A busy machine can interrupt a run of a few milliseconds where no function is timed.
    assert!(reason.is_empty() || reason.ends_with("of the time is unaccounted"), "{output}");
    // The record has the first wrong line, so that a report need not run the program.
    let record: Value = serde_json::from_str(&batt.read("run.json")).unwrap();
    let tasks = record["tasks"].as_array().unwrap();
    let enclosed = tasks.iter().find(|task| task["id"] == "enclosed").unwrap();
    let wrong = &enclosed["first_wrong_line"];
    assert!(wrong["reason"].as_str().unwrap().starts_with("no line is wrong: the answer, "), "{wrong}");
    assert_eq!(record["programs"][wrong["program"].as_u64().unwrap() as usize]["name"], "solve_enclosed");
}

#[test]
fn logs_list_events() {
    let batt = Batt::new("jobs-log");
    let output = batt.run(&format!("{SOLVE} --log info"));
    for event in ["started tasks=4", "round number=1 open=4", "saved path={dir}/submission.json", "ended"] {
        assert!(output.contains(event), "{event}: {output}");
    }
    let output = batt.run("run -n 3 --log debug");
    assert!(output.contains("task done task=\"across_the_wall\" solved=true"), "{output}");
}

#[cfg(unix)]
mod stopped {
    use std::process::{Child, Command, Output, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    /// Far more than a command needs to write its first file, or to end after Ctrl-C, on a loaded machine.
    const LONG: Duration = Duration::from_secs(100);

    fn start(batt: &Batt, args: &str) -> Child {
        let dir = batt.path("");
        let args = args
            .split_whitespace()
            .map(|arg| arg.replace("{dir}", dir.to_str().unwrap().trim_end_matches('/')));
        Command::new(env!("CARGO_BIN_EXE_batt"))
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn wait_for(batt: &Batt, file: &str, child: &mut Child) {
        let start = Instant::now();
        while !batt.path(file).exists() {
            assert!(child.try_wait().unwrap().is_none(), "it ended without {file}");
            assert!(start.elapsed() < LONG, "it takes too long to write {file}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn interrupt(child: Child) -> Output {
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        child.wait_with_output().unwrap()
    }

    #[test]
    fn ctrl_c_prints_the_command_that_continues() {
        let batt = Batt::new("jobs-ctrl-c");
        let args = "solve demo --fuel-per-task 20000000 --threads 1 -o {dir}/my submission.json";
        let args = args.replace("my submission", "submission");
        let mut child = start(&batt, &args);
        wait_for(&batt, "submission.json", &mut child);
        let process = interrupt(child);
        let output = String::from_utf8(process.stdout).unwrap();
        assert_eq!(process.status.code(), Some(1), "{output}");
        let command = output.lines().find_map(|line| line.strip_prefix("note: stopped; to continue: "));
        let command = command.unwrap_or_else(|| panic!("{output}"));
        assert!(command.ends_with("/submission.json --resume"), "{command}");
        let (program, command) = command.split_once(' ').unwrap();
        assert!(program.ends_with("/batt"), "{program}");
        assert!(command.starts_with("solve demo --fuel-per-task"), "{command}");
        // The command works as printed. With little fuel it ends soon.
        let output = batt.run(&command.replace("20000000", "1000"));
        assert!(
            output.contains("tasks of an earlier part of this job") && output.ends_with("exit 0\n"),
            "{output}"
        );
        let output = batt.run("run -n 1 --threads 1");
        assert!(!output.contains("to continue"), "{output}");
    }

    /// Returns 400 programs whose constants take about a second each to compute.
    fn expensive_constants() -> String {
        let program = |k: usize| {
            format!(
                "def solve_{k}(I):\n    x = size(interval({k}, 7000000, 1))\n    return canvas(x, UNITY)\n\n"
            )
        };
        (0..400).map(program).collect()
    }

    #[test]
    fn expensive_constants_do_not_delay_the_first_file_or_a_stop() {
        let batt = Batt::new("jobs-constants").file("p.py", expensive_constants());
        let args = "solve demo --programs {dir}/p.py --budget 10m --threads 1 -o {dir}/submission.json";
        let mut child = start(&batt, args);
        wait_for(&batt, "submission.json", &mut child);
        let start = Instant::now();
        let process = interrupt(child);
        assert!(start.elapsed() < LONG, "Ctrl-C waited for the constants");
        let output = String::from_utf8_lossy(&process.stdout).into_owned();
        assert!(process.status.code() == Some(1) && output.contains("note: stopped"), "{output}");
        assert!(batt.run("check {dir}/submission.json demo").ends_with("exit 0\n"));
    }

    #[test]
    fn a_failed_save_is_tried_again_and_progress_is_printed() {
        let batt = Batt::new("jobs-retry").file("out/x", "");
        let mut child = start(
            &batt,
            "solve demo --budget 14s --threads 1 -o {dir}/out/submission.json --record {dir}/run.json",
        );
        wait_for(&batt, "out/submission.json", &mut child);
        // The folder is missing while files are due, like a disconnected network drive.
        std::fs::rename(batt.path("out"), batt.path("away")).unwrap();
        std::thread::sleep(Duration::from_secs(7));
        std::fs::rename(batt.path("away"), batt.path("out")).unwrap();
        let process = child.wait_with_output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&process.stdout), String::from_utf8_lossy(&process.stderr));
        assert_eq!(process.status.code(), Some(0), "{out}{err}");
        assert!(
            err.contains("warning: cannot write ") && err.contains("trying again at the next save"),
            "{err}"
        );
        assert!(err.contains("progress: ") && err.contains(" of 79 tasks done, "), "{err}");
        assert!(batt.run("check {dir}/out/submission.json demo").ends_with("exit 0\n"));
        let left: Vec<_> =
            std::fs::read_dir(batt.path("out")).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{left:?}");
    }
}
