//! `--watch`: runs a command again when one of its input files changes.
//!
//! Files are polled: this needs no support of the file system, so it also works on network drives and in containers.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::bail;
use arcbatt::task;

use crate::{Answer, files, output, signal};

/// The input files of a command.
#[derive(Default)]
pub(crate) struct Inputs {
    files: Vec<PathBuf>,
    /// Data sets. Their files are listed again for every look, because folders gain and lose files.
    data: Vec<String>,
}

impl Inputs {
    /// Adds a file. It need not exist yet.
    pub(crate) fn add_file(&mut self, path: &Path) -> anyhow::Result<()> {
        check(path)?;
        self.files.push(path.to_owned());
        Ok(())
    }

    /// Adds the files of a data set; a named set has none.
    pub(crate) fn add_data(&mut self, data: &str) -> anyhow::Result<()> {
        let path = Path::new(data);
        check(path)?;
        if path.is_dir() || !task::files(data).is_ok_and(|files| files.is_empty()) {
            self.data.push(data.to_owned());
        }
        Ok(())
    }

    /// Lists the files and data sets as the user gave them.
    fn names(&self) -> Vec<String> {
        self.files.iter().map(|path| path.display().to_string()).chain(self.data.iter().cloned()).collect()
    }

    fn list(&self) -> Vec<PathBuf> {
        // A folder that cannot be listed has no files; the command reports why.
        let of_data = self.data.iter().flat_map(|data| task::files(data).unwrap_or_default());
        self.files.iter().cloned().chain(of_data).collect()
    }
}

/// Refuses what can be read only once.
fn check(path: &Path) -> anyhow::Result<()> {
    if files::is_standard(path) {
        bail!("--watch cannot watch standard input (`-`); use a file");
    }
    if std::fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir()) {
        bail!("--watch cannot watch {}, which is a pipe or a device; use a file", path.display());
    }
    Ok(())
}

/// Runs a command, and runs it again whenever one of its input files changes. Errors are printed and do not end it; the
/// first signal does.
pub(crate) fn watch(inputs: &Inputs, run: impl Fn() -> Answer) -> Answer {
    let names = inputs.names();
    if names.is_empty() {
        bail!(
            "--watch has nothing to watch: no program or task of this command is in a file; remove --watch"
        );
    }
    let mut seen = Snapshot::default().next(inputs);
    for number in 2_u64.. {
        match run() {
            _ if signal::stopped() => break,
            Err(error) if output::is_broken_pipe(&error) => return Err(error),
            Err(error) => output::error(&format!("{error:#}")),
            Ok(_) => {}
        }
        output::status(&format!("watching {}; press Ctrl-C to stop", list(&names)));
        let Some(changed) = wait_for_change(inputs, seen.clone()) else { break };
        output::separator(&format!("run {number}, {}: {}", time_of_day(), seen.changes(&changed)));
        seen = changed;
    }
    Ok(true)
}

/// Time between two looks. Picked by feel.
const INTERVAL: Duration = Duration::from_millis(100);

/// Waits until files have changed and two looks in a row find the same content, because editors save in several steps.
/// Returns `None` after a signal.
fn wait_for_change(inputs: &Inputs, mut seen: Snapshot) -> Option<Snapshot> {
    let mut pause = INTERVAL;
    let mut unsettled: Option<Snapshot> = None;
    loop {
        std::thread::sleep(pause);
        if signal::stopped() {
            return None;
        }
        let start = Instant::now();
        let now = unsettled.as_ref().unwrap_or(&seen).next(inputs);
        // Looking at very many files takes at most a tenth of the time.
        pause = INTERVAL.max(start.elapsed() * 9);
        if now.same_content(&seen) {
            (seen, unsettled) = (now, None);
        } else if unsettled.as_ref().is_some_and(|last| now.same_content(last)) {
            return Some(now);
        } else {
            unsettled = Some(now);
        }
    }
}

/// The input files at one moment.
#[derive(Clone, Default)]
struct Snapshot {
    /// `None` for files that cannot be read.
    files: BTreeMap<PathBuf, Option<Version>>,
}

