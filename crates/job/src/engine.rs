//! The search for one task as a pure function, for callers that bring their own machines.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use batt_dsl::Limits;
use batt_exec::{Options, Prepared};
use batt_lang::Program;
use batt_plan::Plan;
use batt_record::{self as record, TaskState};
use batt_search::{Known, Progress, Puzzle, SearchPhase, Searcher};
use batt_task::Task;
use batt_task::submission::Form;
use batt_value::Arena;

use crate::campaign::{Steps, is_done, restored, state, step, submission_text};
use crate::description::Step;
use crate::error::JobError;
use crate::solve_record;

/// Searches for programs that solve one task, step by step. The state after a step depends only on the task, the state
/// before it, the fuel and the fields of the engine, so steps can be taken in any process and repeated after a loss.
///
/// ```
/// # use std::sync::atomic::AtomicBool;
/// use batt_job::Engine;
/// use batt_task::{Options, open};
///
/// let dataset = open("demo", &Options::STRICT)?;
/// let task = dataset.get("kaleidoscope").expect("a built-in task");
/// let engine = Engine { programs: Vec::new(), seed: 0, without: Vec::new() };
/// let advanced = engine.advance(task, None, 80_000_000, None, &AtomicBool::new(false))?;
/// assert!(advanced.done && !advanced.state.answers.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Engine {
    /// Programs that are tried first on every task.
    pub programs: Vec<Program>,
    pub seed: u64,
    /// Steps of the search to skip.
    pub without: Vec<Step>,
}

/// The state of a task after some steps.
pub struct Advanced {
    pub state: TaskState,
    /// Whether nothing more will be tried with this fuel.
    pub done: bool,
    /// Number of steps that were taken.
    pub steps: usize,
}

impl Engine {
    /// Takes steps until the task is done: its attempts are sure, its fuel is used up, or nothing is left to try. Ends
    /// after `max_steps` steps, or when `stop` is set; a step that is stopped in the middle does not count.
    pub fn advance(
        &self,
        task: &Task,
        from: Option<&TaskState>,
        fuel: u64,
        max_steps: Option<usize>,
        stop: &AtomicBool,
    ) -> Result<Advanced, JobError> {
        let puzzle = Puzzle::new(task);
        let progress = from.map_or_else(|| Ok(Progress::default()), |state| continued(task, state))?;
        let limits = Limits::STANDARD;
        let (plan, arena) = (Plan::merge(&self.programs), Arena::new(limits.caps));
        let options = Options { limits, all_demos: false, sharing: true, kernels: true, stop: Some(stop) };
        let prepared = Prepared::new(&plan, &arena, &options);
        let of_task = BTreeMap::new();
        let known = (!self.programs.is_empty()).then_some(Known {
            programs: &self.programs,
            prepared: &prepared,
            n_general: self.programs.len(),
            of_task: &of_task,
        });
        let without = self.without.iter().map(|step| step.phase()).collect();
        let searcher = Searcher::new(known, self.seed).without(without);
        let steps = Steps { fuel: Some(fuel), max: max_steps, stop, lane: None };
        let (progress, steps) = step(&searcher, &puzzle, progress, &steps);
        let done = is_done(&progress, task.test.len(), Some(fuel));
        Ok(Advanced { state: state(&task.id, &progress), done, steps })
    }
}

/// Merges states of tasks that were worked on in several places. Of several states of one task, the farthest counts:
/// states are pure, so equally far ones are equal. The result is sorted by id.
pub fn merge(states: impl IntoIterator<Item = TaskState>) -> Result<Vec<TaskState>, JobError> {
    let mut farthest: BTreeMap<String, (Reached, TaskState)> = BTreeMap::new();
    for state in states {
        let reached = reached(&state)?;
        match farthest.get(&state.id) {
            Some((other, _)) if *other >= reached => {}
            _ => drop(farthest.insert(state.id.clone(), (reached, state))),
        }
    }
    Ok(farthest.into_values().map(|(_, state)| state).collect())
}

/// How far a state has got: whether it is at its end, the phase, and the fuel.
pub(crate) type Reached = (bool, SearchPhase, u64);

pub(crate) fn reached(state: &TaskState) -> Result<Reached, JobError> {
    let phase = state.phase.parse().map_err(|_| JobError::State {
        task: state.id.clone(),
        why: format!("it has the unknown phase {}", state.phase),
    })?;
    Ok((state.ended, phase, state.fuel))
}

/// Returns the submission of these tasks, with fallbacks for those that have no state.
pub fn submission(tasks: &[Task], states: &[TaskState], form: Form) -> Result<String, JobError> {
    let by_id: BTreeMap<&str, &TaskState> = states.iter().map(|state| (state.id.as_str(), state)).collect();
    let progress = tasks.iter().map(|task| {
        let state = by_id.get(task.id.as_str());
        Ok((task, state.map_or_else(|| Ok(Progress::default()), |state| continued(task, state))?))
    });
    Ok(submission_text(form, progress.collect::<Result<Vec<_>, JobError>>()?))
}

/// Returns the entry of a task in a record, and the programs that it refers to by their index.
pub fn entry(
    task: &Task,
    state: &TaskState,
    fuel: Option<u64>,
) -> Result<(record::Task, Vec<record::Program>), JobError> {
    Ok(solve_record::entry_of(Puzzle::new(task).task(), &continued(task, state)?, fuel))
}

pub(crate) fn continued(task: &Task, state: &TaskState) -> Result<Progress, JobError> {
    let wrong = |why: String| JobError::State { task: task.id.clone(), why };
    if state.id != task.id {
        return Err(wrong(format!("it is the state of {}", state.id)));
    }
    let progress =
        restored(state).ok_or_else(|| wrong("it was changed, or written by another version".to_owned()))?;
    match progress.answers.iter().find(|answer| answer.outputs.len() != task.test.len()) {
        Some(answer) => {
            let (has, needs) = (answer.outputs.len(), task.test.len());
            Err(wrong(format!("it has {has} outputs, but the task has {needs} test inputs")))
        }
        None => Ok(progress),
    }
}
