//! The one learner behind most others: a small decision tree over actions of which several may be right.
//!
//! Rows are cells, objects, parts, output cells or pool images. For every action it is known on which rows it gives
//! the right answer; a node becomes a leaf as soon as one action is right on all its rows. That is what lets
//! `copy the colour above` win over `green` where both fit, and a rule carry over to colours never seen.

use std::collections::BTreeSet;

use crate::Work;
use crate::feature::{Kind, Test};
use crate::work::OutOfWork;

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

/// A test with the rows on which it holds.
#[derive(Clone, Debug)]
pub(crate) struct Split<F> {
    test: Test<F>,
    weight: f64,
    rows: Bits,
    hash: u64,
}

/// Numbers are more often compared than matched, and "at least one" is the most natural comparison. Chosen on
/// ARC-AGI-1 training tasks.
const NUMBER_EQUALS: f64 = 0.97;
const AT_LEAST_ONE: f64 = 1.05;

/// Adds all tests on the column of a feature.
pub(crate) fn splits_of<F: Copy>(
    feature: F,
    (kind, weight): (Kind, f64),
    column: &[u8],
    splits: &mut Vec<Split<F>>,
) {
    let mut present = [false; 256];
    for &value in column {
        present[usize::from(value)] = true;
    }
    let values: Vec<u8> = (0..=255u8).filter(|&value| present[usize::from(value)]).collect();
    if values.len() < 2 {
        return;
    }
    let ordinal = kind == Kind::Count;
    for (place, &value) in values.iter().enumerate() {
        // If there are two values, one test tells them apart.
        if !(values.len() == 2 && place == 0 && !ordinal) {
            let weight = weight * if ordinal { NUMBER_EQUALS } else { 1.0 };
            splits.push(Split::new(Test { feature, value, at_least: false }, weight, column));
        }
        if ordinal && place > 0 {
            let weight = weight * if value == 1 { AT_LEAST_ONE } else { 1.0 };
            splits.push(Split::new(Test { feature, value, at_least: true }, weight, column));
        }
    }
}

impl<F> Split<F> {
    fn new(test: Test<F>, weight: f64, column: &[u8]) -> Split<F> {
        let rows = bits(column.len(), |row| test.holds(column[row]));
        let hash = rows.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &word| {
            (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        });
        Split { test, weight, rows, hash }
    }
}

/// A decision tree over features `F` that ends in actions `A`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree<F, A> {
    Leaf(A),
    Node { test: Test<F>, yes: Box<Tree<F, A>>, no: Box<Tree<F, A>> },
}

impl<F: Copy, A> Tree<F, A> {
    pub(crate) fn leaves(&self) -> usize {
        match self {
            Tree::Leaf(_) => 1,
            Tree::Node { yes, no, .. } => yes.leaves() + no.leaves(),
        }
    }

    /// Returns the action for a row, given as a function from feature to value.
    #[inline]
    pub(crate) fn action(&self, value_of: impl Fn(F) -> u8) -> &A {
        let mut tree = self;
        loop {
            match tree {
                Tree::Leaf(action) => return action,
                Tree::Node { test, yes, no } => {
                    tree = if test.holds(value_of(test.feature)) { yes } else { no };
                }
            }
        }
    }

    /// Calls `on_feature` and `on_action` for everything the tree uses.
    pub(crate) fn visit(&self, on_feature: &mut dyn FnMut(F), on_action: &mut dyn FnMut(&A)) {
        match self {
            Tree::Leaf(action) => on_action(action),
            Tree::Node { test, yes, no } => {
                on_feature(test.feature);
                yes.visit(on_feature, on_action);
                no.visit(on_feature, on_action);
            }
        }
    }

    /// The same tree with other names for features and actions.
    pub(crate) fn map<G, B>(&self, feature: &impl Fn(F) -> G, action: &impl Fn(&A) -> B) -> Tree<G, B> {
        match self {
            Tree::Leaf(leaf) => Tree::Leaf(action(leaf)),
            Tree::Node { test, yes, no } => Tree::Node {
                test: Test { feature: feature(test.feature), value: test.value, at_least: test.at_least },
                yes: Box::new(yes.map(feature, action)),
                no: Box::new(no.map(feature, action)),
            },
        }
    }

    /// The tree in words.
    pub(crate) fn words(
        &self,
        test_words: &dyn Fn(&Test<F>) -> String,
        action_words: &dyn Fn(&A) -> String,
    ) -> String {
        match self {
            Tree::Leaf(leaf) => action_words(leaf),
            Tree::Node { test, yes, no } => {
                let then = match &**yes {
                    Tree::Leaf(leaf) => action_words(leaf),
                    node => format!("({})", node.words(test_words, action_words)),
                };
                let other = no.words(test_words, action_words);
                format!("if {}: {then}; else {other}", test_words(test))
            }
        }
    }
}

/// Rows to learn from.
pub(crate) struct Problem<'a, F> {
    pub n_rows: usize,
    /// Of equal ones the first is used.
    pub splits: Vec<&'a Split<F>>,
    /// The rows on which each action is right. Action 0 is the one to prefer: keep.
    pub actions: Vec<&'a Bits>,
}

/// How large a tree may be, and whether it may be wrong on some rows.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub leaves: usize,
    /// If the tree is too small, its leaves answer what most of their rows need.
    pub best_effort: bool,
}

