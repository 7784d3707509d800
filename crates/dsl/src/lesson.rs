//! Learned rules: how a program names a learner, what it learns, and how the rule is applied.
//!
//! A rule is the value `learned(learner, option, detail, samples)`; `detail` is the rank of the rule among those the
//! learner finds, or the rule inside for a learner that works in a context. What was learned is kept aside, by content,
//! so that it is learned once a task; whether it is still there shows in speed only.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use batt_learn::{
    Demos, Frame, Image, Inside, Matrix, Parts, Placement, Post, Property, Region, Rule, Steps, Vocabulary,
    Work,
};
use batt_value::{Arena, Fail, Op, Owned, Symbol, Value};

use crate::{Cx, symbol};

pub use batt_learn::{Candidate, Context, Learner, Spec, catalogue};

/// Work of learners is counted in larger units than fuel.
pub const FUEL_PER_WORK: u64 = 4;
/// Applying a rule costs so much a cell.
const FUEL_PER_CELL: u64 = 64;

/// How programs write learners: the primitive, the constant for the option, the learner. The value of the constant
/// is the place among the rows of the primitive.
const LEARNERS: &[(&str, &str, Learner)] = &[
    ("learn_transform", "ONE_STEP", Learner::Transform(Steps::One)),
    ("learn_transform", "TWO_STEPS", Learner::Transform(Steps::Two)),
    ("learn_transform", "SPECIAL_STEPS", Learner::Transform(Steps::Special)),
    ("learn_cells", "NEAR", Learner::Cells(Vocabulary::Near)),
    ("learn_cells", "NEAR_RING", Learner::Cells(Vocabulary::NearAndRing)),
    ("learn_cells", "RAYS", Learner::Cells(Vocabulary::Rays)),
    ("learn_cells", "LINES", Learner::Cells(Vocabulary::LinesAndPosition)),
    ("learn_cells", "OBJECTS", Learner::Cells(Vocabulary::Objects)),
    ("learn_cells", "BOXES", Learner::Cells(Vocabulary::BoxesAndMirrors)),
    ("learn_cells", "NEAREST", Learner::Cells(Vocabulary::Nearest)),
    ("learn_cells", "VIEWS", Learner::Cells(Vocabulary::Views)),
    ("learn_cells", "EVERYTHING", Learner::Cells(Vocabulary::All)),
    ("learn_cells", "FREE", Learner::Cells(Vocabulary::Free)),
    ("learn_cells", "FREE_SMALL", Learner::Cells(Vocabulary::FreeSmall)),
    ("learn_cells", "UNDIRECTED", Learner::Cells(Vocabulary::Undirected)),
    ("learn_cells", "DIRECTED", Learner::Cells(Vocabulary::Directed)),
    ("learn_cells", "PLAIN", Learner::Cells(Vocabulary::Plain)),
    ("learn_cells", "MIRRORS", Learner::Cells(Vocabulary::MirrorsAndNear)),
    ("learn_cells", "SPECIAL", Learner::Cells(Vocabulary::SpecialViews)),
    ("learn_cells", "SPECIAL_OBJECTS", Learner::Cells(Vocabulary::SpecialViewsAndObjects)),
    ("learn_cells", "SPECIAL_BOXES", Learner::Cells(Vocabulary::SpecialViewsAndBoxes)),
    ("learn_recolor", "PROPERTIES", Learner::Recolor(false)),
    ("learn_recolor", "RELATIONS", Learner::Recolor(true)),
    ("learn_select", "PROPERTIES", Learner::Select(Property::Object)),
    ("learn_select", "COUNTING", Learner::Select(Property::Counting)),
    ("learn_complete", "HIDDEN", Learner::Complete),
    ("learn_complete", "GROUND", Learner::CompleteSoft),
    ("learn_complete", "BEYOND", Learner::Continue),
    ("learn_forest", "", Learner::Forest),
    ("learn_stack", "", Learner::Stack),
    ("learn_move", "", Learner::Move),
    ("learn_split", "", Learner::Split),
    ("learn_repeat", "", Learner::Repeat),
    ("learn_table", "", Learner::Table),
    ("learn_count", "", Learner::Count),
    ("learn_pool", "", Learner::Pool),
    ("learn_draw", "", Learner::Draw),
    ("learn_template", "", Learner::Template),
    ("learn_fill_parts", "", Learner::FillParts),
    ("learn_assemble", "", Learner::Assemble),
];

