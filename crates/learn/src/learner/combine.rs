//! Output cells from several readings of the input: parts laid over each other, repeats, a pool of views.

use crate::feature::{Feature, Kind};
use crate::found::Found;
use crate::image::{Image, MAX_SIDE, color_name, least_frequent, most_frequent};
use crate::object::{Lines, equal_parts};
use crate::rows::Rows;
use crate::size::size_rules;
use crate::tree::{Bounds, Tree};
use crate::view::views;
use crate::{Demos, Rule, Work};

/// Columns of values and of what each action gives, for the cells of one output.
struct Table {
    columns: Vec<Vec<u8>>,
    actions: Vec<Vec<u8>>,
}

fn named(name: impl Into<String>, kind: Kind) -> Feature<String> {
    Feature { name: name.into(), kind, weight: 1.0 }
}

fn apply(tree: &Tree, table: &Table, h: usize, w: usize) -> Image {
    Image {
        h,
        w,
        cells: (0..h * w)
            .map(|i| {
                let action = tree.action(|feature| table.columns[feature][i]);
                table.actions[action][i]
            })
            .collect(),
    }
}

/// The names of actions: the first, the ten colours, the rest.
fn action_name(action: usize, first: &str, rest: &dyn Fn(usize) -> String) -> String {
    match action {
        0 => first.to_owned(),
        1..=10 => color_name(action as u8 - 1).to_owned(),
        _ => rest(action - 11),
    }
}

/// Ways to take an image apart into pictures of one size.
#[derive(Clone, Copy)]
enum Cut {
    Lines,
    Parts(usize, usize),
    /// As many squares as fit along the longer side.
    Squares,
}

impl Cut {
    fn parts(self, g: &Image) -> Option<Vec<Image>> {
        let parts = match self {
            Cut::Lines => Lines::find(g)?.areas().iter().map(|&area| g.crop(area)).collect(),
            Cut::Parts(rows, cols) => equal_parts(g, rows, cols)?,
            Cut::Squares if g.h > g.w => equal_parts(g, g.h / g.w, 1)?,
            Cut::Squares => equal_parts(g, 1, g.w / g.h)?,
        };
        parts.iter().all(|part| part.same_size(&parts[0])).then_some(parts)
    }

    fn words(self) -> String {
        match self {
            Cut::Lines => "the parts between the lines".to_owned(),
            Cut::Parts(rows, cols) => format!("the {rows}×{cols} parts"),
            Cut::Squares => "the squares along the longer side".to_owned(),
        }
    }
}

/// The image is cut into parts of the output's size; each output cell follows from the cells of the parts.
pub(crate) fn learn_split(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    let mut found = Found::default();
    let cuts = [
        Cut::Lines,
        Cut::Parts(1, 2),
        Cut::Parts(2, 1),
        Cut::Parts(2, 2),
        Cut::Parts(1, 3),
        Cut::Parts(3, 1),
        Cut::Squares,
    ];
    for cut in cuts {
        work.spend(demos.n_cells() / 2)?;
        let lists: Option<Vec<Vec<Image>>> = demos.inputs().map(|input| cut.parts(input)).collect();
        let Some(lists) = lists else { continue };
        let n = lists[0].len();
        let fits =
            lists.iter().zip(demos.outputs()).all(|(l, output)| l.len() == n && l[0].same_size(output));
        if !(2..=16).contains(&n) || !fits {
            continue;
        }
        let mut rows = Rows::new(split_features(n), 11 + n);
        for (parts, output) in lists.iter().zip(demos.outputs()) {
            let table = split_table(parts);
            rows.extend(&table.columns, &table.actions, &output.cells);
        }
        let Some(tree) = rows.tree(Bounds::leaves(8), true, work) else { continue };
        let copy = |k: usize| {
            if k + 1 == n { "the first part that is not black".into() } else { format!("part {}", k + 2) }
        };
        let tree_words = rows.words(&tree, |action| action_name(action, "part 1", &copy));
        let text = format!("of {}: {tree_words}", cut.words());
        found.push(Rule::new(1.8 + 0.5 * tree.leaves() as f64, text, move |input| {
            let parts = cut.parts(input).filter(|parts| parts.len() == n)?;
            Some(apply(&tree, &split_table(&parts), parts[0].h, parts[0].w))
        }));
    }
    found.best(2, demos, work)
}

