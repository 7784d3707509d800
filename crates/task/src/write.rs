//! Writes tasks as JSON in the public formats, without white space.

use std::fmt::Write;

use crate::{Grid, Pair, Part, Task};

/// Returns the text of a task file.
pub fn task_json(task: &Task) -> String {
    let mut out = String::new();
    write_task(task, &mut out);
    out
}

/// Returns all tasks in one object, as in a challenges file or a part of a bundle, with known test outputs.
pub fn tasks_json<'t>(tasks: impl IntoIterator<Item = &'t Task>) -> String {
    let mut out = String::from("{");
    for (i, task) in tasks.into_iter().enumerate() {
        out.push_str(if i == 0 { "" } else { ",\n" });
        out.push_str(&serde_json::to_string(&task.id).expect("a string can be written as JSON"));
        out.push(':');
        write_task(task, &mut out);
    }
    out.push_str("}\n");
    out
}

/// Returns a list of grids, as in a solutions file.
pub(crate) fn grids_json(grids: &[Grid]) -> String {
    let mut out = String::new();
    list(grids, &mut out, write_grid);
    out
}

fn write_task(task: &Task, out: &mut String) {
    for part in Part::ALL {
        let pairs = task.part(part);
        if part == Part::Extra && pairs.is_empty() {
            continue;
        }
        let open = if part == Part::Train { '{' } else { ',' };
        write!(out, "{open}\"{}\":", part.name()).expect("writing to a string never fails");
        list(pairs, out, write_pair);
    }
    out.push('}');
}

fn write_pair(pair: &Pair, out: &mut String) {
    out.push_str("{\"input\":");
    write_grid(&pair.input, out);
    if let Some(output) = &pair.output {
        out.push_str(",\"output\":");
        write_grid(output, out);
    }
    out.push('}');
}

fn write_grid(grid: &Grid, out: &mut String) {
    list(grid.rows(), out, |row, out| list(row, out, |cell, out| out.push((b'0' + *cell as u8) as char)));
}

fn list<T>(items: impl IntoIterator<Item = T>, out: &mut String, each: impl Fn(T, &mut String)) {
    out.push('[');
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        each(item, out);
    }
    out.push(']');
}
