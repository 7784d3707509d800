//! What can be said of a cell, in groups, and the colours a cell may copy.

use std::sync::LazyLock;

use crate::feature::{Feature, Kind};
use crate::image::{Area, DIRECTIONS, Image, OUTSIDE, color_name, least_frequent, most_frequent};
use crate::object::{OBJECT_FEATURES, Object, Reading, Seg, components, object_features, place};
use crate::view::{regions8, views};

/// A group of features: a vocabulary is a list of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(crate) enum Group {
    /// Own colour and constants; part of every vocabulary.
    Base,
    /// The eight neighbours.
    Near,
    /// The ring at distance two.
    Ring,
    /// What is seen in eight directions.
    Rays,
    /// The row and the column.
    Lines,
    Position,
    /// The mirrored cells.
    Mirror,
    /// The component that holds the cell.
    Object,
    /// The smallest box that holds the cell.
    Box,
    /// The nearest object.
    Nearest,
    /// The same cell in transforms of the image.
    Views,
    /// The same cell in the special transforms.
    SpecialViews,
}

pub(crate) const N_GROUPS: usize = 12;
/// A feature or action is named by its group and its place in it.
pub(crate) const PER_GROUP: usize = 1024;

pub(crate) const ALL_GROUPS: [Group; 11] = [
    Group::Base,
    Group::Near,
    Group::Ring,
    Group::Rays,
    Group::Lines,
    Group::Position,
    Group::Mirror,
    Group::Object,
    Group::Box,
    Group::Nearest,
    Group::Views,
];

impl Group {
    const EVERY: [Group; N_GROUPS] = [
        Group::Base,
        Group::Near,
        Group::Ring,
        Group::Rays,
        Group::Lines,
        Group::Position,
        Group::Mirror,
        Group::Object,
        Group::Box,
        Group::Nearest,
        Group::Views,
        Group::SpecialViews,
    ];

    pub(crate) fn from_index(index: usize) -> Group {
        Group::EVERY[index % N_GROUPS]
    }

    /// What the group says of every cell of an image.
    pub(crate) fn sheet(self, image: &Image) -> Sheet {
        let mut sheet = Sheet { n: image.area(), ..Sheet::default() };
        self.fill(image, &mut sheet);
        sheet
    }

    /// The names of its columns and actions, the same for every image.
    pub(crate) fn names(self) -> &'static Names {
        static NAMES: LazyLock<Vec<Names>> = LazyLock::new(|| {
            let dot = Image::new(1, 1, 0);
            let named = Group::EVERY.iter().map(|group| {
                let mut sheet = Sheet { n: 1, names: Some(Names::default()), ..Sheet::default() };
                group.fill(&dot, &mut sheet);
                sheet.names.unwrap_or_default()
            });
            named.collect()
        });
        &NAMES[self as usize]
    }

    fn fill(self, image: &Image, sheet: &mut Sheet) {
        match self {
            Group::Base => base(image, sheet),
            Group::Near => near(image, sheet),
            Group::Ring => ring(image, sheet),
            Group::Rays => rays(image, sheet),
            Group::Lines => lines(image, sheet),
            Group::Position => position(image, sheet),
            Group::Mirror => mirror(image, sheet),
            Group::Object => object(image, sheet),
            Group::Box => boxes(image, sheet),
            Group::Nearest => nearest(image, sheet),
            Group::Views => same_cell_in_views(image, sheet, false),
            Group::SpecialViews => same_cell_in_views(image, sheet, true),
        }
    }
}

#[derive(Default)]
pub(crate) struct Names {
    pub features: Vec<Feature<String>>,
    pub actions: Vec<String>,
}

/// The values of a group for the cells of one image, column by column.
#[derive(Default)]
pub(crate) struct Sheet {
    n: usize,
    pub columns: Vec<Vec<u8>>,
    /// The colour each action would give.
    pub actions: Vec<Vec<u8>>,
    names: Option<Names>,
}

