//! The operations of enumeration on devices against the primitives on the CPU.

use batt_device::{Answerer, SOURCE, Session};
use batt_search::{OperationCheck, Workload, check_operations, enumerated_operations};
use batt_task::{Grid, demo};
use batt_testkit::opencl::{oclgrind, pocl, under_oclgrind};
use batt_testkit::print;
use batt_value::{Arena, Caps};
use expect_test::{Expect, expect};

/// Returns all grids of the built-in tasks.
fn demo_grids() -> Vec<Grid> {
    let mut grids = Vec::new();
    for task in demo::tasks() {
        for pair in task.train.iter().chain(&task.test) {
            grids.push(pair.input.clone());
            grids.extend(pair.output.clone());
        }
    }
    grids
}

/// Small grids that reach most of the code: objects that touch at edges and corners, a frame with a hole, lines,
/// several colours, and sides that are not multiples of a word.
fn small_grids() -> Vec<Grid> {
    let grid = |text: &str| {
        let rows: Vec<&str> = text.split_whitespace().collect();
        let cells: Vec<i8> = rows.concat().bytes().map(|byte| (byte - b'0') as i8).collect();
        Grid::new(rows[0].len(), cells).unwrap()
    };
    ["0000000 0333010 0303100 0333020 0000200", "12 21 12 00", "505050", "00700 07770 00700 40004"]
        .map(grid)
        .to_vec()
}

/// Checks that no answer is wrong and every operation has one. Returns how many jobs there were, and how many of them
/// were passed on needlessly.
fn check_same(checks: &[OperationCheck]) -> (usize, usize) {
    let problems: Vec<_> =
        checks.iter().filter_map(|it| Some((&*it.operation.text, it.problem.as_deref()?))).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    let sum = |count: fn(&OperationCheck) -> usize| checks.iter().map(count).sum::<usize>();
    let (same, passed_on, needless) = (sum(|it| it.same), sum(|it| it.passed_on), sum(|it| it.needless));
    print(&format!(
        "{same} answers are the same; {passed_on} jobs were passed on, and {needless} needlessly\n"
    ));
    for check in checks.iter().filter(|check| check.operation.on_device) {
        assert!(check.same > 0, "no answer to {}", check.operation.text);
    }
    (same + passed_on + needless, needless)
}

#[test]
fn every_operation_gives_what_the_cpu_gives() {
    let Some(device) = pocl() else { return };
    let mut session = Session::open(&device, None).unwrap();
    let checks = check_operations(&mut session, &demo_grids(), 1500, 1).unwrap();
    let (jobs, needless) = check_same(&checks);
    assert!(jobs > 200_000 && needless * 500 <= jobs, "{needless} of {jobs} jobs were passed on needlessly");
}

