//! Contexts: other colours, parts, a box, a matrix, a transform before or after, a larger canvas.
//!
//! A context turns pairs into other pairs. Any learner may work on these, also in a further context.

mod after;
mod before;
mod canvas;
mod frame;
mod matrix;
mod parts;
mod region;

use std::sync::Arc;

use crate::code::{Code, Expr};
use crate::rule::Body;
use crate::view::ViewId;
use crate::{Demos, Image, Name, OptionDoc, OutOfWork, Rule, Words, Work};

pub use before::Finish;
pub use canvas::Placement;
pub use frame::Frame;
pub use matrix::Matrix;
pub use parts::Parts;
pub use region::Region;

/// A way to look at a task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Context {
    /// With other colours, chosen by each input.
    Frame(Frame),
    /// On parts of the image, all by one rule.
    Parts(Parts),
    /// In a box, the only place that changes.
    Box(Region),
    /// On a matrix with one cell for many.
    Matrix(Matrix),
    /// On the result of a view.
    After(ViewId),
    /// Before a last step that all outputs show.
    Before(Finish),
    /// On the input placed on a canvas of the output's size.
    Canvas(Placement),
}

/// The primitives that learn in a context, with the contexts they take.
const PRIMITIVES: [&str; 7] = [
    "learn_in_frame",
    "learn_in_parts",
    "learn_in_box",
    "learn_on_matrix",
    "learn_after",
    "learn_before",
    "learn_on_canvas",
];

impl Context {
    /// All contexts; those that are worth most as the outermost one come first.
    pub fn all() -> Vec<Context> {
        let mut all: Vec<Context> = Frame::ALL.iter().copied().map(Context::Frame).collect();
        all.extend(Region::all().map(Context::Box));
        all.extend(Parts::ALL.iter().copied().map(Context::Parts));
        all.extend(Matrix::ALL.iter().copied().map(Context::Matrix));
        all.extend(Placement::ALL.iter().copied().map(Context::Canvas));
        all.extend(Finish::ALL.iter().copied().map(Context::Before));
        let views = ViewId::all().skip(1).filter(|id| id.uses().step && !id.uses().special);
        all.extend(views.map(Context::After));
        all
    }

    /// The primitive of the language that learns in this context.
    pub fn primitive(self) -> &'static str {
        PRIMITIVES[match self {
            Context::Frame(_) => 0,
            Context::Parts(_) => 1,
            Context::Box(_) => 2,
            Context::Matrix(_) => 3,
            Context::After(_) => 4,
            Context::Before(_) => 5,
            Context::Canvas(_) => 6,
        }]
    }

    /// The constant that names the context among those of its primitive.
    pub fn option(self) -> Name {
        match self {
            Context::Frame(frame) => frame.name(),
            Context::Parts(parts) => parts.name(),
            Context::Box(region) => region.name(),
            Context::Matrix(matrix) => matrix.name(),
            Context::After(view) => view.name(),
            Context::Before(finish) => finish.name(),
            Context::Canvas(placement) => placement.name(),
        }
    }

    /// Whether a primitive learns in a context.
    pub fn is_primitive(primitive: &str) -> bool {
        PRIMITIVES.contains(&primitive)
    }

    /// The context that a call of a primitive with this option means; `None` if it has no such option.
    pub fn from_call(primitive: &str, option: i64) -> Option<Context> {
        let view = || ViewId::all().find(|view| view.name().value() == option);
        match PRIMITIVES.iter().position(|known| *known == primitive)? {
            0 => Frame::from_value(option).map(Context::Frame),
            1 => Parts::from_value(option).map(Context::Parts),
            2 => Region::from_value(option).map(Context::Box),
            3 => Matrix::from_value(option).map(Context::Matrix),
            4 => view().map(Context::After),
            5 => Finish::from_value(option).map(Context::Before),
            _ => Placement::from_value(option).map(Context::Canvas),
        }
    }

    /// The options of a primitive, for the manual.
    pub(crate) fn options_of(primitive: &str) -> Vec<OptionDoc> {
        match PRIMITIVES.iter().position(|known| *known == primitive) {
            Some(0) => Frame::ALL.iter().map(|option| option.doc()).collect(),
            Some(1) => Parts::ALL.iter().map(|option| option.doc()).collect(),
            Some(2) => Region::docs(),
            Some(3) => Matrix::ALL.iter().map(|option| option.doc()).collect(),
            Some(4) => ViewId::all()
                .map(|view| OptionDoc { name: view.name(), words: view.words().clone() })
                .collect(),
            Some(5) => Finish::ALL.iter().map(|option| option.doc()).collect(),
            Some(_) => Placement::ALL.iter().map(|option| option.doc()).collect(),
            None => Vec::new(),
        }
    }

    /// Whether it names a colour or a direction.
    pub(crate) fn is_fixed(self) -> bool {
        match self {
            Context::Frame(_) | Context::Matrix(_) => false,
            Context::Parts(parts) => matches!(parts, Parts::Rows | Parts::Columns),
            Context::Box(region) => matches!(region, Region::Color(_)),
            Context::After(_) | Context::Before(_) | Context::Canvas(_) => true,
        }
    }

    /// The pairs inside; `None` if the context does not fit.
    pub(crate) fn fit(self, demos: &Demos, work: &Work<'_>) -> Result<Option<Inside>, OutOfWork> {
        self.price(demos, work)?;
        Ok(match self {
            Context::Frame(frame) => frame.fit(demos),
            Context::Parts(parts) => parts.fit(demos),
            Context::Box(region) => region.fit(demos),
            Context::Matrix(matrix) => matrix.fit(demos),
            Context::After(view) => after::fit(demos, view),
            Context::Before(finish) => finish.fit(demos),
            Context::Canvas(placement) => placement.fit(demos),
        })
    }

    /// Pays for [`Context::fit`].
    pub(crate) fn price(self, demos: &Demos, work: &Work<'_>) -> Result<(), OutOfWork> {
        // A canvas needs a rule for its size too. Chosen by feel.
        work.spend(demos.n_cells() * if matches!(self, Context::Canvas(_)) { 5 } else { 1 })
    }
}

