//! Writing files that are never seen half-written.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes `bytes` to a file beside `path`, then gives it that name. Whoever looks, also after a crash or Ctrl-C,
/// finds either what was there before or all of `bytes`.
///
/// A link is followed; what is not a file (a pipe, `/dev/stdout`) is written to directly.
pub fn write_aside(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_aside_with(path, |out| out.write_all(bytes))
}

/// As [`write_aside`], for what is too large to lie in memory.
pub fn write_aside_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => {
            let mut out = BufWriter::new(fs::OpenOptions::new().write(true).open(path)?);
            write(&mut out)?;
            out.flush()
        }
        Ok(_) => replace(&fs::canonicalize(path)?, write),
        Err(_) => replace(path, write),
    }
}

fn replace(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut aside = Spool::create(beside(path)?)?;
    write(&mut aside.out)?;
    aside.out.flush()?;
    aside.out.get_ref().sync_all()?;
    fs::rename(&aside.path, path)
}

/// A name in the same folder that nobody else uses. The process is part of it, so that two runs with one target do
/// not write into each other's file.
fn beside(path: &Path) -> io::Result<PathBuf> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let mut aside = OsString::from(".");
    aside.push(path.file_name().ok_or(io::ErrorKind::InvalidFilename)?);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    aside.push(format!(".{}.{number}.part", std::process::id()));
    Ok(path.with_file_name(aside))
}

/// A file for the time being: it takes what comes in piece by piece, and is gone when it is dropped.
pub struct Spool {
    out: BufWriter<File>,
    path: PathBuf,
}

impl Spool {
    /// For what will be written to `path` in the end, so it lies on the same disk.
    pub fn for_file(path: &Path) -> io::Result<Spool> {
        let special = fs::metadata(path).is_ok_and(|there| !there.is_file());
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        Spool::create(beside(&if special { std::env::temp_dir().join(name) } else { path.to_owned() })?)
    }

    /// Everything that was written so far.
    pub fn copy_to(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.out.flush()?;
        io::copy(&mut File::open(&self.path)?, out).map(drop)
    }

    fn create(path: PathBuf) -> io::Result<Spool> {
        Ok(Spool { out: BufWriter::new(File::create_new(&path)?), path })
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove; and nobody misses what cannot be removed.
        let _ = fs::remove_file(&self.path);
    }
}
