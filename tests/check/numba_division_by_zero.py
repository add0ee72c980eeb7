# RUN: %kernc %s --sig 'f(int64[:], int64)' --emit=ir | %FileCheck %s
# Integer // 0 and % 0 give 0, so nothing is tested.
from numba import cuda

@cuda.jit
def f(x, n):
    x[0] = x[1] // n
    x[2] = x[3] % n
# CHECK: %{{[0-9]+}}: i64 = %{{[0-9]+}} // n
