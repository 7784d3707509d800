//! The files of a job. They are checked before the work begins, are complete at any moment, and never replace those
//! of another job.
//!
//! A save that fails while the job works is a warning, and the next save tries again. If the last save fails, the
//! result is written to another folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use batt_base::{FileLock, TempFile, remove_stale, resolve, write_atomic};
use batt_record::live::Live;
use batt_record::{Header, Record, SCHEMA, Setup, State};
use batt_task::submission::Submission;

use crate::control::Control;
use crate::description::{Existing, Save, with_suffix};
use crate::error::JobError;
use crate::event::Event;
use crate::identity::{describe, difference};
use crate::page;
use crate::save_timer::SaveTimer;
use crate::shard::Shard;

/// How often files are saved.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// The files that a job has written, and errors for those that it could not write.
#[derive(Debug, Default)]
pub struct Saved {
    pub submission: Option<SubmissionState>,
    pub record: Option<PathBuf>,
    pub report: Option<PathBuf>,
    pub programs: Option<PathBuf>,
    pub events: Option<PathBuf>,
    /// The warning that other work disturbed the recording.
    pub disturbed: Option<String>,
    /// Errors for files that could not be written, and for programs that could not be stored.
    pub failed: Vec<JobError>,
}

impl Saved {
    /// Notes whether other work disturbed the recording of a job.
    pub(crate) fn note_disturbance(&mut self, record: &Record) {
        let (profile, cores) = (record.profile.as_deref(), record.environment.machine.cores);
        self.disturbed =
            profile.and_then(|profile| batt_report::disturbance_warning(profile, record.kind, cores));
    }

    /// Returns all files except the submission.
    pub fn others(&self) -> impl Iterator<Item = &Path> {
        let files = [&self.record, &self.events, &self.report, &self.programs];
        files.into_iter().flatten().map(PathBuf::as_path)
    }
}

/// The state of a submission.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubmissionState {
    pub path: PathBuf,
    /// Number of tasks in it.
    pub tasks: usize,
    /// Number of tasks with a computed answer; the others have fallbacks.
    pub answered: usize,
    /// Number of tasks in the data set.
    pub of: usize,
    /// The shard of the job that it is.
    pub shard: Option<Shard>,
    /// Number of defects that `batt check` finds.
    pub defects: usize,
}

impl SubmissionState {
    /// Returns whether it contains every task of the data set and has no defects.
    pub fn is_complete(&self) -> bool {
        self.tasks == self.of && self.defects == 0
    }

    /// Checks a written submission. Returns `None` for a pipe or a device, which cannot be read back. `tasks` are ids
    /// and numbers of test inputs, `of` is the size of the data set and the shard.
    pub(crate) fn check<'t>(
        path: &Path,
        tasks: impl IntoIterator<Item = (&'t str, usize)>,
        answered: usize,
        (of, shard): (usize, Option<Shard>),
    ) -> Option<SubmissionState> {
        if !is_plain(path) {
            return None;
        }
        let tasks: Vec<(&str, usize)> = tasks.into_iter().collect();
        let n = tasks.len();
        let submission = fs::read(path).ok().and_then(|text| Submission::parse(&text).ok());
        let defects = submission.map_or(1, |it| it.check(tasks).len());
        Some(SubmissionState { path: path.to_owned(), tasks: n, answered, of, shard, defects })
    }
}

/// The files of one job.
pub(crate) struct Files<'f> {
    save: &'f Save,
    control: &'f Control,
    /// The path of the record: the given file, or a temporary one that a report is made from.
    pub(crate) record: Option<PathBuf>,
    timer: SaveTimer,
    /// The last warning about a failed save, so that a full disk is not reported every few seconds.
    warned: Option<String>,
    /// Errors of the last save.
    failed: Vec<JobError>,
    /// Held until the job ends.
    _locks: Vec<FileLock>,
}

/// Files of an earlier part of the same job.
pub(crate) struct Earlier {
    pub(crate) state: Option<State>,
    pub(crate) record: Option<Record>,
}

