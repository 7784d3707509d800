//! Devices for tests: PoCL, which is fast, and oclgrind, which checks every access to memory.

use std::ops::Deref;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use batt_device::opencl::{Device, list_from};
use batt_device::{Answerer, Session};
use batt_exec::devices::{Devices, Helper};

use crate::skipped;

/// Set where skipping is not allowed.
const REQUIRED: &str = "ARCBATT_OPENCL_TESTS";

/// Set in a process that runs under oclgrind: the name of its test.
const CHILD: &str = "ARCBATT_OCLGRIND_CHILD";

const OCLGRIND: &str = "/usr/lib/oclgrind/liboclgrind-rt.so";

/// Returns the device of PoCL, opened without an ICD loader. Reports that the test is skipped if there is
/// none.
pub fn pocl() -> Option<Device> {
    device("libpocl.so.2", "PoCL", "install pocl-opencl-icd")
}

/// Starts PoCL as the device of a job, which waits for its answers. Reports that the test is skipped if there is
/// none.
pub fn patient_pocl() -> Option<Devices> {
    let device = pocl()?;
    let open = move || Session::open(&device, None).map(|session| Box::new(session) as Box<dyn Answerer>);
    let helper = Helper { name: "PoCL".to_owned(), min_jobs: 1, open: Box::new(open), lane: None };
    Some(Devices::start(vec![helper]).patient())
}

/// Returns the device of oclgrind without its checks. Reports that the test is skipped if there is none.
pub fn oclgrind() -> Option<Oclgrind> {
    static ONE: Mutex<()> = Mutex::new(());
    let turn = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    Some(Oclgrind { device: device(OCLGRIND, "oclgrind", "install oclgrind")?, _turn: turn })
}

/// The device of oclgrind. Other tests of the process wait for it, because two kernels of oclgrind 21.10 that run at the
/// same time give each other wrong values (10 of 150 runs of two tests).
pub struct Oclgrind {
    device: Device,
    _turn: MutexGuard<'static, ()>,
}

impl Deref for Oclgrind {
    type Target = Device;

    fn deref(&self) -> &Device {
        &self.device
    }
}

/// Runs `body` on oclgrind's device with all its checks, in a process of its own, and returns oclgrind's
/// messages.
///
/// `test` is the full name of the calling test, which that process runs again: there, this function calls
/// `body` and returns `None`, and so it does if oclgrind is missing. The checks are chosen by environment
/// variables, which cannot be set safely in a process with several threads. Open one queue only: each
/// overwrites the messages of the one before.
///
/// # Panics
///
/// Panics if the test fails in that process.
pub fn under_oclgrind(test: &str, body: impl FnOnce(&Device)) -> Option<String> {
    let device = oclgrind()?;
    if std::env::var(CHILD).is_ok_and(|child| child == test) {
        body(&device);
        return None;
    }
    // The other process has an oclgrind of its own.
    drop(device);
    let log = folder(test).join("oclgrind.log");
    let program = std::env::current_exe().expect("a test has a path");
    let output = Command::new(program)
        .args(["--exact", test, "--test-threads=1", "--nocapture"])
        .env(CHILD, test)
        .env("OCLGRIND_LOG", &log)
        .env("OCLGRIND_DATA_RACES", "1")
        .env("OCLGRIND_UNINITIALIZED", "1")
        // These messages go to stderr. A call that fails is an error for us, and fails the test there.
        .env("OCLGRIND_CHECK_API", "1")
        // Tests run in parallel already.
        .env("OCLGRIND_NUM_THREADS", "1")
        .output()
        .expect("a test can be run");
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{test} failed under oclgrind:\n{text}");
    assert!(text.contains("1 passed"), "there is no test {test}:\n{text}");
    Some(std::fs::read_to_string(&log).expect("oclgrind writes its messages"))
}

/// Returns an empty folder for a test, next to the folder of its program.
///
/// # Panics
///
/// Panics if it cannot be made.
pub fn folder(test: &str) -> PathBuf {
    let program = std::env::current_exe().expect("a test has a path");
    let beside = program.ancestors().nth(2).expect("tests are built in a folder of the target folder");
    let folder = beside.join("opencl").join(program.file_stem().unwrap_or_default()).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// Reports that the current test is skipped because something is missing, or fails if that is not allowed.
///
/// # Panics
///
/// Panics if `ARCBATT_OPENCL_TESTS` is set.
pub fn missing(what: &str, remedy: &str) {
    assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, but {what}; {remedy}");
    skipped(what, remedy);
}

fn device(library: &str, name: &str, remedy: &str) -> Option<Device> {
    let device = list_from(&[library]).devices.pop();
    if device.is_none() {
        missing(&format!("{name} is not installed"), remedy);
    }
    device
}
