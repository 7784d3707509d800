//! Explanations of the rules that a program learns from a task.

use batt_dsl::lesson::{self, Explanation};
use batt_dsl::{Cx, Limits};
use batt_exec::{Sample, run};
use batt_lang::Program;
use batt_task::Task;
use batt_value::{Arena, Fail, Op, Value};

use batt_job::Stop;

/// A rule that a program learned.
#[derive(Debug, Clone)]
pub struct LearnedRule {
    /// The primitive that learned it.
    pub learner: &'static str,
    pub explanation: Explanation,
}

/// Returns the rules that a program learns from a task's demonstration pairs, in the order of its lines. If the program
/// fails, returns the reason.
pub fn explain(
    program: &Program,
    task: &Task,
    limits: Limits,
    stop: Stop<'_>,
) -> Result<Vec<LearnedRule>, String> {
    let arena = Arena::new(limits.caps);
    let message = |fail: Fail| fail.to_string();
    let samples = task.samples(&arena).map_err(message)?;
    let first = task.train.first().ok_or("the task has no demonstration pairs")?;
    let input = first.input.value(&arena).map_err(message)?;
    let outcome = run(program, Sample { input, samples }, Cx::new(&arena, limits.fuel, stop.flag()));
    if let Err(failure) = &outcome.result {
        return Err(failure.describe(program));
    }
    let mut cx = Cx::new(&arena, limits.fuel, stop.flag());
    let mut rules = Vec::new();
    for &value in &outcome.values {
        rules.extend(learned_rule(value, &mut cx).map_err(message)?);
    }
    Ok(rules)
}

/// Returns the rule that a value is, or `None` if it is not a learned rule.
pub fn learned_rule<'a>(value: Value<'a>, cx: &mut Cx<'a>) -> Result<Option<LearnedRule>, Fail> {
    let Value::Func(closure) = value else { return Ok(None) };
    let (Op::Learned, Some(&Value::Prim(learner))) = (closure.op, closure.captured.first()) else {
        return Ok(None);
    };
    let explanation = lesson::explain(cx, value)?;
    Ok(explanation.map(|explanation| LearnedRule { learner: learner.name, explanation }))
}
