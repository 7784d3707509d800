//! Rows, columns and colours in an order.

use super::{List, color};
use crate::image::{Image, MAX_SIDE, Symmetry};

pub(super) fn orders(list: &mut List) {
    let falling = "order(I, compose(invert, compose(size, lbind(remove, ZERO))))";
    let rising = "order(I, compose(size, lbind(remove, ZERO)))";
    let upright = |code: &str| format!("dmirror({})", code.replacen('I', "dmirror(I)", 1));
    for (name, words, columns, ascending, code) in [
        ("COLUMNS_SORTED", "columns sorted by their coloured cells", true, true, upright(rising)),
        (
            "COLUMNS_SORTED_DOWN",
            "columns sorted downwards by their coloured cells",
            true,
            false,
            upright(falling),
        ),
        (
            "ROWS_SORTED_DOWN",
            "rows sorted downwards by their coloured cells",
            false,
            false,
            falling.to_owned(),
        ),
    ] {
        list.add(name, words, move |g| {
            Some(if columns {
                sorted_rows(&g.turned(Symmetry::Transpose), ascending).turned(Symmetry::Transpose)
            } else {
                sorted_rows(g, ascending)
            })
        })
        .code(code);
    }
    for (of, of_words, majority) in [("", "", false), ("_BUT_COMMONEST", " but the commonest", true)] {
        for (order, order_words, falling) in
            [("LONGEST_FIRST", "the longest first", true), ("SHORTEST_FIRST", "the shortest first", false)]
        {
            for (how, how_words, upright) in [("LYING", "lying", false), ("UPRIGHT", "upright", true)] {
                list.add(
                    format!("{how}_BARS{of}_{order}"),
                    format!("a {how_words} bar for each colour{of_words}, {order_words}"),
                    move |g| {
                        let bars = color_bars(g, if majority { g.majority() } else { 0 }, falling)?;
                        Some(if upright { bars.turned(Symmetry::Transpose) } else { bars })
                    },
                );
            }
        }
    }
    for (name, words, majority, falling) in [
        ("COLORS_RAREST_FIRST", "its colours in a column, the rarest first", false, false),
        ("UNCOMMON_COLORS_COMMONEST_FIRST", "its colours but the commonest in a column", true, true),
        (
            "UNCOMMON_COLORS_RAREST_FIRST",
            "its colours but the commonest in a column, the rarest first",
            true,
            false,
        ),
    ] {
        list.add(name, words, move |g| ordered_colors(g, if majority { g.majority() } else { 0 }, falling))
            .code(ordered_colors_code(if majority { "mostcolor(I)" } else { "ZERO" }, falling));
    }
    color::permuted(list);
}

/// Colours by how often they occur; of equals the smaller colour first.
pub(super) fn by_frequency(g: &Image, wanted: impl Fn(u8) -> bool, falling: bool) -> Vec<u8> {
    let counts = g.counts();
    let mut colors: Vec<u8> = (0..10).filter(|&c| wanted(c) && counts[usize::from(c)] > 0).collect();
    colors.sort_by_key(|&c| {
        let n = counts[usize::from(c)] as i64;
        if falling { -n } else { n }
    });
    colors
}

pub(super) fn ordered_colors(g: &Image, ground: u8, falling: bool) -> Option<Image> {
    let colors = by_frequency(g, |c| c != ground, falling);
    (!colors.is_empty()).then(|| Image::from_fn(colors.len(), 1, |y, _| colors[y]))
}

/// The colours but one in a column, ordered by frequency, in the language.
pub(super) fn ordered_colors_code(but: &str, falling: bool) -> String {
    let count = if falling { "compose(invert, lbind(colorcount, I))" } else { "lbind(colorcount, I)" };
    format!("apply(rbind(repeat, ONE), order(remove({but}, palette(I)), {count}))")
}

fn color_bars(g: &Image, ground: u8, falling: bool) -> Option<Image> {
    let counts = g.counts();
    let colors = by_frequency(g, |c| c != ground, falling);
    let longest = colors.iter().map(|&c| counts[usize::from(c)]).max().filter(|&n| n <= MAX_SIDE)?;
    Some(Image::from_fn(colors.len(), longest, |y, x| {
        if x < counts[usize::from(colors[y])] { colors[y] } else { 0 }
    }))
}

pub(super) fn sorted_rows(g: &Image, ascending: bool) -> Image {
    let mut rows: Vec<&[u8]> = g.cells.chunks(g.w).collect();
    rows.sort_by_key(|row| {
        let n = row.iter().filter(|&&c| c != 0).count() as i64;
        if ascending { n } else { -n }
    });
    Image { h: g.h, w: g.w, cells: rows.concat() }
}
