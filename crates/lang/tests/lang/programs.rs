//! Texts that are accepted, and their programs.

use expect_test::expect;

use crate::check::{check_bytes, check_different, check_parse, check_same, check_types, only};

#[test]
fn a_program_is_a_graph_of_calls() {
    check_parse(
        "
def solve_1(I):
    x1 = hmirror(I)
    x2 = vconcat(x1, I)
    O = upscale(x2, TWO)
    return O
",
        expect![[r#"
            solve_1:
            %0 = input
            %1 = hmirror %0          ; x1
            %2 = vconcat %1 %0       ; x2
            %3 = const 2
            %4 = upscale %2 %3       ; O
        "#]],
    );
}

#[test]
fn unneeded_lines_are_dropped_and_equal_lines_merged() {
    check_parse(
        "
def f(I):
    unused = hmirror(I)
    a = vmirror(I)
    b = vmirror(I)
    c = a
    return hconcat(a, b)
",
        expect![[r#"
            f:
            %0 = input
            %1 = vmirror %0          ; a b c
            %2 = hconcat %1 %1
        "#]],
    );
}

#[test]
fn arguments_come_before_calls_and_the_callee_first() {
    check_parse(
        "
def f(I):
    late = height(I)
    early = width(I)
    f = branch(T, increment, decrement)
    return astuple(f(early), (late, I, 7))
",
        expect![[r#"
            f:
            %0 = const True
            %1 = prim increment
            %2 = prim decrement
            %3 = branch %0 %1 %2     ; f
            %4 = input
            %5 = width %4            ; early
            %6 = apply %3 %5
            %7 = height %4           ; late
            %8 = const 7
            %9 = tuple %7 %4 %8
            %10 = astuple %6 %9
        "#]],
    );
}

#[test]
fn literals_are_one_constant() {
    check_parse(
        "
def f(I):
    pair = (1, -2)
    return astuple((pair, None, (True,), ()), (0x_ff, 0o17, 0b101, 1_000, 00, -9223372036854775808))
",
        expect![[r#"
            f:
            %0 = const ((1, -2), None, (True,), ())
            %1 = const (255, 15, 5, 1000, 0, -9223372036854775808)
            %2 = astuple %0 %1
        "#]],
    );
}

#[test]
fn named_constants_are_their_values() {
    check_same(&[
        "def f(I): return astuple(astuple(ZERO, T), UP)",
        "def f(I): return astuple(astuple(0, True), (-1, 0))",
        "def f(I): return astuple(astuple(BLACK, T), (NEG_ONE, F0))",
    ]);
    check_different(&["def f(I): return T", "def f(I): return ONE", "def f(I): return None"]);
}

#[test]
fn aliases_are_their_primitives() {
    check_same(&["def f(I): return c_branch(T, I, I)", "def f(I): return branch(T, I, I)"]);
}

#[test]
fn a_primitive_in_a_variable_is_called_directly() {
    check_same(&["def f(I): return hmirror(I)", "def f(I):\n    g = hmirror\n    return g(I)"]);
}

#[test]
fn keywords_are_positions() {
    check_same(&[
        "def f(I): return crop(I, ORIGIN, (1, 2))",
        "def f(I): return crop(dims=(1, 2), grid=I, start=ORIGIN)",
        "def f(I): return crop(I, dims=(1, 2), start=ORIGIN)",
    ]);
    check_same(&["def f(I): return branch(T, 1, 2)", "def f(I): return branch(T, else_value=2, if_value=1)"]);
}

#[test]
fn programs_do_not_depend_on_how_they_are_written() {
    check_same(&[
        "def f(I):\n    return hconcat(hmirror(I), vmirror(I))\n",
        "def other(grid): return hconcat(hmirror(grid), vmirror(grid))",
        "def f(S, I, C):\n\ta = hmirror(I)\n\tb = vmirror(I)\n\treturn hconcat(a, b)",
        "def f(I):\r\n  b = vmirror(I); a = hmirror(I)\r\n  return hconcat(\r\na,\r\n     b  )\r\n",
        "def f(I: Grid) -> Grid:\n    'doc'\n    a: Grid = hmirror(I)  # comment\n    return (hconcat)((a), vmirror(I),)",
        "def f(I):\r    return hconcat \\\r    (hmirror(I), \\\r vmirror(I))\r",
        "\u{feff}def f(C, I): return hconcat(hmirror(I), vmirror(I)) ;",
    ]);
    check_different(&[
        "def f(I): return hconcat(hmirror(I), vmirror(I))",
        "def f(I): return hconcat(vmirror(I), hmirror(I))",
        "def f(I): return vconcat(hmirror(I), vmirror(I))",
        "def f(I): return hmirror(I)",
        "def f(I): return hmirror",
        "def f(I): return I",
        "def f(S, I, C): return S",
        "def f(I): return (I,)",
        "def f(I): return ((I,),)",
        "def f(I): return (I, I)",
        "def f(I): return ()",
        "def f(I): return ((),)",
    ]);
}

#[test]
fn parameters_by_position_and_by_name() {
    check_parse(
        "
def one(anything): return anything
def three(a, b, c): return (a, b, c)
def named(I, S): return (I, S)
def context(C, I): return (C, I)
",
        expect![[r#"
            one:
            %0 = input

            three:
            %0 = samples
            %1 = input
            %2 = const None
            %3 = tuple %0 %1 %2

            named:
            %0 = input
            %1 = samples
            %2 = tuple %0 %1

            context:
            %0 = const None
            %1 = input
            %2 = tuple %0 %1
        "#]],
    );
}

#[test]
fn python_scoping() {
    // Locals hide primitives and constants in the whole function.
    check_parse(
        "
def f(T):
    size = height(T)
    ZERO = size
    return increment(ZERO)
",
        expect![[r#"
            f:
            %0 = input
            %1 = height %0           ; size ZERO
            %2 = increment %1
        "#]],
    );
}

#[test]
fn everything_else_that_python_ignores() {
    check_parse(
        r#"#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""A module
docstring: def g(I): return I
"""
from __future__ import annotations
import os, sys; import re
from dsl import (
    hmirror,  # one
    vmirror,
)
from constants import *
pass

def f(I: "Grid", ) -> Callable[[Dict[str, (int, ...)]], "Grid"]:
    r'''A docstring
at any column
'''
    import math
    declared: int
    pass
    "a string " 'alone'
    x: Tuple[int, ...] = height(I,)
    hmirror(I)
    return x
    # a comment at the end of the body

# and one between


def g(I): pass; return (  # brackets go on
  # over lines
    I

  )
"#,
        expect![[r#"
            f:
            %0 = input
            %1 = height %0           ; x

            g:
            %0 = input
        "#]],
    );
}

#[test]
fn tuples_without_brackets() {
    check_same(&[
        "def f(I): return I, 1,",
        "def f(I):\n    x = I, 1\n    return x",
        "def f(I): return (I, 1)",
    ]);
    check_same(&["def f(I): return I,", "def f(I): return (I,)"]);
}

#[test]
fn statements_after_the_first_return_have_no_effect() {
    check_parse(
        "def f(I):\n    return I\n    return hmirror(I)\n",
        expect![[r#"
        f:
        %0 = input
    "#]],
    );
}

#[test]
fn a_return_without_a_value_returns_none() {
    check_parse(
        "def f(I):\n    return\n",
        expect![[r#"
        f:
        %0 = const None
    "#]],
    );
}

#[test]
fn any_expression_can_be_called() {
    check_parse(
        "
def f(I):
    g = compose(hmirror, vmirror)
    return lbind(rbind, hconcat)(I)(g(I))
",
        expect![[r#"
            f:
            %0 = prim rbind
            %1 = prim hconcat
            %2 = lbind %0 %1
            %3 = input
            %4 = apply %2 %3
            %5 = prim hmirror
            %6 = prim vmirror
            %7 = compose %5 %6       ; g
            %8 = apply %7 %3
            %9 = apply %4 %8
        "#]],
    );
}

#[test]
fn types_follow_the_declarations() {
    check_types(
        "
def f(S, I, C):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = sfilter(x1, x4)
    x6 = apply(normalize, x1)
    x7 = lbind(shift, x2)
    x8 = x7(DOWN)
    x9 = branch(T, I, x2)
    x10 = branch(T, ONE, UP)
    x11 = (x1, x5)
    x12 = identity(x6)
    x13 = fork(astuple, height, width)
    x14 = fork(x13, x13, x13)
    return (x8, x9, x10, x11, x12, x13(I), S, C, (1, (2, 3)), (), first(x6), (x14, x14))
",
        expect![[r#"
            f:
            %0: (Patch, Pair) -> Patch = prim shift
            %1: Grid = input
            %2: Bool = const True
            %3: Bool = const False
            %4: Set<Object> = objects %1 %2 %3 %2 ; x1
            %5: (Container<Any>) -> Int = prim size
            %6: Object = argmax %4 %5 ; x2
            %7: (Pair) -> Patch = lbind %0 %6 ; x7
            %8: Pair = const (1, 0)
            %9: Patch = apply %7 %8  ; x8
            %10: Element = branch %2 %1 %6 ; x9
            %11: Int = const 1
            %12: Pair = const (-1, 0)
            %13: Num = branch %2 %11 %12 ; x10
            %14: (Bool) -> Bool = prim flip
            %15: (Patch, Grid) -> Bool = prim bordering
            %16: (Patch) -> Bool = rbind %15 %1 ; x3
            %17: (Patch) -> Bool = compose %14 %16 ; x4
            %18: Set<Object> = sfilter %4 %17 ; x5
            %19: Tuple<Set<Object>> = tuple %4 %18 ; x11
            %20: (Patch) -> Patch = prim normalize
            %21: Container<Patch> = apply %20 %4 ; x6
            %22: Container<Patch> = identity %21 ; x12
            %23: (Any, Any) -> Tuple<Any> = prim astuple
            %24: (Piece) -> Int = prim height
            %25: (Piece) -> Int = prim width
            %26: (Piece) -> Tuple<Any> = fork %23 %24 %25 ; x13
            %27: Tuple<Any> = apply %26 %1
            %28: Samples = samples
            %29: None = const None
            %30: Cell = const (1, (2, 3))
            %31: Tuple<Any> = const ()
            %32: Patch = first %21
            %33: (Piece) -> Any = fork %26 %26 %26 ; x14
            %34: Tuple<(Piece) -> Any> = tuple %33 %33
            %35: Tuple<Any> = tuple %9 %10 %13 %19 %22 %27 %28 %29 %30 %31 %32 %34
        "#]],
    );
}

#[test]
fn constants_do_not_explode() {
    let mut text = "def f(I):\n    x0 = (1, 2)\n".to_owned();
    for i in 0..60 {
        text += &format!("    x{} = (x{i}, x{i})\n", i + 1);
    }
    text += "    return x60\n";
    let program = only(&text);
    assert!(program.nodes().len() < 60);
    crate::check::reprinted(&program);

    let mut text = "def f(I):\n    x0 = 1\n".to_owned();
    for i in 0..1000 {
        text += &format!("    x{} = (x{i},)\n", i + 1);
    }
    text += "    return x1000\n";
    crate::check::reprinted(&only(&text));
}

#[test]
fn a_program_knows_its_source() {
    let program = only("import x\n\ndef f(I):\n    a = height(\n        I)\n    return double(a)\n\n# end\n");
    assert_eq!(program.source(), "def f(I):\n    a = height(\n        I)\n    return double(a)");
    assert_eq!((program.span().start, program.line()), (10, 3));
    let lines: Vec<_> = program.nodes().iter().map(|node| program.source_line(node.span)).collect();
    assert_eq!(lines, [(3, "def f(I):"), (4, "    a = height("), (6, "    return double(a)")]);
    let lines: Vec<_> = program.nodes().iter().map(|node| node.line).collect();
    assert_eq!(lines, [3, 4, 6]);
    let names: Vec<_> = program.nodes().iter().map(|node| node.name()).collect();
    assert_eq!(names, [None, Some("a"), None]);
    assert!(!program.needs_samples());
}

#[test]
fn parsing_ends_at_bytes_that_are_not_utf8() {
    check_bytes(
        b"def a(I): return I\ndef b(I):\n    x = I # caf\xe9\n    return x\ndef c(I): return I\n",
        expect![[r#"
            programs: a
            error: the text is not UTF-8
              ╭─ test.py:3:16
            3 │     x = I # caf�
              │                ^ invalid byte
              ╰─ the text after this byte was not read
        "#]],
    );
    check_bytes(
        b"def a(I):\n    return I\n\xff\ndef c(I): return I\n",
        expect![[r#"
        programs: a
        error: the text is not UTF-8
          ╭─ test.py:3:1
        3 │ �
          │ ^ invalid byte
          ╰─ the text after this byte was not read
    "#]],
    );
    check_bytes(
        b"def a(I):\n    return I\n  \xff\n",
        expect![[r#"
        programs: 
        error: the text is not UTF-8
          ╭─ test.py:3:3
        3 │   �
          │   ^ invalid byte
          ╰─ the text after this byte was not read
    "#]],
    );
    check_bytes(
        b"def a(I):\n    return I\n\"\"\" text \xff\n",
        expect![[r#"
        programs: a
        error: the text is not UTF-8
          ╭─ test.py:3:10
        3 │ """ text �
          │          ^ invalid byte
          ╰─ the text after this byte was not read
    "#]],
    );
    check_bytes(
        b"\xef\xbb\xbfdef a(I): return I\n\xe2\x82",
        expect![[r#"
        programs: a
        error: the text is not UTF-8
          ╭─ test.py:2:1
        2 │ �
          │ ^ invalid byte
          ╰─ the text after this byte was not read
    "#]],
    );
}
