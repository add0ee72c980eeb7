# RUN: %exits 1 %kernc %s --sig 'k(float32[:])' 2>&1 | %FileCheck %s
from numba import cuda


@cuda.jit
def k(x):
# CHECK: :[[@LINE+1]]:9: error[E0391]: `float32x3` is made of numbers and vectors that have 3 elements in all, not 2
    a = cuda.float32x3(x[0], x[1])
# CHECK: :[[@LINE+1]]:9: error[E0391]: `float2` is made of numbers and vectors that have 2 elements in all, not 3
    b = cuda.float2(cuda.float2(x[0], x[1]), x[2])
# CHECK: :[[@LINE+1]]:9: error[E0402]: `float32x5` is not defined in `numba.cuda`
    c = cuda.float32x5(x[0])
# CHECK: :[[@LINE+1]]:12: error[E0316]: (f32, f32) has no attribute `z`
    x[0] = cuda.float2(x[0], x[1]).z
