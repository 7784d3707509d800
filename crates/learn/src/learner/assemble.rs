//! The output is put together from a list of pieces: filtered, ordered, shown, laid out.

use std::collections::{BTreeSet, HashSet};

use crate::found::Found;
use crate::image::{Area, Image, MAX_SIDE, Symmetry};
use crate::object::{Reading, components, holes};
use crate::option::choices;
use crate::piece::{Family, Piece};
use crate::{Demos, OutOfWork, Rule, Work};

/// A piece with its keys.
struct Item {
    image: Image,
    color: u8,
    size: usize,
    y: usize,
    x: usize,
    /// The keys of all orders.
    keys: Vec<i32>,
}

choices! {
    /// Which pieces are used.
    Filter {
        All: "all",
        NotLargest: "all but the largest",
        NotSmallest: "all but the smallest",
        MoreThanOneCell: "those of more than one cell",
        FirstOfColor: "the first of each colour",
        FirstOfPicture: "the first of each picture",
        TwoColors: "those of at least two colours",
        NotEmpty: "those that are not empty",
        NotCommonest: "those not of the commonest colour",
        FirstOfColorInLine: "the first of each colour in a row or column",
    }
}

choices! {
    /// The order of the pieces.
    Order {
        Found: "as found",
        Reading: "in reading order",
        ByColumns: "by columns",
        BySize: "by size",
        ByBox: "by the area of the box",
        ByColorAmount: "by the amount of their colour",
        ByColorPieces: "by the number of pieces of their colour",
        ByHoles: "by holes",
        ByColors: "by number of colours",
        ByColoredCells: "by coloured cells",
        ByParts: "by parts",
        ByEqualPieces: "by equal pieces",
        ByLowerEdge: "by the lower edge",
        ByRightEdge: "by the right edge",
        ByColor: "by colour number",
    }
}

choices! {
    /// How a piece is shown.
    Shown {
        Picture: "their pictures",
        Cell: "one cell each",
        Bar: "bars of their size",
        BarAtEnd: "bars of their size, aligned at the end",
        FullBar: "bars as long as the list",
        Block: "blocks of their size",
    }
}

choices! {
    /// The arrangement of the shown pieces.
    Layout {
        SideBySide: "side by side",
        Below: "one below the other",
        SideBySideWithGaps: "side by side with gaps",
        BelowWithGaps: "one below the other with gaps",
        Overlaid: "laid over each other",
        OverlaidCentred: "laid over each other at their centres",
        AsSpread: "in the direction in which they are spread",
        ByPosition: "in a grid by position",
        AtCommonCell: "laid over each other at their common cell",
        Square: "filling a square",
        Matrix: "as a matrix of positions",
    }
}

impl Order {
    /// The additional cost of a rule. Chosen on ARC-AGI-1 training tasks: orders by place are the most natural.
    const fn price(self) -> f64 {
        match self {
            Order::Reading | Order::ByColumns => 0.0,
            Order::BySize => 0.1,
            Order::Found => 0.3,
            Order::ByBox | Order::ByColorAmount => 0.4,
            Order::ByColorPieces
            | Order::ByHoles
            | Order::ByColors
            | Order::ByColoredCells
            | Order::ByParts => 0.5,
            Order::ByEqualPieces => 0.6,
            Order::ByLowerEdge | Order::ByRightEdge => 0.7,
            Order::ByColor => 1.0,
        }
    }

    /// Whether pieces with the same key may be exchanged, so that a tie between different ones is a guess.
    const fn may_tie(self) -> bool {
        matches!(
            self,
            Order::BySize
                | Order::ByBox
                | Order::ByColorAmount
                | Order::ByColorPieces
                | Order::ByHoles
                | Order::ByColors
                | Order::ByColoredCells
                | Order::ByParts
                | Order::ByEqualPieces
        )
    }

