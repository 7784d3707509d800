//! `--shard` and `batt merge`: joined shards are one job, and files that do not fit together are refused.

mod batt;

use arcbatt::record::{Record, State};
use arcbatt::report::{Facts, Selection, Validity};
use arcbatt::store::{Measure, Sealed, Store, Stored, TestResult};
use batt::Batt;

const SOLVE: &str = "solve demo -n 12 --fuel-per-task 2000000 --threads 2";
const RUN: &str = "run demo -n 12 --all-pairs";
const SEARCH: &str = "search demo -n 12 --mode enumerate --fuel-per-task 1000000";

/// Runs a command that must succeed.
fn run(batt: &Batt, command: &str) -> String {
    let output = batt.run(command);
    assert!(output.ends_with("exit 0\n"), "{command}: {output}");
    output
}

/// Runs a command that must fail with exit code 2 and all these words, and write nothing.
fn refuse(batt: &Batt, command: &str, words: &[&str]) {
    let output = batt.run(&format!("{command} -o {{dir}}/out.json"));
    assert!(output.ends_with("exit 2\n"), "{command}: {output}");
    for word in words {
        assert!(output.contains(word), "{command}: {output}\nlacks `{word}`");
    }
    for file in ["out.json", "out.json.state"] {
        assert!(!batt.path(file).exists(), "{command} wrote {file}");
    }
}

/// Returns a record without the parts that differ from run to run.
fn timeless(batt: &Batt, file: &str) -> String {
    let text = batt.read(file);
    let varies = |line: &&str| {
        ["\"environment\":", "\"curve\":", "\"profile\":"].iter().any(|it| line.starts_with(it))
    };
    // The last field of the document is followed by its end.
    let lines: Vec<&str> = text.lines().filter(|line| !varies(line)).collect();
    lines.join("\n").trim_end_matches(['}', ',', '\n']).to_owned()
}

fn record(batt: &Batt, file: &str) -> Record {
    Record::read(&batt.path(file)).unwrap()
}

/// Solves three shards and, in one job, all tasks.
fn solved(test: &str) -> Batt {
    let batt = Batt::new(test);
    for i in 1..=3 {
        let files = format!("-o {{dir}}/s{i}.json --record {{dir}}/r{i}.json --profile");
        let output = run(&batt, &format!("{SOLVE} --shard {i}/3 {files}"));
        assert!(output.contains(&format!("s{i}.json is shard {i} of 3: 4 tasks of demo")), "{output}");
        assert!(!output.contains("incomplete"), "{output}");
    }
    run(&batt, &format!("{SOLVE} -o {{dir}}/s.json --record {{dir}}/r.json"));
    batt
}

#[test]
fn joined_shards_of_a_solve_are_one_solve() {
    let batt = solved("merge-solve");
    let merge = "merge {dir}/s3.json {dir}/s1.json {dir}/s2.json";
    let output = run(&batt, &format!("{merge} -o {{dir}}/all.json"));
    assert!(
        output.starts_with("Merged 3 shards of solve of demo: 12 tasks, 17 outputs → {dir}/all.json\n"),
        "{output}"
    );
    assert_eq!(batt.read("all.json"), batt.read("s.json"));
    // The other form, too.
    run(&batt, &format!("{SOLVE} -o {{dir}}/s.csv"));
    run(&batt, &format!("{merge} -o {{dir}}/all.csv"));
    assert_eq!(batt.read("all.csv"), batt.read("s.csv"));
    assert!(batt.read("all.csv").starts_with("output_id,output\n"));
    // The state is that of the plain job, apart from times.
    let state = |file: &str| {
        let state = State::read(&batt.path(file)).unwrap();
        assert!(state.curve.windows(2).all(|both| both[0].seconds <= both[1].seconds));
        assert!(state.curve.last().unwrap().seconds <= state.seconds);
        State { seconds: 0.0, curve: Vec::new(), ..state }
    };
    assert_eq!(state("all.json.state"), state("s.json.state"));
    let seconds = |file: &str| State::read(&batt.path(file)).unwrap().seconds;
    let sum: f64 = (1..=3).map(|i| seconds(&format!("s{i}.json.state"))).sum();
    assert!((seconds("all.json.state") - sum).abs() < 1e-6);
    // So are states by themselves.
    run(&batt, "merge {dir}/s2.json.state {dir}/s1.json.state {dir}/s3.json.state -o {dir}/again.state");
    assert_eq!(batt.read("again.state"), batt.read("all.json.state"));
    // The plain job continues from them, and finds nothing left to do.
    let output = run(&batt, &format!("{SOLVE} -o {{dir}}/all.json --resume"));
    assert!(output.contains("note: resumed 12 tasks") && !output.contains("was changed"), "{output}");
    assert_eq!(batt.read("all.json"), batt.read("s.json"));
}

