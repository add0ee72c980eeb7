# RUN: %kernc run %s k o=zeros:f64:2 --grid 1 --block 1 --print o | %FileCheck %s
# `cuda.jit(f, device=True)` is `cuda.jit(device=True)(f)`; the name may be that of the function.
from numba import cuda


def twice(x):
    return x * 2


def once(x):
    return x


twice = cuda.jit(twice, device=True, inline=True)
single = cuda.jit(once, device=True)


@cuda.jit
def k(o):
    o[0] = twice(3)
    o[1] = single(4)


# CHECK: o = [6.0, 4.0]
