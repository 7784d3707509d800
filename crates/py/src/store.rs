//! The store of programs. Every call opens the file anew, so that a store can be pickled and used after a fork.

use std::path::PathBuf;

use arcbatt::battery::Unwatched;
use arcbatt::dsl::Limits;
use arcbatt::store::{Added, Entry, Exported, Measure, Origin, Store, Stored, export};
use arcbatt::verify::task_of;
use arcbatt::{Measurer, StoreReader, default_store};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::dict;
use crate::data::{Task, dataset};
use crate::error::{exception, job_error, store_error};
use crate::interrupt::{interruptible, shared_pool};
use crate::program::Program;

/// Returns the path of the user's default store.
#[pyfunction]
pub(crate) fn store_path(py: Python<'_>) -> PyResult<PathBuf> {
    let text = "this user has no home folder for the store; name a file";
    default_store().ok_or_else(|| exception(py, "ArgumentError", (text,)))
}

/// The stored programs; of one task, best first.
fn listed(
    store: &Store,
    task: Option<&Task>,
) -> Result<Vec<(Stored, Vec<Measure>)>, arcbatt::store::StoreError> {
    match task {
        Some(task) => {
            let ranked = store.best_for(task.task.sealed_hash())?.into_iter();
            Ok(ranked.map(|ranked| (ranked.stored, vec![ranked.measure])).collect())
        }
        None => store
            .list()?
            .into_iter()
            .map(|stored| Ok((store.measures_of(stored.hash)?, stored)))
            .map(|pair: Result<_, arcbatt::store::StoreError>| {
                pair.map(|(measures, stored)| (stored, measures))
            })
            .collect(),
    }
}

/// A program, its origin, and its results.
type StoredProgram<'py> = (Program, &'static str, Vec<Bound<'py, PyDict>>);

/// Returns the programs of a store with their results. Programs that can no longer be read are left out.
#[pyfunction]
#[pyo3(signature = (path, task = None))]
pub(crate) fn store_programs<'py>(
    py: Python<'py>,
    path: PathBuf,
    task: Option<&Bound<'py, Task>>,
) -> PyResult<(Vec<StoredProgram<'py>>, Option<String>)> {
    let task = task.map(|task| task.get());
    let read = py.detach(|| {
        let store = Store::open_existing(&path)?;
        let listed = listed(&store, task)?;
        let mut reader = StoreReader::new(&store);
        let programs = listed.into_iter().filter_map(|(stored, measures)| {
            let program = reader.read(&stored)?;
            // A program that several tasks share has a name for each.
            let of_task = |name: &&String| task.is_some_and(|task| name.ends_with(&task.task.id));
            let name = stored.names.iter().find(of_task).or(stored.names.first());
            let program = match name {
                Some(name) => program.renamed(name),
                None => program,
            };
            Some((program, stored.origin.name(), measures))
        });
        let programs: Vec<_> = programs.collect();
        Ok((programs, reader.warning()))
    });
    let (programs, warning) = read.map_err(|error: arcbatt::store::StoreError| store_error(py, &error))?;
    let row = |measure: &Measure| {
        dict(
            py,
            [
                ("task", measure.task_name.as_str().into_pyobject(py)?.into_any()),
                ("right", measure.right.into_pyobject(py)?.into_any()),
                ("pairs", measure.pairs.into_pyobject(py)?.into_any()),
                ("score", (f64::from(measure.score) / 1e6).into_pyobject(py)?.into_any()),
                ("fuel", measure.fuel.into_pyobject(py)?.into_any()),
            ],
        )
    };
    let rows = programs.into_iter().map(|(program, origin, measures)| {
        let measures = measures.iter().map(row).collect::<PyResult<Vec<_>>>()?;
        Ok((Program::of(program), origin, measures))
    });
    Ok((rows.collect::<PyResult<_>>()?, warning))
}

/// Adds programs, each measured on the task that it is named after. Returns the number of new ones.
#[pyfunction]
pub(crate) fn store_add(
    py: Python<'_>,
    path: PathBuf,
    programs: Vec<Py<Program>>,
    tasks: Vec<Py<Task>>,
    file: String,
) -> PyResult<usize> {
    let programs: Vec<_> = programs.iter().map(|program| (*program.get().program).clone()).collect();
    let dataset = dataset("tasks", &tasks);
    let pool = shared_pool(py)?;
    let added = interruptible(py, |_| {
        let measurer = Measurer { pool: &pool, limits: Limits::STANDARD };
        let (mut entries, mut tests) = (Vec::new(), Vec::new());
        for program in programs {
            let measured = match task_of(program.name(), &dataset) {
                Some(task) => measurer.measure(std::slice::from_ref(&program), task, &Unwatched)?,
                None => Vec::new(),
            };
            tests.extend(measured.iter().filter_map(|it| it.test));
            let measures = measured.into_iter().map(|it| it.measure).collect();
            entries.push(Entry { program, origin: Origin::Imported { file: file.clone() }, measures });
        }
        let mut store = Store::open(&path)?;
        let added = store.add(&entries)?;
        store.seal(&tests)?;
        Ok(added.iter().filter(|added| matches!(added, Added::New)).count())
    })?;
    added.map_err(|error| job_error(py, &error))
}

/// Returns stored programs as the text of a program file.
#[pyfunction]
#[pyo3(signature = (path, task = None))]
pub(crate) fn store_export(
    py: Python<'_>,
    path: PathBuf,
    task: Option<&Bound<'_, Task>>,
) -> PyResult<String> {
    let task = task.map(|task| task.get());
    let text = py.detach(|| {
        let store = Store::open_existing(&path)?;
        let listed = listed(&store, task)?;
        let exported = listed.iter().map(|(stored, measures)| Exported {
            stored,
            task: measures.first().map(|measure| measure.task_name.as_str()),
        });
        export(exported)
    });
    text.map_err(|error| store_error(py, &error))
}
