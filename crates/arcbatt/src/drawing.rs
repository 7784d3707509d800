//! Drawings of the values of a program: grids, objects and sets of places.
//!
//! ```
//! use arcbatt::drawing::{Drawing, Spot};
//! use arcbatt::task::parse_grid;
//! use arcbatt::value::Arena;
//! # use arcbatt::dsl::Limits;
//!
//! let arena = Arena::new(Limits::STANDARD.caps);
//! let grid = parse_grid(b"[[1, 0], [0, 2]]").expect("a grid");
//! let value = grid.value(&arena).expect("a small grid");
//! let drawing = Drawing::new(value, (2, 2)).expect("grids are drawn");
//! assert_eq!(drawing.words, "2×2 grid");
//! assert_eq!(drawing.canvases[0].rows().next(), Some(&[Spot::Color(1), Spot::Color(0)][..]));
//! ```

use batt_base::number::count;
use batt_task::Grid;
use batt_value::{self as value, Value};

/// A value as one or more canvases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawing {
    /// What the value is: `3×5 grid`, `4 objects`.
    pub words: String,
    pub canvases: Vec<Canvas>,
}

/// A rectangle of spots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Canvas {
    width: usize,
    spots: Vec<Spot>,
    /// Whether members of the value are outside the canvas.
    is_cut: bool,
}

/// One cell of a canvas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    /// A cell of a grid or of an object.
    Color(i8),
    /// A member of a set of places, which has no colour.
    Place,
    /// A place of the frame that is not in the value.
    Empty,
    /// Not a place of the frame.
    Outside,
}

impl Drawing {
    /// Maximum number of canvases; the others are only counted.
    const MAX_CANVASES: usize = 12;

    /// Draws a value. Objects and places are drawn on a canvas of the size of `frame`, given as height and width, or on a
    /// larger one that has them all. Objects of a set share a canvas unless they overlap. Returns `None` for values that
    /// only text can show.
    pub fn new(value: Value<'_>, frame: (usize, usize)) -> Option<Drawing> {
        let one = Shape::of(value);
        let (mut words, shapes) = match (&one, value) {
            (Some(Shape::Grid(grid)), _) => (format!("{}×{} grid", grid.height(), grid.width()), vec![value]),
            (Some(Shape::Object(cells)), _) => {
                (format!("object of {}", count(cells.len(), "cell")), vec![value])
            }
            (Some(Shape::Places(places)), _) => (count(places.len(), "place"), vec![value]),
            (None, Value::Tuple(tuple)) => (words(tuple.items())?, tuple.items().to_vec()),
            (None, Value::Set(set)) => (words(set.items())?, set.items().to_vec()),
            _ => return None,
        };
        let shared = || {
            let cells: Option<Vec<Vec<Value<'_>>>> =
                shapes.iter().map(|it| Shape::of(*it)?.cells()).collect();
            Canvas::of_cells(&cells?.concat(), frame)
        };
        let shown = &shapes[..shapes.len().min(Drawing::MAX_CANVASES)];
        let canvases = match value.is_set().then(shared).flatten() {
            Some(shared) => vec![shared],
            None => shown.iter().map(|it| Canvas::of(&Shape::of(*it)?, frame)).collect::<Option<_>>()?,
        };
        if canvases.len() > 1 && canvases.len() < shapes.len() {
            words.push_str(&format!(", the first {} drawn", shown.len()));
        }
        if canvases.iter().any(|canvas| canvas.is_cut) {
            let is_drawn = |spot: &Spot| matches!(spot, Spot::Color(_) | Spot::Place);
            let drawn = canvases.iter().any(|canvas| canvas.spots.iter().any(is_drawn));
            words.push_str(if drawn { ", partly outside" } else { ", outside" });
        }
        Some(Drawing { words, canvases })
    }
}

