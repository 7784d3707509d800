//! The page of a record, as far as it can be tested without a browser.

mod common;

use batt_record::{
    Attempt, Example, FirstWrongLine, Made, Outcome, Pair, Program, Record, Rows, Task, TaskSearch,
};
use batt_report::html::{Graph, Source, Subject, write};
use batt_report::view::{Advice, Levers};
use batt_report::{Facts, Noise, Selection};
use batt_trace::{Level, Spot};
use common::World;
use serde_json::{Value, json};

fn page(record: &Record) -> String {
    let graph = Ok(Graph { most: Vec::new(), nodes: Vec::new() });
    let mut out = Vec::new();
    write(&[Source { name: "run.json".to_owned(), record, subject: Subject::Job, graph }], &[], &mut out)
        .unwrap();
    String::from_utf8(out).unwrap()
}

fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn record() -> Record {
    let world = World::new(Level::Nodes);
    world.main(Spot::LOAD, 500);
    world.task("a", &[(common::OBJECTS, 30)]);
    world.finish()
}

fn example(input: Rows, output: Rows) -> Example {
    Example { input, output: Some(output) }
}

fn pair(verdict: &str, answer: Option<Rows>) -> Pair {
    Pair { verdict: verdict.to_owned(), fuel: Some(3), why: None, answer }
}

/// A task with one demonstration and one test, whose output is a row of ten, and one program's results on its
/// pairs.
fn task(demo: Pair, test: Pair, attempt: Rows) -> Task {
    let row = vec![vec![1; 10]];
    Task {
        id: "t".to_owned(),
        train: vec![example(vec![vec![0]], row.clone())],
        test: vec![example(vec![vec![2]], row)],
        attempts: vec![[attempt.clone(), attempt]],
        programs: vec![Outcome { program: 0, own: true, train: vec![demo], test: vec![test] }],
        ..Task::default()
    }
}

#[test]
fn the_page_has_the_figures_of_the_views() {
    let record = record();
    let data = data(&page(&record));
    let cost = &data["runs"][0]["cost"]["Ok"];
    let facts = Facts::new(&record, &Selection::default()).unwrap();
    let levers = Levers::new(&facts).unwrap();
    assert!(!levers.levers.is_empty());
    assert_eq!(cost["levers"]["Ok"], json!(levers));
    let advice = Advice::new(&facts);
    assert!(!advice.sentences.is_empty());
    assert_eq!(cost["framework"]["advice"], json!(advice));
    assert_eq!(cost["validity"]["noise"], json!(Noise::new(&facts)));
    assert_eq!(cost["schedule"]["disturbed"], json!([0]));
    // If the schedule cannot be replayed, the reason is there: a worker waited although there was another task.
    let mut record = common::cluster();
    let profile = record.profile.as_mut().unwrap();
    profile.tasks.iter_mut().for_each(|task| task.lane = 1 + task.lane % 2);
    for (number, lane) in profile.lanes.iter_mut().enumerate().skip(1) {
        let tasks = profile.tasks.iter().filter(|task| task.lane as usize == number);
        let ran: u64 = tasks.map(|task| task.end - task.start).sum();
        lane.end = lane.end.max(lane.start + ran);
        lane.between = vec![(common::number(Spot::IDLE), lane.end - lane.start - ran, 0)];
    }
    let data = self::data(&page(&record));
    let reason = data["runs"][0]["cost"]["Ok"]["levers"]["Err"].as_str();
    assert!(
        reason.is_some_and(|it| it.starts_with("the replay of the recorded schedule is off by ")),
        "{data}"
    );
}

#[test]
fn texts_of_a_record_cannot_end_the_element() {
    let mut record = record();
    record.setup.data.name = "</script><script>alert(1)</script><!--".to_owned();
    let page = page(&record);
    let data = data(&page);
    assert_eq!(data["runs"][0]["setup"]["data"]["name"], record.setup.data.name.as_str());
    // The data, the style and the one script.
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("alert(1)</"));
}

