//! `batt run`.

mod batt;

use batt::Batt;
use expect_test::expect;

/// Runs a command, without the lines that contain times.
fn run(batt: &Batt, args: &str) -> String {
    let text = batt.run(args);
    let has_no_time = |line: &&str| !line.starts_with("slowest") && !line.starts_with("throughput");
    text.lines().filter(has_no_time).map(|line| line.to_owned() + "\n").collect()
}

const WRONG: &str = "def solve_largest(I): return I\ndef solve_enclosed(I): return first(())\n\
     def solve_nothing(I): return I\ndef solve_kaleidoscope(I):\n    top = hconcat(I, vmirror(I))\n    \
     return vconcat(top, hmirror(top))\n";

#[test]
fn the_built_in_set_needs_no_arguments() {
    let batt = Batt::new("run-demo");
    expect![[r#"
        tasks                             79, 79 with programs
        right on demos                    79 of 79 programs
        right on tests                    79 of 79 programs
        mean over outputs (Kaggle)        100.00 %, 101 of 101 outputs
        mean over tasks of the fraction   100.00 %, over 79 tasks
        tasks entirely right              100.00 %, 79 of 79 tasks
        not right                         none
        most fuel                         diagonal_stripes 71,900, wallpaper_hole 35,193, rooms 30,422, seeded_boxes 25,950, fill_enclosed 24,430
        exit 0
    "#]].assert_eq(&run(&batt, "run"));
    assert_eq!(run(&batt, "run"), run(&batt, "run demo --programs programs/demo.py"));
}

#[test]
fn wrong_programs_are_listed_and_may_be_expected() {
    let batt = Batt::new("run-wrong")
        .file("p.py", WRONG)
        .file("expect", "solve_largest # not yet\n\nsolve_enclosed\nsolve_kaleidoscope\n")
        .file("unknown", "solve_larges\n");
    expect![[r#"
        solve_enclosed: wrong on 1 of 4 pairs, 3 skipped
          train 0: empty container in first at line 2
        solve_largest: wrong on 1 of 4 pairs, 3 skipped
          train 0: 13 of 132 cells differ

        tasks                             3, 3 with programs
        right on demos                    1 of 3 programs
        right on tests                    1 of 3 programs
        mean over outputs (Kaggle)        33.33 %, 1 of 3 outputs
        mean over tasks of the fraction   33.33 %, over 3 tasks
        tasks entirely right              33.33 %, 1 of 3 tasks
        not right                         wrong 1, empty container 1, skipped 6
        most fuel                         kaleidoscope 1,593, enclosed 1
        note: 1 program did not run: not named after a task of this run
        exit 1
    "#]]
    .assert_eq(&run(&batt, "run examples --programs {dir}/p.py"));
    expect![[r#"
        solve_enclosed: wrong on 4 of 4 pairs (expected)
          train 0: empty container in first at line 2
          train 1: empty container in first at line 2
          train 2: empty container in first at line 2
          test 0: empty container in first at line 2
        solve_largest: wrong on 4 of 4 pairs (expected)
          train 0: 13 of 132 cells differ
          train 1: 13 of 99 cells differ
          train 2: 13 of 110 cells differ
          test 0: 13 of 110 cells differ

        tasks                             3, 3 with programs
        right on demos                    1 of 3 programs
        right on tests                    1 of 3 programs
        mean over outputs (Kaggle)        33.33 %, 1 of 3 outputs
        mean over tasks of the fraction   33.33 %, over 3 tasks
        tasks entirely right              33.33 %, 1 of 3 tasks
        not right                         wrong 4, empty container 4
        most fuel                         kaleidoscope 1,593, enclosed 4
        note: 1 program did not run: not named after a task of this run
        note: right, but listed in {dir}/expect: solve_kaleidoscope
        exit 0
    "#]]
    .assert_eq(&run(&batt, "run examples --programs {dir}/p.py --expect {dir}/expect --all-demos"));
    expect![[r#"
        error: {dir}/unknown: solve_larges is expected to be wrong, but no program has that name; remove it from the list
        exit 2
    "#]]
    .assert_eq(&run(&batt, "run examples --programs {dir}/p.py --expect {dir}/unknown"));
}

#[test]
fn all_pairs_lists_programs_that_solve_other_tasks() {
    let batt = Batt::new("run-all").file(
        "p.py",
        "def a(I): return first(I)\ndef solve_enclosed(I): return I\ndef b(I):\n    top = hconcat(I, vmirror(I))\n    \
         return vconcat(top, hmirror(top))\n",
    );
    expect![[r#"
        b also solves kaleidoscope

        tasks                             2, 2 with programs
        right on demos                    0 of 0 programs
        right on tests                    0 of 0 programs
        mean over outputs (Kaggle)        50.00 %, 1 of 2 outputs
        mean over tasks of the fraction   50.00 %, over 2 tasks
        tasks entirely right              50.00 %, 1 of 2 tasks
        not right                         wrong 1, wrong shape 2, not a grid 2, skipped 15
        most fuel                         largest 2,523, kaleidoscope 1,594
        exit 0
    "#]]
    .assert_eq(&run(&batt, "run examples --programs {dir}/p.py --all-pairs -i kaleidoscope largest"));
    expect![[r#"
        no program solves a task other than its own

        tasks                             1, 1 with programs
        right on demos                    0 of 0 programs
        right on tests                    0 of 0 programs
        mean over outputs (Kaggle)        0.00 %, 0 of 1 output
        mean over tasks of the fraction   0.00 %, over 1 task
        tasks entirely right              0.00 %, 0 of 1 task
        not right                         wrong 1, wrong shape 1, not a grid 1, skipped 9
        most fuel                         largest 2,523
        exit 0
    "#]]
    .assert_eq(&run(&batt, "run examples --programs {dir}/p.py --all-pairs -i largest"));
}

#[test]
fn tasks_can_be_selected() {
    let batt = Batt::new("run-choice").file("broken.py", "def solve_leak(I): return objcts(I)\n");
    expect![[r#"
        tasks                             2, 2 with programs
        right on demos                    2 of 2 programs
        right on tests                    2 of 2 programs
        mean over outputs (Kaggle)        100.00 %, 2 of 2 outputs
        mean over tasks of the fraction   100.00 %, over 2 tasks
        tasks entirely right              100.00 %, 2 of 2 tasks
        not right                         none
        most fuel                         wallpaper_hole 35,193, water_reflection 3,287
        note: 77 programs did not run: not named after a task of this run
        exit 0
    "#]]
    .assert_eq(&run(&batt, "run -n 2 --start 76"));
    expect![[r#"
        error: demo has no task leek; did you mean leak?
        exit 2
    "#]]
    .assert_eq(&run(&batt, "run -i leek"));
    expect![[r#"
        error: no tasks left: --start and -n exclude all 79 tasks of demo
        exit 2
    "#]]
    .assert_eq(&run(&batt, "run --start 79"));
    expect![[r#"
        error: no programs given; use `batt run examples --programs FILE…`
        exit 2
    "#]]
    .assert_eq(&run(&batt, "run examples"));
    expect![[r#"
        error: no usable program in these files; see `batt programs check {dir}/broken.py`
        exit 2
    "#]]
    .assert_eq(&run(&batt, "run -i leak --programs {dir}/broken.py"));
    expect![[r#"
        error: cannot write {dir}/no/such/folder.json: No such file or directory (os error 2)
        exit 2
    "#]]
    .assert_eq(&run(&batt, "run -i leak -o {dir}/no/such/folder.json"));
    expect![[r#"
        solve_leak: wrong on 1 of 4 pairs, 3 skipped
          train 0: out of fuel in objects at line 243 (boxes)

        tasks                             1, 1 with programs
        right on demos                    0 of 1 program
        right on tests                    0 of 1 program
        mean over outputs (Kaggle)        0.00 %, 0 of 1 output
        mean over tasks of the fraction   0.00 %, over 1 task
        tasks entirely right              0.00 %, 0 of 1 task
        not right                         out of fuel 1, skipped 3
        most fuel                         leak 100
        note: 78 programs did not run: not named after a task of this run
        exit 1
    "#]]
    .assert_eq(&run(&batt, "run -i leak --fuel 100"));
}

#[test]
fn json_has_the_same_results() {
    let batt = Batt::new("run-json").file("p.py", WRONG);
    let text = batt.run("run examples --programs {dir}/p.py --json --threads 1");
    let (timeless, _) = text.split_once(",\"time\":{\"threads\":1,\"microseconds\":").unwrap();
    expect![[r#"{"schema":1,"right":{"all":false,"programs":3,"on_demos":1,"on_tests":1,"on_all":1},"fine":false,"errors":0,"skipped":[],"tasks":3,"attempted":3,"programs":4,"without_task":1,"plan":{"programs":4,"calls":5,"distinct":5,"shared":0,"folded":1,"per_task":0},"scores":[{"rule":"outputs","label":"mean over outputs (Kaggle)","numerator":1,"denominator":3},{"rule":"fractions","label":"mean over tasks of the fraction","numerator":1,"denominator":3},{"rule":"tasks","label":"tasks entirely right","numerator":1,"denominator":3}],"verdicts":[{"verdict":"ok","count":4},{"verdict":"wrong","count":1},{"verdict":"empty","count":1},{"verdict":"skipped","count":6}],"wrong":[{"program":"solve_enclosed","task":"enclosed","expected":false,"pairs":4,"skipped":3,"wrong":[{"pair":"train 0","why":"empty container in first at line 2"}]},{"program":"solve_largest","task":"largest","expected":false,"pairs":4,"skipped":3,"wrong":[{"pair":"train 0","why":"13 of 132 cells differ"}]}],"better_than_expected":[],"also_solves":[],"runs":6,"fuel":1594,"most_fuel":[{"task":"kaleidoscope","fuel":1593},{"task":"enclosed","fuel":1}]"#]].assert_eq(timeless);
}

/// Runs the built-in set. Returns the record and the submission.
fn files(batt: &Batt, args: &str) -> (String, String) {
    run(
        batt,
        &format!("run --record {{dir}}/run.json -o {{dir}}/submission.json --fuel 50000 --overwrite {args}"),
    );
    (batt.read("run.json"), batt.read("submission.json"))
}

#[test]
fn the_record_names_date_command_and_program_files() {
    let batt = Batt::new("run-facts").file("p.py", "def solve_kaleidoscope(I): return I\n");
    batt.run("run demo -n 3 --programs {dir}/p.py --record {dir}/run.json");
    let record: serde_json::Value = serde_json::from_str(&batt.read("run.json")).unwrap();
    let environment = &record["environment"];
    let command = environment["command"].as_str().unwrap();
    let expected = "run demo -n 3 --programs ";
    assert!(command.starts_with("batt") && command.contains(expected), "{command}");
    let started = environment["started"].as_str().unwrap();
    assert!(started.len() == 20 && started.starts_with("20") && started.ends_with('Z'), "{started}");
    let files = environment["program_files"].as_array().unwrap();
    assert!(files.len() == 1 && files[0].as_str().unwrap().ends_with("p.py"), "{files:?}");
}

#[test]
fn files_do_not_depend_on_threads_or_optimisations() {
    let batt = Batt::new("run-files");
    for what in ["", "--all-pairs -n 12"] {
        let (record, submission) = files(&batt, &format!("--threads 1 {what}"));
        let lines: Vec<_> = record.lines().collect();
        assert!(lines[0].starts_with("{\"schema\":2,\"kind\":\"run\",\"job\":\""), "{}", lines[0]);
        assert!(lines[2].starts_with("\"environment\":"), "{}", lines[2]);
        for how in ["--threads 4", "--threads 2 --no-sharing", "--no-kernels"] {
            let (other, also) = files(&batt, &format!("{how} {what}"));
            assert!(submission == also, "{how}");
            assert_eq!(lines.len(), other.lines().count());
            for (line, other) in lines.iter().zip(other.lines()) {
                assert!(*line == other || line.starts_with("\"environment\":"), "{how}:\n{line}\n{other}");
            }
        }
    }
}

#[test]
fn check_and_score_accept_the_submission() {
    let batt = Batt::new("run-submission");
    run(
        &batt,
        "run examples --programs programs/examples.py -o {dir}/submission.json --record {dir}/run.json",
    );
    batt.check(
        "check {dir}/submission.json examples",
        expect![[r#"
            {dir}/submission.json: no defects; 3 tasks with 3 test inputs
            exit 0
        "#]],
    );
    batt.check(
        "score {dir}/submission.json examples",
        expect![[r#"
        mean over outputs (Kaggle)        100.00 %   3 of 3
        mean over tasks of the fraction   100.00 %   1/1
        tasks entirely right              100.00 %   3 of 3

        attempt_1 is right for 3 outputs
        attempt_2 is right for 0 outputs
        exit 0
    "#]],
    );
    let record = arcbatt::record::Record::parse(batt.read("run.json").as_bytes()).unwrap();
    let mut again = Vec::new();
    record.print(&mut again).unwrap();
    assert_eq!(batt.read("run.json").as_bytes(), again);
    assert!(record.right.all);
    assert!(record.tasks[0].programs[0].train.iter().all(arcbatt::record::Pair::is_right));
    let other = batt.read("run.json").replacen("\"schema\":2", "\"schema\":7", 1);
    let error = arcbatt::record::Record::parse(other.as_bytes()).unwrap_err();
    expect![
        "the file has schema 7, this version of batt reads schema 2; run the command again to make a new one"
    ]
    .assert_eq(&error.to_string());
}

#[test]
fn broken_tasks_are_reported_before_the_run_or_skipped() {
    let good =
        r#"{"train": [{"input": [[1]], "output": [[1]]}], "test": [{"input": [[2]], "output": [[2]]}]}"#;
    let batt = Batt::new("run-bad")
        .file("tasks/a.json", good)
        .file("tasks/b.json", good.replace("[[2]]", "[[2], [3, 4]]"))
        .file("tasks/c.json", "{\"train\": [")
        .file("p.py", "def solve_a(I): return I\n");
    let _ = std::fs::remove_file(batt.path("submission.json"));
    let args = "run {dir}/tasks --programs {dir}/p.py -o {dir}/submission.json";
    expect![[r#"
        error: {dir}/tasks/b.json:1:73: task b, test 0 input: row 1 has 2 cells, expected 1
        {dir}/tasks/c.json:1:12: task c, train 0: the text ends before a pair: {"input": …, "output": …}; is it cut off?
        use --skip-bad to skip broken tasks
        exit 2
    "#]]
    .assert_eq(&run(&batt, args));
    assert!(!batt.path("submission.json").exists());
    expect![[r#"
        tasks                             1, 1 with programs
        right on demos                    1 of 1 program
        right on tests                    1 of 1 program
        mean over outputs (Kaggle)        100.00 %, 1 of 1 output
        mean over tasks of the fraction   100.00 %, over 1 task
        tasks entirely right              100.00 %, 1 of 1 task
        not right                         none
        note: 2 broken tasks skipped, see above
        note: {dir}/submission.json is incomplete: 1 of 3 tasks of {dir}/tasks, all with answers
        warning: skipped {dir}/tasks/b.json:1:73: task b, test 0 input: row 1 has 2 cells, expected 1
        warning: skipped {dir}/tasks/c.json:1:12: task c, train 0: the text ends before a pair: {"input": …, "output": …}; is it cut off?
        exit 0
    "#]]
    .assert_eq(&run(&batt, &format!("{args} --skip-bad")));
    batt.check(
        "check {dir}/submission.json {dir}/tasks --skip-bad",
        expect![[r#"
            {dir}/submission.json: no defects; 1 task with 1 test input
            warning: skipped {dir}/tasks/b.json:1:73: task b, test 0 input: row 1 has 2 cells, expected 1
            warning: skipped {dir}/tasks/c.json:1:12: task c, train 0: the text ends before a pair: {"input": …, "output": …}; is it cut off?
            exit 0
        "#]],
    );
    let document = batt.run(&format!("{args} --skip-bad --json --overwrite"));
    assert!(document.contains("\"line\":1,\"column\":12,\"task\":\"c\""), "{document}");
}
