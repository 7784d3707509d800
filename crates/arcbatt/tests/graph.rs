//! Drawings of plans.

use arcbatt::graph::{dot, svg};
use batt_lang::parse;
use batt_plan::Plan;
use expect_test::expect;

const TWO: &str = "
def a(I): x = hmirror(I); return vconcat(x, I)
def b(I): x = hmirror(I); return hconcat(x, I)
";

#[test]
fn drawings_show_calls_and_programs() {
    let plan = Plan::merge(&parse(TWO).programs);
    expect![[r##"
        digraph plan {
          rankdir=LR; node [shape=box, fontname="sans-serif", fontsize=11, height=0.3];
          n1 [label="hmirror(I)", style=filled, fillcolor="#cfe8ff"];
          n2 [label="vconcat(·, I)"];
          n1 -> n2;
          n3 [label="hconcat(·, I)"];
          n1 -> n3;
          p0 [label="a", shape=oval];
          n2 -> p0;
          p1 [label="b", shape=oval];
          n3 -> p1;
        }
    "##]]
    .assert_eq(&dot(&plan));
    let svg = svg(&plan);
    // Three calls, two programs, the background.
    assert_eq!(svg.matches("<rect").count(), 6);
    assert_eq!(svg.matches("class=\"s\"").count(), 1, "one call is shared");
    assert!(svg.contains(">hmirror(I)</text>") && svg.contains(">vconcat(·, I)</text>"));
}

#[test]
fn a_plan_without_calls_can_be_drawn() {
    let plan = Plan::merge(&parse("def a(I): return I\n").programs);
    assert_eq!(svg(&plan).matches("<rect").count(), 2);
    assert!(svg(&Plan::merge(&[])).ends_with("</svg>\n"));
}

#[test]
fn a_drawing_of_many_shared_nodes_stays_small() {
    let lines: String = (0..200).map(|i| format!("    x{} = hconcat(x{i}, x{i})\n", i + 1)).collect();
    let text = format!("def a(I):\n    x0 = I\n{lines}    return x200\n");
    assert!(svg(&Plan::merge(&parse(&text).programs)).len() < 200_000);
}
