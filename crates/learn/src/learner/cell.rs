//! One rule for every cell.

use crate::cell::{CellAction, CellFeature, Group, Sheet, Written, test_words};
use crate::code::{Code, Expr};
use crate::feature::Test;
use crate::found::Found;
use crate::option::options;
use crate::paint::{CellTree, Paint, write_tree};
use crate::rule::Body;
use crate::tree::{Bits, Bounds, Problem, Split, Tree, grow, grow_from};
use crate::{Demos, Image, OutOfWork, Rule, Work};

options! {
    /// The features and colours that a cell rule may use.
    Vocabulary {
        /// The eight neighbours.
        Near = "NEAR",
        /// The neighbours and the ring at distance two.
        NearAndRing = "NEAR_RING",
        /// The colours seen in eight directions.
        Rays = "RAYS",
        /// The row, the column and the position.
        LinesAndPosition = "LINES",
        /// The objects that hold the cell.
        Objects = "OBJECTS",
        /// Boxes and mirrored cells.
        BoxesAndMirrors = "BOXES",
        /// The nearest object.
        Nearest = "NEAREST",
        /// The same cell in views of the image.
        Views = "VIEWS",
        /// Everything but special views.
        All = "EVERYTHING",
        /// Everything but positions.
        Free = "FREE",
        /// Everything but positions, in a rule of at most four leaves.
        FreeSmall = "FREE_SMALL",
        /// Learned from all eight orientations: no directions.
        Undirected = "UNDIRECTED",
        /// The features of undirected rules, with directions.
        Directed = "DIRECTED",
        /// Everything but views.
        Plain = "PLAIN",
        /// The neighbours and the mirrored cells.
        MirrorsAndNear = "MIRRORS",
        /// The same cell in special views of the image.
        SpecialViews = "SPECIAL",
        /// Special views, neighbours and objects.
        SpecialViewsAndObjects = "SPECIAL_OBJECTS",
        /// Special views, boxes and the nearest object.
        SpecialViewsAndBoxes = "SPECIAL_BOXES",
    }
}

impl Vocabulary {
    fn groups(self) -> Vec<Group> {
        use Group::{Box, Near, Nearest, Object, Own, Ring, SpecialViews, Views};
        let without = |left_out: &[Group]| {
            Group::PLAIN.iter().copied().filter(|group| !left_out.contains(group)).collect::<Vec<_>>()
        };
        match self {
            Vocabulary::Near => vec![Own, Near],
            Vocabulary::NearAndRing => vec![Own, Near, Ring],
            Vocabulary::Rays => vec![Own, Group::Sight],
            Vocabulary::LinesAndPosition => vec![Own, Group::Lines, Group::Position],
            Vocabulary::Objects => vec![Own, Object],
            Vocabulary::BoxesAndMirrors => vec![Own, Group::Mirror, Box],
            Vocabulary::Nearest => vec![Own, Nearest],
            Vocabulary::Views => vec![Own, Views],
            Vocabulary::All => Group::PLAIN.to_vec(),
            Vocabulary::Free | Vocabulary::FreeSmall => without(&[Group::Position, Group::Lines, Ring]),
            Vocabulary::Undirected | Vocabulary::Directed => {
                without(&[Group::Position, Group::Lines, Ring, Views])
            }
            Vocabulary::Plain => without(&[Views]),
            Vocabulary::MirrorsAndNear => vec![Own, Near, Group::Mirror],
            Vocabulary::SpecialViews => vec![Own, SpecialViews],
            Vocabulary::SpecialViewsAndObjects => vec![Own, Near, Object, SpecialViews],
            Vocabulary::SpecialViewsAndBoxes => vec![Own, Box, Nearest, SpecialViews],
        }
    }

    /// The most leaves of a rule. Chosen on ARC-AGI-1 training tasks.
    fn max_leaves(self) -> usize {
        match self {
            Vocabulary::All => 12,
            Vocabulary::Undirected => 9,
            Vocabulary::FreeSmall => 4,
            Vocabulary::Views | Vocabulary::Plain => 6,
            Vocabulary::SpecialViews
            | Vocabulary::SpecialViewsAndObjects
            | Vocabulary::SpecialViewsAndBoxes => 5,
            _ => 8,
        }
    }

    /// The cost of a rule before its leaves. Chosen on ARC-AGI-1 training tasks.
    fn base_cost(self) -> f64 {
        match self {
            // Rules without directions carry over best.
            Vocabulary::Undirected => 1.5,
            Vocabulary::SpecialViews
            | Vocabulary::SpecialViewsAndObjects
            | Vocabulary::SpecialViewsAndBoxes
            | Vocabulary::FreeSmall => 2.3,
            _ => 2.0,
        }
    }
}

