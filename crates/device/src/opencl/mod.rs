//! OpenCL 1.2, found at run time: devices, their memory, and kernels that run on them.
//!
//! [`list`] finds the devices of this machine, [`Device::open`] compiles a program for one of them, and the
//! [`Queue`] it returns copies bytes and runs kernels. Nothing has to be installed to build or start this
//! crate. A machine without OpenCL has an empty list and a [`Problem`] for each library that was tried.
//!
//! An ICD loader (`libOpenCL.so.1`) exports every function by name. A vendor's driver need not: NVIDIA's
//! exports three. But every platform of a driver begins with a pointer to a table of all functions, in the
//! fixed order of Khronos' `cl_icd.h`. So a driver works without a loader and without an `.icd` file, which
//! containers with NVIDIA's driver often lack.
//!
//! Libraries are never unloaded, because some drivers crash when they are.
//!
//! This is the only module of the crate with `unsafe` code. Sizes, owners and numbers of arguments are checked
//! before a driver is called. Two things are not checked: the drivers, and kernels, which have to stay inside
//! their buffers. The kernels of this crate do so for the jobs that a [`Session`](crate::Session) passes to them,
//! because it checks their arguments and runs only code that [`Code::new`](crate::Code::new) made.

#![allow(unsafe_code, reason = "OpenCL is a C interface that is loaded at run time")]

mod list;
mod device;
mod queue;
mod error;
mod program;
mod platform;
mod library;
mod object;
mod api;

pub use device::{Device, DeviceKind};
pub use error::DeviceError;
pub use list::{Listing, Problem, list, list_from};
pub use queue::{Buffer, Kernel, Queue, Times};
