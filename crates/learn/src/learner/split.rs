//! The input is cut into parts of the output's size; each output cell follows from the cells of the parts.

use crate::code::{Code, Expr, compare, number};
use crate::feature::{Feature, Kind, Test};
use crate::found::Found;
use crate::image::{Image, color_name};
use crate::object::{Lines, equal_parts};
use crate::paint::{CellTree, Paint, write_tree};
use crate::rows::Rows;
use crate::rule::Body;
use crate::tree::{Bounds, Tree};
use crate::{Demos, OutOfWork, Rule, Work};

/// A way to cut an image into pictures of one size.
#[derive(Clone, Copy)]
enum Cut {
    Lines,
    Parts(usize, usize),
    /// As many squares as fit along the longer side.
    Squares,
}

impl Cut {
    const ALL: [Cut; 7] = [
        Cut::Lines,
        Cut::Parts(1, 2),
        Cut::Parts(2, 1),
        Cut::Parts(2, 2),
        Cut::Parts(1, 3),
        Cut::Parts(3, 1),
        Cut::Squares,
    ];

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

/// A feature of an output cell.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Asked {
    /// The number of parts that are not black at this cell.
    NotBlack,
    Part(usize),
    PartNotBlack(usize),
    Equal(usize, usize),
}

/// The colour that an output cell takes.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Taken {
    Part(usize),
    Color(u8),
    FirstNotBlack,
}

/// Pairs of more parts than this are not compared.
const MAX_COMPARED: usize = 4;

impl Asked {
    fn all(n: usize) -> Vec<Asked> {
        let mut all = vec![Asked::NotBlack];
        all.extend((0..n).map(Asked::Part));
        all.extend((0..n).map(Asked::PartNotBlack));
        let compared = n.min(MAX_COMPARED);
        all.extend((0..compared).flat_map(|i| (0..i).map(move |j| Asked::Equal(j, i))));
        all
    }

    fn feature(self) -> Feature {
        match self {
            Asked::NotBlack => Feature::new(Kind::Count, 1.0, "the number of parts that are not black"),
            Asked::Part(k) => Feature::new(Kind::Color, 1.0, format!("part {}", k + 1)),
            Asked::PartNotBlack(k) => Feature::new(Kind::Flag, 1.0, format!("part {} is not black", k + 1)),
            Asked::Equal(i, j) => {
                Feature::new(Kind::Flag, 1.0, format!("parts {} and {} are equal", i + 1, j + 1))
            }
        }
    }

    fn value(self, parts: &[Image], i: usize) -> u8 {
        match self {
            Asked::NotBlack => parts.iter().filter(|part| part.cells[i] != 0).count() as u8,
            Asked::Part(k) => parts[k].cells[i],
            Asked::PartNotBlack(k) => u8::from(parts[k].cells[i] != 0),
            Asked::Equal(j, k) => u8::from(parts[j].cells[i] == parts[k].cells[i]),
        }
    }
}

impl Taken {
    fn all(n: usize) -> Vec<Taken> {
        let mut all = vec![Taken::Part(0)];
        all.extend((0..10).map(Taken::Color));
        all.extend((1..n).map(Taken::Part));
        all.push(Taken::FirstNotBlack);
        all
    }

    fn words(self) -> String {
        match self {
            Taken::Part(k) => format!("part {}", k + 1),
            Taken::Color(color) => color_name(color).to_owned(),
            Taken::FirstNotBlack => "the first part that is not black".to_owned(),
        }
    }

    fn color(self, parts: &[Image], i: usize) -> u8 {
        match self {
            Taken::Part(k) => parts[k].cells[i],
            Taken::Color(color) => color,
            Taken::FirstNotBlack => parts.iter().map(|part| part.cells[i]).find(|&c| c != 0).unwrap_or(0),
        }
    }
}

/// The cost of a rule, and of each leaf: cells of parts explain much. Chosen on ARC-AGI-1 training tasks.
const BASE_COST: f64 = 1.8;
const PER_LEAF: f64 = 0.5;
/// The number of parts that an input may have.
const PARTS: std::ops::RangeInclusive<usize> = 2..=16;

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    for cut in Cut::ALL {
        work.spend(demos.n_cells() / 2)?;
        let lists: Option<Vec<Vec<Image>>> = demos.inputs().map(|input| cut.parts(input)).collect();
        let Some(lists) = lists else { continue };
        let n = lists[0].len();
        let fits =
            lists.iter().zip(demos.outputs()).all(|(l, output)| l.len() == n && l[0].same_size(output));
        if !PARTS.contains(&n) || !fits {
            continue;
        }
        let (asked, taken) = (Asked::all(n), Taken::all(n));
        let features = asked.iter().map(|&asked| (asked, asked.feature())).collect();
        let mut rows = Rows::new(features, taken.clone());
        for (parts, output) in lists.iter().zip(demos.outputs()) {
            let cells = 0..output.area();
            let column = |asked: &Asked| cells.clone().map(|i| asked.value(parts, i)).collect();
            let given = |taken: &Taken| cells.clone().map(|i| taken.color(parts, i)).collect();
            let columns: Vec<Vec<u8>> = asked.iter().map(column).collect();
            let given: Vec<Vec<u8>> = taken.iter().map(given).collect();
            rows.extend(&columns, &given, &output.cells);
        }
        let Some(tree) = rows.tree(Bounds::leaves(8), true, work)? else { continue };
        let words = format!("of {}: {}", cut.words(), rows.words(&tree, |taken| taken.words()));
        let cost = BASE_COST + PER_LEAF * tree.leaves() as f64;
        found.push(Rule::new(cost, words, Split { cut, n, tree }));
    }
    found.best(2, demos, work)
}

