//! The colour of a cell, constant colours, and the cells opposite.

use super::{Sheet, Written, cells};
use crate::feature::Kind;
use crate::image::{Image, OUTSIDE, color_name, least_frequent, most_frequent};

pub(super) fn color(g: &Image, sheet: &mut Sheet) {
    let ground = g.background();
    sheet.action(|| "keep", g.cells.clone()).code(|| Written::grid("I"));
    sheet.column(Kind::Color, 1.03, || "the cell", g.cells.clone()).code(|| Written::grid("I"));
    for color in 0..10 {
        sheet.action(|| color_name(color), vec![color; g.area()]).code(|| Written::Color(color));
    }
    sheet
        .flag(1.03, || "the cell is background", g.cells.iter().map(|&c| u8::from(c == ground)).collect())
        .code(|| Written::mask("ofcolor(I, B)"));
    let counts = g.counts();
    let commonest = most_frequent(&counts, |c| c != ground).unwrap_or(ground);
    let rarest = least_frequent(&counts, |c| c != ground).unwrap_or(0);
    const COMMONEST: &str = "argmax(remove(B, palette(I)), lbind(colorcount, I))";
    const RAREST: &str = "argmin(remove(B, palette(I)), lbind(colorcount, I))";
    sheet
        .action(|| "the commonest colour", vec![commonest; g.area()])
        .code(|| Written::grid(format!("canvas({COMMONEST}, shape(I))")));
    sheet
        .action(|| "the rarest colour", vec![rarest; g.area()])
        .code(|| Written::grid(format!("canvas({RAREST}, shape(I))")));
    sheet
        .flag(
            1.0,
            || "the cell has the commonest colour",
            cells(g, |y, x| u8::from(g.get(y, x) == commonest)),
        )
        .code(|| Written::mask(format!("ofcolor(I, {COMMONEST})")));
    sheet
        .flag(1.0, || "the cell has the rarest colour", cells(g, |y, x| u8::from(g.get(y, x) == rarest)))
        .code(|| Written::mask(format!("ofcolor(I, {RAREST})")));
}

pub(super) fn mirror(g: &Image, sheet: &mut Sheet) {
    let (h, w) = (g.h as i32, g.w as i32);
    let ground = g.background();
    let inside = |color: u8| if color == OUTSIDE { ground } else { color };
    sheet
        .color(1.0, || "the cell opposite left-right", cells(g, |y, x| g.get(y, w - 1 - x)))
        .code(|| Written::grid("vmirror(I)"));
    sheet
        .color(1.0, || "the cell opposite up-down", cells(g, |y, x| g.get(h - 1 - y, x)))
        .code(|| Written::grid("hmirror(I)"));
    sheet
        .color(1.0, || "the cell half a turn away", cells(g, |y, x| g.get(h - 1 - y, w - 1 - x)))
        .code(|| Written::grid("rot180(I)"));
    sheet
        .color(1.0, || "the cell across the diagonal", cells(g, |y, x| inside(g.get(x, y))))
        .code(|| Written::grid("dmirror(I)"));
    sheet
        .color(
            1.0,
            || "the cell across the other diagonal",
            cells(g, |y, x| inside(g.get(w - 1 - x, h - 1 - y))),
        )
        .code(|| Written::grid("cmirror(I)"));
}
