//! Breeding: programs are changed a little, again and again; what comes closer lives on.
//!
//! The door is [`Breeder::advance`]: it brings the [`Brood`] of one task a few batteries further. A battery is a few
//! dozen mutants of a few parents, merged into one plan and run on all demonstration inputs at once, so what they share
//! with their parents is computed once. Parents are drawn by their graded score, so near misses have the most
//! offspring; the archive keeps the best of each niche and one of those that answer alike.
//!
//! Only mutants that type-check and have not been tried before are run. Everything is drawn from one seed, so the same
//! fuel gives the same programs, on any number of threads.

mod archive;
mod edit;
mod fits;
mod material;
mod mutate;
mod trial;

use std::sync::atomic::AtomicBool;

use batt_base::Rng;
use batt_dsl::Limits;
use batt_lang::Program;
use batt_trace::{Lane, Spot};
use batt_value::ContentHash;
use rustc_hash::FxHashSet;

pub use archive::Bred;
pub use mutate::{Mutator, Operator, Parent, Sources, palette};
pub use trial::{Trial, Trials};

pub(crate) use archive::calls;
pub(crate) use edit::{Change, Editor, To};
pub(crate) use fits::fits;

use crate::simplify::simplify;
use crate::{Allowance, Puzzle};
use archive::Archive;

/// Breeds programs for tasks.
#[derive(Clone, Copy, Debug)]
pub struct Breeder {
    pub seed: u64,
    pub capacity: Capacity,
}

/// How much a brood may remember.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capacity {
    /// Programs that live.
    pub elites: usize,
    /// Programs that were tried; when they are too many all are forgotten, and some may be tried again.
    pub tried: usize,
}

impl Capacity {
    /// The capacity for each of so many broods in so much memory.
    pub fn within(bytes: u64, broods: usize) -> Capacity {
        /// A program that lives takes some 4 KB, one that was tried some 16 bytes: its hash, in a table half full.
        const ELITE: u64 = 4 << 10;
        const TRIED: u64 = 16;
        let share = bytes / (broods.max(1) as u64);
        Capacity {
            elites: (share / 2 / ELITE).clamp(16, 256) as usize,
            tried: (share / 2 / TRIED).clamp(1 << 10, 1 << 20) as usize,
        }
    }
}

/// The programs that are bred for one task.
#[derive(Clone, Debug)]
pub struct Brood {
    archive: Archive,
    /// Parts of the hashes of what was tried.
    tried_before: FxHashSet<u64>,
    rng: Rng,
    limits: Limits,
    /// Used for breeding so far.
    pub fuel: u64,
    /// Used besides: to run what is known at the start, and to simplify what was found. No limit holds for that, or
    /// whoever knows much would breed nothing.
    pub beside: u64,
    /// Programs that were run.
    pub tried: u64,
    /// The best score of what was there from the start.
    pub at_start: u32,
    /// By operator.
    pub tallies: [Tally; Operator::ALL.len()],
    /// The first program that is right on all pairs, simplified.
    pub solution: Option<Bred>,
    /// A program with the best score that was bred by the end of a step, simplified. Mutants are drawn from what it was
    /// before: a line that does nothing may be one change away from doing the right thing.
    simple: Option<Bred>,
}

/// What became of an operator's mutants. One that was made by two counts for both.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    pub tried: u64,
    /// Closer than everything before.
    pub better: u64,
    /// Right on all pairs.
    pub solved: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.tried += other.tried;
        self.better += other.better;
        self.solved += other.solved;
    }
}

/// The graded score of what is right on all pairs.
const MAX_SCORE: u32 = 1_000_000;
/// Mutants in a battery, and how many are drawn of a parent in its turn.
const BATTERY: usize = 64;
const MUTANTS: usize = 16;
/// Turns for a battery before it is run as it is.
const TURNS: usize = 32;
/// Batteries in a step.
const STEP: usize = 16;
/// Of what is known so many are bred from.
const STARTERS: usize = 16;
/// What making, merging and comparing a candidate is worth in fuel (`batt bench breed`).
const FUEL_PER_CANDIDATE: u64 = 500;
/// What a candidate may use on an input: several times what the dearest of the starters uses, within these bounds. The
/// upper one is what the dearest public solver takes.
const FUEL_FACTOR: u64 = 8;
const FUEL_BOUNDS: (u64, u64) = (100_000, 4_000_000);

