//! The wall-clock backstop of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arcbatt::Stop;

/// Sets a flag when a piece of work has had its time.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
}

struct Shared {
    flag: AtomicBool,
    /// Milliseconds since the start of the watchdog at which the time is over.
    due: AtomicU64,
    done: AtomicBool,
}

impl Watchdog {
    /// Calls `work` with a backstop that leaves `time` to each piece of it.
    pub(crate) fn watch<T>(time: Duration, work: impl FnOnce(Stop<'_>) -> T) -> T {
        let started = Instant::now();
        let now = move || started.elapsed().as_millis() as u64;
        let time = time.as_millis() as u64;
        let shared = Arc::new(Shared {
            flag: AtomicBool::new(false),
            due: AtomicU64::new(time),
            done: AtomicBool::new(false),
        });
        let watchdog = Watchdog { shared: Arc::clone(&shared) };
        std::thread::spawn(move || {
            while !shared.done.load(Ordering::Relaxed) {
                if now() >= shared.due.load(Ordering::Relaxed) {
                    shared.flag.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let restart = || {
            watchdog.shared.due.store(now() + time, Ordering::Relaxed);
            watchdog.shared.flag.store(false, Ordering::Relaxed);
        };
        work(Stop::new(&watchdog.shared.flag, &restart))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.done.store(true, Ordering::Relaxed);
    }
}
