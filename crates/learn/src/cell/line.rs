//! The row, the column and the position of a cell.

use super::{Sheet, Written, cells};
use crate::code::number;
use crate::feature::Kind;
use crate::image::{Image, color_name, most_frequent};

pub(super) fn lines(g: &Image, sheet: &mut Sheet) {
    let count_line = |places: &mut dyn Iterator<Item = u8>| {
        let mut counts = [0usize; 10];
        places.for_each(|c| counts[usize::from(c)] += 1);
        counts
    };
    let rows: Vec<_> = (0..g.h).map(|y| count_line(&mut (0..g.w).map(|x| g.at(y, x)))).collect();
    let cols: Vec<_> = (0..g.w).map(|x| count_line(&mut (0..g.h).map(|y| g.at(y, x)))).collect();
    let (row, col) = (|y: i32| &rows[y as usize], |x: i32| &cols[x as usize]);
    let among = |line: &str, cells: &str| {
        Written::number(format!("compose(size, compose(lbind(intersection, {cells}), {line}))"))
    };
    for color in 0..10usize {
        let words = color_name(color as u8);
        let of = || format!("ofcolor(I, {})", number(color as i64));
        sheet
            .count(0.85, || format!("the amount of {words} in its row"), cells(g, |y, _| row(y)[color] as u8))
            .code(|| among("hfrontier", &of()));
        sheet
            .count(
                0.85,
                || format!("the amount of {words} in its column"),
                cells(g, |_, x| col(x)[color] as u8),
            )
            .code(|| among("vfrontier", &of()));
    }
    let ground = usize::from(g.background());
    let (in_row, in_col) = (|y: i32| g.w - row(y)[ground], |x: i32| g.h - col(x)[ground]);
    const COLORED: &str = "difference(asindices(I), ofcolor(I, B))";
    sheet
        .count(1.0, || "the number of coloured cells in its row", cells(g, |y, _| in_row(y) as u8))
        .code(|| among("hfrontier", COLORED));
    sheet
        .count(1.0, || "the number of coloured cells in its column", cells(g, |_, x| in_col(x) as u8))
        .code(|| among("vfrontier", COLORED));
    sheet
        .flag(1.0, || "its row has one colour", cells(g, |y, _| u8::from(row(y).contains(&g.w))))
        .code(|| Written::mask("toindices(merge(sfilter(frontiers(I), hline)))"));
    sheet
        .flag(1.0, || "its column has one colour", cells(g, |_, x| u8::from(col(x).contains(&g.h))))
        .code(|| Written::mask("toindices(merge(sfilter(frontiers(I), vline)))"));
    let fullest_row = rows.iter().map(|r| g.w - r[ground]).max().unwrap_or(0);
    let fullest_col = cols.iter().map(|c| g.h - c[ground]).max().unwrap_or(0);
    sheet.flag(1.0, || "its row is the fullest", cells(g, |y, _| u8::from(in_row(y) == fullest_row)));
    sheet.flag(1.0, || "its column is the fullest", cells(g, |_, x| u8::from(in_col(x) == fullest_col)));
    let commonest =
        |counts: &[usize; 10]| most_frequent(counts, |c| usize::from(c) != ground).unwrap_or(ground as u8);
    sheet.color(1.0, || "the commonest colour of its row", cells(g, |y, _| commonest(row(y))));
    sheet.color(1.0, || "the commonest colour of its column", cells(g, |_, x| commonest(col(x))));
    let (last_y, last_x) = (g.h as i32 - 1, g.w as i32 - 1);
    let column = "crop(I, ORIGIN, astuple(height(I), ONE))";
    let first_row = "crop(I, ORIGIN, astuple(ONE, width(I)))";
    sheet
        .color(1.0, || "the first cell of its row", cells(g, |y, _| g.get(y, 0)))
        .code(|| Written::grid(format!("hupscale({column}, width(I))")));
    sheet
        .color(1.0, || "the last cell of its row", cells(g, |y, _| g.get(y, last_x)))
        .code(|| Written::grid(format!("hupscale({}, width(I))", column.replacen("I,", "vmirror(I),", 1))));
    sheet
        .color(1.0, || "the first cell of its column", cells(g, |_, x| g.get(0, x)))
        .code(|| Written::grid(format!("vupscale({first_row}, height(I))")));
    sheet.color(1.0, || "the last cell of its column", cells(g, |_, x| g.get(last_y, x))).code(|| {
        Written::grid(format!("vupscale({}, height(I))", first_row.replacen("I,", "hmirror(I),", 1)))
    });
}

