from numba import cuda


@cuda.jit('void(float64[:], float64, int32)')
def scale_gpu_kernel(x, factor, n):
    i = cuda.grid(1)
    if i < n:
        x[i] = x[i] * factor
