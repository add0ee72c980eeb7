# In a .py file threads may come to a barrier differently: those that disagree with the first one are told, and the block ends.
# RUN: %exits 4 %kernc run -Wno-barrier %s of_if x=arange:i32:96 out=zeros:i32:96 --grid 3 --block 32 -o out=%t.npy 2>&1 | %FileCheck %s --check-prefix=IF
# RUN: %exits 4 %kernc run -Wno-barrier %s of_if x=arange:i32:96 out=zeros:i32:96 --grid 3 --block 32 --lanes=1 2>&1 | %FileCheck %s --check-prefix=IF
# RUN: %exits 4 %kernc run -Wno-barrier %s of_for x=arange:i32:96 out=zeros:i32:96 --grid 1 --block 96 2>&1 | %FileCheck %s --check-prefix=FOR
# RUN: %exits 4 %kernc run -Wno-barrier %s of_while x=arange:i32:96 out=zeros:i32:96 --grid 1 --block 96 2>&1 | %FileCheck %s --check-prefix=WHILE
# RUN: %exits 4 %kernc run -Wno-barrier %s of_call x=arange:i32:96 out=zeros:i32:96 --grid 1 --block 96 2>&1 | %FileCheck %s --check-prefix=CALL
# RUN: %kernc run -Wno-barrier %s of_if x=ones:i32:96 out=zeros:i32:96 --grid 3 --block 32 --print out | %FileCheck %s --check-prefix=AGREED
# RUN: %python -c "import numpy, sys; out = numpy.load(sys.argv[1]); assert (out[:32] == 1).all() and not out[32:64].any() and (out[64:] == 3).all(), out" %t.npy
from numba import cuda


@cuda.jit
def of_if(x, out):
    i = cuda.grid(1)
    if x[i] >= 40:
        cuda.syncthreads()
    out[i] = 1 + cuda.blockIdx.x


@cuda.jit
def of_for(x, out):
    i = cuda.grid(1)
    for _ in range(x[i] // 64):
        cuda.syncthreads()
    out[i] = 1


@cuda.jit
def of_while(x, out):
    i = cuda.grid(1)
    left = x[i]
    while left < 90:
        cuda.syncthreads()
        left += 90
    out[i] = 1


@cuda.jit(device=True)
def wait(some):
    if some:
        cuda.syncthreads()


@cuda.jit
def of_call(x, out):
    i = cuda.grid(1)
    wait(x[i] == 70)
    out[i] = 1


# IF: run_fault_barrier.py:[[#@LINE-36]]:{{[0-9]+}}: fault[barrier]: threads of one block disagree on whether to reach the barrier, block (1,0,0) thread (8,0,0)
# IF-NEXT: if x[i] >= 40:
# FOR: fault[barrier]: threads of one block disagree on whether to reach the barrier, block (0,0,0) thread (64,0,0)
# FOR-NEXT: for _ in range(x[i] // 64):
# WHILE: fault[barrier]: threads of one block disagree on whether to reach the barrier, block (0,0,0) thread (90,0,0)
# WHILE-NEXT: while left < 90:
# CALL: fault[barrier]: threads of one block disagree on whether to reach the barrier, block (0,0,0) thread (70,0,0)
# CALL-NEXT: if some:
# AGREED: out = [1,
