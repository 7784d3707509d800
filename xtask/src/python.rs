//! The Python package: its checks, and its wheel.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{log, root, target};

/// Packages that the tests need, with pinned versions.
const REQUIREMENTS: &str = "crates/py/tests/requirements.txt";
/// Tools that build the wheel.
const WHEEL_TOOLS: [&str; 2] = ["maturin==1.16.0", "ziglang==0.15.2"];
/// The largest wheel that is accepted, in bytes.
const MAX_WHEEL: u64 = 5_000_000;
/// Crates that the wheel optimises for size: none of them runs programs.
const SMALL: [&str; 6] =
    ["libsqlite3-sys", "rusqlite", "batt-store", "batt-record", "batt-report", "batt-job"];
/// Versions of Python that are looked for. The wheel is one file for all of them.
const VERSIONS: std::ops::RangeInclusive<u32> = 11..=16;

/// Builds the wheel, installs it into a clean environment, and checks it there: tests, stubs, types and notebooks. Then
/// installs it on every Python of this machine, and the package from its sources.
pub(crate) fn check() -> Result<()> {
    let wheel = wheel()?;
    let venv = new_venv("python", &python()?)?;
    venv.pip(&["install", "--quiet", "-r", REQUIREMENTS])?;
    venv.install_wheel(&wheel)?;
    // In another folder, so that nothing but the installed package can be imported.
    let folder = target().join("python-tests");
    std::fs::create_dir_all(&folder)?;
    let root = root();
    let tests = root.join("crates/py/tests");
    let batt = crate::binary("debug", "batt");
    let mut pytest = venv.command(&["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    pytest.arg(&tests).current_dir(&folder);
    if batt.is_file() {
        pytest.env("ARCBATT_BATT", batt);
    }
    run(pytest)?;
    run_in(&folder, venv.command(&["-m", "mypy.stubtest", "arcbatt"]))?;
    let config = root.join("pyproject.toml");
    let mut types = venv.command(&["-m", "mypy", "--config-file"]);
    types.arg(&config).args(["-p", "arcbatt"]);
    run_in(&folder, types)?;
    let mut types = venv.command(&["-m", "mypy", "--config-file"]);
    types.arg(&config).arg(&tests).arg(root.join("crates/py/benches"));
    run_in(&folder, types)?;
    check_notebooks(&venv, &folder, &config)?;
    check_wheel(&wheel)?;
    check_sources()
}

/// Runs the notebooks, and checks the types of their code.
fn check_notebooks(venv: &Venv, folder: &Path, config: &Path) -> Result<()> {
    let notebooks = root().join("examples/notebooks");
    let code = folder.join("notebooks");
    let _ = std::fs::remove_dir_all(&code);
    let mut extract = venv.command(&[]);
    extract.arg(root().join("crates/py/tests/notebook_code.py")).arg(&notebooks).arg(&code);
    run(extract)?;
    for entry in std::fs::read_dir(&code)? {
        let mut types = venv.command(&["-m", "mypy", "--config-file"]);
        types.arg(config).arg(entry?.path());
        run_in(folder, types)?;
    }
    let mut nbmake =
        venv.command(&["-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbmake", "--nbmake-timeout=300"]);
    nbmake.arg(&notebooks);
    run_in(folder, nbmake)
}

/// Installs the wheel without an index on every Python of this machine, and solves a few tasks there.
fn check_wheel(wheel: &Path) -> Result<()> {
    let mut checked = 0;
    for minor in VERSIONS {
        let name = format!("python3.{minor}");
        if !answers(&name) {
            continue;
        }
        let venv = new_venv(&format!("python-3.{minor}"), &name)?;
        // numpy is the only dependency; notebooks have it.
        venv.pip(&["install", "--quiet", "numpy"])?;
        venv.install_wheel(wheel)?;
        venv.smoke_test()?;
        checked += 1;
    }
    if checked == 0 {
        bail!("no Python from 3.11 on was found to install the wheel on");
    }
    log(&format!("the wheel works on all versions of Python here: {checked}"));
    Ok(())
}

/// Installs the package from its sources, as `pip install .` does, but without optimisation: the tests of the workspace
/// have built most of that already.
fn check_sources() -> Result<()> {
    let venv = new_venv("python-sources", &python()?)?;
    let mut install = venv.command(&["-m", "pip", "install", "--quiet", "."]);
    install.current_dir(root()).env("MATURIN_PEP517_ARGS", "--profile dev");
    run(install)?;
    venv.smoke_test()
}

/// Builds the wheel for any Linux with glibc 2.17 or newer (manylinux2014), and reports its size.
pub(crate) fn wheel() -> Result<PathBuf> {
    let venv = venv("wheel-tools", &python()?)?;
    let mut install = vec!["install", "--quiet"];
    install.extend(WHEEL_TOOLS);
    venv.pip(&install)?;
    let wheels = target().join("wheels");
    let _ = std::fs::remove_dir_all(&wheels);
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut build = Command::new(venv.folder.join("bin/maturin"));
    build.args(["build", "--release", "--zig", "--compatibility", "manylinux2014", "--target", &triple]);
    for package in SMALL {
        build.args(["--config", &format!("profile.release.package.{package}.opt-level=\"s\"")]);
    }
    // The module is stripped, so debug information would only cost time.
    build.arg("--out").arg(&wheels).current_dir(root()).env("CARGO_PROFILE_RELEASE_DEBUG", "0");
    // maturin looks for zig on the path.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(venv.folder.join("bin")).chain(std::env::split_paths(&path));
    build.env("PATH", std::env::join_paths(paths)?);
    run(build)?;
    let wheel = std::fs::read_dir(&wheels)?.flatten().map(|entry| entry.path()).next();
    let wheel = wheel.context("maturin wrote no wheel")?;
    let size = std::fs::metadata(&wheel)?.len();
    log(&format!("{}: {:.2} MB", wheel.display(), size as f64 / 1e6));
    if size > MAX_WHEEL {
        bail!("the wheel is larger than {} MB", MAX_WHEEL / 1_000_000);
    }
    Ok(wheel)
}

/// A virtual environment.
pub(crate) struct Venv {
    folder: PathBuf,
}

impl Venv {
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.folder.join("bin/python"));
        command.args(args);
        command
    }

    /// Installs the wheel without an index; dependencies must be there already.
    fn install_wheel(&self, wheel: &Path) -> Result<()> {
        let mut install = self.command(&["-m", "pip", "install", "--quiet", "--no-index"]);
        install.arg(wheel);
        run(install)
    }

    fn smoke_test(&self) -> Result<()> {
        let mut script = self.command(&[]);
        script.arg(root().join("crates/py/tests/smoke.py")).current_dir(&self.folder);
        run(script)
    }

    pub(crate) fn pip(&self, args: &[&str]) -> Result<()> {
        let mut command = self.command(&["-m", "pip", "--disable-pip-version-check"]);
        command.args(args).current_dir(root());
        run(command)
    }
}

