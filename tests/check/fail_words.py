# In a .py file the vocabulary needs its import.
# RUN: %exits 1 %kernc %s --sig "k(float32[:])" 2>&1 | %FileCheck %s
from numba import cuda


@cuda.jit
def k(x):
    i = blockIdx.x
    x[i] = clz(i)
    cuda.synchronize()
    x[1] = cuda.gird(1)


# CHECK: `blockIdx` is not defined
# CHECK: note: in Kern it is `blockIdx.x`, `.y` and `.z`, which a .py file has as `cuda.blockIdx.x`
# CHECK: `clz` is not defined
# CHECK: note: it is `cuda.clz`, with `from numba import cuda`
# CHECK: `synchronize` is not defined in `numba.cuda`
# CHECK: note: in Kern it is the host's to do
# CHECK: `gird` is not defined in `numba.cuda`
# CHECK: note: the nearest name is `grid`
