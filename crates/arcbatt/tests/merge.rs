//! Merged programs give the same values and failures for the same fuel as each program alone: at any fuel limit, on
//! any number of threads, with any optimisation off.

use std::io::{BufRead, BufReader};
use std::path::Path;

use batt_dsl::{Cx, Limits};
use batt_exec::{End, Failed, Input, Job, Options, Picture, Prepared, Run, Sample, Scratch, run};
use batt_job::Pool;
use batt_lang::{Program, parse};
use batt_plan::{Plan, ProgramId};
use batt_value::{Arena, Owned, Value};
use flate2::read::GzDecoder;
use proptest::prelude::*;
use rayon::prelude::*;

struct Vectors {
    programs: Vec<Program>,
    /// Width and cells.
    grids: Vec<(usize, Vec<i8>)>,
}

fn vectors(name: &str) -> Vectors {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/vectors").join(name);
    let reader = BufReader::new(GzDecoder::new(std::fs::File::open(path).unwrap()));
    let mut lines =
        reader.lines().map(|line| serde_json::from_str::<serde_json::Value>(&line.unwrap()).unwrap());
    let grids: Vec<Vec<Vec<i8>>> = serde_json::from_value(lines.next().unwrap()["grids"].clone()).unwrap();
    let grids = grids.into_iter().map(|rows| (rows[0].len(), rows.concat())).collect();
    let programs = lines.filter_map(|json| parse(json["program"].as_str().unwrap()).programs.pop()).collect();
    Vectors { programs, grids }
}

fn picture((width, cells): &(usize, Vec<i8>)) -> Picture<'_> {
    Picture { width: *width, cells }
}

/// Runs one program on one input with the reference backend.
fn alone(program: &Program, job: &Job<'_>, input: Picture<'_>, limits: Limits) -> Run {
    let arena = Arena::new(limits.caps);
    let grid = |picture: Picture<'_>| arena.grid(picture.width, picture.cells).unwrap();
    let pairs: Vec<_> =
        job.samples.iter().map(|(a, b)| arena.tuple(&[grid(*a), grid(*b)]).unwrap()).collect();
    let sample = Sample { input: grid(input), samples: arena.tuple(&pairs).unwrap() };
    let outcome = run(program, sample, Cx::new(&arena, limits.fuel, None));
    let end = match outcome.result {
        Ok(Value::Grid(grid)) => End::Grid { width: grid.width(), cells: grid.cells().into() },
        Ok(value) => End::Other(Owned::new(value)),
        Err(failure) => {
            End::Failed(Failed { fail: failure.fail, node: failure.node.0, primitive: failure.primitive })
        }
    };
    Run { end, fuel: outcome.fuel }
}

fn check(programs: &[Program], jobs: &[Job<'_>], limits: Limits) {
    let plan = Plan::merge(programs);
    assert_eq!(plan.verify(), Ok(()));
    let base = Options { limits, all_demos: true, sharing: true, kernels: true, stop: None };
    let arena = Arena::new(limits.caps);
    let prepared = Prepared::new(&plan, &arena, &base);
    let on = |threads: usize, options: Options<'_>| {
        let scratch = || Scratch::new(limits);
        let run = |scratch: &mut Scratch, job| prepared.run(job, &options, scratch);
        let pool = Pool::new(threads).unwrap();
        pool.install(|| jobs.par_iter().map_init(scratch, run).collect::<Vec<_>>())
    };
    let merged = on(1, base);
    for (job, results) in jobs.iter().zip(&merged) {
        for (program, runs) in job.programs.iter().zip(results) {
            for (input, got) in job.inputs.iter().zip(runs) {
                let program = &programs[program.index()];
                let expected = alone(program, job, input.input, limits);
                assert_eq!(*got, expected, "fuel {}:\n{}", limits.fuel, program.source());
            }
        }
    }
    assert_eq!(merged, on(3, base), "threads");
    assert_eq!(merged, on(1, Options { sharing: false, ..base }), "sharing");
    assert_eq!(merged, on(2, Options { kernels: false, ..base }), "kernels");
}

fn jobs<'g>(grids: &'g [(usize, Vec<i8>)], n_programs: usize) -> Vec<Job<'g>> {
    let job = |chunk: &'g [(usize, Vec<i8>)]| Job {
        samples: chunk.windows(2).map(|pair| (picture(&pair[0]), picture(&pair[1]))).collect(),
        inputs: chunk.iter().map(|grid| Input { input: picture(grid), must_give: None }).collect(),
        programs: (0..n_programs as u32).map(ProgramId).collect(),
    };
    grids.chunks(3).map(job).collect()
}