/// The same for contexts. Boxes of colours and views are given by their number.
const CONTEXTS: &[(&str, &str, Context)] = &[
    ("learn_in_frame", "MAJORITY", Context::Frame(Frame::Majority)),
    ("learn_in_frame", "FREQUENCY", Context::Frame(Frame::Frequency)),
    ("learn_in_frame", "FREQUENCY_BUT_BLACK", Context::Frame(Frame::FrequencyButBlack)),
    ("learn_in_frame", "RARITY", Context::Frame(Frame::Rarity)),
    ("learn_in_parts", "EACH_OBJECT", Context::Parts(Parts::Objects)),
    ("learn_in_parts", "EACH_COLOR_OBJECT", Context::Parts(Parts::OneColorObjects)),
    ("learn_in_parts", "EACH_ON_MAJORITY", Context::Parts(Parts::OnMajority)),
    ("learn_in_parts", "EACH_LINE_CELL", Context::Parts(Parts::LineCells)),
    ("learn_in_parts", "EACH_ROW", Context::Parts(Parts::Rows)),
    ("learn_in_parts", "EACH_COLUMN", Context::Parts(Parts::Columns)),
    ("learn_in_box", "BLACK", Context::Box(Region::Color(0))),
    ("learn_in_box", "BLUE", Context::Box(Region::Color(1))),
    ("learn_in_box", "RED", Context::Box(Region::Color(2))),
    ("learn_in_box", "GREEN", Context::Box(Region::Color(3))),
    ("learn_in_box", "YELLOW", Context::Box(Region::Color(4))),
    ("learn_in_box", "GRAY", Context::Box(Region::Color(5))),
    ("learn_in_box", "MAGENTA", Context::Box(Region::Color(6))),
    ("learn_in_box", "ORANGE", Context::Box(Region::Color(7))),
    ("learn_in_box", "CYAN", Context::Box(Region::Color(8))),
    ("learn_in_box", "BURGUNDY", Context::Box(Region::Color(9))),
    ("learn_in_box", "LARGEST_OBJECT", Context::Box(Region::LargestObject)),
    ("learn_in_box", "NOT_GROUND", Context::Box(Region::NotBackground)),
    ("learn_in_box", "LARGEST_BOX", Context::Box(Region::LargestBox)),
    ("learn_on_matrix", "LINE_CELLS", Context::Matrix(Matrix::LineCells)),
    ("learn_on_matrix", "BLOCKS", Context::Matrix(Matrix::Blocks)),
    ("learn_before", "ENLARGED", Context::Before(Post::Enlarged)),
    ("learn_before", "MIRRORED_RIGHT", Context::Before(Post::MirroredRight)),
    ("learn_before", "MIRRORED_DOWN", Context::Before(Post::MirroredDown)),
    ("learn_before", "MIRRORED_BOTH", Context::Before(Post::MirroredBoth)),
    ("learn_before", "DOUBLED_RIGHT", Context::Before(Post::DoubledRight)),
    ("learn_before", "DOUBLED_DOWN", Context::Before(Post::DoubledDown)),
    ("learn_before", "FRAMED", Context::Before(Post::Framed)),
    ("learn_on_canvas", "AT_TOP_LEFT", Context::Canvas(Placement::TopLeft)),
    ("learn_on_canvas", "AT_BOTTOM_LEFT", Context::Canvas(Placement::BottomLeft)),
    ("learn_on_canvas", "AT_TOP_RIGHT", Context::Canvas(Placement::TopRight)),
    ("learn_on_canvas", "AT_BOTTOM_RIGHT", Context::Canvas(Placement::BottomRight)),
    ("learn_on_canvas", "AT_CENTRE", Context::Canvas(Placement::Centre)),
    ("learn_on_canvas", "SPREAD_CENTRE", Context::Canvas(Placement::CentreSpread)),
    ("learn_on_canvas", "TILED", Context::Canvas(Placement::Tiled)),
    ("learn_on_canvas", "SCALED", Context::Canvas(Placement::Enlarged)),
    ("learn_on_canvas", "MIRROR_TILED", Context::Canvas(Placement::MirrorTiled)),
    ("learn_on_canvas", "IN_BLOCKS", Context::Canvas(Placement::Blocks)),
    ("learn_on_canvas", "SPREAD_TOP_LEFT", Context::Canvas(Placement::TopLeftSpread)),
];

