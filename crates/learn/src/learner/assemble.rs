//! The output is put together from a list of pieces: filtered, ordered, shown, laid out.

use std::collections::HashSet;

use crate::found::Found;
use crate::image::{Image, MAX_SIDE};
use crate::object::{Reading, components, holes};
use crate::piece::{FAMILIES, Family};
use crate::{Demos, Rule, Work};

/// A piece with all it may be ordered by.
struct Item {
    image: Image,
    color: u8,
    size: usize,
    y: usize,
    x: usize,
    keys: [i32; ORDERS.len()],
}

const FILTERS: [&str; 10] = [
    "all",
    "all but the largest",
    "all but the smallest",
    "those of more than one cell",
    "the first of each colour",
    "the first of each picture",
    "those of at least two colours",
    "those that are not empty",
    "those not of the commonest colour",
    "the first of each colour in a row or column",
];
const ORDERS: [&str; 15] = [
    "as found",
    "in reading order",
    "by columns",
    "by size",
    "by the area of the box",
    "by the amount of their colour",
    "by the number of pieces of their colour",
    "by holes",
    "by number of colours",
    "by coloured cells",
    "by parts",
    "by equal pieces",
    "by the lower edge",
    "by the right edge",
    "by colour number",
];
const ORDER_PRICES: [f64; ORDERS.len()] =
    [0.3, 0.0, 0.0, 0.1, 0.4, 0.4, 0.5, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.7, 1.0];
const SHOWN: [&str; 6] = [
    "their pictures",
    "one cell each",
    "bars of their size",
    "bars of their size, aligned at the end",
    "bars as long as the list",
    "blocks of their size",
];
const LAYOUTS: [&str; 11] = [
    "side by side",
    "one below the other",
    "side by side with gaps",
    "one below the other with gaps",
    "laid over each other",
    "laid over each other at their centres",
    "in the direction in which they are spread",
    "in a grid by position",
    "laid over each other at their common cell",
    "filling a square",
    "as a matrix of positions",
];

/// One way to put an output together.
#[derive(Clone, Copy, Debug)]
struct Plan {
    family: Family,
    filter: usize,
    order: usize,
    falling: bool,
    shown: usize,
    layout: usize,
}

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    let mut found = Found::default();
    if demos.same_size() {
        return Some(Vec::new());
    }
    for (k, family) in FAMILIES.into_iter().enumerate() {
        work.spend(demos.n_cells() * 4)?;
        let lists: Option<Vec<Vec<Item>>> = demos.inputs().map(|input| items(input, family)).collect();
        let Some(lists) = lists else { continue };
        for filter in 0..FILTERS.len() {
            let chosen: Vec<Vec<usize>> = lists
                .iter()
                .zip(demos.inputs())
                .map(|(items, input)| filtered(items, input, filter))
                .collect();
            // A filter that takes nothing away is the first one.
            if filter > 0 && chosen.iter().zip(&lists).all(|(chosen, items)| chosen.len() == items.len()) {
                continue;
            }
            for (order, price) in ORDER_PRICES.into_iter().enumerate() {
                for falling in [false, true] {
                    if order == 0 && falling {
                        continue;
                    }
                    work.spend(20)?;
                    let sorted: Option<Vec<Vec<usize>>> = lists
                        .iter()
                        .zip(&chosen)
                        .map(|(items, chosen)| ordered(items, chosen, order, falling))
                        .collect();
                    let Some(sorted) = sorted else { continue };
                    for shown in 0..SHOWN.len() {
                        for layout in 0..LAYOUTS.len() {
                            let plan = Plan { family, filter, order, falling, shown, layout };
                            let right = lists.iter().zip(&sorted).zip(demos.pairs()).all(
                                |((items, sorted), pair)| {
                                    plan.lay_out(items, sorted, &pair.0, Some(&pair.1)).as_ref()
                                        == Some(&pair.1)
                                },
                            );
                            if right {
                                let cost = 2.5
                                    + if filter > 0 { 0.5 } else { 0.0 }
                                    + price
                                    + 0.05 * shown as f64
                                    + 0.02 * layout as f64
                                    + 0.01 * k as f64;
                                found.push(Rule::new(cost, plan.words(), move |input| plan.apply(input)));
                            }
                        }
                    }
                }
            }
        }
    }
    found.best(4, demos, work)
}

