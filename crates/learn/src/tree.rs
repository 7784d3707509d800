//! The one learner behind most others: a small decision tree over actions of which several may be right.
//!
//! Rows are cells, objects, parts, output cells or pool images. For every action it is known on which rows it gives
//! the right answer; a node becomes a leaf as soon as one action is right on all its rows. That is what lets
//! `copy the colour above` win over `green` where both fit, and a rule carry over to colours never seen.

use std::collections::BTreeSet;

use crate::Work;
use crate::feature::{Feature, Kind};

/// A set of rows.
pub(crate) type Bits = Vec<u64>;

pub(crate) fn bits(n: usize, member: impl Fn(usize) -> bool) -> Bits {
    let mut bits = vec![0; n.div_ceil(64)];
    for row in 0..n {
        if member(row) {
            bits[row / 64] |= 1 << (row % 64);
        }
    }
    bits
}

/// `value of the feature = v`, or `≥ v`, with the rows on which it holds.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    pub feature: usize,
    pub value: u8,
    pub at_least: bool,
    weight: f64,
    rows: Bits,
    hash: u64,
}

/// All tests on one column.
pub(crate) fn tests_of<N>(feature: &Feature<N>, index: usize, column: &[u8], tests: &mut Vec<Test>) {
    let mut present = [false; 256];
    for &value in column {
        present[usize::from(value)] = true;
    }
    let values: Vec<u8> = (0..=255u8).filter(|&value| present[usize::from(value)]).collect();
    if values.len() < 2 {
        return;
    }
    let ordinal = feature.kind == Kind::Count;
    for (place, &value) in values.iter().enumerate() {
        // Of two values one test says it all.
        if !(values.len() == 2 && place == 0 && !ordinal) {
            let weight = feature.weight * if ordinal { 0.97 } else { 1.0 };
            tests.push(Test::new(index, value, false, weight, column));
        }
        if ordinal && place > 0 {
            let weight = feature.weight * if value == 1 { 1.05 } else { 1.0 };
            tests.push(Test::new(index, value, true, weight, column));
        }
    }
}

impl Test {
    fn new(feature: usize, value: u8, at_least: bool, weight: f64, column: &[u8]) -> Test {
        let rows = bits(column.len(), |row| holds(column[row], value, at_least));
        let hash = rows.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &word| {
            (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        });
        Test { feature, value, at_least, weight, rows, hash }
    }
}

#[inline]
fn holds(found: u8, value: u8, at_least: bool) -> bool {
    if at_least { found >= value } else { found == value }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    Leaf(usize),
    Node { feature: usize, value: u8, at_least: bool, yes: Box<Tree>, no: Box<Tree> },
}

impl Tree {
    pub(crate) fn leaves(&self) -> usize {
        match self {
            Tree::Leaf(_) => 1,
            Tree::Node { yes, no, .. } => yes.leaves() + no.leaves(),
        }
    }

    /// The action for a row, given as a function from feature to value.
    #[inline]
    pub(crate) fn action(&self, value_of: impl Fn(usize) -> u8) -> usize {
        let mut tree = self;
        loop {
            match tree {
                Tree::Leaf(action) => return *action,
                Tree::Node { feature, value, at_least, yes, no } => {
                    tree = if holds(value_of(*feature), *value, *at_least) { yes } else { no };
                }
            }
        }
    }

    /// Calls `on_feature` and `on_action` for everything the tree uses.
    pub(crate) fn visit(&self, on_feature: &mut dyn FnMut(usize), on_action: &mut dyn FnMut(usize)) {
        match self {
            Tree::Leaf(action) => on_action(*action),
            Tree::Node { feature, yes, no, .. } => {
                on_feature(*feature);
                yes.visit(on_feature, on_action);
                no.visit(on_feature, on_action);
            }
        }
    }

    /// The tree in words.
    pub(crate) fn words(
        &self,
        test: &dyn Fn(usize, u8, bool) -> String,
        action: &dyn Fn(usize) -> String,
    ) -> String {
        match self {
            Tree::Leaf(leaf) => action(*leaf),
            Tree::Node { feature, value, at_least, yes, no } => {
                let open = |tree: &Tree| match tree {
                    Tree::Leaf(leaf) => action(*leaf),
                    node => format!("({})", node.words(test, action)),
                };
                let (then, other) = (open(yes), no.words(test, action));
                format!("if {}: {then}; else {other}", test(*feature, *value, *at_least))
            }
        }
    }
}

/// What to learn from.
pub(crate) struct Problem<'a> {
    pub n_rows: usize,
    /// Earlier tests win ties and hide later ones that say the same.
    pub tests: Vec<&'a Test>,
    /// The rows on which each action is right. Action 0 is the one to prefer: keep.
    pub actions: Vec<&'a Bits>,
}

/// How large a tree may be, and what happens where it is too small.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub leaves: usize,
    /// An impure leaf answers what most of its rows need, instead of giving up.
    pub best_effort: bool,
}

impl Bounds {
    pub(crate) fn leaves(leaves: usize) -> Bounds {
        Bounds { leaves, best_effort: false }
    }
}

/// No rule needs more different actions than this.
const MAX_ACTIONS: usize = 10;
const MAX_DEPTH: usize = 8;

/// The tree that is right on all rows.
pub(crate) fn grow(problem: &Problem<'_>, bounds: Bounds, work: &Work<'_>) -> Option<Tree> {
    grow_from(problem, None, bounds, work)
}

