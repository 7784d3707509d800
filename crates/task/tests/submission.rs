//! Writing and reading submissions.

use batt_task::submission::{Draft, Form, Submission};
use batt_task::{Grid, Pair, Task};
use expect_test::{Expect, expect};
use proptest::prelude::*;

fn dot(color: i8) -> Grid {
    Grid::new(1, [color]).unwrap()
}

fn task(id: &str, inputs: &[Grid]) -> Task {
    let test = inputs.iter().map(|input| Pair { input: input.clone(), output: None }).collect();
    Task { id: id.to_owned(), train: Vec::new(), test, extra: Vec::new() }
}

/// Returns the problems of a submission for task `a` with one test input and `b` with two.
fn check(text: &str, expected: Expect) {
    let found = match Submission::parse(text.as_bytes()) {
        Ok(submission) => {
            let problems = submission.check([("a", 1), ("b", 2)]);
            problems.iter().map(|problem| format!("{}: {problem}\n", problem.defect.name())).collect()
        }
        Err(error) => format!("{error}\n"),
    };
    expected.assert_eq(&found);
}

const FINE: &str = r#"{"attempt_1": [[1]], "attempt_2": [[2]]}"#;

#[test]
fn json_is_read() {
    check(&format!(r#"{{"a": [{FINE}], "b": [{FINE}, {FINE}]}}"#), expect![""]);
    check(&format!("\u{feff} {{\"b\": [{FINE}, {FINE}],\n\"a\": [{FINE}]}}\n"), expect![""]);
}

#[test]
fn json_defects_are_reported() {
    check(
        "{}",
        expect![[r#"
        missing_id: a: missing; every task needs an answer
        missing_id: b: missing; every task needs an answer
    "#]],
    );
    check(
        &format!(r#"{{"a": [{FINE}, {FINE}], "b": [{FINE}], "c": []}}"#),
        expect![[r#"
            output_count: a: the number of outputs is 2, but the number of test inputs is 1
            output_count: b: the number of outputs is 1, but the number of test inputs is 2
            unknown_id: c: no task of the data set has this id
        "#]],
    );
    check(
        &format!(r#"{{"a": {FINE}, "b": "no", "a": null}}"#),
        expect![[r#"
        not_a_list: a: expected a list with an entry for each test input, not an object
        not_a_list: a: expected a list with an entry for each test input, not null
        twice: a: given twice; the last one counts
        not_a_list: b: expected a list with an entry for each test input, not a string
    "#]],
    );
    check(
        &format!(r#"{{"a": [[[[1]]]], "b": [null, {FINE}], "a": [{FINE}]}}"#),
        expect![[r#"
        twice: a: given twice; the last one counts
        not_an_output: a, output 0: expected {"attempt_1": grid, "attempt_2": grid}, not a list
        not_an_output: b, output 0: expected {"attempt_1": grid, "attempt_2": grid}, not null
    "#]],
    );
    check(
        r#"{"a": [{"attempt_1": [[1]], "attempt2": [[2]]}], "b": [{"attempt_1": null, "attempt_2": [[1]]}, {}]}"#,
        expect![[r#"
            unknown_key: a, output 0: unknown key `attempt2`; the keys are attempt_1 and attempt_2
            missing_attempt: a, output 0, attempt_2: missing; each attempt must be a grid
            missing_attempt: b, output 0, attempt_1: missing; each attempt must be a grid
            missing_attempt: b, output 1, attempt_1: missing; each attempt must be a grid
            missing_attempt: b, output 1, attempt_2: missing; each attempt must be a grid
        "#]],
    );
    check(
        r#"{"a": [{"attempt_1": [[1]], "attempt_1": [[3]], "attempt_2": [[10]]}],
            "b": [{"attempt_1": [[0, 1], [2]], "attempt_2": [[0, 1.0]]}, {"attempt_1": [], "attempt_2": [[]]}]}"#,
        expect![[r#"
            twice: a, output 0, attempt_1: given twice; the last one counts
            bad_grid: a, output 0, attempt_2: row 0, column 0 is 10; colours are 0 to 9
            bad_grid: b, output 0, attempt_1: row 1 has 1 cells, expected 2
            bad_grid: b, output 0, attempt_2: row 0, column 1 is 1.0; colours are 0 to 9
            bad_grid: b, output 1, attempt_1: the grid is empty; a grid has at least one row
            bad_grid: b, output 1, attempt_2: row 0 is empty
        "#]],
    );
    let row = |n: usize| format!("[{}]", vec!["0"; n].join(","));
    let column = |n: usize| format!("[{}]", vec!["[0]"; n].join(","));
    check(
        &format!(
            r#"{{"a": [{{"attempt_1": [{}], "attempt_2": {}}}],
                 "b": [{{"attempt_1": [5, [1]], "attempt_2": "text"}}, {{"attempt_1": [[true]], "attempt_2": [["1"], [[[1]]]]}}]}}"#,
            row(31),
            column(31)
        ),
        expect![[r#"
            bad_grid: a, output 0, attempt_1: row 0 has 31 cells; a row has at most 30
            bad_grid: a, output 0, attempt_2: the grid has 31 rows; a grid has at most 30
            bad_grid: b, output 0, attempt_1: row 0 is a number; a row is a list of colours
            bad_grid: b, output 0, attempt_2: a string is not a grid; a grid is a list of rows of colours
            bad_grid: b, output 1, attempt_1: row 0, column 0 is true; colours are 0 to 9
            bad_grid: b, output 1, attempt_2: row 0, column 0 is a string; colours are 0 to 9
        "#]],
    );
    check(
        r#"{"a": [{"attempt_1": [[-1]], "attempt_2": [[300]]}], "b": [{"attempt_1": [[1e999]], "attempt_2": [[99999999999999999999]]}, 7]}"#,
        expect![[r#"
            bad_grid: a, output 0, attempt_1: row 0, column 0 is -1; colours are 0 to 9
            bad_grid: a, output 0, attempt_2: row 0, column 0 is 300; colours are 0 to 9
            bad_grid: b, output 0, attempt_1: row 0, column 0 is 1e999; colours are 0 to 9
            bad_grid: b, output 0, attempt_2: row 0, column 0 is 99999999999999999999; colours are 0 to 9
            not_an_output: b, output 1: expected {"attempt_1": grid, "attempt_2": grid}, not a number
        "#]],
    );
}

#[test]
fn csv_is_read() {
    check("output_id,output\na_0,|1|\nb_0,|12|34| |1| |2|\nb_1,|0|\n", expect![""]);
    check("output_id,output\r\n\"a_0\",\"|1| \"\r\n\r\nb_1,|12|34|\r\nb_0,|0| |1|", expect![""]);
    let text = "output_id,output\na_0,|1|\nb_0,|12|34| |1| |2|\nb_1,|0|\n";
    let submission = Submission::parse(text.as_bytes()).unwrap();
    assert_eq!(submission.form, Form::Csv);
    let attempts: Vec<_> = submission.attempts("b", 0).iter().flatten().map(Grid::to_string).collect();
    assert_eq!(attempts, ["[1 2 | 3 4]", "[1]", "[2]"]);
    assert!(submission.attempts("b", 2).is_empty() && submission.attempts("c", 0).is_empty());
}

#[test]
fn csv_defects_are_reported() {
    check(
        "output_id,output\n",
        expect![[r#"
        missing_id: a: missing; every task needs an answer
        missing_id: b: missing; every task needs an answer
    "#]],
    );
    check(
        "output_id,output\na_0,\na_1,|1|\nb_1,|1|\nb_1,|2|\nc_0,|1|\n",
        expect![[r#"
            output_count: a: the number of outputs is 2, but the number of test inputs is 1
            missing_attempt: a, output 0, attempt_1: missing; each attempt must be a grid
            missing_output: b, output 0: no row for this output
            twice: b, output 1: given twice; the last one counts
            unknown_id: c: no task of the data set has this id
        "#]],
    );
    check(
        "output_id,output\na_0,|1| |2| |3| |4|\nb_0,|12|3|\nb_1,|1x|\n",
        expect![[r#"
        too_many_attempts: a, output 0: 4 predictions; only the first 3 count
        bad_grid: b, output 0, attempt_1: row 1 has 1 cells, expected 2
        bad_grid: b, output 1, attempt_1: row 0, column 1 is `x`; colours are 0 to 9
    "#]],
    );
    check(
        "output_id,output\na_0,|| |12||34|\nb_0\nb_99999999999,|1|\nb,|1|\nb_1,|1|,|2|\n",
        expect![[r#"
        bad_grid: a, output 0, attempt_1: the grid is empty; a grid has at least one row
        bad_grid: a, output 0, attempt_2: row 1 is empty
        bad_line: b: line 5: the first field must be the task's id, `_` and the number of the test input
        missing_id: b: missing; every task needs an answer
        bad_line: b_0: line 3: expected two fields, `id_k,predictions`
        bad_line: b_1: line 6: expected two fields, `id_k,predictions`
        bad_line: b_99999999999: line 4: the first field must be the task's id, `_` and the number of the test input
    "#]],
    );
    check(
        &format!("output_id,output\na_0,|{}|\nb_0,|é|\nb_1,|1|\n", "0".repeat(31)),
        expect![[r#"
        bad_grid: a, output 0, attempt_1: row 0 has 31 cells; a row has at most 30
        bad_grid: b, output 0, attempt_1: row 0, column 0 is `é`; colours are 0 to 9
    "#]],
    );
}

#[test]
fn other_files_are_rejected() {
    check(
        "",
        expect![[r#"
        not a submission: neither Kaggle's {"id": [{"attempt_1": …, "attempt_2": …}]} nor a CSV that starts with `output_id,output`
    "#]],
    );
    check(
        "[]",
        expect![[r#"
        not a submission: neither Kaggle's {"id": [{"attempt_1": …, "attempt_2": …}]} nor a CSV that starts with `output_id,output`
    "#]],
    );
    check(
        "id,score\n1,2\n",
        expect![[r#"
        not a submission: neither Kaggle's {"id": [{"attempt_1": …, "attempt_2": …}]} nor a CSV that starts with `output_id,output`
    "#]],
    );
    check(
        r#"{"a": [{"attempt_1": [[1], "#,
        expect![[r#"
        not a submission: EOF while parsing a value at line 1 column 27
    "#]],
    );
    check(
        r#"{"a": [] "b": []}"#,
        expect![[r#"
        not a submission: expected `,` or `}` at line 1 column 10
    "#]],
    );
    check(
        r#"{"a": []} x"#,
        expect![[r#"
        not a submission: trailing characters at line 1 column 11
    "#]],
    );
    assert_eq!(
        Submission::parse(b"output_id,output\na_0,|\xff|\n").unwrap_err().to_string(),
        "not a submission: the text is not UTF-8 from byte 22 on"
    );
    // Deep nesting neither overflows the stack nor hides other problems.
    let deep = format!(
        r#"{{"a": [{{"attempt_1": {}{}, "attempt_2": [[1]]}}]}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let submission = Submission::parse(deep.as_bytes()).unwrap();
    assert_eq!(submission.attempts("a", 0), [None, Some(dot(1))]);
    assert_eq!(submission.problems.len(), 1);
}

#[test]
fn fallbacks_are_the_input_and_a_single_cell() {
    let [first, second] = [Grid::new(2, [1, 2]).unwrap(), dot(0)];
    let mut draft =
        Draft::new([task("a", std::slice::from_ref(&first)), task("b", std::slice::from_ref(&second))]);
    let text = |draft: &Draft, id: &str| draft.attempts(id, 0).unwrap().each_ref().map(Grid::to_string);
    assert_eq!(text(&draft, "a"), ["[1 2]", "[0]"]);
    assert_eq!(text(&draft, "b"), ["[0]", "[1]"]);
    // One candidate: the second attempt is the input, or the single cell if the candidate is the input.
    assert!(draft.answer("a", 0, [dot(5)]) && draft.answer("b", 0, [dot(0)]));
    assert_eq!(text(&draft, "a"), ["[5]", "[1 2]"]);
    assert_eq!(text(&draft, "b"), ["[0]", "[1]"]);
    // A better answer moves the earlier one back, repetitions are skipped, and no candidate changes nothing.
    assert!(draft.answer("a", 0, [dot(6), dot(6)]));
    assert_eq!(text(&draft, "a"), ["[6]", "[5]"]);
    assert!(draft.answer("a", 0, [dot(5)]));
    assert_eq!(text(&draft, "a"), ["[5]", "[6]"]);
    assert!(draft.answer("a", 0, [dot(7), dot(7), dot(8), dot(9)]) && draft.answer("a", 0, []));
    assert_eq!(text(&draft, "a"), ["[7]", "[8]"]);
    assert!(!draft.answer("a", 1, [dot(1)]) && !draft.answer("c", 0, [dot(1)]));
    expect![[r#"
        {
        "a":[{"attempt_1":[[7]],"attempt_2":[[8]]}],
        "b":[{"attempt_1":[[0]],"attempt_2":[[1]]}]
        }
        output_id,output
        a_0,|7| |8|
        b_0,|0| |1|
    "#]]
    .assert_eq(&(draft.text(Form::Json) + &draft.text(Form::Csv)));
}

fn grids() -> impl Strategy<Value = Grid> {
    let sides = prop_oneof![4 => (1usize..3, 1usize..3), 1 => (1usize..=30, 1usize..=30)];
    sides.prop_flat_map(|(height, width)| {
        prop::collection::vec(prop_oneof![3 => 0i8..2, 1 => 0i8..10], height * width)
            .prop_map(move |cells| Grid::new(width, cells).unwrap())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_written_is_valid_and_reads_back(
        tasks in prop::collection::btree_map("[a-z0-9_ ,\"\\\\é\n]{1,9}", prop::collection::vec(grids(), 0..4), 0..6),
        answers in prop::collection::vec((any::<prop::sample::Index>(), 0usize..4, prop::collection::vec(grids(), 0..4)), 0..12),
    ) {
        let tasks: Vec<_> = tasks.iter().map(|(id, inputs)| task(id, inputs)).collect();
        let mut draft = Draft::new(&tasks);
        for (at, output, candidates) in answers {
            if tasks.is_empty() {
                break;
            }
            let task = at.get(&tasks);
            let known = draft.answer(&task.id, output, candidates.clone());
            prop_assert_eq!(known, output < task.test.len());
            if let (true, Some(best)) = (known, candidates.first()) {
                prop_assert_eq!(&draft.attempts(&task.id, output).unwrap()[0], best);
            }
        }
        let wanted = || tasks.iter().map(|task| (task.id.as_str(), task.test.len()));
        prop_assert_eq!(draft.submission().equal_attempts(), 0);
        prop_assert_eq!(draft.submission().check(wanted()), []);

        let read = Submission::parse(draft.text(Form::Json).as_bytes()).unwrap();
        prop_assert_eq!(read.check(wanted()), []);
        prop_assert_eq!(read, draft.submission());

        // The CSV cannot name a task without test inputs, and drops spaces around ids.
        prop_assume!(tasks.iter().all(|task| !task.test.is_empty() && task.id.trim() == task.id));
        let read = Submission::parse(draft.text(Form::Csv).as_bytes()).unwrap();
        prop_assert_eq!(read.check(wanted()), []);
        let written = draft.submission();
        prop_assert_eq!(read.iter().collect::<Vec<_>>(), written.iter().collect::<Vec<_>>());
    }

    /// The reader returns for any bytes.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60), cut in any::<prop::sample::Index>(), poke in any::<(prop::sample::Index, u8)>()) {
        let _ = Submission::parse(&bytes);
        let fine = format!(r#"{{"a": [{FINE}], "b": [{FINE}, {FINE}]}}"#);
        let csv = "output_id,output\na_0,|1|\nb_0,|12|34| |1| |2|\nb_1,\"|0|\"\n";
        for text in [fine.as_str(), csv] {
            let _ = Submission::parse(&text.as_bytes()[..cut.index(text.len())]);
            let mut text = text.as_bytes().to_vec();
            let at = poke.0.index(text.len());
            text[at] = poke.1;
            if let Ok(submission) = Submission::parse(&text) {
                submission.check([("a", 1), ("b", 2)]);
            }
        }
    }
}

#[test]
fn files_are_replaced_atomically() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("submission");
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join("submission.json");
    std::fs::write(&path, "an earlier and longer submission, for all I know").unwrap();
    let draft = Draft::new([task("a", &[dot(3)])]);
    draft.write(&path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), draft.text(Form::Json));
    draft.write(&dir.join("submission.csv")).unwrap();
    assert_eq!(std::fs::read_to_string(dir.join("submission.csv")).unwrap(), draft.text(Form::Csv));
    let mut names: Vec<_> =
        std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["submission.csv", "submission.json"], "nothing is left aside");
}
