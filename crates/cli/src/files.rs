//! Reading and writing files. `-` means standard input or output.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, bail};
use arcbatt::base::{size, time, write_atomic_with};
use arcbatt::lang::{self, Options, Parsed, Problem, Program, Severity};
use arcbatt::task::submission::Submission;
use arcbatt::{ProgramFile, read_aliases};

use crate::program::named_after;

/// The file of `--alias`, set once before the command starts.
static ALIASES: OnceLock<PathBuf> = OnceLock::new();

/// Sets the file of `--alias`.
pub(crate) fn set_aliases(path: PathBuf) {
    let _ = ALIASES.set(path);
}

/// Returns the file of `--alias`.
pub(crate) fn aliases() -> Option<PathBuf> {
    ALIASES.get().cloned()
}

/// A parsed program file.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) parsed: Parsed,
    /// The task that the file is named after.
    task: Option<String>,
}

impl Source {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Source> {
        Source::read_with(path, false)
    }

    pub(crate) fn read_all(paths: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
        paths.iter().map(|path| Source::read(path)).collect()
    }

    /// Reads a program file, with warnings about types.
    pub(crate) fn lint(path: &Path) -> anyhow::Result<Source> {
        Source::read_with(path, true)
    }

    fn read_with(path: &Path, lint: bool) -> anyhow::Result<Source> {
        let bytes = read(path)?;
        let start = Instant::now();
        let aliases = aliases().as_deref().map(read_aliases).transpose()?;
        let options = Options { aliases: aliases.as_ref(), lint, ..Options::default() };
        let label = PathBuf::from(label(path));
        let ProgramFile { path, text, parsed, task } = ProgramFile::new(&label, &bytes, options);
        let source = Source { path, text, parsed, task };
        tracing::info!(
            file = %source.path.display(),
            programs = source.parsed.programs.len(),
            errors = source.errors(),
            warnings = source.warnings(),
            took = %time::brief(start.elapsed()),
            "parsed programs"
        );
        for program in &source.parsed.programs {
            tracing::debug!(program = program.name(), hash = %program.hash(), "parsed program");
        }
        Ok(source)
    }

    /// Renders all problems for the terminal.
    pub(crate) fn render_problems(&self, colored: bool) -> String {
        let file = self.path.display().to_string();
        let rendered = self.parsed.problems.iter().map(|problem| problem.render(&file, &self.text, colored));
        rendered.map(|text| text.trim_end().to_owned() + "\n\n").collect()
    }

    pub(crate) fn errors(&self) -> usize {
        self.parsed.n_errors
    }

    pub(crate) fn warnings(&self) -> usize {
        self.parsed.n_warnings
    }

    /// Renders the errors inside the function `name`.
    fn errors_of(&self, name: &str) -> String {
        let heads = self.text.match_indices("def ").map(|(at, _)| at);
        let starts: Vec<_> = heads.filter(|at| *at == 0 || self.text.as_bytes()[at - 1] == b'\n').collect();
        let called = |at: &usize| {
            let rest = self.text[at + 4..].trim_start();
            rest.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('('))
        };
        let Some(place) = starts.iter().rposition(called) else { return String::new() };
        let end = starts.get(place + 1).copied().unwrap_or(self.text.len());
        let inside = |at: u32| (starts[place]..end).contains(&(at as usize));
        self.render_errors(|problem| inside(problem.span.start))
    }

    /// Renders the errors that `keep` returns true for, for a message.
    fn render_errors(&self, keep: impl Fn(&Problem) -> bool) -> String {
        let file = self.path.display().to_string();
        let errors = self.parsed.problems.iter().filter(|problem| problem.severity == Severity::Error);
        let render =
            |problem: &Problem| problem.render(&file, &self.text, false).trim_end().to_owned() + "\n\n";
        errors.filter(|problem| keep(problem)).map(render).collect()
    }

    /// Returns the program called `name`, or named after the task `name`. Without a name, returns the only program, or
    /// the one named after `task`.
    pub(crate) fn program(&self, name: Option<&str>, task: Option<&str>) -> anyhow::Result<&Program> {
        let path = self.path.display();
        let programs = &self.parsed.programs;
        let after = |task: &str| programs.iter().find(|program| named_after(program.name(), task));
        let Some(name) = name else {
            // Another program must not run instead of the one that the user means.
            if let Some(task) = task.filter(|task| after(task).is_none()) {
                let name = format!("solve_{task}");
                let errors = self.errors_of(&name);
                if !errors.is_empty() {
                    bail!("the program {name} in {path} has errors:\n\n{}", errors.trim_end());
                }
            }
            return match (&programs[..], task) {
                ([], _) if self.errors() > 0 => {
                    bail!("{path} has errors:\n\n{}", self.render_errors(|_| true).trim_end())
                }
                ([], _) => bail!("{path} contains no programs"),
                ([program], _) => Ok(program),
                (_, Some(task)) => after(task).with_context(|| {
                    let n = programs.len();
                    format!("{path} contains no program named after {task}; choose one of its {n} programs: {path}:NAME")
                }),
                _ => bail!("{path} contains {} programs; choose one: {path}:NAME", programs.len()),
            };
        };
        let find = |name: &str| programs.iter().find(|program| program.name() == name);
        let of_task = self.task.as_ref().map(|task| format!("{name}_{task}"));
        if let Some(program) = find(name).or_else(|| find(&of_task?)) {
            return Ok(program);
        }
        let in_file = self.task.as_ref().and_then(|task| name.strip_suffix(task)?.strip_suffix('_'));
        let errors = self.errors_of(name) + &in_file.map_or(String::new(), |name| self.errors_of(name));
        if !errors.is_empty() {
            bail!("the program {name} in {path} has errors:\n\n{}", errors.trim_end());
        }
        if let Some(program) = after(name) {
            return Ok(program);
        }
        match lang::suggest(name, programs.iter().map(Program::name)) {
            Some(near) => bail!("{path} contains no program called {name}; did you mean {near}?"),
            None => bail!("{path} contains no program called {name}; it contains {}", list_names(programs)),
        }
    }
}

