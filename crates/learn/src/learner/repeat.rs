//! The output has another size; each of its cells follows from cells of the input, repeated, enlarged or mirrored.

use crate::code::{Code, Expr};
use crate::feature::{Feature, Kind};
use crate::found::Found;
use crate::image::{Image, color_name, least_frequent, most_frequent};
use crate::rows::Rows;
use crate::rule::Body;
use crate::size::{SizeRule, size_rules};
use crate::tree::{Bounds, Tree};
use crate::{Demos, OutOfWork, Rule, Work};

/// An input on a canvas of the output's size.
struct Canvas<'a> {
    g: &'a Image,
    h: usize,
    w: usize,
    commonest: u8,
    rarest: u8,
    majority: u8,
}

impl<'a> Canvas<'a> {
    fn new(g: &'a Image, h: usize, w: usize) -> Canvas<'a> {
        let counts = g.counts();
        let commonest = most_frequent(&counts, |c| c != 0).unwrap_or(0);
        let rarest = least_frequent(&counts, |c| c != 0).unwrap_or(0);
        Canvas { g, h, w, commonest, rarest, majority: g.majority() }
    }

    /// The sides of the block that a cell of the input becomes.
    fn block(&self) -> (usize, usize) {
        (self.h.div_ceil(self.g.h), self.w.div_ceil(self.g.w))
    }

    fn cells(&self, value: impl Fn(usize, usize) -> u8) -> Vec<u8> {
        (0..self.h * self.w).map(|i| value(i / self.w, i % self.w)).collect()
    }
}

/// A way to spread the input over the canvas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spread {
    Repeated,
    Enlarged,
    /// A block of the input's size for every cell.
    Blocks,
    Mirrored,
    MirroredLeftRight,
    MirroredUpDown,
    UpsideDown,
    LeftRight,
    HalfTurned,
    Centred,
}

impl Spread {
    fn words(self) -> &'static str {
        match self {
            Spread::Repeated => "the repeated input",
            Spread::Enlarged => "the enlarged input",
            Spread::Blocks => "the input by blocks",
            Spread::Mirrored => "the input repeated with mirrors",
            Spread::MirroredLeftRight => "the input repeated with left-right mirrors",
            Spread::MirroredUpDown => "the input repeated with up-down mirrors",
            Spread::UpsideDown => "the repeated input upside down",
            Spread::LeftRight => "the repeated input left-right",
            Spread::HalfTurned => "the repeated input turned by 180°",
            Spread::Centred => "the centred input",
        }
    }

    fn color(self, canvas: &Canvas<'_>, y: usize, x: usize) -> u8 {
        let g = canvas.g;
        let (gh, gw) = (g.h, g.w);
        let folded = |i: usize, n: usize| if i % (2 * n) < n { i % n } else { n - 1 - i % n };
        match self {
            Spread::Repeated => g.at(y % gh, x % gw),
            Spread::Enlarged => {
                let (kh, kw) = canvas.block();
                g.at((y / kh).min(gh - 1), (x / kw).min(gw - 1))
            }
            Spread::Blocks => g.at((y / gh) % gh, (x / gw) % gw),
            Spread::Mirrored => g.at(folded(y, gh), folded(x, gw)),
            Spread::MirroredLeftRight => g.at(y % gh, folded(x, gw)),
            Spread::MirroredUpDown => g.at(folded(y, gh), x % gw),
            Spread::UpsideDown => g.at(gh - 1 - y % gh, x % gw),
            Spread::LeftRight => g.at(y % gh, gw - 1 - x % gw),
            Spread::HalfTurned => g.at(gh - 1 - y % gh, gw - 1 - x % gw),
            Spread::Centred => {
                let dy = (canvas.h as i32 - gh as i32) / 2;
                let dx = (canvas.w as i32 - gw as i32) / 2;
                match g.get(y as i32 - dy, x as i32 - dx) {
                    color if color > 9 => 0,
                    color => color,
                }
            }
        }
    }
}

/// A colour of the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    Commonest,
    Rarest,
    Majority,
}

impl Which {
    const ALL: [Which; 3] = [Which::Commonest, Which::Rarest, Which::Majority];

    fn words(self) -> &'static str {
        match self {
            Which::Commonest => "the commonest colour",
            Which::Rarest => "the rarest colour",
            Which::Majority => "the commonest colour of all",
        }
    }

    fn color(self, canvas: &Canvas<'_>) -> u8 {
        match self {
            Which::Commonest => canvas.commonest,
            Which::Rarest => canvas.rarest,
            Which::Majority => canvas.majority,
        }
    }
}

