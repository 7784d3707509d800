//! One task, as the page shows it: its pairs, and the results of the programs on them.

use batt_record::{Example, FirstWrongLine, Outcome, Pair, Rows, differing_cells};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Task<'r> {
    id: &'r str,
    state: State,
    /// Verdict on the pair that is shown first.
    verdict: &'r str,
    /// Index of that pair among all pairs, demonstrations first.
    shown: usize,
    /// Number of cells of its answer that differ, if the shape is right.
    differ: Option<usize>,
    /// Time in nanoseconds, if it was recorded.
    time: Option<u64>,
    fuel: u64,
    /// Number of candidates that a solve or a search tried.
    tried: Option<u64>,
    train: Vec<[Option<Cells>; 2]>,
    test: Vec<[Option<Cells>; 2]>,
    attempts: Vec<[Attempt; 2]>,
    /// The best programs, at most [`Task::MAX_PROGRAMS`].
    programs: Vec<ProgramOutcome<'r>>,
    /// Number of other programs.
    more: usize,
    first_wrong_line: Option<&'r FirstWrongLine>,
}

/// The result of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// One of the two attempts at each test output is right.
    Solved,
    /// Not solved, but the best program's answers are nearly right.
    NearMiss,
    Wrong,
    /// The best program fails.
    Failed,
    /// Some solution is unknown.
    Open,
    /// No program ran.
    Empty,
}

/// An attempt at a test output.
#[derive(Serialize)]
struct Attempt {
    answer: Cells,
    /// Whether it is right; null if the solution is unknown.
    right: Option<bool>,
    /// Number of cells that differ, if the solution is known and has the same shape.
    differ: Option<usize>,
    /// Index of the program that gives it; null for a fallback.
    program: Option<u32>,
    /// Estimated probability that it is right, and the number of mechanisms that led to it, in a solve.
    sure: Option<f64>,
    votes: Option<usize>,
    /// Whether a submission has no answer.
    #[serde(skip)]
    is_missing: bool,
}

impl Attempt {
    /// Describes an attempt at test output `k`. Programs are sorted, the best first.
    fn new(task: &batt_record::Task, outcomes: &[&Outcome], k: usize, answer: &Rows) -> Attempt {
        let expected = task.test.get(k).and_then(|example| example.output.as_ref());
        let gives = |outcome: &Outcome| match outcome.test.get(k) {
            Some(pair) if pair.is_right() => expected == Some(answer),
            Some(pair) => pair.answer.as_ref() == Some(answer),
            None => false,
        };
        let stated = task.search.as_ref().and_then(|search| search.attempts.get(k)).into_iter().flatten();
        let stated = stated.into_iter().find(|attempt| {
            outcomes.iter().any(|outcome| outcome.program == attempt.program && gives(outcome))
        });
        let program = match &stated {
            Some(attempt) => Some(attempt.program),
            None => outcomes.iter().find(|outcome| gives(outcome)).map(|outcome| outcome.program),
        };
        Attempt {
            answer: Cells::new(answer),
            right: expected.map(|expected| expected == answer),
            differ: expected.and_then(|expected| differing_cells(expected, answer)),
            program,
            sure: stated.map(|attempt| attempt.sure),
            votes: stated.map(|attempt| attempt.votes),
            is_missing: answer.is_empty(),
        }
    }

    fn verdict(&self) -> &'static str {
        match (self.right, self.differ) {
            (None, _) => "unjudged",
            (Some(true), _) => "ok",
            (Some(false), _) if self.is_missing => "missing",
            (Some(false), Some(_)) => WRONG,
            (Some(false), None) => "wrong_shape",
        }
    }
}

/// A program on a task: index, whether it is the task's own, and the pairs.
#[derive(Serialize)]
struct ProgramOutcome<'r> {
    program: u32,
    own: bool,
    pairs: Vec<PairOutcome<'r>>,
}

/// Fuel of a right answer; otherwise verdict, fuel, reason and answer.
#[derive(Serialize)]
#[serde(untagged)]
enum PairOutcome<'r> {
    Right(u64),
    Other(&'r str, u64, Option<&'r str>, Option<Cells>),
}

