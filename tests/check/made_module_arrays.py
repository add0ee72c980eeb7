# Arrays of ranges, of repeated lists, transposed and joined ones, small and large, at the top level.
# RUN: %kernc run %s k o=zeros:f64:8 --grid 1 --block 1 --print o | %FileCheck %s
# CHECK: o = [20008.0, 40001.0, 6691.0, 3.0, 407.0, 10017.0, 20013.5, 23.0]
import numpy as np
from numba import cuda

N = 20000
A = np.array(range(5, N))
C = np.array([0.5, 1] * N)
D = np.array(list(range(0, N, 3)), dtype=np.float32)
S = np.array(range(4))
G = np.arange(24).reshape(2, 3, 4).T
J = np.arange(N).reshape(-1, 2).transpose()
L = np.concatenate((np.arange(N), np.arange(3) + 0.5))


@cuda.jit
def k(o):
    n = o.size
    if cuda.grid(1) > 0:
        return
    o[0] = A[n] + A.size
    o[1] = C[n - 7] + C.size
    o[2] = D[n] + D.size
    o[3] = S[n - 5]
    o[4] = G[3, 1, 0] + G.shape[0] * 100
    o[5] = J[1, n] + J.shape[1]
    o[6] = L[-1] + L[n] + L.size
    o[7] = G[n - 5, 2, 1]
