//! Reading program files.

use std::io::Read;
use std::path::{Path, PathBuf};

use batt_base::number::count;
use batt_lang::{self as lang, Aliases, Options, Parsed, Program};

use crate::description::{Job, ProgramSource, Work};
use crate::error::JobError;

/// The programs of the built-in data set.
pub const DEMO_PROGRAMS: &str = include_str!("../../../programs/demo.py");

/// The name of the built-in data set.
pub const DEMO: &str = "demo";

/// Larger files are refused: no real program file comes close.
const MAX_FILE: u64 = 256 << 20;

/// The programs of a job.
pub(crate) struct Programs {
    pub(crate) list: Vec<Program>,
    /// Errors in the files. Programs with errors are not in the list.
    pub(crate) errors: Vec<ProgramErrors>,
}

/// The errors of one program file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramErrors {
    /// The file; `None` for a text.
    pub file: Option<String>,
    pub errors: usize,
}

impl Programs {
    pub(crate) fn read(job: &Job) -> Result<Programs, JobError> {
        let mut programs = Programs { list: Vec::new(), errors: Vec::new() };
        if job.programs.is_empty() && matches!(job.work, Work::Run(_)) {
            if job.tasks.data != DEMO {
                let data = &job.tasks.data;
                return Err(JobError::Programs(format!(
                    "no programs given; use `batt run {data} --programs FILE…`"
                )));
            }
            programs.list = lang::parse(DEMO_PROGRAMS).programs;
        }
        let aliases = job.aliases.as_deref().map(read_aliases).transpose()?;
        let options = Options { aliases: aliases.as_ref(), ..Options::default() };
        for source in &job.programs {
            let (file, parsed) = match source {
                ProgramSource::File(path) => {
                    (Some(path.display().to_string()), ProgramFile::new(path, &read(path)?, options).parsed)
                }
                ProgramSource::Text(text) => (None, lang::parse_bytes_with(text.as_bytes(), options)),
            };
            tracing::info!(
                file,
                programs = parsed.programs.len(),
                errors = parsed.n_errors,
                "parsed programs"
            );
            if parsed.n_errors > 0 {
                programs.errors.push(ProgramErrors { file, errors: parsed.n_errors });
            }
            programs.list.extend(parsed.programs);
        }
        if programs.list.is_empty() && !job.programs.is_empty() {
            return Err(JobError::Programs(no_program(&programs.errors)));
        }
        Ok(programs)
    }
}

/// A parsed program file.
pub struct ProgramFile {
    pub path: PathBuf,
    pub text: String,
    pub parsed: Parsed,
    /// The task that the file is named after.
    pub task: Option<String>,
}

impl ProgramFile {
    /// Parses a file. If it is named after a task, so are its programs: `solve` in `007bbfb7.py` becomes
    /// `solve_007bbfb7`.
    pub fn new(path: &Path, bytes: &[u8], options: Options<'_>) -> ProgramFile {
        let mut parsed = lang::parse_bytes_with(bytes, options);
        let text = String::from_utf8_lossy(bytes).into_owned();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let task = stem.filter(|stem| is_task_id(stem)).map(str::to_owned);
        if let Some(task) = &task {
            name_after(task, &mut parsed.programs);
        }
        ProgramFile { path: path.to_owned(), text, parsed, task }
    }
}

/// Names programs after the task of their file, unless they are named after a task already.
fn name_after(task: &str, programs: &mut [Program]) {
    for i in 0..programs.len() {
        let name = programs[i].name();
        let has_task = name.rsplit('_').next().is_some_and(is_task_id);
        let full = format!("{name}_{task}");
        if !has_task && programs.iter().all(|other| other.name() != full) {
            programs[i] = programs[i].clone().renamed(&full);
        }
    }
}

/// Returns whether a word looks like the id of an ARC task: eight hexadecimal digits.
fn is_task_id(word: &str) -> bool {
    word.len() == 8 && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Reads a file of aliases for another dialect. Each line is `their_name = our_name`.
pub fn read_aliases(path: &Path) -> Result<Aliases, JobError> {
    let text = String::from_utf8_lossy(&read(path)?).into_owned();
    Aliases::parse(&text).map_err(|problems| {
        let file = path.display().to_string();
        let rendered = problems.iter().map(|problem| problem.render(&file, &text, false));
        let rendered = rendered.collect::<Vec<_>>().join("\n");
        JobError::Programs(format!("{file} has errors:\n\n{}", rendered.trim_end()))
    })
}

fn no_program(errors: &[ProgramErrors]) -> String {
    match errors.iter().find_map(|it| it.file.as_deref()) {
        Some(file) => format!("no usable program in these files; see `batt programs check {file}`"),
        None if errors.is_empty() => "these files contain no programs".to_owned(),
        None => format!("no usable program in the text: {}", count(errors[0].errors, "error")),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, JobError> {
    let failed = |error| JobError::Read { path: path.to_owned(), error };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(failed(std::io::Error::other(format!("it is larger than {} MiB", MAX_FILE >> 20))));
    }
    Ok(bytes)
}