impl Sheet {
    fn column(&mut self, kind: Kind, weight: f64, name: impl Fn() -> String, values: Vec<u8>) {
        debug_assert_eq!(values.len(), self.n);
        self.columns.push(values);
        if let Some(names) = &mut self.names {
            names.features.push(Feature { name: name(), kind, weight });
        }
    }

    fn action(&mut self, name: impl Fn() -> String, values: Vec<u8>) {
        self.actions.push(values);
        if let Some(names) = &mut self.names {
            names.actions.push(name());
        }
    }

    /// A colour that may be tested and copied.
    fn color(&mut self, weight: f64, name: impl Fn() -> String, values: Vec<u8>) {
        self.action(&name, values.clone());
        self.column(Kind::Color, weight, name, values);
    }

    fn flag(&mut self, weight: f64, name: &str, values: Vec<u8>) {
        self.column(Kind::Flag, weight, || name.to_owned(), values);
    }

    fn count(&mut self, weight: f64, name: &str, values: Vec<u8>) {
        self.column(Kind::Count, weight, || name.to_owned(), values);
    }
}

/// A value for every cell.
fn cells(image: &Image, value: impl Fn(i32, i32) -> u8) -> Vec<u8> {
    let (h, w) = (image.h as i32, image.w as i32);
    (0..h).flat_map(|y| (0..w).map(move |x| (y, x))).map(|(y, x)| value(y, x)).collect()
}

const WINDS: [&str; 8] =
    ["east", "south", "west", "north", "south-east", "south-west", "north-west", "north-east"];

fn base(g: &Image, sheet: &mut Sheet) {
    let ground = g.background();
    sheet.action(|| "keep".into(), g.cells.clone());
    sheet.column(Kind::Color, 1.03, || "the cell".into(), g.cells.clone());
    for color in 0..10 {
        sheet.action(|| color_name(color).into(), vec![color; g.area()]);
    }
    sheet.flag(1.03, "the cell is background", g.cells.iter().map(|&c| u8::from(c == ground)).collect());
    let counts = g.counts();
    let commonest = most_frequent(&counts, |c| c != ground).unwrap_or(ground);
    let rarest = least_frequent(&counts, |c| c != ground).unwrap_or(0);
    sheet.action(|| "the commonest colour".into(), vec![commonest; g.area()]);
    sheet.action(|| "the rarest colour".into(), vec![rarest; g.area()]);
    sheet.flag(1.0, "the cell has the commonest colour", cells(g, |y, x| u8::from(g.get(y, x) == commonest)));
    sheet.flag(1.0, "the cell has the rarest colour", cells(g, |y, x| u8::from(g.get(y, x) == rarest)));
}

fn near(g: &Image, sheet: &mut Sheet) {
    let ground = g.background();
    for (d, wind) in DIRECTIONS.iter().zip(WINDS) {
        let name = || format!("its neighbour to the {wind}");
        sheet.column(Kind::Color, 1.0, name, cells(g, |y, x| g.get(y + d.0, x + d.1)));
    }
    let number = |directions: &[(i32, i32)], y: i32, x: i32, counts: &dyn Fn(u8) -> bool| {
        directions.iter().filter(|d| counts(g.get(y + d.0, x + d.1))).count() as u8
    };
    for (directions, which) in [(&DIRECTIONS[..4], "4"), (&DIRECTIONS[..], "8")] {
        let same = cells(g, |y, x| number(directions, y, x, &|c| c == g.get(y, x)));
        sheet.count(1.0, &format!("the number of its {which} neighbours of its colour"), same);
    }
    for (directions, which) in [(&DIRECTIONS[..4], "4"), (&DIRECTIONS[..], "8")] {
        let colored = cells(g, |y, x| number(directions, y, x, &|c| c != ground && c != OUTSIDE));
        sheet.count(1.0, &format!("the number of its {which} coloured neighbours"), colored);
    }
    for color in 0..10 {
        for (directions, which) in [(&DIRECTIONS[..4], "4"), (&DIRECTIONS[..], "8")] {
            let values = cells(g, |y, x| number(directions, y, x, &|c| c == color));
            sheet.count(
                1.0,
                &format!("the number of its {which} neighbours in {}", color_name(color)),
                values,
            );
        }
    }
    for (directions, how) in [(&DIRECTIONS[..4], "edge"), (&DIRECTIONS[4..], "corner")] {
        let values = cells(g, |y, x| {
            let own = g.get(y, x);
            let mut seen = directions.iter().map(|d| g.get(y + d.0, x + d.1));
            seen.find(|&c| c != OUTSIDE && c != ground && c != own).unwrap_or(ground)
        });
        sheet.color(1.0, || format!("the colour at its {how}"), values);
    }
}

