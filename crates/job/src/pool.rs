//! The thread pool.

/// A pool of threads. A process has one, and all its parallel work runs on it.
pub struct Pool(rayon::ThreadPool);

/// The reasons why a pool cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// The system refused to start threads.
    #[error("cannot start {threads} threads: {error}; use fewer threads")]
    Start { threads: usize, error: rayon::ThreadPoolBuildError },
    /// More threads than any machine has cores would only take memory and time.
    #[error("{threads} threads are too many; use at most {MAX_THREADS}, or 0 for all cores")]
    TooMany { threads: usize },
}

/// The largest number of threads.
const MAX_THREADS: usize = 1024;

impl Pool {
    /// Starts this number of threads; 0 uses all cores.
    pub fn new(threads: usize) -> Result<Pool, PoolError> {
        if threads > MAX_THREADS {
            return Err(PoolError::TooMany { threads });
        }
        // Programs can nest function calls deeply.
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(64 << 20);
        builder.build().map(Pool).map_err(|error| PoolError::Start { threads, error })
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
