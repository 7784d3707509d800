//! Conversion between Python's values and ours.

use arcbatt::palette;
use arcbatt::value::{Arena, Kind, Value};
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PyTuple};

/// A grid that a caller gives to a program: cells row by row.
pub(crate) struct Cells {
    pub(crate) width: usize,
    pub(crate) cells: Vec<i8>,
}

impl Cells {
    /// Reads an array of integers, or rows of integers.
    pub(crate) fn extract(any: &Bound<'_, PyAny>) -> PyResult<Cells> {
        // The type that most callers pass is tried first.
        if let Ok(buffer) = PyBuffer::<i8>::get(any) {
            return Cells::of_buffer(any.py(), &buffer, i64::from);
        }
        macro_rules! try_buffers {
            ($($type:ty),*) => {$(
                if let Ok(buffer) = PyBuffer::<$type>::get(any) {
                    return Cells::of_buffer(any.py(), &buffer, |cell| cell as i64);
                }
            )*};
        }
        try_buffers!(i64, u8, i32, i16, u16, u32, u64);
        if any.hasattr("dtype")? && any.getattr("dtype")?.getattr("kind")?.eq("b")? {
            return Cells::extract(&any.call_method1("astype", ("int8",))?);
        }
        let rows: Vec<Vec<i64>> = any.extract().map_err(|_| {
            let kind = any
                .getattr("dtype")
                .and_then(|dtype| dtype.str())
                .map(|dtype| format!("an array of {dtype}"));
            let kind = kind.or_else(|_| any.get_type().name().map(|name| format!("this {name}")));
            let kind = kind.unwrap_or_else(|_| "this object".to_owned());
            PyTypeError::new_err(format!(
                "a grid is a 2-d array of integers or a list of rows of integers, not {kind}"
            ))
        })?;
        let width = rows.first().map_or(0, Vec::len);
        if let Some((row, cells)) = rows.iter().enumerate().find(|(_, row)| row.len() != width) {
            let n = cells.len();
            return Err(PyValueError::new_err(format!(
                "row {row} of the grid has {n} cells, row 0 has {width}"
            )));
        }
        Cells::new(width, rows.into_iter().flatten())
    }

    fn of_buffer<T: Element>(
        py: Python<'_>,
        buffer: &PyBuffer<T>,
        wide: impl Fn(T) -> i64,
    ) -> PyResult<Cells> {
        let &[_, width] = buffer.shape() else {
            let n = buffer.dimensions();
            return Err(PyValueError::new_err(format!("a grid has 2 dimensions, this array has {n}")));
        };
        Cells::new(width, buffer.to_vec(py)?.into_iter().map(wide))
    }

    fn new(width: usize, cells: impl Iterator<Item = i64>) -> PyResult<Cells> {
        let cells = cells.enumerate().map(|(at, cell)| {
            i8::try_from(cell).map_err(|_| {
                let (row, column) = (at / width, at % width);
                PyValueError::new_err(format!(
                    "row {row}, column {column} of the grid is {cell}; cells are whole numbers from -128 to 127"
                ))
            })
        });
        let cells: Vec<i8> = cells.collect::<PyResult<_>>()?;
        match cells.is_empty() {
            true => Err(PyValueError::new_err("the grid has no cells")),
            false => Ok(Cells { width, cells }),
        }
    }
}

/// Creates an `arcbatt.Grid`: a read-only array whose memory is a `bytes` object.
pub(crate) fn grid<'py>(py: Python<'py>, width: usize, cells: &[i8]) -> PyResult<Bound<'py, PyAny>> {
    static MAKE: PyOnceLock<(Py<PyAny>, Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();
    let (new, class, int8) = MAKE.get_or_try_init(py, || {
        let numpy = py.import("numpy")?;
        let class = py.import("arcbatt._grid")?.getattr("Grid")?.unbind();
        let new = numpy.getattr("ndarray")?.getattr("__new__")?.unbind();
        let int8 = numpy.getattr("dtype")?.call1(("int8",))?.unbind();
        Ok::<_, PyErr>((new, class, int8))
    })?;
    let bytes = PyBytes::new_with(py, cells.len(), |bytes| {
        bytes.iter_mut().zip(cells).for_each(|(byte, cell)| *byte = *cell as u8);
        Ok(())
    })?;
    let shape = (cells.len() / width.max(1), width);
    new.bind(py).call1((class.bind(py), shape, int8.bind(py), bytes))
}

