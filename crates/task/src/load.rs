//! Reading files and folders.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{Dataset, Grid, Pair, Task};

/// Why data could not be read. Always the data's (or the caller's) mistake, never ours.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file or folder cannot be read.
    #[error("{path}: {error}")]
    Io { path: PathBuf, error: std::io::Error },
    /// The file is not what it should be; the JSON reader's message carries line and column.
    #[error("{path}: {error}")]
    Json { path: PathBuf, error: serde_json::Error },
    /// A folder without task files.
    #[error("{path}: no task files (*.json) in this folder")]
    NoTasks { path: PathBuf },
}

/// A data set: a folder of task files, or a single task file.
pub fn load(path: &Path) -> Result<Dataset, LoadError> {
    let io = |error| LoadError::Io { path: path.to_owned(), error };
    if !std::fs::metadata(path).map_err(io)?.is_dir() {
        return Ok(Dataset { tasks: vec![load_task(path)?] });
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(io)? {
        let file = entry.map_err(io)?.path();
        if file.extension().is_some_and(|extension| extension == "json") {
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(LoadError::NoTasks { path: path.to_owned() });
    }
    let mut tasks = files.iter().map(|file| load_task(file)).collect::<Result<Vec<_>, _>>()?;
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(Dataset { tasks })
}

/// One task file; the task is called after the file.
pub fn load_task(path: &Path) -> Result<Task, LoadError> {
    let bytes = std::fs::read(path).map_err(|error| LoadError::Io { path: path.to_owned(), error })?;
    let id = path.file_stem().unwrap_or_default().to_string_lossy();
    parse_task(&id, &bytes).map_err(|error| LoadError::Json { path: path.to_owned(), error })
}

/// A task from the text of its file.
pub fn parse_task(id: &str, json: &[u8]) -> Result<Task, serde_json::Error> {
    #[derive(Deserialize)]
    #[serde(expecting = "a task: {\"train\": [pairs], \"test\": [pairs]}")]
    struct File {
        train: Vec<FilePair>,
        test: Vec<FilePair>,
    }
    #[derive(Deserialize)]
    #[serde(expecting = "a pair: {\"input\": grid, \"output\": grid}")]
    struct FilePair {
        input: Grid,
        output: Option<Grid>,
    }
    let file: File = serde_json::from_slice(json)?;
    let pairs = |pairs: Vec<FilePair>| {
        pairs.into_iter().map(|FilePair { input, output }| Pair { input, output }).collect()
    };
    Ok(Task { id: id.to_owned(), train: pairs(file.train), test: pairs(file.test) })
}

/// A bare grid from the text of its file.
pub fn parse_grid(json: &[u8]) -> Result<Grid, serde_json::Error> {
    serde_json::from_slice(json)
}