fn ring(g: &Image, sheet: &mut Sheet) {
    for (dy, dx) in (-2i32..=2).flat_map(|dy| (-2i32..=2).map(move |dx| (dy, dx))) {
        if dy.abs().max(dx.abs()) == 2 {
            let name = || format!("the cell {dy} down and {dx} right of it");
            sheet.column(Kind::Color, 0.92, name, cells(g, |y, x| g.get(y + dy, x + dx)));
        }
    }
}

fn rays(g: &Image, sheet: &mut Sheet) {
    let ground = g.background();
    let seen: Vec<Vec<u8>> = DIRECTIONS
        .iter()
        .map(|&d| {
            cells(g, |y, x| match g.look((y, x), d, ground).0 {
                OUTSIDE => ground,
                color => color,
            })
        })
        .collect();
    for (values, wind) in seen.iter().zip(WINDS) {
        sheet.color(1.0, || format!("the colour seen to the {wind}"), values.clone());
    }
    let n = g.area();
    for (a, b, name) in [
        (0, 2, "it lies between equal colours in its row"),
        (1, 3, "it lies between equal colours in its column"),
        (4, 6, "it lies between equal colours on the falling diagonal"),
        (5, 7, "it lies between equal colours on the rising diagonal"),
    ] {
        let between = |i: usize| u8::from(seen[a][i] == seen[b][i] && seen[a][i] != ground);
        sheet.flag(1.0, name, (0..n).map(between).collect());
    }
    for (range, name) in [
        (0..4, "the number of directions in which it sees something"),
        (4..8, "the number of diagonals on which it sees something"),
    ] {
        let number = |i: usize| range.clone().filter(|&k| seen[k][i] != ground).count() as u8;
        sheet.count(1.0, name, (0..n).map(number).collect());
    }
    for (range, name) in
        [(0..4, "the first colour seen straight"), (4..8, "the first colour seen on a diagonal")]
    {
        let first = |i: usize| range.clone().map(|k| seen[k][i]).find(|&c| c != ground).unwrap_or(ground);
        sheet.action(|| name.to_owned(), (0..n).map(first).collect());
    }
    for color in 1..10 {
        for (range, how) in [(0..4, "straight"), (4..8, "on diagonals")] {
            let number = |i: usize| range.clone().filter(|&k| seen[k][i] == color).count() as u8;
            let name = format!("the number of times it sees {} {how}", color_name(color));
            sheet.count(1.0, &name, (0..n).map(number).collect());
        }
    }
}

