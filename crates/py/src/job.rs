//! Jobs that run in the background: solve, run and search.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use arcbatt::base::{size, time};
use arcbatt::record::{Record, TaskState};
use arcbatt::search::Puzzle;
use arcbatt::task::submission::Form;
use arcbatt::{Event, Handle, Job, Outcome, Propose, Resources, Saved, engine, lang};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::cluster::PyCluster;
use crate::convert::{dict, loads};
use crate::data::{Task, dataset};
use crate::error::{exception, job_error, translated};
use crate::interrupt::{POLL, bug};
use crate::program::{self, Program};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A job that is running in the background.
#[pyclass(frozen, module = "arcbatt._arcbatt")]
pub(crate) struct Running {
    /// `None` once the job was joined.
    running: Mutex<Option<arcbatt::Running>>,
    handle: Handle,
    proposer: Option<Arc<Proposer>>,
    /// The process that started the job. A forked child has no thread of it.
    process: u32,
}

/// A Python function that suggests programs.
struct Proposer {
    function: Py<PyAny>,
    /// The first exception that it raised.
    raised: Mutex<Option<PyErr>>,
    /// Texts that are not programs: the id of the task, the text, and the first error.
    rejected: Mutex<Vec<(String, String, String)>>,
    handle: OnceLock<Handle>,
}

impl Propose for Proposer {
    fn propose(&self, puzzle: &Puzzle) -> Vec<lang::Program> {
        if lock(&self.raised).is_some() {
            return Vec::new();
        }
        // When the interpreter is ending, nobody can be asked.
        let asked = Python::try_attach(|py| self.ask(py, puzzle)).unwrap_or_else(|| Ok(Vec::new()));
        asked.unwrap_or_else(|error| {
            // A mistake of the caller: the job ends, and the exception is raised where its end is awaited.
            lock(&self.raised).get_or_insert(error);
            if let Some(handle) = self.handle.get() {
                handle.stop();
            }
            Vec::new()
        })
    }
}

impl Proposer {
    fn ask(&self, py: Python<'_>, puzzle: &Puzzle) -> PyResult<Vec<lang::Program>> {
        let task = Py::new(py, Task::of(Arc::new(puzzle.task().clone())))?;
        let mut programs = Vec::new();
        let proposed = self.function.bind(py).call1((task,))?;
        let wrong = |item: &Bound<'_, PyAny>| {
            let kind =
                item.get_type().name().map_or_else(|_| "other objects".to_owned(), |name| name.to_string());
            exception(py, "ArgumentError", (format!("propose must return texts or programs, not {kind}"),))
        };
        // One text is a list of one, not of its characters.
        let single = proposed.is_instance_of::<PyString>() || proposed.is_instance_of::<Program>();
        let items: Vec<Bound<'_, PyAny>> = match single {
            true => vec![proposed],
            false => proposed.try_iter().map_err(|_| wrong(&proposed))?.collect::<PyResult<_>>()?,
        };
        for item in items {
            if let Ok(program) = item.cast::<Program>() {
                programs.push((*program.get().program).clone());
                continue;
            }
            let text = item.cast::<PyString>().map_err(|_| wrong(&item))?.to_string_lossy().into_owned();
            let parsed = lang::parse(&text);
            match parsed.problems.iter().find(|problem| problem.severity == lang::Severity::Error) {
                Some(error) => {
                    let (line, column) = error.place(&text);
                    let why = format!("line {line}, column {column}: {}", error.message);
                    lock(&self.rejected).push((puzzle.id().to_owned(), text, why));
                }
                None => programs.extend(parsed.programs),
            }
        }
        Ok(programs)
    }
}

