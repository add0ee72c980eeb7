# A constant argument that becomes a shape makes an instance for its value; other constants do not.
# RUN: %kernc %s --emit=ir | %FileCheck %s
from numba import cuda, float32

N = 6


@cuda.jit(device=True)
def scratch(x, n):
    s = cuda.local.array(n, float32)
    s[0] = x[0]
    return s[0] + n


@cuda.jit(device=True)
def through(x, m, v):
    return scratch(x, m + 1) + v


@cuda.jit('void(float32[:])')
def k(x):
    x[1] = scratch(x, 8)
    x[2] = scratch(x, n=N)
    x[3] = through(x, 3, 5)
    x[4] = through(x, 3, 6)


# CHECK-DAG: symbol scratch$f32_1$8
# CHECK-DAG: symbol scratch$f32_1$6
# CHECK-DAG: symbol scratch$f32_1$4
# CHECK-DAG: symbol through${{.*}}$3$i64
