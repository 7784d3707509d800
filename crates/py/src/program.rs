//! Programs: text in, a function of a grid out.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arcbatt::Stop;
use arcbatt::base::with_enough_stack;
use arcbatt::dsl::{ConstantValue, Cx, Limits, constants, registry};
use arcbatt::exec::{self, Outcome, Sample};
use arcbatt::explain::explain;
use arcbatt::lang::{self, Severity};
use arcbatt::resolve::{Resolution, resolve};
use arcbatt::score::Verdict;
use arcbatt::task;
use arcbatt::value::{Arena, Fail, Value};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rayon::prelude::*;

use crate::convert::{Cells, Plain, Reduced, dict};
use crate::data::Task;
use crate::error::exception;
use crate::interrupt::{interruptible, pool};

/// A program: a function of a grid, or of a grid and the demonstration pairs of a task.
///
/// Calling it runs it: `program(grid, *, task=None, fuel=DEFAULT_FUEL)` returns a Grid, or an int, bool, tuple or
/// frozenset if the result is not a grid (a function becomes its text). A program that fails raises `ProgramFailed`, and
/// one that needs more than `fuel` `OutOfFuel`. A program that reads demonstration pairs needs `task`.
///
/// Two programs are equal if they compute the same in the same way, whatever their names and layout. `source` is the
/// text as it was written; `str(program)` is the canonical text, which is the same for equal programs but for the name.
///
/// >>> import arcbatt
/// >>> p = arcbatt.program("def turn(I): return rot90(I)")
/// >>> p([[1, 2], [3, 4]])
/// Grid([[3, 1],
///       [4, 2]], dtype=int8)
#[pyclass(frozen, module = "arcbatt")]
pub(crate) struct Program {
    pub(crate) program: Arc<lang::Program>,
}

thread_local! {
    /// Memory that the calls of a thread share.
    static MEMORY: RefCell<Option<Arena>> = const { RefCell::new(None) };
}

/// The result of a call, copied from its arena.
pub(crate) type Called = Result<Plain, Failed>;

pub(crate) struct Failed {
    kind: &'static str,
    text: String,
    line: u32,
    primitive: Option<&'static str>,
}

impl Failed {
    fn new(program: &lang::Program, failure: &exec::Failure) -> Failed {
        Failed {
            kind: Verdict::Failed(failure.fail).name(),
            text: failure.describe(program),
            line: program.node(failure.node).line,
            primitive: failure.primitive.map(|symbol| symbol.name),
        }
    }

    fn too_large() -> Failed {
        Failed {
            kind: Verdict::Failed(Fail::TooLarge).name(),
            text: "the grid is too large".to_owned(),
            line: 0,
            primitive: None,
        }
    }

    fn to_exception(&self, py: Python<'_>) -> PyErr {
        let Failed { kind, ref text, line, primitive } = *self;
        let class = if kind == Verdict::Failed(Fail::Fuel).name() { "OutOfFuel" } else { "ProgramFailed" };
        exception(py, class, (text, kind, line, primitive))
    }
}

