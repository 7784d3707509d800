//! Parts of the library API for embedding: tasks in memory, suggested programs, live results, single steps, evaluation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use batt_job::{
    DEMO_PROGRAMS, Effort, Engine, Evaluation, Handle, Job, JobError, Outcome, Pool, Propose, Resources,
    Solve, SolveOutcome, Work, engine, evaluate,
};
use batt_lang::{Program, parse};
use batt_record::TaskState;
use batt_search::Puzzle;
use batt_task::submission::Form;
use batt_task::{Dataset, Options, Part, Select, Task, open};

const FUEL: u64 = 2_000_000;

fn some_tasks(n: usize) -> Dataset {
    let options = Options { skip_bad: false, select: Select { limit: Some(n), ..Select::ALL } };
    open("demo", &options).unwrap()
}

fn solve_job() -> Job {
    Job::new("mine", Work::Solve(Solve { effort: Effort::FuelPerTask(FUEL), ..Solve::default() }))
}

fn solved(resources: Resources) -> (SolveOutcome, Handle) {
    let running = solve_job().start_with(resources).unwrap();
    let handle = running.handle();
    let Outcome::Solve(outcome) = running.wait().unwrap() else { unreachable!() };
    (*outcome, handle)
}

fn in_memory(dataset: &Dataset) -> Resources {
    Resources { dataset: Some(Arc::new(dataset.clone())), ..Resources::default() }
}

#[test]
fn a_job_takes_tasks_from_memory() {
    let (outcome, handle) = solved(in_memory(&some_tasks(4)));
    assert_eq!((outcome.record.tasks.len(), outcome.record.setup.data.name.as_str()), (4, "mine"));
    let live = handle.live_solve().unwrap();
    assert!(live.ids().eq(outcome.record.tasks.iter().map(|task| task.id.as_str())));
    for (place, task) in outcome.record.tasks.iter().enumerate() {
        let now = live.task(place);
        assert_eq!(now.programs.len(), task.programs.len());
        assert!(now.programs.is_empty() || now.entry.attempts == task.attempts);
        assert_eq!(now.entry.attempts.len(), task.test.len(), "there are fallbacks");
        assert!(now.entry.test.iter().all(|pair| pair.output.is_none()), "test outputs stay sealed");
    }
}

#[test]
fn single_steps_give_the_states_and_the_submission_of_a_solve() {
    let dataset = some_tasks(6);
    let (_, handle) = solved(in_memory(&dataset));
    let live = handle.live_solve().unwrap();
    let engine = Engine { programs: Vec::new(), seed: 0, without: Vec::new() };
    let never = AtomicBool::new(false);
    let mut states = Vec::new();
    for (place, task) in dataset.tasks.iter().enumerate() {
        let whole = engine.advance(task, None, FUEL, None, &never).unwrap();
        let mut state: Option<TaskState> = None;
        let mut steps = 0;
        loop {
            let advanced = engine.advance(task, state.as_ref(), FUEL, Some(1), &never).unwrap();
            steps += advanced.steps;
            // The state travels as text between steps.
            state = serde_json::from_str(&serde_json::to_string(&advanced.state).unwrap()).unwrap();
            if advanced.done {
                break;
            }
        }
        assert!(whole.done && whole.steps == steps, "{}", task.id);
        assert_eq!(state.as_ref(), Some(&whole.state), "{}", task.id);
        assert_eq!(state, Some(live.task(place).state), "{}", task.id);
        let (entry, programs) = engine::entry(task, &whole.state, Some(FUEL)).unwrap();
        assert_eq!((entry, programs), (live.task(place).entry, live.task(place).programs));
        states.push(whole.state);
    }
    let text = engine::submission(&dataset.tasks, &states, Form::Json).unwrap();
    assert_eq!(text, live.submission(Form::Json));
}

#[test]
fn a_step_refuses_the_state_of_another_task_and_does_nothing_when_stopped() {
    let dataset = some_tasks(2);
    let engine = Engine { programs: Vec::new(), seed: 0, without: Vec::new() };
    let stopped = engine.advance(&dataset.tasks[0], None, FUEL, None, &AtomicBool::new(true)).unwrap();
    assert!(stopped.steps == 0 && !stopped.done && stopped.state.answers.is_empty());
    let refused =
        engine.advance(&dataset.tasks[1], Some(&stopped.state), FUEL, None, &AtomicBool::new(false));
    let Err(JobError::State { why, .. }) = refused else { panic!("must be refused") };
    assert_eq!(why, format!("it is the state of {}", dataset.tasks[0].id));
}

