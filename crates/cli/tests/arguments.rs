//! Arguments that work the same way in every command: programs, tasks, `-`, durations, `--json`, `--quiet`, `--log`.

mod batt;

use batt::Batt;
use expect_test::expect;

const TASK: &str = r#"{"train": [{"input": [[1, 0]], "output": [[0, 1]]}], "test": [{"input": [[2, 3]]}]}"#;
const PROGRAMS: &str = "def solve_flip(I): return vmirror(I)\ndef solve_other(I): return I\n";

fn small(test: &str) -> Batt {
    Batt::new(test)
        .file("data/flip.json", TASK)
        .file("data/other.json", TASK)
        .file("p.py", PROGRAMS)
        .file("grid.json", "[[1, 2]]")
}

#[test]
fn a_program_is_named_the_same_way_everywhere() {
    let batt = small("arguments-program");
    let answer = batt.run("eval {dir}/p.py:solve_flip {dir}/grid.json");
    assert!(answer.ends_with("1 2     2 1\n\nexit 0\n"), "{answer}");
    // Named by its task, by the input task, and in the form with two arguments.
    for args in [
        "eval {dir}/p.py:flip {dir}/grid.json",
        "eval {dir}/p.py solve_flip --input {dir}/grid.json",
        "eval {dir}/p.py flip --input {dir}/grid.json",
    ] {
        assert_eq!(batt.run(args), answer, "{args}");
    }
    let on_task = batt.run("eval {dir}/p.py flip --data {dir}/data");
    assert!(on_task.starts_with("train 0: right"), "{on_task}");
    assert_eq!(batt.run("eval {dir}/p.py:solve_flip --data {dir}/data"), on_task, "its own task");
    assert_eq!(batt.run("eval {dir}/p.py {dir}/data/flip.json"), on_task, "a task file");

    let shown = batt.run("programs show {dir}/p.py:flip");
    assert!(shown.starts_with("def solve_flip(I):\n") && shown.ends_with("exit 0\n"), "{shown}");
    assert_eq!(batt.run("programs show {dir}/p.py solve_flip"), shown);
    assert!(batt.run("plan {dir}/p.py:flip").starts_with("       1  program\n"));
    assert!(batt.run("plan {dir}/p.py").starts_with("       2  programs\n"));
    assert!(batt.run("plan {dir}/p.py gravity_down").starts_with("       3  programs\n"));

    let explained = batt.run("programs explain {dir}/p.py:flip --data {dir}/data");
    assert!(
        explained.ends_with("solve_flip learns no rules: it works the same way on every task\nexit 0\n"),
        "{explained}"
    );
    for args in [
        "programs explain {dir}/p.py --data {dir}/data flip",
        "programs explain {dir}/p.py {dir}/data -i flip",
        "programs explain {dir}/p.py {dir}/data --name solve_flip",
        "programs explain {dir}/p.py {dir}/data/flip.json",
    ] {
        assert_eq!(batt.run(args), explained, "{args}");
    }
}

#[test]
fn built_in_programs_are_known_by_their_tasks() {
    let batt = small("arguments-built-in");
    let all_right = "4 of 4 pairs right\nexit 0\n";
    assert!(batt.run("eval gravity_down").ends_with(all_right));
    assert!(batt.run("eval solve_gravity_down gravity_down").ends_with(all_right));
    assert!(
        batt.run("show gravity_down --program gravity_down")
            .starts_with("gravity_down: solve_gravity_down is right on 4 of 4")
    );
    assert!(batt.run("programs show gravity_down").starts_with("def solve_gravity_down(I):\n"));
    assert!(
        batt.run("programs explain programs/demo.py gravity_down")
            .starts_with("def solve_gravity_down(I):\n")
    );
}

