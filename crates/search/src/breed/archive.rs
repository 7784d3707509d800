//! The programs that live: the best of each niche, so that no kind of program takes the place of all others.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use batt_lang::Program;
use batt_value::ContentHash;

use super::Operator;
use super::trial::Trial;

/// A program that lives, or has lived.
#[derive(Clone, Debug)]
pub struct Bred {
    pub program: Program,
    pub hash: ContentHash,
    pub calls: u32,
    pub trial: Trial,
    /// How it was made; nothing if it was not made for this task.
    pub operators: Vec<Operator>,
    /// What it was made from.
    pub parents: Vec<ContentHash>,
}

impl Bred {
    /// How it was made, as lineages have it: `mutate constant, graft`. What was made for another task moved.
    pub fn operator(&self) -> String {
        if self.operators.is_empty() {
            return "move".to_owned();
        }
        let names: Vec<&str> = self.operators.iter().map(|operator| operator.name()).collect();
        format!("mutate {}", names.join(", "))
    }

    /// A program that was not made for this task.
    pub(crate) fn known(program: &Program, hash: ContentHash, trial: Trial) -> Bred {
        let (program, calls) = (program.clone(), calls(program));
        Bred { program, hash, calls, trial, operators: Vec::new(), parents: Vec::new() }
    }

    /// The smaller the better: by score, then fuel, then calls, then hash, as in the store.
    fn rank(&self) -> (Reverse<u32>, u64, u32, &[u8; 32]) {
        (Reverse(self.trial.score), self.trial.fuel, self.calls, self.hash.bytes())
    }
}

/// Programs that are alike compete for one place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Niche {
    /// What was there from the start keeps its place: also a program that fails may be one change away from the goal.
    Start(usize),
    Bred {
        right: u32,
        shaped: u32,
        /// How long it is, as a power of two.
        length: u32,
        /// What it does last.
        last: Option<u16>,
    },
}

#[derive(Clone, Debug)]
struct Elite {
    bred: Bred,
    /// How many mutants were drawn from it.
    children: u32,
}

/// At most one program for each niche and for each behaviour.
#[derive(Clone, Debug)]
pub(crate) struct Archive {
    elites: BTreeMap<Niche, Elite>,
    /// Who has which behaviour.
    behaviours: BTreeMap<[u8; 32], Niche>,
    capacity: usize,
    /// The best score that ever was.
    pub(crate) best_score: u32,
    /// Whether the last turn was for what was there from the start.
    turn: bool,
}

impl Archive {
    pub(crate) fn new(capacity: usize) -> Archive {
        Archive { elites: BTreeMap::new(), behaviours: BTreeMap::new(), capacity, best_score: 0, turn: false }
    }

    pub(crate) fn find(&self, hash: ContentHash) -> Option<&Bred> {
        self.elites.values().map(|elite| &elite.bred).find(|bred| bred.hash == hash)
    }

    /// A program that is there from the start.
    pub(crate) fn start(&mut self, bred: Bred) {
        let niche = Niche::Start(self.elites.len());
        self.best_score = self.best_score.max(bred.trial.score);
        self.behaviours.entry(*bred.trial.behaviour.bytes()).or_insert(niche);
        self.elites.insert(niche, Elite { bred, children: 0 });
    }

    /// Takes a program in if it does something new, or does better what another does. Whether it lives.
    pub(crate) fn offer(&mut self, bred: Bred) -> bool {
        let behaviour = *bred.trial.behaviour.bytes();
        let niche = niche(&bred);
        self.best_score = self.best_score.max(bred.trial.score);
        let better = |rival: Option<&Elite>| rival.is_none_or(|rival| bred.rank() < rival.bred.rank());
        let twin = self.behaviours.get(&behaviour).copied();
        if !better(twin.and_then(|twin| self.elites.get(&twin))) || !better(self.elites.get(&niche)) {
            return false;
        }
        if let Some(twin) = twin.filter(|twin| matches!(twin, Niche::Bred { .. })) {
            self.remove(twin);
        }
        self.remove(niche);
        self.behaviours.insert(behaviour, niche);
        self.elites.insert(niche, Elite { bred, children: 0 });
        self.shrink();
        true
    }

