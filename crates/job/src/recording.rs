//! Recording where the time of a job goes, if a profile is requested.

use std::path::PathBuf;

use batt_base::TempFile;
use batt_record::Profile;
use batt_record::profile::Repeat;
use batt_trace::{Clock, Level, MainSpan, Spot, Trace};

use crate::battery::Battery;
use crate::description::{Profiling, Save};
use crate::error::JobError;
use crate::profile::{self, Events};

/// The recording of a job; empty without a profile.
pub(crate) struct Recording {
    trace: Option<Trace>,
    /// The events, the temporary file that they are written to, and its final name.
    events: Option<(Events, TempFile, PathBuf)>,
}

impl Recording {
    /// Starts the recording of a run.
    pub(crate) fn of_run(save: &Save) -> Result<Recording, JobError> {
        if !save.is_profiled() {
            return Ok(Recording { trace: None, events: None });
        }
        let create = |path: PathBuf| {
            let events = TempFile::beside(&path).and_then(|temp| Ok((Events::create(temp.path())?, temp)));
            let (events, temp) = events.map_err(JobError::write(&path))?;
            Ok::<_, JobError>((events, temp, path))
        };
        let events = save.events_file().map(create).transpose()?;
        let level = level(save.profile);
        let trace = profile::trace(Clock::real(), level, events.as_ref().map(|(events, ..)| events));
        Ok(Recording { trace: Some(trace), events })
    }

    /// Starts the recording of a solve or a search.
    pub(crate) fn of_search(save: &Save) -> Recording {
        let trace =
            save.is_profiled().then(|| profile::trace_of_search(Clock::real(), level(save.profile), None));
        Recording { trace, events: None }
    }

    pub(crate) fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Books the time of the main lane to `spot` until the returned span is dropped.
    pub(crate) fn enter(&self, spot: Spot) -> Option<MainSpan<'_>> {
        self.trace.as_ref().map(|trace| trace.enter(spot))
    }

    /// Ends the recording of a run and adds it to the repetitions.
    pub(crate) fn profile(
        &self,
        battery: &Battery<'_>,
        excused: usize,
        repeats: &mut Vec<Repeat>,
    ) -> Option<Box<Profile>> {
        let data = self.trace.as_ref()?.finish();
        let events = self.events.as_ref().and_then(|(.., path)| path.file_name());
        let events = events.map(|name| name.to_string_lossy().into_owned());
        let profile = profile::profile(data, battery, excused, repeats, events);
        repeats.extend(profile.repeats.last().cloned());
        Some(Box::new(profile))
    }

    /// Ends the recording of a solve or a search.
    pub(crate) fn profile_of_search(&self) -> Option<Box<Profile>> {
        let data = self.trace.as_ref()?.finish();
        Some(Box::new(profile::profile_of_search(data, None)))
    }

    /// Finishes the file of events. Returns its path, if there is one.
    pub(crate) fn close(self) -> Result<Option<PathBuf>, JobError> {
        let Some((events, temp, path)) = self.events else { return Ok(None) };
        events.finish().and_then(|()| temp.rename(&path)).map_err(JobError::write(&path))?;
        Ok(Some(path))
    }
}

fn level(profiling: Profiling) -> Level {
    if profiling == Profiling::Calls { Level::Deep } else { Level::Nodes }
}
