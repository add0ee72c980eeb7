# RUN: %kernc run %s k x=full:f64:2:3.75 r=zeros:f64:8 --grid 1 --block 1 --print r | %FileCheck %s
# A device function with a signature is compiled for its types, as in Numba: what a call passes becomes them, and what is
# returned the result's. Of several signatures the nearest counts.
# CHECK: r = [1.0, 16777216.0, 6.0, 5.0, 7.0, -1.0, 3.0, 2.5]
from numba import cuda, float32, int32, uint8


@cuda.jit("int32(int32)", device=True)
def half(x):
    return x / 2


@cuda.jit(float32(float32, float32), device=True)
def add(a, b):
    return a + b


@cuda.jit((int32, int32), device=True)
def untold(a, b):
    return a + b


def twice(x):
    return x + x


narrow = cuda.jit("uint8(uint8)", device=True)(twice)


@cuda.jit(["int64(int64)", "float64(float64)"], device=True)
def either(x):
    return x / 2 + 5


@cuda.jit("void(float64[:], int32)", device=True)
def put(r, x):
    r[4] = x


@cuda.jit("int32(UniTuple(int32, 2))", device=True)
def sum_of(pair):
    return pair[0] + pair[1]


@cuda.jit
def k(r, x):
    r[0] = half(x[0])
    r[1] = add(16777216.0, x[0] - 2.75)
    r[2] = untold(x[0], x[1])
    r[3] = narrow(130.5) + either(2) - 5
    put(r, 7.5 * (x[0] > 0))
    r[5] = half(x=-3)
    r[6] = sum_of((x[0], 0))
    r[7] = either(-5.0)