pub(crate) fn learn(demos: &Demos, vocabulary: Vocabulary, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    if !demos.edits() {
        return Ok(Vec::new());
    }
    let rule = cell_rule(demos, vocabulary, vocabulary.max_leaves(), work)?;
    Ok(rule.map(|(rule, leaves)| rule.rule(vocabulary.base_cost() + leaves as f64)).into_iter().collect())
}

/// Finds a rule with its number of leaves.
pub(crate) fn cell_rule(
    demos: &Demos,
    vocabulary: Vocabulary,
    max_leaves: usize,
    work: &Work<'_>,
) -> Result<Option<(CellRule, usize)>, OutOfWork> {
    let demos = if vocabulary == Vocabulary::Undirected { demos.turned() } else { demos };
    let rows = CellRows::new(demos, &vocabulary.groups(), work)?;
    let tree = grow(&rows.problem(), Bounds::leaves(max_leaves), work)?;
    Ok(tree.map(|tree| (rows.rule(&tree), tree.leaves())))
}

/// All cells of all inputs as rows, with the tests and actions of some groups.
struct CellRows<'a> {
    n_rows: usize,
    splits: Vec<&'a Split<CellFeature>>,
    actions: Vec<CellAction>,
    right: Vec<&'a Bits>,
}

impl<'a> CellRows<'a> {
    fn new(demos: &'a Demos, groups: &[Group], work: &Work<'_>) -> Result<CellRows<'a>, OutOfWork> {
        let mut rows =
            CellRows { n_rows: demos.n_cells(), splits: Vec::new(), actions: Vec::new(), right: Vec::new() };
        for &group in groups {
            let table = demos.table(group, work)?;
            rows.splits.extend(&table.splits);
            rows.actions.extend(group.actions());
            rows.right.extend(&table.right);
        }
        Ok(rows)
    }

    fn problem(&self) -> Problem<'a, CellFeature> {
        Problem { n_rows: self.n_rows, splits: self.splits.clone(), actions: self.right.clone() }
    }

    fn rule(&self, tree: &Tree<CellFeature, usize>) -> CellRule {
        CellRule(tree.map(&|feature| feature, &|&action| self.actions[action]))
    }
}

/// A tree that gives each cell its colour.
#[derive(Clone, PartialEq)]
pub(crate) struct CellRule(Tree<CellFeature, CellAction>);

impl CellRule {
    pub(crate) fn apply(&self, image: &Image) -> Image {
        let needed = |group: Group| {
            let (mut by_test, mut by_leaf) = (false, false);
            self.0.visit(&mut |feature| by_test |= feature.group == group, &mut |action| {
                by_leaf |= action.group == group
            });
            by_test || by_leaf
        };
        self.apply_to(image, &sheets(image, needed))
    }

    fn apply_to(&self, image: &Image, sheets: &[Option<Sheet>]) -> Image {
        let value = |feature: CellFeature, i: usize| {
            sheets[feature.group as usize]
                .as_ref()
                .map_or(0, |sheet| sheet.columns[usize::from(feature.column)][i])
        };
        let cells = (0..image.area()).map(|i| {
            let action = self.0.action(|feature| value(feature, i));
            sheets[action.group as usize]
                .as_ref()
                .map_or(0, |sheet| sheet.actions[usize::from(action.column)][i])
        });
        Image { h: image.h, w: image.w, cells: cells.collect() }
    }

    pub(crate) fn words(&self) -> String {
        self.0.words(&test_words, &|action| action.words())
    }

    fn rule(self, cost: f64) -> Rule {
        Rule::new(cost, self.words(), self)
    }

    /// The rule in the language.
    pub(crate) fn code(&self, code: &mut Code, grid: &Expr) -> Option<Expr> {
        write_tree(&self.0, &OnGrid(grid), code, grid, grid.clone())
    }
}

impl Body for CellRule {
    fn apply(&self, input: &Image) -> Option<Image> {
        Some(CellRule::apply(self, input))
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        CellRule::code(self, code, input)
    }
}

/// Writes tests and actions on the cells of a grid.
struct OnGrid<'a>(&'a Expr);

impl CellTree<CellFeature, CellAction> for OnGrid<'_> {
    fn places(&self, test: &Test<CellFeature>, code: &mut Code) -> Option<Expr> {
        test.feature.written()?.places(test, code, self.0)
    }

    fn paint(&self, action: &CellAction, code: &mut Code) -> Option<Paint> {
        Some(match action.written()? {
            _ if *action == CellAction::KEEP => Paint::Keep,
            Written::Color(color) => Paint::Color(*color),
            Written::Grid(write) => Paint::Grid(write(code, self.0)?),
            _ => return None,
        })
    }
}

