//! Rays, lines and what is seen along them.

use super::{List, each};
use crate::code;
use crate::image::Direction::{self, East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};
use crate::image::{Area, Image, OUTSIDE};
use crate::object::Segmentation;

/// Directions that rays take together: name, words, directions.
const SETS: [(&str, &str, &[Direction]); 14] = [
    ("EAST", "east", &[East]),
    ("SOUTH", "south", &[South]),
    ("WEST", "west", &[West]),
    ("NORTH", "north", &[North]),
    ("IN_ROWS", "both ways in the row", &[East, West]),
    ("IN_COLUMNS", "both ways in the column", &[South, North]),
    ("IN_FOUR_DIRECTIONS", "in four directions", &Direction::STRAIGHT),
    ("ON_DIAGONALS", "along all diagonals", &Direction::DIAGONAL),
    ("SOUTH_EAST", "south-east", &[SouthEast]),
    ("SOUTH_WEST", "south-west", &[SouthWest]),
    ("NORTH_WEST", "north-west", &[NorthWest]),
    ("NORTH_EAST", "north-east", &[NorthEast]),
    ("ON_FALLING_DIAGONAL", "along the falling diagonal", &[SouthEast, NorthWest]),
    ("ON_RISING_DIAGONAL", "along the rising diagonal", &[SouthWest, NorthEast]),
];

pub(super) fn rays_and_lines(list: &mut List) {
    for (i, (name, words, directions)) in SETS.into_iter().enumerate() {
        list.add(format!("RAYS_{name}"), format!("rays {words}"), move |g| {
            Some(rays(g, directions, None, false))
        })
        .feature()
        .before_cells()
        .step_if(i < 6)
        .code(rays_code(directions));
        if i < 8 {
            list.add(format!("FULL_RAYS_{name}"), format!("rays {words} through everything"), move |g| {
                Some(rays(g, directions, None, true))
            })
            .feature()
            .code(rays_code(directions));
        }
    }
    list.add("JOINED_IN_ROWS", "equal cells joined in rows", |g| Some(joined(g, &[East], None)))
        .feature()
        .code(joined_code("hline"));
    list.add("JOINED_IN_COLUMNS", "equal cells joined in columns", |g| Some(joined(g, &[South], None)))
        .feature()
        .code(joined_code("vline"));
    list.add("JOINED", "equal cells joined in rows and columns", |g| Some(joined(g, &[East, South], None)))
        .step()
        .feature()
        .before_cells()
        .code(joined_code("fork(either, hline, vline)"));
    list.add("JOINED_ON_DIAGONALS", "equal cells joined along diagonals", |g| {
        Some(joined(g, &[SouthEast, SouthWest], None))
    })
    .feature()
    .code(joined_code("compose(flip, fork(either, hline, vline))"));
}

/// Rays of one colour in some directions, in that colour.
pub(super) fn rays_of_color(list: &mut List, color: u8, constant: &str, words: &str) {
    const WAYS: [(&str, &str, &[Direction]); 3] = [
        ("IN_FOUR_DIRECTIONS", "in four directions", &Direction::STRAIGHT),
        ("IN_ROWS", "in rows", &[East, West]),
        ("IN_COLUMNS", "in columns", &[South, North]),
    ];
    for (name, how, directions) in WAYS {
        list.add(format!("{constant}_RAYS_{name}"), format!("rays of {words} {how}"), move |g| {
            g.cells.contains(&color).then(|| rays(g, directions, Some(color), false))
        })
        .code(format!(
            "underfill(I, {n}, mapply({}, ofcolor(I, {n})))",
            shots(directions),
            n = code::number(color.into())
        ));
    }
}

/// Equal cells joined by lines of one colour.
pub(super) fn joined_with_color(list: &mut List, color: u8, constant: &str, words: &str) {
    list.add(format!("JOINED_WITH_{constant}"), format!("equal cells joined with {words}"), move |g| {
        Some(joined(g, &[East, South], Some(color)))
    })
    .code(format!(
        "underfill(I, {}, mapply({}, remove(ZERO, palette(I))))",
        code::number(color.into()),
        connections("fork(either, hline, vline)")
    ));
}

