import numpy as np
from numba import cuda

TABLE = np.loadtxt("table.txt")


@cuda.jit
def good(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def bad(x):
    # Nothing but Python knows the table.
    i = cuda.grid(1)
    if i < x.size:
        x[i] = TABLE[i]
