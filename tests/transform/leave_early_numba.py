# Kernels as they are written for Numba: the barriers stand under `if i < size`, and the last block is not full.
# RUN: %kernc run %s shared_test out=zeros:f64:7 a=ones:f64:7 size=7 --grid 1 --block 8 --print out -Werror=barrier | %FileCheck %s --check-prefix=SHARED
# RUN: %kernc run %s pool out=zeros:f64:7 a=arange:f64:7 size=7 --grid 1 --block 8 --print out -Werror=barrier | %FileCheck %s --check-prefix=POOL
# RUN: %kernc run %s dot out=zeros:f64:1 a=arange:f64:7 b=arange:f64:7 size=7 --grid 1 --block 8 --print out -Werror=barrier | %FileCheck %s --check-prefix=DOT
# RUN: %kernc run %s prefix_sum out=zeros:f64:2 a=arange:f64:15 size=15 --grid 2 --block 8 --print out -Werror=barrier | %FileCheck %s --check-prefix=PREFIX
# RUN: %kernc run %s prefix_sum out=zeros:f64:2 a=arange:f64:15 size=15 --grid 2 --block 8 --print out --lanes=1 | %FileCheck %s --check-prefix=PREFIX
# RUN: %kernc run %s prefix_sum out=zeros:f64:2 a=arange:f64:15 size=15 --grid 2 --block 8 --print out --lanes=32 | %FileCheck %s --check-prefix=PREFIX
# RUN: %kernc run %s array_sum data=arange:i32:1000 --grid 1 --block 1024 --print data[0:1] -Werror=barrier | %FileCheck %s --check-prefix=SUM
from numba import cuda, float64, int32

TPB = 8


@cuda.jit
def shared_test(out, a, size):
    shared = cuda.shared.array(TPB, float64)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    if i < size:
        shared[local_i] = a[i]
        cuda.syncthreads()
        out[i] = shared[local_i] + 10


@cuda.jit
def pool(out, a, size):
    shared = cuda.shared.array(TPB, float64)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    if i < size:
        shared[local_i] = a[i]
        cuda.syncthreads()
        if i == 0:
            out[i] = shared[local_i]
        elif i == 1:
            out[i] = shared[local_i] + shared[local_i - 1]
        else:
            out[i] = shared[local_i] + shared[local_i - 1] + shared[local_i - 2]


@cuda.jit
def dot(out, a, b, size):
    shared = cuda.shared.array(TPB, float64)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    if i < size:
        shared[local_i] = a[i] * b[i]
        cuda.syncthreads()
        if i == 0:
            total = 0.0
            for k in range(size):
                total += shared[k]
            out[0] = total


@cuda.jit
def prefix_sum(out, a, size):
    cache = cuda.shared.array(TPB, float64)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    local_i = cuda.threadIdx.x
    if i < size:
        cache[local_i] = a[i]
        cuda.syncthreads()
        for k in range(3):
            p = 2 ** k
            if local_i % (p * 2) == 0 and i + p < size:
                cache[local_i] += cache[local_i + p]
            cuda.syncthreads()
        if local_i == 0:
            out[cuda.blockIdx.x] = cache[local_i]


@cuda.jit
def array_sum(data):
    tid = cuda.threadIdx.x
    size = len(data)
    if tid < size:
        i = cuda.grid(1)
        shr = cuda.shared.array(1024, int32)
        shr[tid] = data[i]
        cuda.syncthreads()
        s = 1
        while s < cuda.blockDim.x:
            if tid % (2 * s) == 0 and tid + s < size:
                shr[tid] += shr[tid + s]
            s *= 2
            cuda.syncthreads()
        if tid == 0:
            data[tid] = shr[tid]


# SHARED: out = [11.0, 11.0, 11.0, 11.0, 11.0, 11.0, 11.0]
# POOL: out = [0.0, 1.0, 3.0, 6.0, 9.0, 12.0, 15.0]
# DOT: out = [91.0]
# PREFIX: out = [28.0, 77.0]
# SUM: data[0:1] = [499500]
