//! One rule for every cell.

use crate::cells::{ALL_GROUPS, Group, PER_GROUP, Sheet};
use crate::tree::{Bits, Bounds, Problem, Test, Tree, grow, grow_from};
use crate::{Demos, Image, Rule, Work};

/// What a rule may speak of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Vocabulary {
    Near,
    NearAndRing,
    Rays,
    LinesAndPosition,
    Objects,
    BoxesAndMirrors,
    Nearest,
    Views,
    /// Everything.
    All,
    /// Everything but positions.
    Free,
    /// The same, in a rule of at most four leaves.
    FreeSmall,
    /// Learned from all eight orientations: no directions.
    Undirected,
    /// What undirected rules speak of, with directions.
    Directed,
    /// Everything but views.
    Plain,
    MirrorsAndNear,
    SpecialViews,
    SpecialViewsAndObjects,
    SpecialViewsAndBoxes,
}

impl Vocabulary {
    fn groups(self) -> Vec<Group> {
        use Group::{Base, Box, Near, Nearest, Object, Ring, SpecialViews, Views};
        let without = |left_out: &[Group]| {
            ALL_GROUPS.iter().copied().filter(|group| !left_out.contains(group)).collect::<Vec<_>>()
        };
        match self {
            Vocabulary::Near => vec![Base, Near],
            Vocabulary::NearAndRing => vec![Base, Near, Ring],
            Vocabulary::Rays => vec![Base, Group::Rays],
            Vocabulary::LinesAndPosition => vec![Base, Group::Lines, Group::Position],
            Vocabulary::Objects => vec![Base, Object],
            Vocabulary::BoxesAndMirrors => vec![Base, Group::Mirror, Box],
            Vocabulary::Nearest => vec![Base, Nearest],
            Vocabulary::Views => vec![Base, Views],
            Vocabulary::All => ALL_GROUPS.to_vec(),
            Vocabulary::Free | Vocabulary::FreeSmall => without(&[Group::Position, Group::Lines, Ring]),
            Vocabulary::Undirected | Vocabulary::Directed => {
                without(&[Group::Position, Group::Lines, Ring, Views])
            }
            Vocabulary::Plain => without(&[Views]),
            Vocabulary::MirrorsAndNear => vec![Base, Near, Group::Mirror],
            Vocabulary::SpecialViews => vec![Base, SpecialViews],
            Vocabulary::SpecialViewsAndObjects => vec![Base, Near, Object, SpecialViews],
            Vocabulary::SpecialViewsAndBoxes => vec![Base, Box, Nearest, SpecialViews],
        }
    }

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

    fn base_cost(self) -> f64 {
        match self {
            // The best default: what needs no directions carries over best.
            Vocabulary::Undirected => 1.5,
            Vocabulary::SpecialViews
            | Vocabulary::SpecialViewsAndObjects
            | Vocabulary::SpecialViewsAndBoxes
            | Vocabulary::FreeSmall => 2.3,
            _ => 2.0,
        }
    }
}

pub(crate) fn learn(demos: &Demos, vocabulary: Vocabulary, work: &Work<'_>) -> Option<Vec<Rule>> {
    if !demos.edits() {
        return Some(Vec::new());
    }
    let rule = cell_rule(demos, vocabulary, vocabulary.max_leaves(), work)?;
    let rule = rule.map(|(rule, leaves)| rule.rule(vocabulary.base_cost() + leaves as f64));
    Some(rule.into_iter().collect())
}

/// The outer `None`: out of work. The inner: no such rule.
pub(crate) fn cell_rule(
    demos: &Demos,
    vocabulary: Vocabulary,
    max_leaves: usize,
    work: &Work<'_>,
) -> Option<Option<(CellRule, usize)>> {
    let demos = if vocabulary == Vocabulary::Undirected { demos.turned() } else { demos };
    let vocab = Words::new(demos, &vocabulary.groups(), work)?;
    let tree = grow(&vocab.problem(), Bounds::leaves(max_leaves), work);
    if work.is_exhausted() {
        return None;
    }
    Some(tree.map(|tree| (vocab.rule(&tree), tree.leaves())))
}

/// The tests and actions of some groups.
struct Words<'a> {
    n_rows: usize,
    tests: Vec<&'a Test>,
    actions: Vec<&'a Bits>,
    /// The global names of the actions.
    names: Vec<usize>,
}

impl<'a> Words<'a> {
    fn new(demos: &'a Demos, groups: &[Group], work: &Work<'_>) -> Option<Words<'a>> {
        let mut words =
            Words { n_rows: demos.n_cells(), tests: Vec::new(), actions: Vec::new(), names: Vec::new() };
        for &group in groups {
            let table = demos.table(group, work)?;
            words.tests.extend(&table.tests);
            words.names.extend((0..table.right.len()).map(|i| group as usize * PER_GROUP + i));
            words.actions.extend(&table.right);
        }
        Some(words)
    }

    fn problem(&self) -> Problem<'a> {
        Problem { n_rows: self.n_rows, tests: self.tests.clone(), actions: self.actions.clone() }
    }

    fn rule(&self, tree: &Tree) -> CellRule {
        CellRule { tree: renamed(tree, &self.names) }
    }
}

