//! Builds the editor component of the local page, `crates/report/web/vendor/codemirror.js`.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

const FOLDER: &str = "crates/report/web/vendor";
const FILES: [&str; 2] = ["codemirror.js", "codemirror.licences.txt"];

/// Builds the files again, with the pinned packages.
pub(crate) fn write(root: &Path) -> Result<()> {
    let folder = root.join(FOLDER);
    build(&folder, &folder)
}

/// Checks that a new build gives the same bytes.
pub(crate) fn check(root: &Path) -> Result<()> {
    let (folder, fresh) = (root.join(FOLDER), crate::target().join("vendor"));
    std::fs::create_dir_all(&fresh)?;
    build(&folder, &fresh)?;
    for file in FILES {
        if std::fs::read(folder.join(file))? != std::fs::read(fresh.join(file))? {
            bail!("{FOLDER}/{file} is not what {FOLDER}/build.mjs makes; run `cargo xtask vendor`");
        }
    }
    Ok(())
}

fn build(folder: &Path, target: &Path) -> Result<()> {
    let npm = ["ci", "--no-audit", "--no-fund", "--silent"];
    run(Command::new("npm").args(npm).current_dir(folder))?;
    run(Command::new("node").arg("build.mjs").arg(target).current_dir(folder))
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
