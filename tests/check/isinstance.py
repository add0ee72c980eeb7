# RUN: %kernc run %s k --grid=1 --block=1 o=zeros:i64:12 a=arange:f32:3 n=int32:4 --print o | %FileCheck %s
# The types of a kernel are known: `isinstance` is a constant, and the branch that is not taken is not looked at.
import numpy as np
from numba import cuda


@cuda.jit(device=True)
def size_of(x):
    if isinstance(x, tuple):
        return len(x)
    if isinstance(x, (int, float)):
        return 100
    return x.size


@cuda.jit
def k(o, a, n):
    o[0] = isinstance(3, int)
    o[1] = isinstance(2.5, float)
    o[2] = isinstance(a[0], np.float32)
    o[3] = isinstance(a[0], float)          # float is float64
    o[4] = isinstance(n, (np.int32, np.int64))
    o[5] = isinstance(n, int)               # int is int64
    o[6] = isinstance((1, 2), tuple)
    o[7] = isinstance(True, bool)
    o[8] = size_of((a, n, 2))
    o[9] = size_of(2.5)
    o[10] = size_of(a)
    o[11] = len(tuple((1, 2))) + isinstance(range(3), range)


# CHECK: o = [1, 1, 1, 0, 1, 0, 1, 1, 3, 100, 3, 3]