/// Starts a job. `job` is the JSON text of its description. `steps` limits the pieces of a solve on a cluster.
#[pyfunction]
#[pyo3(signature = (job, tasks, propose = None, cluster = None, steps = None))]
pub(crate) fn start(
    py: Python<'_>,
    job: &str,
    tasks: Vec<Py<Task>>,
    propose: Option<Py<PyAny>>,
    cluster: Option<Py<PyAny>>,
    steps: Option<usize>,
) -> PyResult<Running> {
    let job: Job =
        serde_json::from_str(job).map_err(|error| exception(py, "ArgumentError", (error.to_string(),)))?;
    let proposer = propose.map(|function| {
        let (raised, rejected) = (Mutex::new(None), Mutex::default());
        Arc::new(Proposer { function, raised, rejected, handle: OnceLock::new() })
    });
    let dataset = Some(Arc::new(dataset(&job.tasks.data, &tasks)));
    let resources = Resources {
        dataset,
        proposer: proposer.clone().map(|proposer| proposer as Arc<dyn Propose>),
        cluster: cluster.map(|object| PyCluster::shared(object, steps)),
        ..Resources::default()
    };
    let running = py.detach(|| job.start_with(resources)).map_err(|error| job_error(py, &error))?;
    let handle = running.handle();
    if let Some(proposer) = &proposer {
        proposer.handle.get_or_init(|| handle.clone());
        // It may have raised before there was a handle.
        if lock(&proposer.raised).is_some() {
            handle.stop();
        }
    }
    Ok(Running { running: Mutex::new(Some(running)), handle, proposer, process: std::process::id() })
}

#[pymethods]
impl Running {
    /// Returns the next event as a dictionary; None at the end, or if there is none within `seconds`.
    #[pyo3(signature = (seconds = None))]
    fn next_event<'py>(&self, py: Python<'py>, seconds: Option<f64>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.check_process(py)?;
        let end = seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, 1e9)));
        loop {
            let (event, over) = py.detach(|| match &*lock(&self.running) {
                // The job may end between the two calls, so it is asked first.
                Some(running) => {
                    let over = running.is_finished();
                    (running.next_event(POLL), over)
                }
                None => (None, true),
            });
            py.check_signals()?;
            if let Some(mut event) = event {
                if let Event::Warning { text } = &mut event {
                    *text = translated(text);
                }
                let text = serde_json::to_string(&event);
                let text = text.map_err(|error| exception(py, "EngineError", (error.to_string(),)))?;
                return loads(py, &text).map(Some);
            }
            if over || end.is_some_and(|end| Instant::now() >= end) {
                return Ok(None);
            }
        }
    }

    /// Returns whether the job has ended.
    fn is_finished(&self, py: Python<'_>) -> bool {
        py.detach(|| lock(&self.running).as_ref().is_none_or(arcbatt::Running::is_finished))
    }

    /// Returns the progress of the job.
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = serde_json::to_string(&self.handle.status()).unwrap_or_default();
        loads(py, &text)
    }

    /// Asks the job to stop, and returns at once.
    fn stop(&self) {
        self.handle.stop();
    }

    /// Pauses the job after the current steps.
    fn pause(&self) {
        self.handle.pause();
    }

    /// Resumes a paused job.
    fn resume(&self) {
        self.handle.resume();
    }

    /// Returns the text of the current submission of a solve; None before its tasks are loaded.
    fn submission(&self, py: Python<'_>, form: &str) -> Option<String> {
        let form = if form == "csv" { Form::Csv } else { Form::Json };
        py.detach(|| Some(self.handle.live_solve()?.submission(form)))
    }

    /// Returns the current result of a task of a solve: its entry, its programs and its state.
    fn task<'py>(&self, py: Python<'py>, id: &str) -> PyResult<Option<Entry<'py>>> {
        let found = py.detach(|| {
            let live = self.handle.live_solve()?;
            let place = live.ids().position(|it| it == id)?;
            Some(live.task(place))
        });
        let Some(live) = found else { return Ok(None) };
        entry(py, &live.entry, &live.programs, &live.state).map(Some)
    }

    /// Returns the texts of `propose` that are not programs: task, text, and the first error.
    fn rejected(&self) -> Vec<(String, String, String)> {
        self.proposer.as_ref().map_or_else(Vec::new, |proposer| lock(&proposer.rejected).clone())
    }

    /// Waits for the end of the job and returns its outcome; None if it was returned before. Ctrl-C is not raised here.
    fn join<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.check_process(py)?;
        let joined = py.detach(|| {
            let running = lock(&self.running).take()?;
            Some(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| running.wait())))
        });
        if let Some(raised) = self.proposer.as_ref().and_then(|proposer| lock(&proposer.raised).take()) {
            return Err(raised);
        }
        match joined {
            None => Ok(None),
            Some(Ok(Ok(outcome))) => self::outcome(py, outcome).map(Some),
            Some(Ok(Err(error))) => Err(job_error(py, &error)),
            Some(Err(panic)) => Err(bug(py, &*panic)),
        }
    }
}

