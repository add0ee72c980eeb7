# RUN: %kernc check %s 2>&1 | %FileCheck %s
# A literal that makes float32 arithmetic float64: once for each function, with what to write.
import numpy as np
from numba import cuda

HALF = 0.5

@cuda.jit('void(float32[:], float32[:])')
def f(x, y):
    i = cuda.grid(1)
    y[i] = x[i] * 2.0
    y[i] = HALF - max(x[i], 0.0)
    y[i] = x[i] * 2
    y[i] = x[i] ** 1.5
# CHECK: :11:19: warning[W0706]: `2.0` makes this arithmetic {{.*}} write `np.float32(2.0)` [-Wwiden]
# CHECK: note: places in this function with the same cause: 4

@cuda.jit('void(float32[:], float64[:], float64)')
def fine(x, y, s):
    i = cuda.grid(1)
    k = 2.0
    x[i] = x[i] * np.float32(2.0)
    y[i] = x[i] * s + k
    y[i] = y[i] * 2.0
    if x[i] > 0.0:
        x[i] = x[i] ** 2
# CHECK-NOT: W0706
