//! Time as stacks: lane, phase, category, function and nested calls.

use std::collections::BTreeMap;

use crate::facts::Facts;

/// Returns the stacks of a lane, outermost frame first, with their times.
pub(super) fn of_lane(facts: &Facts<'_>, lane: usize) -> BTreeMap<Vec<String>, u64> {
    let mut stacks: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    let stack = |function: u32| {
        let function = facts.function(function);
        vec![function.phase.clone(), function.category.clone(), function.name.clone()]
    };
    for (function, ns, _) in &facts.profile.lanes[lane].between {
        *stacks.entry(stack(*function)).or_default() += ns;
    }
    let tasks = facts.profile.tasks.iter().filter(|task| task.lane as usize == lane);
    for part in tasks.flat_map(|task| facts.parts(task)) {
        let mut stack = stack(part.inside.unwrap_or(part.function));
        if part.inside.is_some() {
            // Apportioned time is marked with a tilde.
            let mark = if part.time.apportioned > 0 { "~" } else { "" };
            stack.push(format!("{mark}{}", facts.function(part.function).name));
        }
        *stacks.entry(stack).or_default() += part.time.time();
    }
    stacks.retain(|_, ns| *ns > 0);
    stacks
}

/// Returns all stacks, one per line.
pub(super) fn folded(facts: &Facts<'_>) -> String {
    let mut text = String::new();
    for lane in 0..facts.profile.lanes.len() {
        for (stack, ns) in of_lane(facts, lane) {
            // Frames are separated by semicolons, and the time comes after the last space.
            let stack = std::iter::once(facts.lane_name(lane)).chain(stack);
            let frames: Vec<_> = stack.map(|frame| frame.replace(';', ",")).collect();
            text.push_str(&format!("{} {ns}\n", frames.join(";")));
        }
    }
    text
}
