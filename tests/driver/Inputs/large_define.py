import numpy as np
from numba import cuda

W = np.load("w.npy")
C = np.load("c.npy")


@cuda.jit
def k(o):
    o[0] = W[-1, 1999]
    o[1] = W.size
    o[2] = C[4, 19_999].imag
    o[3] = W[1, 1]


def make(table):
    @cuda.jit
    def k(o):
        o[0] = table[o.size + 295, 1999]
        o[1] = table.shape[0] * table.shape[1]

    return k
