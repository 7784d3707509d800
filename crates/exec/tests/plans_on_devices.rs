//! Plans with devices against plans without: the same values, failures and fuel. PoCL is the device.

use std::fmt::Write;

use batt_base::Rng;
use batt_dsl::Limits;
use batt_exec::devices::Devices;
use batt_exec::{Input, Job, Options, Picture, Prepared, Run, Scratch};
use batt_lang::{Program, parse};
use batt_plan::{Plan, ProgramId};
use batt_testkit::opencl::patient_pocl;
use batt_value::Arena;

/// Calls by the kind of their result; `g`, `i`, `o` and `c` stand for a grid, indices, an object and a colour.
#[rustfmt::skip]
const CALLS: [(char, &[&str]); 4] = [
    ('g', &[
        "hmirror(g)", "vmirror(g)", "dmirror(g)", "cmirror(g)", "rot90(g)", "rot180(g)", "rot270(g)",
        "tophalf(g)", "bottomhalf(g)", "lefthalf(g)", "righthalf(g)", "trim(g)", "compress(g)", "upscale(g, 2)",
        "upscale(g, c)", "upscale(g, 0)", "downscale(g, 2)", "downscale(g, 9)", "hconcat(g, g)",
        "vconcat(g, g)", "replace(g, c, c)", "switch(g, c, c)", "cellwise(g, g, c)", "smear(g, RIGHT)",
        "smear(g, (-1, 1))", "tile(o, g)", "mirrortile(o, g)", "paint(g, o)", "fill(g, c, i)", "fill(g, c, o)",
        "canvas(c, shape(g))", "subgrid(i, g)", "subgrid(o, g)", "crop(g, (1, 1), (2, 3))",
        "crop(g, (-3, 2), (2, 2))", "crop(g, UNITY, shape(g))", "canvas(c, shape(i))", "upscale(g, height(g))",
        "upscale(g, divide(width(g), height(g)))", "fill(g, height(g), i)", "replace(g, c, 50)",
        "fill(g, True, i)", "crop(g, (0, 0), halve(shape(g)))",
    ]),
    ('i', &[
        "ofcolor(g, c)", "ofcolor(g, 77)", "enclosed(g)", "toindices(o)", "toindices(i)", "backdrop(i)",
        "backdrop(o)", "box(i)", "inbox(o)", "outbox(i)", "corners(o)", "delta(i)", "delta(o)",
        "shift(i, (5, -7))", "shift(i, DOWN)", "shift(i, (900, 900))", "normalize(i)", "hmirror(i)",
        "vmirror(i)", "dmirror(i)", "cmirror(i)", "hfrontier(center(o))", "vfrontier(center(i))",
        "hfrontier((3, 4))", "hfrontier(shape(g))", "combine(i, i)", "difference(i, i)", "intersection(i, i)",
        "mapply(neighbors, i)", "mapply(dneighbors, i)", "mapply(ineighbors, i)", "mapply(hfrontier, i)",
        "mapply(vfrontier, i)",
    ]),
    ('o', &[
        "foreground(g)", "asobject(g)", "toobject(i, g)", "toobject(o, g)", "recolor(c, i)", "recolor(c, o)",
        "recolor(width(o), i)", "recolor(height(g), o)", "upscale(o, 2)", "upscale(o, c)", "shift(o, UNITY)",
        "shift(o, toivec(height(o)))", "shift(o, tojvec(invert(width(o))))",
        "shift(o, halve(subtract(shape(g), shape(o))))", "normalize(o)", "hmirror(o)", "vmirror(o)",
        "dmirror(o)", "cmirror(o)",
    ]),
    ('c', &[
        "mostcolor(g)", "leastcolor(g)", "mostcolor(o)", "leastcolor(o)",
    ]),
];