impl Running {
    fn check_process(&self, py: Python<'_>) -> PyResult<()> {
        match self.process == std::process::id() {
            true => Ok(()),
            false => {
                let text = "this job was started by another process; a forked process cannot follow it";
                Err(exception(py, "EngineError", (text,)))
            }
        }
    }
}

/// The entry of a task, its programs and its state, the last as text.
type Entry<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, String);

fn entry<'py>(
    py: Python<'py>,
    task: &arcbatt::record::Task,
    programs: &[arcbatt::record::Program],
    state: &TaskState,
) -> PyResult<Entry<'py>> {
    let wrong = |error: serde_json::Error| exception(py, "EngineError", (error.to_string(),));
    let task = loads(py, &serde_json::to_string(task).map_err(wrong)?)?;
    let programs = loads(py, &serde_json::to_string(programs).map_err(wrong)?)?;
    Ok((task, programs, serde_json::to_string(state).map_err(wrong)?))
}

/// Returns the result of a task from its state: its entry, its programs and its state.
#[pyfunction]
#[pyo3(signature = (task, state, fuel = None))]
pub(crate) fn entry_of_state<'py>(
    py: Python<'py>,
    task: &Bound<'py, Task>,
    state: &str,
    fuel: Option<u64>,
) -> PyResult<Entry<'py>> {
    let state = read_state(py, state)?;
    let (task, programs) =
        engine::entry(&task.get().task, &state, fuel).map_err(|error| job_error(py, &error))?;
    entry(py, &task, &programs, &state)
}

/// Returns the submission of tasks from their states. Tasks without a state have fallbacks.
#[pyfunction]
pub(crate) fn submission_of_states(
    py: Python<'_>,
    tasks: Vec<Py<Task>>,
    states: Vec<String>,
    form: &str,
) -> PyResult<String> {
    let form = if form == "csv" { Form::Csv } else { Form::Json };
    let states = states.iter().map(|state| read_state(py, state)).collect::<PyResult<Vec<_>>>()?;
    let tasks = dataset("", &tasks).tasks;
    engine::submission(&tasks, &states, form).map_err(|error| job_error(py, &error))
}

pub(crate) fn read_state(py: Python<'_>, state: &str) -> PyResult<TaskState> {
    serde_json::from_str(state)
        .map_err(|error| exception(py, "DataError", (format!("this is not the state of a task: {error}"),)))
}

/// Returns the outcome of a job: its record as text, whether it was stopped, and errors of files.
fn outcome(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyDict>> {
    let stopped = outcome.was_stopped();
    let record = match &outcome {
        Outcome::Run(_) => None,
        Outcome::Solve(solve) => Some(text(py, &solve.record)?),
        Outcome::Search(search) => Some(text(py, &search.record)?),
    };
    let Saved { failed, .. } = outcome.into_saved();
    let failed: Vec<String> = failed.iter().map(|error| translated(&error.to_string())).collect();
    dict(
        py,
        [
            ("record", record.into_pyobject(py)?),
            ("stopped", stopped.into_pyobject(py)?.to_owned().into_any()),
            ("failed", failed.into_pyobject(py)?),
        ],
    )
}

fn text(py: Python<'_>, record: &Record) -> PyResult<String> {
    let mut out = Vec::new();
    let written = py.detach(|| record.print(&mut out));
    written.map_err(|error| exception(py, "EngineError", (error.to_string(),)))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Returns the seconds of a duration such as `90m`.
#[pyfunction]
pub(crate) fn parse_duration(py: Python<'_>, text: &str) -> PyResult<f64> {
    let parsed = time::parse(text).map(|duration| duration.as_secs_f64());
    parsed.map_err(|error| exception(py, "ArgumentError", (error,)))
}

/// Returns the bytes of an amount of memory such as `4GB`.
#[pyfunction]
pub(crate) fn parse_size(py: Python<'_>, text: &str) -> PyResult<u64> {
    size::parse(text).map_err(|error| exception(py, "ArgumentError", (error,)))
}

/// Converts programs for a job.
pub(crate) fn texts(programs: &[Py<Program>]) -> Vec<String> {
    programs.iter().map(|it| program::source(&it.get().program)).collect()
}
