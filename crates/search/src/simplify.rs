//! Shorter programs that do the same.
//!
//! A program has no unneeded lines, for its graph is what the result needs. But a line may do nothing that shows: then a
//! value that it was made from, or another one of the program, can take its place. This is found out by running.

use std::sync::atomic::{AtomicBool, Ordering};

use batt_lang::{Composer, NodeId, Program};

use crate::breed::{Change, Editor, To, Trial, Trials, calls, fits};

/// What became of a program.
pub struct Simplified {
    /// The shorter program and what it comes to; `None` if there is none.
    pub program: Option<(Program, Trial)>,
    /// Used for the runs.
    pub fuel: u64,
}

/// The shortest program that answers alike on all demonstration inputs and that is reached by putting values of the
/// program in the place of others, again and again. What was found until `stop` was set counts.
pub fn simplify(program: &Program, trials: &mut Trials<'_>, stop: &AtomicBool) -> Simplified {
    let mut simplified = Simplified { program: None, fuel: 0 };
    let Some(behaviour) = trials.run([program], stop).map(|trials| trials[0].behaviour) else {
        return simplified;
    };
    let mut composer = Composer::default();
    loop {
        let current = simplified.program.as_ref().map_or(program, |(program, _)| program);
        let shorter = shorter(&mut composer, current, stop);
        let Some(results) = trials.run(&shorter, stop) else { return simplified };
        simplified.fuel += results.iter().map(|trial| trial.fuel).sum::<u64>();
        let alike = shorter.into_iter().zip(results).filter(|(_, trial)| trial.behaviour == behaviour);
        let best = alike.min_by_key(|(program, trial)| (calls(program), trial.fuel, *program.hash().bytes()));
        match best {
            Some(best) => simplified.program = Some(best),
            None => return simplified,
        }
    }
}

/// The program with one value in the place of another, wherever that takes fewer calls. Incomplete if `stop` is set.
fn shorter(composer: &mut Composer, program: &Program, stop: &AtomicBool) -> Vec<Program> {
    let mut shorter = Vec::new();
    let Some(mut editor) = Editor::new(composer, program) else { return shorter };
    let ids = || (0..program.nodes().len() as u32).map(NodeId);
    for node in ids().filter(|node| program.node(*node).is_call()) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let ty = &program.node(node).ty;
        for other in ids().filter(|other| *other != node && fits(ty, &program.node(*other).ty)) {
            let change = Change::Node { node, to: To::Own(other) };
            let edited = editor.edit(&change);
            shorter.extend(edited.filter(|edited| calls(edited) < calls(program)));
        }
    }
    shorter
}
