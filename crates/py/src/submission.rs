//! Submissions: defects and scores.

use arcbatt::score::{Rule, Scores};
use arcbatt::task::submission::Submission;
use pyo3::prelude::*;

use crate::data::{Task, dataset};
use crate::error::exception;

fn parse(py: Python<'_>, text: &[u8]) -> PyResult<Submission> {
    Submission::parse(text).map_err(|error| exception(py, "DataError", (error.to_string(),)))
}

/// A defect: task, output, attempt, kind, text.
type Defect = (String, Option<usize>, Option<usize>, &'static str, String);

/// Returns the defects of a submission.
#[pyfunction]
pub(crate) fn check_submission(py: Python<'_>, text: &[u8], tasks: Vec<Py<Task>>) -> PyResult<Vec<Defect>> {
    let (submission, tasks) = (parse(py, text)?, dataset("", &tasks).tasks);
    let problems = submission.check(tasks.iter().map(|task| (task.id.as_str(), task.test.len())));
    let defects = problems.into_iter().map(|problem| {
        let place = problem.place;
        (place.id, place.output, place.attempt, problem.defect.name(), problem.defect.to_string())
    });
    Ok(defects.collect())
}

/// The score under one rule (name, label, numerator, denominator), and for each output its task, its number and the
/// first right attempt.
type Scored = (Vec<(&'static str, &'static str, u64, u64)>, Vec<(String, usize, Option<usize>)>);

/// Scores a submission. Rules are left out if no solution is known.
#[pyfunction]
pub(crate) fn score_submission(py: Python<'_>, text: &[u8], tasks: Vec<Py<Task>>) -> PyResult<Scored> {
    let submission = parse(py, text)?;
    let scores = Scores::open(&submission, &dataset("", &tasks).tasks);
    let rules = Rule::ALL.into_iter().filter_map(|rule| {
        let ratio = scores.under(rule)?;
        Some((rule.name(), rule.label(), ratio.numerator(), ratio.denominator()))
    });
    let outputs = scores.tasks.iter().flat_map(|task| {
        let outputs = task.outputs.iter().enumerate();
        outputs.map(|(n, output)| (task.id.clone(), n, output.right_attempt()))
    });
    Ok((rules.collect(), outputs.collect()))
}
