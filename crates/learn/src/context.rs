//! Where a rule is learned: with other colours, on parts, in a box, on a matrix, after or before a transform, on a
//! larger canvas. A context turns pairs into other pairs; any learner may work on these, in a further context too.

use std::sync::Arc;

use crate::image::{Area, Image, SAME_COLORS, color_name, inverse};
use crate::object::{Lines, Seg};
use crate::size::size_rules;
use crate::view::{grid_cells, views};
use crate::{Demos, Rule, Work};

/// A way to look at a task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Context {
    Frame(Frame),
    Parts(Parts),
    Box(Region),
    Matrix(Matrix),
    /// On the result of a view, by its number.
    After(usize),
    Before(Post),
    /// On the input placed on a canvas of the output's size.
    Canvas(Placement),
}

/// Other colours, chosen by each input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Frame {
    /// The commonest colour becomes black: another reading of the background.
    Majority,
    /// Colours are numbered by frequency.
    Frequency,
    /// The same, black stays.
    FrequencyButBlack,
    /// The rarest colour comes first, black stays.
    Rarity,
}

/// What one rule for all parts works on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Parts {
    Objects,
    OneColorObjects,
    OnMajority,
    LineCells,
    Rows,
    Columns,
}

/// The only place that changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Region {
    /// The box of a colour.
    Color(u8),
    LargestObject,
    NotBackground,
    /// The largest box on the commonest colour.
    LargestBox,
}

/// One cell for many.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Matrix {
    LineCells,
    Blocks,
}

/// What is done to an answer in the end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Post {
    Enlarged,
    MirroredRight,
    MirroredDown,
    MirroredBoth,
    DoubledRight,
    DoubledDown,
    Framed,
}

/// Where the input lies on a larger canvas.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Placement {
    TopLeft,
    BottomLeft,
    TopRight,
    BottomRight,
    Centre,
    CentreSpread,
    Tiled,
    Enlarged,
    MirrorTiled,
    Blocks,
    TopLeftSpread,
}

type Enter = dyn Fn(&Image) -> Option<Vec<Image>> + Send + Sync;
type Leave = dyn Fn(&Image, Vec<Image>) -> Option<Image> + Send + Sync;

/// A context that fits a task.
#[derive(Clone)]
pub struct Inside {
    demos: Arc<Demos>,
    surcharge: f64,
    text: String,
    enter: Arc<Enter>,
    leave: Arc<Leave>,
}

impl Inside {
    /// The pairs to learn from.
    pub fn demos(&self) -> &Arc<Demos> {
        &self.demos
    }

    /// What the rule inside is asked for an input.
    pub fn enter(&self, input: &Image) -> Option<Vec<Image>> {
        (self.enter)(input)
    }

    /// The answer for an input from the answers of the rule inside.
    pub fn leave(&self, input: &Image, answers: Vec<Image>) -> Option<Image> {
        (self.leave)(input, answers)
    }

    /// What the context adds to the cost of a rule.
    pub fn surcharge(&self) -> f64 {
        self.surcharge
    }

    /// The context in words, to be followed by the rule inside.
    pub fn words(&self) -> &str {
        &self.text
    }

    /// A rule of the inside as a rule for whole inputs.
    pub fn wrap(&self, rule: &Rule) -> Rule {
        let (inside, inner) = (self.clone(), rule.clone());
        let text = format!("{}: {}", self.text, rule.explain());
        Rule::new(rule.cost() + self.surcharge, text, move |input| {
            let asked = inside.enter(input)?;
            let answers: Vec<Image> = asked.iter().map(|image| inner.apply(image)).collect::<Option<_>>()?;
            inside.leave(input, answers)
        })
    }
}

impl Context {
    /// Whether it names a colour or a direction.
    pub(crate) fn is_fixed(self) -> bool {
        match self {
            Context::Frame(_) | Context::Matrix(_) => false,
            Context::Parts(parts) => matches!(parts, Parts::Rows | Parts::Columns),
            Context::Box(region) => matches!(region, Region::Color(_)),
            Context::After(_) | Context::Before(_) | Context::Canvas(_) => true,
        }
    }

