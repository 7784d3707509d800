//! Writing files that are never seen half-written.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes `bytes` to a file beside `path`, then gives it that name. Whoever looks, also after a crash or Ctrl-C,
/// finds either what was there before or all of `bytes`.
///
/// A link is followed; what is not a file (a pipe, `/dev/stdout`) is written to directly.
pub fn write_aside(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => fs::OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Ok(_) => replace(&fs::canonicalize(path)?, bytes),
        Err(_) => replace(path, bytes),
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    // The process is part of the name, so that two runs with one target do not write into each other's file.
    let mut aside = OsString::from(".");
    aside.push(name);
    aside.push(format!(".{}.part", std::process::id()));
    let aside = path.with_file_name(aside);
    let written = File::create(&aside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let done = written.and_then(|()| fs::rename(&aside, path));
    if done.is_err() {
        // What is left is worth nothing, and the first error is the one to tell.
        let _ = fs::remove_file(&aside);
    }
    done
}
