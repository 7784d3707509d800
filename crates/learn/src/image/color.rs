//! Colours: names, counts, maps.

use super::{Image, OUTSIDE};

const COLOR_NAMES: [&str; 10] =
    ["black", "blue", "red", "green", "yellow", "grey", "pink", "orange", "cyan", "brown"];

/// The names of colours in the language.
const COLOR_CONSTANTS: [&str; 10] =
    ["BLACK", "BLUE", "RED", "GREEN", "YELLOW", "GRAY", "MAGENTA", "ORANGE", "CYAN", "BURGUNDY"];

/// A colour in words; [`OUTSIDE`] is the border.
pub(crate) fn color_name(color: u8) -> &'static str {
    match COLOR_NAMES.get(usize::from(color)) {
        Some(words) => words,
        None if color == OUTSIDE => "the border",
        None => "nothing",
    }
}

/// A colour as the language's constant.
pub(crate) fn color_constant(color: u8) -> &'static str {
    COLOR_CONSTANTS[usize::from(color)]
}

/// Returns the colour with the highest count above 0, the smaller one of equals.
pub(crate) fn most_frequent(counts: &[usize; 10], allowed: impl Fn(u8) -> bool) -> Option<u8> {
    let colors = (0..10u8).filter(|&color| allowed(color) && counts[usize::from(color)] > 0);
    colors.max_by_key(|&color| (counts[usize::from(color)], 10 - color))
}

/// Returns the colour with the lowest count above 0, the smaller one of equals.
pub(crate) fn least_frequent(counts: &[usize; 10], allowed: impl Fn(u8) -> bool) -> Option<u8> {
    let colors = (0..10u8).filter(|&color| allowed(color) && counts[usize::from(color)] > 0);
    colors.min_by_key(|&color| counts[usize::from(color)])
}

/// A map from each colour to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ColorMap(pub [u8; 10]);

impl ColorMap {
    pub(crate) const IDENTITY: ColorMap = ColorMap([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);

    /// Finds the map that turns the first image of every pair into the second. Colours that do not occur stay.
    pub(crate) fn between<'p>(pairs: impl Iterator<Item = (&'p Image, &'p Image)>) -> Option<ColorMap> {
        let mut table = [u8::MAX; 10];
        for (from, to) in pairs {
            if !from.same_size(to) {
                return None;
            }
            for (&a, &b) in from.cells.iter().zip(&to.cells) {
                let entry = &mut table[usize::from(a)];
                if *entry != u8::MAX && *entry != b {
                    return None;
                }
                *entry = b;
            }
        }
        for (color, entry) in table.iter_mut().enumerate() {
            if *entry == u8::MAX {
                *entry = color as u8;
            }
        }
        Some(ColorMap(table))
    }

    pub(crate) fn of(&self, color: u8) -> u8 {
        self.0[usize::from(color)]
    }

    pub(crate) fn inverse(&self) -> ColorMap {
        let mut inverse = [0; 10];
        for (color, &to) in self.0.iter().enumerate() {
            inverse[usize::from(to)] = color as u8;
        }
        ColorMap(inverse)
    }

    /// The colours that change, each with the colour it becomes.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (u8, u8)> {
        (0..10).zip(self.0).filter(|(from, to)| from != to)
    }

    pub(crate) fn words(&self) -> String {
        let words: Vec<String> = self
            .changes()
            .map(|(from, to)| format!("{} becomes {}", color_name(from), color_name(to)))
            .collect();
        if words.is_empty() { "colours stay".to_owned() } else { words.join(", ") }
    }
}
