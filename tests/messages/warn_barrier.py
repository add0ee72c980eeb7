# In a .py file a divergent barrier is a warning: it may be switched off, or made an error.
# RUN: %kernc %s 2>&1 | %FileCheck %s
# RUN: %exits 1 %kernc %s -Werror=barrier 2>&1 | %FileCheck --check-prefix=ERROR %s
# RUN: %kernc %s -Wno-barrier 2>&1 | %FileCheck --check-prefix=OFF %s
from numba import cuda


@cuda.jit("void(float32[:])")
def k(x):
    if cuda.threadIdx.x > 3:
        cuda.syncthreads()
    cuda.syncthreads()


# CHECK: warn_barrier.py:11:9: warning[W0701]: not all threads of the block come to `syncthreads` alike; it waits for those that have not left [-Wbarrier]
# CHECK: warn_barrier.py:10:8: note: `threadIdx.x` differs between threads
# ERROR: warn_barrier.py:11:9: error[W0701]: {{.*}} [-Werror=barrier]
# OFF-NOT: W0701
