# Only lines that the result needs are run.

def unneeded_lines_are_not_run(I):
    x1 = first(())
    x2 = divide(ONE, ZERO)
    return I

? unneeded_lines_are_not_run([1 2]) = [1 2]

def the_first_failure_counts(I):
    x1 = divide(ONE, ZERO)
    x2 = first(())
    return astuple(x2, x1)

# Arguments are computed from left to right, in whatever order the lines are written.
? the_first_failure_counts([1]) ! Empty

def branch_computes_both(I):
    return branch(T, ONE, first(()))

? branch_computes_both([1]) ! Empty

def a_variable_may_be_assigned_again(I):
    x = height(I)
    x = increment(x)
    return x

? a_variable_may_be_assigned_again([1 | 2 | 3]) = 4

def locals_shadow_names(I):
    size = width(I)
    return size

? locals_shadow_names([1 2 3]) = 3

def no_return(I):
    x = height(I)

? no_return([1]) = None
