//! The SQLite file: how it is created, opened and recognised.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::StoreError;

/// The tables. Hashes are stored as hexadecimal digits, so that they can be read in any SQLite client.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// Version of the file format. Raise it when [`SCHEMA`] changes.
pub(crate) const VERSION: i64 = 1;

/// SQLite's `application_id`: `batt` in ASCII.
const APPLICATION: i64 = 0x6261_7474;

/// How long to wait for other processes. The message of [`StoreError::Busy`] states it too.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

/// Creates an empty store, unless another process creates it first.
///
/// It is filled under a temporary name and then renamed, so that a file with the right name is always a
/// complete store.
pub(crate) fn create(path: &Path) -> Result<(), StoreError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| StoreError::io(folder, error))?;
    }
    let temporary = temporary_path(path)?;
    let filled = fill(&temporary).map_err(|error| StoreError::sqlite(path, error));
    let named = filled.and_then(|()| rename(&temporary, path).map_err(|error| StoreError::io(path, error)));
    // A leftover temporary file does no harm.
    let _ = fs::remove_file(&temporary);
    named
}

fn fill(path: &Path) -> rusqlite::Result<()> {
    let connection = Connection::open(path)?;
    connection.execute_batch(&format!(
        "PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; PRAGMA synchronous = FULL;
         PRAGMA journal_mode = WAL; BEGIN; {SCHEMA} COMMIT;"
    ))?;
    connection.close().map_err(|(_, error)| error)
}

/// Renames a complete file to `path`, unless `path` exists by now.
fn rename(temporary: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        // Not every file system has hard links.
        Err(_) if !path.exists() => fs::rename(temporary, path)?,
        linked => linked?,
    }
    match path.parent().filter(|folder| cfg!(unix) && !folder.as_os_str().is_empty()) {
        // Syncing the folder makes the new name durable.
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// Returns a path in the same folder that no other process or thread uses.
pub(crate) fn temporary_path(path: &Path) -> Result<PathBuf, StoreError> {
    let Some(name) = path.file_name() else {
        return Err(StoreError::io(path, io::ErrorKind::InvalidFilename.into()));
    };
    let thread = format!("{:?}", std::thread::current().id());
    let digits: String = thread.chars().filter(char::is_ascii_digit).collect();
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.{digits}.part", std::process::id()));
    Ok(path.with_file_name(temporary))
}

const READ_WRITE: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);
const READ_ONLY: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Opens a store for reading and writing. Writes nothing until it is known to be a store.
pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    check_header(path)?;
    let sqlite = |error| StoreError::sqlite(path, error);
    // SQLite opens read-only files too. Nothing is read yet, so SQLite creates no files next to it.
    let probe = connect(path, READ_WRITE).map_err(sqlite)?;
    if probe.is_readonly(rusqlite::MAIN_DB).map_err(sqlite)? {
        return Err(StoreError::ReadOnly { path: path.to_owned(), what: "the file is read-only".to_owned() });
    }
    drop(probe);
    check_read_only(path)?;
    let connection = connect(path, READ_WRITE).map_err(sqlite)?;
    // FULL: a commit is on disk when it returns, not at the next checkpoint.
    let pragmas = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;";
    connection.execute_batch(pragmas).map_err(sqlite)?;
    Ok(connection)
}

/// Opens a store for reading, and for writing if that is allowed.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection, StoreError> {
    match open(path) {
        Err(StoreError::ReadOnly { .. }) => {}
        opened => return opened,
    }
    let log = log(path);
    let connection = match fs::metadata(&log) {
        // The file is complete only together with its log.
        Ok(about) if about.len() > 0 => connect(path, READ_ONLY),
        // Without a log the file is complete, and SQLite need not create one.
        _ => connect(&immutable_uri(path), READ_ONLY.union(OpenFlags::SQLITE_OPEN_URI)),
    };
    let connection = connection.map_err(|error| StoreError::sqlite(path, error))?;
    match check_content(path, &connection) {
        Ok(()) => Ok(connection),
        Err(StoreError::ReadOnly { path, what }) => {
            let what = format!("{} has changes that must be written to it: {what}", log.display());
            Err(StoreError::ReadOnly { path, what })
        }
        Err(error) => Err(error),
    }
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Returns the path of SQLite's write-ahead log.
pub(crate) fn log(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// Returns a URI by which SQLite opens a file that does not change.
fn immutable_uri(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let bytes = path.as_os_str().as_encoded_bytes();
    // Windows paths start with a drive.
    let mut uri = if bytes.starts_with(b"/") { "file://" } else { "file:///" }.to_owned();
    for byte in bytes {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b':' | b'-' | b'_' | b'.' => uri.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    PathBuf::from(uri)
}

/// Checks the header without SQLite, which would write to a file that looks like its own.
fn check_header(path: &Path) -> Result<(), StoreError> {
    let io = |error| StoreError::io(path, error);
    let mut bytes = Vec::new();
    File::open(path).map_err(io)?.take(100).read_to_end(&mut bytes).map_err(io)?;
    let foreign = |what: &str| Err(StoreError::Foreign { path: path.to_owned(), what: what.to_owned() });
    let number = |at: usize| {
        bytes.get(at..at + 4).map(|it| i64::from(i32::from_be_bytes([it[0], it[1], it[2], it[3]])))
    };
    if bytes.is_empty() {
        return foreign("it is empty");
    }
    if !bytes.starts_with(b"SQLite format 3\0") {
        return foreign("it is not an SQLite file");
    }
    match (number(68), number(60)) {
        (Some(APPLICATION), Some(VERSION)) => Ok(()),
        (Some(APPLICATION), Some(found)) if found > VERSION => {
            Err(StoreError::Future { path: path.to_owned(), found, known: VERSION })
        }
        (Some(APPLICATION), Some(found)) => Err(StoreError::Corrupt {
            path: path.to_owned(),
            what: format!("version {found} does not exist"),
        }),
        (Some(_), Some(_)) => foreign("it is the SQLite file of another program"),
        _ => Err(StoreError::Corrupt { path: path.to_owned(), what: "it ends within its header".to_owned() }),
    }
}

/// Checks the whole file through a read-only connection. Leaves no new files behind if the file is rejected.
fn check_read_only(path: &Path) -> Result<(), StoreError> {
    let had_no_log = !log(path).exists();
    let connection = connect(path, READ_ONLY).map_err(|error| StoreError::sqlite(path, error))?;
    let found = check_content(path, &connection);
    drop(connection);
    if found.is_err() && had_no_log {
        // A read-only connection leaves an empty log behind. A connection that may write removes it if nobody
        // else has the file open, which only SQLite knows.
        let _ = connect(path, READ_WRITE).and_then(|connection| tables(&connection));
    }
    found
}

fn check_content(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let sqlite = |error| StoreError::sqlite(path, error);
    let corrupt = |what: String| Err(StoreError::Corrupt { path: path.to_owned(), what });
    let found: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(sqlite)?;
    if found != "ok" {
        // The first line only names the database.
        return corrupt(found.lines().last().unwrap_or_default().to_owned());
    }
    if tables(connection).map_err(sqlite)? != expected_tables().map_err(sqlite)? {
        return corrupt("its tables are not those of a store".to_owned());
    }
    Ok(())
}

fn expected_tables() -> rusqlite::Result<Vec<String>> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(SCHEMA)?;
    tables(&connection)
}

/// Returns the definitions of the tables. Views and indexes that a user has added are ignored.
fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )?;
    statement.query_map([], |row| row.get(0))?.collect()
}