    /// Whose turn it is to have mutants: in the long run as many for each as the square of its score says. Every other
    /// turn is for what was there from the start: a whole program with one mistake may score nothing.
    pub(crate) fn draw(&mut self, mutants: u32) -> Option<&Bred> {
        /// What a score of 0 is worth, in thousandths of the best.
        const BASE: u64 = 50;
        let urge = |elite: &Elite| {
            let worth = u64::from(elite.bred.trial.score / 1000) + BASE;
            (worth * worth * 1000) / (16 + u64::from(elite.children))
        };
        self.turn = !self.turn;
        let is_start = |niche: &Niche| matches!(niche, Niche::Start(_));
        let of = |start: bool| {
            let group = self.elites.iter().filter(|(niche, _)| is_start(niche) == start);
            group.max_by_key(|(niche, elite)| (urge(elite), Reverse(**niche))).map(|(niche, _)| *niche)
        };
        let niche = of(self.turn).or_else(|| of(!self.turn))?;
        let elite = self.elites.get_mut(&niche)?;
        elite.children = elite.children.saturating_add(mutants);
        Some(&elite.bred)
    }

    pub(crate) fn best(&self) -> Option<&Bred> {
        self.elites.values().map(|elite| &elite.bred).min_by(|a, b| a.rank().cmp(&b.rank()))
    }

    fn remove(&mut self, niche: Niche) {
        if let Some(elite) = self.elites.remove(&niche) {
            let behaviour = elite.bred.trial.behaviour;
            if self.behaviours.get(behaviour.bytes()) == Some(&niche) {
                self.behaviours.remove(behaviour.bytes());
            }
        }
    }

    /// The worst goes where there is no room for all.
    fn shrink(&mut self) {
        while self.elites.len() > self.capacity {
            let bred = self.elites.iter().filter(|(niche, _)| matches!(niche, Niche::Bred { .. }));
            let worst = bred.max_by(|a, b| a.1.bred.rank().cmp(&b.1.bred.rank())).map(|(niche, _)| *niche);
            match worst {
                Some(worst) => self.remove(worst),
                None => return,
            }
        }
    }
}

fn niche(bred: &Bred) -> Niche {
    let Trial { right, shaped, .. } = bred.trial;
    let last = bred.program.node(bred.program.result()).primitive().map(|symbol| symbol.id);
    Niche::Bred { right, shaped, length: (bred.calls + 1).ilog2(), last }
}

pub(crate) fn calls(program: &Program) -> u32 {
    program.nodes().iter().filter(|node| node.is_call()).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bred(text: &str, score: u32, behaviour: &str) -> Bred {
        let program = batt_lang::parse(text).programs.remove(0);
        let behaviour = ContentHash::of(behaviour.as_bytes());
        let trial = Trial { right: 0, shaped: 1, pairs: 2, score, fuel: 10, dearest: 5, behaviour };
        let hash = program.hash();
        Bred::known(&program, hash, trial)
    }

    #[test]
    fn one_program_for_each_behaviour_and_each_niche() {
        let mut archive = Archive::new(8);
        assert!(archive.offer(bred("def f(I): return rot90(I)", 100, "a")));
        // The same answers, at more calls.
        assert!(!archive.offer(bred("def f(I): return rot90(rot180(rot180(I)))", 100, "a")));
        // Other answers in the same niche: the better one stays.
        assert!(!archive.offer(bred("def f(I): return rot90(hmirror(I))", 50, "a")));
        assert!(archive.offer(bred("def f(I): return rot90(I)", 200, "b")));
        assert_eq!(archive.elites.len(), 1);
        // Another last call is another niche.
        assert!(archive.offer(bred("def f(I): return hmirror(I)", 10, "c")));
        assert_eq!((archive.elites.len(), archive.behaviours.len()), (2, 2));
        assert_eq!((archive.best_score, archive.best().map(|best| best.trial.score)), (200, Some(200)));
    }

    #[test]
    fn the_worst_goes_and_the_start_stays() {
        let mut archive = Archive::new(2);
        archive.start(bred("def f(I): return I", 0, "start"));
        assert!(archive.offer(bred("def f(I): return hmirror(I)", 10, "a")));
        assert!(archive.offer(bred("def f(I): return vmirror(I)", 20, "b")));
        let scores: Vec<u32> = archive.elites.values().map(|elite| elite.bred.trial.score).collect();
        assert_eq!(scores, [0, 20]);
    }

    #[test]
    fn who_scores_more_has_more_offspring_and_the_start_has_every_other_turn() {
        let mut archive = Archive::new(8);
        archive.start(bred("def f(I): return I", 0, "start"));
        archive.offer(bred("def f(I): return hmirror(I)", 900_000, "a"));
        archive.offer(bred("def f(I): return vmirror(I)", 100_000, "b"));
        let mut turns = [0; 3];
        for _ in 0..200 {
            match archive.draw(16).map(|bred| bred.trial.score) {
                Some(0) => turns[0] += 1,
                Some(900_000) => turns[1] += 1,
                _ => turns[2] += 1,
            }
        }
        assert_eq!(turns[0], 100);
        assert!(turns[1] > 10 * turns[2] && turns[2] > 0, "{turns:?}");
    }
}
