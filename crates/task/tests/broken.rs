//! Broken data is reported with file and place; `skip_bad` continues with the rest.

use std::io::Write;
use std::path::{Path, PathBuf};

use batt_task::{Options, Select, open};
use expect_test::{Expect, expect};

const TASK: &str = r#"{"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[3]]}]}"#;

struct Data(PathBuf);

impl Data {
    fn new(test: &str) -> Data {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken").join(test);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Data(path)
    }

    fn file(self, name: &str, bytes: impl AsRef<[u8]>) -> Data {
        std::fs::write(self.0.join(name), bytes).unwrap();
        self
    }

    /// Checks the error, then what `skip_bad` loads and skips.
    fn check(&self, name: &str, expected: Expect) {
        let path = self.0.join(name);
        let data = path.to_str().unwrap();
        let clean = |text: String| text.replace(self.0.to_str().unwrap(), "DIR");
        let strict = open(data, &Options::STRICT).expect_err("this is broken").to_string();
        let skipping = match open(data, &Options { skip_bad: true, select: Select::ALL }) {
            Err(error) if error.to_string() == strict => "nothing is left".to_owned(),
            Err(error) => error.to_string(),
            Ok(dataset) => {
                assert!(!dataset.skipped.is_empty());
                let problems: Vec<_> = dataset.skipped.iter().map(ToString::to_string).collect();
                assert_eq!(problems.join("\n"), strict, "the skipped problems are those of the error");
                let ids: Vec<_> = dataset.tasks.iter().map(|task| task.id.as_str()).collect();
                format!("left: {}", ids.join(" "))
            }
        };
        expected.assert_eq(&clean(format!("{strict}\n{skipping}\n")));
    }
}

