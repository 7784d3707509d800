//! The state that a job and its handle share: stop, pause, status, events, and the clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use batt_exec::devices::Devices;
use batt_record::live::{Live, Status};
use batt_record::{Profile, Record};

use crate::description::Save;
use crate::devices::Help;
use crate::event::Event;
use crate::live_solve::LiveSolve;

/// How often the clock is checked.
const TICK: Duration = Duration::from_millis(20);
/// How often the status file is written.
const STATUS_EVERY: Duration = Duration::from_secs(1);

pub(crate) struct Control {
    /// The user requested a stop.
    stop_requested: AtomicBool,
    /// The work must end: on request, or because the time is up.
    stop: Arc<AtomicBool>,
    clock: Mutex<Clock>,
    resumed: Condvar,
    /// Time for the whole job.
    budget: Option<Duration>,
    status: Mutex<Status>,
    /// When the job is expected to end, on its own clock. It never moves to a later time.
    expected_end: Mutex<Option<Duration>>,
    live: Mutex<Option<(Live, Instant)>>,
    /// Dropped at the end, so that receivers do not wait for more.
    events: Mutex<Option<Sender<Event>>>,
    ended: Condvar,
    live_solve: OnceLock<LiveSolve>,
    help: OnceLock<Help>,
}

/// Measures the working time of the job, without pauses.
struct Clock {
    started: Instant,
    paused: Duration,
    paused_since: Option<Instant>,
}

impl Clock {
    fn elapsed(&self) -> Duration {
        let now = self.paused_since.unwrap_or_else(Instant::now);
        (now - self.started).saturating_sub(self.paused)
    }
}

impl Control {
    pub(crate) fn new(status: Status, budget: Option<Duration>, events: Sender<Event>) -> Control {
        Control {
            stop_requested: AtomicBool::new(false),
            stop: Arc::new(AtomicBool::new(false)),
            clock: Mutex::new(Clock { started: Instant::now(), paused: Duration::ZERO, paused_since: None }),
            resumed: Condvar::new(),
            budget,
            status: Mutex::new(status),
            expected_end: Mutex::new(None),
            live: Mutex::new(None),
            events: Mutex::new(Some(events)),
            ended: Condvar::new(),
            live_solve: OnceLock::new(),
            help: OnceLock::new(),
        }
    }

