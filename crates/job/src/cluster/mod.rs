//! Work on many machines.
//!
//! A job is cut into pieces: one task, with all its steps or some of them. A piece is pure, so it can run anywhere, twice,
//! or again after a loss, and the results are those of one machine. The driver hands out pieces, verifies
//! answers, repeats lost pieces and duplicates slow ones. A [`Worker`] does the work on a machine. Messages travel through
//! a [`Cluster`], which front ends implement; this module does not know the network.

mod driver;
mod piece;
mod run;
mod search;
mod solve;
mod timeline;
mod worker;

use std::time::Duration;

pub(crate) use driver::{Driven, Used};
pub(crate) use piece::PackageWork;
pub(crate) use run::distribute as run;
pub(crate) use search::{ClusterRounds, distribute_enumeration};
pub(crate) use solve::{Solving, distribute as solve};
pub use worker::{Worker, WorkerError};

/// Machines that take work. Methods are called from one thread of the job.
pub trait Cluster: Send + Sync {
    /// Makes a package available on all machines, now and when they join later.
    fn publish(&self, package: Vec<u8>) -> Result<(), ClusterError>;

    /// Returns the machines that are healthy now. Machines can join and leave.
    fn machines(&self) -> Result<Vec<MachineInfo>, ClusterError>;

    /// Sends a batch of pieces to a machine, which passes it to [`Worker::work`].
    fn send(&self, machine: &str, batch: u64, pieces: Vec<u8>) -> Result<(), ClusterError>;

    /// Waits at most this long for replies.
    fn receive(&self, wait: Duration) -> Result<Vec<Delivery>, ClusterError>;

    /// Uses a machine no longer.
    fn exclude(&self, machine: &str, why: &str);

    /// Returns the names of machines that are about to become healthy. Fails if one never will, because arcbatt cannot
    /// start there.
    fn starting(&self) -> Result<Vec<String>, ClusterError> {
        Ok(Vec::new())
    }

    /// Returns why a machine is not healthy any more, if that is known.
    fn why_lost(&self, _machine: &str) -> Option<String> {
        None
    }

    /// Called after each execution of a piece.
    fn executed(&self, _execution: &Execution<'_>) {}

    /// Asks all machines to stop their current pieces and to reply with the results so far.
    fn stop(&self);

    /// The largest number of steps of a piece of a solve; `None` for all steps of a task.
    fn steps(&self) -> Option<usize> {
        None
    }
}

/// A machine that takes work.
#[derive(Clone, PartialEq, Debug)]
pub struct MachineInfo {
    /// Identifies the machine.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Number of pieces that it works on at a time.
    pub cores: usize,
    /// Version of arcbatt on the machine.
    pub version: String,
    /// Version of its DSL.
    pub dsl: String,
    /// Time on its clock minus the time on ours, in nanoseconds.
    pub clock_offset: i64,
    /// Time for a message to the machine and back, in nanoseconds.
    pub round_trip: Option<u64>,
}

/// An execution of a piece on a machine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Execution<'e> {
    /// Id of the task.
    pub task: &'e str,
    /// Name of the machine.
    pub machine: &'e str,
    /// Its duration; unknown if the machine did not answer.
    pub seconds: Option<f64>,
    pub end: PieceEnd,
}

/// The end of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceEnd {
    /// The answer was verified and taken.
    Accepted,
    /// Another machine was faster.
    Duplicate,
    /// The machine was lost.
    Lost,
    /// The machine was stopped, or could not do it.
    Failed,
    /// The answer was wrong.
    Rejected,
}

impl PieceEnd {
    pub fn name(self) -> &'static str {
        match self {
            PieceEnd::Accepted => "accepted",
            PieceEnd::Duplicate => "duplicate",
            PieceEnd::Lost => "lost",
            PieceEnd::Failed => "failed",
            PieceEnd::Rejected => "rejected",
        }
    }
}

/// The end of a batch.
#[derive(Clone, PartialEq, Debug)]
pub enum Delivery {
    /// The reply of [`Worker::work`].
    Reply { batch: u64, reply: Vec<u8> },
    /// The machine ended or cannot be reached.
    Lost { batch: u64, why: String },
}

/// The cluster as a whole cannot be used any more.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ClusterError(pub String);
