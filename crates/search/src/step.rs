//! The search for one task, step by step from cheap to dear.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use batt_base::Rng;
use batt_dsl::{Limits, lesson};
use batt_exec::{Input, Job, Options, Prepared, Scratch, catch_panic};
use batt_lang::{Program, learning_program, learning_program_after};
use batt_learn::{Candidate, Context, Demos, Image, Mechanism, Stage, Work, catalogue, stage_of_catalogue};
use batt_plan::ProgramId;
use batt_task::Grid;
use batt_trace::{Lane, NodeRuns, Spot};

use crate::breed::{Breeder, Capacity};
use crate::check::{Inspector, picture};
use crate::choose::ranked;
use crate::puzzle::{grid, image};
use crate::{Allowance, Answer, Enumerated, NEVER, Progress, Puzzle, SearchPhase, View, enumerate_traced};

/// Learners count their work in units of so much fuel.
pub const FUEL_PER_WORK: u64 = lesson::FUEL_PER_WORK;

/// Programs that are known before the search.
#[derive(Clone, Copy)]
pub struct Known<'k> {
    pub programs: &'k [Program],
    /// These programs, in their order.
    pub prepared: &'k Prepared<'k>,
    /// So many of them, from the first, are tried on every task.
    pub general: usize,
    /// The others that are tried on a task, by its id.
    pub of_task: &'k BTreeMap<String, Vec<ProgramId>>,
}

impl Known<'_> {
    /// Those that are tried on a task, each once.
    fn tried_on(&self, id: &str) -> Vec<ProgramId> {
        let own = self.of_task.get(id).into_iter().flatten().copied();
        let general = (0..self.general as u32).map(ProgramId);
        own.filter(|program| program.index() >= self.general).chain(general).collect()
    }
}

/// Searches tasks.
pub struct Searcher<'s> {
    known: Option<Known<'s>>,
    seed: u64,
    colors: [i8; 10],
    contexts: Vec<Context>,
    without: Vec<SearchPhase>,
}

/// Contexts that are tried in one step, once the catalogue is through.
const CONTEXTS_A_STEP: usize = 6;
/// So much of what is left goes into the search from the task, at most so much.
const ENUMERATE_PERCENT: u64 = 60;
const MAX_ENUMERATE_FUEL: u64 = 1_600_000_000;
/// Of that so much goes into the pool, the rest into learning from it.
const POOL_PERCENT: u64 = 65;
/// So much of what is left after that goes into breeding, at most so much, where a known program comes near.
const BREED_PERCENT: u64 = 50;
const MAX_BREED_FUEL: u64 = 800_000_000;
/// The graded score of a near miss, in millionths. Picked by feel.
const NEAR: u32 = 500_000;
/// What a program that was bred costs before its first call: chance had a hand in it. Picked by feel.
const BRED_COST: f64 = 4.0;
/// What a brood may remember.
const BREED_MEMORY: u64 = 16 << 20;
/// Answers that are looked into in one step.
const MAX_CHECKS: usize = 12;

impl<'s> Searcher<'s> {
    /// `seed`: for what is drawn by lot, the colours of the recoloured task and the mutations.
    pub fn new(known: Option<Known<'s>>, seed: u64) -> Searcher<'s> {
        Searcher { known, seed, colors: shuffled_colors(seed), contexts: Context::all(), without: Vec::new() }
    }

    /// Skips phases, to see what they are worth; their fuel goes to those that follow.
    pub fn without(self, without: Vec<SearchPhase>) -> Searcher<'s> {
        Searcher { without, ..self }
    }

