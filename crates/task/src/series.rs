//! Writes tasks to disk one by one, because a series may be larger than memory.
//!
//! Files are written under a temporary name and then renamed, so that a reader sees either the old state or
//! all of the new one.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::write::{grids_json, task_json};
use crate::{Grid, Task};

/// The reasons why tasks cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// An error of the file system.
    #[error("cannot write {path}: {error}")]
    Io { path: PathBuf, error: io::Error },
    /// The caller's mistake: the new files would be mixed with others.
    #[error("{path} already exists and is not an empty folder; name a new folder")]
    Taken { path: PathBuf },
    /// The caller's mistake: readers find the solutions only next to a file with this ending.
    #[error(
        "{path}: the name of a file of many tasks must end in challenges.json, so that its solutions are found"
    )]
    NotChallenges { path: PathBuf },
}

/// Writes a folder of task files, `ID.json` each. The folder must not exist or be empty. Returns the number
/// of tasks.
pub fn write_folder(path: &Path, tasks: impl Iterator<Item = Task>) -> Result<u64, WriteError> {
    let failed = |error| WriteError::Io { path: path.to_owned(), error };
    match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
        Ok(true) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) if error.kind() != io::ErrorKind::NotADirectory => return Err(failed(error)),
        _ => return Err(WriteError::Taken { path: path.to_owned() }),
    }
    let temporary = Temporary::new(path).map_err(failed)?;
    fs::create_dir_all(&temporary.path).map_err(failed)?;
    let mut count = 0;
    for task in tasks {
        let file = temporary.path.join(format!("{}.json", task.id));
        let mut text = Vec::new();
        write_task(&mut text, &task).and_then(|()| fs::write(&file, text)).map_err(failed)?;
        count += 1;
    }
    // Not every system can rename to an existing empty folder.
    let _ = fs::remove_dir(path);
    temporary.rename().map_err(failed)?;
    Ok(count)
}

/// Writes Kaggle's two files: `*_challenges.json` without the test outputs, and `*_solutions.json` next to
/// it. Returns the number of tasks and the path of the solutions.
pub fn write_challenges(
    path: &Path,
    tasks: impl Iterator<Item = Task>,
) -> Result<(u64, PathBuf), WriteError> {
    let failed = |error| WriteError::Io { path: path.to_owned(), error };
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(base) = name.strip_suffix("challenges.json") else {
        return Err(WriteError::NotChallenges { path: path.to_owned() });
    };
    let solutions_path = path.with_file_name(format!("{base}solutions.json"));
    let (challenges, solutions) =
        (Temporary::new(path).map_err(failed)?, Temporary::new(&solutions_path).map_err(failed)?);
    let create = |file: &Temporary| File::create(&file.path).map(BufWriter::new).map_err(failed);
    let mut files = [create(&challenges)?, create(&solutions)?];
    let mut count = 0;
    for task in tasks {
        write_challenge(&mut files, &task, count == 0).map_err(failed)?;
        count += 1;
    }
    for file in files {
        close(file, count == 0).map_err(failed)?;
    }
    // Remove old solutions first: challenges without solutions are valid, but with solutions of other tasks
    // they are not.
    match fs::remove_file(&solutions_path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    challenges.rename().and_then(|()| solutions.rename()).map_err(failed)?;
    Ok((count, solutions_path))
}

/// Writes the text of a task file.
pub fn write_task(out: &mut impl Write, task: &Task) -> io::Result<()> {
    out.write_all(task_json(task).as_bytes())
}

/// Appends a task to challenges and solutions.
fn write_challenge(
    [challenges, solutions]: &mut [impl Write; 2],
    task: &Task,
    first: bool,
) -> io::Result<()> {
    let mut challenge = task.clone();
    let outputs: Vec<Grid> = challenge.test.iter_mut().filter_map(|pair| pair.output.take()).collect();
    let separator = if first { '{' } else { ',' };
    // Ids may contain quotes, so they are escaped.
    let id = serde_json::to_string(&task.id)?;
    write!(challenges, "{separator}\n{id}:")?;
    write_task(challenges, &challenge)?;
    write!(solutions, "{separator}\n{id}:")?;
    solutions.write_all(grids_json(&outputs).as_bytes())
}

fn close(mut file: BufWriter<File>, empty: bool) -> io::Result<()> {
    write!(file, "{}\n}}\n", if empty { "{" } else { "" })?;
    file.into_inner()?.sync_all()
}

/// A file or folder under a temporary name. It is removed unless it is renamed.
struct Temporary {
    path: PathBuf,
    target: PathBuf,
    renamed: bool,
}

impl Temporary {
    fn new(target: &Path) -> io::Result<Temporary> {
        let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_string_lossy();
        // The name contains the process id, so that two processes with the same target do not collide.
        let path = target.with_file_name(format!(".{name}.{}.part", std::process::id()));
        Ok(Temporary { path, target: target.to_owned(), renamed: false })
    }

    fn rename(mut self) -> io::Result<()> {
        fs::rename(&self.path, &self.target)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            // An error cannot be reported here, and a leftover file does no harm.
            let _ = fs::remove_file(&self.path).or_else(|_| fs::remove_dir_all(&self.path));
        }
    }
}
