//! The use of the CPU by the thread of a lane: how long it ran, and how long others kept it from running.

use std::cell::{Cell, OnceCell};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::thread::ThreadId;

use crate::clock::Clock;

/// The use of the CPU by a thread over a recording. What the system does not tell is `None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThreadUse {
    /// CPU time outside of waits, in nanoseconds.
    pub cpu: Option<u64>,
    /// Time in which the thread was ready to run but waited for a CPU, in nanoseconds.
    pub queued: Option<u64>,
    /// Number of times that the thread was stopped to let another one run.
    pub preemptions: Option<u64>,
}

/// Measures the thread of a lane. All methods but [`finish`](ThreadMeter::finish) are called on that thread.
pub(crate) struct ThreadMeter {
    clock: Clock,
    state: Cell<State>,
    /// CPU time outside of waits until the last reading.
    cpu: Cell<u64>,
    scheduler: OnceCell<Scheduler>,
}

#[derive(Clone, Copy)]
enum State {
    /// The thread has not worked yet.
    New,
    /// At work.
    Working(Reading),
    Waiting(Reading),
    /// The system does not tell, or several threads wrote to the lane.
    Unknown,
}

/// The CPU time of a thread at a time on the clock, in nanoseconds.
#[derive(Clone, Copy)]
struct Reading {
    thread: ThreadId,
    cpu: u64,
    at: u64,
}

/// Reading CPU time is a system call. It is not read after shorter work, for which the thread is taken to have run:
/// another thread would have kept the CPU for longer. If that is wrong, the next reading corrects the sum.
const SHORT_WORK: u64 = 100_000;

/// The same for waits, in which threads sleep unless they are very short: a pool takes less than a microsecond from
/// one task to the next.
const SHORT_WAIT: u64 = 5_000;

impl ThreadMeter {
    pub(crate) fn new(clock: Clock) -> ThreadMeter {
        let (state, cpu) = (Cell::new(State::New), Cell::new(0));
        ThreadMeter { clock, state, cpu, scheduler: OnceCell::new() }
    }

    /// Ends a wait at the time `now`. Returns true if it was the first, which takes longer.
    pub(crate) fn begin_work(&self, now: u64) -> bool {
        let first = matches!(self.state.get(), State::New);
        if first {
            self.scheduler.get_or_init(|| Scheduler::open(&self.clock));
        }
        let reading = match self.state.get() {
            State::Waiting(last) => self.next(last, now, SHORT_WAIT),
            State::New => self.clock.cpu_time().map(|cpu| {
                let thread = std::thread::current().id();
                Reading { thread, cpu, at: now }
            }),
            State::Working(_) | State::Unknown => return false,
        };
        self.state.set(reading.map_or(State::Unknown, State::Working));
        first
    }

    /// Begins a wait at the time `now`.
    pub(crate) fn end_work(&self, now: u64) {
        self.read(now, SHORT_WORK);
        if let State::Working(reading) = self.state.get() {
            self.state.set(State::Waiting(reading));
        }
    }

    /// Returns the CPU time outside of waits until `now`, or `None` if it is unknown.
    pub(crate) fn worked(&self, now: u64) -> Option<u64> {
        self.read(now, SHORT_WORK);
        (!matches!(self.state.get(), State::Unknown)).then(|| self.cpu.get())
    }

    /// Adds the work since the last reading.
    fn read(&self, now: u64, short: u64) {
        if let State::Working(last) = self.state.get() {
            let reading = self.next(last, now, short);
            let cpu = reading.map_or(last.cpu, |reading| reading.cpu);
            self.cpu.set((self.cpu.get() + cpu).saturating_sub(last.cpu));
            self.state.set(reading.map_or(State::Unknown, State::Working));
        }
    }

    /// Returns the next reading, which is computed if less than `short` nanoseconds have passed.
    fn next(&self, last: Reading, now: u64, short: u64) -> Option<Reading> {
        if std::thread::current().id() != last.thread {
            return None;
        }
        let passed = now.saturating_sub(last.at);
        let cpu = if passed < short { last.cpu + passed } else { self.clock.cpu_time()? };
        Some(Reading { cpu, at: now, ..last })
    }

    pub(crate) fn finish(&self, now: u64) -> ThreadUse {
        self.read(now, 0);
        let cpu = match self.state.get() {
            State::New | State::Unknown => None,
            State::Working(_) | State::Waiting(_) => Some(self.cpu.get()),
        };
        let waits = self.scheduler.get().map(Scheduler::passed).unwrap_or_default();
        ThreadUse { cpu, queued: waits.queued, preemptions: waits.preemptions }
    }
}

