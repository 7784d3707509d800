//! Patterns: a motif repeated, alternating lines, stripes.

use super::List;
use crate::image::{Image, most_frequent};

/// Whether a motif is repeated at a place, given in steps of its own size down and to the right.
type Repeats = fn(i32, i32) -> bool;

const WAYS: [(&str, &str, Repeats); 10] = [
    ("EVERYWHERE", "everywhere", |_, _| true),
    ("IN_ROWS", "in its rows", |down, _| down == 0),
    ("IN_COLUMNS", "in its columns", |_, right| right == 0),
    ("IN_ROWS_AND_COLUMNS", "in its rows and columns", |down, right| down == 0 || right == 0),
    ("RIGHT", "to the right", |down, right| down == 0 && right > 0),
    ("LEFT", "to the left", |down, right| down == 0 && right < 0),
    ("DOWN", "downwards", |down, right| right == 0 && down > 0),
    ("UP", "upwards", |down, right| right == 0 && down < 0),
    ("ON_DIAGONAL", "along the diagonal", |down, right| down == right),
    ("ON_BOTH_DIAGONALS", "along both diagonals", |down, right| down.abs() == right.abs()),
];

pub(super) fn motifs(list: &mut List) {
    for (i, (name, words, repeats)) in WAYS.into_iter().enumerate() {
        list.add(format!("MOTIF_{name}"), format!("the motif repeated {words}"), move |g| {
            motif(g, g.background(), repeats)
        });
        if i < 4 {
            list.add(
                format!("MOTIF_ON_COMMONEST_{name}"),
                format!("the motif on the commonest colour repeated {words}"),
                move |g| motif(g, g.majority(), repeats),
            );
        }
    }
}

/// The box of everything on the background, repeated over the canvas or a part of it.
fn motif(g: &Image, ground: u8, repeats: Repeats) -> Option<Image> {
    let area = g.bounds(|c| c != ground)?;
    if area.h * area.w == g.area() {
        return None;
    }
    Some(Image::from_fn(g.h, g.w, |y, x| {
        let (dy, dx) = (y as i32 - area.y as i32, x as i32 - area.x as i32);
        let (h, w) = (area.h as i32, area.w as i32);
        let (down, right) = (dy.div_euclid(h), dx.div_euclid(w));
        if (down == 0 && right == 0) || repeats(down, right) {
            g.at(area.y + dy.rem_euclid(h) as usize, area.x + dx.rem_euclid(w) as usize)
        } else {
            g.at(y, x)
        }
    }))
}

pub(super) fn alternating(list: &mut List) {
    list.add("COLUMNS_ALTERNATING", "columns alternating from the right", |g| {
        Some(Image::from_fn(g.h, g.w, |_, x| ((g.w - 1 - x) % 2) as u8))
    })
    .code(
        "fill(canvas(ZERO, shape(I)), ONE, sfilter(asindices(I), \
         compose(flip, compose(even, compose(lbind(subtract, decrement(width(I))), last)))))",
    );
    list.add("ROWS_ALTERNATING", "rows alternating from the bottom", |g| {
        Some(Image::from_fn(g.h, g.w, |y, _| ((g.h - 1 - y) % 2) as u8))
    })
    .code(
        "fill(canvas(ZERO, shape(I)), ONE, sfilter(asindices(I), \
         compose(flip, compose(even, compose(lbind(subtract, decrement(height(I))), first)))))",
    );
}

/// Every row, or every column, in its commonest colour: whichever agrees more with the image.
pub(super) fn stripes(list: &mut List) {
    list.add("STRIPES", "stripes", |g| {
        let commonest = |cells: &mut dyn Iterator<Item = u8>| {
            let mut counts = [0; 10];
            cells.for_each(|c| counts[usize::from(c)] += 1);
            most_frequent(&counts, |_| true).unwrap_or(0)
        };
        let rows: Vec<u8> = (0..g.h).map(|y| commonest(&mut (0..g.w).map(|x| g.at(y, x)))).collect();
        let cols: Vec<u8> = (0..g.w).map(|x| commonest(&mut (0..g.h).map(|y| g.at(y, x)))).collect();
        let (lying, upright) =
            (Image::from_fn(g.h, g.w, |y, _| rows[y]), Image::from_fn(g.h, g.w, |_, x| cols[x]));
        Some(if lying.distance(g) <= upright.distance(g) { lying } else { upright })
    });
}
