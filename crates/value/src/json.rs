//! The JSON form of values: numbers, booleans and null as such, a tuple as an array, a set as `{"set":
//! [ascending]}`, a function as `{"function": "its text form"}`.

use std::fmt::Write;

use crate::{Arena, Value};

/// Appends the JSON form of `value`.
pub fn to_json(value: Value<'_>, out: &mut String) {
    match value {
        Value::None => out.push_str("null"),
        Value::Bool(_) => out.push_str(if value.truth() { "true" } else { "false" }),
        Value::Int(int) => write!(out, "{int}").expect("writing to a string succeeds"),
        Value::Pair(pair) => {
            write!(out, "[{},{}]", pair.row(), pair.col()).expect("writing to a string succeeds")
        }
        Value::Cell(cell) => {
            write!(out, "[{},[{},{}]]", cell.color(), cell.row(), cell.col())
                .expect("writing to a string succeeds");
        }
        Value::Row(row) => ints(row.cells, out),
        Value::Grid(grid) => separated("[", grid.rows(), "]", out, ints),
        Value::Tuple(tuple) => separated("[", tuple.items.iter(), "]", out, |item, out| to_json(*item, out)),
        Value::Patch(patch) => separated("{\"set\":[", patch.iter(), "]}", out, to_json),
        Value::Set(set) => {
            separated("{\"set\":[", set.items.iter(), "]}", out, |item, out| to_json(*item, out));
        }
        Value::Prim(_) | Value::Func(_) => {
            write!(out, "{{\"function\":\"{value}\"}}").expect("writing to a string succeeds")
        }
    }
}

fn ints(cells: &[i8], out: &mut String) {
    separated("[", cells.iter(), "]", out, |cell, out| {
        write!(out, "{cell}").expect("writing to a string succeeds")
    });
}

fn separated<T>(
    open: &str,
    items: impl Iterator<Item = T>,
    close: &str,
    out: &mut String,
    mut write_item: impl FnMut(T, &mut String),
) {
    out.push_str(open);
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_item(item, out);
    }
    out.push_str(close);
}

/// Parses a value from its JSON form. Functions are not supported.
pub fn from_json<'a>(json: &serde_json::Value, arena: &'a Arena) -> Result<Value<'a>, String> {
    use serde_json::Value as Json;
    let members =
        |items: &Vec<Json>| items.iter().map(|item| from_json(item, arena)).collect::<Result<Vec<_>, _>>();
    match json {
        Json::Null => Ok(Value::None),
        Json::Bool(bool) => Ok((*bool).into()),
        Json::Number(number) => match number.as_i64() {
            Some(int) => Ok(Value::Int(int)),
            None => Err(format!("{number} is not a 64-bit integer")),
        },
        Json::Array(items) => arena.tuple(&members(items)?).map_err(|fail| fail.to_string()),
        Json::Object(map) => match (map.get("set"), map.len()) {
            (Some(Json::Array(items)), 1) => arena.set(&members(items)?).map_err(|fail| fail.to_string()),
            _ => Err("an object must be {\"set\": […]}".to_owned()),
        },
        Json::String(text) => Err(format!("a string is not a value: {text:?}")),
    }
}
