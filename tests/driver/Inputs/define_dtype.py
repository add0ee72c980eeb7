import numpy as np
from numba import cuda

W = np.load("w.npy")

@cuda.jit
def k(o, x, i):
    o[0] = W[i, i] * x[0]
    o[1] = (W[i, i] * x[0]).dtype == np.float32
    o[2] = 1 / W[0, 1]
    o[3] = W.shape[1]
    o[4] = W.ndim
    o[5] = W.size
    o[6] = I[i]
    o[7] = H[i]
    o[8] = U[0] + U[i + 1]
    o[9] = U.dtype == np.uint8
    o[10] = B[i]
    o[11] = cuda.const.array_like(W)[1, 1]