/// The context that takes the number of a view.
const AFTER: &str = "learn_after";

/// The primitive that learns, inside whatever contexts.
pub fn primitive(spec: &Spec) -> Option<&'static Symbol> {
    match spec {
        Spec::Learn(learner) => symbol(learner_name(*learner).0),
        Spec::In(_, inner) => primitive(inner),
    }
}

/// The primitive that stands for a learner in programs, and the constant for its option; empty if it has none.
pub fn learner_name(learner: Learner) -> (&'static str, &'static str) {
    let row = LEARNERS.iter().find(|row| row.2 == learner);
    row.map_or(("learn_table", ""), |row| (row.0, row.1))
}

/// The same for a context.
pub fn context_name(context: Context) -> (&'static str, String) {
    match (CONTEXTS.iter().find(|row| row.2 == context), context) {
        (Some(row), _) => (row.0, row.1.to_owned()),
        (None, Context::After(view)) => (AFTER, view.to_string()),
        (None, _) => (AFTER, "0".to_owned()),
    }
}

/// The learner that a call means.
fn learner(primitive: &str, option: Value<'_>) -> Result<Learner, Fail> {
    let mut rows = LEARNERS.iter().filter(|row| row.0 == primitive);
    let place = match option {
        Value::None => 0,
        option => usize::try_from(option.as_int().ok_or(Fail::Kind)?).map_err(|_| Fail::Range)?,
    };
    rows.nth(place).map(|row| row.2).ok_or(Fail::Range)
}

fn context(primitive: &str, option: Value<'_>) -> Result<Context, Fail> {
    let place = usize::try_from(option.as_int().ok_or(Fail::Kind)?).map_err(|_| Fail::Range)?;
    if primitive == AFTER {
        return if place < batt_learn::n_views() { Ok(Context::After(place)) } else { Err(Fail::Range) };
    }
    CONTEXTS.iter().filter(|row| row.0 == primitive).nth(place).map(|row| row.2).ok_or(Fail::Range)
}

/// Learns a rule: the body of every learner.
pub(crate) fn learned<'a>(
    cx: &mut Cx<'a>,
    primitive: &'static str,
    option: Value<'a>,
    rank: Value<'a>,
    samples: Value<'a>,
) -> Result<Value<'a>, Fail> {
    let learner = learner(primitive, option)?;
    let rank_int = cx.int(rank)?;
    let lesson = lesson(cx, learner, samples, true)?;
    usize::try_from(rank_int).ok().filter(|&rank| rank < lesson.rules.len()).ok_or(Fail::Empty)?;
    let symbol = symbol(primitive).ok_or(Fail::Bug)?;
    cx.arena.closure(Op::Learned, &[Value::Prim(symbol), option, rank, samples])
}

/// Learns a rule in a context: the body of every learner that takes a learner.
pub(crate) fn learned_inside<'a>(
    cx: &mut Cx<'a>,
    primitive: &'static str,
    option: Value<'a>,
    learner: Value<'a>,
    samples: Value<'a>,
) -> Result<Value<'a>, Fail> {
    let context = context(primitive, option)?;
    let inside = inside(cx, context, samples, true)?;
    let pairs = inside.demos().pairs().iter().map(|(input, output)| {
        let pair = [input.to_value(cx.arena)?, output.to_value(cx.arena)?];
        cx.arena.tuple(&pair)
    });
    let inner_samples = cx.arena.tuple(&pairs.collect::<Result<Vec<_>, _>>()?)?;
    cx.charge(inner_samples.weight().into())?;
    cache().demos.insert(Owned::new(inner_samples), inside.demos().clone());
    let rule = cx.call1(learner, inner_samples)?;
    let symbol = symbol(primitive).ok_or(Fail::Bug)?;
    let rule = cx.arena.closure(Op::Learned, &[Value::Prim(symbol), option, rule, samples])?;
    // Parts that were left out of the inside may make a difference on whole inputs.
    for pair in cx.iter(samples)? {
        let [input, output] = cx.two(pair)?;
        if !batt_value::order::equal(cx.call1(rule, input)?, output) {
            return Err(Fail::Empty);
        }
    }
    Ok(rule)
}

