//! Failures of devices, and the names of OpenCL's codes.

use super::api::SUCCESS;

/// A failure of a device or its driver. After any of them, do without the device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// The driver's compiler refused the source or the options: the kernel or the compiler has a bug.
    #[error("the device's compiler refused the program:\n{log}")]
    Build { log: String },

    /// A buffer needs more memory than the device or the host has left.
    #[error("the device is out of memory: close other programs that use it, or do without it")]
    OutOfMemory,

    /// The device has no resources left. Drivers report this for memory that they allocate late, and for kernels that
    /// crashed.
    #[error("{call} failed with OUT_OF_RESOURCES: the device is out of memory, or a kernel crashed")]
    OutOfResources { call: &'static str },

    /// The device does not answer any more, or a kernel crashed.
    #[error("the device was lost in {call} ({}): open it again or do without it", name(*code))]
    Lost { call: &'static str, code: i32 },

    /// The program has no kernel with this name: a mistake of the caller.
    #[error("the program has no kernel `{name}`")]
    NoKernel { name: String },

    /// More bytes were to be copied than the buffer holds: a mistake of the caller.
    #[error("cannot copy {bytes} bytes: the buffer holds {capacity}")]
    Size { bytes: usize, capacity: usize },

    /// A kernel was called with too few or too many buffers: a mistake of the caller.
    #[error("the kernel takes {expected} buffers, but {given} were given")]
    Arguments { given: usize, expected: usize },

    /// The work groups are empty or too large for the kernel on this device: a mistake of the caller.
    #[error("cannot run {groups} groups of {lanes} lanes: this device takes 1 to {max} lanes")]
    Lanes { groups: usize, lanes: usize, max: usize },

    /// A buffer or kernel of another queue was used: a mistake of the caller.
    #[error("a buffer or kernel belongs to another queue: make it with this one")]
    Foreign,

    /// The arguments of a job are no pictures of its batch, or of other kinds than its operation takes: a mistake of
    /// the caller.
    #[error("operation {operation} of the batch does not take the arguments {holes:?}")]
    Holes { operation: u32, holes: [u32; 4] },

    /// The device answered something that cannot be true, or that the CPU contradicts.
    #[error("the device answers nonsense ({reason}): update its driver or continue without the device")]
    Nonsense { reason: String },

    /// Any other failure.
    #[error("{call} failed with {} ({code}): update the device's driver or do without it", name(*code))]
    Driver { call: &'static str, code: i32 },
}

impl DeviceError {
    pub(super) fn new(call: &'static str, code: i32) -> DeviceError {
        match code {
            -4 | -6 | -61 => DeviceError::OutOfMemory,
            -5 => DeviceError::OutOfResources { call },
            // -9999 is said to be NVIDIA's code for a crashed kernel, with an invalid queue afterwards. That was
            // not tested.
            -2 | -14 | -36 | -9999 => DeviceError::Lost { call, code },
            _ => DeviceError::Driver { call, code },
        }
    }
}

/// Turns a code into a result.
pub(super) fn check(call: &'static str, code: i32) -> Result<(), DeviceError> {
    if code == SUCCESS { Ok(()) } else { Err(DeviceError::new(call, code)) }
}

/// Returns the name of a code without its prefix `CL_`.
pub(super) fn name(code: i32) -> &'static str {
    match code {
        0 => "SUCCESS",
        -1 => "DEVICE_NOT_FOUND",
        -2 => "DEVICE_NOT_AVAILABLE",
        -3 => "COMPILER_NOT_AVAILABLE",
        -4 => "MEM_OBJECT_ALLOCATION_FAILURE",
        -5 => "OUT_OF_RESOURCES",
        -6 => "OUT_OF_HOST_MEMORY",
        -7 => "PROFILING_INFO_NOT_AVAILABLE",
        -11 => "BUILD_PROGRAM_FAILURE",
        -12 => "MAP_FAILURE",
        -13 => "MISALIGNED_SUB_BUFFER_OFFSET",
        -14 => "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        -15 => "COMPILE_PROGRAM_FAILURE",
        -16 => "LINKER_NOT_AVAILABLE",
        -17 => "LINK_PROGRAM_FAILURE",
        -30 => "INVALID_VALUE",
        -31 => "INVALID_DEVICE_TYPE",
        -32 => "INVALID_PLATFORM",
        -33 => "INVALID_DEVICE",
        -34 => "INVALID_CONTEXT",
        -35 => "INVALID_QUEUE_PROPERTIES",
        -36 => "INVALID_COMMAND_QUEUE",
        -38 => "INVALID_MEM_OBJECT",
        -42 => "INVALID_BINARY",
        -43 => "INVALID_BUILD_OPTIONS",
        -44 => "INVALID_PROGRAM",
        -45 => "INVALID_PROGRAM_EXECUTABLE",
        -46 => "INVALID_KERNEL_NAME",
        -47 => "INVALID_KERNEL_DEFINITION",
        -48 => "INVALID_KERNEL",
        -49 => "INVALID_ARG_INDEX",
        -50 => "INVALID_ARG_VALUE",
        -51 => "INVALID_ARG_SIZE",
        -52 => "INVALID_KERNEL_ARGS",
        -53 => "INVALID_WORK_DIMENSION",
        -54 => "INVALID_WORK_GROUP_SIZE",
        -55 => "INVALID_WORK_ITEM_SIZE",
        -56 => "INVALID_GLOBAL_OFFSET",
        -57 => "INVALID_EVENT_WAIT_LIST",
        -58 => "INVALID_EVENT",
        -59 => "INVALID_OPERATION",
        -61 => "INVALID_BUFFER_SIZE",
        -63 => "INVALID_GLOBAL_WORK_SIZE",
        -1001 => "PLATFORM_NOT_FOUND",
        -9999 => "illegal access by a kernel",
        _ => "an unknown error",
    }
}