/// The counts of the system's scheduler for a thread. The files stay open, because any thread can read them then.
#[derive(Default)]
struct Scheduler {
    schedstat: Option<File>,
    status: Option<File>,
    start: Waits,
}

#[derive(Clone, Copy, Default)]
struct Waits {
    queued: Option<u64>,
    preemptions: Option<u64>,
}

impl Scheduler {
    /// Opens the files of the current thread, if the system has them.
    fn open(clock: &Clock) -> Scheduler {
        if clock.is_manual() {
            return Scheduler::default();
        }
        let open = |name: &str| File::open(format!("/proc/thread-self/{name}")).ok();
        let scheduler =
            Scheduler { schedstat: open("schedstat"), status: open("status"), start: Waits::default() };
        Scheduler { start: scheduler.read(), ..scheduler }
    }

    fn read(&self) -> Waits {
        // CPU time, time in the queue, number of time slices.
        let queued = text(self.schedstat.as_ref()).and_then(|text| text.split(' ').nth(1)?.parse().ok());
        let switches = |text: String| {
            let value = text.lines().find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"))?;
            value.trim().parse().ok()
        };
        Waits { queued, preemptions: text(self.status.as_ref()).and_then(switches) }
    }

    /// Returns the counts since the files were opened.
    fn passed(&self) -> Waits {
        let since = |now: Option<u64>, start: Option<u64>| Some(now?.saturating_sub(start?));
        let (now, start) = (self.read(), self.start);
        Waits {
            queued: since(now.queued, start.queued),
            preemptions: since(now.preemptions, start.preemptions),
        }
    }
}

/// Reads a file of the system from its start. It fails if the thread has ended.
fn text(file: Option<&File>) -> Option<String> {
    let mut file = file?;
    file.seek(SeekFrom::Start(0)).ok()?;
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_no_cpu_time() {
        let (clock, time) = Clock::manual();
        let meter = ThreadMeter::new(clock.clone());
        let now = || clock.ns(clock.now());
        assert_eq!(meter.finish(now()), ThreadUse::default(), "it has not worked yet");
        assert!(meter.begin_work(now()));
        time.advance(100_000);
        time.suspend(30_000);
        assert_eq!(meter.worked(now()), Some(100_000));
        meter.end_work(now());
        // A long wait, and one that is too short to read the CPU time again.
        for wait in [50_000, 1_000] {
            time.advance(wait);
            assert!(!meter.begin_work(now()));
            time.advance(7);
            meter.end_work(now());
        }
        assert_eq!(meter.finish(now()).cpu, Some(100_014));
    }

    #[test]
    fn short_work_is_corrected_later() {
        let (clock, time) = Clock::manual();
        let meter = ThreadMeter::new(clock.clone());
        let now = || clock.ns(clock.now());
        meter.begin_work(now());
        time.advance(10_000);
        time.suspend(20_000);
        assert_eq!(meter.worked(now()), Some(30_000), "taken to have run");
        time.advance(200_000);
        assert_eq!(meter.worked(now()), Some(210_000));
    }

    #[test]
    fn a_lane_of_several_threads_is_not_measured() {
        let (clock, _time) = Clock::manual();
        let meter = ThreadMeter::new(clock);
        meter.begin_work(0);
        let meter = std::thread::spawn(move || {
            meter.end_work(1);
            meter
        });
        assert_eq!(meter.join().unwrap().finish(2).cpu, None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_what_a_thread_used() {
        let clock = Clock::real();
        let now = || clock.ns(clock.now());
        let meter = ThreadMeter::new(clock.clone());
        let start = now();
        meter.begin_work(start);
        let mut sum = 0u64;
        while now() - start < 3_000_000 {
            sum = std::hint::black_box(sum + 1);
        }
        meter.end_work(now());
        std::thread::sleep(std::time::Duration::from_millis(5));
        let end = now();
        // Another thread can read the counts while the first one lives.
        let used = std::thread::spawn(move || meter.finish(end)).join().unwrap();
        let (cpu, passed) = (used.cpu.unwrap(), end - start);
        assert!(cpu > 0 && cpu <= passed - 5_000_000, "{cpu} of {passed}");
        assert!(used.queued.is_some() && used.preemptions.is_some(), "{used:?}");
    }
}
