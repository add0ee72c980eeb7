# RUN: %kernc %s --emit=ir | %FileCheck %s
# In a .py file literals are int64 and float64 whatever they meet, and so are ranges of them what Numba makes of them.
from numba import cuda


@cuda.jit("void(int32[:], uint8[:], float32[:])")
def f(y, u, x):
    n = 0
    n += 1
    y[0] = n
    while n < y[1]:
        n += 1
    flag = 1
    if x[0] > 0.5:
        flag = 0
    u[0] = flag
    scale = 0.5
    scale += 1
    x[0] = scale
    for k in range(10):
        u[k] = k


# CHECK: var n: i64
# CHECK: var flag: i64
# CHECK: var scale: f64
# CHECK: var k: i64