#[test]
fn stored_programs_are_known_by_name_task_and_hash() {
    let batt = small("arguments-stored");
    let imported = batt.run("programs import {dir}/p.py --data {dir}/data");
    assert!(imported.contains("{dir}/p.py: ") && imported.ends_with("exit 0\n"), "{imported}");
    let answer = batt.run("eval {dir}/p.py:solve_flip {dir}/grid.json");
    let shown = batt.run("programs show {dir}/p.py:solve_flip");
    let hash = shown.split("hash ").nth(1).unwrap()[..12].to_owned();
    for name in ["solve_flip", "flip", &hash] {
        assert_eq!(batt.run(&format!("eval {name} {{dir}}/grid.json")), answer, "{name}");
        assert!(batt.run(&format!("programs show {name}")).contains("lineage"), "{name}");
    }
    let unknown = batt.run("eval solve_flop {dir}/grid.json");
    assert!(unknown.ends_with("called solve_flop; did you mean solve_flip?\nexit 2\n"), "{unknown}");
}

#[test]
fn unknown_programs_and_tasks_have_suggestions() {
    let batt = small("arguments-unknown");
    let unknown = batt.run("eval gravty_down");
    let start = "error: no file and no built-in program is called gravty_down (did you mean gravity_down?)";
    assert!(unknown.starts_with(start) && unknown.ends_with("exit 2\n"), "{unknown}");
    batt.check(
        "eval {dir}/p.py flp --data {dir}/data",
        expect![[r#"
            error: {dir}/data has no task flp; did you mean flip?
            exit 2
        "#]],
    );
    batt.check(
        "show something --data {dir}/data",
        expect![[r#"
            error: {dir}/data has no task something; use --data to choose another data set
            exit 2
        "#]],
    );
    batt.check(
        "eval {dir}/p.py:solve_flip",
        expect![[r#"
            error: solve_flip is not named after a task of demo; add an input: a grid file, a task file or a task id
            exit 2
        "#]],
    );
    batt.check(
        "eval {dir}/p.py:solve_flip solve_other --input {dir}/grid.json",
        expect![[r#"
            error: `{dir}/p.py:solve_flip` already names a program; remove `solve_other`
            exit 2
        "#]],
    );
    batt.check(
        "show {dir}/grid.json",
        expect![[r#"
            error: {dir}/grid.json is a grid; `batt show` shows tasks, `batt eval PROGRAM {dir}/grid.json` runs a program on a grid
            exit 2
        "#]],
    );
}

#[test]
fn a_dash_is_standard_input() {
    let batt = small("arguments-dash");
    let same = |with_dash: &str, input: &str, with_file: &str| {
        let expected = batt.run(with_file);
        assert!(expected.ends_with("exit 0\n"), "{expected}");
        assert_eq!(batt.run_with_input(with_dash, input), expected, "{with_dash}");
    };
    same("eval {dir}/p.py:flip -", "[[1, 2]]", "eval {dir}/p.py:flip {dir}/grid.json");
    same("eval - flip --input {dir}/grid.json", PROGRAMS, "eval {dir}/p.py flip --input {dir}/grid.json");
    same("eval {dir}/p.py:flip -", TASK, "eval {dir}/p.py {dir}/data/flip.json");
    same("programs fmt -", PROGRAMS, "programs fmt {dir}/p.py");
    same("plan -", PROGRAMS, "plan {dir}/p.py");
    same(
        "programs verify examples --programs -",
        &example_programs(),
        "programs verify examples --programs programs/examples.py",
    );
    let checked = batt.run_with_input("programs check -", PROGRAMS);
    assert_eq!(checked, "<stdin>: 2 programs, no problems\nexit 0\n");
    let shown = batt.run_with_input("show -", TASK);
    assert!(shown.starts_with("stdin\n\ntrain 0\n"), "{shown}");
    let submission = r#"{"flip": [{"attempt_1": [[3, 2]], "attempt_2": [[2, 3]]}]}"#;
    let checked = batt.run_with_input("check - {dir}/data/flip.json", submission);
    assert_eq!(checked, "<stdin>: no defects; 1 task with 1 test input\nexit 0\n");
    let scored = batt.run_with_input("score - {dir}/data/flip.json", submission);
    assert!(scored.starts_with("nothing to score"), "{scored}");
    let twice = batt.run_with_input("eval - flip --input -", "[[1]]");
    let message =
        "error: standard input (`-`) can be read only once; use a file for the other argument\nexit 2\n";
    assert_eq!(twice, message);
}

fn example_programs() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/examples.py");
    std::fs::read_to_string(path).unwrap()
}

/// Only Unix has a path for standard input, by which records are opened.
#[cfg(unix)]
#[test]
fn records_and_data_can_come_from_standard_input() {
    let batt = small("arguments-record");
    batt.run("run examples --programs programs/examples.py --record {dir}/run.json --profile");
    let record = std::fs::read_to_string(batt.path("run.json")).unwrap();
    let from_file = batt.run("profile lines {dir}/run.json --program solve_largest");
    assert!(from_file.contains("solve_largest"), "{from_file}");
    assert_eq!(batt.run_with_input("profile lines - --program solve_largest", &record), from_file);
    let exported = batt.run_with_input("profile export - --format folded", &record);
    assert_eq!(batt.run("profile export {dir}/run.json --format folded"), exported);
    let page = batt.run_with_input("report -", &record);
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"), "{}", &page[..40]);
    let same = batt.run_with_input("programs verify - --programs {dir}/p.py", TASK);
    assert!(same.contains("solve_flip: not named after a task of this data set"), "{same}");
}

#[test]
fn timeouts_are_durations() {
    let batt = small("arguments-time");
    for time in ["90s", "1m30s", "500ms", "1.5h", "5"] {
        let run = batt.run(&format!("eval {{dir}}/p.py:flip {{dir}}/grid.json -t {time}"));
        assert!(run.ends_with("exit 0\n"), "{time}: {run}");
    }
    for command in
        ["eval {dir}/p.py:flip {dir}/grid.json", "show gravity_down", "programs verify", "conformance x"]
    {
        let refused = batt.run(&format!("{command} --timeout soon"));
        assert!(
            refused.contains("`soon` is not a duration; write 90s, 10m, 1h30m or 500ms"),
            "{command}: {refused}"
        );
    }
    // A run that would take minutes is stopped after 100 ms.
    let slow = batt.file("slow.py", "def f(I):\n    x = canvas(ZERO, (30, 30))\n    return power(power(power(rot90, 100), 100), 100)(x)\n");
    let stopped = slow.run("eval {dir}/slow.py {dir}/grid.json --fuel 99999999999 -t 100ms");
    assert!(stopped.contains("failed") && stopped.ends_with("exit 1\n"), "{stopped}");
}

#[test]
fn quiet_prints_only_results_and_errors() {
    let batt = small("arguments-quiet")
        .file("bad/a.json", TASK)
        .file("bad/b.json", "nonsense")
        .file("s.py", "def f(S, I, C): return size(S)\n");
    let output = batt.run("show a --data {dir}/bad --skip-bad --png {dir}/a.png");
    let quiet = batt.run("show a --data {dir}/bad --skip-bad --png {dir}/a.png --overwrite -q");
    assert_eq!((output.as_str(), quiet.as_str()), ("wrote {dir}/a.png\nexit 0\n", "exit 0\n"));
    let output = batt.run("eval {dir}/s.py {dir}/grid.json");
    let quiet = batt.run("--quiet eval {dir}/s.py {dir}/grid.json");
    assert_eq!(
        output,
        format!("note: f reads the pairs of a task (S), but a grid has none; use a task instead\n\n{quiet}")
    );
    let output = batt.run("data diff {dir}/bad {dir}/bad --skip-bad");
    let quiet = batt.run("data diff {dir}/bad {dir}/bad --skip-bad -q");
    assert!(output.contains("warning: skipped {dir}/bad/b.json"), "{output}");
    assert_eq!(quiet, "1 task identical, 0 changed, 0 only in {dir}/bad, 0 only in {dir}/bad\nexit 0\n");
    assert!(batt.run("-q show nothing").starts_with("error: demo has no task nothing"));
}

#[test]
fn the_log_lists_files_and_phases() {
    let batt = small("arguments-log");
    let log = batt.run("--log info show flip --data {dir}/data --program {dir}/p.py --svg {dir}/x.svg");
    for event in [
        "loaded tasks data=\"{dir}/data\" tasks=1 skipped=0 hash=",
        "read file file=\"{dir}/p.py\" bytes=",
        "parsed programs file={dir}/p.py programs=2 errors=0",
        "finished phase phase=\"run\" took=",
        "wrote file file={dir}/x.svg bytes=",
        "finished phase phase=\"show\" took=",
    ] {
        assert!(log.contains(event), "{event}\n{log}");
    }
    assert!(!log.contains("parsed program program"), "{log}");
    let log = batt.run("--log debug plan {dir}/p.py");
    assert!(log.contains("parsed program program=\"solve_flip\" hash="), "{log}");
    assert!(log.contains("phase=\"merge\""), "{log}");
    assert!(
        batt.run("--log info run").contains("indexed tasks data=\"demo\" tasks=79"),
        "the shared readers log"
    );
}

/// Returns all commands, with subcommands as in `programs show`.
fn commands(batt: &Batt) -> Vec<String> {
    let script = batt.run("completions fish");
    let listed = |help: &str| -> Vec<String> {
        let about = help.split("\nOptions:").next().unwrap_or_default();
        let lines = about.lines().filter_map(|line| line.strip_prefix("  "));
        let names = lines.filter(|line| !line.starts_with([' ', '-', '[', '<']));
        names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    };
    let mut commands = Vec::new();
    for name in listed(&batt.run("--help")) {
        assert!(script.contains(&format!("-a \"{name}\"")), "{name}");
        let help = batt.run(&format!("{name} --help"));
        if !help.contains("\nCommands:\n") {
            commands.push(name);
            continue;
        }
        let inside = listed(&help).into_iter().filter(|inside| inside != "help");
        commands.extend(inside.map(|inside| format!("{name} {inside}")));
    }
    assert!(commands.len() > 35, "{commands:?}");
    commands
}

#[test]
fn every_command_prints_json_and_has_an_example() {
    let batt = Batt::new("arguments-help");
    for command in commands(&batt) {
        let help = batt.run(&format!("{command} --help"));
        // These write formats of other programs.
        let other_format = ["profile export", "completions", "man"].contains(&command.as_str());
        assert_eq!(help.contains("--json"), !other_format, "{command}\n{help}");
        assert!(help.contains("--quiet") && help.contains("--log"), "{command}\n{help}");
        assert!(help.contains("\nExample"), "{command}\n{help}");
    }
}

#[test]
fn completions_and_manual_pages_have_every_command() {
    let batt = Batt::new("arguments-man");
    let commands = commands(&batt);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = batt.run(&format!("completions {shell}"));
        assert!(script.ends_with("exit 0\n"), "{script}");
        for name in commands.iter().flat_map(|command| command.split(' ')) {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
    assert_eq!(batt.run("man --output {dir}/man"), "wrote manual pages to {dir}/man\nexit 0\n");
    let main = batt.run("man");
    assert!(main.starts_with(".ie") && main.contains("batt"), "{main}");
    for command in &commands {
        let name = format!("batt-{}", command.replace(' ', "-"));
        let page = std::fs::read_to_string(batt.path(&format!("man/{name}.1"))).unwrap();
        assert!(page.contains(&format!(".TH {name} 1")), "{page}");
        let top = command.split(' ').next().unwrap();
        assert!(main.contains(&format!("batt\\-{top}(1)")), "{top}\n{main}");
    }
}
