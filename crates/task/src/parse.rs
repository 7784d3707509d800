//! Parses tasks, grids and solutions.

use crate::json::Json;
use crate::problem::{Flaw, Problem, Side, Spot};
use crate::{Grid, Pair, Part, Task};

/// Parses the text of a task file. A problem does not name the file: see [`Problem::in_file`].
pub fn parse_task(id: &str, text: &[u8]) -> Result<Task, Problem> {
    whole_task(id, text, &mut Vec::new())
}

pub(crate) fn whole_task(id: &str, text: &[u8], scratch: &mut Vec<i8>) -> Result<Task, Problem> {
    let json = &mut start(text);
    let task = task(id, json, scratch).and_then(|task| json.end().map(|()| task));
    task.map_err(|flaw| flaw.problem("", text, Some(id)))
}

/// Parses the text of a file with a bare grid. A problem does not name the file: see [`Problem::in_file`].
pub fn parse_grid(text: &[u8]) -> Result<Grid, Problem> {
    let json = &mut start(text);
    let grid = json.grid(&mut Vec::new()).and_then(|grid| json.end().map(|()| grid));
    grid.map_err(|flaw| flaw.problem("", text, None))
}

/// Starts reading a text after the byte order mark, if there is one.
pub(crate) fn start(text: &[u8]) -> Json<'_> {
    Json::new(text, if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 })
}

/// Reads `{"train": […], "test": […], "arc-gen": […]}`; other keys are skipped.
pub(crate) fn task(id: &str, json: &mut Json<'_>, scratch: &mut Vec<i8>) -> Result<Task, Flaw> {
    json.peek();
    let start = json.at();
    let mut lists: [Option<Vec<Pair>>; 3] = [None, None, None];
    json.object("a task: {\"train\": …, \"test\": …}", |json, key, key_at| {
        let Some(part) = Part::ALL.into_iter().find(|part| part.name() == key) else { return json.skip() };
        let spot = Spot { part: Some(part), ..Spot::NONE };
        let list = &mut lists[part as usize];
        if list.is_some() {
            return Err(Flaw { spot, ..Flaw::new(key_at, "a second list with this name") });
        }
        *list = Some(pairs(part, json, scratch)?);
        Ok(())
    })?;
    let [train, test, extra] = lists;
    let missing = |part: Part| Flaw::new(start, format!("no \"{}\" list", part.name()));
    let train = train.ok_or_else(|| missing(Part::Train))?;
    let test = test.ok_or_else(|| missing(Part::Test))?;
    if train.is_empty() && test.is_empty() {
        return Err(Flaw::new(start, "the task has neither train nor test pairs"));
    }
    Ok(Task { id: id.to_owned(), train, test, extra: extra.unwrap_or_default() })
}

/// Reads the outputs of a task's test pairs from a solutions file.
pub(crate) fn solutions(json: &mut Json<'_>, scratch: &mut Vec<i8>) -> Result<Vec<Grid>, Flaw> {
    let mut grids = Vec::new();
    json.array("a list of grids", |json| {
        let spot = Spot { part: Some(Part::Test), pair: Some(grids.len()), side: Some(Side::Output) };
        grids.push(json.grid(scratch).map_err(|flaw| Flaw { spot, ..flaw })?);
        Ok(())
    })?;
    Ok(grids)
}

fn pairs(part: Part, json: &mut Json<'_>, scratch: &mut Vec<i8>) -> Result<Vec<Pair>, Flaw> {
    let mut pairs = Vec::with_capacity(4);
    let read = json.array("a list of pairs", |json| {
        let spot = Spot { part: Some(part), pair: Some(pairs.len()), side: None };
        let pair = pair(part != Part::Test, json, scratch);
        let side = |flaw: &Flaw| flaw.spot.side;
        pairs.push(pair.map_err(|flaw| Flaw { spot: Spot { side: side(&flaw), ..spot }, ..flaw })?);
        Ok(())
    });
    // A flaw of the list itself is in this part, but not in a pair.
    read.map_err(|flaw| Flaw { spot: Spot { part: Some(part), ..flaw.spot }, ..flaw })?;
    pairs.shrink_to_fit();
    Ok(pairs)
}

fn pair(needs_output: bool, json: &mut Json<'_>, scratch: &mut Vec<i8>) -> Result<Pair, Flaw> {
    json.peek();
    let start = json.at();
    let (mut input, mut output) = (None, None);
    json.object("a pair: {\"input\": …, \"output\": …}", |json, key, key_at| {
        let (side, grid) = match &*key {
            "input" => (Side::Input, &mut input),
            "output" => (Side::Output, &mut output),
            _ => return json.skip(),
        };
        let inside = |flaw| Flaw { spot: Spot { side: Some(side), ..Spot::NONE }, ..flaw };
        if grid.is_some() {
            return Err(inside(Flaw::new(key_at, "a second grid with this name")));
        }
        // Some writers use `null` for an unknown output.
        if side == Side::Output && !needs_output && json.peek() == Some(b'n') {
            return json.skip();
        }
        *grid = Some(json.grid(scratch).map_err(inside)?);
        Ok(())
    })?;
    let Some(input) = input else { return Err(Flaw::new(start, "no \"input\"")) };
    if needs_output && output.is_none() {
        return Err(Flaw::new(start, "no \"output\""));
    }
    Ok(Pair { input, output })
}
