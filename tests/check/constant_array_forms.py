# An array of the top level is an array in a kernel, a small one as well: its attributes and methods, parts by slices beside computed indices, `None`,
# `...` and tuples as indices, rows that are stored.
# RUN: %kernc run %s k o=zeros:f64:20 --grid 1 --block 1 --print o | %FileCheck %s
# RUN: %kernc run %s k o=zeros:f64:20 --grid 1 --block 1 --print o --lanes=32 -O0 | %FileCheck %s
# RUN: %kernc %s --sig 'k(float64[:])' -o %t.ptx
# CHECK: o = [1.0, 1.0, 3.0, 7.0, 82.5, 20.0, 4.0, 3.0, 66.0, 44.0, 13.0, 1065353232.0, 14.0, 3.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
import numpy as np
from numba import cuda

G = np.arange(12, dtype=np.float32).reshape(4, 3)


@cuda.jit(device=True)
def first(a):
    return a[0]


@cuda.jit
def k(o):
    i = cuda.grid(1)
    if i > 0:
        return
    o[0] = G[i, 1:][0]
    o[1] = G[i:, 1][0]
    o[2] = G[None].ndim
    o[3] = G[..., 1][2]
    o[4] = G.sum() + G.max() + G.mean()
    o[5] = G.T[1, 2] + G.reshape(3, 4)[1, 1] + G.ravel()[5] + G.flat[3]
    o[6] = first(G[i]) + first(G[1]) + first(G[:, 1])
    a, b, c = G[i]
    o[7] = a + b + c
    for row in G:
        for x in row:
            o[8] += x
    part = G[1:3]
    o[9] = part[i, 2] + part[i][1] + part.shape[0] + part.sum()
    o[10] = G[(i, 2)] + G[i - 1, -1]
    o[11] = G.view(np.int32)[0, 1] + G.itemsize + G.strides[0]
    o[12] = np.argmax(G) + G.item(3)
    place = (i + 1, 0)
    o[13] = G[place]
    o[14:17] = G[1]
    o[17:20] = G[i + 2]