fn lines(g: &Image, sheet: &mut Sheet) {
    let count_line = |places: &mut dyn Iterator<Item = u8>| {
        let mut counts = [0usize; 10];
        places.for_each(|c| counts[usize::from(c)] += 1);
        counts
    };
    let rows: Vec<_> = (0..g.h).map(|y| count_line(&mut (0..g.w).map(|x| g.at(y, x)))).collect();
    let cols: Vec<_> = (0..g.w).map(|x| count_line(&mut (0..g.h).map(|y| g.at(y, x)))).collect();
    let (row, col) = (|y: i32| &rows[y as usize], |x: i32| &cols[x as usize]);
    for color in 0..10usize {
        let name = color_name(color as u8);
        sheet.count(0.85, &format!("the amount of {name} in its row"), cells(g, |y, _| row(y)[color] as u8));
        sheet.count(
            0.85,
            &format!("the amount of {name} in its column"),
            cells(g, |_, x| col(x)[color] as u8),
        );
    }
    let ground = usize::from(g.background());
    let (in_row, in_col) = (|y: i32| g.w - row(y)[ground], |x: i32| g.h - col(x)[ground]);
    sheet.count(1.0, "the number of coloured cells in its row", cells(g, |y, _| in_row(y) as u8));
    sheet.count(1.0, "the number of coloured cells in its column", cells(g, |_, x| in_col(x) as u8));
    sheet.flag(1.0, "its row has one colour", cells(g, |y, _| u8::from(row(y).contains(&g.w))));
    sheet.flag(1.0, "its column has one colour", cells(g, |_, x| u8::from(col(x).contains(&g.h))));
    let fullest_row = rows.iter().map(|r| g.w - r[ground]).max().unwrap_or(0);
    let fullest_col = cols.iter().map(|c| g.h - c[ground]).max().unwrap_or(0);
    sheet.flag(1.0, "its row is the fullest", cells(g, |y, _| u8::from(in_row(y) == fullest_row)));
    sheet.flag(1.0, "its column is the fullest", cells(g, |_, x| u8::from(in_col(x) == fullest_col)));
    let commonest =
        |counts: &[usize; 10]| most_frequent(counts, |c| usize::from(c) != ground).unwrap_or(ground as u8);
    sheet.color(1.0, || "the commonest colour of its row".into(), cells(g, |y, _| commonest(row(y))));
    sheet.color(1.0, || "the commonest colour of its column".into(), cells(g, |_, x| commonest(col(x))));
    let (last_y, last_x) = (g.h as i32 - 1, g.w as i32 - 1);
    sheet.color(1.0, || "the first cell of its row".into(), cells(g, |y, _| g.get(y, 0)));
    sheet.color(1.0, || "the last cell of its row".into(), cells(g, |y, _| g.get(y, last_x)));
    sheet.color(1.0, || "the first cell of its column".into(), cells(g, |_, x| g.get(0, x)));
    sheet.color(1.0, || "the last cell of its column".into(), cells(g, |_, x| g.get(last_y, x)));
}

fn position(g: &Image, sheet: &mut Sheet) {
    let (h, w) = (g.h as i32, g.w as i32);
    let border = |y: i32, x: i32| y.min(x).min(h - 1 - y).min(w - 1 - x);
    sheet.flag(1.0, "its row is odd", cells(g, |y, _| (y % 2) as u8));
    sheet.flag(1.0, "its column is odd", cells(g, |_, x| (x % 2) as u8));
    sheet.flag(1.0, "its row and column add up to odd", cells(g, |y, x| ((y + x) % 2) as u8));
    sheet.column(Kind::Code, 0.8, || "its row modulo 3".into(), cells(g, |y, _| (y % 3) as u8));
    sheet.column(Kind::Code, 0.8, || "its column modulo 3".into(), cells(g, |_, x| (x % 3) as u8));
    sheet.count(0.9, "its distance to the border", cells(g, |y, x| border(y, x) as u8));
    sheet.flag(1.0, "its distance to the border is odd", cells(g, |y, x| (border(y, x) % 2) as u8));
    sheet.flag(1.0, "it lies on the main diagonal", cells(g, |y, x| u8::from(y == x)));
    sheet.flag(1.0, "it lies on the other diagonal", cells(g, |y, x| u8::from(y + x == w - 1)));
    sheet.count(0.6, "its row", cells(g, |y, _| y as u8));
    sheet.count(0.6, "its column", cells(g, |_, x| x as u8));
    sheet.count(0.6, "its row from below", cells(g, |y, _| (h - 1 - y) as u8));
    sheet.count(0.6, "its column from the right", cells(g, |_, x| (w - 1 - x) as u8));
    sheet.flag(1.0, "it lies in the middle column", cells(g, |_, x| u8::from(2 * x == w - 1)));
    sheet.flag(1.0, "it lies in the middle row", cells(g, |y, _| u8::from(2 * y == h - 1)));
    sheet.flag(1.0, "it lies in the upper half", cells(g, |y, _| u8::from(2 * y < h)));
    sheet.flag(1.0, "it lies in the left half", cells(g, |_, x| u8::from(2 * x < w)));
}

