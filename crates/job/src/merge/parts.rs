//! The shards of one job: checked, complete and in order.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use batt_base::number::count;
use batt_record::{self as record, CurvePoint, Kind, Record, Setup, State};

use super::{listed, wrong};
use crate::error::JobError;
use crate::identity::{describe, difference, whole};
use crate::shard::Shard;

/// The document of one shard.
pub(super) struct Part<T> {
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
    pub(super) shard: record::Shard,
    setup: Setup,
    pub(super) document: T,
}

impl<T> Part<T> {
    pub(super) fn new(
        path: &Path,
        kind: Kind,
        document: T,
        setup: impl Fn(&T) -> &Setup,
    ) -> Result<Part<T>, JobError> {
        let setup = setup(&document).clone();
        let Some(shard) = setup.data.shard.clone() else {
            let (path, job) = (path.display(), describe(kind.name(), &setup));
            return Err(wrong(format!("{path} is not a shard, but a whole job: {job}; remove it")));
        };
        let numbers = Shard { index: shard.index, of: shard.of };
        if let Err(error) = numbers.check() {
            return Err(wrong(format!("{} is damaged: {error}", path.display())));
        }
        Ok(Part { path: path.to_owned(), kind, shard, setup, document })
    }

    fn name(&self) -> String {
        format!("shard {} of {}", self.shard.index, self.shard.of)
    }
}

/// The shards of one job, in order.
pub(super) struct Parts<T> {
    pub(super) list: Vec<Part<T>>,
    /// Number of shards of the job.
    pub(super) of: usize,
    /// Shards that are not here, without those that have no tasks.
    pub(super) missing: Vec<usize>,
    /// The identity of the whole job.
    pub(super) job: String,
    /// The setup of the whole job.
    pub(super) setup: Setup,
}

impl<T> Parts<T> {
    /// Checks that the parts belong to one job, that no shard is there twice and, unless `partial`, that none is missing.
    pub(super) fn new(mut list: Vec<Part<T>>, partial: bool) -> Result<Parts<T>, JobError> {
        let Some(first) = list.first() else { return Err(wrong("there are no files to merge".to_owned())) };
        for part in &list {
            same_job(first, part)?;
        }
        let (of, job, tasks) = (first.shard.of, first.shard.job.clone(), first.shard.tasks);
        list.sort_by_key(|part| part.shard.index);
        for both in list.windows(2) {
            if both[0].shard.index == both[1].shard.index {
                let (a, b) = (both[0].path.display(), both[1].path.display());
                return Err(wrong(format!("{a} and {b} are both {}; give each shard once", both[0].name())));
            }
        }
        let here: BTreeSet<usize> = list.iter().map(|part| part.shard.index).collect();
        let missing = (1..=of.min(tasks)).filter(|index| !here.contains(index)).collect();
        let setup = setup(&list);
        let parts = Parts { list, of, missing, job, setup };
        match parts.missing_shards() {
            Some((shards, pronoun)) if !partial => {
                Err(wrong(format!("missing: {shards}; add {pronoun}, or use --partial")))
            }
            _ => Ok(parts),
        }
    }

    /// Describes the missing shards, and the files to add.
    fn missing_shards(&self) -> Option<(String, &'static str)> {
        let numbers: Vec<String> = self.missing.iter().map(ToString::to_string).collect();
        let of = self.of;
        match &numbers[..] {
            [] => None,
            [one] => Some((format!("shard {one} of {of}"), "its file")),
            several => Some((format!("shards {} of {of}", listed(several)), "their files")),
        }
    }

    /// Returns what the parts are, for a summary.
    pub(super) fn name(&self) -> String {
        let n = self.list.len();
        let shards =
            if n == self.of { count(n, "shard") } else { format!("{n} of {}", count(self.of, "shard")) };
        let kind = self.list.first().map_or(Kind::Solve, |part| part.kind);
        format!("{shards} of {} of {}", kind.name(), self.setup.data.name)
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        let missing = self.missing_shards().map(|(shards, _)| format!("missing: {shards}"));
        missing.into_iter().collect()
    }

