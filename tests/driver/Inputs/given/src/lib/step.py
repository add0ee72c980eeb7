from numba import cuda

SIZE = 4


@cuda.jit(device=True)
def step(x):
    return x + 1
