//! Deeply nested programs on threads with a small stack: they run or fail, and never crash.

use batt_base::with_enough_stack;
use batt_dsl::{Cx, Limits};
use batt_exec::{Input, Job, Options, Picture, Prepared, Sample, Scratch, run};
use batt_lang::{Program, parse};
use batt_plan::{Plan, ProgramId};
use batt_value::{Arena, Owned, Value};

/// The stack of a thread that a host program starts. Without more stack, the programs below need up to 0.5 MB in a
/// release build.
const SMALL: usize = 64 << 10;

/// A program that makes each value from the one before, `@`.
fn chain(n: usize, first: &str, next: &str, result: &str) -> String {
    let mut text = format!("def deep(I):\n    x0 = {first}\n");
    for i in 1..n {
        text += &format!("    x{i} = {}\n", next.replace('@', &format!("x{}", i - 1)));
    }
    text + &format!("    return {}\n", result.replace('@', &format!("x{}", n - 1)))
}

/// A program that calls a function of containers inside itself, on a container in a container, and so on.
fn nested(function: &str) -> String {
    let mut text = "def deep(I):\n    t0 = ONE\n".to_owned();
    for i in 1..440 {
        text += &format!("    t{i} = initset(t{})\n", i - 1);
    }
    text += &format!("    x0 = lbind({function}, identity)\n");
    for i in 1..430 {
        text += &format!("    x{i} = lbind({function}, x{})\n", i - 1);
    }
    text + "    return x429(t439)\n"
}

fn results(program: &Program) -> [String; 2] {
    let arena = Arena::new(Limits::STANDARD.caps);
    let input = arena.grid(1, &[1]).unwrap();
    let cx = Cx::new(&arena, Limits::STANDARD.fuel, None);
    let outcome = run(program, Sample { input, samples: Value::EMPTY_TUPLE }, cx);
    let plan = Plan::merge(std::slice::from_ref(program));
    let options =
        Options { limits: Limits::STANDARD, all_demos: true, sharing: true, kernels: true, stop: None };
    let arena = Arena::new(Limits::STANDARD.caps);
    let prepared = Prepared::new(&plan, &arena, &options);
    let inputs = vec![Input { input: Picture { width: 1, cells: &[1] }, must_give: None }];
    let job = Job { samples: Vec::new(), inputs, programs: vec![ProgramId(0)] };
    let runs = prepared.run(&job, &options, &mut Scratch::new(Limits::STANDARD));
    // Walking through a deep value needs stack too.
    let result = with_enough_stack(|| outcome.result.map(Owned::new).map_err(|failure| failure.fail));
    [format!("{result:?}"), format!("{runs:?}")]
}

#[test]
fn deep_programs_give_the_same_result_on_a_small_stack() {
    let chains = [
        "compose(increment, @)",
        "compose(@, increment)",
        "chain(increment, @, increment)",
        "fork(add, @, increment)",
        "matcher(@, ONE)",
    ];
    let chains = chains.iter().map(|next| chain(880, "increment", next, "@(ONE)"));
    let values = ["initset(@)", "astuple(@, ONE)"].map(|next| chain(880, "ONE", next, "@"));
    let calls = ["apply", "mapply", "rapply", "sfilter", "argmax", "order", "extract"].map(nested);
    for text in chains.chain(values).chain(calls) {
        let parsed = parse(&text);
        assert_eq!(parsed.n_errors, 0, "{}", parsed.problems[0].message);
        let on_stack = |bytes: usize| {
            let program = parsed.programs[0].clone();
            let thread = std::thread::Builder::new().stack_size(bytes).spawn(move || results(&program));
            thread.unwrap().join().unwrap()
        };
        assert_eq!(on_stack(SMALL), on_stack(64 << 20), "{}", text.lines().last().unwrap());
    }
}