fn mirror(g: &Image, sheet: &mut Sheet) {
    let (h, w) = (g.h as i32, g.w as i32);
    let ground = g.background();
    let inside = |color: u8| if color == OUTSIDE { ground } else { color };
    sheet.color(1.0, || "the cell opposite left-right".into(), cells(g, |y, x| g.get(y, w - 1 - x)));
    sheet.color(1.0, || "the cell opposite up-down".into(), cells(g, |y, x| g.get(h - 1 - y, x)));
    sheet.color(1.0, || "the cell half a turn away".into(), cells(g, |y, x| g.get(h - 1 - y, w - 1 - x)));
    sheet.color(1.0, || "the cell across the diagonal".into(), cells(g, |y, x| inside(g.get(x, y))));
    sheet.color(
        1.0,
        || "the cell across the other diagonal".into(),
        cells(g, |y, x| inside(g.get(w - 1 - x, h - 1 - y))),
    );
}

/// More objects than this are a texture.
const MANY_OBJECTS: usize = 150;
/// The value of an object's feature where there is no object.
const NO_OBJECT: u8 = 254;

fn object(g: &Image, sheet: &mut Sheet) {
    let ground = g.background();
    let readings = [
        (Reading { ground: None, diagonal: false, one_color: true }, "region"),
        (Reading { ground: Some(ground), diagonal: true, one_color: true }, "one-colour object"),
        (Reading { ground: Some(ground), diagonal: true, one_color: false }, "object"),
    ];
    for (k, (reading, what)) in readings.into_iter().enumerate() {
        let (objects, owner) = components(g, reading);
        let features =
            if objects.len() > MANY_OBJECTS { Vec::new() } else { object_features(g, &objects, ground) };
        let feature = |i: usize, f: usize| match owner[i] {
            Some(o) if !features.is_empty() => features[o as usize][f],
            _ => NO_OBJECT,
        };
        for (f, known) in OBJECT_FEATURES.iter().enumerate() {
            // Of regions that include the background, extremes and minor colours say nothing.
            if k == 0 && [9, 11, 21, 22, 23, 24, 30, 31, 32].contains(&f) {
                continue;
            }
            let name = || format!("of its {what}: {}", known.name);
            sheet.column(known.kind, known.weight, name, (0..g.area()).map(|i| feature(i, f)).collect());
        }
        if k == 0 {
            touching(g, &objects, &owner, sheet);
            inside_region(g, &objects, &owner, sheet);
        } else {
            let minor = |i: usize| match feature(i, place::MINOR_COLOR) {
                NO_OBJECT => ground,
                color => color,
            };
            sheet.action(|| format!("the rarest colour of its {what}"), (0..g.area()).map(minor).collect());
            let major = |i: usize| owner[i].map_or(ground, |o| objects[o as usize].color);
            sheet.action(|| format!("the main colour of its {what}"), (0..g.area()).map(major).collect());
        }
    }
    let (regions, owner) = regions8(g);
    let at_border = |i: usize| u8::from(owner[i].is_some_and(|o| regions[o as usize].touches_border(g)));
    sheet.flag(1.03, "its region reaches the border over corners", (0..g.area()).map(at_border).collect());
}

/// The colours that touch a region.
fn touching(g: &Image, regions: &[Object], owner: &[Option<u32>], sheet: &mut Sheet) {
    let around: Vec<(u8, u8)> = regions
        .iter()
        .enumerate()
        .map(|(i, region)| {
            let mut counts = [0usize; 10];
            for &(y, x) in &region.cells {
                for d in &DIRECTIONS[..4] {
                    let (ny, nx) = (y as i32 + d.0, x as i32 + d.1);
                    let color = g.get(ny, nx);
                    if color != OUTSIDE && owner[ny as usize * g.w + nx as usize] != Some(i as u32) {
                        counts[usize::from(color)] += 1;
                    }
                }
            }
            let n = counts.iter().filter(|&&n| n > 0).count() as u8;
            (most_frequent(&counts, |_| true).unwrap_or(OUTSIDE), n)
        })
        .collect();
    let of = |i: usize| owner[i].map_or((OUTSIDE, 0), |o| around[o as usize]);
    let n = g.area();
    sheet.color(1.0, || "the colour around its region".into(), (0..n).map(|i| of(i).0).collect());
    sheet.count(1.0, "the number of colours around its region", (0..n).map(|i| of(i).1).collect());
    let enclosed =
        |i: usize| u8::from(of(i).1 == 1 && owner[i].is_some_and(|o| !regions[o as usize].touches_border(g)));
    sheet.flag(1.0, "its region is enclosed by one colour", (0..n).map(enclosed).collect());
}

