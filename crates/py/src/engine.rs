//! Single steps of the search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use arcbatt::{Step, engine};
use pyo3::prelude::*;

use crate::convert::Reduced;
use crate::data::Task;
use crate::error::{exception, job_error};
use crate::interrupt::interruptible;
use crate::job::{read_state, texts};
use crate::program::Program;

/// The search for one task as a pure function, for callers that bring their own machines.
///
/// `programs` are tried first on every task, `seed` determines random choices, and `without` skips steps of the search
/// ("enumerate", "breed").
///
/// The state after a step depends only on the task, the state before it, the fuel, the programs and the seed. So steps
/// can be taken in any process, and taken again if a machine is lost.
///
/// >>> import arcbatt
/// >>> engine = arcbatt.Engine()
/// >>> task = arcbatt.load("demo")["kaleidoscope"]
/// >>> state, done, steps = engine.advance(task, fuel=80_000_000)
/// >>> done, arcbatt.SolvedTask.of(task, state).solved
/// (True, True)
#[pyclass(frozen, module = "arcbatt")]
pub(crate) struct Engine {
    engine: arcbatt::Engine,
    /// The arguments, for pickling.
    programs: Vec<Py<Program>>,
    without: Vec<String>,
}

/// The programs, the seed and the skipped steps of an engine.
type Arguments = (Vec<Py<Program>>, u64, Vec<String>);

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (programs = Vec::new(), *, seed = 0, without = Vec::new()))]
    fn new(py: Python<'_>, programs: Vec<Py<Program>>, seed: u64, without: Vec<String>) -> PyResult<Engine> {
        let step = |name: &String| match name.as_str() {
            "enumerate" => Ok(Step::Enumerate),
            "breed" => Ok(Step::Breed),
            _ => {
                let text = format!("without takes \"enumerate\" and \"breed\", not {name:?}");
                Err(exception(py, "ArgumentError", (text,)))
            }
        };
        let steps = without.iter().map(step).collect::<PyResult<_>>()?;
        let list = programs.iter().map(|program| (*program.get().program).clone()).collect();
        Ok(Engine { engine: arcbatt::Engine { programs: list, seed, without: steps }, programs, without })
    }

    /// Takes steps until the task is done, at most `steps`, and at most for `seconds`. Continues from `state` if given.
    ///
    /// Returns the new state (a text), whether the task is done, and the number of steps. A step that the time limit
    /// cuts short does not count, so only `seconds` makes the result depend on the machine.
    #[pyo3(signature = (task, state = None, *, fuel = arcbatt::FUEL_PER_SECOND as u64, steps = None, seconds = None))]
    fn advance(
        &self,
        py: Python<'_>,
        task: &Bound<'_, Task>,
        state: Option<&str>,
        fuel: u64,
        steps: Option<usize>,
        seconds: Option<f64>,
    ) -> PyResult<(String, bool, usize)> {
        if seconds.is_some_and(|seconds| seconds.is_nan() || seconds < 0.0) {
            return Err(exception(py, "ArgumentError", ("seconds must be 0 or more",)));
        }
        let state = state.map(|state| read_state(py, state)).transpose()?;
        let task = &*task.get().task;
        let advanced = interruptible(py, |stop| {
            stop_after(seconds, stop, || self.engine.advance(task, state.as_ref(), fuel, steps, stop))
        })?;
        let engine::Advanced { state, done, steps } = advanced.map_err(|error| job_error(py, &error))?;
        let state = serde_json::to_string(&state);
        Ok((state.map_err(|error| exception(py, "EngineError", (error.to_string(),)))?, done, steps))
    }

    fn __repr__(&self) -> String {
        format!("<Engine: {} programs, seed {}>", self.engine.programs.len(), self.engine.seed)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, Arguments>> {
        let make = py.import("arcbatt._jobs")?.getattr("_engine")?;
        let programs = self.programs.iter().map(|program| program.clone_ref(py)).collect();
        Ok((make, (programs, self.engine.seed, self.without.clone())))
    }

    /// The texts of the known programs.
    #[getter]
    fn programs(&self) -> Vec<String> {
        texts(&self.programs)
    }
}

/// Runs `work`, and sets `stop` after this time.
fn stop_after<T: Send>(seconds: Option<f64>, stop: &AtomicBool, work: impl FnOnce() -> T + Send) -> T {
    let Some(seconds) = seconds else { return work() };
    let (sender, receiver) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let time = Duration::from_secs_f64(seconds.clamp(0.0, 1e9));
            if let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(time) {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let result = work();
        drop(sender);
        result
    })
}
