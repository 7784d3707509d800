# Functions are values.

def called_through_a_variable(I):
    f = compose(first, rot90)
    return f(I)

? called_through_a_variable([1 2 | 3 4 | 5 6]) = (5, 3, 1)

def chosen(I):
    f = branch(portrait(I), height, width)
    return f(I)

? chosen([1 2 3]) = 3

def bound(I):
    return apply(lbind(add, TEN), (1, 2, 3))

? bound([1]) = (11, 12, 13)

def bound_twice(I):
    f = lbind(rbind, add)
    g = f(FIVE)
    return g(ONE)

? bound_twice([1]) = 6

# Binding treats a function of one argument as a function of four. Only calling it fails.
def bound_too_far(I):
    f = lbind(height, I)
    return size(initset(f))

? bound_too_far([1]) = 1

def bound_too_far_and_called(I):
    f = lbind(height, I)
    return f(ONE)

? bound_too_far_and_called([1]) ! Kind

def equal_functions(I):
    a = compose(first, rot90)
    b = compose(first, rot90)
    return size(insert(a, initset(b)))

? equal_functions([1]) = 1

def powers(I):
    f = power(increment, TEN)
    return f(ZERO)

? powers([1]) = 10

def deepest_power(I):
    f = power(increment, 800)
    return f(ZERO)

? deepest_power([1]) = 800

def no_power(I):
    return power(increment, ZERO)

? no_power([1]) ! Range

def calling_a_number(I):
    f = identity(SEVEN)
    return f(I)

? calling_a_number([1]) ! Kind
