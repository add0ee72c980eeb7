# RUN: %kernc %s --sig 'f(float32[:], int64)' --negative-index=fault --emit=ir | %FileCheck %s
# --negative-index=fault finds the indices that are negative by mistake.
from numba import cuda

@cuda.jit
def f(x, n):
    x[n] = 1
# CHECK: guard x[0] n
