//! Clusters: the machines of a Python object, and the work on one machine.

use std::sync::Arc;
use std::time::Duration;

use arcbatt::cluster::{Cluster, ClusterError, Delivery, Execution, MachineInfo};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Machines that a Python object reaches. Its methods are those of `RayMachines` in `arcbatt/cluster/_ray.py`.
pub(crate) struct PyCluster {
    object: Py<PyAny>,
    steps: Option<usize>,
}

/// A machine: id, name, cores, version, DSL, clock offset and round trip in nanoseconds.
type Machine = (String, String, usize, String, String, i64, Option<u64>);

impl PyCluster {
    pub(crate) fn shared(object: Py<PyAny>, steps: Option<usize>) -> Arc<dyn Cluster> {
        Arc::new(PyCluster { object, steps })
    }

    /// Calls Python. An exception means that the cluster cannot be used.
    fn call<T>(&self, work: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Result<T, ClusterError> {
        let ended = || Err(ClusterError("Python is ending".to_owned()));
        Python::try_attach(|py| {
            work(self.object.bind(py)).map_err(|error| ClusterError(error.value(py).to_string()))
        })
        .unwrap_or_else(ended)
    }
}

impl Cluster for PyCluster {
    fn publish(&self, package: Vec<u8>) -> Result<(), ClusterError> {
        self.call(|object| object.call_method1("publish", (PyBytes::new(object.py(), &package),)).map(drop))
    }

    fn machines(&self) -> Result<Vec<MachineInfo>, ClusterError> {
        let list = self.call(|object| object.call_method0("healthy_machines")?.extract::<Vec<Machine>>())?;
        let info = |machine: Machine| {
            let (id, name, cores, version, dsl, clock_offset, round_trip) = machine;
            MachineInfo { id, name, cores, version, dsl, clock_offset, round_trip }
        };
        Ok(list.into_iter().map(info).collect())
    }

    fn send(&self, machine: &str, batch: u64, pieces: Vec<u8>) -> Result<(), ClusterError> {
        self.call(|object| {
            let pieces = PyBytes::new(object.py(), &pieces);
            object.call_method1("send", (machine, batch, pieces)).map(drop)
        })
    }

    fn receive(&self, wait: Duration) -> Result<Vec<Delivery>, ClusterError> {
        self.call(|object| {
            let received = object.call_method1("receive", (wait.as_secs_f64(),))?;
            let received: Vec<(u64, Option<Bound<'_, PyAny>>, String)> = received.extract()?;
            let delivery = |(batch, reply, why): (u64, Option<Bound<'_, PyAny>>, String)| match reply {
                // Something else than bytes is no reply.
                Some(reply) => match reply.cast::<PyBytes>() {
                    Ok(reply) => Delivery::Reply { batch, reply: reply.as_bytes().to_vec() },
                    Err(_) => Delivery::Reply { batch, reply: Vec::new() },
                },
                None => Delivery::Lost { batch, why },
            };
            Ok(received.into_iter().map(delivery).collect())
        })
    }

    fn starting(&self) -> Result<Vec<String>, ClusterError> {
        self.call(|object| object.call_method0("starting")?.extract())
    }

    fn why_lost(&self, machine: &str) -> Option<String> {
        self.call(|object| object.call_method1("why_lost", (machine,))?.extract()).ok().flatten()
    }

    fn executed(&self, execution: &Execution<'_>) {
        let Execution { task, machine, seconds, end } = *execution;
        // A log that cannot be written does not end the job; the object remembers the error.
        let _ = self
            .call(|object| object.call_method1("executed", (task, machine, seconds, end.name())).map(drop));
    }

    fn exclude(&self, machine: &str, why: &str) {
        // A machine that cannot be told is not used either.
        let _ = self.call(|object| object.call_method1("exclude", (machine, why)).map(drop));
    }

    fn stop(&self) {
        let _ = self.call(|object| object.call_method0("stop").map(drop));
    }

    fn steps(&self) -> Option<usize> {
        self.steps
    }
}

/// Works on the pieces of one job, on one machine. Several threads can work at a time.
#[pyclass(frozen, module = "arcbatt._arcbatt")]
pub(crate) struct Worker(arcbatt::cluster::Worker);

#[pymethods]
impl Worker {
    #[new]
    fn new(py: Python<'_>, package: &[u8]) -> PyResult<Worker> {
        let worker = py.detach(|| arcbatt::cluster::Worker::new(package));
        worker.map(Worker).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// Works on a batch of pieces and returns the reply.
    fn work<'py>(&self, py: Python<'py>, pieces: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let reply = py.detach(|| self.0.work(pieces));
        let reply = reply.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &reply))
    }

    /// Stops the current pieces. Their results so far are returned.
    fn stop(&self) {
        self.0.stop();
    }
}
