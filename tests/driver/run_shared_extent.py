# The extent of shared.array(0, T) comes from the launch wherever it is asked: slices, sizes, callees, guards that others rest on.
# RUN: %kernc run %s chunks x=arange:f64:64 y=zeros:f64:64 chunk=8 --grid 1 --block 8 --shared 512 --print y[0:2] --print y[62:64] | %FileCheck %s --check-prefix=CHUNKS
# RUN: %kernc run %s parts x=zeros:i64:6 --grid 1 --block 1 --shared 16 --guards=shadow --print x | %FileCheck %s --check-prefix=PARTS
# RUN: %kernc run %s parts x=zeros:i64:6 --grid 1 --block 1 --shared 16 --lanes=1 --print x | %FileCheck %s --check-prefix=PARTS
# RUN: %kernc run %s counts_down x=zeros:f32:4 n=3 --grid 1 --block 1 --shared 64 --guards=shadow --print x | %FileCheck %s --check-prefix=DOWN
# RUN: %exits 4 %kernc run %s counts_down x=zeros:f32:4 n=15 --grid 1 --block 1 --shared 60 --guards=shadow 2>&1 | %FileCheck %s --check-prefix=FAULT
# RUN: %kernc %s --sig 'counts_down(float32[:], int64)' -o - | %FileCheck %s --check-prefix=PTX
# CHUNKS: y[0:2] = [8.0, 9.0]
# CHUNKS: y[62:64] = [6.0, 7.0]
# PARTS: x = [1, 2, 99, 2, 4, 3]
# DOWN: x = [2.0, 1.0, 1.0, 1.0]
# FAULT: run_shared_extent.py:[[@LINE+43]]:11: fault[index]: index 16 is out of range for axis 0 of `s` (extent 15)
# PTX: .entry counts_down
from numba import cuda, float32, float64, int32


@cuda.jit
def chunks(x, y, chunk):
    all = cuda.shared.array(0, dtype=float64)
    t = cuda.threadIdx.x
    part = all[t * chunk:(t + 1) * chunk]
    for j in range(chunk):
        part[j] = x[t * chunk + j]
    cuda.syncthreads()
    other = all[((t + 1) % cuda.blockDim.x) * chunk:]
    for j in range(chunk):
        y[t * chunk + j] = other[j]


@cuda.jit(device=True)
def rest(a, start):
    return a[start:]


@cuda.jit
def parts(x):
    all = cuda.shared.array(0, dtype=int32)
    a, b = all[0:1], all[1:2]
    a[0] = 1
    b[0] = 2
    rest(all, x[5] + 3)[0] = 99
    x[0] = a[0]
    x[1] = b[0]
    x[2] = all[3]
    x[3] = cuda.shared.array(0, float64).size
    x[4] = all[:].size
    x[5] = rest(all, 1).size


@cuda.jit
def counts_down(x, n):
    s = cuda.shared.array(0, float32)
    for r in range(n):
        i = n - r
        s[i + 1] = 1.0
        s[i] = 2.0
    x[0] = s[1]
    x[1] = s[2]
    x[2] = s[3]
    x[3] = s[4]