#[test]
fn joined_records_of_a_solve_are_the_record_of_one_solve() {
    let batt = solved("merge-solve-records");
    run(&batt, "merge {dir}/r2.json {dir}/r3.json {dir}/r1.json -o {dir}/all.json");
    assert_eq!(timeless(&batt, "all.json"), timeless(&batt, "r.json"));
    let all = record(&batt, "all.json");
    assert!(all.finished && all.programs.len() > 3);
    let parts = [1, 2, 3].map(|i| record(&batt, &format!("r{i}.json")));
    let seconds: f64 = parts.iter().map(|part| part.environment.seconds).sum();
    assert!((all.environment.seconds - seconds).abs() < 1e-6);
    assert_eq!(all.environment.threads, 2);
    // The last point of a curve may be earlier than the end of the job.
    let last = all.curve.last().unwrap();
    let tried: u64 =
        all.tasks.iter().filter_map(|task| task.search.as_ref()).map(|search| search.tried).sum();
    assert!(last.seconds <= all.environment.seconds && last.tried <= tried);
    assert!(all.curve.windows(2).all(|two| two[0].seconds <= two[1].seconds && two[0].tried <= two[1].tried));
    // The profile has a machine for each shard, and its times add up.
    let profile = all.profile.as_deref().unwrap();
    let names: Vec<&str> = profile.machines.iter().map(|machine| machine.name.as_str()).collect();
    assert_eq!(names, ["shard 1 of 3", "shard 2 of 3", "shard 3 of 3"]);
    assert!(
        profile.lanes[0].machine.is_none() && profile.lanes[1..].iter().all(|lane| lane.machine.is_some())
    );
    let lanes: usize = parts.iter().map(|part| part.profile.as_deref().unwrap().lanes.len()).sum();
    assert_eq!(profile.lanes.len(), 1 + lanes);
    check_profile(&all);
    // Without one of the profiles, there is none.
    run(&batt, &format!("{SOLVE} --shard 2/3 --record {{dir}}/plain.json"));
    let output = run(&batt, "merge {dir}/r1.json {dir}/plain.json {dir}/r3.json -o {dir}/without.json");
    assert!(
        output.contains("warning: the record has no profile, because not all shards have one"),
        "{output}"
    );
    assert_eq!(timeless(&batt, "without.json"), timeless(&batt, "r.json"));
}

fn check_profile(record: &Record) {
    let facts = Facts::new(record, &Selection::default()).unwrap();
    assert_eq!(facts.tasks.len(), record.tasks.len());
    assert!(Validity::new(&facts).reasons.iter().all(|reason| !reason.contains("stopped")));
    let profile = facts.profile;
    assert_eq!(profile.repeats.last().unwrap().wall, facts.wall());
    let booked: u64 = facts.booked().iter().sum();
    assert_eq!(profile.repeats.last().unwrap().functions.iter().map(|it| it.1).sum::<u64>(), booked);
    let longest = profile.lanes.iter().map(|lane| lane.end - lane.start).max().unwrap();
    assert!(facts.wall() >= longest);
}

#[test]
fn joined_shards_of_a_run_are_one_run() {
    let batt = Batt::new("merge-run");
    for i in 1..=3 {
        let files = format!("-o {{dir}}/s{i}.csv --record {{dir}}/r{i}.json --profile");
        run(&batt, &format!("{RUN} --shard {i}/3 {files}"));
    }
    run(&batt, &format!("{RUN} -o {{dir}}/s.csv --record {{dir}}/r.json"));
    run(&batt, "merge {dir}/r3.json {dir}/r2.json {dir}/r1.json -o {dir}/all.json");
    assert_eq!(timeless(&batt, "all.json"), timeless(&batt, "r.json"));
    let all = record(&batt, "all.json");
    assert_eq!((all.tasks.len(), all.programs.len()), (12, 79));
    assert!(all.finished && all.right.left == 0 && all.verdicts.len() > 2);
    check_profile(&all);
    // A run has no state; its submissions are joined by id.
    let output = run(&batt, "merge {dir}/s3.csv {dir}/s2.csv {dir}/s1.csv -o {dir}/all.csv");
    assert!(output.starts_with("Merged 3 submissions: 12 tasks, 17 outputs"), "{output}");
    assert_eq!(batt.read("all.csv"), batt.read("s.csv"));
    assert!(!batt.path("all.csv.state").exists());
    // Other programs are another job.
    run(
        &batt,
        "run demo -n 12 --all-pairs --programs programs/examples.py --shard 3/3 --record {dir}/other.json",
    );
    refuse(
        &batt,
        "merge {dir}/r1.json {dir}/r2.json {dir}/other.json",
        &[
            "other.json belongs to another job than {dir}/r1.json: run of demo (12 tasks), with other programs",
        ],
    );
}

