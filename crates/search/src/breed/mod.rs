//! Breeding: makes small changes to programs and keeps those that come closer to a task.
//!
//! [`Breeder::advance`] runs a few batteries for the [`Brood`] of one task. A battery is a few dozen mutants
//! of a few parents. They are merged into one plan and run on all demonstration inputs at once, so that the
//! calls they share are computed once. Parents with a better graded score get more mutants. The archive keeps
//! the best program of each niche, and only one of those with the same answers.
//!
//! Only mutants that type-check and were not tried before are run. All random choices depend on one seed, so
//! the same fuel gives the same programs on any number of threads.

mod archive;
mod edit;
mod fits;
mod material;
mod mutate;
mod trial;

use std::sync::atomic::AtomicBool;

use batt_base::Rng;
use batt_dsl::Limits;
use batt_exec::devices::Devices;
use batt_lang::Program;
use batt_trace::{Lane, Spot};
use batt_value::ContentHash;
use rustc_hash::FxHashSet;

pub use archive::Individual;
pub use mutate::{Mutator, Operator, Parent, Sources, palette};
pub use trial::{Trial, Trials};

pub(crate) use archive::calls;
pub(crate) use edit::{Change, Editor, Replacement};
pub(crate) use fits::fits;

use crate::simplify::simplify;
use crate::{Allowance, Puzzle};
use archive::Archive;

/// Breeds programs for tasks.
#[derive(Clone, Copy)]
pub struct Breeder<'d> {
    pub seed: u64,
    pub capacity: Capacity,
    /// Devices that help. They do not change the results.
    pub devices: Option<&'d Devices>,
}

/// The limits of what a brood remembers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capacity {
    /// The most programs in the archive.
    pub elites: usize,
    /// The most programs remembered as tried. Beyond that all are forgotten, and some may be tried again.
    pub tried: usize,
}

impl Capacity {
    /// Returns the capacity of each of `n_broods` broods that share `bytes` of memory.
    pub fn within(bytes: u64, n_broods: usize) -> Capacity {
        /// The approximate size of a program in the archive.
        const ELITE_BYTES: u64 = 4 << 10;
        /// The approximate size of a hash of a tried program, in a table that is half full.
        const TRIED_BYTES: u64 = 16;
        let share = bytes / (n_broods.max(1) as u64);
        Capacity {
            elites: (share / 2 / ELITE_BYTES).clamp(16, 256) as usize,
            tried: (share / 2 / TRIED_BYTES).clamp(1 << 10, 1 << 20) as usize,
        }
    }
}

/// The state of breeding for one task: its programs, counts and random numbers.
#[derive(Clone, Debug)]
pub struct Brood {
    archive: Archive,
    /// Parts of the hashes of the programs that were tried.
    tried_before: FxHashSet<u64>,
    rng: Rng,
    limits: Limits,
    /// The fuel used for breeding so far.
    pub fuel: u64,
    /// The fuel used to run the known programs at the start and to simplify results. It does not count
    /// against the limit; otherwise many known programs would leave no fuel for breeding.
    pub overhead_fuel: u64,
    /// The number of programs that were run.
    pub tried: u64,
    /// The best score of a starting program.
    pub start_score: u32,
    /// The counts of each operator, in the order of [`Operator::ALL`].
    pub tallies: [Tally; Operator::ALL.len()],
    /// The first program that is right on all pairs, simplified.
    pub solution: Option<Individual>,
    /// The bred program with the best score at the end of a step, simplified. Mutants are made from the
    /// original, because a line without effect may be one change away from doing the right thing.
    simplified_best: Option<Individual>,
}

/// The results of an operator's mutants. A mutant made by two operators counts for both.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    pub tried: u64,
    /// The number of mutants with a better score than all programs before.
    pub better: u64,
    /// The number of mutants that are right on all pairs.
    pub solved: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.tried += other.tried;
        self.better += other.better;
        self.solved += other.solved;
    }
}

