//! Merged is stand-alone: values, failures and bills, at any fuel, on any number of threads, with any optimisation
//! switched off.

use std::io::{BufRead, BufReader};
use std::path::Path;

use arcbatt::dsl::{Cx, Limits};
use arcbatt::exec::{End, Failed, Input, Job, Options, Picture, Prepared, Run, Sample, run};
use arcbatt::lang::{Program, parse};
use arcbatt::plan::{Plan, ProgramId};
use arcbatt::value::{Arena, Owned, Value};
use flate2::read::GzDecoder;

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

/// What the reference backend says of one program on one input.
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
            End::Failed(Failed { fail: failure.fail, place: failure.node.0, primitive: failure.primitive })
        }
    };
    Run { end, fuel: outcome.fuel }
}

fn check(programs: &[Program], jobs: &[Job<'_>], limits: Limits) {
    let plan = Plan::merge(programs);
    assert_eq!(plan.verify(), Ok(()));
    let base = Options { limits, go_on: true, sharing: true, kernels: true, stop: None };
    let arena = Arena::new(limits.caps);
    let prepared = Prepared::new(&plan, &arena, &base);
    let on = |threads: usize, options: Options<'_>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(64 << 20).build().unwrap();
        pool.install(|| prepared.run_all(jobs, &options))
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
fn merged_is_stand_alone() {
    let Vectors { mut programs, grids } = vectors("random-1.jsonl.gz");
    programs.truncate(400);
    check(&programs, &jobs(&grids[7..16], programs.len()), Limits::STANDARD);
}

#[test]
fn merged_is_stand_alone_when_fuel_runs_out() {
    let Vectors { mut programs, grids } = vectors("deep-3.jsonl.gz");
    programs.truncate(150);
    for fuel in [0, 1, 7, 40, 150, 400, 1100, 4000] {
        check(&programs, &jobs(&grids[9..15], programs.len()), Limits { fuel, ..Limits::STANDARD });
    }
}

/// Inputs run together as long as their values fit into the memory for that; more of them than are run at once.
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

#[test]
fn functions_of_the_samples_run_once_a_task() {
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

/// Learners are shared, cached and run in contexts; none of it shows in values, failures or bills.
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
fn a_program_that_fails_a_demonstration_is_skipped_after_it() {
    let programs = parse("def a(I): return I\ndef b(I): return rot180(I)\n").programs;
    let grids = [(2, vec![1, 2]), (2, vec![3, 3])];
    let give = |grid| Input { input: picture(grid), must_give: Some(picture(grid)) };
    let job = Job {
        samples: vec![],
        inputs: vec![
            give(&grids[1]),
            give(&grids[0]),
            give(&grids[1]),
            Input { input: picture(&grids[0]), must_give: None },
        ],
        programs: vec![ProgramId(0), ProgramId(1)],
    };
    let plan = Plan::merge(&programs);
    let options =
        Options { limits: Limits::STANDARD, go_on: false, sharing: true, kernels: true, stop: None };
    let arena = Arena::new(Limits::STANDARD.caps);
    let results = Prepared::new(&plan, &arena, &options).run_all(&[job], &options);
    let skipped = |runs: &[Run]| runs.iter().map(|run| run.end == End::Skipped).collect::<Vec<_>>();
    assert_eq!(skipped(&results[0][0]), [false; 4]);
    assert_eq!(skipped(&results[0][1]), [false, false, true, true]);
}
