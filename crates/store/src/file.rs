//! The file: what is in it, how it is made, and how to tell it from any other.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::StoreError;

/// The tables. Hashes are hexadecimal digits, so that any SQLite client can be used to look around.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// What is raised when [`SCHEMA`] changes.
pub(crate) const VERSION: i64 = 1;

/// `batt` in the header of the file says whose it is.
const APPLICATION: i64 = 0x6261_7474;

/// How long we wait for other processes. The words of [`StoreError::Busy`] say it too.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Makes a new, empty store, unless somebody else is quicker.
///
/// It is made under another name first: a file under the name itself is always a whole store, so what is not one
/// need not be given the benefit of the doubt.
pub(crate) fn create(path: &Path) -> Result<(), StoreError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| StoreError::io(folder, error))?;
    }
    let aside = beside(path)?;
    let made = fill(&aside).map_err(|error| StoreError::sqlite(path, error));
    let named = made.and_then(|()| name(&aside, path).map_err(|error| StoreError::io(path, error)));
    // What cannot be removed lies about, and does no harm.
    let _ = fs::remove_file(&aside);
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

/// Gives a finished file its name. Whoever was quicker wins.
fn name(aside: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(aside, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        // Not every file system has links.
        Err(_) if !path.exists() => fs::rename(aside, path)?,
        linked => linked?,
    }
    match path.parent().filter(|folder| cfg!(unix) && !folder.as_os_str().is_empty()) {
        // The name is on the disk when the folder is.
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// A name in the same folder that no other process uses, nor another thread of this one.
fn beside(path: &Path) -> Result<PathBuf, StoreError> {
    let Some(name) = path.file_name() else {
        return Err(StoreError::io(path, io::ErrorKind::InvalidFilename.into()));
    };
    let thread = format!("{:?}", std::thread::current().id());
    let digits: String = thread.chars().filter(char::is_ascii_digit).collect();
    let mut aside = std::ffi::OsString::from(".");
    aside.push(name);
    aside.push(format!(".{}.{digits}.part", std::process::id()));
    Ok(path.with_file_name(aside))
}

const READ_WRITE: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);
const READ_ONLY: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Opens a store for reading and writing, after making sure that it is one. Nothing is written before that.
pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    header(path)?;
    let sqlite = |error| StoreError::sqlite(path, error);
    // SQLite opens a file that may not be written too. Nothing is read yet, so nothing is made beside it.
    let probe = connect(path, READ_WRITE).map_err(sqlite)?;
    if probe.is_readonly(rusqlite::MAIN_DB).map_err(sqlite)? {
        return Err(StoreError::ReadOnly { path: path.to_owned(), what: "the file is read-only".to_owned() });
    }
    drop(probe);
    inspect(path)?;
    let connection = connect(path, READ_WRITE).map_err(sqlite)?;
    // FULL: a commit is on the disk when it returns, not at the next checkpoint.
    let pragmas = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;";
    connection.execute_batch(pragmas).map_err(sqlite)?;
    Ok(connection)
}

/// Opens a store for reading, and where that is allowed for writing.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection, StoreError> {
    match open(path) {
        Err(StoreError::ReadOnly { .. }) => {}
        opened => return opened,
    }
    let log = log(path);
    let connection = match fs::metadata(&log) {
        // It can be read only together with the file.
        Ok(about) if about.len() > 0 => connect(path, READ_ONLY),
        // Without changes in a log the file is all there is, and SQLite need not make a log of its own beside it.
        _ => connect(&unchanging(path), READ_ONLY.union(OpenFlags::SQLITE_OPEN_URI)),
    };
    let connection = connection.map_err(|error| StoreError::sqlite(path, error))?;
    match examine(path, &connection) {
        Ok(()) => Ok(connection),
        Err(StoreError::ReadOnly { path, what }) => {
            let what = format!("{} holds changes that are to be put into it: {what}", log.display());
            Err(StoreError::ReadOnly { path, what })
        }
        Err(error) => Err(error),
    }
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// Where SQLite keeps changes until they are put into the file.
fn log(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// The address by which SQLite takes a file for one that nobody changes.
fn unchanging(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let bytes = path.as_os_str().as_encoded_bytes();
    // Other systems than Unix have drives in front.
    let mut address = if bytes.starts_with(b"/") { "file://" } else { "file:///" }.to_owned();
    for byte in bytes {
        match byte {
            b'\\' if cfg!(windows) => address.push('/'),
            b'/' | b':' | b'-' | b'_' | b'.' => address.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => address.push(char::from(*byte)),
            byte => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address.push_str("?immutable=1");
    PathBuf::from(address)
}

/// Reads the header without SQLite, which would write to files that it takes for its own.
fn header(path: &Path) -> Result<(), StoreError> {
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
        return foreign("it is no SQLite file");
    }
    match (number(68), number(60)) {
        (Some(APPLICATION), Some(VERSION)) => Ok(()),
        (Some(APPLICATION), Some(found)) if found > VERSION => {
            Err(StoreError::Future { path: path.to_owned(), found, known: VERSION })
        }
        (Some(APPLICATION), Some(found)) => {
            Err(StoreError::Corrupt { path: path.to_owned(), what: format!("there is no version {found}") })
        }
        (Some(_), Some(_)) => foreign("it is the SQLite file of another program"),
        _ => Err(StoreError::Corrupt { path: path.to_owned(), what: "it ends within its header".to_owned() }),
    }
}

/// Looks all over the file, without the right to write to it, and leaves nothing beside what is refused.
fn inspect(path: &Path) -> Result<(), StoreError> {
    let lone = !log(path).exists();
    let connection = connect(path, READ_ONLY).map_err(|error| StoreError::sqlite(path, error))?;
    let found = examine(path, &connection);
    drop(connection);
    if found.is_err() && lone {
        // Whoever may not write leaves an empty log behind. Whoever may takes it away when nobody else has the file
        // open, and SQLite alone can tell. There is nothing in the log to put into the file.
        let _ = connect(path, READ_WRITE).and_then(|connection| tables(&connection));
    }
    found
}

fn examine(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let sqlite = |error| StoreError::sqlite(path, error);
    let corrupt = |what: String| Err(StoreError::Corrupt { path: path.to_owned(), what });
    let found: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(sqlite)?;
    if found != "ok" {
        // The first line only says in which database it was found.
        return corrupt(found.lines().last().unwrap_or_default().to_owned());
    }
    if tables(connection).map_err(sqlite)? != expected().map_err(sqlite)? {
        return corrupt("its tables are not those of a store".to_owned());
    }
    Ok(())
}

fn expected() -> rusqlite::Result<Vec<String>> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(SCHEMA)?;
    tables(&connection)
}

/// What makes up the tables. A view or an index that a user has added does no harm.
fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )?;
    statement.query_map([], |row| row.get(0))?.collect()
}
