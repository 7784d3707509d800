//! Writing tasks to disk one after another: a series may be longer than memory.
//!
//! Everything is written aside and then renamed, so that whoever looks finds what was there before, or all of it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::write::{grids_json, task_json};
use crate::{Grid, Task};

/// Why tasks could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The disk's answer.
    #[error("cannot write {path}: {error}")]
    Io { path: PathBuf, error: io::Error },
    /// The caller's mistake: other files would be mixed up with the new ones.
    #[error("{path} is there already and is not an empty folder: name a folder that is not there yet")]
    Taken { path: PathBuf },
    /// The caller's mistake: without that ending nobody would find the solutions.
    #[error(
        "{path}: a file of many tasks is called *_challenges.json, so that its solutions are found beside it"
    )]
    NotChallenges { path: PathBuf },
}

/// Writes a folder of task files, `ID.json` each. The folder must not be there yet, or be empty. Answers how many
/// tasks there were.
pub fn write_folder(path: &Path, tasks: impl Iterator<Item = Task>) -> Result<u64, WriteError> {
    let failed = |error| WriteError::Io { path: path.to_owned(), error };
    match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
        Ok(true) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) if error.kind() != io::ErrorKind::NotADirectory => return Err(failed(error)),
        _ => return Err(WriteError::Taken { path: path.to_owned() }),
    }
    let aside = Aside::new(path).map_err(failed)?;
    fs::create_dir_all(&aside.part).map_err(failed)?;
    let mut count = 0;
    for task in tasks {
        let file = aside.part.join(format!("{}.json", task.id));
        let mut text = Vec::new();
        write_task(&mut text, &task).and_then(|()| fs::write(&file, text)).map_err(failed)?;
        count += 1;
    }
    // An empty folder of that name makes way; not every system renames onto it.
    let _ = fs::remove_dir(path);
    aside.rename().map_err(failed)?;
    Ok(count)
}

/// Writes Kaggle's two files: `*_challenges.json` without the test outputs, and `*_solutions.json` beside it.
/// Answers how many tasks there were, and the path of the solutions.
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
        (Aside::new(path).map_err(failed)?, Aside::new(&solutions_path).map_err(failed)?);
    let create = |aside: &Aside| File::create(&aside.part).map(BufWriter::new).map_err(failed);
    let mut files = [create(&challenges)?, create(&solutions)?];
    let mut count = 0;
    for task in tasks {
        write_challenge(&mut files, &task, count == 0).map_err(failed)?;
        count += 1;
    }
    for file in files {
        close(file, count == 0).map_err(failed)?;
    }
    // Challenges without solutions are a data set like any other; with the solutions of another they are not.
    match fs::remove_file(&solutions_path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    challenges.rename().and_then(|()| solutions.rename()).map_err(failed)?;
    Ok((count, solutions_path))
}

/// The text of a task file.
pub fn write_task(out: &mut impl Write, task: &Task) -> io::Result<()> {
    out.write_all(task_json(task).as_bytes())
}

/// Adds a task to challenges and solutions.
fn write_challenge(
    [challenges, solutions]: &mut [impl Write; 2],
    task: &Task,
    first: bool,
) -> io::Result<()> {
    let mut challenge = task.clone();
    let outputs: Vec<Grid> = challenge.test.iter_mut().filter_map(|pair| pair.output.take()).collect();
    let separator = if first { '{' } else { ',' };
    // An id is somebody's text: the JSON writer quotes it.
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

/// A file or folder under another name until it is whole. If it never becomes whole it is removed.
struct Aside {
    part: PathBuf,
    whole: PathBuf,
    renamed: bool,
}

impl Aside {
    fn new(whole: &Path) -> io::Result<Aside> {
        let name = whole.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_string_lossy();
        // The process is part of the name, so that two runs with one target do not write into each other's.
        let part = whole.with_file_name(format!(".{name}.{}.part", std::process::id()));
        Ok(Aside { part, whole: whole.to_owned(), renamed: false })
    }

    fn rename(mut self) -> io::Result<()> {
        fs::rename(&self.part, &self.whole)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if !self.renamed {
            // Nobody can be told any more, and the next run does not mind what is left.
            let _ = fs::remove_file(&self.part).or_else(|_| fs::remove_dir_all(&self.part));
        }
    }
}
