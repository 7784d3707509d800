//! The search for one task, phase by phase from cheap to expensive.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use batt_base::Rng;
use batt_dsl::{Limits, lesson};
use batt_exec::devices::Devices;
use batt_exec::{Input, Job, Options, Prepared, Scratch, catch_panic};
use batt_lang::{Program, learning_program, learning_program_after};
use batt_learn::{Candidate, Context, Demos, Image, Mechanism, Stage, Work, catalogue, stage_of_catalogue};
use batt_plan::{Plan, ProgramId};
use batt_task::Grid;
use batt_trace::{Lane, NodeRuns, Spot};
use batt_value::Arena;

use crate::breed::{Breeder, Capacity};
use crate::check::{Inspector, picture};
use crate::choose::ranked;
use crate::puzzle::{grid, image};
use crate::{Allowance, Answer, Enumerated, NEVER_STOP, Progress, Puzzle, SearchPhase, View, enumerate};

/// The fuel of one unit of a learner's work.
pub const FUEL_PER_WORK: u64 = lesson::FUEL_PER_WORK;

/// Programs that are known before the search.
#[derive(Clone, Copy)]
pub struct Known<'k> {
    pub programs: &'k [Program],
    /// The same programs in the same order, prepared to run.
    pub prepared: &'k Prepared<'k>,
    /// The number of programs, from the first, that are tried on every task.
    pub n_general: usize,
    /// The other programs that are tried on a task, by its id.
    pub of_task: &'k BTreeMap<String, Vec<ProgramId>>,
}

impl Known<'_> {
    /// Returns the programs that are tried on a task, each once.
    fn tried_on(&self, id: &str) -> Vec<ProgramId> {
        let own = self.of_task.get(id).into_iter().flatten().copied();
        let general = (0..self.n_general as u32).map(ProgramId);
        own.filter(|program| program.index() >= self.n_general).chain(general).collect()
    }
}

/// A source of programs outside the search, such as a language model.
pub trait Propose: Send + Sync {
    /// Returns programs to try on a task. Called on any thread, and again for a task whose first step was stopped.
    fn propose(&self, puzzle: &Puzzle) -> Vec<Program>;
}

/// Searches for programs that solve tasks.
pub struct Searcher<'s> {
    known: Option<Known<'s>>,
    proposer: Option<&'s dyn Propose>,
    seed: u64,
    colors: [i8; 10],
    contexts: Vec<Context>,
    /// The phases that are skipped.
    skipped: Vec<SearchPhase>,
    devices: Option<&'s Devices>,
}

/// The number of fitting contexts that one step of the deeper phase tries.
const CONTEXTS_PER_STEP: usize = 6;
/// The share of the remaining fuel that goes into enumeration.
const ENUMERATE_PERCENT: u64 = 60;
const MAX_ENUMERATE_FUEL: u64 = 1_600_000_000;
/// The share of enumeration's fuel that goes into its pool of values. The rest goes into learning from them.
const POOL_PERCENT: u64 = 65;
/// The share of the then remaining fuel that goes into breeding, if a known program comes close.
const BREED_PERCENT: u64 = 50;
const MAX_BREED_FUEL: u64 = 800_000_000;
/// The graded score, in millionths, from which a known program is close enough to breed from. Picked by feel.
const MIN_SCORE_TO_BREED: u32 = 500_000;
/// The cost of a bred program before its first call. It is high because bred programs may be right by chance.
/// Picked by feel.
const BRED_COST: f64 = 4.0;
/// The memory of a brood in bytes.
const BREED_MEMORY: u64 = 16 << 20;
/// The most answers that are checked in one step.
const MAX_CHECKS: usize = 12;

