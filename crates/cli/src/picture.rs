//! Values for people: grids as pictures, everything else as text.

use std::fmt::Write;

use arcbatt::palette::{CLASSIC, ink};
use arcbatt::sheet::{Field, Look};
use arcbatt::value::{Grid, Value};

/// A value over as many lines as it takes: a grid as coloured cells, or as digits without colour.
pub(crate) fn render(value: Value<'_>, colored: bool) -> Vec<String> {
    match value {
        Value::Grid(grid) => rows(grid, colored),
        other => vec![other.to_string()],
    }
}

/// Blocks of lines next to each other, each under its title.
pub(crate) fn beside(blocks: &[(String, Vec<String>)]) -> Vec<String> {
    beside_with(blocks, 3)
}

/// Blocks of lines with `gap` spaces in between.
pub(crate) fn beside_with(blocks: &[(String, Vec<String>)], gap: usize) -> Vec<String> {
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

/// How many characters a block takes from left to right.
pub(crate) fn block_width((title, lines): &(String, Vec<String>)) -> usize {
    std::iter::once(title).chain(lines).map(|line| visible_width(line)).max().unwrap_or(0)
}

/// A grid with some of its cells marked: as coloured cells, or without a look as digits with a star behind the marked
/// ones.
pub(crate) fn field(field: &Field, marks: &[(usize, usize)], look: Option<Look>) -> Vec<String> {
    let digits = field.cells.iter().map(|cell| cell.to_string().len()).max().unwrap_or(1);
    let line = |(row, cells): (usize, &[i8])| {
        let mut line = String::new();
        for (col, &cell) in cells.iter().enumerate() {
            let marked = marks.binary_search(&(row, col)).is_ok();
            match look.and_then(|look| Some((look.digits, look.palette.color(cell)?))) {
                Some((digits, color)) => line.push_str(&painted(cell, color, digits, marked)),
                None if look.is_some() => write!(line, "{cell:>2}").expect("a string takes all"),
                None => {
                    let mark = if marked { "*" } else { " " };
                    write!(line, "{cell:>digits$}{mark}").expect("a string takes all");
                }
            }
        }
        line.truncate(line.trim_end().len());
        line
    };
    field.rows().enumerate().map(line).collect()
}

/// A coloured cell, two characters wide.
fn painted(cell: i8, color: (u8, u8, u8), digits: bool, marked: bool) -> String {
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
                        write!(line, "\x1b[48;2;{r};{g};{b}m  \x1b[0m").expect("a string takes all");
                    }
                    _ if colored => write!(line, "{cell:>2}").expect("a string takes all"),
                    _ => {
                        let space = if col == 0 { "" } else { " " };
                        write!(line, "{space}{cell:>width$}").expect("a string takes all");
                    }
                }
            }
            line
        })
        .collect()
}

/// Characters without the colour codes.
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

/// The text of a value, at most about `max` characters of it: a large value is not written out first.
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

/// A text of at most `max` characters, cut with an ellipsis.
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
    fn blocks_stand_beside_each_other() {
        let block = |title: &str, lines: &[&str]| {
            (title.to_owned(), lines.iter().map(|line| (*line).to_owned()).collect())
        };
        let lines = beside(&[block("in", &["\x1b[48;2;0;0;0m  \x1b[0m"]), block("output", &["1 2", "3 4"])]);
        assert_eq!(lines, ["in   output", "\x1b[48;2;0;0;0m  \x1b[0m   1 2", "     3 4"]);
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
    }
}
