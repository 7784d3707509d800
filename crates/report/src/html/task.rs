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
    train: Vec<[Option<Cells>; 2]>,
    test: Vec<[Option<Cells>; 2]>,
    attempts: Vec<[Cells; 2]>,
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
        let best = outcomes.first().copied();
        let pairs = || best.into_iter().flat_map(Outcome::pairs);
        let n_train = best.map_or(task.train.len(), |best| best.train.len());
        // Show the first pair that is not right; if all are right, the first test pair.
        let judged = |pair: &Pair| !pair.is_right() && pair.verdict != SKIPPED && !pair.is_unjudged();
        let shown = pairs().position(judged).unwrap_or(n_train);
        let pair = pairs().nth(shown);
        let state = state(task, best);
        Task {
            id: &task.id,
            state,
            verdict: pair.map_or("", |pair| &pair.verdict),
            shown,
            differ: pair.and_then(|pair| differing_cells(task.expected(shown)?, pair.answer.as_ref()?)),
            time,
            fuel: fuel(task),
            train: task.train.iter().map(example).collect(),
            test: task.test.iter().map(example).collect(),
            attempts: task.attempts.iter().map(|both| [Cells::new(&both[0]), Cells::new(&both[1])]).collect(),
            programs: outcomes
                .iter()
                .take(Task::MAX_PROGRAMS)
                .map(|outcome| program_outcome(outcome))
                .collect(),
            more: outcomes.len().saturating_sub(Task::MAX_PROGRAMS),
            first_wrong_line: task.first_wrong_line.as_ref(),
        }
    }
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
        let (expected, answer) = (task.expected(*place)?, pair.answer.as_ref()?);
        let cells = expected.iter().map(Vec::len).sum::<usize>();
        Some(differing_cells(expected, answer)? as f64 <= Task::NEAR * cells as f64)
    };
    match bad.first() {
        _ if !bad.is_empty() && bad.iter().all(|pair| near(pair) == Some(true)) => State::NearMiss,
        Some((_, pair)) if pair.verdict.starts_with(WRONG) || pair.verdict == "not_a_grid" => State::Wrong,
        Some(_) => State::Failed,
        None => State::Wrong,
    }
}
