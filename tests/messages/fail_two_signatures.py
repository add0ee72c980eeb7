# Each of several signatures has all types.
# RUN: %exits 1 %kernc %s 2>&1 | %FileCheck %s
from numba import cuda


@cuda.jit(["void(float32[:], int32)", "void(float32[:])"])
def k(x, n):
    x[0] = n


# CHECK: fail_two_signatures.py:6:39: error[E0410]: `k` has 2 parameters; the signature names 1 types
# CHECK: fail_two_signatures.py:7:5: note: `k` is defined here