#[test]
fn merged_programs_behave_as_alone() {
    let Vectors { mut programs, grids } = vectors("random-1.jsonl.gz");
    programs.truncate(400);
    check(&programs, &jobs(&grids[7..16], programs.len()), Limits::STANDARD);
}

#[test]
fn merged_programs_behave_as_alone_when_fuel_runs_out() {
    let Vectors { mut programs, grids } = vectors("deep-3.jsonl.gz");
    programs.truncate(150);
    for fuel in [0, 1, 7, 40, 150, 400, 1100, 4000] {
        check(&programs, &jobs(&grids[9..15], programs.len()), Limits { fuel, ..Limits::STANDARD });
    }
}

/// More inputs than run together, with values too large for the memory that is reserved for running them together.
#[test]
fn many_inputs_and_large_values() {
    let programs = parse(
        "def small(I): return rot90(I)\n\
         def large(I):\n    x = upscale(I, 700)\n    y = rot90(x)\n    return crop(y, ORIGIN, TWO_BY_TWO)\n\
         def fails(I): return divide(ONE, subtract(height(I), 2))\n",
    )
    .programs;
    let grids: Vec<(usize, Vec<i8>)> =
        (1..=19).map(|i| (2, vec![i % 10; 2 * (1 + i as usize % 3)])).collect();
    let job = Job {
        samples: vec![],
        inputs: grids.iter().map(|grid| Input { input: picture(grid), must_give: None }).collect(),
        programs: (0..3).map(ProgramId).collect(),
    };
    check(&programs, &[job], Limits::STANDARD);
}