/// The graded score of a program that is right on all pairs.
const MAX_SCORE: u32 = 1_000_000;
/// The number of mutants in a battery.
const BATTERY: usize = 64;
/// The number of mutants that a parent gets in a turn.
const MUTANTS_PER_TURN: usize = 16;
/// The most turns for a battery. After that it is run even if it is not full.
const MAX_TURNS: usize = 32;
/// The number of batteries in a step.
const BATTERIES_PER_STEP: usize = 16;
/// The most known programs that a brood starts from, besides the task's own.
const MAX_STARTERS: usize = 16;
/// The cost of making, merging and comparing a candidate, measured with `batt bench breed`.
const FUEL_PER_CANDIDATE: u64 = 500;
/// A candidate may use this many times the fuel of the most expensive starting program on an input.
const FUEL_FACTOR: u64 = 8;
/// The bounds of that limit. The upper bound is the fuel of the most expensive public solver.
const FUEL_BOUNDS: (u64, u64) = (100_000, 4_000_000);

impl Breeder<'_> {
    /// Starts a brood from the task's `own` programs, whatever their score, and the known programs with the
    /// best scores. If there are none, starts from the program that returns its input. Returns `None` if
    /// `stop` was set before the end.
    pub fn start(
        &self,
        puzzle: &Puzzle,
        known: &[Program],
        own: &[Program],
        stop: &AtomicBool,
    ) -> Option<Brood> {
        // The same limits as in the store, so that a program that solves a task there solves it here.
        let mut trials = Trials::new(puzzle, Limits::STANDARD, None).helped_by(self.devices);
        let individual =
            |(program, trial): (&Program, Trial)| Individual::known(program, program.hash(), trial);
        let mut starters: Vec<Individual> = own.iter().zip(trials.run(own, stop)?).map(individual).collect();
        let mut others: Vec<Individual> =
            known.iter().zip(trials.run(known, stop)?).map(individual).collect();
        let used = starters.iter().chain(&others).map(|individual| charge(&individual.trial)).sum();
        others.retain(|other| other.trial.score > 0);
        others.sort_by(|a, b| {
            b.trial.score.cmp(&a.trial.score).then_with(|| a.hash.bytes().cmp(b.hash.bytes()))
        });
        others.truncate(MAX_STARTERS);
        starters.extend(others);
        if starters.is_empty() {
            let identity = identity_program(puzzle);
            starters.extend(
                trials.run([&identity], stop)?.into_iter().map(|trial| individual((&identity, trial))),
            );
        }
        let mut brood = Brood { overhead_fuel: used, ..self.brood(puzzle, &starters) };
        for starter in starters {
            if brood.tried_before.insert(key(starter.hash)) {
                brood.add_starter(starter);
            }
        }
        Some(brood)
    }

    /// Tries programs that solved other tasks until the brood has used `fuel` in all.
    pub fn try_programs(
        &self,
        puzzle: &Puzzle,
        brood: &mut Brood,
        programs: &[Program],
        fuel: u64,
        stop: &AtomicBool,
    ) {
        let new: Vec<(&Program, ContentHash)> =
            programs.iter().map(|program| (program, program.hash())).collect();
        let new = new.into_iter().filter(|(_, hash)| brood.tried_before.insert(key(*hash)));
        let new: Vec<(&Program, ContentHash)> = new.collect();
        let mut trials = Trials::new(puzzle, brood.limits, None).helped_by(self.devices);
        let candidates: Vec<&Program> = new.iter().map(|(program, _)| *program).collect();
        let Some(results) = brood.run(&candidates, &mut trials, fuel, stop) else { return };
        for ((program, hash), trial) in new.into_iter().zip(results) {
            brood.tried += 1;
            let individual = Individual::known(program, hash, trial);
            if trial.solves() && brood.solution.is_none() {
                brood.solution = Some(individual.clone());
            }
            brood.archive.offer(individual);
        }
    }

    /// Creates a brood with the limits that follow from its starting programs, which are not added yet.
    fn brood(&self, puzzle: &Puzzle, starters: &[Individual]) -> Brood {
        let max_fuel = starters.iter().map(|starter| starter.trial.max_fuel).max().unwrap_or(0);
        let fuel = (max_fuel.saturating_mul(FUEL_FACTOR)).clamp(FUEL_BOUNDS.0, FUEL_BOUNDS.1);
        Brood {
            archive: Archive::new(self.capacity.elites),
            tried_before: FxHashSet::default(),
            rng: Rng::of(self.seed, &puzzle.task().sealed_hash().to_string(), 0),
            limits: Limits { fuel, ..Limits::STANDARD },
            fuel: 0,
            overhead_fuel: 0,
            tried: 0,
            start_score: starters.iter().map(|starter| starter.trial.score).max().unwrap_or(0),
            tallies: [Tally::default(); Operator::ALL.len()],
            solution: None,
            simplified_best: None,
        }
    }

    /// Advances a brood by one step, which ends early if a solution is found. `donors` are programs to graft
    /// from.
    pub fn advance(&self, puzzle: &Puzzle, brood: &mut Brood, donors: &[Program], allowance: Allowance<'_>) {
        let Allowance { fuel, stop, lane } = allowance;
        let palette = palette(puzzle.task());
        let sources = Sources { donors, palette: &palette };
        let mut trials = Trials::new(puzzle, brood.limits, lane).helped_by(self.devices);
        self.run_batteries(brood, sources, &mut trials, fuel, stop);
        brood.simplify_best(&mut trials, stop);
    }

    fn run_batteries(
        &self,
        brood: &mut Brood,
        sources: Sources<'_>,
        trials: &mut Trials<'_>,
        fuel: u64,
        stop: &AtomicBool,
    ) {
        let mut mutator = Mutator::default();
        for _ in 0..BATTERIES_PER_STEP {
            if brood.solution.is_some() || brood.fuel >= fuel {
                return;
            }
            let battery = self.new_battery(brood, &mut mutator, sources, trials.lane());
            if battery.is_empty() {
                // All mutants of the current parents have been tried. Forget that, so that some may be tried
                // again.
                brood.tried_before.clear();
                brood.fuel =
                    brood.fuel.saturating_add(FUEL_PER_CANDIDATE * (MAX_TURNS * MUTANTS_PER_TURN) as u64);
                continue;
            }
            let candidates: Vec<&Program> = battery.iter().map(|mutant| &mutant.program).collect();
            let Some(results) = brood.run(&candidates, trials, fuel, stop) else { return };
            for (mutant, trial) in battery.into_iter().zip(results) {
                brood.judge(mutant, trial);
            }
            trials.mark(Spot::RANK);
            brood.take_solution(trials, stop);
        }
    }

    /// Makes a battery of mutants that were not tried before.
    fn new_battery(
        &self,
        brood: &mut Brood,
        mutator: &mut Mutator,
        sources: Sources<'_>,
        lane: Option<&Lane>,
    ) -> Vec<Mutant> {
        let mark = |spot| lane.into_iter().for_each(|lane| lane.mark(spot));
        let Brood { archive, tried_before, rng, .. } = brood;
        let mut battery = Vec::with_capacity(BATTERY);
        for _ in 0..MAX_TURNS {
            let Some(drawn) = archive.draw(MUTANTS_PER_TURN as u32) else { break };
            let Some(mut parent) = mutator.parent(&drawn.program) else { continue };
            for _ in 0..MUTANTS_PER_TURN {
                let made = parent.mutate(sources, rng);
                mark(Spot::MUTATE);
                let Some((program, operators)) = made else { continue };
                let hash = program.hash();
                if tried_before.len() >= self.capacity.tried {
                    tried_before.clear();
                }
                if tried_before.insert(key(hash)) {
                    battery.push(Mutant { program, hash, operators, parent: drawn.hash });
                }
                mark(Spot::NOVEL);
                if battery.len() == BATTERY {
                    return battery;
                }
            }
        }
        battery
    }
}

