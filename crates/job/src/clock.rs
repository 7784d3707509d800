//! Wall-clock limits, for single pieces of work and for the tasks of a run.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::battery::Watch;
use crate::control::{WatcherGuard, lock};
use crate::pool::Pool;

/// How often a clock is checked.
const TICK: Duration = Duration::from_millis(20);

/// A time limit: a flag that stops the work, and a way to restart the time.
#[derive(Clone, Copy)]
pub struct Stop<'s> {
    flag: Option<&'s AtomicBool>,
    restart: &'s dyn Fn(),
}

impl<'s> Stop<'s> {
    /// No time limit.
    pub const NEVER: Stop<'static> = Stop { flag: None, restart: &|| {} };

    pub fn new(flag: &'s AtomicBool, restart: &'s dyn Fn()) -> Stop<'s> {
        Stop { flag: Some(flag), restart }
    }

    pub fn flag(self) -> Option<&'s AtomicBool> {
        self.flag
    }

    /// Restarts the time, for the next piece of work.
    pub fn restart(self) {
        (self.restart)();
    }
}

/// Calls `work` with a limit of `time` for each piece of it.
pub fn with_backstop<T>(time: Duration, work: impl FnOnce(Stop<'_>) -> T) -> T {
    let started = Instant::now();
    let now = || started.elapsed().as_millis() as u64;
    let time = time.as_millis() as u64;
    let (flag, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let due = AtomicU64::new(time);
    let restart = || {
        due.store(now() + time, Ordering::Relaxed);
        flag.store(false, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if now() >= due.load(Ordering::Relaxed) {
                    flag.store(true, Ordering::Relaxed);
                }
                std::thread::park_timeout(TICK);
            }
        });
        let _guard = WatcherGuard { done: &done, watcher: watcher.thread().clone() };
        work(Stop::new(&flag, &restart))
    })
}

/// The clocks of a pool's workers. They limit the time of every task and keep the slowest tasks.
pub struct TaskClocks<'c> {
    started: Instant,
    limit: Duration,
    workers: Vec<TaskClock>,
    slowest: Mutex<Vec<(Duration, String)>>,
    watch: &'c dyn Watch,
}

struct TaskClock {
    flag: AtomicBool,
    /// When the task began, in microseconds since the start of the clocks; `IDLE` without a task.
    began: AtomicU64,
}

const IDLE: u64 = u64::MAX;

impl<'c> TaskClocks<'c> {
    const SLOWEST: usize = 5;

    /// Calls `work` with clocks that stop each task after `limit`, and all tasks when `watch` is stopped.
    pub fn watch<T>(
        pool: &Pool,
        limit: Duration,
        watch: &'c dyn Watch,
        work: impl FnOnce(&TaskClocks<'c>) -> T,
    ) -> T {
        let clock = |_| TaskClock { flag: AtomicBool::new(false), began: AtomicU64::new(IDLE) };
        let workers = (0..pool.threads()).map(clock).collect();
        let clocks =
            TaskClocks { started: Instant::now(), limit, workers, slowest: Mutex::new(Vec::new()), watch };
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    clocks.tick();
                    std::thread::park_timeout(TICK);
                }
            });
            let _guard = WatcherGuard { done: &done, watcher: watcher.thread().clone() };
            work(&clocks)
        })
    }

    fn tick(&self) {
        let now = self.now();
        let all = self.watch.stopped();
        for clock in &self.workers {
            let began = clock.began.load(Ordering::Relaxed);
            let late = began != IDLE && u128::from(now.saturating_sub(began)) >= self.limit.as_micros();
            if late || all {
                clock.flag.store(true, Ordering::Relaxed);
            }
        }
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_micros() as u64
    }

    /// Returns the time since the start of the clocks.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns the slowest tasks, slowest first.
    pub fn slowest(&self) -> Vec<(Duration, String)> {
        lock(&self.slowest).clone()
    }
}

impl Watch for TaskClocks<'_> {
    fn begin(&self, worker: usize) -> Option<&AtomicBool> {
        self.watch.begin(worker);
        let clock = self.workers.get(worker)?;
        clock.began.store(self.now(), Ordering::Relaxed);
        clock.flag.store(false, Ordering::Relaxed);
        Some(&clock.flag)
    }

    fn done(&self, worker: usize, id: &str) {
        if let Some(clock) = self.workers.get(worker) {
            let began = clock.began.swap(IDLE, Ordering::Relaxed);
            let took = Duration::from_micros(self.now().saturating_sub(began));
            let mut slowest = lock(&self.slowest);
            let place = slowest.partition_point(|(other, _)| *other >= took);
            if place < TaskClocks::SLOWEST {
                slowest.insert(place, (took, id.to_owned()));
                slowest.truncate(TaskClocks::SLOWEST);
            }
        }
        self.watch.done(worker, id);
    }

    fn stopped(&self) -> bool {
        self.watch.stopped()
    }
}
