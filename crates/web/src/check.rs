//! Checks a program as it is typed in the editor: its problems, the value of every line, and a verdict for
//! each pair.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arcbatt::Stop;
use arcbatt::base::with_enough_stack;
use arcbatt::dsl::{Cx, Limits};
use arcbatt::exec::{Sample, run};
use arcbatt::explain::learned_rule;
use arcbatt::lang::{self, Options, Problem, Program, Role, Severity};
use arcbatt::sheet::{Answer, PairSheet, Sheet};
use arcbatt::task::{Part, Task};
use arcbatt::value::Arena;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use crate::api::ApiError;
use crate::drawing::Drawing;
use crate::runs::RunError;
use crate::sets::Sets;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    text: String,
    /// Name of a data set.
    data: String,
    /// Id of a task; by default the one that the program is named after.
    #[serde(default)]
    task: Option<String>,
    /// Name of the function to run; by default the first.
    #[serde(default)]
    program: Option<String>,
    /// Index of the pair whose values are shown: demonstration pairs first, then tests.
    #[serde(default)]
    pair: usize,
}

#[derive(Serialize)]
pub(crate) struct Checked {
    problems: Vec<ProblemBody>,
    /// Names of the functions without errors.
    programs: Vec<String>,
    /// The function that was run, also if it has errors.
    program: Option<String>,
    /// The task, or why there is none.
    task: Option<String>,
    note: Option<String>,
    /// Values of the lines without errors, for the chosen pair.
    lines: Vec<Line>,
    /// Where and why a line failed.
    failure: Option<LineFailure>,
    /// The results on all pairs. Empty if the function has errors.
    pairs: Vec<PairResult>,
    /// True if a time limit ended the work.
    late: bool,
}

/// The value that a line assigns or returns.
#[derive(Serialize)]
struct Line {
    line: u32,
    /// `None` for the result.
    name: Option<String>,
    #[serde(flatten)]
    drawing: Drawing,
}

#[derive(Serialize)]
struct LineFailure {
    line: u32,
    text: String,
}

#[derive(Serialize)]
struct PairResult {
    /// `train` or `test`.
    part: &'static str,
    verdict: PairVerdict,
    /// The reason for a verdict other than right, in words.
    note: Option<String>,
    fuel: u64,
    /// The answer, if it is a rectangle. Only for the chosen pair.
    answer: Option<Vec<Vec<i8>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum PairVerdict {
    Right,
    Wrong,
    Failed,
    /// The expected output is unknown.
    Unknown,
}

/// A problem with its position in bytes, and line and column for display.
#[derive(Serialize)]
pub(crate) struct ProblemBody {
    severity: &'static str,
    start: u32,
    end: u32,
    line: usize,
    column: usize,
    message: String,
    label: String,
    help: Option<String>,
}

/// Maximum length of a text in bytes. Programs written by hand are far shorter.
pub const MAX_CHECKED: usize = 64 << 10;

/// Time limit for all pairs together.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// Number of checks that run at a time, and that may wait. An editor needs one; others are other tabs.
const RUNNING: usize = 2;
const WAITING: usize = 8;

/// Runs checks, a few at a time.
pub(crate) struct Checker {
    /// Permits for checks that run or wait.
    places: Arc<Semaphore>,
    /// Permits for checks that run.
    running: Arc<Semaphore>,
}

impl Checker {
    pub(crate) fn new() -> Checker {
        let permits = |n| Arc::new(Semaphore::new(n));
        Checker { places: permits(RUNNING + WAITING), running: permits(RUNNING) }
    }