impl<'f> Files<'f> {
    /// Checks that all files can be written and belong to this job, before any work is done. Also returns the results of
    /// an earlier part of the job, if there are any.
    pub(crate) fn claim(
        save: &'f Save,
        control: &'f Control,
        identity: &str,
        setup: &Setup,
    ) -> Result<(Files<'f>, Earlier), JobError> {
        let Save { submission, record, report, programs, .. } = save;
        let (events, state) = (save.events_file(), submission.as_deref().map(Save::state_of));
        distinct([submission, &state, record, &events, report, programs])?;
        // A repeated run claims its files again.
        control.remove_status_file();
        let locks = lock_all([submission, report, programs])?;
        let mut claim = Claim { existing: save.existing, identity, setup, same: false };
        let state = state.map(|path| claim.state(&path)).transpose()?.flatten();
        let earlier = record.as_deref().map(|path| claim.record(path)).transpose()?.flatten();
        for path in [submission, programs, report, &events].into_iter().flatten() {
            claim.plain(path, false)?;
        }
        if let Some(record) = record {
            claim.plain(record, true)?;
        }
        if save.existing == Existing::Resume && !claim.same {
            let path = submission.as_deref().map(Save::state_of).or(record.clone()).unwrap_or_default();
            let why = "it has no results of this job; omit --resume to start from the beginning".to_owned();
            return Err(JobError::Resume { path, why });
        }
        if let Some(record) = record.as_deref().filter(|path| is_plain(path)) {
            show_status(record, control)?;
        }
        let timer = SaveTimer::new(Instant::now(), SAVE_EVERY);
        let record = save.record_file();
        let files = Files { save, control, record, timer, warned: None, failed: Vec::new(), _locks: locks };
        Ok((files, Earlier { state, record: earlier }))
    }

    pub(crate) fn submission(&self) -> Option<&'f Path> {
        self.save.submission.as_deref()
    }

    /// Returns whether it is time to save the files.
    pub(crate) fn is_due(&self) -> bool {
        self.timer.is_now(Instant::now())
    }

    /// Saves the files. Calls `write` for each file that can be written more than once.
    pub(crate) fn update(&mut self, mut write: impl FnMut(Target<'_>) -> io::Result<()>) {
        let begun = Instant::now();
        let Save { submission, record, .. } = self.save;
        let targets = [submission.as_deref().map(Target::Submission), record.as_deref().map(Target::Record)];
        for target in targets.into_iter().flatten().filter(|target| is_plain(target.path())) {
            let written = write(target);
            self.report(target.path(), written);
        }
        self.timer.done(begun, Instant::now());
    }

    /// Reports the result of a save. A failure is only a warning, because the next save tries again.
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

    /// Writes a file for the last time. If that fails, writes it to another folder, which the error names. Returns the
    /// path on success.
    pub(crate) fn finish(
        &mut self,
        path: &Path,
        mut write: impl FnMut(&Path) -> io::Result<()>,
    ) -> Option<PathBuf> {
        let Err(error) = write(path) else {
            self.control.emit(Event::Saved { path: path.to_owned() });
            return Some(path.to_owned());
        };
        let path = path.to_owned();
        let rescued = rescue_places(&path).find(|place| !place.exists() && write(place).is_ok());
        self.failed.push(match rescued {
            Some(rescued) => JobError::Rescued { path, error, rescued },
            None => JobError::Write { path, error },
        });
        None
    }

    /// Writes the report of a record for the last time.
    pub(crate) fn finish_report(&mut self, record: &Record) -> Option<PathBuf> {
        let path = self.save.report.as_deref()?;
        let runs = [(record.kind.name().to_owned(), record.clone())];
        self.finish(path, |path| page::write_file(&runs, path))
    }

    /// Writes the programs for the last time. Keeps a copy of an earlier export that was edited.
    pub(crate) fn finish_programs(&mut self, text: &str) -> Option<PathBuf> {
        let path = self.save.programs.as_deref()?;
        self.keep_changed(path, text.as_bytes(), "was changed since the last export");
        self.finish(path, |path| write_atomic(path, text.as_bytes()))
    }

    /// Keeps a copy of a file that will be replaced, if it is not as this job would have written it.
    pub(crate) fn keep_changed(&self, path: &Path, expected: &[u8], what: &str) {
        if self.save.existing != Existing::Overwrite
            && is_plain(path)
            && let Ok(earlier) = fs::read(path)
            && !earlier.is_empty()
            && earlier != expected
        {
            let mut names = (1..).map(|n| with_suffix(path, &format!(".{n}.old")));
            let Some(kept) = names.find(|it| !it.exists()) else { return };
            if write_atomic(&kept, &earlier).is_ok() {
                let (path, kept) = (path.display(), kept.display());
                self.control.warn(format!("{path} {what}; the changed file is now {kept}"));
            }
        }
    }

    /// Returns the errors of the last save.
    pub(crate) fn take_failed(&mut self) -> Vec<JobError> {
        std::mem::take(&mut self.failed)
    }
}