/// The content of a file.
#[derive(Clone, Copy)]
struct Version {
    hash: u64,
    length: u64,
    modified: Option<SystemTime>,
    /// Whether the file was modified shortly before this look. Then it can change again without a new time, because some
    /// file systems store times in steps of two seconds.
    recent: bool,
}

impl Snapshot {
    /// Looks at all files. Content is read only if it may have changed.
    fn next(&self, inputs: &Inputs) -> Snapshot {
        let version = |path: &PathBuf| Version::read(path, self.files.get(path).copied().flatten());
        let files = inputs.list().into_iter();
        Snapshot { files: files.map(|path| (path.clone(), version(&path))).collect() }
    }

    fn same_content(&self, other: &Snapshot) -> bool {
        let content =
            |(path, version): (&PathBuf, &Option<Version>)| (path.clone(), version.map(Version::content));
        self.files.iter().map(content).eq(other.files.iter().map(content))
    }

    /// Describes what changed: `p.py changed, a.json was added`.
    fn changes(&self, later: &Snapshot) -> String {
        let content = |snapshot: &Snapshot, path: &Path| {
            snapshot.files.get(path).copied().flatten().map(Version::content)
        };
        let paths: BTreeSet<&PathBuf> = self.files.keys().chain(later.files.keys()).collect();
        let changes = paths.into_iter().filter_map(|path| {
            let what = match (content(self, path), content(later, path)) {
                (before, after) if before == after => return None,
                (None, _) => "was added",
                (_, None) => "was removed",
                _ => "changed",
            };
            Some(format!("{} {what}", path.display()))
        });
        list(&changes.collect::<Vec<_>>())
    }
}

impl Version {
    fn content(self) -> (u64, u64) {
        (self.hash, self.length)
    }

    fn read(path: &Path, known: Option<Version>) -> Option<Version> {
        let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        let (length, modified) = (metadata.len(), metadata.modified().ok());
        if let Some(known) = known
            && !known.recent
            && (known.length, known.modified) == (length, modified)
        {
            return Some(known);
        }
        let age = modified.and_then(|modified| SystemTime::now().duration_since(modified).ok());
        let recent = age.is_none_or(|age| age < Duration::from_secs(3));
        Some(Version { hash: hash(path)?, length, modified, recent })
    }
}

/// Hashes the content of a file; `None` if it cannot be read.
fn hash(path: &Path) -> Option<u64> {
    let mut file = std::fs::File::open(path).ok()?;
    let mut hasher = std::hash::DefaultHasher::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return Some(hasher.finish()),
            n => hasher.write(&buffer[..n]),
        }
    }
}

/// Joins the first few of many texts.
fn list(texts: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = texts[..texts.len().min(SHOWN)].join(", ");
    match texts.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn time_of_day() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    format!("{:02}:{:02}:{:02} UTC", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(files: &[(&str, u64)]) -> Snapshot {
        let version = |hash: u64| Version { hash, length: 1, modified: None, recent: false };
        let files = files.iter().map(|(name, hash)| (PathBuf::from(name), Some(version(*hash))));
        Snapshot { files: files.collect() }
    }

    #[test]
    fn changes_are_described() {
        let before = snapshot(&[("a.json", 1), ("b.json", 1), ("p.py", 1)]);
        let after = snapshot(&[("b.json", 1), ("c.json", 1), ("p.py", 2)]);
        assert_eq!(before.changes(&after), "a.json was removed, c.json was added, p.py changed");
        assert_eq!(list(&["a", "b", "c", "d", "e"].map(str::to_owned)), "a, b, c and 2 more");
    }

    #[test]
    fn content_counts_not_the_time() {
        let folder = std::env::temp_dir().join(format!("batt-watch-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("p.py");
        std::fs::write(&path, "one").unwrap();
        let mut inputs = Inputs::default();
        inputs.add_file(&path).unwrap();
        let first = Snapshot::default().next(&inputs);
        // The same length at once, which on many file systems is the same time.
        std::fs::write(&path, "two").unwrap();
        let second = first.next(&inputs);
        assert!(!first.same_content(&second));
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(UNIX_EPOCH).unwrap();
        assert!(second.next(&inputs).same_content(&second), "only the time changed");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(second.changes(&second.next(&inputs)), format!("{} was removed", path.display()));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
