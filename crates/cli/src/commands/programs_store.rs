//! The commands of `batt programs` that use the store.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use arcbatt::DEMO_PROGRAMS;
use arcbatt::base::number::count;
use arcbatt::battery::Unwatched;
use arcbatt::dsl::Limits;
use arcbatt::lang::{self, Program};
use arcbatt::store::{
    Added, Ancestor, Entry, Exported, KEEP, Measure, Origin, Pruned, Sealed, Store, Stored, TestResult,
    export,
};
use arcbatt::task::Dataset;
use arcbatt::value::ContentHash;
use arcbatt::verify::task_of;
use arcbatt::{Measured, Measurer, Pool, StoreReader, default_store};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::commands::programs::{
    ProblemEntry, ProgramName, ShowDocument, file_entry, show_document, write_program,
};
use crate::data::{self, DataArgs};
use crate::files::{self, Source};
use crate::limits::RunLimits;
use crate::output;

/// The store to use.
#[derive(clap::Args)]
pub(crate) struct StoreArgs {
    /// Store file [default: programs.sqlite in the user's data folder]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

impl StoreArgs {
    pub(crate) fn is_given(&self) -> bool {
        self.store.is_some()
    }

    pub(crate) fn path(&self) -> anyhow::Result<PathBuf> {
        let path = self.store.clone().or_else(default_store);
        path.context("no home folder for the store; use --store FILE")
    }

