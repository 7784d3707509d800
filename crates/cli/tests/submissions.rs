//! `batt check` and `batt score`.

mod batt;

use batt::Batt;
use expect_test::expect;

/// Three tasks: with one test input, with two, and with an unknown solution.
fn data(test: &str) -> Batt {
    Batt::new(test).file(
        "data/aaaa.json",
        r#"{"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[0, 1], [0, 0]], "output": [[0, 2], [0, 0]]}]}"#,
    )
    .file(
        "data/bbbb.json",
        r#"{"train": [{"input": [[1]], "output": [[2]]}],
            "test": [{"input": [[3]], "output": [[4]]}, {"input": [[5, 5]], "output": [[5], [5]]}]}"#,
    )
    .file("data/cccc.json", r#"{"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[9]]}]}"#)
}

/// Right on `aaaa` with the second attempt, and on the first output of `bbbb` with both.
const SUBMISSION: &str = r#"{
    "aaaa": [{"attempt_1": [[0, 2], [2, 0]], "attempt_2": [[0, 2], [0, 0]]}],
    "bbbb": [{"attempt_1": [[4]], "attempt_2": [[4]]}, {"attempt_1": [[5, 5]], "attempt_2": [[5], [4]]}],
    "cccc": [{"attempt_1": [[1]], "attempt_2": [[2]]}]
}"#;

