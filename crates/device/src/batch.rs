//! Batches: many jobs that a device answers at once.

use std::sync::Arc;

use crate::DeviceError;
use crate::code::{Code, Kind};
use crate::picture::{Answer, MAX_COLOR, Pictures};

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
            if let Some(Code::Answer(instructions)) = code {
                program.words.extend(&instructions.words);
            }
        }
        Program { codes, ..program }
    }

    /// Returns the code of an operation, if the device knows it.
    pub fn code(&self, operation: usize) -> Option<&Code> {
        self.codes.get(operation)?.as_ref()
    }

    /// Returns the words of a job for the kernel that answers it, and whether that is the kernel `label`; `None` if the
    /// device does not know the operation. Kernels do not check the holes, so wrong ones are an error here.
    pub(crate) fn encode(
        &self,
        job: &Job,
        pictures: &Pictures,
    ) -> Result<Option<(bool, [u32; 5])>, DeviceError> {
        let Some(code) = self.code(job.operation as usize) else { return Ok(None) };
        let fits = |(kind, hole): (Option<Kind>, u32)| match kind {
            None => true,
            Some(Kind::Number) => hole <= MAX_COLOR as u32,
            Some(kind) => pictures.kind(hole) == Some(kind),
        };
        if !code.takes().into_iter().zip(job.holes).all(fits) {
            return Err(DeviceError::Holes { operation: job.operation, holes: job.holes });
        }
        let [x, y, input, canvas] = job.holes;
        Ok(Some(match code {
            Code::Answer(_) => (false, [self.starts[job.operation as usize], x, y, input, canvas]),
            Code::Label { options } => (true, [x, *options, 0, 0, 0]),
        }))
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
            let Some(code) = batch.program.code(job.operation as usize) else {
                return Err(nonsense("an answer to an unknown operation"));
            };
            match Answer::read(head, &self.out).map_err(nonsense)? {
                Some(answer) if answer.kind != code.gives() => {
                    return Err(nonsense("an answer of the wrong kind"));
                }
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

#[cfg(test)]
mod tests {
    use batt_dsl::Cx;
    use batt_dsl::template::Template;
    use batt_value::{Arena, Caps, Value};

    use super::*;

    #[test]
    fn wrong_holes_are_an_error() {
        let arena = Arena::new(Caps::STANDARD);
        let mut pictures = Pictures::default();
        for text in ["[1 2 | 3 4]", "{(0, 0), (0, 1)}"] {
            pictures.add(batt_value::parse(text, &arena, &|_| None).unwrap()).unwrap();
        }
        let code = |text: &str, second: Kind| {
            let template = Template::parse(text, &mut Cx::new(&arena, u64::MAX, None)).unwrap();
            Code::new(&template, [Kind::Grid, second, Kind::Grid, Kind::Grid], 1 << 20)
        };
        let program = Program::new(vec![
            code("paint(x, y)", Kind::Object),
            code("ofcolor(x, y)", Kind::Number),
            code("objects(x, T, T, T)", Kind::Grid),
            code("hconcat(x, y)", Kind::Grid),
            code("merge(x)", Kind::Grid),
        ]);
        let encode = |operation, x, y| {
            let job = Job { operation, holes: [x, y, u32::MAX, u32::MAX] };
            program.encode(&job, &pictures).map(|words| words.is_some()).ok()
        };
        // No picture is an object; the others have a wrong number or a wrong kind.
        for (operation, x, y) in
            [(0, 0, 1), (0, 0, 0), (1, 2, 3), (1, 1, 3), (1, 0, 15), (2, 1, 0), (3, 0, 2)]
        {
            assert_eq!(encode(operation, x, y), None, "{operation} on {x} and {y}");
        }
        for (operation, x, y) in [(1, 0, 14), (2, 0, 99), (3, 0, 0)] {
            assert_eq!(encode(operation, x, y), Some(true), "{operation} on {x} and {y}");
        }
        assert_eq!((encode(4, 9, 9), encode(5, 9, 9)), (Some(false), Some(false)));
    }

    #[test]
    fn labels_of_another_size_fail() {
        let arena = Arena::new(Caps::STANDARD);
        let grid = |text: &str| batt_value::parse(text, &arena, &|_| None).unwrap();
        // Two labels for a grid of 1 × 2 cells.
        let answers = Answers {
            heads: vec![[1 << 8 | 2 << 16 | 4 << 24, 0, 9, 0, 0, 0, 0, 0]],
            out: vec![1 << 16],
            ..Answers::default()
        };
        let value = |x: Value<'_>| answers.get(0).unwrap().value(&arena, x).is_ok();
        assert!(value(grid("[1 2]")));
        assert!(!value(grid("[1 2 | 3 4]")) && !value(grid("[1 | 2]")) && !value(Value::Int(1)));
    }
}