/// Constants on both sides of the folding limit, with fuel that runs out before, inside and after them.
#[test]
fn expensive_constants_are_the_same_merged_and_alone() {
    let interval = |n: u64| format!("def interval_{n}(I): return (size(interval(0, {n}, 1)), height(I))\n");
    let programs: String =
        [10, 1990, 3990, 3994, 3995, 3996, 3997, 3998, 4000, 4005, 20_000].map(interval).concat()
            + "def shared(I): return add(size(interval(0, 20000, 1)), size(interval(0, 4000, 1)))\n\
           def fails(I): return first(interval(9, size(interval(0, 4500, 1)), -1))\n\
           def too_large(I): return interval(0, 9000000, 1)\n\
           def failed_argument(I): return size(combine(interval(0, 9000000, 1), interval(0, 20000, 1)))\n\
           def calls(I): return apply(lbind(add, ONE), interval(0, 3000, 1))\n\
           def grid(I): return hconcat(canvas(3, astuple(70, 70)), canvas(4, astuple(70, 10)))\n\
           def samples(S, I, C): return (size(S), size(repeat(S, size(interval(0, 5000, 1)))), width(I))\n\
           def function(I): return apply(rbind(contained, interval(0, 6000, 1)), first(I))\n";
    let programs = parse(&programs).programs;
    assert_eq!(programs.len(), 19);
    let Vectors { grids, .. } = vectors("random-1.jsonl.gz");
    for fuel in [0, 5, 2_000, 3_990, 3_999, 4_000, 4_001, 4_010, 8_100, 24_000, 41_000, 40_000_000] {
        check(&programs, &jobs(&grids[7..10], programs.len()), Limits { fuel, ..Limits::STANDARD });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Any sizes near the folding limit, with any fuel up to twice the need.
    #[test]
    fn constants_near_the_limit_are_the_same_merged_and_alone(
        sizes in prop::collection::vec(1_900..4_100_u64, 1..4),
        fuel in 0..25_000_u64,
    ) {
        let program = |n: &u64| {
            format!(
                "def sum_{n}(I): return add(size(interval(0, {n}, 1)), height(I))\n\
                 def both_{n}(I): return combine(interval(0, {n}, 1), interval(0, 2000, 1))\n\
                 def each_{n}(I): return (I, apply(increment, interval(0, {n}, 2)))\n"
            )
        };
        let programs = parse(&sizes.iter().map(program).collect::<String>()).programs;
        let grids = [(2, vec![1, 2]), (1, vec![3, 3])];
        check(&programs, &jobs(&grids, programs.len()), Limits { fuel, ..Limits::STANDARD });
    }
}

/// Values beyond the memory that a task keeps for all its samples are computed again for each sample.
#[test]
fn large_values_of_the_samples_are_the_same_merged_and_alone() {
    let large = |k| {
        format!(
            "def large_{k}(S, I, C):\n    x = canvas({k}, astuple(multiply(size(S), 1000), 4000))\n    \
             return (height(x), height(I))\n"
        )
    };
    let programs: String = (0..12).map(large).collect();
    let programs = parse(&programs).programs;
    let Vectors { grids, .. } = vectors("random-1.jsonl.gz");
    for fuel in [5_000_000, 40_000_000] {
        check(&programs, &jobs(&grids[7..10], programs.len()), Limits { fuel, ..Limits::STANDARD });
    }
}

#[test]
fn calls_that_need_only_the_samples_give_the_same_results() {
    let programs = parse(
        "def a(S, I, C):\n    x = a_mr(S)\n    return mir_rot(I, x)\n\
         def b(S, I, C):\n    return (size(S), first(first(S)))\n\
         def c(S, I, C):\n    return divide(ONE, subtract(size(S), size(S)))\n",
    )
    .programs;
    let Vectors { grids, .. } = vectors("random-1.jsonl.gz");
    check(&programs, &jobs(&grids[7..16], programs.len()), Limits::STANDARD);
    check(&programs, &jobs(&grids[7..16], programs.len()), Limits { fuel: 30, ..Limits::STANDARD });
}

/// Learners are shared, cached and run in contexts, without effect on values, failures or fuel.
#[test]
fn learned_rules_are_the_same_merged_and_alone() {
    let programs = parse(
        "def a(S, I, C):\n    rule = learn_cells(S, NEAR, F0)\n    O = rule(I)\n    return O\n\
         def b(S, I, C):\n    return learn_transform(S, ONE_STEP, F0)(I)\n\
         def c(S, I, C):\n    return learn_transform(S, ONE_STEP, F1)(I)\n\
         def d(S, I, C):\n    x1 = rbind(learn_cells, F0)\n    x2 = rbind(x1, FREE)\n\
         \x20   rule = learn_in_frame(S, MAJORITY, x2)\n    return rule(I)\n\
         def e(S, I, C):\n    x1 = rbind(learn_cells, F0)\n    x2 = rbind(x1, NEAR)\n\
         \x20   x3 = rbind(learn_in_frame, x2)\n    x4 = rbind(x3, MAJORITY)\n\
         \x20   rule = learn_in_parts(S, EACH_ROW, x4)\n    return rule(I)\n\
         def f(S, I, C):\n    return learn_forest(S, F0)\n",
    )
    .programs;
    assert_eq!(programs.len(), 6);
    let grids: Vec<(usize, Vec<i8>)> = vec![
        (3, vec![5, 1, 5, 5, 5, 5]),
        (3, vec![5, 2, 5, 5, 5, 5]),
        (4, vec![5, 5, 5, 1, 5, 1, 5, 5]),
        (4, vec![5, 5, 5, 2, 5, 2, 5, 5]),
        (2, vec![1, 5, 5, 5]),
    ];
    let job = Job {
        samples: vec![(picture(&grids[0]), picture(&grids[1])), (picture(&grids[2]), picture(&grids[3]))],
        inputs: grids.iter().map(|grid| Input { input: picture(grid), must_give: None }).collect(),
        programs: (0..programs.len() as u32).map(ProgramId).collect(),
    };
    let answer = alone(&programs[0], &job, picture(&grids[4]), Limits::STANDARD);
    assert_eq!(answer.end, End::Grid { width: 2, cells: [2, 5, 5, 5].into() });
    for fuel in [Limits::STANDARD.fuel, 400_000, 60_000, 9_000, 1_500, 300, 40] {
        check(&programs, std::slice::from_ref(&job), Limits { fuel, ..Limits::STANDARD });
    }
}

#[test]
fn a_program_is_skipped_after_a_wrong_demonstration_pair() {
    let programs = parse("def a(I): return I\ndef b(I): return rot180(I)\n").programs;
    let grids = [(2, vec![1, 2]), (2, vec![3, 3])];
    let demo = |grid| Input { input: picture(grid), must_give: Some(picture(grid)) };
    let job = Job {
        samples: vec![],
        inputs: vec![
            demo(&grids[1]),
            demo(&grids[0]),
            demo(&grids[1]),
            Input { input: picture(&grids[0]), must_give: None },
        ],
        programs: vec![ProgramId(0), ProgramId(1)],
    };
    let plan = Plan::merge(&programs);
    let options =
        Options { limits: Limits::STANDARD, all_demos: false, sharing: true, kernels: true, stop: None };
    let arena = Arena::new(Limits::STANDARD.caps);
    let prepared = Prepared::new(&plan, &arena, &options);
    let results = prepared.run(&job, &options, &mut Scratch::new(options.limits));
    let skipped = |runs: &[Run]| runs.iter().map(|run| run.end == End::Skipped).collect::<Vec<_>>();
    assert_eq!(skipped(&results[0]), [false; 4]);
    assert_eq!(skipped(&results[1]), [false, false, true, true]);
}
