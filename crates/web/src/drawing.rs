//! Values in a form that the page draws: grids, objects and masks as pictures, everything else as text.

use std::fmt::{self, Write};

use arcbatt::base::number::count;
use arcbatt::value::{Arena, Value};
use serde::Serialize;

/// A value with a description in words, such as `3 objects`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Drawing {
    about: String,
    #[serde(flatten)]
    shape: Shape,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    /// Rows of colours.
    Grid {
        rows: Vec<Vec<i8>>,
    },
    /// Objects or sets of indices. Each is a list of colour, row and column; the colour of an index is -1.
    Patches {
        patches: Vec<Vec<[i64; 3]>>,
        /// Number of patches that are left out.
        more: usize,
    },
    /// A tuple or set of values that can be drawn.
    List {
        items: Vec<Drawing>,
        /// Number of values that are left out.
        more: usize,
    },
    Number {
        value: i64,
    },
    /// A value as text.
    Text {
        text: String,
    },
    /// A description for people.
    Words {
        text: String,
    },
}

/// Limits of a drawing, so that the page stays fast. Larger values are cut or described.
const MAX_SIDE: usize = 60;
const MAX_PATCHES: usize = 200;
const MAX_CELLS: usize = 3600;
const MAX_ITEMS: usize = 12;
const MAX_TEXT: usize = 240;
/// Lists in lists are drawn, such as the demonstration pairs.
const MAX_DEPTH: usize = 2;

impl Drawing {
    pub(crate) fn new(value: Value<'_>, arena: &Arena) -> Drawing {
        Drawing::at_depth(value, arena, 0)
    }

    fn at_depth(value: Value<'_>, arena: &Arena, depth: usize) -> Drawing {
        picture(value, arena, depth).unwrap_or_else(|| {
            let about = match (value, value.len()) {
                (Value::Prim(_) | Value::Func(_), _) => "function".to_owned(),
                (_, Some(0)) if value.is_set() => "empty set".to_owned(),
                (_, Some(n)) if value.is_set() => format!("set of {n}"),
                (Value::Pair(_) | Value::Cell(_), _) | (_, None) => value.to_string(),
                (_, Some(n)) => format!("tuple of {n}"),
            };
            let shape = match value {
                Value::Int(value) => Shape::Number { value },
                _ => Shape::Text { text: cut(value) },
            };
            Drawing { about, shape }
        })
    }

    /// Shows words instead of a value.
    pub(crate) fn words(about: &str, text: String) -> Drawing {
        Drawing { about: about.to_owned(), shape: Shape::Words { text } }
    }

    /// Returns whether it is a picture, not text.
    pub(crate) fn is_picture(&self) -> bool {
        matches!(self.shape, Shape::Grid { .. } | Shape::Patches { .. } | Shape::List { .. })
    }
}

/// Draws a grid, a patch, or a tuple or set of them. Returns `None` for other values.
fn picture(value: Value<'_>, arena: &Arena, depth: usize) -> Option<Drawing> {
    if let Value::Grid(grid) = value {
        let about = format!("{}×{} grid", grid.height(), grid.width());
        if grid.height() > MAX_SIDE || grid.width() > MAX_SIDE {
            return Some(Drawing { shape: Shape::Text { text: about.clone() }, about });
        }
        return Some(Drawing {
            about,
            shape: Shape::Grid { rows: grid.rows().map(<[i8]>::to_vec).collect() },
        });
    }
    if let Some((patch, is_object)) = patch(value, arena) {
        let about = match is_object {
            true => format!("object, {}", count(patch.len(), "cell")),
            false => format!("{} indices", patch.len()),
        };
        return Some(Drawing { about, shape: Shape::Patches { patches: vec![patch], more: 0 } });
    }
    let n = value.len().filter(|n| *n > 0)?;
    if matches!(value, Value::Pair(_) | Value::Cell(_) | Value::Row(_)) || depth >= MAX_DEPTH {
        return None;
    }
    let patches: Option<Vec<_>> =
        value.items(arena)?.take(MAX_PATCHES).map(|item| patch(item, arena)).collect();
    if let Some(mut patches) = patches {
        let objects = patches.iter().all(|(_, is_object)| *is_object);
        let mut left = MAX_CELLS;
        patches.retain(|(patch, _)| {
            let fits = patch.len() <= left;
            left = left.saturating_sub(patch.len());
            fits
        });
        let about = if objects { count(n, "object") } else { count(n, "mask") };
        let patches: Vec<_> = patches.into_iter().map(|(patch, _)| patch).collect();
        let more = n - patches.len();
        return Some(Drawing { about, shape: Shape::Patches { patches, more } });
    }
    let draw = |item: Value<'_>| picture(item, arena, depth + 1);
    let items: Vec<Drawing> = value.items(arena)?.take(MAX_ITEMS).map(draw).collect::<Option<_>>()?;
    let about = format!("{} of {n}", if value.is_set() { "set" } else { "tuple" });
    let more = n - items.len();
    Some(Drawing { about, shape: Shape::List { items, more } })
}