#[test]
fn a_valid_submission() {
    let batt = data("submission-fine").file("submission.json", SUBMISSION).file(
        "submission.csv",
        "output_id,output\naaaa_0,|02|20| |02|00| |11|11|\nbbbb_0,|4|\nbbbb_1,|55| |1| |5|5|\ncccc_0,|1|\n",
    );
    batt.check(
        "check {dir}/submission.json {dir}/data",
        expect![[r#"
            {dir}/submission.json: no defects; 3 tasks with 4 test inputs
            note: both attempts are equal for 1 output; a different second attempt costs nothing
            exit 0
        "#]],
    );
    batt.check("check {dir}/submission.json {dir}/data --json", expect![[r#"
        {"schema":1,"submission":"{dir}/submission.json","form":"json","valid":true,"tasks":3,"outputs":4,"equal_attempts":1,"defects":[]}
        exit 0
    "#]]);
    batt.check(
        "score {dir}/submission.json {dir}/data",
        expect![[r#"
            mean over outputs (Kaggle)         66.66 %   2 of 3
            mean over tasks of the fraction    75.00 %   3/4
            tasks entirely right               50.00 %   1 of 2

            attempt_1 is right for 1 output
            attempt_2 is right for 2 outputs, 1 that no earlier attempt got right
            note: 1 task without solutions, not counted: cccc
            exit 0
        "#]],
    );
    batt.check(
        "score {dir}/submission.json {dir}/data --verbose",
        expect![[r#"
            aaaa, output 0: right; attempt_1 wrong (0.4000), attempt_2 ok
            bbbb, output 0: right; attempt_1 ok, attempt_2 ok
            bbbb, output 1: wrong; attempt_1 wrong shape (0.0000), attempt_2 wrong (0.2307)

            mean over outputs (Kaggle)         66.66 %   2 of 3
            mean over tasks of the fraction    75.00 %   3/4
            tasks entirely right               50.00 %   1 of 2

            attempt_1 is right for 1 output
            attempt_2 is right for 2 outputs, 1 that no earlier attempt got right
            note: 1 task without solutions, not counted: cccc
            exit 0
        "#]],
    );
    batt.check("score {dir}/submission.json {dir}/data --verbose --json", expect![[r#"
        {"schema":1,"submission":"{dir}/submission.json","form":"json","tasks":2,"outputs":3,"rules":[{"rule":"outputs","label":"mean over outputs (Kaggle)","numerator":2,"denominator":3,"percent":66.66},{"rule":"fractions","label":"mean over tasks of the fraction","numerator":3,"denominator":4,"percent":75.00},{"rule":"tasks","label":"tasks entirely right","numerator":1,"denominator":2,"percent":50.00}],"attempts":[{"attempt":"attempt_1","right":1,"new":1},{"attempt":"attempt_2","right":2,"new":1}],"unsolved":["cccc"],"unanswered":[],"defects":0,"per_task":[{"id":"aaaa","right":1,"of":1,"outputs":[[{"verdict":"wrong","score":0.4000,"closeness":0.8000,"shape":1.0000,"palette":1.0000,"cells":0.7500,"objects":0.5000},{"verdict":"ok","score":1.0000,"closeness":1.0000,"shape":1.0000,"palette":1.0000,"cells":1.0000,"objects":1.0000}]]},{"id":"bbbb","right":1,"of":2,"outputs":[[{"verdict":"ok","score":1.0000,"closeness":1.0000,"shape":1.0000,"palette":1.0000,"cells":1.0000,"objects":1.0000},{"verdict":"ok","score":1.0000,"closeness":1.0000,"shape":1.0000,"palette":1.0000,"cells":1.0000,"objects":1.0000}],[{"verdict":"wrong_shape","score":0.0000,"closeness":0.3500,"shape":0.2500,"palette":1.0000,"cells":0.2500,"objects":0.0000},{"verdict":"wrong","score":0.2307,"closeness":0.5000,"shape":1.0000,"palette":0.5000,"cells":0.5000,"objects":0.0000}]]}]}
        exit 0
    "#]]);
    batt.check(
        "check {dir}/submission.csv {dir}/data",
        expect![[r#"
            {dir}/submission.csv: no defects; 3 tasks with 4 test inputs
            exit 0
        "#]],
    );
    batt.check(
        "score {dir}/submission.csv {dir}/data",
        expect![[r#"
            mean over outputs (Kaggle)        100.00 %   3 of 3
            mean over tasks of the fraction   100.00 %   1/1
            tasks entirely right              100.00 %   2 of 2

            attempt_1 is right for 1 output
            attempt_2 is right for 1 output, 1 that no earlier attempt got right
            attempt_3 is right for 1 output, 1 that no earlier attempt got right
            note: 1 task without solutions, not counted: cccc
            exit 0
        "#]],
    );
}

#[test]
fn a_broken_submission() {
    let batt = data("submission-broken").file(
        "submission.json",
        r#"{
            "aaaa": [{"attempt_1": [[0, 2], [0, 0]]}],
            "bbbb": [{"attempt_1": [[4]], "attempt_2": [[4, 5], [6]]}],
            "dddd": [{"attempt_1": [[4]], "attempt_2": [[17]]}]
        }"#,
    );
    batt.check(
        "check {dir}/submission.json {dir}/data",
        expect![[r#"
        aaaa, output 0, attempt_2: missing; each attempt must be a grid
        bbbb: the number of outputs is 1, but the number of test inputs is 2
        bbbb, output 0, attempt_2: row 1 has 1 cells, expected 2
        cccc: missing; every task needs an answer
        dddd: no task of the data set has this id
        dddd, output 0, attempt_2: row 0, column 0 is 17; colours are 0 to 9
        {dir}/submission.json: 6 defects
        exit 1
    "#]],
    );
    batt.check("check {dir}/submission.json {dir}/data --json", expect![[r#"
        {"schema":1,"submission":"{dir}/submission.json","form":"json","valid":false,"tasks":3,"outputs":4,"equal_attempts":0,"defects":[{"kind":"missing_attempt","id":"aaaa","output":0,"attempt":"attempt_2","text":"missing; each attempt must be a grid"},{"kind":"output_count","id":"bbbb","text":"the number of outputs is 1, but the number of test inputs is 2"},{"kind":"bad_grid","id":"bbbb","output":0,"attempt":"attempt_2","text":"row 1 has 1 cells, expected 2"},{"kind":"missing_id","id":"cccc","text":"missing; every task needs an answer"},{"kind":"unknown_id","id":"dddd","text":"no task of the data set has this id"},{"kind":"bad_grid","id":"dddd","output":0,"attempt":"attempt_2","text":"row 0, column 0 is 17; colours are 0 to 9"}]}
        exit 1
    "#]]);
    batt.check(
        "score {dir}/submission.json {dir}/data -v",
        expect![[r#"
            aaaa, output 0: right; attempt_1 ok, attempt_2 missing
            bbbb, output 0: right; attempt_1 ok, attempt_2 missing
            bbbb, output 1: wrong; no attempts

            mean over outputs (Kaggle)         66.66 %   2 of 3
            mean over tasks of the fraction    75.00 %   3/4
            tasks entirely right               50.00 %   1 of 2

            attempt_1 is right for 2 outputs
            attempt_2 is right for 0 outputs
            note: 1 task without solutions, not counted: cccc
            note: the submission has 6 defects; see `batt check {dir}/submission.json {dir}/data`
            exit 0
        "#]],
    );
}

#[test]
fn missing_tasks_count_as_wrong() {
    let batt = data("submission-empty").file("empty.json", "{}").file("all.csv", "output_id,output\n");
    batt.check(
        "score {dir}/empty.json {dir}/data -v",
        expect![[r#"
            aaaa, output 0: wrong; no attempts
            bbbb, output 0: wrong; no attempts
            bbbb, output 1: wrong; no attempts

            mean over outputs (Kaggle)          0.00 %   0 of 3
            mean over tasks of the fraction     0.00 %   0/1
            tasks entirely right                0.00 %   0 of 2

            attempt_1 is right for 0 outputs
            attempt_2 is right for 0 outputs
            note: 1 task without solutions, not counted: cccc
            note: 2 tasks not in the submission, counted as wrong: aaaa, bbbb
            note: the submission has 3 defects; see `batt check {dir}/empty.json {dir}/data`
            exit 0
        "#]],
    );
    batt.check(
        "score {dir}/all.csv {dir}/data/cccc.json",
        expect![[r#"
            nothing to score: no task of {dir}/data/cccc.json has solutions
            note: 1 task without solutions, not counted: cccc
            note: the submission has 1 defect; see `batt check {dir}/all.csv {dir}/data/cccc.json`
            exit 0
        "#]],
    );
    batt.check("score {dir}/all.csv {dir}/data/cccc.json --json", expect![[r#"
        {"schema":1,"submission":"{dir}/all.csv","form":"csv","tasks":0,"outputs":0,"rules":[{"rule":"outputs","label":"mean over outputs (Kaggle)","numerator":null,"denominator":null,"percent":null},{"rule":"fractions","label":"mean over tasks of the fraction","numerator":null,"denominator":null,"percent":null},{"rule":"tasks","label":"tasks entirely right","numerator":null,"denominator":null,"percent":null}],"attempts":[{"attempt":"attempt_1","right":0,"new":0},{"attempt":"attempt_2","right":0,"new":0}],"unsolved":["cccc"],"unanswered":[],"defects":1}
        exit 0
    "#]]);
}

#[test]
fn a_page_shows_submissions_with_their_tasks() {
    let batt = data("submission-page")
        .file("old.json", SUBMISSION)
        .file("new.json", SUBMISSION.replace("[[5, 5]]", "[[5], [5]]"))
        .file("short.json", r#"{"aaaa": [{"attempt_1": [[0, 2], [2, 0]]}]}"#);
    batt.check(
        "report {dir}/old.json",
        expect![[r#"
        error: {dir}/old.json: this is a submission, not a record; add --data DATA to show it with its tasks
        exit 2
    "#]],
    );
    let text = |args: &str| {
        let written =
            batt.run(&format!("report {args} --data {{dir}}/data -o {{dir}}/page.html --overwrite"));
        assert!(written.contains("exit 0"), "{written}");
        batt.read("page.html")
    };
    let both = text("{dir}/old.json {dir}/new.json");
    assert!(both.contains("a submission: 3 tasks, 4 outputs, complete and well formed"));
    let states = |page: &str| page.matches("\"state\":\"solved\"").count();
    // The new one also solves `bbbb`; the solution of `cccc` is unknown.
    assert_eq!(states(&both), 1 + 2);
    assert_eq!(both.matches("\"state\":\"open\"").count(), 2);
    // Defects are named, and a missing attempt is not an error.
    assert!(text("{dir}/short.json").contains("defects, the first: aaaa, output 0, attempt_2"));
}

#[test]
fn other_files_are_refused() {
    let batt = data("submission-refused")
        .file("cut.json", r#"{"aaaa": [{"attempt_1": [[0, "#)
        .file("list.json", "[[1, 2]]")
        .file("fine.json", SUBMISSION);
    batt.check(
        "check {dir}/cut.json {dir}/data",
        expect![[r#"
            error: {dir}/cut.json: not a submission: EOF while parsing a value at line 1 column 29
            exit 2
        "#]],
    );
    batt.check("score {dir}/list.json {dir}/data", expect![[r#"
        error: {dir}/list.json: not a submission: neither Kaggle's {"id": [{"attempt_1": …, "attempt_2": …}]} nor a CSV that starts with `output_id,output`
        exit 2
    "#]]);
    batt.check(
        "score {dir}/missing.json {dir}/data",
        expect![[r#"
        error: cannot read {dir}/missing.json: No such file or directory (os error 2)
        exit 2
    "#]],
    );
    batt.check(
        "check {dir}/fine.json {dir}/nothing",
        expect![[r#"
            error: there is no data set, file or folder called {dir}/nothing; `batt data list` shows the names
            exit 2
        "#]],
    );
}
