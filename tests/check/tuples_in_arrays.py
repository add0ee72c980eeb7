# Tuples as elements of arrays in a .py file: types by `types.Tuple`, `types.UniTuple` or a tuple of them; numbers convert as in a store.
# RUN: %kernc run %s k o=zeros:f64:8 --grid 1 --block 1 --print o | %FileCheck %s
# RUN: %kernc %s --sig 'k(float64[:])' -o %t.ptx
# CHECK: o = [2.0, 7.0, 3.0, 44.0, 5.0, 8.0, 0.0, 9.0]
import numpy as np
from numba import cuda, float32, int32, types

Entry = types.Tuple((float32, int32))
point = np.dtype([('x', np.float32), ('n', np.int16)])


@cuda.jit
def k(o):
    s = cuda.shared.array(4, types.UniTuple(float32, 2))
    t = cuda.local.array(3, Entry)
    u = cuda.local.array(1, (np.uint8, np.float64))
    if cuda.grid(1) == 0:
        s[0] = (1.0, 2)
        t[1] = (3.75, 7.9)
        t[2] = t[1]
        t[1] = s[0]
        t[0], t[1] = t[1], t[0]
        u[0] = (300.7, 5)
        o[0] = s[0][1]
        o[1] = t[2][1]
        o[2] = int(t[2][0])
        a, b = u[0]
        o[3] = a
        o[4] = b
        o[5] = t.itemsize
        for value, count in t[1:2]:
            o[6] += value
        r = cuda.local.array(1, point)
        r[0].x = 9
        both = cuda.local.array(1, (point, types.int8))
        both[0] = (r[0], 1)
        o[7] = both[0][0].x
