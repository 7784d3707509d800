//! Transforms of one image into another: the steps of transform search, and what cell rules compare with.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::image::{
    Area, DIRECTIONS, Image, MAX_SIDE, OUTSIDE, SAME_COLORS, color_name, least_frequent, most_frequent,
};
use crate::object::{Lines, Object, Reading, Seg, components, equal_parts, object_features, place};

type Run = Box<dyn Fn(&Image) -> Option<Image> + Send + Sync>;

/// A transform with a name.
pub(crate) struct View {
    pub name: String,
    /// Whether others may follow it.
    pub core: bool,
    /// Whether cell rules use it as a feature.
    pub feature: bool,
    /// Whether it belongs to the second, more special part of the list.
    pub special: bool,
    /// Whether rules of cells may be learned on its result though the size stays.
    pub first: bool,
    /// The same for small rules only.
    pub starts_cells: bool,
    run: Run,
}

impl View {
    pub(crate) fn apply(&self, image: &Image) -> Option<Image> {
        (self.run)(image).filter(|view| (1..=MAX_SIDE).contains(&view.h) && (1..=MAX_SIDE).contains(&view.w))
    }
}

/// All views, the simplest first; the identity is number 0.
pub(crate) fn views() -> &'static [View] {
    static VIEWS: LazyLock<Vec<View>> = LazyLock::new(|| {
        let mut list = List(Vec::new());
        plain(&mut list);
        special(&mut list);
        for view in &mut list.0 {
            view.starts_cells = STARTS_CELLS.contains(&view.name.as_str());
        }
        list.0
    });
    &VIEWS
}

/// How many views there are: [`Context::After`](crate::Context::After) takes a smaller number.
pub fn n_views() -> usize {
    views().len()
}

/// What is worth keeping alone before a small rule of cells.
const STARTS_CELLS: [&str; 6] = [
    "only the colours that occur once",
    "only the rarest colour",
    "only the commonest colour",
    "only the largest one-colour objects",
    "without the largest one-colour objects",
    "without single cells",
];

struct List(Vec<View>);

impl List {
    fn add(
        &mut self,
        name: impl Into<String>,
        run: impl Fn(&Image) -> Option<Image> + Send + Sync + 'static,
    ) -> &mut View {
        let name = name.into();
        self.0.push(View {
            name,
            core: false,
            feature: false,
            special: false,
            first: false,
            starts_cells: false,
            run: Box::new(run),
        });
        self.0.last_mut().expect("just pushed")
    }
}

impl View {
    fn core(&mut self) -> &mut View {
        self.core = true;
        self
    }

    fn feature(&mut self) -> &mut View {
        self.feature = true;
        self
    }

    fn first(&mut self) -> &mut View {
        self.first = true;
        self
    }
}

const TURNS: [&str; 8] = [
    "the image itself",
    "mirrored left-right",
    "mirrored up-down",
    "turned by 180°",
    "transposed",
    "mirrored at the other diagonal",
    "turned clockwise",
    "turned counter-clockwise",
];

pub(crate) fn turn_words(symmetry: usize) -> &'static str {
    TURNS[symmetry % 8]
}

const SIDES: [&str; 4] = ["left", "right", "up", "down"];

fn plain(list: &mut List) {
    list.add(TURNS[0], |g| Some(g.clone())).core();
    for (k, name) in TURNS.iter().enumerate().skip(1) {
        let view = list.add(*name, move |g| Some(g.turned(k))).core().first();
        if [3, 4, 6, 7].contains(&k) {
            view.feature();
        }
    }
    crops(list);
    sizes(list);
    for (k, side) in SIDES.iter().enumerate() {
        list.add(format!("cells fallen {side}"), move |g| Some(fallen(g, k))).core().feature().first();
    }
    list.add("holes filled", |g| Some(filled_holes(g, None))).core().feature().first();
    lines(list);
    objects(list);
    overlays(list);
    colors(list);
    per_color(list);
    selections(list);
}

fn crops(list: &mut List) {
    list.add("cropped to what is not black", |g| crop_to(g, |c| c != 0)).core();
    list.add("cropped to what is not the commonest colour", |g| {
        let majority = g.majority();
        crop_to(g, |c| c != majority)
    })
    .core();
    list.add("without its border", |g| {
        (g.h > 2 && g.w > 2).then(|| g.crop(Area { y: 1, x: 1, h: g.h - 2, w: g.w - 2 }))
    })
    .core();
    for (rows, cols) in [(2, 1), (1, 2), (2, 2), (3, 1), (1, 3), (3, 3)] {
        for part in 0..(rows * cols).min(3) {
            let name = format!("part {} of {rows}×{cols}", part + 1);
            let view = list.add(name, move |g| equal_parts(g, rows, cols)?.into_iter().nth(part));
            view.core = part == 0;
        }
    }
    for part in 0..4 {
        let view = list.add(format!("part {} between the lines", part + 1), move |g| {
            let areas = Lines::find(g)?.areas();
            areas.get(part).map(|&area| g.crop(area))
        });
        view.core = part == 0;
    }
}

