//! The demonstration pairs, with everything that learners ask of them more than once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use crate::cell::{CellFeature, Group, Sheet};
use crate::image::Symmetry;
use crate::tree::{Bits, Split, bits, splits_of};
use crate::view::views;
use crate::{Context, Image, Inside, OutOfWork, ViewId, Work};

/// Pairs of input and output.
pub struct Demos {
    pairs: Vec<(Image, Image)>,
    same_size: bool,
    tables: [OnceLock<Table>; Group::ALL.len()],
    views: OnceLock<Vec<(ViewId, Vec<Image>)>>,
    turned: OnceLock<Arc<Demos>>,
    probes: OnceLock<Vec<Image>>,
    inside: Mutex<BTreeMap<Context, Option<Arc<Inside>>>>,
}

/// A group of cell features over all cells of all inputs.
pub(crate) struct Table {
    pub splits: Vec<Split<CellFeature>>,
    /// For each action the cells on which it gives the output's colour.
    pub right: Vec<Bits>,
}

/// Above this number of cells, half of the orientations are enough.
const MAX_TURNED_CELLS: usize = 12_000;

impl Demos {
    /// Returns `None` if there is no pair to learn from.
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

    /// The pairs in a context; `None` if it does not fit.
    pub fn inside(&self, context: Context, work: &Work<'_>) -> Result<Option<Arc<Inside>>, OutOfWork> {
        let known = |demos: &Demos| demos.inside.lock().ok().and_then(|inside| inside.get(&context).cloned());
        // The price is paid by everyone who asks, so that sharing shows in speed only.
        if let Some(inside) = known(self) {
            context.price(self, work)?;
            return Ok(inside);
        }
        let inside = context.fit(self, work)?.map(Arc::new);
        if let Ok(mut all) = self.inside.lock() {
            all.insert(context, inside.clone());
        }
        Ok(inside)
    }

    pub fn pairs(&self) -> &[(Image, Image)] {
        &self.pairs
    }

    pub(crate) fn inputs(&self) -> impl ExactSizeIterator<Item = &Image> + Clone {
        self.pairs.iter().map(|(input, _)| input)
    }

    pub(crate) fn outputs(&self) -> impl ExactSizeIterator<Item = &Image> + Clone {
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
    pub(crate) fn table(&self, group: Group, work: &Work<'_>) -> Result<&Table, OutOfWork> {
        // The relative costs of the groups. Chosen by feel.
        let factor = match group {
            Group::Views | Group::SpecialViews => 6,
            Group::Object | Group::Nearest | Group::Box => 2,
            _ => 1,
        };
        work.spend(self.n_cells() * group.features().len() * factor / 8)?;
        Ok(self.tables[group as usize].get_or_init(|| self.make_table(group)))
    }

    fn make_table(&self, group: Group) -> Table {
        let sheets: Vec<Sheet> = self.inputs().map(|input| group.sheet(input)).collect();
        let n = self.n_cells();
        let mut splits = Vec::new();
        let mut column = Vec::with_capacity(n);
        for (i, (id, feature)) in group.features().enumerate() {
            column.clear();
            sheets.iter().for_each(|sheet| column.extend_from_slice(&sheet.columns[i]));
            splits_of(id, (feature.kind, feature.weight), &column, &mut splits);
        }
        let right = (0..group.actions().len()).map(|a| {
            let given = sheets.iter().flat_map(|sheet| sheet.actions[a].iter());
            let wanted = self.outputs().flat_map(|output| output.cells.iter());
            let hits: Vec<bool> = given.zip(wanted).map(|(given, wanted)| given == wanted).collect();
            bits(n, |i| hits[i])
        });
        Table { splits, right: right.collect() }
    }

    /// Every view that all inputs have, each set of images once.
    pub(crate) fn views(&self, work: &Work<'_>) -> Result<&[(ViewId, Vec<Image>)], OutOfWork> {
        work.spend(self.n_cells() * views().len() / 4)?;
        Ok(self.views.get_or_init(|| {
            let mut seen = std::collections::HashSet::new();
            let all = ViewId::all().filter_map(|id| {
                let images: Vec<Image> = self.inputs().map(|input| id.apply(input)).collect::<Option<_>>()?;
                seen.insert(images.clone()).then_some((id, images))
            });
            all.collect()
        }))
    }

    /// The pairs in all eight orientations: what is learned from them does not know directions.
    pub(crate) fn turned(&self) -> &Arc<Demos> {
        self.turned.get_or_init(|| {
            let mut pairs = Vec::new();
            for symmetry in Symmetry::ALL {
                for (input, output) in &self.pairs {
                    let pair = (input.turned(symmetry), output.turned(symmetry));
                    if !pairs.contains(&pair) {
                        pairs.push(pair);
                    }
                }
            }
            if pairs.iter().map(|pair| pair.0.area()).sum::<usize>() > MAX_TURNED_CELLS {
                pairs.truncate(self.pairs.len() * 4);
            }
            Arc::new(Demos::of(pairs))
        })
    }

    /// Other inputs on which two rules that are right on all pairs may differ.
    pub(crate) fn probes(&self) -> &[Image] {
        self.probes.get_or_init(|| {
            let transposed = self.inputs().map(|input| input.turned(Symmetry::Transpose));
            let next_color = self.inputs().map(|input| input.map(|c| if c == 0 { 0 } else { c % 9 + 1 }));
            transposed.chain(next_color).take(6).collect()
        })
    }
}
