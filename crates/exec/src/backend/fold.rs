//! Computes the constants of a plan once for all tasks and threads.
//!
//! Folding runs before any deadline starts, even for programs that never run. So each node has a small limit,
//! which keeps folding cheap for any plan. A constant beyond the limit is computed like a node that depends
//! on the input: under the limits, the memory bounds and the stop flag of a run.

use batt_plan::{Needs, Node, Plan};
use batt_value::{Arena, Caps, Fail};

use super::cpu::{Memo, Options, compute_guarded};

/// The maximum fuel and weight of a folded node. Fuel alone is not enough, because a result is charged after
/// it is made. The most expensive of the 720 constants in arc-dsl's solvers uses 1,890 fuel.
const FUEL: u64 = 4_000;
const WEIGHT: u32 = 4_000;

/// Folding stops when the folded values take this many bytes.
const BYTES: usize = 64 << 20;

/// For each node of a plan, what it depends on, and its value if it was folded.
pub(super) struct Folded<'p> {
    pub(super) needs: Vec<Needs>,
    pub(super) memos: Vec<Option<Memo<'p>>>,
}

/// Computes the cheap nodes that need no input, in `arena`.
pub(super) fn fold<'p>(plan: &Plan, arena: &'p Arena, options: &Options<'p>) -> Folded<'p> {
    let n_nodes = plan.nodes().len();
    let mut folded = Folded { needs: Vec::with_capacity(n_nodes), memos: Vec::with_capacity(n_nodes) };
    let caps = arena.caps();
    arena.set_caps(Caps { weight: caps.weight.min(WEIGHT), ..caps });
    for node in plan.nodes() {
        let needs = node.args.iter().map(|arg| folded.needs[arg.index()]).fold(node.needs, Needs::max);
        let memo = if needs == Needs::Nothing { folded.fold_node(node, arena, options) } else { None };
        folded.needs.push(if memo.is_none() && needs == Needs::Nothing { Needs::Input } else { needs });
        folded.memos.push(memo);
    }
    arena.set_caps(caps);
    folded
}

impl<'p> Folded<'p> {
    /// Computes the next node. Returns `None` beyond the limits: then the node is computed when a program
    /// needs it.
    fn fold_node(&self, node: &Node, arena: &'p Arena, options: &Options<'p>) -> Option<Memo<'p>> {
        if arena.bytes() > BYTES {
            return None;
        }
        let args = node.args.iter().map(|arg| self.memos[arg.index()].as_ref()?.ok());
        let Some(args) = args.collect::<Option<Vec<_>>>() else {
            // An argument failed, so every program that needs this node fails before reaching it.
            return Some(Memo::new(Err(Fail::Bug), 0, None));
        };
        let mut cx = options.cx(arena, options.limits.fuel.min(FUEL), None);
        let memo = compute_guarded(node, Err(Fail::Bug), &args, &mut cx);
        let unfinished = matches!(memo.fail, Some(Fail::Fuel | Fail::TooLarge | Fail::Deadline));
        (!unfinished).then_some(memo)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use batt_dsl::Limits;
    use batt_lang::parse;

    use super::*;

    const OPTIONS: Options<'static> =
        Options { limits: Limits::STANDARD, all_demos: true, sharing: true, kernels: true, stop: None };

    fn plan(text: &str) -> Plan {
        let parsed = parse(text);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        Plan::merge(&parsed.programs)
    }

    /// Returns what each computed node depends on after folding, in the order of the plan.
    fn needs(plan: &Plan, options: &Options<'_>) -> Vec<Needs> {
        let arena = Arena::new(options.limits.caps);
        let folded = fold(plan, &arena, options);
        assert_eq!(arena.caps(), options.limits.caps);
        let nodes = plan.nodes().iter().zip(folded.needs).filter(|(node, _)| node.is_computed());
        nodes.map(|(_, needs)| needs).collect()
    }

    #[test]
    fn constants_and_functions_are_folded() {
        let plan = plan(
            "def a(I):\n    x1 = compose(first, rbind(add, ONE))\n    x2 = matcher(color, TWO)\n\
             \x20   x3 = canvas(ZERO, astuple(30, 30))\n    x4 = first(interval(5, 0, 1))\n\
             \x20   return (x1, x2, x3, x4, interval(0, 3000, 1))\n",
        );
        assert_eq!(needs(&plan, &OPTIONS), [Needs::Nothing; 9]);
    }

    #[test]
    fn expensive_constants_and_what_depends_on_them_are_not_folded() {
        let text = "def a(S, I, C):\n    x = interval(0, 5000, 1)\n    return (size(x), size(S), (S, x))\n";
        use Needs::{Input, Samples};
        assert_eq!(needs(&plan(text), &OPTIONS), [Input, Input, Samples, Input, Input]);
    }

    #[test]
    fn nothing_is_folded_after_the_stop() {
        let stop = AtomicBool::new(true);
        let options = Options { stop: Some(&stop), ..OPTIONS };
        assert_eq!(needs(&plan("def a(I): return rbind(add, ONE)\n"), &options), [Needs::Input]);
    }

    /// Ways to make a large value from a few numbers.
    const LARGE: [&str; 8] = [
        "size(interval({k}, 7000000, 1))",
        "canvas({k}, astuple(2000, 3000))",
        "upscale(canvas({k}, astuple(30, 30)), 50)",
        "size(product(interval({k}, 900, 1), interval(0, 900, 1)))",
        "size(connect(astuple({k}, 0), astuple({k}, 2000000)))",
        "size(box(insert(astuple({k}, 0), initset(astuple(1000, 1000000)))))",
        "size(asindices(canvas({k}, astuple(1000, 1000))))",
        "mapply(rbind(rbind(interval, 1), add(1000, {k})), interval(0, 1000, 1))",
    ];

    #[test]
    fn folding_takes_little_memory_for_any_plan() {
        for large in LARGE {
            let text: String = (0..40)
                .map(|k| format!("def p{k}(I): return {}\n", large.replace("{k}", &k.to_string())))
                .collect();
            let plan = plan(&text);
            let arena = Arena::new(OPTIONS.limits.caps);
            let folded = fold(&plan, &arena, &OPTIONS);
            let results = plan.programs().iter().map(|entry| folded.needs[entry.result().index()]);
            assert!(results.into_iter().all(|needs| needs == Needs::Input), "{large}");
            // Without limits, most of these take gigabytes.
            assert!(arena.bytes() < 8 << 20, "{large}: {} bytes", arena.bytes());
        }
    }
}
