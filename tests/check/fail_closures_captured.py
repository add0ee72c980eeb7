# A captured parameter that nothing gives: the error writes what to add, by how the value is used.
# RUN: %exits 1 %kernc check %s --sig 'make.k(float32[:])' 2>&1 | %FileCheck %s
from numba import cuda


def make(fn, n, dtype, shape):
    @cuda.jit
    def k(x):
        s = cuda.local.array(shape, dtype)
        x[0] = n
        x[1] = fn(x[0])
        s[0] = 1

    return k


# CHECK: :9:30: error[E0420]: `shape` is captured from `make`, which kernc does not run; give it with `-D make.shape=(16,16)`
# CHECK: :6:24: note: `shape` is a parameter of `make` here
# CHECK: :9:37: error[E0420]: {{.*}}`-D make.dtype=float32`
# CHECK: :10:16: error[E0420]: {{.*}}`-D make.n=VALUE`
# CHECK: :11:16: error[E0420]: {{.*}}`-D make.fn=FILE.py:FUNCTION`


def wrap(op, size):
    reduce_op = cuda.jit(device=True)(op)
    width = size * 2

    @cuda.jit
    def reduce(x):
        x[0] = reduce_op(x[0], width)


# What is made of a parameter asks for the parameter.
# RUN: %exits 1 %kernc check %s --sig 'reduce(float32[:])' 2>&1 | %FileCheck --check-prefix=CHAIN %s
# CHAIN: [[@LINE-5]]:16: error[E0420]: `op` is captured from `wrap`, which kernc does not run; give it with `-D wrap.op=FILE.py:FUNCTION`
# CHAIN: [[@LINE-6]]:32: error[E0420]: `size` is captured from `wrap`