impl Bounds {
    pub(crate) fn leaves(leaves: usize) -> Bounds {
        Bounds { leaves, best_effort: false }
    }
}

/// No rule needs more different actions than this. Chosen by feel.
const MAX_ACTIONS: usize = 10;
const MAX_DEPTH: usize = 8;

/// Finds the tree that is right on all rows; `None` if there is none within the bounds. Actions are numbers.
pub(crate) fn grow<F: Copy>(
    problem: &Problem<'_, F>,
    bounds: Bounds,
    work: &Work<'_>,
) -> Result<Option<Tree<F, usize>>, OutOfWork> {
    grow_from(problem, None, bounds, work)
}

/// The same with those splits whose place `chosen` admits.
pub(crate) fn grow_from<F: Copy>(
    problem: &Problem<'_, F>,
    chosen: Option<&dyn Fn(usize) -> bool>,
    bounds: Bounds,
    work: &Work<'_>,
) -> Result<Option<Tree<F, usize>>, OutOfWork> {
    let n = problem.n_rows;
    if n == 0 {
        return Ok(None);
    }
    let all = bits(n, |_| true);
    if let Some(action) = problem.actions.iter().position(|right| subset(&all, right)) {
        return Ok(Some(Tree::Leaf(action)));
    }
    work.spend(problem.actions.len() * all.len() / 8 + problem.splits.len() / 4)?;
    let Some((order, classes)) = labels(problem, &all) else { return Ok(None) };
    let mut seen = BTreeSet::new();
    let splits = problem.splits.iter().enumerate();
    let splits =
        splits.filter(|(place, split)| chosen.is_none_or(|chosen| chosen(*place)) && seen.insert(split.hash));
    let mut grower = Grower {
        problem,
        splits: splits.map(|(_, split)| *split).collect(),
        order,
        classes,
        splits_left: bounds.leaves.saturating_sub(1),
        best_effort: bounds.best_effort,
        work,
    };
    grower.grow(&all, MAX_DEPTH)
}

/// Gives every row one label: `keep` where it is right, then the action that is right on most of the rest.
fn labels<F>(problem: &Problem<'_, F>, all: &Bits) -> Option<(Vec<usize>, Vec<Bits>)> {
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

struct Grower<'a, F> {
    problem: &'a Problem<'a, F>,
    splits: Vec<&'a Split<F>>,
    /// The actions in the order in which labels were given.
    order: Vec<usize>,
    /// The rows of each label.
    classes: Vec<Bits>,
    splits_left: usize,
    best_effort: bool,
    work: &'a Work<'a>,
}

impl<F: Copy> Grower<'_, F> {
    fn grow(&mut self, node: &Bits, depth: usize) -> Result<Option<Tree<F, usize>>, OutOfWork> {
        if node.iter().all(|&word| word == 0) {
            return Ok(None);
        }
        if let Some(action) = self.common_action(node) {
            return Ok(Some(Tree::Leaf(action)));
        }
        let inside: Vec<Bits> = self.classes.iter().map(|class| and(class, node)).collect();
        let totals: Vec<u32> = inside.iter().map(size).collect();
        if depth == 0 || self.splits_left == 0 {
            return Ok(self.impure(&totals));
        }
        self.splits_left -= 1;
        self.work.spend(self.splits.len() * inside.len() * node.len() / 12)?;
        let Some(split) = self.best_split(&inside, &totals) else { return Ok(self.impure(&totals)) };
        let mut rest = node.clone();
        remove(&mut rest, &split.rows);
        let test = split.test;
        let Some(yes) = self.grow(&and(node, &split.rows), depth - 1)? else { return Ok(None) };
        let Some(no) = self.grow(&rest, depth - 1)? else { return Ok(None) };
        Ok(Some(Tree::Node { test, yes: Box::new(yes), no: Box::new(no) }))
    }

    /// An action that is right on all rows of the node: labels first, then in the order of declaration.
    fn common_action(&self, node: &Bits) -> Option<usize> {
        let right = |action: &usize| subset(node, self.problem.actions[*action]);
        self.order.iter().copied().find(right).or_else(|| (0..self.problem.actions.len()).find(right))
    }

    fn impure(&self, totals: &[u32]) -> Option<Tree<F, usize>> {
        let most = (0..totals.len()).rev().max_by_key(|&class| totals[class])?;
        self.best_effort.then(|| Tree::Leaf(self.order[most]))
    }

    /// The split of the highest weighted entropy gain, the first of equals.
    fn best_split(&self, inside: &[Bits], totals: &[u32]) -> Option<&'_ Split<F>> {
        let base = entropy(totals);
        let n_rows: u32 = totals.iter().sum();
        let mut best: Option<(f64, &Split<F>)> = None;
        let mut yes = vec![0u32; inside.len()];
        let mut no = yes.clone();
        for split in &self.splits {
            for (class, rows) in inside.iter().enumerate() {
                yes[class] = overlap(rows, &split.rows);
                no[class] = totals[class] - yes[class];
            }
            let n_yes: u32 = yes.iter().sum();
            if n_yes == 0 || n_yes == n_rows {
                continue;
            }
            let gain = (base - entropy(&yes) - entropy(&no)) * split.weight;
            if gain > best.map_or(1e-9, |(top, _)| top + 1e-9) {
                best = Some((gain, split));
            }
        }
        best.map(|(_, split)| split)
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
