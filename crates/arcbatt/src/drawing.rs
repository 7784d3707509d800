//! Drawings of the values of a program: what a value is, in words, and its shape. Front ends show the same words and
//! draw the same shapes: [`Drawing::canvases`] for a terminal, JSON for a page.
//!
//! ```
//! use arcbatt::drawing::{Drawing, Shape, Spot};
//! use arcbatt::task::parse_grid;
//! use arcbatt::value::Arena;
//! # use arcbatt::dsl::Limits;
//!
//! let arena = Arena::new(Limits::STANDARD.caps);
//! let grid = parse_grid(b"[[1, 0], [0, 2]]").expect("a grid");
//! let drawing = Drawing::new(grid.value(&arena).expect("a small grid"));
//! assert_eq!(drawing.words, "2×2 grid");
//! assert!(matches!(drawing.shape, Shape::Grid(_)));
//! let drawn = drawing.canvases((2, 2)).expect("grids are drawn");
//! assert_eq!(drawn.canvases[0].rows().next(), Some(&[Spot::Color(1), Spot::Color(0)][..]));
//! ```

use std::fmt::{self, Display, Write};
use std::slice;

use batt_base::number::count;
use batt_task::Grid;
use batt_value::{self as value, Pair, Value};

/// A value as front ends show it.
#[derive(Clone, Debug)]
pub struct Drawing<'a> {
    /// A description of the value: `3×5 grid`, `4 objects`.
    pub words: String,
    pub shape: Shape<'a>,
}

/// The picture or the text of a value.
#[derive(Clone, Debug)]
pub enum Shape<'a> {
    /// A grid of any size; see [`Drawing::MAX_SIDE`].
    Grid(&'a value::Grid<'a>),
    /// An object or indices, or a tuple or set of objects only or of indices only.
    Patches {
        patches: Vec<Patch>,
        /// Number of patches that are left out.
        more: usize,
        /// Whether their order matters, as in a tuple.
        is_ordered: bool,
    },
    /// Another tuple or set whose members are pictures.
    List {
        items: Vec<Drawing<'a>>,
        /// Number of members that are left out.
        more: usize,
    },
    Number(i64),
    /// Any other value, in the language.
    Text(String),
}

/// The cells of an object or of indices, with their places.
pub type Patch = Vec<(Pair, Spot)>;

/// One cell of a patch or of a canvas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    /// A cell of a grid or of an object.
    Color(i8),
    /// A member of indices, which has no colour.
    Place,
    /// A place of the frame that is not in the value. Patches have none.
    Empty,
    /// Not a place of the frame. Patches have none.
    Outside,
}

impl<'a> Drawing<'a> {
    /// Larger grids are only words on pages, and taller pictures only text in traces. Twice the side of the largest grid.
    pub const MAX_SIDE: usize = 2 * Grid::MAX_SIDE;
    /// Maximum number of cells of all patches, so that pages stay fast.
    const MAX_CELLS: usize = Drawing::MAX_SIDE * Drawing::MAX_SIDE;
    /// Maximum number of pictures side by side.
    const MAX_ITEMS: usize = 12;
    /// Maximum number of bytes of a text.
    const MAX_TEXT: usize = 240;
    /// Lists in lists are drawn, such as the demonstration pairs.
    const MAX_DEPTH: usize = 2;

