//! The tasks of a job, selected and checked before the work begins.

use batt_base::number::count;
use batt_record as record;
use batt_task::{ContentHasher, Index, LoadError, Options, Problem, Select, Task};

use crate::control::Control;
use crate::description::{Job, TaskSelection, Work};
use crate::error::JobError;
use crate::pool::Pool;
use crate::shard::Shard;

/// The selected tasks that can be read.
pub(crate) struct Tasks {
    pub(crate) index: Index,
    /// Broken tasks that are skipped.
    pub(crate) skipped: Vec<Problem>,
    /// Number of tasks of the whole data set, broken ones included.
    pub(crate) in_data_set: usize,
    /// Content hash of the tasks; empty if the job needs none.
    pub(crate) hash: String,
    /// The shard that they are, without the identity of the whole job.
    pub(crate) shard: Option<record::Shard>,
}

impl Tasks {
    /// Returns the index of the whole data set.
    pub(crate) fn index(selection: &TaskSelection) -> Result<Index, JobError> {
        let options = Options { skip_bad: selection.skip_bad, select: Select::ALL };
        let index = batt_task::index(&selection.data, &options);
        let index = index.map_err(|error| JobError::load(error, selection.skip_bad))?;
        tracing::info!(data = selection.data, tasks = index.len(), "indexed tasks");
        Ok(index)
    }

    /// Selects tasks, in the order of the data set, and reads each once, so that broken ones are reported before
    /// anything runs. A run that writes no file needs no content hash.
    pub(crate) fn select(index: Index, job: &Job, pool: &Pool, control: &Control) -> Result<Tasks, JobError> {
        let selection = &job.tasks;
        let hashed = !matches!(job.work, Work::Run(_)) || !job.save.is_empty();
        let load = |error| JobError::load(error, selection.skip_bad);
        let in_data_set = index.len() + index.problems().len();
        let mut index = index.select(&selection.select()).map_err(load)?;
        let (mut hasher, mut whole, mut n_read) = (ContentHasher::new(), ContentHasher::new(), 0);
        let add = |task: &Task| {
            if hashed && selection.shard.is_none_or(|shard| shard.has(n_read)) {
                hasher.add(task);
            }
            if hashed && selection.shard.is_some() {
                whole.add(task);
            }
            n_read += 1;
        };
        let bad = pool.install(|| index.check(|| control.is_stopped(), add));
        // Without all tasks there is no identity, so the files of the same job would seem to be those of another.
        if hashed && n_read + bad.len() < index.len() {
            return Err(JobError::Stopped);
        }
        let skipped: Vec<Problem> = index.problems().iter().chain(&bad).cloned().collect();
        if !bad.is_empty() && (!selection.skip_bad || bad.len() == index.len()) {
            return Err(load(LoadError::Bad { problems: skipped }));
        }
        for problem in &skipped {
            control.warn(format!("skipped {problem}"));
        }
        let bad = bad.iter().filter_map(|problem| problem.task.as_deref()).collect();
        let index = index.without(&bad);
        if index.is_empty() {
            return Err(JobError::Data(format!(
                "no tasks left: --start and -n exclude all {} of {}",
                count(in_data_set, "task"),
                selection.data
            )));
        }
        let hash = |hasher: &ContentHasher| if hashed { hasher.finish().to_string() } else { String::new() };
        let shard = selection.shard.map(|Shard { index: number, of }| record::Shard {
            index: number,
            of,
            job: String::new(),
            hash: hash(&whole),
            tasks: index.len(),
        });
        let hash = hash(&hasher);
        let index = match selection.shard {
            Some(shard) => index.retain(|place| shard.has(place)),
            None => index,
        };
        tracing::info!(
            data = selection.data,
            tasks = index.len(),
            skipped = skipped.len(),
            hash,
            "checked tasks"
        );
        Ok(Tasks { index, skipped, in_data_set, hash, shard })
    }

    /// Returns the number of tasks that the submission is compared with: those of the data set, and the shard of which it
    /// is one.
    pub(crate) fn of(&self) -> (usize, Option<Shard>) {
        let shard = self.shard.as_ref().map(|shard| Shard { index: shard.index, of: shard.of });
        (self.in_data_set, shard)
    }

    /// Loads all tasks into memory.
    pub(crate) fn load(&self) -> Result<Vec<Task>, JobError> {
        self.index.tasks(0).collect::<Result<_, _>>().map_err(|error| JobError::load(error, true))
    }
}
