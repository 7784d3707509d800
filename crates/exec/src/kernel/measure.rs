//! Kernels for distances and other relations between patches, and for periods of objects.

use batt_dsl::Cx;
use batt_value::{Arena, Pair, Patch, Value};

use super::Answer;
use super::patch::{aligned, as_patch, bounds, flatten};

register! {
    K1: hperiod, vperiod;
    P1: centerofmass;
    P2: hmatching, vmatching, bordering, position;
    K2: manhattan, adjacent, gravitate;
}

fn int<'a>(int: i64) -> Answer<'a> {
    Some(Ok(Value::Int(int)))
}

fn bool<'a>(bool: bool) -> Answer<'a> {
    Some(Ok(bool.into()))
}

fn pair<'a>(row: i64, col: i64) -> Answer<'a> {
    Pair::new(row, col).map(|pair| Ok(Value::Pair(pair)))
}

/// Returns the smallest Manhattan distance between places of two patches.
fn distance<'a>(arena: &'a Arena, a: &Patch<'a>, b: &Patch<'a>) -> i64 {
    let mut best = i64::MAX;
    let (row, col, _, _) = a.bounds();
    let (other_row, other_col, _, _) = b.bounds();
    let (a_rows, b_rows) = (flatten(arena, a), flatten(arena, b));
    for (i, &x) in a_rows.iter().enumerate().filter(|(_, word)| **word != 0) {
        for (j, &y) in b_rows.iter().enumerate().filter(|(_, word)| **word != 0) {
            let rows = (row + i as i64 - other_row - j as i64).abs();
            if rows < best {
                best = best.min(rows + word_distance(x, y, other_col - col));
            }
        }
    }
    best
}

/// Returns the smallest distance between bits of `x` and bits of `y`, which is `by` columns further right.
fn word_distance(x: u64, mut y: u64, by: i64) -> i64 {
    let mut best = i64::MAX;
    while y != 0 {
        let at = i64::from(y.trailing_zeros()) + by;
        y &= y - 1;
        // The nearest bit of x at or below `at`, and the nearest one above.
        if at >= 0 {
            let below = if at >= 63 { x } else { x & ((2 << at) - 1) };
            if below != 0 {
                best = best.min(at - (63 - i64::from(below.leading_zeros())));
            }
        }
        if at < 63 {
            let above = if at < 0 { x } else { x & !((2u64 << at) - 1) };
            if above != 0 {
                best = best.min(i64::from(above.trailing_zeros()) - at);
            }
        }
        if best == 0 {
            break;
        }
    }
    best
}

fn manhattan<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let (a, b) = (as_patch(cx.arena, a)?, as_patch(cx.arena, b)?);
    int(distance(cx.arena, a, b))
}

fn adjacent<'a>(cx: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let (a, b) = (as_patch(cx.arena, a)?, as_patch(cx.arena, b)?);
    bool(distance(cx.arena, a, b) == 1)
}

fn hmatching<'a>(_: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let (Value::Patch(a), Value::Patch(b)) = (a, b) else { return None };
    let used = |patch: &Patch<'_>, row: i64| {
        let (top, _, height, _) = patch.bounds();
        (0..height).contains(&(row - top))
            && patch.planes().any(|(_, plane)| plane[(row - top) as usize] != 0)
    };
    let (top, _, height, _) = a.bounds();
    bool((top..top + height).any(|row| used(a, row) && used(b, row)))
}

fn vmatching<'a>(_: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let (Value::Patch(a), Value::Patch(b)) = (a, b) else { return None };
    let columns = |patch: &Patch<'_>| patch.rows().iter().fold(0, |columns, word| columns | word);
    let by = b.bounds().1 - a.bounds().1;
    bool(columns(a) & aligned(columns(b), by) != 0)
}

