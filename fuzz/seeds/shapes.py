# every way to write things
from dsl import *
def a(I: Grid, ) -> Tuple[Tuple[int]]:
	"""doc"""
	x: Integer = add(b=(1, -2), a=0x10); y = (x, (None, True), ()) ; return y
def b(I): return fork(astuple, first, last)(I)
def c(I):
    return (
        hconcat(I,
                vmirror(I),  # comment
        ))
def d(I):
    x = \
        rot90(I)
    x = rot90(x)
