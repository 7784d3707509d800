//! A device and its properties.

use std::fmt;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use super::api::{Api, Handle};
use super::error::DeviceError;
use super::object::Object;
use super::program;
use super::queue::Queue;

/// `CL_QUEUE_PROFILING_ENABLE`
const PROFILING: u64 = 1 << 1;

/// A device that can run kernels. Cheap to clone.
#[derive(Clone)]
pub struct Device(Arc<Facts>);

pub(super) struct Facts {
    pub(super) api: Api,
    pub(super) id: Handle,
    pub(super) name: String,
    pub(super) vendor: String,
    pub(super) driver: String,
    pub(super) platform: String,
    pub(super) library: String,
    pub(super) direct: bool,
    pub(super) kind: DeviceKind,
    pub(super) units: u32,
    pub(super) clock_mhz: u32,
    pub(super) memory_bytes: u64,
    pub(super) local_bytes: u64,
}

// SAFETY: OpenCL's functions may be called by any thread, and the handle of a device stays valid until the
// process ends, because libraries are never unloaded.
unsafe impl Send for Facts {}
// SAFETY: As above; no field changes.
unsafe impl Sync for Facts {}

impl Device {
    pub(super) fn new(facts: Arc<Facts>) -> Device {
        Device(facts)
    }

    /// Compiles a program for this device and makes a queue that runs it.
    ///
    /// `options` are those of `clBuildProgram`, such as `-cl-std=CL1.2`. The compiled program is kept in
    /// the folder `cache`, if there is one, and is found there next time; [`Queue::from_cache`] tells. The
    /// folder is made on demand. A cache that cannot be read or written only costs time. PoCL has a cache
    /// of its own, and ignores the folder.
    ///
    /// The source is trusted: on some devices, a kernel that writes outside its buffers damages this process.
    pub fn open(&self, source: &str, options: &str, cache: Option<&Path>) -> Result<Queue, DeviceError> {
        let (api, id) = (self.api(), self.id());
        // SAFETY: One handle is passed, of a device that exists; there are no properties and there is no
        // callback.
        let create =
            |code| unsafe { (api.create_context)(null(), 1, &raw const id, null(), null_mut(), code) };
        // SAFETY: The new context is ours.
        let context = unsafe { Object::create("clCreateContext", api.release_context, create) }?;
        // SAFETY: Both objects exist, and the device is the one of the context.
        let create = |code| unsafe { (api.create_command_queue)(context.handle(), id, PROFILING, code) };
        // SAFETY: The new queue is ours.
        let queue = unsafe { Object::create("clCreateCommandQueue", api.release_command_queue, create) }?;
        let (program, from_cache) = program::build(self, &context, source, options, cache)?;
        Ok(Queue::new(self.clone(), context, queue, program, from_cache))
    }

    /// Returns the name of the device, such as `Tesla T4`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns whether this is the same device of the same listing. Devices of the same name can be different.
    pub fn is_same(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub fn vendor(&self) -> &str {
        &self.0.vendor
    }

    /// Returns the version of the driver.
    pub fn driver(&self) -> &str {
        &self.0.driver
    }

    /// Returns name and version of the platform, which is the vendor's OpenCL implementation.
    pub fn platform(&self) -> &str {
        &self.0.platform
    }

    /// Returns the library through which the device was found: its path if the system tells it, else the
    /// name it was opened by.
    pub fn library(&self) -> &str {
        &self.0.library
    }

    /// Returns whether the driver was opened directly, without an ICD loader.
    pub fn loaded_directly(&self) -> bool {
        self.0.direct
    }

    pub fn kind(&self) -> DeviceKind {
        self.0.kind
    }

    /// Returns the number of compute units: cores of a CPU, multiprocessors of a GPU.
    pub fn units(&self) -> u32 {
        self.0.units
    }

    /// Returns the highest clock rate, or 0 if the driver does not know it.
    pub fn clock_mhz(&self) -> u32 {
        self.0.clock_mhz
    }

    pub fn memory_bytes(&self) -> u64 {
        self.0.memory_bytes
    }

    /// Returns the size of the local memory that the lanes of a work group share.
    pub fn local_bytes(&self) -> u64 {
        self.0.local_bytes
    }

    pub(super) fn api(&self) -> &Api {
        &self.0.api
    }

    pub(super) fn id(&self) -> Handle {
        self.0.id
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Device(facts) = self;
        f.debug_struct("Device")
            .field("name", &facts.name)
            .field("driver", &facts.driver)
            .field("platform", &facts.platform)
            .field("library", &facts.library)
            .field("direct", &facts.direct)
            .field("kind", &facts.kind)
            .field("units", &facts.units)
            .field("clock_mhz", &facts.clock_mhz)
            .field("memory_bytes", &facts.memory_bytes)
            .field("local_bytes", &facts.local_bytes)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    Cpu,
    Gpu,
    Accelerator,
    Other,
}

impl DeviceKind {
    /// Turns a value of `cl_device_type` into a kind.
    pub(super) fn from_type(bits: u64) -> DeviceKind {
        match bits {
            // A device may have the bit `DEFAULT` as well.
            _ if bits & 1 << 2 != 0 => DeviceKind::Gpu,
            _ if bits & 1 << 3 != 0 => DeviceKind::Accelerator,
            _ if bits & 1 << 1 != 0 => DeviceKind::Cpu,
            _ => DeviceKind::Other,
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceKind::Cpu => "CPU",
            DeviceKind::Gpu => "GPU",
            DeviceKind::Accelerator => "accelerator",
            DeviceKind::Other => "other",
        })
    }
}
