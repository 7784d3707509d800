//! Builds the Python module and runs its tests, if Python has the packages that they need.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use batt_testkit::skipped;

/// The Python to use. If it is set, the tests must not be skipped.
const PYTHON: &str = "ARCBATT_PYTHON";

#[test]
fn the_python_package_works() {
    let named = std::env::var_os(PYTHON);
    let python = named.clone().unwrap_or_else(|| "python3".into());
    let check = "import sys, numpy, pytest; assert sys.version_info >= (3, 11)";
    let ready = Command::new(&python).args(["-c", check]).output();
    if !ready.is_ok_and(|ready| ready.status.success()) {
        assert!(named.is_none(), "{PYTHON} is set, but it has no numpy and pytest, or is older than 3.11");
        skipped(
            "Python 3.11 with numpy and pytest is not installed",
            "run `cargo xtask python`, or install them",
        );
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let package = assemble(&root);
    let mut command = Command::new(&python);
    command.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "crates/py/tests"]).current_dir(&root);
    command.env("PYTHONPATH", &package).env("PYTHONDONTWRITEBYTECODE", "1");
    let batt = built(&format!("batt{}", std::env::consts::EXE_SUFFIX));
    if batt.is_file() {
        command.env("ARCBATT_BATT", batt);
    }
    let output = command.output().expect("Python was started before");
    let text = String::from_utf8_lossy(&output.stdout);
    let _ = write!(std::io::stderr(), "{text}");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

/// Puts the sources of the package and the compiled module into one folder, as an installation would.
fn assemble(root: &Path) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let _ = std::fs::remove_dir_all(&folder);
    copy(&root.join("crates/py/python/arcbatt"), &folder.join("arcbatt"));
    let prefix = std::env::consts::DLL_PREFIX;
    build_library(root);
    let library = built(&format!("{prefix}_arcbatt{}", std::env::consts::DLL_SUFFIX));
    let module = if cfg!(windows) { "_arcbatt.pyd" } else { "_arcbatt.abi3.so" };
    std::fs::copy(&library, folder.join("arcbatt").join(module)).expect("the library was just built");
    folder
}

/// Builds the compiled module. `cargo test` does not: no Rust test can link to it.
fn build_library(root: &Path) {
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "--quiet", "-p", "batt-py"]).current_dir(root);
    if built("").ends_with("release") {
        command.arg("--release");
    }
    let status = command.status().expect("cargo runs this test");
    assert!(status.success(), "the module must build");
}

/// Returns the path of a file next to the folder of this test.
fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of a running program is known");
    let folder = test.parent().and_then(Path::parent).expect("tests are built in target/PROFILE/deps");
    folder.join(name)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("the target folder is writable");
    for entry in std::fs::read_dir(from).expect("the sources are there").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let suffix = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        if path.is_dir() {
            copy(&path, &target);
        } else if ["py", "pyi", "typed"].contains(&suffix) {
            std::fs::copy(&path, &target).expect("the target folder is writable");
        }
    }
}