    /// Stops the work and keeps the results so far.
    pub(crate) fn request_stop(&self) {
        self.stop_requested.store(true, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
        self.resume();
    }

    /// Returns whether the user requested a stop.
    pub(crate) fn stop_requested(&self) -> bool {
        self.stop_requested.load(Ordering::Relaxed)
    }

    /// Stops the work because it can no longer succeed.
    pub(crate) fn give_up(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(crate) fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn pause(&self) {
        let mut clock = lock(&self.clock);
        clock.paused_since.get_or_insert_with(Instant::now);
    }

    pub(crate) fn resume(&self) {
        let mut clock = lock(&self.clock);
        if let Some(since) = clock.paused_since.take() {
            clock.paused += since.elapsed();
        }
        self.resumed.notify_all();
    }

    pub(crate) fn is_paused(&self) -> bool {
        lock(&self.clock).paused_since.is_some()
    }

    /// Returns how long the last results of other machines are awaited after a stop.
    pub(crate) fn grace(&self) -> Duration {
        let at_end = |budget: Duration| (budget / 100).min(Duration::from_secs(10));
        // Half of the time that is reserved at the end of a budget.
        self.budget.filter(|_| !self.stop_requested()).map_or(Duration::from_secs(2), at_end)
    }

    /// Waits while the job is paused. Returns false if the job must end.
    pub(crate) fn proceed(&self) -> bool {
        let mut clock = lock(&self.clock);
        while clock.paused_since.is_some() && !self.is_stopped() {
            clock = self.resumed.wait(clock).unwrap_or_else(PoisonError::into_inner);
        }
        !self.is_stopped()
    }

    /// Returns the working time of the job.
    pub(crate) fn elapsed(&self) -> Duration {
        lock(&self.clock).elapsed()
    }

    /// Adds the time of an earlier part of the same job.
    pub(crate) fn add_earlier_time(&self, seconds: f64) {
        let mut clock = lock(&self.clock);
        if let Some(started) =
            Duration::try_from_secs_f64(seconds).ok().and_then(|it| clock.started.checked_sub(it))
        {
            clock.started = started;
        }
    }

    pub(crate) fn emit(&self, event: Event) {
        if let Some(events) = &*lock(&self.events) {
            // Nobody listens if the handle was dropped.
            let _ = events.send(event);
        }
    }

    /// Ends the stream of events.
    pub(crate) fn close_events(&self) {
        *lock(&self.events) = None;
        self.ended.notify_all();
    }

    /// Waits at most this long until the stream of events ends.
    pub(crate) fn wait_for_end(&self, time: Duration) {
        let events = lock(&self.events);
        // Callers check the job itself, so the reason for the wakeup does not matter.
        drop(self.ended.wait_timeout_while(events, time, |events| events.is_some()));
    }

    /// Makes the results of a solve available while it is running. A job does this once.
    pub(crate) fn share_solve(&self, solve: LiveSolve) {
        self.live_solve.get_or_init(|| solve);
    }

    pub(crate) fn live_solve(&self) -> Option<LiveSolve> {
        self.live_solve.get().cloned()
    }

    pub(crate) fn warn(&self, text: String) {
        self.emit(Event::Warning { text });
    }

    /// Warns that a resumed job has no profile, if one was requested.
    pub(crate) fn warn_of_missing_profile(&self, save: &Save) {
        if save.is_profiled() {
            let warning =
                "the record has no profile, because the job was resumed; use --overwrite to start over";
            self.warn(warning.to_owned());
        }
    }

    pub(crate) fn update(&self, change: impl FnOnce(&mut Status)) {
        change(&mut lock(&self.status));
    }

    pub(crate) fn status(&self) -> Status {
        let seconds = self.elapsed().as_secs_f64();
        let mut status = lock(&self.status).clone();
        status.seconds = seconds;
        status.left = match self.budget {
            Some(budget) => Some((budget.as_secs_f64() - seconds).max(0.0)),
            // An expected end in the past was wrong.
            None => {
                lock(&self.expected_end).map(|end| end.as_secs_f64() - seconds).filter(|left| *left >= 0.0)
            }
        };
        status
    }

    /// Estimates the end from the finished part of the work. An estimate that is much later than the previous one
    /// clears it, so that the time left never grows.
    pub(crate) fn expect_end(&self, part_done: f64) {
        /// Before this part is done, an estimate would be too rough.
        const MIN_PART: f64 = 0.05;
        /// A delay up to this factor keeps the previous estimate.
        const SLACK: f64 = 1.2;
        if !(MIN_PART..=1.0).contains(&part_done) {
            return;
        }
        let elapsed = self.elapsed().as_secs_f64();
        let end = elapsed / part_done;
        let mut expected = lock(&self.expected_end);
        *expected = match expected.map(|it| it.as_secs_f64()) {
            Some(previous) if end - elapsed > (previous - elapsed).max(1.0) * SLACK => None,
            Some(previous) => Duration::try_from_secs_f64(end.min(previous)).ok(),
            None => Duration::try_from_secs_f64(end).ok(),
        };
    }

    /// Starts writing the status to a file, every second.
    pub(crate) fn write_status_to(&self, live: Live) {
        *lock(&self.live) = Some((live, Instant::now()));
    }

    /// Removes the status file.
    pub(crate) fn remove_status_file(&self) {
        *lock(&self.live) = None;
    }

    /// Watches over the devices that help.
    pub(crate) fn set_help(&self, help: Option<Help>) {
        if let Some(help) = help {
            let _ = self.help.set(help);
        }
    }

    /// Returns the devices that help.
    pub(crate) fn devices(&self) -> Option<&Devices> {
        self.help.get().map(Help::devices)
    }

    /// Ends the work of the devices.
    pub(crate) fn finish_devices(&self) {
        if let Some(help) = self.help.get() {
            help.finish().into_iter().for_each(|warning| self.warn(warning));
        }
    }

    /// Adds what the devices did to a record.
    pub(crate) fn add_devices(&self, record: &mut Record) {
        if let Some(help) = self.help.get() {
            help.add_to(record);
        }
    }

    /// Adds what the devices did to a profile.
    pub(crate) fn describe_devices(&self, profile: &mut Profile) {
        if let Some(help) = self.help.get() {
            help.describe_in(profile);
        }
    }

    /// Runs `work` while a second thread watches the clock.
    pub(crate) fn watched<T>(&self, work: impl FnOnce() -> T) -> T {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    self.tick();
                    std::thread::park_timeout(TICK);
                }
            });
            let guard = WatcherGuard { done: &done, watcher: watcher.thread().clone() };
            let result = work();
            drop(guard);
            result
        })
    }

    fn tick(&self) {
        if self.budget.is_some_and(|budget| is_late(budget, self.elapsed())) {
            self.stop.store(true, Ordering::Relaxed);
        }
        if let Some(help) = self.help.get() {
            help.tick().into_iter().for_each(|warning| self.warn(warning));
        }
        if let Some((live, due)) = &mut *lock(&self.live)
            && Instant::now() >= *due
        {
            // The status file is optional, so errors are ignored.
            let _ = live.write(&self.status());
            *due = Instant::now() + STATUS_EVERY;
        }
    }
}

