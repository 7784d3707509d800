//! Learned rules: learning them, applying them, explaining them.
//!
//! A rule is the value `learned(learner, option, detail, samples)`; `detail` is the rank of the rule among those the
//! learner finds, or the rule inside for a learner that works in a context. Rules are cached by the content of the
//! samples, so that they are learned once a task. The cache affects speed only.

mod cache;

use std::sync::Arc;

use batt_learn::{
    Context, Demos, Image, Inside, Learner, MAX_SIDE, OutOfWork, Repetition, Rule, Words, Work,
};
use batt_value::{Arena, Fail, Op, Owned, Symbol, Value};

use crate::{Cx, symbol};
use cache::cache;

pub use batt_learn::Spec;

/// Work of learners is counted in larger units than fuel.
pub const FUEL_PER_WORK: u64 = 4;
/// The fuel for applying a rule, for each cell of the input.
const FUEL_PER_CELL: u64 = 64;

/// The primitive that learns, inside whatever contexts.
pub fn primitive(spec: &Spec) -> Option<&'static Symbol> {
    symbol(spec.learner().primitive())
}

/// The learner that a call means.
fn learner(primitive: &str, option: Value<'_>) -> Result<Learner, Fail> {
    let option = match option {
        Value::None => None,
        option => Some(option.as_int().ok_or(Fail::Kind)?),
    };
    Learner::from_call(primitive, option).ok_or(Fail::Range)
}

fn context(primitive: &str, option: Value<'_>) -> Result<Context, Fail> {
    Context::from_call(primitive, option.as_int().ok_or(Fail::Kind)?).ok_or(Fail::Range)
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
    // Parts without a pair of their own may make a difference on whole inputs.
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
    let answer = if Context::is_primitive(primitive.name) {
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

/// Transforms a grid by a view: the body of `view`.
pub(crate) fn transformed<'a>(cx: &mut Cx<'a>, grid: Value<'a>, view: Value<'a>) -> Result<Value<'a>, Fail> {
    let Context::After(view) = context("learn_after", view)? else { return Err(Fail::Range) };
    let image = image(grid)?;
    cx.charge(FUEL_PER_CELL * image.cells.len() as u64)?;
    view.apply(&image).ok_or(Fail::Empty)?.to_value(cx.arena)
}

/// Fills the cells of one colour by repetition: the body of `complete`.
pub(crate) fn completed<'a>(
    cx: &mut Cx<'a>,
    grid: Value<'a>,
    color: Value<'a>,
    by: Value<'a>,
) -> Result<Value<'a>, Fail> {
    let color = u8::try_from(color.as_int().ok_or(Fail::Kind)?).map_err(|_| Fail::Range)?;
    let by = Repetition::from_value(by.as_int().ok_or(Fail::Kind)?).ok_or(Fail::Range)?;
    let Value::Grid(cells) = grid else { return Err(Fail::Kind) };
    let (h, w) = (cells.height(), cells.width());
    let known = |cell: &i8| (0..10).contains(cell) || u8::try_from(*cell) == Ok(color);
    if h > MAX_SIDE || w > MAX_SIDE || !cells.cells().iter().all(known) {
        return Err(Fail::Range);
    }
    let image = Image { h, w, cells: cells.cells().iter().map(|&cell| cell as u8).collect() };
    // Every isometry is compared with every cell.
    cx.charge((image.cells.len() * image.cells.len()) as u64)?;
    by.complete(&image, color).ok_or(Fail::Empty)?.to_value(cx.arena)
}

fn rule<'l>(lesson: &'l Lesson, rank: Value<'_>) -> Result<&'l Rule, Fail> {
    let rank = usize::try_from(rank.as_int().ok_or(Fail::Kind)?).map_err(|_| Fail::Range)?;
    lesson.rules.get(rank).ok_or(Fail::Empty)
}

/// A learned rule in words, and how complicated it is.
#[derive(Clone, Debug)]
pub struct Explanation {
    pub words: Words,
    pub cost: f64,
}

/// Explains a learned rule; `None` for any other function.
pub fn explain<'a>(cx: &mut Cx<'a>, rule_value: Value<'a>) -> Result<Option<Explanation>, Fail> {
    let Some(Learned { primitive, option, detail, samples }) = Learned::read(rule_value) else {
        return Ok(None);
    };
    if !Context::is_primitive(primitive.name) {
        let lesson = lesson(cx, learner(primitive.name, option)?, samples, false)?;
        let rule = rule(&lesson, detail)?;
        return Ok(Some(Explanation { words: rule.words().clone(), cost: rule.cost() }));
    }
    let inside = inside(cx, context(primitive.name, option)?, samples, false)?;
    let inner = explain(cx, detail)?;
    let (words, cost) = match inner {
        Some(inner) => (inner.words, inner.cost),
        None => (detail.to_string().into(), 0.0),
    };
    let words = format!("{}: {words}", inside.words()).into();
    Ok(Some(Explanation { words, cost: cost + inside.surcharge() }))
}

/// The rule behind a function that was learned; `None` for any other function, also inside a context.
pub fn rule_of<'a>(cx: &mut Cx<'a>, rule_value: Value<'a>) -> Result<Option<Rule>, Fail> {
    let Some(Learned { primitive, option, detail, samples }) = Learned::read(rule_value) else {
        return Ok(None);
    };
    if !Context::is_primitive(primitive.name) {
        let lesson = lesson(cx, learner(primitive.name, option)?, samples, false)?;
        return Ok(Some(rule(&lesson, detail)?.clone()));
    }
    let inside = inside(cx, context(primitive.name, option)?, samples, false)?;
    Ok(rule_of(cx, detail)?.map(|inner| inside.wrap(&inner)))
}

/// The parts of the value of a learned rule.
struct Learned<'a> {
    primitive: &'static Symbol,
    option: Value<'a>,
    /// The rank of the rule, or the rule inside a context.
    detail: Value<'a>,
    samples: Value<'a>,
}

impl<'a> Learned<'a> {
    fn read(value: Value<'a>) -> Option<Learned<'a>> {
        let Value::Func(closure) = value else { return None };
        match (closure.op, closure.captured) {
            (Op::Learned, &[Value::Prim(primitive), option, detail, samples]) => {
                Some(Learned { primitive, option, detail, samples })
            }
            _ => None,
        }
    }
}

/// The rules that a learner found, and the work of finding them.
struct Lesson {
    rules: Vec<Rule>,
    work: u64,
}

/// The rules of a learner, from the cache if they are there. If `paid`, fuel is charged, the same in both cases.
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
                Ok(rules) => {
                    let lesson = Arc::new(Lesson { rules, work: work.used() });
                    cache().lessons.insert(key, lesson.clone());
                    lesson
                }
                Err(OutOfWork) => return Err(cx.cut_short()),
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
    let Ok(inside) = demos.inside(context, &work) else { return Err(cx.cut_short()) };
    if paid {
        cx.charge(work.used() * FUEL_PER_WORK)?;
    }
    inside.ok_or(Fail::Empty)
}

/// The samples in the working form of learners, from the cache if they are there.
fn demos<'a>(cx: &Cx<'a>, samples: Value<'a>, key: &Owned) -> Result<Arc<Demos>, Fail> {
    let known = cache().demos.get(key);
    if let Some(demos) = known {
        return Ok(demos);
    }
    let demos = Arc::new(demos_of(cx.arena, samples)?);
    cache().demos.insert(key.clone(), demos.clone());
    Ok(demos)
}

/// Converts samples to the working form of learners.
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
