//! The archive of a brood: the best program of each niche, so that no kind of program displaces all others.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use batt_lang::Program;
use batt_value::ContentHash;

use super::Operator;
use super::trial::Trial;

/// A program of a brood, with its trial and its lineage.
#[derive(Clone, Debug)]
pub struct Individual {
    pub program: Program,
    pub hash: ContentHash,
    /// The number of calls in the program.
    pub calls: u32,
    pub trial: Trial,
    /// The operators that made it; empty if it was not bred for this task.
    pub operators: Vec<Operator>,
    /// The hashes of the programs that it was made from.
    pub parents: Vec<ContentHash>,
}

impl Individual {
    /// Returns its operators as lineages name them, such as `mutate constant, graft`. A program from another
    /// task has `move`.
    pub fn operator(&self) -> String {
        if self.operators.is_empty() {
            return "move".to_owned();
        }
        let names: Vec<&str> = self.operators.iter().map(|operator| operator.name()).collect();
        format!("mutate {}", names.join(", "))
    }

    /// Creates an individual from a program that was not bred for this task.
    pub(crate) fn known(program: &Program, hash: ContentHash, trial: Trial) -> Individual {
        let (program, calls) = (program.clone(), calls(program));
        Individual { program, hash, calls, trial, operators: Vec::new(), parents: Vec::new() }
    }

    /// Returns the sort key, best first: by score, then fuel, then calls, then hash, as in the store.
    fn rank(&self) -> (Reverse<u32>, u64, u32, &[u8; 32]) {
        (Reverse(self.trial.score), self.trial.fuel, self.calls, self.hash.bytes())
    }
}

/// The key of a place in the archive. Similar programs compete for one place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Niche {
    /// A starting program. It keeps its place, because even a program that fails may be one change away from
    /// the goal.
    Start(usize),
    Bred {
        right: u32,
        right_shape: u32,
        /// The binary logarithm of the number of calls.
        length: u32,
        /// The primitive of the last call.
        last: Option<u16>,
    },
}

#[derive(Clone, Debug)]
struct Elite {
    individual: Individual,
    /// The number of mutants made from it.
    mutants: u32,
}

/// The programs to breed from: at most one bred program for each niche and for each behaviour.
#[derive(Clone, Debug)]
pub(crate) struct Archive {
    elites: BTreeMap<Niche, Elite>,
    /// The niche of the program with each behaviour.
    behaviours: BTreeMap<[u8; 32], Niche>,
    capacity: usize,
    /// The best score of any program offered so far.
    pub(crate) best_score: u32,
    /// True if the last turn went to a starting program.
    starter_turn: bool,
}

impl Archive {
    pub(crate) fn new(capacity: usize) -> Archive {
        Archive {
            elites: BTreeMap::new(),
            behaviours: BTreeMap::new(),
            capacity,
            best_score: 0,
            starter_turn: false,
        }
    }

    pub(crate) fn find(&self, hash: ContentHash) -> Option<&Individual> {
        self.elites.values().map(|elite| &elite.individual).find(|individual| individual.hash == hash)
    }

    /// Adds a starting program.
    pub(crate) fn add_starter(&mut self, starter: Individual) {
        let niche = Niche::Start(self.elites.len());
        self.best_score = self.best_score.max(starter.trial.score);
        self.behaviours.entry(*starter.trial.behaviour.bytes()).or_insert(niche);
        self.elites.insert(niche, Elite { individual: starter, mutants: 0 });
    }

    /// Adds a program unless one with the same behaviour or niche is better. Returns whether it was added.
    pub(crate) fn offer(&mut self, individual: Individual) -> bool {
        let behaviour = *individual.trial.behaviour.bytes();
        let niche = niche(&individual);
        self.best_score = self.best_score.max(individual.trial.score);
        let better =
            |rival: Option<&Elite>| rival.is_none_or(|rival| individual.rank() < rival.individual.rank());
        let equivalent = self.behaviours.get(&behaviour).copied();
        if !better(equivalent.and_then(|niche| self.elites.get(&niche))) || !better(self.elites.get(&niche)) {
            return false;
        }
        if let Some(equivalent) = equivalent.filter(|niche| matches!(niche, Niche::Bred { .. })) {
            self.remove(equivalent);
        }
        self.remove(niche);
        self.behaviours.insert(behaviour, niche);
        self.elites.insert(niche, Elite { individual, mutants: 0 });
        self.shrink();
        true
    }