    fn key(self, g: &Image, pieces: &[Piece], i: usize) -> i32 {
        let (image, o) = (&pieces[i].image, &pieces[i].object);
        let background = g.background();
        let key = match self {
            Order::Found => 0,
            Order::Reading => o.y0 * 100 + o.x0,
            Order::ByColumns => o.x0 * 100 + o.y0,
            Order::BySize => o.size(),
            Order::ByBox => o.h() * o.w(),
            Order::ByColorAmount => g.counts()[usize::from(o.color)],
            Order::ByColorPieces => pieces.iter().filter(|p| p.object.color == o.color).count(),
            Order::ByHoles => holes(&o.mask()),
            Order::ByColors => image.counts().iter().filter(|&&n| n > 0).count(),
            Order::ByColoredCells => image.cells.iter().filter(|&&c| c != background).count(),
            Order::ByParts => {
                let reading = Reading { ground: Some(background), diagonal: true, one_color: true };
                components(image, reading).0.len()
            }
            Order::ByEqualPieces => pieces.iter().filter(|p| p.image == *image).count(),
            Order::ByLowerEdge => o.y1,
            Order::ByRightEdge => o.x1,
            Order::ByColor => o.color.into(),
        };
        key as i32
    }
}

/// One way to put an output together.
#[derive(Clone, Copy, Debug)]
struct Plan {
    family: Family,
    filter: Filter,
    order: Order,
    falling: bool,
    shown: Shown,
    layout: Layout,
}

/// Costs of a rule, of a filter, and of later choices. Chosen on ARC-AGI-1 training tasks.
const BASE_COST: f64 = 2.5;
const FILTERED: f64 = 0.5;
const PER_SHOWN: f64 = 0.05;
const PER_LAYOUT: f64 = 0.02;
const PER_FAMILY: f64 = 0.01;

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    if demos.same_size() {
        return Ok(Vec::new());
    }
    for (k, &family) in Family::ALL.iter().enumerate() {
        work.spend(demos.n_cells() * 4)?;
        let lists: Option<Vec<Vec<Item>>> = demos.inputs().map(|input| items(input, family)).collect();
        let Some(lists) = lists else { continue };
        for &filter in Filter::ALL {
            let chosen: Vec<Vec<usize>> =
                lists.iter().zip(demos.inputs()).map(|(items, input)| filter.chosen(items, input)).collect();
            // A filter that removes nothing is the first one.
            let removes = chosen.iter().zip(&lists).any(|(chosen, items)| chosen.len() < items.len());
            if filter != Filter::All && !removes {
                continue;
            }
            for &order in Order::ALL {
                for falling in [false, true] {
                    if order == Order::Found && falling {
                        continue;
                    }
                    work.spend(20)?;
                    let sorted: Option<Vec<Vec<usize>>> = lists
                        .iter()
                        .zip(&chosen)
                        .map(|(items, chosen)| ordered(items, chosen, order, falling))
                        .collect();
                    let Some(sorted) = sorted else { continue };
                    for (s, &shown) in Shown::ALL.iter().enumerate() {
                        for (l, &layout) in Layout::ALL.iter().enumerate() {
                            let plan = Plan { family, filter, order, falling, shown, layout };
                            let right = lists.iter().zip(&sorted).zip(demos.pairs()).all(
                                |((items, sorted), (input, output))| {
                                    plan.lay_out(items, sorted, input, Some(output)).as_ref() == Some(output)
                                },
                            );
                            if right {
                                let cost = BASE_COST
                                    + if filter == Filter::All { 0.0 } else { FILTERED }
                                    + order.price()
                                    + PER_SHOWN * s as f64
                                    + PER_LAYOUT * l as f64
                                    + PER_FAMILY * k as f64;
                                found.push(Rule::new(cost, plan.words(), move |input: &Image| {
                                    plan.apply(input)
                                }));
                            }
                        }
                    }
                }
            }
        }
    }
    found.best(4, demos, work)
}

/// More pieces than this are a texture.
const MAX_PIECES: usize = 40;

