"""Programs for the tasks in examples/, each named after its task."""


def solve_enclosed(I):
    # Black areas that do not touch the border turn yellow.
    areas = objects(I, T, F, F)
    black = colorfilter(areas, ZERO)
    touches = rbind(bordering, I)
    inside = mfilter(black, compose(flip, touches))
    return fill(I, FOUR, inside)


def solve_largest(I):
    # Only the largest object stays.
    x1 = objects(I, T, T, T)
    x2 = argmax(x1, size)
    x3 = remove(x2, x1)
    x4 = merge(x3)
    O = cover(I, x4)
    return O


def solve_kaleidoscope(I):
    top = hconcat(I, vmirror(I))
    return vconcat(top, hmirror(top))
