//! Work without the GIL that Ctrl-C can stop, and the thread pool of the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arcbatt::Pool;
use pyo3::prelude::*;

use crate::error::{exception, job_error};

/// How often Python is asked whether a signal arrived.
pub(crate) const POLL: Duration = Duration::from_millis(20);
/// Programs can nest function calls deeply.
const STACK: usize = 64 << 20;

/// Runs `work` on another thread. Signals reach only the thread that calls Python, so this thread waits for them. On
/// Ctrl-C it sets the stop flag, waits for the end of the work, and raises the exception.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            let stop = &stop;
            let builder = std::thread::Builder::new().name("arcbatt".to_owned()).stack_size(STACK);
            let thread = builder.spawn_scoped(scope, move || {
                let result = work(stop);
                // The receiver lives until the end of the scope.
                let _ = sender.send(());
                result
            })?;
            let mut interrupted = None;
            while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(POLL) {
                if interrupted.is_none()
                    && let Err(signal) = Python::attach(|py| py.check_signals())
                {
                    stop.store(true, Ordering::Relaxed);
                    interrupted = Some(signal);
                }
            }
            let result = thread.join();
            match (interrupted, result) {
                (Some(signal), _) => Err(signal),
                (None, Ok(result)) => Ok(result),
                (None, Err(panic)) => Err(Python::attach(|py| bug(py, &*panic))),
            }
        })
    })
}

/// Describes a panic, which is a bug.
pub(crate) fn bug(py: Python<'_>, panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    exception(py, "EngineError", (format!("a bug in arcbatt, please report it: {text}"),))
}

/// The pool of this process, and the id of the process that started it.
static SHARED: Mutex<Option<(u32, Arc<Pool>)>> = Mutex::new(None);

/// Returns the pool of this process. The threads of a pool do not exist in a forked child, so a child gets a new one.
pub(crate) fn shared_pool(py: Python<'_>) -> PyResult<Arc<Pool>> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match &*shared {
        Some((owner, pool)) if *owner == process => return Ok(Arc::clone(pool)),
        // Dropping the parent's pool would wait for its threads forever.
        Some(_) => std::mem::forget(shared.take()),
        None => {}
    }
    let pool = new_pool(py, 0)?;
    *shared = Some((process, Arc::clone(&pool)));
    Ok(pool)
}

/// Returns a pool with this number of threads; 0 is the pool of this process.
pub(crate) fn pool(py: Python<'_>, threads: usize) -> PyResult<Arc<Pool>> {
    if threads == 0 { shared_pool(py) } else { new_pool(py, threads) }
}

fn new_pool(py: Python<'_>, threads: usize) -> PyResult<Arc<Pool>> {
    Pool::new(threads).map(Arc::new).map_err(|error| job_error(py, &error.into()))
}