/// A value that can be drawn.
enum Shape<'a> {
    Grid(&'a value::Grid<'a>),
    Object(Vec<Value<'a>>),
    Places(Vec<Value<'a>>),
}

impl<'a> Shape<'a> {
    fn of(value: Value<'a>) -> Option<Shape<'a>> {
        match value {
            Value::Grid(grid) => Some(Shape::Grid(grid)),
            Value::Patch(patch) if patch.is_object() => Some(Shape::Object(patch.iter().collect())),
            Value::Patch(patch) => Some(Shape::Places(patch.iter().collect())),
            // Patches have at most 64 columns; wider ones are sets.
            Value::Set(set) => match set.items() {
                [Value::Cell(_), rest @ ..] if rest.iter().all(|it| matches!(it, Value::Cell(_))) => {
                    Some(Shape::Object(set.items().to_vec()))
                }
                [Value::Pair(_), rest @ ..] if rest.iter().all(|it| matches!(it, Value::Pair(_))) => {
                    Some(Shape::Places(set.items().to_vec()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the cells or places of a set.
    fn cells(self) -> Option<Vec<Value<'a>>> {
        match self {
            Shape::Grid(_) => None,
            Shape::Object(cells) | Shape::Places(cells) => Some(cells),
        }
    }
}

/// Counts members of one kind; `None` if they are of several kinds, or of one that is not drawn.
fn words(members: &[Value<'_>]) -> Option<String> {
    let kind = |value: &Value<'_>| match Shape::of(*value)? {
        Shape::Grid(_) => Some("grid"),
        Shape::Object(_) => Some("object"),
        Shape::Places(_) => Some("set of places"),
    };
    let first = kind(members.first()?)?;
    let same = members.iter().all(|member| kind(member) == Some(first));
    same.then(|| match (first, members.len()) {
        ("set of places", n @ 2..) => format!("{n} sets of places"),
        (kind, n) => count(n, kind),
    })
}

impl Canvas {
    /// A canvas becomes larger than its frame only up to this side. `shoot`, for example, makes lines of 43 places.
    const MAX_SIDE: i64 = Grid::MAX_SIDE as i64;

    fn of(shape: &Shape<'_>, frame: (usize, usize)) -> Option<Canvas> {
        match shape {
            Shape::Grid(grid) => {
                let spots = grid.cells().iter().map(|cell| Spot::Color(*cell)).collect();
                Some(Canvas { width: grid.width(), spots, is_cut: false })
            }
            Shape::Object(cells) | Shape::Places(cells) => Canvas::of_cells(cells, frame),
        }
    }

    /// Draws cells or places; `None` if two have the same place.
    fn of_cells(cells: &[Value<'_>], (height, width): (usize, usize)) -> Option<Canvas> {
        let (height, width) = (i64::try_from(height).ok()?, i64::try_from(width).ok()?);
        let spot = |cell: &Value<'_>| match cell {
            Value::Cell(cell) => {
                Some((cell.row(), cell.col(), Spot::Color(i8::try_from(cell.color()).ok()?)))
            }
            Value::Pair(place) => Some((place.row(), place.col(), Spot::Place)),
            _ => None,
        };
        let cells = cells.iter().map(spot).collect::<Option<Vec<_>>>()?;
        let (mut top, mut left, mut bottom, mut right) = (0, 0, height, width);
        for (row, col, _) in &cells {
            (top, left) = (top.min(*row), left.min(*col));
            (bottom, right) = (bottom.max(row + 1), right.max(col + 1));
        }
        if bottom - top > Canvas::MAX_SIDE.max(height) || right - left > Canvas::MAX_SIDE.max(width) {
            (top, left, bottom, right) = (0, 0, height, width);
        }
        let in_frame = |row: i64, col: i64| (0..height).contains(&row) && (0..width).contains(&col);
        let places = (top..bottom).flat_map(|row| (left..right).map(move |col| (row, col)));
        let spots = places.map(|(row, col)| if in_frame(row, col) { Spot::Empty } else { Spot::Outside });
        let mut canvas = Canvas { width: (right - left) as usize, spots: spots.collect(), is_cut: false };
        for (row, col, spot) in cells {
            if !(top..bottom).contains(&row) || !(left..right).contains(&col) {
                canvas.is_cut = true;
                continue;
            }
            let at = (row - top) as usize * canvas.width + (col - left) as usize;
            if matches!(canvas.spots[at], Spot::Color(_) | Spot::Place) {
                return None;
            }
            canvas.spots[at] = spot;
        }
        (canvas.width > 0 && !canvas.spots.is_empty()).then_some(canvas)
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn height(&self) -> usize {
        self.spots.len() / self.width
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Spot]> {
        self.spots.chunks_exact(self.width)
    }
}
