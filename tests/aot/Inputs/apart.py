from numba import cuda


@cuda.jit("void(int32[:], int32)")
def apart(a, n):
    i = cuda.threadIdx.x
    if i < n:
        cuda.syncthreads()
    else:
        cuda.syncthreads()
    a[i] += 1
