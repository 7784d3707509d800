//! Objects draw: rays, rings, fillings and connections, chosen for each object.

use std::collections::{BTreeMap, HashSet};

use super::cells::{Vocabulary, cell_rule};
use super::transform;
use crate::found::Found;
use crate::image::{DIRECTIONS, Image, OUTSIDE, color_name, least_frequent};
use crate::object::{Object, Seg};
use crate::relation::{minor_side, nearest_direction, open_side, related, related_features, room};
use crate::rows::Rows;
use crate::tree::{Bounds, Tree};
use crate::{Demos, Rule, Work};

/// The cells that an action paints.
type Strokes = Vec<(usize, usize)>;

/// The colour that objects draw with.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ink {
    Own,
    /// The object's rarest colour.
    Minor,
    /// The rarest colour of the image.
    Rarest,
    Fixed(u8),
}

impl Ink {
    fn color(self, image: &Image, object: &Object) -> u8 {
        match self {
            Ink::Own => object.color,
            Ink::Minor => least_frequent(&object.counts(image), |_| true).unwrap_or(object.color),
            Ink::Rarest => {
                let ground = image.background();
                least_frequent(&image.counts(), |c| c != ground).unwrap_or(0)
            }
            Ink::Fixed(color) => color,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Ink::Own => "its colour",
            Ink::Minor => "its rarest colour",
            Ink::Rarest => "the rarest colour",
            Ink::Fixed(color) => color_name(color),
        }
    }
}

/// How it is decided which actions are right for an object.
#[derive(Clone, Copy, PartialEq)]
struct Labels {
    /// An action may miss cells that another object paints too.
    lenient: bool,
    ordinals: bool,
    price: f64,
}

const LABELS: [Labels; 3] = [
    Labels { lenient: true, ordinals: true, price: 0.0 },
    Labels { lenient: false, ordinals: true, price: 0.1 },
    Labels { lenient: false, ordinals: false, price: 0.4 },
];

/// The objects of an image with what each action would paint, and their features.
struct Scene {
    objects: Vec<Object>,
    strokes: Vec<Vec<Strokes>>,
    features: Vec<Vec<u8>>,
}

#[derive(Clone, Copy)]
struct Reading {
    seg: Seg,
    /// Rays start in the middle of a side only.
    from_middle: bool,
}

impl Reading {
    fn scene(self, image: &Image, max_objects: usize) -> Option<Scene> {
        let objects = self.seg.objects(image);
        if objects.is_empty() || objects.len() > max_objects {
            return None;
        }
        let strokes = (0..objects.len()).map(|i| strokes(image, &objects, i, self.from_middle)).collect();
        let features = related(image, &objects);
        Some(Scene { objects, strokes, features })
    }
}

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    let mut found = Found::default();
    let Some(new_colors) = colors_on_background(demos).filter(|_| demos.edits()) else {
        return Some(Vec::new());
    };
    for (k, seg) in [Seg::Mono8, Seg::Multi8, Seg::Mono4].into_iter().enumerate() {
        let same_as_first =
            || demos.inputs().all(|input| seg.objects(input).len() == Seg::Mono8.objects(input).len());
        if seg == Seg::Mono4 && same_as_first() {
            continue;
        }
        for from_middle in [false, true] {
            let reading = Reading { seg, from_middle };
            work.spend(demos.n_cells() * 8)?;
            let scenes: Option<Vec<Scene>> = demos.inputs().map(|input| reading.scene(input, 40)).collect();
            let Some(scenes) = scenes else { continue };
            work.spend(scenes.iter().map(|scene| scene.objects.len() * N_ACTIONS * 4).sum::<usize>())?;
            let inks = [Ink::Own, Ink::Minor, Ink::Rarest].into_iter();
            for ink in inks.chain(new_colors.iter().map(|&color| Ink::Fixed(color))) {
                if ink == Ink::Minor && seg != Seg::Multi8 {
                    continue;
                }
                let price = 2.5 + 0.1 * k as f64 + if from_middle { 0.3 } else { 0.0 };
                let brush = Brush { reading, ink, price };
                learn_with(demos, &scenes, brush, &mut found, work)?;
            }
        }
    }
    found.best(4, demos, work)
}

/// The colours that appear on former background; none if some pair has no such change.
fn colors_on_background(demos: &Demos) -> Option<Vec<u8>> {
    let mut colors = Vec::new();
    for (input, output) in demos.pairs() {
        let ground = input.background();
        let changes = input.cells.iter().zip(&output.cells).filter(|&(&a, &b)| a != b && a == ground);
        let mut any = false;
        for (_, &color) in changes {
            any = true;
            if !colors.contains(&color) {
                colors.push(color);
            }
        }
        if !any {
            return None;
        }
    }
    colors.truncate(4);
    Some(colors)
}

