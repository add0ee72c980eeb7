# RUN: %kernc run %s k x=ones:f32:4 -D k.dtype=float64 -D k.n=3 -D k.op=%s:twice --grid 1 --block 1 --print x | %FileCheck --check-prefix=OUT %s
# RUN: %kernc %s --sig 'k(float32[:])' -D k.dtype=float64 -D k.n=3 -D k.op=%s:twice --emit=ir -o - | %FileCheck %s
# RUN: %kernc %s --sig 'k(float32[:], None, None, None)' -D k.dtype=float64 -D k.n=3 -D k.op=%s:twice --emit=ir -o - | %FileCheck %s
# RUN: %kernc check %s --sig 'Model.step(float32[:])' -D Model.step.shape=2,3
# RUN: %exits 2 %kernc check %s --sig 'k(float32[:])' -D k.other=3 2>&1 | %FileCheck --check-prefix=UNKNOWN %s
# A parameter that takes a type, a function, or a constant that must be known gets it by -D, and no launch passes it.
from numba import cuda


@cuda.jit(device=True)
def twice(x):
    return x * 2


@cuda.jit
def k(x, dtype, n, op):
    s = cuda.shared.array(n, dtype)
    s[0] = op(x[0]) + len(s)
    x[0] = s[0]


class Model:
    @cuda.jit
    def step(x, shape):
        s = cuda.local.array(shape, x.dtype)
        s[1, 2] = 5
        x[0] = s[1, 2]


# OUT: x = [5.0, 1.0, 1.0, 1.0]
# CHECK: kernel k(x: f32[:])
# CHECK: s: shared f64[::1]
# UNKNOWN: error[E0413]: `-D k.other`: there is no constant of that name
