# Ways to write a call.

def nested(I):
    return hconcat(vmirror(I), I)

? nested([1 2]) = [2 1 1 2]

def keywords(I):
    return crop(dims=(1, 2), grid=I, start=ORIGIN)

? keywords([1 2 3 | 4 5 6]) = [1 2]

def other_keywords(I):
    return branch(T, else_value=ONE, if_value=TWO)

? other_keywords([1]) = 2

def literals(I):
    return ((-7, True), (None,), ())

? literals([1]) = ((-7, True), (None,), ())

def tuples_of_anything(I):
    return (height(I), (width(I), rot90))

? tuples_of_anything([1 2]) = (1, (2, rot90))

def aliases(I):
    return mapply_t(identity, I)

? aliases([1 2 | 3 4]) = (1, 2, 3, 4)

def annotated(I: Grid) -> Grid:
    """ A docstring. """
    n: Integer = height(I)  # and a comment
    return n

? annotated([1 | 2]) = 2

def old_dialect(S, I, C):
    return (size(S), I, C)

? old_dialect([1]) = (0, [1], None)

def on_one_line(I): x = height(I); return x

? on_one_line([1 | 2]) = 2