/// A program of a store with everything that is stored about it, apart from times.
type Row = (Stored, Vec<Measure>, Vec<TestResult>);

fn rows(batt: &Batt, file: &str) -> Vec<Row> {
    let store = Store::open_existing(&batt.path(file)).unwrap();
    let sealed = Sealed::open(&batt.path(file)).unwrap();
    let row = |stored: Stored| {
        let mut measures = store.measures_of(stored.hash).unwrap();
        measures.iter_mut().for_each(|measure| measure.micros = 0);
        let tests = sealed.of(stored.hash).unwrap();
        (stored, measures, tests)
    };
    store.list().unwrap().into_iter().map(row).collect()
}

#[test]
fn joined_stores_and_records_of_a_search_are_those_of_one_search() {
    let batt = Batt::new("merge-search");
    for i in 1..=3 {
        run(&batt, &format!("{SEARCH} --shard {i}/3 --store {{dir}}/s{i}.sqlite --record {{dir}}/r{i}.json"));
        run(&batt, &format!("programs import --store {{dir}}/s{i}.sqlite programs/examples.py"));
    }
    run(&batt, &format!("{SEARCH} --store {{dir}}/s.sqlite --record {{dir}}/r.json"));
    run(&batt, "programs import --store {dir}/s.sqlite programs/examples.py");
    let output = run(&batt, "merge {dir}/s3.sqlite {dir}/s1.sqlite {dir}/s2.sqlite -o {dir}/all.sqlite");
    let joined = rows(&batt, "all.sqlite");
    assert!(output.starts_with("Merged 3 stores: "), "{output}");
    assert_eq!(joined, rows(&batt, "s.sqlite"));
    assert!(joined.iter().any(|(_, measures, tests)| !measures.is_empty() && !tests.is_empty()));
    assert!(joined.iter().any(|(stored, ..)| !stored.names.is_empty()));
    // The order of the files does not matter, and the parts are as before.
    let parts = [1, 2, 3].map(|i| rows(&batt, &format!("s{i}.sqlite")).len());
    assert!(parts.iter().all(|part| *part < joined.len()));
    run(&batt, "merge {dir}/s1.sqlite {dir}/s2.sqlite {dir}/s3.sqlite -o {dir}/again.sqlite");
    assert_eq!(rows(&batt, "again.sqlite"), joined);
    // A store is replaced only if that is wanted.
    let merge = "merge {dir}/s1.sqlite {dir}/s2.sqlite -o {dir}/again.sqlite";
    let output = batt.run(merge);
    assert!(output.contains("already exists") && output.ends_with("exit 2\n"), "{output}");
    assert_eq!(rows(&batt, "again.sqlite"), joined);
    run(&batt, &format!("{merge} --overwrite"));
    assert!(rows(&batt, "again.sqlite").len() < joined.len());
    // Stores differ between shards, so they are not part of the joined record.
    run(&batt, "merge {dir}/r3.json {dir}/r2.json {dir}/r1.json -o {dir}/all.json");
    let (mut all, mut one) = (record(&batt, "all.json"), record(&batt, "r.json"));
    assert!(all.setup.options.store.is_none() && all.job != one.job);
    for record in [&mut all, &mut one] {
        record.setup.options.store = None;
        record.job = String::new();
        record.environment = Default::default();
    }
    assert_eq!(all, one);
}

