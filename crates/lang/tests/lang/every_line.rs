//! Programs that compute all lines of a function, for editors.

use batt_lang::{Options, parse, parse_bytes_with};
use expect_test::{Expect, expect};

fn check_every_line(text: &str, expected: Expect) {
    let parsed = parse_bytes_with(text.as_bytes(), Options { every_line: true, ..Options::default() });
    // The problems do not depend on the option.
    assert_eq!(parsed.problems, parse(text).problems);
    let programs = parsed.programs.iter().map(|program| format!("{}:\n{program}", program.name()));
    expected.assert_eq(&programs.collect::<Vec<_>>().join("\n"));
}

#[test]
fn lines_that_the_result_does_not_need_are_computed() {
    check_every_line(
        "
def f(I):
    x1 = rot90(I)
    x2 = hmirror(I)
    return x2
",
        expect![[r#"
            f:
            %0 = input
            %1 = rot90 %0            ; x1
            %2 = hmirror %0          ; x2
            %3 = tuple %1 %2 %2
        "#]],
    );
}

#[test]
fn lines_without_errors_are_computed() {
    check_every_line(
        "
def broken(I):
    x1 = rot90(I)
    x2 = hmiror(x1)
    x3 = vmirror(x2)
    x4 = vmirror(x1)
    x5 = vconcat(x4,
    return x5

def begun(I):
    x1 = rot90(I)
",
        expect![[r#"
            broken:
            %0 = input
            %1 = rot90 %0            ; x1
            %2 = vmirror %1          ; x4
            %3 = tuple %1 %2

            begun:
            %0 = input
            %1 = rot90 %0            ; x1
            %2 = const None
            %3 = tuple %1 %2
        "#]],
    );
    assert_eq!(parse("def broken(I):\n    x1 = rot90(I)\n    return hmiror(x1)\n").programs.len(), 0);
}
