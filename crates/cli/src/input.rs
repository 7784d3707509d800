//! The input of a program: a grid or a task.

use std::path::Path;

use anyhow::{anyhow, bail};
use arcbatt::task::{Grid, Task, parse_grid, parse_task};
use arcbatt::value::{Arena, Value};

use crate::data::TaskData;
use crate::files;
use crate::program::is_word;

pub(crate) enum Input {
    Grid(Grid),
    Task(Task),
}

impl Input {
    /// Loads an input: a grid file, a task file, `-` for standard input, or the id of a task in `data`.
    pub(crate) fn find(text: &str, data: &TaskData) -> anyhow::Result<Input> {
        match Input::file(text) {
            Some(path) => Input::read(path),
            None => data.task(text).map(Input::Task),
        }
    }

    /// Returns the file that a text means; `None` if it means the id of a task.
    pub(crate) fn file(text: &str) -> Option<&Path> {
        let path = Path::new(text);
        (files::is_file(path) || !is_word(text)).then_some(path)
    }

    fn read(path: &Path) -> anyhow::Result<Input> {
        let bytes = files::read(path)?;
        let file = files::label(path);
        let id = Path::new(file.trim_matches(['<', '>'])).file_stem().unwrap_or_default().to_string_lossy();
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        let input = match first {
            Some(b'[') => parse_grid(&bytes).map(Input::Grid),
            Some(b'{') => parse_task(&id, &bytes).map(Input::Task),
            _ => bail!("{file} is neither a grid ([[0, 1], …]) nor a task ({{\"train\": …, \"test\": …}})"),
        };
        input.map_err(|problem| anyhow!("{}", problem.in_file(file.as_str())))
    }

    /// Returns the id of the task; a grid has none.
    pub(crate) fn id(&self) -> Option<&str> {
        match self {
            Input::Grid(_) => None,
            Input::Task(task) => Some(&task.id),
        }
    }

    pub(crate) fn samples<'a>(&self, arena: &'a Arena) -> anyhow::Result<Value<'a>> {
        match self {
            Input::Grid(_) => Ok(Value::EMPTY_TUPLE),
            Input::Task(task) => task.samples(arena).map_err(anyhow::Error::msg),
        }
    }

    /// Returns the inputs to run on, each with a label and its output if known.
    pub(crate) fn pairs(&self) -> Vec<(String, &Grid, Option<&Grid>)> {
        match self {
            Input::Grid(grid) => vec![("input".to_owned(), grid, None)],
            Input::Task(task) => {
                let pairs = task.pairs();
                pairs
                    .map(|(part, i, pair)| (format!("{part} {i}"), &pair.input, pair.output.as_ref()))
                    .collect()
            }
        }
    }
}
