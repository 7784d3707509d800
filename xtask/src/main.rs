//! Commands for developers of batt: `cargo xtask ci`, `claims`, `codegen`, `tidy`, `instructions`, `picture`,
//! `ptx`, `python`, `vendor`, `wheel`.

mod claims;
mod codegen;
mod instructions;
mod manual;
mod ptx;
mod python;
mod tidy;
mod vendor;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

/// The test command of the README, which `ci` runs too.
const TEST_COMMAND: &str = "cargo test --workspace";

const USAGE: &str = "usage: cargo xtask COMMAND

  ci [--reference DIR] [--tasks DIR]
                     run every check that a change has to pass
  claims [--reference DIR] [--tasks DIR] [--slow] [--batt FILE]
                     recompute the figures of README.md, ARCHITECTURE.md and docs/*.md; exit code 1 if one is wrong.
                     --reference: a checkout of arc-dsl; --tasks: the folder of its 400 training tasks (default:
                     ../shared/arc/arc1-training); --slow: also figures that take more than a minute; --batt: the
                     binary to measure (default: build one with --release)
  codegen [--check]  write the generated files, or check that they are up to date
  tidy               check the source tree against ARCHITECTURE.md, the registry of primitives and deny.toml
  python             install the Python package into a clean environment and check it there: tests, stubs, types,
                     notebooks, and the wheel on every Python from 3.11 on
  ptx [--nvidia] [-DNAME=VALUE] [FILE]
                     compile the kernels of a file (default: crates/device/src/kernel.cl) for NVIDIA's devices with
                     clang and libclc. --nvidia: use NVIDIA's front end, assemble its output with ptxas, and check
                     the registers and shared memory of each kernel
  vendor [--check]   build the editor component of the local page from pinned packages (needs npm and a network), or
                     check that a build gives the files that are here
  wheel              build the Python wheel for any Linux with glibc 2.17 or newer, and print its size
  picture            draw the README's pictures of the report in a browser (needs node and chromium)
  instructions [--write]
                     count the instructions of hot calls under valgrind, and compare with docs/instructions.tsv";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match &args[..] {
        ["ci", options @ ..] => claims::Options::parse(options, &root()).and_then(ci),
        ["claims", options @ ..] => claims::Options::parse(options, &root()).and_then(check_claims),
        ["codegen"] => codegen::write(&root()).map(|()| true),
        ["codegen", "--check"] => codegen::check(&root()).map(|()| true),
        ["instructions"] => instructions::check(&root()).map(|()| true),
        ["instructions", "--write"] => instructions::write(&root()).map(|()| true),
        ["ptx", options @ ..] => {
            ptx::Options::parse(options).and_then(|options| ptx::check(&options)).map(|()| true)
        }
        ["picture"] => draw_picture().map(|()| true),
        ["python"] => python::check().map(|()| true),
        ["vendor"] => vendor::write(&root()).map(|()| true),
        ["vendor", "--check"] => vendor::check(&root()).map(|()| true),
        ["wheel"] => python::wheel().map(|_| true),
        ["tidy"] => tidy::check(&root()).map(|()| true),
        _ => Err(anyhow::Error::msg(USAGE)),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            log(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

/// Runs all checks, then lists what was skipped because data or tools are missing.
fn ci(options: claims::Options) -> Result<bool> {
    let collected = target().join("skipped.txt");
    let _ = std::fs::remove_file(&collected);
    let mut skipped = Vec::new();
    let result = run_checks(&options, &collected, &mut skipped);
    let tests = std::fs::read_to_string(&collected).unwrap_or_default();
    skipped.extend(tests.lines().map(str::to_owned));
    skipped.sort();
    log(&format!("» {} skipped", skipped.len()));
    skipped.iter().for_each(|line| log(line));
    result
}

/// Runs the checks up to the first that fails. Skipped tests append a line to the file `collected`.
fn run_checks(options: &claims::Options, collected: &Path, skipped: &mut Vec<String>) -> Result<bool> {
    let mut env = vec![("ARCBATT_SKIPPED", collected.to_owned())];
    env.extend(options.solvers().map(|file| ("ARCBATT_SOLVERS", file)));
    env.extend(options.tasks.clone().map(|folder| ("ARCBATT_TASKS", folder)));
    step("cargo fmt --all --check")?;
    step("cargo clippy --workspace --all-targets --locked -- -D warnings")?;
    log("» ptx");
    skipped.extend(ptx::check_in_ci()?);
    step_with(&format!("{TEST_COMMAND} --locked"), &env)?;
    log("» python");
    python::check()?;
    step("npm run --silent --prefix tests/browser types")?;
    step_with("cargo doc --workspace --no-deps --locked", &[("RUSTDOCFLAGS", "-D warnings".into())])?;
    log("» vendor --check");
    vendor::check(&root())?;
    log("» codegen --check");
    codegen::check(&root())?;
    log("» tidy");
    tidy::check(&root())?;
    log("» claims");
    // The tests have built this binary. A release build would take minutes.
    let batt = options.batt.clone().unwrap_or_else(|| binary("debug", "batt"));
    let summary = claims::check(&root(), &batt, options)?;
    skipped.extend(summary.skipped);
    Ok(summary.wrong == 0)
}

fn check_claims(options: claims::Options) -> Result<bool> {
    let batt = match &options.batt {
        Some(batt) => batt.clone(),
        None => {
            step("cargo build --release --locked")?;
            binary("release", "batt")
        }
    };
    Ok(claims::check(&root(), &batt, &options)?.wrong == 0)
}

/// Draws docs/report.png and docs/report-dark.png. `npm ci --prefix tests/browser` has to be done before.
fn draw_picture() -> Result<()> {
    step("cargo build --release")?;
    step_with(
        "node tests/browser/picture.mjs docs/report.png docs/report-dark.png",
        &[("BATT", binary("release", "batt"))],
    )
}

fn step(command: &str) -> Result<()> {
    step_with(command, &[])
}

/// Logs a command and runs it in the root of the project.
fn step_with(command: &str, env: &[(&str, PathBuf)]) -> Result<()> {
    log(&format!("» {command}"));
    let mut words = command.split_whitespace();
    let program = words.next().context("an empty command")?;
    let env = env.iter().map(|(name, value)| (name, value));
    let status = Command::new(program).args(words).envs(env).current_dir(root()).status();
    let status = status.with_context(|| format!("cannot run `{command}`"))?;
    if !status.success() {
        bail!("`{command}` failed");
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace").to_owned()
}

/// Returns the folder of build results.
fn target() -> PathBuf {
    // A relative folder is relative to the root: cargo is run there.
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

fn binary(profile: &str, name: &str) -> PathBuf {
    target().join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

#[expect(clippy::print_stderr, reason = "developers read it")]
fn log(text: &str) {
    eprintln!("{text}");
}
