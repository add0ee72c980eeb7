# A namedtuple that a signature calls with the types of its elements keeps their names.
# RUN: %kernc check %s -Wno-generic_kernel --sig 'f(int64[:], float64[:], Point(int64, int64, float64))'
# RUN: %kernc %s --sig 'f(int64[:], float64[:], Point(int64, int64, float64))' -o - | %FileCheck --check-prefix=PTX %s
# RUN: %kernc check %s -Wno-generic_kernel --sig 'g(float64[:], (Point(int64, int64, float64), int64))'
from collections import namedtuple
from numba import cuda

Point = namedtuple('Point', ('x', 'y', 'radius'))


@cuda.jit
def f(n, r, p):
    n[0] = p.x
    n[1] = p.y
    r[0] = p.radius
# PTX: .entry f


@cuda.jit
def g(r, t):
    r[0] = t[0].radius + t[1]
