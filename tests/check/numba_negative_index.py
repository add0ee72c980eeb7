# RUN: %kernc %s --sig 'f(float32[:], int64)' --emit=ir | %FileCheck %s
# A computed index may count from the end, unless it is known not to be negative.
from numba import cuda

@cuda.jit
def f(x, n):
    x[n] = 1
    i = cuda.grid(1)
    x[i + 1] = 2
    for k in range(n):
        x[k] = 3
# CHECK: %{{[0-9]+}}: bool = n < 0
# CHECK: %{{[0-9]+}}: i64 = x.shape[0]
# CHECK: %{{[0-9]+}}: i64 = %{{[0-9]+}} if %{{[0-9]+}} else n
# CHECK: guard x[0] %{{[0-9]+}}
# CHECK: guard x[0] %{{[0-9]+}}
# CHECK: guard x[0] k
