//! Devices that answer operations on pictures while the CPU goes on.
//!
//! [`Devices::ask`] puts a batch into one queue, from which a host thread for each device takes the next batch
//! when it is free, so that devices share the work in proportion to their rates. The CPU never waits for a
//! device: it looks at its [`Ticket`] from time to time, uses the answers once they are there, and computes
//! everything else itself. So a device that is slow, lost or hanging costs nothing but its help.

mod calibration;
mod check;
mod team;

pub use calibration::{Calibration, Fit, Point};
pub use check::contradiction;
pub use team::{Devices, Helper, HelperReport, Ticket};
