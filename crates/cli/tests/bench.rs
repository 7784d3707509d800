//! `batt bench`: its output without figures.

mod batt;

use batt::Batt;
use batt_testkit::skipped;
use expect_test::expect;

/// Removes times, sizes and the machine, which differ from run to run.
fn without_figures(text: &str) -> String {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let is_unit = |word: &str| matches!(word, "ns" | "µs" | "ms" | "s" | "MiB" | "KiB,");
    let line = |line: &str| {
        if line.contains(" · ") {
            return "(the machine)".to_owned();
        }
        let words = line.split_whitespace().filter(|word| !is_unit(word));
        words.map(|word| if is_number(word) { "#" } else { word }).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

#[test]
fn bench_checks_and_measures_the_built_in_set() {
    let text = Batt::new("bench").run("bench --rounds 1");
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("79 of 79 programs right on all of "), "{text}");
    expect![[r#"
        # of # programs right on all of their # pairs
        (the machine)

        # round median min max
        load # # # # tasks from disk
        parse # # # # programs, # KiB
        merge # # # into # nodes
        parse + merge # # # # thread, text in memory
        fold # # # # nodes that need no input
        run # # # # thread, each the median of # passes
        run, all threads # # # # threads
        all pairs # # # # programs × # inputs
        peak memory #

        all pairs: # cases of a program that is right on all demonstration pairs of a task
        exit #
    "#]]
    .assert_eq(&without_figures(&text));
}

#[test]
fn bench_writes_a_record_like_run() {
    let batt = Batt::new("bench-record");
    let text = batt.run("bench --rounds 2 --record {dir}/r.json --profile");
    assert!(text.ends_with("exit 0\n"), "{text}");
    let dsl = batt.run("profile dsl {dir}/r.json");
    assert!(dsl.contains("79 of 79 programs right") && dsl.contains("objects"), "{dsl}");
    let record: serde_json::Value = serde_json::from_str(&batt.read("r.json")).unwrap();
    assert_eq!(record["profile"]["repeats"].as_array().map(Vec::len), Some(2), "one repetition per round");
}

#[test]
fn a_wrong_run_is_not_a_benchmark() {
    let batt = Batt::new("bench-wrong")
        .file("p.py", "def solve_largest(I): return I\ndef solve_nothing(I): return I\n");
    let text = batt.run("bench --tasks examples --programs {dir}/p.py --rounds 2");
    expect![[r#"
        NOT A VALID BENCHMARK: some answers are wrong
        0 of 1 program right on all of their 4 pairs
        wrong: solve_largest"#]]
    .assert_eq(&text.lines().take(3).collect::<Vec<_>>().join("\n"));
    assert!(text.ends_with("exit 1\n"), "{text}");
}

#[test]
fn missing_arguments_are_explained() {
    let batt = Batt::new("bench-missing").file("p.py", "def f(I): return I\n");
    batt.check(
        "bench --tasks examples",
        expect![[r#"
            error: --tasks needs programs; add --programs FILE
            exit 2
        "#]],
    );
    batt.check(
        "bench --tasks examples --programs {dir}/p.py",
        expect![[r#"
            error: no program has the name of a task; a program is measured on the task whose id ends its name
            exit 2
        "#]],
    );
    batt.check(
        "bench --reference {dir}",
        expect![[r#"
            error: {dir} is not a checkout of arc-dsl: it has no dsl.py
            exit 2
        "#]],
    );
}

#[test]
fn bench_prints_json() {
    let text = Batt::new("bench-json").run("bench --rounds 1 --json");
    let (json, exit) = text.split_once('\n').unwrap();
    assert_eq!(exit, "exit 0\n");
    let document: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!((&document["schema"], &document["right"]), (&1.into(), &79.into()));
    let names: Vec<_> =
        document["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    expect![[r#"
            load
            parse
            merge
            parse + merge
            fold
            run
            run, all threads
            all pairs"#]]
    .assert_eq(&names.join("\n"));
}

/// A minimal checkout of arc-dsl, with the primitives that the two programs need.
#[test]
fn bench_compares_with_arc_dsl() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        skipped("python3 is not installed", "install Python 3");
        return;
    }
    let batt = Batt::new("bench-reference")
        .file("ref/dsl.py", "def vmirror(g): return tuple(r[::-1] for r in g)\ndef hmirror(g): return g[::-1]\n\
            def hconcat(a, b): return tuple(x + y for x, y in zip(a, b))\ndef vconcat(a, b): return a + b\n")
        .file("ref/constants.py", "ONE = 1\n")
        .file("p.py", "def solve_kaleidoscope(I):\n    x1 = hconcat(I, vmirror(I))\n    return vconcat(x1, hmirror(x1))\n\
            def solve_largest(I): return rot90(I)\n");
    let text = batt.run("bench --tasks examples --programs {dir}/p.py --reference {dir}/ref --rounds 2");
    expect![[r#"
        NOT A VALID BENCHMARK: some answers are wrong
        # of # programs right on all of their # pairs; in CPython # of #
        wrong: solve_largest
        does not run in CPython, not compared: solve_largest
        (the machine)

        # rounds median min max
        load # # # # tasks from disk
        parse # # # # programs, # KiB
        merge # # # into # nodes
        parse + merge # # # # thread, text in memory
        fold # # # # nodes that need no input
        run # # # # thread, each the median of # passes
        run, all threads # # # # threads
        all pairs # # # # programs × # inputs
        peak memory #

        all pairs: # case of a program that is right on all demonstration pairs of a task

        compared with CPython # # thread each, alternating rounds (batt: # passes each), without load and parse
        batt CPython ratio
        all # programs: fastest round of each task, summed # # #
        all # programs: one clock, median # # #
        exit #
    "#]]
    .assert_eq(&without_figures(&text));
}

#[test]
fn whole_commands_are_measured() {
    let text = Batt::new("bench-whole").run("bench whole --rounds 1");
    expect![[r#"
        # of # programs right on all pairs of their tasks
        (the machine)

        processor time of a command in # round, start-up included; batt: mean of # passes a round, # thread
        command median min max CPython ratio
        run # # #
        run --record # # #
        run --record --profile # # #
        eval of one line # # #
        --version # # #
        exit #
    "#]]
    .assert_eq(&without_figures(&text));
}
