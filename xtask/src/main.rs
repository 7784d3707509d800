//! The builders' commands: `cargo xtask ci`, `codegen`, `tidy`, `instructions`, `picture`.

mod codegen;
mod instructions;
mod manual;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

/// The second command of the README: what `ci` runs and what a newcomer types.
const TEST_COMMAND: &str = "cargo test --workspace";

const USAGE: &str = "usage: cargo xtask COMMAND

  ci                 everything that must hold before a change lands
  codegen [--check]  write the generated files, or check that they are up to date
  tidy               check the tree against ARCHITECTURE.md, the registry and deny.toml
  picture            draw the README's picture: the report in a browser (needs node and chromium)
  instructions [--write]
                     count the instructions of hot calls under valgrind, and compare with docs/instructions.tsv";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["ci"] => ci(),
        ["codegen"] => codegen::write(&root()),
        ["codegen", "--check"] => codegen::check(&root()),
        ["instructions"] => instructions::check(&root()),
        ["instructions", "--write"] => instructions::write(&root()),
        ["picture"] => picture(),
        ["tidy"] => tidy::check(&root()),
        _ => Err(anyhow::Error::msg(USAGE)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

fn ci() -> Result<()> {
    step("cargo fmt --all --check")?;
    step("cargo clippy --workspace --all-targets --locked -- -D warnings")?;
    step(&format!("{TEST_COMMAND} --locked"))?;
    step("npm run --silent --prefix tests/browser types")?;
    step_with("cargo doc --workspace --no-deps --locked", &[("RUSTDOCFLAGS", "-D warnings")])?;
    say("» codegen --check");
    codegen::check(&root())?;
    say("» tidy");
    tidy::check(&root())
}

/// `npm ci --prefix tests/browser` has to be done before.
fn picture() -> Result<()> {
    step("cargo build --release")?;
    let batt = root().join("target/release/batt");
    let batt = std::env::var_os("CARGO_TARGET_DIR")
        .map_or(batt, |target| PathBuf::from(target).join("release/batt"));
    let batt = batt.to_str().context("the path of the project is no text")?.to_owned();
    step_with("node tests/browser/picture.mjs docs/report.png", &[("BATT", batt.as_str())])
}

fn step(command: &str) -> Result<()> {
    step_with(command, &[])
}

fn step_with(command: &str, env: &[(&str, &str)]) -> Result<()> {
    say(&format!("» {command}"));
    let mut words = command.split_whitespace();
    let program = words.next().context("an empty command")?;
    let status = Command::new(program).args(words).envs(env.iter().copied()).current_dir(root()).status()?;
    if !status.success() {
        bail!("`{command}` failed");
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

#[expect(clippy::print_stderr, reason = "builders read it")]
fn say(text: &str) {
    eprintln!("{text}");
}
