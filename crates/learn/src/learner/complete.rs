//! Completion by self-isometries: what the image says elsewhere, moved or mirrored, fills what is unknown.

use super::transform::color_map_words;
use crate::found::Found;
use crate::image::{Area, Image, color_map, color_name};
use crate::size::size_rules;
use crate::{Demos, Rule, Work};

/// The unknown cell.
const UNKNOWN: u8 = u8::MAX;

/// A map of places: `(a y + b x + c, d y + e x + f)`.
type Isometry = [i32; 6];

/// Which isometries are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Kinds {
    shifts: bool,
    mirrors: bool,
    quarter_turns: bool,
    diagonals: bool,
}

impl Kinds {
    const NONE: Kinds = Kinds { shifts: false, mirrors: false, quarter_turns: false, diagonals: false };

    fn words(self) -> String {
        let names = [
            (self.shifts, "shifts"),
            (self.mirrors, "mirrors"),
            (self.quarter_turns, "quarter turns"),
            (self.diagonals, "diagonal mirrors"),
        ];
        names.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect::<Vec<_>>().join(" and ")
    }
}

fn moved(isometry: Isometry, y: i32, x: i32) -> (i32, i32) {
    let [a, b, c, d, e, f] = isometry;
    (a * y + b * x + c, d * y + e * x + f)
}

fn inverse_shift(isometry: Isometry) -> Isometry {
    let [a, b, c, d, e, f] = isometry;
    [a, b, -c, d, e, -f]
}

