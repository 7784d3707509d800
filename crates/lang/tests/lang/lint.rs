//! Warnings about types. Programs that work get none.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use batt_dsl::{Cx, Primitive, Ty, registry, symbol};
use batt_lang::{Options, Problem, Severity, parse_bytes, parse_bytes_with};
use batt_testkit::skipped;
use batt_value::{Arena, Caps, parse};
use expect_test::expect;
use serde_json::Value as Json;

use crate::check::check_lints;

#[test]
fn sets_of_objects_are_not_patches() {
    check_lints(
        "
def f(I):
    x1 = objects(I, T, F, T)
    return subgrid(x1, I)

def g(I): return vmirror(objects(I, T, F, T))

def h(I): return paint(obj=objects(I, T, F, T), grid=I)
",
        expect![[r#"
            warning: `subgrid` expects Patch for `patch`, not Set<Object>
              ╭─ test.py:4:20
            4 │     return subgrid(x1, I)
              │                    ^^ use `merge(x1)` for all of them, `first(x1)` for one

            warning: `vmirror` expects Piece for `piece`, not Set<Object>
              ╭─ test.py:6:26
            6 │ def g(I): return vmirror(objects(I, T, F, T))
              │                          ^^^^^^^^^^^^^^^^^^^ use `merge(…)` for all of them, `first(…)` for one

            warning: `paint` expects Object for `obj`, not Set<Object>
              ╭─ test.py:8:28
            8 │ def h(I): return paint(obj=objects(I, T, F, T), grid=I)
              │                            ^^^^^^^^^^^^^^^^^^^ use `merge(…)` for all of them, `first(…)` for one
              ╰─ the call fails, or has no effect if there are no objects
        "#]],
    );
}

#[test]
fn options_of_other_learners_are_not_options() {
    check_lints(
        "
def f(S, I, C):
    rule = learn_cells(S, HIDDEN, F0)
    return rule(I)

def g(S, I, C):
    rule = learn_after(S, 17, rbind(learn_split, F0))
    return rule(I)

def h(I): return view(I, NEAR)

def fine(S, I, C):
    rule = learn_in_box(S, RED, rbind(rbind(learn_cells, F0), NEAR))
    return rule(view(I, TRANSPOSED))
",
        expect![[r#"
            warning: `HIDDEN` is not an option of `learn_cells`
              ╭─ test.py:3:27
            3 │     rule = learn_cells(S, HIDDEN, F0)
              │                           ^^^^^^ `batt dsl show learn_cells` lists the options

            warning: `17` is not an option of `learn_after`
              ╭─ test.py:7:27
            7 │     rule = learn_after(S, 17, rbind(learn_split, F0))
              │                           ^^ `batt dsl show learn_after` lists the options

            warning: `NEAR` is not an option of `view`
               ╭─ test.py:10:26
            10 │ def h(I): return view(I, NEAR)
               │                          ^^^^ `batt dsl show view` lists the options
        "#]],
    );
}

#[test]
fn results_that_are_not_grids() {
    check_lints(
        "
def f(I): return size(I)
def g(I): return objects(I, T, F, T)
def h(I): return argmax(objects(I, T, F, T), size)
def i(I): return hsplit(I, TWO)
def j(I): return compose(hmirror, vmirror)
def k(I): return ofcolor(I, RED)
def none(I): return None
",
        expect![[r#"
            warning: the answer is Int, not a grid
              ╭─ test.py:2:18
            2 │ def f(I): return size(I)
              │                  ^^^^^^^ `canvas(color, UNITY)` makes a grid of one cell

            warning: the answer is Set<Object>, not a grid
              ╭─ test.py:3:18
            3 │ def g(I): return objects(I, T, F, T)
              │                  ^^^^^^^^^^^^^^^^^^^ `paint(I, merge(objects))` draws them on the input, `first` takes one

            warning: the answer is Object, not a grid
              ╭─ test.py:4:18
            4 │ def h(I): return argmax(objects(I, T, F, T), size)
              │                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `paint(I, object)` draws it on the input, `subgrid(object, I)` cuts it out

            warning: the answer is Tuple<Grid>, not a grid
              ╭─ test.py:5:18
            5 │ def i(I): return hsplit(I, TWO)
              │                  ^^^^^^^^^^^^^^ `first` takes one of them, `hconcat` and `vconcat` join them

            warning: the answer is (Piece) -> Piece, not a grid
              ╭─ test.py:6:18
            6 │ def j(I): return compose(hmirror, vmirror)
              │                  ^^^^^^^^^^^^^^^^^^^^^^^^^ call it

            warning: the answer is Indices, not a grid
              ╭─ test.py:7:18
            7 │ def k(I): return ofcolor(I, RED)
              │                  ^^^^^^^^^^^^^^^ `fill(I, color, indices)` draws it on the input

            warning: the answer is None, not a grid
              ╭─ test.py:8:21
            8 │ def none(I): return None
              │                     ^^^^
        "#]],
    );
}

#[test]
fn calls_that_may_succeed_get_no_warning() {
    for line in [
        // There may be no such objects.
        "fill(I, RED, colorfilter(objects(I, T, F, T), TEN))",
        "fill(I, RED, toindices(objects(I, T, F, T)))",
        // A set of two cells can be unpacked like one cell.
        "canvas(first(palette(objects(I, T, F, F))), UNITY)",
        // Rows of a grid can be anything.
        "hmirror(order(objects(I, T, F, T), size))",
        "mapply(identity, apply(identity, I))",
        "first(())",
        "merge(())",
        "merge(I)",
    ] {
        let text = format!("def f(I): return {line}");
        let about_types = lints(&text).into_iter().find(|lint| lint.message.contains(" expects "));
        assert_eq!(about_types, None);
    }
}

#[test]
fn nothing_is_certain_after_a_warning() {
    check_lints(
        "
def f(I):
    x1 = vmirror(objects(I, T, F, F))
    return hmirror(x1)
",
        expect![[r#"
            warning: `vmirror` expects Piece for `piece`, not Set<Object>
              ╭─ test.py:3:18
            3 │     x1 = vmirror(objects(I, T, F, F))
              │                  ^^^^^^^^^^^^^^^^^^^ use `merge(…)` for all of them, `first(…)` for one
        "#]],
    );
}

/// Returns the warnings that only linting adds.
fn lints(text: &str) -> Vec<Problem> {
    let all = parse_bytes_with(text.as_bytes(), Options { lint: true, ..Options::default() });
    let plain = parse_bytes(text.as_bytes());
    assert_eq!(all.n_errors, plain.n_errors);
    let lints = all.problems.into_iter().filter(|problem| !plain.problems.contains(problem));
    let lints: Vec<_> = lints.collect();
    assert_eq!(all.n_warnings, plain.n_warnings + lints.len());
    assert!(lints.iter().all(|problem| problem.severity == Severity::Warning));
    lints
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_grid(json: &Json) -> bool {
    let is_row = |row: &Json| {
        row.as_array().is_some_and(|row| !row.is_empty() && row.iter().all(serde_json::Value::is_i64))
    };
    json.as_array().is_some_and(|rows| !rows.is_empty() && rows.iter().all(is_row))
}

/// Returns the number of warnings about the programs of a vector file. Programs that succeed, or whose result is a grid,
/// must have none.
fn check_vectors(reader: impl Read) -> usize {
    let mut n_warnings = 0;
    for line in BufReader::new(reader).lines().skip(1) {
        let json: Json = serde_json::from_str(&line.unwrap()).unwrap();
        let text = json["program"].as_str().unwrap();
        let outputs = || json["cases"].as_array().unwrap().iter().map(|case| &case["output"]);
        let has_value = outputs().any(|output| output.get("error").is_none());
        for warning in lints(text) {
            n_warnings += 1;
            let about_answer = warning.message.starts_with("the answer");
            let works = if about_answer { outputs().any(is_grid) } else { has_value };
            assert!(!works, "{}", warning.render("vector.py", text, false));
        }
    }
    n_warnings
}

#[test]
fn working_programs_of_the_vectors_have_no_warnings() {
    let mut n_warnings = 0;
    for name in ["random-1", "random-2", "deep-3"] {
        let packed = root().join(format!("crates/testkit/vectors/{name}.jsonl.gz"));
        n_warnings += check_vectors(flate2::read::GzDecoder::new(std::fs::File::open(packed).unwrap()));
    }
    assert!(n_warnings > 1000, "only {n_warnings} warnings");
    let shared = root().join("../shared/conformance");
    match std::fs::read_dir(&shared) {
        Ok(files) => {
            let paths = files.map(|file| file.unwrap().path());
            for path in paths.filter(|path| path.extension().is_some_and(|it| it == "jsonl")) {
                check_vectors(std::fs::File::open(path).unwrap());
            }
        }
        Err(_) => skipped(
            "there is no ../shared/conformance",
            "put vector files (*.jsonl) there, beside the repository",
        ),
    }
}

#[test]
fn programs_of_the_project_have_no_warnings() {
    for file in ["programs/demo.py", "programs/examples.py"] {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        let lints = lints(&text);
        assert!(lints.is_empty(), "{}", lints[0].render(file, &text, false));
    }
    // The specification and the fuzz seeds also have programs whose results are not grids.
    for folder in ["spec", "fuzz/seeds"] {
        for file in std::fs::read_dir(root().join(folder)).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            let code: Vec<_> = text.lines().filter(|line| !line.starts_with("? ")).collect();
            for lint in lints(&code.join("\n")) {
                assert!(
                    lint.message.starts_with("the answer"),
                    "{}",
                    lint.render(folder, &code.join("\n"), false)
                );
            }
        }
    }
}

/// Returns arguments of the right type.
fn arguments(ty: &Ty) -> &'static [&'static str] {
    match ty {
        Ty::Grid => &["[0 1 | 2 3]", "[1]", "[0 0 0 | 1 1 0]"],
        Ty::Pair => &["(1, 1)", "(0, 0)"],
        Ty::Patch | Ty::Object => &["{(1, (0, 0)), (2, (1, 1))}", "{(1, (0, 0))}", "{}"],
        _ => &["1", "0"],
    }
}

/// Returns whether a call succeeds with `wrong` as one argument.
fn gives_value(primitive: &'static Primitive, place: usize, wrong: &str) -> bool {
    let mut calls = vec![Vec::new()];
    for (index, ty) in primitive.types.iter().enumerate() {
        let options = if index == place { vec![wrong] } else { arguments(ty).to_vec() };
        let longer = calls.iter().flat_map(|call| options.iter().map(|arg| [&call[..], &[*arg]].concat()));
        calls = longer.collect();
    }
    calls.iter().any(|call| {
        let arena = Arena::new(Caps::STANDARD);
        let args: Vec<_> = call.iter().map(|arg| parse(arg, &arena, &symbol).unwrap()).collect();
        Cx::new(&arena, 1_000_000, None).call_node(&primitive.symbol, &args).is_ok()
    })
}

/// Sets without tuples in them. Some of the objects have two cells.
const WRONG: [&str; 7] = [
    "{{(1, (0, 0))}}",
    "{{(1, (0, 0)), (2, (0, 1))}}",
    "{{(7, (0, 0)), (9, (0, 1)), (9, (1, 1))}, {(3, (4, 4))}}",
    "{{(0, 0)}}",
    "{{(0, 0), (0, 1)}}",
    "{1}",
    "{0, 2}",
];

/// Returns whether a program that passes `source` to the primitive gets a warning.
fn warns(primitive: &Primitive, place: usize, source: &str) -> bool {
    let args = primitive.types.iter().enumerate().map(|(index, ty)| match ty {
        _ if index == place => source,
        Ty::Grid => "I",
        Ty::Pair => "UNITY",
        Ty::Patch | Ty::Object => "asobject(I)",
        _ => "ONE",
    });
    let args: Vec<_> = args.collect();
    let text = format!("def f(I): return {}({})", primitive.name, args.join(", "));
    lints(&text).iter().any(|lint| lint.message.contains(" expects "))
}

#[test]
fn calls_with_warnings_fail() {
    let mut n_warned = 0;
    for primitive in registry().iter() {
        for (place, declared) in primitive.types.iter().enumerate() {
            if !matches!(declared, Ty::Indices | Ty::Object | Ty::Patch | Ty::Element | Ty::Piece) {
                continue;
            }
            let draws = primitive.types[0] == Ty::Grid && primitive.result == Ty::Grid;
            let fails_on_members = !WRONG.iter().any(|wrong| gives_value(primitive, place, wrong));
            let fails_on_empty = !gives_value(primitive, place, "{}");
            let name = primitive.name;
            // The first source may be empty, the second is not.
            let (maybe_empty, not_empty) = ("sizefilter(objects(I, T, F, T), ONE)", "objects(I, T, F, F)");
            assert_eq!(warns(primitive, place, maybe_empty), fails_on_members && fails_on_empty, "{name}");
            assert_eq!(warns(primitive, place, not_empty), fails_on_members || draws, "{name}");
            n_warned += usize::from(fails_on_members);
        }
    }
    assert!(n_warned > 50, "only {n_warned} parameters");
}
