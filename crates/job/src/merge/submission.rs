//! Joining submissions.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use batt_base::number::count;
use batt_base::write_atomic;
use batt_record::{Kind, State};
use batt_task::submission::{Attempts, Form, Submission, fallbacks};
use batt_task::{Dataset, Grid, Options};

use super::parts::{Part, Parts};
use super::{Merge, Merged, listed, read_state, wrong};
use crate::description::{Save, TaskSelection};
use crate::error::JobError;

/// The attempts for the outputs of a task.
type Outputs = Vec<[Grid; 2]>;

/// A submission that was read.
struct File {
    path: PathBuf,
    /// By id.
    tasks: BTreeMap<String, Outputs>,
}

/// Joins submissions: shards in the order of their job, others by id.
pub(super) fn merge(merge: &Merge) -> Result<Merged, JobError> {
    let state = merge.output_state();
    merge.check_output(&merge.output)?;
    merge.check_output(&state)?;
    let files = merge.files.iter().map(|path| File::read(path)).collect::<Result<Vec<_>, _>>()?;
    let dataset = merge.data.as_ref().map(load).transpose()?;
    match states(&merge.files)? {
        Some(states) => join_shards(merge, files, states, dataset.as_ref()),
        None => join_by_id(merge, files, dataset.as_ref()),
    }
}

impl File {
    fn read(path: &Path) -> Result<File, JobError> {
        let text = fs::read(path).map_err(|error| JobError::Read { path: path.to_owned(), error })?;
        let shown = path.display();
        let submission = Submission::parse(&text).map_err(|error| {
            wrong(format!(
                "{shown} is not a file that can be merged: neither a store, a record or a state; {error}"
            ))
        })?;
        if let Some(first) = submission.problems.first() {
            let n = count(submission.problems.len(), "defect");
            return Err(wrong(format!("{shown} has {n}: {first}; `batt check {shown} DATA` lists all")));
        }
        let mut tasks = BTreeMap::new();
        for (id, outputs) in submission.iter() {
            let both = outputs.iter().enumerate().map(|(k, attempts)| {
                two(attempts).ok_or_else(|| {
                    wrong(format!(
                        "{shown}: {id}, output {k}: {} predictions; `batt merge` joins two",
                        attempts.len()
                    ))
                })
            });
            tasks.insert(id.to_owned(), both.collect::<Result<Outputs, _>>()?);
        }
        Ok(File { path: path.to_owned(), tasks })
    }
}

/// Returns both attempts. A file with one prediction for an output repeats it.
fn two(attempts: &Attempts) -> Option<[Grid; 2]> {
    match &attempts[..] {
        [Some(only)] => Some([only.clone(), only.clone()]),
        [Some(first), Some(second)] => Some([first.clone(), second.clone()]),
        _ => None,
    }
}

fn load(selection: &TaskSelection) -> Result<Dataset, JobError> {
    let options = Options { skip_bad: selection.skip_bad, select: selection.select() };
    let dataset = batt_task::open(&selection.data, &options);
    dataset.map_err(|error| JobError::load(error, selection.skip_bad))
}

/// Returns the states next to the files, if they are those of shards.
fn states(files: &[PathBuf]) -> Result<Option<Vec<State>>, JobError> {
    let paths: Vec<PathBuf> = files.iter().map(|path| Save::state_of(path)).collect();
    let (there, missing): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.iter().partition(|path| path.exists());
    let states = there.iter().map(|path| read_state(path)).collect::<Result<Vec<_>, _>>()?;
    if !states.iter().any(|state| state.setup.data.shard.is_some()) {
        return Ok(None);
    }
    // Without its state, a missing shard would go unnoticed.
    match missing.first() {
        Some(path) => Err(wrong(format!(
            "{} is missing, but other files are shards with a state; copy it, or remove the states to merge by task id",
            path.display()
        ))),
        None => Ok(Some(states)),
    }
}

fn join_shards(
    merge: &Merge,
    files: Vec<File>,
    states: Vec<State>,
    dataset: Option<&Dataset>,
) -> Result<Merged, JobError> {
    let mut by_path: BTreeMap<PathBuf, File> = BTreeMap::new();
    let mut parts = Vec::new();
    for (file, state) in files.into_iter().zip(states) {
        let ids = state.tasks.iter().map(|task| &task.id);
        if file.tasks.len() != state.tasks.len() || !ids.into_iter().all(|id| file.tasks.contains_key(id)) {
            let path = file.path.display();
            return Err(wrong(format!(
                "{path} and {path}.state have different tasks; remove the state to merge by task id"
            )));
        }
        parts.push(Part::new(&file.path, Kind::Solve, state, |state| &state.setup)?);
        by_path.insert(file.path.clone(), file);
    }
    let parts = Parts::new(parts, merge.partial)?;
    if let (Some(dataset), Some(selection)) = (dataset, &merge.data)
        && dataset.content_hash().to_string() != parts.setup.data.hash
    {
        let (data, job) = (&selection.data, &parts.setup.data.name);
        return Err(wrong(format!(
            "{data} has other tasks than the job on {job}; use the same data and the same -i, -n and --start"
        )));
    }
    let (name, mut warnings) = (parts.name(), parts.warnings());
    let state = parts.join_states();
    let mut answers: BTreeMap<String, Outputs> = by_path.into_values().flat_map(|file| file.tasks).collect();
    let tasks: Vec<(String, Outputs)> = match dataset {
        Some(dataset) => {
            let outputs =
                |task: &batt_task::Task| answers.remove(&task.id).unwrap_or_else(|| fallbacks(task));
            let ids = dataset.tasks.iter().map(|task| task.id.clone());
            ids.zip(dataset.tasks.iter().map(outputs)).collect()
        }
        None => {
            let ids = state.tasks.iter().map(|task| task.id.clone());
            ids.filter_map(|id| Some((id.clone(), answers.remove(&id)?))).collect()
        }
    };
    let missing = state.setup.data.tasks.saturating_sub(state.tasks.len());
    if missing > 0 {
        warnings.push(match dataset {
            Some(_) => format!("{} with fallbacks", count(missing, "missing task")),
            None => format!("{} left out; use --data DATA to add fallbacks", count(missing, "missing task")),
        });
    }
    // The state is written first, because it shows that the submission belongs to the job.
    let path = merge.output_state();
    state.write(&path).map_err(JobError::write(&path))?;
    write(merge, &tasks)?;
    let (files, outputs) = (vec![merge.output.clone(), path], tasks.iter().map(|(_, it)| it.len()).sum());
    Ok(Merged { parts: name, tasks: tasks.len(), outputs: Some(outputs), programs: None, files, warnings })
}