/// Runs a program on a grid, and passes the outcome to `read`.
pub(crate) fn run_on<T>(
    program: &lang::Program,
    cells: &Cells,
    task: Option<&task::Task>,
    fuel: u64,
    stop: Option<&AtomicBool>,
    read: impl FnOnce(&Arena, Outcome<'_>) -> T,
) -> Option<T> {
    MEMORY.with_borrow_mut(|memory| {
        let arena = memory.get_or_insert_with(|| Arena::new(Limits::STANDARD.caps));
        arena.reset();
        let arena = &*arena;
        let input = arena.grid(cells.width, &cells.cells).ok()?;
        let samples = task.map_or(Ok(Value::EMPTY_TUPLE), |task| task.samples(arena)).ok()?;
        let cx = Cx::new(arena, fuel, stop).with_table(exec::kernel_table());
        with_enough_stack(|| Some(read(arena, exec::run(program, Sample { input, samples }, cx))))
    })
}

/// Runs a program on a grid.
pub(crate) fn call(
    program: &lang::Program,
    cells: &Cells,
    task: Option<&task::Task>,
    fuel: u64,
    stop: Option<&AtomicBool>,
) -> Called {
    let called = run_on(program, cells, task, fuel, stop, |arena, outcome| match outcome.result {
        Ok(value) => Ok(Plain::new(value, arena)),
        Err(failure) => Err(Failed::new(program, &failure)),
    });
    called.unwrap_or_else(|| Err(Failed::too_large()))
}

impl Program {
    pub(crate) fn of(program: lang::Program) -> Program {
        Program { program: Arc::new(program) }
    }

    /// Refuses a program that needs the pairs of a task if there is no task.
    fn check_task(&self, py: Python<'_>, task: Option<&Bound<'_, Task>>) -> PyResult<()> {
        match task.is_none() && self.program.needs_samples() {
            true => {
                let name = self.program.name();
                let text = format!("{name} reads the demonstration pairs of a task; pass task=…");
                Err(exception(py, "ArgumentError", (text,)))
            }
            false => Ok(()),
        }
    }
}

/// Returns the text of a program under its current name.
pub(crate) fn source(program: &lang::Program) -> String {
    let text = program.source();
    match text.strip_prefix("def ").and_then(|rest| rest.split_once('(')) {
        Some((name, rest)) if name.trim() != program.name() => format!("def {}({rest}", program.name()),
        _ => text.to_owned(),
    }
}

#[pymethods]
impl Program {
    /// The name of the function.
    #[getter]
    fn name(&self) -> &str {
        self.program.name()
    }

    /// The content hash. It does not depend on names and layout.
    #[getter]
    fn hash(&self) -> String {
        self.program.hash().to_string()
    }

    /// The text of the program, as it was written.
    #[getter]
    fn source(&self) -> String {
        source(&self.program)
    }

    /// The line of `def` in the text that the program was read from.
    #[getter]
    fn line(&self) -> u32 {
        self.program.line()
    }

    /// Whether the program reads the demonstration pairs of a task.
    #[getter]
    fn needs_task(&self) -> bool {
        self.program.needs_samples()
    }

    /// Runs the program on a grid. Returns a Grid, or an int, bool, tuple or frozenset if the result is not a grid.
    ///
    /// A program that fails raises `ProgramFailed`, and `OutOfFuel` if it used more than `fuel`.
    #[pyo3(signature = (grid, /, *, task = None, fuel = Limits::STANDARD.fuel))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        grid: &Bound<'py, PyAny>,
        task: Option<&Bound<'py, Task>>,
        fuel: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let cells = Cells::extract(grid)?;
        self.check_task(py, task)?;
        let (program, task) = (&*self.program, task.map(|task| &*task.get().task));
        // Standard fuel ends within a second. With more, or with learners, Ctrl-C must work.
        let called = if fuel <= Limits::STANDARD.fuel && !program.needs_samples() {
            py.detach(|| call(program, &cells, task, fuel, None))
        } else {
            interruptible(py, |stop| call(program, &cells, task, fuel, Some(stop)))?
        };
        match called {
            Ok(value) => value.to_python(py),
            Err(failed) => Err(failed.to_exception(py)),
        }
    }

    /// Runs the program on many grids, in parallel. Returns the results in order.
    ///
    /// The first failure is raised; with `on_error="return"`, exceptions take the place of results.
    ///
    /// >>> import arcbatt
    /// >>> arcbatt.program("def n(I): return height(I)").map([[[1]], [[1], [2]]])
    /// [1, 2]
    #[pyo3(signature = (grids, *, task = None, fuel = Limits::STANDARD.fuel, threads = 0, on_error = "raise"))]
    fn map<'py>(
        &self,
        py: Python<'py>,
        grids: &Bound<'py, PyAny>,
        task: Option<&Bound<'py, Task>>,
        fuel: u64,
        threads: usize,
        on_error: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        if !["raise", "return"].contains(&on_error) {
            let text = format!("on_error is \"raise\" or \"return\", not {on_error:?}");
            return Err(exception(py, "ArgumentError", (text,)));
        }
        self.check_task(py, task)?;
        let grids = grids.try_iter()?.map(|grid| Cells::extract(&grid?)).collect::<PyResult<Vec<_>>>()?;
        let (program, task, pool) = (&*self.program, task.map(|task| &*task.get().task), pool(py, threads)?);
        let called: Vec<Called> = interruptible(py, |stop| {
            pool.install(|| {
                grids.par_iter().map(|cells| call(program, cells, task, fuel, Some(stop))).collect()
            })
        })?;
        let list = PyList::empty(py);
        for result in called {
            match result {
                Ok(value) => list.append(value.to_python(py)?)?,
                Err(failed) if on_error == "return" => list.append(failed.to_exception(py).into_value(py))?,
                Err(failed) => return Err(failed.to_exception(py)),
            }
        }
        Ok(list)
    }

    /// Runs the program on a grid and returns the value of every line. It draws itself in a notebook.
    ///
    /// >>> import arcbatt
    /// >>> trace = arcbatt.program("def f(I):\n    x = rot90(I)\n    return height(x)").trace([[1, 2, 3]])
    /// >>> [(line.line, line.name, line.value) for line in trace][1:]
    /// [(3, None, 3)]
    #[pyo3(signature = (grid, /, *, task = None, fuel = Limits::STANDARD.fuel))]
    fn trace<'py>(
        slf: &Bound<'py, Self>,
        grid: &Bound<'py, PyAny>,
        task: Option<&Bound<'py, Task>>,
        fuel: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        slf.get().check_task(py, task)?;
        let cells = Cells::extract(grid)?;
        let (program, task) = (&*slf.get().program, task.map(|task| &*task.get().task));
        type Line = (u32, Option<String>, Option<&'static str>, Plain);
        let traced = interruptible(py, |stop| {
            run_on(program, &cells, task, fuel, Some(stop), |arena, outcome| {
                let lines = outcome.calls(program).map(|(node, value)| {
                    let primitive = node.primitive().map(|symbol| symbol.name);
                    (node.line, node.name().map(str::to_owned), primitive, Plain::new(value, arena))
                });
                let lines: Vec<Line> = lines.collect();
                (lines, outcome.result.err().map(|failure| Failed::new(program, &failure)), outcome.fuel)
            })
        })?;
        let Some((lines, failed, fuel)) = traced else { return Err(Failed::too_large().to_exception(py)) };
        let list = PyList::empty(py);
        for (line, name, primitive, value) in &lines {
            list.append((line, name, primitive, value.to_python(py)?))?;
        }
        let failed = failed.map(|failed| failed.to_exception(py).into_value(py));
        let grid = crate::convert::grid(py, cells.width, &cells.cells)?;
        py.import("arcbatt._programs")?.getattr("Trace")?.call_method1("_of", (slf, grid, list, failed, fuel))
    }

    /// Explains the rules that the program learns from a task, in words.
    ///
    /// >>> import arcbatt
    /// >>> task = arcbatt.load("demo")["kaleidoscope"]
    /// >>> arcbatt.program("def f(S, I, C): return learn_transform(S, ONE_STEP, F0)(I)").explain(task)
    /// ['mirror-tiled 2×2']
    fn explain(&self, py: Python<'_>, task: &Bound<'_, Task>) -> PyResult<Vec<String>> {
        let (program, task) = (&*self.program, &*task.get().task);
        let rules = interruptible(py, |stop| {
            let rules = explain(program, task, Limits::STANDARD, Stop::new(stop, &|| {}));
            rules.map(|rules| rules.iter().map(|rule| rule.explanation.words.to_string()).collect::<Vec<_>>())
        })?;
        rules.map_err(|text| exception(py, "ProgramFailed", (text,)))
    }

    /// Writes the rules that the program learns from a task out as an ordinary program, in arc-dsl if possible.
    ///
    /// Returns a `Resolution` with the program, or with the reason why its rule cannot be written.
    fn resolve<'py>(slf: &Bound<'py, Self>, task: &Bound<'py, Task>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let (program, task) = (&*slf.get().program, &*task.get().task);
        let resolution = interruptible(py, |stop| resolve(program, task, Limits::STANDARD, Some(stop)))?;
        let comment = resolution.comment(task);
        let (written, arc_dsl) = match resolution {
            Resolution::Resolved { program, is_arc_dsl } => {
                (Some(Bound::new(py, Program::of(program))?), is_arc_dsl)
            }
            Resolution::Ordinary { is_arc_dsl } => (Some(slf.clone()), is_arc_dsl),
            Resolution::Kept(_) => (None, false),
        };
        py.import("arcbatt._programs")?.getattr("Resolution")?.call1((written, arc_dsl, comment))
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("arcbatt._html")?.call_method1("program", (slf,))?.extract()
    }

    fn __str__(&self) -> String {
        lang::print(&self.program)
    }

    fn __repr__(&self) -> String {
        format!("<Program {} {:.8}>", self.program.name(), self.program.hash().to_string())
    }

    fn __eq__(&self, other: &Program) -> bool {
        self.program.hash() == other.program.hash()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.program.hash().bytes().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (String, u32)>> {
        let make = py.import("arcbatt._arcbatt")?.getattr("restore_program")?;
        Ok((make, (source(&self.program), self.program.line())))
    }
}

