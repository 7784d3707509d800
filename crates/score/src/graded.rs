//! Graded scores: how close is a wrong answer?
//!
//! Four components are compared: shape, colours, cells and objects. Each is a fraction, 1 if nothing differs.
//! Their weighted mean is the closeness. The score of an answer is the part of the way from the input to the
//! expected grid that it covers.

use std::sync::OnceLock;

use batt_task::Grid;

use crate::answer::Rectangle;
use crate::{Answer, Ratio};

/// An expected grid, prepared once for comparison with any number of answers.
///
/// ```
/// # use batt_score::{Ratio, Target};
/// # use batt_task::Grid;
/// let input = Grid::new(3, [0, 1, 0])?;
/// let expected = Grid::new(3, [0, 2, 0])?;
/// let target = Target::new(&input, &expected);
/// let near = Grid::new(3, [0, 2, 2])?;
///
/// assert_eq!(target.grade(&expected).score(), Ratio::ONE);
/// assert_eq!(target.grade(&input).score(), Ratio::ZERO);
/// assert_eq!(target.grade(&near).score().to_string(), "0.2000");
/// assert_eq!(target.grade(&near).answer.palette(), Ratio::ONE);
/// # Ok::<(), batt_task::GridError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Target {
    input: Grid,
    expected: Grid,
    /// Made for the first wrong answer. PERF: most answers that are graded in a run are right, so this saves a fifth
    /// of the instructions of `batt run` with one program a task.
    parts: OnceLock<Parts>,
}

/// The parts of an expected grid.
#[derive(Clone, Debug)]
struct Parts {
    palette: u16,
    /// For each cell the index of its object.
    labels: Vec<u16>,
    n_objects: usize,
    /// The closeness of the input.
    baseline: Closeness,
}

impl Target {
    pub fn new(input: &Grid, expected: &Grid) -> Target {
        Target { input: input.clone(), expected: expected.clone(), parts: OnceLock::new() }
    }

    pub fn expected(&self) -> &Grid {
        &self.expected
    }

    /// Returns how close the input is.
    pub fn baseline(&self) -> Closeness {
        self.parts().baseline
    }

    fn parts(&self) -> &Parts {
        self.parts.get_or_init(|| {
            let (labels, n_objects) = objects(&self.expected);
            let palette = palette(self.expected.cells());
            let mut parts = Parts { palette, labels, n_objects, baseline: Closeness::NONE };
            parts.baseline = Answer::from(&self.input)
                .rectangle()
                .map_or(Closeness::NONE, |input| parts.closeness(&self.expected, &input));
            parts
        })
    }

    /// Returns how close the answer is. An answer that cannot be submitted (not a grid, too large, or with
    /// cells that are not colours) has closeness 0.
    pub fn grade<'a>(&self, answer: impl Into<Answer<'a>>) -> Graded {
        let answer = answer.into();
        let rectangle = answer.rectangle().filter(|got| {
            let sides = 1..=Grid::MAX_SIDE;
            let colors = 0..=9;
            sides.contains(&got.height())
                && sides.contains(&got.width)
                && got.cells.iter().all(|color| colors.contains(color))
        });
        let Some(got) = rectangle else { return Graded { answer: Closeness::NONE, score: Ratio::ZERO } };
        if got.width == self.expected.width() && *got.cells == *self.expected.cells() {
            return Graded { answer: Closeness::FULL, score: Ratio::ONE };
        }
        let parts = self.parts();
        let answer = parts.closeness(&self.expected, &got);
        Graded { answer, score: covered(answer, parts.baseline) }
    }
}

impl Parts {
    fn closeness(&self, expected: &Grid, got: &Rectangle<'_>) -> Closeness {
        let (height, width) = (expected.height(), expected.width());
        // The smallest rectangle that covers both grids when their upper left corners coincide.
        let both = height.max(got.height()) * width.max(got.width);
        let shared = height.min(got.height()) * width.min(got.width);
        let rows = expected.rows().zip(got.cells.chunks_exact(got.width));
        let equal: usize = rows.map(|(a, b)| a.iter().zip(b).filter(|(a, b)| a == b).count()).sum();
        let colors = palette(&got.cells);
        Closeness {
            shape: ratio(shared, both),
            palette: Ratio::new(
                (colors & self.palette).count_ones().into(),
                (colors | self.palette).count_ones().into(),
            ),
            cells: ratio(equal, both),
            objects: ratio(self.objects_kept(expected, got), self.n_objects),
        }
    }