impl<'s> Searcher<'s> {
    /// Creates a searcher. `seed` determines the random choices: the colours of the recoloured task and the
    /// mutations.
    pub fn new(known: Option<Known<'s>>, seed: u64) -> Searcher<'s> {
        let (colors, contexts) = (shuffled_colors(seed), Context::all());
        Searcher { known, proposer: None, seed, colors, contexts, skipped: Vec::new(), devices: None }
    }

    /// Asks `proposer` for programs before anything else is tried on a task.
    pub fn proposing(self, proposer: Option<&'s dyn Propose>) -> Searcher<'s> {
        Searcher { proposer, ..self }
    }

    /// Lets devices help. They do not change the results.
    pub fn helped_by(self, devices: Option<&'s Devices>) -> Searcher<'s> {
        Searcher { devices, ..self }
    }

    /// Skips phases, to measure what they contribute. Later phases get their fuel.
    pub fn without(self, skipped: Vec<SearchPhase>) -> Searcher<'s> {
        Searcher { skipped, ..self }
    }

    /// Takes the next step for a task. If it is stopped in the middle of a step, the answers found so far are
    /// kept and the step is repeated later.
    pub fn advance(&self, puzzle: &Puzzle, progress: &mut Progress, allowance: Allowance<'_>) {
        let Allowance { fuel, stop, lane } = allowance;
        let left = fuel.saturating_sub(progress.fuel) / FUEL_PER_WORK;
        let work = Work::with_stop(left, Some(stop));
        let Some(demos) = puzzle.demos() else {
            progress.ended = true;
            return;
        };
        let inputs: Vec<Image> = puzzle.inputs().map(image).collect();
        let mut step =
            Step { puzzle, inputs, work: &work, progress: &mut *progress, lane, devices: self.devices };
        // Fuel that learners do not count.
        let mut other_fuel = 0;
        let phase = step.progress.phase;
        let mut next = Some(phase.next());
        let share = |percent: u64, spent: u64| fuel.saturating_sub(spent) / 100 * percent;
        match phase {
            _ if self.skipped.contains(&phase) => {}
            SearchPhase::Cheap => {
                if let Some(known) = self.known {
                    step.run_known(known, Mechanism::Known, stop);
                }
                if let Some(proposer) = self.proposer {
                    step.run_proposed(&proposer.propose(puzzle), stop);
                }
                step.try_stage(&demos, Stage::Cheap);
            }
            SearchPhase::Middle => step.try_stage(&demos, Stage::Middle),
            SearchPhase::Expensive => step.try_stage(&demos, Stage::Expensive),
            SearchPhase::Enumerate => {
                let share = share(ENUMERATE_PERCENT, step.progress.fuel);
                other_fuel = step.enumerate(share.min(MAX_ENUMERATE_FUEL), stop);
            }
            SearchPhase::Breed => {
                if let Some(known) = self.known {
                    let share = share(BREED_PERCENT, step.progress.fuel);
                    other_fuel = step.breed(known, self.seed, share.min(MAX_BREED_FUEL), stop);
                }
            }
            SearchPhase::Deeper(position) => {
                next = step.try_deeper(position, &self.contexts).map(SearchPhase::Deeper);
            }
        }
        progress.fuel += work.used() * FUEL_PER_WORK + other_fuel;
        let stopped = || stop.load(Ordering::Relaxed);
        progress.prune();
        if !stopped() {
            match next {
                // The phase stays, so it is repeated if there is more fuel later.
                _ if work.is_exhausted() => progress.fuel = progress.fuel.max(fuel),
                Some(next) => progress.phase = next,
                None => progress.ended = true,
            }
        }
        let mark = |spot| lane.into_iter().for_each(|lane| lane.mark(spot));
        mark(Spot::RANK);
        self.check_leaders(puzzle, progress, stop);
        mark(Spot::CHECK);
    }

    /// Checks the leading answers until those that lead are eligible, and runs the leave-one-out tests of the
    /// first.
    fn check_leaders(&self, puzzle: &Puzzle, progress: &mut Progress, stop: &AtomicBool) {
        let mut inspector = Inspector { puzzle, colors: &self.colors, stop, fuel: 0 };
        for _ in 0..MAX_CHECKS {
            let Some(leader) = first_unchecked(progress, puzzle.inputs().len()) else { break };
            let checks = inspector.checks(&progress.answers[leader]);
            // The result of an interrupted run means nothing.
            if stop.load(Ordering::Relaxed) {
                return;
            }
            progress.answers[leader].checks = Some(checks);
        }
        for output in 0..puzzle.inputs().len() {
            let Some(first) = ranked(&progress.answers, output).first().map(|attempt| attempt.answer) else {
                continue;
            };
            if progress.answers[first].folds.is_none() {
                let folds = inspector.folds(&progress.answers[first]);
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                progress.answers[first].folds = Some(folds);
            }
        }
        progress.fuel += inspector.fuel;
    }
}

/// Returns the first of the leading answers that has not been checked.
fn first_unchecked(progress: &Progress, outputs: usize) -> Option<usize> {
    let leaders = (0..outputs).flat_map(|output| ranked(&progress.answers, output).into_iter().take(2));
    let mut leaders = leaders.map(|attempt| attempt.answer);
    leaders.find(|&answer| progress.answers[answer].checks.is_none())
}

/// One step of the search for one task.
struct Step<'a> {
    puzzle: &'a Puzzle,
    inputs: Vec<Image>,
    work: &'a Work<'a>,
    progress: &'a mut Progress,
    lane: Option<&'a Lane>,
    devices: Option<&'a Devices>,
}

impl Step<'_> {
    /// Books the time since the last stamp to `spot`, if there is a lane.
    fn mark(&self, spot: Spot) {
        if let Some(lane) = self.lane {
            lane.mark(spot);
        }
    }

