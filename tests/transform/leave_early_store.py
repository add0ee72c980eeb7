# A barrier under an `if` whose other threads meet none and leave: they are not waited for.
# RUN: %kernc run %s k o=zeros:f64:8 n=5 --grid 1 --block 8 --print o[1:8] -Werror=barrier | %FileCheck %s
# RUN: %kernc run %s k o=zeros:f64:8 n=5 --grid 1 --block 8 --print o[1:8] --lanes=1 | %FileCheck %s
# RUN: %kernc run %s k o=zeros:f64:8 n=5 --grid 1 --block 8 --print o[1:8] --lanes=32 | %FileCheck %s
from numba import cuda


@cuda.jit
def k(o, n):
    i = cuda.threadIdx.x
    if i < n:
        o[i] = 1
        cuda.syncthreads()
        if i > 0:
            o[i] += o[0]


# CHECK: o[1:8] = [2.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0]