/// Where in the box of its region a cell lies.
fn inside_region(g: &Image, regions: &[Object], owner: &[Option<u32>], sheet: &mut Sheet) {
    let place = |value: &dyn Fn(&Object, usize, usize) -> usize| {
        let cell = |i: usize| owner[i].map_or(0, |o| value(&regions[o as usize], i / g.w, i % g.w) as u8);
        (0..g.area()).map(cell).collect::<Vec<u8>>()
    };
    sheet.count(0.8, "its row in its region", place(&|o, y, _| y - o.y0));
    sheet.count(0.8, "its column in its region", place(&|o, _, x| x - o.x0));
    sheet.count(
        1.0,
        "its distance to the edge of its region's box",
        place(&|o, y, x| (y - o.y0).min(x - o.x0).min(o.y1 - y).min(o.x1 - x)),
    );
    let on_diagonal = |o: &Object, y: usize, x: usize| y - o.y0 == x - o.x0 || y - o.y0 == o.x1 - x;
    sheet.flag(
        1.0,
        "it lies on a diagonal of its region's box",
        place(&|o, y, x| usize::from(on_diagonal(o, y, x))),
    );
    let middle = |o: &Object, y: usize, x: usize| {
        2 * usize::from(y - o.y0 == o.y1 - y) + usize::from(x - o.x0 == o.x1 - x)
    };
    sheet.column(
        Kind::Code,
        1.0,
        || "its place relative to its region's middle lines".into(),
        place(&middle),
    );
    let corner = |o: &Object, y: usize, x: usize| (y == o.y0 || y == o.y1) && (x == o.x0 || x == o.x1);
    sheet.flag(1.0, "it is a corner of its region's box", place(&|o, y, x| usize::from(corner(o, y, x))));
    sheet.flag(1.0, "its place in its region is odd", place(&|o, y, x| (y - o.y0 + x - o.x0) % 2));
    let half = |twice: usize, length: usize| match (2 * twice).cmp(&(length - 1)) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    };
    sheet.count(1.0, "its vertical half of its region", place(&|o, y, _| half(y - o.y0, o.h())));
    sheet.count(1.0, "its horizontal half of its region", place(&|o, _, x| half(x - o.x0, o.w())));
    sheet.flag(1.0, "its column in its region is odd", place(&|o, _, x| (x - o.x0) % 2));
    sheet.flag(1.0, "its row in its region is odd", place(&|o, y, _| (y - o.y0) % 2));
}