    /// The pairs inside. The outer `None`: out of work; the inner: the context does not fit.
    pub(crate) fn fit(self, demos: &Demos, work: &Work<'_>) -> Option<Option<Inside>> {
        self.price(demos, work)?;
        Some(match self {
            Context::Frame(frame) => frame.fit(demos),
            Context::Parts(parts) => parts.fit(demos),
            Context::Box(region) => region.fit(demos),
            Context::Matrix(matrix) => matrix.fit(demos),
            Context::After(view) => after(demos, view),
            Context::Before(post) => post.fit(demos),
            Context::Canvas(placement) => placement.fit(demos),
        })
    }

    /// Pays for [`Context::fit`].
    pub(crate) fn price(self, demos: &Demos, work: &Work<'_>) -> Option<()> {
        work.spend(demos.n_cells() * if matches!(self, Context::Canvas(_)) { 5 } else { 1 })
    }
}

fn inside(
    pairs: Vec<(Image, Image)>,
    surcharge: f64,
    text: impl Into<String>,
    enter: impl Fn(&Image) -> Option<Vec<Image>> + Send + Sync + 'static,
    leave: impl Fn(&Image, Vec<Image>) -> Option<Image> + Send + Sync + 'static,
) -> Option<Inside> {
    let demos = Arc::new(Demos::new(pairs)?);
    Some(Inside { demos, surcharge, text: text.into(), enter: Arc::new(enter), leave: Arc::new(leave) })
}

impl Frame {
    /// The colour that each colour becomes.
    fn table(self, image: &Image) -> [u8; 10] {
        let counts = image.counts();
        let mut table = SAME_COLORS;
        let mut order: Vec<u8> = SAME_COLORS.to_vec();
        match self {
            Frame::Majority => table.swap(0, usize::from(image.majority())),
            Frame::Frequency => order.sort_by_key(|&c| std::cmp::Reverse(counts[usize::from(c)])),
            Frame::FrequencyButBlack => {
                order[1..].sort_by_key(|&c| std::cmp::Reverse(counts[usize::from(c)]))
            }
            Frame::Rarity => {
                order[1..].sort_by_key(|&c| (counts[usize::from(c)] == 0, counts[usize::from(c)]))
            }
        }
        if self != Frame::Majority {
            for (rank, &color) in order.iter().enumerate() {
                table[usize::from(color)] = rank as u8;
            }
        }
        table
    }

    fn fit(self, demos: &Demos) -> Option<Inside> {
        let tables: Vec<[u8; 10]> = demos.inputs().map(|input| self.table(input)).collect();
        let turned = demos.pairs().iter().zip(&tables);
        let pairs: Vec<_> = turned.map(|((i, o), table)| (i.recolored(table), o.recolored(table))).collect();
        if pairs.iter().zip(demos.pairs()).all(|(a, b)| a == b) {
            return None;
        }
        let text = match self {
            Frame::Majority => "with the commonest colour as background (called black)",
            Frame::Frequency => "with colours named by frequency (black the commonest, then blue, red, …)",
            Frame::FrequencyButBlack => "with colours but black named by frequency (blue the commonest, …)",
            Frame::Rarity => "with colours but black named by rarity (blue the rarest, …)",
        };
        inside(
            pairs,
            1.0,
            text,
            move |input| Some(vec![input.recolored(&self.table(input))]),
            move |input, answers| Some(answers.first()?.recolored(&inverse(&self.table(input)))),
        )
    }
}

impl Parts {
    fn areas(self, g: &Image) -> Vec<Area> {
        // Parts of fewer cells have nothing to learn; they stay as they are.
        let boxes =
            |seg: Seg| seg.objects(g).iter().map(|o| o.area()).filter(|a| a.h * a.w >= 4).collect::<Vec<_>>();
        match self {
            Parts::Objects => boxes(Seg::Multi8),
            Parts::OneColorObjects => boxes(Seg::Mono8),
            Parts::OnMajority => boxes(Seg::MultiOnMajority),
            Parts::LineCells => Lines::find(g).map_or_else(Vec::new, |lines| lines.areas()),
            Parts::Rows => (0..g.h).map(|y| Area { y, x: 0, h: 1, w: g.w }).collect(),
            Parts::Columns => (0..g.w).map(|x| Area { y: 0, x, h: g.h, w: 1 }).collect(),
        }
    }

