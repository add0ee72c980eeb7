# RUN: %kernc check %s 2>&1 | %FileCheck %s
# RUN: %kernc check -Wno-barrier %s 2>&1 | %FileCheck %s --allow-empty --check-prefix=OFF
# RUN: %exits 1 %kernc check -Werror=barrier %s
# In a .py file a divergent barrier is a warning.
from numba import cuda


@cuda.jit('void(float32[:])')
def f(x):
    t = cuda.threadIdx.x
    if t < 16:
        cuda.syncthreads()
    x[t] = 1.0
    cuda.syncthreads()
# CHECK: :12:9: warning[W0701]: not all threads of the block come to `syncthreads` alike; it waits for those that have not left
# CHECK: :11:8: note: `t < 16` decides which threads come to the barrier
# OFF-NOT: W0701