#[test]
fn joined_records_of_breeding_have_all_ancestors_and_operators() {
    let batt = Batt::new("merge-breed");
    for i in 1..=2 {
        let files = format!("--store {{dir}}/s{i}.sqlite --record {{dir}}/r{i}.json");
        run(
            &batt,
            &format!(
                "search demo --fuel-per-task 60000 --programs programs/examples.py --shard {i}/2 {files}"
            ),
        );
    }
    run(&batt, "merge {dir}/r1.json {dir}/r2.json -o {dir}/all.json");
    let all = record(&batt, "all.json");
    let parts = [1, 2].map(|i| record(&batt, &format!("r{i}.json")));
    assert_eq!(all.programs.len(), parts.iter().map(|part| part.programs.len()).sum::<usize>());
    assert_eq!(all.tasks.len(), 79);
    let ids: Vec<&str> = all.tasks.iter().map(|task| task.id.as_str()).collect();
    assert!(ids.is_sorted());
    for (i, operator) in all.operators.iter().enumerate() {
        let tried: u64 = parts.iter().map(|part| part.operators[i].tried).sum();
        assert_eq!(operator.tried, tried);
    }
    for ancestor in parts.iter().flat_map(|part| &part.ancestors) {
        assert_eq!(all.ancestors.iter().filter(|it| it.hash == ancestor.hash).count(), 1);
    }
    assert!(!all.ancestors.is_empty());
    // Every task still has its own programs.
    for (place, task) in all.tasks.iter().enumerate() {
        let part = &parts[place % 2];
        let theirs = &part.tasks[place / 2];
        assert_eq!(task.id, theirs.id);
        for (ours, theirs) in task.programs.iter().zip(&theirs.programs) {
            let (ours, theirs) =
                (&all.programs[ours.program as usize], &part.programs[theirs.program as usize]);
            assert_eq!(ours, theirs);
        }
    }
}

#[test]
fn shards_that_do_not_fit_together_are_refused() {
    let batt = Batt::new("merge-refuse");
    let solve = "solve demo -n 4 --fuel-per-task 100000";
    for i in 1..=3 {
        run(&batt, &format!("{solve} --shard {i}/3 -o {{dir}}/s{i}.json --record {{dir}}/r{i}.json"));
    }
    for (name, options) in [
        ("seed", "--seed 7 --shard 2/3"),
        ("tasks", "--start 1 --shard 2/3"),
        ("of4", "--shard 2/4"),
        ("twice", "--shard 1/3"),
        ("whole", ""),
    ] {
        run(&batt, &format!("{solve} {options} -o {{dir}}/s-{name}.json --record {{dir}}/r-{name}.json"));
    }
    for kind in ["s", "r"] {
        let file = |name: &str| format!("{{dir}}/{kind}{name}.json");
        let merge = |names: &[&str]| {
            let files: Vec<String> = names.iter().map(|name| file(name)).collect();
            format!("merge {}", files.join(" "))
        };
        let missing = "missing: shard 2 of 3; add its file, or use --partial";
        refuse(&batt, &merge(&["3", "1"]), &[missing]);
        refuse(&batt, &merge(&["2"]), &["missing: shards 1 and 3 of 3; add their files, or use --partial"]);
        let twice =
            format!("{} and {} are both shard 1 of 3; give each shard once", file("1"), file("-twice"));
        refuse(&batt, &merge(&["1", "-twice", "2", "3"]), &[&twice]);
        refuse(&batt, &merge(&["1", "2", "1"]), &["is given twice"]);
        let other = |name: &str| {
            format!("{} belongs to another job than {}: solve of demo (4 tasks", file(name), file("1"))
        };
        refuse(&batt, &merge(&["1", "-seed", "3"]), &[&other("-seed"), "seed 7), with another seed"]);
        refuse(&batt, &merge(&["1", "-tasks", "3"]), &[&other("-tasks"), "with other tasks"]);
        let of4 = format!("{} is shard 1 of 3, but {} is shard 2 of 4", file("1"), file("-of4"));
        refuse(&batt, &merge(&["1", "-of4", "3"]), &[&of4]);
        let whole =
            format!("{} is not a shard, but a whole job: solve of demo (4 tasks, seed 0)", file("-whole"));
        refuse(&batt, &merge(&["1", "2", "3", "-whole"]), &[&whole]);
    }
    refuse(
        &batt,
        "merge {dir}/s1.json {dir}/r2.json",
        &["s1.json is a submission, but {dir}/r2.json is the record of a solve; merge each kind by itself"],
    );
    refuse(&batt, "merge {dir}/s1.json.state {dir}/r2.json", &["is the state of a solve, but"]);
    // Without the state of one shard, a missing one would go unnoticed.
    std::fs::copy(batt.path("s2.json"), batt.path("alone.json")).unwrap();
    refuse(&batt, "merge {dir}/s1.json {dir}/alone.json", &["alone.json.state is missing", "copy it"]);
    refuse(
        &batt,
        "merge {dir}/r1.json {dir}/r2.json {dir}/r3.json --data demo",
        &["--data is only used for submissions"],
    );
    refuse(&batt, "merge {dir}/s1.json {dir}/none.json", &["cannot read {dir}/none.json"]);
    refuse(&batt, "merge README.md", &["README.md is not a file that can be merged"]);
    refuse(
        &batt,
        "merge {dir}/s1.json {dir}/s2.json {dir}/s3.json --data demo -n 3",
        &["demo has other tasks than the job on demo; use the same data and the same -i, -n and --start"],
    );
    // The output is never one of the files, and an existing file is kept.
    let output = batt.run("merge {dir}/r1.json {dir}/r2.json {dir}/r3.json -o {dir}/r2.json --overwrite");
    assert!(
        output.contains("r2.json is both a file to merge and the output") && output.ends_with("exit 2\n"),
        "{output}"
    );
    for (files, existing) in [
        ("s1.json {dir}/s2.json {dir}/s3.json", "all.json"),
        ("r1.json {dir}/r2.json {dir}/r3.json", "all.json"),
        ("s1.json {dir}/s2.json {dir}/s3.json", "all.json.state"),
    ] {
        std::fs::write(batt.path(existing), "mine").unwrap();
        let output = batt.run(&format!("merge {{dir}}/{files} -o {{dir}}/all.json"));
        assert!(
            output.contains(&format!("{existing} already exists")) && output.ends_with("exit 2\n"),
            "{output}"
        );
        assert_eq!(batt.read(existing), "mine");
        run(&batt, &format!("merge {{dir}}/{files} -o {{dir}}/all.json --overwrite"));
        std::fs::remove_file(batt.path("all.json")).unwrap();
        let _ = std::fs::remove_file(batt.path("all.json.state"));
    }
}

