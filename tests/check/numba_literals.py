# RUN: %kernc %s --sig 'f(float32[:])' --emit=ir | %FileCheck %s
# Literals are int64 and float64 from the start.
from numba import cuda

@cuda.jit
def f(x):
    s = 0
    s += x[0]
    k = 1
    k = k + 1
    x[1] = s
    x[k] = 0.1
# CHECK: var s: f64
# CHECK: var k: i64
# CHECK: s = 0.0
# CHECK: s = s + %{{[0-9]+}}
# CHECK: k = k + 1
# CHECK: %{{[0-9]+}}: f32 = f32(s)
# CHECK: store x[k] = 0.1
