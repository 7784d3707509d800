//! The demonstration pairs, with everything that learners ask of them more than once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use crate::cells::{Group, N_GROUPS, PER_GROUP, Sheet};
use crate::tree::{Bits, Test, bits, tests_of};
use crate::view::views;
use crate::{Context, Image, Inside, Work};

/// Pairs of input and output.
pub struct Demos {
    pairs: Vec<(Image, Image)>,
    same_size: bool,
    tables: [OnceLock<Table>; N_GROUPS],
    views: OnceLock<Vec<(usize, Vec<Image>)>>,
    turned: OnceLock<Arc<Demos>>,
    probes: OnceLock<Vec<Image>>,
    inside: Mutex<BTreeMap<Context, Option<Arc<Inside>>>>,
}

/// A group of cell features over all cells of all inputs.
pub(crate) struct Table {
    pub tests: Vec<Test>,
    /// For each action the cells on which it gives the output's colour.
    pub right: Vec<Bits>,
}

impl Demos {
    /// `None`: there is nothing to learn from.
    pub fn new(pairs: Vec<(Image, Image)>) -> Option<Demos> {
        if pairs.is_empty() {
            return None;
        }
        Some(Demos::of(pairs))
    }

    fn of(pairs: Vec<(Image, Image)>) -> Demos {
        let same_size = pairs.iter().all(|(input, output)| input.same_size(output));
        Demos {
            pairs,
            same_size,
            tables: Default::default(),
            views: OnceLock::new(),
            turned: OnceLock::new(),
            probes: OnceLock::new(),
            inside: Mutex::default(),
        }
    }

    /// What a context makes of the pairs. The outer `None`: out of work; the inner: it does not fit.
    pub fn inside(&self, context: Context, work: &Work<'_>) -> Option<Option<Arc<Inside>>> {
        let known = |demos: &Demos| demos.inside.lock().ok().and_then(|inside| inside.get(&context).cloned());
        // The price is paid by everyone who asks, so that sharing shows in speed only.
        if let Some(inside) = known(self) {
            context.price(self, work)?;
            return Some(inside);
        }
        let inside = context.fit(self, work)?.map(Arc::new);
        if let Ok(mut all) = self.inside.lock() {
            all.insert(context, inside.clone());
        }
        Some(inside)
    }

    pub fn pairs(&self) -> &[(Image, Image)] {
        &self.pairs
    }

    pub(crate) fn inputs(&self) -> impl ExactSizeIterator<Item = &Image> {
        self.pairs.iter().map(|(input, _)| input)
    }

    pub(crate) fn outputs(&self) -> impl ExactSizeIterator<Item = &Image> {
        self.pairs.iter().map(|(_, output)| output)
    }

    /// Whether every output has the size of its input.
    pub(crate) fn same_size(&self) -> bool {
        self.same_size
    }

    /// Whether sizes stay and something changes: what rules of cells and objects need.
    pub(crate) fn edits(&self) -> bool {
        self.same_size && self.pairs.iter().any(|(input, output)| input != output)
    }

    pub(crate) fn n_cells(&self) -> usize {
        self.inputs().map(Image::area).sum()
    }

    /// Whether a function of the input gives every output.
    pub(crate) fn all(&self, run: impl Fn(&Image) -> Option<Image>) -> bool {
        self.pairs.iter().all(|(input, output)| run(input).as_ref() == Some(output))
    }

    /// The same outputs for other inputs.
    pub(crate) fn with_inputs(&self, inputs: Vec<Image>) -> Option<Demos> {
        Demos::new(inputs.into_iter().zip(self.outputs().cloned()).collect())
    }

    /// The table of a group. Its price is paid by everyone who asks, so that sharing shows in speed only.
    pub(crate) fn table(&self, group: Group, work: &Work<'_>) -> Option<&Table> {
        let names = group.names();
        let factor = match group {
            Group::Views | Group::SpecialViews => 6,
            Group::Object | Group::Nearest | Group::Box => 2,
            _ => 1,
        };
        work.spend(self.n_cells() * names.features.len() * factor / 8)?;
        Some(self.tables[group as usize].get_or_init(|| self.make_table(group)))
    }

    fn make_table(&self, group: Group) -> Table {
        let sheets: Vec<Sheet> = self.inputs().map(|input| group.sheet(input)).collect();
        let names = group.names();
        let n = self.n_cells();
        let mut tests = Vec::new();
        let mut column = Vec::with_capacity(n);
        for (i, feature) in names.features.iter().enumerate() {
            column.clear();
            sheets.iter().for_each(|sheet| column.extend_from_slice(&sheet.columns[i]));
            tests_of(feature, group as usize * PER_GROUP + i, &column, &mut tests);
        }
        let right = (0..names.actions.len()).map(|a| {
            let given = sheets.iter().flat_map(|sheet| sheet.actions[a].iter());
            let wanted = self.outputs().flat_map(|output| output.cells.iter());
            let hits: Vec<bool> = given.zip(wanted).map(|(given, wanted)| given == wanted).collect();
            bits(n, |i| hits[i])
        });
        Table { tests, right: right.collect() }
    }

    /// Every view that all inputs have, each set of images once.
    pub(crate) fn views(&self, work: &Work<'_>) -> Option<&[(usize, Vec<Image>)]> {
        work.spend(self.n_cells() * views().len() / 4)?;
        Some(self.views.get_or_init(|| {
            let mut seen = std::collections::HashSet::new();
            let all = views().iter().enumerate().filter_map(|(i, view)| {
                let images: Vec<Image> =
                    self.inputs().map(|input| view.apply(input)).collect::<Option<_>>()?;
                seen.insert(images.clone()).then_some((i, images))
            });
            all.collect()
        }))
    }

    /// The pairs in all eight orientations: what is learned from them does not know directions.
    pub(crate) fn turned(&self) -> &Arc<Demos> {
        self.turned.get_or_init(|| {
            let mut pairs = Vec::new();
            for symmetry in 0..8 {
                for (input, output) in &self.pairs {
                    let pair = (input.turned(symmetry), output.turned(symmetry));
                    if !pairs.contains(&pair) {
                        pairs.push(pair);
                    }
                }
            }
            if pairs.iter().map(|pair| pair.0.area()).sum::<usize>() > 12_000 {
                pairs.truncate(self.pairs.len() * 4);
            }
            Arc::new(Demos::of(pairs))
        })
    }

    /// Other inputs on which two rules that are right on all pairs may differ.
    pub(crate) fn probes(&self) -> &[Image] {
        self.probes.get_or_init(|| {
            let transposed = self.inputs().map(|input| input.turned(4));
            let next_color = self.inputs().map(|input| input.map(|c| if c == 0 { 0 } else { c % 9 + 1 }));
            transposed.chain(next_color).take(6).collect()
        })
    }
}