fn sizes(list: &mut List) {
    for k in 2..4 {
        list.add(format!("enlarged {k} times"), move |g| g.enlarged(k)).core();
    }
    list.add("enlarged by its own size", |g| if g.h == g.w { g.enlarged(g.h) } else { None });
    list.add("enlarged by its number of colours", |g| g.enlarged(g.colors_but(0).len()));
    list.add("enlarged by its number of coloured cells", |g| {
        g.enlarged(g.cells.iter().filter(|&&c| c != 0).count())
    });
    list.add("shrunk to one cell a block", |g| Some(g.shrunk(g.scale()?))).core();
    list.add("without repeated rows and columns", |g| Some(deduplicated(g))).core();
    for (i, (rows, cols)) in [(1, 2), (2, 1), (2, 2), (3, 3), (1, 3), (3, 1)].into_iter().enumerate() {
        list.add(format!("tiled {rows}×{cols}"), move |g| g.tiled(rows, cols, false)).core = i < 4;
        if i < 4 {
            list.add(format!("mirror-tiled {rows}×{cols}"), move |g| g.tiled(rows, cols, true)).core = i < 3;
        }
    }
}

fn lines(list: &mut List) {
    const EAST: (i32, i32) = DIRECTIONS[0];
    const SOUTH: (i32, i32) = DIRECTIONS[1];
    const SETS: [(&str, &[usize]); 14] = [
        ("east", &[0]),
        ("south", &[1]),
        ("west", &[2]),
        ("north", &[3]),
        ("both ways in the row", &[0, 2]),
        ("both ways in the column", &[1, 3]),
        ("in four directions", &[0, 1, 2, 3]),
        ("along all diagonals", &[4, 5, 6, 7]),
        ("south-east", &[4]),
        ("south-west", &[5]),
        ("north-west", &[6]),
        ("north-east", &[7]),
        ("along the falling diagonal", &[4, 6]),
        ("along the rising diagonal", &[5, 7]),
    ];
    for (i, (name, set)) in SETS.into_iter().enumerate() {
        let directions: Vec<_> = set.iter().map(|&d| DIRECTIONS[d]).collect();
        let through = directions.clone();
        let view = list.add(format!("rays {name}"), move |g| Some(rays(g, &directions, None, false)));
        view.feature().first();
        view.core = i < 6;
        if i < 8 {
            list.add(format!("rays {name} through everything"), move |g| Some(rays(g, &through, None, true)))
                .feature();
        }
    }
    list.add("equal cells joined in rows", |g| Some(joined(g, &[EAST], None))).feature();
    list.add("equal cells joined in columns", |g| Some(joined(g, &[SOUTH], None))).feature();
    list.add("equal cells joined in rows and columns", |g| Some(joined(g, &[EAST, SOUTH], None)))
        .core()
        .feature()
        .first();
    list.add("equal cells joined along diagonals", |g| Some(joined(g, &DIRECTIONS[4..6], None))).feature();
}

fn objects(list: &mut List) {
    for (k, side) in SIDES.iter().enumerate() {
        list.add(format!("one-colour objects fallen {side}"), move |g| objects_fallen(g, k, Seg::Mono8))
            .feature();
        list.add(format!("objects fallen {side}"), move |g| objects_fallen(g, k, Seg::Multi8)).feature();
    }
    for (name, largest) in [("largest", true), ("smallest", false)] {
        list.add(format!("only the {name} one-colour objects"), move |g| kept(g, Seg::Mono8, largest, true))
            .core()
            .feature();
        list.add(format!("only the {name} objects"), move |g| kept(g, Seg::Multi8, largest, true)).feature();
        list.add(format!("without the {name} one-colour objects"), move |g| {
            kept(g, Seg::Mono8, largest, false)
        })
        .core();
    }
    list.add("only the colours that occur once", |g| {
        let counts = g.counts();
        let once = |c: u8| c != 0 && counts[usize::from(c)] == 1;
        (1..10).any(once).then(|| g.masked(once, 0))
    })
    .core();
    for k in 2..5 {
        list.add(format!("the commonest colours of {k}×{k} parts"), move |g| part_colors(g, k));
    }
    list.add("boxes of one-colour objects filled", |g| {
        let ground = g.background();
        let mut view = g.clone();
        for object in Seg::Mono8.objects(g) {
            each(object.area(), |y, x| {
                if view.at(y, x) == ground {
                    view.set(y, x, object.color);
                }
            });
        }
        Some(view)
    })
    .feature();
    list.add("without the lines", |g| {
        let lines = Lines::find(g)?;
        let expand = |bands: &[(usize, usize)]| bands.iter().flat_map(|b| b.0..b.0 + b.1).collect::<Vec<_>>();
        Some(picked(g, &expand(&lines.rows), &expand(&lines.cols)))
    })
    .core();
    list.add("one cell for each cell of the line grid", grid_cells).core();
    list.add("without empty rows and columns", |g| {
        let ground = g.background();
        let rows: Vec<_> = (0..g.h).filter(|&y| (0..g.w).any(|x| g.at(y, x) != ground)).collect();
        let cols: Vec<_> = (0..g.w).filter(|&x| (0..g.h).any(|y| g.at(y, x) != ground)).collect();
        (!rows.is_empty()).then(|| picked(g, &rows, &cols))
    })
    .core();
}

