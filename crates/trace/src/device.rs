//! The lane of a device, which its host thread writes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::lane::{ClosedLane, Lane};
use crate::spot::Spot;

/// The recorder of a device, for the thread that feeds it. Between batches the lane is idle; within a batch,
/// time belongs to the driver unless it is [split](DeviceLane::mark_split).
///
/// The lane starts when it is made and ends when it is dropped, or with the trace if that is earlier. Later
/// calls have no effect.
///
/// ```
/// use batt_trace::{Clock, Level, Spot, Trace};
///
/// let (clock, time) = Clock::manual();
/// let trace = Trace::new(clock, Level::Nodes, 0, None);
/// let lane = trace.device_lane("T4");
/// time.advance(7); // Wait for a batch.
/// lane.begin_batch();
/// time.advance(10); // Upload and run it. The device measured 3 ns and 5 ns.
/// lane.mark_split(&[(Spot::UPLOAD, 3), (Spot::KERNEL, 5)], Spot::DRIVER);
/// time.advance(2);
/// lane.mark_split(&[(Spot::DOWNLOAD, 2)], Spot::DRIVER);
/// lane.end_batch();
/// drop(lane);
/// let device = &trace.finish().lanes[1];
/// assert_eq!(device.wall(), 19);
/// ```
pub struct DeviceLane {
    number: u32,
    state: Arc<Mutex<State>>,
}

impl DeviceLane {
    pub(crate) fn new(number: u32, lane: Lane) -> (DeviceLane, SharedState) {
        let idle_since = Some(lane.last_ns());
        let open = Open { lane, idle_since, waits: Waits::default() };
        let state = Arc::new(Mutex::new(State::Open(Box::new(open))));
        (DeviceLane { number, state: Arc::clone(&state) }, SharedState(state))
    }

    /// Returns the number of the device, counted from 0 in the order in which the lanes were made.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Starts a batch: the device was idle until now.
    pub fn begin_batch(&self) {
        self.write(|open| {
            open.lane.set_current(Spot::DRIVER);
            open.end_wait();
        });
    }

    /// Books the time since the last stamp: the given nanoseconds to the given spots, in this order, and the
    /// rest to `rest`. Durations that do not fit are cut off.
    pub fn mark_split(&self, parts: &[(Spot, u64)], rest: Spot) {
        self.write(|open| open.lane.mark_split(parts, rest));
    }

    /// Ends a batch: the device is idle from now on. Time since the last stamp belongs to the driver.
    pub fn end_batch(&self) {
        self.write(|open| {
            open.lane.set_current(Spot::IDLE);
            open.idle_since = Some(open.lane.last_ns());
        });
    }

    fn write(&self, work: impl FnOnce(&mut Open)) {
        if let State::Open(open) = &mut *lock(&self.state) {
            work(open);
        }
    }
}

impl Drop for DeviceLane {
    fn drop(&mut self) {
        lock(&self.state).close();
    }
}

/// The state of a lane, as the trace holds it.
pub(crate) struct SharedState(Arc<Mutex<State>>);

impl SharedState {
    /// Ends the lane, unless it has ended, and returns its data. Only the first call returns them.
    pub(crate) fn take(&self) -> Option<ClosedLane> {
        let mut state = lock(&self.0);
        state.close();
        match std::mem::replace(&mut *state, State::Taken) {
            State::Closed(lane) => Some(*lane),
            State::Open(_) | State::Taken => None,
        }
    }
}

enum State {
    Open(Box<Open>),
    Closed(Box<ClosedLane>),
    Taken,
}

struct Open {
    lane: Lane,
    /// When the device became idle, in nanoseconds; `None` within a batch.
    idle_since: Option<u64>,
    waits: Waits,
}

impl Open {
    fn end_wait(&mut self) {
        if let Some(from) = self.idle_since.take() {
            self.waits.add(from, self.lane.last_ns());
        }
    }
}

impl State {
    fn close(&mut self) {
        if let State::Open(open) = self {
            let mut lane = open.lane.close();
            open.end_wait();
            lane.waits = std::mem::take(&mut open.waits.list);
            *self = State::Closed(Box::new(lane));
        }
    }
}

/// The longest waits of a device. A long job has millions of batches, so only a limited number is kept.
#[derive(Default)]
struct Waits {
    list: Vec<(u64, u64)>,
    /// Shorter waits are not kept.
    least: u64,
}

impl Waits {
    /// Enough for a picture.
    const MOST: usize = 1_000;

    fn add(&mut self, from: u64, to: u64) {
        if to - from < self.least.max(1) {
            return;
        }
        self.list.push((from, to));
        while self.list.len() > Waits::MOST {
            self.least = (2 * self.least).max(1_000);
            self.list.retain(|(from, to)| to - from >= self.least);
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