/// Applies a learned rule.
pub(crate) fn apply<'a>(
    cx: &mut Cx<'a>,
    learner_value: Value<'a>,
    option: Value<'a>,
    detail: Value<'a>,
    samples: Value<'a>,
    input: Value<'a>,
) -> Result<Value<'a>, Fail> {
    let Value::Prim(primitive) = learner_value else { return Err(Fail::Kind) };
    let image = image(input)?;
    cx.charge(FUEL_PER_CELL * image.cells.len() as u64)?;
    let answer = if is_context(primitive.name) {
        let inside = inside(cx, context(primitive.name, option)?, samples, false)?;
        let mut answers = Vec::new();
        for asked in inside.enter(&image).ok_or(Fail::Empty)? {
            let asked = asked.to_value(cx.arena)?;
            answers.push(self::image(cx.call1(detail, asked)?)?);
        }
        inside.leave(&image, answers)
    } else {
        let lesson = lesson(cx, learner(primitive.name, option)?, samples, false)?;
        rule(&lesson, detail)?.apply(&image)
    };
    answer.ok_or(Fail::Empty)?.to_value(cx.arena)
}

fn is_context(primitive: &str) -> bool {
    primitive == AFTER || CONTEXTS.iter().any(|row| row.0 == primitive)
}

fn rule<'l>(lesson: &'l Lesson, rank: Value<'_>) -> Result<&'l Rule, Fail> {
    let rank = usize::try_from(rank.as_int().ok_or(Fail::Kind)?).map_err(|_| Fail::Range)?;
    lesson.rules.get(rank).ok_or(Fail::Empty)
}

/// What a learned rule says, and how complicated it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub words: String,
    pub cost: f64,
}

/// A learned rule in words; `None` for any other function.
pub fn explain<'a>(cx: &mut Cx<'a>, rule_value: Value<'a>) -> Result<Option<Explanation>, Fail> {
    let Value::Func(closure) = rule_value else { return Ok(None) };
    let (Op::Learned, &[Value::Prim(primitive), option, detail, samples]) = (closure.op, closure.held) else {
        return Ok(None);
    };
    if !is_context(primitive.name) {
        let lesson = lesson(cx, learner(primitive.name, option)?, samples, false)?;
        let rule = rule(&lesson, detail)?;
        return Ok(Some(Explanation { words: rule.explain().to_owned(), cost: rule.cost() }));
    }
    let inside = inside(cx, context(primitive.name, option)?, samples, false)?;
    let inner = explain(cx, detail)?;
    let (words, cost) = inner.map_or_else(|| (detail.to_string(), 0.0), |inner| (inner.words, inner.cost));
    Ok(Some(Explanation { words: format!("{}: {words}", inside.words()), cost: cost + inside.surcharge() }))
}

/// What a learner found, and what finding it costs.
struct Lesson {
    rules: Vec<Rule>,
    work: u64,
}

/// The rules of a learner, from the cache if they are there. `paid`: the fuel is charged, the same in both cases.
fn lesson<'a>(
    cx: &mut Cx<'a>,
    learner: Learner,
    samples: Value<'a>,
    paid: bool,
) -> Result<Arc<Lesson>, Fail> {
    let key = (learner, Owned::new(samples));
    let known = cache().lessons.get(&key);
    let limit = if paid { cx.left() / FUEL_PER_WORK } else { u64::MAX };
    let lesson = match known {
        Some(lesson) => lesson,
        None => {
            let demos = demos(cx, samples, &key.1)?;
            let work = Work::with_stop(limit, cx.stop());
            match learner.learn(&demos, &work) {
                Some(rules) => {
                    let lesson = Arc::new(Lesson { rules, work: work.used() });
                    cache().lessons.insert(key, lesson.clone());
                    lesson
                }
                None => return Err(cx.cut_short()),
            }
        }
    };
    if paid {
        cx.charge(lesson.work * FUEL_PER_WORK)?;
    }
    Ok(lesson)
}