    pub fn new(value: Value<'a>) -> Drawing<'a> {
        let shape = Shape::picture(value, 0).unwrap_or_else(|| match value {
            Value::Int(int) => Shape::Number(int),
            Value::Func(_) => Shape::Text(cut(&Brief(value), Drawing::MAX_TEXT)),
            _ => Shape::Text(cut(&value, Drawing::MAX_TEXT)),
        });
        Drawing { words: words(value), shape }
    }

    /// Draws grids and patches on canvases. Patches are drawn on a canvas of the size of `frame`, given as height and width,
    /// or on a larger one that has them all. Patches of a set share a canvas unless they overlap. Returns `None` for text
    /// and for lists of anything but grids.
    pub fn canvases(&self, frame: (usize, usize)) -> Option<Canvases> {
        let (canvases, more): (Vec<_>, _) = match &self.shape {
            Shape::Patches { patches, more, is_ordered } => {
                let shared = || Canvas::of_cells(patches.iter().flatten(), frame);
                match (!is_ordered && *more == 0).then(shared).flatten() {
                    Some(shared) => (vec![shared], 0),
                    None => {
                        let shown = &patches[..patches.len().min(Drawing::MAX_ITEMS)];
                        let canvases = shown.iter().map(|patch| Canvas::of_cells(patch, frame));
                        (canvases.collect::<Option<_>>()?, more + patches.len() - shown.len())
                    }
                }
            }
            Shape::List { items, more } => {
                (items.iter().map(|item| Canvas::of_grid(&item.shape)).collect::<Option<_>>()?, *more)
            }
            shape => (vec![Canvas::of_grid(shape)?], 0),
        };
        let mut words = self.words.clone();
        if more > 0 {
            words.push_str(&format!(", the first {} drawn", canvases.len()));
        }
        if canvases.iter().any(|canvas| canvas.is_cut) {
            let is_drawn = |spot: &Spot| matches!(spot, Spot::Color(_) | Spot::Place);
            let drawn = canvases.iter().any(|canvas| canvas.spots.iter().any(is_drawn));
            words.push_str(if drawn { ", partly outside" } else { ", outside" });
        }
        Some(Canvases { words, canvases })
    }
}

impl<'a> Shape<'a> {
    fn picture(value: Value<'a>, depth: usize) -> Option<Shape<'a>> {
        let (shown, is_ordered) = match value {
            Value::Grid(grid) => return Some(Shape::Grid(grid)),
            _ if Kind::of(value).is_some() => (slice::from_ref(&value), false),
            _ if depth < Drawing::MAX_DEPTH => (members(value), value.is_tuple()),
            _ => return None,
        };
        // An empty value has no picture.
        let left_out = |n: usize| (n > 0).then(|| shown.len() - n);
        if let Some(Kind::Object | Kind::Indices) = Kind::of_all(shown) {
            let mut left = Drawing::MAX_CELLS;
            let fitting = |member: &Value<'_>| {
                left = left.checked_sub(member.len()?)?;
                patch(*member)
            };
            let patches: Vec<_> = shown.iter().map_while(fitting).collect();
            return Some(Shape::Patches { more: left_out(patches.len())?, patches, is_ordered });
        }
        let item = |member: &Value<'a>| {
            Some(Drawing { shape: Shape::picture(*member, depth + 1)?, words: words(*member) })
        };
        let items: Vec<_> = shown.iter().take(Drawing::MAX_ITEMS).map(item).collect::<Option<_>>()?;
        Some(Shape::List { more: left_out(items.len())?, items })
    }
}

/// Returns the cells of an object or of indices; `None` if one has no colour that a grid can have.
fn patch(value: Value<'_>) -> Option<Patch> {
    let cell = |item: Value<'_>| match item {
        Value::Cell(cell) => Some((cell.place(), Spot::Color(i8::try_from(cell.color()).ok()?))),
        Value::Pair(place) => Some((place, Spot::Place)),
        _ => None,
    };
    match value {
        Value::Patch(patch) => patch.iter().map(cell).collect(),
        _ => members(value).iter().copied().map(cell).collect(),
    }
}

/// Returns the members of a tuple or set that has no form of its own.
fn members<'a>(value: Value<'a>) -> &'a [Value<'a>] {
    match value {
        Value::Tuple(tuple) => tuple.items(),
        Value::Set(set) => set.items(),
        _ => &[],
    }
}

/// The values that are one picture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Grid,
    Object,
    Indices,
}