    fn fit(self, demos: &Demos) -> Option<Inside> {
        if !demos.edits() {
            return None;
        }
        let mut pairs: Vec<(Image, Image)> = Vec::new();
        let mut whole = true;
        for (input, output) in demos.pairs() {
            let areas = self.areas(input);
            if areas.is_empty() || areas.len() > 40 {
                return None;
            }
            let mut explained = input.clone();
            for &area in &areas {
                let pair = (input.crop(area), output.crop(area));
                explained.paste(area, &pair.1);
                whole &= area.h * area.w * 2 > demos.pairs()[0].0.area();
                if !pairs.contains(&pair) {
                    // One part cannot become two different things.
                    if pairs.iter().any(|known| known.0 == pair.0) {
                        return None;
                    }
                    pairs.push(pair);
                }
            }
            if explained != *output {
                return None;
            }
        }
        if !(2..=80).contains(&pairs.len()) || whole {
            return None;
        }
        let text = match self {
            Parts::Objects => "in the box of every object",
            Parts::OneColorObjects => "in the box of every one-colour object",
            Parts::OnMajority => "in the box of every object on the commonest colour",
            Parts::LineCells => "in every cell of the line grid",
            Parts::Rows => "in every row",
            Parts::Columns => "in every column",
        };
        inside(
            pairs,
            0.5,
            text,
            move |input| Some(self.areas(input).into_iter().map(|area| input.crop(area)).collect()),
            move |input, answers| {
                let mut output = input.clone();
                for (area, answer) in self.areas(input).into_iter().zip(&answers) {
                    if (answer.h, answer.w) == (area.h, area.w) {
                        output.paste(area, answer);
                    }
                }
                Some(output)
            },
        )
    }
}

impl Region {
    fn area(self, g: &Image) -> Option<Area> {
        match self {
            Region::Color(color) => g.bounds(|c| c == color),
            Region::LargestObject => Seg::Mono8.objects(g).iter().max_by_key(|o| o.size()).map(|o| o.area()),
            Region::NotBackground => {
                let ground = g.background();
                g.bounds(|c| c != ground)
            }
            Region::LargestBox => {
                let objects = Seg::MultiOnMajority.objects(g);
                objects.iter().max_by_key(|o| o.h() * o.w()).map(|o| o.area())
            }
        }
    }

    fn fit(self, demos: &Demos) -> Option<Inside> {
        if !demos.edits() {
            return None;
        }
        let mut pairs = Vec::new();
        for (input, output) in demos.pairs() {
            let area = self.area(input).filter(|a| a.h * a.w < input.area())?;
            let pair = (input.crop(area), output.crop(area));
            let mut explained = input.clone();
            explained.paste(area, &pair.1);
            if explained != *output {
                return None;
            }
            pairs.push(pair);
        }
        let text = match self {
            Region::Color(color) => format!("in the box of {}", color_name(color)),
            Region::LargestObject => "in the box of the largest object".to_owned(),
            Region::NotBackground => "in the box of everything".to_owned(),
            Region::LargestBox => "in the largest box on the commonest colour".to_owned(),
        };
        inside(
            pairs,
            1.0,
            text,
            move |input| Some(vec![input.crop(self.area(input)?)]),
            move |input, answers| {
                let (area, answer) = (self.area(input)?, answers.first()?);
                let mut output = input.clone();
                if (answer.h, answer.w) == (area.h, area.w) {
                    output.paste(area, answer);
                }
                Some(output)
            },
        )
    }
}

impl Matrix {
    fn shrink(self, input: &Image) -> Option<Image> {
        match self {
            Matrix::LineCells => grid_cells(input),
            Matrix::Blocks => Some(input.shrunk(block(input)?)),
        }
    }

    /// The matrix of an output, laid out as its input is.
    fn shrink_output(self, input: &Image, output: &Image) -> Option<Image> {
        match self {
            Matrix::LineCells => {
                let lines = Lines::find(input)?;
                let plain = |area: &Area| {
                    let cell = output.crop(*area);
                    cell.cells.iter().all(|c| *c == cell.cells[0])
                };
                let (h, w) = (lines.rows.len(), lines.cols.len());
                lines
                    .areas()
                    .iter()
                    .all(plain)
                    .then(|| Image::from_fn(h, w, |i, j| output.at(lines.rows[i].0, lines.cols[j].0)))
            }
            Matrix::Blocks => {
                let k = block(input)?;
                output.is_scaled_by(k).then(|| output.shrunk(k))
            }
        }
    }

