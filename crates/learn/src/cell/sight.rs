//! The colours that a cell sees in the eight directions.

use std::sync::Arc;

use super::{Sheet, Written, cells};
use crate::code::{Code, Expr, direction, number};
use crate::image::{Direction, Image, OUTSIDE, color_name};

pub(super) fn rays(g: &Image, sheet: &mut Sheet) {
    let ground = g.background();
    let seen: Vec<Vec<u8>> = Direction::ALL
        .iter()
        .map(|&direction| {
            cells(g, |y, x| match g.look((y, x), direction, ground).0 {
                OUTSIDE => ground,
                color => color,
            })
        })
        .collect();
    for (values, direction) in seen.iter().zip(Direction::ALL) {
        sheet
            .color(1.0, || format!("the colour seen to the {}", direction.words()), values.clone())
            .code(|| Written::Grid(Arc::new(move |code, grid| Some(seen_code(direction, code, grid)))));
    }
    let n = g.area();
    for (a, b, words) in [
        (Direction::East, Direction::West, "it lies between equal colours in its row"),
        (Direction::South, Direction::North, "it lies between equal colours in its column"),
        (Direction::SouthEast, Direction::NorthWest, "it lies between equal colours on the falling diagonal"),
        (Direction::SouthWest, Direction::NorthEast, "it lies between equal colours on the rising diagonal"),
    ] {
        let (first, second) = (&seen[a as usize], &seen[b as usize]);
        let between = |i: usize| u8::from(first[i] == second[i] && first[i] != ground);
        sheet.flag(1.0, || words, (0..n).map(between).collect()).code(|| {
            Written::Mask(Arc::new(move |code, grid| {
                let (first, second) = (seen_code(a, code, grid), seen_code(b, code, grid));
                let same = format!("fork(equality, lbind(index, {first}), lbind(index, {second}))");
                let same = code.line(same);
                let places = code.places(grid, &same);
                let background = code.background(grid);
                Some(code.line(format!("difference({places}, ofcolor({first}, {background}))")))
            }))
        });
    }
    for (directions, words) in [
        (Direction::STRAIGHT, "the number of directions in which it sees something"),
        (Direction::DIAGONAL, "the number of diagonals on which it sees something"),
    ] {
        let count = |i: usize| directions.iter().filter(|&&d| seen[d as usize][i] != ground).count() as u8;
        sheet
            .count(1.0, || words, (0..n).map(count).collect())
            .code(|| Written::Masks(directions.map(|direction| see_code(direction, None)).to_vec()));
    }
    for (directions, words) in [
        (Direction::STRAIGHT, "the first colour seen straight"),
        (Direction::DIAGONAL, "the first colour seen on a diagonal"),
    ] {
        let first = |i: usize| {
            directions.iter().map(|&d| seen[d as usize][i]).find(|&c| c != ground).unwrap_or(ground)
        };
        sheet.action(|| words, (0..n).map(first).collect()).code(|| {
            Written::Grid(Arc::new(move |code, grid| {
                let background = code.background(grid);
                let mut below = code.line(format!("canvas({background}, shape({grid}))"));
                for direction in directions.iter().rev() {
                    let seen = seen_code(*direction, code, grid);
                    let colored = format!("compose(flip, matcher(first, {background}))");
                    below = code.line(format!("paint({below}, sfilter(asobject({seen}), {colored}))"));
                }
                Some(below)
            }))
        });
    }
    for color in 1..10 {
        for (directions, how) in [(Direction::STRAIGHT, "straight"), (Direction::DIAGONAL, "on diagonals")] {
            let count = |i: usize| directions.iter().filter(|&&d| seen[d as usize][i] == color).count() as u8;
            let words = || format!("the number of times it sees {} {how}", color_name(color));
            sheet.count(1.0, words, (0..n).map(count).collect()).code(|| {
                Written::Masks(directions.map(|direction| see_code(direction, Some(color))).to_vec())
            });
        }
    }
}

/// The grid of the colours that cells see in a direction, over the background.
///
/// Each step moves the picture by one cell and paints the coloured cells again, which stop what is behind them.
fn seen_code(towards: Direction, code: &mut Code, grid: &Expr) -> Expr {
    let step = direction(towards.opposite());
    let canvas = code.template("canvas(B, shape(I))", grid);
    let colored = code.template("sfilter(asobject(I), compose(flip, matcher(first, B)))", grid);
    let move_on = format!("compose(lbind(paint, {canvas}), compose(rbind(shift, {step}), asobject))");
    let move_on = code.line(move_on);
    let spread = code.line(format!("power(compose(rbind(paint, {colored}), {move_on}), 30)"));
    let spread = code.line(format!("{spread}({grid})"));
    code.line(format!("{move_on}({spread})"))
}

/// The places that see a colour, or any colour, in a direction.
#[expect(clippy::type_complexity, reason = "the type of a written mask")]
fn see_code(
    direction: Direction,
    color: Option<u8>,
) -> Arc<dyn Fn(&mut Code, &Expr) -> Option<Expr> + Send + Sync> {
    Arc::new(move |code, grid| {
        let seen = seen_code(direction, code, grid);
        let background = code.background(grid);
        Some(match color {
            Some(color) => code.line(format!("ofcolor({seen}, {})", number(color.into()))),
            None => code.line(format!("difference(asindices({grid}), ofcolor({seen}, {background}))")),
        })
    })
}