fn boxes(g: &Image, sheet: &mut Sheet) {
    let ground = g.background();
    for (seg, what) in [(Seg::Mono8, "one-colour object"), (Seg::Multi8, "object")] {
        let mut objects = seg.objects(g);
        if objects.len() > MANY_OBJECTS {
            objects.clear();
        }
        objects.sort_by_key(|o| std::cmp::Reverse(o.h() * o.w()));
        let mut holder: Vec<Option<usize>> = vec![None; g.area()];
        for (i, o) in objects.iter().enumerate() {
            let Area { y, x, h, w } = o.area();
            for row in y..y + h {
                holder[row * g.w + x..row * g.w + x + w].fill(Some(i));
            }
        }
        let features = object_features(g, &objects, ground);
        let column = |none: u8, value: &dyn Fn(usize, &Object, usize, usize) -> u8| {
            let cell = |i: usize| holder[i].map_or(none, |o| value(o, &objects[o], i / g.w, i % g.w));
            (0..g.area()).map(cell).collect::<Vec<u8>>()
        };
        sheet.color(
            1.0,
            || format!("the colour of the {what} whose box holds it"),
            column(ground, &|_, o, _, _| o.color),
        );
        sheet.action(
            || format!("the rarest colour of the {what} whose box holds it"),
            column(ground, &|i, _, _, _| features[i][place::MINOR_COLOR]),
        );
        sheet.flag(1.0, &format!("it lies in the box of some {what}"), column(0, &|_, _, _, _| 1));
        sheet.count(
            1.0,
            &format!("its distance to the edge of the {what}'s box"),
            column(NO_OBJECT, &|_, o, y, x| (y - o.y0).min(x - o.x0).min(o.y1 - y).min(o.x1 - x) as u8),
        );
        for f in [1, 2, 3, 8, 9, 10, 12, 17, 18, 27] {
            let known = &OBJECT_FEATURES[f];
            let name = || format!("of the {what} whose box holds it: {}", known.name);
            sheet.column(known.kind, known.weight, name, column(NO_OBJECT, &|i, _, _, _| features[i][f]));
        }
        for (way, how) in ["left-right", "up-down", "half a turn"].into_iter().enumerate() {
            let opposite = |_: usize, o: &Object, y: usize, x: usize| {
                let (my, mx) = (o.y0 + o.y1 - y, o.x0 + o.x1 - x);
                [g.at(y, mx), g.at(my, x), g.at(my, mx)][way]
            };
            sheet.color(
                1.0,
                || format!("the cell opposite ({how}) in the {what}'s box"),
                column(ground, &opposite),
            );
        }
    }
    for color in 1..10 {
        let area = g.bounds(|c| c == color);
        let inside = |y: i32, x: i32| {
            area.is_some_and(|a| {
                let (y, x) = (y as usize, x as usize);
                y >= a.y && y < a.y + a.h && x >= a.x && x < a.x + a.w
            })
        };
        let name = format!("it lies in the box of {}", color_name(color));
        sheet.flag(1.0, &name, cells(g, |y, x| u8::from(inside(y, x))));
    }
}

fn nearest(g: &Image, sheet: &mut Sheet) {
    let ground = g.background();
    let mut objects = Seg::Mono8.objects(g);
    if objects.len() > 80 {
        objects.clear();
    }
    let features = object_features(g, &objects, ground);
    for (what, single) in [("nearest object", false), ("nearest single cell", true)] {
        near_object(g, &objects, &features, what, single, sheet);
    }
    for (&d, wind) in DIRECTIONS.iter().zip(WINDS) {
        let distance = cells(g, |y, x| match g.look((y, x), d, ground) {
            (OUTSIDE, _) => 99,
            (_, distance) => distance,
        });
        sheet.count(0.9, &format!("the distance to what is seen to the {wind}"), distance);
    }
    for (&d, wind) in DIRECTIONS.iter().zip(WINDS) {
        let parity = cells(g, |y, x| match g.look((y, x), d, ground) {
            (OUTSIDE, _) => 9,
            (_, distance) => distance % 2,
        });
        let name = || format!("the parity of the distance to what is seen to the {wind}");
        sheet.column(Kind::Code, 1.0, name, parity);
    }
    for color in 1..10 {
        for (directions, how) in [(&DIRECTIONS[..4], "straight"), (&DIRECTIONS[4..], "diagonal")] {
            let seen = seen_through(g, color, directions);
            sheet.count(
                1.0,
                &format!("the number of {how} directions that hold {}", color_name(color)),
                seen,
            );
        }
    }
}

/// In how many of the directions a colour lies, whatever is in between.
fn seen_through(g: &Image, color: u8, directions: &[(i32, i32)]) -> Vec<u8> {
    let mut seen = vec![0u8; g.area()];
    if !g.cells.contains(&color) {
        return seen;
    }
    for &(dy, dx) in directions {
        let mut mark = vec![false; g.area()];
        for y in 0..g.h as i32 {
            for x in 0..g.w as i32 {
                if g.get(y, x) == color {
                    let (mut ny, mut nx) = (y - dy, x - dx);
                    while g.get(ny, nx) != OUTSIDE {
                        mark[ny as usize * g.w + nx as usize] = true;
                        ny -= dy;
                        nx -= dx;
                    }
                }
            }
        }
        seen.iter_mut().zip(mark).for_each(|(seen, mark)| *seen += u8::from(mark));
    }
    seen
}

