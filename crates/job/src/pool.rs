//! The thread pool.

/// A pool of threads. A process has one, and all its parallel work runs on it.
pub struct Pool(rayon::ThreadPool);

/// The system refused to start threads, usually because too many were requested.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} threads: {error}; use fewer threads")]
pub struct PoolError {
    threads: usize,
    error: rayon::ThreadPoolBuildError,
}

impl Pool {
    /// Starts this number of threads; 0 uses all cores.
    pub fn new(threads: usize) -> Result<Pool, PoolError> {
        // Programs can nest function calls deeply.
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(64 << 20);
        builder.build().map(Pool).map_err(|error| PoolError { threads, error })
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    /// Runs `work` on the pool. Parallel work inside it uses the same threads.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.0.install(work)
    }
}
