//! The language in the page: primitives with pictures of their examples, and named constants.

use std::sync::OnceLock;

use arcbatt::dsl::{self, Limits, registry};
use arcbatt::value::{Arena, parse};
use serde::Serialize;

use crate::drawing::Drawing;

#[derive(Serialize)]
pub(crate) struct Primitive {
    name: &'static str,
    family: &'static str,
    signature: String,
    docs: String,
    examples: Vec<Example>,
}

/// A line `call = value` or `call ! failure`.
#[derive(Serialize)]
struct Example {
    text: &'static str,
    /// The same line with values as pictures. Empty if no value can be drawn.
    parts: Vec<ExamplePart>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ExamplePart {
    Text(&'static str),
    Picture(Drawing),
}

#[derive(Serialize)]
pub(crate) struct Constant {
    name: &'static str,
    /// `None` for options of learners, whose values mean nothing to people.
    value: Option<String>,
}

pub(crate) fn primitives() -> &'static [Primitive] {
    static PRIMITIVES: OnceLock<Vec<Primitive>> = OnceLock::new();
    let primitive = |it: &dsl::Primitive| Primitive {
        name: it.name,
        family: it.family.name,
        signature: it.signature(),
        docs: it.prose(),
        examples: it
            .examples()
            .map(|line| Example { text: line.trim(), parts: parts(line.trim()) })
            .collect(),
    };
    PRIMITIVES.get_or_init(|| registry().iter().map(primitive).collect())
}

pub(crate) fn constants() -> Vec<Constant> {
    let value = |it: &dsl::Constant| (it.family != dsl::ConstantFamily::Learn).then(|| it.value.to_string());
    dsl::constants().iter().map(|it| Constant { name: it.name, value: value(it) }).collect()
}

/// Replaces the grids, objects and indices in an example by pictures.
fn parts(line: &'static str) -> Vec<ExamplePart> {
    let arena = Arena::new(Limits::STANDARD.caps);
    let mut parts = Vec::new();
    let mut text = 0;
    let mut at = 0;
    while let Some(found) = line[at..].find(['[', '{']) {
        let start = at + found;
        let picture = closing(line, start).and_then(|end| {
            let value = parse(&line[start..end], &arena, &dsl::symbol).ok()?;
            Some((end, Drawing::new(value))).filter(|(_, drawing)| drawing.is_picture())
        });
        match picture {
            Some((end, drawing)) => {
                parts.extend((text < start).then(|| ExamplePart::Text(&line[text..start])));
                parts.push(ExamplePart::Picture(drawing));
                (text, at) = (end, end);
            }
            // It may have a member that can be drawn.
            None => at = start + 1,
        }
    }
    if !parts.is_empty() && text < line.len() {
        parts.push(ExamplePart::Text(&line[text..]));
    }
    parts
}

/// Returns the end of the value whose bracket opens at `start`.
fn closing(line: &str, start: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, c) in line[start..].char_indices() {
        match c {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(start + i + c.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_show_grids_and_objects_as_pictures() {
        let shown = |line| {
            let text = |part: &ExamplePart| match part {
                ExamplePart::Text(text) => (*text).to_owned(),
                ExamplePart::Picture(_) => "▦".to_owned(),
            };
            parts(line).iter().map(text).collect::<Vec<_>>().join("~")
        };
        assert_eq!(shown("rot90([1 0 | 0 1]) = [0 1 | 1 0]"), "rot90(~▦~) = ~▦");
        assert_eq!(shown("shift({(1, (0, 0))}, (1, 2)) = {(1, (1, 2))}"), "shift(~▦~, (1, 2)) = ~▦");
        assert_eq!(shown("add(1, 2) = 3"), "");
        assert_eq!(shown("order({1, 2}, identity) = (1, 2)"), "");
        let drawn =
            primitives().iter().filter(|it| it.examples.iter().any(|example| !example.parts.is_empty()));
        assert!(drawn.count() > 100);
    }
}
