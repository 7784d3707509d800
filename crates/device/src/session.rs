//! An opened device: the compiled kernels and their buffers.

use std::path::Path;
use std::sync::Arc;

use zerocopy::IntoBytes;

use crate::batch::{Answers, Batch, BatchTimes, Job, Program};
use crate::code::{Code, Instructions, Kind};
use crate::opencl::{Buffer, Device, DeviceError, Kernel, Queue, Times};
use crate::picture::Pictures;

/// The source of the kernels.
pub const SOURCE: &str = include_str!("kernel.cl");
const OPTIONS: &str = "-cl-std=CL1.2";
/// Lanes of a work-group.
const LANES: usize = 32;
/// The most words of a value.
const VALUE_WORDS: usize = 32 * 32 / 4 + 32;
/// The most words for the values of a batch. Values that do not fit are passed on.
const MAX_OUT_WORDS: usize = 1 << 25;

/// Something that answers batches: a device, or in tests a stand-in that fails.
pub trait Answerer: Send {
    /// Answers a batch. After an error the answerer is not asked again.
    fn answer(&mut self, batch: &Batch) -> Result<Answers, DeviceError>;
}

/// A device with compiled kernels. One thread uses it at a time.
pub struct Session {
    queue: Queue,
    answer: Kernel,
    label: Kernel,
    buffers: Buffers,
}

/// Buffers that grow as needed, in the order of the kernels' arguments.
#[derive(Default)]
struct Buffers {
    data: Option<Buffer>,
    pictures: Option<Buffer>,
    jobs: Option<Buffer>,
    code: Option<Buffer>,
    answers: Option<Buffer>,
    out: Option<Buffer>,
}

impl Session {
    /// Compiles the kernels for a device; `cache` is a folder for the results.
    pub fn open(device: &Device, cache: Option<&Path>) -> Result<Session, DeviceError> {
        Session::open_source(device, SOURCE, cache)
    }

    /// Compiles other kernels. Tests use this to see whether a mistake is found.
    pub fn open_source(device: &Device, source: &str, cache: Option<&Path>) -> Result<Session, DeviceError> {
        let queue = device.open(source, OPTIONS, cache)?;
        let (answer, label) = (queue.kernel("answer")?, queue.kernel("label")?);
        let mut session = Session { queue, answer, label, buffers: Buffers::default() };
        session.warm_up()?;
        Ok(session)
    }

    /// Runs each kernel once. Some drivers compile a kernel only when it runs, which takes PoCL ten seconds; the first
    /// real batch must not look like a hang.
    fn warm_up(&mut self) -> Result<(), DeviceError> {
        // Register 0 = 0, and a number in register 0 as the result.
        let words = vec![[6, 0], [(Kind::Number as u32) << 8, 0]];
        let zero = Code::Answer(Instructions { words, takes: [None; 4], gives: Kind::Number });
        let program = Arc::new(Program::new(vec![Some(zero), Some(Code::Label { options: 0 })]));
        // One black cell.
        let pictures = Pictures { heads: vec![[0, 0, 1 | 1 << 8, 0]], data: vec![0] };
        let jobs = [0, 1].map(|operation| Job { operation, holes: [0; 4] }).to_vec();
        self.answer(&Batch { program, pictures, jobs }).map(drop)
    }

    /// Returns whether the kernels came from the cache, without a compilation.
    pub fn from_cache(&self) -> bool {
        self.queue.from_cache()
    }

    /// Answers the jobs of one kernel.
    fn launch(&mut self, batch: &Batch, jobs: &[[u32; 5]], label: bool) -> Result<Launched, DeviceError> {
        let mut times = BatchTimes::default();
        let Session { queue, buffers, .. } = self;
        let capacity = (2 + jobs.len() * VALUE_WORDS).min(MAX_OUT_WORDS);
        let answer_bytes = jobs.len() * size_of::<[u32; 8]>();
        let mut upload = |slot: &mut Option<Buffer>, bytes: &[u8], room: usize| {
            let buffer = ensure(queue, slot, room.max(bytes.len()))?;
            times.upload += queue.write(buffer, bytes)?.busy();
            Ok::<_, DeviceError>(())
        };
        upload(&mut buffers.data, batch.pictures.data.as_bytes(), 0)?;
        upload(&mut buffers.pictures, batch.pictures.heads.as_bytes(), 0)?;
        upload(&mut buffers.jobs, jobs.as_bytes(), 0)?;
        upload(&mut buffers.code, batch.program.words.as_bytes(), 0)?;
        upload(&mut buffers.answers, &[], answer_bytes)?;
        upload(&mut buffers.out, [2, capacity as u32].as_bytes(), capacity * size_of::<u32>())?;
        let Buffers {
            data: Some(data),
            pictures: Some(pictures),
            jobs: Some(specs),
            code: Some(code),
            answers: Some(answers),
            out: Some(out),
        } = &self.buffers
        else {
            return Err(DeviceError::OutOfMemory);
        };
        let kernel = if label { &self.label } else { &self.answer };
        let args = [data, pictures, specs, code, answers, out];
        times.kernel += self.queue.run(kernel, &args, jobs.len(), LANES)?.busy();
        let mut heads = vec![[0u32; 8]; jobs.len()];
        let busy = |times: Times| times.busy();
        times.download += busy(self.queue.read(answers, heads.as_mut_bytes())?);
        let mut used = [0u32; 1];
        times.download += busy(self.queue.read(out, used.as_mut_bytes())?);
        let mut values = vec![0u32; (used[0] as usize).min(capacity)];
        times.download += busy(self.queue.read(out, values.as_mut_bytes())?);
        Ok(Launched { heads, values, times })
    }
}

struct Launched {
    heads: Vec<[u32; 8]>,
    values: Vec<u32>,
    times: BatchTimes,
}

impl Answerer for Session {
    fn answer(&mut self, batch: &Batch) -> Result<Answers, DeviceError> {
        let mut answers = Answers::passed_on(batch.jobs.len());
        for label in [false, true] {
            let (mut places, mut jobs) = (Vec::new(), Vec::new());
            for (place, job) in batch.jobs.iter().enumerate() {
                if let Some((is_label, words)) = batch.program.encode(job, &batch.pictures)?
                    && is_label == label
                {
                    places.push(place);
                    jobs.push(words);
                }
            }
            if jobs.is_empty() {
                continue;
            }
            let Launched { heads, values, times } = self.launch(batch, &jobs, label)?;
            let offset = answers.out.len() as u32;
            for (place, mut head) in places.into_iter().zip(heads) {
                head[6] = head[6].wrapping_add(offset);
                answers.heads[place] = head;
            }
            answers.out.extend(values);
            answers.times.upload += times.upload;
            answers.times.kernel += times.kernel;
            answers.times.download += times.download;
        }
        Ok(answers)
    }
}

/// Returns a buffer with room for this number of bytes.
fn ensure<'b>(queue: &Queue, slot: &'b mut Option<Buffer>, bytes: usize) -> Result<&'b Buffer, DeviceError> {
    let kept = slot.take().filter(|buffer| buffer.bytes() >= bytes);
    let buffer = match kept {
        Some(buffer) => buffer,
        None => queue.buffer(bytes.next_power_of_two())?,
    };
    Ok(slot.insert(buffer))
}