#[test]
fn the_files_of_another_shard_are_not_replaced() {
    let batt = Batt::new("merge-claim");
    let solve = "solve demo -n 4 --fuel-per-task 100000 -o {dir}/s.json";
    run(&batt, &format!("{solve} --shard 2/3"));
    let state = batt.read("s.json.state");
    for (options, differs) in
        [("--shard 1/3", "another shard"), ("", "another shard"), ("--shard 2/3 --seed 1", "another seed")]
    {
        let output = batt.run(&format!("{solve} {options}"));
        assert!(output.ends_with("exit 2\n"), "{options}: {output}");
        let words = format!("another job, solve of demo, shard 2 of 3 (1 task, seed 0), with {differs}");
        assert!(output.contains(&words), "{options}: {output}");
        assert_eq!(batt.read("s.json.state"), state);
    }
    let output = run(&batt, &format!("{solve} --shard 2/3"));
    assert!(output.contains("resumed 1 task"), "{output}");
    for (shard, words) in [
        ("0/3", "must be between 1 and 3"),
        ("4/3", "must be between 1 and 3"),
        ("2", "a shard is written I/N, such as 2/3"),
        ("1/100001", "between 1 and 100,000"),
    ] {
        for command in ["solve", "run", "search"] {
            let output = batt.run(&format!("{command} --shard {shard}"));
            assert!(output.contains(words) && output.ends_with("exit 2\n"), "{command} {shard}: {output}");
        }
    }
}

