//! Starting a job, and the handle of a job that is running.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use batt_exec::devices::Devices;
use batt_record::live::Status;
use batt_search::Propose;
use batt_task::{Dataset, Index};
use batt_trace::Trace;

use crate::cluster::Cluster;
use crate::control::Control;
use crate::description::{Job, Work};
use crate::devices::{DeviceChoice, Help};
use crate::error::JobError;
use crate::event::Event;
use crate::live_solve::LiveSolve;
use crate::pool::Pool;
use crate::programs::Programs;
use crate::tasks::Tasks;
use crate::{RunOutcome, Saved, SearchOutcome, SolveOutcome, run, search, solve};

/// The result of a job.
pub enum Outcome {
    Run(Box<RunOutcome>),
    Solve(Box<SolveOutcome>),
    Search(Box<SearchOutcome>),
}

impl Outcome {
    /// Returns whether the job was stopped before its end.
    pub fn was_stopped(&self) -> bool {
        match self {
            Outcome::Run(it) => it.summary.left > 0,
            Outcome::Solve(it) => it.stopped,
            Outcome::Search(it) => it.stopped,
        }
    }

    /// Returns the files of the job.
    pub fn into_saved(self) -> Saved {
        match self {
            Outcome::Run(it) => it.saved,
            Outcome::Solve(it) => it.saved,
            Outcome::Search(it) => it.saved,
        }
    }
}

/// A job that is running on threads of its own.
///
/// ```
/// # use batt_job::{Job, Outcome, Work};
/// let mut job = Job::new("demo", Work::run());
/// job.tasks.limit = Some(5);
/// let running = job.start()?;
/// let outcome = running.wait()?;
/// let Outcome::Run(run) = outcome else { unreachable!() };
/// assert_eq!(run.summary.tasks, 5);
/// # Ok::<(), batt_job::JobError>(())
/// ```
pub struct Running {
    control: Arc<Control>,
    events: Receiver<Event>,
    thread: JoinHandle<Result<Outcome, JobError>>,
}

/// Programs can nest function calls deeply.
const STACK: usize = 256 << 20;

/// Objects that a job uses from the process that starts it. They exist in memory only, so they are not part of the
/// description.
#[derive(Clone, Default)]
pub struct Resources {
    /// A shared pool. Without one, the job starts threads of its own.
    pub pool: Option<Arc<Pool>>,
    /// The data set to select tasks from. Then [`TaskSelection::data`](crate::TaskSelection::data) is only its name.
    pub dataset: Option<Arc<Dataset>>,
    /// Suggests programs for the tasks of a solve.
    pub proposer: Option<Arc<dyn Propose>>,
    /// Machines that do the work. Without them, the threads of this process do it.
    pub cluster: Option<Arc<dyn Cluster>>,
    /// Devices that help, instead of those that the description names.
    pub devices: Option<Arc<Devices>>,
}

impl Job {
    /// Starts the job on a pool of its own.
    pub fn start(self) -> Result<Running, JobError> {
        self.start_with(Resources::default())
    }

    /// Checks the description, the programs and the data set without starting the job. Returns the number of tasks.
    pub fn check(&self) -> Result<usize, JobError> {
        self.validate()?;
        Programs::read(self)?;
        let index = Tasks::index(&self.tasks)?.select(&self.tasks.select());
        let n = index.map_err(|error| JobError::load(error, self.tasks.skip_bad))?.len();
        Ok(self.tasks.shard.map_or(n, |shard| shard.size(n)))
    }

    /// Starts the job with resources of this process.
    pub fn start_with(self, resources: Resources) -> Result<Running, JobError> {
        self.validate()?;
        if resources.proposer.is_some() && !matches!(self.work, Work::Solve(_)) {
            let remedy = "only a solve can use a proposer; remove it".to_owned();
            return Err(JobError::Field { field: "proposer", remedy });
        }
        if resources.proposer.is_some() && resources.cluster.is_some() {
            let remedy =
                "cannot be used on a cluster, because it exists on one machine only; remove it".to_owned();
            return Err(JobError::Field { field: "proposer", remedy });
        }
        if resources.cluster.is_some() && self.save.events {
            let remedy = "cannot be recorded on a cluster; remove this option".to_owned();
            return Err(JobError::Field { field: "events", remedy });
        }
        if resources.cluster.is_some() && matches!(self.devices, DeviceChoice::Named(_)) {
            let remedy = "cannot be named on a cluster, whose machines use their CPUs; use `auto` or `none`"
                .to_owned();
            return Err(JobError::Field { field: "device", remedy });
        }
        let (sender, events) = channel();
        let status = Status { kind: self.work.kind(), data: self.tasks.data.clone(), ..Status::default() };
        let budget = self.work.effort().and_then(|effort| effort.budget());
        let control = Arc::new(Control::new(status, budget, sender));
        let shared = Arc::clone(&control);
        let work = move || {
            let _end = EventsEnd(&shared);
            let outcome = shared.watched(|| execute(&self, &shared, resources));
            shared.remove_status_file();
            if shared.is_stopped() {
                shared.emit(Event::Stopped);
            } else if outcome.is_ok() {
                shared.emit(Event::Finished);
            }
            outcome
        };
        let thread = std::thread::Builder::new().name("job".to_owned()).stack_size(STACK);
        let thread = thread.spawn(work).map_err(JobError::Thread)?;
        Ok(Running { control, events, thread })
    }
}

