def solve_1(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = lbind(shift, x2)
    x4 = compose(x3, crement)
    x5 = mapply(x4, neighbors(UNITY))
    O = fill(I, TWO, x5)
    return O
