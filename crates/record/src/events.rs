//! Every booked interval of a run, in a file of lines that can be as long as it likes.
//!
//! The first line names version and functions, the last one says how many events there are. In between stand tasks
//! (`{"lane":1,"task":0,"id":"…"}`) and events (`[lane,start,ns,function,task,node]`, -1 for none). Neither writing
//! nor reading keeps more than a line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RecordError;

/// The version of the file.
pub const VERSION: u32 = 1;

/// No line is longer; what is, is no recording.
const MAX_LINE: u64 = 1 << 20;

/// One booked interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    pub lane: u32,
    pub start: u64,
    pub ns: u64,
    pub function: u32,
    /// The number of the task on its lane.
    pub task: Option<u32>,
    pub node: Option<u32>,
}

/// The start of a task on a thread.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "TaskStart")]
pub struct Begins {
    /// Index of the thread.
    pub lane: u32,
    /// Number of the task on its thread.
    pub task: u32,
    /// Id of the task.
    pub id: String,
}

/// What a line says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    Event(Event),
    Begins(Begins),
}

/// The first line.
#[derive(JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "EventsHeader")]
pub struct Header {
    /// Version of the file, 1.
    #[serde(rename = "batt-events")]
    pub version: u32,
    /// Names of the functions. Events refer to them by index.
    pub functions: Vec<String>,
}

/// The last line. A file without it is incomplete.
#[derive(JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "EventsEnd")]
pub struct End {
    /// Number of events in the file.
    pub events: u64,
}

/// A line of the file. Only its schema is used: [`Writer`] and [`Reader`] handle each kind of line by itself.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "EventsLine", description = "A line of a file of events.")]
pub enum AnyLine {
    /// The first line.
    First(Header),
    /// The start of a task on a thread.
    Task(Begins),
    /// An interval: `[thread, start in ns, duration in ns, function, task, node]`; -1 for no task or node.
    Event(u32, u64, u64, u32, i64, i64),
    /// The last line.
    Last(End),
}

pub struct Writer {
    out: BufWriter<File>,
    count: u64,
}

impl Writer {
    pub fn create(path: &Path, functions: Vec<String>) -> io::Result<Writer> {
        let mut out = BufWriter::with_capacity(1 << 18, File::create(path)?);
        line(&mut out, &Header { version: VERSION, functions })?;
        Ok(Writer { out, count: 0 })
    }

    pub fn begins(&mut self, begins: &Begins) -> io::Result<()> {
        line(&mut self.out, begins)
    }

    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        let Event { lane, start, ns, function, task, node } = event;
        let (task, node) = (task.map_or(-1, i64::from), node.map_or(-1, i64::from));
        self.count += 1;
        writeln!(self.out, "[{lane},{start},{ns},{function},{task},{node}]")
    }

    /// Writes the last line. Without it the file counts as cut off.
    pub fn finish(mut self) -> io::Result<()> {
        line(&mut self.out, &End { events: self.count })?;
        self.out.flush()
    }
}

fn line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// Reads line after line.
pub struct Reader<R> {
    input: R,
    buffer: Vec<u8>,
    pub functions: Vec<String>,
    number: u64,
    count: u64,
    done: bool,
}

impl Reader<BufReader<File>> {
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        Reader::new(BufReader::with_capacity(1 << 18, File::open(path)?))
    }
}

impl<R: BufRead> Reader<R> {
    pub fn new(input: R) -> Result<Reader<R>, RecordError> {
        let mut reader =
            Reader { input, buffer: Vec::new(), functions: Vec::new(), number: 0, count: 0, done: false };
        let foreign = || RecordError::Events("not a recording of events, or one that is cut off".to_owned());
        if !reader.next_line()? {
            return Err(foreign());
        }
        let Header { version, functions } = serde_json::from_slice(&reader.buffer).map_err(|_| foreign())?;
        if version != VERSION {
            return Err(RecordError::Events(format!(
                "the events have version {version}, this version of batt reads version {VERSION}; record them again"
            )));
        }
        reader.functions = functions;
        Ok(reader)
    }

    /// Fills the buffer; false at the end of the file.
    fn next_line(&mut self) -> Result<bool, RecordError> {
        self.buffer.clear();
        self.number += 1;
        self.input.by_ref().take(MAX_LINE).read_until(b'\n', &mut self.buffer)?;
        match self.buffer.pop() {
            None => Ok(false),
            Some(b'\n') => Ok(true),
            Some(_) => Err(self.bad("is cut off, or no line of events")),
        }
    }

    fn bad(&self, what: &str) -> RecordError {
        RecordError::Events(format!("line {} of the events {what}", self.number))
    }

    fn read(&mut self) -> Result<Option<Line>, RecordError> {
        if self.done {
            return Ok(None);
        }
        if !self.next_line()? {
            let count = self.count;
            return Err(RecordError::Events(format!(
                "the events are cut off after {count}; record them again"
            )));
        }
        if self.buffer.first() == Some(&b'[') {
            let (lane, start, ns, function, task, node): (u32, u64, u64, u32, i64, i64) =
                serde_json::from_slice(&self.buffer)
                    .map_err(|error| self.bad(&format!("is no event: {error}")))?;
            if function as usize >= self.functions.len() {
                return Err(self.bad("names a function that the first line does not"));
            }
            self.count += 1;
            let number = |number: i64| u32::try_from(number).ok();
            let event = Event { lane, start, ns, function, task: number(task), node: number(node) };
            return Ok(Some(Line::Event(event)));
        }
        if let Ok(begins) = serde_json::from_slice::<Begins>(&self.buffer) {
            return Ok(Some(Line::Begins(begins)));
        }
        let End { events } = serde_json::from_slice(&self.buffer)
            .map_err(|error| self.bad(&format!("is neither event nor task nor end: {error}")))?;
        if events != self.count {
            let count = self.count;
            return Err(RecordError::Events(format!("{events} events were recorded, and {count} are here")));
        }
        self.done = true;
        Ok(None)
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Line, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.read().transpose();
        // After an error there is nothing more to say.
        self.done |= matches!(line, Some(Err(_)));
        line
    }
}
