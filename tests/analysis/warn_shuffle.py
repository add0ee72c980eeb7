# RUN: %kernc check %s 2>&1 | %FileCheck %s
# RUN: %exits 1 %kernc check -Werror=shuffle %s
from numba import cuda


@cuda.jit('void(float32[:], float32[:])')
def sums(x, out):
    i = cuda.grid(1)
    if i >= x.size:
        return
    v = x[i]
    v += cuda.shfl_down_sync(0xffffffff, v, 16)
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, v)
# CHECK: :12:10: warning[W0715]: `shfl_down_sync` may read a lane that has left the kernel
# CHECK: note: {{.*}} a value that changes nothing


@cuda.jit('void(float32[:], float32[:])')
def rows(x, out):
    row = cuda.grid(1) // 32
    if row >= x.size:
        return
    out[row] = cuda.shfl_down_sync(0xffffffff, x[row], 16)
# CHECK-NOT: W0715
