//! The store: a library of programs in one SQLite file.
//!
//! Several processes may use the file at once. A program is identified by its content hash and stored with
//! its origin ([`Origin`]) and its results on tasks ([`Measure`]). Programs are on disk when [`Store::add`]
//! returns: neither `kill -9` nor a power cut loses them. The size of the file is bounded: for each task only
//! the best [`KEEP`] programs are kept, and only one of those that give the same answers.
//!
//! ```
//! # use batt_store::{Added, Entry, Origin, Store};
//! # let folder = std::env::temp_dir().join(format!("batt-store-doc-{}", std::process::id()));
//! let mut store = Store::open(&folder.join("store.sqlite"))?;
//! let program = batt_lang::parse("def solve_1cf80156(I): return double(I)").programs.remove(0);
//! let hash = program.hash();
//! let entry = Entry { program, origin: Origin::Written, measures: vec![] };
//! assert_eq!(store.add(std::slice::from_ref(&entry))?, [Added::New]);
//! assert_eq!(store.add(&[entry])?, [Added::Known]);
//! assert_eq!(store.get(hash)?.unwrap().names, ["solve_1cf80156"]);
//! # drop(store);
//! # std::fs::remove_dir_all(folder).unwrap();
//! # Ok::<(), batt_store::StoreError>(())
//! ```
//!
//! The crate knows tasks only by their hashes and does not run programs.

mod store;
mod entry;
mod add;
mod read;
mod export;
mod merge;
mod sealed;
mod file;
mod error;

pub use add::KEEP;
pub use entry::{Added, Entry, Measure, Origin, Stored, TestResult};
pub use error::StoreError;
pub use export::{Exported, export};
pub use merge::merge;
pub use read::{Ancestor, Ranked, Stats};
pub use sealed::Sealed;
pub use store::{Pruned, Store};
