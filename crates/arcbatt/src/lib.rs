//! arcbatt solves ARC-AGI tasks with small programs, runs batteries of programs over tasks, and shows where the time
//! went.
//!
//! Most users need three things: a data set ([`task::open`]), a [`Job`] that runs, solves or searches, and the
//! [`Record`](record::Record) that it writes. Everything else serves tools that need more detail. The command line `batt`
//! and the local page use only this API.
//!
//! # Load tasks
//!
//! ```
//! use arcbatt::task::{Options, open};
//!
//! let dataset = open("demo", &Options::STRICT)?;
//! assert_eq!(dataset.tasks.len(), 79);
//! let task = dataset.get("kaleidoscope").expect("a built-in task");
//! assert_eq!((task.train[0].input.height(), task.train[0].input.width()), (5, 3));
//! # Ok::<(), arcbatt::task::LoadError>(())
//! ```
//!
//! # Run a program
//!
//! ```
//! use arcbatt::{Job, Outcome, ProgramSource, Work};
//!
//! let mut job = Job::new("demo", Work::run());
//! job.tasks.ids = vec!["kaleidoscope".to_owned()];
//! job.programs = vec![ProgramSource::Text(
//!     "def solve_kaleidoscope(I):\n    top = hconcat(I, vmirror(I))\n    return vconcat(top, hmirror(top))\n"
//!         .to_owned(),
//! )];
//! let Outcome::Run(run) = job.start()?.wait()? else { unreachable!() };
//! assert!(run.is_right());
//! # Ok::<(), arcbatt::JobError>(())
//! ```
//!
//! # Solve with progress
//!
//! ```
//! use std::time::Duration;
//!
//! use arcbatt::{Effort, Event, Job, Outcome, Solve, Work};
//!
//! let solve = Solve { effort: Effort::FuelPerTask(2_000_000), ..Solve::default() };
//! let mut job = Job::new("demo", Work::Solve(solve));
//! job.tasks.limit = Some(2);
//! let running = job.start()?;
//! loop {
//!     match running.next_event(Duration::from_millis(50)) {
//!         Some(Event::Improved { task, sure }) => println!("{task}: {:.0} % sure", sure * 100.0),
//!         Some(Event::Finished | Event::Stopped) => break,
//!         None if running.is_finished() => break,
//!         _ => println!("{} of {} done", running.status().done, running.status().total),
//!     }
//! }
//! let Outcome::Solve(solved) = running.wait()? else { unreachable!() };
//! assert_eq!(solved.record.tasks.len(), 2);
//! # Ok::<(), arcbatt::JobError>(())
//! ```
//!
//! # Score a submission
//!
//! ```
//! use arcbatt::score::{Rule, Scores};
//! use arcbatt::task::submission::Submission;
//! use arcbatt::task::{Options, open};
//!
//! let dataset = open("demo", &Options::STRICT)?;
//! let submission = Submission::parse(br#"{"kaleidoscope": [{"attempt_1": [[0]], "attempt_2": [[1]]}]}"#)?;
//! let scores = Scores::open(&submission, &dataset.tasks);
//! assert_eq!(scores.right_outputs(), 0);
//! assert_eq!(scores.under(Rule::Outputs).expect("solutions are known").percent(), "0.00");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Read a profile
//!
//! ```
//! use arcbatt::record::Record;
//! use arcbatt::report::view::Framework;
//! use arcbatt::report::{Facts, Selection};
//! use arcbatt::{Job, Profiling, Work};
//!
//! let path = std::env::temp_dir().join(format!("arcbatt-doc-{}.json", std::process::id()));
//! let mut job = Job::new("demo", Work::run());
//! job.tasks.limit = Some(3);
//! job.save.record = Some(path.clone());
//! job.save.profile = Profiling::Nodes;
//! job.start()?.wait()?;
//! let record = Record::read(&path)?;
//! let facts = Facts::new(&record, &Selection::default())?;
//! assert!(facts.busy() <= facts.wall() * facts.profile.lanes.len() as u64);
//! println!("{}", Framework::new(&facts));
//! # std::fs::remove_file(path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use batt_job::{
    Advanced, DEMO, DEMO_PROGRAMS, DeviceChoice, Effort, Engine, Evaluated, EvaluatedPair, Evaluation, Event,
    Existing, FUEL_PER_SECOND, Handle, Job, JobError, LiveSolve, LiveTask, MEMORY_PER_THREAD, Measured,
    Measurer, Merge, Merged, Mode, Outcome, Pool, PoolError, Profiling, ProgramErrors, ProgramFile,
    ProgramSource, Propose, Reliability, Resources, Run, RunOutcome, Running, Save, Saved, Search,
    SearchOutcome, Shard, Solve, SolveOutcome, Step, Stop, StoreReader, SubmissionState, TaskClocks,
    TaskSelection, Work, default_store, engine, evaluate, read_aliases, with_backstop,
};

