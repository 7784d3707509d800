//! The state that a job and its handle share: stop, pause, status, events, and the clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use batt_record::live::{Live, Status};

use crate::description::Save;
use crate::event::Event;

/// How often the clock is looked at.
const TICK: Duration = Duration::from_millis(20);
/// How often the status file is written.
const STATUS_EVERY: Duration = Duration::from_secs(1);

pub(crate) struct Control {
    /// The user asked for the job to end.
    asked: AtomicBool,
    /// The work is to end: asked for, or out of time.
    stop: Arc<AtomicBool>,
    clock: Mutex<Clock>,
    resumed: Condvar,
    /// Time for everything.
    budget: Option<Duration>,
    status: Mutex<Status>,
    /// When the job is expected to end, by its own clock: it is not moved back.
    expected_end: Mutex<Option<Duration>>,
    live: Mutex<Option<(Live, Instant)>>,
    /// Closed at the end, so that nobody waits for more.
    events: Mutex<Option<Sender<Event>>>,
    ended: Condvar,
}

/// Counts the time that the job works, without pauses.
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
            asked: AtomicBool::new(false),
            stop: Arc::new(AtomicBool::new(false)),
            clock: Mutex::new(Clock { started: Instant::now(), paused: Duration::ZERO, paused_since: None }),
            resumed: Condvar::new(),
            budget,
            status: Mutex::new(status),
            expected_end: Mutex::new(None),
            live: Mutex::new(None),
            events: Mutex::new(Some(events)),
            ended: Condvar::new(),
        }
    }

    /// Ends the work soon; what was found by then is kept.
    pub(crate) fn ask_to_stop(&self) {
        self.asked.store(true, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
        self.resume();
    }

    /// Whether the user asked for the job to end.
    pub(crate) fn was_asked_to_stop(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Ends the work because it cannot succeed any more.
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

    /// Waits while the job is paused. False: the job is to end.
    pub(crate) fn proceed(&self) -> bool {
        let mut clock = lock(&self.clock);
        while clock.paused_since.is_some() && !self.is_stopped() {
            clock = self.resumed.wait(clock).unwrap_or_else(PoisonError::into_inner);
        }
        !self.is_stopped()
    }

    /// The time that the job has worked.
    pub(crate) fn elapsed(&self) -> Duration {
        lock(&self.clock).elapsed()
    }

    /// Counts the time of an earlier part of the same job.
    pub(crate) fn began_earlier(&self, seconds: f64) {
        let mut clock = lock(&self.clock);
        if let Some(started) =
            Duration::try_from_secs_f64(seconds).ok().and_then(|it| clock.started.checked_sub(it))
        {
            clock.started = started;
        }
    }

    pub(crate) fn emit(&self, event: Event) {
        if let Some(events) = &*lock(&self.events) {
            // A handle that was dropped wants no news.
            let _ = events.send(event);
        }
    }

    /// Ends the stream of events.
    pub(crate) fn close_events(&self) {
        *lock(&self.events) = None;
        self.ended.notify_all();
    }

    /// Waits for the end of the events, at most this long.
    pub(crate) fn wait_for_end(&self, time: Duration) {
        let events = lock(&self.events);
        // Callers check the job itself, so the reason for the wakeup does not matter.
        drop(self.ended.wait_timeout_while(events, time, |events| events.is_some()));
    }

    pub(crate) fn warn(&self, text: String) {
        self.emit(Event::Warning { text });
    }

    /// Says that a job that was continued has no profile, if one was asked for.
    pub(crate) fn warn_of_lost_times(&self, save: &Save) {
        if save.is_profiled() {
            let why = "the times of an earlier part are not known, so the record has no profile";
            self.warn(format!("{why}; --overwrite does everything again"));
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
            // An end that is past was wrong.
            None => {
                lock(&self.expected_end).map(|end| end.as_secs_f64() - seconds).filter(|left| *left >= 0.0)
            }
        };
        status
    }

    /// Expects the end from the part of the work that is done. A later end than one that was announced takes the
    /// announcement back: time left never grows.
    pub(crate) fn expect_end(&self, part_done: f64) {
        /// Before this part is done the pace says little.
        const ENOUGH: f64 = 0.05;
        /// So much later is still the same announcement.
        const SLACK: f64 = 1.2;
        if !(ENOUGH..=1.0).contains(&part_done) {
            return;
        }
        let elapsed = self.elapsed().as_secs_f64();
        let end = elapsed / part_done;
        let mut expected = lock(&self.expected_end);
        *expected = match expected.map(|it| it.as_secs_f64()) {
            Some(announced) if end - elapsed > (announced - elapsed).max(1.0) * SLACK => None,
            Some(announced) => Duration::try_from_secs_f64(end.min(announced)).ok(),
            None => Duration::try_from_secs_f64(end).ok(),
        };
    }

    /// From now on the status is written to this file every second.
    pub(crate) fn show_in(&self, live: Live) {
        *lock(&self.live) = Some((live, Instant::now()));
    }

    /// Removes the status file.
    pub(crate) fn hide(&self) {
        *lock(&self.live) = None;
    }

    /// Runs `work` while a second thread watches the clock.
    pub(crate) fn watched<T>(&self, work: impl FnOnce() -> T) -> T {
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    self.tick();
                    std::thread::park_timeout(TICK);
                }
            });
            let end = Ender { over: &over, watcher: watcher.thread().clone() };
            let result = work();
            drop(end);
            result
        })
    }

    fn tick(&self) {
        if self.budget.is_some_and(|budget| is_late(budget, self.elapsed())) {
            self.stop.store(true, Ordering::Relaxed);
        }
        if let Some((live, due)) = &mut *lock(&self.live)
            && Instant::now() >= *due
        {
            // The job is worth no less if its status cannot be shown.
            let _ = live.write(&self.status());
            *due = Instant::now() + STATUS_EVERY;
        }
    }
}

/// Whether the time is over. A little of it is kept for the last step and for the files.
fn is_late(budget: Duration, elapsed: Duration) -> bool {
    elapsed + (budget / 50).min(Duration::from_secs(20)) >= budget
}

/// Ends a watching thread, also when the work panics.
pub(crate) struct Ender<'e> {
    pub(crate) over: &'e AtomicBool,
    pub(crate) watcher: std::thread::Thread,
}

impl Drop for Ender<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
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

    fn control() -> Control {
        Control::new(Status::default(), None, channel().0)
    }

    #[test]
    fn time_left_never_grows() {
        let control = control();
        control.began_earlier(100.0);
        // Too early to tell.
        control.expect_end(0.01);
        assert_eq!(control.status().left, None);
        control.expect_end(0.5);
        let announced = control.status().left.unwrap();
        assert!((99.0..=101.0).contains(&announced), "{announced}");
        // A little slower is still the same announcement; much slower takes it back.
        control.expect_end(0.48);
        assert!(control.status().left.unwrap() <= announced);
        control.expect_end(0.2);
        assert_eq!(control.status().left, None);
        control.expect_end(0.9);
        assert!(control.status().left.unwrap() < 12.0);
    }

    #[test]
    fn a_paused_job_waits_and_its_clock_stands_still() {
        let control = control();
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
        control.ask_to_stop();
        assert!(!control.proceed(), "a stop ends a pause");
    }
}
