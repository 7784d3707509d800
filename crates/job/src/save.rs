//! The files of a job: checked before the work begins, whole at any moment, and never those of another job.
//!
//! A save that fails while the job works is a warning, and the next save tries again. A save that fails at the end
//! writes the result to another place.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use batt_base::TempFile;
use batt_record::live::Live;
use batt_record::{Header, Record, SCHEMA, Setup, State};
use batt_task::submission::Submission;

use crate::control::Control;
use crate::description::{Existing, Save};
use crate::error::JobError;
use crate::event::Event;
use crate::identity::{describe, difference};
use crate::save_timer::SaveTimer;

/// How often files are brought up to date.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// What a job has written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Saved {
    pub submission: Option<SubmissionState>,
    pub record: Option<PathBuf>,
    pub report: Option<PathBuf>,
    pub programs: Option<PathBuf>,
}

impl Saved {
    /// All files, in the order in which people look for them.
    pub fn files(&self) -> Vec<&Path> {
        let submission = self.submission.as_ref().map(|it| &it.path);
        [submission, self.record.as_ref(), self.report.as_ref(), self.programs.as_ref()]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
            .collect()
    }
}

/// Whether a submission can be handed in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubmissionState {
    pub path: PathBuf,
    /// Tasks that it answers.
    pub tasks: usize,
    /// Tasks of the data set.
    pub of: usize,
    /// Defects that `batt check` finds.
    pub defects: usize,
}

impl SubmissionState {
    /// Whether it answers every task of the data set without a defect.
    pub fn is_complete(&self) -> bool {
        self.tasks == self.of && self.defects == 0
    }

    /// Checks a submission as it was written. `tasks`: ids and numbers of test inputs; `of`: the size of the data set.
    pub(crate) fn check<'t>(
        path: &Path,
        tasks: impl IntoIterator<Item = (&'t str, usize)>,
        of: usize,
    ) -> SubmissionState {
        let tasks: Vec<(&str, usize)> = tasks.into_iter().collect();
        let n = tasks.len();
        let submission = fs::read(path).ok().and_then(|text| Submission::parse(&text).ok());
        let defects = submission.map_or(1, |it| it.check(tasks).len());
        SubmissionState { path: path.to_owned(), tasks: n, of, defects }
    }
}

/// The files of one job.
pub(crate) struct Files<'f> {
    save: &'f Save,
    control: &'f Control,
    /// See [`Save::record_file`].
    pub(crate) record: Option<PathBuf>,
    timer: SaveTimer,
    /// What a failed save was last warned about, so that a full disk is not reported every few seconds.
    warned: Option<String>,
}

/// What to continue from.
pub(crate) struct Earlier {
    pub(crate) state: Option<State>,
    pub(crate) record: Option<Record>,
}

impl<'f> Files<'f> {
    /// Checks that all files can be written and belong to this job, before any work is done. Returns what to continue
    /// from, if anything.
    pub(crate) fn claim(
        save: &'f Save,
        control: &'f Control,
        identity: &str,
        setup: &Setup,
    ) -> Result<(Files<'f>, Earlier), JobError> {
        let record = save.record_file();
        let mut claim = Claim { existing: save.existing, identity, setup, same: false };
        let state = save.submission.as_deref().map(Save::state_of);
        let state = state.map(|path| claim.state(&path)).transpose()?.flatten();
        let earlier = save.record.as_deref().map(|path| claim.record(path)).transpose()?.flatten();
        let written = [&save.submission, &save.programs, &save.report];
        for path in written.into_iter().flatten().chain(&record) {
            claim.plain(path, Some(path) == record.as_ref())?;
        }
        if save.existing == Existing::Resume && !claim.same {
            let path = save.submission.as_deref().map(Save::state_of).or(save.record.clone());
            let why =
                "there is no such file, or nothing to continue in it; leave out --resume to start".to_owned();
            return Err(JobError::Resume { path: path.unwrap_or_default(), why });
        }
        // A repeated run begins anew.
        control.hide();
        if let Some(record) = record.as_deref().filter(|path| is_plain(path)) {
            match Live::begin(record) {
                Ok(live) => control.show_in(live),
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    let error = io::Error::other("another job is writing it; name another file");
                    return Err(JobError::Write { path: record.to_owned(), error });
                }
                // A job is worth no less if its status cannot be shown.
                Err(_) => {}
            }
        }
        let timer = SaveTimer::new(Instant::now(), SAVE_EVERY);
        Ok((Files { save, control, record, timer, warned: None }, Earlier { state, record: earlier }))
    }

    pub(crate) fn submission(&self) -> Option<&'f Path> {
        self.save.submission.as_deref()
    }

    /// Whether it is time to bring the files up to date.
    pub(crate) fn is_due(&self) -> bool {
        self.timer.is_now(Instant::now())
    }

    /// Brings files up to date. `write` is given each file that can be written more than once.
    pub(crate) fn update(&mut self, mut write: impl FnMut(Target<'_>) -> io::Result<()>) {
        let begun = Instant::now();
        let record = self.record.clone();
        let targets =
            [self.save.submission.as_deref().map(Target::Submission), record.as_deref().map(Target::Record)];
        for target in targets.into_iter().flatten().filter(|target| is_plain(target.path())) {
            let written = write(target);
            self.report(target.path(), written);
        }
        self.timer.done(begun, Instant::now());
    }

    /// Tells how a save went. A failure is no more than a warning, because the next save tries again.
    pub(crate) fn report(&mut self, path: &Path, saved: io::Result<()>) {
        match saved {
            Ok(()) => {
                self.warned = None;
                self.control.emit(Event::Saved { path: path.to_owned() });
            }
            Err(error) => {
                let text = format!("cannot write {}: {error}; trying again at the next save", path.display());
                if self.warned.as_ref() != Some(&text) {
                    self.control.warn(text.clone());
                }
                self.warned = Some(text);
            }
        }
    }

    /// Writes a file for the last time. If that fails, it is written to another place, and the error says where.
    pub(crate) fn finish(
        &mut self,
        path: &Path,
        mut write: impl FnMut(&Path) -> io::Result<()>,
    ) -> Result<(), JobError> {
        let Err(error) = write(path) else {
            self.control.emit(Event::Saved { path: path.to_owned() });
            return Ok(());
        };
        let path = path.to_owned();
        for folder in [std::env::temp_dir(), PathBuf::from(".")] {
            let rescued = folder.join(format!("rescued-{}", file_name(&path)));
            if !rescued.exists() && write(&rescued).is_ok() {
                return Err(JobError::Rescued { path, error, rescued });
            }
        }
        Err(JobError::Write { path, error })
    }
}

