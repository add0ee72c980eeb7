# Where nothing is proved, a barrier is complete when all threads of the block that have not left wait at it.
# DEFINE: %{args}=o=zeros:i64:8 --grid 1 --block 8 --print o -Wno-barrier
# RUN: %kernc run %s first_round %{args} | %FileCheck %s --check-prefix=FIRST
# RUN: %kernc run %s first_round %{args} --lanes=1 | %FileCheck %s --check-prefix=FIRST
# RUN: %kernc run %s first_round %{args} --lanes=16 | %FileCheck %s --check-prefix=FIRST
# RUN: %kernc run %s first_round %{args} --lanes=32 | %FileCheck %s --check-prefix=FIRST
# RUN: %kernc run %s tree %{args} | %FileCheck %s --check-prefix=TREE
# RUN: %kernc run %s votes %{args} | %FileCheck %s --check-prefix=VOTES
# RUN: %kernc run %s called %{args} | %FileCheck %s --check-prefix=CALLED
# RUN: %kernc run %s skips %{args} | %FileCheck %s --check-prefix=SKIPS
# RUN: %kernc run %s tree o=zeros:i64:1024 --grid 40 --block 1024 --print o[0:1] -Wno-barrier | %FileCheck %s --check-prefix=LARGE
# RUN: %kernc %s --sig "votes(int64[:])" -o - -Wno-barrier | %FileCheck %s --check-prefix=PTX
from numba import cuda, int64


@cuda.jit
def first_round(o):
    s = cuda.shared.array(8, int64)
    t = cuda.threadIdx.x
    for i in range(1 + t % 3):
        if i == 0:
            s[t] = t
            cuda.syncthreads()
            o[t] = s[7 - t]
        o[t] += 100


@cuda.jit
def tree(o):
    s = cuda.shared.array(1024, int64)
    t = cuda.threadIdx.x
    s[t] = t
    cuda.syncthreads()
    j = 1
    while j < cuda.blockDim.x:
        if t % (2 * j) == 0:
            s[t] += s[t + j]
            cuda.syncthreads()
        j *= 2
    if t == 0:
        o[0] = s[0]


@cuda.jit
def votes(o):
    t = cuda.threadIdx.x
    local = cuda.local.array(4, int64)
    for k in range(4):
        if (t + k) % 2 == 0:
            continue
        local[k] = cuda.syncthreads_count(t < 4)
        local[k] += 10 * cuda.syncthreads_or(t == 7)
        local[k] += 100 * cuda.syncthreads_and(t < 7)
    for k in range(4):
        o[t] += local[k]


@cuda.jit(device=True)
def meet(s, t):
    s[t] = t
    if t % 2 == 1:
        return -1
    cuda.syncthreads()
    return s[6 - t]


@cuda.jit
def called(o):
    s = cuda.shared.array(8, int64)
    t = cuda.threadIdx.x
    if t > 5:
        return
    s[6] = 6
    value = meet(s, t)
    if t % 2 == 0:
        cuda.syncthreads()
    o[t] = value


@cuda.jit
def skips(o):
    t = cuda.threadIdx.x
    for k in range(4):
        if k == t:
            continue
        o[t] = o[t] * 10 + cuda.syncthreads_count(k < 2)


# FIRST: o = [107, 206, 305, 104, 203, 302, 101, 200]
# TREE: o = [28, 0,
# LARGE: o[0:1] = [523776]
# VOTES: o = [28, 28, 28, 28, 28, 28, 28, 28]
# CALLED: o = [6, -1, 4, -1, 2, -1, 0, 0]
# SKIPS: o = [860, 860, 860, 860, 8600, 8600, 8600, 8600]
# A vote is counted in shared memory between two barriers, each of which stands in the code once.
# PTX-NOT: barrier.red
# PTX: barrier.sync
# PTX-NOT: barrier.
# PTX: atom.shared.add.u32
# PTX-NOT: barrier.
# PTX: barrier.sync
# PTX-NOT: atom.shared
# PTX: barrier.sync
# PTX-NOT: barrier.
# PTX: atom.shared.add.u32
# PTX-NOT: barrier.
# PTX: barrier.sync
# PTX-NOT: atom.shared
# PTX: barrier.sync
# PTX-NOT: barrier.
# PTX: atom.shared.add.u32
# PTX-NOT: barrier.
# PTX: barrier.sync
# PTX-NOT: atom.shared
# PTX-NOT: barrier.
# PTX: .entry votes$v1(
