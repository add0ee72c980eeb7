import numpy as np
from numba import cuda

SIZE = int(np.load("size.npy")[0])


@cuda.jit
def good(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = 2 * x[i]


@cuda.jit
def valued(x):
    x[SIZE] = unknown + SIZE


@cuda.jit(device=True)
def helper(x):
    return x
