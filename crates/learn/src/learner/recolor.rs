//! Objects keep their place and take another colour.

use crate::code::{Code, Expr, number};
use crate::found::Found;
use crate::image::color_name;
use crate::object::{
    Chosen, ColorSource, Crowd, Object, ObjectFeature, ObjectOrRelation, Segmentation, Shapes, related,
    related_features,
};
use crate::option::options;
use crate::paint::write_objects;
use crate::rows::Rows;
use crate::rule::Body;
use crate::tree::{Bounds, Tree};
use crate::{Demos, Image, OutOfWork, Rule, Work};

options! {
    /// The facts that decide the new colour of an object.
    Criterion {
        /// Properties of the object.
        Properties = "PROPERTIES",
        /// Its relations to others too.
        Relations = "RELATIONS",
    }
}

/// The new colour of an object.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Paint {
    Keep,
    Color(u8),
    From(ColorSource),
}

impl Paint {
    fn words(self) -> &'static str {
        match self {
            Paint::Keep => "keep",
            Paint::Color(color) => color_name(color),
            Paint::From(source) => source.words(),
        }
    }
}

impl Criterion {
    fn segmentations(self) -> [Segmentation; 6] {
        let [fifth, sixth] = match self {
            Criterion::Properties => [Segmentation::Multi4, Segmentation::ByColor],
            Criterion::Relations => [Segmentation::MonoOnMajority, Segmentation::MultiOnMajority],
        };
        use Segmentation::{Everything4, Mono4, Mono8, Multi8};
        [Mono4, Mono8, Multi8, Everything4, fifth, sixth]
    }

    fn actions(self) -> Vec<Paint> {
        let mut actions = vec![Paint::Keep];
        actions.extend((0..10).map(Paint::Color));
        actions.extend(ColorSource::PLAIN.iter().copied().map(Paint::From));
        if self == Criterion::Relations {
            actions.extend(ColorSource::BY_RELATIONS.iter().copied().map(Paint::From));
        }
        actions
    }

    /// The most leaves of a rule, and its cost before them. Chosen on ARC-AGI-1 training tasks.
    const fn bounds(self) -> (usize, f64) {
        match self {
            Criterion::Properties => (6, 2.0),
            Criterion::Relations => (5, 2.3),
        }
    }

    /// More objects than this are a texture: in demonstration pairs, and in other inputs.
    const fn max_objects(self) -> (usize, usize) {
        match self {
            Criterion::Properties => (80, 200),
            Criterion::Relations => (50, 70),
        }
    }
}

pub(crate) fn learn(demos: &Demos, criterion: Criterion, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    if !demos.edits() {
        return Ok(Vec::new());
    }
    for (k, segmentation) in criterion.segmentations().into_iter().enumerate() {
        let scheme = Scheme { segmentation, criterion };
        let Some(rows) = scheme.rows(demos, work)? else { continue };
        for ordinals in [true, false] {
            if !ordinals && criterion == Criterion::Properties {
                continue;
            }
            let (leaves, base) = criterion.bounds();
            let Some(tree) = rows.tree(Bounds::leaves(leaves), ordinals, work)? else { continue };
            let base = base + if ordinals { 0.0 } else { 0.4 };
            let words =
                format!("{}: {}", segmentation.words(), rows.words(&tree, |paint| paint.words().to_owned()));
            let cost = base + tree.leaves() as f64 + 0.1 * k as f64;
            found.push(Rule::new(cost, words, Recolor { scheme, tree }));
        }
    }
    found.best(3, demos, work)
}

/// How objects are found and described.
#[derive(Clone, Copy)]
struct Scheme {
    segmentation: Segmentation,
    criterion: Criterion,
}

/// The objects of an image with the values of their features.
struct Described {
    objects: Vec<Object>,
    features: Vec<Vec<u8>>,
    shapes: Option<Shapes>,
}

impl Described {
    fn chosen<'a>(&'a self, image: &'a Image, i: usize) -> Chosen<'a> {
        let background = image.background();
        Chosen { image, objects: &self.objects, i, background, shapes: self.shapes.as_ref() }
    }
}

