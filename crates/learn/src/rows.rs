//! Rows for a tree that are not cells: objects, parts, output cells.

use crate::Work;
use crate::feature::{Feature, Kind};
use crate::tree::{Bounds, Problem, Test, Tree, bits, grow, tests_of};

/// Rows, column by column.
pub(crate) struct Rows {
    features: Vec<Feature<String>>,
    columns: Vec<Vec<u8>>,
    /// By action, then by row.
    right: Vec<Vec<bool>>,
    n: usize,
}

impl Rows {
    pub(crate) fn new(features: Vec<Feature<String>>, n_actions: usize) -> Rows {
        let columns = vec![Vec::new(); features.len()];
        Rows { features, columns, right: vec![Vec::new(); n_actions], n: 0 }
    }

    /// Adds a row: its values, and which actions are right for it.
    pub(crate) fn push(&mut self, values: &[u8], right: impl Fn(usize) -> bool) {
        for (column, &value) in self.columns.iter_mut().zip(values) {
            column.push(value);
        }
        for (action, column) in self.right.iter_mut().enumerate() {
            column.push(right(action));
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

    /// The tree that is right on all rows. Without `ordinals` numbers are tested for equality only.
    pub(crate) fn tree(&self, bounds: Bounds, ordinals: bool, work: &Work<'_>) -> Option<Tree> {
        work.spend(self.n * self.columns.len() / 4)?;
        let mut tests: Vec<Test> = Vec::new();
        for (i, (feature, column)) in self.features.iter().zip(&self.columns).enumerate() {
            let kind = if ordinals || feature.kind != Kind::Count { feature.kind } else { Kind::Code };
            let feature = Feature { name: "", kind, weight: feature.weight };
            tests_of(&feature, i, column, &mut tests);
        }
        let right: Vec<_> = self.right.iter().map(|column| bits(self.n, |row| column[row])).collect();
        let problem =
            Problem { n_rows: self.n, tests: tests.iter().collect(), actions: right.iter().collect() };
        grow(&problem, bounds, work)
    }

    /// A tree in words.
    pub(crate) fn words(&self, tree: &Tree, action: impl Fn(usize) -> String) -> String {
        tree.words(&|feature, value, at_least| self.features[feature].test(value, at_least), &action)
    }
}

/// Features with names of their own.
pub(crate) fn named(features: &[Feature]) -> Vec<Feature<String>> {
    let own = |f: &Feature| Feature { name: f.name.to_owned(), kind: f.kind, weight: f.weight };
    features.iter().map(own).collect()
}
