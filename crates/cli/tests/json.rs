//! JSON documents match their schemas, and `docs/json.md` is up to date.

mod batt;

use std::collections::BTreeSet;

use batt::Batt;
use serde_json::Value;

/// The documents that are not tested here.
const UNTESTED: [&str; 9] = [
    // They need a device; tests/devices.rs tests them.
    "device test",
    "device calibrate",
    "device bench",
    // They take minutes.
    "bench breed",
    "bench enumerate",
    "bench profile",
    // Needs the network.
    "data install",
    // The file is removed when the job ends.
    "live",
    // Runs until it is stopped.
    "serve",
];

const PROGRAMS: &str = "\
def solve_kaleidoscope(I):
    x = hconcat(I, vmirror(I))
    return vconcat(x, hmirror(x))

def solve_rooms(I):
    return hmirror(I)

def solve_wallpaper_hole(I):
    return first(())
";

/// A task, and a program that learns its rule.
const TASK: &str = r#"{"train": [{"input": [[1, 0, 2]], "output": [[3, 0, 2]]}, {"input": [[0, 1]], "output": [[0, 3]]}],
    "test": [{"input": [[1, 4]]}]}"#;
const LEARNS: &str = "def solve_t(S, I):\n    rule = learn_cells(S, NEAR, F0)\n    return rule(I)\n";

/// Has an error and a warning.
const BROKEN: &str = "\
def solve_a(I):
    unneeded = hmirror(I)
    return vmirror(I)

def solve_b(I): return objcts(I)
";

#[test]
fn the_reference_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");
    let page = Batt::new("json-page").run("schema --markdown");
    let page = page.strip_suffix("exit 0\n").unwrap();
    assert!(!page.contains("|  |"), "a field has no description");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    let different = page.lines().zip(stored.lines()).find(|(new, old)| new != old);
    assert!(
        page == stored,
        "docs/json.md is out of date; update it with `UPDATE_EXPECT=1 cargo test -p batt-cli --test json`\n\
         first difference (new, old): {different:#?}"
    );
}

/// Types with equal names would get meaningless numbers.
#[test]
fn types_have_distinct_names() {
    let page = Batt::new("json-names").run("schema --markdown");
    let types: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("#### ")).collect();
    let distinct: BTreeSet<_> = types.iter().collect();
    assert_eq!(distinct.len(), types.len());
    let numbered: Vec<_> =
        types.iter().filter(|name| name.ends_with(|last: char| last.is_ascii_digit())).collect();
    assert!(numbered.is_empty(), "rename one of two types with `#[schemars(rename = …)]`: {numbered:?}");
}