/// A context that fits a task: the way in and out.
pub(crate) trait Passage: Send + Sync {
    /// The images that the rule inside is asked about.
    fn enter(&self, input: &Image) -> Option<Vec<Image>>;

    /// The output from the answers of the rule inside.
    fn leave(&self, input: &Image, answers: Vec<Image>) -> Option<Image>;

    /// A rule of the inside written for whole inputs; `None` if that cannot be said in the language.
    fn code(&self, code: &mut Code, input: &Expr, rule: &Rule) -> Option<Expr> {
        let _ = (code, input, rule);
        None
    }
}

/// A context that fits a task.
#[derive(Clone)]
pub struct Inside {
    demos: Arc<Demos>,
    surcharge: f64,
    words: Words,
    passage: Arc<dyn Passage>,
}

impl Inside {
    /// `None` if there are no pairs.
    fn new(
        pairs: Vec<(Image, Image)>,
        surcharge: f64,
        words: impl Into<Words>,
        passage: impl Passage + 'static,
    ) -> Option<Inside> {
        let demos = Arc::new(Demos::new(pairs)?);
        Some(Inside { demos, surcharge, words: words.into(), passage: Arc::new(passage) })
    }

    /// The pairs to learn from.
    pub fn demos(&self) -> &Arc<Demos> {
        &self.demos
    }

    /// The images that the rule inside is asked about.
    pub fn enter(&self, input: &Image) -> Option<Vec<Image>> {
        self.passage.enter(input)
    }

    /// The output from the answers of the rule inside.
    pub fn leave(&self, input: &Image, answers: Vec<Image>) -> Option<Image> {
        self.passage.leave(input, answers)
    }

    /// The additional cost of a rule in this context.
    pub fn surcharge(&self) -> f64 {
        self.surcharge
    }

    /// The context in words, to be followed by the rule inside.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// A rule of the inside as a rule for whole inputs.
    pub fn wrap(&self, rule: &Rule) -> Rule {
        let words = format!("{}: {}", self.words, rule.words());
        Rule::new(
            rule.cost() + self.surcharge,
            words,
            Wrapped { passage: self.passage.clone(), rule: rule.clone() },
        )
    }
}

/// A rule in a context.
struct Wrapped {
    passage: Arc<dyn Passage>,
    rule: Rule,
}

impl Body for Wrapped {
    fn apply(&self, input: &Image) -> Option<Image> {
        let asked = self.passage.enter(input)?;
        let answers: Vec<Image> = asked.iter().map(|image| self.rule.apply(image)).collect::<Option<_>>()?;
        self.passage.leave(input, answers)
    }

    fn code(&self, code: &mut Code, input: &Expr) -> Option<Expr> {
        self.passage.code(code, input, &self.rule)
    }
}

/// The additional cost of rules in contexts. A context that is found in every input explains less than one that names a
/// place or a transform. Chosen on ARC-AGI-1 training tasks.
mod surcharge {
    pub(super) const FRAME: f64 = 1.0;
    pub(super) const PARTS: f64 = 0.5;
    pub(super) const BOX: f64 = 1.0;
    pub(super) const MATRIX: f64 = 0.5;
    pub(super) const AFTER: f64 = 1.5;
    pub(super) const BEFORE: f64 = 1.0;
    pub(super) const CANVAS: f64 = 1.0;
}