/// Work on many machines: the messages between a driver and the machines, which front ends carry.
pub mod cluster {
    pub use batt_job::cluster::{
        Cluster, ClusterError, Delivery, Execution, MachineInfo, PieceEnd, Worker, WorkerError,
    };
}

/// OpenCL devices: finding, checking, measuring and calibrating them.
pub mod devices {
    pub use batt_device::opencl::{Device, Listing, Problem};
    pub use batt_device::{Answerer, DeviceError, Session};
    pub use batt_exec::devices::{Calibration, Devices, Fit, Helper, HelperReport, Point};
    pub use batt_job::{
        BATCH_SIZES, CalibrationFile, calibrate, device_folder, device_kind, find_devices, list_devices,
        measured_grids, useful_break_even,
    };
    pub use batt_search::{
        OperationCheck, OperationInfo, WINDOW_JOBS, check_operations, enumerated_operations,
    };
}

/// Summaries of runs.
pub mod battery {
    pub use batt_job::battery::{OwnCounts, Summary, Unwatched, Watch, WrongProgram};
}

/// Atomic writes, durations, sizes, number formats, and stack for deep recursion.
pub mod base {
    pub use batt_base::{number, size, time, with_enough_stack, write_atomic, write_atomic_with};
}

/// The primitives of the language, and the limits that programs run under.
pub mod dsl {
    pub use batt_dsl::{
        Constant, ConstantFamily, ConstantValue, Cx, Limits, Primitive, constants, registry, symbol, version,
    };
}

/// Running one program on one input, with the value of every line.
pub mod exec {
    pub use batt_exec::kernel::table as kernel_table;
    pub use batt_exec::{Failure, Outcome, Sample, bugs, run};
}

/// Program text: parsing, checking, formatting, printing.
pub mod lang {
    pub use batt_lang::{
        Aliases, Node, NodeId, Options, Parsed, Problem, Program, Role, Severity, Span, format, line_types,
        parse, parse_bytes, parse_bytes_with, print, suggest,
    };
}

/// Many programs merged into one graph.
pub mod plan {
    pub use batt_plan::{Counts, NodeId, Plan};
}

/// The documents that jobs write.
pub mod record {
    pub use batt_record::{
        Attempt, CurvePoint, Data, Device, Environment, Example, Header, Kind, Machine, Made, OperatorCounts,
        Options, Outcome, Pair, PlanCounts, Profile, Program, Record, RecordError, Right, Rows, SCHEMA,
        Score, Setup, State, Task, TaskSearch, TaskState, VerdictCount, events, live, profile, scores,
        verdict_counts,
    };
}

/// Records as text, tables, pages and files for other viewers.
pub mod report {
    pub use batt_report::{Facts, ReportError, Selection, Validity, export, view};
}

/// Learned rules written out as ordinary programs.
pub mod resolve {
    pub use batt_resolve::{Reason, Resolution, is_pure, resolve};
}

/// The view of a task that a search has: no test outputs.
pub mod search {
    pub use batt_search::Puzzle;
}

/// Scores for answers and submissions.
pub mod score {
    pub use batt_score::{OutputScore, Ratio, Rule, Scores, TaskScore, Totals, Verdict};
}

/// The library of programs on disk.
pub mod store {
    pub use batt_store::{
        Added, Ancestor, Entry, Exported, KEEP, Measure, Origin, Pruned, Ranked, Sealed, Stats, Store,
        StoreError, Stored, TestResult, export, merge,
    };
}

/// Tasks, data sets and submissions.
pub mod task {
    pub use batt_task::{
        BUILT_IN, Change, ContentHasher, DataFolder, Dataset, Diff, Grid, Index, LoadError, Options, PINNED,
        Pair, Part, Pinned, Problem, Select, Task, TaskDiff, demo, diff, files, index, install, load, open,
        parse_grid, parse_task, series, submission, task_json,
    };
}

/// The values that programs compute.
pub mod value {
    pub use batt_value::{Arena, ContentHash, Fail, Grid, Kind, Value, order, parse, to_json};
}

pub use batt_job::{document, page, palette};

pub mod sheet;
pub mod drawing;
pub mod graph;
pub mod verify;
pub mod explain;
pub mod conformance;
