from numba import cuda

SCALE = 3


@cuda.jit(device=True)
def scaled(x):
    return x * SCALE
