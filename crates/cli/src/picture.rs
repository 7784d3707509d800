//! Pictures on the terminal: grids, objects and indices as cells, and blocks of lines side by side.

use std::fmt::Write;

use arcbatt::drawing::{Canvas, Spot};
use arcbatt::palette::CLASSIC;
use arcbatt::sheet::{Field, Style};
use arcbatt::value::Value;

use crate::color::{Colors, Layer};
use crate::output;

/// The colours and the width of standard output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) colors: Colors,
    /// Characters per line.
    pub(crate) width: usize,
}

impl Screen {
    pub(crate) fn of_stdout() -> Screen {
        Screen { colors: Colors::of_stdout(), width: output::width() }
    }

    pub(crate) fn is_colored(self) -> bool {
        self.colors != Colors::None
    }
}

/// The size of a cell on the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scale {
    /// Two characters, which are about as wide as high.
    Full,
    /// Half a character: two rows of cells in one line.
    Half,
}

/// Lines of text that belong together.
pub(crate) type Block = Vec<String>;

/// Arranges blocks side by side, with `gap` spaces in between.
pub(crate) fn side_by_side(blocks: &[Block], gap: usize) -> Block {
    let height = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = vec![String::new(); height];
    for (i, block) in blocks.iter().enumerate() {
        let width = block_width(block);
        let last = i + 1 == blocks.len();
        for (row, out) in out.iter_mut().enumerate() {
            let line = block.get(row).map_or("", String::as_str);
            out.push_str(line);
            out.push_str(&" ".repeat(if last { 0 } else { width - visible_width(line) + gap }));
        }
    }
    out.iter_mut().for_each(|row| row.truncate(row.trim_end().len()));
    out
}

/// Arranges as many blocks side by side as fit in `width`, then the next ones below them.
pub(crate) fn flow(blocks: Vec<Block>, width: usize, gap: usize) -> Vec<Block> {
    let mut rows: Vec<Vec<Block>> = Vec::new();
    let mut used = 0;
    for block in blocks {
        let own = block_width(&block);
        match rows.last_mut() {
            Some(row) if used + gap + own <= width => {
                used += gap + own;
                row.push(block);
            }
            _ => {
                used = own;
                rows.push(vec![block]);
            }
        }
    }
    rows.iter().map(|row| side_by_side(row, gap)).collect()
}

/// Returns the width of a block, in characters.
pub(crate) fn block_width(block: &Block) -> usize {
    block.iter().map(|line| visible_width(line)).max().unwrap_or(0)
}

/// Renders a value as text: a grid as rows of digits, anything else in one line.
pub(crate) fn plain(value: Value<'_>) -> Block {
    match value {
        Value::Grid(grid) => digits(grid.cells(), grid.width(), &[]),
        other => vec![other.to_string()],
    }
}

/// Draws a grid with marked cells: as coloured cells or, without colours, as digits with a star after marked ones.
pub(crate) fn field(field: &Field, marks: &[(usize, usize)], style: Style, colors: Colors) -> Block {
    if colors == Colors::None {
        return digits(&field.cells, field.width, marks);
    }
    let line = |(row, cells): (usize, &[i8])| {
        let mut line = Line::default();
        for (col, &cell) in cells.iter().enumerate() {
            let marked = marks.binary_search(&(row, col)).is_ok();
            let text = match (style.digits, marked) {
                (false, false) => "  ".to_owned(),
                (false, true) => "><".to_owned(),
                (true, false) => format!("{cell} "),
                (true, true) => format!("{cell}<"),
            };
            match style.palette.color(cell) {
                Some(color) => {
                    let background = colors.cell(cell, color, Layer::Background);
                    line.push(&format!("{background};{}", colors.ink(color)), &text);
                }
                None => line.push("", &format!("{cell:>2}")),
            }
        }
        line.finish()
    };
    field.rows().enumerate().map(line).collect()
}

/// Draws a canvas in colours.
pub(crate) fn canvas(canvas: &Canvas, scale: Scale, colors: Colors) -> Block {
    match scale {
        Scale::Full => canvas.rows().map(|row| full_line(row, colors)).collect(),
        Scale::Half => {
            let rows: Vec<&[Spot]> = canvas.rows().collect();
            rows.chunks(2).map(|rows| half_line(rows[0], rows.get(1).copied(), colors)).collect()
        }
    }
}

/// Returns the width of a canvas on the terminal, in characters.
pub(crate) fn canvas_width(canvas: &Canvas, scale: Scale) -> usize {
    canvas.width() * if scale == Scale::Full { 2 } else { 1 }
}

/// Returns whether half a character can show every cell: numbers that are not colours need two.
pub(crate) fn has_only_colors(canvas: &Canvas) -> bool {
    canvas.rows().flatten().all(|spot| !matches!(spot, Spot::Color(cell) if CLASSIC.color(*cell).is_none()))
}

/// The colour of dots in places that a value does not have.
const DIM: &str = "2";

fn full_line(row: &[Spot], colors: Colors) -> String {
    let mut line = Line::default();
    for spot in row {
        match spot {
            Spot::Color(cell) => match CLASSIC.color(*cell) {
                Some(color) => line.push(&colors.cell(*cell, color, Layer::Background), "  "),
                None => line.push("", &format!("{cell:>2}")),
            },
            Spot::Place => line.push("", "▒▒"),
            Spot::Empty => line.push(DIM, "· "),
            Spot::Outside => line.push("", "  "),
        }
    }
    line.finish()
}

