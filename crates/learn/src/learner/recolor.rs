//! Objects keep their place and take another colour.

use crate::feature::Feature;
use crate::found::Found;
use crate::image::color_name;
use crate::object::{OBJECT_FEATURES, Object, Seg, object_features};
use crate::relation::{COPIES, RELATED_COPIES, Shapes, copies, related, related_copies, related_features};
use crate::rows::{Rows, named};
use crate::tree::Bounds;
use crate::{Demos, Image, Rule, Work};

/// Keep, then the ten colours, then the copies.
const FIRST_COPY: usize = 11;

/// Learns the colour of objects from what they are or, if `by_relations`, also from how they relate to others.
pub(crate) fn learn(demos: &Demos, by_relations: bool, work: &Work<'_>) -> Option<Vec<Rule>> {
    let mut found = Found::default();
    if !demos.edits() {
        return Some(Vec::new());
    }
    let tail =
        if by_relations { [Seg::MonoOnMajority, Seg::MultiOnMajority] } else { [Seg::Multi4, Seg::ByColor] };
    let segs = [Seg::Mono4, Seg::Mono8, Seg::Multi8, Seg::Everything4, tail[0], tail[1]];
    for (k, seg) in segs.into_iter().enumerate() {
        let scene = Scene { seg, by_relations };
        let Some(rows) = scene.rows(demos, work)? else { continue };
        for ordinals in [true, false] {
            if !ordinals && !by_relations {
                continue;
            }
            let leaves = if by_relations { 5 } else { 6 };
            let Some(tree) = rows.tree(Bounds::leaves(leaves), ordinals, work) else { continue };
            let base = if by_relations { 2.3 } else { 2.0 } + if ordinals { 0.0 } else { 0.4 };
            let text = format!("{}: {}", seg.words(), rows.words(&tree, action_name));
            let cost = base + tree.leaves() as f64 + 0.1 * k as f64;
            found.push(Rule::new(cost, text, move |input| {
                let (objects, features, copies) = scene.read(input)?;
                let mut output = input.clone();
                for (i, object) in objects.iter().enumerate() {
                    let color = match tree.action(|feature| features[i][feature]) {
                        0 => continue,
                        action if action < FIRST_COPY => action as u8 - 1,
                        action => copies[i][action - FIRST_COPY],
                    };
                    for &(y, x) in &object.cells {
                        output.set(y, x, color);
                    }
                }
                Some(output)
            }));
        }
    }
    found.best(3, demos, work)
}

fn action_name(action: usize) -> String {
    match action {
        0 => "keep".to_owned(),
        _ if action < FIRST_COPY => color_name(action as u8 - 1).to_owned(),
        _ if action < FIRST_COPY + COPIES.len() => COPIES[action - FIRST_COPY].to_owned(),
        _ => RELATED_COPIES[action - FIRST_COPY - COPIES.len()].to_owned(),
    }
}

#[derive(Clone, Copy)]
struct Scene {
    seg: Seg,
    by_relations: bool,
}

impl Scene {
    /// The objects of an image with their features and the colours they may copy.
    #[expect(clippy::type_complexity, reason = "three parallel lists, taken apart at once")]
    fn read(self, image: &Image) -> Option<(Vec<Object>, Vec<Vec<u8>>, Vec<Vec<u8>>)> {
        let objects = self.seg.objects(image);
        if objects.len() > if self.by_relations { 70 } else { 200 } {
            return None;
        }
        let ground = image.background();
        let mut colors: Vec<Vec<u8>> =
            (0..objects.len()).map(|i| copies(image, &objects, i, ground)).collect();
        let features = if self.by_relations {
            let shapes = Shapes::new(&objects);
            for (i, colors) in colors.iter_mut().enumerate() {
                colors.extend(related_copies(image, &objects, i, ground, &shapes));
            }
            related(image, &objects)
        } else {
            object_features(image, &objects, ground)
        };
        Some((objects, features, colors))
    }

    fn features(self) -> Vec<Feature<String>> {
        if self.by_relations { related_features() } else { named(&OBJECT_FEATURES) }
    }

    /// A row for each object; none if something changes that is not an object's colour.
    fn rows(self, demos: &Demos, work: &Work<'_>) -> Option<Option<Rows>> {
        let n_copies = COPIES.len() + if self.by_relations { RELATED_COPIES.len() } else { 0 };
        let mut rows = Rows::new(self.features(), FIRST_COPY + n_copies);
        let max_objects = if self.by_relations { 50 } else { 80 };
        work.spend(demos.n_cells() * 2)?;
        for (input, output) in demos.pairs() {
            let objects = self.seg.objects(input);
            if objects.len() > max_objects || !only_objects_change(input, output, &objects) {
                return Some(None);
            }
        }
        for (input, output) in demos.pairs() {
            work.spend(input.area() * 4)?;
            let Some((objects, features, copies)) = self.read(input) else { return Some(None) };
            work.spend(objects.len() * objects.len() * 4)?;
            for (i, object) in objects.iter().enumerate() {
                let new = output.at(object.cells[0].0, object.cells[0].1);
                let uniform = object.cells.iter().all(|&(y, x)| output.at(y, x) == new);
                let same = object.cells.iter().all(|&(y, x)| output.at(y, x) == input.at(y, x));
                rows.push(&features[i], |action| match action {
                    0 => same,
                    _ if action < FIRST_COPY => uniform && action as u8 - 1 == new,
                    _ => uniform && copies[i][action - FIRST_COPY] == new,
                });
            }
        }
        Some(Some(rows))
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
