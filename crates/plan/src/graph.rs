//! Plans as pictures.

use std::fmt::Write;

use batt_lang::Op;

use crate::plan::Plan;

/// The plan in Graphviz's language. Shared nodes are filled, results are framed twice.
pub fn dot(plan: &Plan) -> String {
    let uses = plan.uses();
    let mut out = String::from("digraph plan {\n  rankdir=BT; node [shape=box, fontname=\"sans-serif\"];\n");
    for (i, node) in plan.nodes().iter().enumerate() {
        let style = if uses[i] > 1 { ", style=filled, fillcolor=\"#cfe8ff\"" } else { "" };
        writeln!(out, "  n{i} [label=\"{}\"{style}];", label(&node.op)).expect("a string takes all");
        for arg in &node.args {
            writeln!(out, "  n{} -> n{i};", arg.0).expect("a string takes all");
        }
    }
    for (i, entry) in plan.programs().iter().enumerate() {
        writeln!(out, "  p{i} [label=\"{}\", shape=doubleoctagon];", entry.name).expect("a string takes all");
        writeln!(out, "  n{} -> p{i};", entry.result().0).expect("a string takes all");
    }
    out.push_str("}\n");
    out
}

/// The plan as a drawing: a column for each distance from the inputs, shared nodes darker.
pub fn svg(plan: &Plan) -> String {
    const WIDTH: usize = 150;
    const HEIGHT: usize = 26;
    let uses = plan.uses();
    let mut depth = vec![0usize; plan.nodes().len()];
    let mut filled: Vec<usize> = Vec::new();
    let mut places = Vec::with_capacity(plan.nodes().len());
    for (i, node) in plan.nodes().iter().enumerate() {
        depth[i] = node.args.iter().map(|arg| depth[arg.index()] + 1).max().unwrap_or(0);
        if filled.len() <= depth[i] {
            filled.resize(depth[i] + 1, 0);
        }
        places.push((10 + depth[i] * (WIDTH + 40), 10 + filled[depth[i]] * (HEIGHT + 8)));
        filled[depth[i]] += 1;
    }
    let (columns, rows) = (filled.len().max(1), filled.iter().max().copied().unwrap_or(1));
    let (width, height) = (20 + columns * (WIDTH + 40), 20 + rows * (HEIGHT + 8));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>text{{font:12px sans-serif}}rect{{fill:#f4f4f4;stroke:#888}}.s rect{{fill:#cfe8ff}}path{{fill:none;stroke:#bbb}}</style>\n"
    );
    for (i, node) in plan.nodes().iter().enumerate() {
        let (x, y) = places[i];
        for arg in &node.args {
            let (from_x, from_y) = places[arg.index()];
            let (x1, y1, y2) = (from_x + WIDTH, from_y + HEIGHT / 2, y + HEIGHT / 2);
            writeln!(out, "<path d=\"M{x1} {y1}C{} {y1} {} {y2} {x} {y2}\"/>", x1 + 20, x.saturating_sub(20))
                .expect("a string takes all");
        }
    }
    for (i, node) in plan.nodes().iter().enumerate() {
        let (x, y) = places[i];
        let class = if uses[i] > 1 { " class=\"s\"" } else { "" };
        let (text_x, text_y) = (x + 6, y + 17);
        let text = label(&node.op);
        writeln!(
            out,
            "<g{class}><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"4\"/>\
             <text x=\"{text_x}\" y=\"{text_y}\">{text}</text><title>%{i}, {} programs</title></g>",
            uses[i]
        )
        .expect("a string takes all");
    }
    out.push_str("</svg>\n");
    out
}

fn label(op: &Op) -> String {
    let text = match op {
        Op::Input => "I".into(),
        Op::Samples => "S".into(),
        Op::Const(literal) => literal.to_string(),
        Op::Prim(symbol) | Op::Call(symbol) => symbol.name.into(),
        Op::Apply => "(…)".into(),
        Op::Tuple => "(…, …)".into(),
    };
    text.chars()
        .take(20)
        .collect::<String>()
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}
