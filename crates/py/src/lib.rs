//! The compiled half of the Python package `arcbatt`.
//!
//! It is a front end like the command line: it turns calls into a [`Job`](arcbatt::Job) or a call of the library, and
//! results into Python values. The public names are in `python/arcbatt`. Everything here releases the GIL while the
//! engine works, and runs on threads of its own process: a forked child starts new ones.

mod cluster;
mod convert;
mod data;
mod engine;
mod error;
mod evaluate;
mod interrupt;
mod job;
mod program;
mod record;
mod store;
mod submission;

use pyo3::prelude::*;

#[pymodule]
mod _arcbatt {
    use arcbatt::task::install;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::cluster::Worker;
    #[pymodule_export]
    use crate::data::{
        Dataset, Pair, Task, generate, install_from, load, make_pair, named_datasets, parse_task,
    };
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::evaluate::{evaluate, traces};
    #[pymodule_export]
    use crate::job::{Running, entry_of_state, parse_duration, parse_size, start, submission_of_states};
    #[pymodule_export]
    use crate::program::{Program, named_constants, parse, primitive_table, restore_program};
    #[pymodule_export]
    use crate::record::{record_report, record_view, write_atomic};
    #[pymodule_export]
    use crate::store::{store_add, store_export, store_path, store_programs};
    #[pymodule_export]
    use crate::submission::{check_submission, score_submission};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("DSL_VERSION", arcbatt::dsl::version().to_string())?;
        module.add("FUEL_PER_SECOND", arcbatt::FUEL_PER_SECOND as u64)?;
        module.add("DEFAULT_FUEL", arcbatt::dsl::Limits::STANDARD.fuel)?;
        module.add("DEMO_PROGRAMS", arcbatt::DEMO_PROGRAMS)?;
        let package = format!("{}=={}", install::PACKAGE, install::VERSION);
        module.add("DATA_PACKAGE", package)?;
        module.add("PALETTES", crate::convert::palettes())
    }
}
