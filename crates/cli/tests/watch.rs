//! `--watch`: a command runs again when one of its files changes.

#![cfg(unix)]

mod batt;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use batt::Batt;
use expect_test::expect;

const TASK: &str = r#"{"train": [{"input": [[1, 0]], "output": [[0, 1]]}], "test": [{"input": [[2, 3]]}]}"#;

fn small(test: &str) -> Batt {
    Batt::new(test)
        .file("data/flip.json", TASK)
        .file("p.py", "def solve_flip(I): return I\n")
        .file("grid.json", "[[1, 2]]")
}

/// A command that is running with `--watch`.
struct Watching {
    child: Child,
    /// The lines of standard output and of standard error, which come in no common order.
    output: Receiver<String>,
    errors: Receiver<String>,
}

impl Watching {
    fn start(batt: &Batt, args: &str) -> Watching {
        let dir = batt.path("");
        let args = args.split_whitespace().map(|arg| arg.replace("{dir}/", dir.to_str().unwrap()));
        let mut child = Command::new(env!("CARGO_BIN_EXE_batt"))
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .args(args)
            .arg("--watch")
            .env("ARCBATT_DATA", batt.path("home"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = lines(child.stdout.take().unwrap());
        let errors = lines(child.stderr.take().unwrap());
        Watching { child, output, errors }
    }

    /// Waits for a line of standard output that contains `text`.
    fn prints(&self, text: &str) -> String {
        wait_for(&self.output, text)
    }

    /// Waits for a line of standard error that contains `text`.
    fn reports(&self, text: &str) -> String {
        wait_for(&self.errors, text)
    }

    /// Sends a signal. Returns the exit status and the lines that were not read yet.
    fn stop(mut self, signal: &str) -> (ExitStatus, Vec<String>) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        (self.child.wait().unwrap(), self.output.iter().chain(self.errors.iter()).collect())
    }
}

/// Reads lines on a thread.
fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    lines
}

/// Waits for a line that contains `text`. The limit only ends a test that would hang.
fn wait_for(lines: &Receiver<String>, text: &str) -> String {
    let mut seen = Vec::new();
    loop {
        match lines.recv_timeout(Duration::from_secs(120)) {
            Ok(line) if line.contains(text) => return line,
            Ok(line) => seen.push(line),
            Err(_) => panic!("no line with {text:?} after:\n{}", seen.join("\n")),
        }
    }
}

