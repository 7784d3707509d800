use batt_task::{parse_grid, parse_task};

fn check_grid(json: &str, expected: &str) {
    let got = match parse_grid(json.as_bytes()) {
        Ok(grid) => format!("{}x{}", grid.height(), grid.width()),
        Err(error) => {
            let text = error.to_string();
            text.split_once(" at line 1 column ").expect("the error names its place").0.to_owned()
        }
    };
    assert_eq!(got, expected, "{json}");
}

#[test]
fn grids_are_rectangles_of_colours() {
    check_grid("[[0, 1, 2], [3, 4, 5]]", "2x3");
    check_grid("[[9]]", "1x1");
    check_grid("[[0, 1], [2]]", "row 1 has 1 cells, the rows before have 2");
    check_grid("[[0, 10]]", "row 0, column 1 is 10; colours are 0 to 9");
    check_grid("[]", "a grid has at least one row");
    check_grid("[[]]", "row 0 is empty");
    check_grid("[[1.5]]", "invalid type: floating point `1.5`, expected i64");
    check_grid("7", "invalid type: integer `7`, expected a grid: a list of rows of colours");
    check_grid(&format!("[[{}]]", vec!["0"; 31].join(",")), "row 0 has more than 30 cells");
    check_grid(&format!("[{}]", vec!["[0]"; 31].join(",")), "a grid has at most 30 rows");
}

#[test]
fn a_task_may_lack_test_outputs() {
    let task =
        parse_task("t", br#"{"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[3]]}]}"#);
    let task = task.unwrap();
    assert_eq!((task.train.len(), task.test.len()), (1, 1));
    assert!(task.test[0].output.is_none());
    assert_eq!(
        task.pairs().map(|(part, i, _)| format!("{part} {i}")).collect::<Vec<_>>(),
        ["train 0", "test 0"]
    );
    assert!(parse_task("t", br#"{"train": []}"#).unwrap_err().to_string().contains("missing field `test`"));
}

#[test]
fn samples_are_the_pairs_as_a_value() {
    let json = br#"{"train": [{"input": [[1, 2]], "output": [[2]]}, {"input": [[4]], "output": [[5]]}], "test": []}"#;
    let arena = batt_value::Arena::new(batt_value::Caps::STANDARD);
    let samples = parse_task("t", json).unwrap().samples(&arena).unwrap();
    assert_eq!(samples.to_string(), "(([1 2], [2]), ([4], [5]))");
}
