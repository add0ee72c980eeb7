# RUN: %kernc %s --sig 'k(int64[:])' --emit=ir -o - | %FileCheck %s
# RUN: %kernc run %s k o=zeros:i64:64 --grid 1 --block 64 --print o[31:33] | %FileCheck --check-prefix=OUT %s
# `activemask()` and `lanemask_lt()` are uint32, as in Numba, so that shifts bring no sign down.
from numba import cuda


@cuda.jit
def k(o):
    i = cuda.grid(1)
    mask = cuda.activemask()
    before = mask & cuda.lanemask_lt()
    o[i] = (mask >> 31) * 100 + cuda.popc(before)
    cuda.syncwarp(mask)


# CHECK: var mask: u32
# CHECK: mask = activemask()
# CHECK: : u32 = lanemask_lt()
# OUT: o[31:33] = [131, 100]