struct Mutant {
    program: Program,
    hash: ContentHash,
    operators: Vec<Operator>,
    parent: ContentHash,
}

impl Brood {
    /// Returns the solution, or else the best program of the archive.
    pub fn best(&self) -> Option<&Individual> {
        self.solution.as_ref().or_else(|| self.archive.best())
    }

    /// Returns the program of the archive with this hash.
    pub fn find(&self, hash: ContentHash) -> Option<&Individual> {
        self.archive.find(hash)
    }

    /// Returns whether a program is better than all starting programs.
    pub fn is_better(&self) -> bool {
        self.best().is_some_and(|best| best.trial.score > self.start_score)
    }

    /// Returns the best program, simplified if possible, or `None` if no program is better than the starting
    /// programs.
    pub fn best_bred(&self) -> Option<&Individual> {
        let best = self.best().filter(|_| self.is_better())?;
        let simplified = self.simplified_best.as_ref();
        let simplified = simplified.filter(|simplified| simplified.trial.score == best.trial.score);
        self.solution.as_ref().or(simplified).or(Some(best))
    }

    fn add_starter(&mut self, starter: Individual) {
        if starter.trial.solves() && self.solution.is_none() {
            self.solution = Some(starter.clone());
        }
        self.archive.add_starter(starter);
    }