/// The sheets of the groups that are needed, by the number of the group.
fn sheets(image: &Image, needed: impl Fn(Group) -> bool) -> Vec<Option<Sheet>> {
    Group::ALL.iter().map(|group| needed(*group).then(|| group.sheet(image))).collect()
}

const TREES: u64 = 15;

/// Learns fifteen trees, each from two fifths of the tests. Cells take the colour with the most votes; small trees
/// weigh more.
pub(crate) fn learn_forest(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    if !demos.edits() {
        return Ok(Vec::new());
    }
    let rows = CellRows::new(demos, Group::PLAIN, work)?;
    let problem = rows.problem();
    let mut trees = Vec::new();
    for seed in 1..=TREES {
        let mut state = seed.wrapping_mul(7919) | 1;
        let chosen: Vec<bool> = (0..problem.splits.len())
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 11) % 5 < 2
            })
            .collect();
        let tree = grow_from(&problem, Some(&|place| chosen[place]), Bounds::leaves(12), work)?;
        trees.extend(tree.map(|tree| (rows.rule(&tree), tree.leaves())));
    }
    if trees.len() < 3 {
        return Ok(Vec::new());
    }
    let leaves = trees.iter().map(|(_, leaves)| *leaves).sum::<usize>() as f64 / trees.len() as f64;
    let text = format!("{} trees vote, the smallest says: {}", trees.len(), smallest(&trees));
    Ok(vec![Rule::new(2.0 + leaves, text, move |input: &Image| Some(voted(&trees, input)))])
}

fn smallest(trees: &[(CellRule, usize)]) -> String {
    trees.iter().min_by_key(|(_, leaves)| *leaves).map_or_else(String::new, |(rule, _)| rule.words())
}

fn voted(trees: &[(CellRule, usize)], input: &Image) -> Image {
    let sheets = sheets(input, |group| group != Group::SpecialViews);
    let mut votes = vec![[0.0f64; 10]; input.area()];
    for (rule, leaves) in trees {
        let answer = rule.apply_to(input, &sheets);
        for (votes, color) in votes.iter_mut().zip(answer.cells) {
            if let Some(vote) = votes.get_mut(usize::from(color)) {
                *vote += 1.0 / (leaves * leaves) as f64;
            }
        }
    }
    let winner = |votes: &[f64; 10]| {
        (0..10u8).rev().max_by(|&a, &b| votes[usize::from(a)].total_cmp(&votes[usize::from(b)]))
    };
    Image { h: input.h, w: input.w, cells: votes.iter().map(|v| winner(v).unwrap_or(0)).collect() }
}

/// Two rules, one after the other.
struct Stacked {
    first: CellRule,
    second: CellRule,
}

impl Body for Stacked {
    fn apply(&self, input: &Image) -> Option<Image> {
        Some(self.second.apply(&self.first.apply(input)))
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        let between = self.first.code(code, input)?;
        self.second.code(code, &between)
    }
}

/// Learns a rule of two to four leaves that is right on most cells, then a second rule on its result.
pub(crate) fn learn_stack(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    if !demos.edits() {
        return Ok(Vec::new());
    }
    let groups: Vec<Group> = Group::PLAIN
        .iter()
        .copied()
        .filter(|group| ![Group::Position, Group::Ring, Group::Views].contains(group))
        .collect();
    let rows = CellRows::new(demos, &groups, work)?;
    let problem = rows.problem();
    let mut found = Found::default();
    for leaves in 2..=4 {
        let tree = grow_from(&problem, None, Bounds { leaves, best_effort: true }, work)?;
        let Some(tree) = tree.filter(|tree| tree.leaves() > 1) else { continue };
        let first = rows.rule(&tree);
        let between: Vec<Image> = demos.inputs().map(|input| first.apply(input)).collect();
        if between.iter().any(|image| image.cells.iter().any(|&color| color > 9))
            || between.iter().zip(demos.outputs()).all(|(a, b)| a == b)
            || between.iter().zip(demos.inputs()).all(|(a, b)| a == b)
        {
            continue;
        }
        let Some(rest) = demos.with_inputs(between) else { continue };
        if let Some((second, more)) = cell_rule(&rest, Vocabulary::Directed, 5, work)? {
            let text = format!("{}; then {}", first.words(), second.words());
            let cost = 3.0 + (tree.leaves() + more) as f64;
            found.push(Rule::new(cost, text, Stacked { first, second }));
        }
    }
    found.best(2, demos, work)
}