/// Draws two rows of cells in one line: the upper half of a character is its text colour, the lower half its background.
fn half_line(upper: &[Spot], lower: Option<&[Spot]>, colors: Colors) -> String {
    let code = |spot: Spot, layer: Layer| match spot {
        Spot::Color(cell) => Some(colors.cell(cell, CLASSIC.color(cell)?, layer)),
        // The terminal's own colours: text, and white.
        Spot::Place => Some(if layer == Layer::Text { "39" } else { "47" }.to_owned()),
        Spot::Empty | Spot::Outside => None,
    };
    let mut line = Line::default();
    for (col, &upper) in upper.iter().enumerate() {
        let lower = lower.map_or(Spot::Outside, |lower| lower[col]);
        match (code(upper, Layer::Text), code(lower, Layer::Text)) {
            (None, None) if upper == Spot::Empty || lower == Spot::Empty => line.push(DIM, "·"),
            (None, None) => line.push("", " "),
            (Some(text), None) => line.push(&text, "▀"),
            (None, Some(text)) => line.push(&text, "▄"),
            (Some(text), Some(_)) if upper == lower => line.push(&text, "█"),
            (Some(text), Some(_)) => {
                let background = code(lower, Layer::Background).unwrap_or_default();
                line.push(&format!("{text};{background}"), "▀");
            }
        }
    }
    line.finish()
}

/// A line of coloured text. Neighbours of one colour share an escape sequence.
#[derive(Default)]
struct Line {
    text: String,
    /// The parameters of the last escape sequence; empty for the terminal's own colours.
    style: String,
}

impl Line {
    fn push(&mut self, style: &str, text: &str) {
        if self.style != style {
            let reset = if style.is_empty() { "0" } else { "0;" };
            write!(self.text, "\x1b[{reset}{style}m").expect("writing to a string cannot fail");
            style.clone_into(&mut self.style);
        }
        self.text.push_str(text);
    }

    fn finish(mut self) -> String {
        self.push("", "");
        self.text.truncate(self.text.trim_end().len());
        self.text
    }
}

/// Prints cells as digits, with a star after marked ones.
fn digits(cells: &[i8], width: usize, marks: &[(usize, usize)]) -> Block {
    let digits = cells.iter().map(|cell| cell.to_string().len()).max().unwrap_or(1);
    let line = |(row, cells): (usize, &[i8])| {
        let mut line = String::new();
        for (col, cell) in cells.iter().enumerate() {
            let mark = if marks.binary_search(&(row, col)).is_ok() { "*" } else { " " };
            write!(line, "{cell:>digits$}{mark}").expect("writing to a string cannot fail");
        }
        line.truncate(line.trim_end().len());
        line
    };
    cells.chunks_exact(width).enumerate().map(line).collect()
}

/// Counts the characters of a line without colour codes.
fn visible_width(line: &str) -> usize {
    let mut width = 0;
    let mut inside = false;
    for c in line.chars() {
        match c {
            '\x1b' => inside = true,
            'm' if inside => inside = false,
            _ if inside => {}
            _ => width += 1,
        }
    }
    width
}

/// Cuts a text to at most `max` characters, with an ellipsis.
pub(crate) fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max.saturating_sub(1)).chain(['…']).collect()
}

/// Breaks a text into lines of at most `width` characters, after a member of a tuple or set if there is one. Cuts it after
/// `max_lines` lines, with an ellipsis.
pub(crate) fn wrap(text: &str, width: usize, max_lines: usize) -> Block {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.char_indices().nth(width.max(1)).map(|(end, _)| end);
        let Some(end) = end else {
            lines.push(rest.to_owned());
            break;
        };
        if lines.len() + 1 == max_lines {
            lines.push(cut(rest, width));
            break;
        }
        let after = |separator: &str| Some(rest[..end].rfind(separator)? + separator.len());
        let breaks = ["),", "|", ","].into_iter().filter_map(after).find(|at| *at > end / 2);
        let (line, after) = rest.split_at(breaks.unwrap_or(end));
        lines.push(line.to_owned());
        rest = after.trim_start();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(lines: &[&str]) -> Block {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn blocks_are_arranged_side_by_side() {
        let lines =
            side_by_side(&[block(&["in", "\x1b[48;2;0;0;0m  \x1b[0m"]), block(&["output", "1 2", "3 4"])], 3);
        assert_eq!(lines, ["in   output", "\x1b[48;2;0;0;0m  \x1b[0m   1 2", "     3 4"]);
    }

    #[test]
    fn blocks_flow_into_rows() {
        let blocks = || vec![block(&["aa", "b"]), block(&["cc"]), block(&["dd"])];
        assert_eq!(flow(blocks(), 8, 1), [block(&["aa cc dd", "b"])]);
        assert_eq!(flow(blocks(), 7, 1), [block(&["aa cc", "b"]), block(&["dd"])]);
        assert_eq!(flow(blocks(), 1, 1).len(), 3, "a block that does not fit has a row of its own");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
    }

    #[test]
    fn long_texts_are_wrapped() {
        assert_eq!(wrap("(1, 2, 3, 4)", 12, 3), ["(1, 2, 3, 4)"]);
        assert_eq!(wrap("(1, 2, 3, 4)", 9, 3), ["(1, 2, 3,", "4)"]);
        assert_eq!(wrap("(1, 2, 3, 4, 5, 6)", 7, 2), ["(1, 2,", "3, 4, …"]);
        assert_eq!(wrap("{(1, 2), (3, 4)}", 12, 2), ["{(1, 2),", "(3, 4)}"]);
        assert_eq!(wrap("abcdefgh", 3, 9), ["abc", "def", "gh"]);
    }
}
