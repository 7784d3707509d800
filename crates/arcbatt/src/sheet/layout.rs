//! The layout of a picture of a sheet.

use batt_task::Part;

use super::{Field, PairSheet, Panel, Sheet, Style};
use batt_job::palette::{Rgb, ink};

/// A picture before it is drawn: rectangles and short texts on white. Later shapes cover earlier ones.
pub(super) struct Scene {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) shapes: Vec<Shape>,
}

pub(super) enum Shape {
    Rect {
        x: usize,
        y: usize,
        width: usize,
        height: usize,
        color: Rgb,
    },
    /// `y` is the baseline.
    Text {
        x: usize,
        y: usize,
        text: String,
        color: Rgb,
    },
}

/// Width reserved for a character, in SVG and PNG.
pub(super) const CHAR: usize = 7;
/// Pairs wrap to the next row at this width.
const PAGE: usize = 1100;
const MARGIN: usize = 16;
/// Gap between the grids of a pair.
const GAP: usize = 14;
/// Gap between pairs.
const GAP_PAIRS: usize = 40;
/// From the top of a pair to its grids: the title of the pair and the labels of its grids.
const HEAD: usize = 36;

/// Titles of pairs with small grids may use this many characters.
const MAX_TITLE: usize = 64;

const BLACK: Rgb = (0, 0, 0);
const WHITE: Rgb = (255, 255, 255);
const GRAY: Rgb = (0x66, 0x66, 0x66);

pub(super) fn scene(sheet: &Sheet, style: Style) -> Scene {
    let mut painter = Painter { style, cell: cell_size(sheet, style.digits), shapes: Vec::new(), right: 0 };
    let title = sheet.title();
    painter.text(MARGIN, MARGIN + 9, &title, BLACK);
    painter.right = (MARGIN + title.chars().count() * CHAR).min(PAGE);
    let (mut x, mut y, mut bottom) = (MARGIN, MARGIN + 28, MARGIN + 28);
    let mut part = Part::Train;
    for pair in &sheet.pairs {
        let width = painter.pair_width(pair);
        // Test pairs and extra pairs start on a new row.
        if x > MARGIN && (x + width > PAGE || pair.part != part) {
            (x, y) = (MARGIN, bottom + 24);
        }
        part = pair.part;
        bottom = bottom.max(painter.pair(x, y, width, pair));
        x += width + GAP_PAIRS;
    }
    Scene { width: painter.right + MARGIN, height: bottom + MARGIN, shapes: painter.shapes }
}

/// Returns one cell size for the whole sheet, so that grids can be compared. Three of the largest grid fit side by
/// side; small grids have larger cells.
fn cell_size(sheet: &Sheet, digits: bool) -> usize {
    let panels = sheet.pairs.iter().flat_map(PairSheet::panels);
    let side = panels.map(|panel| panel.field.width.max(panel.field.height())).max().unwrap_or(1);
    (330 / side).clamp(if digits { 15 } else { 10 }, 18)
}

struct Painter {
    style: Style,
    cell: usize,
    shapes: Vec<Shape>,
    /// Right edge of the picture.
    right: usize,
}

impl Painter {
    fn pair_width(&self, pair: &PairSheet) -> usize {
        let panels = pair.panels();
        let grids: usize = panels.iter().map(|panel| self.panel_width(panel)).sum();
        let title = pair.title().chars().count().min(MAX_TITLE) * CHAR;
        (grids + GAP * (panels.len() - 1)).max(title)
    }

    fn panel_width(&self, panel: &Panel<'_>) -> usize {
        (panel.field.width * self.cell + 1).max(panel.label.len() * CHAR)
    }

    /// Draws a pair. Returns its bottom edge.
    fn pair(&mut self, left: usize, top: usize, width: usize, pair: &PairSheet) -> usize {
        let title = cut(&pair.title(), width / CHAR);
        let wrong = pair.answer.as_ref().is_some_and(|answer| answer.right == Some(false));
        self.text(left, top + 9, &title, if wrong { (0xc0, 0x10, 0x10) } else { BLACK });
        let (mut x, mut bottom) = (left, top + HEAD);
        for panel in pair.panels() {
            self.text(x, top + 28, panel.label, GRAY);
            self.field(x, top + HEAD, panel.field, panel.marks);
            x += self.panel_width(&panel) + GAP;
            bottom = bottom.max(top + HEAD + panel.field.height() * self.cell + 1);
        }
        self.right = self.right.max(x - GAP).max(left + title.chars().count() * CHAR);
        bottom
    }

    fn field(&mut self, left: usize, top: usize, field: &Field, marks: &[(usize, usize)]) {
        let cell = self.cell;
        self.rect(left, top, (field.width * cell + 1, field.height() * cell + 1), self.style.palette.line);
        // Cells are grouped by colour because the SVG writer joins neighbours of one colour into one path.
        let mut cells: Vec<_> = field.cells.iter().enumerate().collect();
        cells.sort_by_key(|(_, color)| **color);
        for (at, &color) in cells {
            let (row, col) = (at / field.width, at % field.width);
            let fill = self.style.palette.color(color).unwrap_or(WHITE);
            self.rect(left + col * cell + 1, top + row * cell + 1, (cell - 1, cell - 1), fill);
        }
        for &(row, col) in marks {
            let color = field.cells[row * field.width + col];
            self.mark(left + col * cell + 1, top + row * cell + 1, color);
        }
        for (at, &color) in field.cells.iter().enumerate() {
            let known = self.style.palette.color(color);
            if self.style.digits || known.is_none() {
                let text = color.to_string();
                let (row, col) = (at / field.width, at % field.width);
                let x = (left + col * cell + cell / 2 + 1).saturating_sub(text.len() * (CHAR - 1) / 2);
                self.text(x, top + row * cell + cell / 2 + 4, &text, ink(known.unwrap_or(WHITE)));
            }
        }
    }

    /// Draws a white and a black ring; on any colour at least one of them is visible.
    fn mark(&mut self, x: usize, y: usize, color: i8) {
        let size = self.cell - 1;
        let ring = (size / 8).max(1);
        let fill = self.style.palette.color(color).unwrap_or(WHITE);
        for (inset, color) in [(0, WHITE), (ring, BLACK), (2 * ring, fill)] {
            self.rect(x + inset, y + inset, (size - 2 * inset, size - 2 * inset), color);
        }
    }

    fn rect(&mut self, x: usize, y: usize, (width, height): (usize, usize), color: Rgb) {
        self.shapes.push(Shape::Rect { x, y, width, height, color });
    }

    fn text(&mut self, x: usize, y: usize, text: &str, color: Rgb) {
        self.shapes.push(Shape::Text { x, y, text: text.to_owned(), color });
    }
}

/// Cuts a text to at most `max` characters.
pub(crate) fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max.saturating_sub(1)).chain(['…']).collect()
}
