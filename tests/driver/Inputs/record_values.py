import numpy as np
from numba import cuda, from_dtype

t = np.dtype([('x', np.float32), ('n', np.int32)])


@cuda.jit((from_dtype(t), 'float32[:]'))
def typed(r, o):
    o[0] = r.x
    o[1] = r['n']


@cuda.jit
def plain(r, o):
    o[0] = r.x
    o[1] = r['n']


@cuda.jit
def first(a, o):
    o[0] = a[1].x
