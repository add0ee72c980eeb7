# RUN: not %kernc check %s 2>&1 | %FileCheck %s
from numba import cuda, types


# CHECK: [[#@LINE+1]]:12: error[E0414]: `types.Array(types.float32, 9, 'C')`: an array has 1 to 8 axes
@cuda.jit((types.Array(types.float32, 9, 'C'), types.int32))
def rank(x, n):
    x[0] = n


# CHECK: [[#@LINE+1]]:12: error[E0414]: `types.optional(types.int32)`: a parameter has one type
@cuda.jit((types.optional(types.int32),))
def maybe(n):
    pass


# CHECK: [[#@LINE+1]]:12: error[E0414]: `types.CPointer(types.float32)`: a kernel takes arrays
@cuda.jit((types.CPointer(types.float32),))
def pointer(p):
    pass


# CHECK: [[#@LINE+1]]:12: error[E0414]: `types.UniTuple(types.int32)`: write `UniTuple(dtype, count)`
@cuda.jit((types.UniTuple(types.int32),))
def short(t):
    pass
