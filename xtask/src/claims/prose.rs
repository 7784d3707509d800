//! Finds sentences with figures in a text.

use std::iter;

/// Matches a figure: a number or a word.
const FIGURE: &str = "{}";
/// Matches any text, as short as possible. It distinguishes places that otherwise read the same.
const ANYTHING: &str = "{…}";

/// A text without markup: `*` and backticks are dropped, and any white space is one space. A pattern is
/// written like this, and so it survives changed line breaks, column widths and emphasis.
pub(super) struct Prose {
    chars: Vec<char>,
    /// The line of each character, from 1.
    lines: Vec<usize>,
}

/// A place that matches a pattern.
#[derive(Debug, PartialEq)]
pub(super) struct Match {
    pub(super) line: usize,
    pub(super) figures: Vec<String>,
}

impl Prose {
    pub(super) fn new(text: &str) -> Prose {
        let (mut chars, mut lines) = (Vec::new(), Vec::new());
        for (line, text) in iter::zip(1.., text.lines()) {
            for char in text.chars().chain(iter::once(' ')).filter(|char| !matches!(char, '*' | '`')) {
                if char.is_whitespace() && chars.last() == Some(&' ') {
                    continue;
                }
                chars.push(if char.is_whitespace() { ' ' } else { char });
                lines.push(line);
            }
        }
        Prose { chars, lines }
    }

    /// Returns all places that match a pattern.
    pub(super) fn find(&self, pattern: &str) -> Vec<Match> {
        let pattern = pieces(pattern);
        let found = |start: usize| {
            let figures = self.match_at(start, &pattern)?;
            Some(Match { line: self.lines[start], figures })
        };
        (0..self.chars.len()).filter_map(found).collect()
    }

    /// Returns the figures if the pattern matches here.
    fn match_at(&self, at: usize, pattern: &[Piece]) -> Option<Vec<String>> {
        let Some((piece, rest)) = pattern.split_first() else { return Some(Vec::new()) };
        match piece {
            Piece::Text(text) => {
                self.chars[at..].starts_with(text).then(|| self.match_at(at + text.len(), rest))?
            }
            Piece::Anything => (at..self.chars.len()).find_map(|at| self.match_at(at, rest)),
            Piece::Figure => {
                // A figure is matched as a whole.
                let inside = at > 0 && self.in_figure(at - 1) && self.in_figure(at);
                let end = (at..self.chars.len()).find(|at| !self.in_figure(*at)).unwrap_or(self.chars.len());
                if inside || end == at {
                    return None;
                }
                let figure = self.chars[at..end].iter().collect();
                Some(iter::once(figure).chain(self.match_at(end, rest)?).collect())
            }
        }
    }

    /// Whether the character belongs to a number or a word. Points and commas belong to it between digits.
    fn in_figure(&self, at: usize) -> bool {
        let is_digit =
            |at: Option<usize>| at.and_then(|at| self.chars.get(at)).is_some_and(char::is_ascii_digit);
        match self.chars[at] {
            '.' | ',' => is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1)),
            char => char.is_alphanumeric() || char == '_',
        }
    }
}

enum Piece {
    Text(Vec<char>),
    Figure,
    Anything,
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (i, part) in pattern.split(ANYTHING).enumerate() {
        if i > 0 {
            pieces.push(Piece::Anything);
        }
        for (i, part) in part.split(FIGURE).enumerate() {
            if i > 0 {
                pieces.push(Piece::Figure);
            }
            pieces.push(Piece::Text(part.chars().collect()));
        }
    }
    pieces
}

/// Returns a pattern with figures in their places.
pub(super) fn fill(pattern: &str, figures: &[String]) -> String {
    let mut figures = figures.iter();
    let mut text = String::new();
    for (i, part) in pattern.split(FIGURE).enumerate() {
        if i > 0 {
            text += figures.next().map_or("?", String::as_str);
        }
        text += part;
    }
    text.replace(ANYTHING, "…")
}

/// Whether two figures are the same number or word: `9,861` and `9861`, `One` and `1`.
pub(super) fn same(a: &str, b: &str) -> bool {
    const WORDS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let plain = |figure: &str| {
        let figure = figure.to_lowercase().replace(',', "");
        WORDS.iter().position(|word| *word == figure).map_or(figure, |number| number.to_string())
    };
    plain(a) == plain(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, pattern: &str) -> Vec<(usize, String)> {
        let matches = Prose::new(text).find(pattern);
        matches.into_iter().map(|it| (it.line, it.figures.join(" "))).collect()
    }

    #[test]
    fn figures_are_found_across_lines_and_markup() {
        let text = "Tests check\n**9,861   answers**, and `19` of\nthem. It has 16 bytes.\n";
        assert_eq!(find(text, "check {} answers, and {} of them"), [(1, "9,861 19".to_owned())]);
        assert_eq!(find(text, "has {} bytes"), [(3, "16".to_owned())]);
        assert_eq!(find(text, "has {} words"), []);
    }

    #[test]
    fn figures_are_matched_as_a_whole() {
        assert_eq!(find("302 of 416.", "{} of {}"), [(1, "302 416".to_owned())]);
        assert_eq!(find("7.69 %, over 400", "{} %"), [(1, "7.69".to_owned())]);
        assert_eq!(find("One `unsafe`: this", "{} unsafe:"), [(1, "One".to_owned())]);
        assert_eq!(find("|54783|13|", "|{}|{}|"), [(1, "54783 13".to_owned())]);
    }

    #[test]
    fn anything_tells_equal_places_apart() {
        let text = "first | 1 of 2 |\nwith it | 3 of 4 |\nsecond | 5 of 6 |\nwith it | 7 of 8 |";
        assert_eq!(find(text, "with it | {} of {}").len(), 2);
        assert_eq!(find(text, "first {…} with it | {} of {}"), [(1, "3 4".to_owned())]);
        assert_eq!(find(text, "second {…} with it | {} of {}"), [(3, "7 8".to_owned())]);
    }

    #[test]
    fn figures_are_compared_as_numbers() {
        assert!(same("9,861", "9861") && same("One", "1") && same("e40b9e2f", "e40b9e2f"));
        assert!(!same("9,861", "9862") && !same("84.81", "8481"));
        assert_eq!(fill("{} of {…} tasks: {}", &["1".into(), "2".into()]), "1 of … tasks: 2");
    }
}
