//! Jobs through the library API: description, events, pause, stop, outcome.

use std::path::PathBuf;
use std::time::Duration;

use batt_job::{
    Effort, Event, Existing, Job, JobError, Mode, Outcome, Profiling, ProgramSource, Run, Running, Save,
    Search, Solve, Step, Work,
};
use batt_record::State;

/// Creates an empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("batt-job-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn solve(fuel: u64) -> Job {
    let mut job =
        Job::new("demo", Work::Solve(Solve { effort: Effort::FuelPerTask(fuel), ..Solve::default() }));
    job.tasks.limit = Some(3);
    job
}

/// Returns the names of all events, in order.
fn events(running: &Running) -> Vec<String> {
    let mut names = Vec::new();
    loop {
        let over = running.is_finished();
        match running.next_event(Duration::from_millis(20)) {
            Some(event) => {
                let json = serde_json::to_value(&event).unwrap();
                names.push(json["event"].as_str().unwrap().to_owned());
            }
            None if over => return names,
            None => {}
        }
    }
}

/// Starts a job that must fail. Returns the error.
fn refused(job: Job) -> String {
    match job.start() {
        Ok(running) => running.wait().map(drop).expect_err("the job is invalid").to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn jobs_can_be_stored_as_json() {
    let mut run = Job::new("demo", Work::Run(Run { all_pairs: true, repeat: 3, ..Run::default() }));
    run.programs = vec![ProgramSource::Text("def f(I):\n    return I\n".to_owned())];
    run.save = Save { record: Some("run.json".into()), profile: Profiling::Calls, ..Save::default() };
    let search = Search { mode: Mode::Enumerate, effort: Effort::Budget(1.5), seed: 7, store: "s".into() };
    let mut solve = solve(5);
    solve.work = Work::Solve(Solve { without: vec![Step::Breed], ..Solve::default() });
    solve.save.existing = Existing::Overwrite;
    for job in [run, Job::new("x", Work::Search(search)), solve] {
        let text = serde_json::to_string(&job).unwrap();
        assert_eq!(serde_json::from_str::<Job>(&text).unwrap(), job, "{text}");
    }
    // A misspelt field is an error; a missing one has its default.
    let text = r#"{"tasks": {"data": "demo"}, "work": {"run": {}}, "thread": 2}"#;
    assert!(serde_json::from_str::<Job>(text).unwrap_err().to_string().contains("`thread`"));
    let job: Job = serde_json::from_str(&text.replace("thread", "threads")).unwrap();
    assert_eq!(job, Job { threads: 2, ..Job::new("demo", Work::run()) });
}

#[test]
fn states_survive_being_written_and_read() {
    let folder = folder("states");
    let submission = folder.join("submission.json");
    let mut job = solve(8_000_000);
    job.tasks.limit = None;
    job.save.submission = Some(submission.clone());
    job.clone().start().unwrap().wait().unwrap();
    let path = Save::state_of(&submission);
    let state = State::read(&path).unwrap();
    assert_eq!(state.tasks.len(), 79);
    let copy = folder.join("copy.state");
    state.write(&copy).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(std::fs::read_to_string(&copy).unwrap(), text);
    // Costs are sums of decimal fractions. Some can only be read back with all their digits.
    let long = |cost: f64| cost.to_string().len() > 16;
    assert!(state.tasks.iter().flat_map(|task| &task.answers).any(|answer| long(answer.cost)));
    // A finished job that starts again changes no task.
    job.start().unwrap().wait().unwrap();
    assert_eq!(State::read(&path).unwrap().tasks, state.tasks);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_edited_submission_is_kept_when_its_job_continues() {
    let folder = folder("edited");
    let submission = folder.join("submission.json");
    let mut job = solve(1_000_000);
    job.save.submission = Some(submission.clone());
    job.clone().start().unwrap().wait().unwrap();
    let own = std::fs::read(&submission).unwrap();
    job.clone().start().unwrap().wait().unwrap();
    assert!(!folder.join("submission.json.1.old").exists(), "an unchanged file needs no copy");
    for (n, edited) in ["mine", "mine again"].iter().enumerate() {
        std::fs::write(&submission, edited).unwrap();
        let running = job.clone().start().unwrap();
        assert!(events(&running).contains(&"warning".to_owned()));
        running.wait().unwrap();
        let kept = std::fs::read_to_string(folder.join(format!("submission.json.{}.old", n + 1))).unwrap();
        assert_eq!((kept.as_str(), std::fs::read(&submission).unwrap()), (*edited, own.clone()));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_job_that_is_stopped_while_it_loads_leaves_its_files() {
    let folder = folder("stopped");
    let submission = folder.join("submission.json");
    let mut job = solve(1_000_000);
    job.save.submission = Some(submission.clone());
    job.clone().start().unwrap().wait().unwrap();
    let own = std::fs::read(&submission).unwrap();
    for _ in 0..20 {
        let running = job.clone().start().unwrap();
        running.stop();
        match running.wait() {
            Ok(outcome) => drop(outcome),
            Err(error) => assert!(matches!(error, JobError::Stopped), "{error}"),
        }
        assert_eq!(std::fs::read(&submission).unwrap(), own);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn too_many_threads_are_refused() {
    let mut job = Job::new("demo", Work::run());
    job.threads = 1_000_000;
    assert!(refused(job).contains("use at most 1024"));
}

#[test]
fn errors_name_the_field_and_the_remedy() {
    let with = |change: fn(&mut Job)| {
        let mut job = solve(1000);
        change(&mut job);
        refused(job)
    };
    for (error, start) in [
        (with(|job| job.memory = 1), "memory: must be at least 400MB"),
        (with(|job| job.work = Work::Run(Run { timeout: 0.0, ..Run::default() })), "timeout: "),
        (with(|job| job.work = Work::Run(Run { repeat: 0, ..Run::default() })), "repeat: "),
        (
            with(|job| job.work = Work::Solve(Solve { effort: Effort::Budget(-1.0), ..Solve::default() })),
            "budget: must be above zero",
        ),
        (with(|job| job.save.profile = Profiling::Nodes), "profile: "),
        (with(|job| job.save.events = true), "events: "),
        (with(|job| job.save.existing = Existing::Resume), "resume: needs the submission file"),
        (
            with(|job| job.tasks.data = "nowhere".to_owned()),
            "there is no data set, file or folder called nowhere",
        ),
        (with(|job| job.tasks.ids = vec!["nobody".to_owned()]), "demo has no task nobody"),
        (with(|job| job.programs = vec![ProgramSource::File("none.py".into())]), "cannot read none.py"),
    ] {
        assert!(error.starts_with(start), "{start}: {error}");
    }
}

#[test]
fn every_kind_of_job_emits_events() {
    let folder = folder("events");
    let mut run = Job::new("demo", Work::run());
    let search = Search {
        mode: Mode::Enumerate,
        effort: Effort::FuelPerTask(100_000),
        seed: 0,
        store: folder.join("store.sqlite"),
    };
    let mut search = Job::new("demo", Work::Search(search));
    let mut solve = solve(2_000_000);
    for job in [&mut run, &mut solve, &mut search] {
        let kind = job.work.kind();
        job.tasks.limit = Some(3);
        job.save.record = Some(folder.join(format!("{}.json", kind.name())));
        let running = job.clone().start().unwrap();
        let names = events(&running);
        assert_eq!(names.last().map(String::as_str), Some("finished"), "{names:?}");
        let count = |name: &str| names.iter().filter(|it| *it == name).count();
        // The first save comes before the work.
        assert!(count("started") == 1 && count("saved") > 0 && count("stopped") == 0, "{names:?}");
        if kind != batt_record::Kind::Search {
            assert_eq!(count("task_done"), 3, "{names:?}");
        }
        let status = running.status();
        assert_eq!((status.kind, status.done, status.total), (kind, 3, 3));
        let outcome = running.wait().unwrap();
        assert!(!outcome.was_stopped());
        assert_eq!(outcome.into_saved().record, job.save.record);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_paused_job_waits_and_a_stopped_one_can_be_resumed() {
    let folder = folder("pause");
    let submission = folder.join("submission.json");
    let mut job = solve(0);
    job.work = Work::Solve(Solve { effort: Effort::Budget(600.0), ..Solve::default() });
    job.save.submission = Some(submission.clone());
    let running = job.clone().start().unwrap();
    let handle = running.handle();
    while !matches!(running.next_event(Duration::from_secs(60)), Some(Event::Round { .. })) {
        assert!(!running.is_finished());
    }
    handle.pause();
    // The current steps end; then nothing happens until the job is resumed.
    let mut tried = running.status().tried;
    loop {
        std::thread::sleep(Duration::from_millis(300));
        match running.status().tried {
            now if now == tried => break,
            now => tried = now,
        }
    }
    let seconds = handle.status().seconds;
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(handle.status().seconds, seconds, "the clock stops");
    assert!(!running.is_finished());
    handle.resume();
    running.stop();
    assert_eq!(events(&running).last().map(String::as_str), Some("stopped"));
    let Outcome::Solve(outcome) = running.wait().unwrap() else { panic!("not the outcome of a solve") };
    assert!(outcome.stopped && !outcome.record.finished && outcome.resumed == 0);
    // The same job with little fuel continues; another one is refused.
    job.work = Work::Solve(Solve { effort: Effort::FuelPerTask(1000), ..Solve::default() });
    let Outcome::Solve(outcome) = job.clone().start().unwrap().wait().unwrap() else {
        panic!("not the outcome of a solve")
    };
    assert_eq!((outcome.resumed, outcome.stopped), (3, false));
    job.work = Work::Solve(Solve { seed: 1, ..Solve::default() });
    assert!(matches!(job.start().unwrap().wait(), Err(JobError::Exists { .. })));
    std::fs::remove_dir_all(folder).unwrap();
}