#[test]
fn every_bad_file_of_a_folder_is_reported() {
    let wide = format!("[{}]", vec!["0"; 31].join(","));
    let square = format!("[{}]", vec![wide.as_str(); 31].join(","));
    let tall = format!("[{}]", vec!["[0]"; 31].join(","));
    let with = |grid: &str| TASK.replace("[[2]]", grid);
    let data = Data::new("folder")
        .file("good.json", TASK)
        .file("also-good.json", TASK.replace(", ", ",\n"))
        .file("31x31.json", with(&square))
        .file("31x1.json", with(&tall))
        .file("cell.json", with("[[2, 10]]"))
        .file("cut.json", &TASK[..50])
        .file("empty-file.json", "")
        .file("empty-grid.json", with("[]"))
        .file("empty-row.json", with("[[]]"))
        .file("negative.json", with("[[-1]]"))
        .file("null.json", "null")
        .file("packed.json.gz", b"\x1f\x8b\x08\x00junk")
        .file("ragged.json", with("[[1, 2],\n [3, 4, 5]]"))
        .file("text.json", "hello")
        .file("utf16.json", b"\xff\xfe{\0}\0")
        .file("word.json", with("[[red]]"));
    data.check("", expect![[r#"
        DIR/31x1.json:1:39: task 31x1, train 0 output: the grid has 31 rows; a grid has at most 30
        DIR/31x31.json:1:40: task 31x31, train 0 output: row 0 has 31 cells; a row has at most 30
        DIR/cell.json:1:44: task cell, train 0 output: row 0, column 1 is 10; colours are 0 to 9
        DIR/cut.json:1:51: task cut: the text ends before the closing `"` of a string; is it cut off?
        DIR/empty-file.json:1:1: task empty-file: the text ends before a task: {"train": …, "test": …}; is it cut off?
        DIR/empty-grid.json:1:39: task empty-grid, train 0 output: the grid is empty; a grid has at least one row
        DIR/empty-row.json:1:40: task empty-row, train 0 output: row 0 is empty
        DIR/negative.json:1:41: task negative, train 0 output: row 0, column 0 is -1; colours are 0 to 9
        DIR/null.json:1:1: task null: expected a task: {"train": …, "test": …}, not `n`
        DIR/packed.json.gz: task packed: the compressed data ends too early; is the file cut off?
        DIR/ragged.json:2:2: task ragged, train 0 output: row 1 has 3 cells, expected 2
        DIR/text.json:1:1: task text: expected a task: {"train": …, "test": …}, not `h`
        DIR/utf16.json:1:1: task utf16: expected a task: {"train": …, "test": …}, not the byte 0xff
        DIR/word.json:1:41: task word, train 0 output: row 0, column 0 is red; colours are 0 to 9
        left: also-good good
    "#]]);
}

#[test]
fn a_file_of_many_tasks() {
    let data = Data::new("many")
        .file("cut.json", format!("{{\"a\": {TASK},\n\"b\": {TASK},\n\"c\": {}", &TASK[..64]))
        .file("cut-key.json", format!("{{\"a\": {TASK},\n\"b"))
        .file("cut-after.json", format!("{{\"a\": {TASK},\n"))
        .file("twice.json", format!("{{\"a\": {TASK}, \"b\": {TASK},\n\"a\": {TASK}}}"))
        .file("comma.json", format!("{{\"a\": {TASK}\n\"b\": {TASK}}}"))
        .file("bracket.json", format!("{{\"a\": {},\n\"b\": {TASK}}}", TASK.replace("[[1]]", "[[1]")))
        .file("brace.json", format!("{{\"a\": {},\n\"b\": {TASK}}}", TASK.replace("]}]", "]]")))
        .file("more.json", format!("{{\"a\": {TASK}}}}}"))
        .file("cells.json", format!("{{\"a\": {TASK}, \"b\": {}}}", TASK.replace('3', "42")))
        .file("number.json", format!("{{\"a\": {TASK}, \"b\": 7}}"))
        .file("list.json", format!("[{TASK}]"))
        .file("empty.json", "{}")
        .file("grid.json", "[[1]]");
    data.check(
        "cut.json",
        expect![[r#"
        DIR/cut.json:3:70: task c, test 0: the text ends before `:`; is it cut off?
        left: a b
    "#]],
    );
    data.check(
        "cut-key.json",
        expect![[r#"
        DIR/cut-key.json:2:3: the text ends before the closing `"` of a string; is it cut off?
        left: a
    "#]],
    );
    data.check(
        "cut-after.json",
        expect![[r#"
        DIR/cut-after.json:2:1: the text ends before a key in double quotes; is it cut off?
        left: a
    "#]],
    );
    data.check(
        "twice.json",
        expect![[r#"
        DIR/twice.json:2:6: task a: this id occurs twice, first at DIR/twice.json:1:7
        left: a b
    "#]],
    );
    data.check(
        "comma.json",
        expect![[r#"
        DIR/comma.json:2:1: expected `,` or `}`, not `"`
        left: a
    "#]],
    );
    data.check(
        "bracket.json",
        expect![[r#"
        DIR/bracket.json:1:34: task a, train 0 input: expected a row: a list of colours, not `"`
        left: b
    "#]],
    );
    data.check(
        "brace.json",
        expect![[r#"
        DIR/brace.json:1:50: task a, train 0: expected `,` or `}`, not `]`
        nothing is left
    "#]],
    );
    data.check(
        "more.json",
        expect![[r#"
        DIR/more.json:1:82: expected the end of the text, not `}`
        left: a
    "#]],
    );
    data.check(
        "cells.json",
        expect![[r#"
        DIR/cells.json:1:156: task b, test 0 input: row 0, column 0 is 42; colours are 0 to 9
        left: a
    "#]],
    );
    data.check(
        "number.json",
        expect![[r#"
        DIR/number.json:1:88: task b: expected a task: {"train": …, "test": …}, not `7`
        left: a
    "#]],
    );
    data.check(
        "list.json",
        expect![[r#"
        DIR/list.json:1:1: expected tasks: {"id": {"train": …}}, not `[`
        nothing is left
    "#]],
    );
    data.check(
        "empty.json",
        expect![[r#"
            DIR/empty.json has no tasks (*.json)
            nothing is left
        "#]],
    );
    data.check(
        "grid.json",
        expect![[r#"
        DIR/grid.json:1:1: expected tasks: {"id": {"train": …}}, not `[`
        nothing is left
    "#]],
    );
}

#[test]
fn a_bundle() {
    let data = Data::new("bundle")
        .file(
            "cut.json",
            format!("{{\"train\": {{\"a\": {TASK}}},\n\"eval\": {{\"b\": {TASK}, \"c\": {{\"train\""),
        )
        .file("both.json", format!("{{\"train\": {{\"a\": {TASK}}},\n\"eval\": {{\"a\": {TASK}}}}}"))
        .file("after.json", format!("{{\"train\": {{\"a\": {TASK}}}\n\"eval\": {{\"b\": {TASK}}}}}"));
    data.check(
        "cut.json",
        expect![[r#"
        DIR/cut.json:2:104: task c: the text ends before `:`; is it cut off?
        left: a b
    "#]],
    );
    data.check(
        "both.json",
        expect![[r#"
        DIR/both.json:2:15: task a: this id occurs twice, first at DIR/both.json:1:17
        left: a
    "#]],
    );
    data.check(
        "after.json",
        expect![[r#"
        DIR/after.json:2:1: expected `,` or `}`, not `"`
        left: a
    "#]],
    );
    data.check(
        "both.json#test",
        expect![[r#"
        DIR/both.json has no part test; its parts are train, eval
        nothing is left
    "#]],
    );
    let data = data.file("a.json", TASK);
    data.check(
        "a.json#train",
        expect![[r#"
        DIR/a.json has no part train; it has no parts
        nothing is left
    "#]],
    );
}

#[test]
fn solutions_that_do_not_match() {
    let challenges = format!("{{\"a\": {TASK},\n\"b\": {TASK},\n\"c\": {TASK}}}");
    let with = |test: &str, solutions: &str| {
        Data::new(test).file("x_challenges.json", &challenges).file("x_solutions.json", solutions)
    };
    let data = with("missing", "{\"a\": [[[1]]],\n\"c\": [[[1]]]}");
    data.check(
        "x_challenges.json",
        expect![[r#"
        DIR/x_solutions.json: task b: no solutions for this task, which is in DIR/x_challenges.json
        left: a c
    "#]],
    );
    let data = with("unknown", "{\"a\": [[[1]]], \"b\": [[[1]]],\n\"c\": [[[1]]], \"d\": [[[1]]]}");
    data.check(
        "x_challenges.json",
        expect![[r#"
        DIR/x_solutions.json:2:20: task d: DIR/x_challenges.json has no task with this id
        left: a b c
    "#]],
    );
    let data = with("count", "{\"a\": [[[1]]], \"b\": [[[1]], [[2]]],\n\"c\": []}");
    data.check(
        "x_challenges.json",
        expect![[r#"
            DIR/x_solutions.json:1:21: task b: the number of solutions is 2, but the number of test inputs is 1
            DIR/x_solutions.json:2:6: task c: the number of solutions is 0, but the number of test inputs is 1
            left: a
        "#]],
    );
    let data = with("broken", "{\"a\": [[[1]]], \"b\": [[[1, 2], [3]]],\n\"c\": 7}");
    data.check(
        "x_challenges.json",
        expect![[r#"
        DIR/x_solutions.json:1:31: task b, test 0 output: row 1 has 1 cells, expected 2
        DIR/x_solutions.json:2:6: task c: expected a list of grids, not `7`
        left: a
    "#]],
    );
    let data = with("cut", "{\"a\": [[[1]]],\n\"b\": [[[1]]");
    data.check(
        "x_challenges.json",
        expect![[r#"
        DIR/x_solutions.json:2:12: the text ends before the end of a value; is it cut off?
        DIR/x_solutions.json: task b: no solutions for this task, which is in DIR/x_challenges.json
        DIR/x_solutions.json: task c: no solutions for this task, which is in DIR/x_challenges.json
        left: a
    "#]],
    );
    let data = with("twice", "{\"a\": [[[1]]], \"b\": [[[1]]], \"c\": [[[1]]],\n\"a\": [[[2]]]}");
    data.check(
        "x_challenges.json",
        expect![[r#"
        DIR/x_solutions.json:2:6: task a: this task has solutions twice
        left: a b c
    "#]],
    );
    data.check("x_solutions.json", expect![[r#"
        DIR/x_solutions.json:1:7: each id has a list, as in solutions or a submission; name the challenges file instead
        nothing is left
    "#]]);
    let data = with("text", "hello");
    data.check(
        "x_challenges.json",
        expect![[r#"
            DIR/x_solutions.json:1:1: expected solutions: {"id": [grids]}, not `h`
            DIR/x_solutions.json: task a: no solutions for this task, which is in DIR/x_challenges.json
            DIR/x_solutions.json: task b: no solutions for this task, which is in DIR/x_challenges.json
            DIR/x_solutions.json: task c: no solutions for this task, which is in DIR/x_challenges.json
            nothing is left
        "#]],
    );
    let own = challenges.replace("{\"input\": [[3]]}", "{\"input\": [[3]], \"output\": [[4]]}");
    let data =
        with("own", "{\"a\": [[[4]]], \"b\": [[[4]]],\n\"c\": [[[5]]]}").file("x_challenges.json", own);
    data.check(
        "x_challenges.json",
        expect![[r#"
        DIR/x_solutions.json:2:6: task c: the solution of test 0 differs from the output in the task
        left: a b
    "#]],
    );
}

#[test]
fn missing_files_names_and_parts() {
    let data = Data::new("nothing");
    std::fs::create_dir_all(data.0.join("folder")).unwrap();
    data.check(
        "folder",
        expect![[r#"
            DIR/folder has no tasks (*.json)
            nothing is left
        "#]],
    );
    data.check(
        "missing.json",
        expect![[r#"
            there is no data set, file or folder called DIR/missing.json; `batt data list` shows the names
            nothing is left
        "#]],
    );
    let error = |data: &str| open(data, &Options::STRICT).unwrap_err().to_string();
    assert_eq!(
        error("arc1-trainign"),
        "there is no data set, file or folder called arc1-trainign; did you mean arc1-training?"
    );
    assert_eq!(
        error("unheard-of"),
        "there is no data set, file or folder called unheard-of; `batt data list` shows the names"
    );
}

#[test]
fn archives() {
    let zip = |members: &[(&str, &[u8])]| {
        let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, bytes) in members {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    };
    let gz = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    // A hundred mebibytes of spaces: a valid start of a JSON text.
    let bomb = vec![b' '; 100 << 20];
    let small_bombs = gz(&bomb[..40 << 20]);
    let whole = zip(&[("set/a.json", TASK.as_bytes()), ("set/b.json", b"{\"train\": 7}")]);
    let data = Data::new("archives")
        .file("bad-member.zip", &whole)
        .file("cut.zip", &whole[..whole.len() / 2])
        .file("no-json.zip", zip(&[("a.txt", b"text")]))
        .file("bomb.zip", zip(&[("a.json", TASK.as_bytes()), ("b.json", &bomb)]))
        .file("nested-bombs.zip", zip(&[("a.json.gz", &small_bombs), ("b.json.gz", &small_bombs)]))
        .file("bomb.json.gz", gz(&bomb))
        .file("cut.json.gz", &gz(TASK.as_bytes())[..40]);
    data.check(
        "bad-member.zip",
        expect![[r#"
        DIR/bad-member.zip/set/b.json:1:11: task b, train: expected a list of pairs, not `7`
        left: a
    "#]],
    );
    data.check(
        "cut.zip",
        expect![[r#"
            cannot read DIR/cut.zip: damaged zip archive (invalid Zip archive: Could not find EOCD); is it cut off?
            nothing is left
        "#]],
    );
    data.check(
        "no-json.zip",
        expect![[r#"
            DIR/no-json.zip has no tasks (*.json)
            nothing is left
        "#]],
    );
    data.check(
        "bomb.zip",
        expect![[r#"
            cannot read DIR/bomb.zip: b.json: decompresses to more than 64 MiB; refused as a possible zip bomb
            nothing is left
        "#]],
    );
    data.check(
        "nested-bombs.zip",
        expect![[r#"
            cannot read DIR/nested-bombs.zip: b.json.gz: decompresses to more than 64 MiB; refused as a possible zip bomb
            nothing is left
        "#]],
    );
    data.check(
        "bomb.json.gz",
        expect![[r#"
            cannot read DIR/bomb.json.gz: decompresses to more than 91 MiB; refused as a possible zip bomb
            nothing is left
        "#]],
    );
    data.check(
        "cut.json.gz",
        expect![[r#"
        cannot read DIR/cut.json.gz: the compressed data ends too early; is the file cut off?
        nothing is left
    "#]],
    );
}
