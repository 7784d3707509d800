//! The neighbours of a cell.

use super::{Sheet, Written, cells};
use crate::code::{number, vector};
use crate::feature::Kind;
use crate::image::{Direction, Image, OUTSIDE, color_name};

/// The neighbours that are counted: directions, words, and the function in the language.
const REACHES: [(&[Direction], &str, &str); 2] =
    [(&Direction::STRAIGHT, "4", "dneighbors"), (&Direction::ALL, "8", "neighbors")];

/// The image moved so that each cell has the colour of the cell that far away; beyond the border is 10.
fn moved(down: i32, right: i32) -> String {
    format!("paint(canvas(TEN, shape(I)), shift(asobject(I), {}))", vector((-down, -right)))
}

pub(super) fn near(g: &Image, sheet: &mut Sheet) {
    let ground = g.background();
    for direction in Direction::ALL {
        let (dy, dx) = direction.step();
        let words = || format!("its neighbour to the {}", direction.words());
        sheet
            .column(Kind::Color, 1.0, words, cells(g, |y, x| g.get(y + dy, x + dx)))
            .code(|| Written::grid(moved(dy, dx)));
    }
    let count = |directions: &[Direction], y: i32, x: i32, counts: &dyn Fn(u8) -> bool| {
        let steps = directions.iter().map(|direction| direction.step());
        steps.filter(|step| counts(g.get(y + step.0, x + step.1))).count() as u8
    };
    for (directions, which, around) in REACHES {
        let same = cells(g, |y, x| count(directions, y, x, &|c| c == g.get(y, x)));
        sheet.count(1.0, || format!("the number of its {which} neighbours of its colour"), same).code(|| {
            let alike = "compose(lbind(ofcolor, I), lbind(index, I))";
            Written::number(format!("compose(size, fork(intersection, {around}, {alike}))"))
        });
    }
    let among = |around: &str, cells: &str| {
        Written::number(format!("compose(size, compose(lbind(intersection, {cells}), {around}))"))
    };
    for (directions, which, around) in REACHES {
        let colored = cells(g, |y, x| count(directions, y, x, &|c| c != ground && c != OUTSIDE));
        sheet
            .count(1.0, || format!("the number of its {which} coloured neighbours"), colored)
            .code(|| among(around, "difference(asindices(I), ofcolor(I, B))"));
    }
    for color in 0..10 {
        for (directions, which, around) in REACHES {
            let values = cells(g, |y, x| count(directions, y, x, &|c| c == color));
            sheet
                .count(
                    1.0,
                    || format!("the number of its {which} neighbours in {}", color_name(color)),
                    values,
                )
                .code(|| among(around, &format!("ofcolor(I, {})", number(color.into()))));
        }
    }
    for (directions, how) in [(Direction::STRAIGHT, "edge"), (Direction::DIAGONAL, "corner")] {
        let values = cells(g, |y, x| {
            let own = g.get(y, x);
            let mut seen = directions.iter().map(|d| g.get(y + d.step().0, x + d.step().1));
            seen.find(|&c| c != OUTSIDE && c != ground && c != own).unwrap_or(ground)
        });
        sheet.color(1.0, || format!("the colour at its {how}"), values).code(|| {
            // Painted in reverse order, so that the first direction is on top.
            let colored = "sfilter(asobject(I), compose(flip, matcher(first, B)))";
            Written::grid(directions.iter().rev().fold("canvas(B, shape(I))".to_owned(), |below, d| {
                format!("paint({below}, shift({colored}, {}))", vector(d.opposite().step()))
            }))
        });
    }
}

pub(super) fn ring(g: &Image, sheet: &mut Sheet) {
    for (dy, dx) in (-2i32..=2).flat_map(|dy| (-2i32..=2).map(move |dx| (dy, dx))) {
        if dy.abs().max(dx.abs()) == 2 {
            let words = || format!("the cell {dy} down and {dx} right of it");
            sheet
                .column(Kind::Color, 0.92, words, cells(g, |y, x| g.get(y + dy, x + dx)))
                .code(|| Written::grid(moved(dy, dx)));
        }
    }
}
