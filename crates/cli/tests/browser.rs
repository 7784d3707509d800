//! Runs the browser tests in `tests/browser`, if node and chromium are installed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use batt_testkit::skipped;

/// Set where skipping is not allowed.
const REQUIRED: &str = "ARCBATT_BROWSER";

#[test]
fn the_report_works_in_a_browser() {
    in_browser("report.mjs");
}

#[test]
fn the_local_page_works_in_a_browser() {
    in_browser("serve.mjs");
}

#[test]
fn other_viewers_read_exported_profiles() {
    in_browser("exports.mjs");
}

fn in_browser(script: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser");
    if let Err((missing, remedy)) = ready(&folder) {
        assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, but {missing}; {remedy}");
        skipped(missing, remedy);
        return;
    }
    // One browser at a time, because frame times are measured.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let output = Command::new("node")
        .arg(script)
        .current_dir(&folder)
        .env("BATT", env!("CARGO_BIN_EXE_batt"))
        .output()
        .expect("node is installed");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let _ = write!(std::io::stderr(), "{stdout}");
    assert!(output.status.success(), "{script} failed:\n{stdout}{}", String::from_utf8_lossy(&output.stderr));
}

/// Checks that a browser test can run. The error is what is missing and how to provide it.
fn ready(folder: &Path) -> Result<(), (&'static str, &'static str)> {
    let node = Command::new("node").arg("--version").output();
    node.map_err(|_| ("node is not installed", "install Node.js"))?;
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let default_paths =
        ["chromium", "chromium-browser", "google-chrome"].map(|name| Path::new("/usr/bin").join(name));
    if !named.into_iter().chain(default_paths).any(|path| path.exists()) {
        return Err(("chromium is not installed", "install it, or set CHROMIUM to its path"));
    }
    match folder.join("node_modules/playwright-core").is_dir() {
        true => Ok(()),
        false => Err(("the packages of tests/browser are missing", "run `npm ci --prefix tests/browser`")),
    }
}