/// How objects are read and in which colour they draw.
#[derive(Clone, Copy)]
struct Brush {
    reading: Reading,
    ink: Ink,
    /// Added to the cost of a rule.
    price: f64,
}

fn learn_with(
    demos: &Demos,
    scenes: &[Scene],
    brush: Brush,
    found: &mut Found,
    work: &Work<'_>,
) -> Option<()> {
    let Brush { reading, ink, price } = brush;
    let judged: Vec<Judged> = demos
        .pairs()
        .iter()
        .zip(scenes)
        .map(|((input, output), scene)| Judged::new(input, output, scene, ink))
        .collect();
    work.spend(scenes.iter().map(|scene| scene.objects.len() * N_ACTIONS * 2).sum::<usize>())?;
    let wanted: usize = judged.iter().map(|judged| judged.n_wanted).sum();
    let covered: usize = judged.iter().map(|judged| judged.n_covered).sum();
    if wanted == 0 || covered * 2 < wanted {
        return Some(());
    }
    for labels in LABELS {
        let mut rows = Rows::new(related_features(), N_ACTIONS);
        for (scene, judged) in scenes.iter().zip(&judged) {
            for (i, features) in scene.features.iter().enumerate() {
                let accepted = judged.accepted(i, labels.lenient);
                rows.push(features, |action| accepted[action]);
            }
        }
        let tree = rows.tree(Bounds::leaves(5), labels.ordinals, work);
        let Some(tree) = tree.filter(|tree| *tree != Tree::Leaf(0)) else { continue };
        let text =
            format!("{} draw in {}: {}", reading.seg.words(), ink.words(), rows.words(&tree, action_name));
        let cost = price + labels.price + tree.leaves() as f64;
        for backwards in [false, true] {
            let tree = tree.clone();
            let paint = move |input: &Image| {
                let scene = reading.scene(input, 60)?;
                Some(painted(input, &scene, &tree, ink, backwards))
            };
            if found.check(demos, Rule::new(cost, text.clone(), paint.clone())) {
                break;
            }
            if !backwards && cost - price - labels.price <= 3.0 {
                finish(demos, cost, &text, paint, found, work)?;
            }
        }
    }
    Some(())
}

/// A second step, if the first does at least half of the work.
fn finish(
    demos: &Demos,
    cost: f64,
    text: &str,
    paint: impl Fn(&Image) -> Option<Image> + Send + Sync + Clone + 'static,
    found: &mut Found,
    work: &Work<'_>,
) -> Option<()> {
    let Some(between) = demos.inputs().map(&paint).collect::<Option<Vec<Image>>>() else { return Some(()) };
    let off = |images: &mut dyn Iterator<Item = &Image>| {
        images.zip(demos.outputs()).map(|(image, output)| image.distance(output)).sum::<usize>()
    };
    if off(&mut between.iter()) * 2 >= off(&mut demos.inputs()) {
        return Some(());
    }
    let Some(rest) = demos.with_inputs(between) else { return Some(()) };
    if let Some(rule) = transform::learn(&rest, transform::Steps::One, work)?.into_iter().next() {
        let (paint, text) = (paint.clone(), format!("{text}; then {}", rule.explain()));
        found.push(Rule::new(cost + rule.cost(), text, move |input| rule.apply(&paint(input)?)));
    }
    if let Some((rule, leaves)) = cell_rule(&rest, Vocabulary::Directed, 4, work)? {
        let text = format!("{text}; then {}", rule.words());
        found
            .push(Rule::new(cost + 0.5 + leaves as f64, text, move |input| Some(rule.apply(&paint(input)?))));
    }
    Some(())
}

fn painted(input: &Image, scene: &Scene, tree: &Tree, ink: Ink, backwards: bool) -> Image {
    let mut output = input.clone();
    let n = scene.objects.len();
    for k in 0..n {
        let i = if backwards { n - 1 - k } else { k };
        let action = tree.action(|feature| scene.features[i][feature]);
        let color = ink.color(input, &scene.objects[i]);
        for &(y, x) in &scene.strokes[i][action] {
            output.set(y, x, color);
        }
    }
    output
}