    /// Runs candidates in order until the fuel is used up, and returns their trials. The fuel of a candidate
    /// is known only after its run, so only as many run together as the remaining fuel pays for in the worst
    /// case. Returns `None` if `stop` was set before the end.
    fn run(
        &mut self,
        candidates: &[&Program],
        trials: &mut Trials<'_>,
        fuel: u64,
        stop: &AtomicBool,
    ) -> Option<Vec<Trial>> {
        let inputs = trials.n_inputs().max(1);
        let worst_case = inputs.saturating_mul(self.limits.fuel).saturating_add(FUEL_PER_CANDIDATE);
        let mut results = Vec::with_capacity(candidates.len());
        while results.len() < candidates.len() {
            let left = fuel.saturating_sub(self.fuel);
            if left <= FUEL_PER_CANDIDATE {
                // Too little for another candidate.
                self.fuel = self.fuel.max(fuel);
                break;
            }
            let rest = &candidates[results.len()..];
            let together = (left / worst_case).clamp(1, rest.len() as u64) as usize;
            trials.set_fuel_limit(self.limits.fuel.min((left - FUEL_PER_CANDIDATE) / inputs));
            let more = trials.run(rest[..together].iter().copied(), stop)?;
            self.fuel += more.iter().map(charge).sum::<u64>();
            results.extend(more);
        }
        trials.set_fuel_limit(self.limits.fuel);
        Some(results)
    }

    /// Counts a mutant for its operators and offers it to the archive.
    fn judge(&mut self, mutant: Mutant, trial: Trial) {
        self.tried += 1;
        let best = self.archive.best_score;
        for operator in &mutant.operators {
            let tally = &mut self.tallies[*operator as usize];
            tally.tried += 1;
            tally.better += u64::from(trial.score > best);
            tally.solved += u64::from(trial.solves());
        }
        let Mutant { program, hash, operators, parent } = mutant;
        let calls = calls(&program);
        self.archive.offer(Individual { program, hash, calls, trial, operators, parents: vec![parent] });
    }

    /// Takes the best program as the solution, simplified, if it solves the task.
    fn take_solution(&mut self, trials: &mut Trials<'_>, stop: &AtomicBool) {
        if self.archive.best_score < MAX_SCORE {
            return;
        }
        let Some(best) = self.archive.best().cloned() else { return };
        self.solution = Some(self.simplified(best, trials, stop));
    }

    /// Simplifies the best program if it is better than the starting programs and was not simplified before.
    fn simplify_best(&mut self, trials: &mut Trials<'_>, stop: &AtomicBool) {
        let Some(best) = self.archive.best().filter(|_| self.is_better() && self.solution.is_none()) else {
            return;
        };
        let score = |individual: &Individual| individual.trial.score;
        let known = self.simplified_best.as_ref().map_or(0, score);
        // A program that was not bred for this task is stored elsewhere as it is.
        if score(best) > known && !best.operators.is_empty() {
            let best = best.clone();
            self.simplified_best = Some(self.simplified(best, trials, stop));
        }
    }

    fn simplified(
        &mut self,
        individual: Individual,
        trials: &mut Trials<'_>,
        stop: &AtomicBool,
    ) -> Individual {
        let simplified = simplify(&individual.program, trials, stop);
        self.overhead_fuel += simplified.fuel;
        match simplified.program {
            Some((program, trial)) => {
                Individual { hash: program.hash(), calls: calls(&program), program, trial, ..individual }
            }
            None => individual,
        }
    }
}

/// Returns the program that returns its input.
fn identity_program(puzzle: &Puzzle) -> Program {
    let mut composer = batt_lang::Composer::default();
    composer.begin();
    let input = composer.input();
    composer.finish(&crate::program_name(puzzle.id()), input)
}

/// Returns the fuel that a candidate is charged with.
fn charge(trial: &Trial) -> u64 {
    trial.fuel + FUEL_PER_CANDIDATE
}

/// Returns part of a hash, enough to distinguish a few million programs.
fn key(hash: ContentHash) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.bytes()[..8]);
    u64::from_le_bytes(first)
}
