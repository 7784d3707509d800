//! What the store takes and gives.

use batt_lang::Program;
use batt_value::ContentHash;

use crate::StoreError;

/// A program on its way into the store.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name is kept, unless it was found: then nobody has named it. Nor has anybody if the program is known and
    /// the name is the one that [`export`](crate::export()) made up for it.
    pub program: Program,
    pub origin: Origin,
    /// What it is worth on tasks. A found program without any is not kept.
    pub measures: Vec<Measure>,
}

/// Where a program came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Read from a file.
    Imported { file: String },
    /// Handed over by a person.
    Written,
    /// Made by a search.
    Found {
        seed: u64,
        /// How it was made: `mutate constant`, `enumerate`, …
        operator: String,
        /// The programs it was made from, stored or not.
        parents: Vec<ContentHash>,
        /// The tasks whose demonstration pairs had a say in making it.
        saw: Vec<ContentHash>,
    },
}

impl Origin {
    /// As in the column `origin`.
    pub fn name(&self) -> &'static str {
        match self {
            Origin::Imported { .. } => "imported",
            Origin::Written => "written",
            Origin::Found { .. } => "found",
        }
    }
}

/// What a program is worth on a task, by its demonstration pairs alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// The hash of the task without its test outputs.
    pub task: ContentHash,
    /// What the task is called; the first name that is told stays.
    pub task_name: String,
    /// The demonstration pairs that it is right on.
    pub right: u32,
    /// Of so many.
    pub pairs: u32,
    /// The graded score in millionths. What scores 0 gets no place.
    pub score: u32,
    /// The bill for all demonstration inputs together.
    pub fuel: u64,
    /// How long that took. It has no say in anything.
    pub micros: u64,
    /// A hash of the answers to the demonstration inputs.
    pub behaviour: ContentHash,
    /// The version of the primitives it was run with.
    pub dsl: ContentHash,
}

/// What a program came to on the test pairs of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TestResult {
    pub program: ContentHash,
    pub task: ContentHash,
    pub right: u32,
    pub pairs: u32,
}

/// What became of an [`Entry`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added {
    /// It is stored now.
    New,
    /// It was and is stored; its measures are up to date.
    Known,
    /// Not stored: this program answers alike, and is not worse.
    Duplicate(ContentHash),
    /// Not stored: each of its tasks has enough programs that are better.
    Outranked,
    /// Not stored: it scores on no task.
    Worthless,
}

/// A program in the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    pub hash: ContentHash,
    /// In canonical form, under the name `solve`.
    pub text: String,
    /// `(Grid) -> Grid`
    pub signature: String,
    pub calls: u32,
    /// All names it goes by, ascending. A found program has none, unless a person brought it too: then it stays.
    pub names: Vec<String>,
    pub origin: Origin,
}

/// The name that every stored text has: what a program is called is no part of its content.
const NAME: &str = "solve";

impl Stored {
    /// The text under another name.
    pub fn text_as(&self, name: &str) -> String {
        let head = self.text.strip_prefix("def ").and_then(|text| text.strip_prefix(NAME));
        head.map_or_else(|| self.text.clone(), |rest| format!("def {name}{rest}"))
    }

    /// The program, read from its text under its first name; or why that fails.
    pub(crate) fn program(&self) -> Result<Program, String> {
        read(&self.text_as(self.names.first().map_or(NAME, |name| name)), self.hash)
    }

    /// What is wrong with what is stored, if anything is: the text must give the hash, the types and the length
    /// again.
    pub fn check(&self) -> Result<(), String> {
        let program = self.program().map_err(|what| format!("it can no longer be read: {what}"))?;
        if signature(&program) != self.signature {
            return Err(format!("it is stored as {} but is {}", self.signature, signature(&program)));
        }
        if calls(&program) != self.calls {
            return Err(format!("it is stored with {} calls but has {}", self.calls, calls(&program)));
        }
        Ok(())
    }
}

/// The canonical text without a name of its own.
pub(crate) fn text(program: &Program) -> Result<String, StoreError> {
    let text = batt_lang::print(program);
    let hash = program.hash();
    let rest = text.strip_prefix("def ").and_then(|text| text.strip_prefix(program.name()));
    let Some(rest) = rest else {
        return Err(StoreError::Text { hash, what: "its text does not start with its name".to_owned() });
    };
    let text = format!("def {NAME}{rest}");
    read(&text, hash).map_err(|what| StoreError::Text { hash, what })?;
    Ok(text)
}

fn read(text: &str, hash: ContentHash) -> Result<Program, String> {
    let mut parsed = batt_lang::parse(text);
    match &parsed.programs[..] {
        [program] if program.hash() == hash => Ok(parsed.programs.remove(0)),
        [program] => Err(format!("its text is that of {}", program.hash())),
        _ => {
            Err(parsed.problems.first().map_or("its text is no program".to_owned(), |it| it.message.clone()))
        }
    }
}

pub(crate) fn signature(program: &Program) -> String {
    let takes = if program.needs_samples() { "(Samples, Grid)" } else { "(Grid)" };
    format!("{takes} -> {}", program.node(program.result()).ty)
}

pub(crate) fn calls(program: &Program) -> u32 {
    program.nodes().iter().filter(|node| node.is_call()).count() as u32
}