impl Drop for Files<'_> {
    fn drop(&mut self) {
        if let (None, Some(temporary)) = (&self.save.record, &self.record) {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Returns paths for a result that could not be written to its file.
fn rescue_places(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    /// Some of the names may be taken by earlier results.
    const TRIES: usize = 20;
    let name = file_name(path);
    let names: Vec<String> = (1..=TRIES)
        .map(|n| if n == 1 { format!("rescued-{name}") } else { format!("rescued-{n}-{name}") })
        .collect();
    let folders = [std::env::temp_dir(), PathBuf::from(".")];
    folders.into_iter().flat_map(move |folder| names.clone().into_iter().map(move |it| folder.join(it)))
}

/// Refuses two files that are the same, also through links.
fn distinct(files: [&Option<PathBuf>; 6]) -> Result<(), JobError> {
    let files: Vec<&PathBuf> = files.into_iter().flatten().filter(|path| is_plain(path)).collect();
    let resolved: Vec<PathBuf> = files.iter().map(|path| resolve(path)).collect();
    match (0..files.len()).find(|i| resolved[..*i].contains(&resolved[*i])) {
        Some(twice) => {
            let remedy =
                format!("{} is used for two outputs; give each its own file", files[twice].display());
            Err(JobError::Field { field: "save", remedy })
        }
        None => Ok(()),
    }
}

/// Locks files against other processes, and removes temporary files of killed ones.
fn lock_all(files: [&Option<PathBuf>; 3]) -> Result<Vec<FileLock>, JobError> {
    let mut locks = Vec::new();
    for path in files.into_iter().flatten().filter(|path| is_plain(path)) {
        // An unwritable folder is reported later, with a better message.
        match FileLock::take(path) {
            Ok(None) => return Err(busy(path)),
            Ok(Some(lock)) => locks.push(lock),
            Err(_) => {}
        }
        remove_stale(path);
    }
    Ok(locks)
}

/// Starts writing the status to a file next to the record, for other processes.
fn show_status(record: &Path, control: &Control) -> Result<(), JobError> {
    match Live::create(record) {
        Ok(live) => control.write_status_to(live),
        Err(error) if error.kind() == io::ErrorKind::ResourceBusy => return Err(busy(record)),
        // The status file is optional, so errors are ignored.
        Err(_) => {}
    }
    remove_stale(record);
    Ok(())
}

fn busy(path: &Path) -> JobError {
    let error = io::Error::other("another job is writing to it; wait until it ends, or choose another file");
    JobError::Write { path: path.to_owned(), error }
}

/// A file that is saved while the job works.
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

/// Decides whether existing files may be replaced.
struct Claim<'c> {
    existing: Existing,
    identity: &'c str,
    setup: &'c Setup,
    /// Whether a file of this job was found.
    same: bool,
}

impl Claim<'_> {
    /// Returns the state of an earlier part of this job.
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

    /// Returns the record of an earlier part of this job.
    fn record(&mut self, path: &Path) -> Result<Option<Record>, JobError> {
        if !path.exists()
            || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() || metadata.len() == 0)
        {
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

    /// Returns the header of an existing file, unless it may be replaced anyway.
    fn header(&self, path: &Path) -> Result<Option<Header>, JobError> {
        if self.existing == Existing::Overwrite || !path.exists() {
            return Ok(None);
        }
        let header = Header::read(path).map_err(|error| JobError::Read { path: path.to_owned(), error })?;
        match header {
            Some(header) => Ok(Some(header)),
            None => Err(exists(path, "it was not written by batt".to_owned())),
        }
    }

    /// Checks a file that does not name its job; only a report does.
    fn plain(&self, path: &Path, is_record: bool) -> Result<(), JobError> {
        let has_content = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(JobError::write(path)(io::ErrorKind::IsADirectory.into()));
            }
            // A pipe or a device has no content to lose.
            Ok(metadata) if !metadata.is_file() => return Ok(()),
            Ok(metadata) => metadata.len() > 0,
            Err(_) => false,
        };
        let replaceable = self.existing == Existing::Overwrite
            || self.same
            || is_record
            || page::is_of(path, self.identity);
        if has_content && !replaceable {
            return Err(exists(path, "it may not belong to this job".to_owned()));
        }
        TempFile::beside(path).map(drop).map_err(JobError::write(path))
    }

    fn refuse(&self, path: &Path, kind: &str, theirs: &Setup) -> JobError {
        let what = format!(
            "it belongs to another job, {}, with {}",
            describe(kind, theirs),
            difference(self.setup, theirs)
        );
        let remedy = "to continue that job, run it with its own options and --resume; \
                      otherwise use --overwrite to replace it, or choose another file";
        self.conflict(path, what, remedy)
    }

    fn cannot_continue(&self, path: &Path, why: String) -> JobError {
        self.conflict(path, why, "use --overwrite to replace it, or choose another file")
    }

    fn conflict(&self, path: &Path, what: String, remedy: &str) -> JobError {
        let path = path.to_owned();
        match self.existing {
            Existing::Resume => JobError::Resume { path, why: format!("{what}\n{remedy}") },
            _ => JobError::Exists { path, what, remedy: remedy.to_owned() },
        }
    }
}

pub(crate) fn exists(path: &Path, what: String) -> JobError {
    let remedy = "use --overwrite to replace it, or choose another file".to_owned();
    JobError::Exists { path: path.to_owned(), what, remedy }
}

/// Returns whether a path can be written more than once: a regular file, or none yet.
pub(crate) fn is_plain(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |metadata| metadata.is_file())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