/// Returns whether the time is up. A fiftieth of it, at most 20 s, is reserved for the last steps and the files.
fn is_late(budget: Duration, elapsed: Duration) -> bool {
    elapsed + (budget / 50).min(Duration::from_secs(20)) >= budget
}

/// Ends a watcher thread when dropped, also if the work panics.
pub(crate) struct WatcherGuard<'e> {
    pub(crate) done: &'e AtomicBool,
    pub(crate) watcher: std::thread::Thread,
}

impl Drop for WatcherGuard<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        self.watcher.unpark();
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn control(budget: Option<Duration>) -> Control {
        Control::new(Status::default(), budget, channel().0)
    }

    #[test]
    fn a_budget_stops_the_work_shortly_before_its_end() {
        let minutes = |n: u64| Duration::from_secs(60 * n);
        let reserve = Duration::from_millis(1200);
        assert!(!is_late(minutes(1), minutes(1) - reserve - Duration::from_nanos(1)));
        assert!(is_late(minutes(1), minutes(1) - reserve));
        // The reserve of a long job is 20 s.
        assert!(!is_late(minutes(60), minutes(60) - Duration::from_secs(21)));
        assert!(is_late(minutes(60), minutes(60) - Duration::from_secs(20)));

        let control = control(Some(minutes(60)));
        control.tick();
        assert!(!control.is_stopped());
        control.add_earlier_time(3590.0);
        control.tick();
        assert!(control.is_stopped() && !control.stop_requested());
    }

    #[test]
    fn time_left_never_grows() {
        let control = control(None);
        control.add_earlier_time(100.0);
        // Too early for an estimate.
        control.expect_end(0.01);
        assert_eq!(control.status().left, None);
        control.expect_end(0.5);
        let left = control.status().left.unwrap();
        assert!((99.0..=101.0).contains(&left), "{left}");
        // A small delay keeps the estimate, a large one clears it.
        control.expect_end(0.48);
        assert!(control.status().left.unwrap() <= left);
        control.expect_end(0.2);
        assert_eq!(control.status().left, None);
        control.expect_end(0.9);
        assert!(control.status().left.unwrap() < 12.0);
    }

    #[test]
    fn a_paused_job_waits_and_its_clock_stops() {
        let control = control(None);
        control.pause();
        let before = control.elapsed();
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(control.elapsed(), before);
        let waited = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let proceed = control.proceed();
                waited.store(true, Ordering::Relaxed);
                proceed
            });
            std::thread::sleep(Duration::from_millis(30));
            assert!(!waited.load(Ordering::Relaxed));
            control.resume();
            assert!(waiter.join().unwrap());
        });
        control.pause();
        control.request_stop();
        assert!(!control.proceed(), "a stop ends a pause");
    }
}