fn overlays(list: &mut List) {
    for (k, name) in TURNS.iter().enumerate().take(6).skip(1) {
        let view = list.add(format!("laid over itself {name}"), move |g| {
            let turned = g.turned(k);
            turned.same_size(g).then(|| g.over(&turned))
        });
        view.feature().first();
        view.core = k < 4;
    }
    list.add("laid over all its turns", |g| {
        let turns = if g.h == g.w { 8 } else { 4 };
        Some((1..turns).fold(g.clone(), |all, k| all.over(&g.turned(k))))
    })
    .core()
    .feature()
    .first();
    list.add("its four turns in a square", |g| {
        let n = g.h;
        let quarters = [g.turned(0), g.turned(6), g.turned(7), g.turned(3)];
        (g.h == g.w && 2 * n <= MAX_SIDE)
            .then(|| Image::from_fn(2 * n, 2 * n, |y, x| quarters[y / n * 2 + x / n].at(y % n, x % n)))
    });
    list.add("itself in each of its coloured cells", |g| {
        (g.h * g.h <= MAX_SIDE && g.w * g.w <= MAX_SIDE).then(|| {
            Image::from_fn(g.h * g.h, g.w * g.w, |y, x| {
                if g.at(y / g.h, x / g.w) != 0 { g.at(y % g.h, x % g.w) } else { 0 }
            })
        })
    });
    list.add("without single cells", |g| Some(without_small(g, 1))).core().feature().first();
}

fn colors(list: &mut List) {
    list.add("blue where not black", |g| Some(g.map(|c| u8::from(c != 0)))).core();
    list.add("black and colour swapped", |g| match g.colors_but(0)[..] {
        [color] => Some(g.map(|c| if c == 0 { color } else { 0 })),
        _ => None,
    });
    list.add("only outlines", |g| {
        Some(Image::from_fn(g.h, g.w, |y, x| {
            let color = g.at(y, x);
            let inside = DIRECTIONS.iter().all(|d| g.get(y as i32 + d.0, x as i32 + d.1) == color);
            if inside { 0 } else { color }
        }))
    })
    .feature();
    let commonest = |g: &Image| most_frequent(&g.counts(), |c| c != 0);
    let rarest = |g: &Image| least_frequent(&g.counts(), |c| c != 0);
    list.add("filled with the commonest colour", move |g| Some(Image::new(g.h, g.w, commonest(g)?)));
    list.add("one cell of the commonest colour", move |g| Some(Image::new(1, 1, commonest(g)?)));
    list.add("one cell of the rarest colour", move |g| Some(Image::new(1, 1, rarest(g)?)));
    list.add("only the commonest colour", move |g| {
        let color = commonest(g)?;
        Some(g.masked(|c| c == color, 0))
    })
    .core()
    .feature();
    list.add("only the rarest colour", move |g| {
        let color = rarest(g)?;
        Some(g.masked(|c| c == color, 0))
    })
    .core()
    .feature();
    list.add("cropped to the rarest colour", move |g| {
        let color = rarest(g)?;
        crop_to(g, |c| c == color)
    })
    .core();
    list.add("its colours in a column, the commonest first", |g| ordered_colors(g, 0, true));
    list.add("rows sorted by their coloured cells", |g| Some(sorted_rows(g, true)));
}

fn per_color(list: &mut List) {
    const ROW: [(i32, i32); 2] = [DIRECTIONS[0], DIRECTIONS[2]];
    const COLUMN: [(i32, i32); 2] = [DIRECTIONS[1], DIRECTIONS[3]];
    for color in 1..10u8 {
        let name = color_name(color);
        let has = move |g: &Image| g.cells.contains(&color);
        list.add(format!("without {name}"), move |g| has(g).then(|| g.masked(|c| c != color, 0))).core();
        list.add(format!("only {name}"), move |g| Some(g.masked(|c| c == color, 0))).core();
        list.add(format!("cropped to {name}"), move |g| crop_to(g, |c| c == color)).core();
        list.add(format!("rays of {name} in four directions"), move |g| {
            has(g).then(|| rays(g, &DIRECTIONS[..4], Some(color), false))
        });
        list.add(format!("rays of {name} in rows"), move |g| {
            has(g).then(|| rays(g, &ROW, Some(color), false))
        });
        list.add(format!("rays of {name} in columns"), move |g| {
            has(g).then(|| rays(g, &COLUMN, Some(color), false))
        });
        list.add(format!("equal cells joined with {name}"), move |g| {
            Some(joined(g, &DIRECTIONS[..2], Some(color)))
        });
        list.add(format!("holes filled with {name}"), move |g| Some(filled_holes(g, Some(color))));
    }
}

