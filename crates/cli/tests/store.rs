//! The commands of `batt programs` that use the store.

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

/// Creates a folder without a store of an earlier test run.
fn fresh(test: &str) -> Batt {
    let batt = Batt::new(test);
    for name in ["s.sqlite", "t.sqlite", "s.sqlite-wal", "s.sqlite-shm"] {
        let _ = std::fs::remove_file(batt.path(name));
    }
    batt
}

#[test]
fn import_lists_new_known_and_broken_programs() {
    let batt = fresh("store-import").file("p.py", PROGRAMS);
    batt.check(
        "programs import {dir}/p.py --store {dir}/s.sqlite",
        expect![[r#"
            error: `objcts` is not a primitive
              ╭─ {dir}/p.py:8:26
            8 │ def solve_bad(I): return objcts(I)
              │                          ^^^^^^ did you mean `objects`?

            {dir}/p.py: 1 new, 1 known, 1 error (programs with errors are not imported)
            {dir}/s.sqlite now has 1 program
            exit 1
        "#]],
    );
    let again = batt.run("programs import {dir}/p.py --store {dir}/s.sqlite");
    assert!(
        again.contains("{dir}/p.py: 0 new, 2 known, 1 error (programs with errors are not imported)\n"),
        "{again}"
    );
    assert!(again.ends_with("exit 1\n"), "{again}");
    batt.check(
        "programs show solve_a --store {dir}/s.sqlite",
        expect![[r#"
            def solve_a(I):
                x1 = vmirror(I)     # Grid
                O = hconcat(I, x1)  # Grid
                return O

            2 calls, reads the input, hash a7a6aae6970994bf1b9733842b13a871b10d2eda883ec766a45cabf185d16b8d
            also called solve_b

            lineage
              a7a6aae69709 solve_a imported from {dir}/p.py

            not ranked for any task
            exit 0
        "#]],
    );
    batt.check(
        "programs export --store {dir}/s.sqlite",
        expect![[r#"
        def solve_a(I):
            x1 = vmirror(I)
            O = hconcat(I, x1)
            return O


        def solve_b(I):
            x1 = vmirror(I)
            O = hconcat(I, x1)
            return O
        exit 0
    "#]],
    );
    batt.check(
        "programs verify --store {dir}/s.sqlite",
        expect![[r#"
            1 program parsed again: 0 differences
            exit 0
        "#]],
    );
    batt.check(
        "programs show solve_x --store {dir}/s.sqlite",
        expect![[r#"
            error: no file and no program in {dir}/s.sqlite is called solve_x; did you mean solve_a?
            exit 2
        "#]],
    );
}

#[test]
fn exported_programs_can_be_imported_again() {
    let batt = fresh("store-round");
    let import = batt.run("programs import programs/demo.py --data demo --store {dir}/s.sqlite");
    assert!(import.ends_with("exit 0\n"), "{import}");
    let verified = batt.run("programs verify demo --store {dir}/s.sqlite");
    assert!(verified.contains("measured again on demo: 0 differences\nexit 0\n"), "{verified}");
    let listed = batt.run("programs list --task rooms --store {dir}/s.sqlite");
    assert!(listed.starts_with("e2a795bfa4a8  imported "), "{listed}");
    assert!(listed.contains("rooms: 4 of 4 pairs, score 1.0000, fuel "), "{listed}");
    assert!(listed.ends_with("ranked for 79 tasks, 79 of them solved\nexit 0\n"), "{listed}");
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
fn other_files_are_not_accepted_as_stores() {
    let batt = fresh("store-refused").file("p.py", PROGRAMS).file("text", "no store");
    batt.check("programs list --store {dir}/text", expect![[r#"
        error: {dir}/text is not a store of programs: it is not an SQLite file; it was not changed; name another file with --store
        exit 2
    "#]]);
    batt.check("programs import {dir}/p.py --json --store {dir}/text", expect![[r#"
        error: {dir}/text is not a store of programs: it is not an SQLite file; it was not changed; name another file with --store
        exit 2
    "#]]);
    batt.check(
        "programs list --store {dir}/missing",
        expect![[r#"
        error: there is no store at {dir}/missing; `batt programs import FILE` makes one
        exit 2
    "#]],
    );
    assert_eq!(batt.read("text"), "no store");
}

/// Lists a folder of the test.
#[cfg(unix)]
fn names(batt: &Batt, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(batt.path(folder)).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn a_read_only_store_can_be_read() {
    let _ = std::fs::remove_dir_all(Batt::new("store-read-only").path(""));
    let batt = Batt::new("store-read-only").file("p.py", PROGRAMS);
    batt.permit("", 0o777);
    // The file, its folder or both are read-only.
    for (folder, file) in [(0o777, 0o444), (0o555, 0o666), (0o555, 0o444)] {
        let name = format!("{folder:o}-{file:o}?%41#");
        batt.run(&format!("programs import {{dir}}/p.py --store {{dir}}/{name}/s.sqlite"));
        batt.permit(&format!("{name}/s.sqlite"), file);
        batt.permit(&name, folder);
        let store = format!("--store {{dir}}/{name}/s.sqlite");
        for command in ["list", "show solve_a --tests", "verify", "export"] {
            let Some(output) = batt.run_as_guest(&format!("programs {command} {store}")) else { return };
            assert!(output.ends_with("exit 0\n"), "{name} {command}: {output}");
        }
        let output = batt.run_as_guest(&format!("programs prune {store}")).unwrap();
        assert!(
            output.contains("error: cannot write to {dir}/") && output.ends_with("exit 2\n"),
            "{name}: {output}"
        );
        assert_eq!(names(&batt, &name), ["s.sqlite"], "{name}");
        batt.permit(&name, 0o777);
    }
    // Changes that are not in the file yet are not ignored.
    batt.run("programs import {dir}/p.py --store {dir}/s.sqlite");
    let writer = rusqlite::Connection::open(batt.path("s.sqlite")).unwrap();
    writer.execute_batch("UPDATE names SET name = 'solve_c' WHERE name = 'solve_b'").unwrap();
    std::fs::create_dir(batt.path("log")).unwrap();
    for name in ["s.sqlite", "s.sqlite-wal"] {
        std::fs::copy(batt.path(name), batt.path("log").join(name)).unwrap();
    }
    batt.permit("log", 0o555);
    let output = batt.run_as_guest("programs list --store {dir}/log/s.sqlite").unwrap();
    batt.permit("log", 0o777);
    assert_eq!(
        output,
        "error: cannot write to {dir}/log/s.sqlite or its folder ({dir}/log/s.sqlite-wal has changes that must be \
         written to it: unable to open database file); make both writable, or name another file with --store\nexit 2\n"
    );
}
