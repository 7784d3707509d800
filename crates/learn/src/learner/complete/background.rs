//! The background filled in.

use super::isometry::{Isometry, Kinds, UNKNOWN, inverse_shift, known_cells, moved, shifts, support};
use crate::found::Found;
use crate::image::{Image, color_name};
use crate::{Demos, OutOfWork, Rule, Work};

/// Learns to fill the background; cells that stay unknown are background again.
pub(super) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    if !demos.edits() {
        return Ok(Vec::new());
    }
    // Only background changes, or nothing here fits.
    let adds = demos.pairs().iter().all(|(input, output)| {
        let ground = input.background();
        input.cells.iter().zip(&output.cells).all(|(&a, &b)| a == b || a == ground)
    });
    if !adds {
        return Ok(Vec::new());
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
                let filling = Filling { kinds, percent, best_only };
                let cost = 2.5 + 0.2 * k as f64 + price + if best_only { 0.0 } else { 0.3 };
                let text = format!("completed by {} on the background", kinds.words());
                let answers: Option<Vec<Image>> = demos.inputs().map(|input| filling.fill(input)).collect();
                let Some(answers) = answers else { continue };
                if answers.iter().zip(demos.outputs()).all(|(a, b)| a == b) {
                    found.push(Rule::new(cost, text, move |input: &Image| filling.fill(input)));
                } else if let Some(color) = one_new_color(demos, &answers) {
                    let text = format!("{text}, in {}", color_name(color));
                    found.push(Rule::new(cost + 0.3, text, move |input: &Image| {
                        let filled = filling.fill(input)?;
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

/// A way to fill the background.
#[derive(Clone, Copy)]
struct Filling {
    kinds: Kinds,
    /// The percentage of coloured cells that must land on equal ones.
    percent: usize,
    /// Whether each kind gives its best isometry only.
    best_only: bool,
}

impl Filling {
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