/// A compact grid: a digit for each cell and a bar between rows, or lists if a cell is not a digit.
#[derive(Serialize)]
#[serde(untagged)]
enum Cells {
    Digits(String),
    Lists(Rows),
}

impl Cells {
    fn new(rows: &Rows) -> Cells {
        let digit = |cell: &i8| u32::try_from(*cell).ok().and_then(|cell| char::from_digit(cell, 10));
        let row = |row: &Vec<i8>| row.iter().map(digit).collect::<Option<String>>();
        match rows.iter().map(row).collect::<Option<Vec<String>>>() {
            Some(rows) => Cells::Digits(rows.join("|")),
            None => Cells::Lists(rows.clone()),
        }
    }
}

const SKIPPED: &str = "skipped";
const WRONG: &str = "wrong";

impl<'r> Task<'r> {
    /// Maximum number of programs that are shown for a task.
    const MAX_PROGRAMS: usize = 20;
    /// Maximum share of differing cells in a near miss. Picked by feel.
    const NEAR: f64 = 0.2;

    pub(super) fn new(task: &'r batt_record::Task, time: Option<u64>) -> Task<'r> {
        let outcomes = task.ranked();
        let attempts = task.attempts.iter().enumerate();
        let attempts =
            attempts.map(|(k, both)| both.each_ref().map(|it| Attempt::new(task, &outcomes, k, it)));
        let attempts: Vec<[Attempt; 2]> = attempts.collect();
        let best = outcomes.first().copied();
        let Shown { state, verdict, shown, differ } = match is_judged_by_attempts(task) {
            true => Shown::by_attempts(task, &attempts),
            false => Shown::by_program(task, best),
        };
        // A program behind one attempt may be wrong although the task is solved.
        let first_wrong_line = task.first_wrong_line.as_ref();
        let first_wrong_line = first_wrong_line.filter(|_| task.search.is_none() || state != State::Solved);
        Task {
            id: &task.id,
            state,
            verdict,
            shown,
            differ,
            time,
            fuel: fuel(task),
            tried: task.search.as_ref().map(|search| search.tried),
            train: task.train.iter().map(example).collect(),
            test: task.test.iter().map(example).collect(),
            attempts,
            programs: outcomes
                .iter()
                .take(Task::MAX_PROGRAMS)
                .map(|outcome| program_outcome(outcome))
                .collect(),
            more: outcomes.len().saturating_sub(Task::MAX_PROGRAMS),
            first_wrong_line,
        }
    }
}

/// The result of a task, and the pair that shows it best.
struct Shown<'r> {
    state: State,
    verdict: &'r str,
    shown: usize,
    differ: Option<usize>,
}

impl<'r> Shown<'r> {
    /// Shows the first test output that no attempt gets right; if all are right, the first one.
    fn by_attempts(task: &batt_record::Task, attempts: &[[Attempt; 2]]) -> Shown<'r> {
        let better = |both: &[Attempt; 2]| match both {
            [first, second] if first.right != Some(true) && second.right == Some(true) => 1,
            _ => 0,
        };
        let wrong = |both: &[Attempt; 2]| both.iter().all(|attempt| attempt.right == Some(false));
        let k = attempts.iter().position(wrong).unwrap_or(0);
        let attempt = attempts.get(k).map(|both| &both[better(both)]);
        let near = |(k, both): (usize, &[Attempt; 2])| {
            !wrong(both) || both.iter().any(|attempt| is_near(task.test.get(k), attempt.differ))
        };
        let state = match () {
            () if attempts.iter().flatten().any(|attempt| attempt.right.is_none()) => State::Open,
            () if !attempts.iter().any(wrong) => State::Solved,
            () if attempts.iter().enumerate().all(near) => State::NearMiss,
            () => State::Wrong,
        };
        Shown {
            state,
            verdict: attempt.map_or("", Attempt::verdict),
            shown: task.train.len() + k,
            differ: attempt.and_then(|attempt| attempt.differ),
        }
    }

    /// Shows the first pair that the best program does not get right; if all are right, the first test pair.
    fn by_program(task: &'r batt_record::Task, best: Option<&'r Outcome>) -> Shown<'r> {
        let pairs = || best.into_iter().flat_map(Outcome::pairs);
        let n_train = best.map_or(task.train.len(), |best| best.train.len());
        let judged = |pair: &Pair| !pair.is_right() && pair.verdict != SKIPPED && !pair.is_unjudged();
        let shown = pairs().position(judged).unwrap_or(n_train);
        let pair = pairs().nth(shown);
        Shown {
            state: state(task, best),
            verdict: pair.map_or("", |pair| &pair.verdict),
            shown,
            differ: pair.and_then(|pair| differing_cells(task.expected(shown)?, pair.answer.as_ref()?)),
        }
    }
}

