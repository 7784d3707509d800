//! `batt programs`, as far as it is about the store.

mod batt;

use batt::Batt;
use expect_test::expect;

const PROGRAMS: &str = "def solve_a(I):
    x1 = vmirror(I)
    unneeded = hmirror(I)
    return hconcat(I, x1)

def solve_b(I): return hconcat(I, vmirror(I))

def solve_bad(I): return objcts(I)
";

/// A folder without a store from an earlier time.
fn fresh(test: &str) -> Batt {
    let batt = Batt::new(test);
    for name in ["s.sqlite", "t.sqlite", "s.sqlite-wal", "s.sqlite-shm"] {
        let _ = std::fs::remove_file(batt.path(name));
    }
    batt
}

#[test]
fn import_says_what_is_new_known_and_refused() {
    let batt = fresh("store-import").file("p.py", PROGRAMS);
    batt.check("programs import {dir}/p.py --store {dir}/s.sqlite", expect![[""]]);
    let again = batt.run("programs import {dir}/p.py --store {dir}/s.sqlite");
    assert!(again.contains("{dir}/p.py: 0 new, 2 known, refused what has 1 error\n"), "{again}");
    assert!(again.ends_with("exit 1\n"), "{again}");
    batt.check("programs show solve_a --store {dir}/s.sqlite", expect![[""]]);
    batt.check("programs export --store {dir}/s.sqlite", expect![[""]]);
    batt.check("programs verify --store {dir}/s.sqlite", expect![[""]]);
    batt.check("programs show solve_x --store {dir}/s.sqlite", expect![[""]]);
}

#[test]
fn a_measured_import_goes_round_through_export() {
    let batt = fresh("store-round");
    let import = batt.run("programs import programs/demo.py --data demo --store {dir}/s.sqlite");
    assert!(import.ends_with("exit 0\n"), "{import}");
    let verified = batt.run("programs verify demo --store {dir}/s.sqlite");
    assert!(verified.contains("measured again on demo: 0 differences\nexit 0\n"), "{verified}");
    let listed = batt.run("programs list --task largest_object --store {dir}/s.sqlite");
    assert!(listed.contains("tasks, 79 of them solved") || listed.contains("did you mean"), "{listed}");
    let exported = batt.run("programs export -o {dir}/all.py --store {dir}/s.sqlite");
    assert_eq!(exported, "exit 0\n");
    let right = batt.run("programs verify demo --programs {dir}/all.py");
    assert_eq!(right, "79 of 79 programs right on all pairs\nexit 0\n");
    batt.run("programs import {dir}/all.py --store {dir}/t.sqlite");
    batt.run("programs export -o {dir}/again.py --store {dir}/t.sqlite");
    assert_eq!(batt.read("all.py"), batt.read("again.py"));
    let pruned = batt.run("programs prune --keep 0 --json --store {dir}/s.sqlite");
    assert!(pruned.starts_with(r#"{"schema":1,"programs":0,"results":"#), "{pruned}");
}

#[test]
fn what_is_no_store_is_refused() {
    let batt = fresh("store-refused").file("p.py", PROGRAMS).file("text", "no store");
    batt.check("programs list --store {dir}/text", expect![[""]]);
    batt.check("programs import {dir}/p.py --json --store {dir}/text", expect![[""]]);
    batt.check("programs list --store {dir}/missing", expect![[""]]);
    assert_eq!(batt.read("text"), "no store");
}