/// Returns the virtual environment of this name, and creates it if it does not exist.
pub(crate) fn venv(name: &str, python: &str) -> Result<Venv> {
    let folder = target().join(name);
    if !folder.join("bin/python").exists() {
        let mut command = Command::new(python);
        command.args(["-m", "venv"]).arg(&folder);
        run(command)?;
    }
    Ok(Venv { folder })
}

/// Returns a new virtual environment.
fn new_venv(name: &str, python: &str) -> Result<Venv> {
    let _ = std::fs::remove_dir_all(target().join(name));
    venv(name, python)
}

/// Returns the first Python that is new enough.
pub(crate) fn python() -> Result<String> {
    let names = std::iter::once("python3".to_owned()).chain(VERSIONS.map(|minor| format!("python3.{minor}")));
    let found = names.into_iter().find(|name| answers(name));
    found.context("Python 3.11 or newer is not installed")
}

/// Returns whether this is a Python that is new enough and can make virtual environments.
fn answers(python: &str) -> bool {
    let check = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    Command::new(python).args(["-c", check]).output().is_ok_and(|output| output.status.success())
}

fn run_in(folder: &Path, mut command: Command) -> Result<()> {
    command.current_dir(folder);
    run(command)
}

/// Logs a command and runs it.
fn run(mut command: Command) -> Result<()> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let text = words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ");
    log(&format!("» {text}"));
    let status = command.status().with_context(|| format!("cannot run `{text}`"))?;
    if !status.success() {
        bail!("`{text}` failed");
    }
    Ok(())
}
