//! `batt solve --export FILE --resolved` and `batt programs resolve`.

mod batt;

use batt::Batt;
use expect_test::expect;

#[test]
fn exported_programs_are_written_out() {
    let batt = Batt::new("resolve");
    let tasks = "-i across_the_wall turned border_touchers wallpaper_hole asymmetric_panel";
    let solve = format!("solve demo {tasks} --fuel-per-task 3000000");
    let output = batt.run(&format!("{solve} --export {{dir}}/learned.py"));
    assert!(output.ends_with("exit 0\n"), "{output}");
    let output = batt.run(&format!("{solve} --export {{dir}}/resolved.py --resolved"));
    assert!(output.ends_with("exit 0\n"), "{output}");
    let text = batt.read("resolved.py");
    let turned = text.split("\n\n\n").find(|program| program.contains("solve_turned")).unwrap();
    expect![[r#"
        # turned counter-clockwise
        # written out in arc-dsl; the same answers on all 5 inputs of turned
        def solve_turned(I):
            O = rot270(I)
            return O"#]]
    .assert_eq(turned);
    // Exported programs can be written out later, with the same result.
    let output = batt.run("programs resolve {dir}/learned.py demo -o {dir}/later.py");
    assert!(output.contains("programs written out, "), "{output}");
    assert_eq!(batt.read("later.py"), text);
    let verify = |file: &str| batt.run(&format!("programs verify demo --programs {{dir}}/{file}"));
    assert_eq!(verify("learned.py").lines().next(), verify("resolved.py").lines().next());
}

#[test]
fn rules_that_cannot_be_written_are_kept() {
    let learner = "def solve_border_touchers(S, I, C):\n    rule = learn_forest(S, F0)\n    return rule(I)\n";
    let batt = Batt::new("resolve-kept").file("p.py", learner);
    batt.check(
        "programs resolve {dir}/p.py demo",
        expect![[r#"
            # not written out: the language has no primitives for this rule
            def solve_border_touchers(S, I, C):
                rule = learn_forest(S, F0)
                return rule(I)


            # 0 of 1 program written out, 0 of them in arc-dsl
            exit 0
        "#]],
    );
}

#[test]
fn mistakes_are_explained() {
    let batt = Batt::new("resolve-mistakes")
        .file("other.py", "def solve_nothing(I):\n    return hmirror(I)\n")
        .file("broken.py", "def solve_turned(I):\n    return hmiror(I)\n");
    batt.check(
        "programs resolve {dir}/other.py demo",
        expect![[r#"
        error: no program of {dir}/other.py is named after a task of demo; use `def solve_ID(…)`
        exit 2
    "#]],
    );
    batt.check(
        "programs resolve {dir}/broken.py demo",
        expect![[r#"
        error: {dir}/broken.py has errors:

        error: `hmiror` is not a primitive
          ╭─ {dir}/broken.py:2:12
        2 │     return hmiror(I)
          │            ^^^^^^ did you mean `hmirror`?
        exit 2
    "#]],
    );
    batt.check(
        "solve demo --resolved",
        expect![[r#"
        error: the following required arguments were not provided:
          --export <FILE>

        Usage: batt solve --export <FILE> --resolved <DATA>

        For more information, try '--help'.
        exit 2
    "#]],
    );
}
