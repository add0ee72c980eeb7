# In a .py file a computed index may count from the end: it is in range where it does.
from numba import cuda

@cuda.jit("void(float32[:], int64)")
def k(x, n):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        x[i] = x[i - 1] + x[i + 1]
    if -x.size <= n < x.size:
        x[n] = 1.0
    if n < x.size:
        x[n] = 2.0
# CHECK: 8:18 x[0] i - 1: proved by `0 < i` at 7:8
# CHECK: 8:29 x[0] i + 1: proved by `i < x.size - 1` at 7:12
# CHECK: 8:11 x[0] i: proved by `i < x.size - 1` at 7:12
# CHECK: 10:11 x[0] n: proved by `-x.size <= n` at 9:8 and `n < x.size` at 9:19
# CHECK: 12:11 x[0] n: kept
# RUN: %kernc %s --emit=guards | %FileCheck %s