impl Breeder {
    /// A brood from the programs that are the task's `own`, whatever they are worth, and from the known ones that come
    /// closest; from the program that does nothing if there are none. `None` if `stop` was set before its end.
    pub fn start(
        &self,
        puzzle: &Puzzle,
        known: &[Program],
        own: &[Program],
        stop: &AtomicBool,
    ) -> Option<Brood> {
        // The usual limits, as for the store: what solves a task there solves it here.
        let mut trials = Trials::new(puzzle, Limits::STANDARD, None);
        let bred = |(program, trial): (&Program, Trial)| Bred::known(program, program.hash(), trial);
        let mut starters: Vec<Bred> = own.iter().zip(trials.run(own, stop)?).map(bred).collect();
        let mut others: Vec<Bred> = known.iter().zip(trials.run(known, stop)?).map(bred).collect();
        let used = starters.iter().chain(&others).map(|bred| bill(&bred.trial)).sum();
        others.retain(|other| other.trial.score > 0);
        others.sort_by(|a, b| {
            b.trial.score.cmp(&a.trial.score).then_with(|| a.hash.bytes().cmp(b.hash.bytes()))
        });
        others.truncate(STARTERS);
        starters.extend(others);
        if starters.is_empty() {
            let nothing = nothing(puzzle);
            starters.extend(trials.run([&nothing], stop)?.into_iter().map(|trial| bred((&nothing, trial))));
        }
        let mut brood = Brood { beside: used, ..self.brood(puzzle, &starters) };
        for starter in starters {
            if brood.tried_before.insert(key(starter.hash)) {
                brood.take_in(starter);
            }
        }
        Some(brood)
    }

    /// Tries programs that solved other tasks, as long as there is fuel: at most so much in all.
    pub fn welcome(
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
        let mut trials = Trials::new(puzzle, brood.limits, None);
        let candidates: Vec<&Program> = new.iter().map(|(program, _)| *program).collect();
        let Some(results) = brood.run(&candidates, &mut trials, fuel, stop) else { return };
        for ((program, hash), trial) in new.into_iter().zip(results) {
            brood.tried += 1;
            let bred = Bred::known(program, hash, trial);
            if trial.solves() && brood.solution.is_none() {
                brood.solution = Some(bred.clone());
            }
            brood.archive.offer(bred);
        }
    }

    fn brood(&self, puzzle: &Puzzle, starters: &[Bred]) -> Brood {
        let dearest = starters.iter().map(|starter| starter.trial.dearest).max().unwrap_or(0);
        let fuel = (dearest.saturating_mul(FUEL_FACTOR)).clamp(FUEL_BOUNDS.0, FUEL_BOUNDS.1);
        Brood {
            archive: Archive::new(self.capacity.elites),
            tried_before: FxHashSet::default(),
            rng: Rng::of(self.seed, &puzzle.task().sealed_hash().to_string(), 0),
            limits: Limits { fuel, ..Limits::STANDARD },
            fuel: 0,
            beside: 0,
            tried: 0,
            at_start: starters.iter().map(|starter| starter.trial.score).max().unwrap_or(0),
            tallies: [Tally::default(); Operator::ALL.len()],
            solution: None,
            simple: None,
        }
    }

    /// Advances a brood by one step, which ends early with a solution. `donors` are programs to graft from.
    pub fn advance(&self, puzzle: &Puzzle, brood: &mut Brood, donors: &[Program], allowance: Allowance<'_>) {
        let Allowance { fuel, stop, lane } = allowance;
        let palette = palette(puzzle.task());
        let sources = Sources { donors, palette: &palette };
        let mut trials = Trials::new(puzzle, brood.limits, lane);
        self.batteries(brood, sources, &mut trials, fuel, stop);
        brood.simplify_best(&mut trials, stop);
    }

    fn batteries(
        &self,
        brood: &mut Brood,
        sources: Sources<'_>,
        trials: &mut Trials<'_>,
        fuel: u64,
        stop: &AtomicBool,
    ) {
        let mut mutator = Mutator::default();
        for _ in 0..STEP {
            if brood.solution.is_some() || brood.fuel >= fuel {
                return;
            }
            let battery = self.battery(brood, &mut mutator, sources, trials.lane());
            if battery.is_empty() {
                // Everything near by has been tried; some of it may be tried again from elsewhere.
                brood.tried_before.clear();
                brood.fuel = brood.fuel.saturating_add(FUEL_PER_CANDIDATE * (TURNS * MUTANTS) as u64);
                continue;
            }
            let candidates: Vec<&Program> = battery.iter().map(|mutant| &mutant.program).collect();
            let Some(results) = brood.run(&candidates, trials, fuel, stop) else { return };
            for (mutant, trial) in battery.into_iter().zip(results) {
                brood.judge(mutant, trial);
            }
            trials.mark(Spot::RANK);
            brood.settle(trials, stop);
        }
    }

