//! Jobs: runs, solves and searches, from their description to their files.
//!
//! A [`Job`] is a plain description of a run, a solve or a search. [`Job::start`] executes it on threads of its own
//! and returns [`Running`]: events, status, a way to stop it, and finally an [`Outcome`]. Deadlines, budgets, saving,
//! resuming, sealed scoring and storing programs happen only here. Front ends build a `Job` and show its events.
//!
//! The drivers below work on many tasks at once, on one [`Pool`]: [`battery`] runs programs, [`campaign`] solves,
//! [`breeding`] and [`enumeration`] search.

mod error;
mod description;
mod event;
mod running;
mod live_solve;
pub mod engine;
mod evaluate;
mod control;
mod clock;
mod pool;
mod shard;
mod tasks;
mod programs;
mod save;
mod identity;
mod recording;
mod devices;
mod calibration;
mod run;
mod solve;
mod solve_record;
mod search;
mod search_record;
pub mod battery;
pub mod breeding;
pub mod cluster;
pub mod campaign;
pub mod enumeration;
mod store;
mod merge;
pub mod document;
mod save_timer;
pub mod profile;
pub mod palette;
pub mod page;
mod first_wrong_line;

pub use batt_search::Propose;
pub use calibration::{BATCH_SIZES, CalibrationFile, calibrate, measured_grids, useful_break_even};
pub use clock::{Stop, TaskClocks, with_backstop};
pub use description::{
    Effort, Existing, FUEL_PER_SECOND, Job, MEMORY_PER_THREAD, Mode, Profiling, ProgramSource, Run, Save,
    Search, Solve, Step, TaskSelection, Work,
};
pub use devices::{DeviceChoice, device_folder, device_kind, find_devices, list_devices};
pub use engine::{Advanced, Engine};
pub use error::JobError;
pub use evaluate::{Evaluated, EvaluatedPair, Evaluation, evaluate};
pub use event::Event;
pub use live_solve::{LiveSolve, LiveTask};
pub use merge::{Merge, Merged};
pub use pool::{Pool, PoolError};
pub use programs::{DEMO, DEMO_PROGRAMS, ProgramErrors, ProgramFile, read_aliases};
pub use run::RunOutcome;
pub use running::{Handle, Outcome, Resources, Running};
pub use save::{Saved, SubmissionState};
pub use search::SearchOutcome;
pub use shard::Shard;
pub use solve::{Reliability, SolveOutcome};
pub use store::{Measured, Measurer, StoreReader, default_store};
