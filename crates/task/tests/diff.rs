//! Differences between two data sets.

use batt_task::{Dataset, diff, parse_task};
use expect_test::{Expect, expect};

/// Parses tasks written as `id: pairs / pairs`, a pair as `input>output`, a grid as rows of digits separated
/// by commas.
fn dataset(text: &str) -> Dataset {
    let grid = |text: &str| {
        let row = |row: &str| row.chars().map(|cell| cell.to_string()).collect::<Vec<_>>().join(",");
        format!("[[{}]]", text.split(',').map(row).collect::<Vec<_>>().join("],["))
    };
    let pairs = |text: &str| {
        let pairs = text.split_whitespace().map(|pair| match pair.split_once('>') {
            Some((input, output)) => format!(r#"{{"input":{},"output":{}}}"#, grid(input), grid(output)),
            None => format!(r#"{{"input":{}}}"#, grid(pair)),
        });
        pairs.collect::<Vec<_>>().join(",")
    };
    let task = |line: &str| {
        let (id, rest) = line.trim().split_once(": ").unwrap();
        let (train, test) = rest.split_once('/').unwrap();
        let json = format!(r#"{{"train":[{}],"test":[{}]}}"#, pairs(train), pairs(test));
        parse_task(id, json.as_bytes()).unwrap()
    };
    Dataset::new("x", text.lines().filter(|line| !line.trim().is_empty()).map(task).collect())
}

fn check(a: &str, b: &str, expected: Expect) {
    let diff = diff(&dataset(a), &dataset(b));
    let changed = diff.changed.iter().map(|task| {
        let changes: Vec<_> =
            task.changes.iter().map(|change| format!("{}: {change}", change.kind())).collect();
        format!("{}\n  {}\n", task.id, changes.join("\n  "))
    });
    let text = format!(
        "same {}, only in a {:?}, only in b {:?}\n{}",
        diff.same,
        diff.only_a,
        diff.only_b,
        changed.collect::<String>()
    );
    expected.assert_eq(&text);
}

#[test]
fn added_and_removed_tasks() {
    check(
        "a: 1>2 / 3>4
         b: 1>2 / 3>4",
        "b: 1>2 / 3>4
         c: 1>2 / 3>4",
        expect![[r#"
            same 1, only in a ["a"], only in b ["c"]
        "#]],
    );
}

#[test]
fn kinds_of_changes() {
    check(
        "added: 1>2 / 3>4
         cells: 1>2 00000,00000>11111,11111 / 3>4
         both: 00000,00000>11111,11111 / 3>4
         duplicated: 1>2 1>2 / 3>4
         moved: 1>2 5>6 / 3>4
         other: 123>456 / 3>4
         output: 1>2 / 3
         removed: 1>2 5>6 7>8 / 3>4
         reordered: 1>2 5>6 7>8 / 3>4
         reordered-changed: 1>2 5>6 7>8 / 3>4
         size: 1>2 / 3>4
         solved: 1>2 / 3>4",
        "added: 1>2 / 5>6 3>4
         cells: 1>2 00000,00000>11111,11311 / 3>4
         both: 00200,00000>11111,11113 / 3>4
         duplicated: 1>2 1>2 1>2 / 3>4
         moved: 1>2 / 5>6 3>4
         other: 789>100 / 3>4
         output: 1>2 / 3>4
         removed: 1>2 7>8 / 3>4
         reordered: 7>8 5>6 1>2 / 3>4
         reordered-changed: 7>9 5>6 1>2 / 3>4
         size: 1>22,22 / 3>4
         solved: 1>2 / 3",
        expect![[r#"
            same 0, only in a [], only in b []
            added
              added: test 0 added
            both
              cells: train 0 input: 1 of 10 cells
              cells: train 0 output: 1 of 10 cells
            cells
              cells: train 1 output: 1 of 10 cells
            duplicated
              added: train 2 added
            moved
              moved: train 1 is now test 0
            other
              removed: train 0 removed
              added: train 0 added
            output
              output: test 0 output now known
            removed
              removed: train 1 removed
            reordered
              reordered: train pairs reordered
            reordered-changed
              reordered: train pairs reordered
              cells: train 2 output: 1 of 1 cells
            size
              size: train 0 output: 1×1 became 2×2
            solved
              output: test 0 output no longer known
        "#]],
    );
}
