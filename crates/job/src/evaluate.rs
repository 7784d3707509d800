//! Evaluates many program texts, for example those that a model wrote.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use batt_dsl::Limits;
use batt_exec::{Input, Job, Options, Picture, Prepared, Run, Scratch};
use batt_lang::{Parsed, Program, parse};
use batt_plan::{Plan, ProgramId};
use batt_score::{Target, Verdict, judge};
use batt_task::{Grid, Pair, Part, Task};
use batt_value::Arena;
use rayon::prelude::*;

use crate::pool::Pool;

/// Program texts, each with the task that it is evaluated on.
pub struct Evaluation<'e> {
    pub texts: &'e [String],
    /// The task of each text, as an index into `tasks`.
    pub task_of: &'e [usize],
    pub tasks: &'e [&'e Task],
    /// The pairs to run on.
    pub parts: &'e [Part],
    /// Fuel for each program and pair.
    pub fuel: u64,
}

/// The result of one text.
pub struct Evaluated {
    /// Why the text has no program to run. Then there are no pairs.
    pub problem: Option<String>,
    /// The results in the order of the parts and of their pairs.
    pub pairs: Vec<EvaluatedPair>,
}

/// The result of a program on one pair.
pub struct EvaluatedPair {
    pub verdict: Verdict,
    /// How close the answer is to the expected output, from 0 to 1; `None` if that is unknown.
    pub closeness: Option<f64>,
    /// Which part of the way from the input to the expected output the answer covers, from 0 to 1.
    pub score: Option<f64>,
    pub fuel: u64,
}

/// Number of programs that are merged and run together. Large enough that equal calls of similar programs are shared,
/// small enough that all threads have work.
const CHUNK: usize = 64;

/// Runs every text on its task. Results depend on the texts, the tasks and the fuel only, not on the number of threads.
/// Returns `None` if `stop` was set first.
pub fn evaluate(pool: &Pool, evaluation: &Evaluation<'_>, stop: &AtomicBool) -> Option<Vec<Evaluated>> {
    let Evaluation { texts, task_of, tasks, parts, .. } = *evaluation;
    let limits = Limits { fuel: evaluation.fuel, ..Limits::STANDARD };
    let mut of_task: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (text, task) in task_of.iter().enumerate() {
        of_task.entry(*task).or_default().push(text);
    }
    let targets: BTreeMap<usize, TaskTargets<'_>> =
        of_task.keys().map(|task| (*task, TaskTargets::new(tasks[*task], parts))).collect();
    let chunks: Vec<(&TaskTargets<'_>, &[usize])> = of_task
        .iter()
        .flat_map(|(task, texts)| texts.chunks(CHUNK).map(|chunk| (&targets[task], chunk)))
        .collect();
    let evaluated: Vec<Vec<(usize, Evaluated)>> = pool.install(|| {
        let chunk = |scratch: &mut Scratch, (targets, chunk): &(&TaskTargets<'_>, &[usize])| {
            if stop.load(Ordering::Relaxed) {
                return Vec::new();
            }
            targets.evaluate(texts, chunk, limits, stop, scratch)
        };
        chunks.par_iter().map_init(|| Scratch::new(limits), chunk).collect()
    });
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    let mut evaluated: Vec<(usize, Evaluated)> = evaluated.into_iter().flatten().collect();
    evaluated.sort_by_key(|(text, _)| *text);
    Some(evaluated.into_iter().map(|(_, it)| it).collect())
}

/// A task, and the expected outputs of the pairs to run on.
struct TaskTargets<'t> {
    task: &'t Task,
    pairs: Vec<(&'t Pair, Option<Target>)>,
}

impl<'t> TaskTargets<'t> {
    fn new(task: &'t Task, parts: &[Part]) -> TaskTargets<'t> {
        let pairs = parts.iter().flat_map(|part| task.part(*part));
        let target = |pair: &'t Pair| {
            let target = pair.output.as_ref().map(|output| Target::new(&pair.input, output));
            (pair, target)
        };
        TaskTargets { task, pairs: pairs.map(target).collect() }
    }

    fn evaluate(
        &self,
        texts: &[String],
        chunk: &[usize],
        limits: Limits,
        stop: &AtomicBool,
        scratch: &mut Scratch,
    ) -> Vec<(usize, Evaluated)> {
        let (mut programs, mut evaluated) = (Vec::new(), Vec::with_capacity(chunk.len()));
        let mut places = Vec::new();
        for &text in chunk {
            match program_of(&texts[text]) {
                Ok(program) => {
                    places.push(text);
                    programs.push(program);
                }
                Err(problem) => {
                    evaluated.push((text, Evaluated { problem: Some(problem), pairs: Vec::new() }));
                }
            }
        }
        let (plan, arena) = (Plan::merge(&programs), Arena::new(limits.caps));
        let options = Options { limits, all_demos: true, sharing: true, kernels: true, stop: Some(stop) };
        let prepared = Prepared::new(&plan, &arena, &options);
        let shown = |pair: &'t Pair| Some((picture(&pair.input), picture(pair.output.as_ref()?)));
        let inputs =
            self.pairs.iter().map(|(pair, _)| Input { input: picture(&pair.input), must_give: None });
        let job = Job {
            samples: self.task.train.iter().filter_map(shown).collect(),
            inputs: inputs.collect(),
            programs: (0..programs.len() as u32).map(ProgramId).collect(),
        };
        let runs = prepared.run(&job, &options, scratch);
        for (text, runs) in places.into_iter().zip(runs) {
            let pairs =
                runs.iter().zip(&self.pairs).map(|(run, (pair, target))| graded(run, pair, target.as_ref()));
            evaluated.push((text, Evaluated { problem: None, pairs: pairs.collect() }));
        }
        evaluated
    }
}

fn graded(run: &Run, pair: &Pair, target: Option<&Target>) -> EvaluatedPair {
    let verdict = judge(run, pair.output.as_ref());
    let grade = target.map(|target| target.grade(run));
    let fraction = |ratio: batt_score::Ratio| ratio.numerator() as f64 / ratio.denominator() as f64;
    EvaluatedPair {
        verdict,
        closeness: grade.map(|grade| fraction(grade.answer.total())),
        score: grade.map(|grade| fraction(grade.score())),
        fuel: run.fuel,
    }
}

/// Returns the last program of a text: models often write helpers first. Fails if the text has an error, because then
/// another program than the intended one might be the last.
fn program_of(text: &str) -> Result<Program, String> {
    let Parsed { programs, problems, n_errors, .. } = parse(text);
    if n_errors > 0 {
        let error = problems.iter().find(|problem| problem.severity == batt_lang::Severity::Error);
        return Err(error.map_or_else(String::new, |error| {
            let (line, column) = error.place(text);
            format!("line {line}, column {column}: {}", error.message)
        }));
    }
    programs.into_iter().next_back().ok_or_else(|| "the text contains no program".to_owned())
}

fn picture(grid: &Grid) -> Picture<'_> {
    Picture { width: grid.width(), cells: grid.cells() }
}
