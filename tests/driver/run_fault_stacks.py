# Threads that come to barriers each by its own way have a stack each; where there is no memory for them that is a fault, and the
# process goes on to say so.
# RUN: %exits 4 env KERN_CPU_THREADS=1 bash -c "ulimit -v 900000; exec %kernc run %s k o=zeros:i64:1024 --grid 2 --block 1024 -Wno-barrier" 2>&1 | %FileCheck %s
# RUN: env KERN_CPU_THREADS=1 bash -c "ulimit -v 900000; exec %kernc run %s k o=zeros:i64:32 --grid 1 --block 32 -Wno-barrier --print o[0:4]" | %FileCheck %s --check-prefix=FITS
from numba import cuda


@cuda.jit
def k(o):
    t = cuda.threadIdx.x
    r = 0
    while r < 2:
        r += 1
        if (t + r) % 2 == 0:
            continue
        o[t] = cuda.syncthreads_count(t < 16)


# CHECK: run_fault_stacks.py:16:16: fault[memory]: there is no memory for a stack for each thread of the block, which the barrier needs, block ({{[01]}},0,0) thread (0,0,0)
# FITS: o[0:4] = [16, 16, 16, 16]
