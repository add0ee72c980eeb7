# RUN: %kernc check %s 2>&1 | %FileCheck %s
# The barrier in the words of Numba; a block that the kernel does not fix may be of any size.
from numba import cuda, float32

THREADS = 128


@cuda.jit('void(float32[:], float32[:])')
def total(x, out):
    s = cuda.shared.array(THREADS, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    s[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    step = cuda.blockDim.x // 2
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]
# CHECK: :18:21: warning[W0716]: `s[t + step]` is loaded here and stored by another thread, with no barrier between
# CHECK: :16:11: note: write `cuda.syncthreads()` as the last statement of this loop


@cuda.jit('void(float32[:], float32[:])')
def left(x, out):
    s = cuda.shared.array(THREADS, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i >= x.size:
        return
    s[t] = x[i]
    cuda.syncthreads()
    out[i] = s[cuda.blockDim.x - 1 - t]
# CHECK: :35:14: warning[W0717]: {{.*}} may be loaded here though no thread has stored it
# CHECK: :33:5: note: who has left does not store `s[t]` here
# CHECK: :31:8: note: this decides who leaves
# CHECK-NOT: warning
