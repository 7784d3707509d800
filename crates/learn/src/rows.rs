//! Rows for a tree that are not cells of the input: objects, parts, output cells.

use crate::Work;
use crate::feature::{Feature, Kind, Test};
use crate::tree::{Bounds, Problem, Split, Tree, bits, grow, splits_of};
use crate::work::OutOfWork;

/// Rows, column by column: the values of features `F`, and which actions `A` are right.
pub(crate) struct Rows<F, A> {
    features: Vec<(F, Feature)>,
    actions: Vec<A>,
    columns: Vec<Vec<u8>>,
    /// By action, then by row.
    right: Vec<Vec<bool>>,
    n: usize,
}

impl<F: Copy + PartialEq, A: Clone> Rows<F, A> {
    /// The first action is preferred to the others.
    pub(crate) fn new(features: Vec<(F, Feature)>, actions: Vec<A>) -> Rows<F, A> {
        let columns = vec![Vec::new(); features.len()];
        let right = vec![Vec::new(); actions.len()];
        Rows { features, actions, columns, right, n: 0 }
    }

    /// Adds a row: the value of each feature, and whether each action is right.
    pub(crate) fn push(&mut self, values: &[u8], right: impl Fn(usize, &A) -> bool) {
        for (column, &value) in self.columns.iter_mut().zip(values) {
            column.push(value);
        }
        for (i, (action, column)) in self.actions.iter().zip(&mut self.right).enumerate() {
            column.push(right(i, action));
        }
        self.n += 1;
    }

    /// Adds many rows at once: columns of values, and for each action a column of what it gives.
    pub(crate) fn extend(&mut self, columns: &[Vec<u8>], given: &[Vec<u8>], wanted: &[u8]) {
        for (all, column) in self.columns.iter_mut().zip(columns) {
            all.extend_from_slice(column);
        }
        for (all, column) in self.right.iter_mut().zip(given) {
            all.extend(column.iter().zip(wanted).map(|(given, wanted)| given == wanted));
        }
        self.n += wanted.len();
    }

    /// Finds the tree that is right on all rows. Without `ordinals` numbers are tested for equality only.
    pub(crate) fn tree(
        &self,
        bounds: Bounds,
        ordinals: bool,
        work: &Work<'_>,
    ) -> Result<Option<Tree<F, A>>, OutOfWork> {
        work.spend(self.n * self.columns.len() / 4)?;
        let mut splits: Vec<Split<F>> = Vec::new();
        for ((id, feature), column) in self.features.iter().zip(&self.columns) {
            let kind = if ordinals || feature.kind != Kind::Count { feature.kind } else { Kind::Code };
            splits_of(*id, (kind, feature.weight), column, &mut splits);
        }
        let right: Vec<_> = self.right.iter().map(|column| bits(self.n, |row| column[row])).collect();
        let problem =
            Problem { n_rows: self.n, splits: splits.iter().collect(), actions: right.iter().collect() };
        let tree = grow(&problem, bounds, work)?;
        Ok(tree.map(|tree| tree.map(&|feature| feature, &|&i| self.actions[i].clone())))
    }

    /// A tree in words.
    pub(crate) fn words(&self, tree: &Tree<F, A>, action: impl Fn(&A) -> String) -> String {
        let test = |test: &Test<F>| {
            let known = self.features.iter().find(|(id, _)| *id == test.feature);
            known.map_or_else(String::new, |(_, feature)| test.words(feature))
        };
        tree.words(&test, &action)
    }
}