fn bordering<'a>(cx: &mut Cx<'a>, patch: Value<'a>, grid: Value<'a>) -> Answer<'a> {
    let Value::Grid(grid) = grid else { return None };
    let (top, left, bottom, right) = bounds(cx.arena, patch)?;
    bool(top == 0 || left == 0 || bottom == grid.height() as i64 - 1 || right == grid.width() as i64 - 1)
}

fn position<'a>(_: &mut Cx<'a>, a: Value<'a>, b: Value<'a>) -> Answer<'a> {
    let (Value::Patch(a), Value::Patch(b)) = (a, b) else { return None };
    let ((ia, ja), (ib, jb)) = (middle(a), middle(b));
    let direction = |from, to| if from < to { 1 } else { -1 };
    if ia == ib {
        pair(0, direction(ja, jb))
    } else if ja == jb {
        pair(direction(ia, ib), 0)
    } else {
        pair(direction(ia, ib), direction(ja, jb))
    }
}

fn middle(patch: &Patch<'_>) -> (i64, i64) {
    let (row, col, height, width) = patch.bounds();
    (row + height / 2, col + width / 2)
}

fn gravitate<'a>(cx: &mut Cx<'a>, source: Value<'a>, destination: Value<'a>) -> Answer<'a> {
    let (Value::Patch(from), Value::Patch(to)) = (source, destination) else { return None };
    let ((si, sj), (di, dj)) = (middle(from), middle(to));
    let Some(Ok(shares_column)) = vmatching(cx, source, destination) else { return None };
    let (i, j) = match shares_column.truth() {
        true => (if si < di { 1 } else { -1 }, 0),
        false => (0, if sj < dj { 1 } else { -1 }),
    };
    let mut steps = 0;
    while steps < 42 {
        let Some(Value::Patch(moved)) = cx.arena.moved(from, i * steps, j * steps) else { return None };
        if distance(cx.arena, moved, to) == 1 {
            break;
        }
        steps += 1;
    }
    pair(i * steps, j * steps)
}

fn hperiod<'a>(cx: &mut Cx<'a>, obj: Value<'a>) -> Answer<'a> {
    let Value::Patch(patch) = obj else { return None };
    let repeats = |step: i64| patch.rows().iter().all(|word| word >> step & !word == 0);
    period(cx, patch, patch.bounds().3, repeats)
}

fn vperiod<'a>(cx: &mut Cx<'a>, obj: Value<'a>) -> Answer<'a> {
    let Value::Patch(patch) = obj else { return None };
    let repeats = |step: i64| {
        let matches =
            |plane: &[u64]| plane[step as usize..].iter().zip(plane).all(|(word, to)| word & !to == 0);
        patch.planes().all(|(_, plane)| matches(plane))
    };
    period(cx, patch, patch.bounds().2, repeats)
}

/// Returns the smallest shift that maps an object onto itself, ignoring the cells that leave its box.
fn period<'a>(cx: &mut Cx<'a>, patch: &Patch<'a>, extent: i64, repeats: impl Fn(i64) -> bool) -> Answer<'a> {
    if !patch.is_object() {
        return None;
    }
    if extent < 2 {
        return int(extent);
    }
    // The body charges this for trying all shifts.
    if let Err(fail) = cx.charge(patch.count() as u64 * extent as u64 / 64) {
        return Some(Err(fail));
    }
    int((1..extent).find(|step| repeats(*step)).unwrap_or(extent))
}

fn centerofmass<'a>(_: &mut Cx<'a>, patch: Value<'a>) -> Answer<'a> {
    let Value::Patch(patch) = patch else { return None };
    let (row, col, height, _) = patch.bounds();
    // Two colours at one place are two cells but one place, so leave several planes to the body.
    if patch.rows().len() > height as usize {
        return None;
    }
    let (mut rows, mut cols) = (0, 0);
    for (i, word) in patch.rows().iter().enumerate() {
        let mut bits = *word;
        while bits != 0 {
            rows += row + i as i64;
            cols += col + i64::from(bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
    let n = patch.count() as i64;
    pair(rows.div_euclid(n), cols.div_euclid(n))
}
