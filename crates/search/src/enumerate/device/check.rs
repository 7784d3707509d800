//! Compares operations on a device with the CPU.

use std::sync::Arc;

use batt_base::Rng;
use batt_device::{Answerer, Batch, DeviceError, Pictures, Program};
use batt_dsl::Cx;
use batt_dsl::template::Hole;
use batt_task::Grid;
use batt_value::{Arena, Fail, Value, fingerprint, order};

use super::super::CAPS;
use super::super::kind::Kind;
use super::super::operation::{Operation, operations};
use super::super::pool::copy;
use super::{Case, OperationInfo, cases, job, program, random_grid};

/// The comparison of one operation on a device with the CPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperationCheck {
    /// The operation. If devices do not know it, the other fields are 0.
    pub operation: OperationInfo,
    /// Jobs with the same value, bill and fingerprint.
    pub same: usize,
    /// Jobs that the device passed on, and that have no value that it can hold.
    pub passed_on: usize,
    /// Jobs that the device passed on although it could hold the value.
    pub needless: usize,
    pub wrong: usize,
    /// The first wrong answer.
    pub problem: Option<String>,
}

/// Compares every operation of enumeration on a device with the primitives on the CPU, on the given grids and on
/// `n_random` random ones: values, sizes, bills and fingerprints.
pub fn check_operations(
    answerer: &mut dyn Answerer,
    grids: &[Grid],
    n_random: usize,
    seed: u64,
) -> Result<Vec<OperationCheck>, DeviceError> {
    let arena = Arena::new(CAPS);
    let mut random = Rng::from_seed(seed);
    let mut inputs: Vec<Value<'_>> =
        grids.iter().filter_map(|grid| arena.grid(grid.width(), grid.cells()).ok()).collect();
    inputs.extend((0..n_random).filter_map(|_| random_grid(&arena, &mut random).ok()));
    let unusable =
        |fail: Fail| DeviceError::Nonsense { reason: format!("the operations cannot be made: {fail}") };
    let operations = operations(&[0, 1, 2, 3, 8], &mut Cx::new(&arena, u64::MAX, None)).map_err(unusable)?;
    let program = Arc::new(program(&operations));
    let mut checks = Vec::new();
    for (place, operation) in operations.iter().enumerate() {
        let mut check = OperationCheck::new(OperationInfo::new(operation));
        if check.operation.on_device {
            let cases = cases(operation, &inputs, &arena, &mut random);
            for cases in cases.chunks(BATCH) {
                check.run(operation, place, &program, cases, answerer)?;
            }
        }
        checks.push(check);
    }
    Ok(checks)
}

/// Jobs in a batch of the comparison.
const BATCH: usize = 4096;

impl OperationCheck {
    fn new(operation: OperationInfo) -> OperationCheck {
        OperationCheck { operation, same: 0, passed_on: 0, needless: 0, wrong: 0, problem: None }
    }

    fn run(
        &mut self,
        operation: &Operation<'_>,
        place: usize,
        program: &Arc<Program>,
        cases: &[Case<'_>],
        answerer: &mut dyn Answerer,
    ) -> Result<(), DeviceError> {
        let mut batch = Batch { program: program.clone(), ..Batch::default() };
        let mut asked = Vec::new();
        for case in cases {
            if let Some(job) = job(place, case, &mut batch.pictures) {
                batch.jobs.push(job);
                asked.push(case);
            }
        }
        let answers = answerer.answer(&batch)?;
        answers.check(&batch)?;
        let mut arena = Arena::new(CAPS);
        for (job, case) in asked.iter().enumerate() {
            arena.reset();
            let mut cx = Cx::new(&arena, u64::MAX, None);
            let fill = |hole: Hole| copy(case[hole as usize], &arena).unwrap_or(Value::None);
            let expected = operation.template.run(&mut cx, fill);
            let Some(answer) = answers.get(job) else {
                let could = expected.is_ok_and(|value| {
                    matches!(value, Value::Int(_))
                        || operation.gives == Kind::Objects
                        || Pictures::default().add(value).is_some()
                });
                *(if could { &mut self.needless } else { &mut self.passed_on }) += 1;
                continue;
            };
            let problem = match (expected, answer.value(&arena, case[0])) {
                (Err(fail), _) => Some(format!("the CPU fails: {fail}")),
                (_, Err(fail)) => Some(format!("the answer is not a value: {fail}")),
                (Ok(expected), Ok(value)) if !order::identical(expected, value) => {
                    Some(format!("{value:?} instead of {expected:?}"))
                }
                _ if answer.bill != cx.used() => {
                    Some(format!("a bill of {} instead of {}", answer.bill, cx.used()))
                }
                (Ok(expected), _)
                    if answer.fingerprint(&arena, case[0]).ok() != Some(fingerprint(expected)) =>
                {
                    Some("another fingerprint".to_owned())
                }
                (Ok(expected), _)
                    if operation.gives != Kind::Objects && answer.is_compact() != is_compact(expected) =>
                {
                    Some("another form".to_owned())
                }
                _ => None,
            };
            match problem {
                None => self.same += 1,
                Some(problem) => {
                    self.wrong += 1;
                    self.problem.get_or_insert_with(|| format!("{problem}, for x = {:?}", case[0]));
                }
            }
        }
        Ok(())
    }
}

fn is_compact(value: Value<'_>) -> bool {
    !matches!(value, Value::Set(_))
}