/// A feature of an output cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    BlockIs(Which),
    EnlargedIs(Which),
    Color(Spread),
    BlockRow,
    BlockColumn,
    BlockRowModulo2,
    BlockColumnModulo2,
    RowInBlock,
    ColumnInBlock,
    BlockOnDiagonal,
    BlockOnOtherDiagonal,
    OnDiagonalOfBlock,
    ToTopOrBottom,
    ToLeftOrRight,
    ToBorder,
}

impl Asked {
    /// All features; of equally good tests the first is learned.
    fn all() -> Vec<Asked> {
        let mut all = Vec::new();
        for which in Which::ALL {
            all.extend([Asked::BlockIs(which), Asked::EnlargedIs(which)]);
        }
        all.extend(
            [Spread::Repeated, Spread::Enlarged, Spread::Blocks, Spread::Mirrored, Spread::Centred]
                .map(Asked::Color),
        );
        all.extend([
            Asked::BlockRow,
            Asked::BlockColumn,
            Asked::BlockRowModulo2,
            Asked::BlockColumnModulo2,
            Asked::RowInBlock,
            Asked::ColumnInBlock,
            Asked::BlockOnDiagonal,
            Asked::BlockOnOtherDiagonal,
            Asked::OnDiagonalOfBlock,
            Asked::ToTopOrBottom,
            Asked::ToLeftOrRight,
            Asked::ToBorder,
        ]);
        all
    }

    fn feature(self) -> Feature {
        let new = |kind: Kind, words: &'static str| Feature::new(kind, 1.0, words);
        match self {
            Asked::BlockIs(which) => Feature::new(Kind::Flag, 1.0, format!("its block is {}", which.words())),
            Asked::EnlargedIs(which) => {
                Feature::new(Kind::Flag, 1.0, format!("the enlarged input is {}", which.words()))
            }
            Asked::Color(Spread::Blocks) => new(Kind::Color, "its block"),
            Asked::Color(Spread::Mirrored) => new(Kind::Color, "the mirrored input"),
            Asked::Color(spread) => new(Kind::Color, spread.words()),
            Asked::BlockRow => new(Kind::Code, "its block's row"),
            Asked::BlockColumn => new(Kind::Code, "its block's column"),
            Asked::BlockRowModulo2 => new(Kind::Code, "its block's row modulo 2"),
            Asked::BlockColumnModulo2 => new(Kind::Code, "its block's column modulo 2"),
            Asked::RowInBlock => new(Kind::Code, "its row in the enlarged cell"),
            Asked::ColumnInBlock => new(Kind::Code, "its column in the enlarged cell"),
            Asked::BlockOnDiagonal => new(Kind::Flag, "its block lies on the diagonal"),
            Asked::BlockOnOtherDiagonal => new(Kind::Flag, "its block lies on the other diagonal"),
            Asked::OnDiagonalOfBlock => new(Kind::Flag, "it lies on the diagonal of the enlarged cell"),
            Asked::ToTopOrBottom => new(Kind::Code, "its distance to top or bottom"),
            Asked::ToLeftOrRight => new(Kind::Code, "its distance to left or right"),
            Asked::ToBorder => new(Kind::Code, "its distance to the border"),
        }
    }

    fn value(self, canvas: &Canvas<'_>, y: usize, x: usize) -> u8 {
        let (gh, gw) = (canvas.g.h, canvas.g.w);
        let (kh, kw) = canvas.block();
        let to_top_or_bottom = y.min(canvas.h - 1 - y);
        let to_left_or_right = x.min(canvas.w - 1 - x);
        match self {
            Asked::BlockIs(which) => u8::from(Spread::Blocks.color(canvas, y, x) == which.color(canvas)),
            Asked::EnlargedIs(which) => u8::from(Spread::Enlarged.color(canvas, y, x) == which.color(canvas)),
            Asked::Color(spread) => spread.color(canvas, y, x),
            Asked::BlockRow => (y / gh) as u8,
            Asked::BlockColumn => (x / gw) as u8,
            Asked::BlockRowModulo2 => (y / gh % 2) as u8,
            Asked::BlockColumnModulo2 => (x / gw % 2) as u8,
            Asked::RowInBlock => (y % kh) as u8,
            Asked::ColumnInBlock => (x % kw) as u8,
            Asked::BlockOnDiagonal => u8::from(y / gh == x / gw),
            Asked::BlockOnOtherDiagonal => u8::from(y / gh + x / gw + 1 == kw),
            Asked::OnDiagonalOfBlock => u8::from(y % kh == x % kw),
            Asked::ToTopOrBottom => to_top_or_bottom as u8,
            Asked::ToLeftOrRight => to_left_or_right as u8,
            Asked::ToBorder => to_top_or_bottom.min(to_left_or_right) as u8,
        }
    }
}