fn selections(list: &mut List) {
    const SEGS: [(Seg, &str); 4] = [
        (Seg::Mono4, "one-colour object joined by edges"),
        (Seg::Mono8, "one-colour object"),
        (Seg::Multi4, "box of objects joined by edges"),
        (Seg::Multi8, "box of objects"),
    ];
    for (i, (seg, what)) in SEGS.into_iter().enumerate() {
        for (k, &(pick, how)) in PICKS.iter().enumerate() {
            let view = list.add(format!("the {what} {how}"), move |g| picked_object(g, seg, pick));
            view.core = k < 3 || i == 3;
        }
    }
}

/// How [`selections`] choose.
#[derive(Clone, Copy)]
enum Pick {
    Most(usize),
    Least(usize),
    Only(usize),
}

const PICKS: [(Pick, &str); 14] = [
    (Pick::Most(place::SIZE), "of the largest size"),
    (Pick::Least(place::SIZE), "of the smallest size"),
    (Pick::Most(place::N_COLORS), "with the most colours"),
    (Pick::Most(place::HOLES), "with the most holes"),
    (Pick::Most(place::SAME_SHAPE), "of the commonest shape"),
    (Pick::Least(place::SAME_SHAPE), "of the rarest shape"),
    (Pick::Only(place::COLOR), "that alone has its colour"),
    (Pick::Only(place::MIRRORED), "that alone is (not) symmetric"),
    (Pick::Only(place::HOLES), "that alone has its number of holes"),
    (Pick::Most(place::N_MINOR), "with most cells of its rarest colour"),
    (Pick::Most(place::ONLY_OF_COLOR), "of a unique colour"),
    (Pick::Least(place::AT_BORDER), "away from the border"),
    (Pick::Least(place::SAME_COLOR), "of the rarest colour"),
    (Pick::Only(place::SIZE), "that alone has its size"),
];

/// Views that came second: motifs, halos, boxes, orders, rectangles.
fn special(list: &mut List) {
    let start = list.0.len();
    motifs(list);
    list.add("its two colours swapped", |g| match g.colors_but(g.background())[..] {
        [a, b] => Some(g.map(|c| {
            if c == a {
                b
            } else if c == b {
                a
            } else {
                c
            }
        })),
        _ => None,
    });
    list.add("everything in the rarest colour", |g| {
        let ground = g.background();
        let color = least_frequent(&g.counts(), |c| c != ground)?;
        Some(g.map(|c| if c == ground { c } else { color }))
    });
    halos(list);
    boxes(list);
    list.add("lines drawn out to the border", extended_lines);
    list.add("enclosed regions filled from their single cells", seed_filled);
    for k in 2..5 {
        list.add(format!("without objects of up to {k} cells"), move |g| Some(without_small(g, k)));
    }
    list.add("the commonest colour of each 3×3 neighbourhood", |g| {
        Some(Image::from_fn(g.h, g.w, |y, x| {
            let mut counts = [0; 11];
            for (dy, dx) in (-1..2).flat_map(|dy| (-1..2).map(move |dx| (dy, dx))) {
                counts[usize::from(g.get(y as i32 + dy, x as i32 + dx))] += 1;
            }
            (0..10u8).max_by_key(|&c| (counts[usize::from(c)], c == g.at(y, x), 10 - c)).unwrap_or(0)
        }))
    });
    orders(list);
    list.add("objects slid against the largest", slid_to_largest);
    for (name, range) in [("in a row or column", 0..4), ("on a diagonal", 4..8)] {
        list.add(format!("the first other colour seen {name}"), move |g| {
            let ground = g.background();
            Some(Image::from_fn(g.h, g.w, |y, x| {
                let own = g.at(y, x);
                let seen =
                    DIRECTIONS[range.clone()].iter().map(|&d| g.look((y as i32, x as i32), d, ground).0);
                seen.into_iter().find(|&c| c != OUTSIDE && c != own).unwrap_or(own)
            }))
        });
    }
    list.add("columns alternating from the right", |g| {
        Some(Image::from_fn(g.h, g.w, |_, x| ((g.w - 1 - x) % 2) as u8))
    });
    list.add("rows alternating from the bottom", |g| {
        Some(Image::from_fn(g.h, g.w, |y, _| ((g.h - 1 - y) % 2) as u8))
    });
    for (name, empty) in [("the largest empty rectangle", true), ("the largest solid rectangle", false)] {
        list.add(name, move |g| {
            let ground = g.background();
            let area = largest_rectangle(g, |c| (c == ground) == empty, 1)?;
            let mut view = Image::new(g.h, g.w, 0);
            view.paste(area, &Image::new(area.h, area.w, 1));
            Some(view)
        });
    }
    list.add("stripes", stripes);
    for view in &mut list.0[start..] {
        view.feature = true;
    }
    list.add("cropped to the largest plain rectangle", |g| Some(g.crop(largest_rectangle(g, |_| true, 2)?)));
    list.add("the inside of the largest frame", |g| {
        let frames = Seg::Mono8.objects(g).into_iter().filter(|o| is_frame(g, o));
        let frame = frames.max_by_key(|o| o.area().h * o.area().w)?;
        Some(g.crop(inside(frame.area())?))
    });
    list.add("the inside of four corner marks", |g| {
        let ground = g.background();
        let marks = g.colors_but(ground).into_iter().filter_map(|color| {
            let object = Object::of_color(g, color)?;
            let corners = [
                (object.y0, object.x0),
                (object.y0, object.x1),
                (object.y1, object.x0),
                (object.y1, object.x1),
            ];
            (object.size() == 4 && corners.iter().all(|c| object.cells.contains(c))).then_some(object)
        });
        Some(g.crop(marks.into_iter().find_map(|object| inside(object.area()))?))
    });
    for view in &mut list.0[start..] {
        view.core = true;
        view.special = true;
    }
}

