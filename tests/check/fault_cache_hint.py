# RUN: %exits 4 %kernc run %s k o=zeros:f32:2 i=5 --grid 1 --block 1 2>&1 | %FileCheck %s
# The index of an access with a cache hint is checked like any other.
from numba import cuda


@cuda.jit
def k(o, i):
    o[0] = cuda.ldcg(o, i)


# CHECK: index 5
