//! Batches for measurements.

use std::sync::Arc;

use batt_base::Rng;
use batt_device::{Answers, Batch, Code, Job};
use batt_dsl::Cx;
use batt_exec::kernel;
use batt_task::Grid;
use batt_value::{Arena, Value, fingerprint};

use super::super::CAPS;
use super::super::operation::{Operation, operations};
use super::{Case, OperationInfo, cases, job, program};

/// A batch for measurements: operations on grids, on the CPU and on a device.
pub struct Workload<'a> {
    operations: Vec<Operation<'a>>,
    cases: Vec<(usize, Case<'a>)>,
    batch: Batch,
}

impl<'a> Workload<'a> {
    /// Makes `n_jobs` jobs of one operation, or of all that devices know in turn. Returns `None` if devices do not
    /// know the operation, or if the grids are of no use for it.
    pub fn new(
        arena: &'a Arena,
        grids: &[Grid],
        operation: Option<&OperationInfo>,
        n_jobs: usize,
    ) -> Option<Workload<'a>> {
        let operations = operations(&[0], &mut Cx::new(arena, u64::MAX, None)).ok()?;
        let program = Arc::new(program(&operations));
        let inputs: Vec<Value<'a>> =
            grids.iter().filter_map(|grid| arena.grid(grid.width(), grid.cells()).ok()).collect();
        let mut random = Rng::from_seed(1);
        let mut batch = Batch { program: program.clone(), ..Batch::default() };
        let known = |place: &usize| match (program.code(*place), operation) {
            // Labels are a kernel of their own, so they do not belong to the mix.
            (code, None) => matches!(code, Some(Code::Answer(_))),
            (code, Some(wanted)) => code.is_some() && OperationInfo::new(&operations[*place]) == *wanted,
        };
        let mut all: Vec<(usize, Case<'a>)> = Vec::new();
        for place in (0..operations.len()).filter(known) {
            all.extend(
                self::cases(&operations[place], &inputs, arena, &mut random)
                    .into_iter()
                    .map(|case| (place, case)),
            );
        }
        random.shuffle(&mut all);
        let mut made: Vec<(usize, Case<'a>, Job)> = Vec::new();
        for (place, case) in all {
            if made.len() < n_jobs
                && let Some(job) = job(place, &case, &mut batch.pictures)
            {
                made.push((place, case, job));
            }
        }
        // Large batches have several jobs with the same pictures, as in a search.
        let mut cases = Vec::new();
        for &(place, case, job) in made.iter().cycle().take(if made.is_empty() { 0 } else { n_jobs }) {
            cases.push((place, case));
            batch.jobs.push(job);
        }
        (!cases.is_empty()).then_some(Workload { operations, cases, batch })
    }

    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Computes all jobs on one thread, with the fast kernels. Returns a sum over the results.
    pub fn compute(&self) -> u64 {
        let mut scratch = Arena::new(CAPS);
        let mut sum = 0u64;
        for cases in self.cases.chunks(64) {
            scratch.reset();
            let mut cx = Cx::new(&scratch, u64::MAX, None).with_table(kernel::table());
            for (place, case) in cases {
                let value = self.operations[*place].template.run(&mut cx, |hole| case[hole as usize]);
                sum = sum.wrapping_add(value.map_or(0, fingerprint));
            }
        }
        sum
    }

    /// Reads all answers as a search does, and computes the jobs that were passed on. Returns a sum over the results,
    /// the same as [`compute`](Workload::compute).
    pub fn read(&self, answers: &Answers) -> u64 {
        let mut scratch = Arena::new(CAPS);
        let mut sum = 0u64;
        for (job, (place, case)) in self.cases.iter().enumerate() {
            if job % 64 == 0 {
                scratch.reset();
            }
            let given = answers.get(job).and_then(|answer| answer.fingerprint(&scratch, case[0]).ok());
            let given = given.unwrap_or_else(|| {
                let mut cx = Cx::new(&scratch, u64::MAX, None).with_table(kernel::table());
                let value = self.operations[*place].template.run(&mut cx, |hole| case[hole as usize]);
                value.map_or(0, fingerprint)
            });
            sum = sum.wrapping_add(given);
        }
        sum
    }
}
