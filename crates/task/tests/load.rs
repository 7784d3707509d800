//! Parsing of tasks and grids.

use batt_task::{parse_grid, parse_task};

fn check_grid(json: &str, expected: &str) {
    let got = match parse_grid(json.as_bytes()) {
        Ok(grid) => grid.to_string(),
        Err(problem) => problem.to_string(),
    };
    assert_eq!(got, expected, "{json}");
}

#[test]
fn grids_are_rectangles_of_colours() {
    check_grid("[[0, 1, 2], [3, 4, 5]]", "[0 1 2 | 3 4 5]");
    check_grid("[[9]]", "[9]");
    check_grid(" [ [ 0 ,\t1 ] ,\r\n [2\n,3 ] ]\n", "[0 1 | 2 3]");
    check_grid("\u{feff}[[1]]", "[1]");
    check_grid("[[0, 1], [2]]", "1:10: row 1 has 1 cells, expected 2");
    check_grid("[[0, 10]]", "1:6: row 0, column 1 is 10; colours are 0 to 9");
    check_grid("[[0],\n[-1]]", "2:2: row 1, column 0 is -1; colours are 0 to 9");
    check_grid("[]", "1:1: the grid is empty; a grid has at least one row");
    check_grid("[[]]", "1:2: row 0 is empty");
    check_grid("[[1.5]]", "1:3: row 0, column 0 is 1.5; colours are 0 to 9");
    check_grid("[[01]]", "1:3: row 0, column 0 is 01; colours are 0 to 9");
    check_grid("[[null]]", "1:3: row 0, column 0 is null; colours are 0 to 9");
    check_grid("[[\"1\"]]", "1:3: row 0, column 0 is a string; colours are 0 to 9");
    check_grid("[[[1]]]", "1:3: row 0, column 0 is a list; colours are 0 to 9");
    check_grid("[[1,]]", "1:5: expected a colour, not `]`");
    check_grid("[[1 2]]", "1:5: expected `,` or `]`, not `2`");
    check_grid("[[1],]", "1:6: expected a row: a list of colours, not `]`");
    check_grid("[[1], [2", "1:9: the text ends before `,` or `]`; is it cut off?");
    check_grid("[[1]] [", "1:7: expected the end of the text, not `[`");
    check_grid("7", "1:1: expected a grid: a list of rows, not `7`");
    check_grid("", "1:1: the text ends before a grid: a list of rows; is it cut off?");
    check_grid("[[\u{e4}]]", "1:3: expected a colour, not `ä`");
    check_grid("[[\u{1}]]", "1:3: expected a colour, not the byte 0x01");
    check_grid(&format!("[[{}]]", vec!["0"; 31].join(",")), "1:2: row 0 has 31 cells; a row has at most 30");
    check_grid(
        &format!("[{}]", vec!["[0]"; 31].join(",")),
        "1:1: the grid has 31 rows; a grid has at most 30",
    );
}

fn check_task(json: &str, expected: &str) {
    let problem = parse_task("t", json.as_bytes()).unwrap_err();
    assert_eq!(problem.in_file("t.json").to_string(), expected, "{json}");
}

#[test]
fn problems_of_a_task_are_reported_with_their_place() {
    let good = r#"{"input": [[1]], "output": [[2]]}"#;
    let task = |train: &str| format!("{{\"train\": [{train}], \"test\": [{good}]}}");
    let pairs = |second: &str| task(&format!("{good},\n{second}"));
    check_task(
        &pairs(r#"{"input": [[1, 2], [3]], "output": [[2]]}"#),
        "t.json:2:20: task t, train 1 input: row 1 has 1 cells, expected 2",
    );
    check_task(
        &pairs(r#"{"input": [[1]], "output": [[17]]}"#),
        "t.json:2:30: task t, train 1 output: row 0, column 0 is 17; colours are 0 to 9",
    );
    check_task(&pairs(r#"{"input": [[1]]}"#), "t.json:2:1: task t, train 1: no \"output\"");
    check_task(&pairs(r#"{"output": [[1]]}"#), "t.json:2:1: task t, train 1: no \"input\"");
    check_task(
        &pairs(r#"{"input": [[1]], "input": [[1]]}"#),
        "t.json:2:18: task t, train 1 input: a second grid with this name",
    );
    check_task(
        &pairs(r#"[[1]]"#),
        "t.json:2:1: task t, train 1: expected a pair: {\"input\": …, \"output\": …}, not `[`",
    );
    check_task(
        r#"{"train": [], "test": {}}"#,
        "t.json:1:23: task t, test: expected a list of pairs, not `{`",
    );
    check_task(r#"{"train": [], "train": []}"#, "t.json:1:15: task t, train: a second list with this name");
    check_task(r#"{"train": []}"#, "t.json:1:1: task t: no \"test\" list");
    check_task(r#"{"test": []}"#, "t.json:1:1: task t: no \"train\" list");
    check_task(
        r#"{"train": [], "test": []}"#,
        "t.json:1:1: task t: the task has neither train nor test pairs",
    );
    check_task("hello", "t.json:1:1: task t: expected a task: {\"train\": …, \"test\": …}, not `h`");
    check_task(
        r#"{"train": [{"input": [[1]], "#,
        "t.json:1:29: task t, train 0: the text ends before a key in double quotes; is it cut off?",
    );
    check_task(r#"{"train": [], "name": nul, "test": []}"#, "t.json:1:26: task t: expected JSON, not `,`");
    check_task(
        "{\"train\": [],\n \"name\": {\"deep\": [1, 2\n}}",
        "t.json:3:1: task t: expected JSON, not `}`",
    );
    check_task(
        r#"{"train": [], "na"#,
        "t.json:1:18: task t: the text ends before the closing `\"` of a string; is it cut off?",
    );
}

#[test]
fn a_task_may_lack_test_outputs() {
    let json =
        br#"{"name": "x\u00e4\"}", "train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[3]]},
        {"output": null, "input": [[4]]}], "more": [{"a": [1e5, true, null]}]}"#;
    let task = parse_task("t", json).unwrap();
    assert_eq!((task.train.len(), task.test.len()), (1, 2));
    assert!(task.test.iter().all(|pair| pair.output.is_none()));
    assert_eq!(
        task.pairs().map(|(part, i, _)| format!("{part} {i}")).collect::<Vec<_>>(),
        ["train 0", "test 0", "test 1"]
    );
}

#[test]
fn arc_gen_pairs_are_extra_pairs() {
    let pair = r#"{"input": [[1]], "output": [[2]]}"#;
    let json = format!("{{\"train\": [{pair}], \"test\": [{pair}], \"arc-gen\": [{pair}, {pair}]}}");
    let task = parse_task("task001", json.as_bytes()).unwrap();
    assert_eq!((task.train.len(), task.test.len(), task.extra.len()), (1, 1, 2));
    assert_eq!(task.pairs().count(), 2);
    check_task(
        &json.replace("\"arc-gen\": [", "\"arc-gen\": [{\"input\": [[1]]}, "),
        "t.json:1:105: task t, arc-gen 0: no \"output\"",
    );
}

#[test]
fn samples_are_the_demonstration_pairs_as_a_value() {
    let json = br#"{"train": [{"input": [[1, 2]], "output": [[2]]}, {"input": [[4]], "output": [[5]]}], "test": []}"#;
    let arena = batt_value::Arena::new(batt_value::Caps::STANDARD);
    let samples = parse_task("t", json).unwrap().samples(&arena).unwrap();
    assert_eq!(samples.to_string(), "(([1 2], [2]), ([4], [5]))");
}