    /// Mutants that have not been tried before.
    fn battery(
        &self,
        brood: &mut Brood,
        mutator: &mut Mutator,
        sources: Sources<'_>,
        lane: Option<&Lane>,
    ) -> Vec<Mutant> {
        let mark = |spot| lane.into_iter().for_each(|lane| lane.mark(spot));
        let Brood { archive, tried_before, rng, .. } = brood;
        let mut battery = Vec::with_capacity(BATTERY);
        for _ in 0..TURNS {
            let Some(bred) = archive.draw(MUTANTS as u32) else { break };
            let Some(mut parent) = mutator.of(&bred.program) else { continue };
            for _ in 0..MUTANTS {
                let made = parent.mutate(sources, rng);
                mark(Spot::MUTATE);
                let Some((program, operators)) = made else { continue };
                let hash = program.hash();
                if tried_before.len() >= self.capacity.tried {
                    tried_before.clear();
                }
                if tried_before.insert(key(hash)) {
                    battery.push(Mutant { program, hash, operators, parent: bred.hash });
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
    /// The best of all that was tried; the solution if there is one.
    pub fn best(&self) -> Option<&Bred> {
        self.solution.as_ref().or_else(|| self.archive.best())
    }

    /// A program that lives, by its hash.
    pub fn find(&self, hash: ContentHash) -> Option<&Bred> {
        self.archive.find(hash)
    }

    /// Whether breeding has brought something that is closer than what was there before.
    pub fn is_better(&self) -> bool {
        self.best().is_some_and(|best| best.trial.score > self.at_start)
    }

    /// The best that breeding has brought, simplified; nothing if nothing is closer than what was there before.
    pub fn find_of_breeding(&self) -> Option<&Bred> {
        let best = self.best().filter(|_| self.is_better())?;
        let simple = self.simple.as_ref().filter(|simple| simple.trial.score == best.trial.score);
        self.solution.as_ref().or(simple).or(Some(best))
    }

    /// A program that is known from elsewhere.
    fn take_in(&mut self, bred: Bred) {
        if bred.trial.solves() && self.solution.is_none() {
            self.solution = Some(bred.clone());
        }
        self.archive.start(bred);
    }

    /// What candidates come to, one after the other as long as there is fuel, and no others. So many are run together as
    /// can be paid whatever they take, for what one takes shows only afterwards. `None` if `stop` was set before the end.
    fn run(
        &mut self,
        candidates: &[&Program],
        trials: &mut Trials<'_>,
        fuel: u64,
        stop: &AtomicBool,
    ) -> Option<Vec<Trial>> {
        let inputs = trials.n_inputs().max(1);
        let most = inputs.saturating_mul(self.limits.fuel).saturating_add(FUEL_PER_CANDIDATE);
        let mut results = Vec::with_capacity(candidates.len());
        while results.len() < candidates.len() {
            let left = fuel.saturating_sub(self.fuel);
            if left <= FUEL_PER_CANDIDATE {
                // Not worth another one.
                self.fuel = self.fuel.max(fuel);
                break;
            }
            let rest = &candidates[results.len()..];
            let together = (left / most).clamp(1, rest.len() as u64) as usize;
            trials.limit(self.limits.fuel.min((left - FUEL_PER_CANDIDATE) / inputs));
            let more = trials.run(rest[..together].iter().copied(), stop)?;
            self.fuel += more.iter().map(bill).sum::<u64>();
            results.extend(more);
        }
        trials.limit(self.limits.fuel);
        Some(results)
    }

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
        self.archive.offer(Bred { program, hash, calls, trial, operators, parents: vec![parent] });
    }

    /// Simplifies what solves the task.
    fn settle(&mut self, trials: &mut Trials<'_>, stop: &AtomicBool) {
        if self.archive.best_score < MAX_SCORE {
            return;
        }
        let Some(best) = self.archive.best().cloned() else { return };
        self.solution = Some(self.simplified(best, trials, stop));
    }

    /// Simplifies what is closer than everything before.
    fn simplify_best(&mut self, trials: &mut Trials<'_>, stop: &AtomicBool) {
        let Some(best) = self.archive.best().filter(|_| self.is_better() && self.solution.is_none()) else {
            return;
        };
        let score = |bred: &Bred| bred.trial.score;
        let known = self.simple.as_ref().map_or(0, score);
        // What was not made here has its place elsewhere as it is.
        if score(best) > known && !best.operators.is_empty() {
            let best = best.clone();
            self.simple = Some(self.simplified(best, trials, stop));
        }
    }

    fn simplified(&mut self, bred: Bred, trials: &mut Trials<'_>, stop: &AtomicBool) -> Bred {
        let simple = simplify(&bred.program, trials, stop);
        self.beside += simple.fuel;
        match simple.program {
            Some((program, trial)) => {
                Bred { hash: program.hash(), calls: calls(&program), program, trial, ..bred }
            }
            None => bred,
        }
    }
}

/// The program that returns its input.
fn nothing(puzzle: &Puzzle) -> Program {
    let mut composer = batt_lang::Composer::default();
    composer.begin();
    let input = composer.input();
    composer.finish(&crate::name(puzzle.id()), input)
}

/// What a candidate stands for on the bill of its task.
fn bill(trial: &Trial) -> u64 {
    trial.fuel + FUEL_PER_CANDIDATE
}

/// Part of a hash: enough to tell a few million programs apart.
fn key(hash: ContentHash) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.bytes()[..8]);
    u64::from_le_bytes(first)
}