    fn grow(self, input: &Image, matrix: &Image) -> Option<Image> {
        match self {
            Matrix::LineCells => {
                let lines = Lines::find(input)?;
                if (matrix.h, matrix.w) != (lines.rows.len(), lines.cols.len()) {
                    return None;
                }
                let mut output = input.clone();
                for (area, &color) in lines.areas().into_iter().zip(&matrix.cells) {
                    output.paste(area, &Image::new(area.h, area.w, color));
                }
                Some(output)
            }
            Matrix::Blocks => matrix.enlarged(block(input)?),
        }
    }

    fn fit(self, demos: &Demos) -> Option<Inside> {
        if !demos.edits() {
            return None;
        }
        let mut pairs = Vec::new();
        for (input, output) in demos.pairs() {
            let pair = (self.shrink(input)?, self.shrink_output(input, output)?);
            if self.grow(input, &pair.1).as_ref() != Some(output) {
                return None;
            }
            pairs.push(pair);
        }
        let text = match self {
            Matrix::LineCells => "on the matrix of the line grid's cells",
            Matrix::Blocks => "on the matrix of blocks",
        };
        inside(
            pairs,
            0.5,
            text,
            move |input| Some(vec![self.shrink(input)?]),
            move |input, answers| self.grow(input, answers.first()?),
        )
    }
}

/// The side of the blocks of an enlarged image.
fn block(image: &Image) -> Option<usize> {
    (2..=10).rev().find(|&k| image.is_scaled_by(k))
}

fn after(demos: &Demos, view: usize) -> Option<Inside> {
    let view = views().get(view)?;
    let inputs: Vec<Image> = demos.inputs().map(|input| view.apply(input)).collect::<Option<_>>()?;
    if inputs.iter().zip(demos.inputs()).all(|(a, b)| a == b) {
        return None;
    }
    let pairs = inputs.into_iter().zip(demos.outputs().cloned()).collect();
    inside(
        pairs,
        1.5,
        format!("after “{}”", view.name),
        move |input| Some(vec![view.apply(input)?]),
        |_, answers| answers.into_iter().next(),
    )
}

impl Post {
    /// What a rule must give so that the output follows.
    fn reduce(self, output: &Image) -> Option<Image> {
        let (h, w) = (output.h, output.w);
        let half_w = || w.is_multiple_of(2).then(|| output.crop(Area { y: 0, x: 0, h, w: w / 2 }));
        let half_h = || h.is_multiple_of(2).then(|| output.crop(Area { y: 0, x: 0, h: h / 2, w }));
        match self {
            Post::Enlarged => Some(output.shrunk(output.scale()?)),
            Post::MirroredRight => half_w(),
            Post::MirroredDown => half_h(),
            Post::MirroredBoth => {
                let even = h.is_multiple_of(2) && w.is_multiple_of(2);
                even.then(|| output.crop(Area { y: 0, x: 0, h: h / 2, w: w / 2 }))
            }
            Post::DoubledRight => half_w(),
            Post::DoubledDown => half_h(),
            Post::Framed => (h > 4 && w > 4).then(|| output.crop(Area { y: 1, x: 1, h: h - 2, w: w - 2 })),
        }
    }

    fn finish(self, image: &Image, k: usize, color: u8) -> Option<Image> {
        match self {
            Post::Enlarged => image.enlarged(k),
            Post::MirroredRight => image.tiled(1, 2, true),
            Post::MirroredDown => image.tiled(2, 1, true),
            Post::MirroredBoth => image.tiled(2, 2, true),
            Post::DoubledRight => image.tiled(1, 2, false),
            Post::DoubledDown => image.tiled(2, 1, false),
            Post::Framed => {
                let mut framed = Image::new(image.h + 2, image.w + 2, color);
                framed.paste(Area { y: 1, x: 1, h: image.h, w: image.w }, image);
                Some(framed)
            }
        }
    }

    fn fit(self, demos: &Demos) -> Option<Inside> {
        let first = &demos.pairs()[0].1;
        let k = if self == Post::Enlarged { first.scale()? } else { 1 };
        let color = first.at(0, 0);
        let mut pairs = Vec::new();
        for (input, output) in demos.pairs() {
            let reduced = self.reduce(output)?;
            if self.finish(&reduced, k, color).as_ref() != Some(output) {
                return None;
            }
            pairs.push((input.clone(), reduced));
        }
        let text = match self {
            Post::Enlarged => format!("enlarged {k} times in the end"),
            Post::MirroredRight => "mirrored to the right in the end".to_owned(),
            Post::MirroredDown => "mirrored downwards in the end".to_owned(),
            Post::MirroredBoth => "mirrored to the right and downwards in the end".to_owned(),
            Post::DoubledRight => "doubled to the right in the end".to_owned(),
            Post::DoubledDown => "doubled downwards in the end".to_owned(),
            Post::Framed => format!("framed in {} in the end", color_name(color)),
        };
        inside(
            pairs,
            1.0,
            text,
            |input| Some(vec![input.clone()]),
            move |_, answers| self.finish(answers.first()?, k, color),
        )
    }
}

