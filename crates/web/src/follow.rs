//! Follows the jobs of other processes through their records and status files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arcbatt::record::Record;
use arcbatt::record::live::{self, LiveJob, Status};
use arcbatt::value::ContentHash;

use crate::runs::{Progress, Runs, State};

/// Interval between two looks at the folders.
const INTERVAL: Duration = Duration::from_millis(500);

/// The state of a run according to its files.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Outline {
    status: Status,
    state: State,
    /// Modification time of the record in milliseconds.
    record: Option<u64>,
}

/// Size and modification time of a file. A record is read again when they change.
type Stamp = (u64, Option<SystemTime>);

/// Starts to follow the records in these folders.
pub(crate) fn start(folders: Vec<PathBuf>, runs: &Arc<Runs>) -> io::Result<()> {
    let runs = Arc::downgrade(runs);
    std::thread::Builder::new().name("follow".to_owned()).spawn(move || follow(&folders, &runs))?;
    Ok(())
}

fn follow(folders: &[PathBuf], runs: &Weak<Runs>) {
    // The last content of each record; `None` if the file is not a record.
    let mut read: BTreeMap<PathBuf, (Stamp, Option<Outline>)> = BTreeMap::new();
    loop {
        let Some(runs) = runs.upgrade() else { return };
        let found: Vec<PathBuf> = folders.iter().flat_map(|folder| records(folder)).collect();
        let mut gone: Vec<PathBuf> = read.keys().filter(|path| !found.contains(path)).cloned().collect();
        for path in found {
            if runs.is_own(&path) {
                continue;
            }
            let stamp = stamp(&path);
            if read.get(&path).is_none_or(|(known, _)| *known != stamp) {
                read.insert(path.clone(), (stamp, Outline::of_file(&path)));
            }
            let of_file = read.get(&path).and_then(|(_, outline)| outline.clone());
            let live = live::read(&path).ok().flatten();
            match Outline::new(live, of_file) {
                Some(outline) => runs.update(&path, Some(outline)),
                None => gone.push(path),
            }
        }
        for path in gone {
            runs.update(&path, None);
            if !path.exists() {
                read.remove(&path);
            }
        }
        drop(runs);
        std::thread::sleep(INTERVAL);
    }
}

/// Returns the files of a folder that are or may become records. Runs of other servers are in sub-folders.
fn records(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let candidate = |path: PathBuf| {
        if path.is_dir() {
            let within = path.join("record.json");
            return path.join("request.json").exists().then_some(within);
        }
        let name = path.file_name()?.to_str()?;
        let name = name.strip_suffix(".live").unwrap_or(name);
        (name.ends_with(".json") && !name.starts_with('.')).then(|| path.with_file_name(name))
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| candidate(entry.path())).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Returns the name of a run in the API, derived from the path of its record.
pub(crate) fn name(record: &Path) -> String {
    let hash = ContentHash::of(record.as_os_str().as_encoded_bytes()).to_string();
    format!("file-{:.16}", hash)
}

fn stamp(path: &Path) -> Stamp {
    fs::metadata(path).map_or((0, None), |file| (file.len(), file.modified().ok()))
}

impl Outline {
    /// Combines the status file, which is more recent, with the record.
    fn new(live: Option<LiveJob>, of_file: Option<Outline>) -> Option<Outline> {
        let Some(LiveJob { status, alive }) = live else { return of_file };
        let record = of_file.as_ref().and_then(|outline| outline.record);
        let status = status.or(of_file.map(|outline| outline.status))?;
        Some(Outline { status, state: if alive { State::Running } else { State::Interrupted }, record })
    }

    /// Reads a record. Returns `None` if the file is not one.
    pub(crate) fn of_file(path: &Path) -> Option<Outline> {
        let mut start = [0; RECORD_PREFIX.len()];
        fs::File::open(path).ok()?.read_exact(&mut start).ok()?;
        if start != *RECORD_PREFIX {
            return None;
        }
        let record = Record::read(path).ok()?;
        let state = if record.finished { State::Finished } else { State::Stopped };
        let status = record.status();
        let (_, changed) = stamp(path);
        let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let record = changed.map(|time| time.as_millis() as u64);
        Some(Outline { status, state, record })
    }

    pub(crate) fn fill(self, progress: &mut Progress) {
        progress.set_status(self.status);
        (progress.state, progress.record) = (self.state, self.record);
    }
}

/// The first bytes of every record.
const RECORD_PREFIX: &[u8; 10] = b"{\"schema\":";
