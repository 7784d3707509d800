//! The host threads of devices, and the queue that they take batches from.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use batt_device::{Answerer, Answers, Batch, DeviceError};
use batt_trace::{DeviceLane, Spot};

/// A device that is to help.
pub struct Helper {
    pub name: String,
    /// The smallest batch that it takes.
    pub min_jobs: u64,
    /// Opens the device, on its host thread: compiling the kernels can take seconds.
    pub open: Box<dyn FnOnce() -> Result<Box<dyn Answerer>, DeviceError> + Send>,
    /// Records its time.
    pub lane: Option<DeviceLane>,
}

/// The devices that help with a job. Dropping it [closes](Devices::close) them.
pub struct Devices {
    shared: Arc<Shared>,
    /// Whether the CPU waits for answers. For tests and measurements.
    patient: bool,
    /// The number of [ticks](Devices::tick) after which a device that works on the same batch is dropped.
    max_ticks: u64,
    /// Whether plans are asked for, and not only the operations of enumeration.
    plans: bool,
}

/// The work of a device so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HelperReport {
    pub name: String,
    /// Whether its kernels are compiled.
    pub is_open: bool,
    pub batches: u64,
    /// The number of jobs in them.
    pub jobs: u64,
    /// Jobs with an answer. The others were passed on to the CPU.
    pub answered: u64,
    /// Answers that the CPU used.
    pub used: u64,
    /// Jobs that the CPU computed because the answer was not there yet.
    pub late: u64,
    /// Why it was dropped.
    pub lost: Option<String>,
}

struct Shared {
    queue: Mutex<Queue>,
    /// Wakes host threads when there is a batch, patient tickets when there are answers, and the caller of `close` when
    /// a thread ends. All wait with the lock on `queue`, so every change that they wait for is made with it.
    changed: Condvar,
    helpers: Vec<Known>,
}

/// The batches that no device has begun with, and what each device does.
struct Queue {
    open: VecDeque<Arc<Request>>,
    closed: bool,
    hosts: Vec<State>,
}

/// The facts about a helper that are read without the lock.
struct Known {
    name: String,
    min_jobs: u64,
    is_lost: AtomicBool,
    used: AtomicU64,
    late: AtomicU64,
}

/// The state of a helper.
struct State {
    doing: Doing,
    /// The number of [ticks](Devices::tick) since the current batch, or opening the device, began.
    ticks: u64,
    is_open: bool,
    /// Why it was lost.
    lost: Option<String>,
    /// Whether a tick has returned the loss.
    is_reported: bool,
    batches: u64,
    jobs: u64,
    answered: u64,
}

enum Doing {
    Opening,
    Idle,
    Answering(Arc<Request>),
    /// It was dropped during a call of its driver, which may never return.
    Dropped,
    /// The host thread frees the device.
    Freeing,
    /// The device is free, and the host thread has ended.
    Ended,
}

/// A batch in the queue, and its answers.
struct Request {
    batch: Batch,
    cancelled: AtomicBool,
    /// The answers, with the number of the helper. `None` if no device will answer.
    answers: OnceLock<Option<(Answers, usize)>>,
}

/// A batch that was asked. Dropping it takes the batch back if no device has begun with it.
pub struct Ticket {
    request: Arc<Request>,
    shared: Arc<Shared>,
    patient: bool,
}