/// A value that outlives its run and its thread.
pub(crate) enum Plain {
    Grid(usize, Vec<i8>),
    /// Any other value in postfix order: members first, then their container. A tree of boxes would need stack to be
    /// dropped, and Python's threads may have little.
    Other(Vec<Token>),
}

pub(crate) enum Token {
    None,
    Bool(bool),
    Int(i64),
    /// A tuple of the last values.
    Tuple(usize),
    /// A set of the last values.
    Set(usize),
    /// The text of a function.
    Function(String),
}

impl Plain {
    /// Copies a value. Only a grid that is not part of another value becomes [`Plain::Grid`], because arrays cannot be
    /// members of sets.
    pub(crate) fn new<'a>(value: Value<'a>, arena: &'a Arena) -> Plain {
        if let Value::Grid(grid) = value {
            return Plain::Grid(grid.width(), grid.cells().to_vec());
        }
        let mut tokens = Vec::new();
        write(value, arena, &mut tokens);
        Plain::Other(tokens)
    }

    pub(crate) fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tokens = match self {
            Plain::Grid(width, cells) => return grid(py, *width, cells),
            Plain::Other(tokens) => tokens,
        };
        let mut values: Vec<Bound<'py, PyAny>> = Vec::new();
        for token in tokens {
            let value = match token {
                Token::None => py.None().into_bound(py),
                Token::Bool(bool) => bool.into_pyobject(py)?.to_owned().into_any(),
                Token::Int(int) => int.into_pyobject(py)?.into_any(),
                Token::Tuple(n) => PyTuple::new(py, values.split_off(values.len() - n))?.into_any(),
                Token::Set(n) => PyFrozenSet::new(py, values.split_off(values.len() - n))?.into_any(),
                Token::Function(text) => text.into_pyobject(py)?.into_any(),
            };
            values.push(value);
        }
        Ok(values.pop().unwrap_or_else(|| py.None().into_bound(py)))
    }
}

fn write<'a>(value: Value<'a>, arena: &'a Arena, tokens: &mut Vec<Token>) {
    let mut items = || {
        let mut n = 0;
        for item in value.items(arena).into_iter().flatten() {
            write(item, arena, tokens);
            n += 1;
        }
        n
    };
    let token = match value.kind() {
        Kind::None => Token::None,
        Kind::Bool => Token::Bool(value.truth()),
        Kind::Int => Token::Int(value.as_int().unwrap_or_default()),
        Kind::Tuple => Token::Tuple(items()),
        Kind::Set => Token::Set(items()),
        Kind::Func => Token::Function(value.to_string()),
    };
    tokens.push(token);
}

/// Reads a JSON text into Python's values.
pub(crate) fn loads<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let loads =
        LOADS.get_or_try_init(py, || Ok::<_, PyErr>(py.import("json")?.getattr("loads")?.unbind()))?;
    loads.bind(py).call1((json,))
}

/// The colours of every palette as `#rrggbb`, and its line colour as the last.
pub(crate) fn palettes() -> std::collections::BTreeMap<&'static str, Vec<String>> {
    let hex = |(r, g, b): palette::Rgb| format!("#{r:02x}{g:02x}{b:02x}");
    palette::ALL
        .iter()
        .map(|it| (it.name, it.colors.iter().copied().chain([it.line]).map(hex).collect()))
        .collect()
}

/// Creates a dictionary from names and values.
pub(crate) fn dict<'py, const N: usize>(
    py: Python<'py>,
    items: [(&str, Bound<'py, PyAny>); N],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in items {
        dict.set_item(name, value)?;
    }
    Ok(dict)
}

/// The result of `__reduce__`: pickle restores an object by calling this function with these arguments.
pub(crate) type Reduced<'py, A> = (Bound<'py, PyAny>, A);