fn renamed(tree: &Tree, names: &[usize]) -> Tree {
    match tree {
        Tree::Leaf(action) => Tree::Leaf(names[*action]),
        Tree::Node { feature, value, at_least, yes, no } => Tree::Node {
            feature: *feature,
            value: *value,
            at_least: *at_least,
            yes: Box::new(renamed(yes, names)),
            no: Box::new(renamed(no, names)),
        },
    }
}

/// A tree over global names of features and actions.
#[derive(Clone, PartialEq)]
pub(crate) struct CellRule {
    tree: Tree,
}

impl CellRule {
    pub(crate) fn apply(&self, image: &Image) -> Image {
        let needed = |group: Group| {
            let (mut by_test, mut by_leaf) = (false, false);
            self.tree.visit(&mut |feature| by_test |= feature / PER_GROUP == group as usize, &mut |action| {
                by_leaf |= action / PER_GROUP == group as usize
            });
            by_test || by_leaf
        };
        let sheets: Vec<Option<Sheet>> = (0..crate::cells::N_GROUPS)
            .map(Group::from_index)
            .map(|group| needed(group).then(|| group.sheet(image)))
            .collect();
        self.apply_to(image, &|group| sheets[group].as_ref())
    }

    fn apply_to<'s>(&self, image: &Image, sheet: &dyn Fn(usize) -> Option<&'s Sheet>) -> Image {
        let value = |feature: usize, i: usize| {
            sheet(feature / PER_GROUP).map_or(0, |sheet| sheet.columns[feature % PER_GROUP][i])
        };
        let cells = (0..image.area()).map(|i| {
            let action = self.tree.action(|feature| value(feature, i));
            sheet(action / PER_GROUP).map_or(0, |sheet| sheet.actions[action % PER_GROUP][i])
        });
        Image { h: image.h, w: image.w, cells: cells.collect() }
    }

    pub(crate) fn words(&self) -> String {
        let test = |feature: usize, value: u8, at_least: bool| {
            let names = Group::from_index(feature / PER_GROUP).names();
            names.features[feature % PER_GROUP].test(value, at_least)
        };
        let action =
            |action: usize| Group::from_index(action / PER_GROUP).names().actions[action % PER_GROUP].clone();
        self.tree.words(&test, &action)
    }

    fn rule(self, cost: f64) -> Rule {
        Rule::new(cost, self.words(), move |input| Some(self.apply(input)))
    }
}

const TREES: u64 = 15;

/// Fifteen trees, each of which sees two fifths of the tests; cells take the colour with the most votes, small
/// trees weighing more.
pub(crate) fn learn_forest(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    if !demos.edits() {
        return Some(Vec::new());
    }
    let words = Words::new(demos, &ALL_GROUPS, work)?;
    let problem = words.problem();
    let mut trees = Vec::new();
    for seed in 1..=TREES {
        let mut state = seed.wrapping_mul(7919) | 1;
        let chosen: Vec<bool> = (0..problem.tests.len())
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 11) % 5 < 2
            })
            .collect();
        let tree = grow_from(&problem, Some(&|place| chosen[place]), Bounds::leaves(12), work);
        if work.is_exhausted() {
            return None;
        }
        trees.extend(tree.map(|tree| (words.rule(&tree), tree.leaves())));
    }
    if trees.len() < 3 {
        return Some(Vec::new());
    }
    let leaves = trees.iter().map(|(_, leaves)| *leaves).sum::<usize>() as f64 / trees.len() as f64;
    let text = format!("{} trees vote, the smallest says: {}", trees.len(), smallest(&trees));
    Some(vec![Rule::new(2.0 + leaves, text, move |input| Some(voted(&trees, input)))])
}

fn smallest(trees: &[(CellRule, usize)]) -> String {
    trees.iter().min_by_key(|(_, leaves)| *leaves).map_or_else(String::new, |(rule, _)| rule.words())
}

fn voted(trees: &[(CellRule, usize)], input: &Image) -> Image {
    let sheets: Vec<Option<Sheet>> = (0..crate::cells::N_GROUPS)
        .map(Group::from_index)
        .map(|group| (group != Group::SpecialViews).then(|| group.sheet(input)))
        .collect();
    let mut votes = vec![[0.0f64; 10]; input.area()];
    for (rule, leaves) in trees {
        let answer = rule.apply_to(input, &|group| sheets[group].as_ref());
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

/// A rule that does what it can with two to four leaves, then a second rule on its result.
pub(crate) fn learn_stack(demos: &Demos, work: &Work<'_>) -> Option<Vec<Rule>> {
    if !demos.edits() {
        return Some(Vec::new());
    }
    let groups: Vec<Group> = ALL_GROUPS
        .into_iter()
        .filter(|group| ![Group::Position, Group::Ring, Group::Views].contains(group))
        .collect();
    let words = Words::new(demos, &groups, work)?;
    let problem = words.problem();
    let mut found = crate::found::Found::default();
    for leaves in 2..=4 {
        let tree = grow_from(&problem, None, Bounds { leaves, best_effort: true }, work);
        if work.is_exhausted() {
            return None;
        }
        let Some(tree) = tree.filter(|tree| tree.leaves() > 1) else { continue };
        let first = words.rule(&tree);
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
            found.push(Rule::new(cost, text, move |input| Some(second.apply(&first.apply(input)))));
        }
    }
    found.best(2, demos, work)
}
