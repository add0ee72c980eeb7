# RUN: %kernc run %s k x=[0,63] --grid 1 --block 2 --print x | %FileCheck %s
# RUN: %exits 4 %kernc run %s k x=[0,64] --grid 1 --block 2 --lanes=1 2>&1 | %FileCheck --check-prefix=FAULT %s
# RUN: %exits 4 %kernc run %s k x=[0,64] --grid 1 --block 2 --lanes=16 2>&1 | %FileCheck --check-prefix=FAULT %s
# A function calls itself to a depth of 64; beyond that the thread leaves by a fault, at the call.
from numba import cuda


@cuda.jit(device=True)
def depth(n):
    return 1 if n == 0 else 1 + depth(n - 1)


@cuda.jit
def k(x):
    x[cuda.grid(1)] = depth(x[cuda.grid(1)])


# CHECK: x = [1, 64]
# FAULT: fault_recursion.py:10:33: fault[recursion]: the functions that call each other here are 64 deep, which is the most, block (0,0,0) thread (1,0,0)