#[test]
fn an_empty_shard_is_valid() {
    let batt = Batt::new("merge-empty");
    for i in 1..=3 {
        let solve = format!("solve demo -n 2 --fuel-per-task 100000 --shard {i}/3 -o {{dir}}/s{i}.json");
        run(&batt, &format!("{solve} --record {{dir}}/r{i}.json --report {{dir}}/r{i}.html --profile"));
        run(
            &batt,
            &format!("run demo -n 2 --shard {i}/3 -o {{dir}}/u{i}.csv --record {{dir}}/u{i}.json --profile"),
        );
        for mode in ["breed", "enumerate"] {
            let search = format!("search demo -n 2 --mode {mode} --fuel-per-task 1000 --shard {i}/3");
            run(&batt, &format!("{search} --store {{dir}}/{mode}{i}.sqlite --record {{dir}}/{mode}{i}.json"));
        }
    }
    assert_eq!(batt.read("s3.json"), "{\n}\n");
    assert_eq!(batt.read("u3.csv"), "output_id,output\n");
    let empty = record(&batt, "r3.json");
    assert!(empty.finished && empty.tasks.is_empty());
    let shard = empty.setup.data.shard.unwrap();
    assert_eq!((shard.index, shard.of, shard.tasks, empty.setup.data.tasks), (3, 3, 2, 0));
    run(&batt, "solve demo -n 2 --fuel-per-task 100000 -o {dir}/s.json --record {dir}/r.json");
    run(&batt, "run demo -n 2 -o {dir}/u.csv --record {dir}/u.json");
    // Nothing is missing without it.
    for (n, third) in [(1, "3"), (2, "")] {
        for (files, extension) in [("s", "json"), ("u", "csv"), ("r", "json"), ("u", "json")] {
            let third =
                if third.is_empty() { String::new() } else { format!("{{dir}}/{files}3.{extension}") };
            let all = format!("all{n}{files}.{extension}");
            let output = run(
                &batt,
                &format!(
                    "merge {third} {{dir}}/{files}1.{extension} {{dir}}/{files}2.{extension} -o {{dir}}/{all}"
                ),
            );
            assert!(!output.contains("missing"), "{output}");
            let one = format!("{files}.{extension}");
            match (files, extension) {
                ("r", _) | ("u", "json") => assert_eq!(timeless(&batt, &all), timeless(&batt, &one)),
                _ => assert_eq!(batt.read(&all), batt.read(&one)),
            }
        }
    }
    run(&batt, "merge {dir}/breed1.json {dir}/breed2.json {dir}/breed3.json -o {dir}/breed.json");
    run(&batt, "merge {dir}/breed1.sqlite {dir}/breed2.sqlite {dir}/breed3.sqlite -o {dir}/breed.sqlite");
    // Without --shard, no task is still an error.
    let output = batt.run("solve demo --start 79");
    assert!(output.contains("no tasks left") && output.ends_with("exit 2\n"), "{output}");
    let output = batt.run("solve demo --start 79 --shard 1/2");
    assert!(output.contains("no tasks left") && output.ends_with("exit 2\n"), "{output}");
}

#[test]
fn partial_joins_what_is_there() {
    let batt = Batt::new("merge-partial");
    let solve = "solve demo -n 7 --fuel-per-task 500000";
    for i in [1, 3] {
        run(&batt, &format!("{solve} --shard {i}/3 -o {{dir}}/s{i}.json --record {{dir}}/r{i}.json"));
        run(&batt, &format!("run demo -n 7 --shard {i}/3 --record {{dir}}/u{i}.json"));
    }
    run(&batt, &format!("{solve} -o {{dir}}/s.json --record {{dir}}/r.json"));
    let output = run(&batt, "merge {dir}/r3.json {dir}/r1.json -o {dir}/all-r.json --partial");
    assert!(output.starts_with("Merged 2 of 3 shards of solve of demo: 5 tasks"), "{output}");
    assert!(output.contains("warning: missing: shard 2 of 3"), "{output}");
    let (all, one) = (record(&batt, "all-r.json"), record(&batt, "r.json"));
    assert!(!all.finished && all.job == one.job && all.setup == one.setup);
    let ids = |record: &Record| record.tasks.iter().map(|task| task.id.clone()).collect::<Vec<_>>();
    let there = |(place, id): (usize, String)| (place % 3 != 1).then_some(id);
    let expected: Vec<String> = ids(&one).into_iter().enumerate().filter_map(there).collect();
    assert_eq!(ids(&all), expected);
    run(&batt, "merge {dir}/u3.json {dir}/u1.json -o {dir}/all-u.json --partial");
    let run_record = record(&batt, "all-u.json");
    assert!(!run_record.finished && run_record.right.left == 2);
    // Missing tasks get fallbacks if the data is known.
    let output = run(&batt, "merge {dir}/s1.json {dir}/s3.json -o {dir}/all.json --partial --data demo -n 7");
    assert!(output.contains("Merged 2 of 3 shards of solve of demo: 7 tasks"), "{output}");
    assert!(output.contains("warning: 2 missing tasks with fallbacks"), "{output}");
    run(&batt, "solve demo -n 7 --fuel-per-task 0 -o {dir}/fallbacks.json");
    let (all, one, fallbacks) = (batt.read("all.json"), batt.read("s.json"), batt.read("fallbacks.json"));
    for (place, line) in all.lines().enumerate() {
        let source = if place > 0 && (place - 1) % 3 == 1 { &fallbacks } else { &one };
        assert_eq!(line, source.lines().nth(place).unwrap(), "line {place}");
    }
    // The plain job does the rest.
    let output = run(&batt, &format!("{solve} -o {{dir}}/all.json --resume"));
    assert!(output.contains("resumed 5 tasks"), "{output}");
    assert_eq!(batt.read("all.json"), batt.read("s.json"));
    // Without the data, they are left out.
    let output = run(&batt, "merge {dir}/s1.json {dir}/s3.json -o {dir}/some.json --partial");
    assert!(
        output.contains("warning: 2 missing tasks left out; use --data DATA to add fallbacks"),
        "{output}"
    );
    assert_eq!(batt.read("some.json").lines().count(), 5 + 2);
}