fn split_features(n: usize) -> Vec<Feature<String>> {
    let mut features = vec![named("the number of parts that are not black", Kind::Count)];
    features.extend((1..=n).map(|k| named(format!("part {k}"), Kind::Color)));
    features.extend((1..=n).map(|k| named(format!("part {k} is not black"), Kind::Flag)));
    for i in 0..n.min(4) {
        features
            .extend((0..i).map(|j| named(format!("parts {} and {} are equal", j + 1, i + 1), Kind::Flag)));
    }
    features
}

fn split_table(parts: &[Image]) -> Table {
    let n = parts[0].area();
    let mut actions = vec![parts[0].cells.clone()];
    actions.extend((0..10).map(|color| vec![color; n]));
    actions.extend(parts[1..].iter().map(|part| part.cells.clone()));
    let colors = |i: usize| parts.iter().map(move |part| part.cells[i]);
    actions.push((0..n).map(|i| colors(i).find(|&c| c != 0).unwrap_or(0)).collect());
    let mut columns = vec![(0..n).map(|i| colors(i).filter(|&c| c != 0).count() as u8).collect()];
    columns.extend(parts.iter().map(|part| part.cells.clone()));
    columns.extend(parts.iter().map(|part| part.cells.iter().map(|&c| u8::from(c != 0)).collect()));
    for i in 0..parts.len().min(4) {
        for j in 0..i {
            columns.push((0..n).map(|k| u8::from(parts[i].cells[k] == parts[j].cells[k])).collect());
        }
    }
    Table { columns, actions }
}

/// The output has another size; each of its cells follows from cells of the input, repeated, enlarged or mirrored.
pub(crate) fn learn_repeat(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    let mut found = Found::default();
    if demos.same_size() {
        return Some(Vec::new());
    }
    work.spend(demos.n_cells() * 4)?;
    for size in size_rules(demos) {
        let outputs: usize = demos.outputs().map(Image::area).sum();
        work.spend(outputs * 4)?;
        let mut rows = Rows::new(repeat_features(), 11 + REPEATS.len());
        for (input, output) in demos.pairs() {
            let table = repeat_table(input, output.h, output.w);
            rows.extend(&table.columns, &table.actions, &output.cells);
        }
        let Some(tree) = rows.tree(Bounds::leaves(8), true, work) else { continue };
        let copy = |k: usize| REPEATS[k].to_owned();
        let tree_words = rows.words(&tree, |action| action_name(action, "the repeated input", &copy));
        let text = format!("{}; {tree_words}", size.words());
        let cost = 1.8 + size.surcharge() + tree.leaves() as f64;
        found.push(Rule::new(cost, text, move |input| {
            let (h, w) = size.of(input)?;
            Some(apply(&tree, &repeat_table(input, h, w), h, w))
        }));
    }
    found.best(3, demos, work)
}

const REPEATS: [&str; 11] = [
    "the enlarged input",
    "the input by blocks",
    "the input repeated with mirrors",
    "the input repeated with left-right mirrors",
    "the input repeated with up-down mirrors",
    "the repeated input upside down",
    "the repeated input left-right",
    "the repeated input turned by 180°",
    "the centred input",
    "the commonest colour",
    "the rarest colour",
];

fn repeat_features() -> Vec<Feature<String>> {
    let mut features = Vec::new();
    for which in ["the commonest colour", "the rarest colour", "the commonest colour of all"] {
        features.push(named(format!("its block is {which}"), Kind::Flag));
        features.push(named(format!("the enlarged input is {which}"), Kind::Flag));
    }
    for which in
        ["the repeated input", "the enlarged input", "its block", "the mirrored input", "the centred input"]
    {
        features.push(named(which, Kind::Color));
    }
    for which in [
        "its block's row",
        "its block's column",
        "its block's row modulo 2",
        "its block's column modulo 2",
        "its row in the enlarged cell",
        "its column in the enlarged cell",
    ] {
        features.push(named(which, Kind::Code));
    }
    features.push(named("its block lies on the diagonal", Kind::Flag));
    features.push(named("its block lies on the other diagonal", Kind::Flag));
    features.push(named("it lies on the diagonal of the enlarged cell", Kind::Flag));
    features.push(named("its distance to top or bottom", Kind::Code));
    features.push(named("its distance to left or right", Kind::Code));
    features.push(named("its distance to the border", Kind::Code));
    features
}

