//! Joining the files of shards to those of the whole job.
//!
//! The joined submission, state and record of a solve or a run are those that one job on all tasks writes, apart from
//! times. Stores are joined program by program.

mod parts;
mod profile;
mod record;
mod submission;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use batt_base::resolve;
use batt_record::{Header, Kind, Record, State};

use self::parts::{Part, Parts};
use crate::description::{Save, TaskSelection};
use crate::error::JobError;
use crate::save::exists;

/// Files to join. They are all submissions, all states, all records of one kind, or all stores.
///
/// ```no_run
/// # use batt_job::Merge;
/// let files = vec!["part1.json".into(), "part2.json".into()];
/// let merge = Merge { files, output: "all.json".into(), data: None, partial: false, overwrite: false };
/// println!("{}", merge.run()?.parts);
/// # Ok::<(), batt_job::JobError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merge {
    /// In any order.
    pub files: Vec<PathBuf>,
    pub output: PathBuf,
    /// The tasks of submissions. They determine the order, and missing ones are found.
    pub data: Option<TaskSelection>,
    /// Joins what is there, even if shards or tasks are missing.
    pub partial: bool,
    /// Replaces existing files.
    pub overwrite: bool,
}

/// The result of joining files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// The joined files in words, such as `3 shards of solve of demo`.
    pub parts: String,
    pub tasks: usize,
    /// Number of test outputs of a submission.
    pub outputs: Option<usize>,
    /// Number of programs of a record or a store.
    pub programs: Option<usize>,
    /// The files that were written, the output first.
    pub files: Vec<PathBuf>,
    pub warnings: Vec<String>,
}

/// The content of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Submission,
    State,
    Record(Kind),
    Store,
}

impl Content {
    fn of(path: &Path) -> Result<Content, JobError> {
        let read = |error| JobError::Read { path: path.to_owned(), error };
        let mut start = Vec::new();
        File::open(path).and_then(|file| file.take(16).read_to_end(&mut start)).map_err(read)?;
        if start.starts_with(b"SQLite format 3\0") {
            return Ok(Content::Store);
        }
        let header = Header::read(path).map_err(read)?;
        let kinds = [Kind::Run, Kind::Solve, Kind::Search];
        match header {
            Some(header) if header.kind == State::KIND => Ok(Content::State),
            Some(header) => match kinds.into_iter().find(|kind| kind.name() == header.kind) {
                Some(kind) => Ok(Content::Record(kind)),
                // A record of an earlier version; reading it explains that.
                None => Ok(Content::Record(Kind::Run)),
            },
            None => Ok(Content::Submission),
        }
    }

    fn name(self) -> String {
        match self {
            Content::Submission => "a submission".to_owned(),
            Content::State => "the state of a solve".to_owned(),
            Content::Record(kind) => format!("the record of a {}", kind.name()),
            Content::Store => "a store of programs".to_owned(),
        }
    }
}

impl Merge {
    /// Joins the files. Writes nothing if there is an error.
    pub fn run(&self) -> Result<Merged, JobError> {
        let content = self.content()?;
        if self.data.is_some() && content != Content::Submission {
            return Err(wrong(format!("--data is only used for submissions, not for {}", content.name())));
        }
        match content {
            Content::Submission => submission::merge(self),
            Content::State => self.states(),
            Content::Record(kind) => self.records(kind),
            Content::Store => self.stores(),
        }
    }

    /// Returns the content that all files have.
    fn content(&self) -> Result<Content, JobError> {
        let [first, others @ ..] = &self.files[..] else {
            return Err(wrong("there are no files to merge".to_owned()));
        };
        let content = Content::of(first)?;
        for path in others {
            let other = Content::of(path)?;
            if other != content {
                let (a, b) = (first.display(), path.display());
                let (content, other) = (content.name(), other.name());
                return Err(wrong(format!(
                    "{a} is {content}, but {b} is {other}; merge each kind by itself"
                )));
            }
        }
        let resolved: Vec<PathBuf> = self.files.iter().map(|path| resolve(path)).collect();
        if let Some(twice) = (0..resolved.len()).find(|i| resolved[..*i].contains(&resolved[*i])) {
            return Err(wrong(format!(
                "{} is given twice; give each file once",
                self.files[twice].display()
            )));
        }
        if resolved.contains(&resolve(&self.output)) {
            return Err(wrong(format!(
                "{} is both a file to merge and the output; choose another output",
                self.output.display()
            )));
        }
        Ok(content)
    }

    /// Refuses to replace a file, unless that is allowed.
    fn check_output(&self, path: &Path) -> Result<(), JobError> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                Err(JobError::write(path)(io::ErrorKind::IsADirectory.into()))
            }
            Ok(metadata) if metadata.is_file() && metadata.len() > 0 && !self.overwrite => {
                Err(exists(path, "merging would replace it".to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn states(&self) -> Result<Merged, JobError> {
        self.check_output(&self.output)?;
        let read = |path: &PathBuf| Part::new(path, Kind::Solve, read_state(path)?, |state| &state.setup);
        let parts = self.files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let parts = Parts::new(parts, self.partial)?;
        let (name, warnings) = (parts.name(), parts.warnings());
        let state = parts.join_states();
        state.write(&self.output).map_err(JobError::write(&self.output))?;
        let (tasks, files) = (state.tasks.len(), vec![self.output.clone()]);
        Ok(Merged { parts: name, tasks, outputs: None, programs: None, files, warnings })
    }

    fn records(&self, kind: Kind) -> Result<Merged, JobError> {
        self.check_output(&self.output)?;
        let read = |path: &PathBuf| {
            let record = Record::read(path);
            let record = record.map_err(|error| JobError::Record { path: path.clone(), error })?;
            Part::new(path, kind, record, |record| &record.setup)
        };
        let parts = self.files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let parts = Parts::new(parts, self.partial)?;
        let (name, mut warnings) = (parts.name(), parts.warnings());
        warnings.extend(parts.unfinished());
        let record = record::join(parts, &mut warnings);
        record.write(&self.output).map_err(JobError::write(&self.output))?;
        let (tasks, programs) = (record.tasks.len(), Some(record.programs.len()));
        Ok(Merged { parts: name, tasks, outputs: None, programs, files: vec![self.output.clone()], warnings })
    }

    fn stores(&self) -> Result<Merged, JobError> {
        self.check_output(&self.output)?;
        let stats = batt_store::merge(&self.files, &self.output)?;
        Ok(Merged {
            parts: batt_base::number::count(self.files.len(), "store"),
            tasks: stats.tasks,
            outputs: None,
            programs: Some(stats.programs),
            files: vec![self.output.clone()],
            warnings: Vec::new(),
        })
    }

    /// Returns the path of the state next to the joined submission.
    fn output_state(&self) -> PathBuf {
        Save::state_of(&self.output)
    }
}

fn read_state(path: &Path) -> Result<State, JobError> {
    State::read(path).map_err(|error| JobError::Record { path: path.to_owned(), error })
}

fn wrong(message: String) -> JobError {
    JobError::Merge(message)
}

/// Lists the first names, for a message.
fn listed(names: &[impl AsRef<str>]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    match (names.len().saturating_sub(SHOWN), &shown[..]) {
        (0, [first @ .., last]) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        (0, _) => shown.concat(),
        (more, _) => format!("{} and {more} more", shown.join(", ")),
    }
}