/// How many known cells an isometry maps on known cells of the same colour; 0 if it contradicts one.
fn support(canvas: &Image, known: &[(i32, i32, u8)], isometry: Isometry) -> usize {
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

fn known_cells(canvas: &Image) -> Vec<(i32, i32, u8)> {
    let all = canvas.cells.iter().enumerate().filter(|(_, c)| **c != UNKNOWN);
    all.map(|(i, &c)| ((i / canvas.w) as i32, (i % canvas.w) as i32, c)).collect()
}

fn shifts(h: i32, w: i32) -> Vec<Isometry> {
    let all = (1 - h..h).flat_map(|dy| (0..w).map(move |dx| (dy, dx)));
    all.filter(|&(dy, dx)| dx > 0 || dy > 0).map(|(dy, dx)| [1, 0, dy, 0, 1, dx]).collect()
}

/// Fills every unknown cell, or gives up.
fn complete(canvas: &Image, kinds: Kinds) -> Option<Image> {
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

fn with_unknown(input: &Image, h: usize, w: usize, mask: Option<u8>) -> Image {
    Image::from_fn(h, w, |y, x| {
        if y < input.h && x < input.w && Some(input.at(y, x)) != mask { input.at(y, x) } else { UNKNOWN }
    })
}

/// Fills the cells of a mask colour, or beyond the input where the output is larger.
pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    let mut found = Found::default();
    let all_kinds = [
        (Kinds { mirrors: true, ..Kinds::NONE }, 0.2),
        (Kinds { shifts: true, ..Kinds::NONE }, 0.1),
        (Kinds { mirrors: true, shifts: true, ..Kinds::NONE }, 0.3),
    ];
    let masks: Vec<u8> = (0..10).filter(|m| demos.inputs().all(|input| input.cells.contains(m))).collect();
    work.spend(demos.n_cells() * 4)?;
    let sizes = if demos.same_size() { Vec::new() } else { size_rules(demos) };
    for (kinds, price) in all_kinds {
        for &mask in &masks {
            for only_mask in [false, true] {
                let size_fits =
                    demos.pairs().iter().all(|(input, output)| match input.bounds(|c| c == mask) {
                        Some(area) if only_mask => (area.h, area.w) == (output.h, output.w),
                        _ => !only_mask && input.same_size(output),
                    });
                if !size_fits || !mask_explains(demos, mask, only_mask) {
                    continue;
                }
                work.spend(demos.inputs().map(|i| i.area() * i.area() / 40).sum::<usize>())?;
                let what = if only_mask { "only what replaces" } else { "replacing" };
                let text = format!("completed by {}, {what} {}", kinds.words(), color_name(mask));
                let cost = 2.0 + price + if only_mask { 0.2 } else { 0.0 };
                let rule = Rule::new(cost, text, move |input| {
                    let completed = complete(&with_unknown(input, input.h, input.w, Some(mask)), kinds)?;
                    if only_mask {
                        Some(completed.crop(input.bounds(|c| c == mask)?))
                    } else {
                        Some(completed)
                    }
                });
                found.check(demos, rule);
            }
        }
        for &size in &sizes {
            let grows = demos.pairs().iter().all(|(i, o)| o.h >= i.h && o.w >= i.w && i.area() < o.area());
            if !grows {
                continue;
            }
            for mask in [None, Some(0)] {
                work.spend(demos.outputs().map(|o| o.area() * o.area() / 60).sum::<usize>())?;
                let text = format!("{}; continued by {}", size.words(), kinds.words());
                let rule = Rule::new(2.3 + price + 0.5 * size.surcharge(), text, move |input| {
                    let (h, w) = size.of(input)?;
                    complete(&with_unknown(input, h, w, mask), kinds)
                });
                found.check(demos, rule);
            }
        }
    }
    found.best(3, demos, work)
}

/// The output's first part is the input in other colours; the rest continues it by isometries or by its period.
pub(crate) fn learn_continuation(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    let mut found = Found::default();
    let grows = demos.pairs().iter().all(|(i, o)| o.h >= i.h && o.w >= i.w) && !demos.same_size();
    let corners: Vec<Image> = if grows {
        demos.pairs().iter().map(|(i, o)| o.crop(Area { y: 0, x: 0, h: i.h, w: i.w })).collect()
    } else {
        Vec::new()
    };
    let Some(table) = color_map(demos.inputs().zip(&corners)).filter(|_| grows) else {
        return Some(Vec::new());
    };
    work.spend(demos.n_cells() * 4)?;
    let colors = color_map_words(&table);
    for size in size_rules(demos) {
        for down in [true, false] {
            let text = format!("{}; {colors}; continued by its period", size.words());
            let rule = Rule::new(2.5 + size.surcharge(), text, move |input| {
                let (h, w) = size.of(input)?;
                by_period(&input.recolored(&table), h, w, down)
            });
            found.check(demos, rule);
        }
        let kinds = [
            (Kinds { shifts: true, ..Kinds::NONE }, 0.1),
            (Kinds { mirrors: true, ..Kinds::NONE }, 0.2),
            (Kinds { shifts: true, mirrors: true, ..Kinds::NONE }, 0.3),
        ];
        for (kinds, price) in kinds {
            for mask in [None, Some(0)] {
                work.spend(demos.outputs().map(|o| o.area() * o.area() / 60).sum::<usize>())?;
                let text = format!("{}; {colors}; continued by {}", size.words(), kinds.words());
                let rule = Rule::new(2.8 + price + size.surcharge(), text, move |input| {
                    let (h, w) = size.of(input)?;
                    complete(&with_unknown(&input.recolored(&table), h, w, mask), kinds)
                });
                found.check(demos, rule);
            }
        }
    }
    found.best(3, demos, work)
}

/// Repeats the shortest period of the rows, or of the columns.
fn by_period(image: &Image, h: usize, w: usize, down: bool) -> Option<Image> {
    let n = if down { image.h } else { image.w };
    let repeats = |period: usize| {
        let before = |y: usize, x: usize| if down { (y - period, x) } else { (y, x - period) };
        (0..image.h).all(|y| {
            (0..image.w).all(|x| {
                let (py, px) = if (if down { y } else { x }) < period { (y, x) } else { before(y, x) };
                image.at(y, x) == image.at(py, px)
            })
        })
    };
    let period = (1..n).find(|&period| repeats(period))?;
    let fits = if down { w == image.w } else { h == image.h };
    fits.then(|| {
        Image::from_fn(h, w, |y, x| if down { image.at(y % period, x) } else { image.at(y, x % period) })
    })
}

/// A cheap look before the dear one: outside the mask nothing changes, and the mask goes.
fn mask_explains(demos: &Demos, mask: u8, only_mask: bool) -> bool {
    only_mask
        || demos.pairs().iter().all(|(input, output)| {
            input.cells.iter().zip(&output.cells).all(|(&a, &b)| if a == mask { true } else { a == b })
                && input != output
        })
}

/// The background is unknown, and what stays unknown is background again.
pub(crate) fn learn_soft(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    let mut found = Found::default();
    if !demos.edits() {
        return Some(Vec::new());
    }
    // Only background changes, or nothing here fits.
    let adds = demos.pairs().iter().all(|(input, output)| {
        let ground = input.background();
        input.cells.iter().zip(&output.cells).all(|(&a, &b)| a == b || a == ground)
    });
    if !adds {
        return Some(Vec::new());
    }
    let kinds = [
        Kinds { mirrors: true, ..Kinds::NONE },
        Kinds { quarter_turns: true, ..Kinds::NONE },
        Kinds { diagonals: true, ..Kinds::NONE },
        Kinds { mirrors: true, quarter_turns: true, diagonals: true, ..Kinds::NONE },
        Kinds { shifts: true, ..Kinds::NONE },
        Kinds { shifts: true, mirrors: true, ..Kinds::NONE },
    ];
    for (k, kinds) in kinds.into_iter().enumerate() {
        for (percent, price) in [(40, 0.0), (20, 0.4)] {
            for best_only in [true, false] {
                work.spend(demos.inputs().map(|i| i.area() * 30).sum::<usize>())?;
                let soft = Soft { kinds, percent, best_only };
                let cost = 2.5 + 0.2 * k as f64 + price + if best_only { 0.0 } else { 0.3 };
                let text = format!("completed by {} on the background", kinds.words());
                let answers: Option<Vec<Image>> = demos.inputs().map(|input| soft.fill(input)).collect();
                let Some(answers) = answers else { continue };
                if answers.iter().zip(demos.outputs()).all(|(a, b)| a == b) {
                    found.push(Rule::new(cost, text, move |input| soft.fill(input)));
                } else if let Some(color) = one_new_color(demos, &answers) {
                    let text = format!("{text}, in {}", color_name(color));
                    found.push(Rule::new(cost + 0.3, text, move |input| {
                        let filled = soft.fill(input)?;
                        let cells = filled.cells.iter().zip(&input.cells);
                        let cells = cells.map(|(&new, &old)| if new == old { old } else { color }).collect();
                        Some(Image { h: input.h, w: input.w, cells })
                    }));
                }
            }
        }
    }
    found.best(3, demos, work)
}

/// The one colour that all completed cells take, if nothing else changes.
fn one_new_color(demos: &Demos, answers: &[Image]) -> Option<u8> {
    let mut color = None;
    for ((input, output), answer) in demos.pairs().iter().zip(answers) {
        for i in 0..input.area() {
            if answer.cells[i] == input.cells[i] {
                if output.cells[i] != input.cells[i] {
                    return None;
                }
            } else if color.is_some_and(|color| color != output.cells[i]) {
                return None;
            } else {
                color = Some(output.cells[i]);
            }
        }
    }
    color
}

#[derive(Clone, Copy)]
struct Soft {
    kinds: Kinds,
    /// How many of the coloured cells must land on equal ones, in percent.
    percent: usize,
    /// Whether each kind gives its best isometry only.
    best_only: bool,
}

impl Soft {
    fn fill(self, input: &Image) -> Option<Image> {
        let ground = input.background();
        let mut canvas = input.map(|c| if c == ground { UNKNOWN } else { c });
        let known = known_cells(&canvas);
        if known.len() < 3 || known.len() == canvas.area() {
            return None;
        }
        let isometries = self.isometries(&canvas, &known);
        if isometries.is_empty() {
            return None;
        }
        let (h, w) = (canvas.h as i32, canvas.w as i32);
        for _ in 0..30 {
            let before = canvas.clone();
            for (y, x, color) in known_cells(&before) {
                for &isometry in &isometries {
                    let (ny, nx) = moved(isometry, y, x);
                    if ny >= 0 && nx >= 0 && ny < h && nx < w {
                        let cell = &mut canvas.cells[ny as usize * before.w + nx as usize];
                        if *cell == UNKNOWN {
                            *cell = color;
                        }
                    }
                }
            }
            if canvas == before {
                break;
            }
        }
        Some(canvas.map(|c| if c == UNKNOWN { ground } else { c }))
    }

    fn isometries(self, canvas: &Image, known: &[(i32, i32, u8)]) -> Vec<Isometry> {
        let (h, w) = (canvas.h as i32, canvas.w as i32);
        let mut families: Vec<Vec<Isometry>> = Vec::new();
        if self.kinds.shifts {
            families.push(shifts(h, w));
        }
        if self.kinds.mirrors {
            families.push((0..2 * w - 1).map(|s| [1, 0, 0, 0, -1, s]).collect());
            families.push((0..2 * h - 1).map(|s| [-1, 0, s, 0, 1, 0]).collect());
        }
        if self.kinds.quarter_turns {
            let centres = (0..2 * h).flat_map(|a| (0..2 * w).map(move |b| (a, b)));
            let centres = centres.filter(|(a, b)| (a - b) % 2 == 0);
            families.push(centres.map(|(a, b)| [0, 1, (a - b) / 2, -1, 0, (a + b) / 2]).collect());
        }
        if self.kinds.diagonals {
            families.push((-h.max(w)..h.max(w)).map(|s| [0, 1, s, 1, 0, -s]).collect());
            families.push((0..h + w).map(|s| [0, -1, s, -1, 0, s]).collect());
        }
        let mut chosen = Vec::new();
        for family in families {
            let mut scored: Vec<(usize, Isometry)> = family
                .into_iter()
                .map(|isometry| (support(canvas, known, isometry), isometry))
                .filter(|(support, _)| *support > 0 && support * 100 >= known.len() * self.percent)
                .collect();
            scored.sort_by_key(|(support, _)| std::cmp::Reverse(*support));
            scored.truncate(if self.best_only { 1 } else { 40 });
            for (_, isometry) in scored {
                chosen.push(isometry);
                if isometry[0] == 1 && isometry[4] == 1 {
                    chosen.push(inverse_shift(isometry));
                }
            }
        }
        chosen
    }
}