fn repeat_table(g: &Image, h: usize, w: usize) -> Table {
    let (kh, kw) = (h.div_ceil(g.h), w.div_ceil(g.w));
    let cells =
        |value: &dyn Fn(usize, usize) -> u8| (0..h * w).map(|i| value(i / w, i % w)).collect::<Vec<u8>>();
    let folded = |i: usize, n: usize| if i % (2 * n) < n { i % n } else { n - 1 - i % n };
    let (gh, gw) = (g.h, g.w);
    let repeated = cells(&|y, x| g.at(y % gh, x % gw));
    let enlarged = cells(&|y, x| g.at((y / kh).min(gh - 1), (x / kw).min(gw - 1)));
    let blocks = cells(&|y, x| g.at((y / gh) % gh, (x / gw) % gw));
    let mirrored = cells(&|y, x| g.at(folded(y, gh), folded(x, gw)));
    let centred = cells(&|y, x| {
        let dy = (h as i32 - gh as i32) / 2;
        let dx = (w as i32 - gw as i32) / 2;
        match g.get(y as i32 - dy, x as i32 - dx) {
            color if color > 9 => 0,
            color => color,
        }
    });
    let counts = g.counts();
    let commonest = most_frequent(&counts, |c| c != 0).unwrap_or(0);
    let rarest = least_frequent(&counts, |c| c != 0).unwrap_or(0);
    let mut actions = vec![repeated.clone()];
    actions.extend((0..10).map(|color| vec![color; h * w]));
    actions.push(enlarged.clone());
    actions.push(blocks.clone());
    actions.push(mirrored.clone());
    actions.push(cells(&|y, x| g.at(y % gh, folded(x, gw))));
    actions.push(cells(&|y, x| g.at(folded(y, gh), x % gw)));
    actions.push(cells(&|y, x| g.at(gh - 1 - y % gh, x % gw)));
    actions.push(cells(&|y, x| g.at(y % gh, gw - 1 - x % gw)));
    actions.push(cells(&|y, x| g.at(gh - 1 - y % gh, gw - 1 - x % gw)));
    actions.push(centred.clone());
    actions.push(vec![commonest; h * w]);
    actions.push(vec![rarest; h * w]);
    let mut columns: Vec<Vec<u8>> = Vec::new();
    for color in [commonest, rarest, g.majority()] {
        columns.push(blocks.iter().map(|&c| u8::from(c == color)).collect());
        columns.push(enlarged.iter().map(|&c| u8::from(c == color)).collect());
    }
    columns.extend([repeated, enlarged, blocks, mirrored, centred]);
    columns.push(cells(&|y, _| (y / gh) as u8));
    columns.push(cells(&|_, x| (x / gw) as u8));
    columns.push(cells(&|y, _| (y / gh % 2) as u8));
    columns.push(cells(&|_, x| (x / gw % 2) as u8));
    columns.push(cells(&|y, _| (y % kh) as u8));
    columns.push(cells(&|_, x| (x % kw) as u8));
    columns.push(cells(&|y, x| u8::from(y / gh == x / gw)));
    columns.push(cells(&|y, x| u8::from(y / gh + x / gw + 1 == kw)));
    columns.push(cells(&|y, x| u8::from(y % kh == x % kw)));
    columns.push(cells(&|y, _| y.min(h - 1 - y) as u8));
    columns.push(cells(&|_, x| x.min(w - 1 - x) as u8));
    columns.push(cells(&|y, x| y.min(h - 1 - y).min(x).min(w - 1 - x) as u8));
    Table { columns, actions }
}

/// No more images than this take part in a pool.
const MAX_POOL: usize = 115;