/// A file that is brought up to date while the job works.
#[derive(Clone, Copy)]
pub(crate) enum Target<'t> {
    Submission(&'t Path),
    Record(&'t Path),
}

impl<'t> Target<'t> {
    fn path(self) -> &'t Path {
        match self {
            Target::Submission(path) | Target::Record(path) => path,
        }
    }
}

/// Decides whether the files that are there may be replaced.
struct Claim<'c> {
    existing: Existing,
    identity: &'c str,
    setup: &'c Setup,
    /// A file of this very job was found.
    same: bool,
}

impl Claim<'_> {
    /// The state of an earlier part of this job.
    fn state(&mut self, path: &Path) -> Result<Option<State>, JobError> {
        let Some(header) = self.header(path)? else { return Ok(None) };
        let read = || State::read(path).map_err(|error| self.cannot_continue(path, error.to_string()));
        if header.schema == SCHEMA && header.kind == State::KIND && header.job == self.identity {
            let state = read()?;
            self.same = true;
            return Ok(Some(state));
        }
        let state = read()?;
        Err(self.refuse(path, "solve", &state.setup))
    }

    /// The record of an earlier part of this job.
    fn record(&mut self, path: &Path) -> Result<Option<Record>, JobError> {
        if !path.exists() || fs::metadata(path).is_ok_and(|there| !there.is_file() || there.len() == 0) {
            return Ok(None);
        }
        let Some(header) = self.header(path)? else { return Ok(None) };
        let read = || Record::read(path).map_err(|error| self.cannot_continue(path, error.to_string()));
        let record = read()?;
        if header.schema == SCHEMA && header.job == self.identity {
            self.same = true;
            return Ok(Some(record));
        }
        Err(self.refuse(path, record.kind.name(), &record.setup))
    }

    /// The header of a file that is there and may not simply be replaced.
    fn header(&self, path: &Path) -> Result<Option<Header>, JobError> {
        if self.existing == Existing::Overwrite || !path.exists() {
            return Ok(None);
        }
        let header = Header::read(path).map_err(|error| JobError::Read { path: path.to_owned(), error })?;
        match header {
            Some(header) => Ok(Some(header)),
            None => Err(exists(path, "it is not a file of batt".to_owned())),
        }
    }

    /// A file that is of another job or does not tell.
    fn plain(&self, path: &Path, is_record: bool) -> Result<(), JobError> {
        let there = match fs::metadata(path) {
            Ok(there) if there.is_dir() => {
                return Err(JobError::write(path)(io::ErrorKind::IsADirectory.into()));
            }
            // A pipe or a device holds nothing that could be lost.
            Ok(there) if !there.is_file() => return Ok(()),
            Ok(there) => there.len() > 0,
            Err(_) => false,
        };
        let free = self.existing == Existing::Overwrite || self.same || is_record || is_report(path);
        if there && !free {
            return Err(exists(path, "it may be the only copy of somebody's work".to_owned()));
        }
        TempFile::beside(path).map(drop).map_err(JobError::write(path))
    }

    fn refuse(&self, path: &Path, kind: &str, theirs: &Setup) -> JobError {
        let what = format!(
            "it belongs to another job, {}, with {}",
            describe(kind, theirs),
            difference(self.setup, theirs)
        );
        match self.existing {
            Existing::Resume => JobError::Resume { path: path.to_owned(), why: what },
            _ => exists(path, what),
        }
    }

    fn cannot_continue(&self, path: &Path, why: String) -> JobError {
        match self.existing {
            Existing::Resume => JobError::Resume { path: path.to_owned(), why },
            _ => exists(path, why),
        }
    }
}

fn exists(path: &Path, what: String) -> JobError {
    let remedy = "--overwrite replaces it; --resume continues the job that it belongs to, \
                  if that is run with the same options; or name another file"
        .to_owned();
    JobError::Exists { path: path.to_owned(), what, remedy }
}

/// A report can be made again from its record.
fn is_report(path: &Path) -> bool {
    let mut start = String::new();
    let read = fs::File::open(path).and_then(|file| {
        use io::Read;
        file.take(4096).read_to_string(&mut start)
    });
    read.is_ok() && start.contains("name=\"generator\" content=\"arcbatt\"")
}

/// Whether a file can be written there more than once: a regular file, or none yet.
pub(crate) fn is_plain(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |there| there.is_file())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