fn motifs(list: &mut List) {
    const WAYS: [&str; 10] = [
        "everywhere",
        "in its rows",
        "in its columns",
        "in its rows and columns",
        "to the right",
        "to the left",
        "downwards",
        "upwards",
        "along the diagonal",
        "along both diagonals",
    ];
    for (way, name) in WAYS.iter().enumerate() {
        list.add(format!("the motif repeated {name}"), move |g| motif(g, g.background(), way));
        if way < 4 {
            list.add(format!("the motif on the commonest colour repeated {name}"), move |g| {
                motif(g, g.majority(), way)
            });
        }
    }
}

fn halos(list: &mut List) {
    for (name, range, alone) in [
        ("a halo", 0..8, false),
        ("a halo along edges", 0..4, false),
        ("a halo at corners", 4..8, false),
        ("the halo alone", 0..8, true),
    ] {
        list.add(name, move |g| {
            let ground = g.background();
            Some(Image::from_fn(g.h, g.w, |y, x| {
                let own = g.at(y, x);
                if own != ground {
                    return if alone { ground } else { own };
                }
                let near = DIRECTIONS[range.clone()].iter().map(|d| g.get(y as i32 + d.0, x as i32 + d.1));
                near.into_iter().find(|&c| c != OUTSIDE && c != ground).unwrap_or(ground)
            }))
        });
    }
}

fn boxes(list: &mut List) {
    for (seg, what) in [(Seg::ByColor, "colour"), (Seg::Mono8, "object")] {
        for (filled, how) in [(true, "filled"), (false, "outlined")] {
            list.add(format!("the box of each {what} {how}"), move |g| {
                let ground = g.background();
                let mut objects = seg.objects(g);
                objects.sort_by_key(|o| std::cmp::Reverse(o.h() * o.w()));
                let mut view = g.clone();
                for o in objects {
                    each(o.area(), |y, x| {
                        let edge = y == o.y0 || y == o.y1 || x == o.x0 || x == o.x1;
                        if view.at(y, x) == ground && (filled || edge) {
                            view.set(y, x, o.color);
                        }
                    });
                }
                Some(view)
            });
        }
    }
}

fn orders(list: &mut List) {
    for (name, columns, ascending) in [
        ("columns sorted by their coloured cells", true, true),
        ("columns sorted downwards by their coloured cells", true, false),
        ("rows sorted downwards by their coloured cells", false, false),
    ] {
        list.add(name, move |g| {
            Some(if columns {
                sorted_rows(&g.turned(4), ascending).turned(4)
            } else {
                sorted_rows(g, ascending)
            })
        });
    }
    for (name, majority) in [("", false), (" but the commonest", true)] {
        for (order, falling) in [("the longest first", true), ("the shortest first", false)] {
            for (lie, upright) in [("lying", false), ("upright", true)] {
                list.add(format!("a {lie} bar for each colour{name}, {order}"), move |g| {
                    let bars = color_bars(g, if majority { g.majority() } else { 0 }, falling)?;
                    Some(if upright { bars.turned(4) } else { bars })
                });
            }
        }
    }
    for (name, majority, falling) in [
        ("its colours in a column, the rarest first", false, false),
        ("its colours but the commonest in a column", true, true),
        ("its colours but the commonest in a column, the rarest first", true, false),
    ] {
        list.add(name, move |g| ordered_colors(g, if majority { g.majority() } else { 0 }, falling));
    }
    for (k, name) in ["reversed", "moved on", "moved back"].into_iter().enumerate() {
        list.add(format!("colours permuted by frequency: {name}"), move |g| {
            let ranks = by_frequency(g, |_| true, true);
            let n = ranks.len();
            let mut table = SAME_COLORS;
            for (i, &color) in ranks.iter().enumerate() {
                table[usize::from(color)] = ranks[[n - 1 - i, (i + 1) % n, (i + n - 1) % n][k]];
            }
            (n > 1).then(|| g.recolored(&table))
        });
    }
}