    /// Returns the next parent and counts its mutants. In the long run, the number of mutants is proportional
    /// to the square of the score. Every other turn goes to the starting programs, because a complete program
    /// with one mistake may have a score of 0.
    pub(crate) fn draw(&mut self, mutants: u32) -> Option<&Individual> {
        /// Added to scores, in thousandths of the best, so that programs with a score of 0 get turns too.
        const BASE: u64 = 50;
        let priority = |elite: &Elite| {
            let score = u64::from(elite.individual.trial.score / 1000) + BASE;
            (score * score * 1000) / (16 + u64::from(elite.mutants))
        };
        self.starter_turn = !self.starter_turn;
        let is_start = |niche: &Niche| matches!(niche, Niche::Start(_));
        let first = |start: bool| {
            let group = self.elites.iter().filter(|(niche, _)| is_start(niche) == start);
            group.max_by_key(|(niche, elite)| (priority(elite), Reverse(**niche))).map(|(niche, _)| *niche)
        };
        let niche = first(self.starter_turn).or_else(|| first(!self.starter_turn))?;
        let elite = self.elites.get_mut(&niche)?;
        elite.mutants = elite.mutants.saturating_add(mutants);
        Some(&elite.individual)
    }

    pub(crate) fn best(&self) -> Option<&Individual> {
        self.elites.values().map(|elite| &elite.individual).min_by(|a, b| a.rank().cmp(&b.rank()))
    }

    fn remove(&mut self, niche: Niche) {
        if let Some(elite) = self.elites.remove(&niche) {
            let behaviour = elite.individual.trial.behaviour;
            if self.behaviours.get(behaviour.bytes()) == Some(&niche) {
                self.behaviours.remove(behaviour.bytes());
            }
        }
    }

    /// Removes the worst bred programs until the rest fits into the capacity.
    fn shrink(&mut self) {
        while self.elites.len() > self.capacity {
            let bred = self.elites.iter().filter(|(niche, _)| matches!(niche, Niche::Bred { .. }));
            let worst = bred
                .max_by(|a, b| a.1.individual.rank().cmp(&b.1.individual.rank()))
                .map(|(niche, _)| *niche);
            match worst {
                Some(worst) => self.remove(worst),
                None => return,
            }
        }
    }
}

fn niche(individual: &Individual) -> Niche {
    let Trial { right, right_shape, .. } = individual.trial;
    let program = &individual.program;
    let last = program.node(program.result()).primitive().map(|symbol| symbol.id);
    Niche::Bred { right, right_shape, length: (individual.calls + 1).ilog2(), last }
}

/// Returns the number of calls in a program.
pub(crate) fn calls(program: &Program) -> u32 {
    program.nodes().iter().filter(|node| node.is_call()).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn individual(text: &str, score: u32, behaviour: &str) -> Individual {
        let program = batt_lang::parse(text).programs.remove(0);
        let behaviour = ContentHash::of(behaviour.as_bytes());
        let trial = Trial { right: 0, right_shape: 1, pairs: 2, score, fuel: 10, max_fuel: 5, behaviour };
        let hash = program.hash();
        Individual::known(&program, hash, trial)
    }

    #[test]
    fn each_behaviour_and_each_niche_has_one_program() {
        let mut archive = Archive::new(8);
        assert!(archive.offer(individual("def f(I): return rot90(I)", 100, "a")));
        // The same answers with more calls.
        assert!(!archive.offer(individual("def f(I): return rot90(rot180(rot180(I)))", 100, "a")));
        // Other answers in the same niche: the better one stays.
        assert!(!archive.offer(individual("def f(I): return rot90(hmirror(I))", 50, "a")));
        assert!(archive.offer(individual("def f(I): return rot90(I)", 200, "b")));
        assert_eq!(archive.elites.len(), 1);
        // Another last call is another niche.
        assert!(archive.offer(individual("def f(I): return hmirror(I)", 10, "c")));
        assert_eq!((archive.elites.len(), archive.behaviours.len()), (2, 2));
        assert_eq!((archive.best_score, archive.best().map(|best| best.trial.score)), (200, Some(200)));
    }

    #[test]
    fn the_worst_is_removed_and_starting_programs_stay() {
        let mut archive = Archive::new(2);
        archive.add_starter(individual("def f(I): return I", 0, "starter"));
        assert!(archive.offer(individual("def f(I): return hmirror(I)", 10, "a")));
        assert!(archive.offer(individual("def f(I): return vmirror(I)", 20, "b")));
        let scores: Vec<u32> = archive.elites.values().map(|elite| elite.individual.trial.score).collect();
        assert_eq!(scores, [0, 20]);
    }

    #[test]
    fn better_scores_get_more_mutants_and_starting_programs_every_other_turn() {
        let mut archive = Archive::new(8);
        archive.add_starter(individual("def f(I): return I", 0, "starter"));
        archive.offer(individual("def f(I): return hmirror(I)", 900_000, "a"));
        archive.offer(individual("def f(I): return vmirror(I)", 100_000, "b"));
        let mut turns = [0; 3];
        for _ in 0..200 {
            match archive.draw(16).map(|parent| parent.trial.score) {
                Some(0) => turns[0] += 1,
                Some(900_000) => turns[1] += 1,
                _ => turns[2] += 1,
            }
        }
        assert_eq!(turns[0], 100);
        assert!(turns[1] > 10 * turns[2] && turns[2] > 0, "{turns:?}");
    }
}