/// The function from a place to the rays from it.
pub(crate) fn shots(directions: &[Direction]) -> String {
    let shot = |direction: &Direction| format!("rbind(shoot, {})", code::direction(*direction));
    let mut shots = directions.iter().map(shot);
    let first = shots.next().unwrap_or_default();
    shots.fold(first, |all, next| format!("fork(combine, {all}, {next})"))
}

/// Rays of all colours. They pass through everything; only the background is painted.
fn rays_code(directions: &[Direction]) -> String {
    let ray = format!("fork(recolor, first, compose({}, last))", shots(directions));
    format!("underpaint(I, mapply({ray}, sfilter(asobject(I), compose(flip, matcher(first, ZERO)))))")
}

/// The function from a colour to the lines between its cells that satisfy a condition.
fn connections(condition: &str) -> String {
    let cells = "lbind(ofcolor, I)";
    format!("compose(rbind(mfilter, {condition}), fork(lbind(prapply, connect), {cells}, {cells}))")
}

fn joined_code(condition: &str) -> String {
    let lines = connections(condition);
    format!("underpaint(I, mapply(fork(recolor, identity, {lines}), remove(ZERO, palette(I))))")
}

/// Rays from every coloured cell over the background; behind obstacles too, if they pass through.
fn rays(g: &Image, directions: &[Direction], only: Option<u8>, through: bool) -> Image {
    let ground = g.background();
    let mut view = g.clone();
    for y in 0..g.h as i32 {
        for x in 0..g.w as i32 {
            let color = g.get(y, x);
            if color == ground || only.is_some_and(|only| only != color) {
                continue;
            }
            for direction in directions {
                let (dy, dx) = direction.step();
                let (mut y, mut x) = (y + dy, x + dx);
                loop {
                    let met = g.get(y, x);
                    if met == OUTSIDE || (met != ground && !through) {
                        break;
                    }
                    if met == ground {
                        view.set(y as usize, x as usize, color);
                    }
                    y += dy;
                    x += dx;
                }
            }
        }
    }
    view
}

/// Fills the way between two cells of one colour that see each other.
fn joined(g: &Image, directions: &[Direction], with: Option<u8>) -> Image {
    let ground = g.background();
    let mut view = g.clone();
    for y in 0..g.h as i32 {
        for x in 0..g.w as i32 {
            let color = g.get(y, x);
            if color == ground {
                continue;
            }
            for direction in directions {
                let (dy, dx) = direction.step();
                let (seen, distance) = g.look((y, x), *direction, ground);
                if seen == color {
                    for step in 1..i32::from(distance) {
                        view.put(y + dy * step, x + dx * step, with.unwrap_or(color));
                    }
                }
            }
        }
    }
    view
}

pub(super) fn extended_lines(list: &mut List) {
    list.add("LINES_EXTENDED", "lines drawn out to the border", |g| {
        let ground = g.background();
        let mut view = g.clone();
        for o in Segmentation::Mono8.objects(g) {
            if o.size() < 2 || (o.h() > 1 && o.w() > 1) {
                continue;
            }
            let area = if o.h() == 1 {
                Area { y: o.y0, x: 0, h: 1, w: g.w }
            } else {
                Area { y: 0, x: o.x0, h: g.h, w: 1 }
            };
            each(area, |y, x| {
                if view.at(y, x) == ground {
                    view.set(y, x, o.color);
                }
            });
        }
        Some(view)
    });
}

pub(super) fn first_seen(list: &mut List) {
    for (name, words, directions) in [
        ("SEEN_STRAIGHT", "in a row or column", Direction::STRAIGHT),
        ("SEEN_ON_DIAGONALS", "on a diagonal", Direction::DIAGONAL),
    ] {
        list.add(name, format!("the first other colour seen {words}"), move |g| {
            let ground = g.background();
            Some(Image::from_fn(g.h, g.w, |y, x| {
                let own = g.at(y, x);
                let seen = directions.iter().map(|&d| g.look((y as i32, x as i32), d, ground).0);
                seen.into_iter().find(|&c| c != OUTSIDE && c != own).unwrap_or(own)
            }))
        });
    }
}
