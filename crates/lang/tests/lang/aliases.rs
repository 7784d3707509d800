//! Alias files, and programs of other dialects.

use batt_lang::{Aliases, Options, parse_bytes_with};
use expect_test::{Expect, expect};

use crate::check::only;

fn check_refused(text: &str, expect: Expect) {
    let problems = Aliases::parse(text).expect_err("a mistake");
    let problems: Vec<_> =
        problems.iter().map(|problem| problem.render("dialect.txt", text, false)).collect();
    expect.assert_eq(&problems.join("\n"));
}

#[test]
fn programs_of_a_dialect_are_the_same_programs() {
    let aliases =
        Aliases::parse("# A dialect.\n\nas_objects=objects # all\r\n  flatten = merge\nCOLOR_ZERO = ZERO\n");
    let options = Options { aliases: Some(&aliases.unwrap()), ..Options::default() };
    let theirs = b"def f(I): return fill(I, COLOR_ZERO, flatten(as_objects(I, True, F, T)))";
    let parsed = parse_bytes_with(theirs, options);
    let ours = only("def g(I): return fill(I, ZERO, merge(objects(I, True, F, T)))");
    assert_eq!(parsed.programs[0].hash(), ours.hash());
    assert!(parsed.problems.is_empty());
}

#[test]
fn aliases_hide_our_names_but_not_local_ones() {
    let aliases = Aliases::parse("hmirror = vmirror\nx = hmirror").unwrap();
    let options = Options { aliases: Some(&aliases), ..Options::default() };
    let parsed = parse_bytes_with(b"def f(I):\n    x = hmirror(I)\n    return x\n", options);
    assert_eq!(parsed.programs[0].hash(), only("def f(I): return vmirror(I)").hash());
}

#[test]
fn errors_in_an_alias_file() {
    check_refused(
        "a = hmirror\nb vmirror\n1c = vmirror\nd = hmirrr  # near\na = vmirror\nif = rot90\n= rot90\ne =\ng = transpose\n",
        expect![[r#"
            error: expected `their_name = our_name`
              ╭─ dialect.txt:2:1
            2 │ b vmirror
              │ ^^^^^^^^^

            error: `1c` is not a name
              ╭─ dialect.txt:3:1
            3 │ 1c = vmirror
              │ ^^

            error: `hmirrr` is neither a primitive nor a constant
              ╭─ dialect.txt:4:5
            4 │ d = hmirrr  # near
              │     ^^^^^^ did you mean `hmirror`?

            error: `a` is defined again
              ╭─ dialect.txt:5:1
            5 │ a = vmirror
              │ ^ first defined on line 1

            error: `if` is not a name
              ╭─ dialect.txt:6:1
            6 │ if = rot90
              │ ^^

            error: expected `their_name = our_name`
              ╭─ dialect.txt:7:1
            7 │ = rot90
              │ ^^^^^^^

            error: expected `their_name = our_name`
              ╭─ dialect.txt:8:1
            8 │ e =
              │ ^^^

            error: `transpose` is neither a primitive nor a constant
              ╭─ dialect.txt:9:5
            9 │ g = transpose
              │     ^^^^^^^^^ did you mean `dmirror`? Mirrors along the main diagonal (top left to bottom right): rows become columns
        "#]],
    );
}
