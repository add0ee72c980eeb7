# RUN: %kernc %s --emit=ir -o - | %FileCheck %s
# A signature may have a name of its own.
import numba as nb
from numba import cuda

arrays = nb.void(nb.float32[:], nb.int32)
text = "void(float64[:], int64)"


@cuda.jit([arrays, text])
def scale(x, n):
    i = cuda.grid(1)
    if i < n:
        x[i] *= 2


# CHECK: kernel scale(x: f32[:], n: i32)
# CHECK: kernel scale(x: f64[:], n: i64)
