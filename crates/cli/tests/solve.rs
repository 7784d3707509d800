//! `batt solve`: the same bytes however it is run, files that are whole at any moment, answers that are programs.

mod batt;

use std::collections::BTreeSet;

use batt::Batt;
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The two attempts at every output, in no order.
fn attempts(submission: &Value) -> Vec<(String, Vec<BTreeSet<String>>)> {
    let outputs = |outputs: &Value| {
        let outputs = outputs.as_array().unwrap().iter();
        outputs.map(|output| output.as_object().unwrap().values().map(Value::to_string).collect()).collect()
    };
    submission.as_object().unwrap().iter().map(|(id, task)| (id.clone(), outputs(task))).collect()
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let batt = Batt::new("solve-threads");
    for threads in [1, 2] {
        let told = batt.run(&format!(
            "solve --fuel-per-task 3000000 --threads {threads} -o {{dir}}/{threads}.json --record {{dir}}/{threads}.rec \
             --export {{dir}}/{threads}.py"
        ));
        assert!(told.ends_with("exit 0\n"), "{told}");
    }
    assert_eq!(batt.read("1.json"), batt.read("2.json"));
    assert_eq!(batt.read("1.py"), batt.read("2.py"));
    let record = |name: &str| {
        let mut record = json(&batt.read(name));
        record["environment"] = Value::Null;
        record["curve"] = Value::Null;
        record
    };
    assert_eq!(record("1.rec"), record("2.rec"));
    assert!(batt.run("check {dir}/1.json demo").ends_with("exit 0\n"));
}

#[test]
fn answers_are_programs_that_run_reproduces_and_explain_explains() {
    let batt = Batt::new("solve-export");
    let told = batt
        .run("solve -n 24 --fuel-per-task 4000000 -o {dir}/solved.json --export {dir}/programs.py --json");
    let solved = json(told.lines().next().unwrap());
    assert!(solved["solved_on_demos"].as_u64().unwrap() > 12, "{told}");
    assert!(batt.run("programs check {dir}/programs.py").ends_with("exit 0\n"));
    batt.run("run demo -n 24 --programs {dir}/programs.py -o {dir}/run.json");
    let (solved, run) = (json(&batt.read("solved.json")), json(&batt.read("run.json")));
    assert_eq!(attempts(&solved), attempts(&run));
    let words = batt.run("programs explain {dir}/programs.py demo --name solve_across_the_wall");
    assert!(words.contains("laid over itself mirrored up-down"), "{words}");
}

#[test]
fn known_programs_come_first() {
    let batt = Batt::new("solve-known");
    let told = batt.run("solve -n 30 --programs programs/demo.py --fuel-per-task 400000 --json");
    let solved = json(told.lines().next().unwrap());
    assert_eq!(solved["solved_on_demos"], 30, "{told}");
    let known =
        solved["answers"].as_array().unwrap().iter().filter(|row| row["mechanism"] == "known program");
    assert!(known.count() > 20, "{told}");
}

#[test]
fn what_it_cannot_do_it_says() {
    let batt = Batt::new("solve-errors");
    for (args, says) in [
        ("solve --budget 0", "`0` is too short; write 90s, 10m, 1h30m or 500ms"),
        ("solve --budget 3x", "`3x` is not a duration"),
        ("solve --memory lots", "write 4GB or 500MB"),
        ("solve --memory 399MB", "give at least 400MB"),
        ("solve --memory 0GB", "give at least 400MB"),
        ("solve --memory=-5GB", "`-5GB` is not a size"),
        ("solve nowhere.json", "nowhere.json"),
        ("solve --programs README.md", "no usable program in these files"),
        ("solve --resume", "resume: name the submission file"),
    ] {
        let told = batt.run(args);
        assert!(told.contains(says) && told.ends_with("exit 2\n"), "{args}: {told}");
    }
}

#[cfg(unix)]
mod stopped {
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    use crate::batt::Batt;

    fn start(batt: &Batt, options: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_batt"))
            .args(["solve", "demo", "-o", batt.path("submission.json").to_str().unwrap()])
            .args(options)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn clear(batt: &Batt) {
        for file in ["submission.json", "submission.json.state"] {
            let _ = std::fs::remove_file(batt.path(file));
        }
    }

    #[test]
    fn a_killed_solve_leaves_a_submission_that_can_be_handed_in() {
        let batt = Batt::new("solve-killed");
        clear(&batt);
        // Some moments after the first file is there, unevenly spread; it may be replaced at any of them.
        for moment in [0, 20, 90, 400, 1100] {
            clear(&batt);
            let mut child = start(&batt, &["--fuel-per-task", "2000000"]);
            while !batt.path("submission.json").exists() {
                assert!(child.try_wait().unwrap().is_none(), "it ended without a file");
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(moment));
            let _ = child.kill();
            child.wait().unwrap();
            let told = batt.run("check {dir}/submission.json demo");
            assert!(told.ends_with("exit 0\n"), "{told}");
        }
    }

    #[test]
    fn a_solve_that_goes_on_ends_where_one_that_was_not_stopped_ends() {
        let batt = Batt::new("solve-resume");
        clear(&batt);
        let fuel = ["--fuel-per-task", "3000000"];
        assert!(start(&batt, &fuel).wait().unwrap().success());
        let whole = batt.read("submission.json");
        clear(&batt);
        for moment in [300, 900, 1500] {
            let mut child = start(&batt, &fuel);
            std::thread::sleep(Duration::from_millis(moment));
            // It may have ended by itself.
            let _ =
                Command::new("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status();
            child.wait().unwrap();
        }
        assert!(start(&batt, &[&fuel[..], &["--resume"]].concat()).wait().unwrap().success());
        assert_eq!(batt.read("submission.json"), whole);
    }

    #[test]
    fn a_budget_is_kept_and_used() {
        let batt = Batt::new("solve-budget");
        clear(&batt);
        let told = batt.run("solve -i farthest --budget 2s -o {dir}/submission.json --record {dir}/run.json");
        assert!(told.ends_with("exit 0\n"), "{told}");
        let record: serde_json::Value = serde_json::from_str(&batt.read("run.json")).unwrap();
        let seconds = record["environment"]["seconds"].as_f64().unwrap();
        assert!(seconds > 0.0 && record["setup"]["options"]["budget"] == 2.0);
        assert!(!record["curve"].as_array().unwrap().is_empty());
    }
}
