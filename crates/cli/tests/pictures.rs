//! Pictures on the terminal: `batt eval --trace` and `batt show`, with the colours that the terminal has.

mod batt;

use batt::Batt;
use expect_test::{Expect, expect};

const TRUE: [(&str, &str); 2] = [("COLORTERM", "truecolor"), ("TERM", "xterm-256color")];
const INDEXED: [(&str, &str); 1] = [("TERM", "xterm-256color")];
const SIXTEEN: [(&str, &str); 1] = [("TERM", "linux")];

const PROGRAM: &str = "\
def solve_small(I):
    seen = objects(I, T, F, T)
    largest = argmax(seen, size)
    places = toindices(largest)
    n = size(places)
    filled = fill(I, n, places)
    parts = hsplit(filled, TWO)
    odd = replace(first(parts), ZERO, NEG_ONE)
    return hconcat(filled, odd)
def flip(I):
    return vmirror(I)
";

fn small(test: &str) -> Batt {
    Batt::new(test).file("grid.json", "[[1, 0, 0, 2], [1, 0, 0, 0]]").file("p.py", PROGRAM).file(
        "small.json",
        r#"{"train": [{"input": [[1, 0], [0, 2]], "output": [[0, 1], [2, 3]]}], "test": []}"#,
    )
}

/// Writes escape sequences as `<parameters>`.
fn readable(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        let (parameters, rest) = piece.split_once('m').expect("a colour");
        format!("{text}<{parameters}>{rest}")
    })
}

fn check(batt: &Batt, args: &str, variables: &[(&str, &str)], expected: Expect) {
    expected.assert_eq(&readable(&batt.run_in_colors(args, variables)));
}

