import numpy as np
from numba import cuda


@cuda.jit
def add_numba(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


if __name__ == "__main__":
    out = np.zeros(8, np.float32)
    add_numba[1, 8](np.ones(8, np.float32), np.ones(8, np.float32), out)
