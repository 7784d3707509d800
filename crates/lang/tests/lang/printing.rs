//! Canonical text of programs.

use expect_test::expect;

use crate::check::check_print;

#[test]
fn looks_like_a_solver() {
    check_print(
        "
def solve_00d62c1b(grid: Grid) -> Grid:
    black_areas = colorfilter(objects(grid=grid, univalued=True, diagonal=F, without_bg=False), 0)
    unused = hmirror(grid)
    return fill(grid, FOUR, mfilter(black_areas, compose(flip, rbind(bordering, grid))))
",
        expect![[r#"
            def solve_00d62c1b(I):
                x1 = objects(I, T, F, F)
                x2 = colorfilter(x1, ZERO)
                x3 = rbind(bordering, I)
                x4 = compose(flip, x3)
                x5 = mfilter(x2, x4)
                O = fill(I, FOUR, x5)
                return O
        "#]],
    );
}

#[test]
fn names_of_constants() {
    check_print(
        "
def f(I):
    zero = BLACK
    return (0, BLACK, zero, F0, 10, 11, -2, -3, 100, HUNDRED, True, F, None,
            (0, 0), (1, 2), UP, (True, 0), ((0, 0), 1), (I,), ())
",
        expect![[r#"
            def f(I):
                x1 = (I,)
                O = (ZERO, BLACK, BLACK, F0, TEN, 11, NEG_TWO, -3, 100, HUNDRED, T, F, None, ORIGIN, (1, 2), UP, (True, 0), ((0, 0), 1), x1, ())
                return O
        "#]],
    );
}

#[test]
fn results_that_need_no_line() {
    check_print(
        "
def input(I): return I
def samples(S, I, C): return S
def context(S, I, C): return C
def constant(I): return BLUE
def literal(I): return (1, 2)
def primitive(I): return hmirror
def none(I): pass
",
        expect![[r#"
            def input(I):
                return I

            def samples(S, I, C):
                return S

            def context(I):
                return None

            def constant(I):
                return BLUE

            def literal(I):
                return (1, 2)

            def primitive(I):
                return hmirror

            def none(I):
                return None
        "#]],
    );
}

#[test]
fn samples_and_calls_of_values() {
    check_print(
        "
def f(S, I, C):
    a = branch(size(S), height, width)
    b = a(I)
    c = (-11)(b)
    d = (1, 2)(c)
    e = 5()
    return lbind(add, d)(e)
",
        expect![[r#"
            def f(S, I, C):
                x1 = size(S)
                x2 = branch(x1, height, width)
                x3 = x2(I)
                x4 = (-11)(x3)
                x5 = (1, 2)(x4)
                x6 = lbind(add, x5)
                x7 = FIVE()
                O = x6(x7)
                return O
        "#]],
    );
}
