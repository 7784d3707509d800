//! Runs command lines of `batt`, each once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use serde_json::Value as Json;

use super::Options;

/// Runs command lines in the root of the project and remembers their output.
pub(super) struct Runner<'r> {
    pub(super) root: &'r Path,
    pub(super) options: &'r Options,
    batt: &'r Path,
    /// A folder for files that commands write. It has a program that is wrong, `wrong.py`.
    scratch: PathBuf,
    outputs: RefCell<BTreeMap<String, Rc<Output>>>,
}

/// The result of a command.
pub(super) struct Output {
    pub(super) stdout: String,
    stderr: String,
    pub(super) code: i32,
}

impl<'r> Runner<'r> {
    pub(super) fn new(root: &'r Path, batt: &'r Path, options: &'r Options) -> Result<Runner<'r>> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let scratch = std::env::temp_dir().join(format!("batt-claims-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&scratch).with_context(|| format!("cannot create {}", scratch.display()))?;
        std::fs::write(scratch.join("wrong.py"), "def solve_kaleidoscope(I):\n    return I\n")?;
        Ok(Runner { root, options, batt, scratch, outputs: RefCell::default() })
    }

    /// Runs `batt` with these arguments, of which TASKS and SCRATCH/NAME are replaced by paths and
    /// `FOLDER/*.gz` by the files of a folder.
    pub(super) fn run(&self, command: &str) -> Result<Rc<Output>> {
        if let Some(output) = self.outputs.borrow().get(command) {
            return Ok(output.clone());
        }
        crate::log(&format!("» batt {command}"));
        let mut args = Vec::new();
        for word in command.split_whitespace() {
            match word.split_once("/*") {
                Some((folder, ending)) => args.extend(self.files(folder, ending)?),
                None => args.push(self.expand(word)),
            }
        }
        let mut process = Command::new(self.batt);
        // Data sets that the user has installed must not matter.
        process.args(args).current_dir(self.root).env("ARCBATT_DATA", self.scratch.join("data"));
        let output = process.output().with_context(|| format!("cannot run {}", self.batt.display()))?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let output = Rc::new(Output {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            code: output.status.code().context("batt was killed")?,
        });
        self.outputs.borrow_mut().insert(command.to_owned(), output.clone());
        Ok(output)
    }

    /// Runs a command that prints a JSON document.
    pub(super) fn json(&self, command: &str) -> Result<Json> {
        let output = self.run(command)?;
        serde_json::from_str(&output.stdout)
            .with_context(|| format!("`batt {command}` failed: {}", output.stderr))
    }

    /// Returns the default of an option as the help of a command prints it.
    pub(super) fn default(&self, command: &str, option: &str) -> Result<String> {
        let help = self.run(&format!("{command} --help"))?;
        let default = help
            .stdout
            .split_once(&format!(" {option} "))
            .and_then(|(_, rest)| rest.split_once("[default: "));
        let Some((_, default)) = default else {
            bail!("`batt {command} --help` shows no default of {option}")
        };
        Ok(default.chars().take_while(char::is_ascii_alphanumeric).collect())
    }

    /// Returns the path of a file in the scratch folder.
    pub(super) fn scratch(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }

    fn expand(&self, word: &str) -> PathBuf {
        match (word, word.strip_prefix("SCRATCH/")) {
            (_, Some(name)) => self.scratch(name),
            ("TASKS", _) => self.options.tasks.clone().unwrap_or_default(),
            _ => word.into(),
        }
    }

    fn files(&self, folder: &str, ending: &str) -> Result<Vec<PathBuf>> {
        let entries =
            std::fs::read_dir(self.root.join(folder)).with_context(|| format!("cannot read {folder}"))?;
        let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        files.retain(|path| path.to_string_lossy().ends_with(ending));
        files.sort();
        Ok(files)
    }
}

impl Drop for Runner<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}