/// Returns the cells of an object, or of a set of indices, and whether it is an object.
fn patch(value: Value<'_>, arena: &Arena) -> Option<(Vec<[i64; 3]>, bool)> {
    if !value.is_set() || !value.len().is_some_and(|n| (1..=MAX_CELLS).contains(&n)) {
        return None;
    }
    let cell = |item: Value<'_>| match item {
        Value::Cell(cell) => Some(([cell.color(), cell.row(), cell.col()], true)),
        Value::Pair(pair) => Some(([-1, pair.row(), pair.col()], false)),
        _ => None,
    };
    let cells: Vec<_> = value.items(arena)?.map(cell).collect::<Option<_>>()?;
    let is_object = cells.first().is_some_and(|(_, is_cell)| *is_cell);
    let same = cells.iter().all(|(_, is_cell)| *is_cell == is_object);
    same.then(|| (cells.into_iter().map(|(cell, _)| cell).collect(), is_object))
}

/// Prints the start of a value, without printing all of a large one. Pictures inside functions are described.
fn cut(value: Value<'_>) -> String {
    struct Limited(String);
    impl Write for Limited {
        fn write_str(&mut self, piece: &str) -> fmt::Result {
            self.0.push_str(piece);
            if self.0.len() > MAX_TEXT { Err(fmt::Error) } else { Ok(()) }
        }
    }
    fn print(value: Value<'_>, out: &mut Limited) -> fmt::Result {
        match value {
            Value::Grid(grid) => write!(out, "{}×{} grid", grid.height(), grid.width()),
            Value::Patch(patch) => write!(out, "{} cells", patch.count()),
            Value::Func(closure) => {
                write!(out, "{}(", closure.op.name())?;
                for (i, captured) in closure.captured.iter().enumerate() {
                    out.write_str(if i == 0 { "" } else { ", " })?;
                    print(*captured, out)?;
                }
                out.write_str(")")
            }
            _ => write!(out, "{value}"),
        }
    }
    let mut limited = Limited(String::new());
    match print(value, &mut limited) {
        Ok(()) => limited.0,
        Err(_) => limited.0.chars().take(MAX_TEXT).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use arcbatt::value::{Arena, parse};
    use serde_json::{Value as Json, json};

    use super::*;

    fn check(text: &str, about: &str, shape: Json) {
        let arena = Arena::new(arcbatt::dsl::Limits::STANDARD.caps);
        let value = parse(text, &arena, &arcbatt::dsl::symbol).unwrap();
        let mut drawn = serde_json::to_value(Drawing::new(value, &arena)).unwrap();
        assert_eq!(drawn.as_object_mut().unwrap().remove("about").unwrap(), about, "{text}");
        assert_eq!(drawn, shape, "{text}");
    }

    #[test]
    fn values_are_drawn_by_their_form() {
        check("[1 0 | 0 1]", "2×2 grid", json!({ "kind": "grid", "rows": [[1, 0], [0, 1]] }));
        check("7", "7", json!({ "kind": "number", "value": 7 }));
        check("(1, 2)", "(1, 2)", json!({ "kind": "text", "text": "(1, 2)" }));
        check("{}", "empty set", json!({ "kind": "text", "text": "{}" }));
        check("rot90", "function", json!({ "kind": "text", "text": "rot90" }));
        let bound = json!({ "kind": "text", "text": "rbind(bordering, 1×2 grid)" });
        check("rbind(bordering, [1 2])", "function", bound);
        let mask = json!({ "kind": "patches", "patches": [[[-1, 0, 1], [-1, 2, 3]]], "more": 0 });
        check("{(0, 1), (2, 3)}", "2 indices", mask);
        let objects = json!({ "kind": "patches", "patches": [[[1, 0, 0]], [[2, 3, 3]]], "more": 0 });
        check("{{(1, (0, 0))}, {(2, (3, 3))}}", "2 objects", objects);
        let grid = json!({ "about": "1×1 grid", "kind": "grid", "rows": [[4]] });
        check("([4], [4])", "tuple of 2", json!({ "kind": "list", "items": [grid, grid], "more": 0 }));
    }

    #[test]
    fn large_values_are_cut() {
        let numbers: Vec<String> = (0..500).map(|i| (i * 1000).to_string()).collect();
        let arena = Arena::new(arcbatt::dsl::Limits::STANDARD.caps);
        let value = parse(&format!("({})", numbers.join(", ")), &arena, &arcbatt::dsl::symbol).unwrap();
        let Shape::Text { text } = Drawing::new(value, &arena).shape else { panic!("not a text") };
        assert!(text.chars().count() == MAX_TEXT + 1 && text.ends_with('…'), "{text}");
    }
}