fn items(g: &Image, family: Family) -> Option<Vec<Item>> {
    let pieces = family.pieces(g);
    if pieces.is_empty() || pieces.len() > MAX_PIECES {
        return None;
    }
    let item = |i: usize| {
        let (image, o) = (pieces[i].image.clone(), &pieces[i].object);
        let keys = Order::ALL.iter().map(|order| order.key(g, &pieces, i)).collect();
        Item { image, color: o.color, size: o.size(), y: o.y0, x: o.x0, keys }
    };
    Some((0..pieces.len()).map(item).collect())
}

impl Item {
    fn key(&self, order: Order) -> i32 {
        self.keys[order as usize]
    }
}

impl Filter {
    fn chosen(self, items: &[Item], g: &Image) -> Vec<usize> {
        let sizes = || items.iter().map(|item| item.size);
        let (largest, smallest) = (sizes().max(), sizes().min());
        let majority = g.majority();
        let distinct = |value: &dyn Fn(&Item) -> usize| items.iter().map(value).collect::<HashSet<_>>().len();
        let upright = distinct(&|item| item.y) >= distinct(&|item| item.x);
        let mut colors = HashSet::new();
        let mut pictures = HashSet::new();
        let mut placed = HashSet::new();
        let mut keep = |item: &Item| match self {
            Filter::All => true,
            Filter::NotLargest => Some(item.size) != largest,
            Filter::NotSmallest => Some(item.size) != smallest,
            Filter::MoreThanOneCell => item.size > 1,
            Filter::FirstOfColor => colors.insert(item.color),
            Filter::FirstOfPicture => pictures.insert(item.image.clone()),
            Filter::TwoColors => item.key(Order::ByColors) > 1,
            Filter::NotEmpty => item.key(Order::ByColoredCells) > 0,
            Filter::NotCommonest => item.color != majority,
            Filter::FirstOfColorInLine => placed.insert((item.color, if upright { item.y } else { item.x })),
        };
        (0..items.len()).filter(|&i| keep(&items[i])).collect()
    }
}

/// Pieces in order; `None` if a tie between different pieces would decide.
fn ordered(items: &[Item], chosen: &[usize], order: Order, falling: bool) -> Option<Vec<usize>> {
    let key = |i: usize| if falling { -items[i].key(order) } else { items[i].key(order) };
    let mut sorted = chosen.to_vec();
    sorted.sort_by_key(|&i| key(i));
    let decides = order.may_tie()
        && sorted.windows(2).any(|w| key(w[0]) == key(w[1]) && items[w[0]].image != items[w[1]].image);
    (!decides && !sorted.is_empty() && sorted.len() <= MAX_SIDE).then_some(sorted)
}

impl Plan {
    fn apply(self, input: &Image) -> Option<Image> {
        let items = items(input, self.family)?;
        let chosen = self.filter.chosen(&items, input);
        let sorted = ordered(&items, &chosen, self.order, self.falling)?;
        self.lay_out(&items, &sorted, input, None)
    }

