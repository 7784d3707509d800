//! Durability: processes are killed at random moments, and several processes write at once.
//!
//! The parent starts this program with `--child`. The child adds programs and prints those that are stored.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use batt_store::{Added, Entry, KEEP, Measure, Origin, Store};
use batt_value::ContentHash;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["--child", path, first, count] => {
            child(Path::new(path), first.parse().unwrap(), count.parse().unwrap())
        }
        _ if args.contains(&"--list") => {}
        _ => {
            let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kill");
            let _ = std::fs::remove_dir_all(&dir);
            nothing_acknowledged_is_lost(&dir.join("killed.sqlite"));
            a_store_is_made_whole_or_not_at_all(&dir);
            writers_at_once_store_nothing_twice(&dir.join("both.sqlite"));
        }
    }
}

/// Adds `count` programs, a few at a time, and prints those that are on disk.
fn child(path: &Path, first: usize, count: usize) {
    let mut store = Store::open(path).unwrap();
    let numbers: Vec<usize> = (first..first + count).collect();
    for batch in numbers.chunks(1 + first % 3) {
        let entries: Vec<Entry> = batch.iter().map(|n| entry(*n)).collect();
        let added = store.add(&entries).unwrap();
        // A single write, so that no line is torn.
        let line = |(entry, added): (&Entry, &Added)| format!("{added:?} {}\n", entry.program.hash());
        let lines: String = entries.iter().zip(&added).map(line).collect();
        std::io::stdout().lock().write_all(lines.as_bytes()).unwrap();
    }
}

/// Returns the n-th program: found, with its own result on a task, or imported.
fn entry(n: usize) -> Entry {
    let text = format!("def solve_{n}(I): return canvas(ZERO, astuple({n}, ONE))");
    let program = batt_lang::parse(&text).programs.remove(0);
    let task = ContentHash::of(&(n / KEEP).to_le_bytes());
    let measure = Measure {
        task,
        task_name: format!("task{}", n / KEEP),
        right: 1,
        pairs: 3,
        score: 1 + n as u32 % 1000,
        fuel: n as u64,
        micros: 1,
        behaviour: ContentHash::of(text.as_bytes()),
        dsl: ContentHash::of(b"dsl"),
    };
    match n % 4 {
        0 => Entry { program, origin: Origin::Imported { file: "some.py".to_owned() }, measures: vec![] },
        _ => {
            let origin =
                Origin::Found { seed: 7, operator: "made".to_owned(), parents: vec![task], saw: vec![task] };
            Entry { program, origin, measures: vec![measure] }
        }
    }
}

fn start(path: &Path, first: usize, count: usize) -> (Child, BufReader<ChildStdout>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("--child").arg(path).arg(first.to_string()).arg(count.to_string()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap());
    (child, lines)
}

/// Reads one complete line.
fn acknowledged(lines: &mut impl BufRead) -> Option<(String, String)> {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    let (added, hash) = line.strip_suffix('\n')?.split_once(' ')?;
    Some((added.to_owned(), hash.to_owned()))
}

fn nothing_acknowledged_is_lost(path: &Path) {
    const ROUNDS: usize = 200;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut stored: BTreeSet<String> = BTreeSet::new();
    let mut kills = 0;
    for round in 0..ROUNDS {
        // Mostly one process, sometimes two at once.
        let children = 1 + usize::from(round % 4 == 0);
        let started: Vec<_> = (0..children).map(|k| start(path, (2 * round + k) * 1000, 1000)).collect();
        for (mut child, mut lines) in started {
            // Wait for some answers first, for slow machines; then kill at any moment.
            for _ in 0..random.below(8) {
                stored.extend(acknowledged(&mut lines).map(|(_, hash)| hash));
            }
            std::thread::sleep(Duration::from_micros(random.below(4000)));
            child.kill().unwrap();
            kills += usize::from(!child.wait().unwrap().success());
            stored.extend(std::iter::from_fn(|| acknowledged(&mut lines)).map(|(_, hash)| hash));
        }
        if round % 50 == 0 {
            check(path, &stored);
        }
    }
    assert!(kills > ROUNDS * 9 / 10, "only {kills} children were killed at work");
    assert!(stored.len() > ROUNDS, "{} answers are too few to say anything", stored.len());
    check(path, &stored);
    say(&format!("{kills} processes killed, {} programs acknowledged, none lost", stored.len()));
}

/// Checks that every acknowledged program is there once, and that the file is sound.
fn check(path: &Path, stored: &BTreeSet<String>) {
    let store = Store::open(path).unwrap();
    let list = store.list().unwrap();
    let there: BTreeSet<String> = list.iter().map(|program| program.hash.to_string()).collect();
    assert_eq!(there.len(), list.len(), "a program is there twice");
    let lost: Vec<_> = stored.difference(&there).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
    list.iter().for_each(|program| program.check().unwrap());
    let connection = rusqlite::Connection::open(path).unwrap();
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let broken = connection.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap();
    assert!(!broken, "a row belongs to nothing");
    let half = "SELECT 1 FROM programs WHERE origin = 'found' AND hash NOT IN (SELECT program FROM results)";
    assert!(!connection.prepare(half).unwrap().exists([]).unwrap(), "half of a batch is there");
}

fn a_store_is_made_whole_or_not_at_all(dir: &Path) {
    let mut random = Random(42);
    for round in 0..25 {
        let path = dir.join(format!("fresh-{round}.sqlite"));
        let (mut child, mut lines) = start(&path, 0, 1000);
        std::thread::sleep(Duration::from_micros(random.below(12_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        let stored = std::iter::from_fn(|| acknowledged(&mut lines)).map(|(_, hash)| hash).collect();
        check(&path, &stored);
    }
}

fn writers_at_once_store_nothing_twice(path: &Path) {
    const COUNT: usize = 120;
    let started: Vec<_> = (0..3).map(|_| start(path, 1, COUNT)).collect();
    let mut new: BTreeMap<String, usize> = BTreeMap::new();
    for (mut child, mut lines) in started {
        while let Some((added, hash)) = acknowledged(&mut lines) {
            assert!(added == "New" || added == "Known", "{added} {hash}");
            *new.entry(hash).or_default() += usize::from(added == "New");
        }
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(new.len(), COUNT);
    assert!(new.values().all(|times| *times == 1), "a program was new to two processes, or to none");
    check(path, &new.into_keys().collect());
}

/// A simple random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

#[expect(clippy::print_stdout, reason = "a test without a harness prints its own figures")]
fn say(text: &str) {
    println!("{text}");
}
