//! Program files of the editor, in the one folder that the server was started with.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;
use std::{fs, io};

use arcbatt::base::write_atomic;
use arcbatt::value::ContentHash;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::api::ApiError;

/// The folder, if there is one. Only files whose names end in `.py` are read and written.
pub(crate) struct ProgramFiles {
    folder: Option<PathBuf>,
    /// Held while a file is compared and written.
    writing: Mutex<()>,
}

#[derive(Serialize)]
pub(crate) struct FileList {
    /// `None` if the server was started without a folder.
    folder: Option<String>,
    files: Vec<FileLine>,
}

#[derive(Serialize)]
struct FileLine {
    name: String,
    bytes: u64,
    /// Modification time in milliseconds since 1970.
    changed: Option<u64>,
}

#[derive(Serialize)]
pub(crate) struct FileBody {
    name: String,
    text: String,
    /// Hash of the content. A request to replace the file must name it.
    hash: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SaveRequest {
    text: String,
    /// Hash of the content that may be replaced; `None` for a new file.
    replaces: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct SavedFile {
    path: String,
    hash: String,
}

/// Larger files are not opened.
const MAX_FILE: u64 = 1 << 20;
const MAX_NAME: usize = 100;

impl ProgramFiles {
    pub(crate) fn new(folder: Option<PathBuf>) -> ProgramFiles {
        ProgramFiles { folder, writing: Mutex::new(()) }
    }

    pub(crate) fn list(&self) -> Result<FileList, ApiError> {
        let Some(folder) = &self.folder else { return Ok(FileList { folder: None, files: Vec::new() }) };
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(|error| failed(folder, &error))? {
            let Ok(entry) = entry else { continue };
            let (Ok(name), Ok(file)) = (entry.file_name().into_string(), entry.metadata()) else { continue };
            if file.is_file() && check_name(&name).is_ok() {
                let changed = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                let changed = changed.map(|time| time.as_millis() as u64);
                files.push(FileLine { name, bytes: file.len(), changed });
            }
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(FileList { folder: Some(folder.display().to_string()), files })
    }

    pub(crate) fn open(&self, name: &str) -> Result<FileBody, ApiError> {
        let path = self.path(name)?;
        let missing = || ApiError(StatusCode::NOT_FOUND, format!("{} does not exist", path.display()));
        let text = read(&path)?.ok_or_else(missing)?;
        Ok(FileBody { name: name.to_owned(), hash: hash(&text), text })
    }

    /// Writes a file. An existing one is replaced only if its content is the one that the request names.
    pub(crate) fn save(&self, name: &str, request: &SaveRequest) -> Result<SavedFile, ApiError> {
        let path = self.path(name)?;
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let conflict = |why: &str| ApiError(StatusCode::CONFLICT, format!("{} {why}", path.display()));
        match (read(&path)?, &request.replaces) {
            (None, _) => {}
            (Some(_), None) => return Err(conflict("exists already; replace it, or choose another name")),
            (Some(text), Some(expected)) if hash(&text) == *expected => {}
            (Some(_), Some(_)) => return Err(conflict("was changed by another program; nothing was saved")),
        }
        write_atomic(&path, request.text.as_bytes()).map_err(|error| failed(&path, &error))?;
        Ok(SavedFile { path: path.display().to_string(), hash: hash(&request.text) })
    }

    fn path(&self, name: &str) -> Result<PathBuf, ApiError> {
        let no_folder = "the server has no folder for programs; start it with `batt serve --programs FOLDER`";
        let folder = self.folder.as_ref();
        let folder = folder.ok_or_else(|| ApiError(StatusCode::CONFLICT, no_folder.to_owned()))?;
        check_name(name)?;
        Ok(folder.join(name))
    }
}

/// Checks that a name is that of a Python file, without a folder.
fn check_name(name: &str) -> Result<(), ApiError> {
    let usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let stem = name.strip_suffix(".py").filter(|stem| !stem.is_empty() && !stem.starts_with('.'));
    if stem.is_some() && name.len() <= MAX_NAME && name.chars().all(usual) {
        return Ok(());
    }
    let rule = "use letters, digits, `_`, `-` and `.`, and `.py` at the end";
    Err(ApiError(StatusCode::UNPROCESSABLE_ENTITY, format!("`{name}` is not a file name; {rule}")))
}

/// Reads a file, or returns `None` if it does not exist. Links are refused, because they may lead elsewhere.
fn read(path: &Path) -> Result<Option<String>, ApiError> {
    let refuse = |why: String| ApiError(StatusCode::UNPROCESSABLE_ENTITY, why);
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(path, &error)),
        Ok(file) if !file.is_file() => return Err(refuse(format!("{} is not a file", path.display()))),
        Ok(file) if file.len() > MAX_FILE => {
            return Err(refuse(format!("{} is larger than {} MiB", path.display(), MAX_FILE >> 20)));
        }
        Ok(_) => {}
    }
    let bytes = fs::read(path).map_err(|error| failed(path, &error))?;
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| refuse(format!("{} is not UTF-8", path.display())))
}

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

fn failed(path: &Path, error: &io::Error) -> ApiError {
    ApiError(StatusCode::INTERNAL_SERVER_ERROR, format!("{}: {error}", path.display()))
}