#[test]
fn submissions_of_any_origin_are_joined_by_id() {
    let grid = |color: u8| format!("[{{\"attempt_1\": [[{color}]], \"attempt_2\": [[0]]}}]");
    let batt = Batt::new("merge-by-id")
        .file("a.json", format!("{{\"zebra\": {}, \"bear\": {}}}", grid(1), grid(2)))
        .file("b.csv", "output_id,output\nant_0,|12|34| |5|\nant_1,|6|\n")
        .file("bear.json", format!("{{\"bear\": {}}}", grid(3)))
        .file("defect.json", "{\"cow\": [{\"attempt_1\": [[1]]}]}")
        .file("three.csv", "output_id,output\ncow_0,|1| |2| |3|\n");
    run(&batt, "merge {dir}/a.json {dir}/b.csv -o {dir}/all.json");
    assert_eq!(
        batt.read("all.json"),
        "{
\"ant\":[{\"attempt_1\":[[1,2],[3,4]],\"attempt_2\":[[5]]},{\"attempt_1\":[[6]],\"attempt_2\":[[6]]}],
\"bear\":[{\"attempt_1\":[[2]],\"attempt_2\":[[0]]}],
\"zebra\":[{\"attempt_1\":[[1]],\"attempt_2\":[[0]]}]
}
"
    );
    refuse(
        &batt,
        "merge {dir}/a.json {dir}/bear.json",
        &["a.json and {dir}/bear.json both have answers for bear"],
    );
    refuse(
        &batt,
        "merge {dir}/a.json {dir}/defect.json",
        &["defect.json has 1 defect: cow, output 0, attempt_2: missing"],
    );
    refuse(&batt, "merge {dir}/three.csv", &["three.csv: cow, output 0: 3 predictions"]);
    refuse(
        &batt,
        "merge {dir}/a.json --data demo",
        &["a.json has answers for bear, which is not a task of demo"],
    );
    refuse(&batt, "merge {dir}/a.json -n 3", &["use them with --data"]);
    // With a data set, nothing may be missing.
    run(&batt, "run demo -n 3 -o {dir}/first.json");
    run(&batt, "run demo -n 2 --start 4 -o {dir}/last.json");
    run(&batt, "run demo -n 6 -o {dir}/six.json");
    let merge = "merge {dir}/last.json {dir}/first.json --data demo -n 6";
    let fourth = batt.read("six.json").lines().nth(4).unwrap().split('"').nth(1).unwrap().to_owned();
    refuse(
        &batt,
        merge,
        &[&format!("missing: 1 task of demo: {fourth}; add the files that have them, or use --partial")],
    );
    let output = run(&batt, &format!("{merge} --partial -o {{dir}}/partial.json"));
    assert!(output.contains("warning: 1 missing task with fallbacks"), "{output}");
    let same =
        batt.read("partial.json").lines().zip(batt.read("six.json").lines()).filter(|(a, b)| a == b).count();
    assert_eq!((same, batt.read("partial.json").lines().count()), (7, 8));
    run(&batt, "run demo -n 1 --start 3 -o {dir}/fourth.json");
    run(
        &batt,
        "merge {dir}/last.json {dir}/fourth.json {dir}/first.json --data demo -n 6 -o {dir}/whole.json",
    );
    assert_eq!(batt.read("whole.json"), batt.read("six.json"));
}