    /// Calls `learn` and books its time and fuel to the primitive of the candidate's learner.
    fn recorded<T>(&self, candidate: &Candidate, learn: impl FnOnce() -> T) -> T {
        let primitive = lesson::primitive(&candidate.spec);
        let (Some(lane), Some(symbol)) = (self.lane, primitive) else { return learn() };
        let before = self.work.used();
        let open = lane.open_node(0, Spot::primitive(symbol.id));
        let learned = learn();
        let fuel = (self.work.used() - before) * FUEL_PER_WORK;
        lane.close_node(open, NodeRuns::once(fuel, 0, false));
        learned
    }

    /// Runs programs that were suggested for this task.
    fn run_proposed(&mut self, programs: &[Program], stop: &AtomicBool) {
        if programs.is_empty() {
            return;
        }
        let limits = Limits::STANDARD;
        let (plan, arena) = (Plan::merge(programs), Arena::new(limits.caps));
        let options = Options { limits, all_demos: false, sharing: true, kernels: true, stop: Some(stop) };
        let prepared = Prepared::new(&plan, &arena, &options).helped_by(self.devices, limits.caps);
        let of_task = BTreeMap::new();
        let known = Known { programs, prepared: &prepared, n_general: programs.len(), of_task: &of_task };
        self.run_known(known, Mechanism::Proposed, stop);
    }

    /// Runs the known programs, and keeps those that are right on all demonstration pairs.
    fn run_known(&mut self, known: Known<'_>, mechanism: Mechanism, stop: &AtomicBool) {
        let task = self.puzzle.task();
        let pairs = self.puzzle.pairs();
        let limits = Limits::STANDARD;
        let options = Options { limits, all_demos: false, sharing: true, kernels: true, stop: Some(stop) };
        let samples = pairs.iter().map(|(input, output)| (picture(input), picture(output))).collect();
        let inputs = task
            .train
            .iter()
            .chain(&task.test)
            .map(|pair| Input { input: picture(&pair.input), must_give: pair.output.as_ref().map(picture) });
        let job = Job { samples, inputs: inputs.collect(), programs: known.tried_on(self.puzzle.id()) };
        self.mark(Spot::SET_UP);
        let runs = known.prepared.run_traced(&job, &options, &mut Scratch::new(limits), self.lane);
        for (program, runs) in job.programs.iter().zip(runs) {
            let program = &known.programs[program.index()];
            self.progress.tried += 1;
            let (demos, tests) = runs.split_at(task.train.len());
            let right =
                |(run, (_, output)): (_, &(Grid, Grid))| batt_score::judge(run, Some(output)).is_right();
            if !demos.iter().zip(&pairs).all(right) {
                continue;
            }
            let outputs: Vec<Option<Grid>> =
                tests.iter().map(|run| batt_score::Answer::from(run).grid()).collect();
            self.progress.push(Answer {
                program: batt_lang::print(program),
                mechanism,
                words: program.name().to_owned().into(),
                cost: 1.0 + program.nodes().len() as f64 / 20.0,
                fixed: true,
                outputs,
                checks: None,
                folds: None,
            });
        }
    }

    /// Tries the candidates of a stage of the catalogue.
    fn try_stage(&mut self, demos: &Demos, stage: Stage) {
        self.mark(Spot::SET_UP);
        let listed = catch_panic(|| Ok(stage_of_catalogue(demos, stage, self.work)));
        self.mark(Spot::LIST);
        self.try_candidates(demos, listed.unwrap_or_default());
    }