impl Placement {
    pub(crate) const ALL: [Placement; 11] = [
        Placement::TopLeft,
        Placement::BottomLeft,
        Placement::TopRight,
        Placement::BottomRight,
        Placement::Centre,
        Placement::CentreSpread,
        Placement::Tiled,
        Placement::Enlarged,
        Placement::MirrorTiled,
        Placement::Blocks,
        Placement::TopLeftSpread,
    ];

    fn place(self, g: &Image, h: usize, w: usize) -> Option<Image> {
        let (gh, gw) = (g.h, g.w);
        if h < gh || w < gw {
            return None;
        }
        let ground = g.background();
        let (down, right) = ((h - gh) as i32, (w - gw) as i32);
        let at = |y: i32, x: i32| match g.get(y, x) {
            color if color > 9 => ground,
            color => color,
        };
        let shifted = |dy: i32, dx: i32| Image::from_fn(h, w, |y, x| at(y as i32 - dy, x as i32 - dx));
        let spread = |dy: i32, dx: i32| {
            let clamp = |v: i32, n: usize| v.clamp(0, n as i32 - 1) as usize;
            Image::from_fn(h, w, |y, x| g.at(clamp(y as i32 - dy, gh), clamp(x as i32 - dx, gw)))
        };
        let folded = |i: usize, n: usize| if i % (2 * n) < n { i % n } else { n - 1 - i % n };
        Some(match self {
            Placement::TopLeft => shifted(0, 0),
            Placement::BottomLeft => shifted(down, 0),
            Placement::TopRight => shifted(0, right),
            Placement::BottomRight => shifted(down, right),
            Placement::Centre => shifted(down / 2, right / 2),
            Placement::CentreSpread => spread(down / 2, right / 2),
            Placement::Tiled => Image::from_fn(h, w, |y, x| g.at(y % gh, x % gw)),
            Placement::Enlarged => {
                if !h.is_multiple_of(gh) || !w.is_multiple_of(gw) {
                    return None;
                }
                Image::from_fn(h, w, |y, x| g.at(y / (h / gh), x / (w / gw)))
            }
            Placement::MirrorTiled => Image::from_fn(h, w, |y, x| g.at(folded(y, gh), folded(x, gw))),
            Placement::Blocks => Image::from_fn(h, w, |y, x| g.at((y / gh) % gh, (x / gw) % gw)),
            Placement::TopLeftSpread => spread(0, 0),
        })
    }

    fn fit(self, demos: &Demos) -> Option<Inside> {
        let grows = demos.pairs().iter().all(|(i, o)| o.h >= i.h && o.w >= i.w);
        if !grows || demos.same_size() {
            return None;
        }
        let size = size_rules(demos).into_iter().next()?;
        let inputs: Vec<Image> = demos
            .pairs()
            .iter()
            .map(|(input, output)| self.place(input, output.h, output.w))
            .collect::<Option<_>>()?;
        let pairs = inputs.into_iter().zip(demos.outputs().cloned()).collect();
        let text = match self {
            Placement::TopLeft => "the input in the top left corner",
            Placement::BottomLeft => "the input in the bottom left corner",
            Placement::TopRight => "the input in the top right corner",
            Placement::BottomRight => "the input in the bottom right corner",
            Placement::Centre => "the input in the centre",
            Placement::CentreSpread => "the input in the centre, its edges drawn out",
            Placement::Tiled => "the input tiled",
            Placement::Enlarged => "the input enlarged",
            Placement::MirrorTiled => "the input mirror-tiled",
            Placement::Blocks => "a block for every cell of the input",
            Placement::TopLeftSpread => "the input in the top left corner, its edges drawn out",
        };
        let text = format!("{}; {text}", size.words());
        let surcharge = 1.0 + size.surcharge();
        inside(
            pairs,
            surcharge,
            text,
            move |input| {
                let (h, w) = size.of(input)?;
                Some(vec![self.place(input, h, w)?])
            },
            |_, answers| answers.into_iter().next(),
        )
    }
}
