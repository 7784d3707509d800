//! Programs as text: the lines that a node needs, and what comes after them.

use std::collections::BTreeMap;

use super::Frame;
use super::explore::Explorer;
use super::findings::Hit;
use super::layer::Mode;
use super::operation::COLORS;
use super::pool::Origin;
use super::template::Hole;

/// A program on its way to text.
struct Writer<'w, 'a, 'b> {
    explorer: &'w Explorer<'a, 'b>,
    frame: Frame,
    lines: Vec<String>,
    /// The variables of nodes.
    names: BTreeMap<u32, String>,
}

/// A program that was found.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Written {
    pub(super) text: String,
    /// How complicated it is, on the scale of learned rules.
    pub(super) cost: f64,
    pub(super) words: String,
}

/// The program of a node that becomes the outputs.
pub(super) fn whole(explorer: &Explorer<'_, '_>, hit: &Hit, frame: Frame, name: &str) -> Written {
    let mut writer = Writer::new(explorer, frame);
    let mut last = writer.node(hit.node);
    let before = last.clone();
    for &(from, to) in &hit.colors {
        let (from, to) = (COLORS[usize::from(from)], COLORS[usize::from(to)]);
        let places = writer.line(format!("ofcolor({before}, {from})"));
        last = writer.line(format!("fill({last}, {to}, {places})"));
    }
    for step in &hit.finish {
        last = writer.line(super::template::write(step, |_| last.clone()));
    }
    let depth = explorer.findings.pool.nodes()[hit.node as usize].depth;
    let steps = usize::from(depth) + hit.finish.len() + usize::from(!hit.colors.is_empty());
    let cost = 1.5 + 0.8 * steps as f64 + 0.2 * hit.colors.len() as f64;
    writer.end(name, &last, cost, format!("found step by step: {steps} steps"))
}

/// The program of a stack of layers, the uppermost first.
pub(super) fn stacked(
    explorer: &Explorer<'_, '_>,
    stack: &[usize],
    frame: Frame,
    name: &str,
) -> Option<Written> {
    let mut writer = Writer::new(explorer, frame);
    let layers = explorer.findings.layers.list();
    let mut last: Option<String> = None;
    let mut depth = 0;
    for &place in stack.iter().rev() {
        let layer = &layers[place];
        depth += usize::from(layer.depth);
        let drawn = writer.node(layer.node);
        if layer.mode == Mode::Whole {
            last = Some(drawn);
            continue;
        }
        let under = match last {
            Some(under) => under,
            None => writer.node(explorer.canvas()?),
        };
        last = Some(match layer.mode {
            Mode::Whole => drawn,
            Mode::Painted => writer.line(format!("paint({under}, {drawn})")),
            Mode::Foreground => {
                let object = writer.line(format!("foreground({drawn})"));
                writer.line(format!("paint({under}, {object})"))
            }
            Mode::Black => {
                let places = writer.line(format!("ofcolor({drawn}, BLACK)"));
                writer.line(format!("fill({under}, BLACK, {places})"))
            }
            Mode::Filled(color) => {
                writer.line(format!("fill({under}, {}, {drawn})", COLORS[usize::from(color)]))
            }
            Mode::FilledBy(node) => {
                let color = writer.node(node);
                writer.line(format!("fill({under}, {color}, {drawn})"))
            }
        });
    }
    let cost = 2.0 + 0.5 * depth as f64 + 1.0 * (stack.len() as f64 - 1.0);
    Some(writer.end(name, &last?, cost, format!("{} layers found step by step", stack.len())))
}

impl<'w, 'a, 'b> Writer<'w, 'a, 'b> {
    fn new(explorer: &'w Explorer<'a, 'b>, frame: Frame) -> Writer<'w, 'a, 'b> {
        let mut writer = Writer { explorer, frame, lines: Vec::new(), names: BTreeMap::new() };
        if frame == Frame::Majority {
            let color = writer.line("mostcolor(I)".to_owned());
            let input = writer.line(format!("switch(I, BLACK, {color})"));
            writer.names.insert(0, input);
        }
        writer
    }

    /// The variable of a node; writes the lines that it needs.
    fn node(&mut self, node: u32) -> String {
        if let Some(name) = self.names.get(&node) {
            return name.clone();
        }
        let name = match self.explorer.findings.pool.nodes()[node as usize].origin {
            Origin::Input => "I".to_owned(),
            Origin::Canvas(rule) => {
                let input = self.node(0);
                let size = self.line(rule.write(&input));
                self.line(format!("canvas(BLACK, {size})"))
            }
            Origin::CanvasLike(other) => {
                let other = self.node(other);
                let size = self.line(format!("shape({other})"));
                self.line(format!("canvas(BLACK, {size})"))
            }
            Origin::Made { operation, x, y } => {
                let explorer = self.explorer;
                let template = &explorer.operations[usize::from(operation)].template;
                let mut fill = |hole| match hole {
                    Hole::First => self.node(x),
                    Hole::Second => self.node(y),
                    Hole::Input => self.node(0),
                    Hole::Canvas => explorer.canvas().map_or_else(String::new, |canvas| self.node(canvas)),
                };
                let text = template.write(&mut fill);
                self.line(text)
            }
        };
        self.names.insert(node, name.clone());
        name
    }

    /// Adds a line; its variable.
    fn line(&mut self, call: String) -> String {
        let name = format!("x{}", self.lines.len() + 1);
        self.lines.push(format!("    {name} = {call}\n"));
        name
    }

    fn end(mut self, name: &str, result: &str, cost: f64, words: String) -> Written {
        if self.frame == Frame::Majority {
            let result = self.line(format!("switch({result}, BLACK, x1)"));
            let text = format!("def {name}(I):\n{}    return {result}\n", self.lines.concat());
            return Written {
                text,
                cost: cost + 0.5,
                words: format!("with the commonest colour as black: {words}"),
            };
        }
        let text = format!("def {name}(I):\n{}    return {result}\n", self.lines.concat());
        Written { text, cost, words }
    }
}