/// The most batches in the queue. Further ones would be answered too late.
const MAX_OPEN: usize = 64;
/// Opening a device may take this many times as long as a batch, because the kernels are compiled.
const OPEN_FACTOR: u64 = 12;
/// Batches take milliseconds, so ten seconds are a hang.
const MAX_TICKS: u64 = 100;
/// How long [`Devices::close`] waits for a last batch and for drivers that free their devices, both of which take
/// milliseconds.
const CLOSE_WAIT: Duration = Duration::from_secs(2);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Devices {
    /// Starts a host thread for each helper.
    pub fn start(helpers: Vec<Helper>) -> Devices {
        let known = |helper: &Helper| Known {
            name: helper.name.clone(),
            min_jobs: helper.min_jobs,
            is_lost: AtomicBool::new(false),
            used: AtomicU64::new(0),
            late: AtomicU64::new(0),
        };
        let state = |_: &Helper| State {
            doing: Doing::Opening,
            ticks: 0,
            is_open: false,
            lost: None,
            is_reported: false,
            batches: 0,
            jobs: 0,
            answered: 0,
        };
        let hosts = helpers.iter().map(state).collect();
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue { open: VecDeque::new(), closed: false, hosts }),
            changed: Condvar::new(),
            helpers: helpers.iter().map(known).collect(),
        });
        for (number, helper) in helpers.into_iter().enumerate() {
            let host = Host { shared: shared.clone(), number, lane: helper.lane };
            let open = helper.open;
            // The thread is never joined, because a driver may block it forever.
            if let Err(error) = std::thread::Builder::new().name(helper.name).spawn(move || host.work(open)) {
                shared.lose(number, &format!("its thread cannot be started: {error}"));
            }
        }
        Devices { shared, patient: false, max_ticks: MAX_TICKS, plans: true }
    }

    /// Makes the CPU wait for answers instead of computing on. For tests and measurements.
    pub fn patient(mut self) -> Devices {
        self.patient = true;
        self
    }

    /// Leaves plans to the CPU.
    pub fn without_plans(mut self) -> Devices {
        self.plans = false;
        self
    }

    /// Returns whether plans are asked for.
    pub fn help_plans(&self) -> bool {
        self.plans
    }

    /// Drops a device that works on the same batch for this number of [ticks](Devices::tick).
    pub fn with_max_ticks(mut self, ticks: u64) -> Devices {
        self.max_ticks = ticks;
        self
    }

    /// Returns whether a device may take a batch of this size.
    pub fn may_take(&self, jobs: usize) -> bool {
        self.shared.may_take(jobs)
    }

    /// Returns whether the queue takes no batch now, because it is full or closed.
    pub fn is_full(&self) -> bool {
        !self.has_room(&lock(&self.shared.queue))
    }

    fn has_room(&self, queue: &Queue) -> bool {
        !queue.closed && (self.patient || queue.open.len() < MAX_OPEN)
    }

    /// Returns whether a device is left.
    pub fn any_left(&self) -> bool {
        self.shared.helpers.iter().any(|helper| !helper.is_lost.load(Ordering::Acquire))
    }

    /// Asks the devices for answers. Returns `None` if no device would take the batch.
    pub fn ask(&self, batch: Batch) -> Option<Ticket> {
        let mut queue = lock(&self.shared.queue);
        if !self.has_room(&queue) || !self.shared.may_take(batch.jobs.len()) {
            return None;
        }
        let request =
            Arc::new(Request { batch, cancelled: AtomicBool::new(false), answers: OnceLock::new() });
        queue.open.push_back(request.clone());
        drop(queue);
        self.shared.changed.notify_all();
        Some(Ticket { request, shared: self.shared.clone(), patient: self.patient })
    }

    /// Counts the time of the devices. The caller calls it about ten times a second; a device that works on the same
    /// batch for too long is dropped. Returns the devices that were lost since the last call, with the reason.
    pub fn tick(&self) -> Vec<(String, String)> {
        self.tick_with(self.max_ticks, OPEN_FACTOR.saturating_mul(self.max_ticks))
    }

    /// Drops the devices that still work on a batch, after the end. A device that is being opened is not dropped: it
    /// was not needed. Returns the same as [`tick`](Devices::tick).
    pub fn drop_busy(&self) -> Vec<(String, String)> {
        self.tick_with(0, u64::MAX)
    }

    fn tick_with(&self, batch_limit: u64, open_limit: u64) -> Vec<(String, String)> {
        let mut queue = lock(&self.shared.queue);
        let mut lost = Vec::new();
        for (number, helper) in self.shared.helpers.iter().enumerate() {
            let host = &mut queue.hosts[number];
            host.ticks += 1;
            let hang = match host.doing {
                Doing::Opening if host.ticks >= open_limit => {
                    Some("its driver does not finish compiling the kernels")
                }
                Doing::Answering(_) if host.ticks >= batch_limit => Some("it does not answer any more"),
                _ => None,
            };
            if let Some(reason) = hang {
                self.shared.lose_with(&mut queue, number, reason);
            }
            let host = &mut queue.hosts[number];
            if let Some(reason) = &host.lost
                && !host.is_reported
            {
                host.is_reported = true;
                lost.push((helper.name.clone(), reason.clone()));
            }
        }
        lost
    }

    /// Returns what each device did.
    pub fn reports(&self) -> Vec<HelperReport> {
        let queue = lock(&self.shared.queue);
        let report = |(helper, host): (&Known, &State)| HelperReport {
            name: helper.name.clone(),
            is_open: host.is_open,
            batches: host.batches,
            jobs: host.jobs,
            answered: host.answered,
            used: helper.used.load(Ordering::Relaxed),
            late: helper.late.load(Ordering::Relaxed),
            lost: host.lost.clone(),
        };
        self.shared.helpers.iter().zip(&queue.hosts).map(report).collect()
    }

    /// Ends the host threads. Waits at most two seconds until those that can end have freed their devices. Does not wait
    /// for a device that is being opened, or that was dropped during a call of its driver.
    pub fn close(&self) {
        let mut queue = lock(&self.shared.queue);
        if std::mem::replace(&mut queue.closed, true) {
            return;
        }
        queue.open.clear();
        self.shared.changed.notify_all();
        let may_end = |host: &State| matches!(host.doing, Doing::Idle | Doing::Answering(_) | Doing::Freeing);
        let wait = |queue: &mut Queue| queue.hosts.iter().any(may_end);
        drop(self.shared.changed.wait_timeout_while(queue, CLOSE_WAIT, wait));
    }

    /// Returns whether a device is working on a batch and not lost.
    pub fn any_busy(&self) -> bool {
        let busy = |host: &State| matches!(host.doing, Doing::Answering(_));
        lock(&self.shared.queue).hosts.iter().any(busy)
    }
}

