//! A queue of one device: memory, kernels, and commands that run one after the other.

use std::ffi::CString;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use super::api::Handle;
use super::device::Device;
use super::error::{DeviceError, check};
use super::object::{Object, number};

const TRUE: u32 = 1;
const MEM_READ_WRITE: u64 = 1;
const INVALID_KERNEL_NAME: i32 = -46;
const KERNEL_NUM_ARGS: u32 = 0x1191;
const KERNEL_WORK_GROUP_SIZE: u32 = 0x11b0;
const KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: u32 = 0x11b3;
const PROFILING_COMMAND_QUEUED: u32 = 0x1280;
const PROFILING_COMMAND_START: u32 = 0x1282;
const PROFILING_COMMAND_END: u32 = 0x1283;

/// A program on a device, and the queue of its commands. One thread uses it at a time.
///
/// Every command returns when the device has done it.
pub struct Queue {
    device: Device,
    context: Arc<Object>,
    queue: Object,
    program: Object,
    from_cache: bool,
}

/// Memory of a device. Freed when dropped.
pub struct Buffer {
    memory: Object,
    bytes: usize,
    context: Arc<Object>,
}

/// A function of a program that a device can run.
pub struct Kernel {
    kernel: Object,
    n_args: usize,
    max_lanes: usize,
    lane_multiple: usize,
    context: Arc<Object>,
}

/// When a command was queued, started and ended, in nanoseconds on the clock of the device.
///
/// A command with nothing to do, such as a copy of no bytes, has three zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    pub queued: u64,
    pub started: u64,
    pub ended: u64,
}

impl Times {
    /// Returns how long the device worked, in nanoseconds.
    pub fn busy(&self) -> u64 {
        self.ended.saturating_sub(self.started)
    }
}

impl Queue {
    pub(super) fn new(
        device: Device,
        context: Object,
        queue: Object,
        program: Object,
        from_cache: bool,
    ) -> Queue {
        Queue { device, context: Arc::new(context), queue, program, from_cache }
    }

    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns whether the program came from the cache, without a compilation.
    pub fn from_cache(&self) -> bool {
        self.from_cache
    }

    /// Returns a kernel of the program. All its arguments have to be buffers.
    pub fn kernel(&self, name: &str) -> Result<Kernel, DeviceError> {
        let api = self.device.api();
        let missing = || DeviceError::NoKernel { name: name.to_owned() };
        let c_name = CString::new(name).map_err(|_| missing())?;
        // SAFETY: The program exists, and the name ends with a zero byte.
        let create = |code| unsafe { (api.create_kernel)(self.program.handle(), c_name.as_ptr(), code) };
        // SAFETY: The new kernel is ours.
        let kernel = unsafe { Object::create("clCreateKernel", api.release_kernel, create) };
        let kernel = kernel.map_err(|error| match error {
            DeviceError::Driver { code: INVALID_KERNEL_NAME, .. } => missing(),
            error => error,
        })?;
        let n_args = number::<u32>(|size, to| {
            // SAFETY: The kernel exists, and `number` passes a place and its size.
            unsafe { (api.get_kernel_info)(kernel.handle(), KERNEL_NUM_ARGS, size, to, null_mut()) }
        });
        let n_args = n_args.map_err(|code| DeviceError::new("clGetKernelInfo", code))? as usize;
        let group_info = |what| {
            let number = number::<usize>(|size, to| {
                let get = api.get_kernel_work_group_info;
                // SAFETY: As above, and the program was built for this device.
                unsafe { get(kernel.handle(), self.device.id(), what, size, to, null_mut()) }
            });
            number.map_err(|code| DeviceError::new("clGetKernelWorkGroupInfo", code))
        };
        let max_lanes = group_info(KERNEL_WORK_GROUP_SIZE)?;
        let lane_multiple = group_info(KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)?;
        Ok(Kernel { kernel, n_args, max_lanes, lane_multiple, context: self.context.clone() })
    }

    /// Allocates memory on the device. Its content is undefined until it is written.
    pub fn buffer(&self, bytes: usize) -> Result<Buffer, DeviceError> {
        let api = self.device.api();
        // Drivers refuse buffers without any bytes.
        let size = bytes.max(1);
        // SAFETY: The context exists, and no memory of the host is passed.
        let create = |code| unsafe {
            (api.create_buffer)(self.context.handle(), MEM_READ_WRITE, size, null_mut(), code)
        };
        // SAFETY: The new buffer is ours.
        let memory = unsafe { Object::create("clCreateBuffer", api.release_mem_object, create) }?;
        Ok(Buffer { memory, bytes, context: self.context.clone() })
    }

    /// Copies bytes to the beginning of a buffer.
    pub fn write(&mut self, to: &Buffer, bytes: &[u8]) -> Result<Times, DeviceError> {
        self.check_copy(to, bytes.len())?;
        if bytes.is_empty() {
            return Ok(Times::default());
        }
        let write = self.device.api().enqueue_write_buffer;
        let (queue, memory) = (self.queue.handle(), to.memory.handle());
        let (start, length) = (bytes.as_ptr().cast(), bytes.len());
        self.command("clEnqueueWriteBuffer", |event| {
            // SAFETY: Queue and buffer belong to one context and the buffer is large enough. The call
            // returns after the bytes were read.
            unsafe { write(queue, memory, TRUE, 0, length, start, 0, null(), event) }
        })
    }

