//! Drawings of plans: calls as boxes, from the inputs on the left to the programs on the right.
//!
//! Inputs and constants are written inside the calls that use them. As separate boxes they would be connected to
//! almost everything.

use std::fmt::Write;

use batt_plan::{NodeId, Plan};

use crate::sheet::cut;

/// Maximum length of labels and of tooltips.
const MAX_LABEL: usize = 30;
const MAX_TITLE: usize = 300;

/// Returns the plan as a Graphviz graph. Shared nodes are filled, programs are ovals.
pub fn dot(plan: &Plan) -> String {
    let uses = plan.uses();
    let mut out = String::from(
        "digraph plan {\n  rankdir=LR; node [shape=box, fontname=\"sans-serif\", fontsize=11, height=0.3];\n",
    );
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    for (i, node) in plan.nodes().iter().enumerate().filter(|(_, node)| node.is_computed()) {
        let style = if uses[i] > 1 { ", style=filled, fillcolor=\"#cfe8ff\"" } else { "" };
        let label = plan.outline(NodeId(i as u32), MAX_LABEL);
        writeln!(out, "  n{i} [label=\"{}\"{style}];", quoted(&label))
            .expect("writing to a string cannot fail");
        for arg in node.args.iter().filter(|arg| plan.node(**arg).is_computed()) {
            writeln!(out, "  n{} -> n{i};", arg.0).expect("writing to a string cannot fail");
        }
    }
    for (i, entry) in plan.programs().iter().enumerate() {
        writeln!(out, "  p{i} [label=\"{}\", shape=oval];", quoted(&entry.name))
            .expect("writing to a string cannot fail");
        if plan.node(entry.result()).is_computed() {
            writeln!(out, "  n{} -> p{i};", entry.result().0).expect("writing to a string cannot fail");
        }
    }
    out.push_str("}\n");
    out
}

/// Returns the plan as SVG: one column for each distance from the inputs, shared nodes filled. An edge that crosses a
/// column has a lane of its own in it, so that it runs between the boxes.
pub fn svg(plan: &Plan) -> String {
    Drawing::new(plan).finish()
}

/// A node, a program or a lane: an entry of a column.
#[derive(Clone, Debug)]
struct Item {
    kind: Kind,
    /// The items of the previous column that edges come from.
    from: Vec<usize>,
    label: String,
    x: usize,
    y: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Node(usize),
    Program(usize),
    /// An edge that crosses the column.
    Lane,
}

impl Item {
    fn height(&self) -> f64 {
        if self.kind == Kind::Lane { 6.0 } else { 24.0 }
    }

    /// About seven units per character, and the margins.
    fn width(&self) -> usize {
        self.label.chars().count() * 7 + 14
    }

    fn middle(&self) -> f64 {
        self.y + self.height() / 2.0
    }
}

/// The edges that leave a node: the node itself, then a lane in each following column.
#[derive(Clone, Default)]
struct Route {
    start: usize,
    items: Vec<usize>,
}

struct Drawing<'p> {
    plan: &'p Plan,
    items: Vec<Item>,
    /// For each node of the plan.
    routes: Vec<Route>,
    /// The items of each column, from top to bottom.
    columns: Vec<Vec<usize>>,
    widths: Vec<usize>,
}

impl<'p> Drawing<'p> {
    const GAP_X: usize = 44;
    const GAP_Y: f64 = 8.0;
    const MARGIN: usize = 12;

