//! Time as stacks: lane, phase, category, function, and the functions called in it.

use std::collections::BTreeMap;

use crate::facts::Facts;

/// The stacks of a lane, from the outside in, with their time.
pub(super) fn of_lane(facts: &Facts<'_>, lane: usize) -> BTreeMap<Vec<String>, u64> {
    let mut stacks: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    let stack = |function: u32| {
        let function = facts.function(function);
        vec![function.phase.clone(), function.category.clone(), function.name.clone()]
    };
    for (function, ns, _) in &facts.profile.lanes[lane].between {
        *stacks.entry(stack(*function)).or_default() += ns;
    }
    for task in facts.profile.tasks.iter().filter(|task| task.lane as usize == lane) {
        let mut in_nodes: BTreeMap<u32, u64> = BTreeMap::new();
        for (function, inside, ns) in facts.node_parts(task) {
            *in_nodes
                .entry(if facts.profile.deep { inside.unwrap_or(function) } else { function })
                .or_default() += ns;
            let mut stack = stack(function);
            // What was apportioned says so.
            let mark = if facts.profile.deep { "" } else { "~" };
            stack.extend(inside.map(|inside| format!("{mark}{}", facts.function(inside).name)));
            *stacks.entry(stack).or_default() += ns;
        }
        for (function, ns, _) in &task.booked {
            let rest = ns.saturating_sub(in_nodes.get(function).copied().unwrap_or(0));
            *stacks.entry(stack(*function)).or_default() += rest;
        }
    }
    stacks.retain(|_, ns| *ns > 0);
    stacks
}

/// One stack a line.
pub(super) fn folded(facts: &Facts<'_>) -> String {
    let mut text = String::new();
    for (number, lane) in facts.profile.lanes.iter().enumerate() {
        for (stack, ns) in of_lane(facts, number) {
            // A semicolon separates frames, and the last blank the time.
            let frames: Vec<_> = stack.iter().map(|frame| frame.replace(';', ",")).collect();
            text.push_str(&format!("{};{} {ns}\n", lane.name, frames.join(";")));
        }
    }
    text
}
