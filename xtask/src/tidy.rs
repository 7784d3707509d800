//! Does the tree still look as ARCHITECTURE.md says?

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use arcbatt::dsl::registry;
use serde_json::Value;

pub(crate) fn check(root: &Path) -> Result<()> {
    let metadata = metadata(root)?;
    let mut wrong = Vec::new();
    rooms(root, &metadata, &mut wrong)?;
    licences(root, &metadata, &mut wrong)?;
    declarations(root, &mut wrong)?;
    readme(root, &mut wrong)?;
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

/// The block of lines `room: rooms it knows` in ARCHITECTURE.md against the manifests.
fn rooms(root: &Path, metadata: &Value, wrong: &mut Vec<String>) -> Result<()> {
    let text = read(root, "ARCHITECTURE.md")?;
    let block = text.split("```rooms\n").nth(1).and_then(|rest| rest.split("```").next());
    let block = block.context("ARCHITECTURE.md has no ```rooms block")?;
    let picture: BTreeMap<String, BTreeSet<String>> = block
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(room, known)| (room.trim().to_owned(), known.split_whitespace().map(str::to_owned).collect()))
        .collect();
    let mut actual = BTreeMap::new();
    let packages = metadata["packages"].as_array().context("no packages")?;
    for package in packages.iter().filter(|package| package["source"].is_null()) {
        let dependencies = package["dependencies"].as_array().context("no dependencies")?;
        let known = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
        let known: BTreeSet<_> =
            known.filter(|it| it["path"].is_string()).filter_map(|it| room(&it["name"])).collect();
        actual.insert(room(&package["name"]).context("a package without a name")?, known);
    }
    for (name, known) in &actual {
        match picture.get(name) {
            None => wrong.push(format!("ARCHITECTURE.md does not show {name}")),
            Some(shown) if shown != known => {
                wrong.push(format!("{name} knows {known:?}; ARCHITECTURE.md says {shown:?}"));
            }
            Some(_) => {}
        }
    }
    wrong.extend(
        picture
            .keys()
            .filter(|name| !actual.contains_key(*name))
            .map(|name| format!("there is no room {name}")),
    );
    Ok(())
}

fn room(name: &Value) -> Option<String> {
    name.as_str().map(|name| name.strip_prefix("batt-").unwrap_or(name).to_owned())
}

/// Every dependency's licence against the list in deny.toml.
fn licences(root: &Path, metadata: &Value, wrong: &mut Vec<String>) -> Result<()> {
    let deny = read(root, "deny.toml")?;
    let list = deny.split("allow = [").nth(1).and_then(|rest| rest.split(']').next());
    let allowed: BTreeSet<_> =
        list.context("deny.toml has no list of licences")?.split('"').skip(1).step_by(2).collect();
    for package in metadata["packages"].as_array().context("no packages")? {
        let licence = package["license"].as_str().unwrap_or("none");
        let word = |word: &str| allowed.contains(word.trim_matches(['(', ')', ' ']));
        // One alternative must be allowed in all its parts.
        let fine = licence.replace('/', " OR ").split(" OR ").any(|choice| choice.split(" AND ").all(word));
        if !fine {
            wrong.push(format!(
                "{} has the licence {licence}, which deny.toml does not allow",
                package["name"]
            ));
        }
    }
    Ok(())
}

/// A primitive that is declared but not listed in its family is not in the registry.
fn declarations(root: &Path, wrong: &mut Vec<String>) -> Result<()> {
    let mut declared = 0;
    for entry in std::fs::read_dir(root.join("crates/dsl/src/family"))? {
        let text = std::fs::read_to_string(entry?.path())?;
        declared += text.lines().filter(|line| line.starts_with("#[primitive(")).count();
    }
    let registered = registry().iter().len();
    if declared != registered {
        wrong.push(format!("{declared} primitives are declared, {registered} are listed in their families"));
    }
    Ok(())
}

fn readme(root: &Path, wrong: &mut Vec<String>) -> Result<()> {
    if !read(root, "README.md")?.contains(&format!("\n{}\n", crate::TEST_COMMAND)) {
        wrong.push(format!("README.md does not show the test command `{}`", crate::TEST_COMMAND));
    }
    Ok(())
}

fn read(root: &Path, path: &str) -> Result<String> {
    std::fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))
}