#[test]
fn most_operations_are_on_devices() {
    check_others(expect![[r#"
        131 operations are on devices, 117 are not:
        Grid → Objects: objects(replace(x, mostcolor(x), BLACK), F, T, T)
        Grid → Objects: fgpartition(x)
        Grid → Objects: partition(x)
        Grid → Objects: frontiers(x)
        Grid → Grids: hsplit(x, TWO)
        Grid → Grids: vsplit(x, TWO)
        Grid → Grids: hsplit(x, THREE)
        Grid → Grids: vsplit(x, THREE)
        Grid → Grids: hsplit(x, width(x))
        Grid → Grids: vsplit(x, height(x))
        Grid → Color: get_color_rank(x, F1)
        Objects → Object: merge(x)
        Objects → Object: argmax(x, size)
        Objects → Object: argmin(x, size)
        Objects → Object: argmax(x, height)
        Objects → Object: argmax(x, width)
        Objects → Object: argmax(x, numcolors)
        Objects → Object: argmin(x, numcolors)
        Objects → Object: argmin(x, uppermost)
        Objects → Object: argmax(x, lowermost)
        Objects → Object: argmin(x, leftmost)
        Objects → Object: argmax(x, rightmost)
        Objects → Object: argmax(x, compose(size, backdrop))
        Objects → Object: argmax(x, compose(size, delta))
        Objects → Object: argmin(x, compose(size, delta))
        Objects → Object: get_arg_rank(x, size, F1)
        Objects → Object: get_arg_rank(x, size, L2)
        Objects → Object: extract(x, square)
        Objects → Object: extract(x, compose(flip, square))
        Objects → Object: mapply(fork(recolor, color, backdrop), x)
        Objects → Object: mapply(fork(recolor, color, box), x)
        Objects → Object: mapply(fork(recolor, color, outbox), x)
        Objects → Object: mapply(fork(recolor, color, delta), x)
        Objects → Object: mapply(fork(recolor, color, compose(hfrontier, center)), x)
        Objects → Object: mapply(fork(recolor, color, compose(vfrontier, center)), x)
        Objects → Object: mapply(fork(recolor, mostcolor, backdrop), x)
        Objects → Object: mapply(fork(recolor, leastcolor, backdrop), x)
        Objects → Objects: sizefilter(x, ONE)
        Objects → Objects: difference(x, sizefilter(x, ONE))
        Objects → Objects: remove(argmax(x, size), x)
        Objects → Objects: remove(argmin(x, size), x)
        Objects → Objects: sfilter(x, matcher(size, valmax(x, size)))
        Objects → Objects: sfilter(x, matcher(size, valmin(x, size)))
        Objects → Objects: colorfilter(x, BLACK)
        Objects → Objects: sfilter(x, square)
        Objects → Objects: sfilter(x, compose(flip, square))
        Objects → Objects: sfilter(x, hline)
        Objects → Objects: sfilter(x, vline)
        Objects → Objects: sfilter(x, portrait)
        Objects → Objects: sfilter(x, compose(flip, portrait))
        Objects → Objects: sfilter(x, rbind(bordering, I))
        Objects → Objects: sfilter(x, compose(flip, rbind(bordering, I)))
        Objects → Objects: sfilter(x, matcher(numcolors, ONE))
        Objects → Objects: sfilter(x, compose(flip, matcher(numcolors, ONE)))
        Objects → Objects: apply(normalize, x)
        Objects → Objects: apply(hmirror, x)
        Objects → Objects: apply(vmirror, x)
        Objects → Objects: apply(dmirror, x)
        Objects → Objects: apply(cmirror, x)
        Objects → Indices: mapply(backdrop, x)
        Objects → Indices: mapply(box, x)
        Objects → Indices: mapply(inbox, x)
        Objects → Indices: mapply(outbox, x)
        Objects → Indices: mapply(delta, x)
        Objects → Indices: mapply(corners, x)
        Objects → Indices: mapply(compose(hfrontier, center), x)
        Objects → Indices: mapply(compose(vfrontier, center), x)
        Objects → Indices: mapply(compose(neighbors, center), x)
        Objects → Indices: mapply(compose(dneighbors, center), x)
        Objects → Indices: mapply(compose(ineighbors, center), x)
        Objects → Grids: apply(rbind(subgrid, I), x)
        Objects → Grids: apply(rbind(subgrid, I), order(x, size))
        Objects → Grids: apply(rbind(subgrid, I), order(x, leftmost))
        Objects → Grids: apply(rbind(subgrid, I), order(x, uppermost))
        Grids → Grid: first(x)
        Grids → Grid: last(x)
        Grids → Grid: argmax(x, numcolors)
        Grids → Grid: argmin(x, numcolors)
        Grids → Grid: argmax(x, size)
        Grids → Grid: argmax(x, compose(size, foreground))
        Grids → Grid: argmin(x, compose(size, foreground))
        Grids → Grid: mostcommon_f(x)
        Grids → Grid: leastcommon_f(x)
        Grids → Grid: argmax(x, rbind(colorcount, BLACK))
        Grids → Grid: argmin(x, rbind(colorcount, BLACK))
        Grids → Grid: extract(x, fork(equality, identity, vmirror))
        Grids → Grid: extract(x, fork(equality, identity, hmirror))
        Grids → Grid: extract(x, compose(flip, fork(equality, identity, vmirror)))
        Grids → Grid: extract(x, compose(flip, fork(equality, identity, hmirror)))
        Grids → Grid: merge(x)
        Grids → Grid: dmirror(merge(apply(dmirror, x)))
        Grids → Object: mapply(foreground, x)
        Grids → Grids: apply(hmirror, x)
        Grids → Grids: apply(vmirror, x)
        Grids → Grids: apply(dmirror, x)
        Grids → Grids: dedupe(x)
        Grids → Grids: order(x, numcolors)
        Grids → Grids: order(x, compose(size, foreground))
        Grids → Grids: sfilter(x, foreground)
        Object → Indices: shoot(center(x), RIGHT)
        Object → Indices: shoot(center(x), LEFT)
        Object → Indices: shoot(center(x), DOWN)
        Object → Indices: shoot(center(x), UP)
        Object → Indices: shoot(center(x), UNITY)
        Object → Indices: shoot(center(x), NEG_UNITY)
        Object → Indices: shoot(center(x), UP_RIGHT)
        Object → Indices: shoot(center(x), DOWN_LEFT)
        Indices → Indices: mapply(rbind(shoot, RIGHT), x)
        Indices → Indices: mapply(rbind(shoot, LEFT), x)
        Indices → Indices: mapply(rbind(shoot, DOWN), x)
        Indices → Indices: mapply(rbind(shoot, UP), x)
        Indices → Indices: mapply(rbind(shoot, UNITY), x)
        Indices → Indices: mapply(rbind(shoot, NEG_UNITY), x)
        Indices → Indices: mapply(rbind(shoot, UP_RIGHT), x)
        Indices → Indices: mapply(rbind(shoot, DOWN_LEFT), x)
        Objects, Color → Objects: colorfilter(x, y)
        Object, Object → Object: shift(x, gravitate(x, y))
    "#]]);
}

/// Compares the operations that are not on devices, and the number of the others.
fn check_others(expected: Expect) {
    let (on_device, others): (Vec<_>, Vec<_>) =
        enumerated_operations().into_iter().partition(|it| it.on_device);
    let mut text = format!("{} operations are on devices, {} are not:\n", on_device.len(), others.len());
    for operation in others {
        text += &format!("{}: {}\n", operation.signature, operation.text);
    }
    expected.assert_eq(&text);
}

#[test]
fn every_operation_is_clean_under_oclgrind() {
    let log = under_oclgrind("every_operation_is_clean_under_oclgrind", |device| {
        let mut session = Session::open(device, None).unwrap();
        check_same(&check_operations(&mut session, &small_grids(), 0, 1).unwrap());
    });
    assert_eq!(log.as_deref().unwrap_or(""), "");
}

#[test]
fn a_driver_answers_without_a_loader() {
    let Some(device) = pocl() else { return };
    assert!(device.loaded_directly() && device.library().contains("libpocl.so.2"), "{device:?}");
    let mut session = Session::open(&device, None).unwrap();
    assert!(is_right(&mut session, "rot90(x)", 1_000));
}

/// Answers jobs of an operation on small grids. Returns whether all answers are right.
fn is_right(answerer: &mut dyn Answerer, operation: &str, n_jobs: usize) -> bool {
    let arena = Arena::new(Caps::STANDARD);
    let operation = enumerated_operations().into_iter().find(|known| known.text == operation);
    let workload = Workload::new(&arena, &small_grids(), operation.as_ref(), n_jobs).unwrap();
    let answers = answerer.answer(workload.batch()).unwrap();
    assert!(answers.n_answered() > 0);
    answers.check(workload.batch()).is_ok() && workload.read(&answers) == workload.compute()
}

/// The barriers of the kernels, in their order, each with an operation that needs it.
const BARRIERS: [&str; 7] = ["rot90(x)", "rot90(x)", OBJECTS, OBJECTS, OBJECTS, OBJECTS, OBJECTS];
const OBJECTS: &str = "objects(x, T, T, T)";

/// Declares a test that removes a barrier: oclgrind must report a race.
macro_rules! barriers {
    ($($name:ident: $barrier:literal,)*) => {$(
        #[test]
        fn $name() {
            let log = under_oclgrind(stringify!($name), |device| {
                let (at, _) = SOURCE.match_indices("SYNC;").nth($barrier).unwrap();
                let source = format!("{};{}", &SOURCE[..at], &SOURCE[at + "SYNC;".len()..]);
                let mut session = Session::open_source(device, &source, None).unwrap();
                is_right(&mut session, BARRIERS[$barrier], 3);
            });
            let Some(log) = log else { return };
            assert!(log.contains("data race at local memory"), "{log}");
        }
    )*};
}

barriers! {
    the_barrier_after_an_instruction_is_needed: 0,
    the_barrier_before_an_answer_is_needed: 1,
    the_barrier_after_loading_a_grid_is_needed: 2,
    the_barrier_after_counting_colours_is_needed: 3,
    the_barrier_after_the_first_labels_is_needed: 4,
    the_barrier_after_a_turn_of_labels_is_needed: 5,
    the_barrier_before_an_answer_with_labels_is_needed: 6,
}

#[test]
fn every_barrier_has_a_test() {
    assert_eq!(SOURCE.matches("SYNC;").count(), BARRIERS.len());
}

/// Returns the kernels with one change.
fn changed(from: &str, to: &str) -> String {
    assert_eq!(SOURCE.matches(from).count(), 1, "{from}");
    SOURCE.replace(from, to)
}

#[test]
fn an_access_out_of_bounds_is_found() {
    let log = under_oclgrind("an_access_out_of_bounds_is_found", |device| {
        let source = changed("ulong sums[LANES]", "ulong sums[LANES - 1]");
        let mut session = Session::open_source(device, &source, None).unwrap();
        is_right(&mut session, "rot90(x)", 1);
    });
    let Some(log) = log else { return };
    assert!(log.contains("Invalid write of size 8 at local memory"), "{log}");
}

#[test]
fn wrong_values_are_found() {
    let Some(device) = oclgrind() else { return };
    let right = |source: &str, operation: &str| {
        is_right(&mut Session::open_source(&device, source, None).unwrap(), operation, 3)
    };
    assert!(right(SOURCE, "rot90(x)") && right(SOURCE, OBJECTS));
    let wrong = [
        ("(place + 1) * 0x9e3779b97f4a7c15ul", "(place + 1) * 0x9e3779b97f4a7c17ul", "rot90(x)"),
        ("ulong hash = mix(mix(3,", "ulong hash = mix(mix(5,", "rot90(x)"),
        ("if (n & 2) r = ", "if (n & 4) r = ", "rot90(x)"),
        ("options & 2 ? 8 : 4", "options & 2 ? 4 : 4", OBJECTS),
    ];
    for (from, to, operation) in wrong {
        assert!(!right(&changed(from, to), operation), "{to}");
    }
}
