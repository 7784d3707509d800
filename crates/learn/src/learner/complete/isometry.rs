//! Maps of an image onto itself.

use crate::image::Image;

/// The unknown cell.
pub(super) const UNKNOWN: u8 = u8::MAX;

/// A map of places: `(a y + b x + c, d y + e x + f)`.
pub(super) type Isometry = [i32; 6];

/// Which isometries are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kinds {
    pub shifts: bool,
    pub mirrors: bool,
    pub quarter_turns: bool,
    pub diagonals: bool,
}

impl Kinds {
    pub(super) const NONE: Kinds =
        Kinds { shifts: false, mirrors: false, quarter_turns: false, diagonals: false };

    pub(super) fn words(self) -> String {
        let names = [
            (self.shifts, "shifts"),
            (self.mirrors, "mirrors"),
            (self.quarter_turns, "quarter turns"),
            (self.diagonals, "diagonal mirrors"),
        ];
        names.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect::<Vec<_>>().join(" and ")
    }
}

pub(super) fn moved(isometry: Isometry, y: i32, x: i32) -> (i32, i32) {
    let [a, b, c, d, e, f] = isometry;
    (a * y + b * x + c, d * y + e * x + f)
}

pub(super) fn inverse_shift(isometry: Isometry) -> Isometry {
    let [a, b, c, d, e, f] = isometry;
    [a, b, -c, d, e, -f]
}

/// The number of known cells that an isometry maps onto known cells of the same colour; 0 if it contradicts one.
pub(super) fn support(canvas: &Image, known: &[(i32, i32, u8)], isometry: Isometry) -> usize {
    let mut support = 0;
    for &(y, x, color) in known {
        let (ny, nx) = moved(isometry, y, x);
        if ny < 0 || nx < 0 || ny >= canvas.h as i32 || nx >= canvas.w as i32 {
            continue;
        }
        match canvas.cells[ny as usize * canvas.w + nx as usize] {
            UNKNOWN => {}
            there if there != color => return 0,
            _ => support += 1,
        }
    }
    support
}

pub(super) fn known_cells(canvas: &Image) -> Vec<(i32, i32, u8)> {
    let all = canvas.cells.iter().enumerate().filter(|(_, c)| **c != UNKNOWN);
    all.map(|(i, &c)| ((i / canvas.w) as i32, (i % canvas.w) as i32, c)).collect()
}

pub(super) fn shifts(h: i32, w: i32) -> Vec<Isometry> {
    let all = (1 - h..h).flat_map(|dy| (0..w).map(move |dx| (dy, dx)));
    all.filter(|&(dy, dx)| dx > 0 || dy > 0).map(|(dy, dx)| [1, 0, dy, 0, 1, dx]).collect()
}

/// Fills every unknown cell; `None` if one stays unknown.
///
/// An isometry counts if it maps two fifths of the known cells onto equal ones. The best sixty are used.
pub(super) fn complete(canvas: &Image, kinds: Kinds) -> Option<Image> {
    let (h, w) = (canvas.h as i32, canvas.w as i32);
    let known = known_cells(canvas);
    if known.is_empty() || known.len() == canvas.area() {
        return None;
    }
    let mut found: Vec<(usize, Isometry)> = Vec::new();
    let enough = |support: usize| support * 5 >= known.len() * 2 && support > 0;
    if kinds.shifts {
        for isometry in shifts(h, w) {
            let support = support(canvas, &known, isometry);
            if enough(support) {
                found.extend([(support, isometry), (support, inverse_shift(isometry))]);
            }
        }
    }
    if kinds.mirrors {
        let left_right = (0..2 * w - 1).map(|s| [1, 0, 0, 0, -1, s]);
        let up_down = (0..2 * h - 1).map(|s| [-1, 0, s, 0, 1, 0]);
        let diagonal = (-h.min(8)..h.min(8)).map(|s| [0, 1, s, 1, 0, -s]);
        for isometry in left_right.chain(up_down).chain(diagonal) {
            let support = support(canvas, &known, isometry);
            if enough(support) {
                found.push((support, isometry));
            }
        }
    }
    found.sort_by_key(|(support, _)| std::cmp::Reverse(*support));
    found.truncate(60);
    let mut canvas = canvas.clone();
    loop {
        let before = canvas.clone();
        for i in (0..before.area()).filter(|&i| before.cells[i] == UNKNOWN) {
            let (y, x) = ((i / before.w) as i32, (i % before.w) as i32);
            let sources = found.iter().map(|(_, isometry)| {
                let (ny, nx) = moved(*isometry, y, x);
                let inside = ny >= 0 && nx >= 0 && ny < h && nx < w;
                if inside { before.cells[ny as usize * before.w + nx as usize] } else { UNKNOWN }
            });
            if let Some(color) = sources.into_iter().find(|&c| c != UNKNOWN) {
                canvas.cells[i] = color;
            }
        }
        if canvas == before {
            break;
        }
    }
    (!canvas.cells.contains(&UNKNOWN)).then_some(canvas)
}

/// A canvas with the input in its top left corner; the cells of the mask and those beyond the input are unknown.
pub(super) fn with_unknown(input: &Image, h: usize, w: usize, mask: Option<u8>) -> Image {
    Image::from_fn(h, w, |y, x| {
        if y < input.h && x < input.w && Some(input.at(y, x)) != mask { input.at(y, x) } else { UNKNOWN }
    })
}
