//! `batt solve`: results do not depend on threads, files are complete at any moment, answers are programs.

mod batt;

use std::collections::BTreeSet;

use batt::Batt;
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Returns the two attempts for every output, without their order.
fn attempts(submission: &Value) -> Vec<(String, Vec<BTreeSet<String>>)> {
    let outputs = |outputs: &Value| {
        let outputs = outputs.as_array().unwrap().iter();
        outputs.map(|output| output.as_object().unwrap().values().map(Value::to_string).collect()).collect()
    };
    submission.as_object().unwrap().iter().map(|(id, task)| (id.clone(), outputs(task))).collect()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let batt = Batt::new("solve-threads");
    for threads in [1, 2] {
        let output = batt.run(&format!(
            "solve --fuel-per-task 3000000 --threads {threads} -o {{dir}}/{threads}.json --record {{dir}}/{threads}.rec \
             --export {{dir}}/{threads}.py"
        ));
        assert!(output.ends_with("exit 0\n"), "{output}");
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
fn exported_programs_give_the_same_answers_and_can_be_explained() {
    let batt = Batt::new("solve-export");
    let output = batt
        .run("solve -n 24 --fuel-per-task 4000000 -o {dir}/solved.json --export {dir}/programs.py --json");
    let solved = json(output.lines().next().unwrap());
    assert!(solved["solved_on_demos"].as_u64().unwrap() > 12, "{output}");
    assert!(batt.run("programs check {dir}/programs.py").ends_with("exit 0\n"));
    batt.run("run demo -n 24 --programs {dir}/programs.py -o {dir}/run.json");
    let (solved, run) = (json(&batt.read("solved.json")), json(&batt.read("run.json")));
    assert_eq!(attempts(&solved), attempts(&run));
    let words = batt.run("programs explain {dir}/programs.py demo --name solve_across_the_wall");
    assert!(words.contains("laid over itself mirrored up-down"), "{words}");
}

#[test]
fn known_programs_are_tried_first() {
    let batt = Batt::new("solve-known");
    let output = batt.run("solve -n 30 --programs programs/demo.py --fuel-per-task 400000 --json");
    let solved = json(output.lines().next().unwrap());
    assert_eq!(solved["solved_on_demos"], 30, "{output}");
    let known =
        solved["answers"].as_array().unwrap().iter().filter(|row| row["mechanism"] == "known program");
    assert!(known.count() > 20, "{output}");
}

#[test]
fn invalid_arguments_are_explained() {
    let batt = Batt::new("solve-errors");
    for (args, message) in [
        ("solve --budget 0", "`0` is too short; write 90s, 10m, 1h30m or 500ms"),
        ("solve --budget 3x", "`3x` is not a duration"),
        ("solve --memory lots", "write 4GB or 500MB"),
        ("solve --memory 399MB", "must be at least 400MB"),
        ("solve --memory 0GB", "must be at least 400MB"),
        ("solve --memory=-5GB", "`-5GB` is not a size"),
        ("solve nowhere.json", "nowhere.json"),
        ("solve --programs LICENSE-MIT", "no usable program in these files"),
        ("solve --resume", "resume: needs the submission file"),
    ] {
        let output = batt.run(args);
        assert!(output.contains(message) && output.ends_with("exit 2\n"), "{args}: {output}");
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

    fn remove_files(batt: &Batt) {
        for file in ["submission.json", "submission.json.state"] {
            let _ = std::fs::remove_file(batt.path(file));
        }
    }

    #[test]
    fn a_killed_solve_leaves_a_complete_submission() {
        let batt = Batt::new("solve-killed");
        remove_files(&batt);
        // Times after the first submission, at any of which it may be being replaced.
        for delay in [0, 20, 90, 400, 1100] {
            remove_files(&batt);
            let mut child = start(&batt, &["--fuel-per-task", "2000000"]);
            while !batt.path("submission.json").exists() {
                assert!(child.try_wait().unwrap().is_none(), "it ended without a file");
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(delay));
            let _ = child.kill();
            child.wait().unwrap();
            let output = batt.run("check {dir}/submission.json demo");
            assert!(output.ends_with("exit 0\n"), "{output}");
        }
    }

    #[test]
    fn a_resumed_solve_gives_the_result_of_an_uninterrupted_one() {
        let batt = Batt::new("solve-resume");
        remove_files(&batt);
        let fuel = ["--fuel-per-task", "3000000"];
        assert!(start(&batt, &fuel).wait().unwrap().success());
        let uninterrupted = batt.read("submission.json");
        remove_files(&batt);
        for delay in [300, 900, 1500] {
            let mut child = start(&batt, &fuel);
            std::thread::sleep(Duration::from_millis(delay));
            // It may have ended by itself.
            let _ =
                Command::new("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status();
            child.wait().unwrap();
        }
        assert!(start(&batt, &[&fuel[..], &["--resume"]].concat()).wait().unwrap().success());
        assert_eq!(batt.read("submission.json"), uninterrupted);
    }

    #[test]
    fn a_budget_is_kept_and_used() {
        let batt = Batt::new("solve-budget");
        remove_files(&batt);
        let output = batt
            .run("solve -i farthest --budget 2s --log info -o {dir}/submission.json --record {dir}/run.json");
        assert!(output.ends_with("exit 0\n"), "{output}");
        let record: serde_json::Value = serde_json::from_str(&batt.read("run.json")).unwrap();
        let search = &record["tasks"][0]["search"];
        // Only the budget can have ended the search: there was more to try, and nobody stopped it.
        assert_eq!((&record["finished"], &search["done"]), (&true.into(), &false.into()), "{output}");
        // The work stops a fiftieth of the budget before its end, neither earlier nor, on a slow machine, much later.
        let seconds = record["environment"]["seconds"].as_f64().unwrap();
        assert!((1.96..60.0).contains(&seconds), "{seconds}");
        // A round that ends before the budget is followed by another one.
        let first_round = record["curve"][0]["seconds"].as_f64().unwrap();
        assert!(first_round > 1.9 || output.contains("round number=2 open=1"), "{output}");
        assert!(search["tried"].as_u64() > Some(0) && search["fuel"].as_u64() > Some(0), "{search}");
    }
}
