//! A joined store has the rows of one store that received all programs.

use std::path::{Path, PathBuf};

use batt_lang::Program;
use batt_store::{Entry, KEEP, Measure, Origin, Store, StoreError, TestResult, merge};
use batt_value::ContentHash;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

fn folder(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("merge").join(test);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn program(name: &str, n: usize) -> Program {
    batt_lang::parse(&format!("def {name}(I): return canvas(ZERO, astuple({n}, ONE))")).programs.remove(0)
}

fn hash(text: &str) -> ContentHash {
    ContentHash::of(text.as_bytes())
}

fn measure(task: &str, behaviour: &str, score: u32) -> Measure {
    Measure {
        task: hash(task),
        task_name: task.to_owned(),
        right: 1,
        pairs: 2,
        score,
        fuel: 10,
        micros: 5,
        behaviour: hash(behaviour),
        dsl: hash("dsl"),
    }
}

fn found(n: usize, measures: Vec<Measure>) -> Entry {
    let origin = Origin::Found {
        seed: u64::MAX,
        operator: "made".to_owned(),
        parents: vec![hash("mother"), hash("father")],
        saw: measures.iter().map(|measure| measure.task).collect(),
    };
    Entry { program: program("f", n), origin, measures }
}

fn imported(name: &str, n: usize) -> Entry {
    Entry {
        program: program(name, n),
        origin: Origin::Imported { file: "a.py".to_owned() },
        measures: vec![],
    }
}

fn test_result(n: usize, task: &str) -> TestResult {
    TestResult { program: program("f", n).hash(), task: hash(task), right: 1, pairs: 1 }
}

/// Fills a store.
fn fill(path: &Path, entries: &[Entry], tests: &[TestResult]) {
    let mut store = Store::open(path).unwrap();
    store.add(entries).unwrap();
    store.seal(tests).unwrap();
}

/// Returns all rows of all tables.
fn dump(path: &Path) -> String {
    let connection = Connection::open(path).unwrap();
    let mut text = String::new();
    for table in ["programs", "names", "parents", "saw", "tasks", "results", "test_results"] {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2")).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let value = |i: usize| match row.get_ref(i).unwrap() {
                ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                other => format!("{other:?}"),
            };
            let values: Vec<String> = (0..columns).map(value).collect();
            text.push_str(&format!("{table} {}\n", values.join(" ")));
        }
    }
    text
}

#[test]
fn joined_stores_have_the_rows_of_one_store() {
    let dir = folder("rows");
    let best = |n: usize| measure("full", &n.to_string(), 1000 + n as u32);
    // More programs for one task than a store keeps, an equal program, a twin with the same answers, and names.
    let mut a: Vec<Entry> = (0..KEEP).map(|n| found(n, vec![best(n)])).collect();
    a.extend([found(100, vec![measure("t", "same", 10)]), found(101, vec![measure("alpha", "x", 7)])]);
    a.push(imported("mine", 200));
    let mut b: Vec<Entry> = (KEEP - 8..KEEP + 8).map(|n| found(n, vec![best(n)])).collect();
    b.extend([found(102, vec![measure("t", "same", 20)]), found(101, vec![measure("beta", "y", 9)])]);
    b.extend([imported("yours", 200), imported("mine", 201), imported("named", 101)]);
    let (a_tests, b_tests) = (
        [test_result(5, "full"), test_result(100, "t"), test_result(101, "alpha")],
        [test_result(KEEP + 1, "full"), test_result(102, "t"), test_result(101, "beta")],
    );
    let paths = ["a", "b", "one", "joined", "again"].map(|name| dir.join(format!("{name}.sqlite")));
    let [a_path, b_path, one, joined, again] = &paths;
    fill(a_path, &a, &a_tests);
    fill(b_path, &b, &b_tests);
    fill(one, &a, &a_tests);
    fill(one, &b, &b_tests);
    let before = dump(b_path);
    let stats = merge(&[b_path.clone(), a_path.clone()], joined).unwrap();
    assert_eq!(dump(joined), dump(one));
    assert_eq!(stats, Store::open_existing(one).unwrap().stats().unwrap());
    assert_eq!(dump(b_path), before);
    merge(&[a_path.clone(), b_path.clone()], again).unwrap();
    assert_eq!(dump(again), dump(one));
    // Only the stores are left: no logs and no temporary files.
    drop(paths);
    let mut names: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|it| it.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.sqlite", "again.sqlite", "b.sqlite", "joined.sqlite", "one.sqlite"]);
}

#[test]
fn programs_that_can_no_longer_be_read_are_kept() {
    let dir = folder("unreadable");
    let [a, b, joined] = ["a", "b", "joined"].map(|name| dir.join(format!("{name}.sqlite")));
    fill(&a, &[imported("mine", 1)], &[]);
    fill(&b, &[imported("yours", 2)], &[]);
    let broken = "UPDATE programs SET text = 'def solve(I): return gone(I)'";
    Connection::open(&a).unwrap().execute_batch(broken).unwrap();
    merge(&[a, b], &joined).unwrap();
    assert!(dump(&joined).contains("gone(I)"));
    assert_eq!(Store::open_existing(&joined).unwrap().stats().unwrap().programs, 2);
}

#[test]
fn a_store_in_use_is_not_replaced() {
    let dir = folder("busy");
    let [a, used] = ["a", "used"].map(|name| dir.join(format!("{name}.sqlite")));
    fill(&a, &[imported("mine", 1)], &[]);
    fill(&used, &[imported("yours", 2)], &[]);
    let before = dump(&used);
    let open = Connection::open(&used).unwrap();
    open.execute_batch("PRAGMA user_version = 1; UPDATE names SET name = 'changed'").unwrap();
    let error = merge(std::slice::from_ref(&a), &used).unwrap_err();
    assert!(error.to_string().contains("in use"), "{error}");
    assert_eq!(dump(&used), before.replace("yours", "changed"));
    drop(open);
    merge(std::slice::from_ref(&a), &used).unwrap();
    assert_eq!(dump(&used), dump(&a));
    let missing = merge(&[dir.join("none.sqlite")], &dir.join("out.sqlite")).unwrap_err();
    assert!(matches!(missing, StoreError::Missing { .. }) && !dir.join("out.sqlite").exists());
}
