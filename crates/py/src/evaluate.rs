//! Evaluation of many program texts, and traces of them.

use std::sync::atomic::Ordering;

use arcbatt::dsl::Limits;
use arcbatt::score::Verdict;
use arcbatt::task::{self, Part};
use arcbatt::value::{Kind, to_json};
use arcbatt::{Evaluated, Evaluation, lang};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rayon::prelude::*;

use crate::convert::{Cells, dict};
use crate::data::{Task, parts};
use crate::error::exception;
use crate::interrupt::{interruptible, pool};
use crate::program::run_on;

/// Evaluates texts on tasks. Returns arrays as bytes, each with a row for every text and a column for every pair.
#[pyfunction]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    texts: Vec<String>,
    task_of: Vec<usize>,
    tasks: Vec<Py<Task>>,
    part_names: Vec<String>,
    fuel: u64,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let (parts, pool) = (parts(py, &part_names)?, pool(py, threads)?);
    let tasks: Vec<&task::Task> = tasks.iter().map(|task| &*task.get().task).collect();
    let arrays = interruptible(py, |stop| {
        let evaluation = Evaluation { texts: &texts, task_of: &task_of, tasks: &tasks, parts: &parts, fuel };
        let columns = tasks.iter().map(|task| parts.iter().map(|part| task.part(*part).len()).sum()).max();
        arcbatt::evaluate(&pool, &evaluation, stop).map(|it| Arrays::new(&it, columns.unwrap_or(0)))
    })?;
    let arrays = arrays.ok_or_else(|| exception(py, "EngineError", ("the evaluation was stopped",)))?;
    let bytes = |bytes: &[u8]| PyBytes::new(py, bytes).into_any();
    let kinds: Vec<&str> = Verdict::ALL.iter().map(|verdict| verdict.name()).collect();
    dict(
        py,
        [
            ("columns", arrays.columns.into_pyobject(py)?.into_any()),
            ("kind", bytes(&arrays.kind)),
            ("closeness", bytes(&arrays.closeness)),
            ("score", bytes(&arrays.score)),
            ("fuel", bytes(&arrays.fuel)),
            ("kinds", kinds.into_pyobject(py)?),
            ("problems", arrays.problems.into_pyobject(py)?),
        ],
    )
}

struct Arrays {
    columns: usize,
    /// The index of the verdict, or -1 without a pair.
    kind: Vec<u8>,
    closeness: Vec<u8>,
    score: Vec<u8>,
    fuel: Vec<u8>,
    problems: Vec<Option<String>>,
}

impl Arrays {
    fn new(evaluated: &[Evaluated], columns: usize) -> Arrays {
        let n = evaluated.len() * columns;
        let mut arrays = Arrays {
            columns,
            kind: Vec::with_capacity(n),
            closeness: Vec::with_capacity(4 * n),
            score: Vec::with_capacity(4 * n),
            fuel: Vec::with_capacity(8 * n),
            problems: evaluated.iter().map(|it| it.problem.clone()).collect(),
        };
        let float = |value: Option<f64>| value.map_or(f32::NAN, |value| value as f32).to_ne_bytes();
        for pair in evaluated.iter().flat_map(|it| (0..columns).map(|column| it.pairs.get(column))) {
            let kind = pair.and_then(|pair| Verdict::ALL.iter().position(|it| *it == pair.verdict));
            arrays.kind.push(kind.map_or(u8::MAX, |kind| kind as u8));
            arrays.closeness.extend(float(pair.and_then(|pair| pair.closeness)));
            arrays.score.extend(float(pair.and_then(|pair| pair.score)));
            arrays.fuel.extend(pair.map_or(0, |pair| pair.fuel).to_ne_bytes());
        }
        arrays
    }
}

/// A row of a trace: text, part, pair, line, name, function, kind, value as JSON.
type Row = (usize, &'static str, usize, u32, Option<String>, Option<&'static str>, &'static str, String);

/// Returns the value of every line of every text on every pair of its task. A text with errors has no rows.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by one function of the package")]
pub(crate) fn traces(
    py: Python<'_>,
    texts: Vec<String>,
    task_of: Vec<usize>,
    tasks: Vec<Py<Task>>,
    part_names: Vec<String>,
    fuel: u64,
    threads: usize,
    max_weight: u32,
) -> PyResult<Vec<Row>> {
    let (parts, pool) = (parts(py, &part_names)?, pool(py, threads)?);
    let tasks: Vec<&task::Task> = tasks.iter().map(|task| &*task.get().task).collect();
    let limits = Limits { fuel, ..Limits::STANDARD };
    let rows: Vec<Vec<Row>> = interruptible(py, |stop| {
        let one = |(i, text): (usize, &String)| {
            let parsed = lang::parse(text);
            let program = parsed.programs.last().filter(|_| parsed.n_errors == 0);
            let mut rows = Vec::new();
            for part in program.iter().flat_map(|_| &parts) {
                for (n, pair) in tasks[task_of[i]].part(*part).iter().enumerate() {
                    if stop.load(Ordering::Relaxed) {
                        return rows;
                    }
                    let cells = Cells { width: pair.input.width(), cells: pair.input.cells().to_vec() };
                    let program = program.expect("there are parts only if there is a program");
                    run_on(
                        program,
                        &cells,
                        Some(tasks[task_of[i]]),
                        limits.fuel,
                        Some(stop),
                        |_, outcome| {
                            for (node, value) in outcome.calls(program) {
                                let mut json = String::new();
                                match value.weight() {
                                    weight if weight > max_weight => {
                                        json = format!("{{\"weight\":{weight}}}")
                                    }
                                    _ => to_json(value, &mut json),
                                }
                                let (name, primitive) = (node.name().map(str::to_owned), node.primitive());
                                let kind = kind(value);
                                let primitive = primitive.map(|symbol| symbol.name);
                                rows.push((i, part_name(*part), n, node.line, name, primitive, kind, json));
                            }
                        },
                    );
                }
            }
            rows
        };
        pool.install(|| texts.par_iter().enumerate().map(one).collect())
    })?;
    Ok(rows.into_iter().flatten().collect())
}

fn part_name(part: Part) -> &'static str {
    match part {
        Part::Train => "train",
        Part::Test => "test",
        Part::Extra => "extra",
    }
}

fn kind(value: arcbatt::value::Value<'_>) -> &'static str {
    match (value, value.kind()) {
        (arcbatt::value::Value::Grid(_), _) => "grid",
        (_, Kind::None) => "none",
        (_, Kind::Bool) => "bool",
        (_, Kind::Int) => "int",
        (_, Kind::Tuple) => "tuple",
        (_, Kind::Set) => "set",
        (_, Kind::Func) => "function",
    }
}
