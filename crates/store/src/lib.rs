//! The library of programs on disk.
//!
//! One SQLite file that several processes may use at once. A program is known by its content hash; beside it stand
//! where it came from ([`Origin`]) and what it is worth on which task ([`Measure`]). What [`Store::add`] has answered
//! for is on the disk: neither `kill -9` nor a power cut takes it away. The file is bounded, because only the best
//! [`KEEP`] programs of a task keep their place, and one of those that answer alike.
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
//! This room knows nothing of tasks but their hashes, and does not run programs.

mod store;
mod entry;
mod add;
mod read;
mod export;
mod sealed;
mod file;
mod error;

pub use add::KEEP;
pub use entry::{Added, Entry, Measure, Origin, Stored, TestResult};
pub use error::StoreError;
pub use export::{Exported, export};
pub use read::{Ancestor, Ranked, Stats};
pub use sealed::Sealed;
pub use store::{Pruned, Store};