#[test]
fn the_policy_names_one_script_and_one_style() {
    let page = page(&record());
    let (_, policy) = page.split_once("Content-Security-Policy\" content=\"").unwrap();
    let policy = policy.split_once('"').unwrap().0;
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert_eq!(policy.matches("sha256-").count(), 2);
    assert!(!policy.contains("unsafe"));
    assert!(!page.contains("http://") || page.matches("http://").count() == 1, "only the SVG namespace");
    let (_, script) = page.split_once("<script type=\"module\">").unwrap();
    assert!(!script.lines().any(|line| line.starts_with("import ") || line.starts_with("export ")));
}

#[test]
fn devices_have_a_table_and_a_lane() {
    let data = data(&page(&common::devices()));
    let cost = &data["runs"][0]["cost"]["Ok"];
    let row = &cost["framework"]["devices"][0];
    assert_eq!((&row["name"], &row["kernel"], &row["late"]), (&"Tesla T4".into(), &110.into(), &20.into()));
    let schedule = &cost["schedule"];
    assert_eq!(schedule["lanes"], json!(["main", "worker 1", "Tesla T4", "NVIDIA L4"]));
    assert_eq!(schedule["devices"], json!([[2, 200, 400]]), "the other one had no batch");
}

#[test]
fn states_of_tasks() {
    let (right, far) = (vec![vec![1; 10]], vec![vec![2; 10]]);
    let mut near = right.clone();
    near[0][3] = 7;
    let cases = [
        (task(pair("ok", None), pair("ok", None), right.clone()), "solved", None, 1),
        (task(pair("ok", None), pair("wrong", Some(near.clone())), near.clone()), "near_miss", Some(1), 1),
        (
            task(pair("wrong", Some(near.clone())), pair("skipped", None), far.clone()),
            "near_miss",
            Some(1),
            0,
        ),
        (task(pair("ok", None), pair("wrong", Some(far.clone())), far.clone()), "wrong", Some(10), 1),
        (task(pair("ok", None), pair("wrong_shape", Some(vec![vec![1]])), far.clone()), "wrong", None, 1),
        (task(pair("fuel", None), pair("skipped", None), far.clone()), "failed", None, 0),
    ];
    for (task, state, differ, shown) in cases {
        let record = Record { tasks: vec![task], profile: None, ..record() };
        let data = data(&page(&record));
        let task = &data["runs"][0]["tasks"][0];
        assert_eq!((&task["state"], &task["shown"]), (&Value::from(state), &Value::from(shown)));
        assert_eq!(task["differ"].as_u64(), differ, "{state}");
        assert_eq!(task["test"][0][1], "1111111111");
        assert!(data["runs"][0]["cost"]["Err"].as_str().unwrap().contains("no profile"));
    }
}

/// A program that a solve found.
fn found(name: &str, hash: &str, words: &str) -> Program {
    let made = Made { operator: "transform".to_owned(), parents: Vec::new(), words: Some(words.to_owned()) };
    Program { name: name.to_owned(), hash: hash.to_owned(), text: String::new(), made: Some(made) }
}

#[test]
fn attempts_of_a_solve_have_their_program_and_confidence() {
    let (right, far) = (vec![vec![1; 10]], vec![vec![2; 10]]);
    let outcome = |program: u32, test: Pair| Outcome {
        program,
        own: true,
        train: vec![pair("ok", None)],
        test: vec![test],
    };
    let stated = |program: u32, sure: f64| Attempt { program, votes: 3, sure };
    let task = Task {
        attempts: vec![[far.clone(), right.clone()]],
        programs: vec![outcome(0, pair("wrong", Some(far.clone()))), outcome(1, pair("ok", None))],
        search: Some(TaskSearch {
            fuel: 48_979_296,
            tried: 17,
            attempts: vec![vec![stated(0, 0.75), stated(1, 0.12)]],
            ..TaskSearch::default()
        }),
        first_wrong_line: Some(FirstWrongLine { program: 0, line: Some(2), reason: String::new() }),
        ..task(pair("ok", None), pair("ok", None), right)
    };
    let programs = vec![found("solve_t", "aa", "all red"), found("attempt_2_t", "bb", "all blue")];
    let record = Record { tasks: vec![task], programs, profile: None, ..record() };
    let data = data(&page(&record));
    let task = &data["runs"][0]["tasks"][0];
    // The second attempt is right, so the task is solved, whatever the first program does.
    assert_eq!((&task["state"], &task["first_wrong_line"]), (&"solved".into(), &Value::Null));
    assert_eq!((&task["fuel"], &task["tried"]), (&48_979_296.into(), &17.into()));
    let [first, second] = [0, 1].map(|i| &task["attempts"][0][i]);
    assert_eq!((&first["program"], &first["sure"], &first["votes"]), (&0.into(), &0.75.into(), &3.into()));
    assert_eq!((&first["right"], &first["differ"]), (&false.into(), &10.into()));
    assert_eq!(
        (&second["program"], &second["sure"], &second["right"]),
        (&1.into(), &0.12.into(), &true.into())
    );
    assert_eq!(data["runs"][0]["programs"][1]["made"]["words"], "all blue");
}

