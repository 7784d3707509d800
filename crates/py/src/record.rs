//! Records: their report and the views of their profile.

use arcbatt::page;
use arcbatt::record::Record;
use arcbatt::report::view::{Dsl, Framework, Lines, Phases, Tasks};
use arcbatt::report::{Facts, Selection, export};
use pyo3::prelude::*;

use crate::convert::loads;
use crate::error::{exception, message};

fn parse(py: Python<'_>, text: &str) -> PyResult<Record> {
    py.detach(|| Record::parse(text.as_bytes())).map_err(|error| message(py, "DataError", &error.to_string()))
}

/// Writes a file at once: readers see the old file or the new one.
#[pyfunction]
pub(crate) fn write_atomic(py: Python<'_>, path: std::path::PathBuf, text: &str) -> PyResult<()> {
    Ok(py.detach(|| arcbatt::base::write_atomic(&path, text.as_bytes()))?)
}

/// Returns the report of one record, or of two side by side, as one HTML page. Each has a name.
#[pyfunction]
pub(crate) fn record_report(py: Python<'_>, records: Vec<(String, String)>) -> PyResult<String> {
    let records = records.into_iter().map(|(name, text)| Ok((name, parse(py, &text)?)));
    let records = records.collect::<PyResult<Vec<_>>>()?;
    let mut out = Vec::new();
    let written = py.detach(|| page::write(&records, &mut out));
    written.map_err(|error| exception(py, "EngineError", (error.to_string(),)))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Returns a view of a record's profile as data.
#[pyfunction]
#[pyo3(signature = (text, view, program = None))]
pub(crate) fn record_view<'py>(
    py: Python<'py>,
    text: &str,
    view: &str,
    program: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    /// A task is an outlier if its time is this many times the median absolute deviation above the median.
    const OUTLIER: f64 = 5.0;
    let record = parse(py, text)?;
    let wrong = |error: arcbatt::report::ReportError| message(py, "ArgumentError", &error.to_string());
    let facts = Facts::new(&record, &Selection::default()).map_err(wrong)?;
    let text = match view {
        "dsl" => serde_json::to_string(&Dsl::new(&facts)),
        "framework" => serde_json::to_string(&Framework::new(&facts)),
        "phases" => {
            let n_tasks = facts.record.tasks.len();
            serde_json::to_string(&Phases::new(std::slice::from_ref(&facts), n_tasks).map_err(wrong)?)
        }
        "tasks" => serde_json::to_string(&Tasks::new(&facts, OUTLIER).map_err(wrong)?),
        "csv" => {
            let mut out = Vec::new();
            export::write(&facts, export::Format::Csv, None, &mut out).map_err(wrong)?;
            return Ok(String::from_utf8_lossy(&out).into_pyobject(py)?.into_any());
        }
        "lines" => serde_json::to_string(&Lines::new(&facts, program).map_err(wrong)?),
        _ => {
            let text = format!(
                "{view:?} is not a view; use \"dsl\", \"framework\", \"phases\", \"tasks\" or \"lines\""
            );
            return Err(exception(py, "ArgumentError", (text,)));
        }
    };
    let text = text.map_err(|error| exception(py, "EngineError", (error.to_string(),)))?;
    loads(py, &text)
}