/// A rule: the colour of an output cell from the cells of the parts.
struct Split {
    cut: Cut,
    n: usize,
    tree: Tree<Asked, Taken>,
}

impl Body for Split {
    fn apply(&self, input: &Image) -> Option<Image> {
        let parts = self.cut.parts(input).filter(|parts| parts.len() == self.n)?;
        let cell = |i: usize| self.tree.action(|asked| asked.value(&parts, i)).color(&parts, i);
        Some(Image { h: parts[0].h, w: parts[0].w, cells: (0..parts[0].area()).map(cell).collect() })
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        let parts = self.parts_code(code, input)?;
        let first = parts[0].clone();
        write_tree(&self.tree, &OnParts(parts), code, &first, first.clone())
    }
}

impl Split {
    /// The parts of a grid in the language.
    fn parts_code(&self, code: &mut Code, grid: &Expr) -> Option<Vec<Expr>> {
        let split = |code: &mut Code, primitive: &str, grid: &Expr, n: usize| {
            let list = code.line(format!("{primitive}({grid}, {})", number(n as i64)));
            (0..n)
                .map(|k| match k {
                    0 => Some(code.line(format!("first({list})"))),
                    _ if k + 1 == n => Some(code.line(format!("last({list})"))),
                    1 if n == 3 => Some(code.line(format!("first(remove(first({list}), {list}))"))),
                    _ => None,
                })
                .collect::<Option<Vec<Expr>>>()
        };
        match (self.cut, self.n) {
            (Cut::Parts(1, n), _) => split(code, "hsplit", grid, n),
            (Cut::Parts(n, 1), _) => split(code, "vsplit", grid, n),
            (Cut::Parts(rows, cols), _) => {
                let rows = split(code, "vsplit", grid, rows)?;
                let cells = rows.iter().map(|row| split(code, "hsplit", row, cols));
                Some(cells.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
            }
            // Of two parts, the longer side says how they lie.
            (Cut::Lines | Cut::Squares, 2) => {
                let halves = format!("branch(portrait({grid}), vsplit({grid}, TWO), hsplit({grid}, TWO))");
                let halves = code.line(halves);
                Some(vec![code.line(format!("first({halves})")), code.line(format!("last({halves})"))])
            }
            (Cut::Lines, 4) => {
                let rows = split(code, "vsplit", grid, 2)?;
                let cells = rows.iter().map(|row| split(code, "hsplit", row, 2));
                Some(cells.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
            }
            (Cut::Lines | Cut::Squares, 3) => {
                let thirds =
                    format!("branch(portrait({grid}), vsplit({grid}, THREE), hsplit({grid}, THREE))");
                let thirds = code.line(thirds);
                Some(vec![
                    code.line(format!("first({thirds})")),
                    code.line(format!("first(remove(first({thirds}), {thirds}))")),
                    code.line(format!("last({thirds})")),
                ])
            }
            _ => None,
        }
    }
}

/// Writes tests and actions on the parts of a grid.
struct OnParts(Vec<Expr>);

impl CellTree<Asked, Taken> for OnParts {
    fn places(&self, test: &Test<Asked>, code: &mut Code) -> Option<Expr> {
        let all = code.line(format!("asindices({})", self.0[0]));
        let not_black =
            |code: &mut Code, part: &Expr| code.line(format!("difference({all}, ofcolor({part}, ZERO))"));
        Some(match test.feature {
            Asked::Part(k) => code.line(format!("ofcolor({}, {})", self.0[k], number(test.value.into()))),
            Asked::PartNotBlack(k) => not_black(code, &self.0[k]),
            Asked::Equal(i, j) => {
                let same =
                    format!("fork(equality, lbind(index, {}), lbind(index, {}))", self.0[i], self.0[j]);
                code.line(format!("sfilter({all}, {same})"))
            }
            Asked::NotBlack => {
                let masks: Vec<Expr> = self.0.iter().map(|part| not_black(code, part)).collect();
                if test.at_least && test.value == 1 {
                    let rest = masks[1..].iter();
                    return Some(
                        rest.fold(masks[0].clone(), |all, mask| code.line(format!("combine({all}, {mask})"))),
                    );
                }
                let list = masks.iter().map(Expr::to_string).collect::<Vec<_>>().join(", ");
                let list = code.line(format!("({list})"));
                let count = format!("chain(size, lbind(sfilter, {list}), lbind(lbind, contained))");
                let predicate = compare(test.value, test.at_least, &count);
                code.line(format!("sfilter({all}, {predicate})"))
            }
        })
    }

    fn paint(&self, taken: &Taken, code: &mut Code) -> Option<Paint> {
        Some(match taken {
            Taken::Part(0) => Paint::Keep,
            Taken::Part(k) => Paint::Grid(self.0[*k].clone()),
            Taken::Color(color) => Paint::Color(*color),
            Taken::FirstNotBlack => {
                let (last, above) = self.0.split_last()?;
                Paint::Grid(above.iter().rev().fold(last.clone(), |below, part| {
                    let colored = "compose(flip, matcher(first, ZERO))";
                    code.line(format!("paint({below}, sfilter(asobject({part}), {colored}))"))
                }))
            }
        })
    }
}
