# Named tuples: made by place and by name, in functions and loops, with fields by name and by index.
# RUN: %kernc run %s k o=[5,6,0] --grid 1 --block 1 --print o | %FileCheck %s
# CHECK: o = [6, 2, 7]
from collections import namedtuple
from numba import cuda

Point = namedtuple("Point", "x y")
Pair = namedtuple("Pair", ["first", "second"])


@cuda.jit(device=True)
def flip(p):
    return Point(p.y, x=p.x) if False else Point(p.y, p.x)


@cuda.jit
def k(o):
    p = Point(o[0], y=o[1])
    for j in range(3):
        p = flip(p)
    q = Pair(p, 2)
    o[0] = q.first.x
    o[1] = q.second
    o[2] = p[1] + q[1]
