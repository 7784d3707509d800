def f(I):
    x1 = asobject(I)
    x2 = matcher(first, ZERO)
    x3 = sfilter(x1, x2)
    x4 = power(rbind(add, UNITY), THREE)
    x5 = apply(x4, toindices(x3))
    x6 = order(x5, chain(invert, last, identity))
    x7 = papply(astuple, x6, interval(TEN, ZERO, NEG_ONE))
    x8 = prapply(connect, x5, x5)
    x9 = rapply((height, width, mostcolor, hperiod), x1)
    return (merge(x8), x7, x9, gravitate(x3, initset(NEG_UNITY)), occurrences(I, x3))
def g(I):
    return valmax(combine(vsplit(I, TWO), hsplit(I, TWO)), compose(size, palette))
