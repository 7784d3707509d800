//! Work on several machines gives the results of one: with lost machines, late answers, and wrong ones. The machines are
//! threads with workers of their own, and everything between them and the driver is bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use batt_job::cluster::{Cluster, ClusterError, Delivery, Execution, MachineInfo, PieceEnd, Worker};
use batt_job::{DeviceChoice, Effort, Event, Job, JobError, Mode, Outcome, Resources, Search, Solve, Work};
use batt_record::Record;

/// Number and bytes of a batch.
type Batch = (u64, Vec<u8>);

/// Machines that are threads of this process.
struct Threads {
    machines: Arc<Mutex<BTreeMap<String, Sender<Batch>>>>,
    infos: Vec<MachineInfo>,
    worker: Mutex<Option<Arc<Worker>>>,
    replies: Mutex<Receiver<Delivery>>,
    reply_to: Sender<Delivery>,
    /// Machines die when they get their n-th batch.
    dies: BTreeMap<String, usize>,
    /// Changes the replies of a machine.
    tampered: BTreeMap<String, fn(String) -> String>,
    received: Arc<AtomicUsize>,
    steps: Option<usize>,
    /// The whole cluster fails after this number of batches.
    fails_after: usize,
    stopped: AtomicBool,
    executions: Arc<Mutex<Vec<PieceEnd>>>,
    /// Machines that fail on every batch.
    broken: BTreeSet<String>,
}

fn threads(names: &[&str]) -> Threads {
    let (reply_to, replies) = channel();
    let info = |name: &&str| MachineInfo {
        id: (*name).to_owned(),
        name: format!("machine-{name}"),
        cores: 1,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        dsl: batt_dsl::version().to_string(),
        clock_offset: 0,
        round_trip: Some(1000),
    };
    Threads {
        machines: Arc::default(),
        infos: names.iter().map(info).collect(),
        worker: Mutex::default(),
        replies: Mutex::new(replies),
        reply_to,
        dies: BTreeMap::new(),
        tampered: BTreeMap::new(),
        received: Arc::default(),
        steps: None,
        fails_after: usize::MAX,
        stopped: AtomicBool::new(false),
        executions: Arc::default(),
        broken: BTreeSet::new(),
    }
}

impl Cluster for Threads {
    fn publish(&self, package: Vec<u8>) -> Result<(), ClusterError> {
        let worker = Arc::new(Worker::new(&package).map_err(|error| ClusterError(error.to_string()))?);
        *self.worker.lock().unwrap() = Some(Arc::clone(&worker));
        let mut machines = self.machines.lock().unwrap();
        for info in &self.infos {
            let (sender, batches) = channel::<Batch>();
            let (worker, reply_to) = (Arc::new(Worker::new(&package).unwrap()), self.reply_to.clone());
            let dies = self.dies.get(&info.id).copied().unwrap_or(usize::MAX);
            let tampered = self.tampered.get(&info.id).copied();
            let broken = self.broken.contains(&info.id);
            let (id, living) = (info.id.clone(), Arc::clone(&self.machines));
            std::thread::Builder::new()
                .stack_size(64 << 20)
                .spawn(move || {
                    for (n, (batch, pieces)) in batches.into_iter().enumerate() {
                        if n + 1 >= dies {
                            living.lock().unwrap().remove(&id);
                            return;
                        }
                        if broken {
                            let why = "the disk is full".to_owned();
                            let _ = reply_to.send(Delivery::Lost { batch, why });
                            continue;
                        }
                        let reply = String::from_utf8(worker.work(&pieces).unwrap()).unwrap();
                        let reply = tampered.map_or(reply.clone(), |change| change(reply)).into_bytes();
                        let _ = reply_to.send(Delivery::Reply { batch, reply });
                    }
                })
                .unwrap();
            machines.insert(info.id.clone(), sender);
        }
        Ok(())
    }

    fn machines(&self) -> Result<Vec<MachineInfo>, ClusterError> {
        if self.received.load(Ordering::Relaxed) >= self.fails_after {
            return Err(ClusterError("the head of the cluster does not answer".to_owned()));
        }
        let machines = self.machines.lock().unwrap();
        Ok(self.infos.iter().filter(|info| machines.contains_key(&info.id)).cloned().collect())
    }

    fn send(&self, machine: &str, batch: u64, pieces: Vec<u8>) -> Result<(), ClusterError> {
        let mut machines = self.machines.lock().unwrap();
        if machines.get(machine).is_none_or(|machine| machine.send((batch, pieces)).is_err()) {
            // The thread ended: the machine is dead.
            machines.remove(machine);
        }
        Ok(())
    }