fn near_object(
    g: &Image,
    objects: &[Object],
    features: &[Vec<u8>],
    what: &str,
    single: bool,
    sheet: &mut Sheet,
) {
    let offset = |o: &Object, y: i32, x: i32| {
        let beyond = |v: i32, low: usize, high: usize| {
            if v < low as i32 { v - low as i32 } else { (v - high as i32).max(0) }
        };
        (beyond(y, o.y0, o.y1), beyond(x, o.x0, o.x1))
    };
    let candidates: Vec<usize> = (0..objects.len()).filter(|&i| !single || objects[i].size() == 1).collect();
    let mut near: Vec<(Option<usize>, i32, i32)> = Vec::with_capacity(g.area());
    for y in 0..g.h as i32 {
        for x in 0..g.w as i32 {
            let distance = |&i: &usize| {
                let (dy, dx) = offset(&objects[i], y, x);
                dy.abs().max(dx.abs()) * 100 + dy.abs() + dx.abs()
            };
            let best = candidates.iter().copied().min_by_key(distance);
            let (dy, dx) = best.map_or((0, 0), |i| offset(&objects[i], y, x));
            near.push((best, dy, dx));
        }
    }
    let column = |value: &dyn Fn(Option<usize>, i32, i32) -> i32| {
        near.iter().map(|&(o, dy, dx)| value(o, dy, dx).clamp(0, 255) as u8).collect::<Vec<u8>>()
    };
    let signed = |v: i32| v.clamp(-9, 9) + 10;
    sheet.count(1.0, &format!("10 + how far below the {what} it lies"), column(&|_, dy, _| signed(dy)));
    sheet.count(1.0, &format!("10 + how far right of the {what} it lies"), column(&|_, _, dx| signed(dx)));
    sheet.count(1.0, &format!("its distance to the {what}"), column(&|_, dy, dx| dy.abs().max(dx.abs())));
    sheet.count(1.0, &format!("the number of steps to the {what}"), column(&|_, dy, dx| dy.abs() + dx.abs()));
    let aligned = |_: Option<usize>, dy: i32, dx: i32| match (dy, dx) {
        (0, _) => 1,
        (_, 0) => 2,
        _ if dy.abs() == dx.abs() => 3,
        _ => 0,
    };
    sheet.column(
        Kind::Code,
        1.0,
        || format!("how it is aligned with the {what} (1 row, 2 column, 3 diagonal)"),
        column(&aligned),
    );
    let odd = |_: Option<usize>, dy: i32, dx: i32| dy.abs().max(dx.abs()) % 2;
    sheet.flag(1.0, &format!("its distance to the {what} is odd"), column(&odd));
    sheet.count(1.0, &format!("the number of columns to the {what}"), column(&|_, _, dx| dx.abs()));
    sheet.count(1.0, &format!("the number of rows to the {what}"), column(&|_, dy, _| dy.abs()));
    let ground = i32::from(g.background());
    let color = column(&|o, _, _| o.map_or(ground, |o| objects[o].color.into()));
    sheet.color(1.0, || format!("the colour of the {what}"), color);
    for f in [1, 2, 3, 10, 12, 6] {
        let known = &OBJECT_FEATURES[f];
        let values = column(&|o, _, _| o.map_or(NO_OBJECT, |o| features[o][f]).into());
        sheet.column(known.kind, known.weight, || format!("of the {what}: {}", known.name), values);
    }
}

fn same_cell_in_views(g: &Image, sheet: &mut Sheet, special: bool) {
    for view in views().iter().filter(|view| view.feature && view.special == special) {
        let values = match view.apply(g) {
            Some(image) if image.same_size(g) => image.cells,
            _ => g.cells.clone(),
        };
        sheet.color(0.95, || format!("the cell in “{}”", view.name), values);
    }
}
