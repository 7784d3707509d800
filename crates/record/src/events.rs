//! The file of events: every recorded time interval of a run, one per line.
//!
//! The first line has the version and the names of the functions, the last one the number of events. In
//! between are task starts (`{"lane":1,"task":0,"id":"…"}`) and events (`[lane,start,ns,function,task,node]`,
//! -1 for none). Writing and reading keep one line in memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RecordError;

/// Version of the file format.
pub const VERSION: u32 = 1;

/// Maximum length of a line in bytes. A longer line means that the file is not a file of events.
const MAX_LINE: u64 = 1 << 20;

/// A time interval on one thread, booked to one function. Times are in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    pub lane: u32,
    pub start: u64,
    pub ns: u64,
    pub function: u32,
    /// Number of the task on its thread.
    pub task: Option<u32>,
    pub node: Option<u32>,
}

/// The start of a task on a thread.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "TaskStart")]
pub struct TaskStart {
    /// Index of the thread.
    pub lane: u32,
    /// Number of the task on its thread.
    pub task: u32,
    /// Id of the task.
    pub id: String,
}

/// A line between the first and the last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    Event(Event),
    TaskStart(TaskStart),
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
    Task(TaskStart),
    /// An interval: `[thread, start in ns, duration in ns, function, task, node]`; -1 for no task or node.
    Event(u32, u64, u64, u32, i64, i64),
    /// The last line.
    Last(End),
}

/// Writes a file of events line by line.
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

    pub fn task_start(&mut self, start: &TaskStart) -> io::Result<()> {
        line(&mut self.out, start)
    }

    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        let Event { lane, start, ns, function, task, node } = event;
        let (task, node) = (task.map_or(-1, i64::from), node.map_or(-1, i64::from));
        self.count += 1;
        writeln!(self.out, "[{lane},{start},{ns},{function},{task},{node}]")
    }

    /// Writes the last line. Readers reject a file without it as cut off.
    pub fn finish(mut self) -> io::Result<()> {
        line(&mut self.out, &End { events: self.count })?;
        self.out.flush()
    }
}

fn line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// Reads a file of events line by line.
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
        let not_events =
            || RecordError::Events("not a file of events, or cut off in the first line".to_owned());
        if !reader.next_line()? {
            return Err(not_events());
        }
        let Header { version, functions } =
            serde_json::from_slice(&reader.buffer).map_err(|_| not_events())?;
        if version != VERSION {
            return Err(RecordError::Events(format!(
                "the file of events has version {version}, this version of batt reads version {VERSION}; run the \
                 command again to make a new one"
            )));
        }
        reader.functions = functions;
        Ok(reader)
    }

    /// Reads the next line into the buffer. Returns false at the end of the file.
    fn next_line(&mut self) -> Result<bool, RecordError> {
        self.buffer.clear();
        self.number += 1;
        self.input.by_ref().take(MAX_LINE).read_until(b'\n', &mut self.buffer)?;
        match self.buffer.pop() {
            None => Ok(false),
            Some(b'\n') => Ok(true),
            Some(_) => Err(self.bad_line("it is cut off, or this is not a file of events")),
        }
    }

    fn bad_line(&self, what: &str) -> RecordError {
        RecordError::Events(format!("line {} of the file of events: {what}", self.number))
    }

    fn read(&mut self) -> Result<Option<Line>, RecordError> {
        if self.done {
            return Ok(None);
        }
        if !self.next_line()? {
            let count = self.count;
            return Err(RecordError::Events(format!(
                "the file of events is cut off after {count} events; run the command again to make a new one"
            )));
        }
        if self.buffer.first() == Some(&b'[') {
            let (lane, start, ns, function, task, node): (u32, u64, u64, u32, i64, i64) =
                serde_json::from_slice(&self.buffer)
                    .map_err(|error| self.bad_line(&format!("not an event: {error}")))?;
            if function as usize >= self.functions.len() {
                return Err(self.bad_line("the first line lists no function with this index"));
            }
            self.count += 1;
            let index = |number: i64| u32::try_from(number).ok();
            let event = Event { lane, start, ns, function, task: index(task), node: index(node) };
            return Ok(Some(Line::Event(event)));
        }
        if let Ok(start) = serde_json::from_slice::<TaskStart>(&self.buffer) {
            return Ok(Some(Line::TaskStart(start)));
        }
        let End { events } = serde_json::from_slice(&self.buffer).map_err(|error| {
            self.bad_line(&format!("neither an event nor a task start nor the end: {error}"))
        })?;
        if events != self.count {
            let count = self.count;
            return Err(RecordError::Events(format!(
                "the file of events has {count} events, but its last line says {events}; run the command again \
                 to make a new one"
            )));
        }
        self.done = true;
        Ok(None)
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Line, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.read().transpose();
        // Stop at the first error.
        self.done |= matches!(line, Some(Err(_)));
        line
    }
}