fn items(g: &Image, family: Family) -> Option<Vec<Item>> {
    let pieces = family.pieces(g);
    if pieces.is_empty() || pieces.len() > 40 {
        return None;
    }
    let ground = g.background();
    let counts = g.counts();
    let list = pieces.iter().map(|piece| {
        let (image, o) = (&piece.image, &piece.object);
        let reading = Reading { ground: Some(ground), diagonal: true, one_color: true };
        let n = |k: usize| k as i32;
        let keys = [
            0,
            n(o.y0 * 100 + o.x0),
            n(o.x0 * 100 + o.y0),
            n(o.size()),
            n(o.h() * o.w()),
            n(counts[usize::from(o.color)]),
            n(pieces.iter().filter(|p| p.object.color == o.color).count()),
            n(holes(&o.mask())),
            n(image.counts().iter().filter(|&&n| n > 0).count()),
            n(image.cells.iter().filter(|&&c| c != ground).count()),
            n(components(image, reading).0.len()),
            n(pieces.iter().filter(|p| p.image == *image).count()),
            n(o.y1),
            n(o.x1),
            i32::from(o.color),
        ];
        Item { image: image.clone(), color: o.color, size: o.size(), y: o.y0, x: o.x0, keys }
    });
    Some(list.collect())
}

fn filtered(items: &[Item], g: &Image, filter: usize) -> Vec<usize> {
    let sizes = || items.iter().map(|item| item.size);
    let (largest, smallest) = (sizes().max(), sizes().min());
    let majority = g.majority();
    let distinct = |value: &dyn Fn(&Item) -> usize| items.iter().map(value).collect::<HashSet<_>>().len();
    let upright = distinct(&|item| item.y) >= distinct(&|item| item.x);
    let mut colors = HashSet::new();
    let mut pictures = HashSet::new();
    let mut placed = HashSet::new();
    let mut keep = |item: &Item| match filter {
        0 => true,
        1 => Some(item.size) != largest,
        2 => Some(item.size) != smallest,
        3 => item.size > 1,
        4 => colors.insert(item.color),
        5 => pictures.insert(item.image.clone()),
        6 => item.keys[8] > 1,
        7 => item.keys[9] > 0,
        8 => item.color != majority,
        _ => placed.insert((item.color, if upright { item.y } else { item.x })),
    };
    (0..items.len()).filter(|&i| keep(&items[i])).collect()
}

/// Pieces in order; `None` if a tie between different pieces would decide.
fn ordered(items: &[Item], chosen: &[usize], order: usize, falling: bool) -> Option<Vec<usize>> {
    let key = |i: usize| if falling { -items[i].keys[order] } else { items[i].keys[order] };
    let mut sorted = chosen.to_vec();
    sorted.sort_by_key(|&i| key(i));
    let decides = (3..12).contains(&order)
        && sorted.windows(2).any(|w| key(w[0]) == key(w[1]) && items[w[0]].image != items[w[1]].image);
    (!decides && !sorted.is_empty() && sorted.len() <= MAX_SIDE).then_some(sorted)
}

impl Plan {
    fn apply(self, input: &Image) -> Option<Image> {
        let items = items(input, self.family)?;
        let chosen = filtered(&items, input, self.filter);
        let sorted = ordered(&items, &chosen, self.order, self.falling)?;
        self.lay_out(&items, &sorted, input, None)
    }

    fn words(self) -> String {
        format!(
            "every {} ({}), {}{}: {} {}",
            self.family.words(),
            FILTERS[self.filter],
            ORDERS[self.order],
            if self.falling { " (falling)" } else { "" },
            SHOWN[self.shown],
            LAYOUTS[self.layout],
        )
    }