#[test]
fn a_trace_draws_grids_objects_and_indices() {
    let batt = small("pictures-trace");
    let args = "eval {dir}/p.py:solve_small {dir}/grid.json --trace";
    check(
        &batt,
        args,
        &TRUE,
        expect![[r#"
            input (fuel 188)
                 2 │ seen = 2 objects        3 │ largest = object of 2 cells        4 │ places = 2 indices
                   │ <0;48;2;0;116;217>  <0;2>· · <0;48;2;255;65;54>  <0>                  │ <0;48;2;0;116;217>  <0;2>· · · <0>                             │ ▒▒<0;2>· · · <0>
                   │ <0;48;2;0;116;217>  <0;2>· · · <0>                  │ <0;48;2;0;116;217>  <0;2>· · · <0>                             │ ▒▒<0;2>· · · <0>

                 5 │ n = 2
                 6 │ filled = 2×4 grid        7 │ parts = 2 grids        8 │ first = 2×2 grid
                   │ <0;48;2;255;65;54>  <0;48;2;0;0;0>    <0;48;2;255;65;54>  <0>                   │ <0;48;2;255;65;54>  <0;48;2;0;0;0>  <0>   <0;48;2;0;0;0>  <0;48;2;255;65;54>  <0>              │ <0;48;2;255;65;54>  <0;48;2;0;0;0>  <0>
                   │ <0;48;2;255;65;54>  <0;48;2;0;0;0>      <0>                   │ <0;48;2;255;65;54>  <0;48;2;0;0;0>  <0>   <0;48;2;0;0;0>    <0>              │ <0;48;2;255;65;54>  <0;48;2;0;0;0>  <0>

                 8 │ odd = 2×2 grid        9 │ hconcat = 2×6 grid
                   │ <0;48;2;255;65;54>  <0>-1                    │ <0;48;2;255;65;54>  <0;48;2;0;0;0>    <0;48;2;255;65;54>    <0>-1
                   │ <0;48;2;255;65;54>  <0>-1                    │ <0;48;2;255;65;54>  <0;48;2;0;0;0>      <0;48;2;255;65;54>  <0>-1

            input      answer
            <0;48;2;0;116;217>  <0;48;2;0;0;0>    <0;48;2;255;65;54>  <0>   <0;48;2;255;65;54>  <0;48;2;0;0;0>    <0;48;2;255;65;54>    <0>-1
            <0;48;2;0;116;217>  <0;48;2;0;0;0>      <0>   <0;48;2;255;65;54>  <0;48;2;0;0;0>      <0;48;2;255;65;54>  <0>-1

            exit 0
        "#]],
    );
    check(
        &batt,
        args,
        &INDEXED,
        expect![[r#"
            input (fuel 188)
                 2 │ seen = 2 objects        3 │ largest = object of 2 cells        4 │ places = 2 indices
                   │ <0;48;5;32>  <0;2>· · <0;48;5;203>  <0>                  │ <0;48;5;32>  <0;2>· · · <0>                             │ ▒▒<0;2>· · · <0>
                   │ <0;48;5;32>  <0;2>· · · <0>                  │ <0;48;5;32>  <0;2>· · · <0>                             │ ▒▒<0;2>· · · <0>

                 5 │ n = 2
                 6 │ filled = 2×4 grid        7 │ parts = 2 grids        8 │ first = 2×2 grid
                   │ <0;48;5;203>  <0;48;5;16>    <0;48;5;203>  <0>                   │ <0;48;5;203>  <0;48;5;16>  <0>   <0;48;5;16>  <0;48;5;203>  <0>              │ <0;48;5;203>  <0;48;5;16>  <0>
                   │ <0;48;5;203>  <0;48;5;16>      <0>                   │ <0;48;5;203>  <0;48;5;16>  <0>   <0;48;5;16>    <0>              │ <0;48;5;203>  <0;48;5;16>  <0>

                 8 │ odd = 2×2 grid        9 │ hconcat = 2×6 grid
                   │ <0;48;5;203>  <0>-1                    │ <0;48;5;203>  <0;48;5;16>    <0;48;5;203>    <0>-1
                   │ <0;48;5;203>  <0>-1                    │ <0;48;5;203>  <0;48;5;16>      <0;48;5;203>  <0>-1

            input      answer
            <0;48;5;32>  <0;48;5;16>    <0;48;5;203>  <0>   <0;48;5;203>  <0;48;5;16>    <0;48;5;203>    <0>-1
            <0;48;5;32>  <0;48;5;16>      <0>   <0;48;5;203>  <0;48;5;16>      <0;48;5;203>  <0>-1

            exit 0
        "#]],
    );
    check(
        &batt,
        args,
        &SIXTEEN,
        expect![[r#"
            input (fuel 188)
                 2 │ seen = 2 objects        3 │ largest = object of 2 cells        4 │ places = 2 indices
                   │ <0;44>  <0;2>· · <0;101>  <0>                  │ <0;44>  <0;2>· · · <0>                             │ ▒▒<0;2>· · · <0>
                   │ <0;44>  <0;2>· · · <0>                  │ <0;44>  <0;2>· · · <0>                             │ ▒▒<0;2>· · · <0>

                 5 │ n = 2
                 6 │ filled = 2×4 grid        7 │ parts = 2 grids        8 │ first = 2×2 grid
                   │ <0;101>  <0;40>    <0;101>  <0>                   │ <0;101>  <0;40>  <0>   <0;40>  <0;101>  <0>              │ <0;101>  <0;40>  <0>
                   │ <0;101>  <0;40>      <0>                   │ <0;101>  <0;40>  <0>   <0;40>    <0>              │ <0;101>  <0;40>  <0>

                 8 │ odd = 2×2 grid        9 │ hconcat = 2×6 grid
                   │ <0;101>  <0>-1                    │ <0;101>  <0;40>    <0;101>    <0>-1
                   │ <0;101>  <0>-1                    │ <0;101>  <0;40>      <0;101>  <0>-1

            input      answer
            <0;44>  <0;40>    <0;101>  <0>   <0;101>  <0;40>    <0;101>    <0>-1
            <0;44>  <0;40>      <0>   <0;101>  <0;40>      <0;101>  <0>-1

            exit 0
        "#]],
    );
}

#[test]
fn no_color_means_plain_text() {
    let batt = small("pictures-plain");
    for args in [
        "eval {dir}/p.py:solve_small {dir}/grid.json --trace",
        "show {dir}/small.json --program {dir}/p.py:flip",
    ] {
        let plain = batt.run(args);
        assert!(!plain.contains('\x1b'), "{plain}");
        let variables = [("NO_COLOR", "1"), ("COLORTERM", "truecolor")];
        assert_eq!(batt.run_in_colors(args, &variables), plain, "{args}");
        assert_ne!(batt.run_in_colors(args, &TRUE), plain, "{args}");
    }
}

#[test]
fn large_grids_have_small_cells() {
    let row = |color: usize| format!("[{}]", vec![color.to_string(); 30].join(","));
    let grid = |colors: [usize; 2]| {
        let rows: Vec<String> = (0..30).map(|i| row(colors[i % 2])).collect();
        format!("[{}]", rows.join(","))
    };
    let batt = Batt::new("pictures-large").file("grid.json", grid([1, 2])).file(
        "p.py",
        "def f(I):\n    a = hmirror(I)\n    b = vmirror(a)\n    c = rot90(b)\n    return hconcat(I, c)\n",
    );
    let output = readable(&batt.run_in_colors("eval {dir}/p.py {dir}/grid.json --trace", &INDEXED));
    // Two grids of 30 columns and their line numbers fit in 100 characters, and two rows are one line.
    let lines: Vec<&str> = output.lines().collect();
    assert!(lines[1].contains("a = 30×30 grid") && lines[1].contains("b = 30×30 grid"), "{output}");
    assert!(lines[2].contains("<0;38;5;203;48;5;32>▀▀▀"), "{output}");
    let next = lines.iter().position(|line| line.contains("c = 30×30 grid"));
    assert_eq!(next, Some(1 + 1 + 15 + 1), "{output}");
    // The input and an answer of 60 columns fit only with small cells.
    assert!(
        output.contains("\ninput                            answer\n<0;38;5;32;48;5;203>▀▀▀"),
        "{output}"
    );
}

#[test]
fn long_values_are_wrapped() {
    let batt = Batt::new("pictures-long").file("grid.json", "[[1]]").file(
        "p.py",
        "def f(I):\n    x = interval(ZERO, multiply(TEN, TEN), ONE)\n    return canvas(first(x), UNITY)\n",
    );
    check(
        &batt,
        "eval {dir}/p.py {dir}/grid.json --trace",
        &INDEXED,
        expect![[r#"
            input (fuel 118)
                 2 │ multiply = 100
                 2 │ x = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                   │   23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44,
                   │   45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66,
                   │   67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, …
                 3 │ first = 0
                 3 │ canvas = 1×1 grid
                   │ <0;48;5;16>  <0>

            input   answer
            <0;48;5;32>  <0>      <0;48;5;16>  <0>

            exit 0
        "#]],
    );
}

#[test]
fn show_uses_the_same_colours() {
    let batt = small("pictures-show");
    let args = "show {dir}/small.json --program {dir}/p.py:flip --digits";
    check(
        &batt,
        args,
        &TRUE,
        expect![[r#"
            small: flip is right on 0 of 1 pair

            train 0: 1 of 4 cells differ
            input   expected   answer
            <0;48;2;0;116;217;38;2;255;255;255>1 <0;48;2;0;0;0;38;2;255;255;255>0 <0>    <0;48;2;0;0;0;38;2;255;255;255>0 <0;48;2;0;116;217;38;2;255;255;255>1 <0>       <0;48;2;0;0;0;38;2;255;255;255>0 <0;48;2;0;116;217;38;2;255;255;255>1 <0>
            <0;48;2;0;0;0;38;2;255;255;255>0 <0;48;2;255;65;54;38;2;255;255;255>2 <0>    <0;48;2;255;65;54;38;2;255;255;255>2 <0;48;2;46;204;64;38;2;0;0;0>3 <0>       <0;48;2;255;65;54;38;2;255;255;255>2 <0;48;2;0;0;0;38;2;255;255;255>0<<0>

            >< marks a cell that differs
            exit 1
        "#]],
    );
    check(
        &batt,
        args,
        &SIXTEEN,
        expect![[r#"
            small: flip is right on 0 of 1 pair

            train 0: 1 of 4 cells differ
            input   expected   answer
            <0;44;97>1 <0;40;97>0 <0>    <0;40;97>0 <0;44;97>1 <0>       <0;40;97>0 <0;44;97>1 <0>
            <0;40;97>0 <0;101;97>2 <0>    <0;101;97>2 <0;42;30>3 <0>       <0;101;97>2 <0;40;97>0<<0>

            >< marks a cell that differs
            exit 1
        "#]],
    );
}

/// `batt` on a real pseudo-terminal, which `script` of util-linux makes.
#[cfg(target_os = "linux")]
mod on_a_terminal {
    use std::process::{Command, Stdio};

    use super::*;

    fn run(batt: &Batt, args: &str, columns: u32, variables: &[(&str, &str)]) -> Option<String> {
        let args = args.replace("{dir}", batt.path("").to_str().unwrap().trim_end_matches('/'));
        let line = format!("stty cols {columns} rows 40; {} {args}", env!("CARGO_BIN_EXE_batt"));
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--command", &line]).arg(batt.path("typescript"));
        command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        for name in ["CI", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "NO_COLOR"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied()).stdin(Stdio::null());
        let Ok(output) = command.output() else {
            batt_testkit::skipped("there is no `script` command", "apt-get install bsdutils");
            return None;
        };
        Some(String::from_utf8(output.stdout).unwrap().replace('\r', ""))
    }

    #[test]
    fn the_number_of_colours_and_columns_is_respected() {
        let batt = small("pictures-terminal");
        let args = "eval {dir}/p.py:solve_small {dir}/grid.json --trace";
        let Some(wide) = run(&batt, args, 100, &INDEXED) else { return };
        assert!(wide.contains("\x1b[0;48;5;32m") && !wide.contains(";2;"), "{wide:?}");
        assert_eq!(format!("{wide}exit 0\n"), batt.run_in_colors(args, &INDEXED));

        let narrow = run(&batt, args, 30, &TRUE).unwrap();
        assert!(narrow.contains("\x1b[0;48;2;0;116;217m"), "{narrow:?}");
        let titles = |text: &str| text.lines().filter(|line| line.contains(" = ")).count();
        assert!(titles(&narrow) > titles(&wide), "{narrow}\n{wide}");
        let widths = readable(&narrow);
        let visible = widths.lines().map(|line| {
            let pieces = line.split('<').map(|it| it.split_once('>').map_or(it, |(_, rest)| rest));
            pieces.map(|piece| piece.chars().count()).sum::<usize>()
        });
        assert!(visible.max() <= Some(30), "{widths}");

        let plain = run(&batt, args, 100, &[("TERM", "xterm"), ("NO_COLOR", "1")]).unwrap();
        assert_eq!(format!("{plain}exit 0\n"), batt.run(args));
        let dumb = run(&batt, args, 100, &[("TERM", "dumb")]).unwrap();
        assert_eq!(dumb, plain);
    }
}