pub(super) fn position(g: &Image, sheet: &mut Sheet) {
    let (h, w) = (g.h as i32, g.w as i32);
    let border = |y: i32, x: i32| y.min(x).min(h - 1 - y).min(w - 1 - x);
    let where_ = |predicate: &str| Written::mask(format!("sfilter(asindices(I), {predicate})"));
    let odd = |of: &str| where_(&format!("compose(flip, compose(even, {of}))"));
    let modulo_3 = |of: &str| {
        let whole = "compose(lbind(multiply, THREE), rbind(divide, THREE))";
        Written::number(format!("compose(fork(subtract, identity, {whole}), {of})"))
    };
    sheet.flag(1.0, || "its row is odd", cells(g, |y, _| (y % 2) as u8)).code(|| odd("first"));
    sheet.flag(1.0, || "its column is odd", cells(g, |_, x| (x % 2) as u8)).code(|| odd("last"));
    sheet
        .flag(1.0, || "its row and column add up to odd", cells(g, |y, x| ((y + x) % 2) as u8))
        .code(|| odd("fork(add, first, last)"));
    sheet
        .column(Kind::Code, 0.8, || "its row modulo 3", cells(g, |y, _| (y % 3) as u8))
        .code(|| modulo_3("first"));
    sheet
        .column(Kind::Code, 0.8, || "its column modulo 3", cells(g, |_, x| (x % 3) as u8))
        .code(|| modulo_3("last"));
    let to_border = "compose(minimum, fork(combine, identity, lbind(subtract, decrement(shape(I)))))";
    sheet
        .count(0.9, || "its distance to the border", cells(g, |y, x| border(y, x) as u8))
        .code(|| Written::number(to_border));
    sheet
        .flag(1.0, || "its distance to the border is odd", cells(g, |y, x| (border(y, x) % 2) as u8))
        .code(|| odd(to_border));
    sheet
        .flag(1.0, || "it lies on the main diagonal", cells(g, |y, x| u8::from(y == x)))
        .code(|| where_("fork(equality, first, last)"));
    sheet
        .flag(1.0, || "it lies on the other diagonal", cells(g, |y, x| u8::from(y + x == w - 1)))
        .code(|| where_("matcher(fork(add, first, last), decrement(width(I)))"));
    let from_below = "compose(lbind(subtract, decrement(height(I))), first)";
    let from_right = "compose(lbind(subtract, decrement(width(I))), last)";
    sheet.count(0.6, || "its row", cells(g, |y, _| y as u8)).code(|| Written::number("first"));
    sheet.count(0.6, || "its column", cells(g, |_, x| x as u8)).code(|| Written::number("last"));
    sheet
        .count(0.6, || "its row from below", cells(g, |y, _| (h - 1 - y) as u8))
        .code(|| Written::number(from_below));
    sheet
        .count(0.6, || "its column from the right", cells(g, |_, x| (w - 1 - x) as u8))
        .code(|| Written::number(from_right));
    sheet
        .flag(1.0, || "it lies in the middle column", cells(g, |_, x| u8::from(2 * x == w - 1)))
        .code(|| where_("matcher(compose(double, last), decrement(width(I)))"));
    sheet
        .flag(1.0, || "it lies in the middle row", cells(g, |y, _| u8::from(2 * y == h - 1)))
        .code(|| where_("matcher(compose(double, first), decrement(height(I)))"));
    sheet
        .flag(1.0, || "it lies in the upper half", cells(g, |y, _| u8::from(2 * y < h)))
        .code(|| where_("compose(lbind(greater, height(I)), compose(double, first))"));
    sheet
        .flag(1.0, || "it lies in the left half", cells(g, |_, x| u8::from(2 * x < w)))
        .code(|| where_("compose(lbind(greater, width(I)), compose(double, last))"));
}
