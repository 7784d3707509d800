//! Which programs are kept, which files are rejected, and what is read back.

use std::path::{Path, PathBuf};

use batt_lang::Program;
use batt_store::{
    Added, Entry, Exported, KEEP, Measure, Origin, Sealed, Store, StoreError, TestResult, export,
};
use batt_value::ContentHash;
use expect_test::{Expect, expect};

/// Returns an empty folder for a test.
fn folder(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("store").join(test);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn open(test: &str) -> Store {
    Store::open(&folder(test).join("store.sqlite")).unwrap()
}

fn program(text: &str) -> Program {
    let parsed = batt_lang::parse(text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    parsed.programs.into_iter().next().unwrap()
}

/// Returns the n-th of many programs, longer by `extra` calls.
fn numbered(n: usize, extra: usize) -> Program {
    let (open, close) = ("vmirror(".repeat(extra), ")".repeat(extra));
    program(&format!("def p{n}(I): return {open}canvas(ZERO, astuple({n}, ONE)){close}"))
}

fn hash(text: &str) -> ContentHash {
    ContentHash::of(text.as_bytes())
}

fn measure(task: &str, behaviour: &str, score: u32, fuel: u64) -> Measure {
    Measure {
        task: hash(task),
        task_name: task.to_owned(),
        right: u32::from(score == 1_000_000),
        pairs: 1,
        score,
        fuel,
        micros: 5,
        behaviour: hash(behaviour),
        dsl: hash("dsl"),
    }
}

fn found(program: &Program, measures: Vec<Measure>) -> Entry {
    let origin = Origin::Found { seed: u64::MAX, operator: "made".to_owned(), parents: vec![], saw: vec![] };
    Entry { program: program.clone(), origin, measures }
}

fn written(program: &Program) -> Entry {
    Entry { program: program.clone(), origin: Origin::Written, measures: vec![] }
}

/// Returns score, fuel and number of calls of the programs of a task, the best first.
fn ranking(store: &Store, task: &str) -> Vec<(u32, u64, u32)> {
    let ranked = store.best_for(hash(task)).unwrap();
    ranked.iter().map(|it| (it.measure.score, it.measure.fuel, it.stored.calls)).collect()
}

#[test]
fn only_the_best_programs_of_a_task_are_kept() {
    let mut store = open("bounds");
    // Scores 1 to 50, each twice with different fuel.
    let entries: Vec<_> = (0..100)
        .map(|n| {
            let score = 1 + n as u32 / 2;
            found(&numbered(n, 0), vec![measure("t", &n.to_string(), score, 10 - n as u64 % 2)])
        })
        .collect();
    let added = store.add(&entries).unwrap();
    let expected: Vec<_> =
        (0..100).map(|n| if n < 100 - KEEP { Added::Outranked } else { Added::New }).collect();
    assert_eq!(added, expected);
    let best = ranking(&store, "t");
    assert_eq!(best.len(), KEEP);
    assert_eq!(best[..3], [(50, 9, 2), (50, 10, 2), (49, 9, 2)]);
    assert_eq!(store.stats().unwrap().programs, KEEP);
    // A program with a result on another task stays, and so does one that a person wrote.
    assert_eq!(
        store.add(&[found(&entries[0].program, vec![measure("u", "x", 1, 1)])]).unwrap(),
        [Added::New]
    );
    assert_eq!(store.add(&[written(&entries[1].program)]).unwrap(), [Added::New]);
    assert_eq!(store.stats().unwrap().programs, KEEP + 2);
    let pruned = store.prune(3).unwrap();
    assert_eq!((pruned.results, pruned.programs), (KEEP - 3, KEEP - 3));
    assert_eq!(store.stats().unwrap().programs, 5);
}

#[test]
fn one_of_the_programs_with_equal_answers_is_stored() {
    let mut store = open("duplicates");
    let (short, long, other) = (numbered(1, 0), numbered(2, 3), numbered(3, 0));
    let alike = |program: &Program, fuel| found(program, vec![measure("t", "same", 7, fuel)]);
    assert_eq!(store.add(&[alike(&long, 5)]).unwrap(), [Added::New]);
    // Shorter at the same fuel.
    assert_eq!(store.add(&[alike(&short, 5)]).unwrap(), [Added::New]);
    assert_eq!(store.add(&[alike(&long, 5)]).unwrap(), [Added::Duplicate(short.hash())]);
    assert_eq!(store.add(&[alike(&other, 6)]).unwrap(), [Added::Duplicate(short.hash())]);
    assert_eq!(ranking(&store, "t"), [(7, 5, 2)]);
    assert_eq!(store.list().unwrap().len(), 1);
    // Equal answers on one task only: it is stored for the other. A program that scores 0 is not stored.
    let elsewhere = found(&other, vec![measure("t", "same", 7, 6), measure("u", "new", 9, 1)]);
    assert_eq!(store.add(&[elsewhere]).unwrap(), [Added::New]);
    assert_eq!(ranking(&store, "u"), [(9, 1, 2)]);
    let nothing = found(&numbered(4, 0), vec![measure("t", "nothing", 0, 1)]);
    assert_eq!(store.add(&[nothing]).unwrap(), [Added::Worthless]);
}

#[test]
fn results_do_not_depend_on_the_order_of_entries() {
    // Many ties, and fifty behaviours among ninety programs.
    let entry = |n: usize| {
        let measure = measure("t", &(n % 50).to_string(), 1 + (n % 50) as u32 / 5, (n * 7 % 13) as u64);
        found(&numbered(n, n % 3), vec![measure])
    };
    let dump = |order: Vec<usize>, batch: usize, name: &str| {
        let mut store = open(name);
        let entries: Vec<_> = order.into_iter().map(entry).collect();
        entries.chunks(batch).for_each(|batch| drop(store.add(batch).unwrap()));
        (store.best_for(hash("t")).unwrap(), store.list().unwrap())
    };
    let forward = dump((0..90).collect(), 90, "forward");
    assert_eq!(forward.0.len(), KEEP);
    assert!(forward == dump((0..90).rev().collect(), 1, "backward"));
    assert!(forward == dump((0..90).map(|n| n * 37 % 90).collect(), 7, "mixed"));
}

#[test]
fn stored_programs_are_read_back_unchanged() {
    let mut store = open("back");
    let parent = program("def solve_a(I): return vmirror(I)");
    let child = program("def ignored(I): return hmirror(vmirror(I))");
    let origin = Origin::Found {
        seed: u64::MAX - 1,
        operator: "wrap".to_owned(),
        parents: vec![parent.hash(), hash("gone")],
        saw: vec![hash("t")],
    };
    let file = "some/file.py".to_owned();
    let imported = Entry { program: parent.clone(), origin: Origin::Imported { file }, measures: vec![] };
    let entry =
        Entry { program: child.clone(), origin: origin.clone(), measures: vec![measure("t", "b", 9, 4)] };
    assert_eq!(store.add(&[imported, entry.clone()]).unwrap(), [Added::New, Added::New]);
    let stored = store.get(child.hash()).unwrap().unwrap();
    assert_eq!((&stored.origin, stored.calls, stored.signature.as_str()), (&origin, 2, "(Grid) -> Grid"));
    assert_eq!(store.program(&stored).unwrap().hash(), child.hash());
    stored.check().unwrap();
    assert_eq!(store.measures_of(child.hash()).unwrap(), entry.measures);
    let lineage = store.lineage(child.hash()).unwrap();
    let tree: Vec<_> = lineage.iter().map(|it| (it.depth, it.stored.is_some(), it.again)).collect();
    assert_eq!(tree, [(0, true, false), (1, true, false), (1, false, false)]);
    assert_eq!(store.find("solve_a").unwrap()[0].hash, parent.hash());
    assert_eq!(store.find(&parent.hash().to_string()[..8]).unwrap()[0].hash, parent.hash());
    assert_eq!(store.find("").unwrap(), []);
    // A second name is stored too, and a program that a person adds stays, with its origin.
    assert_eq!(
        store.add(&[written(&program("def solve_b(I): return vmirror(I)")), written(&child)]).unwrap(),
        [Added::Known, Added::Known]
    );
    assert_eq!(store.get(parent.hash()).unwrap().unwrap().names, ["solve_a", "solve_b"]);
    let kept = store.get(child.hash()).unwrap().unwrap();
    assert_eq!((&kept.origin, kept.names), (&origin, vec!["ignored".to_owned()]));
    store.prune(0).unwrap();
    assert!(store.measures_of(child.hash()).unwrap().is_empty());
    assert_eq!(store.get(child.hash()).unwrap().unwrap().origin, origin);
}

#[test]
fn a_lineage_may_have_cycles() {
    let mut store = open("circle");
    let (a, b) = (numbered(1, 0), numbered(2, 0));
    let from = |program: &Program, parent: &Program| {
        let parents = vec![parent.hash(), parent.hash()];
        let origin = Origin::Found { seed: 0, operator: "swap".to_owned(), parents, saw: vec![] };
        let name = program.name();
        Entry { program: program.clone(), origin, measures: vec![measure("t", name, 1, 1)] }
    };
    store.add(&[from(&a, &b), from(&b, &a)]).unwrap();
    let lineage = store.lineage(a.hash()).unwrap();
    let tree: Vec<_> = lineage.iter().map(|it| (it.depth, it.again)).collect();
    assert_eq!(tree, [(0, false), (1, false), (2, true), (2, true), (1, true)]);
}

#[test]
fn exported_programs_parse_to_the_same_programs() {
    let mut store = open("export");
    let texts = [
        "def solve_a(I): return vmirror(I)",
        "def solve_b(I): return vmirror(I)",
        // Two programs with the same name, and one that would hide a primitive from the others.
        "def solve_a(I): return hmirror(I)",
        "def vmirror(I): return rot90(I)",
        "def solve_s(S, I, C): return first(first(S))",
    ];
    for text in texts {
        store.add(&[written(&program(text))]).unwrap();
    }
    store.add(&[found(&program("def x(I): return dmirror(I)"), vec![measure("t1", "b", 1, 1)])]).unwrap();
    let list = store.list().unwrap();
    let text = export(list.iter().map(|stored| Exported { stored, task: Some("t1") })).unwrap();
    let again = batt_lang::parse(&text);
    assert!(again.problems.is_empty(), "{:?}", again.problems);
    let names: Vec<_> = again.programs.iter().map(Program::name).collect();
    expect![[r#"
        [
            "solve_a",
            "program_PLACE_solve_a",
            "solve_b",
            "solve_s",
            "program_PLACE_vmirror",
            "found_PLACE_t1",
        ]
    "#]]
    .assert_debug_eq(&names.iter().map(|name| without_hash(name)).collect::<Vec<_>>());
    let mut copy = open("export-copy");
    let entries: Vec<_> = again.programs.iter().map(written).collect();
    copy.add(&entries).unwrap();
    let hashes = |store: &Store| {
        let mut hashes: Vec<_> = store.list().unwrap().iter().map(|it| it.hash.to_string()).collect();
        hashes.sort();
        hashes
    };
    assert_eq!(hashes(&store), hashes(&copy));
}

#[test]
fn exporting_and_importing_changes_nothing() {
    let mut store = open("round");
    let origin = Origin::Found {
        seed: 7,
        operator: "wrap".to_owned(),
        parents: vec![hash("parent")],
        saw: vec![hash("t")],
    };
    let child = |n: usize| Entry {
        origin: origin.clone(),
        ..found(&numbered(n, 0), vec![measure("t", &n.to_string(), 1 + n as u32, 1)])
    };
    store.add(&(0..KEEP).map(child).collect::<Vec<_>>()).unwrap();
    // Two programs with the same name: in the file the second has a longer one.
    store.add(&[written(&program("def solve_a(I): return vmirror(I)"))]).unwrap();
    store.add(&[written(&program("def solve_a(I): return hmirror(I)"))]).unwrap();
    let before = store.list().unwrap();
    let text = export(before.iter().map(|stored| Exported { stored, task: Some("t") })).unwrap();
    let programs = batt_lang::parse(&text).programs;
    let file = || Origin::Imported { file: "all.py".to_owned() };
    let entries: Vec<_> =
        programs.into_iter().map(|program| Entry { program, origin: file(), measures: vec![] }).collect();
    assert_eq!(store.add(&entries).unwrap(), vec![Added::Known; KEEP + 2]);
    assert_eq!(store.list().unwrap(), before);
    // So the number of found programs is still bounded.
    store.add(&(KEEP..2 * KEEP).map(child).collect::<Vec<_>>()).unwrap();
    assert_eq!(store.stats().unwrap().programs, KEEP + 2);
}

fn without_hash(name: &str) -> String {
    let digits = |word: &str| word.len() >= 8 && word.chars().all(|c| c.is_ascii_hexdigit());
    name.split('_').map(|word| if digits(word) { "PLACE" } else { word }).collect::<Vec<_>>().join("_")
}

#[test]
fn unreadable_programs_are_reported_and_pruned() {
    let mut store = open("unreadable");
    let (lost, good) = (program("def solve_a(I): return vmirror(I)"), numbered(1, 0));
    let placed = Entry { measures: vec![measure("t", "a", 9, 1)], ..written(&lost) };
    store.add(&[placed, found(&good, vec![measure("t", "b", 8, 1)])]).unwrap();
    let other = rusqlite::Connection::open(store.path()).unwrap();
    other.execute_batch("UPDATE programs SET text = replace(text, 'vmirror', 'vmiror')").unwrap();
    drop(other);
    let stored = store.get(lost.hash()).unwrap().unwrap();
    let message = store.program(&stored).err().unwrap().to_string();
    expect!["program HASH of FILE can no longer be read: `vmiror` is not a primitive; `batt programs prune --store FILE` removes it"]
    .assert_eq(&message.replace(store.path().to_str().unwrap(), "FILE").replace(&format!("{:.12}", lost.hash()), "HASH"));
    assert!(stored.check().is_err());
    // It does not count among the best.
    let pruned = store.prune(1).unwrap();
    assert_eq!((pruned.programs, pruned.results, pruned.unreadable), (1, 1, 1));
    assert_eq!(ranking(&store, "t"), [(8, 1, 2)]);
    assert_eq!(store.prune(1).unwrap().programs, 0);
}

#[test]
fn test_results_are_sealed() {
    let mut store = open("sealed");
    let (a, b) = (numbered(1, 0), numbered(2, 0));
    store.add(&[found(&a, vec![measure("t", "a", 1, 1)]), found(&b, vec![measure("t", "b", 2, 1)])]).unwrap();
    let before = (store.best_for(hash("t")).unwrap(), store.list().unwrap());
    let result =
        |program: &Program| TestResult { program: program.hash(), task: hash("t"), right: 1, pairs: 2 };
    store.seal(&[result(&a), result(&numbered(3, 0))]).unwrap();
    assert!(before == (store.best_for(hash("t")).unwrap(), store.list().unwrap()));
    let sealed = Sealed::open(store.path()).unwrap();
    assert_eq!(sealed.of(a.hash()).unwrap(), [result(&a)]);
    assert_eq!(sealed.of(numbered(3, 0).hash()).unwrap(), []);
    // Deleting a program deletes its test results.
    store.prune(1).unwrap();
    assert_eq!(sealed.of(a.hash()).unwrap(), []);
}

/// Tries to open a file that is not a store, and checks that it was not changed.
fn check_refused(path: &Path, expected: Expect) {
    let before = std::fs::read(path).unwrap();
    let error = Store::open(path).err().unwrap();
    expected.assert_eq(&error.to_string().replace(path.to_str().unwrap(), "FILE"));
    assert!(before == std::fs::read(path).unwrap(), "it was written to");
    assert!(Sealed::open(path).is_err());
    assert!(before == std::fs::read(path).unwrap(), "it was written to");
    for ending in ["-wal", "-shm"] {
        let beside = format!("{}{ending}", path.display());
        assert!(!Path::new(&beside).exists(), "{beside} was left");
    }
}

#[test]
fn files_that_are_not_stores_are_rejected_and_unchanged() {
    let dir = folder("refused");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(dir.join(name), bytes).unwrap();
        dir.join(name)
    };
    check_refused(
        &write("text", b"def solve(I): return I\n"),
        expect![
            "FILE is not a store of programs: it is not an SQLite file; it was not changed; name another file with --store"
        ],
    );
    check_refused(
        &write("empty", b""),
        expect![
            "FILE is not a store of programs: it is empty; it was not changed; name another file with --store"
        ],
    );
    let foreign = dir.join("foreign");
    rusqlite::Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
    check_refused(
        &foreign,
        expect![
            "FILE is not a store of programs: it is the SQLite file of another program; it was not changed; name another file with --store"
        ],
    );
    let good = dir.join("good");
    let mut store = Store::open(&good).unwrap();
    let programs: Vec<_> = (0..200).map(|n| written(&numbered(n, 0))).collect();
    store.add(&programs).unwrap();
    drop(store);
    let good = std::fs::read(good).unwrap();
    let changed = |at: usize, bytes: &[u8]| {
        let mut copy = good.clone();
        copy[at..at + bytes.len()].copy_from_slice(bytes);
        copy
    };
    check_refused(
        &write("future", &changed(60, &[0, 0, 0, 9])),
        expect!["FILE was made by a newer batt (store version 9, this batt reads 1); use that batt"],
    );
    check_refused(
        &write("header", &good[..70]),
        expect![
            "FILE is damaged: it ends within its header; it was not changed; restore a copy or name another file with --store"
        ],
    );
    check_refused(
        &write("half", &good[..good.len() / 2 / 4096 * 4096]),
        expect![
            "FILE is damaged: database disk image is malformed; it was not changed; restore a copy or name another file with --store"
        ],
    );
    check_refused(
        &write("torn", &changed(good.len() - 8 * 4096, &[0xff; 4096])),
        expect![
            "FILE is damaged: Tree 2 page 25: btreeInitPage() returns error code 11; it was not changed; restore a copy or name another file with --store"
        ],
    );
    let tables = write("tables", &good);
    let other = rusqlite::Connection::open(&tables).unwrap();
    other.execute_batch("DROP TABLE saw").unwrap();
    drop(other);
    check_refused(
        &tables,
        expect![
            "FILE is damaged: its tables are not those of a store; it was not changed; restore a copy or name another file with --store"
        ],
    );
    let missing = Store::open_existing(&dir.join("missing"));
    assert!(matches!(missing, Err(StoreError::Missing { .. })));
    assert!(!dir.join("missing").exists());
}
