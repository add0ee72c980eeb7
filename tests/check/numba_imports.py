# RUN: %kernc %s --sig 'f(float32[:])' --emit=ir | %FileCheck %s
# Names come from imports only; np, math and numba are known.
import math
import numpy as np
from numba import cuda as c, float32
from numba import int32 as integer

@c.jit
def f(x):
    t = c.shared.array(shape=(2, 2), dtype=np.float32)
    t[0, 1] = float32(1) + math.pi
    x[c.threadIdx.x] = np.sqrt(t[0, 1]) + np.pi
    x[1] = integer(2.5) + np.inf
# CHECK: shared #0 t: f32[2, 2] align 16
# CHECK: var t: shared f32[:, ::1]
# CHECK: t = shared #0[2, 2]
# CHECK: store t[0, 1] = 4.1415925
# CHECK: %{{[0-9]+}}: f32 = math.sqrt(%{{[0-9]+}})
# CHECK: store x[%{{[0-9]+}}] = %{{[0-9]+}}
# CHECK: store x[1] = inf