impl Scheme {
    fn read(self, image: &Image) -> Option<Described> {
        let objects = self.segmentation.objects(image);
        if objects.len() > self.criterion.max_objects().1 {
            return None;
        }
        Some(match self.criterion {
            Criterion::Properties => {
                let features = Crowd::new(image, &objects, image.background()).values();
                Described { objects, features, shapes: None }
            }
            Criterion::Relations => {
                let (features, shapes) = (related(image, &objects), Some(Shapes::new(&objects)));
                Described { objects, features, shapes }
            }
        })
    }

    /// A row for each object; `None` if something changes that is not an object's colour.
    fn rows(
        self,
        demos: &Demos,
        work: &Work<'_>,
    ) -> Result<Option<Rows<ObjectOrRelation, Paint>>, OutOfWork> {
        let features = match self.criterion {
            Criterion::Properties => {
                let own = ObjectFeature::ALL.iter();
                own.map(|&feature| (ObjectOrRelation::Object(feature), feature.feature())).collect()
            }
            Criterion::Relations => related_features(),
        };
        let mut rows = Rows::new(features, self.criterion.actions());
        work.spend(demos.n_cells() * 2)?;
        for (input, output) in demos.pairs() {
            let objects = self.segmentation.objects(input);
            if objects.len() > self.criterion.max_objects().0 || !only_objects_change(input, output, &objects)
            {
                return Ok(None);
            }
        }
        for (input, output) in demos.pairs() {
            work.spend(input.area() * 4)?;
            let Some(described) = self.read(input) else { return Ok(None) };
            work.spend(described.objects.len() * described.objects.len() * 4)?;
            for (i, object) in described.objects.iter().enumerate() {
                let new = output.at(object.cells[0].0, object.cells[0].1);
                let uniform = object.cells.iter().all(|&(y, x)| output.at(y, x) == new);
                let same = object.cells.iter().all(|&(y, x)| output.at(y, x) == input.at(y, x));
                let chosen = described.chosen(input, i);
                rows.push(&described.features[i], |_, paint| match paint {
                    Paint::Keep => same,
                    Paint::Color(color) => uniform && *color == new,
                    Paint::From(source) => uniform && source.color(&chosen) == new,
                });
            }
        }
        Ok(Some(rows))
    }
}

/// Whether every object takes one colour or stays, and nothing else changes.
fn only_objects_change(input: &Image, output: &Image, objects: &[Object]) -> bool {
    let mut explained = input.clone();
    for object in objects {
        let new = output.at(object.cells[0].0, object.cells[0].1);
        let uniform = object.cells.iter().all(|&(y, x)| output.at(y, x) == new);
        let same = object.cells.iter().all(|&(y, x)| output.at(y, x) == input.at(y, x));
        if !uniform && !same {
            return false;
        }
        for &(y, x) in &object.cells {
            explained.set(y, x, output.at(y, x));
        }
    }
    explained == *output
}

/// A rule: the new colour of each object.
struct Recolor {
    scheme: Scheme,
    tree: Tree<ObjectOrRelation, Paint>,
}

impl Body for Recolor {
    fn apply(&self, input: &Image) -> Option<Image> {
        let described = self.scheme.read(input)?;
        let mut output = input.clone();
        for (i, object) in described.objects.iter().enumerate() {
            let color = match self.tree.action(|feature| described.features[i][feature.index()]) {
                Paint::Keep => continue,
                Paint::Color(color) => *color,
                Paint::From(source) => source.color(&described.chosen(input, i)),
            };
            for &(y, x) in &object.cells {
                output.set(y, x, color);
            }
        }
        Some(output)
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        let objects = self.scheme.segmentation.code(code, input)?;
        let mut output = input.clone();
        write_objects(&self.tree, code, input, &objects, &mut |paint, code, chosen| {
            match paint {
                Paint::Keep => {}
                Paint::Color(color) => {
                    let color = number((*color).into());
                    output = code.line(format!("fill({output}, {color}, merge({chosen}))"));
                }
                Paint::From(source) => {
                    let color = source.code(code, input, &objects)?;
                    let recolored = format!("mapply(fork(recolor, {color}, identity), {chosen})");
                    output = code.line(format!("paint({output}, {recolored})"));
                }
            }
            Some(())
        })?;
        Some(output)
    }
}
