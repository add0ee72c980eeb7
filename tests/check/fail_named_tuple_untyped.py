# A namedtuple in a signature says the types of its elements, wherever it stands.
# RUN: %exits 2 %kernc check %s -Wno-generic_kernel --sig 'f(float32[:], Point)' 2>&1 | %FileCheck %s
# RUN: %exits 2 %kernc check %s -Wno-generic_kernel --sig 'g(float32[:], (Point, int32))' 2>&1 | %FileCheck %s
# RUN: %exits 2 %kernc check %s -Wno-generic_kernel --sig 'g(float32[:], UniTuple(Point, 2))' 2>&1 | %FileCheck %s
# RUN: %exits 1 %kernc check %s -Wno-generic_kernel --sig 'h(float32[:], Nothing)' 2>&1 | %FileCheck --check-prefix=EMPTY %s
# RUN: %kernc check %s -Wno-generic_kernel --sig 'f(float32[:], Point(float32, int64))'
from collections import namedtuple
from numba import cuda

Point = namedtuple('Point', 'x y')
Nothing = namedtuple('Nothing', '')


@cuda.jit
def f(r, p):
    r[0] = p.x + p.y


@cuda.jit
def g(r, t):
    r[0] = t[0].x


@cuda.jit
def h(r, t):
    r[0] = t.x
# CHECK: error[E0466]: the elements of `Point` have no types; write `Point(float32, float32)`
# EMPTY: error[E0430]: `Nothing` has no field `x`
