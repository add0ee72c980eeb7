# Of two values that meet behind a branch the shape of an array is neither.
# RUN: %exits 1 %kernc run %s either a=zeros:f32:2 n=5 2>&1 | %FileCheck %s
# CHECK: fail_shape_version.py:[[#]]:26: error[E0342]: the shape `m` is not known to the compiler
from numba import cuda, float32


@cuda.jit
def either(a, n):
    m = 4
    if n > 4:
        m = n
    s = cuda.local.array(m, float32)
    i = cuda.grid(1)
    if i < a.size:
        a[i] = s.size