/// What the actions of one scene get right.
struct Judged {
    /// By object and action: the right cells of an action that paints no background wrongly.
    right: Vec<Vec<Option<Vec<usize>>>>,
    /// By object: all cells that some valid action paints.
    union: Vec<Vec<usize>>,
    /// How many objects can paint a cell.
    painters: BTreeMap<usize, usize>,
    n_wanted: usize,
    n_covered: usize,
}

impl Judged {
    fn new(input: &Image, output: &Image, scene: &Scene, ink: Ink) -> Judged {
        let ground = input.background();
        let mut judged = Judged {
            right: Vec::new(),
            union: Vec::new(),
            painters: BTreeMap::new(),
            n_wanted: 0,
            n_covered: 0,
        };
        for (object, strokes) in scene.objects.iter().zip(&scene.strokes) {
            let color = ink.color(input, object);
            let valid = strokes.iter().enumerate().map(|(action, cells)| {
                if action == 0 {
                    return Some(Vec::new());
                }
                let hits: Vec<usize> = cells
                    .iter()
                    .filter(|&&(y, x)| output.at(y, x) == color)
                    .map(|&(y, x)| y * input.w + x)
                    .collect();
                let untouched =
                    cells.iter().any(|&(y, x)| output.at(y, x) != color && output.at(y, x) == ground);
                let bad = cells.len() - hits.len();
                (!untouched && !hits.is_empty() && bad * 5 <= cells.len()).then_some(hits)
            });
            let valid: Vec<Option<Vec<usize>>> = valid.collect();
            let mut union: Vec<usize> = valid.iter().flatten().flatten().copied().collect();
            union.sort_unstable();
            union.dedup();
            for &cell in &union {
                *judged.painters.entry(cell).or_default() += 1;
            }
            judged.right.push(valid);
            judged.union.push(union);
        }
        for i in 0..input.area() {
            if input.cells[i] == ground && output.cells[i] != ground {
                judged.n_wanted += 1;
                judged.n_covered += usize::from(judged.painters.contains_key(&i));
            }
        }
        judged
    }

    /// The actions that paint all an object can paint; the largest, if there is none.
    fn accepted(&self, i: usize, lenient: bool) -> Vec<bool> {
        let covers = |cells: &Vec<usize>| {
            let own: HashSet<usize> = cells.iter().copied().collect();
            self.union[i].iter().all(|cell| own.contains(cell) || (lenient && self.painters[cell] > 1))
        };
        let accepted: Vec<bool> =
            self.right[i].iter().map(|cells| cells.as_ref().is_some_and(covers)).collect();
        if accepted.contains(&true) {
            return accepted;
        }
        let most = self.right[i].iter().flatten().map(Vec::len).max();
        self.right[i].iter().map(|cells| cells.as_ref().map(Vec::len) == most && most.is_some()).collect()
    }
}

/// Directions that rays may take together.
const SETS: [(&str, &[usize]); 15] = [
    ("east", &[0]),
    ("south", &[1]),
    ("west", &[2]),
    ("north", &[3]),
    ("south-east", &[4]),
    ("south-west", &[5]),
    ("north-west", &[6]),
    ("north-east", &[7]),
    ("east and west", &[0, 2]),
    ("south and north", &[1, 3]),
    ("in four directions", &[0, 1, 2, 3]),
    ("along the falling diagonal", &[4, 6]),
    ("along the rising diagonal", &[5, 7]),
    ("along both diagonals", &[4, 5, 6, 7]),
    ("in eight directions", &[0, 1, 2, 3, 4, 5, 6, 7]),
];
const RELATIVE: [&str; 7] = [
    "towards the nearest object of another colour",
    "away from the nearest object of another colour",
    "towards the nearest border",
    "away from the nearest border",
    "towards the side of its rarest colour or its opening",
    "along its longer side",
    "out of the only empty corner of its box",
];
const MODES: [&str; 4] =
    ["through everything", "up to an obstacle", "only onto an obstacle", "onto its own colour, or bouncing"];
const FIGURES: [&str; 13] = [
    "a ring around its box",
    "a ring around its box without corners",
    "the corners around its box",
    "its box filled",
    "a second ring around its box",
    "a halo",
    "a halo along edges",
    "the inside of its box",
    "the box with the nearest object of its colour",
    "the outline of the box with the nearest object of its colour",
    "a point midway to the nearest object of its colour",
    "a plus midway to the nearest object of its colour",
    "a square midway to the nearest object of its colour",
];
const N_SETS: usize = SETS.len() + RELATIVE.len();
const N_ACTIONS: usize = 1 + N_SETS * MODES.len() + FIGURES.len();

