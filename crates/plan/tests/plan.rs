//! Tests plans by their text form.

use batt_lang::parse;
use batt_plan::Plan;
use expect_test::{Expect, expect};

fn check_plan(text: &str, expected: Expect) {
    let plan = Plan::merge(&parse(text).programs);
    let text = plan.to_string();
    let shown: Vec<_> = text.lines().filter(|line| !line.starts_with("program")).collect();
    expected.assert_eq(&(shown.join("\n") + "\n"));
    let again: Plan = text.parse().unwrap();
    assert_eq!(again.to_string(), text, "the text round-trips");
}

const TWO: &str = "
def a(I): x = hmirror(I); return vconcat(x, I)
def b(I): x = hmirror(I); return hconcat(x, I)
";

#[test]
fn shared_calls_merge() {
    check_plan(
        TWO,
        expect![[r#"
            plan 1
            %0 = input
            %1 = hmirror %0                ; a b
            %2 = vconcat %1 %0             ; a
            %3 = hconcat %1 %0             ; b
        "#]],
    );
}

#[test]
fn function_values_merge() {
    check_plan(
        "
def a(I): return apply(compose(first, rbind(add, ONE)), I)
def b(S, I, C): f = compose(first, rbind(add, T)); return (f(I), compose(first, rbind(add, 1)), (1, (2,)), C)
",
        expect![[r#"
            plan 1
            %0 = prim first
            %1 = prim add
            %2 = const 1
            %3 = rbind %1 %2               ; a b
            %4 = compose %0 %3             ; a b
            %5 = input
            %6 = apply %4 %5               ; a
            %7 = const True
            %8 = rbind %1 %7               ; b
            %9 = compose %0 %8             ; b
            %10 = apply_value %9 %5        ; b
            %11 = const (1, (2,))
            %12 = const None
            %13 = make_tuple %10 %4 %11 %12 ; b
        "#]],
    );
}

#[test]
fn counts_show_what_is_shared() {
    let counts = Plan::merge(&parse(TWO).programs).counts();
    assert_eq!((counts.programs, counts.calls, counts.distinct, counts.shared), (2, 4, 3, 1));
}

#[test]
fn errors_name_the_line() {
    let error = |text: &str| text.parse::<Plan>().unwrap_err().to_string();
    assert_eq!(error("nothing"), "line 1: expected `plan 1`");
    assert_eq!(error("plan 1\n%1 = input"), "line 2: expected %0");
    assert_eq!(error("plan 1\n%0 = objcts %0"), "line 2: `objcts` is not a primitive");
    assert_eq!(error("plan 1\n%0 = input\n%1 = hmirror %7"), "line 3: %7 is not defined yet");
    assert_eq!(error("plan 1\n%0 = input\n%1 = input"), "line 3: %1 repeats an earlier node");
    assert_eq!(
        error("plan 1\n%0 = input\n%1 = hmirror %0\n%2 = hmirror %0"),
        "line 4: %2 repeats an earlier node"
    );
    let hash = "0".repeat(64);
    assert_eq!(
        error(&format!("plan 1\n%0 = input\n%1 = hmirror %0\nprogram a {hash} = %1")),
        "line 4: a needs %1 before %0"
    );
}

#[test]
fn expressions_are_program_text() {
    let text =
        "def a(S, I, C): f = compose(first, lbind(add, (ONE, TWO))); return (f(objects(I, T, F, T)), S)\n";
    let plan = Plan::merge(&parse(text).programs);
    let result = plan.programs()[0].result();
    expect!["(compose(first, lbind(add, (1, 2)))(objects(I, T, F, T)), S)"]
        .assert_eq(&plan.expression(result, 100));
    expect!["(compose(first, lb…"].assert_eq(&plan.expression(result, 19));
}

#[test]
fn an_expression_of_many_shared_nodes_is_cut() {
    let lines: String = (0..200).map(|i| format!("    x{} = hconcat(x{i}, x{i})\n", i + 1)).collect();
    let text = format!("def a(I):\n    x0 = I\n{lines}    return x200\n");
    let plan = Plan::merge(&parse(&text).programs);
    assert_eq!(plan.expression(plan.programs()[0].result(), 50).chars().count(), 50);
}
