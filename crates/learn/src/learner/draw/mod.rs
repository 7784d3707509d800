//! Objects draw: rays, rings, fillings and connections, chosen for each object.

mod judge;
mod stroke;

use std::sync::Arc;

use super::cell::{CellRule, Vocabulary, cell_rule};
use super::transform;
use crate::code::{Code, Expr, number};
use crate::found::Found;
use crate::image::{Image, color_name, least_frequent};
use crate::object::{Object, ObjectOrRelation, Segmentation, related, related_features};
use crate::paint::write_objects;
use crate::rows::Rows;
use crate::rule::Body;
use crate::tree::{Bounds, Tree};
use crate::{Demos, OutOfWork, Rule, Work};
use judge::Judged;
use stroke::{Action, Cells, Pen};

/// The colour that objects draw with.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ink {
    Own,
    /// The object's rarest colour.
    Minor,
    /// The rarest colour of the image.
    Rarest,
    Fixed(u8),
}

impl Ink {
    fn color(self, image: &Image, object: &Object) -> u8 {
        match self {
            Ink::Own => object.color,
            Ink::Minor => least_frequent(&object.counts(image), |_| true).unwrap_or(object.color),
            Ink::Rarest => {
                let background = image.background();
                least_frequent(&image.counts(), |c| c != background).unwrap_or(0)
            }
            Ink::Fixed(color) => color,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Ink::Own => "its colour",
            Ink::Minor => "its rarest colour",
            Ink::Rarest => "the rarest colour",
            Ink::Fixed(color) => color_name(color),
        }
    }
}

/// How it is decided which actions are right for an object.
#[derive(Clone, Copy, PartialEq)]
struct Labels {
    /// An action may miss cells that another object paints too.
    lenient: bool,
    ordinals: bool,
    price: f64,
}

const LABELS: [Labels; 3] = [
    Labels { lenient: true, ordinals: true, price: 0.0 },
    Labels { lenient: false, ordinals: true, price: 0.1 },
    Labels { lenient: false, ordinals: false, price: 0.4 },
];

/// The cost of a rule before its leaves, of a later segmentation, of rays from the middle, and of a second step by
/// cells. Chosen on ARC-AGI-1 training tasks, as the prices of labels.
const BASE_COST: f64 = 2.5;
const PER_SEGMENTATION: f64 = 0.1;
const FROM_MIDDLE: f64 = 0.3;
const THEN_CELLS: f64 = 0.5;

/// More objects than this are a texture: in demonstration pairs, and in other inputs.
const MAX_DEMO_OBJECTS: usize = 40;
const MAX_OBJECTS: usize = 60;
/// Only rules of at most this many leaves get a second step.
const MAX_FIRST_LEAVES: usize = 3;

/// How objects are found and where their rays start.
#[derive(Clone, Copy)]
struct Reading {
    segmentation: Segmentation,
    /// Rays start in the middle of a side only.
    from_middle: bool,
}

/// The objects of an image with the cells that each action would paint, and their features.
struct Scene {
    objects: Vec<Object>,
    /// By object, then by action.
    strokes: Vec<Vec<Cells>>,
    features: Vec<Vec<u8>>,
}

impl Reading {
    fn scene(self, image: &Image, actions: &[Action]) -> Option<Scene> {
        let objects = self.segmentation.objects(image);
        if objects.is_empty() || objects.len() > MAX_DEMO_OBJECTS {
            return None;
        }
        let strokes = (0..objects.len()).map(|i| {
            let pen = Pen::new(image, &objects, i, self.from_middle);
            actions.iter().map(|action| pen.cells(*action)).collect()
        });
        let strokes = strokes.collect();
        let features = related(image, &objects);
        Some(Scene { objects, strokes, features })
    }
}

