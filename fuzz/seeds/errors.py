def a(I): return objcts(I, T, F, T)
def b(I): return rot90(I, I)
def c(I): return rot90(gird=I)
def d(I):
    y = x
    x = I
def e(I): return I + I
def f(I): return 99999999999999999999
def g(I):
    if I:
        return I
    for x in I: pass
def h(I): return lambda x: x
def i(I): return ((((((I
def j(I): return I[0]
def k(I): return "text"
é = 1