/// Ends the stream of events, also when the job panics.
struct EventsEnd<'e>(&'e Control);

impl Drop for EventsEnd<'_> {
    fn drop(&mut self) {
        self.0.close_events();
    }
}

fn execute(job: &Job, control: &Control, resources: Resources) -> Result<Outcome, JobError> {
    let context = Context { job, control, resources };
    match &job.work {
        Work::Run(work) => run::run(&context, work).map(|it| Outcome::Run(Box::new(it))),
        Work::Solve(work) => solve::solve(&context, work).map(|it| Outcome::Solve(Box::new(it))),
        Work::Search(work) => search::search(&context, work).map(|it| Outcome::Search(Box::new(it))),
    }
}

/// The context of a job, the same for all kinds.
pub(crate) struct Context<'c> {
    pub(crate) job: &'c Job,
    pub(crate) control: &'c Control,
    resources: Resources,
}

impl Context<'_> {
    pub(crate) fn pool(&self) -> Result<Arc<Pool>, JobError> {
        match &self.resources.pool {
            Some(pool) => Ok(Arc::clone(pool)),
            None => Ok(Arc::new(Pool::new(self.job.usable_threads())?)),
        }
    }

    /// Returns the index of the whole data set.
    pub(crate) fn index(&self) -> Result<Index, JobError> {
        match &self.resources.dataset {
            Some(dataset) => Ok(Index::of(dataset)),
            None => Tasks::index(&self.job.tasks),
        }
    }

    pub(crate) fn cluster(&self) -> Option<&dyn Cluster> {
        self.resources.cluster.as_deref()
    }

    /// Opens the devices that may help.
    pub(crate) fn open_devices(&self, trace: Option<&Trace>) -> Result<(), JobError> {
        let help = match &self.resources.devices {
            Some(devices) => Some(Help::given(Arc::clone(devices))),
            // The machines of a cluster do the work.
            None if self.resources.cluster.is_some() => None,
            None => Help::start(self.job, trace, self.control)?,
        };
        self.control.set_help(help);
        Ok(())
    }

    pub(crate) fn proposer(&self) -> Option<&dyn Propose> {
        self.resources.proposer.as_deref()
    }
}

impl Running {
    /// Waits at most this long for the next event. After `None`, check [`Running::is_finished`] to see whether more can
    /// come.
    pub fn next_event(&self, wait: Duration) -> Option<Event> {
        match self.events.recv_timeout(wait) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                // The job is over. Sleep so that callers in a loop do not spin.
                std::thread::sleep(wait.min(Duration::from_millis(1)));
                None
            }
        }
    }

    /// Waits until the last event was sent, at most this long. Events do not end the wait, so a front end that polls for
    /// them at intervals takes no time from the job.
    pub fn wait_for_end(&self, time: Duration) {
        self.control.wait_for_end(time);
    }

    /// Returns a handle for other threads.
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.control))
    }

    /// Returns the progress of the job.
    pub fn status(&self) -> Status {
        self.control.status()
    }

    /// Stops the job; see [`Handle::stop`].
    pub fn stop(&self) {
        self.control.request_stop();
    }

    /// Returns whether the job has ended.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the end of the job.
    pub fn wait(self) -> Result<Outcome, JobError> {
        match self.thread.join() {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// Controls a running job from any thread.
#[derive(Clone)]
pub struct Handle(Arc<Control>);

impl Handle {
    /// Returns the progress of the job.
    pub fn status(&self) -> Status {
        self.0.status()
    }

    /// Returns the current results of a solve; `None` before its tasks are loaded, and for other jobs.
    pub fn live_solve(&self) -> Option<LiveSolve> {
        self.0.live_solve()
    }

    /// Pauses the job after the current steps. It keeps its memory, and its clock stops.
    pub fn pause(&self) {
        self.0.pause();
    }

    /// Resumes a paused job.
    pub fn resume(&self) {
        self.0.resume();
    }

    /// Stops the job and keeps the results so far. Its files are complete, and the same job can continue from them.
    pub fn stop(&self) {
        self.0.request_stop();
    }
}