    /// Returns the items of all shards in the order of the whole job, each with the number of its part. Shards have a
    /// prefix of their items, so the place of each is known.
    pub(super) fn in_order<I>(&self, items: Vec<Vec<I>>) -> Vec<(usize, I)> {
        let mut places: Vec<(usize, usize, I)> = Vec::new();
        for (number, (part, items)) in self.list.iter().zip(items).enumerate() {
            let place = |k: usize| k * part.shard.of + part.shard.index - 1;
            places.extend(items.into_iter().enumerate().map(|(k, item)| (place(k), number, item)));
        }
        places.sort_by_key(|(place, ..)| *place);
        places.into_iter().map(|(_, number, item)| (number, item)).collect()
    }
}

impl Parts<Record> {
    /// Returns a warning about shards that were stopped before their end.
    pub(super) fn unfinished(&self) -> Option<String> {
        let stopped = self.list.iter().filter(|part| !part.document.finished);
        let paths: Vec<String> = stopped.map(|part| part.path.display().to_string()).collect();
        (!paths.is_empty()).then(|| format!("not finished: {}", listed(&paths)))
    }
}

impl Parts<State> {
    /// Joins the states. The plain job continues from the result.
    pub(super) fn join_states(mut self) -> State {
        let states: Vec<State> =
            self.list.iter_mut().map(|part| std::mem::take(&mut part.document)).collect();
        let curves: Vec<(f64, &[CurvePoint])> = states.iter().map(|it| (it.seconds, &it.curve[..])).collect();
        let (curve, seconds) = (join_curves(&curves), states.iter().map(|it| it.seconds).sum());
        let tasks = self.in_order(states.into_iter().map(|it| it.tasks).collect());
        let tasks = tasks.into_iter().map(|(_, task)| task).collect();
        State { job: self.job, setup: self.setup, seconds, curve, tasks, ..State::default() }
    }
}

fn same_job<T>(first: &Part<T>, part: &Part<T>) -> Result<(), JobError> {
    let (a, b) = (first.path.display(), part.path.display());
    if first.shard.job != part.shard.job {
        let (ours, theirs) = (whole(&first.setup), whole(&part.setup));
        let (job, difference) = (describe(part.kind.name(), &theirs), difference(&ours, &theirs));
        return Err(wrong(format!(
            "{b} belongs to another job than {a}: {job}, with {difference}; remove one of them"
        )));
    }
    if first.shard.of != part.shard.of {
        let (ours, theirs) = (first.name(), part.name());
        return Err(wrong(format!("{a} is {ours}, but {b} is {theirs}; use shards of the same number")));
    }
    Ok(())
}

/// Returns the setup of the whole job. The effort is not part of the identity of a job, so shards may differ in it; the
/// largest counts.
fn setup<T>(list: &[Part<T>]) -> Setup {
    let mut setup = list.first().map(|part| whole(&part.setup)).unwrap_or_default();
    for part in list {
        let (ours, theirs) = (&mut setup.options, &part.setup.options);
        ours.fuel_per_task = ours.fuel_per_task.zip(theirs.fuel_per_task).map(|(a, b)| a.max(b));
        ours.budget = largest(ours.budget, theirs.budget);
        ours.timeout = largest(ours.timeout, theirs.timeout);
    }
    setup
}

fn largest(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.zip(b).map(|(a, b)| a.max(b)).or(a).or(b)
}

/// Joins the curves of shards, each with its duration, as if they had run one after the other.
pub(super) fn join_curves(curves: &[(f64, &[CurvePoint])]) -> Vec<CurvePoint> {
    let mut joined = Vec::new();
    let mut start = CurvePoint { seconds: 0.0, solved_on_demos: 0, expected_outputs: 0.0, tried: 0 };
    for (seconds, curve) in curves {
        let point = |it: &CurvePoint| CurvePoint {
            seconds: start.seconds + it.seconds,
            solved_on_demos: start.solved_on_demos + it.solved_on_demos,
            expected_outputs: start.expected_outputs + it.expected_outputs,
            tried: start.tried + it.tried,
        };
        let points: Vec<CurvePoint> = curve.iter().map(point).collect();
        let end = start.seconds + seconds;
        if let Some(last) = points.last() {
            start = last.clone();
        }
        start.seconds = end;
        joined.extend(points);
    }
    joined
}
