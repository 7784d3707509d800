//! Values on the terminal: grids as pictures, everything else as text.

use std::fmt::Write;

use arcbatt::palette::{CLASSIC, ink};
use arcbatt::sheet::{Field, Style};
use arcbatt::value::{Grid, Value};

/// Renders a value as lines: a grid as coloured cells or, without colours, as digits.
pub(crate) fn render(value: Value<'_>, colored: bool) -> Vec<String> {
    match value {
        Value::Grid(grid) => rows(grid, colored),
        other => vec![other.to_string()],
    }
}

/// Arranges blocks of lines side by side, each below its title.
pub(crate) fn side_by_side(blocks: &[(String, Vec<String>)]) -> Vec<String> {
    side_by_side_with(blocks, 3)
}

/// Arranges blocks of lines side by side, with `gap` spaces in between.
pub(crate) fn side_by_side_with(blocks: &[(String, Vec<String>)], gap: usize) -> Vec<String> {
    let height = blocks.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
    let mut out = vec![String::new(); height + 1];
    for (i, block) in blocks.iter().enumerate() {
        let (title, lines) = block;
        let width = block_width(block);
        let last = i + 1 == blocks.len();
        for (row, line) in std::iter::once(title).chain(lines).enumerate() {
            out[row].push_str(line);
            let pad = width - visible_width(line);
            out[row].push_str(&" ".repeat(if last { 0 } else { pad + gap }));
        }
        if !last {
            out[lines.len() + 1..].iter_mut().for_each(|row| row.push_str(&" ".repeat(width + gap)));
        }
    }
    out.iter_mut().for_each(|row| row.truncate(row.trim_end().len()));
    out
}

/// Returns the width of a block, in characters.
pub(crate) fn block_width((title, lines): &(String, Vec<String>)) -> usize {
    std::iter::once(title).chain(lines).map(|line| visible_width(line)).max().unwrap_or(0)
}

/// Renders a grid with marked cells: as coloured cells or, without a style, as digits with a star after marked ones.
pub(crate) fn field(field: &Field, marks: &[(usize, usize)], style: Option<Style>) -> Vec<String> {
    let digits = field.cells.iter().map(|cell| cell.to_string().len()).max().unwrap_or(1);
    let line = |(row, cells): (usize, &[i8])| {
        let mut line = String::new();
        for (col, &cell) in cells.iter().enumerate() {
            let marked = marks.binary_search(&(row, col)).is_ok();
            match style.and_then(|style| Some((style.digits, style.palette.color(cell)?))) {
                Some((digits, color)) => line.push_str(&colored_cell(cell, color, digits, marked)),
                None if style.is_some() => {
                    write!(line, "{cell:>2}").expect("writing to a string cannot fail")
                }
                None => {
                    let mark = if marked { "*" } else { " " };
                    write!(line, "{cell:>digits$}{mark}").expect("writing to a string cannot fail");
                }
            }
        }
        line.truncate(line.trim_end().len());
        line
    };
    field.rows().enumerate().map(line).collect()
}

/// Renders a coloured cell, two characters wide.
fn colored_cell(cell: i8, color: (u8, u8, u8), digits: bool, marked: bool) -> String {
    let text = match (digits, marked) {
        (false, false) => "  ".to_owned(),
        (false, true) => "><".to_owned(),
        (true, false) => format!("{cell} "),
        (true, true) => format!("{cell}<"),
    };
    let ((r, g, b), (ink_r, ink_g, ink_b)) = (color, ink(color));
    format!("\x1b[48;2;{r};{g};{b};38;2;{ink_r};{ink_g};{ink_b}m{text}\x1b[0m")
}

fn rows(grid: &Grid<'_>, colored: bool) -> Vec<String> {
    let width = grid.cells().iter().map(|cell| cell.to_string().len()).max().unwrap_or(1);
    grid.rows()
        .map(|row| {
            let mut line = String::new();
            for (col, &cell) in row.iter().enumerate() {
                match CLASSIC.color(cell) {
                    Some((r, g, b)) if colored => {
                        write!(line, "\x1b[48;2;{r};{g};{b}m  \x1b[0m")
                            .expect("writing to a string cannot fail");
                    }
                    _ if colored => write!(line, "{cell:>2}").expect("writing to a string cannot fail"),
                    _ => {
                        let space = if col == 0 { "" } else { " " };
                        write!(line, "{space}{cell:>width$}").expect("writing to a string cannot fail");
                    }
                }
            }
            line
        })
        .collect()
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

/// Formats at most about `max` characters of a value, without formatting all of a large one.
pub(crate) fn cut_value(value: Value<'_>, max: usize) -> String {
    struct Limited {
        text: String,
        left: usize,
    }
    impl Write for Limited {
        fn write_str(&mut self, piece: &str) -> std::fmt::Result {
            self.left = self.left.checked_sub(piece.len()).ok_or(std::fmt::Error)?;
            self.text.push_str(piece);
            Ok(())
        }
    }
    let mut limited = Limited { text: String::new(), left: max };
    match write!(limited, "{value}") {
        Ok(()) => limited.text,
        Err(_) => limited.text + "…",
    }
}

/// Cuts a text to at most `max` characters, with an ellipsis.
pub(crate) fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_arranged_side_by_side() {
        let block = |title: &str, lines: &[&str]| {
            (title.to_owned(), lines.iter().map(|line| (*line).to_owned()).collect())
        };
        let lines =
            side_by_side(&[block("in", &["\x1b[48;2;0;0;0m  \x1b[0m"]), block("output", &["1 2", "3 4"])]);
        assert_eq!(lines, ["in   output", "\x1b[48;2;0;0;0m  \x1b[0m   1 2", "     3 4"]);
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
    }
}