fn crop_to(g: &Image, wanted: impl Fn(u8) -> bool) -> Option<Image> {
    Some(g.crop(g.bounds(wanted)?))
}

/// The rows and columns given.
fn picked(g: &Image, rows: &[usize], cols: &[usize]) -> Image {
    Image::from_fn(rows.len(), cols.len(), |y, x| g.at(rows[y], cols[x]))
}

pub(crate) fn each(area: Area, mut visit: impl FnMut(usize, usize)) {
    for y in area.y..area.y + area.h {
        for x in area.x..area.x + area.w {
            visit(y, x);
        }
    }
}

/// The symmetry that brings a side to the left; each is its own inverse.
const TO_LEFT: [usize; 4] = [0, 1, 4, 5];

fn fallen(g: &Image, side: usize) -> Image {
    let turned = g.turned(TO_LEFT[side]);
    let mut fallen = Image::new(turned.h, turned.w, 0);
    for y in 0..turned.h {
        let colored = (0..turned.w).map(|x| turned.at(y, x)).filter(|&c| c != 0);
        for (x, color) in colored.enumerate() {
            fallen.set(y, x, color);
        }
    }
    fallen.turned(TO_LEFT[side])
}

fn filled_holes(g: &Image, with: Option<u8>) -> Image {
    let ground = g.background();
    let mut filled = g.clone();
    for region in Seg::Everything4.objects(g) {
        if region.color != ground || region.touches_border(g) {
            continue;
        }
        let (y, x) = region.cells[0];
        let color = with.unwrap_or_else(|| g.at(y - 1, x));
        for &(y, x) in &region.cells {
            filled.set(y, x, color);
        }
    }
    filled
}