    /// The output. With a wanted one, it is only made when its size is right.
    fn lay_out(
        self,
        items: &[Item],
        sorted: &[usize],
        input: &Image,
        wanted: Option<&Image>,
    ) -> Option<Image> {
        if sorted.len() < 2 && self.shown != 0 {
            return None;
        }
        let spread = |value: &dyn Fn(&Item) -> usize| {
            let all = || sorted.iter().map(|&i| value(&items[i]));
            all().max().unwrap_or(0) - all().min().unwrap_or(0)
        };
        let layout = match self.layout {
            6 if spread(&|item| item.y) > spread(&|item| item.x) => 1,
            6 => 0,
            other => other,
        };
        if self.shown >= 2 && layout > 1 || (layout >= 9 && self.shown != 1) {
            return None;
        }
        let show = |&i: &usize| self.show(&items[i], items, sorted, layout == 1);
        let pictures: Vec<Image> = sorted.iter().map(show).collect::<Option<_>>()?;
        let fits = |h: usize, w: usize| {
            h <= MAX_SIDE && w <= MAX_SIDE && wanted.is_none_or(|image| (image.h, image.w) == (h, w))
        };
        let n = pictures.len();
        let first = &pictures[0];
        let all_same = || pictures.iter().all(|p| p.same_size(first));
        match layout {
            0..=3 => {
                let gap = layout / 2;
                let upright = layout % 2 == 1;
                stacked(&pictures, gap, upright, &fits)
            }
            4 if n > 1 && all_same() && fits(first.h, first.w) => {
                Some(pictures[1..].iter().fold(first.clone(), |top, next| top.over(next)))
            }
            5 if n > 1 => centred(&pictures, &fits),
            7 if n > 1 && self.order == 1 && !self.falling && all_same() => {
                by_position(items, sorted, &pictures, &fits)
            }
            8 if n > 1 && self.order == 0 => at_common_cell(&pictures, &fits),
            9 => {
                let side = (1..=9).find(|side| side * side >= n).filter(|&side| fits(side, side))?;
                Some(Image::from_fn(side, side, |y, x| pictures.get(y * side + x).map_or(0, |p| p.cells[0])))
            }
            10 if self.order == 1 && !self.falling => {
                let distinct = |value: &dyn Fn(&Item) -> usize| {
                    let all: std::collections::BTreeSet<usize> =
                        sorted.iter().map(|&i| value(&items[i])).collect();
                    all.into_iter().collect::<Vec<_>>()
                };
                let (rows, cols) = (distinct(&|item| item.y), distinct(&|item| item.x));
                if !fits(rows.len(), cols.len()) {
                    return None;
                }
                let mut output = Image::new(rows.len(), cols.len(), input.background());
                for &i in sorted {
                    let (y, x) =
                        (rows.binary_search(&items[i].y).ok()?, cols.binary_search(&items[i].x).ok()?);
                    output.set(y, x, items[i].color);
                }
                Some(output)
            }
            _ => None,
        }
    }

    fn show(self, item: &Item, items: &[Item], sorted: &[usize], upright: bool) -> Option<Image> {
        let longest = sorted.iter().map(|&i| items[i].size).max().unwrap_or(0);
        let (n, color) = (item.size, item.color);
        let bar = |length: usize, on: &dyn Fn(usize) -> bool| {
            let lying = Image::from_fn(1, length, |_, x| if on(x) { color } else { 0 });
            if upright { lying } else { lying.turned(4) }
        };
        let small = longest <= MAX_SIDE;
        match self.shown {
            0 => Some(item.image.clone()),
            1 => Some(Image::new(1, 1, color)),
            2 => small.then(|| bar(longest, &|x| x < n)),
            3 => small.then(|| bar(longest, &|x| longest - x <= n)),
            4 => Some(bar(sorted.len(), &|_| true)),
            _ => small.then(|| if upright { Image::new(n, 1, color) } else { Image::new(1, n, color) }),
        }
    }
}

