//! Helpers for the tests of the command line.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use expect_test::Expect;

/// Runs `batt` in the root of the project. `{dir}` in an argument stands for the test's own folder.
pub(crate) struct Batt {
    dir: PathBuf,
}

impl Batt {
    /// Creates an empty folder for the test, because commands do not replace files of an earlier test run.
    pub(crate) fn new(test: &str) -> Batt {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        Batt { dir }
    }

    #[allow(dead_code, reason = "not every test needs files")]
    pub(crate) fn file(self, name: &str, bytes: impl AsRef<[u8]>) -> Batt {
        let path = self.dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self
    }

    /// Returns the path of a file of this test.
    #[allow(dead_code, reason = "not every test needs files")]
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Returns standard output, standard error and the exit code, with `{dir}` in place of the test's folder.
    pub(crate) fn run(&self, args: &str) -> String {
        self.run_with_input(args, "")
    }

    /// Runs like [`Batt::run`], with a text on standard input.
    pub(crate) fn run_with_input(&self, args: &str, input: &str) -> String {
        self.run_with(args, input, &[])
    }

    /// Runs like [`Batt::run`], with environment variables.
    #[allow(dead_code, reason = "not every test needs variables")]
    pub(crate) fn run_with_variables(&self, args: &str, variables: &[(&str, &Path)]) -> String {
        let variables: Vec<_> =
            variables.iter().map(|(name, path)| (*name, path.to_str().unwrap())).collect();
        self.run_with(args, "", &variables)
    }

    /// Runs like [`Batt::run`], with colours as on a terminal with these environment variables.
    #[allow(dead_code, reason = "not every test has colours")]
    pub(crate) fn run_in_colors(&self, args: &str, variables: &[(&str, &str)]) -> String {
        self.run_with(args, "", &[&[("CLICOLOR_FORCE", "1")], variables].concat())
    }

    fn run_with(&self, args: &str, input: &str, variables: &[(&str, &str)]) -> String {
        let dir = self.dir.to_str().unwrap();
        let args = args.split_whitespace().map(|arg| arg.replace("{dir}", dir));
        let mut command = Command::cargo_bin("batt").unwrap();
        command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).args(args).write_stdin(input);
        // Tests must not use the user's data folder.
        command.env("ARCBATT_DATA", self.dir.join("home"));
        for name in ["CI", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "NO_COLOR", "TERM"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied());
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(dir, "{dir}");
        format!("{}{}exit {}\n", text(output.stdout), text(output.stderr), output.status.code().unwrap())
    }

    /// Like [`Batt::run`], as a user with minimal permissions. Returns `None` if there is no such user, or if the user
    /// cannot read the build folder.
    #[cfg(unix)]
    #[allow(dead_code, reason = "not every test is about permissions")]
    pub(crate) fn run_as_guest(&self, args: &str) -> Option<String> {
        use std::os::unix::{fs::PermissionsExt, process::CommandExt};
        let dir = self.dir.to_str().unwrap();
        let args = args.split_whitespace().map(|arg| arg.replace("{dir}", dir));
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("batt"));
        command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).args(args);
        // Only root ignores permissions, and only root can change its user id.
        let probe = self.dir.join("probe");
        std::fs::write(&probe, "").unwrap();
        std::fs::set_permissions(&probe, std::fs::Permissions::from_mode(0o444)).unwrap();
        if std::fs::OpenOptions::new().write(true).open(&probe).is_ok() {
            command.uid(65534).gid(65534);
        }
        std::fs::remove_file(&probe).unwrap();
        let Ok(output) = command.output() else {
            batt_testkit::skipped(
                "other users cannot read the folder of the build",
                "build in one that they can read",
            );
            return None;
        };
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(dir, "{dir}");
        Some(format!(
            "{}{}exit {}\n",
            text(output.stdout),
            text(output.stderr),
            output.status.code().unwrap()
        ))
    }

    /// Sets the permissions of a file of this test.
    #[cfg(unix)]
    #[allow(dead_code, reason = "not every test is about permissions")]
    pub(crate) fn permit(&self, name: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(self.dir.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Runs SQL on a store of this test.
    #[allow(dead_code, reason = "not every test has a store")]
    pub(crate) fn sql(&self, store: &str, sql: &str) {
        rusqlite::Connection::open(self.dir.join(store)).unwrap().execute_batch(sql).unwrap();
    }

    /// Reads a file of this test.
    #[allow(dead_code, reason = "not every test reads files")]
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.join(name)).unwrap()
    }

    #[allow(dead_code, reason = "not every test compares whole texts")]
    pub(crate) fn check(&self, args: &str, expected: Expect) {
        expected.assert_eq(&self.run(args));
    }
}