    /// Copies the beginning of a buffer, as much as `to` holds.
    pub fn read(&mut self, from: &Buffer, to: &mut [u8]) -> Result<Times, DeviceError> {
        self.check_copy(from, to.len())?;
        if to.is_empty() {
            return Ok(Times::default());
        }
        let read = self.device.api().enqueue_read_buffer;
        let (queue, memory) = (self.queue.handle(), from.memory.handle());
        let (start, length) = (to.as_mut_ptr().cast(), to.len());
        self.command("clEnqueueReadBuffer", |event| {
            // SAFETY: Queue and buffer belong to one context and the buffer is large enough. The call
            // returns after the bytes were written, all of them inside `to`.
            unsafe { read(queue, memory, TRUE, 0, length, start, 0, null(), event) }
        })
    }

    /// Runs a kernel on `groups` work groups of `lanes` lanes each.
    pub fn run(
        &mut self,
        kernel: &Kernel,
        args: &[&Buffer],
        groups: usize,
        lanes: usize,
    ) -> Result<Times, DeviceError> {
        let api = *self.device.api();
        let all_ours = args.iter().all(|buffer| self.owns(&buffer.context));
        if !all_ours || !self.owns(&kernel.context) {
            return Err(DeviceError::Foreign);
        }
        // Arguments of an earlier run may be buffers that were freed since, so all are set again.
        if args.len() != kernel.n_args {
            return Err(DeviceError::Arguments { given: args.len(), expected: kernel.n_args });
        }
        let total = groups.checked_mul(lanes).filter(|_| (1..=kernel.max_lanes).contains(&lanes));
        let total = total.ok_or(DeviceError::Lanes { groups, lanes, max: kernel.max_lanes })?;
        if total == 0 {
            return Ok(Times::default());
        }
        for (at, buffer) in (0..).zip(args) {
            let memory = buffer.memory.handle();
            // SAFETY: The value of such an argument is the handle of a buffer. The driver copies it, and
            // refuses it if the argument has another size. Nobody else sets arguments of this kernel at the
            // same time, because it belongs to this queue, which is borrowed exclusively.
            let code = unsafe {
                (api.set_kernel_arg)(
                    kernel.kernel.handle(),
                    at,
                    size_of::<Handle>(),
                    (&raw const memory).cast(),
                )
            };
            check("clSetKernelArg", code)?;
        }
        let (queue, kernel) = (self.queue.handle(), kernel.kernel.handle());
        self.command("clEnqueueNDRangeKernel", |event| {
            let (total, lanes) = (&raw const total, &raw const lanes);
            // SAFETY: Queue, kernel and buffers belong to one context, and all arguments are set. `command`
            // waits for the kernel, and until then the buffers are borrowed. The sizes have one dimension.
            // The code of the kernel is trusted.
            unsafe { (api.enqueue_nd_range_kernel)(queue, kernel, 1, null(), total, lanes, 0, null(), event) }
        })
    }

    fn owns(&self, context: &Arc<Object>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    fn check_copy(&self, buffer: &Buffer, bytes: usize) -> Result<(), DeviceError> {
        if !self.owns(&buffer.context) {
            return Err(DeviceError::Foreign);
        }
        if bytes > buffer.bytes {
            return Err(DeviceError::Size { bytes, capacity: buffer.bytes });
        }
        Ok(())
    }

    /// Queues a command, waits for its end and returns its times.
    fn command(
        &self,
        call: &'static str,
        enqueue: impl FnOnce(*mut Handle) -> i32,
    ) -> Result<Times, DeviceError> {
        let api = self.device.api();
        let create = |code: *mut i32| {
            let mut event = null_mut();
            let result = enqueue(&raw mut event);
            // SAFETY: `Object::create` passes a place for the code.
            unsafe { *code = result };
            event
        };
        // SAFETY: The new event is ours.
        let event = unsafe { Object::create(call, api.release_event, create) }?;
        let handle = event.handle();
        // SAFETY: One event is passed, which exists.
        check("clWaitForEvents", unsafe { (api.wait_for_events)(1, &raw const handle) })?;
        let time = |what| {
            let time = number::<u64>(|size, to| {
                // SAFETY: The event exists, and `number` passes a place and its size.
                unsafe { (api.get_event_profiling_info)(handle, what, size, to, null_mut()) }
            });
            time.map_err(|code| DeviceError::new("clGetEventProfilingInfo", code))
        };
        Ok(Times {
            queued: time(PROFILING_COMMAND_QUEUED)?,
            started: time(PROFILING_COMMAND_START)?,
            ended: time(PROFILING_COMMAND_END)?,
        })
    }
}

impl Buffer {
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Kernel {
    /// Returns the number of buffers that the kernel takes.
    pub fn n_args(&self) -> usize {
        self.n_args
    }

    /// Returns the largest number of lanes that a work group of this kernel can have on the device.
    pub fn max_lanes(&self) -> usize {
        self.max_lanes
    }

    /// Returns the number of lanes that the device runs in lockstep, such as 32 on NVIDIA's: groups should
    /// have a multiple of it.
    pub fn lane_multiple(&self) -> usize {
        self.lane_multiple
    }
}