/// Suggests the programs of the built-in set, and remembers what it was shown.
struct Proposer {
    programs: Vec<Program>,
    seen: Mutex<Vec<Task>>,
}

impl Propose for Proposer {
    fn propose(&self, puzzle: &Puzzle) -> Vec<Program> {
        self.seen.lock().unwrap().push(puzzle.task().clone());
        let own = |program: &&Program| program.name().ends_with(puzzle.id());
        self.programs.iter().filter(own).cloned().collect()
    }
}

#[test]
fn suggested_programs_are_tried_first_and_see_no_test_output() {
    let dataset = some_tasks(4);
    let proposer = Arc::new(Proposer { programs: parse(DEMO_PROGRAMS).programs, seen: Mutex::default() });
    let resources = Resources { proposer: Some(proposer.clone()), ..in_memory(&dataset) };
    let (outcome, handle) = solved(resources);
    assert_eq!(outcome.totals.right_tasks(), 4);
    assert!(outcome.record.setup.options.proposed);
    for place in 0..4 {
        let state = handle.live_solve().unwrap().task(place).state;
        assert!(state.answers.iter().any(|answer| answer.mechanism == "proposed"), "{}", state.id);
    }
    let seen = proposer.seen.lock().unwrap();
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().flat_map(|task| &task.test).all(|pair| pair.output.is_none()));
    let run = Job::new("demo", Work::run())
        .start_with(Resources { proposer: Some(proposer.clone()), ..Resources::default() });
    assert!(matches!(run, Err(JobError::Field { field: "proposer", .. })));
}

#[test]
fn evaluation_is_the_same_on_any_number_of_threads_and_in_any_company() {
    let dataset = some_tasks(5);
    let tasks: Vec<&Task> = dataset.tasks.iter().collect();
    let mut texts: Vec<String> =
        parse(DEMO_PROGRAMS).programs.iter().map(|program| program.source().to_owned()).collect();
    texts.push("def nothing(I):\n    return I\n".to_owned());
    texts.push("def broken(I):\n    return objcts(I)\n".to_owned());
    texts.push("def not_a_grid(I):\n    return height(I)\n".to_owned());
    texts.push("def deep(I):\n    return f(I)\n".repeat(3));
    texts.push(String::new());
    // Programs of the five tasks run on their own task.
    let own = |text: &String| tasks.iter().position(|task| text.contains(&format!("def solve_{}(", task.id)));
    let task_of: Vec<usize> =
        texts.iter().enumerate().map(|(i, text)| own(text).unwrap_or(i % tasks.len())).collect();
    let rows = |threads: usize, from: usize| {
        let pool = Pool::new(threads).unwrap();
        let evaluation = Evaluation {
            texts: &texts[from..],
            task_of: &task_of[from..],
            tasks: &tasks,
            parts: &[Part::Train, Part::Test],
            fuel: 100_000,
        };
        let evaluated = evaluate(&pool, &evaluation, &AtomicBool::new(false)).unwrap();
        let row = |it: batt_job::Evaluated| {
            let pairs = it.pairs.iter().map(|it| (it.verdict, it.closeness, it.score, it.fuel));
            format!("{:?} {:?}", it.problem, pairs.collect::<Vec<_>>())
        };
        evaluated.into_iter().map(row).collect::<Vec<_>>()
    };
    let all = rows(1, 0);
    assert_eq!(all.len(), texts.len());
    assert_eq!(all, rows(2, 0));
    let last = texts.len() - 1;
    assert_eq!(all[last - 6..], rows(1, last - 6));
    let right = all.iter().filter(|row| row.contains("Right")).count();
    assert!(right >= 5, "the programs of the first tasks are right: {right}");
    assert!(all[last].contains("the text contains no program"), "{}", all[last]);
    assert!(all[last - 1].contains("line 2, column 12"), "{}", all[last - 1]);
    assert!(all[last - 2].contains("NotAGrid, Some(0.0)"), "{}", all[last - 2]);
    assert!(all[last - 3].contains("`objcts` is not a primitive"), "{}", all[last - 3]);
    let stop = AtomicBool::new(true);
    let none = Evaluation { texts: &texts, task_of: &task_of, tasks: &tasks, parts: &[Part::Train], fuel: 1 };
    assert!(evaluate(&Pool::new(1).unwrap(), &none, &stop).is_none());
    assert!(stop.load(Ordering::Relaxed));
}