    fn receive(&self, wait: Duration) -> Result<Vec<Delivery>, ClusterError> {
        let received: Vec<Delivery> = self.replies.lock().unwrap().recv_timeout(wait).into_iter().collect();
        self.received.fetch_add(received.len(), Ordering::Relaxed);
        Ok(received)
    }

    fn exclude(&self, machine: &str, _: &str) {
        self.machines.lock().unwrap().remove(machine);
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.worker.lock().unwrap().iter().for_each(|worker| worker.stop());
    }

    fn executed(&self, execution: &Execution<'_>) {
        self.executions.lock().unwrap().push(execution.end);
    }

    fn steps(&self) -> Option<usize> {
        self.steps
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("batt-cluster-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a job. Returns its outcome and its events.
fn ran(job: Job, cluster: Option<Threads>) -> (Result<Outcome, JobError>, Seen) {
    let executions = cluster.as_ref().map(|cluster| Arc::clone(&cluster.executions)).unwrap_or_default();
    let cluster = cluster.map(|cluster| Arc::new(cluster) as Arc<dyn Cluster>);
    let running = job.start_with(Resources { cluster, ..Resources::default() }).unwrap();
    let mut events = Vec::new();
    while !running.is_finished() {
        events.extend(running.next_event(Duration::from_millis(20)));
    }
    while let Some(event) = running.next_event(Duration::ZERO) {
        events.push(event);
    }
    let outcome = running.wait();
    let executions = executions.lock().unwrap().clone();
    (outcome, Seen { events, executions })
}

/// The events of a job, and the executions of its pieces.
struct Seen {
    events: Vec<Event>,
    executions: Vec<PieceEnd>,
}

fn ends(seen: &Seen, wanted: PieceEnd) -> usize {
    seen.executions.iter().filter(|end| **end == wanted).count()
}

fn warned(seen: &Seen, part: &str) -> bool {
    seen.events.iter().any(|event| matches!(event, Event::Warning { text } if text.contains(part)))
}

/// Few tasks, and little fuel, but all phases.
fn solve(folder: &Path) -> Job {
    let solve = Solve { effort: Effort::FuelPerTask(4_000_000), ..Solve::default() };
    let mut job = Job::new("demo", Work::Solve(solve));
    job.tasks.limit = Some(16);
    job.save.submission = Some(folder.join("submission.json"));
    job.save.record = Some(folder.join("record.json"));
    job
}

/// Reads a file without the lines that may differ between two runs of a job.
fn lasting(path: PathBuf) -> String {
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let varies = |line: &&str| {
        [
            "\"environment\":",
            "\"seconds\":",
            "\"curve\":",
            ",\"environment\":",
            ",\"seconds\":",
            ",\"curve\":",
        ]
        .iter()
        .any(|start| line.starts_with(start))
    };
    text.lines().filter(|line| !varies(line)).collect::<Vec<_>>().join("\n")
}

fn same_files(a: &Path, b: &Path) {
    for file in ["submission.json", "submission.json.state", "record.json"] {
        assert!(lasting(a.join(file)) == lasting(b.join(file)), "{file} differs");
    }
}

#[test]
fn a_solve_on_three_machines_gives_the_files_of_one() {
    let (one, many, steps) = (folder("one"), folder("many"), folder("steps"));
    ran(solve(&one), None).0.unwrap();
    let (outcome, events) = ran(solve(&many), Some(threads(&["a", "b", "c"])));
    let Outcome::Solve(outcome) = outcome.unwrap() else { unreachable!() };
    same_files(&one, &many);
    let account = outcome.record.environment.cluster.unwrap();
    assert_eq!((account.pieces, account.machines.len()), (16, 3));
    assert_eq!(ends(&events, PieceEnd::Accepted), 16);
    assert!(account.executions >= 16 && account.machines.iter().all(|machine| machine.stayed));

    let cluster = Threads { steps: Some(1), ..threads(&["a", "b"]) };
    let (outcome, _) = ran(solve(&steps), Some(cluster));
    let Outcome::Solve(outcome) = outcome.unwrap() else { unreachable!() };
    same_files(&one, &steps);
    assert!(outcome.record.environment.cluster.unwrap().pieces > 16, "a task takes several pieces");
}

#[test]
fn the_pieces_of_a_lost_machine_are_repeated() {
    let (one, many) = (folder("lost-one"), folder("lost"));
    ran(solve(&one), None).0.unwrap();
    let cluster = Threads { dies: BTreeMap::from([("b".to_owned(), 3)]), ..threads(&["a", "b"]) };
    let (outcome, events) = ran(solve(&many), Some(cluster));
    let Outcome::Solve(outcome) = outcome.unwrap() else { unreachable!() };
    same_files(&one, &many);
    let account = outcome.record.environment.cluster.unwrap();
    assert!(account.executions > account.pieces, "{account:?}");
    assert!(warned(&events, "lost machine machine-b") || ends(&events, PieceEnd::Lost) > 0);
}

#[test]
fn a_machine_that_answers_wrongly_is_caught_and_dropped() {
    let (one, many) = (folder("right"), folder("wrong"));
    ran(solve(&one), None).0.unwrap();
    let changes: [fn(String) -> String; 3] = [
        // Another colour in the outputs.
        |reply| {
            reply.replacen("\"outputs\":[\"0", "\"outputs\":[\"9", 9).replacen(
                "\"outputs\":[\"1",
                "\"outputs\":[\"8",
                9,
            )
        },
        |reply| reply[..reply.len() / 2].to_owned(),
        // A state that is behind the one before, or of another task.
        |reply| reply.replace("\"id\":\"", "\"id\":\"x"),
    ];
    for change in changes {
        let _ = std::fs::remove_dir_all(&many);
        std::fs::create_dir_all(&many).unwrap();
        let cluster =
            Threads { tampered: BTreeMap::from([("b".to_owned(), change)]), ..threads(&["a", "b"]) };
        let (outcome, events) = ran(solve(&many), Some(cluster));
        let Outcome::Solve(outcome) = outcome.unwrap() else { unreachable!() };
        same_files(&one, &many);
        assert!(warned(&events, "machine machine-b is no longer used: it gave a wrong answer"));
        assert!(ends(&events, PieceEnd::Rejected) > 0);
        let account = outcome.record.environment.cluster.unwrap();
        assert!(account.machines.iter().any(|machine| machine.name == "machine-b" && !machine.stayed));
    }
}

#[test]
fn a_machine_that_keeps_failing_is_dropped_and_a_lone_one_ends_the_job() {
    let (one, many) = (folder("working"), folder("failing"));
    ran(solve(&one), None).0.unwrap();
    let broken = BTreeSet::from(["b".to_owned()]);
    let cluster = Threads { broken: broken.clone(), ..threads(&["a", "b", "c"]) };
    let (outcome, seen) = ran(solve(&many), Some(cluster));
    outcome.unwrap();
    same_files(&one, &many);
    assert!(warned(
        &seen,
        "machine machine-b is no longer used: it failed 3 times in a row (the disk is full)"
    ));

    let cluster = Threads { broken, ..threads(&["b"]) };
    let error = ran(solve(&folder("alone")), Some(cluster)).0.err().unwrap().to_string();
    assert!(error.contains("failed on 1 machine, last: the disk is full"), "{error}");
}

#[test]
fn a_device_cannot_be_named_on_a_cluster() {
    let mut job = solve(&folder("device"));
    job.devices = DeviceChoice::Named(vec!["T4".to_owned()]);
    let resources = Resources { cluster: Some(Arc::new(threads(&["a"]))), ..Resources::default() };
    let Err(error) = job.start_with(resources) else { panic!("must be refused") };
    assert!(error.to_string().contains("cannot be named on a cluster"), "{error}");
}

#[test]
fn a_machine_with_another_version_is_refused_by_name() {
    let mut cluster = threads(&["a", "b"]);
    cluster.infos[1].version = "0.0.1".to_owned();
    let (outcome, _) = ran(solve(&folder("version")), Some(cluster));
    let error = outcome.err().unwrap().to_string();
    assert!(
        error.contains("machine-b has arcbatt 0.0.1") && error.contains("install the same version"),
        "{error}"
    );
    let mut cluster = threads(&["a", "b"]);
    cluster.infos[0].dsl = "00".to_owned();
    let error = ran(solve(&folder("dsl")), Some(cluster)).0.err().unwrap().to_string();
    assert!(error.contains("machine-a") && error.contains("DSL 00"), "{error}");
}

#[test]
fn a_lost_cluster_ends_the_job_and_the_same_job_continues() {
    let (one, many) = (folder("whole"), folder("cut"));
    ran(solve(&one), None).0.unwrap();
    let cluster = Threads { fails_after: 5, ..threads(&["a", "b"]) };
    let error = ran(solve(&many), Some(cluster)).0.err().unwrap();
    assert_eq!(error.to_string(), "the head of the cluster does not answer");
    assert!(!Record::read(&many.join("record.json")).unwrap().finished);
    let (outcome, events) = ran(solve(&many), Some(threads(&["c"])));
    let Outcome::Solve(outcome) = outcome.unwrap() else { unreachable!() };
    assert_eq!(outcome.resumed, 16);
    assert!(ends(&events, PieceEnd::Accepted) < 16, "finished tasks are not solved again");
    same_files(&one, &many);
}

#[test]
fn a_run_of_all_pairs_gives_the_record_of_one_machine() {
    let (one, many) = (folder("run-one"), folder("run-many"));
    let job = |folder: &Path| {
        let mut job =
            Job::new("demo", Work::Run(batt_job::Run { all_pairs: true, ..batt_job::Run::default() }));
        job.tasks.limit = Some(20);
        job.save.submission = Some(folder.join("submission.json"));
        job.save.record = Some(folder.join("record.json"));
        job
    };
    ran(job(&one), None).0.unwrap();
    let change: fn(String) -> String =
        |reply| reply.replacen("\"verdict\":\"ok\"", "\"verdict\":\"wrong\"", 1);
    // An attempt that no program gives.
    let attempt: fn(String) -> String = |reply| reply.replace("\"attempts\":[[[[", "\"attempts\":[[[[9],[");
    let tampered = BTreeMap::from([("c".to_owned(), change), ("b".to_owned(), attempt)]);
    let cluster = Threads { tampered, ..threads(&["a", "b", "c"]) };
    let (outcome, events) = ran(job(&many), Some(cluster));
    let Outcome::Run(outcome) = outcome.unwrap() else { unreachable!() };
    assert!(outcome.is_right());
    assert!(warned(&events, "machine machine-c is no longer used"));
    assert!(warned(&events, "machine machine-b is no longer used"));
    for file in ["submission.json", "record.json"] {
        assert!(lasting(one.join(file)) == lasting(many.join(file)), "{file} differs");
    }
}

#[test]
fn a_search_on_several_machines_gives_the_record_and_the_store_of_one() {
    for (name, mode, fuel) in [("enumerate", Mode::Enumerate, 1_000_000), ("breed", Mode::Breed, 3_000_000)] {
        let (one, many) = (folder(&format!("{name}-one")), folder(&format!("{name}-many")));
        let job = |folder: &Path| {
            let (effort, store) = (Effort::FuelPerTask(fuel), folder.join("store.sqlite"));
            let mut job = Job::new("demo", Work::Search(Search { mode, effort, seed: 1, store }));
            job.tasks.limit = Some(9);
            if mode == Mode::Breed {
                // Damaged programs, to be repaired.
                let damaged = batt_job::DEMO_PROGRAMS.replace("vmirror(", "hmirror(").replace("ZERO", "ONE");
                job.programs = vec![batt_job::ProgramSource::Text(damaged.replace("rot90(", "rot180("))];
                job.tasks.limit = None;
                job.tasks.ids =
                    ["kaleidoscope", "across_the_wall", "mirror_repair", "flipped_tiles", "repeat_right"]
                        .map(str::to_owned)
                        .to_vec();
            }
            job.save.record = Some(folder.join("record.json"));
            job
        };
        ran(job(&one), None).0.unwrap();
        let cluster = Threads { dies: BTreeMap::from([("b".to_owned(), 4)]), ..threads(&["a", "b"]) };
        ran(job(&many), Some(cluster)).0.unwrap();
        let text =
            |folder: &Path| lasting(folder.join("record.json")).replace(&folder.display().to_string(), "");
        let without_head = |text: String| text.lines().skip(2).collect::<Vec<_>>().join("\n");
        assert!(without_head(text(&one)) == without_head(text(&many)), "{name}: the records differ");
        let programs = |folder: &Path| {
            let store = batt_store::Store::open(&folder.join("store.sqlite")).unwrap();
            let list = store.list().unwrap();
            list.iter().map(|stored| stored.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(programs(&one), programs(&many), "{name}");
        assert!(!programs(&one).is_empty(), "{name} finds something");
    }
}

#[test]
fn a_profile_shows_the_time_of_every_machine() {
    let folder = folder("profile");
    let mut job = solve(&folder);
    job.save.profile = batt_job::Profiling::Nodes;
    ran(job, Some(threads(&["a", "b"]))).0.unwrap();
    let record = Record::read(&folder.join("record.json")).unwrap();
    let profile = record.profile.as_ref().unwrap();
    let names: Vec<&str> = profile.machines.iter().map(|machine| machine.name.as_str()).collect();
    assert_eq!(names, ["machine-a", "machine-b"]);
    assert_eq!(profile.lanes.iter().filter(|lane| lane.machine.is_some()).count(), 2);
    // Checks that every nanosecond of every lane is booked once.
    let facts = batt_report::Facts::new(&record, &batt_report::Selection::default()).unwrap();
    assert_eq!(facts.every.len(), 16);
    let network = |function: &u32| profile.functions[*function as usize].category == "network";
    assert!(profile.lanes.iter().flat_map(|lane| &lane.between).any(|(function, ..)| network(function)));
}
