# RUN: %kernc check %s 2>&1 | %FileCheck %s
# What is to be written is in the words of Numba.
from numba import cuda


@cuda.jit('void(float32[:], int32[:], int32[:], float32[:], float32[:])')
def f(x, n, h, out, y):
    i = cuda.grid(1)
    if i < x.size:
        out[n[0]] = x[i]
        n[0] += 1
        h[int(x[i]) % 4] += 1
        y[0] = x[i]
# CHECK: :11:9: warning[W0702]: {{.*}} instead write `p = cuda.atomic.add(n, 0, 1)` before the store to `out[n[0]]`, and `out[p]` there
# CHECK: :12:9: warning[W0745]: {{.*}} write `cuda.atomic.add(h, int(x[i]) % 4, 1)`
# CHECK: :13:9: warning[W0702]: {{.*}} `if cuda.grid(1) == 0:`
