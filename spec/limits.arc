# No program can hang, crash or use up the memory of the machine.

def huge_canvas(I):
    return canvas(ZERO, (1000000000, 1000000000))

? huge_canvas([1]) ! TooLarge

def huge_repeat(I):
    return repeat(I, 1000000000000)

? huge_repeat([1]) ! TooLarge

def huge_power(I):
    return power(identity, 1000000000)

? huge_power([1]) ! TooLarge

def negative_power(I):
    return power(identity, -5)

? negative_power([1]) ! Range

def no_step(I):
    return interval(ZERO, TEN, ZERO)

? no_step([1]) ! Range

def huge_interval(I):
    return interval(ZERO, 9000000000000000000, ONE)

? huge_interval([1]) ! TooLarge

def huge_line(I):
    return connect((0, 0), (0, 9000000000000000000))

? huge_line([1]) ! TooLarge

def huge_box(I):
    x = insert((4000000000, 4000000000), initset(ORIGIN))
    return backdrop(x)

? huge_box([1]) ! TooLarge

def beyond_64_bits(I):
    return multiply(9000000000000000000, TWO)

? beyond_64_bits([1]) ! Overflow

def smallest_integer(I):
    return invert(-9223372036854775808)

? smallest_integer([1]) ! Overflow

def doubled_sixty_times(I):
    x = I
    d = fork(astuple, identity, identity)
    f = power(d, 60)
    return f(x)

? doubled_sixty_times([1]) ! Fuel

def squared_canvas(I):
    x = upscale(canvas(ZERO, (1000, 1000)), 1000)
    return x

? squared_canvas([1]) ! TooLarge

# Each function calls the one above it twice: 2^20 calls of `identity`. With 30 levels the function is too large.
def many_calls(I):
    x1 = compose(identity, identity)
    x2 = compose(x1, x1)
    x3 = compose(x2, x2)
    x4 = compose(x3, x3)
    x5 = compose(x4, x4)
    x6 = compose(x5, x5)
    x7 = compose(x6, x6)
    x8 = compose(x7, x7)
    x9 = compose(x8, x8)
    x10 = compose(x9, x9)
    x11 = compose(x10, x10)
    x12 = compose(x11, x11)
    x13 = compose(x12, x12)
    x14 = compose(x13, x13)
    x15 = compose(x14, x14)
    x16 = compose(x15, x15)
    x17 = compose(x16, x16)
    x18 = compose(x17, x17)
    x19 = compose(x18, x18)
    x20 = compose(x19, x19)
    return x20(I)

? many_calls([1]) = [1]

def too_many_calls(I):
    x1 = compose(identity, identity)
    x2 = compose(x1, x1)
    x3 = compose(x2, x2)
    x4 = compose(x3, x3)
    x5 = compose(x4, x4)
    x6 = compose(x5, x5)
    x7 = compose(x6, x6)
    x8 = compose(x7, x7)
    x9 = compose(x8, x8)
    x10 = compose(x9, x9)
    x11 = compose(x10, x10)
    x12 = compose(x11, x11)
    x13 = compose(x12, x12)
    x14 = compose(x13, x13)
    x15 = compose(x14, x14)
    x16 = compose(x15, x15)
    x17 = compose(x16, x16)
    x18 = compose(x17, x17)
    x19 = compose(x18, x18)
    x20 = compose(x19, x19)
    x21 = compose(x20, x20)
    x22 = compose(x21, x21)
    x23 = compose(x22, x22)
    x24 = compose(x23, x23)
    x25 = compose(x24, x24)
    x26 = compose(x25, x25)
    x27 = compose(x26, x26)
    x28 = compose(x27, x27)
    x29 = compose(x28, x28)
    x30 = compose(x29, x29)
    return x30(I)

? too_many_calls([1]) ! TooLarge

def too_much_fuel(I):
    x1 = canvas(ZERO, (THOUSAND, THOUSAND))
    turn = power(rot90, HUNDRED)
    return turn(x1)

? too_much_fuel([1]) ! Fuel