    /// Answers a question. If the client gives up, the future is dropped, and the work ends soon.
    pub(crate) async fn check(&self, question: Question, sets: Arc<Sets>) -> Result<Checked, ApiError> {
        check_length(&question.text)?;
        let busy = |_| {
            let message = "too many programs are being checked at a time; try again";
            ApiError(StatusCode::TOO_MANY_REQUESTS, message.to_owned())
        };
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(busy)?;
        let turn = Arc::clone(&self.running).acquire_owned().await;
        let stop = StopOnDrop(Arc::new(AtomicBool::new(false)));
        let flag = Arc::clone(&stop.0);
        let work = tokio::task::spawn_blocking(move || {
            // The work may end after the client has given up, so it holds the permits itself.
            let _permits = (place, turn);
            with_enough_stack(|| answer(&question, &sets, &flag))
        });
        let mut work = std::pin::pin!(work);
        let done = tokio::select! {
            done = &mut work => done,
            () = tokio::time::sleep(TIME_LIMIT) => {
                stop.0.store(true, Ordering::Relaxed);
                work.await
            }
        };
        Ok(done.map_err(|error| RunError::Io(std::io::Error::other(error)))??)
    }
}

pub(crate) fn check_length(text: &str) -> Result<(), ApiError> {
    if text.len() <= MAX_CHECKED {
        return Ok(());
    }
    let message = format!(
        "the text has {} KiB; the editor takes at most {} KiB. Use `batt run --programs FILE`",
        text.len() >> 10,
        MAX_CHECKED >> 10
    );
    Err(ApiError(StatusCode::PAYLOAD_TOO_LARGE, message))
}

struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn answer(question: &Question, sets: &Sets, stop: &AtomicBool) -> Result<Checked, RunError> {
    let Question { text, data, task, program: wanted, pair } = question;
    let parsed = lang::parse_bytes_with(text.as_bytes(), Options { lint: true, ..Options::default() });
    let every_line =
        lang::parse_bytes_with(text.as_bytes(), Options { every_line: true, ..Options::default() }).programs;
    let is_wanted = |program: &&Program| wanted.as_ref().is_none_or(|name| program.name() == name);
    let function = every_line.iter().find(is_wanted);
    let mut checked = Checked {
        problems: parsed.problems.iter().map(|it| problem(it, text)).collect(),
        programs: parsed.programs.iter().map(|program| program.name().to_owned()).collect(),
        program: function.map(|function| function.name().to_owned()),
        task: None,
        note: None,
        lines: Vec::new(),
        failure: None,
        pairs: Vec::new(),
        late: false,
    };
    let Some(function) = function else { return Ok(checked) };
    let own = function.name().strip_prefix("solve_").unwrap_or(function.name());
    let task = match sets.task(data, task.as_deref().unwrap_or(own)) {
        Ok(task) => task,
        // An incomplete name is normal while typing.
        Err(RunError::Data(why)) => {
            checked.note = Some(why);
            return Ok(checked);
        }
        Err(error) => return Err(error),
    };
    trace(function, &task, *pair, stop, &mut checked);
    if let Some(program) = parsed.programs.iter().find(|program| program.name() == function.name()) {
        let sheet = Sheet::new(&task, 0, Some(program), Limits::STANDARD, Stop::new(stop, &|| {}));
        let results = sheet.pairs.into_iter().enumerate().map(|(i, it)| result(it, i == *pair));
        checked.pairs = results.collect();
    }
    checked.late = stop.load(Ordering::Relaxed);
    checked.task = Some(task.id);
    Ok(checked)
}

/// Runs a function on one pair, and adds the values of its lines.
fn trace(function: &Program, task: &Task, pair: usize, stop: &AtomicBool, checked: &mut Checked) {
    let limits = Limits::STANDARD;
    let arena = Arena::new(limits.caps);
    let Some((_, _, pair)) = task.pairs().nth(pair) else { return };
    let (Ok(input), Ok(samples)) = (pair.input.value(&arena), task.samples(&arena)) else { return };
    // The line of `def` has the input, which is the parameter.
    let name = function.params().iter().find(|param| param.role == Role::Input);
    let name = name.map(|param| param.name.clone());
    checked.lines.push(Line { line: function.line(), name, drawing: Drawing::new(input) });
    let outcome = run(function, Sample { input, samples }, Cx::new(&arena, limits.fuel, Some(stop)));
    let mut cx = Cx::new(&arena, limits.fuel, Some(stop));
    for ((_, node), value) in function.iter().zip(&outcome.values) {
        let lines = node.bindings().map(|binding| (binding.line, Some(binding.name().to_owned())));
        // The result is shown where it is computed, unless that line assigns it to a variable.
        let nested = node.is_call() && node.name().is_none() && is_result(function, node);
        for (line, name) in lines.chain(nested.then_some((node.line, None))) {
            // A rule is shown in words; without them it is still a value.
            let rule = learned_rule(*value, &mut cx).ok().flatten();
            let drawing = match rule {
                Some(rule) => Drawing::words(rule.learner, rule.explanation.words.to_string()),
                None => Drawing::new(*value),
            };
            checked.lines.push(Line { line, name, drawing });
        }
    }
    checked.lines.sort_by_key(|line| line.line);
    // The tuple of all lines may be too large; that is not a failure of the function.
    if let Err(failure) = outcome.result
        && failure.node != function.result()
    {
        let line = function.node(failure.node).line;
        checked.failure = Some(LineFailure { line, text: failure.describe(function) });
    }
}

/// Returns whether a node is the result of a function whose program computes every line.
fn is_result(function: &Program, node: &lang::Node) -> bool {
    let last = function.node(function.result()).args.last();
    last.is_some_and(|last| std::ptr::eq(function.node(*last), node))
}

fn result(pair: PairSheet, is_chosen: bool) -> PairResult {
    let part = if pair.part == Part::Test { "test" } else { "train" };
    let Some(Answer { field, right, note, fuel, .. }) = pair.answer else {
        return PairResult { part, verdict: PairVerdict::Unknown, note: None, fuel: 0, answer: None };
    };
    let verdict = match (right, &field) {
        (Some(true), _) => PairVerdict::Right,
        (_, None) => PairVerdict::Failed,
        (Some(false), _) => PairVerdict::Wrong,
        (None, _) => PairVerdict::Unknown,
    };
    let answer = field.filter(|_| is_chosen).map(|field| field.rows().map(<[i8]>::to_vec).collect());
    PairResult { part, verdict, note, fuel, answer }
}

pub(crate) fn problem(problem: &Problem, text: &str) -> ProblemBody {
    let (line, column) = problem.place(text);
    ProblemBody {
        severity: match problem.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        },
        start: problem.span.start,
        end: problem.span.end,
        line,
        column,
        message: problem.message.clone(),
        label: problem.label.clone(),
        help: problem.help.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;

    use super::*;

    #[test]
    fn only_some_checks_run_and_wait_at_a_time() {
        let question = || Question {
            text: "def f(I):\n    return I\n".to_owned(),
            data: "demo".to_owned(),
            task: Some("kaleidoscope".to_owned()),
            program: None,
            pair: 0,
        };
        let (checker, sets) = (Checker::new(), Arc::new(Sets::new(Vec::new()).unwrap()));
        let ask = || Box::pin(checker.check(question(), Arc::clone(&sets)));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            // Other checks use both places.
            let running = checker.running.acquire_many(RUNNING as u32).await.unwrap();
            let mut waiting: Vec<_> = (0..RUNNING + WAITING).map(|_| ask()).collect();
            for check in &mut waiting {
                let first = poll_fn(|cx| Poll::Ready(check.as_mut().poll(cx).is_pending())).await;
                assert!(first);
            }
            let refused = ask().await.err().unwrap();
            assert_eq!(refused.0, StatusCode::TOO_MANY_REQUESTS);
            // A client that gives up makes room for another.
            waiting.pop();
            let mut next = pin!(ask());
            assert!(poll_fn(|cx| Poll::Ready(next.as_mut().poll(cx).is_pending())).await);
            drop((running, waiting));
            assert_eq!(next.await.ok().unwrap().pairs.len(), 4);
        });
    }
}