fn join_by_id(merge: &Merge, files: Vec<File>, dataset: Option<&Dataset>) -> Result<Merged, JobError> {
    let name = count(files.len(), "submission");
    let answers = unique(files)?;
    let mut warnings = Vec::new();
    let tasks: Vec<(String, Outputs)> = match (dataset, &merge.data) {
        (Some(dataset), Some(selection)) => {
            let data = &selection.data;
            let missing = in_data_set(merge, data, dataset, &answers)?;
            if missing > 0 {
                warnings.push(format!("{} with fallbacks", count(missing, "missing task")));
            }
            let mut answers: BTreeMap<String, Outputs> =
                answers.into_iter().map(|(id, (_, outputs))| (id, outputs)).collect();
            let outputs =
                |task: &batt_task::Task| answers.remove(&task.id).unwrap_or_else(|| fallbacks(task));
            let ids = dataset.tasks.iter().map(|task| task.id.clone());
            ids.zip(dataset.tasks.iter().map(outputs)).collect()
        }
        _ => answers.into_iter().map(|(id, (_, outputs))| (id, outputs)).collect(),
    };
    let state = merge.output_state();
    if state.exists() {
        // The state of the replaced submission does not belong to the new one.
        fs::remove_file(&state).map_err(JobError::write(&state))?;
    }
    write(merge, &tasks)?;
    let (files, outputs) = (vec![merge.output.clone()], tasks.iter().map(|(_, it)| it.len()).sum());
    Ok(Merged { parts: name, tasks: tasks.len(), outputs: Some(outputs), programs: None, files, warnings })
}

/// Returns all tasks by id, each with its file. No task may be in two files.
fn unique(files: Vec<File>) -> Result<BTreeMap<String, (PathBuf, Outputs)>, JobError> {
    let mut answers: BTreeMap<String, (PathBuf, Outputs)> = BTreeMap::new();
    for File { path, tasks } in files {
        let twice: Vec<&str> =
            tasks.keys().filter(|id| answers.contains_key(*id)).map(String::as_str).collect();
        if let Some((other, _)) = twice.first().and_then(|id| answers.get(*id)) {
            let (a, b, ids) = (other.display(), path.display(), listed(&twice));
            return Err(wrong(format!("{a} and {b} both have answers for {ids}; remove them from one file")));
        }
        answers.extend(tasks.into_iter().map(|(id, outputs)| (id, (path.clone(), outputs))));
    }
    Ok(answers)
}

/// Checks that the answers fit the data set. Returns the number of missing tasks.
fn in_data_set(
    merge: &Merge,
    data: &str,
    dataset: &Dataset,
    answers: &BTreeMap<String, (PathBuf, Outputs)>,
) -> Result<usize, JobError> {
    for (id, (path, outputs)) in answers {
        let path = path.display();
        let Some(task) = dataset.get(id) else {
            return Err(wrong(format!("{path} has answers for {id}, which is not a task of {data}")));
        };
        let (found, wanted) = (outputs.len(), task.test.len());
        if found != wanted {
            return Err(wrong(format!(
                "{path}: {id} has {}, but {} in {data}",
                count(found, "output"),
                count(wanted, "test input")
            )));
        }
    }
    let missing = dataset.tasks.iter().filter(|task| !answers.contains_key(&task.id));
    let missing: Vec<&str> = missing.map(|task| task.id.as_str()).collect();
    if !missing.is_empty() && !merge.partial {
        let (n, ids) = (count(missing.len(), "task"), listed(&missing));
        let remedy = "add the files that have them, or use --partial for fallbacks";
        return Err(wrong(format!("missing: {n} of {data}: {ids}; {remedy}")));
    }
    Ok(missing.len())
}

fn write(merge: &Merge, tasks: &[(String, Outputs)]) -> Result<(), JobError> {
    let form = Form::of(&merge.output);
    let mut text = form.start().to_owned();
    for (i, (id, outputs)) in tasks.iter().enumerate() {
        text.push_str(&form.entry(i, id, outputs));
    }
    text.push_str(form.end());
    let written: io::Result<()> = write_atomic(&merge.output, text.as_bytes());
    written.map_err(JobError::write(&merge.output))
}
