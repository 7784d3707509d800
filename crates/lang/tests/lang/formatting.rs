//! Tests of the formatter.

use expect_test::expect;

use crate::check::{check_format, check_formatted};

#[test]
fn spaces_and_lines() {
    check_format(
        "
from dsl import(a ,b,)
from . dsl import *
def f( I:Grid )->Grid :
  x=add( ONE,b = -  1 ,) ; y : int=( x , )
  z = \\
     fork (add,identity , double)  ( x )(  ); return (z),
def g(I): pass
",
        expect![[r#"
            from dsl import (a, b)
            from .dsl import *


            def f(I: Grid) -> Grid:
                x = add(ONE, b=-1)
                y: int = (x,)
                z = fork(add, identity, double)(x)()
                return (z),


            def g(I):
                pass
        "#]],
    );
}

#[test]
fn comments_and_blank_lines() {
    check_format(
        "#!/usr/bin/env python


# A file.
import a
# About f.
#It mirrors.
def f(I): # the head

  # first


  '''Mirrors
       twice.'''
  x = hmirror(I)   #trailing
# between

  unused = size(I); y = vmirror(x); # both
  return y
  # the end of f
# Not of f.



# About g.
def g(I): return I # all of it
    # still g
",
        expect![[r#"
            #!/usr/bin/env python


            # A file.
            import a


            # About f.
            # It mirrors.
            def f(I):  # the head
                # first

                '''Mirrors
                   twice.'''
                x = hmirror(I)  # trailing
                # between

                unused = size(I)
                y = vmirror(x)  # both
                return y
                # the end of f


            # Not of f.


            # About g.
            def g(I):
                return I  # all of it
                # still g
        "#]],
    );
}

#[test]
fn long_lines_are_broken_inside_brackets() {
    check_format(
        "
def f(I):
    a_rather_long_name = combine_all(something, compose(lbind(first_function, second), rbind(third, fourth)), (I,))
    b = add(
        ONE,
        TWO)
    c = fork(combine, compose(lbind(mapply, rbind(shoot, UP_RIGHT)), corners), compose(lbind(mapply, rbind(shoot, DOWN)), corners))(I)
    return b
",
        expect![[r#"
            def f(I):
                a_rather_long_name = combine_all(
                    something,
                    compose(lbind(first_function, second), rbind(third, fourth)),
                    (I,),
                )
                b = add(ONE, TWO)
                c = fork(
                    combine,
                    compose(lbind(mapply, rbind(shoot, UP_RIGHT)), corners),
                    compose(lbind(mapply, rbind(shoot, DOWN)), corners),
                )(I)
                return b
        "#]],
    );
}

#[test]
fn comments_inside_brackets() {
    check_format(
        "
def f(I):
    x = add(# of both
        ONE # one
        ,

        # the second
        TWO, # two
        # and no third
    )
    return hconcat(hmirror(I), vmirror( # inner
       I))
",
        expect![[r#"
            def f(I):
                x = add(  # of both
                    ONE,  # one
                    # the second
                    TWO,  # two
                    # and no third
                )
                return hconcat(
                    hmirror(I),
                    vmirror(  # inner
                        I,
                    ),
                )
        "#]],
    );
}

#[test]
fn line_breaks_are_kept() {
    assert_eq!(batt_lang::format("def f(I):\r\n  return I"), Ok("def f(I):\r\n    return I\r\n".into()));
    assert_eq!(batt_lang::format("def f(I):\r  return I\r"), Ok("def f(I):\n    return I\n".into()));
    assert_eq!(batt_lang::format("\u{feff}def f(I): return I"), Ok("def f(I):\n    return I\n".into()));
    assert_eq!(batt_lang::format(""), Ok(String::new()));
    assert_eq!(batt_lang::format("\n\n# only this"), Ok("# only this\n".into()));
}

#[test]
fn a_text_with_syntax_errors_is_not_formatted() {
    let problems = batt_lang::format("def f(I):\n    return [I]\n").expect_err("a list is no value");
    assert_eq!(problems[0].message, "a list is not part of the language");
}

#[test]
fn the_programs_of_the_project_are_formatted() {
    for file in ["demo.py", "examples.py"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs").join(file);
        let text = std::fs::read_to_string(path).expect("a text file");
        let formatted = check_formatted(&text).expect("no syntax error");
        let differs = text.lines().zip(formatted.lines()).find(|(a, b)| a != b);
        assert_eq!(differs, None, "`batt programs fmt --write programs/{file}` changes it");
        assert_eq!(text.len(), formatted.len());
    }
}
