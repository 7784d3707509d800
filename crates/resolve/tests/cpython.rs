//! Programs written out in arc-dsl give the same answers in arc-dsl's Python.
//!
//! Needs a checkout of arc-dsl: `ARCBATT_SOLVERS` names its solvers.py, and dsl.py and constants.py are next to it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use batt_dsl::{Cx, Limits};
use batt_exec::{Sample, run};
use batt_lang::{Program, parse, print};
use batt_resolve::{Resolution, resolve};
use batt_task::{Grid, Task, demo};
use batt_testkit::skipped;
use batt_value::{Arena, Value};
use serde_json::{Value as Json, json};

/// Learners whose rules are mostly written in arc-dsl.
const CALLS: [&str; 9] = [
    "learn_transform(S, ONE_STEP, F0)",
    "learn_transform(S, TWO_STEPS, F0)",
    "learn_split(S, F0)",
    "learn_pool(S, F0)",
    "learn_cells(S, NEAR, F0)",
    "learn_cells(S, LINES, F0)",
    "learn_cells(S, UNDIRECTED, F0)",
    "learn_recolor(S, PROPERTIES, F0)",
    "learn_draw(S, F0)",
];

#[test]
fn written_programs_run_in_python() {
    let Some(solvers) = std::env::var_os("ARCBATT_SOLVERS").map(PathBuf::from) else {
        skipped("ARCBATT_SOLVERS is not set", "set it to solvers.py of an arc-dsl checkout");
        return;
    };
    let mut cases = Vec::new();
    for task in &demo::dataset().tasks {
        for call in CALLS {
            let text = format!("def solve(S, I, C):\n    rule = {call}\n    return rule(I)\n");
            let program = parse(&text).programs.remove(0);
            let resolution = resolve(&program, task, Limits::STANDARD, None);
            if let Resolution::Resolved { program, is_arc_dsl: true } = resolution {
                cases.push(case(&program, task, call));
            }
        }
    }
    assert!(cases.len() > 40, "only {} programs are written in arc-dsl", cases.len());
    let wrong = in_python(&solvers, &Json::Array(cases));
    assert!(wrong.trim().is_empty(), "{wrong}");
}

/// A program with its inputs and our answers.
fn case(program: &Program, task: &Task, call: &str) -> Json {
    let arena = Arena::new(Limits::STANDARD.caps);
    let samples = task.samples(&arena).unwrap();
    let pairs = task.train.iter().chain(&task.test).map(|pair| {
        let input = pair.input.value(&arena).unwrap();
        let cx = Cx::new(&arena, Limits::STANDARD.fuel, None);
        let answer = run(program, Sample { input, samples }, cx).result.unwrap();
        let Value::Grid(answer) = answer else { panic!("{answer} is no grid") };
        let answer: Vec<Vec<i8>> = answer.cells().chunks(answer.width()).map(<[i8]>::to_vec).collect();
        json!([rows(&pair.input), answer])
    });
    json!({ "name": format!("{} {call}", task.id), "text": print(program), "pairs": pairs.collect::<Vec<_>>() })
}

fn rows(grid: &Grid) -> Vec<Vec<i8>> {
    grid.rows().map(<[i8]>::to_vec).collect()
}

/// Runs the cases in CPython and returns the names of those with another answer.
fn in_python(solvers: &std::path::Path, cases: &Json) -> String {
    const SCRIPT: &str = "
import json, sys
sys.path.insert(0, sys.argv[1])
import dsl, constants
tuples = lambda rows: tuple(map(tuple, rows))
for case in json.load(sys.stdin):
    names = {**vars(dsl), **vars(constants)}
    exec(case['text'], names)
    for given, expected in case['pairs']:
        try:
            answer = names['solve'](tuples(given))
        except Exception as error:
            answer = repr(error)
        if answer != tuples(expected):
            print(case['name'], answer)
            break
";
    let folder = solvers.parent().expect("the folder of solvers.py");
    let mut python = Command::new("python3")
        .args(["-c", SCRIPT])
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is installed");
    python.stdin.take().unwrap().write_all(cases.to_string().as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "python3 failed");
    String::from_utf8(output.stdout).unwrap()
}
