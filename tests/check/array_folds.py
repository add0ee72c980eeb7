# RUN: %kernc run %s k --grid=1 --block=4 "x=[3.0, 0.0, -7.5, 9.0, 4.0]" m=arange:f64:3x4 o=zeros:f64:4x8 --print o | %FileCheck %s
# RUN: %kernc run %s k --grid=1 --block=4 "x=[3.0, 0.0, -7.5, 9.0, 4.0]" m=arange:f64:3x4 o=zeros:f64:4x8 --lanes=1 -O0 --print o | %FileCheck %s
# RUN: %exits 4 %kernc run %s empty --grid=1 --block=1 "x=[3.0]" o=zeros:f64:1 2>&1 | %FileCheck %s --check-prefix=EMPTY
# min, max, sum, any and all of an array with one axis; an empty one has no least element.
from numba import cuda


@cuda.jit
def k(x, m, o):
    t = cuda.threadIdx.x
    o[t, 0] = min(x[t:])
    o[t, 1] = max(x[: t + 1])
    o[t, 2] = sum(x[t:])
    o[t, 3] = any(x[1:2])
    o[t, 4] = all(x[t:])
    o[t, 5] = sum(m[:, t])
    o[t, 6] = max(m.ravel()) + min(m[1])
    o[t, 7] = sum(x[:0], 10) + any(x[:0]) + 2 * all(x[:0])


@cuda.jit
def empty(x, o):
    o[0] = max(x[1:])


# CHECK: o = {{\[}}[-7.5, 3.0, 8.5, 0.0, 0.0, 12.0, 15.0, 12.0], [-7.5, 3.0, 5.5, 0.0, 0.0, 15.0, 15.0, 12.0],
# CHECK-SAME: [-7.5, 3.0, 5.5, 0.0, 1.0, 18.0, 15.0, 12.0], [4.0, 9.0, 13.0, 0.0, 1.0, 21.0, 15.0, 12.0]]
# EMPTY: array_folds.py:23:16: fault[index]: index 0 is out of range for axis 0
