//! The threads of a process.

/// The threads of a process. There is one pool, and all parallel work runs on it.
pub struct Pool(rayon::ThreadPool);

/// The machine refuses to start threads, usually because too many were asked for.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} threads: {error}; ask for fewer")]
pub struct PoolError {
    threads: usize,
    error: rayon::ThreadPoolBuildError,
}

impl Pool {
    /// `threads`: their number; 0 uses all cores.
    pub fn new(threads: usize) -> Result<Pool, PoolError> {
        // Programs can nest function calls deeply.
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(64 << 20);
        builder.build().map(Pool).map_err(|error| PoolError { threads, error })
    }

    pub fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    /// Runs `work` on these threads; parallel work inside uses them.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.0.install(work)
    }
}
