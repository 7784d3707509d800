//! Commands that work on programs, tasks and the language.

mod batt;

use batt::Batt;
use expect_test::expect;

#[test]
fn verify_the_examples() {
    Batt::new("verify").check(
        "programs verify examples --programs programs/examples.py",
        expect![[r#"
            3 of 3 programs right on all pairs
            exit 0
        "#]],
    );
}

#[test]
fn verify_lists_wrong_programs() {
    let batt = Batt::new("verify-wrong").file(
        "p.py",
        "def solve_largest(I): return I\ndef solve_enclosed(I): return first(())\ndef solve_nothing(I): return I\ndef solve_kaleidoscope(I): return upscale(I)\n",
    );
    batt.check(
        "programs verify examples --programs {dir}/p.py",
        expect![[r#"
            1 error (see `batt programs check {dir}/p.py`); results of the other programs:
            solve_largest: wrong on 4 of 4 pairs
              train 0: 13 of 132 cells differ
              train 1: 13 of 99 cells differ
              train 2: 13 of 110 cells differ
              test 0: 13 of 110 cells differ
            solve_enclosed: wrong on 4 of 4 pairs
              train 0: empty container in first at line 2
              train 1: empty container in first at line 2
              train 2: empty container in first at line 2
              test 0: empty container in first at line 2
            solve_nothing: not named after a task of this data set
            0 of 3 programs right on all pairs
            exit 1
        "#]],
    );
}

#[test]
fn eval_prints_digits_without_a_terminal() {
    let batt = Batt::new("eval").file("grid.json", "[[1, 0], [0, 2]]");
    batt.check(
        "eval programs/examples.py solve_kaleidoscope --input {dir}/grid.json",
        expect![[r#"
            input (fuel 108)
            input   answer
            1 0     1 0 0 1
            0 2     0 2 2 0
                    0 2 2 0
                    1 0 0 1

            exit 0
        "#]],
    );
    batt.check(
        "eval programs/examples.py solve_kaleidoscope --input {dir}/grid.json --trace --json",
        expect![[r#"
            {"schema":1,"program":"solve_kaleidoscope","hash":"3f0f4edadff513e578bc9263d1e3c9f7f8523850af8925744e8bca8c91f1130c","runs":[{"pair":"input","output":[[1,0,0,1],[0,2,2,0],[0,2,2,0],[1,0,0,1]],"fuel":108,"trace":[{"line":24,"name":null,"value":[[0,1],[2,0]]},{"line":24,"name":"top","value":[[1,0,0,1],[0,2,2,0]]},{"line":25,"name":null,"value":[[0,2,2,0],[1,0,0,1]]},{"line":25,"name":null,"value":[[1,0,0,1],[0,2,2,0],[0,2,2,0],[1,0,0,1]]}]}]}
            exit 0
        "#]],
    );
}

#[test]
fn eval_traces_every_line() {
    let batt = Batt::new("trace").file("grid.json", "[[1, 2, 3]]").file(
        "p.py",
        "def f(I):\n    n = width(I)\n    unneeded = height(I)\n    g = lbind(add, n)\n    return apply(g, first(I))\n",
    );
    batt.check(
        "eval {dir}/p.py --input {dir}/grid.json --trace",
        expect![[r#"
            input (fuel 38)
                 2 │ n = 3
                 4 │ g = lbind(add, 3)
                 5 │ first = (1, 2, 3)
                 5 │ apply = (4, 5, 6)
            answer
            (4, 5, 6)

            exit 0
        "#]],
    );
}

#[test]
fn eval_prints_the_errors_of_the_program_that_is_meant() {
    let batt = Batt::new("eval-errors")
        .file("grid.json", "[[1]]")
        .file("flip.json", r#"{"train": [{"input": [[1]], "output": [[1]]}], "test": []}"#)
        .file("p.py", "def f(I): return vmiror(I)\n")
        .file("two.py", "def other(I): return I\ndef solve_flip(I): return vmiror(I)\n");
    batt.check(
        "eval {dir}/p.py {dir}/grid.json",
        expect![[r#"
        error: {dir}/p.py has errors:

        error: `vmiror` is not a primitive
          ╭─ {dir}/p.py:1:18
        1 │ def f(I): return vmiror(I)
          │                  ^^^^^^ did you mean `vmirror`?
        exit 2
    "#]],
    );
    // The other program is not run instead.
    batt.check(
        "eval {dir}/two.py {dir}/flip.json",
        expect![[r#"
        error: the program solve_flip in {dir}/two.py has errors:

        error: `vmiror` is not a primitive
          ╭─ {dir}/two.py:2:27
        2 │ def solve_flip(I): return vmiror(I)
          │                           ^^^^^^ did you mean `vmirror`?
        exit 2
    "#]],
    );
}

#[test]
fn eval_prints_where_and_why_a_program_fails() {
    let batt = Batt::new("fail").file("grid.json", "[[1]]").file(
        "p.py",
        "def a(I):\n    x1 = objects(I, T, F, T)\n    x2 = argmax(x1, size)\n    return x2\n\
         def b(I):\n    return apply(first, I)\n\
         def c(I):\n    return apply(height, first(I))\n\
         def d(S, I, C):\n    return first(S)\n\
         def e(I):\n    return power(power(rot90, HUNDRED), HUNDRED)(canvas(ZERO, (HUNDRED, HUNDRED)))\n",
    );
    for name in ["a", "b", "c", "d", "e"] {
        let got = batt.run(&format!("eval {{dir}}/p.py {name} --input {{dir}}/grid.json"));
        match name {
            "a" => expect![[r#"
                input: failed (fuel 11)
                empty container in argmax at line 3 (x2)

                exit 1
            "#]]
            .assert_eq(&got),
            "b" => expect![[r#"
                input (fuel 7)
                answer
                (1,)

                exit 0
            "#]]
            .assert_eq(&got),
            "c" => expect![[r#"
                input: failed (fuel 7)
                wrong kind of argument in height, called by apply at line 8; it is height(piece: Piece) -> Int

                exit 1
            "#]]
            .assert_eq(&got),
            "d" => expect![[r#"
                note: d reads the pairs of a task (S), but a grid has none; use a task instead

                input: failed (fuel 1)
                empty container in first at line 10

                exit 1
            "#]]
            .assert_eq(&got),
            _ => expect![[r#"
                input: failed (fuel 40000000)
                out of fuel in rot90 at line 12

                exit 1
            "#]]
            .assert_eq(&got),
        }
    }
}

#[test]
fn invalid_input_is_explained() {
    let batt = Batt::new("bad")
        .file("ragged.json", "[[1, 2], [3]]")
        .file("colour.json", r#"{"train": [{"input": [[1]], "output": [[17]]}], "test": []}"#)
        .file("cut.json", r#"{"train": [{"input": [[1]], "#)
        .file("text.json", "hello")
        .file("fine/grid.json", "[[1]]")
        .file("p.py", "def f(I): return I\ndef g(I): return I\n");
    batt.check(
        "eval {dir}/p.py f --input {dir}/ragged.json",
        expect![[r#"
            error: {dir}/ragged.json:1:10: row 1 has 1 cells, expected 2
            exit 2
        "#]],
    );
    batt.check(
        "eval {dir}/p.py f --input {dir}/colour.json",
        expect![[r#"
            error: {dir}/colour.json:1:41: task colour, train 0 output: row 0, column 0 is 17; colours are 0 to 9
            exit 2
        "#]],
    );
    batt.check(
        "eval {dir}/p.py f --input {dir}/cut.json",
        expect![[r#"
            error: {dir}/cut.json:1:29: task cut, train 0: the text ends before a key in double quotes; is it cut off?
            exit 2
        "#]],
    );
    batt.check(
        "eval {dir}/p.py f --input {dir}/text.json",
        expect![[r#"
            error: {dir}/text.json is neither a grid ([[0, 1], …]) nor a task ({"train": …, "test": …})
            exit 2
        "#]],
    );
    batt.check(
        "eval {dir}/p.py f --input {dir}/missing.json",
        expect![[r#"
        error: cannot read {dir}/missing.json: No such file or directory (os error 2)
        exit 2
    "#]],
    );
    batt.check(
        "eval {dir}/missing.py f --input {dir}/fine/grid.json",
        expect![[r#"
        error: cannot read {dir}/missing.py: No such file or directory (os error 2)
        exit 2
    "#]],
    );
    batt.check(
        "eval {dir}/p.py --input {dir}/fine/grid.json",
        expect![[r#"
            error: {dir}/p.py contains 2 programs; choose one: {dir}/p.py:NAME
            exit 2
        "#]],
    );
    batt.check(
        "eval {dir}/p.py h --input {dir}/fine/grid.json",
        expect![[r#"
            error: {dir}/p.py contains no program called h; it contains f, g
            exit 2
        "#]],
    );
    batt.check(
        "programs verify {dir} --programs {dir}/p.py",
        expect![[r#"
            error: {dir}/colour.json:1:41: task colour, train 0 output: row 0, column 0 is 17; colours are 0 to 9
            {dir}/cut.json:1:29: task cut, train 0: the text ends before a key in double quotes; is it cut off?
            {dir}/ragged.json:1:1: task ragged: expected a task: {"train": …, "test": …}, not `[`
            {dir}/text.json:1:1: task text: expected a task: {"train": …, "test": …}, not `h`
            use --skip-bad to skip broken tasks
            exit 2
        "#]],
    );
    batt.check(
        "conformance {dir}/p.py",
        expect![[r#"
            error: {dir}/p.py is not a file of recorded answers: line 1: expected value at line 1 column 1
            exit 2
        "#]],
    );
    batt.check(
        "dsl show objcts",
        expect![[r#"
        error: there is no primitive objcts; did you mean objects?
        exit 2
    "#]],
    );
    batt.check("dsl list --family nothing", expect![[r#"
        error: there is no family nothing; the families are object, paint, geometry, assemble, color, container, function, shape, line, measure, arith, logic, rank, extend, samples, learn
        exit 2
    "#]]);
}

#[test]
fn check_reports_every_mistake() {
    let batt = Batt::new("check").file(
        "p.py",
        "def a(I): return objcts(I, T, F, T)\ndef b(I): return rot90(I, I)\ndef c(I): return size(ZERO)\ndef d(I): return I\n",
    );
    batt.check(
        "programs check {dir}/p.py",
        expect![[r#"
        error: `objcts` is not a primitive
          ╭─ {dir}/p.py:1:18
        1 │ def a(I): return objcts(I, T, F, T)
          │                  ^^^^^^ did you mean `objects`?

        error: `rot90` takes 1 argument, not 2
          ╭─ {dir}/p.py:2:27
        2 │ def b(I): return rot90(I, I)
          │                           ^ it is `rot90(grid)`

        warning: `size` expects Container<A> for `container`, not Int
          ╭─ {dir}/p.py:3:23
        3 │ def c(I): return size(ZERO)
          │                       ^^^^ this is Int

        {dir}/p.py: 2 programs, 2 errors, 1 warning
        exit 1
    "#]],
    );
    batt.check(
        "programs check programs/examples.py",
        expect![[r#"
            programs/examples.py: 3 programs, no problems
            exit 0
        "#]],
    );
    assert!(batt.run("programs check {dir}/p.py --json").contains(r#""line":1,"column":18"#));
    let warned = Batt::new("strict").file("p.py", "def c(I): return size(ZERO)\n");
    assert!(warned.run("programs check {dir}/p.py").ends_with("exit 0\n"));
    assert!(warned.run("programs check {dir}/p.py --strict").ends_with("exit 1\n"));
}

#[test]
fn large_and_malformed_files_do_no_harm() {
    let deep =
        format!("def f(I): return {}I{}\ndef g(I): return I\n", "(".repeat(10_000), ")".repeat(10_000));
    let batt = Batt::new("hostile")
        .file("deep.py", deep)
        .file("bytes.py", b"def f(I): return I\ndef g(I): return \xff\n")
        .file("large.py", vec![b' '; 100 << 20])
        .file("grid.json", "[[1]]");
    batt.check("programs check {dir}/deep.py", expect![[r#"
        error: brackets are nested deeper than 200
          ╭─ {dir}/deep.py:1:218
        1 │ …((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((…
          │                                                                                            ^

        {dir}/deep.py: 1 program, 1 error, 0 warnings
        exit 1
    "#]]);
    batt.check(
        "programs check {dir}/bytes.py",
        expect![[r#"
        error: the text is not UTF-8
          ╭─ {dir}/bytes.py:2:18
        2 │ def g(I): return �
          │                  ^ invalid byte
          ╰─ the text after this byte was not read

        {dir}/bytes.py: 1 program, 1 error, 0 warnings
        exit 1
    "#]],
    );
    batt.check("programs check {dir}/large.py", expect![[r#"
        error: the text is longer than 32 MiB
          ╭─ {dir}/large.py:1:1
        1 │                                                                                                                         …
          │ ^

        {dir}/large.py: 0 programs, 1 error, 0 warnings
        exit 1
    "#]]);
    batt.check(
        "eval {dir}/deep.py g --input {dir}/grid.json",
        expect![[r#"
        input (fuel 0)
        input   answer
        1       1

        exit 0
    "#]],
    );
    batt.check(
        "eval {dir}/bytes.py f --input {dir}/grid.json",
        expect![[r#"
        input (fuel 0)
        input   answer
        1       1

        exit 0
    "#]],
    );
}

#[test]
fn fmt_keeps_comments_and_show_does_not() {
    let text = "def f( I ):\n    # the colours\n    unused = rot90(I)\n    return fill(I,BLUE, ofcolor(value=0, grid=vmirror(I))) # done\n";
    let batt = Batt::new("fmt").file("p.py", text);
    batt.check(
        "programs fmt {dir}/p.py",
        expect![[r#"
            def f(I):
                # the colours
                unused = rot90(I)
                return fill(I, BLUE, ofcolor(value=0, grid=vmirror(I)))  # done
            exit 0
        "#]],
    );
    batt.check(
        "programs show {dir}/p.py",
        expect![[r#"
        def f(I):
            x1 = vmirror(I)         # Grid
            x2 = ofcolor(x1, ZERO)  # Indices
            O = fill(I, BLUE, x2)   # Grid
            return O

        3 calls, reads the input, hash 31fb959d07bf30123f9fc1d4abb8474840fd8a82ee413437408aa4f86b758a02
        exit 0
    "#]],
    );
    assert!(batt.run("programs show {dir}/p.py --json").starts_with(r#"{"schema":1,"name":"f","hash":""#));
}

#[test]
fn fmt_checks_and_rewrites_files() {
    let batt = Batt::new("fmt-write")
        .file("long.py", "def f( I ):return I\n")
        .file("fine.py", "def f(I):\n    return I\n")
        .file("wrong.py", "def f( I ):return J\n");
    batt.check(
        "programs fmt --check {dir}/long.py {dir}/fine.py",
        expect![[r#"
            would change: {dir}/long.py
            1 of 2 files would change
            exit 1
        "#]],
    );
    batt.check(
        "programs fmt --write {dir}/long.py {dir}/wrong.py",
        expect![[r#"
            error: {dir}/wrong.py has errors:

            error: `J` is not defined
              ╭─ {dir}/wrong.py:1:19
            1 │ def f( I ):return J
              │                   ^
            exit 2
        "#]],
    );
    let read = |name: &str| std::fs::read_to_string(batt.path(name)).unwrap();
    assert_eq!(read("long.py"), "def f( I ):return I\n");
    assert_eq!(read("wrong.py"), "def f( I ):return J\n");
    let written = |name: &str| std::fs::metadata(batt.path(name)).unwrap().modified().unwrap();
    let fine = written("fine.py");
    batt.check(
        "programs fmt --write {dir}/long.py {dir}/fine.py",
        expect![[r#"
            formatted: {dir}/long.py
            1 of 2 files formatted
            exit 0
        "#]],
    );
    assert_eq!(read("long.py"), "def f(I):\n    return I\n");
    assert_eq!(written("fine.py"), fine);
    let json = batt.run("programs fmt --json {dir}/fine.py");
    assert!(
        json.contains(r#""changed":false,"text":"def f(I):\n    return I\n"}],"programs":[{"name":"f""#),
        "{json}"
    );
    batt.check(
        "programs fmt --write -",
        expect![[r#"
            error: --write cannot rewrite standard input; omit it to print the result
            exit 2
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn fmt_keeps_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let batt = Batt::new("fmt-mode").file("p.py", "def f( I ):return I\n");
    batt.permit("p.py", 0o751);
    batt.run("programs fmt --write {dir}/p.py");
    let mode = std::fs::metadata(batt.path("p.py")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o751);
}

#[test]
fn fmt_reads_standard_input() {
    let mut command = assert_cmd::Command::cargo_bin("batt").unwrap();
    let run = command.args(["programs", "fmt", "-"]).write_stdin("def f( I ):return I # all\n").assert();
    run.success().stdout("def f(I):\n    return I  # all\n");
}

#[test]
fn check_prints_totals_and_type_warnings() {
    let many = (0..150).map(|i| format!("def f{i}(I): return nothing_{i}\n")).collect::<String>();
    let batt = Batt::new("check-all").file("many.py", many).file(
        "p.py",
        "def f(I):\n    x1 = objects(I, T, F, T)\n    return subgrid(x1, I)\n\ndef f(I):\n    return size(I)\n",
    );
    let text = batt.run("programs check {dir}/many.py {dir}/p.py");
    let end: Vec<_> = text.lines().rev().take(23).collect();
    let end: Vec<_> = end.into_iter().rev().map(|line| format!("{line}\n")).collect();
    expect![[r#"
            ╭─ {dir}/many.py:101:21
        101 │ def f100(I): return nothing_100
            │                     ^^^^^^^^^^^ the first one is here

        warning: `subgrid` expects Patch for `patch`, not Set<Object>
          ╭─ {dir}/p.py:3:20
        3 │     return subgrid(x1, I)
          │                    ^^ use `merge(x1)` for all of them, `first(x1)` for one

        warning: `f` is defined again
          ╭─ {dir}/p.py:5:5
        5 │ def f(I):
          │     ^ this definition replaces the one on line 1

        warning: the answer is Int, not a grid
          ╭─ {dir}/p.py:6:12
        6 │     return size(I)
          │            ^^^^^^^ `canvas(color, UNITY)` makes a grid of one cell

        {dir}/many.py: 0 programs, 150 errors, 0 warnings
        {dir}/p.py: 1 program, 0 errors, 3 warnings
        2 files in total: 1 program, 150 errors, 3 warnings
        exit 1
    "#]]
    .assert_eq(&end.concat());
}

#[test]
fn aliases_translate_another_dialect() {
    let batt = Batt::new("alias")
        .file(
            "p.py",
            "def solve_largest(I):\n    return erase(I, flatten(as_objects(I, True, True, True)))\n",
        )
        .file("dialect.txt", "# theirs = ours\nas_objects = objects\nflatten = merge\nerase = cover\n")
        .file("wrong.txt", "flatten = merg\n");
    batt.check(
        "programs show {dir}/p.py --alias {dir}/dialect.txt",
        expect![[r#"
        def solve_largest(I):
            x1 = objects(I, T, T, T)  # Set<Object>
            x2 = merge(x1)            # Container<Cell>
            O = cover(I, x2)          # Grid
            return O

        3 calls, reads the input, hash 8a43ce4f3751f9fa387a0dc5151e1a610eebc1e2742f33da7fcb378a46539805
        exit 0
    "#]],
    );
    batt.check(
        "programs check {dir}/p.py --alias {dir}/wrong.txt",
        expect![[r#"
        error: {dir}/wrong.txt has errors:

        error: `merg` is neither a primitive nor a constant
          ╭─ {dir}/wrong.txt:1:11
        1 │ flatten = merg
          │           ^^^^ did you mean `merge`?
        exit 2
    "#]],
    );
    assert!(batt.run("programs fmt {dir}/p.py --alias {dir}/dialect.txt").contains("flatten(as_objects("));
}

#[test]
fn a_file_named_after_a_task_names_its_programs() {
    let batt = Batt::new("stem").file(
        "007bbfb7.py",
        "def solve(I): return I\ndef other(I): return J\ndef solve_00d62c1b(I): return hmirror(I)\n",
    );
    let names = batt.run("programs check {dir}/007bbfb7.py --json");
    assert!(names.contains(r#"{"name":"solve_007bbfb7","#) && names.contains(r#"{"name":"solve_00d62c1b","#));
    let show = |name: &str| batt.run(&format!("programs show {{dir}}/007bbfb7.py {name}"));
    assert_eq!(show("solve"), show("solve_007bbfb7"));
    assert!(show("solve").starts_with("def solve_007bbfb7(I):\n"));
    assert!(show("other_007bbfb7").contains("`J` is not defined"));
}

#[test]
fn dsl_show_is_the_manual() {
    let batt = Batt::new("dsl");
    batt.check(
        "dsl show hmirror_t",
        expect![[r#"
        hmirror(piece: Piece) -> Piece

        Swaps top and bottom.

            hmirror([1 2 | 3 4]) = [3 4 | 1 2]
            hmirror({(5, (1, 0)), (6, (3, 1))}) = {(6, (1, 1)), (5, (3, 0))}
            hmirror({(1, 0), (3, 1)}) = {(1, 1), (3, 0)}
            hmirror({}) ! Range

        family     geometry
        cost       per cell
        fails      may fail
        also       hmirror_t, hmirror_f, hmirror_i, hmirror_o
        exit 0
    "#]],
    );
    assert!(batt.run("dsl list").ends_with(" aliases\nexit 0\n"));
    assert!(batt.run("dsl list --family rank --json").contains(r#""name":"get_nth""#));
}

#[test]
fn conformance_counts_and_lists_failures() {
    let batt = Batt::new("conformance").file(
        "v.jsonl",
        r#"{"grids": [[[1, 2]], [[3]]]}
{"id": "a", "program": "def f(I): return width(I)", "cases": [{"grid": 0, "output": 2}, {"grid": 1, "output": true}]}
{"id": "b", "program": "def f(I): return unknown(I)", "cases": [{"grid": 0, "output": {"error": true}}]}
"#,
    );
    batt.check(
        "conformance {dir}/v.jsonl",
        expect![[r#"
        a
        def f(I): return width(I)
          input     [[3]]
          expected  true
          got       1

        2 passed, 1 failed
        exit 1
    "#]],
    );
    batt.check(
        "conformance crates/testkit/vectors/deep-3.jsonl.gz",
        expect![[r#"
            6 cases passed only with sets in descending order
            861 passed, 0 failed
            exit 0
        "#]],
    );
}
