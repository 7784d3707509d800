//! Where the time of a command goes, if the user asks for it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use arcbatt::battery::Battery;
use arcbatt::profile::{self, Events};
use arcbatt::record::Profile;
use arcbatt::record::profile::Repeat;
use arcbatt::trace::{Clock, Level, MainSpan, Spot, Trace};

/// What a command writes of its run.
#[derive(Clone, clap::Args)]
pub(crate) struct Keep {
    /// Write the record: what was run or found, and how it went
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Record where the time goes, for `batt profile`
    #[arg(long, requires = "record")]
    pub(crate) profile: bool,
    /// Write a page for the browser, as `batt report` does; it says where the time went, too
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

/// A recording in the making, or none.
pub(crate) struct Recording {
    trace: Option<Trace>,
    events: Option<(Events, PathBuf)>,
}

/// How closely to look.
pub(crate) struct Wish<'w> {
    /// Where the record is written.
    pub(crate) record: &'w Path,
    pub(crate) deep: bool,
    pub(crate) events: bool,
}

impl Recording {
    pub(crate) fn new(wish: Option<Wish<'_>>) -> anyhow::Result<Recording> {
        let Some(Wish { record, deep, events }) = wish else {
            return Ok(Recording { trace: None, events: None });
        };
        let events = match events {
            true => {
                let path = record.with_extension("events.jsonl");
                let events =
                    Events::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
                Some((events, path))
            }
            false => None,
        };
        let level = if deep { Level::Deep } else { Level::Nodes };
        let trace = profile::trace(Clock::real(), level, events.as_ref().map(|(events, _)| events));
        Ok(Recording { trace: Some(trace), events })
    }

    /// Of a search, in which plans come and go.
    pub(crate) fn of_search(keep: &Keep) -> Recording {
        let wanted = keep.profile || keep.report.is_some();
        let trace = wanted.then(|| profile::trace_of_search(Clock::real(), Level::Nodes, None));
        Recording { trace, events: None }
    }

    pub(crate) fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// From now on the time of the main lane goes to `spot`.
    pub(crate) fn enter(&self, spot: Spot) -> Option<MainSpan<'_>> {
        self.trace.as_ref().map(|trace| trace.enter(spot))
    }

    /// Ends the recording; how this repetition went is added to the others.
    pub(crate) fn profile(
        &self,
        battery: &Battery<'_>,
        excused: usize,
        repeats: &mut Vec<Repeat>,
    ) -> Option<Box<Profile>> {
        let seen = self.trace.as_ref()?.finish();
        let events = self.events.as_ref().and_then(|(_, path)| path.file_name());
        let events = events.map(|name| name.to_string_lossy().into_owned());
        let profile = profile::profile(seen, battery, excused, repeats, events);
        repeats.extend(profile.repeats.last().cloned());
        Some(Box::new(profile))
    }

    /// Ends the recording of a search.
    pub(crate) fn profile_of_search(&self) -> Option<Box<Profile>> {
        let seen = self.trace.as_ref()?.finish();
        Some(Box::new(profile::profile_of_search(seen, None)))
    }

    /// What could not be written.
    pub(crate) fn close(mut self) -> anyhow::Result<()> {
        match self.events.take() {
            Some((events, path)) => {
                events.finish().with_context(|| format!("cannot write {}", path.display()))
            }
            None => Ok(()),
        }
    }
}

impl Drop for Recording {
    /// What was begun and not ended is of no use to anybody.
    fn drop(&mut self) {
        if let Some((_, path)) = self.events.take() {
            let _ = std::fs::remove_file(path);
        }
    }
}