#[test]
fn an_unknown_document_is_an_error() {
    let batt = Batt::new("json-unknown");
    batt.check(
        "schema nonsense",
        expect_test::expect![[r#"
            error: there is no document nonsense; `batt schema` lists them
            exit 2
        "#]],
    );
    batt.check(
        "schema recrod",
        expect_test::expect![[r#"
            error: there is no document recrod; did you mean record?
            exit 2
        "#]],
    );
    let text = batt.run("schema programs");
    assert!(
        text.contains("did you mean one of programs check, programs fmt, ") && text.ends_with("exit 2\n"),
        "{text}"
    );
}

#[test]
fn an_undocumented_field_is_an_error() {
    let batt = Batt::new("json-strict");
    let text = batt.run("data list --json");
    let mut document: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let validator = validator(&batt, "data list");
    assert!(validator.is_valid(&document));
    document["sets"][0]["undocumented"] = 1.into();
    assert!(!validator.is_valid(&document));
}

/// Checks documents against their schemas, and collects the names of those checked.
struct Checker {
    batt: Batt,
    names: BTreeSet<String>,
}

impl Checker {
    /// Runs a command and checks the document that it prints.
    fn printed(&mut self, name: &str, args: &str) -> Value {
        let text = self.batt.run(&format!("{args} --json"));
        let document = text.lines().next().and_then(|line| serde_json::from_str(line).ok());
        let document = document.unwrap_or_else(|| panic!("{args}: {text}"));
        self.check(name, args, &document);
        document
    }

    /// Checks a file that a command wrote.
    fn written(&mut self, name: &str, file: &str) {
        let document = serde_json::from_str(&self.batt.read(file)).unwrap();
        self.check(name, file, &document);
    }

    fn check(&mut self, name: &str, what: &str, document: &Value) {
        let validator = validator(&self.batt, name);
        let errors: Vec<_> = validator
            .iter_errors(document)
            .take(5)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{what} does not match `batt schema {name}`: {errors:#?}");
        self.names.insert(name.to_owned());
    }
}

/// Returns a strict validator: fields that the schema does not list are errors.
fn validator(batt: &Batt, name: &str) -> jsonschema::Validator {
    let schema = batt.run(&format!("schema {name}"));
    let mut schema = serde_json::from_str(schema.strip_suffix("exit 0\n").unwrap()).unwrap();
    close(&mut schema);
    jsonschema::draft202012::new(&schema).unwrap()
}

/// Forbids fields that the schema does not list.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(close);
            if map.contains_key("properties") {
                map.insert("additionalProperties".to_owned(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

#[test]
fn documents_match_their_schemas() {
    let batt = Batt::new("json-documents").file("p.py", PROGRAMS).file("broken.py", BROKEN);
    let batt = batt.file("t.json", TASK).file("learns.py", LEARNS);
    let mut checker = Checker { batt, names: BTreeSet::new() };
    check_jobs(&mut checker);
    check_profiles(&mut checker);
    check_programs(&mut checker);
    check_data(&mut checker);
    let list = checker.batt.run("schema");
    let listed = list.lines().filter_map(|line| line.strip_prefix("  ")?.split("  ").next());
    let untested: Vec<_> = listed.filter(|name| !checker.names.contains(*name)).collect();
    let mut expected = UNTESTED.to_vec();
    expected.sort_by_key(|name| list.find(&format!("  {name}  ")));
    assert_eq!(untested, expected);
}

fn check_jobs(checker: &mut Checker) {
    let run = checker
        .printed("run", "run demo --programs {dir}/p.py -o {dir}/run.sub.json --record {dir}/run.json");
    assert_eq!(run["wrong"].as_array().map(Vec::len), Some(2));
    checker.written("record", "run.json");
    checker.written("submission", "run.sub.json");
    checker.printed("run", "run demo --programs {dir}/p.py --all-pairs");
    checker.printed(
        "solve",
        "solve demo -n 2 --fuel-per-task 100000 -o {dir}/solve.sub.json --record {dir}/solve.json --profile",
    );
    checker.written("state", "solve.sub.json.state");
    checker.written("submission", "solve.sub.json");
    checker.written("record", "solve.json");
    checker.printed(
        "search",
        "search demo -i rooms kaleidoscope --programs {dir}/p.py --store {dir}/s.sqlite --fuel-per-task 1000000 \
         --record {dir}/search.json",
    );
    checker.written("record", "search.json");
    checker.printed("eval", "eval {dir}/p.py:solve_kaleidoscope --trace");
    checker.printed("eval", "eval {dir}/p.py:solve_wallpaper_hole --trace");
    checker.printed("show", "show rooms --program {dir}/p.py");
    checker.printed("plan", "plan programs/demo.py --text");
    checker.printed("check", "check {dir}/run.sub.json demo");
    checker.printed("check", "check {dir}/solve.sub.json demo");
    checker.printed("score", "score {dir}/run.sub.json demo");
    checker.printed("merge", "merge {dir}/run.sub.json -o {dir}/merged.sub.json");
    checker.printed("score", "score {dir}/run.sub.json demo --verbose");
    // Fractions are not reduced, even if all outputs are right.
    let run = checker.printed("run", "run demo -o {dir}/all.sub.json");
    let score = checker.printed("score", "score {dir}/all.sub.json demo");
    for (run, score) in run["scores"].as_array().unwrap().iter().zip(score["rules"].as_array().unwrap()) {
        assert_eq!((&run["numerator"], &run["denominator"]), (&score["numerator"], &score["denominator"]));
    }
    assert_eq!(score["rules"][0]["numerator"], score["outputs"]);
    checker.printed("bench", "bench --rounds 1");
}

fn check_profiles(checker: &mut Checker) {
    let text = checker.batt.run("run demo --record {dir}/p.json --profile --events --threads 1 --repeat 4");
    assert!(text.ends_with("exit 0\n"), "{text}");
    checker.written("record", "p.json");
    for (view, rest) in [
        ("dsl", ""),
        ("framework", ""),
        ("phases", ""),
        ("tasks", "-k 1"),
        ("lines", "-i rooms"),
        ("what-if", "objects=3x"),
        ("compare", "{dir}/p.json"),
    ] {
        checker.printed(&format!("profile {view}"), &format!("profile {view} {{dir}}/p.json {rest}"));
    }
    checker.printed("profile what-if list", "profile what-if {dir}/p.json");
    checker.printed("profile dsl", "profile dsl {dir}/p.json -n 3");
    checker.printed("profile phases", "profile phases {dir}/p.json {dir}/solve.json");
    checker.printed("profile budget", "profile budget 8h {dir}/p.json --what-if objects=3x");
    checker.printed("profile budget", "profile budget 8h {dir}/solve.json");
    checker.printed("profile budget nodes", "profile budget 8h {dir}/p.json --nodes 3");
    checker.printed("profile budget nodes", "profile budget {dir}/solve.json --tasks 500");
    checker.printed("profile events", "profile events {dir}/p.events.jsonl");
    let events = checker.batt.read("p.events.jsonl");
    let (mut kinds, n) = (BTreeSet::new(), events.lines().count());
    for (i, line) in events.lines().enumerate() {
        // One event of each kind is enough.
        if kinds.insert(line.chars().take(4).collect::<String>()) || i + 1 == n {
            checker.check("events", line, &serde_json::from_str(line).unwrap());
        }
    }
    checker.printed("report", "report {dir}/p.json");
}

fn check_programs(checker: &mut Checker) {
    checker.printed("programs check", "programs check {dir}/broken.py {dir}/p.py");
    checker.printed("programs fmt", "programs fmt {dir}/p.py");
    checker.printed("programs show", "programs show {dir}/p.py:solve_rooms");
    let explained = checker.printed("programs explain", "programs explain {dir}/learns.py {dir}/t.json");
    assert_eq!(explained["rules"][0]["learner"], "learn_cells");
    let resolved = checker.printed("programs resolve", "programs resolve {dir}/learns.py {dir}/t.json");
    assert_eq!(resolved["resolved"], 1);
    checker.printed("programs verify", "programs verify demo --programs {dir}/p.py {dir}/broken.py");
    let store = "--store {dir}/s.sqlite";
    checker.printed(
        "programs import",
        &format!("programs import {{dir}}/p.py {{dir}}/broken.py --data demo {store}"),
    );
    let list = checker.printed("programs list", &format!("programs list {store}"));
    for program in list["programs"].as_array().unwrap() {
        let hash = program["hash"].as_str().unwrap();
        checker.printed("programs show stored", &format!("programs show {hash} --tests {store}"));
    }
    checker.printed("programs list", &format!("programs list --task kaleidoscope {store}"));
    checker.printed("programs export", &format!("programs export {store}"));
    checker.printed("programs export", &format!("programs export -o {{dir}}/out.py {store}"));
    checker.printed("programs verify stored", &format!("programs verify demo {store}"));
    checker.printed("programs prune", &format!("programs prune --keep 1 {store}"));
}

fn check_data(checker: &mut Checker) {
    let list = checker.printed("data list", "data list");
    let record: Value = serde_json::from_str(&checker.batt.read("run.json")).unwrap();
    let demo = list["sets"].as_array().unwrap().iter().find(|set| set["name"] == "demo").unwrap();
    assert_eq!(demo["hash"], record["setup"]["data"]["hash"], "the hash in a record differs from the list");
    checker.printed("data generate", "data generate --count 3");
    checker.printed("data generate files", "data generate --count 3 -o {dir}/tasks");
    checker.printed("data generate files", "data generate --count 4 --seed 2 -o {dir}/t_challenges.json");
    checker.printed("data verify", "data verify {dir}/tasks");
    checker.printed("data diff", "data diff {dir}/tasks {dir}/t_challenges.json");
    checker.printed("device list", "device list");
    checker.printed("device operations", "device operations");
    checker.printed("dsl list", "dsl list");
    checker.printed("dsl show", "dsl show objects");
    checker.printed("conformance", "conformance crates/testkit/vectors/deep-3.jsonl.gz");
}