/// Rays from every coloured cell over the background; behind obstacles too, if they pass through.
fn rays(g: &Image, directions: &[(i32, i32)], only: Option<u8>, through: bool) -> Image {
    let ground = g.background();
    let mut view = g.clone();
    for y in 0..g.h as i32 {
        for x in 0..g.w as i32 {
            let color = g.get(y, x);
            if color == ground || only.is_some_and(|only| only != color) {
                continue;
            }
            for &(dy, dx) in directions {
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
fn joined(g: &Image, directions: &[(i32, i32)], with: Option<u8>) -> Image {
    let ground = g.background();
    let mut view = g.clone();
    for y in 0..g.h as i32 {
        for x in 0..g.w as i32 {
            let color = g.get(y, x);
            if color == ground {
                continue;
            }
            for &(dy, dx) in directions {
                let (seen, distance) = g.look((y, x), (dy, dx), ground);
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

fn deduplicated(g: &Image) -> Image {
    let rows: Vec<_> =
        (0..g.h).filter(|&y| y == 0 || (0..g.w).any(|x| g.at(y, x) != g.at(y - 1, x))).collect();
    let cols: Vec<_> =
        (0..g.w).filter(|&x| x == 0 || (0..g.h).any(|y| g.at(y, x) != g.at(y, x - 1))).collect();
    picked(g, &rows, &cols)
}

pub(crate) fn grid_cells(g: &Image) -> Option<Image> {
    let lines = Lines::find(g)?;
    Some(Image::from_fn(lines.rows.len(), lines.cols.len(), |i, j| {
        let (row, col) = (lines.rows[i], lines.cols[j]);
        let cell = g.crop(Area { y: row.0, x: col.0, h: row.1, w: col.1 });
        let counts = cell.counts();
        let marked = most_frequent(&counts, |c| c != 0 && c != lines.color);
        marked.or_else(|| most_frequent(&counts, |_| true)).unwrap_or(0)
    }))
}

fn part_colors(g: &Image, k: usize) -> Option<Image> {
    let parts = equal_parts(g, k, k)?;
    Some(Image::from_fn(k, k, |y, x| {
        let part = &parts[y * k + x];
        let mut counts = part.counts();
        if counts[0] * 2 < part.area() {
            counts[0] = 0;
        }
        most_frequent(&counts, |_| true).unwrap_or(0)
    }))
}

fn objects_fallen(g: &Image, side: usize, seg: Seg) -> Option<Image> {
    let turned = g.turned(TO_LEFT[side]);
    let ground = turned.background();
    let mut objects = seg.objects(&turned);
    if objects.is_empty() || objects.len() > 40 {
        return None;
    }
    objects.sort_by_key(|o| o.x0);
    let mut fallen = Image::new(turned.h, turned.w, ground);
    for object in &objects {
        let free =
            |shift: usize| object.cells.iter().all(|&(y, x)| x >= shift && fallen.at(y, x - shift) == ground);
        let shift = (1..=turned.w).take_while(|&shift| free(shift)).last().unwrap_or(0);
        for &(y, x) in &object.cells {
            fallen.set(y, x - shift, turned.at(y, x));
        }
    }
    Some(fallen.turned(TO_LEFT[side]))
}

fn kept(g: &Image, seg: Seg, largest: bool, keep: bool) -> Option<Image> {
    let objects = seg.objects(g);
    if objects.is_empty() || objects.len() > 60 {
        return None;
    }
    let sizes = objects.iter().map(Object::size);
    let size = if largest { sizes.max()? } else { sizes.min()? };
    let mut view = Image::new(g.h, g.w, g.background());
    for object in objects.iter().filter(|o| (o.size() == size) == keep) {
        for &(y, x) in &object.cells {
            view.set(y, x, g.at(y, x));
        }
    }
    Some(view)
}

fn picked_object(g: &Image, seg: Seg, pick: Pick) -> Option<Image> {
    let ground = g.background();
    let objects = seg.objects(g);
    if objects.is_empty() || objects.len() > 60 {
        return None;
    }
    let features = object_features(g, &objects, ground);
    let show = |i: usize| match seg {
        Seg::Mono4 | Seg::Mono8 => objects[i].alone(g, ground),
        _ => g.crop(objects[i].area()),
    };
    let extreme = |feature: usize, value: Option<u8>| {
        let best: Vec<usize> = (0..objects.len()).filter(|&i| Some(features[i][feature]) == value).collect();
        let first = objects[best[0]].alone(g, ground);
        best.iter().all(|&i| objects[i].alone(g, ground) == first).then_some(best[0])
    };
    let chosen = match pick {
        Pick::Most(f) => extreme(f, features.iter().map(|row| row[f]).max()),
        Pick::Least(f) => extreme(f, features.iter().map(|row| row[f]).min()),
        Pick::Only(f) => {
            let alone = |&i: &usize| features.iter().filter(|row| row[f] == features[i][f]).count() == 1;
            let mut only = (0..objects.len()).filter(alone);
            only.next().filter(|_| only.next().is_none() && objects.len() > 2)
        }
    };
    chosen.map(show)
}

fn without_small(g: &Image, up_to: usize) -> Image {
    let ground = g.background();
    let mut view = g.clone();
    for object in Seg::Mono8.objects(g).iter().filter(|o| o.size() <= up_to) {
        for &(y, x) in &object.cells {
            view.set(y, x, ground);
        }
    }
    view
}

/// Colours by how often they occur; the smaller colour first where that is equal.
fn by_frequency(g: &Image, wanted: impl Fn(u8) -> bool, falling: bool) -> Vec<u8> {
    let counts = g.counts();
    let mut colors: Vec<u8> = (0..10).filter(|&c| wanted(c) && counts[usize::from(c)] > 0).collect();
    colors.sort_by_key(|&c| {
        let n = counts[usize::from(c)] as i64;
        if falling { -n } else { n }
    });
    colors
}

fn ordered_colors(g: &Image, ground: u8, falling: bool) -> Option<Image> {
    let colors = by_frequency(g, |c| c != ground, falling);
    (!colors.is_empty()).then(|| Image::from_fn(colors.len(), 1, |y, _| colors[y]))
}

fn color_bars(g: &Image, ground: u8, falling: bool) -> Option<Image> {
    let counts = g.counts();
    let colors = by_frequency(g, |c| c != ground, falling);
    let longest = colors.iter().map(|&c| counts[usize::from(c)]).max().filter(|&n| n <= MAX_SIDE)?;
    Some(Image::from_fn(colors.len(), longest, |y, x| {
        if x < counts[usize::from(colors[y])] { colors[y] } else { 0 }
    }))
}

fn sorted_rows(g: &Image, ascending: bool) -> Image {
    let mut rows: Vec<&[u8]> = g.cells.chunks(g.w).collect();
    rows.sort_by_key(|row| {
        let n = row.iter().filter(|&&c| c != 0).count() as i64;
        if ascending { n } else { -n }
    });
    Image { h: g.h, w: g.w, cells: rows.concat() }
}

/// The box of everything on the ground, repeated over the canvas or a part of it.
fn motif(g: &Image, ground: u8, way: usize) -> Option<Image> {
    let area = g.bounds(|c| c != ground)?;
    if area.h * area.w == g.area() {
        return None;
    }
    Some(Image::from_fn(g.h, g.w, |y, x| {
        let (dy, dx) = (y as i32 - area.y as i32, x as i32 - area.x as i32);
        let (h, w) = (area.h as i32, area.w as i32);
        let (down, right) = (dy.div_euclid(h), dx.div_euclid(w));
        let repeats = (down == 0 && right == 0)
            || match way {
                0 => true,
                1 => down == 0,
                2 => right == 0,
                3 => down == 0 || right == 0,
                4 => down == 0 && right > 0,
                5 => down == 0 && right < 0,
                6 => right == 0 && down > 0,
                7 => right == 0 && down < 0,
                8 => down == right,
                _ => down.abs() == right.abs(),
            };
        if repeats {
            g.at(area.y + dy.rem_euclid(h) as usize, area.x + dx.rem_euclid(w) as usize)
        } else {
            g.at(y, x)
        }
    }))
}

fn extended_lines(g: &Image) -> Option<Image> {
    let ground = g.background();
    let mut view = g.clone();
    for o in Seg::Mono8.objects(g) {
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
}

fn seed_filled(g: &Image) -> Option<Image> {
    let ground = g.background();
    let seeds: Vec<_> = Seg::Mono4.objects(g).into_iter().filter(|o| o.size() == 1).collect();
    if seeds.is_empty() || seeds.len() > 30 {
        return None;
    }
    let mut view = g.clone();
    for seed in seeds {
        let mut reached = BTreeSet::from([seed.cells[0]]);
        let mut stack = vec![seed.cells[0]];
        let mut escaped = false;
        while let Some((y, x)) = stack.pop() {
            for d in &DIRECTIONS[..4] {
                let (ny, nx) = (y as i32 + d.0, x as i32 + d.1);
                let color = g.get(ny, nx);
                escaped |= color == OUTSIDE;
                if color == ground && reached.insert((ny as usize, nx as usize)) {
                    stack.push((ny as usize, nx as usize));
                }
            }
        }
        if !escaped {
            for (y, x) in reached {
                view.set(y, x, seed.color);
            }
        }
    }
    Some(view)
}

fn slid_to_largest(g: &Image) -> Option<Image> {
    let ground = g.background();
    let mut objects = Seg::Mono8.objects(g);
    if objects.len() < 2 || objects.len() > 40 {
        return None;
    }
    let largest = (0..objects.len()).max_by_key(|&i| objects[i].size())?;
    let target = objects.remove(largest);
    let mut view = Image::new(g.h, g.w, ground);
    for &(y, x) in &target.cells {
        view.set(y, x, target.color);
    }
    objects.sort_by_key(|o| o.y0.abs_diff(target.y0) + o.x0.abs_diff(target.x0));
    for o in &objects {
        let (dy, dx) = direction_to(o, &target).map_or((0, 0), |d| DIRECTIONS[d]);
        let free =
            |k: i32| o.cells.iter().all(|&(y, x)| view.get(y as i32 + dy * k, x as i32 + dx * k) == ground);
        let shift = (1..MAX_SIDE as i32).take_while(|&k| (dy, dx) != (0, 0) && free(k)).last().unwrap_or(0);
        for &(y, x) in &o.cells {
            view.put(y as i32 + dy * shift, x as i32 + dx * shift, o.color);
        }
    }
    Some(view)
}

/// The direction straight from one object to another, if they share rows or columns.
pub(crate) fn direction_to(from: &Object, to: &Object) -> Option<usize> {
    if from.shares_rows(to) {
        if to.x0 > from.x1 {
            return Some(0);
        } else if to.x1 < from.x0 {
            return Some(2);
        }
    }
    if from.shares_columns(to) {
        if to.y0 > from.y1 {
            return Some(1);
        } else if to.y1 < from.y0 {
            return Some(3);
        }
    }
    None
}

/// The largest rectangle of one colour that is wanted, with sides of at least `side`.
fn largest_rectangle(g: &Image, wanted: impl Fn(u8) -> bool, side: usize) -> Option<Area> {
    let mut best: Option<Area> = None;
    for y in 0..g.h {
        for x in 0..g.w {
            let color = g.at(y, x);
            if !wanted(color) {
                continue;
            }
            let mut width = g.w - x;
            for h in 1..=g.h - y {
                width = (0..width).take_while(|&dx| g.at(y + h - 1, x + dx) == color).count();
                if width == 0 {
                    break;
                }
                let larger = best.is_none_or(|b| h * width > b.h * b.w);
                if larger && h >= side && width >= side {
                    best = Some(Area { y, x, h, w: width });
                }
            }
        }
    }
    best
}

/// Every row, or every column, in its commonest colour: whichever agrees more with the image.
fn stripes(g: &Image) -> Option<Image> {
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
}

fn is_frame(g: &Image, o: &Object) -> bool {
    (o.x0..=o.x1).all(|x| g.at(o.y0, x) == o.color && g.at(o.y1, x) == o.color)
        && (o.y0..=o.y1).all(|y| g.at(y, o.x0) == o.color && g.at(y, o.x1) == o.color)
}

fn inside(area: Area) -> Option<Area> {
    (area.h > 2 && area.w > 2).then(|| Area { y: area.y + 1, x: area.x + 1, h: area.h - 2, w: area.w - 2 })
}

/// The components of an image in a reading with diagonals; see [`components`].
pub(crate) fn regions8(image: &Image) -> (Vec<Object>, Vec<Option<u32>>) {
    components(image, Reading { ground: None, diagonal: true, one_color: true })
}