/// The colour that an output cell takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    Spread(Spread),
    Color(u8),
    Of(Which),
}

impl Taken {
    /// All actions; of equally good ones the first is learned.
    fn all() -> Vec<Taken> {
        let mut all = vec![Taken::Spread(Spread::Repeated)];
        all.extend((0..10).map(Taken::Color));
        all.extend(
            [
                Spread::Enlarged,
                Spread::Blocks,
                Spread::Mirrored,
                Spread::MirroredLeftRight,
                Spread::MirroredUpDown,
                Spread::UpsideDown,
                Spread::LeftRight,
                Spread::HalfTurned,
                Spread::Centred,
            ]
            .map(Taken::Spread),
        );
        all.extend([Taken::Of(Which::Commonest), Taken::Of(Which::Rarest)]);
        all
    }

    fn words(self) -> &'static str {
        match self {
            Taken::Spread(spread) => spread.words(),
            Taken::Color(color) => color_name(color),
            Taken::Of(which) => which.words(),
        }
    }

    fn color(self, canvas: &Canvas<'_>, y: usize, x: usize) -> u8 {
        match self {
            Taken::Spread(spread) => spread.color(canvas, y, x),
            Taken::Color(color) => color,
            Taken::Of(which) => which.color(canvas),
        }
    }
}

/// The cost of a rule before its leaves and its size. Chosen on ARC-AGI-1 training tasks.
const BASE_COST: f64 = 1.8;

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    if demos.same_size() {
        return Ok(Vec::new());
    }
    work.spend(demos.n_cells() * 4)?;
    let (asked, taken) = (Asked::all(), Taken::all());
    for size in size_rules(demos) {
        let outputs: usize = demos.outputs().map(Image::area).sum();
        work.spend(outputs * 4)?;
        let features = asked.iter().map(|&asked| (asked, asked.feature())).collect();
        let mut rows = Rows::new(features, taken.clone());
        for (input, output) in demos.pairs() {
            let canvas = Canvas::new(input, output.h, output.w);
            let columns: Vec<Vec<u8>> =
                asked.iter().map(|asked| canvas.cells(|y, x| asked.value(&canvas, y, x))).collect();
            let given: Vec<Vec<u8>> =
                taken.iter().map(|taken| canvas.cells(|y, x| taken.color(&canvas, y, x))).collect();
            rows.extend(&columns, &given, &output.cells);
        }
        let Some(tree) = rows.tree(Bounds::leaves(8), true, work)? else { continue };
        let words = format!("{}; {}", size.words(), rows.words(&tree, |taken| taken.words().to_owned()));
        let cost = BASE_COST + size.surcharge() + tree.leaves() as f64;
        found.push(Rule::new(cost, words, Repeat { size, tree }));
    }
    found.best(3, demos, work)
}

/// A rule: the colour of an output cell from the input spread over the canvas.
struct Repeat {
    size: SizeRule,
    tree: Tree<Asked, Taken>,
}

impl Body for Repeat {
    fn apply(&self, input: &Image) -> Option<Image> {
        let (h, w) = self.size.of(input)?;
        let canvas = Canvas::new(input, h, w);
        let cells =
            canvas.cells(|y, x| self.tree.action(|asked| asked.value(&canvas, y, x)).color(&canvas, y, x));
        Some(Image { h, w, cells })
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        let size = self.size.code(code, input)?;
        match &self.tree {
            Tree::Leaf(Taken::Spread(Spread::Repeated)) => {
                let column = format!("merge(repeat({input}, first({size})))");
                let all = code.line(format!("dmirror(merge(repeat(dmirror({column}), last({size}))))"));
                Some(code.line(format!("crop({all}, ORIGIN, {size})")))
            }
            _ => None,
        }
    }
}