    /// Enumerates programs, then tries the cheap learners on the views that were found, with `fuel` for both.
    /// Returns the fuel used except for the work of learners.
    fn enumerate(&mut self, fuel: u64, stop: &AtomicBool) -> u64 {
        let (name, pool_fuel) = (program_name(self.puzzle.id()), fuel / 100 * POOL_PERCENT);
        let allowance = Allowance { fuel: pool_fuel, stop, lane: self.lane };
        let found = catch_panic(|| Ok(enumerate(self.puzzle, &name, allowance, self.devices)));
        let Ok(Enumerated { answers, views, counts }) = found else { return fuel };
        self.progress.tried += counts.candidates;
        answers.into_iter().for_each(|answer| self.progress.push(answer));
        let limit = self.work.used() + fuel.saturating_sub(counts.fuel) / FUEL_PER_WORK;
        for view in &views {
            if self.work.used() >= limit || self.work.is_exhausted() {
                break;
            }
            let _ = catch_panic(|| {
                self.learn_from(view);
                Ok(())
            });
        }
        counts.fuel
    }

    /// Tries the cheap learners on a view, as if its images were the inputs.
    fn learn_from(&mut self, view: &View) {
        let outputs = self.puzzle.pairs().into_iter().map(|(_, output)| image(&output));
        let Some(demos) = Demos::new(view.images.iter().cloned().zip(outputs).collect()) else { return };
        let tests = &view.images[demos.pairs().len()..];
        let listed = stage_of_catalogue(&demos, Stage::Cheap, self.work);
        self.mark(Spot::LIST);
        for candidate in listed {
            let rules = self.recorded(&candidate, || candidate.spec.learn_ranked(&demos, self.work));
            for (rank, rule) in rules.unwrap_or_default() {
                let outputs = tests.iter().map(|image| grid(&rule.apply(image)?)).collect();
                let program = learning_program_after(
                    &view.function,
                    &candidate.spec,
                    rank,
                    &program_name(self.puzzle.id()),
                );
                self.progress.push(Answer {
                    program,
                    mechanism: Mechanism::LearnFromPool,
                    words: format!("on {}: {}", view.function, rule.words()).into(),
                    cost: rule.cost() + 1.0 + 0.7 * f64::from(view.depth),
                    fixed: candidate.spec.is_fixed(),
                    outputs,
                    checks: None,
                    folds: None,
                });
            }
            self.progress.tried += 1;
        }
    }