/// All views that have the output's size, one and two steps away, tell each output cell's colour together: where one
/// is black take the other, and the like.
pub(crate) fn learn_pool(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    let fits =
        |images: &[Image]| images.iter().zip(demos.outputs()).all(|(image, output)| image.same_size(output));
    let all = demos.views(work)?;
    let plain = |i: usize| !views()[i].special;
    let mut pool: Vec<(Vec<usize>, Vec<Image>)> = all
        .iter()
        .filter(|(i, images)| plain(*i) && fits(images))
        .map(|(i, images)| (vec![*i], images.clone()))
        .collect();
    if pool.len() < 90 {
        let mut seen: std::collections::HashSet<Vec<Image>> =
            pool.iter().map(|(_, images)| images.clone()).collect();
        'all: for (i, images) in all.iter().filter(|(i, _)| *i > 0 && plain(*i) && views()[*i].core) {
            work.spend(images[0].area() * 10)?;
            for (j, view) in views().iter().enumerate().filter(|(_, view)| view.core && !view.special) {
                let next = images
                    .iter()
                    .zip(demos.outputs())
                    .map(|(image, output)| view.apply(image).filter(|image| image.same_size(output)));
                let Some(next) = next.collect::<Option<Vec<Image>>>() else { continue };
                if seen.insert(next.clone()) {
                    pool.push((vec![*i, j], next));
                    if pool.len() >= MAX_POOL {
                        break 'all;
                    }
                }
            }
        }
    }
    if pool.is_empty() {
        return Some(Vec::new());
    }
    let names: Vec<String> = pool.iter().map(|(chain, _)| chain_words(chain)).collect();
    let mut features = Vec::new();
    for name in &names {
        features.push(named(format!("“{name}”"), Kind::Color));
        features.push(named(format!("“{name}” is black"), Kind::Flag));
    }
    let mut rows = Rows::new(features, 10 + pool.len());
    for (k, output) in demos.outputs().enumerate() {
        let table = pool_table(pool.iter().map(|(_, images)| &images[k]));
        rows.extend(&table.columns, &table.actions, &output.cells);
    }
    let Some(tree) = rows.tree(Bounds::leaves(5), true, work) else { return Some(Vec::new()) };
    let copy = |k: usize| format!("“{}”", names[k + 1]);
    let text = rows.words(&tree, |action| action_name(action, &format!("“{}”", names[0]), &copy));
    let chains: Vec<Vec<usize>> = pool.into_iter().map(|(chain, _)| chain).collect();
    let used = used_images(&tree, chains.len());
    Some(vec![Rule::new(2.5 + tree.leaves() as f64, text, move |input| {
        // Only the images that the tree asks for are made; the others are filled in with the first of them.
        let made: Vec<Option<Image>> = chains
            .iter()
            .zip(&used)
            .map(|(chain, used)| {
                if !used {
                    return None;
                }
                chain.iter().try_fold(input.clone(), |image, &i| views()[i].apply(&image))
            })
            .collect();
        let first = made.iter().flatten().next()?.clone();
        let complete = used
            .iter()
            .zip(&made)
            .all(|(used, image)| !used || image.as_ref().is_some_and(|image| image.same_size(&first)));
        if !complete || first.h > MAX_SIDE {
            return None;
        }
        let table = pool_table(made.iter().map(|image| image.as_ref().unwrap_or(&first)));
        Some(apply(&tree, &table, first.h, first.w))
    })])
}

fn chain_words(chain: &[usize]) -> String {
    chain.iter().map(|&i| views()[i].name.as_str()).collect::<Vec<_>>().join(", then ")
}

fn pool_table<'a>(images: impl Iterator<Item = &'a Image>) -> Table {
    let images: Vec<&Image> = images.collect();
    let mut columns = Vec::new();
    for image in &images {
        columns.push(image.cells.clone());
        columns.push(image.cells.iter().map(|&c| u8::from(c == 0)).collect());
    }
    let mut actions = vec![images[0].cells.clone()];
    actions.extend((0..10).map(|color| vec![color; images[0].area()]));
    actions.extend(images[1..].iter().map(|image| image.cells.clone()));
    Table { columns, actions }
}

/// Which images of a pool a tree asks for.
fn used_images(tree: &Tree, n: usize) -> Vec<bool> {
    let by_test = std::cell::RefCell::new(vec![false; n]);
    tree.visit(&mut |feature| by_test.borrow_mut()[feature / 2] = true, &mut |action| match action {
        0 => by_test.borrow_mut()[0] = true,
        1..=10 => {}
        _ => by_test.borrow_mut()[action - 10] = true,
    });
    let mut used = by_test.into_inner();
    if !used.contains(&true) {
        // A constant answer needs an image for its size.
        used[0] = true;
    }
    used
}
