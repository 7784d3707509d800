//! Checks the source tree against ARCHITECTURE.md, the registry of primitives and deny.toml.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use batt_dsl::registry;
use serde_json::Value;

pub(crate) fn check(root: &Path) -> Result<()> {
    let metadata = metadata(root)?;
    let mut wrong = Vec::new();
    check_crates(root, &metadata, &mut wrong)?;
    check_imports(root, &mut wrong)?;
    check_licences(root, &metadata, &mut wrong)?;
    check_declarations(root, &mut wrong)?;
    check_readme(root, &mut wrong)?;
    if !wrong.is_empty() {
        bail!("the tree is not tidy:\n- {}", wrong.join("\n- "));
    }
    Ok(())
}

fn metadata(root: &Path) -> Result<Value> {
    let mut command = Command::new("cargo");
    command.args(["metadata", "--format-version", "1", "--locked"]).current_dir(root);
    let output = command.output().context("cannot run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Compares the block of lines `crate: its dependencies` in ARCHITECTURE.md with the manifests.
fn check_crates(root: &Path, metadata: &Value, wrong: &mut Vec<String>) -> Result<()> {
    let text = read(root, "ARCHITECTURE.md")?;
    let block = text.split("```crates\n").nth(1).and_then(|rest| rest.split("```").next());
    let block = block.context("ARCHITECTURE.md has no ```crates block")?;
    let documented: BTreeMap<String, BTreeSet<String>> = block
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, list)| (name.trim().to_owned(), list.split_whitespace().map(str::to_owned).collect()))
        .collect();
    let mut actual = BTreeMap::new();
    let packages = metadata["packages"].as_array().context("no packages")?;
    for package in packages.iter().filter(|package| package["source"].is_null()) {
        let dependencies = package["dependencies"].as_array().context("no dependencies")?;
        let normal = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
        let internal: BTreeSet<_> =
            normal.filter(|it| it["path"].is_string()).filter_map(|it| short_name(&it["name"])).collect();
        actual.insert(short_name(&package["name"]).context("a package without a name")?, internal);
    }
    for (name, dependencies) in &actual {
        match documented.get(name) {
            None => wrong.push(format!("ARCHITECTURE.md does not list the crate {name}")),
            Some(listed) if listed != dependencies => {
                wrong.push(format!("{name} depends on {dependencies:?}; ARCHITECTURE.md lists {listed:?}"));
            }
            Some(_) => {}
        }
    }
    wrong.extend(
        documented
            .keys()
            .filter(|name| !actual.contains_key(*name))
            .map(|name| format!("ARCHITECTURE.md lists the crate {name}, which does not exist")),
    );
    Ok(())
}

/// Returns the name of a package without the prefix `batt-`.
fn short_name(name: &Value) -> Option<String> {
    name.as_str().map(|name| name.strip_prefix("batt-").unwrap_or(name).to_owned())
}

/// The source folders of the front ends, and the crates that each may import besides `arcbatt`.
const FRONT_ENDS: [(&str, &[&str]); 3] =
    [("crates/cli/src", &["batt_bench", "batt_web"]), ("crates/web/src", &[]), ("crates/py/src", &[])];

/// Checks that front ends import nothing below `arcbatt`.
fn check_imports(root: &Path, wrong: &mut Vec<String>) -> Result<()> {
    for (folder, allowed) in FRONT_ENDS {
        for file in rust_files(&root.join(folder))? {
            let text = std::fs::read_to_string(&file)?;
            for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
                if word.starts_with("batt_") && !allowed.contains(&word) {
                    let file = file.strip_prefix(root).unwrap_or(&file).display();
                    wrong.push(format!("{file} uses {word}; front ends use only arcbatt"));
                }
            }
        }
    }
    Ok(())
}

/// Returns the Rust files of a folder and its subfolders.
pub(crate) fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// Checks every dependency's licence against the list in deny.toml.
fn check_licences(root: &Path, metadata: &Value, wrong: &mut Vec<String>) -> Result<()> {
    let deny = read(root, "deny.toml")?;
    let list = deny.split("allow = [").nth(1).and_then(|rest| rest.split(']').next());
    let allowed: BTreeSet<_> =
        list.context("deny.toml has no list of licences")?.split('"').skip(1).step_by(2).collect();
    for package in metadata["packages"].as_array().context("no packages")? {
        let licence = package["license"].as_str().unwrap_or("none");
        let is_allowed = |name: &str| allowed.contains(name.trim_matches(['(', ')', ' ']));
        // One alternative must be allowed in all its parts.
        let alternatives = licence.replace('/', " OR ");
        if !alternatives.split(" OR ").any(|alternative| alternative.split(" AND ").all(is_allowed)) {
            wrong.push(format!(
                "{} has the licence {licence}, which deny.toml does not allow",
                package["name"]
            ));
        }
    }
    Ok(())
}

/// Checks that every declared primitive is listed in its family: only those are in the registry.
fn check_declarations(root: &Path, wrong: &mut Vec<String>) -> Result<()> {
    let mut declared = 0;
    for entry in std::fs::read_dir(root.join("crates/dsl/src/family"))? {
        let text = std::fs::read_to_string(entry?.path())?;
        declared += text.lines().filter(|line| line.starts_with("#[primitive(")).count();
    }
    let registered = registry().iter().len();
    if declared != registered {
        wrong.push(format!(
            "{declared} primitives are declared, but {registered} are listed at the top of their families"
        ));
    }
    Ok(())
}

/// Checks that the README shows the test command that CI runs.
fn check_readme(root: &Path, wrong: &mut Vec<String>) -> Result<()> {
    if !read(root, "README.md")?.contains(&format!("\n{}\n", crate::TEST_COMMAND)) {
        wrong.push(format!("README.md does not show the test command `{}`", crate::TEST_COMMAND));
    }
    Ok(())
}

fn read(root: &Path, path: &str) -> Result<String> {
    std::fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))
}
