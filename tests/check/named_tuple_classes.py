# Classes of named tuples, with defaults.
# RUN: %kernc run %s k o=[5,6,0,0] --grid 1 --block 1 --print o | %FileCheck %s
# CHECK: o = [6, 5, 2, 7]
from typing import NamedTuple

from numba import cuda


class Point(NamedTuple):
    """Two numbers.

    text: none of them
    """
    x: int
    y: int = 2


@cuda.jit(device=True)
def flip(p):
    return Point(p.y, p.x)


@cuda.jit
def k(o):
    p = flip(Point(o[0], y=o[1]))
    q = Point(7)
    o[0] = p.x
    o[1] = p[1]
    o[2] = q.y
    o[3] = q.x
