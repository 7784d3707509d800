//! Errors of the library as Python exceptions. The classes are declared in `arcbatt/_errors.py`.

use arcbatt::store::StoreError;
use arcbatt::task::LoadError;
use arcbatt::{JobError, PoolError};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// Options and commands that messages mention, and what Python has for them.
const ARGUMENTS: [(&str, &str); 13] = [
    ("--start and -n", "start and limit"),
    ("use --overwrite", "pass overwrite=True"),
    ("use --skip-bad", "pass skip_bad=True"),
    ("omit --resume", "omit resume=True"),
    ("name one with --program, or a task with -i", "name one with program=…"),
    ("with its own options and --resume", "with its own arguments and resume=True"),
    ("name another file with --store", "name another file"),
    ("`batt data list` shows the names", "arcbatt.datasets() lists the names"),
    ("`batt data install` fetches it", "arcbatt.install() fetches it"),
    ("`batt data install` repairs it", "arcbatt.install() repairs it"),
    ("`batt programs import FILE` makes one", "Store.add makes one"),
    ("use `batt run demo --programs FILE…`", "pass programs"),
    ("make one with `batt run … --record FILE --profile`", "make one with profile=True"),
];

/// Creates an exception of a class of the package.
pub(crate) fn exception<A>(py: Python<'_>, class: &str, args: A) -> PyErr
where
    A: for<'py> PyCallArgs<'py>,
{
    let instance = py.import("arcbatt._errors").and_then(|module| module.getattr(class)?.call1(args));
    instance.map_or_else(|error| error, PyErr::from_value)
}

/// Returns a message of the library with Python's arguments instead of options.
pub(crate) fn translated(text: &str) -> String {
    ARGUMENTS.iter().fold(text.to_owned(), |text, (option, argument)| text.replace(option, argument))
}

/// Creates an exception from a message of the library.
pub(crate) fn message(py: Python<'_>, class: &str, text: &str) -> PyErr {
    exception(py, class, (translated(text),))
}

pub(crate) fn load_error(py: Python<'_>, error: &LoadError) -> PyErr {
    let class = match error {
        LoadError::Unknown { .. } | LoadError::NotInstalled { .. } => "DataNotFound",
        LoadError::NoTask { .. } => "TaskNotFound",
        LoadError::Io { .. } => "FileError",
        _ => "DataError",
    };
    message(py, class, &error.to_string())
}

pub(crate) fn job_error(py: Python<'_>, error: &JobError) -> PyErr {
    let class = match error {
        JobError::Field { .. } | JobError::Programs(_) | JobError::Expected(_) | JobError::Merge(_) => {
            "ArgumentError"
        }
        JobError::Data(_) | JobError::State { .. } => "DataError",
        JobError::Exists { .. } | JobError::Resume { .. } => "FileExists",
        JobError::Read { .. }
        | JobError::Write { .. }
        | JobError::Record { .. }
        | JobError::Rescued { .. } => "FileError",
        JobError::Store(error) => return store_error(py, error),
        JobError::Pool(PoolError::TooMany { .. }) => "ArgumentError",
        JobError::Pool(_) | JobError::Thread(_) => "EngineError",
        JobError::Cluster(_) => "ClusterError",
        JobError::Stopped => "Stopped",
    };
    message(py, class, &error.to_string())
}

pub(crate) fn store_error(py: Python<'_>, error: &StoreError) -> PyErr {
    let class = if matches!(error, StoreError::Missing { .. }) { "DataNotFound" } else { "FileError" };
    message(py, class, &error.to_string())
}