/// The same with part of the tests: those whose place `chosen` admits.
pub(crate) fn grow_from(
    problem: &Problem<'_>,
    chosen: Option<&dyn Fn(usize) -> bool>,
    bounds: Bounds,
    work: &Work<'_>,
) -> Option<Tree> {
    let n = problem.n_rows;
    if n == 0 {
        return None;
    }
    let all = bits(n, |_| true);
    if let Some(action) = problem.actions.iter().position(|right| subset(&all, right)) {
        return Some(Tree::Leaf(action));
    }
    work.spend(problem.actions.len() * all.len() / 8 + problem.tests.len() / 4)?;
    let (order, classes) = labels(problem, &all)?;
    let mut seen = BTreeSet::new();
    let tests = problem.tests.iter().enumerate();
    let tests =
        tests.filter(|(place, test)| chosen.is_none_or(|chosen| chosen(*place)) && seen.insert(test.hash));
    let mut grower = Grower {
        problem,
        tests: tests.map(|(_, test)| *test).collect(),
        order,
        classes,
        splits_left: bounds.leaves.saturating_sub(1),
        best_effort: bounds.best_effort,
        work,
    };
    grower.grow(&all, MAX_DEPTH)
}

/// Gives every row one label: `keep` where it is right, then the action that is right on most of the rest.
fn labels(problem: &Problem<'_>, all: &Bits) -> Option<(Vec<usize>, Vec<Bits>)> {
    let mut open = all.clone();
    let mut order = vec![0];
    let mut classes = vec![and(&open, problem.actions[0])];
    remove(&mut open, problem.actions[0]);
    while open.iter().any(|&word| word != 0) {
        let counts = problem.actions.iter().map(|right| overlap(&open, right));
        let (best, n) = counts.enumerate().fold((0, 0), |best, it| if it.1 > best.1 { it } else { best });
        if n == 0 || order.len() > MAX_ACTIONS - 1 {
            return None;
        }
        order.push(best);
        classes.push(and(&open, problem.actions[best]));
        remove(&mut open, problem.actions[best]);
    }
    Some((order, classes))
}

struct Grower<'a> {
    problem: &'a Problem<'a>,
    tests: Vec<&'a Test>,
    /// The actions in the order in which labels were given.
    order: Vec<usize>,
    /// The rows of each label.
    classes: Vec<Bits>,
    splits_left: usize,
    best_effort: bool,
    work: &'a Work<'a>,
}

impl Grower<'_> {
    fn grow(&mut self, node: &Bits, depth: usize) -> Option<Tree> {
        if node.iter().all(|&word| word == 0) {
            return None;
        }
        if let Some(action) = self.common_action(node) {
            return Some(Tree::Leaf(action));
        }
        let inside: Vec<Bits> = self.classes.iter().map(|class| and(class, node)).collect();
        let totals: Vec<u32> = inside.iter().map(size).collect();
        if depth == 0 || self.splits_left == 0 {
            return self.impure(&totals);
        }
        self.splits_left -= 1;
        self.work.spend(self.tests.len() * inside.len() * node.len() / 12)?;
        let Some(test) = self.best_test(&inside, &totals) else { return self.impure(&totals) };
        let mut no = node.clone();
        remove(&mut no, &test.rows);
        let (feature, value, at_least) = (test.feature, test.value, test.at_least);
        let yes = Box::new(self.grow(&and(node, &test.rows), depth - 1)?);
        let no = Box::new(self.grow(&no, depth - 1)?);
        Some(Tree::Node { feature, value, at_least, yes, no })
    }

    /// An action that is right on all rows of the node: labels first, then in the order of declaration.
    fn common_action(&self, node: &Bits) -> Option<usize> {
        let right = |action: &usize| subset(node, self.problem.actions[*action]);
        self.order.iter().copied().find(right).or_else(|| (0..self.problem.actions.len()).find(right))
    }

    fn impure(&self, totals: &[u32]) -> Option<Tree> {
        let most = (0..totals.len()).rev().max_by_key(|&class| totals[class])?;
        self.best_effort.then(|| Tree::Leaf(self.order[most]))
    }

    /// The test of the highest weighted entropy gain, the first of equals.
    fn best_test(&self, inside: &[Bits], totals: &[u32]) -> Option<&'_ Test> {
        let base = entropy(totals);
        let n_rows: u32 = totals.iter().sum();
        let mut best: Option<(f64, &Test)> = None;
        let mut yes = vec![0u32; inside.len()];
        let mut no = yes.clone();
        for test in &self.tests {
            for (class, rows) in inside.iter().enumerate() {
                yes[class] = overlap(rows, &test.rows);
                no[class] = totals[class] - yes[class];
            }
            let n_yes: u32 = yes.iter().sum();
            if n_yes == 0 || n_yes == n_rows {
                continue;
            }
            let gain = (base - entropy(&yes) - entropy(&no)) * test.weight;
            if gain > best.map_or(1e-9, |(top, _)| top + 1e-9) {
                best = Some((gain, test));
            }
        }
        best.map(|(_, test)| test)
    }
}

/// The entropy of a split of rows into classes, times the number of rows.
fn entropy(counts: &[u32]) -> f64 {
    let total: u32 = counts.iter().sum();
    let nats = |n: u32| f64::from(n) * crate::log::ln(n);
    nats(total) - counts.iter().map(|&n| nats(n)).sum::<f64>()
}

fn and(a: &Bits, b: &Bits) -> Bits {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}

fn remove(from: &mut Bits, what: &Bits) {
    for (a, b) in from.iter_mut().zip(what) {
        *a &= !b;
    }
}

fn subset(inner: &Bits, outer: &Bits) -> bool {
    inner.iter().zip(outer).all(|(a, b)| a & !b == 0)
}

fn overlap(a: &Bits, b: &Bits) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
}

fn size(a: &Bits) -> u32 {
    a.iter().map(|word| word.count_ones()).sum()
}