/// Lists the first names of programs, for a message.
fn list_names(programs: &[Program]) -> String {
    const SHOWN: usize = 5;
    let names: Vec<&str> = programs.iter().take(SHOWN).map(Program::name).collect();
    match programs.len().saturating_sub(SHOWN) {
        0 if names.is_empty() => "none".to_owned(),
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Larger files are refused: no real program, task or submission comes close.
const MAX_FILE: u64 = 256 << 20;

/// Returns whether a path means standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Returns whether a path can be read: a file, a pipe, or standard input.
pub(crate) fn is_file(path: &Path) -> bool {
    is_standard(path) || std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_dir())
}

/// Returns the name of an input for messages.
pub(crate) fn label(path: &Path) -> String {
    if is_standard(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Returns a path that the library can open, also for standard input.
pub(crate) fn readable(path: &Path) -> anyhow::Result<&Path> {
    if !is_standard(path) {
        return Ok(path);
    }
    if !cfg!(unix) {
        bail!("`-` for standard input is not supported on this system; use a file");
    }
    take_stdin()?;
    Ok(Path::new("/dev/stdin"))
}

/// Like [`readable`], for a data set, which can also be a name.
pub(crate) fn readable_text(data: &str) -> anyhow::Result<String> {
    Ok(readable(Path::new(data))?.to_str().unwrap_or(data).to_owned())
}

/// Reads a whole file.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let start = Instant::now();
    let mut bytes = Vec::new();
    let read = open(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {}", label(path)))?;
    if bytes.len() as u64 > MAX_FILE {
        bail!("{} is larger than {}, the limit for input files", label(path), size::mebibytes(MAX_FILE));
    }
    let took = time::brief(start.elapsed());
    tracing::info!(file = label(path), bytes = bytes.len(), %took, "read file");
    Ok(bytes)
}

/// Opens a file for reading line by line, and decompresses it if its name ends in `.gz`. Larger files are cut off at the
/// limit.
pub(crate) fn lines(path: &Path) -> anyhow::Result<impl BufRead> {
    let file = open(path)?;
    tracing::info!(file = label(path), "opened file");
    let bytes: Box<dyn Read> = if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(flate2::read::MultiGzDecoder::new(file))
    } else {
        file
    };
    Ok(BufReader::new(bytes.take(MAX_FILE)))
}

fn open(path: &Path) -> anyhow::Result<Box<dyn Read>> {
    if is_standard(path) {
        take_stdin()?;
        return Ok(Box::new(io::stdin()));
    }
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Box::new(file))
}

/// Refuses a second reader of standard input, which would find nothing.
fn take_stdin() -> anyhow::Result<()> {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    if TAKEN.swap(true, Ordering::Relaxed) {
        bail!("standard input (`-`) can be read only once; use a file for the other argument");
    }
    Ok(())
}

/// Set once, before the command starts.
static OVERWRITE: AtomicBool = AtomicBool::new(false);

/// Turns on `--overwrite`.
pub(crate) fn set_overwrite() {
    OVERWRITE.store(true, Ordering::Relaxed);
}

/// Returns whether existing files may be replaced.
pub(crate) fn overwrite() -> bool {
    OVERWRITE.load(Ordering::Relaxed)
}

/// Refuses to replace a file without `--overwrite`. Empty files, pipes and devices have no content to lose.
pub(crate) fn keep_existing(path: &Path) -> anyhow::Result<()> {
    let has_content = |metadata: std::fs::Metadata| metadata.is_file() && metadata.len() > 0;
    if !overwrite() && !is_standard(path) && std::fs::metadata(path).is_ok_and(has_content) {
        bail!("{} already exists; use --overwrite to replace it, or choose another file", path.display());
    }
    Ok(())
}

/// Writes a new file atomically, or to standard output.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    keep_existing(path)?;
    write_bytes(path, bytes)
}

fn write_bytes(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let written = write_with(path, |out| out.write_all(bytes));
    written.with_context(|| format!("cannot write {}", path.display())).map(drop)
}

/// Replaces the content of a file atomically. The file keeps its permissions.
pub(crate) fn rewrite(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let permissions = std::fs::metadata(path).map(|metadata| metadata.permissions());
    write_bytes(path, bytes)?;
    let kept = permissions.and_then(|permissions| std::fs::set_permissions(path, permissions));
    kept.with_context(|| format!("cannot keep the permissions of {}", path.display()))
}

/// Writes or replaces a file whose content is too large for memory. Returns the number of bytes.
pub(crate) fn write_with(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    let start = Instant::now();
    let mut written = 0;
    if is_standard(path) {
        let mut out = Counted { out: BufWriter::new(io::stdout().lock()), written: &mut written };
        write(&mut out)?;
        out.flush()?;
    } else {
        write_atomic_with(path, |out| write(&mut Counted { out, written: &mut written }))?;
    }
    let took = time::brief(start.elapsed());
    tracing::info!(file = %path.display(), bytes = written, %took, "wrote file");
    Ok(written)
}

/// A writer that counts bytes.
struct Counted<'n, W> {
    out: W,
    written: &'n mut u64,
}

impl<W: Write> Write for Counted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        *self.written += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Reads a submission in either format.
pub(crate) fn submission(path: &Path) -> anyhow::Result<Submission> {
    Submission::parse(&read(path)?).with_context(|| label(path))
}