    /// Breeds from the known programs with `fuel`, if there is no answer yet and one of them comes close.
    /// Returns the fuel used.
    fn breed(&mut self, known: Known<'_>, seed: u64, fuel: u64, stop: &AtomicBool) -> u64 {
        if !self.progress.answers.is_empty() {
            return 0;
        }
        let capacity = Capacity::within(BREED_MEMORY, 1);
        let breeder = Breeder { seed, capacity, devices: self.devices };
        let of = |program: &ProgramId| known.programs[program.index()].clone();
        let stock: Vec<Program> = known.tried_on(self.puzzle.id()).iter().map(of).collect();
        let Some(mut brood) = breeder.start(self.puzzle, &stock, &[], stop) else { return 0 };
        while brood.start_score >= MIN_SCORE_TO_BREED && brood.solution.is_none() && brood.fuel < fuel {
            breeder.advance(self.puzzle, &mut brood, &stock, Allowance { fuel, stop, lane: self.lane });
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        self.progress.tried += brood.tried;
        let mut inspector = Inspector { puzzle: self.puzzle, colors: &[0; 10], stop: &NEVER_STOP, fuel: 0 };
        if let Some(solution) = &brood.solution {
            let program = batt_lang::print(&solution.program);
            if let Some(outputs) = inspector.outputs(&program) {
                let words = format!("{} of a known program", solution.operator());
                let cost = BRED_COST + f64::from(solution.calls) / 4.0;
                let mechanism = Mechanism::Breed;
                let (checks, folds) = (None, None);
                self.progress.push(Answer {
                    program,
                    mechanism,
                    words: words.into(),
                    cost,
                    fixed: true,
                    outputs,
                    checks,
                    folds,
                });
            }
        }
        brood.fuel + brood.overhead_fuel + inspector.fuel
    }

    /// Tries everything inside the next few contexts that fit: first each context alone, then each inside
    /// each. Starts at a position of that list and returns the next one, or `None` at its end.
    fn try_deeper(&mut self, mut position: usize, contexts: &[Context]) -> Option<usize> {
        let mut left = CONTEXTS_PER_STEP;
        while left > 0 && !self.work.is_exhausted() {
            let n = contexts.len();
            let chain = match position.checked_sub(n) {
                None => vec![contexts[position]],
                Some(pair) => vec![*contexts.get(pair / n)?, contexts[pair % n]],
            };
            left -= usize::from(catch_panic(|| Ok(self.try_inside(&chain))).unwrap_or(false));
            position += 1;
        }
        Some(position)
    }

    /// Tries everything inside nested contexts, the outermost first. Returns whether they fit.
    fn try_inside(&mut self, chain: &[Context]) -> bool {
        // New demos, so that the values cached for these contexts are dropped with them.
        let Some(demos) = self.puzzle.demos() else { return false };
        let mut inner: Option<Arc<Demos>> = None;
        for context in chain {
            let outer = inner.as_deref().unwrap_or(&demos);
            let Ok(Some(inside)) = outer.inside(*context, self.work) else { return false };
            inner = Some(inside.demos().clone());
        }
        let Some(inner) = inner else { return false };
        let listed = match chain.len() {
            1 => catalogue(&inner, self.work),
            _ => stage_of_catalogue(&inner, Stage::Cheap, self.work),
        };
        let in_contexts = |candidate: Candidate| {
            let spec = chain.iter().rev().fold(candidate.spec, |spec, context| spec.within(*context));
            Candidate { mechanism: Mechanism::Deeper, spec }
        };
        self.try_candidates(&demos, listed.into_iter().map(in_contexts).collect());
        true
    }

    fn try_candidates(&mut self, demos: &Demos, candidates: Vec<Candidate>) {
        for candidate in candidates {
            if self.work.is_exhausted() {
                return;
            }
            self.progress.tried += 1;
            // A panic in a learner affects only this candidate. It is reported at the end.
            let _ = catch_panic(|| {
                self.learn(demos, &candidate);
                Ok(())
            });
        }
    }

    /// Adds an answer for each rule of a candidate.
    fn learn(&mut self, demos: &Demos, candidate: &Candidate) {
        let rules = self.recorded(candidate, || candidate.spec.learn_ranked(demos, self.work));
        for (rank, rule) in rules.unwrap_or_default() {
            let outputs: Vec<Option<Grid>> =
                self.inputs.iter().map(|input| grid(&rule.apply(input)?)).collect();
            self.progress.push(Answer {
                program: learning_program(&candidate.spec, rank, &program_name(self.puzzle.id())),
                mechanism: candidate.mechanism,
                words: rule.words().clone(),
                cost: rule.cost(),
                fixed: candidate.spec.is_fixed(),
                outputs,
                checks: None,
                folds: None,
            });
        }
    }
}

/// Returns the name of a program for a task: `solve_` and its id, in which `_` replaces all but ASCII letters
/// and digits.
pub fn program_name(id: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("solve_{}", id.chars().map(word).collect::<String>())
}

/// Returns a random permutation of the colours in which only black keeps its position.
fn shuffled_colors(seed: u64) -> [i8; 10] {
    let mut colors: [i8; 10] = std::array::from_fn(|color| color as i8);
    let mut rng = Rng::from_seed(seed);
    // Skip the first number: results depend on the sequence, and it has always been skipped.
    rng.next_u64();
    for i in (2..10).rev() {
        colors.swap(i, 1 + (rng.next_u64() % (i as u64 - 1)) as usize);
    }
    colors
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_permutation_of_a_seed_never_changes() {
        assert_eq!(super::shuffled_colors(0), [0, 2, 4, 1, 7, 6, 8, 9, 3, 5]);
        assert_eq!(super::shuffled_colors(7), [0, 7, 3, 8, 6, 2, 9, 4, 1, 5]);
    }

    #[test]
    fn every_colour_except_black_moves() {
        for seed in 0..20 {
            let colors = super::shuffled_colors(seed);
            let mut sorted = colors;
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
            assert!((1..10).all(|color| colors[color] != color as i8), "{colors:?}");
        }
    }
}