    /// Takes the next step for a task. When it is stopped in the middle of a step, its findings are kept and the step
    /// is repeated later.
    pub fn advance(&self, puzzle: &Puzzle, progress: &mut Progress, allowance: Allowance<'_>) {
        let Allowance { fuel, stop, lane } = allowance;
        let left = fuel.saturating_sub(progress.fuel) / FUEL_PER_WORK;
        let work = Work::with_stop(left, Some(stop));
        let Some(demos) = puzzle.demos() else {
            progress.ended = true;
            return;
        };
        let inputs: Vec<Image> = puzzle.inputs().map(image).collect();
        let mut attempt = Attempt { puzzle, inputs, work: &work, progress: &mut *progress, lane };
        // Fuel that is not counted by learners.
        let mut besides = 0;
        let phase = attempt.progress.phase;
        let mut next = Some(phase.next());
        let share = |percent: u64, spent: u64| fuel.saturating_sub(spent) / 100 * percent;
        match phase {
            _ if self.without.contains(&phase) => {}
            SearchPhase::Cheap => {
                if let Some(known) = self.known {
                    attempt.run_known(known, stop);
                }
                attempt.stage(&demos, Stage::Cheap);
            }
            SearchPhase::Middle => attempt.stage(&demos, Stage::Middle),
            SearchPhase::Expensive => attempt.stage(&demos, Stage::Expensive),
            SearchPhase::Enumerate => {
                let share = share(ENUMERATE_PERCENT, attempt.progress.fuel);
                besides = attempt.enumerate(share.min(MAX_ENUMERATE_FUEL), stop);
            }
            SearchPhase::Breed => {
                if let Some(known) = self.known {
                    let share = share(BREED_PERCENT, attempt.progress.fuel);
                    besides = attempt.breed(known, self.seed, share.min(MAX_BREED_FUEL), stop);
                }
            }
            SearchPhase::Deeper(place) => {
                next = attempt.deeper(place, &self.contexts).map(SearchPhase::Deeper);
            }
        }
        progress.fuel += work.used() * FUEL_PER_WORK + besides;
        let stopped = || stop.load(Ordering::Relaxed);
        progress.prune();
        if !stopped() {
            match next {
                // The step is due again if there is ever more fuel.
                _ if work.is_exhausted() => progress.fuel = progress.fuel.max(fuel),
                Some(next) => progress.phase = next,
                None => progress.ended = true,
            }
        }
        let mark = |spot| lane.into_iter().for_each(|lane| lane.mark(spot));
        mark(Spot::RANK);
        self.look_into(puzzle, progress, stop);
        mark(Spot::CHECK);
    }