impl Drop for Watching {
    /// Ends the command if a test fails.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Replaces a file as many editors do: with a new one of the same name.
fn save(batt: &Batt, name: &str, text: &str) {
    std::fs::write(batt.path("new"), text).unwrap();
    std::fs::rename(batt.path("new"), batt.path(name)).unwrap();
}

#[test]
fn eval_runs_again_when_a_file_changes() {
    let batt = small("watch-eval");
    let watching = Watching::start(&batt, "eval {dir}/p.py {dir}/grid.json");
    watching.prints("1 2     1 2");
    let line = watching.reports("watching ");
    assert!(line.contains("p.py, ") && line.ends_with("grid.json; press Ctrl-C to stop"), "{line}");

    save(&batt, "p.py", "def solve_flip(I): return vmirror(I)\n");
    let line = watching.reports("── run 2, ");
    assert!(line.contains(" UTC: ") && line.contains("p.py changed"), "{line}");
    watching.prints("1 2     2 1");

    // Errors do not end it.
    watching.reports("watching ");
    save(&batt, "p.py", "def solve_flip(I): return vmiror(I)\n");
    watching.reports("`vmiror` is not a primitive");
    watching.reports("watching ");
    std::fs::remove_file(batt.path("p.py")).unwrap();
    assert!(watching.reports("── run 4, ").contains("p.py was removed"));
    watching.reports("error: cannot read");
    watching.reports("watching ");
    save(&batt, "p.py", "def solve_flip(I): return hconcat(I, I)\n");
    assert!(watching.reports("── run 5, ").contains("p.py was added"));
    watching.prints("1 2     1 2 1 2");

    watching.reports("watching ");
    save(&batt, "grid.json", "[[3, 4]]");
    watching.prints("3 4     3 4 3 4");
    watching.reports("watching ");
    assert_eq!(watching.stop("-INT").0.code(), Some(0));
}

#[test]
fn run_watches_programs_and_tasks() {
    let batt = small("watch-run");
    let watching = Watching::start(&batt, "run {dir}/data --programs {dir}/p.py");
    watching.prints("solve_flip: wrong on 1 of 2 pairs, 1 skipped");
    watching.reports("watching ");
    std::fs::write(batt.path("p.py"), "def solve_flip(I): return vmirror(I)\n").unwrap();
    watching.reports("p.py changed");
    watching.prints("1 of 1 program");
    watching.reports("watching ");
    // A new task, and one that is broken.
    save(&batt, "data/other.json", TASK);
    assert!(watching.reports("── run 3, ").contains("other.json was added"));
    watching.prints("2, 1 with programs");
    watching.reports("watching ");
    save(&batt, "data/other.json", "{");
    watching.reports("other.json changed");
    watching.reports("error: ");
    watching.reports("watching ");
    assert_eq!(watching.stop("-TERM").0.code(), Some(0));
}

#[test]
fn a_file_need_not_exist_yet() {
    let batt = small("watch-missing");
    let watching = Watching::start(&batt, "run {dir}/data --programs {dir}/new.py");
    watching.reports("new.py: No such file or directory");
    let line = watching.reports("watching ");
    assert!(line.contains("new.py, ") && line.ends_with("data; press Ctrl-C to stop"), "{line}");
    save(&batt, "new.py", "def solve_flip(I): return vmirror(I)\n");
    watching.prints("1 of 1 program");
    assert_eq!(watching.stop("-INT").0.code(), Some(0));
}

#[test]
fn json_is_one_document_a_line() {
    let batt = small("watch-json");
    let watching = Watching::start(&batt, "eval {dir}/p.py {dir}/grid.json --json --quiet");
    let first: serde_json::Value = serde_json::from_str(&watching.prints("{")).unwrap();
    assert_eq!(first["runs"][0]["output"], serde_json::json!([[1, 2]]));
    save(&batt, "p.py", "def solve_flip(I): return vmirror(I)\n");
    let second: serde_json::Value = serde_json::from_str(&watching.prints("{")).unwrap();
    assert_eq!(second["runs"][0]["output"], serde_json::json!([[2, 1]]));
    let (status, rest) = watching.stop("-INT");
    assert_eq!((status.code(), rest), (Some(0), Vec::new()), "--quiet prints nothing but results");
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let batt = small("watch-refused");
    batt.check(
        "eval gravity_down --watch",
        expect![[r#"
        error: --watch has nothing to watch: no program or task of this command is in a file; remove --watch
        exit 2
    "#]],
    );
    batt.check(
        "run --watch",
        expect![[r#"
        error: --watch has nothing to watch: no program or task of this command is in a file; remove --watch
        exit 2
    "#]],
    );
    batt.check(
        "eval - {dir}/grid.json --watch",
        expect![[r#"
        error: --watch cannot watch standard input (`-`); use a file
        exit 2
    "#]],
    );
    batt.check(
        "run - --programs {dir}/p.py --watch",
        expect![[r#"
        error: --watch cannot watch standard input (`-`); use a file
        exit 2
    "#]],
    );
    batt.check(
        "run {dir}/data --programs {dir}/p.py --record {dir}/r.json --watch",
        expect![[r#"
        error: --watch would replace {dir}/r.json after every change; add --overwrite to allow that
        exit 2
    "#]],
    );
    assert!(!batt.path("r.json").exists());
}

#[test]
fn a_watched_run_replaces_its_files_if_allowed() {
    let batt = small("watch-record");
    let args = "run {dir}/data --programs {dir}/p.py --record {dir}/r.json --overwrite";
    let watching = Watching::start(&batt, args);
    watching.prints("note: wrote ");
    watching.reports("watching ");
    let first = batt.read("r.json");
    std::fs::write(batt.path("p.py"), "def solve_flip(I): return vmirror(I)\n").unwrap();
    watching.prints("note: wrote ");
    watching.reports("watching ");
    assert_ne!(batt.read("r.json"), first);
    assert_eq!(watching.stop("-INT").0.code(), Some(0));
}
