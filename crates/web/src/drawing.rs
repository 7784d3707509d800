//! Drawings of values as JSON for the page.

use arcbatt::drawing::{self, Patch, Spot};
use arcbatt::value::Value;
use serde::Serialize;

/// A value with a description in words, such as `3 objects`.
#[derive(Serialize)]
pub(crate) struct Drawing {
    about: String,
    #[serde(flatten)]
    shape: Shape,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    /// Rows of colours.
    Grid {
        rows: Vec<Vec<i8>>,
    },
    /// Objects or indices. Each is a list of colour, row and column; the colour of an index is -1.
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

impl Drawing {
    pub(crate) fn new(value: Value<'_>) -> Drawing {
        Drawing::of(&drawing::Drawing::new(value))
    }

    fn of(drawing: &drawing::Drawing<'_>) -> Drawing {
        let about = drawing.words.clone();
        let shape = match &drawing.shape {
            drawing::Shape::Grid(grid) if grid.height().max(grid.width()) > drawing::Drawing::MAX_SIDE => {
                Shape::Text { text: about.clone() }
            }
            drawing::Shape::Grid(grid) => Shape::Grid { rows: grid.rows().map(<[i8]>::to_vec).collect() },
            drawing::Shape::Patches { patches, more, .. } => {
                Shape::Patches { patches: patches.iter().map(cells).collect(), more: *more }
            }
            drawing::Shape::List { items, more } => {
                Shape::List { items: items.iter().map(Drawing::of).collect(), more: *more }
            }
            drawing::Shape::Number(value) => Shape::Number { value: *value },
            drawing::Shape::Text(text) => Shape::Text { text: text.clone() },
        };
        Drawing { about, shape }
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

fn cells(patch: &Patch) -> Vec<[i64; 3]> {
    let color = |spot: Spot| if let Spot::Color(color) = spot { color.into() } else { -1 };
    patch.iter().map(|(place, spot)| [color(*spot), place.row(), place.col()]).collect()
}

#[cfg(test)]
mod tests {
    use arcbatt::value::{Arena, parse};
    use serde_json::{Value as Json, json};

    use super::*;

    fn check(text: &str, about: &str, shape: Json) {
        let arena = Arena::new(arcbatt::dsl::Limits::STANDARD.caps);
        let value = parse(text, &arena, &arcbatt::dsl::symbol).unwrap();
        let mut drawn = serde_json::to_value(Drawing::new(value)).unwrap();
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
        let indices = json!({ "kind": "patches", "patches": [[[-1, 0, 1], [-1, 2, 3]]], "more": 0 });
        check("{(0, 1), (2, 3)}", "2 indices", indices);
        let objects = json!({ "kind": "patches", "patches": [[[1, 0, 0]], [[2, 3, 3]]], "more": 0 });
        check("{{(1, (0, 0))}, {(2, (3, 3))}}", "2 objects", objects);
        let grid = json!({ "about": "1×1 grid", "kind": "grid", "rows": [[4]] });
        check("([4], [4])", "2 grids", json!({ "kind": "list", "items": [grid, grid], "more": 0 }));
    }

    #[test]
    fn large_grids_are_described() {
        let row = |n: usize| format!("[{}]", ["0"; 100][..n].join(" "));
        check(&row(60), "1×60 grid", json!({ "kind": "grid", "rows": [vec![0; 60]] }));
        check(&row(61), "1×61 grid", json!({ "kind": "text", "text": "1×61 grid" }));
    }
}
