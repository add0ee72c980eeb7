# RUN: %kernc run %s k o=zeros:f64:16 --grid 1 --block 2 --print o | %FileCheck %s
# RUN: %exits 1 %kernc check %s --sig 'sized(int64, float64[:])' 2>&1 | %FileCheck --check-prefix=SIZED %s
# RUN: %exits 1 %kernc check %s --sig 'large(float64[:])' 2>&1 | %FileCheck --check-prefix=LARGE %s
# An array that NumPy makes of a shape that is known is a local array; of another shape there is no memory for it in a kernel.
import numpy as np
from numba import cuda


@cuda.jit
def k(o):
    a = np.zeros(3)
    b = np.ones((2, 2), np.int32)
    c = np.full(2, 2.5, dtype=np.float32)
    d = np.empty_like(b)
    e = np.full_like(c, 3)
    a[1] = 4
    d[0, 1] = 5
    if cuda.threadIdx.x == 1:
        o[0] = a[0] + a[1]
        o[1] = b[1, 1] + b.itemsize
        o[2] = c[1] * c.itemsize
        o[3] = d[0, 1] + d.shape[1]
        o[4] = e[0] + e.itemsize
        o[5] = np.zeros_like(e).sum()


@cuda.jit
def sized(n, o):
    o[0] = np.empty(n)[0]


@cuda.jit
def large(o):
    o[0] = np.zeros((1000, 1000))[0, 0]


# CHECK: o = [4.0, 5.0, 10.0, 7.0, 7.0, 0.0, 0.0
# SIZED: made_arrays.py:29:21: error[E0342]: the shape `n` is not known to the compiler, as that of a local array must be
# LARGE: error[E0513]: a local array has at most 524288 bytes