    fn words(self) -> String {
        format!(
            "every {} ({}), {}{}: {} {}",
            self.family.words(),
            self.filter.words(),
            self.order.words(),
            if self.falling { " (falling)" } else { "" },
            self.shown.words(),
            self.layout.words(),
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
        if sorted.len() < 2 && self.shown != Shown::Picture {
            return None;
        }
        let spread = |value: &dyn Fn(&Item) -> usize| {
            let all = || sorted.iter().map(|&i| value(&items[i]));
            all().max().unwrap_or(0) - all().min().unwrap_or(0)
        };
        let layout = match self.layout {
            Layout::AsSpread if spread(&|item| item.y) > spread(&|item| item.x) => Layout::Below,
            Layout::AsSpread => Layout::SideBySide,
            other => other,
        };
        let in_line = matches!(layout, Layout::SideBySide | Layout::Below);
        let as_cells = matches!(layout, Layout::Square | Layout::Matrix);
        let is_bar = !matches!(self.shown, Shown::Picture | Shown::Cell);
        if is_bar && !in_line || as_cells && self.shown != Shown::Cell {
            return None;
        }
        let show = |&i: &usize| self.show(&items[i], items, sorted, layout == Layout::Below);
        let pictures: Vec<Image> = sorted.iter().map(show).collect::<Option<_>>()?;
        let fits = |h: usize, w: usize| {
            h <= MAX_SIDE && w <= MAX_SIDE && wanted.is_none_or(|image| (image.h, image.w) == (h, w))
        };
        let n = pictures.len();
        let first = &pictures[0];
        let all_same = || pictures.iter().all(|p| p.same_size(first));
        let by_reading = self.order == Order::Reading && !self.falling;
        match layout {
            Layout::SideBySide => stacked(&pictures, 0, false, &fits),
            Layout::Below => stacked(&pictures, 0, true, &fits),
            Layout::SideBySideWithGaps => stacked(&pictures, 1, false, &fits),
            Layout::BelowWithGaps => stacked(&pictures, 1, true, &fits),
            Layout::Overlaid if n > 1 && all_same() && fits(first.h, first.w) => {
                Some(pictures[1..].iter().fold(first.clone(), |top, next| top.over(next)))
            }
            Layout::OverlaidCentred if n > 1 => centred(&pictures, &fits),
            Layout::ByPosition if n > 1 && by_reading && all_same() => {
                by_position(items, sorted, &pictures, &fits)
            }
            Layout::AtCommonCell if n > 1 && self.order == Order::Found => at_common_cell(&pictures, &fits),
            Layout::Square => {
                let side = (1..=9).find(|side| side * side >= n).filter(|&side| fits(side, side))?;
                Some(Image::from_fn(side, side, |y, x| pictures.get(y * side + x).map_or(0, |p| p.cells[0])))
            }
            Layout::Matrix if by_reading => matrix(items, sorted, input, &fits),
            _ => None,
        }
    }

    fn show(self, item: &Item, items: &[Item], sorted: &[usize], upright: bool) -> Option<Image> {
        let longest = sorted.iter().map(|&i| items[i].size).max().unwrap_or(0);
        let (n, color) = (item.size, item.color);
        let bar = |length: usize, on: &dyn Fn(usize) -> bool| {
            let lying = Image::from_fn(1, length, |_, x| if on(x) { color } else { 0 });
            if upright { lying } else { lying.turned(Symmetry::Transpose) }
        };
        let small = longest <= MAX_SIDE;
        match self.shown {
            Shown::Picture => Some(item.image.clone()),
            Shown::Cell => Some(Image::new(1, 1, color)),
            Shown::Bar => small.then(|| bar(longest, &|x| x < n)),
            Shown::BarAtEnd => small.then(|| bar(longest, &|x| longest - x <= n)),
            Shown::FullBar => Some(bar(sorted.len(), &|_| true)),
            Shown::Block => {
                small.then(|| if upright { Image::new(n, 1, color) } else { Image::new(1, n, color) })
            }
        }
    }
}

/// One cell for each row and column in which a piece begins.
fn matrix(
    items: &[Item],
    sorted: &[usize],
    input: &Image,
    fits: &dyn Fn(usize, usize) -> bool,
) -> Option<Image> {
    let distinct = |value: &dyn Fn(&Item) -> usize| {
        let all: BTreeSet<usize> = sorted.iter().map(|&i| value(&items[i])).collect();
        all.into_iter().collect::<Vec<_>>()
    };
    let (rows, cols) = (distinct(&|item| item.y), distinct(&|item| item.x));
    if !fits(rows.len(), cols.len()) {
        return None;
    }
    let mut output = Image::new(rows.len(), cols.len(), input.background());
    for &i in sorted {
        let (y, x) = (rows.binary_search(&items[i].y).ok()?, cols.binary_search(&items[i].x).ok()?);
        output.set(y, x, items[i].color);
    }
    Some(output)
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
        output.paste(Area { y, x, h: p.h, w: p.w }, p);
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
