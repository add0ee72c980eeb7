# RUN: %exits 1 %kernc %s 2>&1 | %FileCheck %s
# A signature names a type for each parameter: E0410.
from numba import cuda

@cuda.jit("void(float32[:])")
def f(x, n):
    x[0] = n
# CHECK: :5:11: error[E0410]: `f` has 2 parameters; the signature names 1 types
# CHECK: :6:5: note: `f` is defined here
