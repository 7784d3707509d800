//! Batches: many jobs that a device answers at once.

use std::sync::Arc;

use crate::DeviceError;
use crate::code::{Code, Kind};
use crate::picture::{Answer, Pictures};

/// The code of a list of operations.
#[derive(Debug, Default)]
pub struct Program {
    codes: Vec<Option<Code>>,
    /// The instructions of all operations, one after the other.
    pub(crate) words: Vec<[u32; 2]>,
    /// The first instruction of each operation.
    starts: Vec<u32>,
}

impl Program {
    /// Joins the codes of operations; `None` for an operation that the device does not know.
    pub fn new(codes: Vec<Option<Code>>) -> Program {
        let mut program = Program { codes: Vec::new(), words: Vec::new(), starts: Vec::new() };
        for code in &codes {
            program.starts.push(program.words.len() as u32);
            if let Some(Code::Answer { words, .. }) = code {
                program.words.extend(words);
            }
        }
        Program { codes, ..program }
    }

    /// Returns the code of an operation, if the device knows it.
    pub fn code(&self, operation: usize) -> Option<&Code> {
        self.codes.get(operation)?.as_ref()
    }

    /// Returns the words of a job for the kernel that answers it, and whether that is the kernel `label`.
    pub(crate) fn encode(&self, job: &Job) -> Option<(bool, [u32; 5])> {
        let [x, y, input, canvas] = job.holes;
        Some(match self.code(job.operation as usize)? {
            Code::Answer { .. } => (false, [self.starts[job.operation as usize], x, y, input, canvas]),
            Code::Label { options } => (true, [x, *options, 0, 0, 0]),
        })
    }
}

/// An operation on pictures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Job {
    pub operation: u32,
    /// The pictures in the holes `x`, `y`, `I` and `W`, by number; for a colour, the colour itself. Holes that the
    /// operation does not have are ignored.
    pub holes: [u32; 4],
}

/// Jobs that are answered together.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub program: Arc<Program>,
    pub pictures: Pictures,
    pub jobs: Vec<Job>,
}

/// The parts of the time that a device took for a batch, in nanoseconds of its own clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BatchTimes {
    pub upload: u64,
    pub kernel: u64,
    pub download: u64,
}

/// The answers to a batch.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    pub(crate) heads: Vec<[u32; 8]>,
    pub(crate) out: Vec<u32>,
    pub times: BatchTimes,
}

/// The answer that a job was passed on.
const PASSED_ON: [u32; 8] = [1, 0, 0, 0, 0, 0, 0, 0];

impl Answers {
    /// Returns answers that pass on this number of jobs.
    pub fn passed_on(n_jobs: usize) -> Answers {
        Answers { heads: vec![PASSED_ON; n_jobs], ..Answers::default() }
    }

    /// Removes all answers but the first `n`. Tests use this for a device that answers too few jobs.
    pub fn truncate(&mut self, n: usize) {
        self.heads.truncate(n);
    }

    /// Changes every value, but not its size. Tests use this for a device that answers nonsense.
    pub fn corrupt(&mut self) {
        for head in &mut self.heads {
            // The fingerprint and the number.
            head[4] ^= 1;
            head[7] ^= 1;
        }
        // The first word counts the words, and the second is the size.
        self.out.iter_mut().skip(2).for_each(|word| *word ^= 1);
    }

    /// Checks that there is an answer for each job, of the kind that its operation gives, with all its words.
    pub fn check(&self, batch: &Batch) -> Result<(), DeviceError> {
        let nonsense = |reason: &str| DeviceError::Nonsense { reason: reason.to_owned() };
        if self.heads.len() != batch.jobs.len() {
            let (n, of) = (self.heads.len(), batch.jobs.len());
            return Err(nonsense(&format!("{n} answers to {of} jobs")));
        }
        for (job, head) in batch.jobs.iter().zip(&self.heads) {
            let gives = match batch.program.code(job.operation as usize) {
                Some(Code::Answer { gives, .. }) => *gives,
                Some(Code::Label { .. }) => Kind::Labels,
                None => return Err(nonsense("an answer to an unknown operation")),
            };
            match Answer::read(head, &self.out).map_err(nonsense)? {
                Some(answer) if answer.kind != gives => return Err(nonsense("an answer of the wrong kind")),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the answer to a job; `None` if it was passed on.
    #[inline]
    pub fn get(&self, job: usize) -> Option<Answer<'_>> {
        Answer::read(self.heads.get(job)?, &self.out).ok().flatten()
    }

    /// Returns the number of jobs that were answered, not passed on.
    pub fn n_answered(&self) -> usize {
        self.heads.iter().filter(|head| head[0] & 0xff == 0).count()
    }

    pub fn len(&self) -> usize {
        self.heads.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }
}