    /// Looks into the answers that lead, until what leads stands.
    fn look_into(&self, puzzle: &Puzzle, progress: &mut Progress, stop: &AtomicBool) {
        let mut inspector = Inspector { puzzle, colors: &self.colors, stop, fuel: 0 };
        for _ in 0..MAX_CHECKS {
            let Some(leader) = unchecked(progress, puzzle.inputs().len()) else { break };
            let checks = inspector.checks(&progress.answers[leader]);
            // A run that was cut short says nothing.
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

/// The first answer among those that lead which nobody has looked into.
fn unchecked(progress: &Progress, outputs: usize) -> Option<usize> {
    let leaders = (0..outputs).flat_map(|output| ranked(&progress.answers, output).into_iter().take(2));
    let mut leaders = leaders.map(|attempt| attempt.answer);
    leaders.find(|&answer| progress.answers[answer].checks.is_none())
}

struct Attempt<'a> {
    puzzle: &'a Puzzle,
    inputs: Vec<Image>,
    work: &'a Work<'a>,
    progress: &'a mut Progress,
    lane: Option<&'a Lane>,
}

impl Attempt<'_> {
    /// The time since the last stamp was `spot`'s, if anybody wants to know.
    fn mark(&self, spot: Spot) {
        if let Some(lane) = self.lane {
            lane.mark(spot);
        }
    }

    /// Learns: what it takes is booked to the primitive that learns.
    fn told<T>(&self, candidate: &Candidate, learn: impl FnOnce() -> T) -> T {
        let primitive = lesson::primitive(&candidate.spec);
        let (Some(lane), Some(symbol)) = (self.lane, primitive) else { return learn() };
        let before = self.work.used();
        let open = lane.open_node(0, Spot::primitive(symbol.id));
        let learned = learn();
        let fuel = (self.work.used() - before) * FUEL_PER_WORK;
        lane.close_node(open, NodeRuns::once(fuel, 0, false));
        learned
    }

    /// Runs the known programs.
    fn run_known(&mut self, known: Known<'_>, stop: &AtomicBool) {
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
                mechanism: Mechanism::Known,
                words: program.name().to_owned().into(),
                cost: 1.0 + program.nodes().len() as f64 / 20.0,
                fixed: true,
                outputs,
                checks: None,
                folds: None,
            });
        }
    }

    fn stage(&mut self, demos: &Demos, stage: Stage) {
        self.mark(Spot::SET_UP);
        let listed = catch_panic(|| Ok(stage_of_catalogue(demos, stage, self.work)));
        self.mark(Spot::LIST);
        self.all(demos, listed.unwrap_or_default());
    }

    /// Searches from the task with so much fuel, and lets the cheap learners start from what was found. Returns how
    /// much was used besides the work of learners.
    fn enumerate(&mut self, fuel: u64, stop: &AtomicBool) -> u64 {
        let (name, pool) = (name(self.puzzle.id()), fuel / 100 * POOL_PERCENT);
        let found = catch_panic(|| Ok(enumerate_traced(self.puzzle, &name, pool, stop, self.lane)));
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

    /// Lets the cheap learners read the task from a view of its inputs.
    fn learn_from(&mut self, view: &View) {
        let outputs = self.puzzle.pairs().into_iter().map(|(_, output)| image(&output));
        let Some(demos) = Demos::new(view.images.iter().cloned().zip(outputs).collect()) else { return };
        let tests = &view.images[demos.pairs().len()..];
        let listed = stage_of_catalogue(&demos, Stage::Cheap, self.work);
        self.mark(Spot::LIST);
        for candidate in listed {
            let rules = self.told(&candidate, || candidate.spec.learn_ranked(&demos, self.work));
            for (rank, rule) in rules.unwrap_or_default() {
                let outputs = tests.iter().map(|image| grid(&rule.apply(image)?)).collect();
                let program =
                    learning_program_after(&view.function, &candidate.spec, rank, &name(self.puzzle.id()));
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

    /// Breeds from the known programs with so much fuel, if nothing was found yet and one of them comes near. Returns how
    /// much was used.
    fn breed(&mut self, known: Known<'_>, seed: u64, fuel: u64, stop: &AtomicBool) -> u64 {
        if !self.progress.answers.is_empty() {
            return 0;
        }
        let breeder = Breeder { seed, capacity: Capacity::within(BREED_MEMORY, 1) };
        let of = |program: &ProgramId| known.programs[program.index()].clone();
        let stock: Vec<Program> = known.tried_on(self.puzzle.id()).iter().map(of).collect();
        let Some(mut brood) = breeder.start(self.puzzle, &stock, &[], stop) else { return 0 };
        while brood.at_start >= NEAR && brood.solution.is_none() && brood.fuel < fuel {
            breeder.advance(self.puzzle, &mut brood, &stock, Allowance { fuel, stop, lane: self.lane });
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        self.progress.tried += brood.tried;
        let mut inspector = Inspector { puzzle: self.puzzle, colors: &[0; 10], stop: &NEVER, fuel: 0 };
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
        brood.fuel + brood.beside + inspector.fuel
    }

    /// Everything inside the next few contexts that fit, from this place on. The place after them; `None` after the
    /// last: first each context alone, then each in each.
    fn deeper(&mut self, mut place: usize, contexts: &[Context]) -> Option<usize> {
        let mut left = CONTEXTS_A_STEP;
        while left > 0 && !self.work.is_exhausted() {
            let n = contexts.len();
            let chain = match place.checked_sub(n) {
                None => vec![contexts[place]],
                Some(pair) => vec![*contexts.get(pair / n)?, contexts[pair % n]],
            };
            left -= usize::from(catch_panic(|| Ok(self.inside(&chain))).unwrap_or(false));
            place += 1;
        }
        Some(place)
    }

    /// Everything inside nested contexts, the outermost first. Whether they fit.
    fn inside(&mut self, chain: &[Context]) -> bool {
        // Fresh, so that what is computed for these contexts is forgotten after them.
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
        let whole = |candidate: Candidate| {
            let spec = chain.iter().rev().fold(candidate.spec, |spec, context| spec.within(*context));
            Candidate { mechanism: Mechanism::Deeper, spec }
        };
        self.all(&demos, listed.into_iter().map(whole).collect());
        true
    }

    fn all(&mut self, demos: &Demos, candidates: Vec<Candidate>) {
        for candidate in candidates {
            if self.work.is_exhausted() {
                return;
            }
            self.progress.tried += 1;
            // A bug in a learner spoils this candidate only, and is told at the end.
            let _ = catch_panic(|| {
                self.learn(demos, &candidate);
                Ok(())
            });
        }
    }

    fn learn(&mut self, demos: &Demos, candidate: &Candidate) {
        let rules = self.told(candidate, || candidate.spec.learn_ranked(demos, self.work));
        for (rank, rule) in rules.unwrap_or_default() {
            let outputs: Vec<Option<Grid>> =
                self.inputs.iter().map(|input| grid(&rule.apply(input)?)).collect();
            self.progress.push(Answer {
                program: learning_program(&candidate.spec, rank, &name(self.puzzle.id())),
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

/// The name of a program for a task: it belongs to the task that it ends with.
pub fn name(id: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("solve_{}", id.chars().map(word).collect::<String>())
}

/// Black stays, the others change places.
fn shuffled_colors(seed: u64) -> [i8; 10] {
    let mut colors: [i8; 10] = std::array::from_fn(|color| color as i8);
    let mut rng = Rng::from_seed(seed);
    // Results depend on these numbers, so the first one stays unused, as it always was.
    rng.next_u64();
    for i in (2..10).rev() {
        colors.swap(i, 1 + (rng.next_u64() % (i as u64 - 1)) as usize);
    }
    colors
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_order_of_a_seed_never_changes() {
        assert_eq!(super::shuffled_colors(0), [0, 2, 4, 1, 7, 6, 8, 9, 3, 5]);
        assert_eq!(super::shuffled_colors(7), [0, 7, 3, 8, 6, 2, 9, 4, 1, 5]);
    }

    #[test]
    fn every_other_colour_moves() {
        for seed in 0..20 {
            let colors = super::shuffled_colors(seed);
            let mut sorted = colors;
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
            assert!((1..10).all(|color| colors[color] != color as i8), "{colors:?}");
        }
    }
}