/// Returns whether the attempts are the result of a task: those of a solve, or of a submission.
fn is_judged_by_attempts(task: &batt_record::Task) -> bool {
    !task.attempts.is_empty() && (task.search.is_some() || task.programs.is_empty())
}

/// Returns whether an answer is nearly right.
fn is_near(example: Option<&Example>, differ: Option<usize>) -> bool {
    let expected = example.and_then(|example| example.output.as_ref());
    let cells = expected.map(|expected| expected.iter().map(Vec::len).sum::<usize>());
    cells.zip(differ).is_some_and(|(cells, differ)| differ as f64 <= Task::NEAR * cells as f64)
}

/// Returns the fuel that the programs, or the search for them, used on the task.
fn fuel(task: &batt_record::Task) -> u64 {
    let pairs = task.programs.iter().flat_map(|it| it.train.iter().chain(&it.test));
    task.search.as_ref().map_or_else(|| pairs.filter_map(|pair| pair.fuel).sum(), |search| search.fuel)
}

fn example(example: &Example) -> [Option<Cells>; 2] {
    [Some(Cells::new(&example.input)), example.output.as_ref().map(Cells::new)]
}

fn program_outcome(outcome: &Outcome) -> ProgramOutcome<'_> {
    let pairs = outcome.train.iter().chain(&outcome.test).map(|it| match it.is_right() {
        true => PairOutcome::Right(it.fuel.unwrap_or(0)),
        false => PairOutcome::Other(
            &it.verdict,
            it.fuel.unwrap_or(0),
            it.why.as_deref(),
            it.answer.as_ref().map(Cells::new),
        ),
    });
    ProgramOutcome { program: outcome.program, own: outcome.own, pairs: pairs.collect() }
}

fn state(task: &batt_record::Task, best: Option<&Outcome>) -> State {
    let Some(best) = best else { return State::Empty };
    if !task.test.is_empty() && task.test.iter().any(|example| example.output.is_none()) {
        return State::Open;
    }
    let mut attempted = task.test.iter().zip(&task.attempts);
    let solved = match task.test.is_empty() || task.attempts.is_empty() {
        // A record without grids still has verdicts, and a search makes no attempts.
        true => !best.test.is_empty() && best.test.iter().all(Pair::is_right),
        false => attempted.all(|(example, both)| both.iter().any(|it| Some(it) == example.output.as_ref())),
    };
    if solved {
        return State::Solved;
    }
    let pairs = best.train.iter().chain(&best.test).enumerate();
    let bad: Vec<(usize, &Pair)> = pairs
        .filter(|(_, pair)| !pair.is_right() && pair.verdict != SKIPPED && !pair.is_unjudged())
        .collect();
    let near = |(place, pair): &(usize, &Pair)| {
        let example = task.train.iter().chain(&task.test).nth(*place);
        let expected = example.and_then(|example| example.output.as_ref()).zip(pair.answer.as_ref());
        is_near(example, expected.and_then(|(expected, answer)| differing_cells(expected, answer)))
    };
    match bad.first() {
        _ if !bad.is_empty() && bad.iter().all(near) => State::NearMiss,
        Some((_, pair)) if pair.verdict.starts_with(WRONG) || pair.verdict == "not_a_grid" => State::Wrong,
        Some(_) => State::Failed,
        None => State::Wrong,
    }
}
