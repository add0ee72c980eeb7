import numpy as np
from numba import cuda, from_dtype

inner = np.dtype([('v', np.float32), ('flag', np.bool_)])
outer = np.dtype([('tag', np.uint8), ('x', np.float64), ('in', inner, (2,)), ('z', np.complex64)])

pair = np.dtype([('a', np.int32), ('b', np.float64)])


@cuda.jit((from_dtype(pair)[:],))
def pairs(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i].a = i
        out[i].b = 1.5


@cuda.jit((from_dtype(outer)[:, :], from_dtype(inner)))
def set(a, one):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        a[i, j].tag = 3
        a[i, j]['x'] += one.v
        a[i, j]['in'][1].flag = one.flag
        a[i, j].z = complex(0, -4)
