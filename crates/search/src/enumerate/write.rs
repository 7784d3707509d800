//! Writes programs as text: the lines that a node depends on, and the last steps after them.

use std::collections::BTreeMap;

use super::Background;
use super::explore::Explorer;
use super::findings::Hit;
use super::layer::Mode;
use super::operation::COLORS;
use super::pool::Origin;
use batt_dsl::template::Hole;

/// Writes one program.
struct Writer<'w, 'a, 'b> {
    explorer: &'w Explorer<'a, 'b>,
    background: Background,
    lines: Vec<String>,
    /// The variable of each node that is written.
    names: BTreeMap<u32, String>,
}

/// The text of a program that was found.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct WrittenProgram {
    pub(super) text: String,
    /// How complicated it is, on the same scale as the cost of rules.
    pub(super) cost: f64,
    pub(super) words: String,
}

/// Writes the program of a node that becomes the outputs.
pub(super) fn write_hit(
    explorer: &Explorer<'_, '_>,
    hit: &Hit,
    background: Background,
    name: &str,
) -> WrittenProgram {
    let mut writer = Writer::new(explorer, background);
    let mut last = writer.node(hit.node);
    let before = last.clone();
    for &(from, to) in &hit.colors {
        let (from, to) = (COLORS[usize::from(from)], COLORS[usize::from(to)]);
        let places = writer.line(format!("ofcolor({before}, {from})"));
        last = writer.line(format!("fill({last}, {to}, {places})"));
    }
    for step in &hit.finish {
        last = writer.line(batt_dsl::template::fill(step, |_| last.clone()));
    }
    let depth = explorer.findings.pool.nodes()[hit.node as usize].depth;
    let steps = usize::from(depth) + hit.finish.len() + usize::from(!hit.colors.is_empty());
    let cost = 1.5 + 0.8 * steps as f64 + 0.2 * hit.colors.len() as f64;
    writer.finish(name, &last, cost, format!("found step by step: {steps} steps"))
}

/// Writes the program of a stack of layers, the uppermost first.
pub(super) fn write_stack(
    explorer: &Explorer<'_, '_>,
    stack: &[usize],
    background: Background,
    name: &str,
) -> Option<WrittenProgram> {
    let mut writer = Writer::new(explorer, background);
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
        let below = match last {
            Some(below) => below,
            None => writer.node(explorer.canvas()?),
        };
        last = Some(match layer.mode {
            Mode::Whole => drawn,
            Mode::Painted => writer.line(format!("paint({below}, {drawn})")),
            Mode::Foreground => {
                let object = writer.line(format!("foreground({drawn})"));
                writer.line(format!("paint({below}, {object})"))
            }
            Mode::Black => {
                let places = writer.line(format!("ofcolor({drawn}, BLACK)"));
                writer.line(format!("fill({below}, BLACK, {places})"))
            }
            Mode::Filled(color) => {
                writer.line(format!("fill({below}, {}, {drawn})", COLORS[usize::from(color)]))
            }
            Mode::FilledBy(node) => {
                let color = writer.node(node);
                writer.line(format!("fill({below}, {color}, {drawn})"))
            }
        });
    }
    let cost = 2.0 + 0.5 * depth as f64 + 1.0 * (stack.len() as f64 - 1.0);
    Some(writer.finish(name, &last?, cost, format!("{} layers found step by step", stack.len())))
}

impl<'w, 'a, 'b> Writer<'w, 'a, 'b> {
    /// Starts a program. If the background is not black, the first lines exchange the colours of the input.
    fn new(explorer: &'w Explorer<'a, 'b>, background: Background) -> Writer<'w, 'a, 'b> {
        let mut writer = Writer { explorer, background, lines: Vec::new(), names: BTreeMap::new() };
        if background == Background::MostCommon {
            let color = writer.line("mostcolor(I)".to_owned());
            let input = writer.line(format!("switch(I, BLACK, {color})"));
            writer.names.insert(0, input);
        }
        writer
    }

    /// Returns the variable of a node, after writing the lines that it depends on.
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

    /// Adds a line and returns its variable.
    fn line(&mut self, call: String) -> String {
        let name = format!("x{}", self.lines.len() + 1);
        self.lines.push(format!("    {name} = {call}\n"));
        name
    }

    /// Writes the result and returns the program.
    fn finish(mut self, name: &str, result: &str, cost: f64, words: String) -> WrittenProgram {
        if self.background == Background::MostCommon {
            let result = self.line(format!("switch({result}, BLACK, x1)"));
            let text = format!("def {name}(I):\n{}    return {result}\n", self.lines.concat());
            return WrittenProgram {
                text,
                cost: cost + 0.5,
                words: format!("with the commonest colour as black: {words}"),
            };
        }
        let text = format!("def {name}(I):\n{}    return {result}\n", self.lines.concat());
        WrittenProgram { text, cost, words }
    }
}