impl Drop for Devices {
    fn drop(&mut self) {
        self.close();
    }
}

impl Known {
    fn may_take(&self, jobs: usize) -> bool {
        jobs as u64 >= self.min_jobs && !self.is_lost.load(Ordering::Acquire)
    }
}

impl Shared {
    /// Returns whether a device is left that takes batches of this size.
    fn may_take(&self, jobs: usize) -> bool {
        self.helpers.iter().any(|helper| helper.may_take(jobs))
    }

    fn lose(&self, number: usize, reason: &str) {
        self.lose_with(&mut lock(&self.queue), number, reason);
    }

    /// Drops a helper, and gives its batch to another one. Batches that no helper takes get no answer. Only the first
    /// reason counts.
    fn lose_with(&self, queue: &mut Queue, number: usize, reason: &str) {
        let host = &mut queue.hosts[number];
        if host.lost.is_some() {
            return;
        }
        host.lost = Some(reason.to_owned());
        self.helpers[number].is_lost.store(true, Ordering::Release);
        match std::mem::replace(&mut host.doing, Doing::Dropped) {
            Doing::Answering(request) if request.cancelled.load(Ordering::Relaxed) => {}
            Doing::Answering(request) => queue.open.push_front(request),
            Doing::Opening | Doing::Dropped => {}
            // Its thread waits for a batch, or ends.
            doing @ (Doing::Idle | Doing::Freeing | Doing::Ended) => host.doing = doing,
        }
        queue.open.retain(|request| {
            let may_come = self.may_take(request.batch.jobs.len());
            if !may_come {
                // No device works on it, so nothing else sets the answers.
                let _ = request.answers.set(None);
            }
            may_come
        });
        self.changed.notify_all();
    }
}

/// The host thread of a device.
struct Host {
    shared: Arc<Shared>,
    number: usize,
    lane: Option<DeviceLane>,
}

impl Drop for Host {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.lose(self.number, "its host thread panicked");
        }
        // The recording of the lane ends first, because the caller of `close` may read it.
        self.lane = None;
        lock(&self.shared.queue).hosts[self.number].doing = Doing::Ended;
        self.shared.changed.notify_all();
    }
}

impl Host {
    fn work(self, open: Box<dyn FnOnce() -> Result<Box<dyn Answerer>, DeviceError> + Send>) {
        if let Some(lane) = &self.lane {
            lane.begin_batch();
        }
        let opened = open();
        if let Some(lane) = &self.lane {
            lane.end_batch();
        }
        let mut answerer = match opened {
            Ok(answerer) => answerer,
            Err(error) => return self.shared.lose(self.number, &error.to_string()),
        };
        lock(&self.shared.queue).hosts[self.number].is_open = true;
        while let Some(request) = self.next() {
            self.answer(&mut *answerer, &request);
        }
    }

