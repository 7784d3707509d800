//! Simplifies programs without changing their answers.
//!
//! A program has no unused lines, because its graph holds only what the result needs. But a line may have no
//! effect on the answers. Then one of its arguments, or another value of the program, can replace it. Running
//! the shorter program shows whether that is so.

use std::sync::atomic::{AtomicBool, Ordering};

use batt_lang::{Composer, NodeId, Program};

use crate::breed::{Change, Editor, Replacement, Trial, Trials, calls, fits};

/// The result of simplifying a program.
pub struct Simplified {
    /// The shortest program and its trial; `None` if no shorter program was found.
    pub program: Option<(Program, Trial)>,
    /// The fuel used for the runs.
    pub fuel: u64,
}

/// Replaces values of a program by other values of it, one at a time, as long as the program gets shorter and
/// its answers on all demonstration inputs stay the same. If `stop` is set, returns the best result so far.
pub fn simplify(program: &Program, trials: &mut Trials<'_>, stop: &AtomicBool) -> Simplified {
    let mut simplified = Simplified { program: None, fuel: 0 };
    let Some(behaviour) = trials.run([program], stop).map(|trials| trials[0].behaviour) else {
        return simplified;
    };
    let mut composer = Composer::default();
    loop {
        let current = simplified.program.as_ref().map_or(program, |(program, _)| program);
        let shorter = shorter_programs(&mut composer, current, stop);
        let Some(results) = trials.run(&shorter, stop) else { return simplified };
        simplified.fuel += results.iter().map(|trial| trial.fuel).sum::<u64>();
        let same = shorter.into_iter().zip(results).filter(|(_, trial)| trial.behaviour == behaviour);
        let best = same.min_by_key(|(program, trial)| (calls(program), trial.fuel, *program.hash().bytes()));
        match best {
            Some(best) => simplified.program = Some(best),
            None => return simplified,
        }
    }
}

/// Returns all programs with fewer calls in which one value is replaced by another. Incomplete if `stop` is
/// set.
fn shorter_programs(composer: &mut Composer, program: &Program, stop: &AtomicBool) -> Vec<Program> {
    let mut shorter = Vec::new();
    let Some(mut editor) = Editor::new(composer, program) else { return shorter };
    let ids = || (0..program.nodes().len() as u32).map(NodeId);
    for node in ids().filter(|node| program.node(*node).is_call()) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let ty = &program.node(node).ty;
        for other in ids().filter(|other| *other != node && fits(ty, &program.node(*other).ty)) {
            let change = Change::Node { node, to: Replacement::Own(other) };
            let edited = editor.edit(&change);
            shorter.extend(edited.filter(|edited| calls(edited) < calls(program)));
        }
    }
    shorter
}