fn inside<'a>(
    cx: &mut Cx<'a>,
    context: Context,
    samples: Value<'a>,
    paid: bool,
) -> Result<Arc<Inside>, Fail> {
    let demos = demos(cx, samples, &Owned::new(samples))?;
    let limit = if paid { cx.left() / FUEL_PER_WORK } else { u64::MAX };
    let work = Work::with_stop(limit, cx.stop());
    let Some(inside) = demos.inside(context, &work) else { return Err(cx.cut_short()) };
    if paid {
        cx.charge(work.used() * FUEL_PER_WORK)?;
    }
    inside.ok_or(Fail::Empty)
}

/// The samples in the working form of learners.
fn demos<'a>(cx: &Cx<'a>, samples: Value<'a>, key: &Owned) -> Result<Arc<Demos>, Fail> {
    let known = cache().demos.get(key);
    if let Some(demos) = known {
        return Ok(demos);
    }
    let demos = Arc::new(demos_of(cx.arena, samples)?);
    cache().demos.insert(key.clone(), demos.clone());
    Ok(demos)
}

/// Samples in the working form of learners: what [`catalogue`] asks for.
pub fn demos_of<'a>(arena: &'a Arena, samples: Value<'a>) -> Result<Demos, Fail> {
    let mut pairs = Vec::new();
    for pair in samples.items(arena).ok_or(Fail::Kind)? {
        match (pair.get(arena, 0), pair.get(arena, 1), pair.len()) {
            (Some(input), Some(output), Some(2)) => pairs.push((image(input)?, image(output)?)),
            _ => return Err(Fail::Kind),
        }
    }
    Demos::new(pairs).ok_or(Fail::Empty)
}

fn image(value: Value<'_>) -> Result<Image, Fail> {
    Image::from_value(value).ok_or(match value {
        Value::Grid(_) => Fail::Range,
        _ => Fail::Kind,
    })
}

/// So many lists of rules are kept. They are small.
const MAX_LESSONS: usize = 4096;
/// So many sets of samples with their features. They are large, up to tens of megabytes.
const MAX_DEMOS: usize = 24;

static CACHE: LazyLock<Mutex<Cache>> = LazyLock::new(|| {
    Mutex::new(Cache { lessons: Bounded::new(MAX_LESSONS), demos: Bounded::new(MAX_DEMOS) })
});

fn cache() -> MutexGuard<'static, Cache> {
    // A learner that panicked held no lock, so what is there is whole.
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Cache {
    lessons: Bounded<(Learner, Owned), Lesson>,
    demos: Bounded<Owned, Demos>,
}

/// A map that forgets what came first.
struct Bounded<K, V> {
    max: usize,
    map: HashMap<K, Arc<V>>,
    order: VecDeque<K>,
}

impl<K: std::hash::Hash + Eq + Clone, V> Bounded<K, V> {
    fn new(max: usize) -> Self {
        Bounded { max, map: HashMap::new(), order: VecDeque::new() }
    }

    fn get(&self, key: &K) -> Option<Arc<V>> {
        self.map.get(key).cloned()
    }

    fn insert(&mut self, key: K, value: Arc<V>) {
        if self.map.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > self.max
            && let Some(first) = self.order.pop_front()
        {
            self.map.remove(&first);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::constant::{ConstantValue, constant};

    #[test]
    fn constants_name_the_rows_of_their_primitive() {
        let learners = super::LEARNERS.iter().map(|row| (row.0, row.1));
        let contexts = super::CONTEXTS.iter().map(|row| (row.0, row.1));
        let rows: Vec<(&str, &str)> = learners.chain(contexts).filter(|row| !row.1.is_empty()).collect();
        for (i, (primitive, name)) in rows.iter().enumerate() {
            let place = rows[..i].iter().filter(|row| row.0 == *primitive).count() as i64;
            let value = constant(name).map(|constant| constant.value);
            assert_eq!(value, Some(ConstantValue::Int(place)), "{primitive} {name}");
        }
    }
}