fn action_name(action: usize) -> String {
    let Some(k) = action.checked_sub(1) else { return "nothing".to_owned() };
    if k >= N_SETS * MODES.len() {
        return FIGURES[k - N_SETS * MODES.len()].to_owned();
    }
    let (mode, set) = (MODES[k / N_SETS], k % N_SETS);
    let way = SETS.get(set).map_or_else(|| RELATIVE[set - SETS.len()], |(name, _)| name);
    format!("rays {way} {mode}")
}

fn strokes(g: &Image, objects: &[Object], i: usize, from_middle: bool) -> Vec<Strokes> {
    let o = &objects[i];
    let ground = g.background();
    let own: HashSet<(usize, usize)> = o.cells.iter().copied().collect();
    let rays: Vec<[Strokes; 4]> = (0..8).map(|d| ray(g, o, &own, d, from_middle, ground)).collect();
    let relative = relative_directions(g, objects, i, &own);
    let mut all = vec![Vec::new()];
    let sets = || SETS.iter().map(|(_, set)| *set).chain(relative.iter().map(|set| &set[..]));
    all.extend((0..MODES.len()).flat_map(|mode| {
        let rays = &rays;
        sets().map(move |set| set.iter().flat_map(|&d| rays[d][mode].iter().copied()).collect::<Strokes>())
    }));
    figures(g, objects, i, &own, ground, &mut all);
    debug_assert_eq!(all.len(), N_ACTIONS);
    all
}

/// The rays of an object in one direction, in all modes.
fn ray(
    g: &Image,
    o: &Object,
    own: &HashSet<(usize, usize)>,
    d: usize,
    from_middle: bool,
    ground: u8,
) -> [Strokes; 4] {
    let (dy, dx) = DIRECTIONS[d];
    let owns = |y: i32, x: i32| y >= 0 && x >= 0 && own.contains(&(y as usize, x as usize));
    let starts: Vec<(usize, usize)> = if d < 4 {
        let boundary = o.cells.iter().copied().filter(|&(y, x)| !owns(y as i32 + dy, x as i32 + dx));
        let middle = |&(y, x): &(usize, usize)| {
            !from_middle || if d.is_multiple_of(2) { 2 * y == o.y0 + o.y1 } else { 2 * x == o.x0 + o.x1 }
        };
        boundary.filter(middle).collect()
    } else {
        vec![(if dy > 0 { o.y1 } else { o.y0 }, if dx > 0 { o.x1 } else { o.x0 })]
    };
    let mut modes: [Strokes; 4] = Default::default();
    for (y, x) in starts {
        let mut path = Vec::new();
        let mut stop: Option<usize> = None;
        let mut hit = None;
        let (mut ny, mut nx) = (y as i32 + dy, x as i32 + dx);
        loop {
            let color = g.get(ny, nx);
            if color == OUTSIDE {
                break;
            }
            if owns(ny, nx) || color != ground {
                if stop.is_none() {
                    stop = Some(path.len());
                    hit = Some(if owns(ny, nx) { None } else { Some(color) });
                }
            } else {
                path.push((ny as usize, nx as usize));
            }
            ny += dy;
            nx += dx;
        }
        let near = &path[..stop.unwrap_or(path.len())];
        modes[1].extend_from_slice(near);
        if matches!(hit, Some(Some(_))) {
            modes[2].extend_from_slice(near);
        }
        if d < 4 {
            if hit.is_some_and(|color| color.is_none_or(|color| color == o.color)) {
                modes[3].extend_from_slice(near);
            }
        } else {
            modes[3].extend(bouncing(g, (y as i32, x as i32), (dy, dx), ground));
        }
        modes[0].extend(path);
    }
    modes
}

/// A diagonal ray that bounces off the side walls.
fn bouncing(g: &Image, (mut y, mut x): (i32, i32), (dy, mut dx): (i32, i32), ground: u8) -> Strokes {
    let mut path = Vec::new();
    for _ in 0..2 * crate::MAX_SIDE {
        if g.get(y + dy, x) == OUTSIDE {
            break;
        }
        if g.get(y, x + dx) == OUTSIDE {
            dx = -dx;
        }
        y += dy;
        x += dx;
        if g.get(y, x) != ground {
            break;
        }
        path.push((y as usize, x as usize));
    }
    path
}

