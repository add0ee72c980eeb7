# RUN: %kernc %s --sig 'f(int64[:], int64)' --emit=ir | %FileCheck %s
# A shift by 64 or more gives 0.
from numba import cuda

@cuda.jit
def f(x, n):
    x[0] = x[1] << n
    x[1] = x[2] >> 3
# CHECK: %{{[0-9]+}}: i64 = %{{[0-9]+}} << n
# CHECK: %{{[0-9]+}}: bool = %{{[0-9]+}} < 64
# CHECK: %{{[0-9]+}}: i64 = %{{[0-9]+}} if %{{[0-9]+}} else 0
# CHECK: %{{[0-9]+}}: i64 = %{{[0-9]+}} >> 3
