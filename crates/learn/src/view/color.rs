//! Colours kept, removed, swapped and counted.

use super::crop::crop_to;
use super::order::{by_frequency, ordered_colors, ordered_colors_code, sorted_rows};
use super::{List, fill, ray};
use crate::code::number;
use crate::image::{ColorMap, Direction, Image, color_constant, color_name, least_frequent, most_frequent};

/// The commonest colour but black, and the rarest, in the language.
pub(crate) const COMMONEST: &str = "argmax(remove(ZERO, palette(I)), lbind(colorcount, I))";
pub(crate) const RAREST: &str = "argmin(remove(ZERO, palette(I)), lbind(colorcount, I))";

/// A grid with one colour kept and the rest black, in the language.
fn only_code(color: &str) -> String {
    format!("fill(I, ZERO, difference(asindices(I), ofcolor(I, {color})))")
}

pub(super) fn colors(list: &mut List) {
    list.add("BLUE_IF_COLORED", "blue where not black", |g| Some(g.map(|c| u8::from(c != 0))))
        .step()
        .code("fill(I, ONE, difference(asindices(I), ofcolor(I, ZERO)))");
    list.add("BLACK_AND_COLOR_SWAPPED", "black and colour swapped", |g| match g.colors_but(0)[..] {
        [color] => Some(g.map(|c| if c == 0 { color } else { 0 })),
        _ => None,
    })
    .code("switch(I, ZERO, first(remove(ZERO, palette(I))))");
    list.add("OUTLINES", "only outlines", |g| {
        Some(Image::from_fn(g.h, g.w, |y, x| {
            let color = g.at(y, x);
            let inside = Direction::ALL.iter().all(|&direction| g.beside(y, x, direction) == color);
            if inside { 0 } else { color }
        }))
    })
    .feature()
    .code(
        "fill(I, ZERO, sfilter(asindices(I), matcher(compose(size, fork(intersection, neighbors, \
         compose(lbind(ofcolor, I), lbind(index, I)))), EIGHT)))",
    );
    let commonest = |g: &Image| most_frequent(&g.counts(), |c| c != 0);
    let rarest = |g: &Image| least_frequent(&g.counts(), |c| c != 0);
    list.add("FILLED_WITH_COMMONEST", "filled with the commonest colour", move |g| {
        Some(Image::new(g.h, g.w, commonest(g)?))
    })
    .code(format!("canvas({COMMONEST}, shape(I))"));
    list.add("CELL_OF_COMMONEST", "one cell of the commonest colour", move |g| {
        Some(Image::new(1, 1, commonest(g)?))
    })
    .code(format!("canvas({COMMONEST}, UNITY)"));
    list.add("CELL_OF_RAREST", "one cell of the rarest colour", move |g| Some(Image::new(1, 1, rarest(g)?)))
        .code(format!("canvas({RAREST}, UNITY)"));
    list.add("ONLY_COMMONEST", "only the commonest colour", move |g| {
        let color = commonest(g)?;
        Some(g.masked(|c| c == color, 0))
    })
    .step()
    .feature()
    .selected()
    .before_small_rules()
    .code(only_code(COMMONEST));
    list.add("ONLY_RAREST", "only the rarest colour", move |g| {
        let color = rarest(g)?;
        Some(g.masked(|c| c == color, 0))
    })
    .step()
    .feature()
    .selected()
    .before_small_rules()
    .code(only_code(RAREST));
    list.add("CROPPED_TO_RAREST", "cropped to the rarest colour", move |g| {
        let color = rarest(g)?;
        crop_to(g, |c| c == color)
    })
    .step()
    .code(format!("subgrid(ofcolor(I, {RAREST}), I)"));
    list.add("COLORS_COMMONEST_FIRST", "its colours in a column, the commonest first", |g| {
        ordered_colors(g, 0, true)
    })
    .code(ordered_colors_code("ZERO", true));
    list.add("ROWS_SORTED", "rows sorted by their coloured cells", |g| Some(sorted_rows(g, true)))
        .code("order(I, compose(size, lbind(remove, ZERO)))");
}

pub(super) fn per_color(list: &mut List) {
    for color in 1..10u8 {
        let (constant, words, n) = (color_constant(color), color_name(color), number(color.into()));
        let has = move |g: &Image| g.cells.contains(&color);
        list.add(format!("WITHOUT_{constant}"), format!("without {words}"), move |g| {
            has(g).then(|| g.masked(|c| c != color, 0))
        })
        .step()
        .code(format!("replace(I, {n}, ZERO)"));
        list.add(format!("ONLY_{constant}"), format!("only {words}"), move |g| {
            Some(g.masked(|c| c == color, 0))
        })
        .step()
        .selected()
        .code(only_code(&n));
        list.add(format!("CROPPED_TO_{constant}"), format!("cropped to {words}"), move |g| {
            crop_to(g, |c| c == color)
        })
        .step()
        .code(format!("subgrid(ofcolor(I, {n}), I)"));
        ray::rays_of_color(list, color, constant, words);
        ray::joined_with_color(list, color, constant, words);
        fill::holes_with_color(list, color, constant, words);
    }
}

pub(super) fn swaps(list: &mut List) {
    list.add("TWO_COLORS_SWAPPED", "its two colours swapped", |g| match g.colors_but(g.background())[..] {
        [a, b] => {
            let mut map = ColorMap::IDENTITY;
            map.0.swap(a.into(), b.into());
            Some(g.recolored(&map))
        }
        _ => None,
    })
    .code("switch(I, first(remove(B, palette(I))), last(remove(B, palette(I))))");
    list.add("EVERYTHING_RAREST", "everything in the rarest colour", |g| {
        let ground = g.background();
        let color = least_frequent(&g.counts(), |c| c != ground)?;
        Some(g.map(|c| if c == ground { c } else { color }))
    })
    .code(
        "fill(I, argmin(remove(B, palette(I)), lbind(colorcount, I)), \
         difference(asindices(I), ofcolor(I, B)))",
    );
}

pub(super) fn smoothed(list: &mut List) {
    list.add("SMOOTHED", "the commonest colour of each 3×3 neighbourhood", |g| {
        Some(Image::from_fn(g.h, g.w, |y, x| {
            let mut counts = [0; 11];
            for (dy, dx) in (-1..2).flat_map(|dy| (-1..2).map(move |dx| (dy, dx))) {
                counts[usize::from(g.get(y as i32 + dy, x as i32 + dx))] += 1;
            }
            (0..10u8).max_by_key(|&c| (counts[usize::from(c)], c == g.at(y, x), 10 - c)).unwrap_or(0)
        }))
    });
}

/// Colours that change places by how often they occur.
pub(super) fn permuted(list: &mut List) {
    for (k, (name, words)) in
        [("REVERSED", "reversed"), ("MOVED_ON", "moved on"), ("MOVED_BACK", "moved back")]
            .into_iter()
            .enumerate()
    {
        list.add(format!("COLORS_{name}"), format!("colours permuted by frequency: {words}"), move |g| {
            let ranks = by_frequency(g, |_| true, true);
            let n = ranks.len();
            let mut map = ColorMap::IDENTITY;
            for (i, &color) in ranks.iter().enumerate() {
                map.0[usize::from(color)] = ranks[[n - 1 - i, (i + 1) % n, (i + n - 1) % n][k]];
            }
            (n > 1).then(|| g.recolored(&map))
        });
    }
}
