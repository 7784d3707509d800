//! The status of a running job: a file next to its record, `run.json.live`, with a line each second.
//!
//! The writer keeps the file locked, so that a reader can tell a running job from one whose process was
//! killed. The file is removed when the job ends.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Kind;

/// How far a job has got.
#[derive(Clone, PartialEq, Debug, Default, JsonSchema, Serialize, Deserialize)]
pub struct Status {
    /// The kind of job.
    pub kind: Kind,
    /// Name or path of the data set.
    pub data: String,
    /// Time since the start, in seconds.
    pub seconds: f64,
    /// Tasks for which nothing more will be done.
    pub done: usize,
    /// Number of tasks.
    pub total: usize,
    /// Run: tasks whose attempts are right. Solve and search: tasks with a program that is right on all
    /// demonstration pairs; more may be tried for them, so this can exceed `done`.
    pub solved: usize,
    /// Number of candidates tried by a solve or a search.
    pub tried: u64,
    /// Estimated time left, in seconds. Absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
    /// Number of machines that answer, if the job runs on a cluster. Absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machines: Option<usize>,
}

/// The status file of a running job.
pub struct Live {
    file: File,
    path: PathBuf,
}

impl Live {
    /// Creates the status file of a job whose record will be written to `record`. Fails if another job is
    /// about to write the same record.
    pub fn create(record: &Path) -> io::Result<Live> {
        let path = path(record);
        // Do not truncate before we hold the lock: the file may belong to another job.
        let file = File::options().write(true).create(true).truncate(false).open(&path)?;
        let mut locked = file.try_lock();
        for _ in 0..ATTEMPTS {
            // Readers hold the lock as well, but only for a moment.
            if !matches!(locked, Err(TryLockError::WouldBlock)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
            locked = file.try_lock();
        }
        match locked {
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::ResourceBusy.into()),
            // Some network file systems have no locks; readers then take the job for one that was killed.
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                return Err(error);
            }
            _ => {}
        }
        file.set_len(0)?;
        Ok(Live { file, path })
    }

    /// Appends a line with the status.
    pub fn write(&mut self, status: &Status) -> io::Result<()> {
        let mut line = serde_json::to_vec(status)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Number of attempts to lock the file.
const ATTEMPTS: usize = 10;

/// The status of a job that has not ended.
#[derive(Clone, PartialEq, Debug)]
pub struct LiveJob {
    /// `None` before the first line.
    pub status: Option<Status>,
    /// True if its process is running; false if the process ended before the job did.
    pub alive: bool,
}

/// Reads the status of the job whose record is `record`. Returns `None` if the job has ended.
pub fn read(record: &Path) -> io::Result<Option<LiveJob>> {
    let mut file = match File::open(path(record)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let alive = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(end.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    // Text after the last line break is still being written.
    let whole = &tail[..tail.iter().rposition(|byte| *byte == b'\n').unwrap_or(0)];
    let last = whole.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(Some(LiveJob { status: serde_json::from_slice(last).ok(), alive }))
}

/// More bytes than two lines have.
const TAIL: u64 = 1 << 14;

/// Returns the path of the status file of a record.
pub fn path(record: &Path) -> PathBuf {
    let mut name = record.as_os_str().to_owned();
    name.push(".live");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_is_readable_while_the_job_runs() {
        let record = std::env::temp_dir().join(format!("batt-live-{}.json", std::process::id()));
        assert_eq!(read(&record).unwrap(), None);
        let mut live = Live::create(&record).unwrap();
        assert_eq!(read(&record).unwrap(), Some(LiveJob { status: None, alive: true }));
        let mut now = Status { data: "x".repeat(5000), seconds: 0.5, done: 1, total: 3, ..Status::default() };
        for done in 0..4 {
            now.done = done;
            live.write(&now).unwrap();
            assert_eq!(read(&record).unwrap(), Some(LiveJob { status: Some(now.clone()), alive: true }));
        }
        // A second job with the same record gets no status file and does not disturb the first.
        assert_eq!(Live::create(&record).err().unwrap().kind(), io::ErrorKind::ResourceBusy);
        assert_eq!(read(&record).unwrap().unwrap().status, Some(now.clone()));
        // An incomplete line is ignored.
        live.file.write_all(b"{\"what\":").unwrap();
        assert_eq!(read(&record).unwrap().unwrap().status, Some(now.clone()));
        // A process that is killed leaves the file, but not the lock.
        let killed = path(&record);
        let text = std::fs::read(&killed).unwrap();
        drop(live);
        assert_eq!(read(&record).unwrap(), None);
        std::fs::write(&killed, text).unwrap();
        assert_eq!(read(&record).unwrap(), Some(LiveJob { status: Some(now), alive: false }));
        std::fs::remove_file(killed).unwrap();
    }
}
