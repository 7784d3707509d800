//! `cargo xtask claims`: recomputes the figures of the documents.
//!
//! [`DOCUMENTS`] lists sentences with figures and how to measure them. The figures are read from the
//! documents, so they are never typed a second time. A sentence that is no longer found counts as wrong:
//! adapt it in the list.
//!
//! Times, rates, memory and ratios to CPython depend on the machine, so they are not claims for this command;
//! see `batt bench` and `cargo xtask instructions`. Figures of ARC-AGI-2 and of past experiments are not
//! covered either.

mod prose;
mod runner;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use arcbatt::battery::Unwatched;
use arcbatt::verify::{Verdict, verify};
use arcbatt::{FUEL_PER_SECOND, MEMORY_PER_THREAD, Pool, store::KEEP};
use batt_dsl::{Limits, registry, symbol};
use batt_lang::{MAX_TEXT, parse_bytes};
use batt_task::{demo::rules, load};
use batt_value::{Arena, Caps, Fail, Value, parse};
use serde_json::Value as Json;

use crate::tidy::rust_files;
use prose::{Match, Prose, fill, same};
use runner::Runner;

use Measure::{Computed, Exits, Fields, Printed};
use Need::{Reference, Slow, Tasks};

/// The claims of each document. This is the one place to adapt when a document is reworded.
const DOCUMENTS: &[(&str, &[Claim])] = &[
    (
        "README.md",
        &[
            claim("solve the {} built-in tasks", Computed(built_in_tasks)),
            claim("across_the_wall {}% transform", Printed("solve")),
            claim("agreement {}% split", Printed("solve")),
            claim("asymmetric_panel {}% select", Printed("solve")),
            claim("blue_then_red {}% recolour by relations", Printed("solve")),
            claim("solved on demos {} of {} tasks", Printed("solve")),
            claim("expected right outputs {}", Printed("solve")),
            claim("mean over outputs (Kaggle) {} %, {} of {} outputs", Printed("solve")),
            claim("mean over tasks of the fraction {} %, over {} tasks", Printed("solve")),
            claim("tasks entirely right {} %, {} of {} tasks", Printed("solve")),
            claim("first attempts, {} to {} % sure {} of {} right, {} % sure on average", Printed("solve")),
            claim("throughput {} candidates", Printed("solve")),
            claim("on which the search was tuned, {} of {} outputs are right", Computed(solved))
                .needs(&[Tasks, Slow]),
            claim("exit code {} if one is wrong", Exits(&["run demo --fuel 1"])),
            claim(
                "Exit codes are {} (success), {} (a check failed or an answer is wrong) and {} (usage or input error)",
                Exits(&["dsl list", "data diff demo examples", "solve no-such-data"]),
            ),
            claim(
                "train 0: right (fuel {})",
                Printed("eval programs/examples.py examples/kaleidoscope.json --trace"),
            ),
            claim("against {} answers recorded from arc-dsl", Fields(CONFORMANCE, &["/passed"])),
            claim("{} depend on CPython's set order", Fields(CONFORMANCE, &["/order_dependent"])),
            claim("{} of {} programs right on all pairs", Computed(right_solvers)).needs(&[Reference, Tasks]),
            claim("The other one, {}, is wrong", Computed(wrong_solvers)).needs(&[Reference, Tasks]),
        ],
    ),
    (
        "ARCHITECTURE.md",
        &[
            claim("{} unsafe instruction and one unsafe module", Computed(unsafe_blocks)),
            claim("a Value<'a>: Copy, {} bytes", Computed(|_| figures([size_of::<Value<'_>>()]))),
        ],
    ),
    (
        "docs/bench.md",
        &[
            claim(
                "ends with exit code {}. With a reference",
                Exits(&["bench --tasks demo --programs SCRATCH/wrong.py --rounds 1"]),
            ),
            claim("of {} passes", Computed(|_| figures([batt_bench::PASSES]))),
            claim("(--rounds, default {})", Computed(|runner| default(runner, "bench", "--rounds"))),
            claim(
                "More than {} percent either way is an error",
                Computed(|_| figures([crate::instructions::TOLERANCE as usize])),
            ),
        ],
    ),
    ("docs/commands.md", &[claim("\"schema\": {}", Fields("data list --json", &["/schema"]))]),
    (
        "docs/data.md",
        &[
            claim("| demo | {} | {} + {} | original tasks", Computed(|runner| data_set(runner, "demo"))),
            claim("| arc1-training | {} | {} + {} |", Computed(|runner| data_set(runner, "arc1-training"))),
            claim(
                "| arc1-evaluation | {} | {} + {} |",
                Computed(|runner| data_set(runner, "arc1-evaluation")),
            ),
            claim(
                "| arc1-original-training | {} | {} + {} |",
                Computed(|runner| data_set(runner, "arc1-original-training")),
            ),
            claim(
                "| arc1-original-evaluation | {} | {} + {} |",
                Computed(|runner| data_set(runner, "arc1-original-evaluation")),
            ),
            claim("| arc2-training | {} | {} + {} |", Computed(|runner| data_set(runner, "arc2-training"))),
            claim(
                "| arc2-evaluation | {} | {} + {} |",
                Computed(|runner| data_set(runner, "arc2-evaluation")),
            ),
            claim(
                "| kaggle2025-training | {} | {} + {} |",
                Computed(|runner| data_set(runner, "kaggle2025-training")),
            ),
            claim(
                "| kaggle2025-evaluation | {} | {} + {} |",
                Computed(|runner| data_set(runner, "kaggle2025-evaluation")),
            ),
            claim("the command exits with {}", Exits(&["data verify Cargo.toml"])),
            claim("exits with {} if they differ", Exits(&["data diff demo examples"])),
        ],
    ),
    (
        "docs/differences.md",
        &[
            claim("one of {} kinds of failure", Computed(|_| figures([Fail::ALL.len()]))),
            claim("{} MiB; a function has", Computed(|_| figures([MAX_TEXT >> 20]))),
            claim("heavier than {} nodes or nested deeper than {};", Computed(caps)),
            claim("A 10×10 grid weighs {}, a place {}, a cell {}", Computed(weights)),
        ],
    ),
    (
        "docs/kaggle.md",
        &[
            claim("--memory {} is the default", Computed(|runner| default(runner, "solve", "--memory"))),
            claim("{} MB are counted for each thread", Computed(memory_per_thread)),
        ],
    ),
    (
        "docs/profiling.md",
        &[claim("{} of {} programs right, 1 expected to be wrong", Computed(right_solvers))
            .needs(&[Reference, Tasks])],
    ),
    (
        "docs/programs.md",
        &[
            claim("It exits with {} if there is an error", Exits(&["programs check fuzz/seeds/errors.py"])),
            claim("exit with {} if there are any", Exits(&["programs fmt --check fuzz/seeds/shapes.py"])),
            claim("Of all {} exported programs, {} are written out, {} of them", Computed(resolved))
                .needs(&[Tasks, Slow]),
        ],
    ),
    (
        "docs/search.md",
        &[
            claim("damages each of the {} programs of programs/demo.py", Computed(built_in_tasks)),
            claim("the other {} to graft from, for {} million fuel", Computed(breeding)),
            claim("| constant | {} | {} | {} | {} |", Computed(|runner| recovery(runner, "constant"))),
            claim("| function | {} | {} | {} | {} |", Computed(|runner| recovery(runner, "function"))),
            claim("| argument | {} | {} | {} | {} |", Computed(|runner| recovery(runner, "argument"))),
            claim("From the {} built-in programs alone", Computed(built_in_tasks)),
            claim(
                "is right on {} of {} outputs with this step",
                Fields("solve TASKS --programs programs/demo.py --json", OUTPUTS),
            )
            .needs(&[Tasks, Slow]),
            claim("The family extend has {} primitives", Computed(|_| family("extend"))),
        ],
    ),
    (
        "docs/solving.md",
        &[
            claim(
                "first 200 training tasks (in sample), first attempts right | {} of {} | {} of {} | \
                 {} of {} | {} of {} | {} of {} |",
                Computed(|runner| reliability(runner, SOLVE_FIRST)),
            )
            .needs(&[Tasks, Slow]),
            claim(
                "| the other 200 | {} of {} | {} of {} | {} of {} | {} of {} | {} of {} |",
                Computed(|runner| reliability(runner, SOLVE_OTHERS)),
            )
            .needs(&[Tasks, Slow]),
            claim("batt solve arc1-training | {} of {} (", Computed(solved)).needs(&[Tasks, Slow]),
            claim("(first attempt alone {};", Computed(|runner| first_attempts(runner, HALVES)))
                .needs(&[Tasks, Slow]),
            claim("(first attempt alone {…} --per-task 10s | {} of {} (", Fields(SOLVE_10S, OUTPUTS))
                .needs(&[Tasks, Slow]),
            claim(
                "(first attempt alone {…} --per-task 10s {…} ({};",
                Computed(|runner| first_attempts(runner, &[SOLVE_10S])),
            )
            .needs(&[Tasks, Slow]),
            claim(
                "(first attempt alone {…} the learners alone | {} of {} |",
                Fields(SOLVE_10S_LEARNERS, OUTPUTS),
            )
            .needs(&[Tasks, Slow]),
            claim(
                "the first 200 by id (ranking and confidence chosen on them) | {} of {} |",
                Fields(SOLVE_FIRST, OUTPUTS),
            )
            .needs(&[Tasks, Slow]),
            claim("… the other 200 | {} of {} |", Fields(SOLVE_OTHERS, OUTPUTS)).needs(&[Tasks, Slow]),
            claim(
                "Of the {} training tasks that are not entirely right, {} have no program",
                Computed(unsolved),
            )
            .needs(&[Tasks, Slow]),
            claim("among the two attempts for {} of", Computed(|runner| Ok(vec![solved(runner)?.remove(0)])))
                .needs(&[Tasks, Slow]),
            claim("{} million units a second", Computed(|_| figures([FUEL_PER_SECOND as usize / 1_000_000]))),
            claim("it counts a generous {} MB for each", Computed(memory_per_thread)),
        ],
    ),
    (
        "docs/store.md",
        &[
            claim("The best {} programs of a task", Computed(|_| figures([KEEP]))),
            claim("is refused with exit code {}", Exits(&["programs list --store README.md"])),
            claim("application_id is batt ({}), user_version is {}", Computed(store_header)),
            claim("LIMIT 3' {}|{}|{}|{} {}|{}|{}|{} {}|{}|{}|{}", Computed(most_expensive_programs)),
        ],
    ),
];

const CONFORMANCE: &str = "conformance crates/testkit/vectors/*.gz --json";
const BREED: &str = "bench breed --json";
const SOLVE_FIRST: &str = "solve TASKS -n 200 --json";
const SOLVE_OTHERS: &str = "solve TASKS --start 200 --json";
/// Both halves of the training tasks. The answer to a task does not depend on other tasks, so they add up to
/// the whole.
const HALVES: &[&str] = &[SOLVE_FIRST, SOLVE_OTHERS];
const SOLVE_10S: &str = "solve TASKS --per-task 10s --json";
const SOLVE_10S_LEARNERS: &str = "solve TASKS --per-task 10s --without enumerate breed --json";

/// Fields of a solve: the number of right outputs and of all outputs.
const OUTPUTS: &[&str] = &["/scores/0/numerator", "/scores/0/denominator"];

/// A sentence with figures.
struct Claim {
    /// The sentence without markup. `{}` is a figure and `{…}` is any text; see [`prose`].
    text: &'static str,
    measure: Measure,
    needs: &'static [Need],
}

/// The way to recompute the figures of a claim.
enum Measure {
    /// A command of `batt` prints the same sentence.
    Printed(&'static str),
    /// They are fields (JSON pointers) of the document that a command of `batt` prints.
    Fields(&'static str, &'static [&'static str]),
    /// They are the exit codes of commands of `batt`.
    Exits(&'static [&'static str]),
    /// A function computes them.
    Computed(fn(&Runner<'_>) -> Result<Vec<String>>),
}

/// An option without which a claim is skipped.
#[derive(Clone, Copy)]
enum Need {
    Reference,
    Tasks,
    Slow,
}

const fn claim(text: &'static str, measure: Measure) -> Claim {
    Claim { text, measure, needs: &[] }
}

impl Claim {
    const fn needs(self, needs: &'static [Need]) -> Claim {
        Claim { needs, ..self }
    }

    /// Compares every place of the sentence in a document with the measured figures.
    fn check(&self, document: &str, prose: &Prose, runner: &Runner<'_>) -> Outcome {
        let places = prose.find(self.text);
        let Some(first) = places.first() else {
            return Outcome::Wrong(format!("{document}: WRONG: no such claim in {document}: {}", self.text));
        };
        let at = |place: &Match| format!("{document}:{}", place.line);
        let says = |place: &Match| fill(self.text, &place.figures);
        if let Some(option) = runner.options.missing(self.needs) {
            return Outcome::Skipped(format!("{}: skipped: needs {option}: {}", at(first), says(first)));
        }
        let measured = match self.measure(runner) {
            Ok(measured) => measured,
            Err(error) => {
                let text = says(first);
                return Outcome::Wrong(format!("{}: WRONG: cannot measure “{text}”: {error:#}", at(first)));
            }
        };
        let holds = |figures: &[String]| {
            figures.len() == measured.len() && figures.iter().zip(&measured).all(|(a, b)| same(a, b))
        };
        match places.iter().find(|place| !holds(&place.figures)) {
            None => Outcome::Ok(format!("{}: ok: {}", at(first), says(first))),
            Some(place) => Outcome::Wrong(format!(
                "{}: WRONG: the text says “{}”, measured {}",
                at(place),
                says(place),
                measured.join(", ")
            )),
        }
    }

    fn measure(&self, runner: &Runner<'_>) -> Result<Vec<String>> {
        match self.measure {
            Printed(command) => {
                let output = Prose::new(&runner.run(command)?.stdout);
                let first = output.find(self.text).into_iter().next();
                Ok(first.with_context(|| format!("`batt {command}` does not print it"))?.figures)
            }
            Fields(command, pointers) => {
                let document = runner.json(command)?;
                let field = |pointer: &&str| {
                    let field = document.pointer(pointer);
                    Ok(field.with_context(|| format!("`batt {command}` has no field {pointer}"))?.to_string())
                };
                pointers.iter().map(field).collect()
            }
            Exits(commands) => {
                commands.iter().map(|command| Ok(runner.run(command)?.code.to_string())).collect()
            }
            Computed(compute) => compute(runner),
        }
    }
}

/// The options of the command.
#[derive(Default)]
pub(crate) struct Options {
    /// A checkout of arc-dsl.
    pub(crate) reference: Option<PathBuf>,
    /// The folder of the 400 training tasks of ARC-AGI-1.
    pub(crate) tasks: Option<PathBuf>,
    /// Whether to check claims that take minutes.
    pub(crate) slow: bool,
    /// The binary to measure.
    pub(crate) batt: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse(args: &[&str], root: &Path) -> Result<Options> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let option = match *arg {
                "--reference" => &mut options.reference,
                "--tasks" => &mut options.tasks,
                "--batt" => &mut options.batt,
                "--slow" => {
                    options.slow = true;
                    continue;
                }
                _ => bail!("unknown option {arg}\n\n{}", crate::USAGE),
            };
            let path = std::path::absolute(args.next().with_context(|| format!("{arg} needs a path"))?)?;
            std::fs::metadata(&path).with_context(|| format!("{arg}: cannot read {}", path.display()))?;
            *option = Some(path);
        }
        if let Some(file) = options.solvers().filter(|file| !file.is_file()) {
            bail!("--reference: there is no {}; expected a checkout of arc-dsl", file.display());
        }
        let usual = root.join("../shared/arc/arc1-training");
        options.tasks = options.tasks.or_else(|| usual.is_dir().then_some(usual));
        Ok(options)
    }

    /// Returns the file of arc-dsl's programs.
    pub(crate) fn solvers(&self) -> Option<PathBuf> {
        self.reference.as_ref().map(|folder| folder.join("solvers.py"))
    }

    /// Returns the first option that a claim needs and that was not given.
    fn missing(&self, needs: &[Need]) -> Option<&'static str> {
        needs.iter().find_map(|need| match need {
            Reference => self.reference.is_none().then_some("--reference"),
            Tasks => self.tasks.is_none().then_some("--tasks"),
            Slow => (!self.slow).then_some("--slow"),
        })
    }
}

/// The line to print for a claim.
enum Outcome {
    Ok(String),
    Wrong(String),
    Skipped(String),
}

/// The result of the command.
pub(crate) struct Summary {
    pub(crate) wrong: usize,
    /// The lines of the claims that were not checked.
    pub(crate) skipped: Vec<String>,
}

/// Checks all claims. Prints one line for each.
pub(crate) fn check(root: &Path, batt: &Path, options: &Options) -> Result<Summary> {
    let runner = Runner::new(root, batt, options)?;
    let (mut right, mut wrong, mut skipped) = (0, 0, Vec::new());
    for (document, claims) in DOCUMENTS {
        let text = std::fs::read_to_string(root.join(document));
        let prose = Prose::new(&text.with_context(|| format!("cannot read {document}"))?);
        for claim in *claims {
            match claim.check(document, &prose, &runner) {
                Outcome::Ok(line) => {
                    right += 1;
                    print(&line);
                }
                Outcome::Wrong(line) => {
                    wrong += 1;
                    print(&line);
                }
                Outcome::Skipped(line) => {
                    print(&line);
                    skipped.push(line);
                }
            }
        }
    }
    print(&format!("{} claims checked, {wrong} wrong, {} skipped", right + wrong, skipped.len()));
    Ok(Summary { wrong, skipped })
}

fn figures<const N: usize>(figures: [usize; N]) -> Result<Vec<String>> {
    Ok(figures.map(|figure| figure.to_string()).into())
}

fn built_in_tasks(_: &Runner<'_>) -> Result<Vec<String>> {
    figures([rules().len()])
}

fn default(runner: &Runner<'_>, command: &str, option: &str) -> Result<Vec<String>> {
    Ok(vec![runner.default(command, option)?])
}

fn family(name: &str) -> Result<Vec<String>> {
    let family = registry().families().find(|(family, _)| family.name == name);
    figures([family.with_context(|| format!("there is no family {name}"))?.1.len()])
}

fn memory_per_thread(_: &Runner<'_>) -> Result<Vec<String>> {
    figures([MEMORY_PER_THREAD as usize >> 20])
}

fn caps(_: &Runner<'_>) -> Result<Vec<String>> {
    figures([Caps::STANDARD.weight as usize, Caps::STANDARD.depth as usize])
}

/// The weights of a 10×10 grid, a place and a cell.
fn weights(_: &Runner<'_>) -> Result<Vec<String>> {
    let arena = Arena::new(Caps::STANDARD);
    let value = |text| parse(text, &arena, &symbol).map_err(|error| anyhow::Error::msg(error.to_string()));
    let grid = arena.grid(10, &[0; 100]).map_err(|fail| anyhow::Error::msg(fail.name()))?;
    figures([grid, value("(0, 0)")?, value("(0, (0, 0))")?].map(|value| value.weight() as usize))
}

/// The number of `unsafe` blocks, functions and implementations outside the module that calls OpenCL.
fn unsafe_blocks(runner: &Runner<'_>) -> Result<Vec<String>> {
    let mut count = 0;
    for entry in std::fs::read_dir(runner.root.join("crates"))? {
        for file in rust_files(&entry?.path().join("src"))? {
            if file.iter().any(|part| part == "opencl") {
                continue;
            }
            let text = std::fs::read_to_string(file)?;
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
            count += words.filter(|word| *word == "unsafe").count();
        }
    }
    figures([count])
}

/// The programs that a solve of the training tasks exports, those written out, and those in arc-dsl.
fn resolved(runner: &Runner<'_>) -> Result<Vec<String>> {
    runner.json("solve TASKS --export SCRATCH/found.py --overwrite --json")?;
    let document = runner.json("programs resolve SCRATCH/found.py TASKS --json")?;
    let n = document["programs"].as_array().map_or(0, Vec::len);
    Ok(vec![n.to_string(), document["resolved"].to_string(), document["arc_dsl"].to_string()])
}

/// The tasks, training pairs and test pairs of a data set.
fn data_set(runner: &Runner<'_>, name: &str) -> Result<Vec<String>> {
    let document = runner.json("data list --json")?;
    let mut sets = document["sets"].as_array().into_iter().flatten();
    let set = sets.find(|set| set["name"] == name).with_context(|| format!("there is no data set {name}"))?;
    Ok(["tasks", "train_pairs", "test_pairs"].map(|field| set[field].to_string()).into())
}

/// The other programs that a damaged program may graft from, and its fuel in millions.
fn breeding(runner: &Runner<'_>) -> Result<Vec<String>> {
    let fuel = runner.json(BREED)?["fuel_per_task"].as_u64().context("no fuel")?;
    figures([rules().len() - 1, fuel as usize / 1_000_000])
}

/// The figures of one kind of damage.
fn recovery(runner: &Runner<'_>, damage: &str) -> Result<Vec<String>> {
    let document = runner.json(BREED)?;
    let mut rows = document["recovery"].as_array().into_iter().flatten();
    let row = rows.find(|row| row["damage"] == damage).with_context(|| format!("no row {damage}"))?;
    Ok(["damaged", "recovered", "right_on_tests", "candidates"].map(|field| row[field].to_string()).into())
}

/// Right first attempts and all first attempts, from the surest to the least sure.
fn reliability(runner: &Runner<'_>, command: &str) -> Result<Vec<String>> {
    let document = runner.json(command)?;
    let rows = document["reliability"].as_array().context("no reliability")?;
    Ok(rows.iter().flat_map(|row| [row["right"].to_string(), row["attempts"].to_string()]).collect())
}

/// The sum of a field over several solves.
fn sum(runner: &Runner<'_>, commands: &[&str], pointer: &str) -> Result<usize> {
    let field = |command: &&str| {
        let field = runner.json(command)?.pointer(pointer).and_then(Json::as_u64);
        Ok(field.with_context(|| format!("`batt {command}` has no field {pointer}"))? as usize)
    };
    commands.iter().map(field).sum()
}

/// Right outputs and all outputs of the training tasks.
fn solved(runner: &Runner<'_>) -> Result<Vec<String>> {
    figures([sum(runner, HALVES, OUTPUTS[0])?, sum(runner, HALVES, OUTPUTS[1])?])
}

/// The number of outputs of which the first attempt is right.
fn first_attempts(runner: &Runner<'_>, commands: &[&str]) -> Result<Vec<String>> {
    let mut right = 0;
    for band in 0..5 {
        right += sum(runner, commands, &format!("/reliability/{band}/right"))?;
    }
    figures([right])
}

/// Training tasks that are not entirely right, and those of them without a program that fits all
/// demonstration pairs.
fn unsolved(runner: &Runner<'_>) -> Result<Vec<String>> {
    let tasks = sum(runner, HALVES, "/tasks")?;
    let right = sum(runner, HALVES, "/scores/2/numerator")?;
    let fitting = sum(runner, HALVES, "/solved_on_demos")?;
    figures([tasks - right, tasks - fitting])
}

/// Runs arc-dsl's programs on the tasks they are named after.
fn verdicts(runner: &Runner<'_>) -> Result<Vec<Verdict>> {
    let Options { tasks: Some(tasks), .. } = runner.options else { bail!("no tasks") };
    let solvers = runner.options.solvers().context("no checkout")?;
    let text = std::fs::read(&solvers).with_context(|| format!("cannot read {}", solvers.display()))?;
    let programs = parse_bytes(&text).programs;
    Ok(verify(&programs, &load(tasks)?, Limits::STANDARD, &Pool::new(0)?, &Unwatched))
}

/// The number of arc-dsl's programs that are right on all pairs, and of all of them.
fn right_solvers(runner: &Runner<'_>) -> Result<Vec<String>> {
    let verdicts = verdicts(runner)?;
    figures([verdicts.iter().filter(|verdict| verdict.right()).count(), verdicts.len()])
}

/// The tasks whose program in arc-dsl is wrong.
fn wrong_solvers(runner: &Runner<'_>) -> Result<Vec<String>> {
    let wrong = verdicts(runner)?.into_iter().filter(|verdict| !verdict.right());
    Ok(wrong.map(|verdict| verdict.task.unwrap_or(verdict.program)).collect())
}

/// Imports the built-in programs into a new store. Returns its file.
fn new_store(runner: &Runner<'_>) -> Result<PathBuf> {
    runner.run("programs import programs/demo.py --data demo --store SCRATCH/demo.sqlite")?;
    Ok(runner.scratch("demo.sqlite"))
}

/// The identifier and the version in the header of a store.
fn store_header(runner: &Runner<'_>) -> Result<Vec<String>> {
    let bytes = std::fs::read(new_store(runner)?)?;
    let number = |offset: usize| Some(u32::from_be_bytes(bytes.get(offset..offset + 4)?.try_into().ok()?));
    // https://www.sqlite.org/fileformat.html#the_database_header
    let (version, id) = (number(60), number(68));
    Ok(vec![format!("{:#x}", id.context("no header")?), version.context("no header")?.to_string()])
}

/// Task, score, fuel and calls of the three built-in programs that use the most fuel.
fn most_expensive_programs(runner: &Runner<'_>) -> Result<Vec<String>> {
    new_store(runner)?;
    let document = runner.json("programs list --store SCRATCH/demo.sqlite --json")?;
    let programs = document["programs"].as_array().context("no programs")?;
    let mut rows: Vec<_> =
        programs.iter().map(|program| (&program["results"][0], &program["calls"])).collect();
    rows.sort_by_key(|(result, _)| std::cmp::Reverse(result["fuel"].as_u64()));
    let figures = |(result, calls): &(&Json, &Json)| {
        let task = result["task"].as_str().unwrap_or_default().to_owned();
        [task, result["score"].to_string(), result["fuel"].to_string(), calls.to_string()]
    };
    Ok(rows.iter().take(3).flat_map(figures).collect())
}

#[expect(clippy::print_stdout, reason = "this is the result of the command")]
fn print(line: &str) {
    println!("{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFERENCE_CLAIMS: &[Claim] = &[
        claim("{} of {} programs right on all pairs", Computed(right_solvers)).needs(&[Reference, Tasks]),
        claim("The other one, {}, is wrong", Computed(wrong_solvers)).needs(&[Reference, Tasks]),
    ];

    /// Checks the claims about a reference in a text. Commands of `batt` cannot be run.
    fn check_text(text: &str, options: &Options) -> Vec<String> {
        let runner = Runner::new(Path::new("."), Path::new("no-batt"), options).unwrap();
        let check = |claim: &Claim| match claim.check("a.md", &Prose::new(text), &runner) {
            Outcome::Ok(line) | Outcome::Wrong(line) | Outcome::Skipped(line) => line,
        };
        REFERENCE_CLAIMS.iter().map(check).collect()
    }

    /// Makes a checkout with two programs, of which one is wrong, and a folder with their tasks.
    fn small_reference(folder: &Path) -> Options {
        let (reference, tasks) = (folder.join("arc-dsl"), folder.join("tasks"));
        for folder in [&reference, &tasks] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let solvers =
            "def solve_aaaaaaaa(I):\n    return vmirror(I)\n\n\ndef solve_bbbbbbbb(I):\n    return I\n";
        std::fs::write(reference.join("solvers.py"), solvers).unwrap();
        let task = r#"{"train": [{"input": [[1, 2]], "output": [[2, 1]]}],
                       "test": [{"input": [[3, 4]], "output": [[4, 3]]}]}"#;
        for id in ["aaaaaaaa", "bbbbbbbb"] {
            std::fs::write(tasks.join(format!("{id}.json")), task).unwrap();
        }
        let args = ["--reference", reference.to_str().unwrap(), "--tasks", tasks.to_str().unwrap()];
        Options::parse(&args, folder).unwrap()
    }

    #[test]
    fn claims_about_a_reference() {
        let folder = std::env::temp_dir().join(format!("batt-claims-test-{}", std::process::id()));
        let options = small_reference(&folder);
        let text = "# Title\n\nIt prints `1 of 2 programs\nright on all pairs`. The other one, `bbbbbbbb`, is wrong.\n";
        let right = [
            "a.md:3: ok: 1 of 2 programs right on all pairs",
            "a.md:4: ok: The other one, bbbbbbbb, is wrong",
        ];
        assert_eq!(check_text(text, &options), right);
        let text = "It prints `399 of 400 programs right on all pairs`. The other one is wrong.";
        let wrong = [
            "a.md:1: WRONG: the text says “399 of 400 programs right on all pairs”, measured 1, 2",
            "a.md: WRONG: no such claim in a.md: The other one, {}, is wrong",
        ];
        assert_eq!(check_text(text, &options), wrong);
        let skipped = [
            "a.md:1: skipped: needs --reference: 399 of 400 programs right on all pairs",
            "a.md: WRONG: no such claim in a.md: The other one, {}, is wrong",
        ];
        assert_eq!(check_text(text, &Options::default()), skipped);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn options_are_checked() {
        let error = |args: &[&str]| match Options::parse(args, Path::new("nowhere")) {
            Ok(_) => "none".to_owned(),
            Err(error) => error.to_string().lines().next().unwrap().to_owned(),
        };
        assert_eq!(error(&["--slow"]), "none");
        assert_eq!(error(&["--fast"]), "unknown option --fast");
        assert_eq!(error(&["--tasks"]), "--tasks needs a path");
        assert!(error(&["--tasks", "no-such-folder"]).starts_with("--tasks: cannot read "));
        let source = env!("CARGO_MANIFEST_DIR");
        assert!(error(&["--reference", source]).ends_with("solvers.py; expected a checkout of arc-dsl"));
    }

    #[test]
    fn every_claim_has_a_figure() {
        for (document, claims) in DOCUMENTS {
            for claim in *claims {
                assert!(claim.text.contains("{}"), "{document}: {}", claim.text);
            }
        }
    }
}
