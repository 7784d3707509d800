//! Every error and warning, as it is printed.

use expect_test::expect;

use crate::check::{all, check_problems, check_refused, problems};

#[test]
fn unknown_names() {
    check_problems(
        "
def f(I):
    x1 = objcts(I, T, F, T)
    x2 = Objects(I, zero, true, x3)
    tall = height(I)
    return astuple(tal, hte)
",
        expect![[r#"
            error: `objcts` is not a primitive
              ╭─ test.py:3:10
            3 │     x1 = objcts(I, T, F, T)
              │          ^^^^^^ did you mean `objects`?

            error: `Objects` is not a primitive
              ╭─ test.py:4:10
            4 │     x2 = Objects(I, zero, true, x3)
              │          ^^^^^^^ did you mean `objects`?

            error: `zero` is not defined
              ╭─ test.py:4:21
            4 │     x2 = Objects(I, zero, true, x3)
              │                     ^^^^ did you mean `ZERO`?

            error: `true` is not defined
              ╭─ test.py:4:27
            4 │     x2 = Objects(I, zero, true, x3)
              │                           ^^^^ did you mean `True`?

            error: `x3` is not defined
              ╭─ test.py:4:33
            4 │     x2 = Objects(I, zero, true, x3)
              │                                 ^^

            error: `tal` is not defined
              ╭─ test.py:6:20
            6 │     return astuple(tal, hte)
              │                    ^^^ did you mean `tall`?

            error: `hte` is not defined
              ╭─ test.py:6:25
            6 │     return astuple(tal, hte)
              │                         ^^^
        "#]],
    );
}

#[test]
fn names_from_elsewhere() {
    check_problems(
        "
def f(I):
    x1 = get_objects(I)
    x2 = rotate(I)
    x3 = np.rot90(I)
    x4 = I.shape
    x5 = dsl.hmirror(x1, bg_color)
    return np.linalg.det(I)
",
        expect![[r#"
            error: `get_objects` is not a primitive
              ╭─ test.py:3:10
            3 │     x1 = get_objects(I)
              │          ^^^^^^^^^^^ did you mean `objects`? Returns the set of connected objects on a grid

            error: `rotate` is not a primitive
              ╭─ test.py:4:10
            4 │     x2 = rotate(I)
              │          ^^^^^^ did you mean `rot90`? Rotates a grid 90 degrees clockwise

            error: `np.rot90`: an attribute is not part of the language
              ╭─ test.py:5:10
            5 │     x3 = np.rot90(I)
              │          ^^^^^^^^ did you mean `rot270`? Rotates a grid 90 degrees counterclockwise

            error: `I.shape`: an attribute is not part of the language
              ╭─ test.py:6:10
            6 │     x4 = I.shape
              │          ^^^^^^^ use `shape(I)`

            error: `dsl.hmirror`: an attribute is not part of the language
              ╭─ test.py:7:10
            7 │     x5 = dsl.hmirror(x1, bg_color)
              │          ^^^^^^^^^^^ did you mean `hmirror`? Swaps top and bottom

            error: `np.linalg.det`: an attribute is not part of the language
              ╭─ test.py:8:12
            8 │     return np.linalg.det(I)
              │            ^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn numbered_variables_are_not_misspellings_of_each_other() {
    check_problems(
        "def f(I):\n    x12 = I\n    return x13\n",
        expect![[r#"
        error: `x13` is not defined
          ╭─ test.py:3:12
        3 │     return x13
          │            ^^^
    "#]],
    );
}

#[test]
fn unneeded_lines_are_checked_too() {
    check_problems(
        "def f(I):\n    x = nothing(I)\n    return I\n",
        expect![[r#"
        error: `nothing` is not a primitive
          ╭─ test.py:2:9
        2 │     x = nothing(I)
          │         ^^^^^^^
    "#]],
    );
}

#[test]
fn wrong_numbers_of_arguments() {
    check_problems(
        "
def f(I):
    a = hmirror(I, I, I)
    b = crop(I)
    c = hmirror()
    g = hmirror
    d = g(I, I)
    return I
",
        expect![[r#"
            error: `hmirror` takes 1 argument, not 3
              ╭─ test.py:3:20
            3 │     a = hmirror(I, I, I)
              │                    ^^^^ it is `hmirror(piece)`

            error: `crop` takes 3 arguments, not 1
              ╭─ test.py:4:9
            4 │     b = crop(I)
              │         ^^^^ missing: `start`, `dims`

            error: `hmirror` takes 1 argument, not 0
              ╭─ test.py:5:9
            5 │     c = hmirror()
              │         ^^^^^^^ missing: `piece`

            error: `hmirror` takes 1 argument, not 2
              ╭─ test.py:7:14
            7 │     d = g(I, I)
              │              ^ it is `hmirror(piece)`
        "#]],
    );
}

#[test]
fn wrong_keywords() {
    check_problems(
        "
def f(I):
    a = hmirror(peice=I)
    b = crop(I, ORIGIN, nonsense=UNITY)
    c = crop(I, ORIGIN, start=UNITY)
    d = crop(I, dims=UNITY)
    e = crop(I, dims=UNITY, dims=UNITY)
    g = lbind(crop, I)
    h = g(start=UNITY)
    return I
",
        expect![[r#"
            error: `hmirror` has no parameter `peice`
              ╭─ test.py:3:17
            3 │     a = hmirror(peice=I)
              │                 ^^^^^ did you mean `piece`?

            error: `crop` has no parameter `nonsense`
              ╭─ test.py:4:25
            4 │     b = crop(I, ORIGIN, nonsense=UNITY)
              │                         ^^^^^^^^ it is `crop(grid, start, dims)`

            error: `start` is given twice
              ╭─ test.py:5:25
            5 │     c = crop(I, ORIGIN, start=UNITY)
              │                         ^^^^^

            error: `crop` takes 3 arguments, not 2
              ╭─ test.py:6:9
            6 │     d = crop(I, dims=UNITY)
              │         ^^^^ missing: `start`

            error: `dims` is given twice
              ╭─ test.py:7:29
            7 │     e = crop(I, dims=UNITY, dims=UNITY)
              │                             ^^^^

            error: a keyword argument in a call of a function value is not part of the language
              ╭─ test.py:9:11
            9 │     h = g(start=UNITY)
              │           ^^^^^
        "#]],
    );
}

#[test]
fn use_before_assignment() {
    check_problems(
        "
def f(I):
    a = size(b)
    b = T
    T = b
    declared: int
    return declared
",
        expect![[r#"
            error: `b` is used before it is assigned
              ╭─ test.py:3:14
            3 │     a = size(b)
              │              ^ assigned on line 4

            error: `T` is used before it is assigned
              ╭─ test.py:4:9
            4 │     b = T
              │         ^ assigned on line 5

            error: `declared` is used before it is assigned
              ╭─ test.py:7:12
            7 │     return declared
              │            ^^^^^^^^ it is never assigned
        "#]],
    );
}

#[test]
fn large_integers() {
    check_problems(
        "
def f(I):
    a = 9223372036854775808
    b = -9223372036854775809
    c = 0xffffffffffffffffffffffff
    return (9223372036854775807, -9223372036854775808)
",
        expect![[r#"
            error: the integer does not fit into 64 bits
              ╭─ test.py:3:9
            3 │     a = 9223372036854775808
              │         ^^^^^^^^^^^^^^^^^^^ integers range from -9223372036854775808 to 9223372036854775807

            error: the integer does not fit into 64 bits
              ╭─ test.py:4:9
            4 │     b = -9223372036854775809
              │         ^^^^^^^^^^^^^^^^^^^^ integers range from -9223372036854775808 to 9223372036854775807

            error: the integer does not fit into 64 bits
              ╭─ test.py:5:9
            5 │     c = 0xffffffffffffffffffffffff
              │         ^^^^^^^^^^^^^^^^^^^^^^^^^^ integers range from -9223372036854775808 to 9223372036854775807
        "#]],
    );
}

#[test]
fn parameter_lists() {
    check_problems(
        "
def none(): return 1
def two(a, b): return 1
def four(S, I, C, D): return 1
def twice(I, I): return 1
def default(I, x=1): return 1
def starred(*I): return 1
def keyword(**I): return 1
def only_keyword(*, I): return 1
def only_position(I, /): return 1
",
        expect![[r#"
            error: the parameters of a program are `(I)` or `(S, I, C)`
              ╭─ test.py:2:5
            2 │ def none(): return 1
              │     ^^^^

            error: the parameters of a program are `(I)` or `(S, I, C)`
              ╭─ test.py:3:9
            3 │ def two(a, b): return 1
              │         ^^^^ two parameters must be named `S`, `I` or `C`

            error: the parameters of a program are `(I)` or `(S, I, C)`
              ╭─ test.py:4:10
            4 │ def four(S, I, C, D): return 1
              │          ^^^^^^^^^^

            error: two parameters are called `I`
              ╭─ test.py:5:14
            5 │ def twice(I, I): return 1
              │              ^

            error: a default value is not part of the language
              ╭─ test.py:6:17
            6 │ def default(I, x=1): return 1
              │                 ^

            error: a starred parameter is not part of the language
              ╭─ test.py:7:13
            7 │ def starred(*I): return 1
              │             ^

            error: a starred parameter is not part of the language
              ╭─ test.py:8:13
            8 │ def keyword(**I): return 1
              │             ^^

            error: a starred parameter is not part of the language
              ╭─ test.py:9:18
            9 │ def only_keyword(*, I): return 1
              │                  ^

            error: `/` among the parameters is not part of the language
               ╭─ test.py:10:22
            10 │ def only_position(I, /): return 1
               │                      ^
        "#]],
    );
}

#[test]
fn types_that_certainly_do_not_fit() {
    check_problems(
        "
def f(I):
    a = size(height(I))
    b = apply(I, hmirror)
    c = a(I)
    d = I(I)
    e = T()
    g = hmirror(None)
    return first(7)
",
        expect![[r#"
            warning: `size` expects Container<A> for `container`, not Int
              ╭─ test.py:3:14
            3 │     a = size(height(I))
              │              ^^^^^^^^^ this is Int

            warning: `apply` expects (A) -> B for `function`, not Grid
              ╭─ test.py:4:15
            4 │     b = apply(I, hmirror)
              │               ^ this is Grid

            warning: `apply` expects Container<A> for `container`, not (Piece) -> Piece
              ╭─ test.py:4:18
            4 │     b = apply(I, hmirror)
              │                  ^^^^^^^ this is (Piece) -> Piece

            warning: `I` is not a function
              ╭─ test.py:6:9
            6 │     d = I(I)
              │         ^ this is Grid

            warning: `T` is not a function
              ╭─ test.py:7:9
            7 │     e = T()
              │         ^ this is Bool

            warning: `hmirror` expects Piece for `piece`, not None
              ╭─ test.py:8:17
            8 │     g = hmirror(None)
              │                 ^^^^ this is None

            warning: `first` expects Container<A> for `container`, not Int
              ╭─ test.py:9:18
            9 │     return first(7)
              │                  ^ this is Int
        "#]],
    );
}

#[test]
fn programs_with_warnings_are_valid() {
    let text = "
def f(I):
    x = I
    x = hmirror(x)
    I = x
    return I
def g(I):
    'no return'
def f(I):
    return I
";
    assert_eq!(all(text).programs.len(), 2);
    check_problems(
        text,
        expect![[r#"
        warning: `x` is assigned again
          ╭─ test.py:4:5
        4 │     x = hmirror(x)
          │     ^ first assigned on line 3

        warning: `I` is assigned again
          ╭─ test.py:5:5
        5 │     I = x
          │     ^ it is a parameter

        warning: the function has no `return`
          ╭─ test.py:7:5
        7 │ def g(I):
          │     ^ its result is None

        warning: `f` is defined again
          ╭─ test.py:9:5
        9 │ def f(I):
          │     ^ this definition replaces the one on line 2
    "#]],
    );
}

#[test]
fn the_last_definition_counts_even_if_it_has_errors() {
    let text = "
def f(I): return I
def f(I): return nothing
";
    assert!(all(text).programs.is_empty());
}

#[test]
fn functions_of_the_file_are_not_called() {
    // Python would call the function of the file, wherever it is defined.
    check_problems(
        "
def a(I): return hmirror(helper(I))
def hmirror(I): return I
def helper(I): return I
def b(I): return rot90(I)
",
        expect![[r#"
            error: `hmirror` is a function of this file
              ╭─ test.py:2:18
            2 │ def a(I): return hmirror(helper(I))
              │                  ^^^^^^^ programs cannot call other functions of the file

            error: `helper` is a function of this file
              ╭─ test.py:2:26
            2 │ def a(I): return hmirror(helper(I))
              │                          ^^^^^^ programs cannot call other functions of the file
        "#]],
    );
}

#[test]
fn statements_that_are_not_part_of_the_language() {
    let hint = |statement: &str, expected: &str| {
        check_refused(&format!("def f(I):\n    {statement}\n    return I\n"), expected);
    };
    hint("if I: x = 1", "`if` is not part of the language | use `branch(condition, a, b)`");
    hint(
        "if I:\n        x = 1\n    elif T:\n        x = 2\n    else:\n        x = 3",
        "`if` is not part of the language | use `branch(condition, a, b)`",
    );
    hint(
        "for x in I:\n        y = x",
        "`for` is not part of the language | use `apply(function, container)`",
    );
    hint("while T: pass", "`while` is not part of the language | use `power(function, n)`");
    hint(
        "try:\n        x = 1\n    except E:\n        pass\n    finally:\n        pass",
        "`try` is not part of the language",
    );
    hint("with I as x: pass", "`with` is not part of the language");
    hint("class A:\n        pass", "`class` is not part of the language");
    hint("def g(x):\n        return x", "a function inside a function is not part of the language");
    hint("async def g(x): pass", "`async` is not part of the language");
    hint("@cache\n    def g(x):\n        return x", "a decorator is not part of the language");
    hint("global x", "`global` is not part of the language");
    hint("nonlocal x", "`nonlocal` is not part of the language");
    hint("assert I", "`assert` is not part of the language");
    hint("del I", "`del` is not part of the language");
    hint("raise I", "`raise` is not part of the language");
    hint("yield I", "`yield` is not part of the language");
    hint("await I", "`await` is not part of the language");
    hint("x += 1", "`+=` is not part of the language | use `add(a, b)`");
    hint("x >>= 1", "`>>=` is not part of the language");
    hint("a = b = I", "a chained assignment is not part of the language | write one line for each name");
    hint("a, b = I", "unpacking is not part of the language | use `first` and `last`");
    hint("(a, b) = I", "unpacking is not part of the language | use `first` and `last`");
}

#[test]
fn expressions_that_are_not_part_of_the_language() {
    let hint = |expression: &str, expected: &str| {
        let expected = match expected.split_once(" | ") {
            Some((what, hint)) => format!("{what} is not part of the language | use {hint}"),
            None => format!("{expected} is not part of the language"),
        };
        check_refused(&format!("def f(I): return {expression}"), &expected);
        check_refused(&format!("def f(I):\n    x = hmirror({expression})\n    return x"), &expected);
        check_refused(&format!("def f(I):\n    x = (I, ({expression}, I))\n    return x"), &expected);
    };
    hint("I + I", "`+` | `add(a, b)`");
    hint("I - I", "`-` | `subtract(a, b)`");
    hint("I -1", "`-` | `subtract(a, b)`");
    hint("I * I", "`*` | `multiply(a, b)`");
    hint("I / I", "`/` | `divide(a, b)`");
    hint("I // I", "`//` | `divide(a, b)`");
    hint("I % I", "`%`");
    hint("I ** I", "`**`");
    hint("I @ I", "`@`");
    hint("I < I", "`<` | `greater(b, a)`");
    hint("I > I", "`>` | `greater(a, b)`");
    hint("I <= I", "`<=` | `flip(greater(a, b))`");
    hint("I >= I", "`>=` | `flip(greater(b, a))`");
    hint("I == I", "`==` | `equality(a, b)`");
    hint("I != I", "`!=` | `flip(equality(a, b))`");
    hint("I is I", "`is` | `equality(a, b)`");
    hint("I in I", "`in` | `contained(value, container)`");
    hint("I not in I", "`not` | `flip(contained(value, container))`");
    hint("I and I", "`and` | `both(a, b)`");
    hint("I or I", "`or` | `either(a, b)`");
    hint("I & I", "`&` | `intersection(a, b)`");
    hint("I | I", "`|` | `combine(a, b)`");
    hint("I ^ I", "`^`");
    hint("I << I", "`<<`");
    hint("not I", "`not` | `flip(b)`");
    hint("-I", "`-` | `invert(n)`");
    hint("--1", "`-` | `invert(n)`");
    hint("-1(I)", "`-` | `invert(n)`");
    hint("~I", "`~`");
    hint("I if T else I", "`if` | `branch(condition, a, b)`");
    hint("lambda x: x", "`lambda` | `compose`, `lbind` or `rbind`");
    hint(
        "(x for x in I)",
        "a comprehension | `apply(function, container)` or `sfilter(container, condition)`",
    );
    hint("[x for x in I]", "a list | a tuple: `(…)`");
    hint("[1, 2]", "a list | a tuple: `(…)`");
    hint("{1, 2}", "`{…}` | `initset(value)` and `insert(value, container)`");
    hint("{1: 2}", "`{…}` | `initset(value)` and `insert(value, container)`");
    hint("I[0]", "a subscript | `first(container)`");
    hint("I[ -1 ]", "a subscript | `last(container)`");
    hint("I[1:2]", "a subscript");
    hint("I.x", "`I.x`: an attribute");
    hint("I.x(1)", "`I.x`: an attribute");
    hint("hmirror(I).shape", "`hmirror(I).shape`: an attribute | `shape(hmirror(I))`");
    hint("'text'", "a string");
    hint("f'{x}'", "a string");
    hint("rb\"\"\"x\"\"\"", "a string");
    hint("1.5", "a float | an integer");
    hint(".5", "a float | an integer");
    hint("1.", "a float | an integer");
    hint("1e3", "a float | an integer");
    hint("1_0.5e-3", "a float | an integer");
    hint("2j", "a float | an integer");
    hint("hmirror(*I)", "a starred argument");
    hint("hmirror(**I)", "a starred argument");
    check_refused("def f(I): return +1", "`+` is not part of the language | remove it");
    check_refused("def f(I): return hmirror(x := I)", "`:=` is not part of the language");
    check_refused("def f(I): return (yield I)", "`yield` is not part of the language");
    check_refused(
        "def f(I): return hmirror(x for x in I)",
        "a comprehension is not part of the language | use `apply(function, container)` or `sfilter(container, condition)`",
    );
}

#[test]
fn outside_functions() {
    check_problems(
        "
x = 5
hmirror(I)
return I
if __name__ == '__main__':
    main()
else:
    main()
class A(B):
    def f(I):
        return I
@decorated
def g(I): return I
async def h(I):
    return I
    return I
    indented = 1
)
def sound(I): return I
",
        expect![[r#"
            error: a top-level statement is not part of the language
              ╭─ test.py:2:1
            2 │ x = 5
              │ ^ only functions and imports are allowed here

            error: a top-level statement is not part of the language
              ╭─ test.py:3:1
            3 │ hmirror(I)
              │ ^^^^^^^ only functions and imports are allowed here

            error: a top-level statement is not part of the language
              ╭─ test.py:4:1
            4 │ return I
              │ ^^^^^^ only functions and imports are allowed here

            error: `if` is not part of the language
              ╭─ test.py:5:1
            5 │ if __name__ == '__main__':
              │ ^^ use `branch(condition, a, b)`

            error: `class` is not part of the language
              ╭─ test.py:9:1
            9 │ class A(B):
              │ ^^^^^

            error: a decorator is not part of the language
               ╭─ test.py:12:1
            12 │ @decorated
               │ ^

            error: `async` is not part of the language
               ╭─ test.py:14:1
            14 │ async def h(I):
               │ ^^^^^

            error: expected a function
               ╭─ test.py:18:1
            18 │ )
               │ ^ found `)`
        "#]],
    );
}

#[test]
fn syntax() {
    let check = |statement: &str, expected: &str| {
        check_refused(&format!("def f(I):\n    {statement}\n    return I\n"), expected);
    };
    check("x = ", "expected a value | the line ends here");
    check("x = hmirror(I", "`(` is never closed");
    check("x = hmirror(I,", "`(` is never closed");
    check("x = hmirror((I)", "`(` is never closed");
    check("x = hmirror(I))", "expected the end of the line | found `)`");
    check("x = hmirror(I]", "expected `,` or `)` | found `]`");
    check("x = hmirror(I I)", "expected `,` or `)` | found `I`");
    check("x = hmirror(, I)", "expected a value | found `,`");
    check("x = hmirror(I,, I)", "expected a value | found `,`");
    check("x = (,)", "expected a value | found `,`");
    check("x y = I", "expected the end of the line | found `y`");
    check("x = I;; y = I", "expected a value | found `;`");
    check("= I", "expected a value | found `=`");
    check("hmirror(I) = I", "cannot assign to a call");
    check("None = I", "cannot assign to a constant");
    check("5 = I", "cannot assign to a constant");
    check("x: = I", "expected an annotation | found `=`");
    check("x: int[ = I", "`[` is never closed");
    check("x = branch(condition=T, I, I)", "positional argument follows keyword argument");
    check("x = branch(T=)", "expected a value | found `)`");
    check("x = 1_", "`1_` is not a number");
    check("x = 1__0", "`1__0` is not a number");
    check("x = 012", "`012` is not a number");
    check("x = 0x", "`0x` is not a number");
    check("x = 0b12", "`0b12` is not a number");
    check("x = 1x", "`1x` is not a number");
    check("x = I ? I", "unexpected character `?`");
    check("x = “I”", "unexpected character `“` | a typographic quotation mark");
    check("größe = I", "unexpected character `ö` | names consist of ASCII letters, digits and `_`");
    check("x = I\u{a0}", "unexpected character U+00A0");
    check("x = I \\ ", "a backslash must be the last character of its line");
    check("'text", "the string is never closed");
    check("\"text\\", "the string is never closed");
    check("x = $", "unexpected character `$`");
    check("import (a", "`(` is never closed");
    check("import return I", "expected a name | found `return`");
    check("import 'a'", "a string is not part of the language");
    check_refused("def f(I) return I", "expected `:` | found `return`");
    check_refused("def f(I)\n    return I", "expected `:` | the line ends here");
    check_refused("def f I: return I", "expected `(` | found `I`");
    check_refused("def (I): return I", "expected the name of the function | found `(`");
    check_refused("def f(I: ): return I", "expected an annotation | found `)`");
    check_refused("def f(I) -> : return I", "expected an annotation | found `:`");
    check_refused("def f(1): return I", "expected a parameter | found `1`");
    check_refused("def f(I I): return I", "expected `,` or `)` | found `I`");
    check_refused("def f(I", "`(` is never closed");
    check_refused("def if(I): return I", "expected the name of the function | found `if`");
    check_refused("def f(I):\n", "the function has no body | expected indented lines below");
    check_refused(
        "def f(I):\n# nothing\nimport x\n",
        "the function has no body | expected indented lines below",
    );
    check_refused("def f(I): return I \\\n", "a backslash must be the last character of its line");
    check_refused("def f(I): return \"\"\"I\n    \n", "the string is never closed");
}

#[test]
fn indentation() {
    check_problems(
        "
def a(I):
    x = I
      y = I
      z = I
    return I
def b(I):
    x = I
  return I
def c(I):
        x = I
\treturn I
    stray = 1
def d(I): return I
    return I
  def e(I): return I
",
        expect![[r#"
            error: unexpected indentation
              ╭─ test.py:4:7
            4 │       y = I
              │       ^

            error: the line is indented less than the lines above it
              ╭─ test.py:9:3
            9 │   return I
              │   ^^^^^^

            error: tabs and spaces are mixed
               ╭─ test.py:12:2
            12 │     return I
               │     ^^^^^^

            error: the line is indented less than the lines above it
               ╭─ test.py:13:5
            13 │     stray = 1
               │     ^^^^^

            error: unexpected indentation
               ╭─ test.py:15:5
            15 │     return I
               │     ^^^^^^
        "#]],
    );
}

#[test]
fn nesting_is_limited_as_in_cpython() {
    let nested = |n: usize| format!("def f(I): return {}I{}", "(".repeat(n), ")".repeat(n));
    assert_eq!(all(&nested(200)).programs.len(), 1);
    check_refused(&nested(201), "brackets are nested deeper than 200");
    let calls = |n: usize| format!("def f(I): return {}I{}", "identity(".repeat(n), ")".repeat(n));
    assert_eq!(all(&calls(200)).programs.len(), 1);
    check_refused(&calls(100_000), "brackets are nested deeper than 200");
    check_refused(&format!("def f(I: {}): return I", "[".repeat(300)), "brackets are nested deeper than 200");
    // Chained calls are not nested brackets.
    let chain = |n: usize| format!("def f(I):\n    g = lbind(identity, I)\n    return g{}", "()".repeat(n));
    assert_eq!(all(&chain(3000)).programs.len(), 1);
    check_refused(&chain(3001), "more than 3000 chained calls");
}

#[test]
fn the_length_of_a_function_is_limited() {
    let lines =
        |n: usize| format!("def f(I):\n    x = I\n{}    return x\n", "    x = identity(x)\n".repeat(n));
    assert_eq!(all(&lines(50_000)).programs[0].nodes().len(), 50_001);
    let text = format!("def f(I):\n    x = ({})\n    y = nothing\n    return x\n", "1,".repeat(1_000_000));
    check_refused(&text, "the function has more than 1000000 values and calls");
    let text = format!("{text}def g(I):\n    return I\n");
    assert_eq!(all(&text).programs.len(), 1);
}

#[test]
fn one_error_is_one_problem_and_other_programs_are_valid() {
    let text = "
def a(I):
    x1 = objects(I, T, F, T
    x2 = first(x1)
    return x2
def b(I):
    x1 = [1, 2]
    x2, x3 = x1
    x4 = add(x1,
             x2
             x3)
    return astuple(x4, x5)
def c(I: Grid -> Grid:
    x1 = hmirror(I)
    return x1
def d(I):
    for i in range(3):
        found = crop(I)
        if found:
            T = found
    return fill(found, T, i)
def e(I):
    '''never closed
    return I
def sound(I):
    return I
";
    assert_eq!(all(text).programs.len(), 1);
    check_problems(
        text,
        expect![[r#"
            error: `(` is never closed
              ╭─ test.py:3:17
            3 │     x1 = objects(I, T, F, T
              │                 ^

            error: a list is not part of the language
              ╭─ test.py:7:10
            7 │     x1 = [1, 2]
              │          ^ use a tuple: `(…)`

            error: unpacking is not part of the language
              ╭─ test.py:8:5
            8 │     x2, x3 = x1
              │     ^^^^^^ use `first` and `last`

            error: expected `,` or `)`
               ╭─ test.py:11:14
            11 │              x3)
               │              ^^ found `x3`

            error: `x5` is not defined
               ╭─ test.py:12:24
            12 │     return astuple(x4, x5)
               │                        ^^

            error: expected `,` or `)`
               ╭─ test.py:13:15
            13 │ def c(I: Grid -> Grid:
               │               ^^ found `->`

            error: `for` is not part of the language
               ╭─ test.py:17:5
            17 │     for i in range(3):
               │     ^^^ use `apply(function, container)`

            error: the string is never closed
               ╭─ test.py:23:5
            23 │     '''never closed
               │     ^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn problems_are_counted_after_the_first_hundred() {
    let text = "def f(I): return nothing\n".repeat(150);
    let parsed = all(&text);
    assert_eq!(parsed.problems.len(), 101);
    let last = &parsed.problems[100];
    assert_eq!((last.message.as_str(), last.severity), ("199 more problems", batt_lang::Severity::Error));
}

#[test]
fn long_texts_are_rejected() {
    let text = "#".repeat(batt_lang::MAX_TEXT + 1);
    let parsed = all(&text);
    assert_eq!(parsed.problems[0].message, "the text is longer than 32 MiB");
    assert!(all(&text[1..]).problems.is_empty());
}

#[test]
fn rendering() {
    // Tabs, wide and combining characters, control characters.
    check_problems(
        "def f(I):\n\tx = '''日本語 e\u{301} \x1b[31m \u{202e}''' + hmirror(I)\n\treturn objcts(I)\n",
        expect![[r#"
            error: a string is not part of the language
              ╭─ test.py:2:6
            2 │     x = '''日本語 é �[31m �''' + hmirror(I)
              │         ^^^^^^^^^^^^^^^^^^^^^^

            error: `objcts` is not a primitive
              ╭─ test.py:3:9
            3 │     return objcts(I)
              │            ^^^^^^ did you mean `objects`?
        "#]],
    );
    // Long lines are cut around the caret.
    let zeros = "ZERO, ".repeat(40);
    check_problems(
        &format!("def f(I): return ({zeros} objcts, {zeros})"),
        expect![[r#"
        error: `objcts` is not defined
          ╭─ test.py:1:260
        1 │ … ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO,  objcts, ZERO, ZERO, ZERO, ZERO, ZE…
          │                                                                                        ^^^^^^ did you mean `objects`?
    "#]],
    );
    check_problems(
        &format!("def f(I): return ({zeros} {})", "x".repeat(200)),
        expect![[r#"
        error: `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…` is not defined
          ╭─ test.py:1:260
        1 │ …RO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO,  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
          │                                                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
    check_problems(
        &format!("def f(I): return (objcts, {zeros})"),
        expect![[r#"
        error: `objcts` is not defined
          ╭─ test.py:1:19
        1 │ def f(I): return (objcts, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO…
          │                   ^^^^^^ did you mean `objects`?
    "#]],
    );
    // Line numbers of several digits, Windows line ends, a caret at the end of the text.
    check_problems(&format!("{}def f(I): return", "\r\n".repeat(120)), expect![[r#""#]]);
    check_problems(
        &format!("{}def f(I): return (", "\r\n".repeat(120)),
        expect![[r#"
        error: `(` is never closed
            ╭─ test.py:121:18
        121 │ def f(I): return (
            │                  ^
    "#]],
    );
    check_problems(
        "\u{feff}x = 1",
        expect![[r#"
        error: a top-level statement is not part of the language
          ╭─ test.py:1:1
        1 │ x = 1
          │ ^ only functions and imports are allowed here
    "#]],
    );
}

#[test]
fn colours() {
    let text = "def f(I): return objcts(I)";
    let parsed = all(text);
    let shown = parsed.problems[0].render("a.py", text, true);
    expect![[r#"
        ESC[1;31merrorESC[0mESC[1m: `objcts` is not a primitiveESC[0m
          ESC[1;34m╭─ESC[0m a.py:1:18
        ESC[1;34m1 │ESC[0m def f(I): return objcts(I)
        ESC[1;34m  │ESC[0m                  ESC[1;31m^^^^^^ did you mean `objects`?ESC[0m
    "#]]
    .assert_eq(&shown.replace('\x1b', "ESC"));
    let bare: String = problems(&parsed, text);
    assert!(!bare.contains('\x1b'));
    // A problem can be shown with a text that is not its own.
    parsed.problems[0].render("a.py", "", true);
    parsed.problems[0].render("a.py", "äöüäöüäöüäöü", true);
}
