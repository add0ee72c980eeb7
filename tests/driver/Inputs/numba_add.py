import numpy as np
from numba import cuda


@cuda.jit(device=True)
def plus(a, b):
    return a + b


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = plus(x[i], y[i])


if __name__ == "__main__":
    print(np.arange(3))