    /// Returns the number of expected objects that the answer has, cell for cell and without additions.
    fn objects_kept(&self, expected: &Grid, got: &Rectangle<'_>) -> usize {
        let (height, width) = (expected.height(), expected.width());
        let label = |row: usize, col: usize| {
            (row < height && col < width).then(|| usize::from(self.labels[row * width + col]))
        };
        let mut broken = [false; Grid::MAX_SIDE * Grid::MAX_SIDE];
        for (row, cells) in expected.rows().enumerate() {
            for (col, color) in cells.iter().enumerate() {
                let inside = row < got.height() && col < got.width;
                if !(inside && got.cells[row * got.width + col] == *color) {
                    broken[usize::from(self.labels[row * width + col])] = true;
                }
            }
        }
        // Two neighbours have the same colour but are not neighbours in one expected object: their objects
        // have grown.
        let mut joined = |a: Option<usize>, b: Option<usize>| {
            if a != b {
                [a, b].into_iter().flatten().for_each(|label| broken[label] = true);
            }
        };
        for (row, cells) in got.cells.chunks_exact(got.width).enumerate() {
            for (col, color) in cells.iter().enumerate() {
                if cells.get(col + 1) == Some(color) {
                    joined(label(row, col), label(row, col + 1));
                }
                if got.cells.get((row + 1) * got.width + col) == Some(color) {
                    joined(label(row, col), label(row + 1, col));
                }
            }
        }
        broken[..self.n_objects].iter().filter(|broken| !**broken).count()
    }
}

/// How close two grids are, by component and in total.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Closeness {
    shape: Ratio,
    palette: Ratio,
    cells: Ratio,
    objects: Ratio,
}

impl Closeness {
    /// The closeness of an answer that is not a grid.
    pub const NONE: Closeness =
        Closeness { shape: Ratio::ZERO, palette: Ratio::ZERO, cells: Ratio::ZERO, objects: Ratio::ZERO };

    /// The closeness of the expected grid.
    pub const FULL: Closeness =
        Closeness { shape: Ratio::ONE, palette: Ratio::ONE, cells: Ratio::ONE, objects: Ratio::ONE };

    /// Returns the area that both grids cover as a fraction of the smallest rectangle that covers both.
    pub fn shape(self) -> Ratio {
        self.shape
    }

    /// Returns the colours that both grids have as a fraction of those that either has.
    pub fn palette(self) -> Ratio {
        self.palette
    }

    /// Returns the equal cells as a fraction of the smallest rectangle that covers both grids. It is 1 for
    /// equal grids only.
    pub fn cells(self) -> Ratio {
        self.cells
    }

    /// Returns the fraction of the expected objects that the answer has, cell for cell. Objects are connected
    /// cells of one colour (not diagonally). The background consists of objects too, so any added cell breaks
    /// one.
    pub fn objects(self) -> Ratio {
        self.objects
    }

    /// Returns all components with their names and weights.
    pub fn components(self) -> [(&'static str, u32, Ratio); 4] {
        // Picked by feel: cells matter most because they decide whether an answer is right. The weights add
        // up to 10.
        [
            ("shape", 2, self.shape),
            ("palette", 2, self.palette),
            ("cells", 4, self.cells),
            ("objects", 2, self.objects),
        ]
    }

    /// Returns the weighted mean of the components. It is 1 for equal grids only.
    pub fn total(self) -> Ratio {
        Ratio::weighted_mean(&self.components().map(|(_, weight, ratio)| (weight, ratio)))
            .unwrap_or(Ratio::ZERO)
    }
}

/// How close an answer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Graded {
    pub answer: Closeness,
    score: Ratio,
}

impl Graded {
    /// Returns which part of the way from the input to the expected grid the answer covers: 1 for the
    /// expected grid only, 0 for an answer that is no closer than the input.
    pub fn score(self) -> Ratio {
        self.score
    }
}

fn covered(answer: Closeness, baseline: Closeness) -> Ratio {
    let (answer, input) = (answer.total(), baseline.total());
    if answer == Ratio::ONE || answer <= input {
        return if answer == Ratio::ONE { Ratio::ONE } else { Ratio::ZERO };
    }
    // (a − i) / (1 − i). The denominators of shape and cells divide one area of at most 900 cells; there
    // are at most 10 colours and 900 objects, and the weights add up to 10. So no denominator exceeds 900
    // · 10 · 900 · 10, and products of two of them fit in 64 bits.
    let covered = answer.numerator() * input.denominator() - input.numerator() * answer.denominator();
    Ratio::new(covered, answer.denominator() * (input.denominator() - input.numerator()))
}

fn ratio(part: usize, whole: usize) -> Ratio {
    Ratio::new(part as u64, whole as u64)
}

/// Returns the set of colours, one bit for each.
fn palette(cells: &[i8]) -> u16 {
    cells.iter().fold(0, |palette, color| palette | 1 << (color & 15))
}

/// Returns for each cell the index of its object, and the number of objects.
fn objects(grid: &Grid) -> (Vec<u16>, usize) {
    const NONE: u16 = u16::MAX;
    let (width, cells) = (grid.width(), grid.cells());
    let mut labels = vec![NONE; cells.len()];
    let mut n_objects = 0;
    let mut open = Vec::new();
    for start in 0..cells.len() {
        if labels[start] != NONE {
            continue;
        }
        labels[start] = n_objects;
        open.push(start);
        while let Some(at) = open.pop() {
            let col = at % width;
            let neighbours = [
                (col > 0).then(|| at - 1),
                (col + 1 < width).then_some(at + 1),
                at.checked_sub(width),
                Some(at + width).filter(|below| *below < cells.len()),
            ];
            for next in neighbours.into_iter().flatten() {
                if labels[next] == NONE && cells[next] == cells[start] {
                    labels[next] = n_objects;
                    open.push(next);
                }
            }
        }
        n_objects += 1;
    }
    (labels, n_objects.into())
}
