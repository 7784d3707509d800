//! The colours that the terminal can show. All commands decide this here.

use std::io;

use anstream::ColorChoice;
use arcbatt::palette::{Rgb, ink};

/// The colours that a stream can show.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Colors {
    /// No colours: not a terminal, or the user wants none.
    None,
    /// The terminal's own 16 colours.
    Sixteen,
    /// 256 fixed colours.
    Indexed,
    /// 24 bits.
    True,
}

/// The part of a character that a colour is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Layer {
    Text,
    Background,
}

impl Colors {
    /// Returns the colours of standard output.
    pub(crate) fn of_stdout() -> Colors {
        Colors::of(anstream::AutoStream::choice(&io::stdout()))
    }

    /// Returns the colours of standard error.
    pub(crate) fn of_stderr() -> Colors {
        Colors::of(anstream::AutoStream::choice(&io::stderr()))
    }

    /// Adds the number of colours to a choice that anstream made: whether the stream is a terminal, and what `NO_COLOR`,
    /// `CLICOLOR`, `CLICOLOR_FORCE` and `TERM=dumb` ask for.
    fn of(choice: ColorChoice) -> Colors {
        let variable = |name| std::env::var(name).unwrap_or_default();
        match choice {
            ColorChoice::Never => Colors::None,
            _ => Colors::named(&variable("COLORTERM"), &variable("TERM")),
        }
    }

    /// Returns the colours of a terminal with these environment variables.
    fn named(colorterm: &str, term: &str) -> Colors {
        match term {
            _ if matches!(colorterm, "truecolor" | "24bit") => Colors::True,
            "linux" | "ansi" | "cygwin" => Colors::Sixteen,
            _ if term.starts_with("vt") => Colors::Sixteen,
            _ if term.ends_with("-16color") || term.ends_with("-8color") => Colors::Sixteen,
            _ => Colors::Indexed,
        }
    }

    /// Returns the parameters of the escape sequence for cell `cell` of colour `color`.
    pub(crate) fn cell(self, cell: i8, color: Rgb, layer: Layer) -> String {
        match self {
            Colors::None => String::new(),
            Colors::Sixteen => {
                let index = usize::try_from(cell).ok().and_then(|cell| SIXTEEN.get(cell)).unwrap_or(&7);
                sixteen(*index, layer)
            }
            _ => self.fixed(color, layer),
        }
    }

    /// Returns the parameters for black or white text, whichever is readable on a cell.
    pub(crate) fn ink(self, color: Rgb) -> String {
        let ink = ink(color);
        match self {
            Colors::None => String::new(),
            Colors::Sixteen => sixteen(if ink == (0, 0, 0) { 0 } else { 15 }, Layer::Text),
            _ => self.fixed(ink, Layer::Text),
        }
    }

    fn fixed(self, color: Rgb, layer: Layer) -> String {
        let first = if layer == Layer::Text { 38 } else { 48 };
        match (self, color) {
            (Colors::True, (r, g, b)) => format!("{first};2;{r};{g};{b}"),
            _ => format!("{first};5;{}", nearest(color)),
        }
    }
}

/// The colours 0 to 9 among the 16 of a terminal: all different, close to those of the classic palette.
const SIXTEEN: [u8; 10] = [0, 4, 9, 2, 11, 7, 5, 3, 14, 1];

/// Returns the parameter for one of the 16 colours.
fn sixteen(index: u8, layer: Layer) -> String {
    let first = match (index, layer) {
        (..8, Layer::Text) => 30,
        (..8, Layer::Background) => 40,
        (_, Layer::Text) => 90 - 8,
        (_, Layer::Background) => 100 - 8,
    };
    (first + index).to_string()
}

/// Returns the index of the nearest of the 256 colours. The first 16 are left out, because users change them.
fn nearest(color: Rgb) -> u8 {
    let distance = |index: &u8| {
        let (r, g, b) = indexed(*index);
        let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        square(r, color.0) + square(g, color.1) + square(b, color.2)
    };
    (16..=255).min_by_key(distance).unwrap_or(16)
}

/// Returns one of the colours 16 to 255: a cube with six steps, then grays.
fn indexed(index: u8) -> Rgb {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    if index >= 232 {
        let gray = 8 + 10 * (index - 232);
        return (gray, gray, gray);
    }
    let step = |n: u8| STEPS[usize::from(n % 6)];
    let cube = index - 16;
    (step(cube / 36), step(cube / 6), step(cube))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use arcbatt::palette;

    use super::*;

    #[test]
    fn only_colorterm_promises_24_bits() {
        for (colorterm, term, colors) in [
            ("truecolor", "xterm-256color", Colors::True),
            ("24bit", "linux", Colors::True),
            ("", "xterm-256color", Colors::Indexed),
            ("yes", "xterm-direct", Colors::Indexed),
            ("", "xterm", Colors::Indexed),
            ("", "", Colors::Indexed),
            ("", "linux", Colors::Sixteen),
            ("", "xterm-16color", Colors::Sixteen),
            ("", "vt220", Colors::Sixteen),
        ] {
            assert_eq!(Colors::named(colorterm, term), colors, "{colorterm:?} {term:?}");
        }
    }

    #[test]
    fn colours_stay_different_with_few_colours() {
        for palette in palette::ALL {
            for colors in [Colors::Sixteen, Colors::Indexed, Colors::True] {
                for layer in [Layer::Text, Layer::Background] {
                    let cells = palette.colors.iter().zip(0..);
                    let codes: BTreeSet<String> =
                        cells.map(|(color, cell)| colors.cell(cell, *color, layer)).collect();
                    assert_eq!(codes.len(), 10, "{} {colors:?}: {codes:?}", palette.name);
                }
            }
        }
    }

    #[test]
    fn colours_have_their_usual_codes() {
        let red = (0xff, 0, 0);
        assert_eq!(Colors::True.cell(2, red, Layer::Background), "48;2;255;0;0");
        assert_eq!(Colors::Indexed.cell(2, red, Layer::Text), "38;5;196");
        assert_eq!(Colors::Sixteen.cell(2, red, Layer::Background), "101");
        assert_eq!(Colors::Sixteen.cell(9, red, Layer::Text), "31");
        assert_eq!(nearest((0x80, 0x80, 0x80)), 244);
        assert_eq!((nearest((0, 0, 0)), nearest((255, 255, 255))), (16, 231));
    }
}
