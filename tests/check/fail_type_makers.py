# RUN: %exits 1 %kernc check %s 2>&1 | %FileCheck %s
from numba import cuda, types


# CHECK: :[[@LINE+1]]:22: error[E0390]: `types.Array(types.float32, 1)` is no type; write `Array(float32, 2, 'C')`
@cuda.jit(types.void(types.Array(types.float32, 1)))
def no_layout(x):
    x[0] = 1


# CHECK: :[[@LINE+1]]:22: error[E0390]: `types.UniTuple(types.float32, -1)` is no type
@cuda.jit(types.void(types.UniTuple(types.float32, -1)))
def no_count(x):
    pass


# CHECK: :[[@LINE+1]]:22: error[E0390]: `types.Tuple(types.float32)` is no type; write `Tuple((float64, int64))`
@cuda.jit(types.void(types.Tuple(types.float32)))
def no_elements(x):
    pass


# CHECK: :[[@LINE+1]]:22: error[E0465]: a signature of Kern has no `optional`; write the type alone, or `none`
@cuda.jit(types.void(types.optional(types.float32)))
def optional(x):
    pass


# CHECK: :[[@LINE+1]]:22: error[E0406]: `types.Array` is no type
@cuda.jit(types.void(types.Array, types.float32[:]))
def no_call(x, y):
    pass