    fn new(plan: &'p Plan) -> Drawing<'p> {
        let routes = vec![Route::default(); plan.nodes().len()];
        let mut drawing =
            Drawing { plan, items: Vec::new(), routes, columns: Vec::new(), widths: Vec::new() };
        drawing.place();
        drawing.sort();
        drawing.spread();
        drawing
    }

    /// Gives every node and program a column, and adds lanes for the edges that cross columns.
    fn place(&mut self) {
        let plan = self.plan;
        let is_computed = |id: &NodeId| plan.node(*id).is_computed();
        for (i, node) in plan.nodes().iter().enumerate().filter(|(_, node)| node.is_computed()) {
            let args: Vec<usize> =
                node.args.iter().filter(|arg| is_computed(arg)).map(|arg| arg.index()).collect();
            let column = args.iter().map(|arg| self.routes[*arg].start + 1).max().unwrap_or(0);
            let label = plan.outline(NodeId(i as u32), MAX_LABEL);
            let item = self.add(Kind::Node(i), label, column, &args);
            self.routes[i] = Route { start: column, items: vec![item] };
        }
        for (i, entry) in plan.programs().iter().enumerate() {
            let result = Some(entry.result()).filter(is_computed).map(NodeId::index);
            let column = result.map_or(0, |result| self.routes[result].start + 1);
            self.add(Kind::Program(i), cut(&entry.name, MAX_LABEL), column, result.as_slice());
        }
        let widest = |column: &Vec<usize>| column.iter().map(|i| self.items[*i].width()).max().unwrap_or(0);
        self.widths = self.columns.iter().map(widest).collect();
        let mut x = Self::MARGIN;
        for (column, width) in self.columns.iter().zip(&self.widths) {
            column.iter().for_each(|item| self.items[*item].x = x);
            x += width + Self::GAP_X;
        }
    }

    /// Adds an item to a column, with edges from `args`. Returns its index.
    fn add(&mut self, kind: Kind, label: String, column: usize, args: &[usize]) -> usize {
        let mut from: Vec<usize> = args.iter().map(|arg| self.route_to(*arg, column - 1)).collect();
        from.sort_unstable();
        from.dedup();
        self.push(kind, label, column, from)
    }

    /// Returns the item of a node's route in a column. Adds missing lanes up to it.
    fn route_to(&mut self, node: usize, column: usize) -> usize {
        let start = self.routes[node].start;
        for column in start + self.routes[node].items.len()..=column {
            let before = self.routes[node].items[column - 1 - start];
            let lane = self.push(Kind::Lane, String::new(), column, vec![before]);
            self.routes[node].items.push(lane);
        }
        self.routes[node].items[column - start]
    }

    fn push(&mut self, kind: Kind, label: String, column: usize, from: Vec<usize>) -> usize {
        if self.columns.len() <= column {
            self.columns.resize(column + 1, Vec::new());
        }
        self.items.push(Item { kind, from, label, x: 0, y: 0.0 });
        self.columns[column].push(self.items.len() - 1);
        self.items.len() - 1
    }

    /// Orders the columns so that few edges cross: every item moves to the mean position of its neighbours.
    fn sort(&mut self) {
        let mut to: Vec<Vec<usize>> = vec![Vec::new(); self.items.len()];
        for (i, item) in self.items.iter().enumerate() {
            item.from.iter().for_each(|from| to[*from].push(i));
        }
        let mut rank = vec![0.0; self.items.len()];
        let renumber = |rank: &mut Vec<f64>, column: &[usize]| {
            column.iter().enumerate().for_each(|(i, item)| rank[*item] = i as f64);
        };
        self.columns.iter().for_each(|column| renumber(&mut rank, column));
        // More sweeps hardly change anything.
        for sweep in 0..8 {
            let forward = sweep % 2 == 0;
            for k in 0..self.columns.len() {
                let k = if forward { k } else { self.columns.len() - 1 - k };
                let goal = |item: &usize| {
                    let joined = if forward { &self.items[*item].from } else { &to[*item] };
                    mean(joined.iter().map(|other| rank[*other])).unwrap_or(rank[*item])
                };
                let mut keyed: Vec<_> = self.columns[k].iter().map(|item| (goal(item), *item)).collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.columns[k] = keyed.into_iter().map(|(_, item)| item).collect();
                renumber(&mut rank, &self.columns[k]);
            }
        }
    }

    /// Sets vertical positions: close to the items that edges come from, without overlaps.
    fn spread(&mut self) {
        for column in &self.columns {
            let mut bottom = f64::MIN;
            let mut surplus = Vec::with_capacity(column.len());
            for &i in column {
                let height = self.items[i].height();
                let ideal = mean(self.items[i].from.iter().map(|from| self.items[*from].middle()));
                let ideal = ideal.map_or(bottom.max(0.0), |middle| middle - height / 2.0);
                self.items[i].y = ideal.max(bottom);
                surplus.push(self.items[i].y - ideal);
                bottom = self.items[i].y + height + Self::GAP_Y;
            }
            let shift = mean(surplus.into_iter()).unwrap_or(0.0).round();
            column.iter().for_each(|i| self.items[*i].y -= shift);
        }
        let top = self.items.iter().map(|item| item.y).fold(f64::MAX, f64::min);
        self.items.iter_mut().for_each(|item| item.y = (item.y - top).round() + Self::MARGIN as f64);
    }

    fn finish(&self) -> String {
        let bottom = self.items.iter().map(|item| item.y + item.height()).fold(0.0, f64::max);
        let gaps = self.widths.len().saturating_sub(1) * Self::GAP_X;
        let width = 2 * Self::MARGIN + self.widths.iter().sum::<usize>() + gaps;
        let height = bottom as usize + Self::MARGIN;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
             <style>text{{font:11px monospace;fill:#222}}rect{{fill:#fff;stroke:#888}}.s rect{{fill:#cfe8ff;stroke:#5588bb}}\
             .p rect{{fill:#eeeeee;stroke:#333}}path{{fill:none;stroke:#aaa}}</style>\n\
             <rect width=\"{width}\" height=\"{height}\" style=\"stroke:none\"/>\n"
        );
        for (k, column) in self.columns.iter().enumerate() {
            for item in column.iter().map(|i| &self.items[*i]) {
                self.lines(&mut out, k, item);
            }
        }
        let uses = self.plan.uses();
        for column in &self.columns {
            for item in column.iter().map(|i| &self.items[*i]) {
                self.item(&mut out, item, &uses);
            }
        }
        out.push_str("</svg>\n");
        out
    }

    /// Draws the edges into an item, and along it if it is a lane.
    fn lines(&self, out: &mut String, column: usize, item: &Item) {
        let (x, y) = (item.x, item.middle());
        for from in &item.from {
            let (start, start_y) =
                (self.items[*from].x + self.widths[column - 1], self.items[*from].middle());
            let (out_of, into) = (start + Self::GAP_X / 2, x - Self::GAP_X / 2);
            // A box can be narrower than its column.
            let start = if self.items[*from].kind == Kind::Lane {
                start
            } else {
                self.items[*from].x + self.items[*from].width()
            };
            writeln!(
                out,
                "<path d=\"M{start} {start_y}H{}C{out_of} {start_y} {into} {y} {x} {y}\"/>",
                out_of - Self::GAP_X / 2
            )
            .expect("writing to a string cannot fail");
        }
        match item.kind {
            Kind::Lane => writeln!(out, "<path d=\"M{x} {y}h{}\"/>", self.widths[column]),
            _ if !item.from.is_empty() => {
                writeln!(out, "<path d=\"M{} {}l5 3l-5 3\" style=\"stroke:#777\"/>", x - 6, y - 3.0)
            }
            _ => Ok(()),
        }
        .expect("writing to a string cannot fail");
    }

    fn item(&self, out: &mut String, item: &Item, uses: &[u32]) {
        let (class, title) = match item.kind {
            Kind::Lane => return,
            Kind::Node(node) => {
                let text = self.plan.expression(NodeId(node as u32), MAX_TITLE);
                let programs = if uses[node] == 1 { "program" } else { "programs" };
                let title = format!("%{node} = {text}, {} {programs}", uses[node]);
                (if uses[node] > 1 { " class=\"s\"" } else { "" }, title)
            }
            Kind::Program(i) => (" class=\"p\"", self.plan.programs()[i].name.clone()),
        };
        let (x, y, width, height) = (item.x, item.y, item.width(), item.height());
        let round = if matches!(item.kind, Kind::Program(_)) { 12 } else { 4 };
        writeln!(
            out,
            "<g{class}><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{round}\"/>\
             <text x=\"{}\" y=\"{}\">{}</text></g>",
            escaped(&title),
            x + 7,
            y + 16.0,
            escaped(&item.label)
        )
        .expect("writing to a string cannot fail");
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