/// Returns the primitives: name, signature, family, aliases, summary.
#[pyfunction]
pub(crate) fn primitive_table() -> Vec<(&'static str, String, &'static str, Vec<&'static str>, &'static str)>
{
    let families = registry().families();
    let rows = families.flat_map(|(family, members)| {
        members
            .into_iter()
            .map(|it| (it.name, it.signature(), family.name, it.aliases.to_vec(), it.summary()))
    });
    rows.collect()
}

/// Returns the named constants with their values.
#[pyfunction]
pub(crate) fn named_constants(py: Python<'_>) -> PyResult<Vec<(&'static str, Bound<'_, PyAny>)>> {
    let value = |value| {
        Ok::<_, PyErr>(match value {
            ConstantValue::Bool(bool) => bool.into_pyobject(py)?.to_owned().into_any(),
            ConstantValue::Int(int) => int.into_pyobject(py)?.into_any(),
            ConstantValue::Pair(row, column) => (row, column).into_pyobject(py)?.into_any(),
        })
    };
    constants().iter().map(|constant| Ok((constant.name, value(constant.value)?))).collect()
}

/// Restores a pickled program. Line numbers stay those of its file.
#[pyfunction]
pub(crate) fn restore_program(py: Python<'_>, source: &str, line: usize) -> PyResult<Program> {
    let text = "\n".repeat(line.saturating_sub(1)) + source;
    let program = lang::parse(&text).programs.into_iter().next();
    let text = "this program was written by another version of arcbatt, and this version cannot read it";
    program.map(Program::of).ok_or_else(|| exception(py, "DataError", (text,)))
}

