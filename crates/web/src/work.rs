//! Turns a request into a job, and the events of the job into progress.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arcbatt::record::Kind;
use arcbatt::{
    Effort, Event, Job, JobError, Mode, Pool, Profiling, ProgramSource, Resources, Run as RunWork, Save,
    Search, Solve, Work,
};

use crate::runs::{Places, Request, Run, RunError};

/// Interval between checks for stop requests.
const INTERVAL: Duration = Duration::from_millis(20);

/// The file of a solve's submission.
pub(crate) const SUBMISSION: &str = "submission.json";

/// Returns the job of a request, with its files in `folder`.
pub(crate) fn job(request: &Request, folder: &Path, places: &Places) -> Result<Job, RunError> {
    let seconds = request.seconds();
    let effort = match request.budget {
        Some(seconds) => Effort::Budget(seconds),
        None => Effort::cpu_time(Duration::try_from_secs_f64(seconds).unwrap_or_default()),
    };
    let (all_pairs, mode) = (request.all_pairs, request.mode.unwrap_or(Mode::Breed));
    let work = match request.kind {
        Kind::Run => Work::Run(RunWork { timeout: seconds, all_pairs, ..RunWork::default() }),
        Kind::Solve => Work::Solve(Solve { effort, ..Solve::default() }),
        Kind::Search => Work::Search(Search { mode, effort, seed: 0, store: places.store.clone() }),
    };
    let profile = if request.kind == Kind::Run { Profiling::Nodes } else { Profiling::Off };
    let submission = (request.kind == Kind::Solve).then(|| folder.join(SUBMISSION));
    let save =
        Save { submission, record: Some(folder.join(crate::runs::RECORD)), profile, ..Save::default() };
    let programs = request.programs.iter().cloned().map(ProgramSource::Text).collect();
    Ok(Job { programs, save, ..Job::new(&places.sets.source(&request.data)?, work) })
}

/// Carries out a job and reports its progress. Returns whether it finished.
pub(crate) fn work(run: &Run, job: Job, pool: &Arc<Pool>) -> Result<bool, JobError> {
    let running = job.start_with(Resources { pool: Some(Arc::clone(pool)), ..Resources::default() })?;
    let mut stopping = false;
    loop {
        let finished = running.is_finished();
        let event = running.next_event(INTERVAL);
        if run.is_halted() && !stopping {
            stopping = true;
            running.stop();
        }
        let over = finished && event.is_none();
        match event {
            Some(Event::Saved { path }) if path == run.record => run.record_written(),
            Some(Event::Warning { text }) => run.change(|now| now.warning = Some(text)),
            _ => {}
        }
        let status = running.status();
        run.change(|now| now.set_status(status));
        if over {
            break;
        }
    }
    let outcome = running.wait();
    run.record_written();
    let outcome = outcome?;
    let stopped = outcome.was_stopped();
    match outcome.into_saved().failed.into_iter().next() {
        Some(failed) => Err(failed),
        None => Ok(!stopped),
    }
}