pub(crate) fn learn(demos: &Demos, work: &Work<'_>) -> Result<Vec<Rule>, OutOfWork> {
    let mut found = Found::default();
    let Some(new_colors) = colors_on_background(demos).filter(|_| demos.edits()) else {
        return Ok(Vec::new());
    };
    let actions = Action::all();
    for (k, segmentation) in
        [Segmentation::Mono8, Segmentation::Multi8, Segmentation::Mono4].into_iter().enumerate()
    {
        let n_objects = |segmentation: Segmentation, input: &Image| segmentation.objects(input).len();
        let same_as_first = || {
            demos
                .inputs()
                .all(|input| n_objects(segmentation, input) == n_objects(Segmentation::Mono8, input))
        };
        if segmentation == Segmentation::Mono4 && same_as_first() {
            continue;
        }
        for from_middle in [false, true] {
            let reading = Reading { segmentation, from_middle };
            work.spend(demos.n_cells() * 8)?;
            let scenes: Option<Vec<Scene>> =
                demos.inputs().map(|input| reading.scene(input, &actions)).collect();
            let Some(scenes) = scenes else { continue };
            let n_strokes: usize = scenes.iter().map(|scene| scene.objects.len() * actions.len()).sum();
            work.spend(n_strokes * 4)?;
            let inks = [Ink::Own, Ink::Minor, Ink::Rarest].into_iter();
            for ink in inks.chain(new_colors.iter().map(|&color| Ink::Fixed(color))) {
                if ink == Ink::Minor && segmentation != Segmentation::Multi8 {
                    continue;
                }
                work.spend(n_strokes * 2)?;
                let price =
                    BASE_COST + PER_SEGMENTATION * k as f64 + if from_middle { FROM_MIDDLE } else { 0.0 };
                Sketch { demos, scenes: &scenes, actions: &actions, reading, ink, price }
                    .learn(&mut found, work)?;
            }
        }
    }
    found.best(4, demos, work)
}

/// The colours that appear on former background; `None` if some pair has no such change.
fn colors_on_background(demos: &Demos) -> Option<Vec<u8>> {
    let mut colors = Vec::new();
    for (input, output) in demos.pairs() {
        let background = input.background();
        let changes = input.cells.iter().zip(&output.cells).filter(|&(&a, &b)| a != b && a == background);
        let mut any = false;
        for (_, &color) in changes {
            any = true;
            if !colors.contains(&color) {
                colors.push(color);
            }
        }
        if !any {
            return None;
        }
    }
    colors.truncate(4);
    Some(colors)
}

/// The demonstration pairs read in one way, with one ink.
struct Sketch<'a> {
    demos: &'a Demos,
    scenes: &'a [Scene],
    actions: &'a [Action],
    reading: Reading,
    ink: Ink,
    /// Added to the cost of a rule.
    price: f64,
}

