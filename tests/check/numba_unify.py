# RUN: %kernc %s --sig 'f(float32[:], int32, float32)' --emit=ir | %FileCheck %s
# The assignments of a variable unify.
from numba import cuda

@cuda.jit
def f(x, n, s):
    a = n
    if n > 3:
        a = s
    x[0] = a
    b = 1 if n > 2 else s
    x[1] = b
# CHECK: var a: f64
# CHECK: var %{{[0-9]+}}: f64
# CHECK: var b: f64
# CHECK: a = f64(n)
# CHECK: %{{[0-9]+}}: bool = n > 3
# CHECK: a = f64(s)
# CHECK: %{{[0-9]+}}: f32 = f32(a)
# CHECK: store x[0] = %{{[0-9]+}}
# CHECK: %{{[0-9]+}}: bool = n > 2
# CHECK: %{{[0-9]+}} = 1.0
# CHECK: %{{[0-9]+}} = f64(s)
# CHECK: b = %{{[0-9]+}}
# CHECK: %{{[0-9]+}}: f32 = f32(b)
# CHECK: store x[1] = %{{[0-9]+}}