impl Kind {
    fn of(value: Value<'_>) -> Option<Kind> {
        match value {
            Value::Grid(_) => Some(Kind::Grid),
            Value::Patch(patch) => Some(if patch.is_object() { Kind::Object } else { Kind::Indices }),
            // Patches have at most 64 columns; wider ones are sets.
            Value::Set(set) => match set.items() {
                [] => None,
                items if items.iter().all(|it| matches!(it, Value::Cell(_))) => Some(Kind::Object),
                items if items.iter().all(|it| matches!(it, Value::Pair(_))) => Some(Kind::Indices),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the kind of the values, if all have the same.
    fn of_all(values: &[Value<'_>]) -> Option<Kind> {
        let first = Kind::of(*values.first()?)?;
        values.iter().all(|value| Kind::of(*value) == Some(first)).then_some(first)
    }
}

/// Describes a value.
fn words(value: Value<'_>) -> String {
    match (value, value.len()) {
        (Value::Prim(_) | Value::Func(_), _) => "function".to_owned(),
        (Value::Pair(_) | Value::Cell(_), _) | (_, None) => value.to_string(),
        (Value::Grid(grid), _) => format!("{}×{} grid", grid.height(), grid.width()),
        (_, Some(n)) => match (Kind::of(value), Kind::of_all(members(value))) {
            (Some(Kind::Indices), _) if n == 1 => "1 index".to_owned(),
            (Some(Kind::Indices), _) => format!("{n} indices"),
            (Some(_), _) => format!("object of {}", count(n, "cell")),
            (None, Some(Kind::Grid)) => count(n, "grid"),
            (None, Some(Kind::Object)) => count(n, "object"),
            (None, Some(Kind::Indices)) => format!("{} of indices", count(n, "set")),
            (None, None) if n == 0 => format!("empty {}", if value.is_set() { "set" } else { "tuple" }),
            (None, None) => format!("{} of {n}", if value.is_set() { "set" } else { "tuple" }),
        },
    }
}

/// Prints a value that a function holds: pictures in words.
struct Brief<'a>(Value<'a>);

impl Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            value if Kind::of(value).is_some() => f.write_str(&words(value)),
            Value::Func(closure) => {
                write!(f, "{}(", closure.op.name())?;
                for (i, captured) in closure.captured.iter().enumerate() {
                    write!(f, "{}{}", if i == 0 { "" } else { ", " }, Brief(*captured))?;
                }
                f.write_str(")")
            }
            value => write!(f, "{value}"),
        }
    }
}

/// Formats the start of a value: at most `max` bytes and an ellipsis. It neither formats all of a large value nor splits
/// a number.
pub fn cut(value: &dyn Display, max: usize) -> String {
    struct Limited {
        text: String,
        left: usize,
    }
    impl Write for Limited {
        fn write_str(&mut self, piece: &str) -> fmt::Result {
            self.left = self.left.checked_sub(piece.len()).ok_or(fmt::Error)?;
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

/// A drawing on canvases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Canvases {
    /// The words of the drawing, and what is not drawn.
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

impl Canvas {
    /// A canvas becomes larger than its frame only up to this side. `shoot`, for example, makes lines of 43 places.
    const MAX_SIDE: i64 = Grid::MAX_SIDE as i64;

    fn of_grid(shape: &Shape<'_>) -> Option<Canvas> {
        let Shape::Grid(grid) = shape else { return None };
        let spots = grid.cells().iter().map(|cell| Spot::Color(*cell)).collect();
        Some(Canvas { width: grid.width(), spots, is_cut: false })
    }

    /// Draws cells or places; `None` if two have the same place.
    fn of_cells<'c>(
        cells: impl IntoIterator<Item = &'c (Pair, Spot)>,
        (height, width): (usize, usize),
    ) -> Option<Canvas> {
        let cells: Vec<_> =
            cells.into_iter().map(|(place, spot)| (place.row(), place.col(), *spot)).collect();
        let (height, width) = (i64::try_from(height).ok()?, i64::try_from(width).ok()?);
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
