# RUN: %kernc %s --sig 'f(float64[:], int32, uint8, float32)' --emit=ir | %FileCheck %s
# Numba's arithmetic: integers widen to 64 bits, behind `-` and `~`, a float32 with a large integer becomes a float64.
from numba import cuda

@cuda.jit
def f(x, n, b, s):
    x[0] = n + n
    x[1] = n + s
    x[2] = b + s
    x[3] = n / 2
    x[4] = -b
    x[5] = s * 2
    x[6] = ~b
# CHECK: %{{[0-9]+}}: i64 = i64(n)
# CHECK: %{{[0-9]+}}: i64 = i64(n)
# CHECK: %{{[0-9]+}}: i64 = %{{[0-9]+}} + %{{[0-9]+}}
# CHECK: %{{[0-9]+}}: f64 = f64(%{{[0-9]+}})
# CHECK: %{{[0-9]+}}: f64 = f64(n)
# CHECK: %{{[0-9]+}}: f64 = f64(s)
# CHECK: %{{[0-9]+}}: f64 = %{{[0-9]+}} + %{{[0-9]+}}
# CHECK: %{{[0-9]+}}: f32 = f32(b)
# CHECK: %{{[0-9]+}}: f32 = %{{[0-9]+}} + s
# CHECK: %{{[0-9]+}}: f64 = f64(%{{[0-9]+}})
# CHECK: %{{[0-9]+}}: f64 = f64(n)
# CHECK: %{{[0-9]+}}: f64 = %{{[0-9]+}} / 2.0
# CHECK: %{{[0-9]+}}: u8 = -b
# CHECK: %{{[0-9]+}}: u64 = u64(%{{[0-9]+}})
# CHECK: %{{[0-9]+}}: f64 = f64(%{{[0-9]+}})
# CHECK: %{{[0-9]+}}: f64 = f64(s)
# CHECK: %{{[0-9]+}}: u8 = ~b
# CHECK: %{{[0-9]+}}: u64 = u64(%{{[0-9]+}})
# CHECK: %{{[0-9]+}}: f64 = f64(%{{[0-9]+}})