impl Sketch<'_> {
    fn learn(&self, found: &mut Found, work: &Work<'_>) -> Result<(), OutOfWork> {
        let pairs = self.demos.pairs().iter().zip(self.scenes);
        let judged: Vec<Judged> =
            pairs.map(|((input, output), scene)| Judged::new(input, output, scene, self.ink)).collect();
        let wanted: usize = judged.iter().map(|judged| judged.n_wanted).sum();
        let covered: usize = judged.iter().map(|judged| judged.n_covered).sum();
        if wanted == 0 || covered * 2 < wanted {
            return Ok(());
        }
        for labels in LABELS {
            let mut rows = Rows::new(related_features(), self.actions.to_vec());
            for (scene, judged) in self.scenes.iter().zip(&judged) {
                for (i, features) in scene.features.iter().enumerate() {
                    let accepted = judged.accepted(i, labels.lenient);
                    rows.push(features, |action, _| accepted[action]);
                }
            }
            let tree = rows.tree(Bounds::leaves(5), labels.ordinals, work)?;
            let Some(tree) = tree.filter(|tree| *tree != Tree::Leaf(Action::Nothing)) else { continue };
            let words = format!(
                "{} draw in {}: {}",
                self.reading.segmentation.words(),
                self.ink.words(),
                rows.words(&tree, |action| action.words())
            );
            let cost = self.price + labels.price + tree.leaves() as f64;
            let small = tree.leaves() <= MAX_FIRST_LEAVES;
            for backwards in [false, true] {
                let drawing =
                    Arc::new(Drawing { reading: self.reading, ink: self.ink, tree: tree.clone(), backwards });
                if found.check(self.demos, Rule::new(cost, words.clone(), drawing.clone())) {
                    break;
                }
                if !backwards && small {
                    self.finish(&drawing, cost, &words, found, work)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a second step, if the first does at least half of the work.
    fn finish(
        &self,
        drawing: &Arc<Drawing>,
        cost: f64,
        words: &str,
        found: &mut Found,
        work: &Work<'_>,
    ) -> Result<(), OutOfWork> {
        let demos = self.demos;
        let drawn = demos.inputs().map(|input| drawing.apply(input)).collect::<Option<Vec<Image>>>();
        let Some(between) = drawn else { return Ok(()) };
        let off = |images: &mut dyn Iterator<Item = &Image>| {
            images.zip(demos.outputs()).map(|(image, output)| image.distance(output)).sum::<usize>()
        };
        if off(&mut between.iter()) * 2 >= off(&mut demos.inputs()) {
            return Ok(());
        }
        let Some(rest) = demos.with_inputs(between) else { return Ok(()) };
        if let Some(rule) = transform::learn(&rest, transform::Steps::One, work)?.into_iter().next() {
            let words = format!("{words}; then {}", rule.words());
            let second = Second::Rule(rule.clone());
            found.push(Rule::new(cost + rule.cost(), words, Finished { first: drawing.clone(), second }));
        }
        if let Some((rule, leaves)) = cell_rule(&rest, Vocabulary::Directed, 4, work)? {
            let words = format!("{words}; then {}", rule.words());
            let second = Second::Cells(rule);
            let cost = cost + THEN_CELLS + leaves as f64;
            found.push(Rule::new(cost, words, Finished { first: drawing.clone(), second }));
        }
        Ok(())
    }
}

/// A rule: what each object draws.
struct Drawing {
    reading: Reading,
    ink: Ink,
    tree: Tree<ObjectOrRelation, Action>,
    /// Later objects are painted first.
    backwards: bool,
}

impl Body for Arc<Drawing> {
    fn apply(&self, input: &Image) -> Option<Image> {
        let objects = self.reading.segmentation.objects(input);
        if objects.is_empty() || objects.len() > MAX_OBJECTS {
            return None;
        }
        let features = related(input, &objects);
        let mut output = input.clone();
        let n = objects.len();
        for k in 0..n {
            let i = if self.backwards { n - 1 - k } else { k };
            let action = self.tree.action(|feature| features[i][feature.index()]);
            let color = self.ink.color(input, &objects[i]);
            for (y, x) in Pen::new(input, &objects, i, self.reading.from_middle).cells(*action) {
                output.set(y, x, color);
            }
        }
        Some(output)
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        if self.reading.from_middle {
            return None;
        }
        let objects = self.reading.segmentation.code(code, input)?;
        let mut output = input.clone();
        write_objects(&self.tree, code, input, &objects, &mut |action, code, drawing| {
            if *action == Action::Nothing {
                return Some(());
            }
            let cells = action.code()?;
            let in_color = |color: &str| format!("underfill({output}, {color}, mapply({cells}, {drawing}))");
            let in_own = |color: &str| {
                format!("underpaint({output}, mapply(fork(recolor, {color}, {cells}), {drawing}))")
            };
            let drawn = match self.ink {
                Ink::Fixed(color) => in_color(&number(color.into())),
                Ink::Own => in_own("color"),
                Ink::Minor => in_own("leastcolor"),
                Ink::Rarest => {
                    let rarest = "argmin(remove(B, palette(I)), lbind(colorcount, I))";
                    in_color(&code.template(rarest, input).to_string())
                }
            };
            output = code.line(drawn);
            Some(())
        })?;
        Some(output)
    }
}

/// A step after the drawing.
enum Second {
    Rule(Rule),
    Cells(CellRule),
}

/// A drawing and a second step.
struct Finished {
    first: Arc<Drawing>,
    second: Second,
}

impl Body for Finished {
    fn apply(&self, input: &Image) -> Option<Image> {
        let drawn = self.first.apply(input)?;
        match &self.second {
            Second::Rule(rule) => rule.apply(&drawn),
            Second::Cells(rule) => Some(rule.apply(&drawn)),
        }
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        let drawn = Body::code(&self.first, code, input)?;
        match &self.second {
            Second::Rule(rule) => rule.code(code, &drawn),
            Second::Cells(rule) => rule.code(code, &drawn),
        }
    }
}
