# RUN: %kernc %s -Wno-race --emit=guards --target=cuda -o - | %FileCheck %s
# Slices of shared.array(0) for each thread: what all of them need of the memory is one fact, which the launch tests.
import numba
from numba import cuda


# CHECK-LABEL: slices: 6 of 6 proved
# CHECK-NEXT: taken where x.strides[0] == 1
# CHECK-NEXT: taken where x.shape[0] >= blockDim.x
# CHECK-NEXT: taken where dynamic_shared_bytes // 8 >= blockDim.x * 85
# CHECK: `for p in range(5)` at {{[0-9:]+}} and the fact `dynamic_shared_bytes // 8 >= blockDim.x * 85`
@cuda.jit("void(float64[:], int32)")
def slices(x, n):
    memory = cuda.shared.array(shape=0, dtype=numba.float64)
    behind = memory[cuda.blockDim.x * 75:]
    t = cuda.threadIdx.x
    left = memory[t * 3 * 5 * 5:]
    right = behind[t * 2 * 5:]
    m = int(cuda.blockIdx.x % 5)
    for p in range(5):
        left[(2 * 5 + p) * 5 + m] = x[t]
        right[5 + m] = 1.0
    cuda.syncthreads()
    if t < n:
        x[t] = left[74] + right[9]


# One element more than the slice of a thread is one more behind the last thread's.
# CHECK-LABEL: one_more: {{[0-9]+ of [0-9]+}} proved
# CHECK: taken where dynamic_shared_bytes // 4 >= blockDim.x * 10 + 1
@cuda.jit("void(float32[:])")
def one_more(x):
    memory = cuda.shared.array(shape=0, dtype=numba.float32)
    own = memory[cuda.threadIdx.x * 10:]
    x[0] = own[10]


# Scalars are part of the sum, and must not be negative. What a load gives is none of it.
# CHECK-LABEL: scalars: 3 of 4 proved
# CHECK-NEXT: taken where x.strides[0] == 1
# CHECK-NEXT: taken where n >= 0
# CHECK-NEXT: taken where dynamic_shared_bytes // 4 >= n + blockDim.x * 10 + -9
# CHECK: own[0] int(x[0]): kept
@cuda.jit("void(float32[:], int32)")
def scalars(x, n):
    memory = cuda.shared.array(shape=0, dtype=numba.float32)
    own = memory[cuda.threadIdx.x * 10:]
    back = memory[n:]
    x[1] = own[n] + own[int(x[0])]


# A counter that steps by what blocks have beyond a halo does not fall where they have one.
# CHECK-LABEL: tiles: 3 of 3 proved
# CHECK-NEXT: taken where blockDim.x >= 2
# CHECK-NEXT: taken where dynamic_shared_bytes // 8 >= blockDim.x * 11
@cuda.jit("void(int32)")
def tiles(n):
    memory = cuda.shared.array(shape=0, dtype=numba.float64)
    rows = memory[cuda.blockDim.x * 5:]
    behind = rows[cuda.blockDim.x * 5:]
    i = cuda.threadIdx.x
    while i < n:
        count = n - (i - cuda.threadIdx.x)
        if count > cuda.blockDim.x:
            count = cuda.blockDim.x
        m = cuda.threadIdx.x
        rows[m] = 1.0
        m += count
        rows[m] = 2.0
        behind[cuda.threadIdx.x] = 1.0
        cuda.syncthreads()
        i += cuda.blockDim.x - 2