fn relative_directions(
    g: &Image,
    objects: &[Object],
    i: usize,
    own: &HashSet<(usize, usize)>,
) -> [Vec<usize>; RELATIVE.len()] {
    let o = &objects[i];
    let one = |direction: Option<usize>| direction.into_iter().collect::<Vec<_>>();
    let other = nearest_direction(objects, i, false);
    let room = room(g, o);
    let border = (0..4).min_by_key(|&side| room[side]);
    let long = match o.h().cmp(&o.w()) {
        std::cmp::Ordering::Greater => vec![1, 3],
        std::cmp::Ordering::Less => vec![0, 2],
        std::cmp::Ordering::Equal => vec![],
    };
    let corner = |&d: &usize| {
        let (dy, dx) = DIRECTIONS[d];
        !own.contains(&(if dy > 0 { o.y1 } else { o.y0 }, if dx > 0 { o.x1 } else { o.x0 }))
    };
    let empty_corners: Vec<usize> = (4..8).filter(corner).collect();
    let opposite = |d: Option<usize>| d.map(|d| (d + 2) % 4);
    [
        one(other),
        one(opposite(other)),
        one(border),
        one(opposite(border)),
        one(minor_side(g, o).or_else(|| open_side(o))),
        long,
        if empty_corners.len() == 1 { empty_corners } else { Vec::new() },
    ]
}

fn figures(
    g: &Image,
    objects: &[Object],
    i: usize,
    own: &HashSet<(usize, usize)>,
    ground: u8,
    all: &mut Vec<Strokes>,
) {
    let o = &objects[i];
    let (y0, x0, y1, x1) = (o.y0 as i32, o.x0 as i32, o.y1 as i32, o.x1 as i32);
    let mut pick = |reach: i32, wanted: &dyn Fn(i32, i32) -> bool| {
        let places = (y0 - reach..=y1 + reach).flat_map(|y| (x0 - reach..=x1 + reach).map(move |x| (y, x)));
        let free = places.filter(|&(y, x)| g.get(y, x) == ground && wanted(y, x));
        all.push(free.map(|(y, x)| (y as usize, x as usize)).collect());
    };
    let beyond = |y: i32, x: i32| (y0 - y).max(y - y1).max(x0 - x).max(x - x1).max(0);
    let beside = |y: i32, x: i32| (y0..=y1).contains(&y) || (x0..=x1).contains(&x);
    let near = |y: i32, x: i32, directions: &[(i32, i32)]| {
        directions.iter().any(|d| own.contains(&((y + d.0) as usize, (x + d.1) as usize)))
    };
    pick(1, &|y, x| beyond(y, x) == 1);
    pick(1, &|y, x| beyond(y, x) == 1 && beside(y, x));
    pick(1, &|y, x| beyond(y, x) == 1 && !beside(y, x));
    pick(0, &|_, _| true);
    pick(2, &|y, x| beyond(y, x) == 2);
    pick(1, &|y, x| near(y, x, &DIRECTIONS));
    pick(1, &|y, x| near(y, x, &DIRECTIONS[..4]));
    pick(0, &|y, x| y > y0 && y < y1 && x > x0 && x < x1);
    let alike = objects.iter().enumerate().filter(|(k, p)| *k != i && p.color == o.color);
    let twin = alike.min_by_key(|(_, p)| p.y0.abs_diff(o.y0) + p.x0.abs_diff(o.x0)).map(|(_, p)| p);
    let mut spanned = |edge_only: bool| {
        let Some(p) = twin else { return all.push(Vec::new()) };
        let (a, b, c, d) = (o.y0.min(p.y0), o.x0.min(p.x0), o.y1.max(p.y1), o.x1.max(p.x1));
        let places = (a..=c).flat_map(|y| (b..=d).map(move |x| (y, x)));
        let wanted = places
            .filter(|&(y, x)| g.at(y, x) == ground && (!edge_only || y == a || y == c || x == b || x == d));
        all.push(wanted.collect());
    };
    spanned(false);
    spanned(true);
    let middle = twin
        .filter(|p| (o.y0 + p.y0).is_multiple_of(2) && (o.x0 + p.x0).is_multiple_of(2))
        .map(|p| (((o.y0 + p.y0) / 2) as i32, ((o.x0 + p.x0) / 2) as i32));
    for form in 0..3 {
        let mut cells = Vec::new();
        if let Some((y, x)) = middle {
            for (dy, dx) in (-1i32..=1).flat_map(|dy| (-1i32..=1).map(move |dx| (dy, dx))) {
                let inside = match form {
                    0 => (dy, dx) == (0, 0),
                    1 => dy * dx == 0,
                    _ => true,
                };
                if inside && g.get(y + dy, x + dx) == ground {
                    cells.push(((y + dy) as usize, (x + dx) as usize));
                }
            }
        }
        all.push(cells);
    }
}