fn stacked(
    pictures: &[Image],
    gap: usize,
    upright: bool,
    fits: &dyn Fn(usize, usize) -> bool,
) -> Option<Image> {
    let across = |p: &Image| if upright { p.w } else { p.h };
    let along = |p: &Image| if upright { p.h } else { p.w };
    let width = across(&pictures[0]);
    let length = pictures.iter().map(along).sum::<usize>() + gap * (pictures.len() - 1);
    let (h, w) = if upright { (length, width) } else { (width, length) };
    if pictures.iter().any(|p| across(p) != width) || !fits(h, w) {
        return None;
    }
    let mut output = Image::new(h, w, 0);
    let mut at = 0;
    for p in pictures {
        let (y, x) = if upright { (at, 0) } else { (0, at) };
        output.paste(crate::image::Area { y, x, h: p.h, w: p.w }, p);
        at += along(p) + gap;
    }
    Some(output)
}

/// Pastes what is not black.
fn lay_on(output: &mut Image, picture: &Image, y0: usize, x0: usize) {
    for (i, &color) in picture.cells.iter().enumerate().filter(|(_, color)| **color != 0) {
        output.set(y0 + i / picture.w, x0 + i % picture.w, color);
    }
}

fn centred(pictures: &[Image], fits: &dyn Fn(usize, usize) -> bool) -> Option<Image> {
    let h = pictures.iter().map(|p| p.h).max()?;
    let w = pictures.iter().map(|p| p.w).max()?;
    if !fits(h, w) {
        return None;
    }
    let mut output = Image::new(h, w, 0);
    for p in pictures {
        lay_on(&mut output, p, (h - p.h) / 2, (w - p.w) / 2);
    }
    Some(output)
}

fn by_position(
    items: &[Item],
    sorted: &[usize],
    pictures: &[Image],
    fits: &dyn Fn(usize, usize) -> bool,
) -> Option<Image> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for (k, &i) in sorted.iter().enumerate() {
        let item = &items[i];
        let overlaps = |row: &&mut Vec<usize>| {
            let other = &items[sorted[row[0]]];
            other.y < item.y + item.image.h && item.y < other.y + other.image.h
        };
        match rows.iter_mut().find(overlaps) {
            Some(row) => row.push(k),
            None => rows.push(vec![k]),
        }
    }
    let n = rows[0].len();
    let (h, w) = (pictures[0].h, pictures[0].w);
    if rows.iter().any(|row| row.len() != n) || !fits(h * rows.len(), w * n) {
        return None;
    }
    for row in &mut rows {
        row.sort_by_key(|&k| items[sorted[k]].x);
    }
    Some(Image::from_fn(h * rows.len(), w * n, |y, x| pictures[rows[y / h][x / w]].at(y % h, x % w)))
}

/// Pictures that share a colour with exactly one cell lie with these cells on each other.
fn at_common_cell(pictures: &[Image], fits: &dyn Fn(usize, usize) -> bool) -> Option<Image> {
    let once = |color: u8| pictures.iter().all(|p| p.cells.iter().filter(|&&c| c == color).count() == 1);
    let color = (1..10).find(|&color| once(color))?;
    let places: Vec<(usize, usize)> = pictures
        .iter()
        .filter_map(|p| p.cells.iter().position(|&c| c == color).map(|i| (i / p.w, i % p.w)))
        .collect();
    let top = places.iter().map(|p| p.0).max()?;
    let left = places.iter().map(|p| p.1).max()?;
    let below = pictures.iter().zip(&places).map(|(p, at)| p.h - at.0).max()?;
    let right = pictures.iter().zip(&places).map(|(p, at)| p.w - at.1).max()?;
    if !fits(top + below, left + right) {
        return None;
    }
    let mut output = Image::new(top + below, left + right, 0);
    for (p, at) in pictures.iter().zip(&places) {
        lay_on(&mut output, p, top - at.0, left - at.1);
    }
    Some(output)
}