    fn open_existing(&self) -> anyhow::Result<Store> {
        let store = Store::open_existing(&self.path()?)?;
        tracing::info!(store = %store.path().display(), "opened store");
        Ok(store)
    }
}

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Add programs from files to the store
    #[command(after_help = "Example:\n  batt programs import solvers.py --data arc1-training")]
    Import {
        /// Program files; `-` is standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Data set to measure the programs on, each on the task it is named after
        #[arg(long, value_name = "DATA")]
        data: Option<String>,
        #[command(flatten)]
        store: StoreArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write stored programs to a file in arc-dsl's format
    #[command(after_help = "Example:\n  batt programs export --task 007bbfb7 -o best.py")]
    Export {
        /// Only programs ranked for this task, best first
        #[arg(long, value_name = "ID")]
        task: Option<String>,
        /// Write to FILE; `-` is standard output
        #[arg(short = 'o', long, value_name = "FILE", default_value = "-")]
        output: PathBuf,
        #[command(flatten)]
        store: StoreArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List stored programs
    #[command(after_help = "Example:\n  batt programs list --task 007bbfb7")]
    List {
        /// Only programs ranked for this task, best first
        #[arg(long, value_name = "ID")]
        task: Option<String>,
        #[command(flatten)]
        store: StoreArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove all but the best programs of each task
    ///
    /// Also removes programs that no longer parse. Imported programs stay.
    #[command(after_help = "Example:\n  batt programs prune --keep 5")]
    Prune {
        /// Keep the best N programs of each task
        #[arg(long, value_name = "N", default_value_t = KEEP)]
        keep: usize,
        #[command(flatten)]
        store: StoreArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(command: &Command) -> Answer {
    match command {
        Command::Import { files, data, store, json } => import(files, data.as_deref(), store, *json),
        Command::Export { task, output, store, json } => {
            export_programs(task.as_deref(), output, store, *json)
        }
        Command::List { task, store, json } => list(task.as_deref(), store, *json),
        Command::Prune { keep, store, json } => prune(*keep, store, *json),
    }
}

/// Programs that were added to the store.
#[derive(JsonSchema, Serialize)]
pub(crate) struct ImportDocument {
    /// Path of the store.
    store: String,
    /// The files that were read.
    files: Vec<ImportedFile>,
}

/// A file that was imported.
#[derive(JsonSchema, Serialize)]
struct ImportedFile {
    /// Path of the file.
    file: String,
    /// Programs that the store did not have.
    new: Vec<ProgramName>,
    /// Programs that the store had before.
    known: Vec<ProgramName>,
    /// Errors and warnings. Programs with errors are not imported.
    problems: Vec<ProblemEntry>,
}

fn import(paths: &[PathBuf], data: Option<&str>, store: &StoreArgs, json: bool) -> Answer {
    let sources = paths.iter().map(|path| Source::read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let data = DataArgs { data: data.unwrap_or_default().to_owned(), skip_bad: false };
    let dataset = if data.data.is_empty() { None } else { Some(data.open()?) };
    let mut measured = match &dataset {
        Some(dataset) => measure_named(&sources, dataset)?,
        None => BTreeMap::new(),
    };
    let path = store.path()?;
    let mut store = Store::open(&path)?;
    let mut out = output::stdout();
    let mut documents = Vec::new();
    for source in &sources {
        let file = source.path.display().to_string();
        let programs = &source.parsed.programs;
        let mut tests = Vec::new();
        let entries = programs.iter().map(|program| {
            let own = measured.remove(&(file.clone(), program.name().to_owned()));
            tests.extend(own.iter().filter_map(|own| own.test));
            let measures = own.into_iter().map(|own| own.measure).collect();
            Entry { program: program.clone(), origin: Origin::Imported { file: file.clone() }, measures }
        });
        let added = store.add(&entries.collect::<Vec<_>>())?;
        store.seal(&tests)?;
        let names = |wanted: Added| {
            let programs = programs.iter().zip(&added).filter(move |(_, added)| **added == wanted);
            programs.map(|(program, _)| ProgramName::of(program)).collect::<Vec<_>>()
        };
        let (new, known) = (names(Added::New), names(Added::Known));
        if !json {
            write!(out, "{}", source.render_problems(output::colored()))?;
            let errors = match source.errors() {
                0 => String::new(),
                errors => format!(", {} (programs with errors are not imported)", count(errors, "error")),
            };
            writeln!(out, "{file}: {} new, {} known{errors}", new.len(), known.len())?;
        }
        documents.push(ImportedFile { file, new, known, problems: file_entry(source).problems });
    }
    if json {
        output::json(ImportDocument { store: path.display().to_string(), files: documents })?;
    } else {
        writeln!(out, "{} now has {}", path.display(), count(store.stats()?.programs, "program"))?;
        out.flush()?;
    }
    Ok(sources.iter().all(|source| source.errors() == 0))
}

/// Measures each program on the task that it is named after. Returns the results by file and name.
fn measure_named(
    sources: &[Source],
    dataset: &Dataset,
) -> anyhow::Result<BTreeMap<(String, String), Measured>> {
    let mut of_task: BTreeMap<&str, Vec<(String, Program)>> = BTreeMap::new();
    for source in sources {
        for program in &source.parsed.programs {
            if let Some(task) = task_of(program.name(), dataset) {
                let programs = of_task.entry(&task.id).or_default();
                programs.push((source.path.display().to_string(), program.clone()));
            }
        }
    }
    let mut measured = BTreeMap::new();
    let (pool, time) = (Pool::new(0)?, Duration::from_secs(60));
    let measurer = Measurer { pool: &pool, limits: Limits::STANDARD };
    for (id, named) in of_task {
        let (files, programs): (Vec<_>, Vec<_>) = named.into_iter().unzip();
        let task = dataset.get(id).ok_or_else(|| anyhow!("{} has no task {id}", dataset.label))?;
        let results = measurer.measure_within(time, &programs, task, &Unwatched)?;
        let names = programs.iter().map(|program| program.name().to_owned());
        measured.extend(files.into_iter().zip(names).zip(results));
    }
    Ok(measured)
}

/// Returns the selected programs of the store with their results; those of a task best first.
fn selected(store: &Store, task: Option<&str>) -> anyhow::Result<Vec<(Stored, Vec<Measure>)>> {
    let Some(wanted) = task else {
        let programs = store.list()?.into_iter();
        return programs
            .map(|stored| Ok((store.measures_of(stored.hash)?, stored)))
            .map(|pair: anyhow::Result<_>| pair.map(|(measures, stored)| (stored, measures)))
            .collect();
    };
    let tasks = store.tasks()?;
    let is_wanted = |(hash, name): &&(ContentHash, String)| {
        name == wanted || (wanted.len() >= 4 && hash.to_string().starts_with(wanted))
    };
    let found: Vec<ContentHash> = tasks.iter().filter(is_wanted).map(|(hash, _)| *hash).collect();
    if found.is_empty() {
        let near = lang::suggest(wanted, tasks.iter().map(|(_, name)| name.as_str()));
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        bail!("no program in {} is ranked for a task called {wanted}{near}", store.path().display());
    }
    let mut programs: Vec<(Stored, Vec<Measure>)> = Vec::new();
    for task in found {
        for ranked in store.best_for(task)? {
            match programs.iter_mut().find(|(stored, _)| stored.hash == ranked.stored.hash) {
                Some((_, measures)) => measures.push(ranked.measure),
                None => programs.push((ranked.stored, vec![ranked.measure])),
            }
        }
    }
    Ok(programs)
}

fn best(measures: &[Measure]) -> Option<&Measure> {
    measures.iter().min_by_key(|measure| std::cmp::Reverse(measure.score))
}

/// Programs that were exported.
#[derive(JsonSchema, Serialize)]
pub(crate) struct ExportDocument {
    /// Number of programs.
    programs: usize,
    /// The file that was written. Null for standard output.
    file: Option<String>,
    /// The text of the programs. Absent if a file was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

fn export_programs(task: Option<&str>, to: &Path, store: &StoreArgs, json: bool) -> Answer {
    let store = store.open_existing()?;
    let mut programs = selected(&store, task)?;
    let mut reader = StoreReader::new(&store);
    programs.retain(|(stored, _)| reader.read(stored).is_some());
    if let Some(warning) = reader.warning() {
        output::warning(&warning);
    }
    let exported = programs.iter().map(|(stored, measures)| {
        let task = best(measures).map(|measure| measure.task_name.as_str());
        Exported { stored, task }
    });
    let text = export(exported)?;
    if !files::is_standard(to) || !json {
        files::write(to, text.as_bytes())?;
    }
    if json {
        let file = (!files::is_standard(to)).then(|| to.display().to_string());
        let text = file.is_none().then_some(text);
        output::json(ExportDocument { programs: programs.len(), file, text })?;
    }
    Ok(true)
}

/// The programs of a store.
#[derive(JsonSchema, Serialize)]
pub(crate) struct ListDocument {
    /// Path of the store.
    store: String,
    /// Programs imported from files.
    imported: usize,
    /// Programs written by a person.
    written: usize,
    /// Programs made by a search.
    found: usize,
    /// Tasks with a ranked program.
    tasks: usize,
    /// Tasks with a program that is right on all demonstration pairs.
    solved: usize,
    /// The programs; with `--task` those of the task, best first.
    programs: Vec<StoredProgram>,
}

fn list(task: Option<&str>, store: &StoreArgs, json: bool) -> Answer {
    let store = store.open_existing()?;
    let programs = selected(&store, task)?;
    let stats = store.stats()?;
    if json {
        output::json(ListDocument {
            store: store.path().display().to_string(),
            imported: stats.imported,
            written: stats.written,
            found: stats.found,
            tasks: stats.tasks,
            solved: stats.solved,
            programs: programs
                .iter()
                .map(|(stored, measures)| StoredProgram::new(stored, measures))
                .collect(),
        })?;
        return Ok(true);
    }
    let mut out = output::stdout();
    for (stored, measures) in &programs {
        let name = stored.names.first().map_or("", |name| name);
        let result = best(measures).map(describe_result).unwrap_or_default();
        let calls = if stored.calls == 1 { "call " } else { "calls" };
        let line = format!(
            "{:.12}  {:<9} {:>3} {calls}  {name:<24}  {result}",
            stored.hash,
            stored.origin.name(),
            stored.calls
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(
        out,
        "{}: {} ({} imported, {} written, {} found), ranked for {}, {} of them solved",
        store.path().display(),
        count(stats.programs, "program"),
        stats.imported,
        stats.written,
        stats.found,
        count(stats.tasks, "task"),
        stats.solved
    )?;
    out.flush()?;
    Ok(true)
}

/// Formats a result: `00d62c1b: 3 of 5 pairs, score 0.8125, fuel 1234`.
fn describe_result(measure: &Measure) -> String {
    let Measure { task_name, right, pairs, score, fuel, .. } = measure;
    let score = format!("{}.{:04}", score / 1_000_000, score % 1_000_000 / 100);
    format!("{task_name}: {right} of {}, score {score}, fuel {fuel}", count(*pairs as usize, "pair"))
}

/// A program of the store.
#[derive(JsonSchema, Serialize)]
struct StoredProgram {
    /// Content hash.
    hash: String,
    /// Its names.
    names: Vec<String>,
    /// Its parameters and the type of its result.
    signature: String,
    /// Number of calls.
    calls: u32,
    /// Its origin.
    origin: OriginEntry,
    /// Its results on tasks.
    results: Vec<ResultEntry>,
}

impl StoredProgram {
    fn new(stored: &Stored, measures: &[Measure]) -> StoredProgram {
        StoredProgram {
            hash: stored.hash.to_string(),
            names: stored.names.clone(),
            signature: stored.signature.clone(),
            calls: stored.calls,
            origin: OriginEntry::new(&stored.origin),
            results: measures.iter().map(ResultEntry::new).collect(),
        }
    }
}

/// The origin of a stored program.
#[derive(JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[schemars(rename = "Origin")]
enum OriginEntry {
    /// Imported from a file.
    Imported {
        /// Path of the file.
        file: String,
    },
    /// Written by a person.
    Written,
    /// Made by a search.
    Found {
        /// Seed of the search.
        seed: u64,
        /// How it was made.
        operator: String,
        /// Hashes of the programs that it was made from.
        parents: Vec<String>,
        /// Hashes of the tasks whose demonstration pairs influenced it.
        saw: Vec<String>,
    },
}

impl OriginEntry {
    fn new(origin: &Origin) -> OriginEntry {
        let digits = |hashes: &[ContentHash]| hashes.iter().map(ToString::to_string).collect();
        match origin {
            Origin::Imported { file } => OriginEntry::Imported { file: file.clone() },
            Origin::Written => OriginEntry::Written,
            Origin::Found { seed, operator, parents, saw } => OriginEntry::Found {
                seed: *seed,
                operator: operator.clone(),
                parents: digits(parents),
                saw: digits(saw),
            },
        }
    }
}

/// The result of a program on a task's demonstration pairs.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "DemoResult")]
struct ResultEntry {
    /// Id of the task.
    task: String,
    /// Content hash of the task without its test outputs.
    task_hash: String,
    /// Demonstration pairs on which it is right.
    right: u32,
    /// Number of demonstration pairs.
    pairs: u32,
    /// Graded score in millionths.
    score: u32,
    /// Fuel used on all demonstration inputs.
    fuel: u64,
    /// Time for all demonstration inputs, in microseconds.
    micros: u64,
}

impl ResultEntry {
    fn new(measure: &Measure) -> ResultEntry {
        let Measure { task, task_name, right, pairs, score, fuel, micros, .. } = measure.clone();
        ResultEntry { task: task_name, task_hash: task.to_string(), right, pairs, score, fuel, micros }
    }
}

/// Loads a program of the default store.
pub(crate) fn stored(wanted: &str) -> anyhow::Result<Program> {
    let default = StoreArgs { store: None };
    let path = default.path()?;
    if !path.exists() {
        bail!(
            "{}, and there is no store at {}",
            not_found("no file and no built-in program", wanted),
            path.display()
        );
    }
    let store = default.open_existing()?;
    Ok(store.program(&only(&store, wanted)?)?)
}

/// Returns the message that nothing has this name, with a similar built-in name if there is one.
fn not_found(searched: &str, wanted: &str) -> String {
    let programs = lang::parse(DEMO_PROGRAMS).programs;
    let tasks =
        programs.iter().map(|program| program.name().strip_prefix("solve_").unwrap_or(program.name()));
    let near = lang::suggest(wanted, tasks.chain(programs.iter().map(Program::name)));
    let near = near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default();
    format!("{searched} is called {wanted}{near}")
}

/// Shows a stored program.
pub(crate) fn show(wanted: &str, store: &StoreArgs, tests: bool, json: bool) -> Answer {
    let path = store.path()?;
    if !path.exists() {
        bail!(
            "{}, and there is no store at {}",
            not_found("no file and no built-in program", wanted),
            path.display()
        );
    }
    let store = Store::open_existing(&path)?;
    let stored = only(&store, wanted)?;
    let program = store.program(&stored)?;
    let lineage = store.lineage(stored.hash)?;
    let measures = store.measures_of(stored.hash)?;
    // Nothing is selected by these results, so the sealed ones can be opened.
    let tests = if tests { Some(Sealed::open(&path)?.of(stored.hash)?) } else { None };
    if json {
        return show_json(&stored, &program, &lineage, &measures, tests.as_deref());
    }
    let mut out = output::stdout();
    write_program(&mut out, &program)?;
    if stored.names.len() > 1 {
        writeln!(out, "also called {}", stored.names[1..].join(", "))?;
    }
    writeln!(out, "\nlineage")?;
    for ancestor in &lineage {
        writeln!(out, "{}{}", "  ".repeat(ancestor.depth + 1), describe(ancestor))?;
    }
    writeln!(out, "\n{}", if measures.is_empty() { "not ranked for any task" } else { "results" })?;
    for measure in &measures {
        writeln!(out, "  {}", describe_result(measure))?;
    }
    if let Some(tests) = tests {
        writeln!(out, "\n{}", if tests.is_empty() { "no test results" } else { "test results" })?;
        for TestResult { task, right, pairs, .. } in tests {
            let named = measures.iter().find(|measure| measure.task == task);
            let name = named.map_or_else(|| format!("{task:.12}"), |measure| measure.task_name.clone());
            writeln!(out, "  {name}: {right} of {}", count(pairs as usize, "pair"))?;
        }
    }
    out.flush()?;
    Ok(true)
}

/// A stored program.
#[derive(JsonSchema, Serialize)]
pub(crate) struct StoredProgramDocument {
    #[serde(flatten)]
    program: ShowDocument,
    /// Its names.
    names: Vec<String>,
    /// Its parameters and the type of its result.
    signature: String,
    /// The program and its ancestors.
    lineage: Vec<AncestorEntry>,
    /// Its results on demonstration pairs.
    results: Vec<ResultEntry>,
    /// Its results on test pairs. Absent without `--tests`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<Vec<TestResultEntry>>,
}

/// A program of the lineage.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Ancestor")]
struct AncestorEntry {
    /// Generations back; 0 is the program itself.
    depth: usize,
    /// Content hash.
    hash: String,
    /// Its origin. Null if it is not stored.
    origin: Option<OriginEntry>,
}

/// The result of a program on a task's test pairs.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "TestResult")]
struct TestResultEntry {
    /// Content hash of the task without its test outputs.
    task_hash: String,
    /// Test pairs on which it is right.
    right: u32,
    /// Number of test pairs.
    pairs: u32,
}

fn show_json(
    stored: &Stored,
    program: &Program,
    lineage: &[Ancestor],
    measures: &[Measure],
    tests: Option<&[TestResult]>,
) -> Answer {
    let ancestor = |it: &Ancestor| AncestorEntry {
        depth: it.depth,
        hash: it.hash.to_string(),
        origin: it.stored.as_ref().map(|stored| OriginEntry::new(&stored.origin)),
    };
    let test = |it: &TestResult| TestResultEntry {
        task_hash: it.task.to_string(),
        right: it.right,
        pairs: it.pairs,
    };
    output::json(StoredProgramDocument {
        program: show_document(program),
        names: stored.names.clone(),
        signature: stored.signature.clone(),
        lineage: lineage.iter().map(ancestor).collect(),
        results: measures.iter().map(ResultEntry::new).collect(),
        tests: tests.map(|tests| tests.iter().map(test).collect()),
    })?;
    Ok(true)
}

/// Returns the only program with this name, task or hash.
fn only(store: &Store, wanted: &str) -> anyhow::Result<Stored> {
    let mut found = store.find(wanted)?;
    if found.is_empty() {
        found = of_task(store, wanted)?;
    }
    let path = store.path().display();
    if found.len() > 1 {
        let hashes: Vec<_> = found.iter().take(8).map(|stored| format!("{:.12}", stored.hash)).collect();
        bail!(
            "{} programs in {path} match {wanted}; choose one by its hash: {}",
            found.len(),
            hashes.join(", ")
        );
    }
    if let Some(stored) = found.pop() {
        return Ok(stored);
    }
    let names: Vec<String> = store.list()?.into_iter().flat_map(|stored| stored.names).collect();
    match lang::suggest(wanted, names.iter().map(String::as_str)) {
        Some(near) => {
            bail!("no file and no program in {path} is called {wanted}; did you mean {near}?")
        }
        None => {
            let searched = format!("no file, no built-in program and no program in {path}");
            bail!("{}; see `batt programs list`", not_found(&searched, wanted))
        }
    }
}

/// Returns the best program for the task with this id or, if none is ranked for it, those named after it.
fn of_task(store: &Store, id: &str) -> anyhow::Result<Vec<Stored>> {
    if store.tasks()?.iter().any(|(_, name)| name == id) {
        return Ok(selected(store, Some(id))?.into_iter().map(|(stored, _)| stored).take(1).collect());
    }
    Ok(store.find(&arcbatt::verify::program_name(id))?)
}

/// Formats an ancestor: `1a2b3c4d5e6f found by swap constant, seed 7, saw 1 task`.
fn describe(ancestor: &Ancestor) -> String {
    let Ancestor { hash, stored, again, .. } = ancestor;
    let origin = match stored.as_ref().map(|stored| &stored.origin) {
        None => "not stored".to_owned(),
        Some(Origin::Imported { file }) => format!("imported from {file}"),
        Some(Origin::Written) => "written".to_owned(),
        Some(Origin::Found { seed, operator, saw, .. }) => {
            format!("found by {operator}, seed {seed}, saw {}", count(saw.len(), "task"))
        }
    };
    let name = stored.as_ref().and_then(|stored| stored.names.first()).map(|name| format!(" {name}"));
    let again = if *again { " (as above)" } else { "" };
    format!("{hash:.12}{} {origin}{again}", name.unwrap_or_default())
}

/// The stored programs, checked again.
#[derive(JsonSchema, Serialize)]
pub(crate) struct VerifyDocument {
    /// Number of programs.
    programs: usize,
    /// Number of results that were measured again.
    results: usize,
    /// Differences from the stored results.
    wrong: Vec<WrongProgram>,
    /// Problems that were skipped. Absent if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<data::Skipped>,
}

/// A stored program that differs.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "StoreDifference")]
struct WrongProgram {
    /// Content hash.
    program: String,
    /// Id of the task. Null if the program cannot be parsed.
    task: Option<String>,
    /// The difference in words.
    why: String,
}

/// Parses all stored programs again, and measures those that are ranked for tasks of the data set again.
pub(crate) fn verify(data: Option<&DataArgs>, store: &StoreArgs, limits: &RunLimits, json: bool) -> Answer {
    let store = store.open_existing()?;
    let dataset = data.map(DataArgs::open).transpose()?;
    let programs = store.list()?;
    let mut wrong = Vec::new();
    for stored in &programs {
        if let Err(why) = stored.check() {
            wrong.push(WrongProgram { program: stored.hash.to_string(), task: None, why });
        }
    }
    let pool = Pool::new(0)?;
    let (measurer, time) = (Measurer { pool: &pool, limits: limits.limits() }, limits.timeout);
    let mut results = 0;
    for task in dataset.iter().flat_map(|dataset| &dataset.tasks) {
        let ranked = store.best_for(task.sealed_hash())?;
        // Programs that cannot be parsed were reported above.
        let readable: Vec<_> =
            ranked.iter().filter_map(|it| Some((it, store.program(&it.stored).ok()?))).collect();
        let (ranked, programs): (Vec<_>, Vec<_>) = readable.into_iter().unzip();
        if programs.is_empty() {
            continue;
        }
        results += programs.len();
        for (ranked, now) in
            ranked.into_iter().zip(measurer.measure_within(time, &programs, task, &Unwatched)?)
        {
            if let Some(why) = difference(&ranked.measure, &now.measure) {
                let program = ranked.stored.hash.to_string();
                wrong.push(WrongProgram { program, task: Some(task.id.clone()), why });
            }
        }
    }
    let fine = wrong.is_empty();
    if json {
        let skipped = dataset.map(|dataset| data::skipped(&dataset.skipped)).unwrap_or_default();
        output::json(VerifyDocument { programs: programs.len(), results, wrong, skipped })?;
        return Ok(fine);
    }
    let mut out = output::stdout();
    for WrongProgram { program, task, why } in &wrong {
        let task = task.as_ref().map(|task| format!(" on {task}")).unwrap_or_default();
        writeln!(out, "{program:.12}{task}: {why}")?;
    }
    let measured = match &dataset {
        Some(dataset) => format!(", {} measured again on {}", count(results, "result"), dataset.label),
        None => String::new(),
    };
    let parsed = count(programs.len(), "program");
    writeln!(out, "{parsed} parsed again{measured}: {}", count(wrong.len(), "difference"))?;
    out.flush()?;
    Ok(fine)
}

/// Describes how a stored result differs from a new one.
fn difference(then: &Measure, now: &Measure) -> Option<String> {
    let comparable = |measure: &Measure| Measure { micros: 0, task_name: String::new(), ..measure.clone() };
    if comparable(then) == comparable(now) {
        return None;
    }
    let version = if then.dsl == now.dsl { "" } else { " by another version of the DSL" };
    if (then.right, then.score, then.fuel) == (now.right, now.score, now.fuel) {
        return (then.behaviour != now.behaviour)
            .then(|| format!("its answers differ from those stored{version}"));
    }
    Some(format!("stored{version} as {}; now {}", describe_result(then), describe_result(now)))
}

/// Programs that were removed from the store.
#[derive(JsonSchema, Serialize)]
pub(crate) struct PruneDocument {
    /// Number of removed programs.
    programs: usize,
    /// Number of removed results.
    results: usize,
    /// Removed programs that could no longer be parsed.
    unreadable: usize,
    /// Number of remaining programs.
    left: usize,
}

fn prune(keep: usize, store: &StoreArgs, json: bool) -> Answer {
    let mut store = store.open_existing()?;
    let pruned = store.prune(keep)?;
    let left = store.stats()?.programs;
    if json {
        let Pruned { programs, results, unreadable } = pruned;
        output::json(PruneDocument { programs, results, unreadable, left })?;
        return Ok(true);
    }
    let mut out = output::stdout();
    let (programs, results) = (count(pruned.programs, "program"), count(pruned.results, "result"));
    let unreadable = match pruned.unreadable {
        0 => String::new(),
        n => format!(" ({} could no longer be parsed)", count(n, "program")),
    };
    writeln!(out, "removed {programs} and {results}{unreadable}; {} left", count(left, "program"))?;
    out.flush()?;
    Ok(true)
}
