//! Atomic file writes: a reader sees the old file or the new one, never a part of it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes `bytes` to a temporary file next to `path`, then renames it. A crash or Ctrl-C leaves either the
/// old content or all of `bytes`.
///
/// Follows symbolic links. Writes directly to anything that is not a regular file, such as a pipe or
/// `/dev/stdout`.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_atomic_with(path, |out| out.write_all(bytes))
}

/// Writes atomically like [`write_atomic`], for content that is too large to keep in memory.
pub fn write_atomic_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            let mut out = BufWriter::new(fs::OpenOptions::new().write(true).open(path)?);
            write(&mut out)?;
            out.flush()
        }
        _ => replace(&resolve(path), write),
    }
}

/// Returns the file that `path` points to through symbolic links, even if that file does not exist yet.
pub fn resolve(path: &Path) -> PathBuf {
    /// The number of links that Linux follows.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    let Some(name) = path.file_name() else { return path };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::canonicalize(folder).map_or_else(|_| path.clone(), |folder| folder.join(name))
}

fn replace(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let temp = TempFile::create(unused_name(path)?)?;
    let mut out = BufWriter::new(temp.file.try_clone()?);
    write(&mut out)?;
    out.flush()?;
    temp.file.sync_all()?;
    fs::rename(&temp.path, path)
}

/// Removes temporary files for `path` that killed processes left behind.
pub fn remove_stale(path: &Path) {
    let path = resolve(path);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(OsStr::to_str)) else {
        return;
    };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let found = entry.file_name();
        let middle =
            found.to_str().and_then(|it| it.strip_prefix(&format!(".{name}."))?.strip_suffix(".part"));
        let Some((process, _)) = middle.and_then(|middle| middle.split_once('.')) else { continue };
        // On a shared disk the process may run on another machine; in that case it holds the lock.
        let running = Path::new("/proc").is_dir() && Path::new("/proc").join(process).exists();
        let unlocked = || File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if !running && unlocked() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A lock file next to a file, which keeps other processes from writing that file. Removed when dropped.
pub struct FileLock {
    _file: File,
    path: PathBuf,
}

impl FileLock {
    /// Locks `path`. Returns `None` if another process has locked it. Disks without locks count as unlocked.
    pub fn take(path: &Path) -> io::Result<Option<FileLock>> {
        let path = resolve(path);
        let mut name = OsString::from(".");
        name.push(path.file_name().ok_or(io::ErrorKind::InvalidFilename)?);
        name.push(".lock");
        let path = path.with_file_name(name);
        loop {
            let file = File::options().write(true).create(true).truncate(false).open(&path)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                    return Err(error);
                }
                // The previous owner may have removed the file between our two calls.
                _ if same_file(&file, &path) => return Ok(Some(FileLock { _file: file, path })),
                _ => {}
            }
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(on_disk)) => identity(open) == identity(on_disk),
        _ => false,
    }
}

#[cfg(not(unix))]
fn same_file(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Returns an unused name in the same folder. It includes the process id, so two processes with the same
/// target do not write to the same file.
fn unused_name(path: &Path) -> io::Result<PathBuf> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let mut name = OsString::from(".");
    name.push(path.file_name().ok_or(io::ErrorKind::InvalidFilename)?);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}.{number}.part", std::process::id()));
    Ok(path.with_file_name(name))
}

/// A temporary file that is written in pieces and removed when dropped.
///
/// A piece that cannot be written, for example because the disk is full, stays in memory and is written with
/// a later one. Nothing is lost if space becomes available before the end.
pub struct TempFile {
    file: File,
    path: PathBuf,
    /// The number of bytes in the file.
    written: u64,
    pending: Vec<u8>,
}

impl TempFile {
    /// Creates a temporary file on the same disk as `path`, its final destination.
    pub fn beside(path: &Path) -> io::Result<TempFile> {
        let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let target = if special { std::env::temp_dir().join(name) } else { resolve(path) };
        TempFile::create(unused_name(&target)?)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the file to `path`, its final name.
    pub fn rename(self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, resolve(path))
    }

