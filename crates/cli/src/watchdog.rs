//! The clock: the backstop of a run, and how long its tasks take.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arcbatt::Stop;
use arcbatt::battery::{Pool, Watch};
use indicatif::ProgressBar;

use crate::signal::{self, Ender};

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

/// The clocks of the workers of a pool: each gives every task its time, and remembers the slowest.
pub(crate) struct Clocks {
    started: Instant,
    time: Duration,
    bar: Option<ProgressBar>,
    workers: Vec<Clock>,
    slowest: Mutex<Vec<(Duration, String)>>,
    /// Tasks that are through.
    through: AtomicUsize,
    done: AtomicBool,
}

/// Told from time to time how many tasks are through, and after how long.
pub(crate) type Told<'t> = &'t (dyn Fn(usize, Duration) + Sync);

struct Clock {
    flag: AtomicBool,
    /// Microseconds since the start of the clocks at which the task began; no task at `IDLE`.
    began: AtomicU64,
}

const IDLE: u64 = u64::MAX;

impl Clocks {
    const SLOWEST: usize = 5;

    /// Calls `work` with clocks that leave `time` to each task, move the bar on, and tell how far it is.
    pub(crate) fn watch<T>(
        pool: &Pool,
        time: Duration,
        bar: Option<ProgressBar>,
        told: Told<'_>,
        work: impl FnOnce(&Clocks) -> T,
    ) -> T {
        let clock = || Clock { flag: AtomicBool::new(false), began: AtomicU64::new(IDLE) };
        let clocks = Clocks {
            started: Instant::now(),
            time,
            bar,
            workers: (0..pool.threads()).map(|_| clock()).collect(),
            slowest: Mutex::new(Vec::new()),
            through: AtomicUsize::new(0),
            done: AtomicBool::new(false),
        };
        std::thread::scope(|scope| {
            let ticker = scope.spawn(|| clocks.tick(told));
            // The ticker ends also when the work panics.
            let end = Ender::new(&clocks.done, ticker.thread().clone());
            let result = work(&clocks);
            drop(end);
            result
        })
    }

    fn tick(&self, told: Told<'_>) {
        while !self.done.load(Ordering::Relaxed) {
            let now = self.now();
            let all = signal::stopped();
            for clock in &self.workers {
                let began = clock.began.load(Ordering::Relaxed);
                let late = began != IDLE && u128::from(now.saturating_sub(began)) >= self.time.as_micros();
                if late || all {
                    clock.flag.store(true, Ordering::Relaxed);
                }
            }
            told(self.through.load(Ordering::Relaxed), self.elapsed());
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_micros() as u64
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The slowest tasks, the slowest first.
    pub(crate) fn slowest(&self) -> Vec<(Duration, String)> {
        self.slowest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Watch for Clocks {
    fn begin(&self, worker: usize) -> Option<&AtomicBool> {
        let clock = self.workers.get(worker)?;
        clock.began.store(self.now(), Ordering::Relaxed);
        clock.flag.store(false, Ordering::Relaxed);
        Some(&clock.flag)
    }

    fn done(&self, worker: usize, id: &str) {
        let Some(clock) = self.workers.get(worker) else { return };
        let began = clock.began.swap(IDLE, Ordering::Relaxed);
        let took = Duration::from_micros(self.now().saturating_sub(began));
        let mut slowest = self.slowest.lock().unwrap_or_else(PoisonError::into_inner);
        let place = slowest.partition_point(|(other, _)| *other >= took);
        if place < Clocks::SLOWEST {
            slowest.insert(place, (took, id.to_owned()));
            slowest.truncate(Clocks::SLOWEST);
        }
        self.through.fetch_add(1, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    fn stopped(&self) -> bool {
        signal::stopped()
    }
}