/// Makes a program of random calls that returns all their values, and the objects of a grid.
fn program(random: &mut Rng, number: usize) -> Program {
    let mut text = format!("def p{number}(I):\n    g0 = I\n    i0 = ofcolor(I, 1)\n    o0 = asobject(I)\n");
    let mut known: Vec<(char, String)> = vec![('c', "3".into()), ('c', "0".into())];
    known.extend(['g', 'i', 'o'].map(|kind| (kind, format!("{kind}0"))));
    for line in 1..4 + random.below(5) {
        let (kind, calls) = CALLS[random.below(CALLS.len())];
        let mut call = String::new();
        let words = calls[random.below(calls.len())].split_inclusive(|c: char| !c.is_ascii_alphanumeric());
        for word in words {
            let name = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let of_kind: Vec<&String> =
                known.iter().filter(|(kind, _)| name == kind.to_string()).map(|(_, name)| name).collect();
            match of_kind.is_empty() {
                true => call += name,
                // The last values are used more often.
                false => {
                    let back = random.below(of_kind.len()) + 1;
                    call += of_kind[of_kind.len() - 1 - random.below(back)];
                }
            }
            call += &word[name.len()..];
        }
        writeln!(text, "    {kind}{line} = {call}").unwrap();
        known.push((kind, format!("{kind}{line}")));
    }
    let names: Vec<&str> = known[2..].iter().map(|(_, name)| name.as_str()).collect();
    let mut grids = known.iter().filter(|(kind, _)| *kind == 'g').map(|(_, name)| name);
    let last_grid = grids.next_back().cloned().unwrap_or_default();
    writeln!(text, "    return ({}, objects({last_grid}, T, F, T), objects(I, F, T, F))", names.join(", "))
        .unwrap();
    let mut parsed = parse(&text);
    assert!(!parsed.programs.is_empty(), "{text}{:?}", parsed.problems);
    parsed.programs.remove(0)
}

/// Makes a grid of at most 20 × 20 with large areas of a colour.
fn grid(random: &mut Rng) -> (usize, Vec<i8>) {
    let (height, width) = (1 + random.below(20), 1 + random.below(20));
    let palette = 1 + random.below(4);
    let mut cells = vec![random.below(3) as i8; height * width];
    for _ in 0..random.below(30) {
        cells[random.below(height * width)] = random.below(palette) as i8;
    }
    (width, cells)
}

/// Runs all programs on all inputs, with and without devices.
fn both(
    programs: &[Program],
    inputs: &[(usize, Vec<i8>)],
    fuel: u64,
    devices: &Devices,
) -> [Vec<Vec<Run>>; 2] {
    let limits = Limits { fuel, ..Limits::STANDARD };
    let options = Options { limits, all_demos: true, sharing: true, kernels: true, stop: None };
    let (plan, arena) = (Plan::merge(programs), Arena::new(limits.caps));
    [None, Some(devices)].map(|devices| {
        let prepared = Prepared::new(&plan, &arena, &options).helped_by(devices, limits.caps);
        let pictures = inputs.iter().map(|(width, cells)| Picture { width: *width, cells });
        let job = Job {
            samples: Vec::new(),
            inputs: pictures.map(|input| Input { input, must_give: None }).collect(),
            programs: (0..programs.len() as u32).map(ProgramId).collect(),
        };
        prepared.run(&job, &options, &mut Scratch::new(limits))
    })
}

#[test]
fn random_programs_are_the_same_with_devices() {
    let Some(devices) = patient_pocl() else { return };
    let mut random = Rng::of(1, "plans with devices", 0);
    for _ in 0..8 {
        let programs: Vec<Program> = (0..40).map(|number| program(&mut random, number)).collect();
        let mut inputs: Vec<(usize, Vec<i8>)> = (0..6).map(|_| grid(&mut random)).collect();
        // Devices cannot hold these.
        inputs.extend([(40, vec![1; 80]), (2, vec![20, 1])]);
        let [alone, _] = both(&programs, &inputs, Limits::STANDARD.fuel, &devices);
        let most = alone.iter().flatten().map(|run| run.fuel).max().unwrap_or(0);
        for fuel in [Limits::STANDARD.fuel, most, most / 2, most / 5, most / 20, 300, 40, 0] {
            let [alone, helped] = both(&programs, &inputs, fuel, &devices);
            for (program, (alone, helped)) in programs.iter().zip(alone.iter().zip(&helped)) {
                for (input, (alone, helped)) in inputs.iter().zip(alone.iter().zip(helped)) {
                    assert_eq!(alone, helped, "fuel {fuel}, {input:?}\n{}", batt_lang::print(program));
                }
            }
        }
    }
    let report = &devices.reports()[0];
    assert_eq!(report.lost, None);
    assert!(report.used > 1_000, "{report:?}");
}
