# A `continue` behind the barrier of a round, in a .py file: threads take it differently and meet in the next round; nothing warns.
# DEFINE: %{args}=x=arange:i64:8 out=zeros:i64:8 --grid 1 --block 8 --print out -Werror=barrier
# RUN: %kernc run %s conditional %{args} --lanes=1 | %FileCheck %s
# RUN: %kernc run %s conditional %{args} --lanes=16 | %FileCheck %s
# RUN: %kernc run %s conditional %{args} --lanes=32 | %FileCheck %s
# RUN: %kernc run %s counted %{args} | %FileCheck %s
# RUN: %kernc run %s of_tuple %{args} | %FileCheck %s
from numba import cuda


@cuda.jit
def conditional(x, out):
    t = cuda.threadIdx.x
    i = 0
    while i < 3:
        cuda.syncthreads()
        i += 1
        if x[t] > i - 1:
            continue
        out[t] += 1


@cuda.jit
def counted(x, out):
    t = cuda.threadIdx.x
    for i in range(3):
        cuda.syncthreads()
        if x[t] > i:
            continue
        out[t] += 1


@cuda.jit
def of_tuple(x, out):
    t = cuda.threadIdx.x
    for i in (0, 1, 2):
        cuda.syncthreads()
        if x[t] > i:
            continue
        out[t] += 1


# CHECK: out = [3, 2, 1, 0, 0, 0, 0, 0]
