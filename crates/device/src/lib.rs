//! Answers batches of operations on pictures with OpenCL devices.
//!
//! [`Code`] translates an operation, a [`Batch`] holds many jobs, and a [`Session`] answers them on a
//! [`Device`](opencl::Device). A device only ever answers what the CPU would have answered. It may pass on any
//! job, and losing it costs time, never a result.
//!
//! This crate does not know tasks, programs, threads or the clock.

mod batch;
mod code;
pub mod opencl;
mod picture;
mod session;

pub use batch::{Answers, Batch, BatchTimes, Job, Program};
pub use code::{Code, Instructions, Kind};
pub use opencl::DeviceError;
pub use picture::{Answer, MAX_SIDE, Pictures};
pub use session::{Answerer, SOURCE, Session};
