# RUN: %kernc check %s
# An `assert` at the head of a kernel, whose condition the host computes where it can, calls a function that calls itself.
from numba import cuda


@cuda.jit("int64(int64)", device=True)
def down(n):
    if n <= 0:
        return 1
    return down(n - 1) + 1


@cuda.jit("void(float32[:], int64)")
def k(x, n):
    assert down(n) > 0
    x[0] = 1.0
