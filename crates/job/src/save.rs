//! The files of a job: checked before the work begins, whole at any moment, and never those of another job.
//!
//! A save that fails while the job works is a warning, and the next save tries again. A save that fails at the end
//! writes the result to another place.

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

/// How often files are brought up to date.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// Files that a job has written, and those that it could not write.
#[derive(Debug, Default)]
pub struct Saved {
    pub submission: Option<SubmissionState>,
    pub record: Option<PathBuf>,
    pub report: Option<PathBuf>,
    pub programs: Option<PathBuf>,
    pub events: Option<PathBuf>,
    /// Files that could not be written where they were wanted, and programs that the store did not take.
    pub failed: Vec<JobError>,
}

impl Saved {
    /// All files besides the submission.
    pub fn others(&self) -> impl Iterator<Item = &Path> {
        let files = [&self.record, &self.events, &self.report, &self.programs];
        files.into_iter().flatten().map(PathBuf::as_path)
    }
}

/// Whether a submission can be handed in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubmissionState {
    pub path: PathBuf,
    /// Tasks that it contains.
    pub tasks: usize,
    /// Those with an answer that was computed; the others have fallbacks.
    pub answered: usize,
    /// Tasks of the data set.
    pub of: usize,
    /// Defects that `batt check` finds.
    pub defects: usize,
}

impl SubmissionState {
    /// Whether it contains every task of the data set without a defect.
    pub fn is_complete(&self) -> bool {
        self.tasks == self.of && self.defects == 0
    }

    /// Checks a submission as it was written; `None` for a pipe or a device, which cannot be read again. `tasks`: ids
    /// and numbers of test inputs; `of`: the size of the data set.
    pub(crate) fn check<'t>(
        path: &Path,
        tasks: impl IntoIterator<Item = (&'t str, usize)>,
        answered: usize,
        of: usize,
    ) -> Option<SubmissionState> {
        if !is_plain(path) {
            return None;
        }
        let tasks: Vec<(&str, usize)> = tasks.into_iter().collect();
        let n = tasks.len();
        let submission = fs::read(path).ok().and_then(|text| Submission::parse(&text).ok());
        let defects = submission.map_or(1, |it| it.check(tasks).len());
        Some(SubmissionState { path: path.to_owned(), tasks: n, answered, of, defects })
    }
}

/// The files of one job.
pub(crate) struct Files<'f> {
    save: &'f Save,
    control: &'f Control,
    /// Where the record goes: the file that was named, or a temporary one that a report is made from.
    pub(crate) record: Option<PathBuf>,
    timer: SaveTimer,
    /// The last warning about a failed save, so that a full disk is not reported every few seconds.
    warned: Option<String>,
    /// Files that could not be written for the last time.
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
    /// Checks that all files can be written and belong to this job, before any work is done. Returns what to continue
    /// from, if anything.
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
        control.hide();
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
            let why = "there is nothing to continue from; leave out --resume to start".to_owned();
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

    /// Whether it is time to bring the files up to date.
    pub(crate) fn is_due(&self) -> bool {
        self.timer.is_now(Instant::now())
    }

    /// Brings files up to date. `write` is given each file that can be written more than once.
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

    /// Writes a file for the last time. If that fails, it is written to another place, and the failure says where.
    /// Returns the path if it was written where it was wanted.
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

    /// Writes the programs for the last time. Somebody may have edited an earlier export, so that is kept.
    pub(crate) fn finish_programs(&mut self, text: &str) -> Option<PathBuf> {
        let path = self.save.programs.as_deref()?;
        if self.save.existing != Existing::Overwrite
            && let Ok(earlier) = fs::read(path)
            && !earlier.is_empty()
            && earlier != text.as_bytes()
        {
            let kept = (1..).map(|n| with_suffix(path, &format!(".{n}.old"))).find(|it| !it.exists())?;
            if write_atomic(&kept, &earlier).is_ok() {
                let (path, kept) = (path.display(), kept.display());
                self.control.warn(format!("{path} had other content, which is now in {kept}"));
            }
        }
        self.finish(path, |path| write_atomic(path, text.as_bytes()))
    }

    /// Returns the files that could not be written.
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

/// Where results go that cannot be written where they are wanted.
fn rescue_places(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    /// So often somebody may have left earlier ones.
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
            let remedy = format!("{} would hold two things; give each its own file", files[twice].display());
            Err(JobError::Field { field: "save", remedy })
        }
        None => Ok(()),
    }
}

/// Keeps other processes away from files, and removes what killed ones left.
fn lock_all(files: [&Option<PathBuf>; 3]) -> Result<Vec<FileLock>, JobError> {
    let mut locks = Vec::new();
    for path in files.into_iter().flatten().filter(|path| is_plain(path)) {
        // A folder that cannot be written gets its own message later.
        match FileLock::take(path) {
            Ok(None) => return Err(busy(path)),
            Ok(Some(lock)) => locks.push(lock),
            Err(_) => {}
        }
        remove_stale(path);
    }
    Ok(locks)
}

/// From now on others can see how far the job is, in a file beside its record.
fn show_status(record: &Path, control: &Control) -> Result<(), JobError> {
    match Live::create(record) {
        Ok(live) => control.show_in(live),
        Err(error) if error.kind() == io::ErrorKind::ResourceBusy => return Err(busy(record)),
        // A job is worth no less if its status cannot be shown.
        Err(_) => {}
    }
    remove_stale(record);
    Ok(())
}

fn busy(path: &Path) -> JobError {
    let error = io::Error::other("another job is writing it; wait for its end or name another file");
    JobError::Write { path: path.to_owned(), error }
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

    /// A file that cannot tell whose it is, except for a report.
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
        let free = self.existing == Existing::Overwrite
            || self.same
            || is_record
            || page::is_of(path, self.identity);
        if there && !free {
            return Err(exists(path, "nothing shows that it belongs to this job".to_owned()));
        }
        TempFile::beside(path).map(drop).map_err(JobError::write(path))
    }

    fn refuse(&self, path: &Path, kind: &str, theirs: &Setup) -> JobError {
        let what = format!(
            "it belongs to another job, {}, with {}",
            describe(kind, theirs),
            difference(self.setup, theirs)
        );
        let remedy = "run that job with its own options and --resume to continue it, \
                      replace it with --overwrite, or name another file";
        self.conflict(path, what, remedy)
    }

    fn cannot_continue(&self, path: &Path, why: String) -> JobError {
        self.conflict(path, why, "replace it with --overwrite, or name another file")
    }

    fn conflict(&self, path: &Path, what: String, remedy: &str) -> JobError {
        let path = path.to_owned();
        match self.existing {
            Existing::Resume => JobError::Resume { path, why: format!("{what}\n{remedy}") },
            _ => JobError::Exists { path, what, remedy: remedy.to_owned() },
        }
    }
}

fn exists(path: &Path, what: String) -> JobError {
    let remedy = "replace it with --overwrite, or name another file".to_owned();
    JobError::Exists { path: path.to_owned(), what, remedy }
}

/// Whether a file can be written there more than once: a regular file, or none yet.
pub(crate) fn is_plain(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |there| there.is_file())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