/// Parses a text. Returns the programs without errors, and all problems. If `file` is named after a task, so are its
/// programs.
#[pyfunction]
#[pyo3(signature = (text, file = "<text>"))]
pub(crate) fn parse<'py>(
    py: Python<'py>,
    text: &str,
    file: &str,
) -> PyResult<(Vec<Program>, Vec<Bound<'py, PyDict>>)> {
    let parsed = py.detach(|| {
        let options = lang::Options::default();
        with_enough_stack(|| arcbatt::ProgramFile::new(file.as_ref(), text.as_bytes(), options).parsed)
    });
    let problem = |problem: &lang::Problem| {
        let (line, column) = problem.place(text);
        let n = text
            .get(problem.span.range())
            .map_or(1, |it| it.lines().next().unwrap_or_default().chars().count());
        let source = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        let severity = if problem.severity == Severity::Error { "error" } else { "warning" };
        dict(
            py,
            [
                ("severity", severity.into_pyobject(py)?.into_any()),
                ("message", problem.message.as_str().into_pyobject(py)?.into_any()),
                ("hint", problem.label.as_str().into_pyobject(py)?.into_any()),
                ("help", problem.help.as_deref().into_pyobject(py)?),
                ("line", line.into_pyobject(py)?.into_any()),
                ("column", column.into_pyobject(py)?.into_any()),
                ("end_column", (column + n.max(1)).into_pyobject(py)?.into_any()),
                ("source", source.into_pyobject(py)?.into_any()),
                ("text", problem.render(file, text, false).into_pyobject(py)?.into_any()),
            ],
        )
    };
    let problems = parsed.problems.iter().map(problem).collect::<PyResult<_>>()?;
    Ok((parsed.programs.into_iter().map(Program::of).collect(), problems))
}