    /// Waits for the next batch; `None` at the end.
    fn next(&self) -> Option<Arc<Request>> {
        let helper = &self.shared.helpers[self.number];
        let mut queue = lock(&self.shared.queue);
        loop {
            let Queue { open, closed, hosts } = &mut *queue;
            let host = &mut hosts[self.number];
            if *closed || host.lost.is_some() {
                host.doing = Doing::Freeing;
                return None;
            }
            if let Some(at) = open.iter().position(|open| helper.may_take(open.batch.jobs.len())) {
                let request = open.remove(at)?;
                host.ticks = 0;
                host.doing = Doing::Answering(request.clone());
                return Some(request);
            }
            host.doing = Doing::Idle;
            queue = self.shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn answer(&self, answerer: &mut dyn Answerer, request: &Request) {
        if let Some(lane) = &self.lane {
            lane.begin_batch();
        }
        let answers = answerer.answer(&request.batch).and_then(|answers| {
            answers.check(&request.batch)?;
            Ok(answers)
        });
        if let Some(lane) = &self.lane {
            let times = answers.as_ref().map(|answers| answers.times).unwrap_or_default();
            let parts = [
                (Spot::UPLOAD, times.upload),
                (Spot::KERNEL, times.kernel),
                (Spot::DOWNLOAD, times.download),
            ];
            lane.mark_split(&parts, Spot::DRIVER);
            lane.end_batch();
        }
        let mut queue = lock(&self.shared.queue);
        match answers {
            Err(error) => self.shared.lose_with(&mut queue, self.number, &error.to_string()),
            Ok(answers) => {
                let host = &mut queue.hosts[self.number];
                // The batch of a device that was dropped meanwhile belongs to another one.
                if host.lost.is_none() {
                    host.batches += 1;
                    host.jobs += answers.len() as u64;
                    host.answered += answers.n_answered() as u64;
                    host.doing = Doing::Idle;
                    let _ = request.answers.set(Some((answers, self.number)));
                    self.shared.changed.notify_all();
                }
            }
        }
    }
}

impl Ticket {
    /// Returns the answers if they are there. A patient ticket waits until they are, or no device is left.
    pub fn answers(&self) -> Option<&Answers> {
        if self.patient && self.request.answers.get().is_none() {
            let mut queue = lock(&self.shared.queue);
            while self.request.answers.get().is_none() && !queue.closed && self.may_come() {
                queue = self.shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
        }
        let (answers, number) = self.request.answers.get()?.as_ref()?;
        let is_lost = self.shared.helpers[*number].is_lost.load(Ordering::Acquire);
        (!is_lost).then_some(answers)
    }

    /// Returns whether a device is left that could answer.
    fn may_come(&self) -> bool {
        self.shared.may_take(self.request.batch.jobs.len())
    }

    /// Returns the batch that was asked.
    pub fn batch(&self) -> &Batch {
        &self.request.batch
    }

    /// Counts answers that the CPU used, and jobs that it computed before their answers came.
    pub fn count(&self, used: u64, late: u64) {
        let answered_by =
            self.request.answers.get().and_then(|answers| answers.as_ref().map(|(_, number)| *number));
        let helpers = &self.shared.helpers;
        // Without an answer, the first device that could have given one is late.
        let slow = || helpers.iter().position(|helper| helper.may_take(self.request.batch.jobs.len()));
        if let Some(number) = answered_by.or_else(slow) {
            helpers[number].used.fetch_add(used, Ordering::Relaxed);
            helpers[number].late.fetch_add(late, Ordering::Relaxed);
        }
    }

    /// Drops the device that answered, because an answer is wrong.
    pub fn distrust(&self, reason: &str) {
        if let Some(Some((_, number))) = self.request.answers.get() {
            let error = DeviceError::Nonsense { reason: reason.to_owned() };
            self.shared.lose(*number, &error.to_string());
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut queue = lock(&self.shared.queue);
        self.request.cancelled.store(true, Ordering::Relaxed);
        queue.open.retain(|open| !Arc::ptr_eq(open, &self.request));
    }
}
