//! Atomic writes: a reader finds the old file or the new one, never half of it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes `bytes` to a temporary file beside `path`, then renames it. A crash or Ctrl-C leaves either the old content
/// or all of `bytes`.
///
/// Follows symbolic links. Writes directly to anything that is not a regular file, such as a pipe or `/dev/stdout`.
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
        Ok(_) => replace(&fs::canonicalize(path)?, write),
        Err(_) => replace(path, write),
    }
}

fn replace(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let temp = TempFile::create(unused_name(path)?)?;
    let mut out = BufWriter::new(temp.file.try_clone()?);
    write(&mut out)?;
    out.flush()?;
    temp.file.sync_all()?;
    fs::rename(&temp.path, path)
}

/// Returns a name in the same folder that nobody else uses. It includes the process id, so two processes with one
/// target do not write into each other's file.
fn unused_name(path: &Path) -> io::Result<PathBuf> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let mut name = OsString::from(".");
    name.push(path.file_name().ok_or(io::ErrorKind::InvalidFilename)?);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}.{number}.part", std::process::id()));
    Ok(path.with_file_name(name))
}

/// A temporary file that grows piece by piece and is removed when dropped.
///
/// A piece that cannot be written, because the disk is full, is kept in memory and written with a later one. So nothing
/// is lost if there is room again before the end.
pub struct TempFile {
    file: File,
    path: PathBuf,
    /// Length of what is in the file.
    written: u64,
    pending: Vec<u8>,
}

impl TempFile {
    /// Creates a temporary file on the same disk as `path`, the file that its content will end up in.
    pub fn beside(path: &Path) -> io::Result<TempFile> {
        let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        TempFile::create(unused_name(&if special {
            std::env::temp_dir().join(name)
        } else {
            path.to_owned()
        })?)
    }

    /// Adds a piece. An error means that it is only in memory so far.
    pub fn append(&mut self, piece: &[u8]) -> io::Result<()> {
        /// Large enough that writing costs next to nothing.
        const ENOUGH: usize = 1 << 16;
        self.pending.extend_from_slice(piece);
        if self.pending.len() >= ENOUGH { self.write_pending() } else { Ok(()) }
    }

    /// Copies everything added so far, whether it is in the file or in memory.
    pub fn copy_to(&mut self, out: &mut impl Write) -> io::Result<()> {
        io::copy(&mut File::open(&self.path)?.take(self.written), out)?;
        out.write_all(&self.pending)
    }

    fn write_pending(&mut self) -> io::Result<()> {
        if let Err(error) = self.file.write_all(&self.pending) {
            // Half a piece is cut off again, so that it is not there twice after the next try.
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
        Ok(TempFile { file, path, written: 0, pending: Vec::new() })
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove, and a file that cannot be removed does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder, for one test.
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
        // What is too long for the buffer goes to the file.
        temp.append(&[b'.'; 1 << 17]).unwrap();
        copy.clear();
        temp.copy_to(&mut copy).unwrap();
        assert!(copy.starts_with(b"some more..") && copy.len() == 9 + (1 << 17) && temp.written > 0);
        drop(temp);
        assert!(names(&folder).is_empty());
        fs::remove_dir_all(folder).unwrap();
    }
}