    /// Appends a piece. After an error the piece is still in memory.
    pub fn append(&mut self, piece: &[u8]) -> io::Result<()> {
        /// Large enough that the cost of a write does not matter.
        const BUFFER: usize = 1 << 16;
        self.pending.extend_from_slice(piece);
        if self.pending.len() >= BUFFER { self.write_pending() } else { Ok(()) }
    }

    /// Copies everything appended so far, from the file and from memory.
    pub fn copy_to(&mut self, out: &mut impl Write) -> io::Result<()> {
        io::copy(&mut File::open(&self.path)?.take(self.written), out)?;
        out.write_all(&self.pending)
    }

    fn write_pending(&mut self) -> io::Result<()> {
        if let Err(error) = self.file.write_all(&self.pending) {
            // Remove a partly written piece, or the next attempt would write it twice.
            self.file.set_len(self.written)?;
            self.file.seek(SeekFrom::Start(self.written))?;
            return Err(error);
        }
        self.written += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    fn create(path: PathBuf) -> io::Result<TempFile> {
        let file = File::create_new(&path)?;
        // The lock tells other processes that the file is in use. It may fail on a disk without locks.
        let _ = file.try_lock();
        Ok(TempFile { file, path, written: 0, pending: Vec::new() })
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        // Errors are ignored: after a rename the file is gone, and a leftover file does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates an empty folder for one test.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("batt-base-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let folder = folder("replaced");
        let path = folder.join("file");
        fs::write(&path, "an earlier and longer text").unwrap();
        write_atomic(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let failed = write_atomic_with(&path, |out| {
            out.write_all(b"half")?;
            Err(io::ErrorKind::Other.into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(&folder), ["file"], "temporary files are removed");
        assert!(write_atomic(&folder, b"").is_err());
        assert!(write_atomic(&folder.join("missing/file"), b"").is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_files_of_killed_processes_removed() {
        let folder = folder("links");
        let (link, target) = (folder.join("link"), folder.join("target"));
        std::os::unix::fs::symlink("target", &link).unwrap();
        write_atomic(&link, b"first").unwrap();
        write_atomic(&link, b"second").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"second");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        // No process has this id. A file with a similar name and a file in use must stay.
        fs::write(folder.join(".target.999999999.0.part"), "").unwrap();
        fs::write(folder.join(".target.part"), "").unwrap();
        let in_use = TempFile::beside(&target).unwrap();
        remove_stale(&link);
        let left = names(&folder);
        assert!(
            left.len() == 4 && !left.iter().any(|name| name.to_string_lossy().contains("999")),
            "{left:?}"
        );
        drop(in_use);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_is_locked_once() {
        let folder = folder("lock");
        let path = folder.join("file");
        let lock = FileLock::take(&path).unwrap();
        assert!(lock.is_some() && FileLock::take(&path).unwrap().is_none());
        drop(lock);
        assert!(names(&folder).is_empty());
        assert!(FileLock::take(&path).unwrap().is_some());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_temporary_file_is_removed() {
        let folder = folder("temporary");
        let mut temp = TempFile::beside(&folder.join("file")).unwrap();
        temp.append(b"some").unwrap();
        assert_eq!(names(&folder).len(), 1);
        let mut copy = Vec::new();
        temp.copy_to(&mut copy).unwrap();
        temp.append(b" more").unwrap();
        temp.copy_to(&mut copy).unwrap();
        assert_eq!(copy, b"somesome more");
        // Pieces larger than the buffer go to the file.
        temp.append(&[b'.'; 1 << 17]).unwrap();
        copy.clear();
        temp.copy_to(&mut copy).unwrap();
        assert!(copy.starts_with(b"some more..") && copy.len() == 9 + (1 << 17) && temp.written > 0);
        drop(temp);
        assert!(names(&folder).is_empty());
        fs::remove_dir_all(folder).unwrap();
    }
}
