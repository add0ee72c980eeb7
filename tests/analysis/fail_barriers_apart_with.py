# RUN: %exits 1 %kernc check %s 2>&1 | %FileCheck %s
# Threads that come to barriers each by its own way have neither a warp nor a grid to meet in.
from numba import cuda


@cuda.jit("void(int32[:])")
def warp(x):
    t = cuda.threadIdx.x
    if t < 16:
        cuda.syncthreads()
    x[t] = cuda.shfl_sync(0xffffffff, x[t], 0)
    cuda.syncthreads()


@cuda.jit("void(int32[:])")
def grid(x):
    t = cuda.threadIdx.x
    if t < 16:
        cuda.syncthreads()
    cuda.cg.this_grid().sync()


# CHECK: :7:5: error[E0603]: not all threads of a block come to the barriers of `warp` alike, which must be so in a kernel with collectives of a warp
# CHECK: :16:5: error[E0603]: {{.*}} `grid` alike, which must be so in a kernel with barriers of the grid