#[test]
fn a_fallback_has_no_program() {
    let (right, far) = (vec![vec![1; 10]], vec![vec![2; 10]]);
    let search = TaskSearch {
        attempts: vec![vec![Attempt { program: 0, votes: 1, sure: 0.9 }]],
        ..TaskSearch::default()
    };
    let task = Task {
        attempts: vec![[right.clone(), far]],
        search: Some(search),
        ..task(pair("ok", None), pair("ok", None), right)
    };
    let record = Record { tasks: vec![task], profile: None, ..record() };
    let attempts = &data(&page(&record))["runs"][0]["tasks"][0]["attempts"][0];
    assert_eq!((&attempts[0]["program"], &attempts[1]["program"]), (&0.into(), &Value::Null));
    assert_eq!(attempts[1]["sure"], Value::Null);
}

#[test]
fn programs_of_the_same_name_are_told_apart() {
    let programs = [("a", "11223344556677"), ("b", "22"), ("a", "99887766554433"), ("a", "99887766554433")];
    let programs = programs.map(|(name, hash)| found(name, hash, "")).to_vec();
    let record = Record { programs, profile: None, ..record() };
    let data = data(&page(&record));
    let names = data["runs"][0]["programs"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["a (11223344)", "b", "a (99887766)", "a (99887766) #2"]);
}

#[test]
fn machines_are_shown_if_there_are_any() {
    let record = common::cluster();
    let page = page(&record);
    let cost = &data(&page)["runs"][0]["cost"]["Ok"];
    assert_eq!(cost["framework"]["machines"][1]["name"], "<b>beta</b>");
    assert_eq!(page.matches("<b>beta").count(), 0, "text of a record is never markup");
    let schedule = &cost["schedule"];
    assert_eq!(
        schedule["lanes"],
        serde_json::json!(["main", "alpha core 1", "<b>beta</b> core 1", "alpha core 2"])
    );
    assert_eq!(schedule["order"], serde_json::json!([0, 1, 3, 2]), "lanes of a machine are together");
    assert_eq!(schedule["windows"], serde_json::json!([[150, 860]]));
    // Work of the driver while tasks ran cannot be saved.
    assert_eq!(schedule["main"].as_array().unwrap().len(), 2);

    let alone = data(&self::page(&self::record()));
    let cost = &alone["runs"][0]["cost"]["Ok"];
    assert_eq!(cost["framework"]["machines"], serde_json::json!([]));
    assert_eq!(cost["framework"]["driver"], Value::Null);
    assert_eq!(cost["schedule"]["windows"], cost["schedule"]["waits"]);
    assert_eq!(cost["schedule"]["lanes"], serde_json::json!(["main", "worker 1"]));
}

#[test]
fn figures_are_those_of_the_views() {
    let record = record();
    let data = data(&page(&record));
    let facts = batt_report::Facts::new(&record, &batt_report::Selection::default()).unwrap();
    let cost = &data["runs"][0]["cost"]["Ok"];
    let view = serde_json::to_value(batt_report::view::Framework::new(&facts)).unwrap();
    assert_eq!(cost["framework"], view);
    assert_eq!(cost["dsl"], serde_json::to_value(batt_report::view::Dsl::new(&facts)).unwrap());
    assert_eq!(cost["schedule"]["wall"], facts.wall());
}
