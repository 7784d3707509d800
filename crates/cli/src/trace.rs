//! The values of a program on the terminal: as pictures where it shows colours, as text elsewhere.

use std::io::Write;

use arcbatt::drawing::{self, Canvas, Canvases, Drawing};
use arcbatt::task::Grid;
use arcbatt::value::Value;

use crate::output;
use crate::picture::{self, Block, Scale, Screen};

/// The value of a call of a program.
pub(crate) struct TracedCall<'a> {
    /// Line of the program, from 1.
    pub(crate) line: u32,
    /// The variable, or the primitive of a nested call.
    pub(crate) name: &'a str,
    pub(crate) value: Value<'a>,
}

/// How the values of a program are shown.
#[derive(Clone, Copy)]
pub(crate) struct View {
    screen: Screen,
    /// The size of cells in a trace: one for all pairs, so that pictures can be compared.
    scale: Scale,
}

/// Spaces between pictures.
const GAP: usize = 3;

/// Below the number of a line.
const GUTTER: &str = "       │ ";
const GUTTER_WIDTH: usize = 9;

/// Taller grids are traced with small cells. Picked by eye: four pictures of this height fill a screen.
const MAX_FULL_HEIGHT: usize = 12;

/// The longest text of a value, in lines.
const MAX_LINES: usize = 4;

impl View {
    /// Returns the view for a task with these grids.
    pub(crate) fn new<'g>(screen: Screen, mut grids: impl Iterator<Item = &'g Grid>) -> View {
        let tall = grids.any(|grid| grid.height() > MAX_FULL_HEIGHT);
        View { screen, scale: if tall { Scale::Half } else { Scale::Full } }
    }

    /// Prints the value of every call. `frame` is the height and width of the input.
    pub(crate) fn print(
        self,
        out: &mut impl Write,
        calls: &[TracedCall<'_>],
        frame: (usize, usize),
    ) -> anyhow::Result<()> {
        if self.screen.is_colored() {
            for block in self.blocks(calls, frame) {
                block.iter().try_for_each(|line| writeln!(out, "{line}"))?;
            }
            return Ok(());
        }
        let width = if output::terminal() { 100 } else { 2000 };
        for TracedCall { line, name, value } in calls {
            writeln!(out, "  {line:>4} │ {name} = {}", drawing::cut(value, width))?;
        }
        Ok(())
    }

    /// Arranges the pictures of consecutive calls side by side, and texts below each other.
    fn blocks(self, calls: &[TracedCall<'_>], frame: (usize, usize)) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut pictures = Vec::new();
        let flush = |blocks: &mut Vec<Block>, pictures: &mut Vec<Block>| {
            for row in picture::flow(std::mem::take(pictures), self.screen.width, GAP) {
                blocks.extend([row, vec![String::new()]]);
            }
        };
        for call in calls {
            match Drawing::new(call.value).canvases(frame).filter(|drawn| self.fits(drawn)) {
                Some(drawn) => pictures.push(self.picture(call, &drawn)),
                None => {
                    flush(&mut blocks, &mut pictures);
                    blocks.push(self.text(call));
                }
            }
        }
        flush(&mut blocks, &mut pictures);
        blocks
    }

    /// Returns whether canvases fit on the screen, at least with small cells.
    fn fits(self, drawn: &Canvases) -> bool {
        let width = self.screen.width.saturating_sub(GUTTER_WIDTH);
        drawn.canvases.iter().all(|canvas| {
            let scale = self.scale_within(canvas, width);
            picture::canvas_width(canvas, scale) <= width && canvas.height() <= Drawing::MAX_SIDE
        })
    }

    /// Returns the size of cells for a canvas that should fit in `width`.
    fn scale_within(self, canvas: &Canvas, width: usize) -> Scale {
        match self.scale {
            _ if !picture::has_only_colors(canvas) => Scale::Full,
            Scale::Full if picture::canvas_width(canvas, Scale::Full) > width => Scale::Half,
            scale => scale,
        }
    }

    /// Draws the value of a call below its name.
    fn picture(self, call: &TracedCall<'_>, drawn: &Canvases) -> Block {
        let width = self.screen.width.saturating_sub(GUTTER_WIDTH);
        let title = format!("  {:>4} │ {} = {}", call.line, call.name, drawn.words);
        let mut block = vec![picture::cut(&title, self.screen.width)];
        for (i, row) in self.rows(drawn, width).into_iter().enumerate() {
            if i > 0 {
                block.push(GUTTER.trim_end().to_owned());
            }
            block.extend(row.iter().map(|line| format!("{GUTTER}{line}")));
        }
        block
    }

    /// Draws all canvases, as many side by side as fit in `width`.
    fn rows(self, drawn: &Canvases, width: usize) -> Vec<Block> {
        let canvas =
            |canvas: &Canvas| picture::canvas(canvas, self.scale_within(canvas, width), self.screen.colors);
        picture::flow(drawn.canvases.iter().map(canvas).collect(), width, GAP)
    }

    /// Writes the value of a call as text, in a few lines if it is long.
    fn text(self, call: &TracedCall<'_>) -> Block {
        let width = self.screen.width.saturating_sub(GUTTER_WIDTH + 2).max(20);
        let text = format!("{} = {}", call.name, drawing::cut(&call.value, MAX_LINES * width));
        let mut lines = picture::wrap(&text, width, MAX_LINES).into_iter();
        let first = format!("  {:>4} │ {}", call.line, lines.next().unwrap_or_default());
        std::iter::once(first).chain(lines.map(|line| format!("{GUTTER}  {line}"))).collect()
    }

    /// Arranges values with their labels side by side. If the screen shows colours and is too narrow, cells are small, or
    /// the values are below each other.
    pub(crate) fn side_by_side(self, values: &[(&str, Value<'_>)], frame: (usize, usize)) -> Block {
        let blocks = |view: View| -> Vec<Block> {
            let block = |(label, value): &(&str, Value<'_>)| {
                let drawn = Drawing::new(*value).canvases(frame).filter(|_| view.screen.is_colored());
                let lines = match drawn {
                    Some(drawn) => view.rows(&drawn, view.screen.width).concat(),
                    None => picture::plain(*value),
                };
                [vec![(*label).to_owned()], lines].concat()
            };
            values.iter().map(block).collect()
        };
        let full = picture::side_by_side(&blocks(View { scale: Scale::Full, ..self }), GAP);
        if !self.screen.is_colored() || picture::block_width(&full) <= self.screen.width {
            return full;
        }
        let half = picture::side_by_side(&blocks(View { scale: Scale::Half, ..self }), GAP);
        if picture::block_width(&half) <= self.screen.width { half } else { blocks(self).concat() }
    }
}
