# In a .py file threads may come to barriers differently: where they wait at different ones the block ends, and both places are told.
# RUN: %exits 4 %kernc run -Wno-barrier %s two_places x=arange:i32:96 out=zeros:i32:96 --grid 3 --block 32 -o out=%t.npy 2>&1 | %FileCheck %s --check-prefix=TWO
# RUN: %exits 4 %kernc run -Wno-barrier %s two_places x=arange:i32:96 out=zeros:i32:96 --grid 3 --block 32 --lanes=1 2>&1 | %FileCheck %s --check-prefix=TWO
# RUN: %kernc run -Wno-barrier %s of_if x=arange:i32:96 out=zeros:i32:96 --grid 3 --block 32 --print out[30:66] | %FileCheck %s --check-prefix=IF
# RUN: %kernc run -Wno-barrier %s of_for x=arange:i32:96 out=zeros:i32:96 --grid 1 --block 96 --print out[60:68] | %FileCheck %s --check-prefix=ONES
# RUN: %kernc run -Wno-barrier %s of_while x=arange:i32:96 out=zeros:i32:96 --grid 1 --block 96 --print out[60:68] | %FileCheck %s --check-prefix=ONES
# RUN: %kernc run -Wno-barrier %s of_call x=arange:i32:96 out=zeros:i32:96 --grid 1 --block 96 --print out[60:68] | %FileCheck %s --check-prefix=ONES
# RUN: %exits 4 %kernc run -Wno-barrier %s of_call x=arange:i32:96 out=zeros:i32:60 --grid 1 --block 96 2>&1 | %FileCheck %s --check-prefix=INDEX
# RUN: %kernc run -Wno-barrier %s two_places x=ones:i32:96 out=zeros:i32:96 --grid 3 --block 32 --print out[0:1] | %FileCheck %s --check-prefix=AGREED
# RUN: %python -c "import numpy, sys; out = numpy.load(sys.argv[1]); assert (out[:32] == 1).all() and not out[32:64].any() and (out[64:] == 3).all(), out" %t.npy
from numba import cuda


@cuda.jit
def two_places(x, out):
    i = cuda.grid(1)
    if x[i] >= 40:
        cuda.syncthreads()
    else:
        cuda.syncthreads()
    out[i] = 1 + cuda.blockIdx.x


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


# TWO: run_fault_barrier.py:[[#@LINE-45]]:{{[0-9]+}}: fault[barrier]: threads of one block wait at different barriers, block (1,0,0) thread (8,0,0)
# TWO-NEXT: cuda.syncthreads()
# TWO: run_fault_barrier.py:[[#@LINE-45]]:{{[0-9]+}}: note: others wait here
# IF: [1, 1, 2, 2,
# IF-SAME: 2, 2, 3, 3]
# ONES: [1, 1, 1, 1, 1, 1, 1, 1]
# INDEX: fault[index]: index 60 is out of range
# AGREED: [1]
